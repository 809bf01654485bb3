// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Dense linear whose output lies over what it reads (R6): the result is that of
 * inputs that were read before anything was written.
 */
#include "build.h"
#include "oracle.h"
#include "test.h"

/* One arena with three packed matrices in it, anywhere. */
struct alias {
	u32 rows, terms, outputs;
	u64 in, weight, out;	/* bytes from the start */
	u64 bytes;
	u64 budget;
};

static u64 any_place(u64 room)
{
	return 2 * (test_random() % (room / 2 + 1));
}

static void choose(struct alias *a)
{
	static const u16 edges[] = {
		1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65,
	};
	static const u64 budgets[] = { 0, 100, 5000, U64_MAX };
	u64 in, weight, out;

	a->rows = edges[test_below(ARRAY_SIZE(edges))];
	a->terms = edges[test_below(ARRAY_SIZE(edges))];
	a->outputs = edges[test_below(ARRAY_SIZE(edges))];
	a->budget = budgets[test_below(ARRAY_SIZE(budgets))];
	in = 2 * (u64)a->rows * a->terms;
	weight = 2 * (u64)a->outputs * a->terms;
	out = 2 * (u64)a->rows * a->outputs;
	/* From all of them in the place of the largest to hardly any touching. */
	a->bytes = max(max(in, weight), out) + any_place(in + weight + out);
	a->in = any_place(a->bytes - in);
	a->weight = any_place(a->bytes - weight);
	a->out = any_place(a->bytes - out);
}

static struct eng_program *load(const struct alias *a)
{
	struct batch b;

	batch_init(&b);
	batch_slot(&b, 0, RW, VACC_TYPE_UNTYPED, 1, a->bytes, 0);
	batch_launch(&b, (struct matrix){ 0, a->in, 0 }, (struct matrix){ 0, a->weight, 0 },
		     (struct matrix){ 0, a->out, 0 }, a->rows, a->terms, a->outputs, NONE);
	batch_linear(&b, 1);
	return must_load(&b);
}

static void compare(const struct alias *a, const u8 *got, const u8 *want)
{
	size_t count = (size_t)a->rows * a->outputs, i, differ = 0;

	for (i = 0; i < count; i++)
		differ += memcmp(got + a->out + 2 * i, want + a->out + 2 * i, 2) != 0;
	test_outputs(count, a->terms, differ);
	CHECK_EQ(differ, 0);
	CHECK(!memcmp(got, want, a->bytes));
}

static void run(const struct alias *a, bool wild)
{
	u8 *got = malloc(a->bytes), *want = malloc(a->bytes);
	struct eng_range range = range_of(got, 0, a->bytes, 0, RW);
	struct oracle_matrix in = { want + a->in, 2 * (u64)a->terms };
	struct oracle_matrix weight = { want + a->weight, 2 * (u64)a->terms };
	struct oracle_matrix out = { want + a->out, 2 * (u64)a->outputs };
	struct eng_program *program = load(a);
	struct eng_counters c = {};
	size_t i;

	for (i = 0; i < a->bytes; i += 2)
		eng_put_le16(got + i, wild ? test_random() :
			     (test_random() & 0x83ff) | (12 + test_below(5)) << 10);
	memcpy(want, got, a->bytes);
	oracle_linear(&in, &weight, &out, a->rows, a->terms, a->outputs);
	CHECK_EQ(run_ranges(program, &range, 1, a->budget, &c), OK);
	compare(a, got, want);
	eng_program_free(program);
	free(want);
	free(got);
}

TEST_PATHS(linear_aliasing)
{
	int i, count = test_in_full() ? 2000 : 60;
	struct alias a;

	for (i = 0; i < count; i++) {
		choose(&a);
		CASE("%ux%ux%u at %llu, %llu, %llu of %llu by %llu", a.rows, a.terms,
		     a.outputs, a.in, a.weight, a.out, a.bytes, a.budget);
		run(&a, i % 4 == 0);
	}
}
