#include "suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "gen_graph.h"
#include "gen_plan.h"
#include "sim_plan.h"
#include "base/checked.h"
#include "contract/contract.h"
#include "ir/validate.h"
#include "verify/memory.h"
#include "verify/verify.h"

#define IDS(...)                                                                         \
	(int[])                                                                          \
	{                                                                                \
		__VA_ARGS__, TN_GEN_END                                                  \
	}
#define DIMS(...)                                                                        \
	(int64_t[])                                                                      \
	{                                                                                \
		__VA_ARGS__                                                              \
	}

static void show(const struct tn_diags *diags)
{
	for (size_t i = 0; i < diags->list.count; i++) {
		const struct tn_diag *d = &diags->list.items[i];

		printf("# %s '%s': %s [%s]\n", d->pointer ? d->pointer : "",
			d->subject ? d->subject : "", d->message, d->rule);
		for (size_t k = 0; k < d->notes.count; k++)
			printf("#   %s\n", d->notes.items[k]);
	}
	fflush(stdout);
}

/* The range map against an array of bytes. */
START_TEST(memory_is_a_map_of_bytes)
{
	enum { N = 64 };
	struct tn_gen gen;
	struct tn_memory m = { 0 };
	uint32_t value[N];
	int64_t at[N];

	tn_gen_init(&gen, (uint32_t)_i);
	for (int i = 0; i < N; i++)
		value[i] = TN_NOTHING;
	for (int step = 0; step < 400; step++) {
		int64_t begin = tn_gen_random(&gen, N), end = tn_gen_random(&gen, N + 1);
		uint32_t v = tn_gen_random(&gen, 5);
		int64_t from = tn_gen_random(&gen, 2) ? begin : tn_gen_random(&gen, 20);

		if (v == 4)
			v = TN_NOTHING;
		ck_assert(tn_memory_write(&m, &gen.arena, begin, end, v, from));
		for (int64_t i = begin; i < end; i++) {
			value[i] = v;
			at[i] = from + i - begin;
		}
		for (size_t i = 0; i < m.count; i++) {
			const struct tn_segment *x = tn_memory_item(&m, i);

			ck_assert_int_lt(x->begin, x->end);
			ck_assert(i == 0 || tn_memory_item(&m, i - 1)->end <= x->begin);
		}
		for (int i = 0; i < N; i++) {
			struct tn_content c = tn_memory_at(&m, i);

			ck_assert_uint_eq(c.value, value[i]);
			ck_assert(c.value == TN_NOTHING || c.at == at[i]);
			ck_assert_int_gt(c.run, 0);
		}
	}
	tn_gen_release(&gen);
}
END_TEST

/* Ranges copied from one map into another, holes and all. */
START_TEST(ranges_are_copied)
{
	enum { N = 48 };
	struct tn_memory m[2] = { { 0 }, { 0 } };
	struct {
		uint32_t value;
		int64_t at;
	} want[2][N];
	struct tn_gen gen;

	tn_gen_init(&gen, (uint32_t)_i);
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < N; i++)
			want[k][i].value = TN_NOTHING;
	for (int step = 0; step < 300; step++) {
		int to = (int)tn_gen_random(&gen, 2), from = step % 3 ? 1 - to : to;
		int64_t len = tn_gen_random(&gen, N / 2) + (from == to ? 0 : 1);
		int64_t a = tn_gen_random(&gen, (uint32_t)(N - len) + 1);
		int64_t b = tn_gen_random(&gen, (uint32_t)(N - len) + 1);

		if (from == to) { /* a value of its own, or nothing */
			uint32_t v = tn_gen_random(&gen, 4) ? tn_gen_random(&gen, 3)
							    : TN_NOTHING;

			ck_assert(tn_memory_write(
				&m[to], &gen.arena, a, a + len / 4, v, b));
			for (int64_t i = 0; i < len / 4; i++) {
				want[to][a + i].value = v;
				want[to][a + i].at = b + i;
			}
		} else {
			ck_assert(
				tn_memory_copy(&m[to], &gen.arena, a, &m[from], b, len));
			memcpy(&want[to][a], &want[from][b],
				(size_t)len * sizeof(want[0][0]));
		}
		for (size_t i = 1; i < m[to].count; i++) {
			const struct tn_segment *x = tn_memory_item(&m[to], i - 1),
						*y = tn_memory_item(&m[to], i);

			ck_assert(x->begin < x->end && x->end <= y->begin);
			ck_assert_msg(x->end < y->begin || x->value != y->value ||
					      x->at + x->end - x->begin != y->at,
				"step %d: two segments are one", step);
		}
		for (int i = 0; i < N; i++) {
			struct tn_content c = tn_memory_at(&m[to], i);

			ck_assert_uint_eq(c.value, want[to][i].value);
			ck_assert(c.value == TN_NOTHING || c.at == want[to][i].at);
		}
	}
	tn_gen_release(&gen);
}
END_TEST

