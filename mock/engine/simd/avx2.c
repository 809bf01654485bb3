// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Kernels for AVX2, FMA and F16C.
 */
#include <linux/vacc.h>

#include "vector.h"

#define VECTOR		VECTOR_AVX2
#define LANES		8
#define TILE_ROWS	6

typedef v8f vec;
typedef v8f_any vec_any;

#define vector_widen(from)	vector_widen8(from)
#define vector_narrow(to, from)	vector_narrow8(to, from)

static __always_inline VECTOR void vector_widen16(vec *to, v16h halves)
{
	to[0] = vector_widen_low(halves);
	to[1] = vector_widen_high(halves);
}

#include "kernels.h"

const struct eng_simd_kernels eng_simd_avx2 = {
	.path = VACC_ENGINE_AVX2,
	.rate = 32,
	SIMD_KERNELS,
};
