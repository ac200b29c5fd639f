#include "driver/govern.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/filename.h"
#include "base/glob.h"
#include "driver/rule.h"
#include "driver/target.h"
#include "import/import.h"
#include "report/findings.h"
#include "rules/check.h"
#include "rules/facts.h"
#include "rules/fingerprint.h"

#include "base/banned.h"

static bool matches(
	const struct tn_govern *g, const struct tn_ward *w, const char *pattern)
{
	const char *name =
		tn_filename_relative(g->arena, w->absolute, w->regime->config.folder);

	return !pattern || (name && tn_filename_matches(pattern, name));
}

/* The last row that matches; NULL: the rule is as it is. */
static const struct tn_config_rule *row_of(const struct tn_regime *r, const char *id)
{
	for (size_t i = r->config.n_rules; i-- > 0;)
		if (tn_glob(r->config.rules[i].id, id))
			return &r->config.rules[i];
	return NULL;
}

static bool is_off(const struct tn_regime *r, const char *id)
{
	const struct tn_config_rule *row = row_of(r, id);

	return row && row->off;
}

/* A pack that cannot be read is told where it is asked for. */
static enum tn_status read_pack(
	const struct tn_govern *g, struct tn_regime *r, const struct tn_config_pack *pack)
{
	const size_t before = g->diags->list.count;
	enum tn_status status =
		tn_rules_read(pack->file, g->arena, g->diags, &r->rules);

	for (size_t i = before; i < g->diags->list.count; i++) {
		struct tn_diag *d = &g->diags->list.items[i];

		if (d->source)
			continue;
		d->source = r->config.source;
		d->line = (size_t)pack->line;
	}
	return status;
}

static enum tn_status check_target(const struct tn_govern *g, const struct tn_config *c)
{
	const struct tn_target_place place = { c->source, (size_t)c->line };
	tenure_options options = { .target = c->target, .boards = g->options->boards };
	struct tn_boards boards;

	return tn_target_boards(&options, &place, true, g->arena, g->diags, &boards);
}

static enum tn_status load(struct tn_govern *g, struct tn_regime *r)
{
	struct tn_config *c = &r->config;
	enum tn_status status = tn_rules_load(g->options, g->arena, g->diags, &r->rules);

	if (status == TN_OK && r->file)
		status = tn_config_read(r->file, g->arena, g->diags, c);
	for (size_t i = 0; i < c->n_packs && status == TN_OK; i++)
		status = read_pack(g, r, &c->packs[i]);
	if (status == TN_OK && c->target && !g->options->target)
		status = check_target(g, c);
	if (status == TN_OK)
		status = tn_config_check(c, &r->rules, g->diags);
	r->skip = TN_NEW_ARRAY(g->arena, bool, r->rules.n);
	r->used = TN_NEW_ARRAY(g->arena, bool, c->n_suppressions);
	r->seen = TN_NEW_ARRAY(g->arena, bool, c->n_suppressions);
	if (status == TN_OK && (!r->skip || !r->used || !r->seen))
		return TN_ERR_NOMEM;
	for (size_t i = 0; i < r->rules.n && status == TN_OK; i++)
		r->skip[i] = is_off(r, r->rules.items[i].id);
	return status;
}

/* Each configuration is read once. */
static enum tn_status regime_of(
	struct tn_govern *g, const char *config, struct tn_regime **out)
{
	for (size_t i = 0; i < g->regimes.count; i++) {
		const char *file = g->regimes.items[i]->file;

		*out = g->regimes.items[i];
		if (!file == !config && (!file || strcmp(file, config) == 0))
			return TN_OK;
	}
	*out = TN_NEW(g->arena, struct tn_regime);
	if (!*out || !tn_vec_push(g->arena, &g->regimes, *out))
		return TN_ERR_NOMEM;
	(*out)->file = config;
	return load(g, *out);
}

/* --config, or what lies in the folder of the file or above it. */
static enum tn_status find_config(
	const struct tn_govern *g, const char *absolute, const char **out)
{
	const char *named = g->options->config;
	const char *here = tn_filename_absolute(g->arena, "x");
	bool nomem = !here;

	*out = named && strcmp(named, "none") != 0 ? named : NULL;
	if (!named && !nomem) {
		*out = tn_config_find(absolute, g->arena, &nomem);
		here = tn_filename_folder(g->arena, here);
		if (*out && here) /* as a person would write it */
			*out = tn_filename_relative(g->arena, *out, here);
		nomem = nomem || !here;
	}
	return nomem ? TN_ERR_NOMEM : TN_OK;
}

static bool says(const char *word, const char *other)
{
	return word && strcmp(word, other) == 0;
}

static enum tenure_level level_of(const char *word)
{
	return says(word, "note")      ? TENURE_LEVEL_NOTE
	       : says(word, "warning") ? TENURE_LEVEL_WARNING
	       : word		       ? TENURE_LEVEL_ERROR
				       : TENURE_LEVEL_DEFAULT;
}

