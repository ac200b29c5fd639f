#include "report/dot.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/dot_parts.h"
#include "report/escape.h"
#include "report/findings.h"
#include "report/traffic.h"
#include "report/words.h"

#include "base/banned.h"

enum { NAME_COLUMNS = 40 };

/* cgraph wants texts that it may write to, and does not. */
static char *text_of(struct tn_dot *d, const char *text)
{
	char *copy = tn_arena_strdup(d->arena, text);

	if (!copy)
		d->failed = true;
	return copy;
}

void tn_dot_set(struct tn_dot *d, void *object, const char *name, const char *value)
{
	char *n = text_of(d, name), *v = text_of(d, value), *none = text_of(d, "");

	if (!d->failed && agsafeset(object, n, v, none) != 0)
		d->failed = true;
}

/* DOT has escapes (\N, \l) and character references of its own. */
void tn_dot_name(struct tn_strbuf *out, const char *name)
{
	struct tn_strbuf safe;

	tn_strbuf_init(&safe);
	tn_escape_short(&safe, name, NAME_COLUMNS);
	for (size_t i = 0; i < safe.len; i++) {
		if (safe.text[i] == '\\')
			tn_strbuf_puts(out, "\\\\");
		else if (safe.text[i] == '&')
			tn_strbuf_puts(out, "&amp;");
		else
			tn_strbuf_putc(out, safe.text[i]);
	}
	out->failed = out->failed || safe.failed;
	tn_strbuf_release(&safe);
}

void tn_dot_label(struct tn_dot *d, void *object, struct tn_strbuf *label)
{
	d->failed = d->failed || label->failed;
	if (!d->failed)
		tn_dot_set(d, object, "label", label->text ? label->text : "");
	tn_strbuf_release(label);
}

Agnode_t *tn_dot_node(struct tn_dot *d, Agraph_t *g, const char *kind, uint32_t i)
{
	char name[32];
	char *text;
	Agnode_t *n;

	snprintf(name, sizeof(name), "%s%" PRIu32, kind, i);
	text = text_of(d, name);
	n = text ? agnode(g, text, 1) : NULL;
	if (!n)
		d->failed = true;
	return n;
}

Agedge_t *tn_dot_edge(struct tn_dot *d, Agraph_t *g, Agnode_t *from, Agnode_t *to)
{
	Agedge_t *e;

	if (d->failed || !from || !to)
		return NULL;
	e = agedge(g, from, to, NULL, 1);
	if (!e)
		d->failed = true;
	return e;
}

static void bytes(struct tn_strbuf *out, int64_t value)
{
	tn_escape_number(out, value);
	tn_strbuf_puts(out, " B");
}

/* "1x8x8x8 i8, 512 B at 1,024" */
static void describe(struct tn_dot *d, uint32_t tensor, struct tn_strbuf *out)
{
	const struct tn_tensor *t = &d->v->g->tensors[tensor];
	const struct tn_plan_tensor *p = d->v->plan ? &d->v->plan->tensors[tensor] : NULL;

	tn_words_shape(&t->shape, out);
	tn_strbuf_printf(out, " %s\\n", tn_dtype_name(t->dtype));
	bytes(out, t->bytes);
	if (p && p->region < d->v->plan->n_regions) {
		if (p->ring_bytes) {
			tn_strbuf_puts(out, " in a ring of ");
			bytes(out, p->ring_bytes);
		}
		tn_strbuf_puts(out, " at ");
		tn_escape_number(out, p->offset);
	}
}

static void tensor_name(struct tn_dot *d, uint32_t tensor, struct tn_strbuf *out)
{
	struct tn_strbuf name;

	tn_strbuf_init(&name);
	tn_words_tensor(d->v->g, (tn_tensor_id){ tensor }, &name);
	tn_dot_name(out, name.text ? name.text : "");
	out->failed = out->failed || name.failed;
	tn_strbuf_release(&name);
}

/* Tensors that the caller sees, and those that nobody makes, have nodes of their own. */
static Agnode_t *tensor_node(struct tn_dot *d, uint32_t i)
{
	const char *role = tn_words_role(d->v->g, (tn_tensor_id){ i });
	struct tn_strbuf label;

	if (d->tensor[i])
		return d->tensor[i];
	d->tensor[i] = tn_dot_node(d, d->graph, "t", i);
	if (d->failed)
		return NULL;
	tn_strbuf_init(&label);
	tensor_name(d, i, &label);
	tn_strbuf_printf(&label, "\\n%s ", role);
	describe(d, i, &label);
	tn_dot_label(d, d->tensor[i], &label);
	tn_dot_set(d, d->tensor[i], "shape", "note");
	tn_dot_set(d, d->tensor[i], "fillcolor",
		strcmp(role, "output") == 0  ? "#e8e3f5"
		: strcmp(role, "input") == 0 ? "#dcefed"
					     : "#f3f3f0");
	return d->tensor[i];
}

