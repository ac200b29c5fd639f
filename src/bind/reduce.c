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

struct folding {
	struct tn_fold fold;
	int64_t count; /* elements that make one output; at least 1 */
};

static bool folding_of(struct tn_binder *b, struct folding *f)
{
	const struct tn_tensor *in = tn_binder_in(b, 0);
	bool folded[TN_RANK_MAX];

	if (!in || !tn_binder_axes(b, 1, "axes", &in->shape, folded) ||
		!tn_binder_fold(b, folded, &f->fold, &f->count))
		return false;
	if (f->count < 1)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: nothing is folded into its outputs");
	return true;
}

static bool bind_sum_int(
	struct tn_binder *b, enum tn_kernel_id kernel, const struct folding *f, bool mean)
{
	struct tn_sum_params *p = tn_binder_simple(b, kernel, 1);
	struct tn_scale in, out;
	struct tn_multiplier m;
	struct tn_range range;

	if (!p || !tn_binder_scale(b, tn_binder_in(b, 0), &in) ||
		!tn_binder_scale(b, tn_binder_out(b, 0), &out) ||
		!tn_range_of(tn_binder_out(b, 0)->dtype, &range) ||
		!tn_binder_multiplier(b, (double)in.scale / (double)out.scale, &m))
		return false;
	if (mean)
		m = divided(m, f->count);
	p->fold = f->fold;
	p->in_bias = (int32_t)(uint32_t)((uint64_t)in.zero_point * (uint64_t)f->count);
	p->multiplier = m.multiplier;
	p->shift = m.shift;
	p->out_offset = out.zero_point;
	p->out_min = range.min;
	p->out_max = range.max;
	return true;
}

bool tn_bind_sum(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	bool mean = b->op->kind == OP_MEAN;
	struct tn_sum_f32_params *p;
	struct folding f;

	if (!folding_of(b, &f))
		return false;
	if (in->dtype == DTYPE_I8 && out->dtype == DTYPE_I8)
		return bind_sum_int(b, KERNEL_SUM_S8, &f, mean);
	if (in->dtype == DTYPE_I16 && out->dtype == DTYPE_I16)
		return bind_sum_int(b, KERNEL_SUM_S16, &f, mean);
	if (!tn_binder_types(b, DTYPE_F32, DTYPE_F32))
		return false;
	p = tn_binder_simple(b, KERNEL_SUM_F32, 1);
	if (!p)
		return false;
	p->fold = f.fold;
	p->divisor = mean ? (float)f.count : 1.0f;
	return true;
}

static bool bind_fold(
	struct tn_binder *b, enum tn_kernel_id kernel, const struct folding *f)
{
	struct tn_fold_params *p = tn_binder_simple(b, kernel, 1);

	if (!p)
		return false;
	p->fold = f->fold;
	return tn_binder_element_size(b, tn_binder_in(b, 0), &p->size);
}

/* Raw values, so that both sides must be quantised alike. */
static bool same_scale(struct tn_binder *b)
{
	struct tn_scale in, out;

	if (tn_binder_in(b, 0)->quant.n == 0 && tn_binder_out(b, 0)->quant.n == 0)
		return true;
	if (!tn_binder_scale(b, tn_binder_in(b, 0), &in) ||
		!tn_binder_scale(b, tn_binder_out(b, 0), &out))
		return false;
	if (in.scale != out.scale || in.zero_point != out.zero_point)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"has only a kernel for input and output that are quantised "
			"alike");
	return true;
}

bool tn_bind_reduce_extreme(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	bool max = b->op->kind == OP_REDUCE_MAX;
	struct folding f;

	if (!folding_of(b, &f))
		return false;
	if (in->dtype != out->dtype)
		return tn_binder_no_types(b);
	if (in->dtype == DTYPE_F32)
		return bind_fold(
			b, max ? KERNEL_REDUCE_MAX_F32 : KERNEL_REDUCE_MIN_F32, &f);
	if (in->dtype == DTYPE_I8 || in->dtype == DTYPE_I16 || in->dtype == DTYPE_I32)
		return same_scale(b) &&
		       bind_fold(b, max ? KERNEL_REDUCE_MAX_INT : KERNEL_REDUCE_MIN_INT,
			       &f);
	return tn_binder_no_types(b);
}

bool tn_bind_reduce_bool(struct tn_binder *b)
{
	bool all = b->op->kind == OP_REDUCE_ALL;
	struct folding f;

	return folding_of(b, &f) && tn_binder_types(b, DTYPE_BOOL, DTYPE_BOOL) &&
	       bind_fold(b, all ? KERNEL_REDUCE_ALL : KERNEL_REDUCE_ANY, &f);
}
