// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Ports: their beginning, their end, and resets between.
 */
#include "port_object.h"

static const struct eng_device_ops port_engine_ops = {
	.done = eng_port_event_done,
};

/* The engine is made, and shown to others. */
static u16 eng_port_start(struct eng_port *port)
{
	struct eng_device_config config = {
		.name = port->config.name,
		.ops = &port_engine_ops,
		.limits = port->config.limits,
		.workers = port->config.workers,
	};
	u16 status;

	/* What is wanted now is still wanted when others see the engine. */
	eng_mutex_lock(&port->holding);
	config.hold = port->held;
	status = eng_device_create(&config, &port->device);
	if (!status) {
		eng_spin_lock(&port->gate);
		port->engine = port->device;
		eng_atomic_set(&port->state, ENG_PORT_GOOD);
		eng_spin_unlock(&port->gate);
	}
	eng_mutex_unlock(&port->holding);
	return status;
}

static void eng_object_free(struct port_object *object)
{
	if (object->node.kind == ENG_KIND_BUFFER)
		eng_free(container_of(object, struct port_buffer,
				      object)->memory);
	eng_free(object);
}

/* Ends all objects of a kind, quarantined ones too; no chain is being handled. */
static void eng_port_discard(struct eng_port *port, enum eng_kind kind)
{
	struct list_head *quarantine = &port->quarantine;
	struct list_head *node = quarantine->next;
	struct port_object *object;
	u32 slot = 0;

	while ((object = eng_ids_next(&port->ids[kind], &slot))) {
		eng_ids_drop(&port->ids[kind], object->id);
		eng_backend_discard(&port->faults, &object->node, object->eng);
		eng_object_free(object);
		eng_resched();
	}
	while (node != quarantine) {
		object = container_of(node, struct port_object, quarantine);
		node = node->next;
		if (object->node.kind != kind)
			continue;
		list_del_init(&object->quarantine);
		eng_backend_discard(&port->faults, &object->node, object->eng);
		eng_object_free(object);
	}
}

/* Ends the engine with all objects; the objects lock is held. */
static void eng_port_stop(struct eng_port *port)
{
	struct eng_device *device = port->device;

	eng_spin_lock(&port->gate);
	port->engine = NULL;
	eng_spin_unlock(&port->gate);
	if (!device)
		return;

	eng_device_stop(device);
	eng_spin_lock(&port->gate);
	eng_wait_for(&port->gate_idle, &port->gate, !port->engine_users);
	eng_spin_unlock(&port->gate);

	eng_mutex_lock(&port->events);
	eng_port_discard(port, ENG_KIND_EVENT);
	eng_mutex_unlock(&port->events);
	/* The end of a queue waits for its worker, which fences may wait for. */
	eng_port_discard(port, ENG_KIND_QUEUE);
	eng_port_discard(port, ENG_KIND_IMAGE);
	eng_port_discard(port, ENG_KIND_BUFFER);
	eng_port_discard(port, ENG_KIND_CONTEXT);

	eng_device_free(device);
	port->device = NULL;
}

static void eng_port_destroy(struct eng_port *port)
{
	u32 kind;

	for (kind = 0; kind < ENG_KIND_COUNT; kind++)
		eng_ids_fini(&port->ids[kind]);
	eng_wait_fini(&port->ended);
	eng_spin_fini(&port->ends);
	eng_wait_fini(&port->gate_idle);
	eng_spin_fini(&port->gate);
	eng_mutex_fini(&port->holding);
	eng_mutex_fini(&port->events);
	eng_mutex_fini(&port->objects);
	eng_faults_fini(&port->faults);
	eng_free(port);
}

