// SPDX-License-Identifier: GPL-2.0
/*
 * Submission to a device, and the ends of its events.
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "event.h"

/* How long until memory that could not be mapped is tried again. */
#define VACC_DISMISS_RETRY_MS	10

/**
 * vacc_vio_event_bytes() - length of an event's private area
 * @priv: the session
 * @program: the program
 * @bindings: number of bindings
 *
 * Context: any.
 * Return: bytes.
 */
size_t vacc_vio_event_bytes(void *priv, void *program, u32 bindings)
{
	return sizeof(struct vacc_vio_event *);
}

static void vacc_vio_event_free(struct kref *ref)
{
	kfree(container_of(ref, struct vacc_vio_event, ref));
}

static void vacc_vio_event_put(struct vacc_vio_event *event)
{
	kref_put(&event->ref, vacc_vio_event_free);
}

/* The device's event of one of the core's, or NULL once it is done with. */
static struct vacc_vio_event *vacc_vio_event_get(struct vacc_session *session,
						 struct vacc_event *event)
{
	struct vacc_vio_event **slot = vacc_event_priv(event);
	struct vacc_vio_event *found;

	spin_lock_irq(&session->lock);
	found = *slot;
	if (found)
		kref_get(&found->ref);
	spin_unlock_irq(&session->lock);
	return found;
}

/**
 * vacc_vio_event_take() - get the right to report an event
 * @session: the session, whose lock is held
 * @event: the event
 *
 * Context: any.
 * Return: whether the caller is the first.
 */
bool vacc_vio_event_take(struct vacc_session *session,
			 struct vacc_vio_event *event)
{
	lockdep_assert_held(&session->lock);
	if (event->ended)
		return false;
	event->ended = true;
	session->pending--;
	if (event->wanted)
		session->wanted--;
	event->wanted = false;
	return true;
}

static void vacc_vio_event_report(struct vacc_session *session,
				  struct vacc_vio_event *event, u32 state,
				  u16 status)
{
	unsigned long flags;
	bool first;

	spin_lock_irqsave(&session->lock, flags);
	first = vacc_vio_event_take(session, event);
	spin_unlock_irqrestore(&session->lock, flags);
	if (first)
		vacc_event_done(event->event, state, status);
}

static u64 vacc_vio_answered_event(struct vacc_request *request)
{
	struct virtio_accel_object wire;

	if (request->payload_bytes != sizeof(wire))
		return 0;
	memcpy(&wire, vacc_request_payload(request), sizeof(wire));
	return le64_to_cpu(wire.id);
}

/*
 * Whoever waits for the answer acts on a rejection; where nobody does any more, the core
 * has taken the submission for admitted.
 */
static void vacc_vio_submit_answered(struct vacc_request *request)
{
	struct vacc_vio_event *event = request->owner;
	u64 id = vacc_vio_answered_event(request);

	if (request->state == VACC_REQUEST_LOST)
		return;
	if (!id && request->status == VIRTIO_ACCEL_S_OK)
		request->status = VIRTIO_ACCEL_S_INTERNAL_ERROR;
	if (id) {
		if (request->abandoned && request->status != VIRTIO_ACCEL_S_OK)
			vacc_event_indeterminate(event->event);
		WRITE_ONCE(event->id, id);
		vacc_poll_soon(request->session);
	} else if (request->abandoned) {
		vacc_vio_event_report(request->session, event,
				      VACC_EVENT_FAILED, request->status);
	}
}

static struct vacc_request *
vacc_vio_submit_request(struct vacc_session *session,
			const struct vacc_submission *work)
{
	const struct vacc_object *program = work->program;
	const struct vacc_object *queue = work->queue;
	struct virtio_accel_submit payload = {
		.queue = cpu_to_le64(queue->id),
		.program = cpu_to_le64(program->id),
		.binding_count = cpu_to_le32(work->binding_count),
	};

	return vacc_request_alloc(session, VIRTIO_ACCEL_OP_SUBMIT, &payload,
				  sizeof(payload),
				  sizeof(struct virtio_accel_object),
				  GFP_KERNEL_ACCOUNT);
}

