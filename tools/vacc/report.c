// SPDX-License-Identifier: GPL-2.0
/* Reports. */
#include <stdio.h>

#include "report.h"

void report_json_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		unsigned char c = *text;

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

void report_begin(struct report *report, bool json)
{
	*report = (struct report) { .json = json };
	if (json)
		putchar('{');
}

void report_end(struct report *report)
{
	if (report->json)
		puts("}");
}

/* What comes before a value. */
static void begin_value(struct report *report, const char *name)
{
	if (report->json) {
		if (report->comma)
			putchar(',');
		report->comma = true;
		report_json_string(name);
		putchar(':');
	} else {
		int used = report->group ? printf("%s ", report->group) : 0;

		printf("%-*s", 26 - used, name);
	}
}

static void end_value(struct report *report)
{
	if (!report->json)
		putchar('\n');
}

void report_group(struct report *report, const char *name)
{
	if (report->json) {
		begin_value(report, name);
		putchar('{');
		report->comma = false;
	}
	report->group = name;
}

void report_group_end(struct report *report)
{
	if (report->json) {
		putchar('}');
		report->comma = true;
	}
	report->group = NULL;
}

void report_number(struct report *report, const char *name, uint64_t value)
{
	begin_value(report, name);
	printf("%llu", (unsigned long long)value);
	end_value(report);
}

void report_seconds(struct report *report, const char *name, double value)
{
	begin_value(report, name);
	printf("%.6f", value);
	end_value(report);
}

void report_text(struct report *report, const char *name, const char *value)
{
	begin_value(report, name);
	if (report->json)
		report_json_string(value);
	else
		fputs(value, stdout);
	end_value(report);
}

static void print_bit(bool json, bool first, unsigned int bit, const char *name)
{
	char number[16];

	if (!name) {
		snprintf(number, sizeof(number), "bit%u", bit);
		name = number;
	}
	if (!first)
		putchar(json ? ',' : ' ');
	if (json)
		report_json_string(name);
	else
		fputs(name, stdout);
}

void report_bits(struct report *report, const char *name, uint64_t bits,
		 const char *const *names)
{
	bool first = true;

	begin_value(report, name);
	if (report->json)
		putchar('[');
	for (unsigned int bit = 0; bit < 64; bit++) {
		const char *known = *names ? *names++ : NULL;

		if (!(bits >> bit & 1))
			continue;
		print_bit(report->json, first, bit, known);
		first = false;
	}
	if (report->json)
		putchar(']');
	else if (first)
		putchar('-');
	end_value(report);
}
