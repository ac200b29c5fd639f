/* Max pooling of int8. */
#include "pool_s8.h"

static int32_t greatest(const struct tn_geometry *g, const struct tn_pixel *px,
	const tn_s8 *in, int32_t channel)
{
	int32_t taps = px->kx_end - px->kx;
	int32_t max = INT8_MIN;

	for (int32_t ky = px->ky; ky < px->ky_end; ky++) {
		const tn_s8 *row = in + tn_tap_row(g, px, ky) + channel;

		for (int32_t k = 0; k < taps; k++) {
			int32_t value = tn_load_s8(row, k * g->in_c);

			max = value > max ? value : max;
		}
	}
	return max;
}

void tn_max_pool_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	tn_pool_s8(params, in[0], out[0], scratch, greatest);
}
