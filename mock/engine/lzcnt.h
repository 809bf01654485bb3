/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Sums of products with the x86-64 instruction that counts leading zeros.
 */
#ifndef _VACC_ENGINE_LZCNT_H
#define _VACC_ENGINE_LZCNT_H

#include "integer.h"

#ifdef __x86_64__
bool eng_cpu_has_lzcnt(void);
void eng_lzcnt_prepare(void);
void eng_lzcnt_add_products(u64 *sums, const u64 *row, const u64 *weights, u32 terms);
#else
static inline bool eng_cpu_has_lzcnt(void)
{
	return false;
}
#endif

#endif /* _VACC_ENGINE_LZCNT_H */
