// SPDX-License-Identifier: GPL-2.0
/* SUBMIT: what is refused, in which order, and what a result says. */
#include "vacc_test.h"

struct objects {
	__u32 buffer, fill;
	struct vacc_binding bind;
};

static int make(int fd, __u32 context, struct objects *o)
{
	int r = vt_buffer(fd, context, 4096, VT_USAGE_ALL, &o->buffer) ?:
		vt_load_fill(fd, context, 0xa5, &o->fill);

	o->bind = vt_bind(o->buffer, 0, VT_WRITE, 0, 64);
	return r;
}

/*
 * M6: a submission with everything wrong; one thing after the other is mended, and
 * the next one shows.
 */
TEST_F(dev, m6_order_of_checks)
{
	__u32 context, queue, inputs, foreign, program, queue_query;
	struct vacc_binding b[2];
	struct vacc_submit s;
	struct objects o;
	struct vacc_queue_query q;

	ASSERT_OK(make(self->fd, self->context, &o));
	ASSERT_OK(vt_context(self->fd, &context));
	ASSERT_OK(vt_queue(self->fd, context, &queue));
	ASSERT_OK(vt_buffer(self->fd, context, 4096, VT_USAGE_ALL, &foreign));
	ASSERT_OK(vt_buffer(self->fd, self->context, 64, VIRTIO_ACCEL_USAGE_INPUT, &inputs));
	ASSERT_OK(vt_load_fill(self->fd, self->context, 1, &program));

	b[0] = (struct vacc_binding) { 0, 7, VT_WRITE, VACC_TYPE_COUNT, 4096, 0 };
	b[1] = b[0];
	s = vt_submit_desc(0, 0, b, 0);
	s.size--;
	s.flags = 1u << 31;
	EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &s));
	s.size++;
	EXPECT_ERRNO(EOPNOTSUPP, vt_submit(self->fd, &s));
	s.flags = 0;
	s.kind = VACC_SUBMIT_INLINE;
	EXPECT_ERRNO(EOPNOTSUPP, vt_submit(self->fd, &s));
	s.kind = 0;
	EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &s));		/* no bindings */
	s.bindings.count = 2;
	EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &s));		/* empty ones */
	b[0].bytes = 64;
	b[1].bytes = 64;
	EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &s));		/* no such type */
	b[0].element_type = 0;
	b[1].element_type = 0;
	EXPECT_ERRNO(ENOENT, vt_submit(self->fd, &s));		/* no queue */
	s.queue = queue;
	EXPECT_ERRNO(ENOENT, vt_submit(self->fd, &s));		/* no program */
	s.program = program;
	EXPECT_ERRNO(ENOENT, vt_submit(self->fd, &s));		/* no buffer */
	b[0].buffer = foreign;
	EXPECT_ERRNO(ENOENT, vt_submit(self->fd, &s));		/* nor the second */
	b[1].buffer = inputs;
	EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &s));		/* another context's program */
	s.queue = self->queue;
	EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &s));		/* another context's buffer */
	b[0].buffer = o.buffer;
	EXPECT_ERRNO(ERANGE, vt_submit(self->fd, &s));		/* the first leaves */
	b[0].offset = 0;
	EXPECT_ERRNO(ERANGE, vt_submit(self->fd, &s));		/* the second leaves */
	b[1].offset = 0;
	EXPECT_ERRNO(EACCES, vt_submit(self->fd, &s));		/* no output */
	b[1].access = VT_READ;
	EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &s));		/* the same slot */
	b[1].slot = 8;
	EXPECT_ERRNO(ENOEXEC, vt_submit(self->fd, &s));		/* not this program's */
	s.bindings.count = 1;
	EXPECT_ERRNO(ENOEXEC, vt_submit(self->fd, &s));
	ASSERT_OK(vt_queue_query(self->fd, self->queue, &q));
	EXPECT_EQ(0, q.submitted);
	b[0].slot = 0;
	EXPECT_OK(vt_submit(self->fd, &s));
	ASSERT_OK(vt_queue_query(self->fd, self->queue, &q));
	EXPECT_EQ(1, q.submitted);
	queue_query = q.pending + q.completed;
	EXPECT_EQ(1, queue_query);
}

