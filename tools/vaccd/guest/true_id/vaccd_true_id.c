// SPDX-License-Identifier: GPL-2.0
/*
 * For tests only: gives the device that QEMU calls a disk the ID that it should have,
 * so that the driver finds it without being told.
 */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/pci.h>

#define DISK_ID		0x1042
#define VIRTIO_PCI_BASE	0x1040

static unsigned int device_id = 60;
module_param(device_id, uint, 0444);
MODULE_PARM_DESC(device_id, "virtio device ID");

static int __init true_id_init(void)
{
	struct pci_dev *pdev = pci_get_device(PCI_VENDOR_ID_REDHAT_QUMRANET,
					      DISK_ID, NULL);
	int err;

	if (!pdev)
		return -ENODEV;
	device_release_driver(&pdev->dev);
	pdev->device = VIRTIO_PCI_BASE + device_id;
	err = device_attach(&pdev->dev);
	pci_dev_put(pdev);
	return err < 0 ? err : 0;
}
module_init(true_id_init);

static void __exit true_id_exit(void)
{
}
module_exit(true_id_exit);

MODULE_DESCRIPTION("The virtio ID of an accelerator for a vhost-user disk of QEMU");
MODULE_LICENSE("GPL");
