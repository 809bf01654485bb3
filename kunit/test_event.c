// SPDX-License-Identifier: GPL-2.0
/*
 * How events end, and what others see of it.
 */
#include <linux/dma-fence.h>
#include <linux/fdtable.h>
#include <linux/sync_file.h>
#include <linux/timer.h>

#include "rig.h"

/* What a timer would do when its time has come. */
static void event_advance_timer(struct vacc_event *event)
{
	struct timer_list *timer = &event->clock->timer;

	if (timer_delete(timer))
		timer->function(timer);
}

static void event_end_complete(struct rig *rig, u32 handle)
{
	fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, VIRTIO_ACCEL_S_OK);
}

static void event_end_complete_with_status(struct rig *rig, u32 handle)
{
	fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, VIRTIO_ACCEL_S_BUSY);
}

static void event_end_cancel(struct rig *rig, u32 handle)
{
	KUNIT_EXPECT_EQ(rig->test, rig_handle_call(rig, VACC_EVENT_CANCEL,
						   handle), 0);
}

static void event_end_device_cancels(struct rig *rig, u32 handle)
{
	fake_end(&rig->fake, 0, VACC_EVENT_CANCELLED, VIRTIO_ACCEL_S_INTERNAL_ERROR);
}

static void event_end_timeout(struct rig *rig, u32 handle)
{
	struct vacc_event *event = rig_event_of(rig, handle);

	event_advance_timer(event);
	vacc_event_put(event);
}

static void event_end_hang(struct rig *rig, u32 handle)
{
	struct vacc_event *event = rig_event_of(rig, handle);
	struct vacc_queue *queue = event->queue;

	WRITE_ONCE(queue->progress, jiffies - msecs_to_jiffies(30000));
	mod_delayed_work(vacc_wq, &queue->watchdog, 0);
	vacc_event_put(event);
}

static void event_end_lost(struct rig *rig, u32 handle)
{
	fake_end(&rig->fake, 0, VACC_EVENT_FAILED, VIRTIO_ACCEL_S_DEVICE_LOST);
}

/* The table of ends, but for those that are unplugs. */
struct event_end {
	const char *name;
	void (*end)(struct rig *rig, u32 handle);
	u32 state;
	u32 status;
	int fence;
};

static const struct event_end event_ends[] = {
	{ "done", event_end_complete, VACC_EVENT_COMPLETE, VIRTIO_ACCEL_S_OK, 1 },
	{ "done with a status", event_end_complete_with_status,
	  VACC_EVENT_COMPLETE, VIRTIO_ACCEL_S_OK, 1 },
	{ "cancel", event_end_cancel, VACC_EVENT_CANCELLED, VIRTIO_ACCEL_S_OK,
	  -ECANCELED },
	{ "cancelled by the device", event_end_device_cancels,
	  VACC_EVENT_CANCELLED, VIRTIO_ACCEL_S_OK, -ECANCELED },
	{ "timeout", event_end_timeout, VACC_EVENT_FAILED,
	  VIRTIO_ACCEL_S_DEADLINE_EXPIRED, -ETIME },
	{ "hang limit", event_end_hang, VACC_EVENT_FAILED,
	  VIRTIO_ACCEL_S_DEADLINE_EXPIRED, -ETIME },
	{ "lost", event_end_lost, VACC_EVENT_FAILED, VIRTIO_ACCEL_S_DEVICE_LOST,
	  -EIO },
};

KUNIT_ARRAY_PARAM_DESC(event_end, event_ends, name);

static u32 event_with_timeout(struct rig *rig, const struct rig_bench *bench)
{
	struct vacc_submit submit = {
		.timeout_ns = 3600ULL * NSEC_PER_SEC,
		.user_data = 0x1122334455667788ULL,
	};

	KUNIT_ASSERT_EQ(rig->test, rig_submit(rig, bench, &submit), 0);
	return submit.event;
}

