// SPDX-License-Identifier: GPL-2.0
/* Handles belong to a file; contexts keep apart what is inside of one. */
#include <sys/socket.h>
#include "vacc_test.h"

struct set {
	__u32 context, buffer, program, queue, event;
	struct vacc_binding bind;
};

static int make(int fd, __u8 byte, struct set *s)
{
	int r = vt_context(fd, &s->context) ?: vt_queue(fd, s->context, &s->queue) ?:
		vt_buffer(fd, s->context, 64, VT_USAGE_ALL, &s->buffer) ?:
		vt_load_fill(fd, s->context, byte, &s->program);

	s->bind = vt_bind(s->buffer, 0, VT_WRITE, 0, 64);
	return r ?: vt_start(fd, s->queue, s->program, &s->bind, 1, &s->event) ?:
	       vt_event_wait(fd, s->event, VT_PATIENCE_MS, NULL);
}

/* One call with a handle of each kind; the number of calls that found something. */
static int calls_that_work(int fd, __u32 handle)
{
	struct vacc_event_query eq;
	struct vacc_program_query pq;
	struct vacc_buffer_query bq;
	struct vacc_queue_query qq;
	char byte = fd;

	/* The operands of + come in any order: what is written is what was there. */
	vt_read(fd, handle, 63, &byte, 1);
	return (vt_buffer_query(fd, handle, &bq) != -ENOENT) +
	       (vt_read(fd, handle, 63, &byte, 1) != -ENOENT) +
	       (vt_write(fd, handle, 63, &byte, 1) != -ENOENT) +
	       (vt_program_query(fd, handle, &pq, NULL, 0) != -ENOENT) +
	       (vt_queue_query(fd, handle, &qq) != -ENOENT) +
	       (vt_queue_sync(fd, handle, 0, NULL) != -ENOENT) +
	       (vt_event_query(fd, handle, &eq) != -ENOENT) +
	       (vt_event_wait(fd, handle, 0, NULL) != -ENOENT);
}

/* Handles of each kind in calls of every other kind. */
TEST_F(dev, kinds)
{
	const unsigned long destroy[] = {
		VACC_CONTEXT_DESTROY, VACC_BUFFER_DESTROY, VACC_PROGRAM_UNLOAD,
		VACC_QUEUE_DESTROY, VACC_EVENT_DESTROY,
	};
	struct set s;
	__u32 handles[5], other;
	unsigned int i, j;

	ASSERT_OK(make(self->fd, 1, &s));
	memcpy(handles, (__u32[]) { s.context, s.buffer, s.program, s.queue, s.event },
	       sizeof(handles));
	for (i = 0; i < 5; i++) {
		for (j = 0; j < 5; j++) {
			if (i != j) {
				EXPECT_ERRNO(ENOENT, vt_handle(self->fd, destroy[i], handles[j]));
			}
		}
		if (i) {
			EXPECT_ERRNO(ENOENT, vt_queue(self->fd, handles[i], &other));
		}
		if (i != 4) {
			EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_EVENT_CANCEL, handles[i]));
		}
	}
	EXPECT_EQ(0, calls_that_work(self->fd, s.context));
	EXPECT_EQ(3, calls_that_work(self->fd, s.buffer));
	EXPECT_EQ(1, calls_that_work(self->fd, s.program));
	EXPECT_EQ(2, calls_that_work(self->fd, s.queue));
	EXPECT_EQ(2, calls_that_work(self->fd, s.event));
	EXPECT_ERRNO(ENOENT, vt_start(self->fd, s.program, s.program, &s.bind, 1, &other));
	EXPECT_ERRNO(ENOENT, vt_start(self->fd, s.queue, s.queue, &s.bind, 1, &other));
	s.bind.buffer = s.queue;
	EXPECT_ERRNO(ENOENT, vt_start(self->fd, s.queue, s.program, &s.bind, 1, &other));
}

/* The same number in two files names two objects. */
TEST_F(dev, same_number_in_two_files)
{
	int a = vt_open_node(self->node), b = vt_open_node(self->node);
	struct set s, t;

	ASSERT_LE(0, a);
	ASSERT_LE(0, b);
	ASSERT_OK(make(a, 0x11, &s));
	ASSERT_OK(make(b, 0x22, &t));
	ASSERT_EQ(s.buffer, t.buffer);
	EXPECT_EQ(1, vt_all(a, s.buffer, 0, 0x11, 64));
	EXPECT_EQ(1, vt_all(b, t.buffer, 0, 0x22, 64));
	EXPECT_OK(vt_handle(a, VACC_EVENT_DESTROY, s.event));
	EXPECT_OK(vt_handle(a, VACC_BUFFER_DESTROY, s.buffer));
	EXPECT_EQ(0, calls_that_work(a, s.buffer));
	EXPECT_EQ(3, calls_that_work(b, t.buffer));
	EXPECT_EQ(VACC_EVENT_COMPLETE, vt_state(b, t.event));
	EXPECT_EQ(1, vt_all(b, t.buffer, 0, 0x22, 64));
	close(a);
	EXPECT_EQ(1, vt_all(b, t.buffer, 0, 0x22, 64));
	EXPECT_OK(vt_run(b, t.queue, t.program, &t.bind, 1));
	close(b);
}

