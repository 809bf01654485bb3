// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts, buffers, programs and queues of a device.
 */
#include <linux/string.h>

#include "virtio.h"

/* An object that the device made; zero is no object. */
static u16 vacc_vio_take_id(struct vacc_request *request,
			    struct vacc_object *object)
{
	struct virtio_accel_object wire;

	memcpy(&wire, vacc_request_payload(request), sizeof(wire));
	object->id = le64_to_cpu(wire.id);
	return object->id ? VIRTIO_ACCEL_S_OK : VIRTIO_ACCEL_S_INTERNAL_ERROR;
}

static u16 vacc_vio_create_with(struct vacc_session *session,
				struct vacc_request *request, void **handle)
{
	struct vacc_object *object = vacc_session_object(session);
	u16 status;

	if (!object)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	status = vacc_request_call(request);
	if (status == VIRTIO_ACCEL_S_OK)
		status = vacc_vio_take_id(request, object);
	if (status == VIRTIO_ACCEL_S_OK)
		*handle = object;
	else
		vacc_session_forget(session, object);
	return status;
}

static u16 vacc_vio_create(struct vacc_session *session, u16 opcode,
			   const void *payload, u32 bytes, void **handle)
{
	struct vacc_request *request;
	u16 status;

	request = vacc_request_alloc(session, opcode, payload, bytes,
				     sizeof(struct virtio_accel_object),
				     GFP_KERNEL_ACCOUNT);
	if (!request)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	status = vacc_vio_create_with(session, request, handle);
	vacc_request_put(request);
	return status;
}

/* What ends pending work may take the descriptors that are kept for it. */
static u16 vacc_vio_destroy_send(struct vacc_request *request)
{
	u16 status;

	if (request->opcode == VIRTIO_ACCEL_OP_CANCEL_EVENT)
		status = vacc_ring_send_control(request);
	else
		status = vacc_ring_send(request, true);
	/* Killed before the device could see it: the object is still there. */
	return status == VACC_S_KILLED ? VACC_S_RESTART : status;
}

/**
 * vacc_vio_destroy() - have the device destroy an object, or cancel an event
 * @session: the session
 * @opcode: which kind
 * @id: the object
 *
 * Context: may sleep.
 * Return: a status; VACC_S_RESTART where the device did not see it, VACC_S_KILLED where it
 * will serve it though nobody waits.
 */
u16 vacc_vio_destroy(struct vacc_session *session, u16 opcode, u64 id)
{
	struct virtio_accel_object object = { cpu_to_le64(id) };
	struct vacc_request *request;
	u16 status;

	request = vacc_request_alloc(session, opcode, &object, sizeof(object),
				     0, GFP_KERNEL_ACCOUNT);
	if (!request)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	status = vacc_vio_destroy_send(request);
	if (status == VIRTIO_ACCEL_S_OK)
		status = vacc_request_wait(request);
	vacc_request_put(request);
	return status;
}

/*
 * Only what says that the object is still there is a rejection.  Whoever was killed
 * while waiting leaves the frame on the ring, and the device will serve it.
 */
static struct vacc_result vacc_vio_released(u16 status)
{
	switch (status) {
	case VIRTIO_ACCEL_S_OK:
	case VACC_S_KILLED:
		return vacc_done();
	case VIRTIO_ACCEL_S_DEVICE_LOST:
	case VIRTIO_ACCEL_S_STALE_OBJECT:
	case VIRTIO_ACCEL_S_INTERNAL_ERROR:
		return vacc_indeterminate(status);
	default:
		return vacc_rejected(status);
	}
}

static struct vacc_result vacc_vio_release(void *priv, u16 opcode, void *handle)
{
	struct vacc_session *session = priv;
	struct vacc_object *object = handle;
	struct vacc_result result;

	result = vacc_vio_released(vacc_vio_destroy(session, opcode,
						    object->id));
	if (result.outcome != VACC_OUTCOME_REJECTED)
		vacc_session_forget(session, object);
	return result;
}

static u16 vacc_vio_context_create(void *priv, void **context)
{
	struct virtio_accel_create_context payload = {};

	return vacc_vio_create(priv, VIRTIO_ACCEL_OP_CREATE_CONTEXT, &payload,
			       sizeof(payload), context);
}

