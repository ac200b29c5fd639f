/* Ops on one operand, element by element. */
#include <math.h>
#include <string.h>

#include "bind/binder.h"
#include "bind/tables.h"
#include "kernels/ref/float_math.h"

#include "base/banned.h"

static bool bind_table(struct tn_binder *b, tn_table_fn *fill)
{
	struct tn_lut_params *p = tn_binder_simple(b, KERNEL_LUT_S8, 1);
	int8_t *table = tn_binder_array(b, 256, 1);
	struct tn_scale in, out;

	if (!p || !table || !tn_binder_scale(b, tn_binder_in(b, 0), &in) ||
		!tn_binder_scale(b, tn_binder_out(b, 0), &out))
		return false;
	p->n = (int32_t)tn_binder_in(b, 0)->elements;
	p->n_table = 256;
	p->table = table;
	return fill(b, in, out, table);
}

static bool bind_function(struct tn_binder *b, enum tn_kernel_id kernel)
{
	struct tn_unary_params *p = tn_binder_simple(b, kernel, 1);

	if (p)
		p->n = (int32_t)tn_binder_in(b, 0)->elements;
	return p != NULL;
}

static bool bind_clamp_f32(struct tn_binder *b)
{
	struct tn_clamp_f32_params *p = tn_binder_simple(b, KERNEL_CLAMP_F32, 1);

	if (!p)
		return false;
	p->n = (int32_t)tn_binder_in(b, 0)->elements;
	p->min = b->op->kind == OP_RELU_N1_TO_1 ? -1.0f : 0.0f;
	p->max = b->op->kind == OP_RELU	   ? -1.0f /* below min: none */
		 : b->op->kind == OP_RELU6 ? 6.0f
					   : 1.0f;
	return true;
}

static bool bind_leaky_relu_f32(struct tn_binder *b)
{
	struct tn_leaky_relu_f32_params *p =
		tn_binder_simple(b, KERNEL_LEAKY_RELU_F32, 1);

	if (!p)
		return false;
	p->n = (int32_t)tn_binder_in(b, 0)->elements;
	p->alpha = (float)tn_op_float(b->op, "alpha", 0.0);
	return true;
}

/* Integers of up to 32 bits from scale to scale. */
static bool bind_requantize(struct tn_binder *b, enum tn_kernel_id kernel,
	const struct tn_scale *in, const struct tn_scale *out, double real,
	struct tn_range range)
{
	struct tn_requantize_params *p = tn_binder_simple(b, kernel, 1);
	struct tn_multiplier m;

	if (!p || !tn_binder_multiplier(b, real, &m) ||
		!tn_binder_type(b, tn_binder_in(b, 0), &p->from) ||
		!tn_binder_type(b, tn_binder_out(b, 0), &p->to))
		return false;
	p->n = (int32_t)tn_binder_in(b, 0)->elements;
	p->in_offset = -in->zero_point;
	p->multiplier = m.multiplier;
	p->shift = m.shift;
	p->out_offset = out->zero_point;
	p->out_min = range.min;
	p->out_max = range.max;
	return true;
}

static bool bind_leaky_relu_s16(
	struct tn_binder *b, const struct tn_scale *in, const struct tn_scale *out)
{
	struct tn_leaky_relu_params *p = tn_binder_simple(b, KERNEL_LEAKY_RELU_S16, 1);
	float alpha = (float)tn_op_float(b->op, "alpha", 0.0);
	struct tn_multiplier m, negative;

	if (!p || !tn_binder_multiplier(b, (double)(in->scale / out->scale), &m) ||
		!tn_binder_multiplier(
			b, (double)(in->scale * alpha / out->scale), &negative))
		return false;
	p->n = (int32_t)tn_binder_in(b, 0)->elements;
	p->in_offset = -in->zero_point;
	p->multiplier = m.multiplier;
	p->shift = m.shift;
	p->negative_multiplier = negative.multiplier;
	p->negative_shift = negative.shift;
	p->out_offset = out->zero_point;
	return true;
}

/* Is the scale a power of two, to a thousandth? */
static bool is_power_of_two(float scale, int *exponent)
{
	double log = log2((double)scale);

	*exponent = (int)round(log);
	return fabs(log - round(log)) < 1e-3;
}

/* The curve's unit is 1 / (3 * 4096): a scale that is a power of two takes the factor 3
 * as it is, any other a multiplier of 15 bits. */
