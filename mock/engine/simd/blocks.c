// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Cutting a product into blocks for kernels with vector instructions.
 *
 * Weights are packed to binary32, a block of ENG_SIMD_TERMS by ENG_SIMD_OUTPUTS at
 * a time, into panels that a tile reads from front to back.  They serve up to
 * ENG_SIMD_ROWS rows, in tiles of as equal heights as possible; input is widened
 * right before its tiles.  The sums of all these rows lie in memory between blocks
 * of terms.  While tiles are at work the weights of the next block are fetched.
 *
 * A single row would use each packed number once: its weights go from memory to
 * registers.  Where they may be kept for the next one, they are packed as they are, as
 * binary16, into panels of ENG_SIMD_GROUP outputs that have all terms.
 *
 * What has to be kept between steps lies in the work area and in the cursor.
 * Values never decide where anything is read or stored.
 */
#include "fpu.h"
#include "simd.h"

/* What a section is made of must be small against SECTION. */
#define ROW_TERMS	4096

/*
 * What is done between eng_fpu_begin() and eng_fpu_end(), or little more: products, and
 * time, as counting cannot know what a cache has.
 */
#define SECTION		(4 << 20)
#define SECTION_NS	200000

/* Packing a number, or having one row's out of memory, takes as long as so many. */
#define PACK_COST	8
#define ROW_COST	4

/*
 * Terms that take as long as what a row of input or of weights costs besides: it is
 * fetched, widened, cleared and narrowed, however short it is.
 */
#define SHORT_TERMS	128

/* Terms that are packed to be kept and then used, while they are in a cache. */
#define KEEP_TERMS	256

#define ALIGN_TO	64

struct area {
	u8 lines[ENG_SIMD_LINES];
	float panels[ENG_SIMD_TERMS * ENG_SIMD_OUTPUTS];
	float in[ENG_SIMD_TERMS * ENG_SIMD_TILE_ROWS];
	float sums[ENG_SIMD_ROWS * ENG_SIMD_OUTPUTS];
};

static_assert(ENG_SIMD_TERMS * ENG_SIMD_TILE_ROWS >= ROW_TERMS, "one row does not fit");

/**
 * eng_simd_work_bytes() - size of the work area
 *
 * Context: any.
 * Return: the bytes that a step needs, at any address.
 */
size_t eng_simd_work_bytes(void)
{
	return sizeof(struct area) + ALIGN_TO - 1;
}

/* A product at work. */
struct job {
	const struct eng_simd_kernels *kernels;
	const struct eng_linear *linear;
	struct eng_linear_cursor *cursor;
	struct area *area;
	u32 outputs;	/* of the block */
	u32 rows;	/* of the block */
	u32 terms;	/* of the block */
};

/*
 * What rows of @terms cost.  Outputs count as many as there are in whole tiles, which are
 * what is computed.
 */
static u64 cost_of(u32 each, u32 rows, u32 terms, u32 outputs, u32 tile_outputs)
{
	return (u64)each * rows * (terms + SHORT_TERMS) *
	       (eng_divide_up(outputs, tile_outputs) * tile_outputs);
}

/* The next part of what is left, such that the last ones are no smaller. */
static u32 part(u32 left, u32 most)
{
	return eng_divide_up(left, eng_divide_up(left, most));
}

static const u8 *weight_at(const struct eng_linear *linear, u64 output, u32 term)
{
	return linear->weight + output * linear->weight_stride + 2 * (u64)term;
}

static void measure(struct job *job)
{
	const struct eng_linear *linear = job->linear;
	const struct eng_linear_cursor *cursor = job->cursor;

	job->outputs = min_t(u64, linear->out_features - cursor->output,
			     ENG_SIMD_OUTPUTS);
	job->rows = part(linear->rows - cursor->row, ENG_SIMD_ROWS);
	job->terms = min_t(u32, linear->in_features - cursor->term, ENG_SIMD_TERMS);
}

static u64 pack(const struct job *job)
{
	const struct eng_simd_kernels *kernels = job->kernels;
	const struct eng_linear_cursor *cursor = job->cursor;
	struct eng_simd_weights weights = {
		.stride = job->linear->weight_stride,
		.terms = job->terms,
		.lines = job->area->lines,
	};
	u32 width = kernels->tile_outputs;
	u32 o;

	for (o = 0; o < job->outputs; o += width) {
		weights.from = weight_at(job->linear, cursor->output + o, cursor->term);
		weights.outputs = min(job->outputs - o, width);
		kernels->pack(job->area->panels + o * ENG_SIMD_TERMS, &weights);
	}
	return cost_of(PACK_COST, 1, job->terms, job->outputs, width);
}