/* M6: scalars of a binding. */
TEST_F(dev, m6_access_values)
{
	const __u32 bad[] = { 0, 4, 7, 1u << 31, ~0u };
	struct objects o;
	unsigned int i;
	__u32 event;

	ASSERT_OK(make(self->fd, self->context, &o));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		o.bind.access = bad[i];
		EXPECT_ERRNO(EINVAL, vt_start(self->fd, self->queue, o.fill, &o.bind, 1, &event));
	}
}

/* M6, R4: ranges of a binding in a buffer of 4096 bytes, and guards beside it. */
TEST_F(dev, m6_r4_ranges)
{
	const struct { __u64 offset, bytes; int result; } table[] = {
		{ 0, 4096, 0 }, { 4095, 1, 0 }, { 0, 1, 0 },
		{ 4095, 2, -ERANGE }, { 4096, 1, -ERANGE }, { 0, 4097, -ERANGE },
		{ ~0ULL, 1, -ERANGE }, { ~0ULL - 3, 8, -ERANGE }, { 8, ~0ULL - 3, -ERANGE },
		{ 1ULL << 32, 1ULL << 32, -ERANGE }, { 1ULL << 63, 1ULL << 63, -ERANGE },
		{ 0, 0, -EINVAL }, { 1ULL << 63, 0, -EINVAL },
	};
	struct vacc_binding b;
	struct objects o;
	__u32 before, after;
	unsigned int i;

	before = vt_any_buffer(self->fd, self->context, 4096);
	ASSERT_OK(make(self->fd, self->context, &o));
	after = vt_any_buffer(self->fd, self->context, 4096);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		ASSERT_OK(vt_set(self->fd, o.buffer, 0, 0x11, 4096));
		b = vt_bind(o.buffer, 0, VT_WRITE, table[i].offset, table[i].bytes);
		EXPECT_EQ(table[i].result, vt_run(self->fd, self->queue, o.fill, &b, 1))
			TH_LOG("row %u", i);
		if (table[i].result) {
			EXPECT_EQ(1, vt_all(self->fd, o.buffer, 0, 0x11, 4096));
			continue;
		}
		EXPECT_EQ(1, vt_all(self->fd, o.buffer, b.offset, 0xa5, b.bytes));
		if (b.offset) {
			EXPECT_EQ(1, vt_all(self->fd, o.buffer, 0, 0x11, b.offset));
		}
	}
	EXPECT_EQ(1, vt_all(self->fd, before, 0, 0, 4096));
	EXPECT_EQ(1, vt_all(self->fd, after, 0, 0, 4096));
}

/* M6: access against usage, all of both; the range is judged first. */
TEST_F(dev, m6_access_against_usage)
{
	const __u32 in = VIRTIO_ACCEL_USAGE_INPUT, out = VIRTIO_ACCEL_USAGE_OUTPUT;
	const __u32 state = VIRTIO_ACCEL_USAGE_MUTABLE;
	__u32 usage, access, barrier, buffer;
	struct vacc_binding b;

	ASSERT_OK(vt_load_ref(self->fd, self->context, VACC_REF_OP_BARRIER, 0,
			      VACC_REF_NO_SLOT, 0, &barrier));
	for (usage = 1; usage <= VT_USAGE_ALL; usage++) {
		ASSERT_OK(vt_buffer(self->fd, self->context, 64, usage, &buffer));
		for (access = VT_READ; access <= VT_READ_WRITE; access++) {
			bool allowed = usage & state ||
				       (access == VT_READ && usage & in) ||
				       (access == VT_WRITE && usage & out);

			b = vt_bind(buffer, 0, access, 0, 64);
			EXPECT_EQ(allowed ? 0 : -EACCES,
				  vt_run(self->fd, self->queue, barrier, &b, 1))
				TH_LOG("usage %x, access %u", usage, access);
			b.offset = 1;
			EXPECT_ERRNO(ERANGE, vt_run(self->fd, self->queue, barrier, &b, 1));
		}
		ASSERT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, buffer));
	}
}

