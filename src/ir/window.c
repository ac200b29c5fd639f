#include "ir/window.h"

#include <string.h>

#include "base/checked.h"

#define DIM_MAX (INT64_C(1) << 31)

static bool pixel_shape(const struct tn_tensor *t)
{
	if (t->shape.rank != 4 || t->elements < 0)
		return false;
	for (int i = 0; i < 4; i++)
		if (t->shape.dim[i] < 1 || t->shape.dim[i] >= DIM_MAX)
			return false;
	return true;
}

static bool is_text(
	const struct tn_op *op, const char *attr, const char *absent, const char *want)
{
	return strcmp(tn_op_string(op, attr, tn_op_attr(op, attr) ? "" : absent), want) ==
	       0;
}

bool tn_op_is_nhwc(const struct tn_op *op)
{
	return is_text(op, "layout", "NHWC", "NHWC");
}

bool tn_window_transposed(const struct tn_op *op, bool *out_same, const char **out_why)
{
	const struct tn_attr *dilation = tn_op_attr(op, "dilation");

	*out_why = "its layout is not NHWC, and the order of such a kernel is not known";
	if (!tn_op_is_nhwc(op))
		return false;
	*out_why = "the padding is not SAME or VALID";
	*out_same = is_text(op, "pad", "VALID", "SAME");
	if (!*out_same && !is_text(op, "pad", "VALID", "VALID"))
		return false;
	*out_why = "its filter is dilated";
	for (size_t i = 0; dilation && (i < dilation->n || !i); i++)
		if (tn_op_int_at(op, "dilation", i, 0) != 1)
			return false;
	return true;
}

/* TFLite's rule: the output keeps ceil(in / stride); an odd total pads more after. */
static int64_t same_padding(
	int64_t in, int64_t out, int64_t k, int64_t stride, int64_t dilation)
{
	int64_t total = (out - 1) * stride + (k - 1) * dilation + 1 - in;

	return total > 0 ? total / 2 : 0;
}

static int64_t out_size(int64_t padded, int64_t k, int64_t stride, int64_t dilation)
{
	int64_t span = (k - 1) * dilation + 1;

	return padded < span ? 0 : (padded - span) / stride + 1;
}

static bool read_pad(
	const struct tn_op *op, struct tn_window *w, int64_t *bottom, int64_t *right)
{
	const struct tn_attr *pad = tn_op_attr(op, "pad");
	const char *name = tn_op_string(op, "pad", pad ? "" : "VALID");

	if (pad && pad->kind == ATTR_INTS && pad->n == 4) {
		w->pad_top = pad->v.ints[0];
		w->pad_left = pad->v.ints[1];
		*bottom = pad->v.ints[2];
		*right = pad->v.ints[3];
		for (int i = 0; i < 4; i++)
			if (pad->v.ints[i] < 0 || pad->v.ints[i] >= DIM_MAX)
				return false;
	} else if (strcmp(name, "SAME") == 0) {
		w->pad_top = same_padding(
			w->in_h, w->out_h, w->k_h, w->stride_h, w->dilation_h);
		w->pad_left = same_padding(
			w->in_w, w->out_w, w->k_w, w->stride_w, w->dilation_w);
		*bottom = *right = -1;
	} else if (strcmp(name, "VALID") == 0) {
		w->pad_top = w->pad_left = *bottom = *right = 0;
	} else {
		return false;
	}
	return true;
}

/* Of the windows on one axis, the first one comes in last and the last one leaves first. */
static bool axis_meets(
	int64_t in, int64_t out, int64_t k, int64_t stride, int64_t dilation, int64_t pad)
{
	return (pad == 0 || (dilation == 1 && pad < k)) && (out - 1) * stride - pad < in;
}

void tn_window_taps(int64_t origin, int64_t n, int64_t dilation, int64_t size,
	int64_t *out_first, int64_t *out_end)
{
	*out_first = origin < 0 ? (-origin + dilation - 1) / dilation : 0;
	*out_end = origin < size ? tn_min_i64(n, (size - 1 - origin) / dilation + 1) : 0;
}

bool tn_window_meets_input(const struct tn_window *w)
{
	return axis_meets(w->in_h, w->out_h, w->k_h, w->stride_h, w->dilation_h,
		       w->pad_top) &&
	       axis_meets(w->in_w, w->out_w, w->k_w, w->stride_w, w->dilation_w,
		       w->pad_left);
}

