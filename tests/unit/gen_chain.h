/* Small nets of ops that run row by row, each on the result of the one before: windows, sums
 * of what has the same shape, RELU, and at the end perhaps a mean over planes. */
#ifndef TN_TESTS_GEN_CHAIN_H
#define TN_TESTS_GEN_CHAIN_H

#include "net.h"

/* int8 or f32, by the seed. The caller releases the net. */
void gen_chain(struct net *n, uint32_t seed);

struct chain_layer {
	enum tn_op_kind kind; /* a window; OP_MEAN of planes; OP_RELU: or the sum of the
	                         last value and an earlier one of its shape */
	int64_t k[2]; /* height and width, as in those below; 0: as large as the plane */
	int64_t stride[2], dilation[2];
	int64_t channels; /* of a convolution's output */
	bool same; /* padding; else VALID */
};

/* Just these; only the last may be an OP_MEAN. The caller releases the net. */
void make_chain(struct net *n, enum tn_dtype dtype, const int64_t dims[4],
	const struct chain_layer *layers, uint32_t n_layers);

#endif
