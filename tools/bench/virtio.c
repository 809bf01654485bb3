// SPDX-License-Identifier: GPL-2.0
/*
 * The virtio backend over the loopback device: notifications that it takes to write, how fast
 * it writes, and commands that are sent ahead of their answers.
 *
 * usage: bench-virtio OUT [rounds]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "accel.h"
#include "measure.h"

#define BIG	(64UL << 20)
#define MANY	64
#define PENDING	4000

struct notes {
	unsigned long long kicks;
	unsigned long long interrupts;
	unsigned long long taken;
};

static struct notes notes_now(const struct accel *accel)
{
	return (struct notes){
		accel_counter(accel, "ring", "kicks"),
		accel_counter(accel, "ring", "interrupts"),
		accel_counter(accel, "ring", "taken"),
	};
}

/* At least one of either is needed; the ratio is that one over what it took. */
static void measure_notes(struct accel *accel, size_t bytes)
{
	struct notes before, after;
	struct vacc_buffer buffer;
	void *data = allocate(bytes);
	double kicks, interrupts;
	char shape[32];

	accel_buffer(accel, bytes, false, &buffer);
	before = notes_now(accel);
	accel_need(accel, vacc_buffer_write(&buffer, 0, data, bytes), "write");
	after = notes_now(accel);
	kicks = after.kicks - before.kicks;
	interrupts = after.interrupts - before.interrupts;
	snprintf(shape, sizeof(shape), "%zu KiB", bytes >> 10);
	bench_row("virtio: kicks of a write", shape, kicks, 1, "one", BENCH_COUNT, 1 / kicks, 1);
	bench_row("virtio: interrupts of a write", shape, interrupts, 1, "one", BENCH_COUNT,
		  1 / interrupts, 1);
	accel_need(accel, vacc_buffer_destroy(&buffer), "destroy a buffer");
	free(data);
}

struct writing {
	struct accel *accel;
	struct vacc_buffer buffer;
	void *data;
	void *other;
};

static void run_write(void *arg)
{
	struct writing *w = arg;

	accel_need(w->accel, vacc_buffer_write(&w->buffer, 0, w->data, BIG), "write");
}

static void run_memcpy(void *arg)
{
	struct writing *w = arg;

	memcpy(w->other, w->data, BIG);
}

static void measure_writing(struct accel *accel, unsigned int rounds)
{
	struct writing writing = { accel, .data = allocate(BIG), .other = allocate(BIG) };
	struct candidate all[] = {
		{ .name = "write", .run = run_write, .arg = &writing, .work = BIG },
		{ .name = "memcpy", .run = run_memcpy, .arg = &writing, .work = BIG },
	};

	accel_buffer(accel, BIG, false, &writing.buffer);
	bench_take_turns(all, 2, rounds);
	bench_rate_row("virtio: writing", "64 MiB", &all[0], &all[1], BENCH_GBS, 0.8);
	accel_need(accel, vacc_buffer_destroy(&writing.buffer), "destroy a buffer");
	free(writing.data);
	free(writing.other);
}

/* Submissions that do nothing: the argument of SUBMIT_MANY is built once. */
struct crowd {
	struct job job;
	struct vacc_binding binding;
	struct vacc_submit *submits;
	unsigned int count;
};

static void crowd_new(struct crowd *crowd, struct accel *accel, struct vacc_buffer *buffer,
		      unsigned int count, unsigned int flags)
{
	struct vacc_ref_artifact artifact;
	unsigned int i;

	vacc_ref_barrier(&artifact, 0);
	accel_job(&crowd->job, accel, &artifact);
	accel_bind(&crowd->job, buffer, 0, VIRTIO_ACCEL_ACCESS_READ);
	crowd->binding = (struct vacc_binding){
		.buffer = buffer->handle, .access = VIRTIO_ACCEL_ACCESS_READ,
		.bytes = buffer->bytes,
	};
	crowd->count = count;
	crowd->submits = allocate(count * sizeof(*crowd->submits));
	for (i = 0; i < count; i++)
		crowd->submits[i] = (struct vacc_submit){
			.size = sizeof(struct vacc_submit), .flags = flags,
			.queue = accel->queue.handle, .program = crowd->job.program.handle,
			.bindings = { 1, sizeof(struct vacc_binding), (uintptr_t)&crowd->binding },
		};
}

