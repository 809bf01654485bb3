// SPDX-License-Identifier: GPL-2.0
/*
 * What the driver believes of a hostile device's answers: lengths, identities,
 * statuses, states of events.  The names of parameters are lines of the conformance
 * report.
 */
#include "test_vio_rig.h"

#define INTERNAL	VIRTIO_ACCEL_S_INTERNAL_ERROR
#define HEADER		((u32)sizeof(struct virtio_accel_resp_hdr))

static int replies_init(struct kunit *test)
{
	test->priv = vio_rig_make(test);
	return vio_rig_probe(test->priv);
}

static void replies_exit(struct kunit *test)
{
	if (test->priv)
		vio_rig_free(test->priv);
}

/* Stands for "as many as an OK answer has", and for one more. */
#define CAP		0xfffffff0
#define CAP_AND_ONE	0xfffffff1
#define CAP_BUT_ONE	0xffffffef

static const u32 lengths[] = {
	0, 1, 15, 16, 17, CAP_BUT_ONE, CAP, CAP_AND_ONE, 0x7fffffff, 0x80000000,
	0xffffffff,
};

static u32 length_of(u32 length, u32 cap)
{
	return length == CAP ? cap : length == CAP_AND_ONE ? cap + 1 :
	       length == CAP_BUT_ONE ? cap - 1 : length;
}

/**
 * struct reply_shape - a kind of request
 * @name: of the kind
 * @opcode: of the request
 * @expected: payload bytes of an OK answer
 */
struct reply_shape {
	const char *name;
	u16 opcode;
	u32 expected;
};

static const struct reply_shape reply_shapes[] = {
	{ "reply lengths of GET_DEVICE_INFO", VIRTIO_ACCEL_OP_GET_DEVICE_INFO, 76 },
	{ "reply lengths of CREATE_CONTEXT", VIRTIO_ACCEL_OP_CREATE_CONTEXT, 8 },
	{ "reply lengths of DESTROY_CONTEXT", VIRTIO_ACCEL_OP_DESTROY_CONTEXT, 0 },
	{ "reply lengths of ALLOCATE_BUFFER", VIRTIO_ACCEL_OP_ALLOCATE_BUFFER, 8 },
	{ "reply lengths of WRITE_BUFFER", VIRTIO_ACCEL_OP_WRITE_BUFFER, 0 },
	{ "reply lengths of READ_BUFFER", VIRTIO_ACCEL_OP_READ_BUFFER, 4096 },
	{ "reply lengths of LOAD_PROGRAM", VIRTIO_ACCEL_OP_LOAD_PROGRAM, 8 },
	{ "reply lengths of CREATE_QUEUE", VIRTIO_ACCEL_OP_CREATE_QUEUE, 8 },
	{ "reply lengths of SUBMIT", VIRTIO_ACCEL_OP_SUBMIT, 8 },
	{ "reply lengths of POLL_EVENT", VIRTIO_ACCEL_OP_POLL_EVENT, 8 },
	{ "reply lengths of CANCEL_EVENT", VIRTIO_ACCEL_OP_CANCEL_EVENT, 0 },
	{ "reply lengths of DESTROY_EVENT", VIRTIO_ACCEL_OP_DESTROY_EVENT, 0 },
};

KUNIT_ARRAY_PARAM_DESC(reply_shape, reply_shapes, name);

#define REPLY_ID	0x1234567800000009ULL

/* A request that waits for an answer, without a ring. */
static struct vacc_request *reply_request(struct kunit *test,
					  const struct reply_shape *shape)
{
	struct vacc_session *session = vio_session(test->priv);
	bool data = shape->opcode == VIRTIO_ACCEL_OP_READ_BUFFER;
	struct vacc_request *request;

	request = vacc_request_alloc(session, shape->opcode, NULL, 0,
				     data ? 0 : shape->expected, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, request);
	if (data)
		KUNIT_ASSERT_NOT_NULL(test, vacc_request_linear_in(request,
								   shape->expected));
	request->id = REPLY_ID;
	return request;
}

