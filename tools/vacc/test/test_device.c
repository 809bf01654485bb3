// SPDX-License-Identifier: GPL-2.0
/* The library on a device: its objects. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libvacc.h"
#include "test.h"

static void test_device(struct vacc_device *dev)
{
	struct vacc_format formats[8];
	struct vacc_get_info info;
	struct vacc_device *same;
	unsigned int numbers[4];
	char number[16];

	CHECK(vacc_list(numbers, 4) >= 1 && vacc_fd(dev) >= 0);
	snprintf(number, sizeof(number), "%u", numbers[0]);
	CHECK(!vacc_open(number, &same));
	CHECK(same && !strcmp(vacc_path(same), vacc_path(dev)));
	vacc_close(same);
	CHECK(!vacc_open(vacc_path(dev), &same));
	vacc_close(same);
	CHECK(!vacc_info(dev, &info, formats, 8) && info.max_bindings);
	CHECK(info.features == vacc_features(dev) && info.abi_version == VACC_ABI_VERSION);
	CHECK(info.formats.count <= 8);
	CHECK(!vacc_info(dev, &info, NULL, 0));
}

static void test_context(struct vacc_device *dev)
{
	struct vacc_context context;
	struct vacc_queue queue;

	CHECK(!vacc_context_create(dev, &context) && context.handle);
	CHECK(!vacc_queue_create(&context, &queue) && queue.handle);
	CHECK(vacc_context_destroy(&context) == -EBUSY && context.handle);
	CHECK(!vacc_queue_destroy(&queue) && !queue.handle);
	CHECK(vacc_queue_destroy(&queue) == -ENOENT);
	CHECK(!vacc_context_destroy(&context) && !context.handle);
}

/* R11: offsets on both sides, and types that are asserted. */
static void test_transfers(const struct vacc_context *context)
{
	const struct vacc_buffer_options u8 = { .element_type = VACC_TYPE_U8 };
	__u8 in[] = { 10, 11, 12, 13 }, out[6] = { 0 }, all[4];
	struct vacc_buffer_query query;
	struct vacc_buffer buffer;
	struct vacc_iov pieces[] = {
		{ (uintptr_t)&out[2], 1 }, { (uintptr_t)&out[4], 0 },
		{ (uintptr_t)&out[3], 1 },
	};

	CHECK(!vacc_buffer_create(context, 4, &u8, &buffer));
	CHECK(buffer.bytes == 4 && buffer.handle && buffer.alignment >= 64);
	CHECK(!vacc_buffer_read(&buffer, 0, all, 4) && !memcmp(all, "\0\0\0\0", 4));
	CHECK(!vacc_buffer_write(&buffer, 0, in, 4));
	CHECK(!vacc_buffer_readv(&buffer, 1, pieces, 3, VACC_TYPE_U8));
	CHECK(!memcmp(out, "\0\0\13\14\0\0", 6));
	CHECK(vacc_buffer_readv(&buffer, 1, pieces, 3, VACC_TYPE_F16) == -EINVAL);
	CHECK(!vacc_buffer_writev(&buffer, 2, pieces, 3, VACC_TYPE_U8));
	CHECK(!vacc_buffer_read(&buffer, 0, all, 4) && !memcmp(all, "\12\13\13\14", 4));
	CHECK(vacc_buffer_read(&buffer, 3, all, 2) == -ERANGE);
	CHECK(vacc_buffer_read(&buffer, 0, all, 0) == -EINVAL);
	CHECK(!vacc_buffer_query(&buffer, &query) && query.bytes == 4 &&
	      query.element_type == VACC_TYPE_U8);
	CHECK(!vacc_buffer_destroy(&buffer) && !buffer.handle);
	CHECK(vacc_buffer_destroy(&buffer) == -ENOENT);
	CHECK(vacc_buffer_create(context, 0, NULL, &buffer) == -EINVAL && !buffer.handle);
}

