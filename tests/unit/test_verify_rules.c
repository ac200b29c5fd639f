#include "suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gen_graph.h"
#include "gen_plan.h"
#include "verify/verify.h"

#define IDS(...)                                                                         \
	(int[])                                                                          \
	{                                                                                \
		__VA_ARGS__, TN_GEN_END                                                  \
	}
#define DIMS(...)                                                                        \
	(int64_t[])                                                                      \
	{                                                                                \
		__VA_ARGS__                                                              \
	}

static void show(const struct tn_diags *diags)
{
	for (size_t i = 0; i < diags->list.count; i++) {
		const struct tn_diag *d = &diags->list.items[i];

		printf("# %s '%s': %s [%s]\n", d->pointer ? d->pointer : "",
			d->subject ? d->subject : "", d->message, d->rule);
		for (size_t k = 0; k < d->notes.count; k++)
			printf("#   %s\n", d->notes.items[k]);
	}
	fflush(stdout);
}

/* One graph in which every rule has something to say. All tensors are int8; in the first
 * plan every one has memory of its own, 16 bytes apart unless it is larger. */
enum { X, W, A, B, C, D, V, K, E, F, PART, G, FILTER, SUMS, TENSORS };
enum { RELU, ADD, RESHAPE, MYSTERY, STATE, LAST, WATCH, SLICE, TAIL, SUM, OPS };

static void make_graph(struct tn_gen *gen, struct tn_graph *g)
{
	static const uint8_t data[64];
	int64_t row[] = { 1, 16 };

	tn_gen_tensor(gen, "x", DTYPE_I8, ROLE_INPUT, 2, row);
	tn_gen_tensor(gen, "w", DTYPE_I8, ROLE_INPUT, 2, row)->clobber = true;
	tn_gen_tensor(gen, "a", DTYPE_I8, ROLE_ACT, 2, row);
	tn_gen_tensor(gen, "b", DTYPE_I8, ROLE_ACT, 2, row);
	tn_gen_tensor(gen, "c", DTYPE_I8, ROLE_ACT, 2, DIMS(4, 4));
	tn_gen_tensor(gen, "d", DTYPE_I8, ROLE_ACT, 1, DIMS(8));
	tn_gen_tensor(gen, "v", DTYPE_I8, ROLE_VARIABLE, 2, row)->mutated = true;
	tn_gen_tensor(gen, "k", DTYPE_I8, ROLE_CONST, 2, row);
	tn_gen_tensor(gen, "e", DTYPE_I8, ROLE_OUTPUT, 2, row);
	tn_gen_tensor(gen, "f", DTYPE_I8, ROLE_ACT, 2, row)->observed = true;
	tn_gen_tensor(gen, "part", DTYPE_I8, ROLE_ACT, 2, DIMS(1, 8));
	gen->build.tensors.items[PART].view_of.i = B;
	gen->build.tensors.items[PART].view_offset = 8;
	tn_gen_tensor(gen, "g", DTYPE_I8, ROLE_OUTPUT, 2, DIMS(1, 8));
	tn_gen_tensor(gen, "filter", DTYPE_I8, ROLE_CONST, 2, DIMS(4, 16));
	tn_gen_tensor(gen, "sums", DTYPE_I8, ROLE_ACT, 2, DIMS(1, 4));
	for (int i = 0; i < 2; i++) {
		struct tn_tensor *t = &gen->build.tensors.items[i ? K : FILTER];

		t->data = data;
		t->data_kind = DATA_BYTES;
		t->data_bytes = i ? 16 : 64;
	}
	tn_gen_op(gen, "relu", "RELU", IDS(X), IDS(A));
	tn_gen_op(gen, "add", "ADD", IDS(A, W), IDS(B));
	tn_gen_op(gen, "reshape", "RESHAPE", IDS(B), IDS(C));
	tn_gen_op(gen, "mystery", "Mystery", IDS(C), IDS(D));
	tn_gen_op(gen, "state", "ADD", IDS(V, A), IDS(V));
	tn_gen_op(gen, "last", "ADD", IDS(B, K), IDS(E));
	tn_gen_op(gen, "watch", "RELU", IDS(E), IDS(F));
	tn_gen_op(gen, "slice", "Slice", IDS(B), IDS(PART));
	(void)tn_build_attr_bool(&gen->build, "view", true);
	tn_gen_op(gen, "tail", "RELU", IDS(PART), IDS(G));
	tn_gen_op(gen, "sum", "FULLY_CONNECTED", IDS(G, FILTER, -1), IDS(SUMS));
	gen->build.ops.items[SUM].inputs[0].i = B;
	tn_gen_finish(gen, g);
}

