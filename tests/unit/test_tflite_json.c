#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/flatc.h"
#include "loaded.h"
#include "same_graph.h"

static const struct {
	const char *json; /* under ../shared/formats/samples/tflite */
	const char *bytes; /* under ../shared/models */
} both_forms[] = {
	{ "hello_world_int8.strict.json", "hello_world_int8.tflite" },
	{ "hello_world_int8.strict_defaults.json", "hello_world_int8.tflite" },
	{ "hello_world_int8.nonstrict.txt", "hello_world_int8.tflite" },
	{ "keyword_scrambled_8bit.json", "keyword_scrambled_8bit.tflite" },
	{ "kws_ref_model.json", "kws_ref_model.tflite" },
	{ "micro_speech_quantized.json", "micro_speech_quantized.tflite" },
	{ "simple_add_model.json", "simple_add_model.tflite" },
	{ "str_ww_ref_model.json", "str_ww_ref_model.tflite" },
	{ "trained_lstm_int8.json", "trained_lstm_int8.tflite" },
};

START_TEST(both_forms_give_one_graph)
{
	char json[256], bytes[256];
	struct loaded l, m;
	const char *path;

	snprintf(json, sizeof(json), "formats/samples/tflite/%s", both_forms[_i].json);
	snprintf(bytes, sizeof(bytes), "models/%s", both_forms[_i].bytes);
	path = tn_test_shared(json);
	if (!path)
		return;
	loaded_file(&l, path, NULL);
	loaded_ok(&l, both_forms[_i].json);
	path = tn_test_shared(bytes);
	if (path) {
		loaded_file(&m, path, NULL);
		loaded_ok(&m, bytes);
		same_graph(both_forms[_i].json, &m.graph, &l.graph, SAME_BUT_ROUNDED);
		loaded_release(&m);
	}
	ck_assert(l.graph.format == FORMAT_TFLITE_JSON);
	loaded_release(&l);
}
END_TEST

/* The fixtures' JSON was made by flatc with the public schema. */
static const struct {
	const char *json, *bytes;
} fixtures[] = {
	{ "small_cnn.strict.json", "small_cnn.tflite" },
	{ "small_cnn.defaults.json", "small_cnn.tflite" },
	{ "small_cnn.nonstrict.json", "small_cnn.tflite" },
	{ "svdf.strict.json", "svdf.tflite" },
	{ "features.nonstrict.json", "features.tflite" },
};

static void gives_its_native_graph(const char *path)
{
	struct tn_strbuf text;
	struct loaded l;

	loaded_file(&l, path, NULL);
	loaded_ok(&l, path);
	ck_assert_int_eq(l.graph.format, FORMAT_TFLITE_JSON);
	loaded_native_golden(&l, path, &text);
	tn_strbuf_release(&text);
	loaded_release(&l);
}

START_TEST(fixtures_give_native_graphs)
{
	ck_assert_int_ge(each_file(tn_test_path("fixtures/flatc"), ".json",
				 gives_its_native_graph),
		3);
}
END_TEST

START_TEST(fixtures_give_one_graph)
{
	char path[256];
	struct loaded l, m;

	snprintf(path, sizeof(path), "fixtures/models/%s", fixtures[_i].json);
	loaded_file(&l, tn_test_path(path), NULL);
	loaded_ok(&l, path);
	snprintf(path, sizeof(path), "fixtures/models/%s", fixtures[_i].bytes);
	loaded_file(&m, tn_test_path(path), NULL);
	loaded_ok(&m, path);
	same_graph(fixtures[_i].json, &m.graph, &l.graph, SAME_BUT_ROUNDED);
	loaded_release(&l);
	loaded_release(&m);
}
END_TEST

static void may_load_sample(const char *path)
{
	struct loaded l;
	bool bad = strstr(path, "synthetic_invalid_json") != NULL;

	loaded_file(&l, path, NULL);
	if (!bad)
		loaded_ok(&l, path);
	else
		ck_assert_int_eq(l.status, TN_ERR_INPUT);
	loaded_release(&l);
}

START_TEST(all_samples_are_read)
{
	const char *folder = tn_test_shared("formats/samples/tflite");

	if (folder)
		ck_assert_int_ge(each_file(folder, ".json", may_load_sample), 15);
}
END_TEST

#define MODEL(tensor)                                                                    \
	"{\"version\": 3, \"operator_codes\": [{\"builtin_code\": \"RELU\"}], "          \
	"\"buffers\": "                                                                  \
	"[{}], \"subgraphs\": [{\"tensors\": [" tensor                                   \
	", {\"shape\": [1], \"name\": \"y\"}], "                                         \
	"\"inputs\": [0], \"outputs\": [1], \"operators\": [{\"inputs\": [0], "          \
	"\"outputs\": [1]}]}]}"
