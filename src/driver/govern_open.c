/* Opens what rules over the findings of lint: packs, configurations, the baseline. */
#include <string.h>

#include "base/filename.h"
#include "base/glob.h"
#include "driver/govern_part.h"
#include "driver/rule.h"
#include "driver/target.h"

#include "base/banned.h"

bool tn_govern_matches(
	const struct tn_govern *g, const struct tn_ward *w, const char *pattern)
{
	const char *name =
		tn_filename_relative(g->arena, w->absolute, w->regime->config.folder);

	return !pattern || (name && tn_filename_matches(pattern, name));
}

const struct tn_config_rule *tn_govern_row(const struct tn_regime *r, const char *id)
{
	for (size_t i = r->config.n_rules; i-- > 0;)
		if (tn_glob(r->config.rules[i].id, id))
			return &r->config.rules[i];
	return NULL;
}

static bool is_off(const struct tn_regime *r, const char *id)
{
	const struct tn_config_rule *row = tn_govern_row(r, id);

	return row && row->off;
}

/* A pack that cannot be read is told where it is asked for. */
static enum tn_status read_pack(
	const struct tn_govern *g, struct tn_regime *r, const struct tn_config_pack *pack)
{
	const size_t before = g->diags->list.count;
	enum tn_status status = tn_rules_read(pack->file, g->arena, g->diags, &r->rules);

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
	r->suppress_met = TN_NEW_ARRAY(g->arena, bool, c->n_suppressions);
	r->budget_met = TN_NEW_ARRAY(g->arena, bool, c->n_budgets);
	r->ignore_met = TN_NEW_ARRAY(g->arena, bool, c->n_ignored);
	if (status == TN_OK && (!r->skip || !r->used || !r->seen || !r->suppress_met ||
				       !r->budget_met || !r->ignore_met))
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
		if (tn_govern_matches(g, w, c->budgets[i].models))
			status = add_budget(g, w, &c->budgets[i]);
	return status;
}

/* Notes which patterns match the file. */
static void meet(const struct tn_govern *g, const struct tn_ward *w)
{
	const struct tn_config *c = &w->regime->config;
	struct tn_regime *r = w->regime;

	for (size_t i = 0; i < c->n_budgets; i++)
		r->budget_met[i] =
			r->budget_met[i] || tn_govern_matches(g, w, c->budgets[i].models);
	for (size_t i = 0; i < c->n_ignored; i++)
		r->ignore_met[i] =
			r->ignore_met[i] || tn_govern_matches(g, w, c->ignored[i].models);
	for (size_t i = 0; i < c->n_suppressions; i++)
		r->suppress_met[i] = r->suppress_met[i] ||
				     tn_govern_matches(g, w, c->suppressions[i].models);
}

static bool is_ignored(const struct tn_govern *g, const struct tn_ward *w)
{
	const struct tn_config *c = &w->regime->config;

	for (size_t i = 0; i < c->n_ignored; i++)
		if (tn_govern_matches(g, w, c->ignored[i].models))
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
	if (status == TN_OK)
		meet(g, w);
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

static bool has_memory(const struct tn_config *c)
{
	bool any = c->target != NULL;

	for (size_t i = 0; i < c->n_budgets; i++)
		any = any || c->budgets[i].ram >= 0;
	return any;
}

/* A reserve is of a budget: where configurations have budgets, but none for this file,
 * there is nothing to take it from. */
static void drop_reserves(struct tn_govern *g)
{
	bool any = false;

	for (size_t i = 0; i < g->regimes.count; i++)
		any = any || has_memory(&g->regimes.items[i]->config);
	for (size_t i = 0; i < g->files->n && any; i++) {
		tenure_options *o = &g->wards[i].options;

		if (o->ram < 0 && !o->target && !o->regions.n)
			o->reserves.n = 0;
	}
}

static enum tn_status open_configs(struct tn_govern *g)
{
	enum tn_status status = TN_OK;

	g->configs = TN_NEW_ARRAY(g->arena, struct tn_ward, g->regimes.count);
	if (!g->configs)
		return TN_ERR_NOMEM;
	for (size_t i = 0; i < g->regimes.count && status == TN_OK; i++) {
		struct tn_regime *r = g->regimes.items[i];
		struct tn_ward *w = &g->configs[g->n_configs];

		if (!r->file)
			continue;
		*w = (struct tn_ward){ .file = r->file,
			.absolute = tn_filename_absolute(g->arena, r->file),
			.regime = r };
		status = w->absolute ? add_options(g, w) : TN_ERR_NOMEM;
		g->n_configs++;
	}
	return status;
}

enum tn_status tn_govern_open(struct tn_govern *g, const tenure_options *options,
	struct tn_file_names *files, struct tn_arena *arena, struct tn_diags *diags)
{
	const struct tn_file_names all = *files;
	enum tn_status status;

	*g = (struct tn_govern){
		.options = options, .arena = arena, .diags = diags, .files = files
	};
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
	drop_reserves(g);
	return status == TN_OK ? open_configs(g) : status;
}
