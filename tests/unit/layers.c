#include "layers.h"

#include <check.h>
#include <string.h>

const struct layer layers[] = {
	{ "1x1", OP_CONV_2D, 1, 5, 5, 8, 6, 1, 1, 1, "SAME", -128, -128, "RELU",
		.packed = true },
	{ "1x1 of 7 pixels", OP_CONV_2D, 1, 7, 1, 4, 2, 1, 1, 1, "SAME", 3, -128, "RELU",
		.packed = true },
	{ "1x1 of one pixel", OP_CONV_2D, 1, 1, 1, 5, 3, 1, 1, 1, "SAME", 127, -128,
		"RELU", .packed = true },
	{ "1x1 of two pixels", OP_CONV_2D, 1, 1, 2, 16, 9, 1, 1, 1, "SAME", -128, 0,
		"NONE", .packed = true },
	{ "1x1, stride 2", OP_CONV_2D, 2, 6, 6, 12, 5, 1, 1, 2, "VALID", -5, -17, "NONE",
		.packed = true },
	{ "1x1, deep", OP_CONV_2D, 1, 2, 2, 100, 8, 1, 1, 1, "SAME", -128, 127, "NONE",
		.packed = true },
	{ "1x1 of 64", OP_CONV_2D, 1, 3, 5, 64, 64, 1, 1, 1, "SAME", -128, -128, "RELU",
		.packed = true },
	{ "1x1 of 32, stride 2", OP_CONV_2D, 1, 5, 6, 32, 24, 1, 1, 2, "VALID", 3, -9,
		"NONE", .packed = true },
	{ "1x1 of 16, stride 2, batches", OP_CONV_2D, 2, 3, 5, 16, 44, 1, 1, 2, "VALID",
		7, -128, "RELU", .packed = true },
	{ "1x1 of 96", OP_CONV_2D, 1, 3, 3, 96, 28, 1, 1, 1, "SAME", -4, 5, "NONE",
		.packed = true },
	{ "3x3", OP_CONV_2D, 1, 6, 7, 4, 4, 3, 3, 1, "SAME", -128, -128, "RELU6",
		.packed = true },
	{ "3x3, batches", OP_CONV_2D, 3, 4, 3, 8, 3, 3, 3, 1, "SAME", 9, -128, "RELU",
		.packed = true },
	{ "3x3, stride 2", OP_CONV_2D, 1, 9, 8, 16, 8, 3, 3, 2, "SAME", 0, 4, "NONE",
		.packed = true },
	{ "3x3, image", OP_CONV_2D, 1, 8, 8, 3, 8, 3, 3, 2, "SAME", -128, -128, "RELU",
		.packed = true },
	{ "3x3, in parts", OP_CONV_2D, 1, 4, 5, 64, 6, 3, 3, 1, "SAME", -128, -2, "NONE",
		.packed = true },
	{ "5x5, in parts", OP_CONV_2D, 1, 6, 6, 40, 5, 5, 5, 1, "SAME", 12, -128, "RELU",
		.packed = true },
	{ "10x4", OP_CONV_2D, 1, 20, 10, 1, 6, 10, 4, 2, "SAME", 83, -128, "RELU",
		.packed = true },
	{ "window larger than the image", OP_CONV_2D, 1, 2, 2, 3, 4, 5, 7, 1, "SAME", 1,
		-128, "RELU", .packed = true },
	{ "depthwise", OP_DEPTHWISE_CONV_2D, 1, 7, 6, 8, 8, 3, 3, 1, "SAME", -128, -128,
		"RELU", .packed = true },
	{ "depthwise, batches", OP_DEPTHWISE_CONV_2D, 2, 3, 4, 4, 4, 3, 3, 1, "SAME", 5,
		-128, "RELU6", .packed = true },
	{ "depthwise, stride 2", OP_DEPTHWISE_CONV_2D, 1, 8, 9, 12, 12, 3, 3, 2, "SAME",
		-128, 3, "NONE", .packed = true },
	{ "depthwise, stride 2, even", OP_DEPTHWISE_CONV_2D, 1, 6, 6, 4, 4, 3, 3, 2,
		"SAME", 0, -128, "RELU", .packed = true },
	{ "depthwise, no padding", OP_DEPTHWISE_CONV_2D, 1, 5, 8, 4, 4, 3, 3, 1, "VALID",
		-7, 11, "NONE", .packed = true },
	{ "depthwise of one pixel", OP_DEPTHWISE_CONV_2D, 1, 1, 1, 8, 8, 3, 3, 1, "SAME",
		-7, -128, "RELU", .packed = true },
	{ "depthwise, one row", OP_DEPTHWISE_CONV_2D, 1, 1, 9, 4, 4, 3, 3, 1, "SAME", 2,
		-128, "RELU", .packed = true },
	{ "depthwise, in stretches", OP_DEPTHWISE_CONV_2D, 1, 3, 100, 4, 4, 3, 3, 1,
		"SAME", -128, -128, "RELU", .packed = true },
	{ "depthwise, stride 2, in stretches", OP_DEPTHWISE_CONV_2D, 1, 5, 120, 8, 8, 3,
		3, 2, "SAME", 4, -9, "NONE", .packed = true },
	{ "depthwise of six channels", OP_DEPTHWISE_CONV_2D, 1, 4, 4, 6, 6, 3, 3, 1,
		"SAME", 4, -128, "RELU", .packed = true },
	{ "depthwise of three channels", OP_DEPTHWISE_CONV_2D, 1, 4, 4, 3, 3, 3, 3, 1,
		"SAME", 4, -128, "RELU", .packed = true },
	{ "depthwise 5x5", OP_DEPTHWISE_CONV_2D, 1, 6, 6, 4, 4, 5, 5, 1, "SAME", 4, -128,
		"RELU", .packed = true },
	{ "depthwise 5x5 of 39, batches", OP_DEPTHWISE_CONV_2D, 2, 5, 4, 39, 39, 5, 5, 1,
		"SAME", 127, 3, "NONE", .packed = true },
	{ "depthwise 2x7, stride 3", OP_DEPTHWISE_CONV_2D, 1, 7, 9, 25, 25, 2, 7, 3,
		"SAME", -128, 127, "NONE", .packed = true },
	{ "depthwise of 13, stride 2", OP_DEPTHWISE_CONV_2D, 1, 7, 7, 13, 13, 3, 3, 2,
		"SAME", -7, 5, "NONE", .packed = true },
	{ "depthwise of 9", OP_DEPTHWISE_CONV_2D, 1, 4, 4, 9, 9, 3, 3, 1, "VALID", 4, 9,
		"NONE", .packed = true },
	{ "depthwise of one channel", OP_DEPTHWISE_CONV_2D, 1, 5, 4, 1, 1, 3, 4, 1,
		"SAME", 4, 9, "NONE", .packed = true },
	{ "depthwise larger than the image", OP_DEPTHWISE_CONV_2D, 1, 2, 3, 17, 17, 7, 9,
		1, "SAME", 4, -128, "RELU", .packed = true },
	{ "depthwise, bounded", OP_DEPTHWISE_CONV_2D, 1, 4, 5, 20, 20, 3, 3, 1, "SAME", 4,
		-100, "RELU6", .packed = true },
	{ "product", OP_MUL, 1, 3, 5, 7, 7, 0, 0, 0, "", -128, 4, "NONE",
		.packed = true },
	{ "product, rectified", OP_MUL, 2, 4, 2, 4, 4, 0, 0, 0, "", 127, -128, "RELU",
		.packed = true },
	{ "product of 3", OP_MUL, 1, 1, 1, 3, 3, 0, 0, 0, "", -17, 127, "NONE",
		.packed = true },
	{ "product with each pixel", OP_MUL, 1, 3, 3, 21, 21, 1, 1, 0, "", 9, -9, "NONE",
		.packed = true },
	{ "product with each channel", OP_MUL, 1, 3, 3, 13, 1, 3, 3, 0, "", 9, -9, "NONE",
		.packed = true },
	{ "product, bounded", OP_MUL, 1, 4, 2, 4, 4, 0, 0, 0, "", -17, -100, "RELU",
		.packed = false },
	{ "table", OP_TANH, 1, 3, 7, 5, 5, 0, 0, 0, "", 3, 0, "", .packed = true },
	{ "table of 16", OP_LOGISTIC, 1, 2, 2, 4, 4, 0, 0, 0, "", -3, -128, "",
		.packed = true },
	{ "table of 7", OP_HARD_SWISH, 1, 1, 1, 7, 7, 0, 0, 0, "", -3, -100, "",
		.packed = true },
	{ "cut below", OP_RELU, 1, 7, 5, 5, 5, 0, 0, 0, "", 4, 4, "", .packed = true },
	{ "cut below, of 64", OP_RELU, 2, 4, 2, 4, 4, 0, 0, 0, "", -128, -128, "",
		.packed = true },
	{ "cut at both ends", OP_RELU6, 1, 7, 3, 5, 5, 0, 0, 0, "", -20, -20, "",
		.packed = true },
	{ "cut of 3", OP_RELU, 1, 1, 1, 3, 3, 0, 0, 0, "", 4, 4, "", .packed = true },
	{ "3x3 to 20 channels", OP_CONV_2D, 1, 5, 5, 16, 20, 3, 3, 1, "SAME", 4, -9,
		"NONE", .packed = true },
	{ "1x1 to 35 channels", OP_CONV_2D, 1, 3, 5, 7, 35, 1, 1, 1, "SAME", 4, -128,
		"RELU", .packed = true },
	{ "1x1 of 40 to 128 channels", OP_CONV_2D, 1, 5, 3, 40, 128, 1, 1, 1, "SAME", -7,
		-128, "RELU", .packed = true },
	{ "1x1 of 16 to 65 channels", OP_CONV_2D, 1, 3, 3, 16, 65, 1, 1, 1, "SAME", 4, -9,
		"NONE", .packed = true },
	{ "1x1 to 197 channels, stride 2", OP_CONV_2D, 2, 3, 5, 5, 197, 1, 1, 2, "VALID",
		4, -128, "RELU", .packed = true },
	{ "3x3 to 134 channels", OP_CONV_2D, 1, 4, 5, 3, 134, 3, 3, 1, "SAME", -4, -9,
		"NONE", .packed = true },
	{ "1x1 to 256 channels, one pixel", OP_CONV_2D, 1, 1, 1, 8, 256, 1, 1, 1, "SAME",
		4, -128, "RELU", .packed = true },
	{ "depthwise of 32", OP_DEPTHWISE_CONV_2D, 2, 4, 5, 32, 32, 3, 3, 1, "SAME", 4,
		-128, "RELU", .packed = true },
	{ "depthwise of 16, stride 2", OP_DEPTHWISE_CONV_2D, 1, 5, 6, 16, 16, 3, 3, 2,
		"SAME", 4, 9, "NONE", .packed = true },
	{ "depthwise of 272", OP_DEPTHWISE_CONV_2D, 1, 2, 3, 272, 272, 3, 3, 1, "SAME",
		-6, -128, "RELU", .packed = true },
	{ "depthwise of 144, stride 2", OP_DEPTHWISE_CONV_2D, 1, 3, 7, 144, 144, 3, 3, 2,
		"VALID", 8, 9, "NONE", .packed = true },
	{ "depthwise, eight in a row", OP_DEPTHWISE_CONV_2D, 1, 2, 8, 4, 4, 3, 3, 1,
		"SAME", -6, -7, "NONE", .packed = true },
	{ "depthwise, stride 2, six in a row", OP_DEPTHWISE_CONV_2D, 1, 2, 12, 4, 4, 3, 3,
		2, "SAME", -6, -7, "NONE", .packed = true },
	{ "depthwise, stride 2, four in a row", OP_DEPTHWISE_CONV_2D, 1, 2, 8, 5, 5, 3, 3,
		2, "SAME", -6, -128, "RELU", .packed = true },
	{ "fully connected to 150", OP_FULLY_CONNECTED, 2, 1, 1, 20, 150, 0, 0, 0, "", 9,
		-128, "RELU", .packed = true },
	{ "fully connected", OP_FULLY_CONNECTED, 1, 1, 1, 64, 10, 0, 0, 0, "", -128, 24,
		"NONE", .packed = true },
	{ "fully connected, rows", OP_FULLY_CONNECTED, 3, 1, 1, 37, 11, 0, 0, 0, "", 89,
		-128, "RELU", .packed = true },
	{ "fully connected, two", OP_FULLY_CONNECTED, 1, 1, 1, 130, 2, 0, 0, 0, "", -3,
		-5, "NONE", .packed = true },
	{ "fully connected, one", OP_FULLY_CONNECTED, 2, 1, 1, 3, 1, 0, 0, 0, "", 127,
		-128, "RELU", .packed = true },
	{ "fully connected, eight", OP_FULLY_CONNECTED, 1, 1, 1, 9, 8, 0, 0, 0, "", 1,
		127, "NONE", .packed = true },
	{ "fully connected, a long row", OP_FULLY_CONNECTED, 1, 1, 1, 240, 23, 0, 0, 0,
		"", -128, -128, "RELU", .packed = true },
	{ "fully connected, long rows", OP_FULLY_CONNECTED, 2, 1, 1, 149, 16, 0, 0, 0, "",
		-4, 7, "NONE", .packed = true },
	{ "fully connected, four places more", OP_FULLY_CONNECTED, 1, 1, 1, 116, 5, 0, 0,
		0, "", -4, -128, "RELU", .packed = true },
	{ "fully connected, three places more", OP_FULLY_CONNECTED, 2, 1, 1, 115, 3, 0, 0,
		0, "", -4, 7, "NONE", .packed = true },
	{ "sum", OP_ADD, 1, 3, 5, 7, 7, 0, 0, 0, "", -128, 4, "NONE", .packed = true },
	{ "sum, rectified", OP_ADD, 2, 4, 2, 4, 4, 0, 0, 0, "", -17, -128, "RELU",
		.packed = true },
	{ "sum, bounded", OP_ADD, 1, 4, 2, 4, 4, 0, 0, 0, "", -17, -100, "RELU",
		.packed = false },
	{ "average of all", OP_AVERAGE_POOL_2D, 1, 8, 8, 12, 12, 8, 8, 8, "VALID", -128,
		-128, "NONE", .packed = true },
	{ "average, padded", OP_AVERAGE_POOL_2D, 2, 5, 7, 8, 8, 3, 3, 2, "SAME", 3, 3,
		"NONE", .packed = true },
	{ "average, overlapping", OP_AVERAGE_POOL_2D, 1, 6, 6, 4, 4, 2, 3, 1, "SAME", 3,
		3, "RELU", .packed = true },
	{ "average of six channels", OP_AVERAGE_POOL_2D, 1, 6, 6, 6, 6, 2, 2, 2, "VALID",
		3, 3, "NONE", .packed = true },
	{ "maximum", OP_MAX_POOL_2D, 1, 6, 6, 8, 8, 2, 2, 2, "VALID", 3, 3, "NONE",
		.packed = true },
	{ "maximum, padded, deep", OP_MAX_POOL_2D, 2, 5, 7, 44, 44, 3, 3, 2, "SAME", 3, 3,
		"RELU", .packed = true },
	{ "maximum, overlapping", OP_MAX_POOL_2D, 1, 5, 6, 20, 20, 3, 2, 1, "SAME", 3, 3,
		"RELU6", .packed = true },
	{ "average, deep", OP_AVERAGE_POOL_2D, 1, 4, 5, 28, 28, 3, 3, 1, "SAME", -9, -9,
		"NONE", .packed = true },
	{ "average of one tap", OP_AVERAGE_POOL_2D, 1, 3, 5, 4, 4, 1, 1, 1, "SAME", -9,
		-9, "NONE", .packed = true },
	{ "average of 255 taps", OP_AVERAGE_POOL_2D, 1, 15, 17, 12, 12, 15, 17, 1,
		"VALID", 5, 5, "NONE", .packed = true },
	{ "average of 256 taps", OP_AVERAGE_POOL_2D, 1, 16, 16, 4, 4, 16, 16, 1, "VALID",
		5, 5, "NONE", .packed = true },
	{ "average of 256 taps, pixels", OP_AVERAGE_POOL_2D, 1, 18, 40, 5, 5, 16, 16, 1,
		"VALID", 5, 5, "NONE", .packed = true },
	{ "average of 2,048 taps", OP_AVERAGE_POOL_2D, 1, 32, 65, 3, 3, 32, 64, 1,
		"VALID", 5, 5, "NONE", .packed = true },
	{ "average of 2,080 taps", OP_AVERAGE_POOL_2D, 1, 32, 65, 3, 3, 32, 65, 1,
		"VALID", 5, 5, "NONE", .packed = false },
	{ "maximum of one channel", OP_MAX_POOL_2D, 2, 5, 5, 1, 1, 2, 2, 1, "SAME", -3,
		-3, "RELU", .packed = true },
	{ "maximum of seven channels", OP_MAX_POOL_2D, 1, 5, 5, 7, 7, 3, 3, 2, "SAME", -3,
		-3, "NONE", .packed = true },
	{ "dilated", OP_CONV_2D, 1, 7, 8, 5, 6, 3, 3, 1, "SAME", 4, -128, "RELU",
		.packed = true, .dilation = 2 },
	{ "dilated, no padding, batches", OP_CONV_2D, 2, 8, 7, 16, 3, 2, 3, 1, "VALID",
		-7, 5, "NONE", .packed = true, .dilation = 3 },
	{ "dilated, three pixels", OP_CONV_2D, 1, 1, 7, 3, 8, 1, 3, 1, "VALID", 4, -9,
		"NONE", .packed = true, .dilation = 2 },
	{ "dilated beyond the image", OP_CONV_2D, 1, 3, 4, 2, 5, 5, 3, 1, "SAME", 9, 5,
		"NONE", .packed = true, .dilation = 3 },
	{ "depthwise, dilated", OP_DEPTHWISE_CONV_2D, 2, 7, 8, 21, 21, 3, 3, 1, "SAME", 4,
		-128, "RELU", .packed = true, .dilation = 2 },
	{ "depthwise 2x3, dilated", OP_DEPTHWISE_CONV_2D, 1, 9, 7, 8, 8, 2, 3, 1, "VALID",
		-4, 3, "NONE", .packed = true, .dilation = 3 },
	{ "depthwise, dilated beyond the image", OP_DEPTHWISE_CONV_2D, 1, 2, 4, 16, 16, 5,
		3, 1, "SAME", -4, 3, "NONE", .packed = true, .dilation = 3 },
	{ "softmax", OP_SOFTMAX, 3, 1, 1, 10, 10, 0, 0, 0, "", 5, -128, "", .mve = true },
	{ "softmax of 37", OP_SOFTMAX, 1, 2, 1, 37, 37, 0, 0, 0, "", -5, -128, "",
		.mve = true },
	{ "softmax of one", OP_SOFTMAX, 1, 1, 3, 1, 1, 0, 0, 0, "", -5, -128, "",
		.mve = true },
	{ "softmax of 4,095", OP_SOFTMAX, 1, 1, 1, 4095, 4095, 0, 0, 0, "", 5, -128, "",
		.mve = true },
	{ "softmax of 4,096", OP_SOFTMAX, 1, 1, 1, 4096, 4096, 0, 0, 0, "", 5, -128, "",
		.packed = false },
	{ "bounded above", OP_CONV_2D, 1, 3, 3, 4, 4, 1, 1, 1, "SAME", 1, -100, "RELU6",
		.packed = false },
};

