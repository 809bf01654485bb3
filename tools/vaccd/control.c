// SPDX-License-Identifier: GPL-2.0 OR MIT
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "control.h"
#include "options.h"

#define CONTROL_LIST	64

/* Status that stands for "execute it" instead of a failure. */
#define CONTROL_COMPLETE	0

/**
 * text_add() - add to a text
 * @text: the text; without memory for more it stays as it is
 * @format: as of printf()
 */
void text_add(struct control_text *text, const char *format, ...)
{
	va_list args;
	size_t room;
	char *bytes;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0)
		return;
	if (text->length + n + 1 > text->room) {
		room = 2 * (text->length + n + 1);
		bytes = realloc(text->bytes, room);
		if (!bytes)
			return;
		text->bytes = bytes;
		text->room = room;
	}
	va_start(args, format);
	vsnprintf(text->bytes + text->length, n + 1, format, args);
	va_end(args);
	text->length += n;
}

/**
 * control_word() - the next word
 * @text: what is left; moves on
 *
 * Return: the word, or NULL at the end.
 */
char *control_word(char **text)
{
	char *word;

	do {
		word = strsep(text, " \t\r\n");
	} while (word && !*word);
	return word;
}

/**
 * control_number() - a number, decimal, or hexadecimal behind 0x
 * @word: the number
 * @max: how large it may be
 * @number: receives it
 *
 * Return: 0 or -EINVAL.
 */
int control_number(const char *word, u64 max, u64 *number)
{
	char *end;

	if (!isdigit((unsigned char)*word))
		return -EINVAL;
	errno = 0;
	*number = strtoull(word, &end, 0);
	return *end || errno || *number > max ? -EINVAL : 0;
}

static int status_errno(u16 status)
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

static int end_event(struct eng_device *engine, u64 sequence, u16 status)
{
	if (status == CONTROL_COMPLETE)
		return status_errno(eng_harness_complete(engine, sequence));
	return status_errno(eng_harness_fail(engine, sequence, status));
}

static void end_all(struct eng_device *engine, u16 status)
{
	u64 last = eng_harness_newest(engine);
	u64 sequence;

	while (!eng_harness_oldest(engine, &sequence) && sequence <= last)
		end_event(engine, sequence, status);
}

/* EVENT: its grammar, and with @engine its number. */
static int find_event(struct eng_device *engine, const char *word,
		      u64 *sequence)
{
	u64 handle;

	if (*word == '#')
		return control_number(word + 1, U64_MAX, sequence);
	if (control_number(word, U32_MAX, &handle))
		return -EINVAL;
	if (!engine)
		return 0;
	return status_errno(eng_harness_find(engine, handle, sequence));
}

static int end_word(struct eng_device *engine, const char *word, u16 status)
{
	u64 sequence;
	int err;

	if (!word)
		return -EINVAL;
	if (!strcmp(word, "all")) {
		end_all(engine, status);
		return 0;
	}
	err = find_event(engine, word, &sequence);
	return err ? err : end_event(engine, sequence, status);
}

static int on_complete(struct eng_device *engine, char *text,
		       struct control_text *answer)
{
	char *word = control_word(&text);

	(void)answer;
	if (control_word(&text))
		return -EINVAL;
	return end_word(engine, word, CONTROL_COMPLETE);
}

static int on_lose(struct eng_device *engine, char *text,
		   struct control_text *answer)
{
	char *word = control_word(&text);

	(void)answer;
	if (control_word(&text))
		return -EINVAL;
	return end_word(engine, word, VIRTIO_ACCEL_S_DEVICE_LOST);
}

static int on_fail(struct eng_device *engine, char *text,
		   struct control_text *answer)
{
	char *word = control_word(&text);
	char *number = control_word(&text);
	u64 status;

	(void)answer;
	if (!number || control_word(&text) ||
	    control_number(number, U16_MAX, &status))
		return -EINVAL;
	/* This one is no device's to give. */
	if (!status || status == ENG_S_TRY_AGAIN)
		return -EINVAL;
	return end_word(engine, word, status);
}

static int on_reorder(struct eng_device *engine, char *text,
		      struct control_text *answer)
{
	char *copy = strdup(text);
	char *rest = copy;
	u64 sequence;
	int err = -EINVAL;
	char *word;

	(void)answer;
	if (!copy)
		return -ENOMEM;
	/* First the grammar, so that a mistake in it changes nothing. */
	while ((word = control_word(&rest))) {
		err = find_event(NULL, word, &sequence);
		if (err)
			break;
	}
	free(copy);

	while (!err && (word = control_word(&text))) {
		err = find_event(engine, word, &sequence);
		if (!err)
			err = end_event(engine, sequence, CONTROL_COMPLETE);
	}
	return err;
}

