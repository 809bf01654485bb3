/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fences that a test signals when it likes: those of events of a second device, which is
 * in hold mode.
 */
#ifndef VT_GATE_H
#define VT_GATE_H

#include "raw.h"

struct vt_gate {
	int node, fd;
	__u32 context, queue, buffer, fill;
	struct vacc_binding bind;
};

/* Adds the device. */
int vt_gate_add(struct vt_gate *gate);
/* Removes it, if it is there: what is pending fails with ENODEV. */
int vt_gate_remove(struct vt_gate *gate);

/* A sync_file whose fence is pending, or -errno; @event names it for those below. */
int vt_gate_fence(struct vt_gate *gate, __u32 *event);
int vt_gate_open(struct vt_gate *gate, __u32 event);
int vt_gate_fail(struct vt_gate *gate, __u32 event, __u16 status);

/* An in-fence of it. */
static inline struct vacc_in_fence vt_in_fence(__u32 kind, __u32 value)
{
	return (struct vacc_in_fence) { .kind = kind, .value = value };
}

/* 0 pending, 1 done, or the error of a sync_file. */
int vt_fence_status(int fence);
/* The same once it has signalled; -ETIMEDOUT where it does not. */
int vt_fence_wait(int fence);
/* A sync_file of both, or -errno. */
int vt_fence_merge(int a, int b);

#endif /* VT_GATE_H */