static void event_ends_once(struct kunit *test)
{
	const struct event_end *end = test->param_value;
	struct vacc_event_query query;
	struct rig *rig = test->priv;
	struct vacc_event *event;
	struct rig_bench bench;
	u32 handle;

	rig_bench(rig, &bench);
	handle = event_with_timeout(rig, &bench);
	event = rig_event_of(rig, handle);
	rig_query(rig, handle, &query);
	KUNIT_EXPECT_EQ(test, query.state, (u32)VACC_EVENT_PENDING);
	KUNIT_EXPECT_EQ(test, query.status, (u32)VIRTIO_ACCEL_S_OK);
	KUNIT_EXPECT_EQ(test, query.event_flags, 0U);
	KUNIT_EXPECT_EQ(test, query.queue, bench.queue);
	KUNIT_EXPECT_EQ(test, query.user_data, 0x1122334455667788ULL);
	KUNIT_EXPECT_EQ(test, dma_fence_get_status(&event->fence->base), 0);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_EVENT_DESTROY, handle),
			-EBUSY);

	end->end(rig, handle);
	rig_settle(rig);
	rig_query(rig, handle, &query);
	KUNIT_EXPECT_EQ(test, query.state, end->state);
	KUNIT_EXPECT_EQ(test, query.status, end->status);
	KUNIT_EXPECT_EQ(test, query.event_flags, (u32)VACC_EVENT_QUIESCENT);
	KUNIT_EXPECT_EQ(test, dma_fence_get_status(&event->fence->base),
			end->fence);
	KUNIT_EXPECT_FALSE(test, event->clock && timer_pending(&event->clock->timer));

	/* What comes later changes nothing. */
	vacc_event_done(event, VACC_EVENT_COMPLETE, VIRTIO_ACCEL_S_OK);
	KUNIT_EXPECT_FALSE(test, vacc_event_end(event, VACC_EVENT_FAILED,
						VIRTIO_ACCEL_S_BUSY, -EIO));
	vacc_event_abort(event, VACC_CAUSE_TIMEOUT);
	rig_settle(rig);
	KUNIT_EXPECT_EQ(test, vacc_event_state(event), end->state);
	KUNIT_EXPECT_EQ(test, event->status, end->status);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_EVENT_CANCEL, handle),
			-EBUSY);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_DESTROY],
			rig->fake.ops.event_destroy ? 1U : 0U);
	vacc_event_put(event);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_EVENT_DESTROY, handle), 0);
}

/* What a device may report, and what becomes of it. */
struct event_status {
	const char *name;
	u16 reported;
	u16 status;
	int fence;
};

