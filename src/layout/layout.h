/* What a plan may say at all, and what its places come to: everything that shows without
 * running it. Knows no values: whether each read finds what it needs is the verifier's to
 * say. */
#ifndef TN_LAYOUT_LAYOUT_H
#define TN_LAYOUT_LAYOUT_H

#include "base/arena.h"
#include "contract/operand.h"
#include "plan/plan.h"
#include "verdict/verdict.h"

struct tn_layout {
	const struct tn_graph *g;
	const struct tn_plan *plan; /* of as many tensors and ops */
	const struct tn_storage *storage;
	const struct tn_operands *operands; /* by op */
	const struct tn_refusals *refusals;
	struct tn_arena *arena;
	uint32_t *position; /* by op: in the plan's order; filled by tn_layout_check */
};

/* Ranges, alignment, capacities, places, pins, the order, chains and rings. When nothing is
 * refused, each operand has a place in a region that exists, and the order is a permutation.
 * False when memory ran out. */
bool TN_MUST_CHECK tn_layout_check(struct tn_layout *l);

/* Of a plan in which all that lasts is where it should be. The caller may write into what it
 * is given: an output shares bytes neither with another one nor with what lasts, whatever
 * values are there, unless the graph itself makes them one storage. False when memory ran
 * out. */
bool TN_MUST_CHECK tn_layout_owners(const struct tn_layout *l);

/* Is there a kernel for the op as the plan wants it to run? That it has scratch enough is
 * asked as well, and not told here. */
bool tn_layout_variant(const struct tn_layout *l, uint32_t op);

/* The kernel variant that the plan names for the op. */
struct tn_variant tn_layout_variant_of(const struct tn_plan_op *p);

/* What the places come to. False when memory ran out. */
bool TN_MUST_CHECK tn_layout_figures(const struct tn_layout *l, struct tn_figures *out);

#endif
