// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The classification of refusals, but for submissions; and the order of checks.
 */
#include "class.h"

static const u16 opcodes[] = {
	0x0001, 0x0100, 0x0101, 0x0200, 0x0201, 0x0202, 0x0203, 0x0300, 0x0301,
	0x0400, 0x0401, 0x0500, 0x0501, 0x0502, 0x0503,
};

/* Those whose payload is an object, and the kind of it. */
static const struct {
	u16 opcode;
	enum eng_kind kind;
} object_opcodes[] = {
	{ 0x0101, ENG_KIND_CONTEXT },
	{ 0x0201, ENG_KIND_BUFFER },
	{ 0x0301, ENG_KIND_IMAGE },
	{ 0x0401, ENG_KIND_QUEUE },
	{ 0x0501, ENG_KIND_EVENT },
	{ 0x0502, ENG_KIND_EVENT },
	{ 0x0503, ENG_KIND_EVENT },
};

static struct frame *context_frame(u32 flags, u32 reserved)
{
	struct frame *frame = frame_new(VIRTIO_ACCEL_OP_CREATE_CONTEXT);

	frame_add(frame, flags, 4);
	frame_add(frame, reserved, 4);
	return frame;
}

static struct frame *queue_frame(u64 context, u32 flags, u32 reserved)
{
	struct frame *frame = frame_new(VIRTIO_ACCEL_OP_CREATE_QUEUE);

	frame_add(frame, context, 8);
	frame_add(frame, flags, 4);
	frame_add(frame, reserved, 4);
	return frame;
}

static struct frame *good_buffer(struct rig *rig)
{
	return frame_buffer(rig->context, 4096, 64, HOST, USAGE_ALL);
}

static struct frame *good_program(struct rig *rig)
{
	return frame_program(rig->context, VACC_REF_OP_FILL, 1);
}

TEST(class_unknown)
{
	struct snapshot before;
	struct rig rig;
	u32 opcode, i;

	rig_make(&rig, NULL);
	RULE("unknown opcode: UNSUPPORTED");
	rig_snapshot(&rig, &before);
	for (opcode = 0; opcode <= 0xffff; opcode++) {
		for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
			if (opcodes[i] == opcode)
				break;
		}
		if (i == ARRAY_SIZE(opcodes))
			EXPECT_EQ(rig_send(&rig, frame_new(opcode),
					   &(struct cut){ .room = 16 }, NULL),
				  UNSUPPORTED);
	}
	EXPECT_UNCHANGED(&rig, &before);

	RULE("flag in the header: UNSUPPORTED");
	for (i = 0; i < ARRAY_SIZE(opcodes) * 16; i++) {
		struct frame *frame = frame_new(opcodes[i / 16]);

		frame->flags = 1 << (i % 16);
		REFUSED(&rig, frame, UNSUPPORTED);
	}

	RULE("flag of a request: UNSUPPORTED");
	for (i = 0; i < 32; i++) {
		REFUSED(&rig, context_frame(1U << i, 0), UNSUPPORTED);
		REFUSED(&rig, queue_frame(rig.context, 1U << i, 0), UNSUPPORTED);
		REFUSED(&rig, frame_with(good_program(&rig), LOAD_FLAGS,
					 1U << i, 4), UNSUPPORTED);
	}

	RULE("unknown usage bit: UNSUPPORTED");
	for (i = 5; i < 32; i++)
		REFUSED(&rig, frame_with(good_buffer(&rig), BUFFER_USAGE,
					 1U << i | USAGE_ALL, 4), UNSUPPORTED);
	rig_free(&rig);
}

/* Every length but the right one; payload_bytes says the truth, or lies. */
TEST(class_lengths)
{
	const struct sample *sample;
	struct rig rig;
	s32 by;

	rig_make(&rig, NULL);
	for (sample = samples; sample->name; sample++) {
		RULE("length of %s: INVALID_ARGUMENT", sample->name);
		for (by = -(s32)sample->request_bytes; by <= 32; by++) {
			struct frame *frame;

			if (!by)
				continue;
			NOTE("%d bytes too many", by);
			frame = sample->build(&rig);
			frame->bytes += by;
			if (by > 0)
				memset(frame->payload + sample->request_bytes, 0,
				       by);
			REFUSED(&rig, frame, INVALID);

			frame = sample->build(&rig);
			frame->lie = by;
			REFUSED(&rig, frame, INVALID);
			rig_restart(&rig);
		}
	}
	rig_free(&rig);
}

