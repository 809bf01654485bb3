// SPDX-License-Identifier: GPL-2.0
/*
 * Submissions: checks in their order, refusals that leave nothing, and what the caller
 * is told when.
 */
#include <linux/dma-fence.h>
#include <linux/fdtable.h>
#include <linux/file.h>

#include "rig.h"

/* One thing wrong at a time, and two where the order matters. */
struct submit_check {
	const char *name;
	struct vacc_submit arg;
	struct vacc_binding binding;
	int error;
};

#define BIND	{ .access = VIRTIO_ACCEL_ACCESS_READ, .bytes = 16 }
#define NO_OBJ	999

static const struct submit_check submit_checks[] = {
	{ "good", {}, BIND, 0 },
	{ "unknown flag", { .flags = 1 << 9, .deadline_ns = 1 }, BIND,
	  -EOPNOTSUPP },
	{ "record", { .flags = VACC_SUBMIT_RECORD }, BIND, 0 },
	{ "attribution", { .flags = VACC_SUBMIT_ATTRIBUTION }, BIND, 0 },
	{ "timing", { .flags = VACC_SUBMIT_TIMING }, BIND, 0 },
	{ "replay only", { .flags = VACC_SUBMIT_REPLAY_ONLY }, BIND,
	  -EOPNOTSUPP },
	{ "captured", { .flags = VACC_SUBMIT_CAPTURED }, BIND, -EOPNOTSUPP },
	{ "kind write", { .kind = VACC_SUBMIT_WRITE }, BIND, -EOPNOTSUPP },
	{ "kind inline", { .kind = VACC_SUBMIT_INLINE }, BIND, -EOPNOTSUPP },
	{ "priority", { .priority = 1 }, BIND, -EOPNOTSUPP },
	{ "data", { .data = 1 }, BIND, -EOPNOTSUPP },
	{ "data bytes", { .data_bytes = 1 }, BIND, -EOPNOTSUPP },
	{ "in-fences nowhere", { .in_fences = { 1, 16, 0 } }, BIND, -EFAULT },
	{ "in-fences without a stride", { .in_fences = { 1, 0, 0 } }, BIND,
	  -EINVAL },
	{ "65 in-fences", { .in_fences = { 65, 16, 0 } }, BIND, -EINVAL },
	{ "deadline without wait", { .deadline_ns = 1 }, BIND, -EINVAL },
	{ "deadline after all time", { .flags = VACC_SUBMIT_WAIT,
	  .deadline_ns = VACC_NO_DEADLINE + 1 }, BIND, -EINVAL },
	{ "flag before deadline", { .flags = VACC_SUBMIT_WAIT, .priority = 1,
	  .deadline_ns = VACC_NO_DEADLINE + 1 }, BIND, -EOPNOTSUPP },
	{ "empty binding", {}, { .access = 1 }, -EINVAL },
	{ "empty binding before handles", { .queue = NO_OBJ }, { .access = 1 },
	  -EINVAL },
	{ "access 0", {}, { .bytes = 1 }, -EINVAL },
	{ "access 4", {}, { .access = 4, .bytes = 1 }, -EINVAL },
	{ "unknown type", {}, { .access = 1, .bytes = 1,
	  .element_type = VACC_TYPE_COUNT }, -EINVAL },
	{ "unknown queue", { .queue = NO_OBJ }, BIND, -ENOENT },
	{ "unknown program", { .program = NO_OBJ }, BIND, -ENOENT },
	{ "unknown buffer", {}, { .buffer = NO_OBJ, .access = 1, .bytes = 1 },
	  -ENOENT },
	{ "unknown buffer before range", {}, { .buffer = NO_OBJ, .access = 1,
	  .bytes = ~0ULL }, -ENOENT },
	{ "range", {}, { .access = 1, .offset = 4000, .bytes = 97 }, -ERANGE },
	{ "range before access", {}, { .access = 3, .offset = 4096, .bytes = 1 },
	  -ERANGE },
	{ "access", {}, { .access = VIRTIO_ACCEL_ACCESS_WRITE, .bytes = 1 },
	  -EACCES },
	{ "access before type", {}, { .access = 3, .bytes = 1,
	  .element_type = VACC_TYPE_F64 }, -EACCES },
	{ "type", {}, { .access = 1, .bytes = 1, .element_type = VACC_TYPE_F64 },
	  -EINVAL },
	{ "type that it has", {}, { .access = 1, .bytes = 1,
	  .element_type = VACC_TYPE_F16 }, 0 },
};

