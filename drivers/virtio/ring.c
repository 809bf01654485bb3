// SPDX-License-Identifier: GPL-2.0
/*
 * The command virtqueue: what goes on the ring and what comes off it.
 */
#include <linux/dma-fence.h>
#include <linux/jiffies.h>
#include <linux/sched/signal.h>
#include <linux/virtio_config.h>

#include "../compat.h"
#include "trace.h"

static unsigned long vacc_ring_timeout(void)
{
	return msecs_to_jiffies(vacc_vio_command_timeout_ms());
}

/*
 * What is about an event may have nobody who waits for the answer, and so nobody who finds
 * out that there is none.
 */
static void vacc_ring_watch(struct vacc_request *request)
{
	if (!request->answered)
		return;
	request->sent = jiffies;
	timer_reduce(&request->session->watch, jiffies + vacc_ring_timeout());
}

/* The oldest that is watched decides when to look again. */
static bool vacc_ring_overdue(struct vacc_session *session)
{
	unsigned long timeout = vacc_ring_timeout();
	struct vacc_request *request;

	lockdep_assert_held(&session->lock);
	if (session->dying)
		return false;
	list_for_each_entry(request, &session->inflight, node) {
		if (!request->answered)
			continue;
		if (time_after_eq(jiffies, request->sent + timeout))
			return true;
		timer_reduce(&session->watch, request->sent + timeout);
		return false;
	}
	return false;
}

/**
 * vacc_ring_add() - put a request on the ring, if there is room
 * @request: an idle request
 * @reserve: descriptors to leave free
 * @kick: set where the device has to be told, by vacc_ring_kick()
 *
 * Context: any, under the session's lock.
 * Return: 0; -ENOSPC where there is no room; -ENOMEM where the frame cannot be mapped for
 * the device though nothing else is; -EIO where the ring is gone.
 */
int vacc_ring_add(struct vacc_request *request, u32 reserve, bool *kick)
{
	struct scatterlist *sgs[2] = { request->out, request->in };
	struct vacc_session *session = request->session;
	u32 needed = request->out_count + request->in_count;
	int err;

	lockdep_assert_held(&session->lock);
	if (session->dying || !session->vq)
		return -EIO;
	/* A ring that is too small for a reserve takes one frame at a time. */
	if (!session->reserve && !list_empty(&session->inflight))
		return -ENOSPC;
	if (session->vq->num_free < needed + min(reserve, session->reserve))
		return -ENOSPC;
	/*
	 * Zero is no identity.  No request is outstanding for as long as it takes to send
	 * 2^32 others: no two have one identity.
	 */
	do {
		request->id = (u64)session->next_id++ << 32 | request->tag;
	} while (!request->id);
	request->header->request_id = cpu_to_le64(request->id);
	err = virtqueue_add_sgs(session->vq, sgs, 1, 1, request, GFP_ATOMIC);
	if (err && virtqueue_is_broken(session->vq))
		return -EIO;
	/* What others have mapped is there again when they are answered. */
	if (err)
		return err == -ENOSPC || !list_empty(&session->inflight) ?
		       -ENOSPC : -ENOMEM;
	kref_get(&request->ref);
	request->state = VACC_REQUEST_SENT;
	request->finished = false;
	list_move_tail(&request->node, &session->inflight);
	vacc_ring_watch(request);
	trace_vacc_frame_sent(request);
	*kick = true;
	return 0;
}

/**
 * vacc_ring_kick() - tell the device of what was put on the ring
 * @session: the session
 *
 * Context: any, under no lock of the session.
 */
void vacc_ring_kick(struct vacc_session *session)
{
	struct virtqueue *vq;
	unsigned long flags;
	bool notify = false;

	spin_lock_irqsave(&session->lock, flags);
	vq = session->vq;
	if (vq && !session->dying)
		notify = virtqueue_kick_prepare(vq);
	spin_unlock_irqrestore(&session->lock, flags);
	/* The queue goes only when calls, workers and timers are over. */
	if (notify)
		virtqueue_notify(vq);
}

/* In order, so that a queue's submissions stay so. */
static void vacc_ring_send_unsent(struct vacc_session *session, bool *kick)
{
	struct vacc_request *request, *next;
	int err = 0;

	lockdep_assert_held(&session->lock);
	list_for_each_entry_safe(request, next, &session->unsent, node) {
		err = vacc_ring_add(request, VACC_VIO_RESERVE, kick);
		if (err)
			break;
	}
	/* The device has nothing that it could return, and nobody else tries again. */
	if (err == -ENOMEM)
		timer_reduce(&session->watch, jiffies + 1);
}

/**
 * vacc_ring_post() - send a request that nobody waits for, now or when there is room
 * @request: an idle request, whose session does not end before it is lost
 *
 * Context: any, under no lock of the session.
 */
