// SPDX-License-Identifier: GPL-2.0
/* Tests of the library on the first device, or on the one that is named. */
#include "libvacc.h"
#include "test.h"

int main(int argc, char **argv)
{
	struct vacc_context context;
	struct vacc_device *dev;

	if (vacc_open(argc > 1 ? argv[1] : NULL, &dev)) {
		fprintf(stderr, "%s\n", vacc_last_error(NULL));
		return 2;
	}
	if (vacc_context_create(dev, &context)) {
		fprintf(stderr, "%s\n", vacc_last_error(dev));
		return 2;
	}
	test_objects(dev, &context);
	test_device_work(dev, &context);
	vacc_close(dev);
	return test_finish();
}
