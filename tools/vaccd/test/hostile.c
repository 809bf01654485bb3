// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Front ends and drivers that mean no good. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon.h"
#include "front.h"
#include "test.h"

static u64 seed;

static u32 chance(u32 of)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % of;
}

static void send_raw(int socket, const void *bytes, u32 count, const int *fds,
		     u32 fd_count)
{
	char control[CMSG_SPACE(16 * sizeof(int))] = {};
	struct iovec iov = { (void *)bytes, count };
	struct msghdr h = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (fd_count) {
		h.msg_control = control;
		h.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
		c = CMSG_FIRSTHDR(&h);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
		memcpy(CMSG_DATA(c), fds, fd_count * sizeof(int));
	}
	if (sendmsg(socket, &h, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return;
}

/* A message that may be one: numbers that are, and some that nearly are. */
static void send_random(struct front *front)
{
	static const u32 sizes[] = { 0, 4, 8, 8, 8, 12, 16, 20, 24, 40, 40, 72, 264, 268 };
	static const u64 numbers[] = {
		0, 0, 1, 1, 2, FRONT_RING, 0xffff, 0x10000, 255, 256, 1 << 8,
		FRONT_USER, FRONT_USER + 0x4000, FRONT_USER + 0x8000,
		FRONT_USER + FRONT_BYTES, FRONT_BYTES, FRONT_GUEST,
		FRONT_OFFSET, ~0ULL, 1ULL << 63, 1ULL << 32, 1ULL << 30,
		0x140000000ULL, 0xffffffffULL,
	};
	int fds[10];
	u32 fd_count = chance(3) ? chance(2) : chance(10);
	struct {
		struct message_header header;
		u8 payload[300];
	} m = {
		.header = {
			.request = chance(38),
			.flags = chance(20) ? 1 | chance(2) << 3 : chance(32),
			.size = chance(30) ? sizes[chance(ARRAY_SIZE(sizes))] :
					     chance(400),
		},
	};
	u32 i;

	for (i = 0; i + 8 <= sizeof(m.payload); ) {
		u64 number = numbers[chance(ARRAY_SIZE(numbers))];
		u32 bytes = chance(2) ? 4 : 8;

		memcpy(m.payload + i, &number, bytes);
		i += bytes;
	}
	for (i = 0; i < fd_count; i++)
		fds[i] = chance(3) ? front->memfd : chance(2) ? front->kick :
			 front->socket;
	i = sizeof(m.header) + min_t(u32, m.header.size, sizeof(m.payload));
	send_raw(front->socket, &m, chance(50) ? i : chance(i + 1), fds, fd_count);
}

static void drain(int socket)
{
	char bytes[4096];

	while (recv(socket, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
}

TEST(random_messages)
{
	struct front front = { .kick = -1, .inflight = -1, .next_id = 1 };
	struct daemon daemon;
	u32 round, i;

	seed = 88172645463325252ULL;
	daemon_start(&daemon, true, "--inband");
	for (round = 0; round < 300; round++) {
		if (round % 2) {
			front_begin(&front, daemon.socket);
		} else {
			memset(&front, 0, sizeof(front));
			front.inflight = -1;
			front_memory(&front);
			front_connect(&front, daemon.socket);
			front.backend = -1;
			front.kick = dup(front.memfd);
			front.call = dup(front.memfd);
		}
		for (i = 0; i < 60; i++) {
			send_random(&front);
			drain(front.socket);
		}
		front_free(&front);
		REQUIRE(daemon_lives(&daemon));
	}
	front_begin(&front, daemon.socket);
	EXPECT(drive_context(&front));
	front_free(&front);
	daemon_stop(&daemon);
}

TEST(half_a_message)
{
	struct {
		struct message_header header;
		u64 payload;
	} m = { { VHOST_USER_SET_FEATURES, VHOST_USER_VERSION, 8 }, 0 };
	struct front front;
	struct daemon daemon;
	u32 bytes;

	daemon_start(&daemon, true, "");
	for (bytes = 0; bytes < sizeof(m.header) + 8; bytes++) {
		front_begin(&front, daemon.socket);
		send_raw(front.socket, &m, bytes, &front.memfd, bytes % 2);
		/* The rest of the device is not held up by it. */
		front.acks = false;
		EXPECT(drive_context(&front));
		front_free(&front);
	}
	EXPECT(daemon_lives(&daemon));
	daemon_stop(&daemon);
}

TEST(messages_that_are_refused)
{
	const struct message_state states[] = {
		{ 1, FRONT_RING }, { 0, 3 }, { 0, 0 }, { 0, 1 }, { 0, 65536 },
	};
	const struct message_addr addr = { .flags = 1, .desc = FRONT_USER };
	const u64 features = ~0ULL;
	struct daemon daemon;
	struct front front;
	char byte;
	u32 i;

	daemon_start(&daemon, true, "");
	front_begin(&front, daemon.socket);
	for (i = 0; i < ARRAY_SIZE(states); i++)
		EXPECT_EQ(front_send(&front, VHOST_USER_SET_VRING_NUM,
				     &states[i], 8, NULL, 0), 1);
	EXPECT_EQ(front_send(&front, VHOST_USER_SET_VRING_BASE, &states[0], 8,
			     NULL, 0), 1);
	EXPECT_EQ(front_send(&front, VHOST_USER_SET_VRING_ADDR, &addr,
			     sizeof(addr), NULL, 0), 1);
	EXPECT_EQ(front_send(&front, VHOST_USER_SET_FEATURES, &features, 8, NULL,
			     0), 1);
	EXPECT_EQ(front_send(&front, VHOST_USER_SET_PROTOCOL_FEATURES, &features,
			     8, NULL, 0), 1);
	EXPECT_EQ(front_send(&front, VHOST_USER_VRING_KICK, &states[3], 8, NULL,
			     0), 1);
	EXPECT(drive_context(&front));
	/* What is unknown ends the connection. */
	EXPECT_EQ(front_send(&front, 99, NULL, 0, NULL, 0), -1);
	EXPECT_EQ(read(front.socket, &byte, 1), 0);
	front_free(&front);
	daemon_stop(&daemon);
}

/* Rings that say what cannot be; the next driver has a good one. */
TEST(random_rings)
{
	struct daemon daemon;
	struct front front;
	u32 round, i;

	seed = 1234567;
	daemon_start(&daemon, true, "");
	for (round = 0; round < 100; round++) {
		front_begin(&front, daemon.socket);
		for (i = 0; i < FRONT_RING; i++) {
			front.desc[i] = (struct eng_ring_desc){
				.addr = FRONT_GUEST - 16 +
					chance(FRONT_BYTES + 32),
				.len = chance(4) ? chance(64) : (u32)seed,
				.flags = chance(8),
				.next = chance(FRONT_RING + 2),
			};
			front.avail->ring[i] = chance(20) ?
					       chance(FRONT_RING) : (u16)seed;
		}
		front.avail->flags = chance(2);
		eng_store_release(front.avail->idx, chance(FRONT_RING + 5));
		drive_kick(&front);
		usleep(1000);
		/* The device reads and we write. */
		for (i = 0; i < 1000; i++)
			front.memory[chance(FRONT_BYTES)] = seed;
		drive_kick(&front);
		front_free(&front);
		REQUIRE(daemon_lives(&daemon));
	}
	front_begin(&front, daemon.socket);
	EXPECT(drive_context(&front));
	front_free(&front);
	daemon_stop(&daemon);
}

/* Descriptors of anything but an eventfd. */
TEST(notifications_of_other_kinds)
{
	const u64 index = 0;
	struct daemon daemon;
	struct front front;
	int fds[2], i;

	daemon_start(&daemon, true, "");
	for (i = 0; i < 4; i++) {
		front_begin(&front, daemon.socket);
		REQUIRE(i & 1 ? !pipe(fds) :
				!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
		EXPECT_EQ(front_send(&front, VHOST_USER_SET_VRING_CALL, &index, 8,
				     &fds[1], 1), 0);
		EXPECT_EQ(front_send(&front, i & 2 ? VHOST_USER_SET_VRING_KICK :
				     VHOST_USER_SET_VRING_ERR, &index, 8,
				     &fds[0], 1), 0);
		close(fds[1]);
		close(fds[0]);
		/* The device goes on, whether or not anybody hears of it. */
		drive_send(&front, 1, VIRTIO_ACCEL_OP_POLL_EVENT, &index, 8, 8);
		drive_kick(&front);
		front_enable(&front, false);
		front_enable(&front, true);
		usleep(20000);
		EXPECT_EQ(front_stop(&front), 1);
		front_free(&front);
	}
	EXPECT(daemon_lives(&daemon));
	daemon_stop(&daemon);
}

/*
 * One that a read waits for: what poll() says of it is not what read() wants, and its flags
 * are changed again by who has given it.  The next front end is served all the same.
 */
TEST(notifications_that_are_waited_for)
{
	const int least = sizeof(u64);
	const u64 index = 0;
	struct daemon daemon;
	struct front front;
	int fds[2];

	daemon_start(&daemon, true, "");
	front_begin(&front, daemon.socket);
	REQUIRE(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	REQUIRE(!setsockopt(fds[0], SOL_SOCKET, SO_RCVLOWAT, &least, sizeof(least)));
	/* The daemon has the other end too, so that there is no end of it. */
	EXPECT_EQ(front_send(&front, VHOST_USER_SET_VRING_ERR, &index, 8, &fds[1], 1), 0);
	EXPECT_EQ(front_send(&front, VHOST_USER_SET_VRING_KICK, &index, 8, &fds[0], 1), 0);
	REQUIRE(!fcntl(fds[0], F_SETFL, fcntl(fds[0], F_GETFL) & ~O_NONBLOCK));
	REQUIRE(send(fds[1], "", 1, 0) == 1);
	usleep(100000);
	close(fds[1]);
	close(fds[0]);
	front_free(&front);

	front_begin(&front, daemon.socket);
	EXPECT(drive_context(&front));
	front_free(&front);
	daemon_stop(&daemon);
}
