// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Execution queues: events in order, and the worker that takes one after the
 * other.
 *
 * One executor at a time: the queue's worker, a submitter whose work is small and
 * alone, or the harness.  Whoever it is owns the work area.
 */
#include "object.h"
#include "team.h"

/* After so long a worker lets other queues have its place. */
#define ENG_SLICE_NS	10000000

static bool eng_queue_may_run(const struct eng_queue *queue)
{
	return !eng_atomic_get(&queue->device->held) &&
	       !eng_atomic_get(&queue->device->stopped);
}

/* Takes the oldest event that nobody else is ending; the lock is held. */
static struct eng_event *eng_queue_claim(struct eng_queue *queue)
{
	struct eng_event *event = NULL;

	do {
		event = eng_event_next(queue, event);
	} while (event && !eng_event_claim(event));
	if (event)
		list_del_init(&event->node);
	return event;
}

/*
 * What the worker executes now: what it has begun, or the next.  NULL where there
 * is none, or somebody else executes.
 */
static struct eng_event *eng_queue_take(struct eng_queue *queue)
{
	struct eng_event *event = NULL;

	eng_spin_lock(&queue->lock);
	if (queue->executor == ENG_CALLER)
		goto out;
	if (queue->running) {
		event = queue->running;
		goto out;
	}
	if (eng_queue_may_run(queue))
		event = eng_queue_claim(queue);
	queue->running = event;
	queue->executor = event ? ENG_WORKER : ENG_NOBODY;
	if (!event)
		eng_wait_wake(&queue->idle);
out:
	eng_spin_unlock(&queue->lock);
	return event;
}

static void eng_queue_work(struct eng_work *work)
{
	struct eng_queue *queue = container_of(work, struct eng_queue, work);
	u64 until_ns = eng_now_ns() + ENG_SLICE_NS;
	bool cookie = eng_signalling_begin();
	struct eng_event *event;

	/* Once there is nothing to take, the queue may go. */
	while ((event = eng_queue_take(queue))) {
		if (!eng_event_execute(event, until_ns) ||
		    eng_now_ns() >= until_ns) {
			eng_work_queue(&queue->device->pool, &queue->work);
			break;
		}
		eng_resched();
	}
	eng_signalling_end(cookie);
}

/**
 * eng_queue_kick() - have pending events executed
 * @queue: the queue, whose lock is held
 *
 * Context: Any task.
 */
void eng_queue_kick(struct eng_queue *queue)
{
	if (queue->executor == ENG_NOBODY && !list_empty(&queue->pending) &&
	    eng_queue_may_run(queue))
		eng_work_queue(&queue->device->pool, &queue->work);
}

/**
 * eng_queue_leave() - end being the executor of a queue as ENG_CALLER
 * @queue: the queue, which may go as soon as this has happened
 *
 * Context: Any task.
 */
void eng_queue_leave(struct eng_queue *queue)
{
	eng_spin_lock(&queue->lock);
	queue->executor = ENG_NOBODY;
	eng_queue_kick(queue);
	eng_wait_wake(&queue->idle);
	eng_spin_unlock(&queue->lock);
}

/**
 * eng_queue_put() - end being a user of a queue
 * @queue: the queue, which may go as soon as this has happened
 *
 * Context: Any task.
 */
void eng_queue_put(struct eng_queue *queue)
{
	eng_spin_lock(&queue->lock);
	queue->users--;
	eng_wait_wake(&queue->idle);
	eng_spin_unlock(&queue->lock);
}

/* The queue with the lowest number above @number; the tree lock is held. */
static struct eng_queue *eng_queue_above(struct eng_device *device, u64 number)
{
	struct list_head *contexts = &device->contexts;
	struct eng_queue *found = NULL;
	struct list_head *c, *q;

	for (c = contexts->next; c != contexts; c = c->next) {
		struct list_head *queues =
			&container_of(c, struct eng_context, node)->queues;

		for (q = queues->next; q != queues; q = q->next) {
			struct eng_queue *queue =
				container_of(q, struct eng_queue, node);

			if (queue->number > number &&
			    (!found || queue->number < found->number))
				found = queue;
		}
	}
	return found;
}

/**
 * eng_queue_next() - the next queue of a device, to be put after use
 * @device: the device
 * @number: that of the queue before, or 0 for the first
 *
 * Context: May sleep.
 * Return: the queue with the lowest number above @number, or NULL.
 */
struct eng_queue *eng_queue_next(struct eng_device *device, u64 number)
{
	struct eng_queue *queue;

	eng_mutex_lock(&device->tree);
	queue = eng_queue_above(device, number);
	if (queue) {
		eng_spin_lock(&queue->lock);
		queue->users++;
		eng_spin_unlock(&queue->lock);
	}
	eng_mutex_unlock(&device->tree);
	return queue;
}

/**
 * eng_queue_stop() - end all events of a queue whose device is stopped
 * @queue: the queue, of which the caller is a user, up to now
 *
 * Context: May sleep.  Waits for the executor and for all users but those that do
 * the same.
 */
void eng_queue_stop(struct eng_queue *queue)
{
	struct eng_event *event;
	bool cookie;

	do {
		cookie = eng_signalling_begin();
		eng_spin_lock(&queue->lock);
		event = eng_queue_claim(queue);
		eng_spin_unlock(&queue->lock);
		if (event)
			eng_event_end(event, VIRTIO_ACCEL_EVENT_FAILED,
				      VIRTIO_ACCEL_S_DEVICE_LOST);
		eng_signalling_end(cookie);
		eng_resched();
	} while (event);

	eng_spin_lock(&queue->lock);
	queue->stoppers++;
	eng_wait_wake(&queue->idle);
	eng_wait_for(&queue->idle, &queue->lock,
		     list_empty(&queue->pending) &&
		     queue->users == queue->stoppers &&
		     queue->executor == ENG_NOBODY);
	queue->stoppers--;
	queue->users--;
	eng_wait_wake(&queue->idle);
	eng_spin_unlock(&queue->lock);
}

