/* Rewrites of real models and of large graphs: equal results over a plan that the verifier
 * accepts, tensors that keep their values under their names, one pass alone, twice as
 * once, time. */
#define _POSIX_C_SOURCE 200809L
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exec/exec.h"
#include "gen_part.h"
#include "ir/validate.h"
#include "loaded.h"
#include "rewritten.h"

#define SMALL_BYTES 65536 /* of activations: one pass alone is tried on such models */

static int64_t activation_bytes(const struct tn_graph *g)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (g->tensors[i].role == ROLE_ACT)
			sum += g->tensors[i].bytes;
	return sum;
}

/* ---- real models ---- */

static int n_rewritten;

static bool is_runnable(struct loaded *l)
{
	struct tn_exec *x;

	return l->status == TN_OK &&
	       tn_exec_new(&l->graph, NULL, &l->arena, &l->diags, &x) == TN_OK;
}

static void one_model(const char *path)
{
	struct rewritten all, twice;
	struct loaded l;

	loaded_file(&l, path, NULL);
	if (is_runnable(&l)) {
		all = rewritten_of(&l.graph, tn_passes_exact(), &l.arena, &l.strings);
		twice = rewritten_of(&all.graph, tn_passes_exact(), &l.arena, &l.strings);
		ck_assert_msg(rewritten_count(&twice.log, -1, true) == 0,
			"%s: %s is done again", path,
			tn_pass_name(twice.log.list.items[0].pass));
		if (rewritten_count(&all.log, -1, true)) {
			n_rewritten++;
			same_results(path, 1, &l.graph, &all.graph);
			same_results(path, 2, &l.graph, &all.graph);
			same_values(path, &l.graph, &all.graph, NULL);
		}
		for (int i = 0; i < PASS_COUNT; i++) {
			struct rewritten one;

			if (!tn_pass_is_exact((enum tn_pass)i) ||
				activation_bytes(&l.graph) > SMALL_BYTES)
				continue;
			one = rewritten_of(&l.graph, 1u << i, &l.arena, &l.strings);
			if (rewritten_count(&one.log, -1, true))
				same_results(path, 1, &l.graph, &one.graph);
		}
	}
	loaded_release(&l);
}

START_TEST(models_keep_their_results)
{
	const char *folder = tn_test_shared("models");

	if (!folder)
		return;
	n_rewritten = 0;
	ck_assert_int_gt(each_file(folder, ".tflite", one_model), 50);
	ck_assert_int_gt(n_rewritten, 5);
}
END_TEST

/* Multiply-accumulates of convolutions and layers. */
static int64_t macs_of(const struct tn_graph *g)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < g->n_ops; i++) {
		const struct tn_op *op = &g->ops[i];
		const struct tn_tensor *out = &g->tensors[op->outputs[0].i];
		const struct tn_tensor *w =
			op->n_inputs > 1 ? &g->tensors[op->inputs[1].i] : NULL;

		if (op->kind == OP_CONV_2D || op->kind == OP_FULLY_CONNECTED)
			sum += out->elements * (w->elements / w->shape.dim[0]);
		if (op->kind == OP_DEPTHWISE_CONV_2D)
			sum += out->elements * (w->shape.dim[1] * w->shape.dim[2]);
	}
	return sum;
}

/* TENURE_REWRITE_INPUTS: how many random inputs. */
START_TEST(dead_channels_of_a_real_net)
{
	const char *path = tn_test_shared("models/vww_96_int8.tflite");
	const char *more = getenv("TENURE_REWRITE_INPUTS");
	const uint32_t n = more ? (uint32_t)strtoul(more, NULL, 10) : 12;
	struct tn_exec *x, *y;
	struct rewritten r;
	struct loaded l;

	if (!path)
		return;
	loaded_file(&l, path, NULL);
	loaded_ok(&l, path);
	r = rewritten_of(&l.graph, tn_passes_exact(), &l.arena, &l.strings);
	ck_assert_int_eq(macs_of(&l.graph), 7489664);
	ck_assert_int_eq(macs_of(&r.graph), 3733073);
	ck_assert_int_eq(r.log.constant_bytes_before, 219072);
	ck_assert_int_eq(r.log.constant_bytes_after, 33374);
	ck_assert_int_eq(tn_exec_new(&l.graph, NULL, &l.arena, &l.diags, &x), TN_OK);
	ck_assert_int_eq(tn_exec_new(&r.graph, NULL, &l.arena, &l.diags, &y), TN_OK);
	for (uint32_t seed = 1; seed <= n; seed++) {
		size_t size, other;
		const uint8_t *p, *q;

		tn_exec_seed(x, seed);
		tn_exec_seed(y, seed);
		ck_assert_int_eq(tn_exec_run(x, NULL, NULL), TN_OK);
		ck_assert_int_eq(tn_exec_run(y, NULL, NULL), TN_OK);
		p = tn_exec_bytes(x, l.graph.outputs[0], &size);
		q = tn_exec_bytes(y, r.graph.outputs[0], &other);
		ck_assert_msg(size == other && !memcmp(p, q, size), "seed %u", seed);
	}
	loaded_release(&l);
}
END_TEST

