// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Calls from a port into the engine.
 */
#include "backend.h"

static u16 eng_release_call(enum eng_kind kind, void *object)
{
	switch (kind) {
	case ENG_KIND_CONTEXT:
		return eng_context_destroy(object);
	case ENG_KIND_BUFFER:
		return eng_buffer_destroy(object);
	case ENG_KIND_IMAGE:
		return eng_image_unload(object);
	case ENG_KIND_QUEUE:
		return eng_queue_destroy(object);
	case ENG_KIND_EVENT:
		return eng_event_destroy(object);
	default:
		return VIRTIO_ACCEL_S_INTERNAL_ERROR;
	}
}

/* The end of all creations: what may not be is released again. */
static u16 eng_create_end(struct eng_faults *faults, struct eng_node *node,
			  const struct eng_fault *fault, void *object)
{
	if (fault->kind != ENG_FAULT_AFTER)
		return VIRTIO_ACCEL_S_OK;
	eng_release_call(node->kind, object);
	eng_audit_released(faults, node);
	return fault->status;
}

/**
 * eng_backend_context() - make a context
 * @faults: script and audit
 * @node: its node
 * @device: where
 * @context: it
 *
 * Context: May sleep.
 * Return: as eng_context_create(), or a scripted status.
 */
u16 eng_backend_context(struct eng_faults *faults, struct eng_node *node,
			struct eng_device *device,
			struct eng_context **context)
{
	struct eng_fault fault = eng_faults_next(faults, ENG_CONTEXT_CREATE);
	u16 status;

	if (fault.kind == ENG_FAULT_BEFORE)
		return fault.status;
	status = eng_context_create(device, 0, context);
	if (status)
		return status;
	eng_audit_created(faults, node, ENG_KIND_CONTEXT, NULL);
	return eng_create_end(faults, node, &fault, *context);
}

/**
 * eng_backend_buffer() - make a buffer
 * @faults: script and audit
 * @node: its node
 * @parent: node of its context
 * @context: where
 * @desc: what it shall be
 * @buffer: it
 *
 * Context: May sleep.
 * Return: as eng_buffer_create(), or a scripted status.
 */
u16 eng_backend_buffer(struct eng_faults *faults, struct eng_node *node,
		       struct eng_node *parent, struct eng_context *context,
		       const struct eng_buffer_desc *desc,
		       struct eng_buffer **buffer)
{
	struct eng_fault fault = eng_faults_next(faults, ENG_BUFFER_CREATE);
	u16 status;

	if (!eng_audit_use(faults, parent))
		return VIRTIO_ACCEL_S_INTERNAL_ERROR;
	if (fault.kind == ENG_FAULT_BEFORE)
		return fault.status;
	status = eng_buffer_create(context, desc, buffer);
	if (status)
		return status;
	eng_audit_created(faults, node, ENG_KIND_BUFFER, parent);
	return eng_create_end(faults, node, &fault, *buffer);
}

/**
 * eng_backend_image() - load a program
 * @faults: script and audit
 * @node: its node
 * @parent: node of its context
 * @context: where
 * @load: the artifact
 * @image: it
 *
 * Context: May sleep.
 * Return: as eng_image_load(), or a scripted status.
 */
u16 eng_backend_image(struct eng_faults *faults, struct eng_node *node,
		      struct eng_node *parent, struct eng_context *context,
		      const struct eng_load *load, struct eng_image **image)
{
	struct eng_fault fault = eng_faults_next(faults, ENG_IMAGE_LOAD);
	u16 status;

	if (!eng_audit_use(faults, parent))
		return VIRTIO_ACCEL_S_INTERNAL_ERROR;
	if (fault.kind == ENG_FAULT_BEFORE)
		return fault.status;
	status = eng_image_load(context, load, image, NULL);
	if (status)
		return status;
	eng_audit_created(faults, node, ENG_KIND_IMAGE, parent);
	return eng_create_end(faults, node, &fault, *image);
}

