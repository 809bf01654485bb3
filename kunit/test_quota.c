// SPDX-License-Identifier: GPL-2.0
/*
 * What users may make the kernel hold.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/poll.h>

#include "rig.h"

static long quota_buffer(struct rig *rig, u32 context, u64 bytes, u32 *handle)
{
	struct vacc_buffer_create create = {
		.context = context,
		.domain = VIRTIO_ACCEL_DOMAIN_HOST,
		.usage = 1,
		.bytes = bytes,
		.alignment = 1,
	};
	long ret = RIG_CALL(rig, VACC_BUFFER_CREATE, &create);

	*handle = create.handle;
	return ret;
}

static long quota_program(struct rig *rig, u32 context, u64 payload, u64 resident,
			  u32 *handle)
{
	struct vacc_program_load load = {
		.context = context,
		.payload = rig->user + RIG_DATA,
		.payload_bytes = payload,
		.resident_bytes = resident,
	};
	long ret = RIG_CALL(rig, VACC_PROGRAM_LOAD, &load);

	*handle = load.handle;
	return ret;
}

/* Charges at the edges of what is left, with a limit of 1000 bytes. */
struct quota_charge {
	const char *name;
	s64 used;
	u64 bytes;
	int error;
};

static const struct quota_charge quota_charges[] = {
	{ "nothing", 0, 0, 0 },
	{ "all", 0, 1000, 0 },
	{ "one more than all", 0, 1001, -ENOSPC },
	{ "the rest", 600, 400, 0 },
	{ "more than the rest", 600, 401, -ENOSPC },
	{ "one of none", 1000, 1, -ENOSPC },
	{ "nothing of none", 1000, 0, 0 },
	{ "above a lowered limit", 5000, 1, -ENOSPC },
	{ "2^63", 0, 1ULL << 63, -ENOSPC },
	{ "2^64-1", 1, ~0ULL, -ENOSPC },
};

KUNIT_ARRAY_PARAM_DESC(quota_charge, quota_charges, name);

static void quota_is_charged(struct kunit *test)
{
	const struct quota_charge *charge = test->param_value;
	struct rig *rig = test->priv;
	struct vacc_device *dev = rig->fake.dev;
	struct vacc_call call;

	rig_call(rig, &call);
	rig_quota_set(1000, 1, 0);
	KUNIT_EXPECT_EQ(test, vacc_quota_total(), 1000ULL);
	atomic64_set(&dev->bytes, charge->used);
	KUNIT_EXPECT_EQ(test, vacc_quota_charge(&call, charge->bytes, "full"),
			charge->error);
	KUNIT_EXPECT_EQ(test, atomic64_read(&dev->bytes),
			charge->used + (charge->error ? 0 : (s64)charge->bytes));
	if (charge->error)
		KUNIT_EXPECT_STREQ(test, call.reason.text, "full");
	else
		vacc_quota_uncharge(dev, charge->bytes);
	KUNIT_EXPECT_EQ(test, atomic64_read(&dev->bytes), charge->used);
	atomic64_set(&dev->bytes, 0);
}

static void quota_defaults(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_device *dev = rig->fake.dev;

	KUNIT_EXPECT_EQ(test, vacc_quota_total(),
			(u64)totalram_pages() * PAGE_SIZE / 4);
	KUNIT_EXPECT_EQ(test, vacc_quota_inflight(), 16384U);
	KUNIT_EXPECT_EQ(test, vacc_quota_contexts(dev), 8U);
	rig_quota_set(0, 0, 3);
	KUNIT_EXPECT_EQ(test, vacc_quota_inflight(), 1U);
	KUNIT_EXPECT_EQ(test, vacc_quota_contexts(dev), 3U);
	rig_quota_set(0, U32_MAX, 99);
	KUNIT_EXPECT_EQ(test, vacc_quota_inflight(), (u32)INT_MAX);
	KUNIT_EXPECT_EQ(test, vacc_quota_contexts(dev), 8U);
}

static u32 quota_wakes;

