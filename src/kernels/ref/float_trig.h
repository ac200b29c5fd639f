/* sin and cos in single precision. The argument is reduced with integers, exactly enough
 * for every float; see float_math.h for what is promised. */
#ifndef TENURE_KERNELS_FLOAT_TRIG_H
#define TENURE_KERNELS_FLOAT_TRIG_H

#include "float_math.h"

/* 96 bits of 2/pi, starting at binary digit `first` (from 0; negative: zeros before). */
static inline void tn_two_over_pi(int32_t first, uint32_t out[3])
{
	static const uint32_t digits[] = { 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
		0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u };

	for (int32_t k = 0; k < 3; k++) {
		int32_t bit = first + 32 * k;
		int32_t word = bit >> 5, shift = bit & 31; /* rounds down */
		uint64_t two = 0;

		if (word >= 0)
			two = (uint64_t)digits[word] << 32;
		if (word + 1 >= 0)
			two |= digits[word + 1];
		out[k] = (uint32_t)(two << shift >> 32);
	}
}

/* x = quadrant * pi/2 + r (modulo 2 pi), |r| <= pi/4; returns r. x is finite. */
static inline float tn_reduce_angle_f32(float x, uint32_t *quadrant)
{
	uint32_t bits = tn_bits_of_f32(x), window[3], top;
	int32_t exponent = (int32_t)(bits >> 23 & 0xff) - 150; /* of the last digit */
	uint64_t m = (bits & 0x7fffffu) | 0x800000u, low, mid, f;
	int32_t shift = 0;
	float r;

	*quadrant = 0;
	if (tn_abs_f32_value(x) <= 0.785398163f)
		return x;
	/* m * 2^exponent * 2/pi: digits that are worth a multiple of 4 are left out, so
	 * that the product's highest two bits are the quadrant */
	tn_two_over_pi(exponent - 2, window);
	low = m * window[2];
	mid = m * window[1] + (low >> 32);
	f = (m * window[0] << 32) + mid;
	*quadrant = (uint32_t)((f + (UINT64_C(1) << 61)) >> 62) & 3;
	f -= (uint64_t)*quadrant << 62;
	if (f >> 63) {
		f = 0 - f;
		bits ^= 0x80000000u;
	}
	if (tn_bits_of_f32(x) >> 31)
		*quadrant = (0 - *quadrant) & 3;
	if (f == 0)
		return 0.0f;
	while (!(f >> 63)) {
		f <<= 1;
		shift++;
	}
	/* times pi/2 in 31 fractional bits; f has 62 */
	top = (uint32_t)((f >> 32) * 0xc90fdaa2u >> 32);
	r = tn_scale_f32((float)top, -29 - shift);
	return bits >> 31 ? -r : r;
}

static inline float tn_sin_quarter_f32(float r)
{
	float z = r * r;
	float p = (-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f;

	return p * z * r + r;
}

static inline float tn_cos_quarter_f32(float r)
{
	float z = r * r;
	float p = (2.443315711809948e-5f * z - 1.388731625493765e-3f) * z +
		  4.166664568298827e-2f;

	return p * z * z - 0.5f * z + 1.0f;
}

static inline float tn_sin_f32_value(float x)
{
	uint32_t quadrant;
	float r, y;

	if (!(tn_abs_f32_value(x) < TN_F32_INF))
		return TN_F32_NAN;
	r = tn_reduce_angle_f32(x, &quadrant);
	y = quadrant & 1 ? tn_cos_quarter_f32(r) : tn_sin_quarter_f32(r);
	return quadrant & 2 ? -y : y;
}

static inline float tn_cos_f32_value(float x)
{
	uint32_t quadrant;
	float r, y;

	if (!(tn_abs_f32_value(x) < TN_F32_INF))
		return TN_F32_NAN;
	r = tn_reduce_angle_f32(x, &quadrant);
	y = quadrant & 1 ? tn_sin_quarter_f32(r) : tn_cos_quarter_f32(r);
	return (quadrant + 1) & 2 ? -y : y;
}

#endif
