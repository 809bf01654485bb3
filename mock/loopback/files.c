// SPDX-License-Identifier: GPL-2.0
/*
 * The harness of loopback devices: besides the files that every device has,
 *
 *	N/hostile	write WHAT [value=V] [opcode=O] [skip=S] [count=C]: falsifies
 *			replies; "clear" forgets what was written; "flush" returns
 *			what is held back.  Read: how many replies were met.
 *			WHAT is mute, late, stale, duplicate, swap, used_length,
 *			used_id, status, flags, payload_length, request_id, object,
 *			event_state or event_error.  Without opcode it meets all
 *			requests, with count the first so many after skip.
 *	N/faults	write METHOD KIND [call=N] [status=S] [state=T]: the N-th call
 *			from now of that method of the engine fails; "clear".
 *			METHOD is {context,buffer,queue}_{create,destroy},
 *			buffer_{read,write}, program_{load,unload}, submit or
 *			event_{poll,cancel,destroy}; KIND is before, after, reject,
 *			indeterminate or state
 *	N/audit		calls, and objects: created, released, live, and misuse
 *	N/ring		chains, kicks, interrupts and resets so far
 *	N/config	the configuration space in hexadecimal; can be written, at most
 *			32 bytes, for the next driver to see; "default"
 *	N/features	feature bits of the device type that are offered; likewise
 *	N/needs_reset	write anything: the device is lost until it is reset
 *	N/freeze	write anything: puts the driver to sleep, as a suspend does
 *	N/restore	write anything: wakes it up
 *
 * N is the number of the node that was there first; while the driver has none the
 * files stay.  Where it never made one the directory has the name of the virtio device.
 *
 * HANDLE of the common grammar is the low half of the request ID of a SUBMIT, where
 * our driver has the event's handle; sequence numbers begin anew with each reset.
 */
#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "loopback.h"

#define FILES_MAX_WRITE	256

/* Bits of the device type; a ring of another kind is nothing that we could serve. */
#define FILES_FEATURES	(GENMASK_ULL(23, 0) | GENMASK_ULL(63, 50))

/**
 * struct files_option - NAME=VALUE
 * @name: the name
 * @value: where the value goes
 */
struct files_option {
	const char *name;
	u64 *value;
};

static int files_option(char *word, const struct files_option *options)
{
	char *value = strchr(word, '=');

	if (!value)
		return -EINVAL;
	*value++ = '\0';
	for (; options->name; options++)
		if (!strcmp(word, options->name))
			return kstrtou64(value, 0, options->value) ? -EINVAL :
								     0;
	return -EINVAL;
}

static int files_options(char *text, const struct files_option *options)
{
	char *word;
	int err = 0;

	while (!err && (word = control_word(&text)))
		err = files_option(word, options);
	return err;
}

static int files_errno(u16 status)
{
	switch (status) {
	case VIRTIO_ACCEL_S_OK:
		return 0;
	case VIRTIO_ACCEL_S_RESOURCE_LIMIT:
		return -ENOSPC;
	default:
		return -EINVAL;
	}
}

static int files_find(const char *word, const char *(*name)(u32 index), u32 *index)
{
	const char *candidate;

	for (*index = 0; (candidate = name(*index)); ++*index)
		if (!strcmp(word, candidate))
			return 0;
	return -EINVAL;
}

static const char *files_hostility(u32 index)
{
	return eng_hostility_name(index);
}

static const char *files_method(u32 index)
{
	return eng_method_name(index);
}

static const char *files_fault(u32 index)
{
	return eng_fault_name(index);
}

static int files_hostile(struct loopback *loopback, char *text)
{
	struct eng_hostile_rule rule = {};
	u64 opcode = 0;
	const struct files_option options[] = {
		{ "value", &rule.value }, { "opcode", &opcode },
		{ "skip", &rule.skip }, { "count", &rule.count }, {},
	};
	char *word = control_word(&text);
	u32 what;
	int err;

	if (!word)
		return -EINVAL;
	mock_taint();
	if (!strcmp(word, "flush")) {
		loopback_serve_flush(loopback);
		return 0;
	}
	if (!strcmp(word, "clear")) {
		eng_hostile_clear(&loopback->hostile);
		return 0;
	}
	err = files_find(word, files_hostility, &what);
	if (!err)
		err = files_options(text, options);
	if (err || opcode > U16_MAX)
		return -EINVAL;
	rule.what = what;
	rule.opcode = opcode;
	return files_errno(eng_hostile_add(&loopback->hostile, &rule));
}

