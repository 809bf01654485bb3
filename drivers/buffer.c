// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers.
 */
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "core.h"

#define VACC_USAGE_PROGRAM	(VIRTIO_ACCEL_USAGE_INPUT |	\
				 VIRTIO_ACCEL_USAGE_OUTPUT |	\
				 VIRTIO_ACCEL_USAGE_MUTABLE)

static struct vacc_result vacc_buffer_release(const struct vacc_backend_ops *ops,
					      void *priv, struct vacc_obj *obj)
{
	return ops->buffer_destroy(priv, obj->backend);
}

/*
 * The order keeps vacc_mmap() safe, see vacc_map_find().  The charge goes before the
 * handle: who waits for room looks at what is left to be reaped.
 */
static void vacc_buffer_free(struct vacc_obj *obj)
{
	struct vacc_buffer *buffer = container_of(obj, struct vacc_buffer, obj);

	vacc_map_unreserve(buffer);
	if (buffer->storage)
		vacc_storage_put(buffer->storage);
	else
		vacc_quota_uncharge(obj->file->dev, buffer->bytes);
	vacc_obj_unreserve(obj);
	kfree(buffer);
}

const struct vacc_kind_ops vacc_buffer_kind = {
	.release = vacc_buffer_release,
	.free = vacc_buffer_free,
};

static u64 vacc_domain_capability(u32 domain)
{
	switch (domain) {
	case VIRTIO_ACCEL_DOMAIN_HOST:
		return VIRTIO_ACCEL_CAP_HOST_MEMORY;
	case VIRTIO_ACCEL_DOMAIN_DEVICE:
		return VIRTIO_ACCEL_CAP_DEVICE_MEMORY;
	case VIRTIO_ACCEL_DOMAIN_SHARED:
		return VIRTIO_ACCEL_CAP_SHARED_MEMORY;
	default:
		return 0;
	}
}

/* What this kernel, device or backend does not have. */
static int vacc_buffer_check_support(struct vacc_call *call,
				     const struct vacc_buffer_create *create)
{
	u64 capability = vacc_domain_capability(create->domain);

	if (create->flags & ~VACC_BUFFER_NO_WRITE_MAP)
		return vacc_fail(call, -EOPNOTSUPP, "unknown flag");
	if (create->source_kind != VACC_SOURCE_NEW)
		return vacc_fail(call, -EOPNOTSUPP,
				 "this source of memory is reserved");
	if (create->usage & ~VIRTIO_ACCEL_USAGE_MASK)
		return vacc_fail(call, -EOPNOTSUPP, "unknown usage");
	if (capability && !(call->dev->info.capabilities & capability))
		return vacc_fail(call, -EOPNOTSUPP,
				 "the device does not have this memory domain");
	return 0;
}

static int vacc_buffer_check(struct vacc_call *call,
			     const struct vacc_buffer_create *create)
{
	int err = vacc_buffer_check_support(call, create);

	if (err)
		return err;
	if (create->source_fd || create->source_addr || create->source_offset)
		return vacc_fail(call, -EINVAL,
				 "new memory has no source, its fields are zero");
	if (!create->bytes)
		return vacc_fail(call, -EINVAL, "a buffer cannot be empty");
	if (!is_power_of_2(create->alignment))
		return vacc_fail(call, -EINVAL,
				 "an alignment is a power of two");
	if (!vacc_domain_capability(create->domain))
		return vacc_fail(call, -EINVAL, "no such memory domain");
	if (!create->usage)
		return vacc_fail(call, -EINVAL, "a buffer needs a usage");
	if (create->element_type >= VACC_TYPE_COUNT)
		return vacc_fail(call, -EINVAL, "no such element type");
	return 0;
}

static int vacc_buffer_check_limits(struct vacc_call *call,
				    const struct vacc_buffer_create *create)
{
	if (create->bytes > call->dev->info.max_buffer_bytes)
		return vacc_fail(call, -ENOSPC,
				 "the buffer is larger than max_buffer_bytes");
	if (create->alignment > SZ_2M)
		return vacc_fail(call, -ENOSPC,
				 "alignments end at 2 MiB");
	return 0;
}

