/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A driver's side of a ring, that does what it is told, good or bad; and the device's
 * side with a port.
 */
#ifndef _TEST_WIRE_VRING_H
#define _TEST_WIRE_VRING_H

#include "rig.h"
#include "ring.h"

#define ARENA_BYTES	(1U << 20)
#define ARENA_ADDR	0x40000000ULL

/* Here every address is said to be memory, for chains that are too long. */
#define MIRAGE_ADDR	(1ULL << 40)
#define MIRAGE_BYTES	(1ULL << 36)

#define NEXT		ENG_DESC_NEXT
#define WRITE		ENG_DESC_WRITE
#define INDIRECT	ENG_DESC_INDIRECT

struct vring {
	struct rig *rig;
	u16 size;
	struct eng_ring_desc *desc;
	struct eng_ring_avail *avail;
	struct eng_ring_used *used;
	u8 *arena;
	u32 arena_used;
	u16 offered;			/* the avail index */
	u16 collected;			/* used elements that were looked at */
	u32 piece;			/* memory is contiguous for so long, or 0 */
	u32 interrupts;
	u32 last;			/* what eng_ring_process() said at last */

	struct eng_ring ring;
	struct eng_chain *chain;
	u32 returned[65536];		/* by id */
};

struct vring *vring_make(struct rig *rig, u16 size, u16 max_chain);
void vring_free(struct vring *v);
void vring_restart(struct vring *v, u16 max_chain);

/* Memory of the driver; all of it is free again after vring_clear(). */
u64 vring_alloc(struct vring *v, u32 bytes);
void *vring_at(struct vring *v, u64 addr);
void vring_clear(struct vring *v);

void vring_desc(struct vring *v, u16 index, u64 addr, u32 len, u16 flags,
		u16 next);
void vring_offer(struct vring *v, u16 head);
void vring_publish(struct vring *v);

/* Serves until there is nothing more; @budget 0 for much. */
u32 vring_process(struct vring *v, u32 budget);
/* The next used element, if there is one. */
bool vring_collect(struct vring *v, u32 *id, u32 *len);

/* Descriptors from @head on for GET_DEVICE_INFO, a readable and a writable one. */
u64 vring_info(struct vring *v, u16 head);
/* That request, from head to tail; expected to work. */
void vring_expect_alive(struct vring *v);

#endif /* _TEST_WIRE_VRING_H */
