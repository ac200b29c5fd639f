#include "plan/fixed.h"

#include "plan/overlap.h"

struct clash {
	const struct tn_problem *p;
	const struct tn_pairs *pairs;
	bool found;
	uint32_t *buffers;
};

static bool unlinked(void *ctx, uint32_t x, uint32_t y)
{
	struct clash *c = ctx;

	if (tn_pairs_linked(c->p, c->pairs, x, y))
		return true;
	c->found = true;
	c->buffers[0] = x < y ? x : y;
	c->buffers[1] = x < y ? y : x;
	return false;
}

bool tn_variants_choose(const struct tn_problem *p, const int64_t *offset,
	uint32_t *variant, uint32_t *out_pair, uint8_t *scratch_by_group)
{
	uint8_t *possible = scratch_by_group;

	for (uint32_t g = 0; g < p->n_groups; g++)
		possible[g] = (uint8_t)((1u << p->groups[g].n_variants) - 1);
	for (uint32_t i = 0; i < p->n_pairs; i++) {
		const struct tn_pair *pair = &p->pairs[i];
		const int64_t a = offset[pair->a], b = offset[pair->b];

		if (a < 0 || b < 0 ||
			!tn_buffers_meet(&p->buffers[pair->a], &p->buffers[pair->b]))
			continue;
		for (uint32_t v = 0; v < p->groups[pair->group].n_variants; v++) {
			const struct tn_gap gap = tn_pair_gap(p, pair, v);

			if (gap.lo < a - b && a - b < gap.hi)
				possible[pair->group] &= (uint8_t) ~(1u << v);
		}
		*out_pair = i;
		if (!possible[pair->group])
			return false;
	}
	for (uint32_t g = 0; g < p->n_groups; g++)
		for (variant[g] = 0; !(possible[g] >> variant[g] & 1);)
			variant[g]++;
	return true;
}

enum tn_status tn_fixed_clash(const struct tn_problem *p, const struct tn_pairs *pairs,
	bool *out_clash, uint32_t out_buffers[2])
{
	struct clash c = { .p = p, .pairs = pairs, .buffers = out_buffers };
	struct tn_arena scratch;
	enum tn_status status = TN_ERR_NOMEM;
	int64_t *offset;
	uint8_t *possible;
	uint32_t *variant, pair;
	bool any = false;

	*out_clash = false;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		any = any || p->buffers[i].fixed >= 0;
	if (!any)
		return TN_OK;
	tn_arena_init(&scratch);
	offset = TN_NEW_ARRAY(&scratch, int64_t, p->n_buffers);
	possible = TN_NEW_ARRAY(&scratch, uint8_t, p->n_groups);
	variant = TN_NEW_ARRAY(&scratch, uint32_t, p->n_groups);
	if (!offset || !possible || !variant)
		goto out;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		offset[i] = p->buffers[i].fixed;
	status = tn_overlaps(p, offset, unlinked, &c);
	*out_clash = c.found;
	if (status == TN_OK && !c.found &&
		!tn_variants_choose(p, offset, variant, &pair, possible)) {
		*out_clash = true;
		out_buffers[0] = p->pairs[pair].a;
		out_buffers[1] = p->pairs[pair].b;
	}
out:
	tn_arena_release(&scratch);
	return status;
}
