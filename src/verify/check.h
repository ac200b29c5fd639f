/* Inside verify/: the state of a verification, and what its parts do. */
#ifndef TN_VERIFY_CHECK_H
#define TN_VERIFY_CHECK_H

#include "layout/turns.h"
#include "verify/reference.h"

struct tn_check {
	const struct tn_graph *g;
	const struct tn_plan *plan;
	struct tn_reference ref;
	struct tn_layout layout;
	struct tn_refusals refusals;
	struct tn_arena *arena;

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

/* Do bytes [begin, end) of the operand hold what `want` holds there? With `say`, reports
 * where not; `rule` NULL: as the finding suggests. */
bool tn_check_holds(struct tn_check *c, const struct tn_operand *o,
	struct tn_memory *want, int64_t begin, int64_t end, bool say, const char *rule);

/* Puts there what `what` holds. */
void tn_check_put(struct tn_check *c, const struct tn_operand *o, struct tn_memory *what,
	int64_t begin, int64_t end);

/* Puts bytes [begin, end) of a value there. */
void tn_check_put_value(struct tn_check *c, const struct tn_operand *o, uint32_t value,
	int64_t begin, int64_t end);

/* Before the first op, and after the last: what the caller gives, and gets. */
void tn_check_start(struct tn_check *c);
void tn_check_finish(struct tn_check *c);

/* The op that runs is this one. */
void tn_check_enter(struct tn_check *c, uint32_t op);

/* Runs all of an op, or nothing of it when it is elided. */
void tn_check_whole(struct tn_check *c, uint32_t op);

/* For c->op: everything that it writes is there. */
void tn_check_write_all(struct tn_check *c);

/* Scratch of c->op, of the plan or the graph, is filled with garbage; or (after) is that
 * still there? */
bool tn_check_scratch(struct tn_check *c, bool after);

/* Executes the steps of c->op, or (rows not NULL) of some rows of it, up to the first read that does not find
 * its value: then it is reported, and c->lost. */
void tn_check_replay(struct tn_check *c, const struct tn_turn *rows);

/* Runs the ops of a chain, event by event. */
void tn_check_chain(struct tn_check *c, const struct tn_plan_stream *s);

#endif
