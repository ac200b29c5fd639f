/* Fill: exact search for offsets below a capacity, for problems whose pairs are
 * those of ops that run one after the other (fill_link.h).
 *
 * Time is cut into columns: the maximal sets of buffers that are alive together. Each
 * column has a floor, and everything below it is settled. The search fills the columns
 * from the bottom:
 *
 *   capacity ______________________________
 *
 *       +-------+                             the floors form a skyline; a run of equal
 *       |       +---+                         floors between two higher ones is a valley,
 *       |       |   +----------+              and a buffer whose lowest offset is the
 *   ----+       +---+          +--            valley's floor lies within its walls
 *                ^ valley
 *
 * In one column of one valley: either one of those buffers is the next (a branch for
 * each), or none is and the floor rises to where the next one can start at all (one more
 * branch). Valleys do not disturb each other, so the one with the least choice is taken
 * first. When no unplaced buffer crosses a border between columns, the two sides are
 * problems of their own; when one fails, nothing in the other can help. A side that has
 * failed is remembered by what is left to place in it and its floors.
 *
 * Why this is complete: in a solution with the least sum of offsets every buffer stands
 * on the ground or on another one, so the lowest unplaced buffer of a column starts at
 * its lowest possible offset, or on a buffer that is not in this column and not placed
 * yet. A floor that was raised counts as ground for what is left, so a side's failure
 * depends on nothing but its key. */
#ifndef TN_PLAN_FILL_H
#define TN_PLAN_FILL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "plan/problem.h"

struct tn_fill;

/* One run of the search: how it chooses. */
struct tn_fill_style {
	int selector; /* of the column to go on with; 0 .. TN_FILL_SELECTORS - 1 */
	bool ahead; /* try each buffer and begin with the least waste */
	int32_t size, span; /* 1/256ths: exponents of size and of columns covered in the
	                         rank of a buffer; the highest rank is tried first */
	int64_t nodes; /* give up after so many states; a dive without a single
	                         failure takes one for each buffer */
};

#define TN_FILL_SELECTORS 5

enum tn_fill_result {
	FILL_FOUND, /* the offsets are in the answer */
	FILL_NONE, /* proved: no solution of this capacity */
	FILL_LIMIT, /* steps or time ran out */
	FILL_NOMEM
};

/* The search's own view of the problem, in the arena. *out is NULL when the problem does
 * not suit: too many buffers for the levels of the search, or pairs whose buffers meet
 * for longer than one op. p must be valid and have no contradictory fixed offsets. */
enum tn_status TN_MUST_CHECK tn_fill_new(
	const struct tn_problem *p, struct tn_arena *arena, struct tn_fill **out);

/* The greatest number that divides the height of every solution worth looking at. */
int64_t tn_fill_grain(const struct tn_fill *f);

/* What to look for. Failures are remembered from run to run, until the capacity grows. */
void tn_fill_capacity(struct tn_fill *f, int64_t capacity);

/* All runs together stop after so many steps (of about a nanosecond), and at this time of
 * tn_clock (0: never). */
void tn_fill_limit(struct tn_fill *f, int64_t steps, double until);

enum tn_fill_result tn_fill_run(struct tn_fill *f, const struct tn_fill_style *style);

/* Work done so far. */
int64_t tn_fill_steps(const struct tn_fill *f);
bool tn_fill_exhausted(const struct tn_fill *f);
uint32_t tn_fill_items(const struct tn_fill *f);

/* After FILL_FOUND: offsets by buffer of the problem. */
void tn_fill_answer(const struct tn_fill *f, int64_t *offset);

#endif
