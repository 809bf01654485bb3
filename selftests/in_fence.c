// SPDX-License-Identifier: GPL-2.0
/*
 * In-fences of SUBMIT: what is refused, what waits for what, and how waiting ends.
 *
 * Fences come from a second device in hold mode, from events of the same file, and from
 * sw_sync where the kernel has it.  Without sync_file each test asserts the refusal.
 */
#include <sys/ioctl.h>
#include "gate.h"
#include "vacc_test.h"

#define BYTES	64
#define SW_SYNC	"/sys/kernel/debug/sync/sw_sync"

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

static struct vacc_submit behind(const struct work *w, const struct vacc_in_fence *fences,
				 __u32 count)
{
	struct vacc_submit s = vt_submit_desc(w->queue, w->fill, &w->bind, 1);

	s.in_fences = (struct vacc_array) { count, sizeof(*fences), VT_PTR(fences) };
	return s;
}

/* Submit behind one fence. */
static int start_behind(const struct work *w, __u32 kind, __u32 value, __u32 *event)
{
	struct vacc_in_fence fence = vt_in_fence(kind, value);
	struct vacc_submit s = behind(w, &fence, 1);
	int r = vt_submit(w->fd, &s);

	*event = s.event;
	return r;
}

static int start(const struct work *w, __u32 *event)
{
	return vt_start(w->fd, w->queue, w->fill, &w->bind, 1, event);
}

/* The state of an event that ends; a status other than OK shows too. */
static int end_of(int fd, __u32 event)
{
	struct vacc_wait_entry entry;
	int r = vt_event_wait(fd, event, VT_PATIENCE_MS, &entry);

	if (!r && entry.event_flags != VACC_EVENT_QUIESCENT)
		r = -EIO;
	return r ?: (int)(entry.state + 100 * entry.status);
}

#define FAILED(status)	(VACC_EVENT_FAILED + 100 * VIRTIO_ACCEL_S_##status)

/* Nothing happens for a while. */
static int stays_pending(int fd, __u32 event)
{
	return vt_event_wait(fd, event, 50, NULL) == -ETIMEDOUT &&
	       vt_state(fd, event) == VACC_EVENT_PENDING;
}

static bool no_sync_file(struct __test_metadata *_metadata, struct _test_data_dev *self)
{
	struct vacc_in_fence fence = vt_in_fence(VACC_FENCE_SYNC_FILE, 0);
	struct vacc_submit s;
	struct work w;

	if (self->info.features & VACC_FEATURE_SYNC_FILE)
		return false;
	EXPECT_OK(make(self->fd, self->context, self->queue, &w));
	s = behind(&w, &fence, 1);
	EXPECT_ERRNO(EOPNOTSUPP, vt_submit(self->fd, &s));
	return true;
}

