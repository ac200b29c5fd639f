#include "base/checked.h"
#include "lower/lower.h"

struct raising {
	const struct tn_tables *t;
	const struct tn_lower_options *options;
	const struct tn_lowered *l;
	const struct tn_solution *s;
	struct tn_arena *arena;
	struct tn_plan *plan;
	uint32_t *by_begin; /* buffers by the start of their life */
	uint32_t *live; /* buffers alive at the current op */
	uint32_t n_live, next;
};

static void place_tensors(struct raising *r)
{
	const struct tn_graph *g = r->t->g;

	for (uint32_t i = 0; i < g->n_tensors; i++) {
		struct tn_plan_tensor *p = &r->plan->tensors[i];
		uint32_t b = r->l->buffer_of[i];
		const struct tn_span *span = &r->t->live->tensor[i];

		*p = (struct tn_plan_tensor){ .region = TN_REGION_NONE,
			.bytes = g->tensors[i].bytes };
		if (b == TN_NONE || span->first > span->last)
			continue;
		p->region = 0;
		p->offset = r->s->offset[b] + r->l->shift_of[i];
		p->first = span->first;
		p->last = span->last;
	}
}

static bool allows(const struct raising *r, const struct tn_candidate *c, uint32_t v)
{
	const struct tn_plan_tensor *in = &r->plan->tensors[c->in.i];
	const struct tn_plan_tensor *out = &r->plan->tensors[c->out.i];
	int64_t have;

	/* a variable that is updated, a view that is written: the graph itself says so, and
	 * the plain variant is what it means; not so buffers that in-place merged */
	if (r->t->aliases->of[c->in.i].root.i == r->t->aliases->of[c->out.i].root.i)
		return true;
	if (in->region == TN_REGION_NONE || out->region == TN_REGION_NONE ||
		in->offset + in->bytes <= out->offset ||
		out->offset + out->bytes <= in->offset)
		return true;
	if (v >= c->n_variants || c->d[v] == TN_DISPLACEMENT_NEVER)
		return false;
	have = in->offset - out->offset;
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
	if (p->elided || !n)
		return TN_OK;
	for (uint32_t v = 0; v < n; v++) {
		bool ok = true;

		for (size_t i = first; i < end && ok; i++)
			ok = allows(r, &r->t->inplace->list[i], v);
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

		while (k > 0 && r->s->offset[r->live[k - 1]] > r->s->offset[b]) {
			r->live[k] = r->live[k - 1];
			k--;
		}
		r->live[k] = b;
	}
}

#define SCRATCH_ALIGN 16 /* what kernels ask for, whatever the tensors have */

static enum tn_status place_scratch(struct raising *r)
{
	int64_t align = tn_max_i64(r->options->align, SCRATCH_ALIGN);
	const struct tn_problem *q = &r->l->problem;

	for (uint32_t p = 0; p < r->t->order->n; p++) {
		struct tn_plan_op *op = &r->plan->ops[r->t->order->at[p].i];
		int64_t at = 0, end;

		advance(r, p);
		if (!op->scratch_bytes)
			continue;
		for (uint32_t i = 0; i < r->n_live; i++) {
			uint32_t b = r->live[i];

			if (r->s->offset[b] - at >= op->scratch_bytes)
				break;
			at = tn_max_i64(at, r->s->offset[b] + q->buffers[b].size);
			if (!tn_align_up_i64(at, align, &at))
				return TN_ERR_INPUT;
		}
		op->scratch_region = 0;
		op->scratch_offset = at;
		if (!tn_add_i64(at, op->scratch_bytes, &end))
			return TN_ERR_INPUT;
		r->plan->arena_bytes = tn_max_i64(r->plan->arena_bytes, end);
		r->plan->scratch_bytes =
			tn_max_i64(r->plan->scratch_bytes, op->scratch_bytes);
	}
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

static enum tn_status allocate(struct raising *r)
{
	const struct tn_graph *g = r->t->g;
	struct tn_plan *plan = r->plan;

	plan->n_tensors = g->n_tensors;
	plan->n_ops = g->n_ops;
	plan->n_regions = 1;
	plan->tensors = TN_NEW_ARRAY(r->arena, struct tn_plan_tensor, g->n_tensors);
	plan->ops = TN_NEW_ARRAY(r->arena, struct tn_plan_op, g->n_ops);
	plan->order = TN_NEW_ARRAY(r->arena, uint32_t, g->n_ops);
	plan->regions = TN_NEW_ARRAY(r->arena, struct tn_plan_region, 1);
	r->by_begin = TN_NEW_ARRAY(r->arena, uint32_t, r->l->problem.n_buffers);
	r->live = TN_NEW_ARRAY(r->arena, uint32_t, r->l->problem.n_buffers);
	if (!plan->tensors || !plan->ops || !plan->order || !plan->regions ||
		!r->by_begin || !r->live)
		return TN_ERR_NOMEM;
	for (uint32_t p = 0; p < g->n_ops; p++)
		plan->order[p] = r->t->order->at[p].i;
	return sort_by_begin(r);
}

enum tn_status tn_raise(const struct tn_tables *tables,
	const struct tn_lower_options *options, const struct tn_lowered *lowered,
	const struct tn_solution *solution, struct tn_arena *arena, struct tn_plan *out)
{
	struct raising r = { .t = tables,
		.options = options,
		.l = lowered,
		.s = solution,
		.arena = arena,
		.plan = out };
	enum tn_status status;

	*out = (struct tn_plan){ .activation_bytes = solution->height,
		.arena_bytes = solution->height,
		.bound_bytes = solution->bound,
		.optimal = solution->optimal,
		.no_reuse_bytes = lowered->no_reuse_bytes,
		.disjoint_bound_bytes = lowered->disjoint_bound_bytes };
	status = allocate(&r);
	if (status != TN_OK)
		return status;
	place_tensors(&r);
	status = choose_variants(&r);
	if (status == TN_OK)
		status = place_scratch(&r);
	out->regions[0] = (struct tn_plan_region){ .name = "arena",
		.capacity = -1,
		.used = out->arena_bytes,
		.align = options->align,
		.cost = 1 };
	return status;
}
