/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The guest's memory, as far as the front end shares it.
 *
 * A table never changes: another one replaces it when nobody uses the old one any
 * more.  Who shares memory may take it away again by shortening the file.  Whoever
 * touches it then gets memory of nobody instead, for the whole region, and
 * memory_lost_fd() becomes readable.
 */
#ifndef VACCD_MEMORY_H
#define VACCD_MEMORY_H

#include "env.h"

#define MEMORY_REGIONS	8

/* As it stands in a message. */
struct memory_wire {
	u64 guest;
	u64 size;
	u64 user;
	u64 offset;
};

/**
 * struct memory_region - a piece of the guest's memory
 * @guest: its address for the guest
 * @size: bytes
 * @user: its address for the front end
 * @host: its address for us
 * @map: the mapping that has it
 * @map_bytes: length of the mapping
 */
struct memory_region {
	u64 guest;
	u64 size;
	u64 user;
	u8 *host;
	void *map;
	size_t map_bytes;
};

struct memory {
	u32 count;
	struct memory_region regions[MEMORY_REGIONS];
};

int memory_init(void);
int memory_lost_fd(void);
bool memory_lost(void);
void memory_found(void);

int memory_map(const struct memory_wire *wire, const int *fds, u32 count,
	       struct memory **memory);
void memory_unmap(struct memory *memory);

void *memory_guest(const struct memory *memory, u64 addr, u32 *bytes);
void *memory_user(const struct memory *memory, u64 addr, u64 bytes);

#endif /* VACCD_MEMORY_H */
