// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <string.h>
#include "half.h"

float vt_half_to_float(uint16_t half)
{
	int exponent = half >> 10 & 31;
	float fraction = half & 1023;
	float value;

	if (exponent == 31)
		value = fraction ? NAN : INFINITY;
	else if (exponent)
		value = ldexpf(1024 + fraction, exponent - 25);
	else
		value = ldexpf(fraction, -24);
	return half & 0x8000 ? -value : value;
}

uint16_t vt_float_to_half(float value)
{
	uint16_t sign = signbit(value) ? 0x8000 : 0;
	double magnitude = fabs((double)value), unit, units, rest;
	int exponent;

	if (isnan(value))
		return 0x7e00;
	if (magnitude >= 65520)		/* halfway from the largest to 2^16 */
		return sign | 0x7c00;
	/* The spacing of halves at this magnitude; below 2^-14 it is 2^-24. */
	frexp(magnitude, &exponent);
	if (exponent < -13 || magnitude == 0)
		exponent = -13;
	unit = ldexp(1, exponent - 11);
	units = floor(magnitude / unit);
	rest = magnitude / unit - units;
	if (rest > 0.5 || (rest == 0.5 && fmod(units, 2) == 1))
		units++;
	/* Consecutive halves are consecutive numbers, over exponents too. */
	return sign | (uint16_t)(units + (exponent + 13) * 1024);
}

void vt_linear(const uint16_t *in, const uint16_t *weight, uint16_t *out, size_t rows,
	       size_t in_features, size_t out_features)
{
	size_t r, o, i;

	for (r = 0; r < rows; r++) {
		for (o = 0; o < out_features; o++) {
			/* Each step is stored: float, not more. */
			volatile float sum = 0;

			for (i = 0; i < in_features; i++) {
				volatile float product =
					vt_half_to_float(in[r * in_features + i]) *
					vt_half_to_float(weight[o * in_features + i]);
				sum = sum + product;
			}
			out[r * out_features + o] = vt_float_to_half(sum);
		}
	}
}
