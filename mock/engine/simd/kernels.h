/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The kernels, written once for vectors of any width.  Who includes this has
 * defined:
 *
 *	VECTOR			attribute of functions
 *	vec, vec_any		a vector of floats, the latter at any address
 *	LANES			how many, 8 or 16
 *	TILE_ROWS		rows of a tile, so that two vectors of sums each leave
 *				registers for two vectors of weights and one of input
 *	vec vector_widen(p)	LANES binary16 at any address
 *	vector_narrow(p, v)	the reverse
 *	vector_widen16(v, h)	16 binary16 to VECTORS vectors
 *
 * Sums stay in registers over all terms of a block.  Their count is a constant in
 * each copy of a tile, which is what makes the compiler keep them there.
 */
#include "simd.h"

#define VECTORS		(16 / LANES)
#define TILE_OUTPUTS	(2 * LANES)
#define GROUPS16	(ENG_SIMD_GROUP / 16)

/* How far ahead of its use a line of one row's weights is asked for. */
#define DOT_AHEAD	512

/* The same of panels that are kept. */
#define KEPT_AHEAD	1024

static VECTOR void simd_widen(float *to, const u8 *from, u32 terms)
{
	u8 rest[2 * LANES] = {};
	u32 t, v;

	for (t = 0; t + 4 * LANES <= terms; t += 4 * LANES) {
		VECTOR_UNROLL
		for (v = 0; v < 4; v++)
			*(vec *)(to + t + v * LANES) =
				vector_widen(from + 2 * (t + v * LANES));
	}
	for (; t + LANES <= terms; t += LANES)
		*(vec *)(to + t) = vector_widen(from + 2 * t);
	if (t == terms)
		return;
	memcpy(rest, from + 2 * t, 2 * (terms - t));
	*(vec *)(to + t) = vector_widen(rest);
}

static VECTOR void simd_narrow(u8 *to, const float *from, u32 count)
{
	u8 rest[2 * LANES];
	u32 i;

	for (i = 0; i + LANES <= count; i += LANES)
		vector_narrow(to + 2 * i, *(const vec *)(from + i));
	if (i == count)
		return;
	vector_narrow(rest, *(const vec *)(from + i));
	memcpy(to + 2 * i, rest, 2 * (count - i));
}

static __always_inline VECTOR void simd_put(float *to, v16h column)
{
	vec wide[VECTORS];
	u32 v;

	vector_widen16(wide, column);
	VECTOR_UNROLL
	for (v = 0; v < VECTORS; v++)
		*(vec *)(to + v * LANES) = wide[v];
}

/* At most sixteen outputs of a panel. */
static VECTOR void simd_pack16(float *to, const struct eng_simd_weights *weights,
			       const u8 *from, u32 outputs)
{
	u32 whole = outputs == 16 ? weights->terms & ~(ENG_SIMD_LINE - 1) : 0;
	struct vector_line *lines = weights->lines;
	v16h columns[8];
	u32 t, i, n;

	for (t = 0; t < whole; t += 8, to += 8 * TILE_OUTPUTS) {
		if (t % ENG_SIMD_LINE == 0)
			vector_lines(lines, from + 2 * t, weights->stride, 16);
		vector_columns(columns, lines, t % ENG_SIMD_LINE);
		VECTOR_UNROLL
		for (i = 0; i < 8; i++)
			simd_put(to + i * TILE_OUTPUTS, columns[i]);
	}
	for (; t < weights->terms; t += 8, to += 8 * TILE_OUTPUTS) {
		n = min_t(u32, weights->terms - t, 8);
		vector_some_columns(columns, from + 2 * t, weights->stride, outputs, n);
		for (i = 0; i < n; i++)
			simd_put(to + i * TILE_OUTPUTS, columns[i]);
	}
}

static VECTOR void simd_pack(float *to, const struct eng_simd_weights *weights)
{
	u32 o;

	for (o = 0; o < weights->outputs; o += 16)
		simd_pack16(to + o, weights, weights->from + o * weights->stride,
			    min_t(u32, weights->outputs - o, 16));
}

static __always_inline void simd_ask(const struct eng_simd_ahead *ahead, u32 term)
{
	const u8 *line = ahead->from + 2 * term;
	u32 i;

	for (i = 0; i < ahead->rows; i++, line += ahead->stride)
		__builtin_prefetch(line, 0, 2);
}

