// SPDX-License-Identifier: GPL-2.0
/*
 * Copies and fills that go past the caches, at all ends of lines.
 */
#include <kunit/test.h>

#include "../mock/engine/bulk.h"

#define BULK_ROOM	8192
#define BULK_GUARD	0xee

struct bulk_range {
	u32 to;
	u32 from;
	u32 bytes;
};

/* Around the ends of words and of lines. */
static const struct bulk_range bulk_ranges[] = {
	{ 0, 0, 0 }, { 0, 0, 1 }, { 63, 0, 1 }, { 1, 1, 62 }, { 1, 1, 63 },
	{ 1, 1, 64 }, { 0, 0, 64 }, { 64, 0, 63 }, { 64, 3, 65 }, { 63, 64, 65 },
	{ 65, 1, 127 }, { 8, 4, 128 }, { 7, 0, 129 }, { 128, 5, 4096 },
	{ 4095, 4094, 4097 }, { 100, 0, 4095 }, { 56, 8, 4104 }, { 57, 8, 8000 },
};

static void bulk_range_desc(const struct bulk_range *range, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u from %u to %u", range->bytes,
		 range->from, range->to);
}

KUNIT_ARRAY_PARAM(bulk_range, bulk_ranges, bulk_range_desc);

struct bulk_memory {
	u8 *to;
	u8 *want;
	u8 *from;
};

static void bulk_prepare(struct kunit *test, struct bulk_memory *memory)
{
	u32 i;

	memory->to = kunit_kmalloc(test, BULK_ROOM, GFP_KERNEL);
	memory->want = kunit_kmalloc(test, BULK_ROOM, GFP_KERNEL);
	memory->from = kunit_kmalloc(test, BULK_ROOM, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, memory->to);
	KUNIT_ASSERT_NOT_NULL(test, memory->want);
	KUNIT_ASSERT_NOT_NULL(test, memory->from);
	memset(memory->to, BULK_GUARD, BULK_ROOM);
	memset(memory->want, BULK_GUARD, BULK_ROOM);
	for (i = 0; i < BULK_ROOM; i++)
		memory->from[i] = i * 2654435761U >> 13;
}

static void bulk_copy(struct kunit *test)
{
	const struct bulk_range *range = test->param_value;
	struct bulk_memory memory;

	bulk_prepare(test, &memory);
	memcpy(memory.want + range->to, memory.from + range->from, range->bytes);
	eng_bulk_copy(memory.to + range->to, memory.from + range->from,
		      range->bytes);
	eng_bulk_end();
	KUNIT_EXPECT_EQ(test, memcmp(memory.to, memory.want, BULK_ROOM), 0);
}

static void bulk_fill(struct kunit *test)
{
	const struct bulk_range *range = test->param_value;
	struct bulk_memory memory;

	bulk_prepare(test, &memory);
	memset(memory.want + range->to, 0x9d, range->bytes);
	eng_bulk_fill(memory.to + range->to, 0x9d, range->bytes);
	eng_bulk_end();
	KUNIT_EXPECT_EQ(test, memcmp(memory.to, memory.want, BULK_ROOM), 0);
}

#ifdef CONFIG_X86_64
/* Both ways, whichever the processor would have taken: four lines from the second. */
static void bulk_ways(struct kunit *test)
{
	struct bulk_memory memory;
	u64 *line;

	bulk_prepare(test, &memory);
	line = PTR_ALIGN((u64 *)memory.to, 64) + 8;
	eng_bulk_copy_strings(line, memory.from + 3, 32);
	KUNIT_EXPECT_EQ(test, memcmp(line, memory.from + 3, 256), 0);
	KUNIT_EXPECT_EQ(test, *((u8 *)line - 1), BULK_GUARD);
	KUNIT_EXPECT_EQ(test, *((u8 *)line + 256), BULK_GUARD);
	eng_bulk_copy_past(line, memory.from + 5, 32);
	eng_bulk_end();
	KUNIT_EXPECT_EQ(test, memcmp(line, memory.from + 5, 256), 0);
	KUNIT_EXPECT_EQ(test, *((u8 *)line - 1), BULK_GUARD);
	KUNIT_EXPECT_EQ(test, *((u8 *)line + 256), BULK_GUARD);
	memset(memory.want, 0x31, 256);
	eng_bulk_fill_strings(line, 0x3131313131313131ULL, 32);
	KUNIT_EXPECT_EQ(test, memcmp(line, memory.want, 256), 0);
	memset(memory.want, 0x32, 256);
	eng_bulk_fill_past(line, 0x3232323232323232ULL, 32);
	eng_bulk_end();
	KUNIT_EXPECT_EQ(test, memcmp(line, memory.want, 256), 0);
	KUNIT_EXPECT_EQ(test, *((u8 *)line - 1), BULK_GUARD);
	KUNIT_EXPECT_EQ(test, *((u8 *)line + 256), BULK_GUARD);
}
#endif

static struct kunit_case bulk_cases[] = {
	KUNIT_CASE_PARAM(bulk_copy, bulk_range_gen_params),
	KUNIT_CASE_PARAM(bulk_fill, bulk_range_gen_params),
#ifdef CONFIG_X86_64
	KUNIT_CASE(bulk_ways),
#endif
	{}
};

static struct kunit_suite bulk_suite = {
	.name = "virtio_accel_engine_bulk",
	.test_cases = bulk_cases,
};

kunit_test_suite(bulk_suite);
