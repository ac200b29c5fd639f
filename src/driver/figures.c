#include "driver/figures.h"

#include <inttypes.h>

#include "base/checked.h"
#include "lower/place.h"

static void refuse(struct tn_run *run, const char *pointer, const char *text)
{
	tn_diag_at(&run->diags, SEVERITY_ERROR, "plan/figures", run->plan_source, pointer,
		NULL, "%s", text ? text : "out of memory");
	run->verified = false;
}

enum tn_status tn_figures_no_reuse(struct tn_run *run, int64_t *out_bytes)
{
	const struct tn_plan *p = &run->plan;
	bool *elided = TN_NEW_ARRAY(&run->arena, bool, p->n_ops);
	const int64_t *tails;

	for (uint32_t i = 0; elided && i < p->n_ops; i++)
		elided[i] = p->ops[i].elided;
	tails = elided ? tn_graph_tails(&run->graph, elided, &run->arena) : NULL;
	if (!tails)
		return TN_ERR_NOMEM;
	*out_bytes = tn_plan_no_reuse(p, tails);
	return TN_OK;
}

/* What its places come to. */
static void compare_sizes(struct tn_run *run, int64_t no_reuse)
{
	const struct tn_plan *p = &run->plan;
	const struct tn_figures *f = &run->verdict.figures;
	const struct {
		const char *pointer, *what;
		int64_t said, found;
	} rows[] = {
		{ "/arena_bytes", "arena", p->arena_bytes, f->arena },
		{ "/activation_bytes", "activations", p->activation_bytes,
			f->activations },
		{ "/scratch_bytes", "largest scratch", p->scratch_bytes, f->scratch },
		{ "/no_reuse_bytes", "tensors, each in memory of its own,",
			p->no_reuse_bytes, no_reuse },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].said != rows[i].found)
			refuse(run, rows[i].pointer,
				tn_arena_printf(run->diags.arena,
					"%s: the plan says %" PRId64
					" bytes, its places come to %" PRId64,
					rows[i].what, rows[i].said, rows[i].found));
}

/* A lower bound that the plan itself is below is none, and what is optimal reaches it. */
static void compare_bounds(struct tn_run *run)
{
	const struct tn_plan *p = &run->plan;
	const struct tn_plan_schedule *s = &p->schedule;
	const struct {
		const char *bound_at, *optimal_at;
		int64_t bound;
		bool optimal;
	} rows[] = {
		{ "/bound_bytes", "/optimal", p->bound_bytes, p->optimal },
		{ "/schedule/bound_bytes", "/schedule/optimal", s->bound_bytes,
			s->optimal },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].bound > p->activation_bytes)
			refuse(run, rows[i].bound_at,
				tn_arena_printf(run->diags.arena,
					"the lower bound of %" PRId64
					" bytes is above the plan's %" PRId64,
					rows[i].bound, p->activation_bytes));
		else if (rows[i].optimal && rows[i].bound != p->activation_bytes)
			refuse(run, rows[i].optimal_at,
				tn_arena_printf(run->diags.arena,
					"the plan's %" PRId64 " bytes are not the lower "
					"bound of %" PRId64,
					p->activation_bytes, rows[i].bound));
	}
}

enum tn_status tn_figures_compare(struct tn_run *run)
{
	int64_t no_reuse;
	const enum tn_status status = tn_figures_no_reuse(run, &no_reuse);

	if (status != TN_OK)
		return status;
	compare_sizes(run, no_reuse);
	if (run->verified)
		compare_bounds(run);
	run->plan.said = (struct tn_plan_said){ true, true, true };
	return run->verified ? TN_OK : TN_ERR_REFUSED;
}

enum tn_status tn_figures_take(struct tn_run *run)
{
	struct tn_plan *p = &run->plan;

	p->arena_bytes = run->verdict.figures.arena;
	p->activation_bytes = run->verdict.figures.activations;
	p->scratch_bytes = run->verdict.figures.scratch;
	p->said = (struct tn_plan_said){ true, true, true };
	return tn_figures_no_reuse(run, &p->no_reuse_bytes);
}

