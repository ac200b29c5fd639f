/* Fully connected layer of int8 for processors without DSP instructions, four channels at a
 * time. A row is read in place, as often as the steps say, and copied where they ask for all
 * of it first. */
#include "copy_s8.h"
#include "dot_s8.h"
#include "tenure/kernels.h"

#define CHANNELS 4

/* `n` outputs, at most four, from c on; the last one stands for those that are not there. */
static void compute(const struct tn_thumb_fc_params *p, const void *const *in,
	const tn_s8 *row, int32_t c, int32_t n, tn_s8 *out)
{
	const int32_t *k = (const int32_t *)in[2] + TN_CONSTANTS * c;
	struct tn_dot d = { .x = row };

	for (int32_t i = 0; i < CHANNELS; i++) {
		int32_t at = i < n ? i : n - 1;

		d.w[i] = (const int8_t *)in[1] + (c + at) * p->in_n;
		d.sum[i] = k[TN_CONSTANTS * at];
	}
	tn_dot_4x1(&d, p->in_n);
	for (int32_t i = 0; i < n; i++)
		tn_store_s8(out, c + i, tn_thumb_rescale(d.sum[i], k + TN_CONSTANTS * i));
}

void tn_thumb_fully_connected_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_thumb_fc_params *p = params;

	for (int32_t t = 0; t < p->rows; t++) {
		int32_t i = p->order.descending ? p->rows - 1 - t : t;
		const tn_s8 *row = (const tn_s8 *)in[0] + i * p->in_n;
		tn_s8 *y = (tn_s8 *)out[0] + i * p->out_n;

		if (p->order.hold) {
			tn_copy_in(scratch, row, p->in_n);
			row = scratch;
		}
		for (int32_t left = p->out_n, n; left > 0; left -= n) {
			n = left < CHANNELS ? left : CHANNELS;
			compute(p, in, row,
				p->order.descending ? left - n : p->out_n - left, n, y);
		}
	}
}
