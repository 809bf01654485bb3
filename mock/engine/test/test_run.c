// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Execution (M7, M8, R5, R6): what is written, and what is not.
 */
#include "build.h"
#include "oracle.h"
#include "test.h"

static const u64 budgets[] = { 0, 1, 7, 64, 1000, U64_MAX };

static void randomize(u8 *memory, size_t bytes)
{
	while (bytes--)
		*memory++ = test_random();
}

/* M7: overlap in one buffer, both directions, in steps of every size. */
TEST(ref_copy_overlapping)
{
	struct eng_program *program = must_load_ref(VACC_REF_OP_COPY, 0, 1, 0);
	u8 buffer[300], want[300];
	u32 from, to;
	size_t k;

	for (k = 0; k < ARRAY_SIZE(budgets); k++) {
		for (from = 0; from <= 100; from += 10) {
			for (to = 0; to <= 100; to += 9) {
				struct eng_range ranges[] = {
					range_of(buffer, from, 200, 0, R),
					range_of(buffer, to, 200, 1, W),
				};
				struct eng_counters c = {};

				CASE("%u to %u by %llu", from, to, budgets[k]);
				randomize(buffer, sizeof(buffer));
				memcpy(want, buffer, sizeof(buffer));
				memmove(want + to, want + from, 200);
				CHECK_EQ(run_ranges(program, ranges, 2, budgets[k], &c), OK);
				CHECK(!memcmp(buffer, want, sizeof(buffer)));
				CHECK_EQ(c.commands, 1);
				CHECK_EQ(c.uploaded_bytes, 0);
				CHECK_EQ(c.launches, 0);
			}
		}
	}
	eng_program_free(program);
}

/* M7: fill and xor, every length and alignment; bytes around stay. */
TEST(ref_fill_xor_barrier)
{
	u8 buffer[160], want[160];
	u32 offset, bytes, i;
	size_t k;
	u8 op;

	for (op = VACC_REF_OP_BARRIER; op <= VACC_REF_OP_XOR; op++) {
		struct eng_program *program;

		if (op == VACC_REF_OP_COPY)
			continue;
		program = must_load_ref(op, 5, NONE, op ? 0xa7 : 0);
		for (k = 0; k < ARRAY_SIZE(budgets); k++) {
			CASE("operation %u by %llu", op, budgets[k]);
			for (offset = 0; offset < 9; offset++) {
				for (bytes = 1; bytes < 140; bytes += 1 + bytes / 9) {
					struct eng_range range = range_of(buffer, offset, bytes,
									  5, RW);
					struct eng_counters c = {};

					if (op == VACC_REF_OP_FILL)
						range.access = W;
					randomize(buffer, sizeof(buffer));
					memcpy(want, buffer, sizeof(buffer));
					for (i = offset; op && i < offset + bytes; i++)
						want[i] = op == VACC_REF_OP_FILL ? 0xa7 :
							  want[i] ^ 0xa7;
					CHECK_EQ(run_ranges(program, &range, 1, budgets[k], &c),
						 OK);
					CHECK(!memcmp(buffer, want, sizeof(buffer)));
					CHECK_EQ(c.commands, 1);
				}
			}
		}
		eng_program_free(program);
	}
}

/* M9: what order does to a fill and an xor. */
TEST(ref_fill_and_xor_in_either_order)
{
	struct eng_program *fill = must_load_ref(VACC_REF_OP_FILL, 0, NONE, 0xa5);
	struct eng_program *xor = must_load_ref(VACC_REF_OP_XOR, 0, NONE, 0xff);
	struct eng_counters c = {};
	u8 buffer[4] = {};
	struct eng_range range = range_of(buffer, 0, 4, 0, RW);

	CHECK_EQ(run_ranges(xor, &range, 1, 1, &c), OK);
	CHECK(!memcmp(buffer, "\xff\xff\xff\xff", 4));
	range.access = W;
	CHECK_EQ(run_ranges(fill, &range, 1, 1, &c), OK);
	CHECK(!memcmp(buffer, "\xa5\xa5\xa5\xa5", 4));
	CHECK_EQ(c.commands, 2);
	eng_program_free(xor);
	eng_program_free(fill);
}

