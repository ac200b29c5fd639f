/* Judges claims: what a runtime, a compiler or a person decided about the memory of a
 * graph (struct tn_claim). A set of claims is applied to the graph, which is then executed
 * symbolically, element by element in the order of each kernel's steps; for every bit of
 * memory it is known which value lies there. The set is proved when every read finds what
 * it finds without the claims and nothing that others own has changed.
 *
 * A judgement rests on the kernel facts of the graph (attributes of ops) and on the
 * meaning of op types; an op whose type nothing defines reads all inputs for each element
 * of its output. */
#ifndef TN_CLAIMS_CLAIMS_H
#define TN_CLAIMS_CLAIMS_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "ir/graph.h"

enum tn_peril {
	PERIL_NONE,
#define PERIL(id, name, group, rule) id,
#include "claims/perils.def"
#undef PERIL
	PERIL_COUNT
};

/* "RAW", "order", "hazard/raw"; NULL for PERIL_NONE. */
const char *tn_peril_name(enum tn_peril peril);
const char *tn_peril_group(enum tn_peril peril);
const char *tn_peril_rule(enum tn_peril peril);

enum tn_profile {
	PROFILE_INFERENCE,
	PROFILE_TRAINING, /* backward reads what autograd.def says that it saves */
};

enum tn_execution {
	EXECUTION_SEQUENTIAL, /* unless the graph says parallel */
	EXECUTION_PARALLEL, /* only dependences order the ops */
};

/* When the storage that claims place tensors on comes to be. */
enum tn_allocation {
	ALLOCATION_STATIC, /* before the run: an arena, or above all branches */
	ALLOCATION_AT_OWNER, /* where its owner is produced, be it in a branch */
};

struct tn_declared;

struct tn_said_variant;

struct tn_claim_options {
	const struct tn_declared *declared; /* contracts of other kernels; or NULL */
	const struct tn_said_variant *said; /* by op of the graph; or NULL */
	enum tn_profile profile;
	enum tn_execution execution;
	enum tn_allocation allocation;
};

enum tn_actor_kind {
	ACTOR_NONE,
	ACTOR_OP,
	ACTOR_CALLER, /* of the graph */
	ACTOR_OBSERVER, /* who wants an observed tensor */
	ACTOR_NEXT_RUN,
	ACTOR_BACKWARD, /* of `op` */
	ACTOR_ALLOCATION, /* of a storage, in a branch */
};

struct tn_actor {
	enum tn_actor_kind kind;
	tn_op_id op; /* TN_NONE unless ACTOR_OP or ACTOR_BACKWARD */
	const char *name; /* "relu", "caller", "next run"; NULL for ACTOR_NONE */
};

struct tn_claim_witness {
	struct tn_actor writer; /* whose write destroys; ACTOR_NONE: nobody writes */
	tn_tensor_id victim; /* what is destroyed; TN_NONE: scratch without a tensor */
	struct tn_actor reader; /* who misses it; ACTOR_NONE: the bytes are not there */
	int64_t begin, end; /* bytes in the victim's root storage, or in the arena of a
	                       plan; half-open; -1, -1: not about bytes */
	tn_tensor_id other; /* what was written there, or shares it; or TN_NONE */
	int64_t need, have; /* bytes; -1: not about sizes */
	int64_t align; /* bytes; -1: not about alignment */
	uint32_t invocation; /* from 1: of the read */
};

struct tn_claim_remedy {
	const char *kind; /* "out_of_place", "other_operand", ... */
	const char *text;
	int64_t bytes; /* what it costs in memory */
};

/* An op copies the tensor before two others run; one of them, the reader, reads the copy. */
struct tn_claim_copy {
	uint32_t tensor, before, reader;
};

enum tn_claim_result { CLAIM_PROVED, CLAIM_REJECTED, CLAIM_UNPROVED };

struct tn_claim_verdict {
	enum tn_claim_result result;
	enum tn_peril peril; /* PERIL_NONE unless rejected */
	const char *hazard; /* its name, or NULL */
	struct tn_claim_witness witness; /* of a rejected set */
	int64_t saves_bytes; /* memory that the set makes needless; 0 unless proved */
	const char *why; /* one sentence; never NULL */
	const struct tn_claim_remedy
		*remedies; /* cheapest first; each was judged to work,
	                                           unless the graph itself must change */
	size_t n_remedies;
	const char *const *assumptions; /* what the judgement rests on */
	size_t n_assumptions;
	const char *const *notes; /* no hazard, but waste */
	size_t n_notes;
};

/* Judges the claims with these indices (into g->claims) as one set. All that *out points
 * to is in the arena or in the graph. The graph need not have passed tn_validate, but
 * its views must resolve: TN_ERR_INPUT, reported, when they do not or when an index is
 * wrong. options may be NULL: inference, sequential, static. */
enum tn_status TN_MUST_CHECK tn_claims_judge(const struct tn_graph *g,
	const uint32_t *claims, uint32_t n_claims, const struct tn_claim_options *options,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_claim_verdict *out);

/* Several claims, judged together. */
struct tn_claim_set {
	const uint32_t *claims; /* indices, ascending */
	uint32_t n;
	struct tn_claim_verdict verdict;
};

#define TN_CLAIMS_ALL_SETS 5 /* up to so many claims, all their sets are judged */

struct tn_claims {
	struct tn_claim_verdict *each; /* by claim */
	uint32_t n;
	struct tn_claim_set
		*sets; /* of two claims and more, small ones first; all last */
	uint32_t n_sets;
	/* what the graph itself lets ops write over: in training, of ops that say that they
	 * work in place; else what is lost by that, one for each op to blame, unless a claim
	 * was rejected for it */
	struct tn_claim_verdict *graph;
	uint32_t n_graph;
};

/* Each claim of the graph alone, and together: claims may be alternatives, so when they are
 * few every set of them is judged, else only all. */
enum tn_status TN_MUST_CHECK tn_claims_judge_all(const struct tn_graph *g,
	const struct tn_claim_options *options, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_claims *out);

/* Findings: an error for each rejected claim, a warning for each that is unproved, a note
 * for waste. The joint verdict is a finding when the claims are right one by one. */
void tn_claims_report(
	const struct tn_graph *g, const struct tn_claims *claims, struct tn_diags *diags);

void tn_claims_print(
	const struct tn_graph *g, const struct tn_claims *claims, struct tn_strbuf *out);

/* "proved", "rejected", "unproved" */
const char *tn_claim_result_name(enum tn_claim_result result);

#endif
