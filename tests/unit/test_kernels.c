/* The arithmetic of the kernels, their variants against each other, and their tables. */
#include "suite.h"

#include <math.h>
#include <string.h>

#include "bind/kernels.h"
#include "bind/quant.h"
#include "ir/build.h"
#include "kernels/ref/fixed_exp.h"
#include "kernels/ref/float_math.h"
#include "kernels/ref/float_trig.h"

static const struct {
	const char *name;
	int32_t x, multiplier, shift, want;
} requantize[] = {
	{ "half of -1 goes up", -1, 1 << 30, 0, 0 },
	{ "half of 1 goes up", 1, 1 << 30, 0, 1 },
	{ "half of -25 goes up", -25, 1 << 30, 0, -12 },
	{ "half of -3 goes up", -3, 1 << 30, 0, -1 },
	{ "quarter of -50: down after the shift", -50, 1 << 30, -1, -13 },
	{ "quarter of 30: up after the shift", 30, 1 << 30, -1, 8 },
	{ "quarter of -30", -30, 1 << 30, -1, -8 },
	{ "quarter of 1 rounds up twice", 1, 1 << 30, -1, 1 },
	{ "one", 77, 1 << 30, 1, 77 },
	{ "one, least", INT32_MIN, INT32_MAX, 0, -2147483647 },
	{ "one, greatest", INT32_MAX, INT32_MAX, 0, 2147483646 },
	{ "shift -31, greatest", INT32_MAX, INT32_MAX, -31, 1 },
	{ "shift -31, below half", 1 << 29, INT32_MAX, -31, 0 },
	{ "shift -31, least", INT32_MIN, INT32_MAX, -31, -1 },
	{ "shift 20", 3, 1 << 30, 20, 3 << 19 },
	{ "shift wraps", 256, 1 << 30, 24, 0 },
	{ "multiplier 0", 12345, 0, 0, 0 },
};

START_TEST(requantize_rounds_twice)
{
	int32_t got = tn_requantize(
		requantize[_i].x, requantize[_i].multiplier, requantize[_i].shift);

	ck_assert_msg(got == requantize[_i].want, "%s: %d instead of %d",
		requantize[_i].name, got, requantize[_i].want);
}
END_TEST

static const struct {
	const char *name;
	int64_t x;
	int32_t multiplier, shift, want;
} wide[] = {
	{ "half of 1", 1, 1 << 30, 0, 1 },
	{ "half of -1", -1, 1 << 30, 0, 0 },
	{ "half of -3", -3, 1 << 30, 0, -1 },
	{ "multiplier saturates", INT64_C(1) << 20, 0x7fff8000, 0, 1048544 },
	{ "multiplier rounds to 16 bits", INT64_C(1) << 30, (1 << 30) + (1 << 15), 0,
		536903680 },
	{ "beyond 32 bits", INT64_C(1) << 40, 1 << 30, -31, 256 },
};

START_TEST(wide_requantize_rounds_once)
{
	int32_t got = tn_requantize_wide(wide[_i].x, wide[_i].multiplier, wide[_i].shift);

	ck_assert_msg(got == wide[_i].want, "%s: %d instead of %d", wide[_i].name, got,
		wide[_i].want);
}
END_TEST

START_TEST(product_saturates)
{
	ck_assert_int_eq(tn_mulh(INT32_MIN, INT32_MIN), INT32_MAX);
	ck_assert_int_eq(tn_mulh(INT32_MIN, INT32_MAX), -INT32_MAX);
	ck_assert_int_eq(tn_shr_round(5, 0), 5);
	ck_assert_int_eq(tn_shr_round(-5, 1), -3);
	ck_assert_int_eq(tn_shr_round(5, 1), 3);
	ck_assert_int_eq(tn_shr_round(INT32_MIN, 31), -1);
}
END_TEST

