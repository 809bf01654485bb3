// SPDX-License-Identifier: GPL-2.0
/* Sessions with a device, and what is said when something fails. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "progress.h"

static void say(const char *format, va_list args)
{
	progress_clear();
	fflush(stdout);
	fputs("vacc: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

int bad(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	return EXIT_BAD;
}

int broken(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	return EXIT_DEVICE;
}

int failed(struct vacc_device *dev, const char *what)
{
	return broken("%s: %s", what, vacc_last_error(dev));
}

int open_device(const struct options *options, struct vacc_device **dev)
{
	if (!vacc_open(options->device, dev))
		return 0;
	return bad("%s", vacc_last_error(NULL));
}

int session_open(struct session *session, const struct options *options)
{
	int status;

	memset(session, 0, sizeof(*session));
	status = open_device(options, &session->dev);
	if (status)
		return status;
	if (vacc_context_create(session->dev, &session->context))
		return failed(session->dev, "cannot create a context");
	if (vacc_queue_create(&session->context, &session->queue))
		return failed(session->dev, "cannot create a queue");
	return 0;
}

void session_close(struct session *session)
{
	vacc_close(session->dev);
}
