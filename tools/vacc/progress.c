// SPDX-License-Identifier: GPL-2.0
/* A progress bar. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libvacc.h"
#include "progress.h"

#define WIDTH		40
#define INTERVAL_NS	100000000ULL

static bool shown;

void progress_show(const char *what, uint64_t done, uint64_t total)
{
	static uint64_t next;
	uint64_t now = vacc_deadline(0);
	char bar[WIDTH + 1];
	size_t full;

	if (!total || (now < next && done != total) || !isatty(STDERR_FILENO))
		return;
	next = now + INTERVAL_NS;
	full = (double)done / total * WIDTH;
	memset(bar, '.', WIDTH);
	memset(bar, '#', full < WIDTH ? full : WIDTH);
	bar[WIDTH] = 0;
	fprintf(stderr, "\r%s [%s] %llu/%llu", what, bar, (unsigned long long)done,
		(unsigned long long)total);
	fflush(stderr);
	shown = true;
}

void progress_clear(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
}