static void make_plan(struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan)
{
	ck_assert_int_eq(
		tn_plan_init(plan, &gen->arena, g->n_tensors, g->n_ops, 1), TN_OK);
	plan->regions[0].align = 1;
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		plan->tensors[i].bytes = g->tensors[i].bytes;
		plan->tensors[i].offset = 16 * i;
		plan->tensors[i].region =
			g->tensors[i].role == ROLE_CONST ? TN_REGION_NONE : 0;
	}
	gen_plan_settle(g, plan);
}

/* The edits. `settle` follows each, so that only the named thing is wrong. */
static void nothing(struct tn_graph *g, struct tn_plan *p)
{
	(void)g;
	(void)p;
}

static void put_at(struct tn_plan *p, uint32_t tensor, uint32_t other, int64_t shift)
{
	p->tensors[tensor].offset = p->tensors[other].offset + shift;
}

/* The op's kernel writes so many bytes past the end of its output. */
static void give_tail(struct tn_graph *g, uint32_t op, int64_t bytes)
{
	static struct tn_attr tail;

	tail = (struct tn_attr){
		.name = "extra_tail_bytes", .kind = ATTR_INT, .v.i = bytes, .n = 1
	};
	g->ops[op].attrs = &tail;
	g->ops[op].n_attrs = 1;
}

#define EDIT(name, ...)                                                                  \
	static void name(struct tn_graph *g, struct tn_plan *p)                          \
	{                                                                                \
		(void)g;                                                                 \
		(void)p;                                                                 \
		__VA_ARGS__                                                              \
	}

/* Every tensor where it is. */
static struct tn_plan_pin *every_pin(const struct tn_graph *g)
{
	static struct tn_plan_pin pins[TENSORS];

	for (uint32_t i = 0; i < g->n_tensors; i++)
		pins[i] = (struct tn_plan_pin){ i, 0, -1 };
	for (uint32_t i = 0; i < g->n_tensors; i++) /* constants are in no memory */
		if (g->tensors[i].role == ROLE_CONST)
			pins[i].tensor = X;
	return pins;
}

/* The op works in tensors that only an attribute names. */
static void give_scratch(struct tn_graph *g, uint32_t op, const char *a, const char *b)
{
	static const char *names[2];
	static struct tn_attr scratch;

	names[0] = a;
	names[1] = b;
	scratch = (struct tn_attr){ .name = "scratch",
		.kind = ATTR_STRINGS,
		.v.strings = names,
		.n = b ? 2 : 1 };
	g->ops[op].attrs = &scratch;
	g->ops[op].n_attrs = 1;
}

