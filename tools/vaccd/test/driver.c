// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The driver behind the front end. */
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <linux/vacc_reference.h>

#include "front.h"
#include "test.h"

#define WAIT_MS	10000

static u8 *request_of(struct front *front, u32 slot)
{
	return front->memory + 0x10000 + slot * FRONT_SLOT;
}

static u8 *response_of(struct front *front, u32 slot)
{
	return request_of(front, slot) + FRONT_SLOT / 2;
}

static u64 guest_of(struct front *front, const u8 *memory)
{
	return FRONT_GUEST + (memory - front->memory);
}

void drive_send(struct front *front, u32 slot, u16 opcode, const void *payload,
		u32 bytes, u32 room)
{
	struct virtio_accel_req_hdr header = {
		.opcode = opcode,
		.payload_bytes = bytes,
		.request_id = front->next_id++,
	};
	u8 *request = request_of(front, slot);
	u8 *response = response_of(front, slot);

	memcpy(request, &header, sizeof(header));
	if (bytes)
		memcpy(request + sizeof(header), payload, bytes);
	memset(response, 0xa5, 32);
	front->desc[2 * slot] = (struct eng_ring_desc){
		.addr = guest_of(front, request),
		.len = sizeof(header) + bytes,
		.flags = ENG_DESC_NEXT,
		.next = 2 * slot + 1,
	};
	front->desc[2 * slot + 1] = (struct eng_ring_desc){
		.addr = guest_of(front, response),
		.len = sizeof(struct virtio_accel_resp_hdr) + room,
		.flags = ENG_DESC_WRITE,
	};
	front->avail->ring[front->next_avail++ % FRONT_RING] = 2 * slot;
	eng_store_release(front->avail->idx, front->next_avail);
}

void drive_kick(struct front *front)
{
	const struct message_state state = {};
	const u64 one = 1;

	if (front->inband)
		EXPECT_EQ(front_send(front, VHOST_USER_VRING_KICK, &state, 8,
				     NULL, 0), 0);
	else if (write(front->kick, &one, sizeof(one)) < 0)
		EXPECT(!"a kick");
}

int drive_wait(struct front *front, int ms, u32 *used)
{
	struct pollfd call = {
		.fd = front->inband ? front->backend : front->call,
		.events = POLLIN,
	};
	struct eng_ring_used_elem *elem;
	char bytes[64];

	while (eng_load_acquire(front->used->idx) == front->next_used) {
		if (poll(&call, 1, ms) != 1)
			return -1;
		if (read(call.fd, bytes, sizeof(bytes)) < 0)
			return -1;
	}
	elem = &front->used->ring[front->next_used++ % FRONT_RING];
	if (used)
		*used = elem->len;
	EXPECT(elem->id < FRONT_RING);
	return elem->id / 2;
}

static void read_reply(struct front *front, u32 slot, u32 used,
		       struct reply *reply)
{
	struct virtio_accel_resp_hdr header;
	u8 *response = response_of(front, slot);

	memcpy(&header, response, sizeof(header));
	reply->used = used;
	reply->status = used ? header.status : NO_ANSWER;
	reply->bytes = header.payload_bytes;
	reply->payload = response + sizeof(header);
	memcpy(&reply->object, reply->payload, sizeof(reply->object));
	if (used) {
		EXPECT_EQ(header.flags, 0);
		EXPECT_EQ(used, sizeof(header) + header.payload_bytes);
	}
}

u32 drive(struct front *front, u16 opcode, const void *payload, u32 bytes,
	  struct reply *reply)
{
	struct reply mine;
	u32 used;
	int slot;

	if (!reply)
		reply = &mine;
	drive_send(front, 0, opcode, payload, bytes, FRONT_SLOT / 2 - 64);
	drive_kick(front);
	slot = drive_wait(front, WAIT_MS, &used);
	if (slot < 0) {
		reply->status = NEVER;
		return NEVER;
	}
	EXPECT_EQ(slot, 0);
	read_reply(front, slot, used, reply);
	return reply->status;
}

static u64 drive_create(struct front *front, u16 opcode, const void *payload,
			u32 bytes)
{
	struct reply reply;

	if (drive(front, opcode, payload, bytes, &reply))
		return 0;
	EXPECT_EQ(reply.bytes, 8);
	return reply.object;
}

u64 drive_context(struct front *front)
{
	struct virtio_accel_create_context p = {};

	return drive_create(front, VIRTIO_ACCEL_OP_CREATE_CONTEXT, &p,
			    sizeof(p));
}

