#include "contract/mve.h"

#include "base/checked.h"
#include "contract/dsp.h"

/* Strips are made so that scratch stays below this where that is possible at all; with more
 * than the limit there is no kernel. */
#define SCRATCH_USUAL 2048
#define SCRATCH_MAX   16384

#define BLOCK  16
#define GROUP  16
#define VECTOR 4
/* channels at a time, as in src/kernels/mve/layout.h */
#define ROW_CHANNELS   48
#define PART_CHANNELS  64
#define DEPTH_CHANNELS 128
#define PAIR_BYTES     32 /* sums of a vector of channels, two pixels */

static int64_t up(int64_t n, int64_t grain)
{
	return (n + grain - 1) / grain * grain;
}

/* Windows of n outputs side by side, and what the last one is filled up with. */
static int64_t strip_bytes(const struct tn_window *w, int64_t n)
{
	return up(((n - 1) * w->stride_w + w->k_w) * w->k_h * w->in_c + BLOCK, BLOCK);
}

/* Of two pixels: the sums of `most` channels at a time, and the outputs of those that came
 * before the last ones. */
static int64_t part_bytes(int64_t channels, int64_t most)
{
	return PAIR_BYTES * (up(tn_min_i64(channels, most), VECTOR) / VECTOR) +
	       (channels - 1) / most * most * 2;
}

bool tn_mve_conv_of(const struct tn_window *w, struct tn_mve_conv *out)
{
	int64_t window, taps, most = w->out_w, sums;

	if (w->per_channel || w->dilation_h != 1 || w->dilation_w != 1 ||
		!tn_mul_i64(w->k_w, w->k_h, &taps) ||
		!tn_mul_i64(taps, w->in_c, &window) || window < 1 ||
		window > SCRATCH_MAX || w->out_c > SCRATCH_MAX || w->out_c < 1 ||
		w->stride_w > SCRATCH_MAX || w->stride_h > SCRATCH_MAX)
		return false;
	*out = (struct tn_mve_conv){ .blocks = (window + BLOCK - 1) / BLOCK };
	out->direct = taps == 1 && w->pad_top == 0 && w->pad_left == 0 &&
		      (w->out_h - 1) * w->stride_h < w->in_h &&
		      (w->out_w - 1) * w->stride_w < w->in_w;
	sums = part_bytes(w->out_c, PART_CHANNELS);
	if (out->direct && w->in_c % BLOCK == 0) {
		out->room = 1;
		out->scratch = sums;
		return out->scratch <= SCRATCH_MAX;
	}
	/* in place but for the last windows, which are read beyond their end */
	if (out->direct)
		most = (BLOCK - 1) / w->in_c + 1;
	out->room = tn_min_i64(most, SCRATCH_USUAL);
	while (out->room > 2 && strip_bytes(w, out->room) + sums > SCRATCH_USUAL)
		out->room--;
	if (out->room < w->out_w)
		out->room -= out->room > 1 ? out->room % 2 : 0;
	if (out->room > 1 && strip_bytes(w, out->room) + sums > SCRATCH_USUAL)
		out->room = 1;
	out->sums = strip_bytes(w, out->room);
	out->scratch = out->sums + sums;
	return out->scratch <= SCRATCH_MAX;
}

bool tn_mve_depthwise_of(const struct tn_window *w, int64_t *out_scratch)
{
	if (!w->per_channel || w->depth_multiplier != 1 || w->k_h != 3 || w->k_w != 3 ||
		w->dilation_h != 1 || w->dilation_w != 1 || w->stride_w > 2 ||
		w->stride_h > SCRATCH_MAX || w->out_c < GROUP || w->out_c % GROUP ||
		w->out_c > SCRATCH_MAX)
		return false;
	*out_scratch = 4 * 4 * GROUP + part_bytes(w->out_c, DEPTH_CHANNELS);
	return *out_scratch <= SCRATCH_MAX;
}

bool tn_mve_depthwise_in_fours(int64_t channels)
{
	return channels % 4 == 0;
}

bool tn_mve_fc_of(int64_t in_n, int64_t out_n, bool whole, struct tn_mve_fc *out)
{
	if (in_n < 1 || in_n > SCRATCH_MAX / 2 || out_n < 1 || out_n > INT32_MAX / 2)
		return false;
	*out = (struct tn_mve_fc){ .blocks = (in_n + BLOCK - 1) / BLOCK };
	out->copy = 4 * tn_min_i64(up(out_n, VECTOR), ROW_CHANNELS);
	/* the last row of some whole blocks is nowhere read beyond its end */
	out->scratch = out->copy;
	if (whole || in_n % BLOCK)
		out->scratch += BLOCK * out->blocks;
	return true;
}

static int64_t fc_scratch(const struct tn_graph *g, const struct tn_op *op, bool whole)
{
	const struct tn_tensor *filter;
	struct tn_mve_fc fc;

	if (op->n_inputs < 2 || !tn_tensor_id_ok(g, op->inputs[1]))
		return 0;
	filter = &g->tensors[op->inputs[1].i];
	return filter->shape.rank == 2 && tn_mve_fc_of(filter->shape.dim[1],
						  filter->shape.dim[0], whole, &fc)
		       ? fc.scratch
		       : 0;
}

/* 0: no kernel. */
static int64_t own_scratch(const struct tn_graph *g, const struct tn_op *op, bool whole)
{
	struct tn_mve_conv conv;
	struct tn_window w;
	const char *why;
	int64_t bytes;

	switch (op->kind) {
	case OP_CONV_2D:
		return tn_window_of(g, op, &w, &why) && tn_mve_conv_of(&w, &conv)
			       ? conv.scratch
			       : 0;
	case OP_DEPTHWISE_CONV_2D:
		return tn_window_of(g, op, &w, &why) && tn_mve_depthwise_of(&w, &bytes)
			       ? bytes
			       : 0;
	case OP_FULLY_CONNECTED:
		return fc_scratch(g, op, whole);
	default:
		return 0;
	}
}

/* A depthwise convolution whose kernel needs none. */
static bool is_any_depthwise(const struct tn_graph *g, const struct tn_op *op)
{
	struct tn_window w;
	const char *why;

	return op->kind == OP_DEPTHWISE_CONV_2D && tn_window_of(g, op, &w, &why) &&
	       !tn_mve_depthwise_in_fours(w.out_c);
}

static bool is_s8(const struct tn_graph *g, const tn_tensor_id *list, uint32_t n)
{
	return n && tn_tensor_id_ok(g, list[0]) &&
	       g->tensors[list[0].i].dtype == DTYPE_I8;
}

int64_t tn_mve_scratch(const struct tn_graph *g, const struct tn_op *op, bool whole)
{
	int64_t bytes = 0;

	if (is_s8(g, op->inputs, op->n_inputs) && is_s8(g, op->outputs, op->n_outputs))
		bytes = own_scratch(g, op, whole);
	if (bytes || is_any_depthwise(g, op))
		return bytes;
	return tn_dsp_scratch(g, op, whole);
}
