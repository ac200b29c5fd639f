/* Our packed kernels behind the interface of an instruction-counting bench for Cortex-M
 * (harness/bench.h: layers, buffers, a table of functions). Packing runs in prepare, with the
 * code that binding uses on the host. See docs/KERNELS.md for how to build it. */
#include <string.h>

/* the bench's names of ops are ours as well */
#define OP_RELU	   BENCH_RELU
#define OP_MUL	   BENCH_MUL
#define OP_ADD	   BENCH_ADD
#define OP_SOFTMAX BENCH_SOFTMAX
#define OP_COUNT   BENCH_COUNT
#include "bench.h"
#undef OP_RELU
#undef OP_MUL
#undef OP_ADD
#undef OP_SOFTMAX
#undef OP_COUNT

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

/* ---- what packing asks of the host ---- */

static const layer_t *layer;
static bufs_t bufs;
static uint8_t *heap;

void *tn_binder_array(struct tn_binder *b, size_t count, size_t size)
{
	void *at = heap;

	(void)b;
	heap += (count * size + 15) & ~(size_t)15;
	return at;
}

bool tn_window_of(const struct tn_graph *g, const struct tn_op *op, struct tn_window *out,
	const char **out_why)
{
	(void)g;
	(void)op;
	(void)out;
	(void)out_why;
	return false;
}

/* ---- layers ---- */

static const void *in[4];
static void *out[1];

static struct tn_dsp_depthwise_params depthwise;
static tn_kernel_fn *kernel;
static const void *params;

static struct tn_window window_of(const layer_t *l)
{
	return (struct tn_window){ .batches = 1,
		.in_h = l->in_h,
		.in_w = l->in_w,
		.in_c = l->in_c,
		.out_h = l->out_h,
		.out_w = l->out_w,
		.out_c = l->out_c,
		.k_h = l->k_h,
		.k_w = l->k_w,
		.stride_h = l->s_h,
		.stride_w = l->s_w,
		.dilation_h = 1,
		.dilation_w = 1,
		.pad_top = l->pad_h,
		.pad_left = l->pad_w,
		.depth_multiplier = 1,
		.per_channel = l->op != OP_CONV };
}

static struct tn_geometry geometry_of(const layer_t *l)
{
	return (struct tn_geometry){ .batches = 1,
		.in_h = l->in_h,
		.in_w = l->in_w,
		.in_c = l->in_c,
		.out_h = l->out_h,
		.out_w = l->out_w,
		.out_c = l->out_c,
		.k_h = l->k_h,
		.k_w = l->k_w,
		.stride_h = l->s_h,
		.stride_w = l->s_w,
		.dilation_h = 1,
		.dilation_w = 1,
		.pad_top = l->pad_h,
		.pad_left = l->pad_w,
		.y_end = l->out_h,
		.in_rows = l->in_h,
		.out_rows = l->out_h,
		.held = 1 };
}

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

static int32_t up16(int32_t n)
{
	return (n + 15) & ~15;
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

static void bind(const layer_t *l, const bufs_t *b)
{
	layer = l;
	bufs = *b;
	heap = b->persist;
	in[0] = b->in;
	out[0] = b->out;
	kernel = 0;
}

static int8_t *shifts(int32_t n)
{
	int8_t *s = tn_binder_array(0, (size_t)n, 1);

	for (int32_t i = 0; i < n; i++)
		s[i] = (int8_t)layer->shift[i];
	return s;
}

static struct tn_packing packing(int32_t rows, int32_t row, uint32_t n_scales)
{
	return (struct tn_packing){ .weights = bufs.w,
		.bias = bufs.bias,
		.channels = layer->out_c,
		.rows = rows,
		.row = row,
		.in_offset = -layer->in_zp,
		.zero_point = layer->out_zp,
		.multiplier = layer->mult,
		.shift = shifts((int32_t)n_scales),
		.n_scales = n_scales,
		.floor = tn_rescale_has_floor(
			layer->out_zp, layer->act_min, layer->act_max),
		.part_rows = rows };
}

static void *zeros_of(int32_t n)
{
	void *zeros = tn_binder_array(0, (size_t)n, 1);

	memset(zeros, layer->in_zp & 0xff, (size_t)n);
	return zeros;
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

/* The nearest factor; the product of two multipliers has 62 fractional bits. */
static int32_t factor(int32_t multiplier, int32_t shift)
{
	int64_t product = (int64_t)multiplier * layer->o_mult;
	int32_t down = 62 - TN_DSP_ADD_BITS - layer->left_shift - shift - layer->o_shift;

	return (int32_t)((product + ((int64_t)1 << (down - 1))) >> down);
}

/* Binding searches around these factors, and for the constant, with 64 KB of results; here
 * the first candidate is taken, and the bench's digests say whether it is right. */
static int prepare_add(void)
{
	static struct tn_dsp_add_params add;
	const int32_t a_factor = factor(layer->in1_mult, layer->in1_shift);
	const int32_t b_factor = factor(layer->in2_mult, layer->in2_shift);

	add = (struct tn_dsp_add_params){ .n = layer->out_h * layer->out_w * layer->out_c,
		.a_factor = a_factor,
		.b_factor = b_factor,
		.constant = (layer->out_zp * (1 << 22)) + (1 << 21) -
			    layer->in_zp * a_factor - layer->in2_zp * b_factor };
	in[1] = bufs.in2;
	params = &add;
#if MVE
	kernel = tn_mve_add_s8;
#else
	kernel = tn_dsp_add_s8;
#endif
	return 0;
}

static int prepare_pool(void)
{
	static struct tn_pool_params pool;

	pool = (struct tn_pool_params){ .g = geometry_of(layer),
		.act_min = layer->act_min,
		.act_max = layer->act_max };
	params = &pool;
#if MVE
	kernel = layer->op == OP_AVGPOOL ? tn_mve_average_pool_2d_s8
					 : tn_mve_max_pool_2d_s8;
#else
	kernel = layer->op == OP_AVGPOOL ? tn_dsp_average_pool_2d_s8
					 : tn_dsp_max_pool_2d_s8;
#endif
	return 0;
}

static int prepare_softmax(void)
{
	static struct tn_softmax_s8_params softmax;
	int32_t *table = tn_binder_array(0, 256, sizeof(*table));

	for (int32_t d = 0; d < 256; d++) {
		int32_t x = tn_mulh(-d * (1 << layer->sm_shift), layer->sm_mult);

		table[d] = -d < layer->sm_diff_min ? 0 : tn_exp_negative(x, 5);
	}
	softmax = (struct tn_softmax_s8_params){
		.rows = 1, .n = layer->in_c, .n_table = 256, .exp_table = table
	};
	params = &softmax;
	kernel = MVE ? tn_mve_softmax_s8 : tn_softmax_s8;
	return 0;
}

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
		return prepare_add();
	case OP_AVGPOOL:
	case OP_MAXPOOL:
		return prepare_pool();
	case BENCH_SOFTMAX:
		return prepare_softmax();
	default:
		return 1;
	}
}

static int run(void)
{
	kernel(params, in, out, bufs.scratch);
	return 0;
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
