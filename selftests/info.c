// SPDX-License-Identifier: GPL-2.0
/* GET_INFO, STATS and LAST_ERROR: what the device says of itself. */
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "vacc_test.h"

static struct vacc_get_info with_formats(int fd, struct vacc_format *formats,
					 __u32 room, int *r)
{
	struct vacc_get_info info = {
		.size = sizeof(info),
		.formats = { room, sizeof(*formats), VT_PTR(formats) },
	};

	*r = vt_ioctl(fd, VACC_GET_INFO, &info);
	return info;
}

/* M1: identity */
TEST_F(dev, m1_identity)
{
	EXPECT_EQ(0, memcmp(self->info.uuid, "virtio-accelmock", 16));
	EXPECT_EQ(VIRTIO_ACCEL_CLASS_NPU, self->info.device_class);
	EXPECT_EQ(0, self->info.vendor);
	EXPECT_EQ(0, self->info.device);
	EXPECT_EQ(VIRTIO_ACCEL_CAP_HOST_MEMORY | VIRTIO_ACCEL_CAP_DEVICE_MEMORY |
		  VIRTIO_ACCEL_CAP_SHARED_MEMORY | VIRTIO_ACCEL_CAP_EVENT_CANCEL,
		  self->info.capabilities);
}

/* M1: limits */
TEST_F(dev, m1_limits)
{
	EXPECT_EQ(64, self->info.max_contexts);
	EXPECT_EQ(1024, self->info.max_buffers_per_context);
	EXPECT_EQ(256, self->info.max_programs_per_context);
	EXPECT_EQ(16, self->info.max_queues_per_context);
	EXPECT_EQ(4096, self->info.max_events_per_context);
	EXPECT_EQ(256, self->info.max_bindings);
	EXPECT_EQ(1ULL << 30, self->info.max_buffer_bytes);
	EXPECT_EQ(1ULL << 30, self->info.max_artifact_bytes);
}

TEST_F(dev, effective_limits_are_not_above_the_others)
{
	const struct vacc_get_info *i = &self->info;

	EXPECT_LE(1, i->effective_bindings);
	EXPECT_LE(i->effective_bindings, i->max_bindings);
	EXPECT_LE(24, i->effective_artifact_bytes);
	EXPECT_LE(i->effective_artifact_bytes, i->max_artifact_bytes);
	EXPECT_LE(1, i->max_contexts_per_file);
	EXPECT_LE(i->max_contexts_per_file, i->max_contexts);
	EXPECT_LE(1, i->max_inflight_per_file);
	EXPECT_LE(i->total_bytes_used, i->total_bytes_limit);
	EXPECT_LE(i->scratch_bytes_used, i->scratch_bytes_limit);
	EXPECT_LT(0, i->total_bytes_limit);
	/* Over the wire nothing is known of working memory. */
	EXPECT_EQ(i->backend == VACC_BACKEND_VIRTIO, !i->scratch_bytes_limit);
	EXPECT_LE(100, i->command_timeout_ms);
	EXPECT_LT(0, i->hang_limit_ms);
	EXPECT_LT(0, i->binding_offset_align);
	EXPECT_EQ(0, i->binding_offset_align & (i->binding_offset_align - 1));
}

TEST_F(dev, backend_and_features)
{
	bool direct = !strcmp(vt_backend(), "direct");
	const struct vacc_get_info *i = &self->info;

	EXPECT_EQ(VACC_ABI_VERSION, i->abi_version);
	EXPECT_EQ(direct ? VACC_BACKEND_DIRECT : VACC_BACKEND_VIRTIO, i->backend);
	EXPECT_EQ(direct, !!(i->features & VACC_FEATURE_QUEUE_IN_ORDER));
	EXPECT_EQ(direct, !!(i->features & VACC_FEATURE_MMAP));
	EXPECT_EQ(0, i->features & ~0xffu);
	if (direct) {
		EXPECT_EQ(0, i->poll_latency_max_us);
		EXPECT_LE(VACC_ENGINE_INTEGER, i->engine_path);
		EXPECT_LE(i->engine_path, VACC_ENGINE_AVX512);
	} else {
		EXPECT_LT(0, i->poll_latency_max_us);
		EXPECT_EQ(0, i->features & (VACC_FEATURE_ATTRIBUTION | VACC_FEATURE_TIMING));
	}
}