static bool eng_port_config_good(const struct eng_port_config *config)
{
	const u64 memory = VIRTIO_ACCEL_CAP_HOST_MEMORY |
			   VIRTIO_ACCEL_CAP_DEVICE_MEMORY |
			   VIRTIO_ACCEL_CAP_SHARED_MEMORY;
	const u64 reserved = VIRTIO_ACCEL_CAP_EXTERNAL_MEMORY |
			     VIRTIO_ACCEL_CAP_SECURE_CONTEXTS;
	const struct eng_limits *limits = &config->limits;

	return config->max_chain >= VIRTIO_ACCEL_MIN_CHAIN &&
	       config->max_chain <= VIRTIO_ACCEL_MAX_CHAIN &&
	       config->max_request >= VIRTIO_ACCEL_MIN_REQUEST &&
	       config->max_request <= VIRTIO_ACCEL_MAX_FRAME &&
	       config->max_response >= VIRTIO_ACCEL_MIN_RESPONSE &&
	       config->max_response <= VIRTIO_ACCEL_MAX_FRAME &&
	       (config->capabilities & memory) &&
	       !(config->capabilities & reserved) &&
	       config->device_class <= VIRTIO_ACCEL_CLASS_DSP &&
	       limits->max_contexts && limits->max_buffers &&
	       limits->max_images && limits->max_queues &&
	       limits->max_events && limits->max_bindings &&
	       limits->max_bindings <= VIRTIO_ACCEL_MAX_BINDINGS &&
	       limits->max_buffer_bytes && limits->max_artifact_bytes;
}

static u16 eng_port_ids(struct eng_port *port)
{
	const struct eng_limits *limits = &port->config.limits;
	const u32 each[ENG_KIND_COUNT] = {
		[ENG_KIND_CONTEXT] = 1,
		[ENG_KIND_BUFFER] = limits->max_buffers,
		[ENG_KIND_IMAGE] = limits->max_images,
		[ENG_KIND_QUEUE] = limits->max_queues,
		[ENG_KIND_EVENT] = limits->max_events,
	};
	u16 status = VIRTIO_ACCEL_S_OK;
	u32 kind;

	for (kind = ENG_KIND_CONTEXT; kind < ENG_KIND_COUNT && !status; kind++)
		status = eng_ids_init(&port->ids[kind], kind,
				      (u64)each[kind] * limits->max_contexts,
				      port->config.id_generations);
	return status;
}

/**
 * eng_port_create() - make a port with a device behind it
 * @config: how it shall be; need not stay, but for what it points to
 * @port: it
 *
 * Context: May sleep.
 * Return: OK, INVALID_ARGUMENT where the protocol does not allow such a device, or
 * OUT_OF_MEMORY.
 */
u16 eng_port_create(const struct eng_port_config *config,
		    struct eng_port **port)
{
	struct eng_port *p;
	u16 status;

	if (!eng_port_config_good(config))
		return VIRTIO_ACCEL_S_INVALID_ARGUMENT;
	p = eng_zalloc(sizeof(*p));
	if (!p)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;

	p->config = *config;
	p->most = config->limits;
	p->next = config->limits;
	p->held = config->hold;
	p->epoch = 1;
	eng_faults_init(&p->faults);
	eng_mutex_init(&p->objects);
	eng_mutex_init(&p->events);
	eng_mutex_init(&p->holding);
	eng_spin_init(&p->gate);
	eng_wait_init(&p->gate_idle);
	eng_spin_init(&p->ends);
	eng_wait_init(&p->ended);
	INIT_LIST_HEAD(&p->quarantine);

	status = eng_port_ids(p);
	if (!status)
		status = eng_port_start(p);
	if (status) {
		eng_port_destroy(p);
		return status;
	}
	*port = p;
	return VIRTIO_ACCEL_S_OK;
}

/**
 * eng_port_free() - end a port, its device and all objects
 * @port: a port that nobody uses any more
 *
 * Context: May sleep.  Waits for work that is executing, at most for a step.
 */
void eng_port_free(struct eng_port *port)
{
	eng_mutex_lock(&port->objects);
	eng_port_stop(port);
	eng_mutex_unlock(&port->objects);
	eng_port_destroy(port);
}

