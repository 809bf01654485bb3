// SPDX-License-Identifier: GPL-2.0
/*
 * Execution queues: states, draining, and the watchdog that keeps them moving.
 */
#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/slab.h>

#include "core.h"

static void vacc_queue_ref_free(struct kref *ref)
{
	kfree(container_of(ref, struct vacc_queue, ref));
}

/**
 * vacc_queue_unref() - let go of the memory of a queue
 * @queue: the queue
 *
 * Context: any.
 */
void vacc_queue_unref(struct vacc_queue *queue)
{
	kref_put(&queue->ref, vacc_queue_ref_free);
}

static struct vacc_result vacc_queue_release(const struct vacc_backend_ops *ops,
					     void *priv, struct vacc_obj *obj)
{
	return ops->queue_destroy(priv, obj->backend);
}

static void vacc_queue_free(struct vacc_obj *obj)
{
	struct vacc_queue *queue = container_of(obj, struct vacc_queue, obj);
	struct vacc_device *dev = obj->file->dev;
	int i;

	spin_lock_irq(&dev->lock);
	list_del(&queue->node);
	for (i = 0; i < ARRAY_SIZE(queue->counts); i++)
		dev->retired_counts[i] += queue->counts[i];
	spin_unlock_irq(&dev->lock);
	vacc_obj_unreserve(obj);
	/* Under no lock of ours: the watchdog takes some. */
	cancel_delayed_work_sync(&queue->watchdog);
	vacc_queue_unref(queue);
}

const struct vacc_kind_ops vacc_queue_kind = {
	.release = vacc_queue_release,
	.free = vacc_queue_free,
};

static struct vacc_event *vacc_queue_head(struct vacc_queue *queue)
{
	struct vacc_event *event;

	event = list_first_entry_or_null(&queue->pending, struct vacc_event,
					 node);
	if (event)
		kref_get(&event->ref);
	return event;
}

/* Fails what has waited for its fences for the hang limit; when to look again. */
static unsigned long vacc_queue_expire(struct vacc_queue *queue,
				       unsigned long limit)
{
	unsigned long left = limit;
	struct vacc_event *event;

	while ((event = vacc_defer_overdue(queue, limit, &left))) {
		/* With its cause this means that the time ran out. */
		vacc_event_end(event, VACC_EVENT_CANCELLED, VIRTIO_ACCEL_S_OK,
			       0);
		vacc_event_put(event);
		cond_resched();
	}
	return left;
}

/*
 * Fails the head of a queue that has not moved for the hang limit, and looks again
 * later.  A queue that is merely long moves, and is left alone.
 */
static void vacc_queue_watchdog(struct work_struct *work)
{
	struct vacc_queue *queue = container_of(to_delayed_work(work),
						struct vacc_queue, watchdog);
	const u32 limit_ms = queue->obj.file->dev->info.hang_limit_ms;
	unsigned long limit = msecs_to_jiffies(limit_ms);
	bool cookie = dma_fence_begin_signalling();
	unsigned long left = vacc_queue_expire(queue, limit);
	struct vacc_event *hung = NULL;
	unsigned long idle;

	spin_lock_irq(&queue->lock);
	if (list_empty(&queue->pending)) {
		spin_unlock_irq(&queue->lock);
		dma_fence_end_signalling(cookie);
		return;
	}
	idle = jiffies - READ_ONCE(queue->progress);
	if (idle >= limit) {
		hung = vacc_queue_head(queue);
		WRITE_ONCE(queue->progress, jiffies);
		idle = 0;
	}
	spin_unlock_irq(&queue->lock);

	if (hung) {
		vacc_event_abort(hung, VACC_CAUSE_TIMEOUT);
		vacc_event_put(hung);
	}
	queue_delayed_work(vacc_wq, &queue->watchdog,
			   min(limit - idle, left) + 1);
	dma_fence_end_signalling(cookie);
}

/**
 * vacc_queue_any() - find an event of any queue of a device
 * @dev: the device
 * @first: says which event of a queue it would be, or NULL, and takes a reference to it;
 *	called with the lock of the queue held
 *
 * Context: process.
 * Return: the event, which the caller puts, or NULL.
 */
struct vacc_event *vacc_queue_any(struct vacc_device *dev,
				  struct vacc_event *(*first)(struct vacc_queue *queue))
{
	struct vacc_event *event = NULL;
	struct vacc_queue *queue;

	spin_lock_irq(&dev->lock);
	list_for_each_entry(queue, &dev->queues, node) {
		spin_lock(&queue->lock);
		event = first(queue);
		spin_unlock(&queue->lock);
		if (event)
			break;
	}
	spin_unlock_irq(&dev->lock);
	return event;
}

/**
 * vacc_queue_fail_all() - fail every pending event of a device
 * @dev: the device, whose backend has stopped
 * @status: status of the events
 * @error: error of the fences, a negative errno
 *
 * Context: may sleep.
 */
