// SPDX-License-Identifier: GPL-2.0
/* EVENT_QUERY, EVENT_WAIT, EVENT_CANCEL and EVENT_DESTROY. */
#include "vacc_test.h"

#define BYTES	64

struct work {
	int fd;
	__u32 queue, buffer, fill;
	struct vacc_binding bind;
};

static int make(int fd, __u32 context, __u32 queue, struct work *w)
{
	int r = vt_buffer(fd, context, BYTES, VT_USAGE_ALL, &w->buffer) ?:
		vt_load_fill(fd, context, 0xa5, &w->fill);

	w->fd = fd;
	w->queue = queue;
	w->bind = vt_bind(w->buffer, 0, VT_WRITE, 0, BYTES);
	return r;
}

static int start(struct work *w, __u32 *event)
{
	return vt_start(w->fd, w->queue, w->fill, &w->bind, 1, event);
}

/* 1 if the work has run, 0 if it has not, -EIO if it is neither. */
static int written(struct work *w)
{
	unsigned char got[BYTES];
	int r = vt_read(w->fd, w->buffer, 0, got, BYTES);

	if (r)
		return r;
	if (memcmp(got, got + 1, BYTES - 1) || (got[0] && got[0] != 0xa5))
		return -EIO;
	return got[0] == 0xa5;
}

#define HOLD() ASSERT_OK(vt_control(self->node, "hold", "1"))

/* Handles that were never given out, or are of another kind, or gone. */
TEST_F(dev, bad_handles)
{
	const __u32 bad[] = { 0, 1u << 31, ~0u, self->queue, self->context };
	struct vacc_event_export export = { .size = sizeof(export) };
	struct vacc_event_query q;
	struct work w;
	unsigned int i;
	__u32 event;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_ERRNO(ENOENT, vt_event_query(self->fd, bad[i], &q));
		EXPECT_ERRNO(ENOENT, vt_event_wait(self->fd, bad[i], 0, NULL));
		EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_EVENT_CANCEL, bad[i]));
		EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_EVENT_DESTROY, bad[i]));
		export.handle = bad[i];
		EXPECT_EQ(self->info.features & VACC_FEATURE_SYNC_FILE ? -ENOENT : -EOPNOTSUPP,
			  vt_ioctl(self->fd, VACC_EVENT_EXPORT, &export));
	}
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(start(&w, &event));
	ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
	EXPECT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, event));
	EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_EVENT_DESTROY, event));
	EXPECT_ERRNO(ENOENT, vt_event_query(self->fd, event, &q));
	EXPECT_ERRNO(ENOENT, vt_event_wait(self->fd, event, 0, NULL));
	EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_EVENT_CANCEL, event));
}

TEST_F(dev, wait_any_and_all)
{
	struct vacc_wait_entry e[3];
	struct vacc_event_wait wait;
	struct work w;
	__u64 before;
	int i;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	HOLD();
	for (i = 0; i < 3; i++) {
		ASSERT_OK(start(&w, &e[i].handle));
	}
	/* Nothing has ended: a deadline that has passed is a look. */
	EXPECT_ERRNO(ETIMEDOUT, vt_event_waits(self->fd, 0, e, 3, 0, &wait));
	EXPECT_EQ(0, wait.ended);
	EXPECT_EQ(~0u, wait.first);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(VACC_EVENT_PENDING, e[i].state);
		EXPECT_EQ(0, e[i].status);
		EXPECT_EQ(0, e[i].event_flags);
	}
	before = vt_now();
	EXPECT_ERRNO(ETIMEDOUT, vt_event_waits(self->fd, 0, e, 3, before + 50000000, &wait));
	EXPECT_LE(before + 50000000, vt_now());

	ASSERT_OK(vt_control(self->node, "complete", "%u", e[1].handle));
	EXPECT_OK(vt_event_waits(self->fd, 0, e, 3, vt_deadline(VT_PATIENCE_MS), &wait));
	EXPECT_EQ(1, wait.ended);
	EXPECT_EQ(1, wait.first);
	EXPECT_EQ(VACC_EVENT_PENDING, e[0].state);
	EXPECT_EQ(VACC_EVENT_COMPLETE, e[1].state);
	EXPECT_EQ(VACC_EVENT_QUIESCENT, e[1].event_flags);
	EXPECT_EQ(VACC_EVENT_PENDING, e[2].state);
	/* All: the entries are filled in although the time ran out. */
	memset(&e[1].state, 0xff, 12);
	EXPECT_ERRNO(ETIMEDOUT, vt_event_waits(self->fd, VACC_WAIT_ALL, e, 3, vt_deadline(20),
					       &wait));
	EXPECT_EQ(1, wait.ended);
	EXPECT_EQ(1, wait.first);
	EXPECT_EQ(VACC_EVENT_COMPLETE, e[1].state);
	EXPECT_EQ(VIRTIO_ACCEL_S_OK, e[1].status);

	ASSERT_OK(vt_control(self->node, "fail", "%u %u", e[0].handle, VIRTIO_ACCEL_S_BUSY));
	ASSERT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, e[2].handle));
	EXPECT_OK(vt_event_waits(self->fd, VACC_WAIT_ALL, e, 3, VACC_NO_DEADLINE, &wait));
	EXPECT_EQ(3, wait.ended);
	EXPECT_EQ(0, wait.first);
	EXPECT_EQ(VACC_EVENT_FAILED, e[0].state);
	EXPECT_EQ(VIRTIO_ACCEL_S_BUSY, e[0].status);
	EXPECT_EQ(VACC_EVENT_COMPLETE, e[1].state);
	EXPECT_EQ(VACC_EVENT_CANCELLED, e[2].state);
	EXPECT_EQ(VIRTIO_ACCEL_S_OK, e[2].status);
}

