/* Ops on two operands, element by element. */
#include "bind/binder.h"
#include "bind/dims.h"

/* Both operands and the output have this type. */
static bool all_types(const struct tn_binder *b, enum tn_dtype dtype)
{
	const struct tn_tensor *x = tn_binder_in(b, 0), *y = tn_binder_in(b, 1);

	return x && y && x->dtype == dtype && y->dtype == dtype &&
	       tn_binder_out(b, 0)->dtype == dtype;
}

struct scales {
	struct tn_scale a, b, out;
};

static bool scales_of(struct tn_binder *b, struct scales *s)
{
	return tn_binder_scale(b, tn_binder_in(b, 0), &s->a) &&
	       tn_binder_scale(b, tn_binder_in(b, 1), &s->b) &&
	       tn_binder_scale(b, tn_binder_out(b, 0), &s->out);
}

static bool bind_f32(struct tn_binder *b, enum tn_kernel_id kernel)
{
	struct tn_binary_f32_params *p = tn_binder_simple(b, kernel, 2);

	return p && tn_binder_broadcast(b, &p->shape) &&
	       tn_binder_activation_f32(b, &p->act_min, &p->act_max);
}

static bool bind_plain(struct tn_binder *b, enum tn_kernel_id kernel)
{
	struct tn_binary_params *p = tn_binder_simple(b, kernel, 2);

	return p && tn_binder_broadcast(b, &p->shape) &&
	       tn_binder_element_size(b, tn_binder_in(b, 0), &p->size);
}

static bool bind_s32(struct tn_binder *b, enum tn_kernel_id kernel)
{
	const struct tn_scale whole = { 1.0f, 0 };
	struct tn_binary_s32_params *p = tn_binder_simple(b, kernel, 2);

	return p && tn_binder_broadcast(b, &p->shape) &&
	       tn_binder_activation(
		       b, tn_binder_out(b, 0), whole, &p->act_min, &p->act_max);
}

/* Ratios of scales that bring both operands to a common scale and the result to the
 * output's. */
struct ratios {
	double a, b, out;
};

static bool bind_rescaled(struct tn_binder *b, enum tn_kernel_id kernel,
	int32_t left_shift, const struct scales *s, const struct ratios *r)
{
	struct tn_add_params *p = tn_binder_simple(b, kernel, 2);
	struct tn_multiplier ma, mb, mo;

	if (!p || !tn_binder_broadcast(b, &p->shape) ||
		!tn_binder_multiplier(b, r->a, &ma) ||
		!tn_binder_multiplier(b, r->b, &mb) ||
		!tn_binder_multiplier(b, r->out, &mo))
		return false;
	p->left_shift = left_shift;
	p->a_offset = -s->a.zero_point;
	p->a_multiplier = ma.multiplier;
	p->a_shift = ma.shift;
	p->b_offset = -s->b.zero_point;
	p->b_multiplier = mb.multiplier;
	p->b_shift = mb.shift;
	p->out_offset = s->out.zero_point;
	p->out_multiplier = mo.multiplier;
	p->out_shift = mo.shift;
	return tn_binder_activation(
		b, tn_binder_out(b, 0), s->out, &p->act_min, &p->act_max);
}

static float greater(float a, float b)
{
	return a > b ? a : b;
}

/* All in double precision. */
static bool bind_add_int(
	struct tn_binder *b, enum tn_kernel_id kernel, int32_t left_shift)
{
	struct scales s;
	struct ratios r;
	double common;

	if (!scales_of(b, &s))
		return false;
	common = 2.0 * (double)greater(s.a.scale, s.b.scale);
	r.a = (double)s.a.scale / common;
	r.b = (double)s.b.scale / common;
	r.out = common / ((double)(1 << left_shift) * (double)s.out.scale);
	return bind_rescaled(b, kernel, left_shift, &s, &r);
}

