/* Inside verify/: the state of a verification, and what its parts do. */
#ifndef TN_VERIFY_CHECK_H
#define TN_VERIFY_CHECK_H

#include "contract/contract.h"
#include "verify/reference.h"
#include "verify/verify.h"

struct tn_check {
	const struct tn_graph *g;
	const struct tn_plan *plan;
	struct tn_reference ref;
	struct tn_arena *arena;
	struct tn_diags *diags;
	struct tn_verdict *out;

	/* the plan's run */
	struct tn_memory *regions; /* what planned memory holds */
	uint32_t op; /* that runs, or TN_NONE */
	const struct tn_deed *deed;
	bool *ran; /* by op: has run, or runs */
	bool *told; /* by value: its loss is reported */
	bool clean; /* what the op reads was there when it started */
	bool lost; /* the replay of the op has found a loss, and stopped */
	enum tn_status status;
};

/* What can be said of the plan without running anything: ranges, alignment, places, pins,
 * the order. False when memory ran out. */
bool tn_check_layout(struct tn_check *c);

/* Do bytes [begin, end) of the touch hold what `want` holds there? With `say`, reports
 * where not; `rule` NULL: as the finding suggests. */
bool tn_check_holds(struct tn_check *c, const struct tn_touch *t, struct tn_memory *want,
	int64_t begin, int64_t end, bool say, const char *rule);

/* Puts there what `what` holds. */
void tn_check_put(struct tn_check *c, const struct tn_touch *t, struct tn_memory *what,
	int64_t begin, int64_t end);

/* Executes the steps of c->op, up to the first read that does not find its value: then it is
 * reported, and c->lost. */
void tn_check_replay(struct tn_check *c, struct tn_variant variant);

/* Unless `ok`, refuses the plan: at the op of `v`, else at its tensor. Returns ok. */
bool tn_need(struct tn_check *c, bool ok, const struct tn_verdict *v, const char *rule,
	const char *fmt, ...) TN_PRINTF(5, 6);

/* Refuses the plan because the touch does not hold at `from` what `want` holds there. Only
 * the first loss of a value is told: what follows from it is no news. */
void tn_refuse_bytes(struct tn_check *c, const char *rule, const struct tn_touch *t,
	struct tn_memory *want, int64_t from);

#endif
