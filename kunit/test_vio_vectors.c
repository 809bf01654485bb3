// SPDX-License-Identifier: GPL-2.0
/*
 * Frames and configurations with the driver's verdict on them: some that are written
 * down here, and those that are published with the protocol, where they were at hand
 * when this was built.  Each is a line of the conformance report.
 */
#include <linux/bvec.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "test_vio_rig.h"

/**
 * struct vio_args - what a set of vectors has in it
 * @id: of every request
 * @context: ID of a context; the others likewise
 * @desc: of ALLOCATE_BUFFER
 * @offset: of transfers
 * @data: of transfers
 * @bytes: of @data
 * @load: of LOAD_PROGRAM, but for the artifact
 * @artifact: that
 * @binds: of SUBMIT
 * @bind_count: how many
 * @timeout_ns: of SUBMIT
 * @failed: error of the event that failed
 * @indeterminate: status of the submission that is
 * @info: what the device says of itself
 */
struct vio_args {
	u64 id;
	u64 context;
	u64 buffer;
	u64 program;
	u64 queue;
	u64 event;
	struct vacc_buffer_desc desc;
	u64 offset;
	u8 data[8];
	u32 bytes;
	struct vacc_load load;
	u8 artifact[8];
	struct vacc_bind binds[2];
	u32 bind_count;
	u64 timeout_ns;
	u16 failed;
	u16 indeterminate;
	struct vacc_backend_info info;
};

static const struct vio_args published_args = {
	.id = 0x0102030405060708,
	.context = 0x1112131415161718,
	.buffer = 0x2122232425262728,
	.program = 0x3132333435363738,
	.queue = 0x4142434445464748,
	.event = 0x5152535455565758,
	.desc = { .bytes = 4096, .alignment = 64, .domain = 3, .usage = 12 },
	.offset = 4,
	.data = { 0xde, 0xad, 0xbe, 0xef },
	.bytes = 4,
	.load = {
		.format = 1,
		.target = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 },
		.payload_bytes = 4,
		.resident_bytes = 4096,
	},
	.artifact = { 0xa1, 0xb2, 0xc3, 0xd4 },
	.binds = { { .bytes = 4096, .slot = 7, .access = 3 } },
	.bind_count = 1,
	.timeout_ns = 1000000,
	.failed = 9,
	.indeterminate = 9,
	.info = {
		.uuid = { 'v', 'i', 'r', 't', 'i', 'o', '-', 'a',
			  'c', 'c', 'e', 'l', 'm', 'o', 'c', 'k' },
		.device_class = 1,
		.vendor = 0x12345678,
		.device = 0x9abcdef0,
		.capabilities = 7,
		.max_contexts = 64,
		.max_buffers_per_context = 1024,
		.max_programs_per_context = 256,
		.max_queues_per_context = 16,
		.max_events_per_context = 4096,
		.max_bindings = 256,
		.max_buffer_bytes = 1 << 30,
		.max_artifact_bytes = 1 << 24,
	},
};

static const struct vio_args own_args = {
	.id = 0xf1e2d3c4b5a69788,
	.context = 0x8000000000000001,
	.buffer = 0xfedcba98,
	.program = 0x7766554433221100,
	.queue = 0x100000002,
	.event = 0xffffffffffffffff,
	.desc = { .bytes = 0x123456789, .alignment = 4096, .domain = 2, .usage = 31 },
	.offset = 0x1000000000000001,
	.data = { 1, 2, 3, 4, 5, 6, 7 },
	.bytes = 7,
	.load = {
		.format = 0xa0b0c0d0,
		.target = { 0xffffffff, 0, 0x100, 0x20000, 0x3000000, 5, 6, 7, 8,
			    9, 0x80000000, 0x12345678 },
		.payload_bytes = 3,
		.resident_bytes = 0x8000000000,
	},
	.artifact = { 0xab, 0xcd, 0xef },
	.binds = {
		{ .offset = 64, .bytes = 128, .slot = 0, .access = 1 },
		{ .bytes = 1, .slot = 0xffffffff, .access = 2 },
	},
	.bind_count = 2,
	.timeout_ns = 5000000000,
	.failed = 8,
	.indeterminate = 0xffff,
	.info = {
		.uuid = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
		.device_class = 3,
		.vendor = 0xfffffffe,
		.capabilities = 0x8000000000000027,
		.max_contexts = 1,
		.max_buffers_per_context = 0xffffffff,
		.max_programs_per_context = 2,
		.max_queues_per_context = 3,
		.max_events_per_context = 4,
		.max_bindings = 4096,
		.max_buffer_bytes = 0xffffffffffffffff,
		.max_artifact_bytes = 1,
	},
};