void vacc_ring_post(struct vacc_request *request)
{
	struct vacc_session *session = request->session;
	unsigned long flags;
	bool kick = false;

	spin_lock_irqsave(&session->lock, flags);
	request->abandoned = true;
	list_add_tail(&request->node, &session->unsent);
	vacc_ring_send_unsent(session, &kick);
	spin_unlock_irqrestore(&session->lock, flags);
	if (kick)
		vacc_ring_kick(session);
}

/**
 * vacc_ring_unpost() - do not send a request
 * @request: a request that may have been posted
 *
 * Context: any, under the session's lock.
 * Return: whether the device never sees it; not for one that was not posted.
 */
bool vacc_ring_unpost(struct vacc_request *request)
{
	lockdep_assert_held(&request->session->lock);
	if (request->state != VACC_REQUEST_IDLE || list_empty(&request->node))
		return false;
	list_del_init(&request->node);
	return true;
}

static bool vacc_ring_is_next(const struct vacc_session *session,
			      const struct list_head *turn)
{
	return list_empty(&session->unsent) &&
	       (list_empty(&session->turns) ||
		(turn && list_is_first(turn, &session->turns)));
}

/**
 * vacc_ring_add_in_turn() - put a request on the ring, if nobody else is before it
 * @request: an idle request
 * @reserve: descriptors to leave free; 0 for what is about one event, which may overtake
 * @turn: of the session's @turns, or NULL for who does not wait yet
 * @kick: set where the device has to be told, by vacc_ring_kick()
 *
 * What was posted goes first, then who waits, in order: a frame that needs all of the ring
 * gets it, as smaller ones that come later do not fill it again.
 *
 * Context: any, under the session's lock.
 * Return: as vacc_ring_add(); -ENOSPC also where others are before it.
 */
int vacc_ring_add_in_turn(struct vacc_request *request, u32 reserve,
			  const struct list_head *turn, bool *kick)
{
	struct vacc_session *session = request->session;

	lockdep_assert_held(&session->lock);
	if (reserve && !session->dying && !vacc_ring_is_next(session, turn))
		return -ENOSPC;
	return vacc_ring_add(request, reserve, kick);
}

static void vacc_ring_begin_turn(struct vacc_session *session,
				 struct list_head *turn)
{
	spin_lock_irq(&session->lock);
	list_add_tail(turn, &session->turns);
	spin_unlock_irq(&session->lock);
}

static void vacc_ring_end_turn(struct vacc_session *session,
			       struct list_head *turn)
{
	bool more;

	spin_lock_irq(&session->lock);
	list_del(turn);
	more = !list_empty(&session->turns);
	spin_unlock_irq(&session->lock);
	/* There may be room for the next, too. */
	if (more)
		wake_up_all(&session->room);
}

static int vacc_ring_try(struct vacc_request *request, u32 reserve,
			 const struct list_head *turn)
{
	struct vacc_session *session = request->session;
	bool kick = false;
	int err;

	spin_lock_irq(&session->lock);
	err = vacc_ring_add_in_turn(request, reserve, turn, &kick);
	spin_unlock_irq(&session->lock);
	if (kick)
		vacc_ring_kick(session);
	return err;
}

/* What is left of the time, negative for a signal; *err is what came of the last try. */
static long vacc_ring_wait_turn(struct vacc_request *request, u32 reserve,
				const struct list_head *turn,
				bool interruptible, int *err)
{
	struct vacc_session *session = request->session;
	long timeout = vacc_ring_timeout();

#define VACC_RING_TRIED ((*err = vacc_ring_try(request, reserve, turn)) != -ENOSPC)
	if (interruptible)
		return wait_event_interruptible_timeout(session->room,
							VACC_RING_TRIED,
							timeout);
	return wait_event_killable_timeout(session->room, VACC_RING_TRIED,
					   timeout);
#undef VACC_RING_TRIED
}

static u16 vacc_ring_sent(struct vacc_session *session, int err, long left)
{
	if (!err)
		return VIRTIO_ACCEL_S_OK;
	if (err == -ENOMEM)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	if (left < 0)
		return fatal_signal_pending(current) ? VACC_S_KILLED :
						       VACC_S_RESTART;
	if (!left)
		vacc_session_fail(session);
	return VIRTIO_ACCEL_S_DEVICE_LOST;
}

/*
 * A full ring is back-pressure: whoever comes waits, for as long as the device returns
 * something.  One that returns nothing for as long as a command may take is reset.
 */
