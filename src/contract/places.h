/* Inside contract/: ops that write one output element after the other, each from a few
 * places that attributes, constants or indices choose. */
#ifndef TN_CONTRACT_PLACES_H
#define TN_CONTRACT_PLACES_H

#include "contract/walk.h"

struct tn_places;

/* The reads of output element i; how many. */
typedef uint32_t tn_places_fn(
	const struct tn_places *s, int64_t i, struct tn_access *reads);

struct tn_places {
	const struct tn_walk *w;
	tn_places_fn *reads;
	int64_t max_reads;
	int64_t n; /* output elements */
	/* NHWC of both sides, or outer x n x inner; what the op's functions use */
	int64_t batches, in_h, in_w, in_c, out_h, out_w, out_c;
	int64_t k_h, k_w, stride_h, stride_w, top, left;
	int64_t outer, inner, along;
	bool flag; /* half pixel centres, reverse */
	double scale[2]; /* exact: of single precision, or integers */
	uint32_t data, index; /* operands */
	int64_t dim[TN_RANK_MAX], stride[TN_RANK_MAX];
};

/* Each fills s, and is false when the shapes do not fit. */
typedef bool tn_places_of_fn(struct tn_places *s);
tn_places_of_fn tn_places_bilinear, tn_places_transpose_conv, tn_places_arg,
	tn_places_cumsum, tn_places_space_to_batch, tn_places_gather, tn_places_gather_nd,
	tn_places_update_slice, tn_places_fill, tn_places_broadcast_args,
	tn_places_nothing;

/* The output element that step i of the ascending order writes. */
int64_t tn_places_output(const struct tn_places *s, int64_t i);

/* Adds `count` elements of the operand from `element`; nothing when it is a constant. */
uint32_t tn_places_add(const struct tn_places *s, uint32_t operand, int64_t element,
	int64_t count, struct tn_access *reads, uint32_t n);

#endif
