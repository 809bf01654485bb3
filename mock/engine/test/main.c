// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Runs the tests: all, or those whose names contain one of the arguments.
 */
#include <stdarg.h>

#include "paths.h"
#include "test.h"

static struct test *tests, **end = &tests;
static const char *current, *path = "";
static char label[200];
static int passed, failed;
static bool open_case, bad, unnamed;
static u64 state;

/* Outputs of dense linear that were compared, in all and of one path. */
struct outputs {
	u64 count;
	u64 long_sums;
	u64 differ;
};

static struct outputs outputs[8];
static u32 path_number;

#define LONG_SUM	4096

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
	printf("FAIL %s%s%s%s%s: %s:%d: ", current, *path ? " by " : "", path,
	       *label ? ": " : "", label, file, line);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	open_case = true;
	bad = true;
}

void test_outputs(u64 count, u32 terms, u64 differ)
{
	struct outputs *o = &outputs[path_number];

	o->count += count;
	o->differ += differ;
	if (terms >= LONG_SUM)
		o->long_sums += count;
}

static void print_outputs(void)
{
	u64 count = 0, differ = 0;
	u32 i;

	for (i = 0; path_name(i); i++) {
		const struct outputs *o = &outputs[i];

		if (!o->count)
			continue;
		printf("%s: %llu outputs, %llu of them of %u terms or more, %llu differ\n",
		       path_name(i), (unsigned long long)o->count,
		       (unsigned long long)o->long_sums, LONG_SUM,
		       (unsigned long long)o->differ);
		count += o->count;
		differ += o->differ;
	}
	if (count)
		printf("%llu outputs, %llu differ\n", (unsigned long long)count,
		       (unsigned long long)differ);
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

bool test_in_full(void)
{
	const char *full = getenv("FULL");

	return full && *full && strcmp(full, "0");
}

static void run(const struct test *test)
{
	int before = failed;

	current = test->name;
	test_seed(1);
	label[0] = 0;
	open_case = true;
	unnamed = true;
	bad = false;
	test->run();
	close_case();
	if (failed == before)
		printf("ok %s%s%s\n", test->name, *path ? " by " : "", path);
}

static void run_paths(const struct test *test)
{
	u32 i;

	for (i = 0; path_name(i); i++) {
		path = path_name(i);
		path_number = i;
		if (path_choose(path))
			run(test);
		else
			printf("skip %s by %s: not on this processor\n", test->name, path);
	}
	path = "";
	path_choose("integer");
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
		if (!wanted(test->name, argc, argv))
			continue;
		if (test->paths)
			run_paths(test);
		else
			run(test);
	}
	print_outputs();
	printf("%d passed, %d failed\n", passed, failed);
	return failed ? 1 : 0;
}
