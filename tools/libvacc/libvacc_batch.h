/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Batches of libvacc. */
#ifndef LIBVACC_BATCH_H
#define LIBVACC_BATCH_H

#include <stddef.h>
#include <linux/vacc_reference.h>
#include <linux/virtio_accel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* struct vacc_batch - a batch that is being built. */
struct vacc_batch;

/**
 * struct vacc_matrix - where a matrix of f16 lies
 * @slot: slot
 * @offset: first byte in the bound range, even
 * @row_stride: bytes from row to row, even, 0 where rows are packed
 */
struct vacc_matrix {
	__u32 slot;
	__u64 offset;
	__u64 row_stride;
};

/**
 * struct vacc_dense - one dense-linear launch: out = in x transposed weight
 * @in: rows x in_features
 * @weight: out_features x in_features
 * @out: rows x out_features
 * @rows: rows, or their maximum with @rows_slot
 * @in_features: terms of each sum
 * @out_features: outputs of each row
 * @rows_slot: VACC_BATCH_NO_SLOT, or the slot whose bound length gives the number
 *	of rows: see vacc_batch_row_unit()
 *
 * Start from vacc_dense(): a zeroed struct would take its rows from slot 0.
 */
struct vacc_dense {
	struct vacc_matrix in;
	struct vacc_matrix weight;
	struct vacc_matrix out;
	__u32 rows;
	__u32 in_features;
	__u32 out_features;
	__u32 rows_slot;
};

/**
 * vacc_dense() - a launch over three whole slots
 * @in: slot of the input
 * @weight: slot of the weights
 * @out: slot of the output
 * @rows: rows
 * @in_features: terms of each sum
 * @out_features: outputs of each row
 *
 * Return: a launch with packed rows, offsets 0 and a fixed number of rows.
 */
static inline struct vacc_dense vacc_dense(__u32 in, __u32 weight, __u32 out,
					   __u32 rows, __u32 in_features,
					   __u32 out_features)
{
	struct vacc_dense dense = {
		{ in, 0, 0 }, { weight, 0, 0 }, { out, 0, 0 },
		rows, in_features, out_features, VACC_BATCH_NO_SLOT
	};

	return dense;
}

/**
 * vacc_batch_new() - begin a batch
 *
 * The first error of a vacc_batch_* call sticks and comes back from
 * vacc_batch_finish() too, so that the calls between need no checks.
 *
 * Return: the batch, or NULL without memory; release it with vacc_batch_free().
 */
struct vacc_batch *vacc_batch_new(void);

/**
 * vacc_batch_free() - release a batch; artifacts made from it stay
 * @batch: batch, may be NULL
 */
void vacc_batch_free(struct vacc_batch *batch);

/**
 * vacc_batch_flags() - set flags of the header
 * @batch: batch
 * @flags: VACC_BATCH_NO_ALIAS or 0
 *
 * Return: 0 or a negative errno.
 */
int vacc_batch_flags(struct vacc_batch *batch, __u32 flags);

/**
 * vacc_batch_slot() - say more of a slot than commands do
 * @batch: batch
 * @slot: its number
 * @access: VIRTIO_ACCEL_ACCESS_* to add to what commands need, 0 for nothing
 * @element_type: VACC_TYPE_* that a bound buffer must have
 * @min_bytes: least bound length, if more than commands need
 * @offset_align: power of two for a binding's offset, if more than commands need
 *
 * Not needed for slots that take any type: a slot is there once it is used.
 *
 * Return: 0 or a negative errno.
 */
int vacc_batch_slot(struct vacc_batch *batch, __u32 slot, __u32 access,
		    __u32 element_type, __u64 min_bytes, __u32 offset_align);

/**
 * vacc_batch_row_unit() - set the bytes of one row of a slot that gives rows
 * @batch: batch
 * @slot: a slot that launches name as their rows_slot
 * @bytes: its bound length divided by this is the number of rows
 *
 * Without it the row stride of the input or output that lies in the slot is taken.
 *
 * Return: 0 or a negative errno.
 */
