// SPDX-License-Identifier: GPL-2.0
/*
 * The table of ioctls, and what copies arguments.
 *
 * User memory is read once, into the kernel, and written once at the end.  No lock is
 * held over either.
 */
#include <linux/file.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>

#include "core.h"

/**
 * struct vacc_ioctl_entry - one ioctl
 * @handler: does it, on a copy of the argument
 * @size: of the argument as this kernel knows it, 0 where it has none yet
 * @min_size: of its first version, 0 where it has not grown since
 * @finalize: copy the argument back and publish what was created
 */
struct vacc_ioctl_entry {
	int (*handler)(struct vacc_call *call, void *arg);
	u32 size;
	u32 min_size;
	bool finalize;
};

#define ENTRY(_nr, _handler, _type, _finalize)			\
	[_IOC_NR(_nr)] = {					\
		.handler = _handler,				\
		.size = sizeof(struct _type),			\
		.finalize = _finalize,				\
	}

/* A reserved number without a structure: any argument with a size will do. */
#define ENTRY_RESERVED(_nr)					\
	[_IOC_NR(_nr)] = {					\
		.handler = vacc_reserved,			\
		.min_size = sizeof(u32),			\
	}

static int vacc_reserved(struct vacc_call *call, void *arg)
{
	return vacc_fail(call, -EOPNOTSUPP, "this operation is reserved");
}

static const struct vacc_ioctl_entry vacc_ioctls[] = {
	ENTRY(VACC_GET_INFO, vacc_get_info, vacc_get_info, true),
	ENTRY(VACC_STATS, vacc_stats, vacc_stats, true),
	ENTRY(VACC_LAST_ERROR, vacc_last_error, vacc_last_error, true),
	ENTRY(VACC_CONTEXT_CREATE, vacc_context_create, vacc_context_create,
	      true),
	ENTRY(VACC_CONTEXT_DESTROY, vacc_context_destroy, vacc_handle_arg,
	      false),
	ENTRY(VACC_BUFFER_CREATE, vacc_buffer_create, vacc_buffer_create, true),
	ENTRY(VACC_BUFFER_DESTROY, vacc_buffer_destroy, vacc_handle_arg, false),
	ENTRY(VACC_BUFFER_QUERY, vacc_buffer_query, vacc_buffer_query, true),
	ENTRY(VACC_BUFFER_WRITE, vacc_buffer_write, vacc_buffer_transfer,
	      false),
	ENTRY(VACC_BUFFER_READ, vacc_buffer_read, vacc_buffer_transfer, false),
	ENTRY_RESERVED(VACC_BUFFER_EXPORT),
	ENTRY_RESERVED(VACC_BUFFER_SEAL),
	ENTRY(VACC_PROGRAM_LOAD, vacc_program_load, vacc_program_load, true),
	ENTRY(VACC_PROGRAM_UNLOAD, vacc_program_unload, vacc_handle_arg, false),
	ENTRY(VACC_PROGRAM_QUERY, vacc_program_query, vacc_program_query, true),
	ENTRY(VACC_QUEUE_CREATE, vacc_queue_create, vacc_queue_create, true),
	ENTRY(VACC_QUEUE_DESTROY, vacc_queue_destroy, vacc_handle_arg, false),
	ENTRY(VACC_QUEUE_QUERY, vacc_queue_query, vacc_queue_query, true),
	ENTRY(VACC_QUEUE_SYNC, vacc_queue_sync, vacc_queue_sync, true),
	ENTRY(VACC_SUBMIT, vacc_submit, vacc_submit, false),
	ENTRY(VACC_SUBMIT_MANY, vacc_submit_many, vacc_submit_many, false),
	ENTRY(VACC_EVENT_QUERY, vacc_event_query, vacc_event_query, true),
	ENTRY(VACC_EVENT_WAIT, vacc_event_wait, vacc_event_wait, false),
	ENTRY(VACC_EVENT_CANCEL, vacc_event_cancel, vacc_handle_arg, false),
	ENTRY(VACC_EVENT_DESTROY, vacc_event_destroy, vacc_handle_arg, false),
	ENTRY(VACC_EVENT_EXPORT, vacc_event_export, vacc_event_export, true),
	ENTRY(VACC_EVENT_ATTRIBUTION, vacc_event_attribution,
	      vacc_event_attribution, true),
};

/* The largest argument, for the stack. */
union vacc_ioctl_arg {
	struct vacc_get_info info;
	struct vacc_stats stats;
	struct vacc_last_error last_error;
	struct vacc_buffer_create buffer_create;
	struct vacc_program_load program_load;
	struct vacc_submit submit;
};

/**
 * vacc_copy_out() - copy a result to the caller
 * @call: the call; its size is the caller's
 * @arg: the result
 * @size: its length
 *
 * Bytes that only the caller knows are zeroed.  @size itself is not written: it is the
 * caller's own.
 *
 * Context: process, holding no lock.
 * Return: 0 or -EFAULT.
 */
int vacc_copy_out(struct vacc_call *call, const void *arg, size_t size)
{
	size_t known = min_t(size_t, size, call->usize);
	const size_t skip = sizeof(u32);

	if (copy_to_user(call->uarg + skip, arg + skip, known - skip))
		return -EFAULT;
	if (call->usize > size &&
	    clear_user(call->uarg + size, call->usize - size))
		return -EFAULT;
	return 0;
}

static bool vacc_array_overflows(const struct vacc_array *array)
{
	u64 bytes = (u64)array->count * array->stride;
	u64 end;

	return check_add_overflow(array->ptr, bytes, &end) || end > ULONG_MAX;
}

