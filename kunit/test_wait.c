// SPDX-License-Identifier: GPL-2.0
/*
 * EVENT_WAIT.
 */
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/ktime.h>

#include "rig.h"

#define WAIT_EVENTS	4

/* Waits for up to four entries, in the order of their handles. */
static long wait_for(struct rig *rig, const u32 *handles, u32 count, u32 flags,
		     u64 deadline, struct vacc_event_wait *wait,
		     struct vacc_wait_entry *entries)
{
	long ret;
	u32 i;

	memset(wait, 0, sizeof(*wait));
	memset(entries, 0xee, count * sizeof(*entries));
	for (i = 0; i < count; i++)
		entries[i].handle = handles[i];
	rig_put(rig, RIG_ARRAY, entries, count * sizeof(*entries));
	wait->flags = flags;
	wait->deadline_ns = deadline;
	wait->events = rig_array(rig, RIG_ARRAY, count, sizeof(*entries));
	ret = RIG_CALL(rig, VACC_EVENT_WAIT, wait);
	rig_get(rig, RIG_ARRAY, entries, count * sizeof(*entries));
	return ret;
}

/* Which of four events have ended, as bits, and what a wait without time says. */
struct wait_case {
	const char *name;
	u32 ended;
	bool all;
	int error;
};

static const struct wait_case wait_cases_table[] = {
	{ "any of none", 0, false, -ETIMEDOUT },
	{ "any of first", 0x1, false, 0 },
	{ "any of last", 0x8, false, 0 },
	{ "any of all", 0xf, false, 0 },
	{ "all of none", 0, true, -ETIMEDOUT },
	{ "all of three", 0x7, true, -ETIMEDOUT },
	{ "all of other three", 0xe, true, -ETIMEDOUT },
	{ "all of all", 0xf, true, 0 },
};

KUNIT_ARRAY_PARAM_DESC(wait_case, wait_cases_table, name);

static void wait_end_some(struct rig *rig, u32 ended)
{
	int i;

	for (i = WAIT_EVENTS - 1; i >= 0; i--)
		if (ended & BIT(i))
			fake_end(&rig->fake, i, VACC_EVENT_FAILED,
				 VIRTIO_ACCEL_S_BUSY);
}

static void wait_without_time(struct kunit *test)
{
	const struct wait_case *c = test->param_value;
	struct vacc_wait_entry entries[WAIT_EVENTS];
	u32 handles[WAIT_EVENTS];
	struct vacc_event_wait wait;
	struct rig *rig = test->priv;
	struct rig_bench bench;
	int i;

	rig_bench(rig, &bench);
	for (i = 0; i < WAIT_EVENTS; i++)
		handles[i] = rig_event(rig, &bench);
	wait_end_some(rig, c->ended);
	KUNIT_EXPECT_EQ(test, wait_for(rig, handles, WAIT_EVENTS,
				       c->all ? VACC_WAIT_ALL : 0, 1, &wait,
				       entries), c->error);
	KUNIT_EXPECT_EQ(test, wait.ended, hweight32(c->ended));
	KUNIT_EXPECT_EQ(test, wait.first,
			c->ended ? (u32)__ffs(c->ended) : VACC_NO_INDEX);
	for (i = 0; i < WAIT_EVENTS; i++) {
		bool ended = c->ended & BIT(i);

		KUNIT_EXPECT_EQ(test, entries[i].handle, handles[i]);
		KUNIT_EXPECT_EQ(test, entries[i].state,
				(u32)(ended ? VACC_EVENT_FAILED :
					      VACC_EVENT_PENDING));
		KUNIT_EXPECT_EQ(test, entries[i].status,
				(u32)(ended ? VIRTIO_ACCEL_S_BUSY :
					      VIRTIO_ACCEL_S_OK));
		KUNIT_EXPECT_EQ(test, entries[i].event_flags,
				(u32)(ended ? VACC_EVENT_QUIESCENT : 0));
	}
}

