/* Logarithm of softmax of int8 over the last dimension. */
#include "elements.h"
#include "fixed_log.h"

struct row {
	int32_t max, log_sum, least;
};

static struct row row_of(const struct tn_log_softmax_s8_params *p, const tn_s8 *x)
{
	struct row row = { INT8_MIN, 0, 0 };
	int32_t sum = 0, reach;

	for (int32_t i = 0; i < p->n; i++) {
		int32_t value = tn_load_s8(x, i);

		row.max = value > row.max ? value : row.max;
	}
	for (int32_t i = 0; i < p->n; i++) {
		int32_t e = tn_shr_round(p->exp_table[row.max - tn_load_s8(x, i)], 12);

		sum = e > INT32_MAX - sum ? INT32_MAX : sum + e;
	}
	row.log_sum = tn_log_q12(sum);
	/* differences from here on would not fit Q5 */
	reach = tn_requantize(tn_wrap_add(row.log_sum, INT32_MIN), p->reverse_multiplier,
		p->reverse_shift);
	row.least = reach > p->diff_min - 1 ? reach : p->diff_min - 1;
	return row;
}

void tn_log_softmax_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_log_softmax_s8_params *p = params;

	(void)scratch;
	for (int32_t r = 0; r < p->rows; r++) {
		int32_t start = tn_step_index(p->order, r, p->rows) * p->n;
		const tn_s8 *x = (const tn_s8 *)in[0] + start;
		tn_s8 *y = (tn_s8 *)out[0] + start;
		struct row row = row_of(p, x);

		for (int32_t t = 0; t < p->n; t++) {
			int32_t i = tn_step_index(p->order, t, p->n);
			int32_t difference = tn_load_s8(x, i) - row.max;
			int32_t value = INT8_MIN;

			if (difference > row.least) {
				value = tn_requantize(
					difference, p->multiplier, p->shift);
				value = tn_wrap_sub(value, row.log_sum);
				value = tn_shr_round(value, 22) + INT8_MAX;
			}
			tn_store_s8(y, i, tn_clamp_s32(value, INT8_MIN, INT8_MAX));
		}
	}
}
