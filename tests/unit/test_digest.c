#include "suite.h"

#include "gen_graph.h"
#include "ir/digest.h"

static bool has_attr(const struct tn_graph *g, enum tn_attr_kind kind)
{
	for (uint32_t i = 0; i < g->n_ops; i++)
		for (uint32_t k = 0; k < g->ops[i].n_attrs; k++)
			if (g->ops[i].attrs[k].kind == kind)
				return true;
	return false;
}

static struct tn_attr *some_attr(struct tn_graph *g, enum tn_attr_kind kind)
{
	for (uint32_t i = 0; i < g->n_ops; i++)
		for (uint32_t k = 0; k < g->ops[i].n_attrs; k++)
			if (g->ops[i].attrs[k].kind == kind)
				return &g->ops[i].attrs[k];
	ck_abort_msg("no attribute of kind %d in the graph", (int)kind);
	return NULL;
}

static struct tn_tensor *some_const(struct tn_graph *g)
{
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (g->tensors[i].data_kind == DATA_BYTES)
			return &g->tensors[i];
	ck_abort_msg("no constant in the graph");
	return NULL;
}

static float halves[] = { 0.5f };
static const int64_t ints[] = { 77, 78, 79, 80 };

#define EDIT(name, code)                                                                 \
	static void name(struct tn_graph *g)                                             \
	{                                                                                \
		code                                                                     \
	}

EDIT(tensor_name, g->tensors[0].name = "other";)
EDIT(dtype, g->tensors[0].dtype = DTYPE_U8;)
EDIT(role, g->tensors[0].role = ROLE_VARIABLE;)
EDIT(rank, g->tensors[0].shape.rank--;)
EDIT(dim, g->tensors[0].shape.dim[1]++;)
EDIT(mutated, g->tensors[0].mutated = true;)
EDIT(scale, g->tensors[0].quant.scale = halves;)
EDIT(zero_point, g->tensors[0].quant.zero_point = ints;)
EDIT(unquantised, g->tensors[0].quant.n = 0;)
EDIT(view, g->tensors[1].view_of.i = 0;)
EDIT(view_offset, g->tensors[0].view_offset = 1;)
EDIT(strides, g->tensors[0].has_strides = true;)
EDIT(op_name, g->ops[0].name = "other";)
EDIT(op_type, g->ops[0].type = "OTHER";)
EDIT(operand, g->ops[0].inputs[0].i = TN_NONE;)
EDIT(result, g->ops[1].outputs[0].i = 0;)
EDIT(fewer_operands, g->ops[0].n_inputs--;)
EDIT(fewer_attrs, for (uint32_t i = 0; i < g->n_ops; i++) if (g->ops[i].n_attrs) g->ops[i]
			  .n_attrs--;)
EDIT(attr_name, some_attr(g, ATTR_INTS)->name = "other";)
EDIT(attr_ints, some_attr(g, ATTR_INTS)->v.ints = ints;)
EDIT(attr_string, some_attr(g, ATTR_STRING)->v.s = "other";)
EDIT(attr_int, some_attr(g, ATTR_INT)->v.i += 1;)
EDIT(schedule, g->schedule[0] = g->schedule[1];)
EDIT(graph_inputs, g->n_inputs = 0;)
EDIT(graph_outputs, g->outputs[0].i = 0;)

static const struct {
	const char *name;
	void (*edit)(struct tn_graph *g);
} edits[] = {
	{ "tensor name", tensor_name },
	{ "dtype", dtype },
	{ "role", role },
	{ "rank", rank },
	{ "dim", dim },
	{ "mutated", mutated },
	{ "scale", scale },
	{ "zero point", zero_point },
	{ "not quantised", unquantised },
	{ "view", view },
	{ "view offset", view_offset },
	{ "strides", strides },
	{ "op name", op_name },
	{ "op type", op_type },
	{ "operand", operand },
	{ "result", result },
	{ "fewer operands", fewer_operands },
	{ "fewer attributes", fewer_attrs },
	{ "attribute name", attr_name },
	{ "attribute ints", attr_ints },
	{ "attribute string", attr_string },
	{ "attribute int", attr_int },
	{ "schedule", schedule },
	{ "graph inputs", graph_inputs },
	{ "graph outputs", graph_outputs },
};

static void make(struct tn_gen *gen, struct tn_graph *g)
{
	for (uint32_t seed = 11;; seed++) { /* until there is one of each kind */
		tn_gen_init(gen, seed);
		tn_gen_graph(
			gen, &(struct tn_gen_options){ .ops = 24, .runnable = true }, g);
		if (has_attr(g, ATTR_INTS) && has_attr(g, ATTR_STRING) &&
			has_attr(g, ATTR_INT))
			break;
		ck_assert_uint_lt(seed, 500);
		tn_gen_release(gen);
	}
}

START_TEST(every_field_counts)
{
	struct tn_gen gen;
	struct tn_graph g;
	uint64_t graph, constants;

	make(&gen, &g);
	graph = tn_digest_graph(&g);
	constants = tn_digest_constants(&g);
	ck_assert_uint_eq(tn_digest_graph(&g), graph);
	edits[_i].edit(&g);
	ck_assert_msg(tn_digest_graph(&g) != graph, "%s does not count", edits[_i].name);
	ck_assert_msg(tn_digest_constants(&g) == constants, "%s is no constant",
		edits[_i].name);
	tn_gen_release(&gen);
}
END_TEST

START_TEST(constants_count)
{
	static const uint8_t data[4096] = { 1 };
	struct tn_gen gen;
	struct tn_graph g;
	uint64_t graph, constants;

	make(&gen, &g);
	graph = tn_digest_graph(&g);
	constants = tn_digest_constants(&g);
	some_const(&g)->data = data;
	ck_assert_uint_ne(tn_digest_constants(&g), constants);
	ck_assert_uint_eq(tn_digest_graph(&g), graph);
	tn_gen_release(&gen);
}
END_TEST

/* What may be done with the tensors is not what the graph is. */
START_TEST(permissions_do_not_count)
{
	struct tn_gen gen;
	struct tn_graph g;
	uint64_t graph;

	make(&gen, &g);
	graph = tn_digest_graph(&g);
	g.tensors[0].clobber = !g.tensors[0].clobber;
	g.tensors[1].observed = !g.tensors[1].observed;
	g.tensors[1].pointer = "/elsewhere";
	g.name = "renamed";
	ck_assert_uint_eq(tn_digest_graph(&g), graph);
	tn_gen_release(&gen);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("digest");
	TCase *tc = tcase_create("digest");

	tcase_add_loop_test(tc, every_field_counts, 0, sizeof(edits) / sizeof(*edits));
	tcase_add_test(tc, constants_count);
	tcase_add_test(tc, permissions_do_not_count);
	suite_add_tcase(s, tc);
	return s;
}
