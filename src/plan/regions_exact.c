/* Branch and bound over assignments. A node puts one more buffer into a region; it is cut
 * off when its bound is not below the best answer, or when what is in that region cannot
 * be packed: neither can more. Where the packing is not known, and where the effort ends,
 * the node's bound is kept: the least of these is what has been proved. */
#include "base/checked.h"
#include "plan/regions_search.h"
#include "plan/sort.h"

#define BUFFERS_MAX 256 /* with a choice */
#define SPLITS_MAX  8 /* groups whose variant is tried at a leaf */

struct tree {
	struct tn_region_search *s;
	uint32_t *region; /* by buffer */
	uint32_t *order; /* buffers with a choice */
	uint32_t n_order;
	int64_t open; /* least bound of the nodes that were given up */
	enum tn_status status;
};

static void give_up(struct tree *t, int64_t bound)
{
	t->open = tn_min_i64(t->open, bound);
}

/* Packs the regions in `touched`; *out is the worst that one of them says. */
static void pack_all(struct tree *t, const uint32_t *variant, enum tn_packing *out)
{
	*out = PACKING_FITS;
	for (uint32_t r = 0; r < t->s->p->n_regions && t->status == TN_OK; r++) {
		enum tn_packing packing;

		t->status = tn_search_pack(t->s, t->region, variant, r, NULL, &packing);
		if (t->status != TN_OK || packing == PACKING_FITS)
			continue;
		*out = packing;
		if (packing == PACKING_NEVER)
			return;
	}
}

/* Every region fits by itself, but groups are in several: look for common variants. */
static void settle(struct tree *t, int64_t bound, uint32_t n_split)
{
	const struct tn_problem *q = t->s->p->buffers;
	uint32_t split[SPLITS_MAX], n = 0;
	bool proved = n_split <= SPLITS_MAX;

	for (uint32_t g = 0; g < q->n_groups && n < SPLITS_MAX; g++)
		if (t->s->variant[g] != TN_ANY_VARIANT)
			split[n++] = g;
	for (;;) {
		enum tn_packing packing;
		uint32_t i = 0;

		pack_all(t, t->s->variant, &packing);
		if (t->status != TN_OK)
			return;
		if (packing == PACKING_FITS) {
			tn_search_take(t->s, t->region, t->s->variant);
			return;
		}
		proved = proved && packing == PACKING_NEVER;
		if (tn_search_over(t->s)) {
			proved = false;
			break;
		}
		while (i < n &&
			++t->s->variant[split[i]] == q->groups[split[i]].n_variants)
			t->s->variant[split[i++]] = 0;
		if (i == n)
			break;
	}
	if (!proved)
		give_up(t, bound);
}

static void leaf(struct tree *t, int64_t bound)
{
	const uint32_t n_split =
		tn_pack_split(t->s->p, t->region, 0, t->s->variant, t->s->at);

	if (n_split)
		settle(t, bound, n_split);
	else
		tn_search_take(t->s, t->region, t->s->variant);
}

static bool empty(const struct tree *t, uint32_t r)
{
	for (uint32_t i = 0; i < t->s->p->buffers->n_buffers; i++)
		if (t->region[i] == r)
			return false;
	return true;
}

/* Is there an earlier region that is the same as r for every buffer, and also empty? */
static bool is_twin(const struct tree *t, uint32_t r)
{
	const struct tn_region_problem *p = t->s->p;
	const struct tn_region *a = &p->regions[r];

	for (uint32_t k = 0; k < r; k++) {
		const struct tn_region *b = &p->regions[k];
		bool same = a->capacity == b->capacity && a->align == b->align &&
			    a->cost == b->cost;

		for (uint32_t i = 0; i < p->buffers->n_buffers && same; i++)
			same = (p->allowed[i] >> r & 1) == (p->allowed[i] >> k & 1);
		if (same && empty(t, r) && empty(t, k))
			return true;
	}
	return false;
}

static void branch(struct tree *t, uint32_t depth)
{
	struct tn_region_search *s = t->s;
	const int64_t bound = tn_regions_bound_of(&s->bound, t->region);

	s->left -= 1 + s->bound.n_moments / 8;
	if (bound == INT64_MAX || (s->found && bound >= s->best_cost))
		return;
	if (tn_search_over(s)) {
		give_up(t, bound);
		return;
	}
	if (depth == t->n_order) {
		leaf(t, bound);
		return;
	}
	for (uint32_t k = 0; k < s->p->n_regions && t->status == TN_OK; k++) {
		const uint32_t r = s->bound.by_cost[k], x = t->order[depth];
		enum tn_packing packing;

		if (!(s->p->allowed[x] >> r & 1) || is_twin(t, r))
			continue;
		t->region[x] = r;
		t->status = tn_search_pack(s, t->region, NULL, r, NULL, &packing);
		if (t->status == TN_OK && packing == PACKING_FITS)
			branch(t, depth + 1);
		else if (t->status == TN_OK && packing == PACKING_UNKNOWN)
			give_up(t, bound);
		t->region[x] = TN_UNASSIGNED;
	}
}

/* Buffers without a choice are in their region from the start; the others branch in the
 * order of what they can gain. */
static enum tn_status plant(struct tree *t)
{
	const struct tn_region_problem *p = t->s->p;
	const uint32_t n = p->buffers->n_buffers;
	struct tn_sort_key *keys = TN_NEW_ARRAY(t->s->arena, struct tn_sort_key, n);

	t->region = TN_NEW_ARRAY(t->s->arena, uint32_t, n);
	t->order = TN_NEW_ARRAY(t->s->arena, uint32_t, n);
	if (!keys || !t->region || !t->order)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t set = p->allowed[i];

		t->region[i] = TN_UNASSIGNED;
		if (set & (set - 1))
			keys[t->n_order++] = (struct tn_sort_key){ -p->accessed[i], i };
		else
			for (t->region[i] = 0; !(set >> t->region[i] & 1);)
				t->region[i]++;
	}
	tn_sort(keys, t->n_order);
	for (uint32_t i = 0; i < t->n_order; i++)
		t->order[i] = keys[i].id;
	return TN_OK;
}

enum tn_status tn_regions_exact(struct tn_region_search *s, int64_t *out_bound)
{
	struct tree t = { .s = s, .open = INT64_MAX };
	enum tn_packing packing = PACKING_FITS;
	int64_t root;

	t.status = plant(&t);
	if (t.status != TN_OK)
		return t.status;
	*out_bound = root = tn_regions_bound_of(&s->bound, t.region);
	if (root == INT64_MAX || (s->found && s->best_cost <= root))
		return TN_OK;
	if (t.n_order > BUFFERS_MAX)
		return TN_OK;
	pack_all(&t, NULL, &packing); /* what has no choice */
	if (packing == PACKING_NEVER)
		*out_bound = INT64_MAX;
	if (packing != PACKING_FITS || t.status != TN_OK)
		return t.status;
	branch(&t, 0);
	*out_bound = s->found ? tn_min_i64(t.open, s->best_cost) : t.open;
	*out_bound = tn_max_i64(*out_bound, root);
	return t.status;
}