static int files_faults(struct loopback *loopback, char *text)
{
	struct eng_faults *faults = eng_port_faults(loopback->port);
	struct eng_fault fault = { .call = 1 };
	u64 status = 0;
	u64 state = 0;
	const struct files_option options[] = {
		{ "call", &fault.call }, { "status", &status },
		{ "state", &state }, {},
	};
	char *word = control_word(&text);
	char *kind_word = control_word(&text);
	u32 method, kind;

	if (!word)
		return -EINVAL;
	mock_taint();
	if (!kind_word && !strcmp(word, "clear")) {
		eng_faults_clear(faults);
		return 0;
	}
	if (!kind_word || files_find(word, files_method, &method) ||
	    files_find(kind_word, files_fault, &kind) ||
	    files_options(text, options) || status > U16_MAX || state > U16_MAX)
		return -EINVAL;
	fault.method = method;
	fault.kind = kind;
	fault.status = status;
	fault.state = state;
	return files_errno(eng_faults_add(faults, &fault));
}

/* The driver is told, as it is when a device changes it. */
static void files_set_config(struct loopback *loopback, const u8 *config,
			     size_t bytes)
{
	mock_taint();
	spin_lock_irq(&loopback->lock);
	memset(loopback->config, 0, sizeof(loopback->config));
	memcpy(loopback->config, config, bytes);
	loopback->generation++;
	spin_unlock_irq(&loopback->lock);
	virtio_config_changed(&loopback->vdev);
}

/* Bytes as two digits each; how many, or 0. */
static size_t files_bytes(const char *word, u8 *bytes, size_t room)
{
	size_t digits = strlen(word);
	size_t i;

	if (digits % 2 || digits / 2 > room)
		return 0;
	for (i = 0; i < digits / 2; i++)
		if (sscanf(word + 2 * i, "%2hhx", &bytes[i]) != 1)
			return 0;
	return digits / 2;
}

static int files_config(struct loopback *loopback, char *text)
{
	char *word = control_word(&text);
	struct virtio_accel_config wire;
	u8 config[LOOPBACK_CONFIG_BYTES];
	size_t bytes;

	if (!word || control_word(&text))
		return -EINVAL;
	if (!strcmp(word, "default")) {
		eng_port_wire_config(loopback->port, &wire);
		files_set_config(loopback, (void *)&wire, sizeof(wire));
		return 0;
	}
	bytes = files_bytes(word, config, sizeof(config));
	if (!bytes)
		return -EINVAL;
	files_set_config(loopback, config, bytes);
	return 0;
}

static int files_features(struct loopback *loopback, char *text)
{
	char *word = control_word(&text);
	u64 features;

	if (!word || control_word(&text) || kstrtou64(word, 0, &features) ||
	    (features & ~FILES_FEATURES))
		return -EINVAL;
	mock_taint();
	WRITE_ONCE(loopback->features, features);
	return 0;
}

static int files_needs_reset(struct loopback *loopback, char *text)
{
	mock_taint();
	eng_port_lose(loopback->port);
	return 0;
}

#ifdef CONFIG_PM_SLEEP
static int files_power(struct loopback *loopback, bool asleep)
{
	int err = -ENODEV;

	mutex_lock(&loopback->power);
	if (!loopback->gone && loopback->asleep != asleep) {
		device_lock(&loopback->vdev.dev);
		err = asleep ? virtio_device_freeze(&loopback->vdev) :
			       virtio_device_restore(&loopback->vdev);
		device_unlock(&loopback->vdev.dev);
		if (!err || !asleep)
			loopback->asleep = asleep;
	}
	mutex_unlock(&loopback->power);
	return err;
}

static int files_freeze(struct loopback *loopback, char *text)
{
	return files_power(loopback, true);
}

