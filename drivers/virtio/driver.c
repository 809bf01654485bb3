// SPDX-License-Identifier: GPL-2.0
/*
 * The virtio driver: binding, unbinding, resets, sleep.
 */
#include <linux/device.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/virtio_config.h>

#include "../compat.h"
#include "virtio.h"

/* A device that fails again so soon stays down until root resets it. */
#define VACC_RESET_PAUSE	(30 * HZ)

/* How long a device that is put to sleep may finish its work. */
#define VACC_FREEZE_DRAIN	(2 * HZ)

static uint device_id = VIRTIO_ACCEL_ID_EXPERIMENTAL;
module_param(device_id, uint, 0444);
MODULE_PARM_DESC(device_id,
		 "virtio device ID; another one than the experimental one needs device=");

static char *device = "";
module_param(device, charp, 0444);
MODULE_PARM_DESC(device,
		 "names of the only devices to bind to, such as virtio3 or virtio3,virtio5");

static uint command_timeout_ms = 10000;
module_param(command_timeout_ms, uint, 0644);
MODULE_PARM_DESC(command_timeout_ms,
		 "how long a virtio device may take to answer a command (at least 100)");

static uint hang_limit_ms = 30000;
module_param(hang_limit_ms, uint, 0644);
MODULE_PARM_DESC(hang_limit_ms,
		 "how long work on a virtio device may stand still (at least 100)");

/**
 * vacc_vio_command_timeout_ms() - how long a command may take
 *
 * Context: any.
 * Return: milliseconds.
 */
u32 vacc_vio_command_timeout_ms(void)
{
	return clamp_t(u32, READ_ONCE(command_timeout_ms), 100, 3600 * 1000);
}

/**
 * vacc_vio_hang_limit_ms() - how long work may stand still
 *
 * Context: any.
 * Return: milliseconds.
 */
u32 vacc_vio_hang_limit_ms(void)
{
	return clamp_t(u32, READ_ONCE(hang_limit_ms), 100, 3600 * 1000);
}

/**
 * vacc_vio_schedule_reset() - have a device looked at, and reset if it failed
 * @vio: the device
 *
 * Context: any.
 */
void vacc_vio_schedule_reset(struct vacc_vio *vio)
{
	queue_work(vacc_reset_wq, &vio->reset_work);
}

static bool vacc_vio_needs_reset(struct vacc_vio *vio)
{
	return READ_ONCE(vio->session->failed) ||
	       (vio->vdev->config->get_status(vio->vdev) &
		VIRTIO_CONFIG_S_NEEDS_RESET);
}

/*
 * What the virtio bus does before it calls a probe.  Transports take bits of theirs that
 * only they understand out of the features: all that is offered is there again.
 */
static int vacc_vio_negotiate(struct virtio_device *vdev)
{
	bool beyond;
	u64 offered;
	u32 bit;
	int err;

	virtio_reset_device(vdev);
	virtio_add_status(vdev, VIRTIO_CONFIG_S_ACKNOWLEDGE);
	virtio_add_status(vdev, VIRTIO_CONFIG_S_DRIVER);
	offered = vacc_virtio_features(vdev, &beyond);
	for (bit = VIRTIO_TRANSPORT_F_START; bit < VIRTIO_TRANSPORT_F_END; bit++)
		if (offered & BIT_ULL(bit))
			__virtio_set_bit(vdev, bit);
	err = vdev->config->finalize_features(vdev);
	if (err)
		return err;
	if (!virtio_has_feature(vdev, VIRTIO_F_VERSION_1))
		return 0;
	virtio_add_status(vdev, VIRTIO_CONFIG_S_FEATURES_OK);
	return vdev->config->get_status(vdev) & VIRTIO_CONFIG_S_FEATURES_OK ?
	       0 : -ENODEV;
}

static int vacc_vio_bring_back(struct vacc_vio *vio)
{
	int err = vacc_vio_negotiate(vio->vdev);

	if (!err)
		err = vacc_vio_read_config(vio->vdev, &vio->config);
	if (!err)
		err = vacc_session_begin(vio);
	if (err) {
		virtio_add_status(vio->vdev, VIRTIO_CONFIG_S_FAILED);
		dev_err(&vio->vdev->dev, "did not come back after a reset: %d\n",
			err);
	}
	return err;
}

static void vacc_vio_reset_locked(struct vacc_vio *vio)
{
	lockdep_assert_held(&vio->lock);
	dev_warn_ratelimited(&vio->vdev->dev, "resetting the device\n");
	vacc_session_end(vio, true);
	if (vio->resets &&
	    time_before(jiffies, vio->last_reset + VACC_RESET_PAUSE)) {
		dev_err(&vio->vdev->dev,
			"failed again too soon; write to its reset attribute to try\n");
		return;
	}
	vio->resets++;
	vio->last_reset = jiffies;
	vacc_vio_bring_back(vio);
}

static void vacc_vio_reset_work(struct work_struct *work)
{
	struct vacc_vio *vio = container_of(work, struct vacc_vio, reset_work);

	mutex_lock(&vio->lock);
	if (!vio->removing && vio->session && vacc_vio_needs_reset(vio))
		vacc_vio_reset_locked(vio);
	mutex_unlock(&vio->lock);
}