static u16 reply_parse(struct vacc_request *request, u16 status, u32 payload,
		       u32 used)
{
	struct virtio_accel_resp_hdr header = {
		.status = cpu_to_le16(status),
		.payload_bytes = cpu_to_le32(payload),
		.request_id = cpu_to_le64(request->id),
	};

	memcpy(request->answer, &header, sizeof(header));
	/* What an earlier answer has left must not be taken for this one's. */
	request->payload_bytes = 0xeeeeeeee;
	return vio_parse(request, used);
}

static bool reply_allowed(const struct reply_shape *shape, u16 status,
			  u32 payload, u32 used)
{
	if (used < HEADER || used - HEADER != payload)
		return false;
	if (!status)
		return payload == shape->expected;
	return !payload || (shape->opcode == VIRTIO_ACCEL_OP_SUBMIT && payload == 8);
}

static void reply_lengths_with(struct kunit *test,
			       const struct reply_shape *shape,
			       struct vacc_request *request, u16 status)
{
	u32 i, k, used, payload;
	u16 got, want;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		for (k = 0; k < 2 * ARRAY_SIZE(lengths); k++) {
			used = length_of(lengths[i], HEADER + shape->expected);
			/* Also what the used length implies. */
			payload = k < ARRAY_SIZE(lengths) ?
				  length_of(lengths[k], shape->expected) :
				  used - HEADER;
			want = reply_allowed(shape, status, payload, used) ?
			       status : INTERNAL;
			got = reply_parse(request, status, payload, used);
			KUNIT_EXPECT_EQ_MSG(test, got, want,
					    "status %#x used %#x payload %#x",
					    status, used, payload);
			/* Nobody takes more than what is there. */
			KUNIT_EXPECT_EQ_MSG(test, request->payload_bytes,
					    want == INTERNAL && status != INTERNAL ?
					    0 : reply_allowed(shape, status, payload, used) ?
					    payload : 0,
					    "status %#x used %#x payload %#x",
					    status, used, payload);
		}
	}
}

static void reply_lengths(struct kunit *test)
{
	static const u16 statuses[] = { 0, 1, 5, 9, 11, INTERNAL };
	const struct reply_shape *shape = test->param_value;
	struct vacc_request *request = reply_request(test, shape);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(statuses) && test->status != KUNIT_FAILURE; i++)
		reply_lengths_with(test, shape, request, statuses[i]);
	vacc_request_put(request);
}

/* Every status, with the payload that it may have. */
static void reply_statuses(struct kunit *test)
{
	const struct reply_shape *shape = &reply_shapes[1];
	struct vacc_request *request = reply_request(test, shape);
	bool good = true;
	u32 status;

	for (status = 1; status <= 0xffff && good; status++) {
		good = reply_parse(request, status, 0, HEADER) ==
		       (status <= VIRTIO_ACCEL_S_STALE_OBJECT ? status : INTERNAL);
		/* No failure of a creation has an object. */
		good &= reply_parse(request, status, 8, HEADER + 8) == INTERNAL &&
			!request->payload_bytes;
	}
	KUNIT_EXPECT_TRUE_MSG(test, good, "status %#x", status - 1);
	vacc_request_put(request);
}

/* A refused submission may have an event, whatever the status is. */
static void reply_submit_statuses(struct kunit *test)
{
	const struct reply_shape shape = {
		.opcode = VIRTIO_ACCEL_OP_SUBMIT,
		.expected = 8,
	};
	struct vacc_request *request = reply_request(test, &shape);
	bool good = true;
	u32 status;

	for (status = 1; status <= 0xffff && good; status++) {
		good = reply_parse(request, status, 8, HEADER + 8) ==
		       (status <= VIRTIO_ACCEL_S_STALE_OBJECT ? status : INTERNAL) &&
		       request->payload_bytes == 8;
	}
	KUNIT_EXPECT_TRUE_MSG(test, good, "status %#x", status - 1);
	vacc_request_put(request);
}

