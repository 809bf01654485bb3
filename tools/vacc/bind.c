// SPDX-License-Identifier: GPL-2.0
/* Files that are bound to slots. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bind.h"
#include "input.h"

#define MAX_FILE	(1ULL << 40)

static bool parse_access(const char *text, uint32_t *access)
{
	static const char *const names[] = { "r", "w", "rw" };

	for (uint32_t i = 0; i < 3; i++) {
		if (!strcmp(text, names[i])) {
			*access = i + VIRTIO_ACCEL_ACCESS_READ;
			return true;
		}
	}
	return false;
}

/*
 * Cut the last fields off @text, which may have colons in its name: ACCESS is the
 * last, the last but one or the last but two.  Unused fields become NULL.
 */
static bool cut_fields(struct bind *bind, char *text, char **bytes, char **type)
{
	char *last[2] = { NULL, NULL };

	for (int i = 0; i < 3; i++) {
		char *colon = strrchr(text, ':');

		if (!colon)
			return false;
		*colon = 0;
		if (parse_access(colon + 1, &bind->access)) {
			*bytes = last[0];
			*type = last[1];
			return true;
		}
		last[1] = last[0];
		last[0] = colon + 1;
	}
	return false;
}

static bool ends_in_npy(const char *path)
{
	size_t length = strlen(path);

	return length > 4 && !strcmp(path + length - 4, ".npy");
}

static int parse_fields(struct bind *bind, const char *text)
{
	char *bytes, *type, *path = strchr(bind->path, '=');
	uint64_t slot;

	if (!path)
		return bad("binding %s is not SLOT=FILE:ACCESS[:BYTES[:TYPE]]", text);
	*path++ = 0;
	if (!number_parse(bind->path, 0, UINT32_MAX - 1, false, &slot))
		return bad("binding %s has no slot number", text);
	bind->slot = slot;
	if (!cut_fields(bind, path, &bytes, &type) || !*path)
		return bad("binding %s is not SLOT=FILE:ACCESS[:BYTES[:TYPE]]", text);
	memmove(bind->path, path, strlen(path) + 1);
	bind->is_npy = ends_in_npy(bind->path);
	if (bind->access != VIRTIO_ACCEL_ACCESS_WRITE) {
		if (bytes)
			return bad("binding %s is read: the file says how long it is", text);
		return 0;
	}
	if (!bytes)
		return bad("binding %s does not say how many bytes are written", text);
	if (!number_parse(bytes, 1, MAX_FILE, true, &bind->bytes))
		return bad("binding %s has no number of bytes", text);
	if (type) {
		int known = vacc_type_parse(type);

		if (known < 0)
			return bad("binding %s has no type such as f16 or u8", text);
		bind->type = known;
		bind->has_type = true;
	}
	return 0;
}

int bind_parse(struct bind *bind, const char *text)
{
	memset(bind, 0, sizeof(*bind));
	bind->output = (struct output)OUTPUT_CLOSED;
	bind->path = strdup(text);
	return bind->path ? parse_fields(bind, text) : broken("out of memory");
}

static int read_array(struct bind *bind)
{
	int fd = input_open(bind->path), status;
	ssize_t n = 0;

	if (fd < 0)
		return EXIT_BAD;
	status = npy_read(&bind->npy, fd, bind->path);
	if (!status) {
		bind->bytes = bind->npy.data_bytes;
		bind->type = npy_type(&bind->npy);
		bind->has_type = true;
		bind->data = malloc(bind->bytes + 1);
		if (bind->data)
			n = input_read(fd, bind->data, bind->bytes, bind->path);
		else
			status = broken("out of memory for %s", bind->path);
	}
	close(fd);
	if (status)
		return status;
	if (n < 0)
		return EXIT_BAD;
	if ((uint64_t)n < bind->bytes)
		return bad("%s is truncated: its shape needs more bytes", bind->path);
	if (bind->npy.fortran)
		return bad("%s is in Fortran order, not in C order", bind->path);
	return 0;
}

int bind_read(struct bind *bind)
{
	void *data;
	size_t bytes;
	int status;

	if (bind->access == VIRTIO_ACCEL_ACCESS_WRITE) {
		bind->data = malloc(bind->bytes);
		return bind->data ? 0 : broken("out of memory for %s", bind->path);
	}
	if (bind->is_npy) {
		status = read_array(bind);
	} else {
		status = input_file(bind->path, MAX_FILE, &data, &bytes);
		bind->data = data;
		bind->bytes = bytes;
	}
	if (!status && !bind->bytes)
		return bad("%s is empty", bind->path);
	return status;
}

int bind_create(struct bind *bind, struct session *session)
{
	const struct vacc_buffer_options options = { .element_type = bind->type };

	if (vacc_buffer_create(&session->context, bind->bytes, &options, &bind->buffer))
		return failed(session->dev, "cannot create a buffer");
	if (bind->access == VIRTIO_ACCEL_ACCESS_WRITE)
		return 0;
	if (vacc_buffer_write(&bind->buffer, 0, bind->data, bind->bytes))
		return failed(session->dev, "cannot write to the device");
	return 0;
}

/* An array is written as it was read, or else in one dimension. */
static int write_header(struct bind *bind)
{
	uint32_t item = vacc_type_bytes(bind->type);
	uint64_t shape = bind->bytes / item;
	const char *descr = npy_descr(bind->type);
	char header[NPY_BUILT], own[16];
	size_t bytes;

	if (bind->npy.header_bytes) {
		snprintf(own, sizeof(own), "%c%c%u", bind->npy.order, bind->npy.kind,
			 bind->npy.item_bytes);
		bytes = npy_build(header, own, bind->npy.shape, bind->npy.dims);
	} else if (bind->bytes % item || bind->type == VACC_TYPE_BF16) {
		bytes = npy_build(header, "|u1", &bind->bytes, 1);
	} else {
		bytes = npy_build(header, descr, &shape, 1);
	}
	return output_write(&bind->output, header, bytes);
}

int bind_write(struct bind *bind, struct session *session)
{
	int status;

	if (bind->access == VIRTIO_ACCEL_ACCESS_READ)
		return 0;
	if (vacc_buffer_read(&bind->buffer, 0, bind->data, bind->bytes))
		return failed(session->dev, "cannot read from the device");
	status = output_open(&bind->output, bind->path);
	if (!status && bind->is_npy)
		status = write_header(bind);
	return status ? status : output_write(&bind->output, bind->data, bind->bytes);
}

int bind_commit(struct bind *bind)
{
	if (bind->access == VIRTIO_ACCEL_ACCESS_READ)
		return 0;
	return output_commit(&bind->output);
}

void bind_close(struct bind *bind)
{
	output_abandon(&bind->output);
	free(bind->data);
	free(bind->path);
}
