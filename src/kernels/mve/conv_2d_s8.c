/* Convolution of int8 for processors with MVE: windows of a stretch of a row of outputs are
 * put side by side in a strip, or lie in the input as they are when they have one element;
 * then two pixels at a time are computed and stored, of layers with more than 64 channels 64
 * at a time, where what is ready early is held until the last ones. So what a pixel reads is
 * read before it is written, that of the next ones in the stretch as well: earlier than the
 * steps of the contract ask for, never later. */
#include "pixel_s8.h"
#include "strip_s8.h"
#include "tenure/kernels.h"
#include "tile_s8.h"

/* What computes pixels from windows: a tile, of all channels or of a part of them. */
struct maker {
	struct tn_tile tile;
	const struct tn_mve_tile *all;
	const uint32_t *stream; /* of the first part */
	int8_t *held; /* channels before the last part of the one pixel, then of the other */
	int32_t early; /* how many they are */
};

struct work {
	const struct tn_mve_conv_params *p;
	const struct tn_geometry *g;
	const tn_s8 *in, *zeros;
	tn_s8 *out;
	int8_t *strip;
	struct tn_strip columns;
	struct maker *maker;
};

static void run_part(struct tn_tile *t, int two, tn_s8 *out_a, tn_s8 *out_b)
{
	t->out_a = out_a;
	t->out_b = out_b;
	t->pairs = 1;
	if (two)
		tn_tile_s8(t);
	else
		tn_pixel_s8(t);
}

/* The windows a and, if there are two, b, part after part. */
static void run_parts(
	struct maker *m, const tn_s8 *a, const tn_s8 *b, int two, tn_s8 *out, tn_s8 *next)
{
	const int32_t held = m->early, words = TN_PART_WORDS(m->all->blocks);
	struct tn_tile *t = &m->tile;
	int32_t c = 0;

	t->stream = m->stream;
	t->layer.vectors = TN_PART_CHANNELS / TN_VECTOR;
	t->layer.groups = TN_PART_CHANNELS / TN_GROUP;
	t->layer.rest = 0;
	for (; c < held; c += TN_PART_CHANNELS, t->stream += words) {
		t->a = a;
		t->b = b;
		run_part(t, two, m->held + c, m->held + held + c);
	}
	t->layer.vectors = m->all->vectors - held / TN_VECTOR;
	t->layer.groups = m->all->groups - held / TN_GROUP;
	t->layer.rest = m->all->rest;
	t->a = a;
	t->b = b;
	run_part(t, two, out + held, next + held);
	tn_strip_store(out, m->held, held);
	if (two)
		tn_strip_store(next, m->held + held, held);
}

/* n windows of a layer with more channels than a part has. Not inline: what it keeps would
 * be on the stack of all layers. */
static __attribute__((noinline)) void compute_parts(
	struct maker *m, const tn_s8 *first, int32_t n, tn_s8 *out)
{
	const int32_t step = m->tile.layer.in_step, out_step = m->tile.layer.out_step;

	for (; n > 0; n -= 2, first += 2 * step, out += 2 * out_step)
		run_parts(m, first, first + step, n > 1, out, out + out_step);
}

/* n windows, in the order of the loop. */
static void compute(struct maker *m, const tn_s8 *first, int32_t n, tn_s8 *out)
{
	struct tn_tile *t = &m->tile;
	const int32_t step = t->layer.in_step, out_step = t->layer.out_step;

	if (step < 0) {
		first -= (n - 1) * step;
		out -= (n - 1) * out_step;
	}
	if (m->early) {
		compute_parts(m, first, n, out);
		return;
	}
	t->a = first;
	t->b = first + step;
	t->out_a = out;
	t->out_b = out + out_step;
	t->pairs = n / 2;
	if (n > 1)
		tn_tile_s8(t);
	if (n % 2) /* where the pairs end */
		tn_pixel_s8(t);
}

/* The line that row y lies in, in a memory of `rows` lines for each image. */
static int32_t line_of(int32_t batch, int32_t y, int32_t rows)
{
	return batch * rows + y % rows;
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
		compute(w->maker, w->strip, count, out + (x + i) * g->out_c);
	}
}

/* How many of n pixels in a row can be read in place: the last windows of the memory would be
 * filled up with what is behind it. */
static int32_t direct_pixels(const struct work *w, const tn_s8 *in, int32_t n)
{
	const struct tn_geometry *g = w->g;
	const int32_t end = g->batches * g->in_rows * g->in_w * g->in_c;
	int32_t most = end - TN_BLOCK * w->p->tile.blocks - (int32_t)(in - w->in);

	most = most < 0 ? 0 : most / (g->stride_w * g->in_c) + 1;
	return most < n ? most : n;
}

