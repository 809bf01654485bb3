// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The device over the ring, from the first message to the last byte. */
#include <string.h>
#include <unistd.h>

#include "../../../mock/engine/test_objects/artifact.h"
#include "daemon.h"
#include "front.h"
#include "test.h"

#define BYTES	256

static const u8 write_only[2] = { VIRTIO_ACCEL_ACCESS_WRITE };
static const u8 copy_access[] = { VIRTIO_ACCEL_ACCESS_READ,
				  VIRTIO_ACCEL_ACCESS_WRITE };

static bool all(const u8 *bytes, u8 value, u32 count)
{
	while (count--) {
		if (*bytes++ != value)
			return false;
	}
	return true;
}

static void run(struct front *front, u64 queue, u64 program, u64 first,
		u64 second, u64 bytes, const u8 *access)
{
	u64 event = drive_submit(front, queue, program, first, second, bytes,
				 access);

	REQUIRE(event);
	EXPECT_EQ(drive_event(front, event), VIRTIO_ACCEL_EVENT_COMPLETE);
	EXPECT_EQ(drive_object(front, VIRTIO_ACCEL_OP_DESTROY_EVENT, event), 0);
}

static void fill_and_copy(struct front *front, u64 context, u64 queue)
{
	u64 fill = drive_ref(front, context, VACC_REF_OP_FILL, 0x5a);
	u64 copy = drive_ref(front, context, VACC_REF_OP_COPY, 0);
	u64 one = drive_buffer(front, context, BYTES);
	u64 two = drive_buffer(front, context, BYTES);
	u8 data[BYTES];

	REQUIRE(fill && copy && one && two);
	memset(data, 0x11, BYTES);
	EXPECT_EQ(drive_write(front, two, data, BYTES), 0);
	run(front, queue, fill, one, 0, BYTES, write_only);
	EXPECT_EQ(drive_read(front, two, data, BYTES), 0);
	EXPECT(all(data, 0x11, BYTES));
	run(front, queue, copy, one, two, BYTES, copy_access);
	EXPECT_EQ(drive_read(front, two, data, BYTES), 0);
	EXPECT(all(data, 0x5a, BYTES));
	EXPECT_EQ(drive_object(front, VIRTIO_ACCEL_OP_FREE_BUFFER, one), 0);
	EXPECT_EQ(drive_object(front, VIRTIO_ACCEL_OP_FREE_BUFFER, one),
		  VIRTIO_ACCEL_S_STALE_OBJECT);
}

/* Rows of twos by weights of ones, in place: 16 * 2 = 32 each. */
static void linear(struct front *front, u64 context, u64 queue)
{
	const u32 features = 16, rows = 4;
	struct eng_load load = linear_load(rows, features);
	u64 program = drive_program(front, context, load.format, load.target,
				    load.payload, load.payload_bytes,
				    load.resident_bytes);
	u16 weight[16 * 16], x[4 * 16];
	struct {
		struct virtio_accel_submit p;
		struct virtio_accel_binding b[2];
	} s = {
		.p = { .queue = queue, .program = program, .binding_count = 2 },
		.b = {
			{ .buffer = drive_buffer(front, context, sizeof(x)),
			  .bytes = sizeof(x),
			  .access = VIRTIO_ACCEL_ACCESS_READ_WRITE },
			{ .buffer = drive_buffer(front, context, sizeof(weight)),
			  .bytes = sizeof(weight), .slot = 1,
			  .access = VIRTIO_ACCEL_ACCESS_READ },
		},
	};
	struct reply reply;
	u32 i;

	free((void *)load.payload);
	REQUIRE(program && s.b[0].buffer && s.b[1].buffer);
	for (i = 0; i < ARRAY_SIZE(weight); i++)
		weight[i] = 0x3c00;
	for (i = 0; i < ARRAY_SIZE(x); i++)
		x[i] = 0x4000;
	EXPECT_EQ(drive_write(front, s.b[0].buffer, x, sizeof(x)), 0);
	EXPECT_EQ(drive_write(front, s.b[1].buffer, weight, sizeof(weight)), 0);
	REQUIRE(!drive(front, VIRTIO_ACCEL_OP_SUBMIT, &s, sizeof(s), &reply));
	EXPECT_EQ(drive_event(front, reply.object), VIRTIO_ACCEL_EVENT_COMPLETE);
	EXPECT_EQ(drive_read(front, s.b[0].buffer, x, sizeof(x)), 0);
	for (i = 0; i < ARRAY_SIZE(x); i++)
		EXPECT_EQ(x[i], 0x5000);
}

