/* What the kernel sets for the bench share: its interface, what packing asks of the host, and
 * the layers that are alike in all sets. Each set is one program. */
#ifndef TENURE_BENCH_KERNEL_SET_H
#define TENURE_BENCH_KERNEL_SET_H

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
#include "contract/dsp.h"
#include "kernels/ref/fixed_exp.h"
#include "tenure/kernels.h"

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
static tn_kernel_fn *kernel;
static const void *params;

static inline void bind(const layer_t *l, const bufs_t *b)
{
	layer = l;
	bufs = *b;
	heap = b->persist;
	in[0] = b->in;
	out[0] = b->out;
	kernel = 0;
}

/* Members that a window and a geometry have under the same names. */
#define LAYER_SHAPE(l)                                                                   \
	.batches = 1, .in_h = (l)->in_h, .in_w = (l)->in_w, .in_c = (l)->in_c,           \
	.out_h = (l)->out_h, .out_w = (l)->out_w, .out_c = (l)->out_c, .k_h = (l)->k_h,  \
	.k_w = (l)->k_w, .stride_h = (l)->s_h, .stride_w = (l)->s_w, .dilation_h = 1,    \
	.dilation_w = 1, .pad_top = (l)->pad_h, .pad_left = (l)->pad_w

static inline struct tn_window window_of(const layer_t *l)
{
	return (struct tn_window){ LAYER_SHAPE(l), .depth_multiplier = 1,
		.per_channel = l->op != OP_CONV };
}

static inline struct tn_geometry geometry_of(const layer_t *l)
{
	return (struct tn_geometry){ LAYER_SHAPE(l), .y_end = l->out_h,
		.in_rows = l->in_h, .out_rows = l->out_h, .held = 1 };
}

static inline int32_t up16(int32_t n)
{
	return (n + 15) & ~15;
}

static inline int8_t *shifts(int32_t n)
{
	int8_t *s = tn_binder_array(0, (size_t)n, 1);

	for (int32_t i = 0; i < n; i++)
		s[i] = (int8_t)layer->shift[i];
	return s;
}

static inline struct tn_packing packing(int32_t rows, int32_t row, uint32_t n_scales)
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

static inline void *zeros_of(int32_t n)
{
	void *zeros = tn_binder_array(0, (size_t)n, 1);

	memset(zeros, layer->in_zp & 0xff, (size_t)n);
	return zeros;
}

static inline int prepare_pool(tn_kernel_fn *average, tn_kernel_fn *max)
{
	static struct tn_pool_params pool;

	pool = (struct tn_pool_params){ .g = geometry_of(layer),
		.act_min = layer->act_min,
		.act_max = layer->act_max };
	params = &pool;
	kernel = layer->op == OP_AVGPOOL ? average : max;
	return 0;
}

/* The nearest factor; the product of two multipliers has 62 fractional bits. */
static inline int32_t factor(int32_t multiplier, int32_t shift)
{
	int64_t product = (int64_t)multiplier * layer->o_mult;
	int32_t down = 62 - TN_DSP_ADD_BITS - layer->left_shift - shift - layer->o_shift;

	return (int32_t)((product + ((int64_t)1 << (down - 1))) >> down);
}

/* Binding searches around these factors, and for the constant, with 64 KB of results; here
 * the first candidate is taken, and the bench's digests say whether it is right. */
static inline int prepare_add(tn_kernel_fn *add_kernel)
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
	kernel = add_kernel;
	return 0;
}

static inline int prepare_softmax(tn_kernel_fn *softmax_kernel)
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
	kernel = softmax_kernel;
	return 0;
}

static inline int run(void)
{
	kernel(params, in, out, bufs.scratch);
	return 0;
}

#endif