static void op_node(struct tn_dot *d, uint32_t position)
{
	tn_op_id id = tn_view_op_at(d->v, position);
	const struct tn_op *op = &d->v->g->ops[id.i];
	struct tn_traffic t = tn_traffic_of(d->v->g, op);
	bool elided = tn_view_elided(d->v, id);
	struct tn_strbuf label;

	d->op[id.i] = tn_dot_node(d, d->graph, "n", id.i);
	if (d->failed)
		return;
	tn_strbuf_init(&label);
	tn_strbuf_printf(&label, "%" PRIu32 "  ", position);
	tn_dot_name(&label, op->name);
	tn_strbuf_puts(&label, "\\n");
	tn_dot_name(&label, tn_words_op_type(op));
	if (d->loads) {
		tn_strbuf_puts(&label, elided ? "\\nnothing runs" : "\\nlive ");
		if (!elided)
			bytes(&label, d->loads[position].live_bytes);
	}
	if (t.const_bytes > 0 && !elided) {
		tn_strbuf_puts(&label, "\\nconstants ");
		bytes(&label, t.const_bytes);
	}
	if (position == d->peak)
		tn_strbuf_puts(&label, "\\nPEAK");
	if (d->finding[id.i]) {
		tn_strbuf_printf(
			&label, "\\n%s ", tn_severity_name(d->finding[id.i]->severity));
		tn_dot_name(&label, d->finding[id.i]->rule);
	}
	tn_dot_label(d, d->op[id.i], &label);
	if (position == d->peak) {
		tn_dot_set(d, d->op[id.i], "fillcolor", "#fbe3d4");
		tn_dot_set(d, d->op[id.i], "color", "#b3441e");
		tn_dot_set(d, d->op[id.i], "penwidth", "2.5");
	} else if (elided) {
		tn_dot_set(d, d->op[id.i], "style", "rounded,filled,dashed");
	}
	if (d->finding[id.i] && d->finding[id.i]->severity != SEVERITY_NOTE) {
		bool error = d->finding[id.i]->severity == SEVERITY_ERROR;

		tn_dot_set(d, d->op[id.i], "color", error ? "#b3261e" : "#a86a00");
		tn_dot_set(d, d->op[id.i], "fontcolor", error ? "#8c1d18" : "#7a4d00");
		tn_dot_set(d, d->op[id.i], "penwidth", "2.5");
	}
}

static const struct tn_candidate *candidate_of(
	const struct tn_dot *d, tn_op_id op, uint32_t input)
{
	size_t n;
	const struct tn_candidate *list = tn_view_candidates(d->v, op, &n);

	for (size_t i = 0; i < n; i++)
		if (list[i].input == input)
			return &list[i];
	return NULL;
}

/* How the reader deals with the tensor's bytes: the edge says it. */
static void style_edge(struct tn_dot *d, Agedge_t *e, tn_op_id reader, uint32_t input,
	struct tn_strbuf *label)
{
	const struct tn_candidate *c = candidate_of(d, reader, input);
	int64_t shared;

	if (tn_view_elided(d->v, reader)) {
		tn_dot_set(d, e, "style", "dashed");
		tn_strbuf_puts(label, "\\nview");
		return;
	}
	if (!c)
		return;
	shared = tn_candidate_shared(d->v, c);
	if (shared && tn_candidate_in_place(d->v, c)) {
		/* green is for what the verifier has accepted */
		tn_dot_set(d, e, "color",
			d->v->verified ? "#2f7d4f:#2f7d4f" : "#5c6166:#5c6166");
		tn_strbuf_puts(label, "\\nin place");
	} else if (shared) {
		tn_dot_set(d, e, "color", "#a86a00:#a86a00");
		tn_strbuf_puts(label, "\\noverlap ");
		bytes(label, shared);
	} else if (!d->v->plan && c->verdict == VERDICT_PROVED) {
		tn_dot_set(d, e, "color", "#2f7d4f");
		tn_strbuf_puts(label, "\\nmay be in place");
	}
}

