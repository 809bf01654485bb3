/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The device's side of a split virtqueue, without indirect descriptors and
 * without event indices.
 *
 * Nothing that a driver puts into the ring is trusted.  A chain of no allowed
 * shape is returned with length 0, like one of no allowed contents; only what
 * makes the ring itself meaningless (an index that jumps, a head outside, more
 * chains under way than there are descriptors) ends
 * it: then it is broken until it is started again.
 *
 * One caller at a time starts, stops, pops or processes; any number may push.
 * Pushes after eng_ring_stop() do nothing, also once the ring is started again.
 *
 *	chain = eng_chain_alloc(ENG_CHAIN_SEGS);
 *	on a notification, and again while it says ENG_RING_MORE:
 *		what = eng_ring_process(ring, port, chain, 64);
 *		if (what & ENG_RING_INTERRUPT)
 *			interrupt the driver;
 */
#ifndef _ENG_RING_H
#define _ENG_RING_H

#include "env_sync.h"
#include "hostile.h"
#include "ringmem.h"
#include "wire.h"

struct eng_port;

#define ENG_RING_MAX_SIZE	32768

/*
 * Pieces of a chain: as many as descriptors, and some for those that are not
 * contiguous where we see them.
 */
#define ENG_CHAIN_SEGS		(VIRTIO_ACCEL_MAX_CHAIN + 64)

/**
 * struct eng_ring_ops - what a ring asks its owner
 * @map: where we see memory at an address of the driver.  @bytes is what is
 *	wanted, and then how many of them are contiguous from there.  NULL where
 *	there is no such memory.
 */
struct eng_ring_ops {
	void *(*map)(void *owner, u64 addr, u32 *bytes);
};

/**
 * struct eng_ring_config - where a ring is
 * @desc: 16 * @size bytes, aligned to 16
 * @avail: 4 + 2 * @size bytes, aligned to 2
 * @used: 4 + 8 * @size bytes, aligned to 4
 * @size: descriptors, a power of two
 * @next_avail: where to begin; 0 for a new ring
 * @max_chain: descriptors of a chain
 * @ops: what it asks
 * @owner: comes back with @ops
 */
struct eng_ring_config {
	const void *desc;
	const void *avail;
	void *used;
	u16 size;
	u16 next_avail;
	u16 max_chain;
	const struct eng_ring_ops *ops;
	void *owner;
};

/**
 * struct eng_ring_counters - what went through a ring
 * @popped: chains taken
 * @bad: of which the shape was not allowed
 * @pushed: chains returned
 */
struct eng_ring_counters {
	u64 popped;
	u64 bad;
	u64 pushed;
};

/**
 * struct eng_ring - a ring
 * @config: where it is
 * @desc: descriptors
 * @avail: what the driver offers
 * @used: what it gets back
 * @next_avail: the next to be taken
 * @broken: the driver has made it meaningless
 * @hostile: how replies are falsified, or NULL
 * @lock: of what follows
 * @running: chains may be returned
 * @next_used: the next to be filled
 * @era: how often it was started
 * @outstanding: chains that were taken and not returned
 * @unsignalled: chains returned since the driver was last interrupted
 * @counters: for people
 */
struct eng_ring {
	struct eng_ring_config config;
	const struct eng_ring_desc *desc;
	const struct eng_ring_avail *avail;
	struct eng_ring_used *used;
	u16 next_avail;
	bool broken;
	struct eng_hostile *hostile;

	struct eng_spin lock;
	bool running;
	u16 next_used;
	u32 era;
	u32 outstanding;
	u32 unsignalled;
	struct eng_ring_counters counters;
};

/**
 * enum eng_pop - what came of looking for a chain
 * @ENG_POP_EMPTY: there is none
 * @ENG_POP_CHAIN: here is one; it may be a bad one, and is to be pushed anyway
 * @ENG_POP_BROKEN: there will be none until the ring is started again
 */
enum eng_pop {
	ENG_POP_EMPTY,
	ENG_POP_CHAIN,
	ENG_POP_BROKEN,
};

/* What eng_ring_process() says. */
#define ENG_RING_MORE		BIT(0)	/* call again */
#define ENG_RING_INTERRUPT	BIT(1)	/* the driver wants to know */
#define ENG_RING_BROKEN		BIT(2)	/* the device needs a reset */

struct eng_chain *eng_chain_alloc(u32 segs);
void eng_chain_free(struct eng_chain *chain);

void eng_ring_init(struct eng_ring *ring);
void eng_ring_fini(struct eng_ring *ring);
u16 eng_ring_start(struct eng_ring *ring, const struct eng_ring_config *config);
void eng_ring_stop(struct eng_ring *ring);

enum eng_pop eng_ring_pop(struct eng_ring *ring, struct eng_chain *chain);
void eng_ring_push(struct eng_ring *ring, struct eng_chain *chain, u32 used);
void eng_ring_push_held(struct eng_ring *ring);
bool eng_ring_interrupt(struct eng_ring *ring);
void eng_ring_quiet(struct eng_ring *ring);
bool eng_ring_rest(struct eng_ring *ring);
u32 eng_ring_process(struct eng_ring *ring, struct eng_port *port,
		     struct eng_chain *chain, u32 budget);
void eng_ring_counters(struct eng_ring *ring,
		       struct eng_ring_counters *counters);

#endif /* _ENG_RING_H */
