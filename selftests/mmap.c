// SPDX-License-Identifier: GPL-2.0
/* mmap(2) of buffers.  Where the backend has none, each test asserts just that. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/resource.h>
#include "vacc_test.h"

#define PAGE	4096u
#define BYTES	(8 * PAGE)

struct mapped {
	__u32 handle;
	__u64 offset;
	unsigned char *map;
};

static int make(int fd, __u32 context, __u64 bytes, __u32 flags, struct mapped *m)
{
	struct vacc_buffer_create desc = vt_buffer_desc(context, bytes, VT_USAGE_ALL);
	int r;

	desc.flags = flags;
	r = vt_buffer_create(fd, &desc);
	m->handle = desc.handle;
	m->offset = desc.mmap_offset;
	m->map = MAP_FAILED;
	return r;
}

/* 0 or -errno, and the address in *at. */
static int map_at(int fd, size_t bytes, int prot, int flags, __u64 offset, void *at)
{
	void *map = mmap(NULL, bytes, prot, flags, fd, offset);

	*(void **)at = map;
	return map == MAP_FAILED ? -errno : 0;
}

static int map_shared(int fd, size_t bytes, __u64 offset, void *at)
{
	return map_at(fd, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, offset, at);
}

static int refused(int fd, size_t bytes, int prot, int flags, __u64 offset)
{
	void *map;
	int r = map_at(fd, bytes, prot, flags, offset, &map);

	if (!r)
		munmap(map, bytes);
	return r;
}

/*
 * Without the feature every mmap is EOPNOTSUPP, and buffers offer no offset: the
 * rest of the test has nothing to ask.
 */
static bool no_mmap(struct __test_metadata *_metadata, struct _test_data_dev *self,
		    const struct mapped *m)
{
	if (self->info.features & VACC_FEATURE_MMAP)
		return false;
	EXPECT_EQ(0, m->offset);
	EXPECT_ERRNO(EOPNOTSUPP, refused(self->fd, PAGE, PROT_READ, MAP_SHARED, PAGE));
	return true;
}

TEST_F(dev, offsets)
{
	struct mapped m[16];
	unsigned int i, j;

	for (i = 0; i < 16; i++) {
		ASSERT_OK(make(self->fd, self->context, BYTES + i * 100, 0, &m[i]));
	}
	if (no_mmap(_metadata, self, &m[0]))
		return;
	for (i = 0; i < 16; i++) {
		EXPECT_NE(0, m[i].offset);
		EXPECT_EQ(0, m[i].offset % PAGE);
		EXPECT_GT(1ULL << 44, m[i].offset + BYTES);
		for (j = 0; j < i; j++) {
			EXPECT_TRUE(m[i].offset >= m[j].offset + BYTES + j * 100 ||
				    m[j].offset >= m[i].offset + BYTES + i * 100);
		}
	}
}

/* Both sides see the same bytes. */
TEST_F(dev, coherent_with_transfers)
{
	struct mapped m;
	unsigned int i;

	ASSERT_OK(make(self->fd, self->context, BYTES, 0, &m));
	if (no_mmap(_metadata, self, &m))
		return;
	ASSERT_OK(map_shared(self->fd, BYTES, m.offset, &m.map));
	for (i = 0; i < BYTES; i++) {
		ASSERT_EQ(0, m.map[i]);
	}
	memset(m.map, 0x5a, BYTES);
	EXPECT_EQ(1, vt_all(self->fd, m.handle, 0, 0x5a, BYTES));
	ASSERT_OK(vt_set(self->fd, m.handle, 100, 0xa5, BYTES - 100));
	EXPECT_EQ(0x5a, m.map[99]);
	EXPECT_EQ(0xa5, m.map[100]);
	EXPECT_EQ(0xa5, m.map[BYTES - 1]);
	munmap(m.map, BYTES);
}

