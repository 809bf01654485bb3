// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Loaded programs. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

int vacc_program_load_artifact(const struct vacc_context *context,
			       const struct vacc_artifact *artifact,
			       struct vacc_program *program)
{
	struct vacc_program_load arg = {
		.size = sizeof(arg),
		.context = context->handle,
		.format = artifact->format,
		.payload = (uintptr_t)artifact->payload,
		.payload_bytes = artifact->payload_bytes,
		.resident_bytes = artifact->resident_bytes,
	};
	int err;

	memset(program, 0, sizeof(*program));
	memcpy(arg.target, artifact->target, sizeof(arg.target));
	err = vacc_check_handle(context->dev, context->handle, "context");
	if (!err)
		err = vacc_ioctl(context->dev, VACC_PROGRAM_LOAD, &arg);
	if (err)
		return err;
	program->dev = context->dev;
	program->owner = context->owner;
	program->handle = arg.handle;
	program->context = context->handle;
	program->format = artifact->format;
	return 0;
}

int vacc_program_load(const struct vacc_context *context, const void *payload,
		      size_t bytes, struct vacc_program *program)
{
	struct vacc_artifact artifact;
	int err = vacc_artifact_init(&artifact, payload, bytes);

	if (err) {
		memset(program, 0, sizeof(*program));
		return err;
	}
	return vacc_program_load_artifact(context, &artifact, program);
}

/* Read @bytes of @fd; fewer are an error. */
static int read_all(int fd, char *data, size_t bytes, const char *path)
{
	while (bytes) {
		ssize_t n = read(fd, data, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return vacc_fail(errno, "cannot read %s: %s", path,
					 strerror(errno));
		if (!n)
			return vacc_fail(EIO, "%s became shorter while it was read",
					 path);
		data += n;
		bytes -= n;
	}
	return 0;
}

static int load_open_file(const struct vacc_context *context, int fd, const char *path,
			  struct vacc_program *program)
{
	struct stat st;
	void *data;
	int err;

	if (fstat(fd, &st))
		return vacc_fail(errno, "cannot read %s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return vacc_fail(EINVAL, "%s is not a regular file", path);
	if (!st.st_size)
		return vacc_fail(EINVAL, "%s is empty", path);
	data = (__u64)st.st_size > SIZE_MAX ? NULL : malloc(st.st_size);
	if (!data)
		return vacc_fail(ENOMEM, "out of memory for %s", path);
	err = read_all(fd, data, st.st_size, path);
	if (!err)
		err = vacc_program_load(context, data, st.st_size, program);
	free(data);
	return err;
}

int vacc_program_load_file(const struct vacc_context *context, const char *path,
			   struct vacc_program *program)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int err;

	memset(program, 0, sizeof(*program));
	if (fd < 0)
		return vacc_fail(errno, "cannot open %s: %s", path, strerror(errno));
	err = load_open_file(context, fd, path, program);
	close(fd);
	return err;
}

int vacc_program_unload(struct vacc_program *program)
{
	return vacc_drop(program->dev, VACC_PROGRAM_UNLOAD, &program->handle,
			 "program");
}

int vacc_program_query(const struct vacc_program *program,
		       struct vacc_program_query *query,
		       struct vacc_program_slot *slots, __u32 room)
{
	int err = vacc_check_handle(program->dev, program->handle, "program");

	memset(query, 0, sizeof(*query));
	if (err)
		return err;
	query->size = sizeof(*query);
	query->handle = program->handle;
	query->slots = vacc_array_of(slots, room, sizeof(*slots));
	return vacc_ioctl(program->dev, VACC_PROGRAM_QUERY, query);
}