static __always_inline VECTOR void simd_tile(const struct eng_simd_tile *tile, u32 rows)
{
	vec sums[TILE_ROWS][2];
	const float *weight = tile->weight;
	const float *in = tile->in;
	u32 r, t, end;

	VECTOR_UNROLL
	for (r = 0; r < rows; r++) {
		sums[r][0] = *(const vec *)(tile->sums + r * ENG_SIMD_OUTPUTS);
		sums[r][1] = *(const vec *)(tile->sums + r * ENG_SIMD_OUTPUTS + LANES);
	}
	for (t = 0; t < tile->terms;) {
		simd_ask(&tile->ahead, t);
		end = min_t(u32, t + ENG_SIMD_LINE, tile->terms);
		for (; t < end; t++, in++, weight += TILE_OUTPUTS) {
			vec low = *(const vec *)weight;
			vec high = *(const vec *)(weight + LANES);

			VECTOR_UNROLL
			for (r = 0; r < rows; r++) {
				vec x = in[r * ENG_SIMD_TERMS] - (vec){};

				sums[r][0] += x * low;
				sums[r][1] += x * high;
			}
		}
	}
	VECTOR_UNROLL
	for (r = 0; r < rows; r++) {
		*(vec *)(tile->sums + r * ENG_SIMD_OUTPUTS) = sums[r][0];
		*(vec *)(tile->sums + r * ENG_SIMD_OUTPUTS + LANES) = sums[r][1];
	}
}

#define TILE(n)								\
	static VECTOR void simd_tile_##n(const struct eng_simd_tile *tile) \
	{								\
		simd_tile(tile, n);					\
	}

TILE(1)
TILE(2)
TILE(3)
TILE(4)
TILE(5)
TILE(6)
#if TILE_ROWS > 6
TILE(7)
TILE(8)
TILE(9)
TILE(10)
TILE(11)
TILE(12)
TILE(13)
TILE(14)
#endif

static void (*const simd_tiles[TILE_ROWS])(const struct eng_simd_tile *tile) = {
	simd_tile_1, simd_tile_2, simd_tile_3, simd_tile_4, simd_tile_5,
	simd_tile_6,
#if TILE_ROWS > 6
	simd_tile_7, simd_tile_8, simd_tile_9, simd_tile_10, simd_tile_11,
	simd_tile_12, simd_tile_13, simd_tile_14,
#endif
};

static void simd_multiply(const struct eng_simd_tile *tile)
{
	simd_tiles[tile->rows - 1](tile);
}

/* A term of sixteen outputs. */
static __always_inline VECTOR void simd_add(vec *sums, float in, v16h column)
{
	vec x = in - (vec){};
	vec wide[VECTORS];
	u32 v;

	vector_widen16(wide, column);
	VECTOR_UNROLL
	for (v = 0; v < VECTORS; v++)
		sums[v] += x * wide[v];
}

/* The terms from @first on of at most sixteen outputs.  Alone, for the stack's sake. */
static __attribute__((__noinline__)) VECTOR
void simd_dot_some(float *sums, const float *in, const struct eng_simd_weights *weights,
		   const u8 *from, u32 outputs, u32 first)
{
	vec acc[VECTORS];
	v16h columns[8];
	u32 t, i, v, n;

	VECTOR_UNROLL
	for (v = 0; v < VECTORS; v++)
		acc[v] = *(const vec *)(sums + v * LANES);
	for (t = first; t < weights->terms; t += 8) {
		n = min_t(u32, weights->terms - t, 8);
		vector_some_columns(columns, from + 2 * t, weights->stride, outputs, n);
		for (i = 0; i < n; i++)
			simd_add(acc, in[t + i], columns[i]);
	}
	VECTOR_UNROLL
	for (v = 0; v < VECTORS; v++)
		*(vec *)(sums + v * LANES) = acc[v];
}

/* Whole lines of all outputs of a group, up to term @end. */
static VECTOR void simd_dot_all(float *sums, const float *in,
				const struct eng_simd_weights *weights, u32 end)
{
	struct vector_line *lines = weights->lines;
	u64 stride = weights->stride;
	vec acc[GROUPS16][VECTORS];
	v16h columns[8];
	u32 t, g, i, v;

	VECTOR_UNROLL
	for (g = 0; g < GROUPS16; g++)
		VECTOR_UNROLL
		for (v = 0; v < VECTORS; v++)
			acc[g][v] = *(const vec *)(sums + 16 * g + v * LANES);
	for (t = 0; t < end; t += 8) {
		const u8 *from = weights->from + 2 * t;

		if (t % ENG_SIMD_LINE == 0) {
			vector_lines(lines, from, stride, ENG_SIMD_GROUP);
			for (g = 0; g < ENG_SIMD_GROUP; g++)
				__builtin_prefetch(from + DOT_AHEAD + g * stride);
		}
		VECTOR_UNROLL
		for (g = 0; g < GROUPS16; g++) {
			vector_columns(columns, lines + 16 * g, t % ENG_SIMD_LINE);
			VECTOR_UNROLL
			for (i = 0; i < 8; i++)
				simd_add(acc[g], in[t + i], columns[i]);
		}
	}
	VECTOR_UNROLL
	for (g = 0; g < GROUPS16; g++)
		VECTOR_UNROLL
		for (v = 0; v < VECTORS; v++)
			*(vec *)(sums + 16 * g + v * LANES) = acc[g][v];
}

