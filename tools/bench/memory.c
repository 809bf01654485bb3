// SPDX-License-Identifier: GPL-2.0
/*
 * Copy, fill and xor on the device against what a process does best with the same number of
 * bytes, in the same guest.
 *
 * usage: bench-memory OUT [rounds]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accel.h"
#include "measure.h"

#define VALUE	0x5a

struct pair {
	void *to;
	const void *from;
	size_t bytes;
};

static void run_memcpy(void *arg)
{
	const struct pair *p = arg;

	memcpy(p->to, p->from, p->bytes);
}

static void run_movsb(void *arg)
{
	const struct pair *p = arg;
	void *to = p->to;
	const void *from = p->from;
	size_t bytes = p->bytes;

	asm volatile("rep movsb" : "+D" (to), "+S" (from), "+c" (bytes) : : "memory");
}

static void run_memset(void *arg)
{
	const struct pair *p = arg;

	memset(p->to, VALUE, p->bytes);
}

static void run_stosb(void *arg)
{
	const struct pair *p = arg;
	void *to = p->to;
	size_t bytes = p->bytes;

	asm volatile("rep stosb" : "+D" (to), "+c" (bytes) : "a" (VALUE) : "memory");
}

enum { COPY, FILL, XOR, MEMCPY, MOVSB, MEMSET, STOSB, CANDIDATES };

struct memory {
	struct vacc_buffer from;
	struct vacc_buffer to;
	struct job jobs[3];
	struct pair pair;
};

static void memory_new(struct memory *memory, struct accel *accel, size_t bytes)
{
	struct vacc_ref_artifact copy, fill, xor;
	struct job *jobs = memory->jobs;

	memset(memory, 0, sizeof(*memory));
	accel_buffer(accel, bytes, false, &memory->from);
	accel_buffer(accel, bytes, false, &memory->to);
	vacc_ref_copy(&copy, 0, 1);
	vacc_ref_fill(&fill, 0, VALUE);
	vacc_ref_xor(&xor, 0, VALUE);
	accel_job(&jobs[COPY], accel, &copy);
	accel_bind(&jobs[COPY], &memory->from, 0, VIRTIO_ACCEL_ACCESS_READ);
	accel_bind(&jobs[COPY], &memory->to, 1, VIRTIO_ACCEL_ACCESS_WRITE);
	accel_job(&jobs[FILL], accel, &fill);
	accel_bind(&jobs[FILL], &memory->to, 0, VIRTIO_ACCEL_ACCESS_WRITE);
	accel_job(&jobs[XOR], accel, &xor);
	accel_bind(&jobs[XOR], &memory->to, 0, VIRTIO_ACCEL_ACCESS_READ_WRITE);
	memory->pair = (struct pair){ allocate(bytes), allocate(bytes), bytes };
}

static void memory_end(struct memory *memory)
{
	struct accel *accel = memory->jobs[0].accel;
	int i;

	for (i = 0; i < 3; i++)
		accel_job_end(&memory->jobs[i]);
	accel_need(accel, vacc_buffer_destroy(&memory->from), "destroy a buffer");
	accel_need(accel, vacc_buffer_destroy(&memory->to), "destroy a buffer");
	free(memory->pair.to);
	free((void *)memory->pair.from);
}

static const struct candidate *faster(const struct candidate *a, const struct candidate *b)
{
	return bench_median(a) < bench_median(b) ? a : b;
}

static void measure_size(struct accel *accel, size_t bytes, const char *shape,
			 unsigned int rounds, double goal, double xor_goal)
{
	struct memory memory;
	struct candidate all[CANDIDATES] = {
		[COPY] = { "copy", accel_run, &memory.jobs[COPY], .work = bytes },
		[FILL] = { "fill", accel_run, &memory.jobs[FILL], .work = bytes },
		[XOR] = { "xor", accel_run, &memory.jobs[XOR], .work = bytes },
		[MEMCPY] = { "memcpy", run_memcpy, &memory.pair, .work = bytes },
		[MOVSB] = { "rep movsb", run_movsb, &memory.pair, .work = bytes },
		[MEMSET] = { "memset", run_memset, &memory.pair, .work = bytes },
		[STOSB] = { "rep stosb", run_stosb, &memory.pair, .work = bytes },
	};

	memory_new(&memory, accel, bytes);
	bench_take_turns(all, CANDIDATES, rounds);
	bench_rate_row("memory: copy", shape, &all[COPY], faster(&all[MEMCPY], &all[MOVSB]),
		       BENCH_GBS, goal);
	bench_rate_row("memory: fill", shape, &all[FILL], faster(&all[MEMSET], &all[STOSB]),
		       BENCH_GBS, goal);
	bench_rate_row("memory: xor", shape, &all[XOR], faster(&all[MEMCPY], &all[MOVSB]),
		       BENCH_GBS, xor_goal);
	memory_end(&memory);
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 2 ? atoi(argv[2]) : 21;
	struct accel accel;

	bench_open(argc > 1 ? argv[1] : NULL);
	accel_open(&accel);
	measure_size(&accel, 1 << 20, "1 MiB", rounds, 0, 0);
	measure_size(&accel, 64 << 20, "64 MiB", rounds, 0.95, 0.8);
	accel_close(&accel);
	return 0;
}
