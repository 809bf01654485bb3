// SPDX-License-Identifier: GPL-2.0 OR MIT
/* When commands were executed: one command at a time, in order, and only if asked. */
#include <time.h>
#include <unistd.h>

#include "rig.h"

#define FILLS	40

static u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* Each command has begun after the one before it ended, and between two moments. */
static void expect_between(const struct job_times *times, u64 before, u64 after)
{
	u64 last = before;
	u32 i;

	for (i = 0; i < times->commands; i++) {
		EXPECT(times->start_ns[i] >= last);
		EXPECT(times->end_ns[i] >= times->start_ns[i]);
		last = times->end_ns[i];
	}
	EXPECT(last <= after);
}

/* R12: a beginning and an end for each, though all would fit one step. */
TEST(timing_of_each_command)
{
	struct rig rig = rig_make((struct rig_options){});
	struct eng_image *fills = image_load(rig.context,
					     fills_load(FILLS, 64, 7));
	struct area area = area_make(rig.context, 64, USAGE_ALL);
	struct eng_work_counters counters;
	u64 before = now_ns();
	struct job job;

	job_init(&job);
	job.timed = true;
	REQUIRE(!job_submit_area(&job, rig.queue, fills, &area, WRITE_ONLY));
	EXPECT_ENDED(&job, COMPLETE, OK);
	EXPECT_EQ(job.times.commands, FILLS);
	EXPECT_EQ(job.times.calls, FILLS);
	EXPECT_EQ(job.steps, FILLS);
	expect_between(&job.times, before, now_ns());
	EXPECT(area_is(&area, 7));
	eng_queue_counters(rig.queue, &counters);
	EXPECT_EQ(counters.done.commands, FILLS);
	rig_free(&rig);
	job_fini(&job);
	area_free(&area);
}

TEST(timing_only_if_asked)
{
	struct rig rig = rig_make((struct rig_options){});
	struct eng_image *fills = image_load(rig.context,
					     fills_load(FILLS, 64, 7));
	struct area area = area_make(rig.context, 64, USAGE_ALL);
	struct job job;

	job_init(&job);
	REQUIRE(!job_submit_area(&job, rig.queue, fills, &area, WRITE_ONLY));
	EXPECT_ENDED(&job, COMPLETE, OK);
	EXPECT_EQ(job.times.calls, 0);
	EXPECT_EQ(job.steps, 1);
	rig_free(&rig);
	job_fini(&job);
	area_free(&area);
}

/* However small it is, the caller is not kept busy with it. */
TEST(timing_not_in_the_caller)
{
	struct rig rig = rig_make((struct rig_options){});
	struct eng_image *fills = image_load(rig.context, fills_load(2, 64, 7));
	struct area area = area_make(rig.context, 64, USAGE_ALL);
	struct job job;

	job_init(&job);
	job.timed = true;
	job.here = true;
	REQUIRE(!job_submit_area(&job, rig.queue, fills, &area, WRITE_ONLY));
	EXPECT_ENDED(&job, COMPLETE, OK);
	EXPECT(!pthread_equal(job.ended_by, pthread_self()));
	EXPECT_EQ(job.times.commands, 2);
	rig_free(&rig);
	job_fini(&job);
	area_free(&area);
}

/* One command of many steps has one beginning, and its end moves on. */
TEST(timing_of_long_commands)
{
	u64 bytes = 10 * ENG_STEP_BUDGET;
	struct rig rig = rig_make((struct rig_options){});
	struct eng_image *fills = image_load(rig.context, fills_load(3, bytes, 9));
	struct area area = area_make(rig.context, bytes, USAGE_ALL);
	u64 before = now_ns();
	struct job job;

	job_init(&job);
	job.timed = true;
	REQUIRE(!job_submit_area(&job, rig.queue, fills, &area, WRITE_ONLY));
	EXPECT_ENDED(&job, COMPLETE, OK);
	EXPECT_EQ(job.times.commands, 3);
	EXPECT(job.times.calls >= 30);
	EXPECT_EQ(job.times.calls, job.steps);
	EXPECT(job.times.end_ns[0] > job.times.start_ns[0]);
	expect_between(&job.times, before, now_ns());
	EXPECT(area_is(&area, 9));
	rig_free(&rig);
	job_fini(&job);
	area_free(&area);
}

