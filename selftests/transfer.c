// SPDX-License-Identifier: GPL-2.0
/* BUFFER_WRITE and BUFFER_READ. */
#include "vacc_test.h"

#define PAGE	4096u

static int write_iov(int fd, __u32 buffer, __u64 offset, const struct vacc_iov *iov,
		     __u32 count)
{
	return vt_transfer(fd, VACC_BUFFER_WRITE, buffer, offset, 0, iov, count);
}

static int read_iov(int fd, __u32 buffer, __u64 offset, const struct vacc_iov *iov,
		    __u32 count)
{
	return vt_transfer(fd, VACC_BUFFER_READ, buffer, offset, 0, iov, count);
}

static void pattern(void *to, size_t bytes, __u64 seed)
{
	unsigned char *p = to;
	size_t i;

	for (i = 0; i < bytes; i++) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		p[i] = seed >> 56;
	}
}

/* M4: usage, and that the range is judged first. */
TEST_F(dev, m4_usage)
{
	__u32 source, sink, neither;
	char bytes[64] = "";

	ASSERT_OK(vt_buffer(self->fd, self->context, 64, VIRTIO_ACCEL_USAGE_TRANSFER_SRC,
			    &source));
	ASSERT_OK(vt_buffer(self->fd, self->context, 64, VIRTIO_ACCEL_USAGE_TRANSFER_DST,
			    &sink));
	ASSERT_OK(vt_buffer(self->fd, self->context, 64, VIRTIO_ACCEL_USAGE_INPUT, &neither));
	EXPECT_OK(vt_read(self->fd, source, 0, bytes, 64));
	EXPECT_ERRNO(EACCES, vt_write(self->fd, source, 0, bytes, 64));
	EXPECT_OK(vt_write(self->fd, sink, 0, bytes, 64));
	EXPECT_ERRNO(EACCES, vt_read(self->fd, sink, 0, bytes, 64));
	EXPECT_ERRNO(EACCES, vt_read(self->fd, neither, 0, bytes, 64));
	EXPECT_ERRNO(EACCES, vt_write(self->fd, neither, 0, bytes, 64));
	EXPECT_ERRNO(ERANGE, vt_write(self->fd, source, 1, bytes, 64));
	EXPECT_ERRNO(ERANGE, vt_read(self->fd, sink, 64, bytes, 1));
}

/* M4: nothing to move is EINVAL, before the handle is looked at. */
TEST_F(dev, m4_empty)
{
	struct vacc_iov iov[2] = {};
	__u32 buffer = vt_any_buffer(self->fd, self->context, PAGE);
	char byte = 0;

	ASSERT_NE(0, buffer);
	EXPECT_ERRNO(EINVAL, vt_write(self->fd, buffer, 0, &byte, 0));
	EXPECT_ERRNO(EINVAL, vt_read(self->fd, buffer, 0, &byte, 0));
	EXPECT_ERRNO(EINVAL, write_iov(self->fd, buffer, 0, iov, 2));
	EXPECT_ERRNO(EINVAL, write_iov(self->fd, buffer, 0, iov, 0));
	EXPECT_ERRNO(EINVAL, read_iov(self->fd, buffer, 0, NULL, 0));
	EXPECT_ERRNO(EINVAL, vt_read(self->fd, 0, 0, &byte, 0));
	EXPECT_ERRNO(EINVAL, vt_write(self->fd, buffer, ~0ULL, &byte, 0));
}

/* M4, R4: ranges in a buffer of 4096 bytes; its neighbours keep their bytes. */
TEST_F(dev, m4_r4_ranges)
{
	const struct { __u64 offset, length; int result; } table[] = {
		{ 0, 4096, 0 },
		{ 4095, 1, 0 },
		{ 4095, 2, -ERANGE },
		{ 4096, 1, -ERANGE },
		{ 0, 4097, -ERANGE },
		{ ~0ULL, 1, -ERANGE },
		{ ~0ULL - 3, 8, -ERANGE },
		{ 8, ~0ULL - 3, -ERANGE },
		{ 1ULL << 32, 1ULL << 32, -ERANGE },
		{ 1ULL << 63, 1ULL << 63, -ERANGE },
		{ 0, ~0ULL, -ERANGE },
	};
	__u32 buffers[3];
	char *bytes = calloc(1, 8192);
	unsigned int i;

	ASSERT_NE(NULL, bytes);
	for (i = 0; i < 3; i++) {
		buffers[i] = vt_any_buffer(self->fd, self->context, 4096);
		ASSERT_NE(0, buffers[i]);
		ASSERT_OK(vt_set(self->fd, buffers[i], 0, 0x11 * (i + 1), 4096));
	}
	memset(bytes, 0x22, 8192);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		EXPECT_EQ(table[i].result, vt_write(self->fd, buffers[1], table[i].offset,
						    bytes, table[i].length))
			TH_LOG("write %llx, %llx", (unsigned long long)table[i].offset,
			       (unsigned long long)table[i].length);
		EXPECT_EQ(table[i].result, vt_read(self->fd, buffers[1], table[i].offset,
						   bytes, table[i].length))
			TH_LOG("read %llx, %llx", (unsigned long long)table[i].offset,
			       (unsigned long long)table[i].length);
	}
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(1, vt_all(self->fd, buffers[i], 0, 0x11 * (i + 1), 4096));
	}
	free(bytes);
}