EDIT(in_place, put_at(p, B, W, 0);)
EDIT(shifted_down, p->tensors[W].offset = 400; put_at(p, B, W, -1);)
EDIT(shifted_up, p->tensors[W].offset = 400; put_at(p, B, W, 1);)
EDIT(shifted_up_descending, shifted_up(g, p); p->ops[ADD].descending = 1;)
EDIT(shifted_down_descending, shifted_down(g, p); p->ops[ADD].descending = 1;)
EDIT(over_living, put_at(p, B, A, 0);)
EDIT(elided, put_at(p, C, B, 0); p->ops[RESHAPE].elided = true;)
EDIT(elided_elsewhere, p->ops[RESHAPE].elided = true;)
EDIT(elided_add, put_at(p, B, W, 0); p->ops[ADD].elided = true;)
EDIT(elided_sum, put_at(p, SUMS, B, 0); p->ops[SUM].elided = true;)
EDIT(copied_in_place, put_at(p, C, B, 0);)
EDIT(copied_near, p->tensors[B].offset = 400; put_at(p, C, B, 8);)
EDIT(opaque_in_place, put_at(p, D, C, 8);)
EDIT(preserved_lost, put_at(p, D, X, 12); p->tensors[W].offset = 400;)
EDIT(preserved_reused, preserved_lost(g, p); g->tensors[X].clobber = true;)
EDIT(output_lost, put_at(p, SUMS, E, 3);)
EDIT(observed_lost, put_at(p, SUMS, F, 5);)
EDIT(variable_lost, put_at(p, D, V, 0);)
EDIT(variable_lost_late, put_at(p, SUMS, V, 0);)
EDIT(inputs_meet, put_at(p, W, X, 15); p->tensors[A].offset = 400;)
EDIT(two_swapped, p->order[0] = ADD; p->order[1] = RELU;)
EDIT(no_permutation, p->order[3] = ADD;)
EDIT(no_such_op, p->order[3] = OPS;)
EDIT(other_order, p->order[6] = SLICE; p->order[7] = WATCH;)
EDIT(before_its_view, p->order[7] = TAIL; p->order[8] = SLICE;)
EDIT(unknown_hold, p->ops[RELU].hold = 1;)
EDIT(unknown_order, p->ops[RELU].descending = 2;)
EDIT(opaque_descending, p->ops[MYSTERY].descending = 1;)
EDIT(no_scratch, p->ops[SUM].hold = 1;)
EDIT(with_scratch, p->ops[SUM].hold = 1; p->ops[SUM].scratch_offset = 480;
	p->ops[SUM].scratch_bytes = 4; p->ops[SUM].scratch_region = 0;)
EDIT(scratch_on_input, with_scratch(g, p); p->tensors[B].offset = 470;)
EDIT(scratch_on_output, with_scratch(g, p); p->tensors[SUMS].offset = 483;)
EDIT(scratch_on_living, p->ops[RESHAPE].scratch_offset = 16 * A;
	p->ops[RESHAPE].scratch_bytes = 3;)
EDIT(scratch_odd, with_scratch(g, p); p->ops[SUM].scratch_offset += 8;)
EDIT(scratch_nowhere, with_scratch(g, p); p->ops[SUM].scratch_bytes = INT64_MAX;)
EDIT(below_zero, p->tensors[D].offset = -8;)
EDIT(beyond_used, p->tensors[D].offset = p->regions[0].used - 7;)
EDIT(beyond_all, p->tensors[D].offset = INT64_MAX - 2;)
EDIT(over_capacity, p->regions[0].capacity = p->regions[0].used - 1;)
EDIT(at_capacity, p->regions[0].capacity = p->regions[0].used;)
EDIT(arena_too_small, p->arena_bytes -= 1;)
EDIT(no_region, p->tensors[D].region = 7;)
EDIT(region_align, p->regions[0].align = 16; p->tensors[D].offset += 8;)
EDIT(region_align_zero, p->regions[0].align = 0;)
EDIT(natural_align, p->tensors[D].offset += 1; g->tensors[D].dtype = DTYPE_I16;
	g->tensors[D].shape.dim[0] = g->tensors[D].elements = 4;)
EDIT(view_elsewhere, p->tensors[PART].offset += 1;)
EDIT(view_derived, p->tensors[PART].region = TN_REGION_NONE;)
EDIT(unplaced, p->tensors[D].region = TN_REGION_NONE;)
EDIT(unplaced_input, g->n_ops = p->n_ops = 0; p->tensors[W].region = TN_REGION_NONE;)
EDIT(unplaced_output, g->n_ops = p->n_ops = 0; p->tensors[E].region = TN_REGION_NONE;)
EDIT(other_size, p->tensors[D].bytes = 9;)
EDIT(other_count, p->n_ops -= 1;)
EDIT(constant_placed, p->tensors[K].region = 0;)
EDIT(constant_written, g->ops[WATCH].outputs[0].i = K;)
EDIT(first_value, g->tensors[V].data_kind = DATA_BYTES;)
EDIT(first_value_met, first_value(g, p); put_at(p, D, V, 0);)
EDIT(never_written, g->ops[RELU].outputs[0].i = F;)
EDIT(state_order, g->ops[MYSTERY].kind = OP_READ_VARIABLE;
	g->ops[SUM].kind = OP_READ_VARIABLE; p->order[3] = SUM; p->order[9] = MYSTERY;)

