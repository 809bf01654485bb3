// SPDX-License-Identifier: GPL-2.0 OR MIT
#define _GNU_SOURCE
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "front.h"
#include "test.h"

#define REPLY_MS	10000

int socket_connect(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	if (fd >= 0 && connect(fd, (const void *)&addr, sizeof(addr))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int send_fds(int socket, const struct message *m, const int *fds,
		    u32 fd_count)
{
	union {
		char bytes[CMSG_SPACE(MESSAGE_FDS * sizeof(int))];
		struct cmsghdr align;
	} control = {};
	struct iovec iov[2] = {
		{ (void *)&m->header, sizeof(m->header) },
		{ (void *)&m->payload, m->header.size },
	};
	struct msghdr h = { .msg_iov = iov, .msg_iovlen = 2 };
	struct cmsghdr *c;

	if (fd_count) {
		h.msg_control = control.bytes;
		h.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
		c = CMSG_FIRSTHDR(&h);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
		memcpy(CMSG_DATA(c), fds, fd_count * sizeof(int));
	}
	return sendmsg(socket, &h, MSG_NOSIGNAL) < 0 ? -1 : 0;
}

int front_read(struct front *front, struct message *message, int *fd)
{
	struct pollfd ready = { .fd = front->socket, .events = POLLIN };
	struct msghdr h = {};
	char control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &message->header, sizeof(message->header) };
	struct cmsghdr *c;

	if (poll(&ready, 1, REPLY_MS) != 1)
		return -1;
	h.msg_iov = &iov;
	h.msg_iovlen = 1;
	h.msg_control = control;
	h.msg_controllen = sizeof(control);
	if (recvmsg(front->socket, &h, MSG_WAITALL) !=
	    sizeof(message->header))
		return -1;
	c = CMSG_FIRSTHDR(&h);
	if (fd)
		*fd = -1;
	if (fd && c)
		memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	if (message->header.size &&
	    recv(front->socket, &message->payload, message->header.size,
		 MSG_WAITALL) != (ssize_t)message->header.size)
		return -1;
	EXPECT_EQ(message->header.flags, 5);
	return 0;
}

int front_send(struct front *front, u32 request, const void *payload, u32 size,
	       const int *fds, u32 fd_count)
{
	struct message m = {
		.header = { request, VHOST_USER_VERSION, size },
	};

	if (front->acks)
		m.header.flags |= VHOST_USER_NEED_REPLY;
	if (size)
		memcpy(&m.payload, payload, size);
	if (send_fds(front->socket, &m, fds, fd_count))
		return -1;
	if (!front->acks)
		return 0;
	if (front_read(front, &m, NULL))
		return -1;
	EXPECT_EQ(m.header.request, request);
	EXPECT_EQ(m.header.size, 8);
	return m.payload.number;
}

int front_ask(struct front *front, struct message *message, int *fd)
{
	u32 request = message->header.request;

	message->header.flags = VHOST_USER_VERSION;
	if (send_fds(front->socket, message, NULL, 0) ||
	    front_read(front, message, fd))
		return -1;
	EXPECT_EQ(message->header.request, request);
	return 0;
}

void front_connect(struct front *front, const char *path)
{
	front->socket = socket_connect(path);
	REQUIRE(front->socket >= 0);
	front->acks = false;
}

static u64 ask_number(struct front *front, u32 request)
{
	struct message m = { .header = { .request = request } };

	REQUIRE(!front_ask(front, &m, NULL));
	EXPECT_EQ(m.header.size, 8);
	return m.payload.number;
}

void front_features(struct front *front, bool inband)
{
	u64 features, protocol;
	int fds[2];

	front->inband = inband;
	EXPECT_EQ(front_send(front, VHOST_USER_SET_OWNER, NULL, 0, NULL, 0), 0);
	features = ask_number(front, VHOST_USER_GET_FEATURES);
	EXPECT_EQ(features, (1ULL << 32) | (1ULL << 30));
	protocol = ask_number(front, VHOST_USER_GET_PROTOCOL_FEATURES);
	EXPECT(protocol & VHOST_USER_PROTOCOL_REPLY_ACK);
	EXPECT(protocol & VHOST_USER_PROTOCOL_CONFIG);
	EXPECT(protocol & VHOST_USER_PROTOCOL_BACKEND_REQ);
	EXPECT(!inband || (protocol & VHOST_USER_PROTOCOL_INBAND));
	if (!inband)
		protocol &= ~VHOST_USER_PROTOCOL_INBAND;
	/* This one wants an answer already, as UML's does. */
	front->acks = true;
	EXPECT_EQ(front_send(front, VHOST_USER_SET_PROTOCOL_FEATURES, &protocol,
			     8, NULL, 0), 0);
	EXPECT_EQ(ask_number(front, VHOST_USER_GET_QUEUE_NUM), 1);
	REQUIRE(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	EXPECT_EQ(front_send(front, VHOST_USER_SET_BACKEND_REQ_FD, NULL, 0,
			     &fds[1], 1), 0);
	close(fds[1]);
	front->backend = fds[0];
	EXPECT_EQ(front_send(front, VHOST_USER_SET_FEATURES, &features, 8, NULL,
			     0), 0);
}

void front_memory(struct front *front)
{
	if (front->memory) {
		munmap(front->memory, FRONT_BYTES);
		close(front->memfd);
	}
	front->memfd = memfd_create("guest", MFD_CLOEXEC);
	REQUIRE(!ftruncate(front->memfd, FRONT_OFFSET + FRONT_BYTES));
	front->memory = mmap(NULL, FRONT_BYTES, PROT_READ | PROT_WRITE,
			     MAP_SHARED, front->memfd, FRONT_OFFSET);
	REQUIRE(front->memory != MAP_FAILED);
	front->desc = (void *)front->memory;
	front->avail = (void *)(front->memory + 0x4000);
	front->used = (void *)(front->memory + 0x8000);
	front->next_avail = 0;
	front->next_used = 0;
}

void front_share(struct front *front)
{
	struct message_memory table = {
		.count = 1,
		.regions[0] = { FRONT_GUEST, FRONT_BYTES, FRONT_USER,
				FRONT_OFFSET },
	};

	/* 72 bytes, as UML sends for one region, too. */
	EXPECT_EQ(front_send(front, VHOST_USER_SET_MEM_TABLE, &table, 72,
			     &front->memfd, 1), 0);
}

void front_inflight(struct front *front)
{
	struct message m = {
		.header = { .request = VHOST_USER_GET_INFLIGHT_FD, .size = 24 },
		.payload.inflight = { .queues = 1, .size = FRONT_RING },
	};

	if (front->inflight < 0) {
		REQUIRE(!front_ask(front, &m, &front->inflight));
		REQUIRE(front->inflight >= 0);
		EXPECT_EQ(m.header.size, 24);
	} else {
		m.payload.inflight.bytes = 4096;
	}
	EXPECT_EQ(front_send(front, VHOST_USER_SET_INFLIGHT_FD,
			     &m.payload.inflight, 24, &front->inflight, 1), 0);
}

void front_ring(struct front *front, u16 base)
{
	const struct message_state num = { 0, FRONT_RING };
	const struct message_state start = { 0, base };
	const struct message_addr addr = {
		.desc = FRONT_USER,
		.avail = FRONT_USER + 0x4000,
		.used = FRONT_USER + 0x8000,
	};
	const u64 index = 0;

	if (front->kick >= 0) {
		close(front->kick);
		close(front->call);
	}
	front->kick = eventfd(0, EFD_NONBLOCK);
	front->call = eventfd(0, EFD_NONBLOCK);
	EXPECT_EQ(front_send(front, VHOST_USER_SET_VRING_NUM, &num, 8, NULL, 0),
		  0);
	EXPECT_EQ(front_send(front, VHOST_USER_SET_VRING_BASE, &start, 8, NULL,
			     0), 0);
	EXPECT_EQ(front_send(front, VHOST_USER_SET_VRING_ADDR, &addr,
			     sizeof(addr), NULL, 0), 0);
	if (front->inband)
		return;
	EXPECT_EQ(front_send(front, VHOST_USER_SET_VRING_CALL, &index, 8,
			     &front->call, 1), 0);
	EXPECT_EQ(front_send(front, VHOST_USER_SET_VRING_KICK, &index, 8,
			     &front->kick, 1), 0);
}

void front_enable(struct front *front, bool enable)
{
	const struct message_state state = { 0, enable };

	EXPECT_EQ(front_send(front, VHOST_USER_SET_VRING_ENABLE, &state, 8,
			     NULL, 0), 0);
}

u16 front_stop(struct front *front)
{
	struct message m = {
		.header = { .request = VHOST_USER_GET_VRING_BASE, .size = 8 },
	};

	REQUIRE(!front_ask(front, &m, NULL));
	EXPECT_EQ(m.header.size, 8);
	return m.payload.state.num;
}

void front_disconnect(struct front *front)
{
	close(front->socket);
	if (front->backend >= 0)
		close(front->backend);
	front->socket = -1;
	front->backend = -1;
}

void front_free(struct front *front)
{
	front_disconnect(front);
	close(front->kick);
	close(front->call);
	close(front->inflight);
	munmap(front->memory, FRONT_BYTES);
	close(front->memfd);
}

void front_begin(struct front *front, const char *path)
{
	memset(front, 0, sizeof(*front));
	front->kick = -1;
	front->inflight = -1;
	front->next_id = 1;
	front_connect(front, path);
	front_features(front, false);
	front_memory(front);
	front_share(front);
	front_inflight(front);
	front_ring(front, 0);
	front_enable(front, true);
}
