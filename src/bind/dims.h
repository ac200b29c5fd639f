/* Shapes as kernels want them: few dimensions, long innermost runs. */
#ifndef TN_BIND_DIMS_H
#define TN_BIND_DIMS_H

#include "bind/binder.h"

/* Output dimensions with strides in elements of up to three operands. Never empty. */
struct tn_dims {
	uint32_t rank; /* at least 1, at most TN_DIMS_MAX */
	int32_t dim[TN_DIMS_MAX];
	int32_t stride[3][TN_DIMS_MAX];
	uint32_t operands;
};

/* Starts with rank 0; dimensions are added from the outermost. A dimension that continues
 * the one before it in every operand is merged with it, one of size 1 is dropped. */
void tn_dims_init(struct tn_dims *d, uint32_t operands);
void tn_dims_add(struct tn_dims *d, int64_t dim, const int64_t stride[3]);
/* Makes a rank of at least 1. */
void tn_dims_finish(struct tn_dims *d);

/* The op's first `operands` inputs, broadcast to its output. Refuses what does not fit. */
bool tn_dims_broadcast(struct tn_binder *b, uint32_t operands, struct tn_dims *out);
bool tn_binder_broadcast(struct tn_binder *b, struct tn_broadcast *out);

/* A list of axes (operand `k` or attribute), negative ones counted from the end, as one
 * flag a dimension. Refuses axes out of range. */
bool tn_binder_axes(struct tn_binder *b, uint32_t k, const char *attr,
	const struct tn_shape *shape, bool out[TN_RANK_MAX]);

/* Input 0 folded along the flagged axes; *out_count elements make one output. */
bool tn_binder_fold(struct tn_binder *b, const bool folded[TN_RANK_MAX],
	struct tn_fold *out, int64_t *out_count);

/* Bytes of an element that the moving kernels handle; refuses others. */
bool tn_binder_element_size(struct tn_binder *b, const struct tn_tensor *t, int32_t *out);

/* Starts a call of the kernel that reads input 0 through the strides. */
bool tn_binder_strided(struct tn_binder *b, const struct tn_dims *d, int64_t base);

#endif
