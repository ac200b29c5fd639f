/* What the caller is given when all is over. */
#include "base/checked.h"
#include "verify/check.h"

/* Tensor i has its bytes for itself when all is over, an output more than others: does it
 * meet one that is noted already? */
static void own(struct tn_check *c, struct tn_memory *owned, uint32_t i, bool output)
{
	const struct tn_storage *s = &c->ref.storage;
	const struct tn_extent *at = &s->extent[i];
	const struct tn_plan_tensor *p = &c->plan->tensors[at->root];
	const int64_t begin = p->offset + at->begin, end = p->offset + at->end;
	struct tn_verdict v = { .op = TN_NONE, .tensor = i, .region = p->region };

	if (s->constant[at->root] || p->region == TN_REGION_NONE)
		return;
	for (v.place = begin; output && v.place < end;) {
		const struct tn_content there = tn_memory_at(&owned[p->region], v.place);
		const uint32_t other = there.value == TN_NOTHING ? i : there.value;

		v.begin = v.place - begin;
		v.end = v.begin + tn_min_i64(there.run, end - v.place);
		v.found = (struct tn_seen){ SEEN_GIVEN, other, TN_NONE, there.at,
			there.at + v.end - v.begin };
		if (!tn_need(&c->refusals, s->extent[other].root == at->root, &v,
			    "plan/output-shared",
			    "the caller is given '%s' in the bytes of '%s'",
			    c->g->tensors[i].name, c->g->tensors[other].name))
			return;
		v.place += v.end - v.begin;
	}
	if (!tn_memory_write(&owned[p->region], c->arena, begin, end, i, 0))
		c->status = TN_ERR_NOMEM;
}

/* The caller may write into what it is given: an output shares bytes neither with another
 * one nor with what lasts, whatever values are there, unless the graph itself makes them one
 * storage. */
void tn_check_owners(struct tn_check *c)
{
	const struct tn_graph *g = c->g;
	struct tn_memory *owned =
		TN_NEW_ARRAY(c->arena, struct tn_memory, c->plan->n_regions);

	if (!owned) {
		c->status = TN_ERR_NOMEM;
		return;
	}
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (c->ref.storage.given[i] && !g->tensors[i].clobber)
			own(c, owned, i, false);
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (g->tensors[i].role == ROLE_OUTPUT)
			own(c, owned, i, true);
	for (uint32_t i = 0; i < g->n_outputs; i++)
		if (g->outputs[i].i != TN_NONE)
			own(c, owned, g->outputs[i].i, true);
}
