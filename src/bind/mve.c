#include "bind/mve.h"

#include <string.h>

#include "contract/mve.h"
#include "kernels/mve/layout.h"

#include "base/banned.h"

/* The layer's sixteen bytes or more of zero point. */
static bool give_zeros(struct tn_binder *b, int32_t n, int32_t zero_point)
{
	int8_t *zeros = tn_binder_array(b, n < 16 ? 16 : (size_t)n, 1);

	if (!zeros)
		return false;
	memset(zeros, zero_point & 0xff, n < 16 ? 16 : (size_t)n);
	tn_packed_give(b, 2, zeros, n < 16 ? 16 : (size_t)n);
	return true;
}

static bool window_of(const struct tn_binder *b, struct tn_window *out)
{
	const char *why;

	return tn_window_of(b->g, b->op, out, &why);
}

/* Each of these gives true in *out_taken when there is a kernel for the shapes: if not, the
 * set "dsp" may have one; if so, but not for the constants, the portable one runs. */
typedef bool pack_fn(struct tn_binder *b, bool *out_taken);

static bool mve_conv(struct tn_binder *b, bool *out_taken)
{
	const struct tn_conv_params *c = b->call->params;
	const struct tn_geometry *g = &c->g;
	struct tn_mve_conv_params *p;
	struct tn_mve_conv conv;
	struct tn_packing pack;
	struct tn_window w;
	uint32_t *stream;
	size_t words;

	*out_taken = window_of(b, &w) && tn_mve_conv_of(&w, &conv);
	if (!*out_taken || c->groups != 1 ||
		!tn_packing_of_window(
			b, c, (int64_t)g->k_h * g->k_w * g->in_c * g->out_c, &pack))
		return true;
	if (!tn_mve_pack_tile(b, &pack, g->in_c, &stream, &words))
		return false;
	if (!stream)
		return true;
	p = tn_packed_replace(b, KERNEL_MVE_CONV_2D_S8, 3, 1);
	if (!p)
		return false;
	tn_mve_conv_set(p, g, &conv, &pack);
	tn_packed_give(b, 1, stream, words * sizeof(*stream));
	return give_zeros(b, g->in_c, -c->in_offset);
}

static bool mve_depthwise_sixteens(struct tn_binder *b, bool *out_taken)
{
	const struct tn_conv_params *c = b->call->params;
	struct tn_mve_depthwise_params *p;
	struct tn_packing pack;
	struct tn_window w;
	uint32_t *stream;
	int64_t scratch;
	size_t words;

	*out_taken = window_of(b, &w) && tn_mve_depthwise_of(&w, &scratch);
	if (!*out_taken || !tn_packing_of_window(b, c, 9 * (int64_t)c->g.out_c, &pack))
		return true;
	if (!tn_mve_pack_depthwise(b, &pack, &stream, &words))
		return false;
	if (!stream)
		return true;
	p = tn_packed_replace(b, KERNEL_MVE_DEPTHWISE_CONV_2D_S8, 3, 1);
	if (!p)
		return false;
	p->g = c->g;
	p->offset = tn_mve_offset(&pack);
	p->floor = pack.floor;
	tn_packed_give(b, 1, stream, words * sizeof(*stream));
	return give_zeros(b, c->g.in_c, -c->in_offset);
}

static bool mve_depthwise(struct tn_binder *b, bool *out_taken)
{
	const struct tn_conv_params *c = b->call->params;

	if (!mve_depthwise_sixteens(b, out_taken))
		return false;
	/* four channels at a time are faster where there is a kernel for them */
	if (!*out_taken && tn_mve_depthwise_in_fours(c->g.out_c) &&
		!tn_bind_dsp_depthwise_3x3(b))
		return false;
	*out_taken = true;
	tn_packed_any_depthwise(b, KERNEL_MVE_DEPTHWISE_ANY_S8);
	return true;
}

