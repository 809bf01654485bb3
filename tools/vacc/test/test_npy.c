// SPDX-License-Identifier: GPL-2.0
/* The parser of .npy headers. */
#include <stdlib.h>
#include <string.h>

#include "libvacc.h"
#include "npy.h"
#include "test.h"

/* Make a whole header around a dictionary; free() later. */
static unsigned char *wrap(unsigned int major, const char *dictionary, size_t *bytes)
{
	size_t length = strlen(dictionary), before = major == 1 ? 10 : 12;
	unsigned char *header = calloc(1, before + length);

	memcpy(header, "\x93NUMPY", 6);
	header[6] = major;
	header[8] = length;
	header[9] = length >> 8;
	if (major > 1) {
		header[10] = length >> 16;
		header[11] = length >> 24;
	}
	memcpy(header + before, dictionary, length);
	*bytes = before + length;
	return header;
}

static bool parse(struct npy *npy, unsigned int major, const char *dictionary,
		  const char **why)
{
	size_t bytes;
	unsigned char *header = wrap(major, dictionary, &bytes);
	bool ok = npy_parse(npy, header, bytes, why);

	free(header);
	return ok;
}

#define PADDING "   \x20\n"
#define ONES "1,1,1,1,1,1,1,1,"
#define F2 "{'descr': '<f2', 'fortran_order': False, 'shape': "

static void test_good(void)
{
	struct npy npy;
	const char *why;

	for (unsigned int major = 1; major <= 3; major++) {
		CHECK(parse(&npy, major, F2 "(3, 4), }" PADDING, &why));
		CHECK(npy.dims == 2 && npy.shape[0] == 3 && npy.shape[1] == 4);
		CHECK(npy.item_bytes == 2 && npy.kind == 'f' && npy.data_bytes == 24);
		CHECK(!npy.fortran && npy_type(&npy) == VACC_TYPE_F16);
	}
	CHECK(parse(&npy, 1, "{\"shape\":(5,),\"descr\":\"|u1\",\"fortran_order\":True}",
		    &why));
	CHECK(npy.dims == 1 && npy.shape[0] == 5 && npy.fortran &&
	      npy_type(&npy) == VACC_TYPE_U8);
	CHECK(parse(&npy, 1, F2 "()}", &why) && !npy.dims && npy.data_bytes == 2);
	CHECK(parse(&npy, 1, F2 "(0, 7)}", &why) && !npy.data_bytes);
	CHECK(parse(&npy, 1, F2 "(10L, 3L)}", &why) && npy.data_bytes == 60);
	CHECK(parse(&npy, 1, F2 "(1, 2,)}", &why) && npy.dims == 2);
	CHECK(parse(&npy, 1, "{'descr': '>f2', 'fortran_order': False, 'shape': (1,)}",
		    &why));
	CHECK(npy_type(&npy) == VACC_TYPE_UNTYPED);
	CHECK(parse(&npy, 1, "{'descr': '<c16', 'fortran_order': False, 'shape': (1,)}",
		    &why));
	CHECK(npy.item_bytes == 16 && npy_type(&npy) == VACC_TYPE_UNTYPED);
}

static void test_bad(void)
{
	static const char *const bad[] = {
		"", "{", "}", "{}", "\n", "None",
		F2 "(3, 4)", F2 "(3, 4)} x", F2 "(3 4)}", F2 "(3)}", F2 "3}", F2 "(,)}",
		F2 "(-1, 4)}", F2 "(3.0, 4)}", F2 "(0x3, 4)}", F2 "[3, 4]}", F2 "(3,,)}",
		F2 "(3, 4), 'x': 1}", F2 "(3, 4), 'descr': '<f2'}",
		F2 "(3, 4), 'shape': (3, 4)}", F2 "(18446744073709551616,)}",
		F2 "(18446744073709551615, 2)}", F2 "(4294967296, 4294967296)}",
		F2 "(9223372036854775807,)}", F2 "(4611686018427387904,)}",
		"{'descr': '<f2', 'shape': (3, 4)}",
		"{'fortran_order': False, 'shape': (3, 4)}",
		"{'descr': '<f2', 'fortran_order': 0, 'shape': (3, 4)}",
		"{'descr': [('a', '<f2')], 'fortran_order': False, 'shape': (3, 4)}",
		"{'descr': 'float16', 'fortran_order': False, 'shape': (3, 4)}",
		"{'descr': '<f', 'fortran_order': False, 'shape': (3, 4)}",
		"{'descr': '<f0', 'fortran_order': False, 'shape': (3, 4)}",
		"{'descr': '<f4294967296', 'fortran_order': False, 'shape': (3, 4)}",
		"{'descr': '<f2x', 'fortran_order': False, 'shape': (3, 4)}",
		"{'descr': '<f2, 'fortran_order': False, 'shape': (3, 4)}",
		"{'descr': '\\x3cf2', 'fortran_order': False, 'shape': (3, 4)}",
		"{'descr': '<f2', 'fortran_order': __import__('os'), 'shape': (3, 4)}",
		F2 "(" ONES ONES ONES ONES "1)}",
		"{'descrdescrdescrdescr': '<f2', 'fortran_order': False, 'shape': (3, 4)}",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *why = NULL;
		struct npy npy;

		CHECK_NAMED(!parse(&npy, 1, bad[i], &why) && why, bad[i]);
		CHECK_NAMED(!parse(&npy, 2, bad[i], &why) && why, bad[i]);
	}
}