static bool bind_curve_s16(struct tn_binder *b, enum tn_kernel_id kernel,
	const struct tn_scale *in, const struct tn_scale *out)
{
	struct tn_curve_s16_params *p = tn_binder_simple(b, kernel, 1);
	int16_t *table = tn_binder_array(b, 256, sizeof(*table));
	int most = kernel == KERNEL_TANH_S16 ? 1 : 0, exponent, unit;
	double multiplier = (double)in->scale * 4096.0 * 3.0;

	if (!p || !table)
		return false;
	if (in->zero_point != 0 || out->zero_point != 0 ||
		!is_power_of_two(out->scale, &unit) || unit != -15)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"has only a kernel for zero points 0 and an output scale of "
			"2^-15");
	if (is_power_of_two(in->scale, &exponent) && exponent + 12 >= 0 &&
		exponent + 12 <= most) {
		p->multiplier = 3 << (exponent + 12);
	} else {
		for (; multiplier <= 32767.0 / 2.0 && p->shift <= 30; p->shift++)
			multiplier *= 2.0;
		if (multiplier > 32767.0)
			return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
				"has no kernel for an input scale of %g",
				(double)in->scale);
		p->multiplier = (int32_t)multiplier;
	}
	tn_curve_points(table);
	p->n = (int32_t)tn_binder_in(b, 0)->elements;
	p->n_table = 256;
	p->table = table;
	return true;
}

static bool bind_clamped_s16(struct tn_binder *b, const char *activation,
	const struct tn_scale *in, const struct tn_scale *out, double real)
{
	const struct tn_activation *act = tn_activation_find(activation);
	struct tn_range range;

	if (!tn_activation_range(act, DTYPE_I16, out->scale, out->zero_point, &range))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot express its bounds in the scale of its output");
	return bind_requantize(b, KERNEL_REQUANTIZE_INT, in, out, real, range);
}

static bool bind_s16(struct tn_binder *b)
{
	const struct tn_range all = { INT16_MIN, INT16_MAX };
	struct tn_scale in, out;

	if (b->op->kind == OP_ABS && tn_binder_in(b, 0)->quant.n == 0)
		return bind_function(b, KERNEL_ABS_S16);
	if (!tn_binder_scale(b, tn_binder_in(b, 0), &in) ||
		!tn_binder_scale(b, tn_binder_out(b, 0), &out))
		return false;
	switch (b->op->kind) {
	case OP_RELU:
		return bind_clamped_s16(
			b, "RELU", &in, &out, (double)(in.scale / out.scale));
	case OP_RELU6: /* in the input's scale, whatever the output's */
		return bind_clamped_s16(b, "RELU6", &in, &in, 1.0);
	case OP_LEAKY_RELU:
		return bind_leaky_relu_s16(b, &in, &out);
	case OP_LOGISTIC:
		return bind_curve_s16(b, KERNEL_LOGISTIC_S16, &in, &out);
	case OP_TANH:
		return bind_curve_s16(b, KERNEL_TANH_S16, &in, &out);
	case OP_ABS:
		return bind_requantize(b, KERNEL_ABS_Q16, &in, &out,
			(double)in.scale / (double)out.scale, all);
	default:
		return tn_binder_no_types(b);
	}
}

/* One row for each op: its float kernel, its int8 table. */
static const struct unary {
	enum tn_op_kind op;
	enum tn_kernel_id f32;
	tn_table_fn *table;
} unaries[] = {
	{ OP_RELU, KERNEL_CLAMP_F32, tn_table_relu },
	{ OP_RELU6, KERNEL_CLAMP_F32, tn_table_relu6 },
	{ OP_RELU_N1_TO_1, KERNEL_CLAMP_F32, tn_table_relu_n1 },
	{ OP_LEAKY_RELU, KERNEL_LEAKY_RELU_F32, tn_table_leaky_relu },
	{ OP_LOGISTIC, KERNEL_LOGISTIC_F32, tn_table_logistic },
	{ OP_TANH, KERNEL_TANH_F32, tn_table_tanh },
	{ OP_HARD_SWISH, KERNEL_HARD_SWISH_F32, tn_table_hard_swish },
	{ OP_ELU, KERNEL_ELU_F32, tn_table_elu },
	{ OP_ABS, KERNEL_ABS_F32, tn_table_abs },
	{ OP_RSQRT, KERNEL_RSQRT_F32, tn_table_rsqrt },
	{ OP_NEG, KERNEL_NEG_F32, NULL },
	{ OP_EXP, KERNEL_EXP_F32, NULL },
	{ OP_LOG, KERNEL_LOG_F32, NULL },
	{ OP_SIN, KERNEL_SIN_F32, NULL },
	{ OP_COS, KERNEL_COS_F32, NULL },
	{ OP_SQRT, KERNEL_SQRT_F32, NULL },
	{ OP_SQUARE, KERNEL_SQUARE_F32, NULL },
	{ OP_FLOOR, KERNEL_FLOOR_F32, NULL },
	{ OP_CEIL, KERNEL_CEIL_F32, NULL },
	{ OP_ROUND, KERNEL_ROUND_F32, NULL },
};

