/* Budgets of RAM and flash, in numbers or as a board has them. */
#ifndef TN_DRIVER_BUDGET_H
#define TN_DRIVER_BUDGET_H

#include "board/board.h"
#include "driver/pipeline.h"

/* Does any option ask for one? */
bool tn_budget_asked(const tenure_options *options);

/* The boards that --target may name, for all files of a command; none are read when the
 * options name no target. */
enum tn_status TN_MUST_CHECK tn_budget_boards(const tenure_options *options,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_boards *out);

/* lint: reports what is over --ram, --flash and the memories of --target, with the op at
 * the peak, what is alive there, and changes that were tried. After STAGE_PLAN. The
 * boards are those of tn_budget_boards; a run with a target of its own reads them itself. */
enum tn_status TN_MUST_CHECK tn_budget_check(
	struct tn_run *run, const struct tn_boards *boards);

/* plan: the arena and the plain reserves against --ram. False, reported: it is over. */
bool tn_budget_arena(struct tn_run *run);

#endif
