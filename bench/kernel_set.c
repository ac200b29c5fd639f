/* Our packed kernels behind the interface of an instruction-counting bench for Cortex-M
 * (harness/bench.h: layers, buffers, a table of functions). Packing runs in prepare, with the
 * code that binding uses on the host. kernel_set.mk says how to build it. */
#include "kernel_set.h"

#include "bind/dsp.h"
#include "bind/mve.h"
#include "contract/dsp.h"
#include "contract/mve.h"
#include "kernels/mve/layout.h"
#include "kernels/ref/fixed_exp.h"
#include "tenure/kernels.h"

#if defined(TENURE_MVE)
#define MVE 1
#define SET "tn_mve_"
#else
#define MVE 0
#define SET "tn_dsp_"
#endif

static struct tn_dsp_depthwise_params depthwise;

#if MVE

static int32_t own_scratch(const layer_t *l)
{
	struct tn_window w = window_of(l);
	struct tn_mve_conv c;
	struct tn_mve_fc fc;
	int64_t bytes;

	if (l->op == OP_CONV && tn_mve_conv_of(&w, &c))
		return (int32_t)c.scratch;
	if (l->op == OP_DWCONV && tn_mve_depthwise_of(&w, &bytes))
		return (int32_t)bytes;
	if (l->op == OP_FC && tn_mve_fc_of(l->in_c, l->out_c, false, &fc))
		return (int32_t)fc.scratch;
	return -1;
}

#else

static int32_t own_scratch(const layer_t *l)
{
	(void)l;
	return -1;
}

#endif

static int32_t scratch_bytes(const layer_t *l)
{
	struct tn_window w = window_of(l);
	struct tn_dsp_depthwise d;
	struct tn_dsp_conv c;
	int64_t fc_bytes;
	int32_t own = own_scratch(l);

	if (own >= 0)
		return own;
	if (l->op == OP_CONV && tn_dsp_conv_of(&w, &c))
		return (int32_t)c.scratch;
	if (l->op == OP_DWCONV && tn_dsp_depthwise_of(&w, &d))
		return (int32_t)d.scratch;
	if (l->op == OP_FC && tn_dsp_fc_of(l->in_c, l->out_c, false, &fc_bytes))
		return (int32_t)fc_bytes;
	return 0;
}

static int32_t persist_bytes(const layer_t *l)
{
	int32_t row = l->k_w * l->in_c;

	if (MVE && l->op == OP_CONV)
		return (l->out_c + 3) / 4 * 16 * (3 + 4 * ((l->k_h * row + 15) / 16)) +
		       up16(l->in_c < 16 ? 16 : l->in_c) + up16(l->out_c);
	if (l->op == OP_CONV)
		return up16((l->out_c + 1) / 2 * 8 * (4 + l->k_h * ((row + 3) / 4))) +
		       up16(row) + up16(l->out_c);
	if (MVE && l->op == OP_FC)
		return (l->out_c + 3) / 4 * 16 * (3 + 4 * ((l->in_c + 15) / 16)) + 16;
	if (l->op == OP_FC)
		return up16((l->out_c + 3) / 4 * 16 * (4 + (l->in_c + 3) / 4)) + 16;
	if (l->op == BENCH_SOFTMAX)
		return 1024;
	if (MVE && l->op == OP_DWCONV && l->out_c % 16 == 0)
		return (28 + 8) * l->out_c + 3 * up16(l->out_c);
	if (l->op == OP_DWCONV)
		return 32 * ((l->out_c + 3) / 4 * 4) + up16(l->out_c);
	return 0;
}

#if MVE

static int prepare_conv(void)
{
	struct tn_packing p =
		packing(layer->k_h, layer->k_w * layer->in_c, (uint32_t)layer->out_c);
	struct tn_window w = window_of(layer);
	static struct tn_mve_conv_params conv;
	struct tn_geometry g;
	struct tn_mve_conv c;
	uint32_t *stream;
	size_t words;

	if (!tn_mve_conv_of(&w, &c))
		return 1;
	if (!tn_mve_pack_tile(0, &p, layer->in_c, &stream, &words) || !stream)
		return 2;
	g = geometry_of(layer);
	tn_mve_conv_set(&conv, &g, &c, &p);
	in[1] = stream;
	in[2] = zeros_of(layer->in_c < 16 ? 16 : layer->in_c);
	params = &conv;
	kernel = tn_mve_conv_2d_s8;
	return 0;
}

#else

static int prepare_conv(void)
{
	struct tn_packing p =
		packing(layer->k_h, layer->k_w * layer->in_c, (uint32_t)layer->out_c);
	struct tn_window w = window_of(layer);
	static struct tn_dsp_conv_params conv;
	struct tn_dsp_conv c;
	uint32_t *stream;
	size_t words;

	if (!tn_dsp_conv_of(&w, &c))
		return 1;
	p.part_rows = (int32_t)c.part_rows;
	if (!tn_dsp_pack_pairs(0, &p, &stream, &words) || !stream)
		return 2;
	conv = (struct tn_dsp_conv_params){ .g = geometry_of(layer),
		.part_rows = p.part_rows,
		.sums = (int32_t)c.sums,
		.edges = (int32_t)c.edges,
		.floor = p.floor ? 4 : 0 };
	in[1] = stream;
	in[2] = zeros_of(p.row);
	params = &conv;
	kernel = tn_dsp_conv_2d_s8;
	return 0;
}

#endif

