/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output files: written aside and renamed at the end, so that they are complete
 * or not there.  What is no regular file, such as /dev/null, is written directly.
 */
#ifndef VACC_OUTPUT_H
#define VACC_OUTPUT_H

#include <stddef.h>

/**
 * struct output - an output file
 * @fd: its descriptor, -1 where it is not open
 * @name: path as it was given
 * @path: where it goes, NULL where it is written directly
 * @temp: where it is written until then
 */
struct output {
	int fd;
	const char *name;
	char *path;
	char *temp;
};

#define OUTPUT_CLOSED	{ .fd = -1 }

/* Remove what is half written when a signal ends the program. */
void output_catch_signals(void);

/* All return 0 or an exit status with the reason said. */
int output_open(struct output *output, const char *path);
int output_write(struct output *output, const void *data, size_t bytes);

/* Put the file in its place and close it. */
int output_commit(struct output *output);

/* Remove what was written, if output_commit() did not succeed. */
void output_abandon(struct output *output);

/* All at once. */
int output_file(const char *path, const void *data, size_t bytes);

#endif /* VACC_OUTPUT_H */
