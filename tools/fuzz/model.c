// SPDX-License-Identifier: GPL-2.0
/* The objects of the model, and what requests do to them. */
#include "model_wire.h"

#define PENDING		VIRTIO_ACCEL_EVENT_PENDING
#define COMPLETE	VIRTIO_ACCEL_EVENT_COMPLETE
#define FAILED		VIRTIO_ACCEL_EVENT_FAILED
#define CANCELLED	VIRTIO_ACCEL_EVENT_CANCELLED

/* No timeout that a test lives to see is longer, none is shorter by design. */
#define LONG_NS		1000000000000ULL

static struct model_object *find(struct model *m, enum model_kind kind, u64 id)
{
	u32 i;

	for (i = 0; i < MODEL_OBJECTS; i++) {
		if (m->objects[i].kind == kind && m->objects[i].id == id)
			return &m->objects[i];
	}
	return NULL;
}

static u32 index_of(const struct model *m, const struct model_object *object)
{
	return object - m->objects;
}

/* Live objects of a kind in a context. */
static u32 children(const struct model *m, const struct model_object *context,
		    enum model_kind kind)
{
	u32 i, count = 0;

	for (i = 0; i < MODEL_OBJECTS; i++) {
		if (m->objects[i].kind == kind &&
		    m->objects[i].context == index_of(m, context))
			count++;
	}
	return count;
}

static u64 charged(const struct model *m, enum model_kind kind)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < MODEL_OBJECTS; i++) {
		if (m->objects[i].kind == kind)
			sum += m->objects[i].charge;
	}
	return sum;
}

/* A place for what a request creates; it lives once its number is known. */
static struct model_object *make(struct model *m,
				 const struct model_object *context)
{
	struct model_object *object;

	for (m->made = 0; m->objects[m->made].kind; m->made++)
		;
	object = &m->objects[m->made];
	memset(object, 0, sizeof(*object));
	object->context = context ? index_of(m, context) : MODEL_OBJECTS;
	return object;
}

static void forget(struct model_object *object)
{
	free(object->data);
	memset(object, 0, sizeof(*object));
}

static void end(struct model_object *event, u16 state, u16 error)
{
	event->state = state;
	event->error = error;
}

static void expire(struct model_object *event)
{
	if (event->state == PENDING && event->late)
		end(event, FAILED, EXPIRED);
}

static u16 create_context(struct model *m)
{
	if (m->lost)
		return LOST;
	if (model_count(m, MODEL_CONTEXT) >= m->config->limits.max_contexts)
		return LIMIT;
	make(m, NULL);
	return OK;
}

static u16 create_queue(struct model *m, const u8 *p)
{
	struct model_object *context = find(m, MODEL_CONTEXT, at8(p, 0));

	if (!context)
		return STALE;
	if (children(m, context, MODEL_QUEUE) >= m->config->limits.max_queues)
		return LIMIT;
	if (m->lost)
		return LOST;
	make(m, context);
	return OK;
}

static u16 allocate(struct model *m, const u8 *p)
{
	const struct eng_limits *limits = &m->config->limits;
	u64 bytes = at8(p, 8), alignment = at8(p, 16), charge;
	struct model_object *context, *buffer;

	if (bytes > limits->max_buffer_bytes || alignment > ENG_MAX_ALIGNMENT)
		return LIMIT;
	/* Whatever is aligned to more than 8 takes that much more. */
	charge = bytes + (alignment > 8 ? alignment : 0);
	if (charge > m->config->max_buffer_memory - charged(m, MODEL_BUFFER))
		return LIMIT;
	context = find(m, MODEL_CONTEXT, at8(p, 0));
	if (!context)
		return STALE;
	if (children(m, context, MODEL_BUFFER) >= limits->max_buffers)
		return LIMIT;
	if (p[24] == VIRTIO_ACCEL_DOMAIN_SHARED)
		return UNSUPPORTED;
	if (m->lost)
		return LOST;
	buffer = make(m, context);
	buffer->bytes = bytes;
	buffer->charge = charge;
	buffer->usage = at4(p, 32);
	buffer->data = calloc(1, bytes);
	return OK;
}

