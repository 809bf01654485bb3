// SPDX-License-Identifier: GPL-2.0
/*
 * BUFFER_WRITE and BUFFER_READ: bytes, pieces, faults.
 */
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "rig.h"

#define TRANSFER_BYTES	(48 * PAGE_SIZE)

static long transfer(struct rig *rig, unsigned int cmd, u32 buffer, u64 offset,
		     const struct vacc_iov *iov, u32 count)
{
	struct vacc_buffer_transfer arg = {
		.buffer = buffer,
		.offset = offset,
		.iov = rig_array(rig, RIG_ARRAY, count, sizeof(*iov)),
	};

	rig_put(rig, RIG_ARRAY, iov, count * sizeof(*iov));
	return RIG_CALL(rig, cmd, &arg);
}

static u8 *transfer_memory(struct rig *rig, u32 buffer)
{
	return fake_memory(rig_obj(rig, buffer)->backend);
}

static void transfer_fill(u8 *bytes, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		bytes[i] = i * 7 + (i >> 8);
}

/* Lengths around pages, the bounce buffer and what is worth pinning. */
struct transfer_shape {
	const char *name;
	unsigned int skew;
	size_t bytes;
	u64 offset;
};

static const struct transfer_shape transfer_shapes[] = {
	{ "1", 0, 1, 0 },
	{ "1 at 4095", 4095, 1, 4095 },
	{ "2 over a page", 4095, 2, 1 },
	{ "4095", 1, 4095, 3 },
	{ "4096", 0, 4096, 0 },
	{ "4097", 4095, 4097, 0 },
	{ "8193", 1, 8193, 5 },
	{ "64K-1", 0, SZ_64K - 1, 0 },
	{ "64K", 0, SZ_64K, 0 },
	{ "64K skewed", 4095, SZ_64K, 9 },
	{ "64K+1", 1, SZ_64K + 1, 0 },
	{ "140000", 17, 140000, 33 },
	{ "all", 0, TRANSFER_BYTES, 0 },
};

KUNIT_ARRAY_PARAM_DESC(transfer_shape, transfer_shapes, name);

static void transfer_round_trip(struct kunit *test)
{
	const struct transfer_shape *shape = test->param_value;
	struct rig *rig = test->priv;
	u32 buffer = rig_buffer_usage(rig, rig_context(rig), TRANSFER_BYTES,
				      RIG_USAGE_ALL);
	u8 *memory = transfer_memory(rig, buffer);
	u8 *bytes = kunit_kzalloc(test, shape->bytes + 2, GFP_KERNEL);
	struct vacc_iov iov = {
		.addr = rig->user + RIG_DATA + shape->skew,
		.len = shape->bytes,
	};

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	transfer_fill(bytes, shape->bytes);
	rig_put(rig, RIG_DATA + shape->skew, bytes, shape->bytes);
	KUNIT_ASSERT_EQ(test, transfer(rig, VACC_BUFFER_WRITE, buffer,
				       shape->offset, &iov, 1), 0);
	KUNIT_EXPECT_MEMEQ(test, memory + shape->offset, bytes, shape->bytes);
	KUNIT_EXPECT_NULL(test, memchr_inv(memory, 0, shape->offset));
	if (shape->offset + shape->bytes < TRANSFER_BYTES)
		KUNIT_EXPECT_EQ(test, memory[shape->offset + shape->bytes], 0);

	/* Back, with a guard byte on both sides. */
	memset(bytes, 0xee, shape->bytes + 2);
	rig_put(rig, RIG_DATA + shape->skew, bytes, shape->bytes + 2);
	iov.addr++;
	KUNIT_ASSERT_EQ(test, transfer(rig, VACC_BUFFER_READ, buffer,
				       shape->offset, &iov, 1), 0);
	rig_get(rig, RIG_DATA + shape->skew, bytes, shape->bytes + 2);
	KUNIT_EXPECT_MEMEQ(test, bytes + 1, memory + shape->offset,
			   shape->bytes);
	KUNIT_EXPECT_EQ(test, bytes[0], 0xee);
	KUNIT_EXPECT_EQ(test, bytes[shape->bytes + 1], 0xee);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->pinned), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->written_bytes),
			(s64)shape->bytes);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->read_bytes),
			(s64)shape->bytes);
}