static void whole_life(bool sanitized)
{
	struct daemon daemon;
	struct front front;
	u64 context, queue;

	daemon_start(&daemon, sanitized, "");
	front_begin(&front, daemon.socket);
	context = drive_context(&front);
	queue = drive_queue(&front, context);
	REQUIRE(context && queue);
	fill_and_copy(&front, context, queue);
	linear(&front, context, queue);
	EXPECT_EQ(daemon_counter(&daemon, "counters", "contexts"), 1);
	EXPECT_EQ(daemon_counter(&daemon, "counters", "launches"), 1);
	front_free(&front);
	daemon_stop(&daemon);
	EXPECT(daemon_said(&daemon, "launches "));
	EXPECT(sanitized || daemon_said(&daemon, "confined by seccomp") ||
	       daemon_said(&daemon, "built without libseccomp"));
}

TEST(fill_copy_linear)
{
	whole_life(false);
}

TEST(fill_copy_linear_sanitized)
{
	whole_life(true);
}

TEST(configuration)
{
	struct message m = {
		.header = { .request = VHOST_USER_GET_CONFIG },
	};
	const struct virtio_accel_config *wire = (void *)m.payload.config.data;
	static const u32 sizes[] = { 1, 2, 16, 34, 60, 256 };
	struct daemon daemon;
	struct front front;
	u32 i;

	daemon_start(&daemon, true, "--max-chain 64 --max-request 1M --max-response 97");
	front_begin(&front, daemon.socket);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		m.payload.config.offset = 0;
		m.payload.config.size = sizes[i];
		m.header.size = 12 + sizes[i];
		REQUIRE(!front_ask(&front, &m, NULL));
		EXPECT_EQ(m.header.size, 12 + sizes[i]);
		EXPECT_EQ(m.payload.config.size, sizes[i]);
		EXPECT_EQ(m.payload.config.data[0], 1);
	}
	EXPECT_EQ(wire->command_queue_count, 1);
	EXPECT_EQ(wire->max_chain_descriptors, 64);
	EXPECT_EQ(wire->max_request_bytes, 1 << 20);
	EXPECT_EQ(wire->max_response_bytes, 97);
	for (i = 16; i < 256; i++)
		EXPECT_EQ(m.payload.config.data[i], 0);
	/* There is nothing that can be set. */
	EXPECT_EQ(front_send(&front, VHOST_USER_SET_CONFIG, &m.payload, 13, NULL,
			     0), 1);
	front_free(&front);
	daemon_stop(&daemon);
}

TEST(notifications_by_messages)
{
	struct front front = { .kick = -1, .inflight = -1, .next_id = 1 };
	struct daemon daemon;

	daemon_start(&daemon, true, "--inband");
	front_connect(&front, daemon.socket);
	front_features(&front, true);
	front_memory(&front);
	front_share(&front);
	front_ring(&front, 0);
	front_enable(&front, true);
	EXPECT(drive_context(&front));
	EXPECT(drive_context(&front));
	EXPECT(daemon_counter(&daemon, "ring", "interrupts") >= 2);
	front_free(&front);
	daemon_stop(&daemon);
}

