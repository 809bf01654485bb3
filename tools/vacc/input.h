/* SPDX-License-Identifier: GPL-2.0 */
/* Input files. */
#ifndef VACC_INPUT_H
#define VACC_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Open a file to read; returns a descriptor, or -1 with the reason said. */
int input_open(const char *path);

/* Read up to @bytes; fewer only at the end.  Returns how many, or -1 with the
 * reason said.
 */
ssize_t input_read(int fd, void *data, size_t bytes, const char *path);

/* Read a whole file of at most @max bytes; free(@data) later.  Returns 0 or an exit
 * status with the reason said.
 */
int input_file(const char *path, uint64_t max, void **data, size_t *bytes);

#endif /* VACC_INPUT_H */
