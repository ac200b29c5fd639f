/* What backward needs of a forward op: rules/autograd.def. */
#ifndef TN_CLAIMS_AUTOGRAD_H
#define TN_CLAIMS_AUTOGRAD_H

#include "claims/model.h"

/* Does the op keep this operand (inputs first, then outputs) for its backward pass, when
 * it runs in place of its first operand, or not? */
bool tn_autograd_saves(
	const struct tn_model *m, uint32_t op, uint32_t operand, bool in_place);

#endif
