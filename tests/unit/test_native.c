#define _XOPEN_SOURCE 700
#include "suite.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ir/seed.h"
#include "loaded.h"

static const struct tn_tensor *tensor_named(const struct tn_graph *g, const char *name)
{
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (strcmp(g->tensors[i].name, name) == 0)
			return &g->tensors[i];
	ck_abort_msg("no tensor '%s'", name);
	return NULL;
}

static const struct tn_op *op_named(const struct tn_graph *g, const char *name)
{
	for (uint32_t i = 0; i < g->n_ops; i++)
		if (strcmp(g->ops[i].name, name) == 0)
			return &g->ops[i];
	ck_abort_msg("no op '%s'", name);
	return NULL;
}

static const struct tn_claim *claim_named(const struct tn_graph *g, const char *id)
{
	for (uint32_t i = 0; i < g->n_claims; i++)
		if (strcmp(g->claims[i].id, id) == 0)
			return &g->claims[i];
	ck_abort_msg("no claim '%s'", id);
	return NULL;
}

static uint32_t word_at(const struct tn_tensor *t, size_t index)
{
	uint32_t word;

	ck_assert_int_ge(t->data_bytes, (int64_t)(4 * index + 4));
	memcpy(&word, t->data + 4 * index, sizeof(word));
	return word;
}

static uint32_t bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static void load_features(struct loaded *l)
{
	loaded_file(l, tn_test_path("fixtures/graphs/features.json"), NULL);
	loaded_ok(l, "features");
}

START_TEST(tensors_are_read)
{
	struct loaded l;
	const struct tn_graph *g = &l.graph;
	const struct tn_tensor *t;

	load_features(&l);
	ck_assert_str_eq(g->name, "features");
	ck_assert_int_eq(g->format, FORMAT_NATIVE);
	ck_assert_uint_eq(g->invocations, 2);
	t = tensor_named(g, "x");
	ck_assert_int_eq(t->role, ROLE_INPUT);
	ck_assert(t->clobber);
	ck_assert_int_eq(t->bytes, 32);
	ck_assert_str_eq(t->pointer, "/tensors/0");
	t = tensor_named(g, "row");
	ck_assert_uint_eq(t->view_of.i, 1);
	ck_assert_int_eq(t->view_offset, 4);
	ck_assert(!t->has_strides);
	t = tensor_named(g, "columns");
	ck_assert_uint_eq(t->view_of.i, 2);
	ck_assert(t->has_strides);
	ck_assert_int_eq(t->stride[1], 2);
	ck_assert(g->tensors[14].observed);
	ck_assert_str_eq(g->tensors[14].name, "twice");
	ck_assert(tensor_named(g, "state")->mutated);
	ck_assert(tensor_named(g, "cache")->mutated); /* 'update' says so */
	ck_assert_int_eq(tensor_named(g, "work")->role, ROLE_SCRATCH);
	ck_assert_int_eq(tensor_named(g, "bias")->role, ROLE_CONST); /* it has data */
	t = tensor_named(g, "w");
	ck_assert_uint_eq(t->quant.n, 2);
	ck_assert_uint_eq(bits_of(t->quant.scale[0]), 0x3b808081);
	ck_assert_uint_eq(bits_of(t->quant.scale[1]), 0x3c23d70a);
	t = tensor_named(g, "q");
	ck_assert_uint_eq(t->quant.n, 1);
	ck_assert_int_eq(t->quant.zero_point[0], 128);
	loaded_release(&l);
}
END_TEST

