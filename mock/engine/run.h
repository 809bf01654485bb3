/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A run: a program, what is bound to its slots, and how far it has come.
 */
#ifndef _VACC_ENGINE_RUN_H
#define _VACC_ENGINE_RUN_H

#include "linear.h"
#include "panels.h"
#include "summary.h"

struct eng_team;

/**
 * struct eng_span - what is bound to a slot
 * @mem: its first byte
 * @bytes: its length
 * @binding: index of the binding, as the caller counts
 * @type: VACC_TYPE_* of the binding, or else of the slot
 */
struct eng_span {
	u8 *mem;
	u64 bytes;
	u32 binding;
	u8 type;
};

/**
 * struct eng_extent - a bound range among others, to be sorted
 * @start: address of its first byte
 * @end: address of the byte after it
 * @binding: index of the binding
 */
struct eng_extent {
	uintptr_t start;
	uintptr_t end;
	u32 binding;
};

/* How far a launch has come. */
enum eng_phase {
	ENG_PHASE_STAGE_IN,	/* the input is copied to scratch */
	ENG_PHASE_STAGE_WEIGHT,	/* the weights are */
	ENG_PHASE_MULTIPLY,
	ENG_PHASE_UNSTAGE,	/* the output is copied from scratch */
};

/**
 * struct eng_run - a run
 * @program: what runs
 * @scratch: memory of plan.scratch_bytes, or NULL
 * @team: whom big products are spread over, or NULL
 * @done: bytes that the command, or a phase of the launch, has moved
 * @command: the command at work
 * @launch: the launch at work, counted from the command's first
 * @phase: how far the launch has come
 * @spread: the launch at work, or the last, is the team's
 * @linear: within ENG_PHASE_MULTIPLY
 * @spans: what is bound, in the order of the program's slots; where bindings must
 *	not overlap, as many extents follow
 */
struct eng_run {
	const struct eng_program *program;
	u8 *scratch;
	struct eng_team *team;
	u64 done;
	u32 command;
	u32 launch;
	enum eng_phase phase;
	bool spread;
	struct eng_linear_cursor linear;
	struct eng_span spans[];
};

/**
 * struct eng_job - a launch with its memory
 * @in: its input
 * @weight: its weights
 * @out: its output
 * @rows: its rows
 * @in_overlaps: the output lies over the input
 * @weight_overlaps: the output lies over the weights
 * @scratch_bytes: working memory that it takes
 * @stage_out: it takes it for the output, else for what overlaps that
 */
struct eng_job {
	u8 *in;
	u8 *weight;
	u8 *out;
	u32 rows;
	bool in_overlaps;
	bool weight_overlaps;
	bool stage_out;
	u64 scratch_bytes;
};

void eng_job_init(struct eng_job *job, const struct eng_run *run,
		  const struct eng_launch *launch);
bool eng_launch_step(struct eng_run *run, const struct eng_launch *launch,
		     void *work, struct eng_use *use, u64 *budget);

/**
 * eng_launch_rows() - how many rows a launch has in a run
 * @run: the run
 * @launch: the launch
 *
 * Context: any.
 * Return: the rows; too many for 32 bits are too many for any launch.
 */
static inline u64 eng_launch_rows(const struct eng_run *run,
				  const struct eng_launch *launch)
{
	if (launch->rows_slot == ENG_NO_INDEX)
		return launch->rows;
	return eng_div64(run->spans[launch->rows_slot].bytes,
			 run->program->slots[launch->rows_slot].row_unit);
}

/**
 * eng_command_bytes() - how many bytes a command moves in a run
 * @run: the run
 * @command: the command
 *
 * Context: any.
 * Return: the bytes, 0 for a barrier or a dense-linear.
 */
static inline u64 eng_command_bytes(const struct eng_run *run,
				    const struct eng_command *command)
{
	if (!command->whole || command->op == VACC_BATCH_OP_BARRIER)
		return command->bytes;
	return run->spans[command->dst].bytes;
}

#endif /* _VACC_ENGINE_RUN_H */