static struct vacc_result vacc_vio_context_destroy(void *priv, void *context)
{
	return vacc_vio_release(priv, VIRTIO_ACCEL_OP_DESTROY_CONTEXT, context);
}

static u16 vacc_vio_buffer_create(void *priv, void *context,
				  const struct vacc_buffer_desc *desc,
				  void **buffer)
{
	const struct vacc_object *in = context;
	struct virtio_accel_allocate_buffer payload = {
		.context = cpu_to_le64(in->id),
		.bytes = cpu_to_le64(desc->bytes),
		.alignment = cpu_to_le64(desc->alignment),
		.domain = desc->domain,
		.usage = cpu_to_le32(desc->usage),
	};

	return vacc_vio_create(priv, VIRTIO_ACCEL_OP_ALLOCATE_BUFFER, &payload,
			       sizeof(payload), buffer);
}

static struct vacc_result vacc_vio_buffer_destroy(void *priv, void *buffer)
{
	return vacc_vio_release(priv, VIRTIO_ACCEL_OP_FREE_BUFFER, buffer);
}

static struct vacc_request *
vacc_vio_load_request(struct vacc_session *session, const struct vacc_object *in,
		      const struct vacc_load *load)
{
	struct virtio_accel_load_program payload = {
		.context = cpu_to_le64(in->id),
		.format = cpu_to_le32(load->format),
		.payload_bytes = cpu_to_le64(load->payload_bytes),
		.resident_bytes = cpu_to_le64(load->resident_bytes),
	};
	struct vacc_request *request;
	int i;

	for (i = 0; i < ARRAY_SIZE(payload.target); i++)
		payload.target[i] = cpu_to_le32(load->target[i]);
	request = vacc_request_alloc(session, VIRTIO_ACCEL_OP_LOAD_PROGRAM,
				     &payload, sizeof(payload),
				     sizeof(struct virtio_accel_object),
				     GFP_KERNEL_ACCOUNT);
	if (!request ||
	    !vacc_request_extra(request, load->payload, load->payload_bytes))
		return request;
	vacc_request_put(request);
	return NULL;
}

static u16 vacc_vio_program_load(void *priv, void *context,
				 const struct vacc_load *load, void **program)
{
	struct vacc_session *session = priv;
	struct vacc_request *request;
	u16 status;

	request = vacc_vio_load_request(session, context, load);
	if (!request)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	status = vacc_vio_create_with(session, request, program);
	vacc_request_put(request);
	return status;
}

static struct vacc_result vacc_vio_program_unload(void *priv, void *program)
{
	return vacc_vio_release(priv, VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, program);
}

static u16 vacc_vio_queue_create(void *priv, void *context, void **queue)
{
	const struct vacc_object *in = context;
	struct virtio_accel_create_queue payload = {
		.context = cpu_to_le64(in->id),
	};

	return vacc_vio_create(priv, VIRTIO_ACCEL_OP_CREATE_QUEUE, &payload,
			       sizeof(payload), queue);
}

static struct vacc_result vacc_vio_queue_destroy(void *priv, void *queue)
{
	return vacc_vio_release(priv, VIRTIO_ACCEL_OP_DESTROY_QUEUE, queue);
}

const struct vacc_backend_ops vacc_vio_ops = {
	.context_create = vacc_vio_context_create,
	.context_destroy = vacc_vio_context_destroy,
	.buffer_create = vacc_vio_buffer_create,
	.buffer_destroy = vacc_vio_buffer_destroy,
	.buffer_write = vacc_vio_buffer_write,
	.buffer_read = vacc_vio_buffer_read,
	.program_load = vacc_vio_program_load,
	.program_unload = vacc_vio_program_unload,
	.queue_create = vacc_vio_queue_create,
	.queue_destroy = vacc_vio_queue_destroy,
	.event_bytes = vacc_vio_event_bytes,
	.event_prepare = vacc_vio_event_prepare,
	.event_submit = vacc_vio_event_submit,
	.event_admit = vacc_vio_event_admit,
	.event_discard = vacc_vio_event_discard,
	.event_cancel = vacc_vio_event_cancel,
	.event_abort = vacc_vio_event_abort,
	.event_destroy = vacc_vio_event_destroy,
	.event_wanted = vacc_vio_event_wanted,
	.interrupt = vacc_session_interrupt,
	.stop = vacc_session_stop,
};
