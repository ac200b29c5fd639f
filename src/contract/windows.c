/* An output pixel needs the valid taps of its window. A step of HOLD_NONE is one output
 * channel, a step of HOLD_PIXEL all channels of the pixel. */
#include "base/arena.h"
#include "base/checked.h"
#include "contract/walk.h"
#include "ir/window.h"

struct taps {
	struct tn_access *reads; /* k_h * k_w of them at most */
	uint32_t n;
	int64_t width; /* bytes of an input element */
};

/* The window's reads of channels [c, c + n_c), row by row; a row is one range when its
 * taps are neighbours and all channels are read. */
static void gather(const struct tn_window *g, struct taps *taps, int64_t b, int64_t oy,
	int64_t ox, int64_t c, int64_t n_c)
{
	bool whole = n_c == g->in_c && g->dilation_w == 1;

	taps->n = 0;
	for (int64_t ky = 0; ky < g->k_h; ky++) {
		int64_t iy = oy * g->stride_h - g->pad_top + ky * g->dilation_h;

		if (iy < 0 || iy >= g->in_h)
			continue;
		for (int64_t kx = 0; kx < g->k_w; kx++) {
			int64_t ix = ox * g->stride_w - g->pad_left + kx * g->dilation_w;
			int64_t n = n_c, at;

			if (ix < 0 || ix >= g->in_w)
				continue;
			at = ((b * g->in_h + iy) * g->in_w + ix) * g->in_c + c;
			if (whole) {
				int64_t left = tn_min_i64(g->k_w - kx, g->in_w - ix);

				n = left * g->in_c;
				kx = g->k_w;
			}
			taps->reads[taps->n++] = (struct tn_access){ 0, at * taps->width,
				(at + n) * taps->width };
		}
	}
}

static void run(struct tn_walk *w, const struct tn_window *g, struct taps *taps,
	int64_t out_width)
{
	bool pixel = w->variant.hold == HOLD_PIXEL;
	int64_t pixels = g->batches * g->out_h * g->out_w;
	int64_t per = pixel ? 1 : g->out_c;
	int64_t write_n = pixel ? g->out_c : 1;
	uint32_t shares = tn_walk_shares(w, 0);

	for (int64_t t = 0; t < pixels * per; t++) {
		int64_t i = w->variant.descending ? pixels * per - 1 - t : t;
		int64_t p = i / per, oc = i % per;
		int64_t at = p * g->out_c + oc;
		struct tn_access write = { 0, at * out_width,
			(at + write_n) * out_width };
		bool one = g->per_channel && !pixel;
		/* all channels of a pixel read the same window: keep the last one's */
		bool same = !one && t > 0 &&
			    (w->variant.descending ? oc != per - 1 : oc != 0);

		if (!same)
			gather(g, taps, p / (g->out_h * g->out_w),
				p / g->out_w % g->out_h, p % g->out_w,
				one ? oc / g->depth_multiplier : 0, one ? 1 : g->in_c);
		if (!tn_walk_step(w, taps->reads, shares ? taps->n : 0, &write, 1))
			return;
	}
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
	for (uint32_t k = 1; k < w->op->n_inputs; k++)
		if (tn_walk_shares(w, k))
			return false; /* a computed filter: no kernel has an order for it */
	if (!w->fn)
		return true;
	tn_arena_init(&arena);
	if (tn_size_from_i64(g.k_h * tn_min_i64(g.k_w, g.in_w), &n))
		taps.reads = TN_NEW_ARRAY(&arena, struct tn_access, n);
	taps.width = tn_walk_width(tn_walk_input(w, 0));
	if (taps.reads)
		run(w, &g, &taps, tn_walk_width(tn_walk_output(w, 0)));
	else
		w->out_of_memory = true;
	tn_arena_release(&arena);
	return true;
}
