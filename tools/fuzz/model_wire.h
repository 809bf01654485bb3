/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the two halves of the model: what a frame says, and what is done then.
 */
#ifndef _FUZZ_MODEL_WIRE_H
#define _FUZZ_MODEL_WIRE_H

#include "model.h"

#define HEADER		16	/* bytes of the header of either direction */

#define OK		VIRTIO_ACCEL_S_OK
#define UNSUPPORTED	VIRTIO_ACCEL_S_UNSUPPORTED
#define INCOMPATIBLE	VIRTIO_ACCEL_S_INCOMPATIBLE
#define INVALID		VIRTIO_ACCEL_S_INVALID_ARGUMENT
#define OUT_OF_BOUNDS	VIRTIO_ACCEL_S_OUT_OF_BOUNDS
#define BUSY		VIRTIO_ACCEL_S_BUSY
#define LIMIT		VIRTIO_ACCEL_S_RESOURCE_LIMIT
#define EXPIRED		VIRTIO_ACCEL_S_DEADLINE_EXPIRED
#define LOST		VIRTIO_ACCEL_S_DEVICE_LOST
#define DENIED		VIRTIO_ACCEL_S_PERMISSION_DENIED
#define STALE		VIRTIO_ACCEL_S_STALE_OBJECT

static inline u64 number(const u8 *from, u32 bytes)
{
	u64 value = 0;

	while (bytes--)
		value = value << 8 | from[bytes];
	return value;
}

static inline u64 at8(const u8 *payload, u32 offset)
{
	return number(payload + offset, 8);
}

static inline u32 at4(const u8 *payload, u32 offset)
{
	return number(payload + offset, 4);
}

static inline bool zeros(const u8 *from, u32 bytes)
{
	while (bytes--) {
		if (from[bytes])
			return false;
	}
	return true;
}

u16 model_serve(struct model *m, u16 opcode, const u8 *p, u32 bytes, u32 room,
		struct model_answer *answer);

#endif /* _FUZZ_MODEL_WIRE_H */
