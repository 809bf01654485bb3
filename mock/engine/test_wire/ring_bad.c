// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Rings of a driver that is broken or hostile: each head comes back once with
 * nothing written, and the next request works.
 */
#include "vring.h"

struct shape {
	const char *name;
	u32 count;
	struct {
		u64 addr;
		u32 len;
		u16 flags;
		u16 next;
	} descs[6];
};

#define IN	ARENA_ADDR
#define OUT	(ARENA_ADDR + 0x1000)
#define END	(ARENA_ADDR + ARENA_BYTES)

static const struct shape shapes[] = {
	{ "no writable part", 1, { { IN, 16, 0, 0 } } },
	{ "no readable part", 1, { { OUT, 92, WRITE, 0 } } },
	{ "writable before readable", 2,
	  { { OUT, 92, WRITE | NEXT, 1 }, { IN, 16, 0, 0 } } },
	{ "readable after writable", 3,
	  { { IN, 16, NEXT, 1 }, { OUT, 92, WRITE | NEXT, 2 }, { IN, 16, 0, 0 } } },
	{ "length zero, readable", 3,
	  { { IN, 16, NEXT, 1 }, { IN, 0, NEXT, 2 }, { OUT, 92, WRITE, 0 } } },
	{ "length zero, writable", 3,
	  { { IN, 16, NEXT, 1 }, { OUT, 92, WRITE | NEXT, 2 },
	    { OUT, 0, WRITE, 0 } } },
	{ "length zero, the first", 2,
	  { { IN, 0, NEXT, 1 }, { OUT, 92, WRITE, 0 } } },
	{ "loop of one", 1, { { IN, 16, NEXT, 0 } } },
	{ "loop of one, writable", 2,
	  { { IN, 16, NEXT, 1 }, { OUT, 92, WRITE | NEXT, 1 } } },
	{ "loop to the head", 2,
	  { { IN, 16, NEXT, 1 }, { OUT, 92, WRITE | NEXT, 0 } } },
	{ "loop of three", 4,
	  { { IN, 16, NEXT, 1 }, { OUT, 1, WRITE | NEXT, 2 },
	    { OUT, 1, WRITE | NEXT, 3 }, { OUT, 1, WRITE | NEXT, 1 } } },
	{ "indirect, not negotiated", 1, { { IN, 32, INDIRECT, 0 } } },
	{ "indirect and next", 2,
	  { { IN, 32, INDIRECT | NEXT, 1 }, { OUT, 92, WRITE, 0 } } },
	{ "indirect in the middle", 3,
	  { { IN, 16, NEXT, 1 }, { IN, 32, INDIRECT | NEXT, 2 },
	    { OUT, 92, WRITE, 0 } } },
	{ "next outside the table", 1, { { IN, 16, NEXT, 32 } } },
	{ "next far outside the table", 1, { { IN, 16, NEXT, 0xffff } } },
	{ "address that is not memory", 2,
	  { { 0, 16, NEXT, 1 }, { OUT, 92, WRITE, 0 } } },
	{ "writable address that is not memory", 2,
	  { { IN, 16, NEXT, 1 }, { 0xfffffffff000, 92, WRITE, 0 } } },
	{ "over the end of memory", 2,
	  { { END - 15, 16, NEXT, 1 }, { OUT, 92, WRITE, 0 } } },
	{ "writable over the end of memory", 2,
	  { { IN, 16, NEXT, 1 }, { END - 91, 92, WRITE, 0 } } },
	{ "address that wraps", 2,
	  { { U64_MAX - 14, 16, NEXT, 1 }, { OUT, 92, WRITE, 0 } } },
	{ "length of 4 GiB less one", 2,
	  { { IN, 0xffffffff, NEXT, 1 }, { OUT, 92, WRITE, 0 } } },
	{ "readable total of 4 GiB", 3,
	  { { MIRAGE_ADDR, 0x80000000, NEXT, 1 },
	    { MIRAGE_ADDR, 0x80000000, NEXT, 2 }, { OUT, 92, WRITE, 0 } } },
	{ "writable total beyond 4 GiB", 4,
	  { { IN, 16, NEXT, 1 }, { MIRAGE_ADDR, 0xffffffff, WRITE | NEXT, 2 },
	    { MIRAGE_ADDR, 0xffffffff, WRITE | NEXT, 3 },
	    { MIRAGE_ADDR, 0xffffffff, WRITE, 0 } } },
	{ "total of both beyond 4 GiB", 3,
	  { { MIRAGE_ADDR, 0x80000000, NEXT, 1 },
	    { MIRAGE_ADDR, 0x7fffffff, WRITE | NEXT, 2 },
	    { OUT, 92, WRITE, 0 } } },
	{ "header of 15 bytes", 2,
	  { { IN, 15, NEXT, 1 }, { OUT, 92, WRITE, 0 } } },
	{ "15 writable bytes", 2,
	  { { IN, 16, NEXT, 1 }, { OUT, 15, WRITE, 0 } } },
	{ "91 writable bytes for a device info", 2,
	  { { IN, 16, NEXT, 1 }, { OUT, 91, WRITE, 0 } } },
};

