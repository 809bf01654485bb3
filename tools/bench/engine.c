// SPDX-License-Identifier: GPL-2.0
/*
 * Dense linear of the engine alone, in this process, by each path that the CPU has: what is
 * slow here is slow in the kernel too, and no VM is needed to see it.
 *
 * usage: bench-engine OUT [rounds]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/virtio_accel.h>

#include "linear.h"
#include "measure.h"
#include "peers.h"

#define MOST	10	/* candidates of a shape */
#define STEP	(1 << 20)

struct shape {
	unsigned int rows;
	unsigned int terms;
	unsigned int outputs;
	double peak_goal;	/* share of the CPU's peak */
	double library_goal;	/* times the best library */
};

static const struct shape vector_shapes[] = {
	{ 512, 1024, 1024, 0.88, 1 },
	{ 128, 768, 3072, 0.88, 1 },
	{ 32, 784, 128, 0, 1 },
	{ 16, 1024, 4096, 0, 1 },
	{ 1, 4096, 4096, 0, 1.3 },
	{ 0 },
};

static const struct shape integer_shapes[] = {
	{ 16, 785, 64, 0, 0 },
	{ 128, 768, 256, 0, 0 },
	{ 0 },
};

/* One product, as all candidates get it. */
struct bench {
	const struct shape *shape;
	_Float16 *in;
	_Float16 *weight;
	_Float16 *out;
	struct product wide;
	struct eng_linear linear;
	void *work;
};

static void run_engine(void *arg)
{
	struct bench *bench = arg;
	struct eng_linear_cursor cursor = {};

	while (!eng_linear_done(&bench->linear, &cursor))
		eng_linear_step(&bench->linear, &cursor, bench->work, STEP);
}

/* The same product of one row, whose weights a launch before has packed. */
static struct bench bench_kept(const struct bench *bench)
{
	const struct eng_linear *linear = &bench->linear;
	size_t bytes = eng_linear_panel_bytes(linear->in_features, linear->out_features);
	struct bench kept = *bench;

	kept.out = allocate(2UL * linear->out_features);
	kept.linear.out = (u8 *)kept.out;
	kept.linear.panels = allocate(bytes);
	run_engine(&kept);
	kept.linear.packed = true;
	return kept;
}

/* In order, in f32, rounded once: every bit has to be this. */
static float sum_of(const float *a, const float *b, unsigned int terms)
{
	float sum = 0;
	unsigned int i;

	for (i = 0; i < terms; i++)
		sum += a[i] * b[i];
	return sum;
}

static void run_plain(void *arg)
{
	const struct product *p = &((struct bench *)arg)->wide;
	int r, o;

	for (r = 0; r < p->rows; r++)
		for (o = 0; o < p->outputs; o++)
			p->c[r * p->outputs + o] = sum_of(p->a + r * p->terms,
							  p->b + o * p->terms, p->terms);
}

/* A loop that widens as it goes, with what a CPU without F16C has for that. */
static void run_naive(void *arg)
{
	const struct bench *bench = arg;
	const struct product *p = &bench->wide;
	int r, o, i;

	for (r = 0; r < p->rows; r++)
		for (o = 0; o < p->outputs; o++) {
			const _Float16 *a = bench->in + r * p->terms;
			const _Float16 *b = bench->weight + o * p->terms;
			float sum = 0;

			for (i = 0; i < p->terms; i++)
				sum += (float)a[i] * (float)b[i];
			p->c[r * p->outputs + o] = sum;
		}
}

static _Float16 *random_halves(size_t count, float **wide)
{
	_Float16 *halves = allocate(2 * count);
	size_t i;

	*wide = allocate(4 * count);
	for (i = 0; i < count; i++) {
		halves[i] = (_Float16)((rand() / (float)RAND_MAX) * 2 - 1);
		(*wide)[i] = (float)halves[i];
	}
	return halves;
}

static struct bench bench_new(const struct shape *s)
{
	size_t out = (size_t)s->rows * s->outputs;
	struct bench bench = { .shape = s };
	float *a, *b;

	bench.in = random_halves((size_t)s->rows * s->terms, &a);
	bench.weight = random_halves((size_t)s->outputs * s->terms, &b);
	bench.out = allocate(2 * out);
	bench.wide = (struct product){ s->rows, s->terms, s->outputs, a, b, allocate(4 * out),
				       NULL };
	bench.linear = (struct eng_linear){
		.in = (u8 *)bench.in,
		.in_stride = 2UL * s->terms,
		.weight = (u8 *)bench.weight,
		.weight_stride = 2UL * s->terms,
		.out = (u8 *)bench.out,
		.out_stride = 2UL * s->outputs,
		.rows = s->rows,
		.in_features = s->terms,
		.out_features = s->outputs,
	};
	bench.work = allocate(eng_linear_work_bytes());
	return bench;
}

static void bench_end(struct bench *bench)
{
	free(bench->in);
	free(bench->weight);
	free(bench->out);
	free((void *)bench->wide.a);
	free((void *)bench->wide.b);
	free(bench->wide.c);
	free(bench->work);
}