static u32 vacc_buffer_properties(const struct vacc_buffer_create *create)
{
	u32 properties = 0;

	if (create->domain == VIRTIO_ACCEL_DOMAIN_DEVICE)
		properties |= VACC_PROP_DEVICE_LOCAL;
	else
		properties |= VACC_PROP_HOST_VISIBLE;
	if ((create->usage & VACC_USAGE_PROGRAM) ||
	    create->domain == VIRTIO_ACCEL_DOMAIN_SHARED)
		properties |= VACC_PROP_DIRECT_BINDING;
	return properties;
}

/* Memory and, where it may be mapped, a place among the mappings of the file. */
static int vacc_buffer_make_memory(struct vacc_call *call,
				   struct vacc_buffer *buffer,
				   const struct vacc_buffer_create *create)
{
	struct vacc_storage *storage;
	int err;

	buffer->alignment = create->alignment;
	/* A device's own memory counts as well. */
	if (!(call->dev->info.features & VACC_FEATURE_MMAP))
		return vacc_quota_charge(call, create->bytes,
					 "the buffer does not fit max_total_bytes");
	storage = vacc_storage_create(call, create->bytes, create->alignment);
	if (IS_ERR(storage))
		return PTR_ERR(storage);
	buffer->storage = storage;
	buffer->alignment = max_t(u64, create->alignment, PAGE_SIZE);
	if (create->domain == VIRTIO_ACCEL_DOMAIN_DEVICE)
		return 0;
	err = vacc_map_reserve(buffer);
	if (err) {
		buffer->storage = NULL;
		vacc_storage_put(storage);
		return err;
	}
	buffer->properties |= VACC_PROP_MAPPABLE;
	return 0;
}

static int vacc_buffer_make_backend(struct vacc_call *call,
				    struct vacc_buffer *buffer,
				    const struct vacc_buffer_create *create)
{
	struct vacc_buffer_desc desc = {
		.bytes = create->bytes,
		.alignment = create->alignment,
		.domain = create->domain,
		.usage = create->usage,
		.element_type = create->element_type,
		.memory = buffer->storage ? buffer->storage->memory : NULL,
	};
	const struct vacc_backend_ops *ops = vacc_device_enter(call->dev);
	u16 status;

	if (!ops)
		return vacc_device_error(call->dev);
	status = ops->buffer_create(call->dev->priv,
				    buffer->obj.context->obj.backend, &desc,
				    &buffer->obj.backend);
	vacc_device_exit(call->dev);
	return vacc_errno(status);
}

static struct vacc_buffer *
vacc_buffer_make(struct vacc_call *call, struct vacc_context *context,
		 const struct vacc_buffer_create *create)
{
	struct vacc_buffer *buffer;
	int err;

	buffer = kzalloc(sizeof(*buffer), GFP_KERNEL_ACCOUNT);
	if (!buffer)
		return ERR_PTR(-ENOMEM);
	buffer->bytes = create->bytes;
	buffer->domain = create->domain;
	buffer->usage = create->usage;
	buffer->element_type = create->element_type;
	buffer->flags = create->flags;
	buffer->properties = vacc_buffer_properties(create);
	err = vacc_obj_reserve(call, &buffer->obj, VACC_KIND_BUFFER, context);
	if (err)
		goto err_free;
	err = vacc_buffer_make_memory(call, buffer, create);
	if (err)
		goto err_handle;
	err = vacc_buffer_make_backend(call, buffer, create);
	if (!err)
		return buffer;
	vacc_buffer_free(&buffer->obj);
	return ERR_PTR(err);

err_handle:
	vacc_obj_unreserve(&buffer->obj);
err_free:
	kfree(buffer);
	return ERR_PTR(err);
}

static u64 vacc_buffer_mmap_offset(const struct vacc_buffer *buffer)
{
	return (u64)buffer->map_index << PAGE_SHIFT;
}

