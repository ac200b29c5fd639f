/* What ops on single elements make of every value that an element can have: where all
 * results are equal, two chains are one. For rewrite/ only. */
#ifndef TN_REWRITE_VALUES_H
#define TN_REWRITE_VALUES_H

#include "rewrite/edit.h"

#define TN_VALUES_OPS_MAX 32

/* The operand that is no constant, of an op whose result at an index depends on that
 * operand there and on nothing else; false when it is no such op. */
bool tn_values_operand(struct tn_edit *e, const struct tn_op *op, uint32_t *out_k);

/* How many values an element of the tensor has: 256, 65,536, or 0 for all other types. */
int64_t tn_values_count(const struct tn_tensor *t);

/* The results of a chain of such ops, each the operand of the next, for every value of the
 * first one's operand, the least first, as bytes of the last one's output. NULL: there is
 * no kernel. */
const uint8_t *tn_values_of_chain(struct tn_edit *e, const tn_op_id *ids, uint32_t n);

/* The same for a tree of ops over two operands a and b: entry i * 256 + j is for the i-th
 * value of a and the j-th of b. Both have one byte. */
const uint8_t *tn_values_of_pair(struct tn_edit *e, const tn_op_id *ids, uint32_t n,
	tn_tensor_id a, tn_tensor_id b);

/* Is it known that such an op, as it is now, cannot be run? A chain that could not be run
 * is remembered by the ops that are to blame, and by those that are like them. */
bool tn_values_fail(struct tn_edit *e, const struct tn_op *op);

/* Would the op as it is now have a kernel? */
bool tn_values_has_kernel(struct tn_edit *e, const struct tn_op *op);

#endif
