/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the engine's arithmetic must give, by the floating point of this machine.
 */
#ifndef _ENGINE_TEST_ORACLE_H
#define _ENGINE_TEST_ORACLE_H

#include "env.h"

struct oracle_matrix {
	u8 *base;
	u64 stride;
};

float oracle_widen(u16 half);
u16 oracle_narrow(float single);
u32 oracle_bits(float single);
float oracle_float(u32 bits);
u32 oracle_step(u32 sum, u16 a, u16 b);
u64 oracle_round24(s64 value);
u16 oracle_dot(const u8 *in, const u8 *weight, u32 terms);
void oracle_linear(const struct oracle_matrix *in, const struct oracle_matrix *weight,
		   const struct oracle_matrix *out, u32 rows, u32 terms, u32 outputs);

#endif /* _ENGINE_TEST_ORACLE_H */
