// SPDX-License-Identifier: GPL-2.0
/* The file itself: opened, closed, read, asked. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "call.h"

void do_info(struct thread *t)
{
	struct vacc_get_info *info = arena(t, sizeof(*info));
	struct vacc_stats *stats = arena(t, sizeof(*stats));
	struct vacc_last_error *last = arena(t, sizeof(*last));

	info->formats = (struct vacc_array){
		2, sizeof(struct vacc_format), address(arena(t, 128)),
	};
	call(t, VACC_GET_INFO, info, sizeof(*info));
	call(t, VACC_STATS, stats, sizeof(*stats));
	call(t, VACC_LAST_ERROR, last, sizeof(*last));
}

/* Reading and polling never wait here: no file is without O_NONBLOCK. */
void do_read(struct thread *t)
{
	struct pollfd p = { t->file->fd, POLLIN | POLLOUT, 0 };
	void *to = arena(t, 1024);

	poll(&p, 1, rng_below(&t->r, 3));
	if (read(t->file->fd, to, rng_below(&t->r, 1024)) < 0 && !known_errno(errno))
		FAIL("read: errno %d", errno);
}

/*
 * Not where the round is killed: a fork that is killed midway trips the UML kernel
 * itself, whose flush_tlb_mm() does not expect an address space copied in part.
 */
void do_fork(struct thread *t)
{
	pid_t pid = may_fork && rng_one_in(&t->r, 8) ? fork() : -1;

	if (!pid)
		_exit(0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* What stands anywhere in a pool stands everywhere. */
static void spread(struct thread *t, enum object kind)
{
	unsigned int i, from = POOL - 1;

	for (i = 0; i < 2 * POOL; i++) {
		if (t->file->pool[kind][i % POOL])
			from = i % POOL;
		t->file->pool[kind][i % POOL] = t->file->pool[kind][from];
	}
}

/* A new file, with something of everything in it. */
void open_file(struct thread *t)
{
	unsigned int i;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/virtio-accel%d", node);
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	fd = __atomic_exchange_n(&t->file->fd, fd, __ATOMIC_RELAXED);
	if (fd >= 0)
		close(fd);
	memset(t->file->pool, 0, sizeof(t->file->pool));
	t->honest = true;
	do_context(t);
	do_context(t);
	spread(t, CONTEXT);
	for (i = 0; i < 8; i++) {
		do_buffer(t);
		do_program(t);
	}
	do_queue(t);
	do_queue(t);
	spread(t, BUFFER);
	spread(t, PROGRAM);
	spread(t, QUEUE);
	t->honest = false;
}

void do_close(struct thread *t)
{
	if (rng_one_in(&t->r, 10))
		open_file(t);
}
