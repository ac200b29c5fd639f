#include "bind/dims.h"

#include <string.h>

#include "base/banned.h"

void tn_dims_init(struct tn_dims *d, uint32_t operands)
{
	memset(d, 0, sizeof(*d));
	d->operands = operands;
}

void tn_dims_add(struct tn_dims *d, int64_t dim, const int64_t stride[3])
{
	uint32_t last = d->rank - 1;
	bool merges = d->rank > 0;

	if (dim == 1)
		return;
	for (uint32_t k = 0; merges && k < d->operands; k++)
		merges = d->stride[k][last] == dim * stride[k];
	if (!merges)
		last = d->rank++;
	d->dim[last] = (int32_t)(merges ? d->dim[last] * dim : dim);
	for (uint32_t k = 0; k < d->operands; k++)
		d->stride[k][last] = (int32_t)stride[k];
}

void tn_dims_finish(struct tn_dims *d)
{
	if (d->rank > 0)
		return;
	d->rank = 1;
	d->dim[0] = 1;
}

bool tn_dims_broadcast(struct tn_binder *b, uint32_t operands, struct tn_dims *out)
{
	const struct tn_tensor *result = tn_binder_out(b, 0);
	int64_t stride[3][TN_RANK_MAX] = { { 0 } };

	tn_dims_init(out, operands);
	for (uint32_t k = 0; k < operands; k++) {
		const struct tn_tensor *t = tn_binder_in(b, k);

		if (!t)
			return false;
		if (!tn_shape_broadcast_strides(&t->shape, &result->shape, stride[k]))
			return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
				"cannot run: operand '%s' does not broadcast to the "
				"output",
				t->name);
	}
	for (uint32_t i = 0; i < result->shape.rank; i++) {
		const int64_t at[3] = { stride[0][i], stride[1][i], stride[2][i] };

		tn_dims_add(out, result->shape.dim[i], at);
	}
	tn_dims_finish(out);
	return true;
}

bool tn_binder_broadcast(struct tn_binder *b, struct tn_broadcast *out)
{
	struct tn_dims d;

	if (!tn_dims_broadcast(b, 2, &d))
		return false;
	out->rank = (int32_t)d.rank;
	memcpy(out->dim, d.dim, sizeof(out->dim));
	memcpy(out->stride_a, d.stride[0], sizeof(out->stride_a));
	memcpy(out->stride_b, d.stride[1], sizeof(out->stride_b));
	return true;
}

bool tn_binder_axes(struct tn_binder *b, uint32_t k, const char *attr,
	const struct tn_shape *shape, bool out[TN_RANK_MAX])
{
	int64_t axes[TN_RANK_MAX];
	uint32_t n;

	memset(out, 0, TN_RANK_MAX * sizeof(*out));
	if (!tn_binder_ints(b, k, attr, axes, TN_RANK_MAX, &n))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		int64_t axis = axes[i] < 0 ? axes[i] + shape->rank : axes[i];

		if (axis < 0 || axis >= shape->rank)
			return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
				"cannot run: axis %lld of %u dimensions",
				(long long)axes[i], shape->rank);
		out[axis] = true;
	}
	return true;
}

bool tn_binder_fold(struct tn_binder *b, const bool folded[TN_RANK_MAX],
	struct tn_fold *out, int64_t *out_count)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *result = tn_binder_out(b, 0);
	struct tn_dims kept, gone;
	int64_t dense[TN_RANK_MAX];
	int64_t outputs = 1;

	tn_dims_init(&kept, 1);
	tn_dims_init(&gone, 1);
	tn_shape_strides(&in->shape, dense);
	*out_count = 1;
	for (uint32_t i = 0; i < in->shape.rank; i++) {
		const int64_t at[3] = { dense[i] };
		int64_t dim = in->shape.dim[i];

		tn_dims_add(folded[i] ? &gone : &kept, dim, at);
		*(folded[i] ? out_count : &outputs) *= dim;
	}
	if (outputs != result->elements)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: %lld results for %lld outputs", (long long)outputs,
			(long long)result->elements);
	tn_dims_finish(&kept);
	tn_dims_finish(&gone);
	out->out_rank = (int32_t)kept.rank;
	memcpy(out->out_dim, kept.dim, sizeof(out->out_dim));
	memcpy(out->out_stride, kept.stride[0], sizeof(out->out_stride));
	out->fold_rank = (int32_t)gone.rank;
	memcpy(out->fold_dim, gone.dim, sizeof(out->fold_dim));
	memcpy(out->fold_stride, gone.stride[0], sizeof(out->fold_stride));
	return true;
}

bool tn_binder_element_size(struct tn_binder *b, const struct tn_tensor *t, int32_t *out)
{
	int bits = tn_dtype_bits(t->dtype);

	if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"has no kernel for elements of type %s", tn_dtype_name(t->dtype));
	*out = bits / 8;
	return true;
}

bool tn_binder_strided(struct tn_binder *b, const struct tn_dims *d, int64_t base)
{
	struct tn_strided_params *p = tn_binder_simple(b, KERNEL_STRIDED, 1);

	if (!p)
		return false;
	p->rank = (int32_t)d->rank;
	memcpy(p->dim, d->dim, sizeof(p->dim));
	memcpy(p->stride, d->stride[0], sizeof(p->stride));
	p->base = (int32_t)base;
	return tn_binder_element_size(b, tn_binder_in(b, 0), &p->size);
}