bool tn_bind_add(struct tn_binder *b)
{
	if (all_types(b, DTYPE_F32))
		return bind_f32(b, KERNEL_ADD_F32);
	if (all_types(b, DTYPE_I8))
		return bind_add_int(b, KERNEL_ADD_S8, 20);
	if (all_types(b, DTYPE_I16))
		return bind_add_int(b, KERNEL_ADD_S16, 15);
	if (all_types(b, DTYPE_I32)) {
		/* its activation is ignored, unlike that of SUB and MUL */
		struct tn_binary_s32_params *p = tn_binder_simple(b, KERNEL_ADD_S32, 2);

		if (!p)
			return false;
		p->act_min = INT32_MIN;
		p->act_max = INT32_MAX;
		return tn_binder_broadcast(b, &p->shape);
	}
	return tn_binder_no_types(b);
}

/* All quotients in single precision. */
static bool bind_sub_int(
	struct tn_binder *b, enum tn_kernel_id kernel, int32_t left_shift)
{
	struct scales s;
	struct ratios r;
	float common;

	if (!scales_of(b, &s))
		return false;
	common = 2.0f * greater(s.a.scale, s.b.scale);
	r.a = (double)(s.a.scale / common);
	r.b = (double)(s.b.scale / common);
	r.out = (double)(common / ((float)(1 << left_shift) * s.out.scale));
	return bind_rescaled(b, kernel, left_shift, &s, &r);
}

bool tn_bind_sub(struct tn_binder *b)
{
	if (all_types(b, DTYPE_F32))
		return bind_f32(b, KERNEL_SUB_F32);
	if (all_types(b, DTYPE_I8))
		return bind_sub_int(b, KERNEL_SUB_S8, 20);
	if (all_types(b, DTYPE_I16))
		return bind_sub_int(b, KERNEL_SUB_S16, 15);
	if (all_types(b, DTYPE_I32))
		return bind_s32(b, KERNEL_SUB_S32);
	return tn_binder_no_types(b);
}

/* `left_shift` is applied to both sides of the product. */
static bool bind_squared(
	struct tn_binder *b, enum tn_kernel_id kernel, int32_t left_shift)
{
	struct scales s;
	struct ratios r;
	double common;

	if (!scales_of(b, &s))
		return false;
	common = 2.0 * (double)greater(s.a.scale, s.b.scale);
	r.a = (double)s.a.scale / common;
	r.b = (double)s.b.scale / common;
	r.out = common * common / (double)((float)(1 << 2 * left_shift) * s.out.scale);
	return bind_rescaled(b, kernel, left_shift, &s, &r);
}

bool tn_bind_squared_difference(struct tn_binder *b)
{
	if (all_types(b, DTYPE_F32))
		return bind_plain(b, KERNEL_SQUARED_DIFFERENCE_F32);
	if (all_types(b, DTYPE_I8))
		return bind_squared(b, KERNEL_SQUARED_DIFFERENCE_S8, 7);
	if (all_types(b, DTYPE_I16))
		return bind_squared(b, KERNEL_SQUARED_DIFFERENCE_S16, 0);
	return tn_binder_no_types(b);
}

static bool bind_product(struct tn_binder *b, enum tn_kernel_id kernel,
	const struct scales *s, double real)
{
	struct tn_mul_params *p = tn_binder_simple(b, kernel, 2);
	struct tn_multiplier m;

	if (!p || !tn_binder_broadcast(b, &p->shape) ||
		!tn_binder_multiplier(b, real, &m))
		return false;
	p->a_offset = -s->a.zero_point;
	p->b_offset = -s->b.zero_point;
	p->out_offset = s->out.zero_point;
	p->out_multiplier = m.multiplier;
	p->out_shift = m.shift;
	return tn_binder_activation(
		b, tn_binder_out(b, 0), s->out, &p->act_min, &p->act_max);
}

