#include "report/html.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/assets.h"
#include "report/html_parts.h"
#include "report/html_timeline.h"
#include "report/words.h"

#include "base/banned.h"

static xmlNodePtr slot(struct tn_page *p, const char *id)
{
	xmlNodePtr node =
		p->h.failed ? NULL : tn_node_find(xmlDocGetRootElement(p->h.doc), id);

	if (!node)
		p->h.failed = true;
	return node;
}

static void embed(struct tn_page *p, const char *id, const struct tn_asset *asset)
{
	tn_text_verbatim(&p->h, slot(p, id), asset->text, asset->len);
}

/* Our style sheets and script by their hashes, and nothing else from anywhere. */
static void head(struct tn_page *p)
{
	struct tn_strbuf policy;

	tn_strbuf_init(&policy);
	tn_strbuf_printf(&policy,
		"default-src 'none'; style-src 'sha256-%s' 'sha256-%s'; "
		"script-src 'sha256-%s'; base-uri 'none'; form-action 'none'",
		tn_asset_timeline_css.sha256, tn_asset_page_css.sha256,
		tn_asset_page_js.sha256);
	if (policy.failed)
		p->h.failed = true;
	else
		tn_attr(&p->h, slot(p, "policy"), "content", policy.text);
	tn_strbuf_release(&policy);
	tn_text(&p->h, slot(p, "title"), tn_view_name(p->v));
	tn_text(&p->h, slot(p, "title"), " - memory report");
	embed(p, "style-timeline", &tn_asset_timeline_css);
	embed(p, "style-page", &tn_asset_page_css);
	embed(p, "script", &tn_asset_page_js);
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
	tn_text_taken(&p->h, slot(p, "counts"), &text);
}

/* Green is for a plan that the verifier has accepted, and for nothing else. */
static void verdict(struct tn_page *p)
{
	xmlNodePtr node = slot(p, "verdict");
	const char *class = "verdict verdict-open", *title = "Not verified",
		   *text = "Nobody has looked at this plan. Do not rely on it.";

	if (p->v->verified) {
		class = "verdict verdict-good";
		title = "Verified";
		text = "Every read finds the value that was written, overlaps included.";
		tn_attr(&p->h, slot(p, "body"), "class", "verified");
	} else if (p->v->refusal) {
		class = "verdict verdict-bad";
		title = "Refused by the verifier";
		text = p->v->refusal;
	}
	tn_attr(&p->h, node, "class", class);
	tn_node_text(&p->h, node, "strong", NULL, title);
	tn_node_text(&p->h, node, "span", NULL, text);
}

/* The legend explains what the picture holds, and no more. */
static bool is_drawn(const struct tn_page *p, const char *kind)
{
	if (strcmp(kind, "overlap") == 0)
		return p->boxes.n_overlaps > 0;
	if (strcmp(kind, "view") == 0) {
		for (uint32_t i = 0; i < p->v->g->n_tensors; i++)
			if (p->boxes.of[i] != TN_NONE &&
				p->boxes.list[p->boxes.of[i]].tensor.i != i)
				return true;
		return false;
	}
	for (uint32_t i = 0; i < p->boxes.n; i++)
		if (strcmp(tn_box_kind_name(p->boxes.list[i].kind), kind) == 0)
			return true;
	return strcmp(kind, "constant") == 0;
}

static void legend(struct tn_page *p)
{
	static const struct {
		const char *kind, *text;
	} entries[] = {
		{ "activation", "activation" },
		{ "input", "input" },
		{ "output", "output" },
		{ "variable", "state" },
		{ "scratch", "scratch of an op" },
		{ "overlap", "output over its dying input" },
		{ "view", "view" },
		{ "constant", "constants, read where they lie" },
	};
	xmlNodePtr list = slot(p, "legend");

	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
		xmlNodePtr item;

		if (!is_drawn(p, entries[i].kind))
			continue;
		item = tn_node(&p->h, list, "li");
		tn_timeline_swatch(&p->h, item, entries[i].kind);
		tn_text(&p->h, item, entries[i].text);
	}
}

