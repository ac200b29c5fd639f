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

/* Does the op destroy the tensor, and does it nothing else to these bytes by the graph's word?
 * Then it may destroy a copy as well. */
static bool may_work_on_copy(const struct tn_graph *g, const struct tn_plan_copy *copy)
{
	const struct tn_op *op = &g->ops[copy->reader];
	const uint32_t root = root_of(g, copy->tensor);
	bool destroys = false;

	for (uint32_t k = 0; k < op->n_inputs; k++)
		destroys = destroys ||
			   (op->inputs[k].i == copy->tensor && tn_op_destroys(g, op, k));
	for (uint32_t k = 0; k < op->n_outputs; k++)
		if (op->outputs[k].i != TN_NONE && root_of(g, op->outputs[k].i) == root)
			return false;
	return destroys && !tn_op_attr(op, "mutates") &&
	       !g->tensors[copy->tensor].has_strides;
}

/* Does the op write the tensor, bytes that must stay as they are: of a constant, or of an input
 * that the caller keeps? Then it may write a copy, which all who come later have instead, if
 * none of these knows the bytes by another name, and nobody wants to see them at the end. */
static bool may_write_copy(const struct tn_graph *g, const struct tn_plan_copy *copy)
{
	const uint32_t root = root_of(g, copy->tensor);
	const struct tn_tensor *owner = &g->tensors[root];
	uint32_t at = place_in(g->schedule, g->n_ops, copy);

	if (g->tensors[copy->tensor].has_strides || g->n_branches || g->parallel ||
		!(tn_tensor_is_constant(owner) ||
			(owner->role == ROLE_INPUT && !owner->clobber)))
		return false;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (root_of(g, i) == root &&
			(g->tensors[i].observed ||
				tn_graph_is_output(g, (tn_tensor_id){ i })))
			return false;
	for (; at < g->n_ops; at++) {
		const struct tn_op *op = &g->ops[g->schedule[at].i];
		const bool first = g->schedule[at].i == copy->reader;

		if (tn_op_attr(op, "destroys") && changes(g, op, root))
			return false;
		for (uint32_t k = 0; k < op->n_inputs && !first; k++)
			if (op->inputs[k].i != copy->tensor &&
				op->inputs[k].i != TN_NONE &&
				root_of(g, op->inputs[k].i) == root)
				return false;
		for (uint32_t k = 0; k < op->n_outputs; k++)
			if (op->outputs[k].i != copy->tensor &&
				op->outputs[k].i != TN_NONE &&
				root_of(g, op->outputs[k].i) == root)
				return false;
	}
	return true;
}

static bool writes_copy(const struct tn_graph *g, const struct tn_plan_copy *copy)
{
	const struct tn_op *op = &g->ops[copy->reader];

	return copy->before == copy->reader &&
	       names(op->outputs, op->n_outputs, copy->tensor);
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
	if (writes_copy(g, copy))
		return may_write_copy(g, copy);
	if (!names(reader->inputs, reader->n_inputs, copy->tensor))
		return false;
	if (copy->before == copy->reader)
		return may_work_on_copy(g, copy);
	if (changes(g, reader, root))
		return false;
	at = place_in(g->schedule, g->n_ops, copy);
	for (; at < g->n_ops && g->schedule[at].i != copy->reader; at++)
		if (changes(g, &g->ops[g->schedule[at].i], root))
			return false;
	return true;
}

/* A name that nothing else has, the first behind those of `earlier` copies of the tensor;
 * names are interned. */
static const char *name_of_copy(const struct tn_graph *g, uint32_t tensor,
	uint32_t earlier, struct tn_arena *arena, struct tn_strings *strings)
{
	const char *own = g->tensors[tensor].name;

	for (uint32_t k = earlier; k <= g->n_tensors + g->n_ops; k++) {
		const char *name = k ? tn_arena_printf(arena, "%s_copy%u", own, k + 1)
				     : tn_arena_printf(arena, "%s_copy", own);
		bool taken = false;

		name = name ? tn_str_intern(strings, name, strlen(name)) : NULL;
		if (!name)
			return NULL;
		for (uint32_t i = 0; i < g->n_tensors && !taken; i++)
			taken = g->tensors[i].name == name;
		for (uint32_t i = 0; i < g->n_ops && !taken; i++)
			taken = g->ops[i].name == name;
		if (!taken)
			return name;
	}
	return NULL;
}

