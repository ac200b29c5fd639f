/* Claims, and the control flow that claims are judged by. */
#include <string.h>

#include "export/native_part.h"

#include "base/banned.h"

static void put_places(struct tn_native_writer *w, const struct tn_claim *c, bool sizes)
{
	bool first = true;

	for (uint32_t i = 0; i < c->n_places; i++) {
		int64_t value = sizes ? c->places[i].size : c->places[i].offset;

		if (value < 0)
			continue;
		tn_native_put(w, first ? "" : ", ");
		tn_native_put_tensor_name(w, c->places[i].tensor);
		tn_native_put(w, ": ");
		tn_native_put_int(w, value);
		first = false;
	}
}

void tn_native_put_claim(struct tn_native_writer *w, uint32_t i)
{
	const struct tn_claim *c = &w->g->claims[i];
	const struct {
		const char *key;
		tn_tensor_id id;
	} tensors[] = { { "in", c->in }, { "out", c->out }, { "tensor", c->tensor },
		{ "of", c->of } };
	const struct {
		const char *key;
		int64_t value;
	} sizes[] = {
		{ "byte_offset", c->byte_offset },
		{ "bytes", c->bytes },
		{ "arena_bytes", c->arena_bytes },
		{ "align", c->align },
		{ "base_address", c->base_address },
	};

	tn_native_put(w, "{\"id\": ");
	tn_native_put_text(w, c->id);
	tn_native_put_key(w, "kind");
	tn_native_put_text(w, c->kind);
	if (c->op.i != TN_NONE) {
		tn_native_put_key(w, "op");
		tn_native_put_text(w, w->g->ops[c->op.i].name);
	}
	for (size_t k = 0; k < sizeof(tensors) / sizeof(*tensors); k++) {
		if (tensors[k].id.i == TN_NONE)
			continue;
		tn_native_put_key(w, tensors[k].key);
		tn_native_put_tensor_name(w, tensors[k].id);
	}
	for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
		if (sizes[k].value >= 0)
			tn_native_put_int_member(w, sizes[k].key, sizes[k].value);
	if (strcmp(c->kind, "plan") == 0) {
		tn_native_put_key(w, "offsets");
		tn_native_put(w, "{");
		put_places(w, c, false);
		tn_native_put(w, "}");
		tn_native_put_key(w, "sizes");
		tn_native_put(w, "{");
		put_places(w, c, true);
		tn_native_put(w, "}");
	}
	if (strcmp(c->kind, "schedule") == 0) {
		tn_native_put_key(w, "order");
		tn_native_put_op_list(w, c->order, c->n_order);
	}
	tn_native_put(w, "}");
}

static void put_branches(struct tn_native_writer *w)
{
	const struct tn_graph *g = w->g;

	for (uint32_t i = 0; i < g->n_branches; i++) {
		const struct tn_branch *b = &g->branches[i];
		bool opens = i == 0 || strcmp(g->branches[i - 1].choice, b->choice) != 0;

		if (opens) {
			tn_native_put(w, i ? "}, " : "");
			tn_native_put_text(w, b->choice);
			tn_native_put(w, ": {");
		} else {
			tn_native_put(w, ", ");
		}
		tn_native_put_text(w, b->name);
		tn_native_put(w, ": ");
		tn_native_put_op_list(w, b->ops, b->n_ops);
	}
	tn_native_put(w, "}");
}

void tn_native_put_flow(struct tn_native_writer *w)
{
	const struct tn_graph *g = w->g;

	if (g->parallel) {
		tn_native_put_member(w, "exec");
		tn_native_put(w, "\"parallel\"");
	}
	if (g->n_branches) {
		tn_native_put_member(w, "branches");
		tn_native_put(w, "{");
		put_branches(w);
		tn_native_put(w, "}");
	}
	if (g->n_scopes) {
		tn_native_put_member(w, "subgraph_of");
		tn_native_put(w, "{");
		for (uint32_t i = 0; i < g->n_scopes; i++) {
			tn_native_put(w, i ? ", " : "");
			tn_native_put_text(w, g->scopes[i].name);
			tn_native_put(w, ": ");
			tn_native_put_tensor_list(
				w, g->scopes[i].tensors, g->scopes[i].n_tensors);
		}
		tn_native_put(w, "}");
	}
	if (g->unrolled_op) {
		tn_native_put_member(w, "unrolled_from");
		tn_native_put(w, "{\"op\": ");
		tn_native_put_text(w, g->unrolled_op);
		tn_native_put_int_member(w, "trip_count", g->trip_count);
		tn_native_put(w, "}");
	}
}
