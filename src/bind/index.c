/* Ops that read where indices say. The indices may be computed in the graph; one that is
 * out of range gives zeros. */
#include "bind/binder.h"
#include "bind/dims.h"

static bool wrong_shape(struct tn_binder *b)
{
	return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
		"cannot run: its output's shape is not what its operands give");
}

static int64_t product(const struct tn_shape *s, int64_t from, int64_t to)
{
	int64_t n = 1;

	for (int64_t d = from; d < to; d++)
		n *= s->dim[d];
	return n;
}

bool tn_bind_gather(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *at = tn_binder_in(b, 1);
	const struct tn_tensor *out = tn_binder_out(b, 0);
	int64_t axis = tn_op_int(b->op, "axis", 0);
	int64_t batch = tn_op_int(b->op, "batch_dims", 0);
	struct tn_gather_params *p;

	if (!in || !at)
		return false;
	if (at->dtype != DTYPE_I32 || in->dtype != out->dtype)
		return tn_binder_no_types(b);
	axis += axis < 0 ? in->shape.rank : 0;
	batch += batch < 0 ? at->shape.rank : 0;
	if (batch < 0 || batch > axis || axis >= in->shape.rank || batch > at->shape.rank)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: axis %lld after %lld batch dimensions",
			(long long)axis, (long long)batch);
	for (int64_t d = 0; d < batch; d++)
		if (in->shape.dim[d] != at->shape.dim[d])
			return wrong_shape(b);
	p = tn_binder_simple(b, KERNEL_GATHER, 2);
	if (!p)
		return false;
	p->batches = (int32_t)product(&in->shape, 0, batch);
	p->outer = (int32_t)product(&in->shape, batch, axis);
	p->n = (int32_t)in->shape.dim[axis];
	p->inner = (int32_t)product(&in->shape, axis + 1, in->shape.rank);
	p->indices = (int32_t)product(&at->shape, batch, at->shape.rank);
	if ((int64_t)p->batches * p->outer * p->indices * p->inner != out->elements)
		return wrong_shape(b);
	return tn_binder_element_size(b, in, &p->size);
}

bool tn_bind_gather_nd(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *at = tn_binder_in(b, 1);
	const struct tn_tensor *out = tn_binder_out(b, 0);
	int64_t stride[TN_RANK_MAX], rank, tuples;
	struct tn_gather_nd_params *p;

	if (!in || !at)
		return false;
	if (at->dtype != DTYPE_I32 || in->dtype != out->dtype)
		return tn_binder_no_types(b);
	rank = at->shape.rank > 0 ? at->shape.dim[at->shape.rank - 1] : 0;
	if (rank < 1 || rank > in->shape.rank)
		return wrong_shape(b);
	tuples = at->elements / rank;
	p = tn_binder_simple(b, KERNEL_GATHER_ND, 2);
	if (!p)
		return false;
	tn_shape_strides(&in->shape, stride);
	for (int64_t d = 0; d < rank; d++) {
		p->dim[d] = (int32_t)in->shape.dim[d];
		p->stride[d] = (int32_t)stride[d];
	}
	p->tuples = (int32_t)tuples;
	p->rank = (int32_t)rank;
	p->inner = (int32_t)product(&in->shape, rank, in->shape.rank);
	if (tuples * p->inner != out->elements)
		return wrong_shape(b);
	return tn_binder_element_size(b, in, &p->size);
}

static bool bind_embedding_f32(struct tn_binder *b, int64_t n, int64_t inner)
{
	struct tn_embedding_params *p = tn_binder_call(b, KERNEL_EMBEDDING_S8_F32, 2, 1);
	struct tn_scale scale;

	if (!p || !tn_binder_scale(b, tn_binder_in(b, 1), &scale))
		return false;
	if (scale.zero_point != 0)
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "has only a kernel for zero point 0");
	tn_binder_use(b, 0, 1);
	tn_binder_use(b, 1, 0);
	tn_binder_give(b, 0, 0);
	p->indices = (int32_t)tn_binder_in(b, 0)->elements;
	p->n = (int32_t)n;
	p->inner = (int32_t)inner;
	p->scale = scale.scale;
	return true;
}

/* Operands: indices, rows. */
bool tn_bind_embedding(struct tn_binder *b)
{
	const struct tn_tensor *at = tn_binder_in(b, 0), *rows = tn_binder_in(b, 1);
	const struct tn_tensor *out = tn_binder_out(b, 0);
	struct tn_gather_params *p;
	int64_t n, inner;

	if (!at || !rows || at->dtype != DTYPE_I32)
		return tn_binder_no_types(b);
	if (rows->shape.rank < 2)
		return wrong_shape(b);
	n = rows->shape.dim[0];
	inner = product(&rows->shape, 1, rows->shape.rank);
	if (at->elements * inner != out->elements)
		return wrong_shape(b);
	if (rows->dtype == DTYPE_I8 && out->dtype == DTYPE_F32)
		return bind_embedding_f32(b, n, inner);
	if (rows->dtype != out->dtype)
		return tn_binder_no_types(b);
	p = tn_binder_call(b, KERNEL_GATHER, 2, 1);
	if (!p)
		return false;
	tn_binder_use(b, 0, 1);
	tn_binder_use(b, 1, 0);
	tn_binder_give(b, 0, 0);
	p->batches = 1;
	p->outer = 1;
	p->indices = (int32_t)at->elements;
	p->n = (int32_t)n;
	p->inner = (int32_t)inner;
	return tn_binder_element_size(b, rows, &p->size);
}

bool tn_bind_update_slice(struct tn_binder *b)
{
	const struct tn_tensor *in = tn_binder_in(b, 0), *part = tn_binder_in(b, 1);
	const struct tn_tensor *at = tn_binder_in(b, 2), *out = tn_binder_out(b, 0);
	struct tn_update_slice_params *p;

	if (!in || !part || !at)
		return false;
	if (at->dtype != DTYPE_I32 || in->dtype != out->dtype || part->dtype != in->dtype)
		return tn_binder_no_types(b);
	if (!tn_shape_equal(&in->shape, &out->shape) ||
		part->shape.rank != in->shape.rank || at->elements != in->shape.rank)
		return wrong_shape(b);
	p = tn_binder_simple(b, KERNEL_UPDATE_SLICE, 3);
	if (!p)
		return false;
	p->rank = (int32_t)in->shape.rank;
	for (uint32_t d = 0; d < in->shape.rank; d++) {
		if (part->shape.dim[d] > in->shape.dim[d])
			return wrong_shape(b);
		p->dim[d] = (int32_t)in->shape.dim[d];
		p->update_dim[d] = (int32_t)part->shape.dim[d];
	}
	return tn_binder_element_size(b, in, &p->size);
}
