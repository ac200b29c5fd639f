/* Diagnostics in the order in which every report shows them, with line and column: by
 * file, then line and column, then as reported. */
#ifndef TN_REPORT_FINDINGS_H
#define TN_REPORT_FINDINGS_H

#include "base/status.h"
#include "report/view.h"

struct tn_finding {
	const struct tn_diag *diag;
	const struct tn_graph *g; /* that it is about; NULL: none was read */
	const char *file; /* "": not about a file */
	size_t line, column; /* from 1, in bytes; 0: not known (a binary file) */
	size_t character; /* the column in code points; 0 with the column */
	size_t reported; /* the how-manieth report it was */
	const struct tn_view_suppressed *excuse; /* NULL: it counts */
	bool fails; /* by its view's level, when it counts */
};

struct tn_findings {
	struct tn_finding *list;
	size_t n;
	size_t errors, warnings, notes;
};

/* From all views; a sink that several views share counts once. */
enum tn_status TN_MUST_CHECK tn_findings_collect(const struct tn_view *views, size_t n,
	struct tn_arena *arena, struct tn_findings *out);

/* Those that are suppressed, and (`all`) the others among them. Only the others are
 * counted. */
enum tn_status TN_MUST_CHECK tn_findings_suppressed(const struct tn_view *views, size_t n,
	bool all, struct tn_arena *arena, struct tn_findings *out);

/* How many there are of all of them, suppressed or not, without their list. */
struct tn_findings tn_findings_count(const struct tn_view *views, size_t n);

/* "error", "warning", "note" */
const char *tn_severity_name(enum tn_severity severity);

#endif