/* M6: number of bindings. */
TEST_F(dev, m6_number_of_bindings)
{
	const __u32 most = self->info.effective_bindings;
	struct vacc_binding *b = calloc(5000, sizeof(*b));
	struct vacc_submit s;
	struct objects o;
	unsigned int i;

	ASSERT_NE(NULL, b);
	ASSERT_OK(make(self->fd, self->context, &o));
	for (i = 0; i < 5000; i++) {
		b[i] = vt_bind(o.buffer, i, VT_WRITE, 0, 64);
	}
	s = vt_submit_desc(self->queue, o.fill, b, 0);
	EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &s));
	s.bindings.count = most;
	EXPECT_ERRNO(ENOEXEC, vt_submit(self->fd, &s));
	s.bindings.count = most + 1;
	EXPECT_ERRNO(ENOSPC, vt_submit(self->fd, &s));
	s.bindings.count = VIRTIO_ACCEL_MAX_BINDINGS + 1;
	EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &s));
	s.bindings.count = ~0u;
	EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &s));
	/* The last of many may be the one that is bound twice. */
	s.bindings.count = most;
	b[most - 1].slot = 0;
	EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &s));
	free(b);
}

/* R3: an asserted element type against that of the buffer. */
TEST_F(dev, r3_element_types)
{
	struct vacc_buffer_create desc;
	__u32 type, asserted;
	struct objects o;

	ASSERT_OK(make(self->fd, self->context, &o));
	for (type = 0; type < VACC_TYPE_COUNT; type++) {
		desc = vt_buffer_desc(self->context, 64, VT_USAGE_ALL);
		desc.element_type = type;
		ASSERT_OK(vt_buffer_create(self->fd, &desc));
		for (asserted = 0; asserted < VACC_TYPE_COUNT; asserted++) {
			o.bind.buffer = desc.handle;
			o.bind.element_type = asserted;
			EXPECT_EQ(type && asserted && type != asserted ? -EINVAL : 0,
				  vt_run(self->fd, self->queue, o.fill, &o.bind, 1))
				TH_LOG("%u as %u", type, asserted);
		}
	}
}