KUNIT_ARRAY_PARAM_DESC(submit_check, submit_checks, name);

/* Readable f16 and nothing else. */
static u32 submit_input(struct rig *rig, u32 context)
{
	struct vacc_buffer_create arg = {
		.context = context,
		.domain = VIRTIO_ACCEL_DOMAIN_HOST,
		.usage = VIRTIO_ACCEL_USAGE_INPUT,
		.element_type = VACC_TYPE_F16,
		.bytes = RIG_BUFFER_BYTES,
		.alignment = 1,
	};

	KUNIT_ASSERT_EQ(rig->test, RIG_CALL(rig, VACC_BUFFER_CREATE, &arg), 0);
	return arg.handle;
}

/* Nothing of a submission is left in the core. */
static void submit_expect_nothing(struct rig *rig, const struct rig_bench *bench)
{
	const u32 handles[] = { bench->queue, bench->program, bench->buffer };
	struct vacc_device *dev = rig->fake.dev;
	struct kunit *test = rig->test;
	struct vacc_queue_query query;
	int i;

	for (i = 0; i < ARRAY_SIZE(handles); i++) {
		struct vacc_obj *obj = rig_obj(rig, handles[i]);

		KUNIT_EXPECT_EQ(test, atomic_read(&obj->users), 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&obj->pending), 0);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&rig_file(rig, 0)->inflight), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&dev->live[VACC_KIND_EVENT]), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&dev->direct_bindings), 0);
	rig_queue_query(rig, bench->queue, &query);
	KUNIT_EXPECT_EQ(test, query.state, (u32)VACC_QUEUE_READY);
	KUNIT_EXPECT_EQ(test, query.pending, 0U);
	KUNIT_EXPECT_EQ(test, query.submitted, 0ULL);
	KUNIT_EXPECT_EQ(test, query.failed, 0ULL);
}

static void submit_is_checked(struct kunit *test)
{
	const struct submit_check *check = test->param_value;
	struct vacc_binding binding = check->binding;
	struct vacc_submit submit = check->arg;
	struct rig *rig = test->priv;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	bench.buffer = submit_input(rig, bench.context);
	binding.buffer = binding.buffer ? binding.buffer : bench.buffer;
	rig_put(rig, RIG_ARRAY, &binding, sizeof(binding));
	submit.bindings = rig_array(rig, RIG_ARRAY, 1, sizeof(binding));
	KUNIT_EXPECT_EQ(test, rig_submit(rig, &bench, &submit), check->error);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_SUBMIT],
			check->error ? 0U : 1U);
	if (check->error)
		submit_expect_nothing(rig, &bench);
}

/* Every access to a buffer of every single usage. */
static void submit_access_and_usage(struct kunit *test)
{
	static const bool allowed[4][5] = {
		/*	src	dst	input	output	mutable */
		{},
		{	false,	false,	true,	false,	true },
		{	false,	false,	false,	true,	true },
		{	false,	false,	false,	false,	true },
	};
	struct vacc_binding binding = { .bytes = 1 };
	struct rig *rig = test->priv;
	struct rig_bench bench;
	u32 access;
	int usage;

	rig->fake.run_here = true;
	rig_bench(rig, &bench);
	for (usage = 0; usage < 5; usage++) {
		binding.buffer = rig_buffer_usage(rig, bench.context, 1, 1 << usage);
		for (access = 1; access < 4; access++) {
			struct vacc_submit submit = {
				.bindings = rig_array(rig, RIG_ARRAY, 1,
						      sizeof(binding)),
			};

			binding.access = access;
			rig_put(rig, RIG_ARRAY, &binding, sizeof(binding));
			KUNIT_EXPECT_EQ_MSG(test,
					    rig_submit(rig, &bench, &submit),
					    allowed[access][usage] ? 0 : -EACCES,
					    "usage %x access %u", 1 << usage,
					    access);
		}
	}
}

