// SPDX-License-Identifier: GPL-2.0
/*
 * Submissions that wait for fences before the backend gets them.
 *
 * No thread waits: the last fence's callback has the queue's worker hand the work over.
 * What was submitted to the same queue later waits behind it, so that a queue that is in
 * order stays so.
 *
 * Fences wait for all of this.  The backend has prepared the event in the call, so that
 * nothing is left to be allocated or refused, and no lock is needed for calling it:
 * whoever takes an event off the list may do so, as the end of the device first empties
 * the list and then waits for who has taken something off it.
 */
#include <linux/dma-fence.h>
#include <linux/slab.h>

#include "core.h"

/* The work may be left when the events that asked for it and the handle are gone. */
static void vacc_defer_kick(struct vacc_queue *queue)
{
	kref_get(&queue->ref);
	if (!queue_work(vacc_wq, &queue->hand_over))
		vacc_queue_unref(queue);
}

/* One fence less; whether it was the last. */
static void vacc_defer_less(struct vacc_event *event)
{
	if (atomic_dec_and_test(&event->defer.left))
		vacc_defer_kick(event->queue);
}

static void vacc_defer_note_error(struct vacc_event *event,
				  struct dma_fence *fence)
{
	if (fence->error)
		WRITE_ONCE(event->defer.error, fence->error);
}

/* Under the fence's lock. */
static void vacc_defer_signalled(struct dma_fence *fence,
				 struct dma_fence_cb *cb)
{
	struct vacc_fence_wait *wait = container_of(cb, struct vacc_fence_wait,
						    cb);

	vacc_defer_note_error(wait->event, fence);
	vacc_defer_less(wait->event);
}

static void vacc_defer_watch(struct vacc_event *event,
			     struct vacc_fence_wait *wait)
{
	wait->event = event;
	if (!dma_fence_add_callback(wait->fence, &wait->cb,
				    vacc_defer_signalled))
		return;
	vacc_defer_note_error(event, wait->fence);
	vacc_defer_less(event);
}

static bool vacc_defer_enqueue(struct vacc_event *event)
{
	struct vacc_queue *queue = event->queue;
	bool deferred;

	spin_lock_irq(&queue->lock);
	deferred = event->defer.wait_count || queue->handing ||
		   !list_empty(&queue->deferred);
	if (deferred)
		list_add_tail(&event->defer.node, &queue->deferred);
	else
		event->handed = true;
	spin_unlock_irq(&queue->lock);
	return deferred;
}

/**
 * vacc_defer_begin() - hold an event back, if it has to wait
 * @event: an event that is linked to its queue and not published
 *
 * Context: process.
 * Return: whether it is held back; vacc_defer_release() then lets it go on.
 */
bool vacc_defer_begin(struct vacc_event *event)
{
	u32 i;

	event->defer.since = jiffies;
	/* One more than there are fences, until everything else is done. */
	atomic_set(&event->defer.left, event->defer.wait_count + 1);
	for (i = 0; i < event->defer.wait_count; i++)
		vacc_defer_watch(event, &event->defer.waits[i]);
	return vacc_defer_enqueue(event);
}

/**
 * vacc_defer_release() - let an event that is held back go on when its fences are done
 * @event: the event, published
 *
 * Context: process.
 */
void vacc_defer_release(struct vacc_event *event)
{
	struct vacc_queue *queue = event->queue;
	bool aborted;

	/* An abort that came before it was on the list has left its cause. */
	spin_lock_irq(&queue->lock);
	aborted = event->cause != VACC_CAUSE_NONE;
	spin_unlock_irq(&queue->lock);
	if (aborted)
		vacc_event_queue_abort(event);
	vacc_defer_less(event);
}

/* Once, for an event that was taken off the list. */
static void vacc_defer_discard(struct vacc_event *event)
{
	struct vacc_device *dev = event->obj.file->dev;

	dev->ops->event_discard(dev->priv, event);
}

/**
 * vacc_defer_withdraw() - take an event back that the device does not have yet
 * @event: the event
 *
 * Context: a task that holds the registration lock for reading, or work on vacc_wq.
 * Return: whether the caller may end it now.
 */
bool vacc_defer_withdraw(struct vacc_event *event)
{
	struct vacc_queue *queue = event->queue;
	unsigned long flags;
	bool listed;

	spin_lock_irqsave(&queue->lock, flags);
	listed = !list_empty(&event->defer.node);
	if (listed)
		list_del_init(&event->defer.node);
	spin_unlock_irqrestore(&queue->lock, flags);
	if (listed)
		vacc_defer_discard(event);
	return listed;
}

static struct vacc_event *vacc_defer_first(struct vacc_queue *queue)
{
	struct vacc_event *event;

	lockdep_assert_held(&queue->lock);
	event = list_first_entry_or_null(&queue->deferred, struct vacc_event,
					 defer.node);
	if (!event)
		return NULL;
	list_del_init(&event->defer.node);
	kref_get(&event->ref);
	return event;
}

/**
 * vacc_defer_discard_all() - have the backend discard all that its device does not have
 * @dev: the device, which is gone: no event begins to wait any more
 *
 * Who ends the events is the caller's matter.
 *
 * Context: may sleep.
 */
