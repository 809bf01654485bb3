// SPDX-License-Identifier: GPL-2.0 OR MIT
/* How events end: M8, M10, M11, M12, deadlines. */
#include <unistd.h>

#include "rig.h"

/* A held device with an image that fills one area with 0x5a. */
struct scene {
	struct rig rig;
	struct eng_image *fill;
	struct area area;
	struct job job;
};

static struct scene *scene_make(struct rig_options options, u64 bytes)
{
	struct scene *s = malloc(sizeof(*s));

	REQUIRE(s);
	s->rig = rig_make(options);
	s->fill = image_make(s->rig.context, VACC_REF_OP_FILL, 0,
			     VACC_REF_NO_SLOT, 0x5a);
	s->area = area_make(s->rig.context, bytes, USAGE_ALL);
	job_init(&s->job);
	s->job.keep = true;
	return s;
}

static void scene_submit(struct scene *s)
{
	REQUIRE(!job_submit_area(&s->job, s->rig.queue, s->fill, &s->area,
				 WRITE_ONLY));
}

static void scene_free(struct scene *s)
{
	rig_free(&s->rig);
	job_fini(&s->job);
	area_free(&s->area);
	free(s);
}

static u64 only_sequence(struct scene *s)
{
	u64 sequence = 0;

	EXPECT_EQ(eng_harness_oldest(s->rig.device, &sequence), OK);
	return sequence;
}

TEST(m8_held_has_not_run)
{
	struct scene *s = scene_make((struct rig_options){ .hold = true }, 64);
	u16 status = 1;

	scene_submit(s);
	usleep(20000);
	EXPECT(area_is(&s->area, 0));
	EXPECT_EQ(eng_event_state(s->job.event, &status), PENDING);
	EXPECT_EQ(status, OK);
	EXPECT_EQ(s->job.steps, 0);
	EXPECT_EQ(eng_harness_complete(s->rig.device, only_sequence(s)), OK);
	/* Complete when it says so, in this very call. */
	EXPECT(area_is(&s->area, 0x5a));
	EXPECT_EQ(eng_event_state(s->job.event, &status), COMPLETE);
	EXPECT_ENDED(&s->job, COMPLETE, OK);
	scene_free(s);
}

TEST(m10_pending_to_cancelled)
{
	struct scene *s = scene_make((struct rig_options){ .hold = true }, 64);
	u64 sequence;
	u16 status;

	scene_submit(s);
	sequence = only_sequence(s);
	EXPECT_EQ(eng_event_cancel(s->job.event), OK);
	EXPECT_ENDED(&s->job, CANCELLED, OK);
	EXPECT_EQ(eng_event_state(s->job.event, &status), CANCELLED);
	/* All who come later lose. */
	EXPECT_EQ(eng_event_cancel(s->job.event), VIRTIO_ACCEL_S_BUSY);
	EXPECT_EQ(eng_harness_complete(s->rig.device, sequence),
		  VIRTIO_ACCEL_S_STALE_OBJECT);
	EXPECT_EQ(eng_harness_fail(s->rig.device, sequence,
				   VIRTIO_ACCEL_S_DEVICE_LOST),
		  VIRTIO_ACCEL_S_STALE_OBJECT);
	eng_event_abort(s->job.event);
	eng_harness_hold(s->rig.device, false);
	usleep(20000);
	EXPECT_EQ(s->job.ends, 1);
	EXPECT(area_is(&s->area, 0));
	scene_free(s);
}

TEST(m10_pending_to_lost)
{
	struct scene *s = scene_make((struct rig_options){ .hold = true }, 64);
	u16 status = 0;

	scene_submit(s);
	EXPECT_EQ(eng_harness_fail(s->rig.device, only_sequence(s),
				   VIRTIO_ACCEL_S_DEVICE_LOST), OK);
	EXPECT_ENDED(&s->job, FAILED, VIRTIO_ACCEL_S_DEVICE_LOST);
	EXPECT_EQ(eng_event_state(s->job.event, &status), FAILED);
	EXPECT_EQ(status, VIRTIO_ACCEL_S_DEVICE_LOST);
	EXPECT_EQ(eng_event_cancel(s->job.event), VIRTIO_ACCEL_S_BUSY);
	eng_harness_hold(s->rig.device, false);
	usleep(20000);
	EXPECT(area_is(&s->area, 0));
	EXPECT_EQ(s->job.ends, 1);
	scene_free(s);
}

