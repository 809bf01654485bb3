// SPDX-License-Identifier: GPL-2.0
/*
 * Artifacts: what is refused and how, and what those that are not do.
 */
#include <kunit/test.h>
#include <linux/slab.h>
#include <linux/unaligned.h>

#include <linux/vacc_reference.h>
#include <linux/virtio_accel.h>

#include "../mock/engine/program.h"

/* A good program of the small format: a copy from slot 7 to slot 9. */
static const struct vacc_ref_artifact load_copy = {
	.magic = "VAMK",
	.major = 1,
	.op = VACC_REF_OP_COPY,
	.binding_abi = 1,
	.first = cpu_to_le32(7),
	.second = cpu_to_le32(9),
};

static u16 load_ref(const void *payload, u64 bytes, struct eng_program **program)
{
	struct eng_load load = {
		.format = VACC_REF_FORMAT,
		.target = { VACC_REF_TARGET0, VACC_REF_TARGET1, VACC_REF_TARGET2,
			    VACC_REF_TARGET3 },
		.payload = payload,
		.payload_bytes = bytes,
		.resident_bytes = VACC_REF_RESIDENT,
	};
	struct eng_reason reason = { 0, 0, 0, NULL };

	return eng_program_load(&load, program, &reason);
}

/* One byte changed. */
struct load_change {
	const char *name;
	u32 offset;
	u8 value;
	u16 status;
};

#define REF(_field)	offsetof(struct vacc_ref_artifact, _field)

static const struct load_change load_ref_changes[] = {
	{ "none", REF(major), 1, VIRTIO_ACCEL_S_OK },
	{ "magic", 3, 'k', VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "major", REF(major), 2, VIRTIO_ACCEL_S_INCOMPATIBLE },
	{ "minor", REF(minor), 1, VIRTIO_ACCEL_S_INCOMPATIBLE },
	{ "binding ABI", REF(binding_abi), 0, VIRTIO_ACCEL_S_INCOMPATIBLE },
	{ "operation", REF(op), 4, VIRTIO_ACCEL_S_UNSUPPORTED },
	{ "fill of two slots", REF(op), 2, VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "xor of two slots", REF(op), 3, VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "barrier of two slots", REF(op), 0, VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "copy onto itself", REF(second), 7, VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "operand of a copy", REF(operand), 1, VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "first reserved byte", REF(reserved), 1,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "last reserved byte", 23, 1, VIRTIO_ACCEL_S_INVALID_ARGUMENT },
};

KUNIT_ARRAY_PARAM_DESC(load_ref_change, load_ref_changes, name);

static void load_small_format(struct kunit *test)
{
	const struct load_change *change = test->param_value;
	struct vacc_ref_artifact artifact = load_copy;
	struct eng_program *program = NULL;

	((u8 *)&artifact)[change->offset] = change->value;
	KUNIT_EXPECT_EQ(test, load_ref(&artifact, sizeof(artifact), &program),
			change->status);
	KUNIT_EXPECT_EQ(test, !program, change->status != VIRTIO_ACCEL_S_OK);
	eng_program_free(program);
}

static void load_small_lengths(struct kunit *test)
{
	u8 artifact[sizeof(load_copy) + 1] = {};
	struct eng_program *program = NULL;
	u32 bytes;

	memcpy(artifact, &load_copy, sizeof(load_copy));
	for (bytes = 0; bytes <= sizeof(artifact); bytes++)
		if (bytes != sizeof(load_copy))
			KUNIT_EXPECT_EQ(test, load_ref(artifact, bytes, &program),
					VIRTIO_ACCEL_S_INVALID_ARGUMENT);
	KUNIT_EXPECT_NULL(test, program);
}

/* A batch of one of everything, over three slots of 64 bytes. */
struct load_batch {
	struct vacc_batch_header header;
	struct vacc_batch_slot slots[3];
	struct vacc_batch_command commands[6];
	struct vacc_batch_launch launch;
	u8 data[8];
} __packed;

