/* Functions of one element. For int8 each is a table of 256 entries, computed here with
 * the fixed-point rule of the op. */
#include <float.h>
#include <math.h>

#include "bind/binder.h"
#include "kernels/ref/fixed_exp.h"
#include "kernels/ref/float_math.h"

/* Fills table[q + 128] for q = -128 .. 127. */
typedef bool table_fn(
	struct tn_binder *b, struct tn_scale in, struct tn_scale out, int8_t *table);

static int8_t saturated(int64_t value)
{
	return (int8_t)(value < INT8_MIN   ? INT8_MIN
			: value > INT8_MAX ? INT8_MAX
					   : value);
}

/* (q - zero point) rescaled to the output, then clamped; the ratio of the scales is
 * `real`. */
static bool rescale_table(struct tn_binder *b, double real, struct tn_scale in,
	struct tn_scale out, struct tn_range range, int8_t *table)
{
	struct tn_multiplier m;

	if (!tn_binder_multiplier(b, real, &m))
		return false;
	for (int q = INT8_MIN; q <= INT8_MAX; q++) {
		int32_t value = tn_requantize(q - in.zero_point, m.multiplier, m.shift);

		value = tn_wrap_add(value, out.zero_point);
		table[q + 128] = (int8_t)tn_clamp_s32(value, range.min, range.max);
	}
	return true;
}

static bool relu_table(
	struct tn_binder *b, struct tn_scale in, struct tn_scale out, int8_t *table)
{
	const struct tn_activation *relu = tn_activation_find("RELU");
	struct tn_range range;

	/* the quotient is rounded to single precision first */
	return tn_activation_range(relu, DTYPE_I8, out.scale, out.zero_point, &range) &&
	       rescale_table(b, (double)(in.scale / out.scale), in, out, range, table);
}

/* Clamps in the input's scale; the output's is ignored. */
static bool relu6_table(
	struct tn_binder *b, struct tn_scale in, struct tn_scale out, int8_t *table)
{
	const struct tn_activation *relu6 = tn_activation_find("RELU6");
	struct tn_range range;

	(void)out;
	if (!tn_activation_range(relu6, DTYPE_I8, in.scale, in.zero_point, &range))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot express 6 in the scale of its input");
	for (int q = INT8_MIN; q <= INT8_MAX; q++)
		table[q + 128] = (int8_t)tn_clamp_s32(q, range.min, range.max);
	return true;
}

/* What logistic and tanh share: the input in Q4, and the magnitude from which on the
 * result is saturated. */
struct q4 {
	struct tn_multiplier m;
	double radius;
};

static bool q4_of(struct tn_binder *b, float scale, struct q4 *out)
{
	if (!tn_binder_multiplier(b, (double)scale * (double)(1 << 27), &out->m))
		return false;
	out->radius = floor(ldexp(15.0, 27 - out->m.shift));
	return true;
}

static bool logistic_table(
	struct tn_binder *b, struct tn_scale in, struct tn_scale out, int8_t *table)
{
	struct q4 q4;

	(void)out;
	if (!q4_of(b, in.scale, &q4))
		return false;
	for (int q = INT8_MIN; q <= INT8_MAX; q++) {
		int32_t x = q - in.zero_point, y;

		if (fabs((double)x) >= q4.radius) {
			table[q + 128] = x <= 0 ? INT8_MIN : INT8_MAX;
			continue;
		}
		y = tn_logistic_q4(tn_requantize(x, q4.m.multiplier, q4.m.shift));
		table[q + 128] = saturated(tn_shr_round(y, 23) + INT8_MIN);
	}
	return true;
}

static bool tanh_table(
	struct tn_binder *b, struct tn_scale in, struct tn_scale out, int8_t *table)
{
	struct q4 q4;

