/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ioctls as functions.  Each returns 0 or -errno; a result that is neither
 * shows as itself, so that a comparison with 0 fails on it.
 */
#ifndef VT_RAW_H
#define VT_RAW_H

#include <stddef.h>
#include <linux/vacc.h>
#include <linux/vacc_reference.h>
#include <linux/virtio_accel.h>

#define VT_USAGE_ALL	VIRTIO_ACCEL_USAGE_MASK
#define VT_USAGE_TRANSFER (VIRTIO_ACCEL_USAGE_TRANSFER_SRC | \
			   VIRTIO_ACCEL_USAGE_TRANSFER_DST)
#define VT_READ		VIRTIO_ACCEL_ACCESS_READ
#define VT_WRITE	VIRTIO_ACCEL_ACCESS_WRITE
#define VT_READ_WRITE	VIRTIO_ACCEL_ACCESS_READ_WRITE

/* No test waits longer than this for something that must happen. */
#define VT_PATIENCE_MS	20000

__u64 vt_now(void);
__u64 vt_deadline(unsigned int ms);
void vt_sleep_ms(unsigned int ms);

int vt_open_node(unsigned int node);
int vt_ioctl(int fd, unsigned long nr, void *arg);

int vt_get_info(int fd, struct vacc_get_info *info);
/* What it computes dense linear with. */
const char *vt_engine_name(const struct vacc_get_info *info);
int vt_get_stats(int fd, struct vacc_stats *stats);
int vt_last_error(int fd, struct vacc_last_error *last);

/* Destroys, unloads or cancels, by @nr. */
int vt_handle(int fd, unsigned long nr, __u32 handle);

int vt_context(int fd, __u32 *context);

struct vacc_buffer_create vt_buffer_desc(__u32 context, __u64 bytes, __u32 usage);
int vt_buffer_create(int fd, struct vacc_buffer_create *desc);
int vt_buffer(int fd, __u32 context, __u64 bytes, __u32 usage, __u32 *buffer);
int vt_buffer_query(int fd, __u32 buffer, struct vacc_buffer_query *query);
int vt_transfer(int fd, unsigned long nr, __u32 buffer, __u64 offset, __u32 type,
		const struct vacc_iov *iov, __u32 count);
int vt_write(int fd, __u32 buffer, __u64 offset, const void *from, __u64 bytes);
int vt_read(int fd, __u32 buffer, __u64 offset, void *to, __u64 bytes);
int vt_set(int fd, __u32 buffer, __u64 offset, int byte, size_t bytes);
/* 1 if every byte of the range is @byte, 0 if not, else -errno. */
int vt_all(int fd, __u32 buffer, __u64 offset, int byte, size_t bytes);

int vt_program_load(int fd, struct vacc_program_load *load);
int vt_program_query(int fd, __u32 program, struct vacc_program_query *query,
		     struct vacc_program_slot *slots, __u32 room);

int vt_queue(int fd, __u32 context, __u32 *queue);
int vt_queue_query(int fd, __u32 queue, struct vacc_queue_query *query);
int vt_queue_sync(int fd, __u32 queue, __u64 deadline, __u32 *status);

struct vacc_binding vt_bind(__u32 buffer, __u32 slot, __u32 access, __u64 offset,
			    __u64 bytes);
struct vacc_submit vt_submit_desc(__u32 queue, __u32 program,
				  const struct vacc_binding *bindings, __u32 count);
int vt_submit(int fd, struct vacc_submit *submit);
int vt_start(int fd, __u32 queue, __u32 program, const struct vacc_binding *bindings,
	     __u32 count, __u32 *event);

/* @done, which may be NULL, gets what the call left there. */
int vt_submit_many(int fd, struct vacc_submit *submits, __u32 count, __u32 *done);
/* How many records were read, or -errno. */
int vt_read_records(int fd, struct vacc_record *records, __u32 room);
/* A sync_file, or -errno. */
int vt_export(int fd, __u32 event);

int vt_event_query(int fd, __u32 event, struct vacc_event_query *query);
int vt_state(int fd, __u32 event);
int vt_event_waits(int fd, __u32 flags, struct vacc_wait_entry *entries, __u32 count,
		   __u64 deadline, struct vacc_event_wait *wait);
int vt_event_wait(int fd, __u32 event, unsigned int ms, struct vacc_wait_entry *entry);

/*
 * Submit, wait, destroy.  0 if the event completed, -errno if a call failed,
 * 1000 + state * 100 + status if the event ended otherwise.
 */
int vt_run(int fd, __u32 queue, __u32 program, const struct vacc_binding *bindings,
	   __u32 count);

#endif /* VT_RAW_H */
