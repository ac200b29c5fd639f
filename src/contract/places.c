/* Ops whose output elements come one after the other, each from a few places: windows that
 * grow, folds along an axis, blocks. places_index.c has those that indices steer. */
#include "contract/places.h"

#include <assert.h>
#include <math.h>

#include "base/arena.h"
#include "base/checked.h"
#include "ir/window.h"

uint32_t tn_places_add(const struct tn_places *s, uint32_t operand, int64_t element,
	int64_t count, struct tn_access *reads, uint32_t n)
{
	int64_t width;

	if (!tn_walk_shares(s->w, operand) || count < 1)
		return n;
	width = tn_walk_width(tn_walk_input(s->w, operand));
	reads[n] =
		(struct tn_access){ operand, element * width, (element + count) * width };
	return n + 1;
}

static bool nhwc(struct tn_places *s, const struct tn_tensor *in)
{
	const struct tn_tensor *out = tn_walk_output(s->w, 0);
	const int64_t *i, *o;

	if (!in || in->shape.rank != 4 || out->shape.rank != 4 || in->elements < 1 ||
		!tn_op_is_nhwc(s->w->op))
		return false;
	i = in->shape.dim;
	o = out->shape.dim;
	s->batches = o[0];
	s->in_h = i[1];
	s->in_w = i[2];
	s->in_c = i[3];
	s->out_h = o[1];
	s->out_w = o[2];
	s->out_c = o[3];
	return i[0] == o[0];
}

/* ---- RESIZE_BILINEAR: four corners ---- */

static void corners(
	const struct tn_places *s, int axis, int64_t i, int64_t *low, int64_t *high)
{
	int64_t size = axis ? s->in_w : s->in_h;

	if (tn_walk_output(s->w, 0)->dtype == DTYPE_F32) {
		float scale = (float)s->scale[axis];
		float at = s->flag ? ((float)i + 0.5f) * scale - 0.5f : (float)i * scale;

		*low = (int64_t)floorf(at);
		*high = (int64_t)ceilf(at);
	} else { /* 10 fractional bits */
		int64_t scale = (int64_t)s->scale[axis];
		int64_t at = i * scale + (s->flag ? scale / 2 - 512 : 0);

		*low = at / 1024;
		*high = (at + 1023) / 1024;
	}
	*low = tn_max_i64(0, tn_min_i64(*low, size - 1));
	*high = tn_max_i64(0, tn_min_i64(*high, size - 1));
}

static uint32_t bilinear_reads(
	const struct tn_places *s, int64_t i, struct tn_access *reads)
{
	int64_t c = i % s->out_c, pixel = i / s->out_c, row = pixel / s->out_w;
	int64_t b = row / s->out_h, y[2], x[2];
	uint32_t n = 0;

	corners(s, 0, row % s->out_h, &y[0], &y[1]);
	corners(s, 1, pixel % s->out_w, &x[0], &x[1]);
	for (int k = 0; k < 4; k++)
		n = tn_places_add(s, 0,
			((b * s->in_h + y[k / 2]) * s->in_w + x[k % 2]) * s->in_c + c, 1,
			reads, n);
	return n;
}

bool tn_places_bilinear(struct tn_places *s)
{
	const struct tn_tensor *in = tn_walk_input(s->w, 0);
	bool align = tn_op_int(s->w->op, "align_corners", 0) != 0;
	int64_t size_in[2], size_out[2];

	if (!nhwc(s, in) || s->in_c != s->out_c || s->in_h >= 1 << 20 ||
		s->in_w >= 1 << 20 || in->dtype != tn_walk_output(s->w, 0)->dtype ||
		(in->dtype != DTYPE_I8 && in->dtype != DTYPE_F32))
		return false;
	s->flag = tn_op_int(s->w->op, "half_pixel_centers", 0) != 0;
	if (align && s->flag)
		return false;
	size_in[0] = s->in_h;
	size_in[1] = s->in_w;
	size_out[0] = s->out_h;
	size_out[1] = s->out_w;
	for (int d = 0; d < 2; d++) {
		bool aligned = align && size_out[d] > 1;
		int64_t from = size_in[d] - aligned, to = size_out[d] - aligned;

		if (to < 1)
			s->scale[d] = 0;
		else if (in->dtype == DTYPE_F32)
			s->scale[d] = (double)((float)from / (float)to);
		else
			s->scale[d] = (double)((1024 * from + to / 2) / to);
	}
	s->reads = bilinear_reads;
	s->max_reads = 4;
	return true;
}

/* ---- TRANSPOSE_CONV: the input pixels that reach an output pixel ---- */

#define FILTER 1
#define INPUT  2

static void reach(int64_t at, int64_t taps, int64_t stride, int64_t size, int64_t *first,
	int64_t *end)
{
	*first = at < taps ? 0 : (at - taps) / stride + 1;
	*end = tn_min_i64(at / stride, size - 1) + 1;
}

