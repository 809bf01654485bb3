// SPDX-License-Identifier: GPL-2.0
/*
 * Loopback devices: their beginning and their end.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "loopback.h"

#define LOOPBACK_MAX_RING	1024

static unsigned int ring_size = 256;
module_param(ring_size, uint, 0444);
MODULE_PARM_DESC(ring_size,
		 "loopback: descriptors of the ring, a power of two, 2 to 1024 (default 256)");

static unsigned int max_chain;
module_param(max_chain, uint, 0444);
MODULE_PARM_DESC(max_chain,
		 "loopback: descriptors of a chain, 2 to 256 (default 0: as many as the ring has)");

static unsigned int max_request_bytes = VIRTIO_ACCEL_MAX_FRAME;
module_param(max_request_bytes, uint, 0444);
MODULE_PARM_DESC(max_request_bytes,
		 "loopback: bytes of a request, 97 to 2^24 (default 2^24)");

static unsigned int max_response_bytes = VIRTIO_ACCEL_MAX_FRAME;
module_param(max_response_bytes, uint, 0444);
MODULE_PARM_DESC(max_response_bytes,
		 "loopback: bytes of a response, 92 to 2^24 (default 2^24)");

static bool loopback_within(const char *name, u32 value, u32 low, u32 high)
{
	if (value >= low && value <= high)
		return true;
	pr_err("%s=%u is not within %u to %u\n", name, value, low, high);
	return false;
}

static u32 loopback_max_chain(void)
{
	return max_chain ?: min_t(u32, ring_size, VIRTIO_ACCEL_MAX_CHAIN);
}

/**
 * loopback_configure() - check the parameters that are only of loopback devices
 *
 * Context: Any.
 * Return: 0 or -EINVAL.
 */
int loopback_configure(void)
{
	bool good = loopback_within("ring_size", ring_size,
				    VIRTIO_ACCEL_MIN_CHAIN, LOOPBACK_MAX_RING);

	if (good && !is_power_of_2(ring_size)) {
		pr_err("ring_size=%u is not a power of two\n", ring_size);
		good = false;
	}
	good = good &&
	       loopback_within("max_chain", loopback_max_chain(),
			       VIRTIO_ACCEL_MIN_CHAIN,
			       min_t(u32, ring_size, VIRTIO_ACCEL_MAX_CHAIN)) &&
	       loopback_within("max_request_bytes", max_request_bytes,
			       VIRTIO_ACCEL_MIN_REQUEST,
			       VIRTIO_ACCEL_MAX_FRAME) &&
	       loopback_within("max_response_bytes", max_response_bytes,
			       VIRTIO_ACCEL_MIN_RESPONSE,
			       VIRTIO_ACCEL_MAX_FRAME);
	return good ? 0 : -EINVAL;
}

/**
 * loopback_ring_size() - how long rings are
 *
 * Context: Any.
 * Return: descriptors.
 */
u32 loopback_ring_size(void)
{
	return ring_size;
}

static const struct eng_port_ops loopback_port_ops = {
	.needs_reset = loopback_needs_reset,
};

static u16 loopback_make_port(struct loopback *loopback,
			      const struct loopback_config *config)
{
	u64 memory = (u64)totalram_pages() << PAGE_SHIFT >> 1;
	struct eng_port_config port = {
		.name = loopback->name,
		.ops = &loopback_port_ops,
		.owner = loopback,
		.limits = config->limits,
		.workers = config->workers,
		.hold = config->hold,
		.device_class = VIRTIO_ACCEL_CLASS_NPU,
		.capabilities = VIRTIO_ACCEL_CAP_HOST_MEMORY |
				VIRTIO_ACCEL_CAP_DEVICE_MEMORY |
				VIRTIO_ACCEL_CAP_SHARED_MEMORY |
				VIRTIO_ACCEL_CAP_EVENT_CANCEL,
		.max_chain = loopback_max_chain(),
		.max_request = max_request_bytes,
		.max_response = max_response_bytes,
		.max_buffer_memory = memory,
		/* The core counts what programs keep. */
		.max_program_memory = U64_MAX,
	};

	memcpy(port.uuid, "virtio-accelmock", sizeof(port.uuid));
	return eng_port_create(&port, &loopback->port);
}