void vacc_queue_fail_all(struct vacc_device *dev, u16 status, int error)
{
	struct vacc_event *event;

	while ((event = vacc_queue_any(dev, vacc_queue_head))) {
		vacc_event_end(event, VACC_EVENT_FAILED, status, error);
		vacc_event_put(event);
		cond_resched();
	}
}

/**
 * vacc_queue_totals() - submissions of all queues that ever were
 * @dev: the device
 * @counts: sums by enum vacc_count; exact when the device is quiet
 *
 * Context: process.
 */
void vacc_queue_totals(struct vacc_device *dev, u64 counts[4])
{
	struct vacc_queue *queue;
	int i;

	spin_lock_irq(&dev->lock);
	memcpy(counts, dev->retired_counts, sizeof(dev->retired_counts));
	list_for_each_entry(queue, &dev->queues, node) {
		spin_lock(&queue->lock);
		for (i = 0; i < ARRAY_SIZE(queue->counts); i++)
			counts[i] += queue->counts[i];
		spin_unlock(&queue->lock);
	}
	spin_unlock_irq(&dev->lock);
}

static struct vacc_queue *vacc_queue_alloc(void)
{
	struct vacc_queue *queue = kzalloc(sizeof(*queue), GFP_KERNEL_ACCOUNT);

	if (!queue)
		return NULL;
	kref_init(&queue->ref);
	spin_lock_init(&queue->lock);
	INIT_LIST_HEAD(&queue->node);
	INIT_LIST_HEAD(&queue->pending);
	INIT_LIST_HEAD(&queue->deferred);
	INIT_WORK(&queue->hand_over, vacc_defer_work);
	init_waitqueue_head(&queue->wait);
	INIT_DELAYED_WORK(&queue->watchdog, vacc_queue_watchdog);
	return queue;
}

static int vacc_queue_make(struct vacc_call *call, struct vacc_queue *queue,
			   struct vacc_context *context)
{
	struct vacc_device *dev = call->dev;
	const struct vacc_backend_ops *ops;
	u16 status;
	int err;

	err = vacc_obj_reserve(call, &queue->obj, VACC_KIND_QUEUE, context);
	if (err)
		return err;
	ops = vacc_device_enter(dev);
	if (!ops) {
		vacc_obj_unreserve(&queue->obj);
		return vacc_device_error(dev);
	}
	status = ops->queue_create(dev->priv, context->obj.backend,
				   &queue->obj.backend);
	vacc_device_exit(dev);
	if (status != VIRTIO_ACCEL_S_OK) {
		vacc_obj_unreserve(&queue->obj);
		return vacc_errno(status);
	}
	spin_lock_irq(&dev->lock);
	list_add_tail(&queue->node, &dev->queues);
	spin_unlock_irq(&dev->lock);
	return 0;
}

/**
 * vacc_queue_create() - VACC_QUEUE_CREATE
 * @call: the call
 * @arg: struct vacc_queue_create
 *
 * Context: process.
 * Return: 0; -EOPNOTSUPP for a flag or a priority; -EINVAL; -ENOENT; -ENOSPC at a limit;
 * -ENOMEM; -ENODEV; or what the backend says.
 */
int vacc_queue_create(struct vacc_call *call, void *arg)
{
	struct vacc_queue_create *create = arg;
	struct vacc_context *context;
	struct vacc_queue *queue;
	int err = -ENOMEM;

	if (create->flags || create->priority)
		return vacc_fail(call, -EOPNOTSUPP,
				 "unknown flag, or a priority");
	if (create->reserved)
		return vacc_fail(call, -EINVAL, "a reserved field is not zero");
	context = vacc_context_get(call, create->context);
	if (!context)
		return -ENOENT;
	queue = vacc_queue_alloc();
	if (!queue)
		goto out;
	err = vacc_queue_make(call, queue, context);
	if (err) {
		kfree(queue);
		goto out;
	}
	create->handle = queue->obj.handle;
	call->created = &queue->obj;
out:
	vacc_context_put(context);
	return err;
}

/**
 * vacc_queue_destroy() - VACC_QUEUE_DESTROY
 * @call: the call
 * @arg: struct vacc_handle_arg
 *
 * Context: process.
 * Return: as vacc_obj_destroy().
 */
int vacc_queue_destroy(struct vacc_call *call, void *arg)
{
	return vacc_obj_destroy(call, arg, VACC_KIND_QUEUE);
}

static struct vacc_queue *vacc_queue_get(struct vacc_call *call, u32 handle)
{
	struct vacc_obj *obj = vacc_obj_get(call, handle, VACC_KIND_QUEUE);

	if (!obj) {
		call->reason.text = "no such queue in this file";
		return NULL;
	}
	return container_of(obj, struct vacc_queue, obj);
}

static u32 vacc_queue_state(const struct vacc_queue *queue)
{
	if (queue->failed_status != VIRTIO_ACCEL_S_OK)
		return VACC_QUEUE_FAILED;
	return queue->pending_count ? VACC_QUEUE_SUBMITTED : VACC_QUEUE_READY;
}

static int vacc_queue_describe(struct vacc_call *call, struct vacc_queue *queue,
			       struct vacc_queue_query *query)
{
	struct vacc_work_counters counters = {};
	const struct vacc_backend_ops *ops = vacc_device_enter(call->dev);

