/* Convolution of int8 for processors with DSP instructions: the windows of three pixels are
 * expanded into a strip, then all channels of the three are computed and stored.
 *
 * So the windows of a pixel are read before anything of it is written, those of the next
 * two pixels as well: earlier than the steps of the contract ask for, never later. */
#include "expand_s8.h"
#include "mac_s8.h"
#include "tenure/kernels.h"

struct pixel {
	int32_t batch, y, x; /* of the output */
	int32_t top, left; /* of the window in the input */
};

struct work {
	const struct tn_dsp_conv_params *p;
	const struct tn_geometry *g;
	const tn_s8 *in;
	const tn_s8 *zeros; /* what lies outside: a row of the window */
	tn_s8 *out;
	int8_t *edges; /* room for three rows of a window */
	int32_t run; /* elements of a row of the window */
	int32_t line; /* of the input */
	int32_t step; /* input elements from pixel to pixel */
	int32_t size; /* of the input */
	int32_t columns; /* where the reads of a whole block may end in any row */
	struct pixel at[TN_MAC_PIXELS];
	/* windows side by side, all inside; NULL: another case */
	const tn_s8 *first;
	int32_t second; /* from there to the next one, and from that to the third */
	int32_t many; /* pixels in the strip: 3, or 2, of which the last may be the first */
	int32_t until; /* rows until the memory starts again with its first one */
};

static void place(const struct tn_geometry *g, struct pixel *px)
{
	px->top = px->y * g->stride_h - g->pad_top;
	px->left = px->x * g->stride_w - g->pad_left;
}

/* A few pixels on, in the order of memory. */
static void advance(const struct tn_geometry *g, struct pixel *px, int32_t n)
{
	for (px->x += n; px->x >= g->out_w; px->x -= g->out_w) {
		if (++px->y == g->y_end) {
			px->y = g->y_begin;
			px->batch++;
		}
	}
	place(g, px);
}

static void start(const struct tn_geometry *g, int32_t index, struct pixel *px)
{
	int32_t height = g->y_end - g->y_begin, row = index / g->out_w;

	px->x = index - row * g->out_w;
	px->batch = row / height;
	px->y = g->y_begin + row - px->batch * height;
	place(g, px);
}

/* ---- windows side by side ---- */

/* Are the windows of n pixels such? Rows are read in whole blocks: what is too much is not
 * used, and lies in the memory; in a ring the last row may be any of the window's. */
static int is_plain(const struct work *w, const struct pixel *px, int32_t n)
{
	const struct tn_geometry *g = w->g;
	int32_t end = px->left + (n - 1) * g->stride_w + g->k_w;
	int32_t bottom = px->top + g->k_h;

	if (px->x + n > g->out_w || px->left < 0 || end > g->in_w || px->top < 0 ||
		bottom > g->in_h)
		return 0;
	if (g->in_rows != g->in_h)
		return end <= w->columns || px->top % g->in_rows + g->k_h < g->in_rows;
	return ((px->batch * g->in_h + bottom - 1) * g->in_w + end) * g->in_c + 3 <=
	       w->size;
}

static void set_plain(struct work *w, const struct pixel *px, int32_t n)
{
	const struct tn_geometry *g = w->g;
	int32_t row = px->top;

	w->until = g->k_h;
	if (g->in_rows != g->in_h) {
		row %= g->in_rows;
		w->until = g->in_rows - row;
	}
	w->first =
		w->in + ((px->batch * g->in_rows + row) * g->in_w + px->left) * g->in_c;
	w->second = n > 1 ? w->step : 0;
}

/* Without c, a strip of two pixels. */
static inline uint32_t *expand_blocks(
	uint32_t *strip, const tn_s8 *a, const tn_s8 *b, const tn_s8 *c, int32_t blocks)
{
	return c ? tn_expand_s8(strip, a, b, c, blocks)
		 : tn_expand_two_s8(strip, a, b, blocks);
}

static void expand_plain(const struct work *w, int32_t ky, int32_t end, uint32_t *strip)
{
	const tn_s8 *row = w->first + ky * w->line;
	const int32_t blocks = (w->run + 3) / 4, step = w->step, three = w->many > 2;

	if (ky >= w->until)
		row -= w->g->in_rows * w->line;
	for (; ky < end; row += w->line) {
		if (three)
			strip = tn_expand_s8(
				strip, row, row + step, row + 2 * step, blocks);
		else
			strip = tn_expand_two_s8(strip, row, row + w->second, blocks);
		if (++ky == w->until)
			row -= w->g->in_rows * w->line;
	}
}

