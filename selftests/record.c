// SPDX-License-Identifier: GPL-2.0
/* Completion records: read(2), poll(2) and epoll on the device file. */
#include <sys/epoll.h>
#include "vacc_test.h"

#define BYTES	64
#define SIZE	48	/* of a record */

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

/* Work that leaves a record; the handle goes to @event. */
static int start(struct work *w, __u64 user_data, __u32 flags, __u32 *event)
{
	struct vacc_submit s = vt_submit_desc(w->queue, w->fill, &w->bind, 1);
	int r;

	s.flags = VACC_SUBMIT_RECORD | flags;
	s.user_data = user_data;
	r = vt_submit(w->fd, &s);
	if (event)
		*event = s.event;
	return r;
}

static void nonblock(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

static int ready(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };

	return poll(&p, 1, 0) < 0 ? -errno : p.revents;
}

static int readable_soon(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, VT_PATIENCE_MS) == 1 && p.revents & POLLIN;
}

TEST_F(dev, too_small)
{
	struct vacc_record record;
	struct work w;
	size_t n;

	ASSERT_EQ(SIZE, sizeof(record));
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	/* Without one to read, and with. */
	for (n = 0; n < sizeof(record); n++) {
		ASSERT_EQ(-1, read(self->fd, &record, n));
		ASSERT_EQ(EINVAL, errno);
	}
	ASSERT_OK(start(&w, 1, 0, NULL));
	ASSERT_EQ(1, readable_soon(self->fd));
	for (n = 0; n < sizeof(record); n++) {
		ASSERT_EQ(-1, read(self->fd, &record, n));
		ASSERT_EQ(EINVAL, errno);
	}
	EXPECT_EQ(1, vt_read_records(self->fd, &record, 1));
}

TEST_F(dev, nonblock)
{
	struct vacc_record records[2];
	struct work w;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	nonblock(self->fd, true);
	EXPECT_ERRNO(EAGAIN, vt_read_records(self->fd, records, 2));
	EXPECT_EQ(POLLOUT, ready(self->fd));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(start(&w, 1, 0, NULL));
	EXPECT_ERRNO(EAGAIN, vt_read_records(self->fd, records, 2));
	vt_release_all(self->node);
	ASSERT_EQ(1, readable_soon(self->fd));
	EXPECT_EQ(1, vt_read_records(self->fd, records, 2));
	EXPECT_ERRNO(EAGAIN, vt_read_records(self->fd, records, 2));
	/* An event that does not ask leaves none. */
	EXPECT_OK(vt_run(self->fd, w.queue, w.fill, &w.bind, 1));
	EXPECT_ERRNO(EAGAIN, vt_read_records(self->fd, records, 2));
	EXPECT_EQ(POLLOUT, ready(self->fd));
}

/* Every field, for each end of an event. */
TEST_F(dev, fields)
{
	const struct { __u32 state, status; } ends[] = {
		{ VACC_EVENT_COMPLETE, VIRTIO_ACCEL_S_OK },
		{ VACC_EVENT_FAILED, VIRTIO_ACCEL_S_OUT_OF_MEMORY },
		{ VACC_EVENT_CANCELLED, VIRTIO_ACCEL_S_OK },
		{ VACC_EVENT_FAILED, VIRTIO_ACCEL_S_DEADLINE_EXPIRED },
		{ VACC_EVENT_FAILED, VIRTIO_ACCEL_S_DEVICE_LOST },
	};
	struct vacc_record record;
	struct vacc_submit s;
	struct work w;
	unsigned int i;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		s = vt_submit_desc(w.queue, w.fill, &w.bind, 1);
		s.flags = VACC_SUBMIT_RECORD;
		s.user_data = 0x123456789abcdef0ULL + i;
		s.timeout_ns = i == 3 ? 20000000 : 0;
		ASSERT_OK(vt_submit(self->fd, &s));
		if (i == 0) {
			ASSERT_OK(vt_control(self->node, "complete", "%u", s.event));
		}
		if (i == 1) {
			ASSERT_OK(vt_control(self->node, "fail", "%u %u", s.event,
					     ends[i].status));
		}
		if (i == 2) {
			ASSERT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, s.event));
		}
		if (i == 4) {
			ASSERT_OK(vt_control(self->node, "lose", "%u", s.event));
		}
		memset(&record, 0xff, sizeof(record));
		ASSERT_EQ(1, vt_read_records(self->fd, &record, 1));
		EXPECT_EQ(VACC_RECORD_EVENT, record.type);
		EXPECT_EQ(sizeof(record), record.length);
		EXPECT_EQ(s.user_data, record.user_data);
		EXPECT_EQ(s.event, record.event);
		EXPECT_EQ(ends[i].state, record.state) TH_LOG("end %u", i);
		EXPECT_EQ(ends[i].status, record.status) TH_LOG("end %u", i);
		EXPECT_EQ(0, record.start_ns);
		EXPECT_EQ(0, record.end_ns);
		EXPECT_EQ((int)ends[i].state, vt_state(self->fd, s.event));
	}
}

