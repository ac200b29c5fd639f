/* Shapes, scales and weights of all sizes that packed kernels tell apart: channels in fours,
 * in sixteens and neither, long rows, results that are spread over int8. */
#include <string.h>

#include "gen_op.h"
#include "gen_part.h"
#include "ir/seed.h"

#define WEIGHTS_MAX 16384

int64_t gen_wide_size(struct tn_gen *gen, uint32_t most)
{
	const uint32_t few = most < 20 ? most : 20;

	switch (tn_gen_random(gen, 8)) {
	case 0:
		return gen_range(gen, 1, most);
	case 1:
		return most < 16 ? most : 16 * gen_range(gen, 1, most / 16);
	case 2:
	case 3:
		return most < 4 ? most : 4 * gen_range(gen, 1, most / 4);
	default:
		return gen_range(gen, 1, few);
	}
}

static uint32_t at_most(int64_t left, uint32_t most)
{
	return left < most ? (uint32_t)left : most;
}

static void image_dims(struct gen_site *s, int64_t *dim)
{
	int64_t left = s->limit;
	const bool large = !tn_gen_random(s->gen, 12);
	const bool row = !tn_gen_random(s->gen, 8);

	dim[3] = gen_wide_size(s->gen, large ? 7 : GEN_WIDE_CHANNELS);
	left /= dim[3];
	dim[2] = gen_range(
		s->gen, large ? 16 : 1, large ? 24 : at_most(left, row ? 70 : 12));
	left /= dim[2];
	dim[1] = gen_range(s->gen, large ? 16 : 1, large ? 24 : at_most(left, 12));
	left /= dim[1];
	dim[0] = tn_gen_random(s->gen, 2) ? 1 : gen_range(s->gen, 1, at_most(left, 3));
}

void gen_wide_dims(struct gen_site *s, bool image, uint32_t rank, int64_t *dim)
{
	int64_t left = s->limit;

	if (image) {
		image_dims(s, dim);
		return;
	}
	dim[rank - 1] = gen_wide_size(s->gen, 400);
	left /= dim[rank - 1];
	for (uint32_t d = rank - 1; d-- > 0;) {
		dim[d] = gen_range(s->gen, 1, at_most(left, 12));
		left /= dim[d];
	}
}

int64_t gen_wide_span(struct gen_site *s, int64_t height, int64_t image)
{
	if (image && !tn_gen_random(s->gen, height > 7 ? 2 : 6))
		return image;
	switch (tn_gen_random(s->gen, 4)) {
	case 0:
		return 1;
	case 1:
		return gen_range(s->gen, 1, 7);
	default:
		return 3;
	}
}

int64_t gen_wide_outputs(struct gen_site *s, int64_t weights_each)
{
	int64_t n = gen_wide_size(s->gen, GEN_WIDE_CHANNELS);

	if (n * weights_each > WEIGHTS_MAX)
		n = WEIGHTS_MAX / weights_each;
	return n < 1 ? 1 : n;
}

static int64_t zero_point(struct tn_gen *gen)
{
	switch (tn_gen_random(gen, 8)) {
	case 0:
		return 127;
	case 1:
	case 2:
	case 3:
		return -128;
	default:
		return (int64_t)tn_gen_random(gen, 256) - 128;
	}
}

void gen_wide_quant(struct gen_site *s, int id, bool is_input)
{
	if (gen_at(s->gen, id)->dtype != DTYPE_I8)
		return;
	gen_set_quant(s->gen, gen_at(s->gen, id), 1, 0, is_input ? 0.05f : 6.0f / 255,
		zero_point(s->gen));
}

void gen_wide_weights(struct gen_site *s, int id, uint32_t axis)
{
	struct tn_tensor *t = gen_at(s->gen, id);
	const uint32_t n = (uint32_t)t->shape.dim[axis];
	float *scale = TN_NEW_ARRAY(&s->gen->arena, float, n);
	int64_t *zero = TN_NEW_ARRAY(&s->gen->arena, int64_t, n);
	uint8_t *data = tn_arena_alloc(&s->gen->arena, (size_t)t->data_bytes);
	int64_t root = 1;

	gen_need(scale && zero && data);
	tn_seed_const(tn_gen_random(s->gen, 1u << 30), t->dtype, data, t->data_bytes);
	while (root * root * n < t->data_bytes)
		root++;
	for (uint32_t c = 0; c < n; c++) {
		scale[c] = (float)gen_range(s->gen, 500, 1500) / 1e5f / (float)root;
		if (!tn_gen_random(s->gen, 8)) /* far too small */
			scale[c] *= tn_gen_random(s->gen, 2) ? 1e-4f : 1e-7f;
		zero[c] = 0;
	}
	t->data = data;
	t->quant = (struct tn_quant){
		.n = n, .axis = axis, .scale = scale, .zero_point = zero
	};
}

const char *gen_wide_activation(struct gen_site *s)
{
	const struct tn_quant *q = &gen_at(s->gen, s->out[0])->quant;

	/* where it cuts off nothing that int8 would not, and now and then elsewhere */
	return q->n && tn_gen_random(s->gen, q->zero_point[0] == -128 ? 2 : 16) == 0
		       ? "RELU"
		       : "NONE";
}

void gen_wide_pair(struct gen_site *s)
{
	static const float scales[] = { 0.05f, 0.1f, 0.3f };

	if (gen_at(s->gen, s->out[0])->dtype != DTYPE_I8)
		return;
	gen_set_quant(s->gen, gen_at(s->gen, s->out[0]), 1, 0,
		scales[tn_gen_random(s->gen, 3)], zero_point(s->gen));
	gen_need(tn_build_attr_string(
		&s->gen->build, "activation", gen_wide_activation(s)));
}