TEST(m10_executing_reads_as_pending)
{
	struct scene *s = scene_make((struct rig_options){}, 64);
	struct eng_harness_event seen;
	u16 status;

	job_gate(&s->job);
	scene_submit(s);
	sem_wait(&s->job.reached);
	EXPECT_EQ(eng_event_state(s->job.event, &status), PENDING);
	EXPECT_EQ(eng_event_cancel(s->job.event), VIRTIO_ACCEL_S_BUSY);
	EXPECT_EQ(eng_event_destroy(s->job.event), VIRTIO_ACCEL_S_BUSY);
	EXPECT_EQ(eng_harness_list(s->rig.device, NULL, &seen, 1), 1);
	EXPECT(seen.executing);
	EXPECT_EQ(eng_harness_complete(s->rig.device, seen.sequence),
		  VIRTIO_ACCEL_S_BUSY);
	EXPECT_EQ(eng_harness_fail(s->rig.device, seen.sequence,
				   VIRTIO_ACCEL_S_DEVICE_LOST),
		  VIRTIO_ACCEL_S_BUSY);
	job_open(&s->job);
	EXPECT_ENDED(&s->job, COMPLETE, OK);
	EXPECT(area_is(&s->area, 0x5a));
	scene_free(s);
}

TEST(m10_abort_of_pending)
{
	struct scene *s = scene_make((struct rig_options){ .hold = true }, 64);

	scene_submit(s);
	eng_event_abort(s->job.event);
	EXPECT_ENDED(&s->job, CANCELLED, OK);
	EXPECT_EQ(s->job.steps, 0);
	EXPECT(area_is(&s->area, 0));
	scene_free(s);
}

TEST(m10_abort_of_executing)
{
	u64 bytes = 10 * ENG_STEP_BUDGET;
	struct scene *s = scene_make((struct rig_options){}, bytes);

	job_gate(&s->job);
	scene_submit(s);
	sem_wait(&s->job.reached);
	sem_post(&s->job.go_on);
	sem_wait(&s->job.reached);
	/* One step is done, the second about to be, a third must not come. */
	eng_event_abort(s->job.event);
	EXPECT(!job_ended(&s->job));
	job_open(&s->job);
	EXPECT_ENDED(&s->job, CANCELLED, OK);
	EXPECT_EQ(s->job.steps, 2);
	EXPECT_EQ(s->area.memory[0], 0x5a);
	EXPECT_EQ(s->area.memory[bytes - 1], 0);
	EXPECT_EQ(rig_stats(&s->rig).work.done.commands, 0);
	scene_free(s);
}

TEST(m10_abort_of_prepared)
{
	struct scene *s = scene_make((struct rig_options){ .hold = true }, 64);
	struct eng_bind bind = bind_of(&s->area, 0, WRITE_ONLY);

	REQUIRE(!job_prepare(&s->job, s->rig.queue, s->fill, &bind, 1));
	eng_event_abort(s->job.event);
	EXPECT_EQ(s->job.ends, 0);
	EXPECT_EQ(eng_event_admit(s->job.event, false), OK);
	EXPECT_ENDED(&s->job, CANCELLED, OK);
	EXPECT_EQ(eng_queue_destroy(s->rig.queue), OK);
	scene_free(s);
}

TEST(m11_cancelled_and_lost_never_execute)
{
	struct scene *s = scene_make((struct rig_options){ .hold = true }, 64);
	struct job jobs[3];
	u64 sequence;
	u32 i;

	for (i = 0; i < 3; i++) {
		job_init(&jobs[i]);
		REQUIRE(!job_submit_area(&jobs[i], s->rig.queue, s->fill,
					 &s->area, WRITE_ONLY));
	}
	eng_event_cancel(jobs[1].event);
	REQUIRE(!eng_harness_oldest(s->rig.device, &sequence));
	EXPECT_EQ(eng_harness_fail(s->rig.device, sequence,
				   VIRTIO_ACCEL_S_INTERNAL_ERROR), OK);
	EXPECT_ENDED(&jobs[0], FAILED, VIRTIO_ACCEL_S_INTERNAL_ERROR);
	EXPECT_ENDED(&jobs[1], CANCELLED, OK);
	EXPECT(area_is(&s->area, 0));
	EXPECT_EQ(rig_stats(&s->rig).work.done.commands, 0);
	/* What is left of the queue is not stopped by that. */
	eng_harness_hold(s->rig.device, false);
	EXPECT_ENDED(&jobs[2], COMPLETE, OK);
	EXPECT(area_is(&s->area, 0x5a));
	EXPECT_EQ(rig_stats(&s->rig).work.done.commands, 1);
	for (i = 0; i < 3; i++)
		job_fini(&jobs[i]);
	scene_free(s);
}

TEST(m12_destroy)
{
	struct scene *s = scene_make((struct rig_options){ .hold = true,
							   .polled = true }, 64);
	u16 status;

	scene_submit(s);
	EXPECT_EQ(eng_event_destroy(s->job.event), VIRTIO_ACCEL_S_BUSY);
	/* It stays usable. */
	EXPECT_EQ(eng_event_state(s->job.event, &status), PENDING);
	eng_harness_hold(s->rig.device, false);
	while (eng_event_destroy(s->job.event) == VIRTIO_ACCEL_S_BUSY)
		usleep(1000);
	/* The memory may go at once. */
	EXPECT_EQ(eng_event_state(s->job.event, &status), COMPLETE);
	free(s->job.event);
	s->job.event = NULL;
	EXPECT(area_is(&s->area, 0x5a));
	scene_free(s);
}

