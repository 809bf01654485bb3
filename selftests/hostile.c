// SPDX-License-Identifier: GPL-2.0
/*
 * Wrong answers, one at a time: only the call that gets one fails, success is never
 * reported, nothing that the device did not write is seen, and the next call is right.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/wait.h>
#include "hostile.h"

#define OP_WRITE	VIRTIO_ACCEL_OP_WRITE_BUFFER
#define OP_READ		VIRTIO_ACCEL_OP_READ_BUFFER

/* Lengths that a device may claim; @cap is what there is room for. */
static unsigned int lengths(unsigned long long *values, unsigned int cap)
{
	const unsigned long long all[] = {
		0, 1, 15, 16, 17, cap - 1, cap, cap + 1, 0x7fffffff, 0x80000000, 0xffffffff,
	};

	memcpy(values, all, sizeof(all));
	return ARRAY_SIZE(all);
}

static int write_one(const struct bad_file *f)
{
	return vt_set(f->fd, f->buffer, 0, 0x33, 64);
}

TEST_F(bad, write_lengths)
{
	static const char * const what[] = { "used_length", "payload_length" };
	const unsigned int right[] = { 16, 0 };
	unsigned long long values[16];
	unsigned int i, j, n = lengths(values, 16);

	for (i = 0; i < ARRAY_SIZE(what); i++) {
		for (j = 0; j < n; j++) {
			HOSTILE("%s value=%llu opcode=%u count=1", what[i], values[j], OP_WRITE);
			EXPECT_EQ(values[j] == right[i] ? 0 : -EREMOTEIO, write_one(&self->f))
				TH_LOG("%s %llu", what[i], values[j]);
			EXPECT_OK(write_one(&self->f));
		}
	}
	EXPECT_OK(bad_works(&self->f));
}

TEST_F(bad, read_lengths)
{
	static const char * const what[] = { "used_length", "payload_length" };
	enum { BYTES = 100, GUARD = 64 };
	const unsigned int right[] = { 16 + BYTES, BYTES };
	unsigned char got[GUARD + BYTES + GUARD];
	unsigned long long values[16];
	unsigned int i, j, k, n;
	int r;

	ASSERT_OK(vt_set(self->f.fd, self->f.buffer, 0, 0x44, BAD_BYTES));
	for (i = 0; i < ARRAY_SIZE(what); i++) {
		n = lengths(values, right[i]);
		for (j = 0; j < n; j++) {
			HOSTILE("%s value=%llu opcode=%u count=1", what[i], values[j], OP_READ);
			memset(got, 0x99, sizeof(got));
			r = vt_read(self->f.fd, self->f.buffer, 0, got + GUARD, BYTES);
			EXPECT_EQ(values[j] == right[i] ? 0 : -EREMOTEIO, r)
				TH_LOG("%s %llu", what[i], values[j]);
			for (k = 0; k < GUARD; k++) {
				ASSERT_EQ(0x99, got[k]);
				ASSERT_EQ(0x99, got[GUARD + BYTES + k]);
			}
			for (k = 0; k < BYTES; k++) {
				ASSERT_TRUE(got[GUARD + k] == 0x99 || got[GUARD + k] == 0x44);
			}
			memset(got, 0x99, sizeof(got));
			ASSERT_OK(vt_read(self->f.fd, self->f.buffer, 0, got + GUARD, BYTES));
			for (k = 0; k < BYTES; k++) {
				ASSERT_EQ(0x44, got[GUARD + k]);
			}
		}
	}
	EXPECT_OK(bad_works(&self->f));
}

/* Answers of every other kind with lengths that do not fit them. */
TEST_F(bad, create_lengths)
{
	unsigned long long values[16];
	unsigned int j, n = lengths(values, 24);
	__u32 handle;
	int r;

	for (j = 0; j < n; j++) {
		HOSTILE("used_length value=%llu opcode=%u count=1", values[j],
			VIRTIO_ACCEL_OP_CREATE_QUEUE);
		r = vt_queue(self->f.fd, self->f.context, &handle);
		EXPECT_EQ(values[j] == 24 ? 0 : -EREMOTEIO, r) TH_LOG("%llu", values[j]);
	}
	EXPECT_OK(bad_works(&self->f));
}