#define BATCH(_field)	offsetof(struct load_batch, _field)

static struct vacc_batch_command load_command(u16 op, u32 src, u32 dst, u64 bytes)
{
	return (struct vacc_batch_command){
		.op = cpu_to_le16(op),
		.src_slot = cpu_to_le32(src),
		.dst_slot = cpu_to_le32(dst),
		.bytes = cpu_to_le64(bytes),
	};
}

static struct vacc_batch_region load_region(u32 slot, u64 offset)
{
	return (struct vacc_batch_region){
		.slot = cpu_to_le32(slot),
		.type = cpu_to_le16(VACC_TYPE_F16),
		.offset = cpu_to_le64(offset),
	};
}

static void load_batch_records(struct load_batch *b)
{
	const u32 none = VACC_BATCH_NO_SLOT;
	int i;

	for (i = 0; i < 3; i++)
		b->slots[i] = (struct vacc_batch_slot){
			.slot = cpu_to_le32(10 + i),
			.access = VIRTIO_ACCEL_ACCESS_READ_WRITE,
			.offset_align = cpu_to_le32(2),
			.min_bytes = cpu_to_le64(64),
		};
	b->commands[0] = load_command(VACC_BATCH_OP_UPLOAD, none, 10, 8);
	b->commands[1] = load_command(VACC_BATCH_OP_COPY, 10, 11, 8);
	b->commands[2] = load_command(VACC_BATCH_OP_FILL, none, 12, 64);
	b->commands[2].value = 0x5a;
	b->commands[3] = load_command(VACC_BATCH_OP_XOR, none, 12, 4);
	b->commands[3].value = 0xff;
	b->commands[4] = load_command(VACC_BATCH_OP_ZERO, none, 12, 2);
	b->commands[5] = load_command(VACC_BATCH_OP_DENSE_LINEAR, none, none, 0);
	b->commands[5].launch_count = cpu_to_le32(1);
	b->launch = (struct vacc_batch_launch){
		.in = load_region(10, 0),
		.weight = load_region(11, 0),
		.out = load_region(12, 8),
		.aux.slot = cpu_to_le32(none),
		.rows = cpu_to_le32(2),
		.in_features = cpu_to_le32(2),
		.out_features = cpu_to_le32(2),
		.rows_slot = cpu_to_le32(none),
		.in_type = cpu_to_le16(VACC_TYPE_F16),
		.weight_type = cpu_to_le16(VACC_TYPE_F16),
		.out_type = cpu_to_le16(VACC_TYPE_F16),
		.accumulator_type = cpu_to_le16(VACC_TYPE_F32),
	};
	/* 1, 2; 3, 0 in f16. */
	memcpy(b->data, "\x00\x3c\x00\x40\x00\x42\x00\x00", 8);
}

static void load_batch_init(struct load_batch *b)
{
	memset(b, 0, sizeof(*b));
	b->header = (struct vacc_batch_header){
		.magic = cpu_to_le32(VACC_BATCH_MAGIC),
		.major = cpu_to_le16(1),
		.total_bytes = cpu_to_le64(sizeof(*b)),
		.slot_count = cpu_to_le32(3),
		.slot_bytes = cpu_to_le32(sizeof(b->slots[0])),
		.command_count = cpu_to_le32(6),
		.command_bytes = cpu_to_le32(sizeof(b->commands[0])),
		.launch_count = cpu_to_le32(1),
		.launch_bytes = cpu_to_le32(sizeof(b->launch)),
		.data_offset = cpu_to_le64(BATCH(data)),
		.data_bytes = cpu_to_le64(sizeof(b->data)),
		.resident_bytes = cpu_to_le64(vacc_batch_resident(3, 6, 1, 8)),
	};
	load_batch_records(b);
}