/* ---- bounds ---- */

/* The tables of the plan's own choice of copies. */
struct again {
	struct tn_aliases aliases;
	struct tn_liveness live;
	struct tn_inplace inplace;
	struct tn_lowered lowered;
};

/* With other copies left out, or less scratch where it sticks out of the activations, the
 * bound might be another one, and the file's is of all that were tried. */
static bool chooses(const struct tn_run *run, const struct again *a)
{
	for (uint32_t i = 0; i < a->aliases.n_no_copy; i++) {
		const struct tn_no_copy *v = &a->aliases.no_copy[i];
		const struct tn_op *op = &run->graph.ops[v->op.i];

		if (v->declined ||
			(a->aliases.elided[v->op.i] &&
				run->graph.tensors[op->inputs[v->input].i].bytes !=
					run->graph.tensors[op->outputs[v->output].i]
						.bytes))
			return true;
	}
	return run->plan.arena_bytes > run->plan.activation_bytes;
}

static enum tn_status lower(
	struct tn_run *run, const struct tn_memories *m, struct again *a)
{
	const struct tn_graph *g = &run->graph;
	const struct tn_tables tables = { g, &run->order, &a->aliases, &a->live,
		&a->inplace };
	struct tn_lower_options options = { .overlap = run->plan.overlap,
		.align = run->plan.align };
	struct tn_alias_options views = { .align = options.align, .order = &run->order };
	bool *runs = TN_NEW_ARRAY(&run->arena, bool, g->n_ops), *apart = NULL;
	enum tn_status status;

	if (!runs)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_ops; i++)
		runs[i] = !run->plan.ops[i].elided;
	views.run = runs;
	status = tn_pins_views(m, g, &run->arena, &views);
	if (status == TN_OK)
		status = tn_aliases_choose(g, &views, &run->arena, &a->aliases);
	if (status == TN_OK)
		status = tn_liveness_find(
			g, &run->order, &a->aliases, &run->arena, &a->live);
	if (status == TN_OK)
		status = tn_inplace_judge(
			g, &run->order, &a->aliases, &a->live, &run->arena, &a->inplace);
	if (status == TN_OK && m->n_regions)
		status = tn_pins_apart(&tables, m, &run->arena, &apart);
	options.apart = apart;
	for (uint32_t r = 0; r < m->n_regions; r++)
		options.merge_align =
			tn_max_i64(options.merge_align, m->regions[r].align);
	return status == TN_OK ? tn_lower(&tables, &options, &run->arena, &run->diags,
					 &a->lowered)
			       : status;
}

/* Was the plan made with memories? */
static bool has_memories(const struct tn_plan *p)
{
	const struct tn_plan_region *r = p->regions;

	return p->n_pins || p->n_regions != 1 || r->capacity >= 0 || r->reserved ||
	       r->has_base || r->owned;
}

enum tn_status tn_figures_bound(struct tn_run *run)
{
	struct tn_plan *p = &run->plan;
	const struct tn_memories memories = { .regions = p->regions,
		.n_regions = has_memories(p) ? p->n_regions : 0,
		.pins = p->pins,
		.n_pins = p->n_pins };
	struct again a;
	int64_t bound;
	enum tn_status status;

	/* in parts all lives are others; and older files do not say how they were planned */
	if (p->n_streams || !p->align)
		return TN_OK;
	status = lower(run, &memories, &a);
	if (status == TN_OK)
		status = tn_bound(&a.lowered.problem, &run->arena, &bound);
	if (status != TN_OK)
		return status;
	bound = tn_memories_bound(&memories, p->align, bound);
	p->disjoint_bound_bytes = a.lowered.disjoint_bound_bytes;
	p->said.disjoint = false;
	/* in place through a buffer can be below it */
	p->said.bound = bound > p->activation_bytes || p->bound_bytes > bound;
	if (!p->said.bound && !chooses(run, &a)) {
		p->bound_bytes = bound;
		p->optimal = p->activation_bytes == bound;
	}
	return TN_OK;
}
