/* Kernels that read more than one element for an output element, but not all: sums along
 * axes, rows, planes of a channel. */
#include "claims/steps_part.h"

/* Is the input's dimension summed away? */
static bool summed(const struct tn_claim_walk *w, uint32_t d, uint32_t rank)
{
	const struct tn_attr *a = tn_op_attr(w->op, "axis");
	size_t n = a && a->kind == ATTR_INTS ? a->n : a != NULL;

	for (size_t i = 0; i < n; i++) {
		int64_t axis = tn_op_int_at(w->op, "axis", i, 0);

		if (axis == d || (axis < 0 && axis + (int64_t)rank == d))
			return true;
	}
	return !n; /* no axis: all */
}

/* Reads the elements of the input whose summed coordinates run, from bit `base`. */
static bool read_along(
	struct tn_claim_walk *w, const struct tn_form *in, int64_t base, const bool *runs)
{
	int64_t at[TN_RANK_MAX] = { 0 };
	uint32_t d;

	do {
		int64_t bit = base;

		for (d = 0; d < in->rank; d++)
			bit += at[d] * in->stride[d];
		if (!tn_steps_read(w, 0, bit))
			return false;
		for (d = in->rank; d-- > 0;) {
			if (!runs[d])
				continue;
			if (++at[d] < in->dim[d])
				break;
			at[d] = 0;
		}
	} while (d != UINT32_MAX);
	return true;
}

bool tn_steps_sum(struct tn_claim_walk *w)
{
	const struct tn_form *in = tn_steps_in(w, 0), *out = tn_steps_out(w, 0);
	bool runs[TN_RANK_MAX] = { false };
	int64_t kept = 1;

	if (!in || !out || w->op->n_outputs != 1 || !in->n)
		return tn_steps_opaque(w);
	for (uint32_t d = 0; d < in->rank; d++) {
		runs[d] = summed(w, d, in->rank);
		kept *= runs[d] ? 1 : in->dim[d];
	}
	if (kept != out->n)
		return tn_steps_opaque(w);
	for (int64_t t = 0; t < out->n; t++) {
		int64_t i = tn_steps_nth(w, t, out->n), rest = i, base = in->start;

		for (uint32_t d = in->rank; d-- > 0;) {
			if (runs[d])
				continue;
			base += rest % in->dim[d] * in->stride[d];
			rest /= in->dim[d];
		}
		if (!tn_steps_begin_step(w) || !read_along(w, in, base, runs) ||
			!tn_steps_others(w, 0) ||
			!tn_steps_write(w, 0, tn_form_at(out, i), TN_NONE, 0))
			return false;
	}
	return true;
}

/* Element j of group g, of n groups of `size`: rows are next to each other, planes are
 * interleaved. */
static int64_t member(const struct tn_claim_walk *w, const struct tn_form *f, int64_t g,
	int64_t j, int64_t groups)
{
	return w->kernel->kind == KERNEL_ROW ? g * (f->n / groups) + j : j * groups + g;
}

static bool read_group(
	struct tn_claim_walk *w, const struct tn_form *in, int64_t g, int64_t groups)
{
	for (int64_t j = 0; j < in->n / groups; j++)
		if (!tn_steps_read(w, 0, tn_form_at(in, member(w, in, g, j, groups))))
			return false;
	return tn_steps_others(w, 0);
}

/* A group is read before it is written. */
static bool buffered_groups(struct tn_claim_walk *w, const struct tn_form *in,
	const struct tn_form *out, int64_t groups)
{
	for (int64_t t = 0; t < groups; t++) {
		int64_t g = tn_steps_nth(w, t, groups), size = out->n / groups;

		if (!tn_steps_begin_step(w) || !read_group(w, in, g, groups))
			return false;
		for (int64_t j = 0; j < size; j++)
			if (!tn_steps_write(w, 0,
				    tn_form_at(out,
					    member(w, out, g, tn_steps_nth(w, j, size),
						    groups)),
				    TN_NONE, 0))
				return false;
	}
	return true;
}

static bool groups_of(struct tn_claim_walk *w, int64_t groups, bool buffered)
{
	const struct tn_form *in = tn_steps_in(w, 0), *out = tn_steps_out(w, 0);

	if (buffered)
		return buffered_groups(w, in, out, groups);
	for (int64_t t = 0; t < out->n; t++) {
		int64_t i = tn_steps_nth(w, t, out->n);
		int64_t g = w->kernel->kind == KERNEL_ROW ? i / (out->n / groups)
							  : i % groups;

		if (!tn_steps_begin_step(w) || !read_group(w, in, g, groups) ||
			!tn_steps_write(w, 0, tn_form_at(out, i), TN_NONE, 0))
			return false;
	}
	return true;
}

/* Input and output must agree in the last dimension: the row's length, or channels. */
static bool last_dims_agree(const struct tn_claim_walk *w)
{
	const struct tn_form *in = tn_steps_in(w, 0), *out = tn_steps_out(w, 0);

	return in && out && w->op->n_outputs == 1 && in->rank && out->rank && in->n &&
	       out->n && in->dim[in->rank - 1] == out->dim[out->rank - 1];
}

bool tn_steps_row(struct tn_claim_walk *w)
{
	const struct tn_form *out = tn_steps_out(w, 0);

	if (!last_dims_agree(w) || tn_steps_in(w, 0)->n != out->n)
		return tn_steps_opaque(w);
	return groups_of(w, out->n / out->dim[out->rank - 1], w->kernel->row_buffered);
}

bool tn_steps_plane(struct tn_claim_walk *w)
{
	const struct tn_form *out = tn_steps_out(w, 0);

	if (!last_dims_agree(w))
		return tn_steps_opaque(w);
	return groups_of(w, out->dim[out->rank - 1], w->kernel->channel_buffered);
}