const size_t n_layers = sizeof(layers) / sizeof(*layers);

uint32_t layer_pick(struct tn_seed *r, uint32_t n)
{
	return tn_seed_next(r) % n;
}

/* Scales that spread results over int8; for some channels far too small or too large. */
static void set_scales(struct net *n, tn_tensor_id filter, const struct layer *l,
	int64_t taps, struct tn_seed *r)
{
	const uint32_t channels = (uint32_t)l->out_c;
	struct tn_tensor *t = &n->build.tensors.items[filter.i];
	float *scale = TN_NEW_ARRAY(&n->arena, float, channels);
	int64_t *zero = TN_NEW_ARRAY(&n->arena, int64_t, channels);
	int64_t root = 1;

	ck_assert(scale && zero);
	while (root * root < taps)
		root++;
	for (uint32_t c = 0; c < channels; c++) {
		scale[c] = (float)(500 + (int)layer_pick(r, 1000)) / 1e5f / (float)root;
		if (layer_pick(r, 8) == 0)
			scale[c] *= layer_pick(r, 2) ? 1e-4f : 1e-7f;
	}
	t->quant.n = channels;
	t->quant.axis = l->kind == OP_DEPTHWISE_CONV_2D ? 3 : 0;
	t->quant.scale = scale;
	t->quant.zero_point = zero;
}

