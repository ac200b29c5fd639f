/* Layers of int8 that packed kernels run, as ops of a graph: shapes that reach every path of
 * those kernels, with random constants. */
#ifndef TN_TESTS_LAYERS_H
#define TN_TESTS_LAYERS_H

#include "ir/seed.h"
#include "net.h"

struct layer {
	const char *name;
	enum tn_op_kind kind;
	int64_t batches, h, w, c, out_c, k_h, k_w, stride;
	const char *pad;
	int64_t in_zero, out_zero;
	const char *activation;
	bool packed; /* all sets but the portable one have a kernel for it */
	int64_t dilation; /* 0: 1 */
	bool mve; /* that set alone has one */
};

extern const struct layer layers[];
extern const size_t n_layers;

/* Less than n. */
uint32_t layer_pick(struct tn_seed *r, uint32_t n);

/* Adds the layer with its tensors to a graph that was started. */
void layer_add(struct net *n, const struct layer *l, struct tn_seed *r);

#endif
