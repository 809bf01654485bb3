/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Programs of the reference device, and runs of them.
 *
 * An artifact is validated once, at load, into a summary; a submission only
 * compares that summary with what it binds.  Running happens in bounded steps.
 *
 * How a submission goes:
 *
 *	size = eng_run_bytes(program);		memory of the event, any contents
 *	eng_run_init(run, program, ranges, count, &plan, &reason);
 *	scratch = plan.scratch_bytes ? allocate : NULL;
 *	eng_run_set_scratch(run, scratch);
 *	while (!eng_run_step(run, work, NULL, budget, 0, &counters))
 *		;				other events may have a turn here
 *
 * where work is eng_run_work_bytes(program) of memory.
 *
 * A run needs nothing released: when the memory goes, it is gone.  The program
 * and the bound memory must outlive it.
 */
#ifndef _VACC_ENGINE_PROGRAM_H
#define _VACC_ENGINE_PROGRAM_H

#include "env.h"
#include "linear.h"

#include <linux/vacc.h>

struct eng_program;
struct eng_run;
struct eng_team;
struct eng_use;

#define ENG_NO_INDEX	0xffffffff

/**
 * struct eng_reason - why a load or a submission was refused, for people
 * @command: command that is to blame, or ENG_NO_INDEX
 * @launch: launch that is to blame, counted over the program, or ENG_NO_INDEX
 * @binding: binding that is to blame, as the caller counts them, or ENG_NO_INDEX
 * @text: a sentence that is never freed
 */
struct eng_reason {
	u32 command;
	u32 launch;
	u32 binding;
	const char *text;
};

/**
 * struct eng_load - a program to be loaded
 * @format: number of the artifact's format
 * @target: what it was built for
 * @payload: the artifact, at any address; may go when the call returns, and must
 *	not change before
 * @payload_bytes: its length, within the device's limit
 * @resident_bytes: what it declares to charge
 */
struct eng_load {
	u32 format;
	u32 target[12];
	const void *payload;
	u64 payload_bytes;
	u64 resident_bytes;
};

/**
 * struct eng_program_info - what a program has
 * @format: number of its format
 * @slot_count: slots
 * @command_count: commands
 * @launch_count: dense-linear launches
 * @resident_bytes: bytes that it charges
 * @max_scratch_bytes: most working memory that a submission may need
 */
struct eng_program_info {
	u32 format;
	u32 slot_count;
	u32 command_count;
	u32 launch_count;
	u64 resident_bytes;
	u64 max_scratch_bytes;
};

/**
 * struct eng_command_info - what a command of a program does
 * @op: VACC_BATCH_OP_*, equal to VACC_NATIVE_*
 * @launch_count: its launches, 0 but for a dense-linear
 */
struct eng_command_info {
	u16 op;
	u32 launch_count;
};

/**
 * struct eng_range - a binding, resolved to memory
 * @mem: its first byte
 * @bytes: its length, nonzero
 * @offset: of its first byte in the buffer; only its alignment matters here
 * @slot: slot that it is bound to
 * @access: VIRTIO_ACCEL_ACCESS_*
 * @element_type: VACC_TYPE_* that is asserted or that the buffer has
 *
 * That ranges lie inside their buffers, that the buffers' usage allows @access
 * and that no slot comes twice is checked before, in the order of the protocol;
 * nothing here relies on the last.
 */
struct eng_range {
	void *mem;
	u64 bytes;
	u64 offset;
	u32 slot;
	u8 access;
	u8 element_type;
};

/**
 * struct eng_plan - what a submission will cost
 * @scratch_bytes: working memory to reserve, 0 for none
 * @bytes: bytes that its commands write or move, and what its launches cost besides
 * @macs: products that its launches add up
 */
struct eng_plan {
	u64 scratch_bytes;
	u64 bytes;
	u64 macs;
};

/**
 * struct eng_counters - what execution has done
 * @commands: commands completed
 * @uploaded_bytes: bytes of completed uploads
 * @launches: dense-linear launches completed
 * @spread: those that were spread over processors
 * @longest: the longest section of a dense-linear
 */
struct eng_counters {
	u64 commands;
	u64 uploaded_bytes;
	u64 launches;
	u64 spread;
	struct eng_section longest;
};

/* One byte moved costs as much as so many products; of budgets and of costs. */
#define ENG_MACS_PER_BYTE	4

/* What each command costs besides, so that empty ones cannot run for ever. */
#define ENG_COMMAND_COST	64

/* What a launch costs besides for each row of input and of weights: they may be short. */
#define ENG_ROW_COST		16

/* A budget that makes a step last some 50 us on a fast machine. */
#define ENG_STEP_BUDGET		(64 * 1024)

/* eng_run_step() flags: stop at the end of a command although budget is left. */
#define ENG_STEP_ONE_COMMAND	BIT(0)

/**
 * eng_plan_cost() - one number for how much work a submission is
 * @plan: the plan
 *
 * Return: the work in units of a step's budget.
 */
static inline u64 eng_plan_cost(const struct eng_plan *plan)
{
	return plan->bytes + plan->macs / ENG_MACS_PER_BYTE;
}

u16 eng_program_load(const struct eng_load *load, struct eng_program **program,
		     struct eng_reason *reason);
void eng_program_free(struct eng_program *program);
void eng_program_info(const struct eng_program *program,
		      struct eng_program_info *info);
void eng_program_slot(const struct eng_program *program, u32 index,
		      struct vacc_program_slot *slot);
void eng_program_command(const struct eng_program *program, u32 index,
			 struct eng_command_info *info);
void eng_program_attribute(const struct eng_program *program, u32 index,
			   struct vacc_attribution_row *row);

size_t eng_run_bytes(const struct eng_program *program);
size_t eng_run_work_bytes(const struct eng_program *program);
u16 eng_run_init(struct eng_run *run, const struct eng_program *program,
		 const struct eng_range *ranges, u32 count,
		 struct eng_plan *plan, struct eng_reason *reason);
void eng_run_set_scratch(struct eng_run *run, void *scratch);
void *eng_run_scratch(const struct eng_run *run);
void eng_run_set_team(struct eng_run *run, struct eng_team *team);
bool eng_run_step(struct eng_run *run, void *work, struct eng_use *use, u64 budget,
		  u32 flags, struct eng_counters *counters);
u32 eng_run_command(const struct eng_run *run);

#endif /* _VACC_ENGINE_PROGRAM_H */
