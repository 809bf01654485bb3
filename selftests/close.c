// SPDX-License-Identifier: GPL-2.0
/* Closing files with work in flight.  That nothing is left is the fixture's test. */
#include <sys/socket.h>
#include "vacc_test.h"

struct work {
	int fd;
	__u32 context, queue, buffer, fill;
	struct vacc_binding bind;
};

static int make(int fd, __u64 bytes, struct work *w)
{
	int r = vt_context(fd, &w->context) ?: vt_queue(fd, w->context, &w->queue) ?:
		vt_buffer(fd, w->context, bytes, VT_USAGE_ALL, &w->buffer) ?:
		vt_load_fill(fd, w->context, 0x5a, &w->fill);

	w->fd = fd;
	w->bind = vt_bind(w->buffer, 0, VT_WRITE, 0, bytes);
	return r;
}

static int start(struct work *w, __u32 *event)
{
	return vt_start(w->fd, w->queue, w->fill, &w->bind, 1, event);
}

static void spin_us(unsigned int us)
{
	__u64 end = vt_now() + us * 1000ULL;

	while (vt_now() < end)
		;
}

/* Close with held work: it is cancelled, and does not run. */
TEST_F(dev, held_work_is_cancelled)
{
	struct vacc_stats before, after;
	unsigned char *map = MAP_FAILED;
	struct vacc_buffer_query q;
	struct work w;
	__u32 event;
	int fd, i;

	ASSERT_OK(vt_get_stats(self->fd, &before));
	fd = vt_open_node(self->node);
	ASSERT_LE(0, fd);
	ASSERT_OK(make(fd, 4096, &w));
	if (self->info.features & VACC_FEATURE_MMAP) {
		ASSERT_OK(vt_buffer_query(fd, w.buffer, &q));
		map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, q.mmap_offset);
		ASSERT_NE(MAP_FAILED, (void *)map);
	}
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	for (i = 0; i < 8; i++) {
		ASSERT_OK(start(&w, &event));
	}
	/* A mapping keeps the file open: look at the memory, let it go. */
	if (map != MAP_FAILED) {
		EXPECT_EQ(0, map[0]);
		munmap(map, 4096);
	}
	close(fd);
	for (i = 0; i < 500; i++) {
		ASSERT_OK(vt_get_stats(self->fd, &after));
		if (after.cancelled == before.cancelled + 8)
			break;
		vt_sleep_ms(10);
	}
	EXPECT_EQ(before.cancelled + 8, after.cancelled);
	EXPECT_EQ(before.commands, after.commands);
	EXPECT_EQ(before.completed, after.completed);
	EXPECT_OK(vt_settle(self->fd, NULL));
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(0, memcmp(&before.live, &after.live, sizeof(before.live)));
	EXPECT_EQ(before.live_bytes, after.live_bytes);
}

/* Close again and again, 0 to 200 us after the last submission. */
TEST_F_TIMEOUT(dev, at_any_moment, 600)
{
	unsigned int i, j, n = vt_scale(10000), seed = 1;
	struct vacc_stats stats;
	struct work w;
	__u32 event;
	int fd;

	for (i = 0; i < n; i++) {
		fd = vt_open_node(self->node);
		ASSERT_LE(0, fd);
		ASSERT_OK(make(fd, i % 5 ? 64 : 1 << 20, &w));
		for (j = 0; j < 1 + i % 4; j++) {
			ASSERT_OK(start(&w, &event));
		}
		seed = seed * 1103515245 + 12345;
		spin_us((seed >> 16) % 201);
		close(fd);
	}
	ASSERT_OK(vt_settle(self->fd, NULL));
	ASSERT_OK(vt_get_stats(self->fd, &stats));
	EXPECT_EQ(stats.submitted, stats.completed + stats.failed + stats.cancelled);
}