static int quota_woken(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
{
	quota_wakes++;
	return 0;
}

static bool quota_writable(struct rig *rig)
{
	return vacc_fops.poll(rig->file[0], NULL) & EPOLLOUT;
}

/* What poll(2) says is what a submission would find; who waits for it is woken. */
static void quota_poll(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_file *file = rig_file(rig, 0);
	DEFINE_WAIT_FUNC(wait, quota_woken);
	int limit = 3;
	int i;

	rig_quota_set(0, limit, 0);
	add_wait_queue(&file->wait, &wait);
	for (i = 0; i < limit; i++) {
		KUNIT_EXPECT_TRUE(test, quota_writable(rig));
		KUNIT_EXPECT_TRUE(test, vacc_file_enter(file));
	}
	KUNIT_EXPECT_FALSE(test, quota_writable(rig));
	KUNIT_EXPECT_FALSE(test, vacc_file_enter(file));
	/* All have ended, and the device has let go of none; until there are twice as many. */
	for (i = 0; i < limit; i++)
		vacc_file_leave(file);
	for (i = limit; i < 2 * limit + 1; i++) {
		KUNIT_EXPECT_TRUE(test, quota_writable(rig));
		KUNIT_EXPECT_TRUE(test, vacc_file_enter(file));
		vacc_file_leave(file);
	}
	KUNIT_EXPECT_FALSE(test, quota_writable(rig));
	KUNIT_EXPECT_FALSE(test, vacc_file_enter(file));
	quota_wakes = 0;
	vacc_file_release_hold(file);
	KUNIT_EXPECT_EQ(test, quota_wakes, 1U);
	KUNIT_EXPECT_TRUE(test, quota_writable(rig));
	while (--i)
		vacc_file_release_hold(file);
	remove_wait_queue(&file->wait, &wait);
	KUNIT_EXPECT_EQ(test, atomic_read(&file->held), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&file->inflight), 0);
}

/* Create until refused, destroy one, create one. */
static void quota_of_buffers(struct kunit *test)
{
	struct rig *rig = test->priv;
	u32 context = rig_context(rig);
	u32 handles[4];

	rig_quota_set(3 * PAGE_SIZE, 1, 0);
	KUNIT_EXPECT_EQ(test, quota_buffer(rig, context, PAGE_SIZE + 1,
					   &handles[0]), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->bytes),
			(s64)(2 * PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, quota_buffer(rig, context, PAGE_SIZE + 1,
					   &handles[1]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, quota_buffer(rig, context, 1, &handles[1]), 0);
	KUNIT_EXPECT_EQ(test, quota_buffer(rig, context, 1, &handles[2]),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_BUFFER_CREATE], 2U);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_BUFFER_DESTROY,
					      handles[1]), 0);
	KUNIT_EXPECT_EQ(test, quota_buffer(rig, context, PAGE_SIZE, &handles[2]),
			0);
}

/* Charged with the artifact while it is loaded, then with what it keeps. */
static void quota_of_programs(struct kunit *test)
{
	struct rig *rig = test->priv;
	u32 context = rig_context(rig);
	u32 handle;

	rig_quota_set(1000, 1, 0);
	KUNIT_EXPECT_EQ(test, quota_program(rig, context, 1001, 1, &handle),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_PROGRAM_LOAD], 0U);
	/* Refused after the backend has it: the backend releases it. */
	KUNIT_EXPECT_EQ(test, quota_program(rig, context, 24, 1001, &handle),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_PROGRAM_LOAD], 1U);
	KUNIT_EXPECT_EQ(test, rig->fake.live[VACC_KIND_PROGRAM], 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->bytes), 0);
	KUNIT_EXPECT_EQ(test, quota_program(rig, context, 24, 400, &handle), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->bytes), 400);
	KUNIT_EXPECT_EQ(test, quota_program(rig, context, 601, 1, &handle),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, quota_program(rig, context, 600, 600, &handle), 0);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_PROGRAM_UNLOAD, handle),
			0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->bytes), 400);
}

