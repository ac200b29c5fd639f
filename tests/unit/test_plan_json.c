#include "suite.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "gen_graph.h"
#include "gen_plan.h"
#include "import/plan_json.h"
#include "ir/digest.h"
#include "report/plan_json.h"

struct world {
	struct tn_gen gen;
	struct tn_graph g;
	struct tn_plan plan;
};

static void make_world(struct world *w, uint32_t seed)
{
	static const struct tn_gen_options options = {
		.ops = 8, .views = true, .state = true
	};

	tn_gen_init(&w->gen, seed);
	tn_gen_graph(&w->gen, &options, &w->g);
	gen_plan(&w->gen, &w->g, &w->plan);
	for (uint32_t i = 0; i < 3; i++)
		gen_plan_change(&w->gen, &w->g, &w->plan);
	for (uint32_t i = 0; i < w->plan.n_regions; i++) {
		w->plan.regions[i].name = i ? "slow" : "arena";
		w->plan.regions[i].capacity = i ? 4096 : -1;
	}
	for (uint32_t i = 0; i < w->g.n_ops; i++)
		w->plan.order[i] = w->g.schedule[i].i;
	for (uint32_t i = 0; i < w->g.n_tensors; i++) {
		w->plan.tensors[i].offset &= INT64_MAX;
		w->plan.tensors[i].first = i;
		w->plan.tensors[i].last = 2 * i + 1;
	}
	w->plan.activation_bytes = 123;
	w->plan.scratch_bytes = 16;
	w->plan.bound_bytes = 99;
	w->plan.no_reuse_bytes = INT64_MAX;
	w->plan.disjoint_bound_bytes = 0;
	w->plan.optimal = seed % 2;
	w->plan.digests = (struct tn_plan_digests){ tn_digest_graph(&w->g),
		tn_digest_constants(&w->g), UINT64_MAX, seed };
}

static const char *written(
	struct world *w, const struct tn_plan *plan, const struct tn_plan_extras *extras)
{
	struct tn_strbuf out;
	const char *text;

	tn_strbuf_init(&out);
	ck_assert_int_eq(tn_plan_json_write(&w->g, plan, extras, &out), TN_OK);
	text = tn_arena_strdup(&w->gen.arena, out.text);
	tn_strbuf_release(&out);
	ck_assert_ptr_nonnull(text);
	return text;
}

static enum tn_status read_text(struct world *w, const char *text, size_t len,
	const struct tn_plan_digests *want, struct tn_plan *out)
{
	struct tn_source *source = TN_NEW(&w->gen.arena, struct tn_source);

	ck_assert_ptr_nonnull(source);
	*source = (struct tn_source){
		.name = "plan.json", .text = text, .len = len, .is_text = true
	};
	tn_diags_init(&w->gen.diags, &w->gen.arena);
	return tn_import_plan_json(
		&w->g, source, want, &w->gen.arena, &w->gen.strings, &w->gen.diags, out);
}

/* Written, read and written again: the same bytes, and a plan that says the same. */
START_TEST(round_trip)
{
	struct world w;
	struct tn_plan back;
	const char *text, *again;
	json_t *ops = json_array(), *decisions = json_pack("[{s:s}]", "id", "d1");
	struct tn_plan_extras extras = { .decisions = decisions, .ops = ops };
	enum tn_status status;

	make_world(&w, (uint32_t)_i);
	for (uint32_t i = 0; i < w.g.n_ops; i++)
		ck_assert_int_eq(json_array_append_new(
					 ops, json_pack("{s:s, s:i, s:i}", "type", "ADD",
						      "macs", (int)i, "name", 7)),
			0);
	text = written(&w, &w.plan, &extras);
	status = read_text(&w, text, strlen(text), &w.plan.digests, &back);
	ck_assert_msg(status == TN_OK, "%d: %s", _i,
		w.gen.diags.list.count ? w.gen.diags.list.items[0].message : "");
	again = written(&w, &back, &extras);
	ck_assert_str_eq(again, text);
	for (uint32_t i = 0; i < w.g.n_tensors; i++) {
		const struct tn_plan_tensor *a = &w.plan.tensors[i],
					    *b = &back.tensors[i];

		ck_assert_uint_eq(a->region, b->region);
		if (a->region != TN_REGION_NONE)
			ck_assert(a->offset == b->offset && a->bytes == b->bytes &&
				  a->first == b->first && a->last == b->last);
	}
	for (uint32_t i = 0; i < w.g.n_ops; i++) {
		const struct tn_plan_op *a = &w.plan.ops[i], *b = &back.ops[i];

		ck_assert(a->descending == b->descending && a->hold == b->hold &&
			  a->elided == b->elided && a->scratch_bytes == b->scratch_bytes);
		ck_assert_uint_eq(w.plan.order[i], back.order[i]);
	}
	ck_assert(back.optimal == w.plan.optimal && back.no_reuse_bytes == INT64_MAX &&
		  back.arena_bytes == w.plan.arena_bytes);
	ck_assert_ptr_nonnull(strstr(text, "\"macs\": 0"));
	ck_assert_ptr_nonnull(strstr(text, "\"id\": \"d1\""));
	json_decref(ops);
	json_decref(decisions);
	tn_gen_release(&w.gen);
}
END_TEST

