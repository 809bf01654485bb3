// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Dense linear bit for bit (R6).
 */
#include "linear.h"
#include "guarded.h"
#include "oracle.h"
#include "paths.h"
#include "test.h"

static u8 *random_matrix(size_t count, u16 (*number)(void))
{
	u8 *m = guarded_alloc(2 * count);
	size_t i;

	for (i = 0; i < count; i++)
		eng_put_le16(m + 2 * i, number());
	return m;
}

static void run_linear(const struct eng_linear *linear, u64 macs)
{
	struct eng_linear_cursor cursor = {};
	void *work = malloc(path_work_bytes());

	memset(work, 0xa5, path_work_bytes());
	while (!eng_linear_done(linear, &cursor))
		path_step(linear, &cursor, work, macs);
	free(work);
}

static void compare_outputs(const u8 *got, const u8 *want, size_t count, u32 terms)
{
	size_t i, differ = 0;

	for (i = 0; i < count; i++) {
		differ += eng_get_le16(got + 2 * i) != eng_get_le16(want + 2 * i);
		CHECK_EQ(eng_get_le16(got + 2 * i), eng_get_le16(want + 2 * i));
	}
	test_outputs(count, terms, differ);
}

/*
 * Where the path packs, the same once more while it does, and then twice by what it
 * packed: weights are not looked at any more.
 */
static void compare_packed(const struct eng_linear *linear, const u8 *want, u64 macs)
{
	u64 bytes = path_panel_bytes(linear->in_features, linear->out_features);
	struct eng_linear packed = *linear;
	int i;

	if (linear->rows > 1 || bytes == U64_MAX)
		return;
	packed.panels = guarded_alloc(bytes);
	memset(packed.panels, 0xa5, bytes);
	for (i = 0; i < 3; i++) {
		memset(packed.out, 0xee, 2 * (size_t)linear->out_features);
		run_linear(&packed, macs);
		compare_outputs(packed.out, want, linear->out_features, linear->in_features);
		packed.packed = true;
		packed.weight = NULL;
	}
	guarded_free(packed.panels, bytes);
}

static void compare(u32 rows, u32 terms, u32 outputs, u16 (*x)(void), u16 (*w)(void),
		    u64 macs)
{
	size_t count = (size_t)rows * outputs;
	u8 *in = random_matrix((size_t)rows * terms, x);
	u8 *weight = random_matrix((size_t)outputs * terms, w);
	u8 *got = guarded_alloc(2 * count), *want = malloc(2 * count);
	struct oracle_matrix mi = { in, 2 * (u64)terms }, mw = { weight, 2 * (u64)terms };
	struct oracle_matrix mo = { want, 2 * (u64)outputs };
	struct eng_linear linear = {
		in, mi.stride, weight, mw.stride, got, mo.stride, rows, terms, outputs,
		NULL, false
	};

	run_linear(&linear, macs);
	oracle_linear(&mi, &mw, &mo, rows, terms, outputs);
	compare_outputs(got, want, count, terms);
	compare_packed(&linear, want, macs);
	free(want);
	guarded_free(got, 2 * count);
	guarded_free(weight, 2 * (size_t)outputs * terms);
	guarded_free(in, 2 * (size_t)rows * terms);
}

static double uniform(void)
{
	return (double)(test_random() >> 11) / (1ULL << 52) - 1;
}

static u16 one(void) { return 0x3c00; }
static u16 unit(void) { return oracle_narrow(uniform()); }
static u16 thousands(void) { return oracle_narrow(uniform() * 4000); }
static u16 integers(void) { return oracle_narrow((int)test_below(17) - 8); }
static u16 subnormals(void) { return test_random() & 0x83ff; }
static u16 bounded(void) { return test_random() & 0xfbff; }
static u16 any(void) { return test_random(); }
static u16 rarely_special(void)
{
	static const u16 special[] = { 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfdff };

	return test_below(3000) ? unit() : special[test_below(ARRAY_SIZE(special))];
}

static u16 zeros(void)
{
	return test_below(4) ? test_random() & 0x8000 : unit();
}

static u16 large_or_small(void)
{
	return test_below(2) ? 0x7bff ^ (test_random() & 0x83ff) : subnormals();
}

static const struct {
	const char *name;
	u16 (*x)(void);
	u16 (*w)(void);
} kinds[] = {
	{ "ones", one, one },
	{ "unit", unit, unit },
	{ "thousands", thousands, thousands },
	{ "integers", integers, integers },
	{ "subnormals", subnormals, subnormals },
	{ "subnormals by ones", subnormals, one },
	{ "finite", bounded, bounded },
	{ "finite by unit", bounded, unit },
	{ "any", any, any },
	{ "any by unit", unit, any },
	{ "rarely special", rarely_special, rarely_special },
	{ "zeros", zeros, zeros },
	{ "zeros by any", zeros, any },
	{ "large or small", large_or_small, large_or_small },
	{ "large or small by unit", large_or_small, unit },
};

