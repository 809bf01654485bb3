/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Memory that ends where mapped memory does: what reads beyond it by instructions
 * that no sanitizer sees does not get far.
 */
#ifndef _ENGINE_TEST_GUARDED_H
#define _ENGINE_TEST_GUARDED_H

#include <stddef.h>

void *guarded_alloc(size_t bytes);
void guarded_free(void *memory, size_t bytes);

#endif /* _ENGINE_TEST_GUARDED_H */
