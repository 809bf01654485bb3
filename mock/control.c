// SPDX-License-Identifier: GPL-2.0
/*
 * The harness in debugfs: virtio_accel_mock/, mode 0600.
 *
 *	add		write anything: adds a device
 *	remove		write N: unplugs the device of /dev/virtio-accelN
 *	N/hold		1 in hold mode, else 0; can be written, also during a reset
 *	N/complete	write EVENT or "all": executes it now
 *	N/fail		write EVENT or "all", then a status, 1 to 65535
 *	N/lose		write EVENT or "all": fails it with DEVICE_LOST
 *	N/reorder	write EVENT...: executes them in this order
 *	N/release	write anything: ends hold mode
 *	N/events	unfinished events, one a line:
 *			#SEQUENCE HANDLE queue=QUEUE pid=PROCESS pending|executing
 *	N/counters	what there is and what was done, one a line: NAME VALUE;
 *			fpu_section_ns and fpu_section_macs are the longest time,
 *			and the most products, without the chance to be preempted;
 *			panels are products whose weights are kept packed, and
 *			panels_hits launches that found them so; engine_path is
 *			VACC_ENGINE_*; launches_spread are those that several
 *			processors had
 *
 * EVENT is #SEQUENCE, a number that no two events of a device share, or HANDLE,
 * the handle as userspace knows it: the oldest pending event that has it, for
 * handles are each file's own.  Numbers are decimal, or hexadecimal behind 0x.
 *
 * "all" means the events that are pending when the write begins, oldest first, and
 * passes over those that end by themselves meanwhile.
 *
 * Errors of a write: EINVAL what was written is not of this grammar, ENOENT there is
 * no such event or device, EBUSY the event executes already or is being ended by
 * somebody else, EINTR a fatal signal.  "reorder" stops at the first error; what
 * came before it has happened.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "control.h"
#include "engine/engine.h"

#define CONTROL_MAX_WRITE	65536
#define CONTROL_LIST		64

/* Status that stands for "execute it" instead of a failure. */
#define CONTROL_COMPLETE	0

static struct dentry *control_root;
static struct dentry *control_add_file;
static struct dentry *control_remove_file;

static int control_errno(u16 status)
{
	switch (status) {
	case VIRTIO_ACCEL_S_OK:
		return 0;
	case VIRTIO_ACCEL_S_STALE_OBJECT:
		return -ENOENT;
	default:
		return -EBUSY;
	}
}

static struct eng_device *control_get(const struct control_target *target)
{
	return target->get(target->owner);
}

static void control_put(const struct control_target *target)
{
	if (target->put)
		target->put(target->owner);
}

static int control_end(struct eng_device *engine, u64 sequence, u16 status)
{
	if (status == CONTROL_COMPLETE)
		return control_errno(eng_harness_complete(engine, sequence));
	return control_errno(eng_harness_fail(engine, sequence, status));
}

static int control_end_all(struct eng_device *engine, u16 status)
{
	u64 last = eng_harness_newest(engine);
	u64 sequence;

	while (!eng_harness_oldest(engine, &sequence) && sequence <= last) {
		if (fatal_signal_pending(current))
			return -EINTR;
		control_end(engine, sequence, status);
		cond_resched();
	}
	return 0;
}

/* EVENT: its grammar, and with @engine its number. */
static int control_event(struct eng_device *engine, const char *word,
			 u64 *sequence)
{
	u32 handle;

	if (*word == '#')
		return kstrtou64(word + 1, 0, sequence) ? -EINVAL : 0;
	if (kstrtou32(word, 0, &handle))
		return -EINVAL;
	if (!engine)
		return 0;
	return control_errno(eng_harness_find(engine, handle, sequence));
}

/**
 * control_word() - the next word
 * @text: where to look; moved on
 *
 * Context: Any.
 * Return: it, or NULL at the end.
 */
char *control_word(char **text)
{
	char *word;

	do {
		word = strsep(text, " \t\n");
	} while (word && !*word);
	return word;
}

static int control_end_word(struct eng_device *engine, const char *word,
			    u16 status)
{
	u64 sequence;
	int err;

	if (!word)
		return -EINVAL;
	if (!strcmp(word, "all"))
		return control_end_all(engine, status);
	err = control_event(engine, word, &sequence);
	return err ?: control_end(engine, sequence, status);
}

static int control_complete(struct control_target *target,
			    struct eng_device *engine, char *text)
{
	char *word = control_word(&text);

	if (control_word(&text))
		return -EINVAL;
	return control_end_word(engine, word, CONTROL_COMPLETE);
}

