// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Requests: from a chain to its answer.
 *
 * The order of checks is the protocol's.  What comes before a request's run
 * function changes nothing; a run function looks at quotas, objects and
 * preconditions, and only then calls the backend.
 */
#include "port_object.h"

/**
 * struct eng_command - what a request consists of and who handles it
 * @opcode: VIRTIO_ACCEL_OP_*
 * @lane: who may handle it, and which lock is held
 * @tail: something of variable length follows the fixed part
 * @fixed_bytes: length of the fixed part
 * @answer_bytes: length of the largest success answer's payload, without data
 * @check: lengths, counts, reserved fields and scalars
 * @run: the rest
 */
struct eng_command {
	u16 opcode;
	u8 lane;
	bool tail;
	u8 fixed_bytes;
	u8 answer_bytes;
	u16 (*check)(struct eng_port *port, struct eng_request *request);
	u16 (*run)(struct eng_port *port, struct eng_request *request);
};

#define OBJECT_BYTES	sizeof(struct virtio_accel_object)

static const struct eng_command commands[] = {
	{ VIRTIO_ACCEL_OP_GET_DEVICE_INFO, ENG_LANE_OBJECT, false,
	  0, sizeof(struct virtio_accel_device_info),
	  eng_check_info, eng_run_info },
	{ VIRTIO_ACCEL_OP_CREATE_CONTEXT, ENG_LANE_OBJECT, false,
	  sizeof(struct virtio_accel_create_context), OBJECT_BYTES,
	  eng_check_context, eng_run_create_context },
	{ VIRTIO_ACCEL_OP_DESTROY_CONTEXT, ENG_LANE_OBJECT, false,
	  OBJECT_BYTES, 0, eng_check_object, eng_run_destroy_context },
	{ VIRTIO_ACCEL_OP_ALLOCATE_BUFFER, ENG_LANE_OBJECT, false,
	  sizeof(struct virtio_accel_allocate_buffer), OBJECT_BYTES,
	  eng_check_buffer, eng_run_allocate_buffer },
	{ VIRTIO_ACCEL_OP_FREE_BUFFER, ENG_LANE_OBJECT, false,
	  OBJECT_BYTES, 0, eng_check_object, eng_run_free_buffer },
	{ VIRTIO_ACCEL_OP_WRITE_BUFFER, ENG_LANE_OBJECT, true,
	  sizeof(struct virtio_accel_transfer), 0,
	  eng_check_write, eng_run_write_buffer },
	{ VIRTIO_ACCEL_OP_READ_BUFFER, ENG_LANE_OBJECT, false,
	  sizeof(struct virtio_accel_transfer), 0,
	  eng_check_read, eng_run_read_buffer },
	{ VIRTIO_ACCEL_OP_LOAD_PROGRAM, ENG_LANE_OBJECT, true,
	  sizeof(struct virtio_accel_load_program), OBJECT_BYTES,
	  eng_check_load, eng_run_load_program },
	{ VIRTIO_ACCEL_OP_UNLOAD_PROGRAM, ENG_LANE_OBJECT, false,
	  OBJECT_BYTES, 0, eng_check_object, eng_run_unload_program },
	{ VIRTIO_ACCEL_OP_CREATE_QUEUE, ENG_LANE_OBJECT, false,
	  sizeof(struct virtio_accel_create_queue), OBJECT_BYTES,
	  eng_check_queue, eng_run_create_queue },
	{ VIRTIO_ACCEL_OP_DESTROY_QUEUE, ENG_LANE_OBJECT, false,
	  OBJECT_BYTES, 0, eng_check_object, eng_run_destroy_queue },
	{ VIRTIO_ACCEL_OP_SUBMIT, ENG_LANE_OBJECT, true,
	  sizeof(struct virtio_accel_submit), OBJECT_BYTES,
	  eng_check_submit, eng_run_submit },
	{ VIRTIO_ACCEL_OP_POLL_EVENT, ENG_LANE_EVENT, false,
	  OBJECT_BYTES, sizeof(struct virtio_accel_event_state),
	  eng_check_object, eng_run_poll },
	{ VIRTIO_ACCEL_OP_CANCEL_EVENT, ENG_LANE_EVENT, false,
	  OBJECT_BYTES, 0, eng_check_object, eng_run_cancel },
	{ VIRTIO_ACCEL_OP_DESTROY_EVENT, ENG_LANE_EVENT, false,
	  OBJECT_BYTES, 0, eng_check_object, eng_run_destroy_event },
};

static const struct eng_command *eng_command_find(u16 opcode)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (commands[i].opcode == opcode)
			return &commands[i];
	}
	return NULL;
}

/**
 * eng_port_open() - look at the header of a request
 * @port: the port
 * @chain: a chain that was not opened before
 *
 * The header is copied out here, and not read again.
 *
 * Context: Any task.
 * Return: who may handle it.
 */
enum eng_lane eng_port_open(struct eng_port *port, struct eng_chain *chain)
{
	const struct eng_command *command;

	if (!eng_chain_open(chain, port->config.max_chain))
		return ENG_LANE_EVENT;
	command = eng_command_find(chain->opcode);
	return command ? command->lane : ENG_LANE_EVENT;
}

