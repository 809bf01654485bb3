// SPDX-License-Identifier: GPL-2.0
/* vacc info, vacc list. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "report.h"

#define MAX_FORMATS	16

static const char *const classes[] = { "OTHER", "NPU", "GPU", "DSP" };
static const char *const backends[] = { "direct", "virtio" };
static const char *const engines[] = { "unknown", "integer", "avx2", "avx512" };

static const char *const capabilities[] = {
	"HOST_MEMORY", "DEVICE_MEMORY", "EVENT_CANCEL", "EXTERNAL_MEMORY",
	"SECURE_CONTEXTS", "SHARED_MEMORY", NULL,
};

static const char *const features[] = {
	"QUEUE_IN_ORDER", "MMAP", "ATTRIBUTION", "TIMING", "SYNC_FILE", "IN_FENCE",
	"RECORD", "SUBMIT_MANY", NULL,
};

#define NAME_OF(names, number) \
	((number) < sizeof(names) / sizeof((names)[0]) ? (names)[number] : "unknown")

/* A UUID that is text is shown as text. */
static void report_uuid(struct report *report, const __u8 *uuid)
{
	char text[40];
	size_t i;

	for (i = 0; i < 16 && isgraph(uuid[i]); i++)
		text[i] = uuid[i];
	if (i == 16) {
		text[16] = 0;
	} else {
		for (i = 0; i < 16; i++)
			snprintf(text + 2 * i, 3, "%02x", uuid[i]);
	}
	report_text(report, "uuid", text);
}

static void report_limits(struct report *report, const struct vacc_get_info *info)
{
	report_number(report, "max_contexts", info->max_contexts);
	report_number(report, "max_buffers_per_context", info->max_buffers_per_context);
	report_number(report, "max_programs_per_context",
		      info->max_programs_per_context);
	report_number(report, "max_queues_per_context", info->max_queues_per_context);
	report_number(report, "max_events_per_context", info->max_events_per_context);
	report_number(report, "max_bindings", info->max_bindings);
	report_number(report, "max_buffer_bytes", info->max_buffer_bytes);
	report_number(report, "max_artifact_bytes", info->max_artifact_bytes);
	report_number(report, "effective_bindings", info->effective_bindings);
	report_number(report, "effective_artifact_bytes",
		      info->effective_artifact_bytes);
	report_number(report, "max_inflight_per_file", info->max_inflight_per_file);
	report_number(report, "max_contexts_per_file", info->max_contexts_per_file);
	report_number(report, "total_bytes_limit", info->total_bytes_limit);
	report_number(report, "total_bytes_used", info->total_bytes_used);
	report_number(report, "scratch_bytes_limit", info->scratch_bytes_limit);
	report_number(report, "scratch_bytes_used", info->scratch_bytes_used);
	report_number(report, "command_timeout_ms", info->command_timeout_ms);
	report_number(report, "hang_limit_ms", info->hang_limit_ms);
	report_number(report, "inline_limit", info->inline_limit);
	report_number(report, "binding_offset_align", info->binding_offset_align);
	report_number(report, "poll_latency_max_us", info->poll_latency_max_us);
}

static void report_formats(struct report *report, const struct vacc_format *formats,
			   __u32 count)
{
	char text[MAX_FORMATS * 16] = "";
	size_t used = 0;

	for (__u32 i = 0; i < count && i < MAX_FORMATS; i++)
		used += snprintf(text + used, sizeof(text) - used, "%s0x%08x",
				 i ? " " : "", formats[i].format);
	report_text(report, "formats", count ? text : "-");
}

int cmd_info(const struct options *options)
{
	struct vacc_format formats[MAX_FORMATS];
	struct vacc_get_info info;
	struct vacc_device *dev;
	struct report report;
	int status = open_device(options, &dev);

	if (status)
		return status;
	if (vacc_info(dev, &info, formats, MAX_FORMATS)) {
		status = failed(dev, "cannot get information");
		vacc_close(dev);
		return status;
	}
	report_begin(&report, options->json);
	report_text(&report, "device_node", vacc_path(dev));
	report_uuid(&report, info.uuid);
	report_text(&report, "class", NAME_OF(classes, info.device_class));
	report_number(&report, "vendor", info.vendor);
	report_number(&report, "device", info.device);
	report_number(&report, "instance", info.instance);
	info.parent[sizeof(info.parent) - 1] = 0;
	report_text(&report, "parent", (char *)info.parent);
	report_text(&report, "backend", NAME_OF(backends, info.backend));
	report_text(&report, "engine", NAME_OF(engines, info.engine_path));
	report_number(&report, "abi_version", info.abi_version);
	report_bits(&report, "capabilities", info.capabilities, capabilities);
	report_bits(&report, "features", info.features, features);
	report_formats(&report, formats, info.formats.count);
	report_limits(&report, &info);
	report_end(&report);
	vacc_close(dev);
	return 0;
}

static void list_one(bool json, bool first, unsigned int number)
{
	char path[32];
	struct vacc_device *dev;
	struct vacc_get_info info;
	const char *class, *backend, *parent = "";

	snprintf(path, sizeof(path), "%u", number);
	if (vacc_open(path, &dev) || vacc_info(dev, &info, NULL, 0)) {
		class = "-";
		backend = vacc_last_error(NULL);
	} else {
		class = NAME_OF(classes, info.device_class);
		backend = NAME_OF(backends, info.backend);
		info.parent[sizeof(info.parent) - 1] = 0;
		parent = (char *)info.parent;
	}
	snprintf(path, sizeof(path), "/dev/virtio-accel%u", number);
	if (json) {
		printf("%s{\"device_node\":\"%s\",\"class\":\"%s\",\"backend\":",
		       first ? "" : ",", path, class);
		report_json_string(backend);
		printf(",\"parent\":");
		report_json_string(parent);
		putchar('}');
	} else {
		printf("%-20s %-6s %-8s %s\n", path, class, backend, parent);
	}
	vacc_close(dev);
}

int cmd_list(const struct options *options)
{
	unsigned int numbers[VACC_MAX_DEVICES];
	int count = vacc_list(numbers, VACC_MAX_DEVICES);

	if (options->json)
		putchar('[');
	for (int i = 0; i < count; i++)
		list_one(options->json, !i, numbers[i]);
	if (options->json)
		puts("]");
	return 0;
}