static u16 load_batch(const void *payload, u64 bytes, struct eng_program **program)
{
	struct eng_load load = {
		.format = VACC_BATCH_FORMAT,
		.target = { VACC_BATCH_TARGET0, VACC_BATCH_TARGET1,
			    VACC_BATCH_TARGET2, VACC_BATCH_TARGET3 },
		.payload = payload,
		.payload_bytes = bytes,
		.resident_bytes = vacc_batch_resident(3, 6, 1, 8),
	};
	struct eng_reason reason = { 0, 0, 0, NULL };

	return eng_program_load(&load, program, &reason);
}

static const struct load_change load_batch_changes[] = {
	{ "none", 0, 'V', VIRTIO_ACCEL_S_OK },
	{ "no alias", BATCH(header.flags), 1, VIRTIO_ACCEL_S_OK },
	{ "magic", 0, 'v', VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "major", BATCH(header.major), 2, VIRTIO_ACCEL_S_INCOMPATIBLE },
	{ "minor", BATCH(header.minor), 1, VIRTIO_ACCEL_S_INCOMPATIBLE },
	{ "flag", BATCH(header.flags), 2, VIRTIO_ACCEL_S_UNSUPPORTED },
	{ "feature", BATCH(header.required_features) + 7, 1,
	  VIRTIO_ACCEL_S_UNSUPPORTED },
	{ "header reserved", BATCH(header.reserved0), 1,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "header reserved end", BATCH(header.reserved1) + 15, 1,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "total", BATCH(header.total_bytes), 1, VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "slot count", BATCH(header.slot_count), 0,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "slot count of 2^24", BATCH(header.slot_count) + 3, 1,
	  VIRTIO_ACCEL_S_RESOURCE_LIMIT },
	{ "command count", BATCH(header.command_count), 0,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "command bytes", BATCH(header.command_bytes), 72,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "launch count of 2^24", BATCH(header.launch_count) + 3, 1,
	  VIRTIO_ACCEL_S_RESOURCE_LIMIT },
	{ "data offset", BATCH(header.data_offset), 1,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "data bytes of 2^63", BATCH(header.data_bytes) + 7, 0x80,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "resident", BATCH(header.resident_bytes), 1,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "slot twice", BATCH(slots[1].slot), 10, VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "slot unknown to commands", BATCH(slots[1].slot), 99,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "slot access", BATCH(slots[2].access), 1,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "slot access 4", BATCH(slots[2].access), 4,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "slot type", BATCH(slots[0].element_type), VACC_TYPE_COUNT,
	  VIRTIO_ACCEL_S_UNSUPPORTED },
	{ "slot of another type", BATCH(slots[0].element_type), VACC_TYPE_F32,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "slot flag", BATCH(slots[0].flags), 1, VIRTIO_ACCEL_S_UNSUPPORTED },
	{ "slot align 0", BATCH(slots[0].offset_align), 0,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "slot align 3", BATCH(slots[0].offset_align), 3,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "slot too short", BATCH(slots[2].min_bytes), 63,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "row unit in vain", BATCH(slots[0].row_unit), 4,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "reserved operation", BATCH(commands[1].op), 7,
	  VIRTIO_ACCEL_S_UNSUPPORTED },
	{ "vendor operation", BATCH(commands[1].op) + 1, 0x80,
	  VIRTIO_ACCEL_S_UNSUPPORTED },
	{ "command flag", BATCH(commands[1].flags), 1, VIRTIO_ACCEL_S_UNSUPPORTED },
	{ "copy of nothing", BATCH(commands[1].bytes), 0,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "copy beyond", BATCH(commands[1].src_offset), 57,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "copy to 2^63", BATCH(commands[1].dst_offset) + 7, 0x80,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "copy with a value", BATCH(commands[1].value), 1,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "upload beyond", BATCH(commands[0].data_offset), 1,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "launch that is not there", BATCH(commands[5].first_launch), 1,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "launch of nobody", BATCH(commands[5].launch_count), 0,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "no rows", BATCH(launch.rows), 0, VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "too many rows", BATCH(launch.rows), 17,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "2^31 features", BATCH(launch.in_features) + 3, 0x80,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "type of the launch", BATCH(launch.in_type), VACC_TYPE_F32,
	  VIRTIO_ACCEL_S_UNSUPPORTED },
	{ "accumulator", BATCH(launch.accumulator_type), VACC_TYPE_F16,
	  VIRTIO_ACCEL_S_UNSUPPORTED },
	{ "epilogue", BATCH(launch.epilogue), 1, VIRTIO_ACCEL_S_UNSUPPORTED },
	{ "aux", BATCH(launch.aux.slot), 10, VIRTIO_ACCEL_S_UNSUPPORTED },
	{ "aux offset", BATCH(launch.aux.offset), 1,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "type of a region", BATCH(launch.in.type), VACC_TYPE_BF16,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "odd offset", BATCH(launch.in.offset), 1,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "stride over rows", BATCH(launch.out.row_stride), 2,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
	{ "reserved of the launch", BATCH(launch.reserved) + 5, 1,
	  VIRTIO_ACCEL_S_INVALID_ARGUMENT },
};

KUNIT_ARRAY_PARAM_DESC(load_batch_change, load_batch_changes, name);

static void load_batch_format(struct kunit *test)
{
	const struct load_change *change = test->param_value;
	struct load_batch *batch = kunit_kzalloc(test, sizeof(*batch), GFP_KERNEL);
	struct eng_program *program = NULL;

	KUNIT_ASSERT_NOT_NULL(test, batch);
	load_batch_init(batch);
	((u8 *)batch)[change->offset] = change->value;
	KUNIT_EXPECT_EQ(test, load_batch(batch, sizeof(*batch), &program),
			change->status);
	KUNIT_EXPECT_EQ(test, !program, change->status != VIRTIO_ACCEL_S_OK);
	eng_program_free(program);
}

/*
 * Every prefix, one byte more, every bit flipped: refused, or a program.  The artifact
 * has an allocation of its own length, so that reading beyond is seen.
 */
static void load_batch_lengths(struct kunit *test)
{
	struct eng_program *program = NULL;
	struct load_batch batch;
	u32 bytes;
	u8 *exact;

	load_batch_init(&batch);
	for (bytes = 0; bytes <= sizeof(batch) + 1; bytes++) {
		if (bytes == sizeof(batch))
			continue;
		exact = kzalloc(bytes ? bytes : 1, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, exact);
		memcpy(exact, &batch, min_t(u32, bytes, sizeof(batch)));
		KUNIT_EXPECT_EQ(test, load_batch(exact, bytes, &program),
				VIRTIO_ACCEL_S_INVALID_ARGUMENT);
		kfree(exact);
	}
	KUNIT_EXPECT_NULL(test, program);
}

/* Records longer than the artifact, with a length of data that makes up for it. */
static void load_batch_wraps(struct kunit *test)
{
	const u64 bytes = BATCH(data) - 8;
	const u64 resident = vacc_batch_resident(3, 6, 1, -8ULL);
	struct load_batch *batch = kunit_kzalloc(test, sizeof(*batch), GFP_KERNEL);
	struct eng_reason reason = { 0, 0, 0, NULL };
	struct eng_program *program = NULL;
	struct eng_load load = {
		.format = VACC_BATCH_FORMAT,
		.target = { VACC_BATCH_TARGET0, VACC_BATCH_TARGET1,
			    VACC_BATCH_TARGET2, VACC_BATCH_TARGET3 },
		.payload = batch,
		.payload_bytes = bytes,
		.resident_bytes = resident,
	};

	KUNIT_ASSERT_NOT_NULL(test, batch);
	load_batch_init(batch);
	batch->header.total_bytes = cpu_to_le64(bytes);
	batch->header.data_bytes = cpu_to_le64(-8ULL);
	batch->header.resident_bytes = cpu_to_le64(resident);
	KUNIT_EXPECT_EQ(test, eng_program_load(&load, &program, &reason),
			VIRTIO_ACCEL_S_INVALID_ARGUMENT);
}

static void load_batch_bits(struct kunit *test)
{
	struct load_batch *batch = kunit_kzalloc(test, sizeof(*batch), GFP_KERNEL);
	struct eng_program_info info;
	struct eng_program *program;
	u32 loaded = 0;
	u32 bit;

	KUNIT_ASSERT_NOT_NULL(test, batch);
	for (bit = 0; bit < sizeof(*batch) * 8; bit++) {
		load_batch_init(batch);
		((u8 *)batch)[bit / 8] ^= 1 << bit % 8;
		program = NULL;
		if (load_batch(batch, sizeof(*batch), &program))
			continue;
		eng_program_info(program, &info);
		KUNIT_EXPECT_EQ(test, info.slot_count, 3U);
		KUNIT_EXPECT_EQ(test, info.command_count, 6U);
		loaded++;
		eng_program_free(program);
	}
	/* Data and values at least may be anything, most other bits may not. */
	KUNIT_EXPECT_GE(test, loaded, 80U);
	KUNIT_EXPECT_LT(test, loaded, (u32)sizeof(*batch) * 4);
}

/* Runs a program to its end, in steps of a length. */
static u16 load_run(struct kunit *test, struct eng_program *program,
		    const struct eng_range *ranges, u32 count, u64 budget)
{
	struct eng_run *run = kunit_kzalloc(test, eng_run_bytes(program),
					    GFP_KERNEL);
	void *work = kunit_kzalloc(test, eng_run_work_bytes(program) ?: 1,
				   GFP_KERNEL);
	struct eng_reason reason = { 0, 0, 0, NULL };
	struct eng_counters counters = {};
	struct eng_plan plan = {};
	u16 status;

	KUNIT_ASSERT_NOT_NULL(test, run);
	KUNIT_ASSERT_NOT_NULL(test, work);
	status = eng_run_init(run, program, ranges, count, &plan, &reason);
	if (status)
		return status;
	eng_run_set_scratch(run, plan.scratch_bytes ?
			    kunit_kzalloc(test, plan.scratch_bytes, GFP_KERNEL) :
			    NULL);
	while (!eng_run_step(run, work, NULL, budget, 0, &counters))
		;
	return VIRTIO_ACCEL_S_OK;
}

static void load_batch_runs(struct kunit *test)
{
	u8 *memory = kunit_kzalloc(test, 3 * 64, GFP_KERNEL);
	struct load_batch *batch = kunit_kzalloc(test, sizeof(*batch), GFP_KERNEL);
	/* [1 2; 3 0] times its own transpose. */
	static const u16 product[] = { 0x4500, 0x4200, 0x4200, 0x4880 };
	struct eng_program *program = NULL;
	struct eng_range ranges[3];
	int i;

	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_ASSERT_NOT_NULL(test, batch);
	load_batch_init(batch);
	KUNIT_ASSERT_EQ(test, load_batch(batch, sizeof(*batch), &program), 0);
	/* The program keeps what it needs. */
	memset(batch, 0xee, sizeof(*batch));
	for (i = 0; i < 3; i++)
		ranges[i] = (struct eng_range){
			.mem = memory + 64 * i,
			.bytes = 64,
			.slot = 10 + i,
			.access = VIRTIO_ACCEL_ACCESS_READ_WRITE,
		};
	KUNIT_EXPECT_EQ(test, load_run(test, program, ranges, 3, 1), 0);
	KUNIT_EXPECT_MEMEQ(test, memory, memory + 64, 64);
	KUNIT_EXPECT_EQ(test, get_unaligned_le16(memory + 4), 0x4200);
	KUNIT_EXPECT_EQ(test, get_unaligned_le16(memory + 128), 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_le16(memory + 130), 0xa5a5);
	KUNIT_EXPECT_EQ(test, get_unaligned_le16(memory + 132), 0x5a5a);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, get_unaligned_le16(memory + 136 + 2 * i),
				product[i]);
	KUNIT_EXPECT_EQ(test, memory[191], 0x5a);
	ranges[2].slot = 10;
	KUNIT_EXPECT_EQ(test, load_run(test, program, ranges, 3, 1),
			VIRTIO_ACCEL_S_INCOMPATIBLE);
	KUNIT_EXPECT_EQ(test, load_run(test, program, ranges, 2, 1),
			VIRTIO_ACCEL_S_INCOMPATIBLE);
	eng_program_free(program);
}

