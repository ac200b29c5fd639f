/* The judge of solutions. It shares no code with bound, greedy and search: it reads the
 * rules of problem.h and nothing else. */
#include "base/checked.h"
#include "plan/overlap.h"
#include "plan/problem.h"
#include "plan/sort.h"

struct judge {
	const struct tn_problem *p;
	const struct tn_solution *s;
	struct tn_sort_key *couples; /* the pairs, by their lower buffer */
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

static bool judge_single(struct judge *j)
{
	int64_t height = 0;

	for (uint32_t i = 0; i < j->p->n_buffers; i++) {
		const struct tn_buffer *b = &j->p->buffers[i];
		const int64_t offset = j->s->offset[i];
		int64_t end;

		if (offset < 0)
			return refuse(j, "offset is negative", i, i);
		if (offset % b->align != 0)
			return refuse(j, "offset is not aligned", i, i);
		if (b->fixed >= 0 && offset != b->fixed)
			return refuse(j, "offset is not the given one", i, i);
		if (!tn_add_i64(offset, b->size, &end))
			return refuse(j, "offset overflows", i, i);
		height = tn_max_i64(height, end);
	}
	if (height != j->s->height)
		return refuse(j, "height is not the largest end", 0, 0);
	if (j->s->bound > height)
		return refuse(j, "bound is above the height", 0, 0);
	for (uint32_t g = 0; g < j->p->n_groups; g++)
		if (j->s->variant[g] >= j->p->groups[g].n_variants)
			return refuse(j, "variant does not exist", 0, 0);
	return true;
}

/* x and y overlap in time and offset: does this pair of theirs allow it? */
static bool pair_allows(const struct judge *j, const struct tn_pair *pair)
{
	const uint32_t v = j->s->variant[pair->group];
	const int64_t d = pair->d[v];
	const int64_t a = j->s->offset[pair->a], b = j->s->offset[pair->b];

	if (d == TN_D_FREE)
		return true;
	if (d == TN_D_NEVER)
		return false;
	if (j->p->groups[pair->group].descending >> v & 1)
		return b - a >= d;
	return a - b >= d;
}

static bool judge_couple(void *ctx, uint32_t x, uint32_t y)
{
	struct judge *j = ctx;
	const uint32_t low = x < y ? x : y, high = x < y ? y : x;
	size_t lo = 0, hi = j->p->n_pairs;
	bool linked = false;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (j->couples[mid].key < (int64_t)low)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < j->p->n_pairs && j->couples[lo].key == (int64_t)low; lo++) {
		const struct tn_pair *pair = &j->p->pairs[j->couples[lo].id];

		if (pair->a != high && pair->b != high)
			continue;
		linked = true;
		if (!pair_allows(j, pair))
			return refuse(j, "overlap is not one that the pair allows", x, y);
	}
	return linked || refuse(j, "buffers overlap", x, y);
}

bool tn_solution_check(const struct tn_problem *p, const struct tn_solution *s,
	const char **out_why, uint32_t out_buffers[2])
{
	struct judge j = { .p = p, .s = s };
	struct tn_arena scratch;
	bool nomem = false;

	tn_arena_init(&scratch);
	j.couples = TN_NEW_ARRAY(&scratch, struct tn_sort_key, p->n_pairs);
	if (!j.couples) {
		nomem = true;
	} else if (judge_single(&j)) {
		for (uint32_t i = 0; i < p->n_pairs; i++) {
			const struct tn_pair *pair = &p->pairs[i];

			j.couples[i].key = pair->a < pair->b ? pair->a : pair->b;
			j.couples[i].id = i;
		}
		tn_sort(j.couples, p->n_pairs);
		nomem = tn_overlaps(p, s->offset, judge_couple, &j) != TN_OK;
	}
	tn_arena_release(&scratch);
	*out_why = j.why;
	out_buffers[0] = j.x;
	out_buffers[1] = j.y;
	return !j.why && !nomem;
}
