// SPDX-License-Identifier: GPL-2.0
/*
 * Submissions that wait for fences: when the backend gets them, and how else they end.
 */
#include <linux/delay.h>
#include <linux/dma-fence.h>

#include "rig.h"

/**
 * struct defer_bench - what a test waits for
 * @bench: objects
 * @other: another queue
 * @gate: an event on @other that the backend has
 */
struct defer_bench {
	struct rig_bench bench;
	u32 other;
	u32 gate;
};

/* Events that the backend has been given, in calls and by the worker. */
static unsigned int defer_taken(const struct rig *rig)
{
	return rig->fake.calls[FAKE_EVENT_SUBMIT] +
	       rig->fake.calls[FAKE_EVENT_ADMIT];
}

static void defer_bench(struct rig *rig, struct defer_bench *defer)
{
	struct rig_bench on_other;

	rig_bench(rig, &defer->bench);
	defer->other = rig_queue(rig, defer->bench.context);
	on_other = defer->bench;
	on_other.queue = defer->other;
	defer->gate = rig_event(rig, &on_other);
	KUNIT_ASSERT_EQ(rig->test, defer_taken(rig), 1U);
}

/* Submits behind an event. */
static u32 defer_behind(struct rig *rig, const struct defer_bench *defer,
			u32 event, u32 flags, u64 timeout_ns)
{
	struct vacc_in_fence fence = {
		.kind = VACC_FENCE_EVENT,
		.value = event,
	};
	struct vacc_submit submit = {
		.flags = flags,
		.timeout_ns = timeout_ns,
		.in_fences = rig_array(rig, RIG_ARRAY2, 1, sizeof(fence)),
	};

	rig_put(rig, RIG_ARRAY2, &fence, sizeof(fence));
	KUNIT_ASSERT_EQ(rig->test, rig_submit(rig, &defer->bench, &submit), 0);
	KUNIT_EXPECT_EQ(rig->test, submit.admission, (u32)VACC_ACCEPTED);
	KUNIT_EXPECT_EQ(rig->test, submit.state, (u32)VACC_EVENT_PENDING);
	return submit.event;
}

static void defer_open(struct rig *rig, u32 state)
{
	KUNIT_ASSERT_TRUE(rig->test, fake_end(&rig->fake, 0, state,
					      VIRTIO_ACCEL_S_BUSY));
	rig_settle(rig);
}

static void defer_expect(struct rig *rig, u32 handle, u32 state, u32 status)
{
	struct vacc_event_query query;

	rig_query(rig, handle, &query);
	KUNIT_EXPECT_EQ(rig->test, query.state, state);
	KUNIT_EXPECT_EQ(rig->test, query.status, status);
}

static void defer_expect_pending(struct rig *rig, u32 handle)
{
	defer_expect(rig, handle, VACC_EVENT_PENDING, VIRTIO_ACCEL_S_OK);
}

/* Which event the backend has at an index. */
static u32 defer_has(struct rig *rig, unsigned int index)
{
	return index < rig->fake.event_count ?
	       vacc_event_handle(rig->fake.events[index]) : 0;
}

static void defer_hands_over_in_order(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct defer_bench defer;
	u32 events[4];
	int i;

	defer_bench(rig, &defer);
	events[0] = defer_behind(rig, &defer, defer.gate, 0, 0);
	events[1] = rig_event(rig, &defer.bench);
	/* Behind one that waits itself. */
	events[2] = defer_behind(rig, &defer, events[0], 0, 0);
	events[3] = rig_event(rig, &defer.bench);
	rig_settle(rig);
	KUNIT_EXPECT_EQ(test, defer_taken(rig), 1U);
	for (i = 0; i < 4; i++)
		defer_expect_pending(rig, events[i]);
	defer_open(rig, VACC_EVENT_COMPLETE);
	KUNIT_EXPECT_EQ(test, defer_taken(rig), 3U);
	KUNIT_EXPECT_EQ(test, defer_has(rig, 0), events[0]);
	KUNIT_EXPECT_EQ(test, defer_has(rig, 1), events[1]);
	/* The call made them ready, the worker handed them over. */
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_PREPARE], 5U);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_ADMIT], 2U);
	/* Another end on the queue lets nobody pass. */
	fake_end(&rig->fake, 1, VACC_EVENT_COMPLETE, 0);
	rig_settle(rig);
	KUNIT_EXPECT_EQ(test, defer_taken(rig), 3U);
	defer_open(rig, VACC_EVENT_COMPLETE);
	KUNIT_EXPECT_EQ(test, defer_has(rig, 0), events[2]);
	KUNIT_EXPECT_EQ(test, defer_has(rig, 1), events[3]);
}