/* M8: once the event is complete, all that the device wrote is in the mapping. */
TEST_F(dev, m8_device_results_are_visible)
{
	struct vacc_binding b;
	struct mapped m;
	__u32 xor, round, i;

	ASSERT_OK(make(self->fd, self->context, BYTES, 0, &m));
	if (no_mmap(_metadata, self, &m))
		return;
	ASSERT_OK(map_shared(self->fd, BYTES, m.offset, &m.map));
	ASSERT_OK(vt_load_ref(self->fd, self->context, VACC_REF_OP_XOR, 0, VACC_REF_NO_SLOT,
			      0xff, &xor));
	b = vt_bind(m.handle, 0, VT_READ_WRITE, 0, BYTES);
	for (round = 0; round < 20; round++) {
		memset(m.map, round, BYTES);
		ASSERT_OK(vt_run(self->fd, self->queue, xor, &b, 1));
		for (i = 0; i < BYTES; i++) {
			ASSERT_EQ((unsigned char)~round, m.map[i]);
		}
	}
	munmap(m.map, BYTES);
}

TEST_F(dev, refused_kinds)
{
	const int rw = PROT_READ | PROT_WRITE;
	struct mapped m;

	ASSERT_OK(make(self->fd, self->context, BYTES, 0, &m));
	if (no_mmap(_metadata, self, &m))
		return;
	EXPECT_ERRNO(EINVAL, refused(self->fd, BYTES, rw, MAP_PRIVATE, m.offset));
	EXPECT_ERRNO(EINVAL, refused(self->fd, BYTES, PROT_READ, MAP_PRIVATE, m.offset));
	EXPECT_ERRNO(EINVAL, refused(self->fd, BYTES, PROT_READ | PROT_EXEC, MAP_SHARED, m.offset));
	ASSERT_OK(map_at(self->fd, BYTES, PROT_NONE, MAP_SHARED, m.offset, &m.map));
	EXPECT_EQ(0, mprotect(m.map, BYTES, rw));
	m.map[0] = 1;
	EXPECT_EQ(-1, mprotect(m.map, BYTES, PROT_READ | PROT_EXEC));
	EXPECT_EQ(EACCES, errno);
	munmap(m.map, BYTES);
}

/* Lengths and offsets beyond the buffer, and offsets that are no buffer's. */
TEST_F(dev, ranges)
{
	const __u64 lengths[] = { BYTES + 1, 2 * BYTES, 1ULL << 32 };
	struct mapped m, n;
	unsigned int i;
	__u64 first;

	ASSERT_OK(make(self->fd, self->context, BYTES, 0, &m));
	ASSERT_OK(make(self->fd, self->context, BYTES, 0, &n));
	if (no_mmap(_metadata, self, &m))
		return;
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		EXPECT_ERRNO(EINVAL, refused(self->fd, lengths[i], PROT_READ, MAP_SHARED, m.offset))
			TH_LOG("length %llx", (unsigned long long)lengths[i]);
	}
	for (i = 1; i < 8; i++) {
		EXPECT_ERRNO(EINVAL, refused(self->fd, BYTES, PROT_READ, MAP_SHARED,
					     m.offset + i * PAGE));
	}
	/* Nor does one reach from one buffer into the next. */
	first = m.offset < n.offset ? m.offset : n.offset;
	EXPECT_ERRNO(EINVAL, refused(self->fd, 2 * BYTES, PROT_READ, MAP_SHARED, first));
	EXPECT_ERRNO(EINVAL, refused(self->fd, PAGE, PROT_READ, MAP_SHARED, 0));
	EXPECT_ERRNO(EINVAL, refused(self->fd, PAGE, PROT_READ, MAP_SHARED,
				     (m.offset > n.offset ? m.offset : n.offset) + BYTES));
	EXPECT_ERRNO(EINVAL, refused(self->fd, PAGE, PROT_READ, MAP_SHARED, (1ULL << 44) - PAGE));
	EXPECT_ERRNO(EINVAL, refused(self->fd, PAGE, PROT_READ, MAP_SHARED, 1ULL << 44));
	/* Part of a buffer is fine. */
	ASSERT_OK(vt_set(self->fd, m.handle, 3 * PAGE, 0x33, PAGE));
	ASSERT_OK(map_shared(self->fd, PAGE, m.offset + 3 * PAGE, &m.map));
	EXPECT_EQ(0x33, m.map[0]);
	EXPECT_EQ(0x33, m.map[PAGE - 1]);
	munmap(m.map, PAGE);
}

/* Offsets belong to a file; another file's lead nowhere. */
TEST_F(dev, offsets_of_another_file)
{
	struct mapped m;
	int fd = vt_open_node(self->node);

	ASSERT_LE(0, fd);
	ASSERT_OK(make(self->fd, self->context, BYTES, 0, &m));
	if (no_mmap(_metadata, self, &m))
		return;
	EXPECT_ERRNO(EINVAL, refused(fd, BYTES, PROT_READ, MAP_SHARED, m.offset));
	close(fd);
}

