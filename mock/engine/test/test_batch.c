// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The batch format's rules, one by one (M5, R5, R7).
 */
#include "build.h"
#include "sample.h"
#include "test.h"

/* Where a field lies in the sample, by section, record and member. */
#define FIELD(from, type, member) \
	{ (from) + offsetof(type, member), sizeof(((type *)0)->member) }
#define H(member)	FIELD(0, struct vacc_batch_header, member)
#define S(index, member) \
	FIELD(SAMPLE_SLOTS + (index) * sizeof(struct vacc_batch_slot), \
	      struct vacc_batch_slot, member)
#define C(index, member) \
	FIELD(SAMPLE_COMMANDS + (index) * sizeof(struct vacc_batch_command), \
	      struct vacc_batch_command, member)
#define L(index, member) \
	FIELD(SAMPLE_LAUNCHES + (index) * sizeof(struct vacc_batch_launch), \
	      struct vacc_batch_launch, member)

struct rule {
	const char *name;
	struct {
		size_t offset;
		size_t bytes;
	} at;
	u64 value;
	u16 want;
};

static void put(u8 *to, u64 value, size_t bytes)
{
	__le64 v = cpu_to_le64(value);

	memcpy(to, &v, min_t(size_t, bytes, sizeof(v)));
}

/* What a refusal has to tell: the record, unless it takes all to see the fault. */
static void check_reason(const struct rule *rule, const struct eng_reason *reason)
{
	CHECK(reason->text && *reason->text);
	if (strstr(reason->text, "uses") || strstr(reason->text, "no command has") ||
	    strstr(reason->text, "no launch takes") ||
	    strstr(reason->text, "two commands have"))
		return;
	if (rule->at.offset >= SAMPLE_LAUNCHES)
		CHECK_EQ(reason->launch, (rule->at.offset - SAMPLE_LAUNCHES) /
					 sizeof(struct vacc_batch_launch));
	else if (rule->at.offset >= SAMPLE_COMMANDS)
		CHECK_EQ(reason->command, (rule->at.offset - SAMPLE_COMMANDS) /
					  sizeof(struct vacc_batch_command));
}

static void check_rules(const struct rule *rules, size_t count)
{
	struct batch b;
	size_t i;

	sample_batch(&b);
	for (i = 0; i < count; i++) {
		struct artifact a = batch_artifact(&b);
		struct eng_program *program = (void *)1;
		struct eng_reason reason;
		u16 status;

		CASE("%s = 0x%llx", rules[i].name, rules[i].value);
		put(a.bytes + rules[i].at.offset, rules[i].value, rules[i].at.bytes);
		status = load_batch(&a, &program, &reason);
		CHECK_EQ(status, rules[i].want);
		CHECK(!program == (status != OK));
		if (status != OK)
			check_reason(&rules[i], &reason);
		eng_program_free(program);
		artifact_free(&a);
	}
}

TEST(batch_sample_is_valid)
{
	struct batch b;
	struct artifact a;
	struct eng_program *program;
	struct eng_program_info info;
	struct eng_reason reason;

	sample_batch(&b);
	a = batch_artifact(&b);
	CHECK_EQ(load_batch(&a, &program, &reason), OK);
	eng_program_info(program, &info);
	CHECK_EQ(info.format, VACC_BATCH_FORMAT);
	CHECK_EQ(info.slot_count, b.slot_count);
	CHECK_EQ(info.command_count, b.command_count);
	CHECK_EQ(info.launch_count, b.launch_count);
	CHECK_EQ(info.resident_bytes, a.resident);
	eng_program_free(program);
	artifact_free(&a);
}