START_TEST(constants_are_read)
{
	static const uint8_t base64[] = { 1, 2, 3, 0xFC, 0x7F, 0x80, 0, 0xFF };
	static const uint32_t floats[] = { 0, 0x3f800000, 0xc0200000, 1, 0x7f800000,
		0xff800000, 0x3f800001, 0x3dcccccd };
	uint8_t seeded[5];
	struct loaded l;
	const struct tn_tensor *t;
	int64_t value;

	load_features(&l);
	t = tensor_named(&l.graph, "w");
	ck_assert_int_eq(t->data_bytes, 8);
	ck_assert_mem_eq(t->data, base64, 8);
	t = tensor_named(&l.graph, "cache");
	ck_assert_int_eq(t->role, ROLE_VARIABLE);
	for (size_t i = 0; i < 8; i++)
		ck_assert_msg(
			word_at(t, i) == floats[i], "float %zu: %08x", i, word_at(t, i));
	t = tensor_named(&l.graph, "bias");
	ck_assert_uint_eq(word_at(t, 0), 0x80000000);
	ck_assert_uint_eq(word_at(t, 1), 0x7fffffff);
	t = tensor_named(&l.graph, "nibbles"); /* the first one in the low half */
	ck_assert_int_eq(t->data_bytes, 2);
	ck_assert_uint_eq(t->data[0], 0x78);
	ck_assert_uint_eq(t->data[1], 0x0F);
	t = tensor_named(&l.graph, "flags");
	ck_assert_mem_eq(t->data, "\1\0\1", 3);
	t = tensor_named(&l.graph, "large"); /* beyond what a double holds */
	ck_assert(tn_tensor_int(t, 0, &value));
	ck_assert_int_eq(value, 9007199254740993);
	ck_assert(tn_tensor_int(t, 1, &value));
	ck_assert_int_eq(value, INT64_MIN);
	t = tensor_named(&l.graph, "doubles");
	ck_assert_uint_eq(word_at(t, 1), 0x3fb99999);
	ck_assert_uint_eq(word_at(t, 3), 0x7ff80000);
	t = tensor_named(&l.graph, "seeded");
	ck_assert(t->seeded);
	ck_assert_uint_eq(t->seed, 42);
	tn_seed_const(42, DTYPE_I8, seeded, 5);
	ck_assert_mem_eq(t->data, seeded, 5);
	t = tensor_named(&l.graph, "beside");
	ck_assert_mem_eq(t->data, "\1\0\xff\x80", 4);
	t = tensor_named(&l.graph, "topology");
	ck_assert_int_eq(t->data_kind, DATA_MISSING);
	loaded_release(&l);
}
END_TEST

START_TEST(ops_are_read)
{
	struct loaded l;
	const struct tn_graph *g = &l.graph;
	const struct tn_op *op;
	const struct tn_attr *a;

	load_features(&l);
	op = op_named(g, "add");
	ck_assert_int_eq(op->kind, OP_ADD);
	ck_assert_str_eq(tn_op_string(op, "activation", ""), "RELU6");
	ck_assert_int_eq(tn_op_attr(op, "flag")->kind, ATTR_BOOL);
	ck_assert_int_eq(tn_op_int(op, "count", 0), 3);
	ck_assert(tn_op_float(op, "ratio", 0) == 0.1);
	ck_assert_int_eq(tn_op_int_at(op, "axes", 1, 0), -2);
	a = tn_op_attr(op, "mixed");
	ck_assert_int_eq(a->kind, ATTR_FLOATS);
	ck_assert(a->v.floats[0] == 1 && a->v.floats[1] == 0.5);
	a = tn_op_attr(op, "names");
	ck_assert_int_eq(a->kind, ATTR_STRINGS);
	ck_assert_str_eq(a->v.strings[1], "b");
	ck_assert_uint_eq(tn_op_attr(op, "empty")->n, 0);
	ck_assert(tn_op_float(op, "odd", 0) > 1e308);
	op = op_named(g, "Sigmoid#2");
	ck_assert_int_eq(op->kind, OP_LOGISTIC);
	ck_assert_str_eq(op->type, "Sigmoid");
	op = op_named(g, "custom");
	ck_assert_uint_eq(op->inputs[1].i, TN_NONE);
	ck_assert_uint_eq(g->n_outputs, 2);
	ck_assert_str_eq(g->tensors[g->outputs[0].i].name, "z");
	ck_assert_str_eq(g->ops[g->schedule[5].i].name, "end");
	ck_assert_uint_eq(g->n_subgraphs, 1);
	ck_assert_str_eq(g->subgraphs[0].name, "then");
	ck_assert_str_eq(g->subgraphs[0].ops[0].pointer, "/subgraphs/0/ops/0");
	loaded_release(&l);
}
END_TEST

START_TEST(claims_are_read)
{
	struct loaded l;
	const struct tn_graph *g = &l.graph;
	const struct tn_claim *c;

	load_features(&l);
	ck_assert_uint_eq(g->n_claims, 10);
	c = claim_named(g, "a");
	ck_assert_str_eq(c->kind, "inplace");
	ck_assert_uint_eq(c->op.i, 2);
	ck_assert_uint_eq(c->in.i, 13);
	ck_assert_uint_eq(c->out.i, 14);
	ck_assert_uint_eq(c->tensor.i, TN_NONE);
	ck_assert_int_eq(c->byte_offset, -1);
	ck_assert_int_eq(claim_named(g, "b")->byte_offset, 16);
	ck_assert_int_eq(claim_named(g, "d")->byte_offset, 0);
	ck_assert_uint_eq(claim_named(g, "d")->of.i, 0);
	c = claim_named(g, "g");
	ck_assert_int_eq(c->arena_bytes, 128);
	ck_assert_int_eq(c->align, 16);
	ck_assert_int_eq(c->base_address, 0x20000000);
	ck_assert_uint_eq(c->n_places, 3);
	ck_assert_uint_eq(c->places[1].tensor.i, 15);
	ck_assert_int_eq(c->places[1].offset, 64);
	ck_assert_int_eq(c->places[1].size, 8);
	ck_assert_int_eq(c->places[0].size, -1);
	ck_assert_int_eq(c->places[2].offset, -1);
	c = claim_named(g, "h");
	ck_assert_uint_eq(c->n_order, 2);
	ck_assert_uint_eq(c->order[1].i, 7);
	ck_assert_str_eq(claim_named(g, "claim#9")->kind, "scratch");
	loaded_release(&l);
}
END_TEST

