/* Geometry of the normalisations that have parameters: BATCH_NORM and LAYER_NORM. */
#ifndef TN_IR_NORM_H
#define TN_IR_NORM_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/graph.h"

/* The operand as outer x n x inner.
 *   BATCH_NORM  n channels along the axis, each with a scale, an offset, a mean and a
 *               variance (operands 1 to 4; scale and offset may be absent)
 *   LAYER_NORM  rows of n elements: all dimensions from the axis on, so inner is 1; a scale
 *               and an offset for each element of a row (operands 1 and 2; may be absent) */
struct tn_norm {
	int64_t outer, n, inner;
};

/* BATCH_NORM whose attributes say that it takes the statistics of the batch at hand: it
 * needs all of it before the first result. */
bool tn_norm_is_training(const struct tn_op *op);

/* SOFTMAX, LOG_SOFTMAX, L2_NORMALIZATION: do they go along the last of `rank` dimensions, by
 * `axis` or because they have none? Nothing is known of how another one is gone along. */
bool tn_norm_is_by_rows(const struct tn_op *op, uint32_t rank);

/* From shapes and attributes: `axis` (default: the last dimension), the parameters' sizes,
 * outputs behind the first (LAYER_NORM: mean and 1 / deviation of each row; BATCH_NORM:
 * none with elements). False, with a reason for a message, when the op is no such op, its
 * shapes do not fit together, or it is training. */
bool tn_norm_of(const struct tn_graph *g, const struct tn_op *op, struct tn_norm *out,
	const char **out_why);

#endif