#define S(_name, _error) \
	{ #_name, VIRTIO_ACCEL_S_##_name, VIRTIO_ACCEL_S_##_name, -(_error) }

static const struct event_status event_statuses[] = {
	S(UNSUPPORTED, EOPNOTSUPP),
	S(INCOMPATIBLE, ENOEXEC),
	S(INVALID_ARGUMENT, EINVAL),
	S(OUT_OF_BOUNDS, ERANGE),
	S(BUSY, EBUSY),
	S(OUT_OF_MEMORY, ENOMEM),
	S(RESOURCE_LIMIT, ENOSPC),
	S(DEADLINE_EXPIRED, ETIME),
	S(DEVICE_LOST, EIO),
	S(PERMISSION_DENIED, EACCES),
	S(STALE_OBJECT, ENOENT),
	S(INTERNAL_ERROR, EREMOTEIO),
	{ "OK", VIRTIO_ACCEL_S_OK, VIRTIO_ACCEL_S_INTERNAL_ERROR, -EREMOTEIO },
	/* Unknown ones are told as they came; those of the seam are unknown too. */
	{ "12", 12, 12, -EREMOTEIO },
	{ "0x1234", 0x1234, 0x1234, -EREMOTEIO },
	{ "try again", VACC_S_TRY_AGAIN, VACC_S_TRY_AGAIN, -EREMOTEIO },
	{ "restart", VACC_S_RESTART, VACC_S_RESTART, -EREMOTEIO },
	{ "killed", VACC_S_KILLED, VACC_S_KILLED, -EREMOTEIO },
};

KUNIT_ARRAY_PARAM_DESC(event_status, event_statuses, name);

static void event_fails_with_status(struct kunit *test)
{
	const struct event_status *status = test->param_value;
	struct vacc_event_query query;
	struct rig *rig = test->priv;
	struct vacc_event *event;
	struct rig_bench bench;
	u32 handle;

	rig_bench(rig, &bench);
	handle = rig_event(rig, &bench);
	event = rig_event_of(rig, handle);
	KUNIT_EXPECT_TRUE(test, fake_end(&rig->fake, 0, VACC_EVENT_FAILED,
					 status->reported));
	rig_query(rig, handle, &query);
	KUNIT_EXPECT_EQ(test, query.state, (u32)VACC_EVENT_FAILED);
	KUNIT_EXPECT_EQ(test, query.status, (u32)status->status);
	KUNIT_EXPECT_EQ(test, dma_fence_get_status(&event->fence->base),
			status->fence);
	vacc_event_put(event);
}

static void event_unknown_state_is_no_end(struct kunit *test)
{
	static const u32 states[] = { VACC_EVENT_PENDING, 4, 0xffffffff };
	struct vacc_queue_query query;
	struct rig *rig = test->priv;
	struct vacc_event *event;
	struct rig_bench bench;
	int i;

	rig_bench(rig, &bench);
	event = rig_event_of(rig, rig_event(rig, &bench));
	for (i = 0; i < ARRAY_SIZE(states); i++)
		vacc_event_done(event, states[i], VIRTIO_ACCEL_S_OK);
	KUNIT_EXPECT_EQ(test, vacc_event_state(event), (u32)VACC_EVENT_PENDING);
	rig_queue_query(rig, bench.queue, &query);
	KUNIT_EXPECT_EQ(test, query.pending, 1U);
	KUNIT_EXPECT_EQ(test, query.submitted, 1ULL);
	vacc_event_put(event);
}

/* The first cause stands; what the device did nevertheless stands above it. */
struct event_cause {
	const char *name;
	enum vacc_cause first;
	enum vacc_cause second;
	u32 reported;
	u32 state;
	u32 status;
};

static const struct event_cause event_causes[] = {
	{ "timeout, cancel", VACC_CAUSE_TIMEOUT, VACC_CAUSE_CANCEL,
	  VACC_EVENT_CANCELLED, VACC_EVENT_FAILED,
	  VIRTIO_ACCEL_S_DEADLINE_EXPIRED },
	{ "cancel, timeout", VACC_CAUSE_CANCEL, VACC_CAUSE_TIMEOUT,
	  VACC_EVENT_CANCELLED, VACC_EVENT_CANCELLED, VIRTIO_ACCEL_S_OK },
	{ "timeout, done", VACC_CAUSE_TIMEOUT, VACC_CAUSE_NONE,
	  VACC_EVENT_COMPLETE, VACC_EVENT_COMPLETE, VIRTIO_ACCEL_S_OK },
	{ "timeout, failed", VACC_CAUSE_TIMEOUT, VACC_CAUSE_NONE,
	  VACC_EVENT_FAILED, VACC_EVENT_FAILED, VIRTIO_ACCEL_S_INTERNAL_ERROR },
	{ "none", VACC_CAUSE_NONE, VACC_CAUSE_NONE, VACC_EVENT_CANCELLED,
	  VACC_EVENT_CANCELLED, VIRTIO_ACCEL_S_OK },
};

KUNIT_ARRAY_PARAM_DESC(event_cause, event_causes, name);

static void event_first_cause_stands(struct kunit *test)
{
	const struct event_cause *cause = test->param_value;
	struct rig *rig = test->priv;
	struct vacc_event *event;
	struct rig_bench bench;

	rig->fake.executing = true;
	rig_bench(rig, &bench);
	event = rig_event_of(rig, rig_event(rig, &bench));
	if (cause->first != VACC_CAUSE_NONE)
		vacc_event_abort(event, cause->first);
	if (cause->second != VACC_CAUSE_NONE)
		vacc_event_abort(event, cause->second);
	rig_settle(rig);
	KUNIT_EXPECT_EQ(test, vacc_event_state(event), (u32)VACC_EVENT_PENDING);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_ABORT],
			cause->first == VACC_CAUSE_NONE ? 0U : 1U);
	fake_end(&rig->fake, 0, cause->reported, VIRTIO_ACCEL_S_INTERNAL_ERROR);
	KUNIT_EXPECT_EQ(test, vacc_event_state(event), cause->state);
	KUNIT_EXPECT_EQ(test, event->status, cause->status);
	vacc_event_put(event);
}

