#include "bind/dsp.h"

#include <string.h>

#include "contract/dsp.h"

#include "base/banned.h"

/* Starts a call of a packed kernel in the place of the portable one, whose parameters and
 * operands stay where they are. */
static void *replace(
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

static void give_bytes(struct tn_binder *b, uint32_t slot, const void *data, size_t n)
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

static bool full_range(int32_t act_min, int32_t act_max)
{
	return act_min == INT8_MIN && act_max == INT8_MAX;
}

static bool dsp_conv(struct tn_binder *b)
{
	const struct tn_conv_params *c = b->call->params;
	const struct tn_geometry *g = &c->g;
	const int64_t n = (int64_t)g->k_h * g->k_w * g->in_c;
	struct tn_packing pack = { .channels = g->out_c,
		.rows = g->k_h,
		.row = g->k_w * g->in_c,
		.in_offset = c->in_offset,
		.zero_point = c->out_offset,
		.multiplier = c->multiplier,
		.shift = c->shift,
		.n_scales = c->n_channels,
		.floor = tn_rescale_has_floor(c->out_offset, c->act_min, c->act_max) };
	struct tn_dsp_conv_params *p;
	struct tn_dsp_conv conv;
	struct tn_window w;
	const char *why;
	uint32_t *stream;
	int8_t *zeros;
	size_t words;

	if (c->groups != 1 || !full_range(c->act_min, c->act_max) ||
		!tn_window_of(b->g, b->op, &w, &why) || !tn_dsp_conv_of(&w, &conv))
		return true;
	pack.weights = constant(b, 1, n * g->out_c);
	pack.bias = constant(b, 2, 4 * (int64_t)g->out_c);
	if (!pack.weights || (tn_binder_in(b, 2) && !pack.bias))
		return true;
	pack.part_rows = (int32_t)conv.part_rows;
	if (!tn_dsp_pack_pairs(b, &pack, &stream, &words))
		return false;
	if (!stream)
		return true;
	zeros = tn_binder_array(b, (size_t)pack.row, 1);
	p = replace(b, KERNEL_DSP_CONV_2D_S8, 3, 1);
	if (!zeros || !p)
		return false;
	memset(zeros, -c->in_offset & 0xff, (size_t)pack.row);
	p->g = *g;
	p->part_rows = pack.part_rows;
	p->sums = (int32_t)conv.sums;
	p->edges = (int32_t)conv.edges;
	p->floor = pack.floor ? 4 : 0;
	give_bytes(b, 1, stream, words * sizeof(*stream));
	give_bytes(b, 2, zeros, (size_t)pack.row);
	return true;
}

bool tn_bind_dsp(struct tn_binder *b)
{
	const struct tn_kernel_info *kernel = b->call->kernel;

	if (kernel == &tn_kernels[KERNEL_CONV_2D_S8])
		return dsp_conv(b);
	return true;
}