/* M6, M13: shapes that do not fit the program; nothing is retained or counted. */
TEST_F(dev, m6_m13_rejections_leave_nothing)
{
	struct vacc_stats before, after;
	struct vacc_buffer_query q;
	struct vacc_binding b[3];
	__u32 copy, event;
	struct objects o;
	unsigned int i;

	ASSERT_OK(make(self->fd, self->context, &o));
	ASSERT_OK(vt_load_ref(self->fd, self->context, VACC_REF_OP_COPY, 1, 2, 0, &copy));
	ASSERT_OK(vt_set(self->fd, o.buffer, 0, 0x77, 4096));
	ASSERT_OK(vt_get_stats(self->fd, &before));
	b[0] = vt_bind(o.buffer, 1, VT_READ, 0, 64);
	b[1] = vt_bind(o.buffer, 2, VT_WRITE, 1024, 64);
	b[2] = vt_bind(o.buffer, 3, VT_WRITE, 2048, 64);
	EXPECT_ERRNO(ENOEXEC, vt_start(self->fd, self->queue, copy, b, 1, &event));
	EXPECT_ERRNO(ENOEXEC, vt_start(self->fd, self->queue, copy, b, 3, &event));
	EXPECT_ERRNO(ENOEXEC, vt_start(self->fd, self->queue, copy, b + 1, 2, &event));
	b[1].bytes = 32;
	EXPECT_ERRNO(ENOEXEC, vt_start(self->fd, self->queue, copy, b, 2, &event));
	b[1].bytes = 65;
	EXPECT_ERRNO(ENOEXEC, vt_start(self->fd, self->queue, copy, b, 2, &event));
	b[1].bytes = 64;
	b[1].access = VT_READ_WRITE;
	EXPECT_ERRNO(ENOEXEC, vt_start(self->fd, self->queue, copy, b, 2, &event));
	b[1].access = VT_READ;
	EXPECT_ERRNO(ENOEXEC, vt_start(self->fd, self->queue, copy, b, 2, &event));
	for (i = 0; i < 2; i++) {
		b[i] = vt_bind(o.buffer, 2 - i, VT_WRITE, 0, 64);
	}
	EXPECT_ERRNO(ENOEXEC, vt_start(self->fd, self->queue, copy, b, 2, &event));
	EXPECT_ERRNO(ENOEXEC, vt_start(self->fd, self->queue, o.fill, b, 1, &event));

	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(0, memcmp(&before.live, &after.live, sizeof(before.live)));
	EXPECT_EQ(before.submitted, after.submitted);
	EXPECT_EQ(before.direct_bindings, after.direct_bindings);
	EXPECT_EQ(before.commands, after.commands);
	EXPECT_EQ(before.scratch_bytes, after.scratch_bytes);
	EXPECT_EQ(before.rejected + 9, after.rejected);
	EXPECT_EQ(1, vt_all(self->fd, o.buffer, 0, 0x77, 4096));
	ASSERT_OK(vt_buffer_query(self->fd, o.buffer, &q));
	EXPECT_EQ(0, q.pending);
	EXPECT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, o.buffer));
	EXPECT_OK(vt_handle(self->fd, VACC_PROGRAM_UNLOAD, copy));
}

/* M13: one for each binding that is admitted. */
TEST_F(dev, m13_direct_bindings)
{
	struct vacc_stats before, after;
	struct vacc_binding b[2];
	struct objects o;
	__u32 copy;

	ASSERT_OK(make(self->fd, self->context, &o));
	ASSERT_OK(vt_load_ref(self->fd, self->context, VACC_REF_OP_COPY, 0, 1, 0, &copy));
	b[0] = vt_bind(o.buffer, 0, VT_READ, 0, 64);
	b[1] = vt_bind(o.buffer, 1, VT_WRITE, 64, 64);
	ASSERT_OK(vt_get_stats(self->fd, &before));
	ASSERT_OK(vt_run(self->fd, self->queue, copy, b, 2));
	ASSERT_OK(vt_run(self->fd, self->queue, o.fill, &o.bind, 1));
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(before.direct_bindings + 3, after.direct_bindings);
}

/* One event that uses a buffer twice is one pending event. */
TEST_F(dev, a_buffer_at_two_slots)
{
	struct vacc_buffer_query q;
	struct vacc_binding b[2];
	struct objects o;
	__u32 copy, event;

	ASSERT_OK(make(self->fd, self->context, &o));
	ASSERT_OK(vt_load_ref(self->fd, self->context, VACC_REF_OP_COPY, 0, 1, 0, &copy));
	b[0] = vt_bind(o.buffer, 0, VT_READ, 0, 64);
	b[1] = vt_bind(o.buffer, 1, VT_WRITE, 64, 64);
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(vt_start(self->fd, self->queue, copy, b, 2, &event));
	ASSERT_OK(vt_buffer_query(self->fd, o.buffer, &q));
	EXPECT_EQ(1, q.pending);
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_BUFFER_DESTROY, o.buffer));
	ASSERT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, event));
	ASSERT_OK(vt_buffer_query(self->fd, o.buffer, &q));
	EXPECT_EQ(0, q.pending);
	EXPECT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, o.buffer));
}