void vacc_defer_discard_all(struct vacc_device *dev)
{
	struct vacc_event *event;

	while ((event = vacc_queue_any(dev, vacc_defer_first))) {
		vacc_defer_discard(event);
		vacc_event_put(event);
		cond_resched();
	}
}

/**
 * vacc_defer_overdue() - withdraw an event whose fences take too long
 * @queue: its queue
 * @limit: how long they may take, in jiffies
 * @left: lowered to what the oldest event that waits has left
 *
 * Context: work on vacc_wq.
 * Return: the event, which the caller ends and puts, or NULL.
 */
struct vacc_event *vacc_defer_overdue(struct vacc_queue *queue,
				      unsigned long limit, unsigned long *left)
{
	struct vacc_event *event;
	u32 age;

	spin_lock_irq(&queue->lock);
	list_for_each_entry(event, &queue->deferred, defer.node) {
		if (!atomic_read(&event->defer.left))
			continue;
		age = (u32)jiffies - event->defer.since;
		if (age < limit) {
			*left = min(*left, limit - age);
			break;
		}
		list_del_init(&event->defer.node);
		if (event->cause == VACC_CAUSE_NONE)
			event->cause = VACC_CAUSE_TIMEOUT;
		kref_get(&event->ref);
		spin_unlock_irq(&queue->lock);
		vacc_defer_discard(event);
		return event;
	}
	spin_unlock_irq(&queue->lock);
	return NULL;
}

/**
 * vacc_defer_cancel() - stop waiting for fences
 * @event: an event that has ended
 *
 * Context: any.
 */
void vacc_defer_cancel(struct vacc_event *event)
{
	u32 i;

	/* What stood behind it may be next. */
	if (event->defer.wait_count)
		vacc_defer_kick(event->queue);
	/* Callbacks are over when this has had the lock of each fence. */
	for (i = 0; i < event->defer.wait_count; i++)
		dma_fence_remove_callback(event->defer.waits[i].fence,
					  &event->defer.waits[i].cb);
}

/**
 * vacc_defer_free() - free what an event waited for
 * @event: the event, which nobody has any more
 *
 * Context: any.
 */
void vacc_defer_free(struct vacc_event *event)
{
	u32 i;

	for (i = 0; i < event->defer.wait_count; i++)
		dma_fence_put(event->defer.waits[i].fence);
	kvfree(event->defer.waits);
}

static struct vacc_event *vacc_defer_take(struct vacc_queue *queue)
{
	struct vacc_event *event;

	spin_lock_irq(&queue->lock);
	event = list_first_entry_or_null(&queue->deferred, struct vacc_event,
					 defer.node);
	/* Pairs with vacc_defer_less(): errors of fences have been noted. */
	if (event && atomic_read_acquire(&event->defer.left))
		event = NULL;
	if (event) {
		list_del_init(&event->defer.node);
		queue->handing = true;
		kref_get(&event->ref);
		/* Its clock begins now; that of others before it goes on. */
		if (list_is_first(&event->node, &queue->pending))
			WRITE_ONCE(queue->progress, jiffies);
	}
	spin_unlock_irq(&queue->lock);
	return event;
}

static void vacc_defer_admit(struct vacc_event *event)
{
	struct vacc_device *dev = event->obj.file->dev;

	event->admitted = true;
	atomic64_add(event->binding_count, &dev->direct_bindings);
	dev->ops->event_admit(dev->priv, event);
}

static void vacc_defer_hand_over(struct vacc_event *event)
{
	if (!READ_ONCE(event->defer.error) ||
	    event->submit_flags & VACC_SUBMIT_IGNORE_FENCE_ERRORS) {
		vacc_defer_admit(event);
		return;
	}
	vacc_defer_discard(event);
	vacc_event_end(event, VACC_EVENT_CANCELLED, VIRTIO_ACCEL_S_OK, 0);
}

/* What was asked of the event while nobody could do it. */
static void vacc_defer_handed(struct vacc_queue *queue,
			      struct vacc_event *event)
{
	struct vacc_device *dev = event->obj.file->dev;
	const struct vacc_backend_ops *ops;
	bool aborted;

	spin_lock_irq(&queue->lock);
	queue->handing = false;
	event->handed = true;
	aborted = event->cause != VACC_CAUSE_NONE;
	spin_unlock_irq(&queue->lock);
	/* Pairs with vacc_event_want(): one of both sees what the other wrote. */
	smp_mb();
	wake_up_all(&queue->wait);
	if (aborted)
		vacc_event_queue_abort(event);
	ops = vacc_device_peek(dev);
	if (ops && dev->events_polled && READ_ONCE(event->want))
		ops->event_wanted(dev->priv, event);
}

static void vacc_defer_next(struct vacc_queue *queue, struct vacc_event *event)
{
	bool cookie = dma_fence_begin_signalling();

	vacc_defer_hand_over(event);
	vacc_defer_handed(queue, event);
	dma_fence_end_signalling(cookie);
}

/**
 * vacc_defer_work() - hand over what waits for nothing any more
 * @work: the queue's
 *
 * Context: work on vacc_wq.
 */
void vacc_defer_work(struct work_struct *work)
{
	struct vacc_queue *queue = container_of(work, struct vacc_queue,
						hand_over);
	struct vacc_event *event;

	while ((event = vacc_defer_take(queue))) {
		vacc_defer_next(queue, event);
		vacc_event_put(event);
	}
	vacc_queue_unref(queue);
}