/* After three such windows, are the next three in the row such as well? Moves on to them. */
static int next_plain(struct work *w, struct tn_mac *m)
{
	const struct tn_geometry *g = w->g;
	struct pixel *px = w->at;
	int32_t across = TN_MAC_PIXELS * g->stride_w;

	if (px->x + 2 * TN_MAC_PIXELS > g->out_w ||
		px->left + across + 2 * g->stride_w + g->k_w > w->columns)
		return 0;
	px->x += TN_MAC_PIXELS;
	px->left += across;
	w->first += TN_MAC_PIXELS * w->step;
	m->out += TN_MAC_PIXELS * g->out_c;
	return 1;
}

/* ---- any windows ---- */

/* Nothing behind n elements is read. */
static uint32_t *expand(
	uint32_t *strip, const tn_s8 *a, const tn_s8 *b, const tn_s8 *c, int32_t n)
{
	int32_t whole = n & ~3;

	if (whole)
		strip = expand_blocks(strip, a, b, c, whole / 4);
	if (n == whole)
		return strip;
	if (!c) {
		tn_expand_block_two(strip, tn_load_rest(a + whole, n - whole),
			tn_load_rest(b + whole, n - whole));
		return strip + TN_BLOCK_WORDS_TWO;
	}
	tn_expand_block(strip, tn_load_rest(a + whole, n - whole),
		tn_load_rest(b + whole, n - whole), tn_load_rest(c + whole, n - whole));
	return strip + TN_BLOCK_WORDS;
}

#define OUTSIDE INT32_MIN

/* The input element at column 0 of row ky of the pixel's window, even when that column lies
 * outside; OUTSIDE: the whole row does. */
static int32_t window_row(const struct work *w, const struct pixel *px, int32_t ky)
{
	const struct tn_geometry *g = w->g;
	int32_t y = px->top + ky, row;

	if (y < 0 || y >= g->in_h)
		return OUTSIDE;
	row = px->batch * g->in_rows + (g->in_rows == g->in_h ? y : y % g->in_rows);
	return (row * g->in_w + px->left) * g->in_c;
}

/* Tap by tap: channels come in whole blocks. */
static uint32_t *expand_taps(const struct work *w, int32_t ky, uint32_t *strip)
{
	const struct tn_geometry *g = w->g;
	const tn_s8 *tap[TN_MAC_PIXELS] = { 0, 0, 0 };
	int32_t row[TN_MAC_PIXELS];

	for (int i = 0; i < w->many; i++)
		row[i] = window_row(w, &w->at[i], ky);
	for (int32_t kx = 0; kx < g->k_w; kx++) {
		for (int i = 0; i < w->many; i++) {
			int32_t x = w->at[i].left + kx;

			tap[i] = w->zeros;
			if (row[i] != OUTSIDE && x >= 0 && x < g->in_w)
				tap[i] = w->in + row[i] + kx * g->in_c;
		}
		strip = expand_blocks(strip, tap[0], tap[1], tap[2], g->in_c / 4);
	}
	return strip;
}

static int is_inside(const struct tn_geometry *g, const struct pixel *px)
{
	return px->left >= 0 && px->left + g->k_w <= g->in_w;
}

/* Copies a row that is partly outside. */
static const tn_s8 *edge_row(
	const struct work *w, const struct pixel *px, int32_t row, tn_s8 *copy)
{
	const struct tn_geometry *g = w->g;
	int32_t from = px->left < 0 ? -px->left : 0, to = g->in_w - px->left, n = g->in_c;
	int32_t i = 0;

	to = to < 0 ? 0 : to < g->k_w ? to : g->k_w;
	from = from < to ? from : to;
	for (; i < from * n; i++)
		copy[i] = w->zeros[0];
	for (; i < to * n; i++)
		copy[i] = (int8_t)tn_load_s8(w->in, row + i);
	for (; i < g->k_w * n; i++)
		copy[i] = w->zeros[0];
	return copy;
}

