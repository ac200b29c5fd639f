/* The verifier: executes a graph under a plan, byte range by byte range, and accepts the
 * plan only when every op reads the values that the graph means. It knows the graph, the
 * plan and the kernels' contracts, and shares nothing with what made the plan.
 * docs/VERIFIER.md lists what it checks, and the rules. */
#ifndef TN_VERIFY_VERIFY_H
#define TN_VERIFY_VERIFY_H

#include "base/arena.h"
#include "base/status.h"
#include "plan/plan.h"
#include "verdict/verdict.h"

/* TN_OK: accepted. TN_ERR_REFUSED: refused, every cause reported to diags and the first
 * one in *out. TN_ERR_NOMEM; TN_ERR_INTERNAL when a contract speaks of bytes that its
 * operand does not have. The graph must have passed tn_validate; the plan may be anything
 * whose arrays are as long as it says. */
enum tn_status TN_MUST_CHECK tn_verify(const struct tn_graph *g,
	const struct tn_plan *plan, struct tn_arena *scratch, struct tn_diags *diags,
	struct tn_verdict *out);

#endif
