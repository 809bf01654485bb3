// SPDX-License-Identifier: GPL-2.0
/*
 * Half precision as bit patterns.
 */
#include <kunit/test.h>

#include "../mock/engine/f16.h"

struct f16_narrow {
	u32 single;
	u16 half;
};

/* Nearest even: edges of overflow, ties, subnormals, signs. */
static const struct f16_narrow f16_narrows[] = {
	{ 0x477fe000, 0x7bff }, { 0x477fefff, 0x7bff }, { 0x477ff000, 0x7c00 },
	{ 0x47c35000, 0x7c00 }, { 0x3f801000, 0x3c00 }, { 0x3f803000, 0x3c02 },
	{ 0x3effff37, 0x3800 }, { 0x387fe000, 0x0400 }, { 0x38000000, 0x0200 },
	{ 0x33800000, 0x0001 }, { 0x33000001, 0x0001 }, { 0x33000000, 0x0000 },
	{ 0xb3000000, 0x8000 }, { 0xb3000001, 0x8001 }, { 0xc77ff000, 0xfc00 },
	{ 0x00000000, 0x0000 }, { 0x80000000, 0x8000 }, { 0x00000001, 0x0000 },
	{ 0x7f800000, 0x7c00 }, { 0xff800000, 0xfc00 }, { 0x3f800000, 0x3c00 },
	{ 0x387fffff, 0x0400 }, { 0x7f7fffff, 0x7c00 },
};

static void f16_narrow_desc(const struct f16_narrow *narrow, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%08x", narrow->single);
}

KUNIT_ARRAY_PARAM(f16_narrow, f16_narrows, f16_narrow_desc);

static void f16_from_f32(struct kunit *test)
{
	const struct f16_narrow *narrow = test->param_value;

	KUNIT_EXPECT_EQ(test, eng_f32_to_f16(narrow->single), narrow->half);
}

/* A NaN stays one, whatever its payload, and is never an infinity. */
static void f16_nan(struct kunit *test)
{
	static const u32 nans[] = { 0x7f800001, 0x7fc00000, 0xff800001, 0x7fffffff,
				    0xffffffff, 0x7fa00000 };
	int i;

	for (i = 0; i < ARRAY_SIZE(nans); i++) {
		u16 half = eng_f32_to_f16(nans[i]);

		KUNIT_EXPECT_EQ(test, half & 0x7c00, 0x7c00);
		KUNIT_EXPECT_NE(test, half & 0x03ff, 0);
	}
}

/* Wide enough for all 65536: there and back is the same. */
static void f16_round_trip(struct kunit *test)
{
	u32 half;

	for (half = 0; half <= 0xffff; half++) {
		u32 single = eng_f16_to_f32(half);
		bool nan = (half & 0x7c00) == 0x7c00 && (half & 0x3ff);

		if (nan ? (single & 0x7fffffff) <= 0x7f800000 :
			  eng_f32_to_f16(single) != half)
			KUNIT_FAIL(test, "%04x became %08x", half, single);
	}
}

/* Exact values, computed another way. */
static void f16_to_f32_exact(struct kunit *test)
{
	u32 half;

	for (half = 0; half < 0x7c00; half++) {
		u32 exponent = half >> 10;
		u64 units = exponent ? (u64)(0x400 | (half & 0x3ff)) << (exponent - 1) :
				       half & 0x3ff;
		u32 want = 0;

		if (units) {
			int top = fls64(units) - 1;

			/* units * 2^-24 */
			want = (u32)(top - 24 + 127) << 23 |
			       (u32)((top > 23 ? units >> (top - 23) :
						 units << (23 - top)) & 0x7fffff);
		}
		if (eng_f16_to_f32(half) != want ||
		    eng_f16_to_f32(half | 0x8000) != (want | 0x80000000))
			KUNIT_FAIL(test, "%04x", half);
	}
}

struct f16_product {
	const char *name;
	u32 sum;
	u16 a;
	u16 b;
	u32 want;
};

static const struct f16_product f16_products[] = {
	{ "1 + 1*1", 0x3f800000, 0x3c00, 0x3c00, 0x40000000 },
	{ "0 + -1*0", 0x00000000, 0xbc00, 0x0000, 0x00000000 },
	{ "-0 + -1*0", 0x80000000, 0xbc00, 0x0000, 0x80000000 },
	{ "2^24 + 1*1", 0x4b800000, 0x3c00, 0x3c00, 0x4b800000 },
	{ "2^24+2 + 1*1", 0x4b800001, 0x3c00, 0x3c00, 0x4b800002 },
	{ "1 + -1*1", 0x3f800000, 0xbc00, 0x3c00, 0x00000000 },
	{ "0 + smallest^2", 0x00000000, 0x0001, 0x0001, 0x27800000 },
	{ "0 + largest^2", 0x00000000, 0x7bff, 0x7bff, 0x4f7fc004 },
	{ "inf + 1*1", 0x7f800000, 0x3c00, 0x3c00, 0x7f800000 },
	{ "0 + inf*-1", 0x00000000, 0x7c00, 0xbc00, 0xff800000 },
};

KUNIT_ARRAY_PARAM_DESC(f16_product, f16_products, name);

static void f16_add_product(struct kunit *test)
{
	const struct f16_product *product = test->param_value;

	KUNIT_EXPECT_EQ(test, eng_f32_add_product(product->sum, product->a,
						  product->b), product->want);
	KUNIT_EXPECT_EQ(test, eng_f32_add_product(product->sum, product->b,
						  product->a), product->want);
}

/* No number comes of these. */
static const struct f16_product f16_no_numbers[] = {
	{ "0*inf", 0x3f800000, 0x0000, 0x7c00, 0 },
	{ "nan*0", 0x3f800000, 0x7e00, 0x0000, 0 },
	{ "inf + -inf*1", 0x7f800000, 0xfc00, 0x3c00, 0 },
	{ "nan + 1*1", 0x7fc00000, 0x3c00, 0x3c00, 0 },
};

KUNIT_ARRAY_PARAM_DESC(f16_no_number, f16_no_numbers, name);

static void f16_add_no_number(struct kunit *test)
{
	const struct f16_product *product = test->param_value;
	u32 sum = eng_f32_add_product(product->sum, product->a, product->b);

	KUNIT_EXPECT_GT(test, sum & 0x7fffffff, 0x7f800000U);
	sum = eng_f32_add_product(product->sum, product->b, product->a);
	KUNIT_EXPECT_GT(test, sum & 0x7fffffff, 0x7f800000U);
}

static struct kunit_case f16_cases[] = {
	KUNIT_CASE_PARAM(f16_from_f32, f16_narrow_gen_params),
	KUNIT_CASE(f16_nan),
	KUNIT_CASE(f16_round_trip),
	KUNIT_CASE(f16_to_f32_exact),
	KUNIT_CASE_PARAM(f16_add_product, f16_product_gen_params),
	KUNIT_CASE_PARAM(f16_add_no_number, f16_no_number_gen_params),
	{}
};

static struct kunit_suite f16_suite = {
	.name = "virtio_accel_engine_f16",
	.test_cases = f16_cases,
};

kunit_test_suite(f16_suite);
