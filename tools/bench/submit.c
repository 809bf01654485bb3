// SPDX-License-Identifier: GPL-2.0
/*
 * What a submission costs that does nothing: in the caller, or where the device was made with
 * inline_limit=0 through a worker; and with thousands of them in flight.
 *
 * usage: bench-submit OUT [rounds]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "accel.h"
#include "calls.h"
#include "measure.h"

#define CONTEXTS	3
#define BLOCK		500	/* submissions that are timed together */
#define BLOCKS		20
#define IN_FLIGHT	(BLOCK * BLOCKS)
#define EVENT_BYTES	768	/* goal for one live event */

static void barrier(struct job *job, struct accel *accel, struct vacc_buffer *buffer)
{
	struct vacc_ref_artifact artifact;

	vacc_ref_barrier(&artifact, 0);
	accel_buffer(accel, 4096, false, buffer);
	accel_job(job, accel, &artifact);
	accel_bind(job, buffer, 0, VIRTIO_ACCEL_ACCESS_READ);
}

static void measure_call(struct accel *accel, unsigned int rounds)
{
	bool here = accel->info.inline_limit;
	struct ping *ping = ping_new();
	struct ring *ring = ring_new();
	int fd = vacc_fd(accel->dev), sync = sw_sync_open(), alg = alg_open();
	struct candidate all[] = {
		{ "device", accel_run, NULL },
		{ "ioctl that does nothing", calls_null_ioctl, &fd },
		{ "eventfd there and back", ping_run, ping },
		{ "io_uring NOP", ring_run, ring },
		{ "sw_sync create, signal, wait", sw_sync_run, &sync },
		{ "AF_ALG cipher_null, 4 KiB", alg_run, &alg },
	};
	const bool there[] = { true, true, true, ring, sync >= 0, alg >= 0 };
	const unsigned int count = sizeof(all) / sizeof(all[0]);
	const char *name = here ? "submit: in the caller" : "submit: through a worker";
	struct candidate turns[6];
	unsigned int i, n = 0;
	struct vacc_buffer buffer;
	struct job job;

	barrier(&job, accel, &buffer);
	all[0].arg = &job;
	for (i = 0; i < count; i++)
		if (there[i])
			turns[n++] = all[i];
	bench_take_turns(turns, n, rounds);
	/* At most 1.5 times an ioctl, or 1.2 times a message to another thread. */
	bench_time_row(name, "no-op, one call", &turns[0], &turns[1], here ? 1 / 1.5 : 0);
	bench_time_row(name, "no-op, one call", &turns[0], &turns[2], here ? 0 : 1 / 1.2);
	for (i = 3; i < n; i++)
		bench_time_row(name, "no-op, one call", &turns[0], &turns[i], 0);
	ping_end(ping);
	accel_job_end(&job);
	accel_need(accel, vacc_buffer_destroy(&buffer), "destroy a buffer");
}

struct flight {
	struct accel accels[CONTEXTS];
	struct job jobs[CONTEXTS];
	struct vacc_buffer buffers[CONTEXTS];
	struct vacc_event events[IN_FLIGHT];
};

static void flight_new(struct flight *flight, const struct accel *accel)
{
	int i;

	for (i = 0; i < CONTEXTS; i++) {
		flight->accels[i] = *accel;
		accel_need(accel, vacc_context_create(accel->dev, &flight->accels[i].context),
			   "create a context");
		accel_need(accel, vacc_queue_create(&flight->accels[i].context,
						    &flight->accels[i].queue), "create a queue");
		barrier(&flight->jobs[i], &flight->accels[i], &flight->buffers[i]);
	}
}

static void flight_submit(struct flight *flight, unsigned int index)
{
	static const struct vacc_submit_options options = { .flags = VACC_SUBMIT_RECORD };
	struct job *job = &flight->jobs[index % CONTEXTS];

	accel_need(job->accel, vacc_submit(&job->accel->queue, &job->program, job->binds,
					   job->count, &options, &flight->events[index]),
		   "submit");
}

static void flight_land(struct flight *flight, const struct accel *accel)
{
	struct vacc_record records[64];
	ssize_t got;
	unsigned int i, left = IN_FLIGHT;

	while (left) {
		got = read(vacc_fd(accel->dev), records, sizeof(records));
		if (got <= 0)
			die("cannot read records");
		left -= got / sizeof(records[0]);
	}
	for (i = 0; i < IN_FLIGHT; i++)
		accel_need(accel, vacc_event_destroy(&flight->events[i]), "destroy an event");
}

static long meminfo(const char *name)
{
	FILE *stream = fopen("/proc/meminfo", "r");
	char word[64];
	long kib, found = -1;

	while (stream && fscanf(stream, "%63s %ld%*[^\n]", word, &kib) == 2)
		if (!strcmp(word, name))
			found = kib;
	if (stream)
		fclose(stream);
	return found;
}

/* Blocks of submissions while the device holds everything. */
static void flight_blocks(struct flight *flight, double *ns)
{
	unsigned int i, block;
	double start;

	for (block = 0; block < BLOCKS; block++) {
		start = bench_now();
		for (i = 0; i < BLOCK; i++)
			flight_submit(flight, block * BLOCK + i);
		ns[block] = (bench_now() - start) / BLOCK;
	}
}

static void measure_flight(struct accel *accel, unsigned int rounds)
{
	struct flight *flight = allocate(sizeof(*flight));
	double ns[BLOCKS], first[BENCH_ROUNDS], last[BENCH_ROUNDS], bytes[BENCH_ROUNDS];
	unsigned int round;
	long before;
	double few, many, per_event;

	if (rounds > BENCH_ROUNDS)
		rounds = BENCH_ROUNDS;
	flight_new(flight, accel);
	for (round = 0; round < rounds; round++) {
		accel_control(accel, "hold", "1");
		before = meminfo("Slab:") + meminfo("VmallocUsed:");
		flight_blocks(flight, ns);
		bytes[round] = (meminfo("Slab:") + meminfo("VmallocUsed:") - before) * 1024.0 /
			       IN_FLIGHT;
		first[round] = ns[0];
		last[round] = ns[BLOCKS - 1];
		accel_control(accel, "release", "1");
		flight_land(flight, accel);
	}
	few = bench_middle(first, rounds) / 1e3;
	many = bench_middle(last, rounds) / 1e3;
	per_event = bench_middle(bytes, rounds);
	bench_row("submit: cost with many in flight", "after 9500 against the first 500", many, few,
		  "few in flight", BENCH_US, few / many, 0.9);
	bench_row("submit: memory of a live event", "one binding, a record", per_event,
		  EVENT_BYTES, "allowed", BENCH_BYTES, EVENT_BYTES / per_event, 1);
	free(flight);
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 2 ? atoi(argv[2]) : BENCH_ROUNDS;
	struct accel accel;

	bench_open(argc > 1 ? argv[1] : NULL);
	accel_open(&accel);
	measure_call(&accel, rounds);
	if (accel.info.inline_limit)
		measure_flight(&accel, rounds / 3 + 1);
	accel_close(&accel);
	return 0;
}
