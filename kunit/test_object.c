// SPDX-License-Identifier: GPL-2.0
/*
 * Handles: reservation, publication, lookups, limits, and who may take them away.
 */
#include <linux/slab.h>

#include "rig.h"

static void object_reserved_is_hidden(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_obj obj = {};
	struct vacc_call call;

	rig_call(rig, &call);
	KUNIT_ASSERT_EQ(test, vacc_obj_reserve(&call, &obj, VACC_KIND_CONTEXT,
					       NULL), 0);
	KUNIT_EXPECT_NE(test, obj.handle, 0U);
	KUNIT_EXPECT_NULL(test, vacc_obj_get(&call, obj.handle,
					     VACC_KIND_CONTEXT));
	KUNIT_EXPECT_EQ(test, atomic_read(&rig->fake.dev->live[VACC_KIND_CONTEXT]),
			1);
	vacc_obj_publish(&obj);
	KUNIT_EXPECT_PTR_EQ(test, vacc_obj_get(&call, obj.handle,
					       VACC_KIND_CONTEXT), &obj);
	KUNIT_EXPECT_EQ(test, atomic_read(&obj.users), 1);
	vacc_obj_put(&obj);
	KUNIT_EXPECT_EQ(test, atomic_read(&obj.users), 0);
	vacc_obj_unreserve(&obj);
	KUNIT_EXPECT_NULL(test, vacc_obj_get(&call, obj.handle,
					     VACC_KIND_CONTEXT));
	KUNIT_EXPECT_EQ(test, atomic_read(&rig->fake.dev->live[VACC_KIND_CONTEXT]),
			0);
}

static void object_unpublish_has_one_winner(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_obj obj = {};
	struct vacc_call call;

	rig_call(rig, &call);
	KUNIT_ASSERT_EQ(test, vacc_obj_reserve(&call, &obj, VACC_KIND_CONTEXT,
					       NULL), 0);
	KUNIT_EXPECT_FALSE(test, vacc_obj_unpublish(&obj));
	vacc_obj_publish(&obj);
	KUNIT_EXPECT_TRUE(test, vacc_obj_unpublish(&obj));
	KUNIT_EXPECT_FALSE(test, vacc_obj_unpublish(&obj));
}

/* Every kind of handle in the place of every other one. */
struct object_kind {
	const char *name;
	enum vacc_kind kind;
	unsigned int destroy;
};

static const struct object_kind object_kinds[] = {
	{ "context", VACC_KIND_CONTEXT, VACC_CONTEXT_DESTROY },
	{ "buffer", VACC_KIND_BUFFER, VACC_BUFFER_DESTROY },
	{ "program", VACC_KIND_PROGRAM, VACC_PROGRAM_UNLOAD },
	{ "queue", VACC_KIND_QUEUE, VACC_QUEUE_DESTROY },
	{ "event", VACC_KIND_EVENT, VACC_EVENT_DESTROY },
};

KUNIT_ARRAY_PARAM_DESC(object_kind, object_kinds, name);

static void object_handles_of(struct rig *rig, u32 handles[VACC_KIND_COUNT])
{
	struct rig_bench bench;

	rig->fake.run_here = true;
	rig_bench(rig, &bench);
	handles[VACC_KIND_CONTEXT] = bench.context;
	handles[VACC_KIND_BUFFER] = bench.buffer;
	handles[VACC_KIND_PROGRAM] = bench.program;
	handles[VACC_KIND_QUEUE] = bench.queue;
	handles[VACC_KIND_EVENT] = rig_event(rig, &bench);
	rig_settle(rig);
}

