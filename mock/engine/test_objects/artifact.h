/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Programs for tests. */
#ifndef _TEST_OBJECTS_ARTIFACT_H
#define _TEST_OBJECTS_ARTIFACT_H

#include "engine.h"

/* A 24-byte artifact. */
struct vacc_ref_artifact ref_artifact(u8 op, u32 first, u32 second, u8 operand);
struct eng_load ref_load(const struct vacc_ref_artifact *artifact);

/*
 * Batch artifacts, in memory that the caller frees with payload: @count fills of
 * @bytes at slot 0; one upload of @bytes to slot 0; one square dense-linear of
 * @rows by @features whose output at slot 0 lies on its input and whose weights are
 * at slot 1; one with a single row, its input, weights @stride apart, and output at
 * slots 0 to 2.
 */
struct eng_load fills_load(u32 count, u64 bytes, u8 value);
struct eng_load upload_load(u64 bytes, u8 value);
struct eng_load linear_load(u32 rows, u32 features);
struct eng_load row_load(u32 in_features, u32 out_features, u64 stride);

#endif /* _TEST_OBJECTS_ARTIFACT_H */
