// SPDX-License-Identifier: GPL-2.0
/*
 * Completion records: what read(2) returns for events that asked for it.
 *
 * The room for a record is taken when its event is submitted, so that none is lost.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "core.h"

/**
 * struct vacc_record_entry - a record, from submission to read(2)
 * @node: in the file's @records once its event has ended
 * @record: what is read
 */
struct vacc_record_entry {
	struct list_head node;
	struct vacc_record record;
};

/**
 * vacc_record_reserve() - take room for the record of an event, if it will leave one
 * @call: the call
 * @event: the event, not submitted yet
 *
 * Context: process.
 * Return: 0; -EAGAIN where reading records would make room; -ENOMEM.
 */
int vacc_record_reserve(struct vacc_call *call, struct vacc_event *event)
{
	struct vacc_file *file = call->file;
	struct vacc_record_entry *entry;

	if (!(event->submit_flags & VACC_SUBMIT_RECORD))
		return 0;
	if (atomic_inc_return(&file->record_count) > vacc_quota_inflight()) {
		atomic_dec(&file->record_count);
		return vacc_fail(call, -EAGAIN,
				 "the file has as many unread records as max_inflight");
	}
	entry = kzalloc(sizeof(*entry), GFP_KERNEL_ACCOUNT);
	if (!entry) {
		atomic_dec(&file->record_count);
		return -ENOMEM;
	}
	atomic_set(&event->record_steps, 2);
	event->record = entry;
	return 0;
}

static void vacc_record_wake(struct vacc_file *file)
{
	if (wq_has_sleeper(&file->wait))
		wake_up_all(&file->wait);
}

static void vacc_record_free(struct vacc_file *file,
			     struct vacc_record_entry *entry)
{
	kfree(entry);
	atomic_dec(&file->record_count);
}

/**
 * vacc_record_cancel() - give room back that was not needed
 * @event: an event that was not submitted
 *
 * Context: any.
 */
void vacc_record_cancel(struct vacc_event *event)
{
	struct vacc_file *file = event->obj.file;

	if (!event->record)
		return;
	vacc_record_free(file, event->record);
	event->record = NULL;
	vacc_record_wake(file);
}

/**
 * vacc_record_push() - make the record of an event readable, when called again
 * @event: an event that has ended, or been published
 *
 * Who reads the record may destroy the event, so both must have happened.
 *
 * Context: any.
 */
void vacc_record_push(struct vacc_event *event)
{
	struct vacc_record_entry *entry = event->record;
	struct vacc_file *file = event->obj.file;
	unsigned long flags;

	if (!entry || !atomic_dec_and_test(&event->record_steps))
		return;
	event->record = NULL;
	entry->record = (struct vacc_record){
		.type = VACC_RECORD_EVENT,
		.length = sizeof(entry->record),
		.user_data = event->user_data,
		.event = event->obj.handle,
		.state = event->state,
		.status = event->status,
	};
	if (event->clock) {
		entry->record.start_ns = event->clock->start_ns;
		entry->record.end_ns = event->clock->end_ns;
	}
	spin_lock_irqsave(&file->records_lock, flags);
	list_add_tail(&entry->node, &file->records);
	spin_unlock_irqrestore(&file->records_lock, flags);
	vacc_record_wake(file);
}

static struct vacc_record_entry *vacc_record_pop(struct vacc_file *file)
{
	struct vacc_record_entry *entry;

	spin_lock_irq(&file->records_lock);
	entry = list_first_entry_or_null(&file->records,
					 struct vacc_record_entry, node);
	if (entry)
		list_del(&entry->node);
	spin_unlock_irq(&file->records_lock);
	return entry;
}

static void vacc_record_push_back(struct vacc_file *file,
				  struct vacc_record_entry *entry)
{
	spin_lock_irq(&file->records_lock);
	list_add(&entry->node, &file->records);
	spin_unlock_irq(&file->records_lock);
	/* Another reader may have found nothing meanwhile. */
	vacc_record_wake(file);
}

/**
 * vacc_record_readable() - whether read(2) has something to return
 * @file: the file
 *
 * Context: any.
 * Return: whether it has.
 */
bool vacc_record_readable(struct vacc_file *file)
{
	return !list_empty_careful(&file->records);
}

/**
 * vacc_record_room() - whether a submission may ask for a record
 * @file: the file
 *
 * Context: any.
 * Return: whether it may.
 */
bool vacc_record_room(struct vacc_file *file)
{
	return atomic_read(&file->record_count) < vacc_quota_inflight();
}

/* Copies whole records, as many as there are and fit. */
static ssize_t vacc_record_copy(struct vacc_file *file, char __user *buf,
				size_t count)
{
	struct vacc_record_entry *entry;
	size_t done = 0;

	while (count - done >= sizeof(entry->record)) {
		entry = vacc_record_pop(file);
		if (!entry)
			break;
		if (copy_to_user(buf + done, &entry->record,
				 sizeof(entry->record))) {
			vacc_record_push_back(file, entry);
			return done ? done : -EFAULT;
		}
		done += sizeof(entry->record);
		vacc_record_free(file, entry);
	}
	/* There is room to submit. */
	if (done)
		vacc_record_wake(file);
	return done;
}

/* A device that is gone ends its events: those with room leave a record still. */
static bool vacc_record_over(struct vacc_file *file)
{
	return vacc_device_dead(file->dev) && !atomic_read(&file->record_count);
}

/**
 * vacc_read() - read(2): completion records
 * @filp: the open file
 * @buf: where they go
 * @count: how much there is room for
 * @pos: not used
 *
 * Context: process.
 * Return: bytes of whole records; -EINVAL where none fits; -EAGAIN where there is none and
 * the file has O_NONBLOCK; -ERESTARTSYS; -EFAULT; -ENODEV or -EIO where the device is
 * gone and nothing is left.
 */
ssize_t vacc_read(struct file *filp, char __user *buf, size_t count,
		  loff_t *pos)
{
	struct vacc_file *file = filp->private_data;
	ssize_t done;
	int err;

	if (count < sizeof(struct vacc_record))
		return -EINVAL;
	for (;;) {
		done = vacc_record_copy(file, buf, count);
		if (done)
			return done;
		if (vacc_record_over(file))
			return vacc_device_error(file->dev);
		if (filp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		err = wait_event_interruptible(file->wait,
					       vacc_record_readable(file) ||
					       vacc_record_over(file));
		if (err)
			return err;
	}
}

/**
 * vacc_record_drop_all() - free the records that nobody will read
 * @file: a file that is closed, and has no event in flight
 *
 * Context: may sleep.
 */
void vacc_record_drop_all(struct vacc_file *file)
{
	struct vacc_record_entry *entry;

	while ((entry = vacc_record_pop(file)))
		vacc_record_free(file, entry);
}
