/* Two versions of a model as a page, for pull requests: figures, both timelines to one
 * scale, what is at the peak, which tensors grew, which decisions were lost. Without
 * script, and as closed to the outside as html.h's page. */
#ifndef TN_REPORT_HTML_DIFF_H
#define TN_REPORT_HTML_DIFF_H

#include "report/diff.h"

enum tn_status TN_MUST_CHECK tn_diff_html(const struct tn_diff *d, struct tn_strbuf *out);

#endif