u64 drive_queue(struct front *front, u64 context)
{
	struct virtio_accel_create_queue p = { .context = context };

	return drive_create(front, VIRTIO_ACCEL_OP_CREATE_QUEUE, &p, sizeof(p));
}

u64 drive_buffer(struct front *front, u64 context, u64 bytes)
{
	struct virtio_accel_allocate_buffer p = {
		.context = context,
		.bytes = bytes,
		.alignment = 64,
		.domain = VIRTIO_ACCEL_DOMAIN_HOST,
		.usage = VIRTIO_ACCEL_USAGE_MASK,
	};

	return drive_create(front, VIRTIO_ACCEL_OP_ALLOCATE_BUFFER, &p,
			    sizeof(p));
}

u64 drive_program(struct front *front, u64 context, u32 format,
		  const u32 *target, const void *artifact, u64 bytes,
		  u64 resident)
{
	struct {
		struct virtio_accel_load_program p;
		u8 artifact[4096];
	} load = {
		.p = {
			.context = context,
			.format = format,
			.payload_bytes = bytes,
			.resident_bytes = resident,
		},
	};

	memcpy(load.p.target, target, 16);
	memcpy(load.artifact, artifact, bytes);
	return drive_create(front, VIRTIO_ACCEL_OP_LOAD_PROGRAM, &load,
			    sizeof(load.p) + bytes);
}

u64 drive_ref(struct front *front, u64 context, u8 op, u8 operand)
{
	const u32 target[] = {
		VACC_REF_TARGET0, VACC_REF_TARGET1, VACC_REF_TARGET2,
		VACC_REF_TARGET3,
	};
	const struct vacc_ref_artifact artifact = {
		.magic = { 'V', 'A', 'M', 'K' },
		.major = VACC_REF_VERSION_MAJOR,
		.op = op,
		.binding_abi = VACC_REF_BINDING_ABI,
		.second = op == VACC_REF_OP_COPY ? 1 : VACC_REF_NO_SLOT,
		.operand = operand,
	};

	return drive_program(front, context, VACC_REF_FORMAT, target, &artifact,
			     sizeof(artifact), VACC_REF_RESIDENT);
}

/* All of one or two buffers; @access is of each. */
u64 drive_submit(struct front *front, u64 queue, u64 program, u64 first,
		 u64 second, u64 bytes, const u8 *access)
{
	struct {
		struct virtio_accel_submit p;
		struct virtio_accel_binding b[2];
	} s = {
		.p = {
			.queue = queue,
			.program = program,
			.binding_count = second ? 2 : 1,
		},
		.b = {
			{ .buffer = first, .bytes = bytes, .access = access[0] },
			{ .buffer = second, .bytes = bytes, .slot = 1,
			  .access = access[1] },
		},
	};

	return drive_create(front, VIRTIO_ACCEL_OP_SUBMIT, &s,
			    sizeof(s.p) + s.p.binding_count * sizeof(s.b[0]));
}

u32 drive_object(struct front *front, u16 opcode, u64 object)
{
	return drive(front, opcode, &object, sizeof(object), NULL);
}

u32 drive_event(struct front *front, u64 event)
{
	struct virtio_accel_event_state state;
	struct reply reply;
	int tries;

	for (tries = 0; tries < 10000; tries++) {
		if (drive(front, VIRTIO_ACCEL_OP_POLL_EVENT, &event,
			  sizeof(event), &reply))
			return 0x100 + reply.status;
		memcpy(&state, reply.payload, sizeof(state));
		if (state.state != VIRTIO_ACCEL_EVENT_PENDING)
			return state.state;
		usleep(1000);
	}
	return VIRTIO_ACCEL_EVENT_PENDING;
}

u32 drive_write(struct front *front, u64 buffer, const void *data, u32 bytes)
{
	struct {
		struct virtio_accel_transfer p;
		u8 data[FRONT_SLOT / 2 - 64];
	} t = { .p = { .buffer = buffer, .bytes = bytes } };

	memcpy(t.data, data, bytes);
	return drive(front, VIRTIO_ACCEL_OP_WRITE_BUFFER, &t,
		     sizeof(t.p) + bytes, NULL);
}

u32 drive_read(struct front *front, u64 buffer, void *data, u32 bytes)
{
	struct virtio_accel_transfer p = { .buffer = buffer, .bytes = bytes };
	struct reply reply;

	if (drive(front, VIRTIO_ACCEL_OP_READ_BUFFER, &p, sizeof(p), &reply))
		return reply.status;
	EXPECT_EQ(reply.bytes, bytes);
	memcpy(data, reply.payload, bytes);
	return 0;
}