/* As a kernel writes that goes channel by channel over its input, or from the last pixel to
 * the first: many segments cost no more each than few; else it takes minutes. */
START_TEST(many_segments)
{
	enum { PIXELS = 100000, CHANNELS = 4 };
	const bool falling = _i & 1;
	struct tn_arena arena;
	struct tn_memory m = { 0 };
	clock_t start = clock();
	double seconds;

	tn_arena_init(&arena);
	ck_assert(tn_memory_write(&m, &arena, 0, PIXELS * CHANNELS, 1, 0));
	for (int64_t i = 0; i < PIXELS; i++) /* another tensor behind it */
		ck_assert(tn_memory_write(&m, &arena, PIXELS * CHANNELS + i,
			PIXELS * CHANNELS + i + 1, (uint32_t)(2 + i % 2), 0));
	for (int64_t c = 0; c < CHANNELS; c++) {
		for (int64_t k = 0; k < PIXELS; k++) {
			const int64_t p = falling ? PIXELS - 1 - k : k;
			const int64_t at =
				p * CHANNELS + (falling ? CHANNELS - 1 - c : c);

			ck_assert(tn_memory_write(&m, &arena, at, at + 1, 0, at));
		}
		ck_assert_uint_eq(
			m.count, (c + 1 < CHANNELS ? 2 * (size_t)PIXELS : 1) + PIXELS);
	}
	seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
	printf("# %s: %.2f s\n", falling ? "falling" : "rising", seconds);
	tn_arena_release(&arena);
}
END_TEST

static const struct tn_gen_options kinds[] = {
	{ .ops = 6 },
	{ .ops = 14 },
	{ .ops = 10, .views = true },
	{ .ops = 10, .opaque = true },
	{ .ops = 10, .state = true },
	{ .ops = 12, .views = true, .opaque = true, .state = true },
	{ .ops = 10, .views = true, .mutation = true, .runnable = true },
	{ .ops = 10, .mutation = true, .unchanged = true, .runnable = true },
	{ .ops = 10, .tails = true },
	{ .ops = 12, .tails = true, .opaque = true, .state = true },
};

enum { GRAPHS = 20, CHANGES = 24 };

static bool compare(struct tn_gen *gen, const struct tn_graph *g,
	const struct tn_plan *plan, const char *what, uint32_t counts[4])
{
	struct tn_arena scratch;
	struct tn_diags diags;
	struct tn_verdict verdict;
	enum tn_status status;
	const char *why = NULL, *exact_why = NULL;
	bool right;

	tn_arena_init(&scratch);
	tn_diags_init(&diags, &gen->arena);
	status = tn_verify(g, plan, &scratch, &diags, &verdict);
	right = sim_accepts(g, plan, false, &why);
	if ((status == TN_OK) != right)
		show(&diags);
	ck_assert_msg((status == TN_OK) == right && status != TN_ERR_INTERNAL,
		"%s: verifier says %d, simulation says %s", what, status,
		right ? "right" : why);
	ck_assert_msg(verdict.accepted == right && (verdict.refusals > 0) == !right &&
			      (verdict.rule == NULL) == right,
		"%s: the verdict does not say what the status says", what);
	if (right)
		ck_assert_msg(sim_accepts(g, plan, true, &exact_why), "%s: %s", what,
			exact_why);
	counts[right ? 0 : 1]++;
	counts[2] += right && verdict.replayed > 0;
	counts[3] += !right && sim_accepts(g, plan, true, &exact_why);
	tn_arena_release(&scratch);
	return right;
}

