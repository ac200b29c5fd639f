/* Convolutions and poolings. */
#include <math.h>
#include <string.h>

#include "bind/binder.h"
#include "ir/window.h"

#include "base/banned.h"

#define SPAN_MAX (INT64_C(1) << 29)

/* Coordinates, padding included, must stay inside 32 bits. */
static bool span_fits(
	int64_t out, int64_t stride, int64_t k, int64_t dilation, int64_t pad, int64_t in)
{
	return pad < SPAN_MAX && in < SPAN_MAX && out < SPAN_MAX / stride &&
	       k < SPAN_MAX / dilation;
}

static bool fill_geometry(
	struct tn_binder *b, const struct tn_window *w, struct tn_geometry *g)
{
	if (!span_fits(
		    w->out_h, w->stride_h, w->k_h, w->dilation_h, w->pad_top, w->in_h) ||
		!span_fits(w->out_w, w->stride_w, w->k_w, w->dilation_w, w->pad_left,
			w->in_w))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: its window is larger than 2^29");
	*g = (struct tn_geometry){
		.batches = (int32_t)w->batches,
		.in_h = (int32_t)w->in_h,
		.in_w = (int32_t)w->in_w,
		.in_c = (int32_t)w->in_c,
		.out_h = (int32_t)w->out_h,
		.out_w = (int32_t)w->out_w,
		.out_c = (int32_t)w->out_c,
		.k_h = (int32_t)w->k_h,
		.k_w = (int32_t)w->k_w,
		.stride_h = (int32_t)w->stride_h,
		.stride_w = (int32_t)w->stride_w,
		.dilation_h = (int32_t)w->dilation_h,
		.dilation_w = (int32_t)w->dilation_w,
		.pad_top = (int32_t)w->pad_top,
		.pad_left = (int32_t)w->pad_left,
		.y_end = (int32_t)w->out_h,
		.in_rows = (int32_t)w->in_h,
		.out_rows = (int32_t)w->out_h,
		.held = (int32_t)tn_contract_ring(
			b->g, (tn_op_id){ (uint32_t)(b->op - b->g->ops) }, b->variant),
	};
	return true;
}

static bool window_of(struct tn_binder *b, const struct tn_graph *g,
	const struct tn_op *op, struct tn_geometry *out)
{
	struct tn_window w;
	const char *why;

	if (!tn_window_of(g, op, &w, &why))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL, "cannot run: %s", why);
	return fill_geometry(b, &w, out);
}

/* A grouped convolution: its filter sees in_c / groups channels. The geometry is that of
 * the same op with a filter that sees them all. */
static bool grouped_window_of(
	struct tn_binder *b, int32_t *groups, struct tn_geometry *out)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *filter = tn_binder_in(b, 1);
	struct tn_tensor tensors[3];
	tn_tensor_id ids[3] = { { 0 }, { 1 }, { 2 } };
	struct tn_graph g = *b->g;
	struct tn_op op = *b->op;
	int64_t in_c, depth, out_c;

	*groups = 1;
	if (!in || !filter)
		return false;
	if (in->shape.rank != 4 || filter->shape.rank != 4)
		return window_of(b, b->g, b->op, out);
	in_c = in->shape.dim[3];
	depth = filter->shape.dim[3];
	out_c = filter->shape.dim[0];
	if (depth < 1 || in_c % depth || in_c < 1 || out_c % (in_c / depth))
		return window_of(b, b->g, b->op, out);
	tensors[0] = *in;
	tensors[1] = *filter;
	tensors[2] = *tn_binder_out(b, 0);
	tensors[1].shape.dim[3] = in_c;
	g.tensors = tensors;
	g.n_tensors = 3;
	op.inputs = ids;
	op.n_inputs = 2;
	op.outputs = &ids[2];
	*groups = (int32_t)(in_c / depth);
	return window_of(b, &g, &op, out);
}

static bool bind_conv_s8(struct tn_binder *b, enum tn_kernel_id kernel, uint32_t axis,
	const struct tn_geometry *g, int32_t groups)
{
	const struct tn_tensor *filter = tn_binder_in(b, 1);
	struct tn_conv_params *p = tn_binder_simple(b, kernel, 3);

	if (!p)
		return false;
	p->g = *g;
	p->groups = groups;
	return tn_binder_bias(b, 2, DTYPE_I32, g->out_c) &&
	       tn_binder_channels(
		       b, tn_binder_in(b, 0), filter, axis, (uint32_t)g->out_c, p) &&
	       tn_binder_unpack(b, 1, filter);
}

/* One rounding of a wide sum, unless the bias, or the type that a missing one would have,
 * says 32 bits. The wide rule has no shifts above 7. */
static bool bind_conv_s16(struct tn_binder *b, enum tn_kernel_id kernel,
	enum tn_kernel_id narrow, uint32_t axis, const struct tn_geometry *g,
	int32_t groups)
{
	struct tn_conv_params *p;
	bool wide;

	if (!tn_binder_wide(b, narrow != KERNEL_COUNT, &wide))
		return false;
	p = tn_binder_simple(b, wide ? kernel : narrow, 3);
	if (!p)
		return false;
	p->g = *g;
	p->groups = groups;
	return tn_binder_bias(b, 2, wide ? DTYPE_I64 : DTYPE_I32, g->out_c) &&
	       tn_binder_channels(b, tn_binder_in(b, 0), tn_binder_in(b, 1), axis,
		       (uint32_t)g->out_c, p) &&
	       (!wide || tn_binder_wide_shifts(b, p->shift, p->n_channels));
}

