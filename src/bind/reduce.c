/* Reductions. */
#include "bind/binder.h"
#include "bind/dims.h"

/* The division by the number of elements goes into the multiplier, as far as its bits
 * allow; the quotient is cut, not rounded. */
static struct tn_multiplier divided(struct tn_multiplier m, int64_t count)
{
	int shift = 0;

	while (shift < 62 && count >> (shift + 1))
		shift++;
	if (shift > 32)
		shift = 32;
	if (shift > 31 + m.shift)
		shift = 31 + m.shift;
	m.multiplier = (int32_t)(((int64_t)m.multiplier << shift) / count);
	m.shift -= shift;
	return m;
}

static bool bind_mean_s8(struct tn_binder *b, const struct tn_fold *fold, int64_t count)
{
	struct tn_mean_params *p = tn_binder_simple(b, KERNEL_MEAN_S8, 1);
	struct tn_scale in, out;
	struct tn_multiplier m;

	if (!p || !tn_binder_scale(b, tn_binder_in(b, 0), &in) ||
		!tn_binder_scale(b, tn_binder_out(b, 0), &out) ||
		!tn_binder_multiplier(b, (double)in.scale / (double)out.scale, &m))
		return false;
	m = divided(m, count);
	p->fold = *fold;
	p->in_bias = (int32_t)(uint32_t)((uint64_t)in.zero_point * (uint64_t)count);
	p->multiplier = m.multiplier;
	p->shift = m.shift;
	p->out_offset = out.zero_point;
	return true;
}

bool tn_bind_mean(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	struct tn_mean_f32_params *p;
	struct tn_fold fold;
	bool folded[TN_RANK_MAX];
	int64_t count;

	if (!in || !tn_binder_axes(b, 1, "axes", &in->shape, folded) ||
		!tn_binder_fold(b, folded, &fold, &count))
		return false;
	if (count < 1)
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "cannot run: the mean of no elements");
	if (in->dtype == DTYPE_I8 && out->dtype == DTYPE_I8)
		return bind_mean_s8(b, &fold, count);
	if (!tn_binder_types(b, DTYPE_F32, DTYPE_F32))
		return false;
	p = tn_binder_simple(b, KERNEL_MEAN_F32, 1);
	if (!p)
		return false;
	p->fold = fold;
	p->count = (float)count;
	return true;
}
