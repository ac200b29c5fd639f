#include "plan/share.h"

#include "base/checked.h"

int64_t tn_gcd(int64_t a, int64_t b)
{
	while (b) {
		const int64_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

/* Bytes in common when a starts x bytes above b. */
static int64_t shared_at(int64_t a, int64_t b, int64_t x)
{
	return tn_min_i64(x + a, b) - tn_max_i64(x, 0);
}

int64_t tn_pair_share(
	const struct tn_problem *p, const struct tn_pair *pair, int64_t cell)
{
	int64_t a = p->buffers[pair->a].size, b = p->buffers[pair->b].size, best = 0;
	int64_t from, to;

	(void)tn_align_up_i64(a, cell, &a); /* valid: no overflow */
	(void)tn_align_up_i64(b, cell, &b);
	from = tn_min_i64(0, b - a); /* one inside of the other: all of the smaller */
	to = tn_max_i64(0, b - a);
	for (uint32_t v = 0; v < p->groups[pair->group].n_variants; v++) {
		struct tn_gap gap = tn_pair_gap(p, pair, v);

		if (gap.lo >= gap.hi)
			return tn_min_i64(a, b);
		(void)tn_align_up_i64(gap.hi, cell, &gap.hi);
		(void)tn_align_up_i64(gap.lo - cell + 1, cell, &gap.lo);
		best = tn_max_i64(best, shared_at(a, b, tn_min_i64(gap.lo, to)));
		best = tn_max_i64(best, shared_at(a, b, tn_max_i64(gap.hi, from)));
	}
	return best;
}
