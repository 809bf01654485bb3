// SPDX-License-Identifier: GPL-2.0
/*
 * BUFFER_WRITE and BUFFER_READ: as many frames as it takes, sent ahead of their answers.
 *
 * The device reads and writes the caller's pages.  A frame holds references to them, so
 * that a device that is late touches no memory that is somebody else's by then.
 */
#include <linux/bvec.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "virtio.h"

/**
 * struct vacc_vio_transfer - a transfer under way
 * @session: the session
 * @buffer: the device's buffer
 * @offset: next byte in it
 * @iter: what is left to be sent, an ITER_BVEC
 * @write: into the buffer
 * @sent: requests that were sent and not waited for, in order
 * @kick: the device has not been told of all of them
 * @status: first failure
 */
struct vacc_vio_transfer {
	struct vacc_session *session;
	u64 buffer;
	u64 offset;
	struct iov_iter *iter;
	bool write;
	struct list_head sent;
	bool kick;
	u16 status;
};

/**
 * struct vacc_vio_frame - a frame of a transfer
 * @node: in @sent
 * @request: its request
 * @bytes: data bytes
 */
struct vacc_vio_frame {
	struct list_head node;
	struct vacc_request *request;
	u32 bytes;
};

static u32 vacc_vio_frame_bytes(const struct vacc_vio_transfer *transfer)
{
	const struct vacc_vio_config *config = &transfer->session->vio->config;

	if (transfer->write)
		return config->max_request - sizeof(struct virtio_accel_req_hdr) -
		       sizeof(struct virtio_accel_transfer);
	return config->max_response - sizeof(struct virtio_accel_resp_hdr);
}

/* Appends a piece, or makes the last one longer where it goes on in memory. */
static bool vacc_vio_add_piece(struct scatterlist *table, u32 *count, u32 room,
			       const struct bio_vec *bvec, size_t most)
{
	struct scatterlist *last = &table[*count - 1];

	if (*count > 1 && sg_page(last) &&
	    last->length + bvec->bv_len <= most &&
	    page_to_phys(sg_page(last)) + last->offset + last->length ==
		    page_to_phys(bvec->bv_page) + bvec->bv_offset) {
		last->length += bvec->bv_len;
		return true;
	}
	if (*count == room)
		return false;
	sg_set_page(&table[(*count)++], bvec->bv_page, bvec->bv_len,
		    bvec->bv_offset);
	return true;
}

/* Describes the next data after the first entry of @table; how many bytes they are. */
static u32 vacc_vio_collect(const struct vacc_vio_transfer *transfer,
			    struct vacc_request *request,
			    struct scatterlist *table, u32 *count, u32 room)
{
	const size_t most = virtio_max_dma_size(transfer->session->vdev);
	const struct iov_iter *iter = transfer->iter;
	struct bvec_iter start = {
		.bi_size = min_t(size_t, iov_iter_count(iter),
				 vacc_vio_frame_bytes(transfer)),
		.bi_bvec_done = iter->iov_offset,
	};
	struct bvec_iter at;
	struct bio_vec bvec;
	u32 bytes = 0;

	for_each_bvec(bvec, iter->bvec, at, start) {
		if (!vacc_vio_add_piece(table, count, room, &bvec, most))
			break;
		get_page(bvec.bv_page);
		request->pages[request->page_count++] = bvec.bv_page;
		bytes += bvec.bv_len;
	}
	sg_mark_end(&table[*count - 1]);
	return bytes;
}

/* How many pages a frame may be made of: contiguous ones share a descriptor. */
static u32 vacc_vio_page_room(const struct vacc_vio_transfer *transfer)
{
	u32 bytes = min_t(size_t, iov_iter_count(transfer->iter),
			  vacc_vio_frame_bytes(transfer));

	return bytes / PAGE_SIZE + 2;
}

static bool vacc_vio_frame_alloc(struct vacc_vio_transfer *transfer,
				 struct vacc_request *request, u32 room)
{
	u32 pages = vacc_vio_page_room(transfer);