#if MVE

/* Channels in sixteens; 1: not these. */
static int prepare_sixteens(void)
{
	static struct tn_mve_depthwise_params depth;
	struct tn_packing p = packing(3, 3, (uint32_t)layer->out_c);
	struct tn_window w = window_of(layer);
	uint32_t *stream;
	int64_t bytes;
	size_t words;

	if (!tn_mve_depthwise_of(&w, &bytes))
		return 1;
	if (!tn_mve_pack_depthwise(0, &p, &stream, &words) || !stream)
		return 2;
	depth = (struct tn_mve_depthwise_params){ .g = geometry_of(layer),
		.offset = p.floor ? TN_FLOOR_OFFSET : p.zero_point,
		.floor = p.floor };
	in[1] = stream;
	in[2] = zeros_of(layer->in_c);
	params = &depth;
	kernel = tn_mve_depthwise_conv_2d_s8;
	return 0;
}

#else

static int prepare_sixteens(void)
{
	return 1;
}

#endif

static int prepare_depthwise(void)
{
	struct tn_packing p = packing(3, 3, (uint32_t)layer->out_c);
	struct tn_window w = window_of(layer);
	struct tn_dsp_depthwise d;
	uint32_t *stream;
	size_t words;

	if (prepare_sixteens() == 0)
		return 0;
	/* others have no packed kernel: kernel_set_plain.c */
	if (MVE && layer->out_c % 4)
		return 1;
	heap = bufs.persist;
	p = packing(3, 3, (uint32_t)layer->out_c);
	if (!tn_dsp_depthwise_of(&w, &d))
		return 1;
	if (!tn_dsp_pack_depthwise(0, &p, &stream, &words) || !stream)
		return 2;
	depthwise = (struct tn_dsp_depthwise_params){ .g = geometry_of(layer),
		.zero_point = layer->in_zp,
		.room = (int32_t)d.room,
		.floor = p.floor };
	in[1] = stream;
	params = &depthwise;
	kernel = tn_dsp_depthwise_conv_2d_s8;
	return 0;
}

#if MVE

static int prepare_fc(void)
{
	static struct tn_mve_fc_params fc;
	struct tn_packing p = packing(1, layer->in_c, 1);
	struct tn_mve_fc c;
	uint32_t *stream;
	size_t words;

	if (!tn_mve_fc_of(layer->in_c, layer->out_c, false, &c))
		return 1;
	if (!tn_mve_pack_rows(0, &p, &stream, &words) || !stream)
		return 2;
	fc = (struct tn_mve_fc_params){ .rows = 1,
		.in_n = layer->in_c,
		.out_n = layer->out_c,
		.blocks = (int32_t)c.blocks,
		.copy = (int32_t)c.copy,
		.offset = p.floor ? TN_FLOOR_OFFSET : p.zero_point,
		.floor = p.floor };
	in[1] = stream;
	params = &fc;
	kernel = tn_mve_fully_connected_s8;
	return 0;
}

#else

static int prepare_fc(void)
{
	static struct tn_dsp_fc_params fc;
	struct tn_packing p = packing(1, layer->in_c, 1);
	uint32_t *stream;
	size_t words;

	if (!tn_dsp_pack_sixes(0, &p, &stream, &words) || !stream)
		return 2;
	fc = (struct tn_dsp_fc_params){
		.rows = 1, .in_n = layer->in_c, .out_n = layer->out_c, .floor = p.floor
	};
	in[1] = stream;
	params = &fc;
	kernel = tn_dsp_fully_connected_s8;
	return 0;
}

#endif

static int prepare(void)
{
	switch (layer->op) {
	case OP_CONV:
		return prepare_conv();
	case OP_DWCONV:
		return prepare_depthwise();
	case OP_FC:
		return prepare_fc();
	case BENCH_ADD:
		return prepare_add(MVE ? tn_mve_add_s8 : tn_dsp_add_s8);
	case OP_AVGPOOL:
	case OP_MAXPOOL:
		return MVE ? prepare_pool(
				     tn_mve_average_pool_2d_s8, tn_mve_max_pool_2d_s8)
			   : prepare_pool(
				     tn_dsp_average_pool_2d_s8, tn_dsp_max_pool_2d_s8);
	case BENCH_SOFTMAX:
		return prepare_softmax(MVE ? tn_mve_softmax_s8 : tn_softmax_s8);
	default:
		return 1;
	}
}

const kernel_set_t kernel_set_under_test = {
	.name = SET_NAME,
	.scratch_bytes = scratch_bytes,
	.persist_bytes = persist_bytes,
	.bind = bind,
	.prepare = prepare,
	.run = { [OP_CONV] = run,
		[OP_DWCONV] = run,
		[OP_FC] = run,
		[OP_MAXPOOL] = run,
		[OP_AVGPOOL] = run,
		[BENCH_ADD] = run,
		[BENCH_SOFTMAX] = run },
	.api = { [OP_CONV] = SET "conv_2d_s8",
		[OP_DWCONV] = "tn_dsp_depthwise_conv_2d_s8",
		[OP_FC] = SET "fully_connected_s8",
		[OP_MAXPOOL] = SET "max_pool_2d_s8",
		[OP_AVGPOOL] = SET "average_pool_2d_s8",
		[BENCH_ADD] = SET "add_s8",
		[BENCH_SOFTMAX] = MVE ? "tn_mve_softmax_s8" : "tn_softmax_s8" },
};
