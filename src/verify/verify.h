/* The verifier: executes a graph under a plan, byte range by byte range, and accepts the
 * plan only when every op reads the values that the graph means. It knows the graph, the
 * plan and the kernels' contracts, and shares nothing with what made the plan.
 * docs/VERIFIER.md lists what it checks, and the rules. */
#ifndef TN_VERIFY_VERIFY_H
#define TN_VERIFY_VERIFY_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"
#include "ir/graph.h"
#include "plan/plan.h"

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

/* TN_OK: accepted. TN_ERR_REFUSED: refused, every cause reported to diags and the first
 * one in *out. TN_ERR_NOMEM; TN_ERR_INTERNAL when a contract speaks of bytes that its
 * operand does not have. The graph must have passed tn_validate; the plan may be anything
 * whose arrays are as long as it says. */
enum tn_status TN_MUST_CHECK tn_verify(const struct tn_graph *g,
	const struct tn_plan *plan, struct tn_arena *scratch, struct tn_diags *diags,
	struct tn_verdict *out);

#endif
