// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Programs: what all formats have in common.
 */
#include "summary.h"

/**
 * eng_refuse() - say why something is refused
 * @reason: where to; command, launch and binding stay as they are
 * @status: VIRTIO_ACCEL_S_*
 * @text: a sentence that is never freed
 *
 * Context: any.
 * Return: @status.
 */
u16 eng_refuse(struct eng_reason *reason, u16 status, const char *text)
{
	reason->text = text;
	return status;
}

/**
 * eng_program_alloc() - memory for a program
 * @slots: number of slots
 * @commands: number of commands
 * @launches: number of launches
 * @data_bytes: bytes of data
 *
 * Context: process context, may sleep.
 * Return: the program, all zero but for its counts and pointers, or NULL.
 */
struct eng_program *eng_program_alloc(u32 slots, u32 commands, u32 launches,
				      u64 data_bytes)
{
	struct eng_program *program;
	u64 bytes;

	/* Counts are bounded by their formats: only the data can be too much. */
	bytes = sizeof(*program) + (u64)slots * sizeof(*program->slots) +
		(u64)commands * sizeof(*program->commands) +
		(u64)launches * sizeof(*program->launches);
	if (check_add_overflow(bytes, data_bytes, &bytes) || bytes > SIZE_MAX)
		return NULL;
	program = eng_zalloc(bytes);
	if (!program)
		return NULL;
	program->slots = (void *)(program + 1);
	program->commands = (void *)(program->slots + slots);
	program->launches = (void *)(program->commands + commands);
	program->data = (void *)(program->launches + launches);
	program->info.slot_count = slots;
	program->info.command_count = commands;
	program->info.launch_count = launches;
	return program;
}

/**
 * eng_program_find_slot() - find a slot by its number
 * @program: the program, its slots sorted
 * @number: the number
 *
 * Context: any.
 * Return: the slot's index, or ENG_NO_INDEX.
 */
u32 eng_program_find_slot(const struct eng_program *program, u32 number)
{
	u32 low = 0, high = program->info.slot_count;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (program->slots[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < program->info.slot_count && program->slots[low].number == number)
		return low;
	return ENG_NO_INDEX;
}

/**
 * eng_launch_scratch() - working memory that a launch needs
 * @launch: the launch
 * @rows: its rows
 * @in_overlaps: its output lies over its input
 * @weight_overlaps: its output lies over its weights
 *
 * Outputs are computed as if the inputs had been read first.  Where they lie over
 * each other, either what is read is copied away first, or what is written comes
 * to lie elsewhere until all is read: whichever is smaller.
 *
 * Context: any.
 * Return: the bytes; 0 where nothing overlaps.
 */
u64 eng_launch_scratch(const struct eng_launch *launch, u32 rows,
		       bool in_overlaps, bool weight_overlaps)
{
	u64 read = 0;

	if (!in_overlaps && !weight_overlaps)
		return 0;
	if (in_overlaps)
		read = eng_region_packed(&launch->in, rows);
	if (weight_overlaps &&
	    check_add_overflow(read, eng_region_packed(&launch->weight,
						       launch->out_features),
			       &read))
		read = U64_MAX;
	return min(read, eng_region_packed(&launch->out, rows));
}

/**
 * eng_program_load() - validate an artifact and keep what running it takes
 * @load: the artifact, whose length the caller has compared with the limit
 * @program: where the program goes
 * @reason: filled in where it is refused
 *
 * Context: process context, may sleep.
 * Return: OK; UNSUPPORTED for an unknown format or something in it that this
 * device does not do; INCOMPATIBLE for another target, another resident charge or
 * another version; INVALID_ARGUMENT for a malformed artifact; RESOURCE_LIMIT for
 * counts that no loader looks at; OUT_OF_MEMORY.
 */
u16 eng_program_load(const struct eng_load *load, struct eng_program **program,
		     struct eng_reason *reason)
{
	u16 status;

	*program = NULL;
	*reason = (struct eng_reason){
		ENG_NO_INDEX, ENG_NO_INDEX, ENG_NO_INDEX, NULL
	};
	switch (load->format) {
	case VACC_REF_FORMAT:
		status = eng_ref_load(load, program, reason);
		break;
	case VACC_BATCH_FORMAT:
		status = eng_batch_load(load, program, reason);
		break;
	default:
		return eng_refuse(reason, VIRTIO_ACCEL_S_UNSUPPORTED,
				  "the device does not know this program format");
	}
	if (status == VIRTIO_ACCEL_S_OK) {
		(*program)->info.format = load->format;
		(*program)->info.resident_bytes = load->resident_bytes;
	}
	return status;
}

/**
 * eng_program_free() - end a program
 * @program: the program, which no run uses any more, or NULL
 *
 * Context: process context.
 */
void eng_program_free(struct eng_program *program)
{
	eng_free(program);
}

/**
 * eng_program_info() - what a program has
 * @program: the program
 * @info: where it goes
 *
 * Context: any.
 */
void eng_program_info(const struct eng_program *program,
		      struct eng_program_info *info)
{
	*info = program->info;
}

/**
 * eng_program_slot() - a slot of a program
 * @program: the program
 * @index: which one, below slot_count; they come by number
 * @slot: where it goes, every byte
 *
 * Context: any.
 */
void eng_program_slot(const struct eng_program *program, u32 index,
		      struct vacc_program_slot *slot)
{
	const struct eng_slot *from = &program->slots[index];

	memset(slot, 0, sizeof(*slot));
	slot->slot = from->number;
	slot->access = from->access;
	slot->element_type = from->type;
	slot->flags = from->flags;
	slot->offset_align = from->offset_align;
	slot->min_bytes = from->min_bytes;
	slot->row_unit = from->row_unit;
}

/**
 * eng_program_command() - what a command of a program does
 * @program: the program
 * @index: which one, below command_count
 * @info: where it goes
 *
 * Context: any.
 */
void eng_program_command(const struct eng_program *program, u32 index,
			 struct eng_command_info *info)
{
	info->op = program->commands[index].op;
	info->launch_count = program->commands[index].launch_count;
}
