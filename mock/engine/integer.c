// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Dense linear with integer instructions only, bit for bit what a loop of
 * binary32 additions gives.
 *
 * A sum is a binary32 number that is rounded after each term, so terms cannot be
 * reordered, and the rounding has to happen.  What makes it quick: products are
 * integers in units of 2^-48, and where sums stay below 2^13 or so, exact sums fit
 * 64 bits.  Rounding one to binary32 is then rounding an integer to 24 significant
 * bits, some ten instructions without a branch (eng_round24(), which wants even
 * numbers: hence units of 2^-49).  Sums of several outputs are interleaved, for
 * each waits for itself only.  Where the processor counts leading zeros, a sum takes
 * ten instructions in all (lzcnt.c).
 *
 * Terms come in blocks.  For each block of a row it is proven that no sum can
 * leave 63 bits; larger units are tried where one could.  A block for which that
 * fails, or with an infinity or a NaN, is added up term by term (in f16.c), some
 * ten times slower.  Between blocks a sum is binary32.
 *
 * Memory of users is read once per use, and nothing that is read from it decides
 * where anything is stored: whoever changes it meanwhile gets wrong sums only.
 */
#include "f16.h"
#include "integer.h"
#include "lzcnt.h"

#define BLOCK	128	/* terms */
#define LANES	ENG_INTEGER_LANES
#define GROUPS	(ENG_INTEGER_OUTPUTS / LANES)
#define ROWS	64	/* rows that share a decoded block of weights, at most */

/* Of products and sums in a block, unless scaled. */
#define UNIT	(2 * ENG_F16_UNIT - 1)

/* The bits that a block's sums may start with, and that it may add to them. */
#define ROOM	61

struct work {
	u64 weights[GROUPS][BLOCK][LANES];
	u64 row[BLOCK];
	u32 sums[ROWS][ENG_INTEGER_OUTPUTS];
};

/* What is known of some decoded numbers. */
struct magnitudes {
	u64 total;	/* of magnitudes */
	u64 largest;	/* magnitude, or more */
	u64 ones;	/* all bits that any magnitude has */
	u32 top;	/* the largest binary16, without signs */
};

/* The outputs at work. */
struct group {
	const u8 *weight;	/* of the first output, at the first term of the block */
	u64 weight_stride;
	u32 outputs;
	u32 terms;
	struct magnitudes weights;
};

static bool is_special(const struct magnitudes *m)
{
	return eng_f16_is_special(m->top);
}

static __always_inline u64 decode(const u8 *from, struct magnitudes *m)
{
	u16 half = eng_get_le16(from);
	u64 magnitude = eng_f16_magnitude(half);
	u64 sign = -(u64)(half >> 15);

	m->top = max_t(u32, m->top, half & 0x7fff);
	m->total += magnitude;
	m->ones |= magnitude;
	return (magnitude ^ sign) - sign;
}

/* Decode a block of a row, in units of 2^-24. */
static void decode_row(struct work *work, const u8 *in, u32 terms,
		       struct magnitudes *m)
{
	struct magnitudes r = {};
	u32 i;

	for (i = 0; i < terms; i++)
		work->row[i] = decode(in + 2 * (u64)i, &r);
	*m = r;
}

/* Decode a block of the weights of all outputs at work, in units of 2^-25. */
static void decode_weights(struct work *work, struct group *group)
{
	u32 lanes = (group->outputs + LANES - 1) / LANES * LANES;
	struct magnitudes r = {};
	u32 i, o;

	for (o = 0; o < lanes; o++) {
		const u8 *from = group->weight + o * group->weight_stride;
		u64 *to = &work->weights[o / LANES][0][o % LANES];

		if (o >= group->outputs) {
			for (i = 0; i < group->terms; i++)
				to[LANES * i] = 0;
			continue;
		}
		for (i = 0; i < group->terms; i++)
			to[LANES * i] = 2 * decode(from + 2 * (u64)i, &r);
	}
	/* The bits of all together are as long as the longest. */
	r.largest = 2 * r.ones;
	group->weights = r;
}

