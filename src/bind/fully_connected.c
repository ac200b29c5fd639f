/* Fully connected layers. */
#include "bind/binder.h"

struct fc_shape {
	int32_t rows, in_n, out_n;
};

static bool fc_shape_of(struct tn_binder *b, struct fc_shape *s)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *filter = tn_binder_in(b, 1);
	const struct tn_tensor *out = tn_binder_out(b, 0);
	int64_t in_n, out_n;

	if (filter->shape.rank != 2)
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "needs a filter of two dimensions");
	out_n = filter->shape.dim[0];
	in_n = filter->shape.dim[1];
	if (in_n < 1 || out_n < 1 || in->elements % in_n || out->elements % out_n ||
		in->elements / in_n != out->elements / out_n)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: %lld inputs and %lld outputs do not fit a filter of "
			"%lld by %lld",
			(long long)in->elements, (long long)out->elements,
			(long long)out_n, (long long)in_n);
	s->rows = (int32_t)(in->elements / in_n);
	s->in_n = (int32_t)in_n;
	s->out_n = (int32_t)out_n;
	return true;
}

/* One scale: the product of the two input scales is taken in single precision. A scale
 * for each output: all in double. */
static bool fc_scales(struct tn_binder *b, struct tn_scale in, struct tn_scale out,
	struct tn_fc_params *p)
{
	const struct tn_tensor *filter = tn_binder_in(b, 1);
	const struct tn_quant *q = &filter->quant;
	int32_t *multiplier = tn_binder_array(b, q->n, sizeof(*multiplier));
	int8_t *shift = tn_binder_array(b, q->n, sizeof(*shift));
	struct tn_scale whole;
	struct tn_multiplier m;

	if (!multiplier || !shift)
		return false;
	if (q->damaged)
		return tn_binder_refuse(b, TN_RULE_DAMAGED_SCALE,
			"needs the scales of tensor '%s', whose bits the file has lost",
			filter->name);
	if (q->n == 1) {
		if (!tn_binder_scale(b, filter, &whole) ||
			!tn_binder_multiplier(b,
				(double)(in.scale * whole.scale) / (double)out.scale, &m))
			return false;
		p->w_offset = -whole.zero_point;
		multiplier[0] = m.multiplier;
		shift[0] = (int8_t)m.shift;
	} else if (q->n != (uint32_t)p->out_n || q->axis != 0) {
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"needs 1 or %d scales for filter '%s', which has %u", p->out_n,
			filter->name, q->n);
	} else {
		for (uint32_t c = 0; c < q->n; c++) {
			if (!tn_binder_multiplier(b,
				    (double)in.scale * (double)q->scale[c] /
					    (double)out.scale,
				    &m))
				return false;
			multiplier[c] = m.multiplier;
			shift[c] = (int8_t)m.shift;
		}
	}
	p->n_scales = q->n;
	p->multiplier = multiplier;
	p->shift = shift;
	return true;
}

static bool bind_fc_int(struct tn_binder *b, enum tn_kernel_id kernel,
	const struct fc_shape *s, enum tn_dtype bias)
{
	const struct tn_tensor *filter = tn_binder_in(b, 1);
	struct tn_fc_params *p = tn_binder_simple(b, kernel, 3);
	struct tn_scale in, out;

	if (!p || !tn_binder_scale(b, tn_binder_in(b, 0), &in) ||
		!tn_binder_scale(b, tn_binder_out(b, 0), &out))
		return false;
	p->rows = s->rows;
	p->in_n = s->in_n;
	p->out_n = s->out_n;
	p->in_offset = -in.zero_point;
	p->out_offset = out.zero_point;
	return fc_scales(b, in, out, p) && tn_binder_bias(b, 2, bias, s->out_n) &&
	       tn_binder_activation(
		       b, tn_binder_out(b, 0), out, &p->act_min, &p->act_max) &&
	       (bias != DTYPE_I64 || tn_binder_wide_shifts(b, p->shift, p->n_scales)) &&
	       tn_binder_unpack(b, 1, filter);
}

bool tn_bind_fully_connected(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *filter = tn_binder_in(b, 1);
	struct tn_fc_f32_params *p;
	struct fc_shape s;
	bool wide;

	if (!in || !filter || !fc_shape_of(b, &s))
		return false;
	if (filter->dtype == DTYPE_I8 && in->dtype == DTYPE_I16)
		return tn_binder_types(b, DTYPE_I16, DTYPE_I16) &&
		       tn_binder_wide(b, true, &wide) &&
		       bind_fc_int(b,
			       wide ? KERNEL_FULLY_CONNECTED_S16
				    : KERNEL_FULLY_CONNECTED_S16_B32,
			       &s, wide ? DTYPE_I64 : DTYPE_I32);
	if (filter->dtype == DTYPE_I8 || filter->dtype == DTYPE_I4)
		return tn_binder_types(b, DTYPE_I8, DTYPE_I8) &&
		       bind_fc_int(b, KERNEL_FULLY_CONNECTED_S8, &s, DTYPE_I32);
	if (filter->dtype != DTYPE_F32 || !tn_binder_types(b, DTYPE_F32, DTYPE_F32))
		return tn_binder_no_types(b);
	p = tn_binder_simple(b, KERNEL_FULLY_CONNECTED_F32, 3);
	if (!p)
		return false;
	p->rows = s.rows;
	p->in_n = s.in_n;
	p->out_n = s.out_n;
	return tn_binder_bias(b, 2, DTYPE_F32, s.out_n) &&
	       tn_binder_activation_f32(b, &p->act_min, &p->act_max);
}