/* Pieces whose lengths add up to more than there are numbers. */
TEST_F(dev, lengths_that_overflow)
{
	__u32 buffer = vt_any_buffer(self->fd, self->context, PAGE);
	char bytes[16] = "";
	struct vacc_iov iov[] = {
		{ VT_PTR(bytes), 1ULL << 63 }, { VT_PTR(bytes), 1ULL << 63 },
		{ VT_PTR(bytes), 16 },
	};

	EXPECT_ERRNO(ERANGE, write_iov(self->fd, buffer, 0, iov, 3));
	EXPECT_ERRNO(ERANGE, read_iov(self->fd, buffer, 0, iov, 3));
	EXPECT_EQ(1, vt_all(self->fd, buffer, 0, 0, PAGE));
}

/* M4: segmented sources and sinks. */
TEST_F(dev, m4_segments)
{
	static unsigned char from[8192], to[8192];
	const unsigned int lengths[] = { 0, 1, 0, 2, 4095, 0, 0, 3, 1000, 1, 0 };
	struct vacc_iov iov[ARRAY_SIZE(lengths)];
	__u32 buffer = vt_any_buffer(self->fd, self->context, 8192);
	unsigned int i, total = 0;

	pattern(from, sizeof(from), 1);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		iov[i] = (struct vacc_iov) { VT_PTR(from + 8192 - 5102 + total), lengths[i] };
		total += lengths[i];
	}
	ASSERT_EQ(5102, total);
	ASSERT_OK(write_iov(self->fd, buffer, 77, iov, i));
	ASSERT_OK(vt_read(self->fd, buffer, 77, to, total));
	EXPECT_EQ(0, memcmp(from + 8192 - 5102, to, total));

	/* The other way round, into pieces in reverse order of address. */
	memset(to, 0, sizeof(to));
	total = 0;
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		total += lengths[i];
		iov[i] = (struct vacc_iov) { VT_PTR(to + 5102 - total), lengths[i] };
	}
	ASSERT_OK(read_iov(self->fd, buffer, 77, iov, i));
	for (total = i = 0; i < ARRAY_SIZE(lengths); i++) {
		EXPECT_EQ(0, memcmp((void *)(uintptr_t)iov[i].addr,
				    from + 8192 - 5102 + total, lengths[i]));
		total += lengths[i];
	}
	EXPECT_EQ(0, to[5102]);
}

/* 1024 pieces are the most; one piece may stand there more than once. */
TEST_F(dev, number_of_segments)
{
	struct vacc_iov *iov = calloc(VACC_MAX_IOV + 1, sizeof(*iov));
	__u32 buffer = vt_any_buffer(self->fd, self->context, 8192);
	static unsigned char bytes[2048], back[2048];
	unsigned int i;

	ASSERT_NE(NULL, iov);
	pattern(bytes, sizeof(bytes), 2);
	for (i = 0; i <= VACC_MAX_IOV; i++) {
		iov[i] = (struct vacc_iov) { VT_PTR(bytes + 2 * i), 1 };
	}
	iov[VACC_MAX_IOV].addr = VT_PTR(bytes);
	ASSERT_OK(write_iov(self->fd, buffer, 0, iov, VACC_MAX_IOV));
	ASSERT_OK(vt_read(self->fd, buffer, 0, back, VACC_MAX_IOV));
	for (i = 0; i < VACC_MAX_IOV; i++) {
		ASSERT_EQ(bytes[2 * i], back[i]);
	}
	EXPECT_ERRNO(EINVAL, write_iov(self->fd, buffer, 0, iov, VACC_MAX_IOV + 1));
	EXPECT_ERRNO(EINVAL, read_iov(self->fd, buffer, 0, iov, VACC_MAX_IOV + 1));
	EXPECT_ERRNO(EINVAL, write_iov(self->fd, buffer, 0, iov, ~0u));
	for (i = 0; i < VACC_MAX_IOV; i++) {
		iov[i] = (struct vacc_iov) { VT_PTR(bytes), 7 };
	}
	ASSERT_OK(write_iov(self->fd, buffer, 1, iov, VACC_MAX_IOV));
	ASSERT_OK(vt_read(self->fd, buffer, 1 + 7 * 1023, back, 7));
	EXPECT_EQ(0, memcmp(bytes, back, 7));
	free(iov);
}

