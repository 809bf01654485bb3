/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Dense linear: out[r][o] = sum over i of in[r][i] * weight[o][i], in steps.
 *
 * There are paths for several sets of instructions, with the same results bit for
 * bit.  One is chosen for all devices before there is any.
 */
#ifndef _VACC_ENGINE_LINEAR_H
#define _VACC_ENGINE_LINEAR_H

#include "env.h"

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
 * @panels: of one row, the same weights packed: eng_linear_panel_bytes(), aligned to
 *	ENG_PANEL_ALIGN; or NULL
 * @packed: they are there; else they are made of @weight on the way
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
	u8 *panels;
	bool packed;
};

#define ENG_PANEL_ALIGN		64

/**
 * struct eng_section - how long the processor was kept, see eng_fpu_begin()
 * @ns: time, 0 where nobody is kept waiting
 * @macs: products, or what takes as long
 */
struct eng_section {
	u32 ns;
	u32 macs;
};

/**
 * eng_section_longest() - the longer of two, in time and in products
 * @longest: one of them; gets both maxima
 * @section: the other
 *
 * Context: any.
 */
static inline void eng_section_longest(struct eng_section *longest,
				       const struct eng_section *section)
{
	longest->ns = max(longest->ns, section->ns);
	longest->macs = max(longest->macs, section->macs);
}

/**
 * struct eng_linear_cursor - how far it has come; begins as all zero
 * @output: first output of the outputs at work
 * @row: the next row of these, or the first of the rows at work
 * @term: terms that the sums of this row, or of these rows, have
 * @section: the longest so far, from launch to launch; of vector paths
 * @tile: rows of those at work that have the terms at work; of vector paths
 * @ahead: outputs whose next weights are on their way; of vector paths
 * @spread: it is in parts, which are a team's, see team.c
 */
struct eng_linear_cursor {
	u64 output;
	u32 row;
	u32 term;
	struct eng_section section;
	u32 tile;
	u32 ahead;
	bool spread;
};

/* path.c: what is chosen. */
u16 eng_linear_choose(const char *name);
u32 eng_linear_path(void);
u64 eng_linear_rate(void);
size_t eng_linear_work_bytes(void);

/* linear.c, and nothing else is there, so that another one can take its place. */
u64 eng_linear_step(const struct eng_linear *linear,
		    struct eng_linear_cursor *cursor, void *work, u64 macs);
u64 eng_linear_panel_bytes(u32 in_features, u32 out_features);

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
