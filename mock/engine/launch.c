// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Running a launch: staging what the output lies over, and the product.
 */
#include "run.h"
#include "team.h"

static u8 *region_start(const struct eng_run *run, const struct eng_region *region)
{
	return run->spans[region->slot].mem + region->offset;
}

/* Judged by first and last bytes, whatever lies between rows. */
static bool overlap(const u8 *a, const struct eng_region *a_region, u32 a_rows,
		    const u8 *b, const struct eng_region *b_region, u32 b_rows)
{
	uintptr_t a_start = (uintptr_t)a, b_start = (uintptr_t)b;
	uintptr_t a_bytes = (a_rows - 1) * a_region->stride + a_region->row_bytes;
	uintptr_t b_bytes = (b_rows - 1) * b_region->stride + b_region->row_bytes;

	return a_start < b_start + b_bytes && b_start < a_start + a_bytes;
}

/**
 * eng_job_init() - find the memory of a launch
 * @job: where it goes
 * @run: the run, its bindings compared with the launch
 * @launch: the launch
 *
 * Context: any.
 */
void eng_job_init(struct eng_job *job, const struct eng_run *run,
		  const struct eng_launch *launch)
{
	u32 outs = launch->out_features;

	job->rows = eng_launch_rows(run, launch);
	job->in = region_start(run, &launch->in);
	job->weight = region_start(run, &launch->weight);
	job->out = region_start(run, &launch->out);
	job->in_overlaps = overlap(job->in, &launch->in, job->rows,
				   job->out, &launch->out, job->rows);
	job->weight_overlaps = overlap(job->weight, &launch->weight, outs,
				       job->out, &launch->out, job->rows);
	job->scratch_bytes = eng_launch_scratch(launch, job->rows, job->in_overlaps,
						job->weight_overlaps);
	/* Of two equal sides the output: it is copied where it is written. */
	job->stage_out = job->scratch_bytes &&
			 job->scratch_bytes == eng_region_packed(&launch->out, job->rows);
}

/* Rows between a matrix and a copy of it. */
struct rows {
	u8 *to;
	u64 to_stride;
	const u8 *from;
	u64 from_stride;
	u64 row_bytes;
	u64 bytes;
};

/* Go on with moving rows; true when all are moved. */
static bool move_rows(struct eng_run *run, const struct rows *rows, u64 *budget)
{
	u64 left = min(*budget, rows->bytes - run->done);
	u64 row = eng_div64(run->done, rows->row_bytes);
	u64 column = run->done - row * rows->row_bytes;

	*budget -= left;
	run->done += left;
	while (left) {
		u64 n = min(left, rows->row_bytes - column);

		memcpy(rows->to + row * rows->to_stride + column,
		       rows->from + row * rows->from_stride + column, n);
		left -= n;
		column = 0;
		row++;
	}
	return run->done == rows->bytes;
}

/* Rows that overlap, or lie without gaps, are moved as one. */
static void describe_rows(struct rows *rows, const struct eng_region *region, u32 count)
{
	rows->bytes = eng_region_packed(region, count);
	rows->row_bytes = region->row_bytes;
	if (region->stride <= region->row_bytes)
		rows->row_bytes = rows->bytes;
	rows->from_stride = region->stride;
	rows->to_stride = region->row_bytes;
}

static bool stage(struct eng_run *run, const struct eng_region *region, u32 count,
		  const u8 *from, u8 *to, u64 *budget)
{
	struct rows rows = { .from = from, .to = to };

	describe_rows(&rows, region, count);
	return move_rows(run, &rows, budget);
}

static bool unstage(struct eng_run *run, const struct eng_region *region, u32 count,
		    u8 *to, u64 *budget)
{
	struct rows rows = { .from = run->scratch, .to = to };

	describe_rows(&rows, region, count);
	rows.from_stride = region->row_bytes;
	rows.to_stride = region->stride;
	return move_rows(run, &rows, budget);
}

