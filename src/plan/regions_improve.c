/* Local improvement: a buffer to a cheaper region, alone or in exchange for one that is
 * accessed less. */
#include "plan/pairs.h"
#include "plan/regions_search.h"
#include "plan/sort.h"

struct moves {
	struct tn_region_search *s;
	uint32_t *region; /* by buffer: the best one, with a change */
	struct tn_sort_key *order; /* buffers, most accesses first */
};

/* Takes the change if it is cheaper and fits, else undoes it. */
static enum tn_status consider(
	struct moves *m, uint32_t x, uint32_t y, uint32_t touched, bool *out_better)
{
	struct tn_region_search *s = m->s;
	enum tn_status status = TN_OK;

	*out_better = false;
	if (tn_search_cost(s->p, m->region) < s->best_cost)
		status = tn_search_fits(s, m->region, touched, out_better);
	if (*out_better) {
		tn_search_take(s, m->region, s->variant);
	} else {
		m->region[x] = s->best[x];
		m->region[y] = s->best[y];
	}
	return status;
}

static enum tn_status swap(struct moves *m, uint32_t x, uint32_t to, bool *out_better)
{
	const struct tn_region_problem *p = m->s->p;
	const struct tn_buffer *b = p->buffers->buffers;
	const uint32_t from = m->region[x];
	enum tn_status status = TN_OK;

	for (uint32_t y = 0; y < p->buffers->n_buffers && !*out_better &&
			     status == TN_OK && !tn_search_over(m->s);
		y++) {
		if (m->region[y] != to || !(p->allowed[y] >> from & 1) ||
			p->accessed[y] >= p->accessed[x] ||
			!tn_buffers_meet(&b[x], &b[y]))
			continue;
		m->region[x] = to;
		m->region[y] = from;
		status = consider(
			m, x, y, UINT32_C(1) << from | UINT32_C(1) << to, out_better);
	}
	return status;
}

static enum tn_status improve_one(struct moves *m, uint32_t x, bool *out_better)
{
	const struct tn_region_problem *p = m->s->p;
	enum tn_status status = TN_OK;

	*out_better = false;
	for (uint32_t k = 0; k < p->n_regions && !*out_better && status == TN_OK; k++) {
		const uint32_t from = m->region[x], to = m->s->bound.by_cost[k];

		if (p->regions[to].cost >= p->regions[from].cost || tn_search_over(m->s))
			return TN_OK;
		if (!(p->allowed[x] >> to & 1) ||
			p->buffers->buffers[x].size > p->regions[to].capacity)
			continue;
		m->region[x] = to;
		status = consider(
			m, x, x, UINT32_C(1) << from | UINT32_C(1) << to, out_better);
		if (status == TN_OK && !*out_better)
			status = swap(m, x, to, out_better);
	}
	return status;
}

enum tn_status tn_regions_improve(struct tn_region_search *s)
{
	const uint32_t n = s->p->buffers->n_buffers;
	struct moves m = { .s = s };
	enum tn_status status = TN_OK;
	bool again = s->found;

	m.region = TN_NEW_ARRAY(s->arena, uint32_t, n);
	m.order = TN_NEW_ARRAY(s->arena, struct tn_sort_key, n);
	if (!m.region || !m.order)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++) {
		m.region[i] = s->best[i];
		m.order[i] = (struct tn_sort_key){ -s->p->accessed[i], i };
	}
	tn_sort(m.order, n);
	while (again && status == TN_OK && !tn_search_over(s)) {
		again = false;
		for (uint32_t i = 0; i < n && status == TN_OK; i++) {
			bool better;

			status = improve_one(&m, m.order[i].id, &better);
			again = again || better;
		}
	}
	return status;
}
