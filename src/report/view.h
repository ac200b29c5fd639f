/* What reports look at: everything that the stages have found out about one file, read
 * only. The driver fills it; a report takes what it needs and does without what is NULL. */
#ifndef TN_REPORT_VIEW_H
#define TN_REPORT_VIEW_H

#include <stdbool.h>

#include "analysis/alias.h"
#include "analysis/liveness.h"
#include "analysis/order.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "board/board.h"
#include "claims/claims.h"
#include "inplace/inplace.h"
#include "ir/graph.h"
#include "plan/plan.h"
#include "rewrite/rewrite.h"

/* What is said about a rule where a format has room for it (SARIF, JUnit). */
struct tn_view_rule {
	const char *id; /* family/what */
	const char *summary; /* one sentence */
	const char *help; /* how to fix it; NULL: nothing more to say */
	enum tn_severity severity;
};

/* One way in which the graph was executed, and whether every activation was the same. */
struct tn_view_run {
	const char *target; /* "executor", "host", "cortex-m4" */
	const char *options; /* of the compiler; "" */
	bool shared; /* over the plan; else every tensor in memory of its own */
	bool same; /* nothing differs and nothing failed */
	const char *verdict; /* "same", "differs at ..." */
	uint32_t compared; /* activations */
};

/* The digest of an activation, the same wherever it was computed. */
struct tn_view_digest {
	tn_tensor_id tensor;
	uint32_t run; /* invocation, from 0 */
	uint64_t digest;
};

/* A finding that somebody has looked at and accepted: told, never counted. */
struct tn_view_suppressed {
	struct tn_diag diag;
	const char *reason;
	bool in_source; /* the graph's file says so, not a configuration */
};

struct tn_view {
	const char *file; /* as the user gave it; NULL: the graph's source says */
	const struct tn_graph *g; /* NULL: the file could not be read; only diags then */
	const struct tn_order *order; /* NULL: the order that the graph gives */
	const struct tn_aliases *aliases; /* NULL: every tensor has its own storage */
	const struct tn_liveness *live; /* NULL: the plan's lifetimes, or nothing */
	const struct tn_claims *claims; /* NULL: none were judged */
	const struct tn_inplace *inplace; /* NULL: no candidates were judged */
	const struct tn_plan *plan; /* NULL: nothing was planned */
	const struct tn_rewrites *rewrites; /* NULL: the graph is as it was read */
	const struct tn_diags *diags; /* NULL: none. Views may share one */
	enum tn_severity fail_on; /* findings of this level and above fail */

	const struct tn_view_suppressed *suppressed;
	size_t n_suppressed;

	/* The verifier's word on the plan. Not verified and no refusal: nobody has
	 * looked, and no report may make that plan look good. */
	bool verified;
	const char *refusal;

	const struct tn_board *board; /* what it is for; NULL: nobody said */
	int64_t budget; /* bytes that the plan may take in all; 0: nobody said */
	const struct tn_view *disjoint; /* the same graph planned without any overlap, for
	                                   comparison; NULL: not made */
	const struct tn_view_run *runs; /* the graph was executed; NULL: it was not */
	size_t n_runs;
	const struct tn_view_digest *digests; /* of the activations, in their order */
	size_t n_digests;

	const char *version; /* of this program; NULL: left out (goldens) */

	const struct tn_view_rule *rules; /* in the packs' order; may be NULL */
	size_t n_rules;
};

/* The name that messages use for the view's file; never NULL. */
const char *tn_view_file(const struct tn_view *v);

/* The file's name without its folder: for pictures and plans, which shall not depend on
 * where the file lies. */
const char *tn_view_name(const struct tn_view *v);

/* The op that runs at a position, and where an op runs. */
tn_op_id tn_view_op_at(const struct tn_view *v, uint32_t position);
uint32_t tn_view_position(const struct tn_view *v, tn_op_id op);

/* Root and byte range of a tensor; itself when no aliases are known. */
struct tn_alias tn_view_alias(const struct tn_view *v, tn_tensor_id id);

/* Does nothing run at this op? */
bool tn_view_elided(const struct tn_view *v, tn_op_id op);

/* The candidates of an op, neighbours in the list; NULL and 0 when there are none. */
const struct tn_candidate *tn_view_candidates(
	const struct tn_view *v, tn_op_id op, size_t *out_n);

#endif
