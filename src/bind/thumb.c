#include "bind/thumb.h"

#include <string.h>

#include "contract/thumb.h"

#include "base/banned.h"

/* A call with the input, the weights as they are, and constants; its parameters. */
static void *replace(struct tn_binder *b, enum tn_kernel_id kernel, const uint32_t *k,
	int32_t channels)
{
	const struct tn_operand weights = b->call->in[1];
	void *params = tn_packed_replace(b, kernel, 3, 1);

	if (params) {
		b->call->in[1] = weights;
		tn_packed_give(
			b, 2, k, TN_THUMB_CONSTANTS * (size_t)channels * sizeof(*k));
	}
	return params;
}

bool tn_bind_thumb_conv(struct tn_binder *b)
{
	const struct tn_conv_params *c = b->call->params;
	const struct tn_geometry *g = &c->g;
	struct tn_thumb_conv_params *p;
	struct tn_packing pack;
	struct tn_window w;
	int64_t scratch;
	const char *why;
	uint32_t *k;

	if (c->groups != 1 || !tn_window_of(b->g, b->op, &w, &why) ||
		!tn_thumb_conv_of(&w, &scratch) ||
		!tn_packing_of_window(
			b, c, (int64_t)g->k_h * g->k_w * g->in_c * g->out_c, &pack))
		return true;
	if (!tn_thumb_pack_constants(b, &pack, &k))
		return false;
	if (!k)
		return true;
	p = replace(b, KERNEL_THUMB_CONV_2D_S8, k, g->out_c);
	if (!p)
		return false;
	p->g = *g;
	p->in_zero = -c->in_offset;
	return true;
}

static bool thumb_fully_connected(struct tn_binder *b)
{
	const struct tn_fc_params *c = b->call->params;
	struct tn_thumb_fc_params *p;
	struct tn_packing pack;
	int64_t scratch;
	uint32_t *k;

	if (!tn_thumb_fc_of(c->in_n, c->out_n, &scratch) ||
		!tn_packing_of_rows(b, c, &pack))
		return true;
	if (!tn_thumb_pack_constants(b, &pack, &k))
		return false;
	if (!k)
		return true;
	p = replace(b, KERNEL_THUMB_FULLY_CONNECTED_S8, k, c->out_n);
	if (!p)
		return false;
	p->rows = c->rows;
	p->in_n = c->in_n;
	p->out_n = c->out_n;
	return true;
}

static bool thumb_depthwise_3x3(struct tn_binder *b)
{
	const struct tn_conv_params *c = b->call->params;
	const size_t channels = (size_t)c->g.out_c;
	struct tn_thumb_depthwise_params *p;
	struct tn_packing pack;
	struct tn_window w;
	uint32_t *stream;
	int64_t scratch;
	const char *why;
	int8_t *zeros;

	if (!tn_window_of(b->g, b->op, &w, &why) ||
		!tn_thumb_depthwise_of(&w, &scratch) ||
		!tn_packing_of_window(b, c, 9 * (int64_t)channels, &pack))
		return true;
	if (!tn_thumb_pack_depthwise(b, &pack, &stream))
		return false;
	if (!stream)
		return true;
	zeros = tn_binder_array(b, channels, 1);
	p = tn_packed_replace(b, KERNEL_THUMB_DEPTHWISE_CONV_2D_S8, 3, 1);
	if (!zeros || !p)
		return false;
	memset(zeros, -c->in_offset & 0xff, channels);
	p->g = c->g;
	tn_packed_give(b, 1, stream, TN_THUMB_DEPTHWISE * channels * sizeof(*stream));
	tn_packed_give(b, 2, zeros, channels);
	return true;
}

static bool thumb_depthwise(struct tn_binder *b)
{
	if (!thumb_depthwise_3x3(b))
		return false;
	tn_packed_any_depthwise(b, KERNEL_THUMB_DEPTHWISE_ANY_S8);
	return true;
}

static bool thumb_average_pool(struct tn_binder *b)
{
	return tn_packed_pool(b, KERNEL_THUMB_AVERAGE_POOL_2D_S8, TN_THUMB_POOL_TAPS,
		KERNEL_THUMB_AVERAGE_POOL_2D_S8);
}

static bool thumb_max_pool(struct tn_binder *b)
{
	return tn_packed_pool(
		b, KERNEL_THUMB_MAX_POOL_2D_S8, INT64_MAX, KERNEL_THUMB_MAX_POOL_2D_S8);
}

static bool thumb_mul(struct tn_binder *b)
{
	tn_packed_product(b, KERNEL_THUMB_MUL_S8);
	return true;
}

static bool thumb_table(struct tn_binder *b)
{
	tn_packed_table(b, KERNEL_THUMB_LUT_S8, KERNEL_THUMB_LUT_S8);
	return true;
}

bool tn_bind_thumb(struct tn_binder *b)
{
	static const struct {
		enum tn_kernel_id portable;
		tn_bind_fn *pack;
	} rows[] = {
		{ KERNEL_CONV_2D_S8, tn_bind_thumb_conv },
		{ KERNEL_DEPTHWISE_CONV_2D_S8, thumb_depthwise },
		{ KERNEL_FULLY_CONNECTED_S8, thumb_fully_connected },
		/* a linear function needs no instruction of its own */
		{ KERNEL_ADD_S8, tn_bind_dsp },
		{ KERNEL_AVERAGE_POOL_2D_S8, thumb_average_pool },
		{ KERNEL_MAX_POOL_2D_S8, thumb_max_pool },
		{ KERNEL_MUL_S8, thumb_mul },
		{ KERNEL_LUT_S8, thumb_table },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (b->call->kernel == &tn_kernels[rows[i].portable])
			return rows[i].pack(b);
	return true;
}
