// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What each command of a program amounts to (R12).
 */
#include "build.h"
#include "test.h"

static void check_row(const struct eng_program *program,
		      const struct vacc_attribution_row *want)
{
	struct vacc_attribution_row row;

	memset(&row, 0, sizeof(row));
	eng_program_attribute(program, want->command, &row);
	CHECK_EQ(row.command, want->command);
	CHECK_EQ(row.operation, want->operation);
	CHECK_EQ(row.path, VACC_PATH_EAGER);
	CHECK_EQ(row.dispatches, want->dispatches);
	CHECK_EQ(row.transfers, want->transfers);
	/* The rest is not the engine's. */
	CHECK(!memcmp(&row, want, sizeof(row)));
}

TEST(r12_commands_of_a_batch)
{
	static const struct vacc_attribution_row want[] = {
		{ .operation = VACC_NATIVE_BARRIER },
		{ .operation = VACC_NATIVE_COPY, .transfers = 1 },
		{ .operation = VACC_NATIVE_FILL, .transfers = 1 },
		{ .operation = VACC_NATIVE_XOR, .dispatches = 1 },
		{ .operation = VACC_NATIVE_ZERO, .transfers = 1 },
		{ .operation = VACC_NATIVE_UPLOAD, .transfers = 1 },
		{ .operation = VACC_NATIVE_DENSE_LINEAR, .dispatches = 3 },
		{ .operation = VACC_NATIVE_DENSE_LINEAR, .dispatches = 1 },
		{ .operation = VACC_NATIVE_BARRIER },
	};
	struct matrix in = { 0 }, weight = { 1 }, out = { 2 };
	struct eng_program *program;
	struct batch b;
	u32 i;

	batch_init(&b);
	for (i = 0; i < 3; i++)
		batch_slot(&b, i, RW, VACC_TYPE_F16, 2, 64, 0);
	batch_command(&b, VACC_BATCH_OP_BARRIER);
	batch_copy(&b, 0, 0, 1, 0, 8);
	batch_set(&b, VACC_BATCH_OP_FILL, 0, 0, 8, 1);
	batch_set(&b, VACC_BATCH_OP_XOR, 0, 0, 8, 1);
	batch_set(&b, VACC_BATCH_OP_ZERO, 0, 0, 8, 0);
	batch_upload(&b, 2, 0, "12345678", 8);
	for (i = 0; i < 3; i++)
		batch_launch(&b, in, weight, out, 2, 2, 2, NONE);
	batch_linear(&b, 3);
	batch_launch(&b, in, weight, out, 2, 2, 2, NONE);
	batch_linear(&b, 1);
	batch_command(&b, VACC_BATCH_OP_BARRIER);
	program = must_load(&b);
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		struct vacc_attribution_row row = want[i];

		CASE("command %u", i);
		row.command = i;
		check_row(program, &row);
	}
	eng_program_free(program);
}

TEST(r12_commands_of_the_small_format)
{
	static const struct {
		u8 op;
		u32 second;
		struct vacc_attribution_row row;
	} table[] = {
		{ VACC_REF_OP_BARRIER, VACC_REF_NO_SLOT,
		  { .operation = VACC_NATIVE_BARRIER } },
		{ VACC_REF_OP_COPY, 1, { .operation = VACC_NATIVE_COPY, .transfers = 1 } },
		{ VACC_REF_OP_FILL, VACC_REF_NO_SLOT,
		  { .operation = VACC_NATIVE_FILL, .transfers = 1 } },
		{ VACC_REF_OP_XOR, VACC_REF_NO_SLOT,
		  { .operation = VACC_NATIVE_XOR, .dispatches = 1 } },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		struct eng_program *program = must_load_ref(table[i].op, 0,
							    table[i].second, 0);

		CASE("operation %u", table[i].op);
		check_row(program, &table[i].row);
		eng_program_free(program);
	}
}