/**
 * vacc_check_array() - check where an array of the caller's is
 * @array: the array
 * @min_size: of an element in its first version
 *
 * Context: any.
 * Return: 0, -EINVAL for too small a stride, -E2BIG for too large a one, -EFAULT.
 */
int vacc_check_array(const struct vacc_array *array, size_t min_size)
{
	if (array->stride < min_size)
		return -EINVAL;
	if (array->stride > PAGE_SIZE)
		return -E2BIG;
	return vacc_array_overflows(array) ? -EFAULT : 0;
}

/**
 * vacc_copy_array_in() - read an array of the caller's
 * @array: where it is; its count has been checked against a limit
 * @dst: room for as many elements of @size
 * @size: of an element as this kernel knows it
 * @min_size: of an element in its first version
 *
 * Context: process, holding no lock.
 * Return: 0, -EINVAL for too small a stride, -E2BIG for an element that is not zero
 * where it is unknown, -EFAULT.
 */
int vacc_copy_array_in(const struct vacc_array *array, void *dst, size_t size,
		       size_t min_size)
{
	u64 ptr = array->ptr;
	u32 i;
	int err;

	err = vacc_check_array(array, min_size);
	if (err)
		return err;
	if (array->stride == size)
		return copy_from_user(dst, u64_to_user_ptr(ptr),
				      array->count * size) ? -EFAULT : 0;
	for (i = 0; i < array->count; i++) {
		err = copy_struct_from_user(dst + i * size, size,
					    u64_to_user_ptr(ptr),
					    array->stride);
		if (err)
			return err;
		ptr += array->stride;
	}
	return 0;
}

/**
 * vacc_copy_element_out() - write one element of an array of the caller's
 * @array: where it is, with the caller's count
 * @index: which element, below the count
 * @src: the element
 * @size: its length
 *
 * Context: process, holding no lock.
 * Return: 0, -EINVAL for a stride of zero, -E2BIG for too large a one, -EFAULT.
 */
int vacc_copy_element_out(const struct vacc_array *array, u32 index,
			  const void *src, size_t size)
{
	u8 __user *dst;
	size_t known = min_t(size_t, size, array->stride);

	if (!array->stride)
		return -EINVAL;
	if (array->stride > PAGE_SIZE)
		return -E2BIG;
	if (vacc_array_overflows(array))
		return -EFAULT;
	dst = u64_to_user_ptr(array->ptr + (u64)index * array->stride);
	if (copy_to_user(dst, src, known))
		return -EFAULT;
	if (array->stride > size &&
	    clear_user(dst + size, array->stride - size))
		return -EFAULT;
	return 0;
}

/* The last step: from here on the caller has what was made for it. */
static void vacc_call_publish(struct vacc_call *call)
{
	if (call->created)
		vacc_obj_publish(call->created);
	if (call->fd >= 0)
		fd_install(call->fd, call->fd_file);
}

static void vacc_call_abandon(struct vacc_call *call)
{
	if (call->created)
		vacc_obj_abandon(call->created);
	if (call->fd >= 0) {
		put_unused_fd(call->fd);
		fput(call->fd_file);
	}
}

static int vacc_call_run(struct vacc_call *call,
			 const struct vacc_ioctl_entry *entry)
{
	union vacc_ioctl_arg arg;
	int err;

	if (call->usize < (entry->min_size ?: entry->size))
		return vacc_fail(call, -EINVAL, "the argument is too small");
	if (call->usize > PAGE_SIZE)
		return vacc_fail(call, -E2BIG, "the argument is too large");
	if (!entry->size)
		return entry->handler(call, NULL);
	err = copy_struct_from_user(&arg, entry->size, call->uarg, call->usize);
	if (err)
		return err;
	err = entry->handler(call, &arg);
	if (err || !entry->finalize)
		return err;
	err = vacc_copy_out(call, &arg, entry->size);
	if (err)
		vacc_call_abandon(call);
	else
		vacc_call_publish(call);
	return err;
}

/**
 * vacc_ioctl() - every ioctl
 * @filp: the open file
 * @cmd: number
 * @uarg: address of the argument
 *
 * Context: process.
 * Return: 0 or an errno of the table in linux/vacc.h.
 */
long vacc_ioctl(struct file *filp, unsigned int cmd, unsigned long uarg)
{
	struct vacc_file *file = filp->private_data;
	struct vacc_call call = {
		.file = file,
		.dev = file->dev,
		.nr = _IOC_NR(cmd),
		.nonblock = filp->f_flags & O_NONBLOCK,
		.uarg = (void __user *)uarg,
		.fd = -1,
		.reason = { VACC_NO_INDEX, VACC_NO_INDEX, VACC_NO_INDEX, NULL },
	};
	const struct vacc_ioctl_entry *entry;
	int err;

	if (cmd != _IO(VACC_IOC_MAGIC, call.nr) ||
	    call.nr >= ARRAY_SIZE(vacc_ioctls))
		return -ENOTTY;
	entry = &vacc_ioctls[array_index_nospec(call.nr,
						ARRAY_SIZE(vacc_ioctls))];
	if (!entry->handler)
		return -ENOTTY;
	if (vacc_device_dead(call.dev))
		return vacc_device_error(call.dev);
	if (get_user(call.usize, (u32 __user *)call.uarg))
		return -EFAULT;
	err = vacc_call_run(&call, entry);
	/* A device that goes away loses what it was doing. */
	if (err == -EIO && vacc_device_dead(call.dev))
		err = vacc_device_error(call.dev);
	if (err && entry->handler != vacc_last_error)
		vacc_error_note(&call, err);
	return err;
}
