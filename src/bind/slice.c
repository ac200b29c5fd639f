/* Ops that read their input with other strides: slices, reversal, blocks, repetition. */
#include "base/checked.h"
#include "bind/binder.h"
#include "bind/dims.h"

/* Input and output of one type; the input's rank is `rank` unless that is 0. */
static bool same_type(struct tn_binder *b, uint32_t rank)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);

	if (!in || in->dtype != out->dtype)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: input and output differ in type");
	if (rank && (in->shape.rank != rank || out->shape.rank != rank))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"has only a kernel for %u dimensions", rank);
	return true;
}

static bool wrong_shape(struct tn_binder *b)
{
	return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
		"cannot run: its output's shape is not what its operands give");
}

static void add(struct tn_dims *d, int64_t dim, int64_t stride)
{
	const int64_t at[3] = { stride, 0, 0 };

	tn_dims_add(d, dim, at);
}

bool tn_bind_slice(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	int64_t begin[TN_RANK_MAX], stride[TN_RANK_MAX], base = 0;
	struct tn_dims d;
	uint32_t n;

	if (!same_type(b, 0) || !tn_binder_ints(b, 1, "begin", begin, TN_RANK_MAX, &n))
		return false;
	if (n != in->shape.rank || n != out->shape.rank)
		return wrong_shape(b);
	tn_shape_strides(&in->shape, stride);
	tn_dims_init(&d, 1);
	for (uint32_t i = 0; i < n; i++) {
		if (begin[i] < 0 || begin[i] > in->shape.dim[i] ||
			out->shape.dim[i] > in->shape.dim[i] - begin[i])
			return wrong_shape(b);
		base += begin[i] * stride[i];
		add(&d, out->shape.dim[i], stride[i]);
	}
	tn_dims_finish(&d);
	return tn_binder_strided(b, &d, base);
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
	return tn_max_i64(low, tn_min_i64(value, high));
}

/* One dimension of a strided slice: where it starts, how many elements it has. */
struct extent {
	int64_t begin, count;
};

static struct extent extent_of(int64_t begin, int64_t end, int64_t step, int64_t n)
{
	int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
	struct extent e;

	e.begin = clamp(begin < 0 ? begin + n : begin, low, high);
	end = clamp(end < 0 ? end + n : end, low, high);
	e.count = step > 0 ? (end - e.begin + step - 1) / step
			   : (end - e.begin + step + 1) / step;
	if (step > 0 ? end <= e.begin : end >= e.begin)
		e.count = 0;
	return e;
}

struct slice_operands {
	int64_t begin[TN_RANK_MAX], end[TN_RANK_MAX], step[TN_RANK_MAX];
};

static bool slice_operands(struct tn_binder *b, struct slice_operands *s)
{
	const struct tn_tensor *in = tn_binder_in(b, 0);
	uint32_t n_begin, n_end, n_step;

	if (tn_op_int(b->op, "ellipsis_mask", 0) ||
		tn_op_int(b->op, "new_axis_mask", 0) || tn_op_int(b->op, "offset", 0))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"has no kernel with ellipsis, new axes or offset");
	if (!tn_binder_ints(b, 1, "begin", s->begin, TN_RANK_MAX, &n_begin) ||
		!tn_binder_ints(b, 2, "end", s->end, TN_RANK_MAX, &n_end) ||
		!tn_binder_ints(b, 3, "strides", s->step, TN_RANK_MAX, &n_step))
		return false;
	if (n_begin != in->shape.rank || n_end != n_begin || n_step != n_begin)
		return wrong_shape(b);
	for (uint32_t i = 0; i < n_begin; i++)
		if (s->step[i] == 0 || s->step[i] > INT32_MAX ||
			s->step[i] < -INT32_MAX || s->begin[i] < INT32_MIN ||
			s->begin[i] > INT32_MAX || s->end[i] < INT32_MIN ||
			s->end[i] > INT32_MAX)
			return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
				"cannot run: a stride of 0 or numbers beyond 32 bits");
	return true;
}

