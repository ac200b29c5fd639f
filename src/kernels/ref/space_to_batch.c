/* SPACE_TO_BATCH_ND over height and width. */
#include "elements.h"

/* Input pixel of output pixel (batch, y, x), or -1: padding. */
static int32_t source(
	const struct tn_space_to_batch_params *p, int32_t batch, int32_t y, int32_t x)
{
	int32_t block = batch / p->in_batches;
	int32_t iy = y * p->block_h + block / p->block_w - p->pad_top;
	int32_t ix = x * p->block_w + block % p->block_w - p->pad_left;

	if (iy < 0 || iy >= p->in_h || ix < 0 || ix >= p->in_w)
		return -1;
	return (batch % p->in_batches * p->in_h + iy) * p->in_w + ix;
}

void tn_space_to_batch(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_space_to_batch_params *p = params;
	int32_t pixels = p->in_batches * p->block_h * p->block_w * p->out_h * p->out_w;
	int32_t bytes = p->depth * p->size;

	(void)scratch;
	for (int32_t t = 0; t < pixels; t++) {
		int32_t o = tn_step_index(p->order, t, pixels);
		int32_t row = o / p->out_w;
		int32_t from = source(p, row / p->out_h, row % p->out_h, o % p->out_w);
		tn_u8 *to = (tn_u8 *)out[0] + o * bytes;

		if (from < 0)
			tn_fill_run(to, p->depth, p->fill, p->size, p->order.descending);
		else
			tn_move_run(to, (const tn_u8 *)in[0] + from * bytes, p->depth, 1,
				p->size, p->order.descending);
	}
}