TEST_F(dev, reserved_outputs_are_zero)
{
	struct vacc_get_info info;
	struct vacc_stats stats;
	size_t end;

	memset(&info, 0xff, sizeof(info));
	info.size = sizeof(info);
	info.flags = 0;
	info.formats = (struct vacc_array) { 0, sizeof(struct vacc_format), 0 };
	ASSERT_OK(vt_ioctl(self->fd, VACC_GET_INFO, &info));
	EXPECT_EQ(sizeof(info), info.size);
	EXPECT_EQ(0, info.flags);
	EXPECT_EQ(0, info.reserved);
	EXPECT_NE(0, info.parent[0]);
	end = strnlen((char *)info.parent, sizeof(info.parent));
	ASSERT_LT(end, sizeof(info.parent));
	for (; end < sizeof(info.parent); end++) {
		EXPECT_EQ(0, info.parent[end]);
	}

	memset(&stats, 0xff, sizeof(stats));
	stats.size = sizeof(stats);
	stats.flags = 0;
	ASSERT_OK(vt_ioctl(self->fd, VACC_STATS, &stats));
	EXPECT_EQ(0, stats.live.reserved);
	EXPECT_EQ(0, stats.zombie.reserved);
}

/* R1: the class of programs is fixed; the formats say what may be loaded. */
TEST_F(dev, r1_formats)
{
	const __u32 ref[12] = { 0x56414d4b, 0x00010000, 0x54455354, 0x4f4e4c59 };
	const __u32 batch[12] = { 0x56414254, 0x00010000, 0x52454644, 0x00463136 };
	struct vacc_format formats[4];
	unsigned int i, refs = 0, batches = 0;
	struct vacc_get_info info;
	int r;

	memset(formats, 0xff, sizeof(formats));
	info = with_formats(self->fd, formats, 4, &r);
	ASSERT_OK(r);
	if (info.backend == VACC_BACKEND_VIRTIO) {
		ASSERT_EQ(0, info.formats.count);
		return;
	}
	ASSERT_EQ(2, info.formats.count);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, formats[i].reserved);
		if (formats[i].format == VACC_REF_FORMAT) {
			refs++;
			EXPECT_EQ(0, memcmp(formats[i].target, ref, sizeof(ref)));
		} else if (formats[i].format == VACC_BATCH_FORMAT) {
			batches++;
			EXPECT_EQ(0, memcmp(formats[i].target, batch, sizeof(batch)));
		}
	}
	EXPECT_EQ(1, refs);
	EXPECT_EQ(1, batches);
	EXPECT_EQ(0xffffffff, formats[2].format);
}

/* Room for one gets one, and the number of all. */
TEST_F(dev, formats_with_less_room)
{
	struct vacc_format formats[2];
	struct vacc_get_info info;
	__u32 all;
	int r;

	info = with_formats(self->fd, formats, 0, &r);
	ASSERT_OK(r);
	all = info.formats.count;
	memset(formats, 0xff, sizeof(formats));
	info = with_formats(self->fd, formats, 1, &r);
	ASSERT_OK(r);
	EXPECT_EQ(all, info.formats.count);
	if (all) {
		EXPECT_NE(0xffffffff, formats[0].format);
	}
	EXPECT_EQ(0xffffffff, formats[1].format);
}

/* Elements that are longer than the kernel's end in zeros. */
TEST_F(dev, formats_with_a_longer_stride)
{
	struct { struct vacc_format format; __u64 more[2]; } longer[2];
	struct vacc_get_info info = {
		.size = sizeof(info),
		.formats = { 2, sizeof(longer[0]), VT_PTR(longer) },
	};
	unsigned int i;

	memset(longer, 0xff, sizeof(longer));
	ASSERT_OK(vt_ioctl(self->fd, VACC_GET_INFO, &info));
	for (i = 0; i < info.formats.count; i++) {
		EXPECT_EQ(0, longer[i].format.reserved);
		EXPECT_EQ(0, longer[i].more[0]);
		EXPECT_EQ(0, longer[i].more[1]);
	}
}

