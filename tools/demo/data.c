// SPDX-License-Identifier: GPL-2.0
/* The demo's files: gzipped idx in, npy in and out. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "data.h"

#define IDX_U8		0x08
#define NPY_MAGIC	"\x93NUMPY\x01\x00"
#define NPY_MAGIC_BYTES	8
#define NPY_HEADER	128	/* what we write: magic, length, text */

void die(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("fashion: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

void *allocate(size_t count, size_t bytes)
{
	void *p = calloc(count, bytes);

	if (!p)
		die("out of memory");
	return p;
}

static void path_of(char *path, const char *folder, const char *name)
{
	if (snprintf(path, PATH_MAX, "%s/%s", folder, name) >= PATH_MAX)
		die("%s/%s: the name is too long", folder, name);
}

static void gz_need(gzFile f, const char *path, void *data, size_t bytes)
{
	/* No file of the data set is near INT_MAX. */
	if (bytes > INT_MAX || gzread(f, data, bytes) != (int)bytes)
		die("%s: it is cut short or damaged", path);
}

static uint32_t big_endian(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

/* A gzipped file is read as well as one that is not. */
void idx_read(struct idx *idx, const char *folder, const char *name)
{
	char path[PATH_MAX];
	uint8_t word[4];
	unsigned int dims;
	gzFile f;

	path_of(path, folder, name);
	f = gzopen(path, "rb");
	if (!f)
		die("%s: %s", path, strerror(errno));
	gz_need(f, path, word, sizeof(word));
	dims = word[3];
	if (word[0] || word[1] || word[2] != IDX_U8 || dims < 1 || dims > 3)
		die("%s: it is not an idx file of bytes", path);
	gz_need(f, path, word, sizeof(word));
	idx->count = big_endian(word);
	idx->item_bytes = 1;
	while (--dims) {
		uint32_t n;

		gz_need(f, path, word, sizeof(word));
		n = big_endian(word);
		if (n > 4096)
			die("%s: its images are too large", path);
		idx->item_bytes *= n;
	}
	if (!idx->count || !idx->item_bytes || idx->count > INT_MAX / idx->item_bytes)
		die("%s: its size makes no sense", path);
	idx->bytes = allocate(idx->count, idx->item_bytes);
	gz_need(f, path, idx->bytes, idx->count * idx->item_bytes);
	gzclose(f);
}

/* The little of npy 1.0 that the weights need: a matrix of f16 in C order. */
void npy_read(struct matrix *m, const char *folder, const char *name)
{
	uint8_t start[NPY_MAGIC_BYTES + 2];
	char path[PATH_MAX], *text;
	const char *shape;
	size_t length;
	FILE *f;

	path_of(path, folder, name);
	f = fopen(path, "rb");
	if (!f)
		die("%s: %s", path, strerror(errno));
	if (fread(start, sizeof(start), 1, f) != 1 ||
	    memcmp(start, NPY_MAGIC, NPY_MAGIC_BYTES))
		die("%s: it is not an npy file of version 1.0", path);
	length = start[NPY_MAGIC_BYTES] | start[NPY_MAGIC_BYTES + 1] << 8;
	text = allocate(length + 1, 1);
	if (length && fread(text, length, 1, f) != 1)
		die("%s: it is cut short", path);
	shape = strstr(text, "'shape': (");
	if (!strstr(text, "'descr': '<f2'") || !strstr(text, "'fortran_order': False") ||
	    !shape || sscanf(shape, "'shape': (%zu, %zu)", &m->rows, &m->columns) != 2)
		die("%s: it is not a matrix of float16 in C order", path);
	if (!m->rows || !m->columns || m->rows > 65536 || m->columns > 65536)
		die("%s: its size makes no sense", path);
	free(text);
	m->bits = allocate(m->rows * m->columns, sizeof(*m->bits));
	if (fread(m->bits, m->columns * sizeof(*m->bits), m->rows, f) != m->rows)
		die("%s: it is cut short", path);
	fclose(f);
}

/* With @columns 0 it is a vector. */
void npy_write(const char *folder, const char *name, const char *type, size_t rows,
	       size_t columns, const void *data, size_t bytes)
{
	char header[NPY_HEADER], shape[64], path[PATH_MAX];
	char *text = header + NPY_MAGIC_BYTES + 2;
	size_t length = NPY_HEADER - NPY_MAGIC_BYTES - 2;
	FILE *f;

	if (columns)
		snprintf(shape, sizeof(shape), "%zu, %zu", rows, columns);
	else
		snprintf(shape, sizeof(shape), "%zu,", rows);
	memcpy(header, NPY_MAGIC, NPY_MAGIC_BYTES);
	text[-2] = length;
	text[-1] = 0;
	memset(text, ' ', length);
	text[snprintf(text, length, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
		      type, shape)] = ' ';
	text[length - 1] = '\n';

	path_of(path, folder, name);
	f = fopen(path, "wb");
	if (!f)
		die("%s: %s", path, strerror(errno));
	if (fwrite(header, NPY_HEADER, 1, f) != 1 || fwrite(data, bytes, 1, f) != 1 ||
	    fclose(f))
		die("%s: %s", path, strerror(errno));
}
