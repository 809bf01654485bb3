// SPDX-License-Identifier: GPL-2.0
/*
 * Queues: states, SYNC, counters, and the watchdog.
 */
#include <linux/ktime.h>

#include "rig.h"

static void queue_expect(struct rig *rig, u32 queue, u32 state, u32 status,
			 u32 pending)
{
	struct kunit *test = rig->test;
	struct vacc_queue_query query;

	rig_queue_query(rig, queue, &query);
	KUNIT_EXPECT_EQ(test, query.state, state);
	KUNIT_EXPECT_EQ(test, query.status, status);
	KUNIT_EXPECT_EQ(test, query.pending, pending);
	KUNIT_EXPECT_EQ(test, query.submitted, query.pending + query.completed +
			query.failed + query.cancelled);
}

static long queue_sync(struct rig *rig, u32 queue, u64 deadline, u32 *status)
{
	struct vacc_queue_sync sync = {
		.handle = queue,
		.status = 99,
		.deadline_ns = deadline,
	};
	long ret = RIG_CALL(rig, VACC_QUEUE_SYNC, &sync);

	*status = sync.status;
	return ret;
}

static void queue_end(struct rig *rig, unsigned int index, u32 state, u16 status)
{
	KUNIT_ASSERT_TRUE(rig->test, fake_end(&rig->fake, index, state, status));
}

static void queue_states(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct rig_bench bench;
	u32 status;

	rig_bench(rig, &bench);
	queue_expect(rig, bench.queue, VACC_QUEUE_READY, 0, 0);
	rig_event(rig, &bench);
	rig_event(rig, &bench);
	rig_event(rig, &bench);
	queue_expect(rig, bench.queue, VACC_QUEUE_SUBMITTED, 0, 3);
	/* Not in the order of submission. */
	queue_end(rig, 1, VACC_EVENT_FAILED, VIRTIO_ACCEL_S_OUT_OF_BOUNDS);
	queue_expect(rig, bench.queue, VACC_QUEUE_FAILED,
		     VIRTIO_ACCEL_S_OUT_OF_BOUNDS, 2);
	/* The first failure stands. */
	queue_end(rig, 0, VACC_EVENT_FAILED, VIRTIO_ACCEL_S_BUSY);
	queue_expect(rig, bench.queue, VACC_QUEUE_FAILED,
		     VIRTIO_ACCEL_S_OUT_OF_BOUNDS, 1);
	KUNIT_EXPECT_EQ(test, queue_sync(rig, bench.queue, 1, &status),
			-ETIMEDOUT);
	queue_expect(rig, bench.queue, VACC_QUEUE_FAILED,
		     VIRTIO_ACCEL_S_OUT_OF_BOUNDS, 1);
	queue_end(rig, 0, VACC_EVENT_CANCELLED, 0);
	KUNIT_EXPECT_EQ(test, queue_sync(rig, bench.queue, 1, &status), 0);
	KUNIT_EXPECT_EQ(test, status, (u32)VIRTIO_ACCEL_S_OUT_OF_BOUNDS);
	queue_expect(rig, bench.queue, VACC_QUEUE_READY, 0, 0);
	KUNIT_EXPECT_EQ(test, queue_sync(rig, bench.queue, 1, &status), 0);
	KUNIT_EXPECT_EQ(test, status, 0U);
	/* Neither a success nor a cancellation is a failure. */
	rig_event(rig, &bench);
	queue_end(rig, 0, VACC_EVENT_COMPLETE, 0);
	queue_expect(rig, bench.queue, VACC_QUEUE_READY, 0, 0);
}

static void queue_end_one(struct rig *rig)
{
	fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, VIRTIO_ACCEL_S_OK);
}

/*
 * SYNC waits for what is pending when it is called, not for what comes later: the second
 * event is made to look as if it had come while the caller slept.
 */
static void queue_second_comes_later(struct rig *rig)
{
	struct vacc_event *second = rig->fake.events[1];

	spin_lock_irq(&second->queue->lock);
	second->seq += 10;
	spin_unlock_irq(&second->queue->lock);
	queue_end_one(rig);
}

