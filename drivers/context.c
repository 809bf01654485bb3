// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts: what else an object belongs to.
 */
#include <linux/slab.h>

#include "core.h"

static bool vacc_context_take(struct vacc_call *call, void *arg)
{
	struct vacc_device *dev = call->dev;
	int old = atomic_read(&dev->contexts);

	do {
		if (old >= dev->info.max_contexts)
			return false;
	} while (!atomic_try_cmpxchg(&dev->contexts, &old, old + 1));
	return true;
}

static void vacc_context_ref_free(struct kref *ref)
{
	kfree(container_of(ref, struct vacc_context, ref));
}

/**
 * vacc_context_unref() - let go of the memory of a context
 * @context: the context
 *
 * Context: any.
 */
void vacc_context_unref(struct vacc_context *context)
{
	kref_put(&context->ref, vacc_context_ref_free);
}

static struct vacc_result vacc_context_release(const struct vacc_backend_ops *ops,
					       void *priv, struct vacc_obj *obj)
{
	return ops->context_destroy(priv, obj->backend);
}

static void vacc_context_free(struct vacc_obj *obj)
{
	/* Room first: who waits for it looks at what is left to be reaped. */
	atomic_dec(&obj->file->dev->contexts);
	vacc_obj_unreserve(obj);
	vacc_context_unref(container_of(obj, struct vacc_context, obj));
}

const struct vacc_kind_ops vacc_context_kind = {
	.release = vacc_context_release,
	.free = vacc_context_free,
};

/**
 * vacc_context_get() - find a context and use it
 * @call: the call
 * @handle: its handle
 *
 * Context: process.
 * Return: the context, for vacc_context_put(), or NULL.
 */
struct vacc_context *vacc_context_get(struct vacc_call *call, u32 handle)
{
	struct vacc_obj *obj = vacc_obj_get(call, handle, VACC_KIND_CONTEXT);

	if (!obj) {
		call->reason.text = "no such context in this file";
		return NULL;
	}
	return container_of(obj, struct vacc_context, obj);
}

/**
 * vacc_context_put() - stop using a context
 * @context: the context
 *
 * Context: any.
 */
void vacc_context_put(struct vacc_context *context)
{
	vacc_obj_put(&context->obj);
}

static int vacc_context_make(struct vacc_call *call,
			     struct vacc_context *context)
{
	const struct vacc_backend_ops *ops;
	u16 status;
	int err;

	err = vacc_obj_reserve(call, &context->obj, VACC_KIND_CONTEXT, NULL);
	if (err)
		return err;
	ops = vacc_device_enter(call->dev);
	if (!ops) {
		vacc_obj_unreserve(&context->obj);
		return vacc_device_error(call->dev);
	}
	status = ops->context_create(call->dev->priv, &context->obj.backend);
	vacc_device_exit(call->dev);
	if (status != VIRTIO_ACCEL_S_OK)
		vacc_obj_unreserve(&context->obj);
	return vacc_errno(status);
}

/**
 * vacc_context_create() - VACC_CONTEXT_CREATE
 * @call: the call
 * @arg: struct vacc_context_create
 *
 * Context: process.
 * Return: 0; -EOPNOTSUPP for a flag; -EINVAL; -ENOSPC, -EAGAIN at a limit; -ENOMEM;
 * -EINTR; -ENODEV; or what the backend says.
 */
int vacc_context_create(struct vacc_call *call, void *arg)
{
	struct vacc_context_create *create = arg;
	struct vacc_context *context;
	int err;

	if (create->flags)
		return vacc_fail(call, -EOPNOTSUPP, "unknown flag");
	if (create->reserved)
		return vacc_fail(call, -EINVAL, "a reserved field is not zero");
	context = kzalloc(sizeof(*context), GFP_KERNEL_ACCOUNT);
	if (!context)
		return -ENOMEM;
	kref_init(&context->ref);
	err = vacc_quota_wait(call, vacc_context_take, NULL,
			      "the device has all contexts that max_contexts allows");
	if (err)
		goto err_free;
	err = vacc_context_make(call, context);
	if (err)
		goto err_contexts;
	create->handle = context->obj.handle;
	call->created = &context->obj;
	return 0;

err_contexts:
	atomic_dec(&call->dev->contexts);
err_free:
	kfree(context);
	return err;
}

/**
 * vacc_context_destroy() - VACC_CONTEXT_DESTROY
 * @call: the call
 * @arg: struct vacc_handle_arg
 *
 * Context: process.
 * Return: as vacc_obj_destroy().
 */
int vacc_context_destroy(struct vacc_call *call, void *arg)
{
	return vacc_obj_destroy(call, arg, VACC_KIND_CONTEXT);
}
