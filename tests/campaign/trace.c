#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fnv.h"
#include "exec/exec.h"

static void see(void *user, const struct tn_exec_layer *layer)
{
	struct trace *t = user;

	if (layer->op.i != TN_NONE && t->g->ops[layer->op.i].n_outputs == 1 &&
		t->g->tensors[layer->tensor.i].view_of.i == TN_NONE)
		t->by_op[layer->op.i] = tn_fnv(
			tn_fnv_u64(t->by_op[layer->op.i], 1), layer->bytes, layer->size);
}

static void see_last(struct trace *t, const struct tn_exec *e)
{
	for (uint32_t i = 0; i < t->g->n_tensors; i++) {
		const struct tn_tensor *x = &t->g->tensors[i];
		const uint8_t *bytes;
		size_t size;

		if (!(x->role == ROLE_VARIABLE || x->observed || x->role == ROLE_OUTPUT ||
			    tn_graph_is_output(t->g, (tn_tensor_id){ i }) ||
			    (x->role == ROLE_INPUT && !x->clobber)))
			continue;
		bytes = tn_exec_bytes(e, (tn_tensor_id){ i }, &size);
		if (bytes)
			t->last = tn_fnv(tn_fnv_u64(t->last, i), bytes, size);
	}
}

bool trace_run(const struct tn_graph *g, const struct tn_plan *plan, int poison,
	uint32_t seed, struct tn_arena *arena, struct trace *out)
{
	struct tn_diags diags;
	struct tn_exec *e;

	tn_diags_init(&diags, arena);
	*out = (struct trace){ .g = g,
		.by_op = TN_NEW_ARRAY(arena, uint64_t, g->n_ops),
		.last = TN_FNV_INIT };
	if (!out->by_op)
		exit(3);
	if (tn_exec_new(g, plan, arena, &diags, &e) != TN_OK) {
		if (plan)
			return false;
		fprintf(stderr, "a graph does not run: %s\n",
			diags.list.count ? diags.list.items[diags.list.count - 1].message
					 : "");
		exit(3);
	}
	tn_exec_poison(e, poison);
	for (uint32_t run = 0; run < 2; run++) {
		tn_exec_seed(e, seed + run);
		if (tn_exec_run(e, see, out) != TN_OK)
			return false;
		see_last(out, e);
	}
	return true;
}

bool trace_same(const struct trace *a, const struct trace *b)
{
	return a->last == b->last &&
	       memcmp(a->by_op, b->by_op, a->g->n_ops * sizeof(*a->by_op)) == 0;
}
