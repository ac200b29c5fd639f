#include "lower/lower.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/checked.h"
#include "lower/lowering.h"

/* Bytes of memory that a tensor takes. */
static int64_t room_of(const struct tn_lowering *l, uint32_t tensor, int64_t bytes)
{
	const struct tn_streamed *s = l->options->streamed;

	return s && s->ring_bytes[tensor] ? s->ring_bytes[tensor] : bytes;
}

/* Bytes that a root needs: its own, or more when a view reaches further. */
static enum tn_status make_buffers(struct tn_lowering *l)
{
	const struct tn_graph *g = l->t->g;

	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const struct tn_span *span = &l->t->live->root[i];
		struct tn_buffer b = { .begin = span->first,
			.end = tn_span_end(span),
			.size = room_of(l, i, g->tensors[i].bytes),
			.align = l->options->align,
			.fixed = -1 };

		l->out->buffer_of[i] = TN_NONE;
		if (l->t->aliases->of[i].root.i != i || span->first > span->last ||
			!tn_tensor_is_planned(&g->tensors[i]))
			continue;
		l->out->buffer_of[i] = (uint32_t)l->buffers.count;
		if (!tn_vec_push(l->arena, &l->buffers, b) ||
			!tn_vec_push(l->arena, &l->roots, ((tn_tensor_id){ i })))
			return TN_ERR_NOMEM;
	}
	return TN_OK;
}

static void too_large(struct tn_diags *diags, const struct tn_graph *g, uint32_t tensor)
{
	tn_diag_at(diags, SEVERITY_ERROR, "graph/too-large", g->source, NULL,
		g->tensors[tensor].name, "the tensors need more than 2^63 bytes");
}

/* What an op writes past the end of its outputs is part of their buffers. */
static bool make_tails(struct tn_lowering *l)
{
	const struct tn_graph *g = l->t->g;

	l->tail = tn_graph_tails(g, l->t->aliases->elided, l->arena);
	l->tailed = TN_NEW_ARRAY(l->arena, bool, g->n_tensors);
	return l->tail && l->tailed;
}

static enum tn_status place_members(struct tn_lowering *l, struct tn_diags *diags)
{
	const struct tn_graph *g = l->t->g;

	if (!make_tails(l))
		return TN_ERR_NOMEM;

	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const struct tn_alias *a = &l->t->aliases->of[i];
		struct tn_buffer *b;
		int64_t end;

		if (!tn_tensor_is_planned(&g->tensors[i]) ||
			l->out->buffer_of[a->root.i] == TN_NONE)
			continue;
		assert(l->buffers.items); /* the root's is one */
		l->out->buffer_of[i] = l->out->buffer_of[a->root.i];
		l->out->shift_of[i] = a->start;
		b = &l->buffers.items[l->out->buffer_of[i]];
		if (!tn_add_i64(a->offset, room_of(l, i, a->extent), &end) ||
			!tn_add_i64(end, l->tail[i], &end)) {
			too_large(diags, g, i);
			return TN_ERR_INPUT;
		}
		l->tailed[a->root.i] |= l->tail[i] > 0;
		b->size = tn_max_i64(b->size, end);
	}
	return TN_OK;
}

/* Sums that need no planner: everything apart, and the largest live sum. */
struct event {
	int64_t time, size;
	int64_t pad; /* of size, the bytes behind the value */
	bool part; /* of a buffer: it starts where it starts, aligned or not */
};

#define PADS_MAX ((int64_t)1 << 16) /* larger pads are taken for this */

/* How many of each pad are alive. The topmost value needs none, so the most is no cost; and
 * parts may lie in the pads of others. */
struct pads {
	uint32_t *n; /* by bytes */
	int64_t top, sum;
	uint32_t parts;
};

static bool pads_init(struct pads *p, int64_t align, struct tn_arena *arena)
{
	*p = (struct pads){ .n = TN_NEW_ARRAY(arena, uint32_t,
				    (size_t)tn_min_i64(align, PADS_MAX) + 1) };
	return p->n != NULL;
}

static void pads_count(struct pads *p, const struct event *e)
{
	int64_t pad = tn_min_i64(e->pad, PADS_MAX);

	if (e->size > 0) {
		p->n[pad]++;
		p->sum += e->pad;
		p->parts += e->part;
		p->top = tn_max_i64(p->top, pad);
	} else if (e->size < 0) {
		p->n[pad]--;
		p->sum -= e->pad;
		p->parts -= e->part;
	}
	while (p->top && !p->n[p->top])
		p->top--;
}

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1; /* frees first */
	if (x->pad != y->pad)
		return x->pad < y->pad ? -1 : 1;
	return (int)x->part - (int)y->part; /* what is left is alike */
}

