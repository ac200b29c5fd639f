/* One op has many spellings: "aten::relu_.out", "torch.ops.aten.relu.default", "RELU" and
 * "Relu" are one type. */
#ifndef TN_IR_TYPE_NAME_H
#define TN_IR_TYPE_NAME_H

#include <stdbool.h>

/* Where in `type` the name begins, behind namespaces and dialects. */
const char *tn_type_bare(const char *type);

/* Are they the same but for namespace, overload, case, underscores and dashes? */
bool tn_type_same(const char *a, const char *b);

#endif
