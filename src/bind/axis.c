/* Ops along one axis: running sums, the place of an extreme. */
#include "bind/binder.h"

/* The tensor as outer x n x inner around the axis. */
struct axis {
	int32_t outer, n, inner;
};

static bool axis_of(struct tn_binder *b, struct axis *out)
{
	const struct tn_tensor *in = tn_binder_in(b, 0);
	int64_t axis, outer = 1, inner = 1;
	uint32_t n;

	if (!in || !tn_binder_ints(b, 1, "axis", &axis, 1, &n) || n != 1)
		return false;
	if (axis < 0)
		axis += in->shape.rank;
	if (in->elements == 0)
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "cannot run: an empty input");
	if (axis < 0 || axis >= in->shape.rank)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: axis %lld of %u dimensions", (long long)axis,
			in->shape.rank);
	for (uint32_t d = 0; d < in->shape.rank; d++)
		if (d != axis)
			*(d < axis ? &outer : &inner) *= in->shape.dim[d];
	out->outer = (int32_t)outer;
	out->n = (int32_t)in->shape.dim[axis];
	out->inner = (int32_t)inner;
	return true;
}

bool tn_bind_arg(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	struct tn_arg_params *p;
	struct axis a;

	if (!axis_of(b, &a))
		return false;
	if (out->dtype != DTYPE_I32 ||
		(in->dtype != DTYPE_F32 && in->dtype != DTYPE_I8 &&
			in->dtype != DTYPE_U8 && in->dtype != DTYPE_I16 &&
			in->dtype != DTYPE_I32))
		return tn_binder_no_types(b);
	if (out->elements != (int64_t)a.outer * a.inner)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: its output's shape is not what its axis gives");
	p = tn_binder_simple(
		b, in->dtype == DTYPE_F32 ? KERNEL_ARG_F32 : KERNEL_ARG_INT, 1);
	if (!p)
		return false;
	p->outer = a.outer;
	p->n = a.n;
	p->inner = a.inner;
	p->least = b->op->kind == OP_ARG_MIN;
	return tn_binder_type(b, in, &p->type);
}

static bool cumsum_scales(struct tn_binder *b, struct tn_cumsum_params *p)
{
	const int32_t left_shift = 20;
	struct tn_scale in, out;
	struct tn_multiplier mi, mo;
	double common;

	if (!tn_binder_scale(b, tn_binder_in(b, 0), &in) ||
		!tn_binder_scale(b, tn_binder_out(b, 0), &out))
		return false;
	common = 2.0 * (double)in.scale;
	if (!tn_binder_multiplier(b, (double)in.scale / common, &mi) ||
		!tn_binder_multiplier(
			b, common / ((double)(1 << left_shift) * (double)out.scale), &mo))
		return false;
	p->left_shift = left_shift;
	p->in_offset = -in.zero_point;
	p->in_multiplier = mi.multiplier;
	p->in_shift = mi.shift;
	p->out_offset = out.zero_point;
	p->out_multiplier = mo.multiplier;
	p->out_shift = mo.shift;
	return true;
}

bool tn_bind_cumsum(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	struct tn_cumsum_params *p;
	struct axis a;
	bool integer;

	if (!axis_of(b, &a))
		return false;
	integer = in->dtype == DTYPE_I8 && out->dtype == DTYPE_I8;
	if (!integer && !tn_binder_types(b, DTYPE_F32, DTYPE_F32))
		return false;
	if (in->elements != out->elements)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: input and output differ in size");
	p = tn_binder_simple(b, integer ? KERNEL_CUMSUM_S8 : KERNEL_CUMSUM_F32, 1);
	if (!p)
		return false;
	p->outer = a.outer;
	p->n = a.n;
	p->inner = a.inner;
	p->exclusive = tn_op_int(b->op, "exclusive", 0) != 0;
	p->reverse = tn_op_int(b->op, "reverse", 0) != 0;
	return !integer || cumsum_scales(b, p);
}
