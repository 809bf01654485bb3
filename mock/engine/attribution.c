// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What the commands of a program amount to, for the rows of an attribution.
 */
#include "summary.h"

/* What moves bytes as they are is a transfer; what computes new ones a dispatch. */
static const struct {
	u8 dispatches;
	u8 transfers;
} amounts[] = {
	[VACC_BATCH_OP_BARRIER] = { 0, 0 },
	[VACC_BATCH_OP_COPY] = { 0, 1 },
	[VACC_BATCH_OP_FILL] = { 0, 1 },
	[VACC_BATCH_OP_XOR] = { 1, 0 },
	[VACC_BATCH_OP_ZERO] = { 0, 1 },
	[VACC_BATCH_OP_UPLOAD] = { 0, 1 },
	[VACC_BATCH_OP_DENSE_LINEAR] = { 0, 0 },
};

/**
 * eng_program_attribute() - what a command of a program amounts to
 * @program: the program
 * @index: which command, below command_count
 * @row: its index, operation, path, dispatches and transfers are filled in
 *
 * Operations have the same numbers in batches and in attributions.
 *
 * Context: any.
 */
void eng_program_attribute(const struct eng_program *program, u32 index,
			   struct vacc_attribution_row *row)
{
	const struct eng_command *command = &program->commands[index];

	row->command = index;
	row->operation = command->op;
	row->path = VACC_PATH_EAGER;
	row->dispatches = amounts[command->op].dispatches +
			  command->launch_count;
	row->transfers = amounts[command->op].transfers;
}
