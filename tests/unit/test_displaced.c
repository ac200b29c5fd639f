/* The contracts of compiled kernels: on emulated boards each variant of each op runs with its
 * output as near to an input as the contract allows, where nothing may change, and one
 * element nearer, where for most of them something must. One program has all of them. */
#include "suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/checked.h"
#include "contract/contract.h"
#include "layers.h"
#include "loaded.h"
#include "tools.h"
#include "validate/expected.h"
#include "validate/process.h"
#include "validate/program.h"

#define ALIGN 16

/* An op of a graph, and where its operands lie. */
struct placed {
	tn_op_id op;
	struct tn_variant v;
	uint32_t input; /* the one that shares memory with the output */
	int64_t distance; /* its start minus the output's */
};

struct program {
	struct tn_arena *arena;
	struct tn_diags *diags;
	const struct tn_graph *from;
	TN_VEC(struct placed) cases; /* by op of the graph */
	struct tn_graph graph;
	struct tn_plan plan;
};

static int64_t width_of(const struct tn_tensor *t)
{
	return tn_max_i64(tn_dtype_bits(t->dtype) / 8, 1);
}

static struct tn_tensor *tensor(struct program *p, tn_tensor_id id)
{
	return &p->graph.tensors[id.i];
}

/* ---- the cases ---- */

static void add_displaced(
	struct program *p, tn_op_id id, struct tn_variant v, uint32_t input, bool nearer)
{
	const struct tn_op *op = &p->from->ops[id.i];
	const struct tn_tensor *in = &p->from->tensors[op->inputs[input].i];
	const struct tn_tensor *out = &p->from->tensors[op->outputs[0].i];
	int64_t d, grain = tn_max_i64(tn_min_i64(width_of(in), width_of(out)),
			   tn_contract_grain(p->from, id, v));

	ck_assert_int_eq(tn_contract_displacement(p->from, id, v, input, 0, &d), TN_OK);
	ck_assert(d != TN_DISPLACEMENT_NEVER);
	if (d == TN_DISPLACEMENT_FREE)
		d = 0;
	else
		ck_assert(tn_align_up_i64(d, grain, &d));
	if (nearer)
		d -= grain;
	if (nearer && d <= -in->bytes)
		return;
	ck_assert(tn_vec_push(p->arena, &p->cases,
		((struct placed){ id, v, input, v.descending ? -d : d })));
}

static void find_cases(struct program *p, bool nearer)
{
	for (uint32_t i = 0; i < p->from->n_ops; i++) {
		const struct tn_op *op = &p->from->ops[i];
		const tn_op_id id = { i };
		struct tn_variant v[TN_VARIANTS_MAX];
		uint32_t n = tn_contract_variants(p->from, id, v);

		for (uint32_t k = 0; k < n * op->n_inputs && op->n_outputs == 1; k++) {
			tn_tensor_id in = op->inputs[k % op->n_inputs];

			if (tn_tensor_id_ok(p->from, in) &&
				!tn_tensor_is_constant(&p->from->tensors[in.i]))
				add_displaced(p, id, v[k / op->n_inputs],
					k % op->n_inputs, nearer);
		}
	}
}

/* ---- the graph: for each case an op with tensors of its own ---- */

static tn_tensor_id copy_tensor(struct program *p, tn_tensor_id id)
{
	struct tn_graph *g = &p->graph;
	const tn_tensor_id copy = { g->n_tensors };
	const struct tn_tensor *t;

	if (!tn_tensor_id_ok(p->from, id))
		return id;
	t = &p->from->tensors[id.i];
	ck_assert_uint_eq(t->view_of.i, TN_NONE);
	g->tensors[g->n_tensors++] = *t;
	if (t->role == ROLE_INPUT)
		g->inputs[g->n_inputs++] = copy;
	else if (t->role == ROLE_OUTPUT)
		g->outputs[g->n_outputs++] = copy;
	return copy;
}

static tn_tensor_id *copy_list(struct program *p, const tn_tensor_id *list, uint32_t n)
{
	tn_tensor_id *copy = TN_NEW_ARRAY(p->arena, tn_tensor_id, n + 1);

	ck_assert(copy != NULL);
	for (uint32_t i = 0; i < n; i++)
		copy[i] = copy_tensor(p, list[i]);
	return copy;
}