	request->table = kvmalloc_array(room, sizeof(*request->table),
					GFP_KERNEL_ACCOUNT);
	request->pages = kvmalloc_array(pages, sizeof(*request->pages),
					GFP_KERNEL_ACCOUNT);
	return request->table && request->pages;
}

/* Data follow the frame's own bytes on the side that they belong to. */
static u32 vacc_vio_frame_data(struct vacc_vio_transfer *transfer,
			       struct vacc_request *request, u32 room)
{
	struct virtio_accel_req_hdr *header = (void *)request->request;
	struct virtio_accel_transfer *payload = (void *)(header + 1);
	u32 count = 1;
	u32 bytes;

	sg_init_table(request->table, room);
	if (transfer->write)
		sg_set_buf(&request->table[0], request->request,
			   request->out_bytes);
	else
		sg_set_buf(&request->table[0], request->response,
			   request->in_bytes);
	bytes = vacc_vio_collect(transfer, request, request->table, &count,
				 room);
	payload->bytes = cpu_to_le64(bytes);
	if (transfer->write) {
		header->payload_bytes = cpu_to_le32(sizeof(*payload) + bytes);
		request->out = request->table;
		request->out_count = count;
		request->out_bytes += bytes;
	} else {
		request->in = request->table;
		request->in_count = count;
		request->in_bytes += bytes;
		request->expected = bytes;
	}
	return bytes;
}

static struct vacc_request *
vacc_vio_frame_request(struct vacc_vio_transfer *transfer, u32 *bytes)
{
	struct virtio_accel_transfer payload = {
		.buffer = cpu_to_le64(transfer->buffer),
		.offset = cpu_to_le64(transfer->offset),
	};
	struct vacc_session *session = transfer->session;
	/* One descriptor is the other side's. */
	u32 room = session->chain - 1;
	struct vacc_request *request;
	u16 opcode = transfer->write ? VIRTIO_ACCEL_OP_WRITE_BUFFER :
				       VIRTIO_ACCEL_OP_READ_BUFFER;

	request = vacc_request_alloc(session, opcode, &payload, sizeof(payload),
				     0, GFP_KERNEL_ACCOUNT);
	if (!request)
		return NULL;
	if (!vacc_vio_frame_alloc(transfer, request, room)) {
		vacc_request_put(request);
		return NULL;
	}
	*bytes = vacc_vio_frame_data(transfer, request, room);
	return request;
}

static struct vacc_vio_frame *vacc_vio_frame_make(struct vacc_vio_transfer *transfer)
{
	struct vacc_vio_frame *frame;

	frame = kmalloc(sizeof(*frame), GFP_KERNEL_ACCOUNT);
	if (!frame)
		return NULL;
	frame->request = vacc_vio_frame_request(transfer, &frame->bytes);
	if (frame->request)
		return frame;
	kfree(frame);
	return NULL;
}

static void vacc_vio_frame_free(struct vacc_vio_frame *frame)
{
	vacc_request_put(frame->request);
	kfree(frame);
}

/* Waits for the oldest frame.  The first failure is the transfer's. */
static void vacc_vio_wait_oldest(struct vacc_vio_transfer *transfer)
{
	struct vacc_vio_frame *frame;
	u16 status;

	frame = list_first_entry(&transfer->sent, struct vacc_vio_frame, node);
	list_del(&frame->node);
	status = vacc_request_wait(frame->request);
	if (transfer->status == VIRTIO_ACCEL_S_OK)
		transfer->status = status;
	vacc_vio_frame_free(frame);
}

/* Tells the device of what was sent, and waits for the answers to all of it. */
static void vacc_vio_wait_all(struct vacc_vio_transfer *transfer)
{
	if (transfer->kick)
		vacc_ring_kick(transfer->session);
	transfer->kick = false;
	while (!list_empty(&transfer->sent))
		vacc_vio_wait_oldest(transfer);
}

static int vacc_vio_add(struct vacc_vio_transfer *transfer,
			struct vacc_vio_frame *frame)
{
	struct vacc_session *session = transfer->session;
	int err;

