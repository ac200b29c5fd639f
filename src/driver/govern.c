#include "driver/govern.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/filename.h"
#include "base/glob.h"
#include "driver/govern_part.h"
#include "report/findings.h"
#include "rules/check.h"
#include "rules/facts.h"
#include "rules/fingerprint.h"

#include "base/banned.h"

bool tn_govern_knows(const struct tn_govern *g, const char *name, size_t len)
{
	for (size_t i = 0; i < g->regimes.count; i++)
		for (size_t k = 0; k < g->regimes.items[i]->rules.n; k++) {
			const char *id = g->regimes.items[i]->rules.items[k].id;

			if (len && strncmp(id, name, len) == 0 &&
				(!id[len] || id[len] == '/'))
				return true;
		}
	return !g->regimes.count && len; /* no file, no rules: nothing to judge by */
}

static bool is_among(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return false;
}

bool tn_govern_list_families(struct tn_govern *g)
{
	TN_VEC(const char *) list = { 0 };
	struct tn_strbuf text;
	bool ok;

	tn_strbuf_init(&text);
	for (size_t i = 0; i < g->regimes.count; i++)
		for (size_t k = 0; k < g->regimes.items[i]->rules.n; k++) {
			const char *id = g->regimes.items[i]->rules.items[k].id;
			const char *family =
				tn_arena_strndup(g->arena, id, strcspn(id, "/"));

			if (family && is_among(list.items, list.count, family))
				continue;
			if (!family || !tn_vec_push(g->arena, &list, family)) {
				tn_strbuf_release(&text);
				return false;
			}
			tn_strbuf_printf(&text, "%s%s", text.len ? ", " : "", family);
		}
	if (!text.failed && text.text)
		tn_diag_note(g->diags, "families: %s", text.text);
	ok = !text.failed;
	tn_strbuf_release(&text);
	return ok;
}

/* What is off is not even reported. */
static bool set_severity(const struct tn_regime *r, struct tn_diag *d)
{
	const struct tn_config_rule *row = d->rule ? tn_govern_row(r, d->rule) : NULL;

	if (row && !row->off)
		d->severity = row->severity;
	return !row || !row->off;
}

static bool excuses(const char *rule, const char *name, const struct tn_diag *d)
{
	return d->rule && tn_glob(rule, d->rule) &&
	       (!name || (d->subject && tn_glob(name, d->subject)));
}

/* Does the graph's own file suppress it? One without a reason does not count. */
static bool is_excused(struct tn_run *run, const struct tn_diag *d, const char **reason)
{
	bool any = false;

	for (uint32_t i = 0; i < run->excuses.n; i++) {
		struct tn_excuse *e = &run->excuses.items[i];

		if (!e->reason || !excuses(e->rule, e->name, d))
			continue;
		if (!any)
			*reason = e->reason;
		e->used = any = true;
	}
	return any;
}

static bool is_suppressed(const struct tn_govern *g, const struct tn_ward *w,
	const struct tn_diag *d, const char **reason)
{
	const struct tn_config *c = &w->regime->config;
	bool any = false;

	for (size_t i = 0; i < c->n_suppressions; i++) {
		const struct tn_config_suppress *s = &c->suppressions[i];

		if (!excuses(s->rule, s->name, d) || !tn_govern_matches(g, w, s->models))
			continue;
		if (!any)
			*reason = s->reason;
		w->regime->used[i] = true;
		any = true;
	}
	return any;
}

/* The file as the baseline in that folder names it. */
static const char *name_for(
	const struct tn_govern *g, const struct tn_ward *w, const char *folder)
{
	return tn_filename_relative(g->arena, w->absolute, folder);
}

