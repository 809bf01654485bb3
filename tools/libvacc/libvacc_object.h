/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Contexts, buffers and queues of libvacc. */
#ifndef LIBVACC_OBJECT_H
#define LIBVACC_OBJECT_H

#include "libvacc_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Contexts */

/**
 * struct vacc_context - a context
 * @dev: its device
 * @owner: number of that open of the device, never used again
 * @handle: its handle, 0 for none
 */
struct vacc_context {
	struct vacc_device *dev;
	__u64 owner;
	__u32 handle;
};

/**
 * vacc_context_create() - create a context
 * @dev: device
 * @context: filled in
 *
 * Return: 0 or a negative errno.
 */
int vacc_context_create(struct vacc_device *dev, struct vacc_context *context);

/**
 * vacc_context_destroy() - destroy a context that has no objects left
 * @context: context; on success its handle becomes 0
 *
 * Return: 0 or a negative errno.
 */
int vacc_context_destroy(struct vacc_context *context);

/* Buffers */

/**
 * struct vacc_buffer_options - how a buffer is to be
 * @domain: VIRTIO_ACCEL_DOMAIN_*, 0 for the best that the device has: shared, else
 *	host, else device
 * @usage: VIRTIO_ACCEL_USAGE_*, 0 for all
 * @element_type: VACC_TYPE_*
 * @flags: VACC_BUFFER_NO_WRITE_MAP or 0
 * @alignment: a power of two, 0 for 64
 */
struct vacc_buffer_options {
	__u32 domain;
	__u32 usage;
	__u32 element_type;
	__u32 flags;
	__u64 alignment;
};

/**
 * struct vacc_buffer - a buffer
 * @dev: its device
 * @owner: number of that open of the device, never used again
 * @handle: its handle, 0 for none
 * @context: handle of its context
 * @domain: VIRTIO_ACCEL_DOMAIN_*
 * @usage: VIRTIO_ACCEL_USAGE_*
 * @element_type: VACC_TYPE_*
 * @properties: VACC_PROP_*; with VACC_PROP_MAPPABLE vacc_buffer_map() works
 * @bytes: its length
 * @allocation_bytes: bytes that it charges
 * @alignment: actual alignment
 * @mmap_offset: offset for mmap(2), 0 where it cannot be mapped
 * @map: where vacc_buffer_map() mapped it, or NULL
 */
struct vacc_buffer {
	struct vacc_device *dev;
	__u64 owner;
	__u32 handle;
	__u32 context;
	__u32 domain;
	__u32 usage;
	__u32 element_type;
	__u32 properties;
	__u64 bytes;
	__u64 allocation_bytes;
	__u64 alignment;
	__u64 mmap_offset;
	void *map;
};

/**
 * vacc_buffer_create() - create a buffer of zeros
 * @context: where it belongs
 * @bytes: its length, nonzero
 * @options: how it is to be, or NULL for all defaults
 * @buffer: filled in
 *
 * Return: 0 or a negative errno.
 */
int vacc_buffer_create(const struct vacc_context *context, __u64 bytes,
		       const struct vacc_buffer_options *options,
		       struct vacc_buffer *buffer);

/**
 * vacc_buffer_destroy() - unmap and destroy a buffer
 * @buffer: buffer; on success its handle becomes 0
 *
 * Return: 0 or a negative errno; -EBUSY leaves it as it was.
 */
int vacc_buffer_destroy(struct vacc_buffer *buffer);

/**
 * vacc_buffer_query() - what the kernel knows of a buffer
 * @buffer: buffer
 * @query: filled in
 *
 * Return: 0 or a negative errno.
 */
int vacc_buffer_query(const struct vacc_buffer *buffer,
		      struct vacc_buffer_query *query);

/**
 * vacc_buffer_write() - copy into a buffer
 * @buffer: buffer with usage TRANSFER_DST
 * @offset: first byte in it
 * @data: where from
 * @bytes: how many, nonzero
 *
 * Return: 0 or a negative errno.
 */
int vacc_buffer_write(const struct vacc_buffer *buffer, __u64 offset,
		      const void *data, size_t bytes);

