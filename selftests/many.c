// SPDX-License-Identifier: GPL-2.0
/* SUBMIT_MANY: what is done of an array, and what each element says of it. */
#include <sys/ioctl.h>
#include "gate.h"
#include "vacc_test.h"

#define BYTES	64
#define PAGE	4096
#define MOST	16

struct work {
	__u32 queue, buffer, fill[MOST];
	struct vacc_binding bind;
};

/* Fill @i writes the byte @i + 1. */
static int make(int fd, __u32 context, __u32 queue, struct work *w)
{
	int r = vt_buffer(fd, context, BYTES, VT_USAGE_ALL, &w->buffer), i;

	for (i = 0; i < MOST && !r; i++)
		r = vt_load_fill(fd, context, i + 1, &w->fill[i]);
	w->queue = queue;
	w->bind = vt_bind(w->buffer, 0, VT_WRITE, 0, BYTES);
	return r;
}

static void describe(const struct work *w, struct vacc_submit *s, __u32 count)
{
	__u32 i;

	for (i = 0; i < count; i++)
		s[i] = vt_submit_desc(w->queue, w->fill[i % MOST], &w->bind, 1);
}

static int end_of(int fd, __u32 event)
{
	struct vacc_wait_entry entry;
	int r = vt_event_wait(fd, event, VT_PATIENCE_MS, &entry);

	return r ?: (int)(entry.state + 100 * entry.status);
}

/* How many say that they were submitted, if the others say that they were not. */
static int accepted(const struct vacc_submit *s, __u32 count)
{
	__u32 i, n = 0;

	while (n < count && s[n].admission == VACC_ACCEPTED)
		n++;
	for (i = n; i < count; i++)
		if (s[i].admission != VACC_NOT_SUBMITTED)
			return -1;
	return n;
}

static __u64 submitted(int fd, __u32 queue)
{
	struct vacc_queue_query q;

	return vt_queue_query(fd, queue, &q) ? ~0ULL : q.submitted;
}

TEST_F(dev, arguments)
{
	struct vacc_submit *s = calloc(VACC_MAX_SUBMITS + 1, sizeof(*s));
	struct vacc_submit_many arg = { .size = sizeof(arg) };
	struct work w;

	ASSERT_NE(NULL, s);
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	describe(&w, s, VACC_MAX_SUBMITS + 1);
	EXPECT_ERRNO(EINVAL, vt_submit_many(self->fd, s, 0, NULL));
	EXPECT_ERRNO(EINVAL, vt_submit_many(self->fd, s, VACC_MAX_SUBMITS + 1, NULL));
	EXPECT_ERRNO(EINVAL, vt_submit_many(self->fd, s, ~0u, NULL));
	arg.submits = (struct vacc_array) { 1, sizeof(*s), VT_PTR(s) };
	arg.flags = 1;
	EXPECT_ERRNO(EOPNOTSUPP, vt_ioctl(self->fd, VACC_SUBMIT_MANY, &arg));
	arg.flags = 0;
	arg.reserved = 1;
	EXPECT_ERRNO(EINVAL, vt_ioctl(self->fd, VACC_SUBMIT_MANY, &arg));
	arg.reserved = 0;
	arg.submits.stride = sizeof(*s) - 1;
	EXPECT_ERRNO(EINVAL, vt_ioctl(self->fd, VACC_SUBMIT_MANY, &arg));
	arg.submits.stride = 0;
	EXPECT_ERRNO(EINVAL, vt_ioctl(self->fd, VACC_SUBMIT_MANY, &arg));
	arg.submits.stride = PAGE + 1;
	EXPECT_ERRNO(E2BIG, vt_ioctl(self->fd, VACC_SUBMIT_MANY, &arg));
	arg.submits.stride = sizeof(*s);
	arg.submits.ptr = 0;
	EXPECT_ERRNO(EFAULT, vt_ioctl(self->fd, VACC_SUBMIT_MANY, &arg));
	arg.submits.ptr = ~0ULL - 8;
	EXPECT_ERRNO(EFAULT, vt_ioctl(self->fd, VACC_SUBMIT_MANY, &arg));
	EXPECT_EQ(0, submitted(self->fd, w.queue));
	free(s);
}

