/* A plan for a graph by the whole pipeline: analyses, proofs, problem, solver. */
#ifndef TN_TESTS_PLANNED_H
#define TN_TESTS_PLANNED_H

#include "base/diag.h"
#include "ir/graph.h"
#include "lower/lower.h"

/* Every failure ends the test. The plan lives in the arena. */
void planned(const struct tn_graph *g, enum tn_overlap_mode overlap, int64_t align,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_plan *out);

#endif
