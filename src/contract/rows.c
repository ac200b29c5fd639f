/* An output row needs the whole input row: fully connected layers, and the row passes of
 * softmax and its kin, which read the row again while they write it. */
#include "base/checked.h"
#include "contract/walk.h"
#include "ir/norm.h"

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

/* Elements of a row; 0: no order is known. LAYER_NORM has rows of its own, and may write
 * what it knows of each row. */
static int64_t row_of(const struct tn_walk *w)
{
	const struct tn_tensor *in = tn_walk_input(w, 0), *out = tn_walk_output(w, 0);
	struct tn_norm norm;
	const char *why;

	if (w->op->kind == OP_LAYER_NORM) {
		for (uint32_t k = 1; k < w->op->n_inputs; k++)
			if (tn_walk_shares(w, k))
				return 0;
		return tn_norm_of(w->g, w->op, &norm, &why) ? norm.n : 0;
	}
	if (w->op->n_outputs != 1 || !in || !out || !out->shape.rank ||
		!tn_shape_equal(&in->shape, &out->shape))
		return 0;
	return tn_max_i64(1, out->shape.dim[out->shape.rank - 1]);
}

/* The row is read for what is known of it, which is written before its elements. */
static bool facts_step(struct tn_walk *w, const struct tn_access *read, int64_t row)
{
	struct tn_access writes[2];
	uint32_t n = 0;

	for (uint32_t k = 1; k < w->op->n_outputs && n < 2; k++) {
		int64_t width = tn_walk_width(tn_walk_output(w, k));

		writes[n++] = (struct tn_access){ k, row * width, (row + 1) * width };
	}
	return tn_walk_step(w, read, tn_walk_shares(w, 0) ? 1 : 0, writes, n);
}

bool tn_walk_row_passes(struct tn_walk *w)
{
	const struct tn_tensor *in = tn_walk_input(w, 0), *out = tn_walk_output(w, 0);
	int64_t depth = row_of(w), in_width, width;

	if (!depth)
		return false;
	if (!w->fn)
		return true;
	in_width = tn_walk_width(in);
	width = tn_walk_width(out);
	for (int64_t t = 0; t < out->elements; t++) {
		int64_t i = w->variant.descending ? out->elements - 1 - t : t;
		int64_t row = i / depth * depth;
		bool first = t % depth == 0;
		struct tn_access read = { 0, (first ? row : i) * in_width,
			(first ? row + depth : i + 1) * in_width };
		struct tn_access write = { 0, i * width, (i + 1) * width };

		if (first && w->op->n_outputs > 1) {
			if (!facts_step(w, &read, row / depth))
				break;
			read = (struct tn_access){ 0, i * in_width, (i + 1) * in_width };
		}
		if (!tn_walk_step(w, &read, tn_walk_shares(w, 0) ? 1 : 0, &write, 1))
			break;
	}
	return true;
}
