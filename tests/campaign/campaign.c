/* The verifier against real execution: plans of random graphs, those of the planner, random
 * ones and changed ones, are judged by the verifier and executed by the kernels, and every
 * activation, output, kept input and variable is compared with a run without sharing.
 *
 *   campaign [--pairs N] [--from SEED] [--state FILE] [--until-unsound]
 *            [--accepted-only] [--chains] [--show]
 *
 * N executed pairs in all (else $TENURE_PAIRS, else 20000). With a state file (else
 * $TENURE_PAIRS_STATE) a run goes on where the last one ended. Exit status 1: a plan was
 * accepted and ran differently, a plan of the planner was refused, or too little of some
 * kind was seen. With --accepted-only no refused plan is executed: a sanitizer would report
 * what a kernel does whose operands are destroyed under its feet. With --chains there are no
 * graphs but those with chains. --show prints graphs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chains.h"
#include "contract/contract.h"
#include "gen_chain.h"
#include "gen_graph.h"
#include "gen_plan.h"
#include "ir/print.h"
#include "ir/validate.h"
#include "own_plan.h"
#include "state.h"
#include "tally.h"
#include "trace.h"
#include "exec/exec.h"
#include "verify/verify.h"

#define PLANS_OF_A_GRAPH 60
#define SEED		 7 /* of the inputs */
#define OTHER_SEED	 1000 /* to tell luck */
#define OTHER_SEEDS	 3

struct campaign {
	struct tally tally;
	bool accepted_only, until_unsound, chains, show;
};

struct subject {
	uint32_t seed;
	struct tn_gen gen;
	struct net net; /* of a graph with chains */
	struct tn_graph g;
	struct trace right, other[OTHER_SEEDS]; /* the latter made when they are needed */
};

/* ---- one pair ---- */

static void note_graph(struct tally *t, const struct tn_graph *g)
{
	bool has[FEATURES] = { [HAS_FLOW] = g->n_subgraphs > 0 };

	for (uint32_t i = 0; i < g->n_tensors; i++) {
		uint32_t readers = 0;

		for (uint32_t k = 0; k < g->n_ops; k++)
			for (uint32_t n = 0; n < g->ops[k].n_inputs; n++)
				readers += g->ops[k].inputs[n].i == i;
		has[HAS_BRANCH] = has[HAS_BRANCH] ||
				  (readers > 1 && g->tensors[i].role != ROLE_CONST);
		has[HAS_VIEW] = has[HAS_VIEW] || g->tensors[i].view_of.i != TN_NONE;
		has[HAS_STATE] = has[HAS_STATE] || g->tensors[i].role == ROLE_VARIABLE;
		has[HAS_MUTATION] =
			has[HAS_MUTATION] ||
			(g->tensors[i].mutated && g->tensors[i].role != ROLE_VARIABLE);
	}
	for (uint32_t i = 0; i < g->n_ops; i++)
		has[HAS_TAIL] = has[HAS_TAIL] || tn_op_tail(&g->ops[i]);
	for (int i = 0; i < FEATURES; i++)
		t->features[i] += has[i];
	t->ops[g->n_ops < TALLY_OPS_MAX ? g->n_ops : TALLY_OPS_MAX - 1]++;
	t->graphs++;
}

/* Do an input and an output of the op share bytes? 2: not at the same offset. */
static int overlaps(
	const struct tn_graph *g, const struct tn_plan *plan, const struct tn_op *op)
{
	int most = 0;

	for (uint32_t i = 0; i < op->n_inputs; i++)
		for (uint32_t k = 0; k < op->n_outputs; k++) {
			const struct tn_plan_tensor *a, *b;
			int64_t offset;

			if (op->inputs[i].i == TN_NONE ||
				gen_plan_root(g, op->inputs[i].i, &offset) ==
					gen_plan_root(g, op->outputs[k].i, &offset))
				continue;
			a = &plan->tensors[op->inputs[i].i];
			b = &plan->tensors[op->outputs[k].i];
			if (a->region == b->region && a->region != TN_REGION_NONE &&
				a->offset < b->offset + tn_plan_tensor_room(b) &&
				b->offset < a->offset + tn_plan_tensor_room(a))
				most = a->offset != b->offset ? 2 : most ? most : 1;
		}
	return most;
}