/**
 * struct vio_vector - bytes and what they are
 * @name: of the vector
 * @kind: "config", "request" or "response"
 * @label: opcode, status, or the verdict on an edge case
 * @hex: the bytes, with spaces anywhere
 * @edge: an edge case
 */
struct vio_vector {
	const char *name;
	const char *kind;
	const char *label;
	const char *hex;
	bool edge;
};

#define ID	"8897a6b5c4d3e2f1"
#define NONE	"0000 0000 00000000" ID
#define OBJECT	"0000 0000 08000000" ID

static const struct vio_vector own_vectors[] = {
	{ "config_minimum", "config", "",
	  "0100 0000 0100 0200 61000000 5c000000" },
	{ "config_maximum", "config", "",
	  "0100 0000 0100 0001 00000001 00000001" },
	{ "config_usual", "config", "",
	  "0100 0000 0100 1000 78563400 89674500" },
	{ "request_get_device_info", "request", "GET_DEVICE_INFO",
	  "0100 0000 00000000" ID },
	{ "request_create_context", "request", "CREATE_CONTEXT",
	  "0001 0000 08000000" ID "00000000 00000000" },
	{ "request_destroy_context", "request", "DESTROY_CONTEXT",
	  "0101 0000 08000000" ID "0100000000000080" },
	{ "request_allocate_buffer", "request", "ALLOCATE_BUFFER",
	  "0002 0000 28000000" ID "0100000000000080 8967452301000000"
	  "0010000000000000 02 00000000000000 1f000000 00000000" },
	{ "request_free_buffer", "request", "FREE_BUFFER",
	  "0102 0000 08000000" ID "98badcfe00000000" },
	{ "request_write_buffer", "request", "WRITE_BUFFER",
	  "0202 0000 1f000000" ID "98badcfe00000000 0100000000000010"
	  "0700000000000000 01020304050607" },
	{ "request_read_buffer", "request", "READ_BUFFER",
	  "0302 0000 18000000" ID "98badcfe00000000 0100000000000010"
	  "0700000000000000" },
	{ "request_load_program", "request", "LOAD_PROGRAM",
	  "0003 0000 53000000" ID "0100000000000080 d0c0b0a0 00000000"
	  "ffffffff 00000000 00010000 00000200 00000003 05000000"
	  "06000000 07000000 08000000 09000000 00000080 78563412"
	  "0300000000000000 0000000080000000 abcdef" },
	{ "request_unload_program", "request", "UNLOAD_PROGRAM",
	  "0103 0000 08000000" ID "0011223344556677" },
	{ "request_create_queue", "request", "CREATE_QUEUE",
	  "0004 0000 10000000" ID "0100000000000080 00000000 00000000" },
	{ "request_destroy_queue", "request", "DESTROY_QUEUE",
	  "0104 0000 08000000" ID "0200000001000000" },
	{ "request_submit", "request", "SUBMIT",
	  "0005 0000 60000000" ID "0200000001000000 0011223344556677"
	  "02000000 00000000 00f2052a01000000"
	  "98badcfe00000000 4000000000000000 8000000000000000 00000000 01 000000"
	  "98badcfe00000000 0000000000000000 0100000000000000 ffffffff 02 000000" },
	{ "request_poll_event", "request", "POLL_EVENT",
	  "0105 0000 08000000" ID "ffffffffffffffff" },
	{ "request_cancel_event", "request", "CANCEL_EVENT",
	  "0205 0000 08000000" ID "ffffffffffffffff" },
	{ "request_destroy_event", "request", "DESTROY_EVENT",
	  "0305 0000 08000000" ID "ffffffffffffffff" },
	{ "response_get_device_info", "response", "OK",
	  "0000 0000 4c000000" ID "000102030405060708090a0b0c0d0e0f 0300 0000"
	  "feffffff 00000000 2700000000000080 01000000 ffffffff 02000000"
	  "03000000 04000000 00100000 ffffffffffffffff 0100000000000000" },
	{ "response_create_context", "response", "OK", OBJECT "0100000000000080" },
	{ "response_destroy_context", "response", "OK", NONE },
	{ "response_allocate_buffer", "response", "OK", OBJECT "98badcfe00000000" },
	{ "response_free_buffer", "response", "OK", NONE },
	{ "response_write_buffer", "response", "OK", NONE },
	{ "response_read_buffer", "response", "OK",
	  "0000 0000 07000000" ID "01020304050607" },
	{ "response_load_program", "response", "OK", OBJECT "0011223344556677" },
	{ "response_unload_program", "response", "OK", NONE },
	{ "response_create_queue", "response", "OK", OBJECT "0200000001000000" },
	{ "response_destroy_queue", "response", "OK", NONE },
	{ "response_submit_accepted", "response", "OK", OBJECT "ffffffffffffffff" },
	{ "response_submit_indeterminate", "response", "INTERNAL_ERROR",
	  "ffff 0000 08000000" ID "ffffffffffffffff" },
	{ "response_poll_event_pending", "response", "OK", OBJECT "0000 0000 00000000" },
	{ "response_poll_event_complete", "response", "OK", OBJECT "0100 0000 00000000" },
	{ "response_poll_event_failed", "response", "OK", OBJECT "0200 0800 00000000" },
	{ "response_poll_event_cancelled", "response", "OK", OBJECT "0300 0000 00000000" },
	{ "response_cancel_event", "response", "OK", NONE },
	{ "response_destroy_event", "response", "OK", NONE },
	{ "response_unknown_opcode", "response", "UNSUPPORTED",
	  "0100 0000 00000000" ID },
	{ "config_descriptor_limit_above_hard_max", "config", "ChainDescriptorLimit",
	  "0100 0000 0100 ffff 61000000 5c000000", true },
	{ "config_descriptor_limit_below_two", "config", "ChainDescriptorLimit",
	  "0100 0000 0100 0100 61000000 5c000000", true },
	{ "config_future_minor_compatible", "config", "compatible-baseline",
	  "0100 ffff 0100 0200 61000000 5c000000", true },
	{ "config_unknown_major", "config", "Version",
	  "0000 0000 0100 0200 61000000 5c000000", true },
	{ "config_swapped_major", "config", "Version",
	  "0001 0000 0100 0200 61000000 5c000000", true },
	{ "response_unknown_status", "response", "opaque-failure",
	  "0c00 0000 00000000" ID, true },
	{ "response_status_of_ours", "response", "opaque-failure",
	  "fdff 0000 00000000" ID, true },
	{ "response_unknown_event_state", "response", "recovery",
	  OBJECT "0400 0000 00000000", true },
};

