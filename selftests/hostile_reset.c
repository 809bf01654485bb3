// SPDX-License-Identifier: GPL-2.0
/*
 * A device that cannot be trusted any more is reset: what was under way ends, files
 * are dead, and the node comes back.  And what a device may say of itself.
 */
#define _GNU_SOURCE
#include "hostile.h"

#define OP_WRITE	VIRTIO_ACCEL_OP_WRITE_BUFFER
#define OP_POLL		VIRTIO_ACCEL_OP_POLL_EVENT

#define TIMEOUT(ms) ASSERT_OK(vt_parameter("virtio_accel", "command_timeout_ms", NULL, ms))

static int write_one(const struct bad_file *f)
{
	return vt_set(f->fd, f->buffer, 0, 0x33, 64);
}

/* Every call on the file fails with EIO, for ever, soon. */
static int dead(const struct bad_file *f)
{
	struct vacc_get_info info;
	int tries, r = 0;
	__u32 x;

	for (tries = 0; tries < 500; tries++) {
		r = vt_get_info(f->fd, &info);
		if (r)
			break;
		vt_sleep_ms(10);
	}
	if (r != -EIO || write_one(f) != -EIO || vt_context(f->fd, &x) != -EIO ||
	    bad_start(f, &x) != -EIO ||
	    vt_handle(f->fd, VACC_BUFFER_DESTROY, f->buffer) != -EIO)
		return r ?: -ETIMEDOUT;
	return 0;
}

static bool is_vaccd(void)
{
	return !strcmp(vt_backend(), "vaccd");
}

/* vhost-user has no message for DEVICE_NEEDS_RESET: there whoever asks for work is told. */
static int need_reset(int node, const struct bad_file *f)
{
	int r = vt_control(node, "needs_reset", "1");

	if (!r && is_vaccd() && write_one(f) != -EIO)
		return -EPROTO;
	return r;
}

TEST_F(bad, root_reset)
{
	ASSERT_OK(bad_works(&self->f));
	EXPECT_OK(bad_reset(self->vdev));
	EXPECT_OK(dead(&self->f));
	EXPECT_OK(bad_back(self->node));
}

/* Objects of after a reset have the numbers of those before it, and are others. */
TEST_F(bad, same_numbers_after_it)
{
	struct vacc_record record;
	struct bad_file f;
	__u32 event, old;

	ASSERT_OK(bad_start(&self->f, &old));
	ASSERT_OK(vt_event_wait(self->f.fd, old, VT_PATIENCE_MS, NULL));
	ASSERT_OK(bad_reset(self->vdev));
	ASSERT_OK(bad_open(self->node, &f));
	ASSERT_EQ(self->f.buffer, f.buffer);
	ASSERT_EQ(self->f.queue, f.queue);
	ASSERT_EQ(self->f.fill, f.fill);
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(bad_start(&f, &event));
	ASSERT_EQ(old, event);
	ASSERT_OK(vt_set(f.fd, f.buffer, 0, 0x77, BAD_BYTES));
	EXPECT_OK(dead(&self->f));
	EXPECT_ERRNO(EIO, vt_handle(self->f.fd, VACC_EVENT_CANCEL, event));
	EXPECT_ERRNO(EIO, vt_handle(self->f.fd, VACC_EVENT_DESTROY, event));
	EXPECT_ERRNO(EIO, vt_handle(self->f.fd, VACC_QUEUE_DESTROY, f.queue));
	EXPECT_ERRNO(EIO, vt_all(self->f.fd, f.buffer, 0, 0x77, 1));
	EXPECT_ERRNO(EIO, vt_read_records(self->f.fd, &record, 1));
	EXPECT_EQ(VACC_EVENT_PENDING, vt_state(f.fd, event));
	EXPECT_EQ(1, vt_all(f.fd, f.buffer, 0, 0x77, BAD_BYTES));
	vt_release_all(self->node);
	EXPECT_OK(vt_event_wait(f.fd, event, VT_PATIENCE_MS, NULL));
	EXPECT_EQ(1, vt_all(f.fd, f.buffer, 0, 0x5a, BAD_BYTES));
	close(f.fd);
}