TEST_F(dev, memory_of_the_device_domain)
{
	struct vacc_buffer_create desc = vt_buffer_desc(self->context, BYTES, VT_USAGE_ALL);
	struct mapped m;

	ASSERT_OK(make(self->fd, self->context, BYTES, 0, &m));
	desc.domain = VIRTIO_ACCEL_DOMAIN_DEVICE;
	ASSERT_OK(vt_buffer_create(self->fd, &desc));
	EXPECT_EQ(0, desc.mmap_offset);
	if (no_mmap(_metadata, self, &m))
		return;
	desc = vt_buffer_desc(self->context, BYTES, VT_USAGE_ALL);
	desc.domain = VIRTIO_ACCEL_DOMAIN_SHARED;
	ASSERT_OK(vt_buffer_create(self->fd, &desc));
	ASSERT_OK(map_shared(self->fd, BYTES, desc.mmap_offset, &m.map));
	m.map[BYTES - 1] = 7;
	munmap(m.map, BYTES);
}

#define MANY	4096u	/* pages */

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

/* A touch of each page, and how many of them were faults. */
static long touch(volatile unsigned char *map, bool write)
{
	long before = faults();
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		if (write)
			map[i * PAGE] = i;
		else
			(void)map[i * PAGE];
	}
	return faults() - before;
}

/* All pages are there from the beginning: one fault for 256 of them is too many already. */
TEST_F(dev, faults)
{
	struct mapped m;
	long reads, writes, again;
	unsigned int i;

	ASSERT_OK(make(self->fd, self->context, MANY * PAGE, 0, &m));
	if (no_mmap(_metadata, self, &m))
		return;
	ASSERT_OK(map_shared(self->fd, MANY * PAGE, m.offset, &m.map));
	reads = touch(m.map, false);
	writes = touch(m.map, true);
	again = touch(m.map, true);
	TH_LOG("%u pages: %ld faults to read, %ld to write, %ld again", MANY, reads, writes, again);
	EXPECT_GT(MANY / 256, reads);
	EXPECT_GT(MANY / 256, writes);
	EXPECT_GT(MANY / 256, again);
	for (i = 0; i < MANY; i++) {
		ASSERT_EQ((unsigned char)i, m.map[i * PAGE]);
	}
	munmap(m.map, MANY * PAGE);
}

/* Blocks of 2 MiB and more that are free. */
static unsigned long free_large(void)
{
	FILE *file = fopen("/proc/buddyinfo", "re");
	unsigned long sum = 0, count;
	char line[512], *at;
	int order;

	while (file && fgets(line, sizeof(line), file)) {
		at = strstr(line, "zone");
		if (!at || strstr(line, "DMA "))
			continue;
		at += strlen("zone");
		at += strspn(at, " ");
		at += strcspn(at, " ");
		for (order = 0; order < 11; order++) {
			count = strtoul(at, &at, 10);
			if (order >= 9)
				sum += count << (order - 9);
		}
	}
	if (file)
		fclose(file);
	return sum;
}

/* Frame numbers of the first @pages pages at @map. */
static int frames(const void *map, unsigned int pages, __u64 *frame)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	ssize_t bytes = pages * sizeof(*frame), n;
	unsigned int i;

	if (fd < 0)
		return -errno;
	n = pread(fd, frame, bytes, (uintptr_t)map / PAGE * sizeof(*frame));
	close(fd);
	for (i = 0; n == bytes && i < pages; i++) {
		if (!(frame[i] >> 63))
			return -ENODATA;
		frame[i] &= (1ULL << 55) - 1;
	}
	return n == bytes ? 0 : -EIO;
}

