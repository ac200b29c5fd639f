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

struct digests {
	uint64_t layers, outputs; /* together */
};

/* Of a run with poison; false when the plan cannot be run. */
static bool digest_of(
	struct net *n, const struct tn_plan *plan, int poison, struct digests *out)
{
	struct tn_exec *e;

	*out = (struct digests){ TN_FNV_INIT, TN_FNV_INIT };
	if (tn_exec_new(&n->graph, plan, &n->arena, &n->diags, &e) != TN_OK)
		return false;
	tn_exec_poison(e, poison);
	tn_exec_seed(e, 1);
	if (tn_exec_run(e, keep_digest, &out->layers) != TN_OK)
		return false;
	for (uint32_t k = 0; k < n->graph.n_outputs; k++) {
		size_t size;
		const uint8_t *bytes = tn_exec_bytes(e, n->graph.outputs[k], &size);

		out->outputs = tn_fnv_u64(out->outputs, tn_fnv(TN_FNV_INIT, bytes, size));
	}
	return true;
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

/* Refused, or equal under two patterns of poison: the outputs, for a layer may have elements
 * that nobody reads. */
static void judge(struct net *n, const struct tn_plan *mutant, uint64_t want,
	const char *what, uint32_t seed, struct counts *c)
{
	struct tn_verdict v;
	struct digests got;

	if (!accepted(n, mutant, &v)) {
		ck_assert_msg(v.rule, "net %u: %s", seed, what);
		c->refused++;
		return;
	}
	c->equal++;
	for (int poison = 0x5a; poison <= 0xa5; poison += 0x4b) {
		ck_assert_msg(digest_of(n, mutant, poison, &got), "net %u: %s: %s", seed,
			what, net_report(n));
		ck_assert_msg(got.outputs == want,
			"net %u: %s is accepted and runs wrong", seed, what);
	}
}

static struct tn_plan copy_of(struct net *n, const struct tn_plan *p)
{
	struct tn_plan c = *p;

