// SPDX-License-Identifier: GPL-2.0
/* vacc: accelerators from the command line. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "output.h"

static const struct command commands[] = {
	{ "info", "", "show what the device is and takes", NULL,
	  OPT_JSON, 0, 0, cmd_info },
	{ "list", "", "list the devices", NULL,
	  OPT_JSON | NO_DEVICE, 0, 0, cmd_list },
	{ "copy", "IN OUT", "copy a file, by the device", NULL,
	  0, 2, 2, cmd_copy },
	{ "fill", "BYTES VALUE -o OUT", "make a file of equal bytes, by the device",
	  "BYTES may end in K, M or G; VALUE is 0 to 255, or 0x00 to 0xff.",
	  OPT_OUTPUT, 2, 2, cmd_fill },
	{ "xor", "IN VALUE -o OUT", "xor each byte of a file, by the device",
	  "VALUE is 0 to 255, or 0x00 to 0xff.",
	  OPT_OUTPUT, 2, 2, cmd_xor },
	{ "linear", "IN.npy W.npy -o OUT.npy", "multiply matrices, by the device",
	  "OUT = IN x transposed W.  IN has the shape (rows, in_features), W the shape\n"
	  "(out_features, in_features), OUT gets the shape (rows, out_features).  All\n"
	  "are float16 in C order.",
	  OPT_OUTPUT | OPT_JSON | OPT_BATCH | OPT_TIMING, 2, 2, cmd_linear },
	{ "run", "PROGRAM --bind SLOT=FILE:ACCESS[:BYTES[:TYPE]]...", "run a program",
	  "PROGRAM is a file as `vacc program` makes it.  ACCESS is r (the file is\n"
	  "read), w (BYTES long, the file is written) or rw (both).  Files that end in\n"
	  ".npy have an array, others bytes.  TYPE is the element type of an array that\n"
	  "is written, else the program's.",
	  OPT_JSON | OPT_REPEAT | OPT_BIND | OPT_TIMING, 1, 1, cmd_run },
	{ "program", "VERB ARGUMENTS", "look at programs and make small ones",
	  "  dump FILE                     show a program\n"
	  "  check FILE                    say whether a program is well-formed\n"
	  "  barrier SLOT -o FILE          make one that only orders\n"
	  "  copy SOURCE TARGET -o FILE    make one that copies slot to slot\n"
	  "  fill SLOT VALUE -o FILE       make one that sets each byte\n"
	  "  xor SLOT VALUE -o FILE        make one that xors each byte\n"
	  "  linear ROWS IN OUT -o FILE    make one that multiplies up to ROWS rows of IN\n"
	  "                                features in slot 0 with OUT x IN weights in\n"
	  "                                slot 1 to slot 2",
	  OPT_OUTPUT | NO_DEVICE, 1, 4, cmd_program },
	{ "stats", "", "show the counters of the device", NULL,
	  OPT_JSON, 0, 0, cmd_stats },
	{ "clients", "", "list the processes that have a device open",
	  "What it may not look into it passes over.  busy_ns is 0 where the backend does\n"
	  "not know.",
	  OPT_JSON | NO_DEVICE, 0, 0, cmd_clients },
	{ "settle", "", "wait until nothing is left of closed files, then show counters",
	  NULL, OPT_JSON | OPT_TIMEOUT, 0, 0, cmd_settle },
	{ "hold", "[on|off]", "let the mock hold work back, or not", NULL,
	  0, 0, 1, cmd_mock_hold },
	{ "release", "", "let the mock execute all it holds back", NULL,
	  0, 0, 0, cmd_mock_release },
	{ "complete", "HANDLE|#NUMBER|all...", "execute held work now",
	  "`vacc events` shows both numbers.",
	  0, 1, 1024, cmd_mock_list },
	{ "fail", "HANDLE|#NUMBER|all STATUS", "fail held work",
	  "STATUS is a name such as INTERNAL_ERROR, or a number.",
	  0, 2, 2, cmd_mock_fail },
	{ "lose", "HANDLE|#NUMBER|all...", "lose held work", NULL,
	  0, 1, 1024, cmd_mock_list },
	{ "reorder", "HANDLE|#NUMBER...", "execute held work in this order", NULL,
	  0, 1, 1024, cmd_mock_list },
	{ "events", "", "list the work that the mock holds", NULL,
	  0, 0, 0, cmd_mock_events },
	{ "add", "", "add a mock device", NULL,
	  NO_DEVICE, 0, 0, cmd_mock_add },
	{ "remove", "N", "remove the mock device /dev/virtio-accelN", NULL,
	  NO_DEVICE, 1, 1, cmd_mock_remove },
};

#define COMMAND_COUNT	(sizeof(commands) / sizeof(commands[0]))

static void print_help(void)
{
	printf("usage: vacc [--device PATH|N] COMMAND [ARGUMENTS]\n\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		printf("  %-9s %s\n", commands[i].name, commands[i].summary);
	printf("\n`vacc COMMAND --help` says more.  Without --device it is the first one.\n"
	       "Exit status: 0 done, 1 the device failed, 2 the input is bad or there is\n"
	       "no device to use.\n");
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	}
	return NULL;
}

static int run(int argc, char **argv)
{
	struct options options = { 0 };
	int status, i;

	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			print_help();
			return 0;
		}
		if (!strncmp(argv[i], "--device=", 9))
			options.device = argv[i] + 9;
		else if (!strcmp(argv[i], "--device") && i + 1 < argc)
			options.device = argv[++i];
		else
			return bad("option %s is not known before a command, see vacc --help",
				   argv[i]);
	}
	if (i == argc)
		return bad("a command is missing, see vacc --help");
	options.command = find_command(argv[i]);
	if (!options.command)
		return bad("there is no command %s, see vacc --help", argv[i]);
	status = options_parse(&options, options.command, argc - i - 1, argv + i + 1);
	if (status)
		return status;
	if (options.help) {
		options_help(options.command);
		return 0;
	}
	return options.command->run(&options);
}

int main(int argc, char **argv)
{
	int status;

	signal(SIGPIPE, SIG_IGN);
	output_catch_signals();
	status = run(argc, argv);
	if ((fflush(stdout) || ferror(stdout)) && !status)
		status = broken("cannot write to standard output");
	return status;
}