/* All of them, and an error of any; those of composite ones count too. */
static void defer_waits_for_all(struct kunit *test)
{
	struct vacc_in_fence fences[3];
	struct rig *rig = test->priv;
	struct vacc_submit submit = {
		.in_fences = rig_array(rig, RIG_ARRAY2, 3, sizeof(fences[0])),
	};
	struct defer_bench defer;
	int i;

	defer_bench(rig, &defer);
	for (i = 0; i < 3; i++) {
		fences[i] = (struct vacc_in_fence){
			.kind = VACC_FENCE_EVENT,
			.value = i ? rig_event(rig, &defer.bench) : defer.gate,
		};
	}
	rig_put(rig, RIG_ARRAY2, fences, sizeof(fences));
	KUNIT_ASSERT_EQ(test, rig_submit(rig, &defer.bench, &submit), 0);
	fake_end(&rig->fake, 1, VACC_EVENT_CANCELLED, 0);
	defer_open(rig, VACC_EVENT_COMPLETE);
	defer_expect_pending(rig, submit.event);
	KUNIT_EXPECT_EQ(test, defer_taken(rig), 3U);
	defer_open(rig, VACC_EVENT_COMPLETE);
	defer_expect(rig, submit.event, VACC_EVENT_CANCELLED, VIRTIO_ACCEL_S_OK);
	KUNIT_EXPECT_EQ(test, defer_taken(rig), 3U);
}

static void defer_fence_errors(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct defer_bench defer;
	u32 cancelled, runs;

	defer_bench(rig, &defer);
	cancelled = defer_behind(rig, &defer, defer.gate, 0, 0);
	runs = defer_behind(rig, &defer, defer.gate,
			    VACC_SUBMIT_IGNORE_FENCE_ERRORS, 0);
	defer_open(rig, VACC_EVENT_FAILED);
	defer_expect(rig, cancelled, VACC_EVENT_CANCELLED, VIRTIO_ACCEL_S_OK);
	defer_expect_pending(rig, runs);
	KUNIT_EXPECT_EQ(test, defer_has(rig, 0), runs);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_DISCARD], 1U);
}

struct defer_refusal {
	const char *name;
	u16 status;
	int error;
};

static const struct defer_refusal defer_refusals[] = {
	{ "INCOMPATIBLE", VIRTIO_ACCEL_S_INCOMPATIBLE, -ENOEXEC },
	{ "OUT_OF_MEMORY", VIRTIO_ACCEL_S_OUT_OF_MEMORY, -ENOMEM },
	{ "unknown", 0x1234, -EREMOTEIO },
	{ "try again", VACC_S_TRY_AGAIN, -EAGAIN },
};

KUNIT_ARRAY_PARAM_DESC(defer_refusal, defer_refusals, name);

/* What the backend can know is refused in the call, whatever there is to wait for. */
static void defer_refused_in_the_call(struct kunit *test)
{
	const struct defer_refusal *refusal = test->param_value;
	struct vacc_in_fence fence = { .kind = VACC_FENCE_EVENT };
	struct rig *rig = test->priv;
	struct vacc_submit submit = {
		.in_fences = rig_array(rig, RIG_ARRAY2, 1, sizeof(fence)),
	};
	struct vacc_queue_query query;
	struct defer_bench defer;
	struct vacc_stats stats;
	u32 next;

	defer_bench(rig, &defer);
	fence.value = defer.gate;
	rig_put(rig, RIG_ARRAY2, &fence, sizeof(fence));
	fake_fail(&rig->fake, FAKE_EVENT_PREPARE, 1,
		  vacc_rejected(refusal->status));
	KUNIT_EXPECT_EQ(test, rig_submit(rig, &defer.bench, &submit),
			(long)refusal->error);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_DISCARD], 0U);
	rig_queue_query(rig, defer.bench.queue, &query);
	KUNIT_EXPECT_EQ(test, query.submitted, 0ULL);
	KUNIT_EXPECT_EQ(test, query.pending, 0U);
	rig_stats(rig, &stats);
	KUNIT_EXPECT_EQ(test, stats.rejected, 1ULL);
	next = defer_behind(rig, &defer, defer.gate, 0, 0);
	defer_open(rig, VACC_EVENT_COMPLETE);
	KUNIT_EXPECT_EQ(test, defer_has(rig, 0), next);
	KUNIT_EXPECT_EQ(test, defer_taken(rig), 2U);
}

