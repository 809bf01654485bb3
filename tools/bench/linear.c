// SPDX-License-Identifier: GPL-2.0
/*
 * Dense linear on the device, f16 from end to end, against what the CPU could do at most and
 * against libraries that get the same matrices as f32, converted before the clock runs.
 * A program has as many launches as it takes to be worth a submission, whose cost is what
 * bench-submit measures.
 *
 * usage: bench-linear OUT [rounds]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accel.h"
#include "measure.h"
#include "peers.h"

#define MOST		12	/* candidates of a shape */
#define LINES_CHECKED	2	/* rows of the result that are computed again */
#define LAUNCHES	64	/* of a program, at most */
#define ENOUGH		2e9	/* floating-point operations of a program, if those suffice */

struct shape {
	unsigned int rows;
	unsigned int terms;
	unsigned int outputs;
	double peak_goal;	/* share of the CPU's peak */
	double library_goal;	/* times the best library */
	double openblas_goal;	/* times OpenBLAS */
};

static const struct shape shapes[] = {
	{ 1024, 1024, 1024, 0.85, 1, 0 },
	{ 512, 1024, 1024, 0.85, 1, 0 },
	{ 128, 768, 3072, 0.85, 1, 0 },
	{ 32, 784, 128, 0, 1, 1.4 },
	{ 16, 4096, 4096, 0, 1, 2 },
	{ 1, 4096, 4096, 0, 0, 0 },
};

struct matrices {
	_Float16 *in;
	_Float16 *weight;
	_Float16 *out;
	float *in_f32;
	float *weight_f32;
	float *out_f32;
};

static float narrow_random(void)
{
	return (float)(_Float16)((rand() / (double)RAND_MAX) * 2 - 1);
}

static void fill(_Float16 *narrow, float *wide, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		wide[i] = narrow_random();
		narrow[i] = (_Float16)wide[i];
	}
}

static struct matrices matrices_new(const struct shape *s)
{
	size_t in = (size_t)s->rows * s->terms, weight = (size_t)s->outputs * s->terms;
	size_t out = (size_t)s->rows * s->outputs;
	struct matrices m = {
		allocate(2 * in), allocate(2 * weight), allocate(2 * out),
		allocate(4 * in), allocate(4 * weight), allocate(4 * out),
	};

	fill(m.in, m.in_f32, in);
	fill(m.weight, m.weight_f32, weight);
	return m;
}

static void matrices_free(struct matrices *m)
{
	free(m->in);
	free(m->weight);
	free(m->out);
	free(m->in_f32);
	free(m->weight_f32);
	free(m->out_f32);
}

/* In order, in f32, rounded once: every bit has to be this. */
static void check(const struct shape *s, const struct matrices *m)
{
	unsigned int lines = s->rows < LINES_CHECKED ? s->rows : LINES_CHECKED;
	unsigned int r, o, i;
	const float *row, *weight;
	_Float16 want;
	float sum;

	for (r = 0; r < lines; r++)
		for (o = 0; o < s->outputs; o++) {
			row = m->in_f32 + r * s->terms;
			weight = m->weight_f32 + o * s->terms;
			sum = 0;
			for (i = 0; i < s->terms; i++)
				sum += row[i] * weight[i];
			want = (_Float16)sum;
			if (memcmp(&want, &m->out[r * s->outputs + o], sizeof(want)))
				die("wrong bits: %ux%ux%u at %u, %u", s->rows, s->terms,
				    s->outputs, r, o);
		}
}

struct linear {
	struct job job;
	struct vacc_buffer in;
	struct vacc_buffer weight;
	struct vacc_buffer out;
};

static double flop_of(const struct shape *s)
{
	return 2.0 * s->rows * s->terms * s->outputs;
}

static unsigned int launches_of(const struct shape *s)
{
	double count = ENOUGH / flop_of(s);

	return count > LAUNCHES ? LAUNCHES : count < 1 ? 1 : count;
}

/* The weights are never mapped for writing, so that the device keeps them packed. */
static void linear_new(struct linear *linear, struct accel *accel, const struct shape *s,
		       const struct matrices *m)
{
	unsigned int launches = launches_of(s), i;
	struct vacc_dense dense[LAUNCHES];
	size_t in = 2UL * s->rows * s->terms, weight = 2UL * s->outputs * s->terms;
	struct vacc_batch *batch = vacc_batch_new();
	unsigned int slot;

	accel_buffer(accel, in, false, &linear->in);
	accel_buffer(accel, weight, false, &linear->weight);
	accel_buffer(accel, 2UL * s->rows * s->outputs, false, &linear->out);
	accel_need(accel, vacc_buffer_write(&linear->in, 0, m->in, in), "write");
	accel_need(accel, vacc_buffer_write(&linear->weight, 0, m->weight, weight), "write");
	for (slot = 0; slot < 3; slot++)
		vacc_batch_slot(batch, slot, 0, VACC_TYPE_F16, 0, 0);
	for (i = 0; i < launches; i++)
		dense[i] = vacc_dense(0, 1, 2, s->rows, s->terms, s->outputs);
	vacc_batch_dense_linear(batch, dense, launches);
	accel_batch_job(&linear->job, accel, batch);
	accel_bind(&linear->job, &linear->in, 0, VIRTIO_ACCEL_ACCESS_READ);
	accel_bind(&linear->job, &linear->weight, 1, VIRTIO_ACCEL_ACCESS_READ);
	accel_bind(&linear->job, &linear->out, 2, VIRTIO_ACCEL_ACCESS_WRITE);
}

