// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Bindings against a batch (M6, R3, R7), and what a program tells of itself.
 */
#include "build.h"
#include "sample.h"
#include "test.h"

static u8 memory[SAMPLE_N][8192];

/* Bindings that fit the sample, in the order of its slots' numbers. */
static void sample_ranges(struct eng_range *ranges)
{
	ranges[0] = range_of(memory[0], 0, 20, 1, W);
	ranges[1] = range_of(memory[1], 0, 64, 3, R);
	ranges[2] = range_of(memory[2], 0, 32, 7, R);
	ranges[3] = range_of(memory[3], 0, 4096, 10, RW);
	ranges[4] = range_of(memory[4], 0, 80, 20, R);
}

TEST(batch_query)
{
	static const struct vacc_program_slot want[SAMPLE_N] = {
		{ .slot = 1, .access = W, .element_type = VACC_TYPE_F16, .offset_align = 2,
		  .min_bytes = 10 },
		{ .slot = 3, .access = R, .offset_align = 1, .min_bytes = 64 },
		{ .slot = 7, .access = R, .element_type = VACC_TYPE_F16, .offset_align = 2,
		  .min_bytes = 16, .row_unit = 16 },
		{ .slot = 10, .access = RW, .offset_align = 4, .min_bytes = 4096 },
		{ .slot = 20, .access = R, .element_type = VACC_TYPE_F16, .offset_align = 2,
		  .min_bytes = 80 },
	};
	struct eng_command_info command;
	struct eng_program_info info;
	struct eng_program *program;
	struct vacc_program_slot slot;
	struct batch b;
	u32 i;

	sample_batch(&b);
	program = must_load(&b);
	for (i = 0; i < SAMPLE_N; i++) {
		CASE("slot %u", want[i].slot);
		memset(&slot, 0xff, sizeof(slot));
		eng_program_slot(program, i, &slot);
		CHECK(!memcmp(&slot, &want[i], sizeof(slot)));
	}
	CASE("commands");
	eng_program_command(program, 6, &command);
	CHECK_EQ(command.op, VACC_NATIVE_UPLOAD);
	eng_program_command(program, 8, &command);
	CHECK_EQ(command.op, VACC_NATIVE_DENSE_LINEAR);
	CHECK_EQ(command.launch_count, 2);
	CASE("scratch");
	eng_program_info(program, &info);
	/* Six rows of five outputs are smaller than what they are made of. */
	CHECK_EQ(info.max_scratch_bytes, 60);
	eng_program_free(program);

	CASE("scratch without aliases");
	b.header.flags = cpu_to_le32(VACC_BATCH_NO_ALIAS);
	program = must_load(&b);
	eng_program_info(program, &info);
	/* Only the arena holds an input and an output. */
	CHECK_EQ(info.max_scratch_bytes, 30);
	eng_program_free(program);
}

