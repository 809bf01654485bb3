// SPDX-License-Identifier: GPL-2.0 OR MIT
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "linear.h"
#include "log.h"
#include "options.h"

#define EXIT_USAGE	2

static const char help[] =
"usage: vaccd --socket PATH [OPTION]...\n"
"A virtio-accel device for QEMU, user-mode Linux and other vhost-user front ends.\n"
"\n"
"  -s, --socket PATH          where front ends connect, one at a time\n"
"  -c, --control PATH         steer the device there, for tests: see vaccd(1)\n"
"  -t, --threads N            what is computed at a time (one a processor)\n"
"      --engine NAME          instructions for dense linear: integer, avx2, avx512\n"
"                             or the best that there is (auto)\n"
"      --max-contexts N       contexts (64)\n"
"      --max-buffers N        buffers of a context (1024)\n"
"      --max-programs N       programs of a context (256)\n"
"      --max-queues N         queues of a context (16)\n"
"      --max-events N         events of a context (4096)\n"
"      --max-bindings N       bindings of a submission (256)\n"
"      --max-buffer-bytes N   bytes of a buffer (1G)\n"
"      --max-artifact-bytes N bytes of a program (1G)\n"
"      --max-scratch-bytes N  working memory and packed weights (1/8 of all memory)\n"
"      --max-resident N       bytes of all buffers, and of all programs (1/4)\n"
"      --max-chain N          descriptors of a request (256)\n"
"      --max-request N        bytes of a request (16M)\n"
"      --max-response N       bytes of a response (16M)\n"
"      --hold                 begin in hold mode, for tests\n"
"      --inband               offer notifications by messages (user-mode Linux)\n"
"  -u, --user NAME            become this user once the sockets are there\n"
"      --no-sandbox           do not confine the process by seccomp and Landlock\n"
"  -v, --verbose              say more\n"
"  -h, --help                 this\n"
"\n"
"SIGTERM and SIGINT: answer what was taken, and end. SIGUSR1: statistics.\n"
"N may end in K, M or G.\n";

enum {
	OPTION_LIMIT = 256,		/* and a number of limits[] */
	OPTION_HOLD = 512,
	OPTION_INBAND,
	OPTION_NO_SANDBOX,
	OPTION_ENGINE,
};

/* Limits: where they go and what they may be. */
static const struct limit {
	const char *name;
	size_t offset;
	u32 bytes;
	u64 low;
	u64 high;
} limits[] = {
#define LIMIT(name_, field, low_, high_)				\
	{ name_, offsetof(struct device_options, field),		\
	  sizeof(((struct device_options *)0)->field), low_, high_ }
	LIMIT("threads", workers, 1, 256),
	LIMIT("max-contexts", limits.max_contexts, 1, 4096),
	LIMIT("max-buffers", limits.max_buffers, 1, 65536),
	LIMIT("max-programs", limits.max_images, 1, 65536),
	LIMIT("max-queues", limits.max_queues, 1, 1024),
	LIMIT("max-events", limits.max_events, 1, 65536),
	LIMIT("max-bindings", limits.max_bindings, 1,
	      VIRTIO_ACCEL_MAX_BINDINGS),
	LIMIT("max-buffer-bytes", limits.max_buffer_bytes, 1, 1ULL << 40),
	LIMIT("max-artifact-bytes", limits.max_artifact_bytes, 1, 1ULL << 30),
	LIMIT("max-scratch-bytes", limits.max_scratch_bytes, 0, 1ULL << 40),
	LIMIT("max-resident", max_resident, 1, 1ULL << 46),
	LIMIT("max-chain", max_chain, VIRTIO_ACCEL_MIN_CHAIN,
	      VIRTIO_ACCEL_MAX_CHAIN),
	LIMIT("max-request", max_request, VIRTIO_ACCEL_MIN_REQUEST,
	      VIRTIO_ACCEL_MAX_FRAME),
	LIMIT("max-response", max_response, VIRTIO_ACCEL_MIN_RESPONSE,
	      VIRTIO_ACCEL_MAX_FRAME),
};

static int parse_number(const char *text, u64 *number)
{
	static const char suffixes[] = "KMG";
	const char *suffix;
	u32 shift = 0;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*number = strtoull(text, &end, 0);
	suffix = *end ? strchr(suffixes, toupper((unsigned char)*end)) : NULL;
	if (suffix) {
		shift = 10 * (suffix - suffixes + 1);
		end++;
	}
	if (*end || errno || *number > U64_MAX >> shift)
		return -EINVAL;
	*number <<= shift;
	return 0;
}