static int control_release(struct control_context *context, char *text,
			   struct control_text *answer)
{
	(void)text;
	(void)answer;
	eng_port_hold(context->device->port, false);
	return 0;
}

static int control_held(struct eng_port *port, struct control_text *answer)
{
	struct eng_device *engine = eng_port_engine_get(port);

	if (!engine)
		return -ENODEV;
	text_add(answer, "%d\n", eng_harness_held(engine));
	eng_port_engine_put(port);
	return 0;
}

static int control_hold(struct control_context *context, char *text,
			struct control_text *answer)
{
	char *word = control_word(&text);
	u64 value;

	if (!word)
		return control_held(context->device->port, answer);
	if (control_word(&text) || control_number(word, 1, &value))
		return -EINVAL;
	eng_port_hold(context->device->port, value);
	return 0;
}

static int on_events(struct eng_device *engine, char *text,
		     struct control_text *answer)
{
	struct eng_harness_event events[CONTROL_LIST];
	struct eng_harness_event *after = NULL;
	struct eng_harness_event last;
	u32 count, i;

	(void)text;
	do {
		count = eng_harness_list(engine, after, events, CONTROL_LIST);
		for (i = 0; i < count; i++)
			text_add(answer, "#%llu %u queue=%llu pid=%u %s\n",
				 events[i].sequence, events[i].tag,
				 events[i].queue, events[i].process,
				 events[i].executing ? "executing" : "pending");
		if (count) {
			last = events[count - 1];
			after = &last;
		}
	} while (count == CONTROL_LIST);
	return 0;
}

static int on_counters(struct eng_device *engine, char *text,
		       struct control_text *answer)
{
	struct eng_device_stats stats;

	(void)text;
	eng_device_stats(engine, &stats);
	text_add(answer, "contexts %u\n", stats.contexts);
	text_add(answer, "buffers %u\n", stats.buffers);
	text_add(answer, "programs %u\n", stats.images);
	text_add(answer, "queues %u\n", stats.queues);
	text_add(answer, "events %u\n", stats.events);
	text_add(answer, "direct_bindings %llu\n", stats.direct_bindings);
	text_add(answer, "scratch_bytes %llu\n", stats.scratch_bytes);
	text_add(answer, "engine_path %u\n", eng_linear_path());
	text_add(answer, "panels %u\n", stats.panels);
	text_add(answer, "panels_bytes %llu\n", stats.panels_bytes);
	text_add(answer, "panels_hits %llu\n", stats.panels_hits);
	text_add(answer, "commands %llu\n", stats.work.done.commands);
	text_add(answer, "uploaded_bytes %llu\n",
		 stats.work.done.uploaded_bytes);
	text_add(answer, "launches_spread %llu\n", stats.work.done.spread);
	text_add(answer, "launches %llu\n", stats.work.done.launches);
	text_add(answer, "busy_ns %llu\n", stats.work.busy_ns);
	return 0;
}

static int control_ring(struct control_context *context, char *arguments,
			struct control_text *answer)
{
	struct device_counters d;
	struct eng_ring_counters ring;
	struct serve_counters serve;

	(void)arguments;
	device_counters(context->device, &d);
	eng_ring_counters(&context->serve->ring, &ring);
	serve_counters(context->serve, &serve);
	text_add(answer, "taken %llu\n", ring.popped);
	text_add(answer, "bad %llu\n", ring.bad);
	text_add(answer, "returned %llu\n", ring.pushed);
	text_add(answer, "kicks %llu\n", serve.kicks);
	text_add(answer, "interrupts %llu\n", serve.interrupts);
	text_add(answer, "starts %llu\n", d.starts);
	text_add(answer, "resets %llu\n", d.resets);
	text_add(answer, "connections %llu\n", d.connections);
	text_add(answer, "messages %llu\n", d.messages);
	text_add(answer, "refused %llu\n", d.refused);
	text_add(answer, "tables %llu\n", d.tables);
	text_add(answer, "memory_lost %llu\n", d.memory_lost);
	return 0;
}

static void config_show(struct device *device, struct control_text *answer)
{
	u8 config[DEVICE_CONFIG_BYTES];
	u32 i;

	device_read_config(device, 0, config, sizeof(config));
	for (i = 0; i < sizeof(config); i++)
		text_add(answer, "%02x", config[i]);
	text_add(answer, "\n");
}

static int config_parse(const char *word, u8 *config)
{
	size_t digits = strlen(word);
	unsigned int byte;
	size_t i;

	if (digits % 2 || digits / 2 > DEVICE_CONFIG_BYTES ||
	    strspn(word, "0123456789abcdefABCDEF") != digits)
		return -EINVAL;
	for (i = 0; i < digits / 2; i++) {
		if (sscanf(word + 2 * i, "%2x", &byte) != 1)
			return -EINVAL;
		config[i] = byte;
	}
	return 0;
}