/* Random plans of random graphs: the verifier says what the simulation says. */
START_TEST(agrees_with_simulation)
{
	uint32_t counts[4] = { 0 };

	for (uint32_t i = 0; i < GRAPHS; i++) {
		uint32_t seed = (uint32_t)_i * 10000 + i;
		struct tn_gen gen;
		struct tn_graph g;
		struct tn_plan plan, changed;
		char what[80];

		tn_gen_init(&gen, seed);
		tn_gen_graph(&gen, &kinds[_i], &g);
		if (tn_validate(&g, &gen.diags) != TN_OK)
			show(&gen.diags);
		ck_assert_msg(gen.diags.errors == 0, "seed %u: not valid", seed);
		gen_plan(&gen, &g, &plan);
		snprintf(what, sizeof(what), "seed %u", seed);
		ck_assert_msg(compare(&gen, &g, &plan, what, counts),
			"%s: the plan is right by construction", what);
		for (uint32_t k = 0; k < CHANGES; k++) {
			gen_plan_copy(&gen, &plan, &changed);
			gen_plan_change(&gen, &g, &changed);
			if (k % 2)
				gen_plan_change(&gen, &g, &changed);
			snprintf(what, sizeof(what), "seed %u, change %u", seed, k);
			compare(&gen, &g, &changed, what, counts);
		}
		tn_gen_release(&gen);
	}
	printf("# kind %d: %u right (%u by replay), %u wrong (%u only between strides)\n",
		_i, counts[0], counts[2], counts[1], counts[3]);
	ck_assert_uint_gt(counts[2], 0);
}
END_TEST

static int64_t any_number(struct tn_gen *gen)
{
	static const int64_t odd[] = { 0, 1, -1, 16, INT64_MAX, INT64_MIN, INT64_MAX - 15,
		UINT32_MAX, 255 };

	if (tn_gen_random(gen, 2))
		return odd[tn_gen_random(gen, sizeof(odd) / sizeof(*odd))];
	return tn_gen_random(gen, 300);
}

/* Whatever stands in a plan, there is an answer with a reason. (A sanitizer watches.) */
START_TEST(garbage_gets_an_answer)
{
	struct tn_gen gen;
	struct tn_graph g;
	struct tn_plan plan;
	struct tn_verdict v;

	tn_gen_init(&gen, (uint32_t)_i);
	tn_gen_graph(&gen, &kinds[5], &g);
	for (uint32_t round = 0; round < 300; round++) {
		enum tn_status status;

		gen_plan(&gen, &g, &plan);
		for (uint32_t k = 0; k <= round % 4; k++) {
			struct tn_plan_tensor *t =
				&plan.tensors[tn_gen_random(&gen, g.n_tensors)];
			struct tn_plan_op *p = &plan.ops[tn_gen_random(&gen, g.n_ops)];
			struct tn_plan_region *r = &plan.regions[0];
			int64_t *number[] = { &t->offset, &t->bytes, &p->scratch_offset,
				&p->scratch_bytes, &r->capacity, &r->used, &r->align,
				&plan.arena_bytes };
			uint32_t *word[] = { &t->region, &p->scratch_region,
				&plan.order[tn_gen_random(&gen, g.n_ops)] };

			*number[tn_gen_random(&gen, 8)] = any_number(&gen);
			*number[tn_gen_random(&gen, 8)] = any_number(&gen);
			*word[tn_gen_random(&gen, 3)] = (uint32_t)any_number(&gen);
			p->hold = (uint8_t)any_number(&gen);
			p->descending = (uint8_t)any_number(&gen);
		}
		tn_diags_init(&gen.diags, &gen.arena);
		status = tn_verify(&g, &plan, &gen.arena, &gen.diags, &v);
		ck_assert_msg(status == TN_ERR_REFUSED || status == TN_OK, "%d", status);
		ck_assert_msg((status == TN_OK) == (gen.diags.errors == 0),
			"a refusal without a reason");
	}
	tn_gen_release(&gen);
}
END_TEST