static void wait_end_first(struct rig *rig)
{
	fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE, VIRTIO_ACCEL_S_OK);
}

static void wait_end_both(struct rig *rig)
{
	wait_end_first(rig);
	wait_end_first(rig);
}

static void wait_is_woken(struct kunit *test)
{
	struct vacc_wait_entry entries[3];
	struct vacc_event_wait wait;
	struct rig *rig = test->priv;
	struct rig_bench bench;
	u32 handles[3];

	rig_bench(rig, &bench);
	handles[0] = rig_event(rig, &bench);
	handles[1] = rig_event(rig, &bench);
	handles[2] = handles[1];
	rig_later(rig, wait_end_first);
	KUNIT_EXPECT_EQ(test, wait_for(rig, handles, 3, 0, VACC_NO_DEADLINE,
				       &wait, entries), 0);
	KUNIT_EXPECT_EQ(test, wait.ended, 1U);
	KUNIT_EXPECT_EQ(test, wait.first, 0U);
	/* An event may stand there twice. */
	rig_later(rig, wait_end_first);
	KUNIT_EXPECT_EQ(test, wait_for(rig, handles, 3, VACC_WAIT_ALL,
				       ktime_get_ns() + 3600ULL * NSEC_PER_SEC,
				       &wait, entries), 0);
	KUNIT_EXPECT_EQ(test, wait.ended, 3U);
	KUNIT_EXPECT_EQ(test, entries[1].state, (u32)VACC_EVENT_COMPLETE);
	KUNIT_EXPECT_EQ(test, entries[2].state, (u32)VACC_EVENT_COMPLETE);
}

/* All is all: the first end does not wake for good. */
static void wait_for_all_is_woken(struct kunit *test)
{
	struct vacc_wait_entry entries[2];
	struct vacc_event_wait wait;
	struct rig *rig = test->priv;
	struct rig_bench bench;
	u32 handles[2];

	rig_bench(rig, &bench);
	handles[0] = rig_event(rig, &bench);
	handles[1] = rig_event(rig, &bench);
	rig_later(rig, wait_end_both);
	KUNIT_EXPECT_EQ(test, wait_for(rig, handles, 2, VACC_WAIT_ALL,
				       VACC_NO_DEADLINE, &wait, entries), 0);
	KUNIT_EXPECT_EQ(test, wait.ended, 2U);
}

/* The event ends and its handle goes while somebody waits. */
static void wait_destroyed_meanwhile(struct kunit *test)
{
	struct vacc_submit submit = { .flags = VACC_SUBMIT_AUTO_DESTROY };
	struct vacc_wait_entry entry;
	struct vacc_event_wait wait;
	struct rig *rig = test->priv;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	KUNIT_ASSERT_EQ(test, rig_submit(rig, &bench, &submit), 0);
	rig_later(rig, wait_end_first);
	KUNIT_EXPECT_EQ(test, wait_for(rig, &submit.event, 1, 0,
				       VACC_NO_DEADLINE, &wait, &entry), 0);
	KUNIT_EXPECT_EQ(test, entry.state, (u32)VACC_EVENT_FAILED);
	KUNIT_EXPECT_EQ(test, entry.status, (u32)VIRTIO_ACCEL_S_STALE_OBJECT);
	KUNIT_EXPECT_EQ(test, wait_for(rig, &submit.event, 1, 0, 1, &wait,
				       &entry), -ENOENT);
}

