/* Plans for tests: a simple right one for a graph, and random changes of one. */
#ifndef TN_TESTS_GEN_PLAN_H
#define TN_TESTS_GEN_PLAN_H

#include "gen_graph.h"
#include "plan/plan.h"

/* First fit over lifetimes that are read off the schedule; no two living values share a
 * byte. One or two regions, the alignment and some gaps are random. */
void gen_plan(struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *out);

/* Puts views where their roots are, and makes regions and arena as large as needed. */
void gen_plan_settle(const struct tn_graph *g, struct tn_plan *plan);

/* One or two random changes: offsets moved by a byte or far, an output put near an input
 * of its op, buffers exchanged, another order, another variant, ops elided, scratch put
 * somewhere, regions shrunk. Many of the results are right, more are wrong. */
void gen_plan_change(struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan);

/* A copy of everything that gen_plan_change may change. */
void gen_plan_copy(struct tn_gen *gen, const struct tn_plan *from, struct tn_plan *to);

#endif
