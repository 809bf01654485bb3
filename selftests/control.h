/* SPDX-License-Identifier: GPL-2.0 */
/* Where a test runs, the reference device's debugfs controls, and modules. */
#ifndef VT_CONTROL_H
#define VT_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include "raw.h"

const char *vt_kernel(void);	/* VACC_KERNEL: 6.1, 6.12, uml, debug; or "unknown" */
const char *vt_backend(void);	/* VACC_BACKEND: direct, loopback, vaccd */

/*
 * A number of repetitions: full on UML, where code runs at native speed, and
 * 1/20 in emulated machines.  VACC_SCALE=N makes it 1/N anywhere.
 */
unsigned int vt_scale(unsigned int count);

/* The device under test: VACC_NODE, or the lowest /dev/virtio-accelN. */
int vt_node(void);

/* Write to, or read as a string, a control of node @node; of the mock if < 0. */
int vt_control(int node, const char *file, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int vt_control_read(int node, const char *file, char *text, size_t room);

/* Set a parameter of a loaded module; @old, of 32 bytes or NULL, gets what it was. */
int vt_parameter(const char *module, const char *name, char *old, const char *value);

/* Add a device and return its node, or -errno; and remove it. */
int vt_mock_add(void);
int vt_mock_remove(int node);

/* Nothing is held any more. */
void vt_release_all(int node);

/*
 * Wait until what the device counts as live, zombie and charged is as @before,
 * or, without @before, until there are no zombies.  0, or -ETIMEDOUT with what
 * differs on standard error.
 */
int vt_settle(int fd, const struct vacc_stats *before);

bool vt_module_loaded(const char *name);
int vt_module_refs(const char *name);
/* With parameters as for insmod. */
int vt_module_load(const char *name, const char *params);
int vt_module_unload(const char *name);

/* kB of a line of /proc/meminfo, as "Slab". */
long vt_meminfo(const char *name);

#endif /* VT_CONTROL_H */
