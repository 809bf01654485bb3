// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The device's side of a split virtqueue.
 */
#include "port.h"
#include "ring.h"

/**
 * eng_chain_alloc() - memory for a chain
 * @segs: pieces that it may have
 *
 * Context: May sleep.
 * Return: the chain, for eng_chain_free(), or NULL.
 */
struct eng_chain *eng_chain_alloc(u32 segs)
{
	struct eng_chain *chain;

	chain = eng_zalloc(sizeof(*chain) + segs * sizeof(*chain->segs));
	if (!chain)
		return NULL;
	chain->segs = (struct eng_seg *)(chain + 1);
	chain->room = segs;
	return chain;
}

/**
 * eng_chain_free() - free a chain that the ring does not wait for any more
 * @chain: the chain, or NULL
 *
 * Context: May sleep.
 */
void eng_chain_free(struct eng_chain *chain)
{
	eng_free(chain);
}

/**
 * eng_ring_init() - make a ring that is not started
 * @ring: the ring
 *
 * Context: Any.
 */
void eng_ring_init(struct eng_ring *ring)
{
	memset(ring, 0, sizeof(*ring));
	eng_spin_init(&ring->lock);
}

/**
 * eng_ring_fini() - end a ring that is stopped
 * @ring: the ring
 *
 * Context: Any.
 */
void eng_ring_fini(struct eng_ring *ring)
{
	eng_spin_fini(&ring->lock);
}

/**
 * eng_ring_start() - begin to serve a ring
 * @ring: a ring that is not started
 * @config: where it is; that there is as much memory is the caller's care
 *
 * Context: Any task.
 * Return: OK, or INVALID_ARGUMENT.
 */
u16 eng_ring_start(struct eng_ring *ring, const struct eng_ring_config *config)
{
	if (!is_power_of_2(config->size) || config->size > ENG_RING_MAX_SIZE ||
	    config->max_chain < VIRTIO_ACCEL_MIN_CHAIN ||
	    !config->desc || ((uintptr_t)config->desc & 15) ||
	    !config->avail || ((uintptr_t)config->avail & 1) ||
	    !config->used || ((uintptr_t)config->used & 3))
		return VIRTIO_ACCEL_S_INVALID_ARGUMENT;

	eng_spin_lock(&ring->lock);
	ring->config = *config;
	ring->desc = config->desc;
	ring->avail = config->avail;
	ring->used = config->used;
	ring->next_avail = config->next_avail;
	ring->next_used = le16_to_cpu(eng_load_once(ring->used->idx));
	ring->broken = false;
	ring->era++;
	ring->outstanding = 0;
	ring->unsignalled = 0;
	ring->running = true;
	eng_spin_unlock(&ring->lock);
	return VIRTIO_ACCEL_S_OK;
}

/**
 * eng_ring_stop() - do not touch a ring any more
 * @ring: the ring; to be stopped twice does no harm
 *
 * What is pushed later is dropped.  The memory of chains that were popped may
 * still be written, until those who handle them have come back.
 *
 * Context: Any task.
 */
void eng_ring_stop(struct eng_ring *ring)
{
	eng_spin_lock(&ring->lock);
	ring->running = false;
	eng_spin_unlock(&ring->lock);
	if (ring->hostile)
		eng_hostile_stopped(ring->hostile);
}

/* One element for the driver to see; the lock is held. */
static void eng_ring_put(struct eng_ring *ring, u32 id, u32 used)
{
	struct eng_ring_used_elem *elem;

	elem = &ring->used->ring[ring->next_used & (ring->config.size - 1)];
	eng_store_once(elem->id, cpu_to_le32(id));
	eng_store_once(elem->len, cpu_to_le32(used));
	ring->next_used++;
	eng_store_release(ring->used->idx, cpu_to_le16(ring->next_used));
	ring->unsignalled++;
}

/* A chain has come back; hostility may say so too often. */
static void eng_ring_settle(struct eng_ring *ring)
{
	if (ring->outstanding)
		ring->outstanding--;
	ring->counters.pushed++;
}

