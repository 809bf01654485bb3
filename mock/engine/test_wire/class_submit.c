// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The classification of refusals: submissions.
 */
#include "class.h"

static u64 buffer, other, program;

static void begin(struct rig *rig)
{
	rig_make(rig, NULL);
	buffer = rig_buffer(rig, 4096, USAGE_ALL);
	other = rig_buffer(rig, 4096, USAGE_ALL);
	program = rig_program(rig, VACC_REF_OP_FILL, 0x33);
}

static struct frame *good_submit(struct rig *rig)
{
	struct frame *frame = frame_submit(rig->queue, program, 1, 0);

	frame_bind(frame, buffer, 0, 4096, 0, WRITE_ONLY);
	return frame;
}

static struct frame *many_bindings(struct rig *rig, u32 count)
{
	struct frame *frame = frame_submit(rig->queue, program, count, 0);
	u32 i;

	for (i = 0; i < count; i++)
		frame_bind(frame, buffer, i, 1, 1000 - i, READ_ONLY);
	return frame;
}

TEST(submit_scalars)
{
	struct frame *frame;
	struct rig rig;
	u32 i;

	begin(&rig);
	RULE("flag of a submission: UNSUPPORTED");
	for (i = 0; i < 32; i++)
		REFUSED(&rig, frame_with(good_submit(&rig), SUBMIT_FLAGS,
					 1U << i, 4), UNSUPPORTED);

	RULE("reserved of a binding: INVALID_ARGUMENT");
	for (i = 0; i < 24; i++)
		REFUSED(&rig, frame_with(good_submit(&rig),
					 BIND_RESERVED + i / 8, 1 << (i % 8), 1),
			INVALID);

	RULE("access of a binding: INVALID_ARGUMENT");
	for (i = 0; i < 256; i++) {
		if (i < 1 || i > 3)
			REFUSED(&rig, frame_with(good_submit(&rig), BIND_ACCESS,
						 i, 1), INVALID);
	}

	RULE("zero in a submission: INVALID_ARGUMENT");
	REFUSED(&rig, frame_submit(rig.queue, program, 0, 0), INVALID);
	REFUSED(&rig, frame_with(good_submit(&rig), SUBMIT_QUEUE, 0, 8), INVALID);
	REFUSED(&rig, frame_with(good_submit(&rig), SUBMIT_PROGRAM, 0, 8),
		INVALID);
	REFUSED(&rig, frame_with(good_submit(&rig), BIND, 0, 8), INVALID);
	REFUSED(&rig, frame_with(good_submit(&rig), BIND_BYTES, 0, 8), INVALID);

	RULE("overflow of a binding: INVALID_ARGUMENT");
	REFUSED(&rig, frame_with(good_submit(&rig), BIND_OFFSET, U64_MAX - 4094,
				 8), INVALID);
	REFUSED(&rig, frame_with(frame_with(good_submit(&rig), BIND_OFFSET, 1, 8),
				 BIND_BYTES, U64_MAX, 8), INVALID);

	RULE("bindings that are not there, or too many: INVALID_ARGUMENT");
	REFUSED(&rig, frame_with(good_submit(&rig), SUBMIT_COUNT, 2, 4), INVALID);
	REFUSED(&rig, frame_with(good_submit(&rig), SUBMIT_COUNT, 256, 4),
		INVALID);
	frame = good_submit(&rig);
	frame_bind(frame, other, 0, 1, 1, READ_ONLY);
	REFUSED(&rig, frame, INVALID);

	RULE("duplicate slot: INVALID_ARGUMENT");
	frame = frame_submit(rig.queue, program, 2, 0);
	frame_bind(frame, buffer, 0, 1, 7, READ_ONLY);
	frame_bind(frame, other, 0, 1, 7, READ_ONLY);
	REFUSED(&rig, frame, INVALID);
	REFUSED(&rig, frame_with(many_bindings(&rig, 256),
				 BIND_SLOT + 32 * 255, 1000, 4), INVALID);
	REFUSED(&rig, frame_with(many_bindings(&rig, 256), BIND_SLOT + 32 * 17,
				 1000 - 201, 4), INVALID);
	rig_free(&rig);
}

TEST(submit_limits)
{
	static const u32 counts[] = { 257, 4096, 4097, 0x08000000, 0x08000001,
				      0xffffffff };
	struct rig rig;
	u32 i;

	begin(&rig);
	RULE("more bindings than max_bindings: RESOURCE_LIMIT");
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		REFUSED(&rig, frame_with(good_submit(&rig), SUBMIT_COUNT,
					 counts[i], 4), RESOURCE_LIMIT);
	REFUSED(&rig, many_bindings(&rig, 257), RESOURCE_LIMIT);
	/* As many as allowed get to the backend, which has but one slot. */
	EXPECT_EQ(rig_send(&rig, many_bindings(&rig, 256), NULL, NULL),
		  INCOMPATIBLE);
	rig_free(&rig);
}

