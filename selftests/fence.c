// SPDX-License-Identifier: GPL-2.0
/*
 * The fence of an event, as a sync_file.  Where the kernel has none, each test
 * asserts that it is refused.
 */
#include <linux/sync_file.h>
#include <sys/ioctl.h>
#include "vacc_test.h"

struct work {
	__u32 buffer, fill;
	struct vacc_binding bind;
};

static int make(int fd, __u32 context, struct work *w)
{
	int r = vt_buffer(fd, context, 64, VT_USAGE_ALL, &w->buffer) ?:
		vt_load_fill(fd, context, 0x5a, &w->fill);

	w->bind = vt_bind(w->buffer, 0, VT_WRITE, 0, 64);
	return r;
}

/* A descriptor, or -errno. */
static int export(int fd, __u32 event)
{
	struct vacc_event_export arg = { .size = sizeof(arg), .handle = event, .fd = 0xdead };
	int r = vt_ioctl(fd, VACC_EVENT_EXPORT, &arg);

	return r ?: arg.fd;
}

static int signalled(int fence)
{
	struct pollfd p = { .fd = fence, .events = POLLIN };

	return poll(&p, 1, 0) == 1 && p.revents == POLLIN;
}

/* 0 pending, 1 done, or the fence's error. */
static int status(int fence)
{
	struct sync_file_info info = {};

	if (ioctl(fence, SYNC_IOC_FILE_INFO, &info))
		return -1000;
	return info.status;
}

static bool no_sync_file(struct __test_metadata *_metadata, struct _test_data_dev *self,
			 const struct work *w)
{
	struct vacc_submit s = vt_submit_desc(self->queue, w->fill, &w->bind, 1);

	if (self->info.features & VACC_FEATURE_SYNC_FILE)
		return false;
	s.flags = VACC_SUBMIT_OUT_FENCE;
	EXPECT_ERRNO(EOPNOTSUPP, vt_submit(self->fd, &s));
	EXPECT_ERRNO(EOPNOTSUPP, export(self->fd, 1));
	return true;
}

TEST_F(dev, export_before_and_after)
{
	struct work w;
	__u32 event;
	int a, b;

	ASSERT_OK(make(self->fd, self->context, &w));
	if (no_sync_file(_metadata, self, &w))
		return;
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(vt_start(self->fd, self->queue, w.fill, &w.bind, 1, &event));
	a = export(self->fd, event);
	ASSERT_LE(0, a);
	EXPECT_EQ(FD_CLOEXEC, fcntl(a, F_GETFD));
	EXPECT_EQ(0, signalled(a));
	EXPECT_EQ(0, status(a));
	ASSERT_OK(vt_control(self->node, "complete", "%u", event));
	ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
	EXPECT_EQ(1, signalled(a));
	EXPECT_EQ(1, status(a));
	EXPECT_EQ(1, vt_all(self->fd, w.buffer, 0, 0x5a, 64));
	b = export(self->fd, event);
	ASSERT_LE(0, b);
	EXPECT_EQ(1, status(b));
	/* It outlives the event. */
	ASSERT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, event));
	EXPECT_ERRNO(ENOENT, export(self->fd, event));
	EXPECT_EQ(1, status(a));
	close(a);
	close(b);
}

/* Which error stands on the fence for each end of an event. */
TEST_F(dev, errors)
{
	const struct { __u16 status; int error; } table[] = {
		{ VIRTIO_ACCEL_S_UNSUPPORTED, -EOPNOTSUPP },
		{ VIRTIO_ACCEL_S_INCOMPATIBLE, -ENOEXEC },
		{ VIRTIO_ACCEL_S_INVALID_ARGUMENT, -EINVAL },
		{ VIRTIO_ACCEL_S_OUT_OF_BOUNDS, -ERANGE },
		{ VIRTIO_ACCEL_S_BUSY, -EBUSY },
		{ VIRTIO_ACCEL_S_OUT_OF_MEMORY, -ENOMEM },
		{ VIRTIO_ACCEL_S_RESOURCE_LIMIT, -ENOSPC },
		{ VIRTIO_ACCEL_S_DEADLINE_EXPIRED, -ETIME },
		{ VIRTIO_ACCEL_S_DEVICE_LOST, -EIO },
		{ VIRTIO_ACCEL_S_PERMISSION_DENIED, -EACCES },
		{ VIRTIO_ACCEL_S_STALE_OBJECT, -ENOENT },
		{ VIRTIO_ACCEL_S_INTERNAL_ERROR, -EREMOTEIO },
		{ 0x1234, -EREMOTEIO },
	};
	struct vacc_submit s;
	struct work w;
	unsigned int i;
	__u32 event;
	int fence;

	ASSERT_OK(make(self->fd, self->context, &w));
	if (no_sync_file(_metadata, self, &w))
		return;
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		ASSERT_OK(vt_start(self->fd, self->queue, w.fill, &w.bind, 1, &event));
		fence = export(self->fd, event);
		ASSERT_LE(0, fence);
		ASSERT_OK(vt_control(self->node, "fail", "%u %u", event, table[i].status));
		ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
		EXPECT_EQ(1, signalled(fence));
		EXPECT_EQ(table[i].error, status(fence)) TH_LOG("status %u", table[i].status);
		close(fence);
	}
	ASSERT_OK(vt_start(self->fd, self->queue, w.fill, &w.bind, 1, &event));
	fence = export(self->fd, event);
	ASSERT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, event));
	ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
	EXPECT_EQ(-ECANCELED, status(fence));
	close(fence);
	s = vt_submit_desc(self->queue, w.fill, &w.bind, 1);
	s.timeout_ns = 10000000;
	ASSERT_OK(vt_submit(self->fd, &s));
	fence = export(self->fd, s.event);
	ASSERT_OK(vt_event_wait(self->fd, s.event, VT_PATIENCE_MS, NULL));
	EXPECT_EQ(-ETIME, status(fence));
	close(fence);
}

