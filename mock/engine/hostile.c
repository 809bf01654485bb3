// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Hostility of a device.
 */
#include "hostile.h"

static const char *const hostility_names[] = {
	[ENG_HOSTILE_MUTE] = "mute",
	[ENG_HOSTILE_LATE] = "late",
	[ENG_HOSTILE_STALE] = "stale",
	[ENG_HOSTILE_DUPLICATE] = "duplicate",
	[ENG_HOSTILE_SWAP] = "swap",
	[ENG_HOSTILE_USED_LENGTH] = "used_length",
	[ENG_HOSTILE_USED_ID] = "used_id",
	[ENG_HOSTILE_STATUS] = "status",
	[ENG_HOSTILE_FLAGS] = "flags",
	[ENG_HOSTILE_PAYLOAD_LENGTH] = "payload_length",
	[ENG_HOSTILE_REQUEST_ID] = "request_id",
	[ENG_HOSTILE_OBJECT] = "object",
	[ENG_HOSTILE_EVENT_STATE] = "event_state",
	[ENG_HOSTILE_EVENT_ERROR] = "event_error",
};

/* Where in a response a value goes. */
static const struct {
	u8 offset;
	u8 bytes;
} patches[ENG_HOSTILE_COUNT] = {
	[ENG_HOSTILE_STATUS] = { 0, 2 },
	[ENG_HOSTILE_FLAGS] = { 2, 2 },
	[ENG_HOSTILE_PAYLOAD_LENGTH] = { 4, 4 },
	[ENG_HOSTILE_REQUEST_ID] = { 8, 8 },
	[ENG_HOSTILE_OBJECT] = { 16, 8 },
	[ENG_HOSTILE_EVENT_STATE] = { 16, 2 },
	[ENG_HOSTILE_EVENT_ERROR] = { 18, 2 },
};

/**
 * eng_hostility_name() - name of a hostility
 * @what: which
 *
 * Context: Any.
 * Return: its name, or NULL behind the last.
 */
const char *eng_hostility_name(enum eng_hostility what)
{
	return (u32)what < ARRAY_SIZE(hostility_names) ? hostility_names[what] :
							 NULL;
}

/**
 * eng_hostile_init() - begin without hostility
 * @hostile: what to begin
 *
 * Context: Any.
 */
void eng_hostile_init(struct eng_hostile *hostile)
{
	memset(hostile, 0, sizeof(*hostile));
	eng_spin_init(&hostile->lock);
}

/**
 * eng_hostile_fini() - end hostility that no ring uses any more
 * @hostile: what to end
 *
 * Context: Any.
 */
void eng_hostile_fini(struct eng_hostile *hostile)
{
	eng_spin_fini(&hostile->lock);
}

/**
 * eng_hostile_add() - add a rule
 * @hostile: where
 * @rule: the rule
 *
 * Context: Any task.
 * Return: OK, INVALID_ARGUMENT, or RESOURCE_LIMIT where there are too many.
 */
u16 eng_hostile_add(struct eng_hostile *hostile,
		    const struct eng_hostile_rule *rule)
{
	u16 status = VIRTIO_ACCEL_S_RESOURCE_LIMIT;

	if ((u32)rule->what >= ENG_HOSTILE_COUNT)
		return VIRTIO_ACCEL_S_INVALID_ARGUMENT;
	eng_spin_lock(&hostile->lock);
	if (hostile->rule_count < ENG_HOSTILE_RULES) {
		hostile->rules[hostile->rule_count++] = *rule;
		status = VIRTIO_ACCEL_S_OK;
	}
	eng_spin_unlock(&hostile->lock);
	return status;
}

/**
 * eng_hostile_clear() - forget all rules
 * @hostile: where
 *
 * What waits goes on waiting for eng_ring_push_held().
 *
 * Context: Any task.
 */
void eng_hostile_clear(struct eng_hostile *hostile)
{
	eng_spin_lock(&hostile->lock);
	hostile->rule_count = 0;
	eng_spin_unlock(&hostile->lock);
}

/**
 * eng_hostile_met() - how often hostility has met a reply
 * @hostile: where
 *
 * Context: Any task.
 * Return: replies times rules.
 */
u64 eng_hostile_met(struct eng_hostile *hostile)
{
	u64 met;

	eng_spin_lock(&hostile->lock);
	met = hostile->met;
	eng_spin_unlock(&hostile->lock);
	return met;
}

static void eng_hostile_patch(const struct eng_chain *chain, u32 offset,
			      u32 bytes, u64 value)
{
	struct eng_cursor cursor = eng_chain_response(chain);
	__le64 le = cpu_to_le64(value);

	if (offset + bytes > chain->writable_bytes)
		return;
	eng_cursor_skip(&cursor, offset);
	eng_cursor_put(&cursor, &le, bytes);
}

/* Not returned now, or at once where there is no room to hold it. */
static void eng_hostile_hold(struct eng_hostile *hostile,
			     struct eng_hostile_reply *reply, u64 wait,
			     bool stale)
{
	if (hostile->held_count == ENG_HOSTILE_HELD)
		return;
	hostile->held[hostile->held_count++] = (struct eng_hostile_held){
		.reply = *reply,
		.wait = wait,
		.stale = stale,
	};
	reply->times = 0;
}