static bool target_is_ours(const u8 *target)
{
	return at4(target, 0) == VACC_REF_TARGET0 &&
	       at4(target, 4) == VACC_REF_TARGET1 &&
	       at4(target, 8) == VACC_REF_TARGET2 &&
	       at4(target, 12) == VACC_REF_TARGET3 && zeros(target + 16, 32);
}

static u16 check_artifact(const u8 *a, u64 bytes)
{
	if (bytes != 24 || memcmp(a, "VAMK", 4))
		return INVALID;
	if (a[4] != 1 || a[5] || a[7] != 1)
		return INCOMPATIBLE;
	if (!zeros(a + 17, 7))
		return INVALID;
	switch (a[6]) {
	case VACC_REF_OP_COPY:
		if (at4(a, 8) == at4(a, 12))
			return INVALID;
		break;
	case VACC_REF_OP_BARRIER:
	case VACC_REF_OP_FILL:
	case VACC_REF_OP_XOR:
		if (at4(a, 12) != VACC_REF_NO_SLOT)
			return INVALID;
		break;
	default:
		return UNSUPPORTED;
	}
	return a[6] < VACC_REF_OP_FILL && a[16] ? INVALID : OK;
}

static u16 load(struct model *m, const u8 *p, u32 bytes, bool *unknown)
{
	const u8 *a = p + 80;
	struct model_object *context, *program;
	u64 charge = at8(p, 72);
	u16 status;

	if (bytes - 80 > m->config->limits.max_artifact_bytes ||
	    charge > m->config->max_program_memory - charged(m, MODEL_PROGRAM))
		return LIMIT;
	context = find(m, MODEL_CONTEXT, at8(p, 0));
	if (!context)
		return STALE;
	if (children(m, context, MODEL_PROGRAM) >= m->config->limits.max_images)
		return LIMIT;
	if (m->lost)
		return LOST;
	*unknown = at4(p, 8) == VACC_BATCH_FORMAT;
	if (at4(p, 8) != VACC_REF_FORMAT)
		return UNSUPPORTED;
	if (!target_is_ours(p + 16) || charge != VACC_REF_RESIDENT)
		return INCOMPATIBLE;
	status = check_artifact(a, bytes - 80);
	if (status)
		return status;
	program = make(m, context);
	program->charge = charge;
	program->op = a[6];
	program->operand = a[16];
	program->first = at4(a, 8);
	program->second = at4(a, 12);
	return OK;
}

static u16 release(struct model *m, const u8 *p, enum model_kind kind)
{
	struct model_object *object = find(m, kind, at8(p, 0));

	if (!object)
		return STALE;
	if (object->users ||
	    (kind == MODEL_CONTEXT && (children(m, object, MODEL_BUFFER) ||
				       children(m, object, MODEL_PROGRAM) ||
				       children(m, object, MODEL_QUEUE))))
		return BUSY;
	if (m->lost)
		return LOST;
	forget(object);
	return OK;
}

static u16 transfer(struct model *m, const u8 *p, u32 usage,
		    struct model_object **buffer)
{
	u64 offset = at8(p, 8), bytes = at8(p, 16);

	*buffer = find(m, MODEL_BUFFER, at8(p, 0));
	if (!*buffer)
		return STALE;
	if (offset > (*buffer)->bytes || bytes > (*buffer)->bytes - offset)
		return OUT_OF_BOUNDS;
	if (!((*buffer)->usage & usage))
		return DENIED;
	return m->lost ? LOST : OK;
}

static u16 write_buffer(struct model *m, const u8 *p, u32 bytes)
{
	struct model_object *buffer;
	u16 status = transfer(m, p, VIRTIO_ACCEL_USAGE_TRANSFER_DST, &buffer);

	if (!status)
		memcpy(buffer->data + at8(p, 8), p + 24, bytes - 24);
	return status;
}

