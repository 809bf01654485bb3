// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Runs the tests: all, or those whose names contain one of the arguments.
 */
#include <stdarg.h>

#include "test.h"

static struct test *tests, **end = &tests;
static const char *current;
static char label[200];
static int passed, failed;
static bool open_case, bad, unnamed;
static u64 state;

void test_register(struct test *test)
{
	*end = test;
	end = &test->next;
}

static void close_case(void)
{
	if (!open_case)
		return;
	if (bad)
		failed++;
	else
		passed++;
	open_case = false;
}

void test_case(const char *format, ...)
{
	va_list args;

	/* What comes before the first named case counts only where it failed. */
	if (!unnamed || bad)
		close_case();
	unnamed = false;
	va_start(args, format);
	vsnprintf(label, sizeof(label), format, args);
	va_end(args);
	open_case = true;
	bad = false;
}

void test_fail(const char *file, int line, const char *format, ...)
{
	va_list args;

	if (bad && open_case)
		return;
	printf("FAIL %s%s%s: %s:%d: ", current, *label ? ": " : "", label, file, line);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	open_case = true;
	bad = true;
}

/* splitmix64 */
u64 test_random(void)
{
	u64 z = (state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

u32 test_below(u32 limit)
{
	return test_random() % limit;
}

void test_seed(u64 seed)
{
	state = seed;
}

static bool wanted(const char *name, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (strstr(name, argv[i]))
			return true;
	return argc == 1;
}

int main(int argc, char **argv)
{
	struct test *test;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (test = tests; test; test = test->next) {
		int before = failed;

		if (!wanted(test->name, argc, argv))
			continue;
		current = test->name;
		test_seed(1);
		label[0] = 0;
		open_case = true;
		unnamed = true;
		bad = false;
		test->run();
		close_case();
		if (failed == before)
			printf("ok %s\n", test->name);
	}
	printf("%d passed, %d failed\n", passed, failed);
	return failed ? 1 : 0;
}
