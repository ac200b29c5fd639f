#include "base/checked.h"
#include "lower/lower.h"
#include "lower/raising.h"

struct raising {
	const struct tn_tables *t;
	const struct tn_lowered *l;
	const struct tn_layout *at;
	struct tn_arena *arena;
	struct tn_plan *plan;
	int64_t *missing; /* by op: bytes of scratch without a place */
	uint32_t *by_cost; /* regions, the cheapest first */
	uint32_t *by_begin; /* buffers by the start of their life */
	uint32_t *live; /* buffers alive at the current op */
	uint32_t n_live, next;
};

static uint32_t region_of(const struct raising *r, uint32_t buffer)
{
	return r->at->region ? r->at->region[buffer] : 0;
}

static void place_tensors(struct raising *r)
{
	const struct tn_graph *g = r->t->g;

	for (uint32_t i = 0; i < g->n_tensors; i++) {
		struct tn_plan_tensor *p = &r->plan->tensors[i];
		uint32_t b = r->l->buffer_of[i];
		const struct tn_span *span = &r->t->live->tensor[i];

		/* storage that ops know by its views alone */
		if (span->first > span->last && r->t->aliases->of[i].root.i == i)
			span = &r->t->live->root[i];
		*p = (struct tn_plan_tensor){ .region = TN_REGION_NONE,
			.bytes = g->tensors[i].bytes };
		if (b == TN_NONE || span->first > span->last)
			continue;
		if (r->l->streamed)
			p->ring_bytes = r->l->streamed->ring_bytes[i];
		p->region = region_of(r, b);
		p->offset = r->at->offset[b] + r->l->shift_of[i];
		p->first = span->first;
		p->last = span->last;
	}
}

/* `v` is the variant's index in the contract, where those with a buffer come last. */
static bool allows(const struct raising *r, const struct tn_candidate *c, uint32_t v,
	struct tn_variant variant)
{
	const struct tn_plan_tensor *in = &r->plan->tensors[c->in.i];
	const struct tn_plan_tensor *out = &r->plan->tensors[c->out.i];
	int64_t have;

	if (c->no_copy)
		return true;
	/* a variable that is updated, a view that is written: the graph itself says so, and
	 * the plain variant is what it means; not so buffers that in-place merged */
	if (r->t->aliases->of[c->in.i].root.i == r->t->aliases->of[c->out.i].root.i)
		return true;
	if (in->region == TN_REGION_NONE || in->region != out->region ||
		in->offset + in->bytes <= out->offset ||
		out->offset + out->bytes <= in->offset)
		return true;
	have = in->offset - out->offset;
	if (v >= c->n_variants)
		return !have && c->buffer_bytes && variant.hold == c->buffered.hold &&
		       variant.descending == c->buffered.descending;
	if (c->d[v] == TN_DISPLACEMENT_NEVER)
		return false;
	return c->d[v] == TN_DISPLACEMENT_FREE ||
	       (c->variant[v].descending ? -have : have) >= c->d[v];
}

/* The candidates of one op are neighbours in the list. */
static enum tn_status choose_variant(
	struct raising *r, tn_op_id op, size_t first, size_t end)
{
	struct tn_variant variants[TN_VARIANTS_MAX];
	uint32_t n = tn_contract_variants(r->t->g, op, variants);
	struct tn_plan_op *p = &r->plan->ops[op.i];

	*p = (struct tn_plan_op){ .elided = r->t->aliases->elided[op.i],
		.scratch_region = TN_REGION_NONE };
	if (!p->elided && !n) /* it runs as the plain one */
		p->scratch_bytes = tn_contract_scratch(
			r->t->g, op, (struct tn_variant){ false, HOLD_NONE });
	if (p->elided || !n)
		return TN_OK;
	if (r->l->streamed && r->l->streamed->of_op[op.i] != TN_NONE) {
		tn_stream_raise_op(r->t->g, r->l, r->plan, op);
		return TN_OK;
	}
	for (uint32_t v = 0; v < n; v++) {
		bool ok = true;

		for (size_t i = first; i < end && ok; i++)
			ok = allows(r, &r->t->inplace->list[i], v, variants[v]);
		if (ok) {
			p->descending = variants[v].descending;
			p->hold = (uint8_t)variants[v].hold;
			p->scratch_bytes = tn_contract_scratch(r->t->g, op, variants[v]);
			return TN_OK;
		}
	}
	return TN_ERR_INTERNAL; /* the solver promised a variant */
}

static enum tn_status choose_variants(struct raising *r)
{
	const struct tn_inplace *in = r->t->inplace;
	size_t at = 0;

	for (uint32_t p = 0; p < r->t->order->n; p++) {
		tn_op_id op = r->t->order->at[p];
		size_t first = at;
		enum tn_status status;

		while (at < in->n && in->list[at].op.i == op.i)
			at++;
		status = choose_variant(r, op, first, at);
		if (status != TN_OK)
			return status;
	}
	return TN_OK;
}

