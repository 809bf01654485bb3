// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Queues: order, running in the caller, sharing, counters. */
#include <unistd.h>

#include "rig.h"

TEST(queue_in_order)
{
	struct rig rig = rig_make((struct rig_options){});
	struct eng_image *fill = image_make(rig.context, VACC_REF_OP_FILL, 0,
					    VACC_REF_NO_SLOT, 1);
	struct area area = area_make(rig.context, 64, USAGE_ALL);
	struct job jobs[200];
	u32 i;

	for (i = 0; i < 200; i++) {
		job_init(&jobs[i]);
		jobs[i].here = i % 3;
		REQUIRE(!job_submit_area(&jobs[i], rig.queue, fill, &area,
					 WRITE_ONLY));
	}
	for (i = 0; i < 200; i++) {
		EXPECT_ENDED(&jobs[i], COMPLETE, OK);
		EXPECT(!i || jobs[i].order > jobs[i - 1].order);
	}
	rig_free(&rig);
	for (i = 0; i < 200; i++)
		job_fini(&jobs[i]);
	area_free(&area);
}

TEST(queues_in_parallel)
{
	struct rig rig = rig_make((struct rig_options){ .workers = 2 });
	struct eng_image *fill = image_make(rig.context, VACC_REF_OP_FILL, 0,
					    VACC_REF_NO_SLOT, 1);
	struct area area = area_make(rig.context, 64, USAGE_ALL);
	struct area other = area_make(rig.context, 64, USAGE_ALL);
	struct eng_queue *queue;
	struct job slow, fast;

	REQUIRE(!eng_queue_create(rig.context, 0, &queue));
	job_init(&slow);
	job_init(&fast);
	job_gate(&slow);
	REQUIRE(!job_submit_area(&slow, rig.queue, fill, &area, WRITE_ONLY));
	sem_wait(&slow.reached);
	REQUIRE(!job_submit_area(&fast, queue, fill, &other, WRITE_ONLY));
	EXPECT_ENDED(&fast, COMPLETE, OK);
	EXPECT(!job_ended(&slow));
	EXPECT_EQ(eng_queue_destroy(queue), OK);
	job_open(&slow);
	EXPECT_ENDED(&slow, COMPLETE, OK);
	rig_free(&rig);
	job_fini(&slow);
	job_fini(&fast);
	area_free(&area);
	area_free(&other);
}

/* Submits and says whether it was executed in the call. */
static bool runs_here(struct rig *rig, struct eng_image *fill, struct area *area,
		      bool here)
{
	struct job job;
	bool was;

	job_init(&job);
	job.here = here;
	REQUIRE(!job_submit_area(&job, rig->queue, fill, area, WRITE_ONLY));
	EXPECT_ENDED(&job, COMPLETE, OK);
	was = pthread_equal(job.ended_by, pthread_self());
	job_fini(&job);
	return was;
}

/* Until the worker has gone; then the queue is idle. */
static void settle(struct rig *rig)
{
	struct eng_queue *queue;

	EXPECT_EQ(eng_queue_destroy(rig->queue), OK);
	REQUIRE(!eng_queue_create(rig->context, 0, &queue));
	rig->queue = queue;
}

TEST(run_in_caller)
{
	struct eng_limits limits = default_limits;
	struct rig rig = rig_make((struct rig_options){});
	struct eng_image *fill = image_make(rig.context, VACC_REF_OP_FILL, 0,
					    VACC_REF_NO_SLOT, 1);
	struct area at = area_make(rig.context, ENG_INLINE_LIMIT, USAGE_ALL);
	struct area over = area_make(rig.context, ENG_INLINE_LIMIT + 1, USAGE_ALL);

	EXPECT(runs_here(&rig, fill, &at, true));
	EXPECT(!runs_here(&rig, fill, &at, false));
	settle(&rig);
	EXPECT(!runs_here(&rig, fill, &over, true));
	settle(&rig);
	EXPECT(runs_here(&rig, fill, &at, true));
	rig_free(&rig);
	area_free(&at);
	area_free(&over);

	limits.inline_limit = 0;
	rig = rig_make((struct rig_options){ .limits = &limits });
	at = area_make(rig.context, 1, USAGE_ALL);
	fill = image_make(rig.context, VACC_REF_OP_FILL, 0, VACC_REF_NO_SLOT, 1);
	EXPECT(!runs_here(&rig, fill, &at, true));
	fill = image_make(rig.context, VACC_REF_OP_BARRIER, 0, VACC_REF_NO_SLOT,
			  0);
	settle(&rig);
	EXPECT(!runs_here(&rig, fill, &at, true));
	rig_free(&rig);
	area_free(&at);
}

