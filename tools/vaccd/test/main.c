// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "daemon.h"
#include "test.h"

#define TEST_SECONDS	120

jmp_buf test_end;
static struct test *first;
static int faults;

void test_add(struct test *test)
{
	struct test **place = &first;

	while (*place)
		place = &(*place)->next;
	*place = test;
}

void test_expect(int good, const char *file, int line, const char *what)
{
	if (good)
		return;
	faults++;
	printf("%s:%d: not so: %s\n", file, line, what);
}

void test_equal(long long a, long long b, const char *file, int line,
		const char *what)
{
	if (a == b)
		return;
	faults++;
	printf("%s:%d: not so: %s: %lld, %lld\n", file, line, what, a, b);
}

static void run_one(struct test *test)
{
	alarm(TEST_SECONDS);
	faults = 0;
	if (!setjmp(test_end))
		test->run();
	daemon_cleanup();
}

/* Runs all tests, or those whose names begin with an argument. */
int main(int argc, char **argv)
{
	int passed = 0, failed = 0;
	struct test *test;
	int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGPIPE, SIG_IGN);
	for (test = first; test; test = test->next) {
		int chosen = argc < 2;

		for (i = 1; i < argc; i++)
			chosen |= !strncmp(test->name, argv[i], strlen(argv[i]));
		if (!chosen)
			continue;

		run_one(test);
		printf("%s %s\n", faults ? "FAIL" : "ok  ", test->name);
		if (faults)
			failed++;
		else
			passed++;
	}
	printf("%d passed, %d failed\n", passed, failed);
	return failed || !passed;
}