static VECTOR void simd_dot(float *sums, const float *in,
			    const struct eng_simd_weights *weights)
{
	u32 outputs = weights->outputs;
	u32 whole = outputs == ENG_SIMD_GROUP ? weights->terms & ~(ENG_SIMD_LINE - 1) : 0;
	u32 o;

	if (whole)
		simd_dot_all(sums, in, weights, whole);
	if (whole == weights->terms)
		return;
	for (o = 0; o < outputs; o += 16)
		simd_dot_some(sums + o, in, weights, weights->from + o * weights->stride,
			      min_t(u32, outputs - o, 16), whole);
}

/* At most sixteen outputs of a panel that is kept. */
static VECTOR void simd_keep16(u8 *to, const struct eng_simd_weights *weights,
			       const u8 *from, u32 outputs)
{
	u32 whole = outputs == 16 ? weights->terms & ~(ENG_SIMD_LINE - 1) : 0;
	struct vector_line *lines = weights->lines;
	v16h columns[8];
	u32 t, i, n;

	for (t = 0; t < whole; t += 8, to += 8 * ENG_SIMD_KEPT_TERM) {
		if (t % ENG_SIMD_LINE == 0)
			vector_lines(lines, from + 2 * t, weights->stride, 16);
		vector_columns(columns, lines, t % ENG_SIMD_LINE);
		VECTOR_UNROLL
		for (i = 0; i < 8; i++)
			*(v16h_any *)(to + i * ENG_SIMD_KEPT_TERM) = columns[i];
	}
	for (; t < weights->terms; t += 8, to += 8 * ENG_SIMD_KEPT_TERM) {
		n = min_t(u32, weights->terms - t, 8);
		vector_some_columns(columns, from + 2 * t, weights->stride, outputs, n);
		for (i = 0; i < n; i++)
			*(v16h_any *)(to + i * ENG_SIMD_KEPT_TERM) = columns[i];
	}
}

static VECTOR void simd_keep(u8 *to, const struct eng_simd_weights *weights)
{
	const v16h none = {};
	u32 t;

	simd_keep16(to, weights, weights->from, min_t(u32, weights->outputs, 16));
	if (weights->outputs > 16) {
		simd_keep16(to + 32, weights, weights->from + 16 * weights->stride,
			    weights->outputs - 16);
		return;
	}
	for (t = 0; t < weights->terms; t++)
		*(v16h_any *)(to + 32 + t * ENG_SIMD_KEPT_TERM) = none;
}

static __always_inline VECTOR void simd_kept_some(const struct eng_simd_kept *kept,
						  u32 panels)
{
	const u8 *from = kept->from;
	u64 distance = kept->distance;
	vec acc[2][ENG_SIMD_GROUP / LANES];
	u32 t, p, v;

	VECTOR_UNROLL
	for (p = 0; p < panels; p++)
		VECTOR_UNROLL
		for (v = 0; v < ENG_SIMD_GROUP / LANES; v++)
			acc[p][v] = *(const vec *)(kept->sums + p * ENG_SIMD_GROUP + v * LANES);
	for (t = 0; t < kept->terms; t++, from += ENG_SIMD_KEPT_TERM) {
		vec x = kept->in[t] - (vec){};

		VECTOR_UNROLL
		for (p = 0; p < panels; p++) {
			const u8 *term = from + p * distance;

			__builtin_prefetch(term + KEPT_AHEAD);
			VECTOR_UNROLL
			for (v = 0; v < ENG_SIMD_GROUP / LANES; v++)
				acc[p][v] += x * vector_widen(term + 2 * v * LANES);
		}
	}
	VECTOR_UNROLL
	for (p = 0; p < panels; p++)
		VECTOR_UNROLL
		for (v = 0; v < ENG_SIMD_GROUP / LANES; v++)
			*(vec *)(kept->sums + p * ENG_SIMD_GROUP + v * LANES) = acc[p][v];
}

/* Two panels at a time: so many chains keep the adders busy, and two streams memory. */
static VECTOR void simd_kept(const struct eng_simd_kept *kept)
{
	if (kept->panels == 2)
		simd_kept_some(kept, 2);
	else
		simd_kept_some(kept, 1);
}

/* What of a struct eng_simd_kernels was compiled here. */
#define SIMD_KERNELS			\
	.tile_rows = TILE_ROWS,		\
	.tile_outputs = TILE_OUTPUTS,	\
	.widen = simd_widen,		\
	.narrow = simd_narrow,		\
	.pack = simd_pack,		\
	.multiply = simd_multiply,	\
	.dot = simd_dot,		\
	.keep = simd_keep,		\
	.kept = simd_kept