/* ...and where the backend does not release it either, the reaper does. */
static void quota_refused_program_is_reaped(struct kunit *test)
{
	struct rig *rig = test->priv;
	u32 context = rig_context(rig);
	u32 handle;

	rig_quota_set(1000, 1, 0);
	fake_fail(&rig->fake, FAKE_PROGRAM_UNLOAD, 1,
		  vacc_rejected(VIRTIO_ACCEL_S_BUSY));
	KUNIT_EXPECT_EQ(test, quota_program(rig, context, 24, 1001, &handle),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, rig->fake.live[VACC_KIND_PROGRAM], 1);
	rig_close(rig, 0);
	rig_settle(rig);
	KUNIT_EXPECT_EQ(test, rig->fake.live[VACC_KIND_PROGRAM], 0);
}

static void quota_program_limits(struct kunit *test)
{
	struct rig *rig = test->priv;
	u32 context = rig_context(rig);
	struct vacc_program_load load = {
		.context = context,
		.payload = 8,
		.payload_bytes = 24,
	};
	u32 handle;

	KUNIT_EXPECT_EQ(test, quota_program(rig, context, 0, 1, &handle),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, quota_program(rig, context, 4096, 1, &handle), 0);
	KUNIT_EXPECT_EQ(test, quota_program(rig, context, 4097, 1, &handle),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, quota_program(rig, context, 8193, 1, &handle),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, quota_program(rig, context, ~0ULL, 1, &handle),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, quota_program(rig, 999, ~0ULL, 1, &handle),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_PROGRAM_LOAD, &load), -EFAULT);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->bytes), 1);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_PROGRAM_LOAD], 1U);
}

static void quota_contexts_per_file(struct kunit *test)
{
	struct vacc_context_create create = {};
	struct rig *rig = test->priv;
	u32 first;

	rig_quota_set(0, 1, 2);
	first = rig_context(rig);
	rig_context(rig);
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_CONTEXT_CREATE, &create),
			-ENOSPC);
	rig_open(rig, 1);
	KUNIT_EXPECT_EQ(test, rig_ioctl_file(rig, rig->file[1],
					     VACC_CONTEXT_CREATE, &create,
					     sizeof(create)), 0);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_CONTEXT_DESTROY, first),
			0);
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_CONTEXT_CREATE, &create), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&rig->fake.dev->contexts), 3);
}

/* A file that was closed while the device still executes for it. */
static void quota_leave_a_zombie(struct rig *rig)
{
	struct rig_bench bench;

	rig_bench(rig, &bench);
	rig_event(rig, &bench);
	rig->fake.executing = true;
	rig_close(rig, 0);
	rig_open(rig, 0);
	rig_settle(rig);
}

static void quota_end_zombie(struct rig *rig)
{
	fake_end(&rig->fake, 0, VACC_EVENT_CANCELLED, VIRTIO_ACCEL_S_OK);
}

static void quota_waits_for_leftovers(struct kunit *test)
{
	struct rig *rig = test->priv;
	u32 context;
	u32 handle;

	rig_quota_set(RIG_BUFFER_BYTES + 64, 16, 0);
	rig->fake.dev->info.command_timeout_ms = 60000;
	quota_leave_a_zombie(rig);
	context = rig_context(rig);
	rig->file[0]->f_flags |= O_NONBLOCK;
	KUNIT_EXPECT_EQ(test, quota_buffer(rig, context, RIG_BUFFER_BYTES,
					   &handle), -EAGAIN);
	rig->file[0]->f_flags &= ~O_NONBLOCK;
	rig_later(rig, quota_end_zombie);
	KUNIT_EXPECT_EQ(test, quota_buffer(rig, context, RIG_BUFFER_BYTES,
					   &handle), 0);
	flush_work(&rig->later);
	/* Nothing is left now: no wait, and another answer. */
	KUNIT_EXPECT_EQ(test, quota_buffer(rig, context, RIG_BUFFER_BYTES,
					   &handle), -ENOSPC);
}

