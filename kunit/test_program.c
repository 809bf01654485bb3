// SPDX-License-Identifier: GPL-2.0
/*
 * Programs: what the backend gets of an artifact, and what is known of a program.
 */
#include "rig.h"

static void program_reaches_the_backend(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_program_load load = {
		.context = rig_context(rig),
		.format = 0x12345678,
		.target = { [0] = 1, [11] = 12 },
		.payload = rig->user + RIG_DATA + PAGE_SIZE - 3,
		.payload_bytes = 7,
		.resident_bytes = 99,
	};
	struct fake *fake = &rig->fake;

	rig_put(rig, RIG_DATA + PAGE_SIZE - 3, "payload", 7);
	KUNIT_ASSERT_EQ(test, RIG_CALL(rig, VACC_PROGRAM_LOAD, &load), 0);
	KUNIT_EXPECT_NE(test, load.handle, 0U);
	KUNIT_EXPECT_EQ(test, fake->load.format, 0x12345678U);
	KUNIT_EXPECT_MEMEQ(test, fake->load.target, load.target,
			   sizeof(load.target));
	KUNIT_EXPECT_EQ(test, fake->load.payload_bytes, 7ULL);
	KUNIT_EXPECT_EQ(test, fake->load.resident_bytes, 99ULL);
	KUNIT_EXPECT_MEMEQ(test, fake->payload, "payload", 7);
	KUNIT_EXPECT_EQ(test, atomic64_read(&fake->dev->bytes), 99);
}

/* Why the backend refused it reaches the caller. */
static void program_refused_with_a_reason(struct kunit *test)
{
	struct vacc_last_error last = {};
	struct rig *rig = test->priv;
	struct vacc_program_load load = {
		.context = rig_context(rig),
		.payload = rig->user + RIG_DATA,
		.payload_bytes = 24,
	};

	fake_fail(&rig->fake, FAKE_PROGRAM_LOAD, 1,
		  vacc_rejected(VIRTIO_ACCEL_S_INVALID_ARGUMENT));
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_PROGRAM_LOAD, &load), -EINVAL);
	KUNIT_ASSERT_EQ(test, RIG_CALL(rig, VACC_LAST_ERROR, &last), 0);
	KUNIT_EXPECT_EQ(test, last.error, (u32)EINVAL);
	KUNIT_EXPECT_EQ(test, last.command, 5U);
	KUNIT_EXPECT_EQ(test, last.launch, 6U);
	KUNIT_EXPECT_STREQ(test, (char *)last.text, "the fake does not like it");
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->bytes), 0);
}

static void program_refusals(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_program_load load = { .flags = 1, .reserved = 1 };

	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_PROGRAM_LOAD, &load),
			-EOPNOTSUPP);
	load.flags = 0;
	load.payload_bytes = 1;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_PROGRAM_LOAD, &load), -EINVAL);
	load.reserved = 0;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_PROGRAM_LOAD, &load), -ENOENT);
	load.payload_bytes = 0;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_PROGRAM_LOAD, &load), -EINVAL);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_PROGRAM_LOAD], 0U);
}

