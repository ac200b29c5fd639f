/* The contracts of compiled kernels: on emulated boards each variant of each op runs with its
 * output as near to an input as the contract allows, where nothing may change, and one
 * element nearer, where for most of them something must. tests/campaign/packed.c does the
 * same at random shapes. */
#include "suite.h"

#include <stdio.h>
#include <string.h>

#include "displaced.h"
#include "layers.h"
#include "loaded.h"
#include "tools.h"
#include "validate/process.h"

/* ---- the tests ---- */

static const struct {
	const char *target;
	enum tn_kernel_set set;
	bool layers; /* or the fixture with all ops */
} boards[] = {
	{ "cortex-m3", KERNELS_THUMB, true },
	{ "cortex-m4", KERNELS_DSP, true },
	{ "cortex-m55", KERNELS_MVE, true },
	{ "cortex-m4", KERNELS_DSP, false },
};

struct source {
	struct net net;
	struct loaded file;
	const struct tn_graph *graph;
};

static void open_source(struct source *s, int board)
{
	struct tn_seed r;

	*s = (struct source){ 0 };
	if (boards[board].layers) {
		net_start(&s->net);
		for (size_t i = 0; i < n_layers; i++) {
			tn_seed_init(&r, 1);
			layer_add(&s->net, &layers[i], &r);
		}
		net_finish(&s->net, "layers");
		s->graph = &s->net.graph;
	} else {
		loaded_file(&s->file, tn_test_path("fixtures/kernels/ops.json"), NULL);
		loaded_ok(&s->file, "ops.json");
		s->graph = &s->file.graph;
	}
}

static void close_source(struct source *s, int board)
{
	if (boards[board].layers)
		net_release(&s->net);
	else
		loaded_release(&s->file);
}

static void find_cases(
	struct displaced *p, const struct tn_graph *g, uint32_t begin, uint32_t end)
{
	for (uint32_t i = begin; i < end; i++) {
		const tn_op_id id = { i };
		struct tn_variant v[TN_VARIANTS_MAX];
		uint32_t n = tn_contract_variants(g, id, v);

		for (uint32_t k = 0; k < n * g->ops[i].n_inputs; k++) {
			const uint32_t in = k % g->ops[i].n_inputs;

			if (!displaced_shares(g, id, in))
				continue;
			(void)displaced_add(p, g, id, v[k / g->ops[i].n_inputs], in, 0);
			(void)displaced_add(p, g, id, v[k / g->ops[i].n_inputs], in, -1);
		}
	}
}

/* A kernel's cases. */
struct tally {
	const char *kernel;
	size_t cases, differ;
};

static struct tally *tally_of(struct tally *list, const char *kernel)
{
	while (list->kernel && strcmp(list->kernel, kernel) != 0)
		list++;
	list->kernel = kernel;
	return list;
}

/* Kernels that read nothing of what they overwrite, or whose result seldom depends on one
 * element. */
static bool may_be_same(const struct tally *t)
{
	static const char *const kernels[] = { "tn_arg_f32", "tn_arg_int", "tn_fill",
		"tn_reduce_all", "tn_reduce_any" };

	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		if (strcmp(t->kernel, kernels[i]) == 0)
			return true;
	return false;
}

static void count_nearer(const char *target, const struct tally *list)
{
	for (; list->kernel; list++) {
		printf("# %s: %s: %zu of %zu differ one element nearer\n", target,
			list->kernel, list->differ, list->cases);
		ck_assert_msg(list->differ || may_be_same(list),
			"%s: none of %zu is another one element nearer", list->kernel,
			list->cases);
	}
}

/* One program with the cases of some ops. */
static size_t run_some(
	struct displaced *p, int board, const char *dir, struct tally *list)
{
	size_t n = p->cases.count, allowed = 0;
	struct displaced_run r;

	displaced_make(p, boards[board].set);
	displaced_run(p, &r, boards[board].target, dir);
	for (uint32_t i = 0; i < n; i++) {
		struct tally *t;

		if (p->cases.items[i].farther >= 0) {
			ck_assert_msg(!r.differs[i], "%s", displaced_words(p, i));
			allowed++;
			continue;
		}
		t = tally_of(list, displaced_kernel(p, i));
		t->cases++;
		t->differ += r.differs[i];
	}
	return allowed;
}

/* In several programs: a compiler takes more than twice the time for one of twice the length. */
static void run_all(
	const struct displaced *p, const struct tn_graph *g, int board, const char *dir)
{
	enum { OPS = 48, KERNELS = 1000 };
	struct tally *list = TN_NEW_ARRAY(p->arena, struct tally, KERNELS + 1);
	size_t allowed = 0;

	ck_assert(list != NULL);
	for (uint32_t begin = 0; begin < g->n_ops; begin += OPS) {
		const uint32_t end = g->n_ops - begin < OPS ? g->n_ops : begin + OPS;
		struct displaced some = { .arena = p->arena, .diags = p->diags };

		find_cases(&some, g, begin, end);
		if (some.cases.count)
			allowed += run_some(&some, board, dir, list);
	}
	printf("# %s: %zu variants with an input\n", boards[board].target, allowed);
	ck_assert_uint_gt(allowed, 100);
	count_nearer(boards[board].target, list);
}

START_TEST(contracts_hold)
{
	const bool net = boards[_i].layers;
	struct displaced p = { 0 };
	struct source s;
	const char *dir;

	if (!tn_test_has_tools("cortex-m4"))
		return;
	open_source(&s, _i);
	p.arena = net ? &s.net.arena : &s.file.arena;
	p.diags = net ? &s.net.diags : &s.file.diags;
	ck_assert_int_eq(tn_tempdir_make(p.arena, p.diags, &dir), TN_OK);
	run_all(&p, s.graph, _i, dir);
	tn_tempdir_remove(dir);
	close_source(&s, _i);
}
END_TEST

Suite *tn_test_suite(void)
{
	const int n = sizeof(boards) / sizeof(*boards);
	Suite *s = suite_create("displaced");
	TCase *tc = tcase_create("displaced");

	tcase_set_timeout(tc, 0); /* compilers run: the build system's limit is enough */
	tcase_add_loop_test(tc, contracts_hold, 0, n);
	suite_add_tcase(s, tc);
	return s;
}
