/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What libFuzzer calls. */
#ifndef TEST_VACCD_FUZZ_H
#define TEST_VACCD_FUZZ_H

#include <stddef.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

#endif /* TEST_VACCD_FUZZ_H */
