#include "report/plan_view_json.h"

#include "report/json_parts.h"
#include "report/json_rewrites.h"
#include "report/plan_json.h"

enum tn_status tn_plan_view_json(const struct tn_view *v, struct tn_strbuf *out)
{
	json_t *decisions = tn_json_decisions(v, false), *ops = tn_json_ops(v);
	json_t *passes = tn_json_passes(v), *rewrites = tn_json_rewrites(v);
	json_t *refused = tn_json_refusals(v);
	const struct tn_plan_extras extras = { .decisions = decisions,
		.ops = ops,
		.rewrite = passes,
		.rewrites = rewrites,
		.refused = refused };
	enum tn_status status = TN_ERR_NOMEM;

	if (decisions && ops && passes && rewrites && refused)
		status = tn_plan_json_write(v->g, v->plan, &extras, out);
	json_decref(decisions);
	json_decref(ops);
	json_decref(passes);
	json_decref(rewrites);
	json_decref(refused);
	return status;
}
