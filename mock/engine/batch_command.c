// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The batch format: commands.  The rules stand in batch.c.
 */
#include "batch.h"

/* Fields of a command that some operations use and others do not. */
#define HAS_LAUNCHES	BIT(0)
#define HAS_SOURCE	BIT(1)
#define HAS_TARGET	BIT(2)
#define HAS_DATA	BIT(3)
#define HAS_VALUE	BIT(4)
#define MAY_STAND_AT	BIT(5)	/* the target slot alone, or none */

/* What each operation has, and what it does with its target. */
static const struct {
	u8 fields;
	u8 uses;
} operations[] = {
	[VACC_BATCH_OP_BARRIER] = { MAY_STAND_AT, 0 },
	[VACC_BATCH_OP_COPY] = { HAS_SOURCE | HAS_TARGET, VIRTIO_ACCEL_ACCESS_WRITE },
	[VACC_BATCH_OP_FILL] = { HAS_TARGET | HAS_VALUE, VIRTIO_ACCEL_ACCESS_WRITE },
	[VACC_BATCH_OP_XOR] = { HAS_TARGET | HAS_VALUE, VIRTIO_ACCEL_ACCESS_READ_WRITE },
	[VACC_BATCH_OP_ZERO] = { HAS_TARGET, VIRTIO_ACCEL_ACCESS_WRITE },
	[VACC_BATCH_OP_UPLOAD] = { HAS_TARGET | HAS_DATA, VIRTIO_ACCEL_ACCESS_WRITE },
	[VACC_BATCH_OP_DENSE_LINEAR] = { HAS_LAUNCHES, 0 },
};

static u16 check_unused(const struct vacc_batch_command *r, u8 fields,
			struct eng_reason *reason)
{
	if (!(fields & HAS_LAUNCHES) && (r->first_launch || r->launch_count))
		return eng_refuse(reason, ENG_INVALID,
				  "an operation without launches names some");
	if (!(fields & HAS_SOURCE) &&
	    (le32_to_cpu(r->src_slot) != VACC_BATCH_NO_SLOT || r->src_offset))
		return eng_refuse(reason, ENG_INVALID,
				  "an operation without source names one");
	if (!(fields & (HAS_TARGET | MAY_STAND_AT)) &&
	    le32_to_cpu(r->dst_slot) != VACC_BATCH_NO_SLOT)
		return eng_refuse(reason, ENG_INVALID,
				  "an operation without destination names one");
	if (!(fields & HAS_TARGET) && (r->dst_offset || r->bytes))
		return eng_refuse(reason, ENG_INVALID,
				  "an operation that moves nothing has an offset or a length");
	if (!(fields & HAS_DATA) && r->data_offset)
		return eng_refuse(reason, ENG_INVALID,
				  "an operation without data has an offset of some");
	if (!(fields & HAS_VALUE) && r->value)
		return eng_refuse(reason, ENG_INVALID,
				  "an operation without value has one");
	return ENG_OK;
}

static bool fits(u64 offset, u64 bytes, u64 limit)
{
	return offset <= limit && bytes <= limit - offset;
}

static u16 read_source(struct eng_batch *b, const struct vacc_batch_command *r,
		       struct eng_command *command)
{
	u16 status = eng_batch_use(b, le32_to_cpu(r->src_slot),
				   VIRTIO_ACCEL_ACCESS_READ, &command->src);

	if (status != ENG_OK)
		return status;
	if (!fits(command->src_offset, command->bytes,
		  b->program->slots[command->src].min_bytes))
		return eng_refuse(b->reason, ENG_INVALID,
				  "the source does not end within its slot's min_bytes");
	return ENG_OK;
}

static u16 read_target(struct eng_batch *b, const struct vacc_batch_command *r,
		       u8 uses, struct eng_command *command)
{
	u16 status = eng_batch_use(b, le32_to_cpu(r->dst_slot), uses, &command->dst);

	if (status != ENG_OK)
		return status;
	if (!command->bytes)
		return eng_refuse(b->reason, ENG_INVALID, "the command moves no bytes");
	if (!fits(command->dst_offset, command->bytes,
		  b->program->slots[command->dst].min_bytes))
		return eng_refuse(b->reason, ENG_INVALID,
				  "the destination does not end within its slot's min_bytes");
	return ENG_OK;
}

