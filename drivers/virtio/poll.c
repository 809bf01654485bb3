// SPDX-License-Identifier: GPL-2.0
/*
 * Polling: the protocol reports the ends of events only when asked.
 *
 * Polls go out in rounds, as many in one kick as the ring takes.  A new event, or
 * somebody who begins to wait, starts a round at once; while somebody waits some rounds
 * follow each other without a pause, and then the pauses double up to a bound.  Without
 * pending events nothing happens.
 *
 * An event that the core wants to end is cancelled in place of a poll: fences may wait for
 * that, and the frame is there.
 */
#include <linux/dma-fence.h>
#include <linux/ktime.h>
#include <linux/string.h>

#include "../compat.h"
#include "event.h"

#define VACC_POLL_MIN_US	20
#define VACC_POLL_WANTED_US	1000
#define VACC_POLL_MAX_US	8000
#define VACC_POLL_SPINS		64

/* What is to be aborted is cancelled instead; where that fails it is polled again. */
static void vacc_poll_fill_frame(struct vacc_vio_event *event)
{
	if (event->abort)
		vacc_request_reuse(event->control,
				   VIRTIO_ACCEL_OP_CANCEL_EVENT, event->id, 0);
	else
		vacc_request_reuse(event->control, VIRTIO_ACCEL_OP_POLL_EVENT,
				   event->id,
				   sizeof(struct virtio_accel_event_state));
}

/* Events that a round asks about go behind those that it has no room for. */
static u32 vacc_poll_fill_ring(struct vacc_session *session)
{
	struct vacc_vio_event *event, *next;
	LIST_HEAD(asked);
	bool kick = false;
	u32 added = 0;

	lockdep_assert_held(&session->lock);
	list_for_each_entry_safe(event, next, &session->events, node) {
		if (event->ended || !event->id ||
		    !vacc_request_finished(event->control))
			continue;
		vacc_poll_fill_frame(event);
		if (vacc_ring_add(event->control, 0, &kick))
			break;
		event->abort = false;
		list_move_tail(&event->node, &asked);
		added++;
	}
	list_splice_tail(&asked, &session->events);
	session->polls += added;
	return added;
}

static void vacc_poll_pause(struct vacc_session *session)
{
	u32 most = session->wanted ? VACC_POLL_WANTED_US : VACC_POLL_MAX_US;

	lockdep_assert_held(&session->lock);
	session->poll_us = clamp_t(u32, session->poll_us, VACC_POLL_MIN_US,
				   most);
	hrtimer_start(&session->poll_timer,
		      ns_to_ktime((u64)session->poll_us * NSEC_PER_USEC),
		      HRTIMER_MODE_REL_SOFT);
	session->poll_us *= 2;
}

/* One round, or the pause before it; whether anything was put on the ring. */
static bool vacc_poll_round(struct vacc_session *session)
{
	bool due = session->poll_due;

	lockdep_assert_held(&session->lock);
	if (session->dying || !session->pending || session->polls)
		return false;
	if (!due && session->spins && session->wanted) {
		session->spins--;
		due = true;
	}
	session->poll_due = false;
	/* A ring that takes one frame at a time must be shared with who submits. */
	if (!session->reserve && wq_has_sleeper(&session->room))
		due = false;
	if (due && vacc_poll_fill_ring(session))
		return true;
	vacc_poll_pause(session);
	return false;
}

/**
 * vacc_poll_run() - go on polling, where the last round is over
 * @session: the session
 *
 * Context: any, under no lock of the session.
 */
void vacc_poll_run(struct vacc_session *session)
{
	bool cookie = dma_fence_begin_signalling();
	unsigned long flags;
	bool kick;

	spin_lock_irqsave(&session->lock, flags);
	kick = vacc_poll_round(session);
	spin_unlock_irqrestore(&session->lock, flags);
	if (kick)
		vacc_ring_kick(session);
	dma_fence_end_signalling(cookie);
}

/**
 * vacc_poll_soon() - poll as soon as the last round is over
 * @session: the session
 *
 * Context: any, under no lock of the session.
 */
