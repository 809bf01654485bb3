// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer over what a driver may put into a ring, with a port behind it.
 *
 * The input is rounds.  In each the driver writes descriptors and requests of any
 * contents, offers heads, and may write on while the device looks; then the device
 * serves.  What must hold: every head comes back once, unless the ring became
 * meaningless, with a length that its writable part has; and after a restart a
 * good request is served.
 */
#include "input.h"
#include "vring.h"

#define SIZE		16
#define MAX_CHAIN	12
#define MEMORY		8192
#define MAX_ROUNDS	40

static struct eng_port_config config;
static struct rig rig;
static struct vring *v;
static u32 owed[SIZE];			/* heads that are to come back */
static u32 total;
static u64 epoch;			/* part of the numbers of objects */
static bool mad;			/* the ring has lost its meaning */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	config = default_config;
	config.workers = 1;
	config.limits.max_contexts = 2;
	config.limits.max_buffers = 4;
	config.limits.max_images = 2;
	config.limits.max_queues = 2;
	config.limits.max_events = 4;
	config.limits.max_bindings = 4;
	config.limits.max_buffer_bytes = 4096;
	config.limits.max_artifact_bytes = 256;
	config.max_chain = MAX_CHAIN;
	config.max_request = 1024;
	config.max_response = 1024;
	config.max_buffer_memory = 20000;
	config.max_program_memory = 64 * 4;
	REQUIRE(eng_port_create(&config, &rig.port) == OK);
	v = vring_make(&rig, SIZE, MAX_CHAIN);
	return 0;
}

static u64 take_address(struct input *in)
{
	u8 how = take(in);

	if (how < 200)
		return ARENA_ADDR + how * 16;
	if (how < 220)
		return ARENA_ADDR + ARENA_BYTES - (how - 199);
	if (how < 230)
		return MIRAGE_ADDR + how;
	return take_number(in);
}

static void take_desc(struct input *in)
{
	u8 where = take(in), what = take(in);
	u16 index = where % SIZE, flags = what & 3;
	u16 next = what & 4 ? take(in) : (index + 1) % SIZE;
	u64 addr = take_address(in);
	u32 len = take_number(in);

	if (what & 8)
		flags = take_bytes(in, 2);
	vring_desc(v, index, addr, len, flags, next);
}

/* The number of one of the first objects, as this device gives them. */
static u64 take_id(struct input *in)
{
	u8 which = take(in);

	return epoch << 42 | 1 << 21 | (which & 7) << 18 | which >> 3;
}

/* A header, and a payload of numbers. */
static void take_request(struct input *in)
{
	u64 at = ARENA_ADDR + take(in) * 16;
	u8 what = take(in), how = take(in);
	u32 bytes = how & 31, i;
	struct virtio_accel_req_hdr header = {
		.opcode = cpu_to_le16((what >> 4 & 7) << 8 | (what & 15)),
		.payload_bytes = cpu_to_le32(8 * bytes),
		.request_id = cpu_to_le64(1 + what),
	};

	memcpy(vring_at(v, at), &header, sizeof(header));
	for (i = 0; i < bytes; i++) {
		__le64 value = cpu_to_le64(!i && how & 32 ? take_id(in) :
					   take_number(in));

		memcpy(vring_at(v, at + 16 + 8 * i), &value, 8);
	}
}

static void take_offer(struct input *in)
{
	u8 head = take(in);

	if (total == SIZE)
		return;
	mad |= head >= 250;
	vring_offer(v, head < 250 ? head % SIZE : head * 257);
	owed[head % SIZE]++;
	total++;
}

/* More than a ring can hold. */
static void take_index(struct input *in)
{
	v->offered += SIZE + 1 + take_bytes(in, 2) % 32768;
	vring_publish(v);
	mad = true;
}

static u32 writable_bytes(u32 head)
{
	u32 sum = 0, i;

	for (i = 0; i < SIZE; i++) {
		u16 flags = le16_to_cpu(v->desc[head].flags);

		if (flags & WRITE)
			sum += le32_to_cpu(v->desc[head].len);
		head = le16_to_cpu(v->desc[head].next);
		if (!(flags & NEXT) || head >= SIZE)
			break;
	}
	return sum;
}

static void collect(void)
{
	u32 id, len, n = 0;

	while (vring_collect(v, &id, &len)) {
		REQUIRE(id < SIZE && owed[id]);
		owed[id]--;
		total--;
		EXPECT(!len || len >= ENG_RESPONSE_BYTES);
		EXPECT(len <= writable_bytes(id));
		n++;
	}
	EXPECT(n <= SIZE);
}

static void begin(void)
{
	struct eng_port_stats stats;

	eng_port_stats(rig.port, &stats);
	epoch = stats.epoch;
	vring_restart(v, MAX_CHAIN);
	memset(owed, 0, sizeof(owed));
	total = 0;
	mad = false;
}

static void restart(void)
{
	eng_port_reset(rig.port);
	begin();
}

static void serve(struct input *in)
{
	u8 how = take(in);
	u32 what;

	v->piece = how & 1 ? 8 + take(in) : 0;
	do {
		what = vring_process(v, how & 2 ? 1 + take(in) % 4 : 0);
	} while (what & ENG_RING_MORE);
	EXPECT_EQ(!!(what & ENG_RING_BROKEN), mad);
	if (mad) {
		restart();
		return;
	}
	collect();
	EXPECT_EQ(total, 0);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	u32 i;

	rig.next_request = 1;
	memset(v->arena, 0, MEMORY);
	begin();

	for (i = 0; i < 8 * MAX_ROUNDS && in.left; i++) {
		u8 what = take(&in);

		if (what < 90)
			take_desc(&in);
		else if (what < 140)
			take_request(&in);
		else if (what < 200)
			take_offer(&in);
		else if (what < 204)
			take_index(&in);
		else if (what < 205)
			restart();
		else
			serve(&in);
	}
	restart();
	vring_clear(v);
	vring_expect_alive(v);
	return 0;
}