/* All of them, in order, up to as many as there may be. */
TEST_F_TIMEOUT(dev, all, 300)
{
	const __u32 counts[] = { 1, 2, MOST, 1000, VACC_MAX_SUBMITS };
	struct vacc_submit *s = calloc(VACC_MAX_SUBMITS, sizeof(*s));
	__u32 done, i, k, before = 0;
	struct vacc_event_query q;
	struct work w;

	ASSERT_NE(NULL, s);
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	for (k = 0; k < ARRAY_SIZE(counts); k++) {
		describe(&w, s, counts[k]);
		for (i = 0; i < counts[k]; i++) {
			s[i].user_data = i;
			s[i].flags = i < 1000 ? 0 : VACC_SUBMIT_AUTO_DESTROY;
		}
		ASSERT_OK(vt_submit_many(self->fd, s, counts[k], &done));
		EXPECT_EQ(counts[k], done);
		EXPECT_EQ((int)counts[k], accepted(s, counts[k]));
		ASSERT_OK(vt_queue_sync(self->fd, w.queue, vt_deadline(VT_PATIENCE_MS), NULL));
		EXPECT_EQ(1, vt_all(self->fd, w.buffer, 0, (counts[k] - 1) % MOST + 1, BYTES));
		before += counts[k];
		EXPECT_EQ(before, submitted(self->fd, w.queue));
		for (i = 0; i < counts[k] && i < 1000; i++) {
			ASSERT_EQ(-1, s[i].out_fence_fd);
			ASSERT_OK(vt_event_query(self->fd, s[i].event, &q));
			ASSERT_EQ(i, q.user_data);
			ASSERT_EQ(VACC_EVENT_COMPLETE, q.state);
			ASSERT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, s[i].event));
		}
	}
	free(s);
}

/* A longer element: zero where it is not known, and zero when it comes back. */
TEST_F(dev, longer_elements)
{
	struct { struct vacc_submit s; __u64 more[2]; } e[4];
	struct vacc_submit_many arg = { .size = sizeof(arg) };
	struct work w;
	int i;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	memset(e, 0, sizeof(e));
	for (i = 0; i < 4; i++) {
		describe(&w, &e[i].s, 1);
		e[i].s.size = i % 2 ? sizeof(e[0]) : sizeof(e[0].s);
	}
	arg.submits = (struct vacc_array) { 4, sizeof(e[0]), VT_PTR(e) };
	ASSERT_OK(vt_ioctl(self->fd, VACC_SUBMIT_MANY, &arg));
	EXPECT_EQ(4, arg.done);
	e[2].more[1] = 1;
	ASSERT_OK(vt_ioctl(self->fd, VACC_SUBMIT_MANY, &arg));
	EXPECT_EQ(2, arg.done);
	EXPECT_EQ(VACC_ACCEPTED, e[1].s.admission);
	EXPECT_EQ(VACC_NOT_SUBMITTED, e[2].s.admission);
	EXPECT_EQ(VACC_NOT_SUBMITTED, e[3].s.admission);
	/* The size of an element is its own, and fits the stride. */
	e[2].more[1] = 0;
	e[1].s.size = sizeof(e[0]) + 1;
	ASSERT_OK(vt_ioctl(self->fd, VACC_SUBMIT_MANY, &arg));
	EXPECT_EQ(1, arg.done);
	e[0].s.size = sizeof(e[0].s) - 1;
	EXPECT_ERRNO(EINVAL, vt_ioctl(self->fd, VACC_SUBMIT_MANY, &arg));
	EXPECT_EQ(0, arg.done);
	EXPECT_EQ(7, submitted(self->fd, w.queue));
}

