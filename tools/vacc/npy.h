/* SPDX-License-Identifier: GPL-2.0 */
/* Headers of .npy files, versions 1 to 3. */
#ifndef VACC_NPY_H
#define VACC_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NPY_MAX_DIMS	32
#define NPY_MAX_HEADER	65536
#define NPY_PRELUDE	12	/* bytes that tell how long the header is */

/**
 * struct npy - what a header says
 * @order: '<', '>', '|' or '='
 * @kind: such as 'f'
 * @item_bytes: bytes of an element
 * @fortran: whether columns come first
 * @dims: number of dimensions
 * @shape: the dimensions
 * @header_bytes: where the elements begin
 * @data_bytes: bytes of all elements
 */
struct npy {
	char order;
	char kind;
	uint32_t item_bytes;
	bool fortran;
	unsigned int dims;
	uint64_t shape[NPY_MAX_DIMS];
	size_t header_bytes;
	uint64_t data_bytes;
};

/* Whether a file that begins like this is, or means to be, an .npy file. */
bool npy_probe(const void *bytes, size_t count);

/* How long the header is that begins with NPY_PRELUDE @bytes; 0 with a sentence in
 * @why where it is none.
 */
size_t npy_header_bytes(const void *bytes, const char **why);

/* Parse a header of just npy_header_bytes(); false with a sentence in @why. */
bool npy_parse(struct npy *npy, const void *bytes, size_t count, const char **why);

/* Read a header from a file and check that as many elements follow as it says; the
 * file then stands at the first.  Returns 0 or an exit status with the reason said.
 */
int npy_read(struct npy *npy, int fd, const char *path);

/* VACC_TYPE_* of the elements, untyped where there is none. */
uint32_t npy_type(const struct npy *npy);

/* Element description of a VACC_TYPE_*, such as "<f2"; bytes for untyped and bf16. */
const char *npy_descr(uint32_t type);

/* Make a header of version 1 for an array in C order; returns its length, which is
 * at most NPY_BUILT.
 */
#define NPY_BUILT	1024
size_t npy_build(char *header, const char *descr, const uint64_t *shape,
		 unsigned int dims);

#endif /* VACC_NPY_H */
