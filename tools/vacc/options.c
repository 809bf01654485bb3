// SPDX-License-Identifier: GPL-2.0
/* Command lines. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const struct {
	const char *name;
	const char *letter;
	unsigned int bit;
	const char *value;
	const char *help;
} known[] = {
	{ "--output", "-o", OPT_OUTPUT, "FILE", "file to write" },
	{ "--json", NULL, OPT_JSON, NULL, "print JSON" },
	{ "--timeout", NULL, OPT_TIMEOUT, "S", "give up after S seconds (60)" },
	{ "--repeat", NULL, OPT_REPEAT, "N", "run N times (1)" },
	{ "--batch", NULL, OPT_BATCH, "ROWS", "rows to hand over at a time" },
	{ "--timing", NULL, OPT_TIMING, NULL, "show what each command took" },
	{ "--bind", NULL, OPT_BIND, "BIND", "bind a file to a slot" },
};

#define KNOWN_COUNT	(sizeof(known) / sizeof(known[0]))

static int set_option(struct options *options, unsigned int bit, const char *value)
{
	switch (bit) {
	case OPT_OUTPUT:
		options->output = value;
		break;
	case OPT_JSON:
		options->json = true;
		break;
	case OPT_TIMING:
		options->timing = true;
		break;
	case OPT_TIMEOUT:
		options->timeout = value;
		break;
	case OPT_REPEAT:
		options->repeat = value;
		break;
	case OPT_BATCH:
		options->batch = value;
		break;
	case OPT_BIND:
		if (options->bind_count == MAX_BINDS)
			return bad("more than %d bindings are too many", MAX_BINDS);
		options->binds[options->bind_count++] = value;
		break;
	}
	return 0;
}

/* Whether @arg is option @name, and its value if that is in the same argument. */
static bool is_option(const char *arg, const char *name, const char **value)
{
	size_t length = strlen(name);

	*value = NULL;
	if (strncmp(arg, name, length))
		return false;
	if (arg[length] == '=' && name[1] == '-')
		*value = arg + length + 1;
	return !arg[length] || *value;
}

/* Parse argument @i; returns the index of its last word, or -1 where it is bad. */
static int parse_option(struct options *options, int i, int argc, char **argv)
{
	const char *arg = argv[i], *value;
	size_t k;

	if (!strcmp(arg, "--help") || !strcmp(arg, "-h")) {
		options->help = true;
		return i;
	}
	if (!(options->command->options & NO_DEVICE) &&
	    is_option(arg, "--device", &value)) {
		if (!value && i + 1 == argc) {
			bad("option --device needs a value");
			return -1;
		}
		options->device = value ? value : argv[++i];
		return i;
	}
	for (k = 0; k < KNOWN_COUNT; k++) {
		if (!(options->command->options & known[k].bit))
			continue;
		if (is_option(arg, known[k].name, &value))
			break;
		if (known[k].letter && is_option(arg, known[k].letter, &value))
			break;
	}
	if (k == KNOWN_COUNT) {
		bad("option %s is not known to vacc %s", arg, options->command->name);
		return -1;
	}
	if (!known[k].value && value) {
		bad("option %s takes no value", known[k].name);
		return -1;
	}
	if (known[k].value && !value) {
		if (i + 1 == argc) {
			bad("option %s needs a value", known[k].name);
			return -1;
		}
		value = argv[++i];
	}
	return set_option(options, known[k].bit, value) ? -1 : i;
}

int options_parse(struct options *options, const struct command *command, int argc,
		  char **argv)
{
	bool only_arguments = false;

	options->command = command;
	options->argv = argv;
	for (int i = 0; i < argc; i++) {
		if (!only_arguments && !strcmp(argv[i], "--")) {
			only_arguments = true;
		} else if (!only_arguments && argv[i][0] == '-' && argv[i][1]) {
			i = parse_option(options, i, argc, argv);
			if (i < 0)
				return EXIT_BAD;
		} else {
			argv[options->argc++] = argv[i];
		}
	}
	if (options->help)
		return 0;
	if (options->argc < command->min)
		return bad("an argument is missing: vacc %s %s", command->name,
			   command->arguments);
	if (options->argc > command->max)
		return bad("argument %s is one too many for vacc %s",
			   options->argv[command->max], command->name);
	return 0;
}

void options_help(const struct command *command)
{
	printf("usage: vacc %s%s%s\n\n%c%s.\n", command->name,
	       *command->arguments ? " " : "", command->arguments,
	       toupper((unsigned char)*command->summary), command->summary + 1);
	if (command->help)
		printf("%s\n", command->help);
	printf("\noptions:\n");
	if (!(command->options & NO_DEVICE))
		printf("  %-18s %s\n", "--device PATH|N", "device to use, or its number");
	for (size_t i = 0; i < KNOWN_COUNT; i++) {
		char left[32];

		if (!(command->options & known[i].bit))
			continue;
		snprintf(left, sizeof(left), "%s%s%s %s",
			 known[i].letter ? known[i].letter : "",
			 known[i].letter ? ", " : "", known[i].name,
			 known[i].value ? known[i].value : "");
		printf("  %-18s %s\n", left, known[i].help);
	}
	printf("  %-18s %s\n", "-h, --help", "print this");
}

bool number_parse(const char *text, uint64_t min, uint64_t max, bool units,
		  uint64_t *value)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	unsigned long long number;
	uint64_t unit = 1;
	char *end;

	/* strtoull() would take signs and spaces. */
	if (!(hex ? isxdigit((unsigned char)text[2]) : isdigit((unsigned char)*text)))
		return false;
	errno = 0;
	number = strtoull(text, &end, hex ? 16 : 10);
	if (errno)
		return false;
	if (units && *end) {
		switch (*end++) {
		case 'K':
		case 'k':
			unit = 1ULL << 10;
			break;
		case 'M':
			unit = 1ULL << 20;
			break;
		case 'G':
			unit = 1ULL << 30;
			break;
		default:
			return false;
		}
	}
	if (*end || __builtin_mul_overflow(number, unit, value))
		return false;
	return *value >= min && *value <= max;
}
