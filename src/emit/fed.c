/* A chain whose input comes row by row: one function that takes a row, and runs what can run
 * since. Rows that make the same ops run, some rows further down, are told by arithmetic; the
 * others one by one. */
#include "emit/calls.h"

#include <inttypes.h>

#include "base/banned.h"
#include "base/checked.h"

#define PERIOD_MAX 32 /* rows after which a chain may repeat itself */

/* What runs when a row has come. */
struct round {
	uint32_t first, n; /* events */
};

struct rounds {
	struct tn_plan_event
		*events; /* all of the chain, loops unrolled, but the caller's */
	uint32_t n_events;
	uint32_t before; /* of them, before the first row has come */
	struct round *list; /* by row of the input */
	int64_t n, come; /* rows; come so far, while the list is made */
};

/* ---- rounds ---- */

static void note_event(struct rounds *r, struct tn_plan_event e)
{
	if (e.op == TN_PLAN_CALLER) {
		while (r->come < e.y + e.rows)
			r->list[r->come++].first = r->n_events;
		return;
	}
	r->events[r->n_events++] = e;
	if (r->come)
		r->list[r->come - 1].n++;
	else
		r->before++;
}

static bool unroll(
	struct tn_writer *w, const struct tn_plan_stream *s, struct rounds *out)
{
	const int64_t n = w->g->tensors[s->input].shape.dim[1];
	int64_t events = 0;

	for (uint32_t i = 0; i < s->n_loops; i++)
		events += s->loops[i].times * s->loops[i].n_events;
	*out = (struct rounds){ .events = TN_NEW_ARRAY(
					w->arena, struct tn_plan_event, (size_t)events),
		.list = TN_NEW_ARRAY(w->arena, struct round, (size_t)n),
		.n = n };
	if (events > UINT32_MAX || !out->events || !out->list)
		return false;
	for (uint32_t i = 0; i < s->n_loops; i++) {
		const struct tn_plan_loop *l = &s->loops[i];

		for (int64_t t = 0; t < l->times; t++)
			for (uint32_t k = 0; k < l->n_events; k++) {
				struct tn_plan_event e = l->events[k];

				e.y += t * e.step;
				e.step = 0;
				note_event(out, e);
			}
	}
	return true;
}

/* Do two rows make the same ops run, as many rows of each? */
static bool is_same(const struct rounds *r, int64_t a, int64_t b)
{
	const struct round *x = &r->list[a], *y = &r->list[b];

	for (uint32_t i = 0; x->n == y->n && i < x->n; i++)
		if (r->events[x->first + i].op != r->events[y->first + i].op ||
			r->events[x->first + i].rows != r->events[y->first + i].rows)
			return false;
	return x->n == y->n;
}

/* Are the rows of the last as far from those of the second as these from the first's? */
static bool is_even(const struct rounds *r, int64_t a, int64_t b, int64_t c)
{
	for (uint32_t i = 0; i < r->list[a].n; i++)
		if (r->events[r->list[b].first + i].y -
				r->events[r->list[a].first + i].y !=
			r->events[r->list[c].first + i].y -
				r->events[r->list[b].first + i].y)
			return false;
	return true;
}

/* How often does what happens in `period` rows from `first` on happen again? */
static int64_t times_of(const struct rounds *r, int64_t first, int64_t period)
{
	int64_t times = 1;

	for (; first + (times + 1) * period <= r->n; times++) {
		const int64_t at = first + times * period;

		for (int64_t i = 0; i < period; i++)
			if (!is_same(r, first + i, at + i) ||
				(times > 1 && !is_even(r, at - 2 * period + i,
						      at - period + i, at + i)))
				return times;
	}
	return times;
}

static int64_t best_period(const struct rounds *r, int64_t first, int64_t *out_times)
{
	int64_t best = 1;

	*out_times = times_of(r, first, 1);
	for (int64_t p = 2; p <= tn_min_i64(PERIOD_MAX, (r->n - first) / 2); p++) {
		const int64_t times = times_of(r, first, p);

		if (times > 1 && times * p > *out_times * best) {
			best = p;
			*out_times = times;
		}
	}
	return best;
}