/**
 * eng_backend_queue() - make an execution queue
 * @faults: script and audit
 * @node: its node
 * @parent: node of its context
 * @context: where
 * @queue: it
 *
 * Context: May sleep.
 * Return: as eng_queue_create(), or a scripted status.
 */
u16 eng_backend_queue(struct eng_faults *faults, struct eng_node *node,
		      struct eng_node *parent, struct eng_context *context,
		      struct eng_queue **queue)
{
	struct eng_fault fault = eng_faults_next(faults, ENG_QUEUE_CREATE);
	u16 status;

	if (!eng_audit_use(faults, parent))
		return VIRTIO_ACCEL_S_INTERNAL_ERROR;
	if (fault.kind == ENG_FAULT_BEFORE)
		return fault.status;
	status = eng_queue_create(context, 0, queue);
	if (status)
		return status;
	eng_audit_created(faults, node, ENG_KIND_QUEUE, parent);
	return eng_create_end(faults, node, &fault, *queue);
}

static struct eng_outcome eng_rejected(u16 status)
{
	return (struct eng_outcome){ ENG_REJECTED, status };
}

/**
 * eng_backend_submit() - admit work
 * @faults: script and audit
 * @node: node of the event
 * @parent: node of the queue
 * @event: eng_event_bytes() of memory
 * @work: the work
 *
 * Context: May sleep.
 * Return: ENG_DONE; ENG_REJECTED, and the memory may go; or ENG_INDETERMINATE: the
 * work was admitted, but whoever asked must not know.
 */
struct eng_outcome eng_backend_submit(struct eng_faults *faults,
				      struct eng_node *node,
				      struct eng_node *parent,
				      struct eng_event *event,
				      const struct eng_submission *work)
{
	struct eng_fault fault = eng_faults_next(faults, ENG_SUBMIT);
	u16 status;

	if (!eng_audit_use(faults, parent))
		return eng_rejected(VIRTIO_ACCEL_S_INTERNAL_ERROR);
	if (fault.kind == ENG_FAULT_BEFORE || fault.kind == ENG_FAULT_REJECT)
		return eng_rejected(fault.status);

	status = eng_event_prepare(event, work, NULL);
	if (status)
		return eng_rejected(status);
	eng_audit_created(faults, node, ENG_KIND_EVENT, parent);
	if (fault.kind == ENG_FAULT_AFTER) {
		eng_event_discard(event);
		status = fault.status;
	} else {
		status = eng_event_admit(event, true);
	}
	if (status) {
		eng_audit_released(faults, node);
		return eng_rejected(status);
	}
	if (fault.kind == ENG_FAULT_INDETERMINATE)
		return (struct eng_outcome){ ENG_INDETERMINATE, fault.status };
	return (struct eng_outcome){ ENG_DONE, VIRTIO_ACCEL_S_OK };
}

/**
 * eng_backend_reach() - begin a transfer
 * @faults: script and audit
 * @node: node of the buffer
 * @buffer: the buffer
 * @usage: as of eng_buffer_reach(), and says which method it is
 * @offset: first byte
 * @bytes: how many
 * @memory: where they are
 * @late: status with which the transfer shall end although all went well
 *
 * Context: Any task.
 * Return: as eng_buffer_reach(), or a scripted status.
 */
u16 eng_backend_reach(struct eng_faults *faults, const struct eng_node *node,
		      const struct eng_buffer *buffer, u32 usage, u64 offset,
		      u64 bytes, void **memory, u16 *late)
{
	struct eng_fault fault;

	fault = eng_faults_next(faults,
				usage == VIRTIO_ACCEL_USAGE_TRANSFER_DST ?
				ENG_BUFFER_WRITE : ENG_BUFFER_READ);
	if (!eng_audit_use(faults, node))
		return VIRTIO_ACCEL_S_INTERNAL_ERROR;
	if (fault.kind == ENG_FAULT_BEFORE)
		return fault.status;
	*late = fault.kind == ENG_FAULT_AFTER ? fault.status :
						VIRTIO_ACCEL_S_OK;
	return eng_buffer_reach(buffer, usage, offset, bytes, memory);
}

