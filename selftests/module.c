// SPDX-License-Identifier: GPL-2.0
/* The modules: when they can be unloaded, and what survives it. */
#include "fail.h"
#include "vacc_test.h"

#define CORE	"virtio_accel"
#define MOCK	"virtio_accel_mock"
#define FENCE	"vacc_fence"
#define TAINT_TEST (1ull << 18)

/* The modules are loaded before and after each test. */
FIXTURE(modules) {
	int node;
};

static int load_all(void)
{
	int r = 0, tries;

	if (!vt_module_loaded(FENCE))
		r = vt_module_load(FENCE, "");
	if (!r && !vt_module_loaded(CORE))
		r = vt_module_load(CORE, "");
	if (!r && !vt_reference_loaded())
		r = vt_reference_load("");
	for (tries = 0; !r && vt_node() < 0 && tries < 500; tries++)
		vt_sleep_ms(10);
	return r ?: vt_node() < 0 ? -ENODEV : 0;
}

/* What must happen soon, but a worker has to run first. */
static int unload_soon(const char *name)
{
	int r = -EAGAIN, tries;

	for (tries = 0; r == -EAGAIN && tries < 500; tries++) {
		r = vt_module_unload(name);
		if (r == -EAGAIN)
			vt_sleep_ms(10);
	}
	return r;
}

FIXTURE_SETUP(modules)
{
	ASSERT_OK(load_all());
	self->node = vt_node();
}

FIXTURE_TEARDOWN(modules)
{
	EXPECT_OK(load_all());
}

static int run_something(int fd)
{
	__u32 context, queue, buffer, fill;
	struct vacc_binding b;
	int r = vt_context(fd, &context) ?: vt_queue(fd, context, &queue) ?:
		vt_buffer(fd, context, 64, VT_USAGE_ALL, &buffer) ?:
		vt_load_fill(fd, context, 0x5a, &fill);

	b = vt_bind(buffer, 0, VT_WRITE, 0, 64);
	r = r ?: vt_run(fd, queue, fill, &b, 1);
	return r ?: vt_all(fd, buffer, 0, 0x5a, 64) == 1 ? 0 : -EIO;
}

/*
 * Unloading the reference device with a file open is an unplug; the driver stays
 * until the last close; the fences stay for ever.
 */
TEST_F(modules, unload_with_an_open_file)
{
	struct vacc_get_info info;
	struct pollfd p;
	int fd = vt_open_node(self->node);

	ASSERT_LE(0, fd);
	ASSERT_OK(run_something(fd));
	ASSERT_OK(vt_reference_unload());
	EXPECT_ERRNO(ENODEV, vt_get_info(fd, &info));
	EXPECT_ERRNO(ENOENT, vt_open_node(self->node));
	p = (struct pollfd) { .fd = fd, .events = POLLIN | POLLOUT };
	EXPECT_EQ(1, poll(&p, 1, 0));
	EXPECT_EQ(POLLERR | POLLHUP, p.revents);
	/* The kernel says EWOULDBLOCK, and rmmod "in use", for a module with users. */
	EXPECT_ERRNO(EWOULDBLOCK, vt_module_unload(CORE));
	EXPECT_LT(0, vt_module_refs(CORE));
	EXPECT_ERRNO(EWOULDBLOCK, vt_module_unload(FENCE));
	EXPECT_EQ(0, close(fd));
	EXPECT_OK(unload_soon(CORE));
	EXPECT_ERRNO(EBUSY, vt_module_unload(FENCE));
	EXPECT_TRUE(vt_module_loaded(FENCE));
	ASSERT_OK(load_all());
	fd = vt_open_node(vt_node());
	ASSERT_LE(0, fd);
	EXPECT_OK(run_something(fd));
	close(fd);
}

/* With work pending, waited for, and mapped. */
static void *wait_long(void *arg)
{
	int *a = arg;

	a[2] = vt_event_wait(a[0], a[1], VT_PATIENCE_MS, NULL);
	return NULL;
}

