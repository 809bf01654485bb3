// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Many who want to end the same events: each ends once, and nothing is touched after. */
#include <unistd.h>

#include "object.h"
#include "rig.h"

#define ROUNDS	300

struct race {
	struct rig rig;
	struct job *job;
	pthread_barrier_t start;
	u32 wins;
	u16 (*act)(struct race *race);
};

static u16 act_cancel(struct race *race)
{
	return eng_event_cancel(race->job->event);
}

static u16 act_abort(struct race *race)
{
	eng_event_abort(race->job->event);
	return VIRTIO_ACCEL_S_BUSY;
}

static u16 act_complete(struct race *race)
{
	return eng_harness_complete(race->rig.device,
				    eng_harness_newest(race->rig.device));
}

static u16 act_lose(struct race *race)
{
	return eng_harness_fail(race->rig.device,
				eng_harness_newest(race->rig.device),
				VIRTIO_ACCEL_S_DEVICE_LOST);
}

static u16 act_release(struct race *race)
{
	eng_harness_hold(race->rig.device, false);
	return VIRTIO_ACCEL_S_BUSY;
}

static u16 act_expire(struct race *race)
{
	eng_event_expire(race->job->event);
	return VIRTIO_ACCEL_S_BUSY;
}

struct racer {
	struct race *race;
	u16 (*act)(struct race *race);
};

