/* Repairs for `plan --repair`: of claims that are rejected, and of plans that are refused. */
#ifndef TN_DRIVER_REPAIR_H
#define TN_DRIVER_REPAIR_H

#include "claims/repair.h"
#include "driver/pipeline.h"

/* Moves or copies what the verifier refuses until it accepts: run->plan becomes one that is
 * verified, and what was changed is noted in run->diags. TN_ERR_REFUSED: it cannot be mended.
 * Needs the tables of STAGE_PROVE. */
enum tn_status TN_MUST_CHECK tn_repair_plan(struct tn_run *run);

/* A plan from the claims that are left: storages that they share, arenas as they are, all
 * else disjoint. Not verified. The tables must be those of the repair's order. */
enum tn_status TN_MUST_CHECK tn_repair_layout(
	struct tn_run *run, const struct tn_repair *repair, struct tn_plan *out);

/* The tables for the order of the repair, NULL: the graph's, with so many copies behind its
 * ops. */
enum tn_status TN_MUST_CHECK tn_repair_tables(
	struct tn_run *run, const struct tn_repair *repair, uint32_t n_copies);

/* Gives ops copies of what they destroy and others still need, in the order that
 * tn_repair_order finds: run->graph, run->spared. run->unspared is the graph before. */
enum tn_status TN_MUST_CHECK tn_repair_spare(struct tn_run *run);

/* All of it: the claims of the graph, or the plan that --plan names. After
 * tn_pipeline(STAGE_PLAN). */
enum tn_status TN_MUST_CHECK tn_repair_run(struct tn_run *run);

/* Ops that destroy an input, moved behind those that still read it. Has any been? */
bool tn_repair_order(const struct tn_graph *g, uint32_t *order);

#endif
