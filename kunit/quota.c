// SPDX-License-Identifier: GPL-2.0
/*
 * The core's quota.c, and a way to set its parameters.
 */
#include "../drivers/quota.c"

#include "quota.h"

void rig_quota_set(unsigned long total_bytes, unsigned int inflight,
		   unsigned int contexts_per_file)
{
	WRITE_ONCE(max_total_bytes, total_bytes);
	WRITE_ONCE(max_inflight, inflight);
	WRITE_ONCE(max_contexts_per_file, contexts_per_file);
}

void rig_quota_reset(void)
{
	rig_quota_set(0, 16384, 0);
}