EDIT(tail_in_gap, give_tail(g, MYSTERY, 8);)
EDIT(tail_on_living, give_tail(g, MYSTERY, 9);)
EDIT(tail_on_dead, put_at(p, SUMS, A, 0); give_tail(g, SUM, 12);)
EDIT(tail_on_input, put_at(p, SUMS, A, 0); give_tail(g, SUM, 13);)
EDIT(tail_on_output, put_at(p, SUMS, E, -8); p->tensors[K].offset = 0;
	give_tail(g, SUM, 6);)
EDIT(tail_on_scratch, p->tensors[D].offset = 400; give_tail(g, MYSTERY, 9);
	p->ops[MYSTERY].scratch_offset = 416; p->ops[MYSTERY].scratch_bytes = 3;
	p->ops[MYSTERY].scratch_region = 0;)
EDIT(tail_at_end, give_tail(g, SUM, 4);)
EDIT(tail_beyond_all, give_tail(g, SUM, INT64_MAX);)
EDIT(tail_owned, give_tail(g, SUM, 4); p->regions[0].owned = true;
	p->n_pins = g->n_tensors; p->pins = every_pin(g);)

EDIT(named_scratch, give_scratch(g, SUM, "a", "c");)
EDIT(named_on_living, give_scratch(g, WATCH, "b", NULL);)
EDIT(one_named, put_at(p, D, A, 0); p->order[3] = STATE; p->order[4] = MYSTERY;
	give_scratch(g, SUM, "a", "c");)
EDIT(named_on_named, one_named(g, p); give_scratch(g, SUM, "a", "d");)
EDIT(named_on_scratch, give_scratch(g, SUM, "d", NULL); p->ops[SUM].hold = 1;
	p->ops[SUM].scratch_offset = 16 * D; p->ops[SUM].scratch_bytes = 4;
	p->ops[SUM].scratch_region = 0;)
EDIT(named_constant, give_scratch(g, SUM, "k", NULL);)

#define NOT TN_NONE

