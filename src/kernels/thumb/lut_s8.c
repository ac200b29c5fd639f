/* Any function of one int8 element, by table, four elements at a time. Each is written before
 * the next one is read. */
#include "ref/elements.h"

void tn_thumb_lut_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_lut_params *p = params;
	const tn_s8 *x = in[0], *table = p->table + 128;
	const int32_t rest = p->n % 4;
	tn_s8 *y = out[0];

	(void)scratch;
	if (p->order.descending) {
		x += p->n;
		y += p->n;
		for (int32_t n = p->n / 4; n > 0; n--) {
			tn_store_s8(y, -1, table[tn_load_s8(x, -1)]);
			tn_store_s8(y, -2, table[tn_load_s8(x, -2)]);
			tn_store_s8(y, -3, table[tn_load_s8(x, -3)]);
			x -= 4;
			y -= 4;
			tn_store_s8(y, 0, table[tn_load_s8(x, 0)]);
		}
		for (int32_t i = 1; i <= rest; i++)
			tn_store_s8(y, -i, table[tn_load_s8(x, -i)]);
		return;
	}
	for (int32_t n = p->n / 4; n > 0; n--) {
		tn_store_s8(y, 0, table[tn_load_s8(x, 0)]);
		tn_store_s8(y, 1, table[tn_load_s8(x, 1)]);
		tn_store_s8(y, 2, table[tn_load_s8(x, 2)]);
		tn_store_s8(y, 3, table[tn_load_s8(x, 3)]);
		x += 4;
		y += 4;
	}
	for (int32_t i = 0; i < rest; i++)
		tn_store_s8(y, i, table[tn_load_s8(x, i)]);
}
