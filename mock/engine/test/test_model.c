// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Random batches against a plain interpreter (R5, R6, R7): several slots in one
 * buffer, ranges that overlap in every way, launches with strides, steps of every
 * size.  All bytes of the buffer are compared, those too that nothing may touch.
 */
#include "build.h"
#include "oracle.h"
#include "test.h"

#define SLOTS	4
#define BYTES	1500	/* of a slot's range */
#define BUFFER	3000

struct model {
	struct batch batch;
	u32 offsets[SLOTS];
	u8 got[BUFFER];
	u8 want[BUFFER];
	u64 commands;
	u64 uploaded;
	u64 launches;
	u64 macs;
};

static u8 *at(struct model *m, u32 slot, u64 offset)
{
	return m->want + m->offsets[slot] + offset;
}

static void add_copy(struct model *m)
{
	u32 bytes = 1 + test_below(400), src = test_below(SLOTS), dst = test_below(SLOTS);
	u32 from = test_below(BYTES - bytes), to = test_below(BYTES - bytes);

	batch_copy(&m->batch, src, from, dst, to, bytes);
	memmove(at(m, dst, to), at(m, src, from), bytes);
}

static void add_set(struct model *m, u16 op)
{
	u32 bytes = 1 + test_below(200), slot = test_below(SLOTS);
	u32 to = test_below(BYTES - bytes), i;
	u8 value = op == VACC_BATCH_OP_ZERO ? 0 : test_random();

	batch_set(&m->batch, op, slot, to, bytes, value);
	for (i = 0; i < bytes; i++)
		at(m, slot, to)[i] = op == VACC_BATCH_OP_XOR ?
			at(m, slot, to)[i] ^ value : value;
}

static void add_upload(struct model *m)
{
	u32 bytes = 1 + test_below(60), slot = test_below(SLOTS);
	u32 to = test_below(BYTES - bytes), i;
	u8 data[64];

	for (i = 0; i < bytes; i++)
		data[i] = test_random();
	batch_upload(&m->batch, slot, to, data, bytes);
	memcpy(at(m, slot, to), data, bytes);
	m->uploaded += bytes;
}

/* A matrix of so many rows and bytes a row, anywhere in a slot. */
static struct matrix random_matrix(u32 rows, u32 row_bytes, bool may_overlap)
{
	struct matrix matrix = { .slot = test_below(SLOTS) };
	u64 end;

	switch (test_below(3)) {
	case 0:
		matrix.stride = row_bytes + 2 * test_below(20);
		break;
	case 1:
		if (may_overlap)
			matrix.stride = 2 + 2 * test_below(row_bytes / 2);
		break;
	}
	end = (matrix.stride ? matrix.stride : row_bytes) * (rows - 1) + row_bytes;
	if (end + 2 > BYTES) {
		matrix.stride = 0;
		end = (u64)rows * row_bytes;
	}
	matrix.offset = 2 * test_below((BYTES - end) / 2);
	return matrix;
}

static struct oracle_matrix oracle_of(struct model *m, struct matrix from,
				      u32 row_bytes)
{
	return (struct oracle_matrix){
		at(m, from.slot, from.offset),
		from.stride ? from.stride : row_bytes,
	};
}

static void add_launch(struct model *m)
{
	u32 rows = 1 + test_below(8), terms = 1 + test_below(30), outputs = 1 + test_below(18);
	struct matrix in = random_matrix(rows, 2 * terms, true);
	struct matrix weight = random_matrix(outputs, 2 * terms, true);
	struct matrix out = random_matrix(rows, 2 * outputs, false);
	struct oracle_matrix oi = oracle_of(m, in, 2 * terms);
	struct oracle_matrix ow = oracle_of(m, weight, 2 * terms);
	struct oracle_matrix oo = oracle_of(m, out, 2 * outputs);

	batch_launch(&m->batch, in, weight, out, rows, terms, outputs, NONE);
	oracle_linear(&oi, &ow, &oo, rows, terms, outputs);
	m->launches++;
	m->macs += rows * terms * outputs;
}

static void add_command(struct model *m)
{
	u32 launches;

	m->commands++;
	switch (test_below(7)) {
	case 0:
		add_copy(m);
		break;
	case 1:
		add_set(m, VACC_BATCH_OP_FILL);
		break;
	case 2:
		add_set(m, VACC_BATCH_OP_XOR);
		break;
	case 3:
		add_set(m, VACC_BATCH_OP_ZERO);
		break;
	case 4:
		add_upload(m);
		break;
	default:
		launches = 1 + test_below(3);
		batch_linear(&m->batch, 0);
		m->batch.commands[m->batch.command_count - 1].launch_count =
			cpu_to_le32(launches);
		while (launches--)
			add_launch(m);
	}
}

static void make_model(struct model *m)
{
	u32 i, n;

	memset(m, 0, sizeof(*m));
	batch_init(&m->batch);
	for (i = 0; i < SLOTS; i++) {
		m->offsets[i] = 100 + 2 * test_below((BUFFER - BYTES - 200) / 2);
		batch_slot(&m->batch, i, RW, VACC_TYPE_UNTYPED, 1, BYTES, 0);
		/* So that every slot has a use. */
		batch_command(&m->batch, VACC_BATCH_OP_BARRIER)->dst_slot = cpu_to_le32(i);
	}
	m->commands = SLOTS;
	for (i = 0; i < BUFFER; i++)
		m->want[i] = test_random() & (i & 1 && test_below(20) ? 0xbb : 0xff);
	memcpy(m->got, m->want, BUFFER);
	for (n = 1 + test_below(8); n; n--)
		add_command(m);
}

TEST_PATHS(model_random_batches)
{
	static const u64 budgets[] = { 1, 3, 50, 700, 20000, U64_MAX };
	static struct model m;
	int i;

	for (i = 0; i < 1500; i++) {
		struct eng_range ranges[SLOTS];
		struct eng_counters c = {};
		struct eng_program *program;
		struct eng_reason reason;
		struct eng_plan plan;
		u32 k;

		test_seed(1000 + i);
		make_model(&m);
		CASE("%d", i);
		program = must_load(&m.batch);
		for (k = 0; k < SLOTS; k++)
			ranges[k] = range_of(m.got, m.offsets[k], BYTES, k, RW);
		CHECK_EQ(check_ranges(program, ranges, SLOTS, &plan, &reason), OK);
		CHECK_EQ(plan.macs, m.macs);
		CHECK_EQ(run_ranges(program, ranges, SLOTS, budgets[i % ARRAY_SIZE(budgets)],
				    &c), OK);
		CHECK(!memcmp(m.got, m.want, BUFFER));
		CHECK_EQ(c.commands, m.commands);
		CHECK_EQ(c.uploaded_bytes, m.uploaded);
		CHECK_EQ(c.launches, m.launches);
		eng_program_free(program);
	}
}