static const struct example {
	const char *name;
	void (*edit)(struct tn_graph *g, struct tn_plan *p);
	bool settled; /* afterwards the regions grow to hold what was moved */
	const char *rule; /* NULL: accepted */
	uint32_t op, tensor;
	int64_t begin, end; /* bytes of the tensor */
	uint32_t expected, found; /* tensors whose bytes belong there, and are there */
} examples[] = {
	/* clang-format off */
	{ "nothing", nothing, true, NULL, NOT, NOT, 0, 0, NOT, NOT },
	{ "in place", in_place, true, NULL, NOT, NOT, 0, 0, NOT, NOT },
	{ "shifted down", shifted_down, true, NULL, NOT, NOT, 0, 0, NOT, NOT },
	{ "shifted up", shifted_up, true, "plan/overlap", ADD, W, 1, 2, W, B },
	{ "shifted up descending", shifted_up_descending, true, NULL, NOT, NOT, 0, 0, NOT, NOT },
	{ "shifted down descending", shifted_down_descending, true, "plan/overlap", ADD, W, 14, 15, W, B },
	{ "over living", over_living, true, "plan/lost-value", STATE, A, 0, 16, A, B },
	{ "elided", elided, true, NULL, NOT, NOT, 0, 0, NOT, NOT },
	{ "elided elsewhere", elided_elsewhere, true, "plan/elided", RESHAPE, C, 0, 16, B, NOT },
	{ "elided add", elided_add, true, "plan/elided", ADD, B, 0, 16, B, W },
	{ "elided sum", elided_sum, true, "plan/elided", SUM, SUMS, 0, 4, SUMS, B },
	{ "copied in place", copied_in_place, true, NULL, NOT, NOT, 0, 0, NOT, NOT },
	{ "copied near", copied_near, true, "plan/overlap", RESHAPE, B, 8, 16, B, B },
	{ "opaque in place", opaque_in_place, true, "plan/overlap", MYSTERY, C, 8, 16, B, D },
	{ "preserved lost", preserved_lost, true, "plan/input-lost", NOT, X, 12, 16, X, D },
	{ "preserved reused", preserved_reused, true, NULL, NOT, NOT, 0, 0, NOT, NOT },
	{ "output lost", output_lost, true, "plan/output-lost", NOT, E, 3, 7, E, SUMS },
	{ "observed lost", observed_lost, true, "plan/observed-lost", NOT, F, 5, 9, F, SUMS },
	{ "variable lost", variable_lost, true, "plan/lost-value", STATE, V, 0, 8, V, D },
	{ "variable lost late", variable_lost_late, true, "plan/variable-lost", NOT, V, 0, 4, V, SUMS },
	{ "inputs meet", inputs_meet, true, "plan/overlap", NOT, X, 15, 16, X, W },
	{ "two swapped", two_swapped, true, "plan/order", ADD, A, 0, 16, A, NOT },
	{ "no permutation", no_permutation, true, "plan/order", ADD, NOT, 0, 0, NOT, NOT },
	{ "no such op", no_such_op, true, "plan/order", NOT, NOT, 0, 0, NOT, NOT },
	{ "other order", other_order, true, NULL, NOT, NOT, 0, 0, NOT, NOT },
	{ "before its view", before_its_view, true, NULL, NOT, NOT, 0, 0, NOT, NOT },
	{ "unknown hold", unknown_hold, true, "plan/variant", RELU, NOT, 0, 0, NOT, NOT },
	{ "unknown order", unknown_order, true, "plan/variant", RELU, NOT, 0, 0, NOT, NOT },
	{ "opaque descending", opaque_descending, true, "plan/variant", MYSTERY, NOT, 0, 0, NOT, NOT },
	{ "no scratch", no_scratch, true, "plan/scratch-size", SUM, NOT, 0, 0, NOT, NOT },
	{ "with scratch", with_scratch, true, NULL, NOT, NOT, 0, 0, NOT, NOT },
	{ "scratch on input", scratch_on_input, true, "plan/scratch-overlap", SUM, B, 10, 14, B, NOT },
	{ "scratch on output", scratch_on_output, true, "plan/scratch-overlap", SUM, NOT, 0, 0, NOT, NOT },
	{ "scratch on living", scratch_on_living, true, "plan/lost-value", STATE, A, 0, 3, A, NOT },
	{ "scratch odd", scratch_odd, true, "plan/misaligned", SUM, NOT, 0, 0, NOT, NOT },
	{ "scratch nowhere", scratch_nowhere, false, "plan/outside-arena", SUM, NOT, 0, 0, NOT, NOT },
	{ "below zero", below_zero, false, "plan/outside-arena", NOT, D, 0, 0, NOT, NOT },
	{ "beyond used", beyond_used, false, "plan/outside-arena", NOT, D, 0, 0, NOT, NOT },
	{ "beyond all", beyond_all, false, "plan/outside-arena", NOT, D, 0, 0, NOT, NOT },
	{ "over capacity", over_capacity, false, "plan/outside-arena", NOT, NOT, 0, 0, NOT, NOT },
	{ "at capacity", at_capacity, false, NULL, NOT, NOT, 0, 0, NOT, NOT },
	{ "arena too small", arena_too_small, false, "plan/outside-arena", NOT, NOT, 0, 0, NOT, NOT },
	{ "no region", no_region, false, "plan/outside-arena", NOT, D, 0, 0, NOT, NOT },
	{ "region align", region_align, true, "plan/misaligned", NOT, D, 0, 0, NOT, NOT },
	{ "region align zero", region_align_zero, true, "plan/misaligned", NOT, NOT, 0, 0, NOT, NOT },
	{ "natural align", natural_align, true, "plan/misaligned", NOT, D, 0, 0, NOT, NOT },
	{ "view elsewhere", view_elsewhere, false, "plan/view", NOT, PART, 0, 0, NOT, NOT },
	{ "view derived", view_derived, false, NULL, NOT, NOT, 0, 0, NOT, NOT },
	{ "unplaced", unplaced, true, "plan/unplaced", MYSTERY, D, 0, 0, NOT, NOT },
	{ "unplaced input", unplaced_input, false, "plan/unplaced", NOT, W, 0, 0, NOT, NOT },
	{ "unplaced output", unplaced_output, false, "plan/unplaced", NOT, E, 0, 0, NOT, NOT },
	{ "other size", other_size, false, "plan/stale", NOT, D, 0, 0, NOT, NOT },
	{ "other count", other_count, false, "plan/stale", NOT, NOT, 0, 0, NOT, NOT },
	{ "constant placed", constant_placed, true, "plan/constant-placed", NOT, K, 0, 0, NOT, NOT },
	{ "constant written", constant_written, true, "plan/constant-overwrite", WATCH, K, 0, 0, NOT, NOT },
	{ "first value", first_value, true, NULL, NOT, NOT, 0, 0, NOT, NOT },
	{ "first value met", first_value_met, true, "plan/lost-value", STATE, V, 0, 8, V, D },
	{ "never written", never_written, true, "plan/lost-value", ADD, A, 0, 16, NOT, NOT },
	{ "named scratch", named_scratch, true, NULL, NOT, NOT, 0, 0, NOT, NOT },
	{ "named scratch on living", named_on_living, true, "plan/lost-value", TAIL, PART, 0, 8, B, NOT },
	{ "one named scratch", one_named, true, NULL, NOT, NOT, 0, 0, NOT, NOT },
	{ "named scratch on another", named_on_named, true, "plan/scratch-overlap", SUM, NOT, 0, 0, NOT, NOT },
	{ "named scratch on scratch", named_on_scratch, true, "plan/scratch-overlap", SUM, NOT, 0, 0, NOT, NOT },
	{ "named constant", named_constant, true, "plan/constant-overwrite", SUM, K, 0, 0, NOT, NOT },
	{ "tail in gap", tail_in_gap, true, NULL, NOT, NOT, 0, 0, NOT, NOT },
	{ "tail on living", tail_on_living, true, "plan/lost-value", STATE, V, 0, 1, V, D },
	{ "tail on dead", tail_on_dead, true, NULL, NOT, NOT, 0, 0, NOT, NOT },
	{ "tail on input", tail_on_input, true, "plan/overlap", SUM, B, 0, 1, B, SUMS },
	{ "tail on output", tail_on_output, true, "plan/output-lost", NOT, E, 0, 2, E, SUMS },
	{ "tail on scratch", tail_on_scratch, true, "plan/scratch-overlap", MYSTERY, NOT, 0, 0, NOT, NOT },
	{ "tail at end", tail_at_end, true, NULL, NOT, NOT, 0, 0, NOT, NOT },
	{ "tail beyond end", tail_at_end, false, "plan/outside-arena", SUM, SUMS, 0, 0, NOT, NOT },
	{ "tail beyond all", tail_beyond_all, false, "plan/outside-arena", SUM, SUMS, 0, 0, NOT, NOT },
	{ "tail in the caller's", tail_owned, true, "plan/pin", SUM, SUMS, 0, 0, NOT, NOT },
	{ "state order", state_order, true, "plan/order", SUM, NOT, 0, 0, NOT, NOT },
	/* clang-format on */
};

