/* From calls of portable kernels to calls of packed ones. */
#include "bind/dsp.h"

#include <string.h>

#include "base/banned.h"

void *tn_packed_replace(
	struct tn_binder *b, enum tn_kernel_id kernel, uint32_t n_in, uint32_t n_out)
{
	const tn_tensor_id in = b->call->in[0].tensor, out = b->call->out[0].tensor;
	void *params = tn_binder_call(b, kernel, n_in, n_out);

	if (params) {
		b->call->in[0].tensor = in;
		b->call->out[0].tensor = out;
	}
	return params;
}

void tn_packed_give(struct tn_binder *b, uint32_t slot, const void *data, size_t n)
{
	b->call->in[slot].data = data;
	b->call->in[slot].data_bytes = (int64_t)n;
}

static const void *constant(const struct tn_binder *b, uint32_t slot, int64_t bytes)
{
	const struct tn_operand *o = &b->call->in[slot];
	const struct tn_tensor *t;

	if (!tn_tensor_id_ok(b->g, o->tensor))
		return o->data && o->data_bytes >= bytes ? o->data : NULL;
	t = &b->g->tensors[o->tensor.i];
	if (!tn_tensor_is_constant(t) || t->data_kind != DATA_BYTES ||
		t->data_bytes < bytes)
		return NULL;
	return t->data;
}

bool tn_packed_full_range(int32_t act_min, int32_t act_max)
{
	return act_min == INT8_MIN && act_max == INT8_MAX;
}

/* Sums have less than 29 bits, and all shifts go to the right. */
static bool any_depthwise_rescales(const struct tn_conv_params *p, const uint8_t *bias)
{
	const int64_t most = (INT64_C(1) << 29) - 1;
	const int64_t products = (int64_t)p->g.k_h * p->g.k_w * 255 * 128;

	if (products > most)
		return false;
	for (uint32_t c = 0; c < p->n_channels; c++) {
		int32_t value = 0;

		if (bias)
			memcpy(&value, bias + 4 * (size_t)c, sizeof(value));
		if (p->shift[c] > -1 || p->shift[c] < -31 || p->multiplier[c] < 0 ||
			value > most - products || value < products - most)
			return false;
	}
	return true;
}

void tn_packed_any_depthwise(struct tn_binder *b, enum tn_kernel_id kernel)
{
	const struct tn_conv_params *p = b->call->params;
	const void *bias = constant(b, 2, 4 * (int64_t)p->g.out_c);

	if (b->call->kernel != &tn_kernels[KERNEL_DEPTHWISE_CONV_2D_S8] ||
		p->groups != 1 || (!bias && tn_binder_in(b, 2)) ||
		!any_depthwise_rescales(p, bias))
		return;
	if (!bias && kernel == KERNEL_MVE_DEPTHWISE_ANY_S8)
		kernel = KERNEL_DSP_DEPTHWISE_ANY_S8;
	b->call->kernel = &tn_kernels[kernel];
}

static bool is_row(const struct tn_broadcast *s)
{
	const int32_t a = s->stride_a[s->rank - 1], b = s->stride_b[s->rank - 1];

	return (a == 0 || a == 1) && (b == 0 || b == 1);
}

void tn_packed_product(struct tn_binder *b, enum tn_kernel_id kernel)
{
	const struct tn_mul_params *p = b->call->params;

	if (tn_packed_full_range(p->act_min, p->act_max) && is_row(&p->shape) &&
		p->out_shift < 0 && p->out_shift >= -22 && p->out_multiplier >= 0)
		b->call->kernel = &tn_kernels[kernel];
}

/* Does the table only cut off what is below its first result and above its last one? */
static bool only_cuts(const int8_t *table)
{
	for (int32_t x = INT8_MIN; x <= INT8_MAX; x++) {
		int32_t y = x < table[0] ? table[0] : x;

		if (table[x - INT8_MIN] != (y > table[255] ? table[255] : y))
			return false;
	}
	return true;
}

void tn_packed_table(
	struct tn_binder *b, enum tn_kernel_id kernel, enum tn_kernel_id clamp)
{
	const struct tn_lut_params *p = b->call->params;

	b->call->kernel = &tn_kernels[only_cuts(p->table) ? clamp : kernel];
}

bool tn_packing_of_window(const struct tn_binder *b, const struct tn_conv_params *c,
	int64_t weights, struct tn_packing *out)
{
	const struct tn_geometry *g = &c->g;

	*out = (struct tn_packing){ .weights = constant(b, 1, weights),
		.bias = constant(b, 2, 4 * (int64_t)g->out_c),
		.channels = g->out_c,
		.rows = g->k_h,
		.row = g->k_w * g->in_c,
		.in_offset = c->in_offset,
		.zero_point = c->out_offset,
		.multiplier = c->multiplier,
		.shift = c->shift,
		.n_scales = c->n_channels,
		.floor = tn_rescale_has_floor(c->out_offset, c->act_min, c->act_max) };
	return tn_packed_full_range(c->act_min, c->act_max) && out->weights &&
	       (!tn_binder_in(b, 2) || out->bias);
}

bool tn_packing_of_rows(
	const struct tn_binder *b, const struct tn_fc_params *c, struct tn_packing *out)
{
	*out = (struct tn_packing){
		.weights = constant(b, 1, (int64_t)c->in_n * c->out_n),
		.bias = constant(b, 2, 4 * (int64_t)c->out_n),
		.channels = c->out_n,
		.rows = 1,
		.row = c->in_n,
		.in_offset = c->in_offset,
		.zero_point = c->out_offset,
		.multiplier = c->multiplier,
		.shift = c->shift,
		.n_scales = c->n_scales,
		.floor = tn_rescale_has_floor(c->out_offset, c->act_min, c->act_max),
	};
	return c->w_offset == 0 && tn_packed_full_range(c->act_min, c->act_max) &&
	       out->weights && (!tn_binder_in(b, 2) || out->bias);
}
