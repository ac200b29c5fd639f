#include "driver/repair.h"

#include <inttypes.h>
#include <string.h>

#include "driver/figures.h"
#include "driver/judge.h"
#include "driver/schedule.h"
#include "bind/bind.h"
#include "import/plan_json.h"
#include "ir/digest.h"
#include "lower/lower.h"
#include "rewrite/insert.h"

#include "base/banned.h"

struct copies {
	struct tn_plan_copy *items;
	size_t count, capacity;
};

static void tell(struct tn_run *run, const struct tn_repair_step *s)
{
	const struct tn_claim *c = &run->graph.claims[s->claim];

	tn_diag_at(&run->diags, SEVERITY_NOTE, "claims/repaired", run->source, c->pointer,
		c->id, "%s: %s (%" PRId64 " B)", s->hazard ? s->hazard : "unproved",
		s->remedy.text, s->remedy.bytes);
}

static void tell_spared(struct tn_run *run)
{
	for (uint32_t i = 0; i < run->n_spared; i++) {
		const struct tn_plan_copy *c = &run->spared[i];
		const struct tn_tensor *t = &run->graph.tensors[c->tensor];
		const struct tn_op *op = &run->graph.ops[c->reader];
		const struct tn_op *was = &run->unspared.ops[c->reader];
		bool writes = false;

		for (uint32_t k = 0; k < was->n_outputs; k++)
			writes = writes || was->outputs[k].i == c->tensor;
		tn_diag_at(&run->diags, SEVERITY_NOTE, "plan/repaired", run->source,
			op->pointer, op->name,
			writes ? "'%s' writes a copy of '%s', which must stay as it is "
				 "(%" PRId64 " B)"
			       : "'%s' destroys a copy of '%s', which is needed after it "
				 "(%" PRId64 " B)",
			op->name, t->name, t->bytes);
	}
}

/* The graph with the copies that a claim needs, all or none of them: TN_ERR_INPUT. */
static enum tn_status insert(
	struct tn_run *run, const struct tn_repair *wanted, struct copies *list)
{
	const size_t had = list->count;
	uint32_t bad;
	enum tn_status status;

	if (had + wanted->n_copies > TN_PLAN_COPIES_MAX)
		return TN_ERR_INPUT;
	for (uint32_t i = 0; i < wanted->n_copies; i++) {
		const struct tn_claim_copy *c = &wanted->copies[i];
		const struct tn_plan_copy copy = { c->tensor, c->before, c->reader };

		if (!tn_vec_push(&run->arena, list, copy))
			return TN_ERR_NOMEM;
	}
	status = tn_rewrite_insert_copies(&run->graph, list->items + had,
		wanted->n_copies, &run->arena, &run->strings, &run->graph, &bad);
	if (status == TN_ERR_INPUT)
		list->count = had;
	return status;
}

/* Judges the claims again and again, each time with the copies in the graph that are the
 * cheapest remedy of one. One that cannot be had, or a claim that asks twice, ends that. */
static enum tn_status judge(
	struct tn_run *run, struct copies *list, struct tn_repair *out)
{
	struct tn_claim_options options;
	enum tn_status status = tn_judge_options(run, &options);
	bool may_copy = true;

	for (uint32_t round = 0; status == TN_OK; round++) {
		status = tn_claims_repair(&run->graph, &options,
			may_copy && round < run->graph.n_claims, &run->arena, &run->diags,
			out);
		if (status != TN_OK || !out->copies)
			break;
		status = insert(run, out, list);
		if (status == TN_OK)
			tell(run, &out->steps[out->n_steps - 1]);
		may_copy = status == TN_OK;
		status = status == TN_ERR_INPUT ? TN_OK : status;
	}
	return status;
}

/* What the graph means stays what it was, and so does its own order. */
enum tn_status tn_repair_tables(
	struct tn_run *run, const struct tn_repair *repair, uint32_t n_copies)
{
	tn_op_id *given = run->graph.schedule;
	tn_op_id *order = TN_NEW_ARRAY(&run->arena, tn_op_id, run->graph.n_ops);
	bool *runs = TN_NEW_ARRAY(&run->arena, bool, run->graph.n_ops);
	/* what others have laid out was laid out for ops that run */
	const struct tn_alias_options views = {
		.align = run->options->align, .run = runs, .views_only = true
	};
	enum tn_status status = TN_OK;

