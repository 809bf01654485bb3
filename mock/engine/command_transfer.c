// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Requests that move bytes between a driver's memory and a buffer, directly.
 */
#include "port_object.h"

static u16 eng_check_range(const struct virtio_accel_transfer *t)
{
	u64 end;

	if (!t->buffer || !t->bytes ||
	    check_add_overflow(le64_to_cpu(t->offset), le64_to_cpu(t->bytes),
			       &end))
		return VIRTIO_ACCEL_S_INVALID_ARGUMENT;
	return VIRTIO_ACCEL_S_OK;
}

/**
 * eng_check_write() - WRITE_BUFFER
 * @port: the port
 * @request: the request
 *
 * Context: Any task.
 * Return: OK, or INVALID_ARGUMENT.
 */
u16 eng_check_write(struct eng_port *port, struct eng_request *request)
{
	const struct virtio_accel_transfer *t = &request->fixed.transfer;

	if (le64_to_cpu(t->bytes) != request->tail_bytes)
		return VIRTIO_ACCEL_S_INVALID_ARGUMENT;
	return eng_check_range(t);
}

/**
 * eng_check_read() - READ_BUFFER
 * @port: the port
 * @request: the request
 *
 * Context: Any task.
 * Return: OK, INVALID_ARGUMENT or RESOURCE_LIMIT.
 */
u16 eng_check_read(struct eng_port *port, struct eng_request *request)
{
	const struct virtio_accel_transfer *t = &request->fixed.transfer;
	u16 status = eng_check_range(t);

	if (!status && le64_to_cpu(t->bytes) >
	    port->config.max_response - ENG_RESPONSE_BYTES)
		status = VIRTIO_ACCEL_S_RESOURCE_LIMIT;
	return status;
}

static u16 eng_transfer_begin(struct eng_port *port,
			      const struct virtio_accel_transfer *t, u32 usage,
			      struct port_object **found, void **memory, u16 *late)
{
	struct port_object *object = port_find(port, ENG_KIND_BUFFER, t->buffer);
	u64 offset = le64_to_cpu(t->offset);
	u64 bytes = le64_to_cpu(t->bytes);
	struct port_buffer *buffer;

	if (!object)
		return VIRTIO_ACCEL_S_STALE_OBJECT;
	buffer = container_of(object, struct port_buffer, object);
	if (offset > buffer->bytes || bytes > buffer->bytes - offset)
		return VIRTIO_ACCEL_S_OUT_OF_BOUNDS;
	if (!(buffer->usage & usage))
		return VIRTIO_ACCEL_S_PERMISSION_DENIED;
	if (eng_port_lost(port))
		return VIRTIO_ACCEL_S_DEVICE_LOST;
	*found = object;
	return eng_backend_reach(&port->faults, &object->node, object->eng,
				 usage, offset, bytes, memory, late);
}

/**
 * eng_run_write_buffer() - WRITE_BUFFER
 * @port: the port, whose objects lock is held
 * @request: the request
 *
 * Context: May sleep.
 * Return: a status of the wire.
 */
u16 eng_run_write_buffer(struct eng_port *port, struct eng_request *request)
{
	const struct virtio_accel_transfer *t = &request->fixed.transfer;
	struct port_object *buffer;
	struct eng_write write;
	void *memory;
	u16 status, late;

	status = eng_transfer_begin(port, t, VIRTIO_ACCEL_USAGE_TRANSFER_DST, &buffer,
				    &memory, &late);
	if (status)
		return status;
	eng_write_begin(&write, buffer->eng, le64_to_cpu(t->offset), request->tail_bytes);
	eng_cursor_get(&request->tail, memory, request->tail_bytes);
	eng_write_end(&write);
	return late;
}

/**
 * eng_run_read_buffer() - READ_BUFFER
 * @port: the port, whose objects lock is held
 * @request: the request
 *
 * Context: May sleep.
 * Return: a status of the wire.
 */
u16 eng_run_read_buffer(struct eng_port *port, struct eng_request *request)
{
	struct eng_cursor cursor = eng_chain_response(request->chain);
	struct port_object *buffer;
	void *memory;
	u16 status, late;

	status = eng_transfer_begin(port, &request->fixed.transfer,
				    VIRTIO_ACCEL_USAGE_TRANSFER_SRC, &buffer,
				    &memory, &late);
	if (status || late)
		return status ?: late;

	/* There is room for as many, so they are fewer than 4 GiB. */
	request->data_bytes = le64_to_cpu(request->fixed.transfer.bytes);
	eng_cursor_skip(&cursor, ENG_RESPONSE_BYTES);
	eng_cursor_put(&cursor, memory, request->data_bytes);
	return VIRTIO_ACCEL_S_OK;
}
