/* Which of the ops that need not run are left out. */
#ifndef TN_LOWER_CHOOSE_H
#define TN_LOWER_CHOOSE_H

#include "lower/lower.h"

/* Everything that depends on which ops are left out. */
struct tn_choice {
	struct tn_aliases aliases;
	struct tn_liveness live;
	struct tn_inplace inplace;
	struct tn_lowered lowered;
	struct tn_solution solution; /* its bound holds for every choice that was tried */
};

/* Leaves out what makes memory smallest; of two choices that need the same bytes the one
 * with fewer copies. Not all choices are tried: all that is legal, none, and from the
 * better of these op by op, as long as that helps. Deterministic unless the limits name a
 * time. */
enum tn_status TN_MUST_CHECK tn_choose(const struct tn_graph *g,
	const struct tn_order *order, const struct tn_lower_options *options,
	const struct tn_limits *limits, struct tn_arena *arena, struct tn_diags *diags,
	struct tn_choice *out);

#endif
