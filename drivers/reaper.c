// SPDX-License-Identifier: GPL-2.0
/*
 * What a closed file leaves: closing never waits for a device, this does.
 */
#include <linux/jiffies.h>

#include "core.h"

/* How long to leave a backend alone that refuses to release something. */
#define VACC_REAP_RETRY	msecs_to_jiffies(20)

/**
 * vacc_file_kick_reaper() - have the reaper look at a closed file
 * @file: the file
 *
 * Context: any.
 */
void vacc_file_kick_reaper(struct vacc_file *file)
{
	kref_get(&file->ref);
	if (!queue_delayed_work(vacc_slow_wq, &file->reap, 0))
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

/* Whether all of a kind are gone; what the backend will not release is tried again. */
static bool vacc_reap_objects(struct vacc_file *file, enum vacc_kind kind,
			      bool forget)
{
	unsigned long index = 0;
	struct vacc_result result;
	struct vacc_obj *obj;
	bool all = true;

	while ((obj = vacc_reap_next(file, kind, &index))) {
		result = vacc_obj_release(obj);
		if (result.outcome == VACC_OUTCOME_REJECTED && forget)
			vacc_obj_forget(obj);
		else if (result.outcome == VACC_OUTCOME_REJECTED)
			all = false;
		index++;
		cond_resched();
	}
	return all;
}

/* Children go before their contexts. */
static bool vacc_reap_all(struct vacc_file *file, bool forget)
{
	vacc_reap_events(file, true);
	return vacc_reap_objects(file, VACC_KIND_QUEUE, forget) &&
	       vacc_reap_objects(file, VACC_KIND_PROGRAM, forget) &&
	       vacc_reap_objects(file, VACC_KIND_BUFFER, forget) &&
	       vacc_reap_objects(file, VACC_KIND_CONTEXT, forget);
}

static void vacc_reap_retry(struct vacc_file *file)
{
	kref_get(&file->ref);
	if (!queue_delayed_work(vacc_slow_wq, &file->reap, VACC_REAP_RETRY))
		vacc_file_put(file);
}

/* A backend that still refuses after the hang limit is not asked again. */
static void vacc_reap_try(struct vacc_file *file)
{
	const u32 limit_ms = file->dev->info.hang_limit_ms;

	if (!file->reap_until)
		file->reap_until = (jiffies + msecs_to_jiffies(limit_ms)) | 1;
	if (!vacc_reap_all(file, time_after(jiffies, file->reap_until))) {
		vacc_reap_retry(file);
		return;
	}
	file->reaped = true;
	vacc_record_drop_all(file);
	mtree_destroy(&file->maps);
	wake_up_all(&file->dev->wait);
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
	struct vacc_file *file = container_of(to_delayed_work(work),
					      struct vacc_file, reap);

	if (!file->aborted) {
		file->aborted = true;
		vacc_reap_events(file, false);
	}
	if (!file->reaped && !atomic_read(&file->held))
		vacc_reap_try(file);
	vacc_file_put(file);
}