TEST_F(dev, result)
{
	struct vacc_event_query q;
	struct vacc_submit s;
	struct objects o;

	ASSERT_OK(make(self->fd, self->context, &o));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	s = vt_submit_desc(self->queue, o.fill, &o.bind, 1);
	s.user_data = 0x123456789abcdef0ULL;
	ASSERT_OK(vt_submit(self->fd, &s));
	EXPECT_NE(0, s.event);
	EXPECT_EQ(VACC_ACCEPTED, s.admission);
	EXPECT_EQ(VACC_EVENT_PENDING, s.state);
	EXPECT_EQ(VIRTIO_ACCEL_S_OK, s.status);
	EXPECT_EQ(0, s.event_flags);
	EXPECT_EQ(-1, s.out_fence_fd);
	EXPECT_EQ(self->queue, s.queue);
	ASSERT_OK(vt_event_query(self->fd, s.event, &q));
	EXPECT_EQ(self->queue, q.queue);
	EXPECT_EQ(VACC_ACCEPTED, q.admission);
	EXPECT_EQ(VACC_EVENT_PENDING, q.state);
	EXPECT_EQ(0x123456789abcdef0ULL, q.user_data);
	EXPECT_EQ(0, q.start_ns);
	EXPECT_EQ(0, q.end_ns);
	vt_release_all(self->node);
	ASSERT_OK(vt_event_wait(self->fd, s.event, VT_PATIENCE_MS, NULL));
	ASSERT_OK(vt_event_query(self->fd, s.event, &q));
	EXPECT_EQ(VACC_EVENT_COMPLETE, q.state);
	EXPECT_EQ(VIRTIO_ACCEL_S_OK, q.status);
	EXPECT_EQ(VACC_EVENT_QUIESCENT, q.event_flags);
	EXPECT_EQ(0x123456789abcdef0ULL, q.user_data);
}

/* Where the result cannot be written, nothing was submitted. */
TEST_F(dev, result_that_cannot_be_written)
{
	struct vacc_stats before, after;
	struct vacc_queue_query q;
	struct vacc_submit *s = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct objects o;

	ASSERT_NE(MAP_FAILED, (void *)s);
	ASSERT_OK(make(self->fd, self->context, &o));
	*s = vt_submit_desc(self->queue, o.fill, &o.bind, 1);
	ASSERT_EQ(0, mprotect(s, 4096, PROT_READ));
	ASSERT_OK(vt_get_stats(self->fd, &before));
	EXPECT_ERRNO(EFAULT, vt_submit(self->fd, s));
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(0, memcmp(&before.live, &after.live, sizeof(before.live)));
	EXPECT_EQ(before.submitted, after.submitted);
	EXPECT_EQ(before.direct_bindings, after.direct_bindings);
	ASSERT_OK(vt_queue_query(self->fd, self->queue, &q));
	EXPECT_EQ(0, q.submitted);
	EXPECT_EQ(1, vt_all(self->fd, o.buffer, 0, 0, 4096));
	EXPECT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, o.buffer));
}

/* 0 once the handle of an event has gone. */
static int gone_soon(int fd, __u32 event)
{
	__u64 deadline = vt_deadline(VT_PATIENCE_MS);
	int r;

	while ((r = vt_state(fd, event)) >= 0 && vt_now() < deadline)
		sched_yield();
	return r == -ENOENT ? 0 : r ?: -ETIMEDOUT;
}

/* AUTO_DESTROY: the handle is there while the event is pending, then it is not. */
TEST_F(dev, auto_destroy)
{
	struct vacc_stats before, after;
	struct vacc_submit s;
	struct objects o;

	ASSERT_OK(make(self->fd, self->context, &o));
	ASSERT_OK(vt_get_stats(self->fd, &before));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	s = vt_submit_desc(self->queue, o.fill, &o.bind, 1);
	s.flags = VACC_SUBMIT_AUTO_DESTROY;
	ASSERT_OK(vt_submit(self->fd, &s));
	EXPECT_EQ(VACC_EVENT_PENDING, vt_state(self->fd, s.event));
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_EVENT_DESTROY, s.event));
	vt_release_all(self->node);
	ASSERT_OK(vt_queue_sync(self->fd, self->queue, vt_deadline(VT_PATIENCE_MS), NULL));
	EXPECT_OK(gone_soon(self->fd, s.event));
	EXPECT_ERRNO(ENOENT, vt_handle(self->fd, VACC_EVENT_DESTROY, s.event));
	EXPECT_EQ(1, vt_all(self->fd, o.buffer, 0, 0xa5, 64));

	/* Without hold it may have gone before the call returns. */
	ASSERT_OK(vt_submit(self->fd, &s));
	ASSERT_OK(vt_queue_sync(self->fd, self->queue, vt_deadline(VT_PATIENCE_MS), NULL));
	EXPECT_OK(gone_soon(self->fd, s.event));
	/* Cancelled ones go too. */
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(vt_submit(self->fd, &s));
	EXPECT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, s.event));
	EXPECT_OK(gone_soon(self->fd, s.event));
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(before.live.events, after.live.events);
}

