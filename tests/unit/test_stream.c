/* Chains: random small ones run as the ops do one by one, and the verifier accepts them;
 * damaged ones are refused, or run the same all the same. */
#include "suite.h"

#include <stdio.h>
#include <string.h>

#include "base/fnv.h"
#include "exec/exec.h"
#include "ir/seed.h"
#include "loaded.h"
#include "lower/lower.h"
#include "net.h"
#include "stream/choose.h"
#include "verify/verify.h"

/* ---- random nets ---- */

struct maker {
	struct net n;
	uint64_t state;
	enum tn_dtype dtype;
	int64_t dims[12][4];
	tn_tensor_id made[12];
	uint32_t n_made;
};

static int64_t draw(struct maker *m, int64_t low, int64_t high)
{
	m->state =
		m->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return low + (int64_t)((m->state >> 33) % (uint64_t)(high - low + 1));
}

static tn_tensor_id add(
	struct maker *m, enum tn_role role, const int64_t *dims, uint32_t rank)
{
	char name[16];

	snprintf(name, sizeof(name), "t%zu", m->n.build.tensors.count);
	return net_tensor(&m->n, name, m->dtype, role, dims, rank, 0.05f, 3);
}

static tn_tensor_id weights(
	struct maker *m, const int64_t *dims, uint32_t rank, bool bias)
{
	enum tn_dtype dtype = m->dtype == DTYPE_F32 ? DTYPE_F32
			      : bias		    ? DTYPE_I32
						    : DTYPE_I8;
	char name[16];

	snprintf(name, sizeof(name), "w%zu", m->n.build.tensors.count);
	return net_const(&m->n, name, dtype, dims, rank, bias ? 0.0005f : 0.01f,
		(uint32_t)draw(m, 1, 1000));
}

static void name_op(struct maker *m, enum tn_op_kind kind, const tn_tensor_id *in,
	uint32_t n, tn_tensor_id out)
{
	char name[16];

	snprintf(name, sizeof(name), "op%zu", m->n.build.ops.count);
	net_op(&m->n, kind, name, in, n, out);
}

static void made(struct maker *m, tn_tensor_id id, const int64_t *dims)
{
	memcpy(m->dims[m->n_made], dims, sizeof(m->dims[0]));
	m->made[m->n_made++] = id;
}

static bool window(struct maker *m, enum tn_role role)
{
	static const enum tn_op_kind kinds[] = { OP_CONV_2D, OP_CONV_2D,
		OP_DEPTHWISE_CONV_2D, OP_AVERAGE_POOL_2D, OP_MAX_POOL_2D };
	const enum tn_op_kind kind = kinds[draw(m, 0, 4)];
	const int64_t *in = m->dims[m->n_made - 1];
	const bool pool = kind == OP_AVERAGE_POOL_2D || kind == OP_MAX_POOL_2D;
	int64_t k[2] = { draw(m, 1, 4), draw(m, 1, 3) };
	int64_t stride[2] = { draw(m, 1, draw(m, 1, 3)), draw(m, 1, 2) };
	int64_t dilation[2] = { pool ? 1 : draw(m, 0, 3) ? 1 : 2, 1 };
	int64_t out[4] = { 1, 0, 0, kind == OP_CONV_2D ? draw(m, 1, 6) : in[3] };
	const bool same = draw(m, 0, 2) > 0;
	tn_tensor_id ids[3] = { m->made[m->n_made - 1] }, id;

	for (int i = 0; i < 2; i++) {
		int64_t reach = (k[i] - 1) * dilation[i] + 1;

		if (!same && reach > in[1 + i])
			return false;
		out[1 + i] = same ? (in[1 + i] + stride[i] - 1) / stride[i]
				  : (in[1 + i] - reach) / stride[i] + 1;
	}
	if (!pool) {
		const bool deep = kind == OP_CONV_2D;
		const int64_t filter[4] = { deep ? out[3] : 1, k[0], k[1], in[3] };

		ids[1] = weights(m, filter, 4, false);
		ids[2] = weights(m, &out[3], 1, true);
	}
	id = add(m, role, out, 4);
	name_op(m, kind, ids, pool ? 1 : 3, id);
	ck_assert(tn_build_attr_string(&m->n.build, "pad", same ? "SAME" : "VALID"));
	ck_assert(tn_build_attr_ints(&m->n.build, "stride", stride, 2));
	if (pool)
		ck_assert(tn_build_attr_ints(&m->n.build, "kernel", k, 2));
	else
		ck_assert(tn_build_attr_ints(&m->n.build, "dilation", dilation, 2));
	made(m, id, out);
	return true;
}