/* The weights of the block after this one, none after the last. */
static void look_ahead(const struct job *job, struct eng_simd_ahead *ahead)
{
	const struct eng_linear *linear = job->linear;
	const struct eng_linear_cursor *cursor = job->cursor;
	u64 output = cursor->output;
	u32 term = cursor->term + job->terms;

	if (term == linear->in_features) {
		term = 0;
		if (cursor->row + job->rows == linear->rows)
			output += job->outputs;
	}
	ahead->stride = linear->weight_stride;
	ahead->rows = min_t(u64, linear->out_features - output, ENG_SIMD_OUTPUTS);
	ahead->from = weight_at(linear, output, term);
}

/* One row of tiles: widen the input, multiply, and narrow what is complete. */
static u64 multiply(const struct job *job)
{
	const struct eng_simd_kernels *kernels = job->kernels;
	const struct eng_linear *linear = job->linear;
	struct eng_linear_cursor *cursor = job->cursor;
	u32 width = kernels->tile_outputs;
	u32 rows = part(job->rows - cursor->tile, kernels->tile_rows);
	u32 tiles = eng_divide_up(job->rows, kernels->tile_rows) *
		    eng_divide_up(job->outputs, width);
	float *sums = job->area->sums + cursor->tile * ENG_SIMD_OUTPUTS;
	u64 row = cursor->row + (u64)cursor->tile;
	struct eng_simd_tile tile = {
		.in = job->area->in,
		.rows = rows,
		.terms = job->terms,
	};
	struct eng_simd_ahead ahead;
	u32 o, r, share;

	for (r = 0; r < rows; r++)
		kernels->widen(job->area->in + r * ENG_SIMD_TERMS,
			       linear->in + (row + r) * linear->in_stride +
			       2 * (u64)cursor->term, job->terms);
	if (!cursor->term)
		memset(sums, 0, rows * ENG_SIMD_OUTPUTS * sizeof(*sums));

	look_ahead(job, &ahead);
	share = eng_divide_up(ahead.rows, tiles);
	ahead.from += cursor->ahead * ahead.stride;
	for (o = 0; o < job->outputs; o += width) {
		tile.sums = sums + o;
		tile.weight = job->area->panels + o * ENG_SIMD_TERMS;
		tile.ahead = ahead;
		tile.ahead.rows = min(share, ahead.rows - cursor->ahead);
		ahead.from += tile.ahead.rows * ahead.stride;
		cursor->ahead += tile.ahead.rows;
		kernels->multiply(&tile);
	}

	if (cursor->term + job->terms == linear->in_features)
		for (r = 0; r < rows; r++)
			kernels->narrow(linear->out + (row + r) * linear->out_stride +
					2 * cursor->output,
					sums + r * ENG_SIMD_OUTPUTS, job->outputs);
	cursor->tile += rows;
	return cost_of(1, rows, job->terms, job->outputs, width);
}

static u64 block_step(struct job *job)
{
	struct eng_linear_cursor *cursor = job->cursor;
	u64 macs = 0;

	measure(job);
	if (!cursor->tile)
		macs += pack(job);
	macs += multiply(job);
	if (cursor->tile < job->rows)
		return macs;

	cursor->tile = 0;
	cursor->ahead = 0;
	cursor->term += job->terms;
	if (cursor->term < job->linear->in_features)
		return macs;
	cursor->term = 0;
	cursor->row += job->rows;
	if (cursor->row < job->linear->rows)
		return macs;
	cursor->row = 0;
	cursor->output += job->outputs;
	return macs;
}

/* Terms of some outputs of the only row. */
static u64 row_step(struct job *job)
{
	const struct eng_simd_kernels *kernels = job->kernels;
	const struct eng_linear *linear = job->linear;
	struct eng_linear_cursor *cursor = job->cursor;
	float *in = job->area->in, *sums = job->area->sums;
	u32 terms = min_t(u32, linear->in_features - cursor->term, ROW_TERMS);
	u32 outputs = min_t(u64, linear->out_features - cursor->output, ENG_SIMD_GROUP);
	struct eng_simd_weights weights = {
		.from = weight_at(linear, cursor->output, cursor->term),
		.stride = linear->weight_stride,
		.outputs = outputs,
		.terms = terms,
		.lines = job->area->lines,
	};

	/* All of a short row stays from group to group. */
	if (!cursor->output || terms < linear->in_features)
		kernels->widen(in, linear->in + 2 * (u64)cursor->term, terms);
	if (!cursor->term)
		memset(sums, 0, ENG_SIMD_GROUP * sizeof(*sums));
	kernels->dot(sums, in, &weights);
	cursor->term += terms;
	if (cursor->term == linear->in_features) {
		kernels->narrow(linear->out + 2 * cursor->output, sums, outputs);
		cursor->term = 0;
		cursor->output += outputs;
	}
	return cost_of(ROW_COST, 1, terms, outputs, ENG_SIMD_GROUP);
}

/**
 * eng_simd_panel_bytes() - size of panels with all weights
 * @in_features: terms of each sum
 * @out_features: outputs
 *
 * Context: any.
 * Return: the bytes, U64_MAX for more than that.
 */