TEST_F(bad, needs_reset)
{
	struct vacc_wait_entry entry;
	struct pollfd p = { .fd = self->f.fd, .events = POLLIN };
	__u32 events[8];
	int i;

	ASSERT_OK(vt_control(self->node, "hold", "1"));
	for (i = 0; i < 8; i++) {
		ASSERT_OK(bad_start(&self->f, &events[i]));
	}
	ASSERT_OK(need_reset(self->node, &self->f));
	i = vt_event_wait(self->f.fd, events[0], VT_PATIENCE_MS, &entry);
	EXPECT_TRUE(i == -EIO || (!i && entry.state == VACC_EVENT_FAILED &&
				  entry.status == VIRTIO_ACCEL_S_DEVICE_LOST));
	EXPECT_OK(dead(&self->f));
	EXPECT_EQ(1, poll(&p, 1, VT_PATIENCE_MS));
	EXPECT_EQ(POLLERR | POLLHUP, p.revents & (POLLERR | POLLHUP));
	/* Hold mode survives; it is the harness's. */
	vt_release_all(self->node);
	EXPECT_OK(bad_back(self->node));
}

/* Once in a while by itself, then only by root. */
TEST_F(bad, again_too_soon)
{
	struct bad_file f;

	ASSERT_OK(need_reset(self->node, &self->f));
	EXPECT_OK(dead(&self->f));
	EXPECT_OK(bad_back(self->node));
	ASSERT_OK(bad_open(self->node, &f));
	ASSERT_OK(need_reset(self->node, &f));
	EXPECT_OK(dead(&f));
	close(f.fd);
	vt_sleep_ms(200);
	EXPECT_ERRNO(ENOENT, vt_open_node(self->node));
	EXPECT_OK(bad_reset(self->vdev));
	EXPECT_OK(bad_back(self->node));
}

/*
 * Has the answer to a write falsified until the device is asked for a context, or the
 * answer to that has ended the file: while one question is out no second is put.
 */
static int lie_until_asked(int node, const struct bad_file *f, const char *lie, int wanted)
{
	static const char asked[] = "context_create calls=";
	const long long calls = bad_number(node, "audit", asked);
	__u64 deadline = vt_deadline(VT_PATIENCE_MS), pause;
	struct vacc_get_info info;
	int r;

	while (vt_now() < deadline) {
		r = vt_control(node, "hostile", lie);
		if (r)
			return r;
		r = write_one(f);
		if (r != wanted)
			return r ?: -EPROTO;
		for (pause = vt_deadline(100); vt_now() < pause; vt_sleep_ms(1))
			if (bad_number(node, "audit", asked) > calls ||
			    vt_get_info(f->fd, &info) == -EIO)
				return 0;
	}
	return -ETIMEDOUT;
}

/*
 * A device that says that it is lost, or that it does not know what it made, is asked for
 * a context: what makes one goes on, and what says then that it is lost is reset.
 */
TEST_F(bad, says_that_it_is_lost)
{
	const struct { unsigned int status; int result; } table[] = {
		{ VIRTIO_ACCEL_S_DEVICE_LOST, -EIO },
		{ VIRTIO_ACCEL_S_STALE_OBJECT, -ENOENT },
	};
	unsigned int i, n;
	char lie[64];

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		snprintf(lie, sizeof(lie), "status value=%u opcode=%u count=1", table[i].status,
			 OP_WRITE);
		for (n = 0; n < 2; n++) {
			EXPECT_OK(lie_until_asked(self->node, &self->f, lie, table[i].result));
			EXPECT_OK(bad_works(&self->f));
		}
		ASSERT_OK(vt_control(self->node, "faults", "context_create before status=9"));
		EXPECT_OK(lie_until_asked(self->node, &self->f, lie, table[i].result));
		EXPECT_OK(dead(&self->f));
		/* By itself only once in a while. */
		if (i) {
			ASSERT_OK(bad_reset(self->vdev));
		}
		ASSERT_OK(bad_back(self->node));
		close(self->f.fd);
		ASSERT_OK(bad_open(self->node, &self->f));
	}
}

