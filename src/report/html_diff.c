#include "report/html_diff.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "report/diff_words.h"
#include "report/escape.h"
#include "report/html_parts.h"
#include "report/html_shell.h"
#include "report/peak.h"
#include "report/rules.h"
#include "report/words.h"

#include "base/banned.h"

enum { PEAK_LISTED = 12, HALF_PAGE = 4600 };

struct side_page {
	struct tn_html h;
	const struct tn_diff *d;
};

static xmlNodePtr slot(struct side_page *p, const char *id)
{
	return tn_shell_slot(&p->h, id);
}

static xmlNodePtr cell(struct side_page *p, xmlNodePtr row, const char *class)
{
	return tn_node_text(&p->h, row, "td", class, NULL);
}

static xmlNodePtr tag(struct side_page *p, xmlNodePtr row, const char *what)
{
	char class[32];

	snprintf(class, sizeof(class), "tag tag-%s", what);
	return tn_node_text(&p->h, cell(p, row, NULL), "span", class, what);
}

static void none(struct side_page *p, xmlNodePtr parent, const char *text)
{
	tn_node_text(&p->h, parent, "p", "muted", text);
}

/* A number, or nothing when it is not known. */
static void number(struct side_page *p, xmlNodePtr row, int64_t value)
{
	xmlNodePtr td = cell(p, row, "num");

	if (value >= 0)
		tn_text_number(&p->h, td, value);
}

/* The change in words, in a colour: for memory, more is worse. */
static void change(
	struct side_page *p, xmlNodePtr row, int64_t before, int64_t after, bool is_bytes)
{
	struct tn_diff_figure f = { "", "", is_bytes, before, after };
	struct tn_strbuf text, joined;
	const char *class = "num";

	tn_strbuf_init(&text);
	tn_strbuf_init(&joined);
	if (before >= 0 && after >= 0 && before != after) {
		tn_diff_words_change(&f, &text);
		if (is_bytes)
			class = after > before ? "num up" : "num down";
	}
	/* a narrow column is broken between bytes and percent, not within them */
	for (size_t i = 0; i < text.len; i++)
		if (text.text[i] == ' ' && strchr("B%", text.text[i + 1]))
			tn_strbuf_puts(&joined, "\xc2\xa0");
		else
			tn_strbuf_putc(&joined, text.text[i]);
	joined.failed = joined.failed || text.failed;
	tn_strbuf_release(&text);
	tn_text_taken(&p->h, cell(p, row, class), &joined);
}

static void head(struct side_page *p)
{
	static const struct tn_shell_asset styles[] = {
		{ "style-timeline", &tn_asset_timeline_css },
		{ "style-page", &tn_asset_page_css },
	};
	const char *ids[] = { "title", "name" };

	tn_shell_head(&p->h, styles, 2, NULL, 0);
	for (int i = 0; i < 2; i++) {
		xmlNodePtr node = slot(p, ids[i]);

		tn_text(&p->h, node, tn_view_name(p->d->before.v));
		tn_text(&p->h, node, " \xe2\x86\x92 ");
		tn_text(&p->h, node, tn_view_name(p->d->after.v));
	}
}

static bool verified(const struct tn_diff_side *s)
{
	return s->v->plan && s->v->verified;
}

static void counts(struct side_page *p)
{
	const struct tn_diff *d = p->d;
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	tn_strbuf_printf(&text,
		"%" PRIu32 " ops added, %" PRIu32 " removed, %" PRIu32
		" with other sizes; %zu in-place decisions lost, %zu won; %zu new "
		"findings, %zu fixed",
		d->n_added, d->n_removed, d->n_resized, d->n_lost, d->n_won, d->n_new,
		d->n_fixed);
	tn_text_taken(&p->h, slot(p, "counts"), &text);
}

/* Green only for two verified plans of which the new one is no larger. */
static void verdict(struct side_page *p)
{
	const struct tn_diff *d = p->d;
	const struct tn_diff_figure *arena = &d->figures[DIFF_ARENA];
	bool known = arena->before >= 0 && arena->after >= 0;
	bool grown = known && arena->after > arena->before;
	xmlNodePtr node = slot(p, "verdict");
	struct tn_strbuf text;
	const char *class, *title;

	tn_strbuf_init(&text);
	if (!known || !verified(&d->before) || !verified(&d->after)) {
		class = "verdict verdict-open";
		title = "Not both verified";
		tn_strbuf_puts(&text, "One of the versions has no plan that the verifier "
				      "has accepted.");
	} else if (d->growth.exceeded) {
		class = "verdict verdict-bad";
		title = "Grown too much";
		tn_diff_words_growth(d, &text);
	} else {
		class = grown ? "verdict verdict-open" : "verdict verdict-good";
		title = grown ? "The arena grows"
			: arena->after < arena->before
				? "The arena shrinks"
				: "The arena is as large as before";
		if (arena->after != arena->before)
			tn_diff_words_change(arena, &text);
		else
			tn_strbuf_puts(&text, "Both plans are verified.");
	}
	tn_attr(&p->h, node, "class", class);
	tn_node_text(&p->h, node, "strong", NULL, title);
	tn_text_taken(&p->h, tn_node(&p->h, node, "span"), &text);
}

