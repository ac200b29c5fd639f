/* An output row needs the whole input row: fully connected layers, and the row passes of
 * softmax and its kin, which read the row again while they write it. */
#include "contract/walk.h"

struct rows {
	int64_t n, in_bytes,
		out_n; /* rows, bytes of an input row, elements of an output row */
};

static bool rows_of(const struct tn_walk *w, struct rows *r)
{
	const struct tn_tensor *in = tn_walk_input(w, 0), *out = tn_walk_output(w, 0);
	const struct tn_tensor *filter = tn_walk_input(w, 1);
	int64_t depth;

	if (w->op->n_outputs != 1 || !in || !out || !out->shape.rank ||
		in->elements < 1 || out->elements < 1)
		return false;
	r->out_n = out->shape.dim[out->shape.rank - 1];
	r->n = out->elements / r->out_n;
	if (in->elements % r->n != 0)
		return false;
	depth = in->elements / r->n;
	if (filter && (filter->shape.rank != 2 || filter->shape.dim[1] != depth ||
			      filter->shape.dim[0] != r->out_n))
		return false;
	r->in_bytes = depth * tn_walk_width(in);
	return true;
}

bool tn_walk_rows(struct tn_walk *w)
{
	bool hold = w->variant.hold == HOLD_PIXEL;
	struct rows r;
	int64_t width, per;

	if (!rows_of(w, &r))
		return false;
	for (uint32_t k = 1; k < tn_op_operands(w->g, w->op); k++)
		if (tn_walk_shares(w, k))
			return false; /* a computed filter */
	if (!w->fn)
		return true;
	width = tn_walk_width(tn_walk_output(w, 0));
	per = hold ? 1 : r.out_n;
	for (int64_t t = 0; t < r.n * per; t++) {
		int64_t i = w->variant.descending ? r.n * per - 1 - t : t;
		int64_t at = hold ? i * r.out_n : i;
		int64_t row = i / per;
		struct tn_access read = { 0, row * r.in_bytes, (row + 1) * r.in_bytes };
		struct tn_access write = { 0, at * width,
			(at + (hold ? r.out_n : 1)) * width };

		if (!tn_walk_step(w, &read, tn_walk_shares(w, 0) ? 1 : 0, &write, 1))
			break;
	}
	return true;
}

bool tn_walk_row_passes(struct tn_walk *w)
{
	const struct tn_tensor *in = tn_walk_input(w, 0), *out = tn_walk_output(w, 0);
	int64_t depth, in_width, width;

	if (w->op->n_outputs != 1 || !in || !out || !out->shape.rank ||
		!tn_shape_equal(&in->shape, &out->shape))
		return false;
	if (!w->fn)
		return true;
	depth = out->shape.dim[out->shape.rank - 1];
	in_width = tn_walk_width(in);
	width = tn_walk_width(out);
	for (int64_t t = 0; t < out->elements; t++) {
		int64_t i = w->variant.descending ? out->elements - 1 - t : t;
		int64_t row = i / depth * depth;
		bool first = t % depth == 0;
		struct tn_access read = { 0, (first ? row : i) * in_width,
			(first ? row + depth : i + 1) * in_width };
		struct tn_access write = { 0, i * width, (i + 1) * width };

		if (!tn_walk_step(w, &read, tn_walk_shares(w, 0) ? 1 : 0, &write, 1))
			break;
	}
	return true;
}