static u16 eng_check_header(const struct eng_port *port,
			    const struct eng_chain *chain,
			    const struct eng_command *command)
{
	if (chain->readable_bytes > port->config.max_request)
		return VIRTIO_ACCEL_S_RESOURCE_LIMIT;
	if (chain->readable_bytes - ENG_REQUEST_BYTES != chain->payload_bytes)
		return VIRTIO_ACCEL_S_INVALID_ARGUMENT;
	if (!command || chain->flags)
		return VIRTIO_ACCEL_S_UNSUPPORTED;
	return VIRTIO_ACCEL_S_OK;
}

static u16 eng_check_payload(struct eng_port *port, struct eng_request *request,
			     const struct eng_command *command)
{
	struct eng_chain *chain = request->chain;

	if (chain->payload_bytes < command->fixed_bytes ||
	    (chain->payload_bytes > command->fixed_bytes && !command->tail) ||
	    !chain->request_id)
		return VIRTIO_ACCEL_S_INVALID_ARGUMENT;

	request->tail = eng_chain_request(chain);
	eng_cursor_skip(&request->tail, ENG_REQUEST_BYTES);
	eng_cursor_get(&request->tail, &request->fixed, command->fixed_bytes);
	request->tail_bytes = chain->payload_bytes - command->fixed_bytes;
	return command->check(port, request);
}

static u16 eng_command_run(struct eng_port *port, struct eng_request *request,
			   const struct eng_command *command)
{
	struct eng_mutex *lock = command->lane == ENG_LANE_EVENT ?
				 &port->events : &port->objects;
	u16 status;

	eng_mutex_lock(lock);
	status = command->run(port, request);
	eng_mutex_unlock(lock);
	return status;
}

/**
 * eng_port_handle() - handle a request
 * @port: the port
 * @chain: the request, and the room for the response
 *
 * Context: May sleep.  For requests of ENG_LANE_EVENT does not allocate.  One caller
 * a lane; may call the owner.
 * Return: bytes of the response; 0 where nothing was written, as the chain has no
 * shape, or no room, that can be answered.
 */
u32 eng_port_handle(struct eng_port *port, struct eng_chain *chain)
{
	struct eng_request request = { .chain = chain };
	const struct eng_command *command;
	u64 answer_bytes;
	u16 status;
	u32 used;

	if (!eng_chain_open(chain, port->config.max_chain))
		return 0;

	command = eng_command_find(chain->opcode);
	status = eng_check_header(port, chain, command);
	if (!status)
		status = eng_check_payload(port, &request, command);
	if (!status) {
		answer_bytes = command->answer_bytes;
		if (command->opcode == VIRTIO_ACCEL_OP_READ_BUFFER)
			answer_bytes = le64_to_cpu(request.fixed.transfer.bytes);
		if (chain->writable_bytes - ENG_RESPONSE_BYTES < answer_bytes) {
			eng_free(request.bindings);
			return 0;
		}
		status = eng_command_run(port, &request, command);
	}
	eng_free(request.bindings);

	used = eng_chain_answer(chain, status, &request.answer,
				request.answer_bytes, request.data_bytes);
	eng_port_tell(port);
	return used;
}

/**
 * eng_check_info() - GET_DEVICE_INFO
 * @port: the port
 * @request: the request
 *
 * Context: Any task.
 * Return: OK.
 */
u16 eng_check_info(struct eng_port *port, struct eng_request *request)
{
	return VIRTIO_ACCEL_S_OK;
}

/**
 * eng_run_info() - GET_DEVICE_INFO
 * @port: the port
 * @request: the request
 *
 * Context: Any task.
 * Return: OK.
 */
u16 eng_run_info(struct eng_port *port, struct eng_request *request)
{
	const struct eng_port_config *c = &port->config;
	struct virtio_accel_device_info *info = &request->answer.info;

	memset(info, 0, sizeof(*info));
	memcpy(info->uuid, c->uuid, sizeof(info->uuid));
	info->device_class = cpu_to_le16(c->device_class);
	info->vendor = cpu_to_le32(c->vendor);
	info->device = cpu_to_le32(c->device);
	info->capabilities = cpu_to_le64(c->capabilities);
	info->max_contexts = cpu_to_le32(c->limits.max_contexts);
	info->max_buffers_per_context = cpu_to_le32(c->limits.max_buffers);
	info->max_programs_per_context = cpu_to_le32(c->limits.max_images);
	info->max_queues_per_context = cpu_to_le32(c->limits.max_queues);
	info->max_events_per_context = cpu_to_le32(c->limits.max_events);
	info->max_bindings_per_submission = cpu_to_le32(c->limits.max_bindings);
	info->max_buffer_bytes = cpu_to_le64(c->limits.max_buffer_bytes);
	info->max_artifact_bytes = cpu_to_le64(c->limits.max_artifact_bytes);
	request->answer_bytes = sizeof(*info);
	return VIRTIO_ACCEL_S_OK;
}

/**
 * eng_check_object() - a request whose payload is an object
 * @port: the port
 * @request: the request
 *
 * Context: Any task.
 * Return: OK, or INVALID_ARGUMENT.
 */
u16 eng_check_object(struct eng_port *port, struct eng_request *request)
{
	return request->fixed.object.id ? VIRTIO_ACCEL_S_OK :
					  VIRTIO_ACCEL_S_INVALID_ARGUMENT;
}