/* A branch that this run does not take may be left out of the order; what is known of the
 * control flow is kept. */
START_TEST(flattened_control_flow)
{
	static const char text[] =
		"{\"format\": \"tenure.graph/1\", \"tensors\": ["
		"{\"name\": \"x\", \"dtype\": \"i8\", \"shape\": [1], \"role\": "
		"\"input\"},"
		"{\"name\": \"a\", \"dtype\": \"i8\", \"shape\": [1]},"
		"{\"name\": \"y\", \"dtype\": \"i8\", \"shape\": [1], \"role\": "
		"\"output\"}],"
		"\"ops\": ["
		"{\"name\": \"then\", \"type\": \"NEG\", \"inputs\": [\"x\"], "
		"\"outputs\": [\"a\"]},"
		"{\"name\": \"else\", \"type\": \"ABS\", \"inputs\": [\"x\"], "
		"\"outputs\": [\"y\"]}],"
		"\"schedule\": [\"else\"], \"exec\": \"parallel\","
		"\"unrolled_from\": {\"op\": \"WHILE\", \"trip_count\": 3},"
		"\"subgraph_of\": {\"if@then\": [\"a\", \"y\"]},"
		"\"branches\": {\"if\": {\"then\": [\"then\"], \"else\": [\"else\"]}}}";
	struct loaded l;

	loaded_bytes(&l, "branches", text, sizeof(text) - 1, NULL);
	loaded_ok(&l, "branches");
	ck_assert_uint_eq(l.graph.schedule[0].i, 0);
	ck_assert_uint_eq(l.graph.schedule[1].i, 1);
	ck_assert(l.graph.parallel);
	ck_assert_str_eq(l.graph.unrolled_op, "WHILE");
	ck_assert_int_eq(l.graph.trip_count, 3);
	ck_assert_uint_eq(l.graph.n_branches, 2);
	ck_assert_str_eq(l.graph.branches[1].choice, "if");
	ck_assert_str_eq(l.graph.branches[1].name, "else");
	ck_assert_uint_eq(l.graph.branches[1].n_ops, 1);
	ck_assert_uint_eq(l.graph.branches[1].ops[0].i, 1);
	ck_assert_uint_eq(l.graph.n_scopes, 1);
	ck_assert_str_eq(l.graph.scopes[0].name, "if@then");
	ck_assert_uint_eq(l.graph.scopes[0].n_tensors, 2);
	ck_assert_uint_eq(l.graph.scopes[0].tensors[1].i, 2);
	loaded_release(&l);
}
END_TEST

static void must_load(const char *path)
{
	struct loaded l;

	loaded_file(&l, path, NULL);
	loaded_ok(&l, path);
	loaded_release(&l);
}

START_TEST(all_graphs_are_read)
{
	const char *folder;

	ck_assert_int_ge(
		each_file(tn_test_path("fixtures/graphs"), ".json", must_load), 46);
	folder = tn_test_shared("graphs");
	if (folder)
		ck_assert_int_ge(each_file(folder, ".json", must_load), 13);
}
END_TEST

/* Only one of the cases is no graph: its report is about an unknown size. */
START_TEST(all_cases_are_read)
{
	const char *path = tn_test_shared("cases/cases.jsonl");
	FILE *file;
	static char line[1 << 16];
	int count = 0, claims = 0;

	if (!path)
		return;
	file = fopen(path, "r");
	ck_assert(file != NULL);
	while (fgets(line, sizeof(line), file)) {
		json_t *item = json_loads(line, 0, NULL),
		       *graph = json_object_get(item, "graph");
		const char *id = json_string_value(json_object_get(item, "id"));
		struct loaded l;
		char *text;

		ck_assert_msg(graph != NULL && id != NULL, "line %d", count + 1);
		json_object_set_new(graph, "format", json_string("tenure.graph/1"));
		text = json_dumps(graph, 0);
		loaded_bytes(&l, id, text, strlen(text), NULL);
		if (strcmp(id, "planner-09") == 0) {
			ck_assert_int_eq(l.status, TN_ERR_INPUT);
			ck_assert_str_eq(
				l.diags.list.items[0].rule, "graph/dynamic-shape");
		} else {
			loaded_ok(&l, id);
		}
		ck_assert_uint_eq(l.graph.n_claims,
			json_array_size(json_object_get(graph, "claims")));
		claims += (int)l.graph.n_claims;
		loaded_release(&l);
		free(text);
		json_decref(item);
		count++;
	}
	fclose(file);
	ck_assert_int_eq(count, 76);
	ck_assert_int_eq(claims, 128);
}
END_TEST