/* As many whole records as fit, in the order in which the events ended. */
TEST_F(dev, whole_records_in_order)
{
	const int order[] = { 2, 0, 4, 1, 3 };
	struct vacc_record records[6];
	char *bytes = (char *)records;
	__u32 events[5];
	struct work w;
	int i;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	for (i = 0; i < 5; i++) {
		ASSERT_OK(start(&w, i, 0, &events[i]));
	}
	for (i = 0; i < 5; i++) {
		ASSERT_OK(vt_control(self->node, "complete", "%u", events[order[i]]));
		ASSERT_OK(vt_event_wait(self->fd, events[order[i]], VT_PATIENCE_MS, NULL));
	}
	memset(records, 0xee, sizeof(records));
	ASSERT_EQ(2 * SIZE, read(self->fd, records, 3 * SIZE - 1));
	for (i = 2 * SIZE; i < 3 * SIZE; i++) {
		ASSERT_EQ((char)0xee, bytes[i]);
	}
	ASSERT_EQ(3 * SIZE, read(self->fd, records + 2, 4 * SIZE));
	for (i = 0; i < 5; i++) {
		EXPECT_EQ(order[i], (int)records[i].user_data);
		EXPECT_EQ(events[order[i]], records[i].event);
	}
	nonblock(self->fd, true);
	EXPECT_ERRNO(EAGAIN, vt_read_records(self->fd, records, 1));
}

struct reader {
	int fd, result;
	struct vacc_record record;
	__u64 done_ns;
	volatile int tid;
};

static void *read_one(void *arg)
{
	struct reader *r = arg;

	r->tid = syscall(SYS_gettid);
	r->result = vt_read_records(r->fd, &r->record, 1);
	r->done_ns = vt_now();
	return NULL;
}

TEST_F(dev, blocking_read_is_woken)
{
	struct reader reader = { .fd = self->fd };
	pthread_t thread;
	struct work w;
	__u32 event;
	__u64 before;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(start(&w, 77, 0, &event));
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_one, &reader));
	vt_sleep_ms(100);
	before = vt_now();
	ASSERT_OK(vt_control(self->node, "complete", "%u", event));
	pthread_join(thread, NULL);
	EXPECT_EQ(1, reader.result);
	EXPECT_LE(before, reader.done_ns);
	EXPECT_EQ(77, reader.record.user_data);
}

static void ignore(int sig)
{
	(void)sig;
}

/* EINTR; with SA_RESTART the call goes on. */
TEST_F(dev, signals)
{
	struct sigaction sa = { .sa_handler = ignore };
	struct reader reader = { .fd = self->fd };
	pthread_t thread;
	struct work w;
	__u32 event;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(start(&w, 5, 0, &event));
	ASSERT_EQ(0, sigaction(SIGUSR1, &sa, NULL));
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_one, &reader));
	vt_sleep_ms(100);
	ASSERT_EQ(0, pthread_kill(thread, SIGUSR1));
	pthread_join(thread, NULL);
	EXPECT_ERRNO(EINTR, reader.result);

	sa.sa_flags = SA_RESTART;
	ASSERT_EQ(0, sigaction(SIGUSR1, &sa, NULL));
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_one, &reader));
	vt_sleep_ms(100);
	ASSERT_EQ(0, pthread_kill(thread, SIGUSR1));
	vt_sleep_ms(50);
	ASSERT_OK(vt_control(self->node, "complete", "%u", event));
	pthread_join(thread, NULL);
	EXPECT_EQ(1, reader.result);
	EXPECT_EQ(5, reader.record.user_data);
}