static void fill_weights(struct net *n, tn_tensor_id id, struct tn_seed *r)
{
	struct tn_tensor *t = &n->build.tensors.items[id.i];
	int8_t *w = (int8_t *)(uintptr_t)t->data;

	for (int64_t i = 0; i < t->data_bytes; i++)
		w[i] = (int8_t)((int)layer_pick(r, 255) - 127);
}

static void fill_bias(struct net *n, tn_tensor_id id, struct tn_seed *r)
{
	struct tn_tensor *t = &n->build.tensors.items[id.i];

	for (int64_t i = 0; i < t->data_bytes / 4; i++) {
		int32_t value = (int32_t)layer_pick(r, 4001) - 2000;

		memcpy((uint8_t *)(uintptr_t)t->data + 4 * i, &value, 4);
	}
}

static int64_t reduced(const struct layer *l, int64_t size, int64_t k)
{
	if (l->dilation)
		k = (k - 1) * l->dilation + 1;
	return strcmp(l->pad, "SAME") == 0 ? (size + l->stride - 1) / l->stride
					   : (size - k) / l->stride + 1;
}

static void build_conv(struct net *n, const struct layer *l, struct tn_seed *r)
{
	const bool depthwise = l->kind == OP_DEPTHWISE_CONV_2D;
	const int64_t in[] = { l->batches, l->h, l->w, l->c };
	const int64_t out[] = { l->batches, reduced(l, l->h, l->k_h),
		reduced(l, l->w, l->k_w), l->out_c };
	const int64_t filter[] = { depthwise ? 1 : l->out_c, l->k_h, l->k_w,
		depthwise ? l->out_c : l->c };
	const int64_t stride[] = { l->stride, l->stride };
	const int64_t dilation[] = { l->dilation, l->dilation };
	tn_tensor_id ids[3], y;

	ids[0] = net_tensor(n, "x", DTYPE_I8, ROLE_INPUT, in, 4, 0.05f, l->in_zero);
	ids[1] = net_const(n, "w", DTYPE_I8, filter, 4, 1.0f, 1);
	ids[2] = net_const(n, "b", DTYPE_I32, &l->out_c, 1, 1.0f, 2);
	y = net_tensor(n, "y", DTYPE_I8, ROLE_OUTPUT, out, 4, 6.0f / 255.0f, l->out_zero);
	fill_weights(n, ids[1], r);
	fill_bias(n, ids[2], r);
	set_scales(n, ids[1], l, l->k_h * l->k_w * (depthwise ? 1 : l->c), r);
	(void)net_op(n, l->kind, "op", ids, 3, y);
	if (l->dilation)
		ck_assert(tn_build_attr_ints(&n->build, "dilation", dilation, 2));
	ck_assert(tn_build_attr_ints(&n->build, "stride", stride, 2));
	ck_assert(tn_build_attr_string(&n->build, "pad", l->pad));
}

