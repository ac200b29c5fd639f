#include "analysis/moves.h"

#include <string.h>

#include "base/checked.h"
#include "contract/contract.h"

#include "base/banned.h"

struct finder {
	const struct tn_graph *g;
	const struct tn_op *op;
	struct tn_arena *arena;
	struct tn_moves *out;
	bool nomem;
};

static const struct tn_tensor *tensor_of(const struct finder *f, tn_tensor_id id)
{
	return id.i < f->g->n_tensors ? &f->g->tensors[id.i] : NULL;
}

static bool begin_list(struct finder *f, uint32_t n)
{
	f->out->list = TN_NEW_ARRAY(f->arena, struct tn_move, n);
	f->nomem = !f->out->list;
	return f->out->list;
}

/* All of the input is all of the output. */
static void whole(struct finder *f, const struct tn_tensor *in)
{
	if (!begin_list(f, 1))
		return;
	f->out->list[0] = (struct tn_move){ .bytes = in->bytes };
	f->out->n = 1;
	f->out->same = true;
}

static void range(struct finder *f, const struct tn_tensor *in,
	const struct tn_tensor *out, int64_t first)
{
	int64_t width = tn_dtype_bits(out->dtype) / 8, from, end;

	if (first < 0 || !tn_mul_i64(first, width, &from) ||
		!tn_add_i64(from, out->bytes, &end) || end > in->bytes)
		return;
	if (from == 0 && in->bytes == out->bytes) {
		whole(f, in);
		return;
	}
	if (!begin_list(f, 1))
		return;
	f->out->list[0] = (struct tn_move){ .from = from, .bytes = out->bytes };
	f->out->n = 1;
}

/* Elements from here and there. */
static void gather(struct finder *f, const struct tn_tensor *out)
{
	if (!begin_list(f, 1))
		return;
	f->out->list[0] = (struct tn_move){ .bytes = out->bytes };
	f->out->n = 1;
	f->out->apart = true;
}

/* How an output's elements follow each other in the input: by output dimension, from the
 * outermost. */
struct walk {
	uint32_t rank;
	int64_t dim[TN_RANK_MAX], step[TN_RANK_MAX]; /* step: input elements */
	int64_t first; /* input element of the first one */
};

static bool add_dim(
	struct walk *w, int64_t n, int64_t begin, int64_t step, int64_t stride)
{
	int64_t from;

	w->dim[w->rank] = n;
	return tn_mul_i64(begin, stride, &from) &&
	       tn_add_i64(w->first, from, &w->first) &&
	       tn_mul_i64(step, stride, &w->step[w->rank++]);
}

/* One after the other, without a gap? */
static bool is_range(const struct walk *w)
{
	int64_t next = 1;

	for (uint32_t d = w->rank; d-- > 0;) {
		if (w->dim[d] == 1)
			continue;
		if (w->step[d] != next || !tn_mul_i64(next, w->dim[d], &next))
			return false;
	}
	return true;
}

/* Element i of a list that the constant operand k or, without it, the attribute holds. */
static bool int_of(
	const struct finder *f, uint32_t k, const char *attr, uint32_t i, int64_t *out)
{
	const struct tn_tensor *t =
		k < f->op->n_inputs ? tensor_of(f, f->op->inputs[k]) : NULL;
	const struct tn_attr *a = tn_op_attr(f->op, attr);

	if (t)
		return tn_tensor_int(t, i, out);
	if (!a || i >= a->n || (a->kind != ATTR_INTS && a->kind != ATTR_INT))
		return false;
	*out = tn_op_int_at(f->op, attr, i, 0);
	return true;
}

static bool transpose(const struct finder *f, const struct tn_tensor *in, struct walk *w)
{
	int64_t stride[TN_RANK_MAX];

	tn_shape_strides(&in->shape, stride);
	for (uint32_t d = 0; d < in->shape.rank; d++) {
		int64_t from;

		if (!int_of(f, 1, "perm", d, &from))
			return false;
		from += from < 0 ? in->shape.rank : 0;
		if (from < 0 || from >= in->shape.rank ||
			!add_dim(w, in->shape.dim[from], 0, 1, stride[from]))
			return false;
	}
	return true;
}