/**
 * eng_port_reset() - end all objects and begin anew
 * @port: a port to which no chain is given meanwhile
 *
 * The engine with all that it may still have is given up, and another one takes
 * its place.  Every number that was given is stale then.  Hold mode, the script of
 * faults and the audit stay.  If there is no memory for an engine, the port is lost
 * until the next reset.
 *
 * Context: May sleep.  Waits for work that is executing, at most for a step.
 */
void eng_port_reset(struct eng_port *port)
{
	u32 kind;

	eng_mutex_lock(&port->objects);
	eng_port_stop(port);
	eng_atomic_set(&port->state, ENG_PORT_TOLD);
	port->buffer_memory = 0;
	port->program_memory = 0;
	port->config.limits = port->next;

	/* An epoch that came before would wake dead numbers. */
	if (port->epoch < ENG_ID_MAX_EPOCH) {
		port->epoch++;
		eng_mutex_lock(&port->events);
		for (kind = ENG_KIND_CONTEXT; kind < ENG_KIND_COUNT; kind++)
			eng_ids_restart(&port->ids[kind], port->epoch);
		eng_mutex_unlock(&port->events);
		eng_port_start(port);
	}
	eng_mutex_unlock(&port->objects);
}

static bool eng_port_limits_fit(const struct eng_limits *limits,
				const struct eng_limits *most)
{
	return limits->max_contexts <= most->max_contexts &&
	       limits->max_buffers <= most->max_buffers &&
	       limits->max_images <= most->max_images &&
	       limits->max_queues <= most->max_queues &&
	       limits->max_events <= most->max_events &&
	       limits->max_bindings <= most->max_bindings &&
	       limits->max_buffer_bytes <= most->max_buffer_bytes &&
	       limits->max_artifact_bytes <= most->max_artifact_bytes;
}

/**
 * eng_port_set_limits() - change what is taken from the next reset on
 * @port: the port
 * @limits: none above those that it was created with, by which its numbers are counted
 *
 * Context: May sleep.
 * Return: OK, or INVALID_ARGUMENT for limits that cannot be.
 */
u16 eng_port_set_limits(struct eng_port *port, const struct eng_limits *limits)
{
	struct eng_port_config config = port->config;

	config.limits = *limits;
	if (!eng_port_config_good(&config) ||
	    !eng_port_limits_fit(limits, &port->most))
		return VIRTIO_ACCEL_S_INVALID_ARGUMENT;
	eng_mutex_lock(&port->objects);
	port->next = *limits;
	eng_mutex_unlock(&port->objects);
	return VIRTIO_ACCEL_S_OK;
}

/**
 * eng_port_mark_lost() - end execution until the next reset
 * @port: the port
 *
 * Events fail with DEVICE_LOST.  The owner is told when the call is over.
 *
 * Context: May sleep; does not allocate.
 */
void eng_port_mark_lost(struct eng_port *port)
{
	struct eng_device *engine;

	/* It is this engine that is lost, not what a reset puts in its place. */
	eng_spin_lock(&port->gate);
	engine = port->engine;
	if (engine) {
		port->engine_users++;
		eng_atomic_swap_if(&port->state, ENG_PORT_GOOD, ENG_PORT_LOST);
	}
	eng_spin_unlock(&port->gate);

	if (engine) {
		eng_device_stop(engine);
		eng_port_engine_put(port);
	}
}

/**
 * eng_port_lose() - lose the device, as hardware may be lost
 * @port: the port
 *
 * Context: May sleep.  Calls the owner.
 */
void eng_port_lose(struct eng_port *port)
{
	eng_port_mark_lost(port);
	eng_port_tell(port);
}

/**
 * eng_port_tell() - tell the owner of a loss, once
 * @port: the port, none of whose locks is held
 *
 * Context: May sleep.
 */
void eng_port_tell(struct eng_port *port)
{
	const struct eng_port_ops *ops = port->config.ops;

	if (eng_port_lost(port) &&
	    eng_atomic_swap_if(&port->state, ENG_PORT_LOST, ENG_PORT_TOLD) &&
	    ops && ops->needs_reset)
		ops->needs_reset(port->config.owner);
}

