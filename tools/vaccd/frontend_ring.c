// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The ring of a front end: when it starts, and with which life of the device.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "frontend.h"
#include "log.h"

enum life {
	LIFE_NEW,			/* the driver begins anew */
	LIFE_GOES_ON,			/* it has all that it had */
	LIFE_LOST,			/* what it has was of a device that is gone */
};

/**
 * frontend_inband() - whether notifications may come and go by messages
 * @f: the front end
 *
 * Return: whether it has agreed to that.
 */
bool frontend_inband(const struct frontend *f)
{
	return f->protocol & VHOST_USER_PROTOCOL_INBAND;
}

static enum life ring_life(const struct frontend *f)
{
	const struct inflight_page *page = f->serve->page;

	if (!f->base_set)
		return f->stopped_at < 0 ? LIFE_NEW : LIFE_GOES_ON;
	if (!page) {
		if (!f->base)
			return LIFE_NEW;
		return f->base == f->stopped_at ? LIFE_GOES_ON : LIFE_LOST;
	}
	if (page->cookie != f->device->cookie)
		return LIFE_LOST;
	/* A ring that was used does not begin at 0 but by a reset. */
	if (!page->begun || (!f->base && f->stopped_at > 0))
		return LIFE_NEW;
	return LIFE_GOES_ON;
}

static void ring_begin_life(struct frontend *f, enum life life)
{
	if (life != LIFE_GOES_ON)
		device_reset(f->device);
	if (life == LIFE_LOST) {
		say("the driver has objects of a device that is gone");
		eng_port_lose(f->device->port);
	}
	f->device->touched = true;
	if (f->serve->page)
		f->serve->page->begun = 1;
}

static bool ring_complete(const struct frontend *f)
{
	bool enabled = f->enabled ||
		       !(f->features & VHOST_USER_F_PROTOCOL_FEATURES);

	return f->serve->memory && f->size && f->has_addr && enabled &&
	       (f->has_kick || frontend_inband(f));
}

/**
 * frontend_ring_start() - start the ring if all is there
 * @f: the front end
 *
 * Return: 0, also where something is missing yet, or a negative errno.
 */
int frontend_ring_start(struct frontend *f)
{
	const struct memory *memory = f->serve->memory;
	struct serve_ring ring = {
		.size = f->size,
		.next_avail = f->base,
	};
	enum life life;
	int err;

	if (serve_running(f->serve) || !ring_complete(f))
		return 0;
	ring.desc = memory_user(memory, f->addr.desc, 16 * f->size);
	ring.avail = memory_user(memory, f->addr.avail, 4 + 2 * f->size);
	ring.used = memory_user(memory, f->addr.used, 4 + 8 * f->size);
	if (!ring.desc || !ring.avail || !ring.used) {
		say("the ring is where no memory is");
		return -EFAULT;
	}
	life = ring_life(f);
	ring.goes_on = life != LIFE_NEW;
	ring_begin_life(f, life);
	err = serve_start(f->serve, &ring);
	if (err) {
		say("the ring does not start: %s", strerror(-err));
		return err;
	}
	debug("ring of %u at %u, life %d", f->size, f->base, life);
	device_count(&f->device->counters.starts);
	return 0;
}

/**
 * frontend_ring_stop() - stop the ring; what was taken is answered
 * @f: the front end
 *
 * It can go on where it was.
 */
void frontend_ring_stop(struct frontend *f)
{
	if (!serve_running(f->serve))
		return;
	f->base = serve_stop(f->serve, true);
	f->stopped_at = f->base;
	f->base_set = false;
	debug("ring stopped at %u", f->base);
}

/**
 * frontend_drop_kick() - forget how the driver notifies
 * @f: the front end, whose ring is stopped
 */
void frontend_drop_kick(struct frontend *f)
{
	if (f->serve->kick >= 0)
		close(f->serve->kick);
	f->serve->kick = -1;
	f->serve->poll = false;
	f->has_kick = false;
}
