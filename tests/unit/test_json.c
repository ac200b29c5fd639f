/* The reader of plain JSON against jansson: the same values, or none. And the heap of a
 * parsed text. */
#include "suite.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "import/json.h"
#include "import/json_plain.h"

static const struct {
	const char *text;
	bool plain; /* no need of jansson */
} texts[] = {
	{ "{}", true },
	{ " [ ] \r\n\t", true },
	{ "{\"a\": {\"b\": [1, [], {}, \"x\"]}, \"c\": null}", true },
	{ "[true, false, null, \"\", \"a b\"]", true },
	{ "[0, -0, 7, -1234567890, 999999999999999999, -999999999999999999]", true },
	{ "[0.5, -0.0, 1e3, 1E-3, 1.25e+2, 0e0, 123456789012345678.5, 1e-400]", true },
	{ "{\"a~/b\": 1, \"\": 2}", true },
	{ "{\"0123456789012345678901234567890123456789012345678901234567890123456789"
	  "0123456789\": 1}",
		true },
	{ "[\"a\\\"b\\\\\", \"\\u00e4\\n\", \"\xc3\xa4\", \"\x7f\"]", true },
	{ "{\"\\u00e4\": 1, \"\xc3\xb6\": 2, \"a\\\"\": {\"\\\\\": []}}", true },
	{ "[9223372036854775807, -9223372036854775808]", false },
	{ "[1234567890123456789]", false },
	/* no JSON */
	{ "", false },
	{ " ", false },
	{ "1", false },
	{ "\"a\"", false },
	{ "null", false },
	{ "{", false },
	{ "[", false },
	{ "[1", false },
	{ "[1,", false },
	{ "[1,]", false },
	{ "[,1]", false },
	{ "[1 2]", false },
	{ "[]]", false },
	{ "[] x", false },
	{ "{\"a\"}", false },
	{ "{\"a\":}", false },
	{ "{\"a\" 1}", false },
	{ "{\"a\": 1,}", false },
	{ "{a: 1}", false },
	{ "{1: 1}", false },
	{ "{\"a\": 1]", false },
	{ "{\"a\": 1, \"a\": 2}", false },
	{ "{\"a\": 1, \"\\u0061\": 2}", false },
	{ "[01]", false },
	{ "[-]", false },
	{ "[-01]", false },
	{ "[+1]", false },
	{ "[1.]", false },
	{ "[.5]", false },
	{ "[1e]", false },
	{ "[1e+]", false },
	{ "[1.5.5]", false },
	{ "[0x10]", false },
	{ "[1.5", false },
	{ "[1e400]", false },
	{ "[99999999999999999999]", false },
	{ "[nan]", false },
	{ "[NaN, Infinity]", false },
	{ "[tru]", false },
	{ "[truex]", false },
	{ "[nulll]", false },
	{ "[\"a]", false },
	{ "[\"a\\\"]", false },
	{ "[\"a\nb\"]", false },
	{ "[\"\\x\"]", false },
	{ "[\"\\u0000\"]", false },
	{ "[\"\\ud800\"]", false },
	{ "[\"\xff\"]", false },
	{ "[\"\xc0\x80\"]", false },
	{ "[\"\xed\xa0\x80\"]", false },
	{ "['a']", false },
	{ "[1] /* */", false },
	{ "\xef\xbb\xbf[]", false },
};

static json_t *plain(struct tn_json_heap *heap, const char *text, size_t len)
{
	json_t *root;

	memset(heap, 0, sizeof(*heap));
	tn_json_heap_enter(heap);
	root = tn_json_plain(text, len);
	tn_json_heap_leave();
	return root;
}

/* As printed: json_equal does not see the order of keys. */
static void same(const json_t *a, const json_t *b, const char *text, size_t len)
{
	char *one = json_dumps(a, JSON_REAL_PRECISION(17)),
	     *two = json_dumps(b, JSON_REAL_PRECISION(17));

	ck_assert_msg(one && two && strcmp(one, two) == 0, "%.*s: %s", (int)len, text,
		one ? one : "nothing");
	free(one);
	free(two);
}