/**
 * eng_backend_poll() - look at an event
 * @faults: script and audit
 * @node: its node
 * @event: the event, ended if its time is over
 *
 * Context: May sleep; does not allocate.
 * Return: how the poll shall fail, mostly not at all.
 */
struct eng_fault eng_backend_poll(struct eng_faults *faults,
				  const struct eng_node *node,
				  struct eng_event *event)
{
	struct eng_fault fault = eng_faults_next(faults, ENG_EVENT_POLL);

	if (!eng_audit_use(faults, node)) {
		fault.kind = ENG_FAULT_BEFORE;
		fault.status = VIRTIO_ACCEL_S_INTERNAL_ERROR;
	} else if (fault.kind != ENG_FAULT_BEFORE) {
		eng_event_expire(event);
	}
	return fault;
}

/**
 * eng_backend_cancel() - cancel an event
 * @faults: script and audit
 * @node: its node
 * @event: the event
 *
 * Context: May sleep; does not allocate.
 * Return: as eng_event_cancel(), or a scripted status.
 */
u16 eng_backend_cancel(struct eng_faults *faults, const struct eng_node *node,
		       struct eng_event *event)
{
	struct eng_fault fault = eng_faults_next(faults, ENG_EVENT_CANCEL);
	u16 status;

	if (!eng_audit_use(faults, node))
		return VIRTIO_ACCEL_S_INTERNAL_ERROR;
	if (fault.kind == ENG_FAULT_BEFORE)
		return fault.status;
	eng_event_expire(event);
	status = eng_event_cancel(event);
	return fault.kind == ENG_FAULT_AFTER ? fault.status : status;
}

static enum eng_method eng_release_method(enum eng_kind kind)
{
	switch (kind) {
	case ENG_KIND_CONTEXT:
		return ENG_CONTEXT_DESTROY;
	case ENG_KIND_BUFFER:
		return ENG_BUFFER_DESTROY;
	case ENG_KIND_IMAGE:
		return ENG_IMAGE_UNLOAD;
	case ENG_KIND_QUEUE:
		return ENG_QUEUE_DESTROY;
	default:
		return ENG_EVENT_DESTROY;
	}
}

/**
 * eng_backend_release() - release an object
 * @faults: script and audit
 * @node: its node
 * @object: the engine's object
 *
 * Context: May sleep.
 * Return: ENG_DONE; ENG_REJECTED, and the object is as before; or
 * ENG_INDETERMINATE: it must not be used any more, and goes with its device.
 */
struct eng_outcome eng_backend_release(struct eng_faults *faults,
				       struct eng_node *node, void *object)
{
	struct eng_fault fault;
	u16 status;

	fault = eng_faults_next(faults, eng_release_method(node->kind));
	if (!eng_audit_release(faults, node))
		return eng_rejected(VIRTIO_ACCEL_S_INTERNAL_ERROR);
	if (fault.kind == ENG_FAULT_BEFORE || fault.kind == ENG_FAULT_REJECT)
		return eng_rejected(fault.status);
	if (fault.kind == ENG_FAULT_INDETERMINATE)
		return (struct eng_outcome){ ENG_INDETERMINATE, fault.status };

	status = eng_release_call(node->kind, object);
	if (status)
		return eng_rejected(status);
	eng_audit_released(faults, node);
	if (fault.kind == ENG_FAULT_AFTER)
		return (struct eng_outcome){ ENG_INDETERMINATE, fault.status };
	return (struct eng_outcome){ ENG_DONE, VIRTIO_ACCEL_S_OK };
}

/**
 * eng_backend_discard() - release an object of a device that is stopped
 * @faults: script and audit
 * @node: its node
 * @object: the engine's object
 *
 * No script counts here.
 *
 * Context: May sleep.
 */
void eng_backend_discard(struct eng_faults *faults, struct eng_node *node,
			 void *object)
{
	/* A release that was said to be indeterminate may have happened. */
	if (eng_audit_lives(faults, node) && eng_audit_release(faults, node) &&
	    !eng_release_call(node->kind, object))
		eng_audit_released(faults, node);
}
