// SPDX-License-Identifier: GPL-2.0
/* QUEUE_CREATE, QUEUE_DESTROY, QUEUE_QUERY and QUEUE_SYNC. */
#include "vacc_test.h"

struct work {
	__u32 buffer, program;
	struct vacc_binding binding;
};

static int make_work(int fd, __u32 context, struct work *w)
{
	int r = vt_buffer(fd, context, 64, VT_USAGE_ALL, &w->buffer) ?:
		vt_load_fill(fd, context, 0x5a, &w->program);

	w->binding = vt_bind(w->buffer, 0, VT_WRITE, 0, 64);
	return r;
}

/* M2: flags and priorities are reserved, and nothing is created. */
TEST_F(dev, m2_queue_flags)
{
	struct vacc_stats before, after;
	int bit;

	ASSERT_OK(vt_get_stats(self->fd, &before));
	for (bit = 0; bit < 32; bit++) {
		struct vacc_queue_create arg = {
			.size = sizeof(arg), .flags = 1u << bit, .context = self->context,
		};

		EXPECT_ERRNO(EOPNOTSUPP, vt_ioctl(self->fd, VACC_QUEUE_CREATE, &arg));
		arg.flags = 0;
		arg.priority = 1u << bit;
		EXPECT_ERRNO(EOPNOTSUPP, vt_ioctl(self->fd, VACC_QUEUE_CREATE, &arg));
	}
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(before.live.queues, after.live.queues);
}

TEST_F(dev, bad_handles)
{
	const __u32 bad[] = { 0, ~0u, 1u << 31, self->context };
	struct vacc_queue_query q;
	unsigned int i;
	__u32 queue;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_QUEUE_DESTROY, bad[i]));
		EXPECT_ERRNO(ENOENT, vt_queue_query(self->fd, bad[i], &q));
		EXPECT_ERRNO(ENOENT, vt_queue_sync(self->fd, bad[i], 0, NULL));
	}
	EXPECT_ERRNO(ENOENT, vt_queue(self->fd, self->queue, &queue));
	EXPECT_ERRNO(ENOENT, vt_queue(self->fd, 0, &queue));
	ASSERT_OK(vt_queue(self->fd, self->context, &queue));
	EXPECT_OK(vt_handle(self->fd, VACC_QUEUE_DESTROY, queue));
	EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_QUEUE_DESTROY, queue));
}

/* M1: create until refused, destroy one, create one. */
TEST_F(dev, m1_limit_of_queues)
{
	__u32 queue, last = 0, context;
	unsigned int n = 0;
	int r;

	ASSERT_OK(vt_context(self->fd, &context));
	while (!(r = vt_queue(self->fd, context, &queue))) {
		last = queue;
		ASSERT_GE(self->info.max_queues_per_context, ++n);
	}
	EXPECT_ERRNO(ENOSPC, r);
	EXPECT_EQ(self->info.max_queues_per_context, n);
	ASSERT_OK(vt_handle(self->fd, VACC_QUEUE_DESTROY, last));
	EXPECT_OK(vt_queue(self->fd, context, &queue));
	EXPECT_ERRNO(ENOSPC, vt_queue(self->fd, context, &queue));
}

TEST_F(dev, query_of_a_new_queue)
{
	struct vacc_queue_query q, zero;

	ASSERT_OK(vt_queue_query(self->fd, self->queue, &q));
	memset(&zero, 0, sizeof(zero));
	zero.size = sizeof(zero);
	zero.handle = self->queue;
	zero.context = self->context;
	zero.queue_flags = self->info.features & VACC_FEATURE_QUEUE_IN_ORDER;
	EXPECT_EQ(0, memcmp(&zero, &q, sizeof(q)));
}

