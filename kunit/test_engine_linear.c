// SPDX-License-Identifier: GPL-2.0
/*
 * Dense linear: sums whose bits are known, in steps of any length.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vacc.h>
#include <linux/virtio_accel.h>

#include "../mock/engine/integer.h"
#include "../mock/engine/program.h"

/* A row of up to three runs of terms, each of the same input and weight. */
struct linear_run {
	u32 terms;
	u16 in;
	u16 weight;
};

struct linear_sum {
	const char *name;
	struct linear_run runs[3];
	u16 want;
};

static const struct linear_sum linear_sums[] = {
	{ "1*1", { { 1, 0x3c00, 0x3c00 } }, 0x3c00 },
	/* An f16 accumulator would stick at 2048. */
	{ "2049 ones", { { 2049, 0x3c00, 0x3c00 } }, 0x6800 },
	{ "2050 ones", { { 2050, 0x3c00, 0x3c00 } }, 0x6801 },
	{ "2051 ones", { { 2051, 0x3c00, 0x3c00 } }, 0x6802 },
	{ "cancellation", { { 16, 0x5c00, 0x5c00 }, { 16, 0x5c00, 0xdc00 },
	  { 1, 0x3c00, 0x3c00 } }, 0x3c00 },
	{ "overflow", { { 1024, 0x5400, 0x5400 } }, 0x7c00 },
	{ "0*inf", { { 1, 0x0000, 0x7c00 } }, 0x7e00 },
	{ "inf*0", { { 1, 0x7c00, 0x0000 } }, 0x7e00 },
	{ "nan among ones", { { 5, 0x3c00, 0x3c00 }, { 1, 0x7d01, 0x3c00 },
	  { 5, 0x3c00, 0x3c00 } }, 0x7e00 },
	{ "nan*0", { { 1, 0xfe00, 0x0000 } }, 0x7e00 },
	{ "inf - inf", { { 1, 0x7c00, 0x3c00 }, { 1, 0xfc00, 0x3c00 } }, 0x7e00 },
	{ "inf", { { 1, 0x7c00, 0x3c00 }, { 7, 0xc000, 0x3c00 } }, 0x7c00 },
	{ "-1*0 alone", { { 1, 0xbc00, 0x0000 } }, 0x0000 },
	{ "subnormal", { { 1, 0x0001, 0x3c00 } }, 0x0001 },
	{ "1000 subnormals", { { 1000, 0x0001, 0x3c00 } }, 0x03e8 },
	/* One after the other: 2^24 + 1 is 2^24 in f32, three times. */
	{ "order", { { 1, 0x6c00, 0x6c00 }, { 3, 0x3c00, 0x3c00 },
	  { 1, 0x6c00, 0xec00 } }, 0x0000 },
};

KUNIT_ARRAY_PARAM_DESC(linear_sum, linear_sums, name);

/* How many products a step may add: less than one, one group, nearly all, all. */
static const u64 linear_budgets[] = { 0, 16, 17, 48, 1000, 1 << 20 };

#define LINEAR_ROWS	3
#define LINEAR_OUTPUTS	(ENG_INTEGER_OUTPUTS + 3)
#define LINEAR_GUARD	6

static void linear_fill_row(u8 *row, const struct linear_sum *sum, bool weight)
{
	int i;
	u32 k;

	for (i = 0; i < ARRAY_SIZE(sum->runs); i++)
		for (k = 0; k < sum->runs[i].terms; k++, row += 2)
			eng_put_le16(row, weight ? sum->runs[i].weight :
						   sum->runs[i].in);
}

static u32 linear_terms(const struct linear_sum *sum)
{
	return sum->runs[0].terms + sum->runs[1].terms + sum->runs[2].terms;
}

/* Runs one product with strides and guard bytes, from unaligned memory. */
static void linear_with_budget(struct kunit *test, const struct linear_sum *sum,
			       u64 budget, u8 *memory, void *work)
{
	u32 terms = linear_terms(sum);
	u64 stride = terms * 2 + LINEAR_GUARD;
	u64 out_stride = LINEAR_OUTPUTS * 2 + LINEAR_GUARD;
	struct eng_linear_cursor cursor = {};
	struct eng_linear linear = {
		.in = memory + 1,
		.in_stride = stride,
		.weight = memory + 1 + LINEAR_ROWS * stride,
		.weight_stride = stride,
		.out = memory + 1 + (LINEAR_ROWS + LINEAR_OUTPUTS) * stride,
		.out_stride = out_stride,
		.rows = LINEAR_ROWS,
		.in_features = terms,
		.out_features = LINEAR_OUTPUTS,
	};
	u64 macs = 0;
	u32 r, o;

	memset(linear.out, 0xee, LINEAR_ROWS * out_stride);
	for (r = 0; r < LINEAR_ROWS; r++)
		linear_fill_row(memory + 1 + r * stride, sum, false);
	for (o = 0; o < LINEAR_OUTPUTS; o++)
		linear_fill_row(memory + 1 + (LINEAR_ROWS + o) * stride, sum, true);
	while (!eng_linear_done(&linear, &cursor))
		macs += eng_linear_step(&linear, &cursor, work, budget);
	KUNIT_EXPECT_GE(test, macs, (u64)LINEAR_ROWS * LINEAR_OUTPUTS * terms);
	for (r = 0; r < LINEAR_ROWS; r++) {
		for (o = 0; o < LINEAR_OUTPUTS; o++)
			KUNIT_EXPECT_EQ(test,
					eng_get_le16(linear.out + r * out_stride +
						     2 * o), sum->want);
		KUNIT_EXPECT_NULL(test, memchr_inv(linear.out + r * out_stride +
						   LINEAR_OUTPUTS * 2, 0xee,
						   LINEAR_GUARD));
	}
}