static void *racer_run(void *arg)
{
	struct racer *racer = arg;
	struct race *race = racer->race;

	pthread_barrier_wait(&race->start);
	if (racer->act(race) == OK)
		__atomic_add_fetch(&race->wins, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

/* All of @acts at once on one pending event, again and again. */
static void race_all(u16 (*const *acts)(struct race *race), u32 count, bool hold)
{
	struct race race = { .rig = rig_make((struct rig_options){}) };
	struct eng_image *fill = image_make(race.rig.context, VACC_REF_OP_FILL, 0,
					    VACC_REF_NO_SLOT, 1);
	struct area area = area_make(race.rig.context, 256, USAGE_ALL);
	u32 cancelled = 0, complete = 0, round, i;

	for (round = 0; round < ROUNDS; round++) {
		struct racer racers[8];
		pthread_t threads[8];
		struct job job;

		job_init(&job);
		job.keep = true;
		job.timeout_ns = 1000000 * (1 + round % 3);
		memset(area.memory, 0, area.bytes);
		race.job = &job;
		race.wins = 0;
		eng_harness_hold(race.rig.device, hold);
		REQUIRE(!pthread_barrier_init(&race.start, NULL, count + 1));
		REQUIRE(!job_submit_area(&job, race.rig.queue, fill, &area,
					 WRITE_ONLY));
		for (i = 0; i < count; i++) {
			racers[i] = (struct racer){ &race, acts[i] };
			REQUIRE(!pthread_create(&threads[i], NULL, racer_run,
						&racers[i]));
		}
		pthread_barrier_wait(&race.start);
		for (i = 0; i < count; i++)
			pthread_join(threads[i], NULL);
		eng_harness_hold(race.rig.device, false);
		job_wait(&job);

		EXPECT_EQ(job.ends, 1);
		EXPECT(race.wins <= 1);
		EXPECT(job.state != COMPLETE || area_is(&area, 1));
		EXPECT(job.steps || area_is(&area, 0));
		cancelled += job.state == CANCELLED;
		complete += job.state == COMPLETE;
		pthread_barrier_destroy(&race.start);
		job_fini(&job);
	}
	EXPECT_EQ(rig_stats(&race.rig).events, 0);
	EXPECT_EQ(eng_buffer_destroy(area.buffer), OK);
	EXPECT_EQ(eng_image_unload(fill), OK);
	EXPECT_EQ(eng_queue_destroy(race.rig.queue), OK);
	rig_free(&race.rig);
	area_free(&area);
	printf("     of %u: %u cancelled, %u complete\n", ROUNDS, cancelled,
	       complete);
}

#define RACE(hold, ...)							\
	do {								\
		u16 (*const acts[])(struct race *race) = { __VA_ARGS__ };	\
									\
		race_all(acts, ARRAY_SIZE(acts), hold);			\
	} while (0)

TEST(race_of_cancel_and_worker)
{
	RACE(false, act_cancel, act_cancel);
}

TEST(race_of_cancel_and_harness)
{
	RACE(true, act_cancel, act_complete);
}

TEST(race_of_cancel_and_release)
{
	RACE(true, act_release, act_cancel);
}

TEST(race_of_all)
{
	RACE(true, act_cancel, act_abort, act_complete, act_lose, act_release,
	     act_expire);
}

#define CROWD	4
#define EACH	400

/* Submits, cancels and aborts at random, and destroys its queue at once. */
struct member {
	struct rig *rig;
	struct eng_image *fill;
	struct area *area;
	u32 seed;
	u64 admitted;
	u64 complete;
};

static void *member_run(void *arg)
{
	struct member *m = arg;
	struct eng_queue *queue = NULL;
	u32 i, j;

	for (i = 0; i < EACH; i++) {
		struct job jobs[4];
		u32 count = 1 + rand_r(&m->seed) % 4;

		if (!queue)
			REQUIRE(!eng_queue_create(m->rig->context, 0, &queue));
		for (j = 0; j < count; j++) {
			job_init(&jobs[j]);
			jobs[j].keep = true;
			jobs[j].here = rand_r(&m->seed) & 1;
			REQUIRE(!job_submit_area(&jobs[j], queue, m->fill,
						 m->area, WRITE_ONLY));
			m->admitted++;
			switch (rand_r(&m->seed) % 4) {
			case 0:
				eng_event_cancel(jobs[j].event);
				break;
			case 1:
				eng_event_abort(jobs[j].event);
				break;
			}
		}
		for (j = 0; j < count; j++) {
			job_wait(&jobs[j]);
			EXPECT_EQ(jobs[j].ends, 1);
			m->complete += jobs[j].state == COMPLETE;
			job_fini(&jobs[j]);
		}
		if (rand_r(&m->seed) & 1) {
			EXPECT_EQ(eng_queue_destroy(queue), OK);
			queue = NULL;
		}
	}
	return NULL;
}

TEST(crowd)
{
	struct rig rig = rig_make((struct rig_options){ .workers = 3 });
	struct eng_image *fill = image_make(rig.context, VACC_REF_OP_FILL, 0,
					    VACC_REF_NO_SLOT, 1);
	struct area areas[CROWD];
	struct member members[CROWD];
	pthread_t threads[CROWD];
	u64 admitted = 0, complete = 0;
	u32 i;

	for (i = 0; i < CROWD; i++) {
		areas[i] = area_make(rig.context, 512, USAGE_ALL);
		members[i] = (struct member){
			.rig = &rig,
			.fill = fill,
			.area = &areas[i],
			.seed = i,
		};
		REQUIRE(!pthread_create(&threads[i], NULL, member_run,
					&members[i]));
	}
	for (i = 0; i < CROWD; i++) {
		pthread_join(threads[i], NULL);
		admitted += members[i].admitted;
		complete += members[i].complete;
	}
	EXPECT_EQ(rig_stats(&rig).events, 0);
	EXPECT_EQ(rig_stats(&rig).direct_bindings, admitted);
	EXPECT(rig_stats(&rig).work.done.commands == complete);
	rig_free(&rig);
	for (i = 0; i < CROWD; i++)
		area_free(&areas[i]);
}

/* Somebody who is about to report the end of an event, and somebody who waits. */
struct late {
	struct rig rig;
	struct eng_image *fill;
	struct area area;
	struct job job;
	pthread_t reporter, waiter;
	u32 passed;
};

static void *late_submit(void *arg)
{
	struct late *late = arg;

	late->job.here = true;
	REQUIRE(!job_submit_area(&late->job, late->rig.queue, late->fill,
				 &late->area, WRITE_ONLY));
	return NULL;
}

static void *late_cancel(void *arg)
{
	struct late *late = arg;

	EXPECT_EQ(eng_event_cancel(late->job.event), OK);
	return NULL;
}

static void *late_complete(void *arg)
{
	struct late *late = arg;

	EXPECT_EQ(eng_harness_complete(late->rig.device, 1), OK);
	return NULL;
}

static void *late_fail(void *arg)
{
	struct late *late = arg;

	EXPECT_EQ(eng_harness_fail(late->rig.device, 1,
				   VIRTIO_ACCEL_S_DEVICE_LOST), OK);
	return NULL;
}

static void *late_release(void *arg)
{
	struct late *late = arg;

	eng_harness_hold(late->rig.device, false);
	return NULL;
}

static void *late_destroy(void *arg)
{
	struct late *late = arg;

	EXPECT_EQ(eng_queue_destroy(late->rig.queue), OK);
	__atomic_store_n(&late->passed, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void *late_stop(void *arg)
{
	struct late *late = arg;

	eng_device_stop(late->rig.device);
	__atomic_store_n(&late->passed, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

/* Neither a queue's nor a device's end overtakes a report that is under way. */
static void late_test(void *(*report)(void *), void *(*wait)(void *))
{
	struct late late = {
		.rig = rig_make((struct rig_options){
			.hold = report != late_submit,
		}),
	};

	late.fill = image_make(late.rig.context, VACC_REF_OP_FILL, 0,
			       VACC_REF_NO_SLOT, 1);
	late.area = area_make(late.rig.context, 64, USAGE_ALL);
	job_init(&late.job);
	late.job.keep = true;
	late.job.gated_end = true;
	if (report != late_submit)
		REQUIRE(!job_submit_area(&late.job, late.rig.queue, late.fill,
					 &late.area, WRITE_ONLY));
	REQUIRE(!pthread_create(&late.reporter, NULL, report, &late));
	sem_wait(&late.job.reached);
	/* Nothing uses the buffer any more, before anybody hears of it. */
	EXPECT_EQ(eng_buffer_destroy(late.area.buffer), OK);
	REQUIRE(!pthread_create(&late.waiter, NULL, wait, &late));
	usleep(10000);
	EXPECT(!__atomic_load_n(&late.passed, __ATOMIC_SEQ_CST));
	sem_post(&late.job.go_on);
	pthread_join(late.waiter, NULL);
	EXPECT_EQ(late.job.ends, 1);
	pthread_join(late.reporter, NULL);
	rig_free(&late.rig);
	job_fini(&late.job);
	area_free(&late.area);
}

TEST(queue_destroy_waits_for_reports)
{
	late_test(late_submit, late_destroy);
	late_test(late_cancel, late_destroy);
	late_test(late_complete, late_destroy);
	late_test(late_fail, late_destroy);
	late_test(late_release, late_destroy);
}

TEST(stop_waits_for_reports)
{
	late_test(late_submit, late_stop);
	late_test(late_cancel, late_stop);
	late_test(late_complete, late_stop);
	late_test(late_fail, late_stop);
	late_test(late_release, late_stop);
}

static void *cancel_some(void *arg)
{
	struct job *jobs = arg;
	u32 i;

	for (i = 0; i < 32; i += 3)
		eng_event_cancel(jobs[i].event);
	return NULL;
}

static void *harness_some(void *arg)
{
	struct rig *rig = arg;
	u64 sequence;

	while (!eng_harness_oldest(rig->device, &sequence)) {
		if (sequence & 1)
			eng_harness_complete(rig->device, sequence);
		else
			eng_harness_fail(rig->device, sequence,
					 VIRTIO_ACCEL_S_INTERNAL_ERROR);
	}
	return NULL;
}

/* Everything at once while the device goes. */
TEST(stop_with_work_in_flight)
{
	u32 round, i;

	for (round = 0; round < 60; round++) {
		struct rig rig = rig_make((struct rig_options){
			.hold = round & 1,
		});
		struct eng_image *fill = image_load(rig.context,
						    fills_load(20, 4096, 1));
		struct area area = area_make(rig.context, 4096, USAGE_ALL);
		struct eng_queue *queues[4] = { rig.queue };
		pthread_t threads[2];
		struct job jobs[32];

		for (i = 1; i < 4; i++)
			REQUIRE(!eng_queue_create(rig.context, 0, &queues[i]));
		for (i = 0; i < 32; i++) {
			job_init(&jobs[i]);
			jobs[i].keep = true;
		}
		/* One area a queue is enough here: only ends are looked at. */
		for (i = 0; i < 32; i++)
			REQUIRE(!job_submit_area(&jobs[i], queues[0], fill,
						 &area, WRITE_ONLY));
		REQUIRE(!pthread_create(&threads[0], NULL, cancel_some, jobs));
		REQUIRE(!pthread_create(&threads[1], NULL, harness_some, &rig));
		usleep(round * 10);
		eng_device_stop(rig.device);
		for (i = 0; i < 32; i++) {
			/* Stop has waited for all others. */
			EXPECT(job_ended(&jobs[i]));
			EXPECT_EQ(jobs[i].ends, 1);
		}
		memset(area.memory, 0, area.bytes);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		EXPECT(area_is(&area, 0));
		eng_device_free(rig.device);
		for (i = 0; i < 32; i++)
			job_fini(&jobs[i]);
		area_free(&area);
	}
}

static void *stop_run(void *arg)
{
	eng_device_stop(arg);
	return NULL;
}

/* Each waits for all users of a queue, but not for the other. */
TEST(stops_at_once)
{
	struct rig rig = rig_make((struct rig_options){ .hold = true });
	struct eng_image *fill = image_make(rig.context, VACC_REF_OP_FILL, 0,
					    VACC_REF_NO_SLOT, 1);
	struct area area = area_make(rig.context, 256, USAGE_ALL);
	struct eng_queue *queue = eng_queue_next(rig.device, 0);
	pthread_t threads[2];
	struct job job;
	u32 users, i;

	job_init(&job);
	job.keep = true;
	REQUIRE(queue == rig.queue);
	REQUIRE(!job_submit_area(&job, queue, fill, &area, WRITE_ONLY));
	for (i = 0; i < 2; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, stop_run, rig.device));
	do {
		usleep(1000);
		eng_spin_lock(&queue->lock);
		users = queue->users;
		eng_spin_unlock(&queue->lock);
	} while (users < 3);
	usleep(20000);
	EXPECT_EQ(queue->stoppers, 2);
	eng_queue_put(queue);
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(queue->users, 0);
	EXPECT_EQ(queue->stoppers, 0);
	EXPECT_EQ(job.ends, 1);
	EXPECT_EQ(job.state, FAILED);
	EXPECT_EQ(job.status, VIRTIO_ACCEL_S_DEVICE_LOST);
	EXPECT(area_is(&area, 0));
	job_fini(&job);
	rig_free(&rig);
	area_free(&area);
}
