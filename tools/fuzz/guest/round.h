/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rounds of a fuzzer in a guest.  Each is a child process with a seed of its own,
 * so that a round can be repeated alone and killed at any time:
 *
 *	PROGRAM [-s SEED] [-t SECONDS] [-r ROUNDS]
 *
 * Threads and timing are the machine's, so that a seed repeats what is tried, not
 * always what happens.
 */
#ifndef FUZZ_ROUND_H
#define FUZZ_ROUND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include "control.h"

/* Whatever a round does ends in this time, or it is a hang. */
#define ROUND_HANG_MS	10000

struct rng {
	uint64_t state;
};

struct rng rng_of(uint64_t seed, uint64_t stream);
uint64_t rng_next(struct rng *r);
/* Below @limit, which is not 0. */
uint32_t rng_below(struct rng *r, uint32_t limit);
/* Once in so many times. */
bool rng_one_in(struct rng *r, uint32_t times);
/* A number at the edge of something. */
uint64_t rng_edge(struct rng *r);

/**
 * struct round_ops - what a program does
 * @begin: in the parent, before each round; returns 0 or the program ends
 * @run: in the child; returns 0, or the round has failed
 * @end: in the parent, after it; returns 0, or the round has failed
 * @kill: some rounds are killed midway
 * @ms: how long a round runs, for round_over()
 */
struct round_ops {
	int (*begin)(uint64_t seed);
	int (*run)(uint64_t seed);
	int (*end)(uint64_t seed);
	bool kill;
	unsigned int ms;
};

/* Of all rounds: calls, and those that succeeded; a fuzzer that only fails is none. */
extern struct round_count {
	unsigned long long calls;
	unsigned long long good;
} *round_count;

void round_called(bool good);
int round_main(int argc, char **argv, const struct round_ops *ops);

/* In the parent: limits of the driver, for as long as the program runs.  0 or an error. */
int round_limits(const char *command_ms, const char *hang_ms);

/* Whether the round is one that is killed. */
bool round_is_killed(uint64_t seed);

/* In the child: whether its time is over. */
bool round_over(void);

/* Say what is wrong and end the child. */
#define FAIL(...)							\
	do {								\
		fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);		\
		fprintf(stderr, __VA_ARGS__);				\
		fputc('\n', stderr);					\
		_exit(1);						\
	} while (0)

#endif /* FUZZ_ROUND_H */
