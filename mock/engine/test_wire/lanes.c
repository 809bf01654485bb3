// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Two workers on one ring: one for events, one for all else.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <unistd.h>

#include "vring.h"

TEST(lane_of)
{
	static const u16 events[] = { 0x0501, 0x0502, 0x0503, 0x7777 };
	static const u16 objects[] = {
		0x0001, 0x0100, 0x0101, 0x0200, 0x0201, 0x0202, 0x0203, 0x0300,
		0x0301, 0x0400, 0x0401, 0x0500,
	};
	u8 request[16] = {}, response[16];
	struct eng_seg segs[2] = { { request, 16 }, { response, 16 } };
	struct rig rig;
	u32 i;

	rig_make(&rig, NULL);
	for (i = 0; i < ARRAY_SIZE(events) + ARRAY_SIZE(objects); i++) {
		bool event = i < ARRAY_SIZE(events);
		u16 opcode = event ? events[i] : objects[i - ARRAY_SIZE(events)];
		struct eng_chain chain = {
			.segs = segs,
			.readable = 1,
			.writable = 1,
			.descriptors = 2,
		};

		eng_put_le16(request, opcode);
		NOTE("opcode %x", opcode);
		EXPECT_EQ(eng_port_open(rig.port, &chain),
			  event ? ENG_LANE_EVENT : ENG_LANE_OBJECT);
		/* What the driver changes then is too late. */
		memset(request, 0xff, 16);
		EXPECT_EQ(eng_port_open(rig.port, &chain),
			  event ? ENG_LANE_EVENT : ENG_LANE_OBJECT);
		EXPECT_EQ(eng_port_handle(rig.port, &chain), 16);
		EXPECT_EQ(eng_get_le16(response),
			  opcode == 0x7777 ? UNSUPPORTED : INVALID);
		memset(request, 0, 16);
	}
	rig_free(&rig);
}

/* Polls, cancels and destroys what another thread submits. */

#define ROUNDS	3000

struct lanes {
	struct rig *rig;
	u64 event[16];
	struct eng_atomic64 turn[16];		/* even: free, odd: submitted */
	struct eng_atomic over;
};

static void *event_lane(void *arg)
{
	struct lanes *lanes = arg;
	struct rig rig = *lanes->rig;
	u32 i = 0, round = 0;
	u8 response[24];
	u8 request[24] = {};

	while (!eng_atomic_get(&lanes->over)) {
		struct eng_seg segs[2] = { { request, 24 }, { response, 24 } };
		u16 opcode = 0x0501 + round++ % 3;
		struct eng_chain chain = {
			.segs = segs,
			.readable = 1,
			.writable = 1,
			.descriptors = 2,
		};
		u32 used;

		i = (i + 1) % 16;
		if (!(eng_atomic64_get(&lanes->turn[i]) % 2)) {
			sched_yield();
			continue;
		}
		eng_put_le16(request, opcode);
		request[4] = 8;
		request[8] = 1;
		eng_put_u64(request + 16, cpu_to_le64(lanes->event[i]));
		used = eng_port_handle(rig.port, &chain);
		EXPECT(used == 16 || used == 24);
		if (opcode == 0x0503 && !eng_get_le16(response))
			eng_atomic64_add(&lanes->turn[i], 1);
		else if (opcode == 0x0503)
			EXPECT_EQ(eng_get_le16(response), BUSY);
	}
	return NULL;
}

TEST(lane_threads)
{
	struct eng_port_config config = default_config;
	u64 buffer, program;
	struct lanes lanes = {};
	pthread_t thread;
	struct rig rig;
	u32 i, round = 0;

	config.limits.inline_limit = 0;
	rig_make(&rig, &config);
	buffer = rig_buffer(&rig, 4096, USAGE_ALL);
	program = rig_program(&rig, VACC_REF_OP_FILL, 1);
	lanes.rig = &rig;
	EXPECT(!pthread_create(&thread, NULL, event_lane, &lanes));
	while (round < ROUNDS) {
		u64 event, other;

		i = round % 16;
		if (eng_atomic64_get(&lanes.turn[i]) % 2) {
			sched_yield();
			continue;
		}
		event = rig_submit(&rig, program, buffer, 4096, 0);
		EXPECT(event != 0);
		lanes.event[i] = event;
		eng_atomic64_add(&lanes.turn[i], 1);
		other = rig_buffer(&rig, 64, USAGE_ALL);
		EXPECT_EQ(rig_object(&rig, 0x0201, other), OK);
		/* May be used now, or not any more. */
		rig_object(&rig, 0x0401, rig.queue + 1);
		round++;
	}
	for (i = 0; i < 16; i++) {
		while (eng_atomic64_get(&lanes.turn[i]) % 2)
			sched_yield();
	}
	eng_atomic_set(&lanes.over, 1);
	pthread_join(thread, NULL);
	EXPECT_EQ(rig_object(&rig, 0x0201, buffer), OK);
	EXPECT_EQ(rig_object(&rig, 0x0301, program), OK);
	EXPECT_CLEAN(&rig);
	rig_free(&rig);
}

/* A loss and a reset between the two. */
TEST(lane_loss)
{
	u64 buffer, program, event;
	struct lanes lanes = {};
	pthread_t thread;
	struct rig rig;
	u32 round;

	rig_make(&rig, NULL);
	for (round = 0; round < 50; round++) {
		buffer = rig_buffer(&rig, 4096, USAGE_ALL);
		program = rig_program(&rig, VACC_REF_OP_FILL, 1);
		rig_hold(&rig, true);
		memset(&lanes, 0, sizeof(lanes));
		lanes.rig = &rig;
		EXPECT(!pthread_create(&thread, NULL, event_lane, &lanes));
		event = rig_submit(&rig, program, buffer, 4096, 0);
		lanes.event[0] = event;
		eng_atomic64_add(&lanes.turn[0], 1);
		eng_port_lose(rig.port);
		while (eng_atomic64_get(&lanes.turn[0]) % 2)
			sched_yield();
		eng_atomic_set(&lanes.over, 1);
		pthread_join(thread, NULL);
		rig_restart(&rig);
	}
	EXPECT_CLEAN(&rig);
	rig_free(&rig);
}
