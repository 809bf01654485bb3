// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Panels: weights of launches with one row, kept packed between submissions.
 *
 * A product is taken note of at its first submission.  Where its second one finds that
 * a launch has read the weights, and that nobody has written to them since, it gets
 * memory; the next launch packs while it multiplies, later ones read panels.  So what
 * is used once, or written before each use, costs nothing.
 *
 * Panels are right because of two things, both under the sums lock:
 *
 * - A write is on its buffer's list from before its first byte to after its last.  When
 *   it begins, panels of what it is going to write are packed no more, and have another
 *   generation.
 * - Packing begins only where no such write is on the list, and what was packed is used
 *   only if the generation is still the same.  So no write to these weights was under
 *   way at any time in between.
 */
#include "object.h"
#include "run.h"

static bool is_same(const struct eng_weights *a, const struct eng_weights *b)
{
	return a->offset == b->offset && a->stride == b->stride &&
	       a->in_features == b->in_features &&
	       a->out_features == b->out_features && a->path == b->path;
}

static struct eng_panels *find(struct eng_buffer *buffer, const struct eng_weights *weights)
{
	struct list_head *list = &buffer->panels;
	struct list_head *node;

	for (node = list->next; node != list; node = node->next) {
		struct eng_panels *panels =
			container_of(node, struct eng_panels, sibling);

		if (is_same(&panels->weights, weights))
			return panels;
	}
	return NULL;
}

static void set_packed(struct eng_panels *panels, bool packed)
{
	panels->device->panels_packed += packed - panels->packed;
	panels->packed = packed;
}

/* Takes panels off all lists; they go to @gone, or wait for their last user. */
static void unlink_panels(struct eng_panels *panels, struct list_head *gone)
{
	set_packed(panels, false);
	list_del_init(&panels->node);
	list_del_init(&panels->sibling);
	panels->device->panels_count--;
	panels->dropped = true;
	if (panels->users)
		return;
	if (panels->memory)
		panels->device->panels_bytes -= panels->bytes;
	list_add_tail(&panels->node, gone);
}

/**
 * eng_panels_free() - free panels that are on no list of others
 * @gone: they; empty afterwards
 *
 * Context: May sleep.
 */
void eng_panels_free(struct list_head *gone)
{
	while (!list_empty(gone)) {
		struct eng_panels *panels =
			list_first_entry(gone, struct eng_panels, node);

		list_del_init(&panels->node);
		eng_free(panels->memory);
		eng_free(panels);
	}
}

/**
 * eng_panels_drop() - forget all panels of a buffer
 * @buffer: the buffer
 *
 * Context: May sleep.
 */
void eng_panels_drop(struct eng_buffer *buffer)
{
	struct eng_device *device = buffer->context->device;
	struct list_head gone;

	INIT_LIST_HEAD(&gone);
	eng_spin_lock(&device->sums);
	while (!list_empty(&buffer->panels))
		unlink_panels(list_first_entry(&buffer->panels, struct eng_panels,
					       sibling), &gone);
	eng_spin_unlock(&device->sums);
	eng_panels_free(&gone);
}

/**
 * eng_buffer_panels() - may weights in a buffer be kept packed
 * @buffer: the buffer
 *
 * Context: Any.
 * Return: whether they may; not where no launch can read it, or no weights are packed.
 */
bool eng_buffer_panels(const struct eng_buffer *buffer)
{
	return buffer->usage & (VIRTIO_ACCEL_USAGE_INPUT | VIRTIO_ACCEL_USAGE_MUTABLE) &&
	       !eng_atomic_get(&buffer->exposed) &&
	       eng_linear_panel_bytes(1, 1) != U64_MAX;
}

/**
 * eng_buffer_expose() - others are going to write to a buffer without saying so
 * @buffer: the buffer, of which nothing is kept from now on
 *
 * Context: May sleep.
 */
void eng_buffer_expose(struct eng_buffer *buffer)
{
	struct eng_device *device = buffer->context->device;

	/* Who holds the lock has seen it, or is going to have its panels dropped. */
	eng_spin_lock(&device->sums);
	eng_atomic_set(&buffer->exposed, 1);
	eng_spin_unlock(&device->sums);
	eng_panels_drop(buffer);
}

/**
 * eng_panels_clear() - forget all panels of a device
 * @device: the device
 *
 * Context: May sleep.
 */
