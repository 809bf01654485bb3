// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "round.h"

struct round_count *round_count;

static uint64_t over_at;

#define DRIVER	"virtio_accel"

/* What the driver had before. */
static char old_command_ms[32], old_hang_ms[32];

struct rng rng_of(uint64_t seed, uint64_t stream)
{
	struct rng r = { seed * 0x9e3779b97f4a7c15 + stream * 0xbf58476d1ce4e5b9 };

	rng_next(&r);
	return r;
}

uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

uint32_t rng_below(struct rng *r, uint32_t limit)
{
	return rng_next(r) % limit;
}

bool rng_one_in(struct rng *r, uint32_t times)
{
	return !rng_below(r, times);
}

uint64_t rng_edge(struct rng *r)
{
	static const uint64_t edges[] = {
		0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 24, 63, 64, 65, 255, 256, 4095, 4096,
		4097, 65535, 65536, 1 << 20, 0x7fffffff, 0x80000000, 0xffffffff,
		0x100000000, 0x7fffffffffffffff, 0x8000000000000000, -4096ULL, -8ULL, -1ULL,
	};

	return edges[rng_below(r, sizeof(edges) / sizeof(edges[0]))];
}

void round_called(bool good)
{
	__atomic_add_fetch(&round_count->calls, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&round_count->good, good, __ATOMIC_RELAXED);
}

static void restore_limits(void)
{
	vt_parameter(DRIVER, "command_timeout_ms", NULL, old_command_ms);
	vt_parameter(DRIVER, "hang_limit_ms", NULL, old_hang_ms);
}

/* Rounds end without the handlers of exit(). */
int round_limits(const char *command_ms, const char *hang_ms)
{
	static bool set;

	if (set)
		return 0;
	set = true;
	return vt_parameter(DRIVER, "command_timeout_ms", old_command_ms, command_ms) ?:
	       vt_parameter(DRIVER, "hang_limit_ms", old_hang_ms, hang_ms) ?:
	       atexit(restore_limits);
}

bool round_is_killed(uint64_t seed)
{
	return !(seed % 4);
}

bool round_over(void)
{
	return vt_now() > over_at;
}

/* The child's status, or -ETIMEDOUT where it does not even die. */
static int reap(pid_t pid, unsigned int ms)
{
	uint64_t deadline = vt_deadline(ms);
	int status;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		if (vt_now() > deadline)
			return -ETIMEDOUT;
		vt_sleep_ms(5);
	}
	return status;
}

static void show_stacks(void)
{
	FILE *f = fopen("/proc/sysrq-trigger", "w");

	if (!f)
		return;
	fputc('w', f);
	fclose(f);
}

static int watch(pid_t pid, const struct round_ops *ops, uint64_t seed)
{
	struct rng r = rng_of(seed, 99);
	bool killed = ops->kill && round_is_killed(seed);
	int status;

	if (killed) {
		vt_sleep_ms(rng_below(&r, ops->ms));
		kill(pid, SIGKILL);
	}
	status = reap(pid, ops->ms + ROUND_HANG_MS);
	if (status == -ETIMEDOUT) {
		fprintf(stderr, "seed %llu: does not end%s\n", (unsigned long long)seed,
			killed ? " though it was killed" : "");
		show_stacks();
		kill(pid, SIGKILL);
		reap(pid, ROUND_HANG_MS);
		return 1;
	}
	if (killed && WIFSIGNALED(status))
		return 0;
	if (WIFSIGNALED(status))
		fprintf(stderr, "seed %llu: killed by signal %d\n",
			(unsigned long long)seed, WTERMSIG(status));
	return status;
}

static int one_round(const struct round_ops *ops, uint64_t seed)
{
	int failed;
	pid_t pid;

	if (ops->begin(seed)) {
		fprintf(stderr, "seed %llu: cannot begin\n", (unsigned long long)seed);
		return 1;
	}
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return 1;
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		over_at = vt_deadline(ops->ms);
		_exit(ops->run(seed) ? 1 : 0);
	}
	failed = watch(pid, ops, seed);
	if (ops->end(seed)) {
		fprintf(stderr, "seed %llu: the device is not as it was\n",
			(unsigned long long)seed);
		failed = 1;
	}
	return failed;
}

int round_main(int argc, char **argv, const struct round_ops *ops)
{
	unsigned long long seed = vt_now(), rounds = 0, most = -1ULL;
	uint64_t until = vt_deadline(10000);
	int option;

	while ((option = getopt(argc, argv, "s:t:r:")) != -1) {
		switch (option) {
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 't':
			until = vt_deadline(1000 * atoi(optarg));
			break;
		case 'r':
			most = strtoull(optarg, NULL, 0);
			until = vt_deadline(3600 * 1000);
			break;
		default:
			fprintf(stderr, "usage: %s [-s SEED] [-t SECONDS] [-r ROUNDS]\n",
				argv[0]);
			return 2;
		}
	}
	round_count = mmap(NULL, sizeof(*round_count), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (round_count == MAP_FAILED)
		return 1;
	for (; rounds < most && vt_now() < until; rounds++, seed++) {
		if (one_round(ops, seed)) {
			printf("FAILED: repeat with -s %llu -r 1\n", seed);
			return 1;
		}
	}
	printf("%llu rounds, %llu calls of which %llu succeeded, next seed %llu\n", rounds,
	       round_count->calls, round_count->good, seed);
	return !round_count->good;
}
