// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Random frames, good ones and ones that were damaged, over a ring whose chains are
 * cut at random and damaged too.  FRAMES says how many.
 */
#include "vring.h"

#define DEFAULT_FRAMES	200000
#define POOL		64
#define MAX_DESCS	24

static u64 seed;

static u32 random_u32(u32 below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 16) % below;
}

static bool one_in(u32 n)
{
	return !random_u32(n);
}

/* Numbers that lie at the edges of something. */
static u64 random_edge(void)
{
	static const u64 edges[] = {
		0, 1, 2, 15, 16, 17, 64, 4095, 4096, 4097, 1 << 20,
		0x7fffffff, 0x80000000, 0xffffffff, 1ULL << 32, 1ULL << 63,
		U64_MAX - 4095, U64_MAX,
	};

	return one_in(4) ? seed : edges[random_u32(ARRAY_SIZE(edges))];
}

/* IDs that are live as far as we know, by kind; and some that are not. */
static u64 pool[ENG_KIND_COUNT][POOL];
static u32 pool_count[ENG_KIND_COUNT];
static u64 grave[POOL];

static void pool_add(enum eng_kind kind, u64 id)
{
	if (pool_count[kind] < POOL)
		pool[kind][pool_count[kind]++] = id;
}

static void pool_remove(u64 id)
{
	u32 kind, i;

	for (kind = 0; kind < ENG_KIND_COUNT; kind++) {
		for (i = 0; i < pool_count[kind]; i++) {
			if (pool[kind][i] != id)
				continue;
			pool[kind][i] = pool[kind][--pool_count[kind]];
			grave[random_u32(POOL)] = id;
		}
	}
}

static u64 random_id(enum eng_kind kind)
{
	if (one_in(50))
		return random_edge();
	if (one_in(50))
		kind = 1 + random_u32(ENG_KIND_COUNT - 1);
	if (!pool_count[kind] || one_in(20))
		return grave[random_u32(POOL)];
	return pool[kind][random_u32(pool_count[kind])];
}

static u64 random_bytes(void)
{
	return one_in(20) ? random_edge() : 1 + random_u32(4096);
}

static struct frame *random_transfer(u16 opcode)
{
	struct frame *frame;
	u64 bytes = one_in(20) ? random_edge() : 1 + random_u32(512);
	u32 i;

	frame = frame_transfer(opcode, random_id(ENG_KIND_BUFFER),
			       one_in(20) ? random_edge() : random_u32(64),
			       bytes);
	if (opcode == VIRTIO_ACCEL_OP_WRITE_BUFFER && bytes <= 512) {
		for (i = 0; i < bytes; i++)
			frame_add(frame, i, 1);
	}
	return frame;
}

static struct frame *random_submit(void)
{
	u32 i, count = one_in(9) ? 1 + random_u32(3) : 1;
	struct frame *frame = frame_submit(random_id(ENG_KIND_QUEUE),
					   random_id(ENG_KIND_IMAGE), count,
					   one_in(3) ? random_u32(100000) : 0);

	for (i = 0; i < count; i++)
		frame_bind(frame, random_id(ENG_KIND_BUFFER),
			   one_in(4) ? random_u32(64) : 0,
			   one_in(3) ? random_bytes() : 1,
			   one_in(20) ? random_u32(4) : i,
			   one_in(3) ? 1 + random_u32(3) : WRITE_ONLY);
	return frame;
}

static struct frame *random_object(u16 opcode, enum eng_kind kind)
{
	struct frame *frame = frame_new(opcode);

	frame_add(frame, random_id(kind), 8);
	return frame;
}

static struct frame *random_good(void)
{
	struct frame *frame;

