// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting for events, by their fences.
 */
#include <linux/dma-fence.h>
#include <linux/hrtimer.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "core.h"

/**
 * struct vacc_waiter - one event of a wait
 * @cb: on its fence
 * @task: whom to wake
 * @event: the event
 * @armed: @cb is on the fence
 */
struct vacc_waiter {
	struct dma_fence_cb cb;
	struct task_struct *task;
	struct vacc_event *event;
	bool armed;
};

/**
 * vacc_deadline_valid() - check a deadline of the caller's
 * @deadline_ns: absolute CLOCK_MONOTONIC time in ns, or VACC_NO_DEADLINE
 *
 * Context: any.
 * Return: whether it is a time.
 */
bool vacc_deadline_valid(u64 deadline_ns)
{
	return deadline_ns <= VACC_NO_DEADLINE;
}

/**
 * vacc_sleep_until() - sleep until woken
 * @deadline_ns: absolute CLOCK_MONOTONIC time in ns, or VACC_NO_DEADLINE
 *
 * The caller has set its state to TASK_INTERRUPTIBLE and checked what it waits for.
 *
 * Context: process, holding no lock.
 * Return: 0 when woken, -ETIMEDOUT, -ERESTARTSYS for a signal.
 */
int vacc_sleep_until(u64 deadline_ns)
{
	ktime_t expires = ns_to_ktime(deadline_ns);

	if (signal_pending(current))
		return -ERESTARTSYS;
	if (deadline_ns == VACC_NO_DEADLINE) {
		schedule();
		return 0;
	}
	return schedule_hrtimeout(&expires, HRTIMER_MODE_ABS) ? 0 : -ETIMEDOUT;
}

static void vacc_waiter_wake(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	wake_up_process(container_of(cb, struct vacc_waiter, cb)->task);
}

static void vacc_waiter_arm(struct vacc_waiter *waiter)
{
	waiter->task = current;
	/* Fails where the fence has signalled: then there is nothing to wait for. */
	waiter->armed = !dma_fence_add_callback(&waiter->event->fence->base,
						&waiter->cb, vacc_waiter_wake);
}

static void vacc_waiter_disarm(struct vacc_waiter *waiter)
{
	if (waiter->armed)
		dma_fence_remove_callback(&waiter->event->fence->base,
					  &waiter->cb);
	waiter->armed = false;
}

/* Ended for a waiter is what has signalled: everything else has happened by then. */
static bool vacc_waiter_ended(const struct vacc_waiter *waiter)
{
	return test_bit(DMA_FENCE_FLAG_SIGNALED_BIT,
			&waiter->event->fence->base.flags);
}

static bool vacc_waiters_done(const struct vacc_waiter *waiters, u32 count,
			      bool all)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (vacc_waiter_ended(&waiters[i]) != all)
			return !all;
	return all;
}

static int vacc_waiters_sleep(struct vacc_waiter *waiters, u32 count, bool all,
			      u64 deadline_ns)
{
	int err = 0;
	u32 i;

	if (vacc_waiters_done(waiters, count, all))
		return 0;
	for (i = 0; i < count; i++) {
		vacc_waiter_arm(&waiters[i]);
		vacc_event_want(waiters[i].event);
	}
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (err || vacc_waiters_done(waiters, count, all))
			break;
		err = vacc_sleep_until(deadline_ns);
	}
	__set_current_state(TASK_RUNNING);
	for (i = 0; i < count; i++)
		vacc_waiter_disarm(&waiters[i]);
	return vacc_waiters_done(waiters, count, all) ? 0 : err;
}

/**
 * vacc_wait_one() - wait for the end of an event
 * @event: the event
 * @deadline_ns: absolute CLOCK_MONOTONIC time in ns, or VACC_NO_DEADLINE
 *
 * Context: process, holding no lock.
 * Return: 0, -ETIMEDOUT, -ERESTARTSYS.
 */
int vacc_wait_one(struct vacc_event *event, u64 deadline_ns)
{
	struct vacc_waiter waiter = { .event = event };

	return vacc_waiters_sleep(&waiter, 1, true, deadline_ns);
}

