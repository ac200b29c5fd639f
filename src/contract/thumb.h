/* What the kernels of the set "thumb" need beyond the contract's steps: as for "dsp"
 * (contract/dsp.h), by shapes alone. */
#ifndef TN_CONTRACT_THUMB_H
#define TN_CONTRACT_THUMB_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/graph.h"
#include "ir/window.h"

/* A convolution: copies of the windows of two pixels. False: no kernel for this shape. */
bool tn_thumb_conv_of(const struct tn_window *w, int64_t *out_scratch);

/* A depthwise 3x3 window: the outputs of two pixels. */
bool tn_thumb_depthwise_of(const struct tn_window *w, int64_t *out_scratch);

/* A fully connected layer: a copy of a row. */
bool tn_thumb_fc_of(int64_t in_n, int64_t out_n, int64_t *out_scratch);

/* Of the kernel for this op; 0: it needs none, or there is no kernel. A fully connected layer
 * copies its row where the variant holds one (`hold`). */
int64_t tn_thumb_scratch(const struct tn_graph *g, const struct tn_op *op, bool hold);

#endif