/* The list, with room for `more`; NULL: no memory. */
static tn_op_id *roomy(
	const tn_op_id *list, uint32_t n, uint32_t more, struct tn_arena *arena)
{
	tn_op_id *copy = TN_NEW_ARRAY(arena, tn_op_id, (size_t)n + more);

	if (copy && n)
		memcpy(copy, list, n * sizeof(*copy));
	return copy;
}

/* A graph of its own, with room for so many copies. */
static bool begin(struct tn_graph *g, uint32_t more, struct tn_arena *arena)
{
	const struct tn_graph old = *g;

	g->tensors = TN_NEW_ARRAY(arena, struct tn_tensor, (size_t)old.n_tensors + more);
	g->ops = TN_NEW_ARRAY(arena, struct tn_op, (size_t)old.n_ops + more);
	g->schedule = roomy(old.schedule, old.n_ops, more, arena);
	g->claims = TN_NEW_ARRAY(arena, struct tn_claim, old.n_claims);
	g->branches = TN_NEW_ARRAY(arena, struct tn_branch, old.n_branches);
	if (!g->tensors || !g->ops || !g->schedule || !g->claims || !g->branches)
		return false;
	if (old.n_tensors)
		memcpy(g->tensors, old.tensors, old.n_tensors * sizeof(*g->tensors));
	if (old.n_ops)
		memcpy(g->ops, old.ops, old.n_ops * sizeof(*g->ops));
	for (uint32_t i = 0; i < old.n_claims; i++) {
		struct tn_claim *c = &g->claims[i];

		*c = old.claims[i];
		if (c->n_order && !(c->order = roomy(c->order, c->n_order, more, arena)))
			return false;
	}
	for (uint32_t i = 0; i < old.n_branches; i++) {
		struct tn_branch *b = &g->branches[i];

		*b = old.branches[i];
		if (!(b->ops = roomy(b->ops, b->n_ops, more, arena)))
			return false;
	}
	return true;
}

static void put_at(tn_op_id *list, uint32_t n, uint32_t at, uint32_t op)
{
	memmove(list + at + 1, list + at, (n - at) * sizeof(*list));
	list[at].i = op;
}

/* What schedules, claims and branches say of ops. */
static void extend_lists(struct tn_graph *g, const struct tn_plan_copy *copy, uint32_t op)
{
	const uint32_t root = root_of(g, copy->tensor);

	put_at(g->schedule, op, place_in(g->schedule, op, copy), op);
	for (uint32_t i = 0; i < g->n_claims; i++) {
		struct tn_claim *c = &g->claims[i];
		uint32_t at = place_in(c->order, c->n_order, copy);

		if (at < c->n_order)
			put_at(c->order, c->n_order++, at, op);
	}
	for (uint32_t i = 0; i < g->n_branches; i++) {
		struct tn_branch *b = &g->branches[i];
		bool makes = false;

		for (uint32_t k = 0; k < b->n_ops; k++)
			makes = makes || changes(g, &g->ops[b->ops[k].i], root);
		if (makes) /* the tensor is there in this branch only */
			b->ops[b->n_ops++].i = op;
	}
}

static void add_tensor(struct tn_graph *g, uint32_t like, const char *name)
{
	struct tn_tensor *t = &g->tensors[g->n_tensors++];

	*t = g->tensors[like];
	t->name = name;
	t->role = ROLE_ACT;
	t->clobber = t->mutated = t->observed = t->seeded = false;
	t->data_kind = DATA_NONE;
	t->data = NULL;
	t->data_bytes = 0;
	t->file_index = g->n_tensors - 1; /* as whoever reads the plan will count */
	t->view_of.i = TN_NONE;
	t->view_offset = 0;
	t->has_strides = false;
}

/* The attributes, with what they say of the operand said of its copy. */
static bool rename_operand(
	struct tn_op *op, const char *from, const char *to, struct tn_arena *arena)
{
	static const char *const about[] = { "destroys", "reads_target", "tied",
		"mutates" };
	struct tn_attr *attrs = TN_NEW_ARRAY(arena, struct tn_attr, op->n_attrs);

