// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Requests that create and release contexts, buffers, programs and queues.
 */
#include "port_object.h"

#define OK		VIRTIO_ACCEL_S_OK
#define INVALID		VIRTIO_ACCEL_S_INVALID_ARGUMENT

/* Memory for an object and a number for it, which resolves to nothing yet. */
static void *eng_object_begin(struct eng_port *port, enum eng_kind kind,
			      struct port_context *context, size_t bytes,
			      u16 *status)
{
	struct port_object *object = eng_zalloc(bytes);

	*status = VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	if (!object)
		return NULL;
	object->context = context;
	INIT_LIST_HEAD(&object->quarantine);
	*status = eng_ids_reserve(&port->ids[kind], NULL, &object->id);
	if (!*status)
		return object;
	eng_free(object);
	return NULL;
}

/* What began either goes or is seen from now on. */
static u16 eng_object_end(struct eng_port *port, enum eng_kind kind,
			  struct port_object *object,
			  struct eng_request *request, u16 status)
{
	if (status) {
		eng_ids_drop(&port->ids[kind], object->id);
		eng_free(object);
		return status;
	}
	if (object->context)
		object->context->children[kind]++;
	eng_ids_publish(&port->ids[kind], object->id, object);
	return eng_answer_object(request, object->id);
}

/* The charge for an object is given back, and its memory. */
static void eng_object_gone(struct eng_port *port, struct port_object *object)
{
	if (object->node.kind == ENG_KIND_BUFFER) {
		struct port_buffer *buffer =
			container_of(object, struct port_buffer, object);

		port->buffer_memory -= buffer->charge;
		eng_free(buffer->memory);
	} else if (object->node.kind == ENG_KIND_IMAGE) {
		port->program_memory -=
			container_of(object, struct port_image, object)->charge;
	}
	eng_free(object);
}

static bool eng_object_busy(struct eng_port *port, struct port_object *object,
			    enum eng_kind kind)
{
	bool busy;

	if (kind == ENG_KIND_CONTEXT) {
		const u32 *children =
			container_of(object, struct port_context,
				     object)->children;

		return children[ENG_KIND_BUFFER] || children[ENG_KIND_IMAGE] ||
		       children[ENG_KIND_QUEUE];
	}
	eng_mutex_lock(&port->events);
	busy = object->references;
	eng_mutex_unlock(&port->events);
	return busy;
}

static u16 eng_object_release(struct eng_port *port,
			      struct eng_request *request, enum eng_kind kind)
{
	struct port_object *object = port_find(port, kind,
					       request->fixed.object.id);
	struct eng_outcome outcome;

	if (!object)
		return VIRTIO_ACCEL_S_STALE_OBJECT;
	if (eng_object_busy(port, object, kind))
		return VIRTIO_ACCEL_S_BUSY;
	if (eng_port_lost(port))
		return VIRTIO_ACCEL_S_DEVICE_LOST;

	outcome = eng_backend_release(&port->faults, &object->node,
				      object->eng);
	if (outcome.result == ENG_REJECTED)
		return outcome.status;

	eng_ids_drop(&port->ids[kind], object->id);
	if (object->context)
		object->context->children[kind]--;
	if (outcome.result == ENG_DONE) {
		eng_object_gone(port, object);
		return OK;
	}
	eng_mutex_lock(&port->events);
	list_add_tail(&object->quarantine, &port->quarantine);
	eng_mutex_unlock(&port->events);
	eng_port_mark_lost(port);
	return outcome.status;
}

/**
 * eng_check_context() - CREATE_CONTEXT
 * @port: the port
 * @request: the request
 *
 * Context: Any task.
 * Return: OK, UNSUPPORTED or INVALID_ARGUMENT.
 */
u16 eng_check_context(struct eng_port *port, struct eng_request *request)
{
	if (request->fixed.context.flags)
		return VIRTIO_ACCEL_S_UNSUPPORTED;
	return request->fixed.context.reserved ? INVALID : OK;
}

/**
 * eng_run_create_context() - CREATE_CONTEXT
 * @port: the port, whose objects lock is held
 * @request: the request
 *
 * Context: May sleep.
 * Return: a status of the wire.
 */
