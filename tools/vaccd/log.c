// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "log.h"

bool log_verbose;

/* One write a line, so that lines of several threads stay whole. */
static void put(const char *format, va_list args)
{
	char line[512] = "vaccd: ";
	int n = 7;

	n += vsnprintf(line + n, sizeof(line) - n - 1, format, args);
	if (n > (int)sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';
	if (write(STDERR_FILENO, line, n) < 0)
		return;
}

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put(format, args);
	va_end(args);
}

void debug(const char *format, ...)
{
	va_list args;

	if (!log_verbose)
		return;
	va_start(args, format);
	put(format, args);
	va_end(args);
}
