/* Parts that lie at fixed places of a whole are born and die at times of their own, and so
 * do the parts of what is split. In the problem they are one buffer, that lives as long as
 * any of them; what else may lie in bytes that nobody needs yet, or no longer, is said by
 * pairs. The rectangle of the buffer is then not what is forbidden: of two buffers at
 * distance x = offset(a) - offset(b) exactly those x are, at which two pieces meet in time
 * and bytes; when they are several ranges, all between them as well. */
#include <stdlib.h>

#include "base/checked.h"
#include "lower/lowering.h"

/* More pieces than this are taken for one: it is only memory that is lost. */
#define PIECES_MAX 256

/* ---- pieces of a buffer ---- */

struct pieces {
	TN_VEC(struct tn_piece) list;
};

struct parts {
	uint32_t *first; /* by buffer: its tensors, n_buffers + 1 */
	uint32_t *list;
};

static bool list_parts(struct tn_lowering *l, struct parts *out)
{
	uint32_t n = l->t->g->n_tensors, *fill;
	const uint32_t *buffer_of = l->out->buffer_of;

	out->first = TN_NEW_ARRAY(l->arena, uint32_t, l->buffers.count + 1);
	out->list = TN_NEW_ARRAY(l->arena, uint32_t, n);
	fill = TN_NEW_ARRAY(l->arena, uint32_t, l->buffers.count);
	if (!out->first || !out->list || !fill)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (buffer_of[i] != TN_NONE)
			out->first[buffer_of[i] + 1]++;
	for (size_t b = 0; b < l->buffers.count; b++)
		out->first[b + 1] += out->first[b];
	for (uint32_t i = 0; i < n; i++)
		if (buffer_of[i] != TN_NONE)
			out->list[out->first[buffer_of[i]] + fill[buffer_of[i]]++] = i;
	return true;
}

static int by_value(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static int64_t low_of(const struct tn_lowering *l, uint32_t tensor)
{
	const struct tn_alias *a = &l->t->aliases->of[tensor];

	return l->out->shift_of[tensor] + (a->offset - a->start);
}

/* The distinct ends of the parts' ranges, sorted. */
static size_t edges_of(
	const struct tn_lowering *l, const uint32_t *part, uint32_t n, int64_t *edges)
{
	size_t count = 0, kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		edges[count++] = low_of(l, part[i]);
		edges[count++] = low_of(l, part[i]) + l->t->aliases->of[part[i]].extent;
	}
	if (count)
		qsort(edges, count, sizeof(*edges), by_value);
	for (size_t i = 0; i < count; i++)
		if (!kept || edges[kept - 1] != edges[i])
			edges[kept++] = edges[i];
	return kept;
}

/* Do all bytes of the buffer live as long as the buffer? Also those of views that the file
 * has placed: the search for an order takes them so. */
static bool is_whole(const struct tn_lowering *l, const uint32_t *part, uint32_t n)
{
	const struct tn_aliases *al = l->t->aliases;

	for (uint32_t i = 0; i < n; i++)
		if (al->parted[al->of[part[i]].root.i])
			return false;
	return true;
}

