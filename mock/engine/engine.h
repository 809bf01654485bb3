/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The reference device: contexts with buffers, program images and queues, and
 * events that stand for admitted work.
 *
 * Objects are pointers; who owns numbers for them is above.  Every object knows
 * its parent.  An object may be destroyed only while no other call uses it;
 * one that pending work uses says BUSY.  Results are VIRTIO_ACCEL_S_*.
 *
 * An event lives in memory of the caller, eng_event_bytes() of it, and goes
 * through these states; who wins a single compare-and-swap out of "pending" is the
 * only one to end it:
 *
 *	prepared -> pending -> claimed -> complete, failed or cancelled
 *
 * A queue executes what it is given in order.  In hold mode nothing begins until
 * the harness says so (eng_harness_*).
 */
#ifndef _ENG_ENGINE_H
#define _ENG_ENGINE_H

#include "env.h"
#include "panels.h"
#include "program.h"

#include <linux/virtio_accel.h>
#include <linux/vacc.h>
#include <linux/vacc_reference.h>

struct eng_buffer;
struct eng_context;
struct eng_device;
struct eng_event;
struct eng_image;
struct eng_queue;

/* A status that is not of the wire: would fit once pending work has ended. */
#define ENG_S_TRY_AGAIN		0xfffe

/* Limits of a device that nobody asked to have lower ones. */
#define ENG_MAX_CONTEXTS	64
#define ENG_MAX_BUFFERS		1024
#define ENG_MAX_IMAGES		256
#define ENG_MAX_QUEUES		16
#define ENG_MAX_EVENTS		4096
#define ENG_MAX_BINDINGS	256
#define ENG_MAX_BUFFER_BYTES	0x40000000ULL
#define ENG_MAX_ARTIFACT_BYTES	0x40000000ULL
#define ENG_INLINE_LIMIT	65536

/**
 * struct eng_limits - what a device takes
 * @max_contexts: contexts of the device
 * @max_buffers: buffers of one context
 * @max_images: program images of one context
 * @max_queues: queues of one context
 * @max_events: unfinished events of one context
 * @max_bindings: bindings of one submission
 * @max_buffer_bytes: bytes of one buffer
 * @max_artifact_bytes: bytes of one artifact
 * @max_scratch_bytes: working memory of all unfinished submissions, and panels that
 *	are kept where that leaves room
 * @inline_limit: bytes of work, as eng_plan_cost() counts, that may run in the
 *	caller; 0 for none
 */
struct eng_limits {
	u32 max_contexts;
	u32 max_buffers;
	u32 max_images;
	u32 max_queues;
	u32 max_events;
	u32 max_bindings;
	u64 max_buffer_bytes;
	u64 max_artifact_bytes;
	u64 max_scratch_bytes;
	u32 inline_limit;
};

/**
 * struct eng_device_ops - what a device tells its owner
 * @done: an event has ended.  Comes once for each admitted event, with no lock
 *	held, and is the last thing that is done with it: its memory may go.  Must
 *	not destroy objects.  May be absent; eng_event_state() tells then.
 * @progress: an event begins to execute, or got on a bit.  May be absent.
 * @timed: a command of a timed event was executed, or got on a bit.  Comes in the
 *	order of commands, the last time for each when that is complete, and before
 *	@done.  May be absent.
 */
struct eng_device_ops {
	void (*done)(void *owner, u32 state, u16 status);
	void (*progress)(void *owner);
	void (*timed)(void *owner, u32 command, u64 start_ns, u64 end_ns);
};

/**
 * struct eng_device_config - how a device shall be
 * @name: for people, of its workers
 * @ops: what it tells its owner, may not go
 * @limits: what it takes
 * @workers: how many queues, and parts of their products, may execute at a time, 0 for
 *	what is usual
 * @hold: begin in hold mode
 */
struct eng_device_config {
	const char *name;
	const struct eng_device_ops *ops;
	struct eng_limits limits;
	u32 workers;
	bool hold;
};

/**
 * struct eng_work_counters - what was executed
 * @done: commands, bytes, launches
 * @busy_ns: time that it took
 */
struct eng_work_counters {
	struct eng_counters done;
	u64 busy_ns;
};

/**
 * struct eng_device_stats - a device at a moment
 * @contexts: contexts
 * @buffers: buffers
 * @images: program images
 * @queues: queues
 * @events: unfinished events
 * @direct_bindings: bindings that were admitted, none of them staged
 * @scratch_bytes: working memory that is charged
 * @panels: products whose weights are kept packed
 * @panels_bytes: what that takes, or is going to
 * @panels_hits: launches that read such weights
 * @work: what was executed, by queues that are gone too
 */
struct eng_device_stats {
	u32 contexts;
	u32 buffers;
	u32 images;
	u32 queues;
	u32 events;
	u64 direct_bindings;
	u64 scratch_bytes;
	u32 panels;
	u64 panels_bytes;
	u64 panels_hits;
	struct eng_work_counters work;
};

u16 eng_device_create(const struct eng_device_config *config,
		      struct eng_device **device);
void eng_device_stop(struct eng_device *device);
void eng_device_free(struct eng_device *device);
void eng_device_stats(struct eng_device *device,
		      struct eng_device_stats *stats);
