/* Remedies of a rejected set; for claims/remedy*.c and claims/repair.c. */
#ifndef TN_CLAIMS_REMEDY_H
#define TN_CLAIMS_REMEDY_H

#include "claims/court.h"

/* A remedy, and what it changes. All that it points to is in the scratch of the trial,
 * except for what is said. */
struct tn_fix {
	struct tn_claim_remedy say;
	bool drops; /* the blamed claim is given up */
	const struct tn_claim *with; /* stands for the claim at `at`; NULL: none does */
	uint32_t at; /* position in the set */
	const struct tn_claim *more; /* joins the set; or NULL */
	bool changes; /* the graph is another then */
	const struct tn_claim_copy *copies; /* that are inserted */
	uint32_t n_copies;
	uint32_t op; /* runs `kernel` instead of its own; TN_NONE */
	struct tn_kernel kernel;
};

struct tn_remedies {
	struct tn_court *c;
	const struct tn_graph *g;
	const struct tn_model *m;
	const struct tn_claim *const *claims;
	uint32_t n;
	const struct tn_trial *trial;
	uint32_t blamed; /* position in the set */
	struct tn_arena *scratch; /* of the trial */
	struct tn_arena *arena; /* of the verdict */
	TN_VEC(struct tn_fix) list;
	enum tn_status status;
};

/* Finds the fixes of a rejected trial, the cheapest first. */
enum tn_status TN_MUST_CHECK tn_remedies_find(struct tn_remedies *r, struct tn_court *c,
	const struct tn_claim *const *claims, uint32_t n, const struct tn_trial *trial,
	struct tn_arena *scratch, struct tn_arena *arena);

/* Its parts. */
void tn_remedy_kernel(struct tn_remedies *r);
void tn_remedy_offset(struct tn_remedies *r);
void tn_remedy_base(struct tn_remedies *r);
void tn_remedy_scratch(struct tn_remedies *r);

/* A remedy of that kind; the fix is changed by the caller. text NULL: no memory. */
struct tn_fix *tn_remedy_add(
	struct tn_remedies *r, const char *kind, int64_t bytes, const char *text);

/* Is the set proved? With a change, or NULL. */
bool tn_remedy_proves(struct tn_remedies *r, const struct tn_claim *const *claims,
	uint32_t n, const struct tn_run_change *change);

/* The set with one claim replaced (or, when `with` is NULL, left out), and perhaps one
 * more. */
bool tn_remedy_proves_with(struct tn_remedies *r, uint32_t at,
	const struct tn_claim *with, const struct tn_claim *more);

/* Bytes that the tensor's elements lie between. */
int64_t tn_remedy_bytes(const struct tn_remedies *r, uint32_t tensor);

#endif
