// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "vring.h"

static void *vring_map(void *owner, u64 addr, u32 *bytes)
{
	struct vring *v = owner;
	u64 offset = addr - ARENA_ADDR;

	if (addr >= MIRAGE_ADDR && addr - MIRAGE_ADDR < MIRAGE_BYTES)
		return v->arena;
	if (addr < ARENA_ADDR || offset >= ARENA_BYTES)
		return NULL;
	if (*bytes > ARENA_BYTES - offset)
		*bytes = ARENA_BYTES - offset;
	if (v->piece && *bytes > v->piece - offset % v->piece)
		*bytes = v->piece - offset % v->piece;
	return v->arena + offset;
}

static const struct eng_ring_ops vring_ops = {
	.map = vring_map,
};

void vring_restart(struct vring *v, u16 max_chain)
{
	const struct eng_ring_config config = {
		.desc = v->desc,
		.avail = v->avail,
		.used = v->used,
		.size = v->size,
		.max_chain = max_chain,
		.ops = &vring_ops,
		.owner = v,
	};

	eng_ring_stop(&v->ring);
	memset(v->desc, 0, v->size * sizeof(*v->desc));
	memset(v->avail, 0, sizeof(*v->avail) + v->size * 2);
	memset(v->used, 0, sizeof(*v->used) + v->size * 8);
	v->offered = 0;
	v->collected = 0;
	memset(v->returned, 0, sizeof(v->returned));
	EXPECT_EQ(eng_ring_start(&v->ring, &config), OK);
}

struct vring *vring_make(struct rig *rig, u16 size, u16 max_chain)
{
	struct vring *v = calloc(1, sizeof(*v));

	REQUIRE(v);
	v->rig = rig;
	v->size = size;
	v->desc = aligned_alloc(16, size * sizeof(*v->desc));
	v->avail = malloc(sizeof(*v->avail) + size * 2);
	v->used = malloc(sizeof(*v->used) + size * 8);
	v->arena = malloc(ARENA_BYTES);
	v->chain = eng_chain_alloc(ENG_CHAIN_SEGS);
	REQUIRE(v->desc && v->avail && v->used && v->arena && v->chain);
	eng_ring_init(&v->ring);
	vring_restart(v, max_chain);
	return v;
}

void vring_free(struct vring *v)
{
	eng_ring_stop(&v->ring);
	eng_ring_fini(&v->ring);
	eng_chain_free(v->chain);
	free(v->arena);
	free(v->used);
	free(v->avail);
	free(v->desc);
	free(v);
}

u64 vring_alloc(struct vring *v, u32 bytes)
{
	u64 addr = ARENA_ADDR + v->arena_used;

	REQUIRE(v->arena_used + bytes <= ARENA_BYTES);
	memset(v->arena + v->arena_used, UNTOUCHED, bytes);
	v->arena_used += bytes;
	return addr;
}

void *vring_at(struct vring *v, u64 addr)
{
	return v->arena + (addr - ARENA_ADDR);
}

void vring_clear(struct vring *v)
{
	v->arena_used = 0;
}

void vring_desc(struct vring *v, u16 index, u64 addr, u32 len, u16 flags,
		u16 next)
{
	v->desc[index] = (struct eng_ring_desc){
		.addr = cpu_to_le64(addr),
		.len = cpu_to_le32(len),
		.flags = cpu_to_le16(flags),
		.next = cpu_to_le16(next),
	};
}

void vring_publish(struct vring *v)
{
	eng_store_release(v->avail->idx, cpu_to_le16(v->offered));
}

void vring_offer(struct vring *v, u16 head)
{
	v->avail->ring[v->offered++ % v->size] = cpu_to_le16(head);
	vring_publish(v);
}

u32 vring_process(struct vring *v, u32 budget)
{
	do {
		v->last = eng_ring_process(&v->ring, v->rig->port, v->chain,
					   budget ? budget : 1000);
		v->interrupts += !!(v->last & ENG_RING_INTERRUPT);
	} while (!budget && (v->last & ENG_RING_MORE));
	return v->last;
}

bool vring_collect(struct vring *v, u32 *id, u32 *len)
{
	u16 index = le16_to_cpu(eng_load_acquire(v->used->idx));

	if (index == v->collected)
		return false;
	*id = le32_to_cpu(v->used->ring[v->collected % v->size].id);
	*len = le32_to_cpu(v->used->ring[v->collected % v->size].len);
	v->collected++;
	if (*id < ARRAY_SIZE(v->returned))
		v->returned[*id]++;
	return true;
}

u64 vring_info(struct vring *v, u16 head)
{
	struct virtio_accel_req_hdr header = {
		.opcode = cpu_to_le16(VIRTIO_ACCEL_OP_GET_DEVICE_INFO),
		.request_id = cpu_to_le64(v->rig->next_request++),
	};
	u64 request = vring_alloc(v, sizeof(header));
	u64 response = vring_alloc(v, 92);
	u16 next = (head + 1) % v->size;

	memcpy(vring_at(v, request), &header, sizeof(header));
	vring_desc(v, head, request, sizeof(header), NEXT, next);
	vring_desc(v, next, response, 92, WRITE, 0);
	return response;
}

void vring_expect_alive(struct vring *v)
{
	u32 id, len;
	u64 response;
	u16 head = v->size - 2;

	response = vring_info(v, head);
	vring_offer(v, head);
	EXPECT(!(vring_process(v, 0) & ENG_RING_BROKEN));
	EXPECT(vring_collect(v, &id, &len));
	EXPECT_EQ(id, head);
	EXPECT_EQ(len, 92);
	EXPECT_EQ(eng_get_le16(vring_at(v, response)), OK);
	EXPECT(!memcmp((u8 *)vring_at(v, response) + 16, "virtio-accelmock",
		       16));
	EXPECT(!vring_collect(v, &id, &len));
}
