/* Runs the graph in the setting that claims make, kernels step by step, over one memory of
 * bits, and compares what each op reads, and what is left in the end, with what the graph
 * means. Everything that differs is a loss. */
#ifndef TN_CLAIMS_RUN_H
#define TN_CLAIMS_RUN_H

#include "claims/claims.h"
#include "claims/loss.h"
#include "claims/meaning.h"
#include "claims/setting.h"

/* What is different from the graph, to try a remedy. */
struct tn_run_change {
	uint32_t op; /* runs this kernel instead of its own; TN_NONE */
	const struct tn_kernel *kernel;
	const struct tn_claim_copy *copies; /* of what then is read instead */
	uint32_t n_copies;
};

/* What an op touches: for the order between ops. */
struct tn_touch {
	uint32_t op;
	uint32_t tensor;
	int64_t begin, end; /* addresses, half-open */
	uint32_t world;
	bool writes;
};

struct tn_run {
	const struct tn_model *m;
	const struct tn_meaning *meaning;
	const struct tn_setting *s;
	const struct tn_claim_options *options;
	const struct tn_run_change *change; /* NULL: none */
	bool own_word; /* an input or a constant that the graph itself writes is lost */
	struct tn_arena *arena;
	struct tn_losses *losses;
	TN_VEC(struct tn_event) events;
	TN_VEC(struct tn_touch)
	touches; /* of the first invocation of each world, in order */
	bool too_large; /* there was more to do than is allowed, or to remember */
	bool nomem;
};

/* False: there is more to do than is allowed; all below stop then. */
static inline bool tn_run_take(struct tn_run *run, int64_t work)
{
	if (!tn_work_take(run->m->work, work))
		run->too_large = true;
	return !run->too_large;
}

/* After a change of these contents. */
static inline bool tn_run_take_change(struct tn_run *run, struct tn_cells *changed)
{
	if (changed->count > JUDGE_PIECES_MAX)
		run->too_large = true;
	return tn_run_take(run, 1 + tn_cells_cost(changed));
}

/* All worlds and invocations. */
enum tn_status TN_MUST_CHECK tn_run_all(struct tn_run *run);

/* LOSS_UNORDERED: pairs of ops that touch the same bits, one of them writing, and no
 * dependence of the graph orders them. After tn_run_all. */
enum tn_status TN_MUST_CHECK tn_run_unordered(struct tn_run *run);

#endif