int vacc_batch_row_unit(struct vacc_batch *batch, __u32 slot, __u64 bytes);

/**
 * vacc_batch_barrier() - append a command that only orders
 * @batch: batch
 * @slot: slot that it stands at, or VACC_BATCH_NO_SLOT
 *
 * Return: 0 or a negative errno.
 */
int vacc_batch_barrier(struct vacc_batch *batch, __u32 slot);

/**
 * vacc_batch_copy() - append a copy; ranges of one buffer may overlap
 * @batch: batch
 * @source: slot that is read
 * @source_offset: first byte in its bound range
 * @target: slot that is written
 * @target_offset: first byte in its bound range
 * @bytes: how many, nonzero
 *
 * Return: 0 or a negative errno.
 */
int vacc_batch_copy(struct vacc_batch *batch, __u32 source, __u64 source_offset,
		    __u32 target, __u64 target_offset, __u64 bytes);

/**
 * vacc_batch_fill() - append a command that sets bytes
 * @batch: batch
 * @slot: slot that is written
 * @offset: first byte in its bound range
 * @bytes: how many, nonzero
 * @value: the byte
 *
 * Return: 0 or a negative errno.
 */
int vacc_batch_fill(struct vacc_batch *batch, __u32 slot, __u64 offset, __u64 bytes,
		    __u8 value);

/**
 * vacc_batch_xor() - append a command that xors bytes
 * @batch: batch
 * @slot: slot that is read and written
 * @offset: first byte in its bound range
 * @bytes: how many, nonzero
 * @value: the byte
 *
 * Return: 0 or a negative errno.
 */
int vacc_batch_xor(struct vacc_batch *batch, __u32 slot, __u64 offset, __u64 bytes,
		   __u8 value);

/**
 * vacc_batch_zero() - append a command that zeroes bytes
 * @batch: batch
 * @slot: slot that is written
 * @offset: first byte in its bound range
 * @bytes: how many, nonzero
 *
 * Return: 0 or a negative errno.
 */
int vacc_batch_zero(struct vacc_batch *batch, __u32 slot, __u64 offset, __u64 bytes);

/**
 * vacc_batch_upload() - append an upload of data that the artifact carries
 * @batch: batch
 * @slot: slot that is written
 * @offset: first byte in its bound range
 * @data: the data, copied now
 * @bytes: how many, nonzero
 *
 * Return: 0 or a negative errno.
 */
int vacc_batch_upload(struct vacc_batch *batch, __u32 slot, __u64 offset,
		      const void *data, __u64 bytes);

/**
 * vacc_batch_dense_linear() - append matrix products as one command
 * @batch: batch
 * @launches: launches, run in order
 * @count: how many, nonzero
 *
 * Return: 0 or a negative errno.
 */
int vacc_batch_dense_linear(struct vacc_batch *batch,
			    const struct vacc_dense *launches, __u32 count);

/**
 * vacc_batch_finish() - make the artifact
 * @batch: batch, which may be added to and finished again
 * @artifact: the bytes; release them with free()
 * @bytes: how many
 *
 * What it returns has passed vacc_batch_check().
 *
 * Return: 0 or a negative errno; vacc_last_error(NULL) has the reason.
 */
int vacc_batch_finish(struct vacc_batch *batch, void **artifact, size_t *bytes);

/**
 * vacc_batch_check() - whether a batch artifact is well-formed
 * @artifact: bytes of the artifact
 * @bytes: how many
 * @why: filled with a sentence where it is not, may be NULL
 * @room: bytes of @why
 *
 * Return: 0; -EINVAL where it is malformed; -ENOEXEC for another version; -ENOSPC
 * where it has too many records; -EOPNOTSUPP where it asks for what version 1.0 has
 * not.
 */
int vacc_batch_check(const void *artifact, size_t bytes, char *why, size_t room);

#ifdef __cplusplus
}
#endif

#endif /* LIBVACC_BATCH_H */