TEST(class_reserved)
{
	struct rig rig;
	u32 i;

	rig_make(&rig, NULL);
	RULE("reserved not zero: INVALID_ARGUMENT");
	for (i = 0; i < 32; i++) {
		REFUSED(&rig, context_frame(0, 1U << i), INVALID);
		REFUSED(&rig, queue_frame(rig.context, 0, 1U << i), INVALID);
		REFUSED(&rig, frame_with(good_buffer(&rig), 36, 1U << i, 4),
			INVALID);
	}
	for (i = 0; i < 56; i++)
		REFUSED(&rig, frame_with(good_buffer(&rig), 25 + i / 8,
					 1 << (i % 8), 1), INVALID);
	rig_free(&rig);
}

TEST(class_scalars)
{
	static const u64 bad_alignments[] = {
		0, 3, 5, 6, 7, 24, 4095, 4097, (1ULL << 63) + 1, U64_MAX,
	};
	struct frame *frame;
	struct rig rig;
	u64 buffer;
	u32 i;

	rig_make(&rig, NULL);
	buffer = rig_buffer(&rig, 4096, USAGE_ALL);

	RULE("bad scalar: INVALID_ARGUMENT");
	for (i = 0; i < 256; i++) {
		if (i < 1 || i > 3)
			REFUSED(&rig, frame_with(good_buffer(&rig),
						 BUFFER_DOMAIN, i, 1), INVALID);
	}
	for (i = 0; i < ARRAY_SIZE(bad_alignments); i++)
		REFUSED(&rig, frame_with(good_buffer(&rig), BUFFER_ALIGNMENT,
					 bad_alignments[i], 8), INVALID);

	RULE("zero where it must not be: INVALID_ARGUMENT");
	REFUSED(&rig, frame_with(good_buffer(&rig), BUFFER_BYTES, 0, 8), INVALID);
	REFUSED(&rig, frame_with(good_buffer(&rig), BUFFER_USAGE, 0, 4), INVALID);
	REFUSED(&rig, frame_transfer(0x0202, buffer, 0, 0), INVALID);
	REFUSED(&rig, frame_transfer(0x0203, buffer, 0, 0), INVALID);
	frame = frame_with(good_program(&rig), LOAD_PAYLOAD, 0, 8);
	frame->bytes = 80;
	REFUSED(&rig, frame, INVALID);
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		frame = frame_new(opcodes[i]);
		frame->no_id = true;
		REFUSED(&rig, frame, INVALID);
	}
	frame = context_frame(0, 0);
	frame->no_id = true;
	REFUSED(&rig, frame, INVALID);

	RULE("zero object: INVALID_ARGUMENT");
	for (i = 0; i < ARRAY_SIZE(object_opcodes); i++)
		REFUSED(&rig, frame_object(object_opcodes[i].opcode, 0), INVALID);
	REFUSED(&rig, frame_with(good_buffer(&rig), BUFFER_CONTEXT, 0, 8),
		INVALID);
	REFUSED(&rig, frame_with(good_program(&rig), LOAD_CONTEXT, 0, 8),
		INVALID);
	REFUSED(&rig, queue_frame(0, 0, 0), INVALID);
	REFUSED(&rig, frame_transfer(0x0203, 0, 0, 1), INVALID);
	frame = frame_transfer(0x0202, 0, 0, 1);
	frame_add(frame, 0, 1);
	REFUSED(&rig, frame, INVALID);

	RULE("arithmetic overflow: INVALID_ARGUMENT");
	REFUSED(&rig, frame_transfer(0x0203, buffer, U64_MAX, 1), INVALID);
	REFUSED(&rig, frame_transfer(0x0203, buffer, U64_MAX - 3, 8), INVALID);
	REFUSED(&rig, frame_transfer(0x0203, buffer, 8, U64_MAX - 3), INVALID);
	REFUSED(&rig, frame_transfer(0x0203, buffer, 1ULL << 63, 1ULL << 63),
		INVALID);
	frame = frame_transfer(0x0202, buffer, U64_MAX, 1);
	frame_add(frame, 0, 1);
	REFUSED(&rig, frame, INVALID);
	REFUSED(&rig, frame_transfer(0x0202, buffer, 0, U64_MAX), INVALID);
	REFUSED(&rig, frame_with(good_program(&rig), LOAD_PAYLOAD,
				 U64_MAX - 79, 8), INVALID);
	REFUSED(&rig, frame_with(good_program(&rig), LOAD_PAYLOAD,
				 24 + (1ULL << 32), 8), INVALID);
	rig_free(&rig);
}

