/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Dense linear with vector instructions: blocks, which are cut here, and kernels,
 * which are one set for each instruction set.
 *
 * A product of two binary16 is exact in binary32, so that a fused multiply-add
 * rounds what a multiplication and an addition round.  Each sum is one lane of one
 * register from its first term to its last, or lies in memory as binary32
 * meanwhile; nothing is ever added but one product to one sum.
 */
#ifndef _VACC_ENGINE_SIMD_H
#define _VACC_ENGINE_SIMD_H

#include "../linear.h"

/* A block of packed weights; as large as a second-level cache likes. */
#define ENG_SIMD_TERMS		384
#define ENG_SIMD_OUTPUTS	128

/* Rows that share it, at most. */
#define ENG_SIMD_ROWS		384

/* Rows of a tile of any kernel, at most. */
#define ENG_SIMD_TILE_ROWS	14

/* Outputs that eng_simd_kernels.pack(), .dot() and .keep() take at a time, at most. */
#define ENG_SIMD_GROUP		32

/* Terms of a cache line, and what a line of each output of a group takes. */
#define ENG_SIMD_LINE		32
#define ENG_SIMD_LINES		(ENG_SIMD_GROUP * ENG_SIMD_LINE * 2)

/* Bytes of a term of a panel that is kept: binary16 of a group, and zeros behind. */
#define ENG_SIMD_KEPT_TERM	(2 * ENG_SIMD_GROUP)

/**
 * struct eng_simd_ahead - weights that are needed soon
 * @from: first byte of the first row, any address
 * @stride: bytes from row to row
 * @rows: how many
 */
struct eng_simd_ahead {
	const u8 *from;
	u64 stride;
	u32 rows;
};

/**
 * struct eng_simd_tile - what is multiplied at once
 * @sums: of the first row, rows are ENG_SIMD_OUTPUTS apart
 * @in: of the first row, rows are ENG_SIMD_TERMS apart
 * @weight: a packed panel
 * @rows: 1 to tile_rows
 * @terms: 1 to ENG_SIMD_TERMS
 * @ahead: to be prefetched on the way
 */
struct eng_simd_tile {
	float *sums;
	const float *in;
	const float *weight;
	u32 rows;
	u32 terms;
	struct eng_simd_ahead ahead;
};

/**
 * struct eng_simd_weights - weights as they lie in a buffer
 * @from: first byte of the first output's, any address
 * @stride: bytes from output to output
 * @outputs: how many
 * @terms: how many of each
 * @lines: ENG_SIMD_LINES bytes, aligned to 64, any contents
 */
struct eng_simd_weights {
	const u8 *from;
	u64 stride;
	u32 outputs;
	u32 terms;
	void *lines;
};

/**
 * struct eng_simd_kept - terms of one row and panels that are kept
 * @sums: of the first panel; ENG_SIMD_GROUP floats further those of the second
 * @in: the terms
 * @from: the first panel's terms
 * @distance: bytes from there to the second's
 * @panels: 1 or 2
 * @terms: how many
 */
struct eng_simd_kept {
	float *sums;
	const float *in;
	const u8 *from;
	u64 distance;
	u32 panels;
	u32 terms;
};

/**
 * struct eng_simd_kernels - the inner loops for an instruction set
 * @path: VACC_ENGINE_*
 * @rate: products that take as long as moving a byte, in units of budgets
 * @tile_rows: rows of a tile
 * @tile_outputs: outputs of a panel
 * @widen: @terms binary16 to binary32
 * @narrow: @count binary32 to binary16, every NaN to ENG_F16_NAN
 * @pack: weights of at most tile_outputs outputs to a panel
 * @multiply: add the products of a tile to its sums
 * @dot: add the products of one row with weights of at most ENG_SIMD_GROUP outputs
 *	to their sums
 * @keep: weights of at most ENG_SIMD_GROUP outputs to terms of a panel that is kept
 * @kept: add the products of one row with such panels to their sums
 *
 * All run between eng_fpu_begin() and eng_fpu_end().  Packed sums and panels are
 * aligned to 64 and have room for whole panels; nothing outside the given numbers
 * of binary16 is touched.
 */
struct eng_simd_kernels {
	u32 path;
	u32 rate;
	u32 tile_rows;
	u32 tile_outputs;
	void (*widen)(float *to, const u8 *from, u32 terms);
	void (*narrow)(u8 *to, const float *from, u32 count);
	void (*pack)(float *to, const struct eng_simd_weights *weights);
	void (*multiply)(const struct eng_simd_tile *tile);
	void (*dot)(float *sums, const float *in,
		    const struct eng_simd_weights *weights);
	void (*keep)(u8 *to, const struct eng_simd_weights *weights);
	void (*kept)(const struct eng_simd_kept *kept);
};

extern const struct eng_simd_kernels eng_simd_avx2;
extern const struct eng_simd_kernels eng_simd_avx512;

size_t eng_simd_work_bytes(void);
u64 eng_simd_panel_bytes(u32 in_features, u32 out_features);
u64 eng_simd_step(const struct eng_simd_kernels *kernels,
		  const struct eng_linear *linear,
		  struct eng_linear_cursor *cursor, void *work, u64 macs);

#endif /* _VACC_ENGINE_SIMD_H */
