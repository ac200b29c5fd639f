/* Ops with a state that lasts from one invocation to the next: SVDF and LSTM. The state is
 * an input of the op and an output of the call. */
#include <math.h>
#include <string.h>

#include "bind/binder.h"
#include "bind/tables.h"

#include "base/banned.h"

/* Output `slot` of the call is the op's input k, which the kernel changes. */
static void give_state(struct tn_binder *b, uint32_t slot, uint32_t k)
{
	b->call->out[slot].tensor = b->op->inputs[k];
}

static bool wrong_shape(struct tn_binder *b)
{
	return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
		"cannot run: the shapes of its operands do not fit together");
}

/* The tensor, when it is a variable; a state that is anything else would be lost. */
static const struct tn_tensor *state_of(struct tn_binder *b, uint32_t k)
{
	const struct tn_tensor *t = tn_binder_in(b, k);

	if (t && t->role == ROLE_VARIABLE)
		return t;
	tn_binder_report(b, TN_RULE_NO_KERNEL, "needs a variable as operand %u", k);
	return NULL;
}

struct svdf {
	int32_t batches, n_in, filters, units, rank, memory;
};

static bool svdf_shape(struct tn_binder *b, const struct tn_tensor *state, struct svdf *s)
{
	const struct tn_tensor *x = tn_binder_in(b, 0), *feature = tn_binder_in(b, 1);
	const struct tn_tensor *time = tn_binder_in(b, 2), *y = tn_binder_out(b, 0);
	int64_t rank = tn_op_int(b->op, "rank", 1), filters;

	if (!x || !feature || !time)
		return false;
	if (x->shape.rank != 2 || feature->shape.rank != 2 || time->shape.rank != 2)
		return wrong_shape(b);
	filters = feature->shape.dim[0];
	if (rank < 1 || filters < 1 || filters % rank ||
		feature->shape.dim[1] != x->shape.dim[1] ||
		time->shape.dim[0] != filters || time->elements < 1 ||
		y->elements != x->shape.dim[0] * (filters / rank) ||
		state->elements != x->shape.dim[0] * time->elements)
		return wrong_shape(b);
	*s = (struct svdf){ (int32_t)x->shape.dim[0], (int32_t)x->shape.dim[1],
		(int32_t)filters, (int32_t)(filters / rank), (int32_t)rank,
		(int32_t)time->shape.dim[1] };
	return true;
}

/* Quotients and products of scales are taken in single precision. */
static bool svdf_scales(
	struct tn_binder *b, const struct tn_tensor *state, struct tn_svdf_params *p)
{
	struct tn_scale x, feature, time, kept, y;
	struct tn_multiplier m1, m2;

	if (!tn_binder_scale(b, tn_binder_in(b, 0), &x) ||
		!tn_binder_scale(b, tn_binder_in(b, 1), &feature) ||
		!tn_binder_scale(b, tn_binder_in(b, 2), &time) ||
		!tn_binder_scale(b, state, &kept) ||
		!tn_binder_scale(b, tn_binder_out(b, 0), &y) ||
		!tn_binder_multiplier(
			b, (double)(x.scale * feature.scale / kept.scale), &m1) ||
		!tn_binder_multiplier(
			b, (double)(kept.scale * time.scale / y.scale), &m2))
		return false;
	if (feature.zero_point != 0 || time.zero_point != 0)
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "has only a kernel for weights around 0");
	p->in_offset = -x.zero_point;
	p->state_offset = -kept.zero_point;
	p->out_offset = y.zero_point;
	p->feature_multiplier = m1.multiplier;
	p->feature_shift = m1.shift;
	p->time_multiplier = m2.multiplier;
	p->time_shift = m2.shift;
	return true;
}

static void *start_svdf(struct tn_binder *b, enum tn_kernel_id kernel)
{
	void *params = tn_binder_call(b, kernel, 4, 2);

	if (!params)
		return NULL;
	for (uint32_t k = 0; k < 4; k++)
		tn_binder_use(b, k, k);
	tn_binder_give(b, 0, 0);
	give_state(b, 1, 4);
	return params;
}

