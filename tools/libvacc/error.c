// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Why calls fail: the last error of each thread, and names. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "internal.h"

/**
 * struct last - the last failure of a thread
 * @error: its errno, positive, 0 for none yet
 * @request: ioctl that failed, 0 where this library found the reason itself
 * @owner: which open of a device the ioctl was about
 * @text: the reason
 */
struct last {
	int error;
	unsigned long request;
	__u64 owner;
	char text[256];
};

static __thread struct last last;

int vacc_fail(int error, const char *format, ...)
{
	va_list args;

	last.error = error;
	last.request = 0;
	va_start(args, format);
	vsnprintf(last.text, sizeof(last.text), format, args);
	va_end(args);
	return -error;
}

int vacc_fail_ioctl(const struct vacc_device *dev, unsigned long request, int error)
{
	last.error = error;
	last.request = request;
	last.owner = dev->owner;
	return -error;
}

int vacc_last_error_query(struct vacc_device *dev, struct vacc_last_error *error)
{
	memset(error, 0, sizeof(*error));
	error->size = sizeof(*error);
	if (ioctl(dev->fd, VACC_LAST_ERROR, error))
		return -errno;
	error->text[sizeof(error->text) - 1] = 0;
	return 0;
}

const char *vacc_last_error(struct vacc_device *dev)
{
	struct vacc_last_error known;
	size_t length;

	if (!last.error)
		return vacc_strerror(0);
	if (!last.request)
		return last.text;
	if (!dev || dev->owner != last.owner || vacc_last_error_query(dev, &known))
		return vacc_strerror(last.error);
	if (!known.tid || known.error != (__u32)last.error || !known.text[0])
		return vacc_strerror(last.error);
	if (known.nr != _IOC_NR(last.request) && known.nr != last.request)
		return vacc_strerror(last.error);
	length = strlen((char *)known.text);
	while (length && (known.text[length - 1] == '.' ||
			  known.text[length - 1] == '\n'))
		length--;
	memcpy(last.text, known.text, length);
	last.text[length] = 0;
	return last.text;
}

int vacc_check_handle(const struct vacc_device *dev, __u32 handle, const char *kind)
{
	if (!dev || !handle)
		return vacc_fail(ENOENT, "there is no such %s", kind);
	return 0;
}

struct name {
	int number;
	const char *name;
};

static const char *find_name(const struct name *names, size_t count, int number)
{
	for (size_t i = 0; i < count; i++) {
		if (names[i].number == number)
			return names[i].name;
	}
	return NULL;
}

#define FIND_NAME(names, number) \
	find_name(names, sizeof(names) / sizeof((names)[0]), number)

const char *vacc_strerror(int error)
{
	static const struct name names[] = {
		{ 0, "no error" },
		{ EOPNOTSUPP, "this kernel, device or backend does not have that" },
		{ E2BIG, "the argument is longer than this kernel knows" },
		{ EINVAL, "a count, length, value or combination is not valid" },
		{ ENOENT, "there is no such object in this file" },
		{ ERANGE, "a range leaves its buffer" },
		{ EACCES, "the usage of the buffer or the permissions do not allow that" },
		{ EPERM, "that is not permitted" },
		{ ENOEXEC, "program and device, or program and bindings, do not fit" },
		{ EBUSY, "in use by pending work, or too late to cancel" },
		{ ENOSPC, "it does not fit a limit of the device" },
		{ EAGAIN, "it does not fit now; waiting for events or destroying some helps" },
		{ ENOMEM, "out of memory" },
		{ ETIME, "a deadline of the device ran out" },
		{ EIO, "the device is lost, or was reset since it was opened" },
		{ ENODEV, "the device is gone" },
		{ EREMOTEIO, "the device failed in a way that it does not explain" },
		{ ETIMEDOUT, "the wait ran out" },
		{ ECANCELED, "the work was cancelled" },
		{ EFAULT, "an address of the caller is bad" },
		{ EINTR, "a signal arrived and the call could not be restarted" },
		{ ENOTTY, "there is no such operation" },
		{ EBADF, "a file descriptor is not open" },
		{ EMFILE, "this process has too many open files" },
		{ ENFILE, "the system has too many open files" },
	};
	static __thread char other[64];
	const char *name = FIND_NAME(names, error < 0 ? -error : error);

	if (name)
		return name;
	snprintf(other, sizeof(other), "error %d, which has no meaning here",
		 error < 0 ? -error : error);
	return other;
}

const char *vacc_status_name(__u32 status)
{
	static const char * const names[] = {
		"OK", "UNSUPPORTED", "INCOMPATIBLE", "INVALID_ARGUMENT",
		"OUT_OF_BOUNDS", "BUSY", "OUT_OF_MEMORY", "RESOURCE_LIMIT",
		"DEADLINE_EXPIRED", "DEVICE_LOST", "PERMISSION_DENIED",
		"STALE_OBJECT",
	};

	if (status < sizeof(names) / sizeof(names[0]))
		return names[status];
	return status == VIRTIO_ACCEL_S_INTERNAL_ERROR ? "INTERNAL_ERROR" : "UNKNOWN";
}

int vacc_status_errno(__u32 status)
{
	static const int errors[] = {
		0, EOPNOTSUPP, ENOEXEC, EINVAL, ERANGE, EBUSY, ENOMEM, ENOSPC, ETIME,
		EIO, EACCES, ENOENT,
	};

	if (status < sizeof(errors) / sizeof(errors[0]))
		return -errors[status];
	return -EREMOTEIO;
}

const char *vacc_operation_name(__u32 operation)
{
	static const char * const names[] = {
		"barrier", "copy", "fill", "xor", "zero", "upload", "dense_linear",
	};

	return operation < sizeof(names) / sizeof(names[0]) ? names[operation] :
							      "unknown";
}

const char *vacc_state_name(__u32 state)
{
	static const char * const names[] = {
		"pending", "complete", "failed", "cancelled",
	};

	return state < sizeof(names) / sizeof(names[0]) ? names[state] : "unknown";
}