static u64 vacc_buffer_charge(const struct vacc_buffer *buffer)
{
	return buffer->storage ? buffer->storage->bytes : buffer->bytes;
}

/**
 * vacc_buffer_create() - VACC_BUFFER_CREATE
 * @call: the call
 * @arg: struct vacc_buffer_create
 *
 * Context: process.
 * Return: 0; -EOPNOTSUPP, -EINVAL, -ENOENT; -ENOSPC, -EAGAIN at a limit; -ENOMEM; -EINTR;
 * -ENODEV; or what the backend says.
 */
int vacc_buffer_create(struct vacc_call *call, void *arg)
{
	struct vacc_buffer_create *create = arg;
	struct vacc_context *context;
	struct vacc_buffer *buffer;
	int err;

	err = vacc_buffer_check(call, create);
	if (err)
		return err;
	context = vacc_context_get(call, create->context);
	if (!context)
		return -ENOENT;
	err = vacc_buffer_check_limits(call, create);
	if (err)
		goto out;
	buffer = vacc_buffer_make(call, context, create);
	if (IS_ERR(buffer)) {
		err = PTR_ERR(buffer);
		goto out;
	}
	atomic64_inc(&call->dev->allocations);
	buffer->obj.bytes = vacc_buffer_charge(buffer);
	create->allocation_bytes = buffer->obj.bytes;
	create->actual_alignment = buffer->alignment;
	create->mmap_offset = vacc_buffer_mmap_offset(buffer);
	create->handle = buffer->obj.handle;
	create->properties = buffer->properties;
	call->created = &buffer->obj;
out:
	vacc_context_put(context);
	return err;
}

/**
 * vacc_buffer_destroy() - VACC_BUFFER_DESTROY
 * @call: the call
 * @arg: struct vacc_handle_arg
 *
 * Context: process.
 * Return: as vacc_obj_destroy().
 */
int vacc_buffer_destroy(struct vacc_call *call, void *arg)
{
	return vacc_obj_destroy(call, arg, VACC_KIND_BUFFER);
}

/* What of the flags the backend knows; a device that is gone keeps nothing. */
static u32 vacc_buffer_panels(struct vacc_device *dev, const struct vacc_buffer *buffer)
{
	const struct vacc_backend_ops *ops = vacc_device_enter(dev);
	bool possible;

	if (!ops)
		return 0;
	possible = ops->buffer_panels && ops->buffer_panels(dev->priv, buffer->obj.backend);
	vacc_device_exit(dev);
	return possible ? VACC_BUFFER_PANELS_POSSIBLE : 0;
}

/**
 * vacc_buffer_query() - VACC_BUFFER_QUERY
 * @call: the call
 * @arg: struct vacc_buffer_query
 *
 * Context: process.
 * Return: 0, -EOPNOTSUPP for a flag, -ENOENT.
 */
int vacc_buffer_query(struct vacc_call *call, void *arg)
{
	struct vacc_buffer_query *query = arg;
	struct vacc_buffer *buffer;
	struct vacc_obj *obj;

	if (query->flags)
		return vacc_fail(call, -EOPNOTSUPP, "unknown flag");
	obj = vacc_obj_get(call, query->handle, VACC_KIND_BUFFER);
	if (!obj)
		return vacc_fail(call, -ENOENT, "no such buffer in this file");
	buffer = container_of(obj, struct vacc_buffer, obj);
	query->context = obj->context->obj.handle;
	query->domain = buffer->domain;
	query->usage = buffer->usage;
	query->element_type = buffer->element_type;
	query->properties = buffer->properties;
	query->buffer_flags = buffer->flags | vacc_buffer_panels(call->dev, buffer);
	query->pending = atomic_read(&obj->pending);
	query->bytes = buffer->bytes;
	query->alignment = buffer->alignment;
	query->allocation_bytes = vacc_buffer_charge(buffer);
	query->mmap_offset = vacc_buffer_mmap_offset(buffer);
	vacc_obj_put(obj);
	return 0;
}