TEST_F(modules, unload_under_work)
{
	__u32 context, queue, buffer, fill, event;
	struct vacc_buffer_create desc;
	struct vacc_binding b;
	unsigned char *map = MAP_FAILED;
	pthread_t thread;
	int fd = vt_open_node(self->node), a[3], i;

	ASSERT_LE(0, fd);
	ASSERT_OK(vt_context(fd, &context));
	ASSERT_OK(vt_queue(fd, context, &queue));
	desc = vt_buffer_desc(context, 4096, VT_USAGE_ALL);
	ASSERT_OK(vt_buffer_create(fd, &desc));
	buffer = desc.handle;
	ASSERT_OK(vt_load_fill(fd, context, 0x5a, &fill));
	if (desc.mmap_offset) {
		map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, desc.mmap_offset);
		ASSERT_NE(MAP_FAILED, (void *)map);
		memset(map, 0x13, 4096);
	}
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	b = vt_bind(buffer, 0, VT_WRITE, 0, 4096);
	for (i = 0; i < 8; i++) {
		ASSERT_OK(vt_start(fd, queue, fill, &b, 1, &event));
	}
	a[0] = fd;
	a[1] = event;
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_long, a));
	vt_sleep_ms(100);
	EXPECT_OK(vt_reference_unload());
	pthread_join(thread, NULL);
	EXPECT_ERRNO(ENODEV, a[2]);
	close(fd);
	if (map != MAP_FAILED) {
		EXPECT_ERRNO(EWOULDBLOCK, vt_module_unload(CORE));
		EXPECT_EQ(0x13, map[0]);
		EXPECT_EQ(0x13, map[4095]);
		munmap(map, 4096);
	}
	EXPECT_OK(unload_soon(CORE));
}

/* An exported fence keeps neither driver nor device; it is still a fence. */
TEST_F(modules, fences_outlive_the_driver)
{
	struct vacc_event_export export = { .size = sizeof(export) };
	__u32 context, queue, buffer, fill;
	struct vacc_get_info info;
	struct vacc_binding b;
	int fd = vt_open_node(self->node);

	ASSERT_LE(0, fd);
	ASSERT_OK(vt_get_info(fd, &info));
	ASSERT_OK(vt_context(fd, &context));
	ASSERT_OK(vt_queue(fd, context, &queue));
	ASSERT_OK(vt_buffer(fd, context, 64, VT_USAGE_ALL, &buffer));
	ASSERT_OK(vt_load_fill(fd, context, 1, &fill));
	b = vt_bind(buffer, 0, VT_WRITE, 0, 64);
	ASSERT_OK(vt_start(fd, queue, fill, &b, 1, &export.handle));
	if (!(info.features & VACC_FEATURE_SYNC_FILE)) {
		EXPECT_ERRNO(EOPNOTSUPP, vt_ioctl(fd, VACC_EVENT_EXPORT, &export));
		close(fd);
		return;
	}
	ASSERT_OK(vt_event_wait(fd, export.handle, VT_PATIENCE_MS, NULL));
	ASSERT_OK(vt_ioctl(fd, VACC_EVENT_EXPORT, &export));
	close(fd);
	ASSERT_OK(vt_reference_unload());
	ASSERT_OK(unload_soon(CORE));
	{
		struct {
			char obj_name[32], driver_name[32];
			__s32 status;
			__u32 flags;
			__u64 timestamp;
		} fence = {};
		struct {
			char name[32];
			__s32 status;
			__u32 flags, num_fences, pad;
			__u64 fences;
		} file = { .num_fences = 1, .fences = VT_PTR(&fence) };

		EXPECT_EQ(1, poll(&(struct pollfd) { export.fd, POLLIN, 0 }, 1, 0));
		ASSERT_OK(vt_ioctl(export.fd, _IOWR('>', 4, typeof(file)), &file));
		EXPECT_EQ(1, file.status);
		EXPECT_EQ(1, fence.status);
		EXPECT_NE(0, fence.driver_name[0]);
		EXPECT_NE(0, fence.obj_name[0]);
		EXPECT_NE(0, fence.timestamp);
	}
	EXPECT_EQ(0, close(export.fd));
}