/* Memory that may only be read is a source and no sink. */
TEST_F(dev, read_only_memory)
{
	size_t sizes[] = { 16, PAGE, 16 * PAGE, 64 * PAGE }, i;
	__u32 buffer = vt_any_buffer(self->fd, self->context, 64 * PAGE);
	char *map = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, map);
	memset(map, 0x3c, 64 * PAGE);
	ASSERT_EQ(0, mprotect(map, 64 * PAGE, PROT_READ));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		EXPECT_OK(vt_write(self->fd, buffer, 0, map, sizes[i]));
		EXPECT_ERRNO(EFAULT, vt_read(self->fd, buffer, 0, map, sizes[i]));
	}
	EXPECT_EQ(1, vt_all(self->fd, buffer, 0, 0x3c, 64 * PAGE));
	munmap(map, 64 * PAGE);
}

/* The zero page as a source, and as a sink that becomes memory. */
TEST_F(dev, untouched_memory)
{
	__u32 buffer = vt_any_buffer(self->fd, self->context, 64 * PAGE);
	unsigned char *map = mmap(NULL, 128 * PAGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, map);
	ASSERT_OK(vt_set(self->fd, buffer, 0, 0x99, 64 * PAGE));
	EXPECT_OK(vt_read(self->fd, buffer, 0, map + 64 * PAGE, 64 * PAGE));
	EXPECT_EQ(0x99, map[64 * PAGE]);
	EXPECT_EQ(0x99, map[128 * PAGE - 1]);
	EXPECT_OK(vt_write(self->fd, buffer, 0, map, 64 * PAGE));
	EXPECT_EQ(1, vt_all(self->fd, buffer, 0, 0, 64 * PAGE));
	munmap(map, 128 * PAGE);
}

/* Addresses that are not there; bytes outside of the pieces stay as they are. */
TEST_F(dev, bad_addresses)
{
	const __u64 bad[] = { 0, 8, 1ULL << 47, 1ULL << 63, ~0ULL - PAGE };
	const size_t sizes[] = { 16, PAGE, 32 * PAGE };
	__u32 buffer = vt_any_buffer(self->fd, self->context, 64 * PAGE);
	char *map = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct vacc_iov iov[3];
	unsigned int i, j;

	ASSERT_NE(MAP_FAILED, map);
	memset(map, 0x55, 64 * PAGE);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		for (j = 0; j < ARRAY_SIZE(sizes); j++) {
			void *at = (void *)(uintptr_t)bad[i];

			EXPECT_ERRNO(EFAULT, vt_write(self->fd, buffer, 0, at, sizes[j]));
			EXPECT_ERRNO(EFAULT, vt_read(self->fd, buffer, 0, at, sizes[j]));
			iov[0] = (struct vacc_iov) { VT_PTR(map + 8), 8 };
			iov[1] = (struct vacc_iov) { bad[i], sizes[j] };
			iov[2] = (struct vacc_iov) { VT_PTR(map + 32), 8 };
			EXPECT_ERRNO(EFAULT, write_iov(self->fd, buffer, 0, iov, 3));
			EXPECT_ERRNO(EFAULT, read_iov(self->fd, buffer, 0, iov, 3));
		}
	}
	for (i = 0; i < 64; i++) {
		if (i < 8 || (i >= 16 && i < 32) || i >= 40) {
			ASSERT_EQ(0x55, map[i]);
		}
	}
	/* The last byte of a mapping, and one more. */
	munmap(map + 63 * PAGE, PAGE);
	EXPECT_OK(vt_write(self->fd, buffer, 0, map + 63 * PAGE - 1, 1));
	EXPECT_OK(vt_read(self->fd, buffer, 0, map + 63 * PAGE - 1, 1));
	EXPECT_ERRNO(EFAULT, vt_write(self->fd, buffer, 0, map + 63 * PAGE - 1, 2));
	EXPECT_ERRNO(EFAULT, vt_read(self->fd, buffer, 0, map + 63 * PAGE - 1, 2));
	EXPECT_OK(vt_write(self->fd, buffer, 0, map, 63 * PAGE));
	EXPECT_ERRNO(EFAULT, vt_write(self->fd, buffer, 0, map, 63 * PAGE + 1));
	EXPECT_ERRNO(EFAULT, vt_read(self->fd, buffer, 0, map, 63 * PAGE + 1));
	EXPECT_OK(vt_write(self->fd, buffer, 0, map, 16));
	munmap(map, 63 * PAGE);
}

