/* Inside verify/: what its parts share. */
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
};

/* The plan's run. */
struct tn_run {
	struct tn_check *c;
	struct tn_memory *regions; /* what planned memory holds */
	uint32_t op; /* that runs, or TN_NONE */
	const struct tn_deed *deed;
	bool *told; /* by value: its loss is reported */
	bool clean; /* what the op reads was there when it started */
	enum tn_status status;
};

/* What can be said of the plan without running anything: ranges, alignment, places, the
 * order. False when memory ran out. */
bool tn_check_layout(struct tn_check *c);

/* Do bytes [begin, end) of the touch hold what `want` holds there? With `say`, reports
 * where not; `rule` NULL: as the finding suggests. */
bool tn_run_holds(struct tn_run *r, const struct tn_touch *t, struct tn_memory *want,
	int64_t begin, int64_t end, bool say, const char *rule);

/* Puts there what `what` holds. */
void tn_run_put(struct tn_run *r, const struct tn_touch *t, struct tn_memory *what,
	int64_t begin, int64_t end);

/* Executes the steps of r->op and reports each read that does not find its value. In bulk:
 * reads that follow each other are looked up together, writes that follow each other are
 * made together, as long as no read of the bulk meets a write of it. */
void tn_replay(struct tn_run *r, struct tn_variant variant);

/* Reports one refusal, at its op, else at its tensor. */
void tn_check_refuse(struct tn_check *c, const struct tn_verdict *v, const char *fmt, ...)
	TN_PRINTF(3, 4);

/* Reports that the touch does not hold at `from` what `want` holds there. Only the first
 * loss of a value is told: what follows from it is no news. */
void tn_run_refuse_bytes(struct tn_run *r, const char *rule, const struct tn_touch *t,
	struct tn_memory *want, int64_t from);

#endif