static void object_destroy_of_each_kind(struct kunit *test)
{
	const struct object_kind *kind = test->param_value;
	static const u32 never[] = { 0, 999, 0xffffffff };
	u32 handles[VACC_KIND_COUNT];
	struct rig *rig = test->priv;
	int i;

	object_handles_of(rig, handles);
	for (i = 0; i < ARRAY_SIZE(never); i++)
		KUNIT_EXPECT_EQ(test, rig_handle_call(rig, kind->destroy,
						      never[i]), -ENOENT);
	for (i = 0; i < VACC_KIND_COUNT; i++)
		if (i != kind->kind)
			KUNIT_EXPECT_EQ(test, rig_handle_call(rig, kind->destroy,
							      handles[i]),
					-ENOENT);
	KUNIT_EXPECT_EQ(test, atomic_read(&rig->fake.dev->live[kind->kind]), 1);
	if (kind->kind == VACC_KIND_CONTEXT) {
		KUNIT_EXPECT_EQ(test, rig_handle_call(rig, kind->destroy,
						      handles[0]), -EBUSY);
		return;
	}
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, kind->destroy,
					      handles[kind->kind]), 0);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, kind->destroy,
					      handles[kind->kind]), -ENOENT);
	KUNIT_EXPECT_EQ(test, atomic_read(&rig->fake.dev->live[kind->kind]), 0);
}

/* What is found is of the kind that is looked for. */
static void object_lookup_of_each_kind(struct kunit *test)
{
	u32 handles[VACC_KIND_COUNT];
	struct rig *rig = test->priv;
	struct vacc_call call;
	int kind, i;

	object_handles_of(rig, handles);
	rig_call(rig, &call);
	for (kind = 0; kind < VACC_KIND_EVENT; kind++)
		for (i = 0; i < VACC_KIND_COUNT; i++) {
			struct vacc_obj *obj = vacc_obj_get(&call, handles[i],
							    kind);

			KUNIT_EXPECT_EQ(test, !!obj, i == kind);
			if (obj)
				vacc_obj_put(obj);
		}
	for (i = 0; i < VACC_KIND_EVENT; i++)
		KUNIT_EXPECT_NULL(test, vacc_event_get(&call, handles[i]));
}

static void object_other_files_are_foreign(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_handle_arg arg = { .handle = rig_context(rig) };
	struct file *other = rig_open(rig, 1);

	KUNIT_EXPECT_EQ(test, rig_ioctl_file(rig, other, VACC_CONTEXT_DESTROY,
					     &arg, sizeof(arg)), -ENOENT);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_CONTEXT_DESTROY,
					      arg.handle), 0);
}

static void object_flags_come_before_handles(struct kunit *test)
{
	const struct object_kind *kind = test->param_value;
	struct rig *rig = test->priv;
	struct vacc_handle_arg arg = { .flags = 1, .reserved = 1 };

	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, kind->destroy, &arg), -EOPNOTSUPP);
	arg.flags = 0;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, kind->destroy, &arg), -EINVAL);
	arg.reserved = 0;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, kind->destroy, &arg), -ENOENT);
}

/* Handles are not reused, and wrap without taking one that is in use. */
static void object_handles_wrap(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_file *file = rig_file(rig, 0);
	u32 first = rig_context(rig);
	u32 second = rig_context(rig);

	KUNIT_EXPECT_EQ(test, second, first + 1);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_CONTEXT_DESTROY, second),
			0);
	KUNIT_EXPECT_EQ(test, rig_context(rig), second + 1);
	KUNIT_EXPECT_EQ(test, first, 1U);
	file->next_handle = U32_MAX;
	KUNIT_EXPECT_EQ(test, rig_context(rig), U32_MAX);
	/* 0 is no handle, 1 is in use. */
	KUNIT_EXPECT_EQ(test, rig_context(rig), 2U);
	KUNIT_EXPECT_EQ(test, rig_context(rig), 4U);
}

struct object_limit {
	const char *name;
	enum vacc_kind kind;
	size_t limit;
	int error;
};