	switch (random_u32(24)) {
	case 0:
		return frame_new(VIRTIO_ACCEL_OP_GET_DEVICE_INFO);
	case 1:
		frame = frame_new(VIRTIO_ACCEL_OP_CREATE_CONTEXT);
		frame_add(frame, 0, 8);
		return frame;
	case 2:
		return random_object(VIRTIO_ACCEL_OP_DESTROY_CONTEXT,
				     ENG_KIND_CONTEXT);
	case 3:
	case 4:
		return frame_buffer(random_id(ENG_KIND_CONTEXT), random_bytes(),
				    1ULL << random_u32(one_in(9) ? 64 : 13),
				    1 + random_u32(3),
				    one_in(3) ? random_u32(32) : USAGE_ALL);
	case 5:
		return random_object(VIRTIO_ACCEL_OP_FREE_BUFFER,
				     ENG_KIND_BUFFER);
	case 6:
	case 7:
		return random_transfer(VIRTIO_ACCEL_OP_WRITE_BUFFER);
	case 8:
	case 9:
		return random_transfer(VIRTIO_ACCEL_OP_READ_BUFFER);
	case 10:
	case 11:
		return frame_program(random_id(ENG_KIND_CONTEXT),
				     one_in(3) ? random_u32(5) :
						 VACC_REF_OP_FILL,
				     random_u32(256));
	case 12:
		return random_object(VIRTIO_ACCEL_OP_UNLOAD_PROGRAM,
				     ENG_KIND_IMAGE);
	case 13:
		frame = frame_new(VIRTIO_ACCEL_OP_CREATE_QUEUE);
		frame_add(frame, random_id(ENG_KIND_CONTEXT), 8);
		frame_add(frame, 0, 8);
		return frame;
	case 14:
		return random_object(VIRTIO_ACCEL_OP_DESTROY_QUEUE,
				     ENG_KIND_QUEUE);
	case 15:
	case 16:
	case 17:
		return random_submit();
	case 18:
	case 19:
		return random_object(VIRTIO_ACCEL_OP_POLL_EVENT, ENG_KIND_EVENT);
	case 20:
		return random_object(VIRTIO_ACCEL_OP_CANCEL_EVENT,
				     ENG_KIND_EVENT);
	default:
		return random_object(VIRTIO_ACCEL_OP_DESTROY_EVENT,
				     ENG_KIND_EVENT);
	}
}

/* Damage, from none to much. */
static struct frame *random_frame(void)
{
	struct frame *frame = random_good();
	u32 i, flips;

	if (one_in(3)) {
		for (flips = 1 + random_u32(3); flips && frame->bytes; flips--)
			frame->payload[random_u32(frame->bytes)] ^=
				1 << random_u32(8);
	}
	if (one_in(40))
		frame->opcode = one_in(2) ? random_u32(0x10000) :
				frame->opcode ^ (1 << random_u32(16));
	if (one_in(60))
		frame->flags = 1 << random_u32(16);
	if (one_in(40))
		frame->bytes = random_u32(frame->bytes + 1);
	if (one_in(40)) {
		for (i = random_u32(40); i; i--)
			frame_add(frame, random_u32(256), 1);
	}
	if (one_in(60))
		frame->lie = one_in(2) ? (s64)random_edge() : -1;
	if (one_in(100))
		frame->no_id = true;
	return frame;
}

struct sent {
	u16 opcode;
	u64 request_id;
	u64 object;			/* first of the payload */
	u64 response;
	u32 room;
	u32 bytes;			/* of the request, with its header */
};

static struct sent sent[256];		/* by head */

/* In this batch chains may be bad, and may reach the memory of each other. */
static bool damage;

static u64 put_frame(struct vring *v, struct frame *frame, struct sent *s)
{
	struct virtio_accel_req_hdr header = {
		.opcode = cpu_to_le16(frame->opcode),
		.flags = cpu_to_le16(frame->flags),
		.payload_bytes = cpu_to_le32(frame->bytes + frame->lie),
	};
	u64 request = vring_alloc(v, sizeof(header) + frame->bytes);
	u8 *memory = vring_at(v, request);

	s->opcode = frame->opcode;
	s->request_id = frame->no_id ? 0 : v->rig->next_request++;
	header.request_id = cpu_to_le64(s->request_id);
	memcpy(memory, &header, sizeof(header));
	memcpy(memory + sizeof(header), frame->payload, frame->bytes);
	s->object = frame->bytes < 8 ? 0 :
		    le64_to_cpu(eng_get_u64(frame->payload));
	s->bytes = sizeof(header) + frame->bytes;
	free(frame);
	return request;
}

/* Descriptors for @bytes at @addr from @index on; returns the next index. */
static u16 random_descs(struct vring *v, u16 index, u64 addr, u32 bytes,
			u16 flags)
{
	u32 left = 1 + random_u32(MAX_DESCS / 2);

	while (bytes) {
		u32 len = left > 1 && !one_in(3) ? 1 + random_u32(bytes) : bytes;

		if (left == 1)
			len = bytes;
		vring_desc(v, index, addr, len, flags | NEXT, index + 1);
		index++;
		addr += len;
		bytes -= len;
		left--;
	}
	return index;
}

