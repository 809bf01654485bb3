/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Requests as numbers. */
#ifndef _TEST_WIRE_CODEC_H
#define _TEST_WIRE_CODEC_H

#include "rig.h"

struct codec {
	u16 opcode;
	u16 flags;
	u32 payload_bytes;
	u64 request_id;
	u64 object;			/* the first of the payload */
	u64 program;
	u64 buffer;
	u64 bytes;
	u64 offset;
	u64 alignment;
	u64 resident_bytes;
	u64 timeout_ns;
	u32 flags32;
	u32 reserved;
	u32 usage;
	u32 format;
	u32 target[12];
	u32 binding_count;
	u32 slot;
	u8 domain;
	u8 access;
	u32 tail_bytes;
	u8 tail[256];
};

bool codec_decode(const u8 *bytes, u32 count, struct codec *codec);
u32 codec_encode(const struct codec *codec, u8 *bytes);

#endif /* _TEST_WIRE_CODEC_H */
