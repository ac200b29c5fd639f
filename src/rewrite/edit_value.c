/* Attributes, constants, and running an op while rewriting. */
#include <string.h>

#include "exec/exec.h"
#include "ir/validate.h"
#include "rewrite/edit.h"

#include "base/banned.h"

/* The op's attribute of this name, made when there is none; NULL on lack of memory. The
 * list is copied first: it may be shared with the file's graph. */
static struct tn_attr *attr_of(struct tn_edit *e, struct tn_op *op, const char *name)
{
	struct tn_attr *list = TN_NEW_ARRAY(e->arena, struct tn_attr, op->n_attrs + 1);
	uint32_t at = 0;

	if (!list) {
		e->failed = true;
		return NULL;
	}
	if (op->n_attrs)
		memcpy(list, op->attrs, op->n_attrs * sizeof(*list));
	while (at < op->n_attrs && strcmp(list[at].name, name) != 0)
		at++;
	op->attrs = list;
	if (at == op->n_attrs) {
		list[at].name = tn_str_intern(e->strings, name, strlen(name));
		if (!list[at].name) {
			e->failed = true;
			return NULL;
		}
		op->n_attrs++;
	}
	e->changed = true;
	return &list[at];
}

void tn_edit_attr_string(
	struct tn_edit *e, struct tn_op *op, const char *name, const char *value)
{
	struct tn_attr *attr = attr_of(e, op, name);
	const char *text = tn_str_intern(e->strings, value, strlen(value));

	if (!attr || !text) {
		e->failed = true;
		return;
	}
	attr->kind = ATTR_STRING;
	attr->v.s = text;
	attr->n = 1;
}

void tn_edit_attr_bool(struct tn_edit *e, struct tn_op *op, const char *name, bool value)
{
	struct tn_attr *attr = attr_of(e, op, name);

	if (!attr)
		return;
	attr->kind = ATTR_BOOL;
	attr->v.i = value;
	attr->n = 1;
}

void tn_edit_attr_float(
	struct tn_edit *e, struct tn_op *op, const char *name, double value)
{
	struct tn_attr *attr = attr_of(e, op, name);

	if (!attr)
		return;
	attr->kind = ATTR_FLOAT;
	attr->v.f = value;
	attr->n = 1;
}

void tn_edit_attr_ints(struct tn_edit *e, struct tn_op *op, const char *name,
	const int64_t *values, size_t n)
{
	struct tn_attr *attr = attr_of(e, op, name);
	int64_t *copy = TN_NEW_ARRAY(e->arena, int64_t, n);

	if (!attr || !copy) {
		e->failed = true;
		return;
	}
	memcpy(copy, values, n * sizeof(*copy));
	attr->kind = ATTR_INTS;
	attr->v.ints = copy;
	attr->n = n;
}

bool tn_edit_ints(struct tn_edit *e, const struct tn_op *op, uint32_t k, const char *attr,
	int64_t out[TN_RANK_MAX], uint32_t *out_n)
{
	const struct tn_attr *a = tn_op_attr(op, attr);
	const struct tn_tensor *t = tn_edit_in(e, op, k);

	if (t) {
		if (!tn_edit_is_constant(t) || t->elements > TN_RANK_MAX)
			return false;
		*out_n = (uint32_t)t->elements;
		for (uint32_t i = 0; i < *out_n; i++)
			if (!tn_tensor_int(t, i, &out[i]))
				return false;
		return true;
	}
	if (!a || (a->kind != ATTR_INTS && a->kind != ATTR_INT) || a->n > TN_RANK_MAX)
		return false;
	*out_n = (uint32_t)a->n;
	for (uint32_t i = 0; i < *out_n; i++)
		out[i] = tn_op_int_at(op, attr, i, 0);
	return true;
}

bool tn_edit_permutation(struct tn_edit *e, const struct tn_op *op, uint32_t rank,
	int64_t out[TN_RANK_MAX])
{
	uint32_t n, seen = 0;

	if (!tn_edit_ints(e, op, 1, "perm", out, &n) || n != rank)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (out[i] < 0)
			out[i] += rank;
		if (out[i] < 0 || out[i] >= rank || seen & 1u << out[i])
			return false;
		seen |= 1u << out[i];
	}
	return true;
}

void tn_edit_drop_attrs(struct tn_op *op)
{
	op->attrs = NULL;
	op->n_attrs = 0;
}

bool tn_edit_reshape(struct tn_tensor *t, const struct tn_shape *shape)
{
	int64_t elements, bytes;

	if (!tn_shape_elements(shape, &elements) ||
		!tn_dtype_bytes(t->dtype, elements, &bytes))
		return false;
	t->shape = *shape;
	t->elements = elements;
	t->bytes = bytes;
	return true;
}