static void reply_ids(struct kunit *test)
{
	const struct reply_shape *shape = &reply_shapes[1];
	struct vacc_request *request = reply_request(test, shape);
	struct virtio_accel_resp_hdr *header = request->answer;
	u32 bit;

	for (bit = 0; bit < 64; bit++) {
		reply_parse(request, 0, 8, HEADER + 8);
		header->request_id = cpu_to_le64(REPLY_ID ^ BIT_ULL(bit));
		KUNIT_EXPECT_EQ(test, vio_parse(request, HEADER + 8), INTERNAL);
		KUNIT_EXPECT_EQ(test, request->payload_bytes, 0U);
	}
	header->request_id = 0;
	KUNIT_EXPECT_EQ(test, vio_parse(request, HEADER + 8), INTERNAL);
	header->request_id = (__force __le64)swab64((__force u64)cpu_to_le64(REPLY_ID));
	KUNIT_EXPECT_EQ(test, vio_parse(request, HEADER + 8), INTERNAL);
	header->request_id = cpu_to_le64(REPLY_ID);
	KUNIT_EXPECT_EQ(test, vio_parse(request, HEADER + 8), 0);
	vacc_request_put(request);
}

static void reply_flags(struct kunit *test)
{
	const struct reply_shape *shape = &reply_shapes[1];
	struct vacc_request *request = reply_request(test, shape);
	struct virtio_accel_resp_hdr *header = request->answer;
	u32 bit;

	for (bit = 0; bit < 16; bit++) {
		KUNIT_EXPECT_EQ(test, reply_parse(request, 0, 8, HEADER + 8), 0);
		header->flags = cpu_to_le16(BIT(bit));
		KUNIT_EXPECT_EQ(test, vio_parse(request, HEADER + 8), INTERNAL);
		KUNIT_EXPECT_EQ(test, request->payload_bytes, 0U);
	}
	vacc_request_put(request);
}

static const struct vio_rule reply_rules[] = {
	{ "reply of any status", reply_statuses },
	{ "reply of any status to SUBMIT with an event", reply_submit_statuses },
	{ "reply with another ID", reply_ids },
	{ "reply with flags", reply_flags },
};

KUNIT_ARRAY_PARAM_DESC(reply_rule, reply_rules, name);

/* The reason is there if and only if it failed; nothing else is a state. */
static void state_combinations(struct kunit *test)
{
	static const u16 errors[] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x100, 0x1234, 0xfffc, 0xffff,
	};
	struct virtio_accel_event_state wire = {};
	u32 number, state, value;
	u16 error, status;
	bool right = true;
	bool good;

	for (number = 0; number < 0x10000 * ARRAY_SIZE(errors) && right; number++) {
		value = number / ARRAY_SIZE(errors);
		error = errors[number % ARRAY_SIZE(errors)];
		wire.state = cpu_to_le16(value);
		wire.error = cpu_to_le16(error);
		good = value <= 3 && (value == 2) == (error != 0);
		right = vio_poll_decode(&wire, &state, &status) == good &&
			(!good || (state == value && status == error));
	}
	KUNIT_EXPECT_TRUE_MSG(test, right, "state %#x error %#x", value, error);
}

static void state_reserved(struct kunit *test)
{
	struct virtio_accel_event_state wire = {};
	u32 bit, state;
	u16 status;

	for (state = 0; state <= 3; state++) {
		for (bit = 0; bit < 32; bit++) {
			wire.state = cpu_to_le16(state);
			wire.error = cpu_to_le16(state == 2 ? 9 : 0);
			wire.reserved = cpu_to_le32(BIT(bit));
			KUNIT_EXPECT_FALSE(test, vio_poll_decode(&wire, &state,
								 &status));
		}
	}
}

static const struct vio_rule state_rules[] = {
	{ "event of any state and error", state_combinations },
	{ "event with a reserved field", state_reserved },
};

KUNIT_ARRAY_PARAM_DESC(state_rule, state_rules, name);

/* The upper half wraps; zero is left out. */
static void ring_ids(struct kunit *test)
{
	struct vio_rig *rig = test->priv;
	struct vacc_session *session = vio_session(rig);
	const u64 ids[] = { 0xffffffff00000000, 0x100000000, 0x200000000 };
	const struct virtio_accel_req_hdr *header;
	void *context;
	u32 i;

	vio_rig_forget(rig);
	session->next_id = 0xffffffff;
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		KUNIT_ASSERT_EQ(test, vacc_vio_ops.context_create(session, &context),
				0);
		header = (const void *)rig->frames[i].request.data;
		KUNIT_EXPECT_EQ(test, le64_to_cpu(header->request_id), ids[i]);
	}
	KUNIT_EXPECT_EQ(test, rig->frame_count, (u32)ARRAY_SIZE(ids));
}

