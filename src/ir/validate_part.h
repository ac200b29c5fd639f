/* The parts of tn_validate; for ir/validate*.c only. */
#ifndef TN_IR_VALIDATE_PART_H
#define TN_IR_VALIDATE_PART_H

#include "ir/validate.h"

struct tn_check {
	const struct tn_graph *g;
	const struct tn_graph *file; /* the whole: holds the subgraphs that ops name */
	struct tn_diags *diags;
	struct tn_arena scratch;
	bool reported_before; /* the reader found errors: what follows from them is no news */
	bool bad; /* something is wrong, reported or not */
	bool nomem;

	/* by tensor */
	uint32_t *root; /* tensor that owns the storage; itself unless a view */
	int64_t *root_offset; /* bytes from the root's start; -1: not known */
};

/* An error at an op or tensor. */
void tn_check_error(struct tn_check *c, const char *rule, const char *pointer,
	const char *subject, const char *fmt, ...) TN_PRINTF(5, 6);

/* Views: fills root and root_offset. */
void tn_check_views(struct tn_check *c);
/* Schedule, producers, reads. Needs root; all ids must be in range. */
void tn_check_order(struct tn_check *c);
/* Arity, shapes of operands, references to subgraphs. */
void tn_check_op(struct tn_check *c, const struct tn_op *op);

#endif
