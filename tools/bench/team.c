// SPDX-License-Identifier: GPL-2.0
/*
 * A big product on two processors against the same on one, in this process.
 *
 * usage: bench-team OUT [rounds]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/virtio_accel.h>

#include "measure.h"
#include "team.h"

#define STEP	(1 << 20)

struct shape {
	unsigned int rows;
	unsigned int terms;
	unsigned int outputs;
};

static const struct shape shapes[] = {
	{ 512, 1024, 1024 },
	{ 128, 768, 3072 },
	{ 1024, 1024, 128 },
};

/* Of each candidate; the team's is NULL where there is one processor. */
struct bench {
	struct eng_linear linear;
	struct eng_team *team;
	void *work;
};

static void run(void *arg)
{
	struct bench *bench = arg;
	struct eng_linear_cursor cursor = {};

	while (!eng_linear_done(&bench->linear, &cursor)) {
		if (bench->team)
			eng_team_step(bench->team, &bench->linear, &cursor, bench->work);
		else
			eng_linear_step(&bench->linear, &cursor, bench->work, STEP);
	}
}

static u8 *random_halves(size_t count)
{
	u8 *halves = allocate(2 * count);
	size_t i;

	/* From 2^-7 to 2^1, of both signs. */
	for (i = 0; i < count; i++)
		eng_put_le16(halves + 2 * i, (rand() & 0x83ff) | (8 + rand() % 8) << 10);
	return halves;
}

static void measure(const struct shape *s, struct eng_team *team, unsigned int rounds)
{
	size_t bytes = 2UL * s->rows * s->outputs;
	struct bench alone = {
		.linear = {
			.in = random_halves((size_t)s->rows * s->terms),
			.in_stride = 2UL * s->terms,
			.weight = random_halves((size_t)s->outputs * s->terms),
			.weight_stride = 2UL * s->terms,
			.out = allocate(bytes),
			.out_stride = 2UL * s->outputs,
			.rows = s->rows,
			.in_features = s->terms,
			.out_features = s->outputs,
		},
		.work = allocate(eng_linear_work_bytes()),
	};
	struct bench spread = alone;
	double flop = 2.0 * s->rows * s->terms * s->outputs;
	struct candidate all[] = {
		{ .name = "two processors", .run = run, .arg = &spread, .work = flop },
		{ .name = "one processor", .run = run, .arg = &alone, .work = flop },
	};
	char shape[64];

	spread.linear.out = allocate(bytes);
	spread.team = team;
	if (!eng_team_takes(&spread.linear))
		die("%ux%ux%u is not spread", s->rows, s->terms, s->outputs);
	bench_take_turns(all, 2, rounds);
	if (memcmp(alone.linear.out, spread.linear.out, bytes))
		die("wrong bits: %ux%ux%u", s->rows, s->terms, s->outputs);
	snprintf(shape, sizeof(shape), "%ux%ux%u", s->rows, s->terms, s->outputs);
	bench_rate_row("team: two processors", shape, &all[0], &all[1], BENCH_GFLOPS, 1.8);
	free((void *)alone.linear.in);
	free((void *)alone.linear.weight);
	free(alone.linear.out);
	free(spread.linear.out);
	free(alone.work);
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 2 ? atoi(argv[2]) : BENCH_ROUNDS;
	struct eng_team *team;
	struct eng_pool pool;
	size_t i;

	bench_open(argc > 1 ? argv[1] : NULL);
	eng_linear_choose("auto");
	if (!eng_pool_start(&pool, "bench", 2))
		die("no threads");
	team = eng_team_create(&pool);
	if (!team)
		die("no memory");
	for (i = 0; i < ARRAY_SIZE(shapes); i++)
		measure(&shapes[i], team, rounds);
	eng_team_free(team);
	eng_pool_stop(&pool);
	return 0;
}
