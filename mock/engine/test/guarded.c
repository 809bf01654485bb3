// SPDX-License-Identifier: GPL-2.0 OR MIT
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guarded.h"

static size_t guarded_pages(size_t bytes)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

void *guarded_alloc(size_t bytes)
{
	size_t page = sysconf(_SC_PAGESIZE), pages = guarded_pages(bytes);
	char *memory = mmap(NULL, page + pages + page, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || mprotect(memory + page, pages, PROT_READ | PROT_WRITE))
		abort();
	return memory + page + pages - bytes;
}

void guarded_free(void *memory, size_t bytes)
{
	size_t page = sysconf(_SC_PAGESIZE), pages = guarded_pages(bytes);

	munmap((char *)memory + bytes - pages - page, page + pages + page);
}
