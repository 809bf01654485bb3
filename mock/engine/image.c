// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Program images: validated programs that belong to a context.
 */
#include "object.h"

/**
 * eng_image_load() - load a program into a context
 * @context: where it belongs
 * @load: the artifact
 * @image: what came of it
 * @reason: filled in where it is refused; may be NULL
 *
 * Context: May sleep.
 * Return: OK, RESOURCE_LIMIT, UNSUPPORTED, INCOMPATIBLE, INVALID_ARGUMENT or
 * OUT_OF_MEMORY.
 */
u16 eng_image_load(struct eng_context *context, const struct eng_load *load,
		   struct eng_image **image, struct eng_reason *reason)
{
	struct eng_device *device = context->device;
	struct eng_program_info info;
	struct eng_reason ignored;
	struct eng_image *img;
	u16 status;

	if (!reason)
		reason = &ignored;
	if (load->payload_bytes > device->limits.max_artifact_bytes)
		return VIRTIO_ACCEL_S_RESOURCE_LIMIT;

	img = eng_zalloc(sizeof(*img));
	if (!img)
		return VIRTIO_ACCEL_S_OUT_OF_MEMORY;
	status = eng_program_load(load, &img->program, reason);
	if (status) {
		eng_free(img);
		return status;
	}
	img->context = context;
	eng_program_info(img->program, &info);
	img->command_count = info.command_count;

	eng_mutex_lock(&device->tree);
	if (context->image_count >= device->limits.max_images) {
		eng_mutex_unlock(&device->tree);
		eng_image_free(img);
		return VIRTIO_ACCEL_S_RESOURCE_LIMIT;
	}
	context->image_count++;
	list_add_tail(&img->node, &context->images);
	eng_mutex_unlock(&device->tree);

	*image = img;
	return VIRTIO_ACCEL_S_OK;
}

/**
 * eng_image_free() - free an image that is on no list
 * @image: the image
 *
 * Context: May sleep.
 */
void eng_image_free(struct eng_image *image)
{
	eng_program_free(image->program);
	eng_free(image);
}

/**
 * eng_image_unload() - end an image
 * @image: the image
 *
 * Context: May sleep.
 * Return: OK, or BUSY where an unfinished event uses it.
 */
u16 eng_image_unload(struct eng_image *image)
{
	struct eng_context *context = image->context;
	struct eng_device *device = context->device;

	eng_mutex_lock(&device->tree);
	if (eng_atomic_get(&image->users)) {
		eng_mutex_unlock(&device->tree);
		return VIRTIO_ACCEL_S_BUSY;
	}
	context->image_count--;
	list_del_init(&image->node);
	eng_mutex_unlock(&device->tree);

	eng_image_free(image);
	return VIRTIO_ACCEL_S_OK;
}

/**
 * eng_image_program() - the program of an image, to look at
 * @image: the image
 *
 * Context: Any.
 * Return: the program, for as long as the image lives.
 */
const struct eng_program *eng_image_program(const struct eng_image *image)
{
	return image->program;
}
