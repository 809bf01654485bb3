// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The 24-byte format (M5, M6, M7).
 */
#include "build.h"
#include "test.h"

/* M5: the bytes are public. */
TEST(ref_bytes)
{
	static const struct {
		const char *name;
		u8 bytes[24];
		u8 op;
		u32 first, second;
		u8 operand;
	} known[] = {
		{ "barrier at 9", { 0x56, 0x41, 0x4d, 0x4b, 1, 0, 0, 1, 9, 0, 0, 0,
				    0xff, 0xff, 0xff, 0xff }, 0, 9, NONE, 0 },
		{ "copy 2 to 7", { 0x56, 0x41, 0x4d, 0x4b, 1, 0, 1, 1, 2, 0, 0, 0,
				   7, 0, 0, 0 }, 1, 2, 7, 0 },
		{ "fill 0x01020304", { 0x56, 0x41, 0x4d, 0x4b, 1, 0, 2, 1, 4, 3, 2, 1,
				       0xff, 0xff, 0xff, 0xff, 0xa5 }, 2, 0x01020304, NONE,
		  0xa5 },
		{ "xor 4", { 0x56, 0x41, 0x4d, 0x4b, 1, 0, 3, 1, 4, 0, 0, 0,
			     0xff, 0xff, 0xff, 0xff, 0x5a }, 3, 4, NONE, 0x5a },
		{ "copy from the last slot", { 0x56, 0x41, 0x4d, 0x4b, 1, 0, 1, 1,
					       0xff, 0xff, 0xff, 0xff }, 1, NONE, 0, 0 },
		{ "fill of the last slot", { 0x56, 0x41, 0x4d, 0x4b, 1, 0, 2, 1, 0xff,
					     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
		  2, NONE, NONE, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct artifact a = artifact_copy(known[i].bytes, 24, 64);
		struct artifact b = ref_artifact(known[i].op, known[i].first,
						 known[i].second, known[i].operand);
		struct eng_program *program;
		struct eng_reason reason;

		CASE("%s", known[i].name);
		CHECK(!memcmp(a.bytes, b.bytes, 24));
		CHECK_EQ(load_ref(&a, &program, &reason), OK);
		eng_program_free(program);
		artifact_free(&b);
		artifact_free(&a);
	}
}

/* M5: one fault at a time, and which goes first. */
TEST(ref_statuses)
{
	static const struct {
		const char *name;
		u8 op;
		u8 at[2];
		u8 value[2];
		u16 want;
	} rows[] = {
		{ "magic", 0, { 0 }, { 'v' }, INVALID },
		{ "last of the magic", 0, { 3 }, { 'k' }, INVALID },
		{ "major", 0, { 4 }, { 2 }, INCOMPATIBLE },
		{ "major 0", 0, { 4 }, { 0 }, INCOMPATIBLE },
		{ "minor", 0, { 5 }, { 1 }, INCOMPATIBLE },
		{ "operation 4", 0, { 6 }, { 4 }, UNSUPPORTED },
		{ "operation 255", 0, { 6 }, { 255 }, UNSUPPORTED },
		{ "binding ABI", 0, { 7 }, { 2 }, INCOMPATIBLE },
		{ "second slot of a barrier", 0, { 12 }, { 0 }, INVALID },
		{ "operand of a barrier", 0, { 16 }, { 1 }, INVALID },
		{ "copy onto itself", 1, { 12 }, { 2 }, INVALID },
		{ "operand of a copy", 1, { 16 }, { 1 }, INVALID },
		{ "second slot of a fill", 2, { 15 }, { 0x7f }, INVALID },
		{ "second slot of an xor", 3, { 14 }, { 0 }, INVALID },
		{ "reserved, first", 0, { 17 }, { 1 }, INVALID },
		{ "reserved, last", 2, { 23 }, { 0x80 }, INVALID },
		{ "magic before version", 0, { 0, 4 }, { 0, 9 }, INVALID },
		{ "version before reserved", 0, { 4, 17 }, { 9, 1 }, INCOMPATIBLE },
		{ "reserved before operation", 0, { 6, 17 }, { 9, 1 }, INVALID },
		{ "operation before slots", 0, { 6, 12 }, { 9, 0 }, UNSUPPORTED },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		bool copy = rows[i].op == VACC_REF_OP_COPY;
		struct artifact a = ref_artifact(rows[i].op, 2, copy ? 3 : NONE, 0);
		struct eng_program *program = (void *)1;
		struct eng_reason reason;

		CASE("%s", rows[i].name);
		a.bytes[rows[i].at[0]] = rows[i].value[0];
		if (rows[i].at[1])
			a.bytes[rows[i].at[1]] = rows[i].value[1];
		CHECK_EQ(load_ref(&a, &program, &reason), rows[i].want);
		CHECK(!program);
		CHECK(reason.text && *reason.text);
		artifact_free(&a);
	}
}

/* M5: format, then target and resident charge, then what is inside. */
TEST(load_statuses)
{
	struct artifact a = ref_artifact(VACC_REF_OP_FILL, 2, NONE, 1);
	struct eng_load good = {
		.format = VACC_REF_FORMAT,
		.target = { VACC_REF_TARGET0, VACC_REF_TARGET1,
			    VACC_REF_TARGET2, VACC_REF_TARGET3 },
		.payload = a.bytes,
		.payload_bytes = a.length,
		.resident_bytes = VACC_REF_RESIDENT,
	}, load = good;
	struct eng_program *program;
	struct eng_reason reason;
	int i;

	CASE("good");
	CHECK_EQ(eng_program_load(&load, &program, &reason), OK);
	eng_program_free(program);

	CASE("format");
	load.format = 1;
	load.target[0] = 0;
	CHECK_EQ(eng_program_load(&load, &program, &reason), UNSUPPORTED);
	CASE("another format's artifact");
	load = good;
	load.format = VACC_BATCH_FORMAT;
	CHECK_EQ(eng_program_load(&load, &program, &reason), INCOMPATIBLE);

	for (i = 0; i < 12; i++) {
		CASE("target word %d", i);
		load = good;
		load.target[i] ^= 1U << (31 - i);
		load.payload_bytes = 0;
		CHECK_EQ(eng_program_load(&load, &program, &reason), INCOMPATIBLE);
	}
	CASE("resident charge");
	load = good;
	load.resident_bytes = 65;
	load.payload_bytes = 0;
	CHECK_EQ(eng_program_load(&load, &program, &reason), INCOMPATIBLE);
	load.resident_bytes = 64 + (1ULL << 32);
	CHECK_EQ(eng_program_load(&load, &program, &reason), INCOMPATIBLE);
	artifact_free(&a);
}

TEST(ref_every_length)
{
	u8 longer[64] = {};
	size_t i;

	for (i = 0; i < sizeof(longer); i++) {
		struct artifact whole = ref_artifact(VACC_REF_OP_XOR, 1, NONE, 3);
		struct artifact a;
		struct eng_program *program;
		struct eng_reason reason;

		memcpy(longer, whole.bytes, 24);
		a = artifact_copy(longer, i, 64);
		CHECK_EQ(load_ref(&a, &program, &reason), i == 24 ? OK : INVALID);
		eng_program_free(program);
		artifact_free(&a);
		artifact_free(&whole);
	}
}

TEST(ref_query)
{
	struct eng_program *program = must_load_ref(VACC_REF_OP_COPY, 7, 2, 0);
	struct eng_command_info command;
	struct eng_program_info info;
	struct vacc_program_slot slot;

	eng_program_info(program, &info);
	CHECK_EQ(info.format, VACC_REF_FORMAT);
	CHECK_EQ(info.slot_count, 2);
	CHECK_EQ(info.command_count, 1);
	CHECK_EQ(info.launch_count, 0);
	CHECK_EQ(info.resident_bytes, 64);
	CHECK_EQ(info.max_scratch_bytes, 0);
	eng_program_command(program, 0, &command);
	CHECK_EQ(command.op, VACC_NATIVE_COPY);
	CHECK_EQ(command.launch_count, 0);
	eng_program_slot(program, 0, &slot);
	CHECK_EQ(slot.slot, 2);
	CHECK_EQ(slot.access, W);
	CHECK_EQ(slot.flags, VACC_SLOT_EQUAL_LENGTHS);
	CHECK_EQ(slot.offset_align, 1);
	CHECK_EQ(slot.min_bytes, 1);
	CHECK_EQ(slot.row_unit, 0);
	eng_program_slot(program, 1, &slot);
	CHECK_EQ(slot.slot, 7);
	CHECK_EQ(slot.access, R);
	eng_program_free(program);
}

/* M6: count, slots, access, equal lengths; R3: types of a copy. */
TEST(ref_shapes)
{
	static const struct {
		const char *name;
		u8 op;
		u32 count;
		struct eng_range ranges[3];
		u16 want;
	} rows[] = {
		{ "barrier", 0, 1, { { .slot = 2, .bytes = 4, .access = R } }, OK },
		{ "barrier write", 0, 1, { { .slot = 2, .bytes = 4, .access = W } }, OK },
		{ "barrier both", 0, 1, { { .slot = 2, .bytes = 1, .access = RW } }, OK },
		{ "barrier elsewhere", 0, 1, { { .slot = 3, .bytes = 4, .access = R } },
		  INCOMPATIBLE },
		{ "barrier twice", 0, 2, { { .slot = 2, .bytes = 4, .access = R },
					   { .slot = 3, .bytes = 4, .access = R } },
		  INCOMPATIBLE },
		{ "nothing", 0, 0, {}, INCOMPATIBLE },
		{ "copy", 1, 2, { { .slot = 3, .bytes = 4, .access = W },
				  { .slot = 2, .bytes = 4, .access = R } }, OK },
		{ "copy short", 1, 2, { { .slot = 2, .bytes = 4, .access = R },
					{ .slot = 3, .bytes = 3, .access = W } },
		  INCOMPATIBLE },
		{ "copy long", 1, 2, { { .slot = 2, .bytes = 4, .access = R },
				       { .slot = 3, .bytes = 5, .access = W } },
		  INCOMPATIBLE },
		{ "copy reversed", 1, 2, { { .slot = 3, .bytes = 4, .access = R },
					   { .slot = 2, .bytes = 4, .access = W } },
		  INCOMPATIBLE },
		{ "copy read-write", 1, 2, { { .slot = 2, .bytes = 4, .access = R },
					     { .slot = 3, .bytes = 4, .access = RW } },
		  INCOMPATIBLE },
		{ "copy alone", 1, 1, { { .slot = 2, .bytes = 4, .access = R } },
		  INCOMPATIBLE },
		{ "copy and more", 1, 3, { { .slot = 2, .bytes = 4, .access = R },
					   { .slot = 3, .bytes = 4, .access = W },
					   { .slot = 4, .bytes = 4, .access = W } },
		  INCOMPATIBLE },
		{ "copy from one slot", 1, 2, { { .slot = 2, .bytes = 4, .access = R },
						{ .slot = 2, .bytes = 4, .access = R } },
		  INCOMPATIBLE },
		{ "copy of one type", 1, 2, {
			{ .slot = 2, .bytes = 4, .access = R, .element_type = VACC_TYPE_F16 },
			{ .slot = 3, .bytes = 4, .access = W, .element_type = VACC_TYPE_F16 } },
		  OK },
		{ "copy to another type", 1, 2, {
			{ .slot = 2, .bytes = 4, .access = R, .element_type = VACC_TYPE_F16 },
			{ .slot = 3, .bytes = 4, .access = W, .element_type = VACC_TYPE_U8 } },
		  INCOMPATIBLE },
		{ "copy to no type", 1, 2, {
			{ .slot = 2, .bytes = 4, .access = R, .element_type = VACC_TYPE_F16 },
			{ .slot = 3, .bytes = 4, .access = W } }, OK },
		{ "fill", 2, 1, { { .slot = 2, .bytes = 4, .access = W } }, OK },
		{ "fill typed", 2, 1, { { .slot = 2, .bytes = 3, .access = W, .offset = 1,
					  .element_type = VACC_TYPE_F16 } }, OK },
		{ "fill read-write", 2, 1, { { .slot = 2, .bytes = 4, .access = RW } },
		  INCOMPATIBLE },
		{ "fill read", 2, 1, { { .slot = 2, .bytes = 4, .access = R } },
		  INCOMPATIBLE },
		{ "xor", 3, 1, { { .slot = 2, .bytes = 4, .access = RW } }, OK },
		{ "xor write", 3, 1, { { .slot = 2, .bytes = 4, .access = W } },
		  INCOMPATIBLE },
	};
	static u8 memory[3][8];
	size_t i;
	u32 k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		bool copy = rows[i].op == VACC_REF_OP_COPY;
		struct eng_program *program = must_load_ref(rows[i].op, 2, copy ? 3 : NONE, 0);
		struct eng_range ranges[3];
		struct eng_reason reason;
		struct eng_plan plan;

		CASE("%s", rows[i].name);
		memcpy(ranges, rows[i].ranges, sizeof(ranges));
		for (k = 0; k < 3; k++)
			ranges[k].mem = memory[k];
		CHECK_EQ(check_ranges(program, ranges, rows[i].count, &plan, &reason),
			 rows[i].want);
		CHECK(rows[i].want == OK || reason.text);
		CHECK_EQ(plan.scratch_bytes, 0);
		eng_program_free(program);
	}
}
