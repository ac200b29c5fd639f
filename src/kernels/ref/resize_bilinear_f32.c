/* Bilinear resizing in single precision. */
#include "elements.h"
#include "float_math.h"

struct span {
	int32_t low, high;
	float part; /* high's weight */
};

static struct span span_of(
	const struct tn_resize_f32_params *p, int32_t i, float scale, int32_t size)
{
	float at = p->half_pixel ? ((float)i + 0.5f) * scale - 0.5f : (float)i * scale;
	int32_t low = (int32_t)tn_floor_f32_value(at);
	int32_t high = (int32_t)tn_ceil_f32_value(at);
	struct span s;

	s.low = low < 0 ? 0 : low < size ? low : size - 1;
	s.high = high < size ? high : size - 1;
	s.part = at - (float)s.low;
	return s;
}

static float blend(const struct tn_resize_f32_params *p, const tn_f32 *in, struct span y,
	struct span x, int32_t c)
{
	int32_t row = p->in_w * p->depth;
	float left = 1.0f - x.part, upper = 1.0f - y.part;
	float sum = tn_load_f32(in, y.low * row + x.low * p->depth + c) * upper * left;

	sum += tn_load_f32(in, y.high * row + x.low * p->depth + c) * y.part * left;
	sum += tn_load_f32(in, y.low * row + x.high * p->depth + c) * upper * x.part;
	sum += tn_load_f32(in, y.high * row + x.high * p->depth + c) * y.part * x.part;
	return sum;
}

void tn_resize_bilinear_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_resize_f32_params *p = params;
	int32_t outputs = p->batches * p->out_h * p->out_w * p->depth;

	(void)scratch;
	for (int32_t t = 0; t < outputs; t++) {
		int32_t o = tn_step_index(p->order, t, outputs);
		int32_t c = o % p->depth, pixel = o / p->depth;
		int32_t row = pixel / p->out_w, batch = row / p->out_h;
		struct span y = span_of(p, row % p->out_h, p->scale_y, p->in_h);
		struct span x = span_of(p, pixel % p->out_w, p->scale_x, p->in_w);
		const tn_f32 *image =
			(const tn_f32 *)in[0] + batch * p->in_h * p->in_w * p->depth;

		tn_store_f32(out[0], o, blend(p, image, y, x, c));
	}
}
