// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Requests that submit work, and those about events.
 *
 * An event keeps its queue, program and buffers from admission until it is
 * destroyed.
 */
#include "port_object.h"

/* Words in @port_event.buffers, so that the engine's event is aligned. */
static size_t eng_event_offset(u32 buffer_count)
{
	size_t bytes = sizeof(struct port_event) +
		       buffer_count * sizeof(struct port_object *);

	return (bytes + 7) & ~(size_t)7;
}

/**
 * eng_port_event_done() - the engine says that an event has ended
 * @owner: the event
 * @state: VIRTIO_ACCEL_EVENT_*, terminal
 * @status: the reason where it failed
 *
 * Context: Any task.
 */
void eng_port_event_done(void *owner, u32 state, u16 status)
{
	struct port_event *event = owner;
	struct eng_port *port = event->port;

	if (state != VIRTIO_ACCEL_EVENT_FAILED)
		status = VIRTIO_ACCEL_S_OK;
	else if (!status)
		status = VIRTIO_ACCEL_S_INTERNAL_ERROR;

	/* Once the state is seen, the event may go. */
	eng_spin_lock(&port->ends);
	event->status = status;
	eng_atomic_set(&event->state, state);
	eng_wait_wake(&port->ended);
	eng_spin_unlock(&port->ends);
}

