/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A backend that does what a test says: it counts calls, fails the n-th of a kind,
 * and ends events when told to.
 */
#ifndef _RIG_FAKE_H
#define _RIG_FAKE_H

#include <linux/spinlock.h>

#include "../drivers/core.h"

enum fake_op {
	FAKE_CONTEXT_CREATE,
	FAKE_CONTEXT_DESTROY,
	FAKE_BUFFER_CREATE,
	FAKE_BUFFER_DESTROY,
	FAKE_BUFFER_WRITE,
	FAKE_BUFFER_READ,
	FAKE_PROGRAM_LOAD,
	FAKE_PROGRAM_UNLOAD,
	FAKE_QUEUE_CREATE,
	FAKE_QUEUE_DESTROY,
	FAKE_EVENT_BYTES,
	FAKE_EVENT_PREPARE,
	FAKE_EVENT_SUBMIT,
	FAKE_EVENT_ADMIT,
	FAKE_EVENT_DISCARD,
	FAKE_EVENT_CANCEL,
	FAKE_EVENT_ABORT,
	FAKE_EVENT_DESTROY,
	FAKE_EVENT_WANTED,
	FAKE_INTERRUPT,
	FAKE_STOP,
	FAKE_OP_COUNT,
};

/**
 * struct fake_fault - what goes wrong
 * @nth: at which call, counted from 1 when it was set; 0 for never
 * @result: what the call returns; of a create or a transfer only the status counts
 */
struct fake_fault {
	unsigned int nth;
	struct vacc_result result;
};

#define FAKE_EVENTS	64

/* Commands of each program, one of them a dense-linear. */
#define FAKE_COMMANDS	5
#define FAKE_DENSE	2

/**
 * struct fake - the backend
 * @dev: the device that it stands behind
 * @info: what it says of itself
 * @ops: its operations, which a test may change before registration
 * @lock: protects what follows
 * @calls: calls by operation
 * @fault: faults by operation
 * @objects: objects that were not released
 * @live: how many, by kind
 * @misuses: double releases, parents before children, calls after stop, prepared events
 *	that are not taken once
 * @stopped: stop was called
 * @run_here: submissions complete before the call that takes them returns
 * @executing: events have begun: cancel is BUSY, abort ends nothing
 * @events: admitted and not reported, in order, without holes
 * @event_count: how many
 * @prepared: events that are prepared, and neither taken nor discarded
 * @private_bytes: length of an event's private area
 * @load: what the last load said
 * @payload: the beginning of its artifact
 * @work: what the last submission said when it was prepared
 * @binds: its bindings, as far as there is room
 * @short_by: transfers move so many bytes less than they say
 * @lazy: reads say that they have moved, and have not
 * @hook: called at the start of each operation, or NULL
 * @hook_data: for @hook
 */
struct fake {
	struct vacc_device *dev;
	struct vacc_backend_info info;
	struct vacc_backend_ops ops;
	spinlock_t lock; /* all below */
	unsigned int calls[FAKE_OP_COUNT];
	struct fake_fault fault[FAKE_OP_COUNT];
	struct list_head objects;
	int live[VACC_KIND_COUNT];
	int misuses;
	bool stopped;
	bool run_here;
	bool executing;
	struct vacc_event *events[FAKE_EVENTS];
	unsigned int event_count;
	int prepared;
	size_t private_bytes;
	struct vacc_load load;
	u8 payload[32];
	struct vacc_submission work;
	struct vacc_bind binds[8];
	size_t short_by;
	bool lazy;
	void (*hook)(struct fake *fake, enum fake_op op);
	void *hook_data;
};

void fake_init(struct fake *fake);
void fake_cleanup(struct fake *fake);
void fake_fail(struct fake *fake, enum fake_op op, unsigned int nth,
	       struct vacc_result result);
bool fake_end(struct fake *fake, unsigned int index, u32 state, u16 status);
void *fake_memory(void *buffer);

#endif /* _RIG_FAKE_H */
