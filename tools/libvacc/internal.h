/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the files of libvacc share. */
#ifndef LIBVACC_INTERNAL_H
#define LIBVACC_INTERNAL_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "libvacc.h"

/**
 * struct vacc_device - an open device
 * @fd: its descriptor
 * @owner: number of this open, stamped into its objects
 * @features: VACC_FEATURE_*
 * @capabilities: VIRTIO_ACCEL_CAP_*
 * @path: node that it was opened by
 */
struct vacc_device {
	int fd;
	__u64 owner;
	__u32 features;
	__u64 capabilities;
	char path[];
};

/**
 * vacc_fail() - note why this thread's call fails
 * @error: positive errno
 * @format: of the sentence
 *
 * Return: -@error.
 */
int vacc_fail(int error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * vacc_fail_ioctl() - note that an ioctl of this thread failed
 * @dev: device that it was about
 * @request: its number
 * @error: positive errno
 *
 * Return: -@error.
 */
int vacc_fail_ioctl(const struct vacc_device *dev, unsigned long request, int error);

/**
 * vacc_check_owner() - whether an object is of a device
 * @dev: device
 * @of: device that the object names
 * @owner: number that the object carries
 *
 * Return: whether it is.
 */
static inline bool vacc_check_owner(const struct vacc_device *dev,
				    const struct vacc_device *of, __u64 owner)
{
	return dev && dev == of && dev->owner == owner;
}

/**
 * vacc_check_handle() - refuse objects that do not exist, without asking
 * @dev: device that the object names
 * @handle: its handle
 * @kind: what it is, for the sentence
 *
 * Return: 0 or -ENOENT.
 */
int vacc_check_handle(const struct vacc_device *dev, __u32 handle, const char *kind);

/**
 * vacc_drop() - destroy an object
 * @dev: device that the object names
 * @request: VACC_*_DESTROY or VACC_PROGRAM_UNLOAD
 * @handle: its handle; becomes 0 where it is gone
 * @kind: what it is, for the sentence
 *
 * Return: 0 or a negative errno.
 */
int vacc_drop(struct vacc_device *dev, unsigned long request, __u32 *handle,
	      const char *kind);

/**
 * vacc_array_of() - describe an array to the kernel
 * @ptr: its first element
 * @count: elements
 * @stride: bytes of one
 *
 * Return: the description; no address where @count is 0.
 */
static inline struct vacc_array vacc_array_of(const void *ptr, __u32 count,
					      __u32 stride)
{
	struct vacc_array array = { count, stride, 0 };

	if (count)
		array.ptr = (uintptr_t)ptr;
	return array;
}

/**
 * vacc_range_end() - end of a range
 * @offset: its first byte
 * @bytes: its length
 * @end: set to their sum
 *
 * Return: whether that overflows.
 */
static inline bool vacc_range_end(__u64 offset, __u64 bytes, __u64 *end)
{
	return __builtin_add_overflow(offset, bytes, end);
}

/**
 * vacc_matrix_end() - end of a matrix in its bound range
 * @offset: first byte
 * @stride: bytes from row to row, 0 where rows are packed
 * @rows: rows, nonzero
 * @row_bytes: bytes of one row, nonzero
 * @end: set to the first byte behind it
 *
 * Return: whether that overflows.
 */
static inline bool vacc_matrix_end(__u64 offset, __u64 stride, __u32 rows,
				   __u64 row_bytes, __u64 *end)
{
	__u64 before;

	return __builtin_mul_overflow(stride ? stride : row_bytes, rows - 1, &before) ||
	       vacc_range_end(before, row_bytes, &before) ||
	       vacc_range_end(offset, before, end);
}

#endif /* LIBVACC_INTERNAL_H */
