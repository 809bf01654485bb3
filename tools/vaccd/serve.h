/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Requests off the ring, answers onto it.
 *
 * One thread takes every chain and handles requests about events itself; the others
 * go to a second thread, in the order of the ring.  So a poll is answered while an
 * allocation is at work.
 *
 * The main thread starts and stops.  When serve_stop() returns nobody touches the
 * guest's memory any more, and nothing that points there is left.
 */
#ifndef VACCD_SERVE_H
#define VACCD_SERVE_H

#include "hostile.h"
#include "inflight.h"
#include "memory.h"
#include "port.h"
#include "ring.h"

#define SERVE_MAX_RING	INFLIGHT_HEADS

struct serve_chain {
	struct list_head node;
	struct eng_chain *chain;
};

/**
 * struct serve_counters - what went over the ring, besides what it counts itself
 * @kicks: notifications by the driver
 * @interrupts: of the driver
 */
struct serve_counters {
	u64 kicks;
	u64 interrupts;
};

/**
 * struct serve - the service of a ring
 * @port: who handles requests
 * @ring: the ring
 * @hostile: what is done to answers
 * @memory: the guest's; changes only while nothing is served
 * @page: what outlives us; likewise
 * @push: held while a chain is returned
 * @lock: of what follows
 * @changed: something of it has
 * @fetch: chains are to be taken
 * @handle: chains that were taken are to be handled
 * @quit: the threads shall end
 * @fetching: the first thread may touch the guest's memory
 * @handling: the second one may
 * @broken: the driver has made the ring meaningless
 * @idle: chains that are free
 * @objects: chains for the second thread
 * @counters: for people
 * @call: how the driver is interrupted, or -1
 * @call_socket: it is a socket
 * @inband: a socket for a message that interrupts, or -1
 * @err: how the front end hears of a broken ring, or -1
 * @kick: how the driver notifies; changes only while nothing is served
 * @poll: there is no such way: look at the ring now and then
 * @wake: wakes the first thread
 * @chains: all of them
 * @chain_count: how many
 * @threads: both
 */
struct serve {
	struct eng_port *port;
	struct eng_ring ring;
	struct eng_hostile hostile;
	struct memory *memory;
	struct inflight_page *page;
	pthread_mutex_t push;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool fetch;
	bool handle;
	bool quit;
	bool fetching;
	bool handling;
	bool broken;
	struct list_head idle;
	struct list_head objects;
	struct serve_counters counters;
	int call;
	bool call_socket;
	int inband;
	int err;

	int kick;
	bool poll;
	int wake;
	struct serve_chain *chains;
	u32 chain_count;
	pthread_t threads[2];
};

/**
 * struct serve_ring - where a ring is
 * @desc: descriptors
 * @avail: what the driver offers
 * @used: what it gets back
 * @size: descriptors
 * @next_avail: where to begin
 * @goes_on: the driver has used it before, maybe with a process before us
 */
struct serve_ring {
	void *desc;
	void *avail;
	void *used;
	u16 size;
	u16 next_avail;
	bool goes_on;
};

int serve_init(struct serve *serve, struct eng_port *port);
void serve_fini(struct serve *serve);
int serve_start(struct serve *serve, const struct serve_ring *where);
u16 serve_stop(struct serve *serve, bool finish);
bool serve_running(struct serve *serve);
void serve_kick(struct serve *serve);
void serve_set_call(struct serve *serve, int fd);
void serve_set_inband(struct serve *serve, int fd);
void serve_set_err(struct serve *serve, int fd);
void serve_flush(struct serve *serve);
void serve_counters(struct serve *serve, struct serve_counters *counters);

#endif /* VACCD_SERVE_H */