static int control_config(struct control_context *context, char *arguments,
			  struct control_text *answer)
{
	struct device *device = context->device;
	u8 config[DEVICE_CONFIG_BYTES] = {};
	struct virtio_accel_config wire;
	char *word = control_word(&arguments);

	if (!word) {
		config_show(device, answer);
		return 0;
	}
	if (control_word(&arguments))
		return -EINVAL;
	if (!strcmp(word, "default")) {
		eng_port_wire_config(device->port, &wire);
		memcpy(config, &wire, sizeof(wire));
	} else if (config_parse(word, config)) {
		return -EINVAL;
	}
	pthread_mutex_lock(&device->lock);
	memcpy(device->config, config, sizeof(config));
	pthread_mutex_unlock(&device->lock);
	return 0;
}

static int control_features(struct control_context *context, char *arguments,
			    struct control_text *answer)
{
	const u64 transport = 0x0003ffffff000000ULL;
	struct device *device = context->device;
	char *word = control_word(&arguments);
	u64 features;

	pthread_mutex_lock(&device->lock);
	features = device->features;
	pthread_mutex_unlock(&device->lock);
	if (!word) {
		text_add(answer, "0x%llx\n", features);
		return 0;
	}
	if (control_word(&arguments) ||
	    control_number(word, U64_MAX, &features) || (features & transport))
		return -EINVAL;
	pthread_mutex_lock(&device->lock);
	device->features = features;
	pthread_mutex_unlock(&device->lock);
	return 0;
}

/* Limits that are not named are those of the command line. */
static int control_limits(struct control_context *context, char *arguments,
			  struct control_text *answer)
{
	struct eng_limits limits = context->device->first;
	char *word = control_word(&arguments);
	char *value;

	(void)answer;
	if (!word)
		return -EINVAL;
	if (!strcmp(word, "default"))
		word = control_word(&arguments);
	for (; word; word = control_word(&arguments)) {
		value = strchr(word, '=');
		if (!value)
			return -EINVAL;
		*value++ = '\0';
		if (options_limit(word, value, &limits))
			return -EINVAL;
	}
	return device_set_limits(context->device, &limits);
}

static int control_needs_reset(struct control_context *context,
			       char *arguments, struct control_text *answer)
{
	(void)arguments;
	(void)answer;
	eng_port_lose(context->device->port);
	return 0;
}

/* What needs the engine, and what does not. */
static const struct command {
	const char *name;
	int (*engine)(struct eng_device *engine, char *arguments,
		      struct control_text *answer);
	int (*run)(struct control_context *context, char *arguments,
		   struct control_text *answer);
} commands[] = {
	{ "hold", NULL, control_hold },
	{ "release", NULL, control_release },
	{ "complete", on_complete, NULL },
	{ "fail", on_fail, NULL },
	{ "lose", on_lose, NULL },
	{ "reorder", on_reorder, NULL },
	{ "events", on_events, NULL },
	{ "counters", on_counters, NULL },
	{ "hostile", NULL, control_hostile },
	{ "mute", NULL, control_mute },
	{ "faults", NULL, control_faults },
	{ "audit", NULL, control_audit },
	{ "ring", NULL, control_ring },
	{ "config", NULL, control_config },
	{ "features", NULL, control_features },
	{ "limits", NULL, control_limits },
	{ "needs_reset", NULL, control_needs_reset },
};

static int run_line(struct control_context *context, char *line,
		    struct control_text *answer)
{
	const char *name = control_word(&line);
	const struct command *c;
	struct eng_device *engine;
	char none[] = "";
	int err;

	for (c = commands; name && c < commands + ARRAY_SIZE(commands); c++) {
		if (strcmp(name, c->name))
			continue;
		if (!line)
			line = none;
		if (c->run)
			return c->run(context, line, answer);
		engine = eng_port_engine_get(context->device->port);
		if (!engine)
			return -ENODEV;
		err = c->engine(engine, line, answer);
		eng_port_engine_put(context->device->port);
		return err;
	}
	return -EINVAL;
}

/**
 * control_line() - do what a line says
 * @context: with what
 * @line: the line, which is taken apart
 * @answer: receives the answer
 */
void control_line(struct control_context *context, char *line,
		  struct control_text *answer)
{
	int err = run_line(context, line, answer);

	if (err)
		text_add(answer, "error %d %s\n", -err, strerrorname_np(-err));
	else
		text_add(answer, "ok\n");
}

/**
 * control_statistics() - what there is and what has happened, for people
 * @context: of what
 * @text: receives it
 */
void control_statistics(struct control_context *context,
			struct control_text *text)
{
	struct eng_device *engine = eng_port_engine_get(context->device->port);
	char none[] = "";

	if (engine) {
		on_counters(engine, none, text);
		eng_port_engine_put(context->device->port);
	}
	control_ring(context, none, text);
}
