// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What tests do to a device: hold it, and end events in an order of their own.
 *
 * Events are named by their sequence number: pointers would be of no use, as
 * every event may end and be gone at any moment.
 */
#include "object.h"

/* The unfinished event with a number; the queue's lock is held. */
static struct eng_event *eng_queue_search(struct eng_queue *queue, u64 sequence)
{
	struct eng_event *event = NULL;

	if (queue->running && queue->running->sequence == sequence)
		return queue->running;
	do {
		event = eng_event_next(queue, event);
	} while (event && event->sequence != sequence);
	return event;
}

/* The queue, to be put after use, of an event that is or was unfinished. */
static struct eng_queue *eng_harness_locate(struct eng_device *device,
					    u64 sequence)
{
	struct eng_queue *queue;
	u64 number = 0;
	bool found;

	while ((queue = eng_queue_next(device, number))) {
		number = queue->number;
		eng_spin_lock(&queue->lock);
		found = eng_queue_search(queue, sequence);
		eng_spin_unlock(&queue->lock);
		if (found)
			return queue;
		eng_queue_put(queue);
	}
	return NULL;
}

/**
 * eng_harness_hold() - begin or end hold mode
 * @device: the device
 * @hold: whether events shall stay pending
 *
 * What executes already goes on.  At the end of hold mode the queues execute what
 * is pending, in order.
 *
 * Context: May sleep.
 */
void eng_harness_hold(struct eng_device *device, bool hold)
{
	struct eng_queue *queue;
	u64 number = 0;

	eng_atomic_set(&device->held, hold);
	if (hold)
		return;
	while ((queue = eng_queue_next(device, number))) {
		number = queue->number;
		eng_spin_lock(&queue->lock);
		eng_queue_kick(queue);
		eng_spin_unlock(&queue->lock);
		eng_queue_put(queue);
	}
}

/**
 * eng_harness_held() - whether a device is in hold mode
 * @device: the device
 *
 * Context: Any.
 * Return: whether it is.
 */
bool eng_harness_held(const struct eng_device *device)
{
	return eng_atomic_get(&device->held);
}

static struct eng_harness_event eng_harness_describe(struct eng_event *event)
{
	return (struct eng_harness_event){
		.sequence = event->sequence,
		.queue = event->queue->number,
		.tag = event->tag,
		.process = event->process,
	};
}

/**
 * eng_harness_list() - unfinished events: by queue, pending ones first
 * @device: the device
 * @after: where to go on, or NULL for the beginning
 * @events: what was found
 * @room: elements of @events
 *
 * Context: May sleep.
 * Return: how many were found, fewer than @room at the end.
 */
u32 eng_harness_list(struct eng_device *device,
		     const struct eng_harness_event *after,
		     struct eng_harness_event *events, u32 room)
{
	struct eng_queue *queue;
	u64 number = after ? after->queue - 1 : 0;
	u32 count = 0;

	while (count < room && (queue = eng_queue_next(device, number))) {
		bool resumed = after && after->queue == queue->number;
		struct eng_event *event = NULL;

		number = queue->number;
		eng_spin_lock(&queue->lock);
		while (count < room && (event = eng_event_next(queue, event))) {
			if (resumed && (after->executing ||
					event->sequence <= after->sequence))
				continue;
			events[count++] = eng_harness_describe(event);
		}
		if (queue->running && count < room &&
		    !(resumed && after->executing)) {
			events[count] = eng_harness_describe(queue->running);
			events[count++].executing = true;
		}
		eng_spin_unlock(&queue->lock);
		eng_queue_put(queue);
	}
	return count;
}

/**
 * eng_harness_find() - the first unfinished event with a tag
 * @device: the device
 * @tag: the tag
 * @sequence: number of the oldest that is pending, else of one that executes
 *
 * Context: May sleep.
 * Return: OK, or STALE_OBJECT where there is none.
 */
u16 eng_harness_find(struct eng_device *device, u32 tag, u64 *sequence)
{
	struct eng_queue *queue;
	u64 executing = 0;
	u64 pending = 0;
	u64 number = 0;

	while ((queue = eng_queue_next(device, number))) {
		struct eng_event *event = NULL;

		number = queue->number;
		eng_spin_lock(&queue->lock);
		if (queue->running && queue->running->tag == tag)
			executing = queue->running->sequence;
		do {
			event = eng_event_next(queue, event);
		} while (event && event->tag != tag);
		if (event && (!pending || event->sequence < pending))
			pending = event->sequence;
		eng_spin_unlock(&queue->lock);
		eng_queue_put(queue);
	}

	*sequence = pending ?: executing;
	return *sequence ? VIRTIO_ACCEL_S_OK : VIRTIO_ACCEL_S_STALE_OBJECT;
}

