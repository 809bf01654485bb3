/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The memory of a split virtqueue, and how to reach it while a driver changes it
 * on another processor: every field is loaded or stored once.
 */
#ifndef _ENG_RINGMEM_H
#define _ENG_RINGMEM_H

#include "env.h"

#define ENG_DESC_NEXT		1
#define ENG_DESC_WRITE		2
#define ENG_DESC_INDIRECT	4

#define ENG_AVAIL_NO_INTERRUPT	1
#define ENG_USED_NO_NOTIFY	1

struct eng_ring_desc {
	__le64 addr;
	__le32 len;
	__le16 flags;
	__le16 next;
};

struct eng_ring_avail {
	__le16 flags;
	__le16 idx;
	__le16 ring[];
};

struct eng_ring_used_elem {
	__le32 id;
	__le32 len;
};

struct eng_ring_used {
	__le16 flags;
	__le16 idx;
	struct eng_ring_used_elem ring[];
};

#ifdef __KERNEL__

#include <asm/barrier.h>
#include <linux/compiler.h>

#define eng_load_once(field)		READ_ONCE(field)
#define eng_store_once(field, value)	WRITE_ONCE(field, value)
/* What was written before the field was stored is seen from here on. */
#define eng_load_acquire(field)		smp_load_acquire(&(field))
/* What was written before is seen by who loads the field. */
#define eng_store_release(field, value)	smp_store_release(&(field), value)
/* Our store first, our load after it: between an index and a flag. */
#define eng_full_barrier()		smp_mb()

#else /* __KERNEL__ */

#define eng_load_once(field)	__atomic_load_n(&(field), __ATOMIC_RELAXED)
#define eng_store_once(field, value) \
	__atomic_store_n(&(field), value, __ATOMIC_RELAXED)
#define eng_load_acquire(field)	__atomic_load_n(&(field), __ATOMIC_ACQUIRE)
#define eng_store_release(field, value) \
	__atomic_store_n(&(field), value, __ATOMIC_RELEASE)
#define eng_full_barrier()	__atomic_thread_fence(__ATOMIC_SEQ_CST)

#endif /* __KERNEL__ */

#endif /* _ENG_RINGMEM_H */
