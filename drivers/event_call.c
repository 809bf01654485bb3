// SPDX-License-Identifier: GPL-2.0
/*
 * What callers do with events.
 */
#include <linux/file.h>
#include <linux/sync_file.h>

#include "core.h"

/**
 * vacc_event_get() - find an event
 * @call: the call
 * @handle: its handle
 *
 * Context: process.
 * Return: the event, for vacc_event_put(), or NULL.
 */
struct vacc_event *vacc_event_get(struct vacc_call *call, u32 handle)
{
	struct xarray *objects = &call->file->objects;
	struct vacc_event *event = NULL;
	struct vacc_obj *obj;

	xa_lock_irq(objects);
	obj = xa_load(objects, handle);
	if (obj && obj->kind == VACC_KIND_EVENT && obj->ready) {
		event = container_of(obj, struct vacc_event, obj);
		kref_get(&event->ref);
	}
	xa_unlock_irq(objects);
	if (!event)
		call->reason.text = "no such event in this file";
	return event;
}

/**
 * vacc_event_query() - VACC_EVENT_QUERY
 * @call: the call
 * @arg: struct vacc_event_query
 *
 * Context: process.
 * Return: 0, -EOPNOTSUPP for a flag, -ENOENT.
 */
int vacc_event_query(struct vacc_call *call, void *arg)
{
	struct vacc_event_query *query = arg;
	struct vacc_event *event;

	if (query->flags)
		return vacc_fail(call, -EOPNOTSUPP, "unknown flag");
	event = vacc_event_get(call, query->handle);
	if (!event)
		return -ENOENT;
	query->queue = event->queue_handle;
	query->admission = READ_ONCE(event->admission);
	vacc_event_report(event, &query->state, &query->status,
			  &query->event_flags);
	query->user_data = event->user_data;
	query->start_ns = 0;
	query->end_ns = 0;
	/* Until its end has been seen they are the backend's. */
	if (query->state != VACC_EVENT_PENDING && event->clock) {
		query->start_ns = event->clock->start_ns;
		query->end_ns = event->clock->end_ns;
	}
	vacc_event_put(event);
	return 0;
}

static int vacc_event_check_handle_arg(struct vacc_call *call,
				       const struct vacc_handle_arg *arg)
{
	if (arg->flags)
		return vacc_fail(call, -EOPNOTSUPP, "unknown flag");
	if (arg->reserved)
		return vacc_fail(call, -EINVAL, "a reserved field is not zero");
	return 0;
}

/*
 * The backend is about to have it, or somebody else has withdrawn it and is about to end
 * it, which takes no time, or it has ended.
 */
static int vacc_event_wait_handed(struct vacc_event *event)
{
	int err = wait_event_killable(event->queue->wait,
				      READ_ONCE(event->handed) ||
				      vacc_event_state(event) !=
					      VACC_EVENT_PENDING);

	return err ? -EINTR : 0;
}

/*
 * Where the backend has two ways to learn of an end, the other one may have been first, and
 * be about to report it.  Afterwards the event can be destroyed.
 */
static void vacc_event_wait_cancelled(struct vacc_event *event)
{
	wait_event_killable_timeout(event->queue->wait,
				    vacc_event_state(event) !=
					    VACC_EVENT_PENDING, HZ);
}

static int vacc_event_do_cancel(struct vacc_call *call,
				struct vacc_event *event)
{
	struct vacc_device *dev = call->dev;
	const struct vacc_backend_ops *ops;
	struct vacc_result result;
	bool withdrawn;
	int err;

	if (!(dev->info.capabilities & VIRTIO_ACCEL_CAP_EVENT_CANCEL))
		return vacc_fail(call, -EOPNOTSUPP,
				 "the device cannot cancel events");
	ops = vacc_device_enter(dev);
	if (!ops)
		return vacc_device_error(dev);
	withdrawn = vacc_defer_withdraw(event);
	vacc_device_exit(dev);
	/* But for the end of the device, nobody else ends one that was withdrawn. */
	if (withdrawn)
		return vacc_event_end(event, VACC_EVENT_CANCELLED,
				      VIRTIO_ACCEL_S_OK, 0) ?
			       0 : vacc_device_error(dev);
	err = vacc_event_wait_handed(event);
	if (err)
		return err;
	if (vacc_event_state(event) != VACC_EVENT_PENDING)
		return vacc_fail(call, -EBUSY, "the event has ended");
	ops = vacc_device_enter(dev);
	if (!ops)
		return vacc_device_error(dev);
	result = ops->event_cancel(dev->priv, event);
	vacc_device_exit(dev);
	if (result.status == VIRTIO_ACCEL_S_OK)
		vacc_event_wait_cancelled(event);
	return vacc_errno(result.status);
}