static void submit_other_context(struct kunit *test)
{
	struct vacc_submit submit = {};
	struct rig *rig = test->priv;
	struct rig_bench bench, other, mixed;

	rig_bench(rig, &bench);
	rig_bench(rig, &other);
	mixed = bench;
	mixed.program = other.program;
	KUNIT_EXPECT_EQ(test, rig_submit(rig, &mixed, &submit), -EINVAL);
	mixed = bench;
	mixed.buffer = other.buffer;
	memset(&submit, 0, sizeof(submit));
	KUNIT_EXPECT_EQ(test, rig_submit(rig, &mixed, &submit), -EINVAL);
	mixed = bench;
	mixed.queue = other.queue;
	memset(&submit, 0, sizeof(submit));
	KUNIT_EXPECT_EQ(test, rig_submit(rig, &mixed, &submit), -EINVAL);
	submit_expect_nothing(rig, &bench);
	submit_expect_nothing(rig, &other);
}

struct submit_many {
	const char *name;
	u32 count;
	u32 twice;
	int error;
};

static const struct submit_many submit_manys[] = {
	{ "0", 0, 0, -EINVAL },
	{ "1", 1, 0, 0 },
	{ "as many as fit", 6, 0, 0 },
	{ "one more", 7, 0, -ENOSPC },
	{ "over every device's", 4097, 0, -EINVAL },
	{ "a slot twice", 6, 5, -EINVAL },
	{ "a slot twice before the limit", 7, 3, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(submit_many, submit_manys, name);

/* One buffer at many slots: its uses are one. */
static void submit_many_bindings(struct kunit *test)
{
	const struct submit_many *many = test->param_value;
	struct vacc_binding bindings[8] = {};
	struct vacc_submit submit = {};
	struct rig *rig = test->priv;
	struct rig_bench bench;
	u32 i;

	rig_bench(rig, &bench);
	for (i = 0; i < ARRAY_SIZE(bindings); i++)
		bindings[i] = (struct vacc_binding){
			.buffer = bench.buffer,
			.slot = many->twice && i == many->twice ? 0xffffffff - 1 :
								  0xffffffff - i,
			.access = VIRTIO_ACCEL_ACCESS_READ,
			.offset = i,
			.bytes = 100 + i,
		};
	rig_put(rig, RIG_ARRAY, bindings, sizeof(bindings));
	submit.bindings = rig_array(rig, RIG_ARRAY, many->count,
				    sizeof(bindings[0]));
	KUNIT_EXPECT_EQ(test, rig_submit(rig, &bench, &submit), many->error);
	if (many->error) {
		submit_expect_nothing(rig, &bench);
		return;
	}
	KUNIT_EXPECT_EQ(test, rig->fake.work.binding_count, many->count);
	for (i = 0; i < many->count; i++) {
		KUNIT_EXPECT_EQ(test, rig->fake.binds[i].slot, bindings[i].slot);
		KUNIT_EXPECT_EQ(test, rig->fake.binds[i].offset, (u64)i);
		KUNIT_EXPECT_EQ(test, rig->fake.binds[i].bytes, 100ULL + i);
	}
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->direct_bindings),
			(s64)many->count);
	KUNIT_EXPECT_EQ(test, atomic_read(&rig_obj(rig, bench.buffer)->users), 1);
}

/* What the backend gets of a type: what is asserted, else what the buffer has. */
static void submit_types_for_the_backend(struct kunit *test)
{
	struct vacc_binding bindings[3] = {};
	struct vacc_submit submit = { .timeout_ns = 12345678 };
	struct rig *rig = test->priv;
	struct rig_bench bench;
	int i;

	rig_bench(rig, &bench);
	for (i = 0; i < ARRAY_SIZE(bindings); i++) {
		bindings[i].buffer = bench.buffer;
		bindings[i].slot = i;
		bindings[i].access = VIRTIO_ACCEL_ACCESS_READ;
		bindings[i].bytes = 2;
	}
	bindings[1].element_type = VACC_TYPE_I32;
	bindings[2].buffer = submit_input(rig, bench.context);
	rig_put(rig, RIG_ARRAY, bindings, sizeof(bindings));
	submit.bindings = rig_array(rig, RIG_ARRAY, 3, sizeof(bindings[0]));
	KUNIT_ASSERT_EQ(test, rig_submit(rig, &bench, &submit), 0);
	KUNIT_EXPECT_EQ(test, rig->fake.binds[0].element_type, VACC_TYPE_UNTYPED);
	KUNIT_EXPECT_EQ(test, rig->fake.binds[1].element_type, VACC_TYPE_I32);
	KUNIT_EXPECT_EQ(test, rig->fake.binds[2].element_type, VACC_TYPE_F16);
	KUNIT_EXPECT_PTR_EQ(test, rig->fake.binds[2].buffer,
			    rig_obj(rig, bindings[2].buffer)->backend);
	KUNIT_EXPECT_PTR_EQ(test, rig->fake.work.queue,
			    rig_obj(rig, bench.queue)->backend);
	KUNIT_EXPECT_PTR_EQ(test, rig->fake.work.program,
			    rig_obj(rig, bench.program)->backend);
	KUNIT_EXPECT_EQ(test, rig->fake.work.timeout_ns, 12345678ULL);
}

