/* SPDX-License-Identifier: GPL-2.0 */
/* IEEE binary16 and the dense-linear oracle, in plain C. */
#ifndef VT_HALF_H
#define VT_HALF_H

#include <stddef.h>
#include <stdint.h>

float vt_half_to_float(uint16_t half);
/* To nearest, ties to even; every NaN is 0x7e00. */
uint16_t vt_float_to_half(float value);

/*
 * out[r][o] = half(sum over i in order of in[r][i] * weight[o][i]), the sum in
 * float, from +0.  All packed.
 */
void vt_linear(const uint16_t *in, const uint16_t *weight, uint16_t *out, size_t rows,
	       size_t in_features, size_t out_features);

#endif /* VT_HALF_H */
