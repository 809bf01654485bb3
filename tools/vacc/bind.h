/* SPDX-License-Identifier: GPL-2.0 */
/* Files that are bound to slots of a program. */
#ifndef VACC_BIND_H
#define VACC_BIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli.h"
#include "npy.h"
#include "output.h"

/**
 * struct bind - a file at a slot
 * @path: the file
 * @slot: the slot
 * @access: VIRTIO_ACCEL_ACCESS_*
 * @type: VACC_TYPE_* of the elements
 * @has_type: whether the command line gave @type
 * @is_npy: whether the file is an .npy file
 * @npy: its header, where it was read
 * @bytes: bytes of data
 * @data: the data
 * @buffer: where they are in the device
 * @output: where they go, where they are written
 */
struct bind {
	char *path;
	uint32_t slot;
	uint32_t access;
	uint32_t type;
	bool has_type;
	bool is_npy;
	struct npy npy;
	uint64_t bytes;
	char *data;
	struct vacc_buffer buffer;
	struct output output;
};

/* All return 0 or an exit status with the reason said. */

/* Parse SLOT=FILE:ACCESS[:BYTES[:TYPE]]. */
int bind_parse(struct bind *bind, const char *text);

/* Read the file, where it is read. */
int bind_read(struct bind *bind);

/* Create the buffer and fill it. */
int bind_create(struct bind *bind, struct session *session);

/* Write the file, where it is written, but do not put it in its place yet. */
int bind_write(struct bind *bind, struct session *session);

/* Put it there. */
int bind_commit(struct bind *bind);

void bind_close(struct bind *bind);

#endif /* VACC_BIND_H */
