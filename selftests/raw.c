// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "raw.h"

__u64 vt_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

__u64 vt_deadline(unsigned int ms)
{
	return vt_now() + ms * 1000000ULL;
}

void vt_sleep_ms(unsigned int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

int vt_open_node(unsigned int node)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/virtio-accel%u", node);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int vt_ioctl(int fd, unsigned long nr, void *arg)
{
	int r = ioctl(fd, nr, arg);

	return r == -1 ? -errno : r;
}

int vt_get_info(int fd, struct vacc_get_info *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return vt_ioctl(fd, VACC_GET_INFO, info);
}

const char *vt_engine_name(const struct vacc_get_info *info)
{
	static const char * const names[] = {
		[VACC_ENGINE_UNKNOWN] = "unknown",
		[VACC_ENGINE_INTEGER] = "integer",
		[VACC_ENGINE_AVX2] = "avx2",
		[VACC_ENGINE_AVX512] = "avx512",
	};

	return info->engine_path < sizeof(names) / sizeof(*names) ? names[info->engine_path] : "?";
}

int vt_get_stats(int fd, struct vacc_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	stats->size = sizeof(*stats);
	return vt_ioctl(fd, VACC_STATS, stats);
}

int vt_last_error(int fd, struct vacc_last_error *last)
{
	memset(last, 0, sizeof(*last));
	last->size = sizeof(*last);
	return vt_ioctl(fd, VACC_LAST_ERROR, last);
}

int vt_handle(int fd, unsigned long nr, __u32 handle)
{
	struct vacc_handle_arg arg = { .size = sizeof(arg), .handle = handle };

	return vt_ioctl(fd, nr, &arg);
}

int vt_context(int fd, __u32 *context)
{
	struct vacc_context_create arg = { .size = sizeof(arg) };
	int r = vt_ioctl(fd, VACC_CONTEXT_CREATE, &arg);

	*context = arg.handle;
	return r;
}

struct vacc_buffer_create vt_buffer_desc(__u32 context, __u64 bytes, __u32 usage)
{
	return (struct vacc_buffer_create) {
		.size = sizeof(struct vacc_buffer_create),
		.context = context,
		.domain = VIRTIO_ACCEL_DOMAIN_HOST,
		.usage = usage,
		.bytes = bytes,
		.alignment = 64,
	};
}

int vt_buffer_create(int fd, struct vacc_buffer_create *desc)
{
	return vt_ioctl(fd, VACC_BUFFER_CREATE, desc);
}

int vt_buffer(int fd, __u32 context, __u64 bytes, __u32 usage, __u32 *buffer)
{
	struct vacc_buffer_create desc = vt_buffer_desc(context, bytes, usage);
	int r = vt_buffer_create(fd, &desc);

	*buffer = desc.handle;
	return r;
}

int vt_buffer_query(int fd, __u32 buffer, struct vacc_buffer_query *query)
{
	memset(query, 0, sizeof(*query));
	query->size = sizeof(*query);
	query->handle = buffer;
	return vt_ioctl(fd, VACC_BUFFER_QUERY, query);
}

int vt_transfer(int fd, unsigned long nr, __u32 buffer, __u64 offset, __u32 type,
		const struct vacc_iov *iov, __u32 count)
{
	struct vacc_buffer_transfer arg = {
		.size = sizeof(arg),
		.buffer = buffer,
		.element_type = type,
		.offset = offset,
		.iov = { count, sizeof(*iov), (uintptr_t)iov },
	};

	return vt_ioctl(fd, nr, &arg);
}

int vt_write(int fd, __u32 buffer, __u64 offset, const void *from, __u64 bytes)
{
	struct vacc_iov iov = { (uintptr_t)from, bytes };

	return vt_transfer(fd, VACC_BUFFER_WRITE, buffer, offset, 0, &iov, 1);
}

int vt_read(int fd, __u32 buffer, __u64 offset, void *to, __u64 bytes)
{
	struct vacc_iov iov = { (uintptr_t)to, bytes };

	return vt_transfer(fd, VACC_BUFFER_READ, buffer, offset, 0, &iov, 1);
}

int vt_set(int fd, __u32 buffer, __u64 offset, int byte, size_t bytes)
{
	void *from = malloc(bytes);
	int r;

	if (!from)
		return -ENOMEM;
	memset(from, byte, bytes);
	r = vt_write(fd, buffer, offset, from, bytes);
	free(from);
	return r;
}

int vt_all(int fd, __u32 buffer, __u64 offset, int byte, size_t bytes)
{
	unsigned char *to = malloc(bytes);
	size_t i;
	int r;

	if (!to)
		return -ENOMEM;
	memset(to, ~byte, bytes);
	r = vt_read(fd, buffer, offset, to, bytes);
	if (!r) {
		for (i = 0; i < bytes && to[i] == (unsigned char)byte; i++)
			;
		r = i == bytes;
		if (!r)
			fprintf(stderr, "# byte %zu is %02x, not %02x\n", i, to[i],
				byte & 0xff);
	}
	free(to);
	return r;
}

int vt_program_load(int fd, struct vacc_program_load *load)
{
	return vt_ioctl(fd, VACC_PROGRAM_LOAD, load);
}

int vt_program_query(int fd, __u32 program, struct vacc_program_query *query,
		     struct vacc_program_slot *slots, __u32 room)
{
	memset(query, 0, sizeof(*query));
	query->size = sizeof(*query);
	query->handle = program;
	query->slots.count = room;
	query->slots.stride = sizeof(*slots);
	query->slots.ptr = (uintptr_t)slots;
	return vt_ioctl(fd, VACC_PROGRAM_QUERY, query);
}

int vt_queue(int fd, __u32 context, __u32 *queue)
{
	struct vacc_queue_create arg = { .size = sizeof(arg), .context = context };
	int r = vt_ioctl(fd, VACC_QUEUE_CREATE, &arg);

	*queue = arg.handle;
	return r;
}

int vt_queue_query(int fd, __u32 queue, struct vacc_queue_query *query)
{
	memset(query, 0, sizeof(*query));
	query->size = sizeof(*query);
	query->handle = queue;
	return vt_ioctl(fd, VACC_QUEUE_QUERY, query);
}

int vt_queue_sync(int fd, __u32 queue, __u64 deadline, __u32 *status)
{
	struct vacc_queue_sync arg = {
		.size = sizeof(arg), .handle = queue, .status = 0xdead,
		.deadline_ns = deadline,
	};
	int r = vt_ioctl(fd, VACC_QUEUE_SYNC, &arg);

	if (status)
		*status = arg.status;
	return r;
}

struct vacc_binding vt_bind(__u32 buffer, __u32 slot, __u32 access, __u64 offset,
			    __u64 bytes)
{
	return (struct vacc_binding) {
		.buffer = buffer, .slot = slot, .access = access,
		.offset = offset, .bytes = bytes,
	};
}

struct vacc_submit vt_submit_desc(__u32 queue, __u32 program,
				  const struct vacc_binding *bindings, __u32 count)
{
	return (struct vacc_submit) {
		.size = sizeof(struct vacc_submit),
		.queue = queue,
		.program = program,
		.bindings = { count, sizeof(*bindings), (uintptr_t)bindings },
		.event = 0xdead,
		.admission = 0xdead,
		.state = 0xdead,
		.status = 0xdead,
		.event_flags = 0xdead,
		.out_fence_fd = 0xdead,
	};
}

int vt_submit(int fd, struct vacc_submit *submit)
{
	return vt_ioctl(fd, VACC_SUBMIT, submit);
}

int vt_start(int fd, __u32 queue, __u32 program, const struct vacc_binding *bindings,
	     __u32 count, __u32 *event)
{
	struct vacc_submit submit = vt_submit_desc(queue, program, bindings, count);
	int r = vt_submit(fd, &submit);

	*event = submit.event;
	return r;
}

int vt_submit_many(int fd, struct vacc_submit *submits, __u32 count, __u32 *done)
{
	struct vacc_submit_many arg = {
		.size = sizeof(arg),
		.submits = { count, sizeof(*submits), (uintptr_t)submits },
		.done = 0xdead,
	};
	int r = vt_ioctl(fd, VACC_SUBMIT_MANY, &arg);

	if (done)
		*done = arg.done;
	return r;
}

int vt_read_records(int fd, struct vacc_record *records, __u32 room)
{
	ssize_t n = read(fd, records, room * sizeof(*records));

	if (n < 0)
		return -errno;
	return n % sizeof(*records) ? -EIO : (int)(n / sizeof(*records));
}

int vt_export(int fd, __u32 event)
{
	struct vacc_event_export arg = {
		.size = sizeof(arg), .handle = event, .fd = 0xdead,
	};
	int r = vt_ioctl(fd, VACC_EVENT_EXPORT, &arg);

	return r ? r : arg.fd;
}

int vt_event_query(int fd, __u32 event, struct vacc_event_query *query)
{
	memset(query, 0, sizeof(*query));
	query->size = sizeof(*query);
	query->handle = event;
	return vt_ioctl(fd, VACC_EVENT_QUERY, query);
}

int vt_state(int fd, __u32 event)
{
	struct vacc_event_query query;
	int r = vt_event_query(fd, event, &query);

	return r ? r : (int)query.state;
}

int vt_event_waits(int fd, __u32 flags, struct vacc_wait_entry *entries, __u32 count,
		   __u64 deadline, struct vacc_event_wait *wait)
{
	struct vacc_event_wait own;

	if (!wait)
		wait = &own;
	*wait = (struct vacc_event_wait) {
		.size = sizeof(*wait),
		.flags = flags,
		.events = { count, sizeof(*entries), (uintptr_t)entries },
		.deadline_ns = deadline,
		.ended = 0xdead,
		.first = 0xdead,
	};
	return vt_ioctl(fd, VACC_EVENT_WAIT, wait);
}

int vt_event_wait(int fd, __u32 event, unsigned int ms, struct vacc_wait_entry *entry)
{
	struct vacc_wait_entry own;
	int r;

	if (!entry)
		entry = &own;
	*entry = (struct vacc_wait_entry) { .handle = event };
	r = vt_event_waits(fd, 0, entry, 1, vt_deadline(ms), NULL);
	return r;
}

int vt_run(int fd, __u32 queue, __u32 program, const struct vacc_binding *bindings,
	   __u32 count)
{
	struct vacc_wait_entry entry;
	__u32 event;
	int r;

	r = vt_start(fd, queue, program, bindings, count, &event);
	if (!r)
		r = vt_event_wait(fd, event, VT_PATIENCE_MS, &entry);
	if (r)
		return r;
	r = vt_handle(fd, VACC_EVENT_DESTROY, event);
	if (!r && entry.state != VACC_EVENT_COMPLETE)
		r = 1000 + entry.state * 100 + entry.status;
	return r;
}
