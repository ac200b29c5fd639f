/* A graph, made ready to try sets of claims on; for claims/ only. */
#ifndef TN_CLAIMS_COURT_H
#define TN_CLAIMS_COURT_H

#include "claims/classify.h"
#include "claims/run.h"

struct tn_court {
	const struct tn_graph *g;
	struct tn_claim_options options;
	struct tn_arena *arena; /* of the court */
	struct tn_model model;
	struct tn_meaning meaning;
	bool has_baseline;
	struct tn_losses baseline; /* what goes wrong without any claim */
	bool *told; /* by op: what its writes destroy has been told already. Not NULL: the
	               graph's own word is what is judged, when there are no claims */
};

/* What came of a set. */
struct tn_trial {
	enum tn_claim_result result;
	const char *why; /* unproved, or what the graph itself does wrong; or NULL */
	struct tn_named worst; /* when rejected */
	struct tn_setting setting;
	struct tn_losses losses;
};

enum tn_status TN_MUST_CHECK tn_court_init(struct tn_court *c, const struct tn_graph *g,
	const struct tn_claim_options *options, struct tn_arena *arena,
	struct tn_diags *diags);

/* Tries a set of claims, with a change (or NULL). What *out points to is in the arena. */
enum tn_status TN_MUST_CHECK tn_court_try(struct tn_court *c,
	const struct tn_claim *const *claims, uint32_t n,
	const struct tn_run_change *change, struct tn_arena *arena, struct tn_trial *out);

/* const_fold claims: a folded tensor must be the same whenever it is read; or there are too
 * many reads to tell. fold.c */
enum tn_status TN_MUST_CHECK tn_fold_check(const struct tn_court *c,
	const struct tn_setting *s, struct tn_arena *arena, struct tn_losses *losses,
	bool *too_large);

/* A tensor that lies in storage that one branch makes and others use. */
struct tn_stray {
	uint32_t tensor; /* that is placed */
	uint32_t on; /* whose storage it uses */
	uint32_t branch; /* that makes it */
	uint32_t reader; /* op outside of the branch */
};

/* The first that a claim from position *claim on makes; false: there is none. */
bool tn_court_stray(const struct tn_court *c, const struct tn_setting *s, uint32_t *claim,
	struct tn_stray *out);

/* An input and an output of one op that meet because claims have placed them. */
struct tn_overlap {
	uint32_t op, input, output;
	int64_t distance; /* bytes: input start - output start */
};
bool tn_court_overlap(const struct tn_court *c, const struct tn_setting *s, uint32_t op,
	struct tn_overlap *out);

/* The next op from *op on that overlaps its own operands though nobody has declared its
 * kernel to allow that: a sentence; NULL when *op reaches the end, or without memory.
 * foreign.c */
const char *tn_court_undeclared(const struct tn_court *c, const struct tn_setting *s,
	uint32_t *op, struct tn_arena *arena);

/* What a verdict says beside result and witness: advice.c and remedy.c */
enum tn_status TN_MUST_CHECK tn_court_advise(struct tn_court *c,
	const struct tn_claim *const *claims, uint32_t n, struct tn_trial *trial,
	struct tn_arena *scratch, struct tn_arena *arena, struct tn_claim_verdict *out);
enum tn_status TN_MUST_CHECK tn_court_remedies(struct tn_court *c,
	const struct tn_claim *const *claims, uint32_t n, struct tn_trial *trial,
	struct tn_arena *scratch, struct tn_arena *arena, struct tn_claim_verdict *out);

#endif
