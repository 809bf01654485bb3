// SPDX-License-Identifier: GPL-2.0
/*
 * The device: requests off the ring, answers onto it.
 *
 * Two workers share the ring.  One takes every chain, and handles requests about
 * events itself; it allocates nothing and waits for nobody who does, as fences wait
 * for it.  Requests that may allocate go to the other, in the order of the ring.  So
 * a poll is answered while an allocation waits for memory, which may be waiting for
 * a fence.  Answers are complete as they come: the protocol allows any order.
 *
 * Chains have memory from the beginning, for as many as the ring can hold.
 *
 * A reset stops both workers before it returns, and execution too, without
 * allocating, as the driver's fences wait for it.  A new engine is made later.
 */
#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/virtio_ring.h>

#include "loopback.h"

/* Chains that are taken before others on the processor get a chance. */
#define SERVE_BUDGET	64

/* A driver that waits hears of answers no later than this. */
#define SERVE_DELAY_NS	(1 * NSEC_PER_MSEC)

static struct loopback_chain *loopback_take(struct loopback *loopback,
					    struct list_head *from)
{
	struct loopback_chain *chain;

	spin_lock_irq(&loopback->lock);
	chain = list_first_entry_or_null(from, struct loopback_chain, node);
	if (chain)
		list_del_init(&chain->node);
	spin_unlock_irq(&loopback->lock);
	return chain;
}

static void loopback_give(struct loopback *loopback,
			  struct loopback_chain *chain, struct list_head *to)
{
	spin_lock_irq(&loopback->lock);
	list_add_tail(&chain->node, to);
	spin_unlock_irq(&loopback->lock);
}

/* As an interrupt: one at a time, and no others on this processor meanwhile. */
static void loopback_interrupt(struct loopback *loopback)
{
	unsigned long flags;
	bool cookie;

	if (!eng_ring_interrupt(&loopback->ring))
		return;
	spin_lock_irqsave(&loopback->lock, flags);
	loopback->counters.interrupts++;
	spin_unlock_irqrestore(&loopback->lock, flags);

	cookie = dma_fence_begin_signalling();
	spin_lock_irqsave(&loopback->line, flags);
	vring_interrupt(0, loopback->vq);
	spin_unlock_irqrestore(&loopback->line, flags);
	dma_fence_end_signalling(cookie);
}

static void loopback_handle(struct loopback *loopback,
			    struct loopback_chain *chain)
{
	u32 used = eng_port_handle(loopback->port, chain->chain);

	eng_ring_push(&loopback->ring, chain->chain, used);
	loopback_give(loopback, chain, &loopback->idle);
}

static void loopback_dispatch(struct loopback *loopback,
			      struct loopback_chain *chain)
{
	if (eng_port_open(loopback->port, chain->chain) == ENG_LANE_EVENT) {
		loopback_handle(loopback, chain);
		return;
	}
	loopback_give(loopback, chain, &loopback->objects);
	queue_work(loopback->object_wq, &loopback->object_work);
}

/* The next chain, if there is one. */
static enum eng_pop loopback_fetch_one(struct loopback *loopback)
{
	struct loopback_chain *chain = loopback_take(loopback, &loopback->idle);
	enum eng_pop pop;

	/* There are as many as the ring lets be under way. */
	if (WARN_ON_ONCE(!chain))
		return ENG_POP_BROKEN;
	pop = eng_ring_pop(&loopback->ring, chain->chain);
	if (pop == ENG_POP_CHAIN)
		loopback_dispatch(loopback, chain);
	else
		loopback_give(loopback, chain, &loopback->idle);
	return pop;
}

static enum eng_pop loopback_fetch(struct loopback *loopback)
{
	enum eng_pop pop = ENG_POP_CHAIN;
	u32 budget = SERVE_BUDGET;