/* What is refused, and in which order. */
TEST_F(dev, refusals)
{
	struct vacc_in_fence f[VACC_MAX_IN_FENCES + 1] = {};
	struct vacc_queue_query q;
	struct vacc_stats before, after;
	struct vacc_submit s;
	struct work w;
	__u32 gone, context, program;
	unsigned int i;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_context(self->fd, &context));
	ASSERT_OK(vt_load_fill(self->fd, context, 1, &program));
	ASSERT_OK(start(&w, &gone));
	ASSERT_EQ(VACC_EVENT_COMPLETE, end_of(self->fd, gone));
	ASSERT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, gone));
	ASSERT_OK(vt_get_stats(self->fd, &before));

	/* Counts and strides. */
	for (i = 0; i <= VACC_MAX_IN_FENCES; i++)
		f[i] = vt_in_fence(VACC_FENCE_EVENT, gone);
	s = behind(&w, f, VACC_MAX_IN_FENCES + 1);
	EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &s));
	s.in_fences.count = ~0u;
	EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &s));
	s.in_fences.count = 1;
	s.in_fences.stride = sizeof(f[0]) - 1;
	EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &s));
	s.in_fences.stride = 2 * sizeof(f[0]);
	EXPECT_ERRNO(E2BIG, vt_submit(self->fd, &s));
	s.in_fences.stride = sizeof(f[0]);
	s.in_fences.ptr = 0;
	EXPECT_ERRNO(EFAULT, vt_submit(self->fd, &s));
	/* Kinds, before anything else that is wrong; then what must be zero. */
	s = behind(&w, f, 2);
	w.bind.bytes = 0;
	f[1] = (struct vacc_in_fence) { VACC_FENCE_SYNCOBJ, ~0u, 1 };
	EXPECT_ERRNO(EOPNOTSUPP, vt_submit(self->fd, &s));
	f[1].kind = VACC_FENCE_SYNCOBJ + 1;
	EXPECT_ERRNO(EOPNOTSUPP, vt_submit(self->fd, &s));
	f[1].kind = ~0u;
	EXPECT_ERRNO(EOPNOTSUPP, vt_submit(self->fd, &s));
	f[1].kind = VACC_FENCE_EVENT;
	EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &s));
	w.bind.bytes = BYTES;
	EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &s));
	f[1].point = 0;
	/* Events that are none. */
	s = behind(&w, f, 1);
	EXPECT_ERRNO(ENOENT, vt_submit(self->fd, &s));
	f[0].value = 0;
	EXPECT_ERRNO(ENOENT, vt_submit(self->fd, &s));
	f[0].value = ~0u;
	EXPECT_ERRNO(ENOENT, vt_submit(self->fd, &s));
	f[0].value = w.queue;
	EXPECT_ERRNO(ENOENT, vt_submit(self->fd, &s));
	/* An index means something in SUBMIT_MANY only. */
	f[0] = vt_in_fence(VACC_FENCE_INDEX, 0);
	EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &s));
	if (self->info.features & VACC_FEATURE_SYNC_FILE) {
		f[0] = vt_in_fence(VACC_FENCE_SYNC_FILE, -1);
		EXPECT_ERRNO(EBADF, vt_submit(self->fd, &s));
		f[0].value = 1000;
		EXPECT_ERRNO(EBADF, vt_submit(self->fd, &s));
		f[0].value = self->fd;
		EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &s));
		f[0].value = 0;
		EXPECT_ERRNO(EINVAL, vt_submit(self->fd, &s));
		/* Handles are looked up first, contexts compared later. */
		f[0].value = -1;
		s.queue = 0;
		EXPECT_ERRNO(ENOENT, vt_submit(self->fd, &s));
		s.queue = w.queue;
		s.program = program;
		EXPECT_ERRNO(EBADF, vt_submit(self->fd, &s));
	}
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(0, memcmp(&before.live, &after.live, sizeof(before.live)));
	EXPECT_EQ(before.rejected, after.rejected);
	ASSERT_OK(vt_queue_query(self->fd, w.queue, &q));
	EXPECT_EQ(1, q.submitted);
}

/* Nothing runs before the fence has signalled; fences that have signalled are none. */
TEST_F(dev, waits)
{
	struct vt_gate gate;
	__u32 event, key;
	struct work w;
	int fence;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_gate_add(&gate));
	fence = vt_gate_fence(&gate, &key);
	ASSERT_LE(0, fence);
	ASSERT_OK(start_behind(&w, VACC_FENCE_SYNC_FILE, fence, &event));
	EXPECT_TRUE(stays_pending(self->fd, event));
	EXPECT_EQ(1, vt_all(self->fd, w.buffer, 0, 0, BYTES));
	ASSERT_OK(vt_gate_open(&gate, key));
	EXPECT_EQ(VACC_EVENT_COMPLETE, end_of(self->fd, event));
	EXPECT_EQ(1, vt_all(self->fd, w.buffer, 0, 0xa5, BYTES));
	/* It has signalled; and the descriptor may go at once. */
	ASSERT_OK(start_behind(&w, VACC_FENCE_SYNC_FILE, fence, &event));
	close(fence);
	EXPECT_EQ(VACC_EVENT_COMPLETE, end_of(self->fd, event));
	fence = vt_gate_fence(&gate, &key);
	ASSERT_OK(start_behind(&w, VACC_FENCE_SYNC_FILE, fence, &event));
	close(fence);
	EXPECT_TRUE(stays_pending(self->fd, event));
	ASSERT_OK(vt_gate_open(&gate, key));
	EXPECT_EQ(VACC_EVENT_COMPLETE, end_of(self->fd, event));
	EXPECT_OK(vt_gate_remove(&gate));
}

/* As many fences as there may be, the same one twice: the last of them matters. */
TEST_F(dev, sixty_four)
{
	struct vacc_in_fence f[VACC_MAX_IN_FENCES];
	__u32 keys[VACC_MAX_IN_FENCES];
	struct vt_gate gate;
	struct vacc_submit s;
	struct work w;
	int fence, i;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_gate_add(&gate));
	for (i = 0; i < VACC_MAX_IN_FENCES - 1; i++) {
		fence = vt_gate_fence(&gate, &keys[i]);
		ASSERT_LE(0, fence);
		f[i] = vt_in_fence(VACC_FENCE_SYNC_FILE, fence);
	}
	f[i] = f[0];
	s = behind(&w, f, VACC_MAX_IN_FENCES);
	ASSERT_OK(vt_submit(self->fd, &s));
	for (i = 0; i < VACC_MAX_IN_FENCES - 1; i++) {
		if (i % 16 == 0) {
			EXPECT_TRUE(stays_pending(self->fd, s.event));
		}
		EXPECT_EQ(VACC_EVENT_PENDING, vt_state(self->fd, s.event));
		ASSERT_OK(vt_gate_open(&gate, keys[VACC_MAX_IN_FENCES - 2 - i]));
		close(f[i].value);
	}
	EXPECT_EQ(VACC_EVENT_COMPLETE, end_of(self->fd, s.event));
	EXPECT_OK(vt_gate_remove(&gate));
}