/* The stride of a copy in scratch. */
static u64 staged_stride(const struct eng_region *region)
{
	return min(region->stride, region->row_bytes);
}

static bool multiply(struct eng_run *run, const struct eng_launch *launch,
		     const struct eng_job *job, void *work, struct eng_use *use,
		     u64 *budget)
{
	bool stage_in = job->in_overlaps && !job->stage_out;
	bool stage_weight = job->weight_overlaps && !job->stage_out;
	u64 rate = eng_linear_rate();
	struct eng_linear linear = {
		.in = job->in,
		.in_stride = launch->in.stride,
		.weight = job->weight,
		.weight_stride = launch->weight.stride,
		.out = job->out,
		.out_stride = launch->out.stride,
		.rows = job->rows,
		.in_features = launch->in_features,
		.out_features = launch->out_features,
	};

	if (stage_in) {
		linear.in = run->scratch;
		linear.in_stride = staged_stride(&launch->in);
	}
	if (stage_weight) {
		linear.weight = run->scratch;
		if (stage_in)
			linear.weight += eng_region_packed(&launch->in, job->rows);
		linear.weight_stride = staged_stride(&launch->weight);
	}
	if (job->stage_out) {
		linear.out = run->scratch;
		linear.out_stride = launch->out.row_bytes;
	}
	eng_use_panels(use, run, launch, job, &linear);
	run->spread = run->team && eng_team_takes(&linear);
	while (*budget && !eng_linear_done(&linear, &run->linear)) {
		u64 macs;

		if (check_mul_overflow(*budget, rate, &macs))
			macs = U64_MAX;
		macs = run->spread ?
		       eng_team_step(run->team, &linear, &run->linear, work) :
		       eng_linear_step(&linear, &run->linear, work, macs);
		*budget -= min_t(u64, *budget, eng_div64(macs, rate) + 1);
	}
	return eng_linear_done(&linear, &run->linear);
}

static bool phase_step(struct eng_run *run, const struct eng_launch *launch,
		       const struct eng_job *job, void *work, struct eng_use *use,
		       u64 *budget)
{
	bool stage_in = job->in_overlaps && !job->stage_out;
	u8 *to = run->scratch;

	switch (run->phase) {
	case ENG_PHASE_STAGE_IN:
		return !stage_in || stage(run, &launch->in, job->rows, job->in, to,
					  budget);
	case ENG_PHASE_STAGE_WEIGHT:
		if (!job->weight_overlaps || job->stage_out)
			return true;
		if (stage_in)
			to += eng_region_packed(&launch->in, job->rows);
		return stage(run, &launch->weight, launch->out_features, job->weight,
			     to, budget);
	case ENG_PHASE_MULTIPLY:
		return multiply(run, launch, job, work, use, budget);
	case ENG_PHASE_UNSTAGE:
		return !job->stage_out || unstage(run, &launch->out, job->rows,
						  job->out, budget);
	}
	return true;
}

/**
 * eng_launch_step() - go on with a launch
 * @run: the run, which has come to the launch
 * @launch: the launch
 * @work: eng_linear_work_bytes(), left alone between steps
 * @use: as of eng_run_step()
 * @budget: what may be spent; less what was
 *
 * Context: may sleep, while other processors compute a part of it; takes time.
 * Return: whether the launch is complete.
 */
bool eng_launch_step(struct eng_run *run, const struct eng_launch *launch,
		     void *work, struct eng_use *use, u64 *budget)
{
	struct eng_job job;

	eng_job_init(&job, run, launch);
	eng_use_write(use, run, launch->out.slot, launch->out.offset,
		      (job.rows - 1) * launch->out.stride + launch->out.row_bytes);
	while (phase_step(run, launch, &job, work, use, budget)) {
		run->done = 0;
		if (run->phase == ENG_PHASE_UNSTAGE) {
			run->phase = ENG_PHASE_STAGE_IN;
			run->linear = (struct eng_linear_cursor){
				.section = run->linear.section,
			};
			return true;
		}
		run->phase++;
	}
	return false;
}
