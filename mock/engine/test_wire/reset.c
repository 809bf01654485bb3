// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Resets, loss, and what is dead afterwards.
 */
#include <pthread.h>
#include <unistd.h>

#include "class.h"

static u64 buffer, program;

static u64 populate(struct rig *rig)
{
	buffer = rig_buffer(rig, 4096, USAGE_ALL);
	program = rig_program(rig, VACC_REF_OP_FILL, 0x21);
	return rig_submit(rig, program, buffer, 4096, 0);
}

static void expect_empty(struct rig *rig)
{
	struct eng_port_stats stats;
	struct eng_audit audit;
	u32 kind;

	eng_port_stats(rig->port, &stats);
	eng_faults_audit(eng_port_faults(rig->port), &audit);
	for (kind = ENG_KIND_CONTEXT; kind < ENG_KIND_COUNT; kind++) {
		EXPECT_EQ(stats.live[kind], 0);
		EXPECT_EQ(audit.live[kind], 0);
		EXPECT_EQ(audit.created[kind], audit.released[kind]);
	}
	EXPECT_EQ(stats.quarantined, 0);
	EXPECT_EQ(stats.buffer_memory, 0);
	EXPECT_EQ(stats.program_memory, 0);
	EXPECT_EQ(audit.double_release, 0);
	EXPECT_EQ(audit.use_after_release, 0);
	EXPECT_EQ(audit.parent_before_child, 0);
}

TEST(reset_objects)
{
	struct eng_port_stats stats;
	u64 event, old[5];
	struct rig rig;
	u32 round;

	rig_make(&rig, NULL);
	for (round = 0; round < 100; round++) {
		rig_hold(&rig, round % 2);
		event = populate(&rig);
		old[0] = rig.context;
		old[1] = buffer;
		old[2] = program;
		old[3] = rig.queue;
		old[4] = event;
		if (round % 3)
			populate(&rig);

		eng_port_reset(rig.port);
		RULE("reset ends all objects, children first");
		expect_empty(&rig);

		RULE("object of before a reset: STALE_OBJECT");
		REFUSED(&rig, frame_object(0x0101, old[0]), STALE);
		REFUSED(&rig, frame_object(0x0201, old[1]), STALE);
		REFUSED(&rig, frame_object(0x0301, old[2]), STALE);
		REFUSED(&rig, frame_object(0x0401, old[3]), STALE);
		REFUSED(&rig, frame_object(0x0501, old[4]), STALE);
		REFUSED(&rig, frame_object(0x0502, old[4]), STALE);
		REFUSED(&rig, frame_object(0x0503, old[4]), STALE);
		REFUSED(&rig, frame_transfer(0x0203, old[1], 0, 1), STALE);
		REFUSED(&rig, frame_buffer(old[0], 8, 1, HOST, USAGE_ALL),
			STALE);

		RULE("request IDs may come again after a reset");
		rig.next_request = 1;
		rig.context = rig_context(&rig);
		rig.queue = rig_queue(&rig);
		EXPECT(rig.context && rig.context != old[0]);
		EXPECT(rig.queue && rig.queue != old[3]);

		/* Also those that have the old ones' places. */
		populate(&rig);
		REFUSED(&rig, frame_object(0x0201, old[1]), STALE);
		REFUSED(&rig, frame_object(0x0503, old[4]), STALE);

		/* The harness's mode is not a driver's business. */
		EXPECT_EQ(eng_harness_held(eng_port_engine_get(rig.port)),
			  round % 2);
		eng_port_engine_put(rig.port);
	}
	eng_port_stats(rig.port, &stats);
	EXPECT_EQ(stats.epoch, 101);
	EXPECT(!stats.lost);
	EXPECT_EQ(rig.resets_wanted, 0);
	rig_free(&rig);
}

