/* What backward needs of a forward op: rules/autograd.def. */
#ifndef TN_CLAIMS_AUTOGRAD_H
#define TN_CLAIMS_AUTOGRAD_H

#include "claims/model.h"

/* Does the op keep this operand (inputs first, then outputs) for its backward pass? */
bool tn_autograd_saves(const struct tn_model *m, uint32_t op, uint32_t operand);

#endif
