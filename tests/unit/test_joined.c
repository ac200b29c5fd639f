/* Walks that join steps say what the single steps say: the displacements of every kind of
 * op, and runs of steps, taken apart. */
#include "suite.h"

#include <stdlib.h>
#include <string.h>

#include "contract/contract.h"
#include "gen_op.h"
#include "ir/validate.h"

enum { SEEDS = 6, LIMIT = 600 };

struct one {
	struct tn_gen gen;
	struct tn_graph g;
};

static bool make(struct one *o, const struct gen_op_kind *kind, uint32_t seed)
{
	struct gen_site site = { .gen = &o->gen, .first = -1, .limit = LIMIT };

	tn_gen_init(&o->gen, seed);
	if (!gen_op(&site, kind)) {
		tn_gen_release(&o->gen);
		return false;
	}
	tn_gen_finish(&o->gen, &o->g);
	ck_assert_int_eq(tn_validate(&o->g, &o->gen.diags), TN_OK);
	return true;
}

/* The rule by its definition: every write so far against every later read. */
struct pair {
	uint32_t input, output;
	bool descending, written;
	int64_t edge, d;
};

static bool pair_step(void *user, const struct tn_step *s)
{
	struct pair *p = user;

	for (uint32_t i = 0; i < s->n_reads && p->written; i++) {
		const struct tn_access *r = &s->reads[i];
		int64_t d = p->descending ? r->end - p->edge : p->edge - r->begin;

		if (r->operand == p->input && r->begin < r->end && d > p->d)
			p->d = d;
	}
	for (uint32_t i = 0; i < s->n_writes; i++) {
		const struct tn_access *w = &s->writes[i];

		if (w->operand != p->output || w->begin >= w->end)
			continue;
		if (!p->written ||
			(p->descending ? w->begin < p->edge : w->end > p->edge))
			p->edge = p->descending ? w->begin : w->end;
		p->written = true;
	}
	return true;
}

static int compare_pairs(const struct one *o, struct tn_variant v, const char *type)
{
	const struct tn_op *op = &o->g.ops[0];
	int compared = 0;

	for (uint32_t in = 0; in < op->n_inputs; in++) {
		for (uint32_t out = 0; out < op->n_outputs; out++) {
			struct pair p = { in, out, v.descending, false, 0,
				TN_DISPLACEMENT_FREE };
			int64_t d;

			ck_assert_int_eq(tn_contract_walk(&o->g, (tn_op_id){ 0 }, v,
						 pair_step, &p),
				TN_OK);
			ck_assert_int_eq(tn_contract_displacement(
						 &o->g, (tn_op_id){ 0 }, v, in, out, &d),
				TN_OK);
			ck_assert_msg(d == p.d,
				"%s, %s, hold %d, input %u, output %u: %lld, the single "
				"steps say %lld",
				type, v.descending ? "descending" : "ascending",
				(int)v.hold, in, out, (long long)d, (long long)p.d);
			compared++;
		}
	}
	return compared;
}

/* A digest of all accesses in their order. */
struct sequence {
	uint64_t hash;
	uint32_t steps, calls;
};

static void add_accesses(
	struct sequence *q, const struct tn_access *list, uint32_t n, int64_t by)
{
	for (uint32_t i = 0; i < n; i++) {
		const int64_t words[] = { list[i].operand, list[i].begin + by,
			list[i].end + by };

		for (int k = 0; k < 3; k++)
			q->hash =
				(q->hash ^ (uint64_t)words[k]) * UINT64_C(1099511628211);
	}
	q->hash = (q->hash ^ n) * UINT64_C(1099511628211);
}

static bool run_step(void *user, const struct tn_step *s)
{
	struct sequence *q = user;

	ck_assert_int_gt(s->count, 0);
	for (int64_t j = 0; j < s->count; j++) {
		add_accesses(q, s->reads, s->n_reads, j * s->read_by);
		add_accesses(q, s->writes, s->n_writes, j * s->write_by);
		q->steps++;
	}
	q->calls++;
	return true;
}

static bool compare_runs(const struct one *o, struct tn_variant v, const char *type)
{
	const tn_op_id op = { 0 };
	struct sequence single = { 0 }, runs = { 0 };

	ck_assert_int_eq(tn_contract_walk(&o->g, op, v, run_step, &single), TN_OK);
	ck_assert_int_eq(tn_contract_runs(&o->g, op, v, run_step, &runs), TN_OK);
	ck_assert_uint_eq(single.calls, single.steps);
	ck_assert_msg(single.steps == runs.steps && single.hash == runs.hash,
		"%s, %s, hold %d: %u steps, in runs %u, or others", type,
		v.descending ? "descending" : "ascending", (int)v.hold, single.steps,
		runs.steps);
	return runs.calls < single.calls;
}

START_TEST(joined_steps_say_the_same)
{
	int compared = 0, joined = 0;

	for (uint32_t k = 0; k < gen_n_op_kinds; k++) {
		for (uint32_t seed = 0; seed < SEEDS; seed++) {
			struct tn_variant variants[TN_VARIANTS_MAX];
			struct one o = { 0 };
			uint32_t n;

			if (!make(&o, &gen_op_kinds[k], seed))
				continue;
			n = tn_contract_variants(&o.g, (tn_op_id){ 0 }, variants);
			for (uint32_t v = 0; v < n; v++) {
				joined += compare_runs(
					&o, variants[v], gen_op_kinds[k].type);
				if (!tn_variant_is_buffered(variants[v]))
					compared += compare_pairs(
						&o, variants[v], gen_op_kinds[k].type);
			}
			tn_gen_release(&o.gen);
		}
	}
	ck_assert_int_gt(compared, 4000);
	ck_assert_int_gt(joined, 1000);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("joined");
	TCase *tc = tcase_create("joined");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, joined_steps_say_the_same);
	suite_add_tcase(s, tc);
	return s;
}