/* What is zeroed behind an element has an end. */
TEST_F(dev, formats_with_too_long_a_stride)
{
	static char room[2 * 65536];
	struct vacc_get_info info = { .size = sizeof(info) };
	long page = sysconf(_SC_PAGESIZE);
	bool known = self->info.backend == VACC_BACKEND_DIRECT;

	info.formats = (struct vacc_array){ 2, page, VT_PTR(room) };
	EXPECT_OK(vt_ioctl(self->fd, VACC_GET_INFO, &info));
	info.formats = (struct vacc_array){ 2, page + 1, VT_PTR(room) };
	EXPECT_EQ(known ? -E2BIG : 0, vt_ioctl(self->fd, VACC_GET_INFO, &info));
	info.formats = (struct vacc_array){ 2, ~0u, VT_PTR(room) };
	EXPECT_EQ(known ? -E2BIG : 0, vt_ioctl(self->fd, VACC_GET_INFO, &info));
}

TEST_F(dev, formats_at_bad_addresses)
{
	struct vacc_get_info info = {
		.size = sizeof(info), .formats = { 2, sizeof(struct vacc_format), 8 },
	};

	/* Where no format is known nothing is written. */
	EXPECT_EQ(self->info.backend == VACC_BACKEND_DIRECT ? -EFAULT : 0,
		  vt_ioctl(self->fd, VACC_GET_INFO, &info));
}

/* total_bytes_used and live_bytes follow buffers; R13: live allocations too. */
TEST_F(dev, r13_bytes_and_allocations)
{
	struct vacc_stats before, with, after;
	struct vacc_get_info info;
	__u32 buffer;

	ASSERT_OK(vt_get_stats(self->fd, &before));
	ASSERT_OK(vt_buffer(self->fd, self->context, 100000, VT_USAGE_ALL, &buffer));
	ASSERT_OK(vt_get_stats(self->fd, &with));
	ASSERT_OK(vt_get_info(self->fd, &info));
	EXPECT_LE(before.live_bytes + 100000, with.live_bytes);
	EXPECT_EQ(info.total_bytes_used, with.live_bytes);
	EXPECT_EQ(before.allocations + 1, with.allocations);
	EXPECT_EQ(before.live_allocations + 1, with.live_allocations);
	EXPECT_EQ(before.live.buffers + 1, with.live.buffers);
	ASSERT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, buffer));
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(before.live_bytes, after.live_bytes);
	EXPECT_EQ(before.allocations + 1, after.allocations);
	EXPECT_EQ(before.live_allocations, after.live_allocations);
	EXPECT_EQ(before.live.buffers, after.live.buffers);
}

/* Every kind of object is counted while it lives. */
TEST_F(dev, live_objects)
{
	struct vacc_stats s0, s1;
	struct vacc_binding b;
	struct vacc_buffer_query query;
	__u32 context, buffer, program, queue, event;

	ASSERT_OK(vt_get_stats(self->fd, &s0));
	ASSERT_OK(vt_context(self->fd, &context));
	ASSERT_OK(vt_queue(self->fd, context, &queue));
	ASSERT_OK(vt_buffer(self->fd, context, 64, VT_USAGE_ALL, &buffer));
	ASSERT_OK(vt_load_fill(self->fd, context, 1, &program));
	b = vt_bind(buffer, 0, VT_WRITE, 0, 64);
	ASSERT_OK(vt_start(self->fd, queue, program, &b, 1, &event));
	ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
	ASSERT_OK(vt_get_stats(self->fd, &s1));
	EXPECT_EQ(s0.live.contexts + 1, s1.live.contexts);
	EXPECT_EQ(s0.live.queues + 1, s1.live.queues);
	EXPECT_EQ(s0.live.buffers + 1, s1.live.buffers);
	EXPECT_EQ(s0.live.programs + 1, s1.live.programs);
	EXPECT_EQ(s0.live.events + 1, s1.live.events);
	ASSERT_OK(vt_buffer_query(self->fd, buffer, &query));
	EXPECT_EQ(s0.live_bytes + query.allocation_bytes + VACC_REF_RESIDENT,
		  s1.live_bytes);
	ASSERT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, event));
	ASSERT_OK(vt_handle(self->fd, VACC_PROGRAM_UNLOAD, program));
	ASSERT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, buffer));
	ASSERT_OK(vt_handle(self->fd, VACC_QUEUE_DESTROY, queue));
	ASSERT_OK(vt_handle(self->fd, VACC_CONTEXT_DESTROY, context));
	ASSERT_OK(vt_get_stats(self->fd, &s1));
	EXPECT_EQ(0, memcmp(&s0.live, &s1.live, sizeof(s0.live)));
	EXPECT_EQ(s0.live_bytes, s1.live_bytes);
}

