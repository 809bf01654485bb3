// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Running a program, a bounded step at a time.
 */
#include "bulk.h"
#include "run.h"

/* How far ahead of its turn memory is asked for. */
#define XOR_AHEAD	1024

static void xor_bytes(u8 *to, u64 bytes, u8 value)
{
	u64 pattern = value * 0x0101010101010101ULL;

	for (; bytes >= 32; bytes -= 32, to += 32) {
		__builtin_prefetch(to + XOR_AHEAD, 1);
		eng_put_u64(to, eng_get_u64(to) ^ pattern);
		eng_put_u64(to + 8, eng_get_u64(to + 8) ^ pattern);
		eng_put_u64(to + 16, eng_get_u64(to + 16) ^ pattern);
		eng_put_u64(to + 24, eng_get_u64(to + 24) ^ pattern);
	}
	for (; bytes; bytes--)
		*to++ ^= value;
}

/*
 * The next part of a copy.  Where the destination begins inside the source, parts
 * come from the end, so that none is overwritten before its turn; within a part
 * memmove() does the same.
 */
static void copy_part(u8 *to, const u8 *from, u64 bytes, u64 done, u64 n)
{
	uintptr_t t = (uintptr_t)to, f = (uintptr_t)from;
	u64 at = done;

	if (t > f && t - f < bytes)
		at = bytes - done - n;
	if (bytes < ENG_BULK_BYTES || max(t, f) - min(t, f) < bytes) {
		memmove(to + at, from + at, n);
		return;
	}
	eng_bulk_copy(to + at, from + at, n);
	eng_bulk_end();
}

static void fill_part(u8 *to, u8 value, u64 bytes, u64 n)
{
	if (bytes < ENG_BULK_BYTES) {
		memset(to, value, n);
		return;
	}
	eng_bulk_fill(to, value, n);
	eng_bulk_end();
}

/* Bytes that move: copy, fill, xor, zero, upload. */
static bool move_step(struct eng_run *run, const struct eng_command *command,
		      struct eng_use *use, u64 *budget)
{
	u64 bytes = eng_command_bytes(run, command);
	u64 n = min(*budget, bytes - run->done);
	u8 *to = run->spans[command->dst].mem + command->dst_offset;

	eng_use_write(use, run, command->dst, command->dst_offset, bytes);
	switch (command->op) {
	case VACC_BATCH_OP_COPY:
		copy_part(to, run->spans[command->src].mem + command->src_offset,
			  bytes, run->done, n);
		break;
	case VACC_BATCH_OP_FILL:
	case VACC_BATCH_OP_ZERO:
		fill_part(to + run->done, command->value, bytes, n);
		break;
	case VACC_BATCH_OP_XOR:
		xor_bytes(to + run->done, n, command->value);
		break;
	case VACC_BATCH_OP_UPLOAD:
		memcpy(to + run->done, run->program->data + command->data_offset +
		       run->done, n);
		break;
	}
	*budget -= n;
	run->done += n;
	return run->done == bytes;
}

static bool linear_step(struct eng_run *run, const struct eng_command *command,
			void *work, struct eng_use *use, u64 *budget,
			struct eng_counters *counters)
{
	const struct eng_launch *launches =
		run->program->launches + command->first_launch;

	while (*budget) {
		bool complete = eng_launch_step(run, &launches[run->launch], work, use,
						budget);

		eng_section_longest(&counters->longest, &run->linear.section);
		if (!complete)
			return false;
		eng_use_end(use, true);
		counters->launches++;
		counters->spread += run->spread;
		*budget -= min_t(u64, *budget, ENG_COMMAND_COST);
		if (++run->launch == command->launch_count) {
			run->launch = 0;
			return true;
		}
	}
	return false;
}

static bool command_step(struct eng_run *run, void *work, struct eng_use *use,
			 u64 *budget, struct eng_counters *counters)
{
	const struct eng_command *command = &run->program->commands[run->command];

	if (command->op == VACC_BATCH_OP_DENSE_LINEAR)
		return linear_step(run, command, work, use, budget, counters);
	/* Commands of a queue complete one after another: nothing to wait for. */
	if (command->op == VACC_BATCH_OP_BARRIER)
		return true;
	if (!move_step(run, command, use, budget))
		return false;
	eng_use_end(use, true);
	if (command->op == VACC_BATCH_OP_UPLOAD)
		counters->uploaded_bytes += command->bytes;
	return true;
}

/**
 * eng_run_work_bytes() - memory that steps of a program's runs take
 * @program: the program
 *
 * One run at a time needs it, say one a queue.  It is the same for all programs
 * that need any.
 *
 * Context: any.
 * Return: the bytes, 0 where there is nothing to compute.
 */
size_t eng_run_work_bytes(const struct eng_program *program)
{
	return program->info.launch_count ? eng_linear_work_bytes() : 0;
}

/**
 * eng_run_set_scratch() - lend a run its working memory
 * @run: the run
 * @scratch: plan.scratch_bytes of memory with any contents, until the run ends;
 *	NULL where that is 0
 *
 * Context: any, before the first step.
 */
void eng_run_set_scratch(struct eng_run *run, void *scratch)
{
	run->scratch = scratch;
}

/**
 * eng_run_scratch() - the working memory of a run
 * @run: the run
 *
 * Context: any.
 * Return: what it was lent, or NULL.
 */
void *eng_run_scratch(const struct eng_run *run)
{
	return run->scratch;
}

/**
 * eng_run_set_team() - lend a run more processors
 * @run: the run
 * @team: whose only work is that of this run from its first step on, until it is complete
 *	or dropped; or NULL
 *
 * Context: any, before the first step.
 */
void eng_run_set_team(struct eng_run *run, struct eng_team *team)
{
	run->team = team;
}

/**
 * eng_run_step() - go on with a run
 * @run: the run
 * @work: eng_run_work_bytes() of memory, aligned to 8: any contents at the first
 *	step, and left alone until the run is complete or dropped
 * @use: of who executes the run, its buffers set; NULL where no weights are kept.  When
 *	the run is dropped, eng_use_end() says so
 * @budget: how much may be done: bytes moved, and ENG_MACS_PER_BYTE products a byte.
 *	Something is done even of 0, at most a little too much
 * @flags: ENG_STEP_*
 * @counters: what was done is added
 *
 * Nothing of a run is written before its first step.  Between steps outputs may be
 * in part written; when a run is dropped there, they stay so.
 *
 * Context: may sleep, one caller at a time; takes time as @budget says, waits for other
 * processors no longer than that, and allocates nothing.
 * Return: whether the run is complete.
 */
bool eng_run_step(struct eng_run *run, void *work, struct eng_use *use, u64 budget,
		  u32 flags, struct eng_counters *counters)
{
	u32 commands = run->program->info.command_count;

	budget = max_t(u64, budget, 1);
	while (run->command < commands && budget) {
		if (!command_step(run, work, use, &budget, counters))
			return false;
		budget -= min_t(u64, budget, ENG_COMMAND_COST);
		counters->commands++;
		run->command++;
		run->done = 0;
		if (flags & ENG_STEP_ONE_COMMAND)
			break;
	}
	return run->command == commands;
}

/**
 * eng_run_command() - which command comes next
 * @run: the run
 *
 * Context: the caller of eng_run_step().
 * Return: index of the command that is at work or not begun; the number of commands
 * when all are complete.
 */
u32 eng_run_command(const struct eng_run *run)
{
	return run->command;
}