static int vacc_vio_submit_bindings(struct vacc_request *request,
				    const struct vacc_submission *work)
{
	struct virtio_accel_binding *wire;
	u32 i;
	int err;

	wire = kvcalloc(work->binding_count, sizeof(*wire), GFP_KERNEL_ACCOUNT);
	if (!wire)
		return -ENOMEM;
	for (i = 0; i < work->binding_count; i++) {
		const struct vacc_bind *bind = &work->bindings[i];
		const struct vacc_object *buffer = bind->buffer;

		wire[i].buffer = cpu_to_le64(buffer->id);
		wire[i].offset = cpu_to_le64(bind->offset);
		wire[i].bytes = cpu_to_le64(bind->bytes);
		wire[i].slot = cpu_to_le32(bind->slot);
		wire[i].access = bind->access;
	}
	err = vacc_request_extra(request, wire,
				 work->binding_count * sizeof(*wire));
	kvfree(wire);
	return err;
}

static int vacc_vio_event_alloc_requests(struct vacc_session *session,
					 struct vacc_vio_event *event,
					 const struct vacc_submission *work)
{
	struct virtio_accel_object none = {};

	event->control = vacc_request_alloc(session,
					    VIRTIO_ACCEL_OP_POLL_EVENT, &none,
					    sizeof(none), 0,
					    GFP_KERNEL_ACCOUNT);
	event->submit = vacc_vio_submit_request(session, work);
	if (!event->control || !event->submit)
		return -ENOMEM;
	event->control->owner = event;
	event->control->answered = vacc_poll_answered;
	event->submit->tag = vacc_event_handle(work->event);
	event->submit->owner = event;
	event->submit->answered = vacc_vio_submit_answered;
	return vacc_vio_submit_bindings(event->submit, work);
}

static void vacc_vio_event_set_slot(struct vacc_session *session,
				    struct vacc_event *event,
				    struct vacc_vio_event *vio_event)
{
	struct vacc_vio_event **slot = vacc_event_priv(event);

	spin_lock_irq(&session->lock);
	*slot = vio_event;
	spin_unlock_irq(&session->lock);
}

/* The core's event may have gone before, unless it is what calls. */
static void vacc_vio_event_drop(struct vacc_session *session,
				struct vacc_vio_event *event)
{
	struct vacc_request *control = event->control;
	struct vacc_request *submit = event->submit;

	spin_lock_irq(&session->lock);
	list_del_init(&event->node);
	if (submit)
		vacc_ring_unpost(submit);
	event->control = NULL;
	event->submit = NULL;
	spin_unlock_irq(&session->lock);
	if (submit)
		vacc_request_put(submit);
	if (control)
		vacc_request_put(control);
	vacc_vio_event_put(event);
}

/**
 * vacc_vio_events_lose() - give up the requests of all events
 * @session: the session, whose ring is gone
 *
 * The core ends the events, and calls for none of them any more.
 *
 * Context: may sleep.
 */
void vacc_vio_events_lose(struct vacc_session *session)
{
	struct vacc_vio_event *event, *next;

	list_for_each_entry_safe(event, next, &session->events, node)
		vacc_vio_event_drop(session, event);
}

/**
 * vacc_vio_event_prepare() - make the frames of a submission
 * @priv: the session
 * @work: the work
 *
 * Context: may sleep.
 * Return: OK or OUT_OF_MEMORY.
 */
u16 vacc_vio_event_prepare(void *priv, const struct vacc_submission *work)
{
	struct vacc_session *session = priv;
	struct vacc_vio_event *event;

	event = kzalloc(sizeof(*event), GFP_KERNEL_ACCOUNT);
	if (!event)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	kref_init(&event->ref);
	event->event = work->event;
	INIT_LIST_HEAD(&event->node);
	event->timeout_ns = work->timeout_ns;
	if (check_add_overflow(ktime_get_ns(), work->timeout_ns,
			       &event->deadline_ns))
		event->deadline_ns = U64_MAX;
	if (vacc_vio_event_alloc_requests(session, event, work)) {
		vacc_vio_event_drop(session, event);
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	}
	vacc_vio_event_set_slot(session, work->event, event);
	return VIRTIO_ACCEL_S_OK;
}