static enum tn_status remember(struct tn_govern *g, const struct tn_ward *w,
	const struct tn_diag *d, uint64_t fingerprint)
{
	struct tn_baseline *b = &g->found;
	struct tn_known k = { .file = name_for(g, w, g->found.folder),
		.rule = d->rule ? d->rule : "tenure",
		.fingerprint = fingerprint,
		.count = 1,
		.message = tn_arena_strdup(g->arena, d->message) };

	if (!k.file || !k.message ||
		!tn_vec_grow(g->arena, (void **)&b->items, b->n, &g->found_capacity,
			sizeof(k)))
		return TN_ERR_NOMEM;
	b->items[b->n++] = k;
	return TN_OK;
}

static bool is_known(struct tn_govern *g, const char *name, uint64_t fingerprint)
{
	struct tn_known *known =
		g->options->baseline ? tn_baseline_find(&g->baseline, name, fingerprint)
				     : NULL;

	if (known)
		known->count--;
	return known != NULL;
}

static void note_seen(const struct tn_govern *g, const struct tn_ward *w)
{
	const struct tn_config *c = &w->regime->config;

	for (size_t i = 0; i < c->n_suppressions; i++)
		if (c->suppressions[i].models &&
			tn_govern_matches(g, w, c->suppressions[i].models))
			w->regime->seen[i] = true;
}

enum tn_status tn_govern_check(const struct tn_govern *g, size_t ward, struct tn_run *run)
{
	const struct tn_regime *r = g->wards[ward].regime;
	/* of the graph that was read, in its own order */
	const bool own =
		run->judged && !run->planned && run->rewrites.passes == TN_PASSES_NONE;
	const struct tn_facts_tables tables = { run->order, run->aliases, run->live,
		run->inplace };

	return tn_rules_check(&r->rules, r->skip, &run->read,
		run->planned ? &run->plan : NULL, own ? &tables : NULL, &run->arena,
		&run->diags);
}

/* Takes a finding out that somebody has accepted, but keeps it to be told. */
static bool put_aside(const struct tn_govern *g, const struct tn_ward *w,
	struct tn_run *run, const struct tn_diag *d)
{
	struct tn_view_suppressed s = { .diag = *d };

	s.in_source = is_excused(run, d, &s.reason);
	if (!s.in_source && !is_suppressed(g, w, d, &s.reason))
		return false;
	if (!tn_vec_push(&run->arena, &run->suppressed, s))
		run->diags.failed = true;
	return true;
}

/* What is wrong with the suppressions of the graph's file. */
static void judge_excuses(struct tn_run *run, bool whole)
{
	for (uint32_t i = 0; i < run->excuses.n; i++) {
		const struct tn_excuse *e = &run->excuses.items[i];

		if (!e->reason)
			tn_diag_at(&run->diags, SEVERITY_WARNING,
				"config/suppression-reason", run->source, e->pointer,
				e->name, "a suppression of '%s' needs a reason", e->rule);
		else if (!e->used && whole)
			tn_diag_at(&run->diags, SEVERITY_NOTE,
				"config/unused-suppression", run->source, e->pointer,
				e->name, "nothing is suppressed here any more");
	}
}

enum tn_status tn_govern_apply(struct tn_govern *g, const struct tn_ward *w,
	struct tn_run *run, enum tn_status status)
{
	const struct tn_graph *graph = run->graph.source ? &run->graph : NULL;
	struct tn_diags *diags = &run->diags;
	const char *name = g->options->baseline ? name_for(g, w, g->baseline.folder) : "";
	const size_t n = diags->list.count;
	size_t kept = 0;

