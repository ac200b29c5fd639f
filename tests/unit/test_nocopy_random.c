/* Random graphs that join, part, slice and rename values between other ops: with and
 * without copies the plans are accepted, and what runs gives the same bytes. */
#include "suite.h"

#include <stdio.h>
#include <string.h>

#include "base/fnv.h"
#include "exec/exec.h"
#include "gen_part.h"
#include "ir/validate.h"
#include "lower/choose.h"
#include "lower/schedule.h"
#include "verify/verify.h"

#define GRAPHS	   60
#define LAYERS_MAX 256
#define COLUMNS	   8

static const char *const modes[] = { "none", "in place", "full" };

/* Values of [rows, columns]. */
struct pool {
	struct tn_gen gen;
	int id[128];
	uint32_t n;
};

static int64_t rows(struct pool *p, int id)
{
	return gen_at(&p->gen, id)->shape.dim[0];
}

static int value(struct pool *p, int64_t n_rows)
{
	return gen_add_tensor(
		&p->gen, DTYPE_I8, ROLE_ACT, 2, (int64_t[]){ n_rows, COLUMNS });
}

static void offer(struct pool *p, int id)
{
	if (p->n < sizeof(p->id) / sizeof(*p->id))
		p->id[p->n++] = id;
}

static int pick(struct pool *p)
{
	uint32_t near = p->n < 5 ? p->n : 5;

	return p->id[p->n - 1 -
		     tn_gen_random(&p->gen, tn_gen_random(&p->gen, 3) ? near : p->n)];
}

static void make_binary(struct pool *p)
{
	int a = pick(p), b = pick(p), out = value(p, rows(p, a));

	if (rows(p, a) == rows(p, b) && a != b)
		gen_add_op(&p->gen, "MAXIMUM", (int[]){ a, b, TN_GEN_END },
			(int[]){ out, TN_GEN_END });
	else
		gen_add_op(&p->gen, "RELU", (int[]){ a, TN_GEN_END },
			(int[]){ out, TN_GEN_END });
	offer(p, out);
}

static void make_concat(struct pool *p)
{
	int parts[5], out;
	uint32_t n = gen_range(&p->gen, 1, 4);
	int64_t total = 0;

	for (uint32_t i = 0; i < n; i++) {
		parts[i] = pick(p);
		total += rows(p, parts[i]);
	}
	parts[n] = TN_GEN_END;
	if (total > 24)
		return;
	out = value(p, total);
	gen_add_op(&p->gen, "CONCATENATION", parts, (int[]){ out, TN_GEN_END });
	gen_need(tn_build_attr_int(&p->gen.build, "axis", 0));
	offer(p, out);
}

/* Along the columns the parts alternate, unless there is one row. */
static void make_columns(struct pool *p)
{
	int a = pick(p), wide, out;
	int64_t n = rows(p, a);

	wide = gen_add_tensor(
		&p->gen, DTYPE_I8, ROLE_ACT, 2, (int64_t[]){ n, 2 * COLUMNS });
	gen_add_op(&p->gen, "CONCATENATION",
		(int[]){ a, tn_gen_random(&p->gen, 2) ? a : p->id[0], TN_GEN_END },
		(int[]){ wide, TN_GEN_END });
	gen_need(tn_build_attr_int(&p->gen.build, "axis", 1));
	if (rows(p, p->id[0]) != n)
		p->gen.build.ops.items[p->gen.build.ops.count - 1].inputs[1].i =
			(uint32_t)a;
	out = value(p, 2 * n);
	gen_add_op(&p->gen, "RESHAPE", (int[]){ wide, TN_GEN_END },
		(int[]){ out, TN_GEN_END });
	offer(p, out);
}

static void make_split(struct pool *p)
{
	int in = pick(p), out[5], axis;
	uint32_t n = gen_range(&p->gen, 2, 4);
	int64_t zero = 0;

	if (rows(p, in) % n)
		return;
	axis = gen_add_ints(&p->gen, 1, &zero);
	for (uint32_t i = 0; i < n; i++)
		offer(p, out[i] = value(p, rows(p, in) / n));
	out[n] = TN_GEN_END;
	gen_add_op(&p->gen, "SPLIT", (int[]){ axis, in, TN_GEN_END }, out);
}