TEST(submit_ranges)
{
	static const struct {
		u64 offset, bytes;
		u32 status;
	} cases[] = {
		{ 0, 4096, OK }, { 4095, 1, OK },
		{ 4095, 2, OUT_OF_BOUNDS }, { 4096, 1, OUT_OF_BOUNDS },
		{ 0, 4097, OUT_OF_BOUNDS }, { 1ULL << 32, 1, OUT_OF_BOUNDS },
		{ 1ULL << 32, 1ULL << 32, OUT_OF_BOUNDS },
		{ 8, 1ULL << 63, OUT_OF_BOUNDS },
		{ U64_MAX - 1, 1, OUT_OF_BOUNDS },
	};
	static struct reply reply;
	struct rig rig;
	u32 i;

	begin(&rig);
	RULE("binding outside its buffer: OUT_OF_BOUNDS");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct frame *frame = good_submit(&rig);

		NOTE("case %u", i);
		frame_set(frame, BIND_OFFSET, cases[i].offset, 8);
		frame_set(frame, BIND_BYTES, cases[i].bytes, 8);
		if (cases[i].status) {
			REFUSED(&rig, frame, cases[i].status);
			continue;
		}
		EXPECT_EQ(rig_send(&rig, frame, NULL, &reply), OK);
		EXPECT_EQ(rig_wait(&rig, reply.object, NULL), COMPLETE);
		EXPECT_EQ(rig_object(&rig, 0x0503, reply.object), OK);
	}
	rig_free(&rig);
}

/* Usages by accesses; what the program itself needs comes after that. */
TEST(submit_permissions)
{
	struct frame *frame;
	struct rig rig;
	u32 usage, access, status;

	begin(&rig);
	RULE("usage does not allow the access: PERMISSION_DENIED");
	for (usage = 1; usage <= USAGE_ALL; usage++) {
		buffer = rig_buffer(&rig, 64, usage);
		for (access = 1; access <= 3; access++) {
			bool mutable = usage & 0x10;
			bool input = (usage & 4) || mutable;
			bool output = (usage & 8) || mutable;
			bool allowed = access == READ_ONLY ? input :
				       access == WRITE_ONLY ? output : mutable;
			static struct reply reply;

			NOTE("usage %x, access %u", usage, access);
			frame = frame_submit(rig.queue, program, 1, 0);
			frame_bind(frame, buffer, 0, 64, 0, access);
			if (!allowed) {
				REFUSED(&rig, frame, DENIED);
				continue;
			}
			status = rig_send(&rig, frame, NULL, &reply);
			EXPECT_EQ(status, access == READ_ONLY ? INCOMPATIBLE :
				  access == WRITE_ONLY ? OK : status);
			EXPECT(status != DENIED);
			if (!status) {
				EXPECT_EQ(rig_wait(&rig, reply.object, NULL),
					  COMPLETE);
				EXPECT_EQ(rig_object(&rig, 0x0503, reply.object),
					  OK);
			}
		}
		EXPECT_EQ(rig_object(&rig, 0x0201, buffer), OK);
	}
	rig_free(&rig);
}

TEST(submit_objects)
{
	struct frame *frame;
	struct rig rig, foreign;
	u64 gone;

	begin(&rig);
	foreign = rig;
	foreign.context = rig_context(&rig);
	foreign.queue = rig_queue(&foreign);

	RULE("other context's object in a submission: STALE_OBJECT");
	REFUSED(&rig, frame_with(good_submit(&rig), SUBMIT_QUEUE, foreign.queue,
				 8), STALE);
	REFUSED(&rig, frame_with(good_submit(&rig), SUBMIT_PROGRAM,
				 rig_program(&foreign, 2, 1), 8), STALE);
	REFUSED(&rig, frame_with(good_submit(&rig), BIND,
				 rig_buffer(&foreign, 4096, USAGE_ALL), 8),
		STALE);

	RULE("wrong kind of object in a submission: STALE_OBJECT");
	REFUSED(&rig, frame_with(good_submit(&rig), SUBMIT_QUEUE, program, 8),
		STALE);
	REFUSED(&rig, frame_with(good_submit(&rig), SUBMIT_PROGRAM, rig.queue, 8),
		STALE);
	REFUSED(&rig, frame_with(good_submit(&rig), BIND, rig.context, 8), STALE);

	RULE("stale object in a submission: STALE_OBJECT");
	gone = rig_buffer(&rig, 4096, USAGE_ALL);
	EXPECT_EQ(rig_object(&rig, 0x0201, gone), OK);
	REFUSED(&rig, frame_with(good_submit(&rig), BIND, gone, 8), STALE);
	/* The second of two, the first being good. */
	frame = frame_submit(rig.queue, program, 2, 0);
	frame_bind(frame, buffer, 0, 1, 0, WRITE_ONLY);
	frame_bind(frame, gone, 0, 1, 1, WRITE_ONLY);
	REFUSED(&rig, frame, STALE);
	/* All are looked up before any range is looked at. */
	frame = frame_submit(rig.queue, program, 2, 0);
	frame_bind(frame, buffer, 4096, 1, 0, WRITE_ONLY);
	frame_bind(frame, gone, 0, 1, 1, WRITE_ONLY);
	REFUSED(&rig, frame, STALE);
	rig_free(&rig);
}