/* A merged fence is taken apart: it waits for all, and sees the error of each. */
TEST_F(dev, merged)
{
	struct vt_gate gate;
	__u32 event, a, b, c;
	struct work w;
	int fa, fb, fc, two, three, fails;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_gate_add(&gate));
	for (fails = 0; fails < 2; fails++) {
		fa = vt_gate_fence(&gate, &a);
		fb = vt_gate_fence(&gate, &b);
		fc = vt_gate_fence(&gate, &c);
		two = vt_fence_merge(fa, fb);
		ASSERT_LE(0, two);
		three = vt_fence_merge(two, fc);
		ASSERT_LE(0, three);
		ASSERT_OK(start_behind(&w, VACC_FENCE_SYNC_FILE, three, &event));
		ASSERT_OK(vt_gate_open(&gate, c));
		if (fails) {
			ASSERT_OK(vt_gate_fail(&gate, a, VIRTIO_ACCEL_S_BUSY));
		} else {
			ASSERT_OK(vt_gate_open(&gate, a));
		}
		EXPECT_TRUE(stays_pending(self->fd, event));
		ASSERT_OK(vt_gate_open(&gate, b));
		EXPECT_EQ(fails ? VACC_EVENT_CANCELLED : VACC_EVENT_COMPLETE,
			  end_of(self->fd, event));
		EXPECT_EQ(1, vt_all(self->fd, w.buffer, 0, fails ? 0 : 0xa5, BYTES));
		ASSERT_OK(vt_set(self->fd, w.buffer, 0, 0, BYTES));
		close(fa);
		close(fb);
		close(fc);
		close(two);
		close(three);
	}
	EXPECT_OK(vt_gate_remove(&gate));
}

/* An error of a fence cancels, before and after it is submitted behind it. */
TEST_F(dev, errors_cancel)
{
	struct vacc_in_fence f;
	struct vt_gate gate;
	struct vacc_submit s;
	struct vacc_queue_query q;
	struct work w;
	__u32 key, next;
	int before, ignore, fence;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_gate_add(&gate));
	for (before = 0; before < 2; before++) {
		for (ignore = 0; ignore < 2; ignore++) {
			fence = vt_gate_fence(&gate, &key);
			ASSERT_LE(0, fence);
			if (before) {
				ASSERT_OK(vt_gate_fail(&gate, key, VIRTIO_ACCEL_S_BUSY));
			}
			f = vt_in_fence(VACC_FENCE_SYNC_FILE, fence);
			s = behind(&w, &f, 1);
			s.flags = VACC_SUBMIT_OUT_FENCE;
			if (ignore)
				s.flags |= VACC_SUBMIT_IGNORE_FENCE_ERRORS;
			ASSERT_OK(vt_submit(self->fd, &s));
			/* What stands behind it runs anyway. */
			ASSERT_OK(start(&w, &next));
			if (!before) {
				ASSERT_OK(vt_gate_fail(&gate, key, VIRTIO_ACCEL_S_BUSY));
			}
			EXPECT_EQ(ignore ? 1 : -ECANCELED, vt_fence_wait(s.out_fence_fd));
			EXPECT_EQ(ignore ? VACC_EVENT_COMPLETE : VACC_EVENT_CANCELLED,
				  end_of(self->fd, s.event));
			EXPECT_EQ(VACC_EVENT_COMPLETE, end_of(self->fd, next));
			close(s.out_fence_fd);
			close(fence);
		}
	}
	ASSERT_OK(vt_queue_query(self->fd, w.queue, &q));
	EXPECT_EQ(VACC_QUEUE_READY, q.state);
	EXPECT_EQ(2, q.cancelled);
	EXPECT_EQ(6, q.completed);
	if (self->info.backend == VACC_BACKEND_DIRECT) {
		EXPECT_EQ(6, q.commands);
	}
	EXPECT_OK(vt_gate_remove(&gate));
}

