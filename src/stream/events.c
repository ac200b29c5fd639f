#include "stream/events.h"

#include "base/checked.h"

int64_t tn_chain_rows(const struct tn_chain *c)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < c->n; i++)
		n += c->ops[i].rows.n;
	return n;
}

/* ---- the list ---- */

/* Rows are counted in the order in which they are made. */
struct puller {
	const struct tn_chain *c;
	struct tn_events *out;
	bool descending;
	int64_t done[TN_CHAIN_OPS_MAX];
};

static int64_t row_at(const struct puller *p, uint32_t op, int64_t t)
{
	return p->descending ? p->c->ops[op].rows.n - 1 - t : t;
}

static void emit(struct puller *p, uint32_t op)
{
	struct tn_events *e = p->out;
	const int64_t y = row_at(p, op, p->done[op]++);

	if (e->n && e->list[e->n - 1].op == op) {
		struct tn_event *last = &e->list[e->n - 1];

		last->y = tn_min_i64(last->y, y);
		last->end = tn_max_i64(last->end, y + 1);
	} else {
		e->list[e->n++] = (struct tn_event){ op, y, y + 1 };
	}
}

static void pull(struct puller *p, uint32_t op, int64_t n)
{
	const struct tn_chain_op *o = &p->c->ops[op];

	while (p->done[op] < n) {
		int64_t begin, end;

		tn_row_op_reads(&o->rows, row_at(p, op, p->done[op]), &begin, &end);
		for (uint32_t k = 0; k < o->n_sources && begin < end; k++)
			if (o->sources[k].producer != TN_NONE)
				pull(p, o->sources[k].producer,
					p->descending ? o->rows.in_h - begin : end);
		emit(p, op);
	}
}

/* ---- rings ---- */

/* Of each op's output: when its rows are read last (index of an event; -1: never), the
 * oldest row that is still needed, and the most rows from there to the newest. */
struct holding {
	int64_t *last[TN_CHAIN_OPS_MAX];
	int64_t oldest[TN_CHAIN_OPS_MAX], held[TN_CHAIN_OPS_MAX];
};

static bool note_reads(const struct tn_chain *c, const struct tn_events *e,
	struct tn_arena *scratch, struct holding *h)
{
	for (uint32_t i = 0; i + 1 < c->n; i++) {
		h->last[i] = TN_NEW_ARRAY(scratch, int64_t, (size_t)c->ops[i].rows.n);
		if (!h->last[i])
			return false;
		for (int64_t y = 0; y < c->ops[i].rows.n; y++)
			h->last[i][y] = -1;
	}
	for (uint32_t i = 0; i < e->n; i++) {
		const struct tn_chain_op *o = &c->ops[e->list[i].op];

		for (int64_t y = e->list[i].y; y < e->list[i].end; y++) {
			int64_t begin, end;

			tn_row_op_reads(&o->rows, y, &begin, &end);
			for (uint32_t k = 0; k < o->n_sources; k++)
				for (int64_t r = begin;
					r < end && o->sources[k].producer != TN_NONE; r++)
					h->last[o->sources[k].producer][r] = i;
		}
	}
	return true;
}

static void hold_rows(
	const struct puller *p, const struct tn_events *e, struct holding *h)
{
	for (uint32_t i = 0; i < e->n; i++) {
		const uint32_t op = e->list[i].op;
		const int64_t n = p->c->ops[op].rows.n;
		int64_t done = p->descending ? n - e->list[i].y : e->list[i].end;

		if (op + 1 == p->c->n)
			continue;
		while (h->oldest[op] < done &&
			h->last[op][row_at(p, op, h->oldest[op])] < i)
			h->oldest[op]++;
		h->held[op] = tn_max_i64(h->held[op], done - h->oldest[op]);
	}
}

static enum tn_status make_rings(const struct puller *p, struct tn_events *e,
	int64_t align, struct tn_arena *scratch)
{
	const struct tn_chain *c = p->c;
	struct holding h = { 0 };
	int64_t size;

	if (!note_reads(c, e, scratch, &h))
		return TN_ERR_NOMEM;
	hold_rows(p, e, &h);
	for (uint32_t i = 0; i < c->n; i++) {
		const struct tn_chain_op *o = &c->ops[i];
		int64_t held = tn_max_i64(h.held[i], 1); /* even if nobody reads it */

		if (!tn_align_up_i64(o->rows.state, align, &size) ||
			!tn_add_i64(e->state_bytes, size, &e->state_bytes))
			return TN_ERR_INPUT;
		if (i + 1 == c->n)
			break;
		e->ring[i] = held < o->rows.n ? held * o->out_row_bytes : 0;
		if (!tn_align_up_i64(held * o->out_row_bytes, align, &size) ||
			!tn_add_i64(e->ring_bytes, size, &e->ring_bytes))
			return TN_ERR_INPUT;
	}
	return TN_OK;
}

