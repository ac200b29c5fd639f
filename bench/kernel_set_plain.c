/* Kernels that take the portable kernels' operands and parameters, behind the bench's interface
 * as in kernel_set.c: pooling, depthwise convolution with any window, products, tables (RELU).
 * TENURE_PLAIN says which: 0 the portable ones, 1 those of the set thumb, 2 dsp, 3 mve. */
#include "kernel_set.h"

#if TENURE_PLAIN == 0
#define DEPTHWISE tn_depthwise_conv_2d_s8
#define AVERAGE	  tn_average_pool_2d_s8
#define MAX	  tn_max_pool_2d_s8
#define PRODUCT	  tn_mul_s8
#define TABLE	  tn_lut_s8
#elif TENURE_PLAIN == 1
#define DEPTHWISE tn_thumb_depthwise_any_s8
#define AVERAGE	  tn_thumb_average_pool_2d_s8
#define MAX	  tn_thumb_max_pool_2d_s8
#define PRODUCT	  tn_thumb_mul_s8
#define TABLE	  tn_thumb_lut_s8
#elif TENURE_PLAIN == 2
#define DEPTHWISE tn_dsp_depthwise_any_s8
#define AVERAGE	  tn_dsp_average_pool_2d_s8
#define MAX	  tn_dsp_max_pool_2d_s8
#define PRODUCT	  tn_dsp_mul_s8
#define TABLE	  tn_dsp_clamp_s8
#else
#define DEPTHWISE tn_mve_depthwise_any_s8
#define AVERAGE	  tn_mve_average_pool_2d_s8
#define MAX	  tn_mve_max_pool_2d_s8
#define PRODUCT	  tn_mve_mul_s8
#define TABLE	  tn_mve_clamp_s8
#endif
#define TEXT_OF(name) #name
#define TEXT(name)    TEXT_OF(name)

static int8_t shift[1024], table[256];

static int32_t no_bytes(const layer_t *l)
{
	(void)l;
	return 0;
}

static void bind_plain(const layer_t *l, const bufs_t *b)
{
	bind(l, b);
	in[0] = l->op == BENCH_RELU ? b->out : b->in;
	in[1] = l->op == BENCH_MUL ? b->in2 : b->w;
	in[2] = b->bias;
}

static int prepare_depthwise(void)
{
	static struct tn_conv_params conv;

	for (int32_t c = 0; c < layer->out_c; c++)
		shift[c] = (int8_t)layer->shift[c];
	conv = (struct tn_conv_params){ .g = geometry_of(layer),
		.groups = 1,
		.in_offset = -layer->in_zp,
		.out_offset = layer->out_zp,
		.act_min = layer->act_min,
		.act_max = layer->act_max,
		.n_channels = (uint32_t)layer->out_c,
		.multiplier = layer->mult,
		.shift = shift };
	params = &conv;
	kernel = DEPTHWISE;
	return 0;
}

static int prepare_product(void)
{
	static struct tn_mul_params mul;

	mul = (struct tn_mul_params){
		.shape = { 1, { layer->out_h * layer->out_w * layer->out_c }, { 1 },
			{ 1 } },
		.a_offset = -layer->in_zp,
		.b_offset = -layer->in2_zp,
		.out_offset = layer->out_zp,
		.out_multiplier = layer->mult[0],
		.out_shift = layer->shift[0],
		.act_min = layer->act_min,
		.act_max = layer->act_max
	};
	params = &mul;
	kernel = PRODUCT;
	return 0;
}

static int prepare_table(void)
{
	static struct tn_lut_params lut;

	for (int i = 0; i < 256; i++)
		table[i] = (int8_t)(i < 128 ? 0 : i - 128);
	lut = (struct tn_lut_params){ .n = layer->out_h * layer->out_w * layer->out_c,
		.n_table = 256,
		.table = table };
	params = &lut;
	kernel = TABLE;
	return 0;
}

static int prepare(void)
{
	switch (layer->op) {
	case OP_DWCONV:
		return prepare_depthwise();
	case OP_AVGPOOL:
	case OP_MAXPOOL:
		return prepare_pool(AVERAGE, MAX);
	case BENCH_MUL:
		return prepare_product();
	case BENCH_RELU:
		return prepare_table();
	default:
		return 1;
	}
}

const kernel_set_t kernel_set_under_test = {
	.name = SET_NAME,
	.scratch_bytes = no_bytes,
	.persist_bytes = no_bytes,
	.bind = bind_plain,
	.prepare = prepare,
	.run = { [OP_DWCONV] = run,
		[OP_MAXPOOL] = run,
		[OP_AVGPOOL] = run,
		[BENCH_MUL] = run,
		[BENCH_RELU] = run },
	.api = { [OP_DWCONV] = TEXT(DEPTHWISE),
		[OP_MAXPOOL] = TEXT(MAX),
		[OP_AVGPOOL] = TEXT(AVERAGE),
		[BENCH_MUL] = TEXT(PRODUCT),
		[BENCH_RELU] = TEXT(TABLE) },
};