TEST_F_TIMEOUT(modules, reload, 300)
{
	unsigned int i, n = vt_scale(100);
	int fd;

	for (i = 0; i < n; i++) {
		ASSERT_OK(vt_reference_unload());
		ASSERT_EQ(0, vt_module_refs(CORE));
		if (i % 2) {
			ASSERT_OK(unload_soon(CORE));
		}
		ASSERT_OK(load_all());
		fd = vt_open_node(vt_node());
		ASSERT_LE(0, fd);
		ASSERT_OK(run_something(fd));
		close(fd);
	}
}

/* M1: every limit can be set lower at load time. */
TEST_F(modules, m1_lower_limits)
{
	static const char * const bad[] = {
		"max_contexts=0", "max_contexts=65", "max_bindings=257", "max_bindings=0",
		"max_events=5000", "max_buffer_bytes=0", "max_buffer_bytes=1073741825",
		"devices=1000",
	};
	static const char * const lower[] = {
		"max_contexts=2", "max_buffers=3", "max_programs=2", "max_queues=1",
		"max_events=4", "max_bindings=2", "max_buffer_bytes=5000",
		"max_artifact_bytes=300",
	};
	__u32 contexts[3], queues[4], buffers[5], programs[4], events[5];
	char params[256] = "";
	struct vacc_get_info info;
	struct vacc_program_load load;
	struct vacc_binding b[4];
	struct vt_batch batch = {};
	unsigned int i;
	int fd;

	ASSERT_OK(vt_reference_unload());
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_ERRNO(EINVAL, vt_reference_load(bad[i])) TH_LOG("%s", bad[i]);
	}
	for (i = 0; i < ARRAY_SIZE(lower); i++) {
		strcat(params, lower[i]);
		strcat(params, " ");
	}
	ASSERT_OK(vt_reference_load(params));
	fd = vt_open_node(vt_node());
	ASSERT_LE(0, fd);
	ASSERT_OK(vt_get_info(fd, &info));
	EXPECT_EQ(2, info.max_contexts);
	EXPECT_EQ(3, info.max_buffers_per_context);
	EXPECT_EQ(2, info.max_programs_per_context);
	EXPECT_EQ(1, info.max_queues_per_context);
	EXPECT_EQ(4, info.max_events_per_context);
	EXPECT_EQ(2, info.max_bindings);
	EXPECT_EQ(5000, info.max_buffer_bytes);
	EXPECT_EQ(300, info.max_artifact_bytes);

	EXPECT_OK(vt_context(fd, &contexts[0]));
	EXPECT_OK(vt_context(fd, &contexts[1]));
	EXPECT_ERRNO(ENOSPC, vt_context(fd, &contexts[2]));
	EXPECT_OK(vt_queue(fd, contexts[0], &queues[0]));
	EXPECT_ERRNO(ENOSPC, vt_queue(fd, contexts[0], &queues[1]));
	EXPECT_OK(vt_queue(fd, contexts[1], &queues[1]));
	EXPECT_ERRNO(ENOSPC, vt_buffer(fd, contexts[0], 5001, VT_USAGE_ALL, &buffers[0]));
	for (i = 0; i < 3; i++) {
		EXPECT_OK(vt_buffer(fd, contexts[0], 5000, VT_USAGE_ALL, &buffers[i]));
	}
	EXPECT_ERRNO(ENOSPC, vt_buffer(fd, contexts[0], 1, VT_USAGE_ALL, &buffers[3]));
	load = vt_batch_load_desc(contexts[0], &batch, 301);
	EXPECT_ERRNO(ENOSPC, vt_program_load(fd, &load));
	EXPECT_OK(vt_load_fill(fd, contexts[0], 1, &programs[0]));
	EXPECT_OK(vt_load_fill(fd, contexts[0], 2, &programs[1]));
	EXPECT_ERRNO(ENOSPC, vt_load_fill(fd, contexts[0], 3, &programs[2]));
	for (i = 0; i < 4; i++) {
		b[i] = vt_bind(buffers[0], i, VT_WRITE, 0, 64);
	}
	EXPECT_ERRNO(ENOSPC, vt_start(fd, queues[0], programs[0], b, 3, &events[0]));
	for (i = 0; i < 4; i++) {
		EXPECT_OK(vt_start(fd, queues[0], programs[0], b, 1, &events[i]));
	}
	EXPECT_ERRNO(EAGAIN, vt_start(fd, queues[0], programs[0], b, 1, &events[4]));
	close(fd);
	ASSERT_OK(vt_reference_unload());
}

