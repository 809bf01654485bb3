// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Scripted faults, and the audit.
 */
#include "fault.h"

#include <linux/virtio_accel.h>

/* A node that was never created is neither. */
#define NODE_LIVE	0x6c697665
#define NODE_RELEASED	0x676f6e65

static const char *const method_names[] = {
	[ENG_CONTEXT_CREATE] = "context_create",
	[ENG_CONTEXT_DESTROY] = "context_destroy",
	[ENG_BUFFER_CREATE] = "buffer_create",
	[ENG_BUFFER_DESTROY] = "buffer_destroy",
	[ENG_BUFFER_WRITE] = "buffer_write",
	[ENG_BUFFER_READ] = "buffer_read",
	[ENG_IMAGE_LOAD] = "program_load",
	[ENG_IMAGE_UNLOAD] = "program_unload",
	[ENG_QUEUE_CREATE] = "queue_create",
	[ENG_QUEUE_DESTROY] = "queue_destroy",
	[ENG_SUBMIT] = "submit",
	[ENG_EVENT_POLL] = "event_poll",
	[ENG_EVENT_CANCEL] = "event_cancel",
	[ENG_EVENT_DESTROY] = "event_destroy",
};

static const char *const kind_names[] = {
	[ENG_FAULT_NONE] = "none",
	[ENG_FAULT_BEFORE] = "before",
	[ENG_FAULT_AFTER] = "after",
	[ENG_FAULT_REJECT] = "reject",
	[ENG_FAULT_INDETERMINATE] = "indeterminate",
	[ENG_FAULT_STATE] = "state",
};

/**
 * eng_method_name() - name of a method
 * @method: the method
 *
 * Context: Any.
 * Return: its name, or NULL behind the last.
 */
const char *eng_method_name(enum eng_method method)
{
	return (u32)method < ARRAY_SIZE(method_names) ? method_names[method] :
							NULL;
}

/**
 * eng_fault_name() - name of a kind of fault
 * @kind: the kind
 *
 * Context: Any.
 * Return: its name, or NULL behind the last.
 */
const char *eng_fault_name(enum eng_fault_kind kind)
{
	return (u32)kind < ARRAY_SIZE(kind_names) ? kind_names[kind] : NULL;
}

/**
 * eng_faults_init() - begin without faults
 * @faults: script and audit
 *
 * Context: Any.
 */
void eng_faults_init(struct eng_faults *faults)
{
	memset(faults, 0, sizeof(*faults));
	eng_spin_init(&faults->lock);
}

/**
 * eng_faults_fini() - end a script
 * @faults: script and audit
 *
 * Context: Any.
 */
void eng_faults_fini(struct eng_faults *faults)
{
	eng_spin_fini(&faults->lock);
}

static bool eng_method_releases(enum eng_method method)
{
	return method == ENG_CONTEXT_DESTROY || method == ENG_BUFFER_DESTROY ||
	       method == ENG_IMAGE_UNLOAD || method == ENG_QUEUE_DESTROY ||
	       method == ENG_EVENT_DESTROY;
}

static bool eng_fault_valid(const struct eng_fault *fault)
{
	enum eng_method method = fault->method;

	if ((u32)method >= ENG_METHOD_COUNT || !fault->call)
		return false;
	switch (fault->kind) {
	case ENG_FAULT_BEFORE:
	case ENG_FAULT_AFTER:
		return true;
	case ENG_FAULT_REJECT:
	case ENG_FAULT_INDETERMINATE:
		return method == ENG_SUBMIT || eng_method_releases(method);
	case ENG_FAULT_STATE:
		return method == ENG_EVENT_POLL &&
		       fault->state > VIRTIO_ACCEL_EVENT_PENDING &&
		       fault->state <= VIRTIO_ACCEL_EVENT_CANCELLED;
	default:
		return false;
	}
}

/**
 * eng_faults_add() - put a fault into the script
 * @faults: script and audit
 * @fault: the fault
 *
 * Context: Any task.
 * Return: OK, INVALID_ARGUMENT, or RESOURCE_LIMIT where the script is full.
 */
u16 eng_faults_add(struct eng_faults *faults, const struct eng_fault *fault)
{
	struct eng_fault entry = *fault;
	u16 status = VIRTIO_ACCEL_S_OK;

	if (!eng_fault_valid(fault))
		return VIRTIO_ACCEL_S_INVALID_ARGUMENT;
	if (!entry.status)
		entry.status = VIRTIO_ACCEL_S_INTERNAL_ERROR;

	eng_spin_lock(&faults->lock);
	if (check_add_overflow(faults->audit.calls[fault->method], fault->call,
			       &entry.call))
		status = VIRTIO_ACCEL_S_INVALID_ARGUMENT;
	else if (faults->count == ENG_MAX_FAULTS)
		status = VIRTIO_ACCEL_S_RESOURCE_LIMIT;
	else
		faults->script[faults->count++] = entry;
	eng_spin_unlock(&faults->lock);
	return status;
}