static int control_lose(struct control_target *target,
			struct eng_device *engine, char *text)
{
	char *word = control_word(&text);

	if (control_word(&text))
		return -EINVAL;
	return control_end_word(engine, word,
				VIRTIO_ACCEL_S_DEVICE_LOST);
}

static int control_fail(struct control_target *target,
			struct eng_device *engine, char *text)
{
	char *word = control_word(&text);
	char *number = control_word(&text);
	u16 status;

	if (!number || control_word(&text) || kstrtou16(number, 0, &status))
		return -EINVAL;
	/* This one is no device's to give. */
	if (!status || status == ENG_S_TRY_AGAIN)
		return -EINVAL;
	return control_end_word(engine, word, status);
}

static int control_reorder(struct control_target *target,
			   struct eng_device *engine, char *text)
{
	char *copy = kstrdup(text, GFP_KERNEL);
	char *rest = copy;
	u64 sequence;
	int err = -EINVAL;
	char *word;

	if (!copy)
		return -ENOMEM;
	/* First the grammar, so that a mistake in it changes nothing. */
	while ((word = control_word(&rest))) {
		err = control_event(NULL, word, &sequence);
		if (err)
			break;
	}
	kfree(copy);

	while (!err && (word = control_word(&text))) {
		if (fatal_signal_pending(current))
			return -EINTR;
		err = control_event(engine, word, &sequence);
		if (!err)
			err = control_end(engine, sequence,
					  CONTROL_COMPLETE);
	}
	return err;
}

static ssize_t control_write(struct file *file, const char __user *from,
			     size_t count,
			     int (*act)(struct control_target *target,
					struct eng_device *engine, char *text))
{
	struct control_target *target = file->private_data;
	struct eng_device *engine;
	char *text;
	int err;

	if (!count || count > CONTROL_MAX_WRITE)
		return -EINVAL;
	text = memdup_user_nul(from, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	engine = control_get(target);
	err = engine ? act(target, engine, text) : -ENODEV;
	if (engine)
		control_put(target);
	kfree(text);
	return err ?: count;
}

#define CONTROL_WRITE_FILE(name)					\
static ssize_t control_##name##_write(struct file *file,		\
				      const char __user *from,		\
				      size_t count, loff_t *ppos)	\
{									\
	return control_write(file, from, count, control_##name);	\
}									\
									\
static const struct file_operations control_##name##_fops = {		\
	.owner = THIS_MODULE,						\
	.open = simple_open,						\
	.write = control_##name##_write,				\
}

CONTROL_WRITE_FILE(complete);
CONTROL_WRITE_FILE(fail);
CONTROL_WRITE_FILE(lose);
CONTROL_WRITE_FILE(reorder);

/* Hold mode is the device's, whether it has an engine just now or not. */
static ssize_t control_release_write(struct file *file, const char __user *from,
				     size_t count, loff_t *ppos)
{
	struct control_target *target = file->private_data;

	if (!count || count > CONTROL_MAX_WRITE)
		return -EINVAL;
	target->hold(target->owner, false);
	return count;
}

static const struct file_operations control_release_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = control_release_write,
};

static int control_hold_get(void *data, u64 *value)
{
	struct eng_device *engine = control_get(data);

	if (!engine)
		return -ENODEV;
	*value = eng_harness_held(engine);
	control_put(data);
	return 0;
}

