/* Moves along a table for each dimension. */
#include "elements.h"

/* Sum of the tables' entries for the i-th index. */
static int32_t source(const struct tn_mapped_params *p, int32_t i)
{
	const int32_t *table = p->table + p->n_table;
	int32_t sum = 0;

	for (int32_t k = p->rank - 1; k >= 0; k--) {
		int32_t rest = i / p->dim[k];

		table -= p->dim[k];
		sum += table[i - rest * p->dim[k]];
		i = rest;
	}
	return sum;
}

void tn_mapped(const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_mapped_params *p = params;
	int32_t runs = tn_dims_count(p->dim, p->rank);

	(void)scratch;
	for (int32_t t = 0; t < runs; t++) {
		int32_t i = tn_step_index(p->order, t, runs);

		tn_move_run((tn_u8 *)out[0] + i * p->run * p->size,
			(const tn_u8 *)in[0] + source(p, i) * p->size, p->run, 1, p->size,
			p->order.descending);
	}
}
