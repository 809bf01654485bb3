// SPDX-License-Identifier: GPL-2.0
/*
 * What a closed file leaves: closing never waits for a device, this does.
 */
#include "core.h"

/**
 * vacc_file_kick_reaper() - have the reaper look at a closed file
 * @file: the file
 *
 * Context: any.
 */
void vacc_file_kick_reaper(struct vacc_file *file)
{
	kref_get(&file->ref);
	if (!queue_work(vacc_wq, &file->reap))
		vacc_file_put(file);
}

/*
 * The next object of a kind.  No call is under way on a closed file, and nobody but the
 * reaper and the end of an event takes handles away.
 */
static struct vacc_obj *vacc_reap_next(struct vacc_file *file,
				       enum vacc_kind kind, unsigned long *index)
{
	struct vacc_obj *obj;

	xa_lock_irq(&file->objects);
	for (obj = xa_find(&file->objects, index, ULONG_MAX, XA_PRESENT); obj;
	     obj = xa_find_after(&file->objects, index, ULONG_MAX, XA_PRESENT))
		if (obj->kind == kind)
			break;
	if (obj && kind == VACC_KIND_EVENT)
		kref_get(&container_of(obj, struct vacc_event, obj)->ref);
	xa_unlock_irq(&file->objects);
	return obj;
}

static void vacc_reap_events(struct vacc_file *file, bool drop)
{
	struct vacc_event *event;
	unsigned long index = 0;
	struct vacc_obj *obj;

	while ((obj = vacc_reap_next(file, VACC_KIND_EVENT, &index))) {
		event = container_of(obj, struct vacc_event, obj);
		if (drop)
			vacc_event_drop_handle(event);
		else
			vacc_event_abort(event, VACC_CAUSE_CANCEL);
		vacc_event_put(event);
		index++;
		cond_resched();
	}
}

static void vacc_reap_objects(struct vacc_file *file, enum vacc_kind kind)
{
	unsigned long index = 0;
	struct vacc_obj *obj;

	while ((obj = vacc_reap_next(file, kind, &index))) {
		vacc_obj_release(obj);
		index++;
		cond_resched();
	}
}

/**
 * vacc_file_reap() - take away what a closed file left
 * @work: its work
 *
 * Runs when the file is closed, and again when its last event has ended.
 *
 * Context: workqueue.
 */
void vacc_file_reap(struct work_struct *work)
{
	struct vacc_file *file = container_of(work, struct vacc_file, reap);

	if (!file->aborted) {
		file->aborted = true;
		vacc_reap_events(file, false);
	}
	if (!file->reaped && !atomic_read(&file->inflight)) {
		file->reaped = true;
		vacc_reap_events(file, true);
		vacc_reap_objects(file, VACC_KIND_QUEUE);
		vacc_reap_objects(file, VACC_KIND_PROGRAM);
		vacc_reap_objects(file, VACC_KIND_BUFFER);
		vacc_reap_objects(file, VACC_KIND_CONTEXT);
		mtree_destroy(&file->maps);
		wake_up_all(&file->dev->wait);
	}
	vacc_file_put(file);
}