static void make_graph(struct program *p, enum tn_kernel_set set)
{
	struct tn_graph *g = &p->graph;
	const size_t n = p->cases.count;
	size_t tensors = 0;

	for (size_t i = 0; i < n; i++) {
		const struct tn_op *op = &p->from->ops[p->cases.items[i].op.i];

		tensors += op->n_inputs + op->n_outputs;
	}
	*g = (struct tn_graph){ .name = "displaced",
		.source = p->from->source,
		.format = p->from->format,
		.tensors = TN_NEW_ARRAY(p->arena, struct tn_tensor, tensors),
		.ops = TN_NEW_ARRAY(p->arena, struct tn_op, n),
		.inputs = TN_NEW_ARRAY(p->arena, tn_tensor_id, tensors),
		.outputs = TN_NEW_ARRAY(p->arena, tn_tensor_id, tensors),
		.schedule = TN_NEW_ARRAY(p->arena, tn_op_id, n),
		.n_ops = (uint32_t)n,
		.invocations = 1,
		.kernels = set };
	ck_assert(g->tensors && g->ops && g->inputs && g->outputs && g->schedule);
	for (uint32_t i = 0; i < n; i++) {
		struct tn_op *op = &g->ops[i];

		*op = p->from->ops[p->cases.items[i].op.i];
		op->inputs = copy_list(p, op->inputs, op->n_inputs);
		op->outputs = copy_list(p, op->outputs, op->n_outputs);
		g->schedule[i].i = i;
	}
}

/* ---- the plan ---- */

static void place(struct program *p, tn_tensor_id id, int64_t offset)
{
	struct tn_plan_region *region = &p->plan.regions[0];

	p->plan.tensors[id.i] = (struct tn_plan_tensor){ .region = 0,
		.offset = offset,
		.bytes = tensor(p, id)->bytes,
		.last = 2 * (int64_t)p->graph.n_ops };
	region->used = tn_max_i64(region->used, offset + tensor(p, id)->bytes);
}

/* The start of what no case has used yet. */
static int64_t fresh(const struct program *p)
{
	return (p->plan.regions[0].used + ALIGN - 1) / ALIGN * ALIGN;
}

static void place_case(struct program *p, uint32_t i)
{
	const struct placed *c = &p->cases.items[i];
	const struct tn_op *op = &p->graph.ops[i];
	const tn_tensor_id in = op->inputs[c->input], out = op->outputs[0];
	int64_t in_at = tn_max_i64(c->distance, 0), out_at = in_at - c->distance;
	int64_t wide =
		width_of(tensor(p, in)) > width_of(tensor(p, out)) ? in_at : out_at;
	int64_t start = fresh(p) + (ALIGN - wide % ALIGN) % ALIGN;

	place(p, in, start + in_at);
	place(p, out, start + out_at);
	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (k != c->input && tn_tensor_id_ok(&p->graph, op->inputs[k]) &&
			!tn_tensor_is_constant(tensor(p, op->inputs[k])))
			place(p, op->inputs[k], fresh(p));
}

static void make_plan(struct program *p)
{
	struct tn_plan *plan = &p->plan;
	int64_t most = 0, at;

	ck_assert_int_eq(
		tn_plan_init(plan, p->arena, p->graph.n_tensors, p->graph.n_ops, 1),
		TN_OK);
	for (uint32_t i = 0; i < p->graph.n_ops; i++)
		place_case(p, i);
	at = fresh(p);
	for (uint32_t i = 0; i < p->graph.n_ops; i++) {
		const struct tn_variant v = p->cases.items[i].v;
		int64_t scratch = tn_contract_scratch(&p->graph, (tn_op_id){ i }, v);

		plan->ops[i] = (struct tn_plan_op){ .descending = v.descending,
			.hold = (uint8_t)v.hold,
			.scratch_region = scratch ? 0 : TN_REGION_NONE,
			.scratch_offset = scratch ? at : 0,
			.scratch_bytes = scratch };
		most = tn_max_i64(most, scratch);
	}
	plan->regions[0].used = at + most;
	plan->arena_bytes = at + most;
}

/* ---- running ---- */

struct run {
	const struct tn_target *target;
	struct tn_emit_summary emitted;
	struct tn_validation reference;
	struct tn_program_run program;
	struct tn_validation_config result;
};

/* Objects of what depends on the plan: all but the kernels'. */
static void forget_program(struct program *p, const struct run *r)
{
	static const char *const objects[] = { "shared-model.o", "weights.o",
		"shared-harness-main.o" };

	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++)
		(void)remove(tn_arena_printf(p->arena, "%s/build-%s-O2/%s",
			r->program.dir, r->target->name, objects[i]));
}

/* Emits, builds and runs the program. */
static void run_program(
	struct program *p, struct run *r, const char *target, const char *dir)
{
	const struct tn_emit_options options = { .cpu = target, .debug = true };
	const struct tn_emit_model model = { &p->graph, &p->plan, NULL };

	*r = (struct run){ .target = tn_target_find(target) };
	ck_assert_int_eq(tn_expected_run(&p->graph, &p->plan, 1, p->arena, p->diags,
				 &r->reference),
		TN_OK);
	r->program = (struct tn_program_run){ .graph = &p->graph,
		.plan = &p->plan,
		.emitted = &r->emitted,
		.dir = dir,
		.seed = 1,
		.seconds = 300,
		.arena = p->arena,
		.diags = p->diags,
		.reference = &r->reference };
	ck_assert_int_eq(
		tn_emit(&model, 1, &options, dir, p->arena, p->diags, &r->emitted),
		TN_OK);
	ck_assert_int_eq(tn_program_harness(&r->program), TN_OK);
	forget_program(p, r);
	ck_assert_int_eq(
		tn_program_check(&r->program, r->target, "-O2", true, &r->result), TN_OK);
}

