/* The tables of the HTML report. */
#include <inttypes.h>
#include <stdio.h>

#include "report/escape.h"
#include "report/html_parts.h"
#include "report/rules.h"
#include "report/traffic.h"
#include "report/words.h"

#include "base/banned.h"

/* The whole name is in a tooltip, and in the card. */
enum { NAME_COLUMNS = 30, LONG_NAME_COLUMNS = 64 };

struct column {
	const char *name;
	bool number;
};

/* A scrolling table with its heading; returns the body. */
static xmlNodePtr table(
	struct tn_page *p, xmlNodePtr parent, const struct column *columns, size_t n)
{
	xmlNodePtr wrap = tn_node_text(&p->h, parent, "div", "table-wrap", NULL);
	xmlNodePtr node = tn_node(&p->h, wrap, "table"), head, row;

	head = tn_node(&p->h, node, "thead");
	row = tn_node(&p->h, head, "tr");
	for (size_t i = 0; i < n; i++)
		tn_attr(&p->h,
			tn_node_text(&p->h, row, "th", columns[i].number ? "num" : NULL,
				columns[i].name),
			"scope", "col");
	return tn_node(&p->h, node, "tbody");
}

#define TABLE(p, parent, columns)                                                        \
	table((p), (parent), (columns), sizeof(columns) / sizeof(*(columns)))

static xmlNodePtr cell(struct tn_page *p, xmlNodePtr row, const char *class)
{
	return tn_node_text(&p->h, row, "td", class, NULL);
}

static void cell_number(struct tn_page *p, xmlNodePtr row, int64_t value)
{
	tn_text_number(&p->h, cell(p, row, "num"), value);
}

static void none(struct tn_page *p, xmlNodePtr parent, const char *text)
{
	tn_node_text(&p->h, parent, "p", "muted", text);
}

void tn_html_bar(struct tn_html *h, xmlNodePtr parent, const char *class, int64_t part,
	int64_t whole)
{
	xmlNodePtr svg = tn_node_text(h, parent, "svg", class, NULL), rect;

	tn_attr(h, svg, "viewBox", "0 0 1000 10");
	tn_attr(h, svg, "preserveAspectRatio", "none");
	tn_attr(h, svg, "aria-hidden", "true");
	rect = tn_node_text(h, svg, "rect", "gauge-track", NULL);
	tn_attr(h, rect, "width", "1000");
	tn_attr(h, rect, "height", "10");
	rect = tn_node_text(h, svg, "rect", "gauge-fill", NULL);
	tn_attr_int(h, rect, "width", part >= whole ? 1000 : tn_permille(part, whole));
	tn_attr(h, rect, "height", "10");
}

/* The name, as a link when the tensor has a card. */
static void tensor_name(
	struct tn_page *p, xmlNodePtr parent, tn_tensor_id id, size_t columns)
{
	xmlNodePtr code = tn_node(&p->h, parent, "code");
	char href[24];

	if (p->boxes.of[id.i] != TN_NONE) {
		code = tn_node(&p->h, code, "a");
		snprintf(href, sizeof(href), "#b%" PRIu32, p->boxes.of[id.i]);
		tn_attr(&p->h, code, "href", href);
	}
	tn_attr(&p->h, code, "title", p->v->g->tensors[id.i].name);
	tn_text_tensor(&p->h, code, p->v, id, columns);
}

static void op_cell(struct tn_page *p, xmlNodePtr row, tn_op_id id)
{
	xmlNodePtr code = tn_node(&p->h, cell(p, row, "name"), "code");
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	tn_escape_short(&text, p->v->g->ops[id.i].name, NAME_COLUMNS);
	tn_attr(&p->h, code, "title", p->v->g->ops[id.i].name);
	tn_text_taken(&p->h, code, &text);
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
	tn_text(&p->h, td, f->diag->message);
	for (size_t i = 0; i < f->diag->notes.count; i++)
		tn_node_text(&p->h, td, "span", "note", f->diag->notes.items[i]);
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
	static const struct column columns[] = {
		{ "severity", false },
		{ "rule", false },
		{ "finding", false },
		{ "place", false },
	};
	xmlNodePtr body;

	if (!p->findings.n) {
		none(p, parent, "Nothing was reported about this graph.");
		return;
	}
	body = TABLE(p, parent, columns);
	for (size_t i = 0; i < p->findings.n; i++)
		finding(p, body, &p->findings.list[i]);
}

static void in_plan(struct tn_page *p, xmlNodePtr td, const struct tn_candidate *c)
{
	int64_t shared = tn_candidate_shared(p->v, c);

	if (!shared) {
		tn_node_text(&p->h, td, "span", "muted", "apart");
		return;
	}
	tn_text(&p->h, td, tn_candidate_in_place(p->v, c) ? "in place, " : "overlap, ");
	tn_text_bytes(&p->h, td, shared);
}

static void decision(struct tn_page *p, xmlNodePtr body, const struct tn_candidate *c)
{
	const char *verdict = tn_words_verdict(c);
	xmlNodePtr row = tn_node(&p->h, body, "tr"), td;
	struct tn_strbuf text;
	char class[32];

	tn_attr(&p->h, row, "data-verdict", verdict);
	snprintf(class, sizeof(class), "tag tag-%s", verdict);
	tn_node_text(&p->h, cell(p, row, NULL), "span", class, verdict);
	op_cell(p, row, c->op);
	td = cell(p, row, "name");
	tensor_name(p, td, c->in, NAME_COLUMNS);
	td = tn_node_text(&p->h, td, "span", "to", NULL);
	tensor_name(p, td, c->out, NAME_COLUMNS);
	cell_number(p, row, c->saves_bytes);
	in_plan(p, cell(p, row, NULL), c);
	td = cell(p, row, "why");
	tn_strbuf_init(&text);
	if (c->verdict != VERDICT_PROVED)
		tn_strbuf_printf(&text, "fails %s: ", tn_obligation_name(c->failed));
	tn_words_reason(p->v, c, &text);
	tn_text_taken(&p->h, td, &text);
	if (c->verdict != VERDICT_PROVED && c->may_overlap) {
		tn_strbuf_puts(&text, "legal overlap: ");
		tn_words_rule(p->v, c, &text);
		tn_text_taken(
			&p->h, tn_node_text(&p->h, td, "span", "note", NULL), &text);
	}
}

