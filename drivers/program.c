// SPDX-License-Identifier: GPL-2.0
/*
 * Programs.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "core.h"

static struct vacc_result vacc_program_release(const struct vacc_backend_ops *ops,
					       void *priv, struct vacc_obj *obj)
{
	return ops->program_unload(priv, obj->backend);
}

static void vacc_program_free(struct vacc_obj *obj)
{
	struct vacc_program *program = container_of(obj, struct vacc_program,
						    obj);
	/* Room first: who waits for it looks at what is left to be reaped. */
	vacc_quota_uncharge(obj->file->dev, program->resident_bytes);
	vacc_obj_unreserve(obj);
	kfree(program);
}

const struct vacc_kind_ops vacc_program_kind = {
	.release = vacc_program_release,
	.free = vacc_program_free,
};

/* The artifact is read once; what the caller does to it later changes nothing. */
static void *vacc_program_payload(struct vacc_call *call,
				  const struct vacc_program_load *load)
{
	void *payload;

	if (load->payload > ULONG_MAX)
		return ERR_PTR(-EFAULT);
	payload = kvmalloc(load->payload_bytes, GFP_KERNEL_ACCOUNT);
	if (!payload)
		return ERR_PTR(-ENOMEM);
	if (copy_from_user(payload, u64_to_user_ptr(load->payload),
			   load->payload_bytes)) {
		kvfree(payload);
		return ERR_PTR(-EFAULT);
	}
	return payload;
}

static int vacc_program_make_backend(struct vacc_call *call,
				     struct vacc_program *program,
				     const struct vacc_program_load *load,
				     const void *payload)
{
	struct vacc_load backend_load = {
		.format = load->format,
		.payload = payload,
		.payload_bytes = load->payload_bytes,
		.resident_bytes = load->resident_bytes,
		.reason = &call->reason,
	};
	const struct vacc_backend_ops *ops;
	u16 status;

	memcpy(backend_load.target, load->target, sizeof(load->target));
	ops = vacc_device_enter(call->dev);
	if (!ops)
		return vacc_device_error(call->dev);
	status = ops->program_load(call->dev->priv,
				   program->obj.context->obj.backend,
				   &backend_load, &program->obj.backend);
	vacc_device_exit(call->dev);
	return vacc_errno(status);
}

/*
 * While it is being loaded an artifact is charged with its own length, then with what
 * it declares to keep: the backend has checked that by then.
 */
static int vacc_program_charge(struct vacc_call *call,
			       struct vacc_program *program,
			       const struct vacc_program_load *load)
{
	int err;

	vacc_quota_uncharge(call->dev, load->payload_bytes);
	err = vacc_quota_charge(call, load->resident_bytes,
				"the program does not fit max_total_bytes");
	if (err)
		return err;
	program->resident_bytes = load->resident_bytes;
	program->obj.bytes = load->resident_bytes;
	return 0;
}

static int vacc_program_fill(struct vacc_call *call,
			     struct vacc_program *program,
			     const struct vacc_program_load *load)
{
	void *payload;
	int err;

	err = vacc_quota_charge(call, load->payload_bytes,
				"the artifact does not fit max_total_bytes");
	if (err)
		return err;
	payload = vacc_program_payload(call, load);
	err = PTR_ERR_OR_ZERO(payload);
	if (!err) {
		err = vacc_program_make_backend(call, program, load, payload);
		kvfree(payload);
	}
	if (err) {
		vacc_quota_uncharge(call->dev, load->payload_bytes);
		return err;
	}
	return vacc_program_charge(call, program, load);
}

static struct vacc_program *
vacc_program_make(struct vacc_call *call, struct vacc_context *context,
		  const struct vacc_program_load *load)
{
	struct vacc_program *program;
	int err;

	program = kzalloc(sizeof(*program), GFP_KERNEL_ACCOUNT);
	if (!program)
		return ERR_PTR(-ENOMEM);
	program->format = load->format;
	err = vacc_obj_reserve(call, &program->obj, VACC_KIND_PROGRAM, context);
	if (err) {
		kfree(program);
		return ERR_PTR(err);
	}
	err = vacc_program_fill(call, program, load);
	if (!err)
		return program;
	if (program->obj.backend)
		vacc_obj_abandon(&program->obj);
	else
		vacc_program_free(&program->obj);
	return ERR_PTR(err);
}

static int vacc_program_check_limits(struct vacc_call *call,
				     const struct vacc_program_load *load)
{
	if (load->payload_bytes > call->dev->info.max_artifact_bytes)
		return vacc_fail(call, -ENOSPC,
				 "the artifact is larger than max_artifact_bytes");
	if (load->payload_bytes > call->dev->info.effective_artifact_bytes)
		return vacc_fail(call, -ENOSPC,
				 "the artifact does not fit one frame of the transport");
	return 0;
}

