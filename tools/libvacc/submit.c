// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Submissions. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define BINDS_ON_STACK	16

/* Translate bindings for the kernel; what is foreign or leaves its buffer fails. */
static int translate(const struct vacc_queue *queue, const struct vacc_bind *binds,
		     __u32 count, struct vacc_binding *bindings)
{
	for (__u32 i = 0; i < count; i++) {
		const struct vacc_buffer *buffer = binds[i].buffer;
		__u64 bytes = binds[i].bytes;

		if (!buffer || !vacc_check_owner(queue->dev, buffer->dev, buffer->owner))
			return vacc_fail(ENOENT, "binding %u is of another device", i);
		if (!bytes) {
			if (binds[i].offset >= buffer->bytes)
				return vacc_fail(ERANGE,
						 "binding %u begins past its buffer", i);
			bytes = buffer->bytes - binds[i].offset;
		}
		bindings[i] = (struct vacc_binding) {
			.buffer = buffer->handle,
			.slot = binds[i].slot,
			.access = binds[i].access,
			.element_type = binds[i].element_type,
			.offset = binds[i].offset,
			.bytes = bytes,
		};
	}
	return 0;
}

static int submit_bindings(const struct vacc_queue *queue,
			   const struct vacc_program *program,
			   const struct vacc_binding *bindings, __u32 count,
			   const struct vacc_submit_options *options,
			   struct vacc_event *event)
{
	struct vacc_submit arg = {
		.size = sizeof(arg),
		.flags = options->flags,
		.queue = queue->handle,
		.program = program->handle,
		.kind = VACC_SUBMIT_PROGRAM,
		.bindings = vacc_array_of(bindings, count, sizeof(*bindings)),
		.timeout_ns = options->timeout_ns,
		.user_data = options->user_data,
		.deadline_ns = options->deadline_ns,
		.out_fence_fd = -1,
	};
	int err;

	if (options->in_fence_count)
		arg.in_fences = vacc_array_of(options->in_fences,
					      options->in_fence_count,
					      sizeof(*options->in_fences));
	if (options->work_count)
		arg.work = vacc_array_of(options->work, options->work_count,
					 sizeof(*options->work));
	err = vacc_ioctl(queue->dev, VACC_SUBMIT, &arg);
	if (err)
		return err;
	event->dev = queue->dev;
	event->owner = queue->owner;
	event->handle = arg.event;
	event->admission = arg.admission;
	event->state = arg.state;
	event->status = arg.status;
	event->flags = arg.event_flags;
	event->out_fence_fd = arg.out_fence_fd;
	return 0;
}

int vacc_submit(const struct vacc_queue *queue, const struct vacc_program *program,
		const struct vacc_bind *binds, __u32 count,
		const struct vacc_submit_options *options, struct vacc_event *event)
{
	static const struct vacc_submit_options defaults;
	struct vacc_binding few[BINDS_ON_STACK], *bindings = few;
	int err;

	memset(event, 0, sizeof(*event));
	event->out_fence_fd = -1;
	err = vacc_check_handle(queue->dev, queue->handle, "queue");
	if (err)
		return err;
	if (!vacc_check_owner(queue->dev, program->dev, program->owner))
		return vacc_fail(ENOENT, "the program is of another device");
	if (count > VIRTIO_ACCEL_MAX_BINDINGS)
		return vacc_fail(EINVAL, "%u bindings are more than any device takes",
				 count);
	if (count > BINDS_ON_STACK) {
		bindings = calloc(count, sizeof(*bindings));
		if (!bindings)
			return vacc_fail(ENOMEM, "out of memory");
	}
	err = translate(queue, binds, count, bindings);
	if (!err)
		err = submit_bindings(queue, program, bindings, count,
				      options ? options : &defaults, event);
	if (bindings != few)
		free(bindings);
	return err;
}

int vacc_submit_wait(const struct vacc_queue *queue,
		     const struct vacc_program *program,
		     const struct vacc_bind *binds, __u32 count, __u64 timeout_ns)
{
	struct vacc_submit_options options = {
		.flags = VACC_SUBMIT_WAIT,
		.timeout_ns = timeout_ns,
		.deadline_ns = VACC_NO_DEADLINE,
	};
	struct vacc_event event;
	int err = vacc_submit(queue, program, binds, count, &options, &event);

	if (err)
		return err;
	while (event.state == VACC_EVENT_PENDING) {
		err = vacc_wait(queue->dev, &event, VACC_NO_DEADLINE);
		if (err && err != -EINTR)
			break;
	}
	vacc_event_destroy(&event);
	if (event.state == VACC_EVENT_PENDING)
		return vacc_fail(-err, "waiting failed: %s", vacc_strerror(err));
	err = vacc_event_error(&event);
	if (!err)
		return 0;
	if (event.state == VACC_EVENT_CANCELLED)
		return vacc_fail(ECANCELED, "the work was cancelled");
	return vacc_fail(-err, "the work failed: %s (%s)", vacc_strerror(err),
			 vacc_status_name(event.status));
}