u16 eng_run_create_context(struct eng_port *port, struct eng_request *request)
{
	struct port_context *context;
	struct eng_context *made;
	u16 status;

	if (eng_port_lost(port))
		return VIRTIO_ACCEL_S_DEVICE_LOST;
	context = eng_object_begin(port, ENG_KIND_CONTEXT, NULL,
				   sizeof(*context), &status);
	if (!context)
		return status;
	status = eng_backend_context(&port->faults, &context->object.node,
				     port->device, &made);
	if (!status)
		context->object.eng = made;
	return eng_object_end(port, ENG_KIND_CONTEXT, &context->object, request,
			      status);
}

/**
 * eng_run_destroy_context() - DESTROY_CONTEXT
 * @port: the port, whose objects lock is held
 * @request: the request
 *
 * Context: May sleep.
 * Return: a status of the wire.
 */
u16 eng_run_destroy_context(struct eng_port *port, struct eng_request *request)
{
	return eng_object_release(port, request, ENG_KIND_CONTEXT);
}

/**
 * eng_check_buffer() - ALLOCATE_BUFFER
 * @port: the port
 * @request: the request
 *
 * Context: Any task.
 * Return: OK, UNSUPPORTED or INVALID_ARGUMENT.
 */
u16 eng_check_buffer(struct eng_port *port, struct eng_request *request)
{
	static const u8 zero[sizeof(request->fixed.buffer.reserved0)];
	const struct virtio_accel_allocate_buffer *b = &request->fixed.buffer;
	u32 usage = le32_to_cpu(b->usage);

	if (memcmp(b->reserved0, zero, sizeof(zero)) || b->reserved1)
		return INVALID;
	if (usage & ~VIRTIO_ACCEL_USAGE_MASK)
		return VIRTIO_ACCEL_S_UNSUPPORTED;
	if (!b->context || !b->bytes || !usage ||
	    !is_power_of_2(le64_to_cpu(b->alignment)) ||
	    b->domain < VIRTIO_ACCEL_DOMAIN_HOST ||
	    b->domain > VIRTIO_ACCEL_DOMAIN_SHARED)
		return INVALID;
	return OK;
}

/* Bytes of memory that surely has as many that are aligned; 0 for too many. */
static u64 eng_buffer_charge(u64 bytes, u64 alignment)
{
	u64 charge;

	if (alignment <= sizeof(u64))
		return bytes;
	return check_add_overflow(bytes, alignment, &charge) ? 0 : charge;
}

static bool eng_domain_offered(const struct eng_port *port, u8 domain)
{
	static const u64 capability[] = {
		[VIRTIO_ACCEL_DOMAIN_HOST] = VIRTIO_ACCEL_CAP_HOST_MEMORY,
		[VIRTIO_ACCEL_DOMAIN_DEVICE] = VIRTIO_ACCEL_CAP_DEVICE_MEMORY,
		[VIRTIO_ACCEL_DOMAIN_SHARED] = VIRTIO_ACCEL_CAP_SHARED_MEMORY,
	};

	return port->config.capabilities & capability[domain];
}

/* Quotas, objects and preconditions of a new buffer. */
static u16 eng_buffer_admit(struct eng_port *port,
			    const struct virtio_accel_allocate_buffer *b,
			    u64 charge, struct port_context **context)
{
	u64 left = port->config.max_buffer_memory - port->buffer_memory;

	if (le64_to_cpu(b->bytes) > port->config.limits.max_buffer_bytes ||
	    le64_to_cpu(b->alignment) > ENG_MAX_ALIGNMENT ||
	    !charge || charge > left || charge > SIZE_MAX)
		return VIRTIO_ACCEL_S_RESOURCE_LIMIT;
	*context = port_find_context(port, b->context);
	if (!*context)
		return VIRTIO_ACCEL_S_STALE_OBJECT;
	if ((*context)->children[ENG_KIND_BUFFER] >=
	    port->config.limits.max_buffers)
		return VIRTIO_ACCEL_S_RESOURCE_LIMIT;
	if (!eng_domain_offered(port, b->domain))
		return VIRTIO_ACCEL_S_UNSUPPORTED;
	return eng_port_lost(port) ? VIRTIO_ACCEL_S_DEVICE_LOST : OK;
}

