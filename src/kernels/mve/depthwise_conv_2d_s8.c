/* Depthwise 3x3 convolution of int8 for processors with MVE, channels in sixteens: two
 * outputs of a row at a time, 128 of their channels at a time; what is ready early is held
 * until the last ones. So all that the two read is read before one of them is written:
 * earlier than the steps of the contract ask for, never later. */
#include "depth_s8.h"
#include "dsp/lines_s8.h"
#include "strip_s8.h"
#include "tenure/kernels.h"
#include "tile_s8.h"

struct work {
	const struct tn_geometry *g;
	const uint32_t *stream, *constants;
	int8_t *held; /* channels before the last chunk of the one output, then of the other */
	int32_t early; /* how many they are */
	struct tn_depth depth;
	struct tn_tile tile;
};

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
static void run_pair(void *work, const struct tn_lines *l, int32_t x, int two, tn_s8 *out)
{
	struct work *w = work;
	const struct tn_geometry *g = w->g;
	struct tn_depth *d = &w->depth;
	struct tn_tile *t = &w->tile;
	int32_t c = 0, n = g->out_c / TN_GROUP;

	out += x * g->out_c;
	tn_lines_taps(l, x * g->stride_w - g->pad_left, 3 + g->stride_w, d->plane);
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

void tn_mve_depthwise_conv_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_mve_depthwise_params *p = params;
	const struct tn_geometry *g = &p->g;
	const uint32_t groups = (uint32_t)g->out_c / TN_GROUP;
	uint32_t *sums = (uint32_t *)scratch + 64;
	struct work w; /* not cleared: calls may be for a row */

	w.g = g;
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
	w.depth.plane[15] = in[2];
	w.tile.sums = sums;
	w.tile.layer.vectors = 0;
	w.tile.layer.blocks = 1;
	w.tile.layer.rest = 0;
	w.tile.layer.offset = p->offset;
	w.tile.layer.floor = p->floor;
	w.tile.layer.in_step = w.tile.layer.out_step = 0; /* one pair at a time */
	tn_lines_s8(g, p->order, in[0], in[2], out[0], run_pair, &w);
}