TEST_F(bad, statuses)
{
	const struct { unsigned int status; int result; } table[] = {
		{ 1, -EOPNOTSUPP }, { 2, -ENOEXEC }, { 3, -EINVAL }, { 4, -ERANGE },
		{ 5, -EBUSY }, { 6, -ENOMEM }, { 7, -ENOSPC }, { 8, -ETIME }, { 9, -EIO },
		{ 10, -EACCES }, { 11, -ENOENT }, { 12, -EREMOTEIO }, { 0x1234, -EREMOTEIO },
		{ 0xfffc, -EREMOTEIO }, { 0xfffd, -EREMOTEIO }, { 0xfffe, -EREMOTEIO },
		{ 0xffff, -EREMOTEIO },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		HOSTILE("status value=%u opcode=%u count=1", table[i].status, OP_WRITE);
		EXPECT_EQ(table[i].result, write_one(&self->f)) TH_LOG("%#x", table[i].status);
		EXPECT_OK(write_one(&self->f));
	}
	/* With a payload that only success has. */
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		__u32 queue;

		HOSTILE("status value=%u opcode=%u count=1", table[i].status,
			VIRTIO_ACCEL_OP_CREATE_QUEUE);
		EXPECT_ERRNO(EREMOTEIO, vt_queue(self->f.fd, self->f.context, &queue));
		if (i == 10)
			break;
	}
	EXPECT_OK(bad_works(&self->f));
}

TEST_F(bad, identities)
{
	const unsigned long long ids[] = { 0, 1, 0xffffffff, 1ULL << 63, ~0ULL };
	__u32 handle;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		HOSTILE("request_id value=%llu opcode=%u count=1", ids[i], OP_WRITE);
		EXPECT_ERRNO(EREMOTEIO, write_one(&self->f));
		EXPECT_OK(write_one(&self->f));
	}
	for (i = 1; i <= 0x8000; i <<= 1) {
		HOSTILE("flags value=%u opcode=%u count=1", i, OP_WRITE);
		EXPECT_ERRNO(EREMOTEIO, write_one(&self->f));
	}
	HOSTILE("object value=0 opcode=%u count=1", VIRTIO_ACCEL_OP_CREATE_CONTEXT);
	EXPECT_ERRNO(EREMOTEIO, vt_context(self->f.fd, &handle));
	/* An object that the device does not know: its own business. */
	HOSTILE("object value=77 opcode=%u count=1", VIRTIO_ACCEL_OP_CREATE_CONTEXT);
	EXPECT_OK(vt_context(self->f.fd, &handle));
	EXPECT_OK(bad_works(&self->f));
}

struct writer {
	const struct bad_file *f;
	int result;
};

static void *write_thread(void *arg)
{
	struct writer *w = arg;

	w->result = write_one(w->f);
	return NULL;
}

/* Two answers that exchange their identities: neither is believed. */
TEST_F(bad, swapped)
{
	struct writer w[2] = { { &self->f, 1 }, { &self->f, 1 } };
	pthread_t threads[2];
	int i;

	HOSTILE("swap opcode=%u count=1", OP_WRITE);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, write_thread, &w[i]));
	}
	for (i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(-EREMOTEIO, w[i].result);
	}
	EXPECT_OK(bad_works(&self->f));
}

/* Answers in another order than requests. */
TEST_F(bad, out_of_order)
{
	struct writer w = { &self->f, 1 };
	pthread_t thread;
	long long met;
	int i;

	for (i = 0; i < 50; i++) {
		met = bad_met(self->node);
		HOSTILE("late value=3 opcode=%u count=1", OP_WRITE);
		ASSERT_EQ(0, pthread_create(&thread, NULL, write_thread, &w));
		ASSERT_OK(bad_await(self->node, met));
		EXPECT_EQ(1, w.result);
		EXPECT_EQ(1, vt_all(self->f.fd, self->f.buffer, 0, 0x33, 64));
		EXPECT_EQ(1, vt_all(self->f.fd, self->f.buffer, 0, 0x33, 64));
		EXPECT_EQ(1, vt_all(self->f.fd, self->f.buffer, 0, 0x33, 64));
		pthread_join(thread, NULL);
		EXPECT_OK(w.result);
		w.result = 1;
	}
	EXPECT_OK(bad_works(&self->f));
}

