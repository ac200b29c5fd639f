/* The sizes of a plan, from its places alone. Nothing here decides. */
#include "base/checked.h"
#include "contract/row_op.h"
#include "layout/layout.h"

static int64_t sum(int64_t a, int64_t b)
{
	int64_t r;

	return tn_add_i64(a, b, &r) ? r : INT64_MAX;
}

/* What a chain adds up lies in the scratch of its last op, and lasts as tensors do. */
static bool adds_up(const struct tn_layout *l, uint32_t position)
{
	const struct tn_plan_stream *s = tn_plan_stream_at(l->plan, position);
	const uint32_t op = l->plan->order[position];
	struct tn_row_op rows;

	return s && position - s->first == s->n - 1 && op < l->g->n_ops &&
	       tn_row_op_of(l->g, (tn_op_id){ op }, true, &rows) &&
	       rows.kind == ROWS_TOTAL;
}

static void add_tails(const struct tn_layout *l, int64_t *high)
{
	for (uint32_t i = 0; i < l->g->n_ops; i++)
		for (uint32_t k = 0; k < l->operands[i].n && !l->plan->ops[i].elided;
			k++) {
			const struct tn_operand *o = &l->operands[i].list[k];
			const struct tn_plan_tensor *p = &l->plan->tensors[o->at.root];

			if (o->tail && p->region < l->plan->n_regions)
				high[p->region] = tn_max_i64(high[p->region],
					sum(sum(p->offset, o->at.end), o->tail));
		}
}

static void add_tensors(const struct tn_layout *l, int64_t *high)
{
	for (uint32_t i = 0; i < l->g->n_tensors; i++) {
		const struct tn_plan_tensor *p = &l->plan->tensors[i];

		if (p->region < l->plan->n_regions && l->storage->extent[i].root == i)
			high[p->region] = tn_max_i64(high[p->region],
				sum(p->offset,
					p->ring_bytes ? p->ring_bytes
						      : tn_storage_bytes(l->storage, i)));
	}
}

/* What chains add up when `kept`, else all scratch. Returns the largest of an op. */
static int64_t add_scratch(const struct tn_layout *l, bool kept, int64_t *high)
{
	int64_t largest = 0;

	for (uint32_t i = 0; i < l->g->n_ops; i++) {
		const uint32_t op = l->plan->order[i];
		const struct tn_plan_op *p = &l->plan->ops[op < l->g->n_ops ? op : 0];

		if (op >= l->g->n_ops || !p->scratch_bytes ||
			p->scratch_region >= l->plan->n_regions ||
			(kept && !adds_up(l, i)))
			continue;
		largest = tn_max_i64(largest, p->scratch_bytes);
		high[p->scratch_region] = tn_max_i64(high[p->scratch_region],
			sum(p->scratch_offset, p->scratch_bytes));
	}
	return largest;
}

bool tn_layout_figures(const struct tn_layout *l, struct tn_figures *out)
{
	int64_t *high = TN_NEW_ARRAY(l->arena, int64_t, l->plan->n_regions);

	*out = (struct tn_figures){ 0 };
	if (!high)
		return false;
	add_tensors(l, high);
	add_tails(l, high);
	if (l->plan->n_streams)
		(void)add_scratch(l, true, high);
	for (uint32_t r = 0; r < l->plan->n_regions; r++)
		out->activations = sum(out->activations, high[r]);
	out->scratch = add_scratch(l, false, high);
	for (uint32_t r = 0; r < l->plan->n_regions; r++)
		out->arena = sum(out->arena, high[r]);
	return true;
}
