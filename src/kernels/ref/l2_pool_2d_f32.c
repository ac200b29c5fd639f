/* L2 pooling in single precision: the root of the mean square, valid taps only. */
#include "pool_f32.h"

static float root_mean_square(const struct tn_geometry *g, const struct tn_pixel *px,
	const tn_f32 *in, int32_t channel)
{
	int32_t taps = px->kx_end - px->kx;
	int32_t count = taps * (px->ky_end - px->ky);
	float sum = 0.0f;

	for (int32_t ky = px->ky; ky < px->ky_end; ky++) {
		const tn_f32 *row = in + tn_tap_row(g, px, ky) + channel;

		for (int32_t k = 0; k < taps; k++) {
			float x = tn_load_f32(row, k * g->in_c);

			sum += x * x;
		}
	}
	return count == 0 ? 0.0f : tn_sqrt_f32_value(sum / (float)count);
}

void tn_l2_pool_2d_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	tn_pool_f32(params, in[0], out[0], scratch, root_mean_square);
}
