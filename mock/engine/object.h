/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the engine's own files know of its objects.
 *
 * Locks, in order: the device's tree lock, a queue's lock, the device's sums
 * lock.  None is held where memory is allocated, where work executes or where
 * the owner is called.  A team has a lock of its own, which is taken alone.
 */
#ifndef _ENG_OBJECT_H
#define _ENG_OBJECT_H

#include "engine.h"
#include "env_sync.h"
#include "panels.h"

struct eng_device {
	const struct eng_device_ops *ops;
	struct eng_limits limits;
	struct eng_pool pool;
	struct eng_atomic held;
	struct eng_atomic stopped;
	struct eng_atomic64 sequence;		/* last that was given */
	struct eng_atomic64 direct_bindings;

	struct eng_mutex tree;			/* contexts, their lists, counts */
	struct list_head contexts;
	u32 context_count;
	u64 queue_number;			/* last that was given */

	struct eng_spin sums;
	u64 scratch_bytes;			/* sums */
	struct list_head panels;		/* sums: what was used last is last */
	u32 panels_count;			/* sums: on that list */
	u32 panels_packed;			/* sums: of these */
	u64 panels_bytes;			/* sums: charged beside scratch_bytes */
	u64 panels_hits;			/* sums: launches that read some */
	struct eng_work_counters retired;	/* sums: of destroyed queues */
};

struct eng_context {
	struct eng_device *device;
	struct list_head node;			/* tree */
	struct list_head buffers;		/* tree */
	struct list_head images;		/* tree */
	struct list_head queues;		/* tree */
	u32 buffer_count;			/* tree */
	u32 image_count;			/* tree */
	u32 queue_count;			/* tree */
	struct eng_atomic events;		/* unfinished */
};

struct eng_buffer {
	struct eng_context *context;
	struct list_head node;			/* tree */
	u8 *memory;
	u64 bytes;
	u64 alignment;
	u32 domain;
	u32 usage;
	u32 element_type;
	struct eng_atomic users;		/* unfinished events */
	struct eng_atomic exposed;		/* others write to it, for ever */
	struct list_head panels;		/* the device's sums */
	struct list_head writes;		/* the device's sums */
};

struct eng_image {
	struct eng_context *context;
	struct list_head node;			/* tree */
	struct eng_program *program;
	u64 command_count;
	struct eng_atomic users;		/* unfinished events */
};

/* Who executes in a queue: one at a time. */
enum eng_executor {
	ENG_NOBODY,
	ENG_WORKER,
	ENG_CALLER,
};

struct eng_queue {
	struct eng_context *context;
	struct eng_device *device;
	struct list_head node;			/* tree */
	u64 number;
	struct eng_work work;

	struct eng_spin lock;
	void *area;				/* lock: executor's, or NULL; stays once set */
	struct eng_team *team;			/* lock: executor's, or NULL; stays once set */
	struct eng_wait idle;			/* lock: executor or users went */
	struct list_head pending;		/* lock: events in order */
	struct eng_event *running;		/* lock: has begun, not ended */
	struct eng_use use;			/* executor's */
	enum eng_executor executor;		/* lock */
	u32 users;				/* lock: that end events, or wait */
	u32 stoppers;				/* lock: users that wait for the others */
	u32 unfinished;				/* lock: admitted, not ended */
	struct eng_work_counters counters;	/* lock */
};

static inline void eng_work_add(struct eng_work_counters *sum,
				const struct eng_work_counters *part)
{
	sum->done.commands += part->done.commands;
	sum->done.uploaded_bytes += part->done.uploaded_bytes;
	sum->done.launches += part->done.launches;
	sum->done.spread += part->done.spread;
	eng_section_longest(&sum->done.longest, &part->done.longest);
	sum->busy_ns += part->busy_ns;
}

enum eng_event_phase {
	ENG_PREPARED,				/* nobody else knows it */
	ENG_PENDING,				/* on its queue's list */
	ENG_CLAIMED,				/* somebody is going to end it */
	ENG_ENDED,				/* plus VIRTIO_ACCEL_EVENT_* */
};

struct eng_event {
	struct eng_atomic phase;
	struct eng_atomic abort;		/* asked to stop */
	struct list_head node;			/* queue's lock */
	struct eng_queue *queue;
	struct eng_image *image;
	void *owner;
	u64 scratch_bytes;			/* of the run's scratch */
	u64 sequence;
	u64 deadline_ns;			/* 0 for none */
	u32 tag;
	u32 process;
	u32 binding_count;
	u16 status;				/* once it has ended */
	bool big;				/* has products to be spread */
	bool timed;				/* the owner is told of commands */
	u32 timed_command;			/* executor: the last of these */
	u32 cost;				/* as much as fits */
	u64 timed_start_ns;			/* executor: when that began */
	struct eng_buffer *buffers[];		/* the run follows */
};

static inline size_t eng_event_run_offset(u32 binding_count)
{
	size_t bytes = offsetof(struct eng_event, buffers) +
		       binding_count * sizeof(struct eng_buffer *);

	return (bytes + 7) & ~(size_t)7;
}

static inline struct eng_run *eng_event_run(struct eng_event *event)
{
	return (struct eng_run *)((u8 *)event +
				  eng_event_run_offset(event->binding_count));
}

static inline bool eng_event_claim(struct eng_event *event)
{
	return eng_atomic_swap_if(&event->phase, ENG_PENDING, ENG_CLAIMED);
}

/* What comes after @event, or first after NULL, on a queue; NULL at the end. */
static inline struct eng_event *eng_event_next(struct eng_queue *queue,
					       struct eng_event *event)
{
	struct list_head *node = event ? event->node.next :
					 queue->pending.next;

	return node == &queue->pending ?
	       NULL : container_of(node, struct eng_event, node);
}

void *eng_event_release(struct eng_event *event);
void eng_event_end(struct eng_event *event, u32 state, u16 status);
bool eng_event_execute(struct eng_event *event, u64 until_ns);

u32 eng_timing_flags(const struct eng_event *event);
void eng_timing_step(struct eng_event *event, u32 command, u64 start_ns,
		     u64 end_ns);

void eng_buffer_free(struct eng_buffer *buffer);
void eng_image_free(struct eng_image *image);
u16 eng_queue_prepare(struct eng_queue *queue, size_t bytes);
struct eng_team *eng_queue_team(struct eng_queue *queue);
void eng_queue_free(struct eng_queue *queue);

void eng_queue_kick(struct eng_queue *queue);
void eng_queue_leave(struct eng_queue *queue);
void eng_queue_put(struct eng_queue *queue);
void eng_queue_stop(struct eng_queue *queue);
struct eng_queue *eng_queue_next(struct eng_device *device, u64 number);

#endif /* _ENG_OBJECT_H */