/* The activation is ignored. */
static bool bind_svdf_int(struct tn_binder *b, const struct tn_tensor *state,
	const struct svdf *s, bool wide)
{
	struct tn_svdf_params *p =
		start_svdf(b, wide ? KERNEL_SVDF_S8_S16 : KERNEL_SVDF_S8);

	if (!p)
		return false;
	p->batches = s->batches;
	p->n_in = s->n_in;
	p->filters = s->filters;
	p->units = s->units;
	p->rank = s->rank;
	p->memory = s->memory;
	return svdf_scales(b, state, p) && tn_binder_bias(b, 3, DTYPE_I32, s->units);
}

bool tn_bind_svdf(struct tn_binder *b)
{
	const struct tn_tensor *state = state_of(b, 4), *x = tn_binder_in(b, 0);
	const struct tn_tensor *feature = tn_binder_in(b, 1), *time = tn_binder_in(b, 2);
	struct tn_svdf_f32_params *p;
	struct svdf s;

	if (!state || !svdf_shape(b, state, &s))
		return false;
	if (x->dtype == DTYPE_I8 && tn_binder_out(b, 0)->dtype == DTYPE_I8 &&
		feature->dtype == DTYPE_I8 && time->dtype == state->dtype &&
		(state->dtype == DTYPE_I8 || state->dtype == DTYPE_I16))
		return bind_svdf_int(b, state, &s, state->dtype == DTYPE_I16);
	if (!tn_binder_types(b, DTYPE_F32, DTYPE_F32))
		return false;
	if (feature->dtype != DTYPE_F32 || time->dtype != DTYPE_F32 ||
		state->dtype != DTYPE_F32)
		return tn_binder_no_types(b);
	p = start_svdf(b, KERNEL_SVDF_F32);
	if (!p)
		return false;
	p->batches = s.batches;
	p->n_in = s.n_in;
	p->filters = s.filters;
	p->units = s.units;
	p->rank = s.rank;
	p->memory = s.memory;
	return tn_binder_bias(b, 3, DTYPE_F32, s.units) &&
	       tn_binder_activation_f32(b, &p->act_min, &p->act_max);
}

/* ---- LSTM: operands as in TFLite */

#define LSTM_X	    1 /* weights of the input: input, forget, cell, output gate */
#define LSTM_H	    5 /* weights of the hidden state */
#define LSTM_PEEP   9 /* to 11 */
#define LSTM_BIAS   12 /* to 15 */
#define LSTM_PROJ   16 /* and 17 */
#define LSTM_HIDDEN 18
#define LSTM_CELL   19
#define LSTM_NORM   20 /* to 23 */
#define LSTM_INPUTS 24

struct lstm {
	int32_t batches, steps, n_in, n_units, batch_stride, step_stride;
};

/* Without peepholes, projection and layer normalisation, and with tanh. */
static bool lstm_plain(struct tn_binder *b)
{
	static const uint32_t absent[] = { LSTM_PEEP, LSTM_PEEP + 1, LSTM_PEEP + 2,
		LSTM_PROJ, LSTM_PROJ + 1, LSTM_NORM, LSTM_NORM + 1, LSTM_NORM + 2,
		LSTM_NORM + 3 };
	const char *activation = tn_op_string(b->op, "activation", "TANH");

	for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++)
		if (tn_binder_in(b, absent[i]))
			return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
				"has no kernel with operand %u", absent[i]);
	for (uint32_t k = 0; k < LSTM_PEEP; k++)
		if (!tn_binder_in(b, k))
			return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
				"has no kernel without operand %u", k);
	if (strcmp(activation, "TANH") != 0)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"has no kernel with activation '%s'", activation);
	return true;
}

