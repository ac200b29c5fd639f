/* The list of stages, in plain sight: tn_pipeline calls them one after the other. */
#ifndef TN_DRIVER_PIPELINE_H
#define TN_DRIVER_PIPELINE_H

#include "analysis/alias.h"
#include "analysis/hazards.h"
#include "analysis/liveness.h"
#include "analysis/order.h"
#include "base/arena.h"
#include "base/diag.h"
#include "base/intern.h"
#include "base/strbuf.h"
#include "claims/claims.h"
#include "inplace/inplace.h"
#include "ir/excuse.h"
#include "ir/graph.h"
#include "lower/lower.h"
#include "lower/place.h"
#include "plan/plan.h"
#include "report/view.h"
#include "rewrite/rewrite.h"
#include "tenure/tenure.h"
#include "verify/verify.h"

/* How far a command needs to go. Graphs are rewritten by default where they are planned. */
enum tn_stage { STAGE_IMPORT, STAGE_PROVE, STAGE_PLAN };

/* One graph on its way: every stage's result, each written once by its stage. */
struct tn_run {
	const tenure_options *options;
	struct tn_arena arena; /* all of this run */
	struct tn_strings strings;
	struct tn_diags diags;
	struct tn_strbuf dumps; /* what --dump asked for */

	const char *plan_file; /* its plan is used; NULL: one of our own */
	struct tn_source *plan_source; /* its text; NULL: it is still to be read */
	struct tn_plan_file
		*plan_parsed; /* closed when the plan is read, or at the end */
	struct tn_source *source;
	struct tn_excuses excuses; /* of the file */
	TN_VEC(struct tn_view_suppressed) suppressed; /* what was taken out of diags */
	struct tn_graph read; /* as it is in the file; its arrays are shared */
	struct tn_graph graph; /* rewritten, when a rewrite was asked for */
	struct tn_rewrites rewrites;
	struct tn_graph unspared; /* with --repair: before ops got copies of what they
	                             destroy, `spared` */
	struct tn_plan_copy *spared;
	uint32_t n_spared;
	struct tn_order order;
	struct tn_aliases aliases;
	struct tn_liveness live;
	struct tn_hazards hazards;
	struct tn_inplace inplace;
	struct tn_claims claims; /* of tn_pipeline_claims */
	struct tn_memories memories; /* none: one without limit */
	struct tn_lowered lowered;
	struct tn_solution solution;
	struct tn_placed placed; /* instead of the two, with memories */
	struct tn_plan plan;
	struct tn_verdict verdict;
	bool judged, planned, verified;
	bool chains_tried; /* a plan with chains row by row was tried for this one... */
	int64_t chains_bytes; /* ... and its arena has so many; INT64_MAX: none was found */
	const char *ram_from, *flash_from; /* set before: what gave the budgets; NULL: the
					      options */
	bool only_graphs; /* set before: a file that is no graph that can be read is
	                     skipped without a word */
	bool skipped; /* that is what happened; the status is TN_ERR_INPUT */
	bool target_is_budget; /* set before: --target gives the plan no regions */
	bool keep_claims; /* set before: a graph with claims is not rewritten unless
	                     --rewrite says so, for they speak of the file's ops */
	bool synthetic; /* --synthetic replaced something: values are not the model's */
};

void tn_run_init(struct tn_run *run, const tenure_options *options);
void tn_run_release(struct tn_run *run);

/* Runs the stages up to and including `last` on the file. Diagnostics are in run->diags
 * whatever the result. A plan of our own is verified before anybody sees it. */
enum tn_status TN_MUST_CHECK tn_pipeline(
	struct tn_run *run, const char *file, enum tn_stage last);

/* Reads the graph's file: run->source, which tn_pipeline then takes. Says of a folder what can
 * be done with it. */
enum tn_status TN_MUST_CHECK tn_pipeline_source(struct tn_run *run, const char *file);

/* From a graph that has been read to a plan, or to TN_ERR_REFUSED when it does not fit,
 * which is not reported: what tn_pipeline does between reading and verifying. */
enum tn_status TN_MUST_CHECK tn_pipeline_solve(struct tn_run *run);

/* The stage that rewrites: by --rewrite, by the plan's list, else by this list. */
enum tn_status TN_MUST_CHECK tn_pipeline_rewrite(struct tn_run *run, const char *list);

/* Judges the claims that the file carries, after tn_pipeline, whose status it takes. They
 * may be about what makes the graph itself wrong (a size that is not known), so they are
 * judged as long as there is a graph at all. */
enum tn_status TN_MUST_CHECK tn_pipeline_claims(
	struct tn_run *run, enum tn_status status);

/* Which ops need not run, in the order of run->order. */
enum tn_status TN_MUST_CHECK tn_pipeline_alias(struct tn_run *run);

/* Once more the tables of STAGE_PROVE, for a graph whose schedule has changed. */
enum tn_status TN_MUST_CHECK tn_pipeline_tables(struct tn_run *run);

/* The exit status for a stage's status and what was reported. */
int tn_exit_status(const struct tn_run *run, enum tn_status status);

/* What makes a command fail. */
enum tn_severity tn_fail_on(const tenure_options *options);

#endif