static u16 eng_buffer_make(struct eng_port *port, struct port_buffer *buffer,
			   const struct virtio_accel_allocate_buffer *b)
{
	struct port_object *context = &buffer->object.context->object;
	struct eng_buffer_desc desc = {
		.bytes = le64_to_cpu(b->bytes),
		.alignment = le64_to_cpu(b->alignment),
		.domain = b->domain,
		.usage = le32_to_cpu(b->usage),
	};
	struct eng_buffer *made;
	u16 status;

	buffer->bytes = desc.bytes;
	buffer->usage = desc.usage;
	buffer->memory = eng_zalloc(buffer->charge);
	if (!buffer->memory)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	desc.memory = (void *)(((uintptr_t)buffer->memory + desc.alignment - 1) &
			       ~(uintptr_t)(desc.alignment - 1));

	status = eng_backend_buffer(&port->faults, &buffer->object.node,
				    &context->node, context->eng, &desc, &made);
	if (status) {
		eng_free(buffer->memory);
		return status;
	}
	buffer->object.eng = made;
	return OK;
}

/**
 * eng_run_allocate_buffer() - ALLOCATE_BUFFER
 * @port: the port, whose objects lock is held
 * @request: the request
 *
 * Context: May sleep.
 * Return: a status of the wire.
 */
u16 eng_run_allocate_buffer(struct eng_port *port, struct eng_request *request)
{
	const struct virtio_accel_allocate_buffer *b = &request->fixed.buffer;
	u64 charge = eng_buffer_charge(le64_to_cpu(b->bytes),
				       le64_to_cpu(b->alignment));
	struct port_context *context;
	struct port_buffer *buffer;
	u16 status = eng_buffer_admit(port, b, charge, &context);

	if (status)
		return status;
	buffer = eng_object_begin(port, ENG_KIND_BUFFER, context,
				  sizeof(*buffer), &status);
	if (!buffer)
		return status;

	buffer->charge = charge;
	port->buffer_memory += charge;
	status = eng_buffer_make(port, buffer, b);
	if (status)
		port->buffer_memory -= charge;
	return eng_object_end(port, ENG_KIND_BUFFER, &buffer->object, request,
			      status);
}

/**
 * eng_run_free_buffer() - FREE_BUFFER
 * @port: the port, whose objects lock is held
 * @request: the request
 *
 * Context: May sleep.
 * Return: a status of the wire.
 */
u16 eng_run_free_buffer(struct eng_port *port, struct eng_request *request)
{
	return eng_object_release(port, request, ENG_KIND_BUFFER);
}

/**
 * eng_check_load() - LOAD_PROGRAM
 * @port: the port
 * @request: the request
 *
 * Context: Any task.
 * Return: OK, UNSUPPORTED or INVALID_ARGUMENT.
 */
u16 eng_check_load(struct eng_port *port, struct eng_request *request)
{
	const struct virtio_accel_load_program *l = &request->fixed.load;

	if (le64_to_cpu(l->payload_bytes) != request->tail_bytes)
		return INVALID;
	if (l->flags)
		return VIRTIO_ACCEL_S_UNSUPPORTED;
	return l->context && l->payload_bytes ? OK : INVALID;
}

/* The artifact is copied: a driver may change its memory while we look. */
static u16 eng_image_make(struct eng_port *port, struct port_image *image,
			  struct eng_request *request)
{
	const struct virtio_accel_load_program *l = &request->fixed.load;
	struct port_object *context = &image->object.context->object;
	struct eng_load load = {
		.format = le32_to_cpu(l->format),
		.payload_bytes = request->tail_bytes,
		.resident_bytes = le64_to_cpu(l->resident_bytes),
	};
	void *payload = eng_alloc(request->tail_bytes);
	struct eng_image *made;
	u16 status;
	u32 i;

	if (!payload)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	eng_cursor_get(&request->tail, payload, request->tail_bytes);
	load.payload = payload;
	for (i = 0; i < ARRAY_SIZE(load.target); i++)
		load.target[i] = le32_to_cpu(l->target[i]);

