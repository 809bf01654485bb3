// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Comparing bindings with a program.
 */
#include "run.h"

#define OK		VIRTIO_ACCEL_S_OK
#define INCOMPATIBLE	VIRTIO_ACCEL_S_INCOMPATIBLE

/* Records between two chances for others to run. */
#define TURN		1024

static u16 refuse_binding(struct eng_reason *reason, u32 binding, const char *text)
{
	reason->binding = binding;
	return eng_refuse(reason, INCOMPATIBLE, text);
}

/**
 * eng_run_bytes() - memory that a run of a program takes
 * @program: the program
 *
 * Context: any.
 * Return: the bytes, however many bindings are tried.
 */
size_t eng_run_bytes(const struct eng_program *program)
{
	size_t each = sizeof(struct eng_span);

	if (program->no_alias)
		each += sizeof(struct eng_extent);
	return sizeof(struct eng_run) + program->info.slot_count * each;
}

static u16 check_binding(const struct eng_slot *slot, const struct eng_range *range,
			 u32 binding, struct eng_reason *reason)
{
	if (slot->access && range->access != slot->access)
		return refuse_binding(reason, binding,
				      "the access is not the one that the program wants");
	if (slot->needs_type && range->element_type &&
	    range->element_type != slot->needs_type)
		return refuse_binding(reason, binding,
				      "the element type is not the one that the program wants");
	if (range->offset & (slot->offset_align - 1))
		return refuse_binding(reason, binding,
				      "the offset is not aligned as the program wants");
	if (range->bytes < slot->min_bytes)
		return refuse_binding(reason, binding,
				      "the range is shorter than the program wants");
	return OK;
}

/* As many bindings as slots, each at its own: then each slot has one. */
static u16 bind(struct eng_run *run, const struct eng_range *ranges, u32 count,
		struct eng_reason *reason)
{
	const struct eng_program *program = run->program;
	u32 i;

	if (count != program->info.slot_count)
		return eng_refuse(reason, INCOMPATIBLE,
				  "the program has another number of slots");
	for (i = 0; i < count; i++) {
		const struct eng_range *range = &ranges[i];
		u32 index = eng_program_find_slot(program, range->slot);
		const struct eng_slot *slot;
		u16 status;

		if (index == ENG_NO_INDEX)
			return refuse_binding(reason, i,
					      "the program does not have this slot");
		if (run->spans[index].mem)
			return refuse_binding(reason, i, "the slot is bound twice");
		slot = &program->slots[index];
		status = check_binding(slot, range, i, reason);
		if (status != OK)
			return status;
		run->spans[index] = (struct eng_span){
			.mem = range->mem,
			.bytes = range->bytes,
			.binding = i,
			.type = range->element_type ? range->element_type : slot->type,
		};
	}
	return OK;
}

static int compare_extents(const void *a, const void *b)
{
	uintptr_t x = ((const struct eng_extent *)a)->start;
	uintptr_t y = ((const struct eng_extent *)b)->start;

	return x < y ? -1 : x > y;
}

/* In the order of their starts, ranges overlap if and only if neighbours do. */
static u16 check_alias(struct eng_run *run, struct eng_reason *reason)
{
	u32 count = run->program->info.slot_count;
	struct eng_extent *extents = (void *)(run->spans + count);
	u32 i;

	for (i = 0; i < count; i++) {
		extents[i].start = (uintptr_t)run->spans[i].mem;
		extents[i].end = extents[i].start + run->spans[i].bytes;
		extents[i].binding = run->spans[i].binding;
	}
	eng_sort(extents, count, sizeof(*extents), compare_extents);
	for (i = 1; i < count; i++)
		if (extents[i].start < extents[i - 1].end)
			return refuse_binding(reason, extents[i].binding,
					      "the range overlaps another one's");
	return OK;
}

/* Lengths and types of two ranges that only a submission knows. */
static u16 check_copy(const struct eng_run *run, const struct eng_command *command,
		      struct eng_reason *reason)
{
	const struct eng_span *src = &run->spans[command->src];
	const struct eng_span *dst = &run->spans[command->dst];

	if (command->whole && src->bytes != dst->bytes)
		return refuse_binding(reason, dst->binding,
				      "source and target have different lengths");
	if (src->type && dst->type && src->type != dst->type)
		return refuse_binding(reason, dst->binding,
				      "source and target have different element types");
	return OK;
}

