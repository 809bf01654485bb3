// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

#define TEST_SECONDS	120

static struct test *first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int faults;			/* lock: of the test that runs */

void test_add(struct test *test)
{
	test->next = first;
	first = test;
}

void test_expect(int good, const char *file, int line, const char *what)
{
	if (good)
		return;
	pthread_mutex_lock(&lock);
	faults++;
	printf("%s:%d: not so: %s\n", file, line, what);
	pthread_mutex_unlock(&lock);
}

void test_equal(long long a, long long b, const char *file, int line,
		const char *what)
{
	if (a == b)
		return;
	pthread_mutex_lock(&lock);
	faults++;
	printf("%s:%d: not so: %s: %lld, %lld\n", file, line, what, a, b);
	pthread_mutex_unlock(&lock);
}

/* Runs all tests, or those whose names begin with an argument. */
int main(int argc, char **argv)
{
	int passed = 0, failed = 0;
	struct test *test;
	int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (test = first; test; test = test->next) {
		int chosen = argc < 2;

		for (i = 1; i < argc; i++)
			chosen |= !strncmp(test->name, argv[i], strlen(argv[i]));
		if (!chosen)
			continue;

		alarm(TEST_SECONDS);
		faults = 0;
		test->run();
		printf("%s %s\n", faults ? "FAIL" : "ok  ", test->name);
		if (faults)
			failed++;
		else
			passed++;
	}
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}