static u16 vacc_ring_send_wait(struct vacc_request *request, u32 reserve,
			       bool interruptible)
{
	struct vacc_session *session = request->session;
	struct list_head turn;
	u32 returned;
	long left;
	int err;

	err = vacc_ring_try(request, reserve, NULL);
	if (err != -ENOSPC)
		return vacc_ring_sent(session, err, 1);
	vacc_ring_begin_turn(session, &turn);
	do {
		returned = READ_ONCE(session->returned);
		left = vacc_ring_wait_turn(request, reserve, &turn,
					   interruptible, &err);
	} while (err == -ENOSPC && !left &&
		 READ_ONCE(session->returned) != returned);
	vacc_ring_end_turn(session, &turn);
	return vacc_ring_sent(session, err, left);
}

/**
 * vacc_ring_send() - send a request, waiting for room
 * @request: an idle request
 * @interruptible: any signal ends the wait, not only a fatal one
 *
 * Context: process, holding no spinlock.
 * Return: OK; VACC_S_RESTART or VACC_S_KILLED for a signal, OUT_OF_MEMORY where it cannot
 * be mapped for the device, and DEVICE_LOST, all before the device could see anything.
 */
u16 vacc_ring_send(struct vacc_request *request, bool interruptible)
{
	return vacc_ring_send_wait(request, VACC_VIO_RESERVE, interruptible);
}

/**
 * vacc_ring_send_control() - the same, for what is about one event
 * @request: an idle request of two descriptors
 *
 * Takes the descriptors that others leave, so that submitters do not starve it.
 *
 * Context: process, holding no spinlock.
 * Return: as vacc_ring_send().
 */
u16 vacc_ring_send_control(struct vacc_request *request)
{
	return vacc_ring_send_wait(request, 0, false);
}

/* Moves what the device has returned to a list, as each answer takes its time. */
static bool vacc_ring_collect(struct vacc_session *session,
			      struct virtqueue *vq, struct list_head *returned)
{
	struct vacc_request *request;
	unsigned long flags;
	bool broken;
	u32 used;

	spin_lock_irqsave(&session->lock, flags);
	if (session->vq != vq) {
		spin_unlock_irqrestore(&session->lock, flags);
		return false;
	}
	do {
		virtqueue_disable_cb(vq);
		while ((request = virtqueue_get_buf(vq, &used))) {
			request->used = used;
			WRITE_ONCE(session->returned, session->returned + 1);
			list_move_tail(&request->node, returned);
		}
	} while (!virtqueue_enable_cb(vq));
	/* A used entry that is no request of ours breaks the ring without a word. */
	broken = virtqueue_is_broken(vq) && !session->dying;
	spin_unlock_irqrestore(&session->lock, flags);
	return broken;
}

static void vacc_ring_room(struct vacc_session *session)
{
	unsigned long flags;
	bool kick = false;

	spin_lock_irqsave(&session->lock, flags);
	vacc_ring_send_unsent(session, &kick);
	spin_unlock_irqrestore(&session->lock, flags);
	if (kick)
		vacc_ring_kick(session);
	if (wq_has_sleeper(&session->room))
		wake_up_all(&session->room);
}

static void vacc_ring_watchdog(struct timer_list *timer)
{
	struct vacc_session *session = container_of(timer, struct vacc_session,
						    watch);
	unsigned long flags;
	bool overdue;

	spin_lock_irqsave(&session->lock, flags);
	overdue = vacc_ring_overdue(session);
	spin_unlock_irqrestore(&session->lock, flags);
	if (overdue)
		vacc_session_fail(session);
	vacc_ring_room(session);
}

/**
 * vacc_ring_watch_init() - prepare to look for answers that do not come
 * @session: the session
 *
 * Context: any.
 */
void vacc_ring_watch_init(struct vacc_session *session)
{
	timer_setup(&session->watch, vacc_ring_watchdog, 0);
}

/**
 * vacc_ring_watch_stop() - do not look any more
 * @session: the session, which is dying
 *
 * Context: may sleep.
 */
void vacc_ring_watch_stop(struct vacc_session *session)
{
	vacc_timer_delete_sync(&session->watch);
}

/**
 * vacc_ring_callback() - the device has returned something
 * @vq: the command virtqueue
 *
 * Context: interrupt or task, as the transport likes.
 */
void vacc_ring_callback(struct virtqueue *vq)
{
	struct vacc_vio *vio = vq->vdev->priv;
	struct vacc_session *session = vio->session;
	bool cookie = dma_fence_begin_signalling();
	struct vacc_request *request;
	LIST_HEAD(returned);

	if (vacc_ring_collect(session, vq, &returned))
		vacc_session_fail(session);
	while (!list_empty(&returned)) {
		request = list_first_entry(&returned, struct vacc_request, node);
		list_del_init(&request->node);
		vacc_request_answer(request, request->used);
	}
	vacc_ring_room(session);
	vacc_poll_run(session);
	dma_fence_end_signalling(cookie);
}