/* One half passes through, the other changes: once, or in a few steps. */
static void make_unit(struct pool *p)
{
	int in = pick(p), half[3], axis, out;
	uint32_t keep = tn_gen_random(&p->gen, 2);
	int64_t zero = 0, n = rows(p, in);

	if (n % 2)
		return;
	axis = gen_add_ints(&p->gen, 1, &zero);
	half[0] = value(p, n / 2);
	half[1] = value(p, n / 2);
	half[2] = TN_GEN_END;
	gen_add_op(&p->gen, "SPLIT", (int[]){ axis, in, TN_GEN_END }, half);
	if (!tn_gen_random(&p->gen, 4))
		offer(p, half[!keep]);
	for (uint32_t i = gen_range(&p->gen, 1, 3); i > 0; i--) {
		out = value(p, n / 2);
		gen_add_op(&p->gen, "LOGISTIC", (int[]){ half[!keep], TN_GEN_END },
			(int[]){ out, TN_GEN_END });
		half[!keep] = out;
	}
	out = value(p, n);
	gen_add_op(&p->gen, "CONCATENATION", half, (int[]){ out, TN_GEN_END });
	gen_need(tn_build_attr_int(&p->gen.build, "axis", 0));
	offer(p, out);
}

static void make_slice(struct pool *p)
{
	int in = pick(p), out;
	int64_t begin[2] = { tn_gen_random(&p->gen, (uint32_t)rows(p, in)), 0 }, size[2];

	size[0] = gen_range(&p->gen, 1, (uint32_t)(rows(p, in) - begin[0]));
	size[1] = COLUMNS;
	out = value(p, size[0]);
	gen_add_op(
		&p->gen, "SLICE", (int[]){ in, TN_GEN_END }, (int[]){ out, TN_GEN_END });
	tn_gen_ints(&p->gen, "begin", 2, begin);
	tn_gen_ints(&p->gen, "size", 2, size);
	offer(p, out);
}

/* To a column of elements, and back by a transposition that moves nothing. */
static void make_identity(struct pool *p)
{
	int in = pick(p), line, column, out;
	int64_t n = rows(p, in) * COLUMNS, perm[2] = { 1, 0 };

	line = gen_add_tensor(&p->gen, DTYPE_I8, ROLE_ACT, 2, (int64_t[]){ 1, n });
	column = gen_add_tensor(&p->gen, DTYPE_I8, ROLE_ACT, 2, (int64_t[]){ n, 1 });
	out = value(p, rows(p, in));
	gen_add_op(&p->gen, "RESHAPE", (int[]){ in, TN_GEN_END },
		(int[]){ line, TN_GEN_END });
	gen_add_op(&p->gen, "TRANSPOSE", (int[]){ line, TN_GEN_END },
		(int[]){ column, TN_GEN_END });
	tn_gen_ints(&p->gen, "perm", 2, perm);
	gen_add_op(&p->gen, "RESHAPE", (int[]){ column, TN_GEN_END },
		(int[]){ out, TN_GEN_END });
	offer(p, out);
}

static void make_graph(struct pool *p, uint32_t seed, struct tn_graph *g)
{
	static void (*const makers[])(struct pool *) = { make_binary, make_binary,
		make_binary, make_concat, make_concat, make_split, make_slice,
		make_columns, make_identity, make_unit, make_unit };
	uint32_t n;

	tn_gen_init(&p->gen, seed);
	p->n = 0;
	n = gen_range(&p->gen, 1, 3);
	for (uint32_t i = 0; i < n; i++) {
		int in = value(p, gen_range(&p->gen, 1, 6));

		gen_at(&p->gen, in)->role = ROLE_INPUT;
		gen_need(tn_vec_push(&p->gen.arena, &p->gen.build.inputs,
			((tn_tensor_id){ (uint32_t)in })));
		gen_at(&p->gen, in)->clobber = tn_gen_random(&p->gen, 2);
		offer(p, in);
	}
	for (uint32_t i = gen_range(&p->gen, 4, 12); i > 0; i--)
		makers[tn_gen_random(&p->gen, sizeof(makers) / sizeof(*makers))](p);
	make_binary(p); /* so that there is an op, and an output */
	for (uint32_t i = n; i < p->n; i++)
		if (i + 1 == p->n || !tn_gen_random(&p->gen, 6)) {
			gen_at(&p->gen, p->id[i])->role = ROLE_OUTPUT;
			gen_need(tn_vec_push(&p->gen.arena, &p->gen.build.outputs,
				((tn_tensor_id){ (uint32_t)p->id[i] })));
		}
	tn_gen_finish(&p->gen, g);
}