/* Unaligned addresses times lengths; the bytes around the sink stay. */
TEST_F(dev, unaligned_addresses)
{
	const unsigned int starts[] = { 0, 1, 4095 };
	const unsigned int lengths[] = { 1, 2, 4095, 4096, 4097, 8193, 69633, 135169 };
	const unsigned int room = 160 * 1024;
	unsigned char *from = mmap(NULL, 2 * room, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char *to = from + room;
	__u32 buffer = vt_any_buffer(self->fd, self->context, room);
	unsigned int i, j, k;

	ASSERT_NE(MAP_FAILED, (void *)from);
	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		for (j = 0; j < ARRAY_SIZE(lengths); j++) {
			unsigned int start = starts[i] + 16, length = lengths[j];

			pattern(from, room, i * 100 + j);
			memset(to, 0xee, room);
			ASSERT_OK(vt_write(self->fd, buffer, starts[i], from + start, length));
			ASSERT_OK(vt_read(self->fd, buffer, starts[i], to + start, length));
			EXPECT_EQ(0, memcmp(from + start, to + start, length))
				TH_LOG("start %u, length %u", start, length);
			for (k = 0; k < 16; k++) {
				ASSERT_EQ(0xee, to[start - 1 - k]);
				ASSERT_EQ(0xee, to[start + length + k]);
			}
		}
	}
	munmap(from, 2 * room);
}

/* R3: what a buffer is asserted to hold must be what it holds. */
TEST_F(dev, r3_element_types)
{
	struct vacc_buffer_create desc;
	__u32 type, assertion;
	__u64 eight = 0x0102030405060708ULL, back;
	struct vacc_iov iov = { VT_PTR(&eight), 8 }, out = { VT_PTR(&back), 8 };

	for (type = 0; type < VACC_TYPE_COUNT; type++) {
		desc = vt_buffer_desc(self->context, 8, VT_USAGE_ALL);
		desc.element_type = type;
		ASSERT_OK(vt_buffer_create(self->fd, &desc));
		for (assertion = 0; assertion < VACC_TYPE_COUNT; assertion++) {
			int want = type && assertion && type != assertion ? -EINVAL : 0;

			eight++;
			back = 0;
			EXPECT_EQ(want, vt_transfer(self->fd, VACC_BUFFER_WRITE, desc.handle, 0,
						    assertion, &iov, 1))
				TH_LOG("write %u as %u", type, assertion);
			EXPECT_EQ(want, vt_transfer(self->fd, VACC_BUFFER_READ, desc.handle, 0,
						    assertion, &out, 1))
				TH_LOG("read %u as %u", type, assertion);
			EXPECT_EQ(want ? 0 : eight, back);
			ASSERT_OK(vt_read(self->fd, desc.handle, 0, &back, 8));
			if (want) {
				EXPECT_NE(eight, back);
			}
		}
		EXPECT_ERRNO(EINVAL, vt_transfer(self->fd, VACC_BUFFER_READ, desc.handle, 0,
						 VACC_TYPE_COUNT, &out, 1));
		/* The range comes before the type. */
		EXPECT_ERRNO(ERANGE, vt_transfer(self->fd, VACC_BUFFER_READ, desc.handle, 1,
						 (type + 1) % VACC_TYPE_COUNT, &out, 1));
	}
}

/* R11: u8 10 11 12 13, source offset 1, host offset 2, 2 bytes: 0 0 11 12 0 0. */
TEST_F(dev, r11_readback_with_offsets)
{
	const unsigned char source[] = { 10, 11, 12, 13 }, want[] = { 0, 0, 11, 12, 0, 0 };
	unsigned char host[6] = {};
	struct vacc_iov in = { VT_PTR(source), 4 }, out = { VT_PTR(host + 2), 2 };
	struct vacc_buffer_create desc = vt_buffer_desc(self->context, 4, VT_USAGE_TRANSFER);

	desc.element_type = VACC_TYPE_U8;
	ASSERT_OK(vt_buffer_create(self->fd, &desc));
	ASSERT_OK(vt_transfer(self->fd, VACC_BUFFER_WRITE, desc.handle, 0, VACC_TYPE_U8, &in, 1));
	EXPECT_ERRNO(EINVAL, vt_transfer(self->fd, VACC_BUFFER_READ, desc.handle, 1,
					 VACC_TYPE_F16, &out, 1));
	EXPECT_EQ(0, host[2]);
	EXPECT_OK(vt_transfer(self->fd, VACC_BUFFER_READ, desc.handle, 1, VACC_TYPE_U8, &out, 1));
	EXPECT_EQ(0, memcmp(host, want, 6));
}

