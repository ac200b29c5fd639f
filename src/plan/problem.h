/* The offset problem, as a value: what the planner knows. No graph, no tensor, no op.
 *
 *   offset
 *     ^      +-----------+
 *     |      |  buffer 1 |        buffers are rectangles [begin, end) x [offset,
 *     |  +---+---+-------+        offset + size); two that meet in time must be
 *     |  | 0     |                disjoint in offset, unless a pair says what
 *     |  +-------+                overlap is allowed
 *     +--+---+---+-------+--> time (half-steps)
 *
 * Pairs. `a` is the input of an op, `b` its output (buffers, so aliases are resolved).
 * The op has `n_variants` variants; all pairs of one group must be satisfied by one
 * common variant. With d = pair.d[variant]:
 *   ascending variant:   offset(a) - offset(b) >= d
 *   descending variant:  offset(b) - offset(a) >= d
 *   or the two are disjoint, which every variant allows.
 * d == TN_D_FREE: any placement; d == TN_D_NEVER: only disjoint. */
#ifndef TN_PLAN_PROBLEM_H
#define TN_PLAN_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"

#define TN_D_FREE	      (-INT64_MAX)
#define TN_D_NEVER	      INT64_MAX
#define TN_GROUP_VARIANTS_MAX 8

struct tn_buffer {
	int64_t begin, end; /* half-open lifetime, begin < end */
	int64_t size; /* bytes, >= 0 */
	int64_t align; /* > 0; the offset is a multiple of it */
	int64_t fixed; /* a given offset, or -1 */
};

struct tn_pair {
	uint32_t a, b; /* input and output buffer; a != b */
	uint32_t group;
	int64_t d[TN_GROUP_VARIANTS_MAX]; /* by variant of the group */
};

struct tn_group {
	uint32_t n_variants;
	uint8_t descending; /* bit v: variant v is descending */
};

struct tn_problem {
	struct tn_buffer *buffers;
	uint32_t n_buffers;
	struct tn_pair *pairs;
	uint32_t n_pairs;
	struct tn_group *groups;
	uint32_t n_groups;
	int64_t capacity; /* bytes; -1: minimise */
};

struct tn_limits {
	int64_t nodes; /* search effort over all phases, one unit being about a microsecond;
	                  decides by default, so that the result is the same on every
	                  machine. <= 0: the default, some seconds */
	double seconds; /* wall clock; <= 0: no limit (the default) */
};

struct tn_solution {
	int64_t *offset; /* by buffer */
	uint32_t *variant; /* by group: a variant that satisfies all of its pairs */
	int64_t height; /* max of offset + size */
	int64_t bound; /* proved lower bound of any height; the exact search may raise it */
	bool optimal; /* height == bound */
	int64_t nodes; /* effort spent, in the unit of the limit */
};

/* Is the problem well formed: lifetimes, sizes, alignments, indices, and a sum of sizes
 * that leaves room for every height. Everything below needs it; tn_solve looks itself.
 * On failure *out_why says what is wrong with which buffer (or pair). */
bool tn_problem_valid(
	const struct tn_problem *p, const char **out_why, uint32_t *out_index);

/* Is this solution legal? Independent of the solver; reports the first offence. False with
 * *out_why NULL is a lack of memory. */
bool tn_solution_check(const struct tn_problem *p, const struct tn_solution *s,
	const char **out_why, uint32_t out_buffers[2]);

/* Lower bound of the height: the most that any moment needs, given the overlaps that the
 * pairs allow. */
enum tn_status TN_MUST_CHECK tn_bound(
	const struct tn_problem *p, struct tn_arena *scratch, int64_t *out_bound);

/* The obvious solver: buffers by size, each at the lowest legal offset. Always legal. */
enum tn_status TN_MUST_CHECK tn_greedy(
	const struct tn_problem *p, struct tn_arena *arena, struct tn_solution *out);

/* The better solver: starts from the greedy answer, never worse; when the limits end it,
 * it gives the best solution so far and its bound. With a capacity >= 0 it stops at the
 * first solution that fits (out->height <= capacity says whether one was found). Fixed
 * buffers that contradict each other: TN_ERR_INPUT, reported to diags. */
enum tn_status TN_MUST_CHECK tn_solve(const struct tn_problem *p,
	const struct tn_limits *limits, struct tn_arena *arena, struct tn_diags *diags,
	struct tn_solution *out);

#endif
