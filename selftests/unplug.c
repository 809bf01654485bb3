// SPDX-License-Identifier: GPL-2.0
/*
 * Devices that go while they are used.  Each test adds one of its own and removes
 * it; the fixture's device must not notice.
 */
#include "gate.h"
#include "vacc_test.h"

struct work {
	int fd;
	__u32 context, queue, buffer, fill;
	__u64 offset;
	struct vacc_binding bind;
};

static int make(int fd, struct work *w)
{
	struct vacc_buffer_create desc;
	int r = vt_context(fd, &w->context) ?: vt_queue(fd, w->context, &w->queue) ?:
		vt_load_fill(fd, w->context, 0x5a, &w->fill);

	w->fd = fd;
	desc = vt_buffer_desc(w->context, 8192, VT_USAGE_ALL);
	r = r ?: vt_buffer_create(fd, &desc);
	w->buffer = desc.handle;
	w->offset = desc.mmap_offset;
	w->bind = vt_bind(w->buffer, 0, VT_WRITE, 0, 8192);
	return r;
}

static int start(struct work *w, __u32 *event)
{
	return vt_start(w->fd, w->queue, w->fill, &w->bind, 1, event);
}

TEST_F(dev, add_and_remove)
{
	struct vacc_get_info info;
	struct work w;
	char text[256];
	int node = vt_mock_add(), fd;

	ASSERT_LT(self->node, node);
	fd = vt_open_node(node);
	ASSERT_LE(0, fd);
	ASSERT_OK(vt_get_info(fd, &info));
	EXPECT_EQ(0, memcmp(info.uuid, self->info.uuid, 16));
	EXPECT_NE(self->info.instance, info.instance);
	EXPECT_NE(0, memcmp(info.parent, self->info.parent, sizeof(info.parent)));
	ASSERT_OK(make(fd, &w));
	EXPECT_OK(vt_run(fd, w.queue, w.fill, &w.bind, 1));
	EXPECT_EQ(1, vt_all(fd, w.buffer, 0, 0x5a, 8192));
	EXPECT_LT(0, vt_control_read(node, "counters", text, sizeof(text)));
	close(fd);
	EXPECT_OK(vt_mock_remove(node));
	EXPECT_ERRNO(ENOENT, vt_open_node(node));
	EXPECT_ERRNO(ENOENT, vt_mock_remove(node));
	EXPECT_ERRNO(ENOENT, vt_mock_remove(12345));
	EXPECT_ERRNO(ENOENT, vt_control(node, "hold", "1"));
}

/* Every call on a file of a device that is gone. */
TEST_F(dev, every_call_is_enodev)
{
	struct vacc_event_export export = { .size = sizeof(export) };
	struct vacc_buffer_query bq;
	struct vacc_program_query pq;
	struct vacc_event_query eq;
	struct vacc_queue_query qq;
	struct vacc_get_info info;
	struct vacc_stats stats;
	struct work w;
	__u32 event, x;
	char byte = 0;
	int node = vt_mock_add(), fd;

	ASSERT_LE(0, node);
	fd = vt_open_node(node);
	ASSERT_LE(0, fd);
	ASSERT_OK(make(fd, &w));
	ASSERT_OK(start(&w, &event));
	ASSERT_OK(vt_event_wait(fd, event, VT_PATIENCE_MS, NULL));
	ASSERT_OK(vt_mock_remove(node));
	EXPECT_ERRNO(ENODEV, vt_get_info(fd, &info));
	EXPECT_ERRNO(ENODEV, vt_get_stats(fd, &stats));
	EXPECT_ERRNO(ENODEV, vt_context(fd, &x));
	EXPECT_ERRNO(ENODEV, vt_handle(fd, VACC_CONTEXT_DESTROY, w.context));
	EXPECT_ERRNO(ENODEV, vt_buffer(fd, w.context, 64, VT_USAGE_ALL, &x));
	EXPECT_ERRNO(ENODEV, vt_handle(fd, VACC_BUFFER_DESTROY, w.buffer));
	EXPECT_ERRNO(ENODEV, vt_buffer_query(fd, w.buffer, &bq));
	EXPECT_ERRNO(ENODEV, vt_write(fd, w.buffer, 0, &byte, 1));
	EXPECT_ERRNO(ENODEV, vt_read(fd, w.buffer, 0, &byte, 1));
	EXPECT_ERRNO(ENODEV, vt_load_fill(fd, w.context, 1, &x));
	EXPECT_ERRNO(ENODEV, vt_handle(fd, VACC_PROGRAM_UNLOAD, w.fill));
	EXPECT_ERRNO(ENODEV, vt_program_query(fd, w.fill, &pq, NULL, 0));
	EXPECT_ERRNO(ENODEV, vt_queue(fd, w.context, &x));
	EXPECT_ERRNO(ENODEV, vt_handle(fd, VACC_QUEUE_DESTROY, w.queue));
	EXPECT_ERRNO(ENODEV, vt_queue_query(fd, w.queue, &qq));
	EXPECT_ERRNO(ENODEV, vt_queue_sync(fd, w.queue, 0, NULL));
	EXPECT_ERRNO(ENODEV, start(&w, &x));
	EXPECT_ERRNO(ENODEV, vt_event_query(fd, event, &eq));
	EXPECT_ERRNO(ENODEV, vt_event_wait(fd, event, 0, NULL));
	EXPECT_ERRNO(ENODEV, vt_handle(fd, VACC_EVENT_CANCEL, event));
	EXPECT_ERRNO(ENODEV, vt_handle(fd, VACC_EVENT_DESTROY, event));
	EXPECT_ERRNO(ENODEV, vt_ioctl(fd, VACC_EVENT_EXPORT, &export));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, w.offset ?: 4096));
	EXPECT_EQ(ENODEV, errno);
	/* Numbers that there never were stay what they are. */
	EXPECT_ERRNO(ENOTTY, vt_ioctl(fd, _IO(VACC_IOC_MAGIC, 0xff), &byte));
	EXPECT_EQ(0, close(fd));
}

