// SPDX-License-Identifier: GPL-2.0
/* Submissions, and what their commands take. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "timing.h"

static const char refused[] = "the device did not do it";

/* Make room for the rows of a program, when the first event of it has ended. */
static int make_room(struct timing *timing, struct vacc_device *dev,
		     const struct vacc_event *event)
{
	if (timing->rows)
		return 0;
	if (vacc_event_attribution(dev, event, NULL, 0, &timing->count))
		return failed(dev, "cannot get the times");
	timing->rows = calloc(timing->count, sizeof(*timing->rows));
	timing->ns = calloc(timing->count, sizeof(*timing->ns));
	return timing->rows && timing->ns ? 0 : broken("out of memory");
}

static int add_times(struct timing *timing, struct vacc_device *dev,
		     const struct vacc_event *event)
{
	int status = make_room(timing, dev, event);

	if (status)
		return status;
	if (vacc_event_attribution(dev, event, timing->rows, timing->count, NULL))
		return failed(dev, "cannot get the times");
	for (uint32_t i = 0; i < timing->count; i++)
		timing->ns[i] += timing->rows[i].end_ns - timing->rows[i].start_ns;
	timing->runs++;
	return 0;
}

static int wait_for(struct vacc_device *dev, struct vacc_event *event)
{
	int err;

	while (event->state == VACC_EVENT_PENDING) {
		err = vacc_wait(dev, event, VACC_NO_DEADLINE);
		if (err && err != -EINTR)
			return failed(dev, "cannot wait for the device");
	}
	err = vacc_event_error(event);
	if (err)
		return broken("%s: %s (%s)", refused, vacc_strerror(err),
			      vacc_status_name(event->status));
	return 0;
}

static int submit_timed(struct timing *timing, struct session *session,
			const struct vacc_program *program,
			const struct vacc_bind *binds, unsigned int count)
{
	const struct vacc_submit_options options = {
		.flags = VACC_SUBMIT_WAIT | VACC_SUBMIT_ATTRIBUTION |
			 VACC_SUBMIT_TIMING,
		.deadline_ns = VACC_NO_DEADLINE,
	};
	struct vacc_event event;
	int status;

	if (vacc_submit(&session->queue, program, binds, count, &options, &event))
		return failed(session->dev, refused);
	status = wait_for(session->dev, &event);
	if (!status)
		status = add_times(timing, session->dev, &event);
	vacc_event_destroy(&event);
	return status;
}

int timing_submit(struct timing *timing, struct session *session,
		  const struct vacc_program *program, const struct vacc_bind *binds,
		  unsigned int count)
{
	if (timing->wanted)
		return submit_timed(timing, session, program, binds, count);
	if (vacc_submit_wait(&session->queue, program, binds, count, 0))
		return failed(session->dev, refused);
	return 0;
}

void timing_report(const struct timing *timing, struct report *report)
{
	char name[24];

	for (uint32_t i = 0; i < timing->count; i++) {
		snprintf(name, sizeof(name), "command%u", i);
		report_group(report, name);
		report_text(report, "operation",
			    vacc_operation_name(timing->rows[i].operation));
		report_number(report, "runs", timing->runs);
		report_number(report, "ns", timing->ns[i]);
		report_group_end(report);
	}
}

void timing_free(struct timing *timing)
{
	free(timing->rows);
	free(timing->ns);
}
