// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Replies that are falsified do what their rules say.
 */
#include "hostile.h"
#include "vring.h"

static struct rig rig;
static struct vring *v;
static struct eng_hostile hostile;

static void begin(void)
{
	rig_make(&rig, NULL);
	v = vring_make(&rig, 64, 64);
	eng_hostile_init(&hostile);
	v->ring.hostile = &hostile;
}

static void end(void)
{
	vring_free(v);
	eng_hostile_fini(&hostile);
	rig_free(&rig);
}

static void add(enum eng_hostility what, u16 opcode, u64 skip, u64 count,
		u64 value)
{
	const struct eng_hostile_rule rule = {
		.what = what,
		.opcode = opcode,
		.skip = skip,
		.count = count,
		.value = value,
	};

	EXPECT_EQ(eng_hostile_add(&hostile, &rule), OK);
}

/* One device info by head @head; where its answer is. */
static u8 *ask(u16 head)
{
	u64 response = vring_info(v, head);

	vring_offer(v, head);
	vring_process(v, 0);
	return vring_at(v, response);
}

static void expect_used(u32 id, u32 len)
{
	u32 i = ~0, l = ~0;

	EXPECT(vring_collect(v, &i, &l));
	EXPECT_EQ(i, id);
	EXPECT_EQ(l, len);
}

static void expect_none(void)
{
	u32 id, len;

	EXPECT(!vring_collect(v, &id, &len));
}

TEST(hostile_ring)
{
	begin();
	add(ENG_HOSTILE_MUTE, 0, 1, 1, 0);
	ask(0);
	expect_used(0, 92);
	ask(2);
	expect_none();
	ask(4);
	expect_used(4, 92);
	EXPECT_EQ(eng_hostile_met(&hostile), 1);

	add(ENG_HOSTILE_DUPLICATE, 1, 0, 1, 0);
	ask(6);
	expect_used(6, 92);
	expect_used(6, 92);
	expect_none();

	add(ENG_HOSTILE_LATE, 0, 0, 1, 2);
	ask(8);
	expect_none();
	ask(10);
	expect_used(10, 92);
	expect_none();
	ask(12);
	expect_used(12, 92);
	expect_used(8, 92);
	expect_none();

	add(ENG_HOSTILE_LATE, 0, 0, 1, 0);
	ask(14);
	ask(16);
	expect_used(16, 92);
	expect_none();
	eng_ring_push_held(&v->ring);
	EXPECT(eng_ring_interrupt(&v->ring));
	expect_used(14, 92);

	add(ENG_HOSTILE_USED_LENGTH, 0, 0, 1, 0xffffffff);
	ask(0);
	expect_used(0, 0xffffffff);
	add(ENG_HOSTILE_USED_ID, 0, 0, 1, 64);
	ask(0);
	expect_used(64, 92);
	/* Other requests than those that are meant. */
	add(ENG_HOSTILE_MUTE, VIRTIO_ACCEL_OP_SUBMIT, 0, 0, 0);
	ask(0);
	expect_used(0, 92);
	eng_hostile_clear(&hostile);

	/* A reply from before a reset. */
	add(ENG_HOSTILE_STALE, 0, 0, 1, 0);
	ask(20);
	expect_none();
	ask(22);
	expect_used(22, 92);
	vring_restart(v, 64);
	ask(24);
	expect_used(24, 92);
	expect_used(20, 92);
	expect_none();
	/* And a late one is forgotten then. */
	add(ENG_HOSTILE_LATE, 0, 0, 1, 0);
	ask(20);
	vring_restart(v, 64);
	eng_ring_push_held(&v->ring);
	expect_none();
	end();
}

TEST(hostile_bytes)
{
	u8 *first, *second, *b;

	begin();
	add(ENG_HOSTILE_STATUS, 0, 0, 1, 0x1234);
	b = ask(0);
	EXPECT_EQ(eng_get_le16(b), 0x1234);
	add(ENG_HOSTILE_FLAGS, 0, 0, 1, 0x8001);
	b = ask(0);
	EXPECT_EQ(eng_get_le16(b + 2), 0x8001);
	add(ENG_HOSTILE_PAYLOAD_LENGTH, 0, 0, 1, 0x7fffffff);
	b = ask(0);
	EXPECT_EQ(eng_get_le16(b + 4), 0xffff);
	EXPECT_EQ(eng_get_le16(b + 6), 0x7fff);
	add(ENG_HOSTILE_REQUEST_ID, 0, 0, 1, 0x1122334455667788);
	b = ask(0);
	EXPECT_EQ(le64_to_cpu(eng_get_u64(b + 8)), 0x1122334455667788);
	add(ENG_HOSTILE_OBJECT, 0, 0, 1, 42);
	b = ask(0);
	EXPECT_EQ(le64_to_cpu(eng_get_u64(b + 16)), 42);
	add(ENG_HOSTILE_EVENT_STATE, 0, 0, 1, 0xfffe);
	add(ENG_HOSTILE_EVENT_ERROR, 0, 0, 1, 0x0102);
	b = ask(0);
	EXPECT_EQ(eng_get_le16(b + 16), 0xfffe);
	EXPECT_EQ(eng_get_le16(b + 18), 0x0102);
	EXPECT_EQ(eng_get_le16(b), OK);

	add(ENG_HOSTILE_SWAP, 0, 0, 1, 0);
	vring_clear(v);
	rig.next_request = 100;
	first = ask(2);
	second = ask(4);
	EXPECT_EQ(first[8], 101);
	EXPECT_EQ(second[8], 100);
	end();
}

TEST(hostile_limits)
{
	const struct eng_hostile_rule bad = { .what = ENG_HOSTILE_COUNT };
	u32 i;

	begin();
	EXPECT_EQ(eng_hostile_add(&hostile, &bad), INVALID);
	for (i = 0; i < ENG_HOSTILE_RULES; i++)
		add(ENG_HOSTILE_MUTE, 0x7777, 0, 0, 0);
	EXPECT_EQ(eng_hostile_add(&hostile, &(struct eng_hostile_rule){}),
		  RESOURCE_LIMIT);
	for (i = 0; i < ENG_HOSTILE_COUNT; i++)
		EXPECT(eng_hostility_name(i));
	EXPECT(!eng_hostility_name(ENG_HOSTILE_COUNT));
	end();
}