static void crowd_submit(struct crowd *crowd)
{
	struct vacc_submit_many many = {
		.size = sizeof(many),
		.submits = { crowd->count, sizeof(struct vacc_submit), (uintptr_t)crowd->submits },
	};

	accel_need(crowd->job.accel, vacc_ioctl(crowd->job.accel->dev, VACC_SUBMIT_MANY, &many),
		   "submit many");
	if (many.done != crowd->count)
		die("%u of %u were submitted", many.done, crowd->count);
}

static void crowd_sync(struct crowd *crowd)
{
	__u32 status;

	accel_need(crowd->job.accel, vacc_queue_sync(crowd->job.accel->dev,
						     &crowd->job.accel->queue, VACC_NO_DEADLINE,
						     &status), "wait for a queue");
}

static void run_many(void *arg)
{
	crowd_submit(arg);
	crowd_sync(arg);
}

static void run_one_at_a_time(void *arg)
{
	struct crowd *crowd = arg;
	unsigned int i;

	for (i = 0; i < crowd->count; i++)
		accel_run(&crowd->job);
}

static void measure_pipeline(struct accel *accel, unsigned int rounds)
{
	struct vacc_buffer buffer;
	struct crowd crowd;
	struct candidate all[] = {
		{ .name = "64 in one call", .run = run_many, .arg = &crowd, .work = MANY },
		{ .name = "one at a time", .run = run_one_at_a_time, .arg = &crowd, .work = MANY },
	};

	accel_buffer(accel, 4096, false, &buffer);
	crowd_new(&crowd, accel, &buffer, MANY, VACC_SUBMIT_AUTO_DESTROY);
	bench_take_turns(all, 2, rounds);
	bench_row("virtio: commands sent ahead", "64 no-ops", MANY / bench_median(&all[0]),
		  MANY / bench_median(&all[1]), all[1].name, BENCH_PER_S,
		  bench_median(&all[1]) / bench_median(&all[0]), 4);
	free(crowd.submits);
	accel_job_end(&crowd.job);
	accel_need(accel, vacc_buffer_destroy(&buffer), "destroy a buffer");
}

/* Polls of events that the device holds: requests that a kick announces. */
static void measure_polls(struct accel *accel)
{
	struct timespec second = { 1, 0 };
	struct notes before, after;
	struct vacc_buffer buffer;
	struct crowd crowd;
	double polls, kicks;

	accel_buffer(accel, 4096, false, &buffer);
	crowd_new(&crowd, accel, &buffer, PENDING, VACC_SUBMIT_AUTO_DESTROY | VACC_SUBMIT_RECORD);
	accel_control(accel, "hold", "1");
	crowd_submit(&crowd);
	before = notes_now(accel);
	nanosleep(&second, NULL);
	after = notes_now(accel);
	accel_control(accel, "release", "1");
	crowd_sync(&crowd);
	polls = after.taken - before.taken;
	kicks = after.kicks - before.kicks;
	bench_row("virtio: polls of 4000 pending events", "in a second", polls, kicks, "kicks",
		  BENCH_COUNT, kicks ? polls / kicks : 0, 0);
	free(crowd.submits);
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 2 ? atoi(argv[2]) : BENCH_ROUNDS;
	struct accel accel;
	size_t bytes;

	bench_open(argc > 1 ? argv[1] : NULL);
	accel_open(&accel);
	for (bytes = 64 << 10; bytes <= 512 << 10; bytes *= 2)
		measure_notes(&accel, bytes);
	measure_writing(&accel, rounds);
	measure_pipeline(&accel, rounds);
	measure_polls(&accel);
	accel_close(&accel);
	return 0;
}
