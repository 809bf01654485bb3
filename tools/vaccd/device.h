/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The device: an engine behind the wire protocol, which lives as long as the
 * process, while front ends come and go.
 */
#ifndef VACCD_DEVICE_H
#define VACCD_DEVICE_H

#include <stdio.h>

#include "hostile.h"
#include "port.h"
#include "ring.h"

#define DEVICE_CONFIG_BYTES	32

/**
 * struct device_options - how the device shall be
 * @name: of its threads
 * @uuid: identity of the device model
 * @device_class: VIRTIO_ACCEL_CLASS_*
 * @vendor: vendor number
 * @device: device number
 * @limits: what it takes
 * @workers: queues, or parts of big products, that execute at a time, 0 for one a processor
 * @hold: begin in hold mode
 * @max_resident: bytes that all buffers together may have, and all programs
 * @max_chain: descriptors of a chain
 * @max_request: bytes of a request
 * @max_response: bytes of a response
 */
struct device_options {
	const char *name;
	u8 uuid[16];
	u16 device_class;
	u32 vendor;
	u32 device;
	struct eng_limits limits;
	u32 workers;
	bool hold;
	u64 max_resident;
	u32 max_chain;
	u32 max_request;
	u32 max_response;
};

/**
 * struct device_counters - what has happened, for people
 * @connections: front ends that came
 * @messages: of front ends
 * @refused: messages that were not allowed
 * @starts: starts of the ring
 * @resets: lives that began
 * @tables: memory tables
 * @memory_lost: memory that was taken away
 */
struct device_counters {
	u64 connections;
	u64 messages;
	u64 refused;
	u64 starts;
	u64 resets;
	u64 tables;
	u64 memory_lost;
};

/**
 * struct device - the device
 * @port: objects and execution
 * @cookie: number of its life: what the driver knows from before is dead in another
 * @touched: a driver may have made objects in this life
 * @renewed: the next life shall have other limits; atomic
 * @first: limits that it began with
 * @lock: of what follows
 * @config: the configuration space
 * @features: device-type feature bits that are offered besides
 * @counters: by device_count(), without a lock
 */
struct device {
	struct eng_port *port;
	u64 cookie;
	bool touched;
	bool renewed;
	struct eng_limits first;
	pthread_mutex_t lock;
	u8 config[DEVICE_CONFIG_BYTES];
	u64 features;
	struct device_counters counters;
};

void device_defaults(struct device_options *options);
int device_init(struct device *device, const struct device_options *options);
void device_fini(struct device *device);
void device_renew(struct device *device);
void device_reset(struct device *device);
int device_set_limits(struct device *device, const struct eng_limits *limits);
void device_count(u64 *counter);
void device_counters(const struct device *device,
		     struct device_counters *counters);
void device_read_config(struct device *device, u32 offset, void *to, u32 bytes);

#endif /* VACCD_DEVICE_H */
