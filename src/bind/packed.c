/* From calls of portable kernels to calls of packed ones. */
#include "bind/dsp.h"

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