/* R5: commands in order; M8: nothing is written before the first step. */
TEST(batch_in_order)
{
	static const u8 payload[] = { 1, 2, 3, 4, 5 };
	struct batch b;
	struct eng_program *program;
	u8 a[16], c[16];
	struct eng_range ranges[] = {
		range_of(a, 0, 16, 4, RW), range_of(c, 0, 16, 2, RW),
	};
	struct eng_counters counters = {};
	struct eng_reason reason;
	struct eng_plan plan;
	struct eng_run *run;
	u32 steps;

	batch_init(&b);
	batch_slot(&b, 4, RW, 0, 1, 16, 0);
	batch_slot(&b, 2, RW, 0, 1, 16, 0);
	batch_set(&b, VACC_BATCH_OP_ZERO, 4, 0, 16, 0);
	batch_command(&b, VACC_BATCH_OP_BARRIER);
	batch_upload(&b, 4, 1, payload, 5);
	batch_copy(&b, 4, 0, 2, 3, 8);
	batch_set(&b, VACC_BATCH_OP_XOR, 2, 4, 2, 0xf0);
	batch_set(&b, VACC_BATCH_OP_FILL, 4, 15, 1, 9);
	program = must_load(&b);
	run = malloc(eng_run_bytes(program));

	memset(a, 0xee, sizeof(a));
	memset(c, 0xee, sizeof(c));
	CASE("nothing before the first step");
	CHECK_EQ(eng_run_init(run, program, ranges, 2, &plan, &reason), OK);
	eng_run_set_scratch(run, NULL);
	CHECK_EQ(plan.scratch_bytes, 0);
	CHECK_EQ(plan.macs, 0);
	CHECK_EQ(plan.bytes, 16 + 5 + 8 + 2 + 1);
	CHECK_EQ(a[0], 0xee);
	CHECK_EQ(eng_run_command(run), 0);

	CASE("one command a step");
	for (steps = 1; !eng_run_step(run, NULL, NULL, U64_MAX, ENG_STEP_ONE_COMMAND,
				      &counters); steps++) {
		CHECK_EQ(counters.commands, steps);
		CHECK_EQ(eng_run_command(run), steps);
		CHECK_EQ(a[15], 0);
	}
	CHECK_EQ(steps, 6);
	CHECK(!memcmp(a, "\0\1\2\3\4\5\0\0\0\0\0\0\0\0\0\x9", 16));
	CHECK(!memcmp(c, "\xee\xee\xee\x00\xf1\xf2\x03\x04\x05\0\0\xee\xee\xee\xee\xee", 16));
	CHECK_EQ(counters.commands, 6);
	CHECK_EQ(counters.uploaded_bytes, 5);

	CASE("a step after the last");
	CHECK(eng_run_step(run, NULL, NULL, 1, 0, &counters));
	CHECK_EQ(counters.commands, 6);
	free(run);
	eng_program_free(program);
}

/* A step ends, however many commands do nothing. */
TEST(batch_of_barriers_is_bounded)
{
	struct batch b;
	struct eng_program *program;
	u8 byte;
	struct eng_range range = range_of(&byte, 0, 1, 0, R);
	struct eng_counters counters = {};
	struct eng_reason reason;
	struct eng_plan plan;
	struct eng_run *run;
	int i;

	batch_init(&b);
	batch_slot(&b, 0, R, 0, 1, 1, 0);
	for (i = 0; i < 64; i++)
		batch_command(&b, VACC_BATCH_OP_BARRIER)->dst_slot = cpu_to_le32(0);
	program = must_load(&b);
	run = malloc(eng_run_bytes(program));
	CHECK_EQ(eng_run_init(run, program, &range, 1, &plan, &reason), OK);
	CHECK(!eng_run_step(run, NULL, NULL, 10 * ENG_COMMAND_COST, 0, &counters));
	CHECK_EQ(counters.commands, 10);
	CHECK(eng_run_step(run, NULL, NULL, 54 * ENG_COMMAND_COST, 0, &counters));
	CHECK_EQ(counters.commands, 64);
	free(run);
	eng_program_free(program);
}

