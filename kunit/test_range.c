// SPDX-License-Identifier: GPL-2.0
/*
 * Ranges of buffers: transfers, bindings, mappings, and sizes of buffers.
 */
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sizes.h>

#include "rig.h"

/* On a buffer of 4096 bytes. */
struct range_place {
	const char *name;
	u64 offset;
	u64 bytes;
	bool fits;
};

static const struct range_place ranges[] = {
	{ "all", 0, 4096, true },
	{ "first byte", 0, 1, true },
	{ "last byte", 4095, 1, true },
	{ "one too long", 0, 4097, false },
	{ "one too far", 4095, 2, false },
	{ "behind", 4096, 1, false },
	{ "2^64-1, 1", ~0ULL, 1, false },
	{ "2^64-1, 2", ~0ULL, 2, false },
	{ "2^64-4, 8", ~0ULL - 3, 8, false },
	{ "8, 2^64-4", 8, ~0ULL - 3, false },
	{ "8, 2^64-8", 8, ~0ULL - 7, false },
	{ "2^32, 2^32", 1ULL << 32, 1ULL << 32, false },
	{ "2^32, 1", 1ULL << 32, 1, false },
	{ "0, 2^32+1", 0, (1ULL << 32) + 1, false },
	{ "2^63, 2^63", 1ULL << 63, 1ULL << 63, false },
	{ "0, 2^64-1", 0, ~0ULL, false },
};

KUNIT_ARRAY_PARAM_DESC(range, ranges, name);

static void range_of_a_transfer(struct kunit *test)
{
	const struct range_place *range = test->param_value;
	struct rig *rig = test->priv;
	struct vacc_iov iov = { rig->user + RIG_DATA, range->bytes };
	struct vacc_buffer_transfer arg = {
		.buffer = rig_buffer(rig, rig_context(rig)),
		.offset = range->offset,
		.iov = rig_array(rig, RIG_ARRAY, 1, sizeof(iov)),
	};
	int error = range->fits ? 0 : -ERANGE;

	rig_put(rig, RIG_ARRAY, &iov, sizeof(iov));
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_BUFFER_WRITE, &arg), error);
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_BUFFER_READ, &arg), error);
}

/* Pieces whose lengths add up to more than 64 bits. */
static void range_of_pieces_overflows(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_iov iov[] = {
		{ rig->user + RIG_DATA, 8 },
		{ rig->user + RIG_DATA, ~0ULL - 3 },
	};
	struct vacc_buffer_transfer arg = {
		.buffer = rig_buffer(rig, rig_context(rig)),
		.iov = rig_array(rig, RIG_ARRAY, 2, sizeof(iov[0])),
	};

	rig_put(rig, RIG_ARRAY, iov, sizeof(iov));
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_BUFFER_WRITE, &arg), -ERANGE);
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_BUFFER_READ, &arg), -ERANGE);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_BUFFER_WRITE], 0U);
}

static void range_of_a_binding(struct kunit *test)
{
	const struct range_place *range = test->param_value;
	struct rig *rig = test->priv;
	struct vacc_submit submit = {};
	struct vacc_binding binding = {
		.access = VIRTIO_ACCEL_ACCESS_READ,
		.offset = range->offset,
		.bytes = range->bytes,
	};
	struct rig_bench bench;

	rig->fake.run_here = true;
	rig_bench(rig, &bench);
	binding.buffer = bench.buffer;
	rig_put(rig, RIG_ARRAY, &binding, sizeof(binding));
	submit.bindings = rig_array(rig, RIG_ARRAY, 1, sizeof(binding));
	KUNIT_EXPECT_EQ(test, rig_submit(rig, &bench, &submit),
			range->fits ? 0 : -ERANGE);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_SUBMIT],
			range->fits ? 1U : 0U);
	if (!range->fits)
		return;
	KUNIT_EXPECT_EQ(test, rig->fake.binds[0].offset, range->offset);
	KUNIT_EXPECT_EQ(test, rig->fake.binds[0].bytes, range->bytes);
}

/* Sizes and alignments of buffers; the limit is 1 MiB. */
struct range_size {
	const char *name;
	u64 bytes;
	u64 alignment;
	int error;
};

static const struct range_size range_sizes[] = {
	{ "0", 0, 1, -EINVAL },
	{ "1", 1, 1, 0 },
	{ "4095", 4095, 2, 0 },
	{ "4096", 4096, 16, 0 },
	{ "4097", 4097, 64, 0 },
	{ "the limit", SZ_1M, 4096, 0 },
	{ "the limit and 1", SZ_1M + 1, 4096, -ENOSPC },
	{ "2^31", 1ULL << 31, 1, -ENOSPC },
	{ "2^32", 1ULL << 32, 1, -ENOSPC },
	{ "2^32+1", (1ULL << 32) + 1, 1, -ENOSPC },
	{ "2^63", 1ULL << 63, 1, -ENOSPC },
	{ "2^64-4096", ~0ULL - 4095, 1, -ENOSPC },
	{ "2^64-1", ~0ULL, 1, -ENOSPC },
	{ "alignment 0", 1, 0, -EINVAL },
	{ "alignment 3", 1, 3, -EINVAL },
	{ "alignment 2^63+1", 1, (1ULL << 63) + 1, -EINVAL },
	{ "alignment 8192", 4097, 8192, 0 },
	{ "alignment 2M", 1, SZ_2M, 0 },
	{ "alignment 4M", 1, SZ_4M, -ENOSPC },
	{ "alignment 2^63", 1, 1ULL << 63, -ENOSPC },
};