/*
 * Add a block's products to a group of sums.
 *
 * No sum leaves 63 bits: the caller has made sure that the sums to begin with and
 * the magnitudes of all products together are below 2^ROOM each.  A rounding
 * enlarges a sum by 2^-24 of it at most, all roundings of a block by 2^-16, so that
 * every sum stays below (2^61 + 2^61) * (1 + 2^-16), which is what eng_round24()
 * bears.  Unsigned arithmetic, because numbers of racing users may break this.
 */
static void add_products(u64 *sums, const u64 *row, const u64 *weights, u32 terms)
{
	u32 half, i;

	/* Four fit the registers. */
	for (half = 0; half < LANES; half += 4, sums += 4) {
		u64 a = sums[0], b = sums[1], c = sums[2], d = sums[3];
		const u64 *w = weights + half;

		for (i = 0; i < terms; i++, w += LANES) {
			u64 x = row[i];

			a = eng_round24(a + x * w[0]);
			b = eng_round24(b + x * w[1]);
			c = eng_round24(c + x * w[2]);
			d = eng_round24(d + x * w[3]);
		}
		sums[0] = a;
		sums[1] = b;
		sums[2] = c;
		sums[3] = d;
	}
}

/* Set before there is a device. */
static void (*add_products_by)(u64 *sums, const u64 *row, const u64 *weights,
			       u32 terms) = add_products;

/**
 * eng_integer_choose() - choose between two sets of integer instructions
 * @lzcnt: whether to count leading zeros; only where the processor has that
 *
 * Context: any, while there is no device.
 */
void eng_integer_choose(bool lzcnt)
{
	add_products_by = add_products;
#ifdef __x86_64__
	if (lzcnt) {
		eng_lzcnt_prepare();
		add_products_by = eng_lzcnt_add_products;
	}
#endif
}

/* By how many bits units must be larger for a block to fit. */
static int scale_for(const u32 *sums, const struct magnitudes *row,
		     const struct magnitudes *weights)
{
	int need = fls64(row->total) + fls64(weights->largest) - ROOM;
	u32 i, largest = 0;

	for (i = 0; i < ENG_INTEGER_OUTPUTS; i++)
		largest = max(largest, sums[i] & ~ENG_F32_SIGN);
	/* 2^(exponent - 127) <= sum < twice that, in units of 2^UNIT. */
	need = max(need, (int)(largest >> 23) - 127 + 1 - UNIT - ROOM);
	return max(need, 0);
}

/* Add the block of a row that is in @work to @sums, or say that one cannot. */
static bool add_block(struct work *work, u32 *sums, const struct group *group,
		      const struct magnitudes *row)
{
	u64 fixed[ENG_INTEGER_OUTPUTS];
	s64 value;
	int scale;
	u32 i;

	if (is_special(row) || is_special(&group->weights))
		return false;
	/* Only zeros: no sum changes, not even an infinite one. */
	if (!row->total)
		return true;
	scale = scale_for(sums, row, &group->weights);
	if (scale > __ffs64(row->ones))
		return false;
	for (i = 0; i < ENG_INTEGER_OUTPUTS; i++) {
		if (!eng_f32_to_fixed(sums[i], UNIT + scale, &value))
			return false;
		fixed[i] = value;
	}
	for (i = 0; scale && i < group->terms; i++)
		work->row[i] = (s64)work->row[i] >> scale;
	for (i = 0; i * LANES < group->outputs; i++)
		add_products_by(fixed + i * LANES, work->row, work->weights[i][0],
				group->terms);
	for (i = 0; i < group->outputs; i++)
		sums[i] = eng_f32_from_fixed(fixed[i], UNIT + scale);
	return true;
}

