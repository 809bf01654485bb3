/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A small front end, and the driver behind it: memory in a memfd, a ring, requests of
 * protocol 1.0.
 */
#ifndef TEST_VACCD_FRONT_H
#define TEST_VACCD_FRONT_H

#include <linux/virtio_accel.h>

#include "message.h"
#include "ringmem.h"

#define FRONT_RING	64
#define FRONT_SLOTS	(FRONT_RING / 2)
#define FRONT_SLOT	0x10000		/* half for the request */
#define FRONT_BYTES	(0x10000 + FRONT_SLOTS * FRONT_SLOT)
#define FRONT_GUEST	0x40000000ULL
#define FRONT_USER	0x7f0000000000ULL
#define FRONT_OFFSET	0x3000ULL	/* the memory begins there in its file */

/* A "status" of what came back without an answer, or never did. */
#define NO_ANSWER	0x10000
#define NEVER		0x20000

struct front {
	int socket;
	int memfd;
	u8 *memory;
	int kick;
	int call;
	int backend;			/* our end of it */
	int inflight;			/* the page, or -1 */
	bool acks;			/* REPLY_ACK was negotiated */
	bool inband;
	struct eng_ring_desc *desc;
	struct eng_ring_avail *avail;
	struct eng_ring_used *used;
	u16 next_avail;
	u16 next_used;
	u64 next_id;
};

struct reply {
	u32 used;
	u32 status;
	u64 object;
	u32 bytes;
	const u8 *payload;
};

int socket_connect(const char *path);

void front_connect(struct front *front, const char *path);
void front_features(struct front *front, bool inband);
void front_memory(struct front *front);		/* new, and empty */
void front_share(struct front *front);		/* SET_MEM_TABLE */
void front_inflight(struct front *front);	/* get, or give back */
void front_ring(struct front *front, u16 base);
void front_enable(struct front *front, bool enable);
u16 front_stop(struct front *front);		/* GET_VRING_BASE */
void front_disconnect(struct front *front);
void front_free(struct front *front);
/* All of the above, as QEMU does it. */
void front_begin(struct front *front, const char *path);

/* Status of a message, 0 or 1, or -1 without a reply. */
int front_send(struct front *front, u32 request, const void *payload, u32 size,
	       const int *fds, u32 fd_count);
int front_ask(struct front *front, struct message *message, int *fd);
int front_read(struct front *front, struct message *message, int *fd);

void drive_send(struct front *front, u32 slot, u16 opcode, const void *payload,
		u32 bytes, u32 room);
void drive_kick(struct front *front);
/* The next returned slot, or -1 when nothing comes for so long. */
int drive_wait(struct front *front, int ms, u32 *used);
u32 drive(struct front *front, u16 opcode, const void *payload, u32 bytes,
	  struct reply *reply);

u64 drive_context(struct front *front);
u64 drive_queue(struct front *front, u64 context);
u64 drive_buffer(struct front *front, u64 context, u64 bytes);
u64 drive_program(struct front *front, u64 context, u32 format,
		  const u32 *target, const void *artifact, u64 bytes,
		  u64 resident);
u64 drive_ref(struct front *front, u64 context, u8 op, u8 operand);
u64 drive_submit(struct front *front, u64 queue, u64 program, u64 first,
		 u64 second, u64 bytes, const u8 *access);
u32 drive_object(struct front *front, u16 opcode, u64 object);
u32 drive_event(struct front *front, u64 event);	/* its terminal state */
u32 drive_write(struct front *front, u64 buffer, const void *data, u32 bytes);
u32 drive_read(struct front *front, u64 buffer, void *data, u32 bytes);

#endif /* TEST_VACCD_FRONT_H */
