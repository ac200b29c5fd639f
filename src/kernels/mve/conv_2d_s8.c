/* Convolution of int8 for processors with MVE: windows of a stretch of a row of outputs are
 * put side by side in a strip, or lie in the input as they are when they have one element;
 * then two pixels at a time are computed and stored. So what a pixel reads is read before
 * it is written, that of the next ones in the stretch as well: earlier than the steps of
 * the contract ask for, never later. */
#include "pixel_s8.h"
#include "strip_s8.h"
#include "tenure/kernels.h"
#include "tile_s8.h"

struct work {
	const struct tn_mve_conv_params *p;
	const struct tn_geometry *g;
	const tn_s8 *in, *zeros;
	tn_s8 *out;
	int8_t *strip;
	struct tn_strip columns;
	struct tn_tile tile;
	int32_t direct_end; /* bytes of input that a window read in place may not pass */
};

/* n windows that begin `step` bytes apart, in the order of the loop. */
static void compute(
	struct work *w, const tn_s8 *first, int32_t step, int32_t n, tn_s8 *out)
{
	struct tn_tile *t = &w->tile;
	int32_t out_step = w->g->out_c;

	if (w->p->order.descending) {
		first += (n - 1) * step;
		out += (n - 1) * out_step;
		step = -step;
		out_step = -out_step;
	}
	t->a = first;
	t->b = first + step;
	t->out_a = out;
	t->out_b = out + out_step;
	t->in_step = 2 * step;
	t->out_step = 2 * out_step;
	t->pairs = n / 2;
	if (n > 1)
		tn_tile_s8(t);
	if (n % 2) /* where the pairs end */
		tn_pixel_s8(t);
}

static const tn_s8 *row_of(const struct work *w, int32_t batch, int32_t y)
{
	const struct tn_geometry *g = w->g;

	y = batch * g->in_rows + (g->in_rows == g->in_h ? y : y % g->in_rows);
	return w->in + y * g->in_w * g->in_c;
}

/* Windows of n pixels of one row, the first of which begins at (top, left). */
static void fill_strip(
	const struct work *w, int32_t batch, int32_t top, int32_t left, int32_t n)
{
	const struct tn_geometry *g = w->g;
	const int32_t columns = (n - 1) * g->stride_w + g->k_w, step = w->columns.step;
	const int32_t line = g->in_w * g->in_c;
	int32_t before = left < 0 ? -left : 0, end = g->in_w - left;
	int32_t row = (top < 0 ? 0 : top) % g->in_rows;
	const tn_s8 *image;
	int8_t *to = w->strip;

	before = before < columns ? before : columns;
	end = end < before ? before : end < columns ? end : columns;
	tn_strip_fill(to, before * step, w->zeros[0]);
	tn_strip_fill(to + end * step, (columns - end) * step, w->zeros[0]);
	to += before * step;
	image = w->in + batch * g->in_rows * line + (left + before) * g->in_c;
	for (int32_t ky = 0; ky < g->k_h; ky++, to += g->in_c) {
		int32_t y = top + ky;

		if (y < 0 || y >= g->in_h) {
			tn_strip_row(&w->columns, to, w->zeros, 0, end - before);
			continue;
		}
		tn_strip_row(&w->columns, to, image + row * line, g->in_c, end - before);
		if (++row == g->in_rows)
			row = 0;
	}
}

/* Pixels x .. x + n - 1 of a row through the strip, in stretches. */
static void run_strip(
	struct work *w, int32_t batch, int32_t y, int32_t x, int32_t n, tn_s8 *out)
{
	const struct tn_geometry *g = w->g;
	const int32_t room = w->p->room, parts = (n + room - 1) / room;
	const int32_t top = y * g->stride_h - g->pad_top;