TEST(batch_header_rules)
{
	static const struct rule rules[] = {
		{ "magic", H(magic), 0x54424157, INVALID },
		{ "major", H(major), 2, INCOMPATIBLE },
		{ "major", H(major), 0, INCOMPATIBLE },
		{ "minor", H(minor), 1, INCOMPATIBLE },
		{ "total_bytes", H(total_bytes), 95, INVALID },
		{ "total_bytes", H(total_bytes), ~0ULL, INVALID },
		{ "flags", H(flags), VACC_BATCH_NO_ALIAS, OK },
		{ "flags", H(flags), 2, UNSUPPORTED },
		{ "flags", H(flags), 1U << 31, UNSUPPORTED },
		{ "reserved0", H(reserved0), 1, INVALID },
		{ "required_features", H(required_features), 1, UNSUPPORTED },
		{ "required_features", H(required_features), 1ULL << 63, UNSUPPORTED },
		{ "slot_count", H(slot_count), 0, INVALID },
		{ "slot_count", H(slot_count), 4, INVALID },
		{ "slot_count", H(slot_count), 6, INVALID },
		{ "slot_count", H(slot_count), VACC_BATCH_MAX_SLOTS, INVALID },
		{ "slot_count", H(slot_count), VACC_BATCH_MAX_SLOTS + 1, LIMIT },
		{ "slot_count", H(slot_count), ~0U, LIMIT },
		{ "slot_bytes", H(slot_bytes), 24, INVALID },
		{ "slot_bytes", H(slot_bytes), 40, INVALID },
		{ "command_count", H(command_count), 0, INVALID },
		{ "command_count", H(command_count), VACC_BATCH_MAX_COMMANDS, INVALID },
		{ "command_count", H(command_count), VACC_BATCH_MAX_COMMANDS + 1, LIMIT },
		{ "command_bytes", H(command_bytes), 0, INVALID },
		{ "command_bytes", H(command_bytes), 128, INVALID },
		{ "launch_count", H(launch_count), 0, INVALID },
		{ "launch_count", H(launch_count), VACC_BATCH_MAX_LAUNCHES + 1, LIMIT },
		{ "launch_bytes", H(launch_bytes), 64, INVALID },
		{ "data_offset", H(data_offset), 0, INVALID },
		{ "data_offset", H(data_offset), SAMPLE_DATA + 8, INVALID },
		{ "data_offset", H(data_offset), 1ULL << 63, INVALID },
		{ "data_bytes", H(data_bytes), 0, INVALID },
		{ "data_bytes", H(data_bytes), SAMPLE_DATA_BYTES + 1, INVALID },
		{ "data_bytes", H(data_bytes), ~0ULL, INVALID },
		{ "resident_bytes", H(resident_bytes), 64, INVALID },
		{ "reserved1", H(reserved1), 1, INVALID },
		{ "reserved1, last", { offsetof(struct vacc_batch_header, reserved1) + 15, 1 },
		  1, INVALID },
	};

	check_rules(rules, ARRAY_SIZE(rules));
}