/* Several devices at once. */
TEST_F(modules, devices)
{
	struct vacc_get_info infos[3];
	int fds[3], node, n = 0;

	ASSERT_OK(vt_reference_unload());
	ASSERT_OK(vt_reference_load("devices=3"));
	for (node = 0; node < 8 && n < 3; node++) {
		fds[n] = vt_open_node(node);
		if (fds[n] < 0)
			continue;
		EXPECT_OK(run_something(fds[n]));
		EXPECT_OK(vt_get_info(fds[n], &infos[n]));
		n++;
	}
	ASSERT_EQ(3, n);
	EXPECT_NE(infos[0].instance, infos[1].instance);
	EXPECT_NE(infos[1].instance, infos[2].instance);
	EXPECT_NE(0, memcmp(infos[0].parent, infos[1].parent, 32));
	EXPECT_NE(0, memcmp(infos[1].parent, infos[2].parent, 32));
	EXPECT_OK(vt_reference_unload());
	for (n = 0; n < 3; n++) {
		EXPECT_ERRNO(ENODEV, vt_get_info(fds[n], &infos[n]));
		close(fds[n]);
	}
}

/* Hold mode is for tests, and the kernel says so. */
TEST_F(modules, hold_mode_taints)
{
	unsigned long long taint = 0;
	FILE *f;

	if (!strcmp(vt_backend(), "vaccd"))
		SKIP(return, "it is not the kernel that holds");
	ASSERT_OK(vt_control(self->node, "hold", "1"));
	ASSERT_OK(vt_control(self->node, "hold", "0"));
	f = fopen("/proc/sys/kernel/tainted", "r");
	ASSERT_NE(NULL, f);
	EXPECT_EQ(1, fscanf(f, "%llu", &taint));
	fclose(f);
	EXPECT_NE(0, taint & TAINT_TEST);
}

/* The hang limit: work that stands still is failed, without a timeout of its own. */
TEST_F(modules, hang_limit)
{
	__u32 context, queue, buffer, fill, events[3], i;
	struct vacc_wait_entry entry;
	struct vacc_get_info info;
	struct vacc_binding b;
	char old[32];
	__u64 begin;
	int fd;

	/* Behind the wire it is the driver's, not the device's. */
	ASSERT_OK(vt_reference_unload());
	ASSERT_OK(vt_parameter("virtio_accel", "hang_limit_ms", old, "300"));
	ASSERT_OK(vt_reference_load("hang_limit_ms=300"));
	ASSERT_OK(vt_parameter("virtio_accel", "hang_limit_ms", NULL, old));
	fd = vt_open_node(vt_node());
	ASSERT_LE(0, fd);
	ASSERT_OK(vt_get_info(fd, &info));
	EXPECT_EQ(300, info.hang_limit_ms);
	ASSERT_OK(vt_context(fd, &context));
	ASSERT_OK(vt_queue(fd, context, &queue));
	ASSERT_OK(vt_buffer(fd, context, 64, VT_USAGE_ALL, &buffer));
	ASSERT_OK(vt_load_fill(fd, context, 1, &fill));
	b = vt_bind(buffer, 0, VT_WRITE, 0, 64);
	ASSERT_OK(vt_control(vt_node(), "hold", "1"));
	begin = vt_now();
	for (i = 0; i < 3; i++) {
		ASSERT_OK(vt_start(fd, queue, fill, &b, 1, &events[i]));
	}
	/* One after the other, each with its own time at the head of the queue. */
	for (i = 0; i < 3; i++) {
		ASSERT_OK(vt_event_wait(fd, events[i], VT_PATIENCE_MS, &entry));
		EXPECT_LE(begin + (i + 1) * 290000000ULL, vt_now());
		EXPECT_EQ(VACC_EVENT_FAILED, entry.state);
		EXPECT_EQ(VIRTIO_ACCEL_S_DEADLINE_EXPIRED, entry.status);
	}
	EXPECT_GT(begin + 5000000000, vt_now());
	EXPECT_EQ(1, vt_all(fd, buffer, 0, 0, 64));
	close(fd);
	ASSERT_OK(vt_reference_unload());
}

