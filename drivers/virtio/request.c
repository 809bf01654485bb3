// SPDX-License-Identifier: GPL-2.0
/*
 * Requests: frames, and what is believed of their answers.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "trace.h"

static void vacc_request_free(struct kref *ref)
{
	struct vacc_request *request = container_of(ref, struct vacc_request,
						    ref);
	u32 i;

	for (i = 0; i < request->page_count; i++)
		put_page(request->pages[i]);
	kvfree(request->pages);
	kvfree(request->extra);
	kvfree(request->table);
	kfree(request);
}

/**
 * vacc_request_put() - let go of a request
 * @request: the request
 *
 * Context: any task or interrupt; what holds pages is let go last by a task.
 */
void vacc_request_put(struct vacc_request *request)
{
	kref_put(&request->ref, vacc_request_free);
}

/* The device reads a header and its payload; payload_bytes counts what follows too. */
static void vacc_request_fill(struct vacc_request *request, u16 opcode,
			      const void *payload, u32 payload_bytes,
			      u32 expected)
{
	struct virtio_accel_req_hdr *header = (void *)request->request;

	request->header = header;
	request->answer = request->response;
	request->opcode = opcode;
	request->expected = expected;
	request->state = VACC_REQUEST_IDLE;
	request->abandoned = false;
	reinit_completion(&request->done);
	header->opcode = cpu_to_le16(opcode);
	header->flags = 0;
	header->payload_bytes = cpu_to_le32(payload_bytes);
	if (payload_bytes)
		memcpy(request->request + sizeof(*header), payload,
		       payload_bytes);
	memset(request->response, 0, sizeof(request->response));
	request->out_bytes = sizeof(*header) + payload_bytes;
	request->in_bytes = sizeof(struct virtio_accel_resp_hdr) + expected;
	sg_init_one(&request->fixed[0], request->request, request->out_bytes);
	sg_init_one(&request->fixed[1], request->response, request->in_bytes);
	request->out = &request->fixed[0];
	request->out_count = 1;
	request->in = &request->fixed[1];
	request->in_count = 1;
}

/**
 * vacc_request_alloc() - make a request without data
 * @session: where it belongs
 * @opcode: VIRTIO_ACCEL_OP_*
 * @payload: fixed payload
 * @payload_bytes: its length
 * @expected: payload bytes of an OK answer
 * @gfp: how to allocate
 *
 * Context: as @gfp says.
 * Return: the request, with one reference, or NULL.
 */
struct vacc_request *vacc_request_alloc(struct vacc_session *session,
					u16 opcode, const void *payload,
					u32 payload_bytes, u32 expected,
					gfp_t gfp)
{
	struct vacc_request *request = kzalloc(sizeof(*request), gfp);

	if (!request)
		return NULL;
	kref_init(&request->ref);
	INIT_LIST_HEAD(&request->node);
	init_completion(&request->done);
	request->finished = true;
	request->session = session;
	vacc_request_fill(request, opcode, payload, payload_bytes, expected);
	return request;
}

/**
 * vacc_request_reuse() - make another frame about one object of a request
 * @request: a request that the ring does not have, without data
 * @opcode: VIRTIO_ACCEL_OP_*
 * @object: the object
 * @expected: payload bytes of an OK answer
 *
 * Context: any; does not allocate.
 */
void vacc_request_reuse(struct vacc_request *request, u16 opcode, u64 object,
			u32 expected)
{
	struct virtio_accel_object payload = { cpu_to_le64(object) };

	vacc_request_fill(request, opcode, &payload, sizeof(payload), expected);
}

/* The whole frame in one piece, for chains of two descriptors. */
static int vacc_request_extra_linear(struct vacc_request *request,
				     const void *extra, u32 bytes)
{
	request->extra = kmalloc(request->out_bytes + bytes,
				 GFP_KERNEL_ACCOUNT);
	if (!request->extra)
		return -ENOMEM;
	memcpy(request->extra, request->request, request->out_bytes);
	memcpy(request->extra + request->out_bytes, extra, bytes);
	request->header = request->extra;
	sg_init_one(&request->fixed[0], request->extra,
		    request->out_bytes + bytes);
	return 0;
}

