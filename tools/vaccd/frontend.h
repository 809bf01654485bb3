/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A front end, which connects a driver with the device: its messages, one by one.
 *
 * Rings start when all is there that they need.  Whether the driver begins anew then
 * or goes on with what it had is not said: the page of inflight.h tells it, and
 * where the front end has none, the index at which the ring begins.
 */
#ifndef VACCD_FRONTEND_H
#define VACCD_FRONTEND_H

#include "device.h"
#include "message.h"
#include "serve.h"

/**
 * struct frontend - a front end
 * @device: what it connects to
 * @serve: what serves its ring
 * @socket: the connection
 * @inband: notifications may come and go by messages
 * @backend: the connection for our requests, or -1
 * @protocol: protocol features that it has set
 * @features: features that it has set
 * @message: what there is of the next message
 * @size: of the ring, or 0
 * @base: where it begins
 * @base_set: the front end has said so since it was stopped
 * @stopped_at: where it was stopped, or -1
 * @addr: its addresses, for the front end
 * @has_addr: they are known
 * @has_kick: it is known how the driver notifies
 * @enabled: the ring may run
 */
struct frontend {
	struct device *device;
	struct serve *serve;
	int socket;
	bool inband;
	int backend;
	u64 protocol;
	u64 features;
	struct message message;

	u32 size;
	u16 base;
	bool base_set;
	s32 stopped_at;
	struct message_addr addr;
	bool has_addr;
	bool has_kick;
	bool enabled;
};

void frontend_begin(struct frontend *frontend, struct device *device,
		    struct serve *serve, int socket, bool inband);
void frontend_end(struct frontend *frontend, bool finish);
int frontend_receive(struct frontend *frontend);
int frontend_message(struct frontend *frontend, struct message *message);

/* The ring, in frontend_ring.c. */
bool frontend_inband(const struct frontend *f);
int frontend_ring_start(struct frontend *f);
void frontend_ring_stop(struct frontend *f);
void frontend_drop_kick(struct frontend *f);

#endif /* VACCD_FRONTEND_H */
