/* Makes rejected claims legal: claim after claim, in the order of the graph, joins those
 * that hold; one that would be rejected is changed by the cheapest remedy that a memory
 * plan can express, or given up. When a copy is the cheapest, the graph has to change
 * first: it is asked for. */
#ifndef TN_CLAIMS_REPAIR_H
#define TN_CLAIMS_REPAIR_H

#include "claims/claims.h"
#include "contract/contract.h"

struct tn_repair_step {
	uint32_t claim; /* index into g->claims */
	const char *hazard; /* what it was rejected for; NULL: it could not be judged */
	struct tn_claim_remedy remedy;
};

/* Memory that tensors share because claims say so, or the arena of a plan. */
struct tn_repair_space {
	int64_t lo, hi; /* bytes, half-open */
	bool arena;
};

/* Where the claims that are left have the tensors. */
struct tn_repair {
	const struct tn_repair_step *steps; /* what was changed */
	size_t n_steps;
	uint32_t n_held; /* claims that hold as they are */
	struct tn_claim_copy *copies; /* not NULL: nothing below is filled in; to be
	                    repeated with the graph that has these copies. The last step
	                    is about them */
	uint32_t n_copies;
	struct tn_repair_space *spaces;
	uint32_t n_spaces;
	uint32_t *space; /* by tensor; TN_NONE: no storage of its own */
	int64_t *at; /* by tensor: byte in the space, of the first byte of its storage */
	uint32_t *order; /* of the ops */
	bool has_order; /* not that of the graph */
	bool *elided; /* by op */
	bool *has_variant; /* by op: a remedy needs this variant of the kernel */
	struct tn_variant *variant; /* by op */
};

/* What *out points to is in the arena. A plan that is rejected stays as it is: what lies
 * wrongly in it is for the planner to move. Without may_copy no copy is asked for. */
enum tn_status TN_MUST_CHECK tn_claims_repair(const struct tn_graph *g,
	const struct tn_claim_options *options, bool may_copy, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_repair *out);

#endif