static const struct {
	double real;
	bool ok;
	int32_t multiplier, shift;
} multipliers[] = {
	{ 0.0, true, 0, 0 },
	{ 1.0, true, 1 << 30, 1 },
	{ 0.5, true, 1 << 30, 0 },
	{ 0.25, true, 1 << 30, -1 },
	{ 0.99999999999, true, 1 << 30, 1 }, /* rounds up to a power of two */
	{ 4.656612873077393e-10, true, 1 << 30, -30 }, /* 2^-31 */
	{ 1.1641532182693481e-10, true, 0, 0 }, /* 2^-33 is flushed */
	{ 536870912.0, true, 1 << 30, 30 },
	{ 1073741824.0, false, 0, 0 },
	{ INFINITY, false, 0, 0 },
	{ NAN, false, 0, 0 },
};

START_TEST(multiplier_of_real)
{
	struct tn_multiplier got;
	bool ok = tn_multiplier_of(multipliers[_i].real, &got);

	ck_assert_msg(ok == multipliers[_i].ok &&
			      (!ok || (got.multiplier == multipliers[_i].multiplier &&
					      got.shift == multipliers[_i].shift)),
		"%g: %d, shift %d", multipliers[_i].real, got.multiplier, got.shift);
}
END_TEST

static const struct {
	const char *activation;
	float scale;
	int32_t zero_point, min, max;
} ranges[] = {
	{ "NONE", 0.1f, 0, -128, 127 }, { "RELU", 0.1f, -128, -128, 127 },
	{ "RELU", 0.1f, 127, 127, 127 }, { "RELU6", 0.1f, -10, -10, 50 },
	{ "RELU6", 0.02f, 0, 0, 127 }, { "RELU_N1_TO_1", 0.25f, 3, -1, 7 },
	{ "RELU_N1_TO_1", 2.0f, 0, -1, 1 }, /* half rounds away from zero */
};

START_TEST(activation_range)
{
	const struct tn_activation *act = tn_activation_find(ranges[_i].activation);
	struct tn_range got;

	ck_assert(act);
	ck_assert(tn_activation_range(
		act, DTYPE_I8, ranges[_i].scale, ranges[_i].zero_point, &got));
	ck_assert_msg(got.min == ranges[_i].min && got.max == ranges[_i].max,
		"%s: %d to %d", ranges[_i].activation, got.min, got.max);
}
END_TEST

START_TEST(fixed_functions)
{
	/* Q4 in, Q0 out: within 2^-22 of the real function */
	for (int64_t raw = INT32_MIN; raw <= INT32_MAX; raw += 99991) {
		double x = (double)raw / (double)(1 << 27);
		double logistic = tn_logistic_q4((int32_t)raw) / 2147483648.0;
		double tanh_x = tn_tanh_q4((int32_t)raw) / 2147483648.0;

		ck_assert_msg(fabs(logistic - 1.0 / (1.0 + exp(-x))) < 2.4e-7,
			"logistic(%g) = %.9g", x, logistic);
		ck_assert_msg(
			fabs(tanh_x - tanh(x)) < 2.4e-7, "tanh(%g) = %.9g", x, tanh_x);
	}
	ck_assert_int_eq(tn_logistic_q4(0), 1 << 30);
	ck_assert_int_eq(tn_tanh_q4(0), 0);
}
END_TEST

typedef float f32_fn(float x);
typedef double f64_fn(double x);

static double logistic_f64(double x)
{
	return 1.0 / (1.0 + exp(-x));
}

