/* Fully connected layers and softmax: ops whose outputs see whole rows. */
#include <math.h>

#include "bind/binder.h"
#include "kernels/ref/fixed_exp.h"

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
	return fc_scales(b, in, out, p) && tn_binder_bias(b, bias, s->out_n) &&
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
	return tn_binder_bias(b, DTYPE_F32, s.out_n) &&
	       tn_binder_activation_f32(b, &p->act_min, &p->act_max);
}

/* Rows of the last dimension. */
static bool rows_of(struct tn_binder *b, int32_t *rows, int32_t *n)
{
	const struct tn_tensor *in = tn_binder_in(b, 0);
	int64_t last;

	if (in->shape.rank < 1)
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "needs at least one dimension");
	if (in->elements != tn_binder_out(b, 0)->elements)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: input and output differ in size");
	last = in->shape.dim[in->shape.rank - 1];
	*n = (int32_t)last;
	*rows = last > 0 ? (int32_t)(in->elements / last) : 0;
	return true;
}

/* exp(-d * scale * beta) for d = 0 .. 255 in fixed point; differences whose exponential
 * is below the last bit give 0. */
static bool exp_table(struct tn_binder *b, double scale, double beta, int32_t *table)
{
	const int bits = 5;
	double real = fmin(beta * scale * (double)(1 << (31 - bits)), 2147483647.0);
	struct tn_multiplier m;
	double radius;

	if (!(real > 1.0))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"needs beta * scale above 2^-26, which is %g", beta * scale);
	if (real >= (double)(1 << 30)) { /* one step of the input is exp(-16) */
		table[0] = INT32_MAX;
		return true;
	}
	if (!tn_binder_multiplier(b, real, &m))
		return false;
	radius = floor(31.0 * (double)(1 << 26) / (double)(INT64_C(1) << m.shift));
	for (int d = 0; d < 256; d++) {
		int32_t scaled = tn_requantize(-d, m.multiplier, m.shift);

		table[d] = (double)d <= radius ? tn_exp_negative(scaled, bits) : 0;
	}
	return true;
}

static bool bind_softmax_s8(struct tn_binder *b, int32_t rows, int32_t n)
{
	struct tn_softmax_s8_params *p = tn_binder_simple(b, KERNEL_SOFTMAX_S8, 1);
	int32_t *table = tn_binder_array(b, 256, sizeof(*table));
	struct tn_scale in, out;

	if (!p || !table || !tn_binder_scale(b, tn_binder_in(b, 0), &in) ||
		!tn_binder_scale(b, tn_binder_out(b, 0), &out))
		return false;
	if (out.scale != 1.0f / 256 || out.zero_point != -128)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"has only a kernel whose output has scale 1/256 and zero point "
			"-128");
	p->rows = rows;
	p->n = n;
	p->n_table = 256;
	p->exp_table = table;
	return exp_table(b, (double)in.scale,
		(double)(float)tn_op_float(b->op, "beta", 1.0), table);
}

bool tn_bind_softmax(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	struct tn_softmax_f32_params *p;
	int32_t rows, n;

	if (!in || !rows_of(b, &rows, &n))
		return false;
	if (in->dtype == DTYPE_I8 && out->dtype == DTYPE_I8)
		return bind_softmax_s8(b, rows, n);
	if (!tn_binder_types(b, DTYPE_F32, DTYPE_F32))
		return false;
	p = tn_binder_simple(b, KERNEL_SOFTMAX_F32, 1);
	if (!p)
		return false;
	p->rows = rows;
	p->n = n;
	p->beta = (float)tn_op_float(b->op, "beta", 1.0);
	return true;
}
