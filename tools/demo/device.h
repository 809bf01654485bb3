/* SPDX-License-Identifier: GPL-2.0 */
/* What the demo wants of an accelerator, over libvacc. */
#ifndef _DEMO_DEVICE_H
#define _DEMO_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <libvacc.h>

struct matrix;

enum store_kind {
	STORE_INPUT,	/* the CPU writes, the device reads */
	STORE_OUTPUT,	/* the device writes, the CPU reads */
};

/**
 * struct device - an open accelerator
 * @dev: it
 * @context: where all objects are
 * @queue: where all work runs
 * @copy: whether to do without mappings
 */
struct device {
	struct vacc_device *dev;
	struct vacc_context context;
	struct vacc_queue queue;
	bool copy;
};

/**
 * struct store - a buffer of the device, and how the CPU sees it
 * @buffer: the buffer
 * @data: its mapping, or a copy of it in our memory
 * @mapped: whether @data is the mapping
 */
struct store {
	struct vacc_buffer buffer;
	void *data;
	bool mapped;
};

/**
 * struct layer - a dense layer
 * @program: the loaded program, for any number of rows up to a maximum
 * @weight: its weights
 * @inputs: inputs of one row
 * @outputs: outputs of one row
 */
struct layer {
	struct vacc_program program;
	struct vacc_buffer weight;
	size_t inputs;
	size_t outputs;
};

/* All end the program with one sentence where something fails. */
void device_open(struct device *device, const char *path, bool copy);
void device_print(const struct device *device);
void device_print_counters(const struct device *device);
void device_close(struct device *device);

void store_create(struct store *store, const struct device *device, enum store_kind kind,
		  size_t bytes);
void store_push(const struct store *store, size_t bytes);
void store_pull(const struct store *store, size_t bytes);
void store_destroy(struct store *store);

void layer_load(struct layer *layer, const struct device *device, const struct matrix *w,
		size_t most_rows);
void layer_start(const struct layer *layer, const struct device *device,
		 const struct store *in, const struct store *out, size_t rows,
		 struct vacc_event *event);
void layer_unload(struct layer *layer);
void event_finish(struct vacc_event *event);

#endif /* _DEMO_DEVICE_H */