static void build_fully_connected(struct net *n, const struct layer *l, struct tn_seed *r)
{
	const int64_t in[] = { l->batches, l->c }, out[] = { l->batches, l->out_c };
	const int64_t filter[] = { l->out_c, l->c };
	tn_tensor_id ids[3], y;

	ids[0] = net_tensor(n, "x", DTYPE_I8, ROLE_INPUT, in, 2, 0.05f, l->in_zero);
	ids[1] = net_const(n, "w", DTYPE_I8, filter, 2, 1.0f, 1);
	ids[2] = net_const(n, "b", DTYPE_I32, &l->out_c, 1, 1.0f, 2);
	y = net_tensor(n, "y", DTYPE_I8, ROLE_OUTPUT, out, 2, 6.0f / 255.0f, l->out_zero);
	fill_weights(n, ids[1], r);
	fill_bias(n, ids[2], r);
	set_scales(n, ids[1], l, l->c, r);
	(void)net_op(n, l->kind, "op", ids, 3, y);
}

static void build_sum(struct net *n, const struct layer *l, struct tn_seed *r)
{
	const int64_t dims[] = { l->batches, l->h, l->w, l->c };
	tn_tensor_id ids[2], y;

	ids[0] = net_tensor(n, "a", DTYPE_I8, ROLE_INPUT, dims, 4,
		0.02f + 0.0001f * (float)layer_pick(r, 300), l->in_zero);
	ids[1] = net_tensor(n, "b", DTYPE_I8, ROLE_INPUT, dims, 4,
		0.02f + 0.0001f * (float)layer_pick(r, 300),
		(int64_t)layer_pick(r, 256) - 128);
	y = net_tensor(n, "y", DTYPE_I8, ROLE_OUTPUT, dims, 4, 0.06f, l->out_zero);
	(void)net_op(n, l->kind, "op", ids, 2, y);
}

