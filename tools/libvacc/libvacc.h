/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * libvacc - accelerators behind /dev/virtio-accelN.
 *
 * A thin layer over the ioctls of <linux/vacc.h>.  Every function that can fail
 * returns 0 or a negative errno with the meaning that <linux/vacc.h> gives it;
 * vacc_strerror() has a sentence for each, vacc_last_error() the reason of this
 * thread's last failure.
 *
 * Objects are small structs of the caller, filled in by the function that creates
 * them.  They know the device that they were created on, so that an object of
 * another device, or of another open of the same one, is never mistaken for one
 * with the same number.
 *
 * Threads may share a device and its objects as far as the kernel lets them; the
 * fields of one struct are not locked.  A device must outlive its objects, which
 * go with it: there is no need to destroy them before vacc_close().
 *
 * Destroying sets the handle to 0.  So does a destroy that fails with -EIO or
 * -EREMOTEIO: the object is gone then, too.
 */
#ifndef LIBVACC_H
#define LIBVACC_H

#include "libvacc_batch.h"
#include "libvacc_device.h"
#include "libvacc_error.h"
#include "libvacc_object.h"
#include "libvacc_program.h"
#include "libvacc_submit.h"

#endif /* LIBVACC_H */
