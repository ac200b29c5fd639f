/* Bodies of control flow that the file has flattened, and their tensors. */
#ifndef TN_CLAIMS_SCOPE_H
#define TN_CLAIMS_SCOPE_H

#include "ir/graph.h"

/* Index of the scope that the tensor belongs to, or TN_NONE. */
uint32_t tn_scope_of(const struct tn_graph *g, uint32_t tensor);

/* Two tensors of different scopes that are called the same, except for what tells the
 * scope ("x" and "x@body", "body/x", "x_inner"). */
bool tn_scope_shadows(const struct tn_graph *g, uint32_t a, uint32_t b);

/* Index of the branch that the op runs in, or TN_NONE. */
uint32_t tn_branch_of(const struct tn_graph *g, uint32_t op);

#endif