/* Two devices wait for each other's work in turn. */
TEST_F(dev, chain_of_two_devices)
{
	struct vacc_in_fence f;
	struct vt_gate gate;
	struct vacc_submit here, there;
	struct work w;
	__u32 key, last = 0;
	int fence, first, i;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_gate_add(&gate));
	first = vt_gate_fence(&gate, &key);
	fence = first;
	for (i = 0; i < 8; i++) {
		ASSERT_LE(0, fence);
		f = vt_in_fence(VACC_FENCE_SYNC_FILE, fence);
		here = behind(&w, &f, 1);
		here.flags = VACC_SUBMIT_OUT_FENCE;
		ASSERT_OK(vt_submit(self->fd, &here));
		close(fence);
		f.value = here.out_fence_fd;
		there = vt_submit_desc(gate.queue, gate.fill, &gate.bind, 1);
		there.in_fences = (struct vacc_array) { 1, sizeof(f), VT_PTR(&f) };
		there.flags = VACC_SUBMIT_OUT_FENCE;
		ASSERT_OK(vt_submit(gate.fd, &there));
		close(here.out_fence_fd);
		fence = there.out_fence_fd;
		last = there.event;
	}
	EXPECT_TRUE(stays_pending(gate.fd, last));
	EXPECT_EQ(1, vt_all(self->fd, w.buffer, 0, 0, BYTES));
	/* It goes by itself once the second device does not hold its work. */
	vt_release_all(gate.node);
	EXPECT_EQ(1, vt_fence_wait(fence));
	EXPECT_EQ(VACC_EVENT_COMPLETE, end_of(gate.fd, last));
	EXPECT_EQ(1, vt_all(self->fd, w.buffer, 0, 0xa5, BYTES));
	EXPECT_EQ(1, vt_all(gate.fd, gate.buffer, 0, 1, BYTES));
	/* An error goes through the whole chain. */
	ASSERT_OK(vt_control(gate.node, "hold", "1"));
	close(fence);
	fence = vt_gate_fence(&gate, &key);
	for (i = 0; i < 8; i++) {
		f = vt_in_fence(VACC_FENCE_SYNC_FILE, fence);
		here = behind(&w, &f, 1);
		here.flags = VACC_SUBMIT_OUT_FENCE;
		ASSERT_OK(vt_submit(self->fd, &here));
		close(fence);
		fence = here.out_fence_fd;
	}
	ASSERT_OK(vt_gate_fail(&gate, key, VIRTIO_ACCEL_S_DEVICE_LOST));
	EXPECT_EQ(-ECANCELED, vt_fence_wait(fence));
	close(fence);
	EXPECT_OK(vt_gate_remove(&gate));
}

/* linux/sw_sync.h is not exported. */
struct sw_sync_fence {
	__u32 value;
	char name[32];
	__s32 fence;
};

#define SW_SYNC_CREATE	_IOWR('W', 0, struct sw_sync_fence)
#define SW_SYNC_INC	_IOW('W', 1, __u32)

/* Fences of another driver, where the kernel has one for that. */
TEST_F(dev, of_another_driver)
{
	struct sw_sync_fence one = { .value = 1, .name = "one" };
	struct sw_sync_fence two = { .value = 2, .name = "two" };
	struct vt_gate gate = { .node = -1 };
	int timeline = open(SW_SYNC, O_RDWR | O_CLOEXEC);
	__u32 event, later, inc = 1, key[2];
	struct work w;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	if (timeline >= 0) {
		ASSERT_EQ(0, ioctl(timeline, SW_SYNC_CREATE, &one));
		ASSERT_EQ(0, ioctl(timeline, SW_SYNC_CREATE, &two));
	} else {
		TH_LOG("no %s: a second device", SW_SYNC);
		ASSERT_OK(vt_gate_add(&gate));
		one.fence = vt_gate_fence(&gate, &key[0]);
		two.fence = vt_gate_fence(&gate, &key[1]);
	}
	ASSERT_OK(start_behind(&w, VACC_FENCE_SYNC_FILE, one.fence, &event));
	ASSERT_OK(start_behind(&w, VACC_FENCE_SYNC_FILE, two.fence, &later));
	EXPECT_TRUE(stays_pending(self->fd, event));
	if (timeline >= 0) {
		ASSERT_EQ(0, ioctl(timeline, SW_SYNC_INC, &inc));
	} else {
		ASSERT_OK(vt_gate_open(&gate, key[0]));
	}
	EXPECT_EQ(VACC_EVENT_COMPLETE, end_of(self->fd, event));
	EXPECT_EQ(1, vt_all(self->fd, w.buffer, 0, 0xa5, BYTES));
	EXPECT_TRUE(stays_pending(self->fd, later));
	/* The timeline ends with what is left of it, and that is an error. */
	if (timeline >= 0)
		close(timeline);
	EXPECT_OK(vt_gate_remove(&gate));
	EXPECT_EQ(VACC_EVENT_CANCELLED, end_of(self->fd, later));
	close(one.fence);
	close(two.fence);
}

