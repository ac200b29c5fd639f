/* For problems that are too large for one tree: branch and bound over the buffers born in
 * a window of time, as a problem of its own. To improve: with those that they meet left
 * where they are. To bound: alone, as if nobody else were there; the windows of a
 * partition add up. */
#include "base/checked.h"
#include "plan/pairs.h"
#include "plan/regions_search.h"
#include "plan/sort.h"

#define WINDOW	     14 /* buffers with a choice */
#define BOUND_WINDOW 24 /* buffers, when nobody else is there */
#define NEIGHBOURS   48 /* buffers in all */
#define BUFFERS_MAX  4096 /* each window looks at all of them */
#define WINDOW_NODES ((int64_t)20000)

struct window {
	struct tn_region_search *s;
	struct tn_sort_key *born; /* buffers by birth */
	uint32_t *local; /* by buffer: its number in the window, or TN_UNASSIGNED */
	uint32_t *region; /* by buffer: scratch */
	uint32_t of[NEIGHBOURS]; /* by number in the window */
	int64_t accessed[NEIGHBOURS];
	uint32_t allowed[NEIGHBOURS];
	struct tn_buffer buffers[NEIGHBOURS];
	struct tn_problem q;
	struct tn_region_problem p;
};

static bool enter(struct window *w, uint32_t x, uint32_t allowed)
{
	const struct tn_region_problem *all = w->s->p;
	const uint32_t i = w->q.n_buffers;

	if (i == NEIGHBOURS)
		return false;
	w->local[x] = i;
	w->of[i] = x;
	w->buffers[i] = all->buffers->buffers[x];
	w->accessed[i] = all->accessed[x];
	w->allowed[i] = allowed;
	w->q.n_buffers++;
	return true;
}

/* The buffers born in [at, at + n) of the order, and those that meet one of them if they
 * are wanted. */
static bool gather(struct window *w, uint32_t at, uint32_t n, bool neighbours)
{
	const struct tn_region_problem *all = w->s->p;
	const struct tn_buffer *b = all->buffers->buffers;
	int64_t begin = b[w->born[at].id].begin, end = begin;

	for (uint32_t i = 0; i < w->q.n_buffers; i++)
		w->local[w->of[i]] = TN_UNASSIGNED;
	w->q.n_buffers = 0;
	for (uint32_t i = at; i < at + n; i++) {
		const uint32_t x = w->born[i].id;

		end = tn_max_i64(end, b[x].end);
		if (!enter(w, x, all->allowed[x]))
			return false;
	}
	for (uint32_t i = 0; neighbours && i < all->buffers->n_buffers; i++)
		if (w->local[i] == TN_UNASSIGNED && b[i].begin < end &&
			begin < b[i].end && !enter(w, i, UINT32_C(1) << w->s->best[i]))
			return false;
	return true;
}

static bool take_pairs(struct window *w, struct tn_arena *arena)
{
	const struct tn_problem *all = w->s->p->buffers;
	uint32_t n = 0;

	for (uint32_t i = 0; i < all->n_pairs; i++)
		n += w->local[all->pairs[i].a] != TN_UNASSIGNED &&
		     w->local[all->pairs[i].b] != TN_UNASSIGNED;
	w->q.pairs = TN_NEW_ARRAY(arena, struct tn_pair, n);
	w->q.n_pairs = 0;
	for (uint32_t i = 0; w->q.pairs && i < all->n_pairs; i++) {
		struct tn_pair pair = all->pairs[i];

		pair.a = w->local[pair.a];
		pair.b = w->local[pair.b];
		if (pair.a != TN_UNASSIGNED && pair.b != TN_UNASSIGNED)
			w->q.pairs[w->q.n_pairs++] = pair;
	}
	w->q.groups = all->groups;
	w->q.n_groups = all->n_groups;
	return w->q.pairs;
}

static enum tn_status start(
	struct window *w, struct tn_arena *arena, struct tn_region_search *sub)
{
	if (!take_pairs(w, arena))
		return TN_ERR_NOMEM;
	w->q.buffers = w->buffers;
	w->p = (struct tn_region_problem){ &w->q, w->accessed, w->allowed,
		w->s->p->regions, w->s->p->n_regions };
	*sub = (struct tn_region_search){ .p = &w->p, .until = w->s->until };
	return tn_search_start(sub, arena);
}

static enum tn_status search_window(
	struct window *w, struct tn_region_search *sub, int64_t *out_bound)
{
	enum tn_status status;

	sub->left = tn_min_i64(w->s->left, WINDOW_NODES);
	w->s->left -= sub->left;
	status = tn_regions_exact(sub, out_bound);
	w->s->left += sub->left;
	return status;
}

