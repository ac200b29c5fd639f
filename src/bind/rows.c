/* Ops on rows of the last dimension: softmax and relatives. */
#include <math.h>

#include "bind/binder.h"
#include "bind/tables.h"
#include "ir/norm.h"
#include "kernels/ref/fixed_exp.h"
#include "kernels/ref/float_math.h"

struct rows {
	int32_t rows, n;
};

static bool rows_of(struct tn_binder *b, struct rows *r)
{
	const struct tn_tensor *in = tn_binder_in(b, 0);
	int64_t last;

	if (!in || in->shape.rank < 1)
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "needs at least one dimension");
	if (!tn_norm_is_by_rows(b->op, in->shape.rank))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"has only a kernel along the last dimension");
	if (in->elements != tn_binder_out(b, 0)->elements)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: input and output differ in size");
	last = in->shape.dim[in->shape.rank - 1];
	r->n = (int32_t)last;
	r->rows = last > 0 ? (int32_t)(in->elements / last) : 0;
	return true;
}

/* Differences of an int8 row in fixed point with 5 integer bits, and their exponentials. */
struct exponents {
	struct tn_multiplier m;
	double radius; /* greater differences do not fit */
	int32_t *table; /* exp(-d) for d = 0 .. 255; 0 where it is below the last bit */
};

static bool exponents_of(
	struct tn_binder *b, double scale, double beta, struct exponents *e)
{
	const int bits = 5;
	double real = isnan(beta) ? 0.0
				  : fmin(beta * scale * (double)(1 << (31 - bits)),
					    2147483647.0);

	e->table = tn_binder_array(b, 256, sizeof(*e->table));
	if (!e->table)
		return false;
	if (!(real > 1.0))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"needs beta * scale above 2^-26, which is %g", beta * scale);
	if (real >= (double)(1 << 30)) { /* one step of the input is exp(-16) */
		e->m = (struct tn_multiplier){ 0, 31 };
		e->radius = 0.0;
		e->table[0] = INT32_MAX;
		return true;
	}
	if (!tn_binder_multiplier(b, real, &e->m))
		return false;
	e->radius = floor(31.0 * (double)(1 << 26) / (double)(INT64_C(1) << e->m.shift));
	for (int d = 0; d < 256; d++) {
		int32_t scaled = tn_requantize(-d, e->m.multiplier, e->m.shift);

		e->table[d] = (double)d <= e->radius ? tn_exp_negative(scaled, bits) : 0;
	}
	return true;
}

static double beta_of(const struct tn_binder *b)
{
	return (double)(float)tn_op_float(b->op, "beta", 1.0);
}

static bool near(float scale, float want)
{
	return fabsf(scale - want) <= 0.001f * want;
}

static bool bind_softmax_s8(struct tn_binder *b, const struct rows *r, bool wide)
{
	struct tn_softmax_s8_params *p =
		tn_binder_simple(b, wide ? KERNEL_SOFTMAX_S8_S16 : KERNEL_SOFTMAX_S8, 1);
	struct tn_scale in, out;
	struct exponents e;

	if (!p || !tn_binder_scale(b, tn_binder_in(b, 0), &in) ||
		!tn_binder_scale(b, tn_binder_out(b, 0), &out))
		return false;
	if (wide ? out.zero_point != INT16_MIN || !near(out.scale, 1.0f / 65536)
		 : out.zero_point != INT8_MIN || out.scale != 1.0f / 256)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"has only a kernel whose output covers 0 to 1 exactly");
	if (!exponents_of(b, (double)in.scale, beta_of(b), &e))
		return false;
	p->rows = r->rows;
	p->n = r->n;
	p->n_table = 256;
	p->exp_table = e.table;
	return true;
}

static float reciprocal_1p(float x)
{
	return 1.0f / (1.0f + x);
}

static bool bind_softmax_s16(struct tn_binder *b, const struct rows *r)
{
	struct tn_softmax_s16_params *p = tn_binder_simple(b, KERNEL_SOFTMAX_S16, 1);
	int16_t *exps = tn_binder_array(b, 513, sizeof(*exps));
	int16_t *reciprocals = tn_binder_array(b, 513, sizeof(*reciprocals));
	struct tn_scale in, out;
	struct tn_multiplier m;

	if (!p || !exps || !reciprocals || !tn_binder_scale(b, tn_binder_in(b, 0), &in) ||
		!tn_binder_scale(b, tn_binder_out(b, 0), &out) ||
		!tn_binder_multiplier(
			b, (double)in.scale * beta_of(b) / (10.0 / 65535.0), &m))
		return false;
	if (out.zero_point != 0 || !near(out.scale, 1.0f / 32768))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"has only a kernel whose output has scale 1/32768, zero point 0");
	tn_curve_samples(tn_exp_f32_value, 10.0f / 65535.0f * -65535.0f, 0.0f, exps);
	tn_curve_samples(reciprocal_1p, 0.0f, 1.0f / 65535.0f * 65535.0f, reciprocals);
	p->rows = r->rows;
	p->n = r->n;
	p->multiplier = m.multiplier;
	p->shift = m.shift;
	p->n_table = 513;
	p->exp_table = exps;
	p->reciprocal_table = reciprocals;
	return true;
}