KUNIT_ARRAY_PARAM_DESC(range_size, range_sizes, name);

static void range_of_a_buffer(struct kunit *test)
{
	const struct range_size *size = test->param_value;
	struct rig *rig = test->priv;
	struct vacc_buffer_create create = {
		.context = rig_context(rig),
		.domain = VIRTIO_ACCEL_DOMAIN_HOST,
		.usage = VIRTIO_ACCEL_USAGE_INPUT,
		.bytes = size->bytes,
		.alignment = size->alignment,
	};
	u8 *memory;

	KUNIT_ASSERT_EQ(test, RIG_CALL(rig, VACC_BUFFER_CREATE, &create),
			size->error);
	if (size->error) {
		KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->bytes), 0);
		return;
	}
	memory = fake_memory(rig_obj(rig, create.handle)->backend);
	KUNIT_EXPECT_EQ(test, (unsigned long)memory & (size->alignment - 1), 0UL);
	KUNIT_EXPECT_NULL(test, memchr_inv(memory, 0, PAGE_ALIGN(size->bytes)));
	memory[size->bytes - 1] = 1;
	KUNIT_EXPECT_GE(test, create.actual_alignment, size->alignment);
	KUNIT_EXPECT_EQ(test, create.allocation_bytes,
			(u64)atomic64_read(&rig->fake.dev->bytes));
	KUNIT_EXPECT_GE(test, create.allocation_bytes, size->bytes);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_BUFFER_DESTROY,
					      create.handle), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->bytes), 0);
}

/* What a buffer is, in order of the checks. */
struct range_create {
	const char *name;
	struct vacc_buffer_create arg;
	int error;
};

#define GOOD	.usage = 1, .bytes = 1, .alignment = 1, \
		.domain = VIRTIO_ACCEL_DOMAIN_HOST

static const struct range_create range_creates[] = {
	{ "good", { GOOD }, 0 },
	{ "flag", { GOOD, .flags = 2, .source_fd = 1 }, -EOPNOTSUPP },
	{ "out flag", { GOOD, .flags = VACC_BUFFER_PANELS_POSSIBLE }, -EOPNOTSUPP },
	{ "dma-buf", { GOOD, .source_kind = VACC_SOURCE_DMA_BUF }, -EOPNOTSUPP },
	{ "user pages", { GOOD, .source_kind = VACC_SOURCE_USER_PAGES },
	  -EOPNOTSUPP },
	{ "unknown usage", { .usage = 0x20, .source_fd = 1 }, -EOPNOTSUPP },
	{ "absent domain", { .usage = 1, .domain = VIRTIO_ACCEL_DOMAIN_DEVICE },
	  -EOPNOTSUPP },
	{ "source fd", { GOOD, .source_fd = 1, .context = 99 }, -EINVAL },
	{ "source address", { GOOD, .source_addr = 1 }, -EINVAL },
	{ "source offset", { GOOD, .source_offset = 1 }, -EINVAL },
	{ "no domain", { .usage = 1, .bytes = 1, .alignment = 1 }, -EINVAL },
	{ "unknown domain", { .usage = 1, .bytes = 1, .alignment = 1,
	  .domain = 4 }, -EINVAL },
	{ "no usage", { .bytes = 1, .alignment = 1,
	  .domain = VIRTIO_ACCEL_DOMAIN_HOST }, -EINVAL },
	{ "unknown type", { GOOD, .element_type = VACC_TYPE_COUNT }, -EINVAL },
	{ "unknown context", { GOOD, .context = 99 }, -ENOENT },
	{ "context before limit", { .usage = 1, .bytes = ~0ULL, .alignment = 1,
	  .domain = VIRTIO_ACCEL_DOMAIN_HOST, .context = 99 }, -ENOENT },
	{ "read-only mappings", { GOOD, .flags = VACC_BUFFER_NO_WRITE_MAP }, 0 },
};

KUNIT_ARRAY_PARAM_DESC(range_create, range_creates, name);

static void range_checks_of_a_buffer(struct kunit *test)
{
	const struct range_create *create = test->param_value;
	struct vacc_buffer_create arg = create->arg;
	struct rig *rig = test->priv;
	u32 context = rig_context(rig);

	arg.context = arg.context ? arg.context : context;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_BUFFER_CREATE, &arg),
			create->error);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_BUFFER_CREATE],
			create->error ? 0U : 1U);
}

/* Mappings of a buffer of two pages and a bit; lengths and offsets in pages. */
struct range_mapping {
	const char *name;
	u32 flags;
	unsigned long skip;
	unsigned long pages;
	unsigned long prot;
	unsigned long kind;
	int error;
};

