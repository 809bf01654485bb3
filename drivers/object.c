// SPDX-License-Identifier: GPL-2.0
/*
 * Handles.
 *
 * A handle is reserved, then everything that can fail is done, then it is published:
 * nobody sees a half-made object, and a failed call leaves none.  An object is kept by
 * its users, which are calls under way and events that the device has; it is destroyed
 * when it has none.
 */
#include <linux/sched/signal.h>

#include "trace.h"

static u32 vacc_kind_limit(const struct vacc_device *dev, enum vacc_kind kind)
{
	switch (kind) {
	case VACC_KIND_BUFFER:
		return dev->info.max_buffers_per_context;
	case VACC_KIND_PROGRAM:
		return dev->info.max_programs_per_context;
	case VACC_KIND_QUEUE:
		return dev->info.max_queues_per_context;
	case VACC_KIND_EVENT:
		return dev->info.max_events_per_context;
	default:
		return 0;
	}
}

/* Events are not children: their handles may stay when the context goes. */
static void vacc_count(struct vacc_obj *obj, int change)
{
	struct vacc_file *file = obj->file;
	struct vacc_device *dev = file->dev;

	lockdep_assert_held(&file->objects.xa_lock);
	file->counts[obj->kind] += change;
	atomic_add(change, file->closed ? &dev->zombie[obj->kind] :
					  &dev->live[obj->kind]);
	if (!obj->context)
		return;
	obj->context->counts[obj->kind] += change;
	if (obj->kind != VACC_KIND_EVENT)
		obj->context->children += change;
}

/* What was published is there no more. */
static void vacc_obj_erase(struct vacc_obj *obj)
{
	struct vacc_file *file = obj->file;

	obj->ready = false;
	/* A reserved handle is an entry without an object. */
	if (__xa_erase(&file->objects, obj->handle)) {
		file->bytes -= obj->bytes;
		trace_vacc_object_destroy(obj);
	}
	vacc_count(obj, -1);
}

static bool vacc_obj_has_room(struct vacc_call *call, const struct vacc_obj *obj)
{
	if (!obj->context)
		return call->file->counts[VACC_KIND_CONTEXT] <
		       vacc_quota_contexts(call->dev);
	return obj->context->counts[obj->kind] <
	       vacc_kind_limit(call->dev, obj->kind);
}

/**
 * vacc_obj_reserve() - reserve a handle
 * @call: the call
 * @obj: object that is being made
 * @kind: what it is
 * @context: where it belongs, which the caller uses; NULL for a context
 *
 * Context: process.
 * Return: 0, -ENOSPC where the context, or the file, has all it may have, -EAGAIN where destroying
 * events would make room, -ENOMEM.
 */
int vacc_obj_reserve(struct vacc_call *call, struct vacc_obj *obj,
		     enum vacc_kind kind, struct vacc_context *context)
{
	struct vacc_file *file = call->file;
	int err;

	obj->kind = kind;
	obj->file = file;
	obj->context = context;
	xa_lock_irq(&file->objects);
	if (!vacc_obj_has_room(call, obj)) {
		xa_unlock_irq(&file->objects);
		return vacc_fail(call,
				 kind == VACC_KIND_EVENT ? -EAGAIN : -ENOSPC,
				 context ? "the context has all objects of this kind" :
					   "the file has all of max_contexts_per_file");
	}
	vacc_count(obj, 1);
	err = __xa_alloc_cyclic(&file->objects, &obj->handle, NULL,
				XA_LIMIT(1, U32_MAX), &file->next_handle,
				GFP_KERNEL_ACCOUNT);
	if (err < 0)
		vacc_count(obj, -1);
	xa_unlock_irq(&file->objects);
	if (err == -EBUSY)
		return vacc_fail(call, -ENOSPC, "all handles are in use");
	return err < 0 ? err : 0;
}

/**
 * vacc_obj_unreserve() - give a handle back, published or not
 * @obj: the object
 *
 * Context: any.
 */