/* OUT_FENCE: the same in one call; -1 where it was not asked for. */
TEST_F(dev, out_fence)
{
	struct vacc_submit s;
	struct work w;
	int next;

	ASSERT_OK(make(self->fd, self->context, &w));
	if (no_sync_file(_metadata, self, &w))
		return;
	s = vt_submit_desc(self->queue, w.fill, &w.bind, 1);
	ASSERT_OK(vt_submit(self->fd, &s));
	EXPECT_EQ(-1, s.out_fence_fd);
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	s.flags = VACC_SUBMIT_OUT_FENCE;
	ASSERT_OK(vt_submit(self->fd, &s));
	ASSERT_LE(0, s.out_fence_fd);
	EXPECT_EQ(FD_CLOEXEC, fcntl(s.out_fence_fd, F_GETFD));
	EXPECT_EQ(0, signalled(s.out_fence_fd));
	vt_release_all(self->node);
	ASSERT_OK(vt_event_wait(self->fd, s.event, VT_PATIENCE_MS, NULL));
	EXPECT_EQ(1, signalled(s.out_fence_fd));
	close(s.out_fence_fd);
	/* A refused submission leaves no descriptor. */
	next = dup(0);
	close(next);
	w.bind.slot = 5;
	EXPECT_ERRNO(ENOEXEC, vt_submit(self->fd, &s));
	EXPECT_EQ(-1, fcntl(next, F_GETFD));
}

/* The fence of work whose file is closed is cancelled. */
TEST_F(dev, close_cancels)
{
	__u32 context, queue, event;
	struct work w;
	int fd, fence;

	ASSERT_OK(make(self->fd, self->context, &w));
	if (no_sync_file(_metadata, self, &w))
		return;
	fd = vt_open_node(self->node);
	ASSERT_LE(0, fd);
	ASSERT_OK(vt_context(fd, &context));
	ASSERT_OK(vt_queue(fd, context, &queue));
	ASSERT_OK(make(fd, context, &w));
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(vt_start(fd, queue, w.fill, &w.bind, 1, &event));
	fence = export(fd, event);
	ASSERT_LE(0, fence);
	close(fd);
	ASSERT_EQ(1, poll(&(struct pollfd) { fence, POLLIN, 0 }, 1, VT_PATIENCE_MS));
	EXPECT_EQ(-ECANCELED, status(fence));
	close(fence);
}

/* Fences of one queue may end in any order: merging loses none of them. */
TEST_F(dev, merge)
{
	struct sync_merge_data merge = { .name = "both" };
	__u32 first, second;
	struct work w;
	int a, b;

	ASSERT_OK(make(self->fd, self->context, &w));
	if (no_sync_file(_metadata, self, &w))
		return;
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(vt_start(self->fd, self->queue, w.fill, &w.bind, 1, &first));
	ASSERT_OK(vt_start(self->fd, self->queue, w.fill, &w.bind, 1, &second));
	a = export(self->fd, first);
	b = export(self->fd, second);
	ASSERT_TRUE(a >= 0 && b >= 0);
	merge.fd2 = b;
	ASSERT_EQ(0, ioctl(a, SYNC_IOC_MERGE, &merge));
	ASSERT_OK(vt_control(self->node, "complete", "%u", second));
	ASSERT_OK(vt_event_wait(self->fd, second, VT_PATIENCE_MS, NULL));
	EXPECT_EQ(1, signalled(b));
	EXPECT_EQ(0, signalled(a));
	EXPECT_EQ(0, signalled(merge.fence));
	ASSERT_OK(vt_control(self->node, "complete", "%u", first));
	ASSERT_EQ(1, poll(&(struct pollfd) { merge.fence, POLLIN, 0 }, 1, VT_PATIENCE_MS));
	EXPECT_EQ(1, status(merge.fence));
	close(a);
	close(b);
	close(merge.fence);
}

/* No descriptor is free: EMFILE, and nothing was submitted. */
TEST_F(dev, no_descriptor_is_free)
{
	struct vacc_queue_query q;
	struct vacc_submit s;
	struct work w;
	int fds[256], n = 0;
	__u32 event;

	ASSERT_OK(make(self->fd, self->context, &w));
	if (no_sync_file(_metadata, self, &w))
		return;
	ASSERT_OK(vt_start(self->fd, self->queue, w.fill, &w.bind, 1, &event));
	ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
	ASSERT_EQ(0, syscall(SYS_prlimit64, 0, 7 /* RLIMIT_NOFILE */,
			     (__u64[]) { 64, 4096 }, NULL));
	while (n < 256 && (fds[n] = dup(self->fd)) >= 0)
		n++;
	EXPECT_ERRNO(EMFILE, export(self->fd, event));
	s = vt_submit_desc(self->queue, w.fill, &w.bind, 1);
	s.flags = VACC_SUBMIT_OUT_FENCE;
	EXPECT_ERRNO(EMFILE, vt_submit(self->fd, &s));
	while (n--)
		close(fds[n]);
	ASSERT_OK(vt_queue_query(self->fd, self->queue, &q));
	EXPECT_EQ(1, q.submitted);
	EXPECT_OK(vt_submit(self->fd, &s));
	close(s.out_fence_fd);
}

TEST_HARNESS_MAIN
