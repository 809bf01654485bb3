// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * How fast dense linear is, compared with a plain loop of floats in the same run.
 */
#include <stdio.h>
#include <time.h>

#include <linux/virtio_accel.h>

#include "linear.h"
#include "oracle.h"
#include "program.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static u8 *matrix(size_t count, double scale)
{
	u8 *m = malloc(2 * count);
	size_t i;

	for (i = 0; i < count; i++)
		eng_put_le16(m + 2 * i,
			     oracle_narrow((rand() / (double)RAND_MAX * 2 - 1) * scale));
	return m;
}

static void measure(u32 rows, u32 terms, u32 outputs, double scale)
{
	double flop = 2.0 * rows * terms * outputs, engine = 1e9, plain = 1e9, start;
	u8 *in = matrix((size_t)rows * terms, scale);
	u8 *weight = matrix((size_t)outputs * terms, scale);
	u8 *got = malloc(2 * (size_t)rows * outputs), *want = malloc(2 * (size_t)rows * outputs);
	struct oracle_matrix mi = { in, 2 * (u64)terms }, mw = { weight, 2 * (u64)terms };
	struct oracle_matrix mo = { want, 2 * (u64)outputs };
	struct eng_linear linear = {
		in, mi.stride, weight, mw.stride, got, mo.stride, rows, terms, outputs
	};
	void *work = malloc(eng_linear_work_bytes());
	int round;

	for (round = 0; round < 7; round++) {
		struct eng_linear_cursor cursor = {};

		start = now();
		while (!eng_linear_done(&linear, &cursor))
			eng_linear_step(&linear, &cursor, work,
					ENG_STEP_BUDGET * eng_linear_rate());
		engine = min(engine, now() - start);
		start = now();
		oracle_linear(&mi, &mw, &mo, rows, terms, outputs);
		plain = min(plain, now() - start);
	}
	printf("%5ux%ux%u of %g: %.2f GFLOP/s, plain loop %.2f%s\n", rows, terms, outputs,
	       scale, flop / engine / 1e9, flop / plain / 1e9,
	       memcmp(got, want, 2 * (size_t)rows * outputs) ? ", BITS DIFFER" : "");
	free(work);
	free(want);
	free(got);
	free(weight);
	free(in);
}

int main(void)
{
	static const char *const names[] = { "avx512", "avx2", "integer" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (eng_linear_choose(names[i]) != VIRTIO_ACCEL_S_OK)
			continue;
		printf("%s\n", names[i]);
		measure(128, 768, 3072, 1);
		measure(512, 785, 64, 1);
		measure(512, 64, 10, 1);
		measure(16, 785, 64, 1);
		measure(1, 4096, 4096, 1);
		measure(128, 4096, 64, 1);
		measure(512, 785, 64, 1000);
		measure(128, 785, 64, 60000);
	}
	return 0;
}
