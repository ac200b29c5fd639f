#include "stream/streamed.h"

#include <string.h>

#include "base/banned.h"
#include "base/checked.h"

/* Bytes that input and output need together when the output may be at this displacement
 * and no further. */
static int64_t span_of(int64_t in, int64_t out, int64_t d, bool descending)
{
	int64_t upper = descending ? out : in, larger = tn_max_i64(in, out);

	if (d == TN_DISPLACEMENT_FREE)
		return larger;
	return tn_min_i64(in + out, tn_max_i64(larger, d + upper));
}

/* What the output of the chain adds to what is there when the chain starts. */
static int64_t output_bytes(const struct tn_stream_view *v, const struct tn_stream *s,
	const struct tn_way *way, int64_t align)
{
	const struct tn_chain *c = &s->chain;
	uint32_t out = c->ops[c->n - 1].out, root = v->aliases->of[out].root.i;
	int64_t bytes = v->g->tensors[out].bytes, least = bytes;

	if (v->live->root[root].first <= 2 * (int64_t)c->first)
		return 0; /* part of something that is there */
	for (uint32_t i = 0; i < way->events.n_pairs; i++) {
		const struct tn_chain_pair *p = &way->events.pairs[i];
		int64_t in = v->g->tensors[p->tensor].bytes;

		least = tn_min_i64(least, span_of(in, bytes, p->d, way->descending) - in);
	}
	(void)tn_align_up_i64(least, align, &least);
	return least;
}

static int64_t bytes_of(const struct tn_stream_view *v, const struct tn_stream *s,
	const struct tn_way *way, int64_t align)
{
	return way->events.ring_bytes + way->events.state_bytes +
	       output_bytes(v, s, way, align);
}

static bool same_rings(const struct tn_events *a, const struct tn_events *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (a->ring[i] != b->ring[i])
			return false;
	return true;
}

/* Descending is looked at only where ascending leaves something to be won. */
enum tn_status tn_stream_weigh(const struct tn_stream_view *v, int64_t align,
	struct tn_arena *arena, struct tn_stream *s)
{
	const struct tn_chain *c = &s->chain;
	struct tn_way *up = &s->ways[0], *down = &s->ways[1];
	enum tn_status status;
	int64_t bytes;

	s->n_ways = 1;
	up->descending = false;
	status = tn_events_make(v, c, false, align, arena, &up->events);
	if (status != TN_OK)
		return status;
	s->bytes = bytes_of(v, s, up, align);
	if (c->fed || c->ops[c->n - 1].rows.kind == ROWS_TOTAL ||
		!output_bytes(v, s, up, align))
		return TN_OK;
	down->descending = true;
	status = tn_events_make(v, c, true, align, arena, &down->events);
	if (status != TN_OK)
		return status;
	bytes = bytes_of(v, s, down, align);
	if (same_rings(&up->events, &down->events, c->n))
		s->n_ways = 2;
	else if (bytes < s->bytes)
		*up = *down;
	s->bytes = tn_min_i64(s->bytes, bytes);
	return TN_OK;
}

/* ---- all chains of a plan ---- */

static void live_from(struct tn_liveness *live, uint32_t tensor, uint32_t root, int64_t t)
{
	live->tensor[tensor].first = tn_min_i64(live->tensor[tensor].first, t);
	live->root[root].first = tn_min_i64(live->root[root].first, t);
}

static void live_until(
	struct tn_liveness *live, uint32_t tensor, uint32_t root, int64_t t)
{
	live->tensor[tensor].last = tn_max_i64(live->tensor[tensor].last, t);
	live->root[root].last = tn_max_i64(live->root[root].last, t);
}

static void stretch(const struct tn_stream_view *v, const struct tn_chain *c,
	struct tn_liveness *live)
{
	const int64_t begin = 2 * (int64_t)c->first + 1;
	const int64_t end = 2 * ((int64_t)tn_chain_end(c) - 1);

	if (c->fed) { /* nothing of it is there before */
		live->tensor[c->ops[0].out].first = begin - 1;
		live->root[c->ops[0].out].first = begin - 1;
	}

	for (uint32_t i = 0; i < c->n; i++) {
		const struct tn_chain_op *o = &c->ops[i];

		if (o->op.i != TN_PLAN_CALLER)
			live_from(live, o->out, v->aliases->of[o->out].root.i, begin);
		if (i + 1 < c->n)
			live_until(live, o->out, o->out, end);
		for (uint32_t k = 0; k < o->n_sources; k++)
			live_until(live, o->sources[k].tensor,
				v->aliases->of[o->sources[k].tensor].root.i, end);
	}
}

static bool copy_live(
	const struct tn_liveness *from, struct tn_arena *arena, struct tn_liveness *out)
{
	const size_t n = from->n_tensors;

	*out = *from;
	out->tensor = TN_NEW_ARRAY(arena, struct tn_span, n);
	out->root = TN_NEW_ARRAY(arena, struct tn_span, n);
	if (!out->tensor || !out->root)
		return false;
	if (n) {
		memcpy(out->tensor, from->tensor, n * sizeof(*out->tensor));
		memcpy(out->root, from->root, n * sizeof(*out->root));
	}
	return true;
}

enum tn_status tn_streamed_make(const struct tn_stream_view *v,
	const struct tn_stream_pick *picks, uint32_t n, int64_t align,
	struct tn_arena *arena, struct tn_streamed *out)
{
	*out = (struct tn_streamed){ .list = TN_NEW_ARRAY(arena, struct tn_stream *, n),
		.n = n,
		.of_op = TN_NEW_ARRAY(arena, uint32_t, v->g->n_ops),
		.ring_bytes = TN_NEW_ARRAY(arena, int64_t, v->g->n_tensors) };
	if (!out->list || !out->of_op || !out->ring_bytes ||
		!copy_live(v->live, arena, &out->live))
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < v->g->n_ops; i++)
		out->of_op[i] = TN_NONE;
	for (uint32_t i = 0; i < n; i++) {
		struct tn_stream *s = TN_NEW(arena, struct tn_stream);
		enum tn_status status;

		if (!s)
			return TN_ERR_NOMEM;
		if (!tn_chain_of(v, picks[i].first, picks[i].n, &s->chain))
			return TN_ERR_INTERNAL;
		status = tn_stream_weigh(v, align, arena, s);
		if (status != TN_OK)
			return status;
		out->list[i] = s;
		stretch(v, &s->chain, &out->live);
		for (uint32_t k = 0; k < s->chain.n; k++) {
			if (s->chain.ops[k].op.i != TN_PLAN_CALLER)
				out->of_op[s->chain.ops[k].op.i] = i;
			if (k + 1 < s->chain.n)
				out->ring_bytes[s->chain.ops[k].out] =
					s->ways[0].events.ring[k];
		}
	}
	return TN_OK;
}
