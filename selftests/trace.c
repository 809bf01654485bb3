// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints: the lines that a known piece of work leaves, word by word.
 *
 * Each test has an instance of tracefs of its own, so that nothing else is in it.
 */
#include "vacc_test.h"
#include <stdarg.h>
#include <sys/mount.h>
#include <sys/stat.h>

#define TRACEFS		"/sys/kernel/tracing"
#define INSTANCE	TRACEFS "/instances/virtio_accel"
#define EVENTS		INSTANCE "/events/virtio_accel"
#define BYTES		(1ULL << 20)
#define LINES		1024

static char text[1 << 20];
static char *lines[LINES];
static int count;

static int put(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), r = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, value, strlen(value)) < 0)
		r = -errno;
	close(fd);
	return r;
}

/* The lines so far: what follows the name of the event and a colon, or NULL. */
static int take(void)
{
	int fd = open(INSTANCE "/trace", O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	char *at, *rest;
	ssize_t n;

	count = 0;
	if (fd < 0)
		return -errno;
	while ((n = read(fd, text + length, sizeof(text) - 1 - length)) > 0)
		length += n;
	text[length] = 0;
	close(fd);
	for (at = strtok_r(text, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest)) {
		at = *at == '#' ? NULL : strstr(at, ": vacc_");
		if (at && count < LINES)
			lines[count++] = at + 2;
	}
	return count;
}

/* The first line from @from on that is this one, or begins with it; -1 for none. */
static int find(int from, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int find(int from, const char *format, ...)
{
	char wanted[512];
	va_list args;
	int i;

	va_start(args, format);
	vsnprintf(wanted, sizeof(wanted), format, args);
	va_end(args);
	for (i = from; i >= 0 && i < count; i++)
		if (!strncmp(lines[i], wanted, strlen(wanted)))
			return i;
	return -1;
}

static int how_many(const char *begin)
{
	int i, n = 0;

	for (i = find(0, "%s", begin); i >= 0; i = find(i + 1, "%s", begin))
		n++;
	return n;
}

static unsigned long long number(int line, const char *word)
{
	char *at = line < 0 ? NULL : strstr(lines[line], word);

	return at ? strtoull(at + strlen(word), NULL, 0) : ~0ULL;
}

/* Begin anew, with these events on. */
static int begin(const char *events)
{
	char path[128];
	int r;

	mount("tracefs", TRACEFS, "tracefs", 0, NULL);
	/*
	 * Names of tasks are recorded by a tracepoint of the scheduler, whose code the kernel
	 * patches for that, while an emulator with a thread a CPU runs it. An instance takes
	 * this option from its parent.
	 */
	put(TRACEFS "/options/record-cmd", "0");
	if (mkdir(INSTANCE, 0700) && errno != EEXIST)
		return -errno;
	r = put(EVENTS "/enable", "0");
	if (r)
		return r;
	put(INSTANCE "/tracing_on", "1");
	put(INSTANCE "/trace", "");
	snprintf(path, sizeof(path), EVENTS "/%s", events);
	return put(path, "1");
}

static void end(void)
{
	put(EVENTS "/enable", "0");
	rmdir(INSTANCE);
	put(TRACEFS "/options/record-cmd", "1");
}

/* The number of the open file, as fdinfo has it. */
static unsigned long long client(int fd)
{
	unsigned long long id = 0;
	char path[64], line[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "vacc-client-id: %llu", &id);
	if (f)
		fclose(f);
	return id;
}

/* How the lines of a file say which one it is. */
static const char *of_file(int node, int fd)
{
	static char of[64];

	snprintf(of, sizeof(of), "dev=virtio-accel%d file=%llu pid=%d", node, client(fd),
		 getpid());
	return of;
}

#define NO_TRACEFS "the kernel has no tracefs with events"

TEST_F(dev, objects)
{
	const char *of = of_file(self->node, self->fd);
	__u32 context, buffer, fill, queue;
	struct vacc_program_query pq;
	int i;

	if (begin("enable"))
		SKIP(return, NO_TRACEFS);
	ASSERT_OK(vt_context(self->fd, &context));
	ASSERT_OK(vt_buffer(self->fd, context, BYTES, VT_USAGE_ALL, &buffer));
	ASSERT_OK(vt_load_fill(self->fd, context, 0x5a, &fill));
	ASSERT_OK(vt_program_query(self->fd, fill, &pq, NULL, 0));
	ASSERT_OK(vt_queue(self->fd, context, &queue));
	EXPECT_OK(vt_handle(self->fd, VACC_QUEUE_DESTROY, queue));
	EXPECT_OK(vt_handle(self->fd, VACC_PROGRAM_UNLOAD, fill));
	EXPECT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, buffer));
	EXPECT_OK(vt_handle(self->fd, VACC_CONTEXT_DESTROY, context));
	ASSERT_LT(0, take());
	i = find(0, "vacc_object_create: %s kind=context handle=%u bytes=0", of, context);
	i = find(i, "vacc_object_create: %s kind=buffer handle=%u bytes=%llu", of, buffer,
		 BYTES);
	i = find(i, "vacc_object_create: %s kind=program handle=%u bytes=%llu", of, fill,
		 (unsigned long long)pq.resident_bytes);
	i = find(i, "vacc_object_create: %s kind=queue handle=%u bytes=0", of, queue);
	i = find(i, "vacc_object_destroy: %s kind=queue handle=%u bytes=0", of, queue);
	i = find(i, "vacc_object_destroy: %s kind=program handle=%u bytes=%llu", of, fill,
		 (unsigned long long)pq.resident_bytes);
	i = find(i, "vacc_object_destroy: %s kind=buffer handle=%u bytes=%llu", of, buffer,
		 BYTES);
	i = find(i, "vacc_object_destroy: %s kind=context handle=%u bytes=0", of, context);
	EXPECT_LT(0, i);
	EXPECT_EQ(4, how_many("vacc_object_create:"));
	EXPECT_EQ(4, how_many("vacc_object_destroy:"));
	end();
}