struct waiter {
	struct work *w;
	__u32 event;
	int kind, result;
	struct vacc_submit submit;
	struct pollfd poll;
	__u64 done_ns;
};

static void *wait_for_the_end(void *arg)
{
	struct waiter *a = arg;
	struct vacc_wait_entry e[2] = { { .handle = a->event }, { .handle = a->event } };
	__u64 deadline = vt_deadline(VT_PATIENCE_MS);

	switch (a->kind) {
	case 0:
		a->result = vt_event_waits(a->w->fd, 0, e, 2, deadline, NULL);
		break;
	case 1:
		a->result = vt_event_waits(a->w->fd, VACC_WAIT_ALL, e, 2, deadline, NULL);
		break;
	case 2:
		a->result = vt_queue_sync(a->w->fd, a->w->queue, deadline, NULL);
		break;
	case 3:
		a->submit = vt_submit_desc(a->w->queue, a->w->fill, &a->w->bind, 1);
		a->submit.flags = VACC_SUBMIT_WAIT;
		a->submit.deadline_ns = deadline;
		a->result = vt_submit(a->w->fd, &a->submit);
		break;
	case 4:
		a->poll = (struct pollfd) { .fd = a->w->fd, .events = POLLIN };
		a->result = poll(&a->poll, 1, VT_PATIENCE_MS);
		break;
	}
	a->done_ns = vt_now();
	return NULL;
}

/* Eight held submissions, a mapping, and a waiter of every kind. */
TEST_F(dev, waiters)
{
	enum { KINDS = 5 };
	struct waiter waiters[KINDS];
	pthread_t threads[KINDS];
	unsigned char *map = MAP_FAILED;
	__u32 events[8];
	__u64 begin, end;
	struct work w;
	int node = vt_mock_add(), fd, i;

	ASSERT_LE(0, node);
	fd = vt_open_node(node);
	ASSERT_LE(0, fd);
	ASSERT_OK(make(fd, &w));
	if (self->info.features & VACC_FEATURE_MMAP) {
		map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, w.offset);
		ASSERT_NE(MAP_FAILED, (void *)map);
		memset(map, 0x21, 8192);
	}
	ASSERT_OK(vt_control(node, "hold", "1"));
	for (i = 0; i < 8; i++) {
		ASSERT_OK(start(&w, &events[i]));
	}
	for (i = 0; i < KINDS; i++) {
		waiters[i] = (struct waiter) { .w = &w, .event = events[i], .kind = i };
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, wait_for_the_end, &waiters[i]));
	}
	vt_sleep_ms(200);
	begin = vt_now();
	EXPECT_OK(vt_mock_remove(node));
	end = vt_now();
	EXPECT_GT(begin + 5000000000, end);
	for (i = 0; i < KINDS; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_LE(begin, waiters[i].done_ns) TH_LOG("waiter %d was early", i);
		EXPECT_GT(begin + 5000000000, waiters[i].done_ns) TH_LOG("waiter %d", i);
	}
	EXPECT_ERRNO(ENODEV, waiters[0].result);
	EXPECT_ERRNO(ENODEV, waiters[1].result);
	EXPECT_ERRNO(ENODEV, waiters[2].result);
	/* What was submitted was submitted: the call says how it ended. */
	EXPECT_OK(waiters[3].result);
	EXPECT_EQ(VACC_ACCEPTED, waiters[3].submit.admission);
	EXPECT_EQ(VACC_EVENT_FAILED, waiters[3].submit.state);
	EXPECT_EQ(VIRTIO_ACCEL_S_DEVICE_LOST, waiters[3].submit.status);
	EXPECT_EQ(1, waiters[4].result);
	EXPECT_EQ(POLLERR | POLLHUP, waiters[4].poll.revents);
	/* Nothing has run, and the mapping is still memory. */
	if (map != MAP_FAILED) {
		for (i = 0; i < 8192; i++) {
			ASSERT_EQ(0x21, map[i]);
		}
		memset(map, 0x22, 8192);
		EXPECT_EQ(0, close(fd));
		EXPECT_EQ(0x22, map[8191]);
		EXPECT_EQ(0, munmap(map, 8192));
	} else {
		EXPECT_EQ(0, close(fd));
	}
	/* And another can be added. */
	node = vt_mock_add();
	ASSERT_LE(0, node);
	fd = vt_open_node(node);
	ASSERT_LE(0, fd);
	ASSERT_OK(make(fd, &w));
	EXPECT_OK(vt_run(fd, w.queue, w.fill, &w.bind, 1));
	EXPECT_OK(vt_mock_remove(node));
	close(fd);
}

