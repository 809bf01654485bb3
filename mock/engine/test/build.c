// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Making artifacts and bindings for tests.
 */
#include "build.h"
#include "test.h"

void batch_init(struct batch *b)
{
	memset(b, 0, sizeof(*b));
	b->header.magic = cpu_to_le32(VACC_BATCH_MAGIC);
	b->header.major = cpu_to_le16(VACC_BATCH_MAJOR);
}

void batch_slot(struct batch *b, u32 slot, u8 access, u16 type, u32 align,
		u64 min_bytes, u64 row_unit)
{
	b->slots[b->slot_count++] = (struct vacc_batch_slot){
		.slot = cpu_to_le32(slot),
		.access = access,
		.element_type = cpu_to_le16(type),
		.offset_align = cpu_to_le32(align),
		.min_bytes = cpu_to_le64(min_bytes),
		.row_unit = cpu_to_le64(row_unit),
	};
}

struct vacc_batch_command *batch_command(struct batch *b, u16 op)
{
	struct vacc_batch_command *command = &b->commands[b->command_count++];

	command->op = cpu_to_le16(op);
	command->src_slot = cpu_to_le32(NONE);
	command->dst_slot = cpu_to_le32(NONE);
	return command;
}

void batch_copy(struct batch *b, u32 src, u64 src_offset, u32 dst, u64 dst_offset,
		u64 bytes)
{
	struct vacc_batch_command *command = batch_command(b, VACC_BATCH_OP_COPY);

	command->src_slot = cpu_to_le32(src);
	command->src_offset = cpu_to_le64(src_offset);
	command->dst_slot = cpu_to_le32(dst);
	command->dst_offset = cpu_to_le64(dst_offset);
	command->bytes = cpu_to_le64(bytes);
}

void batch_set(struct batch *b, u16 op, u32 dst, u64 offset, u64 bytes, u8 value)
{
	struct vacc_batch_command *command = batch_command(b, op);

	command->dst_slot = cpu_to_le32(dst);
	command->dst_offset = cpu_to_le64(offset);
	command->bytes = cpu_to_le64(bytes);
	command->value = value;
}

void batch_upload(struct batch *b, u32 dst, u64 offset, const void *data, u32 bytes)
{
	struct vacc_batch_command *command = batch_command(b, VACC_BATCH_OP_UPLOAD);

	command->dst_slot = cpu_to_le32(dst);
	command->dst_offset = cpu_to_le64(offset);
	command->bytes = cpu_to_le64(bytes);
	command->data_offset = cpu_to_le64(b->data_bytes);
	memcpy(b->data + b->data_bytes, data, bytes);
	b->data_bytes += bytes;
}

static struct vacc_batch_region region(struct matrix m)
{
	return (struct vacc_batch_region){
		.slot = cpu_to_le32(m.slot),
		.type = cpu_to_le16(VACC_TYPE_F16),
		.offset = cpu_to_le64(m.offset),
		.row_stride = cpu_to_le64(m.stride),
	};
}

struct vacc_batch_launch *batch_launch(struct batch *b, struct matrix in,
				       struct matrix weight, struct matrix out,
				       u32 rows, u32 terms, u32 outputs, u32 rows_slot)
{
	struct vacc_batch_launch *launch = &b->launches[b->launch_count++];

	*launch = (struct vacc_batch_launch){
		.in = region(in),
		.weight = region(weight),
		.out = region(out),
		.aux.slot = cpu_to_le32(NONE),
		.rows = cpu_to_le32(rows),
		.in_features = cpu_to_le32(terms),
		.out_features = cpu_to_le32(outputs),
		.rows_slot = cpu_to_le32(rows_slot),
		.in_type = cpu_to_le16(VACC_TYPE_F16),
		.weight_type = cpu_to_le16(VACC_TYPE_F16),
		.out_type = cpu_to_le16(VACC_TYPE_F16),
		.accumulator_type = cpu_to_le16(VACC_TYPE_F32),
	};
	return launch;
}

/* A command for the last @launches launches. */
void batch_linear(struct batch *b, u32 launches)
{
	struct vacc_batch_command *command =
		batch_command(b, VACC_BATCH_OP_DENSE_LINEAR);

	command->first_launch = cpu_to_le32(b->launch_count - launches);
	command->launch_count = cpu_to_le32(launches);
}

struct artifact artifact_copy(const void *bytes, size_t length, u64 resident)
{
	struct artifact a = { malloc(length), length, resident };

	memcpy(a.bytes, bytes, length);
	return a;
}

void artifact_free(struct artifact *a)
{
	free(a->bytes);
}

struct artifact batch_artifact(const struct batch *b)
{
	struct vacc_batch_header h = b->header;
	size_t slots = b->slot_count * sizeof(b->slots[0]);
	size_t commands = b->command_count * sizeof(b->commands[0]);
	size_t launches = b->launch_count * sizeof(b->launches[0]);
	size_t data_offset = sizeof(h) + slots + commands + launches;
	struct artifact a = { .length = data_offset + b->data_bytes };

