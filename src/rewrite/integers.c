/* Weights that floats stand for: the integers that they were before somebody dequantised
 * them. A scale is taken only when every float lies on its grid. */
#include "rewrite/integers.h"

#include <math.h>
#include <string.h>

#include "base/banned.h"

/* How far a float may be from a step, in steps: products of an integer of 8 bits and a
 * scale are off by 2^-24 of themselves. */
#define OFF_GRID 1e-4

struct layer {
	const struct tn_tensor *filter, *bias; /* floats; no bias: NULL */
	int64_t channels, each; /* weights of one channel */
	bool interleaved; /* of one channel every `channels`-th */
	double in_scale;
};

static double weight(const struct layer *l, int64_t c, int64_t i)
{
	float value;

	memcpy(&value,
		l->filter->data +
			4 * (l->interleaved ? i * l->channels + c : c * l->each + i),
		sizeof(value));
	return (double)value;
}

static bool fits(const struct layer *l, int64_t c, double scale)
{
	for (int64_t i = 0; i < l->each; i++) {
		const double steps = weight(l, c, i) / scale;

		if (!(fabs(steps - nearbyint(steps)) <= OFF_GRID))
			return false;
	}
	return true;
}

/* The largest step that the channel's weights are multiples of, at most 127 of them. */
static bool find_scale(const struct layer *l, int64_t c, float *out)
{
	double most = 0;

	for (int64_t i = 0; i < l->each; i++) {
		if (!isfinite(weight(l, c, i)))
			return false;
		most = fmax(most, fabs(weight(l, c, i)));
	}
	*out = 1.0f;
	if (!(most > 0))
		return true; /* nothing but zeros */
	for (int steps = 1; steps <= 128; steps++) {
		*out = (float)(most / steps);
		if (*out >= 1e-30f && fits(l, c, (double)*out))
			return steps < 128;
	}
	return false;
}

static bool layer_of(struct tn_edit *e, const struct tn_op *op, const struct tn_tensor *x,
	struct layer *l)
{
	l->filter = tn_edit_in(e, op, 1);
	l->bias = tn_edit_in(e, op, 2);
	l->in_scale = (double)x->quant.scale[0];
	l->interleaved = op->kind == OP_DEPTHWISE_CONV_2D;
	if (!tn_edit_is_constant(l->filter) || l->filter->dtype != DTYPE_F32 ||
		l->filter->shape.rank < 2 || l->filter->elements < 1)
		return false;
	l->channels =
		l->filter->shape.dim[l->interleaved ? l->filter->shape.rank - 1 : 0];
	l->each = l->filter->elements / l->channels;
	return !l->bias || (tn_edit_is_constant(l->bias) && l->bias->dtype == DTYPE_F32 &&
				   l->bias->elements == l->channels);
}

static uint8_t *integers_of_bias(
	struct tn_edit *e, const struct layer *l, const float *scale)
{
	uint8_t *data = tn_arena_array(e->arena, (size_t)l->channels, 4);

	for (int64_t c = 0; data && c < l->channels; c++) {
		float real;
		double value;

		memcpy(&real, l->bias->data + 4 * c, sizeof(real));
		value = round((double)real / (l->in_scale * (double)scale[c]));
		if (!(value >= -2147483648.0 && value <= 2147483647.0))
			return NULL;
		for (int b = 0; b < 4; b++)
			data[4 * c + b] = (uint8_t)((uint64_t)(int64_t)value >> (8 * b));
	}
	return data;
}

bool tn_integers_weights(struct tn_edit *e, const struct tn_op *op,
	const struct tn_tensor *x, tn_tensor_id *out_filter, tn_tensor_id *out_bias)
{
	struct tn_tensor filter, bias;
	struct layer l;
	int64_t *zeros;
	uint8_t *data, *sums = NULL;
	float *scale;

	if (!layer_of(e, op, x, &l))
		return false;
	filter = *l.filter;
	scale = TN_NEW_ARRAY(e->arena, float, (size_t)l.channels);
	zeros = TN_NEW_ARRAY(e->arena, int64_t, (size_t)l.channels);
	data = tn_arena_alloc(e->arena, (size_t)filter.elements);
	if (!scale || !zeros || !data) {
		e->failed = true;
		return false;
	}
	for (int64_t c = 0; c < l.channels; c++) {
		if (!find_scale(&l, c, &scale[c]))
			return false;
		for (int64_t i = 0; i < l.each; i++)
			data[l.interleaved ? i * l.channels + c : c * l.each + i] =
				(uint8_t)(int8_t)nearbyint(
					weight(&l, c, i) / (double)scale[c]);
	}
	if (l.bias && !(sums = integers_of_bias(e, &l, scale)))
		return false;
	filter.dtype = DTYPE_I8;
	filter.quant = (struct tn_quant){ (uint32_t)l.channels,
		l.interleaved ? filter.shape.rank - 1 : 0, scale, zeros, false };
	bias = l.bias ? *l.bias : filter;
	bias.dtype = DTYPE_I32;
	bias.quant = (struct tn_quant){ 0 };
	*out_bias = (tn_tensor_id){ TN_NONE };
	*out_filter = tn_edit_constant(e, &filter, &filter.shape, data);
	if (sums)
		*out_bias = tn_edit_constant(e, &bias, &bias.shape, sums);
	return !e->failed;
}