static bool same_size(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0);

	if (in && in->elements == tn_binder_out(b, 0)->elements)
		return true;
	return tn_binder_refuse(
		b, TN_RULE_NO_KERNEL, "cannot run: input and output differ in size");
}

/* Is the attribute 1, or absent? */
static bool is_one(const struct tn_op *op, const char *attr)
{
	return tn_op_float(op, attr, tn_op_attr(op, attr) ? 0.0 : 1.0) == 1.0;
}

bool tn_bind_unary(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0);
	const struct unary *u = unaries;

	while (u->op != b->op->kind)
		u++;
	if (!same_size(b))
		return false;
	if (in->dtype != tn_binder_out(b, 0)->dtype)
		return tn_binder_no_types(b);
	if (b->op->kind == OP_ELU && !is_one(b->op, "alpha"))
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "has only a kernel with alpha 1");
	if (in->dtype == DTYPE_I8 && u->table)
		return bind_table(b, u->table);
	if (in->dtype == DTYPE_I16)
		return bind_s16(b);
	if (in->dtype != DTYPE_F32)
		return tn_binder_no_types(b);
	if (u->f32 == KERNEL_CLAMP_F32)
		return bind_clamp_f32(b);
	return u->f32 == KERNEL_LEAKY_RELU_F32 ? bind_leaky_relu_f32(b)
					       : bind_function(b, u->f32);
}

static bool bind_quantize_f32(struct tn_binder *b)
{
	const struct tn_tensor *out = tn_binder_out(b, 0);
	struct tn_quantize_f32_params *p = tn_binder_simple(b, KERNEL_QUANTIZE_F32, 1);
	struct tn_range range;
	struct tn_scale scale;

	if (out->dtype != DTYPE_I8 && out->dtype != DTYPE_U8 && out->dtype != DTYPE_I16)
		return tn_binder_no_types(b);
	if (!p || !tn_binder_scale(b, out, &scale) || !tn_range_of(out->dtype, &range) ||
		!tn_binder_type(b, out, &p->type))
		return false;
	p->n = (int32_t)out->elements;
	p->scale = scale.scale;
	p->out_offset = scale.zero_point;
	p->out_min = range.min;
	p->out_max = range.max;
	return true;
}

bool tn_bind_quantize(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	struct tn_scale from, to;
	struct tn_range range;

	if (!same_size(b))
		return false;
	if (in->dtype == DTYPE_F32)
		return bind_quantize_f32(b);
	if (in->dtype == DTYPE_I8 && out->dtype == DTYPE_I8)
		return bind_table(b, tn_table_requantize);
	if (!tn_range_of(in->dtype, &range) || !tn_range_of(out->dtype, &range) ||
		in->dtype == DTYPE_I4 || out->dtype == DTYPE_I4)
		return tn_binder_no_types(b);
	return tn_binder_scale(b, in, &from) && tn_binder_scale(b, out, &to) &&
	       bind_requantize(b, KERNEL_REQUANTIZE_INT, &from, &to,
		       (double)from.scale / (double)to.scale, range);
}

bool tn_bind_dequantize(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	struct tn_dequantize_params *p;
	struct tn_scale scale;

	if (!same_size(b))
		return false;
	if (out->dtype != DTYPE_F32 || (in->dtype != DTYPE_I8 && in->dtype != DTYPE_U8 &&
					       in->dtype != DTYPE_I16))
		return tn_binder_no_types(b);
	p = tn_binder_simple(b, KERNEL_DEQUANTIZE, 1);
	if (!p || !tn_binder_scale(b, in, &scale) || !tn_binder_type(b, in, &p->type))
		return false;
	p->n = (int32_t)in->elements;
	p->scale = scale.scale;
	p->in_offset = -scale.zero_point;
	return true;
}

/* A bound of CLIP: a constant operand, or an attribute; `otherwise` when there is none. */
static bool clip_bound(
	struct tn_binder *b, uint32_t k, const char *attr, float otherwise, float *out)
{
	const struct tn_tensor *t = tn_binder_in(b, k);