/* With a second operand of k_h x k_w pixels (0: as many as the first one has) and out_c
 * channels. */
static void build_product(struct net *n, const struct layer *l, struct tn_seed *r)
{
	const int64_t dims[] = { l->batches, l->h, l->w, l->c };
	const int64_t other[] = { l->batches, l->k_h ? l->k_h : l->h,
		l->k_w ? l->k_w : l->w, l->out_c };
	tn_tensor_id ids[2], y;

	ids[0] = net_tensor(n, "a", DTYPE_I8, ROLE_INPUT, dims, 4,
		0.02f + 0.0001f * (float)layer_pick(r, 300), l->in_zero);
	ids[1] = net_tensor(n, "b", DTYPE_I8, ROLE_INPUT, other, 4,
		0.02f + 0.0001f * (float)layer_pick(r, 300),
		(int64_t)layer_pick(r, 256) - 128);
	y = net_tensor(n, "y", DTYPE_I8, ROLE_OUTPUT, dims, 4, 0.06f, l->out_zero);
	(void)net_op(n, l->kind, "op", ids, 2, y);
}

static void build_table(struct net *n, const struct layer *l)
{
	const int64_t dims[] = { l->batches, l->h, l->w, l->c };
	const float scale = l->kind == OP_LOGISTIC || l->kind == OP_SOFTMAX
				    ? 1.0f / 256.0f
			    : l->kind == OP_TANH ? 1.0f / 128.0f
						 : 0.05f;
	tn_tensor_id x, y;

	x = net_tensor(n, "x", DTYPE_I8, ROLE_INPUT, dims, 4, 0.05f, l->in_zero);
	y = net_tensor(n, "y", DTYPE_I8, ROLE_OUTPUT, dims, 4, scale, l->out_zero);
	(void)net_op(n, l->kind, "op", &x, 1, y);
}

