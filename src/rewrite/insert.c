#include "rewrite/insert.h"

#include <string.h>

#include "base/banned.h"

static uint32_t root_of(const struct tn_graph *g, uint32_t tensor)
{
	for (uint32_t hops = 0; hops < g->n_tensors; hops++) {
		if (g->tensors[tensor].view_of.i == TN_NONE)
			break;
		tensor = g->tensors[tensor].view_of.i;
	}
	return tensor;
}

static bool names(const tn_tensor_id *list, uint32_t n, uint32_t tensor)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i].i == tensor)
			return true;
	return false;
}

/* May the op change what is in the root's bytes, by the graph's word? */
static bool changes(const struct tn_graph *g, const struct tn_op *op, uint32_t root)
{
	bool harms = tn_op_attr(op, "mutates") || tn_op_attr(op, "destroys");

	for (uint32_t k = 0; k < op->n_outputs; k++)
		if (op->outputs[k].i != TN_NONE && root_of(g, op->outputs[k].i) == root)
			return true;
	for (uint32_t k = 0; harms && k < op->n_inputs; k++)
		if (op->inputs[k].i != TN_NONE && root_of(g, op->inputs[k].i) == root)
			return true;
	return false;
}

/* Where in a list of ops the copy goes: before the first of the two. The list's length
 * when it has neither. */
static uint32_t place_in(
	const tn_op_id *order, uint32_t n, const struct tn_plan_copy *copy)
{
	uint32_t at = 0;

	while (at < n && order[at].i != copy->before && order[at].i != copy->reader)
		at++;
	return at;
}

static bool keeps_meaning(const struct tn_graph *g, const struct tn_plan_copy *copy)
{
	const struct tn_op *reader;
	uint32_t root, at;

	if (copy->tensor >= g->n_tensors || copy->before >= g->n_ops ||
		copy->reader >= g->n_ops)
		return false;
	reader = &g->ops[copy->reader];
	root = root_of(g, copy->tensor);
	if (!names(reader->inputs, reader->n_inputs, copy->tensor) ||
		changes(g, reader, root))
		return false;
	at = place_in(g->schedule, g->n_ops, copy);
	for (; at < g->n_ops && g->schedule[at].i != copy->reader; at++)
		if (changes(g, &g->ops[g->schedule[at].i], root))
			return false;
	return true;
}

/* A name that nothing else has. */
static const char *name_of_copy(const struct tn_graph *g, uint32_t tensor,
	struct tn_arena *arena, struct tn_strings *strings)
{
	for (uint32_t k = 0; k <= g->n_tensors + g->n_ops; k++) {
		const char *own = g->tensors[tensor].name;
		const char *name = k ? tn_arena_printf(arena, "%s_copy%u", own, k + 1)
				     : tn_arena_printf(arena, "%s_copy", own);
		bool taken = false;

		if (!name)
			return NULL;
		for (uint32_t i = 0; i < g->n_tensors && !taken; i++)
			taken = strcmp(g->tensors[i].name, name) == 0;
		for (uint32_t i = 0; i < g->n_ops && !taken; i++)
			taken = strcmp(g->ops[i].name, name) == 0;
		if (!taken)
			return tn_str_intern(strings, name, strlen(name));
	}
	return NULL;
}

static tn_op_id *longer(const tn_op_id *list, uint32_t n, uint32_t at, uint32_t op,
	struct tn_arena *arena)
{
	tn_op_id *copy = TN_NEW_ARRAY(arena, tn_op_id, (size_t)n + 1);

	if (!copy)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		copy[i < at ? i : i + 1] = list[i];
	copy[at].i = op;
	return copy;
}

