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
	uint32_t *position; /* by op: in the plan's order */
	bool *ran; /* by op: has run, or runs */
	bool *told; /* by value: its loss is reported */
	bool clean; /* what the op reads was there when it started */
	bool lost; /* the replay of the op has found a loss, and stopped */
	enum tn_status status;
};

/* What can be said of the plan without running anything: ranges, alignment, places, pins,
 * the order. False when memory ran out. */
bool tn_check_layout(struct tn_check *c);

/* Fills c->out->figures. False when memory ran out. */
bool tn_check_figures(struct tn_check *c);

/* Bytes of the storage of a root, with all views of it. */
int64_t tn_check_storage(const struct tn_check *c, uint32_t root);

/* Do bytes [begin, end) of the touch hold what `want` holds there? With `say`, reports
 * where not; `rule` NULL: as the finding suggests. */
bool tn_check_holds(struct tn_check *c, const struct tn_touch *t, struct tn_memory *want,
	int64_t begin, int64_t end, bool say, const char *rule);

/* Where byte `at` of the touch lies in its region, and how many follow it there: to the end
 * of the ring. */
int64_t tn_check_place(
	const struct tn_check *c, const struct tn_touch *t, int64_t at, int64_t *out_run);

/* Puts there what `what` holds. */
void tn_check_put(struct tn_check *c, const struct tn_touch *t, struct tn_memory *what,
	int64_t begin, int64_t end);

/* Executes the steps of c->op, up to the first read that does not find its value: then it is
 * reported, and c->lost. */
void tn_check_replay(struct tn_check *c, struct tn_variant variant);

/* The same for some rows of an op that runs row by row. */
void tn_check_replay_rows(struct tn_check *c, struct tn_variant variant, bool total,
	int64_t begin, int64_t end);

/* Runs the ops of a chain, event by event. */
void tn_check_stream(struct tn_check *c, const struct tn_plan_stream *s);

/* Does the caller give the rows of this tensor as a chain needs them? */
bool tn_check_is_fed(const struct tn_check *c, uint32_t tensor);

/* What can be said of chains and rings without running them. */
bool tn_check_streams(struct tn_check *c);

/* In verify.c, for c->op: what its scratch is for, and what it writes. */
bool tn_check_variant(
	struct tn_check *c, const struct tn_plan_op *p, struct tn_variant v);
bool tn_check_garbage(
	struct tn_check *c, uint32_t region, int64_t place, int64_t bytes, bool after);
void tn_check_write_all(struct tn_check *c);

/* Unless `ok`, refuses the plan: at the op of `v`, else at its tensor. Returns ok. */
bool tn_need(struct tn_check *c, bool ok, const struct tn_verdict *v, const char *rule,
	const char *fmt, ...) TN_PRINTF(5, 6);

/* Refuses the plan because the touch does not hold at `from` what `want` holds there. Only
 * the first loss of a value is told: what follows from it is no news. */
void tn_refuse_bytes(struct tn_check *c, const char *rule, const struct tn_touch *t,
	struct tn_memory *want, int64_t from);

#endif