	c.tensors = TN_NEW_ARRAY(&n->arena, struct tn_plan_tensor, p->n_tensors);
	memcpy(c.tensors, p->tensors, p->n_tensors * sizeof(*c.tensors));
	return c;
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
	struct tn_plan_stream s = chain_unrolled(&n->arena, &plan->streams[0]);
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

struct tally {
	struct counts rings, uneven, orders, moves;
	int chains, down, fed;
};

/* All chains of a net; with `fed`, those that the caller gives the input's rows. */
static void check_chains(struct net *n, uint32_t seed, bool fed, struct tally *y)
{
	static struct tn_chain chain;
	struct chain_tables t;
	struct digests want, got;

	chain_analyse(n, fed, &t);
	ck_assert_msg(digest_of(n, NULL, TN_POISON_NONE, &want), "%s", net_report(n));
	for (uint32_t first = 0; first < n->graph.n_ops; first++) {
		for (uint32_t ops = 1; first + ops <= n->graph.n_ops; ops++) {
			const struct tn_stream_pick pick = { first, ops };
			struct tn_verdict v;
			struct tn_plan plan;

			if (!tn_chain_of(&t.view, first, ops, &chain) || chain.fed != fed)
				continue;
			chain_plan(n, &t, pick, CHAIN_ANY, &plan);
			y->chains++;
			y->down += plan.streams[0].descending;
			y->fed += plan.streams[0].fed;
			ck_assert(plan.streams[0].fed == fed);
			ck_assert_msg(accepted(n, &plan, &v), "net %u, %u + %u: %s", seed,
				first, ops, net_report(n));
			ck_assert_msg(digest_of(n, &plan, 0xa5, &got),
				"net %u, %u + %u: %s", seed, first, ops, net_report(n));
			ck_assert_msg(got.layers == want.layers, "net %u, chain %u + %u",
				seed, first, ops);
			shorten_rings(n, &plan, want.outputs, seed, &y->rings);
			uneven_rings(n, &plan, want.outputs, seed, &y->uneven);
			if (ops == n->graph.n_ops || ops == 3)
				swap_events(n, &plan, want.outputs, seed, &y->orders);
			move_output(n, &plan, want.outputs, seed, &y->moves);
		}
	}
}

static void check_nets(uint32_t first, uint32_t n, bool fed)
{
	struct tally y = { 0 };

	for (uint32_t seed = first; seed < first + n; seed++) {
		struct net net;

		gen_chain(&net, seed);
		check_chains(&net, seed, fed, &y);
		net_release(&net);
	}
	printf("# %d chains, %d downwards, %d fed; refused and equal: rings %d %d, "
	       "orders %d %d, moves %d %d\n",
		y.chains, y.down, y.fed, y.rings.refused, y.rings.equal, y.orders.refused,
		y.orders.equal, y.moves.refused, y.moves.equal);
	ck_assert_int_gt(y.chains, 20);
	ck_assert_int_eq(y.fed, fed ? y.chains : 0);
	ck_assert_int_gt(y.rings.refused, 0);
	ck_assert_int_gt(y.uneven.refused, 0);
	ck_assert_int_eq(y.uneven.equal, 0);
	ck_assert_int_gt(y.orders.refused, 0);
}

START_TEST(random_chains)
{
	check_nets(40 * (uint32_t)_i, 40, false);
}
END_TEST

START_TEST(random_inputs)
{
	check_nets(40 * (uint32_t)_i, 40, true);
}
END_TEST

/* ---- rows that nobody reads ---- */

/* Windows that leave the last rows of their input unread. */
static const struct cut {
	const char *what;
	int64_t h; /* of the input */
	struct chain_layer layer;
} cuts[] = {
	{ "a stride over the last row", 6,
		{ OP_MAX_POOL_2D, { 1, 1 }, { 2, 1 }, { 1, 1 }, 0, false } },
	{ "a stride over the last two rows, SAME", 6,
		{ OP_DEPTHWISE_CONV_2D, { 1, 2 }, { 3, 1 }, { 1, 1 }, 0, true } },
	{ "an average, VALID", 7,
		{ OP_AVERAGE_POOL_2D, { 2, 2 }, { 2, 2 }, { 1, 1 }, 0, false } },
	{ "a maximum, VALID", 8,
		{ OP_MAX_POOL_2D, { 3, 1 }, { 3, 1 }, { 1, 1 }, 0, false } },
	{ "a convolution, VALID", 8,
		{ OP_CONV_2D, { 3, 1 }, { 2, 1 }, { 1, 1 }, 4, false } },
	{ "a row of five", 5, { OP_CONV_2D, { 1, 1 }, { 5, 1 }, { 1, 1 }, 6, false } },
	{ "a filter of two rows in a plane of two, dilated", 2,
		{ OP_CONV_2D, { 2, 1 }, { 2, 1 }, { 2, 1 }, 6, true } },
};

static const struct chain_layer befores[] = {
	{ OP_MAX_POOL_2D, { 3, 1 }, { 1, 1 }, { 1, 1 }, 0, true },
	{ OP_MAX_POOL_2D, { 1, 1 }, { 1, 1 }, { 1, 1 }, 0, true },
	{ OP_RELU, { 0 }, { 0 }, { 0 }, 0, false },
};

static const struct chain_layer lasts[] = {
	{ OP_MEAN, { 0 }, { 0 }, { 0 }, 0, false },
	{ OP_AVERAGE_POOL_2D, { 0, 0 }, { 1, 1 }, { 1, 1 }, 0, false },
	{ OP_AVERAGE_POOL_2D, { 2, 1 }, { 1, 1 }, { 1, 1 }, 0, true },
	{ OP_CONV_2D, { 3, 3 }, { 1, 1 }, { 1, 1 }, 5, true },
	{ OP_RELU, { 0 }, { 0 }, { 0 }, 0, false },
};

/* Moves all but input and output out of the reach of both, and the input behind the output's
 * size. */
static struct tn_plan apart(
	struct net *n, const struct tn_plan *plan, uint32_t in, uint32_t out)
{
	struct tn_plan p = copy_of(n, plan);
	const int64_t room =
		(2 * p.tensors[out].bytes + p.tensors[in].bytes + 15) / 16 * 16;

