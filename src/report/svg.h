/* The timeline as an SVG file of its own. Needs graph and plan. */
#ifndef TN_REPORT_SVG_H
#define TN_REPORT_SVG_H

#include "base/status.h"
#include "report/view.h"

enum tn_status TN_MUST_CHECK tn_svg_write(const struct tn_view *v, struct tn_strbuf *out);

#endif