struct digests {
	uint64_t value[LAYERS_MAX];
	uint32_t tensor[LAYERS_MAX];
	uint32_t n;
};

static void keep(void *user, const struct tn_exec_layer *layer)
{
	struct digests *d = user;

	if (d->n < LAYERS_MAX) {
		d->tensor[d->n] = layer->tensor.i;
		d->value[d->n++] = tn_fnv(TN_FNV_INIT, layer->bytes, layer->size);
	}
}

static struct digests run(struct pool *p, const struct tn_graph *g,
	const struct tn_plan *plan, int poison, uint32_t seed)
{
	struct digests d = { .n = 0 };
	struct tn_exec *e;

	ck_assert_msg(tn_exec_new(g, plan, &p->gen.arena, &p->gen.diags, &e) == TN_OK,
		"seed %u: %s", seed,
		p->gen.diags.list.count ? p->gen.diags.list.items[0].message : "");
	tn_exec_poison(e, poison);
	tn_exec_seed(e, 3);
	ck_assert_int_eq(tn_exec_run(e, keep, &d), TN_OK);
	return d;
}

/* The plan of this graph, with copies or as few as the planner likes; its bytes. */
static int64_t plan_of(struct pool *p, const struct tn_graph *g,
	enum tn_overlap_mode mode, bool copies, uint32_t seed, struct tn_plan *plan)
{
	const struct tn_lower_options options = { .overlap = mode, .align = 16 };
	const struct tn_alias_options views = { .align = 16, .views_only = true };
	const struct tn_limits limits = { 2000, 0 };
	struct tn_arena *arena = &p->gen.arena;
	struct tn_order order;
	struct tn_choice c;
	const struct tn_tables t = { g, &order, &c.aliases, &c.live, &c.inplace };
	struct tn_verdict v;
	enum tn_status status = tn_order_given(g, arena, &order);

	if (!copies && status == TN_OK)
		status =
			tn_choose(g, &order, &options, &limits, arena, &p->gen.diags, &c);
	if (copies && status == TN_OK)
		status = tn_aliases_choose(g, &views, arena, &c.aliases);
	if (copies && status == TN_OK)
		status = tn_liveness_find(g, &order, &c.aliases, arena, &c.live);
	if (copies && status == TN_OK)
		status = tn_inplace_judge(
			g, &order, &c.aliases, &c.live, arena, &c.inplace);
	if (copies && status == TN_OK)
		status = tn_lower(&t, &options, arena, &p->gen.diags, &c.lowered);
	if (copies && status == TN_OK)
		status = tn_solve(
			&c.lowered.problem, &limits, arena, &p->gen.diags, &c.solution);
	if (status == TN_OK)
		status = tn_raise(&t, &options, &c.lowered, &c.solution, arena, plan);
	ck_assert_msg(status == TN_OK, "seed %u, overlap %s, %s: no plan", seed,
		modes[mode], copies ? "copies" : "no copies");
	ck_assert_msg(tn_verify(g, plan, arena, &p->gen.diags, &v) == TN_OK,
		"seed %u, overlap %s, %s: %s", seed, modes[mode],
		copies ? "copies" : "no copies", v.rule);
	return c.solution.height;
}

/* No order, so not the given one, needs less than the search says. */
static void check_bound(struct pool *p, const struct tn_graph *g,
	enum tn_overlap_mode mode, uint32_t seed, int64_t height)
{
	const struct tn_lower_options options = { .overlap = mode, .align = 16 };
	const struct tn_alias_options views = { .align = 16, .any_order = true };
	struct tn_arena *arena = &p->gen.arena;
	struct tn_order order;
	struct tn_choice c;
	struct tn_hazards hazards;
	struct tn_schedule_problem problem;
	struct tn_schedule found;
	const struct tn_tables t = { g, &order, &c.aliases, &c.live, &c.inplace };

