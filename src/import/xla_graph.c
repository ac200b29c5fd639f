/* One computation of an XLA module as a graph. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "import/xla.h"

#include "base/banned.h"

#define LEAVES_MAX ((size_t)1 << 22) /* of a module */

/* A dense array whose dimensions lie in memory in another order than that of its shape. */
static void read_layout(struct tn_xla *x, const struct tn_at *shape, struct tn_tensor *t)
{
	struct tn_at layout;
	int64_t stride = 1;
	uint32_t seen = 0;
	bool plain = true;

	if (!tn_at_object(&x->tree, shape, "layout", &layout) ||
		!tn_at_ints(&x->tree, &layout, "minorToMajor", &x->list) ||
		x->list.v.count != t->shape.rank)
		return;
	for (uint32_t i = 0; i < t->shape.rank; i++) {
		int64_t d = x->list.v.items[i];

		if (d < 0 || d >= t->shape.rank || (seen >> d & 1)) {
			tn_at_error(&x->tree, &layout, XLA_VALUE,
				"minorToMajor is no order of %u dimensions",
				t->shape.rank);
			return;
		}
		seen |= UINT32_C(1) << d;
		plain = plain && d == (int64_t)(t->shape.rank - 1 - i);
		t->stride[d] = stride;
		if (!tn_mul_i64(stride, tn_max_i64(t->shape.dim[d], 1), &stride))
			return; /* the size overflows, too, and is reported */
	}
	t->has_strides = !plain;
}

/* A tuple of the same tuple twice, and so on, would have no end of arrays. */
static void add_leaf(struct tn_xla *x, const struct tn_at *at, tn_tensor_id id)
{
	if (x->leaves.count == LEAVES_MAX) {
		if (!x->full)
			tn_at_error(&x->tree, at, XLA_VALUE,
				"the tuples hold too many arrays");
		x->full = true;
		return;
	}
	if (!tn_vec_push(&x->tree.scratch, &x->leaves, id))
		x->tree.nomem = true;
}

/* Arrays of the shape, as tensors of the name and their place in the tuple. */
static void add_arrays(struct tn_xla *x, struct tn_foreign *f, const struct tn_at *shape,
	const char *name, enum tn_role role, int depth)
{
	const char *type = tn_at_text(&x->tree, shape, "elementType", "");
	struct tn_shape dims;
	struct tn_tensor *t;
	enum tn_dtype dtype;
	struct tn_at list;
	size_t n;

	if (strcmp(type, "TUPLE") == 0) {
		n = tn_at_list(&x->tree, shape, "tupleShapes", &list);
		for (size_t i = 0; i < n && depth < 16; i++) {
			char part[160];
			struct tn_at at;

			tn_at_item(&list, i, &at);
			snprintf(part, sizeof(part), "%.130s.%zu", name, i);
			add_arrays(x, f, &at, part, role, depth + 1);
		}
		return;
	}
	if (strcmp(type, "TOKEN") == 0 || strcmp(type, "OPAQUE_TYPE") == 0) {
		add_leaf(x, shape, (tn_tensor_id){ TN_NONE });
		return;
	}
	dtype = tn_foreign_dtype(type);
	if (dtype == DTYPE_INVALID)
		tn_at_error(&x->tree, shape, "graph/dtype",
			"'%.40s' is not a known element type", type);
	tn_at_ints(&x->tree, shape, "dimensions", &x->list);
	tn_foreign_shape_of(f, shape, &x->list, &dims);
	t = tn_foreign_tensor(f, shape, name, dtype, &dims);
	if (!t)
		return;
	t->role = role;
	if (role == ROLE_CONST)
		t->data_kind = DATA_MISSING;
	read_layout(x, shape, t);
	add_leaf(x, shape, tn_foreign_newest(f));
}

/* The operand, when it is an instruction of this graph that came before. */
static const struct tn_xla_value *operand(struct tn_xla *x, uint32_t graph,
	const struct tn_at *operands, size_t index, struct tn_at *at)
{
	const struct tn_xla_value *v;

	tn_at_item(operands, index, at);
	v = tn_xla_find(x, at);
	if (v && v->graph != graph) {
		tn_at_error(&x->tree, at, XLA_VALUE,
			"the operand belongs to another computation");
		return NULL;
	}
	return v;
}

