// SPDX-License-Identifier: GPL-2.0
/*
 * Random ioctls on a device that comes and goes.
 *
 * A round adds a device of its own.  Some threads share a few files of it and do
 * everything that the interface has, with arguments that are good for the most
 * part and then spoiled; one of them holds, fails and loses work, closes files, and
 * may unplug the device.  One thread has a file for itself, where whatever succeeds
 * must be right.
 *
 * Every call must return 0 or an errno that the interface knows, in bounded time,
 * and nothing may be left at the end.
 */
#define _GNU_SOURCE
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "call.h"

#define FILES		3
#define THREADS		4
/* Far from all else, so that a spoiled address hits nothing of ours. */
#define ARENA_AT	0x2000000000ULL

int node = -1;
bool may_fork;

static struct shared files[FILES];
static struct vacc_stats before;	/* of the device that stays */

/* What is done more often stands here more often. */
static void (* const doings[])(struct thread *t) = {
	do_info, do_context, do_buffer, do_buffer, do_queue, do_program, do_program,
	do_destroy, do_destroy, do_cancel, do_transfer, do_transfer, do_transfer, do_query,
	do_sync, do_submit, do_submit, do_submit, do_submit, do_submit, do_submit_many,
	do_wait, do_wait, do_export, do_attribution, do_map, do_read, do_read, do_fork,
	do_close,
};

static void *play(void *arg)
{
	struct thread *t = arg;

	while (!round_over()) {
		t->file = &files[rng_below(&t->r, FILES)];
		doings[rng_below(&t->r, sizeof(doings) / sizeof(doings[0]))](t);
	}
	if (t->fence >= 0)
		close(t->fence);
	return NULL;
}

static int run(uint64_t seed)
{
	pthread_t ids[THREADS + 2];
	struct thread threads[THREADS + 2] = {};
	unsigned int i;

	may_fork = !round_is_killed(seed);
	for (i = 0; i < FILES; i++)
		files[i].fd = -1;
	for (i = 0; i < THREADS + 2; i++) {
		struct thread *t = &threads[i];

		t->r = rng_of(seed, i);
		t->fence = -1;
		/* A hole behind each arena. */
		t->arena = mmap((void *)(uintptr_t)(ARENA_AT + 3ULL * i * ARENA_BYTES),
				ARENA_BYTES, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (t->arena == MAP_FAILED)
			FAIL("no memory");
		t->file = &files[i % FILES];
		if (i < FILES)
			open_file(t);
		if (pthread_create(&ids[i], NULL, i < THREADS ? play :
				   i == THREADS ? disturb : judge, t))
			FAIL("no thread");
	}
	for (i = 0; i < THREADS + 2; i++)
		pthread_join(ids[i], NULL);
	for (i = 0; i < FILES; i++)
		if (files[i].fd >= 0)
			close(files[i].fd);
	return 0;
}

static int begin(uint64_t seed)
{
	int spare;

	(void)seed;
	if (node < 0) {
		spare = vt_open_node(vt_node());
		if (spare < 0 || vt_settle(spare, NULL) || vt_get_stats(spare, &before))
			return 1;
		close(spare);
		if (round_limits("1000", "3000"))
			return 1;
	}
	node = vt_mock_add();
	return node < 0;
}

static int balanced(const struct vacc_stats *s)
{
	return s->submitted == s->completed + s->failed + s->cancelled;
}

/* The device of the round is empty, if it is there; the other has not changed. */
static int end(uint64_t seed)
{
	static const struct vacc_object_counts none;
	struct vacc_stats stats;
	int fd, bad = 0;

	(void)seed;
	vt_release_all(node);
	fd = vt_open_node(node);
	if (fd >= 0) {
		bad = vt_settle(fd, NULL);
		if (!bad && !vt_get_stats(fd, &stats))
			bad = memcmp(&stats.live, &none, sizeof(none)) || stats.live_bytes ||
			      stats.scratch_bytes || stats.live_allocations ||
			      !balanced(&stats);
		if (bad == -ENODEV || bad == -EIO)
			bad = 0;
		close(fd);
	}
	vt_mock_remove(node);
	fd = vt_open_node(vt_node());
	bad |= fd < 0 || vt_settle(fd, &before);
	close(fd);
	return bad;
}

int main(int argc, char **argv)
{
	static const struct round_ops ops = {
		.begin = begin,
		.run = run,
		.end = end,
		.kill = true,
		.ms = 1500,
	};

	return round_main(argc, argv, &ops);
}
