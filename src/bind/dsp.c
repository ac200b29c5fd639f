#include "bind/dsp.h"

#include <math.h>
#include <string.h>

#include "bind/thumb.h"
#include "contract/dsp.h"
#include "kernels/ref/fixed.h"

#include "base/banned.h"

static bool dsp_conv(struct tn_binder *b)
{
	const struct tn_conv_params *c = b->call->params;
	const struct tn_geometry *g = &c->g;
	const int64_t n = (int64_t)g->k_h * g->k_w * g->in_c;
	struct tn_packing pack;
	struct tn_dsp_conv_params *p;
	struct tn_dsp_conv conv;
	struct tn_window w;
	const char *why;
	uint32_t *stream;
	int8_t *zeros;
	size_t words;

	if (c->groups != 1 || !tn_window_of(b->g, b->op, &w, &why))
		return true;
	if (tn_dsp_conv_is_dilated(&w))
		return tn_bind_thumb_conv(b);
	if (!tn_dsp_conv_of(&w, &conv) ||
		!tn_packing_of_window(b, c, n * g->out_c, &pack))
		return true;
	pack.part_rows = (int32_t)conv.part_rows;
	if (!tn_dsp_pack_pairs(b, &pack, &stream, &words))
		return false;
	if (!stream)
		return true;
	zeros = tn_binder_array(b, (size_t)pack.row, 1);
	p = tn_packed_replace(b, KERNEL_DSP_CONV_2D_S8, 3, 1);
	if (!zeros || !p)
		return false;
	memset(zeros, -c->in_offset & 0xff, (size_t)pack.row);
	p->g = *g;
	p->part_rows = pack.part_rows;
	p->sums = (int32_t)conv.sums;
	p->edges = (int32_t)conv.edges;
	p->floor = pack.floor ? 4 : 0;
	tn_packed_give(b, 1, stream, words * sizeof(*stream));
	tn_packed_give(b, 2, zeros, (size_t)pack.row);
	return true;
}

bool tn_bind_dsp_depthwise_3x3(struct tn_binder *b)
{
	const struct tn_conv_params *c = b->call->params;
	struct tn_dsp_depthwise_params *p;
	struct tn_dsp_depthwise depthwise;
	struct tn_packing pack;
	struct tn_window w;
	const char *why;
	uint32_t *stream;
	size_t words;

	if (!tn_window_of(b->g, b->op, &w, &why) ||
		!tn_dsp_depthwise_of(&w, &depthwise) ||
		!tn_packing_of_window(b, c, 9 * (int64_t)c->g.out_c, &pack))
		return true;
	if (!tn_dsp_pack_depthwise(b, &pack, &stream, &words))
		return false;
	if (!stream)
		return true;
	p = tn_packed_replace(b, KERNEL_DSP_DEPTHWISE_CONV_2D_S8, 2, 1);
	if (!p)
		return false;
	p->g = c->g;
	p->zero_point = -c->in_offset;
	p->room = (int32_t)depthwise.room;
	p->floor = pack.floor;
	tn_packed_give(b, 1, stream, words * sizeof(*stream));
	return true;
}

static bool dsp_depthwise(struct tn_binder *b)
{
	if (!tn_bind_dsp_depthwise_3x3(b))
		return false;
	tn_packed_any_depthwise(b, KERNEL_DSP_DEPTHWISE_ANY_S8);
	return true;
}

static bool dsp_fully_connected(struct tn_binder *b)
{
	const struct tn_fc_params *c = b->call->params;
	struct tn_packing pack;
	struct tn_dsp_fc_params *p;
	uint32_t *stream;
	int64_t scratch;
	size_t words;

	if (!tn_dsp_fc_of(c->in_n, c->out_n, true, &scratch) ||
		!tn_packing_of_rows(b, c, &pack))
		return true;
	if (!tn_dsp_pack_sixes(b, &pack, &stream, &words))
		return false;
	if (!stream)
		return true;
	p = tn_packed_replace(b, KERNEL_DSP_FULLY_CONNECTED_S8, 2, 1);
	if (!p)
		return false;
	p->rows = c->rows;
	p->in_n = c->in_n;
	p->out_n = c->out_n;
	p->floor = pack.floor;
	tn_packed_give(b, 1, stream, words * sizeof(*stream));
	return true;
}

/* What tn_add_s8 gives for two values. */
static int32_t sum_of(const struct tn_add_params *p, int32_t a, int32_t b)
{
	int32_t x = tn_requantize(
		tn_wrap_shl(a + p->a_offset, p->left_shift), p->a_multiplier, p->a_shift);
	int32_t y = tn_requantize(
		tn_wrap_shl(b + p->b_offset, p->left_shift), p->b_multiplier, p->b_shift);

	x = tn_requantize(tn_wrap_add(x, y), p->out_multiplier, p->out_shift);
	return tn_clamp_s32(tn_wrap_add(x, p->out_offset), p->act_min, p->act_max);
}

