// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer over the readers of artifacts: refused, or executed within what the
 * program says that it wants.
 *
 * An input begins with a byte that says which format, and one for how the run is
 * cut into steps; the artifact follows.
 */
#include <stdio.h>

#include "build.h"
#include "input.h"

#define MOST_BYTES	(1 << 18)
#define MOST_SLOTS	64
#define MOST_MACS	(1 << 22)

/* What build.c expects does not matter here more than anything else. */
void test_fail(const char *file, int line, const char *format, ...)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, format);
	abort();
}

/* As much as a slot asks for at least, in memory of its own. */
static u64 slot_bytes(const struct vacc_program_slot *slot)
{
	u64 bytes = slot->min_bytes;

	if (bytes > MOST_BYTES || slot->row_unit > MOST_BYTES)
		return MOST_BYTES + 1;
	if (slot->row_unit && bytes % slot->row_unit)
		bytes += slot->row_unit - bytes % slot->row_unit;
	return bytes;
}

static u32 make_ranges(const struct eng_program *program,
		       struct eng_range *ranges, u32 count)
{
	u64 total = 0;
	u32 i;

	for (i = 0; i < count; i++) {
		struct vacc_program_slot slot;
		u64 bytes;

		eng_program_slot(program, i, &slot);
		bytes = slot_bytes(&slot);
		total += bytes;
		if (total > MOST_BYTES)
			break;
		ranges[i] = range_of(malloc(bytes), 0, bytes, slot.slot,
				     slot.access ? slot.access : RW);
		memset(ranges[i].mem, 0x3c + i, bytes);
	}
	return i;
}

static void run(const struct eng_program *program, u64 budget)
{
	struct eng_range ranges[MOST_SLOTS];
	struct eng_counters counters = {};
	struct eng_program_info info;
	struct eng_reason reason;
	struct eng_plan plan;
	u32 bound, i;

	eng_program_info(program, &info);
	if (info.slot_count > MOST_SLOTS)
		return;
	bound = make_ranges(program, ranges, info.slot_count);
	if (bound == info.slot_count &&
	    check_ranges(program, ranges, bound, &plan, &reason) == OK &&
	    plan.macs <= MOST_MACS && plan.bytes <= 8 * MOST_BYTES &&
	    plan.scratch_bytes <= 8 * MOST_BYTES) {
		/* Steps that small take long. */
		if (plan.macs + plan.bytes > 1 << 16)
			budget = ENG_STEP_BUDGET;
		run_ranges(program, ranges, bound, budget, &counters);
		if (counters.commands != info.command_count ||
		    counters.launches != info.launch_count)
			abort();
	}
	for (i = 0; i < bound; i++)
		free(ranges[i].mem);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const u64 budgets[] = { 1, 3, 50, 700, ENG_STEP_BUDGET, U64_MAX };
	struct input in = { data, size };
	bool batch = take(&in) & 1;
	u64 budget = budgets[take(&in) % ARRAY_SIZE(budgets)];
	struct artifact a = artifact_copy(in.next, in.left, VACC_REF_RESIDENT);
	struct eng_program *program;
	struct eng_reason reason;
	u16 status;

	/* The resident charge is right more often than a fuzzer would find. */
	if (batch && in.left >= sizeof(struct vacc_batch_header))
		a.resident = eng_get_u64(in.next +
			offsetof(struct vacc_batch_header, resident_bytes));
	status = batch ? load_batch(&a, &program, &reason) :
			 load_ref(&a, &program, &reason);
	/* A program does not need the bytes that it was made of. */
	artifact_free(&a);
	if (!program == !status || (status && !reason.text))
		abort();
	if (program)
		run(program, budget);
	eng_program_free(program);
	return 0;
}
