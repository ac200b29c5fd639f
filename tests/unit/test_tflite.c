#include "suite.h"

#include <stdlib.h>
#include <string.h>

#include "import/tflite_schema.h"
#include "ir/build.h"
#include "ir/validate.h"
#include "loaded.h"

static const struct tn_op *op_named(const struct tn_graph *g, const char *name)
{
	for (uint32_t i = 0; i < g->n_ops; i++)
		if (strcmp(g->ops[i].name, name) == 0)
			return &g->ops[i];
	ck_abort_msg("no op '%s'", name);
	return NULL;
}

static const struct tn_tensor *tensor_named(const struct tn_graph *g, const char *name)
{
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (strcmp(g->tensors[i].name, name) == 0)
			return &g->tensors[i];
	ck_abort_msg("no tensor '%s'", name);
	return NULL;
}

static uint32_t bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

START_TEST(small_cnn_is_read)
{
	struct loaded l;
	const struct tn_graph *g = &l.graph;
	const struct tn_tensor *t;
	const struct tn_op *op;

	loaded_file(&l, tn_test_path("fixtures/models/small_cnn.tflite"), NULL);
	loaded_ok(&l, "small_cnn");
	ck_assert_str_eq(g->name, "main");
	ck_assert_int_eq(g->format, FORMAT_TFLITE);
	ck_assert_uint_eq(g->n_tensors, 13);
	ck_assert_uint_eq(g->n_ops, 6);

	/* the signature says that the batch is open, the shape says 1 */
	t = tensor_named(g, "image");
	ck_assert_int_eq(t->bytes, 192);
	ck_assert_int_eq(t->role, ROLE_INPUT);
	ck_assert(t->clobber);
	ck_assert_int_eq(t->data_kind, DATA_NONE);
	ck_assert_str_eq(t->pointer, "/subgraphs/0/tensors/0");

	t = tensor_named(g, "conv/filter");
	ck_assert_int_eq(t->role, ROLE_CONST);
	ck_assert_int_eq(t->data_bytes, 108);
	ck_assert_uint_eq(t->quant.n, 4);
	ck_assert_uint_eq(t->quant.axis, 0);
	ck_assert_uint_eq(bits_of(t->quant.scale[2]), bits_of(0.0054f));
	ck_assert_uint_eq(tensor_named(g, "dw/filter")->quant.axis, 3);
	ck_assert_int_eq(tensor_named(g, "conv")->role, ROLE_ACT);
	ck_assert_int_eq(tensor_named(g, "conv")->quant.zero_point[0], -128);
	ck_assert_int_eq(tensor_named(g, "probabilities")->role, ROLE_OUTPUT);

	op = op_named(g, "CONV_2D#0");
	ck_assert_int_eq(op->kind, OP_CONV_2D);
	ck_assert_str_eq(tn_op_string(op, "pad", ""), "SAME");
	ck_assert_str_eq(tn_op_string(op, "activation", ""), "RELU");
	ck_assert_int_eq(tn_op_int_at(op, "stride", 0, 0), 2);
	ck_assert_int_eq(tn_op_int_at(op, "stride", 1, 0), 2);
	ck_assert_int_eq(tn_op_int_at(op, "dilation", 1, 0), 1); /* a default */
	op = op_named(g, "AVERAGE_POOL_2D#2");
	ck_assert_str_eq(tn_op_string(op, "pad", ""), "VALID");
	ck_assert_int_eq(tn_op_int_at(op, "kernel", 1, 0), 2);
	op = op_named(g, "RESHAPE#3");
	ck_assert_int_eq(tn_op_int_at(op, "new_shape", 0, 0), -1);
	ck_assert_int_eq(tn_op_int_at(op, "new_shape", 1, 0), 16);
	op = op_named(g, "FULLY_CONNECTED#4");
	ck_assert_uint_eq(op->n_inputs, 3);
	ck_assert_uint_eq(op->inputs[2].i, TN_NONE);
	ck_assert_int_eq(tn_op_int(op, "keep_num_dims", 0), 1);
	op = op_named(g, "SOFTMAX#5");
	ck_assert_uint_eq(bits_of((float)tn_op_float(op, "beta", 0)), bits_of(0.7f));
	loaded_release(&l);
}
END_TEST

