/* The schedule search on random problems, against the definition of the cost and brute
 * force; and on problems that are too large for it. */
#include "suite.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "every_order.h"
#include "plan/schedule_part.h"

/* ---- problems ---- */

#define BUFFERS_MAX 24
#define CELL	    16

struct random {
	uint32_t state;
};

static uint32_t below(struct random *r, uint32_t n)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 17;
	r->state ^= r->state << 5;
	return (uint32_t)(((uint64_t)r->state * n) >> 32);
}

struct problem {
	struct tn_schedule_problem p;
	struct tn_schedule_op ops[OPS_MAX + 1];
	uint32_t preds[OPS_MAX * 8], touches[OPS_MAX * 8], given[OPS_MAX];
	struct tn_schedule_pair pairs[OPS_MAX * 8];
	uint32_t members[OPS_MAX * 32], n_members;
	struct tn_schedule_buffer buffers[BUFFERS_MAX];
	uint32_t
		maker[BUFFERS_MAX]; /* op + 1 that writes the buffer, 0: from the start */
};

static bool touches(const struct problem *q, uint32_t op, uint32_t buffer)
{
	for (uint32_t k = q->ops[op].first_touch; k < q->p.ops[q->p.n_ops].first_touch;
		k++)
		if (q->touches[k] == buffer)
			return true;
	return false;
}

static uint32_t new_buffer(struct problem *q, struct random *r, uint32_t maker)
{
	struct tn_schedule_buffer *b = &q->buffers[q->p.n_buffers];
	int64_t bytes = 1 + below(r, 200);

	b->size = (bytes + CELL - 1) / CELL * CELL;
	b->pad = below(r, 2) ? b->size - bytes : 0;
	b->from_start = !maker;
	b->to_end = !below(r, 8);
	q->maker[q->p.n_buffers] = maker;
	return q->p.n_buffers++;
}

/* An end of a pair: touches [first, end) of the op, one or two of them. */
struct operand {
	uint32_t first, end;
};

static uint32_t operands(
	struct random *r, uint32_t first, uint32_t end, struct operand *out)
{
	uint32_t n = 0;

	for (uint32_t k = first; k < end; n++) {
		uint32_t len = k + 1 < end && !below(r, 3) ? 2 : 1;

		out[n] = (struct operand){ k, k + len };
		k += len;
	}
	return n;
}

static int64_t put_members(struct problem *q, struct operand o)
{
	int64_t size = 0;

	for (uint32_t k = o.first; k < o.end; k++) {
		q->members[q->n_members++] = q->touches[k];
		size += q->buffers[q->touches[k]].size;
	}
	return size;
}

/* Touches of op i before `first` are inputs, the others are outputs. */
static void add_pairs(struct problem *q, struct random *r, uint32_t i, uint32_t first)
{
	struct tn_schedule_op *next = &q->ops[i + 1];
	struct operand in[8], out[8];
	uint32_t n_in = operands(r, q->ops[i].first_touch, first, in);
	uint32_t n_out = operands(r, first, next->first_touch, out);

	for (uint32_t k = 0; k < n_in * n_out; k++) {
		struct tn_schedule_pair *pair = &q->pairs[next->first_pair];

		if (!below(r, 3))
			continue;
		*pair = (struct tn_schedule_pair){
			.a = k / n_out, .b = k % n_out, .first_a = q->n_members
		};
		pair->size_a = put_members(q, in[pair->a]);
		pair->first_b = q->n_members;
		pair->size_b = put_members(q, out[pair->b]);
		pair->end = q->n_members;
		for (uint32_t v = 0; v < q->ops[i].n_variants; v++) {
			int64_t reach = below(r, 20) * CELL;

			pair->reach_a[v] = tn_min_i64(reach, pair->size_a);
			pair->reach_b[v] = tn_min_i64(reach, pair->size_b);
			pair->share[v] = tn_min_i64(pair->reach_a[v], pair->reach_b[v]);
		}
		next->first_pair++;
	}
}

/* Op i reads what earlier ones made, and makes one or two buffers, or writes to one that
 * another op has begun. */
static void add_op(struct problem *q, struct random *r, uint32_t i)
{
	struct tn_schedule_op *next = &q->ops[i + 1];
	uint32_t n_reads = 1 + below(r, 3), n_before = q->p.n_buffers, first;

	q->ops[i].n_variants = 1 + below(r, 3);
	for (uint32_t k = 0; k < n_reads; k++) {
		uint32_t b = below(r, n_before);

		if (touches(q, i, b))
			continue;
		q->touches[next->first_touch++] = b;
		if (q->maker[b])
			q->preds[next->first_pred++] = q->maker[b] - 1;
	}
	first = next->first_touch;
	for (uint32_t k = 0; k <= below(r, 2) && q->p.n_buffers < BUFFERS_MAX; k++)
		q->touches[next->first_touch++] = new_buffer(q, r, i + 1);
	if (!below(r, 6) && !touches(q, i, below(r, n_before)) && i) {
		uint32_t b = n_before - 1;

		if (!touches(q, i, b) && q->maker[b])
			q->touches[next->first_touch++] = b;
	}
	add_pairs(q, r, i, first);
}

