/* Depthwise 3x3 convolution of int8 for processors with MVE, channels in sixteens: two
 * outputs of a row at a time. All that they read is read before one of them is written:
 * earlier than the steps of the contract ask for, never later. */
#include "depth_s8.h"
#include "tenure/kernels.h"
#include "tile_s8.h"

struct work {
	const struct tn_mve_depthwise_params *p;
	const tn_s8 *in, *zeros;
	tn_s8 *out;
	const uint32_t *stream;
	struct tn_depth depth;
	struct tn_tile tile;
};

/* Outputs x and, if there are two, x + 1 of a row; `rows` are those of the window, NULL
 * where they lie outside. */
static void run_pair(
	struct work *w, const tn_s8 *const *rows, int32_t x, int two, tn_s8 *out)
{
	const struct tn_geometry *g = &w->p->g;
	struct tn_depth *d = &w->depth;
	int32_t left = x * g->stride_w - g->pad_left, n = 3 + g->stride_w;
	int32_t at = left * g->in_c;

	for (int32_t column = 0; column < n; column++, left++, at += g->in_c)
		for (int32_t ky = 0; ky < 3; ky++)
			d->plane[3 * column + ky] =
				rows[ky] && left >= 0 && left < g->in_w ? rows[ky] + at
									: w->zeros;
	d->plane[15] = w->zeros;
	d->groups = g->out_c / TN_GROUP;
	tn_depth_s8(d);
	/* where there is no second one, the first is stored over it */
	w->tile.out_a = out + x * g->out_c;
	w->tile.out_b = w->tile.out_a + (two ? g->out_c : 0);
	w->tile.pairs = 1;
	tn_tile_s8(&w->tile);
}

static void run_row(struct work *w, int32_t batch, int32_t y)
{
	const struct tn_geometry *g = &w->p->g;
	const int32_t top = y * g->stride_h - g->pad_top, pairs = (g->out_w + 1) / 2;
	int32_t line =
		batch * g->out_rows + (g->out_rows == g->out_h ? y : y % g->out_rows);
	tn_s8 *out = w->out + line * g->out_w * g->out_c;
	const tn_s8 *rows[3];

	for (int32_t ky = 0; ky < 3; ky++) {
		int32_t in_y = top + ky;

		rows[ky] = 0;
		if (in_y < 0 || in_y >= g->in_h)
			continue;
		if (g->in_rows != g->in_h)
			in_y %= g->in_rows;
		rows[ky] = w->in + (batch * g->in_rows + in_y) * g->in_w * g->in_c;
	}
	for (int32_t t = 0; t < pairs; t++) {
		int32_t x = 2 * (w->p->order.descending ? pairs - 1 - t : t);

		run_pair(w, rows, x, x + 1 < g->out_w, out);
	}
}

void tn_mve_depthwise_conv_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_mve_depthwise_params *p = params;
	const int32_t groups = p->g.out_c / TN_GROUP;
	uint8_t *room = scratch;
	uint32_t *sums = (uint32_t *)scratch + 64;
	const uint32_t *stream = in[1];
	struct work w = { .p = p,
		.in = in[0],
		.zeros = in[2],
		.out = out[0],
		.depth = { .sums = sums,
			.stream = stream,
			.room = room,
			.sets = p->g.stride_w == 1 ? 3 : 4,
			.second = p->g.stride_w == 1 ? 67 : 64 },
		.tile = { .stream = stream + TN_DEPTH_WORDS * groups,
			.sums = sums,
			.blocks = 1,
			.groups = groups,
			.offset = p->offset,
			.floor = p->floor } };
	const int32_t height = p->g.y_end - p->g.y_begin, rows = p->g.batches * height;

	for (int32_t i = 0; i < 4; i++)
		w.depth.word[i] =
			(uintptr_t)room + (i < w.depth.sets ? 64 * (uintptr_t)i : 0);
	for (int32_t t = 0; t < rows; t++) {
		int32_t i = p->order.descending ? rows - 1 - t : t, batch = i / height;

		run_row(&w, batch, p->g.y_begin + i - batch * height);
	}
}
