/* Contract files: what runtimes permit, against what the mathematics of the ops allows. */
#include <string.h>

#include "claims/declared.h"
#include "import/vocabulary.h"
#include "suite.h"

static const struct {
	const char *name;
	int vocabulary; /* of its names; -1: the table's own */
	size_t known; /* ops of the table that it speaks of, at least */
} packs[] = {
	{ "cmsis-nn", -1, 7 },
	{ "mxnet", VOCABULARY_NNVM, 8 },
	{ "onnxruntime", VOCABULARY_ONNX, 15 },
	{ "tflite", -1, 6 },
	{ "tflm", -1, 30 },
	{ "xla", VOCABULARY_HLO, 6 },
};

/* One pass over the elements is a fact about a kernel only if the op is such a map; loops
 * are those of a contract, so there must be one. */
START_TEST(permitted_is_possible)
{
	const char *name = packs[_i].name;
	struct tn_arena arena;
	struct tn_diags diags;
	struct tn_declared declared = { 0 };
	size_t known = 0;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	ck_assert_msg(tn_declared_read(name, &arena, &diags, &declared) == TN_OK,
		"%s: %s", name, diags.list.count ? diags.list.items[0].message : "");
	for (size_t i = 0; i < declared.n; i++) {
		const struct tn_declaration *d = &declared.items[i];
		enum tn_op_kind kind =
			packs[_i].vocabulary < 0
				? tn_op_kind_parse(d->op)
				: tn_vocabulary_kind(
					  (enum tn_vocabulary)packs[_i].vocabulary,
					  d->op);
		enum tn_access_class access = tn_op_info(kind)->access;

		ck_assert_msg(strlen(d->fact) > 10 && strlen(d->runtime) > 2,
			"%s: %s says nothing", name, d->op);
		if (kind == OP_UNKNOWN)
			continue;
		known++;
		if (d->access == DECLARED_ELEMENT)
			ck_assert_msg(access == ACCESS_POINTWISE || access == ACCESS_VIEW,
				"%s: an element of %s needs more than one element", name,
				d->op);
		if (d->access == DECLARED_LOOP)
			ck_assert_msg(access != ACCESS_OPAQUE,
				"%s: %s has no loops that are known", name, d->op);
	}
	ck_assert_msg(known >= packs[_i].known, "%s: %zu ops are known", name, known);
	tn_arena_release(&arena);
}
END_TEST

static const struct {
	const char *file;
	size_t line;
	const char *words;
} wrong[] = {
	{ "bad-displacement", 3, "the displacement is too large" },
	{ "bad-element", 2, "reads" },
	{ "bad-end", 3, "mismatch" },
	{ "bad-entity", 2, "a document type is not allowed" },
	{ "bad-format", 1, "format" },
	{ "bad-op", 3, "token" },
	{ "bad-type", 2, "an element type is not known" },
};

START_TEST(wrong_files)
{
	const struct tn_diag *d;
	struct tn_arena arena;
	struct tn_diags diags;
	struct tn_declared declared = { 0 };
	const char *path;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	path = tn_arena_printf(
		&arena, "%s/%s.xml", tn_test_path("fixtures/contracts"), wrong[_i].file);
	ck_assert_int_eq(tn_declared_read(path, &arena, &diags, &declared), TN_ERR_INPUT);
	ck_assert_msg(diags.list.count > 0, "%s: nothing was reported", path);
	d = &diags.list.items[0];
	ck_assert_str_eq(d->rule, "contracts/invalid");
	ck_assert_msg(strstr(d->message, wrong[_i].words) && d->line == wrong[_i].line,
		"%s:%zu: %s", path, d->line, d->message);
	tn_arena_release(&arena);
}
END_TEST

/* The last declaration that fits counts; windows tell kernels of one op apart. */
START_TEST(last_fit)
{
	struct tn_declaration list[] = { { .op = "CONV_2D", .access = DECLARED_LOOP },
		{ .op = "CONV_2D", .access = DECLARED_UNSAFE, .dtypes = 1u << DTYPE_F32 },
		{ .op = "CONV_2D", .access = DECLARED_BUFFERED, .window = WINDOW_KXK } };
	const struct tn_declared all = { list, 3 }, two = { list, 2 };
	struct tn_tensor t[] = {
		{ .dtype = DTYPE_F32, .shape = { 4, { 1, 4, 4, 1 } } },
		{ .dtype = DTYPE_F32, .shape = { 4, { 1, 3, 3, 1 } } },
		{ .dtype = DTYPE_F32, .shape = { 4, { 1, 2, 2, 1 } } },
	};
	tn_tensor_id in[] = { { 0 }, { 1 } }, out[] = { { 2 } };
	struct tn_attr valid = { .name = "pad", .kind = ATTR_STRING, .v.s = "VALID" };
	struct tn_op op = { .kind = OP_CONV_2D,
		.type = "Conv",
		.inputs = in,
		.n_inputs = 2,
		.outputs = out,
		.n_outputs = 1,
		.attrs = &valid,
		.n_attrs = 1 };
	struct tn_graph g = { .tensors = t, .n_tensors = 3, .ops = &op, .n_ops = 1 };

	ck_assert_ptr_eq(tn_declared_find(&all, &g, 0), &list[2]);
	ck_assert_ptr_eq(tn_declared_find(&two, &g, 0), &list[1]);
	t[0].dtype = DTYPE_I8;
	ck_assert_ptr_eq(tn_declared_find(&two, &g, 0), &list[0]);
	t[1].shape.dim[1] = t[1].shape.dim[2] = 1;
	t[2].shape.dim[1] = t[2].shape.dim[2] = 4;
	ck_assert_ptr_eq(tn_declared_find(&all, &g, 0), &list[0]);
	op.kind = OP_UNKNOWN;
	ck_assert_ptr_eq(tn_declared_find(&all, &g, 0), NULL);
	ck_assert_ptr_eq(tn_declared_find(NULL, &g, 0), NULL);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("declared");
	TCase *tc = tcase_create("contracts");

	tcase_add_loop_test(
		tc, permitted_is_possible, 0, (int)(sizeof(packs) / sizeof(*packs)));
	tcase_add_loop_test(tc, wrong_files, 0, (int)(sizeof(wrong) / sizeof(*wrong)));
	tcase_add_test(tc, last_fit);
	suite_add_tcase(s, tc);
	return s;
}