/* Does the op write past the end of an output where another tensor is before it or after? */
static bool tail_meets(
	const struct tn_graph *g, const struct tn_plan *plan, const struct tn_op *op)
{
	bool meets = false;

	for (uint32_t k = 0; k < op->n_outputs; k++)
		for (uint32_t i = 0; i < g->n_tensors && tn_op_tail(op); i++) {
			const struct tn_plan_tensor *a = &plan->tensors[op->outputs[k].i];
			const struct tn_plan_tensor *b = &plan->tensors[i];
			const int64_t end = a->offset + a->bytes;

			meets = meets ||
				(a->region == b->region && b->bytes &&
					b->offset < end + tn_op_tail(op) &&
					end < b->offset + tn_plan_tensor_room(b));
		}
	return meets;
}

static void note_accepted(struct tally *t, const struct tn_graph *g,
	const struct tn_plan *plan, const struct tn_verdict *verdict)
{
	bool elided = false, first = false, second = false, ring = false, fed = false;
	bool tail = false;
	int most = 0;

	for (uint32_t i = 0; i < g->n_ops; i++) {
		int how = plan->ops[i].elided ? 0 : overlaps(g, plan, &g->ops[i]);

		most = how > most ? how : most;
		elided = elided || plan->ops[i].elided;
		tail = tail || (!plan->ops[i].elided && tail_meets(g, plan, &g->ops[i]));
	}
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		first = first || plan->tensors[i].region == 0;
		second = second || plan->tensors[i].region == 1;
		ring = ring || plan->tensors[i].ring_bytes;
	}
	for (uint32_t i = 0; i < plan->n_streams; i++)
		fed = fed || plan->streams[i].fed;
	t->overlapping += most > 0;
	t->partly += most > 1;
	t->elided += elided;
	t->tails += tail;
	t->regions += first && second;
	t->streamed += plan->n_streams > 0;
	t->rings += ring;
	t->fed += fed;
	t->replayed += verdict->replayed > 0;
}

static void note_rules(struct tally *t, const struct tn_diags *diags)
{
	bool seen[TALLY_RULES] = { false };

	for (size_t i = 0; i < diags->list.count; i++)
		seen[tally_rule(diags->list.items[i].rule)] = true;
	for (int i = 0; i < TALLY_RULES; i++)
		t->rules[i] += seen[i];
}

/* Does a plan that ran equal differ for other inputs? */
static bool is_lucky(
	struct subject *s, const struct tn_plan *plan, struct tn_arena *arena)
{
	for (uint32_t i = 0; i < OTHER_SEEDS; i++) {
		uint32_t seed = OTHER_SEED + 2 * i;
		struct trace t = { 0 };

		if (!s->other[i].g)
			(void)trace_run(&s->g, NULL, TN_POISON_NONE, seed, &s->gen.arena,
				&s->other[i]);
		if (!trace_run(&s->g, plan, 0x3c, seed, arena, &t) ||
			!trace_same(&t, &s->other[i]))
			return true;
	}
	return false;
}

/* Why does a refused plan run equal? */
static enum reason explain(struct subject *s, const struct tn_plan *plan,
	const struct tn_verdict *v, struct tn_arena *arena)
{
	static const char *const bytes[] = { "plan/overlap", "plan/lost-value",
		"plan/elided", "plan/scratch-overlap", "plan/input-lost",
		"plan/output-lost", "plan/observed-lost", "plan/variable-lost" };
	struct tn_variant list[TN_VARIANTS_MAX];
	struct trace_probe probe = { v->op, v->region, v->place, v->end - v->begin,
		NULL };
	struct trace t = { .probe = &probe };
	const uint8_t *want = NULL;
	bool of_bytes = false;

	for (size_t i = 0; i < sizeof(bytes) / sizeof(*bytes); i++)
		of_bytes = of_bytes || strcmp(v->rule, bytes[i]) == 0;
	if (strcmp(v->rule, "plan/order") == 0 || strcmp(v->rule, "plan/stream") == 0)
		return REASON_ORDER;
	if (strcmp(v->rule, "plan/output-shared") == 0)
		return REASON_SHARED;
	if (!of_bytes)
		return REASON_LAYOUT;
	if (v->op != TN_NONE && strcmp(v->rule, "plan/overlap") == 0 &&
		!tn_contract_variants(&s->g, (tn_op_id){ v->op }, list))
		return REASON_OPAQUE;
	if (v->expected.kind == SEEN_GIVEN || v->expected.kind == SEEN_WRITTEN)
		want = s->right.value[v->expected.tensor];
	probe.bytes = tn_arena_alloc(arena, (size_t)probe.len);
	if (!want || !probe.len || !probe.bytes || v->expected.begin < 0 ||
		v->found.op == v->op ||
		!trace_run(&s->g, plan, TN_POISON_NONE, SEED, arena, &t))
		return REASON_NO_EFFECT;
	return memcmp(probe.bytes, want + v->expected.begin, (size_t)probe.len) == 0
		       ? REASON_SAME_BYTES
		       : REASON_NO_EFFECT;
}