/* The lower half is something: the upper half may be nothing. */
static void ring_ids_with_tag(struct kunit *test)
{
	struct vio_rig *rig = test->priv;
	struct vacc_session *session = vio_session(rig);
	const u64 ids[] = { 0xffffffff00000007, 0x7, 0x100000007 };
	const struct virtio_accel_req_hdr *header;
	void *context;
	u32 i;

	vio_rig_forget(rig);
	session->next_id = 0xffffffff;
	vio_tag = 7;
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		KUNIT_ASSERT_EQ(test, vacc_vio_ops.context_create(session, &context),
				0);
		header = (const void *)rig->frames[i].request.data;
		KUNIT_EXPECT_EQ(test, le64_to_cpu(header->request_id), ids[i]);
	}
}

/* A context that is created with a given answer. */
static u16 ring_create(struct vio_rig *rig, const struct vio_bytes *answer,
		       u32 used)
{
	void *context = NULL;
	u16 status;

	vio_answer(rig, VIRTIO_ACCEL_OP_CREATE_CONTEXT, answer);
	rig->answer_used = used;
	status = vacc_vio_ops.context_create(vio_session(rig), &context);
	KUNIT_EXPECT_EQ(rig->test, !context, status != 0);
	return status;
}

static u64 ring_next_id(struct vio_rig *rig)
{
	return (u64)vio_session(rig)->next_id << 32;
}

/* A bad answer is that request's failure; what comes after it is served. */
static void ring_used(struct kunit *test)
{
	struct virtio_accel_object object = { cpu_to_le64(77) };
	struct vio_rig *rig = test->priv;
	struct vio_bytes bytes;
	u32 i, used;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		used = length_of(lengths[i], HEADER + 8);
		/* Zero stands for what it is. */
		if (!used)
			continue;
		vio_put(&bytes, 0, ring_next_id(rig), &object, sizeof(object));
		KUNIT_EXPECT_EQ(test, ring_create(rig, &bytes, used),
				used == HEADER + 8 ? 0 : INTERNAL);
	}
	bytes.count = 0;
	KUNIT_EXPECT_EQ(test, ring_create(rig, &bytes, 0), INTERNAL);
	vio_put(&bytes, 0, ring_next_id(rig), &object, sizeof(object));
	KUNIT_EXPECT_EQ(test, ring_create(rig, &bytes, 0), 0);
	KUNIT_EXPECT_FALSE(test, vio_session(rig)->failed);
}

static void ring_zero_object(struct kunit *test)
{
	struct virtio_accel_object object = {};
	struct vio_rig *rig = test->priv;
	struct vio_bytes bytes;

	vio_put(&bytes, 0, ring_next_id(rig), &object, sizeof(object));
	KUNIT_EXPECT_EQ(test, ring_create(rig, &bytes, 0), INTERNAL);
}

static void ring_wrong_id(struct kunit *test)
{
	struct virtio_accel_object object = { cpu_to_le64(77) };
	struct vio_rig *rig = test->priv;
	struct vio_bytes bytes;

	vio_put(&bytes, 0, ring_next_id(rig) + 1, &object, sizeof(object));
	KUNIT_EXPECT_EQ(test, ring_create(rig, &bytes, 0), INTERNAL);
	vio_put(&bytes, 0, ring_next_id(rig) - (1ULL << 32), &object,
		sizeof(object));
	KUNIT_EXPECT_EQ(test, ring_create(rig, &bytes, 0), INTERNAL);
}