/* States of an event that the protocol does not have: kept, and a reset asked for. */
TEST_F(bad, event_states)
{
	const struct { const char *what; unsigned int value; bool held; } table[] = {
		{ "event_state", 4, true }, { "event_state", 0xffff, true },
		{ "event_state", 2, true }, { "event_error", 5, true },
		{ "event_error", 0xffff, false }, { "status", 5, false },
		{ "status", 0, false }, { "used_length", 23, false },
		{ "request_id", 3, false },
	};
	struct vacc_wait_entry entry;
	unsigned int i;
	__u32 event;
	int r;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (table[i].held) {
			ASSERT_OK(vt_control(self->node, "hold", "1"));
		}
		HOSTILE("%s value=%u opcode=%u", table[i].what, table[i].value, OP_POLL);
		ASSERT_OK(bad_start(&self->f, &event));
		r = vt_event_wait(self->f.fd, event, VT_PATIENCE_MS, &entry);
		HOSTILE("clear");
		vt_release_all(self->node);
		/* What is patched to what it is anyway is no lie. */
		if (!strcmp(table[i].what, "status") && !table[i].value) {
			EXPECT_OK(r);
			EXPECT_EQ(VACC_EVENT_COMPLETE, entry.state);
			continue;
		}
		EXPECT_TRUE(r == -EIO || (!r && entry.state == VACC_EVENT_FAILED &&
					  entry.status == VIRTIO_ACCEL_S_DEVICE_LOST))
			TH_LOG("%s %u: %d, state %u status %u", table[i].what, table[i].value, r,
			       entry.state, entry.status);
		EXPECT_OK(dead(&self->f));
		close(self->f.fd);
		/* Not all by itself. */
		bad_reset(self->vdev);
		ASSERT_OK(bad_back(self->node));
		ASSERT_OK(bad_open(self->node, &self->f));
	}
}

/* A used ring that makes no sense. */
TEST_F(bad, broken_ring)
{
	const unsigned int ids[] = { 255, 256, 0xffff, 0x10000, 0x7fffffff, 0xffffffff };
	unsigned int i;
	__u64 begin;

	for (i = 0; i <= ARRAY_SIZE(ids); i++) {
		if (i < ARRAY_SIZE(ids)) {
			HOSTILE("used_id value=%u opcode=%u count=1", ids[i], OP_WRITE);
		} else {
			HOSTILE("duplicate opcode=%u count=1", OP_WRITE);
		}
		begin = vt_now();
		/* The answer itself may have come first. */
		EXPECT_EQ(i < ARRAY_SIZE(ids) ? -EIO : 0, write_one(&self->f))
			TH_LOG("case %u", i);
		EXPECT_OK(dead(&self->f)) TH_LOG("case %u", i);
		EXPECT_GT(begin + 5000000000, vt_now());
		close(self->f.fd);
		HOSTILE("clear");
		bad_reset(self->vdev);
		ASSERT_OK(bad_back(self->node));
		ASSERT_OK(bad_open(self->node, &self->f));
	}
}

struct caller {
	const struct bad_file *f;
	int kind, result;
	__u32 spare;	/* a queue that nobody else uses */
	__u64 done_ns;
};

static void *call_thread(void *arg)
{
	struct caller *c = arg;
	struct vacc_wait_entry entry;
	__u32 x;

	switch (c->kind) {
	case 0:
		c->result = write_one(c->f);
		break;
	case 1:
		c->result = vt_context(c->f->fd, &x);
		break;
	case 2:
		c->result = bad_start(c->f, &x);
		if (!c->result) {
			c->result = vt_event_wait(c->f->fd, x, VT_PATIENCE_MS, &entry);
			if (!c->result && entry.status == VIRTIO_ACCEL_S_DEVICE_LOST)
				c->result = -EIO;
		}
		break;
	case 3:
		c->result = vt_handle(c->f->fd, VACC_QUEUE_DESTROY, c->spare);
		break;
	}
	c->done_ns = vt_now();
	return NULL;
}

/* One that does not answer at all: everybody returns, and it is reset. */
TEST_F(bad, mute)
{
	enum { CALLS = 4 };
	struct caller callers[CALLS];
	pthread_t threads[CALLS];
	__u32 spare;
	__u64 begin;
	int i;

	ASSERT_OK(vt_queue(self->f.fd, self->f.context, &spare));
	TIMEOUT("400");
	HOSTILE("mute");
	begin = vt_now();
	for (i = 0; i < CALLS; i++) {
		callers[i] = (struct caller) { .f = &self->f, .kind = i, .spare = spare };
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, call_thread, &callers[i]));
	}
	for (i = 0; i < CALLS; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(-EIO, callers[i].result) TH_LOG("caller %d", i);
		EXPECT_GT(begin + 3000000000, callers[i].done_ns) TH_LOG("caller %d", i);
	}
	HOSTILE("clear");
	EXPECT_OK(dead(&self->f));
	bad_reset(self->vdev);
	EXPECT_OK(bad_back(self->node));
}

