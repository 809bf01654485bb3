// SPDX-License-Identifier: GPL-2.0
/*
 * Transfers for devices whose chains have two descriptors: data are copied to and from
 * one piece with the fixed parts, a frame at a time.
 */
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "virtio.h"

static u16 vacc_vio_linear_write(struct vacc_request *request,
				 struct iov_iter *from, u32 bytes)
{
	void *data = kmalloc(bytes, GFP_KERNEL_ACCOUNT);
	int err;

	if (!data)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	if (copy_from_iter(data, bytes, from) != bytes) {
		kfree(data);
		return VIRTIO_ACCEL_S_INTERNAL_ERROR;
	}
	err = vacc_request_extra(request, data, bytes);
	kfree(data);
	return err ? VIRTIO_ACCEL_S_OUT_OF_MEMORY : vacc_request_call(request);
}

static u16 vacc_vio_linear_read(struct vacc_request *request,
				struct iov_iter *to, u32 bytes)
{
	void *data = vacc_request_linear_in(request, bytes);
	u16 status;

	if (!data)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	status = vacc_request_call(request);
	if (status == VIRTIO_ACCEL_S_OK && copy_to_iter(data, bytes, to) != bytes)
		status = VIRTIO_ACCEL_S_INTERNAL_ERROR;
	return status;
}

static u32 vacc_vio_linear_bytes(const struct vacc_session *session, bool write)
{
	const struct vacc_vio_config *config = &session->vio->config;
	u32 room = write ? config->max_request -
			   sizeof(struct virtio_accel_req_hdr) -
			   sizeof(struct virtio_accel_transfer) :
			   config->max_response -
			   sizeof(struct virtio_accel_resp_hdr);

	return min_t(u32, room, VACC_VIO_LINEAR_BYTES);
}

/**
 * vacc_vio_linear_transfer() - write to or read from a buffer, by copying
 * @session: the session
 * @buffer: the device's buffer
 * @offset: first byte in it
 * @iter: the data
 * @write: into the buffer
 *
 * Context: process, holding no spinlock.
 * Return: a status.
 */
u16 vacc_vio_linear_transfer(struct vacc_session *session, u64 buffer,
			     u64 offset, struct iov_iter *iter, bool write)
{
	const u32 most = vacc_vio_linear_bytes(session, write);
	u16 opcode = write ? VIRTIO_ACCEL_OP_WRITE_BUFFER :
			     VIRTIO_ACCEL_OP_READ_BUFFER;
	u16 status = VIRTIO_ACCEL_S_OK;

	while (iov_iter_count(iter) && status == VIRTIO_ACCEL_S_OK) {
		u32 bytes = min_t(size_t, iov_iter_count(iter), most);
		struct virtio_accel_transfer payload = {
			.buffer = cpu_to_le64(buffer),
			.offset = cpu_to_le64(offset),
			.bytes = cpu_to_le64(bytes),
		};
		struct vacc_request *request;

		request = vacc_request_alloc(session, opcode, &payload,
					     sizeof(payload), 0,
					     GFP_KERNEL_ACCOUNT);
		if (!request)
			return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
		status = write ? vacc_vio_linear_write(request, iter, bytes) :
				 vacc_vio_linear_read(request, iter, bytes);
		vacc_request_put(request);
		offset += bytes;
	}
	return status;
}
