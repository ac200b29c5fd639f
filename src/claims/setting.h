/* What a set of claims makes of the graph: where each root lies, which ops do not run, in
 * which order the others do. */
#ifndef TN_CLAIMS_SETTING_H
#define TN_CLAIMS_SETTING_H

#include "claims/claims.h"
#include "claims/loss.h"
#include "claims/model.h"

/* Bytes that no memory has: beyond, addresses in bits would not fit their type. */
#define TN_MEMORY_MAX ((int64_t)1 << 56)

enum tn_space_kind { SPACE_STORAGE, SPACE_ARENA };

/* Memory that nothing else is in: the storage of a root, or the arena of a plan. */
struct tn_space {
	enum tn_space_kind kind;
	uint32_t root; /* SPACE_STORAGE */
	uint32_t claim; /* SPACE_ARENA: position in the set */
	int64_t lo, hi; /* bits, half-open */
	int64_t base; /* address of bit 0 */
};

struct tn_site {
	uint32_t space;
	int64_t bit; /* in the space, of bit 0 of the root */
	uint32_t claim; /* position in the set of what placed it; TN_NONE: in its own */
	uint32_t tensor; /* that the claim names as the one that is placed */
	uint32_t on; /* tensor that it was placed on; TN_NONE: itself, or an arena */
};

enum tn_op_fate { FATE_RUNS, FATE_ELIDED, FATE_DROPPED };

struct tn_setting {
	const struct tn_model *m;
	const struct tn_claim *const *claims; /* the set */
	uint32_t n_claims;
	/* By tensor: whose site it has. Its root, except for a view that a plan has torn
	 * from it. */
	const uint32_t *site_of;
	struct tn_site *site; /* of roots and of views that are torn off */
	int64_t *tail; /* by site: bits behind its elements that are written with it */
	struct tn_space *spaces;
	uint32_t n_spaces;
	enum tn_op_fate *fate; /* by op */
	uint32_t *fate_claim; /* by op: position in the set */
	uint32_t *order; /* of the ops */
	bool has_order; /* a claim gave it */
	uint32_t order_claim;
	uint32_t twice; /* op that this order names again; or TN_NONE */
	/* A tensor that a claim puts where no memory reaches; it has been left where it
	 * was. */
	struct tn_beyond {
		uint32_t claim; /* TN_NONE: there is none */
		uint32_t tensor, on; /* on: TN_NONE: an arena */
		int64_t offset;
	} beyond;
	const char *contradiction; /* the claims cannot hold together; NULL: they can */
};

/* Losses that show without running go to `losses`, too. */
enum tn_status TN_MUST_CHECK tn_setting_init(struct tn_setting *s,
	const struct tn_model *m, const struct tn_claim *const *claims, uint32_t n_claims,
	struct tn_arena *arena, struct tn_losses *losses);

/* Address of a bit of the tensor's root. */
int64_t tn_setting_address(const struct tn_setting *s, uint32_t tensor, int64_t bit);

/* The space that the tensor lies in, and the bit in it. */
const struct tn_space *tn_setting_space(const struct tn_setting *s, uint32_t tensor);

/* Position in the set of the claim that placed the tensor's root, or TN_NONE. */
uint32_t tn_setting_claim_of(const struct tn_setting *s, uint32_t tensor);

bool tn_claim_is(const struct tn_claim *c, const char *kind);

/* The static checks: setting_check.c */
enum tn_status TN_MUST_CHECK tn_setting_check(
	const struct tn_setting *s, struct tn_arena *arena, struct tn_losses *losses);

#endif
