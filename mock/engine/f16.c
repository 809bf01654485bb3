// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * IEEE binary16 and binary32 as bit patterns, with integer instructions only.
 */
#include "f16.h"

/**
 * eng_f16_to_f32() - widen a binary16
 * @half: any of the 65536
 *
 * Context: any.
 * Return: the same value as binary32; a NaN keeps its sign and payload.
 */
u32 eng_f16_to_f32(u16 half)
{
	u32 sign = (u32)(half & 0x8000) << 16;
	u32 exponent = (half >> 10) & 0x1f;
	u32 fraction = half & 0x3ff;
	u32 shift;

	if (exponent == 0x1f)
		return sign | ENG_F32_INF | fraction << 13;
	if (exponent)
		return sign | (exponent + 127 - 15) << 23 | fraction << 13;
	if (!fraction)
		return sign;
	/* Subnormal there, normal here: the leading one becomes implicit. */
	shift = 24 - fls64(fraction);
	return sign | (127 + ENG_F16_UNIT + 23 - shift) << 23 |
	       ((fraction << shift) & 0x7fffff);
}

/* Cut @bits (1 to 31) low bits off, to nearest, ties to even. */
static u32 cut(u32 value, u32 bits)
{
	u32 odd = (value >> bits) & 1;

	return (value + (1U << (bits - 1)) - 1 + odd) >> bits;
}

/**
 * eng_f32_to_f16() - narrow a binary32 to nearest, ties to even
 * @single: binary32
 *
 * Context: any.
 * Return: the nearest binary16: too large is infinite, subnormals are kept, and
 * every NaN is ENG_F16_NAN.
 */
u16 eng_f32_to_f16(u32 single)
{
	u16 sign = (single >> 16) & 0x8000;
	u32 magnitude = single & ~ENG_F32_SIGN;
	u32 exponent = magnitude >> 23;
	u32 fraction = (magnitude & 0x7fffff) | 0x800000;

	if (magnitude > ENG_F32_INF)
		return ENG_F16_NAN;
	/* From 65520 on, half a unit above the largest, also infinity itself. */
	if (magnitude >= 0x477ff000)
		return sign | ENG_F16_EXPONENT;
	/* Normal: the carry of a fraction that rounds up ends in the exponent. */
	if (exponent >= 127 - 14)
		return sign | cut(magnitude - ((127 - 15) << 23), 13);
	/* Up to half of the smallest subnormal is zero (the half is a tie). */
	if (magnitude <= 0x33000000)
		return sign;
	return sign | cut(fraction, 13 + (127 - 14) - exponent);
}

/**
 * eng_f32_from_fixed() - a binary32 from an integer that fits it
 * @value: of at most 24 significant bits
 * @unit: exponent of what one is worth
 *
 * Context: any.
 * Return: @value * 2^@unit, which must be zero or in the normal range.
 */
u32 eng_f32_from_fixed(s64 value, int unit)
{
	u64 magnitude = value < 0 ? -(u64)value : (u64)value;
	int length = fls64(magnitude);
	u32 fraction;

	if (!magnitude)
		return 0;
	fraction = length > 24 ? magnitude >> (length - 24) :
				 magnitude << (24 - length);
	return (value < 0 ? ENG_F32_SIGN : 0) |
	       (u32)(127 + unit + length - 1) << 23 | (fraction & 0x7fffff);
}

/**
 * eng_f32_to_fixed() - an integer from a binary32
 * @single: zero, normal, infinite or a NaN
 * @unit: exponent of what one is worth
 * @value: where the integer goes
 *
 * Context: any.
 * Return: whether @single is an even number of units, and below 2^62 of them.
 */
bool eng_f32_to_fixed(u32 single, int unit, s64 *value)
{
	int exponent = (single >> 23) & 0xff;
	u64 fraction = (single & 0x7fffff) | 0x800000;
	int shift = exponent - (127 + 23) - unit;

	*value = 0;
	if (!exponent)
		return true;
	if (shift > 62 - 24 || shift < -23)
		return false;
	if (shift > 0) {
		fraction <<= shift;
	} else {
		if (fraction & ((2ULL << -shift) - 1))
			return false;
		fraction >>= -shift;
	}
	*value = single & ENG_F32_SIGN ? -(s64)fraction : (s64)fraction;
	return true;
}