/**
 * eng_port_engine_get() - the engine of a port, for harness and counters
 * @port: the port
 *
 * The engine stays until eng_port_engine_put(); a reset waits for that.
 *
 * Context: Any task.
 * Return: the engine, or NULL where there is none just now.
 */
struct eng_device *eng_port_engine_get(struct eng_port *port)
{
	struct eng_device *engine;

	eng_spin_lock(&port->gate);
	engine = port->engine;
	if (engine)
		port->engine_users++;
	eng_spin_unlock(&port->gate);
	return engine;
}

/**
 * eng_port_engine_put() - end the use of an engine
 * @port: the port
 *
 * Context: Any task.
 */
void eng_port_engine_put(struct eng_port *port)
{
	eng_spin_lock(&port->gate);
	if (!--port->engine_users)
		eng_wait_wake(&port->gate_idle);
	eng_spin_unlock(&port->gate);
}

/**
 * eng_port_hold() - begin or end hold mode, also while a reset is under way
 * @port: the port
 * @hold: whether events shall stay pending
 *
 * Context: May sleep.
 */
void eng_port_hold(struct eng_port *port, bool hold)
{
	struct eng_device *engine;

	eng_mutex_lock(&port->holding);
	port->held = hold;
	engine = eng_port_engine_get(port);
	if (engine) {
		eng_harness_hold(engine, hold);
		eng_port_engine_put(port);
	}
	eng_mutex_unlock(&port->holding);
}

/**
 * eng_port_config() - how a port is
 * @port: the port
 *
 * Context: Any.
 * Return: its configuration.
 */
const struct eng_port_config *eng_port_config(const struct eng_port *port)
{
	return &port->config;
}

/**
 * eng_port_wire_config() - contents of the configuration space
 * @port: the port
 * @config: what a driver sees
 *
 * Context: Any.
 */
void eng_port_wire_config(const struct eng_port *port,
			  struct virtio_accel_config *config)
{
	const struct eng_port_config *c = &port->config;

	config->protocol_major = cpu_to_le16(VIRTIO_ACCEL_PROTOCOL_MAJOR);
	config->protocol_minor = cpu_to_le16(VIRTIO_ACCEL_PROTOCOL_MINOR);
	config->command_queue_count = cpu_to_le16(1);
	config->max_chain_descriptors = cpu_to_le16(c->max_chain);
	config->max_request_bytes = cpu_to_le32(c->max_request);
	config->max_response_bytes = cpu_to_le32(c->max_response);
}

/**
 * eng_port_faults() - script and audit of a port
 * @port: the port
 *
 * Context: Any.
 * Return: for as long as the port lives.
 */
struct eng_faults *eng_port_faults(struct eng_port *port)
{
	return &port->faults;
}

/**
 * eng_port_stats() - look at a port
 * @port: the port
 * @stats: what it has
 *
 * Context: May sleep.
 */
void eng_port_stats(struct eng_port *port, struct eng_port_stats *stats)
{
	struct list_head *node;
	u32 kind, slot;

	memset(stats, 0, sizeof(*stats));
	eng_mutex_lock(&port->objects);
	eng_mutex_lock(&port->events);
	for (kind = ENG_KIND_CONTEXT; kind < ENG_KIND_COUNT; kind++) {
		for (slot = 0; eng_ids_next(&port->ids[kind], &slot); )
			stats->live[kind]++;
	}
	for (node = port->quarantine.next; node != &port->quarantine;
	     node = node->next)
		stats->quarantined++;
	stats->buffer_memory = port->buffer_memory;
	stats->program_memory = port->program_memory;
	stats->epoch = port->epoch;
	stats->lost = eng_port_lost(port);
	eng_mutex_unlock(&port->events);
	eng_mutex_unlock(&port->objects);
}
