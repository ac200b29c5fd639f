#include "report/html.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/apart.h"
#include "report/assets.h"
#include "report/escape.h"
#include "report/html_parts.h"
#include "report/html_shell.h"
#include "report/html_timeline.h"
#include "report/json_page.h"
#include "report/marks.h"
#include "report/words.h"

#include "base/banned.h"

static xmlNodePtr slot(struct tn_page *p, const char *id)
{
	return tn_shell_slot(&p->h, id);
}

#define N(list) (sizeof(list) / sizeof(*(list)))

static void head(struct tn_page *p)
{
	static const struct tn_shell_asset styles[] = {
		{ "style-timeline", &tn_asset_timeline_css },
		{ "style-page", &tn_asset_page_css },
	};
	static const struct tn_shell_asset scripts[] = {
		{ "script-data", &tn_asset_page_data_js },
		{ "script-region", &tn_asset_page_region_js },
		{ "script-timeline", &tn_asset_page_timeline_js },
		{ "script-tables", &tn_asset_page_tables_js },
		{ "script", &tn_asset_page_js },
	};

	tn_shell_head(&p->h, styles, N(styles), scripts, N(scripts));
	tn_text(&p->h, slot(p, "title"), tn_view_name(p->v));
	tn_text(&p->h, slot(p, "title"), " - memory report");
}

static void counts(struct tn_page *p)
{
	const struct tn_graph *g = p->v->g;
	struct tn_strbuf text;
	uint32_t constants = 0;

	for (uint32_t i = 0; i < g->n_tensors; i++)
		constants += !tn_tensor_is_planned(&g->tensors[i]);
	tn_strbuf_init(&text);
	tn_strbuf_printf(&text,
		"%" PRIu32 " ops, %" PRIu32 " tensors of which %" PRIu32 " constants",
		g->n_ops, g->n_tensors, constants);
	if (p->v->plan->n_regions > 1)
		tn_strbuf_printf(
			&text, ", %" PRIu32 " memory regions", p->v->plan->n_regions);
	if (p->v->board) {
		tn_strbuf_puts(&text, "; for ");
		tn_escape_visible(&text, p->v->board->title);
		tn_strbuf_puts(&text, ", ");
		tn_escape_visible(&text, p->v->board->cpu);
		tn_strbuf_printf(&text, " at %" PRId64 " MHz", p->v->board->mhz);
	}
	tn_text_taken(&p->h, slot(p, "counts"), &text);
}

/* What the plan takes beyond its budgets, a sentence for each memory. */
static void excess(const struct tn_view *v, struct tn_strbuf *out)
{
	for (uint32_t r = 0; v->plan && r < v->plan->n_regions; r++) {
		const int64_t bytes = tn_budget_excess(v, r);

		if (!bytes)
			continue;
		tn_strbuf_puts(out, v->plan->n_regions > 1 ? " In '" : " ");
		if (v->plan->n_regions > 1) {
			tn_escape_visible(out, v->plan->regions[r].name);
			tn_strbuf_puts(out, "' ");
		}
		tn_escape_number(out, bytes);
		tn_strbuf_puts(out, " B do not fit.");
	}
}

/* What the verifier found: its first finding under the rule, or the rule alone. */
static void refusal(const struct tn_view *v, struct tn_strbuf *out)
{
	const struct tn_diag *found = NULL;

	for (size_t i = 0; v->diags && i < v->diags->list.count && !found; i++)
		if (strcmp(v->diags->list.items[i].rule, v->refusal) == 0)
			found = &v->diags->list.items[i];
	if (found && found->subject) {
		tn_strbuf_putc(out, '\'');
		tn_escape_short(out, found->subject, TN_WORDS_NAME);
		tn_strbuf_puts(out, "': ");
	}
	if (found)
		tn_escape_words(out, found->message, TN_WORD_COLUMNS);
	tn_strbuf_puts(out, found ? " [" : "");
	tn_escape_visible(out, v->refusal);
	tn_strbuf_puts(out, found ? "]" : "");
}

/* Green is for a plan that the verifier has accepted and that fits, and for nothing else. */
static void verdict(struct tn_page *p)
{
	xmlNodePtr node = slot(p, "verdict");
	struct tn_strbuf over, text;
	const char *class = "verdict verdict-open", *title = "Not verified";

	tn_strbuf_init(&text);
	tn_strbuf_init(&over);
	excess(p->v, &over);
	if (p->v->verified) {
		class = over.len ? "verdict verdict-open" : "verdict verdict-good";
		title = over.len ? "Verified, but over the budget" : "Verified";
		tn_strbuf_puts(&text, "Every read finds the value that was written, "
				      "overlaps included.");
		tn_attr(&p->h, slot(p, "body"), "class", "verified");
	} else if (p->v->refusal) {
		class = "verdict verdict-bad";
		title = "Refused by the verifier";
		refusal(p->v, &text);
		tn_attr(&p->h, slot(p, "body"), "class", "tl-refused");
	} else {
		tn_strbuf_puts(
			&text, "Nobody has looked at this plan. Do not rely on it.");
	}
	tn_attr(&p->h, node, "class", class);
	tn_node_text(&p->h, node, "strong", NULL, title);
	node = tn_node(&p->h, node, "span");
	tn_text_taken(&p->h, node, &text);
	tn_text_taken(&p->h, node, &over);
}

