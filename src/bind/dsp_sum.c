/* Two rescalings, a sum and a third rescaling as one linear function of two bytes. */
#include <math.h>

#include "base/checked.h"
#include "bind/dsp.h"

#define BITS  TN_DSP_ADD_BITS
#define TRIES 24 /* factors on each side of the real ratio */

/* The constants with which a * x.a_factor + b * x.b_factor gives all that is expected: each
 * pair of values bounds them, on one side only when its result is saturated. */
static bool constant_of(const int8_t *expected, struct tn_dsp_sum *x)
{
	int64_t low = INT64_MIN, high = INT64_MAX; /* inclusive */

	for (int32_t a = INT8_MIN; a <= INT8_MAX; a++) {
		for (int32_t b = INT8_MIN; b <= INT8_MAX; b++) {
			int64_t y = *expected++,
				t = (int64_t)a * x->a_factor + (int64_t)b * x->b_factor;

			if (y > INT8_MIN)
				low = tn_max_i64(low, y * (1 << BITS) - t);
			if (y < INT8_MAX)
				high = tn_min_i64(high, (y + 1) * (1 << BITS) - 1 - t);
			if (low > high)
				return false;
		}
	}
	/* any constant in between will do */
	if (low == INT64_MIN)
		low = high == INT64_MAX ? 0 : high;
	if (high == INT64_MAX)
		high = low;
	low += (high - low) / 2;
	if (low < INT32_MIN || low > INT32_MAX)
		return false;
	x->constant = (int32_t)low;
	return true;
}

/* Does every value stay inside 32 bits, the sum of the second product as well? */
static bool fits(const struct tn_dsp_sum *x)
{
	int64_t a = 128 * (int64_t)(x->a_factor < 0 ? -x->a_factor : x->a_factor);
	int64_t b = 128 * (int64_t)(x->b_factor < 0 ? -x->b_factor : x->b_factor);
	int64_t c = x->constant < 0 ? -(int64_t)x->constant : x->constant;

	return a + b + c <= INT32_MAX;
}

/* 0, 1, -1, 2, -2 ... */
static int32_t around(int32_t i)
{
	return i % 2 ? (i + 1) / 2 : -(i / 2);
}

bool tn_dsp_sum_of(
	const int8_t *expected, double a_ratio, double b_ratio, struct tn_dsp_sum *out)
{
	const double one = (double)(1 << BITS);

	if (!(fabs(a_ratio) < 4.0) || !(fabs(b_ratio) < 4.0))
		return false;
	for (int32_t i = 0; i < TRIES; i++) {
		for (int32_t k = 0; k < TRIES; k++) {
			struct tn_dsp_sum x = { (int32_t)lround(a_ratio * one) +
							around(i),
				(int32_t)lround(b_ratio * one) + around(k), 0 };

			if (constant_of(expected, &x) && fits(&x)) {
				*out = x;
				return true;
			}
		}
	}
	return false;
}
