// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Work that waits for a fence of somebody else: a timeline of sw_sync (debug kernels), a
 * dma-buf of vgem, or, where there is neither, an event that a second device holds.
 *
 * usage: gate [sw_sync | vgem | device]	what there is, unless said; as root
 */
#include <libvacc.h>
#include <linux/dma-buf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* A sync_file, and how to have it signal. */
struct gate {
	const char *name;
	int (*make)(struct gate *gate);
	int (*open)(struct gate *gate);
	int fd;
	__u32 number;
	struct vacc_device *dev;
};

struct sw_sync_fence {
	__u32 value;
	char name[32];
	__s32 fence;
};

#define SW_SYNC_CREATE	_IOWR('W', 0, struct sw_sync_fence)
#define SW_SYNC_INC	_IOW('W', 1, __u32)

static int sw_sync_make(struct gate *gate)
{
	struct sw_sync_fence fence = { .value = 1, .name = "gate" };

	gate->fd = open("/sys/kernel/debug/sync/sw_sync", O_RDWR | O_CLOEXEC);
	if (gate->fd < 0 || ioctl(gate->fd, SW_SYNC_CREATE, &fence))
		return -1;
	return fence.fence;
}

static int sw_sync_open(struct gate *gate)
{
	__u32 one = 1;

	return ioctl(gate->fd, SW_SYNC_INC, &one);
}

/* What is used here of drm/drm.h and drm/vgem_drm.h, which libdrm-dev has. */
struct drm_version {
	int major, minor, patch;
	size_t name_len;
	char *name;
	size_t date_len;
	char *date;
	size_t desc_len;
	char *desc;
};

struct drm_mode_create_dumb {
	__u32 height, width, bpp, flags;
	__u32 handle, pitch;
	__u64 size;
};

struct drm_prime_handle {
	__u32 handle, flags;
	__s32 fd;
};

struct drm_vgem_fence_attach {
	__u32 handle, flags, out_fence, pad;
};

struct drm_vgem_fence_signal {
	__u32 fence, flags;
};

#define DRM_IOCTL_VERSION		_IOWR('d', 0x00, struct drm_version)
#define DRM_IOCTL_PRIME_HANDLE_TO_FD	_IOWR('d', 0x2d, struct drm_prime_handle)
#define DRM_IOCTL_VGEM_FENCE_ATTACH	_IOWR('d', 0x41, struct drm_vgem_fence_attach)
#define DRM_IOCTL_VGEM_FENCE_SIGNAL	_IOW('d', 0x42, struct drm_vgem_fence_signal)
#define DRM_IOCTL_MODE_CREATE_DUMB	_IOWR('d', 0xb2, struct drm_mode_create_dumb)
#define VGEM_FENCE_WRITE		1

/* The card whose driver is vgem, which makes buffers of nothing but memory. */
static int vgem_card(void)
{
	char path[32], name[8];
	int fd, i;

	for (i = 0; i < 16; i++) {
		struct drm_version version = { .name_len = sizeof(name), .name = name };

		snprintf(path, sizeof(path), "/dev/dri/card%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!ioctl(fd, DRM_IOCTL_VERSION, &version) && version.name_len == 4 &&
		    !memcmp(name, "vgem", 4))
			return fd;
		close(fd);
	}
	return -1;
}

/* A fence of the buffer, and from the dma-buf the fences that a reader has to wait for. */
static int vgem_make(struct gate *gate)
{
	struct drm_mode_create_dumb dumb = { .width = 64, .height = 64, .bpp = 32 };
	struct drm_vgem_fence_attach attach = { .flags = VGEM_FENCE_WRITE };
	struct drm_prime_handle prime = { .flags = O_CLOEXEC };
	struct dma_buf_export_sync_file export = { .flags = DMA_BUF_SYNC_READ };

	gate->fd = vgem_card();
	if (gate->fd < 0 || ioctl(gate->fd, DRM_IOCTL_MODE_CREATE_DUMB, &dumb))
		return -1;
	attach.handle = dumb.handle;
	prime.handle = dumb.handle;
	if (ioctl(gate->fd, DRM_IOCTL_VGEM_FENCE_ATTACH, &attach) ||
	    ioctl(gate->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime) ||
	    ioctl(prime.fd, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &export))
		return -1;
	close(prime.fd);
	gate->number = attach.out_fence;
	return export.fd;
}

