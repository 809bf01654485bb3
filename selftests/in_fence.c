// SPDX-License-Identifier: GPL-2.0
/*
 * In-fences of SUBMIT: what is refused, and what waits for what.
 *
 * Fences come from a second device in hold mode, from events of the same file, and from
 * sw_sync where the kernel has it.  Without sync_file each test asserts the refusal.
 */
#include <sys/ioctl.h>
#include "in_fence.h"
#include "vgem.h"

#define SW_SYNC	"/sys/kernel/debug/sync/sw_sync"

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

/* A buffer that another driver writes to: its dma-buf says who has to be waited for. */
TEST_F(dev, of_a_dma_buf)
{
	struct vt_vgem vgem = { .card = -1 };
	__u32 event, numbers[2];
	int fences[2], i;
	struct work w;

	if (vt_vgem_open(&vgem))
		SKIP(return, "this kernel has no vgem");
	ASSERT_OK(make(self->fd, self->context, self->queue, &w));
	for (i = 0; i < 2; i++) {
		ASSERT_OK(vt_set(self->fd, w.buffer, 0, 0, BYTES));
		fences[i] = vt_vgem_fence(&vgem, &numbers[i]);
		ASSERT_LE(0, fences[i]);
		ASSERT_OK(start_behind(&w, VACC_FENCE_SYNC_FILE, fences[i], &event));
		EXPECT_TRUE(stays_pending(self->fd, event));
		EXPECT_EQ(1, vt_all(self->fd, w.buffer, 0, 0, BYTES));
		/* The second goes with the file that would have signalled it. */
		if (i) {
			vt_vgem_close(&vgem);
		} else {
			ASSERT_OK(vt_vgem_signal(&vgem, numbers[i]));
		}
		EXPECT_EQ(VACC_EVENT_COMPLETE, end_of(self->fd, event));
		EXPECT_EQ(1, vt_all(self->fd, w.buffer, 0, 0xa5, BYTES));
		close(fences[i]);
	}
}

TEST_HARNESS_MAIN
