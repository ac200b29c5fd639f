/* What is said of a plan: the verdict in numbers, and refusals in words. Nothing here
 * decides. */
#ifndef TN_VERDICT_VERDICT_H
#define TN_VERDICT_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "ir/graph.h"

enum tn_seen_kind {
	SEEN_NOTHING, /* never written */
	SEEN_GIVEN, /* what a tensor holds before the first op */
	SEEN_WRITTEN, /* what an op wrote */
	SEEN_GARBAGE, /* the scratch of an op */
};

/* What is, or should be, in some bytes. */
struct tn_seen {
	enum tn_seen_kind kind;
	uint32_t tensor; /* whose value; TN_NONE for nothing and garbage */
	uint32_t op; /* that wrote it; TN_NONE for nothing and given */
	int64_t begin, end; /* bytes of that value, half-open */
};

/* What follows from where a plan puts things; INT64_MAX when it is more. */
struct tn_figures {
	int64_t arena; /* end of the highest tensor or scratch, over all regions */
	int64_t activations; /* of the highest tensor, or of what a chain keeps in scratch */
	int64_t scratch; /* largest of an op */
};

struct tn_verdict {
	bool accepted;
	uint32_t refusals; /* how many were reported; the rest describes the first */
	const char *rule; /* NULL when accepted */
	uint32_t op; /* that runs; TN_NONE: before the first or after the last */
	uint32_t tensor; /* that is read, or wrong in itself; or TN_NONE */
	int64_t begin, end; /* bytes of the tensor, half-open; 0, 0: not about bytes */
	uint32_t region;
	int64_t place; /* offset of those bytes in the region */
	struct tn_seen expected, found;
	uint32_t replayed; /* ops whose steps were replayed */
	struct tn_figures
		figures; /* of a refused plan as well, as far as it has places */
};

/* Where refusals go. */
struct tn_refusals {
	const struct tn_graph *g;
	struct tn_diags *diags;
	struct tn_verdict *out;
};

/* Unless `ok`, refuses the plan: at the op of `v`, else at its tensor. Returns ok. */
bool tn_need(const struct tn_refusals *r, bool ok, const struct tn_verdict *v,
	const char *rule, const char *fmt, ...) TN_PRINTF(5, 6);

/* Refuses the plan because of bytes in which v->found is, and v->expected should be; in the
 * region of that name. */
void tn_refuse_bytes(const struct tn_refusals *r, const struct tn_verdict *v,
	const char *rule, const char *region);

#endif
