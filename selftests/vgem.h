/* SPDX-License-Identifier: GPL-2.0 */
/* Fences of vgem, a driver of the kernel's that makes them for tests. */
#ifndef VT_VGEM_H
#define VT_VGEM_H

#include <linux/types.h>

struct vt_vgem {
	int card;
	__u32 buffer;
};

/* Loads and opens it: 0, or -ENODEV where this kernel has none. */
int vt_vgem_open(struct vt_vgem *vgem);
void vt_vgem_close(struct vt_vgem *vgem);
/* A sync_file of a dma-buf that is being written to, or -errno; @number is for below. */
int vt_vgem_fence(struct vt_vgem *vgem, __u32 *number);
int vt_vgem_signal(struct vt_vgem *vgem, __u32 number);

#endif /* VT_VGEM_H */
