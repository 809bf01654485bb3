// SPDX-License-Identifier: GPL-2.0 OR MIT
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "device.h"
#include "log.h"

/**
 * device_defaults() - what a device is like that nobody wants otherwise
 * @options: receives it
 */
void device_defaults(struct device_options *options)
{
	u64 memory = (u64)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

	*options = (struct device_options){
		.name = "vaccd",
		.device_class = VIRTIO_ACCEL_CLASS_NPU,
		.limits = {
			.max_contexts = ENG_MAX_CONTEXTS,
			.max_buffers = ENG_MAX_BUFFERS,
			.max_images = ENG_MAX_IMAGES,
			.max_queues = ENG_MAX_QUEUES,
			.max_events = ENG_MAX_EVENTS,
			.max_bindings = ENG_MAX_BINDINGS,
			.max_buffer_bytes = ENG_MAX_BUFFER_BYTES,
			.max_artifact_bytes = ENG_MAX_ARTIFACT_BYTES,
			.max_scratch_bytes = memory / 8,
			.inline_limit = ENG_INLINE_LIMIT,
		},
		.max_resident = memory / 4,
		.max_chain = VIRTIO_ACCEL_MAX_CHAIN,
		.max_request = VIRTIO_ACCEL_MAX_FRAME,
		.max_response = VIRTIO_ACCEL_MAX_FRAME,
	};
	memcpy(options->uuid, "virtio-accelmock", sizeof(options->uuid));
}

static void device_needs_reset(void *owner)
{
	(void)owner;
	say("the device is lost until the driver resets it");
}

static const struct eng_port_ops device_port_ops = {
	.needs_reset = device_needs_reset,
};

/**
 * device_init() - make a device
 * @device: it
 * @options: how
 *
 * Return: 0 or a negative errno.
 */
int device_init(struct device *device, const struct device_options *options)
{
	struct eng_port_config config = {
		.name = options->name,
		.ops = &device_port_ops,
		.owner = device,
		.limits = options->limits,
		.workers = options->workers,
		.hold = options->hold,
		.device_class = options->device_class,
		.vendor = options->vendor,
		.device = options->device,
		.capabilities = VIRTIO_ACCEL_CAP_HOST_MEMORY |
				VIRTIO_ACCEL_CAP_DEVICE_MEMORY |
				VIRTIO_ACCEL_CAP_SHARED_MEMORY |
				VIRTIO_ACCEL_CAP_EVENT_CANCEL,
		.max_chain = options->max_chain,
		.max_request = options->max_request,
		.max_response = options->max_response,
		.max_buffer_memory = options->max_resident,
		.max_program_memory = options->max_resident,
	};
	struct virtio_accel_config wire;
	u16 status;

	memset(device, 0, sizeof(*device));
	device->first = options->limits;
	memcpy(config.uuid, options->uuid, sizeof(config.uuid));
	status = eng_port_create(&config, &device->port);
	if (status)
		return status == VIRTIO_ACCEL_S_OUT_OF_MEMORY ? -ENOMEM : -EINVAL;
	eng_port_wire_config(device->port, &wire);
	memcpy(device->config, &wire, sizeof(wire));
	pthread_mutex_init(&device->lock, NULL);
	device_renew(device);
	return 0;
}

/**
 * device_fini() - end a device
 * @device: it
 */
void device_fini(struct device *device)
{
	eng_port_free(device->port);
	pthread_mutex_destroy(&device->lock);
}

/**
 * device_renew() - give the life of the device a number that nobody knows yet
 * @device: the device
 */
void device_renew(struct device *device)
{
	if (getrandom(&device->cookie, sizeof(device->cookie), GRND_NONBLOCK) !=
	    sizeof(device->cookie))
		device->cookie = eng_now_ns() ^ (u64)getpid() << 40;
}

/**
 * device_reset() - begin a new life: all objects go
 * @device: a device to which nobody gives requests meanwhile
 */
void device_reset(struct device *device)
{
	bool renewed = __atomic_exchange_n(&device->renewed, false,
					   __ATOMIC_ACQ_REL);

	if (!device->touched && !renewed)
		return;
	eng_port_reset(device->port);
	device->touched = false;
	device_count(&device->counters.resets);
}

/**
 * device_set_limits() - give the next life other limits
 * @device: the device
 * @limits: none above those that it began with
 *
 * Return: 0 or -EINVAL.
 */
int device_set_limits(struct device *device, const struct eng_limits *limits)
{
	if (eng_port_set_limits(device->port, limits))
		return -EINVAL;
	__atomic_store_n(&device->renewed, true, __ATOMIC_RELEASE);
	return 0;
}

/**
 * device_count() - count something that has happened
 * @counter: of the device
 */
void device_count(u64 *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/**
 * device_counters() - what has happened
 * @device: the device
 * @counters: each as it was at some moment
 */
void device_counters(const struct device *device,
		     struct device_counters *counters)
{
	const u64 *from = (const u64 *)&device->counters;
	u64 *to = (u64 *)counters;
	u32 i;

	for (i = 0; i < sizeof(*counters) / sizeof(*to); i++)
		to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

/**
 * device_read_config() - look at the configuration space
 * @device: the device
 * @offset: where
 * @to: receives it; zeros behind the end
 * @bytes: how much
 */
void device_read_config(struct device *device, u32 offset, void *to, u32 bytes)
{
	memset(to, 0, bytes);
	if (offset >= DEVICE_CONFIG_BYTES)
		return;
	pthread_mutex_lock(&device->lock);
	memcpy(to, device->config + offset,
	       min_t(u32, bytes, DEVICE_CONFIG_BYTES - offset));
	pthread_mutex_unlock(&device->lock);
}