/* Rows that nobody reads may make an event longer than the ring: in parts, each row is there
 * when its part ends. */
static bool split(const struct puller *p, struct tn_events *e, struct tn_arena *arena)
{
	struct tn_event *list =
		TN_NEW_ARRAY(arena, struct tn_event, (size_t)tn_chain_rows(p->c));
	uint32_t n = 0;

	for (uint32_t i = 0; list && i < e->n; i++) {
		const struct tn_event *ev = &e->list[i];
		const struct tn_chain_op *o = &p->c->ops[ev->op];
		const int64_t rows = ev->end - ev->y;
		const int64_t held =
			e->ring[ev->op] ? e->ring[ev->op] / o->out_row_bytes : o->rows.n;

		for (int64_t done = 0, part; done < rows; done += part) {
			part = tn_min_i64(held, rows - done);
			list[n] = (struct tn_event){ ev->op, ev->y + done, 0 };
			if (p->descending)
				list[n].y = ev->end - done - part;
			list[n].end = list[n].y + part;
			n++;
		}
	}
	e->list = list;
	e->n = n;
	return list != NULL;
}

/* ---- the output after the inputs ---- */

struct chase {
	bool descending, written;
	int64_t edge; /* of all writes so far: their end; descending: their start */
	int64_t d;
};

static void chase_read(struct chase *s, int64_t begin, int64_t end)
{
	if (s->written && begin < end)
		s->d = tn_max_i64(s->d, s->descending ? end - s->edge : s->edge - begin);
}

static void chase_write(struct chase *s, int64_t begin, int64_t end)
{
	int64_t edge = s->descending ? begin : end;

	if (!s->written || (s->descending ? edge < s->edge : edge > s->edge))
		s->edge = edge;
	s->written = true;
}

/* Element by element, input and output side by side: one is read where the one before has
 * been written. */
static void chase_elements(struct chase *s, int64_t begin, int64_t end)
{
	chase_read(s, begin, end);
	chase_write(s, begin, end);
	s->d = tn_max_i64(s->d, 0);
}

static int64_t displacement(const struct tn_chain *c, const struct tn_events *e,
	bool descending, uint32_t tensor)
{
	struct chase s = { .descending = descending, .d = TN_DISPLACEMENT_FREE };

	for (uint32_t i = 0; i < e->n; i++) {
		const struct tn_event *ev = &e->list[i];
		const struct tn_chain_op *o = &c->ops[ev->op];
		const struct tn_chain_source *from = NULL;
		const bool writes = ev->op + 1 == c->n;

		for (uint32_t k = 0; k < o->n_sources; k++)
			if (o->sources[k].tensor == tensor)
				from = &o->sources[k];
		for (int64_t t = ev->y; (from || writes) && t < ev->end; t++) {
			const int64_t y = descending ? ev->y + ev->end - 1 - t : t;
			const bool total = o->rows.kind == ROWS_TOTAL;
			int64_t begin, end;

			tn_row_op_reads(&o->rows, y, &begin, &end);
			if (from && writes && o->rows.kind == ROWS_ELEMENTS) {
				chase_elements(&s, y * o->out_row_bytes,
					(y + 1) * o->out_row_bytes);
				continue;
			}
			if (from)
				chase_read(&s, begin * from->row_bytes,
					end * from->row_bytes);
			if (writes && !total)
				chase_write(&s, y * o->out_row_bytes,
					(y + 1) * o->out_row_bytes);
			else if (writes && y + 1 == o->rows.n) /* rows may still come */
				chase_write(&s, 0, o->out_row_bytes);
		}
	}
	return s.d;
}