static void test_preludes(void)
{
	const char *why;

	CHECK(npy_header_bytes("\x93NUMPY\1\0\x76\0{'", &why) == 128);
	CHECK(npy_header_bytes("\x93NUMPY\2\0\x74\0\0\0", &why) == 128);
	CHECK(!npy_header_bytes("\x93NUMPZ\1\0\x76\0{'", &why));
	CHECK(!npy_header_bytes("\x93NUMPY\4\0\x76\0{'", &why) && strstr(why, "version"));
	CHECK(!npy_header_bytes("\x93NUMPY\0\0\x76\0{'", &why) && strstr(why, "version"));
	CHECK(!npy_header_bytes("\x93NUMPY\1\1\x76\0{'", &why) && strstr(why, "version"));
	CHECK(!npy_header_bytes("\x93NUMPY\2\0\377\377\377\377", &why) &&
	      strstr(why, "too long"));
	CHECK(npy_probe("\x93NUMPY", 6) && !npy_probe("\x93NUMP", 5));
}

static void test_built(void)
{
	static const uint64_t shape[] = { 10000, 785, 3 };
	char header[NPY_BUILT];
	struct npy npy;
	const char *why;

	for (unsigned int dims = 0; dims <= 3; dims++) {
		size_t bytes = npy_build(header, "<f2", shape, dims);

		CHECK(!(bytes % 64) && header[bytes - 1] == '\n');
		CHECK(npy_header_bytes(header, &why) == bytes);
		CHECK(npy_parse(&npy, header, bytes, &why) && npy.dims == dims);
		CHECK(!memcmp(npy.shape, shape, dims * sizeof(*shape)));
	}
	/* The bytes that NumPy itself writes. */
	npy_build(header, "<f2", shape, 1);
	CHECK(!memcmp(header + 10,
		      "{'descr': '<f2', 'fortran_order': False, 'shape': (10000,), }  ", 62));
}

static void test_largest(void)
{
	uint64_t shape[NPY_MAX_DIMS];
	char header[NPY_BUILT];

	for (size_t i = 0; i < NPY_MAX_DIMS; i++)
		shape[i] = UINT64_MAX;
	CHECK(npy_build(header, "<c4294967295", shape, NPY_MAX_DIMS) <= NPY_BUILT);
}

static void test_damage(void)
{
	size_t bytes;
	unsigned char *good = wrap(1, F2 "(3, 4), }" PADDING, &bytes);
	unsigned char *header = malloc(bytes);
	const char *why;
	struct npy npy;

	for (size_t length = 0; length < bytes; length++) {
		unsigned char *prefix = malloc(length ? length : 1);

		memcpy(prefix, good, length);
		CHECK(!npy_parse(&npy, prefix, length, &why));
		free(prefix);
	}
	for (size_t bit = 0; bit < 8 * bytes; bit++) {
		memcpy(header, good, bytes);
		header[bit / 8] ^= 1 << bit % 8;
		npy_parse(&npy, header, bytes, &why);
	}
	srand(2);
	for (int i = 0; i < 200000; i++) {
		memcpy(header, good, bytes);
		for (int k = rand() % 3; k >= 0; k--)
			header[10 + rand() % (bytes - 10)] =
				"{}():,'\" 0123456789<|fL\n"[rand() % 24];
		npy_parse(&npy, header, bytes, &why);
	}
	CHECK_NAMED(true, "damaged headers do no harm");
	free(header);
	free(good);
}

void test_npy(void)
{
	test_good();
	test_bad();
	test_preludes();
	test_built();
	test_largest();
	test_damage();
}
