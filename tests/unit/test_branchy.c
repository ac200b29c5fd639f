/* Nets with branches: what another order of their ops saves, to the byte, and that it
 * changes no value. */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fnv.h"
#include "exec/exec.h"
#include "import/plan_json.h"
#include "loaded.h"
#include "tenure/tenure.h"
#include "verify/verify.h"

static const struct {
	const char *name;
	int64_t given, searched; /* activation_bytes */
	int64_t bound; /* of all orders */
} nets[] = {
	{ "inception", 17552, 8448, 8448 },
	{ "shuffle", 11520, 8064, 8064 },
	{ "randwire", 8064, 5984, 5872 },
};

#define N_NETS (int)(sizeof(nets) / sizeof(*nets))

struct net {
	struct loaded l;
	char path[512];
	struct tn_source source; /* of the plan */
	struct tn_plan plan;
};

/* Plans as the command does, and reads the plan back. */
static void plan_net(struct net *n, const char *name, enum tenure_schedule schedule)
{
	tenure_options options;
	char file[64], *text;
	size_t len;

	snprintf(file, sizeof(file), "fixtures/branchy/%s.json", name);
	snprintf(n->path, sizeof(n->path), "%s", tn_test_path(file));
	loaded_file(&n->l, n->path, NULL);
	loaded_ok(&n->l, name);
	tenure_options_init(&options);
	options.json = 1;
	options.rewrite = "none";
	options.schedule = schedule;
	options.out = tmpfile();
	ck_assert_ptr_nonnull(options.out);
	ck_assert_int_eq(tenure_plan(&options, n->path), TENURE_OK);
	len = (size_t)ftell(options.out);
	rewind(options.out);
	text = tn_arena_alloc(&n->l.run, len + 1);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(fread(text, 1, len, options.out), len);
	fclose(options.out);
	n->source = (struct tn_source){
		.name = "plan", .text = text, .len = len, .is_text = true
	};
	ck_assert_msg(tn_import_plan_json(&n->l.graph, &n->source, NULL, &n->l.run,
			      &n->l.strings, &n->l.diags, &n->plan) == TN_OK,
		"%s: %s", name, loaded_report(&n->l));
}

static void same_bytes(void *user, const struct tn_exec_layer *layer)
{
	uint64_t *digests = user;

	digests[layer->tensor.i] = tn_fnv(TN_FNV_INIT, layer->bytes, layer->size);
}

/* Digest of every activation, by tensor. */
static uint64_t *run_net(struct net *n, const struct tn_plan *plan)
{
	uint64_t *digests = TN_NEW_ARRAY(&n->l.run, uint64_t, n->l.graph.n_tensors);
	struct tn_exec *e;

	ck_assert_ptr_nonnull(digests);
	ck_assert_int_eq(
		tn_exec_new(&n->l.graph, plan, &n->l.run, &n->l.diags, &e), TN_OK);
	tn_exec_seed(e, 7);
	tn_exec_poison(e, plan ? 0xA5 : TN_POISON_NONE);
	ck_assert_int_eq(tn_exec_run(e, same_bytes, digests), TN_OK);
	return digests;
}

START_TEST(the_order_saves_bytes)
{
	const char *name = nets[_i].name;
	struct net given, found;
	struct tn_verdict verdict;
	uint64_t *want, *got;

	plan_net(&given, name, TENURE_SCHEDULE_GIVEN);
	plan_net(&found, name, TENURE_SCHEDULE_SEARCH);
	ck_assert_msg(given.plan.activation_bytes == nets[_i].given &&
			      !given.plan.schedule.searched,
		"%s: %lld as given", name, (long long)given.plan.activation_bytes);
	ck_assert_msg(found.plan.activation_bytes == nets[_i].searched, "%s: %lld found",
		name, (long long)found.plan.activation_bytes);
	ck_assert_msg(found.plan.schedule.searched &&
			      found.plan.schedule.given_bytes == nets[_i].given &&
			      found.plan.schedule.bound_bytes == nets[_i].bound &&
			      found.plan.schedule.optimal ==
				      (nets[_i].searched == nets[_i].bound),
		"%s: bound %lld", name, (long long)found.plan.schedule.bound_bytes);
	ck_assert_msg(memcmp(found.plan.order, given.plan.order,
			      found.plan.n_ops * sizeof(*found.plan.order)) != 0,
		"%s: the order is the same", name);
	ck_assert_msg(tn_verify(&found.l.graph, &found.plan, &found.l.run, &found.l.diags,
			      &verdict) == TN_OK,
		"%s: %s", name, loaded_report(&found.l));
	for (uint32_t i = 0; i < found.l.graph.n_ops; i++) {
		enum tn_op_kind kind = found.l.graph.ops[i].kind;

		ck_assert_msg(found.plan.ops[i].elided ||
				      (kind != OP_CONCATENATION && kind != OP_SPLIT &&
					      kind != OP_STRIDED_SLICE),
			"%s: '%s' copies", name, found.l.graph.ops[i].name);
	}
	want = run_net(&found, NULL);
	got = run_net(&found, &found.plan);
	for (uint32_t i = 0; i < found.l.graph.n_tensors; i++)
		ck_assert_msg(got[i] == want[i], "%s: '%s' has other values", name,
			found.l.graph.tensors[i].name);
	loaded_release(&given.l);
	loaded_release(&found.l);
}
END_TEST

/* The searched order through emitted C, compilers and fill patterns. */
START_TEST(the_order_is_emitted)
{
	tenure_options options;

	tenure_options_init(&options);
	options.schedule = TENURE_SCHEDULE_SEARCH;
	options.out = tmpfile();
	ck_assert_ptr_nonnull(options.out);
	ck_assert_int_eq(
		tenure_validate(&options, tn_test_path("fixtures/branchy/shuffle.json")),
		TENURE_OK);
	fclose(options.out);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("branchy");
	TCase *tc = tcase_create("branchy");

	tcase_set_timeout(tc, 250);
	tcase_add_loop_test(tc, the_order_saves_bytes, 0, N_NETS);
	tcase_add_test(tc, the_order_is_emitted);
	suite_add_tcase(s, tc);
	return s;
}