static int vgem_open(struct gate *gate)
{
	struct drm_vgem_fence_signal signal = { .fence = gate->number };

	return ioctl(gate->fd, DRM_IOCTL_VGEM_FENCE_SIGNAL, &signal);
}

/* The reference device executes nothing while it is in hold mode. */
static int hold(struct gate *gate, const char *value)
{
	char path[64];
	int fd, err;

	snprintf(path, sizeof(path), "/sys/kernel/debug/virtio_accel_mock/%u/hold",
		 gate->number);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	err = fd < 0 || write(fd, value, 1) != 1;
	if (fd >= 0)
		close(fd);
	return err ? -1 : 0;
}

/* A queue, a buffer and a program that sets its bytes. */
struct work {
	struct vacc_queue queue;
	struct vacc_buffer buffer;
	struct vacc_program fill;
};

static int make_work(struct vacc_device *dev, struct work *w)
{
	struct vacc_ref_artifact fill;
	struct vacc_context context;

	vacc_ref_fill(&fill, 0, 0xa5);
	return vacc_context_create(dev, &context) ?: vacc_queue_create(&context, &w->queue) ?:
	       vacc_buffer_create(&context, 4096, NULL, &w->buffer) ?:
	       vacc_program_load(&context, &fill, sizeof(fill), &w->fill);
}

static int submit(struct work *w, struct vacc_submit_options *options,
		  struct vacc_event *event)
{
	struct vacc_bind bind = { &w->buffer, 0, VIRTIO_ACCEL_ACCESS_WRITE, 0, 0, 0 };

	return vacc_submit(&w->queue, &w->fill, &bind, 1, options, event);
}

static int device_make(struct gate *gate)
{
	struct vacc_submit_options options = { .flags = VACC_SUBMIT_OUT_FENCE };
	struct vacc_event event;
	unsigned int numbers[2];
	struct work w;
	char path[16];

	if (vacc_list(numbers, 2) < 2)
		return -1;
	gate->number = numbers[1];
	snprintf(path, sizeof(path), "%u", numbers[1]);
	if (vacc_open(path, &gate->dev) || make_work(gate->dev, &w) || hold(gate, "1") ||
	    submit(&w, &options, &event))
		return -1;
	return event.out_fence_fd;
}

static int device_open(struct gate *gate)
{
	return hold(gate, "0");
}

static struct gate gates[] = {
	{ "sw_sync", sw_sync_make, sw_sync_open, -1, 0, NULL },
	{ "vgem", vgem_make, vgem_open, -1, 0, NULL },
	{ "device", device_make, device_open, -1, 0, NULL },
};

/* The first that there is. */
static struct gate *find(const char *name, int *fence)
{
	struct gate *gate;

	for (gate = gates; gate < gates + sizeof(gates) / sizeof(gates[0]); gate++) {
		if (name && strcmp(name, gate->name))
			continue;
		*fence = gate->make(gate);
		if (*fence >= 0)
			return gate;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct vacc_in_fence in = { .kind = VACC_FENCE_SYNC_FILE };
	struct vacc_submit_options options = { .in_fences = &in, .in_fence_count = 1 };
	struct vacc_device *dev = NULL;
	struct vacc_event event;
	struct gate *gate;
	unsigned char byte[2];
	struct work w;
	int fence;

	gate = find(argc > 1 ? argv[1] : NULL, &fence);
	if (!gate)
		return fputs("gate: there is no such fence here\n", stderr), 1;
	in.value = fence;
	if (vacc_open(NULL, &dev) || make_work(dev, &w) || submit(&w, &options, &event))
		return fprintf(stderr, "gate: %s\n", vacc_last_error(dev)), 1;
	close(fence);
	if (vacc_wait(dev, &event, vacc_deadline(50000000)) != -ETIMEDOUT ||
	    vacc_buffer_read(&w.buffer, 0, &byte[0], 1))
		return fputs("gate: it did not wait\n", stderr), 1;
	if (gate->open(gate) || vacc_wait(dev, &event, vacc_deadline(10000000000)) ||
	    vacc_buffer_read(&w.buffer, 0, &byte[1], 1))
		return fputs("gate: it waits for ever\n", stderr), 1;
	printf("%s: 0x%02x before, %s, 0x%02x after\n", gate->name, byte[0],
	       vacc_state_name(event.state), byte[1]);
	vacc_close(dev);
	vacc_close(gate->dev);
	return event.state != VACC_EVENT_COMPLETE || byte[0] != 0 || byte[1] != 0xa5;
}