/* R10: ready, submitted, and ready again. */
TEST_F(dev, r10_states_without_failure)
{
	struct vacc_queue_query q;
	struct work w;
	__u32 event, status;

	ASSERT_OK(make_work(self->fd, self->context, &w));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(vt_start(self->fd, self->queue, w.program, &w.binding, 1, &event));
	ASSERT_OK(vt_queue_query(self->fd, self->queue, &q));
	EXPECT_EQ(VACC_QUEUE_SUBMITTED, q.state);
	EXPECT_EQ(0, q.status);
	EXPECT_EQ(1, q.pending);
	EXPECT_EQ(1, q.submitted);
	EXPECT_EQ(0, q.completed);

	EXPECT_ERRNO(ETIMEDOUT, vt_queue_sync(self->fd, self->queue, 0, &status));
	EXPECT_ERRNO(ETIMEDOUT, vt_queue_sync(self->fd, self->queue, vt_deadline(50), &status));
	vt_release_all(self->node);
	EXPECT_OK(vt_queue_sync(self->fd, self->queue, vt_deadline(VT_PATIENCE_MS), &status));
	EXPECT_EQ(VIRTIO_ACCEL_S_OK, status);
	EXPECT_EQ(VACC_EVENT_COMPLETE, vt_state(self->fd, event));
	ASSERT_OK(vt_queue_query(self->fd, self->queue, &q));
	EXPECT_EQ(VACC_QUEUE_READY, q.state);
	EXPECT_EQ(0, q.pending);
	EXPECT_EQ(1, q.completed);
}

/* R10: a failure stays until SYNC, also over later successes and an ETIMEDOUT. */
TEST_F(dev, r10_failed_until_sync)
{
	struct vacc_queue_query q;
	struct work w;
	__u32 events[3], status;
	int i;

	ASSERT_OK(make_work(self->fd, self->context, &w));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	for (i = 0; i < 3; i++) {
		ASSERT_OK(vt_start(self->fd, self->queue, w.program, &w.binding, 1, &events[i]));
	}
	ASSERT_OK(vt_control(self->node, "fail", "%u %u", events[0],
			     VIRTIO_ACCEL_S_INTERNAL_ERROR));
	ASSERT_OK(vt_event_wait(self->fd, events[0], VT_PATIENCE_MS, NULL));
	ASSERT_OK(vt_control(self->node, "fail", "%u %u", events[1], VIRTIO_ACCEL_S_OUT_OF_MEMORY));
	ASSERT_OK(vt_event_wait(self->fd, events[1], VT_PATIENCE_MS, NULL));
	ASSERT_OK(vt_queue_query(self->fd, self->queue, &q));
	EXPECT_EQ(VACC_QUEUE_FAILED, q.state);
	EXPECT_EQ(VIRTIO_ACCEL_S_INTERNAL_ERROR, q.status);
	EXPECT_EQ(1, q.pending);
	EXPECT_EQ(2, q.failed);
	EXPECT_ERRNO(ETIMEDOUT, vt_queue_sync(self->fd, self->queue, 0, NULL));

	ASSERT_OK(vt_control(self->node, "complete", "%u", events[2]));
	ASSERT_OK(vt_event_wait(self->fd, events[2], VT_PATIENCE_MS, NULL));
	ASSERT_OK(vt_queue_query(self->fd, self->queue, &q));
	EXPECT_EQ(VACC_QUEUE_FAILED, q.state);
	EXPECT_EQ(VIRTIO_ACCEL_S_INTERNAL_ERROR, q.status);
	EXPECT_EQ(1, q.completed);

	EXPECT_OK(vt_queue_sync(self->fd, self->queue, 0, &status));
	EXPECT_EQ(VIRTIO_ACCEL_S_INTERNAL_ERROR, status);
	ASSERT_OK(vt_queue_query(self->fd, self->queue, &q));
	EXPECT_EQ(VACC_QUEUE_READY, q.state);
	EXPECT_EQ(0, q.status);
	EXPECT_EQ(2, q.failed);
	EXPECT_OK(vt_queue_sync(self->fd, self->queue, 0, &status));
	EXPECT_EQ(0, status);
}

/* A cancelled event is no failure of the queue. */
TEST_F(dev, cancel_is_no_failure)
{
	struct vacc_queue_query q;
	struct work w;
	__u32 event;

	ASSERT_OK(make_work(self->fd, self->context, &w));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(vt_start(self->fd, self->queue, w.program, &w.binding, 1, &event));
	ASSERT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, event));
	ASSERT_OK(vt_queue_query(self->fd, self->queue, &q));
	EXPECT_EQ(VACC_QUEUE_READY, q.state);
	EXPECT_EQ(1, q.cancelled);
	EXPECT_EQ(0, q.failed);
	EXPECT_EQ(0, q.commands);
}