TEST(batch_slot_rules)
{
	static const struct rule rules[] = {
		{ "number, free", S(SAMPLE_ARENA, slot), 77, INVALID },
		{ "number, none", S(SAMPLE_ARENA, slot), NONE, INVALID },
		{ "number, taken", S(SAMPLE_ARENA, slot), 7, INVALID },
		{ "access 0", S(SAMPLE_ARENA, access), 0, INVALID },
		{ "access 4", S(SAMPLE_ARENA, access), 4, INVALID },
		{ "access 255", S(SAMPLE_ARENA, access), 255, INVALID },
		{ "access read of xor", S(SAMPLE_ARENA, access), R, INVALID },
		{ "access write of xor", S(SAMPLE_ARENA, access), W, INVALID },
		{ "access write of a source", S(SAMPLE_SOURCE, access), W, INVALID },
		{ "access more than needed", S(SAMPLE_SOURCE, access), RW, OK },
		{ "access write of an input", S(SAMPLE_IN, access), W, INVALID },
		{ "access write of weights", S(SAMPLE_WEIGHT, access), W, INVALID },
		{ "access read of an output", S(SAMPLE_OUT, access), R, INVALID },
		{ "reserved", S(SAMPLE_ARENA, reserved), 1, INVALID },
		{ "element_type of bytes", S(SAMPLE_SOURCE, element_type), VACC_TYPE_F64, OK },
		{ "element_type of a region", S(SAMPLE_IN, element_type), VACC_TYPE_U8,
		  INVALID },
		{ "element_type of a region", S(SAMPLE_ARENA, element_type), VACC_TYPE_BF16,
		  INVALID },
		{ "element_type untyped", S(SAMPLE_IN, element_type), 0, OK },
		{ "element_type unknown", S(SAMPLE_SOURCE, element_type), 8, UNSUPPORTED },
		{ "element_type 256 + f16", S(SAMPLE_IN, element_type), 0x104, UNSUPPORTED },
		{ "flags", S(SAMPLE_ARENA, flags), 1, UNSUPPORTED },
		{ "offset_align 0", S(SAMPLE_ARENA, offset_align), 0, INVALID },
		{ "offset_align 3", S(SAMPLE_ARENA, offset_align), 3, INVALID },
		{ "offset_align 2^31", S(SAMPLE_ARENA, offset_align), 1U << 31, OK },
		{ "offset_align below its elements", S(SAMPLE_IN, offset_align), 1, OK },
		{ "min_bytes 0", S(SAMPLE_ARENA, min_bytes), 0, INVALID },
		{ "min_bytes of a copy", S(SAMPLE_SOURCE, min_bytes), 39, INVALID },
		{ "min_bytes of weights", S(SAMPLE_WEIGHT, min_bytes), 79, INVALID },
		{ "min_bytes of one row", S(SAMPLE_IN, min_bytes), 15, INVALID },
		{ "min_bytes of one output", S(SAMPLE_OUT, min_bytes), 9, INVALID },
		{ "min_bytes of all rows", S(SAMPLE_IN, min_bytes), 96, OK },
		{ "min_bytes above all rows", S(SAMPLE_IN, min_bytes), 97, INVALID },
		{ "min_bytes huge", S(SAMPLE_ARENA, min_bytes), ~0ULL, OK },
		{ "row_unit 0", S(SAMPLE_IN, row_unit), 0, INVALID },
		{ "row_unit of no rows", S(SAMPLE_OUT, row_unit), 10, INVALID },
		{ "row_unit odd", S(SAMPLE_IN, row_unit), 17, OK },
		{ "row_unit too large", S(SAMPLE_IN, row_unit), ~0ULL / 5, INVALID },
	};

	check_rules(rules, ARRAY_SIZE(rules));
}

#define BAR	0	/* commands of the sample */
#define AT	1
#define COPY	2
#define FILL	3
#define XOR	4
#define ZERO	5
#define UP	6
#define LIN	7