	if (!order || !runs)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < run->graph.n_ops; i++) {
		order[i].i = repair ? repair->order[i] : given[i].i;
		runs[i] = i >= run->graph.n_ops - n_copies;
	}
	run->graph.schedule = order;
	if (n_copies || run->n_spared || (repair && repair->has_order))
		status = tn_pipeline_tables(run);
	if (status == TN_OK)
		status = tn_aliases_choose(
			&run->graph, &views, &run->arena, &run->aliases);
	if (status == TN_OK)
		status = tn_liveness_find(
			&run->graph, &run->order, &run->aliases, &run->arena, &run->live);
	run->graph.schedule = given;
	return status;
}

static void digest(struct tn_run *run)
{
	run->plan.digests = (struct tn_plan_digests){ tn_digest_graph(&run->graph),
		tn_digest_constants(&run->graph), tn_kernels_digest(&run->graph),
		tn_contract_digest() };
}

static enum tn_status from_claims(struct tn_run *run)
{
	struct copies copies = { 0 };
	struct tn_repair repair;
	enum tn_status status = TN_OK;

	for (uint32_t i = 0; i < run->n_spared && status == TN_OK; i++)
		if (!tn_vec_push(&run->arena, &copies, run->spared[i]))
			status = TN_ERR_NOMEM;
	tell_spared(run);
	if (status == TN_OK)
		status = judge(run, &copies, &repair);
	for (size_t i = 0; status == TN_OK && i < repair.n_steps; i++)
		tell(run, &repair.steps[i]);
	if (status == TN_OK && !repair.has_order)
		repair.has_order = tn_repair_order(&run->graph, repair.order);
	if (status == TN_OK)
		status = tn_repair_tables(run, &repair, (uint32_t)copies.count);
	if (status == TN_OK)
		status = tn_repair_layout(run, &repair, &run->plan);
	if (status == TN_OK) {
		run->plan.copies = copies.items;
		run->plan.n_copies = (uint32_t)copies.count;
	}
	return status;
}

static enum tn_status from_file(struct tn_run *run, const char *file)
{
	struct tn_plan_digests want;
	enum tn_status status;

	run->graph = run->unspared; /* the file knows of no other copies than its own */
	digest(run);
	want = run->plan.digests;
	status = tn_plan_file_read(run->plan_parsed, &run->graph, &want, &run->arena,
		&run->strings, &run->diags, &run->plan);
	tn_plan_file_close(run->plan_parsed);
	if (status == TN_OK && run->plan.n_streams) {
		tn_diag_at(&run->diags, SEVERITY_ERROR, "command/stream", NULL, NULL,
			file,
			"'%s' has chains, whose rings cannot be moved one by one: plan "
			"anew with --stream",
			file);
		status = TN_ERR_INPUT;
	}
	return status == TN_OK ? tn_repair_tables(run, NULL, run->plan.n_copies) : status;
}

/* The tables of the plan's order, with these copies left out. */
static enum tn_status tables_of(
	struct tn_run *run, const struct tn_alias_options *views, struct tn_outcome *o)
{
	const struct tn_graph *g = &run->graph;
	enum tn_status status;

	o->order = (struct tn_order){ TN_NEW_ARRAY(&run->arena, tn_op_id, g->n_ops),
		TN_NEW_ARRAY(&run->arena, uint32_t, g->n_ops), g->n_ops };
	if (!o->order.at || !o->order.position)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		o->order.at[i].i = run->plan.order[i];
		o->order.position[run->plan.order[i]] = i;
	}
	status = tn_aliases_choose(g, views, &run->arena, &o->aliases);
	if (status == TN_OK)
		status = tn_liveness_find(
			g, &o->order, &o->aliases, &run->arena, &o->live);
	return status == TN_OK ? tn_inplace_judge(g, &o->order, &o->aliases, &o->live,
					 &run->arena, &o->inplace)
			       : status;
}

/* What is said beside the plan is of the graph with its copies, in the plan's order. No choice
 * of the planner keeps fewer bytes alive than leaving out every copy of the graph's own:
 * that bounds what was chosen here, unless a claim has taken liberties. */