/* Empty where they were not at hand. */
static const struct vio_vector published_vectors[] = {
#include ".tmp_vectors.inc"
	{},
};

#define PUBLISHED_COUNT	(ARRAY_SIZE(published_vectors) - 1)

static bool vector_is_own(const struct vio_vector *vector)
{
	return vector >= own_vectors &&
	       vector < own_vectors + ARRAY_SIZE(own_vectors);
}

static const struct vio_args *vector_args(const struct vio_vector *vector)
{
	return vector_is_own(vector) ? &own_args : &published_args;
}

/* The next one: own ones first. */
static const struct vio_vector *vector_after(const struct vio_vector *vector)
{
	if (!vector)
		return own_vectors;
	vector++;
	return vector == own_vectors + ARRAY_SIZE(own_vectors) ?
	       published_vectors : vector;
}

static const void *vector_gen(const struct vio_vector *vector, char *desc,
			      const char *kind, bool edge)
{
	do {
		vector = vector_after(vector);
		if (!vector->name)
			return NULL;
	} while (strcmp(vector->kind, kind) || vector->edge != edge);
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%svector %s",
		 vector_is_own(vector) ? "own " : "", vector->name);
	return vector;
}

#define VECTOR_GEN(name_, kind_, edge_)					\
static const void *name_##_gen(const void *before, char *desc)		\
{									\
	return vector_gen(before, desc, kind_, edge_);			\
}

VECTOR_GEN(requests, "request", false);
VECTOR_GEN(responses, "response", false);
VECTOR_GEN(response_edges, "response", true);
VECTOR_GEN(configs, "config", false);
VECTOR_GEN(config_edges, "config", true);

static void vector_bytes(struct kunit *test, const char *hex,
			 struct vio_bytes *bytes)
{
	bytes->count = 0;
	while (*hex) {
		if (*hex == ' ') {
			hex++;
			continue;
		}
		KUNIT_ASSERT_LT(test, bytes->count, (u32)VIO_FRAME_BYTES);
		KUNIT_ASSERT_EQ(test, hex2bin(bytes->data + bytes->count, hex, 1),
				0);
		bytes->count++;
		hex += 2;
	}
}

/**
 * struct vio_act - a call of the backend, and what came of it
 * @rig: the rig
 * @args: with what
 * @session: of @rig
 * @event: of a submission
 * @status: what was returned
 * @outcome: likewise
 * @object: a handle that was made
 * @wire: what the device says of itself
 * @data: what was read
 */
struct vio_act {
	struct vio_rig *rig;
	const struct vio_args *args;
	struct vacc_session *session;
	struct vio_event event;
	u16 status;
	enum vacc_outcome outcome;
	void *object;
	struct virtio_accel_device_info wire;
	u8 data[8];
};

/* The next request has the ID of the vectors, or one that comes so much earlier. */
static void act_arm(struct vio_act *act, u32 earlier)
{
	act->session->next_id = (act->args->id >> 32) - earlier;
	vio_tag = lower_32_bits(act->args->id);
}

