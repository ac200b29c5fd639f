/* ARG_MAX and ARG_MIN of integers: the first of equals. */
#include "typed.h"

void tn_arg_int(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_arg_params *p = params;
	int32_t columns = p->outer * p->inner;

	(void)scratch;
	for (int32_t t = 0; t < columns; t++) {
		int32_t o = tn_step_index(p->order, t, columns);
		int32_t at = o / p->inner * p->n * p->inner + o % p->inner, best = 0;
		int32_t value = tn_load_typed(in[0], at, p->type);

		for (int32_t k = 1; k < p->n; k++) {
			int32_t next = tn_load_typed(in[0], at + k * p->inner, p->type);

			if (p->least ? next < value : next > value) {
				value = next;
				best = k;
			}
		}
		tn_store_s32(out[0], o, best);
	}
}