bool tn_window_of(const struct tn_graph *g, const struct tn_op *op, struct tn_window *out,
	const char **out_why)
{
	struct tn_window w = { .depth_multiplier = 1 };
	const struct tn_tensor *in, *result, *filter = NULL;
	int64_t bottom = 0, right = 0, want_h, want_w;
	const int64_t *positive[] = { &w.k_h, &w.k_w, &w.stride_h, &w.stride_w,
		&w.dilation_h, &w.dilation_w };

	*out_why = "not a windowed op";
	if (tn_op_info(op->kind)->access != ACCESS_WINDOW)
		return false;
	*out_why = "operands are missing";
	if (op->n_inputs < 1 || op->n_outputs != 1 || op->inputs[0].i >= g->n_tensors)
		return false;
	*out_why = "its layout is not NHWC, and the order of such a kernel is not known";
	if (!tn_op_is_nhwc(op))
		return false;
	in = &g->tensors[op->inputs[0].i];
	result = &g->tensors[op->outputs[0].i];
	if (op->n_inputs > 1 && op->inputs[1].i < g->n_tensors)
		filter = &g->tensors[op->inputs[1].i];
	*out_why = "input and output are not NHWC with positive dimensions";
	if (!pixel_shape(in) || !pixel_shape(result))
		return false;
	w.batches = in->shape.dim[0];
	w.in_h = in->shape.dim[1];
	w.in_w = in->shape.dim[2];
	w.in_c = in->shape.dim[3];
	w.out_h = result->shape.dim[1];
	w.out_w = result->shape.dim[2];
	w.out_c = result->shape.dim[3];
	w.k_h = tn_op_int_at(op, "kernel", 0, 0);
	w.k_w = tn_op_int_at(op, "kernel", 1, 0);
	w.stride_h = tn_op_int_at(op, "stride", 0, 1);
	w.stride_w = tn_op_int_at(op, "stride", 1, 1);
	w.dilation_h = tn_op_int_at(op, "dilation", 0, 1);
	w.dilation_w = tn_op_int_at(op, "dilation", 1, 1);
	*out_why = "the filter does not fit the operands";
	if (filter) {
		if (!pixel_shape(filter))
			return false;
		if (w.k_h &&
			(w.k_h != filter->shape.dim[1] || w.k_w != filter->shape.dim[2]))
			return false;
		w.k_h = filter->shape.dim[1];
		w.k_w = filter->shape.dim[2];
		if (op->kind == OP_CONV_2D && (filter->shape.dim[0] != w.out_c ||
						      filter->shape.dim[3] != w.in_c))
			return false;
		if (op->kind == OP_DEPTHWISE_CONV_2D &&
			(filter->shape.dim[0] != 1 || filter->shape.dim[3] != w.out_c))
			return false;
	}
	*out_why = "kernel, stride or dilation is not positive";
	for (size_t i = 0; i < sizeof(positive) / sizeof(*positive); i++)
		if (*positive[i] < 1 || *positive[i] >= DIM_MAX)
			return false;
	*out_why = "the channels do not fit";
	w.per_channel = op->kind != OP_CONV_2D;
	if (op->kind == OP_DEPTHWISE_CONV_2D) {
		if (w.out_c % w.in_c != 0)
			return false;
		w.depth_multiplier = w.out_c / w.in_c;
	} else if (op->kind != OP_CONV_2D && w.out_c != w.in_c) {
		return false;
	}
	*out_why = "the padding is not SAME, VALID or [top, left, bottom, right]";
	if (!read_pad(op, &w, &bottom, &right))
		return false;
	*out_why = "the output's height or width is not what stride and padding give";
	if (bottom < 0) {
		want_h = (w.in_h + w.stride_h - 1) / w.stride_h;
		want_w = (w.in_w + w.stride_w - 1) / w.stride_w;
	} else {
		want_h = out_size(
			w.in_h + w.pad_top + bottom, w.k_h, w.stride_h, w.dilation_h);
		want_w = out_size(
			w.in_w + w.pad_left + right, w.k_w, w.stride_w, w.dilation_w);
	}
	if (result->shape.dim[0] != w.batches || w.out_h != want_h || w.out_w != want_w)
		return false;
	*out = w;
	return true;
}