/* What is submitted behind it on its queue waits too; other queues do not. */
TEST_F(dev, order_behind_it)
{
	struct work w, other;
	struct vt_gate gate;
	__u32 queue, twos, x, y, z, key;
	int fence, cancel;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_queue(self->fd, self->context, &queue));
	ASSERT_OK(make(self->fd, self->context, queue, &other));
	ASSERT_OK(vt_load_fill(self->fd, self->context, 2, &twos));
	ASSERT_OK(vt_gate_add(&gate));
	for (cancel = 0; cancel < 2; cancel++) {
		ASSERT_OK(vt_set(self->fd, w.buffer, 0, 0, BYTES));
		fence = vt_gate_fence(&gate, &key);
		ASSERT_LE(0, fence);
		ASSERT_OK(start_behind(&w, VACC_FENCE_SYNC_FILE, fence, &x));
		ASSERT_OK(vt_start(self->fd, w.queue, twos, &w.bind, 1, &y));
		ASSERT_OK(start(&other, &z));
		EXPECT_EQ(VACC_EVENT_COMPLETE, end_of(self->fd, z));
		if (self->info.features & VACC_FEATURE_QUEUE_IN_ORDER) {
			EXPECT_TRUE(stays_pending(self->fd, y));
			EXPECT_EQ(1, vt_all(self->fd, w.buffer, 0, 0, BYTES));
		}
		if (cancel) {
			ASSERT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, x));
		} else {
			ASSERT_OK(vt_gate_open(&gate, key));
		}
		EXPECT_EQ(cancel ? VACC_EVENT_CANCELLED : VACC_EVENT_COMPLETE,
			  end_of(self->fd, x));
		EXPECT_EQ(VACC_EVENT_COMPLETE, end_of(self->fd, y));
		EXPECT_EQ(1, vt_all(self->fd, w.buffer, 0, 2, BYTES));
		close(fence);
	}
	EXPECT_OK(vt_gate_remove(&gate));
}

/* Waiting is pending: for objects, counts, destroys and SYNC. */
TEST_F(dev, is_pending)
{
	struct vacc_buffer_query bq;
	struct vacc_queue_query q;
	struct vacc_event_query eq;
	struct vacc_get_info info;
	struct vt_gate gate;
	struct work w;
	__u32 event, key;
	int fence;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_gate_add(&gate));
	fence = vt_gate_fence(&gate, &key);
	ASSERT_OK(start_behind(&w, VACC_FENCE_SYNC_FILE, fence, &event));
	ASSERT_OK(vt_event_query(self->fd, event, &eq));
	EXPECT_EQ(VACC_ACCEPTED, eq.admission);
	EXPECT_EQ(VACC_EVENT_PENDING, eq.state);
	EXPECT_EQ(0, eq.event_flags);
	ASSERT_OK(vt_get_info(self->fd, &info));
	EXPECT_EQ(1, info.inflight);
	ASSERT_OK(vt_buffer_query(self->fd, w.buffer, &bq));
	EXPECT_EQ(1, bq.pending);
	ASSERT_OK(vt_queue_query(self->fd, w.queue, &q));
	EXPECT_EQ(1, q.pending);
	EXPECT_EQ(1, q.submitted);
	EXPECT_EQ(VACC_QUEUE_SUBMITTED, q.state);
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_BUFFER_DESTROY, w.buffer));
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_PROGRAM_UNLOAD, w.fill));
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_QUEUE_DESTROY, w.queue));
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_EVENT_DESTROY, event));
	EXPECT_ERRNO(ETIMEDOUT, vt_queue_sync(self->fd, w.queue, vt_deadline(20), NULL));
	ASSERT_OK(vt_gate_open(&gate, key));
	EXPECT_OK(vt_queue_sync(self->fd, w.queue, vt_deadline(VT_PATIENCE_MS), NULL));
	EXPECT_EQ(VACC_EVENT_COMPLETE, vt_state(self->fd, event));
	EXPECT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, w.buffer));
	close(fence);
	EXPECT_OK(vt_gate_remove(&gate));
}

