/* What the page tells about one buffer. */
#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"
#include "report/html_parts.h"
#include "report/words.h"

#include "base/banned.h"

enum { NAME_COLUMNS = 400 };

/* What belongs to a box, as linked lists: a page of thousands of boxes must not look for
 * the users of each in all ops. */
struct use {
	uint32_t next;
	uint32_t box;
	uint32_t op;
	bool read;
};

struct lists {
	struct use *uses;
	uint32_t *first_use; /* by box */
	uint32_t *first_member; /* by box: tensor */
	uint32_t *next_member; /* by tensor */
	uint32_t *first_share; /* by box: an entry, overlap * 2 + (the box is over) */
	uint32_t *next_share; /* by entry */
};

static uint32_t *filled(struct tn_arena *arena, size_t n)
{
	uint32_t *list = TN_NEW_ARRAY(arena, uint32_t, n);

	for (size_t i = 0; list && i < n; i++)
		list[i] = TN_NONE;
	return list;
}

/* From the last op to the first, so that the lists run forwards; an op that names a box
 * twice is one user. */
static void list_uses(struct tn_page *p, struct lists *l)
{
	uint32_t n = 0;

	for (uint32_t pos = p->v->g->n_ops; pos > 0; pos--) {
		tn_op_id id = tn_view_op_at(p->v, pos - 1);
		const struct tn_op *op = &p->v->g->ops[id.i];

		for (uint32_t k = 0; k < op->n_inputs + op->n_outputs; k++) {
			bool read = k < op->n_inputs;
			uint32_t t =
				read ? op->inputs[k].i : op->outputs[k - op->n_inputs].i;
			uint32_t box = t == TN_NONE ? TN_NONE : p->boxes.of[t], at;

			if (box == TN_NONE)
				continue;
			for (at = l->first_use[box]; at != TN_NONE; at = l->uses[at].next)
				if (l->uses[at].op != id.i || l->uses[at].read == read)
					break;
			if (at != TN_NONE && l->uses[at].op == id.i)
				continue;
			l->uses[n] = (struct use){ l->first_use[box], box, id.i, read };
			l->first_use[box] = n++;
		}
	}
}

static bool make_lists(struct tn_page *p, struct lists *l)
{
	const struct tn_graph *g = p->v->g;
	size_t operands = 0;

	for (uint32_t i = 0; i < g->n_ops; i++)
		operands += (size_t)g->ops[i].n_inputs + g->ops[i].n_outputs;
	l->uses = TN_NEW_ARRAY(p->arena, struct use, operands);
	l->first_use = filled(p->arena, p->boxes.n);
	l->first_member = filled(p->arena, p->boxes.n);
	l->next_member = filled(p->arena, g->n_tensors);
	l->first_share = filled(p->arena, p->boxes.n);
	l->next_share = filled(p->arena, 2 * (size_t)p->boxes.n_overlaps);
	if (!l->uses || !l->first_use || !l->first_member || !l->next_member ||
		!l->first_share || !l->next_share)
		return false;
	list_uses(p, l);
	for (uint32_t i = g->n_tensors; i > 0; i--) {
		uint32_t box = p->boxes.of[i - 1];

		if (box == TN_NONE)
			continue;
		l->next_member[i - 1] = l->first_member[box];
		l->first_member[box] = i - 1;
	}
	for (uint32_t i = p->boxes.n_overlaps; i > 0; i--) {
		const struct tn_box_overlap *o = &p->boxes.overlaps[i - 1];
		uint32_t under = 2 * (i - 1), over = under + 1;

		l->next_share[under] = l->first_share[o->under];
		l->first_share[o->under] = under;
		l->next_share[over] = l->first_share[o->over];
		l->first_share[o->over] = over;
	}
	return true;
}

/* A row of the card; returns the element for its value. */
static xmlNodePtr row(struct tn_page *p, xmlNodePtr list, const char *what)
{
	tn_node_text(&p->h, list, "dt", NULL, what);
	return tn_node(&p->h, list, "dd");
}

static void shape(struct tn_page *p, xmlNodePtr list, const struct tn_tensor *t)
{
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	tn_words_shape(&t->shape, &text);
	tn_strbuf_printf(&text, " of %s", tn_dtype_name(t->dtype));
	tn_text_taken(&p->h, row(p, list, "Shape"), &text);
}

static void place(struct tn_page *p, xmlNodePtr list, const struct tn_box *b)
{
	xmlNodePtr dd = row(p, list, "Place");

	tn_text_number(&p->h, dd, b->offset);
	tn_text(&p->h, dd, " to ");
	tn_text_number(&p->h, dd, b->offset + b->bytes);
	tn_text(&p->h, dd, ", ");
	tn_text_bytes(&p->h, dd, b->bytes);
	if (p->v->plan->n_regions > 1 && p->v->plan->regions[b->region].name) {
		tn_text(&p->h, dd, ", region ");
		tn_text(&p->h, dd, p->v->plan->regions[b->region].name);
	}
}

static void taken(struct tn_page *p, xmlNodePtr list, const struct tn_box *b)
{
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	tn_strbuf_printf(&text, "half-steps %" PRId64 " to %" PRId64, b->begin, b->last);
	if (b->end > b->last + 1)
		tn_strbuf_puts(&text, ", and there while its last reader writes");
	tn_text_taken(&p->h, row(p, list, "Taken"), &text);
}