static void shape_write(struct vring *v, const struct shape *shape)
{
	struct virtio_accel_req_hdr header = {
		.opcode = cpu_to_le16(VIRTIO_ACCEL_OP_GET_DEVICE_INFO),
		.request_id = cpu_to_le64(1),
	};
	u32 i;

	vring_clear(v);
	vring_alloc(v, 0x2000);
	memcpy(vring_at(v, IN), &header, sizeof(header));
	for (i = 0; i < shape->count; i++)
		vring_desc(v, i, shape->descs[i].addr, shape->descs[i].len,
			   shape->descs[i].flags, shape->descs[i].next);
}

TEST(ring_shapes)
{
	struct snapshot before;
	struct rig rig;
	struct vring *v;
	u32 i, j, id, len, dirty;

	rig_make(&rig, NULL);
	v = vring_make(&rig, 32, 32);
	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		RULE("ring: %s", shapes[i].name);
		shape_write(v, &shapes[i]);
		rig_snapshot(&rig, &before);
		vring_offer(v, 0);
		EXPECT(!(vring_process(v, 0) & ENG_RING_BROKEN));
		EXPECT(vring_collect(v, &id, &len));
		EXPECT_EQ(id, 0);
		EXPECT_EQ(len, 0);
		EXPECT(!vring_collect(v, &id, &len));
		for (j = 0x1000, dirty = 0; j < 0x2000; j++)
			dirty += v->arena[j] != UNTOUCHED;
		EXPECT_EQ(dirty, 0);
		EXPECT_UNCHANGED(&rig, &before);
		vring_expect_alive(v);
	}

	RULE("ring: each head is returned once, bad ones among good ones");
	for (i = 0; i < 1000; i++) {
		memset(v->returned, 0, sizeof(v->returned));
		shape_write(v, &shapes[i % ARRAY_SIZE(shapes)]);
		vring_info(v, 10);
		vring_info(v, 20);
		vring_offer(v, 10);
		vring_offer(v, 0);
		vring_offer(v, 20);
		vring_process(v, 0);
		while (vring_collect(v, &id, &len))
			EXPECT_EQ(len, id ? 92 : 0);
		EXPECT_EQ(v->returned[0], 1);
		EXPECT_EQ(v->returned[10], 1);
		EXPECT_EQ(v->returned[20], 1);
	}
	EXPECT_EQ(v->ring.outstanding, 0);
	vring_free(v);
	rig_free(&rig);
}

TEST(ring_broken)
{
	static const u16 jumps[] = { 33, 34, 1000, 0x7fff, 0x8000, 0xffff };
	static const u16 heads[] = { 32, 33, 0x7fff, 0x8000, 0xffff };
	u32 i, id, len, count;
	struct rig rig;
	struct vring *v;

	rig_make(&rig, NULL);
	v = vring_make(&rig, 32, 32);
	RULE("ring: an index that jumps breaks the ring, not the device");
	for (i = 0; i < ARRAY_SIZE(jumps); i++) {
		v->offered += jumps[i];
		vring_publish(v);
		EXPECT_EQ(vring_process(v, 0), ENG_RING_BROKEN);
		EXPECT_EQ(vring_process(v, 0), ENG_RING_BROKEN);
		EXPECT(!eng_ring_rest(&v->ring));
		EXPECT(!vring_collect(v, &id, &len));
		vring_restart(v, 32);
		vring_expect_alive(v);
	}

	RULE("ring: a head outside the table breaks the ring, not the device");
	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		vring_info(v, 4);
		vring_offer(v, 4);
		vring_offer(v, heads[i]);
		vring_offer(v, 4);
		EXPECT(vring_process(v, 0) & ENG_RING_BROKEN);
		EXPECT(vring_collect(v, &id, &len));
		EXPECT_EQ(id, 4);
		EXPECT(!vring_collect(v, &id, &len));
		vring_restart(v, 32);
		vring_expect_alive(v);
	}

	/* As many as there are: a full ring of one head, each returned. */
	RULE("ring: the same head again and again");
	vring_info(v, 4);
	for (i = 0; i < 32; i++)
		vring_offer(v, 4);
	vring_process(v, 0);
	for (count = 0; vring_collect(v, &id, &len); count++)
		EXPECT(id == 4 && len == 92);
	EXPECT_EQ(count, 32);
	vring_expect_alive(v);

	/* Somebody who pops without pushing gets no more than there can be. */
	for (i = 0; i < 32; i++)
		vring_offer(v, 4);
	for (i = 0; i < 32; i++)
		EXPECT_EQ(eng_ring_pop(&v->ring, v->chain), ENG_POP_CHAIN);
	vring_offer(v, 4);
	EXPECT_EQ(eng_ring_pop(&v->ring, v->chain), ENG_POP_BROKEN);
	vring_free(v);
	rig_free(&rig);
}