START_TEST(says_what_is_wrong)
{
	const struct example *e = &examples[_i];
	struct tn_gen gen;
	struct tn_graph g;
	struct tn_plan plan;
	struct tn_verdict v;
	const struct tn_diag *d;
	enum tn_status status;

	tn_gen_init(&gen, 1);
	make_graph(&gen, &g);
	make_plan(&gen, &g, &plan);
	e->edit(&g, &plan);
	if (e->settled)
		gen_plan_settle(&g, &plan);
	status = tn_verify(&g, &plan, &gen.arena, &gen.diags, &v);
	if (!e->rule) {
		show(&gen.diags);
		ck_assert_msg(status == TN_OK && v.accepted && !gen.diags.list.count,
			"%s: refused", e->name);
		tn_gen_release(&gen);
		return;
	}
	ck_assert_msg(status == TN_ERR_REFUSED && !v.accepted, "%s: %d", e->name, status);
	ck_assert_msg(strcmp(v.rule, e->rule) == 0, "%s: %s", e->name, v.rule);
	ck_assert_msg(v.op == e->op && v.tensor == e->tensor, "%s: op %u, tensor %u",
		e->name, v.op, v.tensor);
	ck_assert_msg(v.begin == e->begin && v.end == e->end,
		"%s: bytes %" PRId64 "..%" PRId64, e->name, v.begin, v.end);
	if (e->begin < e->end) {
		const struct tn_plan_tensor *p = &plan.tensors[e->tensor];

		ck_assert_msg(v.place == p->offset + v.begin, "%s: at %" PRId64, e->name,
			v.place);
		ck_assert_msg(v.expected.tensor == e->expected, "%s: expected tensor %u",
			e->name, v.expected.tensor);
		ck_assert_msg(v.found.tensor == e->found, "%s: found tensor %u", e->name,
			v.found.tensor);
	}
	ck_assert_msg(v.refusals == 1 && gen.diags.list.count == 1,
		"%s: one cause, %u refusals", e->name, v.refusals);
	d = &gen.diags.list.items[0];
	ck_assert_str_eq(d->rule, e->rule);
	ck_assert_ptr_eq(d->subject, e->op != NOT	? g.ops[e->op].name
				     : e->tensor != NOT ? g.tensors[e->tensor].name
							: NULL);
	tn_gen_release(&gen);
}
END_TEST

