/* The timeline for a terminal: bytes upwards, half-steps across, a letter for each
 * buffer, `#` where an output really lies over its dying input. Plain ASCII but for the
 * names, which take the columns that a terminal gives them; never wider than the columns
 * given. Needs graph and plan. */
#ifndef TN_REPORT_ASCII_H
#define TN_REPORT_ASCII_H

#include "base/status.h"
#include "report/view.h"

#define TN_ASCII_COLUMNS 80

/* At least 60 columns are used. */
enum tn_status TN_MUST_CHECK tn_ascii_write(
	const struct tn_view *v, size_t columns, struct tn_strbuf *out);

#endif
