#include "plan/schedule.h"

#include <string.h>

#include "base/checked.h"
#include "base/vec.h"
#include "plan/schedule_part.h"
#include "plan/sort.h"

#define NODES_DEFAULT  ((int64_t)2000000)
#define NODES_MAX      ((int64_t)1 << 40)
#define STEPS_PER_NODE 8 /* steps that are weighed in a microsecond */

/* An op that every other op must run before or after splits the problem: what ran before
 * it is known. Between two such ops lies a section. */
struct section {
	uint32_t begin, end; /* positions in the given order */
	struct tn_part part; /* only of those that may be improved */
};

struct search {
	const struct tn_schedule_problem *p;
	struct tn_arena scratch;
	struct tn_part whole;
	int64_t *cost; /* by position in the given order */
	bool *fixed; /* by position: every other op runs before or after it */
	TN_VEC(struct section) sections;
	int64_t floor; /* no order is below it */
	int64_t nodes; /* steps that may still be weighed */
	struct tn_schedule *out;
};

static bool sizes_fit(const struct tn_schedule_problem *p)
{
	int64_t sum = 0;

	for (uint32_t b = 0; b < p->n_buffers; b++)
		if (!tn_add_i64(sum, p->buffers[b].size, &sum))
			return false;
	return true;
}

/* The bytes that are there before the first op runs, in any order. */
static int64_t at_start(const struct tn_part *whole, const struct tn_part_state *s)
{
	int64_t pad = s->top ? whole->pad[s->top - 1] : 0;

	if (whole->rank_idle != TN_PART_NONE)
		pad = tn_max_i64(pad, whole->pad[whole->rank_idle]);
	return s->load + whole->idle - pad;
}

static enum tn_status weigh_given(const struct tn_part *whole, struct tn_arena *arena,
	int64_t *cost, int64_t *start, int64_t *peak)
{
	struct tn_part_state s;

	if (!tn_part_state_init(whole, arena, &s))
		return TN_ERR_NOMEM;
	tn_part_state_start(whole, &s);
	*peak = *start = at_start(whole, &s);
	for (uint32_t i = 0; i < whole->n_ops; i++) {
		cost[i] = tn_part_weigh(whole, &s, i).cost;
		*peak = tn_max_i64(*peak, cost[i]);
		tn_part_run(whole, &s, i);
	}
	return TN_OK;
}

/* Each earlier op has a path to the op at i if each has a successor no later than i: the
 * first successors lead there. The same backwards for the later ones. */
static enum tn_status find_fixed(struct search *s)
{
	const struct tn_part *w = &s->whole;
	uint32_t *last = TN_NEW_ARRAY(&s->scratch, uint32_t, w->n_ops); /* predecessor */
	uint32_t reach = 0, back = w->n_ops;

	if (!last)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < w->n_ops; i++) {
		uint32_t first = TN_PART_NONE;

		s->fixed[i] = reach <= i;
		for (uint32_t k = w->first_next[i]; k < w->first_next[i + 1]; k++) {
			uint32_t to = w->next[k];

			first = to < first ? to : first;
			last[to] = i + 1;
		}
		reach = reach > first ? reach : first;
	}
	for (uint32_t i = w->n_ops; i-- > 0;) {
		/* the later ones have predecessors at i or behind: last is one more */
		s->fixed[i] = s->fixed[i] && (i + 1 == w->n_ops || back >= i + 1);
		back = last[i] < back ? last[i] : back;
	}
	return TN_OK;
}

static enum tn_status find_sections(struct search *s)
{
	uint32_t begin = 0;

	for (uint32_t i = 0; i <= s->whole.n_ops; i++) {
		struct section section = { .begin = begin, .end = i };

		if (i < s->whole.n_ops && !s->fixed[i])
			continue;
		if (i < s->whole.n_ops)
			s->floor = tn_max_i64(s->floor, s->cost[i]);
		begin = i + 1;
		if (section.end - section.begin >= 2 &&
			!tn_vec_push(&s->scratch, &s->sections, section))
			return TN_ERR_NOMEM;
	}
	return TN_OK;
}

static int64_t peak_of(const struct search *s, const struct section *section)
{
	int64_t peak = 0;

	for (uint32_t i = section->begin; i < section->end; i++)
		peak = tn_max_i64(peak, s->cost[i]);
	return peak;
}

/* Makes the parts while the given order passes by. */
static enum tn_status cut_sections(struct search *s)
{
	uint32_t *local = TN_NEW_ARRAY(&s->scratch, uint32_t, s->whole.n_buffers);
	struct tn_part_state state;
	uint32_t at = 0;

	if (!local || !tn_part_state_init(&s->whole, &s->scratch, &state))
		return TN_ERR_NOMEM;
	memset(local, 0xFF, s->whole.n_buffers * sizeof(*local));
	tn_part_state_start(&s->whole, &state);
	for (size_t i = 0; i < s->sections.count; i++) {
		struct section *section = &s->sections.items[i];
		enum tn_status status;

		while (at < section->begin)
			tn_part_run(&s->whole, &state, at++);
		if (peak_of(s, section) <= s->floor)
			continue;
		status = tn_part_cut(&s->whole, &state, section->begin, section->end,
			local, &s->scratch, &section->part);
		if (status != TN_OK)
			return status;
	}
	return TN_OK;
}

