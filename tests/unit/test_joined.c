/* Walks that join steps say what the single steps say: the displacements of every kind of
 * op, and which bytes an op that moves elements reads for which. */
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

/* The source of each output byte: operand and byte, or -1. */
struct source {
	int64_t *of[GEN_OUTPUTS_MAX];
	uint32_t steps;
};

static bool source_step(void *user, const struct tn_step *s)
{
	struct source *src = user;
	const struct tn_access *r = s->reads, *w = s->writes;

	ck_assert_uint_eq(s->n_writes, 1);
	src->steps++;
	for (int64_t b = 0; s->n_reads == 1 && b < w->end - w->begin; b++) {
		ck_assert_int_eq(r->end - r->begin, w->end - w->begin);
		src->of[w->operand][w->begin + b] =
			((int64_t)r->operand << 32) + r->begin + b;
	}
	return true;
}

static void sources_init(struct one *o, struct source *src)
{
	const struct tn_op *op = &o->g.ops[0];

	src->steps = 0;
	for (uint32_t k = 0; k < op->n_outputs; k++) {
		int64_t n = o->g.tensors[op->outputs[k].i].bytes;

		src->of[k] = TN_NEW_ARRAY(&o->gen.arena, int64_t, (size_t)n);
		for (int64_t i = 0; i < n; i++)
			src->of[k][i] = -1;
	}
}

static bool compare_moves(struct one *o, const char *type)
{
	const struct tn_variant plain = { false, HOLD_NONE };
	const struct tn_op *op = &o->g.ops[0];
	struct source one_by_one, joined;

	if (tn_op_info(op->kind)->access != ACCESS_MAP)
		return false;
	sources_init(o, &one_by_one);
	sources_init(o, &joined);
	ck_assert_int_eq(
		tn_contract_walk(&o->g, (tn_op_id){ 0 }, plain, source_step, &one_by_one),
		TN_OK);
	ck_assert_int_eq(
		tn_contract_moves(&o->g, (tn_op_id){ 0 }, source_step, &joined), TN_OK);
	for (uint32_t k = 0; k < op->n_outputs; k++)
		ck_assert_msg(memcmp(one_by_one.of[k], joined.of[k],
				      (size_t)o->g.tensors[op->outputs[k].i].bytes *
					      sizeof(int64_t)) == 0,
			"%s: output %u is read from elsewhere", type, k);
	return joined.steps < one_by_one.steps;
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
			for (uint32_t v = 0; v < n; v++)
				if (!tn_variant_is_buffered(variants[v]))
					compared += compare_pairs(
						&o, variants[v], gen_op_kinds[k].type);
			if (n)
				joined += compare_moves(&o, gen_op_kinds[k].type);
			tn_gen_release(&o.gen);
		}
	}
	ck_assert_int_gt(compared, 4000);
	ck_assert_int_gt(joined, 50);
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