static u16 check_copy_types(struct eng_batch *b, const struct eng_command *command)
{
	u8 from = b->program->slots[command->src].type;
	u8 to = b->program->slots[command->dst].type;

	if (from != to && from != VACC_TYPE_UNTYPED && to != VACC_TYPE_UNTYPED)
		return eng_refuse(b->reason, ENG_INVALID,
				  "source and destination have different element types");
	return ENG_OK;
}

/* Launches are claimed, so that none belongs to two commands. */
static u16 read_launches(struct eng_batch *b, u32 index, struct eng_command *command)
{
	struct eng_program *p = b->program;
	u32 i;

	if (!command->launch_count)
		return eng_refuse(b->reason, ENG_INVALID,
				  "a dense-linear has no launches");
	if (!fits(command->first_launch, command->launch_count, p->info.launch_count))
		return eng_refuse(b->reason, ENG_INVALID,
				  "a dense-linear names launches that are not there");
	for (i = command->first_launch;
	     i < command->first_launch + command->launch_count; i++) {
		if (p->launches[i].command != ENG_NO_INDEX) {
			b->reason->launch = i;
			return eng_refuse(b->reason, ENG_INVALID,
					  "two commands have the same launch");
		}
		p->launches[i].command = index;
	}
	return ENG_OK;
}

static u16 read_fields(struct eng_batch *b, const struct vacc_batch_command *r,
		       u32 index, struct eng_command *command)
{
	u8 fields = operations[command->op].fields;
	u16 status = ENG_OK;

	if (fields & HAS_TARGET)
		status = read_target(b, r, operations[command->op].uses, command);
	if (status == ENG_OK && fields & HAS_SOURCE) {
		status = read_source(b, r, command);
		if (status == ENG_OK)
			status = check_copy_types(b, command);
	}
	if (status == ENG_OK && fields & HAS_DATA) {
		b->has_upload = true;
		if (!fits(command->data_offset, command->bytes, b->data_bytes))
			return eng_refuse(b->reason, ENG_INVALID,
					  "an upload's data do not end within the artifact's");
	}
	if (status == ENG_OK && fields & HAS_LAUNCHES)
		status = read_launches(b, index, command);
	if (status == ENG_OK && fields & MAY_STAND_AT &&
	    le32_to_cpu(r->dst_slot) != VACC_BATCH_NO_SLOT)
		status = eng_batch_use(b, le32_to_cpu(r->dst_slot), 0, &command->dst);
	return status;
}

static u16 read_command(struct eng_batch *b, const struct vacc_batch_command *r,
			u32 index, struct eng_command *command)
{
	u16 op = le16_to_cpu(r->op);
	u16 status;

	if (op >= ARRAY_SIZE(operations))
		return eng_refuse(b->reason, ENG_UNSUPPORTED,
				  "the device does not know this operation");
	if (r->flags)
		return eng_refuse(b->reason, ENG_UNSUPPORTED,
				  "a command has an unknown flag");
	if (r->reserved0 || !eng_batch_zero(r->reserved1, sizeof(r->reserved1)))
		return eng_refuse(b->reason, ENG_INVALID,
				  "a reserved field of the command is not zero");
	status = check_unused(r, operations[op].fields, b->reason);
	if (status != ENG_OK)
		return status;
	*command = (struct eng_command){
		.op = op,
		.value = r->value,
		.src = ENG_NO_INDEX,
		.dst = ENG_NO_INDEX,
		.first_launch = le32_to_cpu(r->first_launch),
		.launch_count = le32_to_cpu(r->launch_count),
		.src_offset = le64_to_cpu(r->src_offset),
		.dst_offset = le64_to_cpu(r->dst_offset),
		.bytes = le64_to_cpu(r->bytes),
		.data_offset = le64_to_cpu(r->data_offset),
	};
	return read_fields(b, r, index, command);
}

/**
 * eng_batch_commands() - read an artifact's commands
 * @b: the artifact, its slots and launches read
 *
 * Context: process context, may sleep.
 * Return: as eng_program_load().
 */
u16 eng_batch_commands(struct eng_batch *b)
{
	struct eng_program *p = b->program;
	struct vacc_batch_command record;
	u32 i;

	for (i = 0; i < p->info.command_count; i++) {
		u16 status;

		memcpy(&record, b->commands + (size_t)i * sizeof(record),
		       sizeof(record));
		status = read_command(b, &record, i, &p->commands[i]);
		if (status != ENG_OK) {
			b->reason->command = i;
			return status;
		}
		if (i % ENG_BATCH_TURN == 0)
			eng_resched();
	}
	return ENG_OK;
}
