/* An output element needs the input elements that are folded into it. */
#include "base/arena.h"
#include "base/checked.h"
#include "contract/walk.h"

struct fold {
	uint32_t rank;
	int64_t kept[TN_RANK_MAX]; /* dim, 1 where folded */
	int64_t folded[TN_RANK_MAX]; /* dim, 1 where kept */
	int64_t stride[TN_RANK_MAX];
};

/* Axes: the constant operand, the attribute `axes` or `axis`; a topology without either
 * folds what the output's shape leaves out of NHWC. */
static bool axes_of(const struct tn_walk *w, bool folds[TN_RANK_MAX])
{
	const struct tn_tensor *in = tn_walk_input(w, 0), *out = tn_walk_output(w, 0);
	const struct tn_tensor *axes = tn_walk_input(w, 1);
	const struct tn_attr *attr = tn_op_attr(w->op, "axes");
	int64_t n = 0;

	if (!attr)
		attr = tn_op_attr(w->op, "axis");
	if (axes)
		n = axes->elements;
	else if (attr)
		n = (int64_t)attr->n;
	else if (in->shape.rank == 4 &&
		 out->elements == in->shape.dim[0] * in->shape.dim[3])
		folds[1] = folds[2] = true;
	else
		return false;
	for (int64_t i = 0; i < n; i++) {
		int64_t axis = -100;

		if (axes) {
			if (!tn_tensor_int(axes, i, &axis))
				return false;
		} else {
			axis = attr->kind == ATTR_INTS	? attr->v.ints[i]
			       : attr->kind == ATTR_INT ? attr->v.i
							: -100;
		}
		if (axis < 0)
			axis += in->shape.rank;
		if (axis < 0 || axis >= in->shape.rank)
			return false;
		folds[axis] = true;
	}
	return true;
}

static bool fold_of(const struct tn_walk *w, struct fold *f)
{
	const struct tn_tensor *in = tn_walk_input(w, 0), *out = tn_walk_output(w, 0);
	bool folds[TN_RANK_MAX] = { false };
	int64_t left = 1;

	if (w->op->n_outputs != 1 || !in || !out || in->elements < 1 ||
		!axes_of(w, folds))
		return false;
	f->rank = in->shape.rank;
	tn_shape_strides(&in->shape, f->stride);
	for (uint32_t d = 0; d < f->rank; d++) {
		f->kept[d] = folds[d] ? 1 : in->shape.dim[d];
		f->folded[d] = folds[d] ? in->shape.dim[d] : 1;
		left *= f->kept[d];
	}
	return left == out->elements;
}

static int64_t offset_of(const struct fold *f, const int64_t dim[TN_RANK_MAX], int64_t i)
{
	int64_t at = 0;

	for (uint32_t d = f->rank; d-- > 0;) {
		at += i % dim[d] * f->stride[d];
		i /= dim[d];
	}
	return at;
}

static void run(struct tn_walk *w, const struct fold *f, int64_t *folded, int64_t n,
	struct tn_access *reads)
{
	const struct tn_tensor *in = tn_walk_input(w, 0), *out = tn_walk_output(w, 0);
	int64_t in_width = tn_walk_width(in), width = tn_walk_width(out);
	uint32_t shares = tn_walk_shares(w, 0);

	const int64_t dir = w->variant.descending ? -1 : 1;
	/* along the last dimension, unless it is folded, all read further on alike */
	const int64_t run = f->rank ? f->kept[f->rank - 1] : 1;

	for (int64_t t = 0; t < out->elements; t += run) {
		int64_t i = dir < 0 ? out->elements - 1 - t : t;
		int64_t base = offset_of(f, f->kept, i);
		struct tn_access write = { 0, i * width, (i + 1) * width };
		uint32_t runs = 0;

		for (int64_t k = 0; k < n; k++) {
			int64_t at = (base + folded[k]) * in_width;

			if (runs && reads[runs - 1].end == at)
				reads[runs - 1].end += in_width;
			else
				reads[runs++] =
					(struct tn_access){ 0, at, at + in_width };
		}
		if (!tn_walk_run(w, reads, shares ? runs : 0, &write, run, dir * in_width,
			    dir * width))
			return;
	}
}

bool tn_reduces_planes(const struct tn_walk *w)
{
	struct fold f;

	return fold_of(w, &f) && f.rank == 4 && f.kept[1] == 1 && f.kept[2] == 1 &&
	       f.folded[0] == 1 && f.folded[3] == 1;
}

bool tn_walk_reduce(struct tn_walk *w)
{
	struct tn_arena arena;
	struct tn_access *reads = NULL;
	int64_t *folded = NULL, n = 1;
	struct fold f;
	size_t count;

	if (!fold_of(w, &f))
		return false;
	if (!w->fn)
		return true;
	for (uint32_t d = 0; d < f.rank; d++)
		n *= f.folded[d];
	tn_arena_init(&arena);
	if (tn_size_from_i64(n, &count)) {
		folded = TN_NEW_ARRAY(&arena, int64_t, count);
		reads = TN_NEW_ARRAY(&arena, struct tn_access, count);
	}
	if (folded && reads) {
		for (int64_t k = 0; k < n; k++)
			folded[k] = offset_of(&f, f.folded, k);
		run(w, &f, folded, n, reads);
	} else {
		w->out_of_memory = true;
	}
	tn_arena_release(&arena);
	return true;
}
