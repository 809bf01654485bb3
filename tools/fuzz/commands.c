// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer over sequences of commands: each is sent to a port and to the model,
 * and both must answer alike, to the last byte.  What the harness can do to events
 * happens in between, and loss and reset of the device.
 *
 * An input is a row of actions, one byte each, with what they need behind it.
 */
#include "input.h"
#include "model.h"
#include "rig.h"

#define MAX_ACTIONS	200
#define GRAVES		16

enum action {
	/* 0 to 14 are requests, in order of their numbers. */
	ACT_HOLD = 15,
	ACT_LET_GO,
	ACT_COMPLETE,
	ACT_FAIL,
	ACT_LOSE,
	ACT_RESET,
	ACT_COMPARE,
	ACT_COUNT,
};

static const u16 opcodes[] = {
	VIRTIO_ACCEL_OP_GET_DEVICE_INFO,
	VIRTIO_ACCEL_OP_CREATE_CONTEXT,
	VIRTIO_ACCEL_OP_DESTROY_CONTEXT,
	VIRTIO_ACCEL_OP_ALLOCATE_BUFFER,
	VIRTIO_ACCEL_OP_FREE_BUFFER,
	VIRTIO_ACCEL_OP_WRITE_BUFFER,
	VIRTIO_ACCEL_OP_READ_BUFFER,
	VIRTIO_ACCEL_OP_LOAD_PROGRAM,
	VIRTIO_ACCEL_OP_UNLOAD_PROGRAM,
	VIRTIO_ACCEL_OP_CREATE_QUEUE,
	VIRTIO_ACCEL_OP_DESTROY_QUEUE,
	VIRTIO_ACCEL_OP_SUBMIT,
	VIRTIO_ACCEL_OP_POLL_EVENT,
	VIRTIO_ACCEL_OP_CANCEL_EVENT,
	VIRTIO_ACCEL_OP_DESTROY_EVENT,
};

static struct eng_port_config config;
static struct model model;
static struct rig rig;
static u64 graves[GRAVES];		/* numbers that were good once */
static u32 buried;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	config = default_config;
	config.workers = 1;
	config.limits.max_contexts = 3;
	config.limits.max_buffers = 6;
	config.limits.max_images = 4;
	config.limits.max_queues = 3;
	config.limits.max_events = 8;
	config.limits.max_bindings = MODEL_BINDINGS;
	config.limits.max_buffer_bytes = 4096;
	config.limits.max_artifact_bytes = 256;
	config.limits.inline_limit = 1024;
	config.max_chain = 24;
	config.max_request = 2048;
	config.max_response = 2048;
	config.max_buffer_memory = 20000;
	config.max_program_memory = 64 * 7;
	model_init(&model, &config);
	REQUIRE(eng_port_create(&config, &rig.port) == OK);
	return 0;
}

static u64 take_id(struct input *in, enum model_kind kind)
{
	u8 which = take(in);
	struct model_object *object;

	if (which >= 248)
		return take_number(in);
	if (which >= 240)
		return graves[which % GRAVES];
	if (which >= 232)
		kind = 1 + which % (MODEL_KINDS - 1);
	object = model_nth(&model, kind, which);
	return object ? object->id : graves[which % GRAVES];
}

static struct frame *take_buffer(struct input *in)
{
	u64 context = take_id(in, MODEL_CONTEXT), bytes = take_number(in);
	u8 kind = take(in);

	return frame_buffer(context, bytes,
			    kind < 240 ? 1 << kind % 5 : take_number(in),
			    kind < 250 ? 1 + kind % 2 : take(in),
			    kind & 1 ? USAGE_ALL : take(in));
}

static struct frame *take_transfer(struct input *in, u16 opcode)
{
	u64 buffer = take_id(in, MODEL_BUFFER);
	u64 offset = take_number(in), bytes = take_number(in), i;
	struct frame *frame = frame_transfer(opcode, buffer, offset, bytes);
	u8 value;

	if (opcode == VIRTIO_ACCEL_OP_READ_BUFFER || bytes > 4096)
		return frame;
	value = take(in);
	for (i = 0; i < bytes; i++)
		frame_add(frame, value + i, 1);
	return frame;
}

static struct frame *take_program(struct input *in)
{
	u64 context = take_id(in, MODEL_CONTEXT);
	u8 op = take(in);
	bool has_operand = op % 8 >= VACC_REF_OP_FILL;

	return frame_program(context, op < 128 ? op % 4 : op,
			     has_operand ? take(in) : 0);
}

/* Most bindings are as the program wants them. */
static void take_binding(struct input *in, struct frame *frame,
			 const struct model_object *program, u32 i)
{
	u64 buffer = take_id(in, MODEL_BUFFER), offset = take_number(in);
	u64 bytes = take_number(in);
	u32 slot = i;
	u8 access = WRITE_ONLY, how = take(in);

	if (program) {
		slot = i ? program->second : program->first;
		if (program->op == VACC_REF_OP_COPY && !i)
			access = READ_ONLY;
		if (program->op == VACC_REF_OP_XOR)
			access = READ_WRITE;
	}
	if (how >= 240)
		slot = take_number(in);
	if (how & 1)
		access = how >> 1 & 3;
	frame_bind(frame, buffer, offset, bytes, slot, access);
}

