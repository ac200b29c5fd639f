/* Any function of one int8 element, by table. */
#include "elements.h"

void tn_lut_s8(const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_lut_params *p = params;
	const tn_s8 *x = in[0], *table = p->table;
	tn_s8 *y = out[0];
	int32_t n = p->n, i = p->order.descending ? n - 1 : 0;
	int32_t d = p->order.descending ? -1 : 1;

	(void)scratch;
	for (int32_t t = 0; t < n; t++, i += d)
		tn_store_s8(y, i, table[tn_load_s8(x, i) + 128]);
}
