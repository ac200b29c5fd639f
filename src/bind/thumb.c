#include "bind/thumb.h"

#include <string.h>

#include "contract/thumb.h"

#include "base/banned.h"

#define CONSTANTS 4 /* words of a channel, as in src/kernels/thumb/rescale.h */
#define TAPS	  9
#define TAP_WORDS 3 /* their bytes, filled up */

/* Of channel c, whose n weights lie `step` apart from `weights` on. False: its roundings are
 * not the kernels'. */
static bool put_constants(const struct tn_packing *p, int32_t c, const int8_t *weights,
	int64_t n, int64_t step, uint32_t *out)
{
	const struct tn_channel x = tn_packing_channel(p, c, weights, n, step);
	int32_t k[3];

	if (!tn_rescale_pack(&x.rescaling, false, 1, k))
		return false;
	out[0] = (uint32_t)x.bias;
	for (int i = 0; i < 3; i++)
		out[1 + i] = (uint32_t)k[i];
	return true;
}

/* Of all channels, whose weights follow each other; *out NULL when one has none. False on lack
 * of memory. */
static bool constants_of(struct tn_binder *b, const struct tn_packing *p, uint32_t **out)
{
	const int64_t n = (int64_t)p->rows * p->row;
	uint32_t *k = tn_binder_array(b, CONSTANTS * (size_t)p->channels, sizeof(*k));

	*out = k;
	for (int32_t c = 0; k && c < p->channels; c++)
		if (!put_constants(p, c, p->weights + c * n, n, 1, k + CONSTANTS * c))
			*out = NULL;
	return k != NULL;
}

/* A call with the input, the weights as they are, and constants; its parameters. */
static void *replace(struct tn_binder *b, enum tn_kernel_id kernel, const uint32_t *k,
	int32_t channels)
{
	const struct tn_operand weights = b->call->in[1];
	void *params = tn_packed_replace(b, kernel, 3, 1);

	if (params) {
		b->call->in[1] = weights;
		tn_packed_give(b, 2, k, CONSTANTS * (size_t)channels * sizeof(*k));
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
	if (!constants_of(b, &pack, &k))
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
	if (!constants_of(b, &pack, &k))
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

/* Constants and weights of each channel, column by column; as constants_of. */
static bool depthwise_stream(
	struct tn_binder *b, const struct tn_packing *p, uint32_t **out)
{
	const size_t words = CONSTANTS + TAP_WORDS;
	uint32_t *stream =
		tn_binder_array(b, words * (size_t)p->channels, sizeof(*stream));

	*out = stream;
	for (int32_t c = 0; stream && c < p->channels; c++) {
		uint32_t *at = stream + words * (size_t)c;

		memset(at, 0, words * sizeof(*at));
		if (!put_constants(p, c, p->weights + c, TAPS, p->channels, at))
			*out = NULL;
		for (int32_t i = 0; i < TAPS; i++) {
			uint8_t byte = (uint8_t)p->weights[(int64_t)(i % 3 * 3 + i / 3) *
								   p->channels +
							   c];

			at[CONSTANTS + i / 4] |= (uint32_t)byte << 8 * (i % 4);
		}
	}
	return stream != NULL;
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
		!tn_packing_of_window(b, c, TAPS * (int64_t)channels, &pack))
		return true;
	if (!depthwise_stream(b, &pack, &stream))
		return false;
	if (!stream)
		return true;
	zeros = tn_binder_array(b, channels, 1);
	p = tn_packed_replace(b, KERNEL_THUMB_DEPTHWISE_CONV_2D_S8, 3, 1);
	if (!zeros || !p)
		return false;
	memset(zeros, -c->in_offset & 0xff, channels);
	p->g = c->g;
	tn_packed_give(
		b, 1, stream, (CONSTANTS + TAP_WORDS) * channels * sizeof(*stream));
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
