// SPDX-License-Identifier: GPL-2.0
/*
 * Events: how submissions end.
 *
 * The first terminal transition wins, whoever makes it: the backend that is done, or the
 * core when the device has gone.  Whoever wins signals the fence and lets go of what the
 * event used.  From publication to there nothing allocates and only spinlocks are taken.
 */
#include <linux/dma-fence.h>
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "compat.h"
#include "trace.h"

static void vacc_event_free(struct kref *ref)
{
	struct vacc_event *event = container_of(ref, struct vacc_event, ref);

	vacc_record_cancel(event);
	vacc_attribution_free(event);
	vacc_defer_free(event);
	dma_fence_put(&event->fence->base);
	vacc_queue_unref(event->queue);
	vacc_context_unref(event->obj.context);
	vacc_file_put(event->obj.file);
	kvfree(event);
}

/**
 * vacc_event_put() - let go of an event
 * @event: the event
 *
 * Context: any: the file has another reference whenever this could be its last event.
 */
void vacc_event_put(struct vacc_event *event)
{
	kref_put(&event->ref, vacc_event_free);
}

/* What follows the buffers. */
static void *vacc_event_tail(struct vacc_event *event)
{
	return PTR_ALIGN((void *)(event->buffers + event->buffer_count), 8);
}

/**
 * vacc_event_priv() - the backend's area of an event
 * @event: the event
 *
 * Context: any.
 * Return: as many bytes as the backend's event_bytes() asked for, zeroed at first and
 * aligned to 8.
 */
void *vacc_event_priv(struct vacc_event *event)
{
	if (event->clock)
		return PTR_ALIGN((void *)(event->clock + 1), 8);
	return vacc_event_tail(event);
}
EXPORT_SYMBOL_GPL(vacc_event_priv);

/**
 * vacc_event_handle() - the handle by which userspace knows an event
 * @event: the event
 *
 * Context: any.
 * Return: a number that is unique among the events of one open file.
 */
u32 vacc_event_handle(const struct vacc_event *event)
{
	return event->obj.handle;
}
EXPORT_SYMBOL_GPL(vacc_event_handle);

/* Work is done in steps, one after the other: the first one begins it. */
static void vacc_event_trace_start(struct vacc_event *event)
{
	if (event->started)
		return;
	event->started = true;
	trace_vacc_start(event);
}

/**
 * vacc_event_progress() - say that work is being done
 * @event: the event that is executing
 *
 * Context: any, before the event is reported.
 */
void vacc_event_progress(struct vacc_event *event)
{
	WRITE_ONCE(event->queue->progress, jiffies);
	vacc_event_trace_start(event);
}
EXPORT_SYMBOL_GPL(vacc_event_progress);

/**
 * vacc_event_let_go() - drop what a submission uses
 * @event: an event that has ended, or was never admitted, and that no device has
 *
 * Context: any.
 */
void vacc_event_let_go(struct vacc_event *event)
{
	struct vacc_file *file = event->obj.file;
	u32 i;

	for (i = 0; i < event->buffer_count; i++)
		vacc_obj_put(&event->buffers[i]->obj);
	vacc_obj_put(&event->program->obj);
	vacc_obj_put(&event->queue->obj);
	vacc_file_release_hold(file);
	vacc_event_put(event);
}

static void vacc_event_do_abort(struct vacc_event *event)
{
	struct vacc_device *dev = event->obj.file->dev;
	const struct vacc_backend_ops *ops;

	if (vacc_event_state(event) != VACC_EVENT_PENDING)
		return;
	if (vacc_defer_withdraw(event)) {
		vacc_event_end(event, VACC_EVENT_CANCELLED, VIRTIO_ACCEL_S_OK,
			       0);
		return;
	}
	ops = vacc_device_peek(dev);
	/* One that is being handed over comes here again. */
	if (ops && READ_ONCE(event->handed))
		ops->event_abort(dev->priv, event);
}

static void vacc_event_abort_work(struct work_struct *work)
{
	struct vacc_event *event = container_of(work, struct vacc_event,
						abort_work);
	bool cookie = dma_fence_begin_signalling();

	vacc_event_do_abort(event);
	dma_fence_end_signalling(cookie);
	vacc_event_put(event);
}

/**
 * vacc_event_queue_abort() - have a worker end an event, or have the backend end it
 * @event: the event
 *
 * Context: any.
 */
void vacc_event_queue_abort(struct vacc_event *event)
{
	kref_get(&event->ref);
	if (!queue_work(vacc_wq, &event->abort_work))
		vacc_event_put(event);
}