static bool bind_softmax_f32(
	struct tn_binder *b, enum tn_kernel_id kernel, const struct rows *r)
{
	struct tn_softmax_f32_params *p = tn_binder_simple(b, kernel, 1);

	if (!p)
		return false;
	p->rows = r->rows;
	p->n = r->n;
	p->beta = (float)beta_of(b);
	return true;
}

bool tn_bind_softmax(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	struct rows r;

	if (!rows_of(b, &r))
		return false;
	if (in->dtype == DTYPE_I8 && (out->dtype == DTYPE_I8 || out->dtype == DTYPE_I16))
		return bind_softmax_s8(b, &r, out->dtype == DTYPE_I16);
	if (in->dtype == DTYPE_I16 && out->dtype == DTYPE_I16)
		return bind_softmax_s16(b, &r);
	return tn_binder_types(b, DTYPE_F32, DTYPE_F32) &&
	       bind_softmax_f32(b, KERNEL_SOFTMAX_F32, &r);
}

static bool bind_log_softmax_s8(struct tn_binder *b, const struct rows *r)
{
	struct tn_log_softmax_s8_params *p =
		tn_binder_simple(b, KERNEL_LOG_SOFTMAX_S8, 1);
	struct tn_multiplier reverse;
	struct tn_scale in, out;
	struct exponents e;

	if (!p || !tn_binder_scale(b, tn_binder_in(b, 0), &in) ||
		!tn_binder_scale(b, tn_binder_out(b, 0), &out))
		return false;
	if (out.scale != 16.0f / 256 || out.zero_point != INT8_MAX)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"has only a kernel whose output has scale 1/16, zero point 127");
	if (!exponents_of(b, (double)in.scale, 1.0, &e))
		return false;
	if (e.m.shift > 30)
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "has no kernel for a scale above 16");
	if (!tn_binder_multiplier(b,
		    (double)(INT64_C(1) << (31 - e.m.shift)) / (double)e.m.multiplier,
		    &reverse))
		return false;
	p->rows = r->rows;
	p->n = r->n;
	p->multiplier = e.m.multiplier;
	p->shift = e.m.shift;
	p->reverse_multiplier = reverse.multiplier;
	p->reverse_shift = reverse.shift;
	p->diff_min = (int32_t)-e.radius;
	p->n_table = 256;
	p->exp_table = e.table;
	return true;
}

bool tn_bind_log_softmax(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	struct rows r;

	if (!rows_of(b, &r))
		return false;
	if (in->dtype == DTYPE_I8 && out->dtype == DTYPE_I8)
		return bind_log_softmax_s8(b, &r);
	return tn_binder_types(b, DTYPE_F32, DTYPE_F32) &&
	       bind_softmax_f32(b, KERNEL_LOG_SOFTMAX_F32, &r);
}

bool tn_bind_l2_norm(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	const char *activation = tn_op_string(b->op, "activation", "NONE");
	const struct tn_activation *act = tn_activation_find(activation);
	bool integer = in && in->dtype == DTYPE_I8 && out->dtype == DTYPE_I8;
	struct tn_rows_params *p;
	struct tn_scale scale, result;
	struct rows r;

	if (!act || act->has_min || act->has_max)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"has no kernel with activation '%s'", activation);
	if (!rows_of(b, &r) || (!integer && !tn_binder_types(b, DTYPE_F32, DTYPE_F32)))
		return false;
	p = tn_binder_simple(b, integer ? KERNEL_L2_NORM_S8 : KERNEL_L2_NORM_F32, 1);
	if (!p)
		return false;
	p->rows = r.rows;
	p->n = r.n;
	if (!integer)
		return true;
	if (!tn_binder_scale(b, in, &scale) || !tn_binder_scale(b, out, &result))
		return false;
	if (result.scale != 1.0f / 128 || result.zero_point != 0)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"has only a kernel whose output has scale 1/128, zero point 0");
	p->in_offset = -scale.zero_point;
	return true;
}
