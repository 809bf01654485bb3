/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Messages of the vhost-user protocol, version 1, as far as a device with one queue
 * needs them, and how they come over a socket: in pieces, with descriptors, or not
 * to the end.
 */
#ifndef VACCD_MESSAGE_H
#define VACCD_MESSAGE_H

#include "memory.h"

#define VHOST_USER_GET_FEATURES			1
#define VHOST_USER_SET_FEATURES			2
#define VHOST_USER_SET_OWNER			3
#define VHOST_USER_RESET_OWNER			4
#define VHOST_USER_SET_MEM_TABLE		5
#define VHOST_USER_SET_VRING_NUM		8
#define VHOST_USER_SET_VRING_ADDR		9
#define VHOST_USER_SET_VRING_BASE		10
#define VHOST_USER_GET_VRING_BASE		11
#define VHOST_USER_SET_VRING_KICK		12
#define VHOST_USER_SET_VRING_CALL		13
#define VHOST_USER_SET_VRING_ERR		14
#define VHOST_USER_GET_PROTOCOL_FEATURES	15
#define VHOST_USER_SET_PROTOCOL_FEATURES	16
#define VHOST_USER_GET_QUEUE_NUM		17
#define VHOST_USER_SET_VRING_ENABLE		18
#define VHOST_USER_SET_BACKEND_REQ_FD		21
#define VHOST_USER_GET_CONFIG			24
#define VHOST_USER_SET_CONFIG			25
#define VHOST_USER_GET_INFLIGHT_FD		31
#define VHOST_USER_SET_INFLIGHT_FD		32
#define VHOST_USER_RESET_DEVICE			34
#define VHOST_USER_VRING_KICK			35

/* To the front end. */
#define VHOST_USER_BACKEND_VRING_CALL		4

#define VHOST_USER_VERSION		1
#define VHOST_USER_VERSION_MASK		0x3
#define VHOST_USER_REPLY		BIT(2)
#define VHOST_USER_NEED_REPLY		BIT(3)

#define VHOST_USER_F_PROTOCOL_FEATURES	BIT_ULL(30)
#define VHOST_USER_F_VERSION_1		BIT_ULL(32)

#define VHOST_USER_PROTOCOL_REPLY_ACK		BIT_ULL(3)
#define VHOST_USER_PROTOCOL_BACKEND_REQ		BIT_ULL(5)
#define VHOST_USER_PROTOCOL_CONFIG		BIT_ULL(9)
#define VHOST_USER_PROTOCOL_INFLIGHT_SHMFD	BIT_ULL(12)
#define VHOST_USER_PROTOCOL_RESET_DEVICE	BIT_ULL(13)
#define VHOST_USER_PROTOCOL_INBAND		BIT_ULL(14)

#define VHOST_USER_VRING_INDEX	0xff
#define VHOST_USER_VRING_NO_FD	BIT(8)

#define MESSAGE_FDS		MEMORY_REGIONS
#define MESSAGE_CONFIG_BYTES	256

struct message_header {
	u32 request;
	u32 flags;
	u32 size;
};

struct message_state {
	u32 index;
	u32 num;
};

struct message_addr {
	u32 index;
	u32 flags;
	u64 desc;
	u64 used;
	u64 avail;
	u64 log;
};

struct message_memory {
	u32 count;
	u32 padding;
	struct memory_wire regions[MEMORY_REGIONS];
};

struct message_config {
	u32 offset;
	u32 size;
	u32 flags;
	u8 data[MESSAGE_CONFIG_BYTES];
};

struct message_inflight {
	u64 bytes;
	u64 offset;
	u16 queues;
	u16 size;
	u32 padding;			/* some have it, some do not */
};

union message_payload {
	u64 number;
	struct message_state state;
	struct message_addr addr;
	struct message_memory memory;
	struct message_config config;
	struct message_inflight inflight;
};

/**
 * struct message - a message
 * @header: its header
 * @payload: what follows, @header.size bytes
 * @fds: descriptors that came with it; who takes one puts -1 there
 * @fd_count: how many
 * @got: bytes that have come so far
 */
struct message {
	struct message_header header;
	union message_payload payload;
	int fds[MESSAGE_FDS];
	u32 fd_count;
	u32 got;
};

int message_receive(int socket, struct message *message);
void message_end(struct message *message);
int message_take_fd(struct message *message, u32 index);
int message_send(int socket, const struct message *message, int fd);
void message_send_call(int socket);

#endif /* VACCD_MESSAGE_H */
