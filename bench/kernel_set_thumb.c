/* The packed kernels of the set thumb behind the bench's interface, as in kernel_set.c. */
#include "kernel_set.h"

#include "bind/thumb.h"
#include "contract/thumb.h"

static int32_t scratch_bytes(const layer_t *l)
{
	struct tn_window w = window_of(l);
	int64_t bytes = 0;

	if (l->op == OP_CONV && !tn_thumb_conv_of(&w, &bytes))
		return 0;
	if (l->op == OP_DWCONV && !tn_thumb_depthwise_of(&w, &bytes))
		return 0;
	return (int32_t)bytes;
}

static int32_t persist_bytes(const layer_t *l)
{
	switch (l->op) {
	case OP_CONV:
	case OP_FC:
		return up16(l->out_c) + 16 * l->out_c;
	case OP_DWCONV:
		return 2 * up16(l->out_c) + up16(4 * TN_THUMB_DEPTHWISE * l->out_c);
	case BENCH_SOFTMAX:
		return 1024;
	default:
		return 0;
	}
}

/* The constants; NULL: not these. */
static uint32_t *constants_of(int32_t rows, int32_t row, uint32_t n_scales)
{
	struct tn_packing p = packing(rows, row, n_scales);
	uint32_t *k;

	in[1] = bufs.w;
	return tn_thumb_pack_constants(0, &p, &k) ? k : 0;
}

static int prepare_conv(void)
{
	static struct tn_thumb_conv_params conv;
	struct tn_window w = window_of(layer);
	int64_t bytes;

	if (!tn_thumb_conv_of(&w, &bytes))
		return 1;
	in[2] = constants_of(
		layer->k_h, layer->k_w * layer->in_c, (uint32_t)layer->out_c);
	conv = (struct tn_thumb_conv_params){ .g = geometry_of(layer),
		.in_zero = layer->in_zp };
	params = &conv;
	kernel = tn_thumb_conv_2d_s8;
	return in[2] ? 0 : 2;
}

static int prepare_depthwise(void)
{
	static struct tn_thumb_depthwise_params depthwise;
	struct tn_packing p = packing(3, 3, (uint32_t)layer->out_c);
	struct tn_window w = window_of(layer);
	uint32_t *stream;
	int64_t bytes;

	/* others have no packed kernel: kernel_set_plain.c */
	if (!tn_thumb_depthwise_of(&w, &bytes))
		return 1;
	if (!tn_thumb_pack_depthwise(0, &p, &stream) || !stream)
		return 2;
	depthwise = (struct tn_thumb_depthwise_params){ .g = geometry_of(layer) };
	in[1] = stream;
	in[2] = zeros_of(layer->in_c);
	params = &depthwise;
	kernel = tn_thumb_depthwise_conv_2d_s8;
	return 0;
}

static int prepare_fc(void)
{
	static struct tn_thumb_fc_params fc;

	in[2] = constants_of(1, layer->in_c, 1);
	fc = (struct tn_thumb_fc_params){
		.rows = 1, .in_n = layer->in_c, .out_n = layer->out_c
	};
	params = &fc;
	kernel = tn_thumb_fully_connected_s8;
	return in[2] ? 0 : 2;
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
		return prepare_add(tn_dsp_add_s8);
	case BENCH_SOFTMAX:
		return prepare_softmax(tn_softmax_s8);
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
		[BENCH_ADD] = run,
		[BENCH_SOFTMAX] = run },
	.api = { [OP_CONV] = "tn_thumb_conv_2d_s8",
		[OP_DWCONV] = "tn_thumb_depthwise_conv_2d_s8",
		[OP_FC] = "tn_thumb_fully_connected_s8",
		[BENCH_ADD] = "tn_dsp_add_s8",
		[BENCH_SOFTMAX] = "tn_softmax_s8" },
};