	for (int32_t t = 0; t < parts; t++) {
		int32_t i = (w->p->order.descending ? parts - 1 - t : t) * room;
		int32_t count = n - i < room ? n - i : room;

		fill_strip(w, batch, top, (x + i) * g->stride_w - g->pad_left, count);
		compute(w, w->strip, g->stride_w * w->columns.step, count,
			out + (x + i) * g->out_c);
	}
}

/* How many pixels of a row can be read in place: the last windows of the memory would be
 * filled up with what is behind it. */
static int32_t direct_pixels(const struct work *w, int32_t at)
{
	const struct tn_geometry *g = w->g;
	const int32_t step = g->stride_w * g->in_c;
	int32_t n = w->direct_end - at;

	n = n < 0 ? 0 : n / step + 1;
	return n < g->out_w ? n : g->out_w;
}

static void run_row(struct work *w, int32_t batch, int32_t y)
{
	const struct tn_geometry *g = w->g;
	int32_t row =
		batch * g->out_rows + (g->out_rows == g->out_h ? y : y % g->out_rows);
	tn_s8 *out = w->out + row * g->out_w * g->out_c;
	const tn_s8 *in;
	int32_t n;

	if (!w->p->direct) {
		run_strip(w, batch, y, 0, g->out_w, out);
		return;
	}
	in = row_of(w, batch, y * g->stride_h);
	n = direct_pixels(w, (int32_t)(in - w->in));
	if (w->p->order.descending && n < g->out_w)
		run_strip(w, batch, y, n, g->out_w - n, out);
	if (n)
		compute(w, in, g->stride_w * g->in_c, n, out);
	if (!w->p->order.descending && n < g->out_w)
		run_strip(w, batch, y, n, g->out_w - n, out);
}

/* Windows of one element, side by side in input and output: all rows are one. */
static int is_line(const struct tn_geometry *g)
{
	return g->stride_h == 1 && g->stride_w == 1 && g->in_rows == g->in_h &&
	       g->out_rows == g->out_h && g->y_begin == 0 && g->y_end == g->out_h &&
	       g->out_h == g->in_h && g->out_w == g->in_w;
}

static void join_rows(struct tn_geometry *g)
{
	g->in_w = g->out_w = g->batches * g->in_h * g->in_w;
	g->batches = g->in_h = g->out_h = g->in_rows = g->out_rows = g->y_end = 1;
}

static void run(struct work *w)
{
	const struct tn_geometry *g = w->g;
	const int32_t height = g->y_end - g->y_begin, rows = g->batches * height;

	w->direct_end =
		g->batches * g->in_rows * g->in_w * g->in_c - TN_BLOCK * w->p->blocks;
	for (int32_t t = 0; t < rows; t++) {
		int32_t i = w->p->order.descending ? rows - 1 - t : t;
		int32_t batch = i / height;

		run_row(w, batch, g->y_begin + i - batch * height);
	}
}

void tn_mve_conv_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_mve_conv_params *p = params;
	struct work w; /* not cleared: calls may be for a row */

	w.p = p;
	w.g = &p->g;
	w.in = in[0];
	w.zeros = in[2];
	w.out = out[0];
	w.strip = scratch;
	w.tile.stream = in[1];
	w.tile.sums = (uint32_t *)(void *)((int8_t *)scratch + p->sums);
	w.tile.vectors = (p->g.out_c + 3) / 4;
	w.tile.blocks = p->blocks;
	w.tile.groups = p->g.out_c / 16;
	w.tile.rest = p->g.out_c % 16;
	w.tile.offset = p->offset;
	w.tile.floor = p->floor;
	/* whole blocks in place need no strip */
	if (!p->direct || p->g.in_c != TN_BLOCK * p->blocks)
		tn_strip_init(&w.columns, p->g.in_c, p->g.k_h);
	if (p->direct && is_line(&p->g)) {
		struct tn_geometry line = p->g;

		join_rows(&line);
		w.g = &line;
		run(&w);
	} else {
		run(&w);
	}
}