/* Close while something long executes: it stops, long before it would be done. */
TEST_F(dev, running_work_is_aborted)
{
	const __u64 bytes = 16 << 20;
	struct vacc_stats before, after;
	struct vt_batch b = {};
	struct work w;
	__u32 program, event, commands, i;
	__u64 start_ns;
	int fd;

	ASSERT_OK(vt_get_stats(self->fd, &before));
	fd = vt_open_node(self->node);
	ASSERT_LE(0, fd);
	ASSERT_OK(make(fd, bytes, &w));
	vt_batch_slot(&b, 0, VT_READ_WRITE, bytes);
	/*
	 * Over the wire what has begun cannot be aborted: it is shorter there, and once more
	 * where an emulated machine checks each access.
	 */
	commands = self->info.backend == VACC_BACKEND_VIRTIO ? VT_BATCH_MAX / 8 : VT_BATCH_MAX;
	if (commands < VT_BATCH_MAX && !strcmp(vt_kernel(), "debug"))
		commands = 1;
	for (i = 0; i < commands; i++)
		vt_batch_set(&b, VACC_BATCH_OP_XOR, 0, 0, bytes, 0x0f);
	ASSERT_OK(vt_load_batch(fd, w.context, &b, &program));
	w.bind.access = VT_READ_WRITE;
	/* 64 GiB in all, or 8, or 1 */
	for (i = 0; i < 64; i++) {
		ASSERT_OK(vt_start(fd, w.queue, program, &w.bind, 1, &event));
	}
	vt_sleep_ms(20);
	start_ns = vt_now();
	close(fd);
	EXPECT_GT(1000000000, vt_now() - start_ns);	/* close does not wait */
	EXPECT_OK(vt_settle(self->fd, NULL));
	EXPECT_GT(5000000000, vt_now() - start_ns);
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(before.submitted + 64, after.submitted);
	EXPECT_LE(before.cancelled + 32, after.cancelled);
}

static void *submit_for_ever(void *arg)
{
	struct work *w = arg;
	struct vacc_submit s = vt_submit_desc(w->queue, w->fill, &w->bind, 1);

	int r = 0;

	s.flags = VACC_SUBMIT_AUTO_DESTROY;
	while (!r || r == -EAGAIN)
		r = vt_submit(w->fd, &s);
	return NULL;
}

static void *wait_for_ever(void *arg)
{
	struct work *w = arg;
	__u32 event;

	if (!start(w, &event))
		vt_event_wait(w->fd, event, 1000000, NULL);
	return NULL;
}

/* A process with 8 busy threads exits, or is killed. */
TEST_F(dev, exit_of_threads)
{
	unsigned int round, n = vt_scale(100), i;
	int status;

	for (round = 0; round < n; round++) {
		bool kill_it = round % 2;
		pid_t child = fork();

		ASSERT_LE(0, child);
		if (!child) {
			pthread_t thread;
			struct work w;
			int fd = vt_open_node(self->node);

			if (fd < 0 || make(fd, 4096, &w))
				_exit(1);
			for (i = 0; i < 8; i++)
				if (pthread_create(&thread, NULL, submit_for_ever, &w))
					_exit(2);
			vt_sleep_ms(kill_it ? 60000 : 10);
			_exit(0);
		}
		if (kill_it) {
			vt_sleep_ms(20);
			kill(child, SIGKILL);
		}
		ASSERT_EQ(child, waitpid(child, &status, 0));
		if (kill_it) {
			EXPECT_TRUE(WIFSIGNALED(status));
		} else {
			EXPECT_EQ(0, status);
		}
	}
	EXPECT_OK(vt_settle(self->fd, NULL));
}

