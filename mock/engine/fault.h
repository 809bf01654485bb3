/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Scripted faults: a named method fails at its n-th call, in a way of choice.
 * And the audit: what was called, what was released, what lives, and which calls
 * should never have been made.
 */
#ifndef _ENG_FAULT_H
#define _ENG_FAULT_H

#include "env_sync.h"
#include "ids.h"

enum eng_method {
	ENG_CONTEXT_CREATE,
	ENG_CONTEXT_DESTROY,
	ENG_BUFFER_CREATE,
	ENG_BUFFER_DESTROY,
	ENG_BUFFER_WRITE,
	ENG_BUFFER_READ,
	ENG_IMAGE_LOAD,
	ENG_IMAGE_UNLOAD,
	ENG_QUEUE_CREATE,
	ENG_QUEUE_DESTROY,
	ENG_SUBMIT,
	ENG_EVENT_POLL,
	ENG_EVENT_CANCEL,
	ENG_EVENT_DESTROY,
	ENG_METHOD_COUNT,
};

/**
 * enum eng_fault_kind - how a call fails
 * @ENG_FAULT_NONE: it does not
 * @ENG_FAULT_BEFORE: with an error, before anything was done
 * @ENG_FAULT_AFTER: with an error after it was done; what was created is released
 *	first, and a release cannot be undone: it becomes indeterminate
 * @ENG_FAULT_REJECT: a release or submission is refused: nothing has happened
 * @ENG_FAULT_INDETERMINATE: nobody knows whether a release or submission has
 *	happened; a submission has
 * @ENG_FAULT_STATE: a poll finds the event in a terminal state of choice
 * @ENG_FAULT_KINDS: how many there are
 */
enum eng_fault_kind {
	ENG_FAULT_NONE,
	ENG_FAULT_BEFORE,
	ENG_FAULT_AFTER,
	ENG_FAULT_REJECT,
	ENG_FAULT_INDETERMINATE,
	ENG_FAULT_STATE,
	ENG_FAULT_KINDS,
};

/**
 * struct eng_fault - one fault
 * @method: of which method
 * @kind: how
 * @call: at which of its calls from now, 1 for the next
 * @status: the error; 0 is INTERNAL_ERROR
 * @state: ENG_FAULT_STATE: VIRTIO_ACCEL_EVENT_*, terminal
 */
struct eng_fault {
	enum eng_method method;
	enum eng_fault_kind kind;
	u64 call;
	u16 status;
	u16 state;
};

/**
 * struct eng_audit - what has happened
 * @calls: by method, scripted ones too
 * @faults: by method: calls that a script changed
 * @created: by kind of object
 * @released: by kind of object, for sure
 * @live: by kind of object, quarantined ones too
 * @double_release: releases of what was released
 * @use_after_release: other uses of it
 * @parent_before_child: releases of what still had children
 */
struct eng_audit {
	u64 calls[ENG_METHOD_COUNT];
	u64 faults[ENG_METHOD_COUNT];
	u64 created[ENG_KIND_COUNT];
	u64 released[ENG_KIND_COUNT];
	u64 live[ENG_KIND_COUNT];
	u64 double_release;
	u64 use_after_release;
	u64 parent_before_child;
};

/**
 * struct eng_node - an object, as the audit sees it
 * @parent: the node of its parent, or NULL
 * @kind: what it is
 * @children: live ones
 * @state: private
 */
struct eng_node {
	struct eng_node *parent;
	enum eng_kind kind;
	u32 children;
	u32 state;
};

#define ENG_MAX_FAULTS	32

/**
 * struct eng_faults - the script and the audit of a device
 * @lock: of all
 * @script: faults to come; @script.call is absolute
 * @count: how many
 * @audit: what has happened
 */
struct eng_faults {
	struct eng_spin lock;
	struct eng_fault script[ENG_MAX_FAULTS];
	u32 count;
	struct eng_audit audit;
};

void eng_faults_init(struct eng_faults *faults);
void eng_faults_fini(struct eng_faults *faults);
u16 eng_faults_add(struct eng_faults *faults, const struct eng_fault *fault);
void eng_faults_clear(struct eng_faults *faults);
void eng_faults_audit(struct eng_faults *faults, struct eng_audit *audit);
const char *eng_method_name(enum eng_method method);
const char *eng_fault_name(enum eng_fault_kind kind);

struct eng_fault eng_faults_next(struct eng_faults *faults,
				 enum eng_method method);
void eng_audit_created(struct eng_faults *faults, struct eng_node *node,
		       enum eng_kind kind, struct eng_node *parent);
bool eng_audit_lives(struct eng_faults *faults, const struct eng_node *node);
bool eng_audit_use(struct eng_faults *faults, const struct eng_node *node);
bool eng_audit_release(struct eng_faults *faults, struct eng_node *node);
void eng_audit_released(struct eng_faults *faults, struct eng_node *node);

#endif /* _ENG_FAULT_H */