/* The header of a reply that waits to exchange its ID is remembered. */
static void eng_hostile_swap_begin(struct eng_hostile *hostile,
				   const struct eng_chain *chain,
				   struct eng_hostile_reply *reply)
{
	const struct eng_seg *seg = chain->segs + chain->readable;
	u32 left = ENG_RESPONSE_BYTES;

	while (left) {
		struct eng_seg *to = &hostile->swap_segs[hostile->swap_count++];

		*to = *seg++;
		to->len = min_t(u32, to->len, left);
		left -= to->len;
	}
	hostile->swap = *reply;
	hostile->swap_id = chain->request_id;
	reply->times = 0;
}

/* Both replies are complete: IDs are exchanged, and the first is due. */
static void eng_hostile_swap_end(struct eng_hostile *hostile,
				 const struct eng_chain *chain)
{
	struct eng_chain first = {
		.segs = hostile->swap_segs,
		.writable = hostile->swap_count,
		.writable_bytes = ENG_RESPONSE_BYTES,
	};

	eng_hostile_patch(&first, 8, 8, chain->request_id);
	eng_hostile_patch(chain, 8, 8, hostile->swap_id);
	hostile->swap_count = 0;
	/* As one that has waited long enough. */
	eng_hostile_hold(hostile, &hostile->swap, 1, false);
}

static void eng_hostile_meet(struct eng_hostile *hostile,
			     const struct eng_hostile_rule *rule,
			     const struct eng_chain *chain,
			     struct eng_hostile_reply *reply)
{
	switch (rule->what) {
	case ENG_HOSTILE_MUTE:
		reply->times = 0;
		break;
	case ENG_HOSTILE_LATE:
		/* The reply that is just being returned counts as well. */
		eng_hostile_hold(hostile, reply,
				 rule->value ? rule->value + 1 : U64_MAX, false);
		break;
	case ENG_HOSTILE_STALE:
		eng_hostile_hold(hostile, reply, U64_MAX, true);
		break;
	case ENG_HOSTILE_DUPLICATE:
		reply->times = 2;
		break;
	case ENG_HOSTILE_SWAP:
		if (!hostile->swap_count)
			eng_hostile_swap_begin(hostile, chain, reply);
		break;
	case ENG_HOSTILE_USED_LENGTH:
		reply->used = rule->value;
		break;
	case ENG_HOSTILE_USED_ID:
		reply->id = rule->value;
		break;
	default:
		eng_hostile_patch(chain, patches[rule->what].offset,
				  patches[rule->what].bytes, rule->value);
		break;
	}
}

/**
 * eng_hostile_falsify() - do to a reply what the rules say
 * @hostile: the rules
 * @chain: the request with its response
 * @reply: what is going to be returned
 *
 * Context: Any task; the ring's lock is held.
 */
void eng_hostile_falsify(struct eng_hostile *hostile, struct eng_chain *chain,
			 struct eng_hostile_reply *reply)
{
	u32 i;

	if (!chain->opened || chain->bad || reply->used < ENG_RESPONSE_BYTES)
		return;

	eng_spin_lock(&hostile->lock);
	if (hostile->swap_count)
		eng_hostile_swap_end(hostile, chain);
	for (i = 0; i < hostile->rule_count && reply->times; i++) {
		struct eng_hostile_rule *rule = &hostile->rules[i];

		if (rule->opcode && rule->opcode != chain->opcode)
			continue;
		if (rule->skip) {
			rule->skip--;
			continue;
		}
		hostile->met++;
		eng_hostile_meet(hostile, rule, chain, reply);
		if (rule->count && !--rule->count)
			hostile->rules[i--] =
				hostile->rules[--hostile->rule_count];
	}
	eng_spin_unlock(&hostile->lock);
}

/**
 * eng_hostile_due() - a reply that has waited for long enough
 * @hostile: the rules
 * @all: how long does not matter
 * @reply: it
 *
 * Without @all every call that finds none counts as one reply returned.
 *
 * Context: Any task; the ring's lock is held.
 * Return: whether there is one.
 */
bool eng_hostile_due(struct eng_hostile *hostile, bool all,
		     struct eng_hostile_reply *reply)
{
	bool found = false;
	u32 i;

	eng_spin_lock(&hostile->lock);
	for (i = 0; i < hostile->held_count && !found; i++) {
		struct eng_hostile_held *held = &hostile->held[i];

		if (held->stale ? held->started : (all || held->wait <= 1)) {
			*reply = held->reply;
			*held = hostile->held[--hostile->held_count];
			found = true;
		}
	}
	if (!found && all && hostile->swap_count) {
		*reply = hostile->swap;
		hostile->swap_count = 0;
		found = true;
	}
	for (i = 0; i < hostile->held_count && !found && !all; i++) {
		if (hostile->held[i].wait != U64_MAX)
			hostile->held[i].wait--;
	}
	eng_spin_unlock(&hostile->lock);
	return found;
}

/**
 * eng_hostile_stopped() - the ring has been stopped
 * @hostile: the rules
 *
 * Only what was meant to survive this does.
 *
 * Context: Any task.
 */
void eng_hostile_stopped(struct eng_hostile *hostile)
{
	u32 i, kept = 0;

	eng_spin_lock(&hostile->lock);
	for (i = 0; i < hostile->held_count; i++) {
		if (!hostile->held[i].stale)
			continue;
		hostile->held[i].started = true;
		hostile->held[kept++] = hostile->held[i];
	}
	hostile->held_count = kept;
	hostile->swap_count = 0;
	eng_spin_unlock(&hostile->lock);
}
