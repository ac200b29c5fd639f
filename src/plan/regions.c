/* What a well-formed region problem is, and the judge of answers, which shares no code
 * with the solver. */
#include "plan/regions.h"

#include "base/checked.h"
#include "plan/overlap.h"
#include "plan/share.h"

/* ---- well formed ---- */

static const char *region_fault(const struct tn_region *r)
{
	if (r->capacity < 0)
		return "region's capacity is negative";
	if (r->align <= 0)
		return "region's alignment is not positive";
	if (r->cost < 0)
		return "region's cost is negative";
	return NULL;
}

/* The buffer with the largest alignment that a region can give it. */
static const char *widen(const struct tn_region_problem *p, const struct tn_buffer *b,
	struct tn_buffer *out)
{
	*out = *b;
	for (uint32_t r = 0; r < p->n_regions; r++) {
		int64_t align;

		align = b->align / tn_gcd(b->align, p->regions[r].align);
		if (!tn_mul_i64(align, p->regions[r].align, &align))
			return "buffer's alignment is too large";
		out->align = tn_max_i64(out->align, align);
	}
	return NULL;
}

static const char *buffer_fault(
	const struct tn_region_problem *p, uint32_t i, int64_t most, int64_t *cost)
{
	const struct tn_buffer *b = &p->buffers->buffers[i];
	const uint32_t set = p->allowed[i];
	int64_t worst;

	if (!set || (p->n_regions < 32 && set >> p->n_regions))
		return "buffer has no region, or one that does not exist";
	if (p->accessed[i] < 0)
		return "buffer's accessed bytes are negative";
	if (!tn_mul_i64(p->accessed[i], most, &worst) || !tn_add_i64(*cost, worst, cost))
		return "costs are too large together";
	if (b->fixed < 0)
		return NULL;
	if (set & (set - 1))
		return "buffer with a given offset has several regions";
	for (uint32_t r = 0; r < p->n_regions; r++)
		if (set >> r & 1 && b->fixed % p->regions[r].align != 0)
			return "buffer's given offset is not a multiple of its region's "
			       "alignment";
	return NULL;
}

bool tn_regions_valid(
	const struct tn_region_problem *p, const char **out_why, uint32_t *out_index)
{
	const struct tn_problem *q = p->buffers;
	int64_t room = INT64_MAX / 4, cost = 0, most = 1; /* accesses alone add up, too */

	*out_why = NULL;
	*out_index = 0;
	if (!p->n_regions || p->n_regions > TN_REGIONS_MAX)
		*out_why = "no region or too many";
	for (uint32_t r = 0; r < p->n_regions && !*out_why; r++) {
		*out_index = r;
		*out_why = region_fault(&p->regions[r]);
		most = tn_max_i64(most, p->regions[r].cost);
	}
	if (*out_why || !tn_problem_valid(q, out_why, out_index))
		return false;
	for (uint32_t i = 0; i < q->n_buffers; i++) /* those of largest alignment too */
		room -= tn_max_i64(0, q->buffers[i].fixed);
	for (uint32_t i = 0; i < q->n_buffers && !*out_why; i++) {
		struct tn_buffer wide;

		*out_index = i;
		*out_why = widen(p, &q->buffers[i], &wide);
		if (!*out_why)
			*out_why = buffer_fault(p, i, most, &cost);
		if (*out_why)
			break;
		if (wide.align > room || wide.size > room - wide.align)
			*out_why = "buffers are too large together";
		room -= wide.align + wide.size;
	}
	return !*out_why;
}

/* ---- the judge ---- */

struct judge {
	const struct tn_region_problem *p;
	const struct tn_region_solution *s;
	const char *why;
	uint32_t x, y;
};

static bool refuse(struct judge *j, const char *why, uint32_t x, uint32_t y)
{
	j->why = why;
	j->x = x;
	j->y = y;
	return false;
}

static bool judge_buffer(struct judge *j, uint32_t i, int64_t *height)
{
	const struct tn_buffer *b = &j->p->buffers->buffers[i];
	const uint32_t r = j->s->region[i];
	const int64_t offset = j->s->offset[i];

	if (r >= j->p->n_regions || !(j->p->allowed[i] >> r & 1))
		return refuse(j, "region is not allowed", i, i);
	if (offset < 0)
		return refuse(j, "offset is negative", i, i);
	if (offset % b->align != 0 || offset % j->p->regions[r].align != 0)
		return refuse(j, "offset is not aligned", i, i);
	if (b->fixed >= 0 && offset != b->fixed)
		return refuse(j, "offset is not the given one", i, i);
	if (b->size > j->p->regions[r].capacity - offset)
		return refuse(j, "buffer does not fit its region", i, i);
	height[r] = tn_max_i64(height[r], offset + b->size);
	return true;
}

static bool judge_sums(struct judge *j)
{
	int64_t height[TN_REGIONS_MAX] = { 0 }, cost = 0;

	for (uint32_t i = 0; i < j->p->buffers->n_buffers; i++) {
		if (!judge_buffer(j, i, height))
			return false;
		cost += j->p->accessed[i] * j->p->regions[j->s->region[i]].cost;
	}
	for (uint32_t r = 0; r < j->p->n_regions; r++)
		if (height[r] != j->s->height[r])
			return refuse(j, "height is not the largest end", r, r);
	if (cost != j->s->cost)
		return refuse(j, "cost is not the sum", 0, 0);
	if (j->s->cost_bound > cost)
		return refuse(j, "bound is above the cost", 0, 0);
	for (uint32_t g = 0; g < j->p->buffers->n_groups; g++)
		if (j->s->variant[g] >= j->p->buffers->groups[g].n_variants)
			return refuse(j, "variant does not exist", 0, 0);
	return true;
}

static bool judge_couple(void *ctx, uint32_t x, uint32_t y)
{
	struct judge *j = ctx;
	const struct tn_problem *q = j->p->buffers;
	bool linked = false;

	if (j->s->region[x] != j->s->region[y])
		return true;
	for (uint32_t i = 0; i < q->n_pairs; i++) {
		const struct tn_pair *pair = &q->pairs[i];
		const uint32_t v = j->s->variant[pair->group];
		int64_t have = j->s->offset[pair->a] - j->s->offset[pair->b];

		if ((pair->a != x || pair->b != y) && (pair->a != y || pair->b != x))
			continue;
		linked = true;
		if (q->groups[pair->group].descending >> v & 1)
			have = -have;
		if (have < pair->d[v]) /* free: less than anything; never: more */
			return refuse(j, "overlap is not one that the pair allows", x, y);
	}
	return linked || refuse(j, "buffers overlap", x, y);
}

bool tn_regions_check(const struct tn_region_problem *p,
	const struct tn_region_solution *s, const char **out_why, uint32_t out_buffers[2])
{
	struct judge j = { .p = p, .s = s };
	const bool judged = !judge_sums(&j) ||
			    tn_overlaps(p->buffers, s->offset, judge_couple, &j) == TN_OK;

	*out_why = j.why;
	out_buffers[0] = j.x;
	out_buffers[1] = j.y;
	return judged && !j.why;
}