/**
 * vacc_vio_event_discard() - drop the frames of a submission
 * @priv: the session
 * @event: the core's event, which was prepared
 *
 * Context: any task; does not sleep.
 */
void vacc_vio_event_discard(void *priv, struct vacc_event *event)
{
	struct vacc_vio_event **slot = vacc_event_priv(event);
	struct vacc_session *session = priv;
	struct vacc_vio_event *vio_event = *slot;

	vacc_vio_event_set_slot(session, event, NULL);
	vacc_vio_event_drop(session, vio_event);
}

/* What is left of the timeout, which goes on while an event waits; 0 for none. */
static u64 vacc_vio_time_left(const struct vacc_vio_event *event)
{
	u64 now_ns = ktime_get_ns();

	if (!event->timeout_ns)
		return 0;
	return event->deadline_ns > now_ns ? event->deadline_ns - now_ns : 1;
}

/*
 * The device always gets a bound.  Where the caller gives none it is the hang limit for
 * this event and for each one that may be ahead of it.
 */
static u64 vacc_vio_bound_ns(struct vacc_session *session, u64 timeout_ns)
{
	u64 hang_ns = (u64)session->info.hang_limit_ms * NSEC_PER_MSEC;
	u64 ahead = READ_ONCE(session->pending) + 1ULL;

	return timeout_ns ? min(timeout_ns, hang_ns * ahead) : hang_ns * ahead;
}

/* From here on the session knows the event, and the device's time for it runs. */
static void vacc_vio_event_begin(struct vacc_session *session,
				 struct vacc_vio_event *event, u64 timeout_ns)
{
	u64 command_ns = (u64)vacc_vio_command_timeout_ms() * NSEC_PER_MSEC;
	struct virtio_accel_submit *payload = vacc_request_fixed(event->submit);
	u64 bound_ns = vacc_vio_bound_ns(session, timeout_ns);

	payload->timeout_ns = cpu_to_le64(bound_ns);
	event->bound_ns = ktime_get_ns() + bound_ns + command_ns;
	spin_lock_irq(&session->lock);
	session->pending++;
	list_add_tail(&event->node, &session->events);
	spin_unlock_irq(&session->lock);
}

/* For an event that the device refused, or never saw. */
static void vacc_vio_event_undo(struct vacc_session *session,
				struct vacc_vio_event *event)
{
	spin_lock_irq(&session->lock);
	vacc_vio_event_take(session, event);
	spin_unlock_irq(&session->lock);
	vacc_vio_event_discard(session, event->event);
}

static struct vacc_result vacc_vio_submitted(struct vacc_session *session,
					     struct vacc_vio_event *event,
					     const struct vacc_request *submit)
{
	/* Its answer decides when it comes, if it comes. */
	if (submit->abandoned || submit->state == VACC_REQUEST_LOST)
		return vacc_indeterminate(VIRTIO_ACCEL_S_DEVICE_LOST);
	if (!event->id) {
		vacc_vio_event_undo(session, event);
		return vacc_rejected(submit->status);
	}
	return submit->status ? vacc_indeterminate(submit->status) :
				vacc_done();
}

static struct vacc_result vacc_vio_submit_event(struct vacc_session *session,
						struct vacc_vio_event *event)
{
	struct vacc_request *submit = event->submit;
	u16 status = vacc_ring_send(submit, true);

	if (status != VIRTIO_ACCEL_S_OK) {
		vacc_vio_event_undo(session, event);
		return vacc_rejected(status);
	}
	vacc_request_wait(submit);
	return vacc_vio_submitted(session, event, submit);
}

/**
 * vacc_vio_event_submit() - submit work to the device, and wait for what it says
 * @priv: the session
 * @event: the core's event, which was prepared
 *
 * Context: process, holding no spinlock.
 * Return: rejected where the device refused, or never saw it; indeterminate where it did
 * not answer in time or the caller was killed; else done.
 */