#define SCALE(text) MODEL("{\"shape\": [1], \"quantization\": {\"scale\": [" text "]}}")

/* Which printed scales can be trusted to be the model's? */
static const struct {
	const char *name, *text;
	bool damaged;
	float scale;
} scales[] = {
	{ "below the last decimal", SCALE("0.0"), true, 0 },
	{ "few digits", SCALE("0.000099"), true, 0.000099f },
	{ "a power of two may be rounded, too", SCALE("0.5"), true, 0.5f },
	{ "six decimals", SCALE("0.024480"), true, 0.02448f },
	{ "two floats print as 8.0", SCALE("8.0"), true, 8 },
	{ "one float prints as 16.000002", SCALE("16.000002"), false, 16.000002f },
	{ "large", SCALE("300000000549775575777803794281145270272.0"), false, 3e38f },
	{ "more decimals than flatc's", SCALE("0.0244801156"), false, 0.0244801156f },
	{ "an exponent", SCALE("2.5e-13"), false, 2.5e-13f },
};

START_TEST(rounded_scales_are_damaged)
{
	struct loaded l;
	const struct tn_quant *q;

	loaded_bytes(&l, scales[_i].name, scales[_i].text, strlen(scales[_i].text), NULL);
	loaded_ok(&l, scales[_i].name);
	q = &l.graph.tensors[0].quant;
	ck_assert_uint_eq(q->n, 1);
	ck_assert_msg(q->damaged == scales[_i].damaged, "%s", scales[_i].name);
	ck_assert_msg(q->scale[0] == scales[_i].scale, "%s", scales[_i].name);
	ck_assert(l.graph.lossy == scales[_i].damaged);
	loaded_release(&l);
}
END_TEST

static const struct {
	const char *name, *text;
	const char *report; /* NULL: is read without an error */
} texts[] = {
	{ "bare words and keys",
		"{version: 3, operator_codes: [{}, {builtin_code: 19}], buffers: [{}],\n"
		" subgraphs: [{tensors: [{shape: [1], quantization: {min: [-inf], max: "
		"[nan]}},"
		" {shape: [1]}], inputs: [0], outputs: [1], operators: [{opcode_index: 1,"
		" inputs: [0], outputs: [1]}]}]}",
		NULL },
	{ "bytes that are no text", MODEL("{\"shape\": [1], \"name\": \"a\\xE9\\xff\"}"),
		NULL },
	{ "64 bits",
		MODEL("{\"shape\": [1], \"quantization\": {\"scale\": [1.0], "
		      "\"zero_point\": [-9223372036854775808]}}"),
		"error /subgraphs/0/tensors/0: zero point 0 of '' is "
		"-9223372036854775808" },
	{ "beyond 64 bits", MODEL("{\"shape\": [18446744073709551615]}"),
		"error /subgraphs/0/tensors/0: dimension 0 of '' is not known" },
	{ "beyond unsigned ones", MODEL("{\"shape\": [18446744073709551616]}"),
		"error /subgraphs/0/tensors/0/shape/0: '18446744073709551616' is not "
		"known" },
	{ "a number as text", MODEL("{\"shape\": [\"1\"], \"type\": \"0\"}"), NULL },
	{ "an unknown type", MODEL("{\"shape\": [1], \"type\": \"INT5\"}"),
		"error /subgraphs/0/tensors/0/type: 'INT5' is not known" },
	{ "a real number", MODEL("{\"shape\": [1.5]}"),
		"error /subgraphs/0/tensors/0/shape/0: expected an integer, found a "
		"real" },
	{ "not a byte",
		"{\"subgraphs\": [],\n \"buffers\": [{},\n {\"data\": [1,\n 256]}]}",
		"error 4:5: expected a byte" },
	{ "a word for a byte", "{subgraphs: [], buffers: [{data: [nan]}]}",
		"error 1:35: expected a byte" },
	{ "cut in the data", "{subgraphs: [], buffers: [{data: [1, 2",
		"error 1:39: expected a byte" },
	{ "an error behind the data",
		"{subgraphs: [],\n buffers: [{data: [1, 2, 3]}, {data: [4]},\n {x: nan "
		"inf}]}",
		"error 3:" },
	{ "version", "{\"version\": 2, \"subgraphs\": [], \"buffers\": []}",
		"error /version: version 2" },
	{ "no graph", "{\"version\": 3, \"subgraphs\": [], \"buffers\": []}",
		"error /subgraphs: the model has no subgraph" },
	{ "no lists", "{\"version\": 3, \"subgraphs\": [4], \"buffers\": 7}",
		"error /buffers: expected a list" },
	{ "no objects",
		"{\"version\": 3, \"subgraphs\": [{\"tensors\": [1], \"operators\": "
		"[2]}], "
		"\"buffers\": [3]}",
		"error /subgraphs/0/tensors/0: expected an object" },
};