	p.ops = TN_NEW_ARRAY(&n->arena, struct tn_plan_op, p.n_ops);
	memcpy(p.ops, plan->ops, p.n_ops * sizeof(*p.ops));
	for (uint32_t i = 0; i < p.n_ops; i++)
		p.ops[i].scratch_offset += room;
	for (uint32_t i = 0; i < p.n_tensors; i++)
		p.tensors[i].offset += room;
	p.tensors[in].offset = p.tensors[out].bytes;
	p.regions = TN_NEW(&n->arena, struct tn_plan_region);
	*p.regions = plan->regions[0];
	p.regions->used += room;
	p.arena_bytes += room;
	return p;
}

/* The output at every place around the input: what the rule of the chain allows is accepted,
 * one element nearer is refused, and all that is accepted runs the same. */
static void check_places(struct net *n, bool descending, uint64_t want, const char *what)
{
	static struct tn_chain chain;
	const struct tn_graph *g = &n->graph;
	const uint32_t in = g->inputs[0].i, out = g->outputs[0].i;
	const int64_t width = tn_dtype_bits(g->tensors[in].dtype) / 8;
	struct counts c = { 0 };
	struct chain_tables t;
	struct tn_events e;
	struct tn_plan plan, p;

	chain_analyse(n, false, &t);
	ck_assert_msg(tn_chain_of(&t.view, 0, g->n_ops, &chain), "%s", what);
	ck_assert_int_eq(
		tn_events_make(&t.view, &chain, descending, 1, &n->arena, &e), TN_OK);
	ck_assert_msg(e.n_pairs == 1 && e.pairs[0].tensor == in, "%s", what);
	ck_assert_msg(descending || e.list[e.n - 1].op + 1 < chain.n,
		"%s: all rows are read", what);
	chain_plan(n, &t, (struct tn_stream_pick){ 0, g->n_ops },
		descending ? CHAIN_DESCENDING : CHAIN_ASCENDING, &plan);
	p = apart(n, &plan, in, out);
	for (int64_t at = 0; at <= p.tensors[in].offset + p.tensors[in].bytes;
		at += width) {
		const int64_t up = p.tensors[in].offset - at,
			      lead = descending ? -up : up;
		const int refused = c.refused;

		p.tensors[out].offset = at;
		judge(n, &p, want, what, 0, &c);
		if (lead >= e.pairs[0].d)
			ck_assert_msg(c.refused == refused,
				"%s: refused at %lld bytes ahead, least %lld", what,
				(long long)lead, (long long)e.pairs[0].d);
		else if (lead + width == e.pairs[0].d)
			ck_assert_msg(c.refused > refused,
				"%s: %lld bytes ahead is not the least", what,
				(long long)e.pairs[0].d);
	}
}

START_TEST(unread_rows)
{
	const struct cut *cut = &cuts[_i];
	const int64_t dims[4] = { 1, cut->h, 4, 3 };

	for (size_t i = 0; i < sizeof(befores) / sizeof(*befores); i++)
		for (size_t k = 0; k < 2 * sizeof(lasts) / sizeof(*lasts); k++) {
			const struct chain_layer layers[3] = { befores[i], cut->layer,
				lasts[k / 2] };
			struct tally y = { 0 };
			struct digests want;
			char what[128];
			struct net n;

			snprintf(what, sizeof(what), "%s, op %zu, last %zu", cut->what, i,
				k);
			make_chain(&n, k & 1 ? DTYPE_F32 : DTYPE_I8, dims, layers, 3);
			check_chains(&n, (uint32_t)_i, false, &y);
			check_chains(&n, (uint32_t)_i, true, &y);
			ck_assert_msg(y.chains && y.fed, "%s", what);
			ck_assert(digest_of(&n, NULL, TN_POISON_NONE, &want));
			check_places(&n, false, want.outputs, what);
			if (k / 2 > 1)
				check_places(&n, true, want.outputs, what);
			net_release(&n);
		}
}
END_TEST

/* A plan that nobody here makes: an event writes two rows into a ring of one, the first of
 * which nobody reads. It is right, and each layer is shown as it is. */
START_TEST(rows_over_rows)
{
	static struct tn_plan_event up[] = { { 0, 0, 1, 0 }, { 1, 0, 1, 0 },
		{ 2, 0, 1, 0 } },
				    more[] = { { 0, 1, 2, 2 }, { 1, 1, 1, 1 },
					    { 2, 1, 1, 1 } },
				    rest[] = { { 0, 5, 1, 0 } },
				    down[] = { { 0, 4, 2, -2 }, { 1, 2, 1, -1 },
					    { 2, 2, 1, -1 } };
	static struct tn_plan_loop loops[] = { { up, 3, 1 }, { more, 3, 2 },
		{ rest, 1, 1 }, { down, 3, 3 } };
	const bool descending = _i & 1;
	const int64_t dims[4] = { 1, 6, 4, 3 };
	const struct chain_layer layers[3] = { befores[_i / 2], cuts[0].layer, lasts[4] };
	struct chain_tables t;
	struct digests want, have;
	struct tn_verdict v;
	struct tn_plan plan;
	struct net n;
	uint32_t ring;

	make_chain(&n, DTYPE_I8, dims, layers, 3);
	ck_assert(digest_of(&n, NULL, TN_POISON_NONE, &want));
	chain_analyse(&n, false, &t);
	chain_plan(&n, &t, (struct tn_stream_pick){ 0, 3 },
		descending ? CHAIN_DESCENDING : CHAIN_ASCENDING, &plan);
	ck_assert_uint_eq(plan.n_streams, 1);
	plan.streams[0].loops = descending ? &loops[3] : loops;
	plan.streams[0].n_loops = descending ? 1 : 3;
	ring = n.graph.ops[0].outputs[0].i;
	plan.tensors[ring].ring_bytes = plan.tensors[ring].bytes / 6;
	ck_assert_msg(tn_verify(&n.graph, &plan, &n.arena, &n.diags, &v) == TN_OK, "%s",
		net_report(&n));
	for (int poison = TN_POISON_NONE; poison < 256; poison += 86) {
		ck_assert_msg(digest_of(&n, &plan, poison, &have), "%s", net_report(&n));
		ck_assert_msg(have.outputs == want.outputs, "other outputs");
		ck_assert_msg(have.layers == want.layers, "other layers");
	}
	net_release(&n);
}
END_TEST

/* The other way round: of two rows that fall into a ring of one, the second stays, which is the
 * upper one in a rising chain and the lower one in a falling chain. Who needs the other does
 * not find it. */
START_TEST(the_last_row_stays)
{
	static struct tn_plan_event up[] = { { 0, 0, 2, 2 }, { 1, 0, 1, 1 },
		{ 2, 0, 1, 1 } },
				    first[] = { { 0, 5, 1, 0 } },
				    down[] = { { 0, 3, 2, -2 }, { 1, 2, 1, -1 },
					    { 2, 2, 1, -1 } },
				    last[] = { { 0, 0, 1, 0 }, { 1, 0, 1, 0 },
					    { 2, 0, 1, 0 } };
	static struct tn_plan_loop loops[] = { { up, 3, 3 }, { first, 1, 1 },
		{ down, 3, 2 }, { last, 3, 1 } };
	const bool descending = _i & 1;
	const int64_t dims[4] = { 1, 6, 4, 3 };
	const struct chain_layer layers[3] = { befores[_i / 2], cuts[0].layer, lasts[4] };
	struct chain_tables t;
	struct digests want, have;
	struct tn_verdict v;
	struct tn_plan plan;
	struct net n;
	uint32_t ring;

	make_chain(&n, DTYPE_I8, dims, layers, 3);
	ck_assert(digest_of(&n, NULL, TN_POISON_NONE, &want));
	chain_analyse(&n, false, &t);
	chain_plan(&n, &t, (struct tn_stream_pick){ 0, 3 },
		descending ? CHAIN_DESCENDING : CHAIN_ASCENDING, &plan);
	plan.streams[0].loops = descending ? &loops[1] : loops;
	plan.streams[0].n_loops = descending ? 3 : 1;
	ring = n.graph.ops[0].outputs[0].i;
	plan.tensors[ring].ring_bytes = plan.tensors[ring].bytes / 6;
	ck_assert_int_eq(
		tn_verify(&n.graph, &plan, &n.arena, &n.diags, &v), TN_ERR_REFUSED);
	ck_assert_str_eq(v.rule, "plan/lost-value");
	ck_assert(digest_of(&n, &plan, 0x55, &have));
	ck_assert_msg(have.outputs != want.outputs, "refused, and runs equal");
	net_release(&n);
}
END_TEST

/* ---- the figures of real nets ---- */

static const struct figure {
	const char *file;
	int64_t bytes; /* at alignment 16, inputs held */
	int64_t fed; /* with an input that comes row by row; 0: not looked at */
} figures[] = {
	{ "models/vww_96_int8.tflite", 27744, 14608 },
	{ "models/pretrainedResnet_quant.tflite", 15616, 12912 },
	{ "models/kws_ref_model.tflite", 6192, 5872 },
	{ "graphs/mobilenetv2_0.35_144.json", 66816, 28960 },
	{ "graphs/mcunet_320kb_imagenet_176_b1_b12.json", 98560, 0 },
	{ "graphs/mobilenetv2_1.0_224.json", 204288, 0 },
	{ "graphs/mobilenetv1_1.0_224.json", 240128, 0 },
	{ "graphs/mobilenetv1_0.25_224x224x3.json", 150752, 0 },
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
	for (int fed = 0; fed < (figures[_i].fed ? 2 : 1); fed++) {
		const int64_t most = fed ? figures[_i].fed : figures[_i].bytes;

		chain_best(&n, 16, fed, &n.plan);
		ck_assert_msg(n.plan.activation_bytes <= most, "%s: %lld bytes",
			figures[_i].file, (long long)n.plan.activation_bytes);
		ck_assert_msg(accepted(&n, &n.plan, &v), "%s", net_report(&n));
	}
	net_release(&n);
	loaded_release(&l);
}
END_TEST

/* ---- whatever stands there ---- */

static const int64_t odd[] = { 0, 1, -1, 2, 255, UINT32_MAX, INT64_MAX, INT64_MIN };

/* The number takes each odd value in turn. */
static void odd_number(struct net *n, const struct tn_plan *plan, int64_t *number,
	uint64_t want, const char *what, struct counts *c)
{
	const int64_t kept = *number;

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		*number = odd[i];
		judge(n, plan, want, what, 0, c);
	}
	*number = kept;
}

static void odd_index(struct net *n, const struct tn_plan *plan, uint32_t *index,
	uint64_t want, const char *what, struct counts *c)
{
	const uint32_t kept = *index;

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		*index = (uint32_t)odd[i];
		judge(n, plan, want, what, 0, c);
	}
	*index = kept;
}