/* What a release is taken for, by the status: retry, done, nobody knows. */
static void ring_release(struct kunit *test)
{
	static const u16 unknown[] = { 9, 11, 0xffff, 12, 0x1234 };
	struct vio_rig *rig = test->priv;
	struct vacc_session *session = vio_session(rig);
	struct vacc_result result;
	struct vio_bytes bytes;
	enum vacc_outcome want;
	void *context = NULL;
	u32 status, i;

	for (status = 0; status <= 12; status++) {
		want = status ? VACC_OUTCOME_REJECTED : VACC_OUTCOME_DONE;
		for (i = 0; i < ARRAY_SIZE(unknown); i++)
			if (unknown[i] == status)
				want = VACC_OUTCOME_INDETERMINATE;
		if (!context)
			KUNIT_ASSERT_EQ(test, vacc_vio_ops.context_create(session, &context),
					0);
		vio_put(&bytes, status, ring_next_id(rig), NULL, 0);
		vio_answer(rig, VIRTIO_ACCEL_OP_DESTROY_CONTEXT, &bytes);
		result = vacc_vio_ops.context_destroy(session, context);
		KUNIT_EXPECT_EQ_MSG(test, result.outcome, want, "status %u", status);
		KUNIT_EXPECT_EQ(test, result.status, status == 12 ? INTERNAL : status);
		/* It may have made the driver ask, with IDs of its own. */
		flush_work(&session->doubt_work);
		if (result.outcome != VACC_OUTCOME_REJECTED)
			context = NULL;
	}
}

/* The frame with that opcode, which @ahead others precede, is answered by DEVICE_LOST. */
static void ring_lose(struct vio_rig *rig, u16 opcode, u64 ahead)
{
	struct vio_bytes bytes;

	vio_put(&bytes, VIRTIO_ACCEL_S_DEVICE_LOST,
		ring_next_id(rig) + (ahead << 32), NULL, 0);
	vio_answer(rig, opcode, &bytes);
}

/* The device is asked whether it is, once, and believed if it makes a context. */
static void ring_says_lost(struct kunit *test)
{
	static const u16 opcodes[] = {
		VIRTIO_ACCEL_OP_DESTROY_QUEUE, VIRTIO_ACCEL_OP_CREATE_CONTEXT,
		VIRTIO_ACCEL_OP_DESTROY_CONTEXT,
	};
	struct vio_rig *rig = test->priv;
	struct vacc_session *session = vio_session(rig);
	u32 i;

	vio_rig_forget(rig);
	ring_lose(rig, VIRTIO_ACCEL_OP_DESTROY_QUEUE, 0);
	KUNIT_EXPECT_EQ(test, vacc_vio_destroy(session, VIRTIO_ACCEL_OP_DESTROY_QUEUE, 1),
			VIRTIO_ACCEL_S_DEVICE_LOST);
	/* What it says when asked to take that back raises no other question. */
	ring_lose(rig, VIRTIO_ACCEL_OP_DESTROY_CONTEXT, 1);
	flush_work(&session->doubt_work);
	KUNIT_ASSERT_EQ(test, rig->frame_count, (u32)ARRAY_SIZE(opcodes));
	for (i = 0; i < ARRAY_SIZE(opcodes); i++)
		KUNIT_EXPECT_EQ(test, rig->frames[i].opcode, opcodes[i]);
	KUNIT_EXPECT_FALSE(test, session->failed);
}

/**
 * struct submit_row - an answer to a submission
 * @name: of the rule
 * @status: of the answer
 * @payload: bytes of it
 * @id: of the event
 * @used: used length, or 0 for what is right
 * @outcome: what the core is told
 * @told: with which status
 */
struct submit_row {
	const char *name;
	u16 status;
	u32 payload;
	u64 id;
	u32 used;
	enum vacc_outcome outcome;
	u16 told;
};