static void *act_object(struct vio_act *act, u64 id)
{
	struct vacc_object *object = vacc_session_object(act->session);

	KUNIT_ASSERT_NOT_NULL(act->rig->test, object);
	object->id = id;
	return object;
}

static void act_result(struct vio_act *act, struct vacc_result result)
{
	act->status = result.status;
	act->outcome = result.outcome;
}

static void act_transfer(struct vio_act *act, bool write)
{
	void *buffer = act_object(act, act->args->buffer);
	u32 bytes = act->args->bytes;
	unsigned long page = get_zeroed_page(GFP_KERNEL);
	struct iov_iter iter;
	struct bio_vec bvec;

	KUNIT_ASSERT_NE(act->rig->test, page, 0UL);
	if (write)
		memcpy((void *)page, act->args->data, bytes);
	bvec_set_page(&bvec, virt_to_page((void *)page), bytes, 0);
	iov_iter_bvec(&iter, write ? ITER_SOURCE : ITER_DEST, &bvec, 1, bytes);
	act_arm(act, 0);
	if (write)
		act->status = vacc_vio_ops.buffer_write(act->session, buffer,
							act->args->offset, &iter);
	else
		act->status = vacc_vio_ops.buffer_read(act->session, buffer,
						       act->args->offset, &iter);
	memcpy(act->data, (void *)page, bytes);
	free_page(page);
}

static void act_load(struct vio_act *act)
{
	struct vacc_load load = act->args->load;
	void *context = act_object(act, act->args->context);

	load.payload = act->args->artifact;
	act_arm(act, 0);
	act->status = vacc_vio_ops.program_load(act->session, context, &load,
						&act->object);
}

static void act_submit(struct vio_act *act, u32 earlier)
{
	const struct vio_args *args = act->args;
	struct vacc_bind binds[ARRAY_SIZE(args->binds)];
	struct vacc_submission work = {
		.queue = act_object(act, args->queue),
		.program = act_object(act, args->program),
		.bindings = binds,
		.binding_count = args->bind_count,
		.timeout_ns = args->timeout_ns,
		.event = (struct vacc_event *)&act->event,
	};
	u32 i;

	memcpy(binds, args->binds, sizeof(binds));
	for (i = 0; i < args->bind_count; i++)
		binds[i].buffer = act_object(act, args->buffer);
	act->event.handle = lower_32_bits(args->id);
	/* The polls that follow are the test's to answer. */
	act->rig->hold = VIRTIO_ACCEL_OP_POLL_EVENT;
	act_arm(act, earlier);
	act_result(act, vacc_vio_ops.submit(act->session, &work));
}

/* An event of the vectors' ID, and its first poll, which has the vectors' ID too. */
static void act_event(struct vio_act *act)
{
	struct virtio_accel_object object = { cpu_to_le64(act->args->event) };
	struct vio_rig *rig = act->rig;
	struct vio_bytes accepted;

	vio_put(&accepted, 0, act->args->id - (1ULL << 32), &object,
		sizeof(object));
	vio_answer(rig, VIRTIO_ACCEL_OP_SUBMIT, &accepted);
	act_submit(act, 1);
	KUNIT_ASSERT_EQ(rig->test, act->outcome, VACC_OUTCOME_DONE);
	KUNIT_ASSERT_TRUE(rig->test, rig->holding);
}

static void act_cancel(struct vio_act *act)
{
	act_arm(act, 0);
	act_result(act, vacc_vio_ops.event_cancel(act->session,
						  (struct vacc_event *)&act->event));
}

static void act_destroy_event(struct vio_act *act)
{
	struct virtio_accel_event_state state = {
		.state = cpu_to_le16(VIRTIO_ACCEL_EVENT_COMPLETE),
	};
	struct vio_bytes complete;

	vio_put(&complete, 0, act->args->id, &state, sizeof(state));
	vio_release(act->rig, &complete);
	KUNIT_EXPECT_EQ(act->rig->test, act->event.done, 1U);
	act_arm(act, 0);
	vacc_vio_ops.event_destroy(act->session,
				   (struct vacc_event *)&act->event);
	KUNIT_EXPECT_NULL(act->rig->test, act->event.priv);
}

static void act_create(struct vio_act *act, u16 opcode)
{
	const struct vacc_backend_ops *ops = &vacc_vio_ops;
	void *context = act_object(act, act->args->context);

	act_arm(act, 0);
	if (opcode == VIRTIO_ACCEL_OP_CREATE_CONTEXT)
		act->status = ops->context_create(act->session, &act->object);
	else if (opcode == VIRTIO_ACCEL_OP_ALLOCATE_BUFFER)
		act->status = ops->buffer_create(act->session, context,
						 &act->args->desc, &act->object);
	else
		act->status = ops->queue_create(act->session, context,
						&act->object);
}

static void act_destroy(struct vio_act *act, u64 id,
			struct vacc_result (*destroy)(void *priv, void *object))
{
	void *object = act_object(act, id);