/* Removal and unbinding do not wait for answers. */
TEST_F(bad, mute_unbind)
{
	struct caller caller = { .f = &self->f };
	pthread_t thread;
	__u64 begin;
	__u32 event;
	int i;

	ASSERT_OK(vt_control(self->node, "hold", "1"));
	for (i = 0; i < 8; i++) {
		ASSERT_OK(bad_start(&self->f, &event));
	}
	HOSTILE("mute");
	ASSERT_EQ(0, pthread_create(&thread, NULL, call_thread, &caller));
	vt_sleep_ms(100);
	begin = vt_now();
	EXPECT_OK(bad_unbind(self->vdev));
	EXPECT_GT(begin + 5000000000, vt_now());
	pthread_join(thread, NULL);
	EXPECT_GT(begin + 5000000000, caller.done_ns);
	EXPECT_TRUE(caller.result == -ENODEV || caller.result == -EIO);
	EXPECT_ERRNO(ENODEV, write_one(&self->f));
	EXPECT_ERRNO(ENOENT, vt_open_node(self->node));
	HOSTILE("clear");
	vt_release_all(self->node);
	EXPECT_OK(bad_bind(self->vdev));
	EXPECT_OK(bad_back(self->node));
}

/* An answer from before a reset completes nothing after it. */
TEST_F(bad, stale_reply)
{
	struct caller caller = { .f = &self->f };
	long long met = bad_met(self->node);
	pthread_t thread;

	HOSTILE("stale opcode=%u count=1", OP_WRITE);
	ASSERT_EQ(0, pthread_create(&thread, NULL, call_thread, &caller));
	ASSERT_OK(bad_await(self->node, met));
	/* It comes before the first answer of the new time, and breaks the ring. */
	bad_reset(self->vdev);
	pthread_join(thread, NULL);
	EXPECT_EQ(-EIO, caller.result);
	EXPECT_OK(dead(&self->f));
	bad_reset(self->vdev);
	EXPECT_OK(bad_back(self->node));
}

static void put(char *text, unsigned int at, unsigned long value, unsigned int bytes)
{
	char byte[3];

	for (; bytes--; at++, value >>= 8) {
		snprintf(byte, sizeof(byte), "%02lx", value & 0xff);
		memcpy(text + 2 * at, byte, 2);
	}
}

/* What a configuration may be, and what not: then the driver does not bind. */
TEST_F(bad, configurations)
{
	enum { REFUSED = 1 };
	/* With the shortest requests there is no room for a program. */
	const struct { unsigned int at, bytes; unsigned long value; int works; } table[] = {
		{ 0, 2, 0, REFUSED }, { 0, 2, 2, REFUSED }, { 0, 2, 0x0100, REFUSED },
		{ 2, 2, 7, 0 }, { 2, 2, 0xffff, 0 },
		{ 4, 2, 0, REFUSED }, { 4, 2, 2, REFUSED }, { 4, 2, 0xffff, REFUSED },
		{ 6, 2, 0, REFUSED }, { 6, 2, 1, REFUSED }, { 6, 2, 2, 0 }, { 6, 2, 3, 0 },
		{ 6, 2, 257, REFUSED }, { 6, 2, 0xffff, REFUSED },
		{ 8, 4, 0, REFUSED }, { 8, 4, 96, REFUSED }, { 8, 4, 97, -ENOSPC },
		{ 8, 4, 1 << 24, 0 }, { 8, 4, (1 << 24) + 1, REFUSED },
		{ 8, 4, 0xffffffff, REFUSED },
		{ 12, 4, 0, REFUSED }, { 12, 4, 91, REFUSED }, { 12, 4, 92, 0 },
		{ 12, 4, (1 << 24) + 1, REFUSED }, { 12, 4, 0xffffffff, REFUSED },
		{ 16, 4, 0xffffffff, 0 },
	};
	char good[128], lie[128];
	unsigned int i;
	int fd;

	if (is_vaccd() && strcmp(vt_kernel(), "uml"))
		SKIP(return, "QEMU asks for the configuration once");
	ASSERT_LT(0, vt_control_read(self->node, "config", good, sizeof(good)));
	good[strcspn(good, "\n")] = 0;
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		ASSERT_OK(bad_unbind(self->vdev));
		memcpy(lie, good, sizeof(lie));
		put(lie, table[i].at, table[i].value, table[i].bytes);
		ASSERT_OK(vt_control(self->node, "config", "%s", lie));
		bad_bind(self->vdev);
		fd = vt_open_node(self->node);
		EXPECT_EQ(table[i].works != REFUSED, fd >= 0)
			TH_LOG("%u: %lu at %u", i, table[i].value, table[i].at);
		if (fd >= 0) {
			close(fd);
			EXPECT_EQ(table[i].works, bad_back(self->node));
			/* While it is used a change means nothing. */
			ASSERT_OK(vt_control(self->node, "config", "default"));
			ASSERT_EQ(table[i].works, bad_back(self->node));
		} else {
			ASSERT_OK(vt_control(self->node, "config", "default"));
			ASSERT_OK(bad_bind(self->vdev));
		}
	}
}