/* ---- random graphs, one pass alone ---- */

START_TEST(each_pass_alone_keeps_results)
{
	const struct tn_gen_options options = {
		.ops = 16, .runnable = true, .types = true, .views = true, .state = true
	};

	for (uint32_t seed = 1; seed <= 30; seed++) {
		struct rewritten r;
		struct tn_graph g;
		struct tn_gen gen;

		tn_gen_init(&gen, 7100 + seed);
		tn_gen_graph(&gen, &options, &g);
		r = rewritten_of(&g, 1u << _i, &gen.arena, &gen.strings);
		if (tn_pass_is_exact((enum tn_pass)_i) &&
			rewritten_count(&r.log, -1, true))
			same_results(tn_pass_name((enum tn_pass)_i), seed, &g, &r.graph);
		tn_gen_release(&gen);
	}
}
END_TEST

/* ---- large graphs ---- */

#define MANY_OPS 100000

static void set_scale(struct tn_gen *gen, int id)
{
	gen_set_quant(gen, gen_at(gen, id), 1, 0, 0.0625f, -1);
}

/* Groups of ops of which passes take one or more: spellings, common values, clamps, chains
 * of bytes, round trips. */
static void make_large(struct tn_gen *gen, struct tn_graph *g)
{
	static const char *const types[] = { "ABS", "RELU", "TANH", "RELU6", "RESHAPE" };
	const int64_t dim[] = { 1, 4, 4, 2 };
	int last, ops = 0, id = 0;

	tn_gen_tensor(gen, "x", DTYPE_I8, ROLE_INPUT, 4, dim);
	set_scale(gen, id);
	last = id++;
	while (ops < MANY_OPS - 2) {
		char name[32];

		snprintf(name, sizeof(name), "t%d", id);
		tn_gen_tensor(gen, name, DTYPE_I8, ROLE_ACT, 4, dim);
		set_scale(gen, id);
		if (ops % 7 == 6)
			tn_gen_op(gen, name, "ADD", (int[]){ last, last - 1, TN_GEN_END },
				(int[]){ id, TN_GEN_END });
		else
			tn_gen_op(gen, name, types[ops % 5], (int[]){ last, TN_GEN_END },
				(int[]){ id, TN_GEN_END });
		ops++;
		last = id++;
	}
	tn_gen_tensor(gen, "y", DTYPE_I8, ROLE_OUTPUT, 4, dim);
	set_scale(gen, id);
	tn_gen_op(gen, "last", "ABS", (int[]){ last, TN_GEN_END },
		(int[]){ id, TN_GEN_END });
	tn_gen_finish(gen, g);
}

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)(now.tv_sec - start->tv_sec) +
	       (double)(now.tv_nsec - start->tv_nsec) * 1e-9;
}

START_TEST(large_graphs)
{
	struct timespec start;
	struct rewritten r;
	struct tn_graph g;
	struct tn_gen gen;
	double seconds;

	tn_gen_init(&gen, 1);
	make_large(&gen, &g);
	ck_assert_int_eq(tn_validate(&g, &gen.diags), TN_OK);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	r = rewritten_of(&g, tn_passes_exact(), &gen.arena, &gen.strings);
	seconds = seconds_since(&start);
	ck_assert_uint_lt(r.graph.n_ops, g.n_ops);
	printf("# %u ops, then %u: %.2f s\n", g.n_ops, r.graph.n_ops, seconds);
	tn_gen_release(&gen);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("rewrite_models");
	TCase *t = tcase_create("rewrite_models");

	tcase_set_timeout(t, 300);
	tcase_add_test(t, models_keep_their_results);
	tcase_add_test(t, dead_channels_of_a_real_net);
	tcase_add_loop_test(t, each_pass_alone_keeps_results, 0, PASS_COUNT);
	tcase_add_test(t, large_graphs);
	suite_add_tcase(s, t);
	return s;
}
