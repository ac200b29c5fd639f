/* An output pixel needs the valid taps of its window. A step of HOLD_NONE is one output
 * channel, a step of HOLD_PIXEL all channels of the pixel; HOLD_RING and HOLD_CHANNEL read
 * some pixels ahead of what they write. */
#include "base/arena.h"
#include "base/checked.h"
#include "contract/walk.h"
#include "ir/window.h"

struct taps {
	struct tn_access *reads; /* room for the taps of a window on elements */
	uint32_t n;
	int64_t width; /* bytes of an input element */
};

/* The window's reads of channels [c, c + n_c), row by row; a row is one range when its
 * taps are neighbours and all channels are read. */
static void gather(const struct tn_window *g, struct taps *taps, int64_t b, int64_t oy,
	int64_t ox, int64_t c, int64_t n_c)
{
	const bool whole = n_c == g->in_c && g->dilation_w == 1;
	const int64_t y = oy * g->stride_h - g->pad_top;
	const int64_t x = ox * g->stride_w - g->pad_left;
	int64_t ky, ky_end, kx_first, kx_end;

	tn_window_taps(y, g->k_h, g->dilation_h, g->in_h, &ky, &ky_end);
	tn_window_taps(x, g->k_w, g->dilation_w, g->in_w, &kx_first, &kx_end);
	taps->n = 0;
	for (; ky < ky_end; ky++) {
		const int64_t row = (b * g->in_h + y + ky * g->dilation_h) * g->in_w;
		const int64_t n = whole ? (kx_end - kx_first) * g->in_c : n_c;

		for (int64_t kx = kx_first; kx < kx_end; kx += whole ? kx_end : 1) {
			int64_t at = (row + x + kx * g->dilation_w) * g->in_c + c;

			taps->reads[taps->n++] = (struct tn_access){ 0, at * taps->width,
				(at + n) * taps->width };
		}
	}
}

/* `count` steps from the one that writes the n output elements from `at`. The taps, and
 * `by` channels further on those of the next step, have been gathered. */
static bool pixel_steps(struct tn_walk *w, struct taps *taps, int64_t at, int64_t n,
	int64_t count, int64_t by)
{
	int64_t width = tn_walk_width(tn_walk_output(w, 0));
	struct tn_access write = { 0, at * width, (at + n) * width };

	return tn_walk_run(w, taps->reads, tn_walk_shares(w, 0) ? taps->n : 0, &write,
		count, by * taps->width, w->variant.descending ? -width : width);
}

/* Input elements [first, end) around the valid taps of pixel p; false when it has none. */
static bool reach(const struct tn_window *g, int64_t p, int64_t *first, int64_t *end)
{
	int64_t b = p / (g->out_h * g->out_w), oy = p / g->out_w % g->out_h;
	int64_t y = oy * g->stride_h - g->pad_top;
	int64_t x = p % g->out_w * g->stride_w - g->pad_left;
	int64_t ky, ky_end, kx, kx_end, y_last, x_last;

	tn_window_taps(y, g->k_h, g->dilation_h, g->in_h, &ky, &ky_end);
	tn_window_taps(x, g->k_w, g->dilation_w, g->in_w, &kx, &kx_end);
	if (ky >= ky_end || kx >= kx_end)
		return false;
	y_last = y + (ky_end - 1) * g->dilation_h;
	x_last = x + (kx_end - 1) * g->dilation_w;
	y += ky * g->dilation_h;
	x += kx * g->dilation_w;
	*first = ((b * g->in_h + y) * g->in_w + x) * g->in_c;
	*end = ((b * g->in_h + y_last) * g->in_w + x_last + 1) * g->in_c;
	return true;
}

/* Step t must not be preceded by the write of an element that it or a later step reads. */
int64_t tn_window_ring(const struct tn_window *g, bool descending)
{
	int64_t pixels = g->batches * g->out_h * g->out_w, n = 1;
	int64_t in = g->batches * g->in_h * g->in_w * g->in_c;

	if (pixels * g->out_c > in || (descending && pixels * g->out_c < in))
		return 1; /* not in place anyway */
	for (int64_t t = 0; t < pixels; t++) {
		int64_t first, end;

		if (!reach(g, descending ? pixels - 1 - t : t, &first, &end))
			continue;
		n = tn_max_i64(
			n, descending ? t + 1 - pixels + (end + g->out_c - 1) / g->out_c
				      : t + 1 - first / g->out_c);
	}
	return tn_min_i64(n, pixels);
}

/* The pixels of channels [c, c + n_c), each written when `ring` of them have been read. */
static bool run_ring(struct tn_walk *w, const struct tn_window *g, struct taps *taps,
	int64_t c, int64_t n_in, int64_t n_out, int64_t ring)
{
	int64_t pixels = g->batches * g->out_h * g->out_w;
	int64_t width = tn_walk_width(tn_walk_output(w, 0));

	for (int64_t t = 0; t < pixels + ring - 1; t++) {
		bool back = w->variant.descending, writes = t >= ring - 1;
		int64_t p = back ? pixels - 1 - t : t;
		int64_t at = (back ? p + ring - 1 : p - ring + 1) * g->out_c + c;
		struct tn_access write = { 0, at * width, (at + n_out) * width };

		taps->n = 0;
		if (t < pixels)
			gather(g, taps, p / (g->out_h * g->out_w),
				p / g->out_w % g->out_h, p % g->out_w, c, n_in);
		if (!tn_walk_step(w, taps->reads, tn_walk_shares(w, 0) ? taps->n : 0,
			    &write, writes ? 1 : 0))
			return false;
	}
	return true;
}