/* A command that is stopped ends with its last step, and those behind it never begin. */
TEST(timing_of_what_was_aborted)
{
	u64 bytes = 4 * ENG_STEP_BUDGET;
	struct rig rig = rig_make((struct rig_options){});
	struct eng_image *fills = image_load(rig.context, fills_load(2, bytes, 9));
	struct area area = area_make(rig.context, bytes, USAGE_ALL);
	u64 before = now_ns();
	struct job job;

	job_init(&job);
	job.timed = true;
	job.keep = true;
	job_gate(&job);
	REQUIRE(!job_submit_area(&job, rig.queue, fills, &area, WRITE_ONLY));
	sem_wait(&job.reached);
	sem_post(&job.go_on);
	sem_wait(&job.reached);
	eng_event_abort(job.event);
	job_open(&job);
	EXPECT_ENDED(&job, CANCELLED, OK);
	EXPECT_EQ(job.times.commands, 1);
	EXPECT_EQ(job.times.calls, 2);
	expect_between(&job.times, before, now_ns());
	rig_free(&rig);
	job_fini(&job);
	area_free(&area);
}

/* What never began has no times. */
TEST(timing_of_what_was_cancelled)
{
	struct rig rig = rig_make((struct rig_options){ .hold = true });
	struct eng_image *fills = image_load(rig.context, fills_load(2, 64, 9));
	struct area area = area_make(rig.context, 64, USAGE_ALL);
	struct job job;

	job_init(&job);
	job.timed = true;
	job.keep = true;
	REQUIRE(!job_submit_area(&job, rig.queue, fills, &area, WRITE_ONLY));
	EXPECT_EQ(eng_event_cancel(job.event), OK);
	EXPECT_ENDED(&job, CANCELLED, OK);
	EXPECT_EQ(job.times.calls, 0);
	rig_free(&rig);
	job_fini(&job);
	area_free(&area);
}

/* What the harness has executed is timed like anything. */
TEST(timing_in_hold_mode)
{
	struct rig rig = rig_make((struct rig_options){ .hold = true });
	struct eng_image *fills = image_load(rig.context, fills_load(2, 64, 9));
	struct area area = area_make(rig.context, 64, USAGE_ALL);
	struct job job;
	u64 sequence;
	u64 released;

	job_init(&job);
	job.timed = true;
	REQUIRE(!job_submit_area(&job, rig.queue, fills, &area, WRITE_ONLY));
	usleep(1000);
	released = now_ns();
	REQUIRE(!eng_harness_oldest(rig.device, &sequence));
	EXPECT_EQ(eng_harness_complete(rig.device, sequence), OK);
	EXPECT_ENDED(&job, COMPLETE, OK);
	EXPECT_EQ(job.times.commands, 2);
	expect_between(&job.times, released, now_ns());
	rig_free(&rig);
	job_fini(&job);
	area_free(&area);
}

/* Where nobody listens it is as if nobody had asked. */
TEST(timing_of_a_polled_device)
{
	struct rig rig = rig_make((struct rig_options){ .polled = true });
	struct eng_image *fills = image_load(rig.context, fills_load(2, 64, 9));
	struct area area = area_make(rig.context, 64, USAGE_ALL);
	struct job job;
	u16 status;

	job_init(&job);
	job.timed = true;
	REQUIRE(!job_submit_area(&job, rig.queue, fills, &area, WRITE_ONLY));
	while (eng_event_state(job.event, &status) == PENDING)
		usleep(100);
	EXPECT_EQ(eng_event_state(job.event, &status), COMPLETE);
	EXPECT(area_is(&area, 9));
	rig_free(&rig);
	job_fini(&job);
	area_free(&area);
}
