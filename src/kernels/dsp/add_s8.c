/* Sum of two int8 tensors whose rescaling is one linear function, as binding has found for
 * all pairs of values. Element by element, in the order of the contract. */
#include "sum_s8.h"

void tn_dsp_add_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_dsp_add_params p = *(const struct tn_dsp_add_params *)params;
	const tn_s8 *a = in[0], *b = in[1];
	int32_t step = p.order.descending ? -1 : 1;
	tn_s8 *y = out[0];

	(void)scratch;
	if (step < 0) {
		for (int32_t i = p.n - 1; i >= 0; i--)
			tn_add_element_s8(&p, a + i, b + i, y + i);
		return;
	}
	for (int32_t n = p.n / 4; n > 0; n--, a += 4, b += 4, y += 4) {
		tn_add_element_s8(&p, a, b, y);
		tn_add_element_s8(&p, a + 1, b + 1, y + 1);
		tn_add_element_s8(&p, a + 2, b + 2, y + 2);
		tn_add_element_s8(&p, a + 3, b + 3, y + 3);
	}
	for (int32_t n = p.n % 4; n > 0; n--)
		tn_add_element_s8(&p, a++, b++, y++);
}