START_TEST(features_are_read)
{
	struct loaded l;
	const struct tn_graph *g = &l.graph;
	const struct tn_tensor *t;
	float value;

	loaded_file(&l, tn_test_path("fixtures/models/features.tflite"), NULL);
	loaded_ok(&l, "features");
	ck_assert_uint_eq(g->n_subgraphs, 3);
	ck_assert_str_eq(g->subgraphs[1].name, "else");
	ck_assert_int_eq(g->subgraphs[1].ops[0].kind, OP_RELU6);
	ck_assert_str_eq(g->subgraphs[2].ops[1].pointer, "/subgraphs/3/operators/1");
	ck_assert_int_eq(tn_op_int(op_named(g, "IF#6"), "else_subgraph", 0), 2);
	ck_assert_str_eq(
		tn_op_string(&g->subgraphs[2].ops[0], "shared_name", ""), "state");
	ck_assert_int_eq(tensor_named(g, "state")->role, ROLE_VARIABLE);
	ck_assert_int_eq(tn_op_int(op_named(g, "ADD#3"), "pot_scale_int16", 1), 0);

	t = tensor_named(g, "outside"); /* its bytes lie behind the FlatBuffer */
	ck_assert_int_eq(t->data_bytes, 16);
	memcpy(&value, t->data + 12, sizeof(value));
	ck_assert(value == 1e-30f);
	ck_assert_uint_eq(tensor_named(g, "k0")->shape.rank, 0);
	ck_assert_int_eq(tensor_named(g, "k0")->bytes, 4);

	/* a custom op keeps its own meaning even when its code is a known op's name */
	ck_assert_int_eq(g->ops[5].kind, OP_UNKNOWN);
	ck_assert_str_eq(g->ops[5].type, "custom:Relu");
	ck_assert_str_eq(tn_op_string(&g->ops[5], "custom_options", ""), "AQIDBAU=");
	/* nothing writes this tensor: it is the custom op's working memory */
	t = tensor_named(g, "work\xEF\xBF\xBD\xEF\xBF\xBD");
	ck_assert_int_eq(t->role, ROLE_SCRATCH);
	loaded_release(&l);
}
END_TEST

START_TEST(state_is_read)
{
	struct loaded l;
	const struct tn_op *op;

	loaded_file(&l, tn_test_path("fixtures/models/svdf.tflite"), "tflite");
	loaded_ok(&l, "svdf");
	ck_assert_int_eq(tensor_named(&l.graph, "state")->role, ROLE_VARIABLE);
	op = op_named(&l.graph, "SVDF#0");
	ck_assert_uint_eq(op->inputs[3].i, TN_NONE);
	ck_assert_uint_eq(op->inputs[4].i, 3);
	ck_assert_int_eq(tn_op_int(op, "rank", 0), 1);
	/* the plan that the file carries */
	ck_assert_uint_eq(l.graph.n_claims, 1);
	ck_assert_str_eq(l.graph.claims[0].kind, "plan");
	ck_assert_str_eq(l.graph.claims[0].pointer, "/metadata/1");
	ck_assert_uint_eq(l.graph.claims[0].n_places, 2);
	ck_assert_uint_eq(l.graph.claims[0].places[1].tensor.i, 3);
	ck_assert_int_eq(l.graph.claims[0].places[0].offset, 16);
	ck_assert_int_eq(l.graph.claims[0].places[1].offset, 0);
	loaded_release(&l);
}
END_TEST

static void must_load(const char *path)
{
	struct loaded l;

	loaded_file(&l, path, NULL);
	loaded_ok(&l, path);
	for (uint32_t i = 0; i < l.graph.n_tensors; i++)
		ck_assert_msg(l.graph.tensors[i].bytes >= 0, "%s: tensor %u", path, i);
	loaded_release(&l);
}

START_TEST(public_models_are_read)
{
	const char *folder = tn_test_shared("models");

	if (folder)
		ck_assert_int_ge(each_file(folder, ".tflite", must_load), 81);
	folder = tn_test_shared("ops/models");
	if (folder)
		ck_assert_int_ge(each_file(folder, ".tflite", must_load), 269);
}
END_TEST

/* The answer may be an error or a graph; the memory checker sees the rest. */
static void may_load(const void *data, size_t len)
{
	struct loaded l;

	loaded_bytes(&l, "damaged", data, len, "tflite");
	ck_assert(l.status == TN_OK || l.status == TN_ERR_INPUT);
	ck_assert_msg(
		l.status == TN_OK || l.diags.errors > 0, "an error without a report");
	loaded_release(&l);
}

static void cut_everywhere(const char *path)
{
	struct loaded l;

	loaded_file(&l, path, NULL);
	for (size_t len = 0; len < l.source->len; len++) {
		/* a copy of this length, so that a read behind its end is seen */
		void *copy = malloc(len ? len : 1);

		ck_assert(copy != NULL);
		memcpy(copy, l.source->text, len);
		may_load(copy, len);
		free(copy);
	}
	loaded_release(&l);
}

static void flip_everywhere(const char *path)
{
	static const unsigned char flips[] = { 0x01, 0x04, 0x40, 0x80, 0xFF };
	struct loaded l;
	unsigned char *copy;

	loaded_file(&l, path, NULL);
	copy = malloc(l.source->len);
	ck_assert(copy != NULL);
	memcpy(copy, l.source->text, l.source->len);
	for (size_t i = 0; i < l.source->len; i++) {
		for (size_t k = 0; k < sizeof(flips); k++) {
			copy[i] ^= flips[k];
			may_load(copy, l.source->len);
			copy[i] ^= flips[k];
		}
	}
	free(copy);
	loaded_release(&l);
}

START_TEST(cut_files_are_survived)
{
	ck_assert_int_ge(
		each_file(tn_test_path("fixtures/models"), ".tflite", cut_everywhere), 3);
}
END_TEST

