// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/virtio_accel/vaccN/objects, for root: every object of a device, one a
 * line:
 *
 *	KIND HANDLE file=ID pid=PROCESS bytes=N refs=N pending=N STATE
 *
 * KIND is context, buffer, program, queue or event.  The process is who opened the file.
 * Bytes are what the device is charged with.  Refs are users: calls under way, and events
 * that the device has; of an event, its references.  Pending are pending events that use
 * the object; 1 for one itself.  STATE is that of an event, "live", "destroyed" while
 * somebody waits for its users, or "zombie" where the file is closed.
 *
 * A reader sees each object as it was at one moment, but not all at the same moment.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "core.h"

/**
 * struct vacc_debug_line - an object as it was seen
 * @kind: what it is
 * @handle: its handle
 * @bytes: charged for it
 * @refs: users, or references of an event
 * @pending: pending events that use it
 * @state: a word
 */
struct vacc_debug_line {
	enum vacc_kind kind;
	u32 handle;
	u64 bytes;
	u32 refs;
	u32 pending;
	const char *state;
};

/**
 * struct vacc_debug_iter - where a reader is
 * @dev: the device, registered as long as debugfs lets anybody read
 * @file: the file of @line, with a reference; NULL between two reads
 * @file_id: the file
 * @file_pid: who opened it
 * @pos: number of @line
 * @found: there is a line
 * @line: the object
 */
struct vacc_debug_iter {
	struct vacc_device *dev;
	struct vacc_file *file;
	u64 file_id;
	pid_t file_pid;
	loff_t pos;
	bool found;
	struct vacc_debug_line line;
};

static struct dentry *vacc_debug_root;

static const char *const vacc_debug_kinds[VACC_KIND_COUNT] = {
	[VACC_KIND_CONTEXT] = "context",
	[VACC_KIND_BUFFER] = "buffer",
	[VACC_KIND_PROGRAM] = "program",
	[VACC_KIND_QUEUE] = "queue",
	[VACC_KIND_EVENT] = "event",
};

static const char *vacc_debug_event_state(u32 state)
{
	switch (state) {
	case VACC_EVENT_PENDING:
		return "pending";
	case VACC_EVENT_COMPLETE:
		return "complete";
	case VACC_EVENT_FAILED:
		return "failed";
	default:
		return "cancelled";
	}
}

static void vacc_debug_fill_event(struct vacc_debug_line *line,
				  struct vacc_obj *obj)
{
	struct vacc_event *event = container_of(obj, struct vacc_event, obj);
	u32 state = vacc_event_state(event);

	line->refs = kref_read(&event->ref);
	line->pending = state == VACC_EVENT_PENDING;
	line->state = vacc_debug_event_state(state);
}

/* Under the lock of the handles, which keeps the object. */
static void vacc_debug_fill(struct vacc_debug_line *line, struct vacc_obj *obj)
{
	line->kind = obj->kind;
	line->handle = obj->handle;
	line->bytes = obj->bytes;
	line->refs = atomic_read(&obj->users);
	line->pending = atomic_read(&obj->pending);
	line->state = obj->ready ? "live" : "destroyed";
	if (obj->kind == VACC_KIND_EVENT)
		vacc_debug_fill_event(line, obj);
	if (obj->file->closed)
		line->state = "zombie";
}

/* The first file from an ID on, with a reference; they are in order. */
static struct vacc_file *vacc_debug_file(struct vacc_device *dev, u64 id)
{
	struct vacc_file *file, *found = NULL;

	spin_lock_irq(&dev->lock);
	list_for_each_entry(file, &dev->files, node) {
		if (file->id < id || !kref_get_unless_zero(&file->ref))
			continue;
		found = file;
		break;
	}
	spin_unlock_irq(&dev->lock);
	return found;
}

static bool vacc_debug_object(struct vacc_debug_iter *iter)
{
	struct xarray *objects = &iter->file->objects;
	unsigned long index = iter->line.handle;
	struct vacc_obj *obj;

	xa_lock_irq(objects);
	obj = xa_find_after(objects, &index, U32_MAX, XA_PRESENT);
	if (obj)
		vacc_debug_fill(&iter->line, obj);
	xa_unlock_irq(objects);
	return obj;
}