static u16 read_buffer(struct model *m, const u8 *p, u32 room,
		       struct model_answer *answer)
{
	struct model_object *buffer;
	u16 status;

	answer->silent = at8(p, 16) > room - HEADER;
	if (answer->silent)
		return OK;
	status = transfer(m, p, VIRTIO_ACCEL_USAGE_TRANSFER_SRC, &buffer);
	if (status)
		return status;
	answer->bytes = at8(p, 16);
	memcpy(answer->payload, buffer->data + at8(p, 8), answer->bytes);
	return OK;
}

static bool allowed(u32 usage, u8 access)
{
	u32 wanted = VIRTIO_ACCEL_USAGE_MUTABLE;

	if (access == VIRTIO_ACCEL_ACCESS_READ)
		wanted |= VIRTIO_ACCEL_USAGE_INPUT;
	if (access == VIRTIO_ACCEL_ACCESS_WRITE)
		wanted |= VIRTIO_ACCEL_USAGE_OUTPUT;
	return usage & wanted;
}

/* First all must resolve, then lie inside, then be allowed. */
static u16 resolve(struct model *m, const u8 *bindings, u32 context,
		   struct model_object *event)
{
	u16 status = OK;
	u32 i;

	for (i = 0; i < event->count; i++) {
		const u8 *b = bindings + 32 * i;
		struct model_object *buffer = find(m, MODEL_BUFFER, at8(b, 0));

		if (!buffer || buffer->context != context)
			return STALE;
		event->ranges[i] = (struct model_range){
			index_of(m, buffer), at8(b, 8), at8(b, 16), at4(b, 24),
		};
	}
	for (i = 0; i < event->count; i++) {
		struct model_range *r = &event->ranges[i];
		struct model_object *buffer = &m->objects[r->buffer];

		if (r->offset > buffer->bytes ||
		    r->bytes > buffer->bytes - r->offset)
			return OUT_OF_BOUNDS;
		if (!allowed(buffer->usage, bindings[32 * i + 28]))
			status = DENIED;
	}
	return status;
}

static bool slot_fits(const struct model_object *program, u32 slot, u8 access)
{
	switch (program->op) {
	case VACC_REF_OP_COPY:
		return (slot == program->first &&
			access == VIRTIO_ACCEL_ACCESS_READ) ||
		       (slot == program->second &&
			access == VIRTIO_ACCEL_ACCESS_WRITE);
	case VACC_REF_OP_FILL:
		return slot == program->first &&
		       access == VIRTIO_ACCEL_ACCESS_WRITE;
	case VACC_REF_OP_XOR:
		return slot == program->first &&
		       access == VIRTIO_ACCEL_ACCESS_READ_WRITE;
	default:
		return slot == program->first;
	}
}

static bool bindings_fit(const struct model_object *program,
			 const struct model_object *event, const u8 *bindings)
{
	u32 i;

	if (event->count != (program->op == VACC_REF_OP_COPY ? 2 : 1))
		return false;
	for (i = 0; i < event->count; i++) {
		if (!slot_fits(program, event->ranges[i].slot,
			       bindings[32 * i + 28]))
			return false;
	}
	return event->count == 1 ||
	       event->ranges[0].bytes == event->ranges[1].bytes;
}

static void refer(struct model *m, struct model_object *event, int by)
{
	u32 i;

	m->objects[event->queue].users += by;
	m->objects[event->program].users += by;
	for (i = 0; i < event->count; i++)
		m->objects[event->ranges[i].buffer].users += by;
}