static const struct object_limit object_limits[] = {
	{ "buffers", VACC_KIND_BUFFER,
	  offsetof(struct vacc_backend_info, max_buffers_per_context), -ENOSPC },
	{ "programs", VACC_KIND_PROGRAM,
	  offsetof(struct vacc_backend_info, max_programs_per_context), -ENOSPC },
	{ "queues", VACC_KIND_QUEUE,
	  offsetof(struct vacc_backend_info, max_queues_per_context), -ENOSPC },
	{ "events", VACC_KIND_EVENT,
	  offsetof(struct vacc_backend_info, max_events_per_context), -EAGAIN },
};

KUNIT_ARRAY_PARAM_DESC(object_limit, object_limits, name);

/* Two of a kind, then none, then one again when one has gone. */
static void object_limit_of_a_context(struct kunit *test)
{
	const struct object_limit *limit = test->param_value;
	struct vacc_obj obj[3] = {};
	struct rig *rig = test->priv;
	struct vacc_context *context;
	struct vacc_call call;

	rig_call(rig, &call);
	context = vacc_context_get(&call, rig_context(rig));
	KUNIT_ASSERT_NOT_NULL(test, context);
	*(u32 *)((void *)&rig->fake.dev->info + limit->limit) = 2;
	KUNIT_EXPECT_EQ(test, vacc_obj_reserve(&call, &obj[0], limit->kind,
					       context), 0);
	KUNIT_EXPECT_EQ(test, vacc_obj_reserve(&call, &obj[1], limit->kind,
					       context), 0);
	KUNIT_EXPECT_EQ(test, vacc_obj_reserve(&call, &obj[2], limit->kind,
					       context), limit->error);
	KUNIT_EXPECT_NOT_NULL(test, call.reason.text);
	KUNIT_EXPECT_EQ(test, context->counts[limit->kind], 2U);
	KUNIT_EXPECT_EQ(test, context->children,
			limit->kind == VACC_KIND_EVENT ? 0U : 2U);
	vacc_obj_unreserve(&obj[0]);
	KUNIT_EXPECT_EQ(test, vacc_obj_reserve(&call, &obj[2], limit->kind,
					       context), 0);
	vacc_obj_unreserve(&obj[1]);
	vacc_obj_unreserve(&obj[2]);
	KUNIT_EXPECT_EQ(test, context->children, 0U);
	vacc_context_put(context);
}

static void object_contexts_of_the_device(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_context_create arg = {};
	u32 first = 0;
	u32 i;

	rig_open(rig, 1);
	for (i = 0; i < rig->fake.dev->info.max_contexts; i++) {
		KUNIT_ASSERT_EQ(test, rig_ioctl_file(rig, rig->file[i & 1],
						     VACC_CONTEXT_CREATE, &arg,
						     sizeof(arg)), 0);
		if (!i)
			first = arg.handle;
	}
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_CONTEXT_CREATE, &arg), -ENOSPC);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_CONTEXT_DESTROY, first),
			0);
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_CONTEXT_CREATE, &arg), 0);
}

/* A create that fails leaves nothing, neither in the core nor in the backend. */
struct object_failure {
	const char *name;
	enum fake_op op;
	u16 status;
	int error;
};

static const struct object_failure object_failures[] = {
	{ "context", FAKE_CONTEXT_CREATE, VIRTIO_ACCEL_S_OUT_OF_MEMORY, -ENOMEM },
	{ "queue", FAKE_QUEUE_CREATE, VIRTIO_ACCEL_S_RESOURCE_LIMIT, -ENOSPC },
	{ "program", FAKE_PROGRAM_LOAD, VIRTIO_ACCEL_S_INCOMPATIBLE, -ENOEXEC },
	{ "buffer", FAKE_BUFFER_CREATE, VACC_S_TRY_AGAIN, -EAGAIN },
};

KUNIT_ARRAY_PARAM_DESC(object_failure, object_failures, name);