/* Handles of another file do not exist, whatever they are used for. */
TEST_F(dev, handles_of_another_file)
{
	int other = vt_open_node(self->node);
	struct set s, own;
	__u32 handle, x;

	ASSERT_LE(0, other);
	ASSERT_OK(make(self->fd, 1, &own));
	/* Beyond all that the first file has. */
	for (handle = 0; handle < own.event + 16; ) {
		ASSERT_OK(vt_context(other, &handle));
		ASSERT_OK(vt_handle(other, VACC_CONTEXT_DESTROY, handle));
	}
	ASSERT_OK(make(other, 2, &s));
	for (handle = s.context; handle <= s.event; handle++) {
		EXPECT_EQ(0, calls_that_work(self->fd, handle));
		EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_CONTEXT_DESTROY, handle));
		EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_BUFFER_DESTROY, handle));
		EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_PROGRAM_UNLOAD, handle));
		EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_QUEUE_DESTROY, handle));
		EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_EVENT_CANCEL, handle));
		EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_EVENT_DESTROY, handle));
		EXPECT_ERRNO(ENOENT, vt_queue(self->fd, handle, &x));
		EXPECT_ERRNO(ENOENT, vt_buffer(self->fd, handle, 64, VT_USAGE_ALL, &x));
		EXPECT_ERRNO(ENOENT, vt_load_fill(self->fd, handle, 1, &x));
		EXPECT_ERRNO(ENOENT, vt_start(self->fd, handle, own.program, &own.bind, 1, &x));
		EXPECT_ERRNO(ENOENT, vt_start(self->fd, own.queue, handle, &own.bind, 1, &x));
	}
	own.bind.buffer = s.buffer;
	EXPECT_ERRNO(ENOENT, vt_start(self->fd, own.queue, own.program, &own.bind, 1, &x));
	EXPECT_EQ(1, vt_all(other, s.buffer, 0, 2, 64));
	EXPECT_OK(vt_run(other, s.queue, s.program, &s.bind, 1));
	close(other);
}

/* M6: objects of another context of the same file are EINVAL. */
TEST_F(dev, m6_contexts_of_one_file)
{
	struct vacc_stats before, after;
	struct set s, t;
	__u32 x;

	ASSERT_OK(make(self->fd, 1, &s));
	ASSERT_OK(make(self->fd, 2, &t));
	ASSERT_OK(vt_get_stats(self->fd, &before));
	EXPECT_ERRNO(EINVAL, vt_start(self->fd, s.queue, t.program, &s.bind, 1, &x));
	EXPECT_ERRNO(EINVAL, vt_start(self->fd, t.queue, s.program, &s.bind, 1, &x));
	EXPECT_ERRNO(EINVAL, vt_start(self->fd, s.queue, s.program, &t.bind, 1, &x));
	EXPECT_ERRNO(EINVAL, vt_start(self->fd, t.queue, t.program, &s.bind, 1, &x));
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(before.submitted, after.submitted);
	EXPECT_EQ(before.live.events, after.live.events);
	EXPECT_EQ(1, vt_all(self->fd, s.buffer, 0, 1, 64));
	EXPECT_EQ(1, vt_all(self->fd, t.buffer, 0, 2, 64));
}

/* A duplicated or inherited descriptor is the same file. */
TEST_F(dev, inherited_descriptors)
{
	struct set s;
	int status, copy;
	pid_t child;

	ASSERT_OK(make(self->fd, 0x33, &s));
	copy = dup(self->fd);
	ASSERT_LE(0, copy);
	EXPECT_EQ(1, vt_all(copy, s.buffer, 0, 0x33, 64));
	close(copy);
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(vt_all(self->fd, s.buffer, 0, 0x33, 64) != 1 ||
		      vt_set(self->fd, s.buffer, 0, 0x44, 64) ||
		      vt_handle(self->fd, VACC_EVENT_DESTROY, s.event));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(1, vt_all(self->fd, s.buffer, 0, 0x44, 64));
	EXPECT_ERRNO(ENOENT, vt_state(self->fd, s.event));
	EXPECT_OK(vt_run(self->fd, s.queue, s.program, &s.bind, 1));
}

/*
 * Race: threads create, destroy guessed handles and use guessed handles, of every
 * kind at once.  Only documented errors, and the device is none the worse.
 */