/* A tuple, or a part of one: the arrays that are there already. */
static void follow(struct tn_xla *x, uint32_t graph, const struct tn_at *inst,
	bool element, struct tn_xla_value *v)
{
	struct tn_at operands, at;
	size_t n = tn_at_list(&x->tree, inst, "operandIds", &operands);

	for (size_t i = 0; i < n && !(element && i); i++) {
		const struct tn_xla_value *from = operand(x, graph, &operands, i, &at);
		uint32_t first = 0, count;

		if (!from)
			continue;
		count = from->n;
		if (element) {
			int64_t index = tn_at_int(&x->tree, inst, "tupleIndex", 0);
			struct tn_ints path = { { &index, 1, 1 } };
			const json_t *part;

			if (!tn_xla_part(x, from->shape, &path, &first, &part)) {
				tn_at_error(&x->tree, inst, XLA_VALUE,
					"the tuple has no element %" PRId64, index);
				continue;
			}
			count = tn_xla_count(x, part);
		}
		for (uint32_t k = 0; k < count && first + k < from->n && !x->full; k++)
			add_leaf(x, inst, x->leaves.items[from->first + first + k]);
	}
	v->n = (uint32_t)x->leaves.count - v->first;
}

static bool attr_ints(struct tn_xla *x, struct tn_foreign *f, const struct tn_at *inst,
	const char *key, const char *attr)
{
	tn_at_ints(&x->tree, inst, key, &x->list);
	return tn_build_attr_ints(&f->b, attr, x->list.v.items, x->list.v.count);
}

/* Which subgraphs a loop or a choice runs. */
static void read_calls(struct tn_xla *x, struct tn_foreign *f, const struct tn_at *inst,
	enum tn_op_kind kind)
{
	static const char *const loop[] = { "body_subgraph", "cond_subgraph" };
	static const char *const choice[] = { "then_subgraph", "else_subgraph" };
	struct tn_at list, at;

	tn_at_list(&x->tree, inst, "calledComputationIds", &list);
	for (size_t i = 0; i < 2; i++) {
		int64_t number;

		tn_at_item(&list, i, &at);
		number = tn_xla_call(x, &at);
		if (number >= 0 &&
			!tn_build_attr_int(
				&f->b, kind == OP_WHILE ? loop[i] : choice[i], number))
			x->tree.nomem = true;
	}
}

static enum tn_op_kind kind_of(
	struct tn_xla *x, const struct tn_at *inst, const char *opcode)
{
	struct tn_at list;
	size_t calls = tn_at_list(&x->tree, inst, "calledComputationIds", &list);

	if (strcmp(opcode, "while") == 0 && calls == 2)
		return OP_WHILE;
	if (strcmp(opcode, "conditional") == 0 && calls == 2)
		return OP_IF;
	return tn_vocabulary_kind(VOCABULARY_HLO, opcode);
}

