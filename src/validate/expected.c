#include "validate/expected.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"
#include "base/fnv.h"

static const int patterns[] = { TN_POISON_NONE, 0xA5, 0x5A };
#define N_PATTERNS (sizeof(patterns) / sizeof(*patterns))

static bool has_state(const struct tn_graph *g)
{
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (g->tensors[i].role == ROLE_VARIABLE)
			return true;
	return false;
}

/* What is collected: digests, and the bytes of one layer. */
struct collector {
	const struct tn_exec *exec;
	struct tn_arena *arena;
	TN_VEC(struct tn_layer) layers;
	uint32_t run;
	uint32_t wanted; /* layer whose bytes are kept; TN_NONE: none */
	uint8_t *bytes;
	size_t size;
	bool failed; /* no memory */
};

static void collect(void *user, const struct tn_exec_layer *layer)
{
	struct collector *c = user;
	struct tn_layer l = { .run = c->run, .op = layer->op, .tensor = layer->tensor };

	/* what an emitted program shows: bytes that are in its memory */
	if (layer->size == 0 ||
		c->exec->program.tensors[layer->tensor.i].region == TN_REGION_NONE)
		return;
	l.digest = tn_fnv(TN_FNV_INIT, layer->bytes, layer->size);
	if (c->layers.count == c->wanted) {
		c->bytes = tn_arena_alloc(c->arena, layer->size);
		if (c->bytes)
			memcpy(c->bytes, layer->bytes, layer->size);
		else
			c->failed = true;
		c->size = layer->size;
	}
	if (!tn_vec_push(c->arena, &c->layers, l))
		c->failed = true;
}

static enum tn_status run_all(
	struct tn_exec *e, uint32_t seed, uint32_t runs, struct collector *c)
{
	c->exec = e;
	c->layers.count = 0;
	tn_exec_reset(e);
	tn_exec_seed(e, seed);
	for (c->run = 0; c->run < runs; c->run++) {
		enum tn_status status = tn_exec_run(e, collect, c);

		if (status != TN_OK)
			return status;
	}
	return c->failed ? TN_ERR_NOMEM : TN_OK;
}

struct place {
	uint32_t run, position, given;
};

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return x->given < y->given ? -1 : x->given > y->given;
}

/* Inputs are in front, but for one that comes row by row: that is in front of its chain. */
static uint32_t input_place(const struct tn_plan *plan, uint32_t tensor)
{
	for (uint32_t i = 0; i < plan->n_streams; i++)
		if (plan->streams[i].fed && plan->streams[i].input == tensor)
			return 2 * plan->streams[i].first + 1;
	return 0;
}

/* From the graph's order to the plan's. */
static enum tn_status reorder(const struct tn_graph *g, const struct tn_plan *plan,
	struct tn_arena *arena, struct tn_validation *v)
{
	struct place *places = TN_NEW_ARRAY(arena, struct place, v->n_layers);
	struct tn_layer *layers = TN_NEW_ARRAY(arena, struct tn_layer, v->n_layers);
	uint32_t *position = TN_NEW_ARRAY(arena, uint32_t, g->n_ops);

	if (!places || !layers || !position)
		return TN_ERR_NOMEM;
	for (uint32_t p = 0; p < plan->n_ops; p++)
		if (plan->order[p] < g->n_ops)
			position[plan->order[p]] = 2 * p + 2;
	for (uint32_t i = 0; i < v->n_layers; i++) {
		const struct tn_layer *l = &v->layers[i];

		places[i] = (struct place){ l->run,
			l->op.i == TN_NONE ? input_place(plan, l->tensor.i)
					   : position[l->op.i],
			i };
	}
	if (v->n_layers)
		qsort(places, v->n_layers, sizeof(*places), by_place);
	for (uint32_t i = 0; i < v->n_layers; i++) {
		layers[i] = v->layers[places[i].given];
		layers[i].given = places[i].given;
	}
	v->layers = layers;
	return TN_OK;
}

/* The reference is what the portable kernels give, whichever set is validated. */
static enum tn_status portable(const struct tn_graph *g, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_exec **out)
{
	struct tn_graph *copy = TN_NEW(arena, struct tn_graph);