static void figures(struct side_page *p)
{
	static const char *const columns[] = { "figure", ">old", ">new", ">change" };
	xmlNodePtr body = tn_html_table(&p->h, slot(p, "figures"), columns, 4), row;

	for (int i = 0; i < DIFF_FIGURES; i++) {
		const struct tn_diff_figure *f = &p->d->figures[i];

		if (f->before < 0 && f->after < 0)
			continue;
		row = tn_node(&p->h, body, "tr");
		tn_text(&p->h, cell(p, row, NULL), f->title);
		number(p, row, f->before);
		number(p, row, f->after);
		change(p, row, f->before, f->after, f->is_bytes);
	}
}

/* What lies in memory at the peak, largest first. */
static void peak(struct side_page *p, xmlNodePtr parent, const struct tn_diff_side *s)
{
	const struct tn_peak at = { s->v, &s->boxes, s->loads, s->peak };
	const struct tn_box *boxes[PEAK_LISTED];
	xmlNodePtr list, para = tn_node(&p->h, parent, "p");
	uint32_t n;

	if (s->peak == TN_NONE) {
		tn_text(&p->h, para, "There are no ops.");
		return;
	}
	tn_text(&p->h, para, "Peak at ");
	tn_text_op(&p->h, para, s->v, tn_view_op_at(s->v, s->peak));
	tn_text(&p->h, para, ", ");
	tn_text_bytes(&p->h, para, s->loads[s->peak].live_bytes);
	tn_text(&p->h, para, " live:");
	list = tn_node_text(&p->h, parent, "ol", "peak-list", NULL);
	n = s->v->plan ? tn_peak_boxes(&at, boxes, PEAK_LISTED) : 0;
	for (uint32_t i = 0; i < n && i < PEAK_LISTED; i++) {
		xmlNodePtr item = tn_node(&p->h, list, "li");
		struct tn_strbuf name, text;

		tn_strbuf_init(&name);
		tn_strbuf_init(&text);
		tn_box_name(s->v, boxes[i], &name);
		tn_escape_short(&text, name.text ? name.text : "", TN_WORDS_NAME);
		text.failed = text.failed || name.failed;
		tn_strbuf_release(&name);
		tn_text_taken(&p->h, tn_node(&p->h, item, "code"), &text);
		tn_text_bytes(&p->h, tn_node(&p->h, item, "span"), boxes[i]->bytes);
	}
}

/* What its pictures must be able to show, lines included. */
static int64_t top_of(const struct tn_diff_side *s)
{
	struct tn_timeline t = { .v = s->v, .boxes = &s->boxes };
	int64_t top = 0;

	for (; s->v->plan && t.region < s->v->plan->n_regions; t.region++)
		if (tn_timeline_init(&t))
			top = tn_max_i64(top, t.bytes);
	return top;
}

static void side(struct side_page *p, xmlNodePtr parent, const char *title,
	const struct tn_diff_side *s, int64_t top)
{
	xmlNodePtr node = tn_node(&p->h, parent, "div"), h3;
	struct tn_timeline t = { .h = &p->h,
		.v = s->v,
		.boxes = &s->boxes,
		.peak = s->peak,
		.least_bytes = top,
		.width = HALF_PAGE };

	h3 = tn_node_text(&p->h, node, "h3", NULL, title);
	tn_text(&p->h, h3, tn_view_name(s->v));
	if (!s->v->plan)
		none(p, node, "There is no plan.");
	else if (s->boxes.n > TN_SHELL_BOXES_MAX)
		none(p, node, "Too many buffers for a picture here: see tenure report.");
	for (; s->v->plan && s->boxes.n <= TN_SHELL_BOXES_MAX &&
		t.region < s->v->plan->n_regions;
		t.region++)
		tn_shell_region(node, &t);
	if (s->loads)
		peak(p, node, s);
}

static void sides(struct side_page *p)
{
	int64_t top = tn_max_i64(top_of(&p->d->before), top_of(&p->d->after));
	xmlNodePtr parent = slot(p, "sides");

	tn_shell_patterns(&p->h, slot(p, "defs"));
	side(p, parent, "old: ", &p->d->before, top);
	side(p, parent, "new: ", &p->d->after, top);
}

static tn_tensor_id output_of(const struct tn_view *v, tn_op_id op, uint32_t k)
{
	const struct tn_op *o = &v->g->ops[op.i];

	return k < o->n_outputs ? o->outputs[k] : (tn_tensor_id){ TN_NONE };
}

