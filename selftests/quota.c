// SPDX-License-Identifier: GPL-2.0
/* How many submissions there may be, and that others are served meanwhile. */
#include "vacc_test.h"

struct work {
	__u32 context, queue, buffer, fill;
	struct vacc_binding bind;
};

static int make(int fd, struct work *w)
{
	int r = vt_context(fd, &w->context) ?: vt_queue(fd, w->context, &w->queue) ?:
		vt_buffer(fd, w->context, 64, VT_USAGE_ALL, &w->buffer) ?:
		vt_load_fill(fd, w->context, 0x5a, &w->fill);

	w->bind = vt_bind(w->buffer, 0, VT_WRITE, 0, 64);
	return r;
}

static int start(int fd, struct work *w, __u32 *event)
{
	return vt_start(fd, w->queue, w->fill, &w->bind, 1, event);
}

static int ready(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };

	return poll(&p, 1, 0) == 1 ? p.revents : 0;
}

/* A device behind the wire is asked before an event's place is free. */
static int ready_soon(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, VT_PATIENCE_MS) == 1 ? p.revents : 0;
}

/* Pending events of one file: EAGAIN beyond the limit, others go on. */
TEST_F(dev, in_flight)
{
	enum { LIMIT = 50 };
	__u32 events[LIMIT], event;
	struct vacc_get_info info;
	struct work w, v;
	char old[32];
	int fd, i;

	ASSERT_OK(make(self->fd, &w));
	fd = vt_open_node(self->node);
	ASSERT_LE(0, fd);
	ASSERT_OK(make(fd, &v));
	ASSERT_OK(vt_parameter("virtio_accel", "max_inflight", old, "50"));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	for (i = 0; i < LIMIT; i++) {
		EXPECT_EQ(POLLOUT, ready(self->fd));
		EXPECT_OK(start(self->fd, &w, &events[i]));
	}
	EXPECT_OK(vt_get_info(self->fd, &info));
	EXPECT_EQ(LIMIT, info.max_inflight_per_file);
	EXPECT_EQ(LIMIT, info.inflight);
	EXPECT_EQ(0, ready(self->fd));
	EXPECT_ERRNO(EAGAIN, start(self->fd, &w, &event));
	EXPECT_EQ(POLLOUT, ready(fd));
	EXPECT_OK(start(fd, &v, &event));
	EXPECT_OK(vt_get_info(fd, &info));
	EXPECT_EQ(1, info.inflight);
	/* One ends, one more fits, though the handle of the first is still there. */
	EXPECT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, events[7]));
	EXPECT_EQ(POLLOUT, ready_soon(self->fd));
	EXPECT_OK(start(self->fd, &w, &event));
	EXPECT_ERRNO(EAGAIN, start(self->fd, &w, &event));
	ASSERT_OK(vt_parameter("virtio_accel", "max_inflight", NULL, old));
	vt_release_all(self->node);
	EXPECT_OK(vt_queue_sync(self->fd, w.queue, vt_deadline(VT_PATIENCE_MS), NULL));
	EXPECT_OK(vt_get_info(self->fd, &info));
	EXPECT_EQ(0, info.inflight);
	close(fd);
}

/* poll(2) wakes up when there is room again. */
static void *make_room(void *arg)
{
	vt_sleep_ms(100);
	vt_release_all(*(int *)arg);
	return NULL;
}

TEST_F(dev, poll_for_room)
{
	struct pollfd p = { .fd = self->fd, .events = POLLOUT };
	pthread_t thread;
	struct work w;
	char old[32];
	__u32 event;

	ASSERT_OK(make(self->fd, &w));
	ASSERT_OK(vt_parameter("virtio_accel", "max_inflight", old, "1"));
	EXPECT_OK(vt_control(self->node, "hold", "1"));
	EXPECT_OK(start(self->fd, &w, &event));
	EXPECT_EQ(0, poll(&p, 1, 20));
	ASSERT_EQ(0, pthread_create(&thread, NULL, make_room, &self->node));
	EXPECT_EQ(1, poll(&p, 1, VT_PATIENCE_MS));
	EXPECT_EQ(POLLOUT, p.revents);
	pthread_join(thread, NULL);
	ASSERT_OK(vt_parameter("virtio_accel", "max_inflight", NULL, old));
}

/*
 * M1: events of a context until they are destroyed: submitting without reaping is
 * refused at the documented limit, and goes on as soon as one is destroyed.
 */
TEST_F_TIMEOUT(dev, m1_limit_of_events, 300)
{
	unsigned int n = 0, i;
	struct work w, v;
	__u32 event, first = 0;
	int r, fd;

	ASSERT_OK(make(self->fd, &w));
	while (!(r = start(self->fd, &w, &event))) {
		first = first ?: event;
		ASSERT_GE(self->info.max_events_per_context, ++n);
	}
	EXPECT_ERRNO(EAGAIN, r);
	EXPECT_EQ(4096, n);
	/* Not even a million tries get more, and nothing grows. */
	for (i = 0; i < vt_scale(100000); i++) {
		ASSERT_ERRNO(EAGAIN, start(self->fd, &w, &event));
	}
	/* Other contexts and files are served. */
	ASSERT_OK(make(self->fd, &v));
	EXPECT_OK(vt_run(self->fd, v.queue, v.fill, &v.bind, 1));
	fd = vt_open_node(self->node);
	ASSERT_LE(0, fd);
	ASSERT_OK(make(fd, &v));
	EXPECT_OK(vt_run(fd, v.queue, v.fill, &v.bind, 1));
	close(fd);
	EXPECT_OK(vt_queue_sync(self->fd, w.queue, vt_deadline(VT_PATIENCE_MS), NULL));
	EXPECT_ERRNO(EAGAIN, start(self->fd, &w, &event));
	EXPECT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, first));
	EXPECT_OK(start(self->fd, &w, &event));
	EXPECT_ERRNO(EAGAIN, start(self->fd, &w, &event));
}

