/* Logical not of booleans. */
#include "elements.h"

void tn_logical_not(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_unary_params *p = params;

	(void)scratch;
	for (int32_t t = 0; t < p->n; t++) {
		int32_t i = tn_step_index(p->order, t, p->n);

		tn_store_s8(out[0], i, !tn_load_s8(in[0], i));
	}
}