void eng_panels_clear(struct eng_device *device)
{
	struct list_head gone;

	INIT_LIST_HEAD(&gone);
	eng_spin_lock(&device->sums);
	while (!list_empty(&device->panels))
		unlink_panels(list_first_entry(&device->panels, struct eng_panels,
					       node), &gone);
	eng_spin_unlock(&device->sums);
	eng_panels_free(&gone);
}

/* What was not used for longest of what nobody uses, or since @before_ns. */
static struct eng_panels *oldest(struct eng_device *device, u64 before_ns, bool memory)
{
	struct list_head *list = &device->panels;
	struct list_head *node;

	for (node = list->next; node != list; node = node->next) {
		struct eng_panels *panels =
			container_of(node, struct eng_panels, node);

		if (panels->used_ns > before_ns)
			break;
		if (!panels->users && (panels->memory || !memory))
			return panels;
	}
	return NULL;
}

/* The memory of all that oldest() would give. */
static u64 yielding(const struct eng_device *device, u64 before_ns)
{
	const struct list_head *list = &device->panels;
	const struct list_head *node;
	u64 bytes = 0;

	for (node = list->next; node != list; node = node->next) {
		const struct eng_panels *panels =
			container_of(node, struct eng_panels, node);

		if (panels->used_ns > before_ns)
			break;
		if (!panels->users && panels->memory)
			bytes += panels->bytes;
	}
	return bytes;
}

/* Nothing goes where all that may go is too little. */
static bool make_room(struct eng_device *device, u64 bytes, u64 before_ns,
		      struct list_head *gone)
{
	u64 room = device->limits.max_scratch_bytes - device->scratch_bytes -
		   device->panels_bytes;

	if (bytes > room && bytes - room > yielding(device, before_ns))
		return false;
	while (bytes > device->limits.max_scratch_bytes - device->scratch_bytes -
		       device->panels_bytes) {
		struct eng_panels *panels = oldest(device, before_ns, true);

		if (!panels)
			return false;
		unlink_panels(panels, gone);
	}
	return true;
}

/**
 * eng_panels_yield() - make room for working memory
 * @device: the device, whose sums lock is held
 * @bytes: how much, at most max_scratch_bytes
 * @gone: gets panels to be freed after that
 *
 * Context: Any.
 * Return: whether there is as much beside what is charged.
 */
bool eng_panels_yield(struct eng_device *device, u64 bytes, struct list_head *gone)
{
	return make_room(device, bytes, U64_MAX, gone);
}

/* What panels of a launch are found by; false where there cannot be any. */
static bool weights_of(const struct eng_launch *launch, const struct eng_job *job,
		       const struct eng_buffer *buffer, struct eng_weights *weights)
{
	u64 bytes = eng_linear_panel_bytes(launch->in_features, launch->out_features);

	*weights = (struct eng_weights){
		.offset = job->weight - buffer->memory,
		.stride = launch->weight.stride,
		.in_features = launch->in_features,
		.out_features = launch->out_features,
		.path = eng_linear_path(),
	};
	return job->rows == 1 && !job->weight_overlaps && eng_buffer_panels(buffer) &&
	       bytes >= ENG_PANELS_MIN_BYTES && bytes != U64_MAX;
}

static struct eng_buffer *buffer_of(const struct eng_run *run, u32 slot,
				    struct eng_buffer *const *buffers)
{
	return buffers[run->spans[slot].binding];
}

/* Takes note of a product. */
static void add(struct eng_buffer *buffer, const struct eng_weights *weights, u64 end)
{
	struct eng_panels *panels = eng_zalloc(sizeof(*panels));
	struct eng_device *device = buffer->context->device;
	u64 now_ns = eng_now_ns();
	struct eng_panels *old;
	struct list_head gone;

	if (!panels)
		return;
	INIT_LIST_HEAD(&gone);
	panels->device = device;
	panels->weights = *weights;
	panels->end = end;
	panels->bytes = eng_linear_panel_bytes(weights->in_features,
					       weights->out_features);
	panels->used_ns = now_ns;

	eng_spin_lock(&device->sums);
	old = device->panels_count < ENG_PANELS_MOST ? NULL :
	      oldest(device, now_ns - min_t(u64, now_ns, ENG_PANELS_REST_NS), false);
	if (old)
		unlink_panels(old, &gone);
	if (device->panels_count < ENG_PANELS_MOST && eng_buffer_panels(buffer) &&
	    !find(buffer, weights)) {
		list_add_tail(&panels->node, &device->panels);
		list_add_tail(&panels->sibling, &buffer->panels);
		device->panels_count++;
		panels = NULL;
	}
	eng_spin_unlock(&device->sums);
	eng_panels_free(&gone);
	eng_free(panels);
}

