/* Depthwise 3x3 convolution of int8 for processors with MVE, channels in sixteens: two
 * outputs of a row at a time, 128 of their channels at a time; what is ready early is held
 * until the last ones. So all that the two read is read before one of them is written:
 * earlier than the steps of the contract ask for, never later. */
#include "depth_s8.h"
#include "strip_s8.h"
#include "tenure/kernels.h"
#include "tile_s8.h"

struct work {
	const struct tn_mve_depthwise_params *p;
	const tn_s8 *in, *zeros;
	tn_s8 *out;
	const uint32_t *stream, *constants;
	int8_t *held; /* channels before the last chunk of the one output, then of the other */
	int32_t early; /* how many they are */
	struct tn_depth depth;
	struct tn_tile tile;
};

/* The rows of a window: zeros with a step of 0 where they lie outside. */
struct lines {
	const tn_s8 *row[3];
	int32_t step[3]; /* from column to column */
};

/* n columns of planes, the first at x. */
static void set_planes(struct work *w, const struct lines *l, int32_t x, int32_t n)
{
	const tn_s8 **plane = w->depth.plane;
	const int32_t in_w = w->p->g.in_w;

	for (; n > 0; n--, x++, plane += 3) {
		if (x >= 0 && x < in_w) {
			plane[0] = l->row[0] + x * l->step[0];
			plane[1] = l->row[1] + x * l->step[1];
			plane[2] = l->row[2] + x * l->step[2];
		} else {
			plane[0] = plane[1] = plane[2] = w->zeros;
		}
	}
}

static void run_chunk(struct work *w, int32_t groups, tn_s8 *first, tn_s8 *second)
{
	w->depth.groups = groups;
	tn_depth_s8(&w->depth);
	w->tile.layer.groups = groups;
	w->tile.out_a = first;
	w->tile.out_b = second;
	w->tile.pairs = 1;
	tn_tile_s8(&w->tile);
}

/* Outputs x and, if there are two, x + 1 of a row. */
static void run_pair(
	struct work *w, const struct lines *l, int32_t x, int two, tn_s8 *out)
{
	const struct tn_geometry *g = &w->p->g;
	struct tn_depth *d = &w->depth;
	struct tn_tile *t = &w->tile;
	int32_t c = 0, n = g->out_c / TN_GROUP;

	out += x * g->out_c;
	set_planes(w, l, x * g->stride_w - g->pad_left, 3 + g->stride_w);
	d->stream = w->stream;
	t->stream = w->constants;
	for (; n > TN_DEPTH_GROUPS; n -= TN_DEPTH_GROUPS, c += TN_DEPTH_CHANNELS) {
		run_chunk(w, TN_DEPTH_GROUPS, w->held + c, w->held + w->early + c);
		d->stream += TN_DEPTH_WORDS * TN_DEPTH_GROUPS;
		t->stream += TN_CONSTANT_WORDS * TN_DEPTH_GROUPS;
	}
	/* where there is no second one, the first is stored over it */
	run_chunk(w, n, out + c, out + c + (two ? g->out_c : 0));
	if (!c)
		return;
	tn_strip_store(out, w->held, c);
	if (two)
		tn_strip_store(out + g->out_c, w->held + w->early, c);
}

static void run_row(struct work *w, int32_t batch, int32_t y)
{
	const struct tn_geometry *g = &w->p->g;
	const int32_t top = y * g->stride_h - g->pad_top, pairs = (g->out_w + 1) / 2;
	int32_t line = batch * g->out_rows + y % g->out_rows;
	tn_s8 *out = w->out + line * g->out_w * g->out_c;
	struct lines l;

	for (int32_t ky = 0; ky < 3; ky++) {
		int32_t in_y = top + ky;
		int inside = in_y >= 0 && in_y < g->in_h;

		in_y = batch * g->in_rows + in_y % g->in_rows;
		l.row[ky] = inside ? w->in + in_y * g->in_w * g->in_c : w->zeros;
		l.step[ky] = inside ? g->in_c : 0;
	}
	for (int32_t t = 0; t < pairs; t++) {
		int32_t x = 2 * (w->p->order.descending ? pairs - 1 - t : t);

		run_pair(w, &l, x, x + 1 < g->out_w, out);
	}
}

void tn_mve_depthwise_conv_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_mve_depthwise_params *p = params;
	const struct tn_geometry *g = &p->g;
	const uint32_t groups = (uint32_t)g->out_c / TN_GROUP;
	const int32_t height = g->y_end - g->y_begin, rows = g->batches * height;
	uint32_t *sums = (uint32_t *)scratch + 64;
	struct work w; /* not cleared: calls may be for a row */

	w.p = p;
	w.in = in[0];
	w.zeros = in[2];
	w.out = out[0];
	w.stream = in[1];
	w.constants = w.stream + TN_DEPTH_WORDS * groups;
	if (groups > TN_DEPTH_GROUPS) {
		w.held = (int8_t *)(sums + 2 * TN_GROUP * TN_DEPTH_GROUPS);
		w.early = (int32_t)((groups - 1) / TN_DEPTH_GROUPS * TN_DEPTH_CHANNELS);
	}
	w.depth.sums = sums;
	w.depth.room = scratch;
	w.depth.sets = g->stride_w == 1 ? 3 : 4;
	w.depth.second = g->stride_w == 1 ? 67 : 64;
	w.depth.plane[15] = w.zeros;
	w.tile.sums = sums;
	w.tile.layer.vectors = 0;
	w.tile.layer.blocks = 1;
	w.tile.layer.rest = 0;
	w.tile.layer.offset = p->offset;
	w.tile.layer.floor = p->floor;
	for (int32_t i = 0; i < rows; i++) {
		int32_t row = p->order.descending ? rows - 1 - i : i;
		int32_t batch = row / height;

		run_row(&w, batch, g->y_begin + row - batch * height);
	}
}