	*out = (float)tn_op_float(b->op, attr, (double)otherwise);
	if (!t)
		return true;
	if (!tn_tensor_is_constant(t) || t->data_kind != DATA_BYTES ||
		t->dtype != DTYPE_F32 || t->elements != 1)
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "needs bounds that are constants");
	memcpy(out, t->data, sizeof(*out));
	return true;
}

bool tn_bind_clip(struct tn_binder *b)
{
	struct tn_clamp_f32_params *p;
	float min, max;

	if (!same_size(b) || !tn_binder_types(b, DTYPE_F32, DTYPE_F32))
		return false;
	if (b->op->n_inputs == 1 && !tn_op_attr(b->op, "min") &&
		!tn_op_attr(b->op, "max"))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL, "has no bounds");
	if (!clip_bound(b, 1, "min", -INFINITY, &min) ||
		!clip_bound(b, 2, "max", INFINITY, &max))
		return false;
	if (!(min <= max))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: its bounds exclude all values");
	p = tn_binder_simple(b, KERNEL_CLAMP_F32, 1);
	if (!p)
		return false;
	p->n = (int32_t)tn_binder_in(b, 0)->elements;
	p->min = min;
	p->max = max;
	return true;
}

static bool is_byte(const struct tn_tensor *t)
{
	return t->dtype == DTYPE_I8 || t->dtype == DTYPE_U8;
}

/* The attribute has the result for each value, the least first; the kernel takes bytes as
 * signed. */
bool tn_bind_table(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	const struct tn_attr *values = tn_op_attr(b->op, "table");
	struct tn_lut_params *p;
	struct tn_range range;
	int8_t *table;

	if (!same_size(b))
		return false;
	if (!is_byte(in) || !is_byte(out) || !tn_range_of(out->dtype, &range))
		return tn_binder_no_types(b);
	if (!values || values->kind != ATTR_INTS || values->n != 256)
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "needs a table of 256 values");
	p = tn_binder_simple(b, KERNEL_LUT_S8, 1);
	table = tn_binder_array(b, 256, 1);
	if (!p || !table)
		return false;
	for (int i = 0; i < 256; i++) {
		const int64_t value = values->v.ints[i];

		if (value < range.min || value > range.max)
			return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
				"cannot run: its table has a value that its output does "
				"not hold");
		/* byte 0 is the least value of u8, and entry 128 of the kernel's */
		table[in->dtype == DTYPE_U8 ? (i + 128) & 255 : i] =
			(int8_t)(uint8_t)(uint64_t)value;
	}
	p->n = (int32_t)in->elements;
	p->n_table = 256;
	p->table = table;
	return true;
}

/* Bounds are moved so that 0 lies on a step, all in single precision. */
bool tn_bind_fake_quant(struct tn_binder *b)
{
	const float min = (float)tn_op_float(b->op, "min", 0.0);
	const float max = (float)tn_op_float(b->op, "max", 0.0);
	const int64_t bits = tn_op_int(b->op, "num_bits", 8);
	struct tn_fake_quant_f32_params *p;
	float first, last, zero;

	if (!same_size(b) || !tn_binder_types(b, DTYPE_F32, DTYPE_F32))
		return false;
	if (bits < 2 || bits > 16 || !(min <= 0.0f) || !(max >= 0.0f) || !(min < max) ||
		isinf(min) || isinf(max) || isinf(max - min))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: needs 2 to 16 bits and bounds around 0");
	p = tn_binder_simple(b, KERNEL_FAKE_QUANT_F32, 1);
	if (!p)
		return false;
	first = tn_op_int(b->op, "narrow_range", 0) ? 1.0f : 0.0f;
	last = (float)((1 << bits) - 1);
	p->n = (int32_t)tn_binder_in(b, 0)->elements;
	p->scale = (max - min) / (last - first);
	p->per_scale = 1.0f / p->scale;
	zero = tn_round_f32_value(first - min / p->scale);
	p->min = (first - zero) * p->scale;
	p->max = (last - zero) * p->scale;
	return true;
}

bool tn_bind_cast(struct tn_binder *b)
{
	struct tn_cast_params *p;

	if (!same_size(b))
		return false;
	p = tn_binder_simple(b, KERNEL_CAST, 1);
	if (!p || !tn_binder_type(b, tn_binder_in(b, 0), &p->from) ||
		!tn_binder_type(b, tn_binder_out(b, 0), &p->to))
		return false;
	p->n = (int32_t)tn_binder_in(b, 0)->elements;
	return true;
}
