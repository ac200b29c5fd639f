/* Where names of an ONNX model are looked up: in a graph, in a call of a function, and then
 * in the graph around, from which a body captures what it reads. */
#include "import/onnx.h"

#include "base/banned.h"

/* A tensor of the graph around, as an input of this one; a constant is one here, too. */
static tn_tensor_id capture(struct tn_onnx *x, struct tn_onnx_scope *scope,
	const char *name, tn_tensor_id outer)
{
	struct tn_onnx_graph *g = scope->graph;
	struct tn_tensor from = *tn_foreign_at(&scope->up->graph->f, outer);
	struct tn_onnx_known known;
	struct tn_at at = { .root = true };
	struct tn_tensor *t =
		tn_foreign_tensor(&g->f, &at, name, from.dtype, &from.shape);
	tn_tensor_id id;

	if (!t)
		return (tn_tensor_id){ TN_NONE };
	id = tn_foreign_newest(&g->f);
	t->pointer = from.pointer;
	t->quant = from.quant;
	if (from.role == ROLE_CONST) {
		t->role = ROLE_CONST;
		t->data_kind = from.data_kind;
		t->data = from.data;
		t->data_bytes = from.data_bytes;
	} else {
		tn_foreign_input(&g->f, id, false);
		if (!tn_vec_push(&x->tree.scratch, &g->captures,
			    ((struct tn_onnx_capture){ outer, id })))
			x->tree.nomem = true;
	}
	if (tn_onnx_known(scope->up->graph, x, outer, &known))
		tn_onnx_know(g, x, id, known.v, known.n);
	if (tn_names_add(&scope->names, t->name, id.i) == NAME_NOMEM)
		x->tree.nomem = true;
	return id;
}

static tn_tensor_id find(struct tn_onnx *x, struct tn_onnx_scope *scope, const char *name)
{
	uint32_t index = tn_names_find(&scope->names, name);
	tn_tensor_id outer;

	if (index != UINT32_MAX || !scope->up)
		return (tn_tensor_id){ index };
	outer = find(x, scope->up, name);
	return outer.i == TN_NONE || outer.i == TN_ONNX_OMITTED
		       ? outer
		       : capture(x, scope, name, outer);
}

tn_tensor_id tn_onnx_lookup(struct tn_onnx *x, struct tn_onnx_scope *scope,
	const struct tn_at *at, const char *name)
{
	tn_tensor_id id = { TN_NONE };

	if (!name[0])
		return id;
	id = find(x, scope, name);
	if (id.i == TN_NONE)
		tn_at_error(&x->tree, at, "graph/undefined-tensor",
			"there is no value '%.200s'", name);
	if (id.i == TN_ONNX_OMITTED)
		id.i = TN_NONE;
	return id;
}

tn_tensor_id tn_onnx_declare(struct tn_onnx *x, struct tn_onnx_scope *scope,
	const struct tn_at *at, const char *name, const struct tn_at *type, bool strict)
{
	struct tn_foreign *f = &scope->graph->f;
	struct tn_shape shape = { .rank = 1, .dim = { TN_DIM_UNKNOWN } };
	const struct tn_shape *given = tn_foreign_given_shape(f, name);
	enum tn_dtype dtype = DTYPE_INVALID;
	const char *full = name;
	struct tn_tensor *t;
	bool ranked;

	if (type)
		tn_onnx_type(x, f, type, strict && !given, &dtype, &shape, &ranked);
	if (given)
		shape = *given;
	if (scope->prefix)
		full = tn_arena_printf(&x->tree.scratch, "%s/%s", scope->prefix, name);
	t = full ? tn_foreign_tensor(f, at, full, dtype, &shape) : NULL;
	/* the scope's key must outlive it: the interned or the file's text does */
	if (!t || tn_names_add(&scope->names, scope->prefix ? name : t->name,
			  tn_foreign_newest(f).i) == NAME_NOMEM)
		x->tree.nomem = true;
	return x->tree.nomem ? (tn_tensor_id){ TN_NONE } : tn_foreign_newest(f);
}