static void check(struct bench *bench)
{
	size_t i, count = (size_t)bench->wide.rows * bench->wide.outputs;
	_Float16 want;

	run_plain(bench);
	for (i = 0; i < count; i++) {
		want = (_Float16)bench->wide.c[i];
		if (memcmp(&want, &bench->out[i], sizeof(want)))
			die("wrong bits: %dx%dx%d, output %zu", bench->wide.rows,
			    bench->wide.terms, bench->wide.outputs, i);
	}
}

static const struct candidate *best(const struct candidate *all, unsigned int count)
{
	const struct candidate *winner = NULL;
	unsigned int i;

	for (i = 0; i < count; i++)
		if (!winner || bench_rate(&all[i]) > bench_rate(winner))
			winner = &all[i];
	return winner;
}

static unsigned int add_libraries(struct candidate *all, struct product *products,
				  const struct bench *bench, struct library *library, double flop)
{
	unsigned int count = 0;

	for (; library->name; library++) {
		if (!library->function ||
		    (bench->shape->rows > 1 && strstr(library->name, "sgemv")))
			continue;
		products[count] = bench->wide;
		products[count].library = library;
		all[count] = (struct candidate){ .name = library->name, .run = library->compute,
						 .arg = &products[count], .work = flop };
		count++;
	}
	return count;
}

static void measure_vectors(const char *path, const struct shape *s, struct library *library,
			    unsigned int rounds)
{
	double flop = 2.0 * s->rows * s->terms * s->outputs;
	bool avx512 = !strcmp(path, "avx512");
	struct bench bench = bench_new(s), kept;
	struct range range = { bench.weight, 2UL * s->outputs * s->terms };
	bool one_row = s->rows == 1;
	struct product products[MOST];
	struct candidate all[MOST] = {
		{ .name = "engine", .run = run_engine, .arg = &bench, .work = flop },
		{ .name = avx512 ? "FMA loop, AVX-512" : "FMA loop, AVX2",
		  .run = avx512 ? peers_fma_avx512 : peers_fma_avx2,
		  .work = peers_fma_work(avx512) },
		{ .name = "reading", .run = peers_read, .arg = &range, .work = range.bytes },
	};
	unsigned int libraries = add_libraries(all + 3, products, &bench, library, flop);
	struct candidate *packed = &all[3 + libraries];
	char shape[64];

	if (one_row) {
		kept = bench_kept(&bench);
		*packed = (struct candidate){ .name = "engine", .run = run_engine, .arg = &kept,
					      .work = flop };
	}
	bench_take_turns(all, 3 + libraries + one_row, rounds);
	check(&bench);
	if (one_row)
		check(&kept);
	snprintf(shape, sizeof(shape), "%ux%ux%u %s", s->rows, s->terms, s->outputs, path);
	if (!one_row)
		bench_rate_row("engine: share of the CPU's peak", shape, &all[0], &all[1],
			       BENCH_GFLOPS, s->peak_goal);
	if (libraries)
		bench_rate_row("engine: best f32 library", shape, &all[0],
			       best(all + 3, libraries), BENCH_GFLOPS, s->library_goal);
	if (one_row) {
		if (libraries)
			bench_rate_row("engine: best f32 library, weights kept packed", shape,
				       packed, best(all + 3, libraries), BENCH_GFLOPS,
				       s->library_goal);
		all[0].work = range.bytes;
		packed->work = range.bytes;
		bench_rate_row("engine: reading the f16 weights", shape, &all[0], &all[2],
			       BENCH_GBS, 0.65);
		bench_rate_row("engine: reading, weights kept packed", shape, packed, &all[2],
			       BENCH_GBS, 0.9);
		free(kept.linear.panels);
		free(kept.out);
	}
	bench_end(&bench);
}

static void measure_integers(const struct shape *s, unsigned int rounds)
{
	double flop = 2.0 * s->rows * s->terms * s->outputs;
	struct bench bench = bench_new(s);
	struct candidate all[] = {
		{ .name = "engine", .run = run_engine, .arg = &bench, .work = flop },
		{ .name = "loop of f32", .run = run_plain, .arg = &bench, .work = flop },
		{ .name = "loop that widens f16", .run = run_naive, .arg = &bench, .work = flop },
	};
	char shape[64];

	bench_take_turns(all, 3, rounds);
	check(&bench);
	snprintf(shape, sizeof(shape), "%ux%ux%u integer", s->rows, s->terms, s->outputs);
	bench_rate_row("engine: loop of floats", shape, &all[0], &all[1], BENCH_GFLOPS, 0);
	bench_rate_row("engine: loop of floats that widens", shape, &all[0], &all[2],
		       BENCH_GFLOPS, 2);
	bench_end(&bench);
}

int main(int argc, char **argv)
{
	static const char *const vectors[] = { "avx512", "avx2" };
	unsigned int rounds = argc > 2 ? atoi(argv[2]) : BENCH_ROUNDS;
	struct library *libraries = peers_open();
	const struct shape *s;
	size_t i;

	bench_open(argc > 1 ? argv[1] : NULL);
	bench_use_cpu_time();
	for (i = 0; i < ARRAY_SIZE(vectors); i++)
		for (s = vector_shapes; s->rows; s++)
			if (eng_linear_choose(vectors[i]) == VIRTIO_ACCEL_S_OK)
				measure_vectors(vectors[i], s, libraries, rounds);
	eng_linear_choose("integer");
	for (s = integer_shapes; s->rows; s++)
		measure_integers(s, rounds);
	return 0;
}