static void linear_end(struct linear *linear)
{
	accel_job_end(&linear->job);
	accel_need(linear->job.accel, vacc_buffer_destroy(&linear->in), "destroy");
	accel_need(linear->job.accel, vacc_buffer_destroy(&linear->weight), "destroy");
	accel_need(linear->job.accel, vacc_buffer_destroy(&linear->out), "destroy");
}

static const struct candidate *best(const struct candidate *all, unsigned int from,
				    unsigned int to)
{
	const struct candidate *winner = NULL;
	unsigned int i;

	for (i = from; i < to; i++)
		if (!winner || bench_rate(&all[i]) > bench_rate(winner))
			winner = &all[i];
	return winner;
}

static void rows_of(const struct shape *s, const char *shape, const struct candidate *all,
		    unsigned int count, bool one_row)
{
	const struct candidate *winner = best(all, 2, count);
	unsigned int i;

	if (all[1].work && !one_row)
		bench_rate_row("linear: share of the CPU's peak", shape, &all[0], &all[1],
			       BENCH_GFLOPS, s->peak_goal);
	if (winner)
		bench_rate_row(one_row ? "linear: best f32 library of vectors" :
			       "linear: best f32 library", shape, &all[0], winner, BENCH_GFLOPS,
			       one_row ? 1.3 : s->library_goal);
	for (i = 2; i < count; i++)
		bench_rate_row("linear: f32 library", shape, &all[0], &all[i], BENCH_GFLOPS,
			       strcmp(all[i].name, "OpenBLAS sgemm") ? 0 : s->openblas_goal);
}

/* Of one row the weights' bytes count, which the device has packed in the first rounds. */
static void row_of_reading(const char *shape, const struct candidate *ours,
			   const struct candidate *reading, double bytes)
{
	struct candidate moved = *ours;

	moved.work = bytes;
	bench_rate_row("linear: reading the f16 weights", shape, &moved, reading, BENCH_GBS,
		       0.9);
}

static void measure_shape(struct accel *accel, const struct shape *s, struct library *library,
			  unsigned int rounds)
{
	unsigned int launches = launches_of(s);
	double flop = flop_of(s);
	bool avx512 = accel->info.engine_path == VACC_ENGINE_AVX512;
	struct product products[MOST];
	struct candidate all[MOST] = {
		{ .name = "device", .run = accel_run, .work = launches * flop },
		{ .name = avx512 ? "FMA loop, AVX-512" : "FMA loop, AVX2",
		  .run = avx512 ? peers_fma_avx512 : peers_fma_avx2,
		  .work = peers_fma_work(avx512) },
	};
	struct matrices m = matrices_new(s);
	bool one_row = s->rows == 1;
	unsigned int count = 2;
	struct linear linear;
	struct range range = { m.weight, 2UL * s->outputs * s->terms };
	char shape[64];

	linear_new(&linear, accel, s, &m);
	all[0].arg = &linear.job;
	for (; library->name; library++) {
		if (!library->function || (!one_row && strstr(library->name, "sgemv")))
			continue;
		products[count] = (struct product){ s->rows, s->terms, s->outputs, m.in_f32,
						    m.weight_f32, m.out_f32, library };
		all[count] = (struct candidate){ .name = library->name, .run = library->compute,
						 .arg = &products[count], .work = flop };
		count++;
	}
	if (one_row)
		all[count] = (struct candidate){ .name = "reading", .run = peers_read,
						 .arg = &range, .work = range.bytes };
	bench_take_turns(all, count + one_row, rounds);
	accel_need(accel, vacc_buffer_read(&linear.out, 0, m.out, 2UL * s->rows * s->outputs),
		   "read");
	check(s, &m);
	snprintf(shape, sizeof(shape), "%ux%ux%u %s", s->rows, s->terms, s->outputs,
		 accel_engine(accel));
	rows_of(s, shape, all, count, one_row);
	if (one_row)
		row_of_reading(shape, &all[0], &all[count], launches * range.bytes);
	linear_end(&linear);
	matrices_free(&m);
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 2 ? atoi(argv[2]) : BENCH_ROUNDS;
	struct library *libraries = peers_open();
	struct accel accel;
	size_t i;

	bench_open(argc > 1 ? argv[1] : NULL);
	accel_open(&accel);
	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		measure_shape(&accel, &shapes[i], libraries, rounds);
	accel_close(&accel);
	return 0;
}