/* The best answer's part in the window: only what is cheaper is of interest. */
static void start_from_best(const struct window *w, struct tn_region_search *sub)
{
	for (uint32_t i = 0; i < w->q.n_buffers; i++)
		sub->best[i] = w->s->best[w->of[i]];
	sub->found = true;
	sub->best_cost = tn_search_cost(&w->p, sub->best);
}

static enum tn_status try_window(struct window *w, uint32_t at, uint32_t n)
{
	struct tn_region_search *s = w->s, sub;
	struct tn_arena arena;
	enum tn_status status;
	uint32_t touched = 0;
	int64_t bound;
	bool fits;

	if (!gather(w, at, n, true))
		return TN_OK;
	tn_arena_init(&arena);
	status = start(w, &arena, &sub);
	if (status == TN_OK)
		start_from_best(w, &sub);
	if (status == TN_OK)
		status = search_window(w, &sub, &bound);
	for (uint32_t i = 0; status == TN_OK && i < s->p->buffers->n_buffers; i++) {
		w->region[i] = s->best[i];
		if (w->local[i] != TN_UNASSIGNED)
			w->region[i] = sub.best[w->local[i]];
		if (w->region[i] != s->best[i])
			touched |= UINT32_C(1) << s->best[i] | UINT32_C(1)
								       << w->region[i];
	}
	tn_arena_release(&arena);
	if (status != TN_OK || !touched)
		return status;
	status = tn_search_fits(s, w->region, touched, &fits);
	if (status == TN_OK && fits)
		tn_search_take(s, w->region, s->variant);
	return status;
}

static enum tn_status new_window(struct tn_region_search *s, struct window **out)
{
	const uint32_t n = s->p->buffers->n_buffers;
	struct window *w = TN_NEW(s->arena, struct window);

	if (!w)
		return TN_ERR_NOMEM;
	w->s = s;
	w->born = TN_NEW_ARRAY(s->arena, struct tn_sort_key, n);
	w->local = TN_NEW_ARRAY(s->arena, uint32_t, n);
	w->region = TN_NEW_ARRAY(s->arena, uint32_t, n);
	if (!w->born || !w->local || !w->region)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++) {
		w->born[i] = (struct tn_sort_key){ s->p->buffers->buffers[i].begin, i };
		w->local[i] = TN_UNASSIGNED;
	}
	tn_sort(w->born, n);
	*out = w;
	return TN_OK;
}

enum tn_status tn_regions_windows(struct tn_region_search *s)
{
	const uint32_t n = s->p->buffers->n_buffers;
	int64_t before = INT64_MAX;
	struct window *w;
	enum tn_status status;

	if (n > BUFFERS_MAX)
		return TN_OK;
	status = new_window(s, &w);
	while (status == TN_OK && s->found && s->best_cost < before) {
		before = s->best_cost;
		for (uint32_t i = 0; i < n && status == TN_OK && !tn_search_over(s);
			i += WINDOW / 2) {
			s->left -= 1 + n / 64;
			status = try_window(w, i, i + WINDOW < n ? WINDOW : n - i);
		}
	}
	return status;
}

static enum tn_status bound_window(
	struct window *w, uint32_t at, uint32_t n, int64_t *out_bound)
{
	struct tn_region_search sub;
	struct tn_arena arena;
	enum tn_status status;

	*out_bound = 0;
	if (!gather(w, at, n, false))
		return TN_OK;
	tn_arena_init(&arena);
	status = start(w, &arena, &sub);
	sub.left = WINDOW_NODES;
	if (status == TN_OK)
		status = tn_regions_greedy(&sub);
	if (status == TN_OK)
		status = search_window(w, &sub, out_bound);
	tn_arena_release(&arena);
	return status;
}

enum tn_status tn_regions_window_bound(struct tn_region_search *s, int64_t *bound)
{
	const uint32_t n = s->p->buffers->n_buffers;
	int64_t sum = 0, part;
	struct window *w;
	enum tn_status status;

	if (n > BUFFERS_MAX)
		return TN_OK;
	status = new_window(s, &w);
	for (uint32_t i = 0; i < n && status == TN_OK && sum != INT64_MAX;
		i += BOUND_WINDOW) {
		status = bound_window(
			w, i, i + BOUND_WINDOW < n ? BOUND_WINDOW : n - i, &part);
		sum = part == INT64_MAX ? part : sum + part; /* valid: no overflow */
	}
	if (status == TN_OK)
		*bound = tn_max_i64(*bound, sum);
	return status;
}
