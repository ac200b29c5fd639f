/* LSTM in single precision; see lstm_int.h. */
#include "elements.h"
#include "float_math.h"

#define F32_MAX 3.402823466e+38f

enum { GATE_INPUT, GATE_FORGET, GATE_CELL, GATE_OUTPUT };

static float finite(float x)
{
	return tn_clamp_f32_value(x, -F32_MAX, F32_MAX);
}

static float product(const void *vector, int32_t at, int32_t n, const tn_f32 *w,
	const tn_f32 *bias, int32_t unit)
{
	float sum = 0.0f;

	for (int32_t i = 0; i < n; i++)
		sum += tn_load_f32(vector, at + i) * w[unit * n + i];
	return finite(sum + (bias ? bias[unit] : 0.0f));
}

static void run_unit(const struct tn_lstm_f32_params *p, const void *const *in,
	void *const *out, int32_t x, int32_t h, int32_t unit, int32_t y)
{
	float gate[4], cell = tn_load_f32(out[2], h + unit);

	for (int k = 0; k < 4; k++) {
		gate[k] = product(in[0], x, p->n_in, in[1 + k], in[9 + k], unit) +
			  product(out[1], h, p->n_units, in[5 + k], 0, unit);
		gate[k] = k == GATE_CELL ? tn_tanh_f32_value(gate[k])
					 : tn_logistic_f32_value(gate[k]);
	}
	cell = finite(gate[GATE_FORGET] * cell) +
	       finite(gate[GATE_INPUT] * gate[GATE_CELL]);
	if (p->cell_clip > 0.0f)
		cell = tn_clamp_f32_value(cell, -p->cell_clip, p->cell_clip);
	tn_store_f32(out[2], h + unit, cell);
	tn_store_f32(
		out[0], y + unit, finite(tn_tanh_f32_value(cell) * gate[GATE_OUTPUT]));
}

void tn_lstm_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_lstm_f32_params *p = params;

	(void)scratch;
	for (int32_t t = 0; t < p->steps; t++) {
		for (int32_t b = 0; b < p->batches; b++) {
			int32_t row = b * p->batch_stride + t * p->step_stride;
			int32_t h = b * p->n_units, y = row * p->n_units;

			for (int32_t u = 0; u < p->n_units; u++)
				run_unit(p, in, out, row * p->n_in, h, u, y);
			tn_move_run((tn_u8 *)out[1] + h * 4,
				(const tn_u8 *)out[0] + y * 4, p->n_units, 1, 4, 0);
		}
	}
}