static void event_executing_is_not_cancelled(struct kunit *test)
{
	struct vacc_event_query query;
	struct rig *rig = test->priv;
	struct rig_bench bench;
	u32 handle;

	rig->fake.executing = true;
	rig_bench(rig, &bench);
	handle = rig_event(rig, &bench);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_EVENT_CANCEL, handle),
			-EBUSY);
	rig_query(rig, handle, &query);
	KUNIT_EXPECT_EQ(test, query.state, (u32)VACC_EVENT_PENDING);
	rig->fake.dev->info.capabilities &= ~VIRTIO_ACCEL_CAP_EVENT_CANCEL;
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_EVENT_CANCEL, handle),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_CANCEL], 1U);
}

/* Ends before the handle is published, and after. */
static void event_auto_destroy(struct kunit *test)
{
	const bool *inline_end = test->param_value;
	struct rig *rig = test->priv;
	struct vacc_submit submit = { .flags = VACC_SUBMIT_AUTO_DESTROY };
	struct vacc_event_query query = {};
	struct rig_bench bench;

	rig->fake.run_here = *inline_end;
	rig_bench(rig, &bench);
	KUNIT_ASSERT_EQ(test, rig_submit(rig, &bench, &submit), 0);
	query.handle = submit.event;
	if (!*inline_end) {
		rig_query(rig, submit.event, &query);
		fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, VIRTIO_ACCEL_S_OK);
	}
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_EVENT_QUERY, &query), -ENOENT);
	KUNIT_EXPECT_EQ(test, atomic_read(&rig->fake.dev->live[VACC_KIND_EVENT]),
			0);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_EVENT_DESTROY,
					      submit.event), -ENOENT);
	rig_settle(rig);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_BUFFER_DESTROY,
					      bench.buffer), 0);
}

static const bool event_orders[] = { false, true };

static void event_order_desc(const bool *order, char *desc)
{
	strscpy(desc, *order ? "ended before published" : "published before ended",
		KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(event_order, event_orders, event_order_desc);

/* What an event uses is kept until the device has let go, and no longer. */
static void event_keeps_what_it_uses(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct rig_bench bench;
	u32 handle;

	rig_bench(rig, &bench);
	handle = rig_event(rig, &bench);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_BUFFER_DESTROY,
					      bench.buffer), -EBUSY);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_PROGRAM_UNLOAD,
					      bench.program), -EBUSY);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_QUEUE_DESTROY,
					      bench.queue), -EBUSY);
	fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, VIRTIO_ACCEL_S_OK);
	KUNIT_EXPECT_EQ(test, atomic_read(&rig_obj(rig, bench.buffer)->pending),
			0);
	/* The device has not been told yet: these wait until it has. */
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_BUFFER_DESTROY,
					      bench.buffer), 0);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_DESTROY], 1U);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_PROGRAM_UNLOAD,
					      bench.program), 0);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_QUEUE_DESTROY,
					      bench.queue), 0);
	/* The event is memory now, also without its context. */
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_CONTEXT_DESTROY,
					      bench.context), 0);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_EVENT_DESTROY, handle), 0);
}