static enum tn_status figures(struct tn_run *run)
{
	const struct tn_graph *g = &run->graph;
	const struct tn_lower_options options = { .overlap = OVERLAP_FULL,
		.align = run->options->align };
	bool *runs = TN_NEW_ARRAY(&run->arena, bool, g->n_ops), holds;
	const struct tn_alias_options views = {
		.align = run->options->align, .run = runs, .any_order = true
	};
	struct tn_outcome o = { .order = { .n = 0 } };
	const struct tn_tables tables = { g, &o.order, &o.aliases, &o.live, &o.inplace };
	enum tn_status status;
	int64_t bound = 0;

	if (!runs)
		return TN_ERR_NOMEM;
	holds = run->plan.n_regions == 1;
	for (uint32_t i = g->n_ops - run->plan.n_copies; i < g->n_ops; i++) {
		runs[i] = true;
		holds = holds && !run->plan.ops[i].elided;
	}
	status = tables_of(run, &views, &o);
	if (status == TN_OK)
		status =
			tn_lower(&tables, &options, &run->arena, &run->diags, &o.lowered);
	if (status == TN_OK)
		status = tn_bound(&o.lowered.problem, &run->arena, &bound);
	if (status != TN_OK)
		return status;
	if (run->plan.n_copies) /* what may share bytes, now that copies are there */
		run->inplace = o.inplace;
	run->plan.disjoint_bound_bytes = o.lowered.disjoint_bound_bytes;
	run->plan.align = run->options->align;
	run->plan.bound_bytes = holds && bound <= run->plan.activation_bytes ? bound : 0;
	run->plan.optimal = run->plan.activation_bytes == run->plan.bound_bytes;
	return tn_figures_no_reuse(run, &run->plan.no_reuse_bytes);
}

/* Has somebody said where what may lie? */
static bool has_memories(const struct tn_plan *plan)
{
	const struct tn_plan_region *r = plan->regions;

	return plan->n_pins || plan->n_regions != 1 || r->capacity >= 0 || r->reserved ||
	       r->has_base || r->owned;
}

/* Our own plan has the copies that the file names, and those that ops destroy. */
static enum tn_status join_copies(struct tn_run *run, const struct tn_plan *read)
{
	const uint32_t n = read ? read->n_copies : 0;

	run->plan.copies =
		TN_NEW_ARRAY(&run->arena, struct tn_plan_copy, n + run->n_spared);
	if (!run->plan.copies)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < n + run->n_spared; i++)
		run->plan.copies[i] = i < n ? read->copies[i] : run->spared[i - n];
	run->plan.n_copies = n + run->n_spared;
	return TN_OK;
}

/* No repair was found. A plan of our own knows none of the file's memories. */
static enum tn_status replace(struct tn_run *run, const struct tn_graph *graph,
	const struct tn_outcome *own, const struct tn_plan *read)
{
	if (run->options->plan && has_memories(read)) {
		tn_diag_at(&run->diags, SEVERITY_ERROR, "plan/no-repair", run->source,
			NULL, run->options->plan,
			"no repair was found that keeps to the regions and pins of '%s': "
			"plan anew, with --region and --pin",
			run->options->plan);
		return TN_ERR_REFUSED;
	}
	tn_diag_at(&run->diags, SEVERITY_WARNING, "plan/replaced", run->source, NULL,
		NULL, "no repair was found: this is a plan of our own");
	run->graph = *graph;
	tn_outcome_restore(run, own);
	run->verified = true;
	return join_copies(run, run->options->plan ? read : NULL);
}

enum tn_status tn_repair_run(struct tn_run *run)
{
	const struct tn_outcome own = tn_outcome_of(run);
	const struct tn_graph graph = run->graph;
	enum tn_status status = run->options->plan ? from_file(run, run->options->plan)
						   : from_claims(run);
	/* that the file names, and that the graph has been read with */
	const struct tn_plan read = run->plan;

	if (status != TN_OK)
		return status;
	status = tn_repair_plan(run);
	if (status == TN_ERR_REFUSED)
		return replace(run, &graph, &own, &read);
	if (status != TN_OK)
		return status;
	run->planned = true;
	digest(run);
	return figures(run);
}
