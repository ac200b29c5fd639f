#include "contract/thumb.h"

#include "base/checked.h"

#define SCRATCH_MAX 16384 /* with more there is no kernel */

bool tn_thumb_conv_of(const struct tn_window *w, int64_t *out_scratch)
{
	int64_t n;

	if (w->per_channel || !tn_mul_i64(w->k_h, w->k_w, &n) ||
		!tn_mul_i64(n, w->in_c, &n) || n < 1 || n > SCRATCH_MAX / 2)
		return false;
	*out_scratch = 2 * n;
	return true;
}

bool tn_thumb_depthwise_of(const struct tn_window *w, int64_t *out_scratch)
{
	if (!w->per_channel || w->depth_multiplier != 1 || w->k_h != 3 || w->k_w != 3 ||
		w->dilation_h != 1 || w->dilation_w != 1 || w->stride_w > 2 ||
		w->out_c < 1 || w->out_c > SCRATCH_MAX / 2)
		return false;
	*out_scratch = 2 * w->out_c;
	return true;
}

bool tn_thumb_fc_of(int64_t in_n, int64_t out_n, int64_t *out_scratch)
{
	if (in_n < 1 || in_n > SCRATCH_MAX || out_n < 1)
		return false;
	*out_scratch = in_n;
	return true;
}

static bool is_s8(const struct tn_graph *g, const tn_tensor_id *list, uint32_t n)
{
	return n && tn_tensor_id_ok(g, list[0]) &&
	       g->tensors[list[0].i].dtype == DTYPE_I8;
}

int64_t tn_thumb_scratch(const struct tn_graph *g, const struct tn_op *op, bool hold)
{
	const struct tn_tensor *filter;
	int64_t bytes = 0;
	struct tn_window w;
	const char *why;

	if (!is_s8(g, op->inputs, op->n_inputs) || !is_s8(g, op->outputs, op->n_outputs))
		return 0;
	switch (op->kind) {
	case OP_CONV_2D:
		return tn_window_of(g, op, &w, &why) && tn_thumb_conv_of(&w, &bytes)
			       ? bytes
			       : 0;
	case OP_DEPTHWISE_CONV_2D:
		return tn_window_of(g, op, &w, &why) && tn_thumb_depthwise_of(&w, &bytes)
			       ? bytes
			       : 0;
	case OP_FULLY_CONNECTED:
		if (!hold || op->n_inputs < 2 || !tn_tensor_id_ok(g, op->inputs[1]))
			return 0;
		filter = &g->tensors[op->inputs[1].i];
		return filter->shape.rank == 2 && tn_thumb_fc_of(filter->shape.dim[1],
							  filter->shape.dim[0], &bytes)
			       ? bytes
			       : 0;
	default:
		return 0;
	}
}