TEST_F(dev, wait_arguments)
{
	struct vacc_wait_entry *e = calloc(VACC_MAX_WAIT + 1, sizeof(*e));
	struct vacc_event_wait wait;
	struct work w;
	unsigned int i;

	ASSERT_NE(NULL, e);
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	HOLD();
	for (i = 0; i <= VACC_MAX_WAIT; i++) {
		ASSERT_OK(start(&w, &e[i].handle));
	}
	EXPECT_ERRNO(EINVAL, vt_event_waits(self->fd, 0, e, 0, 0, &wait));
	EXPECT_ERRNO(EINVAL, vt_event_waits(self->fd, 0, e, VACC_MAX_WAIT + 1, 0, &wait));
	EXPECT_ERRNO(EINVAL, vt_event_waits(self->fd, 0, e, ~0u, 0, &wait));
	EXPECT_ERRNO(EINVAL, vt_event_waits(self->fd, 0, e, 1, 1ULL << 63, &wait));
	EXPECT_ERRNO(EINVAL, vt_event_waits(self->fd, 0, e, 1, ~0ULL, &wait));
	EXPECT_ERRNO(ETIMEDOUT, vt_event_waits(self->fd, 0, e, VACC_MAX_WAIT, 0, &wait));
	/* The last of many that does not exist. */
	i = e[VACC_MAX_WAIT - 1].handle;
	e[VACC_MAX_WAIT - 1].handle = ~0u;
	EXPECT_ERRNO(ENOENT, vt_event_waits(self->fd, 0, e, VACC_MAX_WAIT, 0, &wait));
	e[VACC_MAX_WAIT - 1].handle = i;
	ASSERT_OK(vt_control(self->node, "complete", "%u", i));
	EXPECT_OK(vt_event_waits(self->fd, 0, e, VACC_MAX_WAIT, vt_deadline(VT_PATIENCE_MS),
				 &wait));
	EXPECT_EQ(1, wait.ended);
	EXPECT_EQ(VACC_MAX_WAIT - 1, wait.first);
	vt_release_all(self->node);
	EXPECT_OK(vt_event_waits(self->fd, VACC_WAIT_ALL, e, VACC_MAX_WAIT,
				 vt_deadline(VT_PATIENCE_MS), &wait));
	EXPECT_EQ(VACC_MAX_WAIT, wait.ended);
	for (i = 0; i < VACC_MAX_WAIT; i++) {
		ASSERT_EQ(VACC_EVENT_COMPLETE, e[i].state);
	}
	free(e);
}