/*
 * The hang limit of in-fences: each event has its own from its admission, and those behind
 * it on the queue go on.  What is waited for lasts longer: the last of a queue that is held.
 */
TEST_F(modules, hang_limit_of_in_fences)
{
	__u32 context, queue, other, buffer, fill, held[4], events[3], next, i;
	struct vacc_in_fence fence = { .kind = VACC_FENCE_EVENT };
	struct vacc_wait_entry entry;
	struct vacc_submit s;
	struct vacc_binding b;
	__u64 begin[3], end[3];
	char old[32];
	int fd;

	ASSERT_OK(vt_reference_unload());
	ASSERT_OK(vt_parameter("virtio_accel", "hang_limit_ms", old, "400"));
	ASSERT_OK(vt_reference_load("hang_limit_ms=400"));
	ASSERT_OK(vt_parameter("virtio_accel", "hang_limit_ms", NULL, old));
	fd = vt_open_node(vt_node());
	ASSERT_LE(0, fd);
	ASSERT_OK(vt_context(fd, &context));
	ASSERT_OK(vt_queue(fd, context, &queue));
	ASSERT_OK(vt_queue(fd, context, &other));
	ASSERT_OK(vt_buffer(fd, context, 64, VT_USAGE_ALL, &buffer));
	ASSERT_OK(vt_load_fill(fd, context, 1, &fill));
	b = vt_bind(buffer, 0, VT_WRITE, 0, 64);
	ASSERT_OK(vt_control(vt_node(), "hold", "1"));
	for (i = 0; i < 4; i++) {
		ASSERT_OK(vt_start(fd, other, fill, &b, 1, &held[i]));
	}
	fence.value = held[3];
	for (i = 0; i < 3; i++) {
		s = vt_submit_desc(queue, fill, &b, 1);
		s.in_fences = (struct vacc_array) { 1, sizeof(fence), VT_PTR(&fence) };
		begin[i] = vt_now();
		ASSERT_OK(vt_submit(fd, &s));
		events[i] = s.event;
	}
	for (i = 0; i < 3; i++) {
		ASSERT_OK(vt_event_wait(fd, events[i], VT_PATIENCE_MS, &entry));
		end[i] = vt_now();
		EXPECT_LE(begin[i] + 390000000ULL, end[i]);
		EXPECT_EQ(VACC_EVENT_FAILED, entry.state);
		EXPECT_EQ(VIRTIO_ACCEL_S_DEADLINE_EXPIRED, entry.status);
	}
	EXPECT_GT(end[0] + 390000000ULL, end[2]);
	EXPECT_EQ(VACC_EVENT_PENDING, vt_state(fd, held[3]));
	/* The clock of what was waited for in time begins when it is handed over. */
	ASSERT_OK(vt_control(vt_node(), "complete", "all"));
	ASSERT_OK(vt_start(fd, other, fill, &b, 1, &held[0]));
	fence.value = held[0];
	ASSERT_OK(vt_submit(fd, &s));
	vt_sleep_ms(300);
	begin[0] = vt_now();
	ASSERT_OK(vt_control(vt_node(), "complete", "%u", held[0]));
	ASSERT_OK(vt_event_wait(fd, s.event, VT_PATIENCE_MS, &entry));
	EXPECT_LE(begin[0] + 390000000ULL, vt_now());
	EXPECT_EQ(VIRTIO_ACCEL_S_DEADLINE_EXPIRED, entry.status);
	vt_release_all(vt_node());
	ASSERT_OK(vt_start(fd, queue, fill, &b, 1, &next));
	ASSERT_OK(vt_event_wait(fd, next, VT_PATIENCE_MS, &entry));
	EXPECT_EQ(VACC_EVENT_COMPLETE, entry.state);
	close(fd);
	ASSERT_OK(vt_reference_unload());
}

