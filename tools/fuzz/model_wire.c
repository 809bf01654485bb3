// SPDX-License-Identifier: GPL-2.0
/* Frames: what of them is refused before any object is looked at. */
#include "model_wire.h"

static bool power_of_two(u64 n)
{
	return n && !(n & (n - 1));
}

static u16 check_allocation(const u8 *p)
{
	if (!zeros(p + 25, 7) || at4(p, 36))
		return INVALID;
	if (at4(p, 32) & ~VIRTIO_ACCEL_USAGE_MASK)
		return UNSUPPORTED;
	if (!at8(p, 0) || !at8(p, 8) || !power_of_two(at8(p, 16)) ||
	    p[24] < 1 || p[24] > 3 || !at4(p, 32))
		return INVALID;
	return OK;
}

static u16 check_transfer(const u8 *p)
{
	return !at8(p, 0) || !at8(p, 16) || at8(p, 8) + at8(p, 16) < at8(p, 8) ?
	       INVALID : OK;
}

static u16 check_bindings(const struct model *m, const u8 *p, u32 bytes)
{
	u32 count = at4(p, 16), i, j;
	const u8 *b = p + 32;

	if (count > m->config->limits.max_bindings)
		return LIMIT;
	if (bytes - 32 != count * 32)
		return INVALID;
	if (at4(p, 20))
		return UNSUPPORTED;
	if (!count || !at8(p, 0) || !at8(p, 8))
		return INVALID;
	for (i = 0; i < count; i++, b += 32) {
		if (!at8(b, 0) || !at8(b, 16) || b[28] < 1 || b[28] > 3 ||
		    !zeros(b + 29, 3) || at8(b, 8) + at8(b, 16) < at8(b, 8))
			return INVALID;
		for (j = 0; j < i; j++) {
			if (at4(p + 32 + 32 * j, 24) == at4(b, 24))
				return INVALID;
		}
	}
	return OK;
}

static void put(u8 **to, u64 value, u32 bytes)
{
	while (bytes--) {
		*(*to)++ = value;
		value >>= 8;
	}
}

static u16 info(const struct model *m, struct model_answer *answer)
{
	const struct eng_port_config *c = m->config;
	u8 *to = answer->payload;

	memcpy(to, c->uuid, 16);
	to += 16;
	put(&to, c->device_class, 4);
	put(&to, c->vendor, 4);
	put(&to, c->device, 4);
	put(&to, c->capabilities, 8);
	put(&to, c->limits.max_contexts, 4);
	put(&to, c->limits.max_buffers, 4);
	put(&to, c->limits.max_images, 4);
	put(&to, c->limits.max_queues, 4);
	put(&to, c->limits.max_events, 4);
	put(&to, c->limits.max_bindings, 4);
	put(&to, c->limits.max_buffer_bytes, 8);
	put(&to, c->limits.max_artifact_bytes, 8);
	answer->bytes = to - answer->payload;
	return OK;
}

/* Requests, as the protocol's table has them. */
static const struct request {
	u16 opcode;
	u16 fixed;		/* bytes of the payload, or of its beginning */
	bool tail;
	u16 success;		/* bytes of the success answer's payload */
	enum model_kind kind;
	bool creates;
} requests[] = {
	{ VIRTIO_ACCEL_OP_GET_DEVICE_INFO, 0, false, 76, MODEL_NONE, false },
	{ VIRTIO_ACCEL_OP_CREATE_CONTEXT, 8, false, 8, MODEL_CONTEXT, true },
	{ VIRTIO_ACCEL_OP_DESTROY_CONTEXT, 8, false, 0, MODEL_CONTEXT, false },
	{ VIRTIO_ACCEL_OP_ALLOCATE_BUFFER, 40, false, 8, MODEL_BUFFER, true },
	{ VIRTIO_ACCEL_OP_FREE_BUFFER, 8, false, 0, MODEL_BUFFER, false },
	{ VIRTIO_ACCEL_OP_WRITE_BUFFER, 24, true, 0, MODEL_NONE, false },
	{ VIRTIO_ACCEL_OP_READ_BUFFER, 24, false, 0, MODEL_NONE, false },
	{ VIRTIO_ACCEL_OP_LOAD_PROGRAM, 80, true, 8, MODEL_PROGRAM, true },
	{ VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, 8, false, 0, MODEL_PROGRAM, false },
	{ VIRTIO_ACCEL_OP_CREATE_QUEUE, 16, false, 8, MODEL_QUEUE, true },
	{ VIRTIO_ACCEL_OP_DESTROY_QUEUE, 8, false, 0, MODEL_QUEUE, false },
	{ VIRTIO_ACCEL_OP_SUBMIT, 32, true, 8, MODEL_EVENT, true },
	{ VIRTIO_ACCEL_OP_POLL_EVENT, 8, false, 8, MODEL_NONE, false },
	{ VIRTIO_ACCEL_OP_CANCEL_EVENT, 8, false, 0, MODEL_NONE, false },
	{ VIRTIO_ACCEL_OP_DESTROY_EVENT, 8, false, 0, MODEL_NONE, false },
};

