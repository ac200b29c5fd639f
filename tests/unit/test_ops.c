/* Kernels against goldens: the models and results in ../shared, when it is there. */
#define _POSIX_C_SOURCE 200809L
#include "suite.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fnv.h"
#include "bind/kernels.h"
#include "interpret.h"

/* Variants of each op that are run: ascending, descending, with and without holding. */
#define VARIANTS 4

/* Models whose goldens rest on a C library's exp and the like, and those made of such. */
static const char *const inexact[] = { "logistic_f32", "tanh_f32", "elu_i8_b", "elu_f32",
	"exp_f32", "log_f32", "sin_f32", "cos_f32", "softmax_i16_rows",
	"softmax_f32_beta05", "log_softmax_f32", "lstm_f32", "graph_mixed_float" };

struct comparison {
	const char *name;
	json_t *golden;
	bool exact;
	int layers; /* compared */
	char difference[256]; /* the first one; "" when there is none */
};

static bool is_inexact(const char *name)
{
	for (size_t i = 0; i < sizeof(inexact) / sizeof(*inexact); i++)
		if (strncmp(inexact[i], name, strlen(inexact[i])) == 0 &&
			name[strlen(inexact[i])] == '.')
			return true;
	return false;
}

static json_t *layer_of(const struct comparison *c, uint32_t tensor)
{
	json_t *layers = json_object_get(c->golden, "layers"), *layer, *found = NULL;
	size_t i;

	json_array_foreach(layers, i, layer)
	{
		if (json_integer_value(json_object_get(layer, "subgraph")) != 0 ||
			json_integer_value(json_object_get(layer, "tensor")) != tensor)
			continue;
		if (found)
			return NULL; /* written twice */
		found = layer;
	}
	return found;
}

static void compare_layers(void *user, const struct interpreter *it, tn_op_id op)
{
	struct comparison *c = user;
	const struct tn_op *o = &it->file.graph.ops[op.i];
	char digest[17];

	for (uint32_t k = 0; k < o->n_outputs; k++) {
		const struct tn_tensor *t = &it->file.graph.tensors[o->outputs[k].i];
		json_t *layer = layer_of(c, t->file_index);
		const char *want = json_string_value(json_object_get(layer, "fnv1a64"));

		if (!want || c->difference[0] || !c->exact)
			continue;
		c->layers++;
		snprintf(digest, sizeof(digest), "%016llx",
			(unsigned long long)tn_fnv(TN_FNV_INIT,
				it->bytes[o->outputs[k].i], (size_t)t->bytes));
		if (strcmp(digest, want) != 0)
			snprintf(c->difference, sizeof(c->difference),
				"%s: op %u (%s), tensor %u: %s instead of %s", c->name,
				op.i, o->type, t->file_index, digest, want);
	}
}

static int hex_byte(const char *hex)
{
	char digits[3] = { hex[0], hex[1], 0 };

	return (int)strtol(digits, NULL, 16);
}

static float float_at(const char *hex)
{
	unsigned char bytes[4];
	float value;

	for (int i = 0; i < 4; i++)
		bytes[i] = (unsigned char)hex_byte(hex + 2 * i);
	memcpy(&value, bytes, sizeof(value));
	return value;
}

/* Relative to the greatest magnitude of the output. */
static bool close_floats(const uint8_t *got, const char *hex, int64_t n)
{
	float greatest = 0.0f, value;

	for (int64_t i = 0; i < n; i++)
		greatest = fmaxf(greatest, fabsf(float_at(hex + 8 * i)));
	for (int64_t i = 0; i < n; i++) {
		memcpy(&value, got + 4 * i, sizeof(value));
		if (!(fabsf(value - float_at(hex + 8 * i)) <= 1e-5f * greatest) &&
			value != float_at(hex + 8 * i))
			return false;
	}
	return true;
}

static void compare_output(struct comparison *c, const struct interpreter *it, size_t k,
	json_t *golden, const char *invocation)
{
	const struct tn_tensor *t;
	const char *hex = json_string_value(json_object_get(golden, "hex"));
	const uint8_t *got;
	int limit = c->exact ? 0 : 1;

	if (c->difference[0])
		return;
	ck_assert(hex && k < it->file.graph.n_outputs);
	t = &it->file.graph.tensors[it->file.graph.outputs[k].i];
	got = it->bytes[it->file.graph.outputs[k].i];
	ck_assert_msg((int64_t)strlen(hex) == 2 * t->bytes, "%s: output size", c->name);
	if (!c->exact && t->dtype == DTYPE_F32) {
		if (!close_floats(got, hex, t->elements))
			snprintf(c->difference, sizeof(c->difference),
				"%s: output %zu of the %s invocation is off by more than "
				"1e-5",
				c->name, k, invocation);
		return;
	}
	for (int64_t i = 0; i < t->bytes; i++) {
		int delta = got[i] - hex_byte(hex + 2 * i);

		if (abs(delta) <= limit)
			continue;
		snprintf(c->difference, sizeof(c->difference),
			"%s: output %zu, byte %lld of the %s invocation: %02x instead of "
			"%02x",
			c->name, k, (long long)i, invocation, got[i],
			(unsigned)hex_byte(hex + 2 * i));
		return;
	}
}