/**
 * vacc_buffer_read() - copy out of a buffer
 * @buffer: buffer with usage TRANSFER_SRC
 * @offset: first byte in it
 * @data: where to
 * @bytes: how many, nonzero
 *
 * Return: 0 or a negative errno.
 */
int vacc_buffer_read(const struct vacc_buffer *buffer, __u64 offset, void *data,
		     size_t bytes);

/**
 * vacc_buffer_writev() - copy into a buffer from pieces
 * @buffer: buffer
 * @offset: first byte in it
 * @iov: pieces, together not empty
 * @count: how many, at most VACC_MAX_IOV
 * @element_type: VACC_TYPE_* that the buffer must have, 0 for any
 *
 * Return: 0 or a negative errno.
 */
int vacc_buffer_writev(const struct vacc_buffer *buffer, __u64 offset,
		       const struct vacc_iov *iov, __u32 count, __u32 element_type);

/**
 * vacc_buffer_readv() - copy out of a buffer into pieces
 * @buffer: buffer
 * @offset: first byte in it
 * @iov: pieces, together not empty
 * @count: how many, at most VACC_MAX_IOV
 * @element_type: VACC_TYPE_* that the buffer must have, 0 for any
 *
 * Return: 0 or a negative errno.
 */
int vacc_buffer_readv(const struct vacc_buffer *buffer, __u64 offset,
		      const struct vacc_iov *iov, __u32 count, __u32 element_type);

/**
 * vacc_buffer_map() - map a whole buffer
 * @buffer: buffer; @map becomes its address.  Mapped already: nothing happens
 * @prot: PROT_READ, PROT_WRITE or both
 *
 * Work that is pending may change what the mapping shows; look once it has ended.
 *
 * Return: 0; -EOPNOTSUPP where it cannot be mapped; or another error.
 */
int vacc_buffer_map(struct vacc_buffer *buffer, int prot);

/**
 * vacc_buffer_unmap() - unmap a buffer
 * @buffer: buffer; @map becomes NULL.  Not mapped: nothing happens
 */
void vacc_buffer_unmap(struct vacc_buffer *buffer);

/* Queues */

/**
 * struct vacc_queue - an execution queue
 * @dev: its device
 * @owner: number of that open of the device, never used again
 * @handle: its handle, 0 for none
 * @context: handle of its context
 */
struct vacc_queue {
	struct vacc_device *dev;
	__u64 owner;
	__u32 handle;
	__u32 context;
};

/**
 * vacc_queue_create() - create a queue
 * @context: where it belongs
 * @queue: filled in
 *
 * Return: 0 or a negative errno.
 */
int vacc_queue_create(const struct vacc_context *context, struct vacc_queue *queue);

/**
 * vacc_queue_destroy() - destroy a queue
 * @queue: queue; on success its handle becomes 0
 *
 * Return: 0 or a negative errno.
 */
int vacc_queue_destroy(struct vacc_queue *queue);

/**
 * vacc_queue_query() - state and counters of a queue
 * @dev: device to ask
 * @queue: queue
 * @query: filled in
 *
 * A queue of another device, or of another open of this one, reads as
 * VACC_QUEUE_FAILED with status STALE_OBJECT.
 *
 * Return: 0 or a negative errno.
 */
int vacc_queue_query(struct vacc_device *dev, const struct vacc_queue *queue,
		     struct vacc_queue_query *query);

/**
 * vacc_queue_sync() - wait until what is pending has ended, then forget failures
 * @dev: device to ask
 * @queue: queue; a foreign one is refused with -ENOENT
 * @deadline_ns: absolute, see vacc_deadline()
 * @status: VIRTIO_ACCEL_S_* of the first failure since the last time, may be NULL
 *
 * Return: 0 or a negative errno.
 */
int vacc_queue_sync(struct vacc_device *dev, const struct vacc_queue *queue,
		    __u64 deadline_ns, __u32 *status);

#ifdef __cplusplus
}
#endif

#endif /* LIBVACC_OBJECT_H */