/* Pieces of all sizes, empty ones among them, read as one. */
static void transfer_pieces(struct kunit *test)
{
	static const size_t lengths[] = { 0, 1, 0, 0, 70000, 3, 65536, 0, 5, 1 };
	struct vacc_iov iov[ARRAY_SIZE(lengths)];
	struct rig *rig = test->priv;
	u32 buffer = rig_buffer_usage(rig, rig_context(rig), TRANSFER_BYTES,
				      RIG_USAGE_ALL);
	u8 *memory = transfer_memory(rig, buffer);
	u8 *bytes = kunit_kzalloc(test, TRANSFER_BYTES, GFP_KERNEL);
	size_t total = 0;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		iov[i].addr = lengths[i] ? rig->user + RIG_DATA + total : 1;
		iov[i].len = lengths[i];
		total += lengths[i];
	}
	transfer_fill(bytes, total);
	rig_put(rig, RIG_DATA, bytes, total);
	KUNIT_EXPECT_EQ(test, transfer(rig, VACC_BUFFER_WRITE, buffer, 11, iov,
				       ARRAY_SIZE(iov)), 0);
	KUNIT_EXPECT_MEMEQ(test, memory + 11, bytes, total);
	memset(bytes, 0, total);
	rig_put(rig, RIG_DATA, bytes, total);
	KUNIT_EXPECT_EQ(test, transfer(rig, VACC_BUFFER_READ, buffer, 11, iov,
				       ARRAY_SIZE(iov)), 0);
	rig_get(rig, RIG_DATA, bytes, total);
	KUNIT_EXPECT_MEMEQ(test, bytes, memory + 11, total);
}

struct transfer_refusal {
	const char *name;
	u32 usage;
	struct vacc_buffer_transfer arg;
	struct vacc_iov iov;
	int write;
	int read;
};

#define WHOLE		{ 0, RIG_BUFFER_BYTES }

static const struct transfer_refusal transfer_refusals[] = {
	{ "flag", RIG_USAGE_ALL, { .flags = 1, .element_type = 99 }, WHOLE,
	  -EOPNOTSUPP, -EOPNOTSUPP },
	{ "unknown type", RIG_USAGE_ALL, { .element_type = VACC_TYPE_COUNT },
	  WHOLE, -EINVAL, -EINVAL },
	{ "empty before handle", RIG_USAGE_ALL, { .buffer = 999 }, { 0, 0 },
	  -EINVAL, -EINVAL },
	{ "unknown buffer before range", RIG_USAGE_ALL, { .buffer = 999 },
	  { 0, ~0ULL }, -ENOENT, -ENOENT },
	{ "range before usage", VIRTIO_ACCEL_USAGE_INPUT, { .offset = 1 }, WHOLE,
	  -ERANGE, -ERANGE },
	{ "usage none", VIRTIO_ACCEL_USAGE_INPUT, {}, WHOLE, -EACCES, -EACCES },
	{ "usage source", VIRTIO_ACCEL_USAGE_TRANSFER_SRC, {}, WHOLE, -EACCES, 0 },
	{ "usage destination", VIRTIO_ACCEL_USAGE_TRANSFER_DST, {}, WHOLE, 0,
	  -EACCES },
	{ "type of an untyped buffer", RIG_USAGE_ALL,
	  { .element_type = VACC_TYPE_F32 }, WHOLE, 0, 0 },
};

KUNIT_ARRAY_PARAM_DESC(transfer_refusal, transfer_refusals, name);

static void transfer_is_refused(struct kunit *test)
{
	const struct transfer_refusal *refusal = test->param_value;
	struct vacc_buffer_transfer arg = refusal->arg;
	struct rig *rig = test->priv;
	struct vacc_iov iov = refusal->iov;
	struct fake *fake = &rig->fake;
	u32 buffer = rig_buffer_usage(rig, rig_context(rig), RIG_BUFFER_BYTES,
				      refusal->usage);

	arg.buffer = arg.buffer ? arg.buffer : buffer;
	arg.iov = rig_array(rig, RIG_ARRAY, 1, sizeof(iov));
	iov.addr = rig->user + RIG_DATA;
	rig_put(rig, RIG_ARRAY, &iov, sizeof(iov));
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_BUFFER_WRITE, &arg),
			refusal->write);
	KUNIT_EXPECT_EQ(test, fake->calls[FAKE_BUFFER_WRITE],
			refusal->write ? 0U : 1U);
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_BUFFER_READ, &arg),
			refusal->read);
	KUNIT_EXPECT_EQ(test, fake->calls[FAKE_BUFFER_READ],
			refusal->read ? 0U : 1U);
}

