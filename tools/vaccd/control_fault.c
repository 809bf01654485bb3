// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The harness of hostility and faults.
 */
#include <errno.h>
#include <string.h>

#include "control.h"

struct option {
	const char *name;
	u64 *value;
};

static int parse_option(char *word, const struct option *options)
{
	char *value = strchr(word, '=');

	if (!value)
		return -EINVAL;
	*value++ = '\0';
	for (; options->name; options++) {
		if (!strcmp(word, options->name))
			return control_number(value, U64_MAX, options->value);
	}
	return -EINVAL;
}

static int parse_options(char *text, const struct option *options)
{
	char *word;
	int err = 0;

	while (!err && (word = control_word(&text)))
		err = parse_option(word, options);
	return err;
}

static int status_errno(u16 status)
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

static int add_hostility(struct control_context *context,
			 enum eng_hostility what, char *text)
{
	struct eng_hostile_rule rule = { .what = what };
	u64 opcode = 0;
	const struct option options[] = {
		{ "value", &rule.value }, { "opcode", &opcode },
		{ "skip", &rule.skip }, { "count", &rule.count }, {},
	};

	if (parse_options(text, options) || opcode > U16_MAX)
		return -EINVAL;
	rule.opcode = opcode;
	return status_errno(eng_hostile_add(&context->serve->hostile, &rule));
}

/**
 * control_hostile() - falsify replies
 * @context: of what
 * @arguments: how
 * @answer: receives how many were met where nothing is asked for
 *
 * Return: 0 or a negative errno.
 */
int control_hostile(struct control_context *context, char *arguments,
		    struct control_text *answer)
{
	struct eng_hostile *hostile = &context->serve->hostile;
	char *word = control_word(&arguments);
	u32 what;

	if (!word) {
		text_add(answer, "%llu\n", eng_hostile_met(hostile));
		return 0;
	}
	if (!strcmp(word, "flush")) {
		serve_flush(context->serve);
		return 0;
	}
	if (!strcmp(word, "clear")) {
		eng_hostile_clear(hostile);
		return 0;
	}
	for (what = 0; what < ENG_HOSTILE_COUNT; what++) {
		if (!strcmp(word, eng_hostility_name(what)))
			return add_hostility(context, what, arguments);
	}
	return -EINVAL;
}

/**
 * control_mute() - lose replies
 * @context: of what
 * @arguments: which
 * @answer: of no use
 *
 * Return: 0 or a negative errno.
 */
int control_mute(struct control_context *context, char *arguments,
		 struct control_text *answer)
{
	(void)answer;
	return add_hostility(context, ENG_HOSTILE_MUTE, arguments);
}

static int find_method(const char *word, u32 *method)
{
	for (*method = 0; *method < ENG_METHOD_COUNT; ++*method) {
		if (!strcmp(word, eng_method_name(*method)))
			return 0;
	}
	return -EINVAL;
}

static int find_kind(const char *word, u32 *kind)
{
	for (*kind = 0; *kind < ENG_FAULT_KINDS; ++*kind) {
		const char *name = eng_fault_name(*kind);

		if (name && !strcmp(word, name))
			return 0;
	}
	return -EINVAL;
}

/**
 * control_faults() - have methods of the engine fail
 * @context: of what
 * @arguments: which, and how
 * @answer: of no use
 *
 * Return: 0 or a negative errno.
 */
int control_faults(struct control_context *context, char *arguments,
		   struct control_text *answer)
{
	struct eng_faults *faults = eng_port_faults(context->device->port);
	struct eng_fault fault = { .call = 1 };
	u64 status = 0;
	u64 state = 0;
	const struct option options[] = {
		{ "call", &fault.call }, { "status", &status },
		{ "state", &state }, {},
	};
	char *word = control_word(&arguments);
	char *kind_word = control_word(&arguments);
	u32 method, kind;

	(void)answer;
	if (!word)
		return -EINVAL;
	if (!kind_word && !strcmp(word, "clear")) {
		eng_faults_clear(faults);
		return 0;
	}
	if (!kind_word || find_method(word, &method) ||
	    find_kind(kind_word, &kind) || parse_options(arguments, options) ||
	    status > U16_MAX || state > U16_MAX)
		return -EINVAL;
	fault.method = method;
	fault.kind = kind;
	fault.status = status;
	fault.state = state;
	return status_errno(eng_faults_add(faults, &fault));
}

/**
 * control_audit() - what the engine was asked, and what lives
 * @context: of what
 * @arguments: none
 * @answer: receives it
 *
 * Return: 0.
 */
int control_audit(struct control_context *context, char *arguments,
		  struct control_text *answer)
{
	static const char *const kinds[ENG_KIND_COUNT] = {
		[ENG_KIND_CONTEXT] = "contexts",
		[ENG_KIND_BUFFER] = "buffers",
		[ENG_KIND_IMAGE] = "programs",
		[ENG_KIND_QUEUE] = "queues",
		[ENG_KIND_EVENT] = "events",
	};
	struct eng_port_stats stats;
	struct eng_audit audit;
	u32 i;

	(void)arguments;
	eng_faults_audit(eng_port_faults(context->device->port), &audit);
	eng_port_stats(context->device->port, &stats);
	for (i = 0; i < ENG_METHOD_COUNT; i++)
		text_add(answer, "%s calls=%llu faults=%llu\n",
			 eng_method_name(i), audit.calls[i], audit.faults[i]);
	for (i = ENG_KIND_CONTEXT; i < ENG_KIND_COUNT; i++)
		text_add(answer, "%s created=%llu released=%llu live=%llu\n",
			 kinds[i], audit.created[i], audit.released[i],
			 audit.live[i]);
	text_add(answer, "double_release %llu\n", audit.double_release);
	text_add(answer, "use_after_release %llu\n", audit.use_after_release);
	text_add(answer, "parent_before_child %llu\n",
		 audit.parent_before_child);
	text_add(answer, "quarantined %u\n", stats.quarantined);
	text_add(answer, "buffer_memory %llu\n", stats.buffer_memory);
	text_add(answer, "program_memory %llu\n", stats.program_memory);
	text_add(answer, "epoch %u\n", stats.epoch);
	text_add(answer, "lost %d\n", stats.lost);
	return 0;
}