static bool slice(const struct finder *f, const struct tn_tensor *in,
	const struct tn_tensor *out, struct walk *w)
{
	int64_t stride[TN_RANK_MAX];

	if (out->shape.rank != in->shape.rank)
		return false;
	tn_shape_strides(&in->shape, stride);
	for (uint32_t d = 0; d < in->shape.rank; d++) {
		int64_t begin;

		if (!int_of(f, 1, "begin", d, &begin) ||
			!add_dim(w, out->shape.dim[d], begin, 1, stride[d]))
			return false;
	}
	return true;
}

static bool strided_slice(const struct finder *f, const struct tn_tensor *in,
	const struct tn_tensor *out, struct walk *w)
{
	int64_t stride[TN_RANK_MAX], shrink = tn_op_int(f->op, "shrink_axis_mask", 0);
	int64_t open = tn_op_int(f->op, "begin_mask", 0);
	uint32_t o = 0;

	if (tn_op_int(f->op, "ellipsis_mask", 0) ||
		tn_op_int(f->op, "new_axis_mask", 0) || tn_op_int(f->op, "offset", 0))
		return false;
	tn_shape_strides(&in->shape, stride);
	for (uint32_t d = 0; d < in->shape.rank; d++) {
		int64_t begin, step, n = 1, size = in->shape.dim[d];
		bool one = shrink >> d & 1;

		if (!int_of(f, 1, "begin", d, &begin) ||
			!int_of(f, 3, "strides", d, &step) || !step)
			return false;
		if (!one && o >= out->shape.rank)
			return false;
		if (!one)
			n = out->shape.dim[o++];
		if (open >> d & 1)
			begin = step > 0 ? 0 : size - 1;
		else if (begin < 0)
			begin += size;
		/* what starts outside is clamped: none of ours starts there */
		if (begin < 0 || begin >= size || !add_dim(w, n, begin, step, stride[d]))
			return false;
	}
	return o == out->shape.rank;
}

static bool reverse(const struct finder *f, const struct tn_tensor *in, struct walk *w)
{
	const struct tn_tensor *axes =
		f->op->n_inputs > 1 ? tensor_of(f, f->op->inputs[1]) : NULL;

	/* of dimensions of 1 */
	for (int64_t i = 0; axes && i < axes->elements; i++) {
		int64_t axis;

		if (!tn_tensor_int(axes, i, &axis))
			return false;
		axis += axis < 0 ? in->shape.rank : 0;
		if (axis < 0 || axis >= in->shape.rank || in->shape.dim[axis] != 1)
			return false;
	}
	return axes && add_dim(w, in->elements, 0, 1, 1);
}

static void one_to_one(struct finder *f)
{
	const struct tn_tensor *in = tensor_of(f, f->op->inputs[0]);
	const struct tn_tensor *out = tensor_of(f, f->op->outputs[0]);
	struct walk w = { 0 };
	bool known;

	if (!in || !out || f->op->n_outputs != 1 || in->dtype != out->dtype ||
		in->elements < 0 || out->elements < 0)
		return;
	switch (f->op->kind) {
	case OP_TRANSPOSE:
		known = transpose(f, in, &w);
		break;
	case OP_SLICE:
		known = slice(f, in, out, &w);
		break;
	case OP_STRIDED_SLICE:
		known = strided_slice(f, in, out, &w);
		break;
	case OP_REVERSE_V2:
		known = reverse(f, in, &w);
		break;
	case OP_SPACE_TO_DEPTH:
	case OP_DEPTH_TO_SPACE:
		known = tn_op_int(f->op, "block_size", 0) == 1 &&
			add_dim(&w, in->elements, 0, 1, 1);
		break;
	case OP_PAD:
	case OP_PADV2:
	case OP_MIRROR_PAD:
	case OP_BROADCAST_TO:
	case OP_CAST:
	case OP_RESHAPE:
	case OP_SQUEEZE:
	case OP_EXPAND_DIMS: /* nothing is added */
		known = in->elements == out->elements &&
			add_dim(&w, in->elements, 0, 1, 1);
		break;
	default:
		known = false;
		break;
	}
	if (known && (is_range(&w) || out->elements == 0))
		range(f, in, out, out->elements ? w.first : 0);
	else if (known && (f->op->kind == OP_SLICE || f->op->kind == OP_STRIDED_SLICE))
		gather(f, out);
}

