/* The lines across a timeline: what a region's bytes are compared with. */
#ifndef TN_REPORT_MARKS_H
#define TN_REPORT_MARKS_H

#include <stddef.h>

#include "report/view.h"

#define TN_MARKS_MAX 4

struct tn_mark {
	const char *kind; /* "budget", "disjoint", "peak", "bound" */
	const char *name; /* for people */
	int64_t bytes;
};

/* How many there are, most bytes mentioned first. Bounds are of all memory together, so a
 * plan with several regions has none in its pictures, but each region its own budget. */
size_t tn_marks_of(
	const struct tn_view *v, uint32_t region, struct tn_mark out[TN_MARKS_MAX]);

/* What a bound is of: "" or, for a plan that may not overlap at will, ", without overlap",
 * ", in place only". */
const char *tn_mark_mode(const struct tn_plan *plan);

/* "lower bound", with its mode, and with who says so when nobody has computed it here. */
const char *tn_mark_bound(const struct tn_plan *plan);

/* Is it proved that no plan of its mode needs less? */
bool tn_mark_optimal(const struct tn_view *v);

/* Bytes that the plan may take in a region; 0: nobody said. */
int64_t tn_budget_of(const struct tn_view *v, uint32_t region);

/* Bytes that the plan takes beyond that; 0: none. */
int64_t tn_budget_excess(const struct tn_view *v, uint32_t region);

#endif
