// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The harness: M9, order, lists, names. */
#include <unistd.h>

#include "rig.h"

static u64 sequence_of(struct rig *rig, u32 tag)
{
	u64 sequence = 0;

	EXPECT_EQ(eng_harness_find(rig->device, tag, &sequence), OK);
	return sequence;
}

TEST(m9_order_of_the_harness)
{
	struct rig rig = rig_make((struct rig_options){ .hold = true });
	struct eng_image *fill = image_make(rig.context, VACC_REF_OP_FILL, 0,
					    VACC_REF_NO_SLOT, 0xa5);
	struct eng_image *xor = image_make(rig.context, VACC_REF_OP_XOR, 0,
					   VACC_REF_NO_SLOT, 0xff);
	struct area area = area_make(rig.context, 64, USAGE_ALL);
	struct job first, second;

	job_init(&first);
	job_init(&second);
	first.tag = 10;
	second.tag = 11;
	REQUIRE(!job_submit_area(&first, rig.queue, fill, &area, WRITE_ONLY));
	REQUIRE(!job_submit_area(&second, rig.queue, xor, &area, READ_WRITE));

	EXPECT_EQ(eng_harness_complete(rig.device, sequence_of(&rig, 11)), OK);
	EXPECT(area_is(&area, 0xff));
	EXPECT_EQ(second.state, COMPLETE);
	EXPECT_EQ(first.ends, 0);
	EXPECT_EQ(eng_harness_complete(rig.device, sequence_of(&rig, 10)), OK);
	EXPECT(area_is(&area, 0xa5));
	EXPECT_EQ(first.state, COMPLETE);

	rig_free(&rig);
	job_fini(&first);
	job_fini(&second);
	area_free(&area);
}

#define MANY	150

TEST(lists_and_names)
{
	struct rig rig = rig_make((struct rig_options){ .hold = true });
	struct eng_image *fill = image_make(rig.context, VACC_REF_OP_FILL, 0,
					    VACC_REF_NO_SLOT, 1);
	struct area area = area_make(rig.context, 64, USAGE_ALL);
	struct eng_harness_event list[7], last;
	struct eng_queue *queues[3] = { rig.queue };
	struct job jobs[MANY];
	u32 count, seen, i;
	u64 sequence;

	EXPECT_EQ(eng_harness_list(rig.device, NULL, list, 7), 0);
	EXPECT_EQ(eng_harness_oldest(rig.device, &sequence),
		  VIRTIO_ACCEL_S_STALE_OBJECT);
	EXPECT_EQ(eng_harness_newest(rig.device), 0);
	REQUIRE(!eng_queue_create(rig.context, 0, &queues[1]));
	REQUIRE(!eng_queue_create(rig.context, 0, &queues[2]));
	for (i = 0; i < MANY; i++) {
		job_init(&jobs[i]);
		jobs[i].tag = i / 2;
		REQUIRE(!job_submit_area(&jobs[i], queues[i % 3], fill, &area,
					 WRITE_ONLY));
	}
	EXPECT_EQ(eng_harness_newest(rig.device), MANY);

	/* In pieces: every event once, queue by queue, in order. */
	seen = 0;
	do {
		count = eng_harness_list(rig.device, seen ? &last : NULL, list, 7);
		for (i = 0; i < count; i++) {
			struct eng_harness_event *e = &list[i];

			EXPECT(!seen || e->queue > last.queue ||
			       (e->queue == last.queue &&
				e->sequence > last.sequence));
			EXPECT_EQ(e->tag, (e->sequence - 1) / 2);
			EXPECT_EQ(e->process, 42);
			EXPECT(!e->executing);
			last = *e;
			seen++;
		}
	} while (count == 7);
	EXPECT_EQ(seen, MANY);

	/* Of two with the same tag the older one. */
	EXPECT_EQ(eng_harness_find(rig.device, 20, &sequence), OK);
	EXPECT_EQ(sequence, 41);
	EXPECT_EQ(eng_harness_complete(rig.device, 41), OK);
	EXPECT_EQ(eng_harness_find(rig.device, 20, &sequence), OK);
	EXPECT_EQ(sequence, 42);
	EXPECT_EQ(eng_harness_fail(rig.device, 42, VIRTIO_ACCEL_S_BUSY), OK);
	EXPECT_EQ(eng_harness_find(rig.device, 20, &sequence),
		  VIRTIO_ACCEL_S_STALE_OBJECT);
	EXPECT_EQ(eng_harness_complete(rig.device, MANY + 1),
		  VIRTIO_ACCEL_S_STALE_OBJECT);
	EXPECT_EQ(eng_harness_complete(rig.device, 0),
		  VIRTIO_ACCEL_S_STALE_OBJECT);

	/* The oldest, until none is left. */
	for (i = 0; !eng_harness_oldest(rig.device, &sequence); i++) {
		EXPECT_EQ(sequence, i + 1 + (i >= 40 ? 2 : 0));
		EXPECT_EQ(eng_harness_complete(rig.device, sequence), OK);
	}
	EXPECT_EQ(i, MANY - 2);

	rig_free(&rig);
	for (i = 0; i < MANY; i++) {
		EXPECT_EQ(jobs[i].ends, 1);
		job_fini(&jobs[i]);
	}
	area_free(&area);
}

