/* What was rewritten, for the plan's JSON. */
#ifndef TN_REPORT_JSON_REWRITES_H
#define TN_REPORT_JSON_REWRITES_H

#include <jansson.h>

#include "report/view.h"

/* Names of the passes that ran; what they did; what they left, and why. New lists, empty
 * without rewrites; NULL on lack of memory. */
json_t *tn_json_passes(const struct tn_view *v);
json_t *tn_json_rewrites(const struct tn_view *v);
json_t *tn_json_refusals(const struct tn_view *v);

#endif
