/* SPDX-License-Identifier: GPL-2.0 */
/* The demo's files: gzipped idx in, npy in and out. */
#ifndef _DEMO_DATA_H
#define _DEMO_DATA_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct idx - bytes of an idx file
 * @count: items: images or labels
 * @item_bytes: bytes of one of them
 * @bytes: all of them
 */
struct idx {
	size_t count;
	size_t item_bytes;
	uint8_t *bytes;
};

/**
 * struct matrix - f16 bits, row by row
 * @rows: number of rows
 * @columns: number of columns
 * @bits: rows * columns elements
 */
struct matrix {
	size_t rows;
	size_t columns;
	uint16_t *bits;
};

/* All end the program with one sentence where something is wrong. */
void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void *allocate(size_t count, size_t bytes);
void idx_read(struct idx *idx, const char *folder, const char *name);
void npy_read(struct matrix *m, const char *folder, const char *name);
void npy_write(const char *folder, const char *name, const char *type, size_t rows,
	       size_t columns, const void *data, size_t bytes);

#endif /* _DEMO_DATA_H */
