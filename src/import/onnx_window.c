/* Shape inference: convolution and pooling over [batch, channels, ...]. */
#include <string.h>

#include "base/checked.h"
#include "import/onnx_infer.h"

#include "base/banned.h"

struct window {
	struct tn_ints kernel, stride, dilation, pads;
	const char *auto_pad;
	uint32_t spatial;
};

static int64_t at(const struct tn_ints *list, size_t i, int64_t otherwise)
{
	return i < list->v.count ? list->v.items[i] : otherwise;
}

static bool in_range(const struct tn_ints *list, int64_t low)
{
	for (size_t i = 0; i < list->v.count; i++)
		if (list->v.items[i] < low || list->v.items[i] >= TN_INFER_DIM_MAX)
			return false;
	return true;
}

/* The kernel is an attribute, or the filter's last dimensions. */
static bool read_window(struct tn_onnx *x, const struct tn_onnx_node *n,
	const struct tn_shape *in, const struct tn_shape *filter, struct window *out)
{
	*out = (struct window){ .spatial = in->rank - 2 };
	tn_onnx_attr_ints(x, n, "kernel_shape", &out->kernel);
	tn_onnx_attr_ints(x, n, "strides", &out->stride);
	tn_onnx_attr_ints(x, n, "dilations", &out->dilation);
	tn_onnx_attr_ints(x, n, "pads", &out->pads);
	out->auto_pad = tn_onnx_attr_text(x, n, "auto_pad");
	if (!out->kernel.v.count && filter && filter->rank == in->rank)
		for (uint32_t i = 2; i < filter->rank; i++)
			if (!tn_vec_push(
				    &x->tree.scratch, &out->kernel.v, filter->dim[i]))
				x->tree.nomem = true;
	return out->kernel.v.count == out->spatial && in_range(&out->kernel, 1) &&
	       in_range(&out->stride, 1) && in_range(&out->dilation, 1) &&
	       in_range(&out->pads, 0);
}

/* -1 when the window does not fit. */
static int64_t extent(const struct window *w, uint32_t i, int64_t in, bool ceil)
{
	int64_t stride = at(&w->stride, i, 1), span;
	int64_t before = at(&w->pads, i, 0), after = at(&w->pads, w->spatial + i, 0);
	int64_t room, out;

	if (strncmp(w->auto_pad, "SAME", 4) == 0)
		return (in + stride - 1) / stride;
	if (strcmp(w->auto_pad, "VALID") == 0)
		before = after = 0;
	if (!tn_mul_i64(at(&w->kernel, i, 1) - 1, at(&w->dilation, i, 1), &span) ||
		!tn_add_i64(in, before + after - 1, &room) ||
		!tn_sub_i64(room, span, &room) || room < 0)
		return -1;
	out = (ceil ? room + stride - 1 : room) / stride + 1;
	/* the last window must start inside of the input or the padding before it */
	if (ceil && (out - 1) * stride >= in + before)
		out--;
	return out;
}

/* Does each group of channels have a part of the filter? */
static bool fits(const struct tn_shape *in, const struct tn_shape *filter, int64_t groups)
{
	int64_t channels;

	return groups > 0 && tn_mul_i64(filter->dim[1], groups, &channels) &&
	       channels == in->dim[1] && filter->dim[0] % groups == 0;
}

static void slide(struct tn_onnx *x, const struct tn_onnx_node *n, uint32_t filter_at,
	enum tn_dtype dtype, bool conv)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	const struct tn_shape *filter = conv ? tn_infer_shape(n, filter_at) : NULL;
	bool ceil = !conv && tn_onnx_attr_int(x, n, "ceil_mode", 0) != 0;
	struct tn_shape s;
	struct window w;

	tn_infer_set(x, n, 0, dtype, NULL);
	if (!in || in->rank < 3 || (conv && (!filter || filter->rank != in->rank)) ||
		!read_window(x, n, in, filter, &w))
		return;
	if (conv && !fits(in, filter, tn_onnx_attr_int(x, n, "group", 1))) {
		tn_at_error(&x->tree, n->at, "onnx/shape",
			"%s of %lld groups has %lld filters of %lld channels, and there "
			"are "
			"%lld channels",
			n->type, (long long)tn_onnx_attr_int(x, n, "group", 1),
			(long long)filter->dim[0], (long long)filter->dim[1],
			(long long)in->dim[1]);
		return;
	}
	s = *in;
	if (conv)
		s.dim[1] = filter->dim[0];
	for (uint32_t i = 0; i < w.spatial; i++) {
		s.dim[2 + i] = extent(&w, i, in->dim[2 + i], ceil);
		if (s.dim[2 + i] < 0) {
			tn_at_error(&x->tree, n->at, "onnx/shape",
				"the window of %s does not fit its input", n->type);
			return;
		}
	}
	tn_infer_set(x, n, 0, dtype, &s);
	if (!conv)
		tn_infer_set(x, n, 1, DTYPE_I64, &s);
}