struct racer {
	int fd;
	unsigned int loops, seed, bad;
	__u32 queue, context;
};

static bool fine(int r)
{
	switch (r) {
	case 0:
	case -ENOENT:
	case -EBUSY:
	case -EINVAL:
	case -ENOEXEC:
	case -ENOSPC:
	case -EAGAIN:
	case -ETIMEDOUT:
		return true;
	}
	return false;
}

static unsigned int roll(struct racer *r)
{
	r->seed = r->seed * 1103515245 + 12345;
	return r->seed >> 16;
}

static void *create_all(void *arg)
{
	struct racer *r = arg;
	unsigned int i;
	struct set s = {};

	for (i = 0; i < r->loops; i++) {
		int e = vt_context(r->fd, &s.context);

		r->bad += !fine(e) + !fine(vt_queue(r->fd, s.context, &s.queue)) +
			  !fine(vt_buffer(r->fd, s.context, 64, VT_USAGE_ALL, &s.buffer)) +
			  !fine(vt_load_fill(r->fd, s.context, 9, &s.program));
		s.bind = vt_bind(s.buffer, 0, VT_WRITE, 0, 64);
		r->bad += !fine(vt_start(r->fd, s.queue, s.program, &s.bind, 1, &s.event));
		__atomic_store_n(&r->context, s.event, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void *destroy_guessed(void *arg)
{
	struct racer *r = arg;
	unsigned int i;

	for (i = 0; i < r->loops * 8; i++) {
		__u32 newest = __atomic_load_n(&((struct racer *)arg)[-1].context,
					       __ATOMIC_RELAXED);
		__u32 guess = newest + 8 - roll(r) % 24;
		const unsigned long destroy[] = {
			VACC_EVENT_DESTROY, VACC_BUFFER_DESTROY, VACC_PROGRAM_UNLOAD,
			VACC_QUEUE_DESTROY, VACC_CONTEXT_DESTROY, VACC_EVENT_CANCEL,
		};

		r->bad += !fine(vt_handle(r->fd, destroy[roll(r) % 6], guess));
	}
	return NULL;
}

static void *use_guessed(void *arg)
{
	struct racer *r = arg;
	struct vacc_buffer_query bq;
	struct vacc_program_query pq;
	struct vacc_queue_query qq;
	struct vacc_binding b;
	char bytes[16] = "";
	unsigned int i;
	__u32 x;

	for (i = 0; i < r->loops * 4; i++) {
		__u32 newest = __atomic_load_n(&((struct racer *)arg)[-2].context,
					       __ATOMIC_RELAXED);
		__u32 guess = newest + 8 - roll(r) % 24;
		int e = 0;

		b = vt_bind(guess - 2, 0, VT_WRITE, 0, 64);
		switch (roll(r) % 8) {
		case 0:
			e = vt_buffer_query(r->fd, guess, &bq);
			break;
		case 1:
			e = vt_write(r->fd, guess, 0, bytes, 16);
			break;
		case 2:
			e = vt_read(r->fd, guess, 0, bytes, 16);
			break;
		case 3:
			e = vt_program_query(r->fd, guess, &pq, NULL, 0);
			break;
		case 4:
			e = vt_queue_query(r->fd, guess, &qq);
			break;
		case 5:
			e = vt_queue_sync(r->fd, guess, vt_deadline(1), &x);
			break;
		case 6:
			e = vt_event_wait(r->fd, guess, 1, NULL);
			break;
		case 7:
			e = vt_start(r->fd, guess - 3, guess - 1, &b, 1, &x);
			break;
		}
		r->bad += !fine(e);
	}
	return NULL;
}

TEST_F(dev, guessed_handles)
{
	unsigned int loops = vt_scale(3000);
	struct racer racers[3] = {
		{ .fd = self->fd, .loops = loops, .seed = 1 },
		{ .fd = self->fd, .loops = loops, .seed = 2 },
		{ .fd = self->fd, .loops = loops, .seed = 3 },
	};
	pthread_t threads[3];
	int i, fd;
	struct set s;

	ASSERT_EQ(0, pthread_create(&threads[0], NULL, create_all, &racers[0]));
	ASSERT_EQ(0, pthread_create(&threads[1], NULL, destroy_guessed, &racers[1]));
	ASSERT_EQ(0, pthread_create(&threads[2], NULL, use_guessed, &racers[2]));
	for (i = 0; i < 3; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(0, racers[i].bad) TH_LOG("thread %d", i);
	}
	fd = vt_open_node(self->node);
	ASSERT_LE(0, fd);
	close(self->fd);
	self->fd = -1;
	EXPECT_OK(vt_settle(fd, NULL));
	EXPECT_OK(make(fd, 3, &s));
	close(fd);
}

TEST_HARNESS_MAIN
