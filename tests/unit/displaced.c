#include "displaced.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "bind/bind.h"
#include "validate/expected.h"
#include "validate/program.h"

#define ALIGN	 16
#define PATTERNS 2 /* with which the harness fills memory, and runs */
#define SECONDS	 300 /* for a program */

static int64_t width_of(const struct tn_tensor *t)
{
	return tn_max_i64(tn_dtype_bits(t->dtype) / 8, 1);
}

static struct tn_tensor *tensor(struct displaced *p, tn_tensor_id id)
{
	return &p->graph.tensors[id.i];
}

/* ---- the cases ---- */

bool displaced_shares(const struct tn_graph *g, tn_op_id op, uint32_t input)
{
	const tn_tensor_id in = g->ops[op.i].inputs[input];

	return g->ops[op.i].n_outputs == 1 && tn_tensor_id_ok(g, in) &&
	       !tn_tensor_is_constant(&g->tensors[in.i]);
}

bool displaced_add(struct displaced *p, const struct tn_graph *from, tn_op_id id,
	struct tn_variant v, uint32_t input, int64_t farther)
{
	const struct tn_op *op = &from->ops[id.i];
	const struct tn_tensor *in = &from->tensors[op->inputs[input].i];
	const struct tn_tensor *out = &from->tensors[op->outputs[0].i];
	int64_t d, grain = tn_max_i64(tn_min_i64(width_of(in), width_of(out)),
			   tn_contract_grain(from, id, v));

	ck_assert_int_eq(tn_contract_displacement(from, id, v, input, 0, &d), TN_OK);
	ck_assert(d != TN_DISPLACEMENT_NEVER);
	if (d == TN_DISPLACEMENT_FREE && farther < 0)
		return false;
	if (d == TN_DISPLACEMENT_FREE)
		d = 0;
	ck_assert(tn_align_up_i64(d, grain, &d));
	if (farther == DISPLACED_APART)
		ck_assert(tn_align_up_i64(
			v.descending ? in->bytes : out->bytes, ALIGN, &d));
	else
		d += grain * farther;
	if (farther < 0 && d <= -in->bytes)
		return false;
	ck_assert(tn_vec_push(p->arena, &p->cases,
		((struct placed){ from, id, v, input, farther, v.descending ? -d : d })));
	return true;
}

/* ---- the graph: for each case an op with tensors of its own ---- */

static tn_tensor_id copy_tensor(
	struct displaced *p, const struct tn_graph *from, tn_tensor_id id)
{
	struct tn_graph *g = &p->graph;
	const tn_tensor_id copy = { g->n_tensors };
	const struct tn_tensor *t;

	if (!tn_tensor_id_ok(from, id))
		return id;
	t = &from->tensors[id.i];
	ck_assert(t->view_of.i == TN_NONE);
	g->tensors[g->n_tensors++] = *t;
	if (t->role == ROLE_INPUT)
		g->inputs[g->n_inputs++] = copy;
	else if (t->role == ROLE_OUTPUT)
		g->outputs[g->n_outputs++] = copy;
	return copy;
}

static tn_tensor_id *copy_list(struct displaced *p, const struct tn_graph *from,
	const tn_tensor_id *list, uint32_t n)
{
	tn_tensor_id *copy = TN_NEW_ARRAY(p->arena, tn_tensor_id, n + 1);

	ck_assert(copy != NULL);
	for (uint32_t i = 0; i < n; i++)
		copy[i] = copy_tensor(p, from, list[i]);
	return copy;
}

static void make_graph(struct displaced *p, enum tn_kernel_set set)
{
	struct tn_graph *g = &p->graph;
	const size_t n = p->cases.count;
	size_t tensors = 0;

	for (size_t i = 0; i < n; i++) {
		const struct placed *c = &p->cases.items[i];
		const struct tn_op *op = &c->from->ops[c->op.i];

		tensors += op->n_inputs + op->n_outputs;
	}
	*g = (struct tn_graph){ .name = "displaced",
		.source = p->cases.items[0].from->source,
		.format = p->cases.items[0].from->format,
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
		const struct placed *c = &p->cases.items[i];
		struct tn_op *op = &g->ops[i];

		*op = c->from->ops[c->op.i];
		op->inputs = copy_list(p, c->from, op->inputs, op->n_inputs);
		op->outputs = copy_list(p, c->from, op->outputs, op->n_outputs);
		g->schedule[i].i = i;
	}
}

/* ---- the plan ---- */

static void place(struct displaced *p, tn_tensor_id id, int64_t offset)
{
	struct tn_plan_region *region = &p->plan.regions[0];

	p->plan.tensors[id.i] = (struct tn_plan_tensor){ .region = 0,
		.offset = offset,
		.bytes = tensor(p, id)->bytes,
		.last = 2 * (int64_t)p->graph.n_ops };
	region->used = tn_max_i64(region->used, offset + tensor(p, id)->bytes);
}

