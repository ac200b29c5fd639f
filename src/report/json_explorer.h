/* For Google's Model Explorer: the graph as it would draw it, and node data to lay over it
 * (or over the same model read by one of its own adapters: nodes are named by the tensors
 * that they write). docs/REPORTS.md says how to load them. */
#ifndef TN_REPORT_JSON_EXPLORER_H
#define TN_REPORT_JSON_EXPLORER_H

#include "base/status.h"
#include "report/view.h"

enum tn_overlay {
	OVERLAY_LIVE, /* bytes that are live while the op runs */
	OVERLAY_VERDICTS, /* what may be written over what, and what the plan did */
};

/* Needs the graph; says what else is known. src/import/model_explorer.c reads it back. */
enum tn_status TN_MUST_CHECK tn_explorer_graph_write(
	const struct tn_view *v, struct tn_strbuf *out);

/* Needs graph and plan. */
enum tn_status TN_MUST_CHECK tn_explorer_overlay_write(
	const struct tn_view *v, enum tn_overlay what, struct tn_strbuf *out);

#endif
