/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Artifacts and programs of libvacc. */
#ifndef LIBVACC_PROGRAM_H
#define LIBVACC_PROGRAM_H

#include <linux/vacc_reference.h>

#include "libvacc_object.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct vacc_artifact - a program to load
 * @format: number of its format
 * @target: what it was built for
 * @payload: its bytes
 * @payload_bytes: how many
 * @resident_bytes: what it charges while loaded
 */
struct vacc_artifact {
	__u32 format;
	__u32 target[12];
	const void *payload;
	__u64 payload_bytes;
	__u64 resident_bytes;
};

/**
 * vacc_probe_format() - which format some bytes have
 * @payload: bytes
 * @bytes: how many
 *
 * Looks at the magic number only.
 *
 * Return: VACC_REF_FORMAT, VACC_BATCH_FORMAT, or 0 where it is neither.
 */
__u32 vacc_probe_format(const void *payload, size_t bytes);

/**
 * vacc_artifact_init() - fill in format, target and charge of a known format
 * @artifact: filled in; keeps pointing at @payload
 * @payload: bytes of the artifact
 * @bytes: how many
 *
 * Looks only as far as it has to: the device decides whether it is well-formed.
 *
 * Return: 0, -EINVAL where the format is not known or too little is there.
 */
int vacc_artifact_init(struct vacc_artifact *artifact, const void *payload,
		       size_t bytes);

/**
 * vacc_artifact_check() - whether an artifact of either format is well-formed
 * @payload: bytes of the artifact
 * @bytes: how many
 * @why: filled with a sentence where it is not, may be NULL
 * @room: bytes of @why
 *
 * Return: 0, or as vacc_batch_check().
 */
int vacc_artifact_check(const void *payload, size_t bytes, char *why, size_t room);

/**
 * vacc_ref_barrier() - the 24-byte program that only orders
 * @artifact: filled in
 * @slot: its slot, bound with any access
 */
void vacc_ref_barrier(struct vacc_ref_artifact *artifact, __u32 slot);

/**
 * vacc_ref_copy() - the 24-byte program that copies
 * @artifact: filled in
 * @source: slot that is read
 * @target: slot that is written, another one, bound with the same length
 */
void vacc_ref_copy(struct vacc_ref_artifact *artifact, __u32 source, __u32 target);

/**
 * vacc_ref_fill() - the 24-byte program that sets every byte
 * @artifact: filled in
 * @slot: slot that is written
 * @value: the byte
 */
void vacc_ref_fill(struct vacc_ref_artifact *artifact, __u32 slot, __u8 value);

/**
 * vacc_ref_xor() - the 24-byte program that xors every byte
 * @artifact: filled in
 * @slot: slot that is read and written
 * @value: the byte
 */
void vacc_ref_xor(struct vacc_ref_artifact *artifact, __u32 slot, __u8 value);

/**
 * struct vacc_program - a loaded program
 * @dev: its device
 * @owner: number of that open of the device, never used again
 * @handle: its handle, 0 for none
 * @context: handle of its context
 * @format: number of its format
 */
struct vacc_program {
	struct vacc_device *dev;
	__u64 owner;
	__u32 handle;
	__u32 context;
	__u32 format;
};

/**
 * vacc_program_load() - load an artifact of a known format
 * @context: where it belongs
 * @payload: bytes of the artifact
 * @bytes: how many
 * @program: filled in
 *
 * Return: 0 or a negative errno.
 */
int vacc_program_load(const struct vacc_context *context, const void *payload,
		      size_t bytes, struct vacc_program *program);

/**
 * vacc_program_load_artifact() - load an artifact of any format
 * @context: where it belongs
 * @artifact: format, target, bytes and charge
 * @program: filled in
 *
 * Return: 0 or a negative errno.
 */
int vacc_program_load_artifact(const struct vacc_context *context,
			       const struct vacc_artifact *artifact,
			       struct vacc_program *program);

/**
 * vacc_program_load_file() - load an artifact of a known format from a file
 * @context: where it belongs
 * @path: the file
 * @program: filled in
 *
 * Return: 0 or a negative errno, also of open(2) and read(2).
 */
int vacc_program_load_file(const struct vacc_context *context, const char *path,
			   struct vacc_program *program);

/**
 * vacc_program_unload() - unload a program
 * @program: program; on success its handle becomes 0
 *
 * Return: 0 or a negative errno.
 */
int vacc_program_unload(struct vacc_program *program);

/**
 * vacc_program_query() - what the kernel knows of a program
 * @program: program
 * @query: filled in, but for @slots, of which only the count is meaningful
 * @slots: filled with its slots, or NULL
 * @room: how many of them fit
 *
 * Return: 0 or a negative errno.
 */
int vacc_program_query(const struct vacc_program *program,
		       struct vacc_program_query *query,
		       struct vacc_program_slot *slots, __u32 room);

#ifdef __cplusplus
}
#endif

#endif /* LIBVACC_PROGRAM_H */