static enum tn_status sums(struct tn_lowering *l, struct tn_diags *diags)
{
	const struct tn_graph *g = l->t->g;
	const struct tn_pieces *pieces = &l->pieces;
	size_t n = pieces->first[l->buffers.count];
	struct event *events = TN_NEW_ARRAY(l->arena, struct event, 2 * n);
	struct pads pads;
	int64_t now = 0, all = 0, size;

	if (!events || !pads_init(&pads, l->options->align, l->arena))
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		if (l->out->buffer_of[i] == TN_NONE)
			continue;
		if (!tn_align_up_i64(g->tensors[i].bytes, l->options->align, &size) ||
			!tn_add_i64(all, size, &all)) {
			too_large(diags, g, i);
			return TN_ERR_INPUT;
		}
	}
	for (size_t b = 0; b < l->buffers.count; b++) {
		for (uint32_t i = pieces->first[b]; i < pieces->first[b + 1]; i++) {
			const struct tn_piece *p = &pieces->list[i];

			bool part = pieces->first[b + 1] - pieces->first[b] > 1;

			if (part)
				size = p->hi - p->lo;
			else if (!tn_align_up_i64(
					 p->hi - p->lo, l->options->align, &size))
				return TN_ERR_INPUT;
			events[2 * i] = (struct event){ p->begin, size,
				size - (p->hi - p->lo), part };
			events[2 * i + 1] = (struct event){ p->end, -size,
				size - (p->hi - p->lo), part };
		}
	}
	if (n)
		qsort(events, 2 * n, sizeof(*events), by_time);
	for (size_t i = 0; i < 2 * n; i++) {
		if (!tn_add_i64(now, events[i].size, &now))
			return TN_ERR_INPUT;
		pads_count(&pads, &events[i]);
		l->out->disjoint_bound_bytes = tn_max_i64(l->out->disjoint_bound_bytes,
			now - (pads.parts ? pads.sum : pads.top));
	}
	return TN_OK;
}

/* A root that is no view and has no views: it may be put somewhere as a whole. */
static bool stands_alone(const struct tn_lowering *l, tn_tensor_id id)
{
	return l->t->aliases->of[id.i].root.i == id.i;
}

/* In place only: an output that may replace an input becomes part of its buffer. */
struct merge {
	uint32_t into; /* the buffer that this one became part of; itself if none */
	int64_t shift; /* bytes from its start */
	uint32_t op; /* the last op one of whose outputs became part of it */
};

static uint32_t merged(struct merge *m, uint32_t b, int64_t *shift)
{
	*shift = 0;
	while (m[b].into != b) {
		uint32_t up = m[b].into;

		if (m[up].into != up) { /* halve the path */
			m[b].shift += m[up].shift;
			m[b].into = m[up].into;
		}
		*shift += m[b].shift;
		b = m[b].into;
	}
	return b;
}

/* Also what has a tail: that is no part of a piece. */
static bool keeps_apart(const struct tn_lowering *l, const struct tn_candidate *c)
{
	const struct tn_alias *of = l->t->aliases->of;
	const bool *apart = l->options->apart;

	return l->tailed[of[c->in.i].root.i] || l->tailed[of[c->out.i].root.i] ||
	       (apart && (apart[c->in.i] || apart[c->out.i]));
}

static enum tn_scratch_choice choice_of(const struct tn_lowering *l, tn_op_id op)
{
	return l->options->scratch ? (enum tn_scratch_choice)l->options->scratch[op.i]
				   : SCRATCH_ANY;
}

/* Is a variant with scratch worth it? A pixel's channels are a small block that a kernel
 * needs anyway; a whole row must save more bytes than it costs. */
#define PIXEL_SCRATCH_MAX 512

/* What every variant needs is no reason against one. */
static int64_t least_scratch(const struct tn_graph *g, const struct tn_candidate *c)
{
	int64_t least = INT64_MAX;

	for (uint32_t v = 0; v < c->n_variants; v++)
		least = tn_min_i64(least, tn_contract_scratch(g, c->op, c->variant[v]));
	return least;
}

static bool admits(const struct tn_lowering *l, const struct tn_candidate *c, uint32_t v)
{
	const struct tn_graph *g = l->t->g;
	int64_t in = g->tensors[c->in.i].bytes, out = g->tensors[c->out.i].bytes;
	int64_t scratch = tn_contract_scratch(g, c->op, c->variant[v]), least = in + out;

	if (!scratch || scratch == least_scratch(g, c))
		return true;
	if (choice_of(l, c->op) == SCRATCH_NONE)
		return false;
	if (tn_op_info(g->ops[c->op.i].kind)->access == ACCESS_WINDOW)
		return scratch <= PIXEL_SCRATCH_MAX;
	for (uint32_t k = 0; k < c->n_variants; k++)
		if (!tn_contract_scratch(g, c->op, c->variant[k]))
			least = tn_min_i64(
				least, tn_variant_span(in, out, c->d[k], c->variant[k]));
	return tn_variant_span(in, out, c->d[v], c->variant[v]) + scratch < least;
}