/* It stops at the first failure, and says where that was and why. */
TEST_F(dev, partial_failure)
{
	struct vacc_submit s[MOST];
	struct vacc_binding bad;
	struct vacc_last_error last;
	struct vacc_stats before, after;
	const int kinds = 5;
	__u32 done, at, sum = 0;
	struct work w;
	int kind, r;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	for (kind = 0; kind < kinds; kind++) {
		const int errors[] = { EINVAL, ENOENT, ERANGE, EOPNOTSUPP, ENOEXEC };

		for (at = 0; at < MOST; at += 5) {
			ASSERT_OK(vt_get_stats(self->fd, &before));
			describe(&w, s, MOST);
			bad = w.bind;
			s[at].bindings.ptr = VT_PTR(&bad);
			if (kind == 0)
				bad.bytes = 0;
			if (kind == 1)
				s[at].program = 0;
			if (kind == 2)
				bad.offset = 1;
			if (kind == 3)
				s[at].priority = 1;
			if (kind == 4)
				bad.slot = 7;	/* the device refuses it */
			r = vt_submit_many(self->fd, s, MOST, &done);
			EXPECT_EQ(at ? 0 : -errors[kind], r) TH_LOG("kind %d at %u", kind, at);
			EXPECT_EQ(at, done);
			EXPECT_EQ((int)at, accepted(s, MOST)) TH_LOG("kind %d at %u", kind, at);
			ASSERT_OK(vt_last_error(self->fd, &last));
			EXPECT_EQ(_IOC_NR(VACC_SUBMIT_MANY), last.nr);
			EXPECT_EQ(errors[kind], (int)last.error);
			sum += at;
			ASSERT_OK(vt_queue_sync(self->fd, w.queue, vt_deadline(VT_PATIENCE_MS),
						NULL));
			ASSERT_OK(vt_get_stats(self->fd, &after));
			EXPECT_EQ(before.live.events + at, after.live.events);
			EXPECT_EQ(before.rejected + (kind == 4), after.rejected);
			EXPECT_EQ(sum, submitted(self->fd, w.queue));
			if (at) {
				EXPECT_EQ(1, vt_all(self->fd, w.buffer, 0, at, BYTES));
			}
		}
	}
}

/* Elements reach into memory that is not there, or that cannot be written. */
TEST_F(dev, fault_in_the_middle)
{
	const int fit = PAGE / sizeof(struct vacc_submit);
	char *map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	struct vacc_submit *s;
	__u32 done, n = fit + 4, sum = 0;
	struct work w;
	int prot;

	ASSERT_NE(MAP_FAILED, (void *)map);
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	for (prot = 0; prot < 2; prot++) {
		/* The first ends with the page; one more reaches beyond it. */
		s = (void *)(map + PAGE - 2 * sizeof(*s));
		describe(&w, s, 6);
		ASSERT_EQ(0, mprotect(map + PAGE, PAGE, prot ? PROT_READ : PROT_NONE));
		EXPECT_OK(vt_submit_many(self->fd, s, 6, &done));
		EXPECT_EQ(2, done);
		EXPECT_EQ(2, accepted(s, 2));
		EXPECT_ERRNO(EFAULT, vt_submit_many(self->fd, s + 2, 4, &done));
		EXPECT_EQ(0, done);
		sum += 2;
		EXPECT_EQ(sum, submitted(self->fd, w.queue));
		ASSERT_EQ(0, mprotect(map + PAGE, PAGE, PROT_READ | PROT_WRITE));
		/* An element across the edge is not submitted. */
		s = (void *)map;
		describe(&w, s, n);
		ASSERT_EQ(0, mprotect(map + PAGE, PAGE, prot ? PROT_READ : PROT_NONE));
		EXPECT_OK(vt_submit_many(self->fd, s, n, &done));
		EXPECT_EQ(fit, (int)done);
		EXPECT_EQ(fit, accepted(s, fit));
		sum += fit;
		EXPECT_EQ(sum, submitted(self->fd, w.queue));
		ASSERT_EQ(0, mprotect(map + PAGE, PAGE, PROT_READ | PROT_WRITE));
	}
	ASSERT_OK(vt_queue_sync(self->fd, w.queue, vt_deadline(VT_PATIENCE_MS), NULL));
	munmap(map, 2 * PAGE);
}

