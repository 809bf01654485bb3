// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"
#include "memory.h"

/*
 * What the signal handler looks at.  A window is there while it has bytes; nobody
 * touches memory whose window comes or goes.
 */
static struct {
	_Atomic uintptr_t start;
	_Atomic size_t bytes;
} windows[2 * MEMORY_REGIONS];

static int lost_fd = -1;
static atomic_bool lost;

/* Only what is allowed in a signal handler; the access is done again afterwards. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
	uintptr_t addr = (uintptr_t)info->si_addr;
	const u64 one = 1;
	int error = errno;
	u32 i;

	(void)context;
	for (i = 0; i < ARRAY_SIZE(windows); i++) {
		size_t bytes = atomic_load(&windows[i].bytes);
		uintptr_t start = atomic_load(&windows[i].start);

		if (!bytes || addr < start || addr - start >= bytes)
			continue;
		if (mmap((void *)start, bytes, PROT_READ | PROT_WRITE, flags,
			 -1, 0) == MAP_FAILED)
			break;
		atomic_store(&lost, true);
		if (write(lost_fd, &one, sizeof(one)) < 0)
			break;
		errno = error;
		return;
	}
	/* Not the guest's memory: the access ends the process. */
	signal(number, SIG_DFL);
	errno = error;
}

/**
 * memory_init() - get ready for memory that goes away
 *
 * Return: 0 or a negative errno.
 */
int memory_init(void)
{
	struct sigaction action = {
		.sa_sigaction = on_bus_error,
		.sa_flags = SA_SIGINFO,
	};

	if (lost_fd < 0)
		lost_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (lost_fd < 0 || sigaction(SIGBUS, &action, NULL))
		return -errno;
	return 0;
}

/**
 * memory_lost_fd() - becomes readable when memory has gone away
 *
 * Return: the descriptor.
 */
int memory_lost_fd(void)
{
	return lost_fd;
}

/**
 * memory_lost() - whether memory has gone away since memory_found()
 *
 * Return: whether it has.
 */
bool memory_lost(void)
{
	return atomic_load(&lost);
}

/**
 * memory_found() - forget that memory has gone away
 */
void memory_found(void)
{
	u64 count;

	atomic_store(&lost, false);
	if (read(lost_fd, &count, sizeof(count)) < 0)
		return;
}

static bool window_open(void *start, size_t bytes)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(windows); i++) {
		if (atomic_load(&windows[i].bytes))
			continue;
		atomic_store(&windows[i].start, (uintptr_t)start);
		atomic_store(&windows[i].bytes, bytes);
		return true;
	}
	return false;
}

static void window_close(void *start)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(windows); i++) {
		if (atomic_load(&windows[i].bytes) &&
		    atomic_load(&windows[i].start) == (uintptr_t)start) {
			atomic_store(&windows[i].bytes, 0);
			return;
		}
	}
}

static bool apart(u64 a, u64 a_bytes, u64 b, u64 b_bytes)
{
	return a + a_bytes <= b || b + b_bytes <= a;
}

/* Two regions of one address would make it a matter of luck who is meant. */
static bool region_good(const struct memory *memory,
			const struct memory_wire *wire)
{
	u64 end;
	u32 i;

	if (!wire->size || check_add_overflow(wire->guest, wire->size, &end) ||
	    check_add_overflow(wire->user, wire->size, &end) ||
	    check_add_overflow(wire->offset, wire->size, &end) ||
	    end > INT64_MAX)
		return false;
	for (i = 0; i < memory->count; i++) {
		const struct memory_region *r = &memory->regions[i];

		if (!apart(r->guest, r->size, wire->guest, wire->size) ||
		    !apart(r->user, r->size, wire->user, wire->size))
			return false;
	}
	return true;
}

/* Maps a region, from a border of the file's pages on. */
static int region_map(struct memory_region *region,
		      const struct memory_wire *wire, int fd)
{
	u64 page = sysconf(_SC_PAGESIZE);
	struct stat stat;
	u64 first, bytes;

	if (fstat(fd, &stat))
		return -errno;
	if (S_ISREG(stat.st_mode) &&
	    (u64)stat.st_size < wire->offset + wire->size)
		return -ERANGE;
	/* Files of large pages are mapped in such pages only. */
	if (S_ISREG(stat.st_mode) && is_power_of_2(stat.st_blksize) &&
	    (u64)stat.st_blksize > page)
		page = stat.st_blksize;

	first = wire->offset & ~(page - 1);
	bytes = wire->offset + wire->size - first;
	bytes = (bytes + page - 1) & ~(page - 1);
	region->map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_NORESERVE, fd, first);
	if (region->map == MAP_FAILED)
		return -errno;
	if (!window_open(region->map, bytes)) {
		munmap(region->map, bytes);
		return -ENOSPC;
	}
	/* The guest's memory is none of a core dump's business. */
	madvise(region->map, bytes, MADV_DONTDUMP);
	region->map_bytes = bytes;
	region->guest = wire->guest;
	region->size = wire->size;
	region->user = wire->user;
	region->host = (u8 *)region->map + (wire->offset - first);
	return 0;
}

/**
 * memory_map() - make a table
 * @wire: regions
 * @fds: a file for each, which the caller may close afterwards
 * @count: how many, at most MEMORY_REGIONS
 * @memory: the table, for memory_unmap()
 *
 * Return: 0 or a negative errno.
 */
int memory_map(const struct memory_wire *wire, const int *fds, u32 count,
	       struct memory **memory)
{
	struct memory *m = calloc(1, sizeof(*m));
	int err = 0;

	if (!m)
		return -ENOMEM;
	for (; m->count < count; m->count++) {
		u32 i = m->count;

		err = -EINVAL;
		if (region_good(m, &wire[i]))
			err = region_map(&m->regions[i], &wire[i], fds[i]);
		if (err) {
			debug("region %u of the memory table: %s", i,
			      strerror(-err));
			memory_unmap(m);
			return err;
		}
	}
	*memory = m;
	return 0;
}

/**
 * memory_unmap() - end a table
 * @memory: a table that nobody uses, or NULL
 */
void memory_unmap(struct memory *memory)
{
	u32 i;

	for (i = 0; memory && i < memory->count; i++) {
		window_close(memory->regions[i].map);
		munmap(memory->regions[i].map, memory->regions[i].map_bytes);
	}
	free(memory);
}

/**
 * memory_guest() - find memory of the guest
 * @memory: the table, or NULL for none
 * @addr: an address of the guest
 * @bytes: what is wanted, at least 1; then what there is in one piece
 *
 * Return: where it is, or NULL.
 */
void *memory_guest(const struct memory *memory, u64 addr, u32 *bytes)
{
	u32 i;

	for (i = 0; memory && i < memory->count; i++) {
		const struct memory_region *r = &memory->regions[i];

		if (addr < r->guest || addr - r->guest >= r->size)
			continue;
		*bytes = min_t(u64, *bytes, r->size - (addr - r->guest));
		return r->host + (addr - r->guest);
	}
	return NULL;
}

/**
 * memory_user() - find memory of the front end
 * @memory: the table, or NULL for none
 * @addr: an address of the front end
 * @bytes: all of which must be in one region
 *
 * Return: where it is, or NULL.
 */
void *memory_user(const struct memory *memory, u64 addr, u64 bytes)
{
	u32 i;

	for (i = 0; memory && i < memory->count; i++) {
		const struct memory_region *r = &memory->regions[i];

		if (addr >= r->user && addr - r->user < r->size &&
		    bytes <= r->size - (addr - r->user))
			return r->host + (addr - r->user);
	}
	return NULL;
}
