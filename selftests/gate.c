// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/sync_file.h>
#include "artifact.h"
#include "control.h"
#include "gate.h"

#define BYTES	64

int vt_gate_add(struct vt_gate *gate)
{
	int r;

	memset(gate, 0, sizeof(*gate));
	gate->fd = -1;
	gate->node = vt_mock_add();
	if (gate->node < 0)
		return gate->node;
	gate->fd = vt_open_node(gate->node);
	if (gate->fd < 0)
		return gate->fd;
	r = vt_context(gate->fd, &gate->context) ?:
	    vt_queue(gate->fd, gate->context, &gate->queue) ?:
	    vt_buffer(gate->fd, gate->context, BYTES, VT_USAGE_ALL, &gate->buffer) ?:
	    vt_load_fill(gate->fd, gate->context, 1, &gate->fill);
	gate->bind = vt_bind(gate->buffer, 0, VT_WRITE, 0, BYTES);
	return r ?: vt_control(gate->node, "hold", "1");
}

int vt_gate_remove(struct vt_gate *gate)
{
	int r;

	if (gate->node < 0)
		return 0;
	r = vt_mock_remove(gate->node);
	if (gate->fd >= 0)
		close(gate->fd);
	return r;
}

int vt_gate_fence(struct vt_gate *gate, __u32 *event)
{
	int r = vt_start(gate->fd, gate->queue, gate->fill, &gate->bind, 1, event);

	return r ?: vt_export(gate->fd, *event);
}

int vt_gate_open(struct vt_gate *gate, __u32 event)
{
	return vt_control(gate->node, "complete", "%u", event);
}

int vt_gate_fail(struct vt_gate *gate, __u32 event, __u16 status)
{
	return vt_control(gate->node, "fail", "%u %u", event, status);
}

int vt_fence_status(int fence)
{
	struct sync_file_info info = {};

	if (ioctl(fence, SYNC_IOC_FILE_INFO, &info))
		return -1000;
	return info.status;
}

int vt_fence_wait(int fence)
{
	struct pollfd p = { .fd = fence, .events = POLLIN };

	return poll(&p, 1, VT_PATIENCE_MS) == 1 ? vt_fence_status(fence) : -ETIMEDOUT;
}

int vt_fence_merge(int a, int b)
{
	struct sync_merge_data merge = { .name = "both", .fd2 = b };

	return ioctl(a, SYNC_IOC_MERGE, &merge) ? -errno : merge.fence;
}