/* The fence has signalled: this may wait for the device. */
static void vacc_event_dismiss_work(struct work_struct *work)
{
	struct vacc_event *event = container_of(work, struct vacc_event,
						dismiss_work);
	struct vacc_device *dev = event->obj.file->dev;
	const struct vacc_backend_ops *ops = NULL;

	if (event->admitted)
		ops = vacc_device_enter(dev);
	if (ops) {
		ops->event_destroy(dev->priv, event);
		vacc_device_exit(dev);
	}
	vacc_event_let_go(event);
	vacc_event_put(event);
}

static void vacc_event_dismiss(struct vacc_event *event)
{
	kref_get(&event->ref);
	queue_work(vacc_slow_wq, &event->dismiss_work);
}

/**
 * vacc_event_abort() - have the backend end an event that it still has
 * @event: the event
 * @cause: why; the first one that is given stands
 *
 * Returns at once.  The event ends when the backend has stopped touching its buffers.
 *
 * Context: any.
 */
void vacc_event_abort(struct vacc_event *event, enum vacc_cause cause)
{
	struct vacc_queue *queue = event->queue;
	unsigned long flags;
	bool pending;

	spin_lock_irqsave(&queue->lock, flags);
	pending = event->state == VACC_EVENT_PENDING;
	if (pending && event->cause == VACC_CAUSE_NONE)
		event->cause = cause;
	spin_unlock_irqrestore(&queue->lock, flags);
	if (pending)
		vacc_event_queue_abort(event);
}

static void vacc_event_timeout(struct timer_list *timer)
{
	struct vacc_event_clock *clock = container_of(timer,
						      struct vacc_event_clock,
						      timer);
	struct vacc_event *event = clock->event;

	vacc_event_abort(event, VACC_CAUSE_TIMEOUT);
	vacc_event_put(event);
}

static void vacc_event_name_fence(struct vacc_call *call,
				  struct vacc_fence *fence)
{
	strscpy(fence->driver, "virtio_accel", sizeof(fence->driver));
	snprintf(fence->timeline, sizeof(fence->timeline), "%s:%d",
		 call->dev->name, task_tgid_nr(current));
}

static void vacc_event_set_clock(struct vacc_event *event)
{
	event->clock = vacc_event_tail(event);
	event->clock->event = event;
	timer_setup(&event->clock->timer, vacc_event_timeout, 0);
}

/**
 * vacc_event_alloc() - make an event
 * @call: the call
 * @buffer_count: distinct buffers that it will use
 * @clock: whether it will have a timeout or timing
 * @priv_bytes: of the backend's area
 *
 * The caller fills in what it runs, and its context with a reference.
 *
 * Context: process.
 * Return: the event, with one reference, or NULL.
 */
struct vacc_event *vacc_event_alloc(struct vacc_call *call, u32 buffer_count,
				    bool clock, size_t priv_bytes)
{
	struct vacc_event *event;
	struct vacc_fence *fence;
	size_t head;

	head = ALIGN(struct_size(event, buffers, buffer_count), 8);
	if (clock)
		head += ALIGN(sizeof(*event->clock), 8);
	if (check_add_overflow(head, priv_bytes, &priv_bytes))
		return NULL;
	event = kvzalloc(priv_bytes, GFP_KERNEL_ACCOUNT);
	fence = kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);
	if (!event || !fence) {
		kvfree(event);
		kfree(fence);
		return NULL;
	}
	vacc_event_name_fence(call, fence);
	vacc_fence_init_v1(fence);
	event->fence = fence;
	event->buffer_count = buffer_count;
	if (clock)
		vacc_event_set_clock(event);
	kref_init(&event->ref);
	INIT_LIST_HEAD(&event->node);
	INIT_LIST_HEAD(&event->defer.node);
	INIT_WORK(&event->abort_work, vacc_event_abort_work);
	INIT_WORK(&event->dismiss_work, vacc_event_dismiss_work);
	kref_get(&call->file->ref);
	event->obj.file = call->file;
	return event;
}

/**
 * vacc_event_arm() - start the timeout of a submission
 * @event: an event that was admitted, and may have ended
 * @timeout_ns: from now, 0 for none; else it has a clock
 *
 * Context: any.
 */
void vacc_event_arm(struct vacc_event *event, u64 timeout_ns)
{
	struct vacc_queue *queue = event->queue;
	unsigned long delay;
	unsigned long flags;

	if (!timeout_ns)
		return;
	delay = min_t(u64, nsecs_to_jiffies64(timeout_ns) + 1,
		      MAX_JIFFY_OFFSET);
	spin_lock_irqsave(&queue->lock, flags);
	if (event->state == VACC_EVENT_PENDING) {
		kref_get(&event->ref);
		mod_timer(&event->clock->timer, jiffies + delay);
	}
	spin_unlock_irqrestore(&queue->lock, flags);
}