/* What only the device knows is how the event ends. */
static void defer_refused_late(struct kunit *test)
{
	const struct defer_refusal *refusal = test->param_value;
	struct rig *rig = test->priv;
	struct defer_bench defer;
	struct vacc_stats stats;
	u32 refused, next;

	defer_bench(rig, &defer);
	refused = defer_behind(rig, &defer, defer.gate, 0, 0);
	next = rig_event(rig, &defer.bench);
	fake_fail(&rig->fake, FAKE_EVENT_ADMIT, 1,
		  vacc_rejected(refusal->status));
	defer_open(rig, VACC_EVENT_COMPLETE);
	defer_expect(rig, refused, VACC_EVENT_FAILED, refusal->status);
	KUNIT_EXPECT_EQ(test, defer_has(rig, 0), next);
	/* The backend had both, this one and the gate. */
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_DESTROY], 2U);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_DISCARD], 0U);
	rig_stats(rig, &stats);
	KUNIT_EXPECT_EQ(test, stats.rejected, 0ULL);
	KUNIT_EXPECT_EQ(test, stats.failed, 1ULL);
}

static void defer_indeterminate(struct kunit *test)
{
	struct vacc_event_query query;
	struct rig *rig = test->priv;
	struct defer_bench defer;
	u32 event;

	defer_bench(rig, &defer);
	event = defer_behind(rig, &defer, defer.gate, 0, 0);
	fake_fail(&rig->fake, FAKE_EVENT_ADMIT, 1,
		  vacc_indeterminate(VIRTIO_ACCEL_S_DEVICE_LOST));
	defer_open(rig, VACC_EVENT_COMPLETE);
	rig_query(rig, event, &query);
	KUNIT_EXPECT_EQ(test, query.admission, (u32)VACC_INDETERMINATE);
	KUNIT_EXPECT_EQ(test, query.state, (u32)VACC_EVENT_PENDING);
	KUNIT_EXPECT_EQ(test, query.event_flags, (u32)VACC_EVENT_INDETERMINATE);
}

/* The backend hears nothing of it, and its queue can go at once. */
static void defer_withdrawn(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_event *event;
	struct defer_bench defer;
	u32 handle, next;

	defer_bench(rig, &defer);
	handle = defer_behind(rig, &defer, defer.gate, 0, 0);
	event = rig_event_of(rig, handle);
	next = rig_event(rig, &defer.bench);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_QUEUE_DESTROY,
					      defer.bench.queue), -EBUSY);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_EVENT_CANCEL, handle), 0);
	defer_expect(rig, handle, VACC_EVENT_CANCELLED, VIRTIO_ACCEL_S_OK);
	KUNIT_EXPECT_EQ(test, dma_fence_get_status(&event->fence->base),
			-ECANCELED);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_DISCARD], 1U);
	KUNIT_EXPECT_FALSE(test, vacc_defer_withdraw(event));
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_EVENT_CANCEL, handle),
			-EBUSY);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_CANCEL], 0U);
	vacc_event_put(event);
	/* What stood behind it goes on. */
	rig_settle(rig);
	KUNIT_EXPECT_EQ(test, defer_taken(rig), 2U);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_ABORT], 0U);
	KUNIT_EXPECT_EQ(test, defer_has(rig, 1), next);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_EVENT_CANCEL, next), 0);

	handle = defer_behind(rig, &defer, defer.gate, 0, 0);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_EVENT_CANCEL, handle), 0);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_EVENT_DESTROY, handle),
			0);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_QUEUE_DESTROY,
					      defer.bench.queue), 0);
	defer_open(rig, VACC_EVENT_COMPLETE);
	KUNIT_EXPECT_EQ(test, defer_taken(rig), 2U);
}