static int by_begin(const void *a, const void *b)
{
	const struct tn_piece *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

/* Bytes [lo, hi), inside which no part begins or ends: a piece for each time in which they
 * are needed, or for none. Where values are tied together these may be several. */
static enum tn_status add_pieces(struct tn_lowering *l, struct pieces *all,
	const uint32_t *part, uint32_t n, int64_t lo, int64_t hi)
{
	const struct tn_aliases *al = l->t->aliases;
	size_t first = all->list.count, kept;
	bool tied = false;

	for (uint32_t i = 0; i < n; i++) {
		const struct tn_span *span = &l->t->live->tensor[part[i]];
		int64_t from = low_of(l, part[i]);

		tied = tied || al->tied[al->of[part[i]].root.i];
		if (span->first <= span->last && from <= lo &&
			hi <= from + al->of[part[i]].extent &&
			!tn_vec_push(l->arena, &all->list,
				((struct tn_piece){
					lo, hi, span->first, tn_span_end(span) })))
			return TN_ERR_NOMEM;
	}
	if (all->list.count == first) {
		struct tn_piece never = { lo, hi, INT64_MAX, INT64_MIN };

		return tn_vec_push(l->arena, &all->list, never) ? TN_OK : TN_ERR_NOMEM;
	}
	qsort(&all->list.items[first], all->list.count - first, sizeof(*all->list.items),
		by_begin);
	kept = first;
	for (size_t i = first + 1; i < all->list.count; i++) {
		struct tn_piece *last = &all->list.items[kept], *p = &all->list.items[i];

		if (!tied || p->begin <= last->end)
			last->end = tn_max_i64(last->end, p->end);
		else
			all->list.items[++kept] = *p;
	}
	all->list.count = kept + 1;
	return TN_OK;
}

static bool differ(const struct tn_piece *piece, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (piece[i].begin != piece[0].begin || piece[i].end != piece[0].end)
			return true;
	return false;
}

enum tn_status tn_pieces_make(struct tn_lowering *l)
{
	uint32_t n = (uint32_t)l->buffers.count;
	struct pieces all = { 0 };
	struct parts parts;
	int64_t *edges = TN_NEW_ARRAY(l->arena, int64_t, 2 * (size_t)l->t->g->n_tensors);

	l->pieces.first = TN_NEW_ARRAY(l->arena, uint32_t, (size_t)n + 1);
	l->pieces.uncut = TN_NEW_ARRAY(l->arena, bool, n);
	if (!edges || !l->pieces.first || !l->pieces.uncut || !list_parts(l, &parts))
		return TN_ERR_NOMEM;
	for (uint32_t b = 0; b < n; b++) {
		const struct tn_buffer *buffer = &l->buffers.items[b];
		const uint32_t *part = &parts.list[parts.first[b]];
		uint32_t n_parts = parts.first[b + 1] - parts.first[b];
		size_t n_edges = edges_of(l, part, n_parts, edges),
		       first = all.list.count;
		bool one =
			n_edges < 3 || n_edges > PIECES_MAX || is_whole(l, part, n_parts);
		struct tn_piece whole = { 0, buffer->size, buffer->begin, buffer->end };

		l->pieces.uncut[b] = n_edges > PIECES_MAX;
		for (size_t i = 0; i + 1 < n_edges && !one; i++) {
			enum tn_status status = add_pieces(
				l, &all, part, n_parts, edges[i], edges[i + 1]);

			if (status != TN_OK)
				return status;
		}
		if (one || !differ(&all.list.items[first], all.list.count - first)) {
			all.list.count = first;
			if (!tn_vec_push(l->arena, &all.list, whole))
				return TN_ERR_NOMEM;
		}
		l->pieces.first[b + 1] = (uint32_t)all.list.count;
	}
	l->pieces.list = all.list.items;
	return TN_OK;
}

/* ---- what two buffers forbid each other ---- */

struct couple {
	uint32_t a, b;
	const struct tn_pair *pairs; /* of ops that link the two */
	const struct tn_pair_source *sources;
	const uint32_t *own; /* indices of them */
	uint32_t n_own;
	int64_t lo, hi; /* forbidden: lo < offset(a) - offset(b) < hi */
};

/* Is it the business of an op's own pair how these lie? `dies` in the op, in which `born`,
 * part of its output, is written. */
static bool is_own(const struct couple *c, uint32_t buffer, const struct tn_piece *dies,
	const struct tn_piece *born)
{
	for (uint32_t i = 0; i < c->n_own; i++) {
		const struct tn_pair_source *s = &c->sources[c->own[i]];
		int64_t now = 2 * (int64_t)s->position;

		if (c->pairs[c->own[i]].a == buffer && dies->end == now + 2 &&
			born->begin == now + 1 && born->lo >= s->lo && born->hi <= s->hi)
			return true;
	}
	return false;
}

static void forbid(const struct tn_pieces *pieces, struct couple *c)
{
	c->lo = INT64_MAX;
	c->hi = INT64_MIN;
	for (uint32_t i = pieces->first[c->a]; i < pieces->first[c->a + 1]; i++) {
		const struct tn_piece *p = &pieces->list[i];

		for (uint32_t k = pieces->first[c->b]; k < pieces->first[c->b + 1]; k++) {
			const struct tn_piece *q = &pieces->list[k];

			if (p->begin >= q->end || q->begin >= p->end ||
				is_own(c, c->a, p, q) || is_own(c, c->b, q, p))
				continue;
			c->lo = tn_min_i64(c->lo, q->lo - p->hi);
			c->hi = tn_max_i64(c->hi, q->hi - p->lo);
		}
	}
}

/* A pair forbids one side with an ascending variant, the other with a descending one; what
 * is forbidden in the middle leaves the choice between the two. */
static enum tn_status say(struct tn_lowering *l, const struct couple *c)
{
	int64_t a = l->buffers.items[c->a].size, b = l->buffers.items[c->b].size;
	struct tn_pair pair = {
		.a = c->a, .b = c->b, .group = (uint32_t)l->groups.count
	};
	struct tn_group group = { .n_variants = 1 };
	const struct tn_pair_source none = { TN_NONE, 0, 0 };

	if (c->lo <= -a && c->hi >= b) {
		if (!c->n_own) /* as without a pair */
			return TN_OK;
		pair.d[0] = TN_D_NEVER;
	} else if (c->lo >= c->hi) {
		if (c->n_own) /* their own pairs say it all */
			return TN_OK;
		pair.d[0] = TN_D_FREE;
	} else if (c->lo <= -a) {
		pair.d[0] = c->hi;
	} else {
		pair.d[0] = -c->lo;
		group.descending = 1;
		if (c->hi < b) {
			pair.d[1] = c->hi;
			group.n_variants = 2;
		}
	}
	return tn_vec_push(l->arena, &l->groups, group) &&
			       tn_vec_push(l->arena, &l->pairs, pair) &&
			       tn_vec_push(l->arena, &l->sources, none)
		       ? TN_OK
		       : TN_ERR_NOMEM;
}

static bool has_several(const struct tn_pieces *p, uint32_t buffer)
{
	return p->first[buffer + 1] - p->first[buffer] > 1;
}

/* The ops' pairs that link a with any other buffer, by that buffer: where[] starts as all
 * TN_NONE and is put back by the caller. */
struct links {
	uint32_t *head; /* by buffer: an entry of `next`, or TN_NONE */
	uint32_t *next; /* by pair */
	uint32_t *own; /* scratch */
};

static void link_pairs(const struct tn_lowering *l, struct links *s, uint32_t a,
	uint32_t n_pairs, bool on)
{
	for (uint32_t i = 0; i < n_pairs; i++) {
		const struct tn_pair *p = &l->pairs.items[i];
		uint32_t other = p->a == a ? p->b : p->a;

		if (p->a != a && p->b != a)
			continue;
		s->next[i] = on ? s->head[other] : TN_NONE;
		s->head[other] = on ? i : TN_NONE;
	}
}

enum tn_status tn_pieces_relate(struct tn_lowering *l)
{
	uint32_t n = (uint32_t)l->buffers.count, n_pairs = (uint32_t)l->pairs.count;
	struct links s = { .head = TN_NEW_ARRAY(l->arena, uint32_t, n),
		.next = TN_NEW_ARRAY(l->arena, uint32_t, n_pairs),
		.own = TN_NEW_ARRAY(l->arena, uint32_t, n_pairs) };
	enum tn_status status = TN_OK;

	if (!s.head || !s.next || !s.own)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++)
		s.head[i] = TN_NONE;
	for (uint32_t a = 0; a < n && status == TN_OK; a++) {
		const struct tn_buffer *x = &l->buffers.items[a];

		if (!has_several(&l->pieces, a) || !x->size)
			continue;
		link_pairs(l, &s, a, n_pairs, true);
		for (uint32_t b = 0; b < n && status == TN_OK; b++) {
			const struct tn_buffer *y = &l->buffers.items[b];
			struct couple c = { .a = a, .b = b, .own = s.own };

			if (b == a || (b < a && has_several(&l->pieces, b)) || !y->size ||
				x->begin >= y->end || y->begin >= x->end)
				continue;
			for (uint32_t i = s.head[b]; i != TN_NONE; i = s.next[i])
				s.own[c.n_own++] = i;
			c.pairs = l->pairs.items;
			c.sources = l->sources.items;
			forbid(&l->pieces, &c);
			status = say(l, &c);
		}
		link_pairs(l, &s, a, n_pairs, false);
	}
	return status;
}