static void loopback_destroy(struct loopback *loopback)
{
	loopback_serve_exit(loopback);
	if (loopback->port)
		eng_port_free(loopback->port);
	mutex_destroy(&loopback->power);
	kfree(loopback);
}

static struct loopback *loopback_make(const char *name,
				      const struct loopback_config *config)
{
	struct loopback *loopback = kzalloc(sizeof(*loopback), GFP_KERNEL);
	struct virtio_accel_config wire;

	if (!loopback)
		return NULL;
	strscpy(loopback->name, name, sizeof(loopback->name));
	init_completion(&loopback->released);
	mutex_init(&loopback->power);
	spin_lock_init(&loopback->lock);
	spin_lock_init(&loopback->line);
	if (loopback_serve_init(loopback)) {
		mutex_destroy(&loopback->power);
		kfree(loopback);
		return NULL;
	}
	if (loopback_make_port(loopback, config)) {
		loopback_destroy(loopback);
		return NULL;
	}
	eng_port_wire_config(loopback->port, &wire);
	memcpy(loopback->config, &wire, sizeof(wire));
	return loopback;
}

static void loopback_release(struct device *dev)
{
	complete(&to_loopback(dev_to_virtio(dev))->released);
}

static int loopback_node_number(struct device *child, void *number)
{
	return sscanf(dev_name(child), "virtio-accel%d", (int *)number) == 1;
}

/**
 * loopback_instance() - number of the node that the driver has made
 * @loopback: a device that is on the bus
 *
 * Context: May sleep.
 * Return: the number, or -1 where there is none just now.
 */
int loopback_instance(struct loopback *loopback)
{
	int number = -1;

	device_for_each_child(&loopback->vdev.dev, &number,
			      loopback_node_number);
	return number;
}

/**
 * loopback_add() - make a device and put it on the virtio bus
 * @parent: parent in sysfs
 * @name: its name
 * @config: how it shall be
 *
 * A driver that does not want it is no failure.
 *
 * Context: May sleep.
 * Return: the device, or an error pointer.
 */
struct loopback *loopback_add(struct device *parent, const char *name,
			      const struct loopback_config *config)
{
	struct loopback *loopback = loopback_make(name, config);
	int err;

	if (!loopback)
		return ERR_PTR(-ENOMEM);
	loopback->vdev.id.device = VIRTIO_ACCEL_ID_EXPERIMENTAL;
	loopback->vdev.config = &loopback_config_ops;
	loopback->vdev.dev.parent = parent;
	loopback->vdev.dev.release = loopback_release;
	err = register_virtio_device(&loopback->vdev);
	if (err) {
		put_device(&loopback->vdev.dev);
		wait_for_completion(&loopback->released);
		loopback_destroy(loopback);
		return ERR_PTR(err);
	}
	loopback->instance = loopback_instance(loopback);
	return loopback;
}

/**
 * loopback_unplug() - take a device off the bus, also under open files
 * @loopback: the device; it stays for the harness until loopback_free()
 *
 * Context: May sleep.
 */
void loopback_unplug(struct loopback *loopback)
{
	mutex_lock(&loopback->power);
	loopback->gone = true;
	mutex_unlock(&loopback->power);
	get_device(&loopback->vdev.dev);
	unregister_virtio_device(&loopback->vdev);
}

/**
 * loopback_free() - free a device that is unplugged and out of everybody's reach
 * @loopback: the device
 *
 * Context: May sleep.
 */
void loopback_free(struct loopback *loopback)
{
	put_device(&loopback->vdev.dev);
	wait_for_completion(&loopback->released);
	loopback_destroy(loopback);
}
