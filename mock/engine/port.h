/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The wire face of a device: requests of protocol 1.0 in, responses out.
 *
 * A port owns its engine, the memory of its buffers and all its objects.  Who
 * moves the frames is not its business: it is given chains (wire.h), answers into
 * them, and says how many bytes of the answer are to be reported.
 *
 * Requests about events form a lane of their own: they never allocate memory nor
 * wait for a request that does, so that a device may serve them where fences are
 * waited for.  One caller a lane:
 *
 *	if (eng_port_open(port, chain) == ENG_LANE_EVENT)
 *		used = eng_port_handle(port, chain);
 *	else
 *		give it to another worker, which does the same
 *
 * A single worker just calls eng_port_handle().
 *
 * To reset: take no more chains, wait for those that are being handled, report
 * none of them any more, then call eng_port_reset().
 */
#ifndef _ENG_PORT_H
#define _ENG_PORT_H

#include "engine.h"
#include "fault.h"
#include "wire.h"

struct eng_port;

/* Memory of a buffer is aligned to this at most. */
#define ENG_MAX_ALIGNMENT	0x200000

/**
 * enum eng_lane - who may handle a request
 * @ENG_LANE_EVENT: also a worker that must not wait for memory
 * @ENG_LANE_OBJECT: only one that may
 */
enum eng_lane {
	ENG_LANE_EVENT,
	ENG_LANE_OBJECT,
};

/**
 * struct eng_port_ops - what a port tells its owner
 * @needs_reset: the device is lost until it is reset: DEVICE_NEEDS_RESET shall be
 *	indicated.  Comes once until the reset, in the context of the call that
 *	found out, with no lock held.  May be absent.
 */
struct eng_port_ops {
	void (*needs_reset)(void *owner);
};

/**
 * struct eng_port_config - how a port shall be
 * @name: of the engine's workers
 * @ops: what it tells its owner, may not go
 * @owner: comes back with @ops
 * @limits: what the engine takes, all nonzero; @max_events are those of a context
 *	that are not destroyed
 * @workers: as of the engine
 * @hold: begin in hold mode
 * @uuid: identity of the device model
 * @device_class: VIRTIO_ACCEL_CLASS_*
 * @vendor: vendor number
 * @device: device number
 * @capabilities: VIRTIO_ACCEL_CAP_*, at least one kind of memory
 * @max_chain: descriptors of a chain
 * @max_request: bytes of a request
 * @max_response: bytes of a response
 * @max_buffer_memory: bytes that all buffers together retain
 * @max_program_memory: bytes that all programs together declare
 * @id_generations: how often a slot of a number is used, or 0 for as often as
 *	possible
 */
struct eng_port_config {
	const char *name;
	const struct eng_port_ops *ops;
	void *owner;
	struct eng_limits limits;
	u32 workers;
	bool hold;
	u8 uuid[16];
	u16 device_class;
	u32 vendor;
	u32 device;
	u64 capabilities;
	u16 max_chain;
	u32 max_request;
	u32 max_response;
	u64 max_buffer_memory;
	u64 max_program_memory;
	u32 id_generations;
};

/**
 * struct eng_port_stats - a port at a moment
 * @live: objects, by kind; quarantined ones are not among them
 * @quarantined: objects whose release was indeterminate
 * @buffer_memory: bytes that are charged for buffers
 * @program_memory: bytes that are charged for programs
 * @epoch: number of resets, and 1
 * @lost: it wants a reset
 */
struct eng_port_stats {
	u32 live[ENG_KIND_COUNT];
	u32 quarantined;
	u64 buffer_memory;
	u64 program_memory;
	u32 epoch;
	bool lost;
};

u16 eng_port_create(const struct eng_port_config *config,
		    struct eng_port **port);
void eng_port_free(struct eng_port *port);
void eng_port_reset(struct eng_port *port);
u16 eng_port_set_limits(struct eng_port *port, const struct eng_limits *limits);
void eng_port_lose(struct eng_port *port);

enum eng_lane eng_port_open(struct eng_port *port, struct eng_chain *chain);
u32 eng_port_handle(struct eng_port *port, struct eng_chain *chain);

const struct eng_port_config *eng_port_config(const struct eng_port *port);
void eng_port_wire_config(const struct eng_port *port,
			  struct virtio_accel_config *config);
struct eng_faults *eng_port_faults(struct eng_port *port);
void eng_port_stats(struct eng_port *port, struct eng_port_stats *stats);

struct eng_device *eng_port_engine_get(struct eng_port *port);
void eng_port_engine_put(struct eng_port *port);
void eng_port_hold(struct eng_port *port, bool hold);

#endif /* _ENG_PORT_H */