/* Add a block of a row to @sums term by term, whatever the numbers are. */
static void add_slowly(u32 *sums, const struct group *group, const u8 *in)
{
	u32 i, o;

	for (o = 0; o < group->outputs; o++) {
		const u8 *weight = group->weight + o * group->weight_stride;
		u32 sum = sums[o];

		for (i = 0; i < group->terms; i++)
			sum = eng_f32_add_product(sum, eng_get_le16(in + 2 * (u64)i),
						  eng_get_le16(weight + 2 * (u64)i));
		sums[o] = sum;
	}
}

/* Add @terms terms from @first on to the sums of @rows rows from @row on. */
static void add_terms(const struct eng_linear *linear, struct work *work,
		      u64 output, u32 row, u32 rows, u32 first, u32 terms)
{
	const u8 *weight = linear->weight + output * linear->weight_stride;
	struct group group = {
		.weight_stride = linear->weight_stride,
		.outputs = min_t(u64, linear->out_features - output,
				 ENG_INTEGER_OUTPUTS),
	};
	struct magnitudes found;
	u32 done, r;

	for (done = 0; done < terms; done += group.terms) {
		u64 byte = 2 * ((u64)first + done);

		group.terms = min_t(u32, terms - done, BLOCK);
		group.weight = weight + byte;
		decode_weights(work, &group);
		for (r = 0; r < rows; r++) {
			const u8 *in = linear->in + byte +
				       (row + (u64)r) * linear->in_stride;

			decode_row(work, in, group.terms, &found);
			if (!add_block(work, work->sums[r], &group, &found))
				add_slowly(work->sums[r], &group, in);
		}
	}
}

static void store_rows(const struct eng_linear *linear, const struct work *work,
		       u64 output, u32 row, u32 rows)
{
	u32 outputs = min_t(u64, linear->out_features - output, ENG_INTEGER_OUTPUTS);
	u32 r, o;

	for (r = 0; r < rows; r++) {
		u8 *to = linear->out + (row + (u64)r) * linear->out_stride + 2 * output;

		for (o = 0; o < outputs; o++)
			eng_put_le16(to + 2 * o, eng_f32_to_f16(work->sums[r][o]));
	}
}

/**
 * eng_integer_work_bytes() - size of the work area
 *
 * Context: any.
 * Return: the bytes that a step needs, aligned to 8.
 */
size_t eng_integer_work_bytes(void)
{
	return sizeof(struct work);
}

/**
 * eng_integer_step() - go on with a product
 * @linear: the product, the same at each step
 * @cursor: how far it has come, not done yet
 * @work: eng_integer_work_bytes(), left alone between the steps of a product
 * @macs: how many products may be added up; at least a few are
 *
 * Context: any; takes time, touches nothing but its arguments.
 * Return: how many products were added up, those counted too that fill up a group
 * of outputs.
 */
u64 eng_integer_step(const struct eng_linear *linear,
		     struct eng_linear_cursor *cursor, void *work, u64 macs)
{
	u64 columns = max_t(u64, macs / ENG_INTEGER_OUTPUTS, 1);
	u32 left = linear->in_features - cursor->term;
	u32 rows = 1, terms = min_t(u64, columns, left);
	struct work *w = work;

	/* As many rows as there is time for, or a part of one. */
	if (!cursor->term && columns > left)
		rows = min_t(u64, eng_div64(columns, left),
			     min_t(u32, linear->rows - cursor->row, ROWS));
	/* The sums of a part of a row are where the last step left them. */
	if (!cursor->term)
		memset(w->sums, 0, rows * sizeof(w->sums[0]));

	add_terms(linear, w, cursor->output, cursor->row, rows, cursor->term, terms);

	if (terms < left) {
		cursor->term += terms;
	} else {
		store_rows(linear, w, cursor->output, cursor->row, rows);
		cursor->term = 0;
		cursor->row += rows;
		if (cursor->row == linear->rows) {
			cursor->row = 0;
			cursor->output += ENG_INTEGER_OUTPUTS;
		}
	}
	return (u64)rows * terms * ENG_INTEGER_OUTPUTS;
}
