/* The heap of a parsed text. */
#include "suite.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "import/json.h"

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
	tcase_add_test(tc, heaps_of_threads_are_their_own);
	tcase_add_test(tc, allocators_of_others_are_kept);
	suite_add_tcase(s, tc);
	return s;
}