	act_arm(act, 0);
	act_result(act, destroy(act->session, object));
}

static void act_do(struct vio_act *act, u16 opcode)
{
	const struct vacc_backend_ops *ops = &vacc_vio_ops;
	const struct vio_args *args = act->args;

	switch (opcode) {
	case VIRTIO_ACCEL_OP_GET_DEVICE_INFO:
		act_arm(act, 0);
		act->status = vio_ask_info(act->session, &act->wire);
		break;
	case VIRTIO_ACCEL_OP_CREATE_CONTEXT:
	case VIRTIO_ACCEL_OP_ALLOCATE_BUFFER:
	case VIRTIO_ACCEL_OP_CREATE_QUEUE:
		act_create(act, opcode);
		break;
	case VIRTIO_ACCEL_OP_DESTROY_CONTEXT:
		act_destroy(act, args->context, ops->context_destroy);
		break;
	case VIRTIO_ACCEL_OP_FREE_BUFFER:
		act_destroy(act, args->buffer, ops->buffer_destroy);
		break;
	case VIRTIO_ACCEL_OP_UNLOAD_PROGRAM:
		act_destroy(act, args->program, ops->program_unload);
		break;
	case VIRTIO_ACCEL_OP_DESTROY_QUEUE:
		act_destroy(act, args->queue, ops->queue_destroy);
		break;
	case VIRTIO_ACCEL_OP_WRITE_BUFFER:
	case VIRTIO_ACCEL_OP_READ_BUFFER:
		act_transfer(act, opcode == VIRTIO_ACCEL_OP_WRITE_BUFFER);
		break;
	case VIRTIO_ACCEL_OP_LOAD_PROGRAM:
		act_load(act);
		break;
	case VIRTIO_ACCEL_OP_SUBMIT:
		act_submit(act, 0);
		break;
	case VIRTIO_ACCEL_OP_POLL_EVENT:
		act_event(act);
		break;
	case VIRTIO_ACCEL_OP_CANCEL_EVENT:
		act_event(act);
		act_cancel(act);
		break;
	case VIRTIO_ACCEL_OP_DESTROY_EVENT:
		act_event(act);
		act_destroy_event(act);
		break;
	default:
		KUNIT_FAIL(act->rig->test, "opcode %#x", opcode);
	}
}

/**
 * struct vio_name - which call a vector belongs to
 * @name: of the vector, without what kind it is
 * @opcode: of the request
 */
struct vio_name {
	const char *name;
	u16 opcode;
};

static const struct vio_name names[] = {
	{ "get_device_info", VIRTIO_ACCEL_OP_GET_DEVICE_INFO },
	{ "create_context", VIRTIO_ACCEL_OP_CREATE_CONTEXT },
	{ "destroy_context", VIRTIO_ACCEL_OP_DESTROY_CONTEXT },
	{ "allocate_buffer", VIRTIO_ACCEL_OP_ALLOCATE_BUFFER },
	{ "free_buffer", VIRTIO_ACCEL_OP_FREE_BUFFER },
	{ "write_buffer", VIRTIO_ACCEL_OP_WRITE_BUFFER },
	{ "read_buffer", VIRTIO_ACCEL_OP_READ_BUFFER },
	{ "load_program", VIRTIO_ACCEL_OP_LOAD_PROGRAM },
	{ "unload_program", VIRTIO_ACCEL_OP_UNLOAD_PROGRAM },
	{ "create_queue", VIRTIO_ACCEL_OP_CREATE_QUEUE },
	{ "destroy_queue", VIRTIO_ACCEL_OP_DESTROY_QUEUE },
	{ "submit", VIRTIO_ACCEL_OP_SUBMIT },
	{ "submit_accepted", VIRTIO_ACCEL_OP_SUBMIT },
	{ "submit_indeterminate", VIRTIO_ACCEL_OP_SUBMIT },
	{ "poll_event", VIRTIO_ACCEL_OP_POLL_EVENT },
	{ "poll_event_pending", VIRTIO_ACCEL_OP_POLL_EVENT },
	{ "poll_event_complete", VIRTIO_ACCEL_OP_POLL_EVENT },
	{ "poll_event_failed", VIRTIO_ACCEL_OP_POLL_EVENT },
	{ "poll_event_cancelled", VIRTIO_ACCEL_OP_POLL_EVENT },
	{ "unknown_event_state", VIRTIO_ACCEL_OP_POLL_EVENT },
	{ "cancel_event", VIRTIO_ACCEL_OP_CANCEL_EVENT },
	{ "destroy_event", VIRTIO_ACCEL_OP_DESTROY_EVENT },
	/* Whatever was asked. */
	{ "unknown_opcode", VIRTIO_ACCEL_OP_CREATE_CONTEXT },
	{ "unknown_status", VIRTIO_ACCEL_OP_CREATE_CONTEXT },
	{ "status_of_ours", VIRTIO_ACCEL_OP_CREATE_CONTEXT },
};

