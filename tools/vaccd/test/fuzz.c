// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * libFuzzer over the messages of a front end, and over a ring.
 *
 * An input is a row of messages: a byte for the request, one for flags and
 * descriptors, two for the size, and the payload.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "frontend.h"
#include "fuzz.h"

#define MEMORY_BYTES	0x20000

static struct device device;
static struct serve serve;

static void require(int good)
{
	if (!good)
		abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct device_options options;

	(void)argc;
	(void)argv;
	signal(SIGPIPE, SIG_IGN);
	require(!memory_init());
	device_defaults(&options);
	options.workers = 1;
	options.limits.max_buffer_bytes = 1 << 20;
	options.max_resident = 1 << 24;
	require(!device_init(&device, &options));
	require(!serve_init(&serve, device.port));
	return 0;
}

/* A descriptor of one of the kinds that front ends send. */
static int some_fd(u32 kind)
{
	struct inflight_page *page = NULL;
	int fds[2], fd;

	switch (kind % 4) {
	case 0:
		return eventfd(0, EFD_NONBLOCK);
	case 1:
		fd = memfd_create("fuzz", MFD_ALLOW_SEALING);
		require(!ftruncate(fd, MEMORY_BYTES));
		return fd;
	case 2:
		require(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
		close(fds[0]);
		return fds[1];
	default:
		fd = inflight_new(device.cookie, &page);
		inflight_close(page);
		return fd;
	}
}

/* The bytes of a message; what there is no more of is zero. */
static size_t take_message(const u8 *data, size_t size, struct message *m)
{
	u32 count, i;

	memset(m, 0, sizeof(*m));
	if (size < 4)
		return 0;
	m->header.request = data[0] % 40;
	m->header.flags = VHOST_USER_VERSION |
			  (data[1] & 1 ? VHOST_USER_NEED_REPLY : 0);
	m->header.size = (data[2] | data[3] << 8) % (sizeof(m->payload) + 1);
	count = (data[1] >> 1) % (MESSAGE_FDS + 1);
	for (i = 0; i < count; i++)
		m->fds[m->fd_count++] = some_fd((data[1] >> 5) + i);
	count = min_t(size_t, size - 4, m->header.size);
	memcpy(&m->payload, data + 4, count);
	return 4 + count;
}

static void drain(int socket)
{
	char control[CMSG_SPACE(8 * sizeof(int))], bytes[512];
	struct iovec iov = { bytes, sizeof(bytes) };
	struct msghdr h = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
	};
	struct cmsghdr *c;
	int fd;

	for (;;) {
		h.msg_controllen = sizeof(control);
		if (recvmsg(socket, &h, MSG_DONTWAIT) <= 0)
			return;
		c = CMSG_FIRSTHDR(&h);
		if (!c)
			continue;
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
		close(fd);
	}
}

static void give(struct frontend *frontend, u32 request, const void *payload,
		 u32 size, int fd)
{
	struct message m = {
		.header = { request, VHOST_USER_VERSION, size },
		.fds = { fd },
		.fd_count = fd >= 0,
	};

	memcpy(&m.payload, payload, size);
	require(!frontend_message(frontend, &m));
	message_end(&m);
}

/* A ring of 16 with this in its memory, which is served. */
static void start_ring(struct frontend *frontend, const u8 *data, size_t size)
{
	const u64 features = VHOST_USER_F_VERSION_1 |
			     VHOST_USER_F_PROTOCOL_FEATURES;
	const struct message_memory table = {
		.count = 1,
		.regions[0] = { .size = MEMORY_BYTES },
	};
	const struct message_addr addr = { .avail = 0x100, .used = 0x200 };
	const struct message_state num = { 0, 16 }, on = { 0, 1 };
	const u64 index = 0, one = 1;
	int memory = some_fd(1), kick = some_fd(0);

	require(pwrite(memory, data, min_t(size_t, size, MEMORY_BYTES), 0) >= 0);
	require(write(kick, &one, sizeof(one)) == sizeof(one));
	give(frontend, VHOST_USER_SET_FEATURES, &features, 8, -1);
	give(frontend, VHOST_USER_SET_MEM_TABLE, &table, 40, memory);
	give(frontend, VHOST_USER_SET_VRING_NUM, &num, 8, -1);
	give(frontend, VHOST_USER_SET_VRING_ADDR, &addr, sizeof(addr), -1);
	give(frontend, VHOST_USER_SET_VRING_KICK, &index, 8, kick);
	give(frontend, VHOST_USER_SET_VRING_CALL, &index, 8, some_fd(0));
	give(frontend, VHOST_USER_SET_VRING_ENABLE, &on, 8, -1);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct frontend frontend;
	struct message m;
	int fds[2], err = 0;
	size_t n;

	require(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	frontend_begin(&frontend, &device, &serve, fds[1], true);
	/* The first byte says whether there is a ring, and how much is for it. */
	if (size && *data) {
		n = min_t(size_t, size - 1, *data * 16);
		start_ring(&frontend, data + 1, n);
		data += n;
		size -= n;
	}
	while (!err && (n = take_message(data, size, &m))) {
		data += n;
		size -= n;
		err = frontend_message(&frontend, &m);
		message_end(&m);
		drain(fds[0]);
	}
	frontend_end(&frontend, size % 2);
	memory_found();
	close(fds[0]);
	return 0;
}