static const struct tn_tensor *part_of(const struct finder *f, bool split, uint32_t k)
{
	return tensor_of(f, split ? f->op->outputs[k] : f->op->inputs[k]);
}

/* Parts along an axis that has nothing outside it: each is one range of the whole. */
static void parts(struct finder *f, bool split, uint32_t whole_index, int64_t axis)
{
	const struct tn_tensor *all =
		tensor_of(f, split ? f->op->inputs[whole_index] : f->op->outputs[0]);
	uint32_t n = split ? f->op->n_outputs : f->op->n_inputs;
	int64_t at = 0;

	if (!all || !n || all->elements < 0)
		return;
	if (axis < 0)
		axis += all->shape.rank;
	if (axis < 0 || axis >= all->shape.rank)
		return;
	for (int64_t d = 0; d < axis && n > 1; d++)
		f->out->apart |= all->shape.dim[d] > 1;
	if (!begin_list(f, n))
		return;
	for (uint32_t k = 0; k < n; k++) {
		const struct tn_tensor *part = part_of(f, split, k);

		if (!part || part->dtype != all->dtype || part->bytes < 0)
			return;
		f->out->list[k] = (struct tn_move){ .input = split ? whole_index : k,
			.output = split ? k : 0,
			.from = split ? at : 0,
			.to = split ? 0 : at,
			.bytes = part->bytes };
		if (!tn_add_i64(at, part->bytes, &at))
			return;
	}
	if (at != all->bytes)
		return;
	f->out->n = n;
	f->out->joins = !split && n > 1;
	f->out->same = n == 1;
}

static void many(struct finder *f)
{
	int64_t axis = tn_op_int(f->op, "axis", 0);
	const struct tn_tensor *given = NULL;
	bool leading = f->op->kind == OP_SPLIT && f->op->n_inputs == 2;

	switch (f->op->kind) {
	case OP_SPLIT:
	case OP_SPLIT_V:
		if (leading)
			given = tensor_of(f, f->op->inputs[0]);
		else if (f->op->kind == OP_SPLIT_V && f->op->n_inputs == 3)
			given = tensor_of(f, f->op->inputs[2]);
		if (given && !tn_tensor_int(given, 0, &axis))
			return;
		parts(f, true, leading ? 1 : 0, axis);
		break;
	case OP_UNPACK:
		parts(f, true, 0, axis);
		break;
	default:
		if (strcmp(tn_op_string(f->op, "activation", "NONE"), "NONE") == 0)
			parts(f, false, 0, axis);
		break;
	}
}

static bool same_scale(const struct tn_quant *a, const struct tn_quant *b)
{
	if (a->n != b->n || a->n > 1)
		return false;
	return !a->n || (memcmp(a->scale, b->scale, sizeof(*a->scale)) == 0 &&
				a->zero_point[0] == b->zero_point[0]);
}

/* A view shows the same bytes, whatever they mean. */
static void compare_scales(const struct finder *f, bool view)
{
	for (uint32_t i = 0; i < f->out->n; i++) {
		struct tn_move *m = &f->out->list[i];
		const struct tn_tensor *in = tensor_of(f, f->op->inputs[m->input]);
		const struct tn_tensor *out = tensor_of(f, f->op->outputs[m->output]);

		m->alike = view || same_scale(&in->quant, &out->quant);
	}
}

enum tn_status tn_moves_of(const struct tn_graph *g, tn_op_id op, struct tn_arena *arena,
	struct tn_moves *out)
{
	struct finder f = { g, &g->ops[op.i], arena, out, false };
	enum tn_access_class access = tn_op_info(f.op->kind)->access;
	struct tn_variant variants[TN_VARIANTS_MAX];

	*out = (struct tn_moves){ 0 };
	if (!f.op->n_inputs || !f.op->n_outputs ||
		(access != ACCESS_VIEW && access != ACCESS_MAP &&
			f.op->kind != OP_CAST) ||
		!tn_contract_variants(g, op, variants))
		return TN_OK;
	switch (f.op->kind) {
	case OP_CONCATENATION:
	case OP_PACK:
	case OP_SPLIT:
	case OP_SPLIT_V:
	case OP_UNPACK:
		many(&f);
		break;
	default:
		one_to_one(&f);
		break;
	}
	compare_scales(&f, access == ACCESS_VIEW);
	return f.nomem ? TN_ERR_NOMEM : TN_OK;
}