static const char *vector_name(const struct vio_vector *vector)
{
	return vector->name + strlen(vector->kind) + 1;
}

static u16 vector_opcode(struct kunit *test, const struct vio_vector *vector)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i].name, vector_name(vector)))
			return names[i].opcode;
	KUNIT_FAIL_AND_ABORT(test, "nobody knows what to do with %s",
			     vector->name);
	return 0;
}

static bool vector_is(const struct vio_vector *vector, const char *name)
{
	return !strcmp(vector_name(vector), name);
}

static struct vio_act *act_make(struct kunit *test, u32 chain,
				const struct vio_args *args)
{
	struct vio_act *act = kunit_kzalloc(test, sizeof(*act), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, act);
	test->priv = vio_rig_make(test);
	act->rig = test->priv;
	act->args = args;
	act->rig->config.max_chain_descriptors = cpu_to_le16(chain);
	KUNIT_ASSERT_EQ(test, vio_rig_probe(act->rig), 0);
	act->session = vio_session(act->rig);
	vio_rig_forget(act->rig);
	return act;
}

/* What the driver sends is the vector, to the byte, however few pieces it may have. */
static void request_on_chains_of(struct kunit *test, u32 chain)
{
	const struct vio_vector *vector = test->param_value;
	struct vio_act *act = act_make(test, chain, vector_args(vector));
	u16 opcode = vector_opcode(test, vector);
	const struct vio_frame *frame;
	struct vio_bytes bytes;

	vector_bytes(test, vector->hex, &bytes);
	act_do(act, opcode);
	frame = vio_rig_frame(act->rig, opcode);
	KUNIT_ASSERT_NOT_NULL(test, frame);
	KUNIT_EXPECT_EQ(test, frame->request.count, bytes.count);
	KUNIT_EXPECT_MEMEQ(test, frame->request.data, bytes.data, bytes.count);
	KUNIT_EXPECT_GE(test, frame->out, 1U);
	KUNIT_EXPECT_GE(test, frame->in, 1U);
	KUNIT_EXPECT_LE(test, frame->out + frame->in, chain);
	vio_rig_free(act->rig);
}

static void vector_request(struct kunit *test)
{
	request_on_chains_of(test, 16);
	request_on_chains_of(test, 3);
	request_on_chains_of(test, 2);
}

static void response_info(struct kunit *test, struct vio_act *act)
{
	const struct vacc_backend_info *info = &act->args->info;
	struct vacc_backend_info got = {};

	KUNIT_EXPECT_EQ(test, vacc_vio_decode_info(&act->wire, &got), 0);
	KUNIT_EXPECT_MEMEQ(test, got.uuid, info->uuid, sizeof(got.uuid));
	KUNIT_EXPECT_EQ(test, got.device_class, info->device_class);
	KUNIT_EXPECT_EQ(test, got.vendor, info->vendor);
	KUNIT_EXPECT_EQ(test, got.device, info->device);
	KUNIT_EXPECT_EQ(test, got.capabilities, info->capabilities);
	KUNIT_EXPECT_EQ(test, got.max_contexts, info->max_contexts);
	KUNIT_EXPECT_EQ(test, got.max_buffers_per_context,
			info->max_buffers_per_context);
	KUNIT_EXPECT_EQ(test, got.max_programs_per_context,
			info->max_programs_per_context);
	KUNIT_EXPECT_EQ(test, got.max_queues_per_context,
			info->max_queues_per_context);
	KUNIT_EXPECT_EQ(test, got.max_events_per_context,
			info->max_events_per_context);
	KUNIT_EXPECT_EQ(test, got.max_bindings, info->max_bindings);
	KUNIT_EXPECT_EQ(test, got.max_buffer_bytes, info->max_buffer_bytes);
	KUNIT_EXPECT_EQ(test, got.max_artifact_bytes, info->max_artifact_bytes);
}

static void response_object(struct kunit *test, struct vio_act *act, u64 id)
{
	const struct vacc_object *object = act->object;

	KUNIT_ASSERT_NOT_NULL(test, object);
	KUNIT_EXPECT_EQ(test, object->id, id);
}

/* The ID of an event is known where the device is told that it is done with. */
static void response_submit(struct kunit *test, struct vio_act *act, u16 status)
{
	const struct virtio_accel_object *object;
	const struct vio_frame *poll;

	KUNIT_EXPECT_EQ(test, act->outcome, status ? VACC_OUTCOME_INDETERMINATE :
						     VACC_OUTCOME_DONE);
	KUNIT_EXPECT_EQ(test, act->status, status);
	KUNIT_EXPECT_EQ(test, act->event.done, 0U);
	poll = vio_rig_frame(act->rig, VIRTIO_ACCEL_OP_POLL_EVENT);
	KUNIT_ASSERT_NOT_NULL(test, poll);
	object = (const void *)(poll->request.data +
				sizeof(struct virtio_accel_req_hdr));
	KUNIT_EXPECT_EQ(test, le64_to_cpu(object->id), act->args->event);
}