static const struct submit_row submit_rows[] = {
	{ "SUBMIT accepted", 0, 8, 5, 0, VACC_OUTCOME_DONE, 0 },
	{ "SUBMIT accepted without an event", 0, 0, 0, 0,
	  VACC_OUTCOME_REJECTED, INTERNAL },
	{ "SUBMIT accepted with event zero", 0, 8, 0, 0,
	  VACC_OUTCOME_REJECTED, INTERNAL },
	{ "SUBMIT rejected", 5, 0, 0, 0, VACC_OUTCOME_REJECTED, 5 },
	{ "SUBMIT rejected with event zero", 5, 8, 0, 0, VACC_OUTCOME_REJECTED, 5 },
	{ "SUBMIT rejected by what is unknown", 0x77, 0, 0, 0,
	  VACC_OUTCOME_REJECTED, INTERNAL },
	{ "SUBMIT indeterminate", 9, 8, 5, 0, VACC_OUTCOME_INDETERMINATE, 9 },
	{ "SUBMIT indeterminate by what is unknown", 0x77, 8, 5, 0,
	  VACC_OUTCOME_INDETERMINATE, INTERNAL },
	{ "SUBMIT with half an event", 9, 4, 5, 0, VACC_OUTCOME_REJECTED, INTERNAL },
	{ "SUBMIT with an event that was not written", 9, 8, 5, 16,
	  VACC_OUTCOME_REJECTED, INTERNAL },
	{ "SUBMIT with a short answer", 0, 8, 5, 15, VACC_OUTCOME_REJECTED, INTERNAL },
	{ "SUBMIT with a long answer", 0, 8, 5, 25, VACC_OUTCOME_REJECTED, INTERNAL },
};

KUNIT_ARRAY_PARAM_DESC(submit_row, submit_rows, name);

static void submit_answers(struct kunit *test)
{
	const struct submit_row *row = test->param_value;
	struct vio_rig *rig = test->priv;
	struct vacc_session *session = vio_session(rig);
	struct virtio_accel_object object = { cpu_to_le64(row->id) };
	struct vio_event event = { .handle = 3 };
	struct vacc_object *any = vacc_session_object(session);
	struct vacc_bind bind = { .buffer = any, .bytes = 1, .access = 1 };
	struct vacc_submission work = {
		.queue = any,
		.program = any,
		.bindings = &bind,
		.binding_count = 1,
		.event = (struct vacc_event *)&event,
	};
	struct vacc_result result;
	struct vio_bytes bytes;

	KUNIT_ASSERT_NOT_NULL(test, any);
	any->id = 1;
	rig->hold = VIRTIO_ACCEL_OP_POLL_EVENT;
	vio_put(&bytes, row->status, ring_next_id(rig) | 3, &object, row->payload);
	vio_answer(rig, VIRTIO_ACCEL_OP_SUBMIT, &bytes);
	rig->answer_used = row->used;
	KUNIT_ASSERT_EQ(test, vacc_vio_ops.event_prepare(session, &work), 0);
	result = vacc_vio_ops.event_submit(session, work.event);
	KUNIT_EXPECT_EQ(test, result.outcome, row->outcome);
	KUNIT_EXPECT_EQ(test, result.status, row->told);
	KUNIT_EXPECT_EQ(test, event.done, 0U);
	/* Polled if and only if there is something to be polled. */
	KUNIT_EXPECT_EQ(test, rig->holding, row->outcome != VACC_OUTCOME_REJECTED);
	KUNIT_EXPECT_EQ(test, session->pending,
			row->outcome == VACC_OUTCOME_REJECTED ? 0U : 1U);
	vio_rig_free(rig);
}

static const struct vio_rule ring_rules[] = {
	{ "request IDs wrap and are never zero", ring_ids },
	{ "request IDs with a lower half wrap", ring_ids_with_tag },
	{ "used length of any size over the ring", ring_used },
	{ "object ID zero", ring_zero_object },
	{ "answer to another request over the ring", ring_wrong_id },
	{ "release by every status", ring_release },
	{ "device that says once that it is lost", ring_says_lost },
};

KUNIT_ARRAY_PARAM_DESC(ring_rule, ring_rules, name);

static struct kunit_case reply_cases[] = {
	KUNIT_CASE_PARAM(reply_lengths, reply_shape_gen_params),
	KUNIT_CASE_PARAM(vio_rule, reply_rule_gen_params),
	KUNIT_CASE_PARAM(vio_rule, state_rule_gen_params),
	KUNIT_CASE_PARAM(vio_rule, ring_rule_gen_params),
	KUNIT_CASE_PARAM(submit_answers, submit_row_gen_params),
	{}
};

static struct kunit_suite reply_suite = {
	.name = "virtio_accel_vio_replies",
	.init = replies_init,
	.exit = replies_exit,
	.test_cases = reply_cases,
};

kunit_test_suite(reply_suite);