/* The sum of the last value and an earlier one of its shape; else a RELU. */
static void element(struct maker *m, enum tn_role role)
{
	const int64_t *dims = m->dims[m->n_made - 1];
	tn_tensor_id ids[2] = { m->made[m->n_made - 1] };
	tn_tensor_id out;
	uint32_t n = 1;

	for (uint32_t i = 0; i + 1 < m->n_made && n == 1; i++)
		if (memcmp(m->dims[i], dims, sizeof(m->dims[0])) == 0)
			ids[n++] = m->made[i];
	out = add(m, role, dims, 4);
	name_op(m, n == 2 ? OP_ADD : OP_RELU, ids, n, out);
	made(m, out, dims);
}

static void total(struct maker *m)
{
	const int64_t *in = m->dims[m->n_made - 1];
	const bool pool = draw(m, 0, 1);
	const int64_t out[4] = { 1, 1, 1, in[3] }, kernel[2] = { in[1], in[2] },
		      axes[2] = { 1, 2 };
	tn_tensor_id from = m->made[m->n_made - 1];
	tn_tensor_id id = add(m, ROLE_OUTPUT, out, 4);

	name_op(m, pool ? OP_AVERAGE_POOL_2D : OP_MEAN, &from, 1, id);
	if (pool) {
		ck_assert(tn_build_attr_ints(&m->n.build, "kernel", kernel, 2));
		ck_assert(tn_build_attr_string(&m->n.build, "pad", "VALID"));
	} else {
		ck_assert(tn_build_attr_ints(&m->n.build, "axes", axes, 2));
		ck_assert(tn_build_attr_int(&m->n.build, "keep_dims", 1));
	}
	made(m, id, out);
}

static void make(struct maker *m, uint32_t seed)
{
	int64_t dims[4];
	const bool ends = (seed & 3) == 3;
	int64_t ops;

	memset(m, 0, sizeof(*m));
	m->state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	m->dtype = draw(m, 0, 1) ? DTYPE_I8 : DTYPE_F32;
	net_start(&m->n);
	dims[0] = 1;
	dims[1] = draw(m, 3, 17);
	dims[2] = draw(m, 2, 6);
	dims[3] = draw(m, 1, 5);
	made(m, add(m, ROLE_INPUT, dims, 4), dims);
	ops = draw(m, 2, 7);
	for (int64_t i = 0; i < ops; i++) {
		enum tn_role role = i + 1 < ops || ends ? ROLE_ACT : ROLE_OUTPUT;

		if (!draw(m, 0, 3) || !window(m, role))
			element(m, role);
	}
	if (ends)
		total(m);
	net_finish(&m->n, "random");
}

/* ---- plans with a chain ---- */

struct tables {
	struct tn_order order;
	struct tn_aliases aliases;
	struct tn_liveness live;
	struct tn_inplace inplace;
	struct tn_stream_view view;
};

static void analyse(struct net *n, struct tables *t)
{
	const struct tn_graph *g = &n->graph;

	ck_assert_int_eq(tn_order_given(g, &n->arena, &t->order), TN_OK);
	ck_assert_int_eq(tn_aliases_find(g, &n->arena, &t->aliases), TN_OK);
	ck_assert_int_eq(
		tn_liveness_find(g, &t->order, &t->aliases, &n->arena, &t->live), TN_OK);
	ck_assert_int_eq(tn_inplace_judge(g, &t->order, &t->aliases, &t->live, &n->arena,
				 &t->inplace),
		TN_OK);
	ck_assert_int_eq(tn_stream_view_make(g, &t->order, &t->aliases, &t->live,
				 &n->arena, &t->view),
		TN_OK);
}