	eng_ring_quiet(&loopback->ring);
	while (budget-- && pop == ENG_POP_CHAIN) {
		pop = loopback_fetch_one(loopback);
		if (pop == ENG_POP_EMPTY && eng_ring_rest(&loopback->ring)) {
			eng_ring_quiet(&loopback->ring);
			pop = ENG_POP_CHAIN;
		}
	}
	return pop;
}

static void loopback_fetch_work(struct work_struct *work)
{
	struct loopback *loopback = container_of(work, struct loopback,
						 fetch_work);
	bool cookie = dma_fence_begin_signalling();
	enum eng_pop pop = ENG_POP_EMPTY;

	if (READ_ONCE(loopback->running))
		pop = loopback_fetch(loopback);
	if (xchg(&loopback->flush, false))
		eng_ring_push_held(&loopback->ring);
	loopback_interrupt(loopback);
	if (pop == ENG_POP_CHAIN)
		loopback_serve_kick(loopback);
	else if (pop == ENG_POP_BROKEN)
		loopback_needs_reset(loopback);
	dma_fence_end_signalling(cookie);
}

static void loopback_object_work(struct work_struct *work)
{
	struct loopback *loopback = container_of(work, struct loopback,
						 object_work);
	struct loopback_chain *chain;
	u64 told = ktime_get_ns();
	u64 now;

	while (READ_ONCE(loopback->running) &&
	       (chain = loopback_take(loopback, &loopback->objects))) {
		loopback_handle(loopback, chain);
		cond_resched();
		now = ktime_get_ns();
		if (now - told < SERVE_DELAY_NS)
			continue;
		told = now;
		loopback_interrupt(loopback);
	}
	loopback_interrupt(loopback);
}

static void loopback_clean_work(struct work_struct *work)
{
	struct loopback *loopback = container_of(work, struct loopback,
						 clean_work);

	eng_port_reset(loopback->port);
}

/**
 * loopback_serve_init() - make the workers
 * @loopback: a device without a virtqueue
 *
 * Context: May sleep.
 * Return: 0 or -ENOMEM.
 */
int loopback_serve_init(struct loopback *loopback)
{
	INIT_LIST_HEAD(&loopback->idle);
	INIT_LIST_HEAD(&loopback->objects);
	INIT_WORK(&loopback->fetch_work, loopback_fetch_work);
	INIT_WORK(&loopback->object_work, loopback_object_work);
	INIT_WORK(&loopback->clean_work, loopback_clean_work);
	eng_hostile_init(&loopback->hostile);
	eng_ring_init(&loopback->ring);
	loopback->ring.hostile = &loopback->hostile;

	loopback->event_wq = alloc_workqueue("%s.event",
					     WQ_UNBOUND | WQ_MEM_RECLAIM |
					     WQ_HIGHPRI, 1, loopback->name);
	loopback->object_wq = alloc_workqueue("%s.object",
					      WQ_UNBOUND | WQ_MEM_RECLAIM, 1,
					      loopback->name);
	if (loopback->event_wq && loopback->object_wq)
		return 0;
	loopback_serve_exit(loopback);
	return -ENOMEM;
}

/**
 * loopback_serve_exit() - end the workers
 * @loopback: a device without a virtqueue
 *
 * Context: May sleep.
 */
void loopback_serve_exit(struct loopback *loopback)
{
	if (loopback->object_wq)
		destroy_workqueue(loopback->object_wq);
	if (loopback->event_wq)
		destroy_workqueue(loopback->event_wq);
	eng_ring_fini(&loopback->ring);
	eng_hostile_fini(&loopback->hostile);
}

/**
 * loopback_serve_prepare() - get ready for a virtqueue
 * @loopback: the device
 *
 * Context: May sleep.
 * Return: 0 or -ENOMEM.
 */