/* Where done cannot be written nothing is submitted. */
TEST_F(dev, done_that_cannot_be_written)
{
	struct vacc_submit_many *arg = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct vacc_submit s[2];
	struct work w;

	ASSERT_NE(MAP_FAILED, (void *)arg);
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	describe(&w, s, 2);
	arg->size = sizeof(*arg);
	arg->submits = (struct vacc_array) { 2, sizeof(s[0]), VT_PTR(s) };
	ASSERT_EQ(0, mprotect(arg, PAGE, PROT_READ));
	EXPECT_ERRNO(EFAULT, vt_ioctl(self->fd, VACC_SUBMIT_MANY, arg));
	EXPECT_EQ(0, accepted(s, 2));
	EXPECT_EQ(0, submitted(self->fd, w.queue));
	munmap(arg, PAGE);
}

/* An element that waits for an earlier one. */
TEST_F(dev, index_fences)
{
	struct vacc_submit s[4];
	struct vacc_in_fence f[4];
	struct vacc_binding b[4];
	__u32 queues[4], xor, done, i, fails;
	struct work w;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_load_ref(self->fd, self->context, VACC_REF_OP_XOR, 0, VACC_REF_NO_SLOT,
			      0x11, &xor));
	for (i = 0; i < 4; i++) {
		ASSERT_OK(vt_queue(self->fd, self->context, &queues[i]));
		b[i] = vt_bind(w.buffer, 0, i ? VT_READ_WRITE : VT_WRITE, 0, BYTES);
	}
	for (fails = 0; fails < 2; fails++) {
		/* On four queues: fill with 4, then xor three times, one after the other. */
		for (i = 0; i < 4; i++) {
			s[i] = vt_submit_desc(queues[i], i ? xor : w.fill[3], &b[i], 1);
			f[i] = vt_in_fence(VACC_FENCE_INDEX, i - 1);
			if (i)
				s[i].in_fences = (struct vacc_array) { 1, sizeof(f[i]),
								       VT_PTR(&f[i]) };
		}
		ASSERT_OK(vt_set(self->fd, w.buffer, 0, 0x70, BYTES));
		ASSERT_OK(vt_control(self->node, "hold", "1"));
		ASSERT_OK(vt_submit_many(self->fd, s, 4, &done));
		ASSERT_EQ(4, done);
		EXPECT_ERRNO(ETIMEDOUT, vt_event_wait(self->fd, s[3].event, 50, NULL));
		if (fails) {
			ASSERT_OK(vt_control(self->node, "fail", "%u %u", s[0].event,
					     VIRTIO_ACCEL_S_BUSY));
		}
		vt_release_all(self->node);
		for (i = 1; i < 4; i++) {
			EXPECT_EQ(fails ? VACC_EVENT_CANCELLED : VACC_EVENT_COMPLETE,
				  end_of(self->fd, s[i].event));
		}
		EXPECT_EQ(1, vt_all(self->fd, w.buffer, 0, fails ? 0x70 : 4 ^ 0x11, BYTES));
	}
	/* AUTO_DESTROY: an element is known although its handle may have gone. */
	for (i = 0; i < 4; i++)
		s[i].flags = VACC_SUBMIT_AUTO_DESTROY;
	ASSERT_OK(vt_submit_many(self->fd, s, 4, &done));
	ASSERT_EQ(4, done);
	for (i = 0; i < 4; i++) {
		ASSERT_OK(vt_queue_sync(self->fd, queues[i], vt_deadline(VT_PATIENCE_MS), NULL));
	}
	EXPECT_EQ(1, vt_all(self->fd, w.buffer, 0, 4 ^ 0x11, BYTES));
	/* Itself, a later one, one that there is not. */
	for (i = 0; i < 3; i++) {
		f[2].value = i < 2 ? 2 + i : ~0u;
		ASSERT_OK(vt_submit_many(self->fd, s, 4, &done));
		EXPECT_EQ(2, done);
		EXPECT_EQ(2, accepted(s, 4));
	}
	f[2].value = 1;
	s[0].in_fences = s[1].in_fences;
	EXPECT_ERRNO(EINVAL, vt_submit_many(self->fd, s, 4, &done));
	EXPECT_EQ(0, done);
	/* An index is not that of another call. */
	EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &s[1]));
	for (i = 0; i < 4; i++) {
		ASSERT_OK(vt_queue_sync(self->fd, queues[i], vt_deadline(VT_PATIENCE_MS), NULL));
	}
}