/* Definitely not submitted, and nothing is kept: not a handle, not a descriptor. */
static void submit_rejected(struct kunit *test)
{
	struct vacc_submit submit = { .flags = VACC_SUBMIT_OUT_FENCE };
	int before = get_unused_fd_flags(0);
	struct rig *rig = test->priv;
	struct rig_bench bench;
	struct vacc_stats stats;
	u32 event;
	int after;

	put_unused_fd(before);
	rig_bench(rig, &bench);
	fake_fail(&rig->fake, FAKE_EVENT_SUBMIT, 1,
		  vacc_rejected(VIRTIO_ACCEL_S_INCOMPATIBLE));
	KUNIT_EXPECT_EQ(test, rig_submit(rig, &bench, &submit), -ENOEXEC);
	submit_expect_nothing(rig, &bench);
	after = get_unused_fd_flags(0);
	put_unused_fd(after);
	KUNIT_EXPECT_EQ(test, after, before);
	rig_stats(rig, &stats);
	KUNIT_EXPECT_EQ(test, stats.rejected, 1ULL);
	KUNIT_EXPECT_EQ(test, stats.submitted, 0ULL);
	event = rig_event(rig, &bench);
	KUNIT_EXPECT_NE(test, event, submit.event);
	rig_stats(rig, &stats);
	KUNIT_EXPECT_EQ(test, stats.submitted, 1ULL);
	KUNIT_EXPECT_EQ(test, stats.direct_bindings, 1ULL);
}

/* By what does not take the device, which hears nothing of it. */
static void submit_refused(struct kunit *test)
{
	struct vacc_last_error last = {};
	struct vacc_submit submit = {};
	struct rig *rig = test->priv;
	struct rig_bench bench;
	struct vacc_stats stats;

	rig_bench(rig, &bench);
	fake_fail(&rig->fake, FAKE_EVENT_PREPARE, 1,
		  vacc_rejected(VIRTIO_ACCEL_S_INCOMPATIBLE));
	KUNIT_EXPECT_EQ(test, rig_submit(rig, &bench, &submit), -ENOEXEC);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_SUBMIT], 0U);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_DISCARD], 0U);
	KUNIT_ASSERT_EQ(test, RIG_CALL(rig, VACC_LAST_ERROR, &last), 0);
	KUNIT_EXPECT_EQ(test, last.binding, 1U);
	KUNIT_EXPECT_STREQ(test, (char *)last.text, "the fake does not like it");
	submit_expect_nothing(rig, &bench);
	rig_stats(rig, &stats);
	KUNIT_EXPECT_EQ(test, stats.rejected, 1ULL);
	KUNIT_EXPECT_EQ(test, stats.submitted, 0ULL);
}

/* Written to memory that cannot be: the backend never sees it. */
static void submit_result_faults(struct kunit *test)
{
	struct vacc_submit submit = { .size = sizeof(submit) };
	struct vacc_binding binding = { .access = 1, .bytes = 1 };
	struct rig *rig = test->priv;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	binding.buffer = bench.buffer;
	rig_put(rig, RIG_ARRAY, &binding, sizeof(binding));
	submit.queue = bench.queue;
	submit.program = bench.program;
	submit.bindings = rig_array(rig, RIG_ARRAY, 1, sizeof(binding));
	rig_put(rig, rig->twin_rw - rig->user, &submit, sizeof(submit));
	KUNIT_EXPECT_EQ(test, rig_ioctl_at(rig, rig->file[0], VACC_SUBMIT,
					   rig->twin_ro), -EFAULT);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_PREPARE], 0U);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_SUBMIT], 0U);
	submit_expect_nothing(rig, &bench);
}