static void eng_ring_put_held(struct eng_ring *ring, bool all)
{
	struct eng_hostile_reply reply;

	while (ring->hostile && eng_hostile_due(ring->hostile, all, &reply)) {
		eng_ring_settle(ring);
		eng_ring_put(ring, reply.id, reply.used);
	}
}

/**
 * eng_ring_push() - return a chain to the driver
 * @ring: the ring
 * @chain: a chain that was popped; free for another use then
 * @used: bytes that were written to it
 *
 * Context: Any task.
 */
void eng_ring_push(struct eng_ring *ring, struct eng_chain *chain, u32 used)
{
	struct eng_hostile_reply reply = {
		.id = chain->head,
		.used = used,
		.times = 1,
	};

	eng_spin_lock(&ring->lock);
	if (!ring->running || chain->era != ring->era) {
		eng_spin_unlock(&ring->lock);
		return;
	}
	if (ring->hostile)
		eng_hostile_falsify(ring->hostile, chain, &reply);
	if (reply.times)
		eng_ring_settle(ring);
	while (reply.times--)
		eng_ring_put(ring, reply.id, reply.used);
	eng_ring_put_held(ring, false);
	eng_spin_unlock(&ring->lock);
}

/**
 * eng_ring_push_held() - return all chains that hostility has held back
 * @ring: the ring
 *
 * Context: Any task.
 */
void eng_ring_push_held(struct eng_ring *ring)
{
	eng_spin_lock(&ring->lock);
	if (ring->running)
		eng_ring_put_held(ring, true);
	eng_spin_unlock(&ring->lock);
}

/**
 * eng_ring_interrupt() - whether the driver is to be interrupted now
 * @ring: the ring
 *
 * To be called after pushing; the answer covers all pushes since the last call.
 *
 * Context: Any task.
 * Return: whether it is.
 */
bool eng_ring_interrupt(struct eng_ring *ring)
{
	bool wanted = false;

	eng_spin_lock(&ring->lock);
	if (ring->running && ring->unsignalled) {
		ring->unsignalled = 0;
		/* The driver may be about to sleep: index first, then look. */
		eng_full_barrier();
		wanted = !(le16_to_cpu(eng_load_once(ring->avail->flags)) &
			   ENG_AVAIL_NO_INTERRUPT);
	}
	eng_spin_unlock(&ring->lock);
	return wanted;
}

/**
 * eng_ring_quiet() - ask the driver for no notifications
 * @ring: the ring, started
 *
 * Context: Any.
 */
void eng_ring_quiet(struct eng_ring *ring)
{
	eng_store_once(ring->used->flags, cpu_to_le16(ENG_USED_NO_NOTIFY));
}

/**
 * eng_ring_rest() - ask the driver for notifications
 * @ring: the ring, started
 *
 * Context: Any.
 * Return: whether there is something already: then none may come.
 */
bool eng_ring_rest(struct eng_ring *ring)
{
	eng_store_once(ring->used->flags, cpu_to_le16(0));
	/* The driver may be offering just now: ask first, then look. */
	eng_full_barrier();
	return !ring->broken &&
	       le16_to_cpu(eng_load_once(ring->avail->idx)) != ring->next_avail;
}

/* A descriptor in pieces; false for one that cannot be. */
static bool eng_chain_add(struct eng_chain *chain, const struct eng_ring *ring,
			  u64 addr, u32 len, bool writable)
{
	u64 end;

	if (!len || check_add_overflow(addr, (u64)len - 1, &end))
		return false;
	/* Readable ones come first. */
	if (!writable && chain->writable)
		return false;

	while (len) {
		u32 count = chain->readable + chain->writable;
		u32 bytes = len;
		void *base = ring->config.ops->map(ring->config.owner, addr,
						   &bytes);

		if (!base || !bytes || bytes > len || count == chain->room)
			return false;
		chain->segs[count].base = base;
		chain->segs[count].len = bytes;
		if (writable)
			chain->writable++;
		else
			chain->readable++;
		addr += bytes;
		len -= bytes;
	}
	return true;
}

