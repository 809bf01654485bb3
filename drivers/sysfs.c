// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of the node, /sys/class/misc/virtio-accelN: what the device is, its limits,
 * and what it counts.
 *
 * They come with the node, before anybody is told of it, and go with it; a reader takes
 * no lock that unregistering holds.
 */
#include <linux/device.h>
#include <linux/sysfs.h>

#include "core.h"

static struct vacc_device *vacc_sysfs_device(struct device *device)
{
	return container_of(dev_get_drvdata(device), struct vacc_device, misc);
}

/**
 * vacc_backend_name() - what is behind a device, for people
 * @dev: the device
 *
 * Context: any.
 * Return: a word.
 */
const char *vacc_backend_name(const struct vacc_device *dev)
{
	return dev->info.kind == VACC_BACKEND_VIRTIO ? "virtio" : "direct";
}

static ssize_t abi_version_show(struct device *device,
				struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", VACC_ABI_VERSION);
}
static DEVICE_ATTR_RO(abi_version);

static ssize_t protocol_version_show(struct device *device,
				     struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u.%u\n", VIRTIO_ACCEL_PROTOCOL_MAJOR,
			  VIRTIO_ACCEL_PROTOCOL_MINOR);
}
static DEVICE_ATTR_RO(protocol_version);

static ssize_t backend_show(struct device *device,
			    struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n",
			  vacc_backend_name(vacc_sysfs_device(device)));
}
static DEVICE_ATTR_RO(backend);

static ssize_t instance_show(struct device *device,
			     struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", vacc_sysfs_device(device)->instance);
}
static DEVICE_ATTR_RO(instance);

static struct attribute *vacc_sysfs_attrs[] = {
	&dev_attr_abi_version.attr,
	&dev_attr_protocol_version.attr,
	&dev_attr_backend.attr,
	&dev_attr_instance.attr,
	NULL,
};

/* Only a device on a virtio bus speaks the protocol. */
static umode_t vacc_sysfs_visible(struct kobject *kobj, struct attribute *attr,
				  int index)
{
	const struct vacc_device *dev = vacc_sysfs_device(kobj_to_dev(kobj));

	if (attr == &dev_attr_protocol_version.attr &&
	    dev->info.kind != VACC_BACKEND_VIRTIO)
		return 0;
	return attr->mode;
}

static const struct attribute_group vacc_sysfs_group = {
	.attrs = vacc_sysfs_attrs,
	.is_visible = vacc_sysfs_visible,
};

#define VACC_LIMIT(_name)						\
static ssize_t _name##_show(struct device *device,			\
			    struct device_attribute *attr, char *buf)	\
{									\
	return sysfs_emit(buf, "%llu\n",				\
			  (u64)vacc_sysfs_device(device)->info._name);	\
}									\
static DEVICE_ATTR_RO(_name)

VACC_LIMIT(max_contexts);
VACC_LIMIT(max_buffers_per_context);
VACC_LIMIT(max_programs_per_context);
VACC_LIMIT(max_queues_per_context);
VACC_LIMIT(max_events_per_context);
VACC_LIMIT(max_bindings);
VACC_LIMIT(max_buffer_bytes);
VACC_LIMIT(max_artifact_bytes);
VACC_LIMIT(effective_bindings);
VACC_LIMIT(effective_artifact_bytes);
VACC_LIMIT(command_timeout_ms);
VACC_LIMIT(hang_limit_ms);

static struct attribute *vacc_limits_attrs[] = {
	&dev_attr_max_contexts.attr,
	&dev_attr_max_buffers_per_context.attr,
	&dev_attr_max_programs_per_context.attr,
	&dev_attr_max_queues_per_context.attr,
	&dev_attr_max_events_per_context.attr,
	&dev_attr_max_bindings.attr,
	&dev_attr_max_buffer_bytes.attr,
	&dev_attr_max_artifact_bytes.attr,
	&dev_attr_effective_bindings.attr,
	&dev_attr_effective_artifact_bytes.attr,
	&dev_attr_command_timeout_ms.attr,
	&dev_attr_hang_limit_ms.attr,
	NULL,
};

static const struct attribute_group vacc_limits_group = {
	.name = "limits",
	.attrs = vacc_limits_attrs,
};

/*
 * Counters tell what others do, to the moment: like VACC_STATS they are for who may open
 * the node, which at first is root.
 */
#define VACC_STAT(_name, _value)					\
static ssize_t _name##_show(struct device *device,			\
			    struct device_attribute *attr, char *buf)	\
{									\
	struct vacc_device *dev = vacc_sysfs_device(device);		\
									\
	return sysfs_emit(buf, "%llu\n", (u64)(_value));		\
}									\
static DEVICE_ATTR(_name, 0400, _name##_show, NULL)

static u64 vacc_sysfs_count(struct vacc_device *dev, enum vacc_count count)
{
	u64 counts[4];

	vacc_queue_totals(dev, counts);
	return counts[count];
}

static u32 vacc_sysfs_zombies(const struct vacc_device *dev)
{
	u32 sum = 0;
	int kind;

	for (kind = 0; kind < VACC_KIND_COUNT; kind++)
		sum += atomic_read(&dev->zombie[kind]);
	return sum;
}

VACC_STAT(submitted, vacc_sysfs_count(dev, VACC_COUNT_SUBMITTED));
VACC_STAT(completed, vacc_sysfs_count(dev, VACC_COUNT_COMPLETED));
VACC_STAT(failed, vacc_sysfs_count(dev, VACC_COUNT_FAILED));
VACC_STAT(cancelled, vacc_sysfs_count(dev, VACC_COUNT_CANCELLED));
VACC_STAT(rejected, atomic64_read(&dev->rejected));
VACC_STAT(contexts, atomic_read(&dev->live[VACC_KIND_CONTEXT]));
VACC_STAT(buffers, atomic_read(&dev->live[VACC_KIND_BUFFER]));
VACC_STAT(programs, atomic_read(&dev->live[VACC_KIND_PROGRAM]));
VACC_STAT(queues, atomic_read(&dev->live[VACC_KIND_QUEUE]));
VACC_STAT(events, atomic_read(&dev->live[VACC_KIND_EVENT]));
VACC_STAT(zombies, vacc_sysfs_zombies(dev));
VACC_STAT(bytes, atomic64_read(&dev->bytes));

static struct attribute *vacc_stats_attrs[] = {
	&dev_attr_submitted.attr,
	&dev_attr_completed.attr,
	&dev_attr_failed.attr,
	&dev_attr_cancelled.attr,
	&dev_attr_rejected.attr,
	&dev_attr_contexts.attr,
	&dev_attr_buffers.attr,
	&dev_attr_programs.attr,
	&dev_attr_queues.attr,
	&dev_attr_events.attr,
	&dev_attr_zombies.attr,
	&dev_attr_bytes.attr,
	NULL,
};

static const struct attribute_group vacc_stats_group = {
	.name = "stats",
	.attrs = vacc_stats_attrs,
};

const struct attribute_group *vacc_sysfs_groups[] = {
	&vacc_sysfs_group,
	&vacc_limits_group,
	&vacc_stats_group,
	NULL,
};