static void add_op(struct tn_xla *x, uint32_t graph, const struct tn_at *inst,
	const char *opcode, const char *name, struct tn_xla_value *v)
{
	struct tn_foreign *f = &x->graphs.items[graph]->f;
	enum tn_op_kind kind = kind_of(x, inst, opcode);
	const char *target = tn_at_text(&x->tree, inst, "customCallTarget", "");
	struct tn_at shape, operands, at;
	const char *type = opcode;
	size_t n = tn_at_list(&x->tree, inst, "operandIds", &operands);
	size_t errors = x->tree.im->diags->errors;
	bool ok = true;

	if (target[0])
		type = tn_arena_printf(&x->tree.scratch, "%s:%s", opcode, target);
	if (!type || !tn_foreign_op(f, inst, kind, type, name)) {
		x->tree.nomem = true;
		return;
	}
	v->op = tn_foreign_newest_op(f)->file_index;
	for (size_t i = 0; i < n; i++) {
		const struct tn_xla_value *from = operand(x, graph, &operands, i, &at);

		for (uint32_t k = 0; from && k < from->n && !x->tree.full; k++)
			if (x->leaves.items[from->first + k].i != TN_NONE)
				tn_foreign_in(f, x->leaves.items[from->first + k]);
	}
	if (tn_at_object(&x->tree, inst, "shape", &shape))
		add_arrays(x, f, &shape, name, ROLE_ACT, 0);
	v->n = (uint32_t)x->leaves.count - v->first;
	for (uint32_t k = 0; k < v->n; k++)
		if (x->leaves.items[v->first + k].i != TN_NONE)
			tn_foreign_out(f, x->leaves.items[v->first + k]);
	tn_foreign_close(f);
	if (kind == OP_CONCATENATION) {
		tn_at_ints(&x->tree, inst, "dimensions", &x->list);
		ok = !x->list.v.count ||
		     tn_build_attr_int(&f->b, "axis", x->list.v.items[0]);
	} else if (kind == OP_BATCH_NORM) {
		ok = tn_build_attr_int(&f->b, "axis",
			     tn_at_int(&x->tree, inst, "featureIndex", 0)) &&
		     tn_build_attr_float(&f->b, "epsilon",
			     (float)tn_at_real(&x->tree, inst, "epsilon", 0));
	} else if (kind == OP_TRANSPOSE) {
		ok = attr_ints(x, f, inst, "dimensions", "perm");
	} else if (kind == OP_WHILE || kind == OP_IF) {
		read_calls(x, f, inst, kind);
	}
	x->tree.nomem = x->tree.nomem || !ok;
	if (!x->tree.nomem && x->tree.im->diags->errors == errors)
		tn_xla_in_place(x, inst, v);
}

static void remember(struct tn_xla *x, const struct tn_at *inst, const char *name,
	const struct tn_xla_value *v)
{
	uint32_t index = (uint32_t)x->values.count;
	char *key = tn_arena_printf(
		&x->tree.scratch, "%" PRId64, tn_at_int(&x->tree, inst, "id", 0));
	enum tn_name_result by_id;

	if (!key || !tn_vec_push(&x->tree.scratch, &x->values, *v)) {
		x->tree.nomem = true;
		return;
	}
	by_id = tn_names_add(&x->values_by_id, key, index);
	if (by_id == NAME_TAKEN)
		tn_at_error(&x->tree, inst, XLA_VALUE,
			"there are two instructions of the id %s", key);
	if (by_id == NAME_NOMEM ||
		(name[0] && tn_names_add(&x->values_by_name, name, index) == NAME_NOMEM))
		x->tree.nomem = true;
}

static void read_instruction(struct tn_xla *x, uint32_t graph, const struct tn_at *inst)
{
	struct tn_foreign *f = &x->graphs.items[graph]->f;
	const char *opcode = tn_at_text(&x->tree, inst, "opcode", "");
	const char *name = tn_at_text(&x->tree, inst, "name", "");
	bool parameter = strcmp(opcode, "parameter") == 0;
	struct tn_at shape;
	struct tn_xla_value v = { .graph = graph,
		.first = (uint32_t)x->leaves.count,
		.op = TN_NONE,
		.parameter = -1 };

	if (!tn_at_object(&x->tree, inst, "shape", &shape))
		shape.json = NULL;
	v.shape = shape.json;
	if (parameter || strcmp(opcode, "constant") == 0) {
		add_arrays(x, f, &shape, name, parameter ? ROLE_ACT : ROLE_CONST, 0);
		v.n = (uint32_t)x->leaves.count - v.first;
		if (parameter)
			v.parameter = tn_at_int(&x->tree, inst, "parameterNumber", 0);
	} else if (strcmp(opcode, "tuple") == 0) {
		follow(x, graph, inst, false, &v);
	} else if (strcmp(opcode, "get-tuple-element") == 0) {
		follow(x, graph, inst, true, &v);
	} else {
		add_op(x, graph, inst, opcode, name, &v);
	}
	if (!x->tree.nomem)
		remember(x, inst, name, &v);
}