static const struct {
	const char *name;
	f32_fn *ours;
	f64_fn *theirs;
	float from, to;
	double ulps;
} functions[] = {
	{ "exp", tn_exp_f32_value, exp, -104.0f, 88.7f, 2.0 },
	{ "exp near 0", tn_exp_f32_value, exp, -0.01f, 0.01f, 2.0 },
	{ "expm1", tn_expm1_f32_value, expm1, -20.0f, 88.0f, 2.0 },
	{ "expm1 near 0", tn_expm1_f32_value, expm1, -0.4f, 0.4f, 2.0 },
	{ "log", tn_log_f32_value, log, 1e-40f, 1e-38f, 2.0 },
	{ "log near 1", tn_log_f32_value, log, 0.5f, 2.0f, 2.0 },
	{ "log of large", tn_log_f32_value, log, 2.0f, 3e38f, 2.0 },
	{ "tanh", tn_tanh_f32_value, tanh, -10.0f, 10.0f, 2.0 },
	{ "tanh near 0", tn_tanh_f32_value, tanh, -0.01f, 0.01f, 2.0 },
	{ "logistic", tn_logistic_f32_value, logistic_f64, -9.0f, 16.6f, 2.0 },
	{ "logistic of small is exp", tn_logistic_f32_value, exp, -87.0f, -9.01f, 2.0 },
	{ "sin", tn_sin_f32_value, sin, -10.0f, 10.0f, 2.0 },
	{ "sin of large", tn_sin_f32_value, sin, -1e6f, 1e6f, 2.0 },
	{ "sin of huge", tn_sin_f32_value, sin, 1e30f, 3e38f, 2.0 },
	{ "cos", tn_cos_f32_value, cos, -10.0f, 10.0f, 2.0 },
	{ "cos of large", tn_cos_f32_value, cos, -1e6f, 1e6f, 2.0 },
	{ "cos of huge", tn_cos_f32_value, cos, 1e30f, 3e38f, 2.0 },
};

/* Distance in units of the last place of the right result. */
static double ulps_off(float got, double want)
{
	int exponent;

	(void)frexp(want, &exponent);
	if (exponent < -125)
		exponent = -125;
	return fabs((double)got - want) / ldexp(1.0, exponent - 24);
}

START_TEST(function_accuracy)
{
	const int steps = 200000;
	double worst = 0.0, at = 0.0;

	for (int i = 0; i <= steps; i++) {
		float x = functions[_i].from + (functions[_i].to - functions[_i].from) *
						       ((float)i / (float)steps);
		double off =
			ulps_off(functions[_i].ours(x), functions[_i].theirs((double)x));

		if (!(off <= worst)) {
			worst = off;
			at = (double)x;
		}
	}
	ck_assert_msg(worst <= functions[_i].ulps, "%s: %g ulps at %.9g",
		functions[_i].name, worst, at);
}
END_TEST

static const struct {
	const char *name;
	f32_fn *ours, *theirs;
} exact[] = {
	{ "sqrt", tn_sqrt_f32_value, sqrtf },
	{ "floor", tn_floor_f32_value, floorf },
	{ "ceil", tn_ceil_f32_value, ceilf },
	{ "trunc", tn_trunc_f32_value, truncf },
	{ "round", tn_round_f32_value, roundf },
};

START_TEST(function_exact)
{
	static const float special[] = { 0.0f, -0.0f, 0.5f, -0.5f, 1.5f, -1.5f, 2.5f,
		0.49999997f, -0.49999997f, 8388607.5f, -8388607.5f, 8388609.0f, 1e-45f,
		1e-40f, 1.1754944e-38f, 3.4028235e38f, INFINITY, 4.0f, 2.0f };
	uint32_t bits = 1;

	for (int i = 0; i < 300000; i++) {
		float x, got, want;

		bits = bits * 1664525u + 1013904223u;
		x = i < (int)(sizeof(special) / sizeof(*special)) ? special[i]
								  : tn_f32_of_bits(bits);
		if (x != x || (exact[_i].theirs == sqrtf && x < 0.0f))
			continue;
		got = exact[_i].ours(x);
		want = exact[_i].theirs(x);
		ck_assert_msg(tn_bits_of_f32(got) == tn_bits_of_f32(want),
			"%s(%.9g) = %.9g instead of %.9g", exact[_i].name, (double)x,
			(double)got, (double)want);
	}
}
END_TEST

/* A byte stream that is the same on every machine. */
static uint32_t stream(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 16;
}

#define IN_C  5
#define OUT_C 6

static const struct tn_geometry geometries[] = {
	{ 1, 6, 7, IN_C, 6, 7, OUT_C, 3, 3, 1, 1, 1, 1, 1, 1, 0, 6, 6, 6, 1 },
	{ 2, 6, 7, IN_C, 3, 4, OUT_C, 3, 2, 2, 2, 1, 1, 0, 0, 0, 3, 6, 3, 1 },
	{ 1, 9, 9, IN_C, 9, 9, OUT_C, 3, 3, 1, 1, 2, 2, 2, 2, 0, 9, 9, 9, 1 },
	{ 1, 4, 5, IN_C, 4, 5, OUT_C, 1, 1, 1, 1, 1, 1, 0, 0, 0, 4, 4, 4, 1 },
	{ 1, 2, 2, IN_C, 2, 2, OUT_C, 5, 5, 1, 1, 1, 1, 2, 2, 0, 2, 2, 2, 1 },
};