static long object_create(struct rig *rig, enum fake_op op, u32 context)
{
	struct vacc_context_create create = {};
	struct vacc_queue_create queue = { .context = context };
	struct vacc_program_load load = {
		.context = context,
		.payload = rig->user + RIG_DATA,
		.payload_bytes = 24,
		.resident_bytes = 64,
	};
	struct vacc_buffer_create buffer = {
		.context = context,
		.domain = VIRTIO_ACCEL_DOMAIN_SHARED,
		.usage = VIRTIO_ACCEL_USAGE_INPUT,
		.bytes = 5000,
		.alignment = 64,
	};

	switch (op) {
	case FAKE_CONTEXT_CREATE:
		return RIG_CALL(rig, VACC_CONTEXT_CREATE, &create);
	case FAKE_QUEUE_CREATE:
		return RIG_CALL(rig, VACC_QUEUE_CREATE, &queue);
	case FAKE_PROGRAM_LOAD:
		return RIG_CALL(rig, VACC_PROGRAM_LOAD, &load);
	default:
		return RIG_CALL(rig, VACC_BUFFER_CREATE, &buffer);
	}
}

static void object_failed_create_leaves_nothing(struct kunit *test)
{
	const struct object_failure *failure = test->param_value;
	struct rig *rig = test->priv;
	struct vacc_device *dev = rig->fake.dev;
	u32 context = rig_context(rig);
	int live[VACC_KIND_COUNT];
	int kind;

	for (kind = 0; kind < VACC_KIND_COUNT; kind++)
		live[kind] = atomic_read(&dev->live[kind]);
	fake_fail(&rig->fake, failure->op, 1, vacc_rejected(failure->status));
	KUNIT_EXPECT_EQ(test, object_create(rig, failure->op, context),
			failure->error);
	for (kind = 0; kind < VACC_KIND_COUNT; kind++)
		KUNIT_EXPECT_EQ(test, atomic_read(&dev->live[kind]), live[kind]);
	KUNIT_EXPECT_EQ(test, atomic64_read(&dev->bytes), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&dev->contexts), 1);
	KUNIT_EXPECT_EQ(test, object_create(rig, failure->op, context), 0);
}

/* Rejected: still there.  Indeterminate: gone, and the call says so. */
static void object_destroy_outcomes(struct kunit *test)
{
	struct rig *rig = test->priv;
	u32 context = rig_context(rig);
	u32 queue = rig_queue(rig, context);

	fake_fail(&rig->fake, FAKE_QUEUE_DESTROY, 1,
		  vacc_rejected(VIRTIO_ACCEL_S_BUSY));
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_QUEUE_DESTROY, queue),
			-EBUSY);
	KUNIT_EXPECT_EQ(test, rig->fake.live[VACC_KIND_QUEUE], 1);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_CONTEXT_DESTROY, context),
			-EBUSY);
	fake_fail(&rig->fake, FAKE_QUEUE_DESTROY, 1,
		  vacc_indeterminate(VIRTIO_ACCEL_S_INTERNAL_ERROR));
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_QUEUE_DESTROY, queue),
			-EREMOTEIO);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_QUEUE_DESTROY, queue),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_CONTEXT_DESTROY, context),
			0);
}

static struct kunit_case object_cases[] = {
	KUNIT_CASE(object_reserved_is_hidden),
	KUNIT_CASE(object_unpublish_has_one_winner),
	KUNIT_CASE_PARAM(object_destroy_of_each_kind, object_kind_gen_params),
	KUNIT_CASE(object_lookup_of_each_kind),
	KUNIT_CASE(object_other_files_are_foreign),
	KUNIT_CASE_PARAM(object_flags_come_before_handles,
			 object_kind_gen_params),
	KUNIT_CASE(object_handles_wrap),
	KUNIT_CASE_PARAM(object_limit_of_a_context, object_limit_gen_params),
	KUNIT_CASE(object_contexts_of_the_device),
	KUNIT_CASE_PARAM(object_failed_create_leaves_nothing,
			 object_failure_gen_params),
	KUNIT_CASE(object_destroy_outcomes),
	{}
};

static struct kunit_suite object_suite = {
	.name = "virtio_accel_object",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = object_cases,
};

kunit_test_suite(object_suite);