static int files_restore(struct loopback *loopback, char *text)
{
	return files_power(loopback, false);
}
#endif

static ssize_t files_write(struct file *file, const char __user *from,
			   size_t count,
			   int (*act)(struct loopback *loopback, char *text))
{
	char *text;
	int err;

	if (!count || count > FILES_MAX_WRITE)
		return -EINVAL;
	text = memdup_user_nul(from, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	/* What is opened for reading as well comes with a sequence. */
	if (file->f_mode & FMODE_READ)
		err = act(((struct seq_file *)file->private_data)->private,
			  text);
	else
		err = act(file->private_data, text);
	kfree(text);
	return err ?: count;
}

static int files_hostile_show(struct seq_file *seq, void *unused)
{
	struct loopback *loopback = seq->private;

	seq_printf(seq, "%llu\n", eng_hostile_met(&loopback->hostile));
	return 0;
}

static int files_audit_show(struct seq_file *seq, void *unused)
{
	static const char * const kinds[ENG_KIND_COUNT] = {
		[ENG_KIND_CONTEXT] = "contexts",
		[ENG_KIND_BUFFER] = "buffers",
		[ENG_KIND_IMAGE] = "programs",
		[ENG_KIND_QUEUE] = "queues",
		[ENG_KIND_EVENT] = "events",
	};
	struct loopback *loopback = seq->private;
	struct eng_port_stats stats;
	struct eng_audit audit;
	u32 i;

	eng_faults_audit(eng_port_faults(loopback->port), &audit);
	eng_port_stats(loopback->port, &stats);
	for (i = 0; i < ENG_METHOD_COUNT; i++)
		seq_printf(seq, "%s calls=%llu faults=%llu\n",
			   eng_method_name(i), audit.calls[i], audit.faults[i]);
	for (i = ENG_KIND_CONTEXT; i < ENG_KIND_COUNT; i++)
		seq_printf(seq, "%s created=%llu released=%llu live=%llu\n",
			   kinds[i], audit.created[i], audit.released[i],
			   audit.live[i]);
	seq_printf(seq, "double_release %llu\n", audit.double_release);
	seq_printf(seq, "use_after_release %llu\n", audit.use_after_release);
	seq_printf(seq, "parent_before_child %llu\n",
		   audit.parent_before_child);
	seq_printf(seq, "quarantined %u\n", stats.quarantined);
	seq_printf(seq, "buffer_memory %llu\n", stats.buffer_memory);
	seq_printf(seq, "program_memory %llu\n", stats.program_memory);
	seq_printf(seq, "epoch %u\n", stats.epoch);
	seq_printf(seq, "lost %d\n", stats.lost);
	return 0;
}

static int files_ring_show(struct seq_file *seq, void *unused)
{
	struct loopback *loopback = seq->private;
	struct loopback_counters counters;
	struct eng_ring_counters ring;

	spin_lock_irq(&loopback->lock);
	counters = loopback->counters;
	spin_unlock_irq(&loopback->lock);
	eng_ring_counters(&loopback->ring, &ring);
	seq_printf(seq, "taken %llu\n", ring.popped);
	seq_printf(seq, "bad %llu\n", ring.bad);
	seq_printf(seq, "returned %llu\n", ring.pushed);
	seq_printf(seq, "kicks %llu\n", counters.kicks);
	seq_printf(seq, "interrupts %llu\n", counters.interrupts);
	seq_printf(seq, "resets %llu\n", counters.resets);
	return 0;
}

static int files_config_show(struct seq_file *seq, void *unused)
{
	struct loopback *loopback = seq->private;
	u8 config[LOOPBACK_CONFIG_BYTES];

	spin_lock_irq(&loopback->lock);
	memcpy(config, loopback->config, sizeof(config));
	spin_unlock_irq(&loopback->lock);
	seq_printf(seq, "%*phN\n", (int)sizeof(config), config);
	return 0;
}

static int files_features_show(struct seq_file *seq, void *unused)
{
	struct loopback *loopback = seq->private;

	seq_printf(seq, "%#llx\n", READ_ONCE(loopback->features));
	return 0;
}

#define FILES_WRITE(name)						\
static ssize_t files_##name##_write(struct file *file,			\
				    const char __user *from,		\
				    size_t count, loff_t *ppos)		\
{									\
	return files_write(file, from, count, files_##name);		\
}

#define FILES_READ(name)						\
static int files_##name##_open(struct inode *inode, struct file *file)	\
{									\
	if (!(file->f_mode & FMODE_READ))				\
		return simple_open(inode, file);			\
	return single_open(file, files_##name##_show, inode->i_private);\
}									\
									\
static int files_##name##_release(struct inode *inode, struct file *file) \
{									\
	return file->f_mode & FMODE_READ ? single_release(inode, file) : 0; \
}

#define FILES_READ_WRITE(name)						\
FILES_WRITE(name)							\
FILES_READ(name)							\
									\
static const struct file_operations files_##name##_fops = {		\
	.owner = THIS_MODULE,						\
	.open = files_##name##_open,					\
	.read = seq_read,						\
	.llseek = seq_lseek,						\
	.write = files_##name##_write,					\
	.release = files_##name##_release,				\
}

#define FILES_WRITE_ONLY(name)						\
FILES_WRITE(name)							\
									\
static const struct file_operations files_##name##_fops = {		\
	.owner = THIS_MODULE,						\
	.open = simple_open,						\
	.write = files_##name##_write,					\
}

