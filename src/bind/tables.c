#include "bind/tables.h"

#include <math.h>

#include "kernels/ref/fixed_log.h"
#include "kernels/ref/float_math.h"

static int8_t saturated(int64_t value)
{
	return (int8_t)(value < INT8_MIN   ? INT8_MIN
			: value > INT8_MAX ? INT8_MAX
					   : value);
}

/* (q - zero point) rescaled to the output, then clamped; the ratio of the scales is
 * `real`. */
static bool rescale(struct tn_binder *b, double real, struct tn_scale in,
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

bool tn_table_requantize(
	struct tn_binder *b, struct tn_scale in, struct tn_scale out, int8_t *table)
{
	const struct tn_range all = { INT8_MIN, INT8_MAX };

	return rescale(b, (double)in.scale / (double)out.scale, in, out, all, table);
}

static bool relu(struct tn_binder *b, const char *name, struct tn_scale in,
	struct tn_scale out, int8_t *table)
{
	const struct tn_activation *act = tn_activation_find(name);
	struct tn_range range;

	if (!tn_activation_range(act, DTYPE_I8, out.scale, out.zero_point, &range))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot express its bounds in the scale of its output");
	/* the quotient is rounded to single precision first */
	return rescale(b, (double)(in.scale / out.scale), in, out, range, table);
}

bool tn_table_relu(
	struct tn_binder *b, struct tn_scale in, struct tn_scale out, int8_t *table)
{
	return relu(b, "RELU", in, out, table);
}

bool tn_table_relu_n1(
	struct tn_binder *b, struct tn_scale in, struct tn_scale out, int8_t *table)
{
	return relu(b, "RELU_N1_TO_1", in, out, table);
}

/* Clamps in the input's scale; the output's is ignored. */
bool tn_table_relu6(
	struct tn_binder *b, struct tn_scale in, struct tn_scale out, int8_t *table)
{
	const struct tn_activation *act = tn_activation_find("RELU6");
	struct tn_range range;

	(void)out;
	if (!tn_activation_range(act, DTYPE_I8, in.scale, in.zero_point, &range))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot express 6 in the scale of its input");
	for (int q = INT8_MIN; q <= INT8_MAX; q++)
		table[q + 128] = (int8_t)tn_clamp_s32(q, range.min, range.max);
	return true;
}

bool tn_table_leaky_relu(
	struct tn_binder *b, struct tn_scale in, struct tn_scale out, int8_t *table)
{
	float alpha = (float)tn_op_float(b->op, "alpha", 0.0);
	struct tn_multiplier m, negative;

	if (!tn_binder_multiplier(b, (double)(in.scale / out.scale), &m) ||
		!tn_binder_multiplier(
			b, (double)(in.scale * alpha / out.scale), &negative))
		return false;
	for (int q = INT8_MIN; q <= INT8_MAX; q++) {
		int32_t x = q - in.zero_point;
		struct tn_multiplier by = x >= 0 ? m : negative;

		table[q + 128] =
			saturated((int64_t)tn_requantize(x, by.multiplier, by.shift) +
				  out.zero_point);
	}
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

bool tn_table_logistic(
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

bool tn_table_tanh(
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

/* 16-bit fixed point: multiplier * 2^(shift - 15). */
struct multiplier16 {
	int32_t multiplier, shift;
};

static bool multiplier16_of(struct tn_binder *b, double real, struct multiplier16 *out)
{
	struct tn_multiplier m;

	if (!tn_binder_multiplier(b, real, &m))
		return false;
	out->multiplier = m.multiplier >= INT32_MAX - (1 << 15)
				  ? INT16_MAX
				  : (m.multiplier + (1 << 15)) >> 16;
	out->shift = m.shift;
	return true;
}

static int32_t saturated16(int64_t value)
{
	return value < INT16_MIN   ? INT16_MIN
	       : value > INT16_MAX ? INT16_MAX
				   : (int32_t)value;
}

/* High half of 2ab of 16-bit numbers, to nearest, ties up. */
static int32_t mulh16(int32_t a, int32_t b)
{
	return a == INT16_MIN && b == INT16_MIN ? INT16_MAX : (a * b + (1 << 14)) >> 15;
}

/* x scaled so that 3.0 is 32768, saturated: the argument of the gate. */
static int32_t gate_argument(int32_t x, struct multiplier16 m)
{
	int32_t y = x;

	if (m.shift > 0)
		y = saturated16((int64_t)y * (INT64_C(1) << (m.shift - 1)));
	y = mulh16(y, m.multiplier);
	if (m.shift > 0)
		y = saturated16((int64_t)y * 2);
	return m.shift < 0 ? tn_shr_round(y, -m.shift) : y;
}

bool tn_table_hard_swish(
	struct tn_binder *b, struct tn_scale in, struct tn_scale out, int8_t *table)
{
	float fine = (1.0f / 128.0f) * in.scale;
	struct multiplier16 m, gate;

	if (!multiplier16_of(b, (double)(fine / out.scale), &m) ||
		!multiplier16_of(b, (double)(fine / (3.0f / 32768.0f)), &gate))
		return false;
	if (m.shift > 0)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"has no kernel for an output scale this far below the input's");
	for (int q = INT8_MIN; q <= INT8_MAX; q++) {
		int32_t x = (int16_t)((q - in.zero_point) * 128);
		int32_t scaled = mulh16(x, m.multiplier);
		int32_t opening = (gate_argument(x, gate) + (1 << 15)) >> 1;
		/* towards zero, unlike the products above */
		int32_t y = opening * scaled / (1 << 15);

		y = (int16_t)(tn_shr_round(y, -m.shift) + out.zero_point);
		table[q + 128] = saturated(y);
	}
	return true;
}

/* A float function between the two scales. */
static void float_table(
	tn_curve_fn *fn, struct tn_scale in, struct tn_scale out, int8_t *table)
{
	float inverse = 1.0f / out.scale;

	for (int q = INT8_MIN; q <= INT8_MAX; q++) {
		float x = in.scale * (float)(q - in.zero_point);
		float y = tn_round_f32_value(fn(x) * inverse);

		table[q + 128] = saturated(tn_s32_of_f32(y + (float)out.zero_point));
	}
}

static float elu(float x)
{
	return x < 0.0f ? tn_exp_f32_value(x) - 1.0f : x;
}

bool tn_table_elu(
	struct tn_binder *b, struct tn_scale in, struct tn_scale out, int8_t *table)
{
	(void)b;
	float_table(elu, in, out, table);
	return true;
}

bool tn_table_abs(
	struct tn_binder *b, struct tn_scale in, struct tn_scale out, int8_t *table)
{
	struct tn_multiplier m;

	if (!tn_binder_multiplier(b, (double)in.scale / (double)out.scale, &m))
		return false;
	for (int q = INT8_MIN; q <= INT8_MAX; q++) {
		int32_t x = q < in.zero_point ? in.zero_point - q : q - in.zero_point;

		table[q + 128] =
			saturated((int64_t)tn_requantize(x, m.multiplier, m.shift) +
				  out.zero_point);
	}
	return true;
}

/* Zero has the greatest value; so have negative numbers, which have no root. */
bool tn_table_rsqrt(
	struct tn_binder *b, struct tn_scale in, struct tn_scale out, int8_t *table)
{
	const int32_t extra = 20; /* bits that keep the root an integer */
	struct tn_multiplier m;

	if (!tn_binder_multiplier(
		    b, 1.0 / (sqrt((double)in.scale) * (double)out.scale), &m))
		return false;
	if (m.shift - extra < -31)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"needs a ratio of scales that fixed point does not reach");
	for (int q = INT8_MIN; q <= INT8_MAX; q++) {
		int32_t x = q - in.zero_point, root, shift, y;

		table[q + 128] = INT8_MAX;
		if (x <= 0)
			continue;
		tn_inverse_sqrt(x, &root, &shift);
		y = tn_requantize(1, root, shift + extra);
		y = tn_requantize(y, m.multiplier, m.shift - extra);
		table[q + 128] = saturated((int64_t)y + out.zero_point);
	}
	return true;
}

static double logistic_point(double i)
{
	return 65536.0 / (1.0 + exp(-i / 24.0));
}

/* Each point lies half of the chord's error at its middle above the curve. */
void tn_curve_points(int16_t *table)
{
	for (int i = 0; i < 255; i++) {
		double at = logistic_point(i);
		double chord = (at + logistic_point(i + 1)) / 2.0;
		double point = at - (chord - logistic_point(i + 0.5)) / 2.0;

		table[i] = (int16_t)(uint16_t)floor(point + 0.5);
	}
	table[255] = (int16_t)UINT16_MAX;
}

/* Single precision throughout, as the interpreters compute it when they start. */
void tn_curve_samples(tn_curve_fn *fn, float from, float to, int16_t *table)
{
	const float out_scale = 2.0f / 65535.0f;
	float out_min = out_scale * (float)INT16_MIN,
	      out_max = out_scale * (float)INT16_MAX;
	float inverse = 65536.0f / (out_max - out_min);
	float step = (to - from) / 512.0f, half = step / 2.0f;

	for (int i = 0; i < 512; i++) {
		float here = fn(from + (float)i * step) * inverse;
		float middle = fn(from + (float)i * step + half) * inverse;
		float next = fn(from + (float)(i + 1) * step) * inverse;
		float sample = tn_round_f32_value(here);
		float chord = tn_round_f32_value((next + sample) / 2.0f);
		float error = chord - tn_round_f32_value(middle);

		sample -= tn_round_f32_value(error / 2.0f);
		table[i] = (int16_t)tn_clamp_f32_value(sample, -32768.0f, 32767.0f);
	}
	table[512] = (int16_t)tn_clamp_f32_value(
		tn_round_f32_value(fn(to) * inverse), -32768.0f, 32767.0f);
}