u64 eng_simd_panel_bytes(u32 in_features, u32 out_features)
{
	u64 panel = (u64)in_features * ENG_SIMD_KEPT_TERM;
	u64 bytes;

	if (check_mul_overflow(panel, (u64)eng_divide_up(out_features, ENG_SIMD_GROUP), &bytes))
		return U64_MAX;
	return bytes;
}

/* The panels of these outputs, from the term at work on. */
static u8 *panel_at(const struct job *job)
{
	const struct eng_linear *linear = job->linear;

	return linear->panels + job->cursor->output / ENG_SIMD_GROUP *
	       linear->in_features * ENG_SIMD_KEPT_TERM +
	       (u64)job->cursor->term * ENG_SIMD_KEPT_TERM;
}

static u64 keep(const struct job *job, u8 *to, u64 distance, u32 outputs, u32 terms)
{
	const struct eng_linear *linear = job->linear;
	struct eng_simd_weights weights = {
		.stride = linear->weight_stride,
		.terms = terms,
		.lines = job->area->lines,
	};
	u32 o;

	for (o = 0; o < outputs; o += ENG_SIMD_GROUP, to += distance) {
		weights.from = weight_at(linear, job->cursor->output + o, job->cursor->term);
		weights.outputs = min_t(u32, outputs - o, ENG_SIMD_GROUP);
		job->kernels->keep(to, &weights);
	}
	return cost_of(PACK_COST, 1, terms, outputs, ENG_SIMD_GROUP);
}

/* The same as row_step() where panels are kept, or shall be from now on. */
static u64 kept_step(struct job *job)
{
	const struct eng_simd_kernels *kernels = job->kernels;
	const struct eng_linear *linear = job->linear;
	struct eng_linear_cursor *cursor = job->cursor;
	u32 terms = min_t(u32, linear->in_features - cursor->term,
			  linear->packed ? ROW_TERMS : KEEP_TERMS);
	u32 outputs = min_t(u64, linear->out_features - cursor->output, 2 * ENG_SIMD_GROUP);
	struct eng_simd_kept kept = {
		.sums = job->area->sums,
		.in = job->area->in,
		.from = panel_at(job),
		.distance = (u64)linear->in_features * ENG_SIMD_KEPT_TERM,
		.panels = eng_divide_up(outputs, ENG_SIMD_GROUP),
		.terms = terms,
	};
	u64 macs = cost_of(ROW_COST, 1, terms, outputs, ENG_SIMD_GROUP);

	if (!linear->packed)
		macs += keep(job, panel_at(job), kept.distance, outputs, terms);
	if (!cursor->output || terms < linear->in_features)
		kernels->widen(job->area->in, linear->in + 2 * (u64)cursor->term, terms);
	if (!cursor->term)
		memset(kept.sums, 0, 2 * ENG_SIMD_GROUP * sizeof(*kept.sums));
	kernels->kept(&kept);
	cursor->term += terms;
	if (cursor->term == linear->in_features) {
		kernels->narrow(linear->out + 2 * cursor->output, kept.sums, outputs);
		cursor->term = 0;
		cursor->output += outputs;
	}
	return macs;
}

static u64 any_step(struct job *job)
{
	if (job->linear->rows > 1)
		return block_step(job);
	return job->linear->panels ? kept_step(job) : row_step(job);
}

/**
 * eng_simd_step() - go on with a product
 * @kernels: for instructions that this processor has
 * @linear: the product, the same at each step
 * @cursor: how far it has come, not done yet
 * @work: eng_simd_work_bytes(), left alone between the steps of a product
 * @macs: how many products may be added up; at least some are
 *
 * Context: task; not between eng_fpu_begin() and eng_fpu_end().  Not preempted for
 * as long as SECTION and SECTION_NS say, and a step of one tile or panel.
 * Return: how many products were added up, or what took as long.
 */
u64 eng_simd_step(const struct eng_simd_kernels *kernels,
		  const struct eng_linear *linear,
		  struct eng_linear_cursor *cursor, void *work, u64 macs)
{
	uintptr_t start = ((uintptr_t)work + ALIGN_TO - 1) & ~(uintptr_t)(ALIGN_TO - 1);
	struct job job = {
		.kernels = kernels,
		.linear = linear,
		.cursor = cursor,
		.area = (struct area *)start,
	};
	struct eng_section section;
	u64 done = 0, start_ns, ns;

	macs = min_t(u64, macs, SECTION);
	eng_fpu_begin();
	start_ns = eng_fpu_now_ns();
	do {
		done += any_step(&job);
		ns = eng_fpu_now_ns() - start_ns;
	} while (done < macs && ns < SECTION_NS && !eng_linear_done(linear, cursor));
	section.ns = min_t(u64, ns, U32_MAX);
	section.macs = done;
	eng_fpu_end();
	eng_section_longest(&cursor->section, &section);
	return done;
}
