/* Bodies of control flow that the file has flattened, and their tensors. */
#ifndef TN_CLAIMS_SCOPE_H
#define TN_CLAIMS_SCOPE_H

#include "claims/model.h"

/* Two tensors of different scopes that are called the same, except for what tells the
 * scope ("x" and "x@body", "body/x", "x_inner"). */
bool tn_scope_shadows(const struct tn_model *m, uint32_t a, uint32_t b);

#endif
