/* Fully connected layer of int8 for processors with DSP instructions. A row is expanded to
 * halfwords before anything of its output is written. */
#include "dot_s8.h"
#include "expand_s8.h"
#include "tenure/kernels.h"

static void expand_row(uint32_t *strip, const tn_s8 *row, int32_t n)
{
	for (; n >= 8; n -= 8, row += 8, strip += 4) {
		uint32_t a = tn_load_word(row), b = tn_load_word(row + 4);

		strip[0] = tn_sxtb16(a);
		strip[1] = tn_sxtb16_odd(a);
		strip[2] = tn_sxtb16(b);
		strip[3] = tn_sxtb16_odd(b);
	}
	for (; n > 0; n -= 4, row += 4, strip += 2) {
		uint32_t a = n >= 4 ? tn_load_word(row) : tn_load_rest(row, n);

		strip[0] = tn_sxtb16(a);
		strip[1] = tn_sxtb16_odd(a);
	}
}

void tn_dsp_fully_connected_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_dsp_fc_params *p = params;
	struct tn_dot d = { .channels = p->out_n,
		.strip = scratch,
		.stream = in[1],
		.blocks = (p->in_n + 3) / 4,
		.floor = p->floor };

	for (int32_t t = 0; t < p->rows; t++) {
		int32_t row = p->order.descending ? p->rows - 1 - t : t;

		expand_row(scratch, (const tn_s8 *)in[0] + row * p->in_n, p->in_n);
		d.out = (int8_t *)out[0] + row * p->out_n;
		tn_dot_s8(&d);
	}
}
