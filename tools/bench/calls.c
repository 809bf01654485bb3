// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <linux/if_alg.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/vacc.h>

#include "calls.h"
#include "measure.h"

#define NO_SUCH_IOCTL	_IO(VACC_IOC_MAGIC, 0xff)

void calls_null_ioctl(void *fd)
{
	if (!ioctl(*(int *)fd, NO_SUCH_IOCTL, 0))
		die("an ioctl that does not exist succeeded");
}

struct ping {
	pthread_t thread;
	int there;
	int back;
};

/* A value of 2 is the last. */
static void *ping_thread(void *arg)
{
	struct ping *ping = arg;
	uint64_t value;

	do {
		if (read(ping->there, &value, sizeof(value)) != sizeof(value) ||
		    write(ping->back, &value, sizeof(value)) != sizeof(value))
			die("an eventfd failed");
	} while (value == 1);
	return NULL;
}

struct ping *ping_new(void)
{
	struct ping *ping = allocate(sizeof(*ping));

	ping->there = eventfd(0, EFD_CLOEXEC);
	ping->back = eventfd(0, EFD_CLOEXEC);
	if (ping->there < 0 || ping->back < 0 ||
	    pthread_create(&ping->thread, NULL, ping_thread, ping))
		die("cannot start a thread");
	return ping;
}

static void ping_send(struct ping *ping, uint64_t value)
{
	if (write(ping->there, &value, sizeof(value)) != sizeof(value) ||
	    read(ping->back, &value, sizeof(value)) != sizeof(value))
		die("an eventfd failed");
}

void ping_run(void *ping)
{
	ping_send(ping, 1);
}

void ping_end(struct ping *ping)
{
	ping_send(ping, 2);
	pthread_join(ping->thread, NULL);
	close(ping->there);
	close(ping->back);
	free(ping);
}

/* The kernel does not export these. */
struct sw_sync_fence {
	uint32_t value;
	char name[32];
	int32_t fence;
};

#define SW_SYNC_CREATE	_IOWR('W', 0, struct sw_sync_fence)
#define SW_SYNC_INC	_IOW('W', 1, uint32_t)

int sw_sync_open(void)
{
	return open("/sys/kernel/debug/sync/sw_sync", O_RDWR | O_CLOEXEC);
}

void sw_sync_run(void *arg)
{
	static uint32_t value;
	struct sw_sync_fence fence = { .value = ++value, .name = "bench" };
	uint32_t one = 1;
	struct pollfd poll_fd;

	if (ioctl(*(int *)arg, SW_SYNC_CREATE, &fence) || ioctl(*(int *)arg, SW_SYNC_INC, &one))
		die("sw_sync failed");
	poll_fd = (struct pollfd){ fence.fence, POLLIN, 0 };
	if (poll(&poll_fd, 1, -1) != 1)
		die("a fence of sw_sync was not signalled");
	close(fence.fence);
}

struct ring {
	int fd;
	struct io_uring_sqe *entries;
	uint32_t *tail;
	uint32_t *array;
	uint32_t mask;
	uint32_t *done_head;
	uint32_t *done_tail;
};

static void *ring_map(int fd, size_t bytes, uint64_t offset)
{
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
			 offset);

	if (map == MAP_FAILED)
		die("cannot map an io_uring");
	return map;
}

struct ring *ring_new(void)
{
	struct io_uring_params params = {};
	struct ring *ring = allocate(sizeof(*ring));
	char *submit, *done;

	ring->fd = syscall(__NR_io_uring_setup, 4, &params);
	if (ring->fd < 0) {
		free(ring);
		return NULL;
	}
	submit = ring_map(ring->fd, params.sq_off.array + params.sq_entries * 4,
			  IORING_OFF_SQ_RING);
	done = ring_map(ring->fd, params.cq_off.cqes +
			params.cq_entries * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);
	ring->entries = ring_map(ring->fd, params.sq_entries * sizeof(struct io_uring_sqe),
				 IORING_OFF_SQES);
	ring->tail = (void *)(submit + params.sq_off.tail);
	ring->array = (void *)(submit + params.sq_off.array);
	ring->mask = params.sq_entries - 1;
	ring->done_head = (void *)(done + params.cq_off.head);
	ring->done_tail = (void *)(done + params.cq_off.tail);
	return ring;
}

void ring_run(void *arg)
{
	struct ring *ring = arg;
	uint32_t slot = *ring->tail & ring->mask;

	memset(&ring->entries[slot], 0, sizeof(ring->entries[slot]));
	ring->entries[slot].opcode = IORING_OP_NOP;
	ring->array[slot] = slot;
	__atomic_store_n(ring->tail, *ring->tail + 1, __ATOMIC_RELEASE);
	if (syscall(__NR_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		die("an io_uring took nothing");
	if (__atomic_load_n(ring->done_tail, __ATOMIC_ACQUIRE) == *ring->done_head)
		die("an io_uring returned nothing");
	__atomic_store_n(ring->done_head, *ring->done_head + 1, __ATOMIC_RELEASE);
}

int alg_open(void)
{
	struct sockaddr_alg address = {
		.salg_family = AF_ALG, .salg_type = "skcipher", .salg_name = "ecb(cipher_null)",
	};
	int listening = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), fd = -1;

	if (listening < 0)
		return -1;
	if (!bind(listening, (struct sockaddr *)&address, sizeof(address)) &&
	    !setsockopt(listening, SOL_ALG, ALG_SET_KEY, "", 0))
		fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
	close(listening);
	return fd;
}

void alg_run(void *arg)
{
	static char data[4096];

	if (write(*(int *)arg, data, sizeof(data)) != sizeof(data) ||
	    read(*(int *)arg, data, sizeof(data)) != sizeof(data))
		die("the null cipher failed");
}
