/* Functions of a float, in single precision and without a C library: the same bits on
 * every machine whose float arithmetic is IEEE 754 and that is compiled without fused
 * multiply-add. Within 2 units in the last place; sqrt, floor, ceil and the roundings are
 * exact. The polynomials are the classic minimax ones of the Cephes library. */
#ifndef TENURE_KERNELS_FLOAT_MATH_H
#define TENURE_KERNELS_FLOAT_MATH_H

#include <stdint.h>

union tn_float_bits {
	float f;
	uint32_t u;
};

static inline uint32_t tn_bits_of_f32(float x)
{
	union tn_float_bits b = { x };

	return b.u;
}

static inline float tn_f32_of_bits(uint32_t u)
{
	union tn_float_bits b;

	b.u = u;
	return b.f;
}

static inline float tn_abs_f32_value(float x)
{
	return tn_f32_of_bits(tn_bits_of_f32(x) & 0x7fffffffu);
}

static inline float tn_sign_of_f32(float magnitude, float sign)
{
	return tn_f32_of_bits((tn_bits_of_f32(magnitude) & 0x7fffffffu) |
			      (tn_bits_of_f32(sign) & 0x80000000u));
}

#define TN_F32_INF tn_f32_of_bits(0x7f800000u)
#define TN_F32_NAN tn_f32_of_bits(0x7fc00000u)

/* Of two NaNs a processor passes on one, which one depends on the order of the operands,
 * which the compiler may change: here every NaN is the same. */
static inline float tn_one_nan(float x)
{
	return x == x ? x : TN_F32_NAN;
}

/* NaN passes through. */
static inline float tn_clamp_f32_value(float x, float min, float max)
{
	return x < min ? min : x > max ? max : x;
}

/* Rounds towards zero and saturates; NaN gives 0. */
static inline int32_t tn_s32_of_f32(float x)
{
	if (x >= 2147483648.0f)
		return INT32_MAX;
	if (x <= -2147483648.0f)
		return INT32_MIN;
	return x != x ? 0 : (int32_t)x;
}

/* Towards zero; the sign of a zero is kept, as below. */
static inline float tn_trunc_f32_value(float x)
{
	if (!(tn_abs_f32_value(x) < 8388608.0f))
		return x;
	return tn_sign_of_f32((float)(int32_t)x, x);
}

static inline float tn_floor_f32_value(float x)
{
	float t = tn_trunc_f32_value(x);

	return t > x ? t - 1.0f : t;
}

static inline float tn_ceil_f32_value(float x)
{
	float t = tn_trunc_f32_value(x);

	return t < x ? tn_sign_of_f32(t + 1.0f, x) : t;
}

/* Half away from zero. */
static inline float tn_round_f32_value(float x)
{
	float t = tn_trunc_f32_value(x);

	if (tn_abs_f32_value(x - t) >= 0.5f)
		t += x < 0.0f ? -1.0f : 1.0f;
	return t;
}

static inline float tn_sqrt_f32_value(float x)
{
	uint32_t bits = tn_bits_of_f32(x);
	int32_t exponent = (int32_t)(bits >> 23);
	uint32_t mantissa = bits & 0x7fffffu, root = 0;
	uint64_t rest, trial;

	if ((bits & 0x7fffffffu) == 0 || bits == 0x7f800000u || x != x)
		return x;
	if (bits >> 31)
		return TN_F32_NAN;
	if (exponent == 0)
		for (exponent = 1; !(mantissa & 0x800000u); exponent--)
			mantissa <<= 1;
	mantissa |= 0x800000u;
	exponent -= 127;
	if (exponent & 1) {
		mantissa <<= 1;
		exponent--;
	}
	/* 25 digits of the root of a number in [1, 4): one more than the result keeps */
	rest = (uint64_t)mantissa << 25;
	for (uint32_t digit = 1u << 24; digit; digit >>= 1) {
		trial = (uint64_t)(root + digit) * (root + digit);
		if (trial <= rest)
			root += digit;
	}
	root = (root + 1) >> 1; /* never a tie: such a root would have no 24-bit square */
	return tn_f32_of_bits((uint32_t)(exponent / 2 + 126) * 0x800000u + root);
}

