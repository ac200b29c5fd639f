/* Ops that move elements without changing them. */
#include "bind/binder.h"
#include "bind/dims.h"

bool tn_bind_view(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	struct tn_copy_params *p;

	if (!in || in->dtype != out->dtype || in->elements != out->elements)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: input and output differ in type or size");
	p = tn_binder_simple(b, KERNEL_COPY, 1);
	if (!p)
		return false;
	p->n = (int32_t)in->elements;
	return tn_binder_element_size(b, in, &p->size);
}

bool tn_bind_transpose(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	int64_t perm[TN_RANK_MAX], dense[TN_RANK_MAX];
	bool seen[TN_RANK_MAX] = { false };
	struct tn_dims d;
	uint32_t n;

	if (!in || !tn_binder_ints(b, 1, "perm", perm, TN_RANK_MAX, &n))
		return false;
	tn_shape_strides(&in->shape, dense);
	tn_dims_init(&d, 1);
	if (n != in->shape.rank || n != out->shape.rank || in->dtype != out->dtype)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: a permutation of %u for %u dimensions", n,
			in->shape.rank);
	for (uint32_t i = 0; i < n; i++) {
		int64_t from = perm[i] < 0 ? perm[i] + n : perm[i];
		int64_t at[3] = { 0 };

		if (from < 0 || from >= n || seen[from] ||
			in->shape.dim[from] != out->shape.dim[i])
			return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
				"cannot run: its permutation does not give the output's "
				"shape");
		seen[from] = true;
		at[0] = dense[from];
		tn_dims_add(&d, out->shape.dim[i], at);
	}
	tn_dims_finish(&d);
	return tn_binder_strided(b, &d, 0);
}

/* Dimensions without padding are merged into the one before them. */
static bool pad_dims(
	struct tn_binder *b, const int64_t *paddings, struct tn_pad_params *p)
{
	const struct tn_shape *in = &tn_binder_in(b, 0)->shape;
	const struct tn_shape *out = &tn_binder_out(b, 0)->shape;

	for (uint32_t i = 0; i < in->rank; i++) {
		int64_t before = paddings[2 * i], after = paddings[2 * i + 1];
		int32_t k = p->rank - 1;

		if (before < 0 || after < 0 || before > INT32_MAX || after > INT32_MAX ||
			in->dim[i] + before + after != out->dim[i])
			return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
				"cannot run: its paddings do not give the output's "
				"shape");
		if (p->rank > 0 && before == 0 && after == 0) {
			p->out_dim[k] *= (int32_t)out->dim[i];
			p->before[k] *= (int32_t)out->dim[i];
			p->in_dim[k] *= (int32_t)in->dim[i];
			continue;
		}
		k = p->rank++;
		p->out_dim[k] = (int32_t)out->dim[i];
		p->before[k] = (int32_t)before;
		p->in_dim[k] = (int32_t)in->dim[i];
	}
	if (p->rank == 0) {
		p->rank = 1;
		p->out_dim[0] = p->in_dim[0] = 1;
	}
	return true;
}

/* PADV2 gives the element. */
static bool given_fill(struct tn_binder *b, struct tn_pad_params *p)
{
	const struct tn_tensor *value = tn_binder_in(b, 2);
	size_t width;

	if (!value || value->data_kind != DATA_BYTES || !tn_tensor_is_constant(value) ||
		value->elements != 1 || value->dtype != tn_binder_in(b, 0)->dtype ||
		value->bytes > 4)
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "needs a constant of its type to pad with");
	width = (size_t)value->bytes;
	for (size_t i = 0; i < width; i++)
		p->fill |= (uint32_t)value->data[i] << (8 * i);
	return true;
}

/* Integers are padded with the output's zero point, floats with 0. */
static bool pad_fill(struct tn_binder *b, struct tn_pad_params *p)
{
	const struct tn_tensor *out = tn_binder_out(b, 0);
	struct tn_scale scale;

	p->fill = 0;
	if (b->op->kind == OP_PADV2)
		return given_fill(b, p);
	if (out->quant.n == 0 || out->dtype == DTYPE_F32 || out->dtype == DTYPE_I64)
		return true;
	if (out->quant.damaged)
		return tn_binder_refuse(b, TN_RULE_DAMAGED_SCALE,
			"needs the zero point of tensor '%s'", out->name);
	if (!tn_binder_scale(b, out, &scale))
		return false;
	p->fill = (uint32_t)scale.zero_point;
	return true;
}

bool tn_bind_pad(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *out = tn_binder_out(b, 0);
	int64_t paddings[2 * TN_RANK_MAX];
	struct tn_pad_params *p;
	uint32_t n;

	if (!in || !tn_binder_ints(b, 1, "paddings", paddings, 2 * TN_RANK_MAX, &n))
		return false;
	if (n != 2 * in->shape.rank || in->shape.rank != out->shape.rank ||
		in->dtype != out->dtype)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: %u paddings for %u dimensions", n, in->shape.rank);
	p = tn_binder_simple(b, KERNEL_PAD, 1);
	return p && pad_dims(b, paddings, p) && pad_fill(b, p) &&
	       tn_binder_element_size(b, in, &p->size);
}