/**
 * eng_harness_oldest() - the event of all that has been pending for longest
 * @device: the device
 * @sequence: its number
 *
 * Context: May sleep.
 * Return: OK, or STALE_OBJECT where none is pending.
 */
u16 eng_harness_oldest(struct eng_device *device, u64 *sequence)
{
	struct eng_queue *queue;
	u64 number = 0;

	*sequence = 0;
	while ((queue = eng_queue_next(device, number))) {
		struct eng_event *event = NULL;

		number = queue->number;
		eng_spin_lock(&queue->lock);
		do {
			event = eng_event_next(queue, event);
		} while (event && eng_atomic_get(&event->phase) != ENG_PENDING);
		if (event && (!*sequence || event->sequence < *sequence))
			*sequence = event->sequence;
		eng_spin_unlock(&queue->lock);
		eng_queue_put(queue);
	}
	return *sequence ? VIRTIO_ACCEL_S_OK : VIRTIO_ACCEL_S_STALE_OBJECT;
}

/**
 * eng_harness_newest() - number of the event that was admitted last
 * @device: the device
 *
 * Context: Any.
 * Return: its number, whether or not it has ended; 0 before the first.
 */
u64 eng_harness_newest(const struct eng_device *device)
{
	return eng_atomic64_get(&device->sequence);
}

/**
 * eng_harness_complete() - execute a pending event now, whatever is before it
 * @device: the device
 * @sequence: number of the event
 *
 * Context: May sleep.  Executes in the caller, after what the queue executes.
 * Return: OK once it has been executed and reported, STALE_OBJECT where there is
 * none, BUSY where it executes already or somebody else ends it.
 */
u16 eng_harness_complete(struct eng_device *device, u64 sequence)
{
	struct eng_queue *queue = eng_harness_locate(device, sequence);
	struct eng_event *event;
	bool cookie, claimed;

	if (!queue)
		return VIRTIO_ACCEL_S_STALE_OBJECT;

	eng_spin_lock(&queue->lock);
	event = eng_queue_search(queue, sequence);
	if (event && event != queue->running) {
		eng_wait_for(&queue->idle, &queue->lock,
			     queue->executor == ENG_NOBODY);
		event = eng_queue_search(queue, sequence);
	}
	claimed = event && eng_event_claim(event);
	if (claimed) {
		list_del_init(&event->node);
		queue->running = event;
		queue->executor = ENG_CALLER;
	}
	eng_spin_unlock(&queue->lock);

	if (claimed) {
		cookie = eng_signalling_begin();
		eng_event_execute(event, 0);
		eng_queue_leave(queue);
		eng_signalling_end(cookie);
	}
	eng_queue_put(queue);
	return claimed ? VIRTIO_ACCEL_S_OK : VIRTIO_ACCEL_S_BUSY;
}

/**
 * eng_harness_fail() - fail a pending event, which never executes then
 * @device: the device
 * @sequence: number of the event
 * @status: why; DEVICE_LOST for a loss
 *
 * Context: May sleep.
 * Return: OK once it has been reported, STALE_OBJECT where there is none, BUSY where
 * it executes already or somebody else ends it.
 */
u16 eng_harness_fail(struct eng_device *device, u64 sequence, u16 status)
{
	struct eng_queue *queue = eng_harness_locate(device, sequence);
	struct eng_event *event;
	bool cookie, claimed;

	if (!queue)
		return VIRTIO_ACCEL_S_STALE_OBJECT;

	cookie = eng_signalling_begin();
	eng_spin_lock(&queue->lock);
	event = eng_queue_search(queue, sequence);
	claimed = event && eng_event_claim(event);
	if (claimed)
		list_del_init(&event->node);
	eng_spin_unlock(&queue->lock);

	if (claimed)
		eng_event_end(event, VIRTIO_ACCEL_EVENT_FAILED, status);
	eng_signalling_end(cookie);
	eng_queue_put(queue);
	return claimed ? VIRTIO_ACCEL_S_OK : VIRTIO_ACCEL_S_BUSY;
}