static void queue_sync_is_woken(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct rig_bench bench;
	u32 status;

	rig_bench(rig, &bench);
	rig_event(rig, &bench);
	rig_event(rig, &bench);
	rig_later(rig, queue_second_comes_later);
	KUNIT_EXPECT_EQ(test, queue_sync(rig, bench.queue, VACC_NO_DEADLINE,
					 &status), 0);
	KUNIT_EXPECT_EQ(test, status, 0U);
	queue_expect(rig, bench.queue, VACC_QUEUE_SUBMITTED, 0, 1);
	flush_work(&rig->later);
}

static void queue_sync_needs_all_earlier(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct rig_bench bench;
	u32 other;
	u32 status;

	rig_bench(rig, &bench);
	other = rig_queue(rig, bench.context);
	rig_event(rig, &bench);
	rig_event(rig, &bench);
	queue_end(rig, 1, VACC_EVENT_COMPLETE, 0);
	KUNIT_EXPECT_EQ(test, queue_sync(rig, bench.queue, 1, &status),
			-ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, queue_sync(rig, other, 1, &status), 0);
	queue_end(rig, 0, VACC_EVENT_COMPLETE, 0);
	KUNIT_EXPECT_EQ(test, queue_sync(rig, bench.queue, 1, &status), 0);
}

static void queue_sync_refusals(struct kunit *test)
{
	struct vacc_queue_sync sync = { .flags = 1,
					.deadline_ns = VACC_NO_DEADLINE + 1 };
	struct rig *rig = test->priv;

	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_QUEUE_SYNC, &sync), -EOPNOTSUPP);
	sync.flags = 0;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_QUEUE_SYNC, &sync), -EINVAL);
	sync.deadline_ns = VACC_NO_DEADLINE;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_QUEUE_SYNC, &sync), -ENOENT);
}

static void queue_create_refusals(struct kunit *test)
{
	struct vacc_queue_create create = { .flags = 1, .reserved = 1 };
	struct rig *rig = test->priv;

	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_QUEUE_CREATE, &create),
			-EOPNOTSUPP);
	create.flags = 0;
	create.priority = 1;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_QUEUE_CREATE, &create),
			-EOPNOTSUPP);
	create.priority = 0;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_QUEUE_CREATE, &create), -EINVAL);
	create.reserved = 0;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_QUEUE_CREATE, &create), -ENOENT);
}

static void queue_query_of_the_backend(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_queue_query query;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	rig_queue_query(rig, bench.queue, &query);
	KUNIT_EXPECT_EQ(test, query.context, bench.context);
	KUNIT_EXPECT_EQ(test, query.queue_flags, (u32)VACC_FEATURE_QUEUE_IN_ORDER);
	KUNIT_EXPECT_EQ(test, query.commands, 1ULL);
	KUNIT_EXPECT_EQ(test, query.uploaded_bytes, 2ULL);
	KUNIT_EXPECT_EQ(test, query.launches, 3ULL);
	KUNIT_EXPECT_EQ(test, query.busy_ns, 4ULL);
}

/* The device's sums include queues that are gone. */
static void queue_totals_stay(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_stats stats;
	struct rig_bench bench;
	u32 second;

	rig_bench(rig, &bench);
	rig_event(rig, &bench);
	rig_event(rig, &bench);
	rig_event(rig, &bench);
	queue_end(rig, 0, VACC_EVENT_COMPLETE, 0);
	queue_end(rig, 0, VACC_EVENT_FAILED, 5);
	queue_end(rig, 0, VACC_EVENT_CANCELLED, 0);
	second = rig_queue(rig, bench.context);
	rig_settle(rig);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_QUEUE_DESTROY,
					      bench.queue), 0);
	bench.queue = second;
	rig_event(rig, &bench);
	rig_stats(rig, &stats);
	KUNIT_EXPECT_EQ(test, stats.submitted, 4ULL);
	KUNIT_EXPECT_EQ(test, stats.completed, 1ULL);
	KUNIT_EXPECT_EQ(test, stats.failed, 1ULL);
	KUNIT_EXPECT_EQ(test, stats.cancelled, 1ULL);
	KUNIT_EXPECT_EQ(test, stats.commands, 10ULL);
	KUNIT_EXPECT_EQ(test, stats.busy_ns, 40ULL);
	KUNIT_EXPECT_EQ(test, stats.scratch_bytes, 50ULL);
	KUNIT_EXPECT_EQ(test, stats.allocations, 1ULL);
}

