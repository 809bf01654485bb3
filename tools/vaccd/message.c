// SPDX-License-Identifier: GPL-2.0 OR MIT
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "message.h"

/* A front end that reads its replies no sooner is given up. */
#define MESSAGE_SEND_MS	5000

static void message_add_fds(struct message *message, struct msghdr *from)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(from); c; c = CMSG_NXTHDR(from, c)) {
		u32 count, i;
		int fd;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(fd);
		for (i = 0; i < count; i++) {
			memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
			if (message->fd_count < MESSAGE_FDS)
				message->fds[message->fd_count++] = fd;
			else
				close(fd);
		}
	}
}

/* How much is wanted now: never more than what belongs to this message. */
static u32 message_wanted(const struct message *message)
{
	const u32 header = sizeof(message->header);

	if (message->got < header)
		return header - message->got;
	return header + message->header.size - message->got;
}

static bool message_header_good(const struct message *message)
{
	const u32 known = VHOST_USER_VERSION_MASK | VHOST_USER_NEED_REPLY;
	u32 flags = message->header.flags;

	return (flags & VHOST_USER_VERSION_MASK) == VHOST_USER_VERSION &&
	       !(flags & ~known) &&
	       message->header.size <= sizeof(message->payload);
}

/**
 * message_receive() - go on with a message
 * @socket: where it comes from
 * @message: what there is of it; message_end() in any case, at last
 *
 * Return: 1 for a whole message, 0 where more has yet to come, -ECONNRESET at the
 * end, -EPROTO for what is no message, or another negative errno.
 */
int message_receive(int socket, struct message *message)
{
	char control[CMSG_SPACE(MESSAGE_FDS * sizeof(int))];
	u32 wanted;

	/* What has no payload ends with its header. */
	while ((wanted = message_wanted(message))) {
		u8 *to = message->got < sizeof(message->header) ?
			 (u8 *)&message->header + message->got :
			 (u8 *)&message->payload +
			 (message->got - sizeof(message->header));
		struct iovec iov = { .iov_base = to, .iov_len = wanted };
		struct msghdr m = {
			.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control),
		};
		ssize_t n = recvmsg(socket, &m,
				    MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

		if (n < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -errno;
		message_add_fds(message, &m);
		if (!n)
			return -ECONNRESET;
		if (m.msg_flags & MSG_CTRUNC)
			return -EPROTO;
		message->got += n;
		if (message->got == sizeof(message->header) &&
		    !message_header_good(message))
			return -EPROTO;
	}
	return 1;
}

/**
 * message_end() - forget a message
 * @message: its descriptors are closed but for those that were taken
 */
void message_end(struct message *message)
{
	u32 i;

	for (i = 0; i < message->fd_count; i++) {
		if (message->fds[i] >= 0)
			close(message->fds[i]);
	}
	message->fd_count = 0;
	message->got = 0;
	memset(&message->header, 0, sizeof(message->header));
	memset(&message->payload, 0, sizeof(message->payload));
}

/**
 * message_take_fd() - take a descriptor out of a message
 * @message: the message
 * @index: which one
 *
 * Return: the descriptor, the caller's from now on, or -1 where there is none.
 */
int message_take_fd(struct message *message, u32 index)
{
	int fd;

	if (index >= message->fd_count)
		return -1;
	fd = message->fds[index];
	message->fds[index] = -1;
	return fd;
}

/**
 * message_send() - send a message
 * @socket: where to
 * @message: the message
 * @fd: goes along, or -1
 *
 * Return: 0 or a negative errno.
 */
int message_send(int socket, const struct message *message, int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {};
	struct pollfd room = { .fd = socket, .events = POLLOUT };
	u32 size = message->header.size;
	struct iovec iov[2] = {
		{ (void *)&message->header, sizeof(message->header) },
		{ (void *)&message->payload, size },
	};
	struct msghdr m = { .msg_iov = iov, .msg_iovlen = 2 };
	struct cmsghdr *c;
	ssize_t n;

	if (fd >= 0) {
		m.msg_control = control.bytes;
		m.msg_controllen = sizeof(control.bytes);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	do {
		n = sendmsg(socket, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
	} while (n < 0 && (errno == EINTR ||
			   (errno == EAGAIN &&
			    poll(&room, 1, MESSAGE_SEND_MS) == 1)));
	if (n < 0)
		return -errno;
	/* Messages are small, and go whole or not at all. */
	return n == (ssize_t)(sizeof(message->header) + size) ? 0 : -EIO;
}

/**
 * message_send_call() - interrupt the driver by a message
 * @socket: where to; where it is full there is such a message already
 */
void message_send_call(int socket)
{
	const struct {
		struct message_header header;
		struct message_state state;
	} call = {
		.header = {
			.request = VHOST_USER_BACKEND_VRING_CALL,
			.flags = VHOST_USER_VERSION,
			.size = sizeof(call.state),
		},
	};

	if (send(socket, &call, sizeof(call), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return;
}