/* A submission that has found its buffer meets a task that destroys it. */
static void event_destroyer(struct rig *rig)
{
	struct vacc_handle_arg arg = { .handle = *(u32 *)rig->fake.hook_data };
	struct vacc_call call;

	rig_call(rig, &call);
	KUNIT_EXPECT_EQ(rig->test, vacc_obj_destroy(&call, &arg,
						    VACC_KIND_BUFFER), -EBUSY);
}

static void event_destroy_hook(struct fake *fake, enum fake_op op)
{
	struct rig *rig = container_of(fake, struct rig, fake);
	struct vacc_obj *obj = rig_obj(rig, *(u32 *)fake->hook_data);

	if (op != FAKE_EVENT_BYTES)
		return;
	rig_later(rig, event_destroyer);
	while (READ_ONCE(obj->ready))
		schedule_timeout_uninterruptible(1);
}

static void event_destroyer_gives_up(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	rig->fake.hook_data = &bench.buffer;
	rig->fake.hook = event_destroy_hook;
	rig_event(rig, &bench);
	rig->fake.hook = NULL;
	/* It does not wait for the event to end. */
	flush_work(&rig->later);
	KUNIT_EXPECT_EQ(test, rig->fake.event_count, 1U);
	KUNIT_EXPECT_TRUE(test, rig_obj(rig, bench.buffer)->ready);
}

static void event_fences(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_event *one, *two;
	struct rig_bench bench;
	char timeline[32];

	rig_bench(rig, &bench);
	one = rig_event_of(rig, rig_event(rig, &bench));
	two = rig_event_of(rig, rig_event(rig, &bench));
	KUNIT_EXPECT_NE(test, one->fence->base.context, two->fence->base.context);
	KUNIT_EXPECT_EQ(test, one->fence->base.seqno, 1ULL);
	KUNIT_EXPECT_EQ(test, two->fence->base.seqno, 1ULL);
	snprintf(timeline, sizeof(timeline), "virtio-accel%d:%d",
		 vacc_device_instance(rig->fake.dev), task_tgid_nr(current));
	KUNIT_EXPECT_STREQ(test, one->fence->base.ops->get_driver_name(&one->fence->base),
			   "virtio_accel");
	KUNIT_EXPECT_STREQ(test, one->fence->base.ops->get_timeline_name(&one->fence->base),
			   timeline);
	KUNIT_EXPECT_PTR_EQ(test, one->fence->base.ops->release, NULL);
	vacc_event_put(one);
	vacc_event_put(two);
}

/* The fence outlives the event, the file and the device. */
static void event_exported(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_event_export export = {};
	struct vacc_event *event;
	struct dma_fence *fence;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	export.handle = rig_event(rig, &bench);
	KUNIT_ASSERT_EQ(test, RIG_CALL(rig, VACC_EVENT_EXPORT, &export), 0);
	event = rig_event_of(rig, export.handle);
	fence = sync_file_get_fence(export.fd);
	KUNIT_EXPECT_PTR_EQ(test, fence, &event->fence->base);
	KUNIT_EXPECT_EQ(test, close_fd(export.fd), 0);
	vacc_event_put(event);
	KUNIT_ASSERT_NOT_NULL(test, fence);
	KUNIT_EXPECT_EQ(test, dma_fence_get_status(fence), 0);
	rig_close(rig, 0);
	rig_settle(rig);
	KUNIT_EXPECT_EQ(test, dma_fence_get_status(fence), -ECANCELED);
	rig_unregister(rig);
	KUNIT_EXPECT_STREQ(test, fence->ops->get_driver_name(fence),
			   "virtio_accel");
	dma_fence_put(fence);
}

/* The backend's area: where it is and how long, whatever stands before it. */
struct event_area {
	const char *name;
	size_t bytes;
	u32 bindings;
};

static const struct event_area event_areas[] = {
	{ "0", 0, 1 },
	{ "1", 1, 1 },
	{ "8 after 2", 8, 2 },
	{ "40 after 3", 40, 3 },
	{ "4097 after 6", 4097, 6 },
	{ "100000", 100000, 1 },
};