static u16 submit(struct model *m, const u8 *p, bool *unknown)
{
	struct model_object *queue = find(m, MODEL_QUEUE, at8(p, 0));
	struct model_object *program = find(m, MODEL_PROGRAM, at8(p, 8));
	struct model_object *event;
	u16 status;

	if (!queue || !program || queue->context != program->context)
		return STALE;
	if (children(m, &m->objects[queue->context], MODEL_EVENT) >=
	    m->config->limits.max_events)
		return LIMIT;
	event = make(m, &m->objects[queue->context]);
	event->queue = index_of(m, queue);
	event->program = index_of(m, program);
	event->count = at4(p, 16);
	status = resolve(m, p + 32, queue->context, event);
	if (status)
		return status;
	if (m->lost)
		return LOST;
	if (!bindings_fit(program, event, p + 32))
		return INCOMPATIBLE;
	/* What is neither at once nor never depends on the machine. */
	event->late = at8(p, 24) == 1;
	*unknown = at8(p, 24) > 1 && at8(p, 24) < LONG_NS;
	return OK;
}

static u16 about_event(struct model *m, u16 opcode, const u8 *p,
		       struct model_answer *answer)
{
	struct model_object *event = find(m, MODEL_EVENT, at8(p, 0));

	if (!event)
		return STALE;
	if (opcode == VIRTIO_ACCEL_OP_CANCEL_EVENT) {
		if (event->state != PENDING)
			return BUSY;
		expire(event);
		if (event->state != PENDING)
			return BUSY;
		end(event, CANCELLED, OK);
		return OK;
	}
	expire(event);
	if (opcode == VIRTIO_ACCEL_OP_POLL_EVENT) {
		answer->bytes = 8;
		memset(answer->payload, 0, 8);
		answer->payload[0] = event->state;
		answer->payload[2] = event->error;
		answer->payload[3] = event->error >> 8;
		return OK;
	}
	if (event->state == PENDING)
		return BUSY;
	refer(m, event, -1);
	forget(event);
	return OK;
}

/**
 * model_serve() - do what a request asks for
 * @m: the model
 * @opcode: VIRTIO_ACCEL_OP_*, not GET_DEVICE_INFO
 * @p: payload, whose lengths and scalars are good
 * @bytes: its length
 * @room: bytes for the answer, its header included
 * @answer: gets the payload of a success, or that nothing comes back
 *
 * Return: the status.
 */
u16 model_serve(struct model *m, u16 opcode, const u8 *p, u32 bytes, u32 room,
		struct model_answer *answer)
{
	switch (opcode) {
	case VIRTIO_ACCEL_OP_CREATE_CONTEXT:
		return create_context(m);
	case VIRTIO_ACCEL_OP_CREATE_QUEUE:
		return create_queue(m, p);
	case VIRTIO_ACCEL_OP_ALLOCATE_BUFFER:
		return allocate(m, p);
	case VIRTIO_ACCEL_OP_LOAD_PROGRAM:
		return load(m, p, bytes, &answer->unknown);
	case VIRTIO_ACCEL_OP_WRITE_BUFFER:
		return write_buffer(m, p, bytes);
	case VIRTIO_ACCEL_OP_READ_BUFFER:
		return read_buffer(m, p, room, answer);
	case VIRTIO_ACCEL_OP_SUBMIT:
		return submit(m, p, &answer->unknown);
	case VIRTIO_ACCEL_OP_POLL_EVENT:
	case VIRTIO_ACCEL_OP_CANCEL_EVENT:
	case VIRTIO_ACCEL_OP_DESTROY_EVENT:
		return about_event(m, opcode, p, answer);
	case VIRTIO_ACCEL_OP_DESTROY_CONTEXT:
		return release(m, p, MODEL_CONTEXT);
	case VIRTIO_ACCEL_OP_FREE_BUFFER:
		return release(m, p, MODEL_BUFFER);
	case VIRTIO_ACCEL_OP_UNLOAD_PROGRAM:
		return release(m, p, MODEL_PROGRAM);
	default:
		return release(m, p, MODEL_QUEUE);
	}
}

/**
 * model_created() - the number of what the last request has created
 * @m: the model
 * @id: the number
 *
 * Return: the new object.
 */
