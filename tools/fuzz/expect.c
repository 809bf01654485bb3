// SPDX-License-Identifier: GPL-2.0
/*
 * The expectations of the engine's test rig, for fuzzers: the first that fails
 * ends the program, and libFuzzer keeps the input.
 */
#include <stdarg.h>

#include "test.h"

void test_add(struct test *test)
{
}

void test_expect(int good, const char *file, int line, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
	abort();
}

void test_equal(long long a, long long b, const char *file, int line,
		const char *what)
{
	if (a == b)
		return;
	fprintf(stderr, "%s:%d: not so: %s (%lld, %lld)\n", file, line, what, a,
		b);
	abort();
}

void test_rule(const char *format, ...)
{
}

void test_note(const char *format, ...)
{
}
