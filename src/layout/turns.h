/* The events of a chain, one after the other: which rows of which op run next. They are the
 * rows of its ops and of the input that arrives, in order, each once. */
#ifndef TN_LAYOUT_TURNS_H
#define TN_LAYOUT_TURNS_H

#include "contract/row_op.h"
#include "layout/layout.h"

struct tn_turns {
	const struct tn_layout *l;
	const struct tn_plan_stream *s;
	struct tn_row_op *rows; /* by op of the chain */
	int64_t *done; /* rows, by op of the chain */
	int64_t given; /* rows, by the caller */
	uint32_t loop, event; /* that comes next */
	int64_t pass;
};

struct tn_turn {
	uint32_t op; /* or TN_PLAN_CALLER */
	int64_t begin, end; /* rows */
	bool total; /* it adds up: contract/row_op.h */
	bool first; /* of its op */
};

/* False when memory ran out. */
bool TN_MUST_CHECK tn_turns_init(
	struct tn_turns *t, const struct tn_layout *l, const struct tn_plan_stream *s);

/* Does op i of the chain run row by row, in a variant that writes what it has read?
 * `tangled`: the graph itself has it read and write the same bytes. All must have been
 * admitted before the first turn. */
bool tn_turns_admit(struct tn_turns *t, uint32_t i, bool tangled);

/* The next turn. False at the end; then *out_ok says whether all rows have had theirs. */
bool tn_turns_next(struct tn_turns *t, struct tn_turn *out, bool *out_ok);

#endif