static void make_problem(struct problem *q, uint32_t seed, uint32_t n_ops)
{
	struct random r = { seed * 2654435761u + 12345u };

	memset(q, 0, sizeof(*q));
	q->p = (struct tn_schedule_problem){ .n_ops = n_ops,
		.ops = q->ops,
		.preds = q->preds,
		.touches = q->touches,
		.pairs = q->pairs,
		.members = q->members,
		.buffers = q->buffers,
		.given = q->given };
	for (uint32_t k = 0; k <= below(&r, 3); k++)
		(void)new_buffer(q, &r, 0);
	for (uint32_t i = 0; i < n_ops; i++) {
		q->p.n_ops = i + 1;
		q->ops[i + 1].first_pred = q->ops[i].first_pred;
		q->ops[i + 1].first_touch = q->ops[i].first_touch;
		q->ops[i + 1].first_pair = q->ops[i].first_pair;
		add_op(q, &r, i);
		q->given[i] = i;
	}
}

/* The definition, in half-steps, without any state that is carried along. */
struct life {
	int64_t begin, end;
};

static struct life life_of(const struct problem *q, const uint32_t *order, uint32_t b)
{
	struct life life = { INT64_MAX, -1 };

	for (uint32_t p = 0; p < q->p.n_ops; p++) {
		for (uint32_t k = q->ops[order[p]].first_touch;
			k < q->ops[order[p] + 1].first_touch; k++) {
			if (q->touches[k] != b)
				continue;
			life.begin = tn_min_i64(life.begin, 2 * (int64_t)p + 1);
			life.end = 2 * (int64_t)p + 2;
		}
	}
	if (q->buffers[b].from_start) {
		life.begin = 0;
		life.end = tn_max_i64(life.end, 2);
	}
	if (q->buffers[b].to_end)
		life.end = 2 * (int64_t)q->p.n_ops + 2;
	return life;
}

static bool is_active(const struct problem *q, const struct life *lives,
	const struct tn_schedule_pair *pair, int64_t at)
{
	for (uint32_t m = pair->first_a; m < pair->end; m++) {
		const struct life *l = &lives[q->members[m]];

		if (m < pair->first_b ? l->end != at + 1 : l->begin != at)
			return false;
	}
	return true;
}

/* What disjoint buffers can have of one hub, of which each reaches a stretch from the same
 * end on: the least that any stretch leaves to those within it and gives to all beyond. */
static int64_t naive_nested(const struct problem *q, const struct life *lives,
	uint32_t op, int64_t at, uint32_t v, bool hub_is_b)
{
	const struct tn_schedule_pair *of[BUFFERS_MAX * 8];
	int64_t total, least = INT64_MAX;
	uint32_t n = 0;

	for (uint32_t k = q->ops[op].first_pair; k < q->ops[op + 1].first_pair; k++)
		if (is_active(q, lives, &q->pairs[k], at))
			of[n++] = &q->pairs[k];
	for (uint32_t i = 1; i < n; i++)
		if (hub_is_b ? of[i]->b != of[0]->b : of[i]->a != of[0]->a)
			return INT64_MAX;
	if (n < 2)
		return INT64_MAX;
	for (uint32_t i = 0; i <= n; i++) {
		int64_t cap =
			i < n ? (hub_is_b ? of[i]->reach_b[v] : of[i]->reach_a[v]) : 0;

		total = cap;
		for (uint32_t k = 0; k < n; k++) {
			int64_t own = hub_is_b ? of[k]->reach_b[v] : of[k]->reach_a[v];

			if (own > cap)
				total += of[k]->share[v];
		}
		least = tn_min_i64(least, total);
	}
	return least;
}

