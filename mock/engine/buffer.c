// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Buffers: memory of the caller that transfers and programs reach.
 */
#include "object.h"

static u16 eng_buffer_check(const struct eng_limits *limits,
			    const struct eng_buffer_desc *desc)
{
	if (desc->usage & ~VIRTIO_ACCEL_USAGE_MASK)
		return VIRTIO_ACCEL_S_UNSUPPORTED;
	if (!desc->bytes || !is_power_of_2(desc->alignment) || !desc->usage ||
	    desc->domain < VIRTIO_ACCEL_DOMAIN_HOST ||
	    desc->domain > VIRTIO_ACCEL_DOMAIN_SHARED ||
	    desc->element_type >= VACC_TYPE_COUNT)
		return VIRTIO_ACCEL_S_INVALID_ARGUMENT;
	if (desc->bytes > limits->max_buffer_bytes)
		return VIRTIO_ACCEL_S_RESOURCE_LIMIT;
	if (!desc->memory ||
	    ((uintptr_t)desc->memory & (desc->alignment - 1)))
		return VIRTIO_ACCEL_S_INVALID_ARGUMENT;
	return VIRTIO_ACCEL_S_OK;
}

/**
 * eng_buffer_create() - make a buffer of the caller's memory
 * @context: where it belongs
 * @desc: what it shall be
 * @buffer: it
 *
 * Context: May sleep.
 * Return: OK, UNSUPPORTED, INVALID_ARGUMENT, RESOURCE_LIMIT or OUT_OF_MEMORY.
 */
u16 eng_buffer_create(struct eng_context *context,
		      const struct eng_buffer_desc *desc,
		      struct eng_buffer **buffer)
{
	struct eng_device *device = context->device;
	struct eng_buffer *buf;
	u16 status;

	status = eng_buffer_check(&device->limits, desc);
	if (status)
		return status;

	buf = eng_zalloc(sizeof(*buf));
	if (!buf)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	buf->context = context;
	buf->memory = desc->memory;
	buf->bytes = desc->bytes;
	buf->alignment = desc->alignment;
	buf->domain = desc->domain;
	buf->usage = desc->usage;
	buf->element_type = desc->element_type;
	INIT_LIST_HEAD(&buf->panels);
	INIT_LIST_HEAD(&buf->writes);

	eng_mutex_lock(&device->tree);
	if (context->buffer_count >= device->limits.max_buffers) {
		eng_mutex_unlock(&device->tree);
		eng_free(buf);
		return VIRTIO_ACCEL_S_RESOURCE_LIMIT;
	}
	context->buffer_count++;
	list_add_tail(&buf->node, &context->buffers);
	eng_mutex_unlock(&device->tree);

	*buffer = buf;
	return VIRTIO_ACCEL_S_OK;
}

/**
 * eng_buffer_free() - free a buffer that is on no list
 * @buffer: the buffer; its memory is not ours
 *
 * Context: May sleep.
 */
void eng_buffer_free(struct eng_buffer *buffer)
{
	eng_panels_drop(buffer);
	eng_free(buffer);
}

/**
 * eng_buffer_destroy() - end a buffer
 * @buffer: the buffer
 *
 * Context: May sleep.
 * Return: OK, or BUSY where an unfinished event binds it.
 */
u16 eng_buffer_destroy(struct eng_buffer *buffer)
{
	struct eng_context *context = buffer->context;
	struct eng_device *device = context->device;

	eng_mutex_lock(&device->tree);
	if (eng_atomic_get(&buffer->users)) {
		eng_mutex_unlock(&device->tree);
		return VIRTIO_ACCEL_S_BUSY;
	}
	context->buffer_count--;
	list_del_init(&buffer->node);
	eng_mutex_unlock(&device->tree);

	eng_buffer_free(buffer);
	return VIRTIO_ACCEL_S_OK;
}

/**
 * eng_buffer_info() - what a buffer came to be
 * @buffer: the buffer
 * @info: size, alignment and properties
 *
 * Context: Any.
 */
void eng_buffer_info(const struct eng_buffer *buffer,
		     struct eng_buffer_info *info)
{
	u32 visible = VIRTIO_ACCEL_USAGE_INPUT | VIRTIO_ACCEL_USAGE_OUTPUT |
		      VIRTIO_ACCEL_USAGE_MUTABLE;

	info->allocation_bytes = buffer->bytes;
	info->alignment = buffer->alignment;
	info->properties = buffer->domain == VIRTIO_ACCEL_DOMAIN_DEVICE ?
			   VACC_PROP_DEVICE_LOCAL : VACC_PROP_HOST_VISIBLE;
	if ((buffer->usage & visible) ||
	    buffer->domain == VIRTIO_ACCEL_DOMAIN_SHARED)
		info->properties |= VACC_PROP_DIRECT_BINDING;
}

/**
 * eng_buffer_reach() - check a transfer and find its memory
 * @buffer: the buffer
 * @usage: VIRTIO_ACCEL_USAGE_TRANSFER_DST for a write to the buffer,
 *	VIRTIO_ACCEL_USAGE_TRANSFER_SRC for a read from it
 * @offset: first byte
 * @bytes: how many
 * @memory: where they are.  A write happens between eng_write_begin() and
 *	eng_write_end()
 *
 * Context: Any.
 * Return: OK, PERMISSION_DENIED, INVALID_ARGUMENT or OUT_OF_BOUNDS.
 */
u16 eng_buffer_reach(const struct eng_buffer *buffer, u32 usage, u64 offset,
		     u64 bytes, void **memory)
{
	if (!(buffer->usage & usage))
		return VIRTIO_ACCEL_S_PERMISSION_DENIED;
	if (!bytes)
		return VIRTIO_ACCEL_S_INVALID_ARGUMENT;
	if (offset > buffer->bytes || bytes > buffer->bytes - offset)
		return VIRTIO_ACCEL_S_OUT_OF_BOUNDS;

	*memory = buffer->memory + offset;
	return VIRTIO_ACCEL_S_OK;
}