/**
 * vacc_event_indeterminate() - note that nobody knows whether an event was admitted
 * @event: the event, which was submitted or admitted, and not reported
 *
 * Context: any.
 */
void vacc_event_indeterminate(struct vacc_event *event)
{
	struct vacc_queue *queue = event->queue;
	unsigned long flags;

	WRITE_ONCE(event->admission, VACC_INDETERMINATE);
	spin_lock_irqsave(&queue->lock, flags);
	if (event->state == VACC_EVENT_PENDING)
		event->flags |= VACC_EVENT_INDETERMINATE;
	spin_unlock_irqrestore(&queue->lock, flags);
}
EXPORT_SYMBOL_GPL(vacc_event_indeterminate);

/* Takes the event off its queue.  The objects are not needed by pending work now. */
static void vacc_event_unlink(struct vacc_event *event)
{
	struct vacc_queue *queue = event->queue;
	u32 i;

	lockdep_assert_held(&queue->lock);
	/* The clock of the hang limit runs for the head. */
	if (list_is_first(&event->node, &queue->pending))
		WRITE_ONCE(queue->progress, jiffies);
	list_del_init(&event->node);
	queue->pending_count--;
	for (i = 0; i < event->buffer_count; i++)
		atomic_dec(&event->buffers[i]->obj.pending);
	atomic_dec(&event->program->obj.pending);
	atomic_dec(&queue->obj.pending);
}

/* The clock is asked only where somebody will want to know. */
static void vacc_event_trace_submit(struct vacc_event *event)
{
	if (trace_vacc_complete_enabled())
		event->trace_ns = ktime_get_ns();
	trace_vacc_submit(event);
}

/**
 * vacc_event_link() - put an event on its queue, before the backend gets it
 * @event: the event, with users of all that it uses
 *
 * Context: process.
 */
void vacc_event_link(struct vacc_event *event)
{
	struct vacc_device *dev = event->obj.file->dev;
	struct vacc_queue *queue = event->queue;
	u32 i;

	for (i = 0; i < event->buffer_count; i++)
		atomic_inc(&event->buffers[i]->obj.pending);
	atomic_inc(&event->program->obj.pending);
	atomic_inc(&queue->obj.pending);
	/* Who waits to destroy one of them must give up now. */
	if (wq_has_sleeper(&dev->wait))
		wake_up_all(&dev->wait);
	kref_get(&event->ref);
	spin_lock_irq(&queue->lock);
	if (!queue->pending_count++)
		WRITE_ONCE(queue->progress, jiffies);
	event->seq = queue->next_seq++;
	queue->counts[VACC_COUNT_SUBMITTED]++;
	list_add_tail(&event->node, &queue->pending);
	spin_unlock_irq(&queue->lock);
	vacc_event_trace_submit(event);
	queue_delayed_work(vacc_wq, &queue->watchdog,
			   msecs_to_jiffies(dev->info.hang_limit_ms) + 1);
}

/**
 * vacc_event_unlink_rejected() - undo vacc_event_link()
 * @event: the event, which the backend did not take
 *
 * Context: process.
 */
void vacc_event_unlink_rejected(struct vacc_event *event)
{
	struct vacc_queue *queue = event->queue;

	spin_lock_irq(&queue->lock);
	vacc_event_unlink(event);
	queue->counts[VACC_COUNT_SUBMITTED]--;
	spin_unlock_irq(&queue->lock);
	trace_vacc_reject(event);
	wake_up_all(&queue->wait);
	vacc_event_put(event);
}

/* What ended an event is what the core asked for, if it asked. */
static void vacc_event_settle(struct vacc_event *event, u32 state, u16 status)
{
	struct vacc_queue *queue = event->queue;

	lockdep_assert_held(&queue->lock);
	/* What was cancelled behind the head shows no progress. */
	if (state != VACC_EVENT_CANCELLED)
		WRITE_ONCE(queue->progress, jiffies);
	if (state == VACC_EVENT_CANCELLED) {
		status = VIRTIO_ACCEL_S_OK;
		if (event->cause == VACC_CAUSE_TIMEOUT) {
			state = VACC_EVENT_FAILED;
			status = VIRTIO_ACCEL_S_DEADLINE_EXPIRED;
		}
	} else if (state == VACC_EVENT_COMPLETE) {
		status = VIRTIO_ACCEL_S_OK;
	} else if (status == VIRTIO_ACCEL_S_OK) {
		status = VIRTIO_ACCEL_S_INTERNAL_ERROR;
	}
	/* The counts are in the order of the states. */
	queue->counts[VACC_COUNT_COMPLETED + state - VACC_EVENT_COMPLETE]++;
	if (state == VACC_EVENT_FAILED &&
	    queue->failed_status == VIRTIO_ACCEL_S_OK)
		queue->failed_status = status;
	vacc_event_unlink(event);
	event->status = status;
	event->flags |= VACC_EVENT_QUIESCENT;
	/* Whoever sees the state finds the line. */
	trace_vacc_complete(event, state);
	/* Pairs with vacc_event_state(): outputs and status come first. */
	smp_store_release(&event->state, state);
}

