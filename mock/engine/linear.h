/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Dense linear: out[r][o] = sum over i of in[r][i] * weight[o][i], in steps.
 */
#ifndef _VACC_ENGINE_LINEAR_H
#define _VACC_ENGINE_LINEAR_H

#include "env.h"

/* Outputs of one row that are computed together. */
#define ENG_LINEAR_OUTPUTS	16

/**
 * struct eng_linear - a product of matrices of binary16, little-endian
 * @in: rows x in_features
 * @in_stride: bytes from row to row of it
 * @weight: out_features x in_features
 * @weight_stride: bytes from row to row of it
 * @out: rows x out_features, overlapping neither of the others
 * @out_stride: bytes from row to row of it
 * @rows: rows
 * @in_features: terms of each sum
 * @out_features: outputs of each row
 */
struct eng_linear {
	const u8 *in;
	u64 in_stride;
	const u8 *weight;
	u64 weight_stride;
	u8 *out;
	u64 out_stride;
	u32 rows;
	u32 in_features;
	u32 out_features;
};

/**
 * struct eng_linear_cursor - how far it has come; begins as all zero
 * @output: first output of the outputs at work
 * @row: the next row of these
 * @term: terms of this row that @sums has
 * @sums: binary32, where @term is not zero
 */
struct eng_linear_cursor {
	u64 output;
	u32 row;
	u32 term;
	u32 sums[ENG_LINEAR_OUTPUTS];
};

u64 eng_linear_step(const struct eng_linear *linear,
		    struct eng_linear_cursor *cursor, void *work, u64 macs);

/**
 * eng_linear_done() - is nothing left to do
 * @linear: the product
 * @cursor: how far it has come
 *
 * Context: any.
 * Return: whether all outputs are written.
 */
static inline bool eng_linear_done(const struct eng_linear *linear,
				   const struct eng_linear_cursor *cursor)
{
	return cursor->output >= linear->out_features;
}

#endif /* _VACC_ENGINE_LINEAR_H */
