// SPDX-License-Identifier: GPL-2.0
/*
 * What closed files leave.
 */
#include <linux/dma-fence.h>

#include "rig.h"

/* A closed file that can still be looked at; for reaper_done(). */
static struct vacc_file *reaper_close(struct rig *rig)
{
	struct vacc_file *file = rig_file(rig, 0);

	kref_get(&file->ref);
	rig_close(rig, 0);
	return file;
}

static void reaper_done(struct vacc_file *file)
{
	vacc_file_put(file);
}

/* The retry that the reaper waits for, now. */
static void reaper_advance(struct vacc_file *file)
{
	mod_delayed_work(vacc_slow_wq, &file->reap, 0);
	flush_delayed_work(&file->reap);
}

static int reaper_zombies(struct rig *rig)
{
	int sum = 0;
	int kind;

	for (kind = 0; kind < VACC_KIND_COUNT; kind++)
		sum += atomic_read(&rig->fake.dev->zombie[kind]);
	return sum;
}

static void reaper_takes_all(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct rig_bench bench;
	int kind;

	rig_bench(rig, &bench);
	rig_bench(rig, &bench);
	rig_context(rig);
	rig->fake.run_here = true;
	rig_event(rig, &bench);
	rig_close(rig, 0);
	rig_settle(rig);
	for (kind = 0; kind < VACC_KIND_EVENT; kind++)
		KUNIT_EXPECT_EQ(test, rig->fake.live[kind], 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->bytes), 0);
	KUNIT_EXPECT_EQ(test, rig->fake.misuses, 0);
}

/* What is live becomes a zombie at once, and is gone when it is reaped. */
static void reaper_counts(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_stats stats;
	struct rig_bench bench;
	struct vacc_file *file;

	rig_bench(rig, &bench);
	rig_event(rig, &bench);
	rig->fake.executing = true;
	file = reaper_close(rig);
	rig_open(rig, 0);
	rig_settle(rig);
	rig_stats(rig, &stats);
	KUNIT_EXPECT_EQ(test, stats.live.contexts, 0U);
	KUNIT_EXPECT_EQ(test, stats.live.events, 0U);
	KUNIT_EXPECT_EQ(test, stats.zombie.contexts, 1U);
	KUNIT_EXPECT_EQ(test, stats.zombie.buffers, 1U);
	KUNIT_EXPECT_EQ(test, stats.zombie.programs, 1U);
	KUNIT_EXPECT_EQ(test, stats.zombie.queues, 1U);
	KUNIT_EXPECT_EQ(test, stats.zombie.events, 1U);
	KUNIT_EXPECT_EQ(test, stats.live_allocations, 1ULL);
	fake_end(&rig->fake, 0, VACC_EVENT_CANCELLED, VIRTIO_ACCEL_S_OK);
	rig_settle(rig);
	rig_stats(rig, &stats);
	KUNIT_EXPECT_EQ(test, reaper_zombies(rig), 0);
	KUNIT_EXPECT_EQ(test, stats.live_allocations, 0ULL);
	KUNIT_EXPECT_EQ(test, stats.cancelled, 1ULL);
	KUNIT_EXPECT_EQ(test, stats.submitted, 1ULL);
	reaper_done(file);
}

/* Pending events are cancelled; executing ones keep what the device still holds. */
static void reaper_leaves_what_executes(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_event *event;
	struct vacc_file *file;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	event = rig_event_of(rig, rig_event(rig, &bench));
	rig->fake.executing = true;
	file = reaper_close(rig);
	rig_settle(rig);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_EVENT_ABORT], 1U);
	KUNIT_EXPECT_EQ(test, vacc_event_state(event), (u32)VACC_EVENT_PENDING);
	KUNIT_EXPECT_EQ(test, rig->fake.live[VACC_KIND_BUFFER], 1);
	KUNIT_EXPECT_EQ(test, rig->fake.live[VACC_KIND_QUEUE], 1);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_BUFFER_DESTROY], 0U);
	/* It stops at the next chunk. */
	fake_end(&rig->fake, 0, VACC_EVENT_CANCELLED, VIRTIO_ACCEL_S_OK);
	rig_settle(rig);
	KUNIT_EXPECT_EQ(test, dma_fence_get_status(&event->fence->base),
			-ECANCELED);
	KUNIT_EXPECT_EQ(test, rig->fake.live[VACC_KIND_BUFFER], 0);
	KUNIT_EXPECT_EQ(test, rig->fake.live[VACC_KIND_CONTEXT], 0);
	vacc_event_put(event);
	reaper_done(file);
}

static void reaper_cancels(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_event *events[3];
	struct rig_bench bench;
	int i;

	rig_bench(rig, &bench);
	for (i = 0; i < ARRAY_SIZE(events); i++)
		events[i] = rig_event_of(rig, rig_event(rig, &bench));
	rig_close(rig, 0);
	rig_settle(rig);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		KUNIT_EXPECT_EQ(test, vacc_event_state(events[i]),
				(u32)VACC_EVENT_CANCELLED);
		KUNIT_EXPECT_EQ(test, dma_fence_get_status(&events[i]->fence->base),
				-ECANCELED);
		vacc_event_put(events[i]);
	}
	KUNIT_EXPECT_EQ(test, reaper_zombies(rig), 0);
}