TEST_PATHS(linear_random_shapes)
{
	size_t k;
	int i;

	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		for (i = 0; i < 40; i++) {
			u32 rows = 1 + test_below(70), outputs = 1 + test_below(40);
			u32 terms = 1 + test_below(i % 4 ? 40 : 600);
			static const u64 macs[] = { 0, 1, 100, 4000, 1 << 18, U64_MAX };
			u64 step = macs[test_below(ARRAY_SIZE(macs))];

			CASE("%s %ux%ux%u by %llu", kinds[k].name, rows, terms, outputs, step);
			compare(rows, terms, outputs, kinds[k].x, kinds[k].w, step);
		}
	}
}

/* Around every edge of a vector, a tile and a block. */
static const u16 edges[] = {
	1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 14, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129,
	255, 256, 257, 383, 384, 385, 513,
};

static u32 edge(void)
{
	return edges[test_below(ARRAY_SIZE(edges))];
}

TEST_PATHS(linear_edges)
{
	static const u64 macs[] = { 0, 20000, 1 << 20, U64_MAX };
	int count = test_in_full() ? 6000 : 150;
	int i, k;

	for (i = 0; i < count; i++) {
		u32 rows = edge(), terms = edge(), outputs = edge();

		/* Many outputs, but no test for hours. */
		while ((u64)rows * terms * outputs > 2000000)
			rows = 1 + rows / 2;
		k = test_below(ARRAY_SIZE(kinds));
		CASE("%s %ux%ux%u", kinds[k].name, rows, terms, outputs);
		compare(rows, terms, outputs, kinds[k].x, kinds[k].w,
			macs[test_below(ARRAY_SIZE(macs))]);
	}
}

/* The same for one row alone, whose weights can be kept packed. */
TEST_PATHS(linear_one_row)
{
	static const u64 macs[] = { 0, 20000, 1 << 20, U64_MAX };
	int i, k, count = test_in_full() ? 5000 : 400;

	for (i = 0; i < count; i++) {
		u32 terms = edge(), outputs = edge();

		k = i % ARRAY_SIZE(kinds);
		CASE("%s 1x%ux%u", kinds[k].name, terms, outputs);
		compare(1, terms, outputs, kinds[k].x, kinds[k].w,
			macs[test_below(ARRAY_SIZE(macs))]);
	}
}

/* Rows and blocks beyond those that share packed weights. */
TEST_PATHS(linear_many_rows)
{
	u32 i;

	for (i = 0; i < (test_in_full() ? ARRAY_SIZE(kinds) : 3); i++) {
		CASE("%s", kinds[i].name);
		compare(1025, 70, 130, kinds[i].x, kinds[i].w, 1 << 20);
		compare(385, 401, 3, kinds[i].x, kinds[i].w, 1 << 20);
	}
}

/*
 * Rows may be so short that what is done besides takes all of the time: a step ends in time
 * for them too.  In how many steps nobody can do more than so many rows each.
 */
TEST_PATHS(linear_short_rows)
{
	enum { MANY = 30000, STEP_MACS = 1 << 20, MOST_ROWS = STEP_MACS / 512 };
	static const struct { u32 rows, terms, outputs; } shapes[] = {
		{ MANY, 1, 1 }, { MANY, 2, 3 }, { 1, 1, MANY }, { 2, 1, MANY }, { 1, 3, MANY },
	};
	u8 *in = calloc(3 * MANY, 2), *weights = calloc(3 * MANY, 2), *out = calloc(3 * MANY, 2);
	void *work = malloc(path_work_bytes());
	u32 i, steps;

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct eng_linear linear = {
			.in = in, .in_stride = 2 * shapes[i].terms,
			.weight = weights, .weight_stride = 2 * shapes[i].terms,
			.out = out, .out_stride = 2 * shapes[i].outputs,
			.rows = shapes[i].rows, .in_features = shapes[i].terms,
			.out_features = shapes[i].outputs,
		};
		struct eng_linear_cursor cursor = {};

		CASE("%ux%ux%u", shapes[i].rows, shapes[i].terms, shapes[i].outputs);
		for (steps = 0; !eng_linear_done(&linear, &cursor); steps++)
			path_step(&linear, &cursor, work, STEP_MACS);
		CHECK(steps >= MANY / MOST_ROWS);
	}
	free(work);
	free(in);
	free(weights);
	free(out);
}

/* What regrouping a sum changes shows in few outputs: so many are needed. */
TEST_PATHS(linear_many_outputs)
{
	size_t k;

	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		CASE("%s", kinds[k].name);
		compare(100, 300, 100, kinds[k].x, kinds[k].w, 1 << 18);
	}
}