/* Ten thousand million steps: alike and ahead of the writes, they need no replay; else
 * nobody waits for it, and what is not replayed is not proved. */
START_TEST(too_long_to_replay)
{
	static const struct {
		int64_t in, out;
		bool descending;
		const char *rule;
	} cases[] = { { 0, 0, false, NULL }, { 1, 0, false, NULL },
		{ 0, 1, false, "plan/step-limit" }, { 0, 1, true, NULL },
		{ 1, 0, true, "plan/step-limit" }, { 10000000000, 0, true, NULL } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int64_t dim[] = { 100000, 100000 };
		struct tn_gen gen;
		struct tn_graph g;
		struct tn_plan plan;
		struct tn_verdict v;
		enum tn_status status;

		tn_gen_init(&gen, 1);
		tn_gen_tensor(&gen, "x", DTYPE_I8, ROLE_INPUT, 2, dim)->clobber = true;
		tn_gen_tensor(&gen, "y", DTYPE_I8, ROLE_OUTPUT, 2, dim);
		tn_gen_op(&gen, "relu", "RELU", IDS(0), IDS(1));
		tn_gen_finish(&gen, &g);
		ck_assert_int_eq(tn_plan_init(&plan, &gen.arena, 2, 1, 1), TN_OK);
		plan.regions[0].align = 1;
		for (int t = 0; t < 2; t++) {
			plan.tensors[t].region = 0;
			plan.tensors[t].bytes = g.tensors[t].bytes;
			plan.tensors[t].offset = t ? cases[i].out : cases[i].in;
		}
		plan.ops[0].descending = cases[i].descending;
		plan.regions[0].used = plan.arena_bytes = 20000000000;
		status = tn_verify(&g, &plan, &gen.arena, &gen.diags, &v);
		ck_assert_msg(
			status == (cases[i].rule ? TN_ERR_REFUSED : TN_OK) &&
				(!cases[i].rule || strcmp(v.rule, cases[i].rule) == 0),
			"case %zu: %s", i, v.rule ? v.rule : "accepted");
		tn_gen_release(&gen);
	}
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("verify_rules");
	TCase *tc = tcase_create("verify_rules");

	tcase_add_loop_test(
		tc, says_what_is_wrong, 0, sizeof(examples) / sizeof(*examples));
	tcase_add_test(tc, too_long_to_replay);
	suite_add_tcase(s, tc);
	return s;
}