static void run_direct(struct work *w, int32_t batch, int32_t y, tn_s8 *out)
{
	const struct tn_geometry *g = w->g;
	const tn_s8 *in =
		w->in + line_of(batch, y * g->stride_h, g->in_rows) * g->in_w * g->in_c;
	int32_t n = direct_pixels(w, in, g->out_w);

	if (w->p->order.descending && n < g->out_w)
		run_strip(w, batch, y, n, g->out_w - n, out);
	if (n)
		compute(w->maker, in, n, out);
	if (!w->p->order.descending && n < g->out_w)
		run_strip(w, batch, y, n, g->out_w - n, out);
}

/* Windows of one element, side by side in input and output: all rows are one. */
static inline int is_line(const struct tn_geometry *g)
{
	return g->in_rows == g->in_h && g->stride_h == 1 && g->stride_w == 1 &&
	       g->out_rows == g->out_h && g->y_begin == 0 && g->y_end == g->out_h &&
	       g->out_h == g->in_h && g->out_w == g->in_w;
}

/* Pixels from x to n of such a line, copied. */
static void run_copied(const struct work *w, int32_t x, int32_t n)
{
	const int32_t room = w->p->room, parts = (n - x + room - 1) / room;
	const int32_t depth = w->g->in_c;

	for (int32_t t = 0; t < parts; t++) {
		int32_t i = x + (w->p->order.descending ? parts - 1 - t : t) * room;
		int32_t count = n - i < room ? n - i : room;

		tn_strip_copy(w->strip, w->in + i * depth, count * depth);
		compute(w->maker, w->strip, count, w->out + i * w->g->out_c);
	}
}

static void run_line(const struct work *w)
{
	const struct tn_geometry *g = w->g;
	const int32_t pixels = g->batches * g->in_h * g->in_w;
	const int32_t n = direct_pixels(w, w->in, pixels);

	if (w->p->order.descending)
		run_copied(w, n, pixels);
	if (n)
		compute(w->maker, w->in, n, w->out);
	if (!w->p->order.descending)
		run_copied(w, n, pixels);
}

static void run(struct work *w)
{
	const struct tn_geometry *g = w->g;
	const int descending = w->p->order.descending, direct = w->p->direct;
	const int32_t height = g->y_end - g->y_begin;

	for (int32_t i = 0, rows = g->batches * height; i < rows; i++) {
		int32_t row = descending ? rows - 1 - i : i, batch = row / height;
		int32_t y = g->y_begin + row - batch * height;
		tn_s8 *out =
			w->out + line_of(batch, y, g->out_rows) * g->out_w * g->out_c;

		if (direct)
			run_direct(w, batch, y, out);
		else
			run_strip(w, batch, y, 0, g->out_w, out);
	}
}

/* One image, windows in place that nothing fills up: nothing but pixels. */
static void run_whole(
	struct maker *m, const struct tn_mve_conv_params *p, const tn_s8 *in, tn_s8 *out)
{
	const struct tn_geometry *g = &p->g;

	if (is_line(g)) {
		compute(m, in, g->in_h * g->in_w, out);
		return;
	}
	for (int32_t i = g->y_begin, left = g->y_end - i; left > 0; i++, left--) {
		int32_t y = p->order.descending ? g->y_begin + left - 1 : i;
		int32_t from = line_of(0, y * g->stride_h, g->in_rows);
		int32_t to = line_of(0, y, g->out_rows);

		compute(m, in + from * g->in_w * g->in_c, g->out_w,
			out + to * g->out_w * g->out_c);
	}
}

void tn_mve_conv_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_mve_conv_params *p = params;
	struct maker m; /* not cleared, as w: calls may be for a row */
	struct work w;

	m.all = &p->tile;
	m.tile.layer = p->tile;
	if (p->order.descending) {
		m.tile.layer.in_step = -m.tile.layer.in_step;
		m.tile.layer.out_step = -m.tile.layer.out_step;
	}
	m.stream = m.tile.stream = in[1];
	m.held = (int8_t *)scratch + p->sums;
	m.tile.sums = (uint32_t *)(void *)m.held;
	m.held += 2 * 4 * TN_PART_CHANNELS;
	m.early = (p->g.out_c - 1) / TN_PART_CHANNELS * TN_PART_CHANNELS;
	if (p->whole) {
		run_whole(&m, p, in[0], out[0]);
		return;
	}
	w.p = p;
	w.g = &p->g;
	w.in = in[0];
	w.zeros = in[2];
	w.out = out[0];
	w.strip = scratch;
	w.maker = &m;
	tn_strip_init(&w.columns, p->g.in_c, p->g.k_h);
	if (p->direct && is_line(&p->g))
		run_line(&w);
	else
		run(&w);
}
