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

static bool dense_row(struct tn_walk *w, const struct rows *r, int64_t row)
{
	const bool hold = w->variant.hold == HOLD_PIXEL;
	const bool last = w->variant.descending && !hold;
	const int64_t width = tn_walk_width(tn_walk_output(w, 0));
	const int64_t at = row * r->out_n + (last ? r->out_n - 1 : 0);
	struct tn_access read = { 0, row * r->in_bytes, (row + 1) * r->in_bytes };
	struct tn_access write = { 0, at * width, (at + (hold ? r->out_n : 1)) * width };

	return tn_walk_run(w, &read, tn_walk_shares(w, 0) ? 1 : 0, &write,
		hold ? 1 : r->out_n, 0, last ? -width : width);
}

bool tn_walk_rows(struct tn_walk *w)
{
	struct tn_blocks same = { 0 };
	struct rows r;
	int64_t y;

	if (!rows_of(w, &r))
		return false;
	for (uint32_t k = 1; k < tn_op_operands(w->g, w->op); k++)
		if (tn_walk_shares(w, k))
			return false; /* a computed filter */
	if (!w->fn)
		return true;
	same.end = r.n;
	same.bytes = r.out_n * tn_walk_width(tn_walk_output(w, 0));
	y = w->variant.descending ? r.n - 1 : 0;
	for (; 0 <= y && y < same.end; y = tn_walk_next(w, y, same))
		if (!dense_row(w, &r, y))
			break;
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
		!tn_shape_equal(&in->shape, &out->shape) ||
		!tn_norm_is_by_rows(w->op, in->shape.rank))
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

static bool passed_row(struct tn_walk *w, int64_t row, int64_t depth)
{
	const int64_t in_width = tn_walk_width(tn_walk_input(w, 0));
	const int64_t width = tn_walk_width(tn_walk_output(w, 0));
	const int64_t dir = w->variant.descending ? -1 : 1;
	const int64_t i = row * depth + (dir < 0 ? depth - 1 : 0);
	const int64_t from = i * in_width, to = i * width;
	const uint32_t shares = tn_walk_shares(w, 0) ? 1 : 0;
	const struct tn_access whole = { 0, row * depth * in_width,
		(row + 1) * depth * in_width };
	struct tn_access read = { 0, from, from + in_width };
	struct tn_access write = { 0, to, to + width };
	int64_t left = depth;

	if (w->op->n_outputs > 1 && !facts_step(w, &whole, row))
		return false;
	if (w->op->n_outputs == 1) {
		if (!tn_walk_step(w, &whole, shares, &write, 1))
			return false;
		read.begin += dir * in_width;
		read.end += dir * in_width;
		write.begin += dir * width;
		write.end += dir * width;
		left--;
	}
	return left <= 0 ||
	       tn_walk_run(w, &read, shares, &write, left, dir * in_width, dir * width);
}

bool tn_walk_row_passes(struct tn_walk *w)
{
	const struct tn_tensor *out = tn_walk_output(w, 0);
	int64_t depth = row_of(w), rows, y;
	struct tn_blocks same = { 0 };

	if (!depth)
		return false;
	if (!w->fn)
		return true;
	rows = out->elements / depth;
	if (w->op->n_outputs == 1)
		same = (struct tn_blocks){ .end = rows,
			.bytes = depth * tn_walk_width(out) };
	y = w->variant.descending ? rows - 1 : 0;
	for (; 0 <= y && y < rows; y = tn_walk_next(w, y, same))
		if (!passed_row(w, y, depth))
			break;
	return true;
}