static void put_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	ck_assert(out && fputs(text, out) >= 0 && fclose(out) == 0);
}

#define DATA(name, file)                                                                 \
	"{\"name\": \"" name                                                             \
	"\", \"dtype\": \"i8\", \"shape\": [2], \"role\": \"const\", "                   \
	"\"data\": {\"file\": \"" file "\"}}, "

/* However its name is spelled, a file beside the graph is in memory once; and what leaves
 * the folder is refused, wherever it comes back to. */
START_TEST(files_beside_are_read_once)
{
	static const char head[] = "{\"format\": \"tenure.graph/1\", \"tensors\": [",
			  tail[] = "{\"name\": \"x\", \"dtype\": \"i8\", \"shape\": [2], "
				   "\"role\": \"input\"}], \"ops\": []}",
			  same[] = DATA("a", "w") DATA("b", "./w") DATA("e", ".//w")
				  DATA("f", "link") DATA("g", "other");
	char folder[] = "/tmp/tenure-XXXXXX", graph[64], file[64], text[2048];
	struct loaded l;

	ck_assert(mkdtemp(folder));
	snprintf(graph, sizeof(graph), "%s/graph.json", folder);
	snprintf(text, sizeof(text), "%s%s%s", head, same, tail);
	put_file(graph, text);
	snprintf(file, sizeof(file), "%s/other", folder);
	put_file(file, "ab");
	snprintf(file, sizeof(file), "%s/w", folder);
	put_file(file, "ab");
	snprintf(text, sizeof(text), "%s/link", folder);
	ck_assert_int_eq(symlink("w", text), 0);

	loaded_file(&l, graph, NULL);
	loaded_ok(&l, graph);
	for (const char *name = "bef"; *name; name++) {
		const char other[] = { *name, '\0' };

		ck_assert_ptr_eq(tensor_named(&l.graph, other)->data,
			tensor_named(&l.graph, "a")->data);
	}
	ck_assert_ptr_nonnull(tensor_named(&l.graph, "a")->data);
	ck_assert_ptr_ne(
		tensor_named(&l.graph, "g")->data, tensor_named(&l.graph, "a")->data);
	loaded_release(&l);
	unlink(text);

	snprintf(text, sizeof(text), "%s%s%s%s", head, DATA("a", "w"),
		DATA("c", "d/.//../w"), tail);
	put_file(graph, text);
	loaded_file(&l, graph, NULL);
	ck_assert_int_eq(l.status, TN_ERR_INPUT);
	ck_assert_uint_eq(l.diags.errors, 1);
	ck_assert_ptr_nonnull(
		strstr(loaded_report(&l), "'d/.//../w' is not a path below"));
	loaded_release(&l);
	unlink(file);
	unlink(graph);
	snprintf(file, sizeof(file), "%s/other", folder);
	unlink(file);
	ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

/* Every prefix of a file is an error with a place, never a crash. */
START_TEST(cut_files_are_survived)
{
	struct loaded whole;

	load_features(&whole);
	for (size_t len = 0; len + 2 < whole.source->len; len += 7) {
		char *copy = malloc(len ? len : 1);
		struct loaded l;

		ck_assert(copy != NULL);
		memcpy(copy, whole.source->text, len);
		loaded_bytes(&l, "cut", copy, len, "native");
		ck_assert_int_eq(l.status, TN_ERR_INPUT);
		ck_assert_uint_gt(l.diags.errors, 0);
		loaded_release(&l);
		free(copy);
	}
	loaded_release(&whole);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("native");
	TCase *tc = tcase_create("read");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, tensors_are_read);
	tcase_add_test(tc, constants_are_read);
	tcase_add_test(tc, ops_are_read);
	tcase_add_test(tc, claims_are_read);
	tcase_add_test(tc, flattened_control_flow);
	tcase_add_test(tc, all_graphs_are_read);
	tcase_add_test(tc, all_cases_are_read);
	tcase_add_test(tc, files_beside_are_read_once);
	tcase_add_test(tc, cut_files_are_survived);
	suite_add_tcase(s, tc);
	return s;
}