/* Copies 32 bytes within 64, and says whether it was as if they had been read first. */
static void load_copy_within(struct kunit *test, struct eng_program *program,
			     u32 from, u32 to, u64 budget)
{
	u8 *memory = kunit_kzalloc(test, 64, GFP_KERNEL);
	u8 want[64];
	int i;

	KUNIT_ASSERT_NOT_NULL(test, memory);
	for (i = 0; i < 64; i++)
		memory[i] = i;
	memcpy(want, memory, 64);
	memcpy(want + to, memory + from, 32);
	{
		const struct eng_range ranges[] = {
			{ .mem = memory + from, .bytes = 32, .slot = 7,
			  .access = VIRTIO_ACCEL_ACCESS_READ },
			{ .mem = memory + to, .bytes = 32, .slot = 9,
			  .access = VIRTIO_ACCEL_ACCESS_WRITE },
		};

		KUNIT_EXPECT_EQ(test, load_run(test, program, ranges, 2, budget),
				0);
	}
	KUNIT_EXPECT_MEMEQ(test, memory, want, 64);
}

static void load_copy_overlaps(struct kunit *test)
{
	static const u64 budgets[] = { 1, 10, 1 << 20 };
	struct eng_program *program = NULL;
	int i;

	KUNIT_ASSERT_EQ(test, load_ref(&load_copy, sizeof(load_copy), &program), 0);
	for (i = 0; i < ARRAY_SIZE(budgets); i++) {
		load_copy_within(test, program, 0, 5, budgets[i]);
		load_copy_within(test, program, 5, 0, budgets[i]);
		load_copy_within(test, program, 0, 31, budgets[i]);
		load_copy_within(test, program, 31, 0, budgets[i]);
		load_copy_within(test, program, 3, 3, budgets[i]);
	}
	eng_program_free(program);
}

