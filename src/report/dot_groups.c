/* Frames around what belongs together, and what was reported about which op. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/dot_parts.h"
#include "report/words.h"

#include "base/banned.h"

static int by_name(const void *a, const void *b)
{
	const struct tn_dot_named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->op > y->op) - (x->op < y->op);
}

uint32_t tn_dot_op_named(const struct tn_dot *d, const char *name)
{
	uint32_t lo = 0, hi = d->v->g->n_ops;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (strcmp(d->by_name[mid].name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < d->v->g->n_ops && strcmp(d->by_name[lo].name, name) == 0
		       ? d->by_name[lo].op
		       : TN_NONE;
}

/* The op that a report is about: by its name, or because it makes the tensor of this
 * name. */
static void note(struct tn_dot *d, uint32_t op, const struct tn_diag *diag)
{
	if (op != TN_NONE &&
		(!d->finding[op] || d->finding[op]->severity < diag->severity))
		d->finding[op] = diag;
}

static void find_findings(struct tn_dot *d)
{
	const struct tn_graph *g = d->v->g;
	size_t n = d->v->diags ? d->v->diags->list.count : 0;

	for (size_t i = 0; i < n; i++) {
		const struct tn_diag *diag = &d->v->diags->list.items[i];
		uint32_t op;

		if (!diag->subject)
			continue;
		op = tn_dot_op_named(d, diag->subject);
		note(d, op, diag);
		for (uint32_t t = 0; op == TN_NONE && t < g->n_tensors; t++)
			if (strcmp(g->tensors[t].name, diag->subject) == 0)
				note(d, op = d->producer[t], diag);
	}
}

void tn_dot_index(struct tn_dot *d)
{
	const struct tn_graph *g = d->v->g;

	d->by_name = TN_NEW_ARRAY(d->arena, struct tn_dot_named, g->n_ops);
	d->finding = TN_NEW_ARRAY(d->arena, const struct tn_diag *, g->n_ops);
	if (!d->by_name || !d->finding) {
		d->failed = true;
		return;
	}
	for (uint32_t i = 0; i < g->n_ops; i++)
		d->by_name[i] = (struct tn_dot_named){ g->ops[i].name, i };
	if (g->n_ops > 1)
		qsort(d->by_name, g->n_ops, sizeof(*d->by_name), by_name);
	find_findings(d);
}

/* A frame with its title; the name must begin with "cluster". */
static Agraph_t *frame(struct tn_dot *d, Agraph_t *in, const char *kind, uint32_t i,
	struct tn_strbuf *title)
{
	char name[48];
	char *text;
	Agraph_t *sub;

	snprintf(name, sizeof(name), "cluster_%s%" PRIu32, kind, i);
	text = tn_arena_strdup(d->arena, name);
	sub = text ? agsubg(in, text, 1) : NULL;
	d->failed = d->failed || !sub;
	if (!sub) {
		tn_strbuf_release(title);
		return NULL;
	}
	tn_dot_label(d, sub, title);
	tn_dot_set(d, sub, "style", "rounded,dashed");
	tn_dot_set(d, sub, "color", "#8a8f94");
	tn_dot_set(d, sub, "fontsize", "10");
	return sub;
}

static void ghost(struct tn_dot *d, Agnode_t *n, const char *name)
{
	struct tn_strbuf label;

	tn_strbuf_init(&label);
	tn_dot_name(&label, name);
	tn_strbuf_puts(&label, "\\nruns no more");
	tn_dot_label(d, n, &label);
	tn_dot_set(d, n, "style", "rounded,dashed");
}

/* Ops that run row by row, in a frame. */
static void chain(struct tn_dot *d, uint32_t index, const struct tn_plan_stream *s,
	Agraph_t **chains)
{
	struct tn_strbuf title;
	Agraph_t *sub = NULL;

	for (uint32_t k = 0; k < s->n && !d->failed; k++) {
		uint32_t op = tn_view_op_at(d->v, s->first + k).i;

		if (!d->op[op])
			continue;
		if (!sub) {
			tn_strbuf_init(&title);
			tn_strbuf_printf(&title,
				"chain: ops %" PRIu32 " to %" PRIu32
				" run row by row, the %s row first",
				s->first, s->first + s->n - 1,
				s->descending ? "last" : "first");
			sub = frame(d, d->graph, "chain", index, &title);
		}
		if (sub && !agsubnode(sub, d->op[op], 1))
			d->failed = true;
		chains[op] = sub;
	}
}

/* Ops that are no more, in a frame with the one that does their work. */
static void fused(struct tn_dot *d, Agraph_t *const *chains)
{
	size_t n = d->v->rewrites ? d->v->rewrites->list.count : 0;
	Agraph_t **frames = TN_NEW_ARRAY(d->arena, Agraph_t *, d->v->g->n_ops);

	d->failed = d->failed || !frames;
	for (size_t i = 0; i < n && !d->failed; i++) {
		const struct tn_rewrite *r = &d->v->rewrites->list.items[i];
		uint32_t op =
			r->done && r->op && r->gone ? tn_dot_op_named(d, r->op) : TN_NONE;
		struct tn_strbuf title;
		Agnode_t *gone;
		Agedge_t *e;

		if (op == TN_NONE || !d->op[op] || strcmp(r->op, r->gone) == 0)
			continue;
		if (!frames[op]) {
			tn_strbuf_init(&title);
			tn_strbuf_puts(&title, tn_pass_name(r->pass));
			frames[op] = frame(d, chains[op] ? chains[op] : d->graph, "fused",
				op, &title);
			if (frames[op] && !agsubnode(frames[op], d->op[op], 1))
				d->failed = true;
		}
		if (d->failed)
			return;
		gone = tn_dot_node(d, frames[op], "g", (uint32_t)i);
		if (!gone)
			return;
		ghost(d, gone, r->gone);
		e = tn_dot_edge(d, frames[op], d->op[op], gone);
		if (e) {
			tn_dot_set(d, e, "style", "dotted");
			tn_dot_set(d, e, "arrowhead", "none");
			tn_dot_set(d, e, "constraint", "false");
		}
	}
}

