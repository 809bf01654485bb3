// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Requests of the wire to numbers and back, by the structures of the uapi header.
 */
#include "codec.h"

#define GET(field)	((typeof(field))le_to_cpu((field), sizeof(field)))

static u64 le_to_cpu(u64 raw, u32 bytes)
{
	return bytes == 2 ? le16_to_cpu(raw) :
	       bytes == 4 ? le32_to_cpu(raw) :
	       bytes == 8 ? le64_to_cpu(raw) : raw;
}

bool codec_decode(const u8 *bytes, u32 count, struct codec *c)
{
	const struct virtio_accel_req_hdr *h = (const void *)bytes;
	const u8 *payload = bytes + sizeof(*h);
	u32 i;

	memset(c, 0, sizeof(*c));
	if (count < sizeof(*h))
		return false;
	c->opcode = GET(h->opcode);
	c->flags = GET(h->flags);
	c->payload_bytes = GET(h->payload_bytes);
	c->request_id = GET(h->request_id);
	if (c->payload_bytes != count - sizeof(*h))
		return false;
	count = c->payload_bytes;

	switch (c->opcode) {
	case VIRTIO_ACCEL_OP_GET_DEVICE_INFO:
		return !count;
	case VIRTIO_ACCEL_OP_CREATE_CONTEXT: {
		const struct virtio_accel_create_context *p = (const void *)payload;

		if (count != sizeof(*p))
			return false;
		c->flags32 = GET(p->flags);
		c->reserved = GET(p->reserved);
		return true;
	}
	case VIRTIO_ACCEL_OP_CREATE_QUEUE: {
		const struct virtio_accel_create_queue *p = (const void *)payload;

		if (count != sizeof(*p))
			return false;
		c->object = GET(p->context);
		c->flags32 = GET(p->flags);
		c->reserved = GET(p->reserved);
		return true;
	}
	case VIRTIO_ACCEL_OP_ALLOCATE_BUFFER: {
		const struct virtio_accel_allocate_buffer *p =
			(const void *)payload;

		if (count != sizeof(*p))
			return false;
		c->object = GET(p->context);
		c->bytes = GET(p->bytes);
		c->alignment = GET(p->alignment);
		c->domain = p->domain;
		c->usage = GET(p->usage);
		c->reserved = GET(p->reserved1);
		return true;
	}
	case VIRTIO_ACCEL_OP_WRITE_BUFFER:
	case VIRTIO_ACCEL_OP_READ_BUFFER: {
		const struct virtio_accel_transfer *p = (const void *)payload;

		if (count < sizeof(*p))
			return false;
		c->object = GET(p->buffer);
		c->offset = GET(p->offset);
		c->bytes = GET(p->bytes);
		c->tail_bytes = count - sizeof(*p);
		memcpy(c->tail, p + 1, c->tail_bytes);
		return true;
	}
	case VIRTIO_ACCEL_OP_LOAD_PROGRAM: {
		const struct virtio_accel_load_program *p = (const void *)payload;

		if (count < sizeof(*p))
			return false;
		c->object = GET(p->context);
		c->format = GET(p->format);
		c->flags32 = GET(p->flags);
		for (i = 0; i < 12; i++)
			c->target[i] = GET(p->target[i]);
		c->bytes = GET(p->payload_bytes);
		c->resident_bytes = GET(p->resident_bytes);
		c->tail_bytes = count - sizeof(*p);
		memcpy(c->tail, p + 1, c->tail_bytes);
		return true;
	}
	case VIRTIO_ACCEL_OP_SUBMIT: {
		const struct virtio_accel_submit *p = (const void *)payload;
		const struct virtio_accel_binding *b = (const void *)(p + 1);

		if (count < sizeof(*p))
			return false;
		c->object = GET(p->queue);
		c->program = GET(p->program);
		c->binding_count = GET(p->binding_count);
		c->flags32 = GET(p->flags);
		c->timeout_ns = GET(p->timeout_ns);
		if (c->binding_count != 1 || count != sizeof(*p) + sizeof(*b))
			return false;
		c->buffer = GET(b->buffer);
		c->offset = GET(b->offset);
		c->bytes = GET(b->bytes);
		c->slot = GET(b->slot);
		c->access = b->access;
		return true;
	}
	default: {
		const struct virtio_accel_object *p = (const void *)payload;

		if (count != sizeof(*p))
			return false;
		c->object = GET(p->id);
		return true;
	}
	}
}

static u8 *put(u8 *to, u64 value, u32 bytes)
{
	while (bytes--) {
		*to++ = value;
		value >>= 8;
	}
	return to;
}

u32 codec_encode(const struct codec *c, u8 *bytes)
{
	u8 *to = bytes;
	u32 i;

	to = put(to, c->opcode, 2);
	to = put(to, c->flags, 2);
	to = put(to, c->payload_bytes, 4);
	to = put(to, c->request_id, 8);

	switch (c->opcode) {
	case VIRTIO_ACCEL_OP_GET_DEVICE_INFO:
		break;
	case VIRTIO_ACCEL_OP_CREATE_CONTEXT:
	case VIRTIO_ACCEL_OP_CREATE_QUEUE:
		if (c->opcode == VIRTIO_ACCEL_OP_CREATE_QUEUE)
			to = put(to, c->object, 8);
		to = put(to, c->flags32, 4);
		to = put(to, c->reserved, 4);
		break;
	case VIRTIO_ACCEL_OP_ALLOCATE_BUFFER:
		to = put(to, c->object, 8);
		to = put(to, c->bytes, 8);
		to = put(to, c->alignment, 8);
		to = put(to, c->domain, 8);
		to = put(to, c->usage, 4);
		to = put(to, c->reserved, 4);
		break;
	case VIRTIO_ACCEL_OP_WRITE_BUFFER:
	case VIRTIO_ACCEL_OP_READ_BUFFER:
		to = put(to, c->object, 8);
		to = put(to, c->offset, 8);
		to = put(to, c->bytes, 8);
		break;
	case VIRTIO_ACCEL_OP_LOAD_PROGRAM:
		to = put(to, c->object, 8);
		to = put(to, c->format, 4);
		to = put(to, c->flags32, 4);
		for (i = 0; i < 12; i++)
			to = put(to, c->target[i], 4);
		to = put(to, c->bytes, 8);
		to = put(to, c->resident_bytes, 8);
		break;
	case VIRTIO_ACCEL_OP_SUBMIT:
		to = put(to, c->object, 8);
		to = put(to, c->program, 8);
		to = put(to, c->binding_count, 4);
		to = put(to, c->flags32, 4);
		to = put(to, c->timeout_ns, 8);
		to = put(to, c->buffer, 8);
		to = put(to, c->offset, 8);
		to = put(to, c->bytes, 8);
		to = put(to, c->slot, 4);
		to = put(to, c->access, 4);
		break;
	default:
		to = put(to, c->object, 8);
		break;
	}
	memcpy(to, c->tail, c->tail_bytes);
	return to + c->tail_bytes - bytes;
}