/* A fence of the device says ENODEV, and outlives it. */
TEST_F(dev, fences)
{
	struct vacc_event_export export = { .size = sizeof(export) };
	struct work w;
	int node = vt_mock_add(), fd;
	/* struct sync_file_info, of linux/sync_file.h */
	struct {
		char name[32];
		__s32 status;
		__u32 flags, num_fences, pad;
		__u64 fences;
	} info = {};
	const unsigned long file_info = _IOWR('>', 4, typeof(info));

	ASSERT_LE(0, node);
	fd = vt_open_node(node);
	ASSERT_LE(0, fd);
	ASSERT_OK(make(fd, &w));
	ASSERT_OK(vt_control(node, "hold", "1"));
	ASSERT_OK(start(&w, &export.handle));
	if (!(self->info.features & VACC_FEATURE_SYNC_FILE)) {
		EXPECT_ERRNO(EOPNOTSUPP, vt_ioctl(fd, VACC_EVENT_EXPORT, &export));
		EXPECT_OK(vt_mock_remove(node));
		close(fd);
		return;
	}
	ASSERT_OK(vt_ioctl(fd, VACC_EVENT_EXPORT, &export));
	EXPECT_OK(vt_mock_remove(node));
	EXPECT_EQ(1, poll(&(struct pollfd) { export.fd, POLLIN, 0 }, 1, 0));
	ASSERT_OK(vt_ioctl(export.fd, file_info, &info));
	EXPECT_EQ(-ENODEV, info.status);
	close(fd);
	memset(&info, 0, sizeof(info));
	ASSERT_OK(vt_ioctl(export.fd, file_info, &info));
	EXPECT_EQ(-ENODEV, info.status);
	EXPECT_EQ(1, info.num_fences);
	close(export.fd);
}

/* While something long executes. */
TEST_F(dev, running_work)
{
	const __u64 bytes = 16 << 20;
	struct vt_batch b = {};
	struct vacc_binding bind;
	__u32 context, queue, buffer, program, event, i;
	__u64 begin;
	int node = vt_mock_add(), fd;

	ASSERT_LE(0, node);
	fd = vt_open_node(node);
	ASSERT_LE(0, fd);
	ASSERT_OK(vt_context(fd, &context));
	ASSERT_OK(vt_queue(fd, context, &queue));
	ASSERT_OK(vt_buffer(fd, context, bytes, VT_USAGE_ALL, &buffer));
	vt_batch_slot(&b, 0, VT_READ_WRITE, bytes);
	for (i = 0; i < VT_BATCH_MAX; i++)
		vt_batch_set(&b, VACC_BATCH_OP_XOR, 0, 0, bytes, 0x0f);
	ASSERT_OK(vt_load_batch(fd, context, &b, &program));
	bind = vt_bind(buffer, 0, VT_READ_WRITE, 0, bytes);
	for (i = 0; i < 16; i++) {
		ASSERT_OK(vt_start(fd, queue, program, &bind, 1, &event));
	}
	vt_sleep_ms(20);
	begin = vt_now();
	EXPECT_OK(vt_mock_remove(node));
	EXPECT_GT(begin + 5000000000, vt_now());
	EXPECT_EQ(0, close(fd));
}

/* What destroys or waits beside others, until the device is gone. */
static void *destroy_queue(void *arg)
{
	struct waiter *a = arg;

	while ((a->result = vt_handle(a->w->fd, VACC_QUEUE_DESTROY, a->w->queue)) == -EBUSY)
		vt_sleep_ms(1);
	a->done_ns = vt_now();
	return NULL;
}