static void random_damage(struct vring *v, u16 head, u16 end)
{
	struct eng_ring_desc *desc = &v->desc[head + random_u32(end - head)];

	switch (random_u32(6)) {
	case 0:
		desc->len = cpu_to_le32(random_edge());
		break;
	case 1:
		desc->addr = cpu_to_le64(random_edge());
		break;
	case 2:
		desc->flags = cpu_to_le16(random_u32(8));
		break;
	case 3:
		/* Never to a chain that is not ours: both would be answered. */
		desc->next = cpu_to_le16(one_in(2) ? head : 256 + random_u32(9));
		break;
	case 4:
		desc->flags ^= cpu_to_le16(WRITE);
		break;
	default:
		desc->len = 0;
		break;
	}
}

/* One chain at @head; returns the first descriptor behind it. */
static u16 random_chain(struct vring *v, u16 head)
{
	struct sent *s = &sent[head];
	u64 request = put_frame(v, random_frame(), s);
	u16 index;

	s->room = one_in(20) ? random_u32(40) : 16 + random_u32(600);
	s->response = vring_alloc(v, s->room + 1);
	index = random_descs(v, head, request, s->bytes, 0);
	index = random_descs(v, index, s->response, s->room, WRITE);
	v->desc[index - 1].flags &= cpu_to_le16(~NEXT);
	if (damage && one_in(2))
		random_damage(v, head, index);
	return index;
}

static enum eng_kind created_kind(u16 opcode)
{
	switch (opcode) {
	case VIRTIO_ACCEL_OP_CREATE_CONTEXT:
		return ENG_KIND_CONTEXT;
	case VIRTIO_ACCEL_OP_ALLOCATE_BUFFER:
		return ENG_KIND_BUFFER;
	case VIRTIO_ACCEL_OP_LOAD_PROGRAM:
		return ENG_KIND_IMAGE;
	case VIRTIO_ACCEL_OP_CREATE_QUEUE:
		return ENG_KIND_QUEUE;
	case VIRTIO_ACCEL_OP_SUBMIT:
		return ENG_KIND_EVENT;
	default:
		return ENG_KIND_NONE;
	}
}

static bool destroys(u16 opcode)
{
	return opcode == VIRTIO_ACCEL_OP_DESTROY_CONTEXT ||
	       opcode == VIRTIO_ACCEL_OP_FREE_BUFFER ||
	       opcode == VIRTIO_ACCEL_OP_UNLOAD_PROGRAM ||
	       opcode == VIRTIO_ACCEL_OP_DESTROY_QUEUE ||
	       opcode == VIRTIO_ACCEL_OP_DESTROY_EVENT;
}

static void learn(const struct sent *s, const u8 *b, u32 len)
{
	if (len < 16 || eng_get_u64(b + 8) != cpu_to_le64(s->request_id))
		return;
	if (len == 24 && created_kind(s->opcode))
		pool_add(created_kind(s->opcode),
			 le64_to_cpu(eng_get_u64(b + 16)));
	else if (destroys(s->opcode) && !eng_get_le16(b))
		pool_remove(s->object);
}

static u64 statuses[16], unanswered;

static void check_answer(struct vring *v, u32 head, u32 len)
{
	const struct sent *s = &sent[head];
	const u8 *b = vring_at(v, s->response);
	u32 i, payload, status;

	learn(s, b, len);
	if (damage) {
		unanswered += !len;
		return;
	}
	EXPECT(len <= s->room);
	for (i = len; i <= s->room && b[i] == UNTOUCHED; i++)
		;
	EXPECT_EQ(i, s->room + 1);
	if (!len) {
		unanswered++;
		return;
	}
	EXPECT(len >= 16);
	payload = eng_get_le16(b + 4) | eng_get_le16(b + 6) << 16;
	status = eng_get_le16(b);
	EXPECT_EQ(len, 16 + payload);
	EXPECT_EQ(eng_get_le16(b + 2), 0);
	EXPECT_EQ(le64_to_cpu(eng_get_u64(b + 8)), s->request_id);
	EXPECT(status <= STALE || status == INTERNAL_ERROR);
	statuses[status <= STALE ? status : 15]++;
	if (!status && created_kind(s->opcode))
		EXPECT_EQ(payload, 8);
	if (status && payload)
		EXPECT(s->opcode == VIRTIO_ACCEL_OP_SUBMIT && payload == 8);
}

static void restart(struct vring *v)
{
	u32 kind;

	eng_port_reset(v->rig->port);
	vring_restart(v, 64);
	v->rig->resets_wanted = 0;
	for (kind = 0; kind < ENG_KIND_COUNT; kind++) {
		while (pool_count[kind])
			pool_remove(pool[kind][0]);
	}
}

