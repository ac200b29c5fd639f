/* Quotient of two int8 tensors, by a fixed-point reciprocal. */
#include "elements.h"
#include "fixed_exp.h"

static int32_t leading_zeros(uint32_t x)
{
	int32_t n = 0;

	while (n < 32 && !(x << n & 0x80000000u))
		n++;
	return n;
}

/* a / b in the output's scale, b > 0. */
static int32_t quotient(const struct tn_mul_params *p, int32_t a, int32_t b)
{
	int32_t zeros = leading_zeros((uint32_t)b);
	int32_t inverse =
		tn_reciprocal_1p((int32_t)(((uint32_t)b << zeros) - 0x80000000u));
	int32_t headroom = leading_zeros((uint32_t)(a < 0 ? ~a : a)) - 1;
	int32_t scaled = tn_mulh(tn_wrap_shl(a, headroom), inverse);
	int32_t shift = p->out_shift - (31 - zeros) - headroom;

	if (shift < -31)
		return 0;
	return tn_requantize(scaled, p->out_multiplier, shift);
}

static void div_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	const struct tn_mul_params *p = params;
	const tn_s8 *a = (const tn_s8 *)in[0] + row->a,
		    *b = (const tn_s8 *)in[1] + row->b;
	tn_s8 *result = (tn_s8 *)out + row->out;

	for (int32_t t = 0; t < row->n; t++) {
		int32_t i = tn_step_index(p->order, t, row->n);
		int32_t x = tn_load_s8(a, i * row->step_a) + p->a_offset;
		int32_t y = tn_load_s8(b, i * row->step_b) + p->b_offset;
		int32_t value;

		if (y == 0) /* nobody defines this one: saturated */
			value = x > 0 ? p->act_max : x < 0 ? p->act_min : p->out_offset;
		else
			value = tn_wrap_add(p->out_offset,
				quotient(p, y < 0 ? -x : x, y < 0 ? -y : y));
		tn_store_s8(result, i, tn_clamp_s32(value, p->act_min, p->act_max));
	}
}

void tn_div_s8(const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_mul_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, div_row, p, in, out[0]);
}