static u16 check_commands(const struct eng_run *run, struct eng_plan *plan,
			  struct eng_reason *reason)
{
	const struct eng_program *program = run->program;
	u32 i;

	for (i = 0; i < program->info.command_count; i++) {
		const struct eng_command *command = &program->commands[i];

		if (command->op == VACC_BATCH_OP_COPY) {
			u16 status = check_copy(run, command, reason);

			if (status != OK) {
				reason->command = i;
				return status;
			}
		}
		/* No overflow: each moves less than there is memory. */
		plan->bytes += eng_command_bytes(run, command);
		if (i % TURN == 0)
			eng_resched();
	}
	return OK;
}

/* The load has looked at one row; the range must have them all. */
static u16 check_rows(const struct eng_run *run, const struct eng_region *region,
		      u32 rows, struct eng_reason *reason)
{
	u64 end;

	if (!eng_region_end(region, rows, &end) ||
	    end > run->spans[region->slot].bytes)
		return refuse_binding(reason, run->spans[region->slot].binding,
				      "the range is too short for the rows of a launch");
	return OK;
}

static u16 check_varying(const struct eng_run *run, const struct eng_launch *launch,
			 struct eng_reason *reason)
{
	const struct eng_span *span = &run->spans[launch->rows_slot];
	u64 rows = eng_launch_rows(run, launch);
	u16 status;

	if (rows * run->program->slots[launch->rows_slot].row_unit != span->bytes)
		return refuse_binding(reason, span->binding,
				      "the range does not have whole rows");
	if (rows > launch->rows)
		return refuse_binding(reason, span->binding,
				      "the range has more rows than a launch takes");
	status = check_rows(run, &launch->in, rows, reason);
	if (status == OK)
		status = check_rows(run, &launch->out, rows, reason);
	return status;
}

static void plan_launch(const struct eng_run *run, const struct eng_launch *launch,
			struct eng_plan *plan)
{
	struct eng_job job;
	u64 macs;

	eng_job_init(&job, run, launch);
	plan->scratch_bytes = max(plan->scratch_bytes, job.scratch_bytes);
	plan->bytes += ENG_COMMAND_COST +
		       ENG_ROW_COST * ((u64)job.rows + launch->out_features);
	/* Rows of an input may overlap, so that memory does not bound this. */
	if (check_mul_overflow((u64)job.rows * launch->in_features,
			       (u64)launch->out_features, &macs) ||
	    check_add_overflow(plan->macs, macs, &plan->macs))
		plan->macs = U64_MAX;
}

static u16 check_launches(const struct eng_run *run, struct eng_plan *plan,
			  struct eng_reason *reason)
{
	const struct eng_program *program = run->program;
	u32 i;

	for (i = 0; i < program->info.launch_count; i++) {
		const struct eng_launch *launch = &program->launches[i];

		if (launch->rows_slot != ENG_NO_INDEX) {
			u16 status = check_varying(run, launch, reason);

			if (status != OK) {
				reason->command = launch->command;
				reason->launch = i;
				return status;
			}
		}
		plan_launch(run, launch, plan);
		if (i % TURN == 0)
			eng_resched();
	}
	return OK;
}

/**
 * eng_run_init() - compare bindings with a program, and make a run of them
 * @run: eng_run_bytes() of memory, aligned to 8, whatever it contains
 * @program: the program
 * @ranges: the bindings, copied
 * @count: how many
 * @plan: where the costs go
 * @reason: filled in where they do not fit
 *
 * Touches no bound memory.
 *
 * Context: process context, may sleep; allocates nothing.
 * Return: OK, or INCOMPATIBLE where the bindings do not fit the program.
 */
u16 eng_run_init(struct eng_run *run, const struct eng_program *program,
		 const struct eng_range *ranges, u32 count,
		 struct eng_plan *plan, struct eng_reason *reason)
{
	u16 status;

	*reason = (struct eng_reason){
		ENG_NO_INDEX, ENG_NO_INDEX, ENG_NO_INDEX, NULL
	};
	*plan = (struct eng_plan){};
	memset(run, 0, eng_run_bytes(program));
	run->program = program;

	status = bind(run, ranges, count, reason);
	if (status == OK && program->no_alias)
		status = check_alias(run, reason);
	if (status == OK)
		status = check_commands(run, plan, reason);
	if (status == OK)
		status = check_launches(run, plan, reason);
	return status;
}
