// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Contexts. */
#include <string.h>

#include "internal.h"

int vacc_context_create(struct vacc_device *dev, struct vacc_context *context)
{
	struct vacc_context_create arg = { .size = sizeof(arg) };
	int err;

	memset(context, 0, sizeof(*context));
	err = vacc_ioctl(dev, VACC_CONTEXT_CREATE, &arg);
	if (err)
		return err;
	context->dev = dev;
	context->owner = dev->owner;
	context->handle = arg.handle;
	return 0;
}

int vacc_context_destroy(struct vacc_context *context)
{
	return vacc_drop(context->dev, VACC_CONTEXT_DESTROY, &context->handle,
			 "context");
}