/* One event may stand there more than once. */
TEST_F(dev, wait_with_duplicates)
{
	struct vacc_wait_entry e[4];
	struct vacc_event_wait wait;
	struct work w;
	__u32 a, b;
	int i;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	HOLD();
	ASSERT_OK(start(&w, &a));
	ASSERT_OK(start(&w, &b));
	for (i = 0; i < 4; i++)
		e[i].handle = i % 2 ? b : a;
	ASSERT_OK(vt_control(self->node, "complete", "%u", b));
	EXPECT_OK(vt_event_waits(self->fd, 0, e, 4, vt_deadline(VT_PATIENCE_MS), &wait));
	EXPECT_EQ(2, wait.ended);
	EXPECT_EQ(1, wait.first);
	EXPECT_ERRNO(ETIMEDOUT, vt_event_waits(self->fd, VACC_WAIT_ALL, e, 4, 0, &wait));
	ASSERT_OK(vt_control(self->node, "complete", "%u", a));
	EXPECT_OK(vt_event_waits(self->fd, VACC_WAIT_ALL, e, 4, vt_deadline(VT_PATIENCE_MS),
				 &wait));
	EXPECT_EQ(4, wait.ended);
}

struct waiter {
	int fd, result;
	struct vacc_wait_entry e[2];
	struct vacc_event_wait wait;
};

static void *wait_all(void *arg)
{
	struct waiter *w = arg;

	w->result = vt_event_waits(w->fd, VACC_WAIT_ALL, w->e, 2, vt_deadline(VT_PATIENCE_MS),
				   &w->wait);
	return NULL;
}

/* An event that is destroyed under a wait counts as ended: stale. */
TEST_F(dev, destroy_under_a_wait)
{
	struct waiter waiter = { .fd = self->fd };
	pthread_t thread;
	struct work w;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	HOLD();
	ASSERT_OK(start(&w, &waiter.e[0].handle));
	ASSERT_OK(start(&w, &waiter.e[1].handle));
	ASSERT_OK(vt_control(self->node, "complete", "%u", waiter.e[1].handle));
	ASSERT_OK(vt_event_wait(self->fd, waiter.e[1].handle, VT_PATIENCE_MS, NULL));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_all, &waiter));
	vt_sleep_ms(100);
	EXPECT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, waiter.e[1].handle));
	ASSERT_OK(vt_control(self->node, "complete", "%u", waiter.e[0].handle));
	pthread_join(thread, NULL);
	EXPECT_OK(waiter.result);
	EXPECT_EQ(2, waiter.wait.ended);
	EXPECT_EQ(VACC_EVENT_COMPLETE, waiter.e[0].state);
	EXPECT_EQ(VACC_EVENT_FAILED, waiter.e[1].state);
	EXPECT_EQ(VIRTIO_ACCEL_S_STALE_OBJECT, waiter.e[1].status);
}

/* M10: the states, and that the first transition wins. */
TEST_F(dev, m10_cancel)
{
	struct vacc_event_query q;
	struct work w;
	__u32 event;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	HOLD();
	ASSERT_OK(start(&w, &event));
	EXPECT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, event));
	ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
	ASSERT_OK(vt_event_query(self->fd, event, &q));
	EXPECT_EQ(VACC_EVENT_CANCELLED, q.state);
	EXPECT_EQ(VIRTIO_ACCEL_S_OK, q.status);
	EXPECT_EQ(VACC_EVENT_QUIESCENT, q.event_flags);
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_EVENT_CANCEL, event));
	EXPECT_GT(0, vt_control(self->node, "complete", "%u", event));
	EXPECT_GT(0, vt_control(self->node, "lose", "%u", event));
	EXPECT_EQ(VACC_EVENT_CANCELLED, vt_state(self->fd, event));

	ASSERT_OK(start(&w, &event));
	ASSERT_OK(vt_control(self->node, "complete", "%u", event));
	ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_EVENT_CANCEL, event));
	EXPECT_EQ(VACC_EVENT_COMPLETE, vt_state(self->fd, event));

	ASSERT_OK(start(&w, &event));
	ASSERT_OK(vt_control(self->node, "lose", "%u", event));
	ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_EVENT_CANCEL, event));
	ASSERT_OK(vt_event_query(self->fd, event, &q));
	EXPECT_EQ(VACC_EVENT_FAILED, q.state);
	EXPECT_EQ(VIRTIO_ACCEL_S_DEVICE_LOST, q.status);
	EXPECT_GT(0, vt_control(self->node, "complete", "%u", event));
}

struct racer {
	int fd, node;
	volatile __u32 event;
	volatile int stop;
};

static void *complete_events(void *arg)
{
	struct racer *r = arg;
	__u32 last = 0, event;

	while (!r->stop) {
		event = r->event;
		if (event == last) {
			sched_yield();
			continue;
		}
		vt_control(r->node, "complete", "%u", event);
		last = event;
	}
	return NULL;
}

