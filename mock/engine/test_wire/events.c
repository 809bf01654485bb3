// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Events: how they end, once.
 */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "class.h"

static u64 buffer, program;

static void begin(struct rig *rig, bool hold)
{
	rig_make(rig, NULL);
	rig_hold(rig, hold);
	buffer = rig_buffer(rig, 4096, USAGE_ALL);
	program = rig_program(rig, VACC_REF_OP_FILL, 0x21);
}

static void finish(struct rig *rig)
{
	EXPECT_EQ(rig_object(rig, 0x0201, buffer), OK);
	EXPECT_EQ(rig_object(rig, 0x0301, program), OK);
	EXPECT_CLEAN(rig);
	rig_free(rig);
}

TEST(event_cancel)
{
	struct rig rig;
	u64 event;
	u16 error;
	u8 byte;

	begin(&rig, true);
	RULE("cancellation before execution");
	event = rig_submit(&rig, program, buffer, 4096, 0);
	EXPECT_EQ(rig_poll(&rig, event, &error), PENDING);
	EXPECT_EQ(error, OK);
	EXPECT_EQ(rig_object(&rig, 0x0502, event), OK);
	EXPECT_EQ(rig_poll(&rig, event, &error), CANCELLED);
	EXPECT_EQ(error, OK);

	RULE("terminal states are final");
	EXPECT_EQ(rig_object(&rig, 0x0502, event), BUSY);
	rig_hold(&rig, false);
	EXPECT_EQ(rig_poll(&rig, event, &error), CANCELLED);
	EXPECT_EQ(rig_read(&rig, buffer, 0, &byte, 1), OK);
	EXPECT_EQ(byte, 0);
	EXPECT_EQ(rig_object(&rig, 0x0503, event), OK);
	EXPECT_EQ(rig_object(&rig, 0x0502, event), STALE);

	event = rig_submit(&rig, program, buffer, 4096, 0);
	EXPECT_EQ(rig_wait(&rig, event, &error), COMPLETE);
	EXPECT_EQ(error, OK);
	EXPECT_EQ(rig_object(&rig, 0x0502, event), BUSY);
	EXPECT_EQ(rig_poll(&rig, event, &error), COMPLETE);
	EXPECT_EQ(rig_object(&rig, 0x0503, event), OK);
	finish(&rig);
}

TEST(event_timeout)
{
	struct rig rig;
	u64 event[3];
	u16 error;

	begin(&rig, true);
	RULE("timeouts are relative and run from admission");
	event[0] = rig_submit(&rig, program, buffer, 64, 2000000);
	event[1] = rig_submit(&rig, program, buffer, 64, 0);
	event[2] = rig_submit(&rig, program, buffer, 64, U64_MAX);
	usleep(5000);
	/* Nobody has polled: it has expired all the same. */
	EXPECT_EQ(rig_object(&rig, 0x0502, event[0]), BUSY);
	EXPECT_EQ(rig_poll(&rig, event[0], &error), FAILED);
	EXPECT_EQ(error, DEADLINE_EXPIRED);
	EXPECT_EQ(rig_poll(&rig, event[1], NULL), PENDING);
	EXPECT_EQ(rig_poll(&rig, event[2], NULL), PENDING);
	rig_hold(&rig, false);
	EXPECT_EQ(rig_wait(&rig, event[1], NULL), COMPLETE);
	EXPECT_EQ(rig_wait(&rig, event[2], NULL), COMPLETE);
	EXPECT_EQ(rig_poll(&rig, event[0], &error), FAILED);
	EXPECT_EQ(error, DEADLINE_EXPIRED);
	EXPECT_EQ(rig_object(&rig, 0x0503, event[0]), OK);
	EXPECT_EQ(rig_object(&rig, 0x0503, event[1]), OK);
	EXPECT_EQ(rig_object(&rig, 0x0503, event[2]), OK);

	/* Destroying may be what finds out. */
	rig_hold(&rig, true);
	event[0] = rig_submit(&rig, program, buffer, 64, 1000);
	usleep(1000);
	EXPECT_EQ(rig_object(&rig, 0x0503, event[0]), OK);
	rig_hold(&rig, false);
	finish(&rig);
}