/* Memory that cannot be written: EFAULT, or what came before; nothing is lost. */
TEST_F(dev, bad_memory)
{
	struct vacc_record *records;
	char *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct work w;
	int i;

	ASSERT_NE(MAP_FAILED, (void *)map);
	ASSERT_EQ(0, mprotect(map + 4096, 4096, PROT_READ));
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	for (i = 0; i < 3; i++) {
		ASSERT_OK(start(&w, i, 0, NULL));
		ASSERT_OK(vt_queue_sync(self->fd, w.queue, vt_deadline(VT_PATIENCE_MS), NULL));
	}
	ASSERT_EQ(1, readable_soon(self->fd));
	EXPECT_ERRNO(EFAULT, vt_read_records(self->fd, NULL, 3));
	EXPECT_ERRNO(EFAULT, vt_read_records(self->fd, (void *)(map + 4096), 3));
	/* The second of three begins in bad memory, or reaches it. */
	records = (void *)(map + 4096 - 60);
	EXPECT_EQ(1, vt_read_records(self->fd, records, 3));
	EXPECT_EQ(0, records->user_data);
	records = (void *)(map + 4096 - SIZE);
	EXPECT_EQ(1, vt_read_records(self->fd, records, 2));
	EXPECT_EQ(1, records->user_data);
	EXPECT_EQ(1, vt_read_records(self->fd, records, 1));
	EXPECT_EQ(2, records->user_data);
	munmap(map, 8192);
}

/* The handle goes, the record does not. */
TEST_F(dev, auto_destroy_loses_none)
{
	const unsigned int n = vt_scale(2000) < 200 ? 200 : vt_scale(2000);
	struct vacc_record record;
	unsigned char *seen = calloc(n, 1);
	struct vacc_stats stats;
	struct work w;
	unsigned int i;

	ASSERT_NE(NULL, seen);
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	for (i = 0; i < n; i++) {
		ASSERT_OK(start(&w, i, VACC_SUBMIT_AUTO_DESTROY, NULL));
	}
	ASSERT_OK(vt_queue_sync(self->fd, w.queue, vt_deadline(VT_PATIENCE_MS), NULL));
	for (i = 0; i < n; i++) {
		ASSERT_EQ(1, vt_read_records(self->fd, &record, 1));
		ASSERT_EQ(VACC_EVENT_COMPLETE, record.state);
		ASSERT_GT(n, record.user_data);
		ASSERT_EQ(0, seen[record.user_data]++);
	}
	ASSERT_OK(vt_get_stats(self->fd, &stats));
	EXPECT_EQ(self->before.live.events, stats.live.events);
	free(seen);
}