/* What claims and branches say of ops. */
static bool extend_lists(struct tn_graph *g, const struct tn_graph *old,
	const struct tn_plan_copy *copy, struct tn_arena *arena)
{
	const uint32_t op = old->n_ops, root = root_of(old, copy->tensor);

	g->claims = TN_NEW_ARRAY(arena, struct tn_claim, old->n_claims);
	g->branches = TN_NEW_ARRAY(arena, struct tn_branch, old->n_branches);
	if (!g->claims || !g->branches)
		return false;
	for (uint32_t i = 0; i < old->n_claims; i++) {
		struct tn_claim *c = &g->claims[i];
		uint32_t at;

		*c = old->claims[i];
		at = place_in(c->order, c->n_order, copy);
		if (at == c->n_order)
			continue;
		c->order = longer(c->order, c->n_order++, at, op, arena);
		if (!c->order)
			return false;
	}
	for (uint32_t i = 0; i < old->n_branches; i++) {
		struct tn_branch *b = &g->branches[i];
		bool makes = false;

		*b = old->branches[i];
		for (uint32_t k = 0; k < b->n_ops; k++)
			makes = makes || changes(old, &old->ops[b->ops[k].i], root);
		if (!makes) /* else it is there in this branch only */
			continue;
		b->ops = longer(b->ops, b->n_ops, b->n_ops, op, arena);
		b->n_ops++;
		if (!b->ops)
			return false;
	}
	return true;
}

static bool add_tensor(struct tn_graph *g, const struct tn_graph *old,
	const struct tn_plan_copy *copy, const char *name, struct tn_arena *arena)
{
	struct tn_tensor *t;

	g->tensors = TN_NEW_ARRAY(arena, struct tn_tensor, (size_t)old->n_tensors + 1);
	if (!g->tensors)
		return false;
	memcpy(g->tensors, old->tensors, old->n_tensors * sizeof(*old->tensors));
	t = &g->tensors[g->n_tensors++];
	*t = old->tensors[copy->tensor];
	t->name = name;
	t->role = ROLE_ACT;
	t->clobber = t->mutated = t->observed = t->seeded = false;
	t->data_kind = DATA_NONE;
	t->data = NULL;
	t->data_bytes = 0;
	t->view_of.i = TN_NONE;
	t->view_offset = 0;
	t->has_strides = false;
	return true;
}

static bool add_op(struct tn_graph *g, const struct tn_graph *old,
	const struct tn_plan_copy *copy, const char *name, const char *type,
	struct tn_arena *arena)
{
	const struct tn_op *reads = &old->ops[copy->reader];
	tn_tensor_id *ends = TN_NEW_ARRAY(arena, tn_tensor_id, 2);
	tn_tensor_id *inputs = TN_NEW_ARRAY(arena, tn_tensor_id, reads->n_inputs);

	g->ops = TN_NEW_ARRAY(arena, struct tn_op, (size_t)old->n_ops + 1);
	if (!g->ops || !ends || !inputs)
		return false;
	memcpy(g->ops, old->ops, old->n_ops * sizeof(*old->ops));
	ends[0].i = copy->tensor;
	ends[1].i = old->n_tensors;
	g->ops[g->n_ops++] = (struct tn_op){ .name = name,
		.kind = OP_RESHAPE,
		.type = type,
		.inputs = ends,
		.n_inputs = 1,
		.outputs = ends + 1,
		.n_outputs = 1,
		.pointer = reads->pointer,
		.file_index = reads->file_index };
	for (uint32_t k = 0; k < reads->n_inputs; k++)
		inputs[k] =
			reads->inputs[k].i == copy->tensor ? ends[1] : reads->inputs[k];
	g->ops[copy->reader].inputs = inputs;
	return true;
}

enum tn_status tn_rewrite_insert_copy(const struct tn_graph *g,
	const struct tn_plan_copy *copy, struct tn_arena *arena,
	struct tn_strings *strings, struct tn_graph *out)
{
	struct tn_graph old = *g, made = *g;
	const char *name, *type;

	if (!keeps_meaning(&old, copy))
		return TN_ERR_INPUT;
	name = name_of_copy(&old, copy->tensor, arena, strings);
	type = tn_str_intern(strings, "RESHAPE", 7);
	made.schedule = longer(old.schedule, old.n_ops,
		place_in(old.schedule, old.n_ops, copy), old.n_ops, arena);
	if (!name || !type || !made.schedule || !extend_lists(&made, &old, copy, arena) ||
		!add_tensor(&made, &old, copy, name, arena) ||
		!add_op(&made, &old, copy, name, type, arena))
		return TN_ERR_NOMEM;
	*out = made;
	return TN_OK;
}
