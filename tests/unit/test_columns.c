#include "suite.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "report/columns.h"

#define EXACT (((int64_t)1 << 53) - 1)

/* As page-data.js does it, in integers. */
static void decode(const char *text, size_t n, int64_t *out)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789+/";
	const char *at = text + 1;
	int64_t last = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t folded = 0;
		int64_t value;
		unsigned shift = 0, digit;

		if (i && *text == '*') {
			out[i] = last;
			continue;
		}
		do {
			const char *letter = strchr(letters, *at);

			ck_assert_msg(*at && letter, "%s", text);
			at++;
			digit = (unsigned)(letter - letters);
			folded |= (uint64_t)(digit & 31) << shift;
			shift += 5;
		} while (digit & 32);
		value = (int64_t)(folded >> 1);
		if (folded & 1)
			value = -value - 1;
		out[i] = last = *text == '+' ? last + value : value;
	}
	ck_assert_msg(!*at, "more than %zu numbers: %s", n, text);
}

static const struct {
	const char *name;
	int64_t values[8];
	size_t n;
	const char *text; /* NULL: only its way back counts */
} cases[] = {
	{ "nothing", { 0 }, 0, "=" },
	{ "one", { 5 }, 1, "*K" },
	{ "alike", { -1, -1, -1, -1 }, 4, "*B" },
	{ "small", { 0, -1, 1, 15, -16, 16 }, 6, "=ABCefgB" },
	{ "steps", { 1000, 1001, 1002, 1001 }, 4, "+w+BCCB" },
	{ "far apart", { 4096, -4096, 4096, 0 }, 4, NULL },
	{ "as far as numbers are exact", { EXACT, -EXACT, EXACT, EXACT - 1 }, 4, NULL },
	{ "no difference to one that is not", { EXACT + 1, EXACT + 1, EXACT }, 3, NULL },
	{ "one that is not exact spoils no other",
		{ EXACT + 1, EXACT + 2, EXACT + 3, 7, 8, 9 }, 6, NULL },
	{ "ends", { INT64_MIN, INT64_MAX, 0, INT64_MIN + 1, INT64_MAX - 1 }, 5, NULL },
	{ "ends alike", { INT64_MIN, INT64_MIN }, 2, NULL },
};

START_TEST(numbers_come_back)
{
	static const char *const names[] = { "a", "b" };
	struct tn_arena arena;
	struct tn_columns c;
	struct tn_strbuf text;
	struct tn_json_stream out = { &text, false };
	json_t *root;
	const char *a;
	int64_t back[8];

	tn_arena_init(&arena);
	tn_strbuf_init(&text);
	tn_columns_init(&c, &arena, names, 2, _i % 2 ? cases[_i].n : 0);
	for (size_t i = 0; i < cases[_i].n; i++)
		TN_COLUMNS_ADD(&c, cases[_i].values[i], (int64_t)i * 3);
	tn_json_open(&out, NULL, '{');
	tn_columns_put(&c, "it", &out);
	tn_columns_list(&c, "again", &out);
	tn_json_close(&out, '{');
	ck_assert(!text.failed);
	root = json_loads(text.text, 0, NULL);
	ck_assert_msg(root != NULL, "%s: %s", cases[_i].name, text.text);
	ck_assert_uint_eq((size_t)json_integer_value(
				  json_object_get(json_object_get(root, "it"), "n")),
		cases[_i].n);
	a = json_string_value(json_object_get(json_object_get(root, "it"), "a"));
	ck_assert_str_eq(
		a, json_string_value(json_array_get(json_object_get(root, "again"), 0)));
	if (cases[_i].text)
		ck_assert_msg(strcmp(a, cases[_i].text) == 0, "%s: %s, want %s",
			cases[_i].name, a, cases[_i].text);
	decode(a, cases[_i].n, back);
	for (size_t i = 0; i < cases[_i].n; i++) {
		ck_assert_msg(back[i] == cases[_i].values[i], "%s: value %zu",
			cases[_i].name, i);
		if (cases[_i].values[i] > EXACT) /* a script could not add these up */
			ck_assert_msg(*a != '+', "%s: %s", cases[_i].name, a);
	}
	decode(json_string_value(json_array_get(json_object_get(root, "again"), 1)),
		cases[_i].n, back);
	for (size_t i = 0; i < cases[_i].n; i++)
		ck_assert_int_eq(back[i], (int64_t)i * 3);
	json_decref(root);
	tn_strbuf_release(&text);
	tn_arena_release(&arena);
}
END_TEST

START_TEST(lack_of_memory_is_told)
{
	struct tn_strbuf text;
	struct tn_json_stream out = { &text, false };
	struct tn_arena arena;
	struct tn_columns c;

	tn_arena_init(&arena);
	tn_strbuf_init(&text);
	tn_columns_init(&c, &arena, NULL, 3, SIZE_MAX / 2);
	tn_columns_list(&c, "x", &out);
	ck_assert(text.failed);
	tn_strbuf_release(&text);
	tn_arena_release(&arena);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *suite = suite_create("columns");
	TCase *tc = tcase_create("columns");

	tcase_add_loop_test(
		tc, numbers_come_back, 0, (int)(sizeof(cases) / sizeof(*cases)));
	tcase_add_test(tc, lack_of_memory_is_told);
	suite_add_tcase(suite, tc);
	return suite;
}