/* The last budget that matches counts. */
static enum tn_status add_budget(const struct tn_govern *g, struct tn_ward *w,
	const struct tn_config_budget *budget)
{
	const bool ram = g->options->ram < 0 && budget->ram >= 0;
	const bool flash = g->options->flash < 0 && budget->flash >= 0;
	const char *from = tn_arena_printf(
		g->arena, "%s:%ld", w->regime->config.source->name, budget->line);

	if (!from)
		return TN_ERR_NOMEM;
	if (ram) {
		w->options.ram = budget->ram;
		w->ram_from = from;
	}
	if (flash) {
		w->options.flash = budget->flash;
		w->flash_from = from;
	}
	return TN_OK;
}

/* What the command line does not say, the configuration does. */
static enum tn_status add_options(const struct tn_govern *g, struct tn_ward *w)
{
	const struct tn_config *c = &w->regime->config;
	tenure_options *o = &w->options;
	enum tn_status status = TN_OK;

	*o = *g->options;
	if (!o->profile && c->profile)
		o->profile = says(c->profile, "training") ? TENURE_PROFILE_TRAINING
							  : TENURE_PROFILE_INFERENCE;
	if (!o->execution && c->execution)
		o->execution = says(c->execution, "parallel")
				       ? TENURE_EXECUTION_PARALLEL
				       : TENURE_EXECUTION_SEQUENTIAL;
	if (!o->fail_on)
		o->fail_on = level_of(c->fail_on);
	if (!o->target)
		o->target = c->target;
	for (size_t i = 0; i < c->n_budgets && status == TN_OK; i++)
		if (matches(g, w, c->budgets[i].models))
			status = add_budget(g, w, &c->budgets[i]);
	return status;
}

static bool is_ignored(const struct tn_govern *g, const struct tn_ward *w)
{
	const struct tn_config *c = &w->regime->config;

	for (size_t i = 0; i < c->n_ignored; i++)
		if (matches(g, w, c->ignored[i]))
			return true;
	return false;
}

static enum tn_status open_ward(
	struct tn_govern *g, const char *file, struct tn_ward *w, bool *out_ignored)
{
	const char *config;
	enum tn_status status;

	*w = (struct tn_ward){ .file = file,
		.absolute = tn_filename_absolute(g->arena, file) };
	if (!w->absolute)
		return TN_ERR_NOMEM;
	status = find_config(g, w->absolute, &config);
	if (status == TN_OK)
		status = regime_of(g, config, &w->regime);
	*out_ignored = status == TN_OK && is_ignored(g, w);
	if (status == TN_OK && !*out_ignored)
		status = add_options(g, w);
	return status;
}

static enum tn_status open_baselines(struct tn_govern *g)
{
	const tenure_options *o = g->options;

	if (o->write_baseline) {
		const char *file = tn_filename_absolute(g->arena, o->write_baseline);

		g->found.folder = file ? tn_filename_folder(g->arena, file) : NULL;
		if (!g->found.folder)
			return TN_ERR_NOMEM;
	}
	return o->baseline
		       ? tn_baseline_read(o->baseline, g->arena, g->diags, &g->baseline)
		       : TN_OK;
}

enum tn_status tn_govern_open(struct tn_govern *g, const tenure_options *options,
	struct tn_file_names *files, struct tn_arena *arena, struct tn_diags *diags)
{
	const struct tn_file_names all = *files;
	enum tn_status status;

	*g = (struct tn_govern){ .options = options, .arena = arena, .diags = diags };
	g->wards = TN_NEW_ARRAY(arena, struct tn_ward, all.n);
	if (!g->wards)
		return TN_ERR_NOMEM;
	status = open_baselines(g);
	files->n = 0;
	for (size_t i = 0; i < all.n && status == TN_OK; i++) {
		bool ignored = false;

		status = open_ward(g, all.list[i].name, &g->wards[files->n], &ignored);
		if (!ignored)
			files->list[files->n++] = all.list[i];
	}
	return status;
}

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
	const struct tn_config_rule *row = d->rule ? row_of(r, d->rule) : NULL;

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

		if (!excuses(s->rule, s->name, d) || !matches(g, w, s->models))
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
		if (c->suppressions[i].models && matches(g, w, c->suppressions[i].models))
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

enum tn_status tn_govern_apply(
	struct tn_govern *g, size_t ward, struct tn_run *run, enum tn_status status)
{
	const struct tn_ward *w = &g->wards[ward];
	const struct tn_graph *graph = run->graph.source ? &run->graph : NULL;
	struct tn_diags *diags = &run->diags;
	const char *name = g->options->baseline ? name_for(g, w, g->baseline.folder) : "";
	const size_t n = diags->list.count;
	size_t kept = 0;

	if (!name)
		return TN_ERR_NOMEM;
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

static void tell_unused(struct tn_govern *g, const struct tn_regime *r)
{
	for (size_t i = 0; i < r->config.n_suppressions; i++) {
		struct tn_diag *d;

		if (!r->seen[i] || r->used[i])
			continue;
		d = tn_diag_at(g->diags, SEVERITY_NOTE, "config/unused-suppression",
			r->config.source, NULL, NULL,
			"nothing is suppressed here any more");
		if (d)
			d->line = (size_t)r->config.suppressions[i].line;
	}
}

enum tn_status tn_govern_close(struct tn_govern *g)
{
	struct tn_strbuf text;
	enum tn_status status = TN_OK;

	for (size_t i = 0; i < g->regimes.count; i++)
		tell_unused(g, g->regimes.items[i]);
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
