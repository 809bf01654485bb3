// SPDX-License-Identifier: GPL-2.0
/*
 * The core's device.c with nodes that are only counted: names would collide with
 * those of the modules under test, and a test decides when registration fails.
 */
#include <linux/miscdevice.h>

#include "device.h"

int rig_nodes;
int rig_node_error;

static int rig_misc_register(struct miscdevice *misc)
{
	if (rig_node_error)
		return rig_node_error;
	rig_nodes++;
	return 0;
}

static void rig_misc_deregister(struct miscdevice *misc)
{
	rig_nodes--;
}

#define misc_register	rig_misc_register
#define misc_deregister	rig_misc_deregister

#include "../drivers/device.c"
