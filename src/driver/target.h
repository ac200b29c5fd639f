/* --target BOARD where a plan is made: the board's memories are the plan's regions. */
#ifndef TN_DRIVER_TARGET_H
#define TN_DRIVER_TARGET_H

#include "board/board.h"
#include "driver/pipeline.h"

/* Where a configuration names the target. */
struct tn_target_place {
	const struct tn_source *source;
	size_t line;
};

/* Reads the boards and finds the target, smallest first. TN_ERR_INPUT, reported, when a
 * file is wrong or there is no such board; `all` is one only where it may be. Nothing is
 * read unless a target or files are named. `place` NULL: the command line names it. */
enum tn_status TN_MUST_CHECK tn_target_boards(const tenure_options *options,
	const struct tn_target_place *place, bool may_be_all, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_boards *out);

/* Writes the board's RAM as --region, and plain reserves as those of its largest memory,
 * into the options, unless lint uses the target as a budget. */
enum tn_status TN_MUST_CHECK tn_target_regions(struct tn_run *run, tenure_options *io);

#endif