/* Parameters are inputs by their number, not by their place in the list. */
static void add_inputs(struct tn_xla *x, uint32_t graph, size_t begin)
{
	struct tn_foreign *f = &x->graphs.items[graph]->f;
	size_t n = x->values.count - begin, found = 0;
	uint32_t *by_number = TN_NEW_ARRAY(&x->tree.scratch, uint32_t, n);

	if (!by_number) {
		x->tree.nomem = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		by_number[i] = TN_NONE;
	for (size_t i = begin; i < x->values.count; i++) {
		int64_t number = x->values.items[i].parameter;

		if (number >= 0 && (uint64_t)number < n)
			by_number[number] = (uint32_t)i;
	}
	for (size_t i = 0; i < n; i++, found++) {
		const struct tn_xla_value *v;

		if (by_number[i] == TN_NONE)
			continue;
		v = &x->values.items[by_number[i]];
		for (uint32_t k = 0; k < v->n; k++)
			tn_foreign_input(f, x->leaves.items[v->first + k], false);
	}
}

/* The order that the module was scheduled in, when it was. */
static void read_schedule(struct tn_xla *x, uint32_t graph)
{
	struct tn_xla_graph *g = x->graphs.items[graph];
	struct tn_at schedule, sequences, sequence, ids, at;
	uint8_t *seen = TN_NEW_ARRAY(&x->tree.scratch, uint8_t, g->f.b.ops.count);
	char id[24];
	size_t n;

	if (!tn_at_object(&x->tree, &x->module, "schedule", &schedule) ||
		!tn_at_object(&x->tree, &schedule, "sequences", &sequences))
		return;
	snprintf(id, sizeof(id), "%" PRId64,
		tn_at_int(&x->tree, &g->computation, "id", 0));
	tn_at_entry(&sequences, id, json_object_get(sequences.json, id), &sequence);
	n = tn_at_list(&x->tree, &sequence, "instructionIds", &ids);
	if (!n)
		return;
	if (!seen) {
		x->tree.nomem = true;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const struct tn_xla_value *v;

		tn_at_item(&ids, i, &at);
		v = tn_xla_find(x, &at);
		if (!v || v->graph != graph || v->op == TN_NONE || seen[v->op])
			continue;
		seen[v->op] = 1;
		if (!tn_vec_push(g->f.b.arena, &g->f.b.schedule, ((tn_op_id){ v->op })))
			x->tree.nomem = true;
	}
	if (g->f.b.schedule.count == g->f.b.ops.count)
		return;
	tn_at_error(&x->tree, &sequence, "graph/schedule",
		"the schedule has %zu of %zu instructions", g->f.b.schedule.count,
		g->f.b.ops.count);
	g->f.b.schedule.count = 0;
}

void tn_xla_read_graph(struct tn_xla *x, uint32_t graph)
{
	struct tn_xla_graph *g = x->graphs.items[graph];
	size_t begin = x->values.count, n;
	struct tn_at list, at;
	char id[24];

	if (!g->f.name)
		g->f.name = tn_at_text(&x->tree, &g->computation, "name", "");
	n = tn_at_list(&x->tree, &g->computation, "instructions", &list);
	for (size_t i = 0; i < n && !x->tree.nomem; i++) {
		tn_at_item(&list, i, &at);
		if (tn_at_want_object(&x->tree, &at))
			read_instruction(x, graph, &at);
	}
	if (x->tree.nomem)
		return;
	add_inputs(x, graph, begin);
	snprintf(id, sizeof(id), "%" PRId64,
		tn_at_int(&x->tree, &g->computation, "rootId", 0));
	g->root = tn_names_find(&x->values_by_id, id);
	if (g->root != UINT32_MAX && x->values.items[g->root].graph == graph) {
		const struct tn_xla_value *v = &x->values.items[g->root];

		for (uint32_t k = 0; k < v->n; k++)
			tn_foreign_output(&g->f, x->leaves.items[v->first + k]);
	} else {
		tn_at_error(&x->tree, &g->computation, XLA_VALUE,
			"there is no root instruction %s", id);
		g->root = TN_NONE;
	}
	read_schedule(x, graph);
}