/* Those that this processor has; the others are what they were before. */
static const char *const linear_paths[] = { "avx512", "avx2", "integer" };

static void linear_by_path(struct kunit *test, const char *path)
{
	const struct linear_sum *sum = test->param_value;
	u64 bytes = (LINEAR_ROWS + LINEAR_OUTPUTS) *
		    (linear_terms(sum) * 2 + LINEAR_GUARD) +
		    LINEAR_ROWS * (LINEAR_OUTPUTS * 2 + LINEAR_GUARD) + 1;
	u8 *memory = kunit_kzalloc(test, bytes, GFP_KERNEL);
	void *work = kunit_kzalloc(test, eng_linear_work_bytes(), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL_MSG(test, memory, "%s", path);
	KUNIT_ASSERT_NOT_NULL_MSG(test, work, "%s", path);
	for (i = 0; i < ARRAY_SIZE(linear_budgets); i++) {
		/* What a work area holds does not matter. */
		memset(work, 0xa5, eng_linear_work_bytes());
		linear_with_budget(test, sum, linear_budgets[i], memory, work);
	}
}

static void linear_known_sums(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(linear_paths); i++)
		if (eng_linear_choose(linear_paths[i]) == VIRTIO_ACCEL_S_OK)
			linear_by_path(test, linear_paths[i]);
}

/* Names, and what is refused changes nothing. */
static void linear_choice(struct kunit *test)
{
	u32 path;

	KUNIT_EXPECT_EQ(test, eng_linear_choose("auto"),
			(u16)VIRTIO_ACCEL_S_OK);
	path = eng_linear_path();
	KUNIT_EXPECT_EQ(test, eng_linear_choose("AVX2"),
			(u16)VIRTIO_ACCEL_S_INVALID_ARGUMENT);
	KUNIT_EXPECT_EQ(test, eng_linear_choose(""),
			(u16)VIRTIO_ACCEL_S_INVALID_ARGUMENT);
	KUNIT_EXPECT_EQ(test, eng_linear_path(), path);
	KUNIT_EXPECT_EQ(test, eng_linear_choose("integer"),
			(u16)VIRTIO_ACCEL_S_OK);
	KUNIT_EXPECT_EQ(test, eng_linear_path(), (u32)VACC_ENGINE_INTEGER);
	KUNIT_EXPECT_LE(test, eng_linear_path(), path);
}

/* Which row meets which weight: small integers, [r][i] = r+i, [o][i] = o*i+1. */
static void linear_layout(struct kunit *test)
{
	u16 in[2][3], weight[2][3], out[2][2];
	void *work = kunit_kzalloc(test, eng_linear_work_bytes(), GFP_KERNEL);
	/* 0 to 14. */
	static const u16 number[] = { 0x0000, 0x3c00, 0x4000, 0x4200, 0x4400,
				      0x4500, 0x4600, 0x4700, 0x4800, 0x4880,
				      0x4900, 0x4980, 0x4a00, 0x4a80, 0x4b00 };
	struct eng_linear_cursor cursor = {};
	struct eng_linear linear = {
		.in = (u8 *)in, .in_stride = sizeof(in[0]),
		.weight = (u8 *)weight, .weight_stride = sizeof(weight[0]),
		.out = (u8 *)out, .out_stride = sizeof(out[0]),
		.rows = 2, .in_features = 3, .out_features = 2,
	};
	int r, o, i;

	KUNIT_ASSERT_NOT_NULL(test, work);
	for (r = 0; r < 2; r++)
		for (i = 0; i < 3; i++) {
			eng_put_le16(&in[r][i], number[r + i]);
			eng_put_le16(&weight[r][i], number[r * i + 1]);
		}
	while (!eng_linear_done(&linear, &cursor))
		eng_linear_step(&linear, &cursor, work, 1 << 20);
	for (r = 0; r < 2; r++)
		for (o = 0; o < 2; o++) {
			int want = 0;

			for (i = 0; i < 3; i++)
				want += (r + i) * (o * i + 1);
			KUNIT_EXPECT_EQ(test, eng_get_le16(&out[r][o]),
					number[want]);
		}
}

static struct kunit_case linear_cases[] = {
	KUNIT_CASE_PARAM(linear_known_sums, linear_sum_gen_params),
	KUNIT_CASE(linear_layout),
	KUNIT_CASE(linear_choice),
	{}
};

static struct kunit_suite linear_suite = {
	.name = "virtio_accel_engine_linear",
	.test_cases = linear_cases,
};

kunit_test_suite(linear_suite);