struct orders {
	struct tn_loop_order order[4];
};

static const struct orders orders = { { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 } } };

/* The plainest convolution there is. */
static int32_t plain_conv(const struct tn_geometry *g, const struct tn_conv_params *p,
	const int8_t *in, const int8_t *w, const int32_t *bias, int b, int y, int x,
	int c)
{
	int64_t sum = bias[c];

	for (int ky = 0; ky < g->k_h; ky++)
		for (int kx = 0; kx < g->k_w; kx++)
			for (int i = 0; i < g->in_c; i++) {
				int iy =
					y * g->stride_h - g->pad_top + ky * g->dilation_h;
				int ix = x * g->stride_w - g->pad_left +
					 kx * g->dilation_w;

				if (iy < 0 || iy >= g->in_h || ix < 0 || ix >= g->in_w)
					continue;
				sum += (in[((b * g->in_h + iy) * g->in_w + ix) * g->in_c +
						i] +
					       p->in_offset) *
				       w[((c * g->k_h + ky) * g->k_w + kx) * g->in_c + i];
			}
	sum = tn_requantize((int32_t)sum, p->multiplier[c], p->shift[c]) + p->out_offset;
	return sum < -128 ? -128 : sum > 127 ? 127 : (int32_t)sum;
}

START_TEST(conv_variants_agree)
{
	static int8_t input[2 * 9 * 9 * IN_C], filter[OUT_C * 5 * 5 * IN_C];
	static int8_t output[2 * 9 * 9 * OUT_C], scratch[OUT_C];
	static const int32_t bias[OUT_C] = { 0, 100, -5000, 7, -1, 3000 };
	static const int32_t multiplier[OUT_C] = { 1 << 30, 1518500250, 2000000000,
		1 << 30, 1111111111, INT32_MAX };
	static const int8_t shift[OUT_C] = { -7, -6, -8, -5, -9, -7 };
	struct tn_conv_params p = { .groups = 1,
		.in_offset = 128,
		.out_offset = -3,
		.act_min = -128,
		.act_max = 127,
		.n_channels = OUT_C,
		.multiplier = multiplier,
		.shift = shift };
	const void *in[] = { input, filter, bias };
	void *out[] = { output };
	uint32_t state = 1;

	p.g = geometries[_i];
	for (size_t i = 0; i < sizeof(input); i++)
		input[i] = (int8_t)stream(&state);
	for (size_t i = 0; i < sizeof(filter); i++)
		filter[i] = (int8_t)stream(&state);
	for (int v = 0; v < 4; v++) {
		int at = 0;

		memset(output, 0x55, sizeof(output));
		p.order = orders.order[v];
		tn_conv_2d_s8(&p, in, out, scratch);
		for (int b = 0; b < p.g.batches; b++)
			for (int y = 0; y < p.g.out_h; y++)
				for (int x = 0; x < p.g.out_w; x++)
					for (int c = 0; c < OUT_C; c++, at++)
						ck_assert_msg(
							output[at] ==
								plain_conv(&p.g, &p,
									input, filter,
									bias, b, y, x, c),
							"geometry %d, variant %d, "
							"element %d",
							_i, v, at);
	}
}
END_TEST

