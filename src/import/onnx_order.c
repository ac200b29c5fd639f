/* The order of a graph's nodes. The standard wants it topological; files differ. */
#include <assert.h>
#include <string.h>

#include "import/onnx.h"

#include "base/banned.h"

#define DEPTH_MAX 16 /* of bodies */

struct order {
	struct tn_onnx *x;
	struct tn_names made; /* value -> the node that computes it */
	TN_VEC(uint32_t)
	edges; /* nodes that a node waits for, one node behind the other */
	uint32_t *begin; /* by node, and one more: in edges */
};

static void add_edge(struct order *o, const char *name)
{
	uint32_t from = name ? tn_names_find(&o->made, name) : UINT32_MAX;

	if (from != UINT32_MAX && !tn_vec_push(&o->x->tree.scratch, &o->edges, from))
		o->x->tree.nomem = true;
}

/* What the node reads, and what the bodies in it read. */
static void add_edges(struct order *o, const struct tn_at *node, int depth)
{
	struct tn_tree *t = &o->x->tree;
	struct tn_at list, attr, graph, nodes, inner;
	size_t n;

	tn_at_key(t, node, "input", &list);
	for (size_t i = 0; i < json_array_size(list.json); i++)
		add_edge(o, json_string_value(json_array_get(list.json, i)));
	tn_at_key(t, node, "attribute", &list);
	n = json_array_size(list.json);
	for (size_t i = 0; i < n && depth < DEPTH_MAX; i++) {
		tn_at_item(&list, i, &attr);
		if (!tn_at_key(t, &attr, "g", &graph) ||
			!tn_at_key(t, &graph, "node", &nodes))
			continue;
		for (size_t k = 0; k < json_array_size(nodes.json); k++) {
			tn_at_item(&nodes, k, &inner);
			add_edges(o, &inner, depth + 1);
		}
		tn_at_key(t, &graph, "output", &nodes);
		for (size_t k = 0; k < json_array_size(nodes.json); k++)
			add_edge(o, json_string_value(json_object_get(
					    json_array_get(nodes.json, k), "name")));
	}
}

static bool collect(struct order *o, const struct tn_at *nodes, uint32_t n)
{
	struct tn_tree *t = &o->x->tree;
	struct tn_at at, list;

	o->made.arena = &t->scratch;
	o->begin = TN_NEW_ARRAY(&t->scratch, uint32_t, (size_t)n + 1);
	for (uint32_t i = 0; i < n; i++) {
		tn_at_item(nodes, i, &at);
		tn_at_key(t, &at, "output", &list);
		for (size_t k = 0; k < json_array_size(list.json); k++) {
			const char *name =
				json_string_value(json_array_get(list.json, k));

			if (name && name[0] &&
				tn_names_add(&o->made, name, i) == NAME_NOMEM)
				t->nomem = true;
		}
	}
	for (uint32_t i = 0; i < n && o->begin && !t->nomem; i++) {
		tn_at_item(nodes, i, &at);
		add_edges(o, &at, 0);
		o->begin[i + 1] = (uint32_t)o->edges.count;
	}
	return o->begin && !t->nomem;
}

struct frame {
	uint32_t node, edge;
};

/* Depth first, in the file's order, on a stack of our own. A cycle is left as it is: it
 * is reported with the graph. */
static void sort(const struct order *o, uint32_t n, struct frame *stack, uint8_t *state,
	uint32_t *out)
{
	uint32_t done = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t depth = 0;

		if (state[i])
			continue;
		state[i] = 1;
		stack[depth++] = (struct frame){ i, o->begin[i] };
		while (depth) {
			struct frame *f = &stack[depth - 1];

			if (f->edge == o->begin[f->node + 1]) {
				out[done++] = f->node;
				depth--;
			} else {
				uint32_t next;

				assert(f->edge < o->edges.count);
				next = o->edges.items[f->edge++];
				if (!state[next]) {
					state[next] = 1;
					stack[depth++] =
						(struct frame){ next, o->begin[next] };
				}
			}
		}
	}
}

uint32_t *tn_onnx_order(struct tn_onnx *x, const struct tn_at *nodes)
{
	struct order o = { .x = x };
	uint32_t n = (uint32_t)json_array_size(nodes->json);
	uint32_t *out = TN_NEW_ARRAY(&x->tree.scratch, uint32_t, n);
	uint8_t *state = TN_NEW_ARRAY(&x->tree.scratch, uint8_t, n);
	struct frame *stack = TN_NEW_ARRAY(&x->tree.scratch, struct frame, n);

	if (!out || !state || !stack || !collect(&o, nodes, n)) {
		x->tree.nomem = true;
		return NULL;
	}
	sort(&o, n, stack, state, out);
	return out;
}