START_TEST(what_flatc_prints_is_read)
{
	struct loaded l;
	const char *report, *want = texts[_i].report;

	loaded_bytes(&l, texts[_i].name, texts[_i].text, strlen(texts[_i].text), NULL);
	report = loaded_report(&l);
	if (want)
		ck_assert_msg(strncmp(report, want, strlen(want)) == 0 &&
				      l.status == TN_ERR_INPUT,
			"%s: %s", texts[_i].name, report);
	else
		loaded_ok(&l, texts[_i].name);
	loaded_release(&l);
}
END_TEST

START_TEST(constants_do_not_reach_the_parser)
{
	static const char text[] = "{ buffers : [ { } , {\n data : [ 1 , 2,\t255 ] } ,"
				   " {\"data\":[]}, {offset: 5, data: [0]} ],"
				   " subgraphs: [ { data: [ 9 ] } ] }";
	struct tn_source source = { .name = "x", .text = text, .len = sizeof(text) - 1 };
	struct tn_arena arena;
	struct tn_import im = { .arena = &arena, .source = &source };
	struct tn_flatc flatc;
	size_t at;

	tn_arena_init(&arena);
	ck_assert_int_eq(tn_flatc_read(&im, &flatc), TN_OK);
	ck_assert_str_eq(flatc.json.text,
		"{ \"buffers\" : [ { } , {\n \"data\" : [] } , {\"data\":[]}, "
		"{\"offset\": 5, \"data\": []} ], \"subgraphs\": [ { \"data\": [ 9 ] } ] "
		"}");
	ck_assert_uint_eq(flatc.buffers.count, 4);
	ck_assert_ptr_null(flatc.buffers.items[0].bytes);
	ck_assert_uint_eq(flatc.buffers.items[1].n, 3);
	ck_assert_mem_eq(flatc.buffers.items[1].bytes, "\1\2\377", 3);
	ck_assert_uint_eq(flatc.buffers.items[2].n, 0);
	ck_assert_uint_eq(flatc.buffers.items[3].n, 1);
	/* each offset leads back to the character that it came from */
	at = (size_t)(strstr(flatc.json.text, "[ 9") - flatc.json.text);
	ck_assert_uint_eq(
		tn_flatc_origin(&source, at), (size_t)(strstr(text, "[ 9") - text));
	tn_flatc_release(&flatc);
	tn_arena_release(&arena);
}
END_TEST

static void cut_everywhere(const char *path)
{
	struct loaded whole;

	loaded_file(&whole, path, NULL);
	for (size_t len = 0; len + 2 < whole.source->len; len += 37) {
		char *copy = malloc(len ? len : 1);
		struct loaded l;

		ck_assert(copy != NULL);
		memcpy(copy, whole.source->text, len);
		loaded_bytes(&l, "cut", copy, len, "tflite-json");
		ck_assert_int_eq(l.status, TN_ERR_INPUT);
		ck_assert_uint_gt(l.diags.errors, 0);
		loaded_release(&l);
		free(copy);
	}
	loaded_release(&whole);
}

START_TEST(cut_files_are_survived)
{
	ck_assert_int_ge(each_file(tn_test_path("fixtures/models"), "nonstrict.json",
				 cut_everywhere),
		1);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("tflite_json");
	TCase *tc = tcase_create("read");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, both_forms_give_one_graph, 0,
		(int)(sizeof(both_forms) / sizeof(*both_forms)));
	tcase_add_loop_test(tc, fixtures_give_one_graph, 0,
		(int)(sizeof(fixtures) / sizeof(*fixtures)));
	tcase_add_test(tc, fixtures_give_native_graphs);
	tcase_add_test(tc, all_samples_are_read);
	tcase_add_loop_test(tc, rounded_scales_are_damaged, 0,
		(int)(sizeof(scales) / sizeof(*scales)));
	tcase_add_loop_test(
		tc, what_flatc_prints_is_read, 0, (int)(sizeof(texts) / sizeof(*texts)));
	tcase_add_test(tc, constants_do_not_reach_the_parser);
	tcase_add_test(tc, cut_files_are_survived);
	suite_add_tcase(s, tc);
	return s;
}