static void compare_outputs(struct comparison *c, const struct interpreter *it,
	const char *key, const char *invocation)
{
	json_t *golden, *list = json_object_get(c->golden, key);
	size_t k;

	json_array_foreach(list, k, golden) compare_output(c, it, k, golden, invocation);
}

/* One variant of the kernels against one golden. */
static void compare_run(struct comparison *c, struct interpreter *it)
{
	uint32_t seed = (uint32_t)json_integer_value(json_object_get(c->golden, "seed"));

	interpreter_reset(it, seed);
	interpreter_run(it, compare_layers, c);
	compare_outputs(c, it, "outputs", "first");
	if (!json_object_get(c->golden, "outputs2"))
		return;
	for (uint32_t i = 0; i < it->file.graph.n_inputs; i++) {
		/* inputs may have been overwritten by a graph whose output they are */
		interpreter_run(it, NULL, NULL);
		compare_outputs(c, it, "outputs2", "second");
		break;
	}
}

struct tally {
	int compared, skipped, layers;
	char first[256];
};

static void compare_model(
	struct tally *tally, const char *dir, json_t *golden, bool exact)
{
	struct comparison c = { .golden = golden, .exact = exact };
	struct interpreter it;
	char path[4096];

	c.name = json_string_value(json_object_get(golden, "model"));
	snprintf(path, sizeof(path), "%s/%s", dir, c.name);
	if (!interpreter_init(&it, path)) {
		printf("# skipped %s: %s\n", c.name, interpreter_error(&it));
		tally->skipped++;
	} else {
		for (uint32_t v = 0; v < VARIANTS && !c.difference[0]; v++) {
			ck_assert(interpreter_bind(&it, v));
			compare_run(&c, &it);
		}
		tally->compared++;
		tally->layers += c.layers;
		if (c.difference[0])
			printf("# %s\n", c.difference);
		if (c.difference[0] && !tally->first[0])
			memcpy(tally->first, c.difference, sizeof(tally->first));
	}
	interpreter_release(&it);
}

START_TEST(single_op_models)
{
	const char *file = tn_test_shared("ops/golden.jsonl");
	struct tally tally = { 0 };
	char dir[4096], *line = NULL;
	size_t size = 0;
	FILE *f;

	if (!file)
		return;
	snprintf(dir, sizeof(dir), "%.*s/models", (int)(strrchr(file, '/') - file), file);
	f = fopen(file, "r");
	ck_assert(f);
	while (getline(&line, &size, f) > 0) {
		json_t *golden = json_loads(line, 0, NULL);

		ck_assert(golden);
		compare_model(&tally, dir, golden,
			!is_inexact(json_string_value(json_object_get(golden, "model"))));
		json_decref(golden);
	}
	free(line);
	fclose(f);
	printf("# single-op models: %d compared, %d skipped, %d layers\n", tally.compared,
		tally.skipped, tally.layers);
	ck_assert_msg(!tally.first[0], "%s", tally.first);
	ck_assert_int_ge(tally.compared, 534);
}
END_TEST

/* The digests of every output of fixtures/kernels/ops.json, one a line: what these kernels
 * gave when they agreed with the goldens. TN_UPDATE_GOLDEN=1 rewrites the file. */
