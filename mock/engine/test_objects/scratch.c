// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Working memory: reserved at submission, limited, given back. */
#include "rig.h"

#define ROWS		64
#define FEATURES	8
#define NEED		(2 * ROWS * FEATURES)

/* A held device with so many bytes of working memory. */
struct scene {
	struct rig rig;
	struct eng_image *linear;
	struct area area, weights;
	struct eng_bind binds[2];
};

static struct scene *scene_make(u64 room)
{
	struct scene *s = malloc(sizeof(*s));
	struct eng_limits limits = default_limits;
	struct rig_options options = { .limits = &limits, .hold = true };

	REQUIRE(s);
	limits.max_scratch_bytes = room;
	s->rig = rig_make(options);
	s->linear = image_load(s->rig.context, linear_load(ROWS, FEATURES));
	s->area = area_make(s->rig.context, NEED, USAGE_ALL);
	s->weights = area_make(s->rig.context, 2 * FEATURES * FEATURES,
			       USAGE_ALL);
	s->binds[0] = bind_of(&s->area, 0, READ_WRITE);
	s->binds[1] = bind_of(&s->weights, 1, READ_ONLY);
	return s;
}

static void scene_free(struct scene *s)
{
	rig_free(&s->rig);
	area_free(&s->area);
	area_free(&s->weights);
	free(s);
}

static u64 used(struct scene *s)
{
	u64 now, limit;

	eng_device_scratch(s->rig.device, &now, &limit);
	EXPECT_EQ(now, rig_stats(&s->rig).scratch_bytes);
	return now;
}

TEST(scratch_that_never_fits)
{
	struct scene *s = scene_make(NEED - 1);
	struct job job;

	job_init(&job);
	EXPECT_EQ(job_submit(&job, s->rig.queue, s->linear, s->binds, 2),
		  VIRTIO_ACCEL_S_RESOURCE_LIMIT);
	EXPECT_EQ(used(s), 0);
	EXPECT_EQ(eng_buffer_destroy(s->area.buffer), OK);
	job_fini(&job);
	scene_free(s);
}

TEST(scratch_that_fits_later)
{
	struct scene *s = scene_make(2 * NEED);
	struct job jobs[3];
	u32 i;

	for (i = 0; i < 3; i++)
		job_init(&jobs[i]);
	jobs[0].keep = true;
	EXPECT_EQ(job_submit(&jobs[0], s->rig.queue, s->linear, s->binds, 2), OK);
	EXPECT_EQ(used(s), NEED);
	EXPECT_EQ(job_submit(&jobs[1], s->rig.queue, s->linear, s->binds, 2), OK);
	EXPECT_EQ(used(s), 2 * NEED);
	EXPECT_EQ(job_submit(&jobs[2], s->rig.queue, s->linear, s->binds, 2),
		  ENG_S_TRY_AGAIN);
	EXPECT_EQ(used(s), 2 * NEED);
	EXPECT_EQ(rig_stats(&s->rig).events, 2);

	/* Cancelling, completing and failing all give it back. */
	EXPECT_EQ(eng_event_cancel(jobs[0].event), OK);
	EXPECT_EQ(used(s), NEED);
	EXPECT_EQ(job_submit(&jobs[2], s->rig.queue, s->linear, s->binds, 2), OK);
	EXPECT_EQ(used(s), 2 * NEED);
	EXPECT_EQ(eng_harness_complete(s->rig.device, 2), OK);
	EXPECT_EQ(used(s), NEED);
	EXPECT_EQ(eng_harness_fail(s->rig.device, 3, VIRTIO_ACCEL_S_BUSY), OK);
	EXPECT_EQ(used(s), 0);
	for (i = 0; i < 3; i++)
		job_fini(&jobs[i]);
	scene_free(s);
}

TEST(scratch_of_discarded)
{
	struct scene *s = scene_make(NEED);
	struct job job;

	job_init(&job);
	REQUIRE(!job_prepare(&job, s->rig.queue, s->linear, s->binds, 2));
	EXPECT_EQ(used(s), NEED);
	eng_event_discard(job.event);
	EXPECT_EQ(used(s), 0);
	job_fini(&job);
	scene_free(s);
}

TEST(scratch_at_stop)
{
	struct scene *s = scene_make(NEED);
	struct job job;

	job_init(&job);
	REQUIRE(!job_submit(&job, s->rig.queue, s->linear, s->binds, 2));
	eng_device_stop(s->rig.device);
	EXPECT_ENDED(&job, FAILED, VIRTIO_ACCEL_S_DEVICE_LOST);
	EXPECT_EQ(used(s), 0);
	job_fini(&job);
	scene_free(s);
}