/* WAIT: the result is the end. */
TEST_F(dev, wait)
{
	struct vacc_submit s;
	struct objects o;
	__u64 start;

	ASSERT_OK(make(self->fd, self->context, &o));
	s = vt_submit_desc(self->queue, o.fill, &o.bind, 1);
	s.deadline_ns = 1;
	EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &s));
	s.flags = VACC_SUBMIT_WAIT;
	s.deadline_ns = VACC_NO_DEADLINE;
	ASSERT_OK(vt_submit(self->fd, &s));
	EXPECT_EQ(VACC_ACCEPTED, s.admission);
	EXPECT_EQ(VACC_EVENT_COMPLETE, s.state);
	EXPECT_EQ(VIRTIO_ACCEL_S_OK, s.status);
	EXPECT_EQ(VACC_EVENT_QUIESCENT, s.event_flags);
	EXPECT_EQ(VACC_EVENT_COMPLETE, vt_state(self->fd, s.event));

	/* With AUTO_DESTROY only the result is left. */
	s.flags |= VACC_SUBMIT_AUTO_DESTROY;
	ASSERT_OK(vt_submit(self->fd, &s));
	EXPECT_EQ(VACC_EVENT_COMPLETE, s.state);
	EXPECT_OK(gone_soon(self->fd, s.event));

	/* A deadline that passes is no error: the event is there, and pending. */
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	s.flags = VACC_SUBMIT_WAIT;
	start = vt_now();
	s.deadline_ns = start + 100000000;
	ASSERT_OK(vt_submit(self->fd, &s));
	EXPECT_LE(start + 100000000, vt_now());
	EXPECT_EQ(VACC_ACCEPTED, s.admission);
	EXPECT_EQ(VACC_EVENT_PENDING, s.state);
	EXPECT_EQ(VACC_EVENT_PENDING, vt_state(self->fd, s.event));
	s.deadline_ns = 0;
	ASSERT_OK(vt_submit(self->fd, &s));
	EXPECT_EQ(VACC_EVENT_PENDING, s.state);
}

/* WAIT sees failures as they are. */
static void *fail_soon(void *arg)
{
	vt_sleep_ms(100);
	vt_control(*(int *)arg, "lose", "all");
	return NULL;
}

TEST_F(dev, wait_for_a_failure)
{
	struct vacc_submit s;
	struct objects o;
	pthread_t thread;

	ASSERT_OK(make(self->fd, self->context, &o));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_EQ(0, pthread_create(&thread, NULL, fail_soon, &self->node));
	s = vt_submit_desc(self->queue, o.fill, &o.bind, 1);
	s.flags = VACC_SUBMIT_WAIT;
	s.deadline_ns = vt_deadline(VT_PATIENCE_MS);
	ASSERT_OK(vt_submit(self->fd, &s));
	pthread_join(thread, NULL);
	EXPECT_EQ(VACC_EVENT_FAILED, s.state);
	EXPECT_EQ(VIRTIO_ACCEL_S_DEVICE_LOST, s.status);
	EXPECT_EQ(1, vt_all(self->fd, o.buffer, 0, 0, 4096));
}

TEST_HARNESS_MAIN