static int64_t naive_saving(
	const struct problem *q, const struct life *lives, uint32_t op, int64_t at)
{
	int64_t best[2] = { 0, 0 };

	for (uint32_t v = 0; v < q->ops[op].n_variants; v++) {
		for (int side = 0; side < 2; side++) {
			int64_t used[8] = { 0 }, size[8] = { 0 }, sum = 0;

			for (uint32_t k = q->ops[op].first_pair;
				k < q->ops[op + 1].first_pair; k++) {
				const struct tn_schedule_pair *pair = &q->pairs[k];
				uint32_t x = side ? pair->a : pair->b;

				if (!is_active(q, lives, pair, at))
					continue;
				size[x] = side ? pair->size_a : pair->size_b;
				used[x] += pair->share[v];
			}
			for (uint32_t x = 0; x < 8; x++)
				sum += tn_min_i64(used[x], size[x]);
			sum = tn_min_i64(sum, naive_nested(q, lives, op, at, v, false));
			sum = tn_min_i64(sum, naive_nested(q, lives, op, at, v, true));
			best[side] = tn_max_i64(best[side], sum);
		}
	}
	return tn_min_i64(best[0], best[1]);
}

static int64_t naive_peak(const struct problem *q, const uint32_t *order)
{
	struct life lives[BUFFERS_MAX];
	int64_t peak = 0;

	for (uint32_t b = 0; b < q->p.n_buffers; b++)
		lives[b] = life_of(q, order, b);
	for (int64_t at = 0; at < 2 * (int64_t)q->p.n_ops; at++) {
		int64_t load = 0, pad = 0;

		if (at && at % 2 == 0)
			continue; /* nothing is born */
		for (uint32_t b = 0; b < q->p.n_buffers; b++) {
			if (lives[b].begin > at || lives[b].end <= at)
				continue;
			load += q->buffers[b].size;
			pad = tn_max_i64(pad, q->buffers[b].pad);
		}
		if (at % 2)
			load -= naive_saving(q, lives, order[at / 2], at);
		peak = tn_max_i64(peak, load - pad);
	}
	return peak;
}

static void check_found(uint32_t seed, const struct problem *q, int64_t least,
	const struct tn_schedule *found, struct tn_arena *arena)
{
	int64_t again;

	ck_assert_msg(found->given_peak == naive_peak(q, q->given),
		"seed %u: given %lld, %lld by the definition", seed,
		(long long)found->given_peak, (long long)naive_peak(q, q->given));
	ck_assert_msg(found->peak == least && found->bound == least && found->optimal,
		"seed %u: %lld (bound %lld) instead of %lld", seed,
		(long long)found->peak, (long long)found->bound, (long long)least);
	ck_assert_msg(naive_peak(q, found->order) == least,
		"seed %u: the order has another peak", seed);
	ck_assert_int_eq(tn_schedule_peak(&q->p, found->order, arena, &again), TN_OK);
	ck_assert_int_eq(again, least);
	ck_assert_msg(found->peak < found->given_peak ||
			      memcmp(found->order, q->given,
				      q->p.n_ops * sizeof(*q->given)) == 0,
		"seed %u: another order for nothing", seed);
}

/* With next to no effort: not worse, and no more is claimed than is so. */
static void check_short(
	uint32_t seed, const struct problem *q, int64_t least, struct tn_arena *arena)
{
	struct tn_schedule found;

	ck_assert_int_eq(tn_schedule_search(&q->p, 1, arena, &found), TN_OK);
	ck_assert_msg(found.peak <= found.given_peak && found.bound <= least &&
			      found.peak >= least &&
			      naive_peak(q, found.order) == found.peak &&
			      found.optimal == (found.peak == found.bound),
		"seed %u: a short search", seed);
}

/* The exact search alone, from nothing. */
static void check_exact(
	uint32_t seed, const struct problem *q, int64_t least, struct tn_arena *arena)
{
	struct tn_part part;
	struct tn_part_answer answer = { .peak = INT64_MAX };
	int64_t nodes = 1 << 20, floor;

	ck_assert_int_eq(tn_part_whole(&q->p, arena, &part), TN_OK);
	answer.order = TN_NEW_ARRAY(arena, uint32_t, q->p.n_ops);
	ck_assert_ptr_nonnull(answer.order);
	ck_assert_int_eq(tn_part_floor(&part, &nodes, &floor), TN_OK);
	ck_assert_int_eq(tn_part_exact(&part, 0, &nodes, &answer), TN_OK);
	ck_assert_msg(answer.peak <= least && answer.bound == answer.peak &&
			      floor <= answer.peak,
		"seed %u: exact %lld, bound %lld, floor %lld, %lld by brute force", seed,
		(long long)answer.peak, (long long)answer.bound, (long long)floor,
		(long long)least);
	for (uint32_t i = 0; i < q->p.n_ops; i++)
		answer.order[i] = part.op[answer.order[i]];
	ck_assert_msg(naive_peak(q, answer.order) == least,
		"seed %u: the exact search's order", seed);
}

#define ORDERS_MAX 3000

