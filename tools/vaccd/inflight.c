// SPDX-License-Identifier: GPL-2.0 OR MIT
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "inflight.h"

#define INFLIGHT_MAGIC	0x7661636364303031ULL

static_assert(sizeof(struct inflight_page) <= INFLIGHT_BYTES, "a page");

/**
 * inflight_new() - make a page
 * @cookie: the life of the device
 * @page: ours, for inflight_close()
 *
 * The file cannot be shortened by anybody.
 *
 * Return: a descriptor for the front end, or a negative errno.
 */
int inflight_new(u64 cookie, struct inflight_page **page)
{
	struct inflight_page *p;
	int fd, err;

	fd = memfd_create("vaccd-inflight", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	p = MAP_FAILED;
	if (!ftruncate(fd, INFLIGHT_BYTES) &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		p = mmap(NULL, INFLIGHT_BYTES, PROT_READ | PROT_WRITE,
			 MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		err = -errno;
		close(fd);
		return err;
	}
	p->magic = INFLIGHT_MAGIC;
	p->cookie = cookie;
	*page = p;
	return fd;
}

/**
 * inflight_open() - take a page that the front end has kept
 * @fd: its file
 * @offset: where it is in there
 * @bytes: its length
 * @page: ours, for inflight_close()
 *
 * Return: 0, or a negative errno where it is none of ours.
 */
int inflight_open(int fd, u64 offset, u64 bytes, struct inflight_page **page)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct inflight_page *p;
	struct statfs system;
	struct stat stat;

	/*
	 * One that can be shortened may be taken away under our hands, and so may a huge page,
	 * by a hole; ours never was one.
	 */
	if (offset || bytes != INFLIGHT_BYTES || seals < 0 ||
	    !(seals & F_SEAL_SHRINK) || fstat(fd, &stat) ||
	    stat.st_size < INFLIGHT_BYTES || fstatfs(fd, &system) ||
	    system.f_type == HUGETLBFS_MAGIC)
		return -EINVAL;
	p = mmap(NULL, INFLIGHT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		 0);
	if (p == MAP_FAILED)
		return -errno;
	if (p->magic != INFLIGHT_MAGIC) {
		munmap(p, INFLIGHT_BYTES);
		return -EINVAL;
	}
	*page = p;
	return 0;
}

/**
 * inflight_close() - let go of a page
 * @page: the page, or NULL
 */
void inflight_close(struct inflight_page *page)
{
	if (page)
		munmap(page, INFLIGHT_BYTES);
}

/**
 * inflight_taken() - a chain was taken off the ring
 * @page: the page, or NULL
 * @head: its number
 */
void inflight_taken(struct inflight_page *page, u16 head)
{
	if (page && head < INFLIGHT_HEADS)
		__atomic_store_n(&page->out[head], 1, __ATOMIC_RELEASE);
}

/**
 * inflight_push() - return a chain to the ring
 * @page: the page, or NULL
 * @ring: the ring
 * @chain: the chain
 * @used: bytes written
 *
 * One caller at a time.  Whoever comes after us finds out from the index of the ring
 * in which half of this we ended.
 */
void inflight_push(struct inflight_page *page, struct eng_ring *ring,
		   struct eng_chain *chain, u32 used)
{
	u16 before = ring->next_used;
	u16 head = chain->head;

	if (!page || head >= INFLIGHT_HEADS) {
		eng_ring_push(ring, chain, used);
		return;
	}
	__atomic_store_n(&page->last, head, __ATOMIC_RELEASE);
	eng_ring_push(ring, chain, used);
	/* The harness may have kept it back. */
	if (ring->next_used != before)
		__atomic_store_n(&page->out[head], 0, __ATOMIC_RELEASE);
	__atomic_store_n(&page->used_idx, ring->next_used, __ATOMIC_RELEASE);
}

/**
 * inflight_recover() - what the process before us took and never returned
 * @page: its page
 * @used_idx: index of the ring now
 * @size: of the ring
 * @heads: receives up to @size numbers
 *
 * Return: how many.
 */
u32 inflight_recover(const struct inflight_page *page, u16 used_idx, u16 size,
		     u16 *heads)
{
	u32 count = 0;
	u16 head;

	for (head = 0; head < size && head < INFLIGHT_HEADS; head++) {
		if (!page->out[head])
			continue;
		/* Returned, and then there was no time to say so. */
		if (used_idx != page->used_idx && head == page->last)
			continue;
		heads[count++] = head;
	}
	return count;
}
