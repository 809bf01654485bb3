// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Events: admission of what was prepared, its execution, and the one end that each
 * event has.
 */
#include "object.h"

/**
 * eng_event_end() - end an event that the caller has claimed
 * @event: the event, on no list any more; its memory may be gone on return
 * @state: VIRTIO_ACCEL_EVENT_*, terminal
 * @status: the reason where it failed
 *
 * Context: May sleep.  The caller is the queue's executor or one of its users.
 */
void eng_event_end(struct eng_event *event, u32 state, u16 status)
{
	struct eng_queue *queue = event->queue;
	const struct eng_device_ops *ops = queue->device->ops;
	void *owner = event->owner;
	void *scratch = eng_event_release(event);

	eng_spin_lock(&queue->lock);
	queue->unfinished--;
	if (queue->running == event)
		queue->running = NULL;
	eng_spin_unlock(&queue->lock);

	event->status = status;
	eng_atomic_set(&event->phase, ENG_ENDED + state);
	if (ops->done)
		ops->done(owner, state, status);
	eng_free(scratch);
}

/* Whether a claimed event has to end without getting further. */
static bool eng_event_is_over(const struct eng_event *event, u64 now_ns,
			      u32 *state, u16 *status)
{
	*state = VIRTIO_ACCEL_EVENT_FAILED;
	if (eng_atomic_get(&event->queue->device->stopped)) {
		*status = VIRTIO_ACCEL_S_DEVICE_LOST;
		return true;
	}
	if (eng_atomic_get(&event->abort)) {
		*state = VIRTIO_ACCEL_EVENT_CANCELLED;
		*status = VIRTIO_ACCEL_S_OK;
		return true;
	}
	*status = VIRTIO_ACCEL_S_DEADLINE_EXPIRED;
	return event->deadline_ns && now_ns >= event->deadline_ns;
}

/**
 * eng_event_execute() - execute an event that the caller has claimed
 * @event: the event; its memory may be gone if it has ended
 * @until_ns: when to come back though it is not at its end, or 0 for never
 *
 * Context: May sleep.  The caller is the queue's executor.
 * Return: whether the event has ended.
 */
bool eng_event_execute(struct eng_event *event, u64 until_ns)
{
	struct eng_queue *queue = event->queue;
	const struct eng_device_ops *ops = queue->device->ops;
	struct eng_run *run = eng_event_run(event);
	u64 now_ns = eng_now_ns();
	bool finished = false;
	u32 state;
	u16 status;

	queue->use.buffers = event->buffers;
	while (!eng_event_is_over(event, now_ns, &state, &status)) {
		struct eng_counters step = {};
		u32 command = eng_run_command(run);
		u64 start_ns = now_ns;

		if (ops->progress)
			ops->progress(event->owner);
		finished = eng_run_step(run, queue->area, &queue->use, ENG_STEP_BUDGET,
					eng_timing_flags(event), &step);
		now_ns = eng_now_ns();
		eng_timing_step(event, command, start_ns, now_ns);

		eng_spin_lock(&queue->lock);
		queue->counters.done.commands += step.commands;
		queue->counters.done.uploaded_bytes += step.uploaded_bytes;
		queue->counters.done.launches += step.launches;
		queue->counters.done.spread += step.spread;
		eng_section_longest(&queue->counters.done.longest, &step.longest);
		queue->counters.busy_ns += now_ns - start_ns;
		eng_spin_unlock(&queue->lock);

		if (finished) {
			state = VIRTIO_ACCEL_EVENT_COMPLETE;
			status = VIRTIO_ACCEL_S_OK;
			break;
		}
		if (until_ns && now_ns >= until_ns)
			return false;
		eng_resched();
	}

	eng_use_end(&queue->use, false);
	eng_event_end(event, state, status);
	return true;
}

/* The way out for all who end an event from outside; false for losers. */
static bool eng_event_withdraw(struct eng_event *event, u32 state, u16 status)
{
	struct eng_queue *queue;
	bool cookie;

	/* The queue stays for as long as the event has not ended. */
	if (!eng_event_claim(event))
		return false;

	cookie = eng_signalling_begin();
	queue = event->queue;
	eng_spin_lock(&queue->lock);
	list_del_init(&event->node);
	queue->users++;
	eng_spin_unlock(&queue->lock);

	eng_event_end(event, state, status);
	eng_queue_put(queue);
	eng_signalling_end(cookie);
	return true;
}

/**
 * eng_event_admit() - give prepared work to its queue
 * @event: the event; its memory may be gone on return
 * @may_run_here: small work may be executed in the call, if it is not timed
 *
 * The event may have ended, and been reported, before this returns.
 *
 * Context: May sleep where @may_run_here; does not allocate.
 * Return: OK, or DEVICE_LOST where the device is stopped: the event is discarded
 * then and not reported.
 */
