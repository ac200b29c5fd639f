#include "base/checked.h"
#include "plan/fixed.h"
#include "plan/improve.h"
#include "plan/regions_search.h"

#define NODES_DEFAULT ((int64_t)2000000)
#define PACK_NODES    ((int64_t)2000) /* of one packing */
#define GREEDY_SHARE  4 /* part of the effort for greedy and improvement */

/* ---- shared by the phases ---- */

bool tn_search_over(const struct tn_region_search *s)
{
	return s->left <= 0 || (s->until > 0 && tn_clock() >= s->until);
}

enum tn_status tn_search_pack(struct tn_region_search *s, const uint32_t *region,
	const uint32_t *variant, uint32_t r, int64_t *offset, enum tn_packing *out)
{
	struct tn_pack pack = { .p = s->p,
		.region = region,
		.variant = variant,
		.limits = { .nodes = PACK_NODES },
		.offset = offset };
	enum tn_status status = tn_pack_region(&pack, r, out);

	s->left -= pack.nodes;
	return status;
}

enum tn_status tn_search_fits(
	struct tn_region_search *s, const uint32_t *region, uint32_t touched, bool *out)
{
	enum tn_status status = TN_OK;
	bool was_split = false;

	for (uint32_t g = 0; s->found && g < s->p->buffers->n_groups; g++)
		was_split = was_split || s->best_variant[g] != TN_ANY_VARIANT;
	if (tn_pack_split(s->p, region, 0, s->variant, s->at) || was_split)
		touched = UINT32_MAX; /* a variant is forced, or no longer, elsewhere */
	*out = true;
	for (uint32_t r = 0; r < s->p->n_regions && *out && status == TN_OK; r++) {
		enum tn_packing packing;

		if (!(touched >> r & 1))
			continue;
		status = tn_search_pack(s, region, s->variant, r, NULL, &packing);
		*out = status == TN_OK && packing == PACKING_FITS;
	}
	return status;
}

int64_t tn_search_cost(const struct tn_region_problem *p, const uint32_t *region)
{
	int64_t cost = 0;

	for (uint32_t i = 0; i < p->buffers->n_buffers; i++)
		cost += p->accessed[i] * p->regions[region[i]].cost;
	return cost; /* valid: no overflow */
}

void tn_search_take(
	struct tn_region_search *s, const uint32_t *region, const uint32_t *variant)
{
	const int64_t cost = tn_search_cost(s->p, region);

	if (s->found && cost >= s->best_cost)
		return;
	s->found = true;
	s->best_cost = cost;
	for (uint32_t i = 0; i < s->p->buffers->n_buffers; i++)
		s->best[i] = region[i];
	for (uint32_t g = 0; g < s->p->buffers->n_groups; g++)
		s->best_variant[g] = variant[g];
}

/* ---- the solver ---- */

static enum tn_status refuse(const struct tn_region_problem *p, struct tn_diags *diags)
{
	const char *why;
	uint32_t index;

	if (tn_regions_valid(p, &why, &index))
		return TN_OK;
	tn_diag_at(diags, SEVERITY_ERROR, "plan/problem", NULL, NULL, NULL,
		"%s (number %u)", why, (unsigned)index);
	return TN_ERR_INPUT;
}

/* Buffers with given offsets in one region that cannot all be there. */
static enum tn_status refuse_fixed(
	const struct tn_region_problem *p, struct tn_arena *arena, struct tn_diags *diags)
{
	uint32_t at[2];
	bool clash;
	enum tn_status status = tn_regions_clash(p, arena, &clash, at);

	if (status != TN_OK || !clash)
		return status;
	tn_diag_at(diags, SEVERITY_ERROR, "plan/fixed", NULL, NULL, NULL,
		"buffers %u and %u are alive together and their given offsets %lld and "
		"%lld make them overlap",
		(unsigned)at[0], (unsigned)at[1],
		(long long)p->buffers->buffers[at[0]].fixed,
		(long long)p->buffers->buffers[at[1]].fixed);
	return TN_ERR_INPUT;
}

enum tn_status tn_regions_clash(const struct tn_region_problem *p, struct tn_arena *arena,
	bool *out_clash, uint32_t out_buffers[2])
{
	const uint32_t n = p->buffers->n_buffers;
	struct tn_problem one = *p->buffers;
	struct tn_pairs pairs;
	enum tn_status status = tn_pairs_build(p->buffers, arena, &pairs);

	*out_clash = false;
	one.buffers = TN_NEW_ARRAY(arena, struct tn_buffer, n);
	if (!one.buffers)
		return TN_ERR_NOMEM;
	for (uint32_t r = 0; r < p->n_regions && status == TN_OK && !*out_clash; r++) {
		for (uint32_t i = 0; i < n; i++) {
			one.buffers[i] = p->buffers->buffers[i];
			if (p->allowed[i] != UINT32_C(1) << r)
				one.buffers[i].fixed = -1;
		}
		status = tn_fixed_clash(&one, &pairs, out_clash, out_buffers);
	}
	return status;
}

enum tn_status tn_search_start(struct tn_region_search *s, struct tn_arena *scratch)
{
	const struct tn_problem *q = s->p->buffers;

	s->arena = scratch;
	s->best = TN_NEW_ARRAY(scratch, uint32_t, q->n_buffers);
	s->best_variant = TN_NEW_ARRAY(scratch, uint32_t, q->n_groups);
	s->variant = TN_NEW_ARRAY(scratch, uint32_t, q->n_groups);
	s->at = TN_NEW_ARRAY(scratch, uint32_t, q->n_groups);
	if (!s->best || !s->best_variant || !s->variant || !s->at)
		return TN_ERR_NOMEM;
	return tn_regions_bound_init(&s->bound, s->p, scratch);
}