static bool mve_fully_connected(struct tn_binder *b, bool *out_taken)
{
	const struct tn_fc_params *c = b->call->params;
	struct tn_mve_fc_params *p;
	struct tn_packing pack;
	struct tn_mve_fc fc;
	uint32_t *stream;
	size_t words;

	*out_taken = tn_mve_fc_of(c->in_n, c->out_n, true, &fc);
	if (!*out_taken || !tn_packing_of_rows(b, c, &pack))
		return true;
	if (!tn_mve_pack_rows(b, &pack, &stream, &words))
		return false;
	if (!stream)
		return true;
	p = tn_packed_replace(b, KERNEL_MVE_FULLY_CONNECTED_S8, 2, 1);
	if (!p)
		return false;
	p->rows = c->rows;
	p->in_n = c->in_n;
	p->out_n = c->out_n;
	p->blocks = (int32_t)fc.blocks;
	p->copy = (int32_t)fc.copy;
	p->offset = tn_mve_offset(&pack);
	p->floor = pack.floor;
	tn_packed_give(b, 1, stream, words * sizeof(*stream));
	return true;
}

static bool mve_average_pool(struct tn_binder *b, bool *out_taken)
{
	*out_taken = true;
	return tn_packed_pool(b, KERNEL_MVE_AVERAGE_POOL_2D_S8, TN_DSP_POOL_TAPS,
		KERNEL_THUMB_AVERAGE_POOL_2D_S8);
}

static bool mve_max_pool(struct tn_binder *b, bool *out_taken)
{
	*out_taken = true;
	return tn_packed_pool(
		b, KERNEL_MVE_MAX_POOL_2D_S8, INT64_MAX, KERNEL_MVE_MAX_POOL_2D_S8);
}

/* The same linear function. */
static bool mve_add(struct tn_binder *b, bool *out_taken)
{
	*out_taken = true;
	if (!tn_bind_dsp(b))
		return false;
	if (b->call->kernel == &tn_kernels[KERNEL_DSP_ADD_S8])
		b->call->kernel = &tn_kernels[KERNEL_MVE_ADD_S8];
	return true;
}

static bool mve_mul(struct tn_binder *b, bool *out_taken)
{
	*out_taken = true;
	tn_packed_product(b, KERNEL_MVE_MUL_S8);
	return true;
}

static bool mve_table(struct tn_binder *b, bool *out_taken)
{
	*out_taken = true;
	tn_packed_table(b, KERNEL_MVE_LUT_S8, KERNEL_MVE_CLAMP_S8);
	return true;
}

static bool mve_softmax(struct tn_binder *b, bool *out_taken)
{
	const struct tn_softmax_s8_params *p = b->call->params;

	*out_taken = true;
	if (p->n <= TN_MVE_SOFTMAX_MAX)
		b->call->kernel = &tn_kernels[KERNEL_MVE_SOFTMAX_S8];
	return true;
}

bool tn_bind_mve(struct tn_binder *b)
{
	static const struct {
		enum tn_kernel_id portable;
		pack_fn *pack;
	} rows[] = {
		{ KERNEL_CONV_2D_S8, mve_conv },
		{ KERNEL_DEPTHWISE_CONV_2D_S8, mve_depthwise },
		{ KERNEL_FULLY_CONNECTED_S8, mve_fully_connected },
		{ KERNEL_ADD_S8, mve_add },
		{ KERNEL_AVERAGE_POOL_2D_S8, mve_average_pool },
		{ KERNEL_MAX_POOL_2D_S8, mve_max_pool },
		{ KERNEL_MUL_S8, mve_mul },
		{ KERNEL_LUT_S8, mve_table },
		{ KERNEL_SOFTMAX_S8, mve_softmax },
	};
	bool taken = false;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (b->call->kernel == &tn_kernels[rows[i].portable])
			return rows[i].pack(b, &taken) && (taken || tn_bind_dsp(b));
	return tn_bind_dsp(b);
}