	ck_assert_int_eq(tn_order_given(g, arena, &order), TN_OK);
	ck_assert_int_eq(tn_aliases_choose(g, &views, arena, &c.aliases), TN_OK);
	ck_assert_int_eq(tn_liveness_find(g, &order, &c.aliases, arena, &c.live), TN_OK);
	ck_assert_int_eq(tn_hazards_find(g, &order, &c.aliases, arena, &hazards), TN_OK);
	ck_assert_int_eq(
		tn_inplace_judge(g, &order, &c.aliases, &c.live, arena, &c.inplace),
		TN_OK);
	ck_assert_int_eq(
		tn_lower_schedule(&t, &hazards, &options, arena, &p->gen.diags, &problem),
		TN_OK);
	ck_assert_int_eq(tn_schedule_search(&problem, 0, arena, &found), TN_OK);
	ck_assert_msg(found.bound <= height,
		"seed %u, overlap %s: %lld bytes, bound %lld", seed, modes[mode],
		(long long)height, (long long)found.bound);
}

static void compare(const struct digests *want, const struct digests *got, uint32_t seed,
	const char *what)
{
	ck_assert_uint_eq(want->n, got->n);
	for (uint32_t i = 0; i < want->n; i++)
		ck_assert_msg(want->value[i] == got->value[i],
			"seed %u, %s: tensor %u differs", seed, what, want->tensor[i]);
}

/* A concatenation left out, of which an operand is an output of a split left out. */
static bool is_tied(const struct tn_graph *g, const struct tn_plan *plan,
	const struct tn_op *join, uint32_t op)
{
	if (join->kind != OP_CONCATENATION || !plan->ops[op].elided)
		return false;
	for (uint32_t i = 0; i < op; i++)
		for (uint32_t k = 0; k < g->ops[i].n_outputs && plan->ops[i].elided; k++)
			for (uint32_t n = 0; n < join->n_inputs; n++)
				if (g->ops[i].kind == OP_SPLIT &&
					join->inputs[n].i == g->ops[i].outputs[k].i)
					return true;
	return false;
}

START_TEST(copies_change_nothing)
{
	const enum tn_overlap_mode mode = (enum tn_overlap_mode)(_i % 3);
	int64_t bytes[2] = { 0 };
	uint32_t left_out = 0, tied = 0;

	for (uint32_t i = 0; i < GRAPHS; i++) {
		uint32_t seed = 1000 * (uint32_t)_i + i;
		int64_t height[2];
		struct digests want, got;
		struct tn_plan plan;
		struct tn_graph g;
		struct pool p;

		make_graph(&p, seed, &g);
		ck_assert_msg(tn_validate(&g, &p.gen.diags) == TN_OK, "seed %u", seed);
		want = run(&p, &g, NULL, TN_POISON_NONE, seed);
		for (int copies = 0; copies < 2; copies++) {
			height[copies] = plan_of(&p, &g, mode, copies, seed, &plan);
			bytes[copies] += height[copies];
			got = run(&p, &g, &plan, copies ? 0x5A : 0xA5, seed);
			compare(&want, &got, seed, copies ? "copies" : "no copies");
			for (uint32_t k = 0; k < g.n_ops && !copies; k++)
				left_out += plan.ops[k].elided;
			for (uint32_t k = 0; k < g.n_ops && !copies; k++)
				tied += is_tied(&g, &plan, &g.ops[k], k);
		}
		check_bound(&p, &g, mode, seed, height[0]);
		ck_assert_msg(height[0] <= height[1],
			"seed %u: %lld bytes, with copies %lld", seed,
			(long long)height[0], (long long)height[1]);
		tn_gen_release(&p.gen);
	}
	printf("# %s: %lld bytes, with copies %lld; %u ops left out, %u pass a part on\n",
		modes[mode], (long long)bytes[0], (long long)bytes[1], left_out, tied);
	ck_assert_uint_gt(left_out, GRAPHS);
	ck_assert_uint_gt(tied, 0);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("nocopy_random");
	TCase *tc = tcase_create("nocopy_random");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, copies_change_nothing, 0, 6);
	suite_add_tcase(s, tc);
	return s;
}