/* The fixed part, then a segment for each page. */
static int vacc_request_extra_pages(struct vacc_request *request,
				    const void *extra, u32 bytes)
{
	u32 segments = DIV_ROUND_UP(bytes, PAGE_SIZE);
	u32 done = 0;
	u32 i;

	/* Whole pages, so that each segment begins at the start of one. */
	request->extra = kvmalloc(PAGE_ALIGN(bytes), GFP_KERNEL_ACCOUNT);
	request->table = kvmalloc_array(segments + 1, sizeof(*request->table),
					GFP_KERNEL_ACCOUNT);
	if (!request->extra || !request->table)
		return -ENOMEM;
	memcpy(request->extra, extra, bytes);
	sg_init_table(request->table, segments + 1);
	sg_set_buf(&request->table[0], request->request, request->out_bytes);
	for (i = 0; i < segments; i++) {
		void *part = request->extra + done;
		struct page *page = is_vmalloc_addr(part) ?
				    vmalloc_to_page(part) : virt_to_page(part);
		u32 length = min_t(u32, bytes - done, PAGE_SIZE);

		sg_set_page(&request->table[i + 1], page, length,
			    offset_in_page(part));
		done += length;
	}
	request->out = request->table;
	request->out_count = segments + 1;
	return 0;
}

/**
 * vacc_request_extra() - add a copy of more payload to a request
 * @request: the request
 * @extra: what follows the fixed payload
 * @bytes: its length, nonzero, within the frame's limit
 *
 * The copy belongs to the request: a device that is late may still read it.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int vacc_request_extra(struct vacc_request *request, const void *extra,
		       u32 bytes)
{
	struct virtio_accel_req_hdr *header = (void *)request->request;
	int err;

	le32_add_cpu(&header->payload_bytes, bytes);
	if (vacc_session_linear(request->session))
		err = vacc_request_extra_linear(request, extra, bytes);
	else
		err = vacc_request_extra_pages(request, extra, bytes);
	if (!err)
		request->out_bytes += bytes;
	return err;
}

/**
 * vacc_request_linear_in() - have the answer, with data, written to one piece
 * @request: the request, whose fixed answer has no payload
 * @bytes: data bytes of an OK answer
 *
 * Context: may sleep.
 * Return: where the data will be, or NULL.
 */
void *vacc_request_linear_in(struct vacc_request *request, u32 bytes)
{
	u32 total = request->in_bytes + bytes;

	request->extra = kzalloc(total, GFP_KERNEL_ACCOUNT);
	if (!request->extra)
		return NULL;
	request->answer = request->extra;
	sg_init_one(&request->fixed[1], request->extra, total);
	request->expected = bytes;
	request->in_bytes = total;
	return request->extra + total - bytes;
}

/**
 * vacc_request_fixed() - the fixed payload of a frame
 * @request: a request that the ring does not have
 *
 * Context: any.
 * Return: where the device reads it.
 */
void *vacc_request_fixed(struct vacc_request *request)
{
	return request->header + 1;
}

/**
 * vacc_request_payload() - the fixed payload of an answer
 * @request: a request that was answered
 *
 * Context: any.
 * Return: where it is; as long as the answer says.
 */
void *vacc_request_payload(struct vacc_request *request)
{
	return request->response + sizeof(struct virtio_accel_resp_hdr);
}

static bool vacc_request_status_known(u16 status)
{
	return status <= VIRTIO_ACCEL_S_STALE_OBJECT;
}

/* A refused SUBMIT may carry the event of work that may be running. */
static bool vacc_request_payload_ok(const struct vacc_request *request,
				    u16 status, u32 payload_bytes)
{
	if (status == VIRTIO_ACCEL_S_OK)
		return payload_bytes == request->expected;
	if (request->opcode == VIRTIO_ACCEL_OP_SUBMIT &&
	    payload_bytes == sizeof(struct virtio_accel_object))
		return true;
	return payload_bytes == 0;
}

/*
 * Length, then identity, then status, then the exact length of the payload.  The device
 * may write to the answer at any time, so each field is read once.
 */
static u16 vacc_request_parse(struct vacc_request *request, u32 used)
{
	struct virtio_accel_resp_hdr header;
	u16 status;

	request->payload_bytes = 0;
	if (used < sizeof(header) || used > request->in_bytes)
		return VIRTIO_ACCEL_S_INTERNAL_ERROR;
	memcpy(&header, request->answer, sizeof(header));
	if (le64_to_cpu(header.request_id) != request->id || header.flags ||
	    le32_to_cpu(header.payload_bytes) != used - sizeof(header))
		return VIRTIO_ACCEL_S_INTERNAL_ERROR;
	status = le16_to_cpu(header.status);
	if (!vacc_request_status_known(status))
		status = VIRTIO_ACCEL_S_INTERNAL_ERROR;
	if (!vacc_request_payload_ok(request, status, used - sizeof(header)))
		return VIRTIO_ACCEL_S_INTERNAL_ERROR;
	request->payload_bytes = used - sizeof(header);
	return status;
}

/* Whether an answer that nobody waits for leaves something to be done by a task. */
static bool vacc_request_needs_task(const struct vacc_request *request)
{
	switch (request->opcode) {
	case VIRTIO_ACCEL_OP_CREATE_CONTEXT:
	case VIRTIO_ACCEL_OP_ALLOCATE_BUFFER:
	case VIRTIO_ACCEL_OP_LOAD_PROGRAM:
	case VIRTIO_ACCEL_OP_CREATE_QUEUE:
		return true;
	default:
		return request->page_count;
	}
}

