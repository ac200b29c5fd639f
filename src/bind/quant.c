#include "bind/quant.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/ref/float_math.h"

bool tn_multiplier_of(double real, struct tn_multiplier *out)
{
	int shift = 0;
	double fraction;
	int64_t fixed;

	out->multiplier = 0;
	out->shift = 0;
	if (!isfinite(real))
		return false;
	if (real == 0.0)
		return true;
	fraction = frexp(real, &shift);
	fixed = (int64_t)round(fraction * (double)(INT64_C(1) << 31));
	if (fixed == INT64_C(1) << 31) {
		fixed /= 2;
		shift++;
	}
	if (shift > 30)
		return false;
	if (shift < -31)
		return true;
	out->multiplier = (int32_t)fixed;
	out->shift = shift;
	return true;
}

bool tn_range_of(enum tn_dtype dtype, struct tn_range *out)
{
	switch (dtype) {
	case DTYPE_I8:
		*out = (struct tn_range){ INT8_MIN, INT8_MAX };
		return true;
	case DTYPE_U8:
		*out = (struct tn_range){ 0, UINT8_MAX };
		return true;
	case DTYPE_I16:
		*out = (struct tn_range){ INT16_MIN, INT16_MAX };
		return true;
	case DTYPE_I32:
		*out = (struct tn_range){ INT32_MIN, INT32_MAX };
		return true;
	case DTYPE_I4:
		*out = (struct tn_range){ -8, 7 };
		return true;
	default:
		return false;
	}
}

const struct tn_activation *tn_activation_find(const char *name)
{
	static const struct tn_activation known[] = {
		{ "NONE", false, false, 0.0f, 0.0f },
		{ "RELU", true, false, 0.0f, 0.0f },
		{ "RELU6", true, true, 0.0f, 6.0f },
		{ "RELU_N1_TO_1", true, true, -1.0f, 1.0f },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(known[i].name, name) == 0)
			return &known[i];
	return NULL;
}

/* Single precision: the quotient's rounding is part of the result. */
static bool quantize(float value, float scale, int32_t zero_point, int32_t *out)
{
	float q = tn_round_f32_value(value / scale);
	int64_t sum;

	if (!(q >= -2147483648.0f && q < 2147483648.0f))
		return false;
	sum = (int64_t)q + zero_point;
	if (sum < INT32_MIN || sum > INT32_MAX)
		return false;
	*out = (int32_t)sum;
	return true;
}

bool tn_activation_range(const struct tn_activation *act, enum tn_dtype dtype,
	float scale, int32_t zero_point, struct tn_range *out)
{
	int32_t bound;

	if (!tn_range_of(dtype, out))
		return false;
	if (act->has_min) {
		if (!quantize(act->min, scale, zero_point, &bound))
			return false;
		if (bound > out->min)
			out->min = bound;
	}
	if (act->has_max) {
		if (!quantize(act->max, scale, zero_point, &bound))
			return false;
		if (bound < out->max)
			out->max = bound;
	}
	return true;
}

void tn_activation_range_f32(
	const struct tn_activation *act, float *out_min, float *out_max)
{
	*out_min = act->has_min ? act->min : -FLT_MAX;
	*out_max = act->has_max ? act->max : FLT_MAX;
}