void vacc_obj_unreserve(struct vacc_obj *obj)
{
	struct xarray *objects = &obj->file->objects;
	unsigned long flags;

	xa_lock_irqsave(objects, flags);
	vacc_obj_erase(obj);
	xa_unlock_irqrestore(objects, flags);
}

/**
 * vacc_obj_unpublish() - give a handle back, if it is published
 * @obj: the object
 *
 * Context: any.
 * Return: whether it was; of several callers one gets true.
 */
bool vacc_obj_unpublish(struct vacc_obj *obj)
{
	struct xarray *objects = &obj->file->objects;
	unsigned long flags;
	bool was_ready;

	xa_lock_irqsave(objects, flags);
	was_ready = obj->ready;
	if (was_ready)
		vacc_obj_erase(obj);
	xa_unlock_irqrestore(objects, flags);
	return was_ready;
}

/**
 * vacc_obj_publish() - let lookups find an object
 * @obj: the object, with a reserved handle
 *
 * Context: any; cannot fail, as the place is there.
 */
void vacc_obj_publish(struct vacc_obj *obj)
{
	struct xarray *objects = &obj->file->objects;
	unsigned long flags;

	xa_lock_irqsave(objects, flags);
	obj->ready = true;
	__xa_store(objects, obj->handle, obj, 0);
	obj->file->bytes += obj->bytes;
	trace_vacc_object_create(obj);
	xa_unlock_irqrestore(objects, flags);
}

/**
 * vacc_obj_get() - find an object and use it
 * @call: the call
 * @handle: its handle
 * @kind: what it must be, no event
 *
 * Context: process.
 * Return: the object, for vacc_obj_put(), or NULL.
 */
struct vacc_obj *vacc_obj_get(struct vacc_call *call, u32 handle,
			      enum vacc_kind kind)
{
	struct xarray *objects = &call->file->objects;
	struct vacc_obj *obj;

	xa_lock_irq(objects);
	obj = xa_load(objects, handle);
	if (obj && (obj->kind != kind || !obj->ready))
		obj = NULL;
	if (obj)
		atomic_inc(&obj->users);
	xa_unlock_irq(objects);
	return obj;
}

/**
 * vacc_obj_put() - stop using an object
 * @obj: the object
 *
 * Context: any.
 */
void vacc_obj_put(struct vacc_obj *obj)
{
	struct vacc_device *dev = obj->file->dev;

	/* The object may go with its last user; the caller keeps the file. */
	if (atomic_dec_and_test(&obj->users) && wq_has_sleeper(&dev->wait))
		wake_up_all(&dev->wait);
}

static const struct vacc_kind_ops *vacc_kind_ops(enum vacc_kind kind)
{
	switch (kind) {
	case VACC_KIND_CONTEXT:
		return &vacc_context_kind;
	case VACC_KIND_BUFFER:
		return &vacc_buffer_kind;
	case VACC_KIND_PROGRAM:
		return &vacc_program_kind;
	default:
		return &vacc_queue_kind;
	}
}

/**
 * vacc_obj_release() - have the backend release an object, and free it
 * @obj: an object that nobody uses and no lookup finds
 *
 * Context: may sleep.
 * Return: as the backend says.  Unless it rejects, the object is gone.
 */
struct vacc_result vacc_obj_release(struct vacc_obj *obj)
{
	const struct vacc_kind_ops *kind = vacc_kind_ops(obj->kind);
	struct vacc_device *dev = obj->file->dev;
	struct vacc_result result = vacc_done();
	const struct vacc_backend_ops *ops;

	/* A backend that is gone has taken its part with it. */
	ops = vacc_device_enter(dev);
	if (ops) {
		result = kind->release(ops, dev->priv, obj);
		vacc_device_exit(dev);
	}
	if (result.outcome != VACC_OUTCOME_REJECTED)
		vacc_obj_forget(obj);
	return result;
}

/**
 * vacc_obj_forget() - free an object, whatever the backend has of it
 * @obj: an object that nobody uses and no lookup finds
 *
 * Context: may sleep.
 */