static bool lstm_shape(struct tn_binder *b, const struct tn_tensor *hidden,
	const struct tn_tensor *cell, struct lstm *s)
{
	const struct tn_tensor *x = tn_binder_in(b, 0), *y = tn_binder_out(b, 0);
	bool time_major = tn_op_int(b->op, "time_major", 0) != 0;
	int64_t batches, steps, n_in, units;

	if (x->shape.rank != 3 || y->shape.rank != 3)
		return wrong_shape(b);
	batches = x->shape.dim[time_major ? 1 : 0];
	steps = x->shape.dim[time_major ? 0 : 1];
	n_in = x->shape.dim[2];
	units = y->shape.dim[2];
	for (uint32_t k = 0; k < 4; k++)
		if (tn_binder_in(b, LSTM_X + k)->elements != units * n_in ||
			tn_binder_in(b, LSTM_H + k)->elements != units * units)
			return wrong_shape(b);
	if (y->shape.dim[0] != x->shape.dim[0] || y->shape.dim[1] != x->shape.dim[1] ||
		hidden->elements != batches * units || cell->elements != batches * units)
		return wrong_shape(b);
	*s = (struct lstm){ (int32_t)batches, (int32_t)steps, (int32_t)n_in,
		(int32_t)units, time_major ? 1 : (int32_t)steps,
		time_major ? (int32_t)batches : 1 };
	return true;
}

static void *start_lstm(struct tn_binder *b, enum tn_kernel_id kernel)
{
	void *params = tn_binder_call(b, kernel, 13, 3);

	if (!params)
		return NULL;
	for (uint32_t k = 0; k < LSTM_PEEP; k++)
		tn_binder_use(b, k, k);
	for (uint32_t k = 0; k < 4; k++)
		tn_binder_use(b, LSTM_PEEP + k, LSTM_BIAS + k);
	tn_binder_give(b, 0, 0);
	give_state(b, 1, LSTM_HIDDEN);
	give_state(b, 2, LSTM_CELL);
	return params;
}

/* All weights of this type, all biases of that. */
static bool lstm_types(
	struct tn_binder *b, enum tn_dtype weights, enum tn_dtype bias, int32_t units)
{
	for (uint32_t k = LSTM_X; k < LSTM_PEEP; k++)
		if (tn_binder_in(b, k)->dtype != weights)
			return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
				"needs weights of type %s", tn_dtype_name(weights));
	for (uint32_t k = 0; k < 4; k++)
		if (!tn_binder_bias(b, LSTM_BIAS + k, bias, units))
			return false;
	return true;
}

/* The scales of one gate's two products, to 12 fractional bits. */
static bool lstm_gate(struct tn_binder *b, uint32_t gate, struct tn_scale x,
	struct tn_scale h, struct tn_lstm_params *p)
{
	const double out = 1.0 / 4096.0;
	struct tn_scale wx, wh;
	struct tn_multiplier mx, mh;

	if (!tn_binder_scale(b, tn_binder_in(b, LSTM_X + gate), &wx) ||
		!tn_binder_scale(b, tn_binder_in(b, LSTM_H + gate), &wh) ||
		!tn_binder_multiplier(b, (double)(x.scale * wx.scale) / out, &mx) ||
		!tn_binder_multiplier(b, (double)(h.scale * wh.scale) / out, &mh))
		return false;
	if (wx.zero_point != 0 || wh.zero_point != 0)
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "has only a kernel for weights around 0");
	if (tn_binder_in(b, 0)->dtype == DTYPE_I16 && (mx.shift > 7 || mh.shift > 7))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"needs a ratio of scales that wide sums do not reach");
	p->x_multiplier[gate] = mx.multiplier;
	p->x_shift[gate] = mx.shift;
	p->h_multiplier[gate] = mh.multiplier;
	p->h_shift[gate] = mh.shift;
	return true;
}

/* The cell: products of gates, its clip, its tanh (whose unit is a power of two). */
static bool lstm_cell(struct tn_binder *b, const struct tn_tensor *cell,
	struct tn_scale hidden, struct tn_lstm_params *p)
{
	const double gate = 1.0 / 32768.0;
	double clip = (double)(float)tn_op_float(b->op, "cell_clip", 0.0);
	struct tn_multiplier forget, input, out;
	struct tn_scale c;
	int power;