TEST(run_in_caller_of_many_commands)
{
	struct rig rig = rig_make((struct rig_options){});
	struct area area = area_make(rig.context, 1, USAGE_ALL);
	struct eng_image *few = image_load(rig.context, fills_load(100, 1, 3));
	struct eng_image *many = image_load(rig.context, fills_load(4000, 1, 4));

	EXPECT(runs_here(&rig, few, &area, true));
	EXPECT(!runs_here(&rig, many, &area, true));
	EXPECT_EQ(area.memory[0], 4);
	rig_free(&rig);
	area_free(&area);
}

/* Not before what is there already, however small. */
TEST(run_in_caller_only_when_idle)
{
	struct rig rig = rig_make((struct rig_options){});
	struct eng_image *fill = image_make(rig.context, VACC_REF_OP_FILL, 0,
					    VACC_REF_NO_SLOT, 1);
	struct area area = area_make(rig.context, 64, USAGE_ALL);
	struct job first, second;

	job_init(&first);
	job_init(&second);
	job_gate(&first);
	second.here = true;
	REQUIRE(!job_submit_area(&first, rig.queue, fill, &area, WRITE_ONLY));
	REQUIRE(!job_submit_area(&second, rig.queue, fill, &area, WRITE_ONLY));
	sem_wait(&first.reached);
	EXPECT(!job_ended(&second));
	job_open(&first);
	EXPECT_ENDED(&second, COMPLETE, OK);
	EXPECT(second.order > first.order);
	EXPECT(!pthread_equal(second.ended_by, pthread_self()));
	rig_free(&rig);
	job_fini(&first);
	job_fini(&second);
	area_free(&area);
}

struct caller {
	struct job *job;
	struct rig *rig;
	struct eng_image *fill;
	struct area *area;
};

static void *submit_here(void *arg)
{
	struct caller *caller = arg;

	caller->job->here = true;
	REQUIRE(!job_submit_area(caller->job, caller->rig->queue, caller->fill,
				 caller->area, WRITE_ONLY));
	return NULL;
}

/* Who executed in the call hands over to the worker. */
TEST(admitted_while_caller_executes)
{
	struct rig rig = rig_make((struct rig_options){});
	struct eng_image *fill = image_make(rig.context, VACC_REF_OP_FILL, 0,
					    VACC_REF_NO_SLOT, 1);
	struct area area = area_make(rig.context, 64, USAGE_ALL);
	struct job first, second;
	struct caller caller = { &first, &rig, fill, &area };
	pthread_t thread;

	job_init(&first);
	job_init(&second);
	job_gate(&first);
	REQUIRE(!pthread_create(&thread, NULL, submit_here, &caller));
	sem_wait(&first.reached);
	REQUIRE(!job_submit_area(&second, rig.queue, fill, &area, WRITE_ONLY));
	usleep(10000);
	EXPECT(!job_ended(&second));
	job_open(&first);
	EXPECT_ENDED(&second, COMPLETE, OK);
	EXPECT(second.order > first.order);
	pthread_join(thread, NULL);
	rig_free(&rig);
	job_fini(&first);
	job_fini(&second);
	area_free(&area);
}