struct model_object *model_created(struct model *m, u64 id)
{
	struct model_object *object = &m->objects[m->made];

	object->id = id;
	if (object->kind != MODEL_EVENT)
		return object;
	refer(m, object, 1);
	if (!m->hold)
		model_execute(m, object);
	return object;
}

/**
 * model_execute() - execute an event, if its time allows that
 * @m: the model
 * @event: a pending event
 */
void model_execute(struct model *m, struct model_object *event)
{
	struct model_object *program = &m->objects[event->program];
	struct model_range *first = &event->ranges[0], *second = &event->ranges[1];
	u8 *to = m->objects[first->buffer].data + first->offset, *from;
	u64 i;

	if (event->late) {
		end(event, FAILED, EXPIRED);
		return;
	}
	switch (program->op) {
	case VACC_REF_OP_COPY:
		from = m->objects[second->buffer].data + second->offset;
		if (first->slot == program->first)
			memmove(from, to, first->bytes);
		else
			memmove(to, from, first->bytes);
		break;
	case VACC_REF_OP_FILL:
		memset(to, program->operand, first->bytes);
		break;
	case VACC_REF_OP_XOR:
		for (i = 0; i < first->bytes; i++)
			to[i] ^= program->operand;
		break;
	}
	end(event, COMPLETE, OK);
}

/**
 * model_fail() - end an event without executing it
 * @event: a pending event
 * @error: the reason
 */
void model_fail(struct model_object *event, u16 error)
{
	end(event, FAILED, error);
}

/**
 * model_lose() - lose the device
 * @m: the model
 */
void model_lose(struct model *m)
{
	u32 i;

	m->lost = true;
	for (i = 0; i < MODEL_OBJECTS; i++) {
		if (m->objects[i].kind == MODEL_EVENT &&
		    m->objects[i].state == PENDING)
			end(&m->objects[i], FAILED, LOST);
	}
}

/**
 * model_reset() - reset the device; hold mode stays
 * @m: the model
 */
void model_reset(struct model *m)
{
	u32 i;

	m->lost = false;
	for (i = 0; i < MODEL_OBJECTS; i++)
		forget(&m->objects[i]);
}

/**
 * model_init() - begin with an empty device
 * @m: the model, zeroed or used before
 * @config: how the device is
 */
void model_init(struct model *m, const struct eng_port_config *config)
{
	model_reset(m);
	m->config = config;
	m->hold = config->hold;
}

/**
 * model_count() - live objects of a kind
 * @m: the model
 * @kind: the kind
 *
 * Return: how many.
 */
u32 model_count(const struct model *m, enum model_kind kind)
{
	u32 i, count = 0;

	for (i = 0; i < MODEL_OBJECTS; i++)
		count += m->objects[i].kind == kind;
	return count;
}

/**
 * model_nth() - a live object of a kind
 * @m: the model
 * @kind: the kind
 * @n: which one, counted round and round
 *
 * Return: the object, or NULL where there is none.
 */
struct model_object *model_nth(struct model *m, enum model_kind kind, u32 n)
{
	u32 i, count = model_count(m, kind);

	if (!count)
		return NULL;
	n %= count;
	for (i = 0; ; i++) {
		if (m->objects[i].kind == kind && !n--)
			return &m->objects[i];
	}
}

/**
 * model_pending() - a pending event, in order of admission
 * @m: the model
 * @n: which one, from 0
 *
 * Return: the event, or NULL where there are not so many.
 */
struct model_object *model_pending(struct model *m, u32 n)
{
	struct model_object *found = NULL, *object;
	u64 above = 0;

	do {
		found = NULL;
		for (object = m->objects; object < m->objects + MODEL_OBJECTS;
		     object++) {
			if (object->kind == MODEL_EVENT &&
			    object->state == PENDING &&
			    object->sequence > above &&
			    (!found || object->sequence < found->sequence))
				found = object;
		}
		above = found ? found->sequence : 0;
	} while (found && n--);
	return found;
}