static void response_poll(struct kunit *test, struct vio_act *act,
			  const struct vio_vector *vector)
{
	u32 state = vector_is(vector, "poll_event_complete") ? VACC_EVENT_COMPLETE :
		    vector_is(vector, "poll_event_failed") ? VACC_EVENT_FAILED :
		    vector_is(vector, "poll_event_cancelled") ? VACC_EVENT_CANCELLED :
		    VACC_EVENT_PENDING;

	KUNIT_EXPECT_EQ(test, act->event.done, state == VACC_EVENT_PENDING ? 0U : 1U);
	KUNIT_EXPECT_EQ(test, act->event.state, state);
	KUNIT_EXPECT_EQ(test, act->event.status,
			state == VACC_EVENT_FAILED ? act->args->failed : 0);
}

static void response_is_right(struct kunit *test, struct vio_act *act,
			      u16 opcode, const struct vio_vector *vector)
{
	const struct vio_args *args = act->args;

	switch (opcode) {
	case VIRTIO_ACCEL_OP_GET_DEVICE_INFO:
		response_info(test, act);
		break;
	case VIRTIO_ACCEL_OP_CREATE_CONTEXT:
		response_object(test, act, args->context);
		break;
	case VIRTIO_ACCEL_OP_ALLOCATE_BUFFER:
		response_object(test, act, args->buffer);
		break;
	case VIRTIO_ACCEL_OP_LOAD_PROGRAM:
		response_object(test, act, args->program);
		break;
	case VIRTIO_ACCEL_OP_CREATE_QUEUE:
		response_object(test, act, args->queue);
		break;
	case VIRTIO_ACCEL_OP_READ_BUFFER:
		KUNIT_EXPECT_MEMEQ(test, act->data, args->data, args->bytes);
		break;
	case VIRTIO_ACCEL_OP_POLL_EVENT:
		response_poll(test, act, vector);
		break;
	case VIRTIO_ACCEL_OP_CANCEL_EVENT:
		KUNIT_EXPECT_EQ(test, act->event.done, 1U);
		KUNIT_EXPECT_EQ(test, act->event.state, (u32)VACC_EVENT_CANCELLED);
		break;
	default:
		KUNIT_EXPECT_EQ(test, act->outcome, VACC_OUTCOME_DONE);
	}
}

/* Makes the call that the vector answers. */
static struct vio_act *act_answered(struct kunit *test, u32 chain)
{
	const struct vio_vector *vector = test->param_value;
	struct vio_act *act = act_make(test, chain, vector_args(vector));
	u16 opcode = vector_opcode(test, vector);
	struct vio_bytes bytes;

	vector_bytes(test, vector->hex, &bytes);
	if (opcode == VIRTIO_ACCEL_OP_POLL_EVENT) {
		act_do(act, opcode);
		vio_release(act->rig, &bytes);
		return act;
	}
	if (opcode == VIRTIO_ACCEL_OP_CANCEL_EVENT ||
	    opcode == VIRTIO_ACCEL_OP_DESTROY_EVENT) {
		act_event(act);
		vio_answer(act->rig, opcode, &bytes);
		if (opcode == VIRTIO_ACCEL_OP_CANCEL_EVENT)
			act_cancel(act);
		else
			act_destroy_event(act);
	} else {
		vio_answer(act->rig, opcode, &bytes);
		act_do(act, opcode);
	}
	/* It was taken. */
	KUNIT_EXPECT_EQ(test, act->rig->answer_to, 0);
	return act;
}

static void response_on_chains_of(struct kunit *test, u32 chain)
{
	const struct vio_vector *vector = test->param_value;
	struct vio_act *act = act_answered(test, chain);
	u16 opcode = vector_opcode(test, vector);

	if (vector_is(vector, "unknown_opcode")) {
		KUNIT_EXPECT_EQ(test, act->status, VIRTIO_ACCEL_S_UNSUPPORTED);
		KUNIT_EXPECT_NULL(test, act->object);
	} else if (opcode == VIRTIO_ACCEL_OP_SUBMIT) {
		response_submit(test, act, vector_is(vector, "submit_accepted") ?
					   0 : act->args->indeterminate);
	} else {
		KUNIT_EXPECT_EQ(test, act->status, VIRTIO_ACCEL_S_OK);
		response_is_right(test, act, opcode, vector);
	}
	KUNIT_EXPECT_FALSE(test, act->session->failed);
	vio_rig_free(act->rig);
}

