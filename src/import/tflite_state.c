/* Resource variables of a .tflite file become tensors that keep their bytes: a handle is
 * no value, reading is a copy from the tensor and assigning a copy to it. What a graph that
 * is called once assigns is what the tensor starts from; one that nothing is assigned to
 * starts at its zero point, as variables do. All of a file is changed, or nothing: handles
 * that go into bodies, initial values that are computed, and variables of several types
 * stay what they are, and no kernel runs them. */
#include <string.h>

#include "import/tflite_build.h"

#include "base/banned.h"

struct variable {
	const char *container, *name;
	uint32_t like; /* tensor of the main graph that is read from or assigned to it */
	const struct tn_tensor *first; /* what it starts from; or NULL */
	uint32_t tensor; /* the new one */
	bool assigned;
};

struct state {
	struct tn_tfl *tfl;
	struct tn_graph *g;
	TN_VEC(struct variable) list;
	uint32_t *handle; /* by tensor of the main graph: the variable; TN_NONE */
	bool *called; /* by subgraph: once */
};

static bool is_about_state(const struct tn_op *op)
{
	return op->kind == OP_VAR_HANDLE || op->kind == OP_READ_VARIABLE ||
	       op->kind == OP_ASSIGN_VARIABLE || op->kind == OP_CALL_ONCE;
}

/* A runtime takes a handle without a container for one of any. */
static bool same_container(const char *a, const char *b)
{
	return !a[0] || !b[0] || strcmp(a, b) == 0;
}

/* Index of the variable that the op names; TN_NONE without memory. */
static uint32_t named(struct state *s, const struct tn_op *op)
{
	struct variable v = { tn_op_string(op, "container", ""),
		tn_op_string(op, "shared_name", ""), TN_NONE, NULL, TN_NONE, false };

	for (uint32_t i = 0; i < s->list.count; i++)
		if (strcmp(s->list.items[i].name, v.name) == 0 &&
			same_container(s->list.items[i].container, v.container))
			return i;
	if (!tn_vec_push(s->tfl->im->arena, &s->list, v)) {
		s->tfl->nomem = true;
		return TN_NONE;
	}
	return (uint32_t)s->list.count - 1;
}

static uint32_t operand(const tn_tensor_id *list, uint32_t n, uint32_t k)
{
	return k < n ? list[k].i : TN_NONE;
}

static bool same_bytes(const struct tn_tensor *a, const struct tn_tensor *b)
{
	const struct tn_quant *x = &a->quant, *y = &b->quant;

	if (a->dtype != b->dtype || a->bytes != b->bytes || a->bytes < 0 ||
		x->n != y->n || x->n > 1)
		return false;
	return !x->n || (memcmp(x->scale, y->scale, sizeof(*x->scale)) == 0 &&
				x->zero_point[0] == y->zero_point[0]);
}

/* The graph that is called once: it only assigns constants. */
static bool read_first(struct state *s, const struct tn_op *call)
{
	int64_t index = tn_op_int(call, "init_subgraph", 0);
	const struct tn_graph *init;
	uint32_t *handle;

	if (index < 1 || index > s->g->n_subgraphs)
		return false;
	if (s->called[index - 1])
		return true; /* a second call does nothing */
	s->called[index - 1] = true;
	init = &s->g->subgraphs[index - 1];
	handle = TN_NEW_ARRAY(s->tfl->im->arena, uint32_t, init->n_tensors);
	if (!handle) {
		s->tfl->nomem = true;
		return false;
	}
	for (uint32_t i = 0; i < init->n_tensors; i++)
		handle[i] = TN_NONE;
	for (uint32_t i = 0; i < init->n_ops; i++) {
		const struct tn_op *op = &init->ops[i];
		uint32_t h, from;

		if (op->kind == OP_VAR_HANDLE) {
			h = operand(op->outputs, op->n_outputs, 0);
			if (h == TN_NONE)
				return false;
			handle[h] = named(s, op);
			continue;
		}
		h = operand(op->inputs, op->n_inputs, 0);
		from = operand(op->inputs, op->n_inputs, 1);
		if (op->kind != OP_ASSIGN_VARIABLE || h == TN_NONE || from == TN_NONE ||
			handle[h] == TN_NONE ||
			init->tensors[from].data_kind != DATA_BYTES ||
			!tn_tensor_is_constant(&init->tensors[from]))
			return false;
		s->list.items[handle[h]].first = &init->tensors[from];
	}
	return true;
}

/* An op of the main graph that reads or assigns. */
static bool read_use(struct state *s, const struct tn_op *op)
{
	bool assigns = op->kind == OP_ASSIGN_VARIABLE;
	uint32_t h = operand(op->inputs, op->n_inputs, 0);
	uint32_t t = assigns ? operand(op->inputs, op->n_inputs, 1)
			     : operand(op->outputs, op->n_outputs, 0);
	struct variable *v;

	if (h == TN_NONE || t == TN_NONE || s->handle[h] == TN_NONE)
		return false;
	v = &s->list.items[s->handle[h]];
	if (v->like == TN_NONE)
		v->like = t;
	v->assigned = v->assigned || assigns;
	return same_bytes(&s->g->tensors[v->like], &s->g->tensors[t]);
}

