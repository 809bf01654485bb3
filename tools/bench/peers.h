/* SPDX-License-Identifier: GPL-2.0 */
/* What dense linear is compared with. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct product - c = a * transposed b, of f32
 * @rows: rows of a and c
 * @terms: columns of a and b
 * @outputs: rows of b, columns of c
 * @a: row-major
 * @b: row-major
 * @c: row-major
 * @library: who computes it
 */
struct product {
	int rows;
	int terms;
	int outputs;
	const float *a;
	const float *b;
	float *c;
	const struct library *library;
};

/**
 * struct library - a library of matrix products
 * @name: its name
 * @file: of the shared object
 * @symbol: its function
 * @compute: how it is called
 * @function: where it is, NULL where the library is not installed
 */
struct library {
	const char *name;
	const char *file;
	const char *symbol;
	void (*compute)(void *product);
	void *function;
};

/* Sorted by nothing; ends with a name of NULL.  One thread each. */
struct library *peers_open(void);

/*
 * Multiply and add in registers only, for a few microseconds; what it could do at most.
 * The number of floating-point operations of one call; 0 where this CPU has no such
 * instructions.
 */
double peers_fma_work(bool avx512);
void peers_fma_avx512(void *unused);
void peers_fma_avx2(void *unused);

/* Read memory as fast as it can be read. */
struct range {
	const void *start;
	uint64_t bytes;
};

void peers_read(void *range);

#endif /* BENCH_PEERS_H */