	if (!copy)
		return TN_ERR_NOMEM;
	*copy = *g;
	copy->kernels = KERNELS_PORTABLE;
	return tn_exec_new(copy, NULL, arena, diags, out);
}

enum tn_status tn_expected_run(const struct tn_graph *g, const struct tn_plan *plan,
	uint32_t seed, struct tn_arena *arena, struct tn_diags *diags,
	struct tn_validation *out)
{
	struct collector c = { .arena = arena, .wanted = TN_NONE };
	struct tn_exec *e;
	enum tn_status status = portable(g, arena, diags, &e);

	if (status != TN_OK)
		return status;
	out->runs = has_state(g) ? 2 : 1;
	status = run_all(e, seed, out->runs, &c);
	out->layers = c.layers.items;
	out->n_layers = (uint32_t)c.layers.count;
	return status == TN_OK ? reorder(g, plan, arena, out) : status;
}

enum tn_status tn_expected_bytes(const struct tn_graph *g, uint32_t seed, uint32_t layer,
	struct tn_arena *arena, struct tn_diags *diags, const uint8_t **out_bytes,
	size_t *out_size)
{
	struct collector c = { .arena = arena, .wanted = layer };
	struct tn_exec *e;
	enum tn_status status = portable(g, arena, diags, &e);

	if (status == TN_OK)
		status = run_all(e, seed, has_state(g) ? 2 : 1, &c);
	*out_bytes = c.bytes;
	*out_size = c.size;
	return status;
}

void tn_expected_first_byte(const uint8_t *expected, const uint8_t *found, size_t size,
	struct tn_validation_difference *out)
{
	for (size_t i = 0; i < size; i++) {
		if (expected[i] == found[i])
			continue;
		out->byte_known = true;
		out->byte = (int64_t)i;
		out->expected = expected[i];
		out->found = found[i];
		return;
	}
}

/* First layer that differs, or n_layers. */
static uint32_t first_difference(const struct tn_validation *v, const struct collector *c)
{
	uint32_t i = 0;

	while (i < v->n_layers && i < c->layers.count &&
		c->layers.items[i].digest == v->layers[i].digest &&
		c->layers.items[i].tensor.i == v->layers[i].tensor.i)
		i++;
	return i;
}

static enum tn_status describe(const struct tn_graph *g, struct tn_exec *e, uint32_t seed,
	uint32_t layer, struct collector *c, struct tn_diags *diags,
	const struct tn_validation *v, struct tn_validation_config *out)
{
	const uint8_t *expected;
	size_t size;
	enum tn_status status;

	assert(layer < c->layers.count); /* every run computes the same layers */
	out->verdict = VALIDATION_DIFFERS;
	out->difference.layer = layer;
	out->difference.pattern = e->poison;
	out->difference.digest = c->layers.items[layer].digest;
	c->wanted = layer;
	status = run_all(e, seed, v->runs, c);
	if (status == TN_OK)
		status = tn_expected_bytes(g, seed, v->layers[layer].given, c->arena,
			diags, &expected, &size);
	if (status == TN_OK && c->bytes && expected && size == c->size)
		tn_expected_first_byte(expected, c->bytes, size, &out->difference);
	return status;
}

enum tn_status tn_expected_check_plan(const struct tn_graph *g,
	const struct tn_plan *plan, uint32_t seed, struct tn_arena *arena,
	struct tn_diags *diags, const struct tn_validation *v,
	struct tn_validation_config *out)
{
	struct tn_exec *e;
	enum tn_status status = tn_exec_new(g, plan, arena, diags, &e);

	*out = (struct tn_validation_config){
		.target = "executor", .options = "", .shared = true, .detail = ""
	};
	for (size_t p = 0; p < N_PATTERNS && status == TN_OK; p++) {
		struct collector c = { .arena = arena, .wanted = TN_NONE };
		uint32_t layer;

		tn_exec_poison(e, patterns[p]);
		status = run_all(e, seed, v->runs, &c);
		if (status != TN_OK)
			return status;
		layer = first_difference(v, &c);
		out->compared += layer;
		if (layer < v->n_layers)
			return describe(g, e, seed, layer, &c, diags, v, out);
	}
	return status;
}