/* A call that fails after the object was made leaves neither line. */
TEST_F(dev, objects_that_never_were)
{
	struct vacc_buffer_create desc = vt_buffer_desc(self->context, BYTES, VT_USAGE_ALL);
	size_t page = sysconf(_SC_PAGESIZE);
	char *map = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);

	ASSERT_NE(MAP_FAILED, map);
	if (begin("vacc_object_create/enable"))
		SKIP(return, NO_TRACEFS);
	ASSERT_OK(put(EVENTS "/vacc_object_destroy/enable", "1"));
	memcpy(map, &desc, sizeof(desc));
	ASSERT_OK(mprotect(map, page, PROT_READ));
	EXPECT_ERRNO(EFAULT, vt_ioctl(self->fd, VACC_BUFFER_CREATE, map));
	EXPECT_EQ(0, take());
	end();
	munmap(map, page);
}

TEST_F(dev, a_submission)
{
	bool told = self->info.backend == VACC_BACKEND_DIRECT;
	const char *of = of_file(self->node, self->fd);
	unsigned long long latency;
	__u32 fill, buffer, event;
	struct vacc_binding bind;
	struct vacc_submit submit;
	__u64 from, length;
	int i, k;

	ASSERT_OK(vt_load_fill(self->fd, self->context, 0x5a, &fill));
	buffer = vt_any_buffer(self->fd, self->context, BYTES);
	bind = vt_bind(buffer, 0, VT_WRITE, 0, BYTES);
	if (begin("enable"))
		SKIP(return, NO_TRACEFS);
	submit = vt_submit_desc(self->queue, fill, &bind, 1);
	submit.user_data = 0xabcdef;
	from = vt_now();
	ASSERT_OK(vt_submit(self->fd, &submit));
	event = submit.event;
	ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
	length = vt_now() - from;
	EXPECT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, event));
	ASSERT_LT(0, take());

	i = find(0, "vacc_submit: %s queue=%u event=%u seq=0 program=%u buffers=1 user_data=%#x",
		 of, self->queue, event, fill, 0xabcdef);
	EXPECT_LE(0, i);
	k = find(i, "vacc_start: dev=virtio-accel%d file=%llu queue=%u event=%u", self->node,
		 client(self->fd), self->queue, event);
	EXPECT_EQ(told, k > i);
	k = find(told ? k : i, "vacc_complete: %s queue=%u event=%u state=complete status=0 ",
		 of, self->queue, event);
	EXPECT_LT(i, k);
	latency = number(k, "latency_ns=");
	EXPECT_LT(0, latency);
	EXPECT_LE(latency, length);
	EXPECT_LE(0, find(0, "vacc_object_create: %s kind=event handle=%u", of, event));
	EXPECT_LE(0, find(0, "vacc_object_destroy: %s kind=event handle=%u", of, event));
	EXPECT_EQ(1, how_many("vacc_submit:"));
	EXPECT_EQ(told, how_many("vacc_start:"));
	EXPECT_EQ(1, how_many("vacc_complete:"));
	EXPECT_EQ(0, how_many("vacc_reject:"));
	end();
}

