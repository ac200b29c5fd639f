/* Verdicts on the claims of a graph as a JSON array: each claim alone, then, when there are
 * several, sets of them (their id is null); the set of all comes last. */
#ifndef TN_REPORT_JSON_CLAIMS_H
#define TN_REPORT_JSON_CLAIMS_H

#include "report/json_parts.h"

json_t *tn_json_claims(const struct tn_view *v);

#endif
