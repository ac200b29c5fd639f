#include "driver/changes.h"

#include <string.h>

#include "base/banned.h"

#define ALIGN_LEAST 4 /* bytes: what the kernels' elements need */

static bool change_overlap(struct tn_trial *t, const struct tn_run *run, uint32_t i)
{
	(void)run;
	(void)i;
	if (t->options.overlap == TENURE_OVERLAP_FULL)
		return false;
	t->options.overlap = TENURE_OVERLAP_FULL;
	return true;
}

static bool change_schedule(struct tn_trial *t, const struct tn_run *run, uint32_t i)
{
	(void)run;
	(void)i;
	if (t->options.schedule == TENURE_SCHEDULE_SEARCH)
		return false;
	t->options.schedule = TENURE_SCHEDULE_SEARCH;
	return true;
}

static bool change_stream(struct tn_trial *t, const struct tn_run *run, uint32_t i)
{
	(void)run;
	(void)i;
	if (t->options.stream == TENURE_STREAM_AUTO || t->run.memories.n_regions)
		return false;
	t->options.stream = TENURE_STREAM_AUTO;
	return true;
}

static bool change_inputs(struct tn_trial *t, const struct tn_run *run, uint32_t i)
{
	bool any = false;

	(void)run;
	(void)i;
	for (uint32_t k = 0; k < t->run.graph.n_inputs; k++) {
		struct tn_tensor *input = &t->run.graph.tensors[t->run.graph.inputs[k].i];

		any = any || !input->clobber;
		input->clobber = true;
	}
	return any;
}

static bool change_objective(struct tn_trial *t, const struct tn_run *run, uint32_t i)
{
	(void)run;
	(void)i;
	if (t->options.objective == TENURE_OBJECTIVE_ARENA || t->run.memories.n_regions)
		return false;
	t->options.objective = TENURE_OBJECTIVE_ARENA;
	return true;
}

static bool change_align(struct tn_trial *t, const struct tn_run *run, uint32_t i)
{
	(void)run;
	(void)i;
	if (t->options.align <= ALIGN_LEAST)
		return false;
	t->options.align = ALIGN_LEAST;
	return true;
}

/* ---- rewrites that were not asked for ---- */

static bool missing_pass(const struct tn_run *run, uint32_t i)
{
	return tn_passes_exact() & ~run->rewrites.passes & 1u << i;
}

static uint32_t count_passes(const struct tn_run *run)
{
	(void)run;
	return PASS_COUNT;
}

/* The graph's claims speak of ops that the pass may remove: a trial does not look at them. */
static bool change_rewrite(struct tn_trial *t, const struct tn_run *run, uint32_t i)
{
	struct tn_rewrites log;
	bool any = false;

	if (!missing_pass(run, i) ||
		tn_rewrite(&run->graph, 1u << i, &t->run.arena, &t->run.strings,
			&t->run.graph, &log) != TN_OK)
		return false;
	for (size_t k = 0; k < log.list.count; k++)
		any = any || log.list.items[k].done;
	return any;
}

static const char *name_pass(const struct tn_run *run, uint32_t i)
{
	(void)run;
	return tn_pass_name((enum tn_pass)i);
}

/* ---- what the caller asked for ---- */

static uint32_t count_keep(const struct tn_run *run)
{
	return (uint32_t)run->options->keep.n;
}

static bool change_keep(struct tn_trial *t, const struct tn_run *run, uint32_t i)
{
	const char *name = run->options->keep.items[i];

	for (uint32_t k = 0; k < t->run.graph.n_tensors; k++)
		if (strcmp(t->run.graph.tensors[k].name, name) == 0)
			t->run.graph.tensors[k].observed = false;
	return true;
}

static const char *name_keep(const struct tn_run *run, uint32_t i)
{
	return run->options->keep.items[i];
}

static uint32_t count_pins(const struct tn_run *run)
{
	return run->memories.n_pins;
}

static bool change_pin(struct tn_trial *t, const struct tn_run *run, uint32_t i)
{
	struct tn_memories *m = &t->run.memories;

	(void)run;
	m->pins[i] = m->pins[--m->n_pins];
	return true;
}

static const char *name_pin(const struct tn_run *run, uint32_t i)
{
	return run->graph.tensors[run->memories.pins[i].tensor].name;
}

static uint32_t count_regions(const struct tn_run *run)
{
	return run->memories.n_regions;
}

static bool change_reserve(struct tn_trial *t, const struct tn_run *run, uint32_t i)
{
	struct tn_plan_region *r = &t->run.memories.regions[i];
	const bool any = r->reserved > 0;

	(void)run;
	r->reserved = 0;
	return any;
}

static bool change_owned(struct tn_trial *t, const struct tn_run *run, uint32_t i)
{
	struct tn_plan_region *r = &t->run.memories.regions[i];
	const bool any = r->owned;

	(void)run;
	r->owned = false;
	return any;
}

static const char *name_region(const struct tn_run *run, uint32_t i)
{
	return run->memories.regions[i].name;
}

const struct tn_change tn_changes[TN_CHANGES] = {
	{ NULL, change_overlap, NULL, "--overlap full", "" },
	{ count_passes, change_rewrite, name_pass, "--rewrite ", "" },
	{ NULL, change_objective, NULL, "--objective arena", "" },
	{ NULL, change_align, NULL, "--align 4", "" },
	{ NULL, change_schedule, NULL, "--schedule search", "" },
	{ NULL, change_stream, NULL, "--stream auto (ops run row by row)", "" },
	{ NULL, change_inputs, NULL,
		"graph inputs that may be overwritten (without --keep-inputs, or "
		"'clobber' in the graph)",
		"" },
	{ count_keep, change_keep, name_keep, "without --keep ", "" },
	{ count_pins, change_pin, name_pin, "without the pin of '", "'" },
	{ count_regions, change_reserve, name_region, "without the reserve of '", "'" },
	{ count_regions, change_owned, name_region, "without --owned ", "" },
};

uint32_t tn_change_count(const struct tn_change *change, const struct tn_run *run)
{
	return change->count ? change->count(run) : 1;
}

void tn_change_words(const struct tn_change *change, const struct tn_run *run, uint32_t i,
	struct tn_strbuf *out)
{
	tn_strbuf_printf(out, "%s%s%s", change->text,
		change->name ? change->name(run, i) : "", change->end);
}
