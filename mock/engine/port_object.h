/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a port's own files know of it.
 *
 * Locks, in order: objects, events, one of the spinlocks.  The objects lock is
 * held while memory is allocated, the events lock never is.
 */
#ifndef _ENG_PORT_OBJECT_H
#define _ENG_PORT_OBJECT_H

#include "backend.h"
#include "port.h"

/* State of a port: who makes the step from the second to the third tells. */
enum eng_port_state {
	ENG_PORT_GOOD,
	ENG_PORT_LOST,
	ENG_PORT_TOLD,
};

struct eng_port {
	struct eng_port_config config;
	struct eng_faults faults;
	struct eng_atomic state;		/* gate: enum eng_port_state */

	struct eng_mutex objects;		/* ids but events', charges */
	struct eng_device *device;		/* objects; NULL without memory */
	struct eng_ids ids[ENG_KIND_COUNT];
	u64 buffer_memory;			/* objects */
	u64 program_memory;			/* objects */
	u32 epoch;				/* objects */
	struct eng_limits most;			/* never changes */
	struct eng_limits next;			/* objects: after a reset */

	struct eng_mutex events;		/* event ids, all references */
	struct list_head quarantine;		/* events */

	struct eng_mutex holding;		/* hold mode begins or ends */
	bool held;				/* holding: also without an engine */

	struct eng_spin gate;
	struct eng_wait gate_idle;		/* gate: nobody uses the engine */
	struct eng_device *engine;		/* gate: for others */
	u32 engine_users;			/* gate */

	struct eng_spin ends;
	struct eng_wait ended;			/* ends: an event has */
};

/*
 * What all objects begin with.  The numbers of children are the objects lock's,
 * that of references the events lock's.
 */
struct port_object {
	struct eng_node node;
	struct list_head quarantine;
	u64 id;
	void *eng;				/* the engine's object */
	struct port_context *context;		/* but of a context */
	u32 references;				/* of events that were not destroyed */
};

struct port_context {
	struct port_object object;
	u32 children[ENG_KIND_COUNT];		/* events: the events lock */
};

struct port_buffer {
	struct port_object object;
	void *memory;				/* for eng_free() */
	u64 charge;
	u64 bytes;
	u32 usage;
};

struct port_image {
	struct port_object object;
	u64 charge;
};

struct port_queue {
	struct port_object object;
};

struct port_event {
	struct port_object object;
	struct eng_port *port;
	struct port_object *queue;
	struct port_object *image;
	struct eng_atomic state;		/* VIRTIO_ACCEL_EVENT_* */
	u16 status;				/* once the state is terminal */
	bool reported;				/* events: what, cannot change */
	bool forced;				/* events: a script has decided */
	u16 forced_state;
	u16 forced_status;
	u32 buffer_count;
	struct port_object *buffers[];		/* the engine's event follows */
};

/* A request while it is handled. */
struct eng_request {
	struct eng_chain *chain;
	struct eng_cursor tail;			/* what follows the fixed part */
	u64 tail_bytes;
	union {
		struct virtio_accel_create_context context;
		struct virtio_accel_allocate_buffer buffer;
		struct virtio_accel_transfer transfer;
		struct virtio_accel_load_program load;
		struct virtio_accel_create_queue queue;
		struct virtio_accel_submit submit;
		struct virtio_accel_object object;
	} fixed;
	struct virtio_accel_binding *bindings;
	union {
		struct virtio_accel_object object;
		struct virtio_accel_device_info info;
		struct virtio_accel_event_state state;
	} answer;
	u32 answer_bytes;
	u32 data_bytes;				/* written already */
};

static inline struct port_context *port_find_context(struct eng_port *port,
						     __le64 id)
{
	return eng_ids_find(&port->ids[ENG_KIND_CONTEXT], le64_to_cpu(id));
}

static inline struct port_object *port_find(struct eng_port *port,
					    enum eng_kind kind, __le64 id)
{
	return eng_ids_find(&port->ids[kind], le64_to_cpu(id));
}

static inline bool eng_port_lost(struct eng_port *port)
{
	return eng_atomic_get(&port->state) != ENG_PORT_GOOD;
}

static inline u16 eng_answer_object(struct eng_request *request, u64 id)
{
	request->answer.object.id = cpu_to_le64(id);
	request->answer_bytes = sizeof(request->answer.object);
	return VIRTIO_ACCEL_S_OK;
}

void eng_port_mark_lost(struct eng_port *port);
void eng_port_tell(struct eng_port *port);
void eng_port_event_done(void *owner, u32 state, u16 status);

u16 eng_check_info(struct eng_port *port, struct eng_request *request);
u16 eng_check_context(struct eng_port *port, struct eng_request *request);
u16 eng_check_buffer(struct eng_port *port, struct eng_request *request);
u16 eng_check_write(struct eng_port *port, struct eng_request *request);
u16 eng_check_read(struct eng_port *port, struct eng_request *request);
u16 eng_check_load(struct eng_port *port, struct eng_request *request);
u16 eng_check_queue(struct eng_port *port, struct eng_request *request);
u16 eng_check_submit(struct eng_port *port, struct eng_request *request);
u16 eng_check_object(struct eng_port *port, struct eng_request *request);

u16 eng_run_info(struct eng_port *port, struct eng_request *request);
u16 eng_run_create_context(struct eng_port *port, struct eng_request *request);
u16 eng_run_allocate_buffer(struct eng_port *port, struct eng_request *request);
u16 eng_run_write_buffer(struct eng_port *port, struct eng_request *request);
u16 eng_run_read_buffer(struct eng_port *port, struct eng_request *request);
u16 eng_run_load_program(struct eng_port *port, struct eng_request *request);
u16 eng_run_create_queue(struct eng_port *port, struct eng_request *request);
u16 eng_run_submit(struct eng_port *port, struct eng_request *request);
u16 eng_run_poll(struct eng_port *port, struct eng_request *request);
u16 eng_run_cancel(struct eng_port *port, struct eng_request *request);
u16 eng_run_destroy_event(struct eng_port *port, struct eng_request *request);
u16 eng_run_destroy_context(struct eng_port *port, struct eng_request *request);
u16 eng_run_free_buffer(struct eng_port *port, struct eng_request *request);
u16 eng_run_unload_program(struct eng_port *port, struct eng_request *request);
u16 eng_run_destroy_queue(struct eng_port *port, struct eng_request *request);

#endif /* _ENG_PORT_OBJECT_H */
