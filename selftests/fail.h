/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults in this thread: of the allocations and user copies that the kernel makes for
 * it, the n-th fails.  Debug kernels can do that.
 */
#ifndef VT_FAIL_H
#define VT_FAIL_H

#include <stdbool.h>

/* Once, before the others: 0, or -ENOENT where the kernel injects no faults. */
int vt_fail_init(void);
/* From now on: the @nth fails, counted from 1. */
int vt_fail_arm(unsigned int nth);
/* No more: how many were still to come, 0 if it has failed. */
unsigned int vt_fail_left(void);
/* No more: whether it has failed. */
bool vt_fail_disarm(void);
/* From now on: this thread gets no 2^@order pages in a row, and no more than that. */
int vt_fail_large(unsigned int order);
/* No more: how often it has got none, or -errno. */
int vt_fail_large_end(void);

#endif /* VT_FAIL_H */