	if (!name)
		return TN_ERR_NOMEM;
	if (status == TN_OK)
		note_seen(g, w);
	for (size_t i = 0; i < n; i++)
		(void)is_excused(run, &diags->list.items[i], &(const char *){ NULL });
	judge_excuses(run, status == TN_OK && !g->options->only);
	diags->errors = diags->warnings = 0;
	for (size_t i = 0; i < diags->list.count; i++) {
		struct tn_diag d = diags->list.items[i];
		const bool stays = status != TN_OK && d.severity == SEVERITY_ERROR;
		bool out = !stays &&
			   (!set_severity(w->regime, &d) || put_aside(g, w, run, &d));

		if (!out && (g->options->baseline || g->options->write_baseline)) {
			const uint64_t print = tn_fingerprint(graph, &d);

			if (g->options->write_baseline && !stays &&
				remember(g, w, &d, print) != TN_OK)
				return TN_ERR_NOMEM;
			out = !stays &&
			      (g->options->write_baseline || is_known(g, name, print));
		}
		if (out)
			continue;
		diags->errors += d.severity == SEVERITY_ERROR;
		diags->warnings += d.severity == SEVERITY_WARNING;
		diags->list.items[kept++] = d;
	}
	diags->list.count = kept;
	return diags->failed ? TN_ERR_NOMEM : TN_OK;
}

static const char *help_of(const struct tn_govern *g, const struct tn_rule *rule)
{
	const char *why = rule->why ? rule->why : "", *fix = rule->fix ? rule->fix : "";

	return tn_arena_printf(g->arena, "%s%s%s%s", why, *why && *fix ? "\n\n" : "",
		*fix ? "To fix it: " : "", fix);
}

/* The rules that have findings, each once: there are few, and findings may be many. */
struct found {
	TN_VEC(const char *) rules;
	const char *newest;
};

static bool is_found(const struct found *f, const char *rule)
{
	for (size_t i = 0; i < f->rules.count; i++)
		if (strcmp(f->rules.items[i], rule) == 0)
			return true;
	return false;
}

static bool add_found(struct found *f, struct tn_arena *arena, const char *rule)
{
	if (!rule || rule == f->newest)
		return true;
	f->newest = rule;
	return is_found(f, rule) || tn_vec_push(arena, &f->rules, rule);
}

static bool find_rules(
	const struct tn_view *views, size_t n, struct tn_arena *arena, struct found *out)
{
	bool ok = true;

	for (size_t i = 0; i < n; i++) {
		const struct tn_diags *d = views[i].diags;

		for (size_t k = 0; d && k < d->list.count; k++)
			ok = ok && add_found(out, arena, d->list.items[k].rule);
		for (size_t k = 0; k < views[i].n_suppressed; k++)
			ok = ok &&
			     add_found(out, arena, views[i].suppressed[k].diag.rule);
	}
	return ok;
}

enum tn_status tn_govern_describe(struct tn_govern *g, struct tn_view *views, size_t n)
{
	TN_VEC(struct tn_view_rule) list = { 0 };
	struct found found = { 0 };

	if (!find_rules(views, n, g->arena, &found))
		return TN_ERR_NOMEM;
	for (size_t i = 0; i < g->regimes.count; i++)
		for (size_t k = 0; k < g->regimes.items[i]->rules.n; k++) {
			const struct tn_rule *rule = &g->regimes.items[i]->rules.items[k];
			struct tn_view_rule v = { .id = rule->id,
				.summary = rule->title,
				.severity = rule->severity };
			bool told = false;

			for (size_t j = 0; j < list.count && !told; j++)
				told = strcmp(list.items[j].id, rule->id) == 0;
			if (told || !is_found(&found, rule->id))
				continue;
			v.help = help_of(g, rule);
			if (!v.help || !tn_vec_push(g->arena, &list, v))
				return TN_ERR_NOMEM;
		}
	for (size_t i = 0; i < n; i++) {
		views[i].rules = list.items;
		views[i].n_rules = list.count;
	}
	return TN_OK;
}

enum tn_status tn_govern_close(struct tn_govern *g)
{
	struct tn_strbuf text;
	enum tn_status status = TN_OK;

	if (!g->options->write_baseline)
		return TN_OK;
	tn_strbuf_init(&text);
	tn_baseline_sort(&g->found);
	tn_baseline_write(&g->found, &text);
	status = text.failed ? TN_ERR_NOMEM
			     : tn_file_write(g->diags, g->options->write_baseline,
				       text.text, text.len);
	tn_strbuf_release(&text);
	return status;
}