TEST(release_runs_in_queue_order)
{
	struct rig rig = rig_make((struct rig_options){ .hold = true });
	struct eng_image *fill = image_make(rig.context, VACC_REF_OP_FILL, 0,
					    VACC_REF_NO_SLOT, 1);
	struct area areas[2] = { area_make(rig.context, 64, USAGE_ALL),
				 area_make(rig.context, 64, USAGE_ALL) };
	struct eng_queue *queues[2] = { rig.queue };
	struct job jobs[40];
	u32 i;

	EXPECT(eng_harness_held(rig.device));
	REQUIRE(!eng_queue_create(rig.context, 0, &queues[1]));
	for (i = 0; i < 40; i++) {
		job_init(&jobs[i]);
		/* Also where it would be small enough for the caller. */
		jobs[i].here = true;
		REQUIRE(!job_submit_area(&jobs[i], queues[i % 2], fill,
					 &areas[i % 2], WRITE_ONLY));
	}
	usleep(10000);
	EXPECT_EQ(rig_stats(&rig).events, 40);
	eng_harness_hold(rig.device, false);
	EXPECT(!eng_harness_held(rig.device));
	for (i = 0; i < 40; i++) {
		EXPECT_ENDED(&jobs[i], COMPLETE, OK);
		EXPECT(i < 2 || jobs[i].order > jobs[i - 2].order);
	}
	rig_free(&rig);
	for (i = 0; i < 40; i++)
		job_fini(&jobs[i]);
	area_free(&areas[0]);
	area_free(&areas[1]);
}

static void *complete_oldest(void *arg)
{
	struct rig *rig = arg;
	u64 sequence;

	REQUIRE(!eng_harness_oldest(rig->device, &sequence));
	EXPECT_EQ(eng_harness_complete(rig->device, sequence), OK);
	return NULL;
}

/* Hold mode that begins under work: the harness waits for the executor. */
TEST(harness_after_what_executes)
{
	struct rig rig = rig_make((struct rig_options){});
	struct eng_image *fill = image_make(rig.context, VACC_REF_OP_FILL, 0,
					    VACC_REF_NO_SLOT, 1);
	struct area area = area_make(rig.context, 64, USAGE_ALL);
	struct job first, second;
	pthread_t thread;

	job_init(&first);
	job_init(&second);
	job_gate(&first);
	REQUIRE(!job_submit_area(&first, rig.queue, fill, &area, WRITE_ONLY));
	REQUIRE(!job_submit_area(&second, rig.queue, fill, &area, WRITE_ONLY));
	sem_wait(&first.reached);
	eng_harness_hold(rig.device, true);
	REQUIRE(!pthread_create(&thread, NULL, complete_oldest, &rig));
	usleep(20000);
	EXPECT(!job_ended(&second));
	job_open(&first);
	pthread_join(thread, NULL);
	EXPECT_ENDED(&first, COMPLETE, OK);
	EXPECT_ENDED(&second, COMPLETE, OK);
	EXPECT(second.order > first.order);
	rig_free(&rig);
	job_fini(&first);
	job_fini(&second);
	area_free(&area);
}