TEST_PATHS(linear_long_sums)
{
	size_t k;

	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		CASE("%s 4096", kinds[k].name);
		compare(test_in_full() ? 35 : 7, 4096, 100, kinds[k].x, kinds[k].w, 1 << 18);
		CASE("%s 4099, one row", kinds[k].name);
		compare(1, 4099, test_in_full() ? 1000 : 67, kinds[k].x, kinds[k].w, 1 << 18);
		CASE("%s 70001", kinds[k].name);
		compare(2, 70001, 3, kinds[k].x, kinds[k].w, 1 << 18);
		CASE("%s 5000, in small steps", kinds[k].name);
		compare(2, 5000, 17, kinds[k].x, kinds[k].w, 16 * 130);
	}
}

/* One output of @terms terms, given as pieces of equal factors. */
struct piece {
	u32 count;
	u16 a, b;
};

static u16 sum_of(const struct piece *pieces, u32 count)
{
	struct eng_linear linear = { .rows = 1, .out_features = 1 };
	u8 out[2];
	u8 *a, *b;
	u32 i, n = 0;

	for (i = 0; i < count; i++)
		n += pieces[i].count;
	a = guarded_alloc(2 * (size_t)n);
	b = guarded_alloc(2 * (size_t)n);
	for (i = 0, n = 0; i < count; i++) {
		u32 j;

		for (j = 0; j < pieces[i].count; j++, n++) {
			eng_put_le16(a + 2 * (size_t)n, pieces[i].a);
			eng_put_le16(b + 2 * (size_t)n, pieces[i].b);
		}
	}
	linear.in = a;
	linear.weight = b;
	linear.out = out;
	linear.in_features = n;
	run_linear(&linear, U64_MAX);
	CHECK_EQ(eng_get_le16(out), oracle_dot(a, b, n));
	guarded_free(b, 2 * (size_t)n);
	guarded_free(a, 2 * (size_t)n);
	return eng_get_le16(out);
}

#define INF	0x7c00
#define NEG	0x8000
#define ONE	0x3c00

TEST_PATHS(linear_vectors)
{
	static const struct {
		const char *name;
		struct piece pieces[3];
		u16 want;
	} vectors[] = {
		{ "2050 ones", { { 2050, ONE, ONE } }, 0x6801 },
		{ "2049 ones", { { 2049, ONE, ONE } }, 0x6800 },
		{ "2051 ones", { { 2051, ONE, ONE } }, 0x6802 },
		{ "cancellation", { { 16, 0x5c00, 0x5c00 }, { 16, 0x5c00, 0xdc00 },
				    { 1, ONE, ONE } }, ONE },
		{ "overflow", { { 1024, 0x5400, 0x5400 } }, INF },
		{ "zero times infinity", { { 1, 0, INF } }, 0x7e00 },
		{ "infinity times zero", { { 1, INF, NEG } }, 0x7e00 },
		{ "a NaN first", { { 1, 0x7c01, ONE }, { 9, ONE, ONE } }, 0x7e00 },
		{ "a NaN last", { { 9, ONE, ONE }, { 1, ONE, 0xffff } }, 0x7e00 },
		{ "a NaN times zero", { { 1, 0xfe00, 0 } }, 0x7e00 },
		{ "infinities of both signs", { { 1, INF, ONE }, { 1, NEG | INF, ONE } },
		  0x7e00 },
		{ "infinity and ones", { { 5, ONE, ONE }, { 1, INF, NEG | ONE },
					 { 300, ONE, ONE } }, NEG | INF },
		{ "minus one times zero", { { 1, NEG | ONE, 0 } }, 0 },
		{ "zero times minus zero", { { 3, 0, NEG } }, 0 },
		{ "one minus one", { { 1, ONE, ONE }, { 1, NEG | ONE, ONE } }, 0 },
		{ "a small negative", { { 1, NEG | 1, 1 } }, NEG },
		{ "a subnormal", { { 1, 1, ONE } }, 1 },
		{ "a sum of subnormals", { { 3, 1, ONE } }, 3 },
		{ "half of the smallest", { { 1, 1, 0x3800 } }, 0 },
		{ "more than half of it", { { 1, 1, 0x3801 } }, 1 },
		{ "the largest", { { 1, 0x7bff, ONE } }, 0x7bff },
		{ "squares of the largest", { { 200, 0x7bff, 0x7bff } }, INF },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		CASE("%s", vectors[i].name);
		CHECK_EQ(sum_of(vectors[i].pieces, 3), vectors[i].want);
	}
}

/* Sums at the limit of what a block may start with, and a bit above. */
TEST_PATHS(linear_at_the_limits)
{
	u32 bits, i;

	for (bits = 0; bits < 31; bits++) {
		u16 a = (15 + bits / 2) << 10, b = (15 + bits - bits / 2) << 10;

		if (bits / 2 + 15 > 30 || bits - bits / 2 + 15 > 30)
			break;
		for (i = 0; i < 4; i++) {
			struct piece pieces[3] = {
				{ 128 * i + 3, a | 0x3ff, b | 0x3ff },
				{ 128, 0x0001, i & 1 ? 0x3ff : ONE },
				{ 131, a, NEG | b },
			};

			CASE("2^%u, %u", bits, i);
			sum_of(pieces, 3);
		}
	}
}
