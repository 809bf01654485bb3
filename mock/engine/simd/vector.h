/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Vectors of AVX2, which all kernels have.  The compiler computes with them by
 * operators; what those cannot say is an instruction each here.
 */
#ifndef _VACC_ENGINE_VECTOR_H
#define _VACC_ENGINE_VECTOR_H

#include "../env.h"

/* Files are compiled for any processor, these functions are not. */
#define VECTOR_AVX2	__attribute__((__target__("avx2,fma,f16c")))
#define VECTOR_AVX512	__attribute__((__target__("avx2,fma,f16c,avx512f")))

#ifdef __clang__
#define VECTOR_UNROLL	_Pragma("clang loop unroll(full)")
#else
#define VECTOR_UNROLL	_Pragma("GCC unroll 16")
#endif

typedef float v8f __attribute__((__vector_size__(32)));
typedef float v16f __attribute__((__vector_size__(64)));
typedef s16 v16h __attribute__((__vector_size__(32)));

/* The same at any address. */
typedef float v8f_any __attribute__((__vector_size__(32), __aligned__(1), __may_alias__));
typedef s16 v16h_any __attribute__((__vector_size__(32), __aligned__(1), __may_alias__));
typedef float v16f_any __attribute__((__vector_size__(64), __aligned__(1), __may_alias__));

/* Operands in memory, for the compiler to know what is read or written. */
struct vector16 {
	u8 bytes[16];
};

struct vector32 {
	u8 bytes[32];
};

#define VECTOR_INTERLEAVE(name, instruction)				\
	static __always_inline VECTOR_AVX2 v16h name(v16h a, v16h b)	\
	{								\
		v16h r;							\
									\
		asm(instruction " %2, %1, %0" : "=x" (r) : "x" (a), "x" (b)); \
		return r;						\
	}

VECTOR_INTERLEAVE(vector_low16, "vpunpcklwd")
VECTOR_INTERLEAVE(vector_high16, "vpunpckhwd")
VECTOR_INTERLEAVE(vector_low32, "vpunpckldq")
VECTOR_INTERLEAVE(vector_high32, "vpunpckhdq")
VECTOR_INTERLEAVE(vector_low64, "vpunpcklqdq")
VECTOR_INTERLEAVE(vector_high64, "vpunpckhqdq")

/* Sixteen bytes from each of two places. */
static __always_inline VECTOR_AVX2 v16h vector_two(const void *low, const void *high)
{
	v16h r;

	asm("vmovdqu %1, %x0" : "=x" (r) : "m" (*(const struct vector16 *)low));
	asm("vinserti128 $1, %1, %0, %0" : "+x" (r)
	    : "m" (*(const struct vector16 *)high));
	return r;
}

static __always_inline VECTOR_AVX2 v8f vector_widen_low(v16h halves)
{
	v8f r;

	asm("vcvtph2ps %x1, %0" : "=x" (r) : "x" (halves));
	return r;
}

static __always_inline VECTOR_AVX2 v8f vector_widen_high(v16h halves)
{
	v16h high;

	asm("vextracti128 $1, %1, %x0" : "=x" (high) : "x" (halves));
	return vector_widen_low(high);
}

static __always_inline VECTOR_AVX2 v8f vector_widen8(const void *from)
{
	v8f r;

	asm("vcvtph2ps %1, %0" : "=x" (r) : "m" (*(const struct vector16 *)from));
	return r;
}

/* To nearest, ties to even; a NaN becomes the one that is ever written. */
static __always_inline VECTOR_AVX2 void vector_narrow8(void *to, v8f from)
{
	const v16h nan = { 0x7e00, 0x7e00, 0x7e00, 0x7e00, 0x7e00, 0x7e00, 0x7e00, 0x7e00 };
	v8f unordered;
	v16h halves, special;

	asm("vcmpunordps %1, %1, %0" : "=x" (unordered) : "x" (from));
	asm("vcvtps2ph $0, %1, %x0" : "=x" (halves) : "x" (from));
	/* All bits of 32 that are set stay set in 16. */
	asm("vextracti128 $1, %1, %x0" : "=x" (special) : "x" (unordered));
	asm("vpackssdw %x0, %x1, %x0" : "+x" (special) : "x" (unordered));
	asm("vpblendvb %x2, %x1, %x0, %x0" : "+x" (halves) : "x" (nan), "x" (special));
	asm("vmovdqu %x1, %0" : "=m" (*(struct vector16 *)to) : "x" (halves));
}

/*
 * Turn 16 rows of 8 terms into columns.  @from[r] has row r in its low half and
 * row r + 8 in its high one; @to[t] gets term t of all rows in order.
 */
static __always_inline VECTOR_AVX2 void vector_transpose(v16h *to, const v16h *from)
{
	v16h a[8], b[8];
	int i;

	VECTOR_UNROLL
	for (i = 0; i < 8; i += 2) {
		a[i] = vector_low16(from[i], from[i + 1]);
		a[i + 1] = vector_high16(from[i], from[i + 1]);
	}
	VECTOR_UNROLL
	for (i = 0; i < 8; i += 4) {
		b[i] = vector_low32(a[i], a[i + 2]);
		b[i + 1] = vector_high32(a[i], a[i + 2]);
		b[i + 2] = vector_low32(a[i + 1], a[i + 3]);
		b[i + 3] = vector_high32(a[i + 1], a[i + 3]);
	}
	VECTOR_UNROLL
	for (i = 0; i < 4; i++) {
		to[2 * i] = vector_low64(b[i], b[i + 4]);
		to[2 * i + 1] = vector_high64(b[i], b[i + 4]);
	}
}

/* A cache line, or two, of weights: so much is taken of a row at once. */
struct vector_line {
	v16h parts[2];
};

/*
 * Rows whose distance is a power of two lie in the same few places of a cache, and
 * push each other out before a second look.  So each line is looked at once.
 */
static __always_inline VECTOR_AVX2 void vector_lines(struct vector_line *to, const u8 *from,
						     u64 stride, u32 rows)
{
	u32 i;

	VECTOR_UNROLL
	for (i = 0; i < rows; i++, from += stride) {
		to[i].parts[0] = ((const v16h_any *)from)[0];
		to[i].parts[1] = ((const v16h_any *)from)[1];
	}
}

/* Columns of 16 lines, 8 terms of them. */
static __always_inline VECTOR_AVX2 void vector_columns(v16h *to,
						       const struct vector_line *from, u32 term)
{
	v16h rows[8];
	int i;

	VECTOR_UNROLL
	for (i = 0; i < 8; i++)
		rows[i] = vector_two((const u8 *)&from[i] + 2 * term,
				     (const u8 *)&from[i + 8] + 2 * term);
	vector_transpose(to, rows);
}

/* The same where there are fewer rows, or fewer terms: the others are zero. */
static __always_inline VECTOR_AVX2 void vector_some_columns(v16h *to, const u8 *from,
							    u64 stride, u32 count, u32 terms)
{
	struct vector16 copy[16] = {};
	v16h rows[8];
	u32 i;

	for (i = 0; i < count; i++)
		memcpy(&copy[i], from + i * stride, 2 * terms);
	VECTOR_UNROLL
	for (i = 0; i < 8; i++)
		rows[i] = vector_two(&copy[i], &copy[i + 8]);
	vector_transpose(to, rows);
}

#endif /* _VACC_ENGINE_VECTOR_H */
