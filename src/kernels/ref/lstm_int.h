/* LSTM with int8 weights and a cell of int16. One unit after the other: the new hidden
 * state is written to the output, and copied to the state when all units have seen the
 * old one. Operands: in[0] input; in[1..4] weights of the input for the input, forget,
 * cell and output gate; in[5..8] those of the hidden state; in[9..12] biases. out[0]
 * output, out[1] hidden state, out[2] cell. */
#ifndef TENURE_KERNELS_LSTM_INT_H
#define TENURE_KERNELS_LSTM_INT_H

#include "curve_s16.h"
#include "elements.h"
#include "fixed.h"

enum { TN_GATE_INPUT, TN_GATE_FORGET, TN_GATE_CELL, TN_GATE_OUTPUT };

struct tn_lstm_at {
	int32_t x; /* input element of this batch and step */
	int32_t h; /* element of the hidden state and the cell of this batch */
	int32_t unit;
};

/* A row of weights times a vector of `size`-byte elements, plus a bias of 32 (size 1) or
 * 64 bits, rescaled to int16. */
static inline int32_t tn_lstm_product(const void *vector, int32_t at, int32_t n,
	int32_t offset, const tn_s8 *w, const void *bias, int32_t unit,
	int32_t multiplier, int32_t shift, int32_t size)
{
	const tn_s32 *bias32 = bias;
	const tn_s64 *bias64 = bias;
	int64_t sum = 0;
	int32_t value;

	for (int32_t i = 0; i < n; i++)
		sum += (tn_load_int(vector, at + i, size) + offset) * w[unit * n + i];
	if (size == 1) {
		value = tn_wrap_add((int32_t)sum, bias ? bias32[unit] : 0);
		value = tn_requantize(value, multiplier, shift);
	} else {
		sum = tn_wrap_add_s64(sum, bias ? bias64[unit] : 0);
		value = tn_requantize_wide(sum, multiplier, shift);
	}
	return tn_clamp_s32(value, INT16_MIN, INT16_MAX);
}

/* A gate before its curve: 12 fractional bits. */
static inline int32_t tn_lstm_gate(const struct tn_lstm_params *p, const void *const *in,
	const void *hidden, struct tn_lstm_at at, int gate, int32_t size)
{
	int32_t x = tn_lstm_product(in[0], at.x, p->n_in, p->in_offset, in[1 + gate],
		in[9 + gate], at.unit, p->x_multiplier[gate], p->x_shift[gate], size);
	int32_t h = tn_lstm_product(hidden, at.h, p->n_units, p->hidden_offset,
		in[5 + gate], 0, at.unit, p->h_multiplier[gate], p->h_shift[gate], size);

	return tn_clamp_s32(x + h, INT16_MIN, INT16_MAX);
}

static inline int32_t tn_lstm_times(int32_t a, int32_t b, int32_t multiplier,
	int32_t shift, int32_t least, int32_t most)
{
	return tn_clamp_s32(tn_requantize(a * b, multiplier, shift), least, most);
}

static inline void tn_lstm_unit(const struct tn_lstm_params *p, const void *const *in,
	void *const *out, struct tn_lstm_at at, int32_t y, int32_t size)
{
	int32_t least = size == 1 ? INT8_MIN : INT16_MIN;
	int32_t most = size == 1 ? INT8_MAX : INT16_MAX;
	int32_t gate[4], cell = tn_load_s16(out[2], at.h + at.unit), added, value;

	for (int k = 0; k < 4; k++) {
		gate[k] = tn_lstm_gate(p, in, out[1], at, k, size);
		gate[k] = k == TN_GATE_CELL ? tn_tanh_q15(p->table, gate[k] * 3)
					    : tn_logistic_q15(p->table, gate[k] * 3);
	}
	cell = tn_lstm_times(gate[TN_GATE_FORGET], cell, p->forget_multiplier,
		p->forget_shift, INT16_MIN, INT16_MAX);
	added = tn_lstm_times(gate[TN_GATE_INPUT], gate[TN_GATE_CELL],
		p->input_multiplier, p->input_shift, INT16_MIN, INT16_MAX);
	cell = tn_clamp_s32(cell + added, INT16_MIN, INT16_MAX);
	if (p->cell_clip > 0)
		cell = tn_clamp_s32(cell, -p->cell_clip, p->cell_clip);
	tn_store_s16(out[2], at.h + at.unit, cell);
	value = cell * p->tanh_multiplier;
	if (p->tanh_shift > 0)
		value = (value + (1 << (p->tanh_shift - 1))) >> p->tanh_shift;
	value = tn_requantize(tn_tanh_q15(p->table, value) * gate[TN_GATE_OUTPUT],
		p->out_multiplier, p->out_shift);
	value = tn_clamp_s32(tn_wrap_add(value, p->out_offset), least, most);
	tn_store_int(out[0], y + at.unit, size, value);
}

static inline void tn_lstm_int(const struct tn_lstm_params *p, const void *const *in,
	void *const *out, int32_t size)
{
	for (int32_t t = 0; t < p->steps; t++) {
		for (int32_t b = 0; b < p->batches; b++) {
			int32_t row = b * p->batch_stride + t * p->step_stride;
			struct tn_lstm_at at = { row * p->n_in, b * p->n_units, 0 };
			int32_t y = row * p->n_units;

			for (; at.unit < p->n_units; at.unit++)
				tn_lstm_unit(p, in, out, at, y, size);
			tn_move_run((tn_u8 *)out[1] + at.h * size,
				(const tn_u8 *)out[0] + y * size, p->n_units, 1, size, 0);
		}
	}
}

#endif