/* Aborts what is being handed over, once. */
static void defer_abort_hook(struct fake *fake, enum fake_op op)
{
	struct vacc_event *event = fake->hook_data;

	if (op != FAKE_EVENT_ADMIT || !event)
		return;
	fake->hook_data = NULL;
	vacc_event_abort(event, VACC_CAUSE_CANCEL);
	/* The work runs meanwhile, and finds that it cannot do anything yet. */
	msleep(20);
}

static void defer_aborted_in_between(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_event *event;
	struct defer_bench defer;
	u32 handle;

	defer_bench(rig, &defer);
	handle = defer_behind(rig, &defer, defer.gate, 0, 0);
	event = rig_event_of(rig, handle);
	rig->fake.hook_data = event;
	rig->fake.hook = defer_abort_hook;
	defer_open(rig, VACC_EVENT_COMPLETE);
	rig->fake.hook = NULL;
	KUNIT_EXPECT_NULL(test, rig->fake.hook_data);
	KUNIT_EXPECT_EQ(test, defer_taken(rig), 2U);
	/* Not before the backend has it, and then it is done. */
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_ABORT], 1U);
	defer_expect(rig, handle, VACC_EVENT_CANCELLED, VIRTIO_ACCEL_S_OK);
	vacc_event_put(event);
}

/* The backend hears of the timeout when it begins, and keeps count. */
static void defer_timeout_is_told(struct kunit *test)
{
	const u64 timeout_ns = 3600ULL * NSEC_PER_SEC;
	struct rig *rig = test->priv;
	struct defer_bench defer;
	u32 event;

	defer_bench(rig, &defer);
	event = defer_behind(rig, &defer, defer.gate, 0, timeout_ns);
	KUNIT_EXPECT_EQ(test, rig->fake.work.timeout_ns, timeout_ns);
	defer_open(rig, VACC_EVENT_COMPLETE);
	KUNIT_EXPECT_EQ(test, defer_has(rig, 0), event);
}

static void defer_times_out(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct defer_bench defer;
	u32 event;

	defer_bench(rig, &defer);
	event = defer_behind(rig, &defer, defer.gate, 0, 20 * NSEC_PER_MSEC);
	msleep(100);
	rig_settle(rig);
	defer_expect(rig, event, VACC_EVENT_FAILED,
		     VIRTIO_ACCEL_S_DEADLINE_EXPIRED);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_ABORT], 0U);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_DISCARD], 1U);
	defer_open(rig, VACC_EVENT_COMPLETE);
	KUNIT_EXPECT_EQ(test, defer_taken(rig), 1U);
}

/* Who waits for it, or may: the backend hears of that as soon as it has the event. */
static void defer_wanted_later(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct defer_bench defer;

	defer_bench(rig, &defer);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_WANTED], 0U);
	/* The event that it waits for is wanted now. */
	defer_behind(rig, &defer, defer.gate, VACC_SUBMIT_RECORD, 0);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_WANTED], 1U);
	defer_open(rig, VACC_EVENT_COMPLETE);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_WANTED], 2U);
}

static void defer_unplugged(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_event *events[3];
	struct defer_bench defer;
	int i;

	defer_bench(rig, &defer);
	for (i = 0; i < 3; i++)
		events[i] = rig_event_of(rig, defer_behind(rig, &defer,
							   defer.gate, 0, 0));
	rig_unregister(rig);
	rig_settle(rig);
	KUNIT_EXPECT_EQ(test, defer_taken(rig), 1U);
	/* Before the backend was stopped: the fake looks. */
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_DISCARD], 3U);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, vacc_event_state(events[i]),
				(u32)VACC_EVENT_FAILED);
		KUNIT_EXPECT_EQ(test, events[i]->status,
				(u32)VIRTIO_ACCEL_S_DEVICE_LOST);
		KUNIT_EXPECT_EQ(test,
				dma_fence_get_status(&events[i]->fence->base),
				-ENODEV);
		vacc_event_put(events[i]);
	}
}

/* The device goes while one event is being handed over and another waits behind it. */
static void defer_unplug_hook(struct fake *fake, enum fake_op op)
{
	struct rig *rig = container_of(fake, struct rig, fake);

	if (op != FAKE_EVENT_ADMIT)
		return;
	rig_later(rig, rig_unregister);
	while (!READ_ONCE(fake->dev->gone))
		schedule_timeout_uninterruptible(1);
	/* Time enough for a stop that would not wait. */
	msleep(50);
	if (READ_ONCE(fake->stopped))
		fake->misuses++;
}