static enum tn_status search(
	struct tn_region_search *s, int64_t nodes, double seconds, int64_t *out_bound)
{
	const double now = seconds > 0 ? tn_clock() : 0;
	enum tn_status status;
	int64_t rest;

	s->left = nodes / GREEDY_SHARE;
	s->until = seconds > 0 ? now + seconds / GREEDY_SHARE : 0;
	status = tn_regions_greedy(s);
	if (status == TN_OK)
		status = tn_regions_improve(s);
	rest = s->left + nodes - nodes / GREEDY_SHARE;
	s->left = rest / 2; /* the other half is for windows, if it comes to that */
	s->until = seconds > 0 ? now + seconds * 3 / 4 : 0;
	if (status == TN_OK)
		status = tn_regions_exact(s, out_bound);
	s->left += rest - rest / 2;
	s->until = seconds > 0 ? now + seconds : 0;
	if (status == TN_OK && s->found && s->best_cost > *out_bound)
		status = tn_regions_window_bound(s, out_bound);
	if (status == TN_OK && s->found && s->best_cost > *out_bound)
		status = tn_regions_windows(s);
	return status;
}

/* Packs region r for good: first so that it fits, as the search did, then as low as the
 * limits allow. */
static enum tn_status place(const struct tn_region_search *s,
	const struct tn_limits *limits, uint32_t r, struct tn_region_solution *out,
	struct tn_arena *scratch)
{
	const struct tn_problem *q = s->p->buffers;
	struct tn_pack pack = { .p = s->p,
		.region = s->best,
		.variant = s->best_variant,
		.limits = { .nodes = PACK_NODES },
		.offset = out->offset,
		.chosen = out->variant };
	struct tn_pack low = pack;
	enum tn_packing packing;
	enum tn_status status = tn_pack_region(&pack, r, &packing);

	if (status != TN_OK || packing != PACKING_FITS)
		return status != TN_OK ? status : TN_ERR_INTERNAL;
	low.minimise = true;
	low.limits = *limits;
	low.offset = TN_NEW_ARRAY(scratch, int64_t, q->n_buffers);
	low.chosen = TN_NEW_ARRAY(scratch, uint32_t, q->n_groups);
	if (!low.offset || !low.chosen)
		return TN_ERR_NOMEM;
	for (uint32_t g = 0; g < q->n_groups; g++)
		low.chosen[g] = out->variant[g];
	status = tn_pack_region(&low, r, &packing);
	out->height[r] = tn_min_i64(pack.height, low.height);
	out->nodes += pack.nodes + low.nodes;
	if (status != TN_OK || low.height >= pack.height)
		return status;
	for (uint32_t i = 0; i < q->n_buffers; i++)
		if (s->best[i] == r)
			out->offset[i] = low.offset[i];
	for (uint32_t g = 0; g < q->n_groups; g++)
		out->variant[g] = low.chosen[g];
	return TN_OK;
}

static enum tn_status finish(const struct tn_region_search *s,
	const struct tn_limits *limits, struct tn_region_solution *out,
	struct tn_arena *scratch)
{
	enum tn_status status = TN_OK;

	for (uint32_t i = 0; i < s->p->buffers->n_buffers; i++)
		out->region[i] = s->best[i];
	for (uint32_t r = 0; r < s->p->n_regions && status == TN_OK; r++)
		status = place(s, limits, r, out, scratch);
	out->fits = true;
	out->cost = s->best_cost;
	out->optimal = out->cost == out->cost_bound;
	return status;
}

enum tn_status tn_regions_solve(const struct tn_region_problem *p,
	const struct tn_limits *limits, struct tn_arena *arena, struct tn_diags *diags,
	struct tn_region_solution *out)
{
	struct tn_region_search s = { .p = p };
	struct tn_limits each = { 0 };
	struct tn_arena scratch;
	enum tn_status status = refuse(p, diags);
	int64_t nodes = limits && limits->nodes > 0 ? limits->nodes : NODES_DEFAULT;

	*out = (struct tn_region_solution){ 0 };
	if (status != TN_OK)
		return status;
	each.nodes = tn_max_i64(1, nodes / p->n_regions);
	each.seconds =
		limits && limits->seconds > 0 ? limits->seconds / 2 / p->n_regions : 0;
	out->region = TN_NEW_ARRAY(arena, uint32_t, p->buffers->n_buffers);
	out->offset = TN_NEW_ARRAY(arena, int64_t, p->buffers->n_buffers);
	out->variant = TN_NEW_ARRAY(arena, uint32_t, p->buffers->n_groups);
	out->height = TN_NEW_ARRAY(arena, int64_t, p->n_regions);
	if (!out->region || !out->offset || !out->variant || !out->height)
		return TN_ERR_NOMEM;
	tn_arena_init(&scratch);
	status = refuse_fixed(p, &scratch, diags);
	if (status == TN_OK)
		status = tn_search_start(&s, &scratch);
	if (status == TN_OK)
		status = search(&s, nodes,
			limits && limits->seconds > 0 ? limits->seconds / 2 : 0,
			&out->cost_bound);
	out->nodes = nodes - s.left;
	out->hopeless = status == TN_OK && !s.found && out->cost_bound == INT64_MAX;
	if (status == TN_OK && s.found)
		status = finish(&s, &each, out, &scratch);
	tn_arena_release(&scratch);
	return status;
}