static void vacc_debug_leave(struct vacc_debug_iter *iter)
{
	if (iter->file)
		vacc_file_put(iter->file);
	iter->file = NULL;
}

/* Goes on from the line that the reader has; most files have several. */
static void vacc_debug_advance(struct vacc_debug_iter *iter)
{
	if (!iter->file)
		iter->file = vacc_debug_file(iter->dev, iter->file_id);
	while (iter->file) {
		if (iter->file->id != iter->file_id)
			iter->line.handle = 0;
		iter->file_id = iter->file->id;
		iter->file_pid = iter->file->pid;
		iter->found = vacc_debug_object(iter);
		if (iter->found)
			return;
		vacc_debug_leave(iter);
		iter->file = vacc_debug_file(iter->dev, iter->file_id + 1);
		cond_resched();
	}
	iter->found = false;
}

static void *vacc_debug_start(struct seq_file *m, loff_t *pos)
{
	struct vacc_debug_iter *iter = m->private;

	/* A reader goes back to the beginning, or on with the line that it has. */
	if (!*pos) {
		iter->file_id = 0;
		iter->line.handle = 0;
		iter->pos = 0;
		vacc_debug_advance(iter);
	}
	return iter->found && *pos == iter->pos ? iter : NULL;
}

static void *vacc_debug_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct vacc_debug_iter *iter = v;

	iter->pos = ++*pos;
	vacc_debug_advance(iter);
	return iter->found ? iter : NULL;
}

static void vacc_debug_stop(struct seq_file *m, void *v)
{
	vacc_debug_leave(m->private);
}

static int vacc_debug_show(struct seq_file *m, void *v)
{
	const struct vacc_debug_iter *iter = v;
	const struct vacc_debug_line *line = &iter->line;

	seq_printf(m, "%s %u file=%llu pid=%d bytes=%llu refs=%u pending=%u %s\n",
		   vacc_debug_kinds[line->kind], line->handle, iter->file_id,
		   iter->file_pid, line->bytes, line->refs, line->pending,
		   line->state);
	return 0;
}

static const struct seq_operations vacc_debug_seq_ops = {
	.start = vacc_debug_start,
	.next = vacc_debug_next,
	.stop = vacc_debug_stop,
	.show = vacc_debug_show,
};

static int vacc_debug_open(struct inode *inode, struct file *filp)
{
	struct vacc_debug_iter *iter;

	iter = __seq_open_private(filp, &vacc_debug_seq_ops, sizeof(*iter));
	if (!iter)
		return -ENOMEM;
	iter->dev = inode->i_private;
	return 0;
}

static const struct file_operations vacc_debug_fops = {
	.owner = THIS_MODULE,
	.open = vacc_debug_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release_private,
};

/**
 * vacc_debug_add() - show the objects of a device
 * @dev: the device, registered
 *
 * What fails is only not there.
 *
 * Context: may sleep.
 */
void vacc_debug_add(struct vacc_device *dev)
{
	char name[16];

	if (!vacc_debug_root)
		return;
	snprintf(name, sizeof(name), "vacc%d", dev->instance);
	dev->debug = debugfs_create_dir(name, vacc_debug_root);
	debugfs_create_file("objects", 0400, dev->debug, dev, &vacc_debug_fops);
}

/**
 * vacc_debug_remove() - end that; nobody reads any more when this returns
 * @dev: the device
 *
 * Context: may sleep; waits for a read that is under way.
 */
void vacc_debug_remove(struct vacc_device *dev)
{
	debugfs_remove_recursive(dev->debug);
}

/**
 * vacc_debug_init() - make the folder of all devices
 *
 * Context: may sleep.
 */
void vacc_debug_init(void)
{
	vacc_debug_root = debugfs_create_dir("virtio_accel", NULL);
}

/**
 * vacc_debug_exit() - remove it
 *
 * Context: may sleep.
 */
void vacc_debug_exit(void)
{
	debugfs_remove_recursive(vacc_debug_root);
}
