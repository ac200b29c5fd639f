#include "ir/shape.h"

#include "base/checked.h"

bool tn_shape_is_known(const struct tn_shape *shape)
{
	for (uint32_t i = 0; i < shape->rank; i++)
		if (shape->dim[i] < 0)
			return false;
	return true;
}

bool tn_shape_equal(const struct tn_shape *a, const struct tn_shape *b)
{
	if (a->rank != b->rank)
		return false;
	for (uint32_t i = 0; i < a->rank; i++)
		if (a->dim[i] != b->dim[i])
			return false;
	return true;
}

bool tn_shape_elements(const struct tn_shape *shape, int64_t *out_elements)
{
	int64_t n = 1;

	if (!tn_shape_is_known(shape))
		return false;
	for (uint32_t i = 0; i < shape->rank; i++) {
		if (shape->dim[i] == 0) {
			*out_elements = 0;
			return true;
		}
	}
	for (uint32_t i = 0; i < shape->rank; i++)
		if (!tn_mul_i64(n, shape->dim[i], &n))
			return false;
	*out_elements = n;
	return true;
}

void tn_shape_strides(const struct tn_shape *shape, int64_t out_strides[TN_RANK_MAX])
{
	int64_t stride = 1;

	for (uint32_t i = shape->rank; i-- > 0;) {
		out_strides[i] = stride;
		if (!tn_mul_i64(stride, shape->dim[i] > 0 ? shape->dim[i] : 1, &stride))
			stride = 0;
	}
}

bool tn_shape_broadcast_strides(const struct tn_shape *from, const struct tn_shape *to,
	int64_t out_strides[TN_RANK_MAX])
{
	int64_t dense[TN_RANK_MAX] = { 0 };

	if (from->rank > to->rank)
		return false;
	tn_shape_strides(from, dense);
	for (uint32_t i = 0; i < to->rank; i++) {
		uint32_t skip = to->rank - from->rank;
		int64_t dim = i < skip ? 1 : from->dim[i - skip];

		if (dim != 1 && dim != to->dim[i])
			return false;
		out_strides[i] = dim == 1 ? 0 : dense[i - skip];
	}
	return true;
}
