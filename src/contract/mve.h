/* What the kernels of the set "mve" need beyond the contract's steps: as for "dsp"
 * (contract/dsp.h), by shapes alone. */
#ifndef TN_CONTRACT_MVE_H
#define TN_CONTRACT_MVE_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/graph.h"
#include "ir/window.h"

/* A convolution: the windows of `room` outputs of a row lie in a strip, unless each is one
 * element of the input; the sums of two pixels wait to be rescaled, of 64 channels at a time,
 * and the outputs of those that came before. */
struct tn_mve_conv {
	bool direct; /* windows are read in place */
	int64_t blocks; /* of sixteen bytes in a window */
	int64_t room;
	int64_t sums; /* where these start, in bytes */
	int64_t scratch;
};

/* False: no kernel for this shape. */
bool tn_mve_conv_of(const struct tn_window *w, struct tn_mve_conv *out);

/* A depthwise 3x3 window: planes of sixteen channels, the sums of some channels of two
 * pixels, and the outputs of those that came before. */
bool tn_mve_depthwise_of(const struct tn_window *w, int64_t *out_scratch);

/* With other numbers of channels: does the kernel of the set "dsp" run, where there is one? */
bool tn_mve_depthwise_in_fours(int64_t channels);

/* A fully connected layer: the sums of some channels, and a copy of a row where all of it is
 * read before the first output is written (`whole`), or where it does not end with a block. */
struct tn_mve_fc {
	int64_t blocks; /* of sixteen bytes in a row */
	int64_t copy; /* where it starts, in bytes */
	int64_t scratch;
};

bool tn_mve_fc_of(int64_t in_n, int64_t out_n, bool whole, struct tn_mve_fc *out);

/* Of the kernel for this op, or of that of the set "dsp", which runs where there is none.
 * `whole` as of tn_dsp_scratch. */
int64_t tn_mve_scratch(const struct tn_graph *g, const struct tn_op *op, bool whole);

#endif
