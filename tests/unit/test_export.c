#define _POSIX_C_SOURCE 200809L
#include "suite.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "export/native.h"
#include "export/plan_files.h"
#include "loaded.h"
#include "same_graph.h"

static void write_graph(const struct tn_graph *g, const struct tn_export_side *side,
	struct tn_strbuf *out)
{
	tn_strbuf_init(out);
	ck_assert_int_eq(tn_export_native(g, NULL, side, out), TN_OK);
}

/* Written and read again it is the same graph, and writes the same text. */
static void round_trip(const char *what, const struct tn_graph *g)
{
	struct tn_strbuf once, twice;
	struct loaded again;

	write_graph(g, NULL, &once);
	loaded_bytes(&again, what, once.text, once.len, NULL);
	loaded_ok(&again, what);
	same_graph(what, g, &again.graph, SAME_BUT_POINTERS);
	write_graph(&again.graph, NULL, &twice);
	ck_assert_msg(strcmp(once.text, twice.text) == 0, "%s: another text", what);
	tn_strbuf_release(&once);
	tn_strbuf_release(&twice);
	loaded_release(&again);
}

static void file_round_trip(const char *path)
{
	struct loaded l;

	loaded_file(&l, path, NULL);
	if (l.status == TN_OK)
		round_trip(path, &l.graph);
	else
		ck_assert_msg(strstr(path, "synthetic_invalid") != NULL, "%s: %s", path,
			loaded_report(&l));
	loaded_release(&l);
}

START_TEST(fixtures_round_trip)
{
	ck_assert_int_ge(
		each_file(tn_test_path("fixtures/graphs"), ".json", file_round_trip), 1);
	ck_assert_int_ge(
		each_file(tn_test_path("fixtures/models"), ".tflite", file_round_trip),
		3);
	ck_assert_int_ge(
		each_file(tn_test_path("fixtures/models"), ".json", file_round_trip), 5);
}
END_TEST

START_TEST(public_files_round_trip)
{
	static const struct {
		const char *folder, *ending;
		int at_least;
	} places[] = {
		{ "models", ".tflite", 81 },
		{ "ops/models", ".tflite", 269 },
		{ "graphs", ".json", 13 },
		{ "formats/samples/tflite", ".json", 15 },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const char *folder = tn_test_shared(places[i].folder);

		if (folder)
			ck_assert_int_ge(
				each_file(folder, places[i].ending, file_round_trip),
				places[i].at_least);
	}
}
END_TEST

START_TEST(cases_round_trip)
{
	const char *path = tn_test_shared("cases/cases.jsonl");
	FILE *file = path ? fopen(path, "r") : NULL;
	static char line[1 << 16];

	while (file && fgets(line, sizeof(line), file)) {
		json_t *item = json_loads(line, 0, NULL),
		       *graph = json_object_get(item, "graph");
		const char *id = json_string_value(json_object_get(item, "id"));
		struct loaded l;
		char *text;

		json_object_set_new(graph, "format", json_string("tenure.graph/1"));
		text = json_dumps(graph, 0);
		loaded_bytes(&l, id, text, strlen(text), NULL);
		if (l.status == TN_OK)
			round_trip(id, &l.graph);
		loaded_release(&l);
		free(text);
		json_decref(item);
	}
	if (file)
		fclose(file);
}
END_TEST

START_TEST(side_file_round_trip)
{
	struct tn_strbuf text, bytes;
	struct tn_export_side side = { .name = "side.bin", .above = 10, .out = &bytes };
	char folder[] = "/tmp/tenure-export-XXXXXX", path[64], side_path[64];
	struct loaded l, again;

	ck_assert(mkdtemp(folder) != NULL);
	snprintf(path, sizeof(path), "%s/graph.json", folder);
	snprintf(side_path, sizeof(side_path), "%s/side.bin", folder);
	loaded_file(&l, tn_test_path("fixtures/models/small_cnn.tflite"), NULL);
	loaded_ok(&l, "small_cnn");
	tn_strbuf_init(&bytes);
	write_graph(&l.graph, &side, &text);
	/* five of the six constants are large enough; the shape of 8 bytes stays inside */
	ck_assert_uint_gt(bytes.len, 108 + 36 + 80);
	ck_assert(strstr(text.text, "base64") != NULL);
	ck_assert_int_eq(tn_file_write(&l.diags, path, text.text, text.len), TN_OK);
	ck_assert_int_eq(
		tn_file_write(&l.diags, side_path, bytes.text, bytes.len), TN_OK);
	loaded_file(&again, path, NULL);
	loaded_ok(&again, "side file");
	same_graph("side file", &l.graph, &again.graph, SAME_BUT_POINTERS);
	loaded_release(&again);
	/* the graph alone is not enough */
	unlink(side_path);
	loaded_file(&again, path, NULL);
	ck_assert_int_eq(again.status, TN_ERR_INPUT);
	loaded_release(&again);
	unlink(path);
	rmdir(folder);
	tn_strbuf_release(&text);
	tn_strbuf_release(&bytes);
	loaded_release(&l);
}
END_TEST

