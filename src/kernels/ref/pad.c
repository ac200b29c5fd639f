/* Constant padding of any element type. */
#include "elements.h"

/* Where row `r` of the output lies in the input, or -1: all of it is padding. */
static int32_t source_row(const struct tn_pad_params *p, int32_t r)
{
	int32_t row = 0, stride = 1;

	for (int32_t k = p->rank - 2; k >= 0; k--) {
		int32_t rest = r / p->out_dim[k];
		int32_t i = r - rest * p->out_dim[k] - p->before[k];

		if (i < 0 || i >= p->in_dim[k])
			return -1;
		row += i * stride;
		stride *= p->in_dim[k];
		r = rest;
	}
	return row;
}

static void pad_row(const struct tn_pad_params *p, tn_u8 *out, const tn_u8 *in)
{
	int32_t last = p->rank - 1;
	int down = p->order.descending;
	int32_t before = p->before[last], middle = p->in_dim[last];
	int32_t after = p->out_dim[last] - before - middle;
	tn_u8 *copied = out + before * p->size, *behind = copied + middle * p->size;

	if (!in) {
		tn_fill_run(out, p->out_dim[last], p->fill, p->size, down);
	} else if (!down) {
		tn_fill_run(out, before, p->fill, p->size, 0);
		tn_move_run(copied, in, middle, 1, p->size, 0);
		tn_fill_run(behind, after, p->fill, p->size, 0);
	} else {
		tn_fill_run(behind, after, p->fill, p->size, 1);
		tn_move_run(copied, in, middle, 1, p->size, 1);
		tn_fill_run(out, before, p->fill, p->size, 1);
	}
}

void tn_pad(const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_pad_params *p = params;
	int32_t last = p->rank - 1;
	int32_t rows = tn_dims_count(p->out_dim, last);

	(void)scratch;
	for (int32_t t = 0; t < rows; t++) {
		int32_t r = tn_step_index(p->order, t, rows);
		int32_t source = source_row(p, r);
		const tn_u8 *row = (const tn_u8 *)in[0] +
				   (source < 0 ? 0 : source) * p->in_dim[last] * p->size;

		pad_row(p, (tn_u8 *)out[0] + r * p->out_dim[last] * p->size,
			source < 0 ? 0 : row);
	}
}
