/* Geometry of the ops that slide a window over NHWC: convolution, depthwise, pooling. */
#ifndef TN_IR_WINDOW_H
#define TN_IR_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/graph.h"

struct tn_window {
	int64_t batches;
	int64_t in_h, in_w, in_c; /* elements */
	int64_t out_h, out_w, out_c; /* elements */
	int64_t k_h, k_w; /* taps */
	int64_t stride_h, stride_w;
	int64_t dilation_h, dilation_w;
	int64_t pad_top, pad_left; /* elements; the rest of the padding follows */
	int64_t depth_multiplier; /* depthwise: out_c / in_c; otherwise 1 */
	bool per_channel; /* an output channel reads only its own input channel */
};

/* From shapes and attributes: kernel [h, w] (or the filter operand's shape: OHWI for
 * CONV_2D, 1HWO for DEPTHWISE_CONV_2D), stride [h, w], dilation [h, w], pad "SAME",
 * "VALID" or [top, left, bottom, right], layout "NHWC" when given. False, with a reason for a
 * message, when the op is no such op or its shapes do not fit together (then it is
 * ACCESS_OPAQUE to all). */
bool tn_window_of(const struct tn_graph *g, const struct tn_op *op, struct tn_window *out,
	const char **out_why);

/* Are the op's images NHWC: by its `layout`, or because it has none? */
bool tn_op_is_nhwc(const struct tn_op *op);

/* TRANSPOSE_CONV's padding: "SAME", or "VALID" as when there is none. False, with a reason
 * for a message, where its attributes say what no kernel does. */
bool tn_window_transposed(const struct tn_op *op, bool *out_same, const char **out_why);

/* Of taps 0..n-1 on an axis of `size` elements, tap 0 at element `origin` (below 0: in the
 * padding) and `dilation` between neighbours: those that fall on elements, half-open;
 * *out_first >= *out_end: none. */
void tn_window_taps(int64_t origin, int64_t n, int64_t dilation, int64_t size,
	int64_t *out_first, int64_t *out_end);

/* Does each window hold an element of the input, so that a largest value is one of them?
 * False also where dilated taps leave that open. */
bool tn_window_meets_input(const struct tn_window *w);

#endif
