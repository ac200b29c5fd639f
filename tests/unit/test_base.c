#define _POSIX_C_SOURCE 200809L
#include "suite.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/diag.h"
#include "base/fnv.h"
#include "base/intern.h"
#include "base/nearest.h"
#include "base/path.h"
#include "base/place.h"
#include "base/qsort.h"
#include "base/shell.h"
#include "base/size.h"
#include "base/strbuf.h"

static const struct {
	int64_t value, align, want;
} aligns[] = {
	{ 0, 16, 0 },
	{ 1, 16, 16 },
	{ 16, 16, 16 },
	{ 17, 16, 32 },
	{ -1, 16, 0 },
	{ -15, 16, 0 },
	{ -16, 16, -16 },
	{ -17, 16, -16 },
	{ -32, 16, -32 },
	{ 5, 1, 5 },
};

START_TEST(align_up)
{
	int64_t got = -999;

	ck_assert(tn_align_up_i64(aligns[_i].value, aligns[_i].align, &got));
	ck_assert_int_eq(got, aligns[_i].want);
}
END_TEST

START_TEST(overflow_is_seen)
{
	int64_t out = 7;

	ck_assert(!tn_add_i64(INT64_MAX, 1, &out));
	ck_assert(!tn_mul_i64(INT64_MAX, 2, &out));
	ck_assert(!tn_align_up_i64(INT64_MAX, 16, &out));
	ck_assert_int_eq(out, 7);
}
END_TEST

static const char place_text[] =
	"{\n  \"a\": [1, {\"b/c\": \"x\\\"y\"}],\n"
	"  \"s\": \"}]\",\n  \"ops\": [{}, {\"in\": [3, 4]}]\n}\n";

static const struct {
	const char *pointer;
	size_t line, column;
} places[] = {
	{ "", 1, 1 },
	{ "/a", 2, 8 },
	{ "/a/0", 2, 9 },
	{ "/a/1/b~1c", 2, 20 },
	{ "/s", 3, 8 },
	{ "/ops/1", 4, 15 },
	{ "/ops/1/in/1", 4, 26 },
	{ "/ops/9", 4, 10 },
	{ "/ops/01", 4, 10 },
	{ "/ops/-", 4, 10 },
	{ "/nowhere/x", 1, 1 },
};

START_TEST(place_of_pointer)
{
	struct tn_place got;

	ck_assert(tn_place_find(
		place_text, sizeof(place_text) - 1, places[_i].pointer, &got));
	ck_assert_uint_eq(got.line, places[_i].line);
	ck_assert_uint_eq(got.column, places[_i].column);
}
END_TEST

static const char place_xml[] =
	"\xEF\xBB\xBF<?xml version=\"1.0\"?>\n<!-- <layers> -->\n<net a='<layers>'>\n"
	"<other><x/></other><layers>\n  <layer id=\"0\" name=\"\u00e9>\"/> <layer>\n"
	"<layers><layer/></layers></layer>\n<![CDATA[<layer>]]><layer/></layers></net>";

static const struct {
	const char *pointer;
	size_t line, column;
} xml_places[] = {
	{ "/layers/0", 5, 3 },
	{ "/layers/1", 5, 30 },
	{ "/layers/1/in/3", 5, 30 },
	{ "/layers/2", 7, 20 },
	{ "/layers/3", 3, 1 },
	{ "/layers/x", 3, 1 },
	{ "/layers/99999999999999999999999", 3, 1 },
	{ "/layers", 3, 1 },
	{ "/other/0", 4, 8 },
	{ "", 3, 1 },
};

START_TEST(place_in_xml)
{
	struct tn_place got;

	ck_assert(tn_place_find(
		place_xml, sizeof(place_xml) - 1, xml_places[_i].pointer, &got));
	ck_assert_msg(
		got.line == xml_places[_i].line && got.column == xml_places[_i].column,
		"%s: %zu:%zu", xml_places[_i].pointer, got.line, got.column);
	/* cut anywhere it is survived */
	for (size_t len = 0; len < sizeof(place_xml); len++)
		tn_place_find(place_xml, len, xml_places[_i].pointer, &got);
}
END_TEST

