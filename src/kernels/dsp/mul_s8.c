/* Product of two int8 tensors for processors with DSP instructions, four elements at a time:
 * they are read before any of them is written. */
#include "product_s8.h"

static inline void four(const struct tn_product *p, uint32_t a_offsets,
	uint32_t b_offsets, const tn_s8 *a, const tn_s8 *b, tn_s8 *out)
{
	const uint32_t x = tn_load_word(a), y = tn_load_word(b);
	const uint32_t even = tn_double16(tn_sxtab16(a_offsets, x));
	const uint32_t odd = tn_double16(tn_sxtab16_odd(a_offsets, x));
	const uint32_t u = tn_sxtab16(b_offsets, y), v = tn_sxtab16_odd(b_offsets, y);

	tn_store_s8(out, 0, tn_product_rescale(p, tn_low(even) * tn_low(u)));
	tn_store_s8(out, 1, tn_product_rescale(p, tn_low(odd) * tn_low(v)));
	tn_store_s8(out, 2, tn_product_rescale(p, tn_high(even) * tn_high(u)));
	tn_store_s8(out, 3, tn_product_rescale(p, tn_high(odd) * tn_high(v)));
}

static void mul_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	const struct tn_mul_params *m = params;
	const struct tn_product p = tn_product_of(m);
	const uint32_t a_offsets = (uint32_t)(p.a_offset & 0xffff) * 0x10001u;
	const uint32_t b_offsets = (uint32_t)(p.b_offset & 0xffff) * 0x10001u;
	const tn_s8 *a = (const tn_s8 *)in[0] + row->a,
		    *b = (const tn_s8 *)in[1] + row->b;
	const int down = m->order.descending, plain = row->step_a && row->step_b;
	const int32_t fours = plain ? row->n / 4 : 0, rest = row->n - 4 * fours;
	const int32_t step = down ? -4 : 4;
	tn_s8 *y = (tn_s8 *)out + row->out;
	int32_t i = down ? row->n - 4 : 0;

	for (int32_t n = fours; n > 0; n--, i += step)
		four(&p, a_offsets, b_offsets, a + i, b + i, y + i);
	i = down ? 0 : 4 * fours;
	tn_product_elements(&p, a + i * row->step_a, row->step_a, b + i * row->step_b,
		row->step_b, y + i, rest, down);
}

void tn_dsp_mul_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_mul_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, mul_row, p, in, out[0]);
}