static void spin_for(unsigned int loops)
{
	sched_yield();
	while (loops--)
		__asm__ volatile("");
}

/* M10: cancel against completion: exactly one of them happens. */
TEST_F(dev, m10_race)
{
	struct racer racer = { .node = self->node };
	unsigned int i, n = vt_scale(4000), cancelled = 0, spin = 100;
	struct vacc_wait_entry entry;
	pthread_t thread;
	struct work w;
	__u32 event;
	int r;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	HOLD();
	ASSERT_EQ(0, pthread_create(&thread, NULL, complete_events, &racer));
	for (i = 0; i < n; i++) {
		ASSERT_OK(vt_set(self->fd, w.buffer, 0, 0, BYTES));
		ASSERT_OK(start(&w, &event));
		racer.event = event;
		spin_for(spin);
		r = vt_handle(self->fd, VACC_EVENT_CANCEL, event);
		ASSERT_TRUE(r == 0 || r == -EBUSY);
		ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, &entry));
		ASSERT_EQ(r ? VACC_EVENT_COMPLETE : VACC_EVENT_CANCELLED, entry.state);
		ASSERT_EQ(!!r, written(&w));
		ASSERT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, event));
		cancelled += !r;
		/* Whoever wins gets a worse start next time. */
		spin = r ? spin - spin / 3 : spin + spin / 2 + 10;
		if (spin > 50000000)
			spin = 50000000;
	}
	racer.stop = 1;
	pthread_join(thread, NULL);
	TH_LOG("%u of %u cancelled", cancelled, n);
	EXPECT_LT(0, cancelled);
	EXPECT_LT(cancelled, n);
}

static void *wait_for_events(void *arg)
{
	struct racer *r = arg;

	/* It may be there no more. */
	while (!r->stop)
		if (vt_event_wait(r->fd, r->event, 1, NULL) == -ENOENT)
			sched_yield();
	return NULL;
}

/* M10: the end of a cancelled event is there when the call returns, whoever polls for it. */
TEST_F(dev, m10_end_of_cancel)
{
	struct racer racer = { .fd = self->fd };
	unsigned int i, n = vt_scale(2000);
	pthread_t thread;
	struct work w;
	__u32 event;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	HOLD();
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_for_events, &racer));
	for (i = 0; i < n; i++) {
		ASSERT_OK(start(&w, &event));
		racer.event = event;
		spin_for(i % 64 * 1000);
		ASSERT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, event));
		ASSERT_EQ(VACC_EVENT_CANCELLED, vt_state(self->fd, event));
		ASSERT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, event));
	}
	racer.stop = 1;
	pthread_join(thread, NULL);
}

/* M11: what was cancelled or lost never executes. */
TEST_F(dev, m11_never_executed)
{
	struct vacc_queue_query q;
	__u32 cancelled, lost;
	struct work w;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	HOLD();
	ASSERT_OK(start(&w, &cancelled));
	ASSERT_OK(start(&w, &lost));
	ASSERT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, cancelled));
	ASSERT_OK(vt_control(self->node, "lose", "%u", lost));
	vt_release_all(self->node);
	ASSERT_OK(vt_queue_sync(self->fd, self->queue, vt_deadline(VT_PATIENCE_MS), NULL));
	EXPECT_EQ(VACC_EVENT_CANCELLED, vt_state(self->fd, cancelled));
	EXPECT_EQ(VACC_EVENT_FAILED, vt_state(self->fd, lost));
	EXPECT_EQ(1, vt_all(self->fd, w.buffer, 0, 0, BYTES));
	ASSERT_OK(vt_queue_query(self->fd, self->queue, &q));
	EXPECT_EQ(0, q.commands);
	EXPECT_EQ(1, q.cancelled);
	EXPECT_EQ(1, q.failed);
}

