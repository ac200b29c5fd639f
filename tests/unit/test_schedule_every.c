/* Small graphs: --schedule search finds the least plan of all orders, whatever the offsets
 * and the copies that are left out make of an order. */
#include "suite.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "driver/pipeline.h"
#include "every_order.h"
#include "gen_part.h"
#include "ir/validate.h"

#define ORDERS_MAX 200 /* of a graph: with more it is passed over */

/* What the data alone demands: the ops behind those whose results they read. */
struct net {
	struct tn_schedule_problem problem;
	struct tn_schedule_op ops[OPS_MAX + 1];
	uint32_t preds[OPS_MAX * OPS_MAX];
};

static void find_preds(const struct tn_graph *g, struct net *net)
{
	uint32_t n = 0;

	memset(net, 0, sizeof(*net));
	for (uint32_t i = 0; i < g->n_ops; i++) {
		net->ops[i].first_pred = n;
		for (uint32_t k = 0; k < g->n_ops; k++) {
			bool reads = false;

			for (uint32_t a = 0; a < g->ops[i].n_inputs; a++)
				for (uint32_t b = 0; b < g->ops[k].n_outputs; b++)
					reads |= g->ops[i].inputs[a].i ==
						 g->ops[k].outputs[b].i;
			if (reads)
				net->preds[n++] = k;
		}
	}
	net->ops[g->n_ops].first_pred = n;
	net->problem.n_ops = g->n_ops;
	net->problem.ops = net->ops;
	net->problem.preds = net->preds;
}

static int64_t plan(struct tn_graph *g, enum tenure_schedule schedule, uint32_t seed)
{
	tenure_options options;
	struct tn_run run;
	int64_t bytes;

	tenure_options_init(&options);
	options.schedule = schedule;
	tn_run_init(&run, &options);
	run.graph = *g;
	ck_assert_msg(tn_pipeline_solve(&run) == TN_OK, "seed %u", seed);
	bytes = run.plan.activation_bytes;
	ck_assert_msg(run.plan.bound_bytes <= bytes, "seed %u", seed);
	tn_run_release(&run);
	return bytes;
}

START_TEST(least_of_all_orders)
{
	const struct tn_gen_options options = { .ops = 5, .runnable = true };
	uint32_t graphs = 0, orders = 0, better = 0;

	for (uint32_t i = 0; i < 60; i++) {
		uint32_t seed = 9000 * (uint32_t)_i + i;
		int64_t least = INT64_MAX, given, found;
		struct orders o = { 0 };
		struct tn_graph g;
		struct tn_gen gen;
		tn_op_id *schedule;
		struct net net;

		tn_gen_init(&gen, seed);
		tn_gen_graph(&gen, &options, &g);
		ck_assert_msg(tn_validate(&g, &gen.diags) == TN_OK, "seed %u", seed);
		if (g.n_ops <= OPS_MAX) {
			find_preds(&g, &net);
			o.p = &net.problem;
			while (o.count < ORDERS_MAX && next_order(&o))
				;
		}
		if (!o.count || o.count == ORDERS_MAX) {
			tn_gen_release(&gen);
			continue;
		}
		found = plan(&g, TENURE_SCHEDULE_SEARCH, seed);
		given = plan(&g, TENURE_SCHEDULE_GIVEN, seed);
		schedule = g.schedule;
		g.schedule = TN_NEW_ARRAY(&gen.arena, tn_op_id, g.n_ops);
		ck_assert_ptr_nonnull(g.schedule);
		o = (struct orders){ .p = &net.problem };
		while (next_order(&o)) {
			for (uint32_t k = 0; k < g.n_ops; k++)
				g.schedule[k].i = o.order[k];
			least = tn_min_i64(least, plan(&g, TENURE_SCHEDULE_GIVEN, seed));
		}
		g.schedule = schedule;
		ck_assert_msg(found == least,
			"seed %u: %lld bytes, of all orders %lld, as given %lld", seed,
			(long long)found, (long long)least, (long long)given);
		graphs++;
		orders += o.count;
		better += found < given;
		tn_gen_release(&gen);
	}
	printf("# %u graphs with %u orders; %u plans got smaller\n", graphs, orders,
		better);
	ck_assert_uint_gt(graphs, 20);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("schedule_every");
	TCase *tc = tcase_create("schedule_every");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, least_of_all_orders, 0, 4);
	suite_add_tcase(s, tc);
	return s;
}
