/* The obvious judge of a plan, to compare the verifier with: memory as an array of bytes,
 * each with the value byte that it holds; the graph run in memory without sharing says
 * what every read must find; the kernels' steps are executed for every op, two invocations
 * one after the other. Slow, and short on purpose. */
#ifndef TN_TESTS_SIM_PLAN_H
#define TN_TESTS_SIM_PLAN_H

#include <stdbool.h>

#include "ir/graph.h"
#include "plan/plan.h"

/* Is the plan right? `exact`: look only at the bytes of a strided tensor's elements and
 * not at what lies between them. *out_why says what was wrong first. */
bool sim_accepts(const struct tn_graph *g, const struct tn_plan *plan, bool exact,
	const char **out_why);

#endif
