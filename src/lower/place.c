#include "lower/place.h"

#include <inttypes.h>

#include "base/checked.h"

#define ROUNDS_MAX 16 /* of planning, each with more scratch in the problem */

struct placing {
	const struct tn_tables *t;
	const struct tn_lower_options *options;
	const struct tn_memories *m;
	const struct tn_limits *limits;
	struct tn_arena *arena;
	struct tn_diags *diags;
	struct tn_placed *out;
	uint32_t n_tensors; /* buffers of tensors; scratch follows */
	struct tn_region *regions;
	int64_t *accessed;
	uint32_t *allowed;
	uint32_t *scratch; /* by op: its buffer, or TN_NONE */
	int64_t *missing; /* by op */
	struct tn_plan *plan;
};

/* Tables by buffer have room for a scratch of every op. */
static enum tn_status grow(struct placing *p)
{
	struct tn_problem *q = &p->out->lowered.problem;
	const size_t most = (size_t)q->n_buffers + p->t->g->n_ops;
	struct tn_buffer *buffers = TN_NEW_ARRAY(p->arena, struct tn_buffer, most);
	tn_tensor_id *roots = TN_NEW_ARRAY(p->arena, tn_tensor_id, most);

	p->accessed = TN_NEW_ARRAY(p->arena, int64_t, most);
	p->allowed = TN_NEW_ARRAY(p->arena, uint32_t, most);
	p->regions = TN_NEW_ARRAY(p->arena, struct tn_region, p->m->n_regions);
	p->scratch = TN_NEW_ARRAY(p->arena, uint32_t, p->t->g->n_ops);
	p->missing = TN_NEW_ARRAY(p->arena, int64_t, p->t->g->n_ops);
	if (!buffers || !roots || !p->accessed || !p->allowed || !p->regions ||
		!p->scratch || !p->missing)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < q->n_buffers; i++) {
		buffers[i] = q->buffers[i];
		roots[i] = p->out->lowered.root_of[i];
	}
	for (uint32_t i = 0; i < p->t->g->n_ops; i++)
		p->scratch[i] = TN_NONE;
	for (uint32_t r = 0; r < p->m->n_regions; r++)
		p->regions[r] = (struct tn_region){ tn_memory_room(&p->m->regions[r]),
			p->m->regions[r].align, p->m->regions[r].cost };
	q->buffers = buffers;
	p->out->lowered.root_of = roots;
	p->n_tensors = q->n_buffers;
	return TN_OK;
}

static enum tn_status lower(struct placing *p)
{
	struct tn_lower_options options = *p->options;
	struct tn_lowered *l = &p->out->lowered;
	bool *apart;
	enum tn_status status = tn_pins_apart(p->t, p->m, p->arena, &apart);

	options.apart = apart;
	for (uint32_t r = 0; r < p->m->n_regions; r++) /* powers of two */
		options.merge_align =
			tn_max_i64(options.merge_align, p->m->regions[r].align);
	if (status == TN_OK)
		status = tn_lower(p->t, &options, p->arena, p->diags, l);
	if (status == TN_OK)
		status = grow(p);
	if (status == TN_OK)
		status = tn_access_count(p->t, l, p->diags, p->accessed);
	if (status == TN_OK)
		status = tn_pins_lower(p->t, p->m, l, p->diags, p->allowed);
	p->out->problem = (struct tn_region_problem){ .buffers = &l->problem,
		.accessed = p->accessed,
		.allowed = p->allowed,
		.regions = p->regions,
		.n_regions = p->m->n_regions };
	return status;
}

static const char *name_of(const struct placing *p, uint32_t buffer)
{
	const uint32_t root = p->out->lowered.root_of[buffer].i;

	return root == TN_NONE ? "scratch" : p->t->g->tensors[root].name;
}

/* Two pins that cannot both be true. The solver would say so of buffers. */
static enum tn_status refuse_clash(struct placing *p)
{
	const struct tn_buffer *b = p->out->lowered.problem.buffers;
	struct tn_arena scratch;
	uint32_t at[2];
	bool clash = false;
	enum tn_status status;