static enum tn_status improve(struct search *s, struct section *section)
{
	struct tn_part *part = &section->part;
	const int64_t given = peak_of(s, section);
	struct tn_part_answer answer = { .peak = given };
	int64_t floor;
	enum tn_status status = tn_part_floor(part, &s->nodes, &floor);

	if (status != TN_OK)
		return status;
	answer.order = TN_NEW_ARRAY(&s->scratch, uint32_t, part->n_ops);
	if (!answer.order)
		return TN_ERR_NOMEM;
	s->floor = answer.bound = tn_max_i64(s->floor, floor);
	if (answer.peak > s->floor)
		status = tn_part_beam(part, s->floor, &s->nodes, &answer);
	if (status == TN_OK && answer.peak > s->floor)
		status = tn_part_exact(part, s->floor, &s->nodes, &answer);
	if (status != TN_OK)
		return status;
	s->floor = tn_max_i64(s->floor, answer.bound);
	for (uint32_t i = 0; answer.peak < given && i < part->n_ops; i++)
		s->out->order[section->begin + i] = part->op[answer.order[i]];
	return TN_OK;
}

/* The worst section first: what it cannot do without, the others may have as well. */
static enum tn_status improve_all(struct search *s)
{
	size_t n = s->sections.count;
	struct tn_sort_key *keys = TN_NEW_ARRAY(&s->scratch, struct tn_sort_key, n);
	enum tn_status status = keys ? TN_OK : TN_ERR_NOMEM;

	for (size_t i = 0; keys && i < n; i++)
		keys[i] = (struct tn_sort_key){ -peak_of(s, &s->sections.items[i]),
			(uint32_t)i };
	if (keys)
		tn_sort(keys, n);
	for (size_t i = 0; status == TN_OK && i < n && -keys[i].key > s->floor; i++)
		status = improve(s, &s->sections.items[keys[i].id]);
	return status;
}

static enum tn_status run(struct search *s)
{
	const struct tn_schedule_problem *p = s->p;
	struct tn_schedule *out = s->out;
	enum tn_status status = tn_part_whole(p, &s->scratch, &s->whole);

	s->cost = TN_NEW_ARRAY(&s->scratch, int64_t, p->n_ops);
	s->fixed = TN_NEW_ARRAY(&s->scratch, bool, p->n_ops);
	if (status == TN_OK && (!s->cost || !s->fixed))
		status = TN_ERR_NOMEM;
	if (status == TN_OK)
		status = weigh_given(
			&s->whole, &s->scratch, s->cost, &s->floor, &out->given_peak);
	if (status == TN_OK)
		status = find_fixed(s);
	if (status == TN_OK)
		status = find_sections(s);
	if (status == TN_OK)
		status = cut_sections(s);
	if (status == TN_OK)
		status = improve_all(s);
	if (status == TN_OK)
		status = tn_schedule_peak(p, out->order, &s->scratch, &out->peak);
	return status;
}

enum tn_status tn_schedule_search(const struct tn_schedule_problem *p, int64_t nodes,
	struct tn_arena *arena, struct tn_schedule *out)
{
	struct search s = { .p = p, .out = out };
	enum tn_status status;
	int64_t limit;

	*out = (struct tn_schedule){ .order = TN_NEW_ARRAY(arena, uint32_t, p->n_ops) };
	if (!out->order)
		return TN_ERR_NOMEM;
	if (!sizes_fit(p))
		return TN_ERR_INPUT;
	limit = nodes > 0 ? tn_min_i64(nodes, NODES_MAX) : NODES_DEFAULT;
	s.nodes = limit = limit * STEPS_PER_NODE;
	memcpy(out->order, p->given, p->n_ops * sizeof(*out->order));
	tn_arena_init(&s.scratch);
	status = run(&s);
	tn_arena_release(&s.scratch);
	if (status != TN_OK)
		return status;
	if (out->peak >= out->given_peak) {
		memcpy(out->order, p->given, p->n_ops * sizeof(*out->order));
		out->peak = out->given_peak;
	}
	out->bound = p->estimated ? 0 : s.floor;
	out->optimal = out->peak == out->bound;
	out->nodes = (limit - s.nodes) / STEPS_PER_NODE;
	return TN_OK;
}

enum tn_status tn_schedule_peak(const struct tn_schedule_problem *p,
	const uint32_t *order, struct tn_arena *scratch, int64_t *out_peak)
{
	struct tn_schedule_problem q = *p;
	struct tn_part whole;
	enum tn_status status;
	uint32_t *copy = TN_NEW_ARRAY(scratch, uint32_t, p->n_ops);
	int64_t *cost = TN_NEW_ARRAY(scratch, int64_t, p->n_ops), start;

	if (!copy || !cost)
		return TN_ERR_NOMEM;
	memcpy(copy, order, p->n_ops * sizeof(*copy));
	q.given = copy;
	status = tn_part_whole(&q, scratch, &whole);
	if (status != TN_OK)
		return status;
	return weigh_given(&whole, scratch, cost, &start, out_peak);
}