static struct frame *take_submit(struct input *in)
{
	u64 queue = take_id(in, MODEL_QUEUE);
	u32 which = take(in), i;
	struct model_object *program = model_nth(&model, MODEL_PROGRAM, which);
	u8 how = take(in);
	u32 count = program && program->op == VACC_REF_OP_COPY ? 2 : 1;
	u64 timeout = how & 32 ? U64_MAX - take(in) : how & 64 ? 1 : 0;
	struct frame *frame;

	if (how & 128)
		count = how & 7;
	frame = frame_submit(queue, program ? program->id : graves[0], count,
			     timeout);
	for (i = 0; i < count; i++)
		take_binding(in, frame, program, i);
	return frame;
}

static struct frame *take_object(struct input *in, u16 opcode)
{
	static const enum model_kind kinds[] = {
		[2] = MODEL_CONTEXT, [4] = MODEL_BUFFER, [8] = MODEL_PROGRAM,
		[10] = MODEL_QUEUE, [12] = MODEL_EVENT, [13] = MODEL_EVENT,
		[14] = MODEL_EVENT,
	};
	struct frame *frame = frame_new(opcode);
	u32 i;

	for (i = 0; opcodes[i] != opcode; i++)
		;
	frame_add(frame, take_id(in, kinds[i]), 8);
	return frame;
}

static struct frame *take_frame(struct input *in, u16 opcode)
{
	struct frame *frame;

	switch (opcode) {
	case VIRTIO_ACCEL_OP_GET_DEVICE_INFO:
		return frame_new(opcode);
	case VIRTIO_ACCEL_OP_CREATE_CONTEXT:
		frame = frame_new(opcode);
		frame_add(frame, 0, 8);
		return frame;
	case VIRTIO_ACCEL_OP_CREATE_QUEUE:
		frame = frame_new(opcode);
		frame_add(frame, take_id(in, MODEL_CONTEXT), 8);
		frame_add(frame, 0, 8);
		return frame;
	case VIRTIO_ACCEL_OP_ALLOCATE_BUFFER:
		return take_buffer(in);
	case VIRTIO_ACCEL_OP_WRITE_BUFFER:
	case VIRTIO_ACCEL_OP_READ_BUFFER:
		return take_transfer(in, opcode);
	case VIRTIO_ACCEL_OP_LOAD_PROGRAM:
		return take_program(in);
	case VIRTIO_ACCEL_OP_SUBMIT:
		return take_submit(in);
	default:
		return take_object(in, opcode);
	}
}

static void damage(struct input *in, struct frame *frame)
{
	u8 how = take(in);
	u32 i;

	if (how & 1 && frame->bytes)
		frame->payload[take_bytes(in, 2) % frame->bytes] ^= take(in);
	if (how & 2)
		frame->bytes -= take(in) % (frame->bytes + 1);
	if (how & 4) {
		for (i = take(in); i; i--)
			frame_add(frame, how, 1);
	}
	if (how & 8)
		frame->flags = take_bytes(in, 2);
	if (how & 16)
		frame->opcode = take_bytes(in, 2);
	if (how & 32)
		frame->lie = (s8)take(in);
	if (how & 64)
		frame->no_id = true;
}

static u32 pieces(u32 bytes, u32 first, u32 each)
{
	u32 count = 0;

	if (first && bytes) {
		bytes -= min_t(u32, first, bytes);
		count++;
	}
	return count + (each ? (bytes + each - 1) / each : !!bytes);
}

/* How the chain is cut, and how much room there is in it. */
static u32 take_cut(struct input *in, struct cut *cut, u32 bytes)
{
	u8 how = take(in);
	u32 readable, writable;

	memset(cut, 0, sizeof(*cut));
	cut->room = how & 1 ? take(in) : config.max_response;
	cut->none = !cut->room;
	if (how & 2)
		cut->readable = 1 + take(in);
	if (how & 4)
		cut->writable = 1 + take(in);
	if (how & 8)
		cut->first_readable = take(in);
	if (how & 16)
		cut->first_writable = take(in);
	readable = pieces(bytes, cut->first_readable, cut->readable);
	writable = pieces(cut->room, cut->first_writable, cut->writable);
	return readable + writable;
}

static void wait_for(struct model_object *event)
{
	u16 error;

	EXPECT_EQ(rig_wait(&rig, event->id, &error), event->state);
	EXPECT_EQ(error, event->error);
}

