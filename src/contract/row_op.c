#include "contract/row_op.h"

#include "base/checked.h"
#include "contract/walk.h"
#include "ir/window.h"

static bool is_image(const struct tn_tensor *t)
{
	return t && t->shape.rank == 4 && t->elements > 0 && t->shape.dim[0] == 1 &&
	       tn_walk_width(t) > 0;
}

/* Is the operand the same for every row? */
static bool same_for_rows(const struct tn_tensor *t)
{
	return t->elements > 0 &&
	       (t->shape.rank < 3 ||
		       (t->shape.dim[t->shape.rank - 3] == 1 &&
			       (t->shape.rank < 4 || t->shape.dim[0] == 1)));
}

static bool elements_of(const struct tn_walk *w, struct tn_row_op *r)
{
	const struct tn_tensor *out = tn_walk_only_output(w);
	bool shares = false;

	if (w->op->n_outputs != 1 || !is_image(out) || !tn_walk_is_uniform(w))
		return false;
	for (uint32_t k = 0; k < w->op->n_inputs; k++) {
		const struct tn_tensor *in = tn_walk_input(w, k);

		if (!in)
			continue;
		if (tn_walk_shares(w, k) ? !tn_shape_equal(&in->shape, &out->shape)
					 : !same_for_rows(in))
			return false;
		shares = shares || tn_walk_shares(w, k);
	}
	r->kind = ROWS_ELEMENTS;
	r->n = r->in_h = out->shape.dim[1];
	return shares;
}

static bool window_of(const struct tn_walk *w, struct tn_row_op *r)
{
	struct tn_window win;
	const char *why;

	if (!tn_window_of(w->g, w->op, &win, &why) || win.batches != 1 ||
		!tn_walk_shares(w, 0))
		return false;
	*r = (struct tn_row_op){ .kind = ROWS_WINDOW,
		.n = win.out_h,
		.in_h = win.in_h,
		.k_h = win.k_h,
		.stride_h = win.stride_h,
		.dilation_h = win.dilation_h,
		.pad_top = win.pad_top };
	return true;
}

/* Sums of int8 fit 32 bits, and so do those of floats: in both the order of the additions
 * is that of the whole op. */
static bool total_of(const struct tn_walk *w, struct tn_row_op *r)
{
	const struct tn_tensor *in = tn_walk_input(w, 0), *out = tn_walk_output(w, 0);
	struct tn_window win;
	const char *why;

	if (!is_image(in) || !out || !tn_walk_shares(w, 0) ||
		(in->dtype != DTYPE_I8 && in->dtype != DTYPE_F32) ||
		out->dtype != in->dtype || out->elements != in->shape.dim[3])
		return false;
	if (w->op->kind == OP_AVERAGE_POOL_2D) {
		if (!tn_window_of(w->g, w->op, &win, &why) || win.k_h != win.in_h ||
			win.k_w != win.in_w || win.pad_top || win.pad_left ||
			win.dilation_h != 1 || win.dilation_w != 1)
			return false;
	} else if ((w->op->kind != OP_MEAN && w->op->kind != OP_SUM) ||
		   !tn_reduces_planes(w)) {
		return false;
	}
	*r = (struct tn_row_op){ .kind = ROWS_TOTAL,
		.n = in->shape.dim[1],
		.in_h = in->shape.dim[1],
		.state = 4 * out->elements };
	return true;
}

bool tn_row_op_of(
	const struct tn_graph *g, tn_op_id op, bool total, struct tn_row_op *out)
{
	const struct tn_walk w = { .g = g, .op = &g->ops[op.i] };
	struct tn_variant variants[TN_VARIANTS_MAX];

	*out = (struct tn_row_op){ .kind = ROWS_NONE };
	switch (tn_op_info(w.op->kind)->access) {
	case ACCESS_WINDOW:
	case ACCESS_REDUCE:
	case ACCESS_POINTWISE:
	case ACCESS_VIEW:
		break;
	default:
		return false;
	}
	if (!tn_contract_variants(g, op, variants) || tn_op_order(w.op) != OP_ORDER_ANY ||
		tn_op_n_scratch(w.op) || tn_op_int(w.op, "scratch_required", 0))
		return false;
	return (total && total_of(&w, out)) || window_of(&w, out) || elements_of(&w, out);
}

void tn_row_op_reads(
	const struct tn_row_op *r, int64_t y, int64_t *out_begin, int64_t *out_end)
{
	int64_t top, first, end;

	if (r->kind != ROWS_WINDOW) {
		*out_begin = y;
		*out_end = y + 1;
		return;
	}
	top = y * r->stride_h - r->pad_top;
	tn_window_taps(top, r->k_h, r->dilation_h, r->in_h, &first, &end);
	*out_begin = *out_end = tn_min_i64(tn_max_i64(top, 0), r->in_h);
	if (first < end) {
		*out_begin = top + first * r->dilation_h;
		*out_end = top + (end - 1) * r->dilation_h + 1;
	}
}

/* One step a row, and one for the output behind the last. */
static void walk_total(
	struct tn_walk *w, const struct tn_row_op *r, int64_t begin, int64_t end)
{
	const int64_t row = tn_walk_input(w, 0)->bytes / r->in_h;
	const struct tn_access write = { 0, 0, tn_walk_output(w, 0)->bytes };

	for (int64_t y = begin; y < end; y++) {
		const struct tn_access read = { 0, y * row, (y + 1) * row };

		if (!tn_walk_step(w, &read, 1, NULL, 0))
			return;
	}
	if (end == r->n)
		tn_walk_step(w, NULL, 0, &write, 1);
}

enum tn_status tn_contract_walk_rows(const struct tn_graph *g, tn_op_id op,
	struct tn_variant v, bool total, int64_t begin, int64_t end, tn_step_fn *fn,
	void *user)
{
	struct tn_walk w = { .g = g,
		.op = &g->ops[op.i],
		.variant = v,
		.fn = fn,
		.user = user,
		.runs = true,
		.row_begin = begin,
		.row_end = end };
	struct tn_row_op r;
	bool known = true;

	if (!tn_row_op_of(g, op, total, &r) || tn_variant_is_buffered(v) || begin < 0 ||
		begin >= end || end > r.n)
		return TN_ERR_REFUSED;
	if (r.kind == ROWS_TOTAL && v.descending)
		known = false;
	else if (r.kind == ROWS_TOTAL)
		walk_total(&w, &r, begin, end);
	else if (r.kind == ROWS_WINDOW)
		known = tn_walk_window(&w);
	else if (tn_op_info(w.op->kind)->access == ACCESS_VIEW)
		known = tn_walk_view(&w);
	else
		known = tn_walk_pointwise(&w);
	if (w.out_of_memory)
		return TN_ERR_NOMEM;
	return known ? TN_OK : TN_ERR_REFUSED;
}