#define RW	(PROT_READ | PROT_WRITE)

static const struct range_mapping range_mappings[] = {
	{ "all", 0, 0, 3, RW, MAP_SHARED, 0 },
	{ "first page", 0, 0, 1, RW, MAP_SHARED, 0 },
	{ "last page", 0, 2, 1, RW, MAP_SHARED, 0 },
	{ "too long", 0, 0, 4, RW, MAP_SHARED, -EINVAL },
	{ "over the end", 0, 2, 2, RW, MAP_SHARED, -EINVAL },
	{ "behind", 0, 3, 1, RW, MAP_SHARED, -EINVAL },
	{ "private", 0, 0, 1, RW, MAP_PRIVATE, -EINVAL },
	{ "read-only", VACC_BUFFER_NO_WRITE_MAP, 0, 3, PROT_READ, MAP_SHARED, 0 },
	{ "written to", VACC_BUFFER_NO_WRITE_MAP, 0, 3, RW, MAP_SHARED, -EACCES },
};

KUNIT_ARRAY_PARAM_DESC(range_mapping, range_mappings, name);

static void range_of_a_mapping(struct kunit *test)
{
	const struct range_mapping *mapping = test->param_value;
	struct rig *rig = test->priv;
	struct vacc_buffer_create create = {
		.context = rig_context(rig),
		.flags = mapping->flags,
		.domain = VIRTIO_ACCEL_DOMAIN_SHARED,
		.usage = VIRTIO_ACCEL_USAGE_INPUT,
		.bytes = 2 * PAGE_SIZE + 1,
		.alignment = 4 * PAGE_SIZE,
	};
	unsigned long bytes = mapping->pages * PAGE_SIZE;
	unsigned long at;
	u8 byte = 0;

	KUNIT_ASSERT_EQ(test, RIG_CALL(rig, VACC_BUFFER_CREATE, &create), 0);
	KUNIT_EXPECT_NE(test, create.mmap_offset, 0ULL);
	KUNIT_EXPECT_TRUE(test, create.properties & VACC_PROP_MAPPABLE);
	at = vm_mmap(rig->file[0], 0, bytes, mapping->prot, mapping->kind,
		     create.mmap_offset + mapping->skip * PAGE_SIZE);
	if (mapping->error) {
		KUNIT_EXPECT_EQ(test, (long)at, mapping->error);
		return;
	}
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(at));
	/* The same bytes, and they outlive the buffer. */
	memset(fake_memory(rig_obj(rig, create.handle)->backend) +
	       mapping->skip * PAGE_SIZE, 0x77, 1);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_BUFFER_DESTROY,
					      create.handle), 0);
	KUNIT_EXPECT_EQ(test, copy_from_user(&byte, (void __user *)at, 1), 0UL);
	KUNIT_EXPECT_EQ(test, byte, 0x77);
	KUNIT_EXPECT_NE(test, atomic64_read(&rig->fake.dev->bytes), 0);
	KUNIT_EXPECT_EQ(test, vm_munmap(at, bytes), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->bytes), 0);
}

/* Every buffer has its own offsets, whatever was freed before. */
static void range_mappings_do_not_overlap(struct kunit *test)
{
	struct vacc_buffer_query query[6] = {};
	struct rig *rig = test->priv;
	u32 context = rig_context(rig);
	int i, j;

	for (i = 0; i < ARRAY_SIZE(query); i++) {
		u32 handle = rig_buffer_usage(rig, context,
					      (i + 1) * PAGE_SIZE + i, 1);

		if (i == 2) {
			rig_handle_call(rig, VACC_BUFFER_DESTROY, handle);
			handle = rig_buffer_usage(rig, context, 1, 1);
		}
		query[i].handle = handle;
		KUNIT_ASSERT_EQ(test, RIG_CALL(rig, VACC_BUFFER_QUERY,
					       &query[i]), 0);
	}
	for (i = 0; i < ARRAY_SIZE(query); i++)
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_TRUE(test,
					  query[i].mmap_offset >=
					  query[j].mmap_offset + query[j].bytes ||
					  query[j].mmap_offset >=
					  query[i].mmap_offset + query[i].bytes);
}

static struct kunit_case range_cases[] = {
	KUNIT_CASE_PARAM(range_of_a_transfer, range_gen_params),
	KUNIT_CASE(range_of_pieces_overflows),
	KUNIT_CASE_PARAM(range_of_a_binding, range_gen_params),
	KUNIT_CASE_PARAM(range_of_a_buffer, range_size_gen_params),
	KUNIT_CASE_PARAM(range_checks_of_a_buffer, range_create_gen_params),
	KUNIT_CASE_PARAM(range_of_a_mapping, range_mapping_gen_params),
	KUNIT_CASE(range_mappings_do_not_overlap),
	{}
};

static struct kunit_suite range_suite = {
	.name = "virtio_accel_range",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = range_cases,
};

kunit_test_suite(range_suite);