	status = eng_backend_image(&port->faults, &image->object.node,
				   &context->node, context->eng, &load, &made);
	if (!status)
		image->object.eng = made;
	eng_free(payload);
	return status;
}

/**
 * eng_run_load_program() - LOAD_PROGRAM
 * @port: the port, whose objects lock is held
 * @request: the request
 *
 * Context: May sleep.
 * Return: a status of the wire.
 */
u16 eng_run_load_program(struct eng_port *port, struct eng_request *request)
{
	const struct eng_limits *limits = &port->config.limits;
	u64 charge = le64_to_cpu(request->fixed.load.resident_bytes);
	struct port_context *context;
	struct port_image *image;
	u16 status;

	if (request->tail_bytes > limits->max_artifact_bytes ||
	    charge > port->config.max_program_memory - port->program_memory)
		return VIRTIO_ACCEL_S_RESOURCE_LIMIT;
	context = port_find_context(port, request->fixed.load.context);
	if (!context)
		return VIRTIO_ACCEL_S_STALE_OBJECT;
	if (context->children[ENG_KIND_IMAGE] >= limits->max_images)
		return VIRTIO_ACCEL_S_RESOURCE_LIMIT;
	if (eng_port_lost(port))
		return VIRTIO_ACCEL_S_DEVICE_LOST;
	image = eng_object_begin(port, ENG_KIND_IMAGE, context, sizeof(*image),
				 &status);
	if (!image)
		return status;

	image->charge = charge;
	port->program_memory += charge;
	status = eng_image_make(port, image, request);
	if (status)
		port->program_memory -= charge;
	return eng_object_end(port, ENG_KIND_IMAGE, &image->object, request,
			      status);
}

/**
 * eng_run_unload_program() - UNLOAD_PROGRAM
 * @port: the port, whose objects lock is held
 * @request: the request
 *
 * Context: May sleep.
 * Return: a status of the wire.
 */
u16 eng_run_unload_program(struct eng_port *port, struct eng_request *request)
{
	return eng_object_release(port, request, ENG_KIND_IMAGE);
}

/**
 * eng_check_queue() - CREATE_QUEUE
 * @port: the port
 * @request: the request
 *
 * Context: Any task.
 * Return: OK, UNSUPPORTED or INVALID_ARGUMENT.
 */
u16 eng_check_queue(struct eng_port *port, struct eng_request *request)
{
	if (request->fixed.queue.flags)
		return VIRTIO_ACCEL_S_UNSUPPORTED;
	if (request->fixed.queue.reserved || !request->fixed.queue.context)
		return INVALID;
	return OK;
}

/**
 * eng_run_create_queue() - CREATE_QUEUE
 * @port: the port, whose objects lock is held
 * @request: the request
 *
 * Context: May sleep.
 * Return: a status of the wire.
 */
u16 eng_run_create_queue(struct eng_port *port, struct eng_request *request)
{
	struct port_context *context;
	struct port_queue *queue;
	struct eng_queue *made;
	u16 status;

	context = port_find_context(port, request->fixed.queue.context);
	if (!context)
		return VIRTIO_ACCEL_S_STALE_OBJECT;
	if (context->children[ENG_KIND_QUEUE] >= port->config.limits.max_queues)
		return VIRTIO_ACCEL_S_RESOURCE_LIMIT;
	if (eng_port_lost(port))
		return VIRTIO_ACCEL_S_DEVICE_LOST;
	queue = eng_object_begin(port, ENG_KIND_QUEUE, context, sizeof(*queue),
				 &status);
	if (!queue)
		return status;
	status = eng_backend_queue(&port->faults, &queue->object.node,
				   &context->object.node, context->object.eng,
				   &made);
	if (!status)
		queue->object.eng = made;
	return eng_object_end(port, ENG_KIND_QUEUE, &queue->object, request,
			      status);
}

/**
 * eng_run_destroy_queue() - DESTROY_QUEUE
 * @port: the port, whose objects lock is held
 * @request: the request
 *
 * Context: May sleep.
 * Return: a status of the wire.
 */
u16 eng_run_destroy_queue(struct eng_port *port, struct eng_request *request)
{
	return eng_object_release(port, request, ENG_KIND_QUEUE);
}