static uint32_t *expand_row(const struct work *w, int32_t ky, uint32_t *strip)
{
	const struct tn_geometry *g = w->g;
	const tn_s8 *row[TN_MAC_PIXELS] = { 0, 0, 0 };

	for (int i = 0; i < w->many; i++) {
		const struct pixel *px = &w->at[i];
		int32_t first = window_row(w, px, ky);

		if (first == OUTSIDE)
			row[i] = w->zeros;
		else if (is_inside(g, px))
			row[i] = w->in + first;
		else if (g->in_c % 4 == 0)
			return expand_taps(w, ky, strip);
		else
			row[i] = edge_row(w, px, first, w->edges + i * w->run);
	}
	return expand(strip, row[0], row[1], row[2], w->run);
}

/* ---- three pixels ---- */

static int8_t *output(const struct work *w, const struct pixel *px)
{
	const struct tn_geometry *g = w->g;
	int32_t y = g->out_rows == g->out_h ? px->y : px->y % g->out_rows;

	return w->out + ((px->batch * g->out_rows + y) * g->out_w + px->x) * g->out_c;
}

/* Where the three are that start with w->at[0]; the last of n stands for missing ones. */
static void find(struct work *w, int32_t n, struct tn_mac *m)
{
	const struct tn_geometry *g = w->g;
	struct pixel *px = w->at;

	m->out = output(w, px);
	m->flags = n < TN_MAC_PIXELS ? TN_MAC_TWO : 0;
	w->many = n < TN_MAC_PIXELS ? 2 : TN_MAC_PIXELS;
	w->first = 0;
	if (is_plain(w, px, n)) {
		set_plain(w, px, n);
		m->step_1 = n > 1 ? g->out_c : 0;
		m->step_2 = n > 2 ? g->out_c : 0;
		return;
	}
	for (int i = 1; i < w->many; i++) {
		px[i] = px[i - 1];
		if (i < n)
			advance(g, &px[i], 1);
	}
	m->step_1 = (int32_t)(output(w, &px[1]) - m->out);
	m->step_2 = w->many > 2 ? (int32_t)(output(w, &px[2]) - output(w, &px[1])) : 0;
}

/* Part after part of their windows. */
static void compute(const struct work *w, struct tn_mac *m, uint32_t *strip)
{
	const int32_t k_h = w->g->k_h;
	const uint32_t how = (m->flags & TN_MAC_TWO) | (uint32_t)w->p->floor;

	for (int32_t ky = 0; ky < k_h;) {
		int32_t end = ky + w->p->part_rows;
		uint32_t *at = strip;

		m->flags = how | (ky ? 0u : (uint32_t)TN_MAC_FIRST);
		if (end >= k_h) {
			end = k_h;
			m->flags |= TN_MAC_LAST;
		}
		if (w->first)
			expand_plain(w, ky, end, at);
		else
			for (int32_t i = ky; i < end; i++)
				at = expand_row(w, i, at);
		m->blocks = (end - ky) * ((w->run + 3) / 4);
		m->stream = tn_mac_s8(m);
		ky = end;
	}
}

/* ---- windows of one element ---- */

/* Side by side in input and output? Rows and images are, as far as they are whole. */
static int is_line(const struct tn_geometry *g)
{
	return g->k_h == 1 && g->k_w == 1 && g->stride_h == 1 && g->stride_w == 1 &&
	       g->out_h == g->in_h && g->out_w == g->in_w &&
	       (g->batches == 1 || (g->in_rows == g->in_h && g->out_rows == g->out_h &&
					   g->y_begin == 0 && g->y_end == g->out_h));
}

/* Up to three pixels; the last of n stands for missing ones. */
static void line_pixels(const struct work *w, const tn_s8 *in, int8_t *out, int32_t n,
	uint32_t *strip, struct tn_mac *m)
{
	const int32_t depth = w->run, step_1 = n > 1, step_2 = n > 2;
	const tn_s8 *b = in + step_1 * depth;

	m->out = out;
	m->step_1 = step_1 * w->g->out_c;
	m->step_2 = step_2 * w->g->out_c;
	(void)expand(strip, in, b, step_2 ? b + depth : 0, depth);
	(void)tn_mac_s8(m);
}