/* The timeout runs while it waits, and is not begun anew when it has waited. */
TEST_F(dev, timeouts)
{
	struct vacc_in_fence f;
	struct vt_gate gate;
	struct vacc_submit s;
	struct work w;
	__u32 key, next;
	__u64 begin;
	int fence;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_gate_add(&gate));
	fence = vt_gate_fence(&gate, &key);
	f = vt_in_fence(VACC_FENCE_SYNC_FILE, fence);
	s = behind(&w, &f, 1);
	s.flags = VACC_SUBMIT_OUT_FENCE;
	s.timeout_ns = 100000000;
	begin = vt_now();
	ASSERT_OK(vt_submit(self->fd, &s));
	ASSERT_OK(start(&w, &next));
	EXPECT_EQ(-ETIME, vt_fence_wait(s.out_fence_fd));
	EXPECT_LE(begin + 100000000, vt_now());
	EXPECT_EQ(FAILED(DEADLINE_EXPIRED), end_of(self->fd, s.event));
	EXPECT_EQ(VACC_EVENT_COMPLETE, end_of(self->fd, next));
	ASSERT_OK(vt_gate_open(&gate, key));
	vt_sleep_ms(20);
	EXPECT_EQ(FAILED(DEADLINE_EXPIRED), end_of(self->fd, s.event));
	close(s.out_fence_fd);
	close(fence);

	/* 700 ms in all, of which 500 are waiting. */
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	fence = vt_gate_fence(&gate, &key);
	f = vt_in_fence(VACC_FENCE_SYNC_FILE, fence);
	s = behind(&w, &f, 1);
	s.timeout_ns = 700000000;
	begin = vt_now();
	ASSERT_OK(vt_submit(self->fd, &s));
	vt_sleep_ms(500);
	ASSERT_OK(vt_gate_open(&gate, key));
	EXPECT_EQ(FAILED(DEADLINE_EXPIRED), end_of(self->fd, s.event));
	EXPECT_LE(begin + 700000000, vt_now());
	EXPECT_GT(begin + 1150000000, vt_now());
	close(fence);
	EXPECT_OK(vt_gate_remove(&gate));
}

/* WAIT: for the end, or until its own deadline. */
TEST_F(dev, submit_and_wait)
{
	struct vacc_in_fence f;
	struct vt_gate gate;
	struct vacc_submit s;
	struct work w;
	__u32 key;
	int fence;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_gate_add(&gate));
	fence = vt_gate_fence(&gate, &key);
	f = vt_in_fence(VACC_FENCE_SYNC_FILE, fence);
	s = behind(&w, &f, 1);
	s.flags = VACC_SUBMIT_WAIT;
	s.deadline_ns = vt_deadline(50);
	ASSERT_OK(vt_submit(self->fd, &s));
	EXPECT_LE(s.deadline_ns, vt_now());
	EXPECT_EQ(VACC_EVENT_PENDING, s.state);
	ASSERT_OK(vt_gate_open(&gate, key));
	s.deadline_ns = VACC_NO_DEADLINE;
	ASSERT_OK(vt_submit(self->fd, &s));
	EXPECT_EQ(VACC_EVENT_COMPLETE, s.state);
	EXPECT_EQ(VACC_EVENT_QUIESCENT, s.event_flags);
	close(fence);
	EXPECT_OK(vt_gate_remove(&gate));
}

/* Cancel wins while it waits, and the fence that comes later changes nothing. */
TEST_F(dev, cancel)
{
	struct vacc_queue_query q;
	struct vt_gate gate;
	__u32 event, key;
	struct work w;
	int fence;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_gate_add(&gate));
	fence = vt_gate_fence(&gate, &key);
	ASSERT_OK(start_behind(&w, VACC_FENCE_SYNC_FILE, fence, &event));
	EXPECT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, event));
	EXPECT_EQ(VACC_EVENT_CANCELLED, vt_state(self->fd, event));
	EXPECT_EQ(VACC_EVENT_CANCELLED, end_of(self->fd, event));
	EXPECT_ERRNO(EBUSY, vt_handle(self->fd, VACC_EVENT_CANCEL, event));
	EXPECT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, event));
	EXPECT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, w.buffer));
	ASSERT_OK(vt_gate_open(&gate, key));
	ASSERT_OK(vt_queue_query(self->fd, w.queue, &q));
	EXPECT_EQ(1, q.cancelled);
	EXPECT_EQ(0, q.commands);
	EXPECT_OK(vt_handle(self->fd, VACC_QUEUE_DESTROY, w.queue));
	close(fence);
	EXPECT_OK(vt_gate_remove(&gate));
}