static ssize_t reset_store(struct device *parent, struct device_attribute *attr,
			   const char *buf, size_t count)
{
	struct vacc_vio *vio = dev_to_virtio(parent)->priv;
	int err = -ENODEV;

	mutex_lock(&vio->lock);
	if (!vio->removing) {
		vacc_session_end(vio, true);
		err = vacc_vio_bring_back(vio);
	}
	mutex_unlock(&vio->lock);
	return err ? err : count;
}
static DEVICE_ATTR_WO(reset);

static struct attribute *vacc_vio_attrs[] = {
	&dev_attr_reset.attr,
	NULL,
};
ATTRIBUTE_GROUPS(vacc_vio);

/* Interrupt context: only work is scheduled. */
static void vacc_vio_config_changed(struct virtio_device *vdev)
{
	vacc_vio_schedule_reset(vdev->priv);
}

/* Whether a list, of names with commas between them, has a name. */
static bool vacc_vio_named(const char *list, const char *name)
{
	const size_t length = strlen(name);
	size_t here;

	for (;; list += here + 1) {
		here = strcspn(list, ",");
		if (here == length && !memcmp(list, name, length))
			return true;
		if (!list[here])
			return false;
	}
}

/* Before anything is allocated, and before the device is touched. */
static int vacc_vio_validate(struct virtio_device *vdev)
{
	struct vacc_vio_config config;
	int err;

	if (device[0] && !vacc_vio_named(device, dev_name(&vdev->dev)))
		return -ENODEV;
	err = vacc_vio_check_features(vdev);
	return err ? err : vacc_vio_read_config(vdev, &config);
}

static int vacc_vio_probe(struct virtio_device *vdev)
{
	struct vacc_vio *vio = kzalloc(sizeof(*vio), GFP_KERNEL);
	int err;

	if (!vio)
		return -ENOMEM;
	vio->vdev = vdev;
	mutex_init(&vio->lock);
	INIT_WORK(&vio->reset_work, vacc_vio_reset_work);
	vdev->priv = vio;
	mutex_lock(&vio->lock);
	err = vacc_vio_read_config(vdev, &vio->config);
	if (!err)
		err = vacc_session_begin(vio);
	mutex_unlock(&vio->lock);
	if (!err)
		return 0;
	mutex_lock(&vio->lock);
	vio->removing = true;
	mutex_unlock(&vio->lock);
	cancel_work_sync(&vio->reset_work);
	kfree(vio);
	return err;
}

static void vacc_vio_remove(struct virtio_device *vdev)
{
	struct vacc_vio *vio = vdev->priv;

	mutex_lock(&vio->lock);
	vio->removing = true;
	vacc_session_end(vio, false);
	mutex_unlock(&vio->lock);
	cancel_work_sync(&vio->reset_work);
	virtio_reset_device(vdev);
	kfree(vio);
}

#ifdef CONFIG_PM_SLEEP
static int vacc_vio_freeze(struct virtio_device *vdev)
{
	unsigned long until = jiffies + VACC_FREEZE_DRAIN;
	struct vacc_vio *vio = vdev->priv;

	mutex_lock(&vio->lock);
	while (vio->session && READ_ONCE(vio->session->pending) &&
	       time_before(jiffies, until))
		schedule_timeout_uninterruptible(msecs_to_jiffies(10));
	vacc_session_end(vio, true);
	mutex_unlock(&vio->lock);
	return 0;
}

/* One that fails leaves a device without a session, which can be removed. */
static int vacc_vio_restore(struct virtio_device *vdev)
{
	struct vacc_vio *vio = vdev->priv;
	int err;

	mutex_lock(&vio->lock);
	err = vacc_vio_read_config(vdev, &vio->config);
	if (!err)
		err = vacc_session_begin(vio);
	mutex_unlock(&vio->lock);
	return err;
}
#endif

/* No MODULE_DEVICE_TABLE: an ID that is nobody's loads no driver by itself. */
static struct virtio_device_id vacc_vio_ids[] = {
	{ VIRTIO_ACCEL_ID_EXPERIMENTAL, VIRTIO_DEV_ANY_ID },
	{ 0 },
};

static struct virtio_driver vacc_vio_driver = {
	.driver.name = "virtio_accel",
	.driver.owner = THIS_MODULE,
	.driver.dev_groups = vacc_vio_groups,
	.id_table = vacc_vio_ids,
	.validate = vacc_vio_validate,
	.probe = vacc_vio_probe,
	.remove = vacc_vio_remove,
	.config_changed = vacc_vio_config_changed,
#ifdef CONFIG_PM_SLEEP
	.freeze = vacc_vio_freeze,
	.restore = vacc_vio_restore,
#endif
};

/**
 * vacc_virtio_check() - look at the parameters
 *
 * Context: any.
 * Return: 0, or -EINVAL for a device ID of others without the name of a device.
 */
int vacc_virtio_check(void)
{
	if (device_id != VIRTIO_ACCEL_ID_EXPERIMENTAL && !device[0]) {
		pr_err("virtio_accel: device_id=%u is somebody else's: name the device, as in device=virtio3\n",
		       device_id);
		return -EINVAL;
	}
	return 0;
}

/**
 * vacc_virtio_init() - register the driver
 *
 * Context: may sleep.
 * Return: 0, or what the bus says.
 */
int vacc_virtio_init(void)
{
	vacc_vio_ids[0].device = device_id;
	return register_virtio_driver(&vacc_vio_driver);
}

/**
 * vacc_virtio_exit() - unregister the driver
 *
 * Context: may sleep.
 */
void vacc_virtio_exit(void)
{
	unregister_virtio_driver(&vacc_vio_driver);
}