	spin_lock_irq(&session->lock);
	err = vacc_ring_add_in_turn(frame->request, VACC_VIO_RESERVE, NULL,
				    &transfer->kick);
	spin_unlock_irq(&session->lock);
	return err;
}

/*
 * Puts a frame on the ring without telling the device, as more come.  Where there is no
 * room the device is told, and all own answers are waited for: the next time that it is
 * told, and tells us, there is again as much as the ring holds.
 */
static u16 vacc_vio_send(struct vacc_vio_transfer *transfer,
			 struct vacc_vio_frame *frame)
{
	int err = vacc_vio_add(transfer, frame);

	if ((err == -ENOSPC || err == -ENOMEM) &&
	    !list_empty(&transfer->sent)) {
		vacc_vio_wait_all(transfer);
		if (transfer->status != VIRTIO_ACCEL_S_OK)
			return transfer->status;
		err = vacc_vio_add(transfer, frame);
	}
	/* It is others who have the ring. */
	if (err == -ENOSPC)
		return vacc_ring_send(frame->request, false);
	if (err == -ENOMEM)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	return err ? VIRTIO_ACCEL_S_DEVICE_LOST : VIRTIO_ACCEL_S_OK;
}

static u16 vacc_vio_next(struct vacc_vio_transfer *transfer)
{
	struct vacc_vio_frame *frame = vacc_vio_frame_make(transfer);
	u16 status;

	if (!frame)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	status = vacc_vio_send(transfer, frame);
	if (status != VIRTIO_ACCEL_S_OK) {
		vacc_vio_frame_free(frame);
		return status;
	}
	list_add_tail(&frame->node, &transfer->sent);
	iov_iter_advance(transfer->iter, frame->bytes);
	transfer->offset += frame->bytes;
	return VIRTIO_ACCEL_S_OK;
}

/* Returns when the device has no frame any more, unless the caller was killed. */
static u16 vacc_vio_transfer(struct vacc_vio_transfer *transfer)
{
	u16 status = VIRTIO_ACCEL_S_OK;

	if (vacc_session_linear(transfer->session))
		return vacc_vio_linear_transfer(transfer->session,
						transfer->buffer,
						transfer->offset,
						transfer->iter,
						transfer->write);
	INIT_LIST_HEAD(&transfer->sent);
	while (iov_iter_count(transfer->iter) && status == VIRTIO_ACCEL_S_OK &&
	       transfer->status == VIRTIO_ACCEL_S_OK)
		status = vacc_vio_next(transfer);
	vacc_vio_wait_all(transfer);
	return transfer->status ? transfer->status : status;
}

/**
 * vacc_vio_buffer_write() - write to a buffer of the device
 * @priv: the session
 * @buffer: the buffer
 * @offset: first byte in it
 * @from: the data, an ITER_BVEC
 *
 * Context: process, holding no spinlock.
 * Return: a status.
 */
u16 vacc_vio_buffer_write(void *priv, void *buffer, u64 offset,
			  struct iov_iter *from)
{
	const struct vacc_object *object = buffer;
	struct vacc_vio_transfer transfer = {
		.session = priv,
		.buffer = object->id,
		.offset = offset,
		.iter = from,
		.write = true,
	};

	return vacc_vio_transfer(&transfer);
}

/**
 * vacc_vio_buffer_read() - read from a buffer of the device
 * @priv: the session
 * @buffer: the buffer
 * @offset: first byte in it
 * @to: where the data go, an ITER_BVEC
 *
 * Context: process, holding no spinlock.
 * Return: a status.
 */
u16 vacc_vio_buffer_read(void *priv, void *buffer, u64 offset,
			 struct iov_iter *to)
{
	const struct vacc_object *object = buffer;
	struct vacc_vio_transfer transfer = {
		.session = priv,
		.buffer = object->id,
		.offset = offset,
		.iter = to,
	};

	return vacc_vio_transfer(&transfer);
}
