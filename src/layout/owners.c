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

/* What reaches farthest of all that came before: of one storage, and of the others. Views
 * nested in each other may be many: each is compared with two, not with all. */
struct far {
	const struct owned *of[2]; /* the roots differ; NULL: there is none */
};

static uint32_t root_of(const struct tn_layout *l, const struct owned *o)
{
	return l->storage->extent[o->tensor].root;
}

static void reach(struct far *far, const struct tn_layout *l, const struct owned *o)
{
	const uint32_t root = root_of(l, o);
	const int own = far->of[0] && root_of(l, far->of[0]) != root;
	const struct owned *was = far->of[own];

	if (was && root_of(l, was) == root && was->end >= o->end)
		return;
	if (own == 1 && (far->of[0]->end < o->end)) { /* the farthest of all */
		far->of[1] = far->of[0];
		far->of[0] = o;
	} else if (own == 0 || !was || root_of(l, was) == root || was->end < o->end) {
		far->of[own] = o;
	}
}

/* One of them that has a byte of this one, and belongs to another storage. */
static const struct owned *meets(
	const struct far *far, const struct tn_layout *l, const struct owned *o)
{
	for (int i = 0; i < 2; i++)
		if (far->of[i] && far->of[i]->end > o->begin &&
			root_of(l, far->of[i]) != root_of(l, o))
			return far->of[i];
	return NULL;
}

/* Two that meet, one of them an output, and the graph does not make them one storage. */
static void refuse(
	const struct tn_layout *l, const struct owned *a, const struct owned *b)
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

	tn_need(l->refusals, false, &v, "plan/output-shared",
		"the caller is given '%s' in the bytes of '%s'",
		l->g->tensors[out->tensor].name, l->g->tensors[other->tensor].name);
}

/* By place: does one meet one before it? Says so of the first. */
static void judge(const struct list *list)
{
	struct far all = { { NULL, NULL } }, outputs = { { NULL, NULL } };

	for (size_t i = 0; i < list->n; i++) {
		const struct owned *o = &list->items[i], *met;

		if (i && o->region != o[-1].region)
			all = outputs = (struct far){ { NULL, NULL } };
		met = meets(o->output ? &all : &outputs, list->l, o);
		if (met) {
			refuse(list->l, met, o);
			return;
		}
		reach(&all, list->l, o);
		if (o->output)
			reach(&outputs, list->l, o);
	}
}

bool tn_layout_owners(const struct tn_layout *l)
{
	const struct tn_graph *g = l->g;
	struct list list = { l,
		TN_NEW_ARRAY(
			l->arena, struct owned, 2 * (size_t)g->n_tensors + g->n_outputs),
		0 };

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
	judge(&list);
	return true;
}
