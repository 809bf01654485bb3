// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * When a driver goes on with what it has, when it begins anew, and when what it has
 * is dead; memory tables that come and go under work.
 */
#include <string.h>
#include <unistd.h>

#include "daemon.h"
#include "front.h"
#include "test.h"

/* Stopped and continued, as QEMU does it with a machine: everything is still there. */
TEST(stop_and_go_on)
{
	struct daemon daemon;
	struct front front;
	u64 context;
	u16 base;
	u32 i;

	daemon_start(&daemon, true, "");
	front_begin(&front, daemon.socket);
	context = drive_context(&front);
	REQUIRE(context);
	for (i = 0; i < 50; i++) {
		EXPECT(drive_queue(&front, context) || i >= 16);
		front_enable(&front, false);
		base = front_stop(&front);
		EXPECT_EQ(base, front.next_avail);
		front_inflight(&front);
		/* What is offered meanwhile is found at the start. */
		drive_send(&front, 1, VIRTIO_ACCEL_OP_POLL_EVENT, &context, 8, 8);
		front_share(&front);
		front_ring(&front, base);
		front_enable(&front, true);
		EXPECT_EQ(drive_wait(&front, 5000, NULL), 1);
	}
	EXPECT_EQ(daemon_counter(&daemon, "ring", "resets"), 0);
	EXPECT_EQ(drive_object(&front, VIRTIO_ACCEL_OP_DESTROY_CONTEXT, context),
		  VIRTIO_ACCEL_S_BUSY);
	front_free(&front);
	daemon_stop(&daemon);
}

/* Without the page, a ring that begins at 0 is a driver that begins anew. */
TEST(stop_and_begin_anew)
{
	struct front front = { .kick = -1, .inflight = -1, .next_id = 1 };
	struct daemon daemon;
	u64 context, before = 0;
	u32 i;

	daemon_start(&daemon, true, "");
	front_connect(&front, daemon.socket);
	front_features(&front, false);
	for (i = 0; i < 5; i++) {
		front_memory(&front);
		front_share(&front);
		front_ring(&front, 0);
		front_enable(&front, true);
		if (before)
			EXPECT_EQ(drive_object(&front,
					       VIRTIO_ACCEL_OP_DESTROY_CONTEXT,
					       before),
				  VIRTIO_ACCEL_S_STALE_OBJECT);
		context = drive_context(&front);
		EXPECT(context && context != before);
		before = context;
		/* UML stops like this. */
		front_enable(&front, false);
	}
	EXPECT_EQ(daemon_counter(&daemon, "ring", "resets"), 4);
	front_free(&front);
	daemon_stop(&daemon);
}

/* A driver reset in QEMU: the page of before is given up. */
TEST(new_page_new_life)
{
	struct daemon daemon;
	struct front front;
	u64 context;

	daemon_start(&daemon, true, "");
	front_begin(&front, daemon.socket);
	context = drive_context(&front);
	front_stop(&front);
	close(front.inflight);
	front.inflight = -1;
	front_memory(&front);
	front_share(&front);
	front_inflight(&front);
	front_ring(&front, 0);
	EXPECT_EQ(drive_object(&front, VIRTIO_ACCEL_OP_DESTROY_CONTEXT, context),
		  VIRTIO_ACCEL_S_STALE_OBJECT);
	EXPECT(drive_context(&front));
	front_free(&front);
	daemon_stop(&daemon);
}

static void come_back(struct front *front, const char *path)
{
	front_connect(front, path);
	front_features(front, false);
	front_share(front);
	front_inflight(front);
	/* The front end knows no more than what was returned. */
	front_ring(front, front->used->idx);
	front_enable(front, true);
}

/* A connection that broke: the driver must not find objects of others. */
TEST(come_back_to_another_life)
{
	struct daemon daemon;
	struct front front;
	u64 context;

	daemon_start(&daemon, true, "");
	front_begin(&front, daemon.socket);
	context = drive_context(&front);
	REQUIRE(context);
	front_disconnect(&front);
	come_back(&front, daemon.socket);
	EXPECT_EQ(drive_context(&front), 0);
	front_stop(&front);
	close(front.inflight);
	front.inflight = -1;
	front_memory(&front);
	front_share(&front);
	front_inflight(&front);
	front_ring(&front, 0);
	EXPECT(drive_context(&front));
	front_free(&front);
	daemon_stop(&daemon);
}