static void learn(const struct reply *reply)
{
	struct model_object *object = model_created(&model, reply->object);
	struct eng_device *engine;

	graves[buried++ % GRAVES] = reply->object;
	if (object->kind != MODEL_EVENT)
		return;
	engine = eng_port_engine_get(rig.port);
	object->sequence = eng_harness_newest(engine);
	eng_port_engine_put(rig.port);
	if (!model.hold)
		wait_for(object);
}

static void do_request(struct input *in, u16 opcode)
{
	static struct model_answer answer;
	static struct reply reply;
	static u8 raw[8192];
	struct frame *frame = take_frame(in, opcode);
	struct virtio_accel_req_hdr header;
	u32 bytes, descriptors;
	struct cut cut = {};
	u8 bad = take(in);

	if (bad & 1)
		damage(in, frame);
	bytes = sizeof(header) + frame->bytes;
	header.opcode = cpu_to_le16(frame->opcode);
	header.flags = cpu_to_le16(frame->flags);
	header.payload_bytes = cpu_to_le32(frame->bytes + frame->lie);
	header.request_id = cpu_to_le64(frame->no_id ? 0 : rig.next_request++);
	REQUIRE(bytes <= sizeof(raw));
	memcpy(raw, &header, sizeof(header));
	memcpy(raw + sizeof(header), frame->payload, frame->bytes);
	free(frame);
	if (bad & 2)
		bytes -= take(in) % (bytes + 1);
	descriptors = take_cut(in, &cut, bytes);

	model_request(&model, raw, bytes, descriptors, cut.room, &answer);
	if (answer.unknown)
		return;
	rig_send_raw(&rig, raw, bytes, &cut, &reply);
	if (answer.silent) {
		EXPECT_EQ(reply.used, 0);
		return;
	}
	EXPECT_EQ(reply.status, answer.status);
	EXPECT_EQ(reply.payload_bytes, answer.bytes);
	if (answer.creates)
		learn(&reply);
	else
		EXPECT(!memcmp(reply.bytes + 16, answer.payload, answer.bytes));
}

/* All that pends may execute, each queue in order. */
static void do_let_go(void)
{
	struct model_object *events[MODEL_OBJECTS];
	u32 count = 0, i;

	/* Queues among each other have no order: only one may have something. */
	while ((events[count] = model_pending(&model, count))) {
		if (events[count]->queue != events[0]->queue)
			return;
		count++;
	}
	model.hold = false;
	rig_hold(&rig, false);
	for (i = 0; i < count; i++)
		model_execute(&model, events[i]);
	for (i = 0; i < count; i++)
		wait_for(events[i]);
}

static void do_end(struct input *in, enum action action)
{
	struct model_object *event = model_pending(&model, take(in) % 8);
	struct eng_device *engine;
	u16 error;

	if (!event)
		return;
	engine = eng_port_engine_get(rig.port);
	if (action == ACT_COMPLETE) {
		EXPECT_EQ(eng_harness_complete(engine, event->sequence), OK);
		model_execute(&model, event);
	} else {
		error = 1 + take(in) % STALE;
		EXPECT_EQ(eng_harness_fail(engine, event->sequence, error), OK);
		model_fail(event, error);
	}
	eng_port_engine_put(rig.port);
}

/* The device counts what the model has. */
static void do_compare(void)
{
	struct eng_port_stats stats;
	u32 kind;

	eng_port_stats(rig.port, &stats);
	for (kind = MODEL_CONTEXT; kind < MODEL_KINDS; kind++)
		EXPECT_EQ(stats.live[kind], model_count(&model, kind));
	EXPECT_EQ(stats.quarantined, 0);
	EXPECT_EQ(stats.lost, model.lost);
}

static void do_action(struct input *in, enum action action)
{
	switch (action) {
	case ACT_HOLD:
		model.hold = true;
		rig_hold(&rig, true);
		break;
	case ACT_LET_GO:
		do_let_go();
		break;
	case ACT_COMPLETE:
	case ACT_FAIL:
		do_end(in, action);
		break;
	case ACT_LOSE:
		model_lose(&model);
		eng_port_lose(rig.port);
		break;
	case ACT_RESET:
		model_reset(&model);
		eng_port_reset(rig.port);
		break;
	case ACT_COMPARE:
		do_compare();
		break;
	default:
		do_request(in, opcodes[action]);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	struct eng_audit audit;
	u32 i;

	memset(graves, 0, sizeof(graves));
	buried = 0;
	rig.next_request = 1;
	model.hold = take(&in) & 1;
	rig_hold(&rig, model.hold);

	for (i = 0; i < MAX_ACTIONS && in.left; i++)
		do_action(&in, take(&in) % ACT_COUNT);
	do_compare();

	/* A reset costs much less than another port. */
	eng_port_reset(rig.port);
	model_reset(&model);
	do_compare();
	eng_faults_audit(eng_port_faults(rig.port), &audit);
	EXPECT_EQ(audit.double_release, 0);
	EXPECT_EQ(audit.use_after_release, 0);
	EXPECT_EQ(audit.parent_before_child, 0);
	return 0;
}
