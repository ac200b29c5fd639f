#include "plan/exact.h"

#include "base/checked.h"
#include "plan/fill.h"
#include "plan/fixed.h"
#include "plan/improve.h"

/* Which style finds a solution is a lottery with short odds: most runs that succeed do so
 * with hardly any backtracking. So runs are short and many, long ones come late, and a
 * style that has won is drawn more often. */
static const struct {
	int selector;
	bool ahead;
} styles[] = {
	{ 0, false },
	{ 1, true },
	{ 0, true },
	{ 2, true },
	{ 1, false },
	{ 3, false },
	{ 2, false },
	{ 4, false },
	{ 3, true },
	{ 4, true },
};

#define STEPS_PER_NODE 1000
#define N_STYLES       (sizeof(styles) / sizeof(styles[0]))
#define WIN	       3 /* draws that a success is worth */

struct campaign {
	struct tn_fill *fill;
	struct tn_solution *best;
	const struct tn_problem *p;
	uint8_t *possible; /* scratch, by group */
	int64_t grain;
	int64_t dive; /* nodes of a short run */
	uint64_t random;
	uint64_t runs[N_STYLES], wins[N_STYLES];
};

/* 1, 1, 2, 1, 1, 2, 4, ... */
static int64_t luby(uint64_t i)
{
	for (;;) {
		uint64_t power = 1;

		while (power - 1 < i)
			power *= 2;
		if (power - 1 == i)
			return (int64_t)(power / 2);
		i -= power / 2 - 1;
	}
}

static int32_t draw(struct campaign *c, int32_t least, int32_t most)
{
	c->random =
		c->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return least + (int32_t)((c->random >> 33) % (uint64_t)(most - least + 1));
}

/* Takes over what fill has found. */
static bool accept(struct campaign *c)
{
	struct tn_solution *best = c->best;
	uint32_t pair;

	tn_fill_answer(c->fill, best->offset);
	best->height = 0;
	for (uint32_t i = 0; i < c->p->n_buffers; i++) {
		const struct tn_buffer *b = &c->p->buffers[i];

		if (!b->size)
			best->offset[i] = b->fixed >= 0 ? b->fixed : 0;
		best->height = tn_max_i64(best->height, best->offset[i] + b->size);
	}
	return tn_variants_choose(c->p, best->offset, best->variant, &pair, c->possible);
}

/* The style that is most behind its share of the runs. */
static size_t pick(const struct campaign *c)
{
	size_t best = 0;

	for (size_t i = 1; i < N_STYLES; i++)
		if ((c->runs[i] + 1) * (1 + WIN * c->wins[best]) <
			(c->runs[best] + 1) * (1 + WIN * c->wins[i]))
			best = i;
	return best;
}

static enum tn_fill_result attack_once(struct campaign *c, size_t which, int64_t nodes)
{
	const struct tn_fill_style style = { .selector = styles[which].selector,
		.ahead = styles[which].ahead,
		.size = draw(c, -64, 320),
		.span = draw(c, -64, 320),
		.nodes = nodes };
	const enum tn_fill_result result = tn_fill_run(c->fill, &style);

	c->runs[which]++;
	c->wins[which] += result == FILL_FOUND;
	if (result == FILL_FOUND && !accept(c))
		return FILL_NOMEM;
	return result;
}

static void proved_none(struct campaign *c, int64_t capacity)
{
	c->best->bound = tn_max_i64(c->best->bound, capacity + 1);
	(void)tn_align_up_i64(c->best->bound, c->grain, &c->best->bound);
}

/* Up to `runs` runs at this capacity, their lengths by the Luby sequence. */
static enum tn_fill_result attack(struct campaign *c, int64_t capacity, uint64_t runs)
{
	enum tn_fill_result result = FILL_LIMIT;

	tn_fill_capacity(c->fill, capacity);
	for (uint64_t i = 0; i < runs && result == FILL_LIMIT; i++) {
		if (tn_fill_exhausted(c->fill))
			return FILL_LIMIT;
		result = attack_once(c, pick(c), c->dive * luby(i / N_STYLES + 1));
	}
	if (result == FILL_NONE)
		proved_none(c, capacity);
	return result;
}

/* Bisects between the bound and the incumbent. A capacity that a short effort does not
 * reach counts as out of reach until the interval is closed. Then one long run tries to
 * prove that the incumbent is the best. */
static enum tn_fill_result bisect(struct campaign *c, uint64_t effort)
{
	enum tn_fill_result result = FILL_LIMIT;
	int64_t out_of_reach = c->best->bound - c->grain;

	while (result != FILL_NOMEM && !tn_fill_exhausted(c->fill)) {
		const int64_t gap = (c->best->height - out_of_reach) / c->grain;
		const int64_t target = c->best->height - c->grain * ((gap + 1) / 2);

		if (gap <= 1)
			break;
		result = attack(c, target, effort * 4 * N_STYLES);
		if (result == FILL_LIMIT || result == FILL_NONE)
			out_of_reach = target;
	}
	if (result == FILL_NOMEM || c->best->height <= c->best->bound)
		return result;
	tn_fill_capacity(c->fill, c->best->height - c->grain);
	result = attack_once(c, pick(c), c->dive * (int64_t)effort * 64);
	if (result == FILL_NONE)
		proved_none(c, c->best->height - c->grain);
	return result;
}

static enum tn_fill_result minimise(struct campaign *c)
{
	enum tn_fill_result result = attack(c, c->best->bound, 12 * N_STYLES);

	for (uint64_t effort = 1;
		result != FILL_NOMEM && c->best->height > c->best->bound &&
		!tn_fill_exhausted(c->fill);
		effort *= 2)
		result = bisect(c, effort);
	return result;
}

enum tn_status tn_exact(const struct tn_problem *p, const struct tn_exact_limit *limit,
	struct tn_solution *best, bool *out_suits)
{
	struct campaign c = { .best = best, .p = p, .random = 1 };
	struct tn_arena arena;
	enum tn_fill_result result = FILL_LIMIT;
	enum tn_status status;

	tn_arena_init(&arena);
	c.possible = TN_NEW_ARRAY(&arena, uint8_t, p->n_groups);
	status = c.possible ? tn_fill_new(p, &arena, &c.fill) : TN_ERR_NOMEM;
	*out_suits = c.fill;
	if (status == TN_OK && c.fill) {
		c.grain = tn_fill_grain(c.fill);
		(void)tn_align_up_i64(best->bound, c.grain, &best->bound);
		tn_fill_limit(c.fill, limit->steps, limit->until);
		c.dive = (int64_t)tn_fill_items(c.fill) * 3 / 2 + 16;
		if (p->capacity < 0)
			result = minimise(&c);
		else if (best->height > p->capacity && best->bound <= p->capacity)
			result = attack(&c, p->capacity, UINT64_MAX);
		best->nodes = tn_fill_steps(c.fill) / STEPS_PER_NODE;
	}
	tn_arena_release(&arena);
	return result == FILL_NOMEM ? TN_ERR_NOMEM : status;
}