TEST(batch_bindings)
{
	static const struct {
		const char *name;
		u32 index;
		s64 bytes;
		u64 offset;
		u32 slot;
		u8 access;
		u8 type;
		u16 want;
		u32 launch;
	} rows[] = {
		{ "as they are", 0, 0, 0, 1, W, 0, OK, 0 },
		{ "typed as declared", 0, 0, 0, 1, W, VACC_TYPE_F16, OK, 0 },
		{ "another type", 0, 0, 0, 1, W, VACC_TYPE_U8, INCOMPATIBLE, 0 },
		{ "an untyped slot of bytes", 1, 0, 0, 3, R, VACC_TYPE_F64, OK, 0 },
		{ "an untyped slot with a region", 3, 0, 0, 10, RW, VACC_TYPE_F16, OK, 0 },
		{ "its region's type differs", 3, 0, 0, 10, RW, VACC_TYPE_U8, INCOMPATIBLE, 0 },
		{ "an unknown slot", 1, 0, 0, 2, R, 0, INCOMPATIBLE, 0 },
		{ "a slot twice", 1, 0, 0, 20, R, 0, INCOMPATIBLE, 0 },
		{ "less access", 3, 0, 0, 10, W, 0, INCOMPATIBLE, 0 },
		{ "more access", 1, 0, 0, 3, RW, 0, INCOMPATIBLE, 0 },
		{ "too short", 1, -1, 0, 3, R, 0, INCOMPATIBLE, 0 },
		{ "longer", 1, 1, 0, 3, R, 0, OK, 0 },
		{ "an aligned offset", 3, 0, 2052, 10, RW, 0, OK, 0 },
		{ "a misaligned offset", 3, 0, 2, 10, RW, 0, INCOMPATIBLE, 0 },
		{ "an odd offset of bytes", 1, 0, 5, 3, R, 0, OK, 0 },
		{ "an odd offset of f16", 2, 0, 3, 7, R, 0, INCOMPATIBLE, 0 },
		{ "no whole rows", 2, 1, 0, 7, R, 0, INCOMPATIBLE, 1 },
		{ "one row", 2, -16, 0, 7, R, 0, OK, 0 },
		{ "more rows than outputs", 2, 16, 0, 7, R, 0, INCOMPATIBLE, 1 },
		{ "output for one row", 0, -10, 0, 1, W, 0, INCOMPATIBLE, 1 },
		{ "output one byte short", 0, -1, 0, 1, W, 0, INCOMPATIBLE, 1 },
		{ "more rows than allowed", 2, 80, 0, 7, R, 0, INCOMPATIBLE, 1 },
	};
	struct eng_range ranges[SAMPLE_N];
	struct eng_program *program;
	struct eng_reason reason;
	struct eng_plan plan;
	struct batch b;
	size_t i;
	u32 k;

	sample_batch(&b);
	program = must_load(&b);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct eng_range *range = &ranges[rows[i].index];

		CASE("%s", rows[i].name);
		sample_ranges(ranges);
		range->mem = memory[rows[i].index] + rows[i].offset;
		range->offset = rows[i].offset;
		range->bytes += rows[i].bytes;
		range->slot = rows[i].slot;
		range->access = rows[i].access;
		range->element_type = rows[i].type;
		CHECK_EQ(check_ranges(program, ranges, SAMPLE_N, &plan, &reason), rows[i].want);
		if (rows[i].want == OK)
			continue;
		CHECK(reason.text && *reason.text);
		CHECK(reason.binding < SAMPLE_N);
		if (rows[i].launch) {
			CHECK_EQ(reason.launch, 0);
			CHECK_EQ(reason.command, 7);
		}
	}
	CASE("counts");
	sample_ranges(ranges);
	for (k = 0; k < SAMPLE_N; k++)
		CHECK_EQ(check_ranges(program, ranges, k, &plan, &reason), INCOMPATIBLE);
	CASE("in any order");
	for (k = 0; k < SAMPLE_N; k++) {
		struct eng_range first = ranges[0];

		memmove(ranges, ranges + 1, sizeof(ranges) - sizeof(*ranges));
		ranges[SAMPLE_N - 1] = first;
		CHECK_EQ(check_ranges(program, ranges, SAMPLE_N, &plan, &reason), OK);
		CHECK_EQ(plan.macs, (2 + 1 + 3) * 40);
	}
	eng_program_free(program);
}

/* R3: copies between buffers of different types, through untyped slots too. */
TEST(batch_copy_types)
{
	struct batch b;
	struct eng_program *program;
	struct eng_reason reason;
	struct eng_plan plan;
	u32 from, to, declared;

	for (declared = 0; declared < 2; declared++) {
		batch_init(&b);
		batch_slot(&b, 1, R, declared ? VACC_TYPE_F32 : 0, 1, 8, 0);
		batch_slot(&b, 2, W, 0, 1, 8, 0);
		batch_command(&b, VACC_BATCH_OP_BARRIER);
		batch_copy(&b, 1, 0, 2, 0, 8);
		program = must_load(&b);
		for (from = 0; from < VACC_TYPE_COUNT; from++) {
			for (to = 0; to < VACC_TYPE_COUNT; to++) {
				struct eng_range ranges[] = {
					range_of(memory[0], 0, 8, 1, R),
					range_of(memory[1], 0, 8, 2, W),
				};
				u32 is = from ? from : declared ? VACC_TYPE_F32 : 0;
				bool fits = !is || !to || is == to;

				if (declared && from && from != VACC_TYPE_F32)
					fits = false;
				CASE("%u to %u, declared %u", from, to, declared);
				ranges[0].element_type = from;
				ranges[1].element_type = to;
				CHECK_EQ(check_ranges(program, ranges, 2, &plan, &reason),
					 fits ? OK : INCOMPATIBLE);
			}
		}
		eng_program_free(program);
	}
}