/* Returns whether the text was plain. */
static bool compare(const char *text, size_t len)
{
	char *copy = malloc(len + 1); /* its end is the end of the memory */
	struct tn_json_heap heap;
	json_error_t error;
	json_t *want, *got;
	bool is_plain;

	ck_assert_ptr_nonnull(copy);
	memcpy(copy + 1, text, len);
	want = json_loadb(copy + 1, len, JSON_REJECT_DUPLICATES, &error);
	got = plain(&heap, copy + 1, len);
	is_plain = got;
	ck_assert_msg(!got || want, "%.*s: read, but jansson says %s", (int)len, text,
		error.text);
	if (got)
		same(got, want, text, len);
	tn_json_heap_release(&heap);
	json_decref(want);
	free(copy);
	return is_plain;
}

START_TEST(plain_or_nothing)
{
	const char *text = texts[_i].text;

	ck_assert_msg(compare(text, strlen(text)) == texts[_i].plain, "%s", text);
	for (size_t len = 0; len < strlen(text); len++)
		(void)compare(text, len);
}
END_TEST

static uint32_t random_below(uint32_t *state, uint32_t n)
{
	*state = *state * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)*state * n >> 32);
}

/* One or two bytes of a good text changed, doubled or dropped. */
START_TEST(plain_or_nothing_when_damaged)
{
	static const char bytes[] =
		"{}[],:\"\\0123456789.eE+-tfnu aA\n\t/\x80\xc3\xa4\x01";
	uint32_t state = (uint32_t)_i + 1, n_plain = 0;
	char text[256];

	for (int round = 0; round < 20000; round++) {
		const char *from = texts[random_below(&state, 12)].text;
		size_t len = strlen(from);

		memcpy(text, from, len);
		for (uint32_t n = 1 + random_below(&state, 2); n--;) {
			const size_t at = random_below(&state, (uint32_t)len);
			const char byte = bytes[random_below(&state, sizeof(bytes) - 1)];

			switch (random_below(&state, 3)) {
			case 0:
				text[at] = byte;
				break;
			case 1:
				memmove(text + at + 1, text + at, len++ - at);
				text[at] = byte;
				break;
			default:
				memmove(text + at, text + at + 1, --len - at);
			}
		}
		n_plain += compare(text, len);
	}
	ck_assert_uint_gt(n_plain, 1000);
	ck_assert_uint_lt(n_plain, 19000);
}
END_TEST

static void load(struct tn_json *json, const char *text, size_t len, const char *rule)
{
	struct tn_source source = { .name = "x.json", .text = text, .len = len };
	struct tn_arena arena;
	struct tn_diags diags;
	struct tn_import im = { .arena = &arena, .diags = &diags, .source = &source };
	enum tn_status status;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	status = tn_json_load(&im, text, len, NULL, NULL, json);
	ck_assert_int_eq(status, rule ? TN_ERR_INPUT : TN_OK);
	ck_assert(!json->root == (rule != NULL));
	ck_assert_uint_eq(diags.errors, rule != NULL);
	if (rule)
		ck_assert_str_eq(diags.list.items[0].rule, rule);
	tn_arena_release(&arena);
}

/* "[[[ ... ]]]" */
static char *nested(unsigned depth)
{
	char *text = malloc(2 * depth);

	ck_assert_ptr_nonnull(text);
	memset(text, '[', depth);
	memset(text + depth, ']', depth);
	return text;
}

