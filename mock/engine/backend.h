/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Calls from a port into the engine: each is counted, may fail by script, and is
 * audited.  What releases and submits has three results instead of two.
 */
#ifndef _ENG_BACKEND_H
#define _ENG_BACKEND_H

#include "engine.h"
#include "fault.h"

/**
 * enum eng_result - what came of a release or a submission
 * @ENG_DONE: it has happened
 * @ENG_REJECTED: nothing has happened
 * @ENG_INDETERMINATE: nobody knows
 */
enum eng_result {
	ENG_DONE,
	ENG_REJECTED,
	ENG_INDETERMINATE,
};

/**
 * struct eng_outcome - a result with its reason
 * @result: the result
 * @status: OK where it is ENG_DONE, else why
 */
struct eng_outcome {
	enum eng_result result;
	u16 status;
};

u16 eng_backend_context(struct eng_faults *faults, struct eng_node *node,
			struct eng_device *device,
			struct eng_context **context);
u16 eng_backend_buffer(struct eng_faults *faults, struct eng_node *node,
		       struct eng_node *parent, struct eng_context *context,
		       const struct eng_buffer_desc *desc,
		       struct eng_buffer **buffer);
u16 eng_backend_image(struct eng_faults *faults, struct eng_node *node,
		      struct eng_node *parent, struct eng_context *context,
		      const struct eng_load *load, struct eng_image **image);
u16 eng_backend_queue(struct eng_faults *faults, struct eng_node *node,
		      struct eng_node *parent, struct eng_context *context,
		      struct eng_queue **queue);
struct eng_outcome eng_backend_submit(struct eng_faults *faults,
				      struct eng_node *node,
				      struct eng_node *parent,
				      struct eng_event *event,
				      const struct eng_submission *work);

u16 eng_backend_reach(struct eng_faults *faults, const struct eng_node *node,
		      const struct eng_buffer *buffer, u32 usage, u64 offset,
		      u64 bytes, void **memory, u16 *late);
struct eng_fault eng_backend_poll(struct eng_faults *faults,
				  const struct eng_node *node,
				  struct eng_event *event);
u16 eng_backend_cancel(struct eng_faults *faults, const struct eng_node *node,
		       struct eng_event *event);

struct eng_outcome eng_backend_release(struct eng_faults *faults,
				       struct eng_node *node, void *object);
void eng_backend_discard(struct eng_faults *faults, struct eng_node *node,
			 void *object);

#endif /* _ENG_BACKEND_H */
