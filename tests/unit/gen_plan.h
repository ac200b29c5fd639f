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

/* Ways to change a plan. What is right may become wrong, or stay right. */
enum gen_mutant {
	MUTANT_SHIFT, /* a tensor by a byte or by the alignment */
	MUTANT_MOVE, /* a tensor anywhere */
	MUTANT_SWAP, /* two tensors change places */
	MUTANT_SHORTEN, /* a tensor ends an op or two too early: another takes its place */
	MUTANT_OVERLAY, /* an output lies near an input of its op, in some variant */
	MUTANT_REORDER, /* two ops change places, or another order of all */
	MUTANT_VARIANT, /* the direction, or what is held */
	MUTANT_ELIDE, /* an op runs that did not, or the other way round */
	MUTANT_SCRATCH, /* another variant, its scratch near one of its operands */
	MUTANT_REGION, /* a tensor goes to another region */
	MUTANT_SHRINK, /* region, capacity or arena a byte smaller */
	MUTANT_BREAK, /* sizes, places of views, constants: what no plan of ours has */
	MUTANTS,
};

extern const char *const gen_mutant_names[MUTANTS];

void gen_plan_mutate(struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan,
	enum gen_mutant how);

/* One random change, those that overlap more likely, and now and then one that shrinks or
 * breaks. Many of the results are right, more are wrong. */
void gen_plan_change(struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan);

/* A copy of everything that gen_plan_change may change. */
void gen_plan_copy(struct tn_gen *gen, const struct tn_plan *from, struct tn_plan *to);

/* Positions [first, last] at which a root's bytes must be there, by tensor; -1 is before
 * all. */
void gen_plan_lives(const struct tn_graph *g, int64_t *first, int64_t *last);

/* The tensor whose bytes it has, and where in them. */
uint32_t gen_plan_root(const struct tn_graph *g, uint32_t id, int64_t *offset);

#endif