/* Does a handle go anywhere else? */
static bool leaks(const struct state *s, const struct tn_op *op)
{
	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (op->inputs[k].i != TN_NONE && s->handle[op->inputs[k].i] != TN_NONE)
			return true;
	return false;
}

static bool body_is_about_state(const struct tn_graph *g, uint32_t body)
{
	for (uint32_t i = 0; i < g->subgraphs[body].n_ops; i++)
		if (is_about_state(&g->subgraphs[body].ops[i]))
			return true;
	return false;
}

static bool read_ops(struct state *s)
{
	const struct tn_graph *g = s->g;
	bool used = false;

	for (uint32_t i = 0; i < g->n_ops; i++) {
		const struct tn_op *op = &g->ops[i];
		uint32_t h = operand(op->outputs, op->n_outputs, 0);
		bool ok = true;

		if (op->kind == OP_VAR_HANDLE && h != TN_NONE)
			ok = (s->handle[h] = named(s, op)) != TN_NONE;
		else if (op->kind == OP_CALL_ONCE)
			ok = !used && read_first(s, op);
		else if (is_about_state(op))
			used = ok = read_use(s, op);
		else
			ok = !leaks(s, op);
		if (!ok)
			return false;
	}
	for (uint32_t i = 0; i < g->n_outputs; i++)
		if (g->outputs[i].i != TN_NONE && s->handle[g->outputs[i].i] != TN_NONE)
			return false;
	for (uint32_t i = 0; i < g->n_subgraphs; i++)
		if (!s->called[i] && body_is_about_state(g, i))
			return false;
	for (size_t i = 0; i < s->list.count; i++) {
		const struct variable *v = &s->list.items[i];

		if (v->first && v->like != TN_NONE &&
			(!same_bytes(v->first, &g->tensors[v->like]) ||
				v->first->data_bytes != v->first->bytes))
			return false;
	}
	return true;
}

static bool add_tensors(struct state *s)
{
	struct tn_graph *g = s->g;
	struct tn_tensor *list = TN_NEW_ARRAY(s->tfl->im->arena, struct tn_tensor,
		(size_t)g->n_tensors + s->list.count);

	if (!list)
		return false;
	memcpy(list, g->tensors, g->n_tensors * sizeof(*list));
	g->tensors = list;
	for (size_t i = 0; i < s->list.count; i++) {
		struct variable *v = &s->list.items[i];
		struct tn_tensor *t = &list[g->n_tensors];

		if (v->like == TN_NONE) /* nobody asks for it */
			continue;
		*t = list[v->like];
		t->name = v->name;
		t->role = ROLE_VARIABLE;
		t->clobber = t->observed = false;
		t->mutated = v->assigned;
		t->data_kind = v->first ? DATA_BYTES : DATA_NONE;
		t->data = v->first ? v->first->data : NULL;
		t->data_bytes = v->first ? v->first->bytes : 0;
		t->file_index = g->n_tensors;
		v->tensor = g->n_tensors++;
	}
	return true;
}

/* Handles and calls go; what reads and assigns becomes a copy. */
static bool change_ops(struct state *s)
{
	struct tn_graph *g = s->g;
	const char *type = tn_str_intern(s->tfl->im->strings, "RESHAPE", 7);
	uint32_t n = 0;

	if (!type)
		return false;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		struct tn_op op = g->ops[i];

		if (op.kind == OP_VAR_HANDLE || op.kind == OP_CALL_ONCE)
			continue;
		if (is_about_state(&op)) {
			tn_tensor_id *ends =
				TN_NEW_ARRAY(s->tfl->im->arena, tn_tensor_id, 2);
			tn_tensor_id v = {
				s->list.items[s->handle[op.inputs[0].i]].tensor
			};

			if (!ends)
				return false;
			ends[0] = op.kind == OP_READ_VARIABLE ? v : op.inputs[1];
			ends[1] = op.kind == OP_READ_VARIABLE ? op.outputs[0] : v;
			op.kind = OP_RESHAPE;
			op.type = type;
			op.inputs = ends;
			op.outputs = ends + 1;
			op.n_inputs = op.n_outputs = 1;
		}
		g->schedule[n].i = n;
		g->ops[n++] = op;
	}
	g->n_ops = n;
	return true;
}

bool tn_tfl_resolve_state(struct tn_tfl *tfl, struct tn_graph *g)
{
	struct state s = { .tfl = tfl, .g = g };
	bool any = false;

	for (uint32_t i = 0; i < g->n_ops; i++)
		any = any || g->ops[i].kind == OP_VAR_HANDLE;
	if (!any)
		return true;
	s.handle = TN_NEW_ARRAY(tfl->im->arena, uint32_t, g->n_tensors);
	s.called = TN_NEW_ARRAY(tfl->im->arena, bool, g->n_subgraphs);
	if (!s.handle || !s.called)
		return false;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		s.handle[i] = TN_NONE;
	if (!read_ops(&s))
		return !tfl->nomem;
	return add_tensors(&s) && change_ops(&s);
}
