/* The findings of the HTML report, and which entries its legend needs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/escape.h"
#include "report/html_parts.h"
#include "report/rules.h"
#include "report/traffic.h"
#include "report/words.h"

#include "base/banned.h"

static bool has_view(const struct tn_page *p)
{
	for (uint32_t i = 0; i < p->v->g->n_tensors; i++)
		if (p->boxes.of[i] != TN_NONE &&
			p->boxes.list[p->boxes.of[i]].tensor.i != i)
			return true;
	return false;
}

static bool has_padding(const struct tn_page *p)
{
	for (uint32_t i = 0; i < p->boxes.n; i++)
		if (p->v->plan->regions[p->boxes.list[i].region].align > 1)
			return true;
	return false;
}

static bool has_constants(const struct tn_view *v)
{
	for (uint32_t i = 0; i < v->g->n_ops; i++)
		if (!tn_view_elided(v, (tn_op_id){ i }) &&
			tn_traffic_of(v->g, &v->g->ops[i]).const_bytes > 0)
			return true;
	return false;
}

static bool has_kind(const struct tn_page *p, const char *kind)
{
	for (uint32_t i = 0; i < p->boxes.n; i++)
		if (strcmp(tn_box_kind_name(p->boxes.list[i].kind), kind) == 0)
			return true;
	return false;
}

bool tn_legend_needs(const struct tn_page *p, const char *kind)
{
	if (strcmp(kind, "overlap") == 0)
		return p->boxes.n_overlaps > 0;
	if (strcmp(kind, "stream") == 0 || strcmp(kind, "ring") == 0)
		return p->v->plan->n_streams > 0;
	if (strcmp(kind, "chain") == 0)
		return p->boxes.n_chains > 0;
	if (strcmp(kind, "view") == 0)
		return has_view(p);
	if (strcmp(kind, "padding") == 0)
		return has_padding(p);
	if (strcmp(kind, "constant") == 0)
		return has_constants(p->v);
	return strcmp(kind, "gap") == 0 || has_kind(p, kind);
}

static xmlNodePtr cell(struct tn_page *p, xmlNodePtr row, const char *class)
{
	return tn_node_text(&p->h, row, "td", class, NULL);
}

xmlNodePtr tn_html_table(
	struct tn_html *h, xmlNodePtr parent, const char *const *columns, size_t n)
{
	xmlNodePtr wrap = tn_node_text(h, parent, "div", "table-wrap", NULL);
	xmlNodePtr node = tn_node(h, wrap, "table"), row;

	tn_attr(h, wrap, "tabindex", "0");
	row = tn_node(h, tn_node(h, node, "thead"), "tr");
	for (size_t i = 0; i < n; i++) {
		bool number = columns[i][0] == '>';

		tn_attr(h,
			tn_node_text(
				h, row, "th", number ? "num" : NULL, columns[i] + number),
			"scope", "col");
	}
	return tn_node(h, node, "tbody");
}

static void finding(struct tn_page *p, xmlNodePtr body, const struct tn_finding *f)
{
	const char *severity = tn_severity_name(f->diag->severity);
	xmlNodePtr row = tn_node(&p->h, body, "tr"), td;
	struct tn_strbuf text;
	char class[32];

	snprintf(class, sizeof(class), "tag tag-%s", severity);
	tn_node_text(&p->h, cell(p, row, NULL), "span", class, severity);
	tn_node_text(&p->h, cell(p, row, NULL), "code", NULL, tn_finding_rule(f));
	td = cell(p, row, "why");
	tn_text_words(&p->h, td, f->diag->message);
	for (size_t i = 0; i < f->diag->notes.count; i++)
		tn_text_words(&p->h, tn_node_text(&p->h, td, "span", "note", NULL),
			f->diag->notes.items[i]);
	tn_strbuf_init(&text);
	tn_strbuf_puts(&text, f->file);
	if (f->line)
		tn_strbuf_printf(&text, ":%zu:%zu", f->line, f->column);
	else if (f->diag->pointer && *f->diag->pointer)
		tn_strbuf_printf(&text, ":%s", f->diag->pointer);
	tn_text_taken(&p->h, tn_node(&p->h, cell(p, row, "name"), "code"), &text);
}

void tn_html_findings(struct tn_page *p, xmlNodePtr parent)
{
	static const char *const columns[] = { "severity", "rule", "finding", "place" };
	xmlNodePtr body;

	if (!p->findings.n) {
		tn_node_text(&p->h, parent, "p", "muted",
			"Nothing was reported about this graph.");
		return;
	}
	body = tn_html_table(&p->h, parent, columns, 4);
	for (size_t i = 0; i < p->findings.n; i++)
		finding(p, body, &p->findings.list[i]);
}
