/* What is wrong with the configurations themselves, and that no report takes their place. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <sys/stat.h>

#include "base/filename.h"
#include "driver/govern_part.h"

#include "base/banned.h"

/* ---- what is idle ---- */

static void tell(struct tn_run *run, const struct tn_config *c, const char *rule,
	long line, const char *what)
{
	struct tn_diag *d = tn_diag_at(
		&run->diags, SEVERITY_NOTE, rule, c->source, NULL, NULL, "%s", what);

	if (d)
		d->line = (size_t)line;
}

static void tell_pattern(struct tn_run *run, const struct tn_config *c, bool met,
	const char *models, long line, const char *what)
{
	struct tn_diag *d;

	if (met || !models)
		return;
	d = tn_diag_at(&run->diags, SEVERITY_NOTE, "config/unused-pattern", c->source,
		NULL, models, "%s is of no file here: none matches '%s'", what, models);
	if (d)
		d->line = (size_t)line;
}

/* Was all that lies below the folder looked at? */
static bool looked_below(const struct tn_govern *g, const char *folder)
{
	for (size_t i = 0; i < g->files->n_folders; i++) {
		const char *top = tn_filename_absolute(g->arena, g->files->folders[i]);
		const size_t len = top && strcmp(top, "/") != 0 ? strlen(top) : 0;

		if (top && strncmp(folder, top, len) == 0 &&
			(!folder[len] || folder[len] == '/'))
			return true;
	}
	return false;
}

void tn_govern_judge(
	const struct tn_govern *g, const struct tn_ward *config, struct tn_run *run)
{
	const struct tn_regime *r = config->regime;
	const struct tn_config *c = &r->config;

	/* with --only, findings that would have been suppressed were not looked for */
	for (size_t i = 0; i < c->n_suppressions && !g->options->only; i++)
		if (r->seen[i] && !r->used[i])
			tell(run, c, "config/unused-suppression", c->suppressions[i].line,
				"nothing is suppressed here any more");
	if (!looked_below(g, c->folder))
		return;
	for (size_t i = 0; i < c->n_budgets; i++)
		tell_pattern(run, c, r->budget_met[i], c->budgets[i].models,
			c->budgets[i].line, "a budget");
	for (size_t i = 0; i < c->n_ignored; i++)
		tell_pattern(run, c, r->ignore_met[i], c->ignored[i].models,
			c->ignored[i].line, "what is ignored");
	for (size_t i = 0; i < c->n_suppressions; i++)
		tell_pattern(run, c, r->suppress_met[i], c->suppressions[i].models,
			c->suppressions[i].line, "a suppression");
}

/* ---- outputs ---- */

static bool spares(const struct tn_govern *g, const char *what, const char *input)
{
	const tenure_options *o = g->options;
	const struct {
		const char *option, *name;
	} outputs[] = {
		{ "output", o->output },
		{ "write-baseline", o->write_baseline },
		{ "svg", o->svg },
		{ "dot", o->dot },
		{ "graph-svg", o->graph_svg },
		{ "trace", o->trace },
		{ "explorer", o->explorer },
		{ "overlay", o->overlay },
		{ "overlay-verdicts", o->overlay_verdicts },
		{ "csv", o->csv },
	};
	struct stat in, out;

	if (stat(input, &in) != 0)
		return true;
	for (size_t i = 0; i < sizeof(outputs) / sizeof(*outputs); i++) {
		if (!outputs[i].name || stat(outputs[i].name, &out) != 0 ||
			in.st_dev != out.st_dev || in.st_ino != out.st_ino)
			continue;
		fprintf(o->err, "tenure: --%s '%s' would overwrite the %s '%s'\n",
			outputs[i].option, outputs[i].name, what, input);
		return false;
	}
	return true;
}

enum tn_status tn_govern_spare(const struct tn_govern *g)
{
	const char *here = tn_filename_absolute(g->arena, "x");

	here = here ? tn_filename_folder(g->arena, here) : NULL;
	if (!here)
		return TN_ERR_NOMEM;
	for (size_t i = 0; i < g->n_configs; i++) {
		const struct tn_config *c = &g->configs[i].regime->config;

		if (!spares(g, "configuration", g->configs[i].file))
			return TN_ERR_INPUT;
		for (size_t k = 0; k < c->n_packs; k++) {
			const char *pack =
				tn_filename_relative(g->arena, c->packs[k].file, here);

			if (!pack)
				return TN_ERR_NOMEM;
			if (!spares(g, "pack", pack))
				return TN_ERR_INPUT;
		}
	}
	return TN_OK;
}
