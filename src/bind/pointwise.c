/* Ops on two operands, element by element. */
#include "bind/binder.h"
#include "bind/dims.h"

static bool bind_binary_f32(struct tn_binder *b, enum tn_kernel_id kernel)
{
	struct tn_binary_f32_params *p = tn_binder_simple(b, kernel, 2);

	return p && tn_binder_broadcast(b, &p->shape) &&
	       tn_binder_activation_f32(b, &p->act_min, &p->act_max);
}

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

static bool bind_add_s8(struct tn_binder *b)
{
	const int32_t left_shift = 20;
	struct tn_add_params *p = tn_binder_simple(b, KERNEL_ADD_S8, 2);
	struct tn_multiplier ma, mb, mo;
	struct scales s;
	double common;

	if (!p || !tn_binder_broadcast(b, &p->shape) || !scales_of(b, &s))
		return false;
	common = 2.0 * (double)(s.a.scale > s.b.scale ? s.a.scale : s.b.scale);
	if (!tn_binder_multiplier(b, (double)s.a.scale / common, &ma) ||
		!tn_binder_multiplier(b, (double)s.b.scale / common, &mb) ||
		!tn_binder_multiplier(b,
			common / ((double)(1 << left_shift) * (double)s.out.scale), &mo))
		return false;
	p->left_shift = left_shift;
	p->a_offset = -s.a.zero_point;
	p->a_multiplier = ma.multiplier;
	p->a_shift = ma.shift;
	p->b_offset = -s.b.zero_point;
	p->b_multiplier = mb.multiplier;
	p->b_shift = mb.shift;
	p->out_offset = s.out.zero_point;
	p->out_multiplier = mo.multiplier;
	p->out_shift = mo.shift;
	return tn_binder_activation(
		b, tn_binder_out(b, 0), s.out, &p->act_min, &p->act_max);
}

bool tn_bind_add(struct tn_binder *b)
{
	if (all_types(b, DTYPE_F32))
		return bind_binary_f32(b, KERNEL_ADD_F32);
	if (all_types(b, DTYPE_I8))
		return bind_add_s8(b);
	return tn_binder_no_types(b);
}

static bool bind_mul_s8(struct tn_binder *b)
{
	struct tn_mul_params *p = tn_binder_simple(b, KERNEL_MUL_S8, 2);
	struct tn_multiplier m;
	struct scales s;

	if (!p || !tn_binder_broadcast(b, &p->shape) || !scales_of(b, &s) ||
		!tn_binder_multiplier(b,
			(double)s.a.scale * (double)s.b.scale / (double)s.out.scale, &m))
		return false;
	p->a_offset = -s.a.zero_point;
	p->b_offset = -s.b.zero_point;
	p->out_offset = s.out.zero_point;
	p->out_multiplier = m.multiplier;
	p->out_shift = m.shift;
	return tn_binder_activation(
		b, tn_binder_out(b, 0), s.out, &p->act_min, &p->act_max);
}

bool tn_bind_mul(struct tn_binder *b)
{
	if (all_types(b, DTYPE_F32))
		return bind_binary_f32(b, KERNEL_MUL_F32);
	if (all_types(b, DTYPE_I8))
		return bind_mul_s8(b);
	return tn_binder_no_types(b);
}