/* ---- text ---- */

/* The events of a round; with a period, their rows move on from one pass to the next. */
static void print_round(const struct tn_writer *w, const struct tn_plan_stream *s,
	const struct rounds *r, int64_t row, int64_t period, const char *indent,
	struct tn_strbuf *out)
{
	const struct round *x = &r->list[row];

	for (uint32_t i = 0; i < x->n; i++) {
		struct tn_plan_event e = r->events[x->first + i];

		if (period)
			e.step = r->events[r->list[row + period].first + i].y - e.y;
		tn_strbuf_puts(out, indent);
		tn_write_event(w, s, &e, out);
	}
}

static bool is_empty(const struct rounds *r, int64_t first, int64_t period)
{
	for (int64_t i = 0; i < period; i++)
		if (r->list[first + i].n)
			return false;
	return true;
}

static void print_loop(const struct tn_writer *w, const struct tn_plan_stream *s,
	const struct rounds *r, int64_t first, int64_t period, int64_t times,
	struct tn_strbuf *out)
{
	if (is_empty(r, first, period))
		return;
	tn_strbuf_printf(out,
		"\tif (r >= %" PRId64 " && r < %" PRId64 ") {\n"
		"\t\tconst int32_t t = (r - %" PRId64 ") / %" PRId64 ";\n\n",
		first, first + times * period, first, period);
	for (int64_t i = 0; i < period; i++) {
		if (!r->list[first + i].n)
			continue;
		tn_strbuf_printf(out,
			"\t\tif ((r - %" PRId64 ") %% %" PRId64 " == %" PRId64 ") {\n",
			first, period, i);
		print_round(w, s, r, first + i, period, "\t\t\t", out);
		tn_strbuf_puts(out, "\t\t}\n");
	}
	tn_strbuf_puts(out, "\t}\n");
}

static void print_copy(
	const struct tn_writer *w, const struct tn_plan_stream *s, struct tn_strbuf *out)
{
	const int64_t n = w->g->tensors[s->input].shape.dim[1];
	const int64_t row = w->g->tensors[s->input].bytes / n;
	const int64_t ring = w->program.plan->tensors[s->input].ring_bytes;

	tn_strbuf_printf(out,
		"\tmemcpy(T%u + r %% %" PRId64 " * %" PRId64 ", row, %" PRId64 ");\n",
		s->input, ring ? ring / row : n, row, row);
	if (w->options->debug)
		tn_strbuf_printf(out,
			"\tKEEP(whole%u, T%u, %" PRId64 ", %" PRId64 ", r, r + 1);\n",
			s->input, s->input, row, ring ? ring / row : n);
}

/* Rounds that are like no other. */
static void print_single(const struct tn_writer *w, const struct tn_plan_stream *s,
	const struct rounds *r, int64_t row, struct tn_strbuf *out)
{
	if (!r->list[row].n)
		return;
	tn_strbuf_printf(out, "\tif (r == %" PRId64 ") {\n", row);
	print_round(w, s, r, row, 0, "\t\t", out);
	tn_strbuf_puts(out, "\t}\n");
}

void tn_write_fed(
	struct tn_writer *w, const struct tn_plan_stream *s, struct tn_strbuf *out)
{
	struct rounds r;
	int64_t times;

	if (!unroll(w, s, &r)) {
		out->failed = true;
		return;
	}
	if (r.before) {
		tn_strbuf_puts(out, "\tif (r == 0) {\n");
		for (uint32_t i = 0; i < r.before; i++) {
			tn_strbuf_puts(out, "\t\t");
			tn_write_event(w, s, &r.events[i], out);
		}
		tn_strbuf_puts(out, "\t}\n");
	}
	print_copy(w, s, out);
	for (int64_t row = 0, period; row < r.n; row += period * times) {
		period = best_period(&r, row, &times);
		if (times > 1)
			print_loop(w, s, &r, row, period, times, out);
		else
			print_single(w, s, &r, row, out);
	}
}
