/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The quota's parameters, for tests.
 */
#ifndef _RIG_QUOTA_H
#define _RIG_QUOTA_H

void rig_quota_set(unsigned long total_bytes, unsigned int inflight,
		   unsigned int contexts_per_file);
void rig_quota_reset(void);

#endif /* _RIG_QUOTA_H */