static void wait_refusals(struct kunit *test)
{
	struct vacc_event_wait wait = { .flags = 2, .events.count = 0 };
	struct vacc_wait_entry entry = {};
	struct rig *rig = test->priv;
	struct rig_bench bench;
	u32 handles[2];

	rig_bench(rig, &bench);
	handles[0] = rig_event(rig, &bench);
	handles[1] = bench.queue;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_EVENT_WAIT, &wait), -EOPNOTSUPP);
	wait.flags = 0;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_EVENT_WAIT, &wait), -EINVAL);
	wait.events = rig_array(rig, RIG_ARRAY, VACC_MAX_WAIT + 1, sizeof(entry));
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_EVENT_WAIT, &wait), -EINVAL);
	wait.events.count = 1;
	wait.deadline_ns = VACC_NO_DEADLINE + 1;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_EVENT_WAIT, &wait), -EINVAL);
	wait.deadline_ns = 1;
	wait.events.ptr = 8;
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_EVENT_WAIT, &wait), -EFAULT);
	/* A queue is no event, and an unknown entry spoils the call. */
	{
		struct vacc_wait_entry entries[2];

		KUNIT_EXPECT_EQ(test, wait_for(rig, handles, 2, 0, 1, &wait,
					       entries), -ENOENT);
	}
	wait_end_first(rig);
	rig_settle(rig);
	KUNIT_EXPECT_EQ(test, rig_handle_call(rig, VACC_EVENT_DESTROY, handles[0]),
			0);
}

/* A deadline comes: not before, and the call returns. */
static void wait_deadline_comes(struct kunit *test)
{
	struct vacc_wait_entry entry;
	struct vacc_event_wait wait;
	struct rig *rig = test->priv;
	struct rig_bench bench;
	u64 deadline;
	u32 handle;

	rig_bench(rig, &bench);
	handle = rig_event(rig, &bench);
	deadline = ktime_get_ns() + 3 * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, wait_for(rig, &handle, 1, 0, deadline, &wait,
				       &entry), -ETIMEDOUT);
	KUNIT_EXPECT_GE(test, ktime_get_ns(), deadline);
}

/* A backend that polls hears who waits, and of nothing that has ended. */
static void wait_is_told_to_the_backend(struct kunit *test)
{
	struct vacc_event_export export = {};
	struct vacc_wait_entry entries[2];
	struct vacc_event_wait wait;
	struct rig *rig = test->priv;
	struct fake *fake = &rig->fake;
	struct rig_bench bench;
	u32 handles[2];

	rig_bench(rig, &bench);
	handles[0] = rig_event(rig, &bench);
	handles[1] = rig_event(rig, &bench);
	KUNIT_EXPECT_EQ(test, fake->calls[FAKE_EVENT_WANTED], 0U);
	wait_end_first(rig);
	KUNIT_EXPECT_EQ(test, wait_for(rig, handles, 2, 0, 1, &wait, entries), 0);
	KUNIT_EXPECT_EQ(test, fake->calls[FAKE_EVENT_WANTED], 0U);
	KUNIT_EXPECT_EQ(test, wait_for(rig, handles, 2, VACC_WAIT_ALL, 1, &wait,
				       entries), -ETIMEDOUT);
	KUNIT_EXPECT_EQ(test, fake->calls[FAKE_EVENT_WANTED], 1U);
	export.handle = handles[1];
	KUNIT_EXPECT_EQ(test, RIG_CALL(rig, VACC_EVENT_EXPORT, &export), 0);
	KUNIT_EXPECT_EQ(test, fake->calls[FAKE_EVENT_WANTED], 2U);
	KUNIT_EXPECT_EQ(test, close_fd(export.fd), 0);
	flush_delayed_fput();
}

static struct kunit_case wait_cases[] = {
	KUNIT_CASE_PARAM(wait_without_time, wait_case_gen_params),
	KUNIT_CASE(wait_is_woken),
	KUNIT_CASE(wait_for_all_is_woken),
	KUNIT_CASE(wait_destroyed_meanwhile),
	KUNIT_CASE(wait_refusals),
	KUNIT_CASE(wait_is_told_to_the_backend),
	KUNIT_CASE(wait_deadline_comes),
	{}
};

static struct kunit_suite wait_suite = {
	.name = "virtio_accel_wait",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = wait_cases,
};

kunit_test_suite(wait_suite);