TEST(batch_command_rules)
{
	static const struct rule rules[] = {
		{ "op 7", C(BAR, op), 7, UNSUPPORTED },
		{ "op 63", C(BAR, op), 63, UNSUPPORTED },
		{ "op of a vendor", C(BAR, op), VACC_BATCH_OP_VENDOR, UNSUPPORTED },
		{ "op 0xffff", C(BAR, op), 0xffff, UNSUPPORTED },
		{ "op 256 + copy", C(COPY, op), 0x101, UNSUPPORTED },
		{ "flags", C(FILL, flags), 1, UNSUPPORTED },
		{ "reserved0", C(FILL, reserved0), 1, INVALID },
		{ "reserved1", C(FILL, reserved1), 1, INVALID },

		{ "barrier: first_launch", C(BAR, first_launch), 1, INVALID },
		{ "barrier: launch_count", C(BAR, launch_count), 1, INVALID },
		{ "barrier: src_slot", C(BAR, src_slot), 3, INVALID },
		{ "barrier: dst_slot", C(BAR, dst_slot), 10, OK },
		{ "barrier: dst_slot unknown", C(BAR, dst_slot), 11, INVALID },
		{ "barrier: src_offset", C(BAR, src_offset), 1, INVALID },
		{ "barrier: dst_offset", C(AT, dst_offset), 1, INVALID },
		{ "barrier: bytes", C(AT, bytes), 1, INVALID },
		{ "barrier: data_offset", C(BAR, data_offset), 1, INVALID },
		{ "barrier: value", C(BAR, value), 1, INVALID },

		{ "copy: src_slot none", C(COPY, src_slot), NONE, INVALID },
		{ "copy: src_slot unknown", C(COPY, src_slot), 99, INVALID },
		{ "copy: dst_slot none", C(COPY, dst_slot), NONE, INVALID },
		{ "copy: dst_slot its source", C(COPY, dst_slot), 3, INVALID },
		{ "copy: bytes 0", C(COPY, bytes), 0, INVALID },
		{ "copy: bytes too many", C(COPY, bytes), 57, INVALID },
		{ "copy: bytes overflow", C(COPY, bytes), ~0ULL, INVALID },
		{ "copy: src_offset", C(COPY, src_offset), 24, OK },
		{ "copy: src_offset past the end", C(COPY, src_offset), 25, INVALID },
		{ "copy: src_offset overflow", C(COPY, src_offset), ~0ULL - 39, INVALID },
		{ "copy: dst_offset", C(COPY, dst_offset), 4096 - 40, OK },
		{ "copy: dst_offset past the end", C(COPY, dst_offset), 4096 - 39, INVALID },
		{ "copy: dst_offset overflow", C(COPY, dst_offset), ~0ULL, INVALID },
		{ "copy: value", C(COPY, value), 1, INVALID },
		{ "copy: data_offset", C(COPY, data_offset), 1, INVALID },
		{ "copy: launch_count", C(COPY, launch_count), 1, INVALID },

		{ "fill: dst_slot none", C(FILL, dst_slot), NONE, INVALID },
		{ "fill: dst_slot read only", C(FILL, dst_slot), 3, INVALID },
		{ "fill: src_slot", C(FILL, src_slot), 3, INVALID },
		{ "fill: src_offset", C(FILL, src_offset), 3, INVALID },
		{ "fill: bytes 0", C(FILL, bytes), 0, INVALID },
		{ "fill: bytes too many", C(FILL, bytes), 4097 - 100, INVALID },
		{ "fill: value", C(FILL, value), 0, OK },
		{ "fill: dst_offset", C(FILL, dst_offset), 1ULL << 63, INVALID },
		{ "xor: dst_slot write only", C(XOR, dst_slot), 1, INVALID },
		{ "xor: bytes 0", C(XOR, bytes), 0, INVALID },
		{ "zero: value", C(ZERO, value), 1, INVALID },
		{ "zero: data_offset", C(ZERO, data_offset), 1, INVALID },
		{ "zero: bytes 0", C(ZERO, bytes), 0, INVALID },
		{ "upload: value", C(UP, value), 1, INVALID },
		{ "upload: bytes 0", C(UP, bytes), 0, INVALID },
		{ "upload: bytes", C(UP, bytes), SAMPLE_DATA_BYTES - 1, OK },
		{ "upload: bytes too many", C(UP, bytes), SAMPLE_DATA_BYTES + 1, INVALID },
		{ "upload: data_offset", C(UP, data_offset), 1, INVALID },
		{ "upload: data_offset overflow", C(UP, data_offset), ~0ULL, INVALID },
		{ "upload: no other uses the data", C(UP, op), VACC_BATCH_OP_ZERO, INVALID },

		{ "linear: launch_count 0", C(LIN, launch_count), 0, INVALID },
		{ "linear: too many", C(LIN + 1, launch_count), 3, INVALID },
		{ "linear: first out of range", C(LIN, first_launch), 3, INVALID },
		{ "linear: overflow", C(LIN, launch_count), ~0U, INVALID },
		{ "linear: another's launch", C(LIN, first_launch), 1, INVALID },
		{ "linear: one is left over", C(LIN + 1, launch_count), 1, INVALID },
		{ "linear: src_slot", C(LIN, src_slot), 3, INVALID },
		{ "linear: dst_slot", C(LIN, dst_slot), 1, INVALID },
		{ "linear: bytes", C(LIN, bytes), 1, INVALID },
		{ "linear: value", C(LIN, value), 1, INVALID },
	};

	check_rules(rules, ARRAY_SIZE(rules));
}