static void vector_response(struct kunit *test)
{
	response_on_chains_of(test, 16);
	response_on_chains_of(test, 2);
}

/* The event is kept, nothing is reported, and the device is reset. */
static void response_recovery(struct kunit *test, struct vio_act *act)
{
	struct vacc_vio *vio = act->rig->vdev.priv;

	KUNIT_EXPECT_EQ(test, act->event.done, 0U);
	flush_work(&vio->reset_work);
	KUNIT_EXPECT_EQ(test, vio->resets, 1U);
	KUNIT_EXPECT_EQ(test, act->event.done, 0U);
	/* It is there again. */
	KUNIT_EXPECT_NOT_NULL(test, vio->session);
}

static void vector_response_edge(struct kunit *test)
{
	const struct vio_vector *vector = test->param_value;
	struct vio_act *act = act_answered(test, 16);

	if (!strcmp(vector->label, "opaque-failure")) {
		KUNIT_EXPECT_EQ(test, act->status, VIRTIO_ACCEL_S_INTERNAL_ERROR);
		KUNIT_EXPECT_NULL(test, act->object);
	} else if (!strcmp(vector->label, "recovery")) {
		response_recovery(test, act);
	} else {
		KUNIT_FAIL(test, "nobody knows the verdict %s", vector->label);
	}
	vio_rig_free(act->rig);
}

static struct vio_rig *config_rig(struct kunit *test)
{
	const struct vio_vector *vector = test->param_value;
	struct vio_rig *rig = vio_rig_make(test);
	struct vio_bytes bytes;

	test->priv = rig;
	vector_bytes(test, vector->hex, &bytes);
	KUNIT_ASSERT_EQ(test, (size_t)bytes.count, sizeof(rig->config));
	memcpy(&rig->config, bytes.data, bytes.count);
	return rig;
}

static void config_accepted(struct kunit *test, struct vio_rig *rig)
{
	const struct vacc_vio *vio;

	KUNIT_ASSERT_EQ(test, vio_rig_probe(rig), 0);
	vio = rig->vdev.priv;
	KUNIT_EXPECT_EQ(test, vio->config.max_chain,
			(u32)le16_to_cpu(rig->config.max_chain_descriptors));
	KUNIT_EXPECT_EQ(test, vio->config.max_request,
			le32_to_cpu(rig->config.max_request_bytes));
	KUNIT_EXPECT_EQ(test, vio->config.max_response,
			le32_to_cpu(rig->config.max_response_bytes));
	KUNIT_EXPECT_NOT_NULL(test, vio_rig_frame(rig, VIRTIO_ACCEL_OP_GET_DEVICE_INFO));
	vio_rig_free(rig);
}

static void vector_config(struct kunit *test)
{
	config_accepted(test, config_rig(test));
}

/* Before there is a queue, and again where only the probe looks. */
static void vector_config_edge(struct kunit *test)
{
	const struct vio_vector *vector = test->param_value;
	struct vio_rig *rig = config_rig(test);

	if (!strcmp(vector->label, "compatible-baseline")) {
		config_accepted(test, rig);
		return;
	}
	KUNIT_EXPECT_TRUE(test, !strcmp(vector->label, "ChainDescriptorLimit") ||
				!strcmp(vector->label, "Version"));
	KUNIT_EXPECT_EQ(test, vio_validate(&rig->vdev), -EINVAL);
	KUNIT_EXPECT_EQ(test, vio_probe(&rig->vdev), -EINVAL);
	KUNIT_EXPECT_NULL(test, rig->vq);
	KUNIT_EXPECT_EQ(test, rig->frame_count, 0U);
}

/* All of them or none: a test that was cut short would look like one that passed. */
static void vectors_published(struct kunit *test)
{
	if (!PUBLISHED_COUNT)
		kunit_skip(test, "the published vectors were not at hand");
	KUNIT_EXPECT_EQ(test, PUBLISHED_COUNT, 49UL);
}

static void vectors_exit(struct kunit *test)
{
	if (test->priv)
		vio_rig_free(test->priv);
}

static struct kunit_case vector_cases[] = {
	KUNIT_CASE_PARAM(vector_request, requests_gen),
	KUNIT_CASE_PARAM(vector_response, responses_gen),
	KUNIT_CASE_PARAM(vector_response_edge, response_edges_gen),
	KUNIT_CASE_PARAM(vector_config, configs_gen),
	KUNIT_CASE_PARAM(vector_config_edge, config_edges_gen),
	KUNIT_CASE(vectors_published),
	{}
};

static struct kunit_suite vector_suite = {
	.name = "virtio_accel_vio_vectors",
	.exit = vectors_exit,
	.test_cases = vector_cases,
};

kunit_test_suite(vector_suite);