/* While big work executes: it ends at the next step, and nothing late is written. */
TEST(reset_running)
{
	struct eng_port_config config = default_config;
	struct rig rig;
	u32 round;
	u64 big;

	config.limits.inline_limit = 0;
	config.max_buffer_memory = 1ULL << 28;
	rig_make(&rig, &config);
	RULE("reset with work that executes");
	for (round = 0; round < 20; round++) {
		big = rig_buffer(&rig, 1 << 26, USAGE_ALL);
		program = rig_program(&rig, VACC_REF_OP_FILL, round);
		EXPECT(rig_submit(&rig, program, big, 1 << 26, 0) != 0);
		usleep(round * 100);
		eng_port_reset(rig.port);
		expect_empty(&rig);
		rig.context = rig_context(&rig);
		rig.queue = rig_queue(&rig);
	}
	rig_free(&rig);
}

TEST(reset_loss)
{
	struct frame *frame;
	struct rig rig;
	u64 done, held;
	u16 error;
	u8 byte;

	rig_make(&rig, NULL);
	done = populate(&rig);
	rig_wait(&rig, done, NULL);
	rig_hold(&rig, true);
	held = rig_submit(&rig, program, buffer, 4096, 0);

	RULE("loss of the device wants a reset, once");
	eng_port_lose(rig.port);
	eng_port_lose(rig.port);
	EXPECT_EQ(rig.resets_wanted, 1);

	RULE("loss of the device: its events fail with DEVICE_LOST");
	EXPECT_EQ(rig_poll(&rig, held, &error), FAILED);
	EXPECT_EQ(error, DEVICE_LOST);
	EXPECT_EQ(rig_poll(&rig, done, &error), COMPLETE);
	EXPECT_EQ(rig_object(&rig, 0x0502, held), BUSY);

	RULE("loss of the device: the backend is not asked any more");
	REFUSED(&rig, frame_buffer(rig.context, 8, 1, HOST, USAGE_ALL),
		DEVICE_LOST);
	REFUSED(&rig, frame_program(rig.context, VACC_REF_OP_FILL, 1),
		DEVICE_LOST);
	frame = frame_new(VIRTIO_ACCEL_OP_CREATE_CONTEXT);
	frame_add(frame, 0, 8);
	REFUSED(&rig, frame, DEVICE_LOST);
	frame = frame_new(VIRTIO_ACCEL_OP_CREATE_QUEUE);
	frame_add(frame, rig.context, 8);
	frame_add(frame, 0, 8);
	REFUSED(&rig, frame, DEVICE_LOST);
	frame = frame_submit(rig.queue, program, 1, 0);
	frame_bind(frame, buffer, 0, 8, 0, WRITE_ONLY);
	REFUSED(&rig, frame, DEVICE_LOST);
	REFUSED(&rig, frame_transfer(0x0203, buffer, 0, 1), DEVICE_LOST);
	/* Earlier checks are as ever. */
	REFUSED(&rig, frame_transfer(0x0203, 77, 0, 1), STALE);
	REFUSED(&rig, frame_transfer(0x0203, buffer, 4096, 1), OUT_OF_BOUNDS);
	EXPECT_EQ(rig_send(&rig, frame_new(0x0001), NULL, NULL), OK);

	RULE("a reset ends the loss");
	rig_restart(&rig);
	done = populate(&rig);
	EXPECT_EQ(rig_wait(&rig, done, NULL), COMPLETE);
	EXPECT_EQ(rig_read(&rig, buffer, 9, &byte, 1), OK);
	EXPECT_EQ(byte, 0x21);
	EXPECT_EQ(rig.resets_wanted, 0);
	eng_port_lose(rig.port);
	EXPECT_EQ(rig.resets_wanted, 1);
	rig_free(&rig);
}