/* Outputs of ops that are in both versions. */
static void tensors(struct side_page *p)
{
	static const char *const columns[] = { "now", "tensor", "made by", ">old, B",
		">new, B", ">change" };
	const struct tn_diff *d = p->d;
	xmlNodePtr parent = slot(p, "tensors"), body = NULL;

	for (uint32_t i = 0; i < d->n_ops; i++) {
		const struct tn_diff_op *x = &d->ops[i];

		for (uint32_t k = 0; x->change == DIFF_RESIZED; k++) {
			tn_tensor_id b = output_of(d->before.v, x->before, k);
			tn_tensor_id a = output_of(d->after.v, x->after, k);
			int64_t was, is;
			xmlNodePtr row;

			if (a.i == TN_NONE || b.i == TN_NONE)
				break;
			was = d->before.v->g->tensors[b.i].bytes;
			is = d->after.v->g->tensors[a.i].bytes;
			if (was == is)
				continue;
			if (!body)
				body = tn_html_table(&p->h, parent, columns, 6);
			row = tn_node(&p->h, body, "tr");
			tag(p, row, is > was ? "grown" : "shrunk");
			tn_text_tensor(&p->h, tn_node(&p->h, cell(p, row, NULL), "code"),
				d->after.v, a, TN_WORDS_NAME);
			tn_text_op(&p->h, cell(p, row, NULL), d->after.v, x->after);
			number(p, row, was);
			number(p, row, is);
			change(p, row, was, is, true);
		}
	}
	if (!body)
		none(p, parent, "No tensor that both versions have has another size.");
}

static void ops(struct side_page *p)
{
	static const char *const columns[] = { "now", "op", ">old, B live",
		">new, B live", ">change" };
	const struct tn_diff *d = p->d;
	xmlNodePtr parent = slot(p, "ops"), body = NULL;

	for (uint32_t i = 0; i < d->n_ops; i++) {
		const struct tn_diff_op *x = &d->ops[i];
		struct tn_strbuf text;
		xmlNodePtr row;

		if (x->change == DIFF_SAME && x->live_before == x->live_after)
			continue;
		if (!body)
			body = tn_html_table(&p->h, parent, columns, 5);
		row = tn_node(&p->h, body, "tr");
		tag(p, row, tn_diff_change_name(x->change));
		tn_strbuf_init(&text);
		tn_diff_words_op(d, x, &text);
		tn_text_taken(&p->h, cell(p, row, "why"), &text);
		number(p, row, x->live_before);
		number(p, row, x->live_after);
		change(p, row, x->live_before, x->live_after, true);
	}
	if (!body)
		none(p, parent, "Every op is as it was.");
}

static void decisions(struct side_page *p)
{
	static const char *const columns[] = { "now", "op, input, output", "why" };
	const struct tn_diff *d = p->d;
	xmlNodePtr parent = slot(p, "decisions"), body;

	if (!d->n_decisions) {
		none(p, parent, "None.");
		return;
	}
	body = tn_html_table(&p->h, parent, columns, 3);
	for (size_t i = 0; i < d->n_decisions; i++) {
		const struct tn_diff_decision *x = &d->decisions[i];
		xmlNodePtr row = tn_node(&p->h, body, "tr");
		struct tn_strbuf text;

		tag(p, row, tn_diff_change_name(x->change));
		tn_strbuf_init(&text);
		tn_diff_words_decision(d, x, &text);
		tn_text_taken(&p->h, cell(p, row, "why"), &text);
		tn_diff_words_why(d, x, &text);
		tn_text_taken(&p->h, cell(p, row, "why"), &text);
	}
}

static void findings(struct side_page *p)
{
	static const char *const columns[] = { "now", "severity", "rule", "finding" };
	const struct tn_diff *d = p->d;
	xmlNodePtr parent = slot(p, "findings"), body;
	struct tn_strbuf text;

	if (d->n_findings) {
		body = tn_html_table(&p->h, parent, columns, 4);
		for (size_t i = 0; i < d->n_findings; i++) {
			const struct tn_finding *f = d->findings[i].finding;
			xmlNodePtr row = tn_node(&p->h, body, "tr");

			tag(p, row, d->findings[i].fixed ? "fixed" : "new");
			tn_text(&p->h, cell(p, row, NULL),
				tn_severity_name(f->diag->severity));
			tn_node_text(&p->h, cell(p, row, NULL), "code", NULL,
				tn_finding_rule(f));
			tn_text_words(&p->h, cell(p, row, "why"), f->diag->message);
		}
	}
	tn_strbuf_init(&text);
	tn_strbuf_printf(&text, "%zu %s in both versions.", d->n_kept,
		d->n_kept == 1 ? "finding is" : "findings are");
	tn_text_taken(&p->h, tn_node_text(&p->h, parent, "p", "muted", NULL), &text);
}

static void fill(struct side_page *p)
{
	head(p);
	counts(p);
	verdict(p);
	figures(p);
	sides(p);
	tensors(p);
	ops(p);
	decisions(p);
	findings(p);
	tn_node_text(&p->h, slot(p, "footer"), "p", NULL,
		"Ops are matched by type and name, then by place and shape. Both "
		"timelines have one scale.");
}

enum tn_status tn_diff_html(const struct tn_diff *d, struct tn_strbuf *out)
{
	struct side_page p = { .d = d };
	enum tn_status status = TN_ERR_NOMEM;

	if (tn_html_init(&p.h, tn_asset_diff_html.text, tn_asset_diff_html.len)) {
		fill(&p);
		status = tn_html_save(&p.h, TN_SAVE_HTML, out);
	}
	tn_html_release(&p.h);
	return status;
}