void vacc_poll_soon(struct vacc_session *session)
{
	unsigned long flags;

	spin_lock_irqsave(&session->lock, flags);
	session->poll_due = true;
	session->poll_us = VACC_POLL_MIN_US;
	session->spins = VACC_POLL_SPINS;
	spin_unlock_irqrestore(&session->lock, flags);
	vacc_poll_run(session);
}

static enum hrtimer_restart vacc_poll_timer(struct hrtimer *timer)
{
	struct vacc_session *session = container_of(timer, struct vacc_session,
						    poll_timer);
	unsigned long flags;

	spin_lock_irqsave(&session->lock, flags);
	session->poll_due = true;
	spin_unlock_irqrestore(&session->lock, flags);
	vacc_poll_run(session);
	return HRTIMER_NORESTART;
}

/* Pending, terminal, or nothing that the protocol has. */
static bool vacc_poll_decode(const struct virtio_accel_event_state *wire,
			     u32 *state, u16 *status)
{
	*state = le16_to_cpu(wire->state);
	*status = le16_to_cpu(wire->error);
	if (wire->reserved)
		return false;
	switch (*state) {
	case VIRTIO_ACCEL_EVENT_PENDING:
	case VIRTIO_ACCEL_EVENT_COMPLETE:
	case VIRTIO_ACCEL_EVENT_CANCELLED:
		return *status == VIRTIO_ACCEL_S_OK;
	case VIRTIO_ACCEL_EVENT_FAILED:
		return *status != VIRTIO_ACCEL_S_OK;
	default:
		return false;
	}
}

/* A refusal says that it has begun or has ended, or that it can only be polled. */
static bool vacc_poll_cancelled(struct vacc_request *request, u32 *state,
				u16 *status)
{
	if (request->status == VIRTIO_ACCEL_S_OK)
		*state = VIRTIO_ACCEL_EVENT_CANCELLED;
	*status = VIRTIO_ACCEL_S_OK;
	return true;
}

/* An event that the device does not answer for sensibly is kept, and a reset asked for. */
static bool vacc_poll_result(struct vacc_request *request, u32 *state,
			     u16 *status)
{
	struct vacc_vio_event *event = request->owner;
	struct virtio_accel_event_state wire;

	if (request->opcode == VIRTIO_ACCEL_OP_CANCEL_EVENT)
		return vacc_poll_cancelled(request, state, status);
	if (request->status != VIRTIO_ACCEL_S_OK)
		return false;
	memcpy(&wire, vacc_request_payload(request), sizeof(wire));
	if (!vacc_poll_decode(&wire, state, status))
		return false;
	return *state != VIRTIO_ACCEL_EVENT_PENDING ||
	       ktime_get_ns() < event->bound_ns;
}

/**
 * vacc_poll_answered() - take the answer to a poll, or to what went out instead
 * @request: the request
 *
 * Context: any, under no lock of the session.
 */
void vacc_poll_answered(struct vacc_request *request)
{
	struct vacc_session *session = request->session;
	struct vacc_vio_event *event = request->owner;
	bool sane = false;
	bool first = false;
	unsigned long flags;
	u32 state = VIRTIO_ACCEL_EVENT_PENDING;
	u16 status;

	if (request->state == VACC_REQUEST_ANSWERED)
		sane = vacc_poll_result(request, &state, &status);
	spin_lock_irqsave(&session->lock, flags);
	session->polls--;
	if (sane && state != VIRTIO_ACCEL_EVENT_PENDING)
		first = vacc_vio_event_take(session, event);
	/* The answer about an event that was cancelled meanwhile says nothing. */
	sane |= event->ended || request->state == VACC_REQUEST_LOST;
	spin_unlock_irqrestore(&session->lock, flags);
	if (!sane)
		vacc_session_fail(session);
	if (first)
		vacc_event_done(event->event, state, status);
}

/**
 * vacc_poll_init() - prepare polling
 * @session: the session
 *
 * Context: any.
 */
void vacc_poll_init(struct vacc_session *session)
{
	vacc_hrtimer_setup(&session->poll_timer, vacc_poll_timer,
			   CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
}

/**
 * vacc_poll_stop() - stop polling
 * @session: the session, which is dying
 *
 * Context: may sleep.
 */
void vacc_poll_stop(struct vacc_session *session)
{
	hrtimer_cancel(&session->poll_timer);
}
