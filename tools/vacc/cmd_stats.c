// SPDX-License-Identifier: GPL-2.0
/* vacc stats, vacc settle. */
#include <stdint.h>

#include "cli.h"
#include "report.h"

#define NS_PER_S	1000000000ULL
#define DEFAULT_TIMEOUT	60

static void report_counts(struct report *report, const char *name,
			  const struct vacc_object_counts *counts)
{
	report_group(report, name);
	report_number(report, "contexts", counts->contexts);
	report_number(report, "buffers", counts->buffers);
	report_number(report, "programs", counts->programs);
	report_number(report, "queues", counts->queues);
	report_number(report, "events", counts->events);
	report_group_end(report);
}

static int print_stats(struct vacc_device *dev, bool json)
{
	struct vacc_stats stats;
	struct report report;

	if (vacc_stats(dev, &stats))
		return failed(dev, "cannot get counters");
	report_begin(&report, json);
	report_counts(&report, "live", &stats.live);
	report_counts(&report, "zombie", &stats.zombie);
	report_number(&report, "live_bytes", stats.live_bytes);
	report_number(&report, "scratch_bytes", stats.scratch_bytes);
	report_number(&report, "submitted", stats.submitted);
	report_number(&report, "completed", stats.completed);
	report_number(&report, "failed", stats.failed);
	report_number(&report, "cancelled", stats.cancelled);
	report_number(&report, "rejected", stats.rejected);
	report_number(&report, "direct_bindings", stats.direct_bindings);
	report_number(&report, "allocations", stats.allocations);
	report_number(&report, "live_allocations", stats.live_allocations);
	report_number(&report, "commands", stats.commands);
	report_number(&report, "uploaded_bytes", stats.uploaded_bytes);
	report_number(&report, "launches", stats.launches);
	report_number(&report, "readback_bytes", stats.readback_bytes);
	report_number(&report, "written_bytes", stats.written_bytes);
	report_number(&report, "busy_ns", stats.busy_ns);
	report_end(&report);
	return 0;
}

int cmd_stats(const struct options *options)
{
	struct vacc_device *dev;
	int status = open_device(options, &dev);

	if (status)
		return status;
	status = print_stats(dev, options->json);
	vacc_close(dev);
	return status;
}

int cmd_settle(const struct options *options)
{
	uint64_t timeout = DEFAULT_TIMEOUT;
	struct vacc_device *dev;
	int status;

	if (options->timeout &&
	    !number_parse(options->timeout, 0, UINT32_MAX, false, &timeout))
		return bad("%s is no number of seconds", options->timeout);
	status = open_device(options, &dev);
	if (status)
		return status;
	if (vacc_settle(dev, vacc_deadline(timeout * NS_PER_S)))
		status = failed(dev, "not settled");
	else
		status = print_stats(dev, options->json);
	vacc_close(dev);
	return status;
}
