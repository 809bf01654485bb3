// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Conversions and rounding of binary16 and binary32 (R6).
 */
#include <math.h>

#include "f16.h"
#include "oracle.h"
#include "test.h"

TEST(f16_to_f32_all)
{
	u32 half;

	for (half = 0; half < 0x10000; half++) {
		u32 got = eng_f16_to_f32(half);

		if (isnan(oracle_widen(half)))
			CHECK(isnan(oracle_float(got)));
		else
			CHECK_EQ(got, oracle_bits(oracle_widen(half)));
		/* A NaN keeps its payload, quiet bit and sign. */
		if ((half & 0x7fff) > 0x7c00)
			CHECK_EQ(got, (half & 0x8000) << 16 | 0x7f800000 |
				      (half & 0x3ff) << 13);
	}
}

TEST(f16_round_trip_all)
{
	u32 half;

	for (half = 0; half < 0x10000; half++) {
		u16 want = (half & 0x7fff) > 0x7c00 ? 0x7e00 : half;

		CHECK_EQ(eng_f32_to_f16(eng_f16_to_f32(half)), want);
	}
}

TEST(f16_to_fixed_all)
{
	u32 half;

	for (half = 0; half < 0x10000; half++) {
		if (eng_f16_is_special(half)) {
			CHECK(!isfinite(oracle_widen(half)));
			continue;
		}
		CHECK((double)eng_f16_to_fixed(half) == ldexp(oracle_widen(half), 24));
	}
}

TEST(f32_to_f16_vectors)
{
	static const struct {
		u32 from;
		u16 to;
	} vectors[] = {
		{ 0x477fe000, 0x7bff }, { 0x477fefff, 0x7bff }, { 0x477ff000, 0x7c00 },
		{ 0x47c35000, 0x7c00 }, { 0x3f801000, 0x3c00 }, { 0x3f803000, 0x3c02 },
		{ 0x3effff37, 0x3800 }, { 0x387fe000, 0x0400 }, { 0x38000000, 0x0200 },
		{ 0x33800000, 0x0001 }, { 0x33000001, 0x0001 }, { 0x33000000, 0x0000 },
		{ 0xb3000000, 0x8000 }, { 0xb3000001, 0x8001 }, { 0xc77ff000, 0xfc00 },
		{ 0x7f800001, 0x7e00 }, { 0xffffffff, 0x7e00 }, { 0x7f800000, 0x7c00 },
		{ 0xff800000, 0xfc00 }, { 0x00000000, 0x0000 }, { 0x80000000, 0x8000 },
		{ 0x00000001, 0x0000 }, { 0x80000001, 0x8000 }, { 0x007fffff, 0x0000 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		CASE("%08x", vectors[i].from);
		CHECK_EQ(eng_f32_to_f16(vectors[i].from), vectors[i].to);
	}
}

static void check_narrow(u32 bits)
{
	float single = oracle_float(bits);
	u16 got = eng_f32_to_f16(bits);

	CHECK_EQ(got, oracle_narrow(single));
#ifdef __FLT16_MANT_DIG__
	if (!isnan(single)) {
		_Float16 half = (_Float16)single;
		u16 want;

		memcpy(&want, &half, sizeof(want));
		CHECK_EQ(got, want);
	}
#endif
}

TEST(f32_to_f16_sweep)
{
	u64 bits;
	u32 half;

	for (bits = 0; bits <= U32_MAX; bits += 1009)
		check_narrow(bits);
	/* Around every binary16 and around the middle of every two. */
	for (half = 0; half < 0x7c00; half++) {
		u32 low = oracle_bits(oracle_widen(half));
		u32 high = half == 0x7bff ? 0x47800000 : oracle_bits(oracle_widen(half + 1));
		u32 middle = oracle_bits((oracle_float(low) + oracle_float(high)) / 2);
		int d;

		for (d = -2; d <= 2; d++) {
			check_narrow(low + d);
			check_narrow(middle + d);
			check_narrow((middle + d) ^ 0x80000000);
		}
	}
}

static s64 random_even(void)
{
	unsigned int bits = 1 + test_below(61);
	u64 value = test_random() >> (64 - bits);
	unsigned int n = test_below(bits);

	/* Also long runs of ones and zeros, for carries and ties. */
	switch (test_below(4)) {
	case 0:
		value |= (1ULL << n) - 1;
		break;
	case 1:
		value &= ~((1ULL << n) - 1);
		break;
	case 2:
		value = (value & ~((2ULL << n) - 1)) | 1ULL << n;
		break;
	}
	value = min_t(u64, value, (1ULL << 62) - 1) & ~1ULL;
	return test_below(2) ? -(s64)value : (s64)value;
}

TEST(round24)
{
	int i;

	for (i = 0; i < 3000000; i++) {
		s64 value = random_even();

		CHECK_EQ(eng_round24(value), oracle_round24(value));
	}
}

TEST(f32_fixed_round_trip)
{
	int i;

	for (i = 0; i < 500000; i++) {
		s64 value = eng_round24(random_even()), back;
		int unit = (int)test_below(60) - 55;
		u32 single = eng_f32_from_fixed(value, unit);

		CHECK((double)oracle_float(single) == ldexp(value, unit));
		CHECK(eng_f32_to_fixed(single, unit, &back) && back == value);
		/* With units twice as large it may be odd, or no integer at all. */
		CHECK(eng_f32_to_fixed(single, unit + 1, &back) == !(value & 2) &&
		      (value & 2 || back == value / 2));
	}
	CASE("too large");
	{
		s64 back;

		CHECK(!eng_f32_to_fixed(0x7f800000, -49, &back));
		CHECK(!eng_f32_to_fixed(0xffc00000, -49, &back));
		CHECK(eng_f32_to_fixed(0x7effffff, 127 - 61, &back));
		CHECK(!eng_f32_to_fixed(0x7effffff, 126 - 62, &back));
		CHECK(!eng_f32_to_fixed(0x00800000, 0, &back));
	}
}

/* A sum as a launch may have it: of products, or infinite, or a NaN. */
static u32 random_sum(void)
{
	u32 sum;
	int i;

	switch (test_below(16)) {
	case 0:
		return 0x7f800000;
	case 1:
		return 0xff800000;
	case 2:
		return 0x7fc00000;
	case 3:
		return 0;
	}
	sum = oracle_step(0, test_random() & 0xfbff, test_random() & 0xfbff);
	for (i = test_below(4); i; i--)
		sum = oracle_step(sum, test_random() & 0xfbff, test_random() & 0xfbff);
	return sum;
}

TEST(f32_add_product)
{
	int i;

	for (i = 0; i < 3000000; i++) {
		u32 sum = random_sum();
		u16 a = test_random(), b = test_random();

		/* Often as large as the sum, the other way round: cancellation. */
		if (test_below(2) && (sum & 0x7f800000) != 0x7f800000) {
			a = oracle_narrow(oracle_float(sum ^ 0x80000000));
			b = 0x3c00 + test_below(2);
		}
		CHECK_EQ(eng_f32_add_product(sum, a, b), oracle_step(sum, a, b));
	}
}