/* Pixels side by side. */
static void run_pixels(const struct work *w, const tn_s8 *in, int8_t *out, int32_t n,
	uint32_t *strip, struct tn_mac *m)
{
	const int32_t depth = w->run, across = TN_MAC_PIXELS * w->g->out_c;

	m->flags = (uint32_t)w->p->floor | TN_MAC_FIRST | TN_MAC_LAST;
	if (w->p->order.descending) {
		for (; n >= TN_MAC_PIXELS; n -= TN_MAC_PIXELS)
			line_pixels(w, in + (n - TN_MAC_PIXELS) * depth,
				out + (n - TN_MAC_PIXELS) * w->g->out_c, TN_MAC_PIXELS,
				strip, m);
	} else if (depth % 4) {
		for (; n >= TN_MAC_PIXELS; n -= TN_MAC_PIXELS, out += across) {
			line_pixels(w, in, out, TN_MAC_PIXELS, strip, m);
			in += TN_MAC_PIXELS * depth;
		}
	} else {
		m->step_1 = m->step_2 = w->g->out_c;
		for (; n >= TN_MAC_PIXELS; n -= TN_MAC_PIXELS, out += across) {
			const tn_s8 *b = in + depth, *c = b + depth;

			m->out = out;
			(void)tn_expand_s8(strip, in, b, c, m->blocks);
			(void)tn_mac_s8(m);
			in = c + depth;
		}
	}
	m->flags |= TN_MAC_TWO;
	if (n)
		line_pixels(w, in, out, n, strip, m);
}

static void run_line(const struct work *w, uint32_t *strip, struct tn_mac *m)
{
	const struct tn_geometry *g = w->g;
	const int32_t line = w->line, out_line = g->out_w * g->out_c;
	int32_t begin = g->y_begin, end = g->y_end;

	m->blocks = (w->run + 3) / 4;
	if (g->batches > 1) {
		run_pixels(w, w->in, w->out, g->batches * g->out_h * g->out_w, strip, m);
		return;
	}
	while (begin < end) { /* rows that lie side by side in both rings */
		int32_t n = end - begin, in_y, out_y;

		if (w->p->order.descending) {
			in_y = (end - 1) % g->in_rows + 1;
			out_y = (end - 1) % g->out_rows + 1;
			n = n < in_y ? n : in_y;
			n = n < out_y ? n : out_y;
			end -= n;
			in_y -= n;
			out_y -= n;
		} else {
			in_y = begin % g->in_rows;
			out_y = begin % g->out_rows;
			n = n < g->in_rows - in_y ? n : g->in_rows - in_y;
			n = n < g->out_rows - out_y ? n : g->out_rows - out_y;
			begin += n;
		}
		run_pixels(w, w->in + in_y * line, w->out + out_y * out_line,
			n * g->out_w, strip, m);
	}
}

void tn_dsp_conv_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_dsp_conv_params *p = params;
	const struct tn_geometry *g = &p->g;
	struct work w; /* not cleared: calls may be for a row */
	struct tn_mac m = { .strip = scratch,
		.sums = (uint32_t *)(void *)((int8_t *)scratch + p->sums),
		.stream = in[1],
		.pairs = (g->out_c + 1) / 2 };
	int32_t pixels = g->batches * (g->y_end - g->y_begin) * g->out_w;

	w.p = p;
	w.g = g;
	w.in = in[0];
	w.zeros = in[2];
	w.out = out[0];
	w.edges = (int8_t *)scratch + p->edges;
	w.run = g->k_w * g->in_c;
	w.line = g->in_w * g->in_c;
	w.step = g->stride_w * g->in_c;
	w.size = g->batches * g->in_rows * w.line;
	w.columns = g->in_w - (w.run % 4 ? 3 : 0);
	if (is_line(g)) {
		run_line(&w, scratch, &m);
		return;
	}
	start(g, 0, &w.at[0]);
	for (int32_t t = 0; t < pixels; t += TN_MAC_PIXELS) {
		int32_t n = pixels - t < TN_MAC_PIXELS ? pixels - t : TN_MAC_PIXELS;

		if (p->order.descending)
			start(g, pixels - t - n, &w.at[0]);
		else if (t)
			advance(g, &w.at[0], TN_MAC_PIXELS);
		m.stream = in[1];
		find(&w, n, &m);
		compute(&w, &m, scratch);
		while (w.first && !p->order.descending && next_plain(&w, &m)) {
			t += TN_MAC_PIXELS;
			m.stream = in[1];
			compute(&w, &m, scratch);
		}
	}
}