TEST(limits_of_the_command_line)
{
	struct daemon daemon;
	struct front front;

	daemon_start(&daemon, true, "--max-contexts 2 --max-buffer-bytes 4K --threads 1");
	front_begin(&front, daemon.socket);
	EXPECT(drive_context(&front));
	EXPECT(drive_context(&front));
	EXPECT(!drive_context(&front));
	front_free(&front);
	daemon_stop(&daemon);
}

TEST(harness_over_its_socket)
{
	const u64 one = 1;
	struct daemon daemon;
	struct front front;
	u64 context, queue, fill, buffer, events[3];
	char line[64];
	u32 used, i;

	daemon_start(&daemon, true, "--hold");
	front_begin(&front, daemon.socket);
	context = drive_context(&front);
	queue = drive_queue(&front, context);
	fill = drive_ref(&front, context, VACC_REF_OP_FILL, 1);
	buffer = drive_buffer(&front, context, BYTES);
	for (i = 0; i < 3; i++) {
		events[i] = drive_submit(&front, queue, fill, buffer, 0, BYTES,
					 write_only);
		REQUIRE(events[i]);
	}
	EXPECT_EQ(daemon_counter(&daemon, "counters", "events"), 3);
	EXPECT_EQ(daemon_control(&daemon, "complete #1", line, sizeof(line)), 0);
	EXPECT_EQ(drive_event(&front, events[0]), VIRTIO_ACCEL_EVENT_COMPLETE);
	EXPECT_EQ(daemon_control(&daemon, "fail #2 5", line, sizeof(line)), 0);
	EXPECT_EQ(drive_event(&front, events[1]), VIRTIO_ACCEL_EVENT_FAILED);
	EXPECT_EQ(daemon_control(&daemon, "fail #2 5", line, sizeof(line)), 2);
	EXPECT_EQ(daemon_control(&daemon, "release", line, sizeof(line)), 0);
	EXPECT_EQ(drive_event(&front, events[2]), VIRTIO_ACCEL_EVENT_COMPLETE);
	/* An answer that never comes, and the next that does. */
	EXPECT_EQ(daemon_control(&daemon, "mute count=1", line, sizeof(line)), 0);
	drive_send(&front, 3, VIRTIO_ACCEL_OP_POLL_EVENT, &one, 8, 8);
	drive_kick(&front);
	EXPECT_EQ(drive_wait(&front, 200, &used), -1);
	drive_send(&front, 4, VIRTIO_ACCEL_OP_POLL_EVENT, &one, 8, 8);
	drive_kick(&front);
	EXPECT_EQ(drive_wait(&front, 5000, &used), 4);
	/* A device that is lost says so, and no more. */
	EXPECT_EQ(daemon_control(&daemon, "needs_reset", line, sizeof(line)), 0);
	EXPECT(!drive_context(&front));
	front_free(&front);
	daemon_stop(&daemon);
}

TEST(harness_where_the_kernel_has_it)
{
	struct daemon daemon;
	char command[1024], line[64];

	daemon_start(&daemon, false, "");
	snprintf(command, sizeof(command),
		 "VACCD_CONTROL=%s LD_PRELOAD=%s sh -c '\n"
		 "M=/sys/kernel/debug/virtio_accel_mock\n"
		 "echo 1 >$M/0/hold && [ $(cat $M/3/hold) = 1 ] &&\n"
		 "grep -q \"^contexts 0\" $M/0/counters &&\n"
		 "! (echo 5 >$M/0/complete) 2>/dev/null &&\n"
		 "! (echo 1 >$M/0/nothing) 2>/dev/null &&\n"
		 "echo all >$M/0/complete && echo else >/dev/null'",
		 daemon.control, getenv("VACCD_PRELOAD"));
	EXPECT_EQ(system(command), 0);
	EXPECT_EQ(daemon_control(&daemon, "hold", line, sizeof(line)), 0);
	EXPECT(!strncmp(line, "1\n", 2));
	daemon_stop(&daemon);
}
