/* One tensor followed from the file to its offset, in eight hops: what `tenure explain
 * GRAPH TENSOR` prints. */
#ifndef TN_REPORT_HOPS_H
#define TN_REPORT_HOPS_H

#include "base/status.h"
#include "report/view.h"

/* How many tensors have this name (t7 and 7 are names too, of the one with index 7, if no
 * tensor is called so), and the first of them. */
uint32_t tn_hops_find(
	const struct tn_graph *g, const char *name, tn_tensor_id *out_first);

/* Needs the graph; a hop that nobody has taken yet says so. */
enum tn_status TN_MUST_CHECK tn_hops_write(
	const struct tn_view *v, tn_tensor_id id, struct tn_strbuf *out);

#endif
