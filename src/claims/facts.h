/* What the name and the witness of a loss are decided by; for claims/classify.c and
 * claims/witness.c. */
#ifndef TN_CLAIMS_FACTS_H
#define TN_CLAIMS_FACTS_H

#include "claims/classify.h"

struct tn_facts {
	const struct tn_naming *n;
	const struct tn_model *m;
	const struct tn_graph *g;
	const struct tn_setting *s;
	const struct tn_loss *l;
	uint32_t victim, written; /* tensors; TN_NONE */
	uint32_t claim_victim, claim_written; /* that placed them; TN_NONE */
	uint32_t claim; /* to blame; TN_NONE */
	uint32_t dropped; /* op that should have written; TN_NONE */
};

/* Does the tensor have bits in this range of addresses? */
bool tn_facts_lies_in(
	const struct tn_facts *f, uint32_t tensor, int64_t begin, int64_t end);

/* Does the op have an operand with elements in this tensor's storage? */
bool tn_facts_op_reads(const struct tn_facts *f, uint32_t op, uint32_t tensor);

/* Is the tensor given to the caller by an op in the middle of the graph? */
bool tn_facts_escapes(const struct tn_facts *f, uint32_t tensor);

void tn_facts_witness(
	const struct tn_facts *f, enum tn_peril peril, struct tn_claim_witness *out);

#endif
