/* The same op with the same attributes on the same operands: compute it once. */
#include <string.h>

#include "base/fnv.h"
#include "rewrite/edit.h"

#include "base/banned.h"

static bool same_attr(const struct tn_attr *a, const struct tn_attr *b)
{
	if (a->name != b->name || a->kind != b->kind || a->n != b->n)
		return false;
	switch (a->kind) {
	case ATTR_INT:
	case ATTR_BOOL:
		return a->v.i == b->v.i;
	case ATTR_FLOAT:
		return memcmp(&a->v.f, &b->v.f, sizeof(a->v.f)) == 0;
	case ATTR_STRING:
		return strcmp(a->v.s, b->v.s) == 0;
	case ATTR_INTS:
		return memcmp(a->v.ints, b->v.ints, a->n * sizeof(*a->v.ints)) == 0;
	case ATTR_FLOATS:
		return memcmp(a->v.floats, b->v.floats, a->n * sizeof(*a->v.floats)) == 0;
	case ATTR_STRINGS:
		for (size_t i = 0; i < a->n; i++)
			if (strcmp(a->v.strings[i], b->v.strings[i]) != 0)
				return false;
		return true;
	}
	return false;
}

static bool same_op(struct tn_edit *e, const struct tn_op *a, const struct tn_op *b)
{
	const struct tn_tensor *x = tn_edit_out(e, a, 0), *y = tn_edit_out(e, b, 0);

	if (a->kind != b->kind || strcmp(a->type, b->type) != 0 ||
		a->n_inputs != b->n_inputs || a->n_attrs != b->n_attrs ||
		!tn_edit_same_type(x, y) || !tn_shape_equal(&x->shape, &y->shape))
		return false;
	for (uint32_t k = 0; k < a->n_inputs; k++)
		if (a->inputs[k].i != b->inputs[k].i)
			return false;
	for (uint32_t k = 0; k < a->n_attrs; k++)
		if (!same_attr(&a->attrs[k], &b->attrs[k]))
			return false;
	return true;
}

/* Is the result a function of the operands and nothing else? */
static bool is_pure(struct tn_edit *e, const struct tn_op *op)
{
	if (op->kind == OP_UNKNOWN || op->n_outputs != 1 || !tn_edit_out(e, op, 0) ||
		!op->n_inputs)
		return false;
	switch (op->kind) {
	case OP_IF:
	case OP_WHILE:
	case OP_CALL_ONCE:
	case OP_VAR_HANDLE:
	case OP_READ_VARIABLE:
	case OP_ASSIGN_VARIABLE:
		return false;
	default:
		break;
	}
	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (tn_edit_in(e, op, k) && !tn_edit_stable(e, op->inputs[k]))
			return false;
	return true;
}

/* Attributes of numbers tell apart what reads the same tensor in many ways, as slices do. */
static uint64_t hash_of(const struct tn_op *op)
{
	uint64_t hash = tn_fnv(TN_FNV_INIT, &op->kind, sizeof(op->kind));

	for (uint32_t i = 0; i < op->n_attrs; i++) {
		const struct tn_attr *a = &op->attrs[i];

		if (a->kind == ATTR_INT || a->kind == ATTR_BOOL)
			hash = tn_fnv(hash, &a->v.i, sizeof(a->v.i));
		else if (a->kind == ATTR_INTS)
			hash = tn_fnv(hash, a->v.ints, a->n * sizeof(*a->v.ints));
	}
	return tn_fnv(hash, op->inputs, op->n_inputs * sizeof(*op->inputs));
}

static void replace(struct tn_edit *e, struct tn_op *op, struct tn_op *first)
{
	const tn_tensor_id out = op->outputs[0], kept = first->outputs[0];
	struct tn_rewrite *done;

	if (e->pinned[out.i] || !tn_edit_stable(e, kept)) {
		tn_edit_left(e, op, "its result must stay apart", first);
		return;
	}
	done = tn_edit_done(e, first, op);
	done->tensor = e->g.tensors[out.i].name;
	done->ram_bytes = e->g.tensors[out.i].bytes;
	tn_edit_kill(e, op);
	tn_edit_redirect(e, out, kept);
}

void tn_rewrite_common(struct tn_edit *e)
{
	size_t slots = 16;
	tn_op_id *table;

	while (slots < 2 * (size_t)e->g.n_ops)
		slots *= 2;
	table = TN_NEW_ARRAY(e->scratch, tn_op_id, slots);
	if (!table) {
		e->failed = true;
		return;
	}
	memset(table, 0xff, slots * sizeof(*table)); /* TN_NONE */
	for (uint32_t i = 0; i < e->g.n_ops; i++) {
		struct tn_op *op = tn_edit_op(e, i);
		size_t at;

		if (!op || !is_pure(e, op))
			continue;
		at = hash_of(op) & (slots - 1);
		while (table[at].i != TN_NONE && !same_op(e, op, &e->g.ops[table[at].i]))
			at = (at + 1) & (slots - 1);
		if (table[at].i == TN_NONE)
			table[at] = tn_edit_id(e, op);
		else
			replace(e, op, &e->g.ops[table[at].i]);
	}
}