/* Floats of every kind come back bit by bit. */
START_TEST(floats_round_trip)
{
	static const uint32_t bits[] = { 0x00000001, 0x007fffff, 0x00800000, 0x3dcccccd,
		0x3f7fffff, 0x3f800000, 0x3f800001, 0x4b7fffff, 0x7f7fffff, 0x33d6bf95 };
	uint32_t x = 12345;
	struct loaded l;

	loaded_file(&l, tn_test_path("fixtures/models/small_cnn.tflite"), NULL);
	loaded_ok(&l, "small_cnn");
	for (int round = 0; round < 200; round++) {
		float *scale = (float *)(uintptr_t)l.graph.tensors[1].quant.scale;
		struct tn_attr *beta = &l.graph.ops[5].attrs[0];
		uint64_t raw;

		for (int i = 0; i < 4; i++) {
			uint32_t word;

			x = x * 1664525u + 1013904223u;
			word = round < 3 ? bits[round * 4 + i < 10 ? round * 4 + i : 9]
					 : x & 0x7fffffff;
			if ((word & 0x7f800000) == 0x7f800000) /* no scale is infinite */
				word ^= 0x00800000;
			memcpy(&scale[i], &word, sizeof(word));
		}
		x = x * 1664525u + 1013904223u;
		raw = (uint64_t)x << 32 | (x * 2654435761u);
		if (round == 0)
			raw = UINT64_C(0x7ff0000000000000);
		if (round == 1)
			raw = UINT64_C(0xfff8000000000001);
		if (round == 2)
			raw = UINT64_C(0x8000000000000000);
		memcpy(&beta->v.f, &raw, sizeof(raw));
		round_trip("floats", &l.graph);
	}
	loaded_release(&l);
}
END_TEST

START_TEST(text_is_stable)
{
	struct tn_strbuf text;
	struct loaded l;

	loaded_file(&l, tn_test_path("fixtures/models/features.tflite"), NULL);
	loaded_ok(&l, "features");
	write_graph(&l.graph, NULL, &text);
	same_as_golden(tn_test_path("fixtures/models/features.native.json"), text.text);
	tn_strbuf_release(&text);
	loaded_release(&l);
}
END_TEST

START_TEST(plans_are_written_for_others)
{
	struct tn_tensor tensors[] = {
		{ .name = "in,put \"a\"", .view_of = { TN_NONE } },
		{ .name = "w", .view_of = { TN_NONE } },
		{ .name = "view", .view_of = { 0 } },
		{ .name = "y:0", .view_of = { TN_NONE } },
	};
	struct tn_plan_tensor places[] = {
		{ .region = 0, .offset = 16, .bytes = 8, .first = 0, .last = 2 },
		{ .region = TN_REGION_NONE },
		{ .region = 0, .offset = 16, .bytes = 8, .first = 0, .last = 2 },
		{ .region = 0, .offset = 0, .bytes = 12, .first = 1, .last = 4 },
	};
	struct tn_plan_region region = { .name = "arena", .used = 24, .align = 16 };
	struct tn_graph g = { .tensors = tensors, .n_tensors = 4 };
	struct tn_plan plan = {
		.tensors = places, .n_tensors = 4, .regions = &region, .n_regions = 1
	};
	struct tn_strbuf out;

	tn_strbuf_init(&out);
	tn_export_plan_csv(&g, &plan, NULL, NULL, &out);
	ck_assert_str_eq(out.text, "id,lower,upper,size,offset\n"
				   "\"in,put \"\"a\"\"#0\",0,4,8,16\n"
				   "y:0#3,1,6,12,0\n");
	tn_strbuf_release(&out);
	tn_strbuf_init(&out);
	tn_export_plan_header(&g, &plan, &out);
	ck_assert_ptr_nonnull(strstr(out.text, "#define TENURE_ARENA_BYTES 24\n"
					       "#define TENURE_ARENA_ALIGN 16\n\n"
					       "#define TENURE_T0_IN_PUT__A_ 16\n"
					       "#define TENURE_T3_Y_0 0\n\n#endif\n"));
	tn_strbuf_release(&out);
}
END_TEST

/* Names that differ, and not as identifiers. */
START_TEST(regions_have_macros_of_their_own)
{
	struct tn_plan_region regions[] = {
		{ .name = "a-b", .used = 1, .align = 16 },
		{ .name = "A_B", .used = 2, .align = 8 },
		{ .name = "a", .used = 3, .align = 4 },
	};
	struct tn_tensor tensor = { .name = "x", .view_of = { TN_NONE } };
	struct tn_plan_tensor place = { .region = 1, .offset = 16, .bytes = 2 };
	struct tn_graph g = { .tensors = &tensor, .n_tensors = 1 };
	struct tn_plan plan = {
		.tensors = &place, .n_tensors = 1, .regions = regions, .n_regions = 3
	};
	struct tn_strbuf out;

	tn_strbuf_init(&out);
	tn_export_plan_header(&g, &plan, &out);
	ck_assert_ptr_nonnull(
		strstr(out.text, "#define TENURE_A_B_BYTES 1\n"
				 "#define TENURE_A_B_ALIGN 16\n"
				 "#define TENURE_A_B_1_BYTES 2\n"
				 "#define TENURE_A_B_1_ALIGN 8\n"
				 "#define TENURE_A_BYTES 3\n"
				 "#define TENURE_A_ALIGN 4\n\n"
				 "#define TENURE_T0_X 16 /* in A_B_1 */\n"));
	tn_strbuf_release(&out);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("export");
	TCase *tc = tcase_create("native");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, text_is_stable);
	tcase_add_test(tc, fixtures_round_trip);
	tcase_add_test(tc, public_files_round_trip);
	tcase_add_test(tc, cases_round_trip);
	tcase_add_test(tc, side_file_round_trip);
	tcase_add_test(tc, floats_round_trip);
	tcase_add_test(tc, plans_are_written_for_others);
	tcase_add_test(tc, regions_have_macros_of_their_own);
	suite_add_tcase(s, tc);
	return s;
}