/* A bias of 64 bits at the ends of its range wraps, as all sums do. */
START_TEST(wide_bias_wraps)
{
	static const int16_t ones[1] = { 1 };
	static const int8_t weight[1] = { 1 };
	static const int32_t multiplier[1] = { 1 << 30 };
	static const int8_t shift[1] = { 0 };
	const int64_t bias[1] = { _i ? INT64_MIN : INT64_MAX };
	const int64_t sum = _i ? INT64_MAX : INT64_MIN; /* of bias and -1 or 1 */
	const int32_t value = tn_requantize_wide(sum, multiplier[0], shift[0]);
	const struct tn_fc_params p = { .rows = 1,
		.in_n = 1,
		.out_n = 1,
		.in_offset = _i ? -2 : 0,
		.act_min = INT16_MIN,
		.act_max = INT16_MAX,
		.n_scales = 1,
		.multiplier = multiplier,
		.shift = shift };
	const struct tn_conv_params conv = { .g = { .batches = 1,
						     .in_h = 1,
						     .in_w = 1,
						     .in_c = 1,
						     .out_h = 1,
						     .out_w = 1,
						     .out_c = 1,
						     .k_h = 1,
						     .k_w = 1,
						     .stride_h = 1,
						     .stride_w = 1,
						     .dilation_h = 1,
						     .dilation_w = 1,
						     .y_end = 1,
						     .in_rows = 1,
						     .out_rows = 1 },
		.groups = 1,
		.act_min = INT16_MIN,
		.act_max = INT16_MAX,
		.n_channels = 1,
		.multiplier = multiplier,
		.shift = shift };
	const int16_t minus[1] = { _i ? -1 : 1 };
	const void *in[] = { ones, weight, bias }, *of_conv[] = { minus, weight, bias };
	int16_t output[1];
	void *out[] = { output };

	tn_fully_connected_s16(&p, in, out, NULL);
	ck_assert_int_eq(output[0], tn_clamp_s32(value, INT16_MIN, INT16_MAX));
	tn_conv_2d_s16(&conv, of_conv, out, NULL);
	ck_assert_int_eq(output[0], tn_clamp_s32(value, INT16_MIN, INT16_MAX));
	tn_transpose_conv_s16(&conv, of_conv, out, NULL);
	ck_assert_int_eq(output[0], tn_clamp_s32(value, INT16_MIN, INT16_MAX));
}
END_TEST

/* A ring of rows: each call computes one output row from the last k_h input rows. */
START_TEST(conv_over_a_ring_of_rows)
{
	enum { H = 8, W = 5, K = 3 };
	static int8_t input[H * W * IN_C], filter[OUT_C * K * K * IN_C];
	static int8_t whole[H * W * OUT_C], ring[K * W * IN_C], row[W * OUT_C];
	static const int32_t bias[OUT_C] = { 0 };
	static const int32_t multiplier[OUT_C] = { 1 << 30, 1 << 30, 1 << 30, 1 << 30,
		1 << 30, 1 << 30 };
	static const int8_t shift[OUT_C] = { -7, -7, -7, -7, -7, -7 };
	struct tn_conv_params p = { .groups = 1,
		.in_offset = 3,
		.act_min = -128,
		.act_max = 127,
		.n_channels = OUT_C,
		.multiplier = multiplier,
		.shift = shift };
	const void *in[] = { input, filter, bias };
	void *out[] = { whole };
	uint32_t state = 7;
	int32_t have = 0;

	p.g = (struct tn_geometry){ 1, H, W, IN_C, H, W, OUT_C, K, K, 1, 1, 1, 1, 1, 1, 0,
		H, H, H, 1 };
	for (size_t i = 0; i < sizeof(input); i++)
		input[i] = (int8_t)stream(&state);
	for (size_t i = 0; i < sizeof(filter); i++)
		filter[i] = (int8_t)stream(&state);
	tn_conv_2d_s8(&p, in, out, NULL);
	in[0] = ring;
	out[0] = row;
	p.g.in_rows = K;
	p.g.out_rows = 1;
	for (int32_t y = 0; y < H; y++) {
		for (; have < H && have <= y + 1; have++)
			memcpy(ring + have % K * W * IN_C, input + have * W * IN_C,
				W * IN_C);
		p.g.y_begin = y;
		p.g.y_end = y + 1;
		tn_conv_2d_s8(&p, in, out, NULL);
		ck_assert_msg(memcmp(row, whole + y * W * OUT_C, sizeof(row)) == 0,
			"row %d", y);
	}
}
END_TEST

/* A wrong plan lets the output overwrite elements that were not read yet: they may then lie
 * above the row's greatest. What the kernel takes stays in its table all the same. */