static void transfer_element_types(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_buffer_create create = {
		.context = rig_context(rig),
		.domain = VIRTIO_ACCEL_DOMAIN_HOST,
		.usage = RIG_USAGE_ALL,
		.element_type = VACC_TYPE_F16,
		.bytes = 16,
		.alignment = 16,
	};
	struct vacc_iov iov = { rig->user + RIG_DATA, 16 };
	struct vacc_buffer_transfer arg = {
		.iov = rig_array(rig, RIG_ARRAY, 1, sizeof(iov)),
	};
	u32 type;

	KUNIT_ASSERT_EQ(test, RIG_CALL(rig, VACC_BUFFER_CREATE, &create), 0);
	arg.buffer = create.handle;
	rig_put(rig, RIG_ARRAY, &iov, sizeof(iov));
	for (type = 0; type < VACC_TYPE_COUNT; type++) {
		bool fits = !type || type == VACC_TYPE_F16;

		arg.element_type = type;
		KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_BUFFER_WRITE, &arg),
				fits ? 0 : -EINVAL);
	}
}

static void transfer_counts_and_strides(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct {
		struct vacc_iov iov;
		u64 unknown;
	} wide = { { rig->user + RIG_DATA, 8 }, 0 };
	struct vacc_buffer_transfer arg = {
		.buffer = rig_buffer(rig, rig_context(rig)),
		.iov = rig_array(rig, RIG_ARRAY, 0, sizeof(wide.iov)),
	};

	rig_put(rig, RIG_ARRAY, &wide, sizeof(wide));
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_BUFFER_WRITE, &arg), -EINVAL);
	arg.iov.count = VACC_MAX_IOV + 1;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_BUFFER_WRITE, &arg), -EINVAL);
	arg.iov.count = 1;
	arg.iov.stride = sizeof(wide.iov) - 1;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_BUFFER_WRITE, &arg), -EINVAL);
	arg.iov.stride = PAGE_SIZE + 1;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_BUFFER_WRITE, &arg), -E2BIG);
	arg.iov.stride = sizeof(wide);
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_BUFFER_WRITE, &arg), 0);
	wide.unknown = 1;
	rig_put(rig, RIG_ARRAY, &wide, sizeof(wide));
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_BUFFER_WRITE, &arg), -E2BIG);
	arg.iov.ptr = ~0ULL - 8;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_BUFFER_WRITE, &arg), -EFAULT);
}

/* Memory that may only be read: the source of a write, not the target of a read. */
struct transfer_fault {
	const char *name;
	size_t bytes;
};

static const struct transfer_fault transfer_faults[] = {
	{ "bounced", 100 },
	{ "pinned", 20 * PAGE_SIZE },
};

KUNIT_ARRAY_PARAM_DESC(transfer_fault, transfer_faults, name);

static void transfer_faults_at_the_end(struct kunit *test)
{
	const struct transfer_fault *fault = test->param_value;
	struct rig *rig = test->priv;
	u32 buffer = rig_buffer_usage(rig, rig_context(rig), TRANSFER_BYTES,
				      RIG_USAGE_ALL);
	u64 end = rig->user + RIG_USER_BYTES - PAGE_SIZE;
	struct vacc_iov iov = { end - fault->bytes + 1, fault->bytes };

	vm_munmap(end, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, transfer(rig, VACC_BUFFER_WRITE, buffer, 0, &iov,
				       1), -EFAULT);
	KUNIT_EXPECT_EQ(test, transfer(rig, VACC_BUFFER_READ, buffer, 0, &iov,
				       1), -EFAULT);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->written_bytes), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->read_bytes), 0);
	/* The last byte of a mapping is good. */
	iov.addr--;
	KUNIT_EXPECT_EQ(test, transfer(rig, VACC_BUFFER_WRITE, buffer, 0, &iov,
				       1), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->pinned), 0);
}

static void transfer_read_only_memory(struct kunit *test)
{
	struct rig *rig = test->priv;
	u32 buffer = rig_buffer(rig, rig_context(rig));
	struct vacc_iov iov = { rig->twin_ro, 64 };

	KUNIT_EXPECT_EQ(test, transfer(rig, VACC_BUFFER_WRITE, buffer, 0, &iov,
				       1), 0);
	KUNIT_EXPECT_EQ(test, transfer(rig, VACC_BUFFER_READ, buffer, 0, &iov,
				       1), -EFAULT);
}

