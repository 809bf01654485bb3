/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * IEEE binary16 and binary32 as bit patterns, with integer instructions only.
 */
#ifndef _VACC_ENGINE_F16_H
#define _VACC_ENGINE_F16_H

#include "env.h"

#define ENG_F16_NAN		0x7e00	/* the only NaN that is ever written */
#define ENG_F16_EXPONENT	0x7c00
#define ENG_F32_NAN		0x7fc00000
#define ENG_F32_INF		0x7f800000
#define ENG_F32_SIGN		0x80000000

/* The unit of eng_f16_to_fixed(): the smallest subnormal, 2^-24. */
#define ENG_F16_UNIT		(-24)

/**
 * eng_f16_is_special() - is it an infinity or a NaN
 * @half: binary16
 *
 * Context: any.
 * Return: whether @half has no finite value.
 */
static inline bool eng_f16_is_special(u16 half)
{
	return (half & ENG_F16_EXPONENT) == ENG_F16_EXPONENT;
}

/**
 * eng_f16_magnitude() - the magnitude of a finite binary16 as an integer
 * @half: binary16; of an infinity or a NaN something below 2^41 comes back
 *
 * Context: any.
 * Return: the magnitude in units of 2^-24: exact, below 2^40.
 */
static __always_inline u64 eng_f16_magnitude(u16 half)
{
	u32 exponent = (half >> 10) & 0x1f;
	u32 normal = exponent != 0;

	return (u64)((half & 0x3ff) | normal << 10) << (exponent - normal);
}

/**
 * eng_f16_to_fixed() - a finite binary16 as an integer
 * @half: binary16; of an infinity or a NaN something below 2^41 comes back
 *
 * Context: any.
 * Return: the value in units of 2^-24: exact, its magnitude below 2^40.
 */
static __always_inline s64 eng_f16_to_fixed(u16 half)
{
	s64 magnitude = eng_f16_magnitude(half);
	s64 sign = -(s64)(half >> 15);

	return (magnitude ^ sign) - sign;
}

/**
 * eng_round24() - round an integer to 24 significant bits, ties to even
 * @value: an even integer in two's complement, its magnitude below 2^63 - 2^39
 *
 * That is the rounding of a binary32 operation whose exact result is @value in
 * some unit, as long as exponents stay in range.  Two's complement needs no
 * special case: bits are cut towards minus infinity, and adding half a unit in
 * the last place (less one where that place is even) before makes it the nearest.
 * Of a negative value the complement stands for the magnitude; where the two
 * have different lengths, the value is a power of two and needs no rounding.
 * Because @value is even, cutting at least one bit is harmless, and no case is
 * left for values that are short already.
 *
 * Context: any.
 * Return: the rounded value.
 */
static __always_inline u64 eng_round24(u64 value)
{
	u64 length = (value ^ (u64)((s64)value >> 63)) | 1 << 24;
	unsigned int cut = eng_top_bit(length) - 23;
	u64 keep = ~0ULL << cut;
	u64 odd = (value >> cut) & 1;

	return (value + (~keep >> 1) + odd) & keep;
}

u32 eng_f16_to_f32(u16 half);
u16 eng_f32_to_f16(u32 single);
u32 eng_f32_from_fixed(s64 value, int unit);
bool eng_f32_to_fixed(u32 single, int unit, s64 *value);
u32 eng_f32_add_product(u32 sum, u16 a, u16 b);

#endif /* _VACC_ENGINE_F16_H */
