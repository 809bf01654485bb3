// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Broken artifacts: refused, or run within what the program says that it wants.
 */
#include "build.h"
#include "sample.h"
#include "test.h"

#define MOST	65536

/*
 * Bind exactly what each slot asks for, each in memory of its own, so that the
 * sanitizer sees every byte beyond; and run.
 */
static void run_exactly(const struct eng_program *program)
{
	struct eng_range ranges[SAMPLE_N];
	struct eng_program_info info;
	struct eng_counters c = {};
	u64 total = 0;
	u32 i, bound;

	eng_program_info(program, &info);
	CHECK(info.slot_count <= SAMPLE_N);
	for (bound = 0; bound < info.slot_count; bound++) {
		struct vacc_program_slot slot;
		u64 bytes;

		eng_program_slot(program, bound, &slot);
		bytes = slot.min_bytes;
		if (slot.row_unit && bytes % slot.row_unit)
			bytes += slot.row_unit - bytes % slot.row_unit;
		total += bytes;
		if (bytes > MOST || total > MOST)
			break;
		ranges[bound] = range_of(malloc(bytes), 0, bytes, slot.slot,
					 slot.access ? slot.access : RW);
		memset(ranges[bound].mem, test_random() & 0x3f, bytes);
	}
	if (bound == info.slot_count)
		run_ranges(program, ranges, bound, U64_MAX, &c);
	for (i = 0; i < bound; i++)
		free(ranges[i].mem);
}

static void try_artifact(const struct artifact *a, bool batch)
{
	struct eng_program *program;
	struct eng_reason reason;
	u16 status = batch ? load_batch(a, &program, &reason) :
			     load_ref(a, &program, &reason);

	CHECK(!program == (status != OK));
	CHECK(status == OK || reason.text);
	if (program)
		run_exactly(program);
	eng_program_free(program);
}

TEST(fuzz_every_prefix)
{
	struct batch b;
	struct artifact whole;
	size_t i;

	sample_batch(&b);
	whole = batch_artifact(&b);
	for (i = 0; i < whole.length; i++) {
		struct artifact a = artifact_copy(whole.bytes, i, whole.resident);
		struct eng_program *program;
		struct eng_reason reason;

		CHECK_EQ(load_batch(&a, &program, &reason), INVALID);
		artifact_free(&a);
	}
	/* Prefixes that say that they are whole. */
	for (i = sizeof(b.header); i < whole.length; i++) {
		struct artifact a = artifact_copy(whole.bytes, i, whole.resident);
		struct eng_program *program;
		struct eng_reason reason;
		__le64 total = cpu_to_le64(i);

		memcpy(a.bytes + offsetof(struct vacc_batch_header, total_bytes), &total, 8);
		CHECK_EQ(load_batch(&a, &program, &reason), INVALID);
		artifact_free(&a);
	}
	artifact_free(&whole);
}

TEST(fuzz_extra_bytes)
{
	struct batch b;
	struct artifact whole;
	size_t extra;

	sample_batch(&b);
	whole = batch_artifact(&b);
	for (extra = 1; extra < 130; extra++) {
		u8 *longer = calloc(1, whole.length + extra);
		struct artifact a = { longer, whole.length + extra, whole.resident };
		struct eng_program *program;
		struct eng_reason reason;
		__le64 total = cpu_to_le64(a.length);

		memcpy(longer, whole.bytes, whole.length);
		CHECK_EQ(load_batch(&a, &program, &reason), INVALID);
		memcpy(longer + offsetof(struct vacc_batch_header, total_bytes), &total, 8);
		CHECK_EQ(load_batch(&a, &program, &reason), INVALID);
		artifact_free(&a);
	}
	artifact_free(&whole);
}

static void flip_bits(const struct artifact *whole, bool batch)
{
	size_t i;

	for (i = 0; i < 8 * whole->length; i++) {
		struct artifact a = artifact_copy(whole->bytes, whole->length,
						  whole->resident);

		a.bytes[i / 8] ^= 1 << i % 8;
		try_artifact(&a, batch);
		artifact_free(&a);
	}
}

TEST(fuzz_every_bit)
{
	struct artifact a;
	struct batch b;
	u8 op;

	CASE("batch");
	sample_batch(&b);
	a = batch_artifact(&b);
	try_artifact(&a, true);
	flip_bits(&a, true);
	artifact_free(&a);
	CASE("batch without aliases");
	b.header.flags = cpu_to_le32(VACC_BATCH_NO_ALIAS);
	a = batch_artifact(&b);
	flip_bits(&a, true);
	artifact_free(&a);
	for (op = VACC_REF_OP_BARRIER; op <= VACC_REF_OP_XOR; op++) {
		CASE("24 bytes, operation %u", op);
		a = ref_artifact(op, 2, op == VACC_REF_OP_COPY ? 3 : NONE, 0);
		flip_bits(&a, false);
		artifact_free(&a);
	}
}

/* Bytes that matter to a reader are tried more often than others. */
static u64 interesting(void)
{
	static const u64 values[] = {
		0, 1, 2, 3, 4, 7, 8, 10, 15, 16, 17, 20, 32, 64, 80, 4095, 4096, 4097,
		0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff,
		0x100000000ULL, 0x7fffffffffffffffULL, 0x8000000000000000ULL,
		0xfffffffffffffff0ULL, 0xfffffffffffffffeULL, 0xffffffffffffffffULL,
	};

	return values[test_below(ARRAY_SIZE(values))];
}

TEST(fuzz_random_fields)
{
	struct batch b;
	struct artifact whole;
	int i, n;

	sample_batch(&b);
	whole = batch_artifact(&b);
	for (i = 0; i < 300000; i++) {
		struct artifact a = artifact_copy(whole.bytes, whole.length, whole.resident);

		for (n = 1 + test_below(4); n; n--) {
			size_t bytes = 1 << test_below(4);
			size_t from = test_below(10) ? SAMPLE_SLOTS : 0;
			size_t at = from + test_below((whole.length - from) / bytes) * bytes;
			__le64 value = cpu_to_le64(interesting());

			if (at + bytes <= whole.length)
				memcpy(a.bytes + at, &value, bytes);
		}
		try_artifact(&a, true);
		artifact_free(&a);
	}
	artifact_free(&whole);
}