static void make_pairs(
	const struct tn_stream_view *v, const struct puller *p, struct tn_events *e)
{
	for (uint32_t i = 0; i < p->c->n; i++) {
		const struct tn_chain_op *o = &p->c->ops[i];

		for (uint32_t k = 0; k < o->n_sources; k++) {
			uint32_t tensor = o->sources[k].tensor, n = 0;

			while (n < e->n_pairs && e->pairs[n].tensor != tensor)
				n++;
			if (n < e->n_pairs || n == TN_CHAIN_OPS_MAX ||
				o->sources[k].producer != TN_NONE ||
				!tn_chain_eats(v, p->c, tensor))
				continue;
			e->pairs[e->n_pairs++] = (struct tn_chain_pair){ tensor,
				displacement(p->c, e, p->descending, tensor) };
		}
	}
}

enum tn_status tn_events_make(const struct tn_stream_view *v, const struct tn_chain *c,
	bool descending, int64_t align, struct tn_arena *arena, struct tn_events *out)
{
	struct puller p = { .c = c, .out = out, .descending = descending };
	struct tn_arena scratch;
	enum tn_status status;

	*out = (struct tn_events){ .list = TN_NEW_ARRAY(arena, struct tn_event,
					   (size_t)tn_chain_rows(c)) };
	if (!out->list)
		return TN_ERR_NOMEM;
	pull(&p, c->n - 1, c->ops[c->n - 1].rows.n);
	for (uint32_t i = 0; i < c->n; i++)
		pull(&p, i, c->ops[i].rows.n);
	tn_arena_init(&scratch);
	status = make_rings(&p, out, align, &scratch);
	tn_arena_release(&scratch);
	if (status == TN_OK && !split(&p, out, arena))
		status = TN_ERR_NOMEM;
	if (status == TN_OK)
		make_pairs(v, &p, out);
	return status;
}

/* ---- loops ---- */

/* Events from one of the last op to the next; the pattern repeats from there. */
struct round {
	uint32_t first, n;
};

static bool repeats(
	const struct tn_events *e, const struct round *a, const struct round *b)
{
	if (a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++) {
		const struct tn_event *x = &e->list[a->first + i],
				      *y = &e->list[b->first + i];

		if (x->op != y->op || x->end - x->y != y->end - y->y)
			return false;
	}
	return true;
}

static bool steps_alike(const struct tn_events *e, const struct round *a,
	const struct round *b, const struct round *c)
{
	for (uint32_t i = 0; i < a->n; i++)
		if (e->list[b->first + i].y - e->list[a->first + i].y !=
			e->list[c->first + i].y - e->list[b->first + i].y)
			return false;
	return true;
}

static bool put_loop(const struct tn_chain *c, const struct tn_events *e,
	const struct round *rounds, uint32_t times, struct tn_arena *arena,
	struct tn_plan_loop *out)
{
	*out = (struct tn_plan_loop){
		TN_NEW_ARRAY(arena, struct tn_plan_event, rounds->n), rounds->n, times
	};
	for (uint32_t i = 0; out->events && i < rounds->n; i++) {
		const struct tn_event *x = &e->list[rounds->first + i];

		out->events[i] =
			(struct tn_plan_event){ c->ops[x->op].op.i, x->y, x->end - x->y,
				times > 1 ? e->list[rounds[1].first + i].y - x->y : 0 };
	}
	return out->events != NULL;
}

enum tn_status tn_events_fold(const struct tn_chain *c, const struct tn_events *e,
	struct tn_arena *arena, struct tn_plan_stream *out)
{
	struct round *rounds = TN_NEW_ARRAY(arena, struct round, (size_t)e->n + 1);
	uint32_t n = 0;

	out->loops = TN_NEW_ARRAY(arena, struct tn_plan_loop, (size_t)e->n + 1);
	out->n_loops = 0;
	if (!rounds || !out->loops)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < e->n; i++) {
		if (!i || e->list[i - 1].op + 1 == c->n)
			rounds[n++].first = i;
		rounds[n - 1].n++;
	}
	for (uint32_t i = 0, times; i < n; i += times) {
		times = 1;
		while (i + times < n && repeats(e, &rounds[i], &rounds[i + times]) &&
			(times < 2 ||
				steps_alike(e, &rounds[i + times - 2],
					&rounds[i + times - 1], &rounds[i + times])))
			times++;
		if (!put_loop(
			    c, e, &rounds[i], times, arena, &out->loops[out->n_loops++]))
			return TN_ERR_NOMEM;
	}
	return TN_OK;
}