KUNIT_ARRAY_PARAM_DESC(event_area, event_areas, name);

static void event_private_area(struct kunit *test)
{
	const struct event_area *area = test->param_value;
	struct vacc_binding bindings[6] = {};
	struct vacc_submit submit = {};
	struct rig *rig = test->priv;
	struct vacc_event *event;
	struct rig_bench bench;
	u32 i;

	rig_bench(rig, &bench);
	for (i = 0; i < area->bindings; i++)
		bindings[i] = (struct vacc_binding){
			.buffer = i ? rig_buffer(rig, bench.context) : bench.buffer,
			.slot = i,
			.access = VIRTIO_ACCEL_ACCESS_READ,
			.bytes = 1,
		};
	rig_put(rig, RIG_ARRAY, bindings, sizeof(bindings));
	submit.bindings = rig_array(rig, RIG_ARRAY, area->bindings,
				    sizeof(bindings[0]));
	rig->fake.private_bytes = area->bytes;
	KUNIT_ASSERT_EQ(test, rig_submit(rig, &bench, &submit), 0);
	event = rig_event_of(rig, submit.event);
	KUNIT_EXPECT_EQ(test, (unsigned long)vacc_event_priv(event) & 7, 0UL);
	KUNIT_EXPECT_EQ(test, vacc_event_handle(event), submit.event);
	/* The fake has written to all of it: nothing before it has changed. */
	for (i = 0; i < area->bindings; i++)
		KUNIT_EXPECT_EQ(test, event->buffers[i]->obj.kind,
				VACC_KIND_BUFFER);
	vacc_event_put(event);
}

static struct kunit_case event_cases[] = {
	KUNIT_CASE_PARAM(event_ends_once, event_end_gen_params),
	KUNIT_CASE_PARAM(event_fails_with_status, event_status_gen_params),
	KUNIT_CASE(event_unknown_state_is_no_end),
	KUNIT_CASE_PARAM(event_first_cause_stands, event_cause_gen_params),
	KUNIT_CASE(event_executing_is_not_cancelled),
	KUNIT_CASE_PARAM(event_auto_destroy, event_order_gen_params),
	KUNIT_CASE(event_keeps_what_it_uses),
	KUNIT_CASE(event_destroyer_gives_up),
	KUNIT_CASE(event_fences),
	KUNIT_CASE(event_exported),
	KUNIT_CASE_PARAM(event_private_area, event_area_gen_params),
	{}
};

static struct kunit_suite event_suite = {
	.name = "virtio_accel_event",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = event_cases,
};

/* A backend that is done with an event when it reports it. */
static int event_plain_init(struct kunit *test)
{
	int err = rig_init_bare(test);
	struct rig *rig = test->priv;

	if (err)
		return err;
	rig->fake.ops.event_destroy = NULL;
	rig->fake.ops.event_wanted = NULL;
	rig->fake.ops.interrupt = NULL;
	rig_register(rig);
	return 0;
}

static void event_plain_lets_go_at_once(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	rig_event(rig, &bench);
	KUNIT_EXPECT_EQ(test, atomic_read(&rig_obj(rig, bench.buffer)->users), 1);
	fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, VIRTIO_ACCEL_S_OK);
	KUNIT_EXPECT_EQ(test, atomic_read(&rig_obj(rig, bench.buffer)->users), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&rig_file(rig, 0)->inflight), 0);
}

static struct kunit_case event_plain_cases[] = {
	KUNIT_CASE_PARAM(event_ends_once, event_end_gen_params),
	KUNIT_CASE_PARAM(event_auto_destroy, event_order_gen_params),
	KUNIT_CASE(event_plain_lets_go_at_once),
	{}
};

static struct kunit_suite event_plain_suite = {
	.name = "virtio_accel_event_plain",
	.init = event_plain_init,
	.exit = rig_exit,
	.test_cases = event_plain_cases,
};

kunit_test_suites(&event_suite, &event_plain_suite);