void eng_device_scratch(struct eng_device *device, u64 *used, u64 *limit);

u16 eng_context_create(struct eng_device *device, u32 flags,
		       struct eng_context **context);
u16 eng_context_destroy(struct eng_context *context);

/**
 * struct eng_buffer_desc - a buffer to be created
 * @bytes: length
 * @alignment: of its memory, a power of two
 * @domain: VIRTIO_ACCEL_DOMAIN_*
 * @usage: VIRTIO_ACCEL_USAGE_*
 * @element_type: VACC_TYPE_*
 * @memory: @bytes of memory, zeroed, that outlive the buffer
 */
struct eng_buffer_desc {
	u64 bytes;
	u64 alignment;
	u32 domain;
	u32 usage;
	u32 element_type;
	void *memory;
};

/**
 * struct eng_buffer_info - what came of it
 * @allocation_bytes: bytes that it has
 * @alignment: of its memory
 * @properties: VACC_PROP_*
 */
struct eng_buffer_info {
	u64 allocation_bytes;
	u64 alignment;
	u32 properties;
};

u16 eng_buffer_create(struct eng_context *context,
		      const struct eng_buffer_desc *desc,
		      struct eng_buffer **buffer);
u16 eng_buffer_destroy(struct eng_buffer *buffer);
void eng_buffer_info(const struct eng_buffer *buffer,
		     struct eng_buffer_info *info);
bool eng_buffer_panels(const struct eng_buffer *buffer);
void eng_buffer_expose(struct eng_buffer *buffer);
void eng_write_begin(struct eng_write *write, struct eng_buffer *buffer, u64 offset,
		     u64 bytes);
void eng_write_end(struct eng_write *write);
u16 eng_buffer_reach(const struct eng_buffer *buffer, u32 usage, u64 offset,
		     u64 bytes, void **memory);

u16 eng_image_load(struct eng_context *context, const struct eng_load *load,
		   struct eng_image **image, struct eng_reason *reason);
u16 eng_image_unload(struct eng_image *image);
const struct eng_program *eng_image_program(const struct eng_image *image);

u16 eng_queue_create(struct eng_context *context, u32 flags,
		     struct eng_queue **queue);
u16 eng_queue_destroy(struct eng_queue *queue);
void eng_queue_counters(struct eng_queue *queue,
			struct eng_work_counters *counters);

/**
 * struct eng_bind - one binding of a submission
 * @buffer: the buffer
 * @offset: first byte of the range
 * @bytes: its length
 * @slot: the program's slot, each once
 * @access: VIRTIO_ACCEL_ACCESS_*
 * @element_type: VACC_TYPE_* that is asserted, or 0 for the buffer's
 */
struct eng_bind {
	struct eng_buffer *buffer;
	u64 offset;
	u64 bytes;
	u32 slot;
	u8 access;
	u8 element_type;
};

/**
 * struct eng_submission - work to be admitted
 * @queue: where
 * @image: what
 * @bindings: on what; not needed after the call
 * @binding_count: how many
 * @tag: number by which the harness may name the event
 * @process: who asks, for people, or 0
 * @timeout_ns: from now, 0 for none; looked at where execution begins and goes on,
 *	and by eng_event_expire()
 * @timed: @timed of the device is called for it
 * @owner: comes back with the operations of the device
 */
struct eng_submission {
	struct eng_queue *queue;
	struct eng_image *image;
	const struct eng_bind *bindings;
	u32 binding_count;
	u32 tag;
	u32 process;
	u64 timeout_ns;
	bool timed;
	void *owner;
};

size_t eng_event_bytes(const struct eng_image *image, u32 binding_count);
u16 eng_event_prepare(struct eng_event *event,
		      const struct eng_submission *work,
		      struct eng_reason *reason);
void eng_event_discard(struct eng_event *event);
u16 eng_event_admit(struct eng_event *event, bool may_run_here);
u16 eng_event_cancel(struct eng_event *event);
void eng_event_abort(struct eng_event *event);
void eng_event_expire(struct eng_event *event);
u32 eng_event_state(const struct eng_event *event, u16 *status);
u16 eng_event_destroy(const struct eng_event *event);

/**
 * struct eng_harness_event - an unfinished event, as the harness sees it
 * @sequence: unique number, in order of admission in a queue
 * @queue: number of the queue, unique too
 * @tag: that of the submission
 * @process: that of the submission
 * @executing: it has begun
 */
struct eng_harness_event {
	u64 sequence;
	u64 queue;
	u32 tag;
	u32 process;
	bool executing;
};

void eng_harness_hold(struct eng_device *device, bool hold);
bool eng_harness_held(const struct eng_device *device);
u32 eng_harness_list(struct eng_device *device,
		     const struct eng_harness_event *after,
		     struct eng_harness_event *events, u32 room);
u16 eng_harness_find(struct eng_device *device, u32 tag, u64 *sequence);
u16 eng_harness_oldest(struct eng_device *device, u64 *sequence);
u64 eng_harness_newest(const struct eng_device *device);
u16 eng_harness_complete(struct eng_device *device, u64 sequence);
u16 eng_harness_fail(struct eng_device *device, u64 sequence, u16 status);

#endif /* _ENG_ENGINE_H */