static const struct request *request_of(u16 opcode)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		if (requests[i].opcode == opcode)
			return &requests[i];
	}
	return NULL;
}

/*
 * Whether the fixed part and the scalars are good is known before anything is
 * looked up; only then does the room for the answer matter.
 */
static u16 check_scalars(const struct model *m, u16 opcode, const u8 *p,
			 u32 bytes)
{
	switch (opcode) {
	case VIRTIO_ACCEL_OP_CREATE_CONTEXT:
		return at4(p, 0) ? UNSUPPORTED : at4(p, 4) ? INVALID : OK;
	case VIRTIO_ACCEL_OP_CREATE_QUEUE:
		if (at4(p, 8))
			return UNSUPPORTED;
		return at4(p, 12) || !at8(p, 0) ? INVALID : OK;
	case VIRTIO_ACCEL_OP_ALLOCATE_BUFFER:
		return check_allocation(p);
	case VIRTIO_ACCEL_OP_LOAD_PROGRAM:
		if (at8(p, 64) != bytes - 80)
			return INVALID;
		if (at4(p, 12))
			return UNSUPPORTED;
		return !at8(p, 0) || bytes == 80 ? INVALID : OK;
	case VIRTIO_ACCEL_OP_SUBMIT:
		return check_bindings(m, p, bytes);
	case VIRTIO_ACCEL_OP_WRITE_BUFFER:
		return at8(p, 16) != bytes - 24 ? INVALID : check_transfer(p);
	case VIRTIO_ACCEL_OP_READ_BUFFER:
		if (check_transfer(p))
			return INVALID;
		return at8(p, 16) > m->config->max_response - HEADER ? LIMIT : OK;
	case VIRTIO_ACCEL_OP_GET_DEVICE_INFO:
		return OK;
	default:
		return at8(p, 0) ? OK : INVALID;
	}
}

/**
 * model_request() - answer a frame
 * @m: the model
 * @frame: the frame, with its header
 * @bytes: its length
 * @descriptors: that the chain has, those for the answer too; 0 for a bad one
 * @room: bytes for the answer
 * @answer: what must come back
 */
void model_request(struct model *m, const u8 *frame, u32 bytes, u32 descriptors,
		   u32 room, struct model_answer *answer)
{
	const u8 *p = frame + HEADER;
	const struct request *request;
	u16 opcode, status;
	u32 payload;

	answer->silent = bytes < HEADER || room < HEADER ||
			 descriptors > m->config->max_chain;
	answer->unknown = false;
	answer->creates = false;
	answer->bytes = 0;
	if (answer->silent)
		return;

	opcode = number(frame, 2);
	payload = number(frame + 4, 4);
	request = request_of(opcode);
	if (bytes > m->config->max_request)
		status = LIMIT;
	else if (bytes - HEADER != payload)
		status = INVALID;
	else if (!request || number(frame + 2, 2))
		status = UNSUPPORTED;
	else if (payload < request->fixed || !number(frame + 8, 8) ||
		 (payload > request->fixed && !request->tail))
		status = INVALID;
	else
		status = check_scalars(m, opcode, p, payload);

	if (!status && room - HEADER < request->success)
		answer->silent = true;
	else if (!status)
		status = opcode == VIRTIO_ACCEL_OP_GET_DEVICE_INFO ?
			 info(m, answer) :
			 model_serve(m, opcode, p, payload, room, answer);
	answer->status = status;
	answer->creates = !answer->silent && !answer->unknown && !status &&
			  request->creates;
	if (!answer->creates)
		return;
	answer->bytes = 8;
	m->objects[m->made].kind = request->kind;
}