/* Closed while it waits: cancelled, and nothing of it is left. */
TEST_F(dev, close_while_waiting)
{
	struct vacc_in_fence f;
	struct vacc_submit s;
	struct vt_gate gate;
	__u32 context, queue, key;
	struct work w;
	int fence, fd, i, out = -1;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(vt_gate_add(&gate));
	fence = vt_gate_fence(&gate, &key);
	f = vt_in_fence(VACC_FENCE_SYNC_FILE, fence);
	fd = vt_open_node(self->node);
	ASSERT_LE(0, fd);
	ASSERT_OK(vt_context(fd, &context));
	ASSERT_OK(vt_queue(fd, context, &queue));
	ASSERT_OK(make(fd, context, queue, &w));
	for (i = 0; i < 16; i++) {
		s = behind(&w, &f, i % 2);
		s.flags = i ? VACC_SUBMIT_RECORD : VACC_SUBMIT_OUT_FENCE;
		s.timeout_ns = i == 7 ? 1000000000 : 0;
		ASSERT_OK(vt_submit(fd, &s));
		/* The first waits for nothing. */
		if (!i)
			close(s.out_fence_fd);
	}
	s.flags = VACC_SUBMIT_OUT_FENCE | VACC_SUBMIT_AUTO_DESTROY;
	ASSERT_OK(vt_submit(fd, &s));
	out = s.out_fence_fd;
	ASSERT_EQ(0, close(fd));
	EXPECT_EQ(-ECANCELED, vt_fence_wait(out));
	EXPECT_OK(vt_settle(self->fd, NULL));
	ASSERT_OK(vt_gate_open(&gate, key));
	EXPECT_EQ(1, vt_fence_wait(fence));
	close(out);
	close(fence);
	EXPECT_OK(vt_gate_remove(&gate));
}

/* Its device goes while it waits; or the device of the fence. */
TEST_F(dev, unplug_while_waiting)
{
	struct vacc_in_fence f;
	struct vacc_submit s;
	struct vacc_record record;
	struct vt_gate gate;
	__u32 context, queue, key, event;
	struct work w;
	int fence, node, fd, i;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_gate_add(&gate));
	fence = vt_gate_fence(&gate, &key);
	ASSERT_OK(start_behind(&w, VACC_FENCE_SYNC_FILE, fence, &event));
	f = vt_in_fence(VACC_FENCE_SYNC_FILE, fence);
	node = vt_mock_add();
	ASSERT_LE(0, node);
	fd = vt_open_node(node);
	ASSERT_LE(0, fd);
	ASSERT_OK(vt_context(fd, &context));
	ASSERT_OK(vt_queue(fd, context, &queue));
	ASSERT_OK(make(fd, context, queue, &w));
	for (i = 0; i < 4; i++) {
		s = behind(&w, &f, 1);
		s.flags = VACC_SUBMIT_OUT_FENCE | VACC_SUBMIT_RECORD;
		ASSERT_OK(vt_submit(fd, &s));
		if (i < 3)
			close(s.out_fence_fd);
	}
	EXPECT_OK(vt_mock_remove(node));
	EXPECT_EQ(-ENODEV, vt_fence_wait(s.out_fence_fd));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(1, vt_read_records(fd, &record, 1));
		EXPECT_EQ(VACC_EVENT_FAILED, record.state);
		EXPECT_EQ(VIRTIO_ACCEL_S_DEVICE_LOST, record.status);
	}
	EXPECT_ERRNO(ENODEV, vt_read_records(fd, &record, 1));
	close(s.out_fence_fd);
	close(fd);

	EXPECT_EQ(VACC_EVENT_PENDING, vt_state(self->fd, event));
	EXPECT_OK(vt_gate_remove(&gate));
	EXPECT_EQ(-ENODEV, vt_fence_wait(fence));
	EXPECT_EQ(VACC_EVENT_CANCELLED, end_of(self->fd, event));
	close(fence);
}

/* Events of the same file, on the same queue and another. */
TEST_F(dev, own_events)
{
	struct work w, other;
	__u32 queue, a, b, c, cancel;

	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_queue(self->fd, self->context, &queue));
	ASSERT_OK(make(self->fd, self->context, queue, &other));
	for (cancel = 0; cancel < 2; cancel++) {
		ASSERT_OK(vt_control(self->node, "hold", "1"));
		ASSERT_OK(start(&w, &a));
		ASSERT_OK(start_behind(&other, VACC_FENCE_EVENT, a, &b));
		ASSERT_OK(start_behind(&w, VACC_FENCE_EVENT, a, &c));
		EXPECT_TRUE(stays_pending(self->fd, b));
		/* The device does not have them yet. */
		EXPECT_GT(0, vt_control(self->node, "complete", "%u", b));
		EXPECT_GT(0, vt_control(self->node, "complete", "%u", c));
		if (cancel) {
			ASSERT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, a));
		} else {
			ASSERT_OK(vt_control(self->node, "complete", "%u", a));
		}
		vt_release_all(self->node);
		EXPECT_EQ(cancel ? VACC_EVENT_CANCELLED : VACC_EVENT_COMPLETE,
			  end_of(self->fd, b));
		EXPECT_EQ(cancel ? VACC_EVENT_CANCELLED : VACC_EVENT_COMPLETE,
			  end_of(self->fd, c));
	}
	/* One that has ended, and as it ended. */
	ASSERT_OK(start_behind(&w, VACC_FENCE_EVENT, a, &b));
	EXPECT_EQ(VACC_EVENT_CANCELLED, end_of(self->fd, b));
	ASSERT_OK(start(&w, &a));
	ASSERT_EQ(VACC_EVENT_COMPLETE, end_of(self->fd, a));
	ASSERT_OK(start_behind(&w, VACC_FENCE_EVENT, a, &b));
	EXPECT_EQ(VACC_EVENT_COMPLETE, end_of(self->fd, b));
}

