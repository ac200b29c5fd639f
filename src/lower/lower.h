/* Between the graph's tables and the offset problem: lower makes the problem, raise makes
 * the plan from its solution. The planner sees neither graph nor plan. */
#ifndef TN_LOWER_LOWER_H
#define TN_LOWER_LOWER_H

#include "analysis/alias.h"
#include "analysis/liveness.h"
#include "analysis/order.h"
#include "inplace/inplace.h"
#include "plan/plan.h"
#include "plan/problem.h"
#include "stream/streamed.h"

/* What is decided for an op before offsets are. */
enum tn_scratch_choice {
	SCRATCH_ANY, /* any plain variant */
	SCRATCH_NONE, /* none with scratch */
	SCRATCH_BUFFER, /* in place through a buffer, where there is such a variant */
};

struct tn_lower_options {
	enum tn_overlap_mode overlap;
	int64_t align; /* bytes, of each tensor's offset; > 0 */
	int64_t merge_align; /* what in-place puts into another's buffer starts there at
	                        a multiple of it; 0: of align */
	const bool
		*apart; /* by tensor: it becomes part of no other's buffer, and no other
	                      of its own, by in-place; NULL: none */
	const uint8_t *scratch; /* by op; NULL: SCRATCH_ANY for all */
	const struct tn_streamed
		*streamed; /* NULL: no chains. The tables' lives are its, and
	                                       their candidates are of other ops */
};

struct tn_tables {
	const struct tn_graph *g;
	const struct tn_order *order;
	const struct tn_aliases *aliases;
	const struct tn_liveness *live;
	const struct tn_inplace *inplace;
};

struct tn_lowered {
	struct tn_problem problem;
	uint32_t *buffer_of; /* by tensor: its buffer, or TN_NONE */
	int64_t *shift_of; /* by tensor: bytes from the buffer's start */
	tn_tensor_id *root_of; /* by buffer: the root that it was made for; TN_NONE: it
	                            is scratch */
	const struct tn_streamed *streamed;
	uint32_t *state_of; /* by chain: the buffer for what it adds up, or TN_NONE */
	int64_t disjoint_bound_bytes; /* largest sum of live buffers */
};

enum tn_status TN_MUST_CHECK tn_lower(const struct tn_tables *tables,
	const struct tn_lower_options *options, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_lowered *out);

/* Chooses for every op the first variant (least scratch) that the offsets allow, and puts
 * scratch into what is free while its op runs. */
enum tn_status TN_MUST_CHECK tn_raise(const struct tn_tables *tables,
	const struct tn_lower_options *options, const struct tn_lowered *lowered,
	const struct tn_solution *solution, struct tn_arena *arena, struct tn_plan *out);

/* Where the buffers are when there are several memories. */
struct tn_layout {
	const struct tn_plan_region *regions; /* without `used` */
	uint32_t n_regions;
	const uint32_t *region; /* by buffer; NULL: all in the first */
	const int64_t *offset; /* by buffer */
	const uint32_t
		*scratch; /* by op: the buffer that is its scratch, or TN_NONE; NULL:
	                            none */
};

/* The same for a layout: sets tensors, ops, order, regions and the sums of bytes, nothing
 * else. An op whose scratch finds no room has its bytes in missing[op] (by op; 0 for the
 * others), and no place. */
enum tn_status TN_MUST_CHECK tn_raise_layout(const struct tn_tables *tables,
	const struct tn_lowered *lowered, const struct tn_layout *layout,
	struct tn_arena *arena, struct tn_plan *out, int64_t *missing);

/* What planning made. */
struct tn_made {
	struct tn_lowered lowered;
	struct tn_solution solution;
	struct tn_plan plan;
};

/* One memory: raises a solution that needs the least activations; of the ways that scratch can be kept small it
 * takes the one with the least activations, then the least arena, or with `least_arena`
 * the other way round, where in-place variants with a buffer count as well. */
enum tn_status TN_MUST_CHECK tn_make_plan(const struct tn_tables *tables,
	const struct tn_lower_options *options, const struct tn_limits *limits,
	const struct tn_lowered *lowered, const struct tn_solution *solution,
	bool least_arena, struct tn_arena *arena, struct tn_diags *diags,
	struct tn_made *out);

struct tn_streaming {
	uint32_t max_ops; /* of a chain; 0: no limit */
	bool input; /* a graph input comes row by row */
};

/* The same with chains of ops that run row by row, in place of a plan without any in *made
 * if that needs less, or if an input comes row by row; else leaves it as it is.
 * TN_ERR_INPUT, reported, when an input is to come so and no chain takes it. */
enum tn_status TN_MUST_CHECK tn_make_streamed(const struct tn_tables *tables,
	const struct tn_lower_options *options, const struct tn_limits *limits,
	const struct tn_streaming *how, bool least_arena, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_made *made);

void tn_problem_print(const struct tn_lowered *lowered, struct tn_strbuf *out);

#endif
