// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The processors that a queue's big products are spread over.
 *
 * A product is cut into parts that share no output.  In each step the queue's
 * executor offers all parts but one to the pool, goes on with that one, takes back
 * what nobody has begun, and waits for the others, which are at work on some
 * processor and end soon.  So a step never depends on a free worker, and after it
 * nothing of the product is under way: the executor may drop it there.
 *
 * Each output is the same sum in the same order, wherever it is computed.
 */
#include <linux/virtio_accel.h>

#include "object.h"
#include "team.h"

/* Outputs and rows that stay together, as blocks and panels of the vector paths do. */
#define UNIT_OUTPUTS	128
#define UNIT_ROWS	32

/* What each part may do in a step, in units of eng_linear_rate(): a millisecond. */
#define PART_BUDGET	(16 * ENG_STEP_BUDGET)

/* Whose a part is. */
enum part_state {
	PART_KEPT,	/* the executor's */
	PART_OFFERED,	/* whoever comes first */
	PART_TAKEN,	/* a worker's, until it is kept again */
};

struct eng_part {
	struct eng_work work;
	struct eng_team *team;
	struct eng_atomic state;
	struct eng_linear linear;
	struct eng_linear_cursor cursor;
	void *area;		/* the first has the executor's */
};

struct eng_team {
	struct eng_pool *pool;
	struct eng_spin lock;	/* none is taken while it is held */
	struct eng_wait back;	/* lock: a part is kept again */
	u32 size;
	u32 count;		/* parts of the product at work */
	struct eng_part parts[];
};

static void part_run(struct eng_part *part)
{
	u64 macs, left = PART_BUDGET * eng_linear_rate();

	while (left && !eng_linear_done(&part->linear, &part->cursor)) {
		macs = eng_linear_step(&part->linear, &part->cursor, part->area, left);
		left -= min(macs, left);
		eng_resched();
	}
}

static void part_work(struct eng_work *work)
{
	struct eng_part *part = container_of(work, struct eng_part, work);
	struct eng_team *team = part->team;
	bool cookie;

	if (!eng_atomic_swap_if(&part->state, PART_OFFERED, PART_TAKEN))
		return;
	cookie = eng_signalling_begin();
	part_run(part);
	eng_spin_lock(&team->lock);
	eng_atomic_set(&part->state, PART_KEPT);
	eng_wait_wake(&team->back);
	eng_spin_unlock(&team->lock);
	eng_signalling_end(cookie);
}

/**
 * eng_team_create() - make a team as large as a pool allows
 * @pool: whose workers take part
 *
 * Context: May sleep.
 * Return: the team, or NULL where one processor is all, or no memory is there: its
 * products are as good without.
 */
struct eng_team *eng_team_create(struct eng_pool *pool)
{
	u32 size = min_t(u32, eng_pool_width(pool), ENG_TEAM_MOST);
	struct eng_team *team;
	u32 i;

	if (size < 2)
		return NULL;
	team = eng_zalloc(sizeof(*team) + size * sizeof(team->parts[0]));
	if (!team)
		return NULL;
	team->pool = pool;
	eng_spin_init(&team->lock);
	eng_wait_init(&team->back);
	for (i = 0; i < size; i++) {
		struct eng_part *part = &team->parts[i];

		part->team = team;
		eng_work_init(&part->work, part_work);
		part->area = i ? eng_alloc(eng_linear_work_bytes()) : NULL;
		team->size++;
		if (i && !part->area) {
			eng_team_free(team);
			return NULL;
		}
	}
	return team;
}

/**
 * eng_team_free() - end a team that is at no work
 * @team: the team, or NULL
 *
 * Context: May sleep.
 */
void eng_team_free(struct eng_team *team)
{
	u32 i;

	if (!team)
		return;
	for (i = 1; i < team->size; i++) {
		eng_work_cancel(team->pool, &team->parts[i].work);
		eng_free(team->parts[i].area);
	}
	eng_wait_fini(&team->back);
	eng_spin_fini(&team->lock);
	eng_free(team);
}