static xmlNodePtr picture(struct tn_page *p, xmlNodePtr parent, const char *class,
	int64_t width, int64_t height)
{
	xmlNodePtr svg = tn_node_text(&p->h, parent, "svg", class, NULL);
	char box[64];

	snprintf(box, sizeof(box), "0 0 %" PRId64 " %" PRId64, width / 10, height / 10);
	tn_attr(&p->h, svg, "viewBox", box);
	tn_attr_int(&p->h, svg, "width", width / 10);
	tn_attr_int(&p->h, svg, "height", height / 10);
	return svg;
}

static void region(struct tn_page *p, xmlNodePtr parent, struct tn_timeline *t)
{
	const struct tn_plan_region *r = &p->v->plan->regions[t->region];
	xmlNodePtr scroller, svg;
	char id[32];

	if (!tn_timeline_init(t))
		return;
	if (p->v->plan->n_regions > 1)
		tn_node_text(&p->h, parent, "h3", "region-name", r->name ? r->name : "");
	scroller = tn_node_text(&p->h, parent, "div", "scroller", NULL);
	tn_attr_int(&p->h, scroller, "data-region", t->region);
	tn_attr(&p->h, scroller, "tabindex", "0");
	svg = picture(p, scroller, "tl-svg tl-axis-svg", t->axis_width, t->height);
	tn_attr(&p->h, svg, "aria-hidden", "true");
	tn_timeline_axis(t, svg);
	svg = picture(p, scroller, "tl-svg tl-plot-svg", t->plot_width, t->height);
	snprintf(id, sizeof(id), "plot-%" PRIu32, t->region);
	tn_attr(&p->h, svg, "id", id);
	tn_attr_int(&p->h, svg, "data-width", t->plot_width / 10);
	tn_attr(&p->h, svg, "role", "group");
	tn_attr(&p->h, svg, "aria-label", "Buffers in memory over the steps of the run");
	tn_timeline_plot(t, svg);
}

static void timelines(struct tn_page *p)
{
	struct tn_timeline t = {
		.h = &p->h, .v = p->v, .boxes = &p->boxes, .peak = p->peak, .links = true
	};
	xmlNodePtr parent = slot(p, "timelines"), slider = slot(p, "step"), svg;

	svg = tn_node_text(&p->h, parent, "svg", "tl-defs", NULL);
	tn_attr(&p->h, svg, "width", "0");
	tn_attr(&p->h, svg, "height", "0");
	tn_attr(&p->h, svg, "aria-hidden", "true");
	tn_timeline_patterns(&p->h, svg);
	for (; t.region < p->v->plan->n_regions; t.region++)
		region(p, parent, &t);
	tn_attr_int(&p->h, slider, "max", p->boxes.steps - 1);
	tn_attr_int(&p->h, slider, "data-start",
		p->peak == TN_NONE ? 0 : 2 * (int64_t)p->peak + 1);
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

static void fill(struct tn_page *p)
{
	xmlNodePtr findings = slot(p, "findings");

	head(p);
	tn_text(&p->h, slot(p, "name"), tn_view_name(p->v));
	counts(p);
	verdict(p);
	tn_html_figures(p, slot(p, "figures"));
	legend(p);
	timelines(p);
	tn_html_cards(p, slot(p, "cards"));
	if (p->v->diags)
		tn_html_findings(p, findings);
	else if (findings)
		tn_attr(&p->h, findings, "hidden", "");
	tn_html_decisions(p, slot(p, "decisions"));
	tn_html_ops(p, slot(p, "ops"));
	tn_html_tensors(p, slot(p, "tensors"));
	footer(p);
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
			fill(&p);
			status = tn_html_save(&p.h, TN_SAVE_HTML, out);
		}
		tn_html_release(&p.h);
	}
	tn_arena_release(&arena);
	return status;
}