static void *grown(struct tn_edit *e, const void *old, size_t n, size_t item)
{
	void *new = tn_arena_array(e->scratch, e->tensor_capacity, item);

	if (!new)
		e->failed = true;
	else
		memcpy(new, old, n * item);
	return new;
}

static bool make_room(struct tn_edit *e)
{
	const size_t n = e->g.n_tensors;
	struct tn_tensor *tensors;

	if (n < e->tensor_capacity)
		return true;
	e->tensor_capacity *= 2;
	tensors = TN_NEW_ARRAY(e->arena, struct tn_tensor, e->tensor_capacity);
	if (!tensors) {
		e->failed = true;
		return false;
	}
	memcpy(tensors, e->g.tensors, n * sizeof(*tensors));
	e->g.tensors = tensors;
	e->producer = grown(e, e->producer, n, sizeof(*e->producer));
	e->readers = grown(e, e->readers, n, 2 * sizeof(*e->readers));
	e->reads = grown(e, e->reads, n, sizeof(*e->reads));
	e->pinned = grown(e, e->pinned, n, sizeof(*e->pinned));
	e->viewed = grown(e, e->viewed, n, sizeof(*e->viewed));
	e->held = grown(e, e->held, n, sizeof(*e->held));
	e->instead = grown(e, e->instead, n, sizeof(*e->instead));
	return !e->failed;
}

void tn_edit_make_constant(struct tn_edit *e, tn_tensor_id id, const uint8_t *data)
{
	struct tn_tensor *t = &e->g.tensors[id.i];

	t->role = ROLE_CONST;
	t->data_kind = DATA_BYTES;
	t->seeded = false;
	t->data = data;
	t->data_bytes = t->bytes;
	e->changed = true;
}

/* A tensor behind the others; all that is known of it is in *made. */
static tn_tensor_id add_tensor(
	struct tn_edit *e, struct tn_tensor *made, const struct tn_shape *shape)
{
	const tn_tensor_id none = { TN_NONE };
	const tn_tensor_id id = { e->g.n_tensors };

	if (e->failed || !tn_edit_reshape(made, shape) || !make_room(e)) {
		e->failed = true;
		return none;
	}
	e->g.tensors[id.i] = *made;
	e->g.n_tensors++;
	e->producer[id.i].i = e->instead[id.i].i = TN_NONE;
	e->readers[2 * id.i].i = e->readers[2 * id.i + 1].i = TN_NONE;
	e->reads[id.i] = 0;
	e->pinned[id.i] = e->viewed[id.i] = e->held[id.i] = false;
	return id;
}

tn_tensor_id tn_edit_constant(struct tn_edit *e, const struct tn_tensor *like,
	const struct tn_shape *shape, const uint8_t *data)
{
	struct tn_tensor made = *like;
	const tn_tensor_id id = add_tensor(e, &made, shape);

	if (!e->failed)
		tn_edit_make_constant(e, id, data);
	return id;
}

tn_tensor_id tn_edit_activation(struct tn_edit *e, const struct tn_tensor *like,
	const struct tn_shape *shape, const struct tn_op *op)
{
	struct tn_tensor made = *like;

	made.name = op->name;
	made.role = ROLE_ACT;
	made.clobber = made.observed = made.mutated = false;
	made.data_kind = DATA_NONE;
	made.view_of.i = TN_NONE;
	made.has_strides = false;
	return add_tensor(e, &made, shape);
}

/* A small graph of its own: the ops of the chain, and only the tensors that they name. */
struct piece {
	struct tn_graph g;
	tn_tensor_id *of; /* by tensor of the piece: the one of the edited graph */
	bool unknown; /* an operand has a value that nobody knows */
};

static tn_tensor_id piece_tensor(struct tn_edit *e, struct piece *p, tn_tensor_id id)
{
	tn_tensor_id at = { 0 };
	struct tn_tensor *t;

	if (id.i == TN_NONE)
		return id;
	while (at.i < p->g.n_tensors && p->of[at.i].i != id.i)
		at.i++;
	if (at.i < p->g.n_tensors)
		return at;
	t = &p->g.tensors[at.i];
	*t = e->g.tensors[id.i];
	t->view_of.i = TN_NONE;
	t->clobber = t->observed = t->mutated = false;
	if (tn_edit_is_constant(&e->g.tensors[id.i]))
		t->role = ROLE_CONST;
	else if (t->role == ROLE_CONST || t->role == ROLE_VARIABLE)
		p->unknown = true;
	else
		t->role = ROLE_ACT;
	p->of[at.i] = id;
	p->g.n_tensors++;
	return at;
}

