/* SPDX-License-Identifier: GPL-2.0 */
/* Reports on standard output: lines for people, or one JSON object. */
#ifndef VACC_REPORT_H
#define VACC_REPORT_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct report - a report
 * @json: whether it is JSON
 * @comma: whether a comma comes before the next value
 * @group: what names begin with, or NULL
 */
struct report {
	bool json;
	bool comma;
	const char *group;
};

void report_begin(struct report *report, bool json);
void report_end(struct report *report);

/* A group of values, one level deep. */
void report_group(struct report *report, const char *name);
void report_group_end(struct report *report);

void report_number(struct report *report, const char *name, uint64_t value);
void report_seconds(struct report *report, const char *name, double value);
void report_text(struct report *report, const char *name, const char *value);

/* Names of bits: an array in JSON.  @names ends with NULL, by bit number. */
void report_bits(struct report *report, const char *name, uint64_t bits,
		 const char *const *names);

/* Print a JSON string. */
void report_json_string(const char *text);

#endif /* VACC_REPORT_H */
