// SPDX-License-Identifier: GPL-2.0
/* Command lines and numbers. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "test.h"

static int nothing(const struct options *options)
{
	(void)options;
	return 0;
}

static const struct command command = {
	"test", "A B", "test", "More.",
	OPT_OUTPUT | OPT_JSON | OPT_BIND | OPT_TIMEOUT, 2, 2, nothing
};

static const struct command bare = {
	"bare", "", "bare", NULL, NO_DEVICE, 0, 0, nothing
};

static int parse(struct options *options, const struct command *of, const char *line)
{
	static char words[1024];
	static char *argv[600];
	int argc = 0, status, saved;

	memset(options, 0, sizeof(*options));
	snprintf(words, sizeof(words), "%s", line);
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	saved = test_silence(stderr);
	status = options_parse(options, of, argc, argv);
	test_unsilence(stderr, saved);
	return status;
}

static void test_good(void)
{
	struct options o;

	CHECK(!parse(&o, &command, "a b"));
	CHECK(o.argc == 2 && !strcmp(o.argv[0], "a") && !strcmp(o.argv[1], "b"));
	CHECK(!o.device && !o.output && !o.json);
	CHECK(!parse(&o, &command, "a -o out b --json --device 3"));
	CHECK(o.json && !strcmp(o.output, "out") && !strcmp(o.device, "3") && o.argc == 2);
	CHECK(!parse(&o, &command, "--output=out --device=/dev/x a b"));
	CHECK(!strcmp(o.output, "out") && !strcmp(o.device, "/dev/x"));
	CHECK(!parse(&o, &command, "--bind 0=x:r --bind 1=y:w a b"));
	CHECK(o.bind_count == 2 && !strcmp(o.binds[1], "1=y:w"));
	CHECK(!parse(&o, &command, "-- -a --json") && !o.json && o.argc == 2);
	CHECK(!parse(&o, &command, "- b") && o.argc == 2);
	CHECK(!parse(&o, &command, "--help") && o.help);
	CHECK(!parse(&o, &command, "-h a b c d") && o.help);
}

static void test_bad(void)
{
	char line[1024] = "a b";
	struct options o;

	CHECK(parse(&o, &command, "") == EXIT_BAD);
	CHECK(parse(&o, &command, "a") == EXIT_BAD);
	CHECK(parse(&o, &command, "a b c") == EXIT_BAD);
	CHECK(parse(&o, &command, "a b -o") == EXIT_BAD);
	CHECK(parse(&o, &command, "a b --device") == EXIT_BAD);
	CHECK(parse(&o, &command, "a b --json=1") == EXIT_BAD);
	CHECK(parse(&o, &command, "a b --jso") == EXIT_BAD);
	CHECK(parse(&o, &command, "a b --repeat 3") == EXIT_BAD);
	CHECK(parse(&o, &command, "a b -x") == EXIT_BAD);
	CHECK(parse(&o, &command, "a b -oout") == EXIT_BAD);
	CHECK(parse(&o, &bare, "--device 1") == EXIT_BAD);
	for (int i = 0; i < 100; i++)
		strcat(line, " --bind=");
	CHECK(!parse(&o, &command, line) && o.bind_count == 100);
}

static void test_numbers(void)
{
	uint64_t n;

	CHECK(number_parse("0", 0, 9, false, &n) && n == 0);
	CHECK(number_parse("0x1f", 0, 255, false, &n) && n == 31);
	CHECK(number_parse("0XFF", 0, 255, false, &n) && n == 255);
	CHECK(number_parse("010", 0, 255, false, &n) && n == 10);
	CHECK(number_parse("3K", 0, ~0ULL, true, &n) && n == 3072);
	CHECK(number_parse("2M", 0, ~0ULL, true, &n) && n == 2 << 20);
	CHECK(number_parse("1G", 0, ~0ULL, true, &n) && n == 1 << 30);
	CHECK(number_parse("18446744073709551615", 0, ~0ULL, true, &n) && n == ~0ULL);
	CHECK(!number_parse("18446744073709551616", 0, ~0ULL, true, &n));
	CHECK(!number_parse("17179869184G", 0, ~0ULL, true, &n));
	CHECK(!number_parse("256", 0, 255, false, &n));
	CHECK(!number_parse("0", 1, 255, false, &n));
	CHECK(!number_parse("3K", 0, ~0ULL, false, &n));
	CHECK(!number_parse("3KB", 0, ~0ULL, true, &n));
	CHECK(!number_parse("", 0, 255, false, &n));
	CHECK(!number_parse("0x", 0, 255, false, &n));
	CHECK(!number_parse("0x0x1", 0, 255, false, &n));
	CHECK(!number_parse("-1", 0, ~0ULL, false, &n));
	CHECK(!number_parse("+1", 0, 255, false, &n));
	CHECK(!number_parse(" 1", 0, 255, false, &n));
	CHECK(!number_parse("1 ", 0, 255, false, &n));
	CHECK(!number_parse("abc", 0, 255, false, &n));
	CHECK(!number_parse("0x-1", 0, ~0ULL, false, &n));
}

void test_options(void)
{
	test_good();
	test_bad();
	test_numbers();
}
