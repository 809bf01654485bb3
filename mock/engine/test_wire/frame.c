// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Frames: building them, cutting them into chains, and what holds for every answer.
 */
#include "rig.h"

struct frame *frame_new(u16 opcode)
{
	struct frame *frame = malloc(sizeof(*frame));

	REQUIRE(frame);
	memset(frame, 0, offsetof(struct frame, payload));
	frame->opcode = opcode;
	return frame;
}

void frame_set(struct frame *frame, u32 offset, u64 value, u32 bytes)
{
	while (bytes--) {
		frame->payload[offset++] = value;
		value >>= 8;
	}
}

void frame_add(struct frame *frame, u64 value, u32 bytes)
{
	frame_set(frame, frame->bytes, value, bytes);
	frame->bytes += bytes;
}

void frame_add_bytes(struct frame *frame, const void *from, u32 bytes)
{
	REQUIRE(frame->bytes + bytes <= sizeof(frame->payload));
	memcpy(frame->payload + frame->bytes, from, bytes);
	frame->bytes += bytes;
}

struct frame *frame_buffer(u64 context, u64 bytes, u64 alignment, u8 domain,
			   u32 usage)
{
	struct frame *frame = frame_new(VIRTIO_ACCEL_OP_ALLOCATE_BUFFER);

	frame_add(frame, context, 8);
	frame_add(frame, bytes, 8);
	frame_add(frame, alignment, 8);
	frame_add(frame, domain, 8);
	frame_add(frame, usage, 8);
	return frame;
}

struct frame *frame_transfer(u16 opcode, u64 buffer, u64 offset, u64 bytes)
{
	struct frame *frame = frame_new(opcode);

	frame_add(frame, buffer, 8);
	frame_add(frame, offset, 8);
	frame_add(frame, bytes, 8);
	return frame;
}

struct frame *frame_program(u64 context, u8 op, u8 operand)
{
	const u32 target[12] = {
		VACC_REF_TARGET0, VACC_REF_TARGET1,
		VACC_REF_TARGET2, VACC_REF_TARGET3,
	};
	struct vacc_ref_artifact artifact = {
		.magic = { 'V', 'A', 'M', 'K' },
		.major = VACC_REF_VERSION_MAJOR,
		.op = op,
		.binding_abi = VACC_REF_BINDING_ABI,
		.first = cpu_to_le32(0),
		.second = cpu_to_le32(op == VACC_REF_OP_COPY ? 1 :
				      VACC_REF_NO_SLOT),
		.operand = operand,
	};
	struct frame *frame = frame_new(VIRTIO_ACCEL_OP_LOAD_PROGRAM);
	u32 i;

	frame_add(frame, context, 8);
	frame_add(frame, VACC_REF_FORMAT, 4);
	frame_add(frame, 0, 4);
	for (i = 0; i < 12; i++)
		frame_add(frame, target[i], 4);
	frame_add(frame, sizeof(artifact), 8);
	frame_add(frame, VACC_REF_RESIDENT, 8);
	frame_add_bytes(frame, &artifact, sizeof(artifact));
	return frame;
}

struct frame *frame_submit(u64 queue, u64 program, u32 count, u64 timeout_ns)
{
	struct frame *frame = frame_new(VIRTIO_ACCEL_OP_SUBMIT);

	frame_add(frame, queue, 8);
	frame_add(frame, program, 8);
	frame_add(frame, count, 4);
	frame_add(frame, 0, 4);
	frame_add(frame, timeout_ns, 8);
	return frame;
}

void frame_bind(struct frame *frame, u64 buffer, u64 offset, u64 bytes,
		u32 slot, u8 access)
{
	frame_add(frame, buffer, 8);
	frame_add(frame, offset, 8);
	frame_add(frame, bytes, 8);
	frame_add(frame, slot, 4);
	frame_add(frame, access, 4);
}

