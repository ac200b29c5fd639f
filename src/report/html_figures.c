/* The totals at the top of the page. */
#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"
#include "report/escape.h"
#include "report/html_parts.h"
#include "report/marks.h"
#include "report/words.h"

#include "base/banned.h"

struct figure {
	const char *class, *name;
	int64_t bytes;
	int64_t whole; /* what the gauge is full at */
};

static void percent(struct tn_strbuf *text, int64_t part, int64_t whole)
{
	int64_t permille = tn_permille(part, whole);

	tn_strbuf_printf(
		text, "%" PRId64 ".%" PRId64 " %%", permille / 10, permille % 10);
}

static void bar(struct tn_html *h, xmlNodePtr parent, const char *class, int64_t part,
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
	tn_attr_int(h, rect, "width",
		part && part >= whole ? 1000 : tn_permille(part, whole));
	tn_attr(h, rect, "height", "10");
}

static void add(struct tn_page *p, xmlNodePtr parent, const struct figure *f,
	struct tn_strbuf *note)
{
	char class[48];
	xmlNodePtr node, value;

	snprintf(class, sizeof(class), "figure figure-%s", f->class);
	node = tn_node_text(&p->h, parent, "div", class, NULL);
	tn_node_text(&p->h, node, "p", "figure-name", f->name);
	value = tn_node_text(&p->h, node, "p", "figure-value", NULL);
	tn_text_number(&p->h, value, f->bytes);
	tn_node_text(&p->h, value, "small", NULL, " B");
	bar(&p->h, node, "gauge", f->bytes, f->whole);
	tn_text_taken(&p->h, tn_node_text(&p->h, node, "p", "figure-note", NULL), note);
}

/* What the plan takes of a memory, against what it may take. */
static void budget(struct tn_page *p, xmlNodePtr parent, const char *memory, int64_t used,
	int64_t room)
{
	struct tn_strbuf note, name;

	tn_strbuf_init(&note);
	tn_strbuf_init(&name);
	if (used > room) {
		tn_escape_number(&note, used - room);
		tn_strbuf_puts(&note, " B more than the budget of ");
	} else {
		percent(&note, used, room);
		tn_strbuf_puts(&note, " of the budget of ");
	}
	tn_escape_number(&note, room);
	tn_strbuf_puts(&note, " B");
	tn_strbuf_puts(&name, "Arena, with scratch");
	if (memory) {
		tn_strbuf_puts(&name, ", in ");
		tn_escape_visible(&name, memory);
	}
	if (name.failed)
		p->h.failed = true;
	else
		add(p, parent,
			&(struct figure){
				used > room ? "over" : "budget", name.text, used, room },
			&note);
	tn_strbuf_release(&note);
	tn_strbuf_release(&name);
}

static void budgets(struct tn_page *p, xmlNodePtr parent)
{
	const struct tn_plan *plan = p->v->plan;

	for (uint32_t r = 0; r < plan->n_regions; r++) {
		const int64_t room = tn_budget_of(p->v, r);

		/* of a board's memories most are empty as a rule */
		if (room > 0 && (plan->regions[r].used || plan->n_regions == 1))
			budget(p, parent,
				plan->regions[r].capacity >= 0 ? plan->regions[r].name
							       : NULL,
				plan->regions[r].used, room);
	}
}

/* From here on a number does not find room in the letters of a headline. */
#define LONG_FIGURE 10000000000

void tn_html_figures(struct tn_page *p, xmlNodePtr parent)
{
	const struct tn_plan *plan = p->v->plan;
	const int64_t peak = plan->activation_bytes, whole = plan->no_reuse_bytes;
	const int64_t most = tn_max_i64(whole, tn_max_i64(peak, plan->arena_bytes));
	struct tn_strbuf note, name;

	if (most >= LONG_FIGURE) {
		xmlUnsetProp(parent, (const xmlChar *)"class");
		tn_attr(&p->h, parent, "class", "figures figures-long");
	}
	tn_strbuf_init(&note);
	tn_strbuf_init(&name);
	if (whole) {
		percent(&note, tn_difference(whole, peak), whole);
		tn_strbuf_puts(&note, " less than without reuse");
	} else {
		tn_strbuf_puts(&note, "nothing needs memory");
	}
	if (plan->arena_bytes != peak) {
		tn_strbuf_puts(&note, "; arena with scratch ");
		tn_escape_number(&note, plan->arena_bytes);
		tn_strbuf_puts(&note, " B");
	}
	add(p, parent, &(struct figure){ "plan", "Plan, activations", peak, whole },
		&note);

	if (tn_mark_optimal(p->v)) {
		tn_strbuf_puts(&note, "reached: the plan is optimal");
		tn_strbuf_puts(&note, tn_mark_mode(plan));
	} else if (!p->v->verified && plan->optimal && peak == plan->bound_bytes) {
		tn_strbuf_puts(&note, "equal, but the plan is not verified");
	} else {
		if (plan->said.bound)
			tn_strbuf_puts(&note, "the plan file says; ");
		tn_strbuf_puts(&note, "gap ");
		tn_escape_number(&note, tn_difference(peak, plan->bound_bytes));
		tn_strbuf_puts(&note, " B, ");
		percent(&note, tn_difference(peak, plan->bound_bytes), plan->bound_bytes);
	}
	tn_strbuf_puts(&name, "Lower bound");
	tn_strbuf_puts(&name, tn_mark_mode(plan));
	if (name.failed)
		p->h.failed = true;
	else
		add(p, parent,
			&(struct figure){ "bound", name.text, plan->bound_bytes, whole },
			&note);
	tn_strbuf_release(&name);

	if (plan->said.disjoint)
		tn_strbuf_puts(&note, "the plan file says; ");
	if (plan->disjoint_bound_bytes > peak) {
		tn_strbuf_puts(&note, "overlap saves ");
		percent(&note, tn_difference(plan->disjoint_bound_bytes, peak),
			plan->disjoint_bound_bytes);
	} else {
		tn_strbuf_puts(&note, plan->overlap == OVERLAP_NONE
					      ? "overlap was not allowed"
					      : "overlap saves nothing here");
	}
	add(p, parent,
		&(struct figure){ "disjoint", "Without overlap, at least",
			plan->disjoint_bound_bytes, whole },
		&note);

	tn_strbuf_puts(&note, "every tensor in memory of its own");
	add(p, parent, &(struct figure){ "none", "Without reuse", whole, whole }, &note);
	budgets(p, parent);
}