static const struct {
	const char *pointer, *says;
} stales[] = {
	{ "/digests/graph", "another graph" },
	{ "/digests/constants", "another set of constants" },
	{ "/digests/kernels", "another kernel set" },
	{ "/digests/contracts", "another set of kernel contracts" },
};

START_TEST(stale_is_refused_by_name)
{
	struct world w;
	struct tn_plan_digests now;
	struct tn_plan back;
	const char *text;
	uint64_t *digest[] = { &now.graph, &now.constants, &now.kernels, &now.contracts };

	make_world(&w, 3);
	now = w.plan.digests;
	*digest[_i] ^= 1;
	text = written(&w, &w.plan, NULL);
	ck_assert_int_eq(read_text(&w, text, strlen(text), &now, &back), TN_ERR_REFUSED);
	ck_assert_uint_eq(w.gen.diags.list.count, 1);
	ck_assert_str_eq(w.gen.diags.list.items[0].rule, "plan/stale");
	ck_assert_str_eq(w.gen.diags.list.items[0].pointer, stales[_i].pointer);
	ck_assert_ptr_nonnull(strstr(w.gen.diags.list.items[0].message, stales[_i].says));
	ck_assert_int_eq(read_text(&w, text, strlen(text), NULL, &back), TN_OK);
	tn_gen_release(&w.gen);
}
END_TEST

/* One value of a good plan replaced by another (NULL: removed), and where the reader then
 * says that something is wrong. */
static const struct {
	const char *at, *value, *pointer;
} damages[] = {
	{ "format", NULL, "/format" },
	{ "format", "\"tenure.graph/1\"", "/format" },
	{ "format", "1", "/format" },
	{ "arena_bytes", NULL, "/arena_bytes" },
	{ "arena_bytes", "-1", "/arena_bytes" },
	{ "arena_bytes", "1.0", "/arena_bytes" },
	{ "arena_bytes", "\"1\"", "/arena_bytes" },
	{ "activation_bytes", "null", "/activation_bytes" },
	{ "scratch_bytes", "[]", "/scratch_bytes" },
	{ "bound_bytes", NULL, "/bound_bytes" },
	{ "no_reuse_bytes", "{}", "/no_reuse_bytes" },
	{ "disjoint_bound_bytes", "true", "/disjoint_bound_bytes" },
	{ "optimal", "1", "/optimal" },
	{ "digests", NULL, "/digests" },
	{ "digests", "[]", "/digests" },
	{ "digests/graph", NULL, "/digests/graph" },
	{ "digests/graph", "12", "/digests/graph" },
	{ "digests/kernels", "\"0123\"", "/digests/kernels" },
	{ "digests/kernels", "\"000000000000000g\"", "/digests/kernels" },
	{ "digests/kernels", "\"00000000000000000\"", "/digests/kernels" },
	{ "regions", NULL, "/regions" },
	{ "regions", "{}", "/regions" },
	{ "regions/0", "7", "/regions/0" },
	{ "regions/0/name", NULL, "/regions/0/name" },
	{ "regions/0/name", "\"other\"", "/tensors/0/region" },
	{ "regions/0/capacity", "-1", "/regions/0/capacity" },
	{ "regions/0/used", "-1", "/regions/0/used" },
	{ "regions/0/align", "0", "/regions/0/align" },
	{ "regions/0/cost", "0.5", "/regions/0/cost" },
	{ "tensors", "0", "/tensors" },
	{ "tensors/0", "[]", "/tensors/0" },
	{ "tensors/0/index", "-1", "/tensors/0/index" },
	{ "tensors/0/index", "100000", "/tensors/0/index" },
	{ "tensors/0/index", "4294967296", "/tensors/0/index" },
	{ "tensors/1/index", "0", "/tensors/1/index" },
	{ "tensors/0/name", "\"nobody\"", "/tensors/0/name" },
	{ "tensors/0/region", "0", "/tensors/0/region" },
	{ "tensors/0/region", "\"nowhere\"", "/tensors/0/region" },
	{ "tensors/0/offset", "-16", "/tensors/0/offset" },
	{ "tensors/0/offset", "1e3", "/tensors/0/offset" },
	{ "tensors/0/bytes", NULL, "/tensors/0/bytes" },
	{ "tensors/0/first", "-1", "/tensors/0/first" },
	{ "tensors/0/last", "\"x\"", "/tensors/0/last" },
	{ "ops", NULL, "/ops" },
	{ "ops/0", "null", "/ops/0" },
	{ "ops/0/index", "8", "/ops/0/index" },
	{ "ops/1/index", "0", "/ops/1/index" },
	{ "ops/0/name", "\"nobody\"", "/ops/0/name" },
	{ "ops/0/variant", NULL, "/ops/0/variant" },
	{ "ops/0/variant/order", "\"sideways\"", "/ops/0/variant/order" },
	{ "ops/0/variant/hold", "1", "/ops/0/variant/hold" },
	{ "ops/0/elided", "\"no\"", "/ops/0/elided" },
	{ "ops/0/scratch", NULL, "/ops/0/scratch" },
	{ "ops/0/scratch", "{}", "/ops/0/scratch/region" },
	{ "ops/0/scratch", "{\"region\": \"arena\", \"offset\": 0, \"bytes\": 0}",
		"/ops/0/scratch/bytes" },
	{ "ops/0/scratch", "{\"region\": \"arena\", \"offset\": -1, \"bytes\": 1}",
		"/ops/0/scratch/offset" },
	{ "order", NULL, "/order" },
	{ "order", "[]", "/order" },
	{ "order/0", "8", "/order/0" },
	{ "order/0", "-1", "/order/0" },
	{ "order/1", "0", "/order/1" },
	{ "order/1", "\"0\"", "/order/1" },
};