/* A refusal that comes after the wait is how the event ends. */
TEST_F(dev, refused_later)
{
	struct vacc_stats before, after;
	struct vacc_queue_query q;
	struct vt_gate gate;
	struct work w;
	__u32 event, key, next;
	int fence;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_gate_add(&gate));
	ASSERT_OK(vt_get_stats(self->fd, &before));
	fence = vt_gate_fence(&gate, &key);
	w.bind.slot = 5;
	ASSERT_OK(start_behind(&w, VACC_FENCE_SYNC_FILE, fence, &event));
	w.bind.slot = 0;
	ASSERT_OK(start(&w, &next));
	ASSERT_OK(vt_gate_open(&gate, key));
	EXPECT_EQ(FAILED(INCOMPATIBLE), end_of(self->fd, event));
	EXPECT_EQ(VACC_EVENT_COMPLETE, end_of(self->fd, next));
	ASSERT_OK(vt_queue_query(self->fd, w.queue, &q));
	EXPECT_EQ(VACC_QUEUE_FAILED, q.state);
	EXPECT_EQ(VIRTIO_ACCEL_S_INCOMPATIBLE, q.status);
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(before.rejected, after.rejected);
	EXPECT_EQ(before.submitted + 2, after.submitted);
	EXPECT_EQ(before.failed + 1, after.failed);
	close(fence);
	EXPECT_OK(vt_gate_remove(&gate));
}

struct opener {
	struct vt_gate *gate;
	volatile __u32 key;
	volatile int stop;
};

static void *open_gates(void *arg)
{
	struct opener *o = arg;
	__u32 last = 0, key;

	while (!o->stop) {
		key = o->key;
		if (key == last) {
			sched_yield();
			continue;
		}
		vt_gate_open(o->gate, key);
		last = key;
	}
	return NULL;
}

/*
 * The fence signals while its event is cancelled, while it is submitted, and while the
 * queue is destroyed: one end, and nothing left.
 */
TEST_F_TIMEOUT(dev, races, 300)
{
	unsigned int i, n = vt_scale(1000), cancelled = 0;
	struct opener opener = {};
	struct vt_gate gate;
	pthread_t thread;
	struct work w;
	__u32 event, queue, key;
	int fence, r, end;

	if (no_sync_file(_metadata, self))
		return;
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	ASSERT_OK(vt_gate_add(&gate));
	opener.gate = &gate;
	ASSERT_EQ(0, pthread_create(&thread, NULL, open_gates, &opener));
	for (i = 0; i < n; i++) {
		ASSERT_OK(vt_queue(self->fd, self->context, &queue));
		w.queue = queue;
		fence = vt_gate_fence(&gate, &key);
		ASSERT_LE(0, fence);
		if (i % 3 == 0)
			opener.key = key;
		ASSERT_OK(start_behind(&w, VACC_FENCE_SYNC_FILE, fence, &event));
		opener.key = key;
		if (i % 2)
			sched_yield();
		r = vt_handle(self->fd, VACC_EVENT_CANCEL, event);
		ASSERT_TRUE(r == 0 || r == -EBUSY);
		end = end_of(self->fd, event);
		ASSERT_EQ(r ? VACC_EVENT_COMPLETE : VACC_EVENT_CANCELLED, end);
		ASSERT_OK(vt_handle(self->fd, VACC_QUEUE_DESTROY, queue));
		ASSERT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, event));
		ASSERT_EQ(1, vt_fence_wait(fence));
		close(fence);
		ASSERT_OK(vt_handle(gate.fd, VACC_EVENT_DESTROY, key));
		cancelled += !r;
	}
	opener.stop = 1;
	pthread_join(thread, NULL);
	TH_LOG("%u of %u cancelled", cancelled, n);
	EXPECT_OK(vt_gate_remove(&gate));
}

TEST_HARNESS_MAIN