/* Of a transfer in many frames, one in the middle. */
TEST_F(bad, one_frame_of_many)
{
	/* Each is split at least where pages are pinned. */
	const size_t bytes = 40 << 20;
	__u32 buffer;

	ASSERT_OK(vt_buffer(self->f.fd, self->f.context, bytes, VT_USAGE_ALL, &buffer));
	HOSTILE("used_length value=15 opcode=%u skip=1 count=1", OP_WRITE);
	EXPECT_ERRNO(EREMOTEIO, vt_set(self->f.fd, buffer, 0, 0x66, bytes));
	EXPECT_OK(vt_set(self->f.fd, buffer, 0, 0x67, bytes));
	HOSTILE("status value=10 opcode=%u skip=1 count=1", OP_READ);
	EXPECT_GT(0, vt_all(self->f.fd, buffer, 0, 0x67, bytes));
	EXPECT_EQ(1, vt_all(self->f.fd, buffer, 0, 0x67, bytes));
	EXPECT_OK(bad_works(&self->f));
}

/* A caller that is killed is gone at once; what it sent is answered to nobody. */
TEST_F(bad, killed_waiter)
{
	const unsigned int opcodes[] = {
		OP_WRITE, OP_READ, VIRTIO_ACCEL_OP_CREATE_CONTEXT, VIRTIO_ACCEL_OP_SUBMIT,
	};
	long long created = bad_number(self->node, "audit", "contexts created=");
	char undone[64];
	unsigned char byte;
	unsigned int i;
	__u32 handle;
	__u64 begin;
	pid_t child;
	int status;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		long long met = bad_met(self->node);

		HOSTILE("late opcode=%u count=1", opcodes[i]);
		child = fork();
		ASSERT_LE(0, child);
		if (!child) {
			switch (i) {
			case 0:
				write_one(&self->f);
				break;
			case 1:
				vt_read(self->f.fd, self->f.buffer, 0, &byte, 1);
				break;
			case 2:
				vt_context(self->f.fd, &handle);
				break;
			case 3:
				bad_start(&self->f, &handle);
				break;
			}
			_exit(0);
		}
		ASSERT_OK(bad_await(self->node, met));
		vt_sleep_ms(20);
		begin = vt_now();
		kill(child, SIGKILL);
		ASSERT_EQ(child, waitpid(child, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status)) TH_LOG("%u", i);
		EXPECT_GT(begin + 1000000000, vt_now());
		EXPECT_OK(bad_works(&self->f));
		HOSTILE("flush");
		EXPECT_OK(bad_works(&self->f));
	}
	/* What came too late for its caller is undone. */
	snprintf(undone, sizeof(undone), "contexts created=%lld released=", created + 1);
	for (i = 0; i < 500 && bad_number(self->node, "audit", undone) != created; i++)
		vt_sleep_ms(10);
	EXPECT_EQ(created, bad_number(self->node, "audit", undone));
}

/* A signal that does not kill: the call completes, normally and once. */
static void nothing(int number)
{
	(void)number;
}

TEST_F(bad, other_signals)
{
	struct sigaction action = { .sa_handler = nothing };
	long long met = bad_met(self->node);
	struct writer w = { &self->f, 1 };
	pthread_t thread;
	int i;

	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	HOSTILE("late opcode=%u count=1", OP_WRITE);
	ASSERT_EQ(0, pthread_create(&thread, NULL, write_thread, &w));
	ASSERT_OK(bad_await(self->node, met));
	for (i = 0; i < 20; i++) {
		pthread_kill(thread, SIGUSR1);
		vt_sleep_ms(5);
	}
	EXPECT_EQ(1, w.result);
	HOSTILE("flush");
	pthread_join(thread, NULL);
	EXPECT_OK(w.result);
	EXPECT_OK(bad_works(&self->f));
}