/* In place without a variant that is not worth its scratch. */
static bool admits_in_place(const struct tn_lowering *l, const struct tn_candidate *c)
{
	for (uint32_t v = 0; v < c->n_variants; v++)
		if (c->d[v] <= 0 && admits(l, c, v))
			return true;
	return false;
}

/* May the output become part of the input's buffer? */
static bool goes_in_place(const struct tn_lowering *l, const struct tn_candidate *c)
{
	if (choice_of(l, c->op) == SCRATCH_BUFFER && c->buffer_bytes)
		return true;
	return l->options->overlap == OVERLAP_INPLACE && c->verdict == VERDICT_PROVED &&
	       c->may_overlap && admits_in_place(l, c);
}

static enum tn_status merge_in_place(struct tn_lowering *l)
{
	struct merge *m = TN_NEW_ARRAY(l->arena, struct merge, l->buffers.count);
	int64_t shift;

	if (!m)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < l->buffers.count; i++)
		m[i] = (struct merge){ i, 0, TN_NONE };
	for (size_t i = 0; i < l->t->inplace->n; i++) {
		const struct tn_candidate *c = &l->t->inplace->list[i];
		uint32_t a = l->out->buffer_of[c->in.i], b = l->out->buffer_of[c->out.i];
		struct tn_buffer *into, *from;

		if (!goes_in_place(l, c) || c->elided || a == TN_NONE || b == TN_NONE ||
			!stands_alone(l, c->out) || m[b].into != b || keeps_apart(l, c))
			continue;
		a = merged(m, a, &shift);
		shift += l->out->shift_of[c->in.i];
		into = &l->buffers.items[a];
		from = &l->buffers.items[b];
		/* what dies here is the newest tenant, and nobody has taken its place yet,
		 * not even another output that nobody reads */
		if (a == b || into->end != from->begin + 1 || m[a].op == c->op.i ||
			shift % tn_max_i64(from->align, l->options->merge_align) != 0)
			continue;
		into->end = from->end;
		into->size = tn_max_i64(into->size, shift + from->size);
		m[a].op = c->op.i;
		m[b] = (struct merge){ a, shift, TN_NONE };
		from->size = 0;
		from->end = from->begin + 1;
	}
	for (uint32_t i = 0; i < l->t->g->n_tensors; i++) {
		if (l->out->buffer_of[i] == TN_NONE)
			continue;
		l->out->buffer_of[i] = merged(m, l->out->buffer_of[i], &shift);
		l->out->shift_of[i] += shift;
	}
	return TN_OK;
}

/* Do the buffers that hold input and output meet at this op alone? One that was not cut
 * into pieces although its parts live differently long may be older or needed longer. */
static bool meet_here(
	const struct tn_lowering *l, const struct tn_pair *p, uint32_t position)
{
	const int64_t write = 2 * (int64_t)position + 1;
	const struct tn_buffer *in = &l->buffers.items[p->a],
			       *out = &l->buffers.items[p->b];

	return (!l->pieces.uncut[p->a] || in->end <= write + 1) &&
	       (!l->pieces.uncut[p->b] || out->begin >= write);
}

static enum tn_status make_pairs(struct tn_lowering *l)
{
	const struct tn_inplace *in = l->t->inplace;
	uint32_t op = TN_NONE;

