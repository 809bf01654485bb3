/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Making artifacts and bindings for tests.
 */
#ifndef _ENGINE_TEST_BUILD_H
#define _ENGINE_TEST_BUILD_H

#include <linux/vacc_reference.h>
#include <linux/virtio_accel.h>

#include "program.h"

#define OK		VIRTIO_ACCEL_S_OK
#define UNSUPPORTED	VIRTIO_ACCEL_S_UNSUPPORTED
#define INCOMPATIBLE	VIRTIO_ACCEL_S_INCOMPATIBLE
#define INVALID		VIRTIO_ACCEL_S_INVALID_ARGUMENT
#define LIMIT		VIRTIO_ACCEL_S_RESOURCE_LIMIT

#define R	VIRTIO_ACCEL_ACCESS_READ
#define W	VIRTIO_ACCEL_ACCESS_WRITE
#define RW	VIRTIO_ACCEL_ACCESS_READ_WRITE
#define NONE	VACC_BATCH_NO_SLOT

/* A batch that grows; everything at the end fits. */
struct batch {
	struct vacc_batch_header header;
	struct vacc_batch_slot slots[32];
	struct vacc_batch_command commands[64];
	struct vacc_batch_launch launches[64];
	u8 data[1024];
	u32 slot_count, command_count, launch_count, data_bytes;
};

struct matrix {
	u32 slot;
	u64 offset;
	u64 stride;
};

/* An artifact, exactly as long as it is. */
struct artifact {
	u8 *bytes;
	size_t length;
	u64 resident;
};

void batch_init(struct batch *b);
void batch_slot(struct batch *b, u32 slot, u8 access, u16 type, u32 align,
		u64 min_bytes, u64 row_unit);
struct vacc_batch_command *batch_command(struct batch *b, u16 op);
void batch_copy(struct batch *b, u32 src, u64 src_offset, u32 dst, u64 dst_offset,
		u64 bytes);
void batch_set(struct batch *b, u16 op, u32 dst, u64 offset, u64 bytes, u8 value);
void batch_upload(struct batch *b, u32 dst, u64 offset, const void *data, u32 bytes);
struct vacc_batch_launch *batch_launch(struct batch *b, struct matrix in,
				       struct matrix weight, struct matrix out,
				       u32 rows, u32 terms, u32 outputs, u32 rows_slot);
void batch_linear(struct batch *b, u32 launches);
struct artifact batch_artifact(const struct batch *b);
struct artifact artifact_copy(const void *bytes, size_t length, u64 resident);
void artifact_free(struct artifact *a);

u16 load_batch(const struct artifact *a, struct eng_program **program,
	       struct eng_reason *reason);
u16 load_ref(const struct artifact *a, struct eng_program **program,
	     struct eng_reason *reason);
struct eng_program *must_load(const struct batch *b);
struct eng_program *must_load_ref(u8 op, u32 first, u32 second, u8 operand);
struct artifact ref_artifact(u8 op, u32 first, u32 second, u8 operand);

struct eng_range range_of(void *buffer, u64 offset, u64 bytes, u32 slot, u8 access);
u16 check_ranges(const struct eng_program *program, const struct eng_range *ranges,
		 u32 count, struct eng_plan *plan, struct eng_reason *reason);
u16 run_ranges(const struct eng_program *program, const struct eng_range *ranges,
	       u32 count, u64 budget, struct eng_counters *counters);

#endif /* _ENGINE_TEST_BUILD_H */
