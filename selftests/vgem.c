// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "raw.h"
#include "vgem.h"

/* The few things of drm/drm.h and drm/vgem_drm.h, which no package of ours has. */
struct version {
	int major, minor, patch;
	size_t name_len;
	char *name;
	size_t date_len;
	char *date;
	size_t desc_len;
	char *desc;
};

struct dumb {
	__u32 height, width, bpp, flags;
	__u32 handle, pitch;
	__u64 size;
};

struct prime {
	__u32 handle, flags;
	__s32 fd;
};

struct attach {
	__u32 handle, flags, out_fence, pad;
};

struct signal {
	__u32 fence, flags;
};

#define GET_VERSION	_IOWR('d', 0x00, struct version)
#define HANDLE_TO_FD	_IOWR('d', 0x2d, struct prime)
#define FENCE_ATTACH	_IOWR('d', 0x41, struct attach)
#define FENCE_SIGNAL	_IOW('d', 0x42, struct signal)
#define CREATE_DUMB	_IOWR('d', 0xb2, struct dumb)
#define FENCE_WRITE	1

static int find_card(void)
{
	char path[32], name[8] = "";
	int fd, i;

	for (i = 0; i < 8; i++) {
		struct version version = { .name_len = sizeof(name), .name = name };

		snprintf(path, sizeof(path), "/dev/dri/card%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!ioctl(fd, GET_VERSION, &version) && !strncmp(name, "vgem", 4))
			return fd;
		close(fd);
	}
	return -ENODEV;
}

int vt_vgem_open(struct vt_vgem *vgem)
{
	struct dumb dumb = { .width = 64, .height = 64, .bpp = 32 };
	int tries;

	vgem->card = find_card();
	if (vgem->card < 0 && system("modprobe -q vgem"))
		return -ENODEV;
	for (tries = 0; vgem->card < 0 && tries < 100; tries++) {
		vt_sleep_ms(10);
		vgem->card = find_card();
	}
	if (vgem->card < 0)
		return vgem->card;
	if (ioctl(vgem->card, CREATE_DUMB, &dumb))
		return -errno;
	vgem->buffer = dumb.handle;
	return 0;
}

void vt_vgem_close(struct vt_vgem *vgem)
{
	if (vgem->card >= 0)
		close(vgem->card);
	vgem->card = -1;
}

int vt_vgem_fence(struct vt_vgem *vgem, __u32 *number)
{
	struct dma_buf_export_sync_file export = { .flags = DMA_BUF_SYNC_READ };
	struct attach attach = { .handle = vgem->buffer, .flags = FENCE_WRITE };
	struct prime prime = { .handle = vgem->buffer, .flags = O_CLOEXEC };
	int r = 0;

	if (ioctl(vgem->card, FENCE_ATTACH, &attach) ||
	    ioctl(vgem->card, HANDLE_TO_FD, &prime))
		return -errno;
	*number = attach.out_fence;
	if (ioctl(prime.fd, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &export))
		r = -errno;
	close(prime.fd);
	return r ?: export.fd;
}

int vt_vgem_signal(struct vt_vgem *vgem, __u32 number)
{
	struct signal signal = { .fence = number };

	return ioctl(vgem->card, FENCE_SIGNAL, &signal) ? -errno : 0;
}