/* Room is taken at submit, and given back by read(2) and by refusals. */
TEST_F(dev, room)
{
	struct vacc_record records[4];
	struct vacc_binding bad;
	struct vacc_submit s;
	struct work w;
	char old[32];
	__u32 event;
	int i;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_parameter("virtio_accel", "max_inflight", old, "4"));
	bad = w.bind;
	bad.slot = 9;
	for (i = 0; i < 4; i++) {
		s = vt_submit_desc(w.queue, w.fill, &bad, 1);
		s.flags = VACC_SUBMIT_RECORD;
		EXPECT_ERRNO(ENOEXEC, vt_submit(self->fd, &s));
		EXPECT_OK(start(&w, i, 0, &event));
		EXPECT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
	}
	ASSERT_OK(vt_queue_sync(self->fd, w.queue, vt_deadline(VT_PATIENCE_MS), NULL));
	EXPECT_ERRNO(EAGAIN, start(&w, 4, 0, &event));
	EXPECT_EQ(POLLIN, ready(self->fd));
	/* It is the record that has no room. */
	EXPECT_OK(vt_run(self->fd, w.queue, w.fill, &w.bind, 1));
	EXPECT_EQ(1, vt_read_records(self->fd, records, 1));
	EXPECT_EQ(POLLIN | POLLOUT, ready(self->fd));
	EXPECT_OK(start(&w, 4, 0, &event));
	EXPECT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
	EXPECT_EQ(4, vt_read_records(self->fd, records, 4));
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(i + 1, (int)records[i].user_data);
	}
	EXPECT_EQ(POLLOUT, ready(self->fd));
	ASSERT_OK(vt_parameter("virtio_accel", "max_inflight", NULL, old));
}

static void *complete_soon(void *arg)
{
	vt_sleep_ms(50);
	vt_control(*(int *)arg, "complete", "all");
	return NULL;
}

/* POLLIN as long as there is one to read; an edge for each that comes. */
TEST_F(dev, poll_and_epoll)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLET };
	int level = epoll_create1(EPOLL_CLOEXEC), edge = epoll_create1(EPOLL_CLOEXEC);
	struct vacc_record record;
	pthread_t thread;
	struct work w;

	ASSERT_LE(0, level);
	ASSERT_LE(0, edge);
	ASSERT_EQ(0, epoll_ctl(edge, EPOLL_CTL_ADD, self->fd, &e));
	e.events = EPOLLIN;
	ASSERT_EQ(0, epoll_ctl(level, EPOLL_CTL_ADD, self->fd, &e));
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(start(&w, 0, 0, NULL));
	EXPECT_EQ(POLLOUT, ready(self->fd));
	EXPECT_EQ(0, epoll_wait(level, &e, 1, 20));
	EXPECT_EQ(0, epoll_wait(edge, &e, 1, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, complete_soon, &self->node));
	EXPECT_EQ(1, epoll_wait(edge, &e, 1, VT_PATIENCE_MS));
	EXPECT_EQ(EPOLLIN, e.events);
	pthread_join(thread, NULL);
	vt_sleep_ms(20);
	while (epoll_wait(edge, &e, 1, 0) == 1)
		;
	/* The level stays, the edge does not come again. */
	EXPECT_EQ(1, epoll_wait(level, &e, 1, 0));
	EXPECT_EQ(1, epoll_wait(level, &e, 1, 0));
	EXPECT_EQ(0, epoll_wait(edge, &e, 1, 20));
	ASSERT_OK(start(&w, 1, 0, NULL));
	ASSERT_EQ(0, pthread_create(&thread, NULL, complete_soon, &self->node));
	EXPECT_EQ(1, epoll_wait(edge, &e, 1, VT_PATIENCE_MS));
	pthread_join(thread, NULL);
	EXPECT_EQ(1, vt_read_records(self->fd, &record, 1));
	EXPECT_EQ(1, epoll_wait(level, &e, 1, 0));
	EXPECT_EQ(1, vt_read_records(self->fd, &record, 1));
	EXPECT_EQ(0, epoll_wait(level, &e, 1, 0));
	close(level);
	close(edge);
}

/* Unread ones, and those of what is pending, go with the file. */
TEST_F(dev, close_with_unread_records)
{
	__u32 context, queue;
	struct work w;
	int fd, round, i;

	for (round = 0; round < 20; round++) {
		fd = vt_open_node(self->node);
		ASSERT_LE(0, fd);
		ASSERT_OK(vt_context(fd, &context));
		ASSERT_OK(vt_queue(fd, context, &queue));
		ASSERT_OK(make(fd, context, queue, &w));
		for (i = 0; i < 8; i++) {
			ASSERT_OK(start(&w, i, i % 2 ? VACC_SUBMIT_AUTO_DESTROY : 0, NULL));
		}
		ASSERT_OK(vt_queue_sync(fd, queue, vt_deadline(VT_PATIENCE_MS), NULL));
		ASSERT_OK(vt_control(self->node, "hold", "1"));
		for (i = 0; i < 8; i++) {
			ASSERT_OK(start(&w, i, i % 2 ? VACC_SUBMIT_AUTO_DESTROY : 0, NULL));
		}
		ASSERT_EQ(0, close(fd));
		vt_release_all(self->node);
	}
	EXPECT_OK(vt_settle(self->fd, NULL));
}