/* 64 MiB at once, from and to odd addresses. */
TEST_F(dev, large)
{
	const size_t bytes = (64 << 20) + 4097;
	unsigned char *from = mmap(NULL, 2 * bytes + 2 * PAGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	unsigned char *to = from + bytes + PAGE;
	__u32 buffer = vt_any_buffer(self->fd, self->context, bytes);
	struct vacc_iov iov[3];
	size_t i;

	ASSERT_NE(MAP_FAILED, (void *)from);
	ASSERT_NE(0, buffer);
	for (i = 0; i + 8 <= bytes; i += 8) {
		__u64 word = i * 0x9e3779b97f4a7c15ULL;

		memcpy(from + 3 + i, &word, 8);
	}
	ASSERT_OK(vt_write(self->fd, buffer, 0, from + 3, bytes));
	ASSERT_OK(vt_read(self->fd, buffer, 0, to, bytes));
	EXPECT_EQ(0, memcmp(from + 3, to, bytes));
	/* The same in three pieces of very different length. */
	memset(to, 0, bytes);
	iov[0] = (struct vacc_iov) { VT_PTR(to), 5 };
	iov[1] = (struct vacc_iov) { VT_PTR(to + 5), (40 << 20) + 1 };
	iov[2] = (struct vacc_iov) { VT_PTR(to + 6 + (40 << 20)), bytes - 6 - (40 << 20) };
	ASSERT_OK(read_iov(self->fd, buffer, 0, iov, 3));
	EXPECT_EQ(0, memcmp(from + 3, to, bytes));
	munmap(from, 2 * bytes + 2 * PAGE);
}

/* What is read into memory that a child shares reaches the reader alone. */
TEST_F(dev, copy_on_write)
{
	__u32 buffer = vt_any_buffer(self->fd, self->context, 32 * PAGE);
	unsigned char *map = mmap(NULL, 32 * PAGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int pipes[2], status;
	pid_t child;
	char go;

	ASSERT_NE(MAP_FAILED, (void *)map);
	ASSERT_OK(vt_set(self->fd, buffer, 0, 0x22, 32 * PAGE));
	memset(map, 0x11, 32 * PAGE);
	ASSERT_EQ(0, pipe(pipes));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		if (read(pipes[0], &go, 1) != 1)
			_exit(1);
		_exit(map[0] != 0x11 || map[32 * PAGE - 1] != 0x11);
	}
	EXPECT_OK(vt_read(self->fd, buffer, 0, map, 32 * PAGE));
	EXPECT_EQ(0x22, map[0]);
	EXPECT_EQ(0x22, map[32 * PAGE - 1]);
	ASSERT_EQ(1, write(pipes[1], "g", 1));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	munmap(map, 32 * PAGE);
}

/* A mapping of one buffer is the sink of another, and its own. */
TEST_F(dev, mapped_buffers_as_user_memory)
{
	struct vacc_buffer_create a = vt_buffer_desc(self->context, 64 * PAGE, VT_USAGE_ALL);
	struct vacc_buffer_create b = a;
	unsigned char *map;

	ASSERT_OK(vt_buffer_create(self->fd, &a));
	ASSERT_OK(vt_buffer_create(self->fd, &b));
	ASSERT_OK(vt_set(self->fd, a.handle, 0, 0x42, 64 * PAGE));
	if (!(self->info.features & VACC_FEATURE_MMAP))
		return;
	map = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd,
		   b.mmap_offset);
	ASSERT_NE(MAP_FAILED, (void *)map);
	EXPECT_OK(vt_read(self->fd, a.handle, 0, map, 64 * PAGE));
	EXPECT_EQ(1, vt_all(self->fd, b.handle, 0, 0x42, 64 * PAGE));
	EXPECT_OK(vt_write(self->fd, b.handle, 32 * PAGE, map, 32 * PAGE));
	EXPECT_OK(vt_read(self->fd, b.handle, 0, map + 8, 8));
	EXPECT_EQ(1, vt_all(self->fd, b.handle, 0, 0x42, 64 * PAGE));
	munmap(map, 64 * PAGE);
}

TEST_HARNESS_MAIN
