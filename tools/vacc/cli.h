/* SPDX-License-Identifier: GPL-2.0 */
/* What the commands of vacc share. */
#ifndef VACC_CLI_H
#define VACC_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libvacc.h"

/* Exit statuses. */
#define EXIT_DEVICE	1	/* the device, or the system, failed */
#define EXIT_BAD	2	/* the input is bad, or there is no device to use */

/* Options of commands: which a command has, see struct command. */
#define OPT_OUTPUT	(1 << 0)
#define OPT_JSON	(1 << 1)
#define OPT_TIMEOUT	(1 << 2)
#define OPT_REPEAT	(1 << 3)
#define OPT_BATCH	(1 << 4)
#define OPT_BIND	(1 << 5)
#define OPT_TIMING	(1 << 7)
/* The command uses no device: there is no --device. */
#define NO_DEVICE	(1 << 6)

#define MAX_BINDS	256

/**
 * struct options - the command line of a command
 * @command: what runs
 * @device: --device, or NULL
 * @output: --output, or NULL
 * @timeout: --timeout, or NULL
 * @repeat: --repeat, or NULL
 * @batch: --batch, or NULL
 * @json: --json
 * @timing: --timing
 * @help: --help
 * @binds: values of --bind
 * @bind_count: how many
 * @argc: number of other arguments
 * @argv: other arguments, the name of the command not among them
 */
struct options {
	const struct command *command;
	const char *device;
	const char *output;
	const char *timeout;
	const char *repeat;
	const char *batch;
	bool json;
	bool timing;
	bool help;
	const char *binds[MAX_BINDS];
	unsigned int bind_count;
	int argc;
	char **argv;
};

/**
 * struct command - a command
 * @name: its name
 * @arguments: its arguments, for the usage line
 * @summary: one line
 * @help: more lines, or NULL
 * @options: OPT_* and NO_DEVICE
 * @min: least number of arguments
 * @max: most
 * @run: does it and returns the exit status
 */
struct command {
	const char *name;
	const char *arguments;
	const char *summary;
	const char *help;
	unsigned int options;
	int min;
	int max;
	int (*run)(const struct options *options);
};

/* Parse the command line; 0 or EXIT_BAD with the reason said. */
int options_parse(struct options *options, const struct command *command, int argc,
		  char **argv);

/* Print the help of a command. */
void options_help(const struct command *command);

/* Parse a whole number from @min to @max, decimal or 0x..., with K, M or G where
 * @units.
 */
bool number_parse(const char *text, uint64_t min, uint64_t max, bool units,
		  uint64_t *value);

/* Say why the input is bad, one sentence; returns EXIT_BAD. */
int bad(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Say what the system failed at, one sentence; returns EXIT_DEVICE. */
int broken(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Say what the device failed at and its reason; returns EXIT_DEVICE. */
int failed(struct vacc_device *dev, const char *what);

/* Open the device of the command line; 0 or an exit status with the reason said. */
int open_device(const struct options *options, struct vacc_device **dev);

/**
 * struct session - a device with one context and one queue
 * @dev: device
 * @context: context
 * @queue: queue
 */
struct session {
	struct vacc_device *dev;
	struct vacc_context context;
	struct vacc_queue queue;
};

/* Open a session; 0 or an exit status with the reason said.  Close it anyway. */
int session_open(struct session *session, const struct options *options);
void session_close(struct session *session);

int cmd_info(const struct options *options);
int cmd_list(const struct options *options);
int cmd_stats(const struct options *options);
int cmd_clients(const struct options *options);
int cmd_settle(const struct options *options);
int cmd_copy(const struct options *options);
int cmd_fill(const struct options *options);
int cmd_xor(const struct options *options);
int cmd_linear(const struct options *options);
int cmd_run(const struct options *options);
int cmd_program(const struct options *options);
int cmd_mock_hold(const struct options *options);
int cmd_mock_release(const struct options *options);
int cmd_mock_list(const struct options *options);
int cmd_mock_fail(const struct options *options);
int cmd_mock_events(const struct options *options);
int cmd_mock_add(const struct options *options);
int cmd_mock_remove(const struct options *options);

#endif /* VACC_CLI_H */