START_TEST(softmax_stays_in_its_table)
{
	static tn_kernel_fn *const kernels[] = { tn_softmax_s8, tn_softmax_s8_s16 };
	static int32_t framed[3 * 256];
	_Alignas(4) uint8_t results[2][64];

	for (int frame = 0; frame < 2; frame++) {
		struct tn_softmax_s8_params p = {
			.rows = 1, .n = 16, .n_table = 256, .exp_table = framed + 256
		};
		const void *in[] = { results[frame] + 1 };
		void *out[] = { results[frame] + 2 };

		memset(results[frame], INT8_MIN, sizeof(results[frame]));
		for (int i = 0; i < 3 * 256; i++)
			framed[i] = i < 256 || i >= 512 ? (frame ? INT32_MAX : 0)
							: INT32_MAX >> (i - 256) / 24;
		kernels[_i](&p, in, out, NULL);
	}
	ck_assert_msg(memcmp(results[0], results[1], sizeof(results[0])) == 0,
		"kernel %d: what is around its table shows", _i);
}
END_TEST

static uint32_t field_bytes(const struct tn_field *f)
{
	switch (f->type) {
	case FIELD_U8:
		return f->count;
	case FIELD_I32:
	case FIELD_U32:
	case FIELD_F32:
		return 4 * f->count;
	default:
		return (uint32_t)sizeof(void *);
	}
}

/* Fields in order, without overlap, nothing but alignment between them. */
START_TEST(params_are_described)
{
	const struct tn_params_info *info = &tn_params[_i];
	uint32_t at = 0;

	ck_assert_uint_ge(info->n_fields, 3);
	ck_assert_str_eq(info->fields[0].name, "order.descending");
	ck_assert_str_eq(info->fields[1].name, "order.hold");
	for (uint32_t k = 0; k < info->n_fields; k++) {
		const struct tn_field *f = &info->fields[k];
		uint32_t gap = f->offset - at;

		ck_assert_msg(f->offset >= at && gap < sizeof(void *), "%s.%s: gap %u",
			info->name, f->name, gap);
		ck_assert_msg(gap == 0 || gap < field_bytes(f) / f->count,
			"%s.%s: gap %u", info->name, f->name, gap);
		at = f->offset + field_bytes(f);
	}
	ck_assert_msg(at <= info->size && info->size - at < sizeof(void *),
		"%s: %u of %u", info->name, at, info->size);
}
END_TEST

START_TEST(kernels_are_named_once)
{
	for (int i = 0; i < KERNEL_COUNT; i++)
		for (int j = 0; j < i; j++)
			ck_assert_str_ne(tn_kernels[i].symbol, tn_kernels[j].symbol);
	ck_assert_uint_ne(tn_kernels_digest(&(struct tn_graph){ 0 }), 0);
}
END_TEST

/* Refusals: a graph of one ADD (or CONV_2D), spoiled in one way. */
struct refusal {
	const char *name;
	const char *rule;
	const char *op;
	enum tn_dtype dtype;
	bool damaged, missing;
	float scale;
	int64_t zero_point;
	const char *activation;
};

static const struct refusal refusals[] = {
	{ "fine", NULL, "ADD", DTYPE_I8, false, false, 0.5f, 3, "NONE" },
	{ "damaged scale", "exec/damaged-scale", "ADD", DTYPE_I8, true, false, 0.5f, 3,
		"NONE" },
	{ "zero scale", "exec/damaged-scale", "ADD", DTYPE_I8, false, false, 0.0f, 3,
		"NONE" },
	{ "zero point out of range", "exec/damaged-scale", "ADD", DTYPE_I8, false, false,
		0.5f, 128, "NONE" },
	{ "constant without values", "exec/missing-constant", "ADD", DTYPE_I8, false,
		true, 0.5f, 3, "NONE" },
	{ "activation that none fuses", "exec/no-kernel", "ADD", DTYPE_I8, false, false,
		0.5f, 3, "TANH" },
	{ "type without kernel", "exec/no-kernel", "ADD", DTYPE_F64, false, false, 0.5f,
		3, "NONE" },
	{ "unknown op", "exec/no-kernel", "MY_OP", DTYPE_I8, false, false, 0.5f, 3,
		"NONE" },
};