/* Room for some slots, for none, and for more than there are. */
static void program_query(struct kunit *test)
{
	struct vacc_program_slot slots[5];
	struct vacc_program_query query;
	struct rig *rig = test->priv;
	struct rig_bench bench;
	u32 room, i;

	rig_bench(rig, &bench);
	for (room = 0; room <= ARRAY_SIZE(slots); room++) {
		memset(slots, 0xee, sizeof(slots));
		rig_put(rig, RIG_ARRAY, slots, sizeof(slots));
		query = (struct vacc_program_query){
			.handle = bench.program,
			.slots = rig_array(rig, RIG_ARRAY, room,
					   sizeof(slots[0])),
		};
		KUNIT_ASSERT_EQ(test, RIG_CALL(rig, VACC_PROGRAM_QUERY, &query),
				0);
		KUNIT_EXPECT_EQ(test, query.context, bench.context);
		KUNIT_EXPECT_EQ(test, query.format, (u32)VACC_REF_FORMAT);
		KUNIT_EXPECT_EQ(test, query.known, 1U);
		KUNIT_EXPECT_EQ(test, query.command_count, 5U);
		KUNIT_EXPECT_EQ(test, query.launch_count, 7U);
		KUNIT_EXPECT_EQ(test, query.max_scratch_bytes, 9ULL);
		KUNIT_EXPECT_EQ(test, query.resident_bytes, 64ULL);
		KUNIT_EXPECT_EQ(test, query.slots.count, 3U);
		rig_get(rig, RIG_ARRAY, slots, sizeof(slots));
		for (i = 0; i < min(room, 3U); i++) {
			KUNIT_EXPECT_EQ(test, slots[i].slot, 100 + i);
			KUNIT_EXPECT_EQ(test, slots[i].min_bytes, 1000ULL + i);
			KUNIT_EXPECT_EQ(test, slots[i].row_unit, 0ULL);
		}
		KUNIT_EXPECT_NULL(test, memchr_inv(&slots[i], 0xee,
						   (ARRAY_SIZE(slots) - i) *
						   sizeof(slots[0])));
	}
	query.slots.stride = 0;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_PROGRAM_QUERY, &query), -EINVAL);
	query.flags = 1;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_PROGRAM_QUERY, &query),
			-EOPNOTSUPP);
}

static struct kunit_case program_cases[] = {
	KUNIT_CASE(program_reaches_the_backend),
	KUNIT_CASE(program_refused_with_a_reason),
	KUNIT_CASE(program_refusals),
	KUNIT_CASE(program_query),
	{}
};

static struct kunit_suite program_suite = {
	.name = "virtio_accel_program",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = program_cases,
};

/* A backend that knows nothing of its programs, as one behind the protocol. */
static int program_unknown_init(struct kunit *test)
{
	int err = rig_init_bare(test);
	struct rig *rig = test->priv;

	if (err)
		return err;
	rig->fake.ops.program_info = NULL;
	rig->fake.ops.program_slot = NULL;
	rig->fake.ops.queue_counters = NULL;
	rig->fake.ops.counters = NULL;
	rig->fake.ops.scratch = NULL;
	rig_register(rig);
	return 0;
}

static void program_unknown(struct kunit *test)
{
	struct vacc_program_query query = {};
	struct vacc_queue_query queue;
	struct rig *rig = test->priv;
	struct vacc_get_info info = {};
	struct vacc_stats stats;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	query.handle = bench.program;
	query.slots = rig_array(rig, RIG_ARRAY, 4,
				sizeof(struct vacc_program_slot));
	KUNIT_ASSERT_EQ(test, RIG_CALL(rig, VACC_PROGRAM_QUERY, &query), 0);
	KUNIT_EXPECT_EQ(test, query.known, 0U);
	KUNIT_EXPECT_EQ(test, query.slots.count, 0U);
	KUNIT_EXPECT_EQ(test, query.resident_bytes, 64ULL);
	rig_queue_query(rig, bench.queue, &queue);
	KUNIT_EXPECT_EQ(test, queue.commands, 0ULL);
	rig_stats(rig, &stats);
	KUNIT_EXPECT_EQ(test, stats.commands, 0ULL);
	KUNIT_EXPECT_EQ(test, stats.scratch_bytes, 0ULL);
	KUNIT_ASSERT_EQ(test, RIG_CALL(rig, VACC_GET_INFO, &info), 0);
	KUNIT_EXPECT_EQ(test, info.scratch_bytes_limit, 0ULL);
}

static struct kunit_case program_unknown_cases[] = {
	KUNIT_CASE(program_unknown),
	{}
};

static struct kunit_suite program_unknown_suite = {
	.name = "virtio_accel_program_unknown",
	.init = program_unknown_init,
	.exit = rig_exit,
	.test_cases = program_unknown_cases,
};

kunit_test_suites(&program_suite, &program_unknown_suite);