/* The same, with what is said. */
#define CHAIN(first, ops, order, loops)                                                  \
	"{\"first\": " first ", \"ops\": " ops ", \"order\": \"" order                   \
	"\", \"loops\": [" loops "]}"
#define REGION(name)                                                                     \
	"{\"name\": \"" name                                                             \
	"\", \"capacity\": null, \"used\": 0, \"align\": 16, \"cost\": 0}"
#define LOOP(times, event) "{\"times\": " times ", \"events\": [" event "]}"
static const struct {
	const char *at, *value, *pointer, *says;
} told[] = {
	{ "regions", "[" REGION("arena") ", " REGION("arena") "]", "/regions/1/name",
		"there are two regions 'arena'" },
	{ "streams", "[" CHAIN("0", "2", "ascending", LOOP("1", "[0, 0, 1]")) "]",
		"/streams/0/loops/0/events/0", "expected [op, row, rows, step]" },
	{ "streams",
		"[" CHAIN("0", "2", "ascending", LOOP("4194305", "[0, 0, 1, 1]")) "]",
		"/streams/0/loops/0/events", "too many events" },
	{ "streams",
		"[" CHAIN("0", "2", "ascending",
			LOOP("4194304", "[0, 0, 1, 1]") ", " LOOP(
				"1", "[0, 0, 1, 1]")) "]",
		"/streams/0/loops/1/events", "too many events" },
	{ "streams", "[" CHAIN("0", "2", "upward", "") "]", "/streams/0/order",
		"expected 'ascending' or 'descending'" },
	{ "streams", "[1, 2, 3, 4, 5, 6, 7, 8, 9]", "/streams", "more chains than ops" },
	{ "streams",
		"[" CHAIN("0", "3", "ascending", "") ", " CHAIN(
			"2", "2", "descending", "") "]",
		"/streams/1", "it starts before the one before it ends" },
};

static void damage(json_t *root, const char *at, const char *value)
{
	char path[64], *key = path, *slash;
	json_t *with = value ? json_loads(value, JSON_DECODE_ANY, NULL) : NULL;

	ck_assert(strlen(at) < sizeof(path));
	memcpy(path, at, strlen(at) + 1);
	while ((slash = strchr(key, '/'))) {
		*slash = '\0';
		root = json_is_array(root) ? json_array_get(root, (size_t)(key[0] - '0'))
					   : json_object_get(root, key);
		key = slash + 1;
	}
	if (json_is_array(root))
		ck_assert_int_eq(
			json_array_set_new(root, (size_t)(key[0] - '0'), with), 0);
	else if (with)
		ck_assert_int_eq(json_object_set_new(root, key, with), 0);
	else
		ck_assert_int_eq(json_object_del(root, key), 0);
}

