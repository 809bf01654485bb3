/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs of the reference device, encoded from the format's description alone:
 * no code is shared with the device or the library.
 */
#ifndef VT_ARTIFACT_H
#define VT_ARTIFACT_H

#include <stddef.h>
#include "raw.h"

struct vacc_ref_artifact vt_ref(__u8 op, __u32 first, __u32 second, __u8 operand);

/* A load with everything right for the format; the caller spoils what it likes. */
struct vacc_program_load vt_ref_load(__u32 context, const void *payload, __u64 bytes);
int vt_load_ref(int fd, __u32 context, __u8 op, __u32 first, __u32 second,
		__u8 operand, __u32 *program);

static inline int vt_load_fill(int fd, __u32 context, __u8 byte, __u32 *program)
{
	return vt_load_ref(fd, context, VACC_REF_OP_FILL, 0, VACC_REF_NO_SLOT, byte,
			   program);
}

#define VT_BATCH_MAX	64

struct vt_batch {
	struct vacc_batch_slot slots[VT_BATCH_MAX];
	struct vacc_batch_command commands[VT_BATCH_MAX];
	struct vacc_batch_launch launches[VT_BATCH_MAX];
	__u8 data[4096];
	__u32 slot_count, command_count, launch_count, data_bytes;
	__u32 flags;
};

struct vacc_batch_slot *vt_batch_slot(struct vt_batch *b, __u32 slot, __u8 access,
				      __u64 min_bytes);
struct vacc_batch_command *vt_batch_barrier(struct vt_batch *b, __u32 slot);
struct vacc_batch_command *vt_batch_copy(struct vt_batch *b, __u32 src, __u64 src_offset,
					 __u32 dst, __u64 dst_offset, __u64 bytes);
struct vacc_batch_command *vt_batch_set(struct vt_batch *b, __u16 op, __u32 dst,
					__u64 offset, __u64 bytes, __u8 value);
struct vacc_batch_command *vt_batch_upload(struct vt_batch *b, __u32 dst, __u64 offset,
					   const void *from, __u32 bytes);
/* A launch over packed matrices at the start of three slots, not yet in a command. */
struct vacc_batch_launch *vt_batch_launch(struct vt_batch *b, __u32 in, __u32 weight,
					  __u32 out, __u32 rows, __u32 in_features,
					  __u32 out_features);
struct vacc_batch_command *vt_batch_linear(struct vt_batch *b, __u32 first, __u32 count);

/* The artifact's bytes, to be freed. */
void *vt_batch_encode(const struct vt_batch *b, size_t *bytes);
struct vacc_program_load vt_batch_load_desc(__u32 context, const void *payload,
					    size_t bytes);
int vt_load_batch(int fd, __u32 context, const struct vt_batch *b, __u32 *program);

#endif /* VT_ARTIFACT_H */