	for (size_t i = 0; i < in->n; i++) {
		const struct tn_candidate *c = &in->list[i];
		struct tn_pair p = { .a = l->out->buffer_of[c->in.i],
			.b = l->out->buffer_of[c->out.i] };
		int64_t shift = l->out->shift_of[c->in.i] - l->out->shift_of[c->out.i];
		struct tn_pair_source source;

		if (!c->may_overlap || c->elided || p.a == TN_NONE || p.b == TN_NONE ||
			p.a == p.b || !meet_here(l, &p, l->t->order->position[c->op.i]))
			continue;
		if (op != c->op.i) {
			struct tn_group group = { .n_variants = c->n_variants };

			for (uint32_t v = 0; v < c->n_variants; v++)
				if (c->variant[v].descending)
					group.descending |= (uint8_t)(1u << v);
			if (!tn_vec_push(l->arena, &l->groups, group))
				return TN_ERR_NOMEM;
			op = c->op.i;
		}
		p.group = (uint32_t)l->groups.count - 1;
		for (uint32_t v = 0; v < c->n_variants; v++) {
			p.d[v] = c->d[v];
			if (c->d[v] == TN_DISPLACEMENT_NEVER || !admits(l, c, v))
				p.d[v] = TN_D_NEVER;
			else if (c->d[v] == TN_DISPLACEMENT_FREE)
				p.d[v] = TN_D_FREE;
			else /* from tensors to the buffers that hold them */
				p.d[v] += c->variant[v].descending ? shift : -shift;
		}
		source.lo = l->out->shift_of[c->out.i];
		source.hi = source.lo + l->t->g->tensors[c->out.i].bytes;
		source.position = l->t->order->position[c->op.i];
		if (!tn_vec_push(l->arena, &l->pairs, p) ||
			!tn_vec_push(l->arena, &l->sources, source))
			return TN_ERR_NOMEM;
	}
	return TN_OK;
}

enum tn_status tn_lower(const struct tn_tables *tables,
	const struct tn_lower_options *options, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_lowered *out)
{
	struct tn_lowering l = {
		.t = tables, .options = options, .arena = arena, .out = out
	};
	enum tn_status status;

	*out = (struct tn_lowered){ .problem.capacity = -1,
		.streamed = options->streamed };
	out->buffer_of = TN_NEW_ARRAY(arena, uint32_t, tables->g->n_tensors);
	out->shift_of = TN_NEW_ARRAY(arena, int64_t, tables->g->n_tensors);
	if (!out->buffer_of || !out->shift_of)
		return TN_ERR_NOMEM;
	status = make_buffers(&l);
	if (status == TN_OK)
		status = place_members(&l, diags);
	if (status == TN_OK && options->streamed)
		status = tn_stream_states(&l);
	if (status == TN_OK)
		status = tn_pieces_make(&l);
	if (status == TN_OK)
		status = sums(&l, diags);
	if (status == TN_OK && (options->overlap == OVERLAP_INPLACE || options->scratch))
		status = merge_in_place(&l);
	if (status == TN_OK && (options->overlap == OVERLAP_INPLACE || options->scratch))
		status = tn_pieces_make(&l); /* what was merged is one buffer now */
	if (status == TN_OK && options->overlap == OVERLAP_FULL)
		status = make_pairs(&l);
	if (status == TN_OK && options->overlap == OVERLAP_FULL && options->streamed)
		status = tn_stream_pairs(&l);
	if (status == TN_OK)
		status = tn_pieces_relate(&l);
	out->problem.buffers = l.buffers.items;
	out->problem.n_buffers = (uint32_t)l.buffers.count;
	out->problem.pairs = l.pairs.items;
	out->problem.n_pairs = (uint32_t)l.pairs.count;
	out->problem.groups = l.groups.items;
	out->problem.n_groups = (uint32_t)l.groups.count;
	out->root_of = l.roots.items;
	return status;
}

void tn_problem_print(const struct tn_lowered *lowered, struct tn_strbuf *out)
{
	const struct tn_problem *p = &lowered->problem;

	tn_strbuf_printf(
		out, "problem: %u buffers, %u pairs\n", p->n_buffers, p->n_pairs);
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		tn_strbuf_printf(out, "  b%u ", i);
		if (lowered->root_of[i].i == TN_NONE)
			tn_strbuf_puts(out, "scratch");
		else
			tn_strbuf_printf(out, "t%u", lowered->root_of[i].i);
		tn_strbuf_printf(out,
			" [%" PRId64 ", %" PRId64 ") %" PRId64 " B align %" PRId64 "\n",
			p->buffers[i].begin, p->buffers[i].end, p->buffers[i].size,
			p->buffers[i].align);
	}
	for (uint32_t i = 0; i < p->n_pairs; i++) {
		const struct tn_pair *q = &p->pairs[i];
		const struct tn_group *group = &p->groups[q->group];

		tn_strbuf_printf(out, "  pair b%u b%u group %u:", q->a, q->b, q->group);
		for (uint32_t v = 0; v < group->n_variants; v++) {
			const char *way = (group->descending >> v) & 1 ? "desc" : "asc";

			if (q->d[v] == TN_D_FREE)
				tn_strbuf_printf(out, " %s free", way);
			else if (q->d[v] == TN_D_NEVER)
				tn_strbuf_printf(out, " %s never", way);
			else
				tn_strbuf_printf(out, " %s >= %" PRId64, way, q->d[v]);
		}
		tn_strbuf_putc(out, '\n');
	}
}
