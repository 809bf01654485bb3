// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Buffers. */
#include <string.h>
#include <sys/mman.h>

#include "internal.h"

#define DEFAULT_ALIGNMENT	64

static __u32 best_domain(const struct vacc_device *dev)
{
	if (dev->capabilities & VIRTIO_ACCEL_CAP_SHARED_MEMORY)
		return VIRTIO_ACCEL_DOMAIN_SHARED;
	if (dev->capabilities & VIRTIO_ACCEL_CAP_HOST_MEMORY)
		return VIRTIO_ACCEL_DOMAIN_HOST;
	return VIRTIO_ACCEL_DOMAIN_DEVICE;
}

int vacc_buffer_create(const struct vacc_context *context, __u64 bytes,
		       const struct vacc_buffer_options *options,
		       struct vacc_buffer *buffer)
{
	static const struct vacc_buffer_options defaults;
	struct vacc_buffer_create arg = { .size = sizeof(arg), .bytes = bytes };
	int err;

	memset(buffer, 0, sizeof(*buffer));
	err = vacc_check_handle(context->dev, context->handle, "context");
	if (err)
		return err;
	if (!options)
		options = &defaults;
	arg.flags = options->flags;
	arg.context = context->handle;
	arg.domain = options->domain ? options->domain : best_domain(context->dev);
	arg.usage = options->usage ? options->usage : VIRTIO_ACCEL_USAGE_MASK;
	arg.element_type = options->element_type;
	arg.alignment = options->alignment ? options->alignment : DEFAULT_ALIGNMENT;
	err = vacc_ioctl(context->dev, VACC_BUFFER_CREATE, &arg);
	if (err)
		return err;
	buffer->dev = context->dev;
	buffer->owner = context->owner;
	buffer->handle = arg.handle;
	buffer->context = context->handle;
	buffer->domain = arg.domain;
	buffer->usage = arg.usage;
	buffer->element_type = arg.element_type;
	buffer->properties = arg.properties;
	buffer->bytes = bytes;
	buffer->allocation_bytes = arg.allocation_bytes;
	buffer->alignment = arg.actual_alignment;
	buffer->mmap_offset = arg.mmap_offset;
	return 0;
}

int vacc_buffer_destroy(struct vacc_buffer *buffer)
{
	int err = vacc_drop(buffer->dev, VACC_BUFFER_DESTROY, &buffer->handle, "buffer");

	if (!buffer->handle)
		vacc_buffer_unmap(buffer);
	return err;
}

int vacc_buffer_query(const struct vacc_buffer *buffer, struct vacc_buffer_query *query)
{
	int err = vacc_check_handle(buffer->dev, buffer->handle, "buffer");

	memset(query, 0, sizeof(*query));
	if (err)
		return err;
	query->size = sizeof(*query);
	query->handle = buffer->handle;
	return vacc_ioctl(buffer->dev, VACC_BUFFER_QUERY, query);
}

static int transfer(const struct vacc_buffer *buffer, unsigned long request,
		    __u64 offset, const struct vacc_iov *iov, __u32 count, __u32 type)
{
	struct vacc_buffer_transfer arg = {
		.size = sizeof(arg),
		.buffer = buffer->handle,
		.element_type = type,
		.offset = offset,
		.iov = vacc_array_of(iov, count, sizeof(*iov)),
	};
	int err = vacc_check_handle(buffer->dev, buffer->handle, "buffer");

	return err ? err : vacc_ioctl(buffer->dev, request, &arg);
}

int vacc_buffer_writev(const struct vacc_buffer *buffer, __u64 offset,
		       const struct vacc_iov *iov, __u32 count, __u32 element_type)
{
	return transfer(buffer, VACC_BUFFER_WRITE, offset, iov, count, element_type);
}

int vacc_buffer_readv(const struct vacc_buffer *buffer, __u64 offset,
		      const struct vacc_iov *iov, __u32 count, __u32 element_type)
{
	return transfer(buffer, VACC_BUFFER_READ, offset, iov, count, element_type);
}

int vacc_buffer_write(const struct vacc_buffer *buffer, __u64 offset,
		      const void *data, size_t bytes)
{
	struct vacc_iov iov = { (uintptr_t)data, bytes };

	return vacc_buffer_writev(buffer, offset, &iov, 1, VACC_TYPE_UNTYPED);
}

int vacc_buffer_read(const struct vacc_buffer *buffer, __u64 offset, void *data,
		     size_t bytes)
{
	struct vacc_iov iov = { (uintptr_t)data, bytes };

	return vacc_buffer_readv(buffer, offset, &iov, 1, VACC_TYPE_UNTYPED);
}

int vacc_buffer_map(struct vacc_buffer *buffer, int prot)
{
	int err = vacc_check_handle(buffer->dev, buffer->handle, "buffer");
	void *map;

	if (err)
		return err;
	if (buffer->map)
		return 0;
	if (!(buffer->properties & VACC_PROP_MAPPABLE) || !buffer->mmap_offset)
		return vacc_fail(EOPNOTSUPP, "the buffer cannot be mapped");
	if (buffer->bytes > SIZE_MAX)
		return vacc_fail(ENOMEM, "the buffer does not fit the address space");
	map = mmap(NULL, buffer->bytes, prot, MAP_SHARED, buffer->dev->fd,
		   buffer->mmap_offset);
	if (map == MAP_FAILED)
		return vacc_fail(errno, "cannot map the buffer: %s",
				 vacc_strerror(errno));
	buffer->map = map;
	return 0;
}

void vacc_buffer_unmap(struct vacc_buffer *buffer)
{
	if (buffer->map)
		munmap(buffer->map, buffer->bytes);
	buffer->map = NULL;
}