static uint32_t transpose_conv_reads(
	const struct tn_places *s, int64_t i, struct tn_access *reads)
{
	int64_t pixel = i / s->out_c, row = pixel / s->out_w, b = row / s->out_h;
	int64_t y, y_end, x, x_end;
	uint32_t n = 0;

	reach(row % s->out_h + s->top, s->k_h, s->stride_h, s->in_h, &y, &y_end);
	reach(pixel % s->out_w + s->left, s->k_w, s->stride_w, s->in_w, &x, &x_end);
	for (; y < y_end; y++)
		n = tn_places_add(s, INPUT, ((b * s->in_h + y) * s->in_w + x) * s->in_c,
			(x_end - x) * s->in_c, reads, n);
	return n;
}

/* SAME: what a convolution from the output back to the input would be padded with. */
static int64_t transposed_padding(bool same, int64_t size, int64_t k, int64_t stride)
{
	int64_t total = (size + stride - 1) / stride * stride - stride + k - size;

	return same && total > 0 ? total / 2 : 0;
}

bool tn_places_transpose_conv(struct tn_places *s)
{
	const int64_t most = INT64_C(1) << 29;
	const struct tn_tensor *filter = tn_walk_input(s->w, FILTER);
	const char *why;
	bool same;

	if (!tn_window_transposed(s->w->op, &same, &why) ||
		!nhwc(s, tn_walk_input(s->w, INPUT)) || !filter ||
		filter->shape.rank != 4 || tn_walk_shares(s->w, FILTER) ||
		tn_walk_shares(s->w, INPUT + 1))
		return false;
	s->k_h = filter->shape.dim[1];
	s->k_w = filter->shape.dim[2];
	s->stride_h = tn_op_int_at(s->w->op, "stride", 0, 1);
	s->stride_w = tn_op_int_at(s->w->op, "stride", 1, 1);
	if (filter->shape.dim[0] != s->out_c || filter->shape.dim[3] != s->in_c ||
		s->stride_h < 1 || s->stride_w < 1 || s->k_h < 1 || s->k_w < 1 ||
		s->stride_h > most || s->stride_w > most || s->k_h > most ||
		s->k_w > most || s->out_h > most || s->out_w > most)
		return false;
	s->top = transposed_padding(same, s->out_h, s->k_h, s->stride_h);
	s->left = transposed_padding(same, s->out_w, s->k_w, s->stride_w);
	s->reads = transpose_conv_reads;
	s->max_reads = tn_min_i64(s->in_h, s->k_h / s->stride_h + 1);
	return true;
}

/* ---- along an axis: ARG_MAX, ARG_MIN, CUMSUM ---- */

static bool axis_of(struct tn_places *s)
{
	const struct tn_tensor *in = tn_walk_input(s->w, 0);
	int64_t axis;

	if (!in || in->elements < 1 || !tn_walk_ints(s->w, 1, "axis", &axis, 1))
		return false;
	if (axis < 0)
		axis += in->shape.rank;
	if (axis < 0 || axis >= in->shape.rank)
		return false;
	s->outer = s->inner = 1;
	s->along = in->shape.dim[axis];
	for (int64_t d = 0; d < in->shape.rank; d++)
		*(d < axis ? &s->outer : &s->inner) *= d == axis ? 1 : in->shape.dim[d];
	return true;
}

static uint32_t arg_reads(const struct tn_places *s, int64_t i, struct tn_access *reads)
{
	int64_t at = i / s->inner * s->along * s->inner + i % s->inner;
	uint32_t n = 0;

	if (s->inner == 1)
		return tn_places_add(s, 0, at, s->along, reads, 0);
	for (int64_t k = 0; k < s->along; k++)
		n = tn_places_add(s, 0, at + k * s->inner, 1, reads, n);
	return n;
}

bool tn_places_arg(struct tn_places *s)
{
	if (!axis_of(s) || s->n != s->outer * s->inner)
		return false;
	s->reads = arg_reads;
	s->max_reads = s->inner == 1 ? 1 : s->along;
	return true;
}

/* Column by column; along the axis the sum goes one way whatever the variant. */
int64_t tn_places_output(const struct tn_places *s, int64_t i)
{
	int64_t column, k;

	if (s->w->op->kind != OP_CUMSUM)
		return i;
	assert(s->along > 0); /* there is an element i */
	column = i / s->along;
	k = i % s->along;
	if (s->flag != s->w->variant.descending)
		k = s->along - 1 - k;
	return column / s->inner * s->along * s->inner + column % s->inner + k * s->inner;
}

static uint32_t same_reads(const struct tn_places *s, int64_t i, struct tn_access *reads)
{
	return tn_places_add(s, 0, i, 1, reads, 0);
}

bool tn_places_cumsum(struct tn_places *s)
{
	if (!axis_of(s) || s->n != tn_walk_input(s->w, 0)->elements)
		return false;
	s->flag = tn_op_int(s->w->op, "reverse", 0) != 0;
	s->reads = same_reads;
	s->max_reads = 1;
	return true;
}

/* ---- SPACE_TO_BATCH_ND ---- */

