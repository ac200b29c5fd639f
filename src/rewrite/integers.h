/* Float ops between DEQUANTIZE and QUANTIZE. For rewrite/ only. */
#ifndef TN_REWRITE_INTEGERS_H
#define TN_REWRITE_INTEGERS_H

#include "rewrite/edit.h"

/* Every FAKE_QUANT to int8 becomes a QUANTIZE and a DEQUANTIZE. Ops move. */
void tn_integers_split(struct tn_edit *e);

/* Is a value the same after DEQUANTIZE and QUANTIZE with the tensor's scale? */
bool tn_integers_come_back(const struct tn_tensor *t);

/* The quantised value that operand k stands for: what its DEQUANTIZE reads. TN_NONE: it
 * has none, or one that is written again. */
tn_tensor_id tn_integers_behind(struct tn_edit *e, const struct tn_op *op, uint32_t k);

/* A filter and a bias in floats as integers; false when the floats lie on no such grid,
 * or memory ran out. */
bool tn_integers_weights(struct tn_edit *e, const struct tn_op *op,
	const struct tn_tensor *x, tn_tensor_id *out_filter, tn_tensor_id *out_bias);

#endif