	if (!attrs)
		return false;
	for (uint32_t i = 0; i < op->n_attrs; i++) {
		struct tn_attr *a = &attrs[i];
		const char **list;
		bool speaks = false;

		*a = op->attrs[i];
		for (size_t k = 0; k < sizeof(about) / sizeof(*about); k++)
			speaks = speaks || strcmp(a->name, about[k]) == 0;
		if (speaks && a->kind == ATTR_STRING && strcmp(a->v.s, from) == 0)
			a->v.s = to;
		if (!speaks || a->kind != ATTR_STRINGS)
			continue;
		list = TN_NEW_ARRAY(arena, const char *, a->n);
		if (!list)
			return false;
		for (size_t k = 0; k < a->n; k++)
			list[k] =
				strcmp(a->v.strings[k], from) == 0 ? to : a->v.strings[k];
		a->v.strings = list;
	}
	op->attrs = attrs;
	return true;
}

/* The list with one tensor in place of another. */
static bool replace(tn_tensor_id **list, uint32_t n, uint32_t from, uint32_t to,
	struct tn_arena *arena)
{
	tn_tensor_id *made = TN_NEW_ARRAY(arena, tn_tensor_id, n);

	for (uint32_t k = 0; made && k < n; k++)
		made[k].i = (*list)[k].i == from ? to : (*list)[k].i;
	*list = made ? made : *list;
	return made;
}

/* From the op that gets the copy on, the tensor is the copy. */
static bool hand_over(struct tn_graph *g, const struct tn_plan_copy *copy,
	const char *name, struct tn_arena *arena)
{
	const uint32_t from = copy->tensor, to = g->n_tensors;

	for (uint32_t at = place_in(g->schedule, g->n_ops, copy); at < g->n_ops; at++) {
		struct tn_op *op = &g->ops[g->schedule[at].i];

		if (!names(op->inputs, op->n_inputs, from) &&
			!names(op->outputs, op->n_outputs, from))
			continue;
		if (!rename_operand(op, g->tensors[from].name, name, arena) ||
			!replace(&op->inputs, op->n_inputs, from, to, arena) ||
			!replace(&op->outputs, op->n_outputs, from, to, arena))
			return false;
	}
	return true;
}

static bool insert(struct tn_graph *g, const struct tn_plan_copy *copy, uint32_t earlier,
	struct tn_arena *arena, struct tn_strings *strings)
{
	struct tn_op *reader = &g->ops[copy->reader];
	const char *name = name_of_copy(g, copy->tensor, earlier, arena, strings);
	const char *type = tn_str_intern(strings, "RESHAPE", 7);
	tn_tensor_id *ends = TN_NEW_ARRAY(arena, tn_tensor_id, 2);
	const bool writes = writes_copy(g, copy);

	if (!name || !type || !ends)
		return false;
	ends[0].i = copy->tensor;
	ends[1].i = g->n_tensors;
	if (writes ? !hand_over(g, copy, name, arena)
		   : !rename_operand(
			     reader, g->tensors[copy->tensor].name, name, arena) ||
				!replace(&reader->inputs, reader->n_inputs, copy->tensor,
					ends[1].i, arena))
		return false;
	extend_lists(g, copy, g->n_ops);
	add_tensor(g, copy->tensor, name);
	g->tensors[ends[1].i].mutated = writes;
	g->ops[g->n_ops++] = (struct tn_op){ .name = name,
		.kind = OP_RESHAPE,
		.type = type,
		.inputs = ends,
		.n_inputs = 1,
		.outputs = ends + 1,
		.n_outputs = 1,
		.pointer = reader->pointer,
		.file_index = reader->file_index };
	return true;
}

enum tn_status tn_rewrite_insert_copies(const struct tn_graph *g,
	const struct tn_plan_copy *copies, uint32_t n, struct tn_arena *arena,
	struct tn_strings *strings, struct tn_graph *out, uint32_t *out_bad)
{
	struct tn_graph made = *g;
	uint32_t *copied; /* by tensor: so far */

	*out_bad = 0;
	copied = TN_NEW_ARRAY(arena, uint32_t, (size_t)g->n_tensors + n);
	if (!copied || !begin(&made, n, arena))
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++) {
		*out_bad = i;
		if (!keeps_meaning(&made, &copies[i]))
			return TN_ERR_INPUT;
		if (!insert(&made, &copies[i], copied[copies[i].tensor]++, arena,
			    strings))
			return TN_ERR_NOMEM;
	}
	*out = made;
	return TN_OK;
}