FILES_READ_WRITE(hostile);
FILES_READ_WRITE(config);
FILES_READ_WRITE(features);
FILES_WRITE_ONLY(faults);
FILES_WRITE_ONLY(needs_reset);
#ifdef CONFIG_PM_SLEEP
FILES_WRITE_ONLY(freeze);
FILES_WRITE_ONLY(restore);
#endif
DEFINE_SHOW_ATTRIBUTE(files_audit);
DEFINE_SHOW_ATTRIBUTE(files_ring);

/* Between two engines the next is waited for. */
static struct eng_device *files_engine(void *owner)
{
	struct loopback *loopback = owner;
	struct eng_device *engine = eng_port_engine_get(loopback->port);

	if (engine)
		return engine;
	flush_work(&loopback->clean_work);
	return eng_port_engine_get(loopback->port);
}

static void files_engine_put(void *owner)
{
	struct loopback *loopback = owner;

	eng_port_engine_put(loopback->port);
}

static void files_hold(void *owner, bool hold)
{
	struct loopback *loopback = owner;

	if (hold)
		mock_taint();
	eng_port_hold(loopback->port, hold);
}

/**
 * loopback_files_add() - make the files of a device
 * @loopback: the device, on the bus
 * @control: the part of it that all devices have, for control_remove()
 *
 * Context: May sleep.
 */
void loopback_files_add(struct loopback *loopback,
			struct control_target *control)
{
	struct dentry *dir;
	char name[16];

	control->owner = loopback;
	control->get = files_engine;
	control->put = files_engine_put;
	control->hold = files_hold;
	if (loopback->instance < 0)
		strscpy(name, dev_name(&loopback->vdev.dev), sizeof(name));
	else
		snprintf(name, sizeof(name), "%d", loopback->instance);
	control_add(control, name);

	dir = control->dir;
	debugfs_create_file("hostile", 0600, dir, loopback,
			    &files_hostile_fops);
	debugfs_create_file("faults", 0200, dir, loopback, &files_faults_fops);
	debugfs_create_file("audit", 0400, dir, loopback, &files_audit_fops);
	debugfs_create_file("ring", 0400, dir, loopback, &files_ring_fops);
	debugfs_create_file("config", 0600, dir, loopback, &files_config_fops);
	debugfs_create_file("features", 0600, dir, loopback,
			    &files_features_fops);
	debugfs_create_file("needs_reset", 0200, dir, loopback,
			    &files_needs_reset_fops);
#ifdef CONFIG_PM_SLEEP
	debugfs_create_file("freeze", 0200, dir, loopback, &files_freeze_fops);
	debugfs_create_file("restore", 0200, dir, loopback,
			    &files_restore_fops);
#endif
}
