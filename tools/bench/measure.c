// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure.h"

#define NS		1e9
#define SHORTEST	0.002	/* seconds that one measurement takes at least */
#define LONGEST		0.2	/* of these, those that slower candidates ask of quicker ones */
#define MOST_INNER	100000

static FILE *rows;
static clockid_t clock_used = CLOCK_MONOTONIC;

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("bench: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

void *allocate(size_t bytes)
{
	void *memory = NULL;

	/* Whole pages that are there: no candidate shall meet page faults. */
	if (posix_memalign(&memory, 4096, bytes ? bytes : 1))
		die("out of memory");
	memset(memory, 0, bytes);
	return memory;
}

double bench_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS + now.tv_nsec;
}

void bench_use_cpu_time(void)
{
	clock_used = CLOCK_THREAD_CPUTIME_ID;
}

/* Nanoseconds of the clock in use. */
static double time_used(void)
{
	struct timespec now;

	clock_gettime(clock_used, &now);
	return now.tv_sec * NS + now.tv_nsec;
}

static double measure(const struct candidate *candidate, unsigned int inner)
{
	double start = time_used();
	unsigned int i;

	for (i = 0; i < inner; i++)
		candidate->run(candidate->arg);
	return (time_used() - start) / NS / inner;
}

/* How many runs make a measurement. */
static void calibrate(struct candidate *candidate, double shortest)
{
	double seconds;

	for (candidate->inner = 1; candidate->inner < MOST_INNER; candidate->inner *= 2) {
		seconds = measure(candidate, candidate->inner) * candidate->inner;
		if (seconds >= shortest)
			break;
	}
}

/*
 * All take as long as the slowest: of a machine that others use, too, a short measurement
 * often has all, a long one never.  Also warms up.
 */
static double longest_run(const struct candidate *candidates, unsigned int count)
{
	double longest = SHORTEST;
	unsigned int i;

	for (i = 0; i < count; i++) {
		double seconds;

		measure(&candidates[i], 1);
		seconds = measure(&candidates[i], 1);
		if (seconds > longest)
			longest = seconds;
	}
	return longest < LONGEST ? longest : LONGEST;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void sort(double *values, unsigned int count)
{
	qsort(values, count, sizeof(*values), by_value);
}

double bench_middle(double *values, unsigned int count)
{
	sort(values, count);
	return values[count / 2];
}

void bench_take_turns(struct candidate *candidates, unsigned int count, unsigned int rounds)
{
	double shortest = longest_run(candidates, count);
	unsigned int i, round;

	if (rounds > BENCH_ROUNDS)
		rounds = BENCH_ROUNDS;
	for (i = 0; i < count; i++) {
		calibrate(&candidates[i], shortest);
		candidates[i].rounds = rounds;
	}
	for (round = 0; round < rounds; round++)
		for (i = 0; i < count; i++)
			candidates[i].seconds[round] = measure(&candidates[i],
							       candidates[i].inner);
	for (i = 0; i < count; i++)
		sort(candidates[i].seconds, rounds);
}

double bench_median(const struct candidate *candidate)
{
	return candidate->seconds[candidate->rounds / 2];
}

double bench_spread(const struct candidate *candidate)
{
	unsigned int quarter = candidate->rounds / 4;

	return (candidate->seconds[candidate->rounds - 1 - quarter] -
		candidate->seconds[quarter]) / 2 / bench_median(candidate);
}

double bench_rate(const struct candidate *candidate)
{
	return candidate->work / bench_median(candidate) / 1e9;
}

void bench_open(const char *path)
{
	rows = path ? fopen(path, "a") : stdout;
	if (!rows)
		die("cannot write to %s", path);
}

static void put_row(const char *name, const char *shape, double ours, double peer,
		    const char *peer_name, const char *unit, double ratio, double goal,
		    double our_spread, double peer_spread)
{
	fprintf(rows, "{\"name\": \"%s\", \"shape\": \"%s\", ", name, shape);
	fprintf(rows, "\"ours\": %.6g, \"peer\": %.6g, ", ours, peer);
	fprintf(rows, "\"peer_name\": \"%s\", \"unit\": \"%s\", ", peer_name, unit);
	fprintf(rows, "\"ratio\": %.4f, ", ratio);
	fprintf(rows, "\"spread\": [%.3f, %.3f], ", our_spread, peer_spread);
	if (goal)
		fprintf(rows, "\"goal\": %g, \"met\": %s}\n", goal,
			ratio >= goal ? "true" : "false");
	else
		fprintf(rows, "\"goal\": null, \"met\": null}\n");
	fflush(rows);
}

void bench_row(const char *name, const char *shape, double ours, double peer,
	       const char *peer_name, const char *unit, double ratio, double goal)
{
	put_row(name, shape, ours, peer, peer_name, unit, ratio, goal, 0, 0);
}

void bench_rate_row(const char *name, const char *shape, const struct candidate *ours,
		    const struct candidate *peer, const char *unit, double goal)
{
	double our_rate = bench_rate(ours), peer_rate = bench_rate(peer);

	put_row(name, shape, our_rate, peer_rate, peer->name, unit, our_rate / peer_rate, goal,
		bench_spread(ours), bench_spread(peer));
}

void bench_time_row(const char *name, const char *shape, const struct candidate *ours,
		    const struct candidate *peer, double goal)
{
	double our_time = bench_median(ours) * 1e6, peer_time = bench_median(peer) * 1e6;

	put_row(name, shape, our_time, peer_time, peer->name, BENCH_US, peer_time / our_time,
		goal, bench_spread(ours), bench_spread(peer));
}

void bench_least_row(const char *name, const char *shape, const struct candidate *ours,
		     const struct candidate *peer, double goal)
{
	double our_time = ours->seconds[0] * 1e6, peer_time = peer->seconds[0] * 1e6;

	put_row(name, shape, our_time, peer_time, peer->name, BENCH_US, peer_time / our_time,
		goal, bench_spread(ours), bench_spread(peer));
}