TEST_F(dev, other_ends)
{
	const char *of = of_file(self->node, self->fd);
	struct vacc_binding bind, wrong;
	__u32 fill, buffer, cancelled, failed, event;

	if (vt_control(self->node, "hold", "1"))
		SKIP(return, "the device has no hold mode");
	ASSERT_OK(vt_load_fill(self->fd, self->context, 0x5a, &fill));
	buffer = vt_any_buffer(self->fd, self->context, BYTES);
	bind = vt_bind(buffer, 0, VT_WRITE, 0, BYTES);
	wrong = vt_bind(buffer, 1, VT_WRITE, 0, BYTES);
	if (begin("enable"))
		SKIP(return, NO_TRACEFS);
	ASSERT_OK(vt_start(self->fd, self->queue, fill, &bind, 1, &cancelled));
	EXPECT_OK(vt_handle(self->fd, VACC_EVENT_CANCEL, cancelled));
	ASSERT_OK(vt_start(self->fd, self->queue, fill, &bind, 1, &failed));
	ASSERT_OK(vt_control(self->node, "fail", "all %u", VIRTIO_ACCEL_S_DEVICE_LOST));
	ASSERT_OK(vt_event_wait(self->fd, failed, VT_PATIENCE_MS, NULL));
	EXPECT_NE(0, vt_start(self->fd, self->queue, fill, &wrong, 1, &event));
	ASSERT_LT(0, take());
	EXPECT_LE(0, find(0, "vacc_complete: %s queue=%u event=%u state=cancelled status=0 ",
			  of, self->queue, cancelled));
	EXPECT_LE(0, find(0, "vacc_complete: %s queue=%u event=%u state=failed status=%u ",
			  of, self->queue, failed, VIRTIO_ACCEL_S_DEVICE_LOST));
	/* Held work does not begin. */
	EXPECT_EQ(0, how_many("vacc_start:"));
	EXPECT_EQ(2, how_many("vacc_complete:"));
	/* What was begun and refused is told; what was refused before is not. */
	EXPECT_EQ(how_many("vacc_submit:"), 2 + how_many("vacc_reject:"));
	EXPECT_LE(how_many("vacc_reject:"), 1);
	end();
}

/* Every frame, there and back; only devices on a virtio bus have them. */
TEST_F(dev, frames)
{
	const unsigned int header = sizeof(struct virtio_accel_req_hdr);
	const unsigned int answer = sizeof(struct virtio_accel_resp_hdr);
	__u32 buffer, fill, event;
	struct vacc_binding bind;
	unsigned long long id;
	char byte = 1;
	int i;

	if (begin("enable"))
		SKIP(return, NO_TRACEFS);
	buffer = vt_any_buffer(self->fd, self->context, BYTES);
	ASSERT_OK(vt_write(self->fd, buffer, 0, &byte, 1));
	ASSERT_OK(vt_load_fill(self->fd, self->context, 0x5a, &fill));
	bind = vt_bind(buffer, 0, VT_WRITE, 0, BYTES);
	ASSERT_OK(vt_start(self->fd, self->queue, fill, &bind, 1, &event));
	ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
	EXPECT_OK(vt_handle(self->fd, VACC_EVENT_DESTROY, event));
	EXPECT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, buffer));
	ASSERT_LT(0, take());
	if (self->info.backend != VACC_BACKEND_VIRTIO) {
		EXPECT_EQ(0, how_many("vacc_frame_"));
		end();
		return;
	}
	i = find(0, "vacc_frame_sent: dev=virtio");
	while (i >= 0 && !strstr(lines[i], "opcode=ALLOCATE_BUFFER"))
		i = find(i + 1, "vacc_frame_sent: dev=virtio");
	ASSERT_LE(0, i);
	EXPECT_EQ(header + sizeof(struct virtio_accel_allocate_buffer), number(i, "bytes="));
	id = number(i, "id=");
	i = find(i, "vacc_frame_answered: dev=virtio");
	ASSERT_LE(0, i);
	EXPECT_EQ(id, number(i, "id="));
	EXPECT_EQ(answer + sizeof(struct virtio_accel_object), number(i, "bytes="));
	EXPECT_EQ(0, number(i, "status="));
	EXPECT_NE(NULL, strstr(lines[i], "opcode=ALLOCATE_BUFFER"));

	while (i >= 0 && !strstr(lines[i], "opcode=SUBMIT"))
		i = find(i + 1, "vacc_frame_sent: dev=virtio");
	ASSERT_LE(0, i);
	EXPECT_EQ(header + sizeof(struct virtio_accel_submit) +
		  sizeof(struct virtio_accel_binding), number(i, "bytes="));
	/* The lower half of its identity is the event's handle. */
	EXPECT_EQ(event, (__u32)number(i, "id="));
	EXPECT_EQ(how_many("vacc_frame_sent:"),
		  how_many("vacc_frame_answered:") + how_many("vacc_frame_lost:"));
	end();
}

/* What is off says nothing, and what is turned on later knows no beginning. */
TEST_F(dev, off_and_late)
{
	__u32 fill, buffer, event;
	struct vacc_binding bind;
	int i;

	if (vt_control(self->node, "hold", "1"))
		SKIP(return, "the device has no hold mode");
	ASSERT_OK(vt_load_fill(self->fd, self->context, 0x5a, &fill));
	buffer = vt_any_buffer(self->fd, self->context, BYTES);
	bind = vt_bind(buffer, 0, VT_WRITE, 0, BYTES);
	if (begin("vacc_reject/enable"))
		SKIP(return, NO_TRACEFS);
	ASSERT_OK(vt_start(self->fd, self->queue, fill, &bind, 1, &event));
	EXPECT_EQ(0, take());
	ASSERT_OK(put(EVENTS "/vacc_complete/enable", "1"));
	vt_release_all(self->node);
	ASSERT_OK(vt_event_wait(self->fd, event, VT_PATIENCE_MS, NULL));
	EXPECT_EQ(1, take());
	i = find(0, "vacc_complete:");
	EXPECT_EQ(0, number(i, "latency_ns="));
	end();
}

TEST_HARNESS_MAIN
