#include "analysis/hazards.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/vec.h"

struct touch {
	tn_op_id op;
	int64_t begin, end;
	struct touch *next;
};

/* Per root: the writes and reads that later accesses may meet. A write that covers an
 * older access hides it. */
struct history {
	struct touch *writes, *reads;
};

struct finder {
	struct tn_arena *arena;
	TN_VEC(struct tn_hazard) found;
	struct history *of;
	bool failed;
};

static void meet(struct finder *f, const struct touch *list, enum tn_hazard_kind kind,
	tn_op_id op, tn_tensor_id root, int64_t begin, int64_t end)
{
	for (const struct touch *t = list; t; t = t->next) {
		struct tn_hazard h = { kind, t->op, op, root, tn_max_i64(begin, t->begin),
			tn_min_i64(end, t->end) };

		if (h.begin < h.end && t->op.i != op.i &&
			!tn_vec_push(f->arena, &f->found, h))
			f->failed = true;
	}
}

static void add(
	struct finder *f, struct touch **list, tn_op_id op, int64_t begin, int64_t end)
{
	struct touch *t = TN_NEW(f->arena, struct touch);

	if (!t) {
		f->failed = true;
		return;
	}
	*t = (struct touch){ op, begin, end, *list };
	*list = t;
}

static void drop_covered(struct touch **list, int64_t begin, int64_t end)
{
	while (*list) {
		if ((*list)->begin >= begin && (*list)->end <= end)
			*list = (*list)->next;
		else
			list = &(*list)->next;
	}
}

static void visit(struct finder *f, const struct tn_graph *g,
	const struct tn_aliases *aliases, tn_op_id id)
{
	const struct tn_op *op = &g->ops[id.i];

	for (uint32_t k = 0; k < op->n_inputs; k++) {
		const struct tn_alias *a;

		if (op->inputs[k].i == TN_NONE ||
			!tn_tensor_is_planned(&g->tensors[op->inputs[k].i]))
			continue;
		a = &aliases->of[op->inputs[k].i];
		meet(f, f->of[a->root.i].writes, HAZARD_RAW, id, a->root, a->offset,
			a->offset + a->extent);
		add(f, &f->of[a->root.i].reads, id, a->offset, a->offset + a->extent);
		if (tn_op_destroys(g, op, k)) {
			meet(f, f->of[a->root.i].reads, HAZARD_WAR, id, a->root,
				a->offset, a->offset + a->extent);
			meet(f, f->of[a->root.i].writes, HAZARD_WAW, id, a->root,
				a->offset, a->offset + a->extent);
			add(f, &f->of[a->root.i].writes, id, a->offset,
				a->offset + a->extent);
		}
	}
	for (uint32_t k = 0; k < op->n_outputs && !aliases->elided[id.i]; k++) {
		const struct tn_alias *a;
		struct history *h;

		if (op->outputs[k].i == TN_NONE)
			continue;
		a = &aliases->of[op->outputs[k].i];
		h = &f->of[a->root.i];
		meet(f, h->reads, HAZARD_WAR, id, a->root, a->offset,
			a->offset + a->extent);
		meet(f, h->writes, HAZARD_WAW, id, a->root, a->offset,
			a->offset + a->extent);
		if (a->dense) {
			drop_covered(&h->reads, a->offset, a->offset + a->extent);
			drop_covered(&h->writes, a->offset, a->offset + a->extent);
		}
		add(f, &h->writes, id, a->offset, a->offset + a->extent);
	}
}

enum tn_status tn_hazards_find(const struct tn_graph *g, const struct tn_order *order,
	const struct tn_aliases *aliases, struct tn_arena *arena, struct tn_hazards *out)
{
	struct finder f = { .arena = arena };

	f.of = TN_NEW_ARRAY(arena, struct history, g->n_tensors);
	if (!f.of)
		return TN_ERR_NOMEM;
	for (uint32_t p = 0; p < order->n; p++)
		visit(&f, g, aliases, order->at[p]);
	if (f.failed)
		return TN_ERR_NOMEM;
	out->list = f.found.items;
	out->n = f.found.count;
	return TN_OK;
}

void tn_hazards_print(
	const struct tn_graph *g, const struct tn_hazards *hazards, struct tn_strbuf *out)
{
	static const char *const names[] = { "RAW", "WAR", "WAW" };

	tn_strbuf_puts(out, "hazards:\n");
	for (size_t i = 0; i < hazards->n; i++) {
		const struct tn_hazard *h = &hazards->list[i];

		tn_strbuf_printf(out,
			"  %s op%u '%s' -> op%u '%s' on t%u [%" PRId64 ", %" PRId64 ")\n",
			names[h->kind], h->from.i, g->ops[h->from.i].name, h->to.i,
			g->ops[h->to.i].name, h->root.i, h->begin, h->end);
	}
}
