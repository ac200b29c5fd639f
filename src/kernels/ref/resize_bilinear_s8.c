/* Bilinear resizing of int8 with coordinates of 10 fractional bits. */
#include "elements.h"

struct span {
	int32_t low, high, part; /* high's weight in 1/1024 */
};

static struct span span_of(
	const struct tn_resize_params *p, int32_t i, int32_t scale, int32_t size)
{
	int32_t at = i * scale + (p->half_pixel ? scale / 2 - 512 : 0);
	int32_t low = at / 1024, high = (at + 1023) / 1024;
	struct span s;

	s.low = low < 0 ? 0 : low < size ? low : size - 1;
	s.high = high < size ? high : size - 1;
	s.part = at - 1024 * s.low;
	return s;
}

static int32_t blend(const struct tn_resize_params *p, const tn_s8 *in, struct span y,
	struct span x, int32_t c)
{
	int32_t row = p->in_w * p->depth;
	int64_t low = (int64_t)tn_load_s8(in, y.low * row + x.low * p->depth + c) *
			      (1024 - y.part) * (1024 - x.part) +
		      (int64_t)tn_load_s8(in, y.high * row + x.low * p->depth + c) *
			      y.part * (1024 - x.part);
	int64_t high = (int64_t)tn_load_s8(in, y.low * row + x.high * p->depth + c) *
			       (1024 - y.part) * x.part +
		       (int64_t)tn_load_s8(in, y.high * row + x.high * p->depth + c) *
			       y.part * x.part;
	int64_t sum = low + high;

	return (int32_t)((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));
}

void tn_resize_bilinear_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_resize_params *p = params;
	int32_t outputs = p->batches * p->out_h * p->out_w * p->depth;

	(void)scratch;
	for (int32_t t = 0; t < outputs; t++) {
		int32_t o = tn_step_index(p->order, t, outputs);
		int32_t c = o % p->depth, pixel = o / p->depth;
		int32_t row = pixel / p->out_w, batch = row / p->out_h;
		struct span y = span_of(p, row % p->out_h, p->scale_y, p->in_h);
		struct span x = span_of(p, pixel % p->out_w, p->scale_x, p->in_w);
		const tn_s8 *image =
			(const tn_s8 *)in[0] + batch * p->in_h * p->in_w * p->depth;

		tn_store_s8(out[0], o, blend(p, image, y, x, c));
	}
}