TEST(batch_launch_rules)
{
	static const struct rule rules[] = {
		{ "rows 0", L(0, rows), 0, INVALID },
		{ "in_features 0", L(0, in_features), 0, INVALID },
		{ "out_features 0", L(0, out_features), 0, INVALID },
		{ "rows, fixed", L(1, rows), 2, INVALID },
		{ "rows, varying", L(0, rows), 100000, OK },
		{ "rows, varying, overflow", L(0, rows), ~0U, OK },
		{ "in_features", L(0, in_features), 9, INVALID },
		{ "in_features, fewer", L(0, in_features), 7, OK },
		{ "in_features, overflow", L(0, in_features), ~0U, INVALID },
		{ "out_features", L(0, out_features), 6, INVALID },
		{ "out_features, fewer", L(0, out_features), 1, OK },
		{ "out_features, overflow", L(0, out_features), ~0U, INVALID },
		{ "rows_slot without row_unit", L(0, rows_slot), 20, INVALID },
		{ "rows_slot unknown", L(0, rows_slot), 21, INVALID },
		{ "rows_slot none, others take no rows", L(0, rows_slot), NONE, INVALID },
		{ "in_type", L(0, in_type), VACC_TYPE_BF16, UNSUPPORTED },
		{ "in_type unknown", L(0, in_type), 99, UNSUPPORTED },
		{ "weight_type", L(0, weight_type), VACC_TYPE_I8, UNSUPPORTED },
		{ "out_type", L(0, out_type), VACC_TYPE_F32, UNSUPPORTED },
		{ "accumulator_type", L(0, accumulator_type), VACC_TYPE_F16, UNSUPPORTED },
		{ "accumulator_type", L(0, accumulator_type), VACC_TYPE_F64, UNSUPPORTED },
		{ "epilogue", L(0, epilogue), 1, UNSUPPORTED },
		{ "reserved", L(0, reserved), 1, INVALID },
		{ "reserved, last", L(0, reserved[2]), 1, INVALID },
		{ "aux.slot", L(0, aux.slot), 10, UNSUPPORTED },
		{ "aux.slot 0", L(0, aux.slot), 0, UNSUPPORTED },
		{ "aux.type", L(0, aux.type), VACC_TYPE_F16, INVALID },
		{ "aux.reserved", L(0, aux.reserved), 1, INVALID },
		{ "aux.offset", L(0, aux.offset), 2, INVALID },
		{ "aux.row_stride", L(0, aux.row_stride), 2, INVALID },
		{ "in.slot none", L(0, in.slot), NONE, INVALID },
		{ "in.slot unknown", L(0, in.slot), 4, INVALID },
		{ "in.type", L(0, in.type), VACC_TYPE_F32, INVALID },
		{ "in.type untyped", L(0, in.type), 0, INVALID },
		{ "in.reserved", L(0, in.reserved), 1, INVALID },
		{ "in.offset odd", L(2, in.offset), 1, INVALID },
		{ "in.offset past the end", L(2, in.offset), 4018, INVALID },
		{ "in.offset at the end", L(2, in.offset), 4016, OK },
		{ "in.offset overflow", L(2, in.offset), ~1ULL, INVALID },
		{ "in.row_stride odd", L(2, in.row_stride), 33, INVALID },
		{ "in.row_stride below a row", L(2, in.row_stride), 2, OK },
		{ "in.row_stride too large", L(2, in.row_stride), 4096, INVALID },
		{ "in.row_stride overflow", L(2, in.row_stride), 1ULL << 63, INVALID },
		{ "in.row_stride overflow of the most rows", L(0, in.row_stride), 1ULL << 62,
		  INVALID },
		{ "weight.slot", L(0, weight.slot), NONE, INVALID },
		{ "weight.type", L(0, weight.type), VACC_TYPE_BF16, INVALID },
		{ "weight.reserved", L(0, weight.reserved), 1, INVALID },
		{ "weight.offset odd", L(0, weight.offset), 1, INVALID },
		{ "weight.offset", L(0, weight.offset), 2, INVALID },
		{ "weight.row_stride", L(0, weight.row_stride), 18, INVALID },
		{ "weight.row_stride below a row", L(0, weight.row_stride), 14, OK },
		{ "out.slot read only", L(0, out.slot), 20, INVALID },
		{ "out.type", L(0, out.type), VACC_TYPE_F32, INVALID },
		{ "out.reserved", L(0, out.reserved), 1, INVALID },
		{ "out.offset odd", L(2, out.offset), 1025, INVALID },
		{ "out.offset over its input", L(2, out.offset), 4, OK },
		{ "out.offset past the end", L(0, out.offset), 2, INVALID },
		{ "out.row_stride of a row", L(2, out.row_stride), 10, OK },
		{ "out.row_stride below a row", L(2, out.row_stride), 8, INVALID },
		{ "out.row_stride below a row, of one row", L(1, out.row_stride), 2, INVALID },
		{ "out.row_stride odd", L(2, out.row_stride), 17, INVALID },
	};

	check_rules(rules, ARRAY_SIZE(rules));
}

