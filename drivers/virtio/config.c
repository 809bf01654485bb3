// SPDX-License-Identifier: GPL-2.0
/*
 * What a device says of itself, before anything is believed.
 */
#include <linux/string.h>
#include <linux/virtio_config.h>

#include "../compat.h"
#include "virtio.h"

/* Bits that belong to the device type: transports have 24 to 49. */
#define VACC_DEVICE_FEATURES	(GENMASK_ULL(23, 0) | GENMASK_ULL(63, 50))

/**
 * vacc_vio_check_features() - check what a device offers
 * @vdev: the device, untouched so far
 *
 * Context: may sleep.
 * Return: 0, or -ENODEV where it offers what protocol 1.0 does not have.
 */
int vacc_vio_check_features(struct virtio_device *vdev)
{
	bool beyond;
	u64 offered = vacc_virtio_features(vdev, &beyond);

	if (!(offered & VACC_DEVICE_FEATURES) && !beyond)
		return 0;
	dev_err(&vdev->dev, "offers features %#llx%s that protocol 1.0 does not have\n",
		offered & VACC_DEVICE_FEATURES, beyond ? " and others" : "");
	return -ENODEV;
}

static bool vacc_vio_config_ok(const struct virtio_accel_config *wire,
			       const struct vacc_vio_config *config)
{
	return le16_to_cpu(wire->protocol_major) == VIRTIO_ACCEL_PROTOCOL_MAJOR &&
	       le16_to_cpu(wire->command_queue_count) == 1 &&
	       config->max_chain >= VIRTIO_ACCEL_MIN_CHAIN &&
	       config->max_chain <= VIRTIO_ACCEL_MAX_CHAIN &&
	       config->max_request >= VIRTIO_ACCEL_MIN_REQUEST &&
	       config->max_request <= VIRTIO_ACCEL_MAX_FRAME &&
	       config->max_response >= VIRTIO_ACCEL_MIN_RESPONSE &&
	       config->max_response <= VIRTIO_ACCEL_MAX_FRAME;
}

/**
 * vacc_vio_read_config() - read the configuration, once, and check it
 * @vdev: the device
 * @config: it
 *
 * Context: may sleep.
 * Return: 0, or -EINVAL where the driver does not work with it.
 */
int vacc_vio_read_config(struct virtio_device *vdev,
			 struct vacc_vio_config *config)
{
	struct virtio_accel_config wire;

	if (!vdev->config->get)
		return -EINVAL;
	virtio_cread_bytes(vdev, 0, &wire, sizeof(wire));
	config->max_chain = le16_to_cpu(wire.max_chain_descriptors);
	config->max_request = le32_to_cpu(wire.max_request_bytes);
	config->max_response = le32_to_cpu(wire.max_response_bytes);
	if (vacc_vio_config_ok(&wire, config))
		return 0;
	dev_err(&vdev->dev, "has a configuration that protocol 1.0 does not allow\n");
	return -EINVAL;
}

static bool vacc_vio_info_ok(const struct virtio_accel_device_info *wire,
			     const struct vacc_backend_info *info)
{
	const u64 memory = VIRTIO_ACCEL_CAP_HOST_MEMORY |
			   VIRTIO_ACCEL_CAP_DEVICE_MEMORY |
			   VIRTIO_ACCEL_CAP_SHARED_MEMORY;
	const u64 reserved = VIRTIO_ACCEL_CAP_EXTERNAL_MEMORY |
			     VIRTIO_ACCEL_CAP_SECURE_CONTEXTS;

	return !wire->reserved && (info->capabilities & memory) &&
	       !(info->capabilities & reserved) &&
	       info->device_class <= VIRTIO_ACCEL_CLASS_DSP &&
	       info->max_contexts && info->max_buffers_per_context &&
	       info->max_programs_per_context && info->max_queues_per_context &&
	       info->max_events_per_context && info->max_bindings &&
	       info->max_bindings <= VIRTIO_ACCEL_MAX_BINDINGS &&
	       info->max_buffer_bytes && info->max_artifact_bytes;
}

/**
 * vacc_vio_decode_info() - take over what GET_DEVICE_INFO answered
 * @wire: the answer's payload, as a copy that the device cannot change
 * @info: receives it
 *
 * Context: any.
 * Return: 0, or -EINVAL where it is not what protocol 1.0 allows.
 */
int vacc_vio_decode_info(const struct virtio_accel_device_info *wire,
			 struct vacc_backend_info *info)
{
	memcpy(info->uuid, wire->uuid, sizeof(info->uuid));
	info->device_class = le16_to_cpu(wire->device_class);
	info->vendor = le32_to_cpu(wire->vendor);
	info->device = le32_to_cpu(wire->device);
	info->capabilities = le64_to_cpu(wire->capabilities);
	/* Counters of objects are signed. */
	info->max_contexts = min_t(u32, le32_to_cpu(wire->max_contexts), INT_MAX);
	info->max_buffers_per_context =
		le32_to_cpu(wire->max_buffers_per_context);
	info->max_programs_per_context =
		le32_to_cpu(wire->max_programs_per_context);
	info->max_queues_per_context =
		le32_to_cpu(wire->max_queues_per_context);
	info->max_events_per_context =
		le32_to_cpu(wire->max_events_per_context);
	info->max_bindings = le32_to_cpu(wire->max_bindings_per_submission);
	info->max_buffer_bytes = le64_to_cpu(wire->max_buffer_bytes);
	info->max_artifact_bytes = le64_to_cpu(wire->max_artifact_bytes);
	return vacc_vio_info_ok(wire, info) ? 0 : -EINVAL;
}