/* The start of what no case has used yet. */
static int64_t fresh(const struct displaced *p)
{
	return (p->plan.regions[0].used + ALIGN - 1) / ALIGN * ALIGN;
}

static void place_case(struct displaced *p, uint32_t i)
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

static void make_plan(struct displaced *p)
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

void displaced_make(struct displaced *p, enum tn_kernel_set set)
{
	make_graph(p, set);
	make_plan(p);
}

/* ---- running ---- */

/* Objects of what depends on the plan: all but the kernels'. */
static void forget_program(
	struct displaced *p, const struct displaced_run *r, const char *dir)
{
	static const char *const objects[] = { "shared-model.o", "weights.o",
		"shared-harness-main.o" };

	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++) {
		const char *file = tn_arena_printf(
			p->arena, "%s/build-%s-O2/%s", dir, r->target->name, objects[i]);

		ck_assert(file != NULL);
		(void)remove(file);
	}
}

/* "op tensor digest": of the op's output the digest that it should have. */
static void read_layer(
	struct displaced *p, struct displaced_run *r, char *line, uint32_t run)
{
	const unsigned long op = strtoul(line, &line, 10), id = strtoul(line, &line, 10);
	const uint64_t digest = strtoull(line, NULL, 16);

	for (uint32_t i = 0; i < r->reference.n_layers && op < p->graph.n_ops; i++) {
		const struct tn_layer *l = &r->reference.layers[i];

		if (l->op.i != op || l->tensor.i != id || l->run != run)
			continue;
		r->seen[op]++;
		r->differs[op] = r->differs[op] || l->digest != digest;
	}
}

static void read_results(struct displaced *p, struct displaced_run *r, const char *dir)
{
	char *name = tn_arena_printf(p->arena, "./build-%s-O2/shared", r->target->name);
	struct tn_strbuf out;
	uint32_t run = 0;

	ck_assert(name != NULL);
	tn_strbuf_init(&out);
	(void)tn_program_execute(r->target, dir, name, SECONDS, &out);
	for (char *at = out.text; at && *at;
		at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		if (*at == 'P') { /* and the pattern in front of it */
			char *rest = at + 2;

			(void)strtoul(rest, &rest, 10);
			run = (uint32_t)strtoul(rest, NULL, 10);
		} else if (*at == 'L') {
			read_layer(p, r, at + 2, run);
		}
	}
	tn_strbuf_release(&out);
	for (uint32_t i = 0; i < p->graph.n_ops; i++)
		ck_assert_msg(r->seen[i] == PATTERNS * r->reference.runs,
			"%s: its output was seen %u times", displaced_words(p, i),
			r->seen[i]);
}

void displaced_run(
	struct displaced *p, struct displaced_run *r, const char *target, const char *dir)
{
	const struct tn_emit_options options = { .cpu = target, .debug = true };
	const struct tn_emit_model model = { &p->graph, &p->plan, NULL };
	struct tn_validation any = { 0 }; /* whatever it computes */
	const struct tn_program_run run = { .graph = &p->graph,
		.emitted = &r->emitted,
		.dir = dir,
		.seed = 1,
		.seconds = SECONDS,
		.arena = p->arena,
		.diags = p->diags,
		.reference = &any };

	*r = (struct displaced_run){ .target = tn_target_find(target),
		.seen = TN_NEW_ARRAY(p->arena, uint32_t, p->graph.n_ops),
		.differs = TN_NEW_ARRAY(p->arena, bool, p->graph.n_ops) };
	ck_assert(r->seen && r->differs);
	ck_assert_int_eq(tn_expected_run(&p->graph, &p->plan, 1, p->arena, p->diags,
				 &r->reference),
		TN_OK);
	ck_assert_int_eq(
		tn_emit(&model, 1, &options, dir, p->arena, p->diags, &r->emitted),
		TN_OK);
	any.runs = r->reference.runs;
	ck_assert_int_eq(tn_program_harness(&run), TN_OK);
	forget_program(p, r, dir);
	ck_assert_int_eq(
		tn_program_check(&run, r->target, "-O2", true, &r->result), TN_OK);
	ck_assert_msg(r->result.verdict == VALIDATION_SAME, "%s", r->result.detail);
	read_results(p, r, dir);
}

const char *displaced_kernel(struct displaced *p, uint32_t i)
{
	struct tn_call call;

	ck_assert_int_eq(tn_bind(&p->graph, (tn_op_id){ i }, p->cases.items[i].v,
				 p->arena, p->diags, &call),
		TN_OK);
	return call.kernel->symbol;
}

const char *displaced_words(const struct displaced *p, uint32_t i)
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
