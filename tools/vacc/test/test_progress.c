// SPDX-License-Identifier: GPL-2.0
/* The progress bar and reports. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"
#include "report.h"
#include "test.h"

/* Have @stream go to @fd while @draw runs; then read what came out. */
static void capture(FILE *stream, int fd, int from, void (*draw)(void), char *text,
		    size_t room)
{
	int saved = dup(fileno(stream));
	ssize_t n;

	fflush(stream);
	dup2(fd, fileno(stream));
	draw();
	fflush(stream);
	dup2(saved, fileno(stream));
	close(saved);
	n = read(from, text, room - 1);
	text[n > 0 ? n : 0] = 0;
}

static void draw_bar(void)
{
	progress_show("rows", 5, 10);
	progress_show("rows", 6, 10);	/* too soon to be drawn */
	progress_show("rows", 10, 10);
	progress_show("rows", 0, 0);
	progress_clear();
	progress_clear();
}

static void test_bar(void)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), line, pipes[2];
	char text[1024] = "";

	grantpt(terminal);
	unlockpt(terminal);
	line = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	CHECK(terminal >= 0 && line >= 0);
	if (line < 0)
		return;
	capture(stderr, line, terminal, draw_bar, text, sizeof(text));
	CHECK(strstr(text, "rows [####################....................] 5/10"));
	CHECK(strstr(text, "rows [########################################] 10/10"));
	CHECK(!strstr(text, "6/10") && !strcmp(text + strlen(text) - 4, "\r\033[K"));
	close(line);
	close(terminal);

	CHECK(!pipe2(pipes, O_NONBLOCK));
	capture(stderr, pipes[1], pipes[0], draw_bar, text, sizeof(text));
	CHECK_NAMED(!*text, "no bar but on a terminal");
	close(pipes[0]);
	close(pipes[1]);
}

static const char *const names[] = { "ONE", NULL };

static void print_report(bool json)
{
	struct report report;

	report_begin(&report, json);
	report_text(&report, "text", "a\"b\\c\n\x7f\xc3\xa9");
	report_group(&report, "group");
	report_number(&report, "first", 18446744073709551615ULL);
	report_number(&report, "second", 0);
	report_group_end(&report);
	report_bits(&report, "bits", 1 | 1ULL << 63, names);
	report_bits(&report, "none", 0, names);
	report_seconds(&report, "seconds", 1.5);
	report_end(&report);
}

static void print_json(void)
{
	print_report(true);
}

static void print_lines(void)
{
	print_report(false);
}

static void test_reports(void)
{
	char text[1024] = "";
	int pipes[2];

	CHECK(!pipe2(pipes, O_NONBLOCK));
	capture(stdout, pipes[1], pipes[0], print_json, text, sizeof(text));
	CHECK(strstr(text, "{\"text\":\"a\\\"b\\\\c\\u000a\\u007f\xc3\xa9\","));
	CHECK(strstr(text, ",\"group\":{\"first\":18446744073709551615,\"second\":0},"));
	CHECK(strstr(text, ",\"bits\":[\"ONE\",\"bit63\"],\"none\":[],"));
	CHECK(strstr(text, ",\"seconds\":1.500000}\n"));
	capture(stdout, pipes[1], pipes[0], print_lines, text, sizeof(text));
	CHECK(strstr(text, "\ngroup second              0\n"));
	CHECK(strstr(text, "\nbits                      ONE bit63\n"));
	CHECK(strstr(text, "\nnone                      -\n"));
	close(pipes[0]);
	close(pipes[1]);
}

void test_progress(void)
{
	test_bar();
	test_reports();
}
