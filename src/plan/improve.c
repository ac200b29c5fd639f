/* Hill climbing. The buffers that reach the top are moved before a buffer that is in
 * their way; an order that is not worse is kept, so that the search drifts along
 * plateaus. The generator has a fixed seed: same problem, same answer. */
#define _POSIX_C_SOURCE 200809L
#include "plan/improve.h"

#include <string.h>
#include <time.h>

#include "base/checked.h"

#define STALE 4000u /* proposals without a better plan */

struct climb {
	struct tn_fit *fit;
	uint32_t *order, *trial;
	uint32_t *place; /* by buffer: its index in order */
	uint32_t *tops;
	uint64_t random;
};

double tn_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool tn_clock_passed(double until)
{
	return until > 0 && tn_clock() >= until;
}

/* xorshift64*; the bias of the modulo does not matter here. */
static uint32_t below(struct climb *c, size_t n)
{
	c->random ^= c->random >> 12;
	c->random ^= c->random << 25;
	c->random ^= c->random >> 27;
	return (uint32_t)(((c->random * UINT64_C(0x2545f4914f6cdd1d)) >> 32) % n);
}

/* Any buffer that meets x in time (a conflict or the other end of a pair), or x. */
static uint32_t any_neighbour(struct climb *c, uint32_t x)
{
	const struct tn_conflicts *con = c->fit->conflicts;
	const struct tn_pairs *pairs = c->fit->pairs;
	const size_t plain = con->first[x + 1] - con->first[x];
	const size_t linked = pairs->first[x + 1] - pairs->first[x];
	size_t pick;

	if (plain + linked == 0)
		return x;
	pick = below(c, plain + linked);
	if (pick < plain)
		return con->other[con->first[x] + pick];
	pick = pairs->of[pairs->first[x] + pick - plain];
	return c->fit->p->pairs[pick].a == x ? c->fit->p->pairs[pick].b
					     : c->fit->p->pairs[pick].a;
}

static uint32_t collect_tops(struct climb *c, const struct tn_solution *s)
{
	const struct tn_problem *p = c->fit->p;
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (s->offset[i] + p->buffers[i].size == s->height)
			c->tops[n++] = i;
	return n;
}

/* Moves the buffer at `from` to `to` in trial. */
static void move(uint32_t *order, uint32_t from, uint32_t to)
{
	const uint32_t x = order[from];

	if (from > to)
		memmove(&order[to + 1], &order[to], (from - to) * sizeof(*order));
	else
		memmove(&order[from], &order[from + 1], (to - from) * sizeof(*order));
	order[to] = x;
}

static void propose(struct climb *c, uint32_t n_tops)
{
	const uint32_t n = c->fit->p->n_buffers;
	uint32_t x = c->tops[below(c, n_tops)], y;

	memcpy(c->trial, c->order, n * sizeof(*c->trial));
	/* the cause may be a neighbour of a neighbour */
	for (uint32_t far = below(c, 4); far >= 2; far--)
		x = any_neighbour(c, x);
	y = any_neighbour(c, x);
	if (below(c, 8) == 0)
		y = below(c, n);
	move(c->trial, c->place[x], c->place[y]);
}

/* Leaves a plateau that has been walked for long: random moves, whatever they cost. */
static void shake(struct climb *c)
{
	const uint32_t n = c->fit->p->n_buffers;

	for (uint32_t i = 0; i < n / 4 + 2; i++)
		move(c->trial, below(c, n), below(c, n));
}

enum tn_status tn_improve(struct tn_fit *fit, const struct tn_improve_limit *limit,
	uint32_t *order, struct tn_solution *best)
{
	const uint32_t n = fit->p->n_buffers;
	struct climb c = {
		.fit = fit, .order = order, .random = UINT64_C(0x9e3779b97f4a7c15)
	};
	struct tn_arena scratch;
	struct tn_solution now = { 0 };
	enum tn_status status = TN_ERR_NOMEM;
	uint32_t n_tops, idle = 0;

	tn_arena_init(&scratch);
	c.trial = TN_NEW_ARRAY(&scratch, uint32_t, n);
	c.place = TN_NEW_ARRAY(&scratch, uint32_t, n);
	c.tops = TN_NEW_ARRAY(&scratch, uint32_t, n);
	now.offset = TN_NEW_ARRAY(&scratch, int64_t, n);
	now.variant = TN_NEW_ARRAY(&scratch, uint32_t, fit->p->n_groups);
	if (!c.trial || !c.place || !c.tops || !now.offset || !now.variant)
		goto out;
	status = TN_OK;
	now.height = best->height;
	memcpy(now.offset, best->offset, n * sizeof(*now.offset));
	for (uint32_t i = 0; i < n; i++)
		c.place[order[i]] = i;
	n_tops = collect_tops(&c, &now);
	while (n_tops && best->height > limit->target && fit->work < limit->work &&
		!tn_clock_passed(limit->until)) {
		fit->work += n; /* copying counts too */
		propose(&c, n_tops);
		if (++idle % STALE == 0)
			shake(&c);
		if (tn_fit_order(fit, c.trial, n,
			    idle % STALE ? now.height + 1 : INT64_MAX) == INT64_MAX)
			continue;
		memcpy(order, c.trial, n * sizeof(*order));
		for (uint32_t i = 0; i < n; i++)
			c.place[order[i]] = i;
		tn_fit_solution(fit, &now);
		n_tops = collect_tops(&c, &now);
		if (now.height < best->height) {
			tn_fit_solution(fit, best);
			idle = 0;
		}
	}
out:
	tn_arena_release(&scratch);
	return status;
}