/* The result stands in the caller's memory before the backend is asked. */
static void submit_provisional_hook(struct fake *fake, enum fake_op op)
{
	struct rig *rig = container_of(fake, struct rig, fake);
	struct vacc_submit *seen = fake->hook_data;

	if (op != FAKE_EVENT_SUBMIT)
		return;
	/* Without a fault, as a lock is held. */
	KUNIT_EXPECT_EQ(rig->test,
			copy_from_user_nofault(seen,
					       (void __user *)rig->user + RIG_ARG,
					       sizeof(*seen)), 0);
}

static void submit_provisional_result(struct kunit *test)
{
	struct vacc_submit submit = { .state = 99, .status = 99, .event_flags = 99,
				      .out_fence_fd = 99 };
	struct vacc_submit seen = {};
	struct rig *rig = test->priv;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	rig->fake.hook_data = &seen;
	rig->fake.hook = submit_provisional_hook;
	KUNIT_ASSERT_EQ(test, rig_submit(rig, &bench, &submit), 0);
	KUNIT_EXPECT_NE(test, seen.event, 0U);
	KUNIT_EXPECT_EQ(test, seen.event, submit.event);
	KUNIT_EXPECT_EQ(test, seen.admission, (u32)VACC_ACCEPTED);
	KUNIT_EXPECT_EQ(test, seen.state, (u32)VACC_EVENT_PENDING);
	KUNIT_EXPECT_EQ(test, seen.status, 0U);
	KUNIT_EXPECT_EQ(test, seen.event_flags, 0U);
	KUNIT_EXPECT_EQ(test, seen.out_fence_fd, -1);
}

static void submit_indeterminate(struct kunit *test)
{
	struct vacc_submit submit = {};
	struct vacc_event_query query;
	struct rig *rig = test->priv;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	fake_fail(&rig->fake, FAKE_EVENT_SUBMIT, 1,
		  vacc_indeterminate(VIRTIO_ACCEL_S_DEVICE_LOST));
	KUNIT_ASSERT_EQ(test, rig_submit(rig, &bench, &submit), 0);
	KUNIT_EXPECT_EQ(test, submit.admission, (u32)VACC_INDETERMINATE);
	KUNIT_EXPECT_EQ(test, submit.state, (u32)VACC_EVENT_PENDING);
	KUNIT_EXPECT_EQ(test, submit.event_flags, (u32)VACC_EVENT_INDETERMINATE);
	rig_query(rig, submit.event, &query);
	KUNIT_EXPECT_EQ(test, query.admission, (u32)VACC_INDETERMINATE);
	KUNIT_EXPECT_EQ(test, query.event_flags, (u32)VACC_EVENT_INDETERMINATE);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_BUFFER_DESTROY,
					      bench.buffer), -EBUSY);
	/* What the device says of it is known for certain. */
	fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, VIRTIO_ACCEL_S_OK);
	rig_query(rig, submit.event, &query);
	KUNIT_EXPECT_EQ(test, query.state, (u32)VACC_EVENT_COMPLETE);
	KUNIT_EXPECT_EQ(test, query.event_flags, (u32)VACC_EVENT_QUIESCENT);
}

static void submit_ends_inside(struct kunit *test)
{
	struct vacc_submit submit = { .flags = VACC_SUBMIT_WAIT };
	struct vacc_event_query query;
	struct rig *rig = test->priv;
	struct rig_bench bench;

	rig->fake.run_here = true;
	rig_bench(rig, &bench);
	rig_query(rig, rig_event(rig, &bench), &query);
	KUNIT_EXPECT_EQ(test, query.state, (u32)VACC_EVENT_COMPLETE);
	/* A deadline that has passed does not matter. */
	KUNIT_ASSERT_EQ(test, rig_submit(rig, &bench, &submit), 0);
	KUNIT_EXPECT_EQ(test, submit.state, (u32)VACC_EVENT_COMPLETE);
	KUNIT_EXPECT_EQ(test, submit.event_flags, (u32)VACC_EVENT_QUIESCENT);
	rig_settle(rig);
	KUNIT_EXPECT_EQ(test, atomic_read(&rig_file(rig, 0)->inflight), 0);
}