bool tn_bind_strided_slice(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	int64_t begin_mask = tn_op_int(b->op, "begin_mask", 0);
	int64_t end_mask = tn_op_int(b->op, "end_mask", 0);
	int64_t shrink = tn_op_int(b->op, "shrink_axis_mask", 0);
	int64_t stride[TN_RANK_MAX], base = 0;
	struct slice_operands s;
	struct tn_dims d;
	uint32_t o = 0;

	if (!same_type(b, 0) || !slice_operands(b, &s))
		return false;
	tn_shape_strides(&in->shape, stride);
	tn_dims_init(&d, 1);
	for (uint32_t i = 0; i < in->shape.rank; i++) {
		int64_t n = in->shape.dim[i], step = s.step[i];
		int64_t begin = s.begin[i], end = s.end[i];
		struct extent e;

		if (begin_mask >> i & 1)
			begin = step > 0 ? 0 : n - 1;
		if (end_mask >> i & 1)
			end = step > 0 ? n : -n - 1;
		e = extent_of(begin, end, step, n);
		if (shrink >> i & 1) {
			e.count = 1;
			if (e.begin < 0 || e.begin >= n)
				return wrong_shape(b);
		} else if (o >= out->shape.rank || out->shape.dim[o++] != e.count) {
			return wrong_shape(b);
		}
		base += e.count > 0 ? e.begin * stride[i] : 0;
		add(&d, e.count, step * stride[i]);
	}
	if (o != out->shape.rank)
		return wrong_shape(b);
	tn_dims_finish(&d);
	return tn_binder_strided(b, &d, base);
}

bool tn_bind_broadcast_to(struct tn_binder *b)
{
	struct tn_dims d;

	return same_type(b, 0) && tn_dims_broadcast(b, 1, &d) &&
	       tn_binder_strided(b, &d, 0);
}

bool tn_bind_reverse(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	int64_t stride[TN_RANK_MAX], base = 0;
	bool back[TN_RANK_MAX];
	struct tn_dims d;

	if (!same_type(b, 0) || !tn_binder_axes(b, 1, "axes", &in->shape, back))
		return false;
	if (!tn_shape_equal(&in->shape, &out->shape))
		return wrong_shape(b);
	tn_shape_strides(&in->shape, stride);
	tn_dims_init(&d, 1);
	for (uint32_t i = 0; i < in->shape.rank; i++) {
		if (back[i] && in->shape.dim[i] > 0)
			base += (in->shape.dim[i] - 1) * stride[i];
		add(&d, in->shape.dim[i], back[i] ? -stride[i] : stride[i]);
	}
	tn_dims_finish(&d);
	return tn_binder_strided(b, &d, base);
}

/* NHWC and blocks of `size` by `size` pixels: depth holds [y][x][channel] of a block. */
struct blocks {
	int64_t n, h, w, c, size; /* h, w: blocks; c: channels of a pixel */
};

static bool blocks_of(struct tn_binder *b, bool to_depth, struct blocks *s)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	const struct tn_shape *space, *deep;
	int64_t size = tn_op_int(b->op, "block_size", 0);

	if (!tn_binder_nhwc(b) || !same_type(b, 4))
		return false;
	space = to_depth ? &in->shape : &out->shape;
	deep = to_depth ? &out->shape : &in->shape;
	if (size < 1 || size > 1 << 15)
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "needs a block size above 0");
	*s = (struct blocks){ deep->dim[0], deep->dim[1], deep->dim[2], space->dim[3],
		size };
	if (space->dim[0] != s->n || space->dim[1] != s->h * size ||
		space->dim[2] != s->w * size || deep->dim[3] != s->c * size * size)
		return wrong_shape(b);
	return true;
}

bool tn_bind_space_to_depth(struct tn_binder *b)
{
	struct blocks s;
	struct tn_dims d;

	if (!blocks_of(b, true, &s))
		return false;
	tn_dims_init(&d, 1);
	add(&d, s.n, s.h * s.size * s.w * s.size * s.c);
	add(&d, s.h, s.size * s.w * s.size * s.c);
	add(&d, s.w, s.size * s.c);
	add(&d, s.size, s.w * s.size * s.c);
	add(&d, s.size * s.c, 1);
	tn_dims_finish(&d);
	return tn_binder_strided(b, &d, 0);
}

bool tn_bind_depth_to_space(struct tn_binder *b)
{
	struct blocks s;
	struct tn_dims d;

	if (!blocks_of(b, false, &s))
		return false;
	tn_dims_init(&d, 1);
	add(&d, s.n, s.h * s.w * s.size * s.size * s.c);
	add(&d, s.h, s.w * s.size * s.size * s.c);
	add(&d, s.size, s.size * s.c);
	add(&d, s.w, s.size * s.size * s.c);
	add(&d, s.size * s.c, 1);
	tn_dims_finish(&d);
	return tn_binder_strided(b, &d, 0);
}
