#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fnv.h"
#include "exec/exec.h"

struct view {
	struct trace *t;
	const struct tn_exec *e;
	struct tn_arena *arena;
	const uint8_t **value; /* of the first invocation */
	uint32_t before; /* the op behind which the probe looks; TN_NONE: the inputs */
};

static void keep(struct view *v, const struct tn_exec_layer *layer)
{
	uint8_t *copy = tn_arena_alloc(v->arena, layer->size);

	if (!copy)
		exit(3);
	if (layer->size)
		memcpy(copy, layer->bytes, layer->size);
	v->t->value[layer->tensor.i] = copy;
}

static void see(void *user, const struct tn_exec_layer *layer)
{
	struct view *v = user;
	struct trace *t = v->t;
	const struct trace_probe *p = t->probe;

	if (t->value)
		keep(v, layer);
	if (p && layer->op.i == v->before)
		memcpy(p->bytes, v->e->regions[p->region] + p->place, (size_t)p->len);
	if (layer->op.i != TN_NONE && t->g->ops[layer->op.i].n_outputs == 1 &&
		t->g->tensors[layer->tensor.i].view_of.i == TN_NONE)
		t->by_op[layer->op.i] = tn_fnv(
			tn_fnv_u64(t->by_op[layer->op.i], 1), layer->bytes, layer->size);
}

static void see_last(struct trace *t, const struct tn_exec *e)
{
	struct tn_arena arena;
	const bool *updated;

	tn_arena_init(&arena);
	updated = tn_graph_updated_inputs(t->g, &arena);
	if (!updated)
		exit(3);
	for (uint32_t i = 0; i < t->g->n_tensors; i++) {
		const struct tn_tensor *x = &t->g->tensors[i];
		const uint8_t *bytes;
		size_t size;

		if (!(x->role == ROLE_VARIABLE || x->observed || x->role == ROLE_OUTPUT ||
			    tn_graph_is_output(t->g, (tn_tensor_id){ i }) || updated[i] ||
			    (x->role == ROLE_INPUT && !x->clobber)))
			continue;
		bytes = tn_exec_bytes(e, (tn_tensor_id){ i }, &size);
		if (bytes)
			t->last = tn_fnv(tn_fnv_u64(t->last, i), bytes, size);
	}
	tn_arena_release(&arena);
}

bool trace_run(const struct tn_graph *g, const struct tn_plan *plan, int poison,
	uint32_t seed, struct tn_arena *arena, struct trace *out)
{
	struct view view = { .t = out, .arena = arena, .before = TN_NONE };
	const struct trace_probe *probe = out->probe;
	struct tn_diags diags;
	struct tn_exec *e;

	tn_diags_init(&diags, arena);
	out->g = g;
	out->by_op = TN_NEW_ARRAY(arena, uint64_t, g->n_ops);
	out->last = TN_FNV_INIT;
	out->value = out->keep_values ? TN_NEW_ARRAY(arena, const uint8_t *, g->n_tensors)
				      : NULL;
	if (!out->by_op || (out->keep_values && !out->value))
		exit(3);
	for (uint32_t i = 0; probe && i < g->n_ops && plan->order[i] != probe->op; i++)
		view.before = plan->order[i];
	if (tn_exec_new(g, plan, arena, &diags, &e) != TN_OK) {
		if (plan)
			return false;
		fprintf(stderr, "a graph does not run: %s\n",
			diags.list.count ? diags.list.items[diags.list.count - 1].message
					 : "");
		exit(3);
	}
	tn_exec_poison(e, poison);
	view.e = e;
	for (uint32_t run = 0; run < 2; run++) {
		const uint8_t **value = out->value;

		tn_exec_seed(e, seed + run);
		if (tn_exec_run(e, see, &view) != TN_OK)
			return false;
		see_last(out, e);
		out->probe = NULL;
		out->value = NULL;
		if (run == 0)
			view.value = value;
	}
	out->value = view.value;
	return true;
}

bool trace_same(const struct trace *a, const struct trace *b)
{
	return a->last == b->last &&
	       memcmp(a->by_op, b->by_op, a->g->n_ops * sizeof(*a->by_op)) == 0;
}