/* Numbers: copies and xor move bits, signalling NaNs among them. */
TEST(batch_moves_bits)
{
	u16 from[512], to[512];
	struct eng_program *program = must_load_ref(VACC_REF_OP_COPY, 0, 1, 0);
	struct eng_range ranges[] = {
		range_of(from, 0, sizeof(from), 0, R), range_of(to, 0, sizeof(to), 1, W),
	};
	struct eng_counters c = {};
	u32 i;

	for (i = 0; i < 512; i++)
		from[i] = 0x7c01 + i;
	ranges[0].element_type = VACC_TYPE_F16;
	ranges[1].element_type = VACC_TYPE_F16;
	CHECK_EQ(run_ranges(program, ranges, 2, U64_MAX, &c), OK);
	CHECK(!memcmp(from, to, sizeof(to)));
	eng_program_free(program);
}

/* R6: launches in order, a later one sees what an earlier one wrote. */
TEST_PATHS(batch_launches_chain)
{
	static const u16 two[4] = { 0x4000, 0, 0, 0x4000 };	/* 2 x 2, twice */
	struct batch b;
	struct eng_program *program;
	u16 x[2] = { 0x3c00, 0x4200 };				/* 1 and 3 */
	u16 w[4];
	struct eng_range ranges[] = {
		range_of(x, 0, 4, 0, RW), range_of(w, 0, 8, 1, RW),
	};
	struct eng_counters c = {};
	size_t k;
	int i;

	batch_init(&b);
	batch_slot(&b, 0, RW, VACC_TYPE_F16, 2, 4, 0);
	batch_slot(&b, 1, RW, VACC_TYPE_F16, 2, 8, 0);
	batch_upload(&b, 1, 0, two, 8);
	for (i = 0; i < 3; i++)
		batch_launch(&b, (struct matrix){ .slot = 0 }, (struct matrix){ .slot = 1 },
			     (struct matrix){ .slot = 0 }, 1, 2, 2, NONE);
	batch_linear(&b, 3);
	program = must_load(&b);
	for (k = 0; k < ARRAY_SIZE(budgets); k++) {
		CASE("by %llu", budgets[k]);
		x[0] = 0x3c00;
		x[1] = 0x4200;
		memset(&c, 0, sizeof(c));
		CHECK_EQ(run_ranges(program, ranges, 2, budgets[k], &c), OK);
		CHECK_EQ(x[0], 0x4800);		/* 8 */
		CHECK_EQ(x[1], 0x4e00);		/* 24 */
		CHECK_EQ(c.launches, 3);
		CHECK_EQ(c.commands, 2);
		CHECK_EQ(c.uploaded_bytes, 8);
	}
	eng_program_free(program);
}

