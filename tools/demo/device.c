// SPDX-License-Identifier: GPL-2.0
/* What the demo wants of an accelerator, over libvacc. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "data.h"
#include "device.h"

#define IN_SLOT		0
#define WEIGHT_SLOT	1
#define OUT_SLOT	2
#define NS_PER_S	1e9

static void need(struct vacc_device *dev, int err, const char *what)
{
	if (err)
		die("cannot %s: %s", what, vacc_last_error(dev));
}

void device_open(struct device *device, const char *path, bool copy)
{
	struct vacc_device *dev = NULL;

	device->copy = copy;
	need(NULL, vacc_open(path, &dev), "open the device");
	device->dev = dev;
	need(dev, vacc_context_create(dev, &device->context), "create a context");
	need(dev, vacc_queue_create(&device->context, &device->queue), "create a queue");
}

void device_print(const struct device *device)
{
	static const char * const engines[] = { "unknown", "integer", "avx2", "avx512" };
	struct vacc_get_info info;

	need(device->dev, vacc_info(device->dev, &info, NULL, 0), "ask what the device is");
	printf("device %s: %.16s behind %.32s, engine %s\n", vacc_path(device->dev),
	       (const char *)info.uuid, (const char *)info.parent,
	       info.engine_path <= VACC_ENGINE_AVX512 ? engines[info.engine_path] : "unknown");
}

static void print_counter(const char *name, unsigned long long value)
{
	printf("%-24s %12llu\n", name, value);
}

void device_print_counters(const struct device *device)
{
	struct vacc_stats s;

	need(device->dev, vacc_stats(device->dev, &s), "get the device's counters");
	printf("\nthe device counts, since it was added\n");
	print_counter("submissions", s.submitted);
	print_counter("  completed", s.completed);
	print_counter("  failed", s.failed);
	print_counter("  cancelled", s.cancelled);
	print_counter("  rejected", s.rejected);
	print_counter("direct bindings", s.direct_bindings);
	print_counter("commands", s.commands);
	print_counter("dense-linear launches", s.launches);
	print_counter("bytes written", s.written_bytes);
	print_counter("bytes read back", s.readback_bytes);
	print_counter("buffers created", s.allocations);
	print_counter("  live", s.live_allocations);
	print_counter("bytes in use", s.live_bytes);
	printf("%-24s %12.2f\n", "seconds busy", s.busy_ns / NS_PER_S);
}

void device_close(struct device *device)
{
	need(device->dev, vacc_queue_destroy(&device->queue), "destroy the queue");
	need(device->dev, vacc_context_destroy(&device->context), "destroy the context");
	vacc_close(device->dev);
}

void store_create(struct store *store, const struct device *device, enum store_kind kind,
		  size_t bytes)
{
	const struct vacc_buffer_options options = {
		.usage = kind == STORE_INPUT ?
			 VIRTIO_ACCEL_USAGE_INPUT | VIRTIO_ACCEL_USAGE_TRANSFER_DST :
			 VIRTIO_ACCEL_USAGE_OUTPUT | VIRTIO_ACCEL_USAGE_TRANSFER_SRC,
		.element_type = VACC_TYPE_F16,
	};
	int prot = kind == STORE_INPUT ? PROT_READ | PROT_WRITE : PROT_READ;
	int err;

	need(device->dev, vacc_buffer_create(&device->context, bytes, &options, &store->buffer),
	     "create a buffer");
	err = device->copy ? -EOPNOTSUPP : vacc_buffer_map(&store->buffer, prot);
	store->mapped = !err;
	if (err == -EOPNOTSUPP) {
		store->data = allocate(bytes, 1);
		return;
	}
	need(device->dev, err, "map a buffer");
	store->data = store->buffer.map;
}

/* Let the device see the first @bytes of what the CPU wrote. */
void store_push(const struct store *store, size_t bytes)
{
	if (!store->mapped)
		need(store->buffer.dev, vacc_buffer_write(&store->buffer, 0, store->data, bytes),
		     "write to a buffer");
}

/* Let the CPU see the first @bytes of what the device wrote. */
void store_pull(const struct store *store, size_t bytes)
{
	if (!store->mapped)
		need(store->buffer.dev, vacc_buffer_read(&store->buffer, 0, store->data, bytes),
		     "read from a buffer");
}

