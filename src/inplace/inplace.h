/* Candidates and proofs: may an op write its output over one of its inputs? Every
 * candidate (op, input, output) gets a verdict; a rejected one names the obligation that
 * failed and a witness. The obligations (DESIGN, "Proof of a candidate"):
 *   O1 no later reader of the bytes, through any alias
 *   O2 the storage may be written: no constant, preserved input, state, output, observed
 *   O3 the displacement is within the contract of a kernel that exists
 *   O4 size and width fit: the output is not larger than what it replaces
 *   O5 no other claimant of the same bytes
 *   O6 scratch is disjoint from all that the op touches
 *   O7 in training nothing that backward has saved is destroyed */
#ifndef TN_INPLACE_INPLACE_H
#define TN_INPLACE_INPLACE_H

#include "analysis/alias.h"
#include "analysis/liveness.h"
#include "analysis/order.h"
#include "contract/contract.h"

enum tn_verdict_kind { VERDICT_PROVED, VERDICT_REJECTED };

enum tn_obligation {
	OBLIGATION_NONE,
	OBLIGATION_O1,
	OBLIGATION_O2,
	OBLIGATION_O3,
	OBLIGATION_O4,
	OBLIGATION_O5,
	OBLIGATION_O6,
	OBLIGATION_O7,
};

struct tn_witness {
	tn_op_id writer; /* the op whose write destroys */
	tn_tensor_id victim; /* the value destroyed */
	tn_op_id reader; /* who would read it; TN_NONE: the caller */
	int64_t begin, end; /* bytes of the victim's root */
};

struct tn_candidate {
	tn_op_id op;
	uint32_t input, output; /* operand indices */
	tn_tensor_id in, out;
	enum tn_verdict_kind verdict; /* of: output exactly where the input starts */
	enum tn_obligation failed;
	const char *hazard; /* "RAW", "INPUT_WRITE", ...; NULL when proved */
	struct tn_witness witness;
	int64_t saves_bytes; /* by writing in place; by the best overlap when only that is
	                        proved; 0 when neither */

	/* Overlap at a displacement, a weaker wish than in place. */
	bool may_overlap; /* O1 and O2 hold and some variant has a finite d */
	bool elided; /* the op hands bytes on: nothing runs at all */
	bool no_copy; /* the verdict is not about writing in place: need this
	                              op, which only hands bytes on, run at all? It runs */
	bool declined; /* it need not, but then memory would be larger */
	uint32_t n_variants; /* without those that have a buffer */
	struct tn_variant variant[TN_VARIANTS_MAX];
	int64_t d[TN_VARIANTS_MAX]; /* by variant: tn_contract_displacement */
	uint32_t best; /* the variant with the least span of both */

	/* In place through a buffer, when no variant above writes in place: the one with
	 * the least scratch. */
	struct tn_variant buffered;
	int64_t buffer_bytes; /* its scratch; 0: there is none */
};

struct tn_inplace {
	struct tn_candidate *list; /* in execution order, then by operand */
	size_t n;
};

enum tn_status TN_MUST_CHECK tn_inplace_judge(const struct tn_graph *g,
	const struct tn_order *order, const struct tn_aliases *aliases,
	const struct tn_liveness *live, struct tn_arena *arena, struct tn_inplace *out);

/* The same with every input taken to die at the op: what another order may allow. */
enum tn_status TN_MUST_CHECK tn_inplace_possible(const struct tn_graph *g,
	const struct tn_order *order, const struct tn_aliases *aliases,
	const struct tn_liveness *live, struct tn_arena *arena, struct tn_inplace *out);

void tn_inplace_print(const struct tn_graph *g, const struct tn_inplace *inplace,
	struct tn_strbuf *out);

/* "O1" and what it says, for messages. */
const char *tn_obligation_name(enum tn_obligation o);
const char *tn_obligation_text(enum tn_obligation o);

/* Least bytes that input and output need together under an ascending displacement rule
 * d, and under the rule of a variant: the output of a descending one is what lies above. */
int64_t tn_overlap_span(int64_t in_bytes, int64_t out_bytes, int64_t d);
int64_t tn_variant_span(
	int64_t in_bytes, int64_t out_bytes, int64_t d, struct tn_variant v);

#endif
