/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A submission under way, from its checks to the backend.
 */
#ifndef _VACC_SUBMIT_H
#define _VACC_SUBMIT_H

#include "core.h"

/**
 * struct vacc_submit_batch - a SUBMIT_MANY under way
 * @call: the call
 * @index: the element at work; as many were submitted
 * @events: of the elements before it
 */
struct vacc_submit_batch {
	struct vacc_call *call;
	u32 index;
	struct vacc_event **events;
};

/**
 * struct vacc_submit_state - a submission under way
 * @call: the call
 * @arg: the caller's argument
 * @bindings: the caller's bindings
 * @queue: where it runs
 * @program: what runs
 * @buffers: what the bindings name, as far as they were found; later each once
 * @found: how many
 * @backend_bindings: for the backend
 * @event: the event
 * @in_fences: the caller's records of what it waits for
 * @waits: the fences, until the event takes them over
 * @wait_count: how many
 * @work: what it says of each command, or NULL
 * @many: the call that it is an element of, or NULL
 */
struct vacc_submit_state {
	struct vacc_call *call;
	struct vacc_submit *arg;
	struct vacc_binding *bindings;
	struct vacc_queue *queue;
	struct vacc_program *program;
	struct vacc_buffer **buffers;
	u32 found;
	struct vacc_bind *backend_bindings;
	struct vacc_event *event;
	struct vacc_in_fence *in_fences;
	struct vacc_fence_wait *waits;
	u32 wait_count;
	struct vacc_work *work;
	struct vacc_submit_batch *many;
};

int vacc_submit_check(struct vacc_call *call, const struct vacc_submit *arg);
int vacc_submit_resolve(struct vacc_submit_state *state);

int vacc_in_fence_read(struct vacc_submit_state *state);
int vacc_in_fence_find(struct vacc_submit_state *state);
void vacc_in_fence_release(struct vacc_submit_state *state);

int vacc_work_read(struct vacc_submit_state *state);
int vacc_work_check(struct vacc_submit_state *state);
void vacc_work_release(struct vacc_submit_state *state);
int vacc_attribution_make(struct vacc_submit_state *state,
			  struct vacc_event *event);

#endif /* _VACC_SUBMIT_H */
