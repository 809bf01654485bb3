/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the programs of make bench measure: candidates take turns in one process, so that
 * whatever disturbs the machine disturbs all of them, and medians are compared.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_ROUNDS	31	/* most rounds */

/**
 * struct candidate - one way to do some work
 * @name: what it is called in a row
 * @run: does the work once
 * @arg: its argument
 * @work: units of work in one run, as floating-point operations or bytes
 * @inner: runs that one measurement takes; filled in
 * @seconds: of one run, in each round; sorted in the end
 * @rounds: how many rounds
 */
struct candidate {
	const char *name;
	void (*run)(void *arg);
	void *arg;
	double work;
	unsigned int inner;
	double seconds[BENCH_ROUNDS];
	unsigned int rounds;
};

/* Units of a row. */
#define BENCH_GFLOPS	"GFLOP/s"
#define BENCH_GBS	"GB/s"
#define BENCH_US	"us"
#define BENCH_PER_S	"1/s"
#define BENCH_COUNT	"count"
#define BENCH_BYTES	"bytes"

/* Nanoseconds of a clock that only goes forward. */
double bench_now(void);

/* From now on measure what this thread has of a CPU, as others may want it too. */
void bench_use_cpu_time(void);

/* Let @count candidates take turns for @rounds rounds. */
void bench_take_turns(struct candidate *candidates, unsigned int count, unsigned int rounds);

/* The median of @values, which are sorted. */
double bench_middle(double *values, unsigned int count);

/* Median seconds of one run, and half the distance of the quartiles as a share of it. */
double bench_median(const struct candidate *candidate);
double bench_spread(const struct candidate *candidate);

/* Work per second, in units of 1e9. */
double bench_rate(const struct candidate *candidate);

/*
 * Rows go to the file descriptor of the file that bench_open() creates, one JSON object a line.
 * The ratio is ours over the peer's where more is better, else the other way round.
 */
void bench_open(const char *path);
void bench_rate_row(const char *name, const char *shape, const struct candidate *ours,
		    const struct candidate *peer, const char *unit, double goal);
void bench_time_row(const char *name, const char *shape, const struct candidate *ours,
		    const struct candidate *peer, double goal);
/* The same of the quickest run of each, which nobody has disturbed: for short ones. */
void bench_least_row(const char *name, const char *shape, const struct candidate *ours,
		     const struct candidate *peer, double goal);
void bench_row(const char *name, const char *shape, double ours, double peer,
	       const char *peer_name, const char *unit, double ratio, double goal);

/* Ends the program. */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void *allocate(size_t bytes);

#endif /* BENCH_MEASURE_H */
