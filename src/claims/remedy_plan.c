/* Remedies of plans and of scratch: other offsets, another arena, more room. */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "claims/remedy.h"

#include "base/banned.h"

static struct tn_claim *copy_of(struct tn_remedies *r, const struct tn_claim *claim)
{
	struct tn_claim *copy = TN_NEW(r->scratch, struct tn_claim);

	if (copy)
		*copy = *claim;
	else
		r->status = TN_ERR_NOMEM;
	return copy;
}

static void put(struct tn_fix *fix, uint32_t at, const struct tn_claim *with)
{
	if (!fix)
		return;
	fix->at = at;
	fix->with = with;
}

/* End of the arena; when the plan does not say, of what lies in it. */
static int64_t extent(const struct tn_remedies *r, const struct tn_claim *plan)
{
	int64_t extent = tn_max_i64(plan->arena_bytes, 0), bytes, end;

	for (size_t i = 0; plan->arena_bytes < 0 && i < plan->n_places; i++) {
		const struct tn_claim_place *p = &plan->places[i];

		if (p->tensor.i >= r->g->n_tensors || p->offset < 0)
			continue;
		bytes = (r->m->storage_hi[p->tensor.i] - r->m->form[p->tensor.i].lo) / 8;
		if (tn_add_i64(p->offset, tn_max_i64(bytes, p->size), &end))
			extent = tn_max_i64(extent, end);
	}
	return extent;
}

/* The plan with one tensor elsewhere. */
static struct tn_claim *replaced(struct tn_remedies *r, const struct tn_claim *plan,
	uint32_t tensor, int64_t offset)
{
	struct tn_claim *copy = copy_of(r, plan);
	size_t n = plan->n_places;

	if (!copy)
		return NULL;
	copy->places = TN_NEW_ARRAY(r->scratch, struct tn_claim_place, n);
	if (!copy->places) {
		r->status = TN_ERR_NOMEM;
		return NULL;
	}
	memcpy(copy->places, plan->places, n * sizeof(*plan->places));
	for (size_t i = 0; i < n; i++) {
		struct tn_claim_place *p = &copy->places[i];
		int64_t bytes, end;

		if (p->tensor.i == tensor)
			p->offset = offset;
		if (p->tensor.i >= r->g->n_tensors || p->offset < 0)
			continue;
		bytes = tn_max_i64(
			(r->m->storage_hi[p->tensor.i] - r->m->form[p->tensor.i].lo) / 8,
			p->size);
		if (copy->arena_bytes >= 0 && tn_add_i64(p->offset, bytes, &end))
			copy->arena_bytes = tn_max_i64(copy->arena_bytes, end);
	}
	return copy;
}

static bool is_planned(const struct tn_claim *plan, uint32_t tensor, int64_t *out_offset)
{
	for (uint32_t i = 0; i < plan->n_places; i++)
		if (plan->places[i].tensor.i == tensor && plan->places[i].offset >= 0) {
			*out_offset = plan->places[i].offset;
			return true;
		}
	return false;
}

/* A plan: a larger arena, or a tensor at another offset. */
void tn_remedy_offset(struct tn_remedies *r)
{
	const struct tn_claim *plan = r->claims[r->blamed];
	const struct tn_claim_witness *w = &r->trial->worst.witness;
	uint32_t tensor = w->other.i != TN_NONE ? w->other.i : w->victim.i;
	int64_t align, offset, to;
	struct tn_claim *moved;
	struct tn_fix *fix;

	if (!tn_claim_is(plan, "plan") || tensor == TN_NONE)
		return;
	tensor = r->m->form[tensor].root;
	align = tn_max_i64(tn_max_i64(plan->align, w->align), 16);
	if (!is_planned(plan, tensor, &offset))
		return;
	if (r->trial->worst.peril == PERIL_OUT_OF_ARENA)
		to = offset; /* and the arena grows */
	else if (!tn_align_up_i64(extent(r, plan), align, &to))
		return;
	if (r->trial->worst.peril == PERIL_MISALIGNED &&
		tn_align_up_i64(offset, align, &offset))
		to = offset;
	moved = replaced(r, plan, tensor, to);
	if (!moved)
		return;
	if (!tn_remedy_proves_with(r, r->blamed, moved, NULL))
		return;
	if (r->trial->worst.peril == PERIL_OUT_OF_ARENA)
		fix = tn_remedy_add(r, "larger_arena",
			moved->arena_bytes - plan->arena_bytes,
			tn_arena_printf(r->arena, "an arena of %" PRId64 " B",
				moved->arena_bytes));
	else
		fix = tn_remedy_add(r, "another_offset",
			extent(r, moved) - extent(r, plan),
			tn_arena_printf(r->arena,
				"place '%s' at %" PRId64 ", in an arena of %" PRId64 " B",
				r->g->tensors[tensor].name, to, extent(r, moved)));
	put(fix, r->blamed, moved);
}

void tn_remedy_base(struct tn_remedies *r)
{
	const struct tn_claim *plan = r->claims[r->blamed];
	int64_t align = r->trial->worst.witness.align;
	struct tn_claim *aligned;

	if (r->trial->worst.peril != PERIL_MISALIGNED || !tn_claim_is(plan, "plan") ||
		plan->base_address <= 0)
		return;
	aligned = copy_of(r, plan);
	if (!aligned)
		return;
	aligned->base_address = 0;
	if (tn_remedy_proves_with(r, r->blamed, aligned, NULL))
		put(tn_remedy_add(r, "aligned_base", align - 1,
			    tn_arena_printf(r->arena,
				    "align the arena itself to %" PRId64
				    " B, or give it %" PRId64 " B more to do so",
				    align, align - 1)),
			r->blamed, aligned);
}

void tn_remedy_scratch(struct tn_remedies *r)
{
	const struct tn_claim *scratch = r->claims[r->blamed];
	struct tn_claim *larger;

	if (r->trial->worst.peril != PERIL_SCRATCH_SIZE ||
		!tn_claim_is(scratch, "scratch"))
		return;
	larger = copy_of(r, scratch);
	if (!larger)
		return;
	larger->bytes = r->trial->worst.witness.need;
	if (tn_remedy_proves_with(r, r->blamed, larger, NULL))
		put(tn_remedy_add(r, "larger_scratch", larger->bytes - scratch->bytes,
			    tn_arena_printf(
				    r->arena, "scratch of %" PRId64 " B", larger->bytes)),
			r->blamed, larger);
}
