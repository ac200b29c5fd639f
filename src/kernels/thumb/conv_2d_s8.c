/* Convolution of int8 for processors without DSP instructions: the windows of two pixels are
 * copied, then two channels at a time are computed and stored. So all that the two read is
 * read before one of them is written: earlier than the steps of the contract ask for, never
 * later. */
#include "copy_s8.h"
#include "dot_s8.h"
#include "ref/window.h"

static void fill(int8_t *to, int32_t n, int32_t value)
{
	for (int32_t i = 0; i < n; i++)
		to[i] = (int8_t)value;
}

/* The taps of a row of the window that lie inside the image. */
static void gather_taps(
	const struct tn_geometry *g, int8_t *to, const tn_s8 *row, int32_t taps)
{
	if (g->dilation_w == 1) {
		tn_copy_in(to, row, taps * g->in_c);
		return;
	}
	for (; taps > 0; taps--, to += g->in_c, row += g->dilation_w * g->in_c)
		tn_copy_in(to, row, g->in_c);
}

/* The window of a pixel, with the input's zero point where it lies outside. */
static void gather(const struct tn_thumb_conv_params *p, const tn_s8 *in,
	const struct tn_pixel *px, int8_t *to)
{
	const struct tn_geometry *g = &p->g;
	const int32_t row = g->k_w * g->in_c, before = px->kx * g->in_c;
	const int32_t taps = px->kx_end - px->kx, inside = taps * g->in_c;

	for (int32_t ky = 0; ky < g->k_h; ky++, to += row) {
		if (ky < px->ky || ky >= px->ky_end) {
			fill(to, row, p->in_zero);
			continue;
		}
		fill(to, before, p->in_zero);
		gather_taps(g, to + before, in + tn_tap_row(g, px, ky), taps);
		fill(to + before + inside, row - before - inside, p->in_zero);
	}
}

/* The outputs of one channel at two pixels: what its constants are is read once. */
static inline void store_two(
	tn_s8 *a, int32_t sum_a, tn_s8 *b, int32_t sum_b, const int32_t *k)
{
	const int32_t x = tn_thumb_rescale(sum_a, k), y = tn_thumb_rescale(sum_b, k);

	tn_store_s8(b, 0, y);
	tn_store_s8(a, 0, x);
}

/* One pixel stands for two at the end of an odd number: b is a's, and stored over it; so do
 * channels. */
static void compute(const struct tn_thumb_conv_params *p, const int8_t *weights,
	const int32_t *k, const int8_t *a, const int8_t *b, tn_s8 *out_a, tn_s8 *out_b)
{
	const int32_t n = p->g.k_h * p->g.k_w * p->g.in_c;

	for (int32_t left = p->g.out_c; left > 0; left -= 2) {
		const int32_t next = left > 1;
		const int32_t *v = k + TN_CONSTANTS * next;
		struct tn_dot d = { a, { weights, b, weights + next * n, weights },
			{ k[0], k[0], v[0], v[0] } };

		tn_dot_2x2(&d, n);
		store_two(out_a + next, d.sum[2], out_b + next, d.sum[3], v);
		store_two(out_a, d.sum[0], out_b, d.sum[1], k);
		k += 2 * TN_CONSTANTS;
		weights += 2 * n;
		out_a += 2;
		out_b += 2;
	}
}

void tn_thumb_conv_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_thumb_conv_params *p = params;
	const struct tn_geometry *g = &p->g;
	const int32_t pixels = tn_pixel_count(g);
	int8_t *a = scratch, *b = a + g->k_h * g->k_w * g->in_c;

	for (int32_t t = 0; t < pixels; t += 2) {
		const int two = t + 1 < pixels;
		struct tn_pixel first, second;

		tn_pixel_at(g, p->order, t, &first);
		gather(p, in[0], &first, a);
		if (two) {
			tn_pixel_at(g, p->order, t + 1, &second);
			gather(p, in[0], &second, b);
		}
		compute(p, in[1], in[2], a, two ? b : a, (tn_s8 *)out[0] + first.out,
			(tn_s8 *)out[0] + (two ? second.out : first.out));
	}
}