/* Where there are large pages, a buffer is made of them. */
TEST_F(dev, pages_in_a_row)
{
	static __u64 frame[MANY];
	unsigned long large = free_large();
	unsigned int i, rows = 0;
	struct mapped m;

	ASSERT_OK(make(self->fd, self->context, MANY * PAGE, 0, &m));
	if (no_mmap(_metadata, self, &m))
		return;
	ASSERT_OK(map_shared(self->fd, MANY * PAGE, m.offset, &m.map));
	touch(m.map, true);
	ASSERT_OK(frames(m.map, MANY, frame));
	for (i = 1; i < MANY; i++)
		rows += frame[i] != frame[i - 1] + 1;
	TH_LOG("%lu free blocks of 2 MiB; %u rows", large, rows + 1);
	if (large >= 4 * MANY / 512) {
		EXPECT_GE(MANY / 512, rows + 1);
	}
	munmap(m.map, MANY * PAGE);
}

/* A mapping does not grow into memory of others. */
TEST_F(dev, mremap)
{
	struct mapped m;
	void *moved;

	ASSERT_OK(make(self->fd, self->context, BYTES, 0, &m));
	if (no_mmap(_metadata, self, &m))
		return;
	ASSERT_OK(map_shared(self->fd, 4 * PAGE, m.offset, &m.map));
	EXPECT_EQ(MAP_FAILED, mremap(m.map, 4 * PAGE, BYTES, MREMAP_MAYMOVE));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(MAP_FAILED, mremap(m.map, 4 * PAGE, 64 * BYTES, MREMAP_MAYMOVE));
	EXPECT_EQ(MAP_FAILED, mremap(m.map, 4 * PAGE, 5 * PAGE, 0));
	/* Nor is it duplicated longer than it is. */
	EXPECT_EQ(MAP_FAILED, mremap(m.map, 0, 64 * BYTES, MREMAP_MAYMOVE));
	/* Shrinking and moving are fine. */
	m.map[0] = 0x42;
	moved = mremap(m.map, 4 * PAGE, 2 * PAGE, MREMAP_MAYMOVE);
	ASSERT_NE(MAP_FAILED, moved);
	EXPECT_EQ(0x42, *(char *)moved);
	munmap(moved, 2 * PAGE);
}

TEST_F(dev, fork)
{
	struct mapped m;
	int status;
	pid_t child;

	ASSERT_OK(make(self->fd, self->context, BYTES, 0, &m));
	if (no_mmap(_metadata, self, &m))
		return;
	ASSERT_OK(map_shared(self->fd, BYTES, m.offset, &m.map));
	m.map[5] = 5;
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		int bad = m.map[5] != 5;

		m.map[BYTES - 1] = 0x77;
		_exit(bad);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0x77, m.map[BYTES - 1]);
	EXPECT_EQ(1, vt_all(self->fd, m.handle, BYTES - 1, 0x77, 1));
	munmap(m.map, BYTES);
}

/* The buffer goes, its memory stays while it is mapped, and stays charged. */
TEST_F(dev, destroy_while_mapped)
{
	struct vacc_stats before, mapped, after;
	struct mapped m, n;
	unsigned int i;

	ASSERT_OK(vt_get_stats(self->fd, &before));
	ASSERT_OK(make(self->fd, self->context, BYTES, 0, &m));
	if (no_mmap(_metadata, self, &m))
		return;
	ASSERT_OK(map_shared(self->fd, BYTES, m.offset, &m.map));
	memset(m.map, 0x61, BYTES);
	ASSERT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, m.handle));
	ASSERT_OK(vt_get_stats(self->fd, &mapped));
	EXPECT_EQ(before.live_bytes + BYTES, mapped.live_bytes);
	EXPECT_ERRNO(EINVAL, refused(self->fd, BYTES, PROT_READ, MAP_SHARED, m.offset));
	/* New buffers get other memory. */
	ASSERT_OK(make(self->fd, self->context, BYTES, 0, &n));
	ASSERT_OK(vt_set(self->fd, n.handle, 0, 0x62, BYTES));
	for (i = 0; i < BYTES; i++) {
		ASSERT_EQ(0x61, m.map[i]);
	}
	memset(m.map, 0x63, BYTES);
	EXPECT_EQ(1, vt_all(self->fd, n.handle, 0, 0x62, BYTES));
	ASSERT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, n.handle));
	munmap(m.map, BYTES);
	ASSERT_OK(vt_get_stats(self->fd, &after));
	EXPECT_EQ(before.live_bytes, after.live_bytes);
}

