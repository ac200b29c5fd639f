/* Ops that say the same in other words. For rewrite/ only. */
#ifndef TN_REWRITE_SYNONYM_H
#define TN_REWRITE_SYNONYM_H

#include "rewrite/edit.h"

/* Each looks at one living op with one output. */
void tn_synonym_clamp(struct tn_edit *e, struct tn_op *op);
void tn_synonym_product(struct tn_edit *e, struct tn_op *op);
void tn_synonym_mean(struct tn_edit *e, struct tn_op *op);

/* A MEAN over height and width of [batch, height, width, channels]. */
bool tn_synonym_is_global_mean(struct tn_edit *e, const struct tn_op *op);

/* The op's kind and its name. */
void tn_synonym_rename(struct tn_edit *e, struct tn_op *op, enum tn_op_kind kind);

#endif