static double ratio(int32_t left_shift, int32_t multiplier, int32_t shift, int32_t out,
	int32_t out_shift)
{
	return ldexp(
		(double)multiplier * (double)out, left_shift + shift + out_shift - 62);
}

/* Both operands as long as the output, element by element. */
static bool is_plain(const struct tn_broadcast *s)
{
	return s->rank == 1 && s->stride_a[0] == 1 && s->stride_b[0] == 1;
}

static bool dsp_add(struct tn_binder *b)
{
	const struct tn_add_params *c = b->call->params;
	const tn_tensor_id second = b->call->in[1].tensor;
	struct tn_dsp_add_params *p;
	struct tn_dsp_sum sum;
	int8_t *expected;

	if (!is_plain(&c->shape) || !tn_packed_full_range(c->act_min, c->act_max))
		return true;
	expected = tn_binder_array(b, 65536, 1);
	if (!expected)
		return false;
	for (int32_t i = 0; i < 65536; i++)
		expected[i] = (int8_t)sum_of(c, i / 256 - 128, i % 256 - 128);
	if (!tn_dsp_sum_of(expected,
		    ratio(c->left_shift, c->a_multiplier, c->a_shift, c->out_multiplier,
			    c->out_shift),
		    ratio(c->left_shift, c->b_multiplier, c->b_shift, c->out_multiplier,
			    c->out_shift),
		    &sum))
		return true;
	p = tn_packed_replace(b, KERNEL_DSP_ADD_S8, 2, 1);
	if (!p)
		return false;
	b->call->in[1].tensor = second;
	p->n = c->shape.dim[0];
	p->a_factor = sum.a_factor;
	p->b_factor = sum.b_factor;
	p->constant = sum.constant;
	return true;
}

/* Every window has a tap: an average of none is a rule of its own. */
static bool no_window_is_empty(const struct tn_geometry *g)
{
	return g->pad_top < g->k_h && g->pad_left < g->k_w &&
	       (g->out_h - 1) * g->stride_h - g->pad_top < g->in_h &&
	       (g->out_w - 1) * g->stride_w - g->pad_left < g->in_w;
}

bool tn_packed_pool(struct tn_binder *b, enum tn_kernel_id kernel, int64_t taps,
	enum tn_kernel_id other)
{
	const struct tn_pool_params *p = b->call->params;
	const int64_t most = (int64_t)p->g.k_h * p->g.k_w;

	if (p->g.dilation_h != 1 || p->g.dilation_w != 1 || !no_window_is_empty(&p->g))
		return true;
	if (most <= taps)
		b->call->kernel = &tn_kernels[kernel];
	else if (most <= TN_THUMB_POOL_TAPS)
		b->call->kernel = &tn_kernels[other];
	return true;
}

static bool dsp_average_pool(struct tn_binder *b)
{
	return tn_packed_pool(b, KERNEL_DSP_AVERAGE_POOL_2D_S8, TN_DSP_POOL_TAPS,
		KERNEL_THUMB_AVERAGE_POOL_2D_S8);
}

static bool dsp_max_pool(struct tn_binder *b)
{
	return tn_packed_pool(
		b, KERNEL_DSP_MAX_POOL_2D_S8, INT64_MAX, KERNEL_DSP_MAX_POOL_2D_S8);
}

static bool dsp_mul(struct tn_binder *b)
{
	tn_packed_product(b, KERNEL_DSP_MUL_S8);
	return true;
}

static bool dsp_table(struct tn_binder *b)
{
	tn_packed_table(b, KERNEL_THUMB_LUT_S8, KERNEL_DSP_CLAMP_S8);
	return true;
}

bool tn_bind_dsp(struct tn_binder *b)
{
	static const struct {
		enum tn_kernel_id portable;
		tn_bind_fn *pack;
	} rows[] = {
		{ KERNEL_CONV_2D_S8, dsp_conv },
		{ KERNEL_DEPTHWISE_CONV_2D_S8, dsp_depthwise },
		{ KERNEL_FULLY_CONNECTED_S8, dsp_fully_connected },
		{ KERNEL_ADD_S8, dsp_add },
		{ KERNEL_AVERAGE_POOL_2D_S8, dsp_average_pool },
		{ KERNEL_MAX_POOL_2D_S8, dsp_max_pool },
		{ KERNEL_MUL_S8, dsp_mul },
		{ KERNEL_LUT_S8, dsp_table },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (b->call->kernel == &tn_kernels[rows[i].portable])
			return rows[i].pack(b);
	return true;
}