static void build_pool(struct net *n, const struct layer *l)
{
	const int64_t in[] = { l->batches, l->h, l->w, l->c };
	const int64_t out[] = { l->batches, reduced(l, l->h, l->k_h),
		reduced(l, l->w, l->k_w), l->out_c };
	const int64_t stride[] = { l->stride, l->stride }, kernel[] = { l->k_h, l->k_w };
	tn_tensor_id x, y;

	x = net_tensor(n, "x", DTYPE_I8, ROLE_INPUT, in, 4, 0.05f, l->in_zero);
	y = net_tensor(n, "y", DTYPE_I8, ROLE_OUTPUT, out, 4, 0.05f, l->out_zero);
	(void)net_op(n, l->kind, "op", &x, 1, y);
	ck_assert(tn_build_attr_ints(&n->build, "stride", stride, 2));
	ck_assert(tn_build_attr_ints(&n->build, "kernel", kernel, 2));
	ck_assert(tn_build_attr_string(&n->build, "pad", l->pad));
}

void layer_add(struct net *n, const struct layer *l, struct tn_seed *r)
{
	if (l->kind == OP_FULLY_CONNECTED)
		build_fully_connected(n, l, r);
	else if (l->kind == OP_ADD)
		build_sum(n, l, r);
	else if (l->kind == OP_MUL)
		build_product(n, l, r);
	else if (!*l->activation)
		build_table(n, l);
	else if (l->kind == OP_AVERAGE_POOL_2D || l->kind == OP_MAX_POOL_2D)
		build_pool(n, l);
	else
		build_conv(n, l, r);
	if (*l->activation)
		ck_assert(tn_build_attr_string(&n->build, "activation", l->activation));
}
