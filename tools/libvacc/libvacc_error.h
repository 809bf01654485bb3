/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Errors and names of libvacc. */
#ifndef LIBVACC_ERROR_H
#define LIBVACC_ERROR_H

#include "libvacc_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * vacc_last_error() - why this thread's last call failed
 * @dev: device that it was about, or NULL for vacc_open() and artifacts
 *
 * For people.  Costs an ioctl where the device knows the reason.
 *
 * Return: a sentence without a final full stop, never NULL; good until this
 * thread's next call of this library.
 */
const char *vacc_last_error(struct vacc_device *dev);

/**
 * vacc_last_error_query() - the device's record of this thread's last failure
 * @dev: device
 * @error: filled in; @tid is 0 where nothing is known
 *
 * Return: 0 or a negative errno.
 */
int vacc_last_error_query(struct vacc_device *dev, struct vacc_last_error *error);

/**
 * vacc_strerror() - what an errno means here
 * @error: an errno, positive or negative; 0 is success
 *
 * Return: a sentence without a final full stop; of an errno that has no meaning here
 * good until this thread asks for another one.
 */
const char *vacc_strerror(int error);

/**
 * vacc_status_name() - name of a status
 * @status: VIRTIO_ACCEL_S_*
 *
 * Return: such as "OUT_OF_BOUNDS"; "UNKNOWN" for others.
 */
const char *vacc_status_name(__u32 status);

/**
 * vacc_status_errno() - errno that stands for a status
 * @status: VIRTIO_ACCEL_S_*
 *
 * Return: 0 for OK, else a negative errno.
 */
int vacc_status_errno(__u32 status);

/**
 * vacc_state_name() - name of an event's state
 * @state: VACC_EVENT_*
 *
 * Return: such as "complete"; "unknown" for others.
 */
const char *vacc_state_name(__u32 state);

/**
 * vacc_type_name() - name of an element type
 * @type: VACC_TYPE_*
 *
 * Return: such as "f16"; NULL for others.
 */
const char *vacc_type_name(__u32 type);

/**
 * vacc_type_bytes() - size of an element
 * @type: VACC_TYPE_*
 *
 * Return: bytes, 1 for untyped, 0 for unknown types.
 */
__u32 vacc_type_bytes(__u32 type);

/**
 * vacc_type_parse() - element type of a name
 * @name: as vacc_type_name() has it
 *
 * Return: VACC_TYPE_* or -EINVAL.
 */
int vacc_type_parse(const char *name);

#ifdef __cplusplus
}
#endif

#endif /* LIBVACC_ERROR_H */
