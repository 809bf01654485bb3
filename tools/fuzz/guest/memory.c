// SPDX-License-Identifier: GPL-2.0
/* What is in buffers: transfers and mappings. */
#include <sys/mman.h>
#include "call.h"

void do_transfer(struct thread *t)
{
	struct vacc_buffer_transfer *c = arena(t, sizeof(*c));
	unsigned int n = 1 + rng_below(&t->r, 4), i;
	struct vacc_iov *iov = arena(t, 4 * sizeof(*iov));

	for (i = 0; i < n; i++) {
		iov[i].len = rng_below(&t->r, 5000);
		iov[i].addr = address(t->arena + ARENA_BYTES / 2 +
				      rng_below(&t->r, ARENA_BYTES / 2));
		if (rng_one_in(&t->r, 50))
			iov[i].len = rng_edge(&t->r);
	}
	c->buffer = some(t, BUFFER);
	c->offset = rng_one_in(&t->r, 10) ? rng_edge(&t->r) : rng_below(&t->r, 1000);
	c->iov = (struct vacc_array){ n, sizeof(*iov), address(iov) };
	call(t, rng_one_in(&t->r, 2) ? VACC_BUFFER_READ : VACC_BUFFER_WRITE, c, sizeof(*c));
}

void do_map(struct thread *t)
{
	unsigned int i = rng_below(&t->r, POOL);
	__u64 offset = t->file->mmap_offset[i];
	size_t bytes = 1 + rng_below(&t->r, 20000);
	unsigned char *at;

	if (rng_one_in(&t->r, 20))
		offset = rng_edge(&t->r) & ~4095ULL;
	if (!offset)
		return;
	at = mmap(NULL, bytes, rng_below(&t->r, 4), MAP_SHARED, t->file->fd, offset);
	if (at == MAP_FAILED)
		return;
	if (!mprotect(at, bytes, PROT_READ | PROT_WRITE))
		at[rng_below(&t->r, bytes)]++;
	munmap(at, bytes);
}