/* A killed waiter dies at once, whatever it waits for. */
TEST_F(dev, killed_waiters)
{
	__u64 before;
	pid_t child;
	int status, i;

	ASSERT_OK(vt_control(self->node, "hold", "1"));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		pthread_t thread;
		struct work w;
		int fd = vt_open_node(self->node);

		if (fd < 0 || make(fd, 4096, &w))
			_exit(1);
		for (i = 0; i < 4; i++)
			pthread_create(&thread, NULL, wait_for_ever, &w);
		vt_sleep_ms(50);
		vt_queue_sync(fd, w.queue, VACC_NO_DEADLINE, NULL);
		_exit(2);
	}
	vt_sleep_ms(200);
	before = vt_now();
	kill(child, SIGKILL);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_GT(1000000000, vt_now() - before);
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	EXPECT_OK(vt_settle(self->fd, NULL));
}

static int send_fd(int sock, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = "";
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(int));
	return sendmsg(sock, &msg, 0) == 1 ? 0 : -errno;
}

static int receive_fd(int sock)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	int fd;

	if (recvmsg(sock, &msg, 0) != 1 || !CMSG_FIRSTHDR(&msg))
		return -EIO;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(int));
	return fd;
}

/* The descriptor goes over a socket, and is used and closed last over there. */
TEST_F(dev, passed_over_a_socket)
{
	struct vacc_stats stats;
	int pair[2], fd, status;
	struct work w;
	pid_t child;
	__u32 event;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	fd = vt_open_node(self->node);
	ASSERT_LE(0, fd);
	ASSERT_OK(make(fd, 64, &w));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(start(&w, &event));
	ASSERT_OK(send_fd(pair[0], fd));
	close(fd);
	/* In flight in the socket it is alive. */
	vt_sleep_ms(50);
	ASSERT_OK(vt_get_stats(self->fd, &stats));
	EXPECT_EQ(self->before.live.events + 1, stats.live.events);
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		int got = receive_fd(pair[1]);

		if (got < 0 || vt_state(got, event) != VACC_EVENT_PENDING)
			_exit(1);
		vt_release_all(self->node);
		if (vt_event_wait(got, event, VT_PATIENCE_MS, NULL) ||
		    vt_all(got, w.buffer, 0, 0x5a, 64) != 1)
			_exit(2);
		vt_control(self->node, "hold", "1");
		w.fd = got;
		_exit(start(&w, &event) ? 3 : 0);	/* and it is closed with that pending */
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	/* One that is never received goes with its socket. */
	fd = vt_open_node(self->node);
	ASSERT_LE(0, fd);
	ASSERT_OK(make(fd, 64, &w));
	ASSERT_OK(start(&w, &event));
	ASSERT_OK(send_fd(pair[0], fd));
	close(fd);
	close(pair[0]);
	close(pair[1]);
	EXPECT_OK(vt_settle(self->fd, NULL));
}

/* 10 000 times open, submit, close: then nothing is live, and no byte is charged. */
TEST_F_TIMEOUT(dev, loops_leave_nothing, 600)
{
	struct vacc_object_counts none = {};
	unsigned int i, n = vt_scale(10000);
	struct vacc_stats stats;
	struct work w;
	__u32 event;

	close(self->fd);
	for (i = 0; i < n; i++) {
		self->fd = vt_open_node(self->node);
		ASSERT_LE(0, self->fd);
		ASSERT_OK(make(self->fd, 64, &w));
		ASSERT_OK(start(&w, &event));
		close(self->fd);
	}
	self->fd = vt_open_node(self->node);
	ASSERT_LE(0, self->fd);
	ASSERT_OK(vt_settle(self->fd, NULL));
	ASSERT_OK(vt_get_stats(self->fd, &stats));
	EXPECT_EQ(0, memcmp(&none, &stats.live, sizeof(none)));
	EXPECT_EQ(0, memcmp(&none, &stats.zombie, sizeof(none)));
	EXPECT_EQ(0, stats.live_bytes);
	EXPECT_EQ(0, stats.scratch_bytes);
	EXPECT_EQ(0, stats.live_allocations);
	EXPECT_EQ(stats.submitted, stats.completed + stats.failed + stats.cancelled);
}

TEST_HARNESS_MAIN