static bool reported(const struct tn_diags *diags, const char *pointer)
{
	for (size_t i = 0; i < diags->list.count; i++)
		if (diags->list.items[i].pointer &&
			strcmp(diags->list.items[i].pointer, pointer) == 0)
			return true;
	return false;
}

/* As it is written, and every tensor in the first of its regions. */
static json_t *sound_plan(struct world *w)
{
	make_world(w, 4);
	for (uint32_t i = 0; i < w->g.n_tensors; i++)
		if (w->plan.tensors[i].region != TN_REGION_NONE)
			w->plan.tensors[i].region = 0;
	for (uint32_t i = 0; i < w->g.n_ops; i++)
		w->plan.order[i] = i;
	return json_loads(written(w, &w->plan, NULL), 0, NULL);
}

/* The root is no longer the caller's. */
static enum tn_status read_root(struct world *w, json_t *root)
{
	struct tn_plan back;
	char *text = json_dumps(root, 0);
	enum tn_status status = read_text(w, text, strlen(text), NULL, &back);

	free(text);
	json_decref(root);
	return status;
}

START_TEST(damaged_plans)
{
	struct world w;
	json_t *root = sound_plan(&w);

	damage(root, damages[_i].at, damages[_i].value);
	ck_assert_int_eq(read_root(&w, root), TN_ERR_INPUT);
	ck_assert_msg(reported(&w.gen.diags, damages[_i].pointer),
		"%s = %s: nothing is said about %s", damages[_i].at,
		damages[_i].value ? damages[_i].value : "nothing", damages[_i].pointer);
	tn_gen_release(&w.gen);
}
END_TEST

static void is_told(const struct tn_diags *diags, const char *pointer, const char *says)
{
	const struct tn_diag *d = &diags->list.items[0];

	ck_assert_uint_eq(diags->list.count, 1);
	ck_assert_str_eq(d->rule, "plan/format");
	ck_assert_str_eq(d->pointer, pointer);
	ck_assert_str_eq(d->message, says);
}

START_TEST(damages_are_told)
{
	struct world w;
	json_t *root = sound_plan(&w);

	damage(root, told[_i].at, told[_i].value);
	ck_assert_int_eq(read_root(&w, root), TN_ERR_INPUT);
	is_told(&w.gen.diags, told[_i].pointer, told[_i].says);
	tn_gen_release(&w.gen);
}
END_TEST

/* Up to the largest number that is read, and one more. */
START_TEST(number_of_regions)
{
	for (size_t n = 256; n < 258; n++) {
		struct world w;
		json_t *root = sound_plan(&w), *list = json_object_get(root, "regions");
		char name[24];

		while (json_array_size(list) < n) {
			json_t *region = json_deep_copy(json_array_get(list, 0));

			snprintf(name, sizeof(name), "r%zu", json_array_size(list));
			json_object_set_new(region, "name", json_string(name));
			json_array_append_new(list, region);
		}
		if (n == 256) {
			ck_assert_int_eq(read_root(&w, root), TN_OK);
		} else {
			ck_assert_int_eq(read_root(&w, root), TN_ERR_INPUT);
			is_told(&w.gen.diags, "/regions", "more than 256 regions");
		}
		tn_gen_release(&w.gen);
	}
}
END_TEST

/* Not the first error only. */
START_TEST(all_errors_are_reported)
{
	static const char *const at[] = { "arena_bytes", "regions/0/used",
		"tensors/0/offset", "tensors/1/bytes", "ops/0/elided", "order/2" };
	struct world w;
	struct tn_plan back;
	json_t *root;
	char *text, pointer[32];

	make_world(&w, 4);
	root = json_loads(written(&w, &w.plan, NULL), 0, NULL);
	for (size_t i = 0; i < 6; i++)
		damage(root, at[i], "-5");
	text = json_dumps(root, 0);
	ck_assert_int_eq(read_text(&w, text, strlen(text), NULL, &back), TN_ERR_INPUT);
	for (size_t i = 0; i < 6; i++) {
		snprintf(pointer, sizeof(pointer), "/%s", at[i]);
		ck_assert_msg(reported(&w.gen.diags, pointer), "%s", pointer);
	}
	free(text);
	json_decref(root);
	tn_gen_release(&w.gen);
}
END_TEST