/* M5: target and resident charge of the load. */
TEST(batch_load_statuses)
{
	struct batch b;
	struct artifact a;
	struct eng_program *program;
	struct eng_reason reason;

	sample_batch(&b);
	a = batch_artifact(&b);
	CASE("resident charge of the load");
	a.resident++;
	CHECK_EQ(load_batch(&a, &program, &reason), INCOMPATIBLE);
	CASE("another format's artifact");
	CHECK_EQ(load_ref(&a, &program, &reason), INCOMPATIBLE);
	a.resident = VACC_REF_RESIDENT;
	CHECK_EQ(load_ref(&a, &program, &reason), INVALID);
	artifact_free(&a);
}

TEST(batch_of_no_use)
{
	struct batch b;
	struct artifact a;
	struct eng_program *program;
	struct eng_reason reason;

	CASE("a slot that nothing uses");
	sample_batch(&b);
	batch_slot(&b, 50, RW, 0, 1, 1, 0);
	a = batch_artifact(&b);
	CHECK_EQ(load_batch(&a, &program, &reason), INVALID);
	artifact_free(&a);

	CASE("a launch that nothing uses");
	sample_batch(&b);
	b.launches[b.launch_count++] = b.launches[0];
	a = batch_artifact(&b);
	CHECK_EQ(load_batch(&a, &program, &reason), INVALID);
	CHECK_EQ(reason.launch, b.launch_count - 1);
	artifact_free(&a);

	CASE("copy between types");
	batch_init(&b);
	batch_slot(&b, 1, R, VACC_TYPE_U8, 1, 8, 0);
	batch_slot(&b, 2, W, VACC_TYPE_F16, 1, 8, 0);
	batch_copy(&b, 1, 0, 2, 0, 8);
	a = batch_artifact(&b);
	CHECK_EQ(load_batch(&a, &program, &reason), INVALID);
	CHECK_EQ(reason.command, 0);
	artifact_free(&a);

	CASE("launches in any order");
	sample_batch(&b);
	b.commands[LIN].first_launch = cpu_to_le32(2);
	b.commands[LIN + 1].first_launch = 0;
	program = must_load(&b);
	eng_program_free(program);
}