static uint32_t block_reads(const struct tn_places *s, int64_t i, struct tn_access *reads)
{
	int64_t pixel = i / s->out_c, row = pixel / s->out_w, batch = row / s->out_h;
	int64_t block = batch / s->batches;
	int64_t y = row % s->out_h * s->stride_h + block / s->stride_w - s->top;
	int64_t x = pixel % s->out_w * s->stride_w + block % s->stride_w - s->left;

	if (y < 0 || y >= s->in_h || x < 0 || x >= s->in_w)
		return 0;
	return tn_places_add(s, 0,
		((batch % s->batches * s->in_h + y) * s->in_w + x) * s->out_c +
			i % s->out_c,
		1, reads, 0);
}

bool tn_places_space_to_batch(struct tn_places *s)
{
	const struct tn_tensor *in = tn_walk_input(s->w, 0), *out;
	int64_t block[2] = { 1, 1 }, edge[4] = { 0 };
	int64_t spatial, w;

	out = tn_walk_output(s->w, 0);
	if (!in || in->dtype != out->dtype || in->shape.rank != out->shape.rank ||
		in->shape.rank < 3 || in->shape.rank > 4)
		return false;
	spatial = in->shape.rank - 2;
	if (!tn_walk_ints(s->w, 1, "block_shape", block, spatial) ||
		!tn_walk_ints(s->w, 2, "paddings", edge, 2 * spatial))
		return false;
	s->batches = in->shape.dim[0];
	s->in_h = in->shape.dim[1];
	s->out_h = out->shape.dim[1];
	s->in_w = spatial > 1 ? in->shape.dim[2] : 1;
	s->out_w = spatial > 1 ? out->shape.dim[2] : 1;
	s->out_c = out->shape.dim[spatial + 1];
	for (int k = 0; k < 4; k++)
		if (edge[k] < 0 || edge[k] > INT32_MAX || block[k / 2] < 1 ||
			block[k / 2] > INT32_MAX)
			return false;
	if (!tn_mul_i64(s->out_h, block[0], &w) || w != s->in_h + edge[0] + edge[1] ||
		!tn_mul_i64(s->out_w, block[1], &w) || w != s->in_w + edge[2] + edge[3] ||
		in->shape.dim[spatial + 1] != s->out_c ||
		!tn_mul_i64(block[0] * block[1], s->batches, &w) ||
		w != out->shape.dim[0])
		return false;
	s->stride_h = block[0];
	s->stride_w = block[1];
	s->top = edge[0];
	s->left = edge[2];
	s->reads = block_reads;
	s->max_reads = 1;
	return true;
}

/* ---- the walk ---- */

static tn_places_of_fn *places_of(enum tn_op_kind kind)
{
	switch (kind) {
	case OP_RESIZE_BILINEAR:
		return tn_places_bilinear;
	case OP_TRANSPOSE_CONV:
		return tn_places_transpose_conv;
	case OP_ARG_MAX:
	case OP_ARG_MIN:
		return tn_places_arg;
	case OP_CUMSUM:
		return tn_places_cumsum;
	case OP_SPACE_TO_BATCH_ND:
		return tn_places_space_to_batch;
	case OP_GATHER:
	case OP_EMBEDDING_LOOKUP:
		return tn_places_gather;
	case OP_GATHER_ND:
		return tn_places_gather_nd;
	case OP_DYNAMIC_UPDATE_SLICE:
		return tn_places_update_slice;
	case OP_FILL:
		return tn_places_fill;
	case OP_BROADCAST_ARGS:
		return tn_places_broadcast_args;
	case OP_ZEROS_LIKE:
	case OP_SHAPE:
		return tn_places_nothing;
	default:
		return NULL;
	}
}

static void run(struct tn_walk *w, const struct tn_places *s, struct tn_access *reads)
{
	int64_t width = tn_walk_width(tn_walk_output(w, 0));

	for (int64_t t = 0; t < s->n; t++) {
		int64_t i = w->variant.descending ? s->n - 1 - t : t;
		int64_t at = tn_places_output(s, i);
		struct tn_access write = { 0, at * width, (at + 1) * width };

		if (!tn_walk_step(w, reads, s->reads(s, at, reads), &write, 1))
			return;
	}
}

bool tn_walk_places(struct tn_walk *w)
{
	const struct tn_tensor *out = tn_walk_output(w, 0);
	tn_places_of_fn *of = places_of(w->op->kind);
	struct tn_places s = { .w = w };
	struct tn_access *reads = NULL;
	struct tn_arena arena;
	size_t count;

	if (!of || w->op->n_outputs != 1 || !out || out->elements < 0)
		return false;
	s.n = out->elements;
	if (!of(&s))
		return false;
	if (!w->fn)
		return true;
	tn_arena_init(&arena);
	if (tn_size_from_i64(s.max_reads, &count))
		reads = TN_NEW_ARRAY(&arena, struct tn_access, count + 1);
	if (reads)
		run(w, &s, reads);
	else
		w->out_of_memory = true;
	tn_arena_release(&arena);
	return true;
}