/* The buffers alive while the op at position p runs, sorted by offset. */
static void advance(struct raising *r, uint32_t p)
{
	const struct tn_problem *q = &r->l->problem;
	int64_t begin = 2 * (int64_t)p, end = begin + 2;
	uint32_t kept = 0;

	while (r->next < q->n_buffers && q->buffers[r->by_begin[r->next]].begin < end)
		r->live[r->n_live++] = r->by_begin[r->next++];
	for (uint32_t i = 0; i < r->n_live; i++)
		if (q->buffers[r->live[i]].end > begin)
			r->live[kept++] = r->live[i];
	r->n_live = kept;
	for (uint32_t i = 1; i < kept; i++) { /* few are alive: insertion sort */
		uint32_t b = r->live[i], k = i;

		while (k > 0 && r->at->offset[r->live[k - 1]] > r->at->offset[b]) {
			r->live[k] = r->live[k - 1];
			k--;
		}
		r->live[k] = b;
	}
}

#define SCRATCH_ALIGN 16 /* what kernels ask for, whatever the tensors have */

/* The lowest place that is free in region k, or -1. */
static int64_t gap(const struct raising *r, uint32_t k, int64_t bytes)
{
	const struct tn_plan_region *region = &r->plan->regions[k];
	const struct tn_problem *q = &r->l->problem;
	int64_t align = tn_max_i64(region->align, SCRATCH_ALIGN), at = 0, end;

	for (uint32_t i = 0; i < r->n_live; i++) {
		uint32_t b = r->live[i];

		if (region_of(r, b) != k)
			continue;
		if (r->at->offset[b] - at >= bytes)
			break;
		at = tn_max_i64(at, r->at->offset[b] + q->buffers[b].size);
		if (!tn_align_up_i64(at, align, &at))
			return -1;
	}
	if (!tn_add_i64(at, bytes, &end) ||
		(region->capacity >= 0 && end > region->capacity - region->reserved))
		return -1;
	return at;
}

/* Into the buffer that was made for it, or the cheapest region that has room. */
static void place_scratch_of(struct raising *r, uint32_t op)
{
	struct tn_plan_op *p = &r->plan->ops[op];
	uint32_t b = r->at->scratch ? r->at->scratch[op] : TN_NONE;

	if (r->l->streamed)
		b = tn_stream_state_of(r->l, op);
	if (b != TN_NONE && r->l->problem.buffers[b].size >= p->scratch_bytes) {
		p->scratch_region = region_of(r, b);
		p->scratch_offset = r->at->offset[b];
		return;
	}
	for (uint32_t k = 0; k < r->plan->n_regions; k++) {
		uint32_t region = r->by_cost[k];
		int64_t at = r->plan->regions[region].owned
				     ? -1
				     : gap(r, region, p->scratch_bytes);

		if (at < 0)
			continue;
		p->scratch_region = region;
		p->scratch_offset = at;
		return;
	}
	r->missing[op] = p->scratch_bytes;
}

static void place_scratch(struct raising *r)
{
	for (uint32_t p = 0; p < r->t->order->n; p++) {
		uint32_t id = r->t->order->at[p].i;
		struct tn_plan_op *op = &r->plan->ops[id];
		struct tn_plan_region *region;

		advance(r, p);
		if (!op->scratch_bytes)
			continue;
		r->plan->scratch_bytes =
			tn_max_i64(r->plan->scratch_bytes, op->scratch_bytes);
		place_scratch_of(r, id);
		if (op->scratch_region == TN_REGION_NONE)
			continue;
		region = &r->plan->regions[op->scratch_region];
		region->used =
			tn_max_i64(region->used, op->scratch_offset + op->scratch_bytes);
	}
}

/* The heights of the tensors; scratch comes on top. */
static enum tn_status sum_tensors(struct raising *r)
{
	struct tn_plan *plan = r->plan;

	for (uint32_t b = 0; b < r->l->problem.n_buffers; b++) {
		int64_t *used = &plan->regions[region_of(r, b)].used;

		if (r->l->root_of[b].i != TN_NONE || r->l->streamed)
			*used = tn_max_i64(
				*used, r->at->offset[b] + r->l->problem.buffers[b].size);
	}
	for (uint32_t k = 0; k < plan->n_regions; k++)
		if (!tn_add_i64(plan->activation_bytes, plan->regions[k].used,
			    &plan->activation_bytes))
			return TN_ERR_INPUT;
	return TN_OK;
}

static enum tn_status sum_regions(struct raising *r)
{
	struct tn_plan *plan = r->plan;

	for (uint32_t k = 0; k < plan->n_regions; k++)
		if (!tn_add_i64(
			    plan->arena_bytes, plan->regions[k].used, &plan->arena_bytes))
			return TN_ERR_INPUT;
	return TN_OK;
}