static int vacc_event_error(const struct vacc_event *event)
{
	const struct vacc_device *dev = event->obj.file->dev;

	if (event->state == VACC_EVENT_CANCELLED)
		return -ECANCELED;
	/* What a device loses because it goes tells why it goes. */
	if (event->status == VIRTIO_ACCEL_S_DEVICE_LOST && vacc_device_dead(dev))
		return vacc_device_error(dev);
	/* The status is reported as it came, and may be any number. */
	if (event->status > VIRTIO_ACCEL_S_STALE_OBJECT)
		return -EREMOTEIO;
	return vacc_errno(event->status);
}

/* All that follows the transition, for the one who made it. */
static void vacc_event_finish(struct vacc_event *event, int error)
{
	struct dma_fence *fence = dma_fence_get(&event->fence->base);

	if (!error)
		error = vacc_event_error(event);
	if (event->clock && vacc_timer_delete(&event->clock->timer))
		vacc_event_put(event);
	if (event->submit_flags & VACC_SUBMIT_AUTO_DESTROY)
		vacc_event_drop_handle(event);
	vacc_defer_cancel(event);
	vacc_record_push(event);
	wake_up_all(&event->queue->wait);
	vacc_file_leave(event->obj.file);
	if (event->obj.file->dev->events_linger)
		vacc_event_dismiss(event);
	else
		vacc_event_let_go(event);
	if (error)
		dma_fence_set_error(fence, error);
	dma_fence_signal(fence);
	dma_fence_put(fence);
}

/**
 * vacc_event_end() - end an event, unless it has ended
 * @event: the event, whose buffers nobody touches any more
 * @state: VACC_EVENT_COMPLETE, VACC_EVENT_FAILED or VACC_EVENT_CANCELLED
 * @status: VIRTIO_ACCEL_S_*
 * @error: error of the fence where it is not that of the status, else 0
 *
 * Context: any.
 * Return: whether this call ended it.
 */
bool vacc_event_end(struct vacc_event *event, u32 state, u16 status, int error)
{
	bool cookie = dma_fence_begin_signalling();
	struct vacc_queue *queue = event->queue;
	unsigned long flags;
	bool won;

	spin_lock_irqsave(&queue->lock, flags);
	won = event->state == VACC_EVENT_PENDING;
	if (won) {
		/* What a backend reports is known for certain. */
		if (!error)
			event->flags &= ~VACC_EVENT_INDETERMINATE;
		vacc_event_settle(event, state, status);
	}
	spin_unlock_irqrestore(&queue->lock, flags);
	if (won)
		vacc_event_finish(event, error);
	dma_fence_end_signalling(cookie);
	return won;
}

/**
 * vacc_event_done() - report that an event has ended
 * @event: the event; not the backend's any more when this returns
 * @state: VACC_EVENT_COMPLETE, VACC_EVENT_FAILED or VACC_EVENT_CANCELLED
 * @status: why it failed: VIRTIO_ACCEL_S_*
 *
 * Once for each event that was admitted, and only when nothing touches its buffers any
 * more.  The backend holds no lock that submitting or cancelling takes.
 *
 * Context: any.
 */
void vacc_event_done(struct vacc_event *event, u32 state, u16 status)
{
	if (state < VACC_EVENT_COMPLETE || state > VACC_EVENT_CANCELLED)
		return;
	vacc_event_end(event, state, status, 0);
}
EXPORT_SYMBOL_GPL(vacc_event_done);

/**
 * vacc_event_drop_handle() - take an event's handle away
 * @event: the event
 *
 * Context: any.
 * Return: whether there was one.
 */
bool vacc_event_drop_handle(struct vacc_event *event)
{
	if (!vacc_obj_unpublish(&event->obj))
		return false;
	vacc_event_put(event);
	return true;
}

/**
 * vacc_event_publish() - let lookups find an event
 * @event: an event that was admitted, and may have ended
 *
 * Context: any; cannot fail.
 */
void vacc_event_publish(struct vacc_event *event)
{
	kref_get(&event->ref);
	vacc_obj_publish(&event->obj);
	/* One that ended before it had a handle did not find one to drop. */
	if ((event->submit_flags & VACC_SUBMIT_AUTO_DESTROY) &&
	    vacc_event_state(event) != VACC_EVENT_PENDING)
		vacc_event_drop_handle(event);
	vacc_record_push(event);
}