/**
 * vacc_program_load() - VACC_PROGRAM_LOAD
 * @call: the call
 * @arg: struct vacc_program_load
 *
 * Context: process.
 * Return: 0; -EOPNOTSUPP for a flag, a format or an operation; -EINVAL for a malformed
 * artifact; -ENOENT; -ENOEXEC for a wrong target, version or charge; -ENOSPC, -EAGAIN at
 * a limit; -EFAULT; -ENOMEM; -EINTR; -ENODEV; or what the backend says.
 */
int vacc_program_load(struct vacc_call *call, void *arg)
{
	struct vacc_program_load *load = arg;
	struct vacc_context *context;
	struct vacc_program *program;
	int err;

	if (load->flags)
		return vacc_fail(call, -EOPNOTSUPP, "unknown flag");
	if (load->reserved)
		return vacc_fail(call, -EINVAL, "a reserved field is not zero");
	if (!load->payload_bytes)
		return vacc_fail(call, -EINVAL, "an artifact cannot be empty");
	context = vacc_context_get(call, load->context);
	if (!context)
		return -ENOENT;
	err = vacc_program_check_limits(call, load);
	if (err)
		goto out;
	program = vacc_program_make(call, context, load);
	if (IS_ERR(program)) {
		err = PTR_ERR(program);
		goto out;
	}
	load->handle = program->obj.handle;
	call->created = &program->obj;
out:
	vacc_context_put(context);
	return err;
}

/**
 * vacc_program_unload() - VACC_PROGRAM_UNLOAD
 * @call: the call
 * @arg: struct vacc_handle_arg
 *
 * Context: process.
 * Return: as vacc_obj_destroy().
 */
int vacc_program_unload(struct vacc_call *call, void *arg)
{
	return vacc_obj_destroy(call, arg, VACC_KIND_PROGRAM);
}

static int vacc_program_query_slots(struct vacc_call *call,
				    struct vacc_program *program,
				    const struct vacc_array *slots, u32 count)
{
	struct vacc_program_slot slot;
	const struct vacc_backend_ops *ops;
	u32 i;
	int err;

	for (i = 0; i < min(count, slots->count); i++) {
		memset(&slot, 0, sizeof(slot));
		ops = vacc_device_enter(call->dev);
		if (!ops)
			return vacc_device_error(call->dev);
		ops->program_slot(call->dev->priv, program->obj.backend, i,
				  &slot);
		vacc_device_exit(call->dev);
		err = vacc_copy_element_out(slots, i, &slot, sizeof(slot));
		if (err)
			return err;
	}
	return 0;
}

static int vacc_program_describe(struct vacc_call *call,
				 struct vacc_program *program,
				 struct vacc_program_query *query)
{
	struct vacc_program_info info = {};
	const struct vacc_backend_ops *ops;
	int err;

	query->context = program->obj.context->obj.handle;
	query->format = program->format;
	query->resident_bytes = program->resident_bytes;
	ops = vacc_device_enter(call->dev);
	if (!ops)
		return vacc_device_error(call->dev);
	query->known = !!ops->program_info;
	if (query->known)
		ops->program_info(call->dev->priv, program->obj.backend, &info);
	vacc_device_exit(call->dev);
	query->command_count = info.command_count;
	query->launch_count = info.launch_count;
	query->max_scratch_bytes = info.max_scratch_bytes;
	err = vacc_program_query_slots(call, program, &query->slots,
				       info.slot_count);
	query->slots.count = info.slot_count;
	return err;
}

/**
 * vacc_program_query() - VACC_PROGRAM_QUERY
 * @call: the call
 * @arg: struct vacc_program_query
 *
 * Context: process.
 * Return: 0; -EOPNOTSUPP for a flag; -EINVAL for a stride of zero; -E2BIG for too
 * large a one; -ENOENT; -EFAULT; -ENODEV.
 */
int vacc_program_query(struct vacc_call *call, void *arg)
{
	struct vacc_program_query *query = arg;
	struct vacc_obj *obj;
	int err;

	if (query->flags)
		return vacc_fail(call, -EOPNOTSUPP, "unknown flag");
	if (query->slots.count && !query->slots.stride)
		return vacc_fail(call, -EINVAL, "an array needs a stride");
	obj = vacc_obj_get(call, query->handle, VACC_KIND_PROGRAM);
	if (!obj)
		return vacc_fail(call, -ENOENT, "no such program in this file");
	err = vacc_program_describe(call, container_of(obj, struct vacc_program,
						       obj), query);
	vacc_obj_put(obj);
	return err;
}
