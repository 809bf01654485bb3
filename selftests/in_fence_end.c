// SPDX-License-Identifier: GPL-2.0
/*
 * In-fences of SUBMIT: order, and how waiting ends.
 */
#include "in_fence.h"

/* What is submitted behind it on its queue waits too; other queues do not. */
TEST_F(dev, order_behind_it)
{
	struct work w, other;
	struct vt_gate gate;
	__u32 queue, twos, x, y, z, key;
	int fence, cancel;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_queue(self->fd, self->context, &queue));
	ASSERT_OK(make(self->fd, self->context, queue, &other));
	ASSERT_OK(vt_load_fill(self->fd, self->context, 2, &twos));
	ASSERT_OK(vt_gate_add(&gate));
	for (cancel = 0; cancel < 2; cancel++) {
		ASSERT_OK(vt_set(self->fd, w.buffer, 0, 0, BYTES));
		fence = vt_gate_fence(&gate, &key);
		ASSERT_LE(0, fence);
		ASSERT_OK(start_behind(&w, VACC_FENCE_SYNC_FILE, fence, &x));
		ASSERT_OK(vt_start(self->fd, w.queue, twos, &w.bind, 1, &y));
		ASSERT_OK(start(&other, &z));
		EXPECT_EQ(VACC_EVENT_COMPLETE, end_of(self->fd, z));
		if (self->info.features & VACC_FEATURE_QUEUE_IN_ORDER) {
			EXPECT_TRUE(stays_pending(self->fd, y));
			EXPECT_EQ(1, vt_all(self->fd, w.buffer, 0, 0, BYTES));
		}
		if (cancel) {
			ASSERT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, x));
		} else {
			ASSERT_OK(vt_gate_open(&gate, key));
		}
		EXPECT_EQ(cancel ? VACC_EVENT_CANCELLED : VACC_EVENT_COMPLETE,
			  end_of(self->fd, x));
		EXPECT_EQ(VACC_EVENT_COMPLETE, end_of(self->fd, y));
		EXPECT_EQ(1, vt_all(self->fd, w.buffer, 0, 2, BYTES));
		close(fence);
	}
	EXPECT_OK(vt_gate_remove(&gate));
}

/* Waiting is pending: for objects, counts, destroys and SYNC. */
TEST_F(dev, is_pending)
{
	struct vacc_buffer_query bq;
	struct vacc_queue_query q;
	struct vacc_event_query eq;
	struct vacc_get_info info;
	struct vt_gate gate;
	struct work w;
	__u32 event, key;
	int fence;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_gate_add(&gate));
	fence = vt_gate_fence(&gate, &key);
	ASSERT_OK(start_behind(&w, VACC_FENCE_SYNC_FILE, fence, &event));
	ASSERT_OK(vt_event_query(self->fd, event, &eq));
	EXPECT_EQ(VACC_ACCEPTED, eq.admission);
	EXPECT_EQ(VACC_EVENT_PENDING, eq.state);
	EXPECT_EQ(0, eq.event_flags);
	ASSERT_OK(vt_get_info(self->fd, &info));
	EXPECT_EQ(1, info.inflight);
	ASSERT_OK(vt_buffer_query(self->fd, w.buffer, &bq));
	EXPECT_EQ(1, bq.pending);
	ASSERT_OK(vt_queue_query(self->fd, w.queue, &q));
	EXPECT_EQ(1, q.pending);
	EXPECT_EQ(1, q.submitted);
	EXPECT_EQ(VACC_QUEUE_SUBMITTED, q.state);
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_BUFFER_DESTROY, w.buffer));
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_PROGRAM_UNLOAD, w.fill));
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_QUEUE_DESTROY, w.queue));
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_EVENT_DESTROY, event));
	EXPECT_ERRNO(ETIMEDOUT, vt_queue_sync(self->fd, w.queue, vt_deadline(20), NULL));
	ASSERT_OK(vt_gate_open(&gate, key));
	EXPECT_OK(vt_queue_sync(self->fd, w.queue, vt_deadline(VT_PATIENCE_MS), NULL));
	EXPECT_EQ(VACC_EVENT_COMPLETE, vt_state(self->fd, event));
	EXPECT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, w.buffer));
	close(fence);
	EXPECT_OK(vt_gate_remove(&gate));
}