#define NEVER	1000000		/* more places than a load has */

/* The kernel's own places in a load: those before the module refuses its parameters. */
static unsigned int places_before(const char *name, const char *bad)
{
	unsigned int left = NEVER;
	int r = vt_fail_arm(NEVER);

	r = r ?: vt_module_load(name, bad);
	left = vt_fail_left();
	return r == -EINVAL ? NEVER - left : 0;
}

/* What has been loaded does its work; where a device got no node, it has none to do. */
static int load_works(const char *name, bool complete)
{
	int fd, r = strcmp(name, CORE) ? 0 : load_all();

	if (r)
		return r;
	fd = vt_node() < 0 ? -ENOENT : vt_open_node(vt_node());
	if (fd < 0)
		return complete || !strcmp(name, CORE) ? fd : 0;
	r = run_something(fd);
	close(fd);
	return r;
}

/*
 * Either it is there or nothing of it, whichever allocation has failed.  The kernel says
 * EINVAL where it has no memory for the names of a module's drivers in sysfs.
 */
static void each_load(struct __test_metadata *_metadata, const char *name, const char *bad)
{
	unsigned int first = places_before(name, bad), nth, failed = 0;
	bool core = !strcmp(name, CORE), struck = true;
	int r;

	ASSERT_LT(0, first);
	for (nth = first; struck; nth++) {
		ASSERT_GT(NEVER, nth);
		ASSERT_OK(vt_fail_arm(nth));
		r = vt_module_load(name, "");
		struck = vt_fail_disarm();
		failed += r != 0;
		ASSERT_TRUE(!r || (struck && (r == -ENOMEM || (core && r == -EINVAL))))
			TH_LOG("%u: %d", nth, r);
		ASSERT_EQ(!r, vt_module_loaded(name)) TH_LOG("%u: %d", nth, r);
		if (r) {
			ASSERT_GT(0, vt_node());
			continue;
		}
		ASSERT_OK(load_works(name, !struck)) TH_LOG("%u", nth);
		ASSERT_OK(vt_reference_unload());
		if (core) {
			ASSERT_OK(unload_soon(CORE));
		}
	}
	TH_LOG("%s: %u places, %u failures", name, nth - 1 - first, failed);
	EXPECT_LT(10, failed);
}

/* A load in which one allocation fails: the first of the module's own, the second, ... */
TEST_F_TIMEOUT(modules, load_without_memory, 900)
{
	int refs;

	if (!strcmp(vt_backend(), "vaccd"))
		SKIP(return, "virtio_uml's own failures leave its device unusable");
	if (vt_fail_init())
		SKIP(return, "this kernel injects no faults");
	/* Single pages are what the kernel reads the module into, and too many. */
	ASSERT_OK(vt_sysfs("1", "/sys/kernel/debug/fail_page_alloc/min-order"));
	ASSERT_OK(vt_reference_unload());
	refs = vt_module_refs(CORE);
	each_load(_metadata, MOCK, "devices=1000");
	EXPECT_EQ(refs, vt_module_refs(CORE));
	ASSERT_OK(unload_soon(CORE));
	each_load(_metadata, CORE, "device_id=3");
	ASSERT_OK(vt_sysfs("0", "/sys/kernel/debug/fail_page_alloc/min-order"));
}

TEST_HARNESS_MAIN