START_TEST(limits_are_those_of_the_slow_way)
{
	for (unsigned depth = TN_JSON_DEPTH_MAX - 1; depth < TN_JSON_DEPTH_MAX + 3;
		depth++) {
		const bool fits = depth <= TN_JSON_DEPTH_MAX;
		char *text = nested(depth);
		struct tn_json json;

		ck_assert_msg(compare(text, 2 * depth) == fits, "depth %u", depth);
		load(&json, text, 2 * depth, fits ? NULL : "json/limit");
		tn_json_drop(&json);
		free(text);
	}
}
END_TEST

/* A list of n lists of n numbers, with an odd string in each when jansson shall read it. */
static char *lists(size_t n, bool odd, size_t *out_len)
{
	const char *item = odd ? "[1234567890123456789" : "[1";
	char *text = malloc(n * (strlen(item) + 3 * n + 3) + 2);
	size_t len = 0;

	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < n; i++) {
		text[len++] = i ? ',' : '[';
		memcpy(text + len, item, strlen(item));
		len += strlen(item);
		for (size_t k = 1; k < n; k++) {
			memcpy(text + len, ",22", 3);
			len += 3;
		}
		text[len++] = ']';
	}
	text[len++] = ']';
	*out_len = len;
	return text;
}

/* Lists that grow from small pieces to large ones, in several threads, beside values that
 * have nothing to do with it. */
static void *grow_lists(void *user)
{
	const bool odd = user != NULL;

	for (size_t n = 1; n < 800; n += 1 + n / 3) {
		size_t len;
		char *text = lists(n, odd, &len);
		json_t *other = json_pack("{s:[i,i]}", "k", 1, 2);
		struct tn_json json;

		load(&json, text, len, NULL);
		json_decref(other);
		ck_assert_uint_eq(json_array_size(json.root), n);
		for (size_t i = 0; i < n; i++) {
			const json_t *list = json_array_get(json.root, i);

			ck_assert_uint_eq(json_array_size(list), n);
			ck_assert_int_eq(json_integer_value(json_array_get(list, n - 1)),
				n > 1 ? 22
				: odd ? 1234567890123456789
				      : 1);
		}
		other = json_integer(1);
		tn_json_drop(&json);
		json_decref(other);
		free(text);
	}
	return NULL;
}

START_TEST(heaps_of_threads_are_their_own)
{
	static int odd;
	pthread_t threads[4];

	tn_json_heap_install();
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, grow_lists,
					 i % 2 ? &odd : NULL),
			0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}
END_TEST

static long outer_pieces;

static void *outer_malloc(size_t size)
{
	outer_pieces++;
	return malloc(size);
}

static void outer_free(void *piece)
{
	outer_pieces--;
	free(piece);
}

/* A program that has allocators of its own keeps them for its own values. */
START_TEST(allocators_of_others_are_kept)
{
	static const char text[] = "{\"a\": [1, 2, \"\\n\"]}";
	struct tn_json json;
	json_t *other;
	long pieces;

	json_set_alloc_funcs(outer_malloc, outer_free);
	other = json_loads(text, 0, NULL);
	pieces = outer_pieces;
	ck_assert_int_gt(pieces, 5);
	load(&json, text, sizeof(text) - 1, NULL);
	ck_assert_int_eq(outer_pieces, pieces);
	ck_assert(json_equal(json.root, other));
	json_decref(other);
	ck_assert_int_eq(outer_pieces, 0);
	tn_json_drop(&json);
	other = json_object();
	ck_assert_int_gt(outer_pieces, 0);
	json_decref(other);
	ck_assert_int_eq(outer_pieces, 0);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("json");
	TCase *tc = tcase_create("json");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(
		tc, plain_or_nothing, 0, (int)(sizeof(texts) / sizeof(*texts)));
	tcase_add_loop_test(tc, plain_or_nothing_when_damaged, 0, 4);
	tcase_add_test(tc, limits_are_those_of_the_slow_way);
	tcase_add_test(tc, heaps_of_threads_are_their_own);
	tcase_add_test(tc, allocators_of_others_are_kept);
	suite_add_tcase(s, tc);
	return s;
}
