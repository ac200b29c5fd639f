/* Inside verify/: what its parts share. */
#ifndef TN_VERIFY_CHECK_H
#define TN_VERIFY_CHECK_H

#include "verify/reference.h"
#include "verify/verify.h"

struct tn_check {
	const struct tn_graph *g;
	const struct tn_plan *plan;
	struct tn_reference ref;
	struct tn_arena *arena;
	struct tn_diags *diags;
	struct tn_verdict *out;
};

/* Reports one refusal, at its op, else at its tensor. */
void tn_check_refuse(struct tn_check *c, const struct tn_verdict *v, const char *fmt, ...)
	TN_PRINTF(3, 4);

/* What can be said of the plan without running anything: ranges, alignment, places, the
 * order. False when memory ran out. */
bool tn_check_layout(struct tn_check *c);

#endif