TEST(batch_no_alias)
{
	static const struct {
		const char *name;
		u32 first, second;
		u16 want;
	} rows[] = {
		{ "apart", 0, 100, OK },
		{ "touching", 0, 40, OK },
		{ "touching, other way", 40, 0, OK },
		{ "one byte", 0, 39, INCOMPATIBLE },
		{ "one byte, other way", 39, 0, INCOMPATIBLE },
		{ "the same", 7, 7, INCOMPATIBLE },
		{ "with the third", 0, 990, INCOMPATIBLE },
	};
	struct batch b;
	struct eng_program *program;
	struct eng_reason reason;
	struct eng_plan plan;
	size_t i;
	int flag;

	for (flag = 0; flag < 2; flag++) {
		batch_init(&b);
		b.header.flags = cpu_to_le32(flag ? VACC_BATCH_NO_ALIAS : 0);
		batch_slot(&b, 1, R, 0, 1, 40, 0);
		batch_slot(&b, 2, R, 0, 1, 40, 0);
		batch_slot(&b, 3, W, 0, 1, 40, 0);
		batch_copy(&b, 1, 0, 3, 0, 40);
		batch_copy(&b, 2, 0, 3, 0, 40);
		program = must_load(&b);
		for (i = 0; i < ARRAY_SIZE(rows); i++) {
			struct eng_range ranges[] = {
				range_of(memory[0], 1000, 40, 3, W),
				range_of(memory[0], rows[i].second, 40, 2, R),
				range_of(memory[0], rows[i].first, 40, 1, R),
			};

			CASE("%s, flag %d", rows[i].name, flag);
			CHECK_EQ(check_ranges(program, ranges, 3, &plan, &reason),
				 flag ? rows[i].want : OK);
			CHECK(reason.binding < 3 || !flag || rows[i].want == OK);
		}
		eng_program_free(program);
	}
}

/* As many slots and launches as there may be, to load and to bind. */
TEST(batch_of_full_size)
{
	const u32 slots = VACC_BATCH_MAX_SLOTS, commands = VACC_BATCH_MAX_COMMANDS;
	const u32 launches = VACC_BATCH_MAX_LAUNCHES;
	size_t bytes = sizeof(struct vacc_batch_header) + slots * sizeof(struct vacc_batch_slot) +
		       commands * sizeof(struct vacc_batch_command) +
		       launches * sizeof(struct vacc_batch_launch);
	struct eng_range *ranges = calloc(slots, sizeof(*ranges));
	struct artifact a = { malloc(bytes), bytes,
			      vacc_batch_resident(slots, commands, launches, 0) };
	struct vacc_batch_header h = {
		.magic = cpu_to_le32(VACC_BATCH_MAGIC),
		.major = cpu_to_le16(1),
		.total_bytes = cpu_to_le64(bytes),
		.slot_count = cpu_to_le32(slots),
		.slot_bytes = cpu_to_le32(sizeof(struct vacc_batch_slot)),
		.command_count = cpu_to_le32(commands),
		.command_bytes = cpu_to_le32(sizeof(struct vacc_batch_command)),
		.launch_count = cpu_to_le32(launches),
		.launch_bytes = cpu_to_le32(sizeof(struct vacc_batch_launch)),
		.data_offset = cpu_to_le64(bytes),
		.resident_bytes = cpu_to_le64(a.resident),
	};
	struct eng_counters c = {};
	struct eng_program *program;
	struct eng_reason reason;
	static struct batch b;
	u8 *at = a.bytes;
	u32 i;

	memcpy(at, &h, sizeof(h));
	at += sizeof(h);
	for (i = 0; i < slots; i++) {
		u32 slot = slots - i;

		batch_init(&b);
		b.slot_count = 0;
		batch_slot(&b, slot, RW, 0, 1, 2, 0);
		memcpy(at, &b.slots[0], sizeof(b.slots[0]));
		at += sizeof(b.slots[0]);
		ranges[i] = range_of(memory[0], 2 * i % 8192, 2, slot, RW);
	}
	for (i = 0; i < commands; i++) {
		b.command_count = 0;
		b.launch_count = i + 1;
		batch_linear(&b, 1);
		memcpy(at, &b.commands[0], sizeof(b.commands[0]));
		at += sizeof(b.commands[0]);
	}
	for (i = 0; i < launches; i++) {
		b.launch_count = 0;
		batch_launch(&b, (struct matrix){ .slot = 1 + i % slots },
			     (struct matrix){ .slot = 1 + (i + 1) % slots },
			     (struct matrix){ .slot = 1 + (i + 2) % slots }, 1, 1, 1, NONE);
		memcpy(at, &b.launches[0], sizeof(b.launches[0]));
		at += sizeof(b.launches[0]);
	}
	CHECK_EQ(load_batch(&a, &program, &reason), OK);
	CHECK_EQ(run_ranges(program, ranges, slots, U64_MAX, &c), OK);
	CHECK_EQ(c.commands, commands);
	CHECK_EQ(c.launches, launches);
	eng_program_free(program);
	artifact_free(&a);
	free(ranges);
}