/* A backend that refuses to release something now. */
struct reaper_refusal {
	const char *name;
	enum fake_op op;
	enum vacc_kind kind;
};

static const struct reaper_refusal reaper_refusals[] = {
	{ "queue", FAKE_QUEUE_DESTROY, VACC_KIND_QUEUE },
	{ "program", FAKE_PROGRAM_UNLOAD, VACC_KIND_PROGRAM },
	{ "buffer", FAKE_BUFFER_DESTROY, VACC_KIND_BUFFER },
	{ "context", FAKE_CONTEXT_DESTROY, VACC_KIND_CONTEXT },
};

KUNIT_ARRAY_PARAM_DESC(reaper_refusal, reaper_refusals, name);

static void reaper_tries_again(struct kunit *test)
{
	const struct reaper_refusal *refusal = test->param_value;
	struct rig *rig = test->priv;
	struct vacc_file *file;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	fake_fail(&rig->fake, refusal->op, 1, vacc_rejected(VIRTIO_ACCEL_S_BUSY));
	file = reaper_close(rig);
	rig_flush();
	KUNIT_EXPECT_EQ(test, rig->fake.live[refusal->kind], 1);
	KUNIT_EXPECT_EQ(test, rig->fake.live[VACC_KIND_CONTEXT], 1);
	KUNIT_EXPECT_GT(test, reaper_zombies(rig), 0);
	reaper_advance(file);
	KUNIT_EXPECT_EQ(test, rig->fake.live[VACC_KIND_CONTEXT], 0);
	KUNIT_EXPECT_EQ(test, reaper_zombies(rig), 0);
	KUNIT_EXPECT_EQ(test, rig->fake.misuses, 0);
	reaper_done(file);
}

/* One that refuses for as long as the hang limit loses it to the core. */
static void reaper_gives_up(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct vacc_file *file;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	fake_fail(&rig->fake, FAKE_BUFFER_DESTROY, 1,
		  vacc_rejected(VIRTIO_ACCEL_S_BUSY));
	file = reaper_close(rig);
	rig_flush();
	KUNIT_EXPECT_NE(test, file->reap_until, 0UL);
	file->reap_until = (jiffies - 2) | 1;
	fake_fail(&rig->fake, FAKE_BUFFER_DESTROY, 1,
		  vacc_rejected(VIRTIO_ACCEL_S_BUSY));
	reaper_advance(file);
	KUNIT_EXPECT_EQ(test, reaper_zombies(rig), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->bytes), 0);
	/* The backend still has it: that is what was to be shown. */
	KUNIT_EXPECT_EQ(test, rig->fake.live[VACC_KIND_BUFFER], 1);
	KUNIT_EXPECT_EQ(test, rig->fake.misuses, 1);
	reaper_done(file);
	rig->fake.live[VACC_KIND_BUFFER] = 0;
	rig->fake.misuses = 0;
}

static void reaper_after_an_unplug(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct rig_bench bench;

	rig_bench(rig, &bench);
	rig_event(rig, &bench);
	rig->fake.executing = true;
	rig_open(rig, 1);
	rig_close(rig, 0);
	rig_unregister(rig);
	rig_settle(rig);
	KUNIT_EXPECT_EQ(test, reaper_zombies(rig), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&rig->fake.dev->bytes), 0);
	KUNIT_EXPECT_EQ(test, rig->fake.calls[FAKE_QUEUE_DESTROY], 0U);
	rig_close(rig, 1);
}

/* Files opened and closed again and again, with work in flight. */
static void reaper_many_times(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct rig_bench bench;
	int i;

	for (i = 0; i < 50; i++) {
		rig_bench(rig, &bench);
		rig->fake.executing = i & 1;
		rig_event(rig, &bench);
		rig_event(rig, &bench);
		rig_close(rig, 0);
		if (i & 2)
			rig_flush();
		rig->fake.executing = false;
		while (fake_end(&rig->fake, 0, VACC_EVENT_COMPLETE,
				VIRTIO_ACCEL_S_OK))
			;
		rig_settle(rig);
		KUNIT_ASSERT_EQ(test, reaper_zombies(rig), 0);
		rig_open(rig, 0);
	}
	KUNIT_EXPECT_EQ(test, kref_read(&rig->fake.dev->ref), 3U);
}

static struct kunit_case reaper_cases[] = {
	KUNIT_CASE(reaper_takes_all),
	KUNIT_CASE(reaper_counts),
	KUNIT_CASE(reaper_leaves_what_executes),
	KUNIT_CASE(reaper_cancels),
	KUNIT_CASE_PARAM(reaper_tries_again, reaper_refusal_gen_params),
	KUNIT_CASE(reaper_gives_up),
	KUNIT_CASE(reaper_after_an_unplug),
	KUNIT_CASE(reaper_many_times),
	{}
};

static struct kunit_suite reaper_suite = {
	.name = "virtio_accel_reaper",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = reaper_cases,
};

kunit_test_suite(reaper_suite);