TEST(deadline_before_execution)
{
	struct scene *s = scene_make((struct rig_options){ .hold = true }, 64);

	s->job.timeout_ns = 1000000;
	scene_submit(s);
	usleep(5000);
	EXPECT(!job_ended(&s->job));
	/* It is the harness' wish, and still too late. */
	EXPECT_EQ(eng_harness_complete(s->rig.device, only_sequence(s)), OK);
	EXPECT_ENDED(&s->job, FAILED, VIRTIO_ACCEL_S_DEADLINE_EXPIRED);
	EXPECT(area_is(&s->area, 0));
	scene_free(s);
}

TEST(deadline_in_execution)
{
	u64 bytes = 10 * ENG_STEP_BUDGET;
	struct scene *s = scene_make((struct rig_options){}, bytes);

	s->job.timeout_ns = 20000000;
	job_gate(&s->job);
	scene_submit(s);
	sem_wait(&s->job.reached);
	usleep(30000);
	job_open(&s->job);
	EXPECT_ENDED(&s->job, FAILED, VIRTIO_ACCEL_S_DEADLINE_EXPIRED);
	EXPECT_EQ(s->area.memory[bytes - 1], 0);
	scene_free(s);
}

TEST(deadline_of_polled)
{
	struct scene *s = scene_make((struct rig_options){ .hold = true,
							   .polled = true }, 64);
	u16 status;

	s->job.timeout_ns = 50000000;
	scene_submit(s);
	eng_event_expire(s->job.event);
	EXPECT_EQ(eng_event_state(s->job.event, &status), PENDING);
	usleep(60000);
	EXPECT_EQ(eng_event_state(s->job.event, &status), PENDING);
	eng_event_expire(s->job.event);
	EXPECT_EQ(eng_event_state(s->job.event, &status), FAILED);
	EXPECT_EQ(status, VIRTIO_ACCEL_S_DEADLINE_EXPIRED);
	scene_free(s);
}

TEST(deadline_beyond_the_end_of_time)
{
	struct scene *s = scene_make((struct rig_options){}, 64);

	s->job.timeout_ns = ~0ULL;
	scene_submit(s);
	EXPECT_ENDED(&s->job, COMPLETE, OK);
	scene_free(s);
}

TEST(admission_after_stop)
{
	struct scene *s = scene_make((struct rig_options){}, 64);

	eng_device_stop(s->rig.device);
	EXPECT_EQ(job_submit_area(&s->job, s->rig.queue, s->fill, &s->area,
				  WRITE_ONLY), VIRTIO_ACCEL_S_DEVICE_LOST);
	EXPECT_EQ(s->job.ends, 0);
	EXPECT_EQ(eng_buffer_destroy(s->area.buffer), OK);
	EXPECT_EQ(eng_queue_destroy(s->rig.queue), OK);
	scene_free(s);
}

struct blocked {
	struct job *executing;
	struct job *behind;
};

/* What stop does first is seen at what was behind. */
static void *unblock(void *arg)
{
	struct blocked *blocked = arg;

	job_wait(blocked->behind);
	EXPECT(!job_ended(blocked->executing));
	job_open(blocked->executing);
	return NULL;
}

TEST(stop_ends_what_executes)
{
	u64 bytes = 10 * ENG_STEP_BUDGET;
	struct scene *s = scene_make((struct rig_options){}, bytes);
	struct job behind;
	struct blocked blocked = { &s->job, &behind };
	pthread_t thread;

	job_init(&behind);
	job_gate(&s->job);
	scene_submit(s);
	REQUIRE(!job_submit_area(&behind, s->rig.queue, s->fill, &s->area,
				 WRITE_ONLY));
	sem_wait(&s->job.reached);
	REQUIRE(!pthread_create(&thread, NULL, unblock, &blocked));
	eng_device_stop(s->rig.device);
	EXPECT(job_ended(&s->job));
	EXPECT(job_ended(&behind));
	pthread_join(thread, NULL);
	EXPECT_ENDED(&behind, FAILED, VIRTIO_ACCEL_S_DEVICE_LOST);
	EXPECT_ENDED(&s->job, FAILED, VIRTIO_ACCEL_S_DEVICE_LOST);
	EXPECT_EQ(s->job.steps, 1);
	EXPECT_EQ(s->area.memory[0], 0x5a);
	EXPECT_EQ(s->area.memory[bytes - 1], 0);
	scene_free(s);
	job_fini(&behind);
}
