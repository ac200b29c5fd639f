/* What the caller is given when all is over. */
#include <stdlib.h>

#include "base/checked.h"
#include "layout/layout.h"

struct owned {
	int64_t begin, end; /* in its region */
	uint32_t region, tensor;
	bool output;
};

struct list {
	const struct tn_layout *l;
	struct owned *items;
	size_t n;
};

static void note(struct list *list, uint32_t i, bool output)
{
	const struct tn_storage *s = list->l->storage;
	const struct tn_extent *at = &s->extent[i];
	const struct tn_plan_tensor *p = &list->l->plan->tensors[at->root];

	if (at->begin < at->end && !s->constant[at->root] && p->region != TN_REGION_NONE)
		list->items[list->n++] = (struct owned){ p->offset + at->begin,
			p->offset + at->end, p->region, i, output };
}

static int by_place(const void *a, const void *b)
{
	const struct owned *x = a, *y = b;

	if (x->region != y->region)
		return x->region < y->region ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->tensor > y->tensor) - (x->tensor < y->tensor);
}

/* Two that meet: one of them is an output, and the graph does not make them one storage. */
static bool apart(const struct tn_layout *l, const struct owned *a, const struct owned *b)
{
	const struct owned *out = b->output ? b : a, *other = b->output ? a : b;
	const int64_t begin = b->begin, end = tn_min_i64(a->end, b->end);
	const struct tn_verdict v = { .op = TN_NONE,
		.tensor = out->tensor,
		.begin = begin - out->begin,
		.end = end - out->begin,
		.region = out->region,
		.place = begin,
		.found = { SEEN_GIVEN, other->tensor, TN_NONE, begin - other->begin,
			end - other->begin } };

	return tn_need(l->refusals,
		!out->output || l->storage->extent[a->tensor].root ==
					l->storage->extent[b->tensor].root,
		&v, "plan/output-shared", "the caller is given '%s' in the bytes of '%s'",
		l->g->tensors[out->tensor].name, l->g->tensors[other->tensor].name);
}

bool tn_layout_owners(const struct tn_layout *l)
{
	const struct tn_graph *g = l->g;
	struct list list = { l,
		TN_NEW_ARRAY(
			l->arena, struct owned, 2 * (size_t)g->n_tensors + g->n_outputs),
		0 };
	bool ok = true;

	if (!list.items)
		return false;
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		if (l->storage->given[i] && !g->tensors[i].clobber)
			note(&list, i, false);
		if (g->tensors[i].role == ROLE_OUTPUT)
			note(&list, i, true);
	}
	for (uint32_t i = 0; i < g->n_outputs; i++)
		if (g->outputs[i].i != TN_NONE)
			note(&list, g->outputs[i].i, true);
	if (list.n)
		qsort(list.items, list.n, sizeof(*list.items), by_place);
	for (size_t i = 0; i < list.n; i++)
		for (size_t k = i + 1; k < list.n && ok &&
				       list.items[k].region == list.items[i].region &&
				       list.items[k].begin < list.items[i].end;
			k++)
			ok = apart(l, &list.items[i], &list.items[k]);
	return true;
}