/* What happens around a driver. */
static void random_event(struct vring *v)
{
	struct eng_device *engine;
	struct eng_fault fault = {
		.method = random_u32(ENG_METHOD_COUNT),
		.kind = 1 + random_u32(ENG_FAULT_KINDS - 1),
		.call = 1 + random_u32(20),
		.status = random_u32(12),
		.state = random_u32(4),
	};
	u64 sequence;

	if (one_in(4000))
		restart(v);
	if (one_in(20000))
		eng_port_lose(v->rig->port);
	if (one_in(300))
		eng_faults_add(eng_port_faults(v->rig->port), &fault);
	if (one_in(200))
		eng_port_hold(v->rig->port, random_u32(2));
	engine = eng_port_engine_get(v->rig->port);
	if (!engine)
		return;
	if (one_in(20) && !eng_harness_oldest(engine, &sequence)) {
		if (one_in(2))
			eng_harness_complete(engine, sequence);
		else
			eng_harness_fail(engine, sequence, random_u32(12));
	}
	eng_port_engine_put(v->rig->port);
}

static u32 fuzz_batch(struct vring *v)
{
	u32 count = 1 + random_u32(6), i, id, len, got = 0;
	u16 heads[8], next = 0;

	damage = one_in(6);
	vring_clear(v);
	memset(v->returned, 0, 256 * sizeof(v->returned[0]));
	for (i = 0; i < count; i++) {
		heads[i] = next;
		next = random_chain(v, next);
		vring_offer(v, heads[i]);
	}
	v->piece = one_in(4) ? 64 + random_u32(1000) : 0;
	while (vring_process(v, 1 + random_u32(4)) & ENG_RING_MORE)
		;
	EXPECT(!(v->last & ENG_RING_BROKEN));
	while (vring_collect(v, &id, &len)) {
		EXPECT(id < 256);
		check_answer(v, id, len);
		got++;
	}
	EXPECT_EQ(got, count);
	for (i = 0; i < count; i++)
		EXPECT_EQ(v->returned[heads[i]], 1);
	return count;
}

static struct eng_port_config fuzz_config(void)
{
	struct eng_port_config config = default_config;

	config.capabilities |= VIRTIO_ACCEL_CAP_SHARED_MEMORY;
	config.limits.max_contexts = 2;
	config.limits.max_buffers = 24;
	config.limits.max_images = 12;
	config.limits.max_queues = 4;
	config.limits.max_events = 24;
	config.limits.max_bindings = 8;
	config.limits.max_buffer_bytes = 8192;
	config.limits.max_artifact_bytes = 1024;
	config.limits.inline_limit = 2048;
	config.max_buffer_memory = 1 << 19;
	config.max_program_memory = 64 * 40;
	config.max_request = 1024;
	config.max_response = 1024;
	config.max_chain = 64;
	return config;
}

TEST(fuzz_frames)
{
	const char *text = getenv("FRAMES");
	u64 frames = text && *text ? strtoull(text, NULL, 0) : DEFAULT_FRAMES;
	struct eng_port_config config = fuzz_config();
	struct eng_audit audit;
	struct rig rig;
	struct vring *v;
	u64 done = 0;
	u32 i;

	rig_make(&rig, &config);
	v = vring_make(&rig, 256, 64);
	seed = 88172645463325252;
	memset(pool_count, 0, sizeof(pool_count));
	pool_add(ENG_KIND_CONTEXT, rig.context);
	RULE("random and mutated frames: every head is returned exactly once");
	while (done < frames) {
		done += fuzz_batch(v);
		random_event(v);
		/* A lost device is not left alone for long. */
		if (rig.resets_wanted && one_in(20))
			restart(v);
	}
	EXPECT_EQ(v->ring.outstanding, 0);

	eng_port_reset(rig.port);
	eng_faults_audit(eng_port_faults(rig.port), &audit);
	EXPECT_EQ(audit.double_release, 0);
	EXPECT_EQ(audit.use_after_release, 0);
	EXPECT_EQ(audit.parent_before_child, 0);
	for (i = 1; i < ENG_KIND_COUNT; i++) {
		EXPECT_EQ(audit.live[i], 0);
		EXPECT(audit.created[i] >= frames / 10000);
	}
	printf("%llu frames, %llu unanswered; by status:", (long long)done,
	       (long long)unanswered);
	for (i = 0; i < ARRAY_SIZE(statuses); i++)
		printf(" %llu", (long long)statuses[i]);
	printf("\ncreated:");
	for (i = 1; i < ENG_KIND_COUNT; i++)
		printf(" %llu", (long long)audit.created[i]);
	printf("\n");
	vring_free(v);
	rig_free(&rig);
}