/**
 * vacc_event_cancel() - VACC_EVENT_CANCEL
 * @call: the call
 * @arg: struct vacc_handle_arg
 *
 * Context: process.
 * Return: 0; -EOPNOTSUPP; -EINVAL; -ENOENT; -EBUSY where execution has begun or the event
 * has ended; -ENODEV; or what the backend says.
 */
int vacc_event_cancel(struct vacc_call *call, void *arg)
{
	struct vacc_handle_arg *cancel = arg;
	struct vacc_event *event;
	int err = vacc_event_check_handle_arg(call, cancel);

	if (err)
		return err;
	event = vacc_event_get(call, cancel->handle);
	if (!event)
		return -ENOENT;
	err = vacc_event_do_cancel(call, event);
	vacc_event_put(event);
	return err;
}

/**
 * vacc_event_destroy() - VACC_EVENT_DESTROY
 * @call: the call
 * @arg: struct vacc_handle_arg
 *
 * Context: process.
 * Return: 0; -EOPNOTSUPP for a flag; -EINVAL; -ENOENT; -EBUSY while it is pending.
 */
int vacc_event_destroy(struct vacc_call *call, void *arg)
{
	struct vacc_handle_arg *destroy = arg;
	struct vacc_event *event;
	int err = vacc_event_check_handle_arg(call, destroy);

	if (err)
		return err;
	event = vacc_event_get(call, destroy->handle);
	if (!event)
		return -ENOENT;
	if (vacc_event_state(event) == VACC_EVENT_PENDING)
		err = vacc_fail(call, -EBUSY, "the event is pending");
	else if (!vacc_event_drop_handle(event))
		err = -ENOENT;
	vacc_event_put(event);
	return err;
}

/**
 * vacc_event_want() - tell the backend that somebody waits for an event
 * @event: the event
 *
 * Context: may sleep.
 */
void vacc_event_want(struct vacc_event *event)
{
	struct vacc_device *dev = event->obj.file->dev;
	const struct vacc_backend_ops *ops;

	/* Pairs with vacc_defer_handed(). */
	smp_store_mb(event->want, true);
	if (!dev->events_polled || !READ_ONCE(event->handed) ||
	    vacc_event_state(event) != VACC_EVENT_PENDING)
		return;
	ops = vacc_device_enter(dev);
	if (!ops)
		return;
	ops->event_wanted(dev->priv, event);
	vacc_device_exit(dev);
}

/**
 * vacc_event_fd() - make a sync_file of an event's fence
 * @call: the call, which installs it when its result has been copied out
 * @event: the event
 *
 * Context: process.
 * Return: 0; -EOPNOTSUPP where the kernel has no sync_file; -EMFILE; -ENOMEM.
 */
int vacc_event_fd(struct vacc_call *call, struct vacc_event *event)
{
#if IS_ENABLED(CONFIG_SYNC_FILE)
	struct sync_file *sync_file;
	int fd = get_unused_fd_flags(O_CLOEXEC);

	if (fd < 0)
		return fd;
	sync_file = sync_file_create(&event->fence->base);
	if (!sync_file) {
		put_unused_fd(fd);
		return -ENOMEM;
	}
	call->fd = fd;
	call->fd_file = sync_file->file;
	return 0;
#else
	return vacc_fail(call, -EOPNOTSUPP, "this kernel has no sync_file");
#endif
}

/**
 * vacc_event_export() - VACC_EVENT_EXPORT
 * @call: the call
 * @arg: struct vacc_event_export
 *
 * Context: process.
 * Return: 0; -EOPNOTSUPP for a flag, or where the kernel has no sync_file; -ENOENT;
 * -EMFILE; -ENOMEM.
 */
int vacc_event_export(struct vacc_call *call, void *arg)
{
	struct vacc_event_export *export = arg;
	struct vacc_event *event;
	int err;

	if (export->flags)
		return vacc_fail(call, -EOPNOTSUPP, "unknown flag");
	event = vacc_event_get(call, export->handle);
	if (!event)
		return -ENOENT;
	err = vacc_event_fd(call, event);
	if (!err)
		vacc_event_want(event);
	export->fd = call->fd;
	vacc_event_put(event);
	return err;
}