bool tn_bind_mul(struct tn_binder *b)
{
	struct scales s;

	if (all_types(b, DTYPE_F32))
		return bind_f32(b, KERNEL_MUL_F32);
	if (all_types(b, DTYPE_I32))
		return bind_s32(b, KERNEL_MUL_S32);
	if (all_types(b, DTYPE_I8) || all_types(b, DTYPE_I16))
		return scales_of(b, &s) &&
		       bind_product(b,
			       all_types(b, DTYPE_I8) ? KERNEL_MUL_S8 : KERNEL_MUL_S16,
			       &s,
			       (double)s.a.scale * (double)s.b.scale /
				       (double)s.out.scale);
	return tn_binder_no_types(b);
}

bool tn_bind_div(struct tn_binder *b)
{
	struct scales s;

	if (all_types(b, DTYPE_F32))
		return bind_f32(b, KERNEL_DIV_F32);
	if (all_types(b, DTYPE_I32))
		return bind_s32(b, KERNEL_DIV_S32);
	if (all_types(b, DTYPE_I8))
		return scales_of(b, &s) &&
		       bind_product(b, KERNEL_DIV_S8, &s,
			       (double)(s.a.scale / (s.b.scale * s.out.scale)));
	return tn_binder_no_types(b);
}

bool tn_bind_floor(struct tn_binder *b)
{
	if (all_types(b, DTYPE_F32))
		return bind_plain(b, b->op->kind == OP_FLOOR_DIV ? KERNEL_FLOOR_DIV_F32
								 : KERNEL_FLOOR_MOD_F32);
	return tn_binder_no_types(b);
}

/* Raw values are compared, whatever their scales. */
bool tn_bind_minimum(struct tn_binder *b)
{
	bool least = b->op->kind == OP_MINIMUM;

	if (all_types(b, DTYPE_F32))
		return bind_plain(b, least ? KERNEL_MINIMUM_F32 : KERNEL_MAXIMUM_F32);
	if (all_types(b, DTYPE_I8) || all_types(b, DTYPE_I16) || all_types(b, DTYPE_I32))
		return bind_plain(b, least ? KERNEL_MINIMUM_INT : KERNEL_MAXIMUM_INT);
	return tn_binder_no_types(b);
}

static bool bind_prelu_int(struct tn_binder *b, enum tn_kernel_id kernel)
{
	struct tn_prelu_params *p = tn_binder_simple(b, kernel, 2);
	struct tn_multiplier m, negative;
	struct tn_range range;
	struct scales s;

	if (!p || !tn_binder_broadcast(b, &p->shape) || !scales_of(b, &s) ||
		!tn_range_of(tn_binder_out(b, 0)->dtype, &range) ||
		!tn_binder_multiplier(b, (double)s.a.scale / (double)s.out.scale, &m) ||
		!tn_binder_multiplier(b,
			(double)s.a.scale * (double)s.b.scale / (double)s.out.scale,
			&negative))
		return false;
	p->a_offset = -s.a.zero_point;
	p->b_offset = -s.b.zero_point;
	p->multiplier = m.multiplier;
	p->shift = m.shift;
	p->negative_multiplier = negative.multiplier;
	p->negative_shift = negative.shift;
	p->out_offset = s.out.zero_point;
	p->out_min = range.min;
	p->out_max = range.max;
	return true;
}

bool tn_bind_prelu(struct tn_binder *b)
{
	const struct tn_tensor *alpha = tn_binder_in(b, 1);

	if (all_types(b, DTYPE_F32))
		return bind_plain(b, KERNEL_PRELU_F32);
	if (all_types(b, DTYPE_I8))
		return bind_prelu_int(b, KERNEL_PRELU_S8);
	if (alpha && alpha->dtype == DTYPE_I8)
		return tn_binder_types(b, DTYPE_I16, DTYPE_I16) &&
		       bind_prelu_int(b, KERNEL_PRELU_S16);
	return tn_binder_no_types(b);
}