static void conv(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	slide(x, n, 1, tn_infer_dtype(n, 0), true);
}

static void conv_integer(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	slide(x, n, 1, DTYPE_I32, true);
}

static void conv_qlinear(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	slide(x, n, 3, tn_infer_dtype(n, 7), true);
}

static void pool(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	slide(x, n, 0, tn_infer_dtype(n, 0), false);
}

static void global(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	struct tn_shape s;

	tn_infer_set(x, n, 0, tn_infer_dtype(n, 0), NULL);
	if (!in || in->rank < 2)
		return;
	s = *in;
	for (uint32_t i = 2; i < s.rank; i++)
		s.dim[i] = 1;
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

static void transposed(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0), *filter = tn_infer_shape(n, 1);
	struct tn_ints extra = { 0 }, given = { 0 };
	int64_t groups = tn_onnx_attr_int(x, n, "group", 1), dim;
	struct tn_shape s;
	struct window w;

	tn_infer_set(x, n, 0, tn_infer_dtype(n, 0), NULL);
	if (!in || !filter || in->rank < 3 || filter->rank != in->rank ||
		!read_window(x, n, in, filter, &w) ||
		!tn_mul_i64(filter->dim[1], groups, &dim))
		return;
	if (filter->dim[0] != in->dim[1] || groups < 1 || in->dim[1] % groups) {
		tn_at_error(&x->tree, n->at, "onnx/shape",
			"%s takes %lld channels in %lld groups, and there are %lld",
			n->type, (long long)filter->dim[0], (long long)groups,
			(long long)in->dim[1]);
		return;
	}
	s = *in;
	s.dim[1] = dim;
	tn_onnx_attr_ints(x, n, "output_padding", &extra);
	tn_onnx_attr_ints(x, n, "output_shape", &given);
	for (uint32_t i = 0; i < w.spatial; i++) {
		int64_t span = (at(&w.kernel, i, 1) - 1), stride = at(&w.stride, i, 1);

		if (given.v.count >= w.spatial) {
			dim = given.v.items[given.v.count - w.spatial + i];
		} else if (strncmp(w.auto_pad, "SAME", 4) == 0) {
			if (!tn_mul_i64(in->dim[2 + i], stride, &dim))
				return;
		} else if (!tn_mul_i64(span, at(&w.dilation, i, 1), &span) ||
			   !tn_mul_i64(in->dim[2 + i] - 1, stride, &dim) ||
			   !tn_add_i64(dim, span, &dim) || !tn_add_i64(dim, 1, &dim) ||
			   !tn_add_i64(dim, at(&extra, i, 0), &dim) ||
			   !tn_sub_i64(dim, at(&w.pads, i, 0), &dim) ||
			   !tn_sub_i64(dim, at(&w.pads, w.spatial + i, 0), &dim)) {
			return;
		}
		if (dim < 0) {
			tn_at_error(&x->tree, n->at, "onnx/shape",
				"the pads of %s leave nothing of its output", n->type);
			return;
		}
		s.dim[2 + i] = dim;
	}
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

tn_infer_fn *tn_infer_window(const char *type)
{
	static const struct {
		const char *type;
		tn_infer_fn *fn;
	} rows[] = {
		{ "AveragePool", pool },
		{ "Conv", conv },
		{ "ConvInteger", conv_integer },
		{ "ConvTranspose", transposed },
		{ "DeformConv", conv },
		{ "GlobalAveragePool", global },
		{ "GlobalLpPool", global },
		{ "GlobalMaxPool", global },
		{ "LpPool", pool },
		{ "MaxPool", pool },
		{ "QLinearConv", conv_qlinear },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(rows[i].type, type) == 0)
			return rows[i].fn;
	return NULL;
}