	tn_arena_init(&scratch);
	status = tn_regions_clash(&p->out->problem, &scratch, &clash, at);
	tn_arena_release(&scratch);
	if (status != TN_OK || !clash)
		return status;
	tn_diag_at(p->diags, SEVERITY_ERROR, "command/pin", p->t->g->source, NULL,
		name_of(p, at[0]),
		"'%s' and '%s' are needed at the same time, but are pinned to bytes "
		"%" PRId64 "..%" PRId64 " and %" PRId64 "..%" PRId64 " of one region",
		name_of(p, at[0]), name_of(p, at[1]), b[at[0]].fixed,
		b[at[0]].fixed + b[at[0]].size, b[at[1]].fixed,
		b[at[1]].fixed + b[at[1]].size);
	return TN_ERR_INPUT;
}

static enum tn_status raise(struct placing *p)
{
	const struct tn_layout layout = { .regions = p->m->regions,
		.n_regions = p->m->n_regions,
		.region = p->out->solution.region,
		.offset = p->out->solution.offset,
		.scratch = p->scratch };

	for (uint32_t i = 0; i < p->t->g->n_ops; i++)
		p->missing[i] = 0;
	return tn_raise_layout(
		p->t, &p->out->lowered, &layout, p->arena, p->plan, p->missing);
}

/* Makes buffers of scratch that found no room, so that the next round leaves some. */
static bool add_scratch(struct placing *p)
{
	struct tn_problem *q = &p->out->lowered.problem;
	uint32_t everywhere = 0;
	bool any = false;

	for (uint32_t r = 0; r < p->m->n_regions; r++)
		if (!p->m->regions[r].owned)
			everywhere |= UINT32_C(1) << r;
	for (uint32_t i = 0; i < p->t->order->n; i++) {
		const uint32_t op = p->t->order->at[i].i;
		uint32_t b = p->scratch[op];

		if (!p->missing[op])
			continue;
		any = true;
		if (b == TN_NONE) {
			b = p->scratch[op] = q->n_buffers++;
			q->buffers[b] = (struct tn_buffer){ .begin = 2 * (int64_t)i,
				.end = 2 * (int64_t)i + 2,
				.align = 16,
				.fixed = -1 };
			p->out->lowered.root_of[b].i = TN_NONE;
			p->allowed[b] = everywhere;
		}
		q->buffers[b].size = p->missing[op];
	}
	return any;
}

int64_t tn_memories_bound(const struct tn_memories *m, int64_t align, int64_t bound)
{
	return m->n_regions
		       ? tn_max_i64(0, bound - (int64_t)(m->n_regions - 1) * (align - 1))
		       : bound;
}

static enum tn_status finish(struct placing *p)
{
	struct tn_problem tensors = p->out->lowered.problem;
	struct tn_arena scratch;
	enum tn_status status;

	tensors.n_buffers = p->n_tensors;
	tn_arena_init(&scratch);
	status = tn_bound(&tensors, &scratch, &p->plan->bound_bytes);
	tn_arena_release(&scratch);
	p->plan->bound_bytes =
		tn_memories_bound(p->m, p->options->align, p->plan->bound_bytes);
	p->plan->optimal = p->plan->activation_bytes == p->plan->bound_bytes;
	p->plan->access_cost = p->out->solution.cost;
	p->plan->access_cost_bound = p->out->solution.cost_bound;
	p->plan->pins = p->m->pins;
	p->plan->n_pins = p->m->n_pins;
	return status;
}

enum tn_status tn_place(const struct tn_tables *tables,
	const struct tn_lower_options *options, const struct tn_memories *memories,
	const struct tn_limits *limits, struct tn_arena *arena, struct tn_diags *diags,
	struct tn_placed *placed, struct tn_plan *out)
{
	struct placing p = { .t = tables,
		.options = options,
		.m = memories,
		.limits = limits,
		.arena = arena,
		.diags = diags,
		.out = placed,
		.plan = out };
	enum tn_status status = lower(&p);

	if (status == TN_OK)
		status = refuse_clash(&p);
	for (int round = 0; status == TN_OK && round < ROUNDS_MAX; round++) {
		status = tn_regions_solve(
			&placed->problem, limits, arena, diags, &placed->solution);
		if (status == TN_OK && !placed->solution.fits)
			status = TN_ERR_REFUSED;
		if (status == TN_OK)
			status = raise(&p);
		if (status != TN_OK)
			return status;
		if (!add_scratch(&p))
			return finish(&p);
	}
	return status == TN_OK ? TN_ERR_REFUSED : status;
}
