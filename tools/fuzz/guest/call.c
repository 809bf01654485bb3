// SPDX-License-Identifier: GPL-2.0
/* An ioctl with arguments that are spoiled now and then. */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include "call.h"

int known_errno(int error)
{
	static const int known[] = {
		EOPNOTSUPP, E2BIG, EINVAL, ENOENT, ERANGE, EACCES, ENOEXEC, EBUSY, ENOSPC,
		EAGAIN, ENOMEM, ETIME, EIO, ENODEV, EREMOTEIO, ETIMEDOUT, ECANCELED, EFAULT,
		EINTR, ENOTTY, EBADF, EMFILE, ENFILE,
	};
	unsigned int i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i] == error)
			return 1;
	return 0;
}

/* Memory for arguments; at the end of it is none. */
void *arena(struct thread *t, unsigned int bytes)
{
	void *at;

	if (t->used + bytes > ARENA_BYTES / 2)
		t->used = 0;
	at = t->arena + t->used;
	t->used += (bytes + 7) & ~7;
	memset(at, 0, bytes);
	return at;
}

__u64 address(const void *p)
{
	return (uintptr_t)p;
}

/* Some number of the argument is another one. */
static void spoil(struct thread *t, void *arg, unsigned int bytes)
{
	__u32 *words = arg;
	__u32 *word = &words[rng_below(&t->r, bytes / 4)];

	switch (rng_below(&t->r, 4)) {
	case 0:
		*word = rng_edge(&t->r);
		break;
	case 1:
		*word ^= 1U << rng_below(&t->r, 32);
		break;
	case 2:
		*word = rng_below(&t->r, 40);
		break;
	default:
		*word = rng_next(&t->r);
		break;
	}
}

int call(struct thread *t, unsigned long nr, void *arg, unsigned int bytes)
{
	bool spoiling = !t->honest;
	int fd = __atomic_load_n(&t->file->fd, __ATOMIC_RELAXED), r;

	memcpy(arg, &bytes, 4);
	if (spoiling && rng_one_in(&t->r, 8))
		spoil(t, arg, bytes);
	if (spoiling && rng_one_in(&t->r, 200))
		nr = _IO(VACC_IOC_MAGIC, rng_below(&t->r, 80));
	if (spoiling && rng_one_in(&t->r, 300))
		arg = (void *)(uintptr_t)rng_edge(&t->r);
	r = ioctl(fd, nr, arg);
	if (r < 0 && !known_errno(errno))
		FAIL("ioctl %#lx: errno %d", nr, errno);
	round_called(!r);
	if (r > 0)
		FAIL("ioctl %#lx: %d", nr, r);
	return r ? -errno : 0;
}

__u32 some(struct thread *t, enum object kind)
{
	if (!t->honest && rng_one_in(&t->r, 40))
		return rng_edge(&t->r);
	return t->file->pool[kind][rng_below(&t->r, POOL)];
}

unsigned int keep(struct thread *t, enum object kind, __u32 handle)
{
	unsigned int i = rng_below(&t->r, POOL);

	t->file->pool[kind][i] = handle;
	return i;
}