static void quota_waits_no_longer_than_a_command(struct kunit *test)
{
	struct rig *rig = test->priv;
	u32 context;
	u32 handle;

	rig_quota_set(RIG_BUFFER_BYTES + 64, 16, 0);
	rig->fake.dev->info.command_timeout_ms = 20;
	quota_leave_a_zombie(rig);
	context = rig_context(rig);
	KUNIT_EXPECT_EQ(test, quota_buffer(rig, context, RIG_BUFFER_BYTES,
					   &handle), -EAGAIN);
	quota_end_zombie(rig);
}

static void quota_contexts_wait_too(struct kunit *test)
{
	struct vacc_context_create create = {};
	struct rig *rig = test->priv;

	rig->fake.dev->info.max_contexts = 1;
	rig->fake.dev->info.command_timeout_ms = 60000;
	quota_leave_a_zombie(rig);
	rig_later(rig, quota_end_zombie);
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_CONTEXT_CREATE, &create), 0);
}

static struct kunit_case quota_cases[] = {
	KUNIT_CASE_PARAM(quota_is_charged, quota_charge_gen_params),
	KUNIT_CASE(quota_defaults),
	KUNIT_CASE(quota_poll),
	KUNIT_CASE(quota_of_buffers),
	KUNIT_CASE(quota_of_programs),
	KUNIT_CASE(quota_refused_program_is_reaped),
	KUNIT_CASE(quota_program_limits),
	KUNIT_CASE(quota_contexts_per_file),
	KUNIT_CASE(quota_waits_for_leftovers),
	KUNIT_CASE(quota_waits_no_longer_than_a_command),
	KUNIT_CASE(quota_contexts_wait_too),
	{}
};

static struct kunit_suite quota_suite = {
	.name = "virtio_accel_quota",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = quota_cases,
};

/* A backend that has its own memory, as one behind virtio. */
static int quota_own_init(struct kunit *test)
{
	int err = rig_init_bare(test);
	struct rig *rig = test->priv;

	if (err)
		return err;
	rig->fake.info.features &= ~VACC_FEATURE_MMAP;
	rig_register(rig);
	return 0;
}

static void quota_own_memory_is_charged(struct kunit *test)
{
	struct rig *rig = test->priv;
	u32 context = rig_context(rig);
	u32 handles[2];

	rig_quota_set(1000, 1, 0);
	KUNIT_EXPECT_EQ(test, quota_buffer(rig, context, 600, &handles[0]), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->bytes), 600);
	KUNIT_EXPECT_EQ(test, quota_buffer(rig, context, 401, &handles[1]),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, quota_buffer(rig, context, 400, &handles[1]), 0);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_BUFFER_DESTROY,
					      handles[0]), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->bytes), 400);
	fake_fail(&rig->fake, FAKE_BUFFER_CREATE, 1,
		  vacc_rejected(VIRTIO_ACCEL_S_OUT_OF_MEMORY));
	KUNIT_EXPECT_EQ(test, quota_buffer(rig, context, 1, &handles[0]),
			-ENOMEM);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->bytes), 400);
}

static void quota_own_memory_is_not_mapped(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_buffer_query query = {
		.handle = rig_buffer(rig, rig_context(rig)),
	};

	KUNIT_ASSERT_EQ(test, RIG_CALL(rig, VACC_BUFFER_QUERY, &query), 0);
	KUNIT_EXPECT_EQ(test, query.mmap_offset, 0ULL);
	KUNIT_EXPECT_FALSE(test, query.properties & VACC_PROP_MAPPABLE);
	KUNIT_EXPECT_EQ(test, (long)vm_mmap(rig->file[0], 0, PAGE_SIZE, 1, 1,
					    PAGE_SIZE), -EOPNOTSUPP);
}

static struct kunit_case quota_own_cases[] = {
	KUNIT_CASE(quota_own_memory_is_charged),
	KUNIT_CASE(quota_own_memory_is_not_mapped),
	{}
};

static struct kunit_suite quota_own_suite = {
	.name = "virtio_accel_quota_own_memory",
	.init = quota_own_init,
	.exit = rig_exit,
	.test_cases = quota_own_cases,
};

kunit_test_suites(&quota_suite, &quota_own_suite);
