/* SVDF in single precision; see svdf_int.h. */
#include "elements.h"
#include "float_math.h"

static float feature(const struct tn_svdf_f32_params *p, const void *const *in,
	int32_t batch, int32_t filter)
{
	const tn_f32 *w = (const tn_f32 *)in[1] + filter * p->n_in;
	float sum = 0.0f;

	for (int32_t i = 0; i < p->n_in; i++)
		sum += w[i] * tn_load_f32(in[0], batch * p->n_in + i);
	return sum;
}

static float remembered(const struct tn_svdf_f32_params *p, const tn_f32 *weights,
	const void *state, int32_t batch, int32_t filter)
{
	int32_t at = (batch * p->filters + filter) * p->memory;
	float sum = 0.0f;

	for (int32_t k = 0; k < p->memory; k++)
		sum += weights[filter * p->memory + k] * tn_load_f32(state, at + k);
	return sum;
}

void tn_svdf_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_svdf_f32_params *p = params;
	int32_t cells = p->batches * p->filters * p->memory;
	const tn_f32 *bias = in[3];

	(void)scratch;
	tn_move_run(out[1], (const tn_u8 *)out[1] + 4, cells - 1, 1, 4, 0);
	for (int32_t k = 0; k < p->batches * p->filters; k++)
		tn_store_f32(out[1], (k + 1) * p->memory - 1,
			feature(p, in, k / p->filters, k % p->filters));
	for (int32_t o = 0; o < p->batches * p->units; o++) {
		int32_t unit = o % p->units;
		float sum = bias ? bias[unit] : 0.0f;

		for (int32_t r = 0; r < p->rank; r++)
			sum += remembered(
				p, in[2], out[1], o / p->units, unit * p->rank + r);
		tn_store_f32(out[0], o, tn_clamp_f32_value(sum, p->act_min, p->act_max));
	}
}