START_TEST(fixture_ops)
{
	struct interpreter it;
	char path[4096], name[128], digest[32], got[32];
	const char *update = getenv("TN_UPDATE_GOLDEN");
	uint32_t compared = 0;
	FILE *f;

	ck_assert_msg(interpreter_init(&it, tn_test_path("fixtures/kernels/ops.json")),
		"%s", interpreter_error(&it));
	snprintf(path, sizeof(path), "%s", tn_test_path("fixtures/kernels/ops.digests"));
	interpreter_reset(&it, 1);
	interpreter_run(&it, NULL, NULL);
	f = fopen(path, update && update[0] == '1' ? "w+" : "r");
	ck_assert(f);
	for (uint32_t k = 0; k < it.file.graph.n_outputs; k++) {
		tn_tensor_id id = it.file.graph.outputs[k];
		const struct tn_tensor *t = &it.file.graph.tensors[id.i];

		snprintf(got, sizeof(got), "%016llx",
			(unsigned long long)tn_fnv(
				TN_FNV_INIT, it.bytes[id.i], (size_t)t->bytes));
		if (update && update[0] == '1') {
			fprintf(f, "%s %s\n", t->name, got);
			continue;
		}
		ck_assert_int_eq(fscanf(f, "%127s %31s", name, digest), 2);
		ck_assert_str_eq(name, t->name);
		ck_assert_msg(strcmp(digest, got) == 0, "%s: %s instead of %s", name, got,
			digest);
		compared++;
	}
	fclose(f);
	interpreter_release(&it);
	printf("# fixture: %u outputs compared\n", compared);
}
END_TEST

START_TEST(fixture_has_every_kernel)
{
	bool used[KERNEL_COUNT] = { false };
	struct interpreter it;

	ck_assert_msg(interpreter_init(&it, tn_test_path("fixtures/kernels/ops.json")),
		"%s", interpreter_error(&it));
	for (uint32_t i = 0; i < it.file.graph.n_ops; i++)
		used[it.calls[i].kernel - tn_kernels] = true;
	for (int k = 0; k < KERNEL_COUNT; k++) {
		/* the other sets compute the same, and are compared with it */
		bool portable = strncmp(tn_kernels[k].file, "ref/", 4) == 0;

		ck_assert_msg(used[k] || !portable, "no op of the fixture runs %s",
			tn_kernels[k].symbol);
	}
	interpreter_release(&it);
}
END_TEST

/* Float models included: no sum of theirs depends on more than the order. */
static const char *const models[] = { "vww_96_int8", "pretrainedResnet_quant",
	"kws_ref_model", "str_ww_ref_model", "ad01_int8", "hello_world_int8",
	"micro_speech_quantized", "vww_96_float", "pretrainedResnet", "ad01_fp32",
	"hello_world_float", "mobilenet_v2_quantized_1x3x224x224" };

START_TEST(real_model)
{
	struct tally tally = { 0 };
	char relative[256], dir[4096];

	for (int seed = 1; seed <= 2; seed++) {
		const char *file;
		json_t *golden;

		snprintf(relative, sizeof(relative), "golden/%s.seed%d.json", models[_i],
			seed);
		file = tn_test_shared(relative);
		if (!file)
			return;
		golden = json_load_file(file, 0, NULL);
		ck_assert(golden);
		file = tn_test_shared("models");
		if (!file)
			return;
		snprintf(dir, sizeof(dir), "%s", file);
		compare_model(&tally, dir, golden, true);
		json_decref(golden);
	}
	ck_assert_msg(!tally.first[0], "%s", tally.first);
	ck_assert_msg(tally.compared == 2, "%s was not compared", models[_i]);
	printf("# %s: %d layers\n", models[_i], tally.layers);
}
END_TEST

static struct tally all_models;

static void compare_golden(const char *path)
{
	json_t *golden = json_load_file(path, 0, NULL);
	char dir[4096];

	ck_assert(golden);
	snprintf(dir, sizeof(dir), "%.*s/../models", (int)(strrchr(path, '/') - path),
		path);
	/* the large nets are above */
	for (size_t i = 0; i < sizeof(models) / sizeof(*models); i++)
		if (strncmp(json_string_value(json_object_get(golden, "model")),
			    models[i], strlen(models[i])) == 0) {
			json_decref(golden);
			return;
		}
	compare_model(&all_models, dir, golden, true);
	json_decref(golden);
}

START_TEST(other_models)
{
	const char *folder = tn_test_shared("golden");
	char path[4096];

	if (!folder)
		return;
	snprintf(path, sizeof(path), "%s", folder);
	memset(&all_models, 0, sizeof(all_models));
	each_file(path, ".json", compare_golden);
	printf("# other models: %d compared, %d skipped, %d layers\n",
		all_models.compared, all_models.skipped, all_models.layers);
	ck_assert_msg(!all_models.first[0], "%s", all_models.first);
	ck_assert_int_ge(all_models.compared, 130);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("ops");
	TCase *tc = tcase_create("goldens");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, fixture_ops);
	tcase_add_test(tc, fixture_has_every_kernel);
	tcase_add_test(tc, single_op_models);
	tcase_add_loop_test(tc, real_model, 0, sizeof(models) / sizeof(*models));
	tcase_add_test(tc, other_models);
	suite_add_tcase(s, tc);
	return s;
}