/* Every number of a chain: fed or not, with rows at its end or a sum. (A sanitizer
 * watches.) */
START_TEST(odd_numbers)
{
	const struct chain_layer layers[] = {
		{ OP_CONV_2D, { 3, 2 }, { 1, 1 }, { 1, 1 }, 4, true },
		{ OP_DEPTHWISE_CONV_2D, { 3, 1 }, { 2, 1 }, { 1, 1 }, 0, true },
		_i & 2 ? lasts[0] : lasts[2],
	};
	const int64_t dims[4] = { 1, 7, 3, 2 };
	const struct tn_stream_pick pick = { 0, 3 };
	const bool fed = _i & 1;
	struct counts c = { 0 };
	struct net n;
	struct chain_tables t;
	struct digests want;
	struct tn_plan_stream s;
	struct tn_plan plan;

	make_chain(&n, DTYPE_I8, dims, layers, 3);
	chain_analyse(&n, fed, &t);
	chain_plan(&n, &t, pick, CHAIN_ASCENDING, &plan);
	ck_assert(plan.n_streams == 1 && plan.streams[0].fed == fed);
	ck_assert_msg(digest_of(&n, NULL, TN_POISON_NONE, &want), "%s", net_report(&n));
	plan = copy_of(&n, &plan);
	s = chain_unrolled(&n.arena, &plan.streams[0]);
	plan.streams = &s;
	for (int flip = 0; flip < 2; flip++) { /* as it is, and fed or not fed */
		s.fed ^= flip;
		odd_index(&n, &plan, &s.first, want.outputs, "first", &c);
		odd_index(&n, &plan, &s.n, want.outputs, "ops", &c);
		odd_index(&n, &plan, &s.input, want.outputs, "input", &c);
		odd_number(&n, &plan, &s.loops->times, want.outputs, "times", &c);
		for (uint32_t k = 0; k < s.loops->n_events; k++) {
			struct tn_plan_event *e = &s.loops->events[k];

			odd_index(&n, &plan, &e->op, want.outputs, "op", &c);
			odd_number(&n, &plan, &e->y, want.outputs, "y", &c);
			odd_number(&n, &plan, &e->rows, want.outputs, "rows", &c);
			odd_number(&n, &plan, &e->step, want.outputs, "step", &c);
		}
		for (uint32_t i = 0; i < plan.n_tensors; i++)
			odd_number(&n, &plan, &plan.tensors[i].ring_bytes, want.outputs,
				"ring", &c);
	}
	printf("# %d refused, %d equal\n", c.refused, c.equal);
	ck_assert_int_gt(c.refused, 0);
	ck_assert_int_gt(c.equal, 0);
	net_release(&n);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("stream");
	TCase *c = tcase_create("stream");

	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, random_chains, 0, 4);
	tcase_add_loop_test(c, random_inputs, 0, 4);
	tcase_add_loop_test(c, odd_numbers, 0, 4);
	tcase_add_loop_test(
		c, the_last_row_stays, 0, 2 * (int)(sizeof(befores) / sizeof(*befores)));
	tcase_add_loop_test(
		c, rows_over_rows, 0, 2 * (int)(sizeof(befores) / sizeof(*befores)));
	tcase_add_loop_test(c, unread_rows, 0, (int)(sizeof(cuts) / sizeof(*cuts)));
	tcase_add_loop_test(
		c, known_figure, 0, (int)(sizeof(figures) / sizeof(*figures)));
	suite_add_tcase(s, c);
	return s;
}
