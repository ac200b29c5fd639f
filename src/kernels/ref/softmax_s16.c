/* Softmax of int16 over the last dimension, by two interpolated tables. */
#include "elements.h"
#include "fixed.h"

static int32_t lookup(const int16_t *table, int32_t x)
{
	int32_t i = 256 + (x >> 7), slope = (int16_t)(table[i + 1] - table[i]);

	return (int16_t)(table[i] + ((slope * (x & 127) + 64) >> 7));
}

/* exp of a difference to the greatest element, 15 fractional bits */
static int32_t exp_of(const struct tn_softmax_s16_params *p, int32_t difference)
{
	int32_t x =
		tn_wrap_add(tn_requantize(difference, p->multiplier, p->shift), 32767);

	return lookup(p->exp_table, tn_clamp_s32(x, INT16_MIN, INT16_MAX));
}

struct row {
	int32_t max, reciprocal, shift;
};

static struct row row_of(const struct tn_softmax_s16_params *p, const tn_s16 *x)
{
	struct row row = { INT16_MIN, 0, 0 };
	int32_t sum = 0, zeros = 0, shifted;

	for (int32_t i = 0; i < p->n; i++) {
		int32_t value = tn_load_s16(x, i);

		row.max = value > row.max ? value : row.max;
	}
	for (int32_t i = 0; i < p->n; i++) {
		int32_t e = exp_of(p, tn_load_s16(x, i) - row.max);

		sum = e > INT32_MAX - sum ? INT32_MAX : sum + e;
	}
	while (zeros < 31 && !((uint32_t)sum << zeros & 0x80000000u))
		zeros++;
	shifted = (int32_t)((((int64_t)sum << (zeros - 1)) + (1 << 13)) >> 14);
	row.reciprocal = lookup(p->reciprocal_table,
		tn_clamp_s32(shifted - 0x18000, INT16_MIN, INT16_MAX));
	row.shift = 31 - zeros;
	return row;
}

void tn_softmax_s16(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_softmax_s16_params *p = params;

	(void)scratch;
	for (int32_t r = 0; r < p->rows; r++) {
		int32_t start = tn_step_index(p->order, r, p->rows) * p->n;
		const tn_s16 *x = (const tn_s16 *)in[0] + start;
		tn_s16 *y = (tn_s16 *)out[0] + start;
		struct row row = row_of(p, x);

		for (int32_t t = 0; t < p->n; t++) {
			int32_t i = tn_step_index(p->order, t, p->n);
			int64_t e = exp_of(p, tn_load_s16(x, i) - row.max);
			int64_t half = INT64_C(1) << (row.shift - 1);
			int32_t value =
				(int32_t)((e * row.reciprocal + half) >> row.shift);

			tn_store_s16(y, i, tn_clamp_s32(value, 0, INT16_MAX));
		}
	}
}
