/* A group of channels: tensors whose channels are the same ones, because ops that treat
 * each channel by itself (depthwise, pooling, additions of two of them) lie between. It
 * begins at convolutions, which make the channels, and ends at ops that sum over them. For
 * rewrite/channels*.c only. */
#ifndef TN_REWRITE_CHANNELS_H
#define TN_REWRITE_CHANNELS_H

#include "rewrite/edit.h"

#define TN_GROUP_MAX 64 /* ops of each sort */

/* A convolution or fully connected op that reads the channels. */
struct tn_channel_sum {
	tn_op_id op;
	int64_t *bias; /* by output: what its bias becomes */
	bool bias_changes;
};

struct tn_channels {
	int64_t n; /* channels */
	/* convolutions that make channels and ops that keep them, as they run */
	tn_op_id ops[TN_GROUP_MAX];
	uint32_t n_ops;
	struct tn_channel_sum sums[TN_GROUP_MAX];
	uint32_t n_sums;
	bool *gone; /* by channel: may be removed */
	int64_t n_gone;
};

/* Who reads what, while a sweep runs: ops by tensor, in lists. */
struct tn_channel_readers {
	uint32_t *first; /* by tensor, and one behind: index in `ops` */
	tn_op_id *ops;
	uint32_t *position; /* by op: in the schedule */
	bool *seen; /* by op: its channels belong to a group that was looked at */
};
bool tn_channel_readers_of(struct tn_edit *e, struct tn_channel_readers *out);

/* Is it such a convolution? Of int8, with constant weights whose zero is 0. */
bool tn_channels_is_conv(struct tn_edit *e, const struct tn_op *op);

/* The group of the channels that a convolution makes; false when somebody else sees them,
 * or an op mixes them. */
bool tn_channels_group(struct tn_edit *e, const struct tn_channel_readers *readers,
	struct tn_op *conv, struct tn_channels *c);

/* Which channels of the group can go, with what the sums are given for them in their
 * biases. False when none. */
bool tn_channels_find(struct tn_edit *e, struct tn_channels *c);

/* Takes them out of weights, biases, scales and shapes. */
void tn_channels_remove(struct tn_edit *e, struct tn_channels *c);

#endif