/* The timeout runs while it waits, and is not begun anew when it has waited. */
TEST_F(dev, timeouts)
{
	struct vacc_in_fence f;
	struct vt_gate gate;
	struct vacc_submit s;
	struct work w;
	__u32 key, next;
	__u64 begin;
	int fence;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_gate_add(&gate));
	fence = vt_gate_fence(&gate, &key);
	f = vt_in_fence(VACC_FENCE_SYNC_FILE, fence);
	s = behind(&w, &f, 1);
	s.flags = VACC_SUBMIT_OUT_FENCE;
	s.timeout_ns = 100000000;
	begin = vt_now();
	ASSERT_OK(vt_submit(self->fd, &s));
	ASSERT_OK(start(&w, &next));
	EXPECT_EQ(-ETIME, vt_fence_wait(s.out_fence_fd));
	EXPECT_LE(begin + 100000000, vt_now());
	EXPECT_EQ(FAILED(DEADLINE_EXPIRED), end_of(self->fd, s.event));
	EXPECT_EQ(VACC_EVENT_COMPLETE, end_of(self->fd, next));
	ASSERT_OK(vt_gate_open(&gate, key));
	vt_sleep_ms(20);
	EXPECT_EQ(FAILED(DEADLINE_EXPIRED), end_of(self->fd, s.event));
	close(s.out_fence_fd);
	close(fence);

	/* 700 ms in all, of which 500 are waiting. */
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	fence = vt_gate_fence(&gate, &key);
	f = vt_in_fence(VACC_FENCE_SYNC_FILE, fence);
	s = behind(&w, &f, 1);
	s.timeout_ns = 700000000;
	begin = vt_now();
	ASSERT_OK(vt_submit(self->fd, &s));
	vt_sleep_ms(500);
	ASSERT_OK(vt_gate_open(&gate, key));
	EXPECT_EQ(FAILED(DEADLINE_EXPIRED), end_of(self->fd, s.event));
	EXPECT_LE(begin + 700000000, vt_now());
	EXPECT_GT(begin + 1150000000, vt_now());
	close(fence);
	EXPECT_OK(vt_gate_remove(&gate));
}

/* WAIT: for the end, or until its own deadline. */
TEST_F(dev, submit_and_wait)
{
	struct vacc_in_fence f;
	struct vt_gate gate;
	struct vacc_submit s;
	struct work w;
	__u32 key;
	int fence;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_gate_add(&gate));
	fence = vt_gate_fence(&gate, &key);
	f = vt_in_fence(VACC_FENCE_SYNC_FILE, fence);
	s = behind(&w, &f, 1);
	s.flags = VACC_SUBMIT_WAIT;
	s.deadline_ns = vt_deadline(50);
	ASSERT_OK(vt_submit(self->fd, &s));
	EXPECT_LE(s.deadline_ns, vt_now());
	EXPECT_EQ(VACC_EVENT_PENDING, s.state);
	ASSERT_OK(vt_gate_open(&gate, key));
	s.deadline_ns = VACC_NO_DEADLINE;
	ASSERT_OK(vt_submit(self->fd, &s));
	EXPECT_EQ(VACC_EVENT_COMPLETE, s.state);
	EXPECT_EQ(VACC_EVENT_QUIESCENT, s.event_flags);
	close(fence);
	EXPECT_OK(vt_gate_remove(&gate));
}

/* Cancel wins while it waits, and the fence that comes later changes nothing. */
TEST_F(dev, cancel)
{
	struct vacc_queue_query q;
	struct vt_gate gate;
	__u32 event, key;
	struct work w;
	int fence;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_gate_add(&gate));
	fence = vt_gate_fence(&gate, &key);
	ASSERT_OK(start_behind(&w, VACC_FENCE_SYNC_FILE, fence, &event));
	EXPECT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, event));
	EXPECT_EQ(VACC_EVENT_CANCELLED, vt_state(self->fd, event));
	EXPECT_EQ(VACC_EVENT_CANCELLED, end_of(self->fd, event));
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_EVENT_CANCEL, event));
	EXPECT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, event));
	EXPECT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, w.buffer));
	ASSERT_OK(vt_gate_open(&gate, key));
	ASSERT_OK(vt_queue_query(self->fd, w.queue, &q));
	EXPECT_EQ(1, q.cancelled);
	EXPECT_EQ(0, q.commands);
	EXPECT_OK(vt_handle(self->fd, VACC_QUEUE_DESTROY, w.queue));
	close(fence);
	EXPECT_OK(vt_gate_remove(&gate));
}