/* 2^n * x, -252 <= n <= 254: two factors, so that only the last rounds. */
static inline float tn_scale_f32(float x, int32_t n)
{
	int32_t half = n / 2, other = n - half;

	x *= tn_f32_of_bits((uint32_t)(half + 127) << 23);
	return x * tn_f32_of_bits((uint32_t)(other + 127) << 23);
}

/* exp(r) - 1 where x = *n * ln 2 + r, |r| <= ln 2 / 2. */
static inline float tn_exp_reduced_f32(float x, int32_t *n)
{
	float k = x * 1.44269504f, r, p;

	*n = (int32_t)(k + (k < 0.0f ? -0.5f : 0.5f));
	k = (float)*n;
	r = x - k * 0.693359375f;
	r -= k * -2.12194440e-4f;
	p = 1.9875691500e-4f;
	p = p * r + 1.3981999507e-3f;
	p = p * r + 8.3334519073e-3f;
	p = p * r + 4.1665795894e-2f;
	p = p * r + 1.6666665459e-1f;
	p = p * r + 5.0000001201e-1f;
	return p * r * r + r;
}

static inline float tn_exp_f32_value(float x)
{
	int32_t n;
	float e;

	if (x != x)
		return x;
	if (x > 88.72283f)
		return TN_F32_INF;
	if (x < -103.98f)
		return 0.0f;
	e = tn_exp_reduced_f32(x, &n);
	return tn_scale_f32(e + 1.0f, n);
}

/* exp(x) - 1 */
static inline float tn_expm1_f32_value(float x)
{
	int32_t n;
	float e, power;

	if (x != x)
		return x;
	if (x > 88.72283f)
		return TN_F32_INF;
	if (x < -18.0f)
		return -1.0f;
	if (x == 0.0f)
		return x;
	e = tn_exp_reduced_f32(x, &n);
	if (n == 0)
		return e;
	if (n > 24)
		return tn_scale_f32(e + 1.0f, n);
	power = tn_scale_f32(1.0f, n);
	return e * power + (power - 1.0f);
}

static inline float tn_log_f32_value(float x)
{
	uint32_t bits;
	int32_t exponent = -126;
	float m, z, y, e;

	if (x != x || x == TN_F32_INF)
		return x;
	if (x == 0.0f)
		return -TN_F32_INF;
	if (x < 0.0f)
		return TN_F32_NAN;
	if (tn_bits_of_f32(x) < 0x800000u) {
		x *= 33554432.0f; /* 2^25: makes a subnormal normal */
		exponent -= 25;
	}
	bits = tn_bits_of_f32(x);
	exponent += (int32_t)(bits >> 23);
	m = tn_f32_of_bits((bits & 0x7fffffu) | 0x3f000000u); /* [0.5, 1) */
	if (m < 0.70710678f) {
		m += m;
		exponent--;
	}
	m -= 1.0f;
	e = (float)exponent;
	z = m * m;
	y = 7.0376836292e-2f;
	y = y * m - 1.1514610310e-1f;
	y = y * m + 1.1676998740e-1f;
	y = y * m - 1.2420140846e-1f;
	y = y * m + 1.4249322787e-1f;
	y = y * m - 1.6668057665e-1f;
	y = y * m + 2.0000714765e-1f;
	y = y * m - 2.4999993993e-1f;
	y = y * m + 3.3333331174e-1f;
	y = y * m * z;
	y += e * -2.12194440e-4f;
	y -= 0.5f * z;
	return (m + y) + e * 0.693359375f;
}

static inline float tn_tanh_f32_value(float x)
{
	float a = tn_abs_f32_value(x), z, p;

	if (x != x)
		return x;
	if (a > 9.1f)
		return x < 0.0f ? -1.0f : 1.0f;
	if (a >= 0.625f) {
		z = 1.0f - 2.0f / (tn_exp_f32_value(a + a) + 1.0f);
		return x < 0.0f ? -z : z;
	}
	z = x * x;
	p = -5.70498872745e-3f;
	p = p * z + 2.06390887954e-2f;
	p = p * z - 5.37397155531e-2f;
	p = p * z + 1.33314422036e-1f;
	p = p * z - 3.33332819422e-1f;
	return p * z * x + x;
}

static inline float tn_logistic_f32_value(float x)
{
	if (x > 16.619047164916992188f)
		return 1.0f;
	if (x < -9.0f)
		return tn_exp_f32_value(x);
	return 1.0f / (1.0f + tn_exp_f32_value(-x));
}

#endif
