/* How long a walk would be, known before it starts: a shape of a file may ask for more
 * steps than anybody waits for. */
#include "base/checked.h"
#include "contract/walk.h"
#include "ir/window.h"

/* Accesses of one step at most: the taps of a window, the length of a line of a matrix,
 * one otherwise. */
static int64_t taps_of(const struct tn_walk *w)
{
	const struct tn_tensor *second = tn_walk_input(w, 1);
	struct tn_window g;
	const char *why;
	int64_t taps;

	if (w->op->kind == OP_TRANSPOSE_CONV && second && second->shape.rank == 4)
		return second->shape.dim[1]; /* of its filter, row by row */
	if (w->op->kind == OP_BATCH_MATMUL && second && second->shape.rank >= 2)
		return second->shape
			.dim[second->shape.rank - (tn_op_int(w->op, "adj_y", 0) ? 1 : 2)];
	if (tn_op_info(w->op->kind)->access != ACCESS_WINDOW ||
		!tn_window_of(w->g, w->op, &g, &why))
		return 1;
	if (!tn_mul_i64(tn_min_i64(g.k_h, g.in_h), tn_min_i64(g.k_w, g.in_w), &taps))
		return INT64_MAX;
	return taps;
}

bool tn_walk_is_long(const struct tn_walk *w)
{
	int64_t most = 0, taps = taps_of(w), accesses;

	for (uint32_t k = 0; k < w->op->n_inputs; k++)
		if (tn_walk_shares(w, k))
			most = tn_max_i64(most, tn_walk_input(w, k)->elements);
	for (uint32_t k = 0; k < w->op->n_outputs; k++)
		if (tn_walk_output(w, k))
			most = tn_max_i64(most, tn_walk_output(w, k)->elements);
	return !tn_mul_i64(most, taps, &accesses) || accesses > TN_CONTRACT_ACCESSES_MAX;
}

bool tn_walk_is_uniform(const struct tn_walk *w)
{
	const struct tn_tensor *out = tn_walk_only_output(w);
	const enum tn_access_class access = tn_op_info(w->op->kind)->access;

	if (!out || out->elements < 0 || !tn_walk_width(out) ||
		(access != ACCESS_POINTWISE && access != ACCESS_VIEW))
		return false;
	for (uint32_t k = 0; k < w->op->n_inputs; k++) {
		const struct tn_tensor *in = tn_walk_input(w, k);

		if (in && tn_walk_shares(w, k) &&
			(tn_walk_width(in) != tn_walk_width(out) ||
				in->elements != out->elements))
			return false;
	}
	return true;
}
