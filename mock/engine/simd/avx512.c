// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Kernels for AVX-512F, besides AVX2, FMA and F16C.
 */
#include <linux/vacc.h>

#include "vector.h"

#define VECTOR		VECTOR_AVX512
#define LANES		16
#define TILE_ROWS	14

typedef v16f vec;
typedef v16f_any vec_any;

static __always_inline VECTOR vec vector_widen(const void *from)
{
	vec r;

	asm("vcvtph2ps %1, %0" : "=v" (r) : "m" (*(const struct vector32 *)from));
	return r;
}

static __always_inline VECTOR void vector_widen16(vec *to, v16h halves)
{
	asm("vcvtph2ps %1, %0" : "=v" (*to) : "v" (halves));
}

static __always_inline VECTOR void vector_narrow(void *to, vec from)
{
	v8f high;

	asm("vextractf64x4 $1, %1, %0" : "=v" (high) : "v" (from));
	vector_narrow8(to, __builtin_shufflevector(from, from, 0, 1, 2, 3, 4, 5, 6, 7));
	vector_narrow8((u8 *)to + 16, high);
}

#include "kernels.h"

const struct eng_simd_kernels eng_simd_avx512 = {
	.path = VACC_ENGINE_AVX512,
	.rate = 64,
	SIMD_KERNELS,
};
