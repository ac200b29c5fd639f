/* Shape inference: ops that move elements and do not compute with them. */
#include <string.h>

#include "base/checked.h"
#include "import/onnx_infer.h"

#include "base/banned.h"

static void type_only(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	tn_infer_set(x, n, 0, tn_infer_dtype(n, 0), NULL);
}

static void reshape(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	bool zero_is_zero = tn_onnx_attr_int(x, n, "allowzero", 0) != 0;
	struct tn_shape s;
	int64_t elements, rest = 1;
	int open = -1;

	type_only(x, n);
	if (!in || !tn_infer_ints(x, n, "shape", 1, &x->list) ||
		x->list.v.count > TN_RANK_MAX || !tn_shape_elements(in, &elements))
		return;
	s.rank = (uint32_t)x->list.v.count;
	for (uint32_t i = 0; i < s.rank; i++) {
		s.dim[i] = x->list.v.items[i];
		if (s.dim[i] == 0 && !zero_is_zero) {
			if (i >= in->rank)
				return;
			s.dim[i] = in->dim[i];
		}
		if (s.dim[i] == -1 && open < 0)
			open = (int)i;
		else if (s.dim[i] < 0 || !tn_mul_i64(rest, s.dim[i], &rest))
			return;
	}
	if (open >= 0 ? rest && elements % rest : rest != elements) {
		tn_at_error(&x->tree, n->at, "onnx/shape",
			"%s cannot make a shape of %lld elements of other ones", n->type,
			(long long)elements);
		return;
	}
	if (open >= 0 && !rest)
		return;
	if (open >= 0)
		s.dim[open] = elements / rest;
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

static void flatten(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	int64_t axis = tn_onnx_attr_int(x, n, "axis", 1);
	struct tn_shape s = { .rank = 2, .dim = { 1, 1 } };

	type_only(x, n);
	if (!in)
		return;
	axis += axis < 0 ? in->rank : 0;
	if (axis < 0 || axis > in->rank)
		return;
	for (uint32_t i = 0; i < in->rank; i++)
		if (!tn_mul_i64(s.dim[i < axis ? 0 : 1], in->dim[i],
			    &s.dim[i < axis ? 0 : 1]))
			return;
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

static bool axis_bits(
	struct tn_onnx *x, const struct tn_onnx_node *n, uint32_t rank, uint32_t *out)
{
	*out = 0;
	if (!tn_infer_ints(x, n, "axes", 1, &x->list))
		return false;
	for (size_t i = 0; i < x->list.v.count; i++) {
		int64_t axis = x->list.v.items[i];

		if (!tn_infer_axis(&axis, rank))
			return false;
		*out |= UINT32_C(1) << axis;
	}
	return true;
}

static void squeeze(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	struct tn_shape s = { .rank = 0 };
	bool all = (n->n_in < 2 || n->in[1].i == TN_NONE) &&
		   !tn_onnx_attr_ints(x, n, "axes", &x->list);
	uint32_t bits = 0;

	type_only(x, n);
	if (!in || (!all && !axis_bits(x, n, in->rank, &bits)))
		return;
	for (uint32_t i = 0; i < in->rank; i++)
		if (all ? in->dim[i] != 1 : !(bits >> i & 1))
			s.dim[s.rank++] = in->dim[i];
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

static void unsqueeze(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	struct tn_shape s = { .rank = 0 };
	uint32_t bits, from = 0;

	type_only(x, n);
	if (!in || !tn_infer_ints(x, n, "axes", 1, &x->list) ||
		x->list.v.count + in->rank > TN_RANK_MAX)
		return;
	s.rank = in->rank + (uint32_t)x->list.v.count;
	if (!axis_bits(x, n, s.rank, &bits))
		return;
	for (uint32_t i = 0; i < s.rank; i++) {
		if (!(bits >> i & 1) && from == in->rank)
			return; /* an axis twice */
		s.dim[i] = bits >> i & 1 ? 1 : in->dim[from++];
	}
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

static void transpose(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	bool given = tn_onnx_attr_ints(x, n, "perm", &x->list);
	struct tn_shape s;

	type_only(x, n);
	if (!in || (given && x->list.v.count != in->rank))
		return;
	s.rank = in->rank;
	for (uint32_t i = 0; i < s.rank; i++) {
		int64_t from = given ? x->list.v.items[i] : s.rank - 1 - i;

		if (from < 0 || from >= s.rank)
			return;
		s.dim[i] = in->dim[from];
	}
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

static void concat(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	int64_t axis = tn_onnx_attr_int(x, n, "axis", 1);
	struct tn_shape s;

	type_only(x, n);
	if (!in || !tn_infer_axis(&axis, in->rank))
		return;
	s = *in;
	for (uint32_t k = 1; k < n->n_in; k++) {
		in = tn_infer_shape(n, k);
		if (!in || in->rank != s.rank ||
			!tn_add_i64(s.dim[axis], in->dim[axis], &s.dim[axis]))
			return;
	}
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

static void split(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	int64_t axis = tn_onnx_attr_int(x, n, "axis", 0), part;
	bool given = tn_infer_ints(x, n, "split", 1, &x->list);
	struct tn_shape s;

	for (uint32_t k = 0; k < n->n_out; k++)
		tn_infer_set(x, n, k, tn_infer_dtype(n, 0), NULL);
	if (!in || !n->n_out || !tn_infer_axis(&axis, in->rank) ||
		(given && x->list.v.count != n->n_out) ||
		(!given && n->n_in > 1 && n->in[1].i != TN_NONE))
		return;
	s = *in;
	/* without sizes the last part may be smaller */
	part = (in->dim[axis] + n->n_out - 1) / n->n_out;
	for (uint32_t k = 0; k < n->n_out; k++) {
		s.dim[axis] =
			given ? x->list.v.items[k]
			      : tn_max_i64(tn_min_i64(part, in->dim[axis] - k * part), 0);
		tn_infer_set(x, n, k, DTYPE_INVALID, &s);
	}
}

/* How many elements a slice of one dimension keeps. */
static int64_t slice_length(int64_t dim, int64_t start, int64_t end, int64_t step)
{
	int64_t low = step > 0 ? 0 : -1, high = step > 0 ? dim : dim - 1;

	if (start < 0)
		start = start < -dim ? -1 : start + dim;
	if (end < 0)
		end = end < -dim ? -1 : end + dim;
	start = tn_max_i64(step > 0 ? 0 : -1, tn_min_i64(start, high));
	end = tn_max_i64(low, tn_min_i64(end, dim));
	if (step > 0)
		return end > start ? (end - start - 1) / step + 1 : 0;
	if (step == INT64_MIN)
		return start > end;
	return start > end ? (start - end - 1) / -step + 1 : 0;
}

static void slice(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	struct tn_ints starts = { 0 }, ends = { 0 }, axes = { 0 }, steps = { 0 };
	struct tn_shape s;

	type_only(x, n);
	if (!in || !tn_infer_ints(x, n, "starts", 1, &starts) ||
		!tn_infer_ints(x, n, "ends", 2, &ends) || starts.v.count != ends.v.count)
		return;
	if (!tn_infer_ints(x, n, "axes", 3, &axes) && n->n_in > 3 &&
		n->in[3].i != TN_NONE)
		return;
	if (!tn_infer_ints(x, n, "steps", 4, &steps) && n->n_in > 4 &&
		n->in[4].i != TN_NONE)
		return;
	s = *in;
	for (size_t i = 0; i < starts.v.count; i++) {
		int64_t axis = i < axes.v.count ? axes.v.items[i] : (int64_t)i;
		int64_t step = i < steps.v.count ? steps.v.items[i] : 1;

		if (!tn_infer_axis(&axis, in->rank) || !step)
			return;
		s.dim[axis] = slice_length(
			in->dim[axis], starts.v.items[i], ends.v.items[i], step);
	}
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

static void pad(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	struct tn_ints axes = { 0 };
	bool given = n->n_in > 3 && n->in[3].i != TN_NONE;
	struct tn_shape s;
	size_t count;

	type_only(x, n);
	if (!in || (given && !tn_infer_ints(x, n, "", 3, &axes)) ||
		!tn_infer_ints(x, n, x->opset < 2 ? "paddings" : "pads", 1, &x->list))
		return;
	count = given ? axes.v.count : in->rank;
	if (x->list.v.count != 2 * count)
		return;
	s = *in;
	for (size_t i = 0; i < count; i++) {
		int64_t axis = given ? axes.v.items[i] : (int64_t)i;

		if (!tn_infer_axis(&axis, s.rank) ||
			!tn_add_i64(s.dim[axis], x->list.v.items[i], &s.dim[axis]) ||
			!tn_add_i64(
				s.dim[axis], x->list.v.items[count + i], &s.dim[axis]))
			return;
	}
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

static void expand(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	struct tn_shape to, s;

	type_only(x, n);
	if (!in || !tn_infer_ints(x, n, "", 1, &x->list) || x->list.v.count > TN_RANK_MAX)
		return;
	to.rank = (uint32_t)x->list.v.count;
	for (uint32_t i = 0; i < to.rank; i++)
		to.dim[i] = x->list.v.items[i];
	if (tn_infer_broadcast(in, &to, &s))
		tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

static void tile(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	struct tn_shape s;

	type_only(x, n);
	if (!in || !tn_infer_ints(x, n, "", 1, &x->list) || x->list.v.count != in->rank)
		return;
	s = *in;
	for (uint32_t i = 0; i < s.rank; i++)
		if (!tn_mul_i64(s.dim[i], x->list.v.items[i], &s.dim[i]))
			return;
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

static void gather(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0), *at = tn_infer_shape(n, 1);
	int64_t axis = tn_onnx_attr_int(x, n, "axis", 0);
	struct tn_shape s = { .rank = 0 };

	type_only(x, n);
	if (!in || !at || !tn_infer_axis(&axis, in->rank) ||
		in->rank - 1 + at->rank > TN_RANK_MAX)
		return;
	for (uint32_t i = 0; i < in->rank; i++) {
		if (i != axis) {
			s.dim[s.rank++] = in->dim[i];
			continue;
		}
		for (uint32_t k = 0; k < at->rank; k++)
			s.dim[s.rank++] = at->dim[k];
	}
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

static void gather_elements(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	tn_infer_set(x, n, 0, tn_infer_dtype(n, 0), tn_infer_shape(n, 1));
}

static void gather_nd(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0), *at = tn_infer_shape(n, 1);
	int64_t batch = tn_onnx_attr_int(x, n, "batch_dims", 0), last;
	struct tn_shape s;

	type_only(x, n);
	if (!in || !at || !at->rank || batch < 0)
		return;
	last = at->dim[at->rank - 1];
	s = *at;
	s.rank--;
	if (batch > in->rank || last > in->rank - batch)
		return;
	for (int64_t i = batch + last; i < in->rank; i++) {
		if (s.rank == TN_RANK_MAX)
			return;
		s.dim[s.rank++] = in->dim[i];
	}
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

static void shape_of(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	int64_t start = tn_onnx_attr_int(x, n, "start", 0);
	int64_t end = tn_onnx_attr_int(x, n, "end", INT64_MAX);
	struct tn_shape s = { .rank = 1 };

	tn_infer_set(x, n, 0, DTYPE_I64, NULL);
	if (!in)
		return;
	s.dim[0] = slice_length(in->rank, start, end, 1);
	tn_infer_set(x, n, 0, DTYPE_I64, &s);
}

static void size_of(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	struct tn_shape s = { .rank = 0 };

	tn_infer_set(x, n, 0, DTYPE_I64, &s);
}

/* The shape is the operand's value. */
static void shape_from(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	struct tn_shape s;

	if (!tn_infer_ints(x, n, "", 0, &x->list) || x->list.v.count > TN_RANK_MAX)
		return;
	s.rank = (uint32_t)x->list.v.count;
	for (uint32_t i = 0; i < s.rank; i++)
		s.dim[i] = x->list.v.items[i];
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

static void one_hot(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	int64_t axis = tn_onnx_attr_int(x, n, "axis", -1);
	struct tn_shape s = { .rank = 0 };
	struct tn_ints depth = { 0 };

	tn_infer_set(x, n, 0, tn_infer_dtype(n, 2), NULL);
	if (!in || in->rank == TN_RANK_MAX || !tn_infer_ints(x, n, "", 1, &depth) ||
		depth.v.count != 1 || !tn_infer_axis(&axis, in->rank + 1))
		return;
	for (uint32_t i = 0, from = 0; i < in->rank + 1; i++)
		s.dim[s.rank++] = i == axis ? depth.v.items[0] : in->dim[from++];
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

static void blocks(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	int64_t b = tn_onnx_attr_int(x, n, "blocksize", 0), square;
	bool to_depth = strcmp(n->type, "SpaceToDepth") == 0;
	struct tn_shape s;

	type_only(x, n);
	if (!in || in->rank != 4 || b < 1 || b >= 1 << 16)
		return;
	square = b * b;
	s = *in;
	if (to_depth) {
		s.dim[2] /= b;
		s.dim[3] /= b;
		if (!tn_mul_i64(s.dim[1], square, &s.dim[1]))
			return;
	} else {
		s.dim[1] /= square;
		if (!tn_mul_i64(s.dim[2], b, &s.dim[2]) ||
			!tn_mul_i64(s.dim[3], b, &s.dim[3]))
			return;
	}
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

tn_infer_fn *tn_infer_move(const char *type)
{
	static const struct {
		const char *type;
		tn_infer_fn *fn;
	} rows[] = {
		{ "Concat", concat },
		{ "ConstantOfShape", shape_from },
		{ "DepthToSpace", blocks },
		{ "Expand", expand },
		{ "Flatten", flatten },
		{ "Gather", gather },
		{ "GatherElements", gather_elements },
		{ "GatherND", gather_nd },
		{ "OneHot", one_hot },
		{ "Pad", pad },
		{ "Reshape", reshape },
		{ "Shape", shape_of },
		{ "Size", size_of },
		{ "Slice", slice },
		{ "SpaceToDepth", blocks },
		{ "Split", split },
		{ "Squeeze", squeeze },
		{ "Tile", tile },
		{ "Transpose", transpose },
		{ "Unsqueeze", unsqueeze },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(rows[i].type, type) == 0)
			return rows[i].fn;
	return NULL;
}