struct vacc_result vacc_vio_event_submit(void *priv, struct vacc_event *event)
{
	struct vacc_vio_event *vio_event = vacc_vio_event_get(priv, event);
	struct vacc_session *session = priv;
	struct vacc_request *submit;
	struct vacc_result result;

	/* It may end, and be done with, while this looks at it. */
	submit = vio_event->submit;
	kref_get(&submit->ref);
	vacc_vio_event_begin(session, vio_event, vio_event->timeout_ns);
	result = vacc_vio_submit_event(session, vio_event);
	vacc_request_put(submit);
	vacc_vio_event_put(vio_event);
	return result;
}

/**
 * vacc_vio_event_admit() - submit work to the device, and wait for nothing
 * @priv: the session
 * @event: the core's event, which was prepared
 *
 * Context: a task that fences wait for.
 */
void vacc_vio_event_admit(void *priv, struct vacc_event *event)
{
	struct vacc_vio_event *vio_event = vacc_vio_event_get(priv, event);
	struct vacc_session *session = priv;
	struct vacc_request *submit;

	/* It may end, and be done with, before this returns. */
	submit = vio_event->submit;
	kref_get(&submit->ref);
	vacc_vio_event_begin(session, vio_event,
			     vacc_vio_time_left(vio_event));
	vacc_ring_post(submit);
	vacc_request_put(submit);
	vacc_vio_event_put(vio_event);
}

/* The ID, which an abandoned submission may still be waiting for. */
static u64 vacc_vio_event_id(struct vacc_session *session,
			     struct vacc_vio_event *event)
{
	struct vacc_request *submit;

	spin_lock_irq(&session->lock);
	submit = event->id ? NULL : event->submit;
	if (submit)
		kref_get(&submit->ref);
	spin_unlock_irq(&session->lock);
	if (submit) {
		vacc_request_wait(submit);
		vacc_request_put(submit);
	}
	return READ_ONCE(event->id);
}

/* One that the device never sees is the caller's to end. */
static bool vacc_vio_event_withdraw(struct vacc_session *session,
				    struct vacc_vio_event *event)
{
	bool unsent;

	spin_lock_irq(&session->lock);
	unsent = event->submit && vacc_ring_unpost(event->submit) &&
		 vacc_vio_event_take(session, event);
	spin_unlock_irq(&session->lock);
	return unsent;
}

static struct vacc_result vacc_vio_do_cancel(struct vacc_session *session,
					     struct vacc_vio_event *event)
{
	u64 id = vacc_vio_event_id(session, event);
	u16 status;

	if (!id)
		return vacc_rejected(VIRTIO_ACCEL_S_BUSY);
	status = vacc_vio_destroy(session, VIRTIO_ACCEL_OP_CANCEL_EVENT, id);
	/* It has ended meanwhile, and the device has been told that it may go. */
	if (status == VIRTIO_ACCEL_S_STALE_OBJECT)
		status = VIRTIO_ACCEL_S_BUSY;
	if (status != VIRTIO_ACCEL_S_OK)
		return vacc_rejected(status);
	vacc_vio_event_report(session, event, VACC_EVENT_CANCELLED,
			      VIRTIO_ACCEL_S_OK);
	return vacc_done();
}

/**
 * vacc_vio_event_cancel() - cancel an event that has not begun
 * @priv: the session
 * @event: the core's event
 *
 * Context: process, holding no spinlock.
 * Return: done, or rejected with the device's status.
 */
struct vacc_result vacc_vio_event_cancel(void *priv, struct vacc_event *event)
{
	struct vacc_session *session = priv;
	struct vacc_vio_event *vio_event = vacc_vio_event_get(session, event);
	struct vacc_result result = vacc_rejected(VIRTIO_ACCEL_S_BUSY);

	if (!vio_event)
		return result;
	if (vacc_vio_event_withdraw(session, vio_event)) {
		vacc_event_done(event, VACC_EVENT_CANCELLED, VIRTIO_ACCEL_S_OK);
		result = vacc_done();
	} else {
		result = vacc_vio_do_cancel(session, vio_event);
	}
	vacc_vio_event_put(vio_event);
	return result;
}