static void show_events(const struct subject *s, const struct tn_plan_stream *chain)
{
	printf("  chain of %u from %u%s:", chain->n, chain->first,
		chain->descending ? ", descending" : "");
	for (uint32_t k = 0; k < chain->n_loops; k++) {
		const struct tn_plan_loop *l = &chain->loops[k];

		printf(" %" PRId64 " times", l->times);
		for (uint32_t i = 0; i < l->n_events; i++)
			printf(" %s %" PRId64 "+%" PRId64,
				l->events[i].op == TN_PLAN_CALLER
					? "caller"
					: s->g.ops[l->events[i].op].name,
				l->events[i].y, l->events[i].rows);
	}
	printf("\n");
}

static void show_plan(const struct subject *s, const struct tn_plan *plan)
{
	for (uint32_t i = 0; i < plan->n_tensors; i++)
		if (plan->tensors[i].region != TN_REGION_NONE)
			printf("  %s: region %u, %" PRId64 " + %" PRId64 ", ring %" PRId64
			       "\n",
				s->g.tensors[i].name, plan->tensors[i].region,
				plan->tensors[i].offset, plan->tensors[i].bytes,
				plan->tensors[i].ring_bytes);
	for (uint32_t i = 0; i < plan->n_ops; i++) {
		const struct tn_plan_op *p = &plan->ops[plan->order[i]];

		printf("  %s:%s%s hold %u, scratch %" PRId64 " + %" PRId64 "\n",
			s->g.ops[plan->order[i]].name, p->elided ? " elided" : "",
			p->descending ? " descending" : "", p->hold, p->scratch_offset,
			p->scratch_bytes);
	}
	for (uint32_t i = 0; i < plan->n_streams; i++)
		show_events(s, &plan->streams[i]);
}

static enum outcome judge(struct campaign *c, struct subject *s,
	const struct tn_plan *plan, enum source source)
{
	struct tn_arena arena;
	struct tn_diags diags;
	struct tn_verdict verdict;
	struct trace t = { 0 };
	enum tn_status status;
	bool equal = true, ran = true;
	enum outcome o;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	status = tn_verify(&s->g, plan, &arena, &diags, &verdict);
	if (status != TN_OK && status != TN_ERR_REFUSED) {
		fprintf(stderr, "seed %u: the verifier fails with %d\n", s->seed, status);
		exit(3);
	}
	for (int i = 0; i < 2 && equal; i++) {
		ran = (status == TN_OK || !c->accepted_only) &&
		      trace_run(&s->g, plan, i ? 0x55 : 0xaa, SEED, &arena, &t);
		equal = ran && trace_same(&t, &s->right);
	}
	if (status == TN_OK)
		o = equal ? ACCEPTED_EQUAL : ACCEPTED_DIFFERENT;
	else if (!ran)
		o = REFUSED_UNRUN;
	else if (!equal)
		o = REFUSED_DIFFERENT;
	else
		o = is_lucky(s, plan, &arena) ? REFUSED_LUCKY : REFUSED_EQUAL;
	c->tally.outcome[source][o]++;
	if (o != REFUSED_UNRUN)
		for (uint32_t i = 0; i < s->g.n_ops; i++)
			c->tally.kinds[s->g.ops[i].kind]++;
	if (o == ACCEPTED_EQUAL)
		note_accepted(&c->tally, &s->g, plan, &verdict);
	if (status != TN_OK)
		note_rules(&c->tally, &diags);
	if (o == REFUSED_EQUAL) {
		c->tally.equal_by_rule[tally_rule(verdict.rule)]++;
		c->tally.reasons[explain(s, plan, &verdict, &arena)]++;
	}
	if (o == ACCEPTED_DIFFERENT && !c->until_unsound)
		printf("seed %u: accepted and different\n", s->seed);
	if (o == ACCEPTED_DIFFERENT && c->show)
		show_plan(s, plan);
	if ((source == SOURCE_OURS || source == SOURCE_STREAMED) && status != TN_OK) {
		c->tally.ours_refused++;
		if (!c->until_unsound)
			printf("seed %u: a plan of the planner is refused: %s, %s\n",
				s->seed, verdict.rule, diags.list.items[0].message);
		if (c->show)
			show_plan(s, plan);
	}
	tn_arena_release(&arena);
	return o;
}