/* The device goes: what is left is read, then it is ENODEV. */
TEST_F(dev, unplug)
{
	struct vacc_record records[8];
	struct reader reader;
	__u32 context, queue, event, lost = 0;
	pthread_t thread;
	struct work w;
	int node = vt_mock_add(), fd, i;

	ASSERT_LE(0, node);
	fd = vt_open_node(node);
	ASSERT_LE(0, fd);
	ASSERT_OK(vt_context(fd, &context));
	ASSERT_OK(vt_queue(fd, context, &queue));
	ASSERT_OK(make(fd, context, queue, &w));
	ASSERT_OK(start(&w, 100, 0, &event));
	ASSERT_OK(vt_event_wait(fd, event, VT_PATIENCE_MS, NULL));
	ASSERT_EQ(1, readable_soon(fd));
	ASSERT_OK(vt_control(node, "hold", "1"));
	for (i = 0; i < 3; i++) {
		ASSERT_OK(start(&w, i, i % 2 ? VACC_SUBMIT_AUTO_DESTROY : 0, NULL));
	}
	ASSERT_OK(vt_mock_remove(node));
	EXPECT_EQ(POLLIN | POLLERR | POLLHUP, ready(fd));
	ASSERT_EQ(4, vt_read_records(fd, records, 8));
	EXPECT_EQ(100, records[0].user_data);
	EXPECT_EQ(VACC_EVENT_COMPLETE, records[0].state);
	for (i = 1; i < 4; i++) {
		EXPECT_EQ(VACC_EVENT_FAILED, records[i].state);
		EXPECT_EQ(VIRTIO_ACCEL_S_DEVICE_LOST, records[i].status);
		lost |= 1 << records[i].user_data;
	}
	EXPECT_EQ(7, lost);
	EXPECT_EQ(POLLERR | POLLHUP, ready(fd));
	EXPECT_ERRNO(ENODEV, vt_read_records(fd, records, 8));
	nonblock(fd, true);
	EXPECT_ERRNO(ENODEV, vt_read_records(fd, records, 8));
	EXPECT_EQ(-1, read(fd, records, 8));
	EXPECT_EQ(EINVAL, errno);
	close(fd);

	/* A reader that waits gets the same: a record where one comes, else the end. */
	for (i = 0; i < 2; i++) {
		node = vt_mock_add();
		ASSERT_LE(0, node);
		fd = vt_open_node(node);
		ASSERT_LE(0, fd);
		ASSERT_OK(vt_context(fd, &context));
		ASSERT_OK(vt_queue(fd, context, &queue));
		ASSERT_OK(make(fd, context, queue, &w));
		ASSERT_OK(vt_control(node, "hold", "1"));
		if (i) {
			ASSERT_OK(start(&w, 9, 0, NULL));
		}
		reader = (struct reader) { .fd = fd };
		ASSERT_EQ(0, pthread_create(&thread, NULL, read_one, &reader));
		vt_sleep_ms(100);
		ASSERT_OK(vt_mock_remove(node));
		pthread_join(thread, NULL);
		EXPECT_EQ(i ? 1 : -ENODEV, reader.result);
		if (i) {
			EXPECT_EQ(9, reader.record.user_data);
			EXPECT_EQ(VIRTIO_ACCEL_S_DEVICE_LOST, reader.record.status);
		}
		close(fd);
	}
}

struct reap {
	int fd;
	unsigned int total;
	unsigned char *seen;
	unsigned int *count;
	unsigned int bad;
};