static void submit_fail_later(struct rig *rig)
{
	fake_end(&rig->fake, 0, VACC_EVENT_FAILED, VIRTIO_ACCEL_S_OUT_OF_BOUNDS);
}

static void submit_waits(struct kunit *test)
{
	struct vacc_submit submit = { .flags = VACC_SUBMIT_WAIT,
				      .deadline_ns = 1 };
	struct rig *rig = test->priv;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	KUNIT_ASSERT_EQ(test, rig_submit(rig, &bench, &submit), 0);
	KUNIT_EXPECT_EQ(test, submit.state, (u32)VACC_EVENT_PENDING);
	submit_fail_later(rig);

	submit.flags |= VACC_SUBMIT_AUTO_DESTROY;
	submit.deadline_ns = VACC_NO_DEADLINE;
	rig_later(rig, submit_fail_later);
	KUNIT_ASSERT_EQ(test, rig_submit(rig, &bench, &submit), 0);
	flush_work(&rig->later);
	/* On more CPUs the work may come too early. */
	KUNIT_EXPECT_EQ(test, submit.state, (u32)VACC_EVENT_FAILED);
	KUNIT_EXPECT_EQ(test, submit.status, (u32)VIRTIO_ACCEL_S_OUT_OF_BOUNDS);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_EVENT_DESTROY,
					      submit.event), -ENOENT);
}

static void submit_out_fence(struct kunit *test)
{
	struct vacc_submit submit = { .flags = VACC_SUBMIT_OUT_FENCE };
	struct rig *rig = test->priv;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	KUNIT_ASSERT_EQ(test, rig_submit(rig, &bench, &submit), 0);
	KUNIT_EXPECT_GE(test, submit.out_fence_fd, 0);
	KUNIT_EXPECT_EQ(test, close_fd(submit.out_fence_fd), 0);
	flush_delayed_fput();
}

/* Room in flight comes back when the device lets go, and so do handles. */
static void submit_room(struct kunit *test)
{
	struct vacc_submit submit = {};
	struct rig *rig = test->priv;
	struct rig_bench bench;
	u32 first;

	rig_quota_set(0, 2, 0);
	rig_bench(rig, &bench);
	first = rig_event(rig, &bench);
	rig_event(rig, &bench);
	KUNIT_EXPECT_EQ(test, rig_submit(rig, &bench, &submit), -EAGAIN);
	KUNIT_EXPECT_EQ(test, atomic_read(&rig_file(rig, 0)->inflight), 2);
	fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, VIRTIO_ACCEL_S_OK);
	rig_settle(rig);
	KUNIT_EXPECT_EQ(test, rig_submit(rig, &bench, &submit), 0);
	fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, VIRTIO_ACCEL_S_OK);
	rig_settle(rig);
	rig->fake.dev->info.max_events_per_context = 3;
	KUNIT_EXPECT_EQ(test, rig_submit(rig, &bench, &submit), -EAGAIN);
	KUNIT_EXPECT_EQ(test, atomic_read(&rig_file(rig, 0)->inflight), 1);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_EVENT_DESTROY, first), 0);
	KUNIT_EXPECT_EQ(test, rig_submit(rig, &bench, &submit), 0);
}

static struct kunit_case submit_cases[] = {
	KUNIT_CASE_PARAM(submit_is_checked, submit_check_gen_params),
	KUNIT_CASE(submit_access_and_usage),
	KUNIT_CASE(submit_other_context),
	KUNIT_CASE_PARAM(submit_many_bindings, submit_many_gen_params),
	KUNIT_CASE(submit_types_for_the_backend),
	KUNIT_CASE(submit_rejected),
	KUNIT_CASE(submit_refused),
	KUNIT_CASE(submit_result_faults),
	KUNIT_CASE(submit_provisional_result),
	KUNIT_CASE(submit_indeterminate),
	KUNIT_CASE(submit_ends_inside),
	KUNIT_CASE(submit_waits),
	KUNIT_CASE(submit_out_fence),
	KUNIT_CASE(submit_room),
	{}
};

static struct kunit_suite submit_suite = {
	.name = "virtio_accel_submit",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = submit_cases,
};

kunit_test_suite(submit_suite);