TEST_F(dev, close_while_mapped)
{
	struct vacc_stats stats;
	struct mapped m;
	unsigned int i;
	__u32 context;
	int fd = vt_open_node(self->node);

	ASSERT_LE(0, fd);
	ASSERT_OK(vt_context(fd, &context));
	ASSERT_OK(make(fd, context, BYTES, 0, &m));
	if (no_mmap(_metadata, self, &m)) {
		close(fd);
		return;
	}
	ASSERT_OK(map_shared(fd, BYTES, m.offset, &m.map));
	memset(m.map, 0x71, BYTES);
	close(fd);		/* the mapping keeps the file */
	vt_sleep_ms(50);
	for (i = 0; i < BYTES; i++) {
		ASSERT_EQ(0x71, m.map[i]);
	}
	memset(m.map, 0x72, BYTES);
	ASSERT_OK(vt_get_stats(self->fd, &stats));
	EXPECT_LE(self->before.live_bytes + BYTES, stats.live_bytes);
	munmap(m.map, BYTES);
}

TEST_F(dev, split_munmap)
{
	struct mapped m;
	unsigned int i;

	ASSERT_OK(make(self->fd, self->context, BYTES, 0, &m));
	if (no_mmap(_metadata, self, &m))
		return;
	ASSERT_OK(map_shared(self->fd, BYTES, m.offset, &m.map));
	memset(m.map, 0x81, BYTES);
	ASSERT_EQ(0, munmap(m.map + 3 * PAGE, 2 * PAGE));
	ASSERT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, m.handle));
	for (i = 0; i < BYTES; i++) {
		if (i < 3 * PAGE || i >= 5 * PAGE) {
			ASSERT_EQ(0x81, m.map[i]);
		}
	}
	ASSERT_EQ(0, munmap(m.map, 3 * PAGE));
	EXPECT_EQ(0x81, m.map[BYTES - 1]);
	ASSERT_EQ(0, munmap(m.map + 5 * PAGE, 3 * PAGE));
}