static void add_tensor(struct tn_build *b, const struct refusal *r, enum tn_role role)
{
	struct tn_tensor *t = tn_build_tensor(b, NULL);
	float *scale = TN_NEW(b->arena, float);
	int64_t *zero_point = TN_NEW(b->arena, int64_t);

	ck_assert(t && scale && zero_point);
	*scale = r->scale;
	*zero_point = r->zero_point;
	t->name = "t";
	t->dtype = r->dtype;
	t->role = role;
	t->shape = (struct tn_shape){ 2, { 1, 4 } };
	t->quant = (struct tn_quant){ 1, 0, scale, zero_point, r->damaged };
	if (role == ROLE_CONST)
		t->data_kind = DATA_MISSING;
}

START_TEST(refusal)
{
	const struct refusal *r = &refusals[_i];
	struct tn_source source = { "test", "", 0, true };
	struct tn_arena arena;
	struct tn_strings strings;
	struct tn_diags diags;
	struct tn_build b;
	struct tn_graph g;
	struct tn_call call;
	struct tn_op *op;
	enum tn_status status;

	tn_arena_init(&arena);
	tn_strings_init(&strings, &arena);
	tn_diags_init(&diags, &arena);
	tn_build_init(&b, &arena, &strings, &diags, &source);
	add_tensor(&b, r, ROLE_INPUT);
	add_tensor(&b, r, r->missing ? ROLE_CONST : ROLE_INPUT);
	add_tensor(&b, r, ROLE_OUTPUT);
	op = tn_build_op(&b, NULL);
	ck_assert(op);
	op->type = r->op;
	op->kind = tn_op_kind_parse(r->op);
	op->n_inputs = 2;
	op->inputs = TN_NEW_ARRAY(&arena, tn_tensor_id, 2);
	op->n_outputs = 1;
	op->outputs = TN_NEW_ARRAY(&arena, tn_tensor_id, 1);
	op->inputs[0].i = 0;
	op->inputs[1].i = 1;
	op->outputs[0].i = 2;
	ck_assert(tn_build_attr_string(&b, "activation", r->activation));
	ck_assert_int_eq(tn_build_finish(&b, &g), TN_OK);
	status = tn_bind(&g, (tn_op_id){ 0 }, (struct tn_variant){ false, HOLD_NONE },
		&arena, &diags, &call);
	ck_assert_msg(status == (r->rule ? TN_ERR_REFUSED : TN_OK), "%s: status %d",
		r->name, status);
	if (r->rule) {
		ck_assert_msg(diags.list.count == 1, "%s: no reason", r->name);
		ck_assert_str_eq(diags.list.items[0].rule, r->rule);
	}
	tn_arena_release(&arena);
}
END_TEST

#define LOOP(tc, fn, table)                                                              \
	tcase_add_loop_test(tc, fn, 0, sizeof(table) / sizeof(*(table)))

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("kernels");
	TCase *tc = tcase_create("kernels");

	tcase_set_timeout(tc, 60);
	LOOP(tc, requantize_rounds_twice, requantize);
	LOOP(tc, wide_requantize_rounds_once, wide);
	tcase_add_test(tc, product_saturates);
	LOOP(tc, multiplier_of_real, multipliers);
	LOOP(tc, activation_range, ranges);
	tcase_add_test(tc, fixed_functions);
	LOOP(tc, function_accuracy, functions);
	LOOP(tc, function_exact, exact);
	LOOP(tc, conv_variants_agree, geometries);
	tcase_add_loop_test(tc, wide_bias_wraps, 0, 2);
	tcase_add_test(tc, conv_over_a_ring_of_rows);
	tcase_add_loop_test(tc, softmax_stays_in_its_table, 0, 2);
	tcase_add_loop_test(tc, params_are_described, 0, PARAMS_COUNT);
	tcase_add_test(tc, kernels_are_named_once);
	LOOP(tc, refusal, refusals);
	suite_add_tcase(s, tc);
	return s;
}
