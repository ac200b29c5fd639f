/* The plan as stable text, for --dump=plan and golden tests. */
#ifndef TN_PLAN_PRINT_H
#define TN_PLAN_PRINT_H

#include "base/strbuf.h"
#include "plan/plan.h"

void tn_plan_print(const struct tn_plan *plan, struct tn_strbuf *out);

#endif