static int control_hold_set(void *data, u64 value)
{
	struct control_target *target = data;

	if (value > 1)
		return -EINVAL;
	target->hold(target->owner, value);
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(control_hold_fops, control_hold_get, control_hold_set,
			 "%llu\n");

static int control_events_show(struct seq_file *seq, void *unused)
{
	struct eng_harness_event *after = NULL;
	struct eng_harness_event *events;
	struct eng_harness_event last;
	struct eng_device *engine;
	u32 count, i;

	events = kcalloc(CONTROL_LIST, sizeof(*events), GFP_KERNEL);
	if (!events)
		return -ENOMEM;
	engine = control_get(seq->private);
	if (!engine) {
		kfree(events);
		return -ENODEV;
	}
	do {
		count = eng_harness_list(engine, after, events,
					 CONTROL_LIST);
		for (i = 0; i < count; i++)
			seq_printf(seq, "#%llu %u queue=%llu pid=%u %s\n",
				   events[i].sequence, events[i].tag,
				   events[i].queue, events[i].process,
				   events[i].executing ? "executing" :
							 "pending");
		if (count) {
			last = events[count - 1];
			after = &last;
		}
		cond_resched();
	} while (count == CONTROL_LIST && !seq_has_overflowed(seq));
	control_put(seq->private);
	kfree(events);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(control_events);

static int control_counters_show(struct seq_file *seq, void *unused)
{
	struct eng_device *engine = control_get(seq->private);
	struct eng_device_stats stats;

	if (!engine)
		return -ENODEV;
	eng_device_stats(engine, &stats);
	control_put(seq->private);
	seq_printf(seq, "contexts %u\n", stats.contexts);
	seq_printf(seq, "buffers %u\n", stats.buffers);
	seq_printf(seq, "programs %u\n", stats.images);
	seq_printf(seq, "queues %u\n", stats.queues);
	seq_printf(seq, "events %u\n", stats.events);
	seq_printf(seq, "direct_bindings %llu\n", stats.direct_bindings);
	seq_printf(seq, "scratch_bytes %llu\n", stats.scratch_bytes);
	seq_printf(seq, "engine_path %u\n", eng_linear_path());
	seq_printf(seq, "panels %u\n", stats.panels);
	seq_printf(seq, "panels_bytes %llu\n", stats.panels_bytes);
	seq_printf(seq, "panels_hits %llu\n", stats.panels_hits);
	seq_printf(seq, "commands %llu\n", stats.work.done.commands);
	seq_printf(seq, "uploaded_bytes %llu\n",
		   stats.work.done.uploaded_bytes);
	seq_printf(seq, "launches_spread %llu\n", stats.work.done.spread);
	seq_printf(seq, "launches %llu\n", stats.work.done.launches);
	seq_printf(seq, "busy_ns %llu\n", stats.work.busy_ns);
	seq_printf(seq, "fpu_section_ns %u\n", stats.work.done.longest.ns);
	seq_printf(seq, "fpu_section_macs %u\n",
		   stats.work.done.longest.macs);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(control_counters);

static ssize_t control_add_write(struct file *file, const char __user *from,
				 size_t count, loff_t *ppos)
{
	int err = mock_add();

	return err ?: count;
}

static const struct file_operations control_add_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = control_add_write,
};

static ssize_t control_remove_write(struct file *file, const char __user *from,
				    size_t count, loff_t *ppos)
{
	u32 instance;
	int err;

	if (kstrtou32_from_user(from, count, 0, &instance))
		return -EINVAL;
	err = mock_remove(instance);
	return err ?: count;
}

static const struct file_operations control_remove_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = control_remove_write,
};

/**
 * control_init() - make the directory
 *
 * Without debugfs there is no harness, and everything else works.
 *
 * Context: May sleep.
 */
void control_init(void)
{
	control_root = debugfs_create_dir("virtio_accel_mock", NULL);
	control_add_file = debugfs_create_file("add", 0200, control_root, NULL,
					       &control_add_fops);
	control_remove_file = debugfs_create_file("remove", 0200, control_root,
						  NULL, &control_remove_fops);
}

/**
 * control_stop() - end adding and removing of devices
 *
 * Context: May sleep; waits for writes that are under way.
 */
void control_stop(void)
{
	debugfs_remove(control_add_file);
	debugfs_remove(control_remove_file);
}

/**
 * control_exit() - remove the directory
 *
 * Context: May sleep.
 */
void control_exit(void)
{
	debugfs_remove(control_root);
}

/**
 * control_add() - make the files of a device
 * @target: how to reach it; its directory is filled in
 * @name: name of the directory
 *
 * Context: May sleep.
 */
void control_add(struct control_target *target, const char *name)
{
	struct dentry *dir = debugfs_create_dir(name, control_root);

	target->dir = dir;

	debugfs_create_file_unsafe("hold", 0600, dir, target,
				   &control_hold_fops);
	debugfs_create_file("complete", 0200, dir, target,
			    &control_complete_fops);
	debugfs_create_file("fail", 0200, dir, target, &control_fail_fops);
	debugfs_create_file("lose", 0200, dir, target, &control_lose_fops);
	debugfs_create_file("reorder", 0200, dir, target,
			    &control_reorder_fops);
	debugfs_create_file("release", 0200, dir, target,
			    &control_release_fops);
	debugfs_create_file("events", 0400, dir, target, &control_events_fops);
	debugfs_create_file("counters", 0400, dir, target,
			    &control_counters_fops);
}

/**
 * control_remove() - remove the files of a device
 * @target: the device
 *
 * Context: May sleep; waits for writes that are under way.
 */
void control_remove(struct control_target *target)
{
	debugfs_remove(target->dir);
}
