#include "driver/extras.h"

#include "driver/command.h"
#include "validate/validation.h"

/* The same graph, planned so that no two tensors that are alive have a byte in common.
 * Verified like any plan of ours; a failure only costs the comparison. */
static void plan_disjoint(struct tn_run *run, struct tn_extras *x)
{
	struct tn_run *trial = &x->trial.run;
	struct tn_arena scratch;

	x->tried = true;
	if (!tn_trial_start(&x->trial, run))
		return;
	x->trial.options.overlap = TENURE_OVERLAP_NONE;
	x->trial.options.schedule = TENURE_SCHEDULE_GIVEN;
	for (uint32_t i = 0; i < run->graph.n_ops; i++)
		if (run->plan.order[i] != run->graph.schedule[i].i)
			return; /* another order would be another comparison */
	if (tn_pipeline_solve(trial) != TN_OK)
		return;
	trial->planned = true;
	tn_arena_init(&scratch);
	trial->verified = tn_verify(&trial->graph, &trial->plan, &scratch, &trial->diags,
				  &trial->verdict) == TN_OK;
	tn_arena_release(&scratch);
	x->disjoint = tn_command_view(trial);
	x->has_disjoint = trial->verified;
}

static bool same(const struct tn_validation_config *c)
{
	return c->verdict == VALIDATION_SAME || c->verdict == VALIDATION_NO_ROOM;
}

static bool keep_runs(
	struct tn_run *run, struct tn_extras *x, const struct tn_validation *v)
{
	x->runs = TN_NEW_ARRAY(&run->arena, struct tn_view_run, v->configs.count);
	x->digests = TN_NEW_ARRAY(&run->arena, struct tn_view_digest, v->n_layers);
	if (!x->runs || !x->digests)
		return false;
	for (size_t i = 0; i < v->configs.count; i++) {
		const struct tn_validation_config *c = &v->configs.items[i];
		struct tn_strbuf text;

		tn_strbuf_init(&text);
		tn_validation_verdict(&run->graph, v, c, &text);
		x->runs[i] = (struct tn_view_run){ .target = c->target,
			.options = c->options,
			.shared = c->shared,
			.same = same(c),
			.compared = c->compared,
			.verdict = text.failed
					   ? NULL
					   : tn_arena_strdup(&run->arena, text.text) };
		tn_strbuf_release(&text);
		if (!x->runs[i].verdict)
			return false;
	}
	for (uint32_t i = 0; i < v->n_layers; i++)
		x->digests[i] = (struct tn_view_digest){ v->layers[i].tensor,
			v->layers[i].run, v->layers[i].digest };
	x->n_runs = v->configs.count;
	x->n_digests = v->n_layers;
	return true;
}

enum tn_status tn_extras_make(struct tn_run *run, struct tn_extras *x)
{
	struct tn_validation v;
	enum tn_status status;

	*x = (struct tn_extras){ 0 };
	plan_disjoint(run, x);
	if (!run->options->validate || !run->verified)
		return TN_OK;
	status = tn_command_validate(run, &v);
	if ((status == TN_OK || status == TN_ERR_REFUSED) && !keep_runs(run, x, &v))
		return TN_ERR_NOMEM;
	return status;
}

void tn_extras_end(struct tn_extras *x)
{
	if (x->tried)
		tn_trial_end(&x->trial);
}

void tn_extras_show(const struct tn_extras *x, struct tn_view *view)
{
	if (x->has_disjoint)
		view->disjoint = &x->disjoint;
	view->runs = x->runs;
	view->n_runs = x->n_runs;
	view->digests = x->digests;
	view->n_digests = x->n_digests;
}
