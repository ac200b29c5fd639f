/* The graph as DOT: ops with type and live bytes, tensors as edges with shape, bytes and
 * place. In-place pairs and overlaps are drawn as such, views dashed, the op at the peak
 * stands out. Needs the graph; draws what else is known. */
#ifndef TN_REPORT_DOT_H
#define TN_REPORT_DOT_H

#include "base/status.h"
#include "report/view.h"

struct tn_dot_options {
	tn_op_id focus; /* TN_NONE: the whole graph */
	uint32_t radius; /* how many ops away from the focus is still drawn */
};

enum tn_status TN_MUST_CHECK tn_dot_write(const struct tn_view *v,
	const struct tn_dot_options *options, struct tn_strbuf *out);

#endif