struct later {
	int fd, node;
	__u32 queue, first;
	struct work work;
	int error;
};

/* Submits once more, then completes the first: SYNC does not wait for the second. */
static void *submit_later(void *arg)
{
	struct later *l = arg;
	__u32 event;

	vt_sleep_ms(100);
	l->error = vt_start(l->fd, l->queue, l->work.program, &l->work.binding, 1, &event) ?:
		   vt_control(l->node, "complete", "%u", l->first);
	return NULL;
}

/* R10: SYNC waits for what is pending at its call alone. */
TEST_F(dev, r10_sync_does_not_wait_for_later_work)
{
	struct later l = { .fd = self->fd, .node = self->node, .queue = self->queue };
	struct vacc_queue_query q;
	pthread_t thread;
	__u64 deadline;
	__u32 status;

	ASSERT_OK(make_work(self->fd, self->context, &l.work));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(vt_start(self->fd, self->queue, l.work.program, &l.work.binding, 1, &l.first));
	deadline = vt_deadline(VT_PATIENCE_MS);
	ASSERT_EQ(0, pthread_create(&thread, NULL, submit_later, &l));
	EXPECT_OK(vt_queue_sync(self->fd, self->queue, deadline, &status));
	/* It is woken: at the deadline it would find no more work either. */
	EXPECT_LT(vt_now(), deadline);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_OK(l.error);
	ASSERT_OK(vt_queue_query(self->fd, self->queue, &q));
	EXPECT_EQ(1, q.pending);
	EXPECT_EQ(1, q.completed);
	EXPECT_EQ(VACC_QUEUE_SUBMITTED, q.state);
}

TEST_F(dev, sync_of_an_idle_queue_returns)
{
	__u32 status;

	EXPECT_OK(vt_queue_sync(self->fd, self->queue, 0, &status));
	EXPECT_EQ(0, status);
	EXPECT_OK(vt_queue_sync(self->fd, self->queue, VACC_NO_DEADLINE, &status));
	EXPECT_EQ(0, status);
}

/* A queue stays while pending work uses it. */
TEST_F(dev, busy_while_work_is_pending)
{
	struct vacc_event_query e;
	struct work w;
	__u32 queue, event;

	ASSERT_OK(make_work(self->fd, self->context, &w));
	ASSERT_OK(vt_queue(self->fd, self->context, &queue));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(vt_start(self->fd, queue, w.program, &w.binding, 1, &event));
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_QUEUE_DESTROY, queue));
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_PROGRAM_UNLOAD, w.program));
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_BUFFER_DESTROY, w.buffer));
	ASSERT_OK(vt_control(self->node, "complete", "%u", event));
	ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
	EXPECT_OK(vt_handle(self->fd, VACC_QUEUE_DESTROY, queue));
	EXPECT_OK(vt_handle(self->fd, VACC_PROGRAM_UNLOAD, w.program));
	EXPECT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, w.buffer));
	/* The event is still there, and knows where it ran. */
	ASSERT_OK(vt_event_query(self->fd, event, &e));
	EXPECT_EQ(queue, e.queue);
	EXPECT_EQ(VACC_EVENT_COMPLETE, e.state);
}