static void test_mapping(struct vacc_device *dev, const struct vacc_context *context)
{
	struct vacc_buffer buffer;
	void *map;
	char text[6];

	CHECK(!vacc_buffer_create(context, 5000, NULL, &buffer));
	if (!(vacc_features(dev) & VACC_FEATURE_MMAP)) {
		CHECK(vacc_buffer_map(&buffer, PROT_READ) == -EOPNOTSUPP);
		vacc_buffer_destroy(&buffer);
		return;
	}
	CHECK(!vacc_buffer_map(&buffer, PROT_READ | PROT_WRITE));
	map = buffer.map;
	CHECK(map && !vacc_buffer_map(&buffer, PROT_READ) && buffer.map == map);
	if (map)
		memcpy((char *)map + 4994, "hello", 6);
	CHECK(!vacc_buffer_read(&buffer, 4994, text, 6) && !strcmp(text, "hello"));
	vacc_buffer_unmap(&buffer);
	CHECK(!buffer.map && !vacc_buffer_map(&buffer, PROT_READ));
	CHECK(buffer.map && !strcmp((char *)buffer.map + 4994, "hello"));
	CHECK(!vacc_buffer_destroy(&buffer) && !buffer.map);
}

static void test_errors(struct vacc_device *dev, const struct vacc_context *context)
{
	struct vacc_last_error error;
	struct vacc_buffer buffer;
	char byte;

	CHECK(!vacc_buffer_create(context, 10, NULL, &buffer));
	CHECK(vacc_buffer_read(&buffer, 10, &byte, 1) == -ERANGE);
	CHECK(!vacc_last_error_query(dev, &error) && error.error == ERANGE &&
	      error.tid == (__u32)gettid());
	CHECK(*vacc_last_error(dev));
	CHECK(!strcmp(vacc_last_error(NULL), vacc_strerror(ERANGE)));
	CHECK(vacc_ioctl(dev, _IO(VACC_IOC_MAGIC, 0xff), &error) == -ENOTTY);
	vacc_buffer_destroy(&buffer);
}

/* A device that lists formats looks into programs, and one that does not has no idea. */
static bool describes(struct vacc_device *dev)
{
	struct vacc_get_info info;

	return !vacc_info(dev, &info, NULL, 0) && info.formats.count;
}

static void test_programs(const struct vacc_context *context)
{
	char path[] = "/tmp/program.XXXXXX";
	struct vacc_program_query query;
	struct vacc_ref_artifact ref;
	struct vacc_artifact artifact;
	struct vacc_program program;
	struct vacc_program_slot slots[2];
	int fd = mkstemp(path);

	vacc_ref_copy(&ref, 5, 3);
	CHECK(write(fd, &ref, sizeof(ref)) == sizeof(ref));
	close(fd);
	CHECK(!vacc_program_load_file(context, path, &program) && program.handle);
	unlink(path);
	CHECK(!vacc_program_query(&program, &query, slots, 2) &&
	      query.format == VACC_REF_FORMAT && query.known == describes(context->dev));
	CHECK(query.slots.count == (query.known ? 2 : 0));
	CHECK(!query.known || (slots[0].slot == 5 && slots[1].slot == 3) ||
	      (slots[0].slot == 3 && slots[1].slot == 5));
	CHECK(!vacc_program_unload(&program) && !program.handle);
	CHECK(vacc_program_load(context, "junk", 4, &program) == -EINVAL);
	CHECK(!vacc_artifact_init(&artifact, &ref, sizeof(ref)));
	artifact.resident_bytes++;
	CHECK(vacc_program_load_artifact(context, &artifact, &program) == -ENOEXEC);
	artifact.resident_bytes--;
	artifact.format = 1;
	CHECK(vacc_program_load_artifact(context, &artifact, &program) == -EOPNOTSUPP);
}

void test_objects(struct vacc_device *dev, const struct vacc_context *context)
{
	test_device(dev);
	test_context(dev);
	test_transfers(context);
	test_mapping(dev, context);
	test_errors(dev, context);
	test_programs(context);
}