/* What no op of the piece writes comes from outside. */
static void piece_inputs(struct piece *p)
{
	for (uint32_t i = 0; i < p->g.n_tensors; i++)
		if (p->g.tensors[i].role == ROLE_ACT)
			p->g.tensors[i].role = ROLE_INPUT;
	for (uint32_t i = 0; i < p->g.n_ops; i++)
		for (uint32_t k = 0; k < p->g.ops[i].n_outputs; k++)
			p->g.tensors[p->g.ops[i].outputs[k].i].role = ROLE_ACT;
	for (uint32_t i = 0; i < p->g.n_tensors; i++) {
		if (p->g.tensors[i].role != ROLE_INPUT)
			continue;
		p->g.tensors[i].data_kind = DATA_NONE;
		p->g.inputs[p->g.n_inputs++].i = i;
	}
}

static bool piece_make(struct tn_edit *e, struct tn_arena *arena, const tn_op_id *ids,
	uint32_t n, struct piece *p)
{
	uint32_t room = 0;

	for (uint32_t i = 0; i < n; i++)
		room += e->g.ops[ids[i].i].n_inputs + e->g.ops[ids[i].i].n_outputs;
	*p = (struct piece){ .g = { .name = "piece", .invocations = 1 } };
	p->g.ops = TN_NEW_ARRAY(arena, struct tn_op, n);
	p->g.schedule = TN_NEW_ARRAY(arena, tn_op_id, n);
	p->g.tensors = TN_NEW_ARRAY(arena, struct tn_tensor, room);
	p->of = TN_NEW_ARRAY(arena, tn_tensor_id, room);
	p->g.inputs = TN_NEW_ARRAY(arena, tn_tensor_id, room);
	if (!p->g.ops || !p->g.schedule || !p->g.tensors || !p->of || !p->g.inputs)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct tn_op *from = &e->g.ops[ids[i].i];
		struct tn_op *op = &p->g.ops[i];

		*op = *from;
		op->inputs = TN_NEW_ARRAY(arena, tn_tensor_id, from->n_inputs);
		op->outputs = TN_NEW_ARRAY(arena, tn_tensor_id, from->n_outputs);
		if (!op->inputs || !op->outputs)
			return false;
		for (uint32_t k = 0; k < from->n_inputs; k++)
			op->inputs[k] = piece_tensor(e, p, from->inputs[k]);
		for (uint32_t k = 0; k < from->n_outputs; k++) {
			op->outputs[k] = piece_tensor(e, p, from->outputs[k]);
			if (op->outputs[k].i == TN_NONE)
				return false;
		}
		p->g.schedule[i] = (tn_op_id){ i };
	}
	p->g.n_ops = n;
	if (p->unknown)
		return false;
	piece_inputs(p);
	p->g.outputs = p->g.ops[n - 1].outputs;
	p->g.n_outputs = p->g.ops[n - 1].n_outputs;
	for (uint32_t k = 0; k < p->g.n_outputs; k++)
		p->g.tensors[p->g.outputs[k].i].role = ROLE_OUTPUT;
	return true;
}

static bool piece_give(struct tn_exec *exec, const struct piece *p,
	const struct tn_edit_given *given, uint32_t n_given)
{
	for (uint32_t k = 0; k < p->g.n_inputs; k++) {
		const tn_tensor_id id = p->g.inputs[k];

		for (uint32_t i = 0; i < n_given; i++)
			if (given[i].id.i == p->of[id.i].i &&
				tn_exec_input(exec, k, given[i].bytes,
					(size_t)p->g.tensors[id.i].bytes) != TN_OK)
				return false;
	}
	return true;
}

static const uint8_t **piece_run(struct tn_edit *e, struct tn_arena *arena,
	struct piece *p, const struct tn_edit_given *given, uint32_t n_given)
{
	const uint8_t **results = TN_NEW_ARRAY(e->arena, const uint8_t *, p->g.n_outputs);
	struct tn_diags diags;
	struct tn_exec *exec;

	tn_diags_init(&diags, arena);
	if (!results || tn_validate(&p->g, &diags) != TN_OK ||
		tn_exec_new(&p->g, NULL, arena, &diags, &exec) != TN_OK)
		return NULL;
	if (!piece_give(exec, p, given, n_given) ||
		tn_exec_run(exec, NULL, NULL) != TN_OK)
		return NULL;
	for (uint32_t k = 0; k < p->g.n_outputs; k++) {
		size_t size;
		const uint8_t *from = tn_exec_bytes(exec, p->g.outputs[k], &size);
		uint8_t *copy = from ? tn_arena_alloc(e->arena, size) : NULL;

		if (!copy)
			return NULL;
		memcpy(copy, from, size);
		results[k] = copy;
	}
	return results;
}

const uint8_t **tn_edit_run(struct tn_edit *e, const tn_op_id *ids, uint32_t n,
	const struct tn_edit_given *given, uint32_t n_given)
{
	const uint8_t **results = NULL;
	struct tn_arena arena;
	struct piece p;

	tn_arena_init(&arena);
	if (piece_make(e, &arena, ids, n, &p))
		results = piece_run(e, &arena, &p, given, n_given);
	tn_arena_release(&arena);
	return results;
}
