// SPDX-License-Identifier: GPL-2.0
/* Tests of the library and the command line that need no device. */
#include "test.h"

int main(void)
{
	test_artifact();
	test_batch();
	test_check();
	test_npy();
	test_options();
	test_progress();
	test_text();
	return test_finish();
}