void vacc_obj_forget(struct vacc_obj *obj)
{
	struct vacc_device *dev = obj->file->dev;

	vacc_kind_ops(obj->kind)->free(obj);
	wake_up_all(&dev->wait);
}

/**
 * vacc_obj_abandon() - take back an object that was made for a call that failed
 * @obj: an object that was not published
 *
 * What the backend will not release now is left to the reaper.
 *
 * Context: may sleep.
 */
void vacc_obj_abandon(struct vacc_obj *obj)
{
	if (vacc_obj_release(obj).outcome == VACC_OUTCOME_REJECTED)
		vacc_obj_publish(obj);
}

static void vacc_obj_restore(struct vacc_obj *obj)
{
	struct xarray *objects = &obj->file->objects;

	xa_lock_irq(objects);
	obj->ready = true;
	xa_unlock_irq(objects);
}

/* Hides an object from lookups, unless it is needed. */
static int vacc_obj_hide(struct vacc_call *call, u32 handle,
			 enum vacc_kind kind, struct vacc_obj **found)
{
	struct xarray *objects = &call->file->objects;
	struct vacc_context *context;
	struct vacc_obj *obj;
	int err = 0;

	xa_lock_irq(objects);
	obj = xa_load(objects, handle);
	if (!obj || obj->kind != kind || !obj->ready) {
		err = -ENOENT;
	} else if (atomic_read(&obj->pending)) {
		err = -EBUSY;
	} else if (kind == VACC_KIND_CONTEXT) {
		context = container_of(obj, struct vacc_context, obj);
		if (context->children)
			err = -EBUSY;
	}
	if (!err)
		obj->ready = false;
	xa_unlock_irq(objects);
	*found = obj;
	return err;
}

static bool vacc_obj_needed(struct vacc_obj *obj)
{
	if (atomic_read(&obj->pending))
		return true;
	return obj->kind == VACC_KIND_CONTEXT &&
	       READ_ONCE(container_of(obj, struct vacc_context,
				      obj)->children);
}

/*
 * Waits for calls under way and for events that have ended but that the device has not
 * let go of.  A pending event that appears meanwhile keeps the object.
 */
static int vacc_obj_drain(struct vacc_obj *obj)
{
	int err = wait_event_killable(obj->file->dev->wait,
				      vacc_obj_needed(obj) ||
				      !atomic_read(&obj->users));

	if (!err && vacc_obj_needed(obj))
		err = -EBUSY;
	return err == -ERESTARTSYS ? -EINTR : err;
}

/**
 * vacc_obj_destroy() - the DESTROY ioctl of every kind but events
 * @call: the call
 * @arg: struct vacc_handle_arg
 * @kind: what it destroys
 *
 * Context: process.
 * Return: 0; -EOPNOTSUPP, -EINVAL, -ENOENT; -EBUSY while a pending event uses the object
 * or a context has children; -EINTR when killed; -EIO or -EREMOTEIO where the object is
 * gone but the device cannot be trusted with it.
 */
int vacc_obj_destroy(struct vacc_call *call, void *arg, enum vacc_kind kind)
{
	struct vacc_handle_arg *destroy = arg;
	struct vacc_result result;
	struct vacc_obj *obj;
	int err;

	if (destroy->flags)
		return vacc_fail(call, -EOPNOTSUPP, "unknown flag");
	if (destroy->reserved)
		return vacc_fail(call, -EINVAL, "a reserved field is not zero");
	err = vacc_obj_hide(call, destroy->handle, kind, &obj);
	if (err == -ENOENT)
		return vacc_fail(call, err, "no such object in this file");
	if (err)
		return vacc_fail(call, err, "the object is still needed");
	err = vacc_obj_drain(obj);
	if (err) {
		vacc_obj_restore(obj);
		return vacc_fail(call, err, "the object is still needed");
	}
	result = vacc_obj_release(obj);
	if (result.outcome == VACC_OUTCOME_REJECTED)
		vacc_obj_restore(obj);
	return vacc_errno(result.status);
}