START_TEST(flipped_bits_are_survived)
{
	ck_assert_int_ge(
		each_file(tn_test_path("fixtures/models"), ".tflite", flip_everywhere),
		3);
}
END_TEST

START_TEST(random_bytes_are_survived)
{
	unsigned char bytes[512];
	uint32_t x = 1;

	for (int round = 0; round < 2000; round++) {
		for (size_t i = 0; i < sizeof(bytes); i++) {
			x = x * 1664525u + 1013904223u;
			bytes[i] = (unsigned char)(x >> 24);
			if (round %
				2) /* small numbers make offsets that lead somewhere */
				bytes[i] &= i % 4 ? 0 : 63;
		}
		memcpy(bytes + 4, "TFL3", 4);
		may_load(bytes, sizeof(bytes));
	}
}
END_TEST

static void put32(unsigned char *file, size_t at, size_t value)
{
	for (size_t i = 0; i < 4; i++)
		file[at + i] = (unsigned char)(value >> (8 * i));
}

/* N references to one subgraph whose N tensors are one table: 160 KB that would unfold
 * into 400 million tensors. */
START_TEST(unfolding_is_limited)
{
	enum {
		N = 20000,
		SUBGRAPHS = 64,
		SUBGRAPH = SUBGRAPHS + 4 + 4 * N,
		TENSORS = SUBGRAPH + 8,
		TENSOR = TENSORS + 4 + 4 * N
	};
	static const unsigned char vtables[] = { 10, 0, 12, 0, 4, 0, 0, 0, 8, 0 };
	static unsigned char file[TENSOR + 4];
	struct loaded l;

	put32(file, 0, 20);
	memcpy(file + 4, "TFL3", 4);
	memcpy(file + 8, vtables, sizeof(vtables)); /* of the model at 20 */
	put32(file, 20, 20 - 8);
	put32(file, 24, 3); /* version */
	put32(file, 28, SUBGRAPHS - 28);
	file[36] = 6; /* vtable of the subgraph: one field at 4 */
	file[38] = 8;
	file[40] = 4;
	file[44] = 4; /* vtable of the tensor: no field */
	file[46] = 4;
	put32(file, SUBGRAPHS, N);
	put32(file, SUBGRAPH, SUBGRAPH - 36);
	put32(file, SUBGRAPH + 4, TENSORS - (SUBGRAPH + 4));
	put32(file, TENSORS, N);
	put32(file, TENSOR, TENSOR - 44);
	for (size_t i = 0; i < N; i++) {
		put32(file, SUBGRAPHS + 4 + 4 * i, SUBGRAPH - (SUBGRAPHS + 4 + 4 * i));
		put32(file, TENSORS + 4 + 4 * i, TENSOR - (TENSORS + 4 + 4 * i));
	}
	loaded_bytes(&l, "unfolding", file, sizeof(file), "tflite");
	ck_assert_int_eq(l.status, TN_ERR_INPUT);
	ck_assert(strstr(loaded_report(&l), "too many references") != NULL);
	loaded_release(&l);
}
END_TEST

START_TEST(operators_have_names_and_numbers)
{
	int count = 0;

	for (int number = 0; number < 210; number++) {
		const char *name = tn_tfl_op_name(number);

		ck_assert(name != NULL);
		ck_assert_msg(tn_tfl_op_number(name) == number, "%s: %d", name, number);
		count += tn_op_kind_parse(name) != OP_UNKNOWN;
	}
	ck_assert_ptr_null(tn_tfl_op_name(210));
	ck_assert_ptr_null(tn_tfl_op_name(-1));
	ck_assert_int_eq(tn_tfl_op_number("CONV_2D"), 3);
	ck_assert_int_eq(tn_tfl_op_number("BATCH_MATMUL"), 126);
	ck_assert_int_eq(tn_tfl_op_number("STABLEHLO_CASE"), 209);
	/* of the table only BATCH_NORM, CLIP, ERF, HARD_SIGMOID, LAYER_NORM, RECIPROCAL,
	 * SILU, SOFTPLUS and TABLE, which other frameworks have, and UNKNOWN do not exist in
	 * TFLite */
	ck_assert_int_eq(count, OP_COUNT - 10);
	for (int kind = 0; kind < OP_COUNT; kind++) {
		const struct tn_tfl_options *o = tn_tfl_options((enum tn_op_kind)kind);

		if (o->table)
			ck_assert_str_eq(o->table, tn_tfl_options_name(o->tag));
	}
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("tflite");
	TCase *tc = tcase_create("read");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, small_cnn_is_read);
	tcase_add_test(tc, features_are_read);
	tcase_add_test(tc, state_is_read);
	tcase_add_test(tc, public_models_are_read);
	tcase_add_test(tc, cut_files_are_survived);
	tcase_add_test(tc, flipped_bits_are_survived);
	tcase_add_test(tc, random_bytes_are_survived);
	tcase_add_test(tc, unfolding_is_limited);
	tcase_add_test(tc, operators_have_names_and_numbers);
	suite_add_tcase(s, tc);
	return s;
}