/* Gives a product memory, if it is still the one that wants some. */
static void equip(struct eng_buffer *buffer, const struct eng_weights *weights, u64 bytes)
{
	struct eng_device *device = buffer->context->device;
	u64 now_ns = eng_now_ns();
	struct eng_panels *panels;
	struct list_head gone;
	void *memory = NULL;
	bool room;

	if (bytes > SIZE_MAX - ENG_PANEL_ALIGN)
		return;
	INIT_LIST_HEAD(&gone);
	eng_spin_lock(&device->sums);
	room = make_room(device, bytes,
			 now_ns - min_t(u64, now_ns, ENG_PANELS_REST_NS), &gone);
	if (room)
		device->panels_bytes += bytes;
	eng_spin_unlock(&device->sums);
	eng_panels_free(&gone);
	if (!room)
		return;

	memory = eng_alloc(bytes + ENG_PANEL_ALIGN - 1);
	eng_spin_lock(&device->sums);
	panels = find(buffer, weights);
	if (memory && panels && !panels->memory) {
		panels->memory = memory;
		memory = NULL;
	} else {
		device->panels_bytes -= bytes;
	}
	eng_spin_unlock(&device->sums);
	eng_free(memory);
}

static void prepare_launch(const struct eng_run *run, const struct eng_launch *launch,
			   struct eng_buffer *buffer)
{
	struct eng_device *device = buffer->context->device;
	u64 bytes = (launch->out_features - 1) * launch->weight.stride +
		    launch->weight.row_bytes;
	struct eng_weights weights;
	struct eng_panels *panels;
	bool known, wants = false;
	struct eng_job job;

	eng_job_init(&job, run, launch);
	if (!weights_of(launch, &job, buffer, &weights))
		return;
	eng_spin_lock(&device->sums);
	panels = find(buffer, &weights);
	known = panels;
	if (known) {
		bytes = panels->bytes;
		wants = panels->seen && !panels->memory;
	}
	eng_spin_unlock(&device->sums);
	if (!known)
		add(buffer, &weights, weights.offset + bytes);
	else if (wants)
		equip(buffer, &weights, bytes);
}

/**
 * eng_panels_prepare() - take what a run can use to keep weights packed
 * @run: the run, of which the caller has the buffers
 * @buffers: of its bindings, in their order
 *
 * Where there is no memory, or no room, there is nothing less than before.
 *
 * Context: May sleep.
 */
void eng_panels_prepare(const struct eng_run *run, struct eng_buffer *const *buffers)
{
	const struct eng_program *program = run->program;
	u32 i;

	for (i = 0; i < program->info.launch_count; i++) {
		const struct eng_launch *launch = &program->launches[i];

		prepare_launch(run, launch, buffer_of(run, launch->weight.slot, buffers));
		eng_resched();
	}
}

/**
 * eng_write_begin() - a write to a buffer is going to begin
 * @write: stands for it, up to eng_write_end()
 * @buffer: the buffer, which stays until then
 * @offset: first byte
 * @bytes: how many
 *
 * Context: Any task.
 */
void eng_write_begin(struct eng_write *write, struct eng_buffer *buffer, u64 offset,
		     u64 bytes)
{
	struct eng_device *device = buffer->context->device;
	struct list_head *list = &buffer->panels;
	struct list_head *node;

	*write = (struct eng_write){ .start = offset, .end = offset + bytes };
	if (!eng_buffer_panels(buffer))
		return;
	write->buffer = buffer;
	eng_spin_lock(&device->sums);
	list_add_tail(&write->node, &buffer->writes);
	for (node = list->next; node != list; node = node->next) {
		struct eng_panels *panels =
			container_of(node, struct eng_panels, sibling);

		if (write->start >= panels->end || panels->weights.offset >= write->end)
			continue;
		panels->generation++;
		panels->seen = false;
		set_packed(panels, false);
	}
	eng_spin_unlock(&device->sums);
}

/**
 * eng_write_end() - a write to a buffer has ended
 * @write: the write; none may be under way
 *
 * Context: Any task.
 */