/* A copy of unequal lengths is refused. */
static void load_copy_lengths(struct kunit *test)
{
	u8 *memory = kunit_kzalloc(test, 64, GFP_KERNEL);
	struct eng_range ranges[] = {
		{ .mem = memory, .bytes = 31, .slot = 7,
		  .access = VIRTIO_ACCEL_ACCESS_READ },
		{ .mem = memory + 32, .bytes = 32, .slot = 9,
		  .access = VIRTIO_ACCEL_ACCESS_WRITE },
	};
	struct eng_program *program = NULL;

	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_ASSERT_EQ(test, load_ref(&load_copy, sizeof(load_copy), &program), 0);
	KUNIT_EXPECT_EQ(test, load_run(test, program, ranges, 2, 1),
			VIRTIO_ACCEL_S_INCOMPATIBLE);
	ranges[0].bytes = 32;
	KUNIT_EXPECT_EQ(test, load_run(test, program, ranges, 2, 1), 0);
	eng_program_free(program);
}

static struct kunit_case load_cases[] = {
	KUNIT_CASE_PARAM(load_small_format, load_ref_change_gen_params),
	KUNIT_CASE(load_small_lengths),
	KUNIT_CASE_PARAM(load_batch_format, load_batch_change_gen_params),
	KUNIT_CASE(load_batch_lengths),
	KUNIT_CASE(load_batch_wraps),
	KUNIT_CASE(load_batch_bits),
	KUNIT_CASE(load_batch_runs),
	KUNIT_CASE(load_copy_overlaps),
	KUNIT_CASE(load_copy_lengths),
	{}
};

static struct kunit_suite load_suite = {
	.name = "virtio_accel_engine_load",
	.test_cases = load_cases,
};

kunit_test_suite(load_suite);