	(void)out;
	if (!q4_of(b, in.scale, &q4))
		return false;
	for (int q = INT8_MIN; q <= INT8_MAX; q++) {
		int32_t x = q - in.zero_point, y;

		if (fabs((double)x) >= q4.radius) {
			table[q + 128] = x <= 0 ? INT8_MIN : INT8_MAX;
			continue;
		}
		y = tn_tanh_q4(tn_requantize(x, q4.m.multiplier, q4.m.shift));
		table[q + 128] = saturated(tn_shr_round(y, 24));
	}
	return true;
}

static bool bind_table(struct tn_binder *b, table_fn *fill)
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

static bool bind_function_f32(struct tn_binder *b, enum tn_kernel_id kernel)
{
	struct tn_unary_params *p = tn_binder_simple(b, kernel, 1);

	if (!p)
		return false;
	p->n = (int32_t)tn_binder_in(b, 0)->elements;
	return true;
}

static bool bind_clamp_f32(struct tn_binder *b)
{
	struct tn_clamp_f32_params *p = tn_binder_simple(b, KERNEL_CLAMP_F32, 1);

	if (!p)
		return false;
	p->n = (int32_t)tn_binder_in(b, 0)->elements;
	p->min = 0.0f;
	p->max = b->op->kind == OP_RELU6 ? 6.0f : -1.0f;
	return true;
}

/* One row for each op: its int8 table, its float kernel. */
static const struct unary {
	enum tn_op_kind op;
	table_fn *table;
	enum tn_kernel_id f32;
} unaries[] = {
	{ OP_RELU, relu_table, KERNEL_CLAMP_F32 },
	{ OP_RELU6, relu6_table, KERNEL_CLAMP_F32 },
	{ OP_LOGISTIC, logistic_table, KERNEL_LOGISTIC_F32 },
	{ OP_TANH, tanh_table, KERNEL_TANH_F32 },
};

bool tn_bind_unary(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	const struct unary *u = NULL;

	for (size_t i = 0; i < sizeof(unaries) / sizeof(*unaries); i++)
		if (unaries[i].op == b->op->kind)
			u = &unaries[i];
	if (!u || !in)
		return false;
	if (in->elements != out->elements)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: input and output differ in size");
	if (in->dtype == DTYPE_F32 && out->dtype == DTYPE_F32)
		return u->f32 == KERNEL_CLAMP_F32 ? bind_clamp_f32(b)
						  : bind_function_f32(b, u->f32);
	if (in->dtype == DTYPE_I8 && out->dtype == DTYPE_I8 && u->table)
		return bind_table(b, u->table);
	return tn_binder_no_types(b);
}

static bool requantize_table(
	struct tn_binder *b, struct tn_scale in, struct tn_scale out, int8_t *table)
{
	const struct tn_range all = { INT8_MIN, INT8_MAX };

	return rescale_table(
		b, (double)in.scale / (double)out.scale, in, out, all, table);
}

bool tn_bind_quantize(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	struct tn_quantize_f32_params *p;
	struct tn_scale scale;

	if (!in || in->elements != out->elements)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: input and output differ in size");
	if (in->dtype == DTYPE_I8 && out->dtype == DTYPE_I8)
		return bind_table(b, requantize_table);
	if (!tn_binder_types(b, DTYPE_F32, DTYPE_I8))
		return false;
	p = tn_binder_simple(b, KERNEL_QUANTIZE_F32_S8, 1);
	if (!p || !tn_binder_scale(b, out, &scale))
		return false;
	p->n = (int32_t)in->elements;
	p->scale = scale.scale;
	p->out_offset = scale.zero_point;
	return true;
}

bool tn_bind_dequantize(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	struct tn_dequantize_params *p;
	struct tn_scale scale;

	if (!in || in->elements != out->elements)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: input and output differ in size");
	if (!tn_binder_types(b, DTYPE_I8, DTYPE_F32))
		return false;
	p = tn_binder_simple(b, KERNEL_DEQUANTIZE_S8, 1);
	if (!p || !tn_binder_scale(b, in, &scale))
		return false;
	p->n = (int32_t)in->elements;
	p->scale = scale.scale;
	p->in_offset = -scale.zero_point;
	return true;
}