u16 eng_event_admit(struct eng_event *event, bool may_run_here)
{
	struct eng_queue *queue = event->queue;
	struct eng_device *device = queue->device;
	bool cookie = eng_signalling_begin();
	bool here, aborted = false;

	eng_spin_lock(&queue->lock);
	if (eng_atomic_get(&device->stopped)) {
		eng_spin_unlock(&queue->lock);
		eng_signalling_end(cookie);
		eng_event_discard(event);
		return VIRTIO_ACCEL_S_DEVICE_LOST;
	}
	event->sequence = eng_atomic64_add(&device->sequence, 1);
	eng_atomic64_add(&device->direct_bindings, event->binding_count);
	queue->unfinished++;

	here = may_run_here && !event->timed &&
	       event->cost <= device->limits.inline_limit &&
	       device->limits.inline_limit && queue->executor == ENG_NOBODY &&
	       list_empty(&queue->pending) && !eng_atomic_get(&device->held);
	if (here) {
		eng_atomic_set(&event->phase, ENG_CLAIMED);
		queue->running = event;
		queue->executor = ENG_CALLER;
	} else {
		list_add_tail(&event->node, &queue->pending);
		eng_atomic_swap_if(&event->phase, ENG_PREPARED, ENG_PENDING);
		/* An abort that came too early to claim it left word. */
		aborted = eng_atomic_get(&event->abort) &&
			  eng_event_claim(event);
		if (aborted) {
			list_del_init(&event->node);
			queue->users++;
		} else {
			eng_queue_kick(queue);
		}
	}
	eng_spin_unlock(&queue->lock);

	if (here) {
		eng_event_execute(event, 0);
		eng_queue_leave(queue);
	} else if (aborted) {
		eng_event_end(event, VIRTIO_ACCEL_EVENT_CANCELLED,
			      VIRTIO_ACCEL_S_OK);
		eng_queue_put(queue);
	}
	eng_signalling_end(cookie);
	return VIRTIO_ACCEL_S_OK;
}

/**
 * eng_event_cancel() - end an event whose execution has not begun
 * @event: the event, whose memory stays during the call
 *
 * Context: May sleep.
 * Return: OK once it is cancelled and reported, or BUSY.
 */
u16 eng_event_cancel(struct eng_event *event)
{
	return eng_event_withdraw(event, VIRTIO_ACCEL_EVENT_CANCELLED,
				  VIRTIO_ACCEL_S_OK) ?
	       VIRTIO_ACCEL_S_OK : VIRTIO_ACCEL_S_BUSY;
}

/**
 * eng_event_abort() - end an event soon
 * @event: the event, whose memory stays during the call
 *
 * Where execution has begun it ends at the next step, as cancelled unless that
 * was the last.  Does not wait for it.
 *
 * Context: May sleep.
 */
void eng_event_abort(struct eng_event *event)
{
	eng_atomic_set(&event->abort, 1);
	eng_event_withdraw(event, VIRTIO_ACCEL_EVENT_CANCELLED,
			   VIRTIO_ACCEL_S_OK);
}

/**
 * eng_event_expire() - end an event that is still pending after its deadline
 * @event: the event, whose memory stays during the call
 *
 * Context: May sleep.
 */
void eng_event_expire(struct eng_event *event)
{
	u64 deadline_ns = event->deadline_ns;

	if (deadline_ns && eng_now_ns() >= deadline_ns)
		eng_event_withdraw(event, VIRTIO_ACCEL_EVENT_FAILED,
				   VIRTIO_ACCEL_S_DEADLINE_EXPIRED);
}

/**
 * eng_event_state() - state of an event, as seen from outside
 * @event: the event
 * @status: the reason where it failed, else OK
 *
 * Where the device has a done operation, a terminal state may be seen a little
 * before that was called: until then the memory must stay.
 *
 * Context: Any.
 * Return: VIRTIO_ACCEL_EVENT_*; an executing event reads as pending.
 */
u32 eng_event_state(const struct eng_event *event, u16 *status)
{
	u32 phase = eng_atomic_get(&event->phase);

	if (phase <= ENG_ENDED) {
		*status = VIRTIO_ACCEL_S_OK;
		return VIRTIO_ACCEL_EVENT_PENDING;
	}
	*status = event->status;
	return phase - ENG_ENDED;
}

/**
 * eng_event_destroy() - ask whether an event may go, where nothing is reported
 * @event: the event
 *
 * Context: Any.
 * Return: OK where its memory may go, BUSY where it is unfinished.
 */
u16 eng_event_destroy(const struct eng_event *event)
{
	return eng_atomic_get(&event->phase) > ENG_ENDED ?
	       VIRTIO_ACCEL_S_OK : VIRTIO_ACCEL_S_BUSY;
}