START_TEST(places_all_at_once)
{
	enum { N = sizeof(places) / sizeof(*places) };
	struct tn_place_query queries[2 * N];

	/* each twice, from the last to the first: order and repetition change nothing */
	for (size_t i = 0; i < 2 * N; i++)
		queries[i] =
			(struct tn_place_query){ .pointer = places[N - 1 - i % N].pointer,
				.id = N - 1 - i % N };
	ck_assert(tn_place_find_all(place_text, sizeof(place_text) - 1, queries, 2 * N));
	for (size_t i = 0; i < 2 * N; i++) {
		size_t id = queries[i].id;

		ck_assert_msg(queries[i].place.line == places[id].line &&
				      queries[i].place.column == places[id].column,
			"%s: %zu:%zu", places[id].pointer, queries[i].place.line,
			queries[i].place.column);
	}
}
END_TEST

/* A byte order mark moves nothing, whatever is asked for. */
START_TEST(place_behind_a_mark)
{
	char marked[3 + sizeof(place_text)] = "\xef\xbb\xbf";
	struct tn_place got;

	memcpy(marked + 3, place_text, sizeof(place_text));
	ck_assert(tn_place_find(marked, sizeof(marked) - 1, places[_i].pointer, &got));
	ck_assert_uint_eq(got.line, places[_i].line);
	ck_assert_uint_eq(got.column, places[_i].column);
	ck_assert(!tn_place_find(marked, 3, "", &got));
}
END_TEST

START_TEST(place_counts_characters)
{
	static const char text[] = "{\"\xc3\xa4\xc3\xb6\": 1, \"b\": 2}";
	struct tn_place_query query = { .pointer = "/b" };

	ck_assert(tn_place_find_all(text, sizeof(text) - 1, &query, 1));
	ck_assert_uint_eq(query.place.column, 18);
	ck_assert_uint_eq(query.character, 16);
}
END_TEST

START_TEST(place_survives_any_cut)
{
	struct tn_place got;

	for (size_t len = 0; len < sizeof(place_text); len++)
		for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
			(void)tn_place_find(place_text, len, places[i].pointer, &got);
	ck_assert(!tn_place_find(" \n", 2, "/a", &got));
}
END_TEST

/* Elements are asked for in their order, in the opposite one, and in any. */
START_TEST(places_in_a_long_list)
{
	enum { N = 1200 };
	char text[4 * N + 3], pointers[N][8];
	struct tn_place_query queries[N];
	size_t len = 0;

	text[len++] = '[';
	for (size_t i = 0; i < N; i++) {
		memcpy(text + len, i ? ", 0" : "  0", 3);
		len += 3;
		snprintf(pointers[i], sizeof(pointers[i]), "/%zu", i);
	}
	text[len++] = ']';
	for (size_t by = 1; by < N; by += 234) { /* prime to N: 1, 235, 469 ... */
		for (size_t i = 0; i < N; i++) {
			const size_t id = by == 235 ? N - 1 - i : i * by % N;

			queries[i] = (struct tn_place_query){ .pointer = pointers[id],
				.id = id };
		}
		ck_assert(tn_place_find_all(text, len, queries, N));
		for (size_t i = 0; i < N; i++)
			ck_assert_uint_eq(queries[i].place.column, 4 + 3 * queries[i].id);
	}
}
END_TEST

struct item {
	uint32_t key, id;
};

static int by_key_and_id(const void *a, const void *b)
{
	const struct item *ia = a, *ib = b;

	if (ia->key != ib->key)
		return ia->key < ib->key ? -1 : 1;
	return (ia->id > ib->id) - (ia->id < ib->id);
}

/* Keys in runs of so many items, up and down in turn; with 1 the list is random. */
static const struct {
	size_t n, run;
} lists[] = {
	{ 0, 1 },
	{ 1, 1 },
	{ 2, 1 },
	{ 2, 2 },
	{ 3, 2 },
	{ 500, 500 },
	{ 500, 250 },
	{ 500, 100 },
	{ 500, 9 },
	{ 500, 8 },
	{ 500, 7 },
	{ 500, 1 },
};