START_TEST(the_search_equals_brute_force)
{
	const uint32_t n_ops = 1 + (uint32_t)_i;
	uint32_t better = 0, most = 0, done = 0;

	for (uint32_t i = 0; i < 400 && done < 80; i++) {
		uint32_t seed = 1000 * (uint32_t)_i + i;
		struct tn_schedule found;
		struct tn_arena arena;
		struct problem q;
		struct orders o = { .p = &q.p };
		int64_t least = INT64_MAX;

		make_problem(&q, seed, n_ops);
		while (o.count < ORDERS_MAX && next_order(&o))
			least = tn_min_i64(least, naive_peak(&q, o.order));
		if (o.count == ORDERS_MAX)
			continue;
		tn_arena_init(&arena);
		ck_assert_int_eq(tn_schedule_search(&q.p, 0, &arena, &found), TN_OK);
		check_found(seed, &q, least, &found, &arena);
		better += found.peak < found.given_peak;
		most = o.count > most ? o.count : most;
		check_short(seed, &q, least, &arena);
		check_exact(seed, &q, least, &arena);
		tn_arena_release(&arena);
		done++;
	}
	printf("# %u ops: %u of %u orders were improved, of at most %u\n", n_ops, better,
		done, most);
	ck_assert_uint_gt(done, 30);
}
END_TEST

/* ---- large problems ---- */

#define MANY_OPS 100000

static const struct {
	const char *name;
	uint32_t chains; /* ops take turns; 0: none reads what another one makes */
	bool optimal;
} large[] = {
	{ "one chain", 1, true },
	{ "two chains", 2, false },
	{ "a thousand chains", 1000, false },
	{ "no dependences", 0, false },
};

/* Each op reads one buffer and makes one, larger in every other chain. */
static void make_large(
	uint32_t chains, struct tn_arena *arena, struct tn_schedule_problem *out)
{
	uint32_t inputs = chains ? chains : 1, n = MANY_OPS;

	*out = (struct tn_schedule_problem){ .n_ops = n,
		.n_buffers = inputs + n,
		.ops = TN_NEW_ARRAY(arena, struct tn_schedule_op, n + 1),
		.preds = TN_NEW_ARRAY(arena, uint32_t, n),
		.touches = TN_NEW_ARRAY(arena, uint32_t, 2 * n),
		.buffers = TN_NEW_ARRAY(arena, struct tn_schedule_buffer, inputs + n),
		.given = TN_NEW_ARRAY(arena, uint32_t, n) };
	ck_assert(out->ops && out->preds && out->touches && out->buffers && out->given);
	for (uint32_t b = 0; b < inputs + n; b++)
		out->buffers[b] =
			(struct tn_schedule_buffer){ .size = CELL * (1 + b % inputs % 2),
				.from_start = b < inputs };
	for (uint32_t i = 0; i < n; i++) {
		uint32_t preds = out->ops[i].first_pred;

		out->given[i] = i;
		out->touches[2 * i] = chains ? i : 0;
		out->touches[2 * i + 1] = inputs + i;
		if (chains && i >= chains)
			out->preds[preds++] = i - chains;
		out->ops[i + 1] =
			(struct tn_schedule_op){ preds, 2 * (i + 1), 0, 0, false };
	}
}

/* They end soon, and claim no more than is so. */
START_TEST(large_problems_end)
{
	struct tn_schedule_problem p;
	struct tn_schedule found;
	struct tn_arena arena;

	tn_arena_init(&arena);
	make_large(large[_i].chains, &arena, &p);
	ck_assert_int_eq(tn_schedule_search(&p, 0, &arena, &found), TN_OK);
	ck_assert_msg(found.peak <= found.given_peak && found.bound <= found.peak &&
			      found.optimal == (found.bound == found.peak) &&
			      found.optimal == large[_i].optimal,
		"%s: %lld of %lld, bound %lld", large[_i].name, (long long)found.peak,
		(long long)found.given_peak, (long long)found.bound);
	tn_arena_release(&arena);
}
END_TEST

/* A part without ops has nothing to arrange, and costs nothing. */
START_TEST(an_empty_part)
{
	const struct tn_part none = { 0 };
	struct tn_part_answer answer = { .peak = 1 };
	int64_t nodes = 1000;

	ck_assert_int_eq(tn_part_beam(&none, 0, &nodes, &answer), TN_OK);
	ck_assert_int_eq(nodes, 1000);
	ck_assert_int_eq(answer.peak, 1);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("schedule");
	TCase *tc = tcase_create("schedule");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, the_search_equals_brute_force, 0, OPS_MAX);
	tcase_add_test(tc, an_empty_part);
	tcase_add_loop_test(tc, large_problems_end, 0, sizeof(large) / sizeof(*large));
	suite_add_tcase(s, tc);
	return s;
}
