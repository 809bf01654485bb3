// SPDX-License-Identifier: GPL-2.0
/* Output files. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "output.h"

/* What to remove when a signal comes, more than a command ever has open. */
static char *volatile half_written[MAX_BINDS + 1];

static void remove_and_die(int signal_number)
{
	for (size_t i = 0; i < MAX_BINDS + 1; i++) {
		if (half_written[i])
			unlink(half_written[i]);
	}
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

void output_catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		if (signal(signals[i], remove_and_die) == SIG_IGN)
			signal(signals[i], SIG_IGN);
	}
}

static void note(char *from, char *to)
{
	for (size_t i = 0; i < MAX_BINDS + 1; i++) {
		if (half_written[i] == from) {
			half_written[i] = to;
			return;
		}
	}
}

static int open_temp(struct output *output)
{
	size_t bytes = strlen(output->path) + sizeof(".XXXXXX");
	mode_t mask = umask(0);

	umask(mask);
	output->temp = malloc(bytes);
	if (!output->temp)
		return broken("out of memory");
	snprintf(output->temp, bytes, "%s.XXXXXX", output->path);
	output->fd = mkstemp(output->temp);
	if (output->fd < 0) {
		free(output->temp);
		output->temp = NULL;
		return bad("cannot write %s: %s", output->name, strerror(errno));
	}
	note(NULL, output->temp);
	fchmod(output->fd, 0666 & ~mask);
	return 0;
}

int output_open(struct output *output, const char *path)
{
	struct stat st;

	*output = (struct output)OUTPUT_CLOSED;
	output->name = path;
	if (stat(path, &st)) {
		if (errno != ENOENT)
			return bad("cannot write %s: %s", path, strerror(errno));
		output->path = strdup(path);
	} else if (S_ISDIR(st.st_mode)) {
		return bad("%s is a folder", path);
	} else if (S_ISREG(st.st_mode)) {
		if (access(path, W_OK))
			return bad("cannot write %s: %s", path, strerror(errno));
		/* A symbolic link stays one. */
		output->path = realpath(path, NULL);
	} else {
		output->fd = open(path, O_WRONLY | O_CLOEXEC);
		if (output->fd < 0)
			return bad("cannot write %s: %s", path, strerror(errno));
		return 0;
	}
	return output->path ? open_temp(output) : broken("out of memory");
}

int output_write(struct output *output, const void *data, size_t bytes)
{
	const char *from = data;

	while (bytes) {
		ssize_t n = write(output->fd, from, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return broken("cannot write %s: %s", output->name,
				      strerror(errno));
		from += n;
		bytes -= n;
	}
	return 0;
}

int output_commit(struct output *output)
{
	int fd = output->fd;

	output->fd = -1;
	if (close(fd) || (output->temp && rename(output->temp, output->path))) {
		int status = broken("cannot write %s: %s", output->name,
				    strerror(errno));

		output_abandon(output);
		return status;
	}
	if (output->temp) {
		note(output->temp, NULL);
		free(output->temp);
		output->temp = NULL;
	}
	output_abandon(output);
	return 0;
}

void output_abandon(struct output *output)
{
	if (output->fd >= 0)
		close(output->fd);
	if (output->temp) {
		unlink(output->temp);
		note(output->temp, NULL);
	}
	free(output->temp);
	free(output->path);
	*output = (struct output)OUTPUT_CLOSED;
}

int output_file(const char *path, const void *data, size_t bytes)
{
	struct output output;
	int status = output_open(&output, path);

	if (!status)
		status = output_write(&output, data, bytes);
	if (!status)
		status = output_commit(&output);
	output_abandon(&output);
	return status;
}
