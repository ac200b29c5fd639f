/* Inside import/: the chains of a "tenure.plan/1". */
#ifndef TN_IMPORT_PLAN_STREAMS_H
#define TN_IMPORT_PLAN_STREAMS_H

#include <jansson.h>

#include "import/import.h"
#include "plan/plan.h"

/* Sets the plan's streams; what is wrong is reported. False: out of memory. */
bool tn_plan_streams_read(struct tn_import *im, const json_t *root, struct tn_plan *plan);

#endif