/* R9: an event of its own for each submission, that no later one is taken for. */
TEST_F(dev, r9_events_are_unique)
{
	__u32 events[8], again, i, k;
	struct vacc_event_query q;
	struct work w;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	HOLD();
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		ASSERT_OK(start(&w, &events[i]));
		for (k = 0; k < i; k++)
			EXPECT_NE(events[k], events[i]);
	}
	/* One ends, and a look at the others does not wait for them. */
	ASSERT_OK(vt_control(self->node, "complete", "%u", events[3]));
	ASSERT_OK(vt_event_wait(self->fd, events[3], VT_PATIENCE_MS, NULL));
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		ASSERT_OK(vt_event_query(self->fd, events[i], &q));
		EXPECT_EQ(i == 3 ? VACC_EVENT_COMPLETE : VACC_EVENT_PENDING, q.state);
		EXPECT_EQ(i == 3 ? VACC_EVENT_QUIESCENT : 0, q.event_flags);
	}
	/* Its number is not given to another. */
	ASSERT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, events[3]));
	for (i = 0; i < 100; i++) {
		ASSERT_OK(start(&w, &again));
		EXPECT_NE(events[3], again);
		ASSERT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, again));
		ASSERT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, again));
	}
	EXPECT_ERRNO(ENOENT, vt_event_query(self->fd, events[3], &q));
}

/* M12: a pending event cannot be destroyed, and is none the worse for the try. */
TEST_F(dev, m12_destroy)
{
	struct work w;
	__u32 event;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	HOLD();
	ASSERT_OK(start(&w, &event));
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_EVENT_DESTROY, event));
	EXPECT_EQ(VACC_EVENT_PENDING, vt_state(self->fd, event));
	ASSERT_OK(vt_control(self->node, "complete", "%u", event));
	ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
	EXPECT_EQ(VACC_EVENT_COMPLETE, vt_state(self->fd, event));
	EXPECT_EQ(1, written(&w));
	EXPECT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, event));
	EXPECT_ERRNO(ENOENT, vt_state(self->fd, event));
	/* Failed and cancelled ones too. */
	ASSERT_OK(start(&w, &event));
	ASSERT_OK(vt_control(self->node, "lose", "all"));
	ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
	EXPECT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, event));
	ASSERT_OK(start(&w, &event));
	ASSERT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, event));
	EXPECT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, event));
}

/* Whatever status the device gives arrives as it is, known or not. */
TEST_F(dev, statuses)
{
	const __u16 statuses[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x1234, 0xffff };
	struct vacc_event_query q;
	struct work w;
	unsigned int i;
	__u32 event;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	HOLD();
	for (i = 0; i < ARRAY_SIZE(statuses); i++) {
		ASSERT_OK(start(&w, &event));
		ASSERT_OK(vt_control(self->node, "fail", "%u %u", event, statuses[i]));
		ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
		ASSERT_OK(vt_event_query(self->fd, event, &q));
		EXPECT_EQ(VACC_EVENT_FAILED, q.state);
		EXPECT_EQ(statuses[i], q.status);
	}
	EXPECT_EQ(1, vt_all(self->fd, w.buffer, 0, 0, BYTES));
}

/* timeout_ns: from admission; what has not begun by then never does. */
TEST_F(dev, timeout)
{
	struct vacc_wait_entry entry;
	struct vacc_submit s;
	struct work w;
	__u64 before;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	HOLD();
	s = vt_submit_desc(self->queue, w.fill, &w.bind, 1);
	s.timeout_ns = 100000000;
	before = vt_now();
	ASSERT_OK(vt_submit(self->fd, &s));
	ASSERT_OK(vt_event_wait(self->fd, s.event, VT_PATIENCE_MS, &entry));
	EXPECT_LE(before + 100000000, vt_now());
	EXPECT_GE(before + 5000000000, vt_now());
	EXPECT_EQ(VACC_EVENT_FAILED, entry.state);
	EXPECT_EQ(VIRTIO_ACCEL_S_DEADLINE_EXPIRED, entry.status);
	EXPECT_EQ(VACC_EVENT_QUIESCENT, entry.event_flags);
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_EVENT_CANCEL, s.event));
	/* The shortest, and one that never comes. */
	s.timeout_ns = 1;
	ASSERT_OK(vt_submit(self->fd, &s));
	ASSERT_OK(vt_event_wait(self->fd, s.event, VT_PATIENCE_MS, &entry));
	EXPECT_EQ(VIRTIO_ACCEL_S_DEADLINE_EXPIRED, entry.status);
	s.timeout_ns = ~0ULL;
	ASSERT_OK(vt_submit(self->fd, &s));
	EXPECT_ERRNO(ETIMEDOUT, vt_event_wait(self->fd, s.event, 100, &entry));
	EXPECT_EQ(1, vt_all(self->fd, w.buffer, 0, 0, BYTES));
	vt_release_all(self->node);
	ASSERT_OK(vt_event_wait(self->fd, s.event, VT_PATIENCE_MS, &entry));
	EXPECT_EQ(VACC_EVENT_COMPLETE, entry.state);
	EXPECT_EQ(1, written(&w));
	/* One that is kept does no harm later. */
	s.timeout_ns = 10000000000;
	ASSERT_OK(vt_submit(self->fd, &s));
	ASSERT_OK(vt_event_wait(self->fd, s.event, VT_PATIENCE_MS, &entry));
	EXPECT_EQ(VACC_EVENT_COMPLETE, entry.state);
}