/* An element may wait for its end, and may have an out-fence. */
TEST_F(dev, wait_and_out_fences)
{
	struct vacc_submit s[4];
	struct work w;
	__u32 done;
	__u64 begin;
	int i;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	describe(&w, s, 4);
	s[1].flags = VACC_SUBMIT_WAIT;
	s[1].deadline_ns = VACC_NO_DEADLINE;
	ASSERT_OK(vt_submit_many(self->fd, s, 4, &done));
	EXPECT_EQ(4, done);
	EXPECT_EQ(VACC_EVENT_PENDING, s[0].state);
	EXPECT_EQ(VACC_EVENT_COMPLETE, s[1].state);
	EXPECT_EQ(VACC_EVENT_QUIESCENT, s[1].event_flags);
	/* One that does not end: the next is submitted when its time is over. */
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	describe(&w, s, 4);
	begin = vt_now();
	s[1].flags = VACC_SUBMIT_WAIT;
	s[1].deadline_ns = begin + 100000000;
	ASSERT_OK(vt_submit_many(self->fd, s, 4, &done));
	EXPECT_EQ(4, done);
	EXPECT_LE(begin + 100000000, vt_now());
	EXPECT_EQ(VACC_EVENT_PENDING, s[1].state);
	if (!(self->info.features & VACC_FEATURE_SYNC_FILE))
		return;
	describe(&w, s, 4);
	for (i = 0; i < 4; i++)
		s[i].flags = VACC_SUBMIT_OUT_FENCE;
	s[3].priority = 1;
	ASSERT_OK(vt_submit_many(self->fd, s, 4, &done));
	EXPECT_EQ(3, done);
	for (i = 0; i < 3; i++) {
		ASSERT_LE(0, s[i].out_fence_fd);
		EXPECT_EQ(0, vt_fence_status(s[i].out_fence_fd));
	}
	vt_release_all(self->node);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(1, vt_fence_wait(s[i].out_fence_fd));
		close(s[i].out_fence_fd);
	}
}

/* As many as there is room for. */
TEST_F(dev, room)
{
	struct vacc_submit s[MOST];
	struct work w;
	char old[32];
	__u32 done;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_parameter("virtio_accel", "max_inflight", old, "5"));
	EXPECT_OK(vt_control(self->node, "hold", "1"));
	describe(&w, s, MOST);
	EXPECT_OK(vt_submit_many(self->fd, s, MOST, &done));
	EXPECT_EQ(5, done);
	EXPECT_EQ(5, accepted(s, MOST));
	EXPECT_ERRNO(EAGAIN, vt_submit_many(self->fd, s + 5, MOST - 5, &done));
	EXPECT_EQ(0, done);
	vt_release_all(self->node);
	EXPECT_OK(vt_queue_sync(self->fd, w.queue, vt_deadline(VT_PATIENCE_MS), NULL));
	EXPECT_OK(vt_submit_many(self->fd, s + 5, 3, &done));
	EXPECT_EQ(3, done);
	ASSERT_OK(vt_parameter("virtio_accel", "max_inflight", NULL, old));
}

TEST_HARNESS_MAIN
