/* Depthwise 3x3 convolution of int8 for processors with DSP instructions: a stretch of
 * outputs of one row, all channels, is computed and held, then stored. So all that these
 * outputs read is read before the first of them is written: earlier than the steps of the
 * contract ask for, never later. */
#include "depthwise_s8.h"
#include "tenure/kernels.h"

static int32_t row_at(const struct tn_geometry *g, int32_t y)
{
	return (g->in_rows == g->in_h ? y : y % g->in_rows) * g->in_w * g->in_c;
}

/* The window's three rows; the middle one is always inside. `in` is the batch's first
 * element of the first column. */
static void set_rows(
	const struct tn_geometry *g, const tn_s8 *in, int32_t y, struct tn_depthwise *d)
{
	int32_t middle = row_at(g, y + 1);
	int32_t top = y >= 0 ? row_at(g, y) : middle;
	int32_t bottom = y + 2 < g->in_h ? row_at(g, y + 2) : middle;

	d->top = in + top;
	d->middle = middle - top;
	d->bottom = bottom - top;
	d->outside = (y < 0) | (y + 2 >= g->in_h) << 1;
}

/* Columns outside the image: at most two before it, and one behind, of which the pair with
 * the column before it is not used. */
static void fill_outside(uint32_t *at, int32_t columns, uint32_t zero)
{
	for (int32_t i = 0; i < TN_COLUMN_WORDS * columns; i++)
		at[i] = zero;
}

/* The outputs x .. x + n - 1 of any row. */
static void set_columns(const struct tn_dsp_depthwise_params *p, int32_t x, int32_t n,
	uint32_t *strip, struct tn_depthwise *d)
{
	const struct tn_geometry *g = &p->g;
	int32_t left = x * g->stride_w - g->pad_left;
	int32_t right = left + (n - 1) * g->stride_w + 3;
	int32_t before = left < 0 ? -left : 0;

	if (right > g->in_w)
		fill_outside(strip + TN_COLUMN_WORDS * (g->in_w - left), right - g->in_w,
			tn_sxtb16(d->zero));
	fill_outside(strip, before, tn_sxtb16(d->zero));
	d->columns = strip + TN_COLUMN_WORDS * before;
	d->n_columns = (right > g->in_w ? g->in_w : right) - (left + before);
	d->n = n;
}

/* When channels do not come in fours, the last four are those that end with the last one:
 * some are computed and stored twice. */
static void compute_last(const struct tn_depthwise *d, int32_t channels)
{
	struct tn_depthwise last = *d;

	last.top += channels - 4;
	last.cells += d->groups * d->room;
	last.stream += 4 * d->groups * TN_CHANNEL_WORDS;
	last.groups = 1;
	tn_depthwise_s8(&last);
}

/* The first `channels` of n pixels, `step` bytes apart. */
static void leave(tn_s8 *out, int32_t channels, int32_t step, int32_t n,
	const uint32_t *cells, int32_t room)
{
	const int32_t fours = n / 4;

	for (int32_t c = 0; c + 4 <= channels; c += 4, cells += room) {
		const uint32_t *cell = cells;
		tn_s8 *at = out + c;

		for (int32_t k = fours; k > 0; k--, cell += 4) {
			tn_s8 *next = at + 2 * step;

			tn_store_word(at, cell[0]);
			tn_store_word(at + step, cell[1]);
			tn_store_word(next, cell[2]);
			tn_store_word(next + step, cell[3]);
			at = next + 2 * step;
		}
		if (n & 2) {
			tn_store_word(at, cell[0]);
			tn_store_word(at + step, cell[1]);
			at += 2 * step;
			cell += 2;
		}
		if (n & 1)
			tn_store_word(at, cell[0]);
	}
}

void tn_dsp_depthwise_conv_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_dsp_depthwise_params *p = params;
	const struct tn_geometry *g = &p->g;
	uint32_t *cells = scratch, *strip = cells + (g->in_c + 3) / 4 * p->room;
	int32_t height = g->y_end - g->y_begin, rows = g->batches * height;
	int32_t parts = (g->out_w + p->room - 1) / p->room, last = -1;
	struct tn_depthwise d; /* not cleared: calls may be for a row */

	d.zero = (uint32_t)(p->zero_point & 0xff) * 0x01010101u;
	d.step = g->in_c;
	d.strip = strip;
	d.cells = scratch;
	d.stream = in[1];
	d.stride = g->stride_w;
	d.floor = p->floor;
	d.groups = g->in_c / 4;
	d.room = 4 * p->room;
	for (int32_t t = 0; t < rows * parts; t++) {
		int32_t i = p->order.descending ? rows * parts - 1 - t : t;
		int32_t row = i / parts, x = (i - row * parts) * p->room;
		int32_t batch = row / height, y = g->y_begin + row - batch * height;
		int32_t n = g->out_w - x < p->room ? g->out_w - x : p->room;
		int32_t left = x * g->stride_w - g->pad_left;
		const tn_s8 *image = in[0];
		tn_s8 *place;

		if (x != last)
			set_columns(p, x, n, strip, &d);
		last = x;
		image += (batch * g->in_rows * g->in_w + (left < 0 ? 0 : left)) * g->in_c;
		set_rows(g, image, y * g->stride_h - g->pad_top, &d);
		tn_depthwise_s8(&d);
		if (g->in_c % 4)
			compute_last(&d, g->in_c);
		y = batch * g->out_rows + (g->out_rows == g->out_h ? y : y % g->out_rows);
		place = (tn_s8 *)out[0] + (y * g->out_w + x) * g->out_c;
		leave(place, g->out_c, g->out_c, n, cells, p->room);
		if (g->out_c % 4)
			leave(place + g->out_c - 4, 4, g->out_c, n,
				cells + g->out_c / 4 * p->room, p->room);
	}
}
