/* Chains: random small ones run as the ops do one by one, and the verifier accepts them;
 * damaged ones are refused, or run the same all the same. */
#include "suite.h"

#include <stdio.h>
#include <string.h>

#include "base/fnv.h"
#include "chain_plan.h"
#include "exec/exec.h"
#include "gen_chain.h"
#include "loaded.h"
#include "lower/lower.h"
#include "net.h"
#include "verify/verify.h"

static void keep_digest(void *user, const struct tn_exec_layer *layer)
{
	uint64_t *sum = user;

	*sum = tn_fnv_u64(*sum, tn_fnv(TN_FNV_INIT, layer->bytes, layer->size));
}

/* All layers of a run with poison, together; false when the plan cannot be run. */
static bool digest_of(
	struct net *n, const struct tn_plan *plan, int poison, uint64_t *out)
{
	struct tn_exec *e;

	*out = TN_FNV_INIT;
	if (tn_exec_new(&n->graph, plan, &n->arena, &n->diags, &e) != TN_OK)
		return false;
	tn_exec_poison(e, poison);
	tn_exec_seed(e, 1);
	return tn_exec_run(e, keep_digest, out) == TN_OK;
}

static bool accepted(struct net *n, const struct tn_plan *plan, struct tn_verdict *v)
{
	struct tn_arena scratch;
	enum tn_status status;

	tn_arena_init(&scratch);
	status = tn_verify(&n->graph, plan, &scratch, &n->diags, v);
	tn_arena_release(&scratch);
	ck_assert_msg(status == TN_OK || status == TN_ERR_REFUSED, "%s", net_report(n));
	return status == TN_OK;
}

/* ---- mutants ---- */

struct counts {
	int refused, equal;
};

/* Refused, or equal under two patterns of poison. */
static void judge(struct net *n, const struct tn_plan *mutant, uint64_t want,
	const char *what, uint32_t seed, struct counts *c)
{
	struct tn_verdict v;
	uint64_t got;

	if (!accepted(n, mutant, &v)) {
		ck_assert_msg(v.rule, "net %u: %s", seed, what);
		c->refused++;
		return;
	}
	c->equal++;
	for (int poison = 0x5a; poison <= 0xa5; poison += 0x4b) {
		ck_assert_msg(digest_of(n, mutant, poison, &got), "net %u: %s: %s", seed,
			what, net_report(n));
		ck_assert_msg(
			got == want, "net %u: %s is accepted and runs wrong", seed, what);
	}
}

static struct tn_plan copy_of(struct net *n, const struct tn_plan *p)
{
	struct tn_plan c = *p;

	c.tensors = TN_NEW_ARRAY(&n->arena, struct tn_plan_tensor, p->n_tensors);
	memcpy(c.tensors, p->tensors, p->n_tensors * sizeof(*c.tensors));
	return c;
}

/* One loop, once: events can be swapped in it. */
static struct tn_plan_stream unrolled(struct net *n, const struct tn_plan_stream *s)
{
	struct tn_plan_stream out = *s;
	int64_t count = 0;

	for (uint32_t i = 0; i < s->n_loops; i++)
		count += s->loops[i].times * s->loops[i].n_events;
	out.loops = TN_NEW(&n->arena, struct tn_plan_loop);
	out.n_loops = 1;
	out.loops->times = 1;
	out.loops->events = TN_NEW_ARRAY(&n->arena, struct tn_plan_event, (size_t)count);
	for (uint32_t i = 0; i < s->n_loops; i++)
		for (int64_t t = 0; t < s->loops[i].times; t++)
			for (uint32_t k = 0; k < s->loops[i].n_events; k++) {
				struct tn_plan_event e = s->loops[i].events[k];

				e.y += t * e.step;
				e.step = 0;
				out.loops->events[out.loops->n_events++] = e;
			}
	return out;
}

static void shorten_rings(struct net *n, const struct tn_plan *plan, uint64_t want,
	uint32_t seed, struct counts *c)
{
	for (uint32_t i = 0; i < plan->n_tensors; i++) {
		const struct tn_tensor *t = &n->graph.tensors[i];
		struct tn_plan mutant = copy_of(n, plan);
		struct tn_plan_tensor *p = &mutant.tensors[i];
		int64_t row;

		if (p->region == TN_REGION_NONE || t->shape.rank != 4)
			continue;
		row = t->bytes / t->shape.dim[1];
		p->ring_bytes = (p->ring_bytes ? p->ring_bytes : t->bytes) - row;
		if (plan->tensors[i].ring_bytes && p->ring_bytes > 0)
			judge(n, &mutant, want, "a ring is one row too short", seed, c);
	}
}

/* Alone at the end of the memory, and large enough: kernels find rows by their number, so
 * whole rows it must be. */
static void uneven_rings(struct net *n, const struct tn_plan *plan, uint64_t want,
	uint32_t seed, struct counts *c)
{
	for (uint32_t i = 0; i < plan->n_tensors; i++) {
		const struct tn_tensor *t = &n->graph.tensors[i];
		struct tn_plan mutant = copy_of(n, plan);
		struct tn_plan_region region = plan->regions[0];
		struct tn_plan_tensor *p = &mutant.tensors[i];
		const int64_t width = tn_dtype_bits(t->dtype) / 8;

		if (!p->ring_bytes || p->ring_bytes + width >= t->bytes ||
			t->bytes / t->shape.dim[1] == width)
			continue;
		p->ring_bytes += width;
		p->offset = (region.used + 15) / 16 * 16;
		region.used = p->offset + p->ring_bytes;
		mutant.arena_bytes = region.used;
		mutant.regions = &region;
		judge(n, &mutant, want, "a ring is no number of rows", seed, c);
	}
}