TEST(class_ranges)
{
	static const struct {
		u64 offset, bytes;
		u32 status;
	} cases[] = {
		{ 0, 4096, OK }, { 4095, 1, OK }, { 0, 1, OK },
		{ 4095, 2, OUT_OF_BOUNDS }, { 4096, 1, OUT_OF_BOUNDS },
		{ 4097, 1, OUT_OF_BOUNDS }, { 0, 4097, OUT_OF_BOUNDS },
		{ U64_MAX - 1, 1, OUT_OF_BOUNDS },
		{ 1ULL << 32, 1, OUT_OF_BOUNDS },
		{ 1ULL << 63, 1, OUT_OF_BOUNDS },
		{ 1ULL << 32, 4096, OUT_OF_BOUNDS },
	};
	static u8 data[8192];
	struct frame *frame;
	struct rig rig;
	u64 below, buffer, above;
	u32 i, j;

	rig_make(&rig, NULL);
	below = rig_buffer(&rig, 4096, USAGE_ALL);
	buffer = rig_buffer(&rig, 4096, USAGE_ALL);
	above = rig_buffer(&rig, 4096, USAGE_ALL);

	RULE("range outside its buffer: OUT_OF_BOUNDS");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		NOTE("%llu, %llu", (long long)cases[i].offset,
		     (long long)cases[i].bytes);
		memset(data, 0x11 + i, sizeof(data));
		frame = frame_transfer(0x0202, buffer, cases[i].offset,
				       cases[i].bytes);
		frame_add_bytes(frame, data, cases[i].bytes);
		if (cases[i].status)
			REFUSED(&rig, frame, cases[i].status);
		else
			EXPECT_EQ(rig_send(&rig, frame, NULL, NULL), OK);
		frame = frame_transfer(0x0203, buffer, cases[i].offset,
				       cases[i].bytes);
		if (cases[i].status)
			REFUSED(&rig, frame, cases[i].status);
		else
			EXPECT_EQ(rig_send(&rig, frame, NULL, NULL), OK);
	}
	/* What was refused has written nothing, and the neighbours are as new. */
	EXPECT_EQ(rig_read(&rig, buffer, 0, data, 4096), OK);
	EXPECT(data[0] == 0x13 && data[1] == 0x11 && data[4094] == 0x11 &&
	       data[4095] == 0x12);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(rig_read(&rig, i ? below : above, 0, data, 4096), OK);
		for (j = 0; j < 4096 && !data[j]; j++)
			;
		EXPECT_EQ(j, 4096);
	}
	rig_free(&rig);
}

TEST(class_permissions)
{
	struct frame *frame;
	struct rig rig;
	u64 buffer;
	u32 usage;

	rig_make(&rig, NULL);
	RULE("usage does not allow the transfer: PERMISSION_DENIED");
	for (usage = 1; usage <= USAGE_ALL; usage++) {
		NOTE("usage %x", usage);
		buffer = rig_buffer(&rig, 16, usage);
		frame = frame_transfer(0x0202, buffer, 0, 1);
		frame_add(frame, 0x42, 1);
		if (usage & VIRTIO_ACCEL_USAGE_TRANSFER_DST)
			EXPECT_EQ(rig_send(&rig, frame, NULL, NULL), OK);
		else
			REFUSED(&rig, frame, DENIED);
		frame = frame_transfer(0x0203, buffer, 0, 1);
		if (usage & VIRTIO_ACCEL_USAGE_TRANSFER_SRC)
			EXPECT_EQ(rig_send(&rig, frame, NULL, NULL), OK);
		else
			REFUSED(&rig, frame, DENIED);
		EXPECT_EQ(rig_object(&rig, 0x0201, buffer), OK);
	}
	/* A range that is wrong as well comes first. */
	buffer = rig_buffer(&rig, 16, VIRTIO_ACCEL_USAGE_INPUT);
	frame = frame_transfer(0x0202, buffer, 16, 1);
	frame_add(frame, 0x42, 1);
	REFUSED(&rig, frame, OUT_OF_BOUNDS);
	REFUSED(&rig, frame_transfer(0x0203, buffer, 0, 17), OUT_OF_BOUNDS);
	EXPECT_EQ(rig_object(&rig, 0x0201, buffer), OK);
	EXPECT_CLEAN(&rig);
	rig_free(&rig);
}