/* NO_WRITE_MAP: read-only for ever; transfers and the device still write. */
TEST_F(dev, no_write_map)
{
	struct mapped m;

	ASSERT_OK(make(self->fd, self->context, BYTES, VACC_BUFFER_NO_WRITE_MAP, &m));
	if (no_mmap(_metadata, self, &m))
		return;
	EXPECT_ERRNO(EACCES, refused(self->fd, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
				     m.offset));
	EXPECT_ERRNO(EACCES, refused(self->fd, BYTES, PROT_WRITE, MAP_SHARED, m.offset));
	ASSERT_OK(map_at(self->fd, BYTES, PROT_READ, MAP_SHARED, m.offset, &m.map));
	EXPECT_EQ(-1, mprotect(m.map, BYTES, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	ASSERT_OK(vt_set(self->fd, m.handle, 0, 0x91, BYTES));
	EXPECT_EQ(0x91, m.map[0]);
	EXPECT_EQ(0x91, m.map[BYTES - 1]);
	/* It is no sink either. */
	EXPECT_ERRNO(EFAULT, vt_read(self->fd, m.handle, 0, m.map, 16));
	EXPECT_ERRNO(EFAULT, vt_read(self->fd, m.handle, 0, m.map, BYTES));
	munmap(m.map, BYTES);
}

/* Behind the last byte of the buffer the page is zero, and nobody else's. */
TEST_F(dev, tail_of_the_last_page)
{
	const unsigned int sizes[] = { 1, 100, PAGE - 1, PAGE + 1, 2 * PAGE + 2000 };
	struct mapped m;
	unsigned int i, j, mapped;

	ASSERT_OK(make(self->fd, self->context, BYTES, 0, &m));
	if (no_mmap(_metadata, self, &m))
		return;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		mapped = (sizes[i] + PAGE - 1) / PAGE * PAGE;
		ASSERT_OK(make(self->fd, self->context, sizes[i], 0, &m));
		ASSERT_OK(vt_set(self->fd, m.handle, 0, 0xff, sizes[i]));
		ASSERT_OK(map_shared(self->fd, sizes[i], m.offset, &m.map));
		for (j = 0; j < mapped; j++) {
			ASSERT_EQ(j < sizes[i] ? 0xff : 0, m.map[j]);
		}
		memset(m.map + sizes[i], 0xee, mapped - sizes[i]);
		EXPECT_EQ(1, vt_all(self->fd, m.handle, 0, 0xff, sizes[i]));
		EXPECT_ERRNO(ERANGE, vt_write(self->fd, m.handle, sizes[i], "", 1));
		EXPECT_ERRNO(EINVAL, refused(self->fd, mapped + 1, PROT_READ, MAP_SHARED,
					     m.offset));
		munmap(m.map, mapped);
	}
}

/* A file that was opened for reading maps for reading. */
TEST_F(dev, read_only_file)
{
	struct vacc_context_create c = { .size = sizeof(c) };
	struct mapped m;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/virtio-accel%d", self->node);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_OK(vt_ioctl(fd, VACC_CONTEXT_CREATE, &c));
	ASSERT_OK(make(fd, c.handle, BYTES, 0, &m));
	if (no_mmap(_metadata, self, &m)) {
		close(fd);
		return;
	}
	EXPECT_ERRNO(EACCES, refused(fd, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, m.offset));
	ASSERT_OK(map_at(fd, BYTES, PROT_READ, MAP_SHARED, m.offset, &m.map));
	EXPECT_EQ(0, m.map[0]);
	munmap(m.map, BYTES);
	close(fd);
}

/* Ranges of offsets are given back. */
TEST_F(dev, offsets_do_not_run_out)
{
	unsigned int i, n = vt_scale(20000);
	struct mapped m;

	ASSERT_OK(make(self->fd, self->context, BYTES, 0, &m));
	if (no_mmap(_metadata, self, &m))
		return;
	for (i = 0; i < n; i++) {
		ASSERT_OK(make(self->fd, self->context, 1 + i % 7 * PAGE, 0, &m));
		ASSERT_NE(0, m.offset);
		ASSERT_GT(1ULL << 44, m.offset);
		ASSERT_OK(vt_handle(self->fd, VACC_BUFFER_DESTROY, m.handle));
	}
}

/* Buffers that come and go while others are looked up. */
struct churn {
	int fd;
	__u32 context;
	bool stop;
	unsigned int rounds;
	int failed;
};

static void *churn(void *arg)
{
	struct churn *c = arg;
	struct mapped m[8];
	unsigned int i, made;

	while (!c->failed && !__atomic_load_n(&c->stop, __ATOMIC_RELAXED)) {
		for (made = 0; made < ARRAY_SIZE(m) && !c->failed; made++)
			c->failed = make(c->fd, c->context,
					 1 + (c->rounds + made) % 5 * PAGE, 0, &m[made]);
		for (i = 0; i < made; i++)
			c->failed = c->failed ?:
				    vt_handle(c->fd, VACC_BUFFER_DESTROY, m[i].handle);
		c->rounds++;
	}
	return NULL;
}

/* A mapping is of the buffer whose offset it has, whatever comes and goes beside it. */
TEST_F(dev, race_of_lookups)
{
	struct churn c[2] = {};
	struct mapped kept[4];
	pthread_t threads[2];
	unsigned int i, rounds;
	__u64 deadline;

	for (i = 0; i < ARRAY_SIZE(kept); i++) {
		ASSERT_OK(make(self->fd, self->context, (i + 1) * PAGE, 0, &kept[i]));
		if (no_mmap(_metadata, self, &kept[i]))
			return;
		ASSERT_OK(vt_set(self->fd, kept[i].handle, 0, 0x30 + i, (i + 1) * PAGE));
	}
	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		c[i] = (struct churn){ .fd = self->fd, .context = self->context };
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, churn, &c[i]));
	}
	deadline = vt_deadline(2000);
	for (rounds = 0; vt_now() < deadline || rounds < 100; rounds++) {
		i = rounds % ARRAY_SIZE(kept);
		ASSERT_OK(map_at(self->fd, (i + 1) * PAGE, PROT_READ, MAP_SHARED,
				 kept[i].offset, &kept[i].map));
		ASSERT_EQ(0x30 + i, kept[i].map[0]);
		ASSERT_EQ(0x30 + i, kept[i].map[(i + 1) * PAGE - 1]);
		munmap(kept[i].map, (i + 1) * PAGE);
	}
	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		__atomic_store_n(&c[i].stop, true, __ATOMIC_RELAXED);
		pthread_join(threads[i], NULL);
		EXPECT_OK(c[i].failed);
		EXPECT_LT(0, c[i].rounds);
		TH_LOG("%u lookups, %u rounds of buffers", rounds, c[i].rounds);
	}
}

TEST_HARNESS_MAIN
