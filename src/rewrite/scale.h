/* A scale and a shift by constants, channel by channel, and the float layers that can take
 * them. For rewrite/ only. */
#ifndef TN_REWRITE_SCALE_H
#define TN_REWRITE_SCALE_H

#include "rewrite/edit.h"

/* x * factor + offset, by channel. */
struct tn_scaling {
	int64_t channels;
	float *factor, *offset;
};

/* May the op be one: a batch norm, or a product, sum or difference with a constant? */
bool tn_scaling_is(struct tn_edit *e, const struct tn_op *op);

/* What such an op does to operand 0, which has as many channels. NULL: *out is set; else
 * why it is no scaling of channels. */
const char *tn_scaling_of(struct tn_edit *e, const struct tn_op *op, int64_t channels,
	struct tn_scaling *out);

/* Is the op a float layer? Are its weights float constants (bias: may be NULL)? */
bool tn_scaling_takes(struct tn_edit *e, const struct tn_op *op);
bool tn_scaling_weights(
	const struct tn_tensor *filter, const struct tn_tensor *bias, int64_t outputs);

/* What no layer before it takes: into the only layer that reads it. */
void tn_scaling_ahead(struct tn_edit *e);

#endif