/* Control flow whose branches the file has flattened into its ops. */
static void branches(struct tn_dot *d)
{
	const struct tn_graph *g = d->v->g;
	bool *framed = TN_NEW_ARRAY(d->arena, bool, g->n_ops);

	d->failed = d->failed || !framed;
	for (uint32_t i = 0; i < g->n_branches && !d->failed; i++) {
		const struct tn_branch *b = &g->branches[i];
		struct tn_strbuf title;
		Agraph_t *sub = NULL;

		for (uint32_t k = 0; k < b->n_ops && !d->failed; k++) {
			uint32_t op = b->ops[k].i;

			if (op >= g->n_ops || !d->op[op] || framed[op])
				continue;
			framed[op] = true;
			tn_strbuf_init(&title);
			tn_dot_name(&title, b->choice ? b->choice : "");
			tn_strbuf_puts(&title, ": ");
			tn_dot_name(&title, b->name ? b->name : "");
			if (!sub)
				sub = frame(d, d->graph, "branch", i, &title);
			else
				tn_strbuf_release(&title);
			if (sub && !agsubnode(sub, d->op[op], 1))
				d->failed = true;
		}
	}
}

static uint32_t maker(const struct tn_graph *body, uint32_t tensor)
{
	for (uint32_t i = 0; i < body->n_ops; i++)
		for (uint32_t k = 0; k < body->ops[i].n_outputs; k++)
			if (body->ops[i].outputs[k].i == tensor)
				return i;
	return TN_NONE;
}

/* One body: its ops, and who feeds whom. It is not planned by itself. */
static void body(struct tn_dot *d, uint32_t index, const struct tn_graph *b)
{
	Agnode_t **nodes = TN_NEW_ARRAY(d->arena, Agnode_t *, b->n_ops);
	struct tn_strbuf title;
	Agraph_t *sub;
	char kind[24];

	d->failed = d->failed || !nodes;
	if (d->failed)
		return;
	tn_strbuf_init(&title);
	tn_strbuf_printf(&title, "subgraph %" PRIu32 "  ", index + 1);
	tn_dot_name(&title, b->name ? b->name : "");
	sub = frame(d, d->graph, "body", index, &title);
	snprintf(kind, sizeof(kind), "s%" PRIu32 "n", index);
	for (uint32_t i = 0; i < b->n_ops && !d->failed; i++) {
		struct tn_strbuf label;

		nodes[i] = tn_dot_node(d, sub, kind, i);
		if (d->failed)
			return;
		tn_strbuf_init(&label);
		tn_dot_name(&label, b->ops[i].name);
		tn_strbuf_puts(&label, "\\n");
		tn_dot_name(&label, tn_words_op_type(&b->ops[i]));
		tn_dot_label(d, nodes[i], &label);
	}
	for (uint32_t i = 0; i < b->n_ops; i++) {
		for (uint32_t k = 0; k < b->ops[i].n_inputs && !d->failed; k++) {
			uint32_t from = b->ops[i].inputs[k].i == TN_NONE
						? TN_NONE
						: maker(b, b->ops[i].inputs[k].i);

			if (from != TN_NONE)
				tn_dot_edge(d, sub, nodes[from], nodes[i]);
		}
	}
}

/* A dashed line from the op to the first op of each body that it runs. */
static void runs(struct tn_dot *d, uint32_t op)
{
	static const char *const attrs[] = { "then_subgraph", "else_subgraph",
		"cond_subgraph", "body_subgraph", "init_subgraph" };
	const struct tn_graph *g = d->v->g;

	for (size_t i = 0; i < sizeof(attrs) / sizeof(*attrs) && d->op[op]; i++) {
		int64_t k = tn_op_int(&g->ops[op], attrs[i], 0);
		struct tn_strbuf label;
		char kind[24];
		Agedge_t *e;

		if (k < 1 || k > g->n_subgraphs || !g->subgraphs[k - 1].n_ops)
			continue;
		snprintf(kind, sizeof(kind), "s%" PRId64 "n", k - 1);
		e = tn_dot_edge(
			d, d->graph, d->op[op], tn_dot_node(d, d->graph, kind, 0));
		if (!e)
			return;
		tn_strbuf_init(&label);
		tn_strbuf_add(&label, attrs[i], strcspn(attrs[i], "_"));
		tn_dot_label(d, e, &label);
		tn_dot_set(d, e, "style", "dashed");
	}
}

void tn_dot_groups(struct tn_dot *d)
{
	const struct tn_graph *g = d->v->g;
	const struct tn_plan *plan = d->v->plan;
	Agraph_t **chains = TN_NEW_ARRAY(d->arena, Agraph_t *, g->n_ops);

	if (!chains) {
		d->failed = true;
		return;
	}
	for (uint32_t i = 0; plan && i < plan->n_streams && !d->failed; i++)
		chain(d, i, &plan->streams[i], chains);
	fused(d, chains);
	branches(d);
	for (uint32_t i = 0; i < g->n_subgraphs && d->whole && !d->failed; i++)
		body(d, i, &g->subgraphs[i]);
	for (uint32_t i = 0; i < g->n_ops && g->n_subgraphs && d->whole && !d->failed;
		i++)
		runs(d, i);
}
