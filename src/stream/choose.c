#include "stream/choose.h"

#include "base/checked.h"

/* Walking the rows of all chains that are looked at takes a second or so at most; then long
 * orders get short chains only. */
#define ROWS_MAX       (INT64_C(1) << 23)
#define CHAIN_ROWS_MAX (INT64_C(1) << 17) /* a plan lists them */

int64_t *tn_stream_loads(
	const struct tn_stream_view *v, int64_t align, struct tn_arena *arena)
{
	const uint32_t n = v->order->n;
	int64_t *load = TN_NEW_ARRAY(arena, int64_t, (size_t)n + 1), sum = 0;

	if (!load)
		return NULL;
	for (uint32_t i = 0; i < v->g->n_tensors; i++) {
		const struct tn_span *s = &v->live->root[i];
		int64_t bytes = v->g->tensors[i].bytes;

		if (i == v->input || v->aliases->of[i].root.i != i ||
			s->first > s->last || !tn_tensor_is_planned(&v->g->tensors[i]) ||
			!tn_align_up_i64(bytes, align, &bytes))
			continue;
		if ((s->first + 1) / 2 > s->last / 2 || (s->first + 1) / 2 >= n)
			continue;
		load[(s->first + 1) / 2] += bytes; /* a sum of tensors: fits */
		load[tn_min_i64(s->last / 2 + 1, n)] -= bytes;
	}
	for (uint32_t p = 0; p < n; p++)
		load[p] = sum += load[p];
	return load;
}

/* How long may chains be, for the work to have an end? */
static uint32_t longest(
	const struct tn_stream_view *v, const struct tn_stream_limits *limits)
{
	uint32_t most = TN_CHAIN_OPS_MAX;
	int64_t rows = 0;

	if (limits->max_ops)
		most = limits->max_ops < most ? limits->max_ops : most;
	for (uint32_t i = 0; i < v->g->n_ops; i++)
		rows += tn_min_i64(v->rows[i].n, CHAIN_ROWS_MAX);
	while (most > 1 && rows > ROWS_MAX / (most * most / 2))
		most--;
	return most;
}

struct finder {
	const struct tn_stream_view *v;
	const struct tn_stream_limits *limits;
	const int64_t *load;
	struct tn_arena *arena;
	struct tn_stream_costs *out;
	TN_VEC(struct tn_stream_cost) list;
};

static enum tn_status find_at(struct finder *f, uint32_t first, struct tn_stream *s)
{
	int64_t rows = 0;

	for (uint32_t n = 1; n <= f->out->max_ops && n <= f->out->n - first; n++) {
		const uint32_t last = first + n - 1;
		struct tn_stream_cost cost = { .n = n };
		struct tn_arena scratch;
		enum tn_status status = TN_OK;
		bool chain;

		rows += f->v->rows[f->v->order->at[last].i].n;
		if (rows > CHAIN_ROWS_MAX)
			break;
		chain = tn_chain_may_have(f->v, last, true) &&
			tn_chain_of(f->v, first, n, &s->chain);
		tn_arena_init(&scratch);
		if (chain)
			status = tn_stream_weigh(f->v, f->limits->align, &scratch, s);
		tn_arena_release(&scratch);
		if (status != TN_OK)
			return status;
		if (chain && tn_add_i64(f->load[first], s->bytes, &cost.bytes) &&
			!tn_vec_push(f->arena, &f->list, cost))
			return TN_ERR_NOMEM;
		if (!tn_chain_may_have(f->v, last, false))
			break;
	}
	return TN_OK;
}

enum tn_status tn_stream_costs_find(const struct tn_stream_view *v, const int64_t *alone,
	const struct tn_stream_limits *limits, struct tn_arena *arena,
	struct tn_stream_costs *out)
{
	struct finder f = { .v = v,
		.limits = limits,
		.load = tn_stream_loads(v, limits->align, arena),
		.arena = arena,
		.out = out };
	struct tn_stream *s = TN_NEW(arena, struct tn_stream);

	*out = (struct tn_stream_costs){ .n = v->order->n,
		.alone = alone,
		.first = TN_NEW_ARRAY(arena, uint32_t, (size_t)v->order->n + 1),
		.max_ops = longest(v, limits) };
	if (!f.load || !s || !out->first)
		return TN_ERR_NOMEM;
	for (uint32_t p = 0; p < out->n; p++) {
		enum tn_status status = find_at(&f, p, s);

		if (status != TN_OK)
			return status;
		out->first[p + 1] = (uint32_t)f.list.count;
	}
	out->list = f.list.items;
	return TN_OK;
}

/* ---- segmentations ---- */

enum tn_status tn_stream_least(const struct tn_stream_costs *costs, int64_t *out_bytes)
{
	struct tn_arena scratch;
	int64_t *best; /* of the first k positions */

	tn_arena_init(&scratch);
	best = TN_NEW_ARRAY(&scratch, int64_t, (size_t)costs->n + 1);
	for (uint32_t p = 1; best && p <= costs->n; p++)
		best[p] = INT64_MAX;
	for (uint32_t p = 0; best && p < costs->n; p++) {
		best[p + 1] =
			tn_min_i64(best[p + 1], tn_max_i64(best[p], costs->alone[p]));
		for (uint32_t i = costs->first[p]; i < costs->first[p + 1]; i++) {
			int64_t *to = &best[p + costs->list[i].n];

			*to = tn_min_i64(*to, tn_max_i64(best[p], costs->list[i].bytes));
		}
	}
	if (best)
		*out_bytes = best[costs->n];
	tn_arena_release(&scratch);
	return best ? TN_OK : TN_ERR_NOMEM;
}

/* The first k positions: ops in chains, chains, and how the last segment got there. */
struct state {
	uint32_t ops, chains, from;
	bool reached;
	bool chain; /* the last segment is one */
};

static void step(struct state *states, uint32_t from, uint32_t n, bool chain)
{
	const struct state *s = &states[from];
	struct state *to = &states[from + n], next = *s;

	next.ops += chain ? n : 0;
	next.chains += chain;
	next.from = from;
	next.chain = chain;
	if (!to->reached || next.ops < to->ops ||
		(next.ops == to->ops && next.chains < to->chains))
		*to = next;
}

static uint32_t trace(const struct state *states, uint32_t n, struct tn_stream_pick *out)
{
	uint32_t count = 0;

	for (uint32_t p = n; p; p = states[p].from)
		count += states[p].chain;
	for (uint32_t p = n, k = count; p; p = states[p].from)
		if (states[p].chain)
			out[--k] = (struct tn_stream_pick){ states[p].from,
				p - states[p].from };
	return count;
}

enum tn_status tn_stream_pick(const struct tn_stream_costs *costs, int64_t bytes,
	struct tn_arena *arena, struct tn_stream_pick **out, uint32_t *out_n)
{
	struct state *states = TN_NEW_ARRAY(arena, struct state, (size_t)costs->n + 1);

	*out = TN_NEW_ARRAY(arena, struct tn_stream_pick, costs->n);
	if (!states || !*out)
		return TN_ERR_NOMEM;
	states[0].reached = true;
	for (uint32_t p = 0; p < costs->n; p++) {
		if (!states[p].reached)
			continue;
		if (costs->alone[p] <= bytes)
			step(states, p, 1, false);
		for (uint32_t i = costs->first[p]; i < costs->first[p + 1]; i++)
			if (costs->list[i].bytes <= bytes)
				step(states, p, costs->list[i].n, true);
	}
	if (!states[costs->n].reached)
		return TN_ERR_INTERNAL;
	*out_n = trace(states, costs->n, *out);
	return TN_OK;
}