static int parse_limit(const struct limit *limit, const char *text,
		       struct device_options *device)
{
	u8 *to = (u8 *)device + limit->offset;
	u64 number;
	u32 word;

	if (parse_number(text, &number) || number < limit->low ||
	    number > limit->high) {
		say("--%s %s: must be from %llu to %llu", limit->name, text,
		    limit->low, limit->high);
		return -EINVAL;
	}
	word = number;
	if (limit->bytes == sizeof(word))
		memcpy(to, &word, sizeof(word));
	else
		memcpy(to, &number, sizeof(number));
	return 0;
}

/**
 * options_limit() - change one of the limits of the engine
 * @name: as on the command line, without the dashes that it begins with
 * @text: the number
 * @to: receives it
 *
 * Return: 0, or -EINVAL for what is no such limit, or none that can be.
 */
int options_limit(const char *name, const char *text, struct eng_limits *to)
{
	const size_t begin = offsetof(struct device_options, limits);
	struct device_options device = { .limits = *to };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		if (strcmp(name, limits[i].name) || limits[i].offset < begin ||
		    limits[i].offset >= begin + sizeof(device.limits))
			continue;
		if (parse_limit(&limits[i], text, &device))
			return -EINVAL;
		*to = device.limits;
		return 0;
	}
	return -EINVAL;
}

static const struct option fixed_options[] = {
	{ "socket", required_argument, NULL, 's' },
	{ "control", required_argument, NULL, 'c' },
	{ "user", required_argument, NULL, 'u' },
	{ "engine", required_argument, NULL, OPTION_ENGINE },
	{ "hold", no_argument, NULL, OPTION_HOLD },
	{ "inband", no_argument, NULL, OPTION_INBAND },
	{ "no-sandbox", no_argument, NULL, OPTION_NO_SANDBOX },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
};

static int parse_engine(const char *name)
{
	switch (eng_linear_choose(name)) {
	case VIRTIO_ACCEL_S_OK:
		return 0;
	case VIRTIO_ACCEL_S_UNSUPPORTED:
		say("--engine %s: this processor does not have it", name);
		return -EOPNOTSUPP;
	default:
		say("--engine %s: must be auto, integer, avx2 or avx512", name);
		return -EINVAL;
	}
}

static int parse_option(int option, struct options *options)
{
	switch (option) {
	case 's':
		options->socket = optarg;
		break;
	case 'c':
		options->control = optarg;
		break;
	case 't':
		return parse_limit(&limits[0], optarg, &options->device);
	case 'u':
		options->user = optarg;
		break;
	case 'v':
		log_verbose = true;
		break;
	case OPTION_ENGINE:
		return parse_engine(optarg);
	case OPTION_HOLD:
		options->device.hold = true;
		break;
	case OPTION_INBAND:
		options->inband = true;
		break;
	case OPTION_NO_SANDBOX:
		options->sandbox = false;
		break;
	default:
		if (option < OPTION_LIMIT || option >= OPTION_HOLD)
			return -EINVAL;
		return parse_limit(&limits[option - OPTION_LIMIT], optarg,
				   &options->device);
	}
	return 0;
}

/**
 * options_parse() - read the command line
 * @argc: as of main()
 * @argv: as of main()
 * @options: receives it
 *
 * Return: 0, or an exit status + 1.
 */
int options_parse(int argc, char **argv, struct options *options)
{
	struct option all[ARRAY_SIZE(fixed_options) + ARRAY_SIZE(limits) + 1] = {};
	u32 i, n = ARRAY_SIZE(fixed_options);
	int option;

	memset(options, 0, sizeof(*options));
	options->sandbox = true;
	device_defaults(&options->device);
	eng_linear_choose("auto");
	memcpy(all, fixed_options, sizeof(fixed_options));
	for (i = 0; i < ARRAY_SIZE(limits); i++)
		all[n++] = (struct option){ limits[i].name, required_argument,
					    NULL, OPTION_LIMIT + i };

	while ((option = getopt_long(argc, argv, "s:c:t:u:vh", all, NULL)) >= 0) {
		if (option == 'h') {
			fputs(help, stdout);
			return 1;
		}
		if (parse_option(option, options))
			return EXIT_USAGE + 1;
	}
	if (optind < argc || !options->socket) {
		say("%s; see --help", options->socket ?
		    "there are no arguments but options" :
		    "--socket is missing");
		return EXIT_USAGE + 1;
	}
	return 0;
}