/* ---- one graph ---- */

static void show(struct subject *s)
{
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	tn_graph_print(&s->g, &text);
	printf("%s", text.text ? text.text : "");
	tn_strbuf_release(&text);
}

static void begin_chain(struct subject *s)
{
	gen_chain(&s->net, s->seed);
	s->g = s->net.graph;
}

static void begin_any(struct subject *s)
{
	const uint32_t seed = s->seed;

	const struct tn_gen_options options = { .ops = 5 + seed % 20,
		.runnable = true,
		.types = seed % 4 != 3,
		.views = seed % 3 == 1 || seed % 11 == 0,
		.state = seed % 5 == 2,
		.mutation = seed % 7 == 3 || seed % 11 == 0,
		.flow = seed % 6 == 5,
		.tails = seed % 9 == 1,
		.orders = seed % 9 == 4,
		.scratch = seed % 9 == 7,
		.copies = seed % 4 == 0 };

	tn_gen_graph(&s->gen, &options, &s->g);
	if (tn_validate(&s->g, &s->gen.diags) != TN_OK) {
		fprintf(stderr, "seed %u: the graph is not valid: %s\n", seed,
			s->gen.diags.list.items[s->gen.diags.list.count - 1].message);
		exit(3);
	}
}

/* Every eighth graph is a net of ops that run row by row. */
static bool has_chains(uint32_t seed)
{
	return seed % 8 == 6;
}

static void begin(struct campaign *c, struct subject *s, uint32_t seed)
{
	memset(s, 0, sizeof(*s));
	s->seed = seed;
	tn_gen_init(&s->gen, seed);
	if (has_chains(seed))
		begin_chain(s);
	else
		begin_any(s);
	c->tally.features[HAS_CHAIN] += has_chains(seed);
	if (c->show)
		show(s);
	s->right.keep_values = true;
	(void)trace_run(&s->g, NULL, TN_POISON_NONE, SEED, &s->gen.arena, &s->right);
	note_graph(&c->tally, &s->g);
}

/* Plans of ours, in the order of the modes, then one over two memories, then one by first
 * fit. */
enum { IN_TWO = OVERLAP_FULL + 1, FIRST_FIT, BASES };

static void make_bases(struct campaign *c, struct subject *s, struct tn_plan base[BASES])
{
	gen_plan(&s->gen, &s->g, &base[FIRST_FIT]);
	(void)judge(c, s, &base[FIRST_FIT], SOURCE_FIRST_FIT);
	for (int i = OVERLAP_NONE; i <= IN_TWO; i++) {
		int64_t fast = 16 * (int64_t)tn_gen_random(&s->gen, 40);

		if (i == IN_TWO ? own_plan_in_two(&s->g, fast, &s->gen.arena, &base[i])
				: own_plan(&s->g, (enum tn_overlap_mode)i, &s->gen.arena,
					  &base[i])) {
			(void)judge(c, s, &base[i], SOURCE_OURS);
			continue;
		}
		base[i] = base[FIRST_FIT];
		if (i == IN_TWO) {
			c->tally.unplanned_in_two++;
			continue;
		}
		c->tally.unplanned++;
		printf("seed %u: the planner has no plan\n", s->seed);
	}
}

