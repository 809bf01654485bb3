// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What the engine's arithmetic must give, by the floating point of this machine:
 * a loop of float additions in order, and conversions by way of double, which has
 * room for every binary16 and for every tie.
 */
#include <math.h>

#include "oracle.h"

u32 oracle_bits(float single)
{
	u32 bits;

	memcpy(&bits, &single, sizeof(bits));
	return bits;
}

float oracle_float(u32 bits)
{
	float single;

	memcpy(&single, &bits, sizeof(single));
	return single;
}

float oracle_widen(u16 half)
{
	int exponent = (half >> 10) & 0x1f;
	int fraction = half & 0x3ff;
	double magnitude;

	if (exponent == 0x1f)
		magnitude = fraction ? NAN : INFINITY;
	else if (exponent)
		magnitude = ldexp(1024 + fraction, exponent - 25);
	else
		magnitude = ldexp(fraction, -24);
	return half & 0x8000 ? -magnitude : magnitude;
}

u16 oracle_narrow(float single)
{
	u16 sign = signbit(single) ? 0x8000 : 0;
	double x = fabs(single);
	int exponent;
	double units;

	if (isnan(single))
		return 0x7e00;
	if (x >= 65520)
		return sign | 0x7c00;
	if (x == 0)
		return sign;
	exponent = ilogb(x);
	if (exponent < -14)
		exponent = -14;
	/* rint() rounds ties to even; 2048 units carry into the exponent. */
	units = rint(ldexp(x, 10 - exponent));
	return sign | ((exponent + 14) * 1024 + (int)units);
}

u32 oracle_step(u32 sum, u16 a, u16 b)
{
	float product = oracle_widen(a) * oracle_widen(b);
	float result = oracle_float(sum) + product;

	return isnan(result) ? 0x7fc00000 : oracle_bits(result);
}

u64 oracle_round24(s64 value)
{
	return (s64)(float)value;
}

u16 oracle_dot(const u8 *in, const u8 *weight, u32 terms)
{
	float sum = 0;
	u32 i;

	for (i = 0; i < terms; i++)
		sum += oracle_widen(eng_get_le16(in + 2 * (size_t)i)) *
		       oracle_widen(eng_get_le16(weight + 2 * (size_t)i));
	return oracle_narrow(sum);
}

/* Everything is read before anything is written. */
void oracle_linear(const struct oracle_matrix *in, const struct oracle_matrix *weight,
		   const struct oracle_matrix *out, u32 rows, u32 terms, u32 outputs)
{
	size_t count = (size_t)rows * outputs;
	float *x = malloc((size_t)rows * terms * sizeof(*x));
	float *w = malloc((size_t)outputs * terms * sizeof(*w));
	u16 *results = malloc(count * sizeof(*results));
	size_t r, o, i;

	for (r = 0; r < rows; r++)
		for (i = 0; i < terms; i++)
			x[r * terms + i] =
				oracle_widen(eng_get_le16(in->base + r * in->stride + 2 * i));
	for (o = 0; o < outputs; o++)
		for (i = 0; i < terms; i++)
			w[o * terms + i] = oracle_widen(eng_get_le16(weight->base +
								     o * weight->stride + 2 * i));
	for (r = 0; r < rows; r++) {
		for (o = 0; o < outputs; o++) {
			float sum = 0;

			for (i = 0; i < terms; i++)
				sum += x[r * terms + i] * w[o * terms + i];
			results[r * outputs + o] = oracle_narrow(sum);
		}
	}
	for (r = 0; r < rows; r++)
		for (o = 0; o < outputs; o++)
			eng_put_le16(out->base + r * out->stride + 2 * o,
				     results[r * outputs + o]);
	free(results);
	free(w);
	free(x);
}