	if (!ops)
		return vacc_device_error(call->dev);
	if (ops->queue_counters)
		ops->queue_counters(call->dev->priv, queue->obj.backend,
				    &counters);
	vacc_device_exit(call->dev);
	query->context = queue->obj.context->obj.handle;
	query->queue_flags = call->dev->info.features &
			     VACC_FEATURE_QUEUE_IN_ORDER;
	query->commands = counters.commands;
	query->uploaded_bytes = counters.uploaded_bytes;
	query->launches = counters.launches;
	query->busy_ns = counters.busy_ns;
	spin_lock_irq(&queue->lock);
	query->state = vacc_queue_state(queue);
	query->status = queue->failed_status;
	query->pending = queue->pending_count;
	query->submitted = queue->counts[VACC_COUNT_SUBMITTED];
	query->completed = queue->counts[VACC_COUNT_COMPLETED];
	query->failed = queue->counts[VACC_COUNT_FAILED];
	query->cancelled = queue->counts[VACC_COUNT_CANCELLED];
	spin_unlock_irq(&queue->lock);
	return 0;
}

/**
 * vacc_queue_query() - VACC_QUEUE_QUERY
 * @call: the call
 * @arg: struct vacc_queue_query
 *
 * Context: process.
 * Return: 0, -EOPNOTSUPP for a flag, -ENOENT, -ENODEV.
 */
int vacc_queue_query(struct vacc_call *call, void *arg)
{
	struct vacc_queue_query *query = arg;
	struct vacc_queue *queue;
	int err;

	if (query->flags)
		return vacc_fail(call, -EOPNOTSUPP, "unknown flag");
	queue = vacc_queue_get(call, query->handle);
	if (!queue)
		return -ENOENT;
	err = vacc_queue_describe(call, queue, query);
	vacc_obj_put(&queue->obj);
	return err;
}

/* Events end in any order, but the list keeps the order of submission. */
static bool vacc_queue_drained(struct vacc_queue *queue, u64 seq)
{
	struct vacc_event *first;
	bool drained;

	spin_lock_irq(&queue->lock);
	first = list_first_entry_or_null(&queue->pending, struct vacc_event,
					 node);
	drained = !first || first->seq >= seq;
	spin_unlock_irq(&queue->lock);
	return drained;
}

/*
 * The last one that is waited for; a device that has to be asked how events are is asked
 * sooner then.
 */
static void vacc_queue_want(struct vacc_queue *queue)
{
	struct vacc_event *last;

	spin_lock_irq(&queue->lock);
	last = list_empty(&queue->pending) ? NULL :
	       list_last_entry(&queue->pending, struct vacc_event, node);
	if (last)
		kref_get(&last->ref);
	spin_unlock_irq(&queue->lock);
	if (!last)
		return;
	vacc_event_want(last);
	vacc_event_put(last);
}

static int vacc_queue_drain(struct vacc_call *call, struct vacc_queue *queue,
			    u64 deadline_ns)
{
	DEFINE_WAIT(wait);
	int err = 0;
	u64 seq;

	spin_lock_irq(&queue->lock);
	seq = queue->next_seq;
	spin_unlock_irq(&queue->lock);
	for (;;) {
		/* Others may end before it, or it before others. */
		vacc_queue_want(queue);
		prepare_to_wait(&queue->wait, &wait, TASK_INTERRUPTIBLE);
		if (err || vacc_queue_drained(queue, seq))
			break;
		err = vacc_sleep_until(deadline_ns);
	}
	finish_wait(&queue->wait, &wait);
	if (vacc_device_dead(call->dev))
		return vacc_device_error(call->dev);
	return vacc_queue_drained(queue, seq) ? 0 : err;
}

/**
 * vacc_queue_sync() - VACC_QUEUE_SYNC
 * @call: the call
 * @arg: struct vacc_queue_sync
 *
 * Context: process.
 * Return: 0; -EOPNOTSUPP for a flag; -EINVAL for a deadline before zero; -ENOENT;
 * -ETIMEDOUT; -ERESTARTSYS, which userspace sees as EINTR or not at all; -ENODEV.
 */
int vacc_queue_sync(struct vacc_call *call, void *arg)
{
	struct vacc_queue_sync *sync = arg;
	struct vacc_queue *queue;
	int err;

	if (sync->flags)
		return vacc_fail(call, -EOPNOTSUPP, "unknown flag");
	if (!vacc_deadline_valid(sync->deadline_ns))
		return vacc_fail(call, -EINVAL, "no such time");
	queue = vacc_queue_get(call, sync->handle);
	if (!queue)
		return -ENOENT;
	err = vacc_queue_drain(call, queue, sync->deadline_ns);
	if (!err) {
		spin_lock_irq(&queue->lock);
		sync->status = queue->failed_status;
		queue->failed_status = VIRTIO_ACCEL_S_OK;
		spin_unlock_irq(&queue->lock);
	}
	vacc_obj_put(&queue->obj);
	return err;
}