static void defer_unplugged_in_between(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_event *events[2];
	struct defer_bench defer;
	int i;

	defer_bench(rig, &defer);
	for (i = 0; i < 2; i++)
		events[i] = rig_event_of(rig, defer_behind(rig, &defer,
							   defer.gate, 0, 0));
	rig->fake.hook = defer_unplug_hook;
	KUNIT_ASSERT_TRUE(test, fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, 0));
	/* Until it has been admitted, and the later work is over. */
	rig_settle(rig);
	flush_work(&rig->later);
	rig->fake.hook = NULL;
	rig_settle(rig);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_ADMIT], 1U);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_DISCARD], 1U);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_ABORT], 0U);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, vacc_event_state(events[i]),
				(u32)VACC_EVENT_FAILED);
		KUNIT_EXPECT_EQ(test, events[i]->status,
				(u32)VIRTIO_ACCEL_S_DEVICE_LOST);
		vacc_event_put(events[i]);
	}
}

/*
 * Whoever hands over, aborts, or wakes may do so while the registration lock is held,
 * and fences signal meanwhile.
 */
static void defer_needs_no_registration(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_event *handed, *aborted;
	struct defer_bench defer;

	defer_bench(rig, &defer);
	handed = rig_event_of(rig, defer_behind(rig, &defer, defer.gate,
						VACC_SUBMIT_RECORD, 0));
	aborted = rig_event_of(rig, defer_behind(rig, &defer, defer.gate, 0, 0));
	down_write(&rig->fake.dev->registration);
	vacc_event_abort(aborted, VACC_CAUSE_CANCEL);
	fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, 0);
	flush_workqueue(vacc_wq);
	flush_workqueue(vacc_wq);
	KUNIT_EXPECT_EQ(test, dma_fence_get_status(&aborted->fence->base),
			-ECANCELED);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_ADMIT], 1U);
	/* The gate was, twice, and now the one that leaves a record. */
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_WANTED], 3U);
	vacc_event_abort(handed, VACC_CAUSE_TIMEOUT);
	flush_workqueue(vacc_wq);
	KUNIT_EXPECT_EQ(test, dma_fence_get_status(&handed->fence->base), -ETIME);
	up_write(&rig->fake.dev->registration);
	vacc_event_put(handed);
	vacc_event_put(aborted);
}

static void defer_closed(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct defer_bench defer;
	struct dma_fence *fence;
	struct vacc_event *event;

	defer_bench(rig, &defer);
	event = rig_event_of(rig, defer_behind(rig, &defer, defer.gate,
					       VACC_SUBMIT_RECORD, 0));
	fence = dma_fence_get(&event->fence->base);
	vacc_event_put(event);
	rig_close(rig, 0);
	rig_settle(rig);
	KUNIT_EXPECT_EQ(test, dma_fence_get_status(fence), -ECANCELED);
	KUNIT_EXPECT_EQ(test, defer_taken(rig), 1U);
	dma_fence_put(fence);
}

static struct kunit_case defer_cases[] = {
	KUNIT_CASE(defer_hands_over_in_order),
	KUNIT_CASE(defer_waits_for_all),
	KUNIT_CASE(defer_fence_errors),
	KUNIT_CASE_PARAM(defer_refused_in_the_call, defer_refusal_gen_params),
	KUNIT_CASE_PARAM(defer_refused_late, defer_refusal_gen_params),
	KUNIT_CASE(defer_indeterminate),
	KUNIT_CASE(defer_withdrawn),
	KUNIT_CASE(defer_aborted_in_between),
	KUNIT_CASE(defer_timeout_is_told),
	KUNIT_CASE(defer_times_out),
	KUNIT_CASE(defer_wanted_later),
	KUNIT_CASE(defer_unplugged),
	KUNIT_CASE(defer_unplugged_in_between),
	KUNIT_CASE(defer_needs_no_registration),
	KUNIT_CASE(defer_closed),
	{}
};

static struct kunit_suite defer_suite = {
	.name = "virtio_accel_defer",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = defer_cases,
};

#define DEFER_LIMIT_MS	300

static int defer_impatient_init(struct kunit *test)
{
	int err = rig_init_bare(test);
	struct rig *rig = test->priv;

	if (err)
		return err;
	rig->fake.info.hang_limit_ms = DEFER_LIMIT_MS;
	rig_register(rig);
	return 0;
}