START_TEST(lists_of_runs_are_sorted)
{
	struct item got[500], want[500];
	const size_t n = lists[_i].n, run = lists[_i].run;
	uint32_t state = 1;

	for (int down = 0; down < 2; down++) {
		for (size_t i = 0; i < n; i++) {
			const uint32_t at = (uint32_t)(i % run);

			state = state * 1664525u + 1013904223u;
			got[i].key = run == 1			    ? state >> 28
				     : (i / run + (size_t)down) % 2 ? 1000 - at / 2
								    : at / 2;
			got[i].id = (uint32_t)(i * 7 % 500);
		}
		memcpy(want, got, n * sizeof(*got));
		qsort(want, n, sizeof(*want), by_key_and_id);
		tn_qsort(got, n, sizeof(*got), by_key_and_id);
		ck_assert(n == 0 || memcmp(got, want, n * sizeof(*got)) == 0);
	}
}
END_TEST

#define PRINTS(...)                                                                      \
	do {                                                                             \
		char want[2000];                                                         \
		struct tn_arena arena;                                                   \
		struct tn_strbuf got;                                                    \
                                                                                         \
		snprintf(want, sizeof(want), __VA_ARGS__);                               \
		tn_arena_init(&arena);                                                   \
		tn_strbuf_init(&got);                                                    \
		tn_strbuf_printf(&got, __VA_ARGS__);                                     \
		ck_assert_str_eq(got.text, want);                                        \
		ck_assert_uint_eq(got.len, strlen(want));                                \
		ck_assert_str_eq(tn_arena_printf(&arena, __VA_ARGS__), want);            \
		tn_strbuf_release(&got);                                                 \
		tn_arena_release(&arena);                                                \
	} while (0)

START_TEST(messages_are_those_of_printf)
{
	char text[1000] = "";

	PRINTS("%s", "");
	PRINTS("a%sb%sc", "x", "");
	PRINTS("%d %d %d", 0, INT32_MIN, INT32_MAX);
	PRINTS("%u %" PRIu32, 0u, UINT32_MAX);
	PRINTS("%" PRId64 " %" PRId64 " %" PRIu64, INT64_MIN, INT64_MAX, UINT64_MAX);
	PRINTS("%zu%s%zu", SIZE_MAX, "/", (size_t)0);
	PRINTS("%lld %llu %ld %lu", -1LL, 1ULL, -2L, 2UL);
	PRINTS("100 %% of %s", "it");
	PRINTS("%5d|%-5s|%.2s|%.*s|%x|%g", 1, "a", "abc", 1, "xyz", 255u, 0.5);
	PRINTS("%s %.1f %d", "before", 1.25, 3);
	/* around the room that is there at first */
	for (size_t len = 50; len<sizeof(text) - 1; len += len> 70 ? 62 : 1) {
		memset(text, 'x', len);
		PRINTS("%s", text);
		PRINTS("%d%s", 1, text);
		PRINTS("%s%d", text, 12);
	}
}
END_TEST

START_TEST(pointer_escapes)
{
	struct tn_arena arena;
	struct tn_path root = { NULL, "a/b~c", 0 }, leaf = { &root, NULL, 12 };

	tn_arena_init(&arena);
	ck_assert_str_eq(tn_path_pointer(&arena, &leaf), "/a~1b~0c/12");
	ck_assert_str_eq(tn_path_pointer(&arena, NULL), "");
	tn_arena_release(&arena);
}
END_TEST

START_TEST(interned_names_are_one)
{
	struct tn_arena arena;
	struct tn_strings strings;
	char text[16];

	tn_arena_init(&arena);
	tn_strings_init(&strings, &arena);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 1000; i++) {
			const char *one, *two;
			int len = snprintf(text, sizeof(text), "n%d", i);

			one = tn_str_intern(&strings, text, (size_t)len);
			two = tn_str_intern(&strings, text, (size_t)len);
			ck_assert_ptr_eq(one, two);
			ck_assert_str_eq(one, text);
		}
	}
	ck_assert_uint_eq(strings.count, 1000);
	ck_assert_ptr_ne(
		tn_str_intern(&strings, "ab", 1), tn_str_intern(&strings, "ab", 2));
	tn_arena_release(&arena);
}
END_TEST

