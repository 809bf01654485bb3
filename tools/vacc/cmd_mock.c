// SPDX-License-Identifier: GPL-2.0
/* The harness of the mock, which is in debugfs. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli.h"
#include "input.h"

#define ROOT	"/sys/kernel/debug/virtio_accel_mock"
#define NODE	"/dev/virtio-accel"

/* Lowest number that has a folder, or -1. */
static int first_number(void)
{
	DIR *dir = opendir(ROOT);
	struct dirent *entry;
	uint64_t number;
	int first = -1;

	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		if (number_parse(entry->d_name, 0, INT_MAX, false, &number) &&
		    (first < 0 || (int)number < first))
			first = number;
	}
	closedir(dir);
	return first;
}

/* Number of the device that is meant; 0 or an exit status with the reason said. */
static int find_number(const struct options *options, uint64_t *number)
{
	const char *text = options->device;
	int first;

	if (!text) {
		first = first_number();
		if (first < 0)
			return bad("there is no mock device under " ROOT
				   ": is it loaded, is debugfs mounted, are you root?");
		*number = first;
		return 0;
	}
	if (!strncmp(text, NODE, strlen(NODE)))
		text += strlen(NODE);
	if (!number_parse(text, 0, INT_MAX, false, number))
		return bad("%s is no device " NODE "N", options->device);
	return 0;
}

/* Open a control; returns a descriptor or -1 with the reason said. */
static int open_control(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == ENOENT)
		bad("there is no control %s: is this a mock, is debugfs mounted?", path);
	else
		bad("cannot open %s: %s", path, strerror(errno));
	return -1;
}

/* Say why the mock refused something. */
static int refused(const char *what, int error)
{
	switch (error) {
	case EINVAL:
		return bad("the mock does not understand \"%s\"", what);
	case ENOENT:
		return broken("the mock has nothing that is \"%s\"", what);
	case EBUSY:
		return broken("it is too late for \"%s\"", what);
	default:
		return broken("the mock refused \"%s\": %s", what, vacc_strerror(error));
	}
}

static int write_control(const char *path, const char *text)
{
	int fd = open_control(path, O_WRONLY), status = 0;
	ssize_t n;

	if (fd < 0)
		return EXIT_BAD;
	do {
		n = write(fd, text, strlen(text));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		status = refused(text, errno);
	close(fd);
	return status;
}

static int write_device(const struct options *options, const char *name,
			const char *text)
{
	char path[sizeof(ROOT) + 64];
	uint64_t number;
	int status = find_number(options, &number);

	if (status)
		return status;
	snprintf(path, sizeof(path), ROOT "/%llu/%s", (unsigned long long)number, name);
	return write_control(path, text);
}

int cmd_mock_hold(const struct options *options)
{
	const char *text = options->argc ? options->argv[0] : "on";

	if (strcmp(text, "on") && strcmp(text, "off"))
		return bad("%s is neither on nor off", text);
	return write_device(options, "hold", strcmp(text, "on") ? "0" : "1");
}

int cmd_mock_release(const struct options *options)
{
	return write_device(options, "release", "1");
}

/* The arguments with spaces between; free() later. */
static char *join(const struct options *options)
{
	size_t bytes = 1;
	char *text;

	for (int i = 0; i < options->argc; i++)
		bytes += strlen(options->argv[i]) + 1;
	text = calloc(1, bytes);
	for (int i = 0; text && i < options->argc; i++) {
		if (i)
			strcat(text, " ");
		strcat(text, options->argv[i]);
	}
	return text;
}

/* complete and lose, one event a write; reorder, all in one. */
int cmd_mock_list(const struct options *options)
{
	const char *name = options->command->name;
	int status = 0;
	char *text;

	if (strcmp(name, "reorder")) {
		for (int i = 0; !status && i < options->argc; i++)
			status = write_device(options, name, options->argv[i]);
		return status;
	}
	text = join(options);
	if (!text)
		return broken("out of memory");
	status = write_device(options, name, text);
	free(text);
	return status;
}

/* Number of a status, from its name or number. */
static bool parse_status(const char *text, uint64_t *status)
{
	if (number_parse(text, 1, UINT16_MAX, false, status))
		return true;
	for (*status = 1; *status <= UINT16_MAX; (*status)++) {
		const char *name = vacc_status_name(*status);

		if (strcmp(name, "UNKNOWN") && !strcasecmp(name, text))
			return true;
	}
	return false;
}

int cmd_mock_fail(const struct options *options)
{
	char text[64];
	uint64_t number;
	int n;

	if (!parse_status(options->argv[1], &number))
		return bad("%s is no status, such as INTERNAL_ERROR or 65535",
			   options->argv[1]);
	n = snprintf(text, sizeof(text), "%s %llu", options->argv[0],
		     (unsigned long long)number);
	if (n >= (int)sizeof(text))
		return bad("%s is no event", options->argv[0]);
	return write_device(options, "fail", text);
}

int cmd_mock_events(const struct options *options)
{
	char path[sizeof(ROOT) + 64], data[4096];
	uint64_t number;
	ssize_t n;
	int fd, status = find_number(options, &number);

	if (status)
		return status;
	snprintf(path, sizeof(path), ROOT "/%llu/events", (unsigned long long)number);
	fd = open_control(path, O_RDONLY);
	if (fd < 0)
		return EXIT_BAD;
	do {
		n = input_read(fd, data, sizeof(data), path);
		if (n > 0)
			fwrite(data, 1, n, stdout);
	} while (n == sizeof(data));
	close(fd);
	return n < 0 ? EXIT_DEVICE : 0;
}

int cmd_mock_add(const struct options *options)
{
	(void)options;
	return write_control(ROOT "/add", "1");
}

int cmd_mock_remove(const struct options *options)
{
	const char *text = options->argv[0];
	uint64_t number;
	char digits[24];

	if (!strncmp(text, NODE, strlen(NODE)))
		text += strlen(NODE);
	if (!number_parse(text, 0, INT_MAX, false, &number))
		return bad("%s is no number of a device", options->argv[0]);
	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);
	return write_control(ROOT "/remove", digits);
}