	if (!tn_binder_scale(b, cell, &c) ||
		!tn_binder_multiplier(
			b, gate * (double)c.scale / (double)c.scale, &forget) ||
		!tn_binder_multiplier(b, gate * gate / (double)c.scale, &input) ||
		!tn_binder_multiplier(b, gate * gate / (double)hidden.scale, &out))
		return false;
	power = (int)round(log2((double)c.scale)) + 12;
	if (c.zero_point != 0 || power < -15 || power > 2)
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"has no kernel for a cell of scale %g", (double)c.scale);
	p->forget_multiplier = forget.multiplier;
	p->forget_shift = forget.shift;
	p->input_multiplier = input.multiplier;
	p->input_shift = input.shift;
	p->out_multiplier = out.multiplier;
	p->out_shift = out.shift;
	p->tanh_multiplier = power >= 0 ? 3 << power : 3;
	p->tanh_shift = power >= 0 ? 0 : -power;
	if (clip > 0.0)
		p->cell_clip = (int32_t)fmin(clip / (double)c.scale, 32767.0);
	return true;
}

static bool bind_lstm_int(struct tn_binder *b, const struct tn_tensor *hidden,
	const struct tn_tensor *cell, const struct lstm *s)
{
	bool wide = tn_binder_in(b, 0)->dtype == DTYPE_I16;
	struct tn_lstm_params *p = start_lstm(b, wide ? KERNEL_LSTM_S16 : KERNEL_LSTM_S8);
	int16_t *table = tn_binder_array(b, 256, sizeof(*table));
	struct tn_scale x, h;

	if (!p || !table || !tn_binder_scale(b, tn_binder_in(b, 0), &x) ||
		!tn_binder_scale(b, hidden, &h) ||
		!lstm_types(b, DTYPE_I8, wide ? DTYPE_I64 : DTYPE_I32, s->n_units))
		return false;
	for (uint32_t gate = 0; gate < 4; gate++)
		if (!lstm_gate(b, gate, x, h, p))
			return false;
	tn_curve_points(table);
	p->batches = s->batches;
	p->steps = s->steps;
	p->n_in = s->n_in;
	p->n_units = s->n_units;
	p->batch_stride = s->batch_stride;
	p->step_stride = s->step_stride;
	p->in_offset = -x.zero_point;
	p->hidden_offset = -h.zero_point;
	p->out_offset = h.zero_point;
	p->n_table = 256;
	p->table = table;
	return lstm_cell(b, cell, h, p);
}

static bool bind_lstm_f32(struct tn_binder *b, const struct lstm *s)
{
	struct tn_lstm_f32_params *p = start_lstm(b, KERNEL_LSTM_F32);

	if (!p)
		return false;
	p->batches = s->batches;
	p->steps = s->steps;
	p->n_in = s->n_in;
	p->n_units = s->n_units;
	p->batch_stride = s->batch_stride;
	p->step_stride = s->step_stride;
	p->cell_clip = (float)tn_op_float(b->op, "cell_clip", 0.0);
	return lstm_types(b, DTYPE_F32, DTYPE_F32, s->n_units);
}

bool tn_bind_lstm(struct tn_binder *b)
{
	const struct tn_tensor *hidden = state_of(b, LSTM_HIDDEN);
	const struct tn_tensor *cell = hidden ? state_of(b, LSTM_CELL) : NULL;
	enum tn_dtype dtype, out = tn_binder_out(b, 0)->dtype;
	struct lstm s;

	if (b->op->n_outputs != 1)
		return tn_binder_refuse(
			b, TN_RULE_NO_KERNEL, "has only a kernel with one output");
	if (!cell || !lstm_plain(b) || !lstm_shape(b, hidden, cell, &s))
		return false;
	dtype = tn_binder_in(b, 0)->dtype;
	if (out != dtype || hidden->dtype != dtype ||
		cell->dtype != (dtype == DTYPE_F32 ? DTYPE_F32 : DTYPE_I16))
		return tn_binder_no_types(b);
	if (dtype == DTYPE_I8 || dtype == DTYPE_I16)
		return bind_lstm_int(b, hidden, cell, &s);
	return dtype == DTYPE_F32 ? bind_lstm_f32(b, &s) : tn_binder_no_types(b);
}