static int eng_compare_slots(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static bool eng_has_duplicate(const struct virtio_accel_binding *bindings,
			      u32 count, u32 *slots)
{
	u32 i;

	for (i = 0; i < count; i++)
		slots[i] = le32_to_cpu(bindings[i].slot);
	eng_sort(slots, count, sizeof(*slots), eng_compare_slots);
	for (i = 1; i < count; i++) {
		if (slots[i] == slots[i - 1])
			return true;
	}
	return false;
}

/**
 * eng_check_submit() - SUBMIT
 * @port: the port
 * @request: the request, whose bindings are copied out
 *
 * Context: May sleep.
 * Return: OK, RESOURCE_LIMIT, UNSUPPORTED, INVALID_ARGUMENT or OUT_OF_MEMORY.
 */
u16 eng_check_submit(struct eng_port *port, struct eng_request *request)
{
	static const u8 zero[sizeof(request->bindings->reserved)];
	const struct virtio_accel_submit *s = &request->fixed.submit;
	u32 count = le32_to_cpu(s->binding_count);
	struct virtio_accel_binding *b;
	u64 end;
	u32 i;

	if (count > port->config.limits.max_bindings)
		return VIRTIO_ACCEL_S_RESOURCE_LIMIT;
	if (request->tail_bytes != (u64)count * sizeof(*b))
		return VIRTIO_ACCEL_S_INVALID_ARGUMENT;
	if (s->flags)
		return VIRTIO_ACCEL_S_UNSUPPORTED;
	if (!count || !s->queue || !s->program)
		return VIRTIO_ACCEL_S_INVALID_ARGUMENT;

	/* Room for the slots in another order follows. */
	b = eng_alloc(count * (sizeof(*b) + sizeof(u32)));
	if (!b)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	request->bindings = b;
	eng_cursor_get(&request->tail, b, request->tail_bytes);

	for (i = 0; i < count; i++) {
		if (memcmp(b[i].reserved, zero, sizeof(zero)) ||
		    !b[i].buffer || !b[i].bytes ||
		    b[i].access < VIRTIO_ACCEL_ACCESS_READ ||
		    b[i].access > VIRTIO_ACCEL_ACCESS_READ_WRITE ||
		    check_add_overflow(le64_to_cpu(b[i].offset),
				       le64_to_cpu(b[i].bytes), &end))
			return VIRTIO_ACCEL_S_INVALID_ARGUMENT;
	}
	return eng_has_duplicate(b, count, (u32 *)(b + count)) ?
	       VIRTIO_ACCEL_S_INVALID_ARGUMENT : VIRTIO_ACCEL_S_OK;
}

static bool eng_access_allowed(u32 usage, u8 access)
{
	if (usage & VIRTIO_ACCEL_USAGE_MUTABLE)
		return true;
	if (access == VIRTIO_ACCEL_ACCESS_READ)
		return usage & VIRTIO_ACCEL_USAGE_INPUT;
	return access == VIRTIO_ACCEL_ACCESS_WRITE &&
	       (usage & VIRTIO_ACCEL_USAGE_OUTPUT);
}

/* Resolves bindings; the ranges and accesses are looked at when all resolve. */
static u16 eng_resolve(struct eng_port *port, const struct eng_request *request,
		       struct port_event *event, struct eng_bind *binds)
{
	const struct virtio_accel_binding *b = request->bindings;
	u32 i;

	for (i = 0; i < event->buffer_count; i++) {
		struct port_object *buffer =
			port_find(port, ENG_KIND_BUFFER, b[i].buffer);

		if (!buffer || buffer->context != event->queue->context)
			return VIRTIO_ACCEL_S_STALE_OBJECT;
		event->buffers[i] = buffer;
		binds[i] = (struct eng_bind){
			.buffer = buffer->eng,
			.offset = le64_to_cpu(b[i].offset),
			.bytes = le64_to_cpu(b[i].bytes),
			.slot = le32_to_cpu(b[i].slot),
			.access = b[i].access,
		};
	}
	for (i = 0; i < event->buffer_count; i++) {
		u64 total = container_of(event->buffers[i], struct port_buffer,
					 object)->bytes;

		if (binds[i].offset > total ||
		    binds[i].bytes > total - binds[i].offset)
			return VIRTIO_ACCEL_S_OUT_OF_BOUNDS;
	}
	for (i = 0; i < event->buffer_count; i++) {
		u32 usage = container_of(event->buffers[i], struct port_buffer,
					 object)->usage;

		if (!eng_access_allowed(usage, binds[i].access))
			return VIRTIO_ACCEL_S_PERMISSION_DENIED;
	}
	return VIRTIO_ACCEL_S_OK;
}

/* Retains what an event uses, or lets go; the events lock is held. */
static void eng_event_refer(struct port_event *event, int by)
{
	u32 i;

	event->queue->references += by;
	event->queue->context->children[ENG_KIND_EVENT] += by;
	event->image->references += by;
	for (i = 0; i < event->buffer_count; i++)
		event->buffers[i]->references += by;
}

static void eng_event_publish(struct eng_port *port, struct port_event *event)
{
	eng_mutex_lock(&port->events);
	eng_event_refer(event, 1);
	eng_ids_publish(&port->ids[ENG_KIND_EVENT], event->object.id, event);
	eng_mutex_unlock(&port->events);
}

static void eng_event_forget(struct eng_port *port, struct port_event *event)
{
	eng_mutex_lock(&port->events);
	eng_ids_drop(&port->ids[ENG_KIND_EVENT], event->object.id);
	eng_mutex_unlock(&port->events);
}

static u16 eng_submit(struct eng_port *port, struct eng_request *request,
		      struct port_event *event, struct eng_bind *binds)
{
	struct eng_submission work = {
		.queue = event->queue->eng,
		.image = event->image->eng,
		.bindings = binds,
		.binding_count = event->buffer_count,
		.timeout_ns = le64_to_cpu(request->fixed.submit.timeout_ns),
		.owner = event,
	};
	struct eng_outcome outcome;
	u64 id;
	u16 status;

	status = eng_resolve(port, request, event, binds);
	if (status)
		return status;
	if (eng_port_lost(port))
		return VIRTIO_ACCEL_S_DEVICE_LOST;
	status = eng_ids_reserve(&port->ids[ENG_KIND_EVENT], &port->events, &id);
	if (status)
		return status;

	event->object.id = id;
	work.tag = (u32)request->chain->request_id;
	outcome = eng_backend_submit(&port->faults, &event->object.node,
				     &event->queue->node, event->object.eng,
				     &work);
	if (outcome.result == ENG_REJECTED) {
		eng_event_forget(port, event);
		/* Working memory that others have now is a quota, too. */
		if (outcome.status == ENG_S_TRY_AGAIN)
			outcome.status = VIRTIO_ACCEL_S_RESOURCE_LIMIT;
		return outcome.status;
	}
	eng_event_publish(port, event);
	eng_answer_object(request, id);
	return outcome.status;
}

/**
 * eng_run_submit() - SUBMIT
 * @port: the port, whose objects lock is held
 * @request: the request
 *
 * Context: May sleep.
 * Return: a status of the wire; the answer has an event wherever there is one.
 */
u16 eng_run_submit(struct eng_port *port, struct eng_request *request)
{
	const struct virtio_accel_submit *s = &request->fixed.submit;
	u32 count = le32_to_cpu(s->binding_count);
	struct port_object *queue = port_find(port, ENG_KIND_QUEUE, s->queue);
	struct port_object *image = port_find(port, ENG_KIND_IMAGE, s->program);
	struct port_event *event;
	struct eng_bind *binds;
	size_t offset;
	bool full;
	u16 status;

	if (!queue || !image || image->context != queue->context)
		return VIRTIO_ACCEL_S_STALE_OBJECT;
	eng_mutex_lock(&port->events);
	full = queue->context->children[ENG_KIND_EVENT] >=
	       port->config.limits.max_events;
	eng_mutex_unlock(&port->events);
	if (full)
		return VIRTIO_ACCEL_S_RESOURCE_LIMIT;

	offset = eng_event_offset(count);
	event = eng_alloc(offset + eng_event_bytes(image->eng, count));
	binds = eng_alloc(count * sizeof(*binds));
	status = VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	if (event && binds) {
		memset(event, 0, offset);
		INIT_LIST_HEAD(&event->object.quarantine);
		event->object.eng = (u8 *)event + offset;
		event->port = port;
		event->queue = queue;
		event->image = image;
		event->buffer_count = count;
		status = eng_submit(port, request, event, binds);
	}
	eng_free(binds);
	/* Without an event in the answer there is none. */
	if (!request->answer_bytes)
		eng_free(event);
	return status;
}

static struct port_event *port_find_event(struct eng_port *port,
					  const struct eng_request *request)
{
	return eng_ids_find(&port->ids[ENG_KIND_EVENT],
			    le64_to_cpu(request->fixed.object.id));
}

/* The script wants another end than the event's own: that comes first. */
static void eng_event_force(struct eng_port *port, struct port_event *event,
			    const struct eng_fault *fault)
{
	if (event->reported || event->forced)
		return;
	eng_event_abort(event->object.eng);
	eng_spin_lock(&port->ends);
	eng_wait_for(&port->ended, &port->ends, eng_atomic_get(&event->state));
	eng_spin_unlock(&port->ends);

	event->forced = true;
	event->forced_state = fault->state;
	event->forced_status = fault->state == VIRTIO_ACCEL_EVENT_FAILED ?
			       fault->status : VIRTIO_ACCEL_S_OK;
}

static u32 eng_event_look(const struct port_event *event, u16 *status)
{
	u32 state;

	if (event->forced) {
		*status = event->forced_status;
		return event->forced_state;
	}
	state = eng_atomic_get(&event->state);
	*status = state ? event->status : VIRTIO_ACCEL_S_OK;
	return state;
}

/**
 * eng_run_poll() - POLL_EVENT
 * @port: the port, whose events lock is held
 * @request: the request
 *
 * Context: May sleep; does not allocate.
 * Return: a status of the wire.
 */
u16 eng_run_poll(struct eng_port *port, struct eng_request *request)
{
	struct virtio_accel_event_state *answer = &request->answer.state;
	struct port_event *event = port_find_event(port, request);
	struct eng_fault fault;
	u16 status;
	u32 state;

	if (!event)
		return VIRTIO_ACCEL_S_STALE_OBJECT;
	fault = eng_backend_poll(&port->faults, &event->object.node,
				 event->object.eng);
	if (fault.kind == ENG_FAULT_BEFORE || fault.kind == ENG_FAULT_AFTER)
		return fault.status;
	if (fault.kind == ENG_FAULT_STATE)
		eng_event_force(port, event, &fault);

	state = eng_event_look(event, &status);
	event->reported |= state != VIRTIO_ACCEL_EVENT_PENDING;
	answer->state = cpu_to_le16(state);
	answer->error = cpu_to_le16(status);
	answer->reserved = 0;
	request->answer_bytes = sizeof(*answer);
	return VIRTIO_ACCEL_S_OK;
}

/**
 * eng_run_cancel() - CANCEL_EVENT
 * @port: the port, whose events lock is held
 * @request: the request
 *
 * Context: May sleep; does not allocate.
 * Return: a status of the wire.
 */
u16 eng_run_cancel(struct eng_port *port, struct eng_request *request)
{
	struct port_event *event = port_find_event(port, request);
	u16 status;

	if (!event)
		return VIRTIO_ACCEL_S_STALE_OBJECT;
	if (!(port->config.capabilities & VIRTIO_ACCEL_CAP_EVENT_CANCEL))
		return VIRTIO_ACCEL_S_UNSUPPORTED;
	if (eng_event_look(event, &status) != VIRTIO_ACCEL_EVENT_PENDING)
		return VIRTIO_ACCEL_S_BUSY;
	return eng_backend_cancel(&port->faults, &event->object.node,
				  event->object.eng);
}

/**
 * eng_run_destroy_event() - DESTROY_EVENT
 * @port: the port, whose events lock is held
 * @request: the request
 *
 * Context: May sleep; does not allocate.
 * Return: a status of the wire.
 */
u16 eng_run_destroy_event(struct eng_port *port, struct eng_request *request)
{
	struct port_event *event = port_find_event(port, request);
	struct eng_outcome outcome;
	u16 status;

	if (!event)
		return VIRTIO_ACCEL_S_STALE_OBJECT;
	eng_event_expire(event->object.eng);
	if (eng_event_look(event, &status) == VIRTIO_ACCEL_EVENT_PENDING)
		return VIRTIO_ACCEL_S_BUSY;

	outcome = eng_backend_release(&port->faults, &event->object.node,
				      event->object.eng);
	if (outcome.result == ENG_REJECTED)
		return outcome.status;
	eng_ids_drop(&port->ids[ENG_KIND_EVENT], event->object.id);
	if (outcome.result == ENG_DONE) {
		eng_event_refer(event, -1);
		eng_free(event);
		return VIRTIO_ACCEL_S_OK;
	}
	/* Nobody knows whether it still uses what it has. */
	list_add_tail(&event->object.quarantine, &port->quarantine);
	eng_port_mark_lost(port);
	return outcome.status;
}