/* A nonzero finite number: 24 bits, the highest of them set, times 2^unit. */
struct unpacked {
	u64 fraction;
	int unit;
	bool negative;
};

static void unpack_product(struct unpacked *p, s64 a, s64 b)
{
	u64 x = (a < 0 ? -a : a), y = (b < 0 ? -b : b);
	int x_shift = max(fls64(x) - 11, 0), y_shift = max(fls64(y) - 11, 0);
	int shift;

	/* Each factor has 11 significant bits, so the product is exact. */
	p->fraction = (x >> x_shift) * (y >> y_shift);
	p->unit = 2 * ENG_F16_UNIT + x_shift + y_shift;
	p->negative = (a < 0) != (b < 0);
	shift = 24 - fls64(p->fraction);
	p->fraction <<= shift;
	p->unit -= shift;
}

static void unpack_single(struct unpacked *p, u32 single)
{
	p->fraction = (single & 0x7fffff) | 0x800000;
	p->unit = (int)((single >> 23) & 0xff) - (127 + 23);
	p->negative = single >> 31;
}

/*
 * More than 31 places apart the smaller one is below 2^-7 of the larger one's last
 * place, whichever side it is on, so that the sum rounds to the larger one.  Else
 * the sum is exact, and even, in 64 bits.
 */
static u32 add_unpacked(const struct unpacked *large, const struct unpacked *small)
{
	unsigned int apart = large->unit - small->unit;
	u64 sum = large->fraction << 32;

	if (apart <= 31 && large->negative == small->negative)
		sum += small->fraction << (32 - apart);
	else if (apart <= 31)
		sum -= small->fraction << (32 - apart);
	if (large->negative)
		sum = -sum;
	return eng_f32_from_fixed(eng_round24(sum), large->unit - 32);
}

/* The sum where an operand is infinite or a NaN; @sum may be. */
static u32 add_special(u32 sum, u16 a, u16 b)
{
	u32 x = a & 0x7fff, y = b & 0x7fff;
	u32 infinity = ENG_F32_INF | (u32)((a ^ b) & 0x8000) << 16;

	if (x > ENG_F16_EXPONENT || y > ENG_F16_EXPONENT || !x || !y)
		return ENG_F32_NAN;
	if ((sum & ~ENG_F32_SIGN) > ENG_F32_INF)
		return ENG_F32_NAN;
	if ((sum & ~ENG_F32_SIGN) == ENG_F32_INF && sum != infinity)
		return ENG_F32_NAN;
	return infinity;
}

/**
 * eng_f32_add_product() - one step of a sum of products
 * @sum: the sum so far, that began at +0: never -0 nor subnormal
 * @a: a factor, binary16
 * @b: a factor, binary16
 *
 * The product of two binary16 is exact in binary32, a multiple of 2^-48 and below
 * 2^32.  So sums are multiples of 2^-48 too and never subnormal, it takes more
 * than 2^32 terms to overflow, and a sum of zero is +0 for one that began so.
 *
 * Context: any.
 * Return: @sum + @a * @b, rounded once; every NaN is ENG_F32_NAN.
 */
u32 eng_f32_add_product(u32 sum, u16 a, u16 b)
{
	struct unpacked product, old;

	if (eng_f16_is_special(a) || eng_f16_is_special(b))
		return add_special(sum, a, b);
	if ((sum & ENG_F32_INF) == ENG_F32_INF)
		return sum;
	if (!(a & 0x7fff) || !(b & 0x7fff))
		return sum;
	unpack_product(&product, eng_f16_to_fixed(a), eng_f16_to_fixed(b));
	if (!sum)
		return eng_f32_from_fixed(product.negative ? -(s64)product.fraction :
							     (s64)product.fraction,
					  product.unit);
	unpack_single(&old, sum);
	if (old.unit >= product.unit)
		return add_unpacked(&old, &product);
	return add_unpacked(&product, &old);
}