/* Channels keep to their own bytes, so that the extremes of one are those of all. */
static void run_buffered(struct tn_walk *w, const struct tn_window *g, struct taps *taps)
{
	int64_t ring = tn_window_ring(g, w->variant.descending);
	int64_t planes = w->extremes ? 1 : g->out_c;

	if (w->variant.hold == HOLD_RING) {
		(void)run_ring(w, g, taps, 0, g->in_c, g->out_c, ring);
		return;
	}
	for (int64_t k = 0; k < planes; k++)
		if (!run_ring(w, g, taps, w->variant.descending ? g->out_c - 1 - k : k, 1,
			    1, ring))
			return;
}

/* All channels of a pixel read the same window, or each its own part of it. */
static bool run_pixel(struct tn_walk *w, const struct tn_window *g, struct taps *taps,
	int64_t b, int64_t oy, int64_t ox)
{
	const bool back = w->variant.descending;
	const int64_t at = ((b * g->out_h + oy) * g->out_w + ox) * g->out_c;
	const int64_t m = g->depth_multiplier;

	if (!g->per_channel || w->variant.hold == HOLD_PIXEL) {
		gather(g, taps, b, oy, ox, 0, g->in_c);
		if (w->variant.hold == HOLD_PIXEL)
			return pixel_steps(w, taps, at, g->out_c, 1, 0);
		return pixel_steps(
			w, taps, back ? at + g->out_c - 1 : at, 1, g->out_c, 0);
	}
	if (m == 1) {
		int64_t c = back ? g->out_c - 1 : 0;

		gather(g, taps, b, oy, ox, c, 1);
		return pixel_steps(w, taps, at + c, 1, g->out_c, back ? -1 : 1);
	}
	for (int64_t k = 0; k < g->in_c; k++) {
		int64_t c = back ? g->in_c - 1 - k : k;

		gather(g, taps, b, oy, ox, c, 1);
		if (!pixel_steps(w, taps, at + c * m + (back ? m - 1 : 0), 1, m, 0))
			return false;
	}
	return true;
}

static bool run_row(struct tn_walk *w, const struct tn_window *g, struct taps *taps,
	int64_t b, int64_t oy)
{
	for (int64_t t = 0; t < g->out_w; t++)
		if (!run_pixel(w, g, taps, b, oy,
			    w->variant.descending ? g->out_w - 1 - t : t))
			return false;
	return true;
}

/* Rows of [begin, end) whose windows have all their rows of taps in the image do the same. */
static struct tn_blocks whole_rows(
	const struct tn_walk *w, const struct tn_window *g, int64_t begin, int64_t end)
{
	const int64_t last = g->in_h - 1 - (g->k_h - 1) * g->dilation_h + g->pad_top;
	const int64_t first = (g->pad_top + g->stride_h - 1) / g->stride_h;

	return (struct tn_blocks){ .first = tn_max_i64(begin, first),
		.end = last < 0 ? begin : tn_min_i64(end, last / g->stride_h + 1),
		.bytes = g->out_w * g->out_c * tn_walk_width(tn_walk_output(w, 0)) };
}

static bool run_image(
	struct tn_walk *w, const struct tn_window *g, struct taps *taps, int64_t b)
{
	const int64_t begin = w->row_begin, end = w->row_end ? w->row_end : g->out_h;
	struct tn_blocks same = whole_rows(w, g, begin, end);
	int64_t y = w->variant.descending ? end - 1 : begin;

	same.origin = b * g->out_h * same.bytes;
	for (; begin <= y && y < end; y = tn_walk_next(w, y, same))
		if (!run_row(w, g, taps, b, y))
			return false;
	return true;
}

static void run(struct tn_walk *w, const struct tn_window *g, struct taps *taps)
{
	const int64_t image = g->out_h * g->out_w * g->out_c;
	const struct tn_blocks same = { .end = g->batches,
		.bytes = image * tn_walk_width(tn_walk_output(w, 0)) };
	int64_t b = w->variant.descending ? same.end - 1 : 0;

	for (; 0 <= b && b < same.end; b = tn_walk_next(w, b, same))
		if (!run_image(w, g, taps, b))
			return;
}

bool tn_walk_window(struct tn_walk *w)
{
	struct tn_window g;
	struct tn_arena arena;
	struct taps taps = { 0 };
	const char *why;
	size_t n;

	if (!tn_window_of(w->g, w->op, &g, &why))
		return false;
	for (uint32_t k = 1; k < tn_op_operands(w->g, w->op); k++)
		if (tn_walk_shares(w, k))
			return false; /* a computed filter: no kernel has an order for it */
	if (!w->fn)
		return true;
	tn_arena_init(&arena);
	if (tn_size_from_i64(tn_min_i64(g.k_h, g.in_h) * tn_min_i64(g.k_w, g.in_w), &n))
		taps.reads = TN_NEW_ARRAY(&arena, struct tn_access, n);
	taps.width = tn_walk_width(tn_walk_input(w, 0));
	if (taps.reads && tn_variant_is_buffered(w->variant))
		run_buffered(w, &g, &taps);
	else if (taps.reads)
		run(w, &g, &taps);
	else
		w->out_of_memory = true;
	tn_arena_release(&arena);
	return true;
}
