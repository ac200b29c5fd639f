/* The run as a Chrome trace (also read by Perfetto): ops on one track, a half-step a
 * millisecond; buffers as asynchronous spans; the arena as a counter. Needs graph and
 * plan. */
#ifndef TN_REPORT_TRACE_H
#define TN_REPORT_TRACE_H

#include "base/status.h"
#include "report/view.h"

enum tn_status TN_MUST_CHECK tn_trace_write(
	const struct tn_view *v, struct tn_strbuf *out);

#endif