void store_destroy(struct store *store)
{
	if (!store->mapped)
		free(store->data);
	vacc_buffer_unmap(&store->buffer);
	need(store->buffer.dev, vacc_buffer_destroy(&store->buffer), "destroy a buffer");
}

/* One launch; how many rows it has is up to the range that is bound as its input. */
static void load_program(struct layer *layer, const struct device *device, size_t most_rows)
{
	struct vacc_dense dense = vacc_dense(IN_SLOT, WEIGHT_SLOT, OUT_SLOT, most_rows,
					     layer->inputs, layer->outputs);
	struct vacc_batch *batch = vacc_batch_new();
	void *artifact = NULL;
	size_t bytes = 0;

	if (!batch)
		die("out of memory");
	dense.rows_slot = IN_SLOT;
	vacc_batch_slot(batch, IN_SLOT, 0, VACC_TYPE_F16, 0, 0);
	vacc_batch_slot(batch, WEIGHT_SLOT, 0, VACC_TYPE_F16, 0, 0);
	vacc_batch_slot(batch, OUT_SLOT, 0, VACC_TYPE_F16, 0, 0);
	vacc_batch_dense_linear(batch, &dense, 1);
	need(NULL, vacc_batch_finish(batch, &artifact, &bytes), "build a program");
	need(device->dev, vacc_program_load(&device->context, artifact, bytes, &layer->program),
	     "load a program");
	free(artifact);
	vacc_batch_free(batch);
}

/* The weights are written once and never mapped: the device may keep them packed. */
void layer_load(struct layer *layer, const struct device *device, const struct matrix *w,
		size_t most_rows)
{
	const struct vacc_buffer_options options = {
		.usage = VIRTIO_ACCEL_USAGE_INPUT | VIRTIO_ACCEL_USAGE_TRANSFER_DST,
		.element_type = VACC_TYPE_F16,
		.flags = VACC_BUFFER_NO_WRITE_MAP,
	};
	size_t bytes = w->rows * w->columns * sizeof(*w->bits);

	layer->inputs = w->columns;
	layer->outputs = w->rows;
	need(device->dev, vacc_buffer_create(&device->context, bytes, &options, &layer->weight),
	     "create a buffer for weights");
	need(device->dev, vacc_buffer_write(&layer->weight, 0, w->bits, bytes),
	     "write weights");
	load_program(layer, device, most_rows);
}

void layer_start(const struct layer *layer, const struct device *device,
		 const struct store *in, const struct store *out, size_t rows,
		 struct vacc_event *event)
{
	const struct vacc_bind binds[] = {
		{
			.buffer = &in->buffer,
			.slot = IN_SLOT,
			.access = VIRTIO_ACCEL_ACCESS_READ,
			.element_type = VACC_TYPE_F16,
			.bytes = rows * layer->inputs * sizeof(uint16_t),
		}, {
			.buffer = &layer->weight,
			.slot = WEIGHT_SLOT,
			.access = VIRTIO_ACCEL_ACCESS_READ,
			.element_type = VACC_TYPE_F16,
		}, {
			.buffer = &out->buffer,
			.slot = OUT_SLOT,
			.access = VIRTIO_ACCEL_ACCESS_WRITE,
			.element_type = VACC_TYPE_F16,
			.bytes = rows * layer->outputs * sizeof(uint16_t),
		},
	};

	need(device->dev, vacc_submit(&device->queue, &layer->program, binds, 3, NULL, event),
	     "submit work");
}

void layer_unload(struct layer *layer)
{
	need(layer->program.dev, vacc_program_unload(&layer->program), "unload a program");
	need(layer->weight.dev, vacc_buffer_destroy(&layer->weight), "destroy a buffer");
}

/* Wait until it has ended, and require that it did so well. */
void event_finish(struct vacc_event *event)
{
	int err;

	do {
		err = vacc_wait(event->dev, event, VACC_NO_DEADLINE);
	} while (err == -EINTR);
	need(event->dev, err, "wait for the device");
	err = vacc_event_error(event);
	if (err)
		die("the device did not do its work: %s", vacc_strerror(err));
	need(event->dev, vacc_event_destroy(event), "destroy an event");
}
