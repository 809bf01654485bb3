/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tests see of the nodes.
 */
#ifndef _RIG_DEVICE_H
#define _RIG_DEVICE_H

/* Nodes that are registered now. */
extern int rig_nodes;

/* What registering a node returns, 0 for success. */
extern int rig_node_error;

#endif /* _RIG_DEVICE_H */