int loopback_serve_prepare(struct loopback *loopback)
{
	const u32 max_chain = eng_port_config(loopback->port)->max_chain;
	const u32 segs = max_chain + ENG_CHAIN_SEGS - VIRTIO_ACCEL_MAX_CHAIN;
	/* One to look with, and one that each worker has just returned. */
	const u32 count = loopback_ring_size() + 3;
	struct loopback_chain *chain;

	flush_work(&loopback->clean_work);
	loopback->chains = kvcalloc(count, sizeof(*chain), GFP_KERNEL);
	if (!loopback->chains)
		return -ENOMEM;
	for (chain = loopback->chains; chain < loopback->chains + count;
	     chain++) {
		chain->chain = eng_chain_alloc(segs);
		if (!chain->chain) {
			loopback_serve_release(loopback);
			return -ENOMEM;
		}
		loopback->chain_count++;
		loopback_give(loopback, chain, &loopback->idle);
	}
	return 0;
}

/**
 * loopback_serve_release() - free what a virtqueue needed
 * @loopback: the device, which does not serve
 *
 * Context: May sleep.
 */
void loopback_serve_release(struct loopback *loopback)
{
	u32 i;

	INIT_LIST_HEAD(&loopback->idle);
	INIT_LIST_HEAD(&loopback->objects);
	for (i = 0; i < loopback->chain_count; i++)
		eng_chain_free(loopback->chains[i].chain);
	loopback->chain_count = 0;
	kvfree(loopback->chains);
	loopback->chains = NULL;
}

/**
 * loopback_serve_start() - begin to serve the virtqueue
 * @loopback: a device with one, which does not serve
 *
 * Context: May sleep.
 */
void loopback_serve_start(struct loopback *loopback)
{
	const struct vring *vring = virtqueue_get_vring(loopback->vq);
	const struct eng_ring_config config = {
		.desc = vring->desc,
		.avail = vring->avail,
		.used = vring->used,
		.size = vring->num,
		.max_chain = eng_port_config(loopback->port)->max_chain,
		.ops = &loopback_ring_ops,
		.owner = loopback,
	};

	if (eng_ring_start(&loopback->ring, &config)) {
		loopback_needs_reset(loopback);
		return;
	}
	spin_lock_irq(&loopback->lock);
	loopback->running = true;
	spin_unlock_irq(&loopback->lock);
	/* What was offered before. */
	loopback_serve_kick(loopback);
}

/**
 * loopback_serve_stop() - do not touch the virtqueue any more
 * @loopback: the device
 *
 * When this returns no request is being handled, no driver's memory is touched, no
 * interrupt is under way, and nothing executes.
 *
 * Context: May sleep; does not allocate.
 */
void loopback_serve_stop(struct loopback *loopback)
{
	bool was;

	spin_lock_irq(&loopback->lock);
	was = loopback->running;
	loopback->running = false;
	spin_unlock_irq(&loopback->lock);
	if (!was)
		return;
	eng_ring_stop(&loopback->ring);
	cancel_work_sync(&loopback->fetch_work);
	cancel_work_sync(&loopback->object_work);
	spin_lock_irq(&loopback->lock);
	list_splice_tail_init(&loopback->objects, &loopback->idle);
	spin_unlock_irq(&loopback->lock);

	eng_port_lose(loopback->port);
	queue_work(loopback->object_wq, &loopback->clean_work);
}

/**
 * loopback_serve_kick() - there may be something on the ring
 * @loopback: the device
 *
 * Context: Any.
 */
void loopback_serve_kick(struct loopback *loopback)
{
	if (READ_ONCE(loopback->running))
		queue_work(loopback->event_wq, &loopback->fetch_work);
}

/**
 * loopback_serve_flush() - return what hostility has held back
 * @loopback: the device
 *
 * Context: May sleep.
 */
void loopback_serve_flush(struct loopback *loopback)
{
	WRITE_ONCE(loopback->flush, true);
	queue_work(loopback->event_wq, &loopback->fetch_work);
	flush_work(&loopback->fetch_work);
}