static bool bind_conv_f32(struct tn_binder *b, enum tn_kernel_id kernel,
	const struct tn_geometry *g, int32_t groups)
{
	struct tn_window_f32_params *p = tn_binder_simple(b, kernel, 3);

	if (!p)
		return false;
	p->g = *g;
	p->groups = groups;
	return tn_binder_bias(b, 2, DTYPE_F32, g->out_c) &&
	       tn_binder_activation_f32(b, &p->act_min, &p->act_max);
}

bool tn_bind_conv(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *filter = tn_binder_in(b, 1);
	struct tn_geometry g;
	int32_t groups;

	if (!grouped_window_of(b, &groups, &g))
		return false;
	if (in->dtype == DTYPE_F32 && filter->dtype == DTYPE_F32)
		return tn_binder_types(b, DTYPE_F32, DTYPE_F32) &&
		       bind_conv_f32(b, KERNEL_CONV_2D_F32, &g, groups);
	if (filter->dtype == DTYPE_I8 && in->dtype == DTYPE_I16)
		return tn_binder_types(b, DTYPE_I16, DTYPE_I16) &&
		       bind_conv_s16(b, KERNEL_CONV_2D_S16, KERNEL_CONV_2D_S16_B32, 0, &g,
			       groups);
	if (filter->dtype == DTYPE_I8 || filter->dtype == DTYPE_I4)
		return tn_binder_types(b, DTYPE_I8, DTYPE_I8) &&
		       bind_conv_s8(b, KERNEL_CONV_2D_S8, 0, &g, groups);
	return tn_binder_no_types(b);
}

bool tn_bind_depthwise(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *filter = tn_binder_in(b, 1);
	struct tn_geometry g;

	if (!in || !filter || !window_of(b, b->g, b->op, &g))
		return false;
	if (in->dtype == DTYPE_F32 && filter->dtype == DTYPE_F32)
		return tn_binder_types(b, DTYPE_F32, DTYPE_F32) &&
		       bind_conv_f32(
			       b, KERNEL_DEPTHWISE_CONV_2D_F32, &g, g.out_c / g.in_c);
	if (filter->dtype == DTYPE_I8 && in->dtype == DTYPE_I16)
		return tn_binder_types(b, DTYPE_I16, DTYPE_I16) &&
		       bind_conv_s16(b, KERNEL_DEPTHWISE_CONV_2D_S16, KERNEL_COUNT, 3, &g,
			       g.out_c / g.in_c);
	if (filter->dtype == DTYPE_I8 || filter->dtype == DTYPE_I4)
		return tn_binder_types(b, DTYPE_I8, DTYPE_I8) &&
		       bind_conv_s8(
			       b, KERNEL_DEPTHWISE_CONV_2D_S8, 3, &g, g.out_c / g.in_c);
	return tn_binder_no_types(b);
}

/* The kernels of the three poolings, by type. */
static const struct pool_kernels {
	enum tn_op_kind op;
	enum tn_kernel_id f32, s8, s16;
} pools[] = {
	{ OP_AVERAGE_POOL_2D, KERNEL_AVERAGE_POOL_2D_F32, KERNEL_AVERAGE_POOL_2D_S8,
		KERNEL_AVERAGE_POOL_2D_S16 },
	{ OP_MAX_POOL_2D, KERNEL_MAX_POOL_2D_F32, KERNEL_MAX_POOL_2D_S8,
		KERNEL_MAX_POOL_2D_S16 },
	{ OP_L2_POOL_2D, KERNEL_L2_POOL_2D_F32, KERNEL_COUNT, KERNEL_COUNT },
};

/* The kernels take values as they are. The tolerance is that with which TensorFlow Lite
 * compares the scales before it refuses the model. */
static bool pool_scale(struct tn_binder *b, struct tn_scale *out)
{
	struct tn_scale in;

	if (!tn_binder_scale(b, tn_binder_in(b, 0), &in) ||
		!tn_binder_scale(b, tn_binder_out(b, 0), out))
		return false;
	if (!(fabsf(in.scale - out->scale) <= 1e-6f) || in.zero_point != out->zero_point)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"has only a kernel for input and output that are quantised "
			"alike");
	return true;
}

static bool bind_pool_int(
	struct tn_binder *b, enum tn_kernel_id kernel, const struct tn_geometry *g)
{
	const struct tn_tensor *out = tn_binder_out(b, 0);
	struct tn_pool_params *p;
	struct tn_scale scale;

	if (kernel == KERNEL_COUNT)
		return tn_binder_no_types(b);
	p = tn_binder_simple(b, kernel, 1);
	if (!p)
		return false;
	p->g = *g;
	return pool_scale(b, &scale) &&
	       tn_binder_activation(b, out, scale, &p->act_min, &p->act_max);
}

bool tn_bind_pool(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	const struct pool_kernels *k = pools;
	struct tn_window_f32_params *p;
	struct tn_geometry g;

	while (k->op != b->op->kind)
		k++;
	if (!in || !window_of(b, b->g, b->op, &g))
		return false;
	if (in->dtype == DTYPE_I8 && out->dtype == DTYPE_I8)
		return bind_pool_int(b, k->s8, &g);
	if (in->dtype == DTYPE_I16 && out->dtype == DTYPE_I16)
		return bind_pool_int(b, k->s16, &g);
	if (!tn_binder_types(b, DTYPE_F32, DTYPE_F32))
		return false;
	p = tn_binder_simple(b, k->f32, 1);
	if (!p)
		return false;
	p->g = g;
	p->groups = 1;
	return tn_binder_activation_f32(b, &p->act_min, &p->act_max);
}
