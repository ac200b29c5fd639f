/* Max pooling in single precision. */
#include "pool_f32.h"

static float greatest(const struct tn_geometry *g, const struct tn_pixel *px,
	const tn_f32 *in, int32_t channel)
{
	int32_t taps = px->kx_end - px->kx;
	float max = -3.402823466e+38f; /* no tap, or nothing but NaN: the least float */

	for (int32_t ky = px->ky; ky < px->ky_end; ky++) {
		const tn_f32 *row = in + tn_tap_row(g, px, ky) + channel;

		for (int32_t k = 0; k < taps; k++) {
			float value = tn_load_f32(row, k * g->in_c);

			max = max < value ? value : max;
		}
	}
	return max;
}

void tn_max_pool_2d_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	tn_pool_f32(params, in[0], out[0], scratch, greatest);
}