/* Closed while it waits: cancelled, and nothing of it is left. */
TEST_F(dev, close_while_waiting)
{
	struct vacc_in_fence f;
	struct vacc_submit s;
	struct vt_gate gate;
	__u32 context, queue, key;
	struct work w;
	int fence, fd, i, out = -1;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(vt_gate_add(&gate));
	fence = vt_gate_fence(&gate, &key);
	f = vt_in_fence(VACC_FENCE_SYNC_FILE, fence);
	fd = vt_open_node(self->node);
	ASSERT_LE(0, fd);
	ASSERT_OK(vt_context(fd, &context));
	ASSERT_OK(vt_queue(fd, context, &queue));
	ASSERT_OK(make(fd, context, queue, &w));
	for (i = 0; i < 16; i++) {
		s = behind(&w, &f, i % 2);
		s.flags = i ? VACC_SUBMIT_RECORD : VACC_SUBMIT_OUT_FENCE;
		s.timeout_ns = i == 7 ? 1000000000 : 0;
		ASSERT_OK(vt_submit(fd, &s));
		/* The first waits for nothing. */
		if (!i)
			close(s.out_fence_fd);
	}
	s.flags = VACC_SUBMIT_OUT_FENCE | VACC_SUBMIT_AUTO_DESTROY;
	ASSERT_OK(vt_submit(fd, &s));
	out = s.out_fence_fd;
	ASSERT_EQ(0, close(fd));
	EXPECT_EQ(-ECANCELED, vt_fence_wait(out));
	EXPECT_OK(vt_settle(self->fd, NULL));
	ASSERT_OK(vt_gate_open(&gate, key));
	EXPECT_EQ(1, vt_fence_wait(fence));
	close(out);
	close(fence);
	EXPECT_OK(vt_gate_remove(&gate));
}

/* Its device goes while it waits; or the device of the fence. */
TEST_F(dev, unplug_while_waiting)
{
	struct vacc_in_fence f;
	struct vacc_submit s;
	struct vacc_record record;
	struct vt_gate gate;
	__u32 context, queue, key, event;
	struct work w;
	int fence, node, fd, i;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_gate_add(&gate));
	fence = vt_gate_fence(&gate, &key);
	ASSERT_OK(start_behind(&w, VACC_FENCE_SYNC_FILE, fence, &event));
	f = vt_in_fence(VACC_FENCE_SYNC_FILE, fence);
	node = vt_mock_add();
	ASSERT_LE(0, node);
	fd = vt_open_node(node);
	ASSERT_LE(0, fd);
	ASSERT_OK(vt_context(fd, &context));
	ASSERT_OK(vt_queue(fd, context, &queue));
	ASSERT_OK(make(fd, context, queue, &w));
	for (i = 0; i < 4; i++) {
		s = behind(&w, &f, 1);
		s.flags = VACC_SUBMIT_OUT_FENCE | VACC_SUBMIT_RECORD;
		ASSERT_OK(vt_submit(fd, &s));
		if (i < 3)
			close(s.out_fence_fd);
	}
	EXPECT_OK(vt_mock_remove(node));
	EXPECT_EQ(-ENODEV, vt_fence_wait(s.out_fence_fd));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(1, vt_read_records(fd, &record, 1));
		EXPECT_EQ(VACC_EVENT_FAILED, record.state);
		EXPECT_EQ(VIRTIO_ACCEL_S_DEVICE_LOST, record.status);
	}
	EXPECT_ERRNO(ENODEV, vt_read_records(fd, &record, 1));
	close(s.out_fence_fd);
	close(fd);

	EXPECT_EQ(VACC_EVENT_PENDING, vt_state(self->fd, event));
	EXPECT_OK(vt_gate_remove(&gate));
	EXPECT_EQ(-ENODEV, vt_fence_wait(fence));
	EXPECT_EQ(VACC_EVENT_CANCELLED, end_of(self->fd, event));
	close(fence);
}

/* Events of the same file, on the same queue and another. */
TEST_F(dev, own_events)
{
	struct work w, other;
	__u32 queue, a, b, c, cancel;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_queue(self->fd, self->context, &queue));
	ASSERT_OK(make(self->fd, self->context, queue, &other));
	for (cancel = 0; cancel < 2; cancel++) {
		ASSERT_OK(vt_control(self->node, "hold", "1"));
		ASSERT_OK(start(&w, &a));
		ASSERT_OK(start_behind(&other, VACC_FENCE_EVENT, a, &b));
		ASSERT_OK(start_behind(&w, VACC_FENCE_EVENT, a, &c));
		EXPECT_TRUE(stays_pending(self->fd, b));
		/* The device does not have them yet. */
		EXPECT_GT(0, vt_control(self->node, "complete", "%u", b));
		EXPECT_GT(0, vt_control(self->node, "complete", "%u", c));
		if (cancel) {
			ASSERT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, a));
		} else {
			ASSERT_OK(vt_control(self->node, "complete", "%u", a));
		}
		vt_release_all(self->node);
		EXPECT_EQ(cancel ? VACC_EVENT_CANCELLED : VACC_EVENT_COMPLETE,
			  end_of(self->fd, b));
		EXPECT_EQ(cancel ? VACC_EVENT_CANCELLED : VACC_EVENT_COMPLETE,
			  end_of(self->fd, c));
	}
	/* One that has ended, and as it ended. */
	ASSERT_OK(start_behind(&w, VACC_FENCE_EVENT, a, &b));
	EXPECT_EQ(VACC_EVENT_CANCELLED, end_of(self->fd, b));
	ASSERT_OK(start(&w, &a));
	ASSERT_EQ(VACC_EVENT_COMPLETE, end_of(self->fd, a));
	ASSERT_OK(start_behind(&w, VACC_FENCE_EVENT, a, &b));
	EXPECT_EQ(VACC_EVENT_COMPLETE, end_of(self->fd, b));
}