static void legend(struct tn_page *p)
{
	static const struct {
		const char *kind, *text;
	} entries[] = {
		{ "activation", "activation" },
		{ "chain", "written in place of one another: one colour" },
		{ "input", "input" },
		{ "output", "output" },
		{ "variable", "state" },
		{ "scratch", "scratch of an op" },
		{ "ring", "rows that come round in a ring" },
		{ "stream", "a chain: its ops run row by row" },
		{ "overlap", "still to be read while the output is written over it" },
		{ "view", "view" },
		{ "padding", "padding" },
		{ "gap", "lost between buffers" },
		{ "constant", "constants, read where they lie" },
	};
	xmlNodePtr list = slot(p, "legend");

	for (size_t i = 0; i < N(entries); i++) {
		xmlNodePtr item;

		if (!tn_legend_needs(p, entries[i].kind))
			continue;
		item = tn_node(&p->h, list, "li");
		tn_timeline_swatch(&p->h, item, entries[i].kind);
		tn_text(&p->h, item, entries[i].text);
	}
}

/* The picture for those who run no script; of a large plan the script's own must do. */
static void timelines(struct tn_page *p)
{
	struct tn_timeline t = {
		.h = &p->h, .v = p->v, .boxes = &p->boxes, .peak = p->peak
	};
	xmlNodePtr parent = slot(p, "static");

	tn_shell_patterns(&p->h, slot(p, "defs"));
	if (p->boxes.n > TN_SHELL_BOXES_MAX) {
		tn_node_text(&p->h, parent, "p", "muted no-script",
			"There are so many buffers that the picture needs the script. "
			"`tenure report --svg` draws it without.");
		return;
	}
	for (; t.region < p->v->plan->n_regions; t.region++)
		tn_shell_region(parent, &t);
}

/* A block of data, which no browser runs. */
static enum tn_status data(struct tn_page *p)
{
	struct tn_page_plan plans[3] = { { "planned", "planned", p->v, &p->boxes } };
	struct tn_boxes disjoint, apart;
	struct tn_plan apart_plan;
	struct tn_view apart_view;
	struct tn_strbuf text;
	enum tn_status status = TN_OK;
	size_t n = 1;

	if (p->v->disjoint) {
		status = tn_boxes_find(p->v->disjoint, p->arena, &disjoint);
		plans[n++] = (struct tn_page_plan){ "disjoint", "no overlap",
			p->v->disjoint, &disjoint };
	}
	if (status == TN_OK)
		status = tn_apart_make(p->v, p->arena, &apart_plan, &apart_view);
	if (status == TN_OK)
		status = tn_boxes_find(&apart_view, p->arena, &apart);
	plans[n++] = (struct tn_page_plan){ "none", "no reuse", &apart_view, &apart };
	tn_strbuf_init(&text);
	if (status == TN_OK)
		status = tn_json_page(plans, n, p->loads, p->peak, p->arena, &text);
	if (status == TN_OK)
		tn_text_verbatim(&p->h, slot(p, "data"), text.text, text.len);
	tn_strbuf_release(&text);
	return status;
}

static void footer(struct tn_page *p)
{
	const struct tn_plan_digests *d = &p->v->plan->digests;
	xmlNodePtr node = slot(p, "footer");
	struct tn_strbuf text;

	tn_node_text(&p->h, node, "p", NULL,
		"The op at position k reads in half-step 2k and writes in 2k + 1. A "
		"value "
		"that op k reads last is still there while op k writes; bytes that both "
		"hold then are shared on the strength of a proof.");
	tn_strbuf_init(&text);
	tn_strbuf_printf(&text,
		"graph %016" PRIx64 ", constants %016" PRIx64 ", kernels %016" PRIx64
		", contracts %016" PRIx64,
		d->graph, d->constants, d->kernels, d->contracts);
	tn_text_taken(&p->h, tn_node_text(&p->h, node, "p", "mono", NULL), &text);
	if (p->v->version) {
		tn_strbuf_printf(&text, "tenure %s", p->v->version);
		tn_text_taken(&p->h, tn_node(&p->h, node, "p"), &text);
	}
}

static void hide(struct tn_page *p, xmlNodePtr node)
{
	if (node)
		tn_attr(&p->h, node, "hidden", "");
}

static enum tn_status fill(struct tn_page *p)
{
	xmlNodePtr findings = slot(p, "findings"), runs = slot(p, "runs");

	head(p);
	tn_text(&p->h, slot(p, "name"), tn_view_name(p->v));
	counts(p);
	verdict(p);
	tn_html_figures(p, slot(p, "figures"));
	legend(p);
	timelines(p);
	if (p->v->diags)
		tn_html_findings(p, findings);
	else
		hide(p, findings);
	if (p->v->n_runs)
		tn_html_runs(p, runs);
	else
		hide(p, runs);
	tn_html_traffic(p, slot(p, "traffic"));
	footer(p);
	return data(p);
}

static enum tn_status look(struct tn_page *p)
{
	enum tn_status status = tn_boxes_find(p->v, p->arena, &p->boxes);

	if (status == TN_OK)
		status = tn_loads_find(p->v, p->arena, &p->loads, &p->peak);
	if (status == TN_OK)
		status = tn_findings_collect(p->v, 1, p->arena, &p->findings);
	return status;
}

enum tn_status tn_html_write(const struct tn_view *v, struct tn_strbuf *out)
{
	struct tn_arena arena;
	struct tn_page p = { .v = v, .arena = &arena };
	enum tn_status status;

	tn_arena_init(&arena);
	status = look(&p);
	if (status == TN_OK) {
		status = TN_ERR_NOMEM;
		if (tn_html_init(&p.h, tn_asset_page_html.text, tn_asset_page_html.len)) {
			status = fill(&p);
			if (status == TN_OK)
				status = tn_html_save(&p.h, TN_SAVE_HTML, out);
		}
		tn_html_release(&p.h);
	}
	tn_arena_release(&arena);
	return status;
}
