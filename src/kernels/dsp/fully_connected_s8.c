/* Fully connected layer of int8 for processors with DSP instructions. The end of a row is
 * expanded to halfwords, which takes twice its bytes; the rest is read in place, as often as
 * the steps say. Where they ask for all of the row first, all of it is expanded. */
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

/* Blocks of four places that stay in the row. */
static int32_t direct_blocks(const struct tn_dsp_fc_params *p)
{
	if (p->order.descending || p->order.hold || p->in_n <= TN_STRIP_PLACES)
		return 0;
	return (p->in_n - TN_STRIP_PLACES + 3) / 4;
}

void tn_dsp_fully_connected_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_dsp_fc_params *p = params;
	const int32_t direct = direct_blocks(p), rest = p->in_n - 4 * direct;
	struct tn_dot d = { .channels = p->out_n,
		.direct = direct,
		.strip = scratch,
		.blocks = (rest + 3) / 4,
		.stream = in[1],
		.floor = p->floor };

	for (int32_t t = 0; t < p->rows; t++) {
		int32_t row = p->order.descending ? p->rows - 1 - t : t;

		d.row = (const tn_s8 *)in[0] + row * p->in_n;
		expand_row(scratch, d.row + 4 * direct, rest);
		d.out = (int8_t *)out[0] + row * p->out_n;
		tn_dot_s8(&d);
	}
}