static int vacc_wait_find(struct vacc_call *call, struct vacc_waiter *waiters,
			  const struct vacc_wait_entry *entries, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		waiters[i].event = vacc_event_get(call, entries[i].handle);
		if (!waiters[i].event)
			return -ENOENT;
	}
	return 0;
}

static void vacc_wait_entry(const struct vacc_waiter *waiter,
			    struct vacc_wait_entry *entry)
{
	const struct vacc_event *event = waiter->event;

	/* Only an event that has ended can be destroyed under a wait. */
	if (!READ_ONCE(event->obj.ready)) {
		entry->state = VACC_EVENT_FAILED;
		entry->status = VIRTIO_ACCEL_S_STALE_OBJECT;
		entry->event_flags = VACC_EVENT_QUIESCENT;
		return;
	}
	vacc_event_report(event, &entry->state, &entry->status,
			  &entry->event_flags);
}

static int vacc_wait_report(struct vacc_call *call,
			    struct vacc_event_wait *wait,
			    const struct vacc_waiter *waiters,
			    struct vacc_wait_entry *entries)
{
	u32 i;
	int err;

	wait->ended = 0;
	wait->first = VACC_NO_INDEX;
	for (i = 0; i < wait->events.count; i++) {
		vacc_wait_entry(&waiters[i], &entries[i]);
		err = vacc_copy_element_out(&wait->events, i, &entries[i],
					    sizeof(entries[i]));
		if (err)
			return err;
		if (entries[i].state == VACC_EVENT_PENDING)
			continue;
		if (!wait->ended++)
			wait->first = i;
	}
	return vacc_copy_out(call, wait, sizeof(*wait));
}

static int vacc_wait_events(struct vacc_call *call,
			    struct vacc_event_wait *wait,
			    struct vacc_waiter *waiters,
			    struct vacc_wait_entry *entries)
{
	u32 count = wait->events.count;
	int err;
	int fault;

	err = vacc_copy_array_in(&wait->events, entries, sizeof(*entries),
				 sizeof(*entries));
	if (err)
		return err;
	err = vacc_wait_find(call, waiters, entries, count);
	if (err)
		return err;
	err = vacc_waiters_sleep(waiters, count, wait->flags & VACC_WAIT_ALL,
				 wait->deadline_ns);
	if (vacc_device_dead(call->dev))
		return vacc_device_error(call->dev);
	if (err == -ERESTARTSYS)
		return err;
	fault = vacc_wait_report(call, wait, waiters, entries);
	return fault ? fault : err;
}

/**
 * vacc_event_wait() - VACC_EVENT_WAIT
 * @call: the call
 * @arg: struct vacc_event_wait
 *
 * Context: process.
 * Return: 0; -EOPNOTSUPP for a flag; -EINVAL for a count or a time; -E2BIG; -ENOENT;
 * -ETIMEDOUT; -ERESTARTSYS, which userspace sees as EINTR or not at all, as the deadline
 * is absolute; -EFAULT; -ENOMEM; -ENODEV.
 */
int vacc_event_wait(struct vacc_call *call, void *arg)
{
	struct vacc_event_wait *wait = arg;
	struct vacc_wait_entry *entries;
	struct vacc_waiter *waiters;
	u32 count = wait->events.count;
	int err = -ENOMEM;
	u32 i;

	if (wait->flags & ~VACC_WAIT_ALL)
		return vacc_fail(call, -EOPNOTSUPP, "unknown flag");
	if (!count || count > VACC_MAX_WAIT)
		return vacc_fail(call, -EINVAL, "1 to 1024 events");
	if (!vacc_deadline_valid(wait->deadline_ns))
		return vacc_fail(call, -EINVAL, "no such time");
	entries = kvmalloc_array(count, sizeof(*entries), GFP_KERNEL_ACCOUNT);
	waiters = kvcalloc(count, sizeof(*waiters), GFP_KERNEL_ACCOUNT);
	if (entries && waiters)
		err = vacc_wait_events(call, wait, waiters, entries);
	for (i = 0; waiters && i < count && waiters[i].event; i++)
		vacc_event_put(waiters[i].event);
	kvfree(waiters);
	kvfree(entries);
	return err;
}
