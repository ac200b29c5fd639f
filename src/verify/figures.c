/* The sizes of a plan, from its places alone. Nothing here decides. */
#include "base/checked.h"
#include "contract/row_op.h"
#include "verify/check.h"

static int64_t sum(int64_t a, int64_t b)
{
	int64_t r;

	return tn_add_i64(a, b, &r) ? r : INT64_MAX;
}

/* What a chain adds up lies in the scratch of its last op, and lasts as tensors do. */
static bool adds_up(const struct tn_check *c, uint32_t position)
{
	const struct tn_plan_stream *s = tn_plan_stream_at(c->plan, position);
	const uint32_t op = c->plan->order[position];
	struct tn_row_op rows;

	return s && position - s->first == s->n - 1 && op < c->g->n_ops &&
	       tn_row_op_of(c->g, (tn_op_id){ op }, true, &rows) &&
	       rows.kind == ROWS_TOTAL;
}

static void add_tensors(const struct tn_check *c, int64_t *high)
{
	for (uint32_t i = 0; i < c->g->n_tensors; i++) {
		const struct tn_plan_tensor *p = &c->plan->tensors[i];

		if (p->region < c->plan->n_regions && c->ref.extent[i].root == i)
			high[p->region] = tn_max_i64(high[p->region],
				sum(p->offset, p->ring_bytes ? p->ring_bytes
							     : tn_check_storage(c, i)));
	}
}

/* What chains add up when `kept`, else all scratch. */
static void add_scratch(struct tn_check *c, bool kept, int64_t *high)
{
	for (uint32_t i = 0; i < c->g->n_ops; i++) {
		const uint32_t op = c->plan->order[i];
		const struct tn_plan_op *p = &c->plan->ops[op < c->g->n_ops ? op : 0];

		if (op >= c->g->n_ops || !p->scratch_bytes ||
			p->scratch_region >= c->plan->n_regions ||
			(kept && !adds_up(c, i)))
			continue;
		c->out->figures.scratch =
			tn_max_i64(c->out->figures.scratch, p->scratch_bytes);
		high[p->scratch_region] = tn_max_i64(high[p->scratch_region],
			sum(p->scratch_offset, p->scratch_bytes));
	}
}

bool tn_check_figures(struct tn_check *c)
{
	struct tn_figures *f = &c->out->figures;
	int64_t *high = TN_NEW_ARRAY(c->arena, int64_t, c->plan->n_regions);

	if (!high)
		return false;
	add_tensors(c, high);
	if (c->plan->n_streams)
		add_scratch(c, true, high);
	for (uint32_t r = 0; r < c->plan->n_regions; r++)
		f->activations = sum(f->activations, high[r]);
	add_scratch(c, false, high);
	for (uint32_t r = 0; r < c->plan->n_regions; r++)
		f->arena = sum(f->arena, high[r]);
	return true;
}
