/* Names for losses: the decision table of docs/HAZARDS.md. */
#ifndef TN_CLAIMS_CLASSIFY_H
#define TN_CLAIMS_CLASSIFY_H

#include "claims/claims.h"
#include "claims/meaning.h"
#include "claims/setting.h"

struct tn_naming {
	const struct tn_model *m;
	const struct tn_meaning *meaning;
	const struct tn_setting *s;
	const struct tn_losses *losses;
	struct tn_arena *arena;
};

struct tn_named {
	enum tn_peril peril;
	int rank; /* the least is told first */
	uint32_t claim; /* position in the set of the one to blame; TN_NONE */
	bool direct; /* it has placed what is written */
	struct tn_claim_witness witness;
	const struct tn_loss *loss;
};

/* False: no memory. */
bool tn_classify(
	const struct tn_naming *n, const struct tn_loss *loss, struct tn_named *out);

/* What the loss means, in words. */
const char *tn_classify_why(const struct tn_naming *n, const struct tn_named *named);

#endif