/* A refusal that names an event: it may be running, and the event tells. */
TEST_F(bad, indeterminate_submission)
{
	struct vacc_event_query q;
	struct vacc_submit s;

	HOSTILE("status value=%u opcode=%u count=1", VIRTIO_ACCEL_S_INTERNAL_ERROR,
		VIRTIO_ACCEL_OP_SUBMIT);
	s = vt_submit_desc(self->f.queue, self->f.fill, &self->f.bind, 1);
	ASSERT_OK(vt_submit(self->f.fd, &s));
	EXPECT_EQ(VACC_INDETERMINATE, s.admission);
	ASSERT_OK(vt_event_wait(self->f.fd, s.event, VT_PATIENCE_MS, NULL));
	ASSERT_OK(vt_event_query(self->f.fd, s.event, &q));
	EXPECT_EQ(VACC_EVENT_COMPLETE, q.state);
	EXPECT_EQ(VACC_INDETERMINATE, q.admission);
	EXPECT_EQ(1, vt_all(self->f.fd, self->f.buffer, 0, 0x5a, BAD_BYTES));
	/* With no event in it, or a wrong length, there is none. */
	HOSTILE("object value=0 opcode=%u count=1", VIRTIO_ACCEL_OP_SUBMIT);
	EXPECT_ERRNO(EREMOTEIO, vt_submit(self->f.fd, &s));
	EXPECT_OK(bad_works(&self->f));
}

/*
 * A signal before the ring has the frame: there is no room yet.  The call starts again,
 * or is interrupted; either way the device sees it once, or never.
 */
#define RING_BYTES	(4 << 20)
#define RING_PAGES	(RING_BYTES / 4096)

struct creator {
	const struct bad_file *f;
	int result;
};

static void *create_thread(void *arg)
{
	struct creator *c = arg;
	__u32 handle;

	c->result = vt_context(c->f->fd, &handle);
	return NULL;
}

static void *fill_ring(void *arg)
{
	struct writer *w = arg;
	unsigned char *memory;
	unsigned int i;

	/* Pages that lie here and there: each takes a descriptor. */
	memory = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(memory, RING_BYTES, MADV_NOHUGEPAGE);
	for (i = 0; i < RING_PAGES; i++)
		memory[i * 37 % RING_PAGES * 4096] = 0x33;
	w->result = vt_write(w->f->fd, w->f->buffer, 0, memory, RING_BYTES);
	munmap(memory, RING_BYTES);
	return NULL;
}

TEST_F(bad, signals_before_the_ring)
{
	static const char created[] = "contexts created=";
	const struct { int flags, result; } table[] = { { SA_RESTART, 0 }, { 0, -EINTR } };
	pthread_t filler, creator;
	struct bad_file f = self->f;
	long long met, before;
	unsigned int i, n;

	ASSERT_OK(vt_buffer(f.fd, f.context, RING_BYTES, VT_USAGE_ALL, &f.buffer));
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		struct sigaction action = { .sa_handler = nothing, .sa_flags = table[i].flags };
		struct creator c = { &f, 1 };
		struct writer w = { &f, 1 };

		ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
		met = bad_met(self->node);
		before = bad_number(self->node, "audit", created);
		/* The first of its frames takes nearly all descriptors. */
		HOSTILE("late opcode=%u count=1", OP_WRITE);
		ASSERT_EQ(0, pthread_create(&filler, NULL, fill_ring, &w));
		ASSERT_OK(bad_await(self->node, met));
		ASSERT_EQ(0, pthread_create(&creator, NULL, create_thread, &c));
		vt_sleep_ms(50);
		for (n = 0; n < 20; n++) {
			pthread_kill(creator, SIGUSR1);
			vt_sleep_ms(5);
		}
		EXPECT_EQ(table[i].result ?: 1, c.result);
		EXPECT_EQ(before, bad_number(self->node, "audit", created));
		HOSTILE("flush");
		pthread_join(creator, NULL);
		pthread_join(filler, NULL);
		EXPECT_EQ(table[i].result, c.result);
		EXPECT_OK(w.result);
		EXPECT_EQ(before + !table[i].result,
			  bad_number(self->node, "audit", created));
	}
	EXPECT_OK(bad_works(&self->f));
}

TEST_HARNESS_MAIN
