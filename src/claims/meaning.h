/* What the graph means: a run in its own order, with a storage for each root and kernels
 * that read all before they write. Claims change where values lie, never what an op should
 * read: that is what this run has read. */
#ifndef TN_CLAIMS_MEANING_H
#define TN_CLAIMS_MEANING_H

#include "claims/cells.h"
#include "claims/model.h"

#define MEANING_RUNS_MAX   4 /* invocations that are looked at */
#define MEANING_WORLDS_MAX 16 /* ways through branches that are looked at */

/* An op in one invocation of one world. Cells are those of the root's storage. */
struct tn_instance {
	bool active; /* runs in this world */
	struct tn_cells *before; /* by operand (inputs, then outputs): its contents */
	struct tn_cells *after; /* by output */
	struct tn_cells *updated; /* by input: state that the op leaves another way */
};

/* One way through the branches. */
struct tn_world {
	const bool *active; /* by op */
	const bool *const *mixed; /* by run, by op: instead; or NULL */
	struct tn_instance *instance[MEANING_RUNS_MAX]; /* by op */
	struct tn_cells *start[MEANING_RUNS_MAX]; /* by root: before the first op */
	struct tn_cells *end[MEANING_RUNS_MAX]; /* by root: after the last op */
};

/* Events of cells are ops, or EVENT_NONE for what was there at the start. */
struct tn_meaning {
	const struct tn_model *m;
	struct tn_world *worlds;
	uint32_t n_worlds;
	uint32_t runs; /* invocations */
	bool all_worlds; /* false: there were too many, and some were left out */
	int64_t pieces; /* ranges that contents consist of */
	bool too_large; /* there was more to do than is allowed, and the rest is not there */
};

/* Both: what is too large is TN_OK and says so. */
enum tn_status TN_MUST_CHECK tn_meaning_init(
	struct tn_meaning *meaning, const struct tn_model *m, struct tn_arena *arena);

/* The same with three runs that each take a way of their own through the branches: for what
 * must hold from run to run though no state carries it. */
enum tn_status TN_MUST_CHECK tn_meaning_init_mixed(
	struct tn_meaning *meaning, const struct tn_model *m, struct tn_arena *arena);

#endif
