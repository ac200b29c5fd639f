/* Average pooling of int8: raw values, valid taps only, ties away from zero. */
#include "pool_s8.h"

static int32_t average(const struct tn_geometry *g, const struct tn_pixel *px,
	const tn_s8 *in, int32_t channel)
{
	int32_t taps = px->kx_end - px->kx;
	int32_t count = taps * (px->ky_end - px->ky);
	int32_t sum = 0;

	for (int32_t ky = px->ky; ky < px->ky_end; ky++) {
		const tn_s8 *row = in + tn_tap_row(g, px, ky) + channel;

		for (int32_t k = 0; k < taps; k++)
			sum += tn_load_s8(row, k * g->in_c);
	}
	if (count == 0)
		return 0;
	return (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
}

void tn_average_pool_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	tn_pool_s8(params, in[0], out[0], scratch, average);
}