static const char *words(const struct program *p, uint32_t i)
{
	const struct placed *c = &p->cases.items[i];
	static char text[256];

	snprintf(text, sizeof(text), "%s (%s), %s%s%s, input %u, distance %" PRId64,
		p->graph.ops[i].name, p->graph.ops[i].type,
		c->v.descending ? "descending" : "ascending",
		c->v.hold == HOLD_NONE ? "" : ", hold ",
		c->v.hold == HOLD_NONE ? "" : tn_hold_name(c->v.hold), c->input,
		c->distance);
	return text;
}

/* Which ops gave another result, over all runs of the program. */
static void read_results(const struct program *p, struct run *r, bool *differs)
{
	const char *name =
		tn_arena_printf(p->arena, "./build-%s-O2/shared", r->target->name);
	struct tn_strbuf out;

	ck_assert(name != NULL);
	tn_strbuf_init(&out);
	(void)tn_program_execute(r->target, r->program.dir, name, 300, &out);
	for (char *at = out.text; at && *at;
		at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		char *rest = at + 2;
		unsigned long op, id;
		uint64_t digest;
		bool known = false;

		if (*at != 'L')
			continue;
		op = strtoul(rest, &rest, 10);
		id = strtoul(rest, &rest, 10);
		digest = strtoull(rest, NULL, 16);
		if (op >= p->graph.n_ops)
			continue; /* an input */
		for (uint32_t i = 0; i < r->reference.n_layers; i++) {
			const struct tn_layer *l = &r->reference.layers[i];

			if (l->op.i != op || l->tensor.i != id)
				continue;
			known = true;
			differs[op] |= l->digest != digest;
		}
		ck_assert_msg(known, "%.40s", at);
	}
	tn_strbuf_release(&out);
}

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

static void start(struct program *p, struct source *s, int board, bool nearer)
{
	const bool net = boards[board].layers;

	*p = (struct program){ .from = s->graph,
		.arena = net ? &s->net.arena : &s->file.arena,
		.diags = net ? &s->net.diags : &s->file.diags };
	find_cases(p, nearer);
	make_graph(p, boards[board].set);
	make_plan(p);
}

static void at_displacement(struct source *s, int board, const char *dir)
{
	struct program p;
	struct run r;

	start(&p, s, board, false);
	run_program(&p, &r, boards[board].target, dir);
	ck_assert_msg(r.result.verdict == VALIDATION_SAME, "%s%s",
		r.result.verdict == VALIDATION_DIFFERS
			? words(&p, r.reference.layers[r.result.difference.layer].op.i)
			: "",
		r.result.detail);
	printf("# %s: %zu variants with an input\n", boards[board].target, p.cases.count);
	ck_assert_uint_gt(p.cases.count, 100);
}

/* A kernel's cases. */
struct tally {
	const char *kernel;
	size_t cases, differ;
};

static struct tally *tally_of(struct program *p, struct tally *list, uint32_t i)
{
	struct tn_call call;

	ck_assert_int_eq(tn_bind(&p->graph, (tn_op_id){ i }, p->cases.items[i].v,
				 p->arena, p->diags, &call),
		TN_OK);
	while (list->kernel && strcmp(list->kernel, call.kernel->symbol) != 0)
		list++;
	list->kernel = call.kernel->symbol;
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

static void one_nearer(struct source *s, int board, const char *dir)
{
	struct program p;
	struct run r;
	struct tally *list;
	bool *differs;

	start(&p, s, board, true);
	differs = TN_NEW_ARRAY(p.arena, bool, p.cases.count);
	list = TN_NEW_ARRAY(p.arena, struct tally, p.cases.count + 1);
	ck_assert(differs && list);
	run_program(&p, &r, boards[board].target, dir);
	ck_assert_msg(r.result.verdict == VALIDATION_DIFFERS, "%s", r.result.detail);
	read_results(&p, &r, differs);
	for (uint32_t i = 0; i < p.cases.count; i++) {
		struct tally *t = tally_of(&p, list, i);

		t->cases++;
		t->differ += differs[i];
	}
	for (; list->kernel; list++) {
		printf("# %s: %s: %zu of %zu differ one element nearer\n",
			boards[board].target, list->kernel, list->differ, list->cases);
		ck_assert_msg(list->differ || may_be_same(list),
			"%s: none of %zu is another one element nearer", list->kernel,
			list->cases);
	}
}

START_TEST(contracts_hold)
{
	struct source s;
	const char *dir;

	if (!tn_test_has_tools("cortex-m4"))
		return;
	open_source(&s, _i);
	ck_assert_int_eq(tn_tempdir_make(boards[_i].layers ? &s.net.arena : &s.file.arena,
				 boards[_i].layers ? &s.net.diags : &s.file.diags, &dir),
		TN_OK);
	at_displacement(&s, _i, dir);
	one_nearer(&s, _i, dir);
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