/* R6: the result of "inputs were read first", and the smaller side is staged. */
TEST_PATHS(batch_launch_staging)
{
	static const struct {
		const char *name;
		struct matrix in, weight, out;
		u32 rows, terms, outputs;
		u64 scratch;
	} rows[] = {
		{ "apart", { 0, 0, 0 }, { 0, 200, 0 }, { 0, 400, 0 }, 4, 5, 6, 0 },
		{ "touching", { 0, 0, 0 }, { 0, 100, 0 }, { 0, 40, 0 }, 4, 5, 6, 0 },
		{ "over the input", { 0, 0, 0 }, { 0, 200, 0 }, { 0, 0, 0 }, 4, 5, 6, 40 },
		{ "over its last byte", { 0, 0, 0 }, { 0, 200, 0 }, { 0, 38, 0 },
		  4, 5, 6, 40 },
		{ "its end over the first input", { 0, 46, 0 }, { 0, 200, 0 }, { 0, 0, 0 },
		  4, 5, 6, 40 },
		{ "its end over the first weight", { 0, 100, 0 }, { 0, 46, 0 }, { 0, 0, 0 },
		  4, 2, 6, 24 },
		{ "output smaller", { 0, 0, 0 }, { 0, 200, 0 }, { 0, 10, 0 }, 4, 9, 6, 48 },
		{ "over the weights", { 0, 0, 0 }, { 0, 100, 0 }, { 0, 110, 0 },
		  4, 3, 2, 12 },
		{ "over both", { 0, 0, 0 }, { 0, 40, 0 }, { 0, 20, 0 }, 4, 5, 6, 48 },
		{ "over both, again", { 0, 0, 0 }, { 0, 4, 0 }, { 0, 0, 0 },
		  1, 2, 9, 18 },
		{ "inputs much smaller", { 0, 0, 0 }, { 0, 2, 0 }, { 0, 0, 16 },
		  8, 1, 8, 32 },
		{ "between strided rows", { 0, 0, 40 }, { 0, 300, 0 }, { 0, 10, 40 },
		  4, 5, 6, 40 },
		{ "rows of the input overlap", { 0, 0, 2 }, { 0, 300, 0 }, { 0, 4, 40 },
		  4, 5, 6, 16 },
	};
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		u8 start[600], got[600], want[600];
		struct eng_range range = range_of(got, 0, 600, 0, RW);
		struct eng_counters c = {};
		struct eng_program *program;
		struct eng_reason reason;
		struct eng_plan plan;
		struct batch b;
		struct oracle_matrix in = { want + rows[i].in.offset, rows[i].in.stride };
		struct oracle_matrix w = { want + rows[i].weight.offset, 2 * rows[i].terms };
		struct oracle_matrix out = { want + rows[i].out.offset, rows[i].out.stride };

		CASE("%s", rows[i].name);
		if (!in.stride)
			in.stride = 2 * rows[i].terms;
		if (!out.stride)
			out.stride = 2 * rows[i].outputs;
		batch_init(&b);
		batch_slot(&b, 0, RW, VACC_TYPE_UNTYPED, 1, 600, 0);
		batch_launch(&b, rows[i].in, rows[i].weight, rows[i].out, rows[i].rows,
			     rows[i].terms, rows[i].outputs, NONE);
		batch_linear(&b, 1);
		program = must_load(&b);
		CHECK_EQ(check_ranges(program, &range, 1, &plan, &reason), OK);
		CHECK_EQ(plan.scratch_bytes, rows[i].scratch);
		CHECK_EQ(plan.macs, rows[i].rows * rows[i].terms * rows[i].outputs);
		randomize(start, sizeof(start));
		for (k = 1; k < sizeof(start); k += 2)
			start[k] &= 0xbf;
		memcpy(want, start, sizeof(want));
		oracle_linear(&in, &w, &out, rows[i].rows, rows[i].terms, rows[i].outputs);
		for (k = 0; k < ARRAY_SIZE(budgets); k++) {
			memcpy(got, start, sizeof(got));
			CHECK_EQ(run_ranges(program, &range, 1, budgets[k], &c), OK);
			CHECK(!memcmp(got, want, sizeof(got)));
		}
		eng_program_free(program);
	}
}

/* decisions: one loaded program serves every number of rows. */
TEST_PATHS(batch_rows_slot)
{
	struct batch b;
	struct eng_program *program;
	u32 rows, r;

	batch_init(&b);
	batch_slot(&b, 0, R, VACC_TYPE_F16, 2, 1, 34);
	batch_slot(&b, 1, R, VACC_TYPE_F16, 2, 102, 0);
	batch_slot(&b, 2, W, VACC_TYPE_F16, 2, 6, 0);
	b.slots[0].min_bytes = cpu_to_le64(34);
	batch_launch(&b, (struct matrix){ .slot = 0 }, (struct matrix){ .slot = 1 },
		     (struct matrix){ .slot = 2 }, 20, 17, 3, 0);
	batch_linear(&b, 1);
	program = must_load(&b);
	for (rows = 1; rows <= 21; rows++) {
		u8 *x = malloc(34 * rows), *y = malloc(6 * rows), *want = malloc(6 * rows);
		u8 w[102];
		struct eng_range ranges[] = {
			range_of(x, 0, 34 * rows, 0, R), range_of(w, 0, 102, 1, R),
			range_of(y, 0, 6 * rows, 2, W),
		};
		struct oracle_matrix mx = { x, 34 }, mw = { w, 34 }, my = { want, 6 };
		struct eng_counters c = {};

		CASE("%u rows", rows);
		if (rows > 20) {
			CHECK_EQ(run_ranges(program, ranges, 3, 100, &c), INCOMPATIBLE);
			goto next;
		}
		randomize(x, 34 * rows);
		randomize(w, 102);
		oracle_linear(&mx, &mw, &my, rows, 17, 3);
		CHECK_EQ(run_ranges(program, ranges, 3, 100, &c), OK);
		CHECK(!memcmp(y, want, 6 * rows));
		for (r = 1; r < 34; r += 7) {
			ranges[0].bytes = 34 * rows - r;
			CHECK_EQ(run_ranges(program, ranges, 3, 100, &c), INCOMPATIBLE);
		}
next:
		free(want);
		free(y);
		free(x);
	}
	eng_program_free(program);
}
