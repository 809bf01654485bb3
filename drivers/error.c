// SPDX-License-Identifier: GPL-2.0
/*
 * Errors: the closed vocabulary, and sentences for people.
 */
#include <linux/sched.h>
#include <linux/string.h>

#include "core.h"

/**
 * vacc_errno() - errno of a status
 * @status: VIRTIO_ACCEL_S_* or VACC_S_*; an unknown value is a failure
 *
 * Context: any.
 * Return: 0 or a negative errno.
 */
int vacc_errno(u16 status)
{
	switch (status) {
	case VIRTIO_ACCEL_S_OK:
		return 0;
	case VIRTIO_ACCEL_S_UNSUPPORTED:
		return -EOPNOTSUPP;
	case VIRTIO_ACCEL_S_INCOMPATIBLE:
		return -ENOEXEC;
	case VIRTIO_ACCEL_S_INVALID_ARGUMENT:
		return -EINVAL;
	case VIRTIO_ACCEL_S_OUT_OF_BOUNDS:
		return -ERANGE;
	case VIRTIO_ACCEL_S_BUSY:
		return -EBUSY;
	case VIRTIO_ACCEL_S_OUT_OF_MEMORY:
		return -ENOMEM;
	case VIRTIO_ACCEL_S_RESOURCE_LIMIT:
		return -ENOSPC;
	case VIRTIO_ACCEL_S_DEADLINE_EXPIRED:
		return -ETIME;
	case VIRTIO_ACCEL_S_DEVICE_LOST:
		return -EIO;
	case VIRTIO_ACCEL_S_PERMISSION_DENIED:
		return -EACCES;
	case VIRTIO_ACCEL_S_STALE_OBJECT:
		return -ENOENT;
	case VACC_S_TRY_AGAIN:
		return -EAGAIN;
	case VACC_S_RESTART:
		return -ERESTARTSYS;
	case VACC_S_KILLED:
		return -EINTR;
	default:
		return -EREMOTEIO;
	}
}

/**
 * vacc_fail() - fail a call and say why
 * @call: the call
 * @error: negative errno
 * @text: a sentence that lives as long as the module
 *
 * Context: any.
 * Return: @error.
 */
int vacc_fail(struct vacc_call *call, int error, const char *text)
{
	call->reason.text = text;
	return error;
}

/* The slot of this thread, else an empty one, else the oldest. */
static struct vacc_error *vacc_error_slot(struct vacc_file *file, u32 tid)
{
	struct vacc_error *best = &file->errors[0];
	int i;

	for (i = 0; i < VACC_ERRORS; i++) {
		struct vacc_error *slot = &file->errors[i];

		if (slot->tid == tid)
			return slot;
		if (slot->age < best->age)
			best = slot;
	}
	return best;
}

/**
 * vacc_error_note() - remember why a call failed
 * @call: the call, with its reason where one is known
 * @error: negative errno
 *
 * Context: any.
 */
void vacc_error_note(struct vacc_call *call, int error)
{
	struct vacc_file *file = call->file;
	u32 tid = task_pid_vnr(current);
	struct vacc_error *slot;

	spin_lock(&file->errors_lock);
	slot = vacc_error_slot(file, tid);
	slot->tid = tid;
	slot->nr = call->nr;
	/* What a signal has ended is begun again, or EINTR by the time that anybody asks. */
	slot->error = error == -ERESTARTSYS ? EINTR : -error;
	slot->age = ++file->errors_age;
	slot->reason = call->reason;
	slot->reason.text = NULL;
	strscpy_pad(slot->text, call->reason.text ? call->reason.text : "",
		    sizeof(slot->text));
	spin_unlock(&file->errors_lock);
}

/**
 * vacc_last_error() - VACC_LAST_ERROR
 * @call: the call
 * @arg: struct vacc_last_error
 *
 * Context: process.
 * Return: 0, -EOPNOTSUPP for a flag.
 */
int vacc_last_error(struct vacc_call *call, void *arg)
{
	struct vacc_last_error *last = arg;
	struct vacc_file *file = call->file;
	u32 tid = task_pid_vnr(current);
	struct vacc_error *slot;

	if (last->flags)
		return vacc_fail(call, -EOPNOTSUPP, "unknown flag");
	memset(last, 0, sizeof(*last));
	spin_lock(&file->errors_lock);
	slot = vacc_error_slot(file, tid);
	if (slot->tid == tid) {
		last->tid = tid;
		last->nr = slot->nr;
		last->error = slot->error;
		last->command = slot->reason.command;
		last->launch = slot->reason.launch;
		last->binding = slot->reason.binding;
		memcpy(last->text, slot->text, sizeof(last->text));
	}
	spin_unlock(&file->errors_lock);
	return 0;
}