TEST(event_failure)
{
	static const u16 reasons[] = { 2, 4, 6, 8, 9, 0xffff };
	struct eng_device *engine;
	struct rig rig;
	u64 event, sequence;
	u16 error;
	u32 i;

	begin(&rig, true);
	engine = eng_port_engine_get(rig.port);
	RULE("a failed event has its reason");
	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		event = rig_submit(&rig, program, buffer, 64, 0);
		EXPECT_EQ(eng_harness_oldest(engine, &sequence), OK);
		EXPECT_EQ(eng_harness_fail(engine, sequence, reasons[i]), OK);
		EXPECT_EQ(rig_poll(&rig, event, &error), FAILED);
		EXPECT_EQ(error, reasons[i]);
		EXPECT_EQ(rig_object(&rig, 0x0503, event), OK);
	}
	RULE("a failed event's reason is never OK");
	event = rig_submit(&rig, program, buffer, 64, 0);
	EXPECT_EQ(eng_harness_oldest(engine, &sequence), OK);
	EXPECT_EQ(eng_harness_fail(engine, sequence, OK), OK);
	EXPECT_EQ(rig_poll(&rig, event, &error), FAILED);
	EXPECT_EQ(error, INTERNAL_ERROR);
	EXPECT_EQ(rig_object(&rig, 0x0503, event), OK);
	eng_port_engine_put(rig.port);
	finish(&rig);
}

/* Submission does not wait, and completion needs no command. */
TEST(event_independent)
{
	struct eng_port_config config = default_config;
	struct rig rig;
	u64 event, big;
	u8 byte;

	config.limits.inline_limit = 0;
	rig_make(&rig, &config);
	big = rig_buffer(&rig, 1 << 20, USAGE_ALL);
	program = rig_program(&rig, VACC_REF_OP_FILL, 0x21);
	RULE("submission is admission only");
	rig_hold(&rig, true);
	event = rig_submit(&rig, program, big, 1 << 20, 0);
	EXPECT_EQ(rig_poll(&rig, event, NULL), PENDING);
	EXPECT_EQ(rig_read(&rig, big, 0, &byte, 1), OK);
	EXPECT_EQ(byte, 0);
	rig_hold(&rig, false);
	EXPECT_EQ(rig_wait(&rig, event, NULL), COMPLETE);
	EXPECT_EQ(rig_read(&rig, big, (1 << 20) - 1, &byte, 1), OK);
	EXPECT_EQ(byte, 0x21);
	EXPECT_EQ(rig_object(&rig, 0x0503, event), OK);
	EXPECT_EQ(rig_object(&rig, 0x0201, big), OK);
	EXPECT_EQ(rig_object(&rig, 0x0301, program), OK);
	EXPECT_CLEAN(&rig);
	rig_free(&rig);
}

static void *let_go(void *arg)
{
	rig_hold(arg, false);
	return NULL;
}

/* Exactly one of the two wins. */
TEST(event_race)
{
	u32 round, cancelled = 0;
	struct rig rig;

	begin(&rig, false);
	RULE("cancel and completion race to one result");
	for (round = 0; round < 2000; round++) {
		pthread_t thread;
		u32 status, state;
		u64 event;

		rig_hold(&rig, true);
		event = rig_submit(&rig, program, buffer, 64, 0);
		EXPECT(!pthread_create(&thread, NULL, let_go, &rig));
		if (round % 2)
			sched_yield();
		status = rig_object(&rig, 0x0502, event);
		state = rig_wait(&rig, event, NULL);
		EXPECT(status == OK ? state == CANCELLED :
		       status == BUSY && state == COMPLETE);
		cancelled += state == CANCELLED;
		pthread_join(thread, NULL);
		EXPECT_EQ(rig_object(&rig, 0x0503, event), OK);
	}
	printf("cancelled %u of %u\n", cancelled, round);
	finish(&rig);
}

/* A submission that is refused retains nothing. */
TEST(event_rejected)
{
	struct frame *frame;
	struct rig rig;
	u32 round;

	begin(&rig, false);
	RULE("rejected submission: nothing retained");
	for (round = 0; round < 10000; round++) {
		frame = frame_submit(rig.queue, program, 1, 0);
		frame_bind(frame, buffer, 0, 64, 5, WRITE_ONLY);
		EXPECT_EQ(rig_send(&rig, frame, NULL, NULL), INCOMPATIBLE);
	}
	finish(&rig);
}
