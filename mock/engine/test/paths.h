/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The paths of dense linear that this machine can run.
 */
#ifndef _ENGINE_TEST_PATHS_H
#define _ENGINE_TEST_PATHS_H

#include "linear.h"

/* Names by number, NULL after the last. */
const char *path_name(u32 number);

/* False where the processor does not have it. */
bool path_choose(const char *name);

/*
 * As eng_linear_work_bytes(), eng_linear_panel_bytes() and eng_linear_step(), for what
 * was chosen.
 */
size_t path_work_bytes(void);
u64 path_panel_bytes(u32 in_features, u32 out_features);
u64 path_step(const struct eng_linear *linear, struct eng_linear_cursor *cursor,
	      void *work, u64 macs);

#endif /* _ENGINE_TEST_PATHS_H */