/* The ring's reference goes to the list: what is made is undone, pages are let go. */
static void vacc_request_orphan(struct vacc_request *request)
{
	struct vacc_session *session = request->session;
	unsigned long flags;

	spin_lock_irqsave(&session->lock, flags);
	list_add_tail(&request->node, &session->orphans);
	spin_unlock_irqrestore(&session->lock, flags);
	queue_work(vacc_slow_wq, &session->orphan_work);
}

static void vacc_request_set_finished(struct vacc_request *request)
{
	complete_all(&request->done);
	/* Pairs with vacc_request_finished(): the request may be used again. */
	smp_store_release(&request->finished, true);
}

/*
 * Whoever waits keeps a reference and goes on when the request is finished, so that the
 * last reference to one with pages is always dropped by a task.
 */
static void vacc_request_finish(struct vacc_request *request,
				enum vacc_request_state state)
{
	void (*answered)(struct vacc_request *request);
	struct vacc_session *session = request->session;
	unsigned long flags;
	bool abandoned;

	spin_lock_irqsave(&session->lock, flags);
	request->state = state;
	abandoned = request->abandoned;
	answered = request->answered;
	spin_unlock_irqrestore(&session->lock, flags);
	if (answered)
		answered(request);
	if (!abandoned) {
		vacc_request_put(request);
		vacc_request_set_finished(request);
		return;
	}
	vacc_request_set_finished(request);
	if (vacc_request_needs_task(request))
		vacc_request_orphan(request);
	else
		vacc_request_put(request);
}

/* Another device in the place of the one that we know has none of its objects. */
static bool vacc_request_doubtful(u16 status)
{
	return status == VIRTIO_ACCEL_S_DEVICE_LOST ||
	       status == VIRTIO_ACCEL_S_STALE_OBJECT;
}

/**
 * vacc_request_answer() - take an answer of the device
 * @request: a request that the ring has returned
 * @used: bytes that the device claims to have written
 *
 * Context: any, under no lock.
 */
void vacc_request_answer(struct vacc_request *request, u32 used)
{
	request->status = vacc_request_parse(request, used);
	trace_vacc_frame_answered(request, used);
	if (vacc_request_doubtful(request->status))
		vacc_doubt(request->session);
	vacc_request_finish(request, VACC_REQUEST_ANSWERED);
}

/**
 * vacc_request_lose() - give up a request
 * @request: a request that the device cannot reach any more
 *
 * Context: may sleep.
 */
void vacc_request_lose(struct vacc_request *request)
{
	request->status = VIRTIO_ACCEL_S_DEVICE_LOST;
	request->payload_bytes = 0;
	trace_vacc_frame_lost(request);
	vacc_request_finish(request, VACC_REQUEST_LOST);
}

/* What the waiter gets, and whether the answer finds nobody. */
static u16 vacc_request_leave(struct vacc_request *request, long left)
{
	struct vacc_session *session = request->session;
	bool answered;

	spin_lock_irq(&session->lock);
	answered = request->state == VACC_REQUEST_ANSWERED ||
		   request->state == VACC_REQUEST_LOST;
	if (!answered)
		request->abandoned = true;
	spin_unlock_irq(&session->lock);
	/*
	 * Whoever took the answer is about to be done with it, but may be a task of a lower
	 * priority on this processor.
	 */
	while (answered && !vacc_request_finished(request))
		usleep_range(VACC_FINISH_US, 2 * VACC_FINISH_US);
	if (answered)
		return request->status;
	if (left < 0)
		return VACC_S_KILLED;
	if (!left)
		vacc_session_fail(session);
	return VIRTIO_ACCEL_S_DEVICE_LOST;
}

/**
 * vacc_request_wait() - wait for the answer to a request
 * @request: a request that was sent
 *
 * Context: process, holding no spinlock.
 * Return: the status of the answer; DEVICE_LOST where the device goes or takes too long,
 * and then it is reset; VACC_S_KILLED.  After the last two the request is abandoned.
 */
u16 vacc_request_wait(struct vacc_request *request)
{
	unsigned long timeout = msecs_to_jiffies(vacc_vio_command_timeout_ms());
	long left = wait_for_completion_killable_timeout(&request->done,
							 timeout);

	return vacc_request_leave(request, left);
}

/**
 * vacc_request_call() - send a request and wait for the answer
 * @request: the request
 *
 * Context: process, holding no spinlock.
 * Return: as vacc_ring_send() and vacc_request_wait().
 */
u16 vacc_request_call(struct vacc_request *request)
{
	u16 status = vacc_ring_send(request, true);

	return status ? status : vacc_request_wait(request);
}