/* In a process at the speed of the machine, in the UML checked, elsewhere emulated. */
static int long_xors(void)
{
	if (!strcmp(vt_backend(), "vaccd") || !strcmp(vt_kernel(), "unknown"))
		return 32;
	return strcmp(vt_kernel(), "uml") ? 4 : 16;
}

/*
 * Xors over 16 MiB: long enough to be met while it executes, and over while somebody waits
 * where it is emulated and checked.
 */
static int long_work(int fd, __u32 context, __u32 *program, struct vacc_binding *bind)
{
	const int xors = long_xors();
	const __u32 bytes = 16 << 20;
	struct vt_batch b = {};
	__u32 buffer;
	int i;

	vt_batch_slot(&b, 0, VT_READ_WRITE, bytes);
	for (i = 0; i < xors; i++)
		vt_batch_set(&b, VACC_BATCH_OP_XOR, 0, 0, bytes, 0xff);
	*bind = vt_bind(0, 0, VT_READ_WRITE, 0, bytes);
	i = vt_buffer(fd, context, bytes, VT_USAGE_ALL, &buffer);
	bind->buffer = buffer;
	return i ?: vt_load_batch(fd, context, &b, program);
}

static bool executing(int node)
{
	char text[4096];

	return vt_control_read(node, "events", text, sizeof(text)) > 0 &&
	       strstr(text, "executing");
}

/* M10: executing reads as pending, and is too late to cancel. */
TEST_F(dev, m10_executing_is_pending)
{
	struct vacc_binding bind;
	__u32 program, event;
	int r = 0, state, met = 0, tries;

	ASSERT_OK(long_work(self->fd, self->context, &program, &bind));
	for (tries = 0; tries < 5 && !met; tries++) {
		ASSERT_OK(vt_start(self->fd, self->queue, program, &bind, 1, &event));
		do {
			met = executing(self->node);
			state = vt_state(self->fd, event);
			if (met)
				r = vt_handle(self->fd, VACC_EVENT_CANCEL, event);
			else
				sched_yield();
		} while (!met && state == VACC_EVENT_PENDING);
		ASSERT_LE(0, state);
		ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS * 3, NULL));
		EXPECT_EQ(VACC_EVENT_COMPLETE, vt_state(self->fd, event));
	}
	EXPECT_TRUE(met);
	EXPECT_ERRNO(EBUSY, r);
}

/* A timeout stops also what executes, at the next chance. */
TEST_F(dev, timeout_of_running_work)
{
	struct vacc_binding bind;
	struct vacc_wait_entry entry;
	struct vacc_submit s;
	__u32 program, fill;

	ASSERT_OK(long_work(self->fd, self->context, &program, &bind));
	ASSERT_OK(vt_load_fill(self->fd, self->context, 0x5a, &fill));
	s = vt_submit_desc(self->queue, program, &bind, 1);
	s.timeout_ns = 20000000;
	ASSERT_OK(vt_submit(self->fd, &s));
	ASSERT_OK(vt_event_wait(self->fd, s.event, VT_PATIENCE_MS, &entry));
	EXPECT_EQ(VACC_EVENT_FAILED, entry.state);
	EXPECT_EQ(VIRTIO_ACCEL_S_DEADLINE_EXPIRED, entry.status);
	EXPECT_EQ(VACC_EVENT_QUIESCENT, entry.event_flags);
	/* And the queue goes on. */
	bind = vt_bind(bind.buffer, 0, VT_WRITE, 0, 64);
	ASSERT_OK(vt_run(self->fd, self->queue, fill, &bind, 1));
	EXPECT_EQ(1, vt_all(self->fd, bind.buffer, 0, 0x5a, 64));
}

TEST_HARNESS_MAIN