/* The ops that write or read any member of the box's root. */
static void users(struct tn_page *p, const struct lists *l, xmlNodePtr list, uint32_t box,
	bool readers)
{
	xmlNodePtr dd = NULL;

	for (uint32_t at = l->first_use[box]; at != TN_NONE; at = l->uses[at].next) {
		if (l->uses[at].read != readers)
			continue;
		if (dd)
			tn_text(&p->h, dd, ", ");
		else
			dd = row(p, list, readers ? "Read by" : "Written by");
		tn_text_op(&p->h, dd, p->v, (tn_op_id){ l->uses[at].op });
	}
	if (!dd)
		tn_text(&p->h, row(p, list, readers ? "Read by" : "Written by"),
			readers ? "nobody in the graph" : "the caller, before the run");
}

/* Why the bytes are not free earlier: the reason of the member that lives longest. */
static void reason(
	struct tn_page *p, const struct lists *l, xmlNodePtr list, uint32_t box)
{
	const struct tn_span *spans = p->v->live ? p->v->live->tensor : NULL;
	uint32_t longest = l->first_member[box];
	struct tn_strbuf text;

	if (!spans || longest == TN_NONE)
		return;
	for (uint32_t i = longest; i != TN_NONE; i = l->next_member[i])
		if (spans[i].last > spans[longest].last)
			longest = i;
	tn_strbuf_init(&text);
	tn_words_life(p->v, (tn_tensor_id){ longest }, &text);
	tn_text_taken(&p->h, row(p, list, "Why it stays"), &text);
}

static void seen_through(
	struct tn_page *p, const struct lists *l, xmlNodePtr list, uint32_t box)
{
	xmlNodePtr dd = NULL;

	for (uint32_t i = l->first_member[box]; i != TN_NONE; i = l->next_member[i]) {
		if (p->boxes.list[box].tensor.i == i)
			continue;
		if (dd)
			tn_text(&p->h, dd, ", ");
		else
			dd = row(p, list, "Seen through");
		tn_text_tensor(&p->h, dd, p->v, (tn_tensor_id){ i }, NAME_COLUMNS);
	}
}

static void box_link(struct tn_page *p, xmlNodePtr parent, uint32_t box)
{
	xmlNodePtr a = tn_node(&p->h, parent, "a");
	struct tn_strbuf name;
	char href[24];

	snprintf(href, sizeof(href), "#b%" PRIu32, box);
	tn_attr(&p->h, a, "href", href);
	tn_strbuf_init(&name);
	tn_box_name(p->v, &p->boxes.list[box], &name);
	tn_text_taken(&p->h, a, &name);
}

static void shares(
	struct tn_page *p, const struct lists *l, xmlNodePtr list, uint32_t box)
{
	xmlNodePtr dd = NULL;

	for (uint32_t at = l->first_share[box]; at != TN_NONE; at = l->next_share[at]) {
		const struct tn_box_overlap *o = &p->boxes.overlaps[at / 2];
		bool over = at % 2 == 1;
		xmlNodePtr para;

		if (!dd)
			dd = row(p, list, "Shares bytes");
		para = tn_node(&p->h, dd, "p");
		tn_text_bytes(&p->h, para, o->end - o->begin);
		tn_text(&p->h, para, over ? ", written over " : ", given up to ");
		box_link(p, para, over ? o->under : o->over);
		tn_text(&p->h, para, " at ");
		tn_text_op(&p->h, para, p->v, o->op);
	}
}

static void card(struct tn_page *p, const struct lists *l, xmlNodePtr parent, uint32_t i)
{
	const struct tn_box *b = &p->boxes.list[i];
	xmlNodePtr article = tn_node_text(&p->h, parent, "article", "card", NULL), h3,
		   list;
	struct tn_strbuf name;
	char id[24];

	snprintf(id, sizeof(id), "b%" PRIu32, i);
	tn_attr(&p->h, article, "id", id);
	tn_attr(&p->h, article, "data-card", id + 1);
	h3 = tn_node(&p->h, article, "h3");
	tn_strbuf_init(&name);
	tn_box_name(p->v, b, &name);
	tn_text_taken(&p->h, h3, &name);
	tn_text(&p->h, h3, " ");
	tn_node_text(&p->h, h3, "span", "tag", tn_box_kind_name(b->kind));
	list = tn_node(&p->h, article, "dl");
	if (b->tensor.i != TN_NONE)
		shape(p, list, &p->v->g->tensors[b->tensor.i]);
	place(p, list, b);
	taken(p, list, b);
	if (b->tensor.i == TN_NONE) {
		tn_text_op(&p->h, row(p, list, "Used by"), p->v, b->op);
		return;
	}
	users(p, l, list, i, false);
	users(p, l, list, i, true);
	reason(p, l, list, i);
	seen_through(p, l, list, i);
	shares(p, l, list, i);
}

void tn_html_cards(struct tn_page *p, xmlNodePtr parent)
{
	xmlNodePtr hint = tn_node_text(&p->h, parent, "article", "card card-hint", NULL);
	struct lists lists;

	tn_node_text(&p->h, hint, "h3", NULL, "No buffer chosen");
	tn_node_text(&p->h, hint, "p", "muted",
		"Choose one in the timeline: who writes it, who reads it last, why its "
		"bytes are not free earlier, and which bytes it shares.");
	if (!make_lists(p, &lists)) {
		p->h.failed = true;
		return;
	}
	for (uint32_t i = 0; i < p->boxes.n; i++)
		card(p, &lists, parent, i);
}