struct flipper {
	__u64 *word, a, b;
	volatile int stop;
};

static void *flip(void *arg)
{
	struct flipper *f = arg;

	while (!f->stop) {
		__atomic_store_n(f->word, f->a, __ATOMIC_RELAXED);
		sched_yield();
		__atomic_store_n(f->word, f->b, __ATOMIC_RELAXED);
		sched_yield();
	}
	return NULL;
}

/*
 * A binding that another thread changes between two valid ones is the one or the
 * other; between a valid and a wild one, it is refused or it is the valid one.
 */
TEST_F(dev, bindings_that_change)
{
	const struct { __u64 a, b; bool b_valid; } table[] = {
		{ 0, 4096 - 64, true }, { 0, 4096, false }, { 64, ~0ULL - 31, false },
	};
	struct vacc_buffer_create desc = vt_buffer_desc(self->context, 4096, VT_USAGE_ALL);
	struct vacc_binding *bind = aligned_alloc(64, 64);
	unsigned int t, i, n = vt_scale(2000);
	__u32 guard, program;
	pthread_t thread;

	ASSERT_NE(NULL, bind);
	ASSERT_OK(vt_buffer_create(self->fd, &desc));
	guard = vt_any_buffer(self->fd, self->context, 4096);
	ASSERT_OK(vt_load_fill(self->fd, self->context, 0x77, &program));
	for (t = 0; t < ARRAY_SIZE(table); t++) {
		struct flipper f = { &bind->offset, table[t].a, table[t].b, 0 };

		*bind = vt_bind(desc.handle, 0, VT_WRITE, table[t].a, 64);
		ASSERT_EQ(0, pthread_create(&thread, NULL, flip, &f));
		for (i = 0; i < n; i++) {
			static unsigned char got[4096];
			unsigned int at, j, set = 0;
			int r;

			r = vt_run(self->fd, self->queue, program, bind, 1);
			ASSERT_TRUE(r == 0 || (r == -ERANGE && !table[t].b_valid));
			ASSERT_OK(vt_read(self->fd, desc.handle, 0, got, 4096));
			for (j = 0; j < 4096; j++)
				set += got[j] == 0x77;
			ASSERT_EQ(r ? 0 : 64, set);
			at = got[table[t].a] == 0x77 ? table[t].a : table[t].b;
			if (!r) {
				ASSERT_EQ(1, vt_all(self->fd, desc.handle, at, 0x77, 64));
			}
			if (!r) {
				ASSERT_OK(vt_set(self->fd, desc.handle, at, 0, 64));
			}
		}
		f.stop = 1;
		pthread_join(thread, NULL);
		ASSERT_EQ(1, vt_all(self->fd, guard, 0, 0, 4096));
	}
	free(bind);
}

/*
 * The same of the argument.  It is copied once, though not in one piece: queue and program
 * may be of two moments, but what is checked is what runs.
 */
TEST_F(dev, arguments_that_change)
{
	struct vacc_submit *s = aligned_alloc(64, 192);
	__u64 one, other;
	__u32 buffer = vt_any_buffer(self->fd, self->context, 64), queue, programs[2];
	struct vacc_binding bind = vt_bind(buffer, 0, VT_WRITE, 0, 64);
	unsigned int i, n = vt_scale(2000);
	struct vacc_event_query q;
	struct flipper f = {};
	pthread_t thread;
	int r;

	ASSERT_NE(NULL, s);
	ASSERT_OK(vt_queue(self->fd, self->context, &queue));
	ASSERT_OK(vt_load_fill(self->fd, self->context, 0x11, &programs[0]));
	ASSERT_OK(vt_load_fill(self->fd, self->context, 0x22, &programs[1]));
	*s = vt_submit_desc(self->queue, programs[0], &bind, 1);
	memcpy(&one, &s->queue, 8);
	s->queue = queue;
	s->program = programs[1];
	memcpy(&other, &s->queue, 8);
	f = (struct flipper) { (void *)&s->queue, one, other, 0 };
	ASSERT_EQ(0, pthread_create(&thread, NULL, flip, &f));
	for (i = 0; i < n; i++) {
		s->flags = VACC_SUBMIT_WAIT;
		s->deadline_ns = VACC_NO_DEADLINE;
		ASSERT_OK(vt_submit(self->fd, s));
		ASSERT_OK(vt_event_query(self->fd, s->event, &q));
		ASSERT_EQ(VACC_EVENT_COMPLETE, q.state);
		ASSERT_TRUE(q.queue == queue || q.queue == self->queue);
		r = vt_all(self->fd, buffer, 0, 0x11, 64) ?: vt_all(self->fd, buffer, 0, 0x22, 64);
		ASSERT_EQ(1, r);
		ASSERT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, s->event));
	}
	f.stop = 1;
	pthread_join(thread, NULL);
	free(s);
}

TEST_HARNESS_MAIN
