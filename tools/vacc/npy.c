// SPDX-License-Identifier: GPL-2.0
/*
 * Headers of .npy files.  A header is a Python dictionary; this takes just the
 * three keys that there are and evaluates nothing.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "input.h"
#include "npy.h"

static const unsigned char magic[6] = { 0x93, 'N', 'U', 'M', 'P', 'Y' };

/**
 * struct text - what is left of a header
 * @at: next character
 * @end: where it ends
 */
struct text {
	const char *at;
	const char *end;
};

static void skip_spaces(struct text *text)
{
	while (text->at < text->end && (*text->at == ' ' || *text->at == '\t' ||
					*text->at == '\n' || *text->at == '\r'))
		text->at++;
}

static bool take(struct text *text, char c)
{
	skip_spaces(text);
	if (text->at == text->end || *text->at != c)
		return false;
	text->at++;
	return true;
}

static bool take_word(struct text *text, const char *word)
{
	size_t length = strlen(word);

	skip_spaces(text);
	if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length))
		return false;
	text->at += length;
	return true;
}

/* Take a string without escapes. */
static bool take_string(struct text *text, char *string, size_t room)
{
	size_t length = 0;
	char quote;

	skip_spaces(text);
	if (text->at == text->end || (*text->at != '\'' && *text->at != '"'))
		return false;
	quote = *text->at++;
	while (text->at < text->end && *text->at != quote) {
		if (*text->at == '\\' || length + 1 == room)
			return false;
		string[length++] = *text->at++;
	}
	string[length] = 0;
	return take(text, quote);
}

static bool take_number(struct text *text, uint64_t *number)
{
	const char *start;

	skip_spaces(text);
	start = text->at;
	*number = 0;
	while (text->at < text->end && *text->at >= '0' && *text->at <= '9') {
		if (__builtin_mul_overflow(*number, 10, number) ||
		    __builtin_add_overflow(*number, *text->at - '0', number))
			return false;
		text->at++;
	}
	if (text->at == start)
		return false;
	/* Python 2 wrote long integers so. */
	if (text->at < text->end && *text->at == 'L')
		text->at++;
	return true;
}

static bool take_shape(struct text *text, struct npy *npy)
{
	if (!take(text, '('))
		return false;
	npy->dims = 0;
	while (!take(text, ')')) {
		if (npy->dims == NPY_MAX_DIMS ||
		    !take_number(text, &npy->shape[npy->dims]))
			return false;
		npy->dims++;
		if (take(text, ','))
			continue;
		/* (3) is a number, no shape. */
		return npy->dims > 1 && take(text, ')');
	}
	return true;
}

/* Take an element description such as '<f2'. */
static bool take_descr(struct text *text, struct npy *npy, const char **why)
{
	char descr[16];
	struct text digits;
	uint64_t bytes;

	if (!take_string(text, descr, sizeof(descr))) {
		*why = "has elements that are no plain numbers";
		return false;
	}
	digits.at = descr + 2;
	digits.end = descr + strlen(descr);
	if (strlen(descr) < 3 || !strchr("<>|=", descr[0]) ||
	    !take_number(&digits, &bytes) || digits.at != digits.end ||
	    !bytes || bytes > UINT32_MAX) {
		*why = "has elements that are no plain numbers";
		return false;
	}
	npy->order = descr[0];
	npy->kind = descr[1];
	npy->item_bytes = bytes;
	return true;
}

#define HAS_DESCR	(1 << 0)
#define HAS_ORDER	(1 << 1)
#define HAS_SHAPE	(1 << 2)
#define HAS_ALL		(HAS_DESCR | HAS_ORDER | HAS_SHAPE)

/* Take one key and its value; what it was is added to @has. */
static bool take_item(struct text *text, struct npy *npy, unsigned int *has,
		      const char **why)
{
	unsigned int item;
	char key[16];

	if (!take_string(text, key, sizeof(key)) || !take(text, ':'))
		return false;
	if (!strcmp(key, "descr")) {
		item = HAS_DESCR;
		if (!take_descr(text, npy, why))
			return false;
	} else if (!strcmp(key, "fortran_order")) {
		item = HAS_ORDER;
		npy->fortran = take_word(text, "True");
		if (!npy->fortran && !take_word(text, "False"))
			return false;
	} else if (!strcmp(key, "shape")) {
		item = HAS_SHAPE;
		if (!take_shape(text, npy))
			return false;
	} else {
		return false;
	}
	if (*has & item)
		return false;
	*has |= item;
	return true;
}

static bool take_all(struct text *text, struct npy *npy, const char **why)
{
	unsigned int has = 0;

	if (!take(text, '{'))
		return false;
	while (!take(text, '}')) {
		if (!take_item(text, npy, &has, why))
			return false;
		if (take(text, ','))
			continue;
		if (!take(text, '}'))
			return false;
		break;
	}
	skip_spaces(text);
	return text->at == text->end && has == HAS_ALL;
}

bool npy_probe(const void *bytes, size_t count)
{
	return count >= sizeof(magic) && !memcmp(bytes, magic, sizeof(magic));
}

/* Bytes before the dictionary. */
static size_t prelude(const unsigned char *bytes)
{
	return bytes[6] == 1 ? 10 : 12;
}