/*
 * What fits no binding is refused in the call, if the driver can know; over virtio only
 * the device does, and its refusal, which comes after the wait, is how the event ends.
 */
TEST_F(dev, refused_in_the_call)
{
	bool late = self->info.backend == VACC_BACKEND_VIRTIO;
	struct vacc_stats before, after;
	struct vacc_queue_query q;
	struct vt_gate gate;
	struct work w;
	__u32 event, key, next;
	int fence;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_gate_add(&gate));
	ASSERT_OK(vt_get_stats(self->fd, &before));
	fence = vt_gate_fence(&gate, &key);
	w.bind.slot = 5;
	EXPECT_EQ(late ? 0 : -ENOEXEC,
		  start_behind(&w, VACC_FENCE_SYNC_FILE, fence, &event));
	w.bind.slot = 0;
	ASSERT_OK(start(&w, &next));
	ASSERT_OK(vt_gate_open(&gate, key));
	if (late)
		EXPECT_EQ(FAILED(INCOMPATIBLE), end_of(self->fd, event));
	EXPECT_EQ(VACC_EVENT_COMPLETE, end_of(self->fd, next));
	ASSERT_OK(vt_queue_query(self->fd, w.queue, &q));
	EXPECT_EQ(late ? VACC_QUEUE_FAILED : VACC_QUEUE_READY, q.state);
	EXPECT_EQ(late ? VIRTIO_ACCEL_S_INCOMPATIBLE : VIRTIO_ACCEL_S_OK, q.status);
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(before.rejected + !late, after.rejected);
	EXPECT_EQ(before.submitted + 1 + late, after.submitted);
	EXPECT_EQ(before.failed + late, after.failed);
	close(fence);
	EXPECT_OK(vt_gate_remove(&gate));
}

struct opener {
	struct vt_gate *gate;
	volatile __u32 key;
	volatile int stop;
};

static void *open_gates(void *arg)
{
	struct opener *o = arg;
	__u32 last = 0, key;

	while (!o->stop) {
		key = o->key;
		if (key == last) {
			sched_yield();
			continue;
		}
		vt_gate_open(o->gate, key);
		last = key;
	}
	return NULL;
}

/*
 * The fence signals while its event is cancelled, while it is submitted, and while the
 * queue is destroyed: one end, and nothing left.
 */
TEST_F_TIMEOUT(dev, races, 300)
{
	unsigned int i, n = vt_scale(1000), cancelled = 0;
	struct opener opener = {};
	struct vt_gate gate;
	pthread_t thread;
	struct work w;
	__u32 event, queue, key;
	int fence, r, end;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_gate_add(&gate));
	opener.gate = &gate;
	ASSERT_EQ(0, pthread_create(&thread, NULL, open_gates, &opener));
	for (i = 0; i < n; i++) {
		ASSERT_OK(vt_queue(self->fd, self->context, &queue));
		w.queue = queue;
		fence = vt_gate_fence(&gate, &key);
		ASSERT_LE(0, fence);
		if (i % 3 == 0)
			opener.key = key;
		ASSERT_OK(start_behind(&w, VACC_FENCE_SYNC_FILE, fence, &event));
		opener.key = key;
		if (i % 2)
			sched_yield();
		r = vt_handle(self->fd, VACC_EVENT_CANCEL, event);
		ASSERT_TRUE(r == 0 || r == -EBUSY);
		end = end_of(self->fd, event);
		ASSERT_EQ(r ? VACC_EVENT_COMPLETE : VACC_EVENT_CANCELLED, end);
		ASSERT_OK(vt_handle(self->fd, VACC_QUEUE_DESTROY, queue));
		ASSERT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, event));
		ASSERT_EQ(1, vt_fence_wait(fence));
		close(fence);
		ASSERT_OK(vt_handle(gate.fd, VACC_EVENT_DESTROY, key));
		cancelled += !r;
	}
	opener.stop = 1;
	pthread_join(thread, NULL);
	TH_LOG("%u of %u cancelled", cancelled, n);
	EXPECT_OK(vt_gate_remove(&gate));
}

TEST_HARNESS_MAIN
