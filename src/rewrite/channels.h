/* A group of channels: a convolution, ops that treat each channel by itself, and the op
 * that sums over them. For rewrite/channels*.c only. */
#ifndef TN_REWRITE_CHANNELS_H
#define TN_REWRITE_CHANNELS_H

#include "rewrite/edit.h"

#define TN_CHAIN_MAX 16

struct tn_channels {
	struct tn_op
		*chain[TN_CHAIN_MAX]; /* the convolution, then one op per channel each */
	uint32_t n_chain;
	struct tn_op *sum; /* a convolution or fully connected op: reads the channels */
	int64_t n; /* channels */
	bool *gone; /* by channel: may be removed */
	int64_t n_gone;
	int64_t *bias; /* by output of `sum`: what its bias becomes */
	bool bias_changes;
};

/* Which channels of the group can go: with what `sum` is given for them in its bias. False
 * when none. */
bool tn_channels_find(struct tn_edit *e, struct tn_channels *c);

/* Takes them out of weights, biases, scales and shapes. */
void tn_channels_remove(struct tn_edit *e, struct tn_channels *c);

#endif