void eng_write_end(struct eng_write *write)
{
	struct eng_device *device;

	if (!write->buffer)
		return;
	device = write->buffer->context->device;
	eng_spin_lock(&device->sums);
	list_del_init(&write->node);
	eng_spin_unlock(&device->sums);
	write->buffer = NULL;
}

static bool is_written(const struct eng_buffer *buffer, const struct eng_panels *panels)
{
	const struct list_head *list = &buffer->writes;
	const struct list_head *node;

	for (node = list->next; node != list; node = node->next) {
		const struct eng_write *write =
			container_of(node, struct eng_write, node);

		if (write->start < panels->end && panels->weights.offset < write->end)
			return true;
	}
	return false;
}

/* Panels that can be read, or can be packed by this launch and no other. */
static struct eng_panels *take(struct eng_use *use, struct eng_buffer *buffer,
			       const struct eng_weights *weights)
{
	struct eng_panels *panels = find(buffer, weights);
	bool seen;

	if (!panels)
		return NULL;
	seen = panels->seen;
	panels->seen = true;
	panels->used_ns = eng_now_ns();
	list_del_init(&panels->node);
	list_add_tail(&panels->node, &panels->device->panels);

	use->packed = panels->packed;
	use->generation = panels->generation;
	if (panels->packed)
		panels->device->panels_hits++;
	else if (!seen || !panels->memory || panels->users || is_written(buffer, panels))
		return NULL;
	panels->users++;
	return panels;
}

/* True where nobody is left who would free them. */
static bool put(struct eng_use *use, bool complete)
{
	struct eng_panels *panels = use->panels;

	if (complete && !use->packed && !panels->dropped &&
	    panels->generation == use->generation)
		set_packed(panels, true);
	if (--panels->users || !panels->dropped)
		return false;
	panels->device->panels_bytes -= panels->bytes;
	return true;
}

/**
 * eng_use_write() - the command at work is going to write
 * @use: of the queue; NULL where nothing is kept.  It goes on where it says so already
 * @run: the run
 * @slot: index of the slot
 * @offset: first byte in the bound range
 * @bytes: how many
 *
 * Context: the queue's executor.
 */
void eng_use_write(struct eng_use *use, const struct eng_run *run, u32 slot, u64 offset,
		   u64 bytes)
{
	struct eng_buffer *buffer;

	if (!use || use->write.buffer)
		return;
	buffer = buffer_of(run, slot, use->buffers);
	eng_write_begin(&use->write, buffer,
			run->spans[slot].mem - buffer->memory + offset, bytes);
}

/**
 * eng_use_panels() - find panels for the launch at work
 * @use: of the queue; NULL where nothing is kept
 * @run: the run
 * @launch: the launch, the same up to eng_use_end()
 * @job: the same with its memory
 * @linear: gets the panels
 *
 * Context: the queue's executor, once it has said what the launch writes.
 */
void eng_use_panels(struct eng_use *use, const struct eng_run *run,
		    const struct eng_launch *launch, const struct eng_job *job,
		    struct eng_linear *linear)
{
	struct eng_weights weights;
	struct eng_buffer *buffer;
	uintptr_t start;

	if (!use)
		return;
	buffer = buffer_of(run, launch->weight.slot, use->buffers);
	if (!use->looked && weights_of(launch, job, buffer, &weights)) {
		eng_spin_lock(&buffer->context->device->sums);
		use->panels = take(use, buffer, &weights);
		eng_spin_unlock(&buffer->context->device->sums);
	}
	use->looked = true;
	if (!use->panels)
		return;
	start = (uintptr_t)use->panels->memory + ENG_PANEL_ALIGN - 1;
	linear->panels = (u8 *)(start & ~(uintptr_t)(ENG_PANEL_ALIGN - 1));
	linear->packed = use->packed;
}

/**
 * eng_use_end() - the command at work has ended
 * @use: of the queue; NULL where nothing is kept
 * @complete: it has done all that it had to
 *
 * Context: the queue's executor, while the buffers are there.
 */
void eng_use_end(struct eng_use *use, bool complete)
{
	struct eng_panels *panels;
	bool last;

	if (!use)
		return;
	panels = use->panels;
	if (panels) {
		struct eng_spin *lock = &panels->device->sums;

		eng_spin_lock(lock);
		last = put(use, complete);
		eng_spin_unlock(lock);
		if (last) {
			eng_free(panels->memory);
			eng_free(panels);
		}
	}
	use->panels = NULL;
	use->looked = false;
	eng_write_end(&use->write);
}
