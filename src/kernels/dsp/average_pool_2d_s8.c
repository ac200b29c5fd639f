/* Average pooling of int8 for processors with DSP instructions. */
#include "pool_s8.h"
#include "taps_s8.h"

static inline struct tn_taps sum_window(const struct tn_geometry *g,
	const struct tn_pixel *px, const struct tn_runs *r, const tn_s8 *in)
{
	struct tn_taps s = { 0, 0 };

	for (int32_t i = 0; i < r->n; i++)
		s = tn_taps_add(s, in + tn_run_at(g, px, r, i), r->taps, r->tap_step);
	return s;
}

/* Ties away from zero. */
static inline int32_t average(const struct tn_pool_params *p, int32_t count, int32_t sum)
{
	int32_t x = (sum > 0 ? sum + count / 2 : sum - count / 2) / count;

	x = x < p->act_min ? p->act_min : x;
	return x > p->act_max ? p->act_max : x;
}

static inline void four(const struct tn_pool_params *p, const struct tn_pixel *px,
	const struct tn_runs *r, const tn_s8 *in, tn_s8 *out)
{
	const int32_t count = (px->kx_end - px->kx) * (px->ky_end - px->ky);
	const struct tn_taps s = sum_window(&p->g, px, r, in);

	tn_store_s8(out, 0, average(p, count, tn_low(s.even)));
	tn_store_s8(out, 1, average(p, count, tn_low(s.odd)));
	tn_store_s8(out, 2, average(p, count, tn_high(s.even)));
	tn_store_s8(out, 3, average(p, count, tn_high(s.odd)));
}

void tn_dsp_average_pool_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_pool_fours(params, in[0], out[0], four);
}