	a.resident = vacc_batch_resident(b->slot_count, b->command_count,
					 b->launch_count, b->data_bytes);
	h.total_bytes = cpu_to_le64(a.length);
	h.slot_count = cpu_to_le32(b->slot_count);
	h.slot_bytes = cpu_to_le32(sizeof(b->slots[0]));
	h.command_count = cpu_to_le32(b->command_count);
	h.command_bytes = cpu_to_le32(sizeof(b->commands[0]));
	h.launch_count = cpu_to_le32(b->launch_count);
	h.launch_bytes = cpu_to_le32(sizeof(b->launches[0]));
	h.data_offset = cpu_to_le64(data_offset);
	h.data_bytes = cpu_to_le64(b->data_bytes);
	h.resident_bytes = cpu_to_le64(a.resident);

	a.bytes = malloc(a.length);
	memcpy(a.bytes, &h, sizeof(h));
	memcpy(a.bytes + sizeof(h), b->slots, slots);
	memcpy(a.bytes + sizeof(h) + slots, b->commands, commands);
	memcpy(a.bytes + sizeof(h) + slots + commands, b->launches, launches);
	memcpy(a.bytes + data_offset, b->data, b->data_bytes);
	return a;
}

u16 load_batch(const struct artifact *a, struct eng_program **program,
	       struct eng_reason *reason)
{
	struct eng_load load = {
		.format = VACC_BATCH_FORMAT,
		.target = { VACC_BATCH_TARGET0, VACC_BATCH_TARGET1,
			    VACC_BATCH_TARGET2, VACC_BATCH_TARGET3 },
		.payload = a->bytes,
		.payload_bytes = a->length,
		.resident_bytes = a->resident,
	};

	return eng_program_load(&load, program, reason);
}

u16 load_ref(const struct artifact *a, struct eng_program **program,
	     struct eng_reason *reason)
{
	struct eng_load load = {
		.format = VACC_REF_FORMAT,
		.target = { VACC_REF_TARGET0, VACC_REF_TARGET1,
			    VACC_REF_TARGET2, VACC_REF_TARGET3 },
		.payload = a->bytes,
		.payload_bytes = a->length,
		.resident_bytes = a->resident,
	};

	return eng_program_load(&load, program, reason);
}

struct eng_program *must_load(const struct batch *b)
{
	struct artifact a = batch_artifact(b);
	struct eng_program *program;
	struct eng_reason reason;
	u16 status = load_batch(&a, &program, &reason);

	artifact_free(&a);
	if (status != OK) {
		printf("refused with %u: command %d launch %d: %s\n", status,
		       (int)reason.command, (int)reason.launch, reason.text);
		abort();
	}
	return program;
}

struct artifact ref_artifact(u8 op, u32 first, u32 second, u8 operand)
{
	struct vacc_ref_artifact a = {
		.magic = { 'V', 'A', 'M', 'K' },
		.major = 1,
		.op = op,
		.binding_abi = 1,
		.first = cpu_to_le32(first),
		.second = cpu_to_le32(second),
		.operand = operand,
	};

	return artifact_copy(&a, sizeof(a), VACC_REF_RESIDENT);
}

struct eng_program *must_load_ref(u8 op, u32 first, u32 second, u8 operand)
{
	struct artifact a = ref_artifact(op, first, second, operand);
	struct eng_program *program;
	struct eng_reason reason;
	u16 status = load_ref(&a, &program, &reason);

	artifact_free(&a);
	if (status != OK)
		abort();
	return program;
}

struct eng_range range_of(void *buffer, u64 offset, u64 bytes, u32 slot, u8 access)
{
	return (struct eng_range){
		.mem = (u8 *)buffer + offset,
		.bytes = bytes,
		.offset = offset,
		.slot = slot,
		.access = access,
	};
}

u16 check_ranges(const struct eng_program *program, const struct eng_range *ranges,
		 u32 count, struct eng_plan *plan, struct eng_reason *reason)
{
	struct eng_run *run = malloc(eng_run_bytes(program));
	u16 status;

	memset(run, 0x5a, eng_run_bytes(program));
	status = eng_run_init(run, program, ranges, count, plan, reason);
	free(run);
	return status;
}

u16 run_ranges(const struct eng_program *program, const struct eng_range *ranges,
	       u32 count, u64 budget, struct eng_counters *counters)
{
	struct eng_run *run = malloc(eng_run_bytes(program));
	size_t work_bytes = eng_run_work_bytes(program);
	u8 *work = malloc(work_bytes), *scratch = NULL;
	struct eng_program_info info;
	struct eng_reason reason;
	struct eng_plan plan;
	u16 status;

	memset(run, 0x5a, eng_run_bytes(program));
	memset(work, 0x5a, work_bytes);
	status = eng_run_init(run, program, ranges, count, &plan, &reason);
	if (status == OK) {
		eng_program_info(program, &info);
		CHECK(plan.scratch_bytes <= info.max_scratch_bytes);
		if (plan.scratch_bytes) {
			scratch = malloc(plan.scratch_bytes);
			memset(scratch, 0x5a, plan.scratch_bytes);
		}
		eng_run_set_scratch(run, scratch);
		while (!eng_run_step(run, work, NULL, budget, 0, counters))
			;
		CHECK_EQ(eng_run_command(run), info.command_count);
	}
	free(scratch);
	free(work);
	free(run);
	return status;
}