/* Some plans with chains, and changes of them. */
static void judge_chains(struct campaign *c, struct subject *s)
{
	struct tn_plan base, plan;

	for (uint32_t i = BASES; i < PLANS_OF_A_GRAPH; i++) {
		if (i % 6 == BASES % 6) {
			chains_plan(&s->net, &s->gen, s->seed / 8 % 3 == 0, &base);
			(void)judge(c, s, &base, SOURCE_STREAMED);
			continue;
		}
		chains_copy(&s->gen, &base, &plan);
		chains_change(&s->gen, &s->g, &plan);
		if (i % 3 == 0)
			chains_change(&s->gen, &s->g, &plan);
		c->tally.of_ours++;
		(void)judge(c, s, &plan, SOURCE_CHAIN);
	}
}

static void judge_mutants(struct campaign *c, struct subject *s)
{
	/* what cannot be executed, or is refused nearly always, more seldom */
	static const uint8_t often[MUTANTS] = { 4, 2, 3, 6, 14, 6, 3, 2, 5, 2, 1, 2 };
	struct tn_plan base[BASES], plan;
	uint32_t all = 0;

	for (int i = 0; i < MUTANTS; i++)
		all += often[i];
	make_bases(c, s, base);
	for (uint32_t i = BASES; i < PLANS_OF_A_GRAPH; i++) {
		uint32_t which = i % 2 ? OVERLAP_FULL : tn_gen_random(&s->gen, BASES);
		uint32_t how = 0, at = tn_gen_random(&s->gen, all);

		while (at >= often[how])
			at -= often[how++];
		gen_plan_copy(&s->gen, &base[which], &plan);
		gen_plan_mutate(&s->gen, &s->g, &plan, (enum gen_mutant)how);
		if (i % 3 == 0 && how < MUTANT_SHRINK)
			gen_plan_mutate(&s->gen, &s->g, &plan,
				(enum gen_mutant)tn_gen_random(&s->gen, MUTANT_SHRINK));
		c->tally.of_ours += which != FIRST_FIT;
		(void)judge(c, s, &plan, (enum source)how);
	}
}

static void run_seed(struct campaign *c, uint32_t seed)
{
	static struct subject s;

	if (c->chains && !has_chains(seed))
		return;
	begin(c, &s, seed);
	if (has_chains(seed)) {
		judge_chains(c, &s);
		net_release(&s.net);
	} else {
		judge_mutants(c, &s);
	}
	tn_gen_release(&s.gen);
}

int main(int argc, char **argv)
{
	static struct campaign c;
	uint64_t *numbers = (uint64_t *)&c.tally, pairs;
	const size_t n = sizeof(c.tally) / sizeof(*numbers);
	const char *state = getenv("TENURE_PAIRS_STATE");

	pairs = state_variable("TENURE_PAIRS", 20000);
	for (int i = 1; i < argc; i++) {
		bool value = i + 1 < argc;

		if (strcmp(argv[i], "--until-unsound") == 0)
			c.until_unsound = true;
		else if (strcmp(argv[i], "--accepted-only") == 0)
			c.accepted_only = true;
		else if (strcmp(argv[i], "--chains") == 0)
			c.chains = true;
		else if (strcmp(argv[i], "--show") == 0)
			c.show = true;
		else if (value && strcmp(argv[i], "--pairs") == 0)
			pairs = state_number(argv[++i]);
		else if (value && strcmp(argv[i], "--from") == 0)
			c.tally.next_seed = state_number(argv[++i]);
		else if (value && strcmp(argv[i], "--state") == 0)
			state = argv[++i];
		else
			return fprintf(stderr, "usage: campaign [--pairs N] [--from SEED]"
					       " [--state FILE] [--until-unsound] "
					       "[--accepted-only] [--chains] [--show]\n"),
			       2;
	}
	(void)state_load(state, "campaign", numbers, n);
	while (tally_pairs(&c.tally) < pairs) {
		run_seed(&c, (uint32_t)c.tally.next_seed++);
		if (c.tally.next_seed % 200 == 0)
			state_save(state, "campaign", numbers, n);
		if (c.until_unsound && tally_unsound(&c.tally))
			return printf("unsound at seed %" PRIu64 ", after %" PRIu64
				      " pairs\n",
				       c.tally.next_seed - 1, tally_pairs(&c.tally)),
			       1;
	}
	state_save(state, "campaign", numbers, n);
	return tally_report(&c.tally) ? 0 : 1;
}