static void plan_chain(struct net *n, const struct tables *t, struct tn_stream_pick pick,
	int64_t align, struct tn_plan *out)
{
	struct tn_streamed *streamed = TN_NEW(&n->arena, struct tn_streamed);
	struct tn_lower_options options = {
		.overlap = OVERLAP_FULL, .align = align, .streamed = streamed
	};
	const struct tn_limits limits = { 0 };
	struct tn_inplace inplace = {
		TN_NEW_ARRAY(&n->arena, struct tn_candidate, t->inplace.n + 1), 0
	};
	struct tn_tables all = { &n->graph, &t->order, &t->aliases, NULL, &inplace };
	struct tn_lowered lowered;
	struct tn_solution solution;

	ck_assert_int_eq(
		tn_streamed_make(&t->view, &pick, 1, align, &n->arena, streamed), TN_OK);
	for (size_t i = 0; i < t->inplace.n; i++)
		if (streamed->of_op[t->inplace.list[i].op.i] == TN_NONE)
			inplace.list[inplace.n++] = t->inplace.list[i];
	all.live = &streamed->live;
	ck_assert_int_eq(tn_lower(&all, &options, &n->arena, &n->diags, &lowered), TN_OK);
	ck_assert_int_eq(
		tn_solve(&lowered.problem, &limits, &n->arena, &n->diags, &solution),
		TN_OK);
	ck_assert_int_eq(
		tn_raise(&all, &options, &lowered, &solution, &n->arena, out), TN_OK);
}

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
		struct maker m;
		struct tables t;
		uint64_t want, got;

		make(&m, seed);
		analyse(&m.n, &t);
		ck_assert_msg(digest_of(&m.n, NULL, TN_POISON_NONE, &want), "%s",
			net_report(&m.n));
		for (uint32_t first = 0; first + 1 < m.n.graph.n_ops; first++) {
			for (uint32_t n = 2; first + n <= m.n.graph.n_ops; n++) {
				const struct tn_stream_pick pick = { first, n };
				static struct tn_chain chain;
				struct tn_verdict v;
				struct tn_plan plan;

				if (!tn_chain_of(&t.view, first, n, &chain))
					continue;
				plan_chain(&m.n, &t, pick, m.dtype == DTYPE_I8 ? 1 : 4,
					&plan);
				chains++;
				down += plan.streams[0].descending;
				ck_assert_msg(accepted(&m.n, &plan, &v),
					"net %u, %u + %u: %s", seed, first, n,
					net_report(&m.n));
				ck_assert_msg(digest_of(&m.n, &plan, 0xa5, &got),
					"net %u, %u + %u: %s", seed, first, n,
					net_report(&m.n));
				ck_assert_msg(got == want, "net %u, chain %u + %u", seed,
					first, n);
				shorten_rings(&m.n, &plan, want, seed, &rings);
				uneven_rings(&m.n, &plan, want, seed, &uneven);
				if (n == m.n.graph.n_ops || n == 3)
					swap_events(&m.n, &plan, want, seed, &orders);
				move_output(&m.n, &plan, want, seed, &moves);
			}
		}
		net_release(&m.n);
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
	const struct tn_limits limits = { 0 };
	const struct tn_lower_options options = { .overlap = OVERLAP_FULL, .align = 16 };
	struct tables t;
	struct loaded l;
	struct net n;
	struct tn_made made_of = { 0 };
	struct tn_tables all = { &n.graph, &t.order, &t.aliases, &t.live, &t.inplace };
	struct tn_lowered lowered;
	struct tn_solution solution;
	struct tn_verdict v;

	if (!file)
		return;
	net_start(&n);
	loaded_file(&l, file, NULL);
	loaded_ok(&l, file);
	n.graph = l.graph;
	analyse(&n, &t);
	ck_assert_int_eq(tn_lower(&all, &options, &n.arena, &n.diags, &lowered), TN_OK);
	ck_assert_int_eq(
		tn_solve(&lowered.problem, &limits, &n.arena, &n.diags, &solution),
		TN_OK);
	ck_assert_int_eq(tn_make_plan(&all, &options, &limits, &lowered, &solution, false,
				 &n.arena, &n.diags, &made_of),
		TN_OK);
	ck_assert_int_eq(tn_make_streamed(&all, &options, &limits, 0, false, &n.arena,
				 &n.diags, &made_of),
		TN_OK);
	ck_assert_msg(made_of.plan.activation_bytes <= figures[_i].bytes,
		"%s: %lld bytes", figures[_i].file,
		(long long)made_of.plan.activation_bytes);
	ck_assert_msg(accepted(&n, &made_of.plan, &v), "%s", net_report(&n));
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