size_t npy_header_bytes(const void *bytes, const char **why)
{
	const unsigned char *b = bytes;
	size_t length;

	*why = "is no .npy file";
	if (!npy_probe(bytes, NPY_PRELUDE))
		return 0;
	*why = "is an .npy file of an unknown version";
	if (b[6] < 1 || b[6] > 3 || b[7])
		return 0;
	length = b[8] | b[9] << 8;
	if (b[6] > 1)
		length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
	*why = "has an .npy header that is too long";
	return length <= NPY_MAX_HEADER ? prelude(b) + length : 0;
}

bool npy_parse(struct npy *npy, const void *bytes, size_t count, const char **why)
{
	struct text text = { (const char *)bytes, (const char *)bytes + count };

	memset(npy, 0, sizeof(*npy));
	if (count < NPY_PRELUDE || npy_header_bytes(bytes, why) != count) {
		if (count < NPY_PRELUDE || npy_header_bytes(bytes, why))
			*why = "ends within its .npy header";
		return false;
	}
	text.at += prelude(bytes);
	*why = "has an .npy header that is malformed";
	if (!take_all(&text, npy, why))
		return false;
	*why = "has a shape that is too large";
	npy->header_bytes = count;
	npy->data_bytes = npy->item_bytes;
	for (unsigned int i = 0; i < npy->dims; i++) {
		if (__builtin_mul_overflow(npy->data_bytes, npy->shape[i],
					   &npy->data_bytes))
			return false;
	}
	if (npy->data_bytes > INT64_MAX - count)
		return false;
	*why = NULL;
	return true;
}

/* Compare the length of a regular file with what its header says. */
static int check_length(const struct npy *npy, int fd, const char *path)
{
	uint64_t want = npy->header_bytes + npy->data_bytes;
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return 0;
	if ((uint64_t)st.st_size < want)
		return bad("%s is truncated: its shape needs %llu bytes more", path,
			   (unsigned long long)(want - st.st_size));
	if ((uint64_t)st.st_size > want)
		return bad("%s has %llu bytes more than its shape needs", path,
			   (unsigned long long)(st.st_size - want));
	return 0;
}

int npy_read(struct npy *npy, int fd, const char *path)
{
	static char header[NPY_PRELUDE + NPY_MAX_HEADER];
	const char *why = "is no .npy file";
	size_t length;
	ssize_t n;

	n = input_read(fd, header, NPY_PRELUDE, path);
	if (n < 0)
		return EXIT_BAD;
	if (n < NPY_PRELUDE)
		return bad("%s %s", path,
			   npy_probe(header, n) ? "ends within its .npy header" : why);
	length = npy_header_bytes(header, &why);
	if (!length)
		return bad("%s %s", path, why);
	if (length < NPY_PRELUDE)
		return bad("%s has an .npy header that is malformed", path);
	n = input_read(fd, header + NPY_PRELUDE, length - NPY_PRELUDE, path);
	if (n < 0)
		return EXIT_BAD;
	if (!npy_parse(npy, header, NPY_PRELUDE + n, &why))
		return bad("%s %s", path, why);
	return check_length(npy, fd, path);
}

static const struct {
	uint32_t type;
	char kind;
	uint32_t bytes;
	const char *descr;
} types[] = {
	{ VACC_TYPE_U8, 'u', 1, "|u1" },
	{ VACC_TYPE_I8, 'i', 1, "|i1" },
	{ VACC_TYPE_I32, 'i', 4, "<i4" },
	{ VACC_TYPE_F16, 'f', 2, "<f2" },
	{ VACC_TYPE_F32, 'f', 4, "<f4" },
	{ VACC_TYPE_F64, 'f', 8, "<f8" },
};

#define TYPE_COUNT	(sizeof(types) / sizeof(types[0]))

static bool is_little_endian(const struct npy *npy)
{
	static const uint16_t one = 1;

	return npy->order == '<' || npy->item_bytes == 1 ||
	       (npy->order == '=' && *(const unsigned char *)&one);
}

uint32_t npy_type(const struct npy *npy)
{
	if (!is_little_endian(npy))
		return VACC_TYPE_UNTYPED;
	for (size_t i = 0; i < TYPE_COUNT; i++) {
		if (types[i].kind == npy->kind && types[i].bytes == npy->item_bytes)
			return types[i].type;
	}
	return VACC_TYPE_UNTYPED;
}

const char *npy_descr(uint32_t type)
{
	for (size_t i = 0; i < TYPE_COUNT; i++) {
		if (types[i].type == type)
			return types[i].descr;
	}
	return "|u1";
}

size_t npy_build(char *header, const char *descr, const uint64_t *shape,
		 unsigned int dims)
{
	size_t at = 10, total;

	memcpy(header, magic, sizeof(magic));
	header[6] = 1;
	header[7] = 0;
	at += snprintf(header + at, NPY_BUILT - at,
		       "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
	for (unsigned int i = 0; i < dims; i++)
		at += snprintf(header + at, NPY_BUILT - at, "%s%llu%s", i ? " " : "",
			       (unsigned long long)shape[i],
			       i + 1 < dims || dims == 1 ? "," : "");
	at += snprintf(header + at, NPY_BUILT - at, "), }");
	total = (at + 1 + 63) / 64 * 64;
	memset(header + at, ' ', total - at);
	header[total - 1] = '\n';
	header[8] = (total - 10) & 0xff;
	header[9] = (total - 10) >> 8;
	return total;
}
