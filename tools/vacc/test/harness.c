// SPDX-License-Identifier: GPL-2.0
/* Counting of test cases. */
#include <fcntl.h>
#include <unistd.h>

#include "test.h"

static unsigned int passed, failed;

void test_case(bool ok, const char *file, int line, const char *what)
{
	if (ok) {
		passed++;
		return;
	}
	failed++;
	printf("FAIL %s:%d: %s\n", file, line, what);
}

int test_silence(FILE *stream)
{
	int saved, null = open("/dev/null", O_WRONLY);

	fflush(stream);
	saved = dup(fileno(stream));
	dup2(null, fileno(stream));
	close(null);
	return saved;
}

void test_unsilence(FILE *stream, int saved)
{
	fflush(stream);
	dup2(saved, fileno(stream));
	close(saved);
}

int test_finish(void)
{
	printf("%u passed, %u failed\n", passed, failed);
	return failed ? 1 : 0;
}
