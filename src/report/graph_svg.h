/* The graph as a picture: what dot.h writes, laid out by Graphviz's `dot`. Where letters
 * are measured with the fonts of the machine, so is the picture. */
#ifndef TN_REPORT_GRAPH_SVG_H
#define TN_REPORT_GRAPH_SVG_H

#include "report/dot.h"

/* TN_ERR_IO: Graphviz has no layout called dot here. */
enum tn_status TN_MUST_CHECK tn_graph_svg_write(const struct tn_view *v,
	const struct tn_dot_options *options, struct tn_strbuf *out);

#endif