/**
 * eng_queue_create() - make an execution queue
 * @context: where it belongs
 * @flags: 0
 * @queue: it
 *
 * Context: May sleep.
 * Return: OK, UNSUPPORTED, RESOURCE_LIMIT or OUT_OF_MEMORY.
 */
u16 eng_queue_create(struct eng_context *context, u32 flags,
		     struct eng_queue **queue)
{
	struct eng_device *device = context->device;
	struct eng_queue *q;

	if (flags)
		return VIRTIO_ACCEL_S_UNSUPPORTED;

	q = eng_zalloc(sizeof(*q));
	if (!q)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	q->context = context;
	q->device = device;
	eng_spin_init(&q->lock);
	eng_wait_init(&q->idle);
	INIT_LIST_HEAD(&q->pending);
	eng_work_init(&q->work, eng_queue_work);

	eng_mutex_lock(&device->tree);
	if (context->queue_count >= device->limits.max_queues) {
		eng_mutex_unlock(&device->tree);
		eng_queue_free(q);
		return VIRTIO_ACCEL_S_RESOURCE_LIMIT;
	}
	q->number = ++device->queue_number;
	context->queue_count++;
	list_add_tail(&q->node, &context->queues);
	eng_mutex_unlock(&device->tree);

	*queue = q;
	return VIRTIO_ACCEL_S_OK;
}

/**
 * eng_queue_prepare() - have the executor's memory at hand
 * @queue: the queue
 * @bytes: how much a program needs; the same each time but for 0
 *
 * It stays for as long as the queue, so that no event waits for memory.
 *
 * Context: May sleep.
 * Return: OK, or OUT_OF_MEMORY.
 */
u16 eng_queue_prepare(struct eng_queue *queue, size_t bytes)
{
	bool present = !bytes;
	void *area;

	if (!present) {
		eng_spin_lock(&queue->lock);
		present = queue->area;
		eng_spin_unlock(&queue->lock);
	}
	if (present)
		return VIRTIO_ACCEL_S_OK;

	area = eng_alloc(bytes);
	if (!area)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	eng_spin_lock(&queue->lock);
	present = queue->area;
	if (!present)
		queue->area = area;
	eng_spin_unlock(&queue->lock);
	if (present)
		eng_free(area);
	return VIRTIO_ACCEL_S_OK;
}

/**
 * eng_queue_team() - processors for a queue's big products
 * @queue: the queue
 *
 * They stay its as long as it is there: what they work in is not allocated again.
 *
 * Context: May sleep.
 * Return: the team, or NULL where there is none.
 */
struct eng_team *eng_queue_team(struct eng_queue *queue)
{
	struct eng_team *team, *made;

	eng_spin_lock(&queue->lock);
	team = queue->team;
	eng_spin_unlock(&queue->lock);
	if (team)
		return team;

	made = eng_team_create(&queue->device->pool);
	eng_spin_lock(&queue->lock);
	if (!queue->team) {
		queue->team = made;
		made = NULL;
	}
	team = queue->team;
	eng_spin_unlock(&queue->lock);
	eng_team_free(made);
	return team;
}

/**
 * eng_queue_free() - free a queue that is on no list and that nobody uses
 * @queue: the queue
 *
 * Context: May sleep.
 */
void eng_queue_free(struct eng_queue *queue)
{
	eng_work_cancel(&queue->device->pool, &queue->work);
	eng_wait_fini(&queue->idle);
	eng_spin_fini(&queue->lock);
	eng_team_free(queue->team);
	eng_free(queue->area);
	eng_free(queue);
}

/**
 * eng_queue_destroy() - end an execution queue
 * @queue: the queue
 *
 * Context: May sleep.  Waits for whoever has just ended its last event.
 * Return: OK, or BUSY where it has unfinished events.
 */
u16 eng_queue_destroy(struct eng_queue *queue)
{
	struct eng_context *context = queue->context;
	struct eng_device *device = queue->device;
	bool busy;

	eng_mutex_lock(&device->tree);
	eng_spin_lock(&queue->lock);
	busy = queue->unfinished;
	if (!busy) {
		eng_spin_lock(&device->sums);
		eng_work_add(&device->retired, &queue->counters);
		eng_spin_unlock(&device->sums);
		context->queue_count--;
		list_del_init(&queue->node);
	}
	eng_spin_unlock(&queue->lock);
	eng_mutex_unlock(&device->tree);
	if (busy)
		return VIRTIO_ACCEL_S_BUSY;

	eng_spin_lock(&queue->lock);
	eng_wait_for(&queue->idle, &queue->lock,
		     !queue->users && queue->executor == ENG_NOBODY);
	eng_spin_unlock(&queue->lock);
	eng_queue_free(queue);
	return VIRTIO_ACCEL_S_OK;
}

/**
 * eng_queue_counters() - what a queue has executed
 * @queue: the queue
 * @counters: one consistent picture
 *
 * Context: Any task.
 */
void eng_queue_counters(struct eng_queue *queue,
			struct eng_work_counters *counters)
{
	eng_spin_lock(&queue->lock);
	*counters = queue->counters;
	eng_spin_unlock(&queue->lock);
}