TEST(class_domains)
{
	static const u64 caps[] = {
		0, VIRTIO_ACCEL_CAP_HOST_MEMORY, VIRTIO_ACCEL_CAP_DEVICE_MEMORY,
		VIRTIO_ACCEL_CAP_SHARED_MEMORY,
	};
	struct rig rig;
	u32 has, domain;

	RULE("memory domain without its capability: UNSUPPORTED");
	for (has = 1; has <= 3; has++) {
		struct eng_port_config config = default_config;

		config.capabilities = caps[has];
		rig_make(&rig, &config);
		for (domain = 1; domain <= 3; domain++) {
			struct frame *frame = frame_buffer(rig.context, 16, 1,
							   domain, USAGE_ALL);

			if (domain == has)
				EXPECT_EQ(rig_send(&rig, frame, NULL, NULL), OK);
			else
				REFUSED(&rig, frame, UNSUPPORTED);
		}
		rig_free(&rig);
	}

	RULE("cancellation without its capability: UNSUPPORTED");
	rig_make(&rig, &(struct eng_port_config){
			 .name = "test",
			 .limits = default_config.limits,
			 .capabilities = VIRTIO_ACCEL_CAP_HOST_MEMORY,
			 .max_chain = 2,
			 .max_request = 0x10000,
			 .max_response = 0x10000,
			 .max_buffer_memory = 1 << 20,
			 .max_program_memory = 1 << 20,
		 });
	rig_hold(&rig, true);
	REFUSED(&rig, frame_object(VIRTIO_ACCEL_OP_CANCEL_EVENT,
				   rig_submit(&rig, rig_program(&rig, 2, 1),
					      rig_buffer(&rig, 64, USAGE_ALL),
					      64, 0)), UNSUPPORTED);
	rig_free(&rig);
}

/* Two faults in one request: the earlier check answers. */
TEST(class_order)
{
	const struct sample *sample;
	struct cut small = { .room = 16 };
	struct frame *frame;
	struct rig rig;

	rig_make(&rig, NULL);
	RULE("order of checks");

	/* Length before opcode, opcode before flags, flags before the payload. */
	frame = frame_new(0xdead);
	frame->lie = 1;
	REFUSED(&rig, frame, INVALID);
	frame = frame_new(0xdead);
	frame->flags = 1;
	REFUSED(&rig, frame, UNSUPPORTED);
	frame = frame_new(VIRTIO_ACCEL_OP_CREATE_CONTEXT);
	frame->flags = 1;
	REFUSED(&rig, frame, UNSUPPORTED);

	/* The size limit before the length. */
	frame = frame_new(0xdead);
	frame->bytes = default_config.max_request - 16 + 1;
	frame->lie = 5;
	REFUSED(&rig, frame, RESOURCE_LIMIT);

	/* Scalars before the room for the answer, that before objects. */
	REFUSED_CUT(&rig, frame_with(good_buffer(&rig), BUFFER_ALIGNMENT, 3, 8),
		    &small, INVALID);
	REFUSED_CUT(&rig, frame_with(good_buffer(&rig), BUFFER_CONTEXT, 77, 8),
		    &small, NO_ANSWER);
	REFUSED_CUT(&rig, frame_object(VIRTIO_ACCEL_OP_POLL_EVENT, 77), &small,
		    NO_ANSWER);
	REFUSED_CUT(&rig, frame_object(VIRTIO_ACCEL_OP_DESTROY_EVENT, 77),
		    &small, STALE);
	/* Quotas before objects. */
	REFUSED(&rig, frame_with(frame_with(good_buffer(&rig), BUFFER_CONTEXT,
					    77, 8), BUFFER_BYTES,
				 default_config.limits.max_buffer_bytes + 1, 8),
		RESOURCE_LIMIT);
	/* Objects before preconditions. */
	REFUSED(&rig, frame_transfer(0x0203, 77, 1 << 30, 1), STALE);

	RULE("fewer than 16 writable bytes: no answer");
	for (sample = samples; sample->name; sample++) {
		frame = sample->build(&rig);
		frame->flags = 1;
		small.room = 15;
		REFUSED_CUT(&rig, frame, &small, NO_ANSWER);
		small.room = 16;
		frame = sample->build(&rig);
		frame->flags = 1;
		REFUSED_CUT(&rig, frame, &small, UNSUPPORTED);
		rig_restart(&rig);
	}

	RULE("no writable part: no answer");
	REFUSED_CUT(&rig, context_frame(0, 0), &(struct cut){ .none = true },
		    NO_ANSWER);
	rig_free(&rig);
}

TEST(class_short_header)
{
	static const u8 zero[16];
	struct snapshot before;
	struct rig rig;
	u32 bytes;

	RULE("truncated header: no answer");
	rig_make(&rig, NULL);
	rig_snapshot(&rig, &before);
	for (bytes = 0; bytes < 16; bytes++) {
		EXPECT_EQ(rig_send_raw(&rig, zero, bytes, NULL, NULL),
			  NO_ANSWER);
		EXPECT_EQ(rig_send_raw(&rig, zero, bytes,
				       &(struct cut){ .readable = 1 }, NULL),
			  NO_ANSWER);
	}
	EXPECT_UNCHANGED(&rig, &before);
	rig_free(&rig);
}
