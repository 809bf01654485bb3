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
 * A number of repetitions: full on UML, where code runs at native speed, but 1/10 where
 * each call goes to another process and back, and 1/20 in emulated machines.  VACC_SCALE=N
 * makes it 1/N anywhere.
 */
unsigned int vt_scale(unsigned int count);

/* The device under test: VACC_NODE, or the lowest /dev/virtio-accelN. */
int vt_node(void);

/* Write to, or read as a string, a control of node @node; of the mock if < 0. */
int vt_control(int node, const char *file, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int vt_control_read(int node, const char *file, char *text, size_t room);

/* The number behind a name in the counters of node @node; -1 where there is none. */
long long vt_counter(int node, const char *name);

/* Set a parameter of a loaded module; @old, of 32 bytes or NULL, gets what it was. */
int vt_parameter(const char *module, const char *name, char *old, const char *value);

/* Add a device and return its node, or -errno; and remove it. */
int vt_mock_add(void);
int vt_mock_remove(int node);

/*
 * The reference device as a whole.  In the kernel it is a module, with parameters as for
 * insmod.  vaccd is there anyway: it loses the driver on all its devices, and gets it
 * again on one, or on as many as devices= says, with limits by the same names.
 */
bool vt_reference_loaded(void);
int vt_reference_load(const char *params);
int vt_reference_unload(void);

/* The device of a node on the virtio bus, as "virtio3"; -ENOENT where it is on none. */
int vt_virtio_name(int node, char *name, size_t room);
/* Take the driver off such a device, and put it on. */
int vt_driver_off(const char *vdev);
int vt_driver_on(const char *vdev);
/* Write to a file whose path is made like by printf(). */
int vt_sysfs(const char *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

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
/*
 * With parameters as for insmod; the driver gets those of $VACC_CORE_PARAMS, too, and takes
 * no device of vaccd yet.
 */
int vt_module_load(const char *name, const char *params);
int vt_module_unload(const char *name);

/* kB of a line of /proc/meminfo, as "Slab". */
long vt_meminfo(const char *name);

#endif /* VT_CONTROL_H */
