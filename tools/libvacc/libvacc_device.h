/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Devices of libvacc. */
#ifndef LIBVACC_DEVICE_H
#define LIBVACC_DEVICE_H

#include <stddef.h>
#include <linux/vacc.h>
#include <linux/virtio_accel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* struct vacc_device - an open device. */
struct vacc_device;

/* Most devices that vacc_list() looks for. */
#define VACC_MAX_DEVICES	256

/**
 * vacc_open() - open a device
 * @path: a device node, or the decimal number N of /dev/virtio-accelN, or NULL for
 *	the existing one with the lowest number
 * @dev: the device; close it with vacc_close()
 *
 * Return: 0; -ENODEV where there is no such node or the device is gone, -ENOTTY
 * where @path is something else, -EACCES, -EPERM, ... from open(2).
 */
int vacc_open(const char *path, struct vacc_device **dev);

/**
 * vacc_close() - close a device
 * @dev: device, may be NULL
 *
 * All of its objects go with the file: what is pending is cancelled or aborted.  A
 * mapping keeps the file, and with it all of this, until it is unmapped: call
 * vacc_buffer_unmap() before, or destroy the buffer.
 */
void vacc_close(struct vacc_device *dev);

/**
 * vacc_list() - numbers of the device nodes that exist
 * @numbers: filled with the numbers N of /dev/virtio-accelN, ascending
 * @room: how many fit
 *
 * Return: how many there are (perhaps more than @room) or a negative errno.
 */
int vacc_list(unsigned int *numbers, size_t room);

/**
 * vacc_fd() - file descriptor of a device
 * @dev: device
 *
 * For poll(2), read(2) and ioctls that this library does not wrap.
 *
 * Return: the descriptor, which stays the device's.
 */
int vacc_fd(const struct vacc_device *dev);

/**
 * vacc_path() - path of the node that a device was opened by
 * @dev: device
 *
 * Return: the path.
 */
const char *vacc_path(const struct vacc_device *dev);

/**
 * vacc_ioctl() - any ioctl, with errors as this library has them
 * @dev: device
 * @request: VACC_*
 * @arg: its argument; @arg->size is the caller's to set
 *
 * Return: 0 or a negative errno.
 */
int vacc_ioctl(struct vacc_device *dev, unsigned long request, void *arg);

/**
 * vacc_info() - what a device is and takes
 * @dev: device
 * @info: filled in, but for @formats, of which only the count is meaningful
 * @formats: filled with the known formats, or NULL
 * @room: how many of them fit
 *
 * Return: 0 or a negative errno.
 */
int vacc_info(struct vacc_device *dev, struct vacc_get_info *info,
	      struct vacc_format *formats, __u32 room);

/**
 * vacc_features() - VACC_FEATURE_* of a device, as they were when it was opened
 * @dev: device
 *
 * Return: the bits.
 */
__u32 vacc_features(const struct vacc_device *dev);

/**
 * vacc_stats() - counters of a device
 * @dev: device
 * @stats: filled in
 *
 * Return: 0 or a negative errno.
 */
int vacc_stats(struct vacc_device *dev, struct vacc_stats *stats);

/**
 * vacc_settle() - wait until nothing is left of closed files
 * @dev: device
 * @deadline_ns: absolute, see vacc_deadline()
 *
 * Return: 0 once the zombie counts are zero, -ETIMEDOUT or another error.
 */
int vacc_settle(struct vacc_device *dev, __u64 deadline_ns);

/**
 * vacc_deadline() - an absolute deadline from a relative one
 * @ns: nanoseconds from now
 *
 * Every wait takes an absolute CLOCK_MONOTONIC time.  0 has always passed, so that
 * a wait until then only looks; VACC_NO_DEADLINE never comes.
 *
 * Return: now + @ns, at most VACC_NO_DEADLINE.
 */
__u64 vacc_deadline(__u64 ns);

#ifdef __cplusplus
}
#endif

#endif /* LIBVACC_DEVICE_H */