/* Cut anywhere, or with any byte changed: an answer, and no memory touched that is not
 * ours (a sanitizer watches). */
START_TEST(survives_cuts_and_noise)
{
	struct world w;
	struct tn_plan back;
	const char *text;
	size_t len;
	char *copy;

	make_world(&w, 5);
	text = written(&w, &w.plan, NULL);
	len = strlen(text);
	for (size_t i = 0; i + 2 < len; i += 7)
		ck_assert_int_eq(
			read_text(&w, text, i, &w.plan.digests, &back), TN_ERR_INPUT);
	for (uint32_t i = 0; i < 600; i++) {
		copy = tn_arena_strdup(&w.gen.arena, text);
		ck_assert_ptr_nonnull(copy);
		copy[tn_gen_random(&w.gen, (uint32_t)len)] =
			"0-9\"[]{},:x\xff"[tn_gen_random(&w.gen, 12)];
		(void)!read_text(&w, copy, len, NULL, &back);
	}
	tn_gen_release(&w.gen);
}
END_TEST

/* Names of tensors come from files and may hold any bytes. */
START_TEST(names_that_are_no_text)
{
	struct world w;
	struct tn_plan back;
	const char *text;

	make_world(&w, 6);
	for (uint32_t i = 0; i < w.g.n_tensors; i++)
		w.g.tensors[i].name =
			i % 3 ? (i % 3 == 1 ? "a\xff\xc0" : "") : "\"\\\n\t/~";
	text = written(&w, &w.plan, NULL);
	ck_assert_int_eq(read_text(&w, text, strlen(text), NULL, &back), TN_OK);
	ck_assert_str_eq(written(&w, &back, NULL), text);
	tn_gen_release(&w.gen);
}
END_TEST

static const struct {
	const char *text, *says;
} words[] = {
	{ "{\"kernel_set\": 5}", "expected a string, found an integer" },
	{ "{\"rewrite\": [5]}", "expected a string, found an integer" },
	{ "{\"rewrite\": \"all\"}", "expected a list, found a string" },
	{ "{\"copies\": {}}", "expected a list, found an object" },
	{ "{\"copies\": [[]]}", "expected an object, found a list" },
};

/* What is asked of a plan's file before its graph is made says what it expected. */
START_TEST(words_of_another_kind)
{
	const struct tn_source source = {
		.name = "p", .text = words[_i].text, .len = strlen(words[_i].text)
	};
	struct tn_plan_changes changes;
	struct tn_plan_file *file;
	struct tn_strings strings;
	struct tn_arena arena;
	struct tn_diags diags;
	const char *kernels;
	int refused;

	tn_arena_init(&arena);
	tn_strings_init(&strings, &arena);
	tn_diags_init(&diags, &arena);
	ck_assert_int_eq(tn_plan_file_open(&source, &arena, &diags, &file), TN_OK);
	refused = tn_plan_file_kernels(file, &arena, &strings, &diags, &kernels) ==
		  TN_ERR_INPUT;
	refused += tn_plan_file_changes(file, &arena, &strings, &diags, &changes) ==
		   TN_ERR_INPUT;
	ck_assert_int_eq(refused, 1);
	ck_assert_uint_eq(diags.errors, 1);
	ck_assert_str_eq(diags.list.items[0].message, words[_i].says);
	tn_plan_file_close(file);
	tn_arena_release(&arena);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("plan_json");
	TCase *tc = tcase_create("plan_json");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, round_trip, 0, 20);
	tcase_add_loop_test(
		tc, stale_is_refused_by_name, 0, sizeof(stales) / sizeof(*stales));
	tcase_add_loop_test(tc, damaged_plans, 0, sizeof(damages) / sizeof(*damages));
	tcase_add_loop_test(tc, damages_are_told, 0, sizeof(told) / sizeof(*told));
	tcase_add_test(tc, number_of_regions);
	tcase_add_test(tc, all_errors_are_reported);
	tcase_add_test(tc, survives_cuts_and_noise);
	tcase_add_test(tc, names_that_are_no_text);
	tcase_add_loop_test(tc, words_of_another_kind, 0, sizeof(words) / sizeof(*words));
	suite_add_tcase(s, tc);
	return s;
}