/* Offers requests that take a while, on all slots but the first. */
static void offer_many(struct front *front, u64 buffer)
{
	struct {
		struct virtio_accel_transfer p;
		u8 data[0x7000];
	} t = { .p = { .buffer = buffer, .bytes = 0x7000 } };
	u32 slot;

	for (slot = 1; slot < FRONT_SLOTS; slot++)
		drive_send(front, slot, VIRTIO_ACCEL_OP_WRITE_BUFFER, &t,
			   sizeof(t), 8);
	drive_kick(front);
}

static void expect_many(struct front *front)
{
	u32 slot, used;

	for (slot = 1; slot < FRONT_SLOTS; slot++) {
		EXPECT(drive_wait(front, 5000, &used) > 0);
		EXPECT_EQ(used, sizeof(struct virtio_accel_resp_hdr));
	}
}

TEST(memory_tables_under_work)
{
	struct message_memory none = {};
	struct daemon daemon;
	struct front front;
	u64 buffer;
	u32 i;

	daemon_start(&daemon, true, "");
	front_begin(&front, daemon.socket);
	buffer = drive_buffer(&front, drive_context(&front), 0x7000);
	REQUIRE(buffer);
	for (i = 0; i < 100; i++) {
		offer_many(&front, buffer);
		front_share(&front);
		if (i % 10 == 0) {
			/* One that cannot be leaves the old one. */
			none.count = 1;
			EXPECT_EQ(front_send(&front, VHOST_USER_SET_MEM_TABLE,
					     &none, 40, &front.memfd, 1), 1);
		}
		front_share(&front);
		expect_many(&front);
	}
	/* A table without the ring stops it, one with it starts it again. */
	none.count = 0;
	EXPECT_EQ(front_send(&front, VHOST_USER_SET_MEM_TABLE, &none, 8, NULL,
			     0), 1);
	offer_many(&front, buffer);
	EXPECT_EQ(drive_wait(&front, 100, NULL), -1);
	front_share(&front);
	expect_many(&front);
	EXPECT_EQ(daemon_counter(&daemon, "ring", "resets"), 0);
	EXPECT(daemon_counter(&daemon, "ring", "tables") > 200);
	front_free(&front);
	daemon_stop(&daemon);
}

static void truncated(bool sanitized)
{
	struct daemon daemon;
	struct front front;
	char byte;
	u64 buffer;
	u32 i;

	daemon_start(&daemon, sanitized, "");
	for (i = 0; i < 5; i++) {
		front_begin(&front, daemon.socket);
		buffer = drive_buffer(&front, drive_context(&front), 0x7000);
		REQUIRE(buffer);
		offer_many(&front, buffer);
		REQUIRE(!ftruncate(front.memfd, i % 2 ? 0 :
				   FRONT_OFFSET + FRONT_BYTES / 2));
		front.acks = false;
		if (front.kick >= 0) {
			const u64 one = 1;

			EXPECT(write(front.kick, &one, sizeof(one)) > 0);
		}
		/* The device is lost, which a front end sees by this. */
		if (i % 2)
			EXPECT_EQ(read(front.socket, &byte, 1), 0);
		front_free(&front);
		EXPECT(daemon_lives(&daemon));
	}
	EXPECT(daemon_counter(&daemon, "ring", "memory_lost") >= 2);
	front_begin(&front, daemon.socket);
	EXPECT(drive_context(&front));
	front_free(&front);
	daemon_stop(&daemon);
}

TEST(memory_taken_away_under_work)
{
	truncated(false);
}

TEST(memory_taken_away_under_work_sanitized)
{
	truncated(true);
}

static void killed(bool sanitized)
{
	struct daemon daemon;
	struct front front;
	u32 i, used, lost = 0;
	u64 buffer;

	daemon_start(&daemon, sanitized, "");
	for (i = 0; i < 5; i++) {
		front_begin(&front, daemon.socket);
		buffer = drive_buffer(&front, drive_context(&front), 0x7000);
		REQUIRE(buffer);
		offer_many(&front, buffer);
		usleep(10 * i);
		daemon_kill(&daemon);
		front_disconnect(&front);
		daemon_restart(&daemon, sanitized, "");
		come_back(&front, daemon.socket);
		/* All that was offered comes back, somehow. */
		while (front.next_used != front.next_avail) {
			REQUIRE(drive_wait(&front, 5000, &used) > 0);
			lost += !used;
			EXPECT(used <= sizeof(struct virtio_accel_resp_hdr));
		}
		EXPECT_EQ(drive_context(&front), 0);
		front_free(&front);
	}
	printf("     %u requests were lost\n", lost);
	front_begin(&front, daemon.socket);
	EXPECT(drive_context(&front));
	front_free(&front);
	daemon_stop(&daemon);
}

TEST(killed_under_work)
{
	killed(false);
}

TEST(killed_under_work_sanitized)
{
	killed(true);
}