static void swap_events(struct net *n, const struct tn_plan *plan, uint64_t want,
	uint32_t seed, struct counts *c)
{
	struct tn_plan mutant = *plan;
	struct tn_plan_stream s = unrolled(n, &plan->streams[0]);
	struct tn_plan_event *e = s.loops->events;

	mutant.streams = &s;
	for (uint32_t i = 0; i + 1 < s.loops->n_events; i++) {
		struct tn_plan_event kept = e[i];

		e[i] = e[i + 1];
		e[i + 1] = kept;
		judge(n, &mutant, want, "two events are swapped", seed, c);
		e[i + 1] = e[i];
		e[i] = kept;
	}
}

/* Moves the chain's output by a few elements; at the least distance one is too many. */
static void move_output(struct net *n, const struct tn_plan *plan, uint64_t want,
	uint32_t seed, struct counts *c)
{
	const struct tn_plan_stream *s = &plan->streams[0];
	const uint32_t last = plan->order[s->first + s->n - 1];
	const uint32_t out = n->graph.ops[last].outputs[0].i;
	const int64_t width = tn_dtype_bits(n->graph.tensors[out].dtype) / 8;

	for (int64_t by = -3; by <= 3; by++) {
		struct tn_plan mutant = copy_of(n, plan);
		struct tn_plan_region region = plan->regions[0];

		mutant.tensors[out].offset += by * width;
		region.used += 64;
		mutant.arena_bytes += 64;
		mutant.regions = &region;
		if (by && mutant.tensors[out].offset >= 0)
			judge(n, &mutant, want, "the output is moved", seed, c);
	}
}

START_TEST(random_chains)
{
	struct counts rings = { 0, 0 }, uneven = { 0, 0 }, orders = { 0, 0 },
		      moves = { 0, 0 };
	int chains = 0, down = 0;

	for (uint32_t seed = 40 * (uint32_t)_i; seed < 40 * (uint32_t)(_i + 1); seed++) {
		struct net m;
		struct chain_tables t;
		uint64_t want, got;

		gen_chain(&m, seed);
		chain_analyse(&m, &t);
		ck_assert_msg(
			digest_of(&m, NULL, TN_POISON_NONE, &want), "%s", net_report(&m));
		for (uint32_t first = 0; first + 1 < m.graph.n_ops; first++) {
			for (uint32_t n = 2; first + n <= m.graph.n_ops; n++) {
				const struct tn_stream_pick pick = { first, n };
				static struct tn_chain chain;
				struct tn_verdict v;
				struct tn_plan plan;

				if (!tn_chain_of(&t.view, first, n, &chain))
					continue;
				chain_plan(&m, &t, pick, CHAIN_ANY, &plan);
				chains++;
				down += plan.streams[0].descending;
				ck_assert_msg(accepted(&m, &plan, &v),
					"net %u, %u + %u: %s", seed, first, n,
					net_report(&m));
				ck_assert_msg(digest_of(&m, &plan, 0xa5, &got),
					"net %u, %u + %u: %s", seed, first, n,
					net_report(&m));
				ck_assert_msg(got == want, "net %u, chain %u + %u", seed,
					first, n);
				shorten_rings(&m, &plan, want, seed, &rings);
				uneven_rings(&m, &plan, want, seed, &uneven);
				if (n == m.graph.n_ops || n == 3)
					swap_events(&m, &plan, want, seed, &orders);
				move_output(&m, &plan, want, seed, &moves);
			}
		}
		net_release(&m);
	}
	printf("# %d chains, %d downwards; refused and equal: rings %d %d, orders %d %d, "
	       "moves %d %d\n",
		chains, down, rings.refused, rings.equal, orders.refused, orders.equal,
		moves.refused, moves.equal);
	ck_assert_int_gt(chains, 20);
	ck_assert_int_gt(rings.refused, 0);
	ck_assert_int_gt(uneven.refused, 0);
	ck_assert_int_eq(uneven.equal, 0);
	ck_assert_int_gt(orders.refused, 0);
	ck_assert_int_gt(moves.refused, 0);
}
END_TEST

/* ---- the figures of real nets ---- */

static const struct figure {
	const char *file;
	int64_t bytes; /* at alignment 16, inputs held */
} figures[] = {
	{ "models/vww_96_int8.tflite", 27744 },
	{ "models/pretrainedResnet_quant.tflite", 15616 },
	{ "models/kws_ref_model.tflite", 6192 },
	{ "graphs/mobilenetv2_0.35_144.json", 66816 },
	{ "graphs/mcunet_320kb_imagenet_176_b1_b12.json", 98560 },
	{ "graphs/mobilenetv2_1.0_224.json", 204288 },
	{ "graphs/mobilenetv1_1.0_224.json", 240128 },
	{ "graphs/mobilenetv1_0.25_224x224x3.json", 150752 },
};

START_TEST(known_figure)
{
	const char *file = tn_test_shared(figures[_i].file);
	struct loaded l;
	struct net n;
	struct tn_verdict v;

	if (!file)
		return;
	net_start(&n);
	loaded_file(&l, file, NULL);
	loaded_ok(&l, file);
	n.graph = l.graph;
	chain_best(&n, 16, &n.plan);
	ck_assert_msg(n.plan.activation_bytes <= figures[_i].bytes, "%s: %lld bytes",
		figures[_i].file, (long long)n.plan.activation_bytes);
	ck_assert_msg(accepted(&n, &n.plan, &v), "%s", net_report(&n));
	net_release(&n);
	loaded_release(&l);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("stream");
	TCase *c = tcase_create("stream");

	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, random_chains, 0, 4);
	tcase_add_loop_test(
		c, known_figure, 0, (int)(sizeof(figures) / sizeof(*figures)));
	suite_add_tcase(s, c);
	return s;
}