void tn_html_decisions(struct tn_page *p, xmlNodePtr parent)
{
	static const struct column columns[] = {
		{ "in place?", false },
		{ "op", false },
		{ "input, output", false },
		{ "could save, B", true },
		{ "in the plan", false },
		{ "why", false },
	};
	const struct tn_inplace *all = p->v->inplace;
	xmlNodePtr body;

	if (!all || !all->n) {
		none(p, parent, "No op of this graph could write over an input.");
		return;
	}
	body = TABLE(p, parent, columns);
	for (size_t i = 0; i < all->n; i++)
		decision(p, body, &all->list[i]);
}

static void variant(struct tn_page *p, xmlNodePtr td, tn_op_id id)
{
	const struct tn_plan_op *run = &p->v->plan->ops[id.i];
	struct tn_variant variant = { run->descending != 0, (enum tn_hold)run->hold };
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	if (tn_view_elided(p->v, id))
		tn_strbuf_puts(&text, "nothing runs");
	else
		tn_words_variant(&variant, &text);
	tn_text_taken(&p->h, td, &text);
}

static void op_row(struct tn_page *p, xmlNodePtr body, uint32_t position)
{
	tn_op_id id = tn_view_op_at(p->v, position);
	const struct tn_op *op = &p->v->g->ops[id.i];
	struct tn_traffic t = { 0 };
	xmlNodePtr row = tn_node(&p->h, body, "tr"), td;

	if (!tn_view_elided(p->v, id))
		t = tn_traffic_of(p->v->g, op);
	if (position == p->peak)
		tn_attr(&p->h, row, "class", "peak-row");
	cell_number(p, row, position);
	op_cell(p, row, id);
	tn_text(&p->h, cell(p, row, NULL), tn_words_op_type(op));
	td = cell(p, row, "num");
	tn_text_number(&p->h, td, p->loads[position].live_bytes);
	tn_html_bar(&p->h, td, "row-bar", p->loads[position].live_bytes,
		p->v->plan->arena_bytes);
	cell_number(p, row, t.macs);
	cell_number(p, row, t.bytes_read);
	cell_number(p, row, t.bytes_written);
	cell_number(p, row, t.const_bytes);
	cell_number(p, row, p->v->plan->ops[id.i].scratch_bytes);
	variant(p, cell(p, row, NULL), id);
}

void tn_html_ops(struct tn_page *p, xmlNodePtr parent)
{
	static const struct column columns[] = {
		{ "#", true },
		{ "op", false },
		{ "type", false },
		{ "live, B", true },
		{ "MACs", true },
		{ "read, B", true },
		{ "written, B", true },
		{ "constants, B", true },
		{ "scratch, B", true },
		{ "kernel runs", false },
	};
	xmlNodePtr body;

	if (!p->v->g->n_ops) {
		none(p, parent, "The graph has no ops.");
		return;
	}
	body = TABLE(p, parent, columns);
	for (uint32_t i = 0; i < p->v->g->n_ops; i++)
		op_row(p, body, i);
}

static void tensor_row(struct tn_page *p, xmlNodePtr body, uint32_t i)
{
	const struct tn_tensor *t = &p->v->g->tensors[i];
	const struct tn_plan_tensor *place = &p->v->plan->tensors[i];
	struct tn_alias a = tn_view_alias(p->v, (tn_tensor_id){ i });
	xmlNodePtr row = tn_node(&p->h, body, "tr"), td;
	struct tn_strbuf text;

	tn_text_number(&p->h, cell(p, row, "num"), i);
	tensor_name(p, cell(p, row, "name"), (tn_tensor_id){ i }, LONG_NAME_COLUMNS);
	tn_text(&p->h, cell(p, row, NULL), tn_words_role(p->v->g, (tn_tensor_id){ i }));
	tn_strbuf_init(&text);
	tn_words_shape(&t->shape, &text);
	tn_text_taken(&p->h, cell(p, row, NULL), &text);
	tn_text(&p->h, cell(p, row, NULL), tn_dtype_name(t->dtype));
	cell_number(p, row, t->bytes);
	if (p->boxes.of[i] == TN_NONE) {
		for (int k = 0; k < 3; k++)
			cell(p, row, "num");
	} else {
		cell_number(p, row, place->offset);
		cell_number(p, row, place->first);
		cell_number(p, row, place->last);
	}
	td = cell(p, row, NULL);
	if (a.root.i != i) {
		tn_text(&p->h, td, "view of ");
		tn_text_tensor(&p->h, td, p->v, a.root, TN_WORDS_NAME);
	}
}

void tn_html_tensors(struct tn_page *p, xmlNodePtr parent)
{
	static const struct column columns[] = {
		{ "id", true },
		{ "tensor", false },
		{ "role", false },
		{ "shape", false },
		{ "type", false },
		{ "bytes", true },
		{ "offset", true },
		{ "first", true },
		{ "last", true },
		{ "storage", false },
	};
	xmlNodePtr body = TABLE(p, parent, columns);

	for (uint32_t i = 0; i < p->v->g->n_tensors; i++)
		tensor_row(p, body, i);
}