static void transfer_backend_fails(struct kunit *test)
{
	struct rig *rig = test->priv;
	u32 buffer = rig_buffer_usage(rig, rig_context(rig), TRANSFER_BYTES,
				      RIG_USAGE_ALL);
	struct vacc_iov iov = { rig->user + RIG_DATA, 2 * SZ_64K };

	/* The second chunk. */
	iov.len = SZ_64K - 1;
	fake_fail(&rig->fake, FAKE_BUFFER_WRITE, 1,
		  vacc_rejected(VIRTIO_ACCEL_S_DEVICE_LOST));
	KUNIT_EXPECT_EQ(test, transfer(rig, VACC_BUFFER_WRITE, buffer, 0, &iov,
				       1), -EIO);
	iov.len = 2 * SZ_64K;
	fake_fail(&rig->fake, FAKE_BUFFER_READ, 1, vacc_rejected(0x1234));
	KUNIT_EXPECT_EQ(test, transfer(rig, VACC_BUFFER_READ, buffer, 0, &iov,
				       1), -EREMOTEIO);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->pinned), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&rig_obj(rig, buffer)->users), 0);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_BUFFER_DESTROY, buffer),
			0);
}

/* What was not moved is no success, bounced and pinned. */
static void transfer_is_short(struct kunit *test)
{
	static const size_t lengths[] = { 100, SZ_64K };
	struct rig *rig = test->priv;
	u32 buffer = rig_buffer_usage(rig, rig_context(rig), TRANSFER_BYTES,
				      RIG_USAGE_ALL);
	struct vacc_iov iov = { .addr = rig->user + RIG_DATA };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		iov.len = lengths[i];
		rig->fake.short_by = 1;
		KUNIT_EXPECT_EQ(test, transfer(rig, VACC_BUFFER_WRITE, buffer,
					       0, &iov, 1), -EREMOTEIO);
		KUNIT_EXPECT_EQ(test, transfer(rig, VACC_BUFFER_READ, buffer,
					       0, &iov, 1), -EREMOTEIO);
		rig->fake.short_by = 0;
		KUNIT_EXPECT_EQ(test, transfer(rig, VACC_BUFFER_READ, buffer,
					       0, &iov, 1), 0);
	}
}

/* Pages that others have left, where the bounce buffer will be. */
static void transfer_leave_pages(struct kunit *test, u8 *bytes)
{
	struct page *pages[16];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		pages[i] = alloc_page(GFP_KERNEL_ACCOUNT);
		KUNIT_ASSERT_NOT_NULL(test, pages[i]);
		memcpy(page_address(pages[i]), bytes, PAGE_SIZE);
	}
	for (i = 0; i < ARRAY_SIZE(pages); i++)
		__free_page(pages[i]);
}

/* What a backend leaves out is nobody's. */
static void transfer_of_nothing(struct kunit *test)
{
	struct rig *rig = test->priv;
	u32 buffer = rig_buffer_usage(rig, rig_context(rig), TRANSFER_BYTES,
				      RIG_USAGE_ALL);
	struct vacc_iov iov = { rig->user + RIG_DATA, PAGE_SIZE };
	u8 *bytes = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	memset(bytes, 0xee, PAGE_SIZE);
	rig_put(rig, RIG_DATA, bytes, PAGE_SIZE);
	rig->fake.lazy = true;
	transfer_leave_pages(test, bytes);
	KUNIT_EXPECT_EQ(test, transfer(rig, VACC_BUFFER_READ, buffer, 0, &iov,
				       1), 0);
	rig->fake.lazy = false;
	rig_get(rig, RIG_DATA, bytes, PAGE_SIZE);
	KUNIT_EXPECT_NULL(test, memchr_inv(bytes, 0, PAGE_SIZE));
}

static struct kunit_case transfer_cases[] = {
	KUNIT_CASE_PARAM(transfer_round_trip, transfer_shape_gen_params),
	KUNIT_CASE(transfer_pieces),
	KUNIT_CASE_PARAM(transfer_is_refused, transfer_refusal_gen_params),
	KUNIT_CASE(transfer_element_types),
	KUNIT_CASE(transfer_counts_and_strides),
	KUNIT_CASE_PARAM(transfer_faults_at_the_end, transfer_fault_gen_params),
	KUNIT_CASE(transfer_read_only_memory),
	KUNIT_CASE(transfer_backend_fails),
	KUNIT_CASE(transfer_is_short),
	KUNIT_CASE(transfer_of_nothing),
	{}
};

static struct kunit_suite transfer_suite = {
	.name = "virtio_accel_transfer",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = transfer_cases,
};

kunit_test_suite(transfer_suite);