/* Each descriptor is read once; a loop has too many. */
static bool eng_chain_walk(struct eng_chain *chain, const struct eng_ring *ring)
{
	u32 max = min_t(u32, ring->config.max_chain, ring->config.size);
	u32 index = chain->head;

	for (;;) {
		const struct eng_ring_desc *desc = &ring->desc[index];
		u64 addr = le64_to_cpu(eng_load_once(desc->addr));
		u32 len = le32_to_cpu(eng_load_once(desc->len));
		u16 flags = le16_to_cpu(eng_load_once(desc->flags));

		if (++chain->descriptors > max || (flags & ENG_DESC_INDIRECT) ||
		    !eng_chain_add(chain, ring, addr, len,
				   flags & ENG_DESC_WRITE))
			return false;
		if (!(flags & ENG_DESC_NEXT))
			return true;
		index = le16_to_cpu(eng_load_once(desc->next));
		if (index >= ring->config.size)
			return false;
	}
}

static enum eng_pop eng_ring_broken(struct eng_ring *ring)
{
	ring->broken = true;
	return ENG_POP_BROKEN;
}

/**
 * eng_ring_pop() - take the next chain
 * @ring: the ring, started
 * @chain: where it is put
 *
 * Context: Any task; the owner is asked for addresses.
 * Return: what came of it.
 */
enum eng_pop eng_ring_pop(struct eng_ring *ring, struct eng_chain *chain)
{
	u16 size = ring->config.size;
	u16 offered, head;
	bool full;

	if (ring->broken)
		return ENG_POP_BROKEN;
	/* What the index covers was written before it. */
	offered = le16_to_cpu(eng_load_acquire(ring->avail->idx));
	offered -= ring->next_avail;
	if (!offered)
		return ENG_POP_EMPTY;

	eng_spin_lock(&ring->lock);
	full = ring->outstanding >= size;
	eng_spin_unlock(&ring->lock);
	head = le16_to_cpu(eng_load_once(ring->avail->ring[ring->next_avail &
							   (size - 1)]));
	if (offered > size || full || head >= size)
		return eng_ring_broken(ring);
	ring->next_avail++;

	*chain = (struct eng_chain){
		.segs = chain->segs,
		.room = chain->room,
		.era = ring->era,
		.head = head,
	};
	chain->bad = !eng_chain_walk(chain, ring);
	if (chain->bad) {
		chain->readable = 0;
		chain->writable = 0;
	}

	eng_spin_lock(&ring->lock);
	ring->outstanding++;
	ring->counters.popped++;
	ring->counters.bad += chain->bad;
	eng_spin_unlock(&ring->lock);
	return ENG_POP_CHAIN;
}

/**
 * eng_ring_process() - serve a ring with a port
 * @ring: the ring, started
 * @port: what handles the chains
 * @chain: memory to work with
 * @budget: chains to be handled at most
 *
 * Context: May sleep.  Nobody else may pop.
 * Return: ENG_RING_*.
 */
u32 eng_ring_process(struct eng_ring *ring, struct eng_port *port,
		     struct eng_chain *chain, u32 budget)
{
	enum eng_pop pop = ENG_POP_CHAIN;
	u32 what = 0;

	eng_ring_quiet(ring);
	while (budget && pop == ENG_POP_CHAIN) {
		pop = eng_ring_pop(ring, chain);
		if (pop == ENG_POP_CHAIN) {
			eng_ring_push(ring, chain,
				      eng_port_handle(port, chain));
			budget--;
			eng_resched();
		} else if (pop == ENG_POP_EMPTY && eng_ring_rest(ring)) {
			eng_ring_quiet(ring);
			pop = ENG_POP_CHAIN;
		}
	}

	if (pop == ENG_POP_BROKEN)
		what |= ENG_RING_BROKEN;
	else if (pop == ENG_POP_CHAIN)
		what |= ENG_RING_MORE;
	if (eng_ring_interrupt(ring))
		what |= ENG_RING_INTERRUPT;
	return what;
}

/**
 * eng_ring_counters() - what went through a ring
 * @ring: the ring
 * @counters: one consistent picture
 *
 * Context: Any task.
 */
void eng_ring_counters(struct eng_ring *ring,
		       struct eng_ring_counters *counters)
{
	eng_spin_lock(&ring->lock);
	*counters = ring->counters;
	eng_spin_unlock(&ring->lock);
}