/* Cuts @bytes into pieces of memory of their own. */
static u32 cut_pieces(struct eng_seg *segs, const void *from, u32 bytes,
		      u32 first, u32 each)
{
	u32 count = 0, done = 0;

	while (bytes) {
		u32 len = !count && first ? first : each ? each : bytes;

		if (len > bytes)
			len = bytes;
		segs[count].base = malloc(len);
		REQUIRE(segs[count].base);
		if (from)
			memcpy(segs[count].base, from + done, len);
		else
			memset(segs[count].base, UNTOUCHED, len);
		segs[count++].len = len;
		done += len;
		bytes -= len;
	}
	return count;
}

/* What is true whatever was asked. */
static void check_reply(const struct reply *reply, u32 room, u64 request_id)
{
	const u8 *b = reply->bytes;
	u32 i, dirty = 0;

	for (i = reply->used; i < room; i++)
		dirty += b[i] != UNTOUCHED;
	EXPECT_EQ(dirty, 0);
	EXPECT(reply->used <= room);
	if (!reply->used)
		return;
	EXPECT(reply->used >= ENG_RESPONSE_BYTES);
	EXPECT_EQ(reply->used, ENG_RESPONSE_BYTES + reply->payload_bytes);
	EXPECT_EQ(b[2] | b[3], 0);
	EXPECT(eng_get_u64(b + 8) == cpu_to_le64(request_id));
}

u32 rig_send_raw(struct rig *rig, const void *request, u32 bytes,
		 const struct cut *cut, struct reply *reply)
{
	static const struct cut whole;
	static struct reply ignored;
	static struct eng_seg segs[8192];
	struct eng_chain chain = { .segs = segs, .room = 8192 };
	u32 i, room, at = 0;
	u64 request_id = 0;

	if (!cut)
		cut = &whole;
	if (!reply)
		reply = &ignored;
	room = cut->none ? 0 : cut->room ? cut->room : 64 * 1024 + 16;
	REQUIRE(room <= sizeof(reply->bytes));

	chain.readable = cut_pieces(segs, request, bytes, cut->first_readable,
				    cut->readable);
	chain.writable = cut_pieces(segs + chain.readable, NULL, room,
				    cut->first_writable, cut->writable);
	chain.descriptors = chain.readable + chain.writable;
	reply->used = eng_port_handle(rig->port, &chain);

	for (i = 0; i < chain.readable + chain.writable; i++) {
		if (i >= chain.readable) {
			memcpy(reply->bytes + at, segs[i].base, segs[i].len);
			at += segs[i].len;
		}
		free(segs[i].base);
	}
	reply->status = NO_ANSWER;
	reply->payload_bytes = 0;
	reply->object = 0;
	if (reply->used >= ENG_RESPONSE_BYTES) {
		reply->status = eng_get_le16(reply->bytes);
		reply->payload_bytes = eng_get_le16(reply->bytes + 4) |
				       eng_get_le16(reply->bytes + 6) << 16;
	}
	if (reply->used >= ENG_RESPONSE_BYTES + 8)
		reply->object = le64_to_cpu(eng_get_u64(reply->bytes + 16));
	if (bytes >= ENG_REQUEST_BYTES)
		memcpy(&request_id, (const u8 *)request + 8, 8);
	check_reply(reply, room, le64_to_cpu(request_id));
	return reply->status;
}

u32 rig_send(struct rig *rig, struct frame *frame, const struct cut *cut,
	     struct reply *reply)
{
	static u8 raw[sizeof(frame->payload) + ENG_REQUEST_BYTES];
	struct virtio_accel_req_hdr header = {
		.opcode = cpu_to_le16(frame->opcode),
		.flags = cpu_to_le16(frame->flags),
		.payload_bytes = cpu_to_le32(frame->bytes + frame->lie),
	};
	u64 id = frame->request_id;
	u32 bytes = frame->bytes;

	if (!id && !frame->no_id)
		id = rig->next_request++;
	header.request_id = cpu_to_le64(id);
	memcpy(raw, &header, sizeof(header));
	memcpy(raw + sizeof(header), frame->payload, bytes);
	free(frame);
	return rig_send_raw(rig, raw, sizeof(header) + bytes, cut, reply);
}