/* MobileNetV1 1.0 at 224: the largest chain that anybody plans here. */
static void make_mobilenet(struct tn_gen *gen, struct tn_graph *g)
{
	static const struct {
		int64_t channels, stride;
	} pairs[] = { { 64, 1 }, { 128, 2 }, { 128, 1 }, { 256, 2 }, { 256, 1 },
		{ 512, 2 }, { 512, 1 }, { 512, 1 }, { 512, 1 }, { 512, 1 }, { 512, 1 },
		{ 1024, 2 }, { 1024, 1 } };
	int64_t dim[4] = { 1, 224, 224, 3 };
	int last = 0;

	tn_gen_tensor(gen, "in", DTYPE_I8, ROLE_INPUT, 4, dim)->clobber = true;
	for (int i = -1; i < 2 * 13; i++) {
		int64_t k = i < 0 || i % 2 == 0 ? 3 : 1, stride = 1;
		bool depthwise = i >= 0 && i % 2 == 0;

		if (i < 0)
			stride = 2;
		else if (depthwise)
			stride = pairs[i / 2].stride;
		dim[1] /= stride;
		dim[2] /= stride;
		dim[3] = i < 0 ? 32 : depthwise ? dim[3] : pairs[i / 2].channels;
		tn_gen_tensor(
			gen, "t", DTYPE_I8, i == 25 ? ROLE_OUTPUT : ROLE_ACT, 4, dim);
		tn_gen_op(gen, depthwise ? "dw" : "conv",
			depthwise ? "DEPTHWISE_CONV_2D" : "CONV_2D", IDS(last),
			IDS(last + 1));
		tn_gen_ints(gen, "kernel", 2, DIMS(k, k));
		tn_gen_ints(gen, "stride", 2, DIMS(stride, stride));
		ck_assert(tn_build_attr_string(&gen->build, "pad", "SAME"));
		last++;
	}
	tn_gen_finish(gen, g);
}

/* Every output as far over its input as its contract allows, plus `more` bytes. */
static void overlay_chain(struct tn_gen *gen, const struct tn_graph *g,
	struct tn_plan *plan, uint32_t at, int64_t more)
{
	int64_t lowest = 0, d;

	ck_assert_int_eq(
		tn_plan_init(plan, &gen->arena, g->n_tensors, g->n_ops, 1), TN_OK);
	plan->regions[0].align = 1;
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		plan->tensors[i].region = 0;
		plan->tensors[i].bytes = g->tensors[i].bytes;
		if (i == 0)
			continue;
		ck_assert_int_eq(
			tn_contract_displacement(g, (tn_op_id){ i - 1 },
				(struct tn_variant){ false, HOLD_NONE }, 0, 0, &d),
			TN_OK);
		plan->tensors[i].offset =
			plan->tensors[i - 1].offset - d + (i - 1 == at ? more : 0);
		lowest = tn_min_i64(lowest, plan->tensors[i].offset);
	}
	for (uint32_t i = 0; i < g->n_tensors; i++)
		plan->tensors[i].offset -= lowest;
	gen_plan_settle(g, plan);
}

