/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Virtio devices in the kernel: a transport on the virtio bus whose other side is
 * the engine's ring and port.
 *
 * Locks: loopback.power is outermost and orders what the harness does to the whole
 * device; then come the locks of the virtio core and of the driver, that call us.
 * loopback.lock is a spinlock with interrupts off, under which nothing is taken.
 * loopback.line is the interrupt line: the driver's callback runs under it.
 */
#ifndef _MOCK_LOOPBACK_H
#define _MOCK_LOOPBACK_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/virtio.h>
#include <linux/workqueue.h>

#include "../control.h"
#include "../engine/hostile.h"
#include "../engine/port.h"
#include "../engine/ring.h"

/* The region is longer than what the protocol has in it, as it may be. */
#define LOOPBACK_CONFIG_BYTES	32

/**
 * struct loopback_config - how devices shall be
 * @limits: what they take
 * @workers: how many queues, or parts of big products, of one execute at a time, 0 for what
 *	is usual
 * @hold: begin in hold mode
 */
struct loopback_config {
	struct eng_limits limits;
	u32 workers;
	bool hold;
};

/**
 * struct loopback_chain - memory for a chain while it is under way
 * @node: in @idle or @objects of the device
 * @chain: it
 */
struct loopback_chain {
	struct list_head node;
	struct eng_chain *chain;
};

/**
 * struct loopback_counters - what went over a ring, besides what the ring counts
 * @kicks: notifications by the driver
 * @interrupts: interrupts of the driver
 * @resets: resets by the driver
 */
struct loopback_counters {
	u64 kicks;
	u64 interrupts;
	u64 resets;
};

/**
 * struct loopback - a device
 * @vdev: what is on the virtio bus
 * @released: nobody has @vdev any more
 * @name: of the device, and of its workers
 * @instance: number of the node that the driver made first, or -1
 * @port: what executes requests
 * @ring: the device's side of the virtqueue
 * @hostile: what is done to replies
 * @power: orders sleep, wake-up and removal
 * @gone: by @power: the device is on its way off the bus
 * @asleep: by @power: the driver was told to freeze
 * @lock: protects all that follows up to @line
 * @status: device status
 * @generation: of the configuration space
 * @config: the configuration space
 * @features: device-type feature bits that are offered besides
 * @running: requests are fetched
 * @flush: what hostility holds back shall be returned
 * @idle: chains that are free
 * @objects: chains that wait for @object_work
 * @counters: for people
 * @line: the interrupt line
 * @vq: the driver's side of the virtqueue, by the transport's callers
 * @pages: memory of the ring
 * @pages_bytes: how much
 * @chains: memory of chains
 * @chain_count: how many
 * @event_wq: executes @fetch_work
 * @object_wq: executes @object_work and @clean_work
 * @fetch_work: takes chains and handles those about events
 * @object_work: handles the others
 * @clean_work: ends what a reset has left
 */
struct loopback {
	struct virtio_device vdev;
	struct completion released;
	char name[32];
	int instance;
	struct eng_port *port;
	struct eng_ring ring;
	struct eng_hostile hostile;

	struct mutex power; /* see above */
	bool gone;
	bool asleep;

	spinlock_t lock; /* see above */
	u8 status;
	u32 generation;
	u8 config[LOOPBACK_CONFIG_BYTES];
	u64 features;
	bool running;
	bool flush;
	struct list_head idle;
	struct list_head objects;
	struct loopback_counters counters;

	spinlock_t line; /* see above */

	struct virtqueue *vq;
	void *pages;
	size_t pages_bytes;
	struct loopback_chain *chains;
	u32 chain_count;

	struct workqueue_struct *event_wq;
	struct workqueue_struct *object_wq;
	struct work_struct fetch_work;
	struct work_struct object_work;
	struct work_struct clean_work;
};

static inline struct loopback *to_loopback(struct virtio_device *vdev)
{
	return container_of(vdev, struct loopback, vdev);
}

/* loopback.c */
int loopback_configure(void);
struct loopback *loopback_add(struct device *parent, const char *name,
			      const struct loopback_config *config);
void loopback_unplug(struct loopback *loopback);
void loopback_free(struct loopback *loopback);
int loopback_instance(struct loopback *loopback);
u32 loopback_ring_size(void);

/* transport.c */
extern const struct virtio_config_ops loopback_config_ops;
void loopback_needs_reset(void *owner);

/* serve.c */
int loopback_serve_init(struct loopback *loopback);
void loopback_serve_exit(struct loopback *loopback);
int loopback_serve_prepare(struct loopback *loopback);
void loopback_serve_release(struct loopback *loopback);
void loopback_serve_start(struct loopback *loopback);
void loopback_serve_stop(struct loopback *loopback);
void loopback_serve_kick(struct loopback *loopback);
void loopback_serve_flush(struct loopback *loopback);

/* memory.c */
extern const struct eng_ring_ops loopback_ring_ops;

/* files.c */
void loopback_files_add(struct loopback *loopback,
			struct control_target *control);

#endif /* _MOCK_LOOPBACK_H */