/* The instance and the parent do not change while the device is there. */
TEST_F(dev, instance_is_stable)
{
	struct vacc_get_info info;
	int fd = vt_open_node(self->node);

	ASSERT_LE(0, fd);
	ASSERT_OK(vt_get_info(fd, &info));
	EXPECT_EQ(self->info.instance, info.instance);
	EXPECT_EQ(0, memcmp(self->info.parent, info.parent, sizeof(info.parent)));
	EXPECT_EQ(0, info.inflight);
	close(fd);
}

TEST_F(dev, node_is_for_its_owner_alone)
{
	struct stat st;

	ASSERT_EQ(0, fstat(self->fd, &st));
	EXPECT_TRUE(S_ISCHR(st.st_mode));
	EXPECT_EQ(0600, st.st_mode & 07777);
	EXPECT_EQ(10, major(st.st_rdev));
}

/* R14: the last error of a thread has its number, its call and a reason. */
TEST_F(dev, r14_last_error)
{
	struct vacc_last_error last;
	__u32 buffer;

	ASSERT_OK(vt_last_error(self->fd, &last));
	EXPECT_EQ(0, last.tid);
	EXPECT_EQ(0, last.error);
	EXPECT_ERRNO(EINVAL, vt_buffer(self->fd, self->context, 0, VT_USAGE_ALL, &buffer));
	ASSERT_OK(vt_last_error(self->fd, &last));
	EXPECT_EQ(syscall(SYS_gettid), last.tid);
	EXPECT_EQ(VACC_BUFFER_CREATE & 0xff, last.nr & 0xff);
	EXPECT_EQ(EINVAL, last.error);
	EXPECT_EQ(~0u, last.command);
	EXPECT_GT(sizeof(last.text), strnlen((char *)last.text, sizeof(last.text)));
}

/* A refused program says why, and which command is to blame. */
TEST_F(dev, r14_reason_of_a_refused_batch)
{
	struct vt_batch b = {};
	struct vacc_last_error last;
	__u32 program;

	vt_batch_slot(&b, 0, VT_WRITE, 64);
	vt_batch_set(&b, VACC_BATCH_OP_ZERO, 0, 0, 64, 0);
	vt_batch_set(&b, VACC_BATCH_OP_ZERO, 0, 1, 64, 0);
	ASSERT_ERRNO(EINVAL, vt_load_batch(self->fd, self->context, &b, &program));
	ASSERT_OK(vt_last_error(self->fd, &last));
	EXPECT_EQ(EINVAL, last.error);
	EXPECT_EQ(VACC_PROGRAM_LOAD & 0xff, last.nr & 0xff);
	if (self->info.backend == VACC_BACKEND_DIRECT) {
		EXPECT_EQ(1, last.command);
		EXPECT_EQ(~0u, last.launch);
		EXPECT_NE(0, last.text[0]);
	}
}

/* poll(2): room to submit, no record to read. */
TEST_F(dev, poll_of_an_idle_file)
{
	struct pollfd p = { .fd = self->fd, .events = POLLIN | POLLOUT };

	ASSERT_EQ(1, poll(&p, 1, 0));
	EXPECT_EQ(POLLOUT, p.revents);
}

TEST_HARNESS_MAIN
