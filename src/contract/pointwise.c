/* Element i of the output needs element i of each operand, by broadcast. */
#include "base/arena.h"
#include "contract/walk.h"
#include "ir/norm.h"

struct operand {
	uint32_t index;
	int64_t width; /* bytes */
	int64_t stride[TN_RANK_MAX];
	int64_t at; /* element that the current output element needs */
};

/* Parameters that are computed in the graph have no kernel. */
static bool norm_fits(const struct tn_walk *w)
{
	struct tn_norm norm;
	const char *why;

	for (uint32_t k = 1; k < w->op->n_inputs; k++)
		if (tn_walk_shares(w, k))
			return false;
	return tn_norm_of(w->g, w->op, &norm, &why);
}

static bool fits(const struct tn_walk *w, const struct tn_tensor *out)
{
	int64_t strides[TN_RANK_MAX];

	if (w->op->kind == OP_BATCH_NORM)
		return norm_fits(w);
	for (uint32_t k = 0; k < tn_op_operands(w->g, w->op); k++) {
		const struct tn_tensor *in = tn_walk_input(w, k);

		if (!in || !tn_shape_broadcast_strides(&in->shape, &out->shape, strides))
			return false;
	}
	return true;
}

/* Moves the coordinates one element on, or back, and the operands with them. */
static void advance(const struct tn_shape *shape, int64_t at[TN_RANK_MAX],
	struct operand *ops, uint32_t n, bool back)
{
	for (uint32_t d = shape->rank; d-- > 0;) {
		int64_t last = shape->dim[d] - 1;
		bool wraps = at[d] == (back ? 0 : last);
		int64_t step = wraps ? (back ? last : -last) : (back ? -1 : 1);

		at[d] += step;
		for (uint32_t k = 0; k < n; k++)
			ops[k].at += step * ops[k].stride[d];
		if (!wraps)
			return;
	}
}

/* All are as dense as the output: one run. */
static void run_uniform(struct tn_walk *w, const struct tn_tensor *out,
	const struct operand *ops, uint32_t n, struct tn_access *reads)
{
	const int64_t width = tn_walk_width(out);
	const int64_t row = w->row_end ? out->elements / out->shape.dim[1] : 0;
	const int64_t begin = w->row_begin * row;
	const int64_t end = w->row_end ? w->row_end * row : out->elements;
	const int64_t first = (w->variant.descending ? end - 1 : begin) * width;
	const int64_t by = w->variant.descending ? -width : width;
	struct tn_access write = { 0, first, first + width };

	for (uint32_t k = 0; k < n; k++)
		reads[k] = (struct tn_access){ ops[k].index, first, first + width };
	tn_walk_run(w, reads, n, &write, end - begin, by, by);
}

static void run(struct tn_walk *w, const struct tn_tensor *out, struct operand *ops,
	uint32_t n, struct tn_access *reads)
{
	int64_t at[TN_RANK_MAX] = { 0 };
	int64_t width = tn_walk_width(out);

	if (w->variant.descending) {
		for (uint32_t d = 0; d < out->shape.rank; d++) {
			at[d] = out->shape.dim[d] - 1;
			for (uint32_t k = 0; k < n; k++)
				ops[k].at += at[d] * ops[k].stride[d];
		}
	}
	for (int64_t t = 0; t < out->elements; t++) {
		int64_t i = w->variant.descending ? out->elements - 1 - t : t;
		struct tn_access write = { 0, i * width, (i + 1) * width };

		for (uint32_t k = 0; k < n; k++)
			reads[k] = (struct tn_access){ ops[k].index,
				ops[k].at * ops[k].width,
				(ops[k].at + 1) * ops[k].width };
		if (!tn_walk_step(w, reads, n, &write, 1))
			return;
		advance(&out->shape, at, ops, n, w->variant.descending);
	}
}

bool tn_walk_pointwise(struct tn_walk *w)
{
	const struct tn_tensor *out = tn_walk_only_output(w);
	struct tn_arena arena;
	struct tn_access *reads;
	struct operand *ops;
	uint32_t n = 0;

	if (!w->op->n_outputs || !out || !fits(w, out))
		return false;
	if (!w->fn)
		return true;
	tn_arena_init(&arena);
	ops = TN_NEW_ARRAY(&arena, struct operand, w->op->n_inputs);
	reads = TN_NEW_ARRAY(&arena, struct tn_access, w->op->n_inputs);
	if (ops && reads) {
		for (uint32_t k = 0; k < tn_op_operands(w->g, w->op); k++) {
			const struct tn_tensor *in = tn_walk_input(w, k);

			if (!tn_walk_shares(w, k))
				continue;
			ops[n].index = k;
			ops[n].width = tn_walk_width(in);
			(void)tn_shape_broadcast_strides(
				&in->shape, &out->shape, ops[n++].stride);
		}
		if (tn_walk_is_uniform(w))
			run_uniform(w, out, ops, n, reads);
		else
			run(w, out, ops, n, reads);
	} else {
		w->out_of_memory = true;
	}
	tn_arena_release(&arena);
	return true;
}

bool tn_walk_view(struct tn_walk *w)
{
	const struct tn_tensor *in = tn_walk_input(w, 0), *out = tn_walk_output(w, 0);
	const struct operand own = { 0 };
	struct tn_access read;

	if (w->op->n_outputs != 1 || !in || !out || in->bytes != out->bytes ||
		in->dtype != out->dtype)
		return false;
	if (w->fn)
		run_uniform(w, out, &own, tn_walk_shares(w, 0) ? 1 : 0, &read);
	return true;
}