/* The label of an edge: to the left, and a little away from the line. */
static void beside(struct tn_dot *d, Agedge_t *e, struct tn_strbuf *lines)
{
	struct tn_strbuf label;

	tn_strbuf_init(&label);
	tn_strbuf_puts(&label, lines->len ? "  " : "");
	for (size_t i = 0; i < lines->len; i++) {
		tn_strbuf_putc(&label, lines->text[i]);
		if (lines->text[i] != '\\')
			continue;
		i++; /* an escape; the only one that is no letter of a name ends a line */
		tn_strbuf_puts(&label, lines->text[i] == 'n' ? "l  " : "\\");
	}
	tn_strbuf_puts(&label, lines->len ? "\\l" : "");
	label.failed = label.failed || lines->failed;
	tn_strbuf_release(lines);
	tn_dot_label(d, e, &label);
}

static void edge(struct tn_dot *d, Agnode_t *from, Agnode_t *to, uint32_t tensor,
	tn_op_id reader, uint32_t input)
{
	struct tn_strbuf label;
	Agedge_t *e;

	e = tn_dot_edge(d, d->graph, from, to);
	if (!e)
		return;
	tn_strbuf_init(&label);
	if (d->producer[tensor] != TN_NONE) {
		tensor_name(d, tensor, &label);
		tn_strbuf_puts(&label, "\\n");
		describe(d, tensor, &label);
	}
	if (reader.i != TN_NONE)
		style_edge(d, e, reader, input, &label);
	beside(d, e, &label);
}

/* A view that no op makes hangs on whoever makes its root. */
static void hang_view(struct tn_dot *d, uint32_t tensor)
{
	uint32_t root = tn_view_alias(d->v, (tn_tensor_id){ tensor }).root.i, from;
	Agnode_t *node;
	Agedge_t *e;

	if (root == tensor || d->failed)
		return;
	from = d->producer[root];
	node = from == TN_NONE ? tensor_node(d, root) : d->op[from];
	e = tn_dot_edge(d, d->graph, node, d->tensor[tensor]);
	if (!e)
		return;
	tn_dot_set(d, e, "style", "dashed");
	tn_dot_set(d, e, "label", "view");
}

/* The node that an operand comes from; NULL when it is not drawn. */
static Agnode_t *source_of(struct tn_dot *d, uint32_t tensor)
{
	bool known = d->tensor[tensor] != NULL;
	Agnode_t *node;

	if (d->producer[tensor] != TN_NONE)
		return d->op[d->producer[tensor]];
	node = tensor_node(d, tensor);
	if (!known)
		hang_view(d, tensor);
	return node;
}

static void edges_into(struct tn_dot *d, tn_op_id id)
{
	const struct tn_op *op = &d->v->g->ops[id.i];

	for (uint32_t k = 0; k < op->n_inputs && !d->failed; k++) {
		uint32_t t = op->inputs[k].i;

		if (t != TN_NONE && tn_tensor_is_planned(&d->v->g->tensors[t]))
			edge(d, source_of(d, t), d->op[id.i], t, id, k);
	}
	for (uint32_t k = 0; k < op->n_outputs && !d->failed; k++) {
		uint32_t t = op->outputs[k].i;

		if (t != TN_NONE && tn_graph_is_output(d->v->g, (tn_tensor_id){ t }))
			edge(d, d->op[id.i], tensor_node(d, t), t, (tn_op_id){ TN_NONE },
				0);
	}
}

/* The ops within the radius, by as many rounds over all edges. */
static enum tn_status choose(struct tn_dot *d, const struct tn_dot_options *options)
{
	const struct tn_graph *g = d->v->g;
	bool *before = TN_NEW_ARRAY(d->arena, bool, g->n_ops);

	if (!before)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_ops; i++)
		d->drawn[i] =
			!options || options->focus.i == TN_NONE || options->focus.i == i;
	for (uint32_t r = 0; options && r < options->radius && r < g->n_ops; r++) {
		memcpy(before, d->drawn, g->n_ops * sizeof(*before));
		for (uint32_t i = 0; i < g->n_ops; i++) {
			for (uint32_t k = 0; k < g->ops[i].n_inputs; k++) {
				uint32_t t = g->ops[i].inputs[k].i, from;

				from = t == TN_NONE ? TN_NONE : d->producer[t];
				if (from == TN_NONE)
					continue;
				d->drawn[i] = d->drawn[i] || before[from];
				d->drawn[from] = d->drawn[from] || before[i];
			}
		}
		if (memcmp(before, d->drawn, g->n_ops * sizeof(*before)) == 0)
			break;
	}
	return TN_OK;
}