static double verify_seconds(struct tn_gen *gen, const struct tn_graph *g,
	const struct tn_plan *plan, enum tn_status want, struct tn_verdict *v)
{
	clock_t start = clock();
	struct tn_arena scratch;
	enum tn_status status;

	tn_arena_init(&scratch);
	status = tn_verify(g, plan, &scratch, &gen->diags, v);
	tn_arena_release(&scratch);
	ck_assert_int_eq(status, want);
	return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* Each layer at its displacement is accepted; one byte further is refused, at that layer
 * or not at all when the contract is tight for no byte of it. */
START_TEST(overlaps_of_a_whole_net)
{
	struct tn_gen gen;
	struct tn_graph g;
	struct tn_plan plan;
	struct tn_verdict v;
	double seconds;

	tn_gen_init(&gen, 1);
	make_mobilenet(&gen, &g);
	overlay_chain(&gen, &g, &plan, TN_NONE, 0);
	seconds = verify_seconds(&gen, &g, &plan, TN_OK, &v);
	printf("# mobilenet: %u layers replayed, %" PRId64 " bytes, %.2f s\n", v.replayed,
		plan.arena_bytes, seconds);
	ck_assert_uint_eq(v.replayed, g.n_ops);
	for (uint32_t i = 0; i < g.n_ops; i += 12) {
		overlay_chain(&gen, &g, &plan, i, 1);
		(void)verify_seconds(&gen, &g, &plan, TN_ERR_REFUSED, &v);
		ck_assert_str_eq(v.rule, "plan/overlap");
		ck_assert_uint_eq(v.op, i);
		ck_assert_uint_eq(v.tensor, i);
	}
	tn_gen_release(&gen);
}
END_TEST

/* Ten thousand ops, one after the other in two buffers, or all alive at the end. */
START_TEST(many_ops)
{
	enum { N = 10000 };
	bool wide = _i == 1;
	struct tn_gen gen;
	struct tn_graph g;
	struct tn_plan plan;
	struct tn_verdict v;
	double seconds;

	tn_gen_init(&gen, 1);
	tn_gen_tensor(&gen, "in", DTYPE_I8, ROLE_INPUT, 2, DIMS(1, 64));
	for (int i = 0; i < N; i++) {
		tn_gen_tensor(&gen, "t", DTYPE_I8, wide ? ROLE_OUTPUT : ROLE_ACT, 2,
			DIMS(1, 64));
		tn_gen_op(&gen, "relu", "RELU", IDS(wide ? 0 : i), IDS(i + 1));
	}
	tn_gen_finish(&gen, &g);
	ck_assert_int_eq(tn_plan_init(&plan, &gen.arena, N + 1, N, 1), TN_OK);
	for (uint32_t i = 0; i <= N; i++)
		plan.tensors[i] = (struct tn_plan_tensor){ .region = 0,
			.bytes = 64,
			.offset = 64 * (wide		? N - i
					       : i == 0 ? 0
							: 1 + i % 2) };
	gen_plan_settle(&g, &plan);
	seconds = verify_seconds(&gen, &g, &plan, TN_OK, &v);
	printf("# %d ops, %s: %.2f s\n", N, wide ? "all alive" : "a chain", seconds);
	ck_assert_uint_eq(v.replayed, 0);
	tn_gen_release(&gen);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("verify");
	TCase *tc = tcase_create("verify");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, many_segments, 0, 2);
	tcase_add_loop_test(tc, ranges_are_copied, 0, 40);
	tcase_add_loop_test(tc, memory_is_a_map_of_bytes, 0, 8);
	tcase_add_loop_test(
		tc, agrees_with_simulation, 0, sizeof(kinds) / sizeof(*kinds));
	tcase_add_loop_test(tc, garbage_gets_an_answer, 0, 8);
	tcase_add_test(tc, overlaps_of_a_whole_net);
	tcase_add_loop_test(tc, many_ops, 0, 2);
	suite_add_tcase(s, tc);
	return s;
}
