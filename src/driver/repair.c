#include "driver/repair.h"

#include <inttypes.h>

#include "base/file.h"
#include "driver/judge.h"
#include "bind/bind.h"
#include "import/plan_json.h"
#include "ir/digest.h"

#include "base/banned.h"

static void tell_steps(struct tn_run *run, const struct tn_repair *repair)
{
	for (size_t i = 0; i < repair->n_steps; i++) {
		const struct tn_repair_step *s = &repair->steps[i];
		const struct tn_claim *c = &run->graph.claims[s->claim];

		tn_diag_at(&run->diags, SEVERITY_NOTE, "claims/repaired", run->source,
			c->pointer, c->id, "%s: %s (%" PRId64 " B)",
			s->hazard ? s->hazard : "unproved", s->remedy.text,
			s->remedy.bytes);
	}
}

/* In that order, as far as it is not the graph's own: for the tables only. What the graph
 * means stays what it was. */
static enum tn_status take_order(struct tn_run *run, const struct tn_repair *repair)
{
	tn_op_id *given = run->graph.schedule;
	tn_op_id *order = TN_NEW_ARRAY(&run->arena, tn_op_id, run->graph.n_ops);
	enum tn_status status;

	if (!order)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < run->graph.n_ops; i++)
		order[i].i = repair->order[i];
	run->graph.schedule = order;
	status = tn_pipeline_tables(run);
	run->graph.schedule = given;
	return status;
}

static void digest(struct tn_run *run)
{
	run->plan.digests = (struct tn_plan_digests){ tn_digest_graph(&run->graph),
		tn_digest_constants(&run->graph), tn_kernels_digest(),
		tn_contract_digest() };
}

static enum tn_status from_claims(struct tn_run *run)
{
	struct tn_claim_options options;
	struct tn_repair repair;
	enum tn_status status = tn_judge_options(run, &options);

	if (status == TN_OK)
		status = tn_claims_repair(
			&run->graph, &options, &run->arena, &run->diags, &repair);

	if (status != TN_OK)
		return status;
	tell_steps(run, &repair);
	if (repair.has_order)
		status = take_order(run, &repair);
	if (status == TN_OK)
		status = tn_repair_layout(run, &repair, &run->plan);
	return status;
}

static enum tn_status from_file(struct tn_run *run, const char *file)
{
	struct tn_source *source;
	enum tn_status status = tn_file_read(&run->arena, &run->diags, file, &source);

	digest(run);
	return status == TN_OK
		       ? tn_import_plan_json(&run->graph, source, &run->plan.digests,
				 &run->arena, &run->strings, &run->diags, &run->plan)
		       : status;
}

static bool same_order(const struct tn_run *run)
{
	for (uint32_t i = 0; i < run->graph.n_ops; i++)
		if (run->plan.order[i] != run->graph.schedule[i].i)
			return false;
	return true;
}

enum tn_status tn_repair_run(struct tn_run *run)
{
	struct tn_plan own = run->plan; /* what the bounds are taken from */
	const struct tn_aliases own_aliases = run->aliases;
	/* what others have laid out was laid out for ops that run */
	const struct tn_alias_options views = { .align = run->options->align,
		.views_only = true };
	enum tn_status status =
		tn_aliases_choose(&run->graph, &views, &run->arena, &run->aliases);

	if (status == TN_OK)
		status = run->options->plan ? from_file(run, run->options->plan)
					    : from_claims(run);
	if (status == TN_OK)
		status = tn_repair_plan(run);
	if (status == TN_ERR_REFUSED) {
		tn_diag_at(&run->diags, SEVERITY_WARNING, "plan/replaced", run->source,
			NULL, NULL, "no repair was found: this is a plan of our own");
		run->plan = own;
		run->aliases = own_aliases;
		run->verified = true;
		return TN_OK;
	}
	if (status != TN_OK)
		return status;
	run->planned = true;
	digest(run);
	run->plan.no_reuse_bytes = own.no_reuse_bytes;
	run->plan.disjoint_bound_bytes = own.disjoint_bound_bytes;
	/* in another order, or with liberties of the claims, the bound says nothing */
	run->plan.bound_bytes =
		same_order(run) && own.bound_bytes <= run->plan.activation_bytes
			? own.bound_bytes
			: 0;
	run->plan.optimal = run->plan.activation_bytes == run->plan.bound_bytes;
	return TN_OK;
}