/* Lower limits, and those of before; each counts from the next reset on. */
TEST(reset_limits)
{
	const struct eng_limits most = default_config.limits;
	struct eng_limits limits = most;
	struct virtio_accel_device_info info;
	struct reply reply;
	struct rig rig;
	u32 i;

	rig_make(&rig, NULL);
	limits.max_queues = 1;
	limits.max_buffer_bytes = 100;
	EXPECT_EQ(eng_port_set_limits(rig.port, &limits), OK);
	EXPECT(rig_queue(&rig) != 0);
	EXPECT(rig_buffer(&rig, 101, USAGE_ALL) != 0);

	rig_restart(&rig);
	EXPECT_EQ(rig_send(&rig, frame_new(0x0001), NULL, &reply), OK);
	memcpy(&info, reply.bytes + sizeof(struct virtio_accel_resp_hdr),
	       sizeof(info));
	EXPECT_EQ(le32_to_cpu(info.max_queues_per_context), 1);
	EXPECT_EQ(le64_to_cpu(info.max_buffer_bytes), 100);
	EXPECT_EQ(rig_queue(&rig), 0);
	EXPECT_EQ(rig_buffer(&rig, 101, USAGE_ALL), 0);
	EXPECT(rig_buffer(&rig, 100, USAGE_ALL) != 0);

	for (i = 0; i < 3; i++) {
		limits = most;
		limits.max_events = i ? limits.max_events : 0;
		limits.max_contexts += i == 1;
		limits.max_artifact_bytes += i == 2;
		EXPECT_EQ(eng_port_set_limits(rig.port, &limits), INVALID);
	}
	EXPECT_EQ(eng_port_set_limits(rig.port, &most), OK);
	rig_restart(&rig);
	EXPECT(rig_queue(&rig) != 0);
	EXPECT(rig_buffer(&rig, 101, USAGE_ALL) != 0);
	rig_free(&rig);
}

/* The harness holds the engine while it goes. */
static void *use_engine(void *arg)
{
	struct rig *rig = arg;
	u32 i;

	for (i = 0; i < 20000; i++) {
		struct eng_device *engine = eng_port_engine_get(rig->port);
		struct eng_device_stats stats;
		u64 sequence;

		if (!engine)
			continue;
		eng_device_stats(engine, &stats);
		if (!eng_harness_oldest(engine, &sequence))
			eng_harness_complete(engine, sequence);
		eng_port_engine_put(rig->port);
	}
	return NULL;
}

TEST(reset_harness)
{
	pthread_t thread;
	struct rig rig;
	u32 round;

	rig_make(&rig, NULL);
	rig_hold(&rig, true);
	RULE("reset while the engine is in use by others");
	EXPECT(!pthread_create(&thread, NULL, use_engine, &rig));
	for (round = 0; round < 200; round++) {
		populate(&rig);
		rig_submit(&rig, program, buffer, 4096, 0);
		eng_port_reset(rig.port);
		rig.context = rig_context(&rig);
		rig.queue = rig_queue(&rig);
	}
	pthread_join(thread, NULL);
	rig_free(&rig);
}

static void *reset_once(void *arg)
{
	struct rig *rig = arg;

	eng_port_reset(rig->port);
	return NULL;
}

/* Who uses the engine keeps a reset in its middle, where the port has none. */
TEST(reset_hold)
{
	struct eng_device *engine, *other;
	pthread_t thread;
	struct rig rig;
	u32 hold;

	rig_make(&rig, NULL);
	RULE("hold mode begins and ends also during a reset");
	for (hold = 0; hold < 2; hold++) {
		rig_hold(&rig, !hold);
		engine = eng_port_engine_get(rig.port);
		REQUIRE(engine);
		EXPECT(!pthread_create(&thread, NULL, reset_once, &rig));
		while ((other = eng_port_engine_get(rig.port))) {
			eng_port_engine_put(rig.port);
			usleep(50);
		}
		rig_hold(&rig, hold);
		eng_port_engine_put(rig.port);
		pthread_join(thread, NULL);

		engine = eng_port_engine_get(rig.port);
		REQUIRE(engine);
		EXPECT_EQ(eng_harness_held(engine), hold);
		eng_port_engine_put(rig.port);
	}
	rig_free(&rig);
}

/* Losses that come at any time; a reset ends each of them. */
static void *lose_often(void *arg)
{
	struct rig *rig = arg;
	u32 i;

	for (i = 0; i < 300; i++) {
		eng_port_lose(rig->port);
		usleep(50);
	}
	return NULL;
}

TEST(reset_losses)
{
	pthread_t thread;
	struct rig rig;
	u32 round;

	rig_make(&rig, NULL);
	RULE("loss during a reset");
	EXPECT(!pthread_create(&thread, NULL, lose_often, &rig));
	for (round = 0; round < 300; round++)
		eng_port_reset(rig.port);
	pthread_join(thread, NULL);
	rig_restart(&rig);
	EXPECT_EQ(rig_wait(&rig, populate(&rig), NULL), COMPLETE);
	rig_free(&rig);
}