static bool prepare(struct tn_dot *d)
{
	const struct tn_graph *g = d->v->g;

	d->drawn = TN_NEW_ARRAY(d->arena, bool, g->n_ops);
	d->producer = TN_NEW_ARRAY(d->arena, uint32_t, g->n_tensors);
	d->tensor = TN_NEW_ARRAY(d->arena, Agnode_t *, g->n_tensors);
	d->op = TN_NEW_ARRAY(d->arena, Agnode_t *, g->n_ops);
	if (!d->drawn || !d->producer || !d->tensor || !d->op)
		return false;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		d->producer[i] = TN_NONE;
	for (uint32_t i = 0; i < g->n_ops; i++)
		for (uint32_t k = 0; k < g->ops[i].n_outputs; k++)
			if (g->ops[i].outputs[k].i != TN_NONE)
				d->producer[g->ops[i].outputs[k].i] = i;
	tn_dot_index(d);
	return !d->failed;
}

static void defaults(struct tn_dot *d)
{
	static const struct {
		int kind;
		const char *name, *value;
	} attrs[] = {
		{ AGRAPH, "rankdir", "TB" },
		{ AGRAPH, "fontname", "Helvetica" },
		{ AGRAPH, "charset", "UTF-8" },
		{ AGNODE, "label", "" },
		{ AGNODE, "shape", "box" },
		{ AGNODE, "style", "rounded,filled" },
		{ AGNODE, "fillcolor", "#f3f3f0" },
		{ AGNODE, "color", "#5c6166" },
		{ AGNODE, "fontname", "Helvetica" },
		{ AGNODE, "fontsize", "11" },
		{ AGEDGE, "label", "" },
		{ AGEDGE, "color", "#5c6166" },
		{ AGEDGE, "fontname", "Helvetica" },
		{ AGEDGE, "fontsize", "9" },
	};

	for (size_t i = 0; i < sizeof(attrs) / sizeof(*attrs); i++) {
		char *name = text_of(d, attrs[i].name), *value;

		value = text_of(d, attrs[i].value);
		if (d->failed || !agattr(d->graph, attrs[i].kind, name, value)) {
			d->failed = true;
			return;
		}
	}
}

static void draw(struct tn_dot *d)
{
	const struct tn_graph *g = d->v->g;
	struct tn_strbuf label;

	defaults(d);
	tn_strbuf_init(&label);
	tn_dot_name(&label, tn_view_name(d->v));
	if (d->v->plan)
		tn_strbuf_puts(&label, d->v->verified  ? "\\nverified plan"
				       : d->v->refusal ? "\\nREFUSED PLAN"
						       : "\\nplan NOT VERIFIED");
	tn_dot_label(d, d->graph, &label);
	for (uint32_t p = 0; p < g->n_ops && !d->failed; p++)
		if (d->drawn[tn_view_op_at(d->v, p).i])
			op_node(d, p);
	for (uint32_t p = 0; p < g->n_ops && !d->failed; p++)
		if (d->op[tn_view_op_at(d->v, p).i])
			edges_into(d, tn_view_op_at(d->v, p));
	if (!d->failed)
		tn_dot_groups(d);
}

static int put(void *chan, const char *text)
{
	struct tn_strbuf *out = chan;

	tn_strbuf_puts(out, text);
	return out->failed ? -1 : 0;
}

static int flush(void *chan)
{
	(void)chan;
	return 0;
}

static enum tn_status open_and_draw(struct tn_dot *d, struct tn_strbuf *out)
{
	Agiodisc_t io = { AgIoDisc.afread, put, flush };
	Agdisc_t disc = { &AgMemDisc, &AgIdDisc, &io };
	char *name = text_of(d, "tenure");

	d->graph = name ? agopen(name, Agdirected, &disc) : NULL;
	if (!d->graph)
		return TN_ERR_NOMEM;
	draw(d);
	if (!d->failed && agwrite(d->graph, out) != 0)
		d->failed = true;
	agclose(d->graph);
	return d->failed || out->failed ? TN_ERR_NOMEM : TN_OK;
}

enum tn_status tn_dot_write(const struct tn_view *v, const struct tn_dot_options *options,
	struct tn_strbuf *out)
{
	struct tn_arena arena;
	struct tn_dot d = { .v = v, .arena = &arena, .peak = TN_NONE };
	enum tn_status status;

	tn_arena_init(&arena);
	status = prepare(&d) ? choose(&d, options) : TN_ERR_NOMEM;
	d.whole = !options || options->focus.i == TN_NONE;
	if (status == TN_OK && (v->plan || v->live)) {
		struct tn_load *loads;

		status = tn_loads_find(v, &arena, &loads, &d.peak);
		d.loads = loads;
	}
	if (status == TN_OK)
		status = open_and_draw(&d, out);
	tn_arena_release(&arena);
	return status;
}