static void *destroy_context(void *arg)
{
	struct waiter *a = arg;

	while ((a->result = vt_handle(a->w->fd, VACC_CONTEXT_DESTROY, a->w->context)) == -EBUSY)
		vt_sleep_ms(1);
	a->done_ns = vt_now();
	return NULL;
}

/* The driver is taken off, or the device removed. */
static int unplug(int node, const char *vdev)
{
	return vdev[0] ? vt_driver_off(vdev) : vt_mock_remove(node);
}

static int clean_up(int node, const char *vdev)
{
	return vdev[0] ? vt_driver_on(vdev) ?: vt_mock_remove(node) : 0;
}

/* That an event has ended once, and everybody was told the same. */
static void same_end(struct __test_metadata *_metadata, const struct vacc_record *r,
		     int fence)
{
	bool late = r->status == VIRTIO_ACCEL_S_DEADLINE_EXPIRED;

	EXPECT_EQ(VACC_EVENT_FAILED, r->state);
	EXPECT_TRUE(late || r->status == VIRTIO_ACCEL_S_DEVICE_LOST);
	if (fence >= 0) {
		EXPECT_EQ(late ? -ETIME : -ENODEV, vt_fence_wait(fence));
		close(fence);
	}
}

/*
 * Work that never completes, with a timeout, waiters, destroys and the end of the
 * device at once: everybody returns, and it ends once.
 */
TEST_F(dev, everything_at_once)
{
	enum { WAITER, SYNC, QUEUE, CONTEXT, KINDS };
	void *(*const what[KINDS])(void *) = {
		wait_for_the_end, wait_for_the_end, destroy_queue, destroy_context,
	};
	bool fences = self->info.features & VACC_FEATURE_SYNC_FILE;
	unsigned int round, i, late = 0;
	__u64 begin, moment;

	for (round = 0; round < 12; round++) {
		struct waiter a[KINDS];
		pthread_t threads[KINDS];
		struct vacc_record r;
		struct vacc_submit s;
		char vdev[32] = "";
		struct work w;
		int node = vt_mock_add(), fd;

		ASSERT_LE(0, node);
		if (round % 2)
			vt_virtio_name(node, vdev, sizeof(vdev));
		fd = vt_open_node(node);
		ASSERT_LE(0, fd);
		ASSERT_OK(make(fd, &w));
		ASSERT_OK(vt_control(node, "hold", "1"));
		s = vt_submit_desc(w.queue, w.fill, &w.bind, 1);
		s.flags = VACC_SUBMIT_RECORD | (fences ? VACC_SUBMIT_OUT_FENCE : 0);
		s.timeout_ns = 100000000;
		begin = vt_now();
		ASSERT_OK(vt_submit(fd, &s));
		for (i = 0; i < KINDS; i++) {
			a[i] = (struct waiter) { .w = &w, .event = s.event };
			a[i].kind = i == SYNC ? 2 : 0;
			ASSERT_EQ(0, pthread_create(&threads[i], NULL, what[i], &a[i]));
		}
		/* The timeout comes before, after, and while the device goes. */
		moment = begin + (round < 2 ? 0 : 75 + round * 5) * 1000000;
		while (vt_now() < moment)
			vt_sleep_ms(1);
		EXPECT_OK(unplug(node, vdev));
		for (i = 0; i < KINDS; i++)
			pthread_join(threads[i], NULL);
		EXPECT_GT(begin + 1100000000, vt_now());
		EXPECT_TRUE(a[WAITER].result == 0 || a[WAITER].result == -ENODEV);
		/* It may come when the queue is destroyed already. */
		EXPECT_TRUE(a[SYNC].result == 0 || a[SYNC].result == -ENODEV ||
			    a[SYNC].result == -ENOENT);
		EXPECT_TRUE(a[QUEUE].result == 0 || a[QUEUE].result == -ENODEV);
		/* Other children of the context stay. */
		EXPECT_EQ(-ENODEV, a[CONTEXT].result);
		ASSERT_EQ(1, vt_read_records(fd, &r, 1));
		EXPECT_EQ(s.event, r.event);
		same_end(_metadata, &r, fences ? s.out_fence_fd : -1);
		late += r.status == VIRTIO_ACCEL_S_DEADLINE_EXPIRED;
		EXPECT_ERRNO(ENODEV, vt_read_records(fd, &r, 1));
		EXPECT_EQ(0, close(fd));
		EXPECT_OK(clean_up(node, vdev));
	}
	EXPECT_LT(0, late);
	EXPECT_GT(round, late);
}

TEST_HARNESS_MAIN