/* Reads until each record was seen; several of them may. */
static void *reap(void *arg)
{
	struct vacc_record records[32];
	struct epoll_event e = { .events = EPOLLIN };
	struct reap *r = arg;
	int ep = epoll_create1(EPOLL_CLOEXEC), n, i;

	if (ep < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, r->fd, &e)) {
		r->bad++;
		return NULL;
	}
	while (__atomic_load_n(r->count, __ATOMIC_SEQ_CST) < r->total) {
		if (epoll_wait(ep, &e, 1, 100) < 1)
			continue;
		n = vt_read_records(r->fd, records, ARRAY_SIZE(records));
		if (n < 0) {
			r->bad += n != -EAGAIN;
			continue;
		}
		for (i = 0; i < n; i++) {
			if (records[i].user_data >= r->total ||
			    records[i].state != VACC_EVENT_COMPLETE ||
			    __atomic_fetch_add(&r->seen[records[i].user_data], 1,
					       __ATOMIC_SEQ_CST))
				r->bad++;
		}
		__atomic_fetch_add(r->count, n, __ATOMIC_SEQ_CST);
	}
	close(ep);
	return NULL;
}

/* Many fills on eight queues, reaped through epoll and read(2) as they end. */
TEST_F_TIMEOUT(dev, ten_thousand_fills, 600)
{
	unsigned int total = vt_scale(10000), count = 0, i, q;
	struct pollfd p = { .fd = self->fd, .events = POLLOUT };
	struct reap reapers[2];
	pthread_t threads[2];
	struct vacc_queue_query query;
	struct work works[8];
	unsigned char *seen = calloc(total, 1);
	__u32 queue;
	int r;

	ASSERT_NE(NULL, seen);
	for (q = 0; q < 8; q++) {
		ASSERT_OK(vt_queue(self->fd, self->context, &queue));
		ASSERT_OK(make(self->fd, self->context, queue, &works[q]));
	}
	nonblock(self->fd, true);
	for (i = 0; i < 2; i++) {
		reapers[i] = (struct reap) { self->fd, total, seen, &count, 0 };
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, reap, &reapers[i]));
	}
	for (i = 0; i < total; i++) {
		do {
			r = start(&works[i % 8], i, VACC_SUBMIT_AUTO_DESTROY, NULL);
			if (r == -EAGAIN)
				poll(&p, 1, 10);
		} while (r == -EAGAIN);
		ASSERT_OK(r);
	}
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(0, reapers[0].bad);
	EXPECT_EQ(0, reapers[1].bad);
	EXPECT_EQ(total, count);
	for (i = 0; i < total; i++) {
		ASSERT_EQ(1, seen[i]);
	}
	for (q = 0; q < 8; q++) {
		ASSERT_OK(vt_queue_query(self->fd, works[q].queue, &query));
		EXPECT_EQ((total - q + 7) / 8, query.completed);
		EXPECT_EQ(0, query.pending);
		EXPECT_EQ(1, vt_all(self->fd, works[q].buffer, 0, 0xa5, BYTES));
	}
	free(seen);
}

/* Who reads a record can destroy its event, also while that is being submitted. */
struct destroyer {
	int fd;
	unsigned int total, bad;
};

static void *destroy_what_has_ended(void *arg)
{
	struct destroyer *d = arg;
	struct vacc_record record;
	unsigned int i;

	for (i = 0; i < d->total; i++)
		d->bad += vt_read_records(d->fd, &record, 1) != 1 ||
			  vt_handle(d->fd, VACC_EVENT_DESTROY, record.event);
	return NULL;
}

TEST_F(dev, destroy_what_was_read)
{
	struct destroyer d = { .fd = self->fd, .total = vt_scale(5000) };
	pthread_t thread;
	struct work w;
	unsigned int i;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_EQ(0, pthread_create(&thread, NULL, destroy_what_has_ended, &d));
	for (i = 0; i < d.total; i++) {
		ASSERT_OK(start(&w, i, 0, NULL));
	}
	pthread_join(thread, NULL);
	EXPECT_EQ(0, d.bad);
}

TEST_HARNESS_MAIN