static u32 units(const struct eng_linear *linear, bool *by_rows)
{
	u32 outputs = eng_divide_up(linear->out_features, UNIT_OUTPUTS);
	u32 rows = eng_divide_up(linear->rows, UNIT_ROWS);

	/* The weights of an output are packed once where its rows stay together. */
	*by_rows = outputs < ENG_TEAM_MOST && rows > outputs;
	return *by_rows ? rows : outputs;
}

/**
 * eng_team_takes() - whether a product is worth spreading
 * @linear: the product
 *
 * Context: any.
 * Return: the same at each step of the product.
 */
bool eng_team_takes(const struct eng_linear *linear)
{
	u64 macs;
	bool by_rows;

	if (check_mul_overflow((u64)linear->rows * linear->in_features,
			       (u64)linear->out_features, &macs))
		macs = U64_MAX;
	return macs >= ENG_TEAM_MACS && units(linear, &by_rows) > 1;
}

/* The units from @from on, up to @to. */
static void part_cut(struct eng_part *part, const struct eng_linear *linear, bool by_rows,
		     u32 from, u32 to)
{
	u32 unit = by_rows ? UNIT_ROWS : UNIT_OUTPUTS;
	u64 first = (u64)from * unit;
	u32 *extent;

	part->cursor = (struct eng_linear_cursor){};
	part->linear = *linear;
	if (by_rows) {
		part->linear.in += first * linear->in_stride;
		part->linear.out += first * linear->out_stride;
		extent = &part->linear.rows;
	} else {
		part->linear.weight += first * linear->weight_stride;
		part->linear.out += first * 2;
		if (part->linear.panels)
			part->linear.panels += eng_linear_panel_bytes(linear->in_features,
								      first);
		extent = &part->linear.out_features;
	}
	*extent = min_t(u64, *extent, (u64)to * unit) - first;
}

static void team_divide(struct eng_team *team, const struct eng_linear *linear)
{
	bool by_rows;
	u32 all = units(linear, &by_rows), i;

	team->count = min(team->size, all);
	for (i = 0; i < team->count; i++)
		part_cut(&team->parts[i], linear, by_rows,
			 (u64)all * i / team->count, (u64)all * (i + 1) / team->count);
}

static bool part_unfinished(const struct eng_part *part)
{
	return !eng_linear_done(&part->linear, &part->cursor);
}

static void team_offer(struct eng_team *team)
{
	u32 i;

	for (i = 1; i < team->count; i++) {
		if (!part_unfinished(&team->parts[i]))
			continue;
		eng_atomic_set(&team->parts[i].state, PART_OFFERED);
		eng_work_queue(team->pool, &team->parts[i].work);
	}
}

static void team_collect(struct eng_team *team)
{
	u32 i;

	for (i = 1; i < team->count; i++)
		if (eng_atomic_swap_if(&team->parts[i].state, PART_OFFERED, PART_KEPT))
			part_run(&team->parts[i]);
	eng_spin_lock(&team->lock);
	for (i = 1; i < team->count; i++)
		eng_wait_for(&team->back, &team->lock,
			     eng_atomic_get(&team->parts[i].state) == PART_KEPT);
	eng_spin_unlock(&team->lock);
}

/**
 * eng_team_step() - go on with a product that eng_team_takes()
 * @team: the team, which does one product at a time
 * @linear: the product, the same at each step
 * @cursor: how far it has come, not done yet
 * @work: eng_linear_work_bytes(), left alone between the steps of a product
 *
 * Context: May sleep, for as long as a part of a step takes; allocates nothing.
 * Return: how many products one processor has added up, or what took as long.
 */
u64 eng_team_step(struct eng_team *team, const struct eng_linear *linear,
		  struct eng_linear_cursor *cursor, void *work)
{
	bool unfinished = false;
	u32 i;

	if (!cursor->spread) {
		team_divide(team, linear);
		cursor->spread = true;
	}
	team->parts[0].area = work;
	team_offer(team);
	part_run(&team->parts[0]);
	team_collect(team);
	for (i = 0; i < team->count; i++) {
		eng_section_longest(&cursor->section, &team->parts[i].cursor.section);
		unfinished |= part_unfinished(&team->parts[i]);
	}
	if (!unfinished)
		cursor->output = linear->out_features;
	return PART_BUDGET * eng_linear_rate();
}