static enum tn_status sort_by_begin(struct raising *r)
{
	const struct tn_problem *q = &r->l->problem;
	uint32_t *scratch = TN_NEW_ARRAY(r->arena, uint32_t, q->n_buffers);

	if (!scratch)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < q->n_buffers; i++)
		r->by_begin[i] = i;
	/* merge sort, stable: ties stay in index order */
	for (uint32_t width = 1; width < q->n_buffers; width *= 2) {
		for (uint32_t lo = 0; lo < q->n_buffers; lo += 2 * width) {
			uint32_t mid =
				lo + width < q->n_buffers ? lo + width : q->n_buffers;
			uint32_t hi = lo + 2 * width < q->n_buffers ? lo + 2 * width
								    : q->n_buffers;
			uint32_t a = lo, b = mid;

			for (uint32_t k = lo; k < hi; k++) {
				bool left =
					a < mid &&
					(b >= hi ||
						q->buffers[r->by_begin[a]].begin <=
							q->buffers[r->by_begin[b]].begin);

				scratch[k] = left ? r->by_begin[a++] : r->by_begin[b++];
			}
		}
		for (uint32_t k = 0; k < q->n_buffers; k++)
			r->by_begin[k] = scratch[k];
	}
	return TN_OK;
}

/* Stable: equal costs stay in the order in which the regions were given. */
static void sort_by_cost(struct raising *r)
{
	const struct tn_plan_region *regions = r->plan->regions;

	for (uint32_t i = 0; i < r->plan->n_regions; i++) {
		uint32_t k = i;

		for (; k && regions[r->by_cost[k - 1]].cost > regions[i].cost; k--)
			r->by_cost[k] = r->by_cost[k - 1];
		r->by_cost[k] = i;
	}
}

static enum tn_status allocate(struct raising *r)
{
	const struct tn_graph *g = r->t->g;
	const uint32_t n_regions = r->at->n_regions;
	enum tn_status status =
		tn_plan_init(r->plan, r->arena, g->n_tensors, g->n_ops, n_regions);

	r->by_begin = TN_NEW_ARRAY(r->arena, uint32_t, r->l->problem.n_buffers);
	r->live = TN_NEW_ARRAY(r->arena, uint32_t, r->l->problem.n_buffers);
	r->by_cost = TN_NEW_ARRAY(r->arena, uint32_t, n_regions);
	if (status != TN_OK || !r->by_begin || !r->live || !r->by_cost)
		return TN_ERR_NOMEM;
	for (uint32_t k = 0; k < n_regions; k++) {
		r->plan->regions[k] = r->at->regions[k];
		r->plan->regions[k].used = 0;
	}
	for (uint32_t p = 0; p < g->n_ops; p++)
		r->plan->order[p] = r->t->order->at[p].i;
	sort_by_cost(r);
	return sort_by_begin(r);
}

enum tn_status tn_raise_layout(const struct tn_tables *tables,
	const struct tn_lowered *lowered, const struct tn_layout *layout,
	struct tn_arena *arena, struct tn_plan *out, int64_t *missing)
{
	struct raising r = { .t = tables,
		.l = lowered,
		.at = layout,
		.arena = arena,
		.plan = out,
		.missing = missing };
	enum tn_status status = allocate(&r);
	const int64_t *tails;

	if (status != TN_OK)
		return status;
	out->disjoint_bound_bytes = lowered->disjoint_bound_bytes;
	place_tensors(&r);
	tails = tn_graph_tails(tables->g, tables->aliases->elided, arena);
	if (!tails)
		return TN_ERR_NOMEM;
	out->no_reuse_bytes = tn_plan_no_reuse(out, tails);
	status = lowered->streamed ? tn_stream_raise(lowered, arena, out) : TN_OK;
	if (status == TN_OK)
		status = choose_variants(&r);
	if (status == TN_OK)
		status = sum_tensors(&r);
	if (status != TN_OK)
		return status;
	place_scratch(&r);
	return sum_regions(&r);
}

enum tn_status tn_raise(const struct tn_tables *tables,
	const struct tn_lower_options *options, const struct tn_lowered *lowered,
	const struct tn_solution *solution, struct tn_arena *arena, struct tn_plan *out)
{
	const struct tn_plan_region whole = {
		.name = "arena", .capacity = -1, .align = options->align, .cost = 1
	};
	const struct tn_layout layout = {
		.regions = &whole, .n_regions = 1, .offset = solution->offset
	};
	int64_t *missing = TN_NEW_ARRAY(arena, int64_t, tables->g->n_ops);
	enum tn_status status;

	if (!missing)
		return TN_ERR_NOMEM;
	status = tn_raise_layout(tables, lowered, &layout, arena, out, missing);
	for (uint32_t i = 0; i < tables->g->n_ops && status == TN_OK; i++)
		if (missing[i]) /* beyond 2^63 */
			status = TN_ERR_INPUT;
	out->bound_bytes = solution->bound;
	out->optimal = solution->optimal;
	return status;
}
