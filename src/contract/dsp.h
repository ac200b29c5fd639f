/* What the kernels of the set "dsp" need beyond the contract's steps: how they cut a layer
 * into parts, and how much scratch that takes. By shapes alone, so that planner, verifier
 * and binding agree. */
#ifndef TN_CONTRACT_DSP_H
#define TN_CONTRACT_DSP_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/graph.h"
#include "ir/window.h"

/* A convolution: windows of three pixels are expanded to halfwords, `part_rows` rows of the
 * window at a time, each filled up to a multiple of four elements. Scratch: the strip, the
 * sums that wait for the next part, copies of rows that are partly outside. */
struct tn_dsp_conv {
	int64_t row; /* elements of a row of the window, filled up */
	int64_t part_rows;
	int64_t sums, edges; /* where these start, in bytes */
	int64_t scratch;
};

/* With dilated taps the kernel of the set "thumb" runs instead. */
bool tn_dsp_conv_is_dilated(const struct tn_window *w);

/* False: no kernel for this shape. */
bool tn_dsp_conv_of(const struct tn_window *w, struct tn_dsp_conv *out);

/* A depthwise 3x3 window: `room` outputs of a row at a time are computed from a strip of
 * pairs, and held. */
struct tn_dsp_depthwise {
	int64_t room;
	int64_t scratch;
};

bool tn_dsp_depthwise_of(const struct tn_window *w, struct tn_dsp_depthwise *out);

/* A fully connected layer: its row is expanded, the end of it or `whole`: where all of it
 * is read before the first output is written. */
bool tn_dsp_fc_of(int64_t in_n, int64_t out_n, bool whole, int64_t *out_scratch);

/* 0: the set has no kernel for this op with these shapes and types. `whole`: the variant
 * holds a row of outputs, or descends. */
int64_t tn_dsp_scratch(const struct tn_graph *g, const struct tn_op *op, bool whole);

#endif