/* One worker, two queues: the short one does not wait for the end of the long. */
TEST(queues_share_a_worker)
{
	struct rig rig = rig_make((struct rig_options){ .workers = 1 });
	u64 bytes = 1 << 20;
	struct area area = area_make(rig.context, bytes, USAGE_ALL);
	struct area other = area_make(rig.context, 64, USAGE_ALL);
	struct eng_image *endless = image_load(rig.context,
					       fills_load(60000, bytes, 1));
	struct eng_image *fill = image_make(rig.context, VACC_REF_OP_FILL, 0,
					    VACC_REF_NO_SLOT, 1);
	struct eng_queue *queue;
	struct job slow, fast;

	REQUIRE(!eng_queue_create(rig.context, 0, &queue));
	job_init(&slow);
	job_init(&fast);
	slow.keep = true;
	REQUIRE(!job_submit_area(&slow, rig.queue, endless, &area, WRITE_ONLY));
	while (!__atomic_load_n(&slow.steps, __ATOMIC_SEQ_CST))
		usleep(100);
	REQUIRE(!job_submit_area(&fast, queue, fill, &other, WRITE_ONLY));
	EXPECT_ENDED(&fast, COMPLETE, OK);
	EXPECT(!job_ended(&slow));
	eng_event_abort(slow.event);
	EXPECT_ENDED(&slow, CANCELLED, OK);
	rig_free(&rig);
	job_fini(&slow);
	job_fini(&fast);
	area_free(&area);
	area_free(&other);
}

TEST(r13_counters)
{
	struct rig rig = rig_make((struct rig_options){});
	struct eng_image *upload = image_load(rig.context, upload_load(500, 0x77));
	struct eng_image *fills = image_load(rig.context, fills_load(5, 500, 1));
	struct eng_image *linear = image_load(rig.context, linear_load(2, 4));
	struct area area = area_make(rig.context, 500, USAGE_ALL);
	struct area weights = area_make(rig.context, 32, USAGE_ALL);
	struct eng_bind two[2] = { bind_of(&area, 0, READ_WRITE),
				   bind_of(&weights, 1, READ_ONLY) };
	struct eng_work_counters counters;
	struct eng_queue *other;
	struct job jobs[3];
	u32 i;

	REQUIRE(!eng_queue_create(rig.context, 0, &other));
	for (i = 0; i < 3; i++)
		job_init(&jobs[i]);
	REQUIRE(!job_submit_area(&jobs[0], rig.queue, upload, &area, WRITE_ONLY));
	EXPECT_ENDED(&jobs[0], COMPLETE, OK);
	EXPECT(area_is(&area, 0x77));
	REQUIRE(!job_submit_area(&jobs[1], other, fills, &area, WRITE_ONLY));
	EXPECT_ENDED(&jobs[1], COMPLETE, OK);
	REQUIRE(!job_submit(&jobs[2], other, linear, two, 2));
	EXPECT_ENDED(&jobs[2], COMPLETE, OK);

	eng_queue_counters(rig.queue, &counters);
	EXPECT_EQ(counters.done.commands, 1);
	EXPECT_EQ(counters.done.uploaded_bytes, 500);
	EXPECT_EQ(counters.done.launches, 0);
	EXPECT(counters.busy_ns > 0);
	eng_queue_counters(other, &counters);
	EXPECT_EQ(counters.done.commands, 6);
	EXPECT_EQ(counters.done.uploaded_bytes, 0);
	EXPECT_EQ(counters.done.launches, 1);

	/* What a queue did stays in the device's sums when it is gone. */
	for (i = 0; i < 2; i++) {
		struct eng_device_stats stats = rig_stats(&rig);

		EXPECT_EQ(stats.work.done.commands, 7);
		EXPECT_EQ(stats.work.done.uploaded_bytes, 500);
		EXPECT_EQ(stats.work.done.launches, 1);
		EXPECT_EQ(stats.events, 0);
		if (!i)
			EXPECT_EQ(eng_queue_destroy(other), OK);
	}
	rig_free(&rig);
	for (i = 0; i < 3; i++)
		job_fini(&jobs[i]);
	area_free(&area);
	area_free(&weights);
}
