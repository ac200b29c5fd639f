/* TRANSPOSE_CONV. Operands: the output's shape (known anyway), filter, input, bias. */
#include "bind/binder.h"
#include "ir/window.h"

#define FILTER 1
#define INPUT  2
#define BIAS   3

#define SPAN_MAX (INT64_C(1) << 29)

/* SAME: what a convolution from the output back to the input would be padded with. */
static int64_t padding(bool same, int64_t size, int64_t k, int64_t stride)
{
	int64_t steps = (size + stride - 1) / stride;
	int64_t total = (steps - 1) * stride + k - size;

	return same && total > 0 ? total / 2 : 0;
}

static bool geometry_of(struct tn_binder *b, struct tn_geometry *g)
{
	const struct tn_tensor *in = tn_binder_in(b, INPUT), *out = tn_binder_out(b, 0);
	const struct tn_tensor *filter = tn_binder_in(b, FILTER);
	int64_t stride_h = tn_op_int_at(b->op, "stride", 0, 1);
	int64_t stride_w = tn_op_int_at(b->op, "stride", 1, 1);
	const int64_t *i, *o, *f;
	const char *why;
	bool same;

	if (!in || !filter)
		return false;
	if (!tn_window_transposed(b->op, &same, &why))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL, "cannot run: %s", why);
	i = in->shape.dim;
	o = out->shape.dim;
	f = filter->shape.dim;
	if (in->shape.rank != 4 || out->shape.rank != 4 || filter->shape.rank != 4 ||
		in->elements < 1 || out->elements < 1 || filter->elements < 1 ||
		i[0] != o[0] || i[3] != f[3] || o[3] != f[0])
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: its filter does not fit its operands");
	if (stride_h < 1 || stride_w < 1 || stride_h > SPAN_MAX || stride_w > SPAN_MAX ||
		f[1] > SPAN_MAX || f[2] > SPAN_MAX || o[1] > SPAN_MAX || o[2] > SPAN_MAX)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: strides or sizes beyond what its kernel reaches");
	*g = (struct tn_geometry){
		.batches = (int32_t)i[0],
		.in_h = (int32_t)i[1],
		.in_w = (int32_t)i[2],
		.in_c = (int32_t)i[3],
		.out_h = (int32_t)o[1],
		.out_w = (int32_t)o[2],
		.out_c = (int32_t)o[3],
		.k_h = (int32_t)f[1],
		.k_w = (int32_t)f[2],
		.stride_h = (int32_t)stride_h,
		.stride_w = (int32_t)stride_w,
		.dilation_h = 1,
		.dilation_w = 1,
		.pad_top = (int32_t)padding(same, o[1], f[1], stride_h),
		.pad_left = (int32_t)padding(same, o[2], f[2], stride_w),
		.y_end = (int32_t)o[1],
		.in_rows = (int32_t)i[1],
		.out_rows = (int32_t)o[1],
	};
	return true;
}

static void *start(struct tn_binder *b, enum tn_kernel_id kernel)
{
	void *params = tn_binder_call(b, kernel, 3, 1);

	if (!params)
		return NULL;
	tn_binder_use(b, 0, INPUT);
	tn_binder_use(b, 1, FILTER);
	tn_binder_use(b, 2, BIAS);
	tn_binder_give(b, 0, 0);
	return params;
}

/* A bias of 16 bits becomes one of 64. */
static bool widen_bias(struct tn_binder *b, int64_t channels)
{
	const struct tn_tensor *bias = tn_binder_in(b, BIAS);
	int64_t *wide;

	if (!bias || bias->dtype != DTYPE_I16)
		return tn_binder_bias(b, BIAS, DTYPE_I64, channels);
	wide = tn_binder_array(b, (size_t)channels, sizeof(*wide));
	if (!wide || !tn_binder_bias(b, BIAS, DTYPE_I16, channels))
		return false;
	for (int64_t c = 0; c < channels; c++)
		if (!tn_tensor_int(bias, c, &wide[c]))
			return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
				"needs a constant for bias '%s'", bias->name);
	b->call->in[2].tensor.i = TN_NONE;
	b->call->in[2].data = wide;
	b->call->in[2].data_bytes = channels * (int64_t)sizeof(*wide);
	return true;
}

static bool bind_int(struct tn_binder *b, const struct tn_geometry *g, bool wide)
{
	struct tn_conv_params *p =
		start(b, wide ? KERNEL_TRANSPOSE_CONV_S16 : KERNEL_TRANSPOSE_CONV_S8);

	if (!p)
		return false;
	p->g = *g;
	p->groups = 1;
	if (!tn_binder_channels(b, tn_binder_in(b, INPUT), tn_binder_in(b, FILTER), 0,
		    (uint32_t)g->out_c, p))
		return false;
	if (!wide)
		return tn_binder_bias(b, BIAS, DTYPE_I32, g->out_c);
	if (p->in_offset != 0 || p->out_offset != 0)
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "has only a kernel for zero points 0");
	return tn_binder_wide_shifts(b, p->shift, p->n_channels) &&
	       widen_bias(b, g->out_c);
}

bool tn_bind_transpose_conv(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, INPUT), *out = tn_binder_out(b, 0);
	const struct tn_tensor *filter = tn_binder_in(b, FILTER);
	struct tn_window_f32_params *p;
	struct tn_geometry g;

	if (!geometry_of(b, &g))
		return false;
	if (filter->dtype == DTYPE_I8 && in->dtype == out->dtype &&
		(in->dtype == DTYPE_I8 || in->dtype == DTYPE_I16))
		return bind_int(b, &g, in->dtype == DTYPE_I16);
	if (in->dtype != DTYPE_F32 || out->dtype != DTYPE_F32 ||
		filter->dtype != DTYPE_F32)
		return tn_binder_no_types(b);
	p = start(b, KERNEL_TRANSPOSE_CONV_F32);
	if (!p)
		return false;
	p->g = g;
	p->groups = 1;
	return tn_binder_bias(b, BIAS, DTYPE_F32, g.out_c) &&
	       tn_binder_activation_f32(b, &p->act_min, &p->act_max);
}