TEST_F(bad, features)
{
	const unsigned int bits[] = { 0, 1, 2, 3, 4, 5, 23, 50, 63 };
	unsigned int i;

	if (is_vaccd())
		SKIP(return, "QEMU and UML ask for features once");
	for (i = 0; i < ARRAY_SIZE(bits); i++) {
		ASSERT_OK(bad_unbind(self->vdev));
		ASSERT_OK(vt_control(self->node, "features", "%#llx", 1ULL << bits[i]));
		EXPECT_GT(0, bad_bind(self->vdev));
		EXPECT_ERRNO(ENOENT, vt_open_node(self->node)) TH_LOG("bit %u", bits[i]);
		ASSERT_OK(vt_control(self->node, "features", "0"));
		ASSERT_OK(bad_bind(self->vdev));
		ASSERT_OK(bad_back(self->node));
	}
}

/* A device that does not say what it is gets no node. */
TEST_F(bad, no_info)
{
	static const char * const lies[] = {
		"status value=5", "used_length value=91", "used_length value=16",
		"used_id value=300", "payload_length value=75", "request_id value=0",
		"flags value=1", "mute",
	};
	unsigned int i;

	TIMEOUT("400");
	for (i = 0; i < ARRAY_SIZE(lies); i++) {
		ASSERT_OK(bad_unbind(self->vdev));
		HOSTILE("%s opcode=%u", lies[i], VIRTIO_ACCEL_OP_GET_DEVICE_INFO);
		EXPECT_GT(0, bad_bind(self->vdev)) TH_LOG("%s", lies[i]);
		EXPECT_ERRNO(ENOENT, vt_open_node(self->node)) TH_LOG("%s", lies[i]);
		HOSTILE("clear");
		ASSERT_OK(bad_bind(self->vdev));
		ASSERT_OK(bad_back(self->node));
	}
}

/* Sleep with nothing and with much to do. */
TEST_F(bad, freeze)
{
	struct vacc_wait_entry entry;
	__u32 events[16];
	__u64 begin;
	int i, r;

	if (is_vaccd())
		SKIP(return, "only a device of loopback is put to sleep alone");
	r = vt_control(self->node, "freeze", "1");
	if (r == -ENOENT)
		SKIP(return, "this kernel does not sleep (CONFIG_PM_SLEEP)");
	EXPECT_OK(r);
	EXPECT_OK(dead(&self->f));
	EXPECT_ERRNO(ENODEV, vt_control(self->node, "freeze", "1"));
	EXPECT_OK(vt_control(self->node, "restore", "1"));
	EXPECT_OK(bad_back(self->node));
	close(self->f.fd);

	ASSERT_OK(bad_open(self->node, &self->f));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	for (i = 0; i < 16; i++) {
		ASSERT_OK(bad_start(&self->f, &events[i]));
	}
	begin = vt_now();
	EXPECT_OK(vt_control(self->node, "freeze", "1"));
	EXPECT_GT(begin + 4000000000, vt_now());
	r = vt_event_wait(self->f.fd, events[15], 0, &entry);
	EXPECT_EQ(-EIO, r);
	EXPECT_OK(dead(&self->f));
	vt_release_all(self->node);
	EXPECT_OK(vt_control(self->node, "restore", "1"));
	EXPECT_OK(bad_back(self->node));

	/* What cannot be woken up can be removed. */
	EXPECT_OK(vt_control(self->node, "freeze", "1"));
	ASSERT_OK(vt_control(self->node, "config", "0000"));
	EXPECT_GT(0, vt_control(self->node, "restore", "1"));
	EXPECT_ERRNO(ENOENT, vt_open_node(self->node));
	EXPECT_OK(bad_unbind(self->vdev));
	ASSERT_OK(vt_control(self->node, "config", "default"));
	EXPECT_OK(bad_bind(self->vdev));
	EXPECT_OK(bad_back(self->node));
}

TEST_HARNESS_MAIN
