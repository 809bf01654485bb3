// SPDX-License-Identifier: GPL-2.0
/*
 * Handles: what it costs to find one and to make one, in a file that has ten objects and in
 * one that has a hundred thousand.
 *
 * usage: bench-handles OUT [rounds]
 */
#include <stdio.h>
#include <stdlib.h>

#include "accel.h"
#include "measure.h"

#define FEW		10
#define MANY		100000
#define PER_CONTEXT	4000

struct crowd {
	struct accel accel;
	struct vacc_event *events;
	unsigned int count;
	unsigned int at;
};

/* Events that have ended stay objects until they are destroyed. */
static void crowd_part(struct crowd *crowd, unsigned int count)
{
	struct accel part = crowd->accel;
	struct vacc_ref_artifact artifact;
	struct vacc_buffer buffer;
	struct job job;

	accel_need(&part, vacc_context_create(part.dev, &part.context), "create a context");
	accel_need(&part, vacc_queue_create(&part.context, &part.queue), "create a queue");
	vacc_ref_barrier(&artifact, 0);
	accel_buffer(&part, 64, false, &buffer);
	accel_job(&job, &part, &artifact);
	accel_bind(&job, &buffer, 0, VIRTIO_ACCEL_ACCESS_READ);
	while (count--)
		accel_need(&part, vacc_submit(&part.queue, &job.program, job.binds, job.count, NULL,
					      &crowd->events[crowd->count++]), "submit");
}

static void crowd_new(struct crowd *crowd, unsigned int count)
{
	unsigned int part;

	accel_open(&crowd->accel);
	crowd->events = allocate(count * sizeof(*crowd->events));
	crowd->count = 0;
	crowd->at = 0;
	for (; count; count -= part) {
		part = count < PER_CONTEXT ? count : PER_CONTEXT;
		crowd_part(crowd, part);
	}
}

static void crowd_end(struct crowd *crowd)
{
	accel_close(&crowd->accel);
	free(crowd->events);
}

/* Steps of a prime visit all of them in an order that no cache foresees. */
static void run_find(void *arg)
{
	struct crowd *crowd = arg;

	crowd->at = (crowd->at + 7919) % crowd->count;
	accel_need(&crowd->accel, vacc_event_query(crowd->accel.dev, &crowd->events[crowd->at],
						   NULL), "query an event");
}

static void run_create(void *arg)
{
	struct crowd *crowd = arg;
	struct vacc_queue queue;

	accel_need(&crowd->accel, vacc_queue_create(&crowd->accel.context, &queue),
		   "create a queue");
	accel_need(&crowd->accel, vacc_queue_destroy(&queue), "destroy a queue");
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 2 ? atoi(argv[2]) : BENCH_ROUNDS;
	struct crowd few, many;
	struct candidate all[] = {
		{ .name = "10 objects", .run = run_find, .arg = &few },
		{ .name = "100 000 objects", .run = run_find, .arg = &many },
		{ .name = "10 objects", .run = run_create, .arg = &few },
		{ .name = "100 000 objects", .run = run_create, .arg = &many },
	};

	bench_open(argc > 1 ? argv[1] : NULL);
	crowd_new(&few, FEW);
	crowd_new(&many, MANY);
	bench_take_turns(all, 4, rounds);
	bench_least_row("handles: find", "100 000 objects", &all[1], &all[0], 0.9);
	bench_least_row("handles: create and destroy", "100 000 objects", &all[3], &all[2], 0.9);
	crowd_end(&many);
	crowd_end(&few);
	return 0;
}