/* R13: counters of a queue and of the device, exact when quiet. */
TEST_F(dev, r13_counters)
{
	struct vacc_stats before, after;
	static const char text[] = "0123456789";
	char back[10];
	struct vt_batch b = {};
	struct vacc_queue_query q;
	struct vacc_binding bind[3];
	__u32 buffer, program, i;
	bool direct = self->info.backend == VACC_BACKEND_DIRECT;

	vt_batch_slot(&b, 0, VT_READ_WRITE, 64);
	vt_batch_slot(&b, 1, VT_READ, 32);
	vt_batch_slot(&b, 2, VT_WRITE, 32);
	vt_batch_upload(&b, 0, 3, text, 10);
	vt_batch_set(&b, VACC_BATCH_OP_ZERO, 0, 0, 2, 0);
	vt_batch_barrier(&b, VACC_BATCH_NO_SLOT);
	vt_batch_launch(&b, 1, 1, 2, 2, 2, 2);
	vt_batch_launch(&b, 1, 1, 2, 4, 4, 4);
	vt_batch_linear(&b, 0, 2);
	ASSERT_OK(vt_load_batch(self->fd, self->context, &b, &program));
	buffer = vt_any_buffer(self->fd, self->context, 4096);
	ASSERT_NE(0, buffer);
	bind[0] = vt_bind(buffer, 0, VT_READ_WRITE, 0, 64);
	bind[1] = vt_bind(buffer, 1, VT_READ, 1024, 32);
	bind[2] = vt_bind(buffer, 2, VT_WRITE, 2048, 32);

	ASSERT_OK(vt_get_stats(self->fd, &before));
	for (i = 0; i < 5; i++) {
		ASSERT_OK(vt_run(self->fd, self->queue, program, bind, 3));
	}
	ASSERT_OK(vt_queue_query(self->fd, self->queue, &q));
	EXPECT_EQ(5, q.submitted);
	EXPECT_EQ(5, q.completed);
	EXPECT_EQ(0, q.failed + q.cancelled + q.pending);
	if (direct) {
		EXPECT_EQ(5 * 4, q.commands);
		EXPECT_EQ(5 * 10, q.uploaded_bytes);
		EXPECT_EQ(5 * 2, q.launches);
		EXPECT_LT(0, q.busy_ns);
	}
	ASSERT_OK(vt_read(self->fd, buffer, 3, back, 10));
	EXPECT_EQ(0, memcmp(text, back, 10));
	ASSERT_OK(vt_write(self->fd, buffer, 0, text, 7));
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(before.submitted + 5, after.submitted);
	EXPECT_EQ(before.completed + 5, after.completed);
	EXPECT_EQ(after.submitted, after.completed + after.failed + after.cancelled);
	EXPECT_EQ(before.direct_bindings + 15, after.direct_bindings);
	EXPECT_EQ(before.readback_bytes + 10, after.readback_bytes);
	EXPECT_EQ(before.written_bytes + 7, after.written_bytes);
	if (direct) {
		EXPECT_EQ(before.commands + 20, after.commands);
		EXPECT_EQ(before.uploaded_bytes + 50, after.uploaded_bytes);
		EXPECT_EQ(before.launches + 10, after.launches);
	}
}

/* R13: a destroyed queue stays in the totals. */
TEST_F(dev, r13_totals_outlive_queues)
{
	struct vacc_stats before, after;
	struct work w;
	__u32 queue, i;

	ASSERT_OK(make_work(self->fd, self->context, &w));
	ASSERT_OK(vt_get_stats(self->fd, &before));
	for (i = 0; i < 3; i++) {
		ASSERT_OK(vt_queue(self->fd, self->context, &queue));
		ASSERT_OK(vt_run(self->fd, queue, w.program, &w.binding, 1));
		ASSERT_OK(vt_handle(self->fd, VACC_QUEUE_DESTROY, queue));
	}
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(before.submitted + 3, after.submitted);
	EXPECT_EQ(before.completed + 3, after.completed);
	if (self->info.backend == VACC_BACKEND_DIRECT) {
		EXPECT_EQ(before.commands + 3, after.commands);
	}
}

/* A later event that fails does not stop the queue, nor does an earlier one. */
TEST_F(dev, a_failure_does_not_stop_later_work)
{
	struct work w;
	__u32 a, b;

	ASSERT_OK(make_work(self->fd, self->context, &w));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(vt_start(self->fd, self->queue, w.program, &w.binding, 1, &a));
	ASSERT_OK(vt_start(self->fd, self->queue, w.program, &w.binding, 1, &b));
	ASSERT_OK(vt_control(self->node, "fail", "%u %u", a, VIRTIO_ACCEL_S_INTERNAL_ERROR));
	vt_release_all(self->node);
	/* The order of their ends says nothing of the order in which they are seen. */
	ASSERT_OK(vt_event_wait(self->fd, a, VT_PATIENCE_MS, NULL));
	ASSERT_OK(vt_event_wait(self->fd, b, VT_PATIENCE_MS, NULL));
	EXPECT_EQ(VACC_EVENT_FAILED, vt_state(self->fd, a));
	EXPECT_EQ(VACC_EVENT_COMPLETE, vt_state(self->fd, b));
	EXPECT_EQ(1, vt_all(self->fd, w.buffer, 0, 0x5a, 64));
}

TEST_HARNESS_MAIN