START_TEST(diagnostics_are_counted)
{
	struct tn_arena arena;
	struct tn_diags diags;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	tn_diag(&diags, SEVERITY_ERROR, "x/y", NULL, NULL, "bad %d", 3);
	tn_diag_note(&diags, "expected %s", "good");
	tn_diag_at(&diags, SEVERITY_WARNING, "x/z", NULL, "/a", "t", "hm");
	ck_assert_uint_eq(diags.errors, 1);
	ck_assert_uint_eq(diags.warnings, 1);
	ck_assert_str_eq(diags.list.items[0].message, "bad 3");
	ck_assert_str_eq(diags.list.items[0].notes.items[0], "expected good");
	tn_arena_release(&arena);
}
END_TEST

START_TEST(fnv_known_values)
{
	ck_assert(tn_fnv(TN_FNV_INIT, "", 0) == UINT64_C(0xcbf29ce484222325));
	ck_assert(tn_fnv(TN_FNV_INIT, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
	ck_assert(tn_fnv(TN_FNV_INIT, "foobar", 6) == UINT64_C(0x85944171f73967e8));
}
END_TEST

/* Of the words of one list, in this order; NULL: none is near. */
static const struct {
	const char *word, *best;
} meant[] = {
	{ "plam", "plan" },
	{ "paln", "plan" },
	{ "pla", "plan" },
	{ "plans", "plan" },
	{ "sched", "schedule" },
	{ "shcedule", "schedule" },
	{ "schedule", "schedule" },
	{ "stream", "stream" },
	{ "stream-inptu", "stream-input" },
	{ "emmit", "emit" },
	{ "ex", NULL }, /* two letters begin too much */
	{ "train", NULL },
	{ "nalp", NULL },
	{ "", NULL },
	{ "stream-input-stream-input-stream-input-stream-inp", NULL },
	{ "stream-input-stream-input-stream-input-stream-inpu", NULL },
};

START_TEST(nearest_word)
{
	static const char *const list[] = { "plan", "emit", "explain", "schedule",
		"stream", "stream-input", "", NULL };
	struct tn_nearest nearest;

	tn_nearest_init(&nearest, meant[_i].word);
	for (int i = 0; list[i]; i++)
		tn_nearest_offer(&nearest, list[i]);
	if (meant[_i].best)
		ck_assert_str_eq(nearest.best, meant[_i].best);
	else
		ck_assert_ptr_null(nearest.best);
}
END_TEST

static const struct {
	const char *text;
	int64_t bytes; /* -1: none */
} sizes[] = {
	{ "0", 0 },
	{ "10", 10 },
	{ "10K", 10240 },
	{ "10k", 10240 },
	{ "10KB", 10240 },
	{ "10KiB", 10240 },
	{ "2M", 2097152 },
	{ "2MiB", 2097152 },
	{ "2mB", 2097152 },
	{ "", -1 },
	{ "K", -1 },
	{ "-1", -1 },
	{ "+1", -1 },
	{ " 1", -1 },
	{ "1 K", -1 },
	{ "1B", -1 },
	{ "1Ki", -1 },
	{ "1KBs", -1 },
	{ "1KiBB", -1 },
	{ "1.5K", -1 },
	{ "9223372036854775807", INT64_MAX },
	{ "9223372036854775808", -1 },
	{ "9007199254740991K", 9223372036854774784 },
	{ "9007199254740992K", -1 },
};

START_TEST(size_is_read)
{
	int64_t got = -1;

	ck_assert(tn_size_parse(sizes[_i].text, &got) == (sizes[_i].bytes >= 0));
	ck_assert_int_eq(got, sizes[_i].bytes);
}
END_TEST

static const struct {
	const char *name, *word, *file; /* file NULL: as the word */
} shell_words[] = {
	{ "models/a-b_1.2@c:d,e+f=g%h.json", "models/a-b_1.2@c:d,e+f=g%h.json", NULL },
	{ "m\303\274ll.json", "m\303\274ll.json", NULL },
	{ "my model.json", "\"my model.json\"", NULL },
	{ "it's.json", "\"it's.json\"", NULL },
	{ "a\"b", "'a\"b'", NULL },
	{ "$a's", "'$a'\\''s'", NULL },
	{ "a`b", "'a`b'", NULL },
	{ "a\\b", "'a\\b'", NULL },
	{ "a!b", "'a!b'", NULL },
	{ "~a", "\"~a\"", NULL },
	{ "#a", "\"#a\"", NULL },
	{ "a*b?[c]{d}", "\"a*b?[c]{d}\"", NULL },
	{ "a;b&c|d<e>f(g)", "\"a;b&c|d<e>f(g)\"", NULL },
	{ "a\nb\tc", "\"a\nb\tc\"", NULL },
	{ "", "\"\"", NULL },
	{ "-", "-", NULL },
	{ "-o", "-o", "./-o" },
	{ "-a b", "\"-a b\"", "\"./-a b\"" },
};

/* What the shell makes of the word, which is all that counts. */
static void read_word(const char *word, char *out, size_t room)
{
	char line[128];
	FILE *shell;

	ck_assert_int_lt(
		snprintf(line, sizeof(line), "printf %%s. %s", word), (int)sizeof(line));
	shell = popen(line, "r");
	ck_assert_ptr_nonnull(shell);
	out[fread(out, 1, room - 1, shell)] = '\0';
	ck_assert_int_eq(pclose(shell), 0);
}

START_TEST(words_for_a_shell)
{
	const char *name = shell_words[_i].name, *word = shell_words[_i].word;
	const char *file = shell_words[_i].file ? shell_words[_i].file : word;
	char expected[64], found[64];
	struct tn_arena arena;

	tn_arena_init(&arena);
	ck_assert_str_eq(tn_shell_word(&arena, name), word);
	ck_assert_str_eq(tn_shell_file(&arena, name), file);
	tn_arena_release(&arena);
	snprintf(expected, sizeof(expected), "%s.", name);
	read_word(word, found, sizeof(found));
	ck_assert_str_eq(found, expected);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("base");
	TCase *tc = tcase_create("base");

	tcase_add_loop_test(tc, align_up, 0, (int)(sizeof(aligns) / sizeof(*aligns)));
	tcase_add_test(tc, overflow_is_seen);
	tcase_add_loop_test(
		tc, place_of_pointer, 0, (int)(sizeof(places) / sizeof(*places)));
	tcase_add_loop_test(
		tc, place_in_xml, 0, (int)(sizeof(xml_places) / sizeof(*xml_places)));
	tcase_add_loop_test(
		tc, place_behind_a_mark, 0, (int)(sizeof(places) / sizeof(*places)));
	tcase_add_test(tc, places_all_at_once);
	tcase_add_test(tc, place_counts_characters);
	tcase_add_test(tc, place_survives_any_cut);
	tcase_add_test(tc, places_in_a_long_list);
	tcase_add_loop_test(
		tc, lists_of_runs_are_sorted, 0, (int)(sizeof(lists) / sizeof(*lists)));
	tcase_add_test(tc, messages_are_those_of_printf);
	tcase_add_test(tc, pointer_escapes);
	tcase_add_test(tc, interned_names_are_one);
	tcase_add_test(tc, diagnostics_are_counted);
	tcase_add_test(tc, fnv_known_values);
	tcase_add_loop_test(tc, size_is_read, 0, (int)(sizeof(sizes) / sizeof(*sizes)));
	tcase_add_loop_test(tc, nearest_word, 0, (int)(sizeof(meant) / sizeof(*meant)));
	tcase_add_loop_test(tc, words_for_a_shell, 0,
		(int)(sizeof(shell_words) / sizeof(*shell_words)));
	suite_add_tcase(s, tc);
	return s;
}