/* Waits for the end, which is that of the limit; when it came, in ms from @begin. */
static s64 defer_ended(struct rig *rig, u32 handle, ktime_t begin)
{
	struct vacc_event *event = rig_event_of(rig, handle);
	struct dma_fence *fence = &event->fence->base;
	s64 ms;

	KUNIT_EXPECT_GT(rig->test, dma_fence_wait_timeout(fence, false, 10 * HZ),
			0L);
	defer_expect(rig, handle, VACC_EVENT_FAILED,
		     VIRTIO_ACCEL_S_DEADLINE_EXPIRED);
	ms = ktime_ms_delta(fence->timestamp, begin);
	vacc_event_put(event);
	return ms;
}

/* Each from its own admission, at whatever place of the queue. */
static void defer_overdue(struct kunit *test)
{
	struct rig *rig = test->priv;
	ktime_t begin = ktime_get();
	struct defer_bench defer;
	s64 first, last, ended;
	ktime_t later;
	u32 young;
	u32 events[3];
	int i;

	/* The gate has its limit too, but is not ended by that. */
	rig->fake.executing = true;
	defer_bench(rig, &defer);
	for (i = 0; i < 3; i++)
		events[i] = defer_behind(rig, &defer, defer.gate, 0, 0);
	msleep(DEFER_LIMIT_MS / 2);
	later = ktime_get();
	young = defer_behind(rig, &defer, defer.gate, 0, 0);
	first = defer_ended(rig, events[0], begin);
	KUNIT_EXPECT_GE(test, first, (s64)DEFER_LIMIT_MS);
	last = first;
	for (i = 1; i < 3; i++) {
		ended = defer_ended(rig, events[i], begin);
		last = max(last, ended);
	}
	/* Not one limit after the other. */
	KUNIT_EXPECT_LT(test, last - first, (s64)DEFER_LIMIT_MS / 2);
	KUNIT_EXPECT_GE(test, defer_ended(rig, young, later),
			(s64)DEFER_LIMIT_MS);
	KUNIT_EXPECT_EQ(test, defer_taken(rig), 1U);
}

/* The clock of what waited in time begins at hand-over. */
static void defer_restarts_the_clock(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct defer_bench defer;
	ktime_t opened;
	u32 event;

	defer_bench(rig, &defer);
	event = defer_behind(rig, &defer, defer.gate, 0, 0);
	msleep(DEFER_LIMIT_MS / 2);
	opened = ktime_get();
	defer_open(rig, VACC_EVENT_COMPLETE);
	KUNIT_EXPECT_EQ(test, defer_taken(rig), 2U);
	KUNIT_EXPECT_GE(test, defer_ended(rig, event, opened),
			(s64)DEFER_LIMIT_MS);
}

/* Cancelling behind the head keeps nobody from the limit. */
static void defer_cancels_are_no_progress(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct defer_bench defer;
	struct vacc_event *event;
	ktime_t begin;
	u32 head, i;

	defer_bench(rig, &defer);
	begin = ktime_get();
	head = rig_event(rig, &defer.bench);
	event = rig_event_of(rig, head);
	for (i = 0; i < 40 && vacc_event_state(event) == VACC_EVENT_PENDING; i++) {
		u32 other = rig_event(rig, &defer.bench);

		msleep(DEFER_LIMIT_MS / 10);
		rig_handle_call(rig, VACC_EVENT_CANCEL, other);
		rig_handle_call(rig, VACC_EVENT_DESTROY, other);
	}
	vacc_event_put(event);
	KUNIT_EXPECT_LT(test, i, 40U);
	KUNIT_EXPECT_GE(test, defer_ended(rig, head, begin), (s64)DEFER_LIMIT_MS);
}

static struct kunit_case defer_impatient_cases[] = {
	KUNIT_CASE(defer_overdue),
	KUNIT_CASE(defer_restarts_the_clock),
	KUNIT_CASE(defer_cancels_are_no_progress),
	{}
};

static struct kunit_suite defer_impatient_suite = {
	.name = "virtio_accel_defer_impatient",
	.init = defer_impatient_init,
	.exit = rig_exit,
	.test_cases = defer_impatient_cases,
};

kunit_test_suites(&defer_suite, &defer_impatient_suite);