/* Time passes for a queue, and its watchdog looks. */
static void queue_advance(struct rig *rig, struct vacc_queue *queue,
			  unsigned int ms)
{
	WRITE_ONCE(queue->progress,
		   READ_ONCE(queue->progress) - msecs_to_jiffies(ms));
	mod_delayed_work(vacc_wq, &queue->watchdog, 0);
	flush_delayed_work(&queue->watchdog);
	rig_flush();
}

static void queue_watchdog_takes_the_head(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_event *one, *two;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	one = rig_event_of(rig, rig_event(rig, &bench));
	two = rig_event_of(rig, rig_event(rig, &bench));
	queue_advance(rig, one->queue, 15000);
	KUNIT_EXPECT_EQ(test, vacc_event_state(one), (u32)VACC_EVENT_PENDING);
	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&one->queue->watchdog));
	/* A sign of life, and the clock starts again. */
	vacc_event_progress(one);
	queue_advance(rig, one->queue, 29000);
	KUNIT_EXPECT_EQ(test, vacc_event_state(one), (u32)VACC_EVENT_PENDING);
	queue_advance(rig, one->queue, 2000);
	KUNIT_EXPECT_EQ(test, vacc_event_state(one), (u32)VACC_EVENT_FAILED);
	KUNIT_EXPECT_EQ(test, one->status, (u32)VIRTIO_ACCEL_S_DEADLINE_EXPIRED);
	/* The next one has all the time again. */
	KUNIT_EXPECT_EQ(test, vacc_event_state(two), (u32)VACC_EVENT_PENDING);
	queue_advance(rig, one->queue, 29000);
	KUNIT_EXPECT_EQ(test, vacc_event_state(two), (u32)VACC_EVENT_PENDING);
	queue_advance(rig, one->queue, 2000);
	KUNIT_EXPECT_EQ(test, vacc_event_state(two), (u32)VACC_EVENT_FAILED);
	vacc_event_put(one);
	vacc_event_put(two);
}

/* Idle time before a submission does not count. */
static void queue_watchdog_after_idleness(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_queue *queue;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	queue = container_of(rig_obj(rig, bench.queue), struct vacc_queue, obj);
	WRITE_ONCE(queue->progress, jiffies - msecs_to_jiffies(90000));
	rig_event(rig, &bench);
	queue_advance(rig, queue, 0);
	queue_expect(rig, bench.queue, VACC_QUEUE_SUBMITTED, 0, 1);
	/* With nothing pending it does not look again. */
	queue_end(rig, 0, VACC_EVENT_COMPLETE, 0);
	queue_advance(rig, queue, 0);
	KUNIT_EXPECT_FALSE(test, delayed_work_pending(&queue->watchdog));
}

/* One that does not stop: asked again and again, and never twice ended. */
static void queue_watchdog_of_a_deaf_device(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_event *event;
	struct rig_bench bench;
	int i;

	rig->fake.executing = true;
	rig_bench(rig, &bench);
	event = rig_event_of(rig, rig_event(rig, &bench));
	for (i = 0; i < 3; i++)
		queue_advance(rig, event->queue, 31000);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_ABORT], 3U);
	KUNIT_EXPECT_EQ(test, vacc_event_state(event), (u32)VACC_EVENT_PENDING);
	queue_end(rig, 0, VACC_EVENT_CANCELLED, 0);
	KUNIT_EXPECT_EQ(test, event->status,
			(u32)VIRTIO_ACCEL_S_DEADLINE_EXPIRED);
	vacc_event_put(event);
}

static struct kunit_case queue_cases[] = {
	KUNIT_CASE(queue_states),
	KUNIT_CASE(queue_sync_is_woken),
	KUNIT_CASE(queue_sync_needs_all_earlier),
	KUNIT_CASE(queue_sync_refusals),
	KUNIT_CASE(queue_create_refusals),
	KUNIT_CASE(queue_query_of_the_backend),
	KUNIT_CASE(queue_totals_stay),
	KUNIT_CASE(queue_watchdog_takes_the_head),
	KUNIT_CASE(queue_watchdog_after_idleness),
	KUNIT_CASE(queue_watchdog_of_a_deaf_device),
	{}
};

static struct kunit_suite queue_suite = {
	.name = "virtio_accel_queue",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = queue_cases,
};

kunit_test_suite(queue_suite);
