/* Findings and candidates as JSON, "tenure.lint/1":
 *
 *   { "format": "tenure.lint/1", "file": NAME,          (several: "files": [NAME...])
 *     "findings": [{ file, rule, severity, message, pointer, line, column, subject,
 *                    notes[] }],                        (null where not known)
 *     "claims": [{ file, id, kind, claims[], verdict, hazard,
 *                  witness: { writer, victim, reader, bytes: [begin, end], other, need,
 *                             have, align, invocation },
 *                  reason, saves_bytes, remedies: [{ kind, text, bytes }],
 *                  assumptions[], notes[] }],         (only if a graph has claims;
 *                                                          id null: a set of several,
 *                                                          or of none: the graph's own)
 *     "candidates": [{ file, id, op, in, out, verdict, obligation, hazard,
 *                      witness: { writer, victim, reader, bytes: [begin, end] },
 *                      reason, saves_bytes, displacement: { order, hold, rule, bytes },
 *                      placed: { how, shared_bytes }, assumptions[] }] }
 *
 * bytes of a displacement: ascending, the input starts at least that much above the
 * output; descending the other way round; "rule" is at_least, anywhere or never. */
#ifndef TN_REPORT_JSON_H
#define TN_REPORT_JSON_H

#include "base/status.h"
#include "report/view.h"

enum tn_status TN_MUST_CHECK tn_json_lint(
	const struct tn_view *views, size_t n, struct tn_strbuf *out);

#endif
