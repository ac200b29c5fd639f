/* A plan for tools and firmware that have kernels of their own. */
#ifndef TN_EXPORT_PLAN_FILES_H
#define TN_EXPORT_PLAN_FILES_H

#include "base/strbuf.h"
#include "ir/graph.h"
#include "plan/plan.h"

/* MiniMalloc's CSV: id,lower,upper,size,offset of every tensor with memory of its own, in
 * half-steps, half-open; what an op reads lives until the op has written. Tensors that
 * share bytes on purpose overlap in it, too. Two columns, which MiniMalloc passes over, say
 * why: `root`, where a tensor is the bytes of another one (roots, by tensor; itself where it
 * is not), and `variant`, the kernel that writes it (variants, by tensor). NULL: without the
 * column. Lack of memory is in out->failed. */
void tn_export_plan_csv(const struct tn_graph *g, const struct tn_plan *plan,
	const tn_tensor_id *roots, const char *const *variants, struct tn_strbuf *out);

/* A C header: the size of each region, and an offset for every tensor in it. Names become
 * identifiers: a tensor's behind its index, a region's with a number when it is taken. */
void tn_export_plan_header(
	const struct tn_graph *g, const struct tn_plan *plan, struct tn_strbuf *out);

#endif
