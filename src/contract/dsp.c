#include "contract/dsp.h"

#include "base/checked.h"
#include "contract/thumb.h"

/* Parts are made so that scratch stays below this where that is possible at all; with more
 * than the limit there is no kernel. */
#define SCRATCH_USUAL 2304
#define SCRATCH_MAX   16384

#define PIXELS 3
/* of a row that is expanded, as in src/kernels/dsp/dot_s8.h */
#define STRIP_PLACES 112

static int64_t up(int64_t n, int64_t grain)
{
	return (n + grain - 1) / grain * grain;
}

bool tn_dsp_conv_is_dilated(const struct tn_window *w)
{
	return w->dilation_h != 1 || w->dilation_w != 1;
}

bool tn_dsp_conv_of(const struct tn_window *w, struct tn_dsp_conv *out)
{
	const bool pads_w = w->pad_left > 0 ||
			    (w->out_w - 1) * w->stride_w - w->pad_left + w->k_w > w->in_w;
	int64_t row, edges, sums, left;

	if (w->per_channel || tn_dsp_conv_is_dilated(w) ||
		!tn_mul_i64(w->k_w, w->in_c, &row) || row < 1 || row > SCRATCH_MAX ||
		w->out_c > SCRATCH_MAX || w->k_h > SCRATCH_MAX)
		return false;
	*out = (struct tn_dsp_conv){ .row = up(row, 4) };
	edges = pads_w && w->in_c % 4 ? up(PIXELS * row, 4) : 0;
	out->part_rows = w->k_h;
	row = 2 * PIXELS * out->row;
	sums = 0;
	if (row * w->k_h + edges > SCRATCH_USUAL && w->k_h > 1) {
		sums = 8 * PIXELS * (up(w->out_c, 2) / 2);
		left = (SCRATCH_USUAL - edges - sums) / row;
		out->part_rows = left < 1 ? 1 : tn_min_i64(left, w->k_h);
	}
	out->sums = row * out->part_rows;
	out->edges = out->sums + sums;
	out->scratch = out->edges + edges;
	return out->scratch <= SCRATCH_MAX;
}

/* Four channels of a strip, then all channels of the outputs that are held. */
static int64_t depthwise_bytes(const struct tn_window *w, int64_t n)
{
	return 32 * ((n - 1) * w->stride_w + 3) + n * up(w->out_c, 4);
}

/* Is the middle row of every window inside the image, and a column of each? No more than
 * one column may be outside on the right. */
static bool has_middles(const struct tn_window *w)
{
	const int64_t bottom = (w->out_h - 1) * w->stride_h - w->pad_top;
	const int64_t right = (w->out_w - 1) * w->stride_w - w->pad_left;

	return w->pad_top <= 1 && bottom + 1 < w->in_h && w->pad_left <= 2 &&
	       right < w->in_w && right + 3 <= w->in_w + 1;
}

bool tn_dsp_depthwise_of(const struct tn_window *w, struct tn_dsp_depthwise *out)
{
	if (!w->per_channel || w->depth_multiplier != 1 || w->k_h != 3 || w->k_w != 3 ||
		w->dilation_h != 1 || w->dilation_w != 1 || w->stride_w > 2 ||
		w->stride_h > SCRATCH_MAX || w->out_c < 4 || w->out_c > SCRATCH_MAX ||
		!has_middles(w))
		return false;
	out->room = tn_min_i64(w->out_w, SCRATCH_USUAL);
	while (out->room > 1 && depthwise_bytes(w, out->room) > SCRATCH_USUAL)
		out->room--;
	out->scratch = depthwise_bytes(w, out->room);
	return out->scratch <= SCRATCH_MAX;
}

bool tn_dsp_fc_of(int64_t in_n, int64_t out_n, bool whole, int64_t *out_scratch)
{
	if (in_n < 1 || in_n > SCRATCH_MAX / 2 || out_n < 1)
		return false;
	*out_scratch = 2 * up(whole ? in_n : tn_min_i64(in_n, STRIP_PLACES), 4);
	return true;
}

static enum tn_dtype type_of(
	const struct tn_graph *g, const tn_tensor_id *list, uint32_t n)
{
	return n && tn_tensor_id_ok(g, list[0]) ? g->tensors[list[0].i].dtype
						: DTYPE_INVALID;
}

/* A grouped convolution has no geometry of its own here, and no kernel. */
static int64_t conv_scratch(const struct tn_graph *g, const struct tn_op *op)
{
	struct tn_dsp_conv conv;
	struct tn_window w;
	const char *why;
	int64_t bytes;

	if (!tn_window_of(g, op, &w, &why))
		return 0;
	if (tn_dsp_conv_is_dilated(&w))
		return tn_thumb_conv_of(&w, &bytes) ? bytes : 0;
	return tn_dsp_conv_of(&w, &conv) ? conv.scratch : 0;
}

static int64_t depthwise_scratch(const struct tn_graph *g, const struct tn_op *op)
{
	struct tn_dsp_depthwise depthwise;
	struct tn_window w;
	const char *why;

	if (!tn_window_of(g, op, &w, &why) || !tn_dsp_depthwise_of(&w, &depthwise))
		return 0;
	return depthwise.scratch;
}

static int64_t fc_scratch(const struct tn_graph *g, const struct tn_op *op, bool whole)
{
	const struct tn_tensor *filter;
	int64_t bytes = 0;

	if (op->n_inputs < 2 || !tn_tensor_id_ok(g, op->inputs[1]))
		return 0;
	filter = &g->tensors[op->inputs[1].i];
	if (filter->shape.rank == 2)
		(void)tn_dsp_fc_of(
			filter->shape.dim[1], filter->shape.dim[0], whole, &bytes);
	return bytes;
}

int64_t tn_dsp_scratch(const struct tn_graph *g, const struct tn_op *op, bool whole)
{
	if (type_of(g, op->inputs, op->n_inputs) != DTYPE_I8 ||
		type_of(g, op->outputs, op->n_outputs) != DTYPE_I8)
		return 0;
	switch (op->kind) {
	case OP_CONV_2D:
		return conv_scratch(g, op);
	case OP_DEPTHWISE_CONV_2D:
		return depthwise_scratch(g, op);
	case OP_FULLY_CONNECTED:
		return fc_scratch(g, op, whole);
	default:
		return 0;
	}
}