/**
 * vacc_vio_event_abort() - have the device end an event
 * @priv: the session
 * @event: the core's event
 *
 * The protocol cancels only what has not begun.  What has begun ends by the bound that
 * the device was given, or by a reset some time after it.  The event's poll goes out as a
 * cancellation, once.
 *
 * Context: a task that fences wait for.
 */
void vacc_vio_event_abort(void *priv, struct vacc_event *event)
{
	struct vacc_session *session = priv;
	struct vacc_vio_event *vio_event = vacc_vio_event_get(session, event);

	if (!vio_event)
		return;
	if (vacc_vio_event_withdraw(session, vio_event)) {
		vacc_event_done(event, VACC_EVENT_CANCELLED, VIRTIO_ACCEL_S_OK);
	} else {
		spin_lock_irq(&session->lock);
		vio_event->abort = true;
		spin_unlock_irq(&session->lock);
		vacc_poll_soon(session);
	}
	vacc_vio_event_put(vio_event);
}

/* A poll that is answered too late must not look for its event. */
static void vacc_vio_event_mute(struct vacc_session *session,
				struct vacc_request *control)
{
	bool answered;

	spin_lock_irq(&session->lock);
	control->answered = NULL;
	answered = control->state != VACC_REQUEST_SENT;
	spin_unlock_irq(&session->lock);
	while (answered && !vacc_request_finished(control))
		usleep_range(VACC_FINISH_US, 2 * VACC_FINISH_US);
}

/* A device that does not hear of it keeps the event, and all that belongs to it. */
static u16 vacc_vio_event_forget(struct vacc_session *session,
				 struct vacc_request *control)
{
	u16 status;

	for (;;) {
		status = vacc_ring_send_control(control);
		if (status != VIRTIO_ACCEL_S_OUT_OF_MEMORY ||
		    READ_ONCE(session->failed) || READ_ONCE(session->dying))
			return status;
		msleep(VACC_DISMISS_RETRY_MS);
	}
}

static void vacc_vio_event_dismiss(struct vacc_session *session,
				   struct vacc_vio_event *event)
{
	struct vacc_request *control = event->control;
	u16 status;

	/* A poll of it may be under way; no other will begin. */
	if (!vacc_request_finished(control) && !READ_ONCE(session->failed))
		vacc_request_wait(control);
	vacc_vio_event_mute(session, control);
	/* A device that is going to be reset forgets it anyway. */
	if (!event->id || !vacc_request_finished(control) || READ_ONCE(session->failed))
		return;
	vacc_request_reuse(control, VIRTIO_ACCEL_OP_DESTROY_EVENT, event->id, 0);
	status = vacc_vio_event_forget(session, control);
	if (status == VIRTIO_ACCEL_S_OK)
		vacc_request_wait(control);
}

/**
 * vacc_vio_event_destroy() - tell the device that an event is done with
 * @priv: the session
 * @event: the core's event, which was reported
 *
 * Context: process, holding no spinlock.
 */
void vacc_vio_event_destroy(void *priv, struct vacc_event *event)
{
	struct vacc_session *session = priv;
	struct vacc_vio_event *vio_event = vacc_vio_event_get(session, event);

	if (!vio_event)
		return;
	vacc_vio_event_dismiss(session, vio_event);
	vacc_vio_event_set_slot(session, event, NULL);
	vacc_vio_event_drop(session, vio_event);
	vacc_vio_event_put(vio_event);
}

/**
 * vacc_vio_event_wanted() - somebody waits for an event
 * @priv: the session
 * @event: the core's event
 *
 * Context: a task that fences wait for.
 */
void vacc_vio_event_wanted(void *priv, struct vacc_event *event)
{
	struct vacc_vio_event **slot = vacc_event_priv(event);
	struct vacc_session *session = priv;

	spin_lock_irq(&session->lock);
	if (*slot && !(*slot)->ended && !(*slot)->wanted) {
		(*slot)->wanted = true;
		session->wanted++;
	}
	spin_unlock_irq(&session->lock);
	vacc_poll_soon(session);
}