/**
 * eng_faults_clear() - forget all faults that have not happened
 * @faults: script and audit
 *
 * Context: Any task.
 */
void eng_faults_clear(struct eng_faults *faults)
{
	eng_spin_lock(&faults->lock);
	faults->count = 0;
	eng_spin_unlock(&faults->lock);
}

/**
 * eng_faults_audit() - what has happened
 * @faults: script and audit
 * @audit: one consistent picture
 *
 * Context: Any task.
 */
void eng_faults_audit(struct eng_faults *faults, struct eng_audit *audit)
{
	eng_spin_lock(&faults->lock);
	*audit = faults->audit;
	eng_spin_unlock(&faults->lock);
}

/**
 * eng_faults_next() - count a call and find out how it shall fail
 * @faults: script and audit
 * @method: what is called
 *
 * Context: Any task.
 * Return: the fault, which is spent then; ENG_FAULT_NONE mostly.
 */
struct eng_fault eng_faults_next(struct eng_faults *faults,
				 enum eng_method method)
{
	struct eng_fault found = { .kind = ENG_FAULT_NONE };
	u64 call;
	u32 i;

	eng_spin_lock(&faults->lock);
	call = ++faults->audit.calls[method];
	for (i = 0; i < faults->count; i++) {
		if (faults->script[i].method != method ||
		    faults->script[i].call != call)
			continue;
		found = faults->script[i];
		faults->script[i] = faults->script[--faults->count];
		faults->audit.faults[method]++;
		break;
	}
	eng_spin_unlock(&faults->lock);
	return found;
}

/**
 * eng_audit_created() - an object has come to be
 * @faults: script and audit
 * @node: its node
 * @kind: what it is
 * @parent: node of its parent, or NULL
 *
 * Context: Any task.
 */
void eng_audit_created(struct eng_faults *faults, struct eng_node *node,
		       enum eng_kind kind, struct eng_node *parent)
{
	eng_spin_lock(&faults->lock);
	node->parent = parent;
	node->kind = kind;
	node->children = 0;
	node->state = NODE_LIVE;
	if (parent)
		parent->children++;
	faults->audit.created[kind]++;
	faults->audit.live[kind]++;
	eng_spin_unlock(&faults->lock);
}

/**
 * eng_audit_lives() - ask without any consequence
 * @faults: script and audit
 * @node: a node
 *
 * Context: Any task.
 * Return: whether its object was created and not released.
 */
bool eng_audit_lives(struct eng_faults *faults, const struct eng_node *node)
{
	bool lives;

	eng_spin_lock(&faults->lock);
	lives = node->state == NODE_LIVE;
	eng_spin_unlock(&faults->lock);
	return lives;
}

/**
 * eng_audit_use() - an object is going to be used
 * @faults: script and audit
 * @node: its node
 *
 * Context: Any task.
 * Return: whether it may be.
 */
bool eng_audit_use(struct eng_faults *faults, const struct eng_node *node)
{
	bool good;

	eng_spin_lock(&faults->lock);
	good = node->state == NODE_LIVE;
	if (!good)
		faults->audit.use_after_release++;
	eng_spin_unlock(&faults->lock);
	return good;
}

/**
 * eng_audit_release() - an object is going to be released
 * @faults: script and audit
 * @node: its node
 *
 * Context: Any task.
 * Return: whether it may be.
 */
bool eng_audit_release(struct eng_faults *faults, struct eng_node *node)
{
	bool good = false;

	eng_spin_lock(&faults->lock);
	if (node->state != NODE_LIVE)
		faults->audit.double_release++;
	else if (node->children)
		faults->audit.parent_before_child++;
	else
		good = true;
	eng_spin_unlock(&faults->lock);
	return good;
}

/**
 * eng_audit_released() - an object has been released
 * @faults: script and audit
 * @node: its node
 *
 * Context: Any task.
 */
void eng_audit_released(struct eng_faults *faults, struct eng_node *node)
{
	eng_spin_lock(&faults->lock);
	if (node->state == NODE_LIVE) {
		node->state = NODE_RELEASED;
		if (node->parent)
			node->parent->children--;
		faults->audit.released[node->kind]++;
		faults->audit.live[node->kind]--;
	}
	eng_spin_unlock(&faults->lock);
}
