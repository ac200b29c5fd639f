#include "rewrite/edit.h"

#include <string.h>

#include "base/checked.h"

#include "base/banned.h"

static const tn_tensor_id no_tensor = { TN_NONE };
static const tn_op_id no_op = { TN_NONE };

static bool known(const struct tn_edit *e, tn_tensor_id id)
{
	return id.i < e->g.n_tensors;
}

static void pin(struct tn_edit *e, tn_tensor_id id)
{
	if (known(e, id))
		e->pinned[id.i] = true;
}

/* What the caller sees, what is written twice, and what shares bytes by the file's word
 * stays as it is. */
static void pin_all(struct tn_edit *e)
{
	struct tn_graph *g = &e->g;

	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const struct tn_tensor *t = &g->tensors[i];

		if (t->role == ROLE_INPUT || t->role == ROLE_OUTPUT ||
			t->role == ROLE_VARIABLE || t->observed || t->mutated ||
			t->view_of.i != TN_NONE)
			e->pinned[i] = true;
		pin(e, t->view_of);
		if (known(e, t->view_of) && !e->viewed[t->view_of.i]) {
			e->viewed[t->view_of.i] = true;
			e->view[t->view_of.i].i = i;
		}
	}
	for (uint32_t i = 0; i < g->n_inputs; i++)
		pin(e, g->inputs[i]);
	for (uint32_t i = 0; i < g->n_outputs; i++)
		pin(e, g->outputs[i]);
}

/* Do attributes say how its kernel reads and writes? It does more than its type says, or
 * does it in another way. No output of such an op may change. */
static bool has_own_kernel(const struct tn_op *op)
{
	return tn_op_has_own_kernel(op) || tn_op_order(op) != OP_ORDER_ANY ||
	       tn_op_n_scratch(op) || tn_op_int(op, "scratch_required", 0) > 0;
}

static void hold(struct tn_edit *e, tn_tensor_id id)
{
	if (!known(e, id))
		return;
	e->pinned[id.i] = e->held[id.i] = true;
}

/* Ops with kernels of their own stay as they are, where they are: to passes they are
 * readers and writers from outside. */
static void hold_all(struct tn_edit *e)
{
	for (uint32_t i = 0; i < e->g.n_ops; i++) {
		const struct tn_op *op = &e->g.ops[i];

		if (!has_own_kernel(op))
			continue;
		for (uint32_t k = 0; k < op->n_inputs; k++)
			hold(e, op->inputs[k]);
		for (size_t k = 0; k < tn_op_n_scratch(op); k++)
			hold(e, tn_op_scratch(&e->g, op, k));
		for (uint32_t k = 0; k < op->n_outputs; k++) {
			hold(e, op->outputs[k]);
			if (known(e, op->outputs[k]))
				e->producer[op->outputs[k].i] = no_op;
		}
	}
}

static void count_uses(struct tn_edit *e)
{
	for (uint32_t i = 0; i < e->g.n_tensors; i++) {
		e->producer[i] = e->readers[2 * i] = e->readers[2 * i + 1] = no_op;
		e->instead[i] = no_tensor;
	}
	for (uint32_t i = 0; i < e->g.n_ops; i++) {
		const struct tn_op *op = &e->g.ops[i];

		for (uint32_t k = 0; k < op->n_inputs; k++) {
			tn_tensor_id id = op->inputs[k];

			if (!known(e, id))
				continue;
			if (e->reads[id.i] < 2)
				e->readers[2 * id.i + e->reads[id.i]] = (tn_op_id){ i };
			e->reads[id.i]++;
		}
		for (uint32_t k = 0; k < op->n_outputs; k++) {
			tn_tensor_id id = op->outputs[k];

			if (!known(e, id))
				continue;
			if (e->producer[id.i].i != TN_NONE)
				e->pinned[id.i] = true; /* several writers */
			e->producer[id.i] = (tn_op_id){ i };
		}
	}
}

static bool side_tables(struct tn_edit *e, size_t n)
{
	e->producer = TN_NEW_ARRAY(e->scratch, tn_op_id, n);
	e->readers = TN_NEW_ARRAY(e->scratch, tn_op_id, 2 * n);
	e->reads = TN_NEW_ARRAY(e->scratch, uint32_t, n);
	e->pinned = TN_NEW_ARRAY(e->scratch, bool, n);
	e->viewed = TN_NEW_ARRAY(e->scratch, bool, n);
	e->held = TN_NEW_ARRAY(e->scratch, bool, n);
	e->view = TN_NEW_ARRAY(e->scratch, tn_tensor_id, n);
	e->instead = TN_NEW_ARRAY(e->scratch, tn_tensor_id, n);
	return e->producer && e->readers && e->reads && e->pinned && e->viewed &&
	       e->held && e->view && e->instead;
}

/* The operands of all ops, each list its own copy in one piece of memory. */
static bool copy_ops(struct tn_edit *e, const struct tn_graph *g, struct tn_arena *arena)
{
	size_t total = 0;
	tn_tensor_id *at;

	for (uint32_t i = 0; i < g->n_ops; i++)
		total += (size_t)g->ops[i].n_inputs + g->ops[i].n_outputs;
	at = TN_NEW_ARRAY(arena, tn_tensor_id, total);
	if (!at)
		return false;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		const struct tn_op *from = &g->ops[i];
		struct tn_op *op = &e->g.ops[i];

		*op = *from;
		op->inputs = at;
		for (uint32_t k = 0; k < from->n_inputs; k++)
			*at++ = from->inputs[k];
		op->outputs = at;
		for (uint32_t k = 0; k < from->n_outputs; k++)
			*at++ = from->outputs[k];
	}
	return true;
}

bool tn_edit_begin(struct tn_edit *e, const struct tn_graph *g, struct tn_arena *arena,
	struct tn_arena *scratch, struct tn_strings *strings, struct tn_rewrites *log)
{
	memset(e, 0, sizeof(*e));
	e->arena = arena;
	e->scratch = scratch;
	e->strings = strings;
	e->log = log;
	e->g = *g;
	e->n_file_tensors = g->n_tensors;
	e->tensor_capacity = (size_t)g->n_tensors + 16;
	e->g.tensors = TN_NEW_ARRAY(arena, struct tn_tensor, e->tensor_capacity);
	e->g.ops = TN_NEW_ARRAY(arena, struct tn_op, g->n_ops);
	e->dead = TN_NEW_ARRAY(scratch, bool, g->n_ops);
	if (!e->g.tensors || !e->g.ops || !e->dead || !side_tables(e, e->tensor_capacity))
		return false;
	if (g->n_tensors)
		memcpy(e->g.tensors, g->tensors, g->n_tensors * sizeof(*g->tensors));
	if (!copy_ops(e, g, arena))
		return false;
	count_uses(e);
	pin_all(e);
	hold_all(e);
	return true;
}

static tn_tensor_id resolve(struct tn_edit *e, tn_tensor_id id)
{
	while (known(e, id) && e->instead[id.i].i != TN_NONE)
		id = e->instead[id.i];
	return id;
}

/* The op's new id; TN_NONE for none and for one that is dead. */
static tn_op_id moved(const tn_op_id *renumbered, tn_op_id id)
{
	return id.i == TN_NONE ? id : renumbered[id.i];
}

bool tn_edit_drop_dead(struct tn_edit *e)
{
	struct tn_graph *g = &e->g;
	tn_op_id *renumbered = TN_NEW_ARRAY(e->scratch, tn_op_id, g->n_ops);
	tn_op_id *schedule = TN_NEW_ARRAY(e->arena, tn_op_id, g->n_ops);
	uint32_t n_ops = 0, n_scheduled = 0;

	if (!renumbered || !schedule)
		return false;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		renumbered[i] = no_op;
		if (e->dead[i])
			continue;
		renumbered[i].i = n_ops;
		g->ops[n_ops++] = g->ops[i];
	}
	for (uint32_t i = 0; i < g->n_ops; i++)
		if (!e->dead[g->schedule[i].i])
			schedule[n_scheduled++] = renumbered[g->schedule[i].i];
	for (uint32_t i = 0; i < g->n_tensors; i++)
		e->producer[i] = moved(renumbered, e->producer[i]);
	for (uint32_t i = 0; i < 2 * e->n_file_tensors; i++)
		e->readers[i] = moved(renumbered, e->readers[i]);
	memset(e->dead, 0, n_ops * sizeof(*e->dead));
	e->n_dead = 0;
	g->n_ops = n_ops;
	g->schedule = schedule;
	return true;
}

bool tn_edit_finish(struct tn_edit *e, struct tn_graph *out)
{
	struct tn_graph *g = &e->g;

	if (!tn_edit_drop_dead(e))
		return false;
	for (uint32_t i = 0; i < g->n_ops; i++)
		for (uint32_t k = 0; k < g->ops[i].n_inputs; k++)
			g->ops[i].inputs[k] = resolve(e, g->ops[i].inputs[k]);
	*out = *g;
	out->claims = NULL;
	out->n_claims = 0;
	out->branches = NULL;
	out->n_branches = 0;
	out->scopes = NULL;
	out->n_scopes = 0;
	return true;
}

bool tn_edit_is_held(const struct tn_edit *e, tn_op_id id)
{
	const struct tn_op *op = &e->g.ops[id.i];

	if (op->n_outputs && known(e, op->outputs[0]) && !e->held[op->outputs[0].i])
		return false; /* most: attributes need not be looked at */
	return !e->dead[id.i] && has_own_kernel(op);
}

struct tn_op *tn_edit_op(struct tn_edit *e, uint32_t position)
{
	tn_op_id id = e->g.schedule[position];
	struct tn_op *op = &e->g.ops[id.i];

	if (e->dead[id.i] || e->failed || tn_edit_is_held(e, id))
		return NULL;
	for (uint32_t k = 0; k < op->n_inputs; k++)
		op->inputs[k] = resolve(e, op->inputs[k]);
	return op;
}

struct tn_tensor *tn_edit_in(struct tn_edit *e, const struct tn_op *op, uint32_t k)
{
	return k < op->n_inputs && known(e, op->inputs[k])
		       ? &e->g.tensors[op->inputs[k].i]
		       : NULL;
}

struct tn_tensor *tn_edit_out(struct tn_edit *e, const struct tn_op *op, uint32_t k)
{
	return k < op->n_outputs && known(e, op->outputs[k])
		       ? &e->g.tensors[op->outputs[k].i]
		       : NULL;
}

struct tn_op *tn_edit_producer(struct tn_edit *e, const struct tn_op *op, uint32_t k)
{
	tn_op_id id;

	if (!tn_edit_in(e, op, k) || tn_edit_in(e, op, k)->mutated)
		return NULL;
	id = e->producer[op->inputs[k].i];
	return id.i == TN_NONE ? NULL : &e->g.ops[id.i];
}

bool tn_edit_private(const struct tn_edit *e, tn_tensor_id id)
{
	return !e->pinned[id.i] && e->reads[id.i] == 1 && e->producer[id.i].i != TN_NONE;
}

bool tn_edit_stable(const struct tn_edit *e, tn_tensor_id id)
{
	const struct tn_tensor *t = &e->g.tensors[id.i];

	return !t->mutated && !e->viewed[id.i] && !e->held[id.i] &&
	       t->role != ROLE_VARIABLE && t->view_of.i == TN_NONE;
}

bool tn_edit_may_move(const struct tn_edit *e, tn_tensor_id id)
{
	const struct tn_tensor *t = &e->g.tensors[id.i];

	return !t->mutated && !e->held[id.i] && t->role != ROLE_VARIABLE &&
	       t->view_of.i == TN_NONE;
}

bool tn_edit_same_quant(const struct tn_tensor *a, const struct tn_tensor *b)
{
	const struct tn_quant *x = &a->quant, *y = &b->quant;

	if (x->n != y->n || (x->n > 1 && x->axis != y->axis) || x->damaged || y->damaged)
		return false;
	for (uint32_t i = 0; i < x->n; i++)
		if (x->scale[i] < y->scale[i] || x->scale[i] > y->scale[i] ||
			x->zero_point[i] != y->zero_point[i])
			return false;
	return true;
}

bool tn_edit_same_type(const struct tn_tensor *a, const struct tn_tensor *b)
{
	return a->dtype == b->dtype && tn_edit_same_quant(a, b);
}

bool tn_edit_is_constant(const struct tn_tensor *t)
{
	return t && t->data_kind == DATA_BYTES && t->role != ROLE_VARIABLE &&
	       !t->mutated && t->view_of.i == TN_NONE && !t->quant.damaged;
}

void tn_edit_set_input(struct tn_edit *e, struct tn_op *op, uint32_t k, tn_tensor_id id)
{
	if (known(e, op->inputs[k]))
		e->reads[op->inputs[k].i]--;
	op->inputs[k] = id;
	if (known(e, id))
		e->reads[id.i]++;
	e->changed = true;
}

void tn_edit_set_inputs(
	struct tn_edit *e, struct tn_op *op, const tn_tensor_id *ids, uint32_t n)
{
	tn_tensor_id *copy = TN_NEW_ARRAY(e->arena, tn_tensor_id, n);

	if (!copy) {
		e->failed = true;
		return;
	}
	for (uint32_t k = 0; k < n; k++) {
		copy[k] = ids[k];
		if (known(e, ids[k]))
			e->reads[ids[k].i]++;
	}
	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (known(e, op->inputs[k]))
			e->reads[op->inputs[k].i]--;
	op->inputs = copy;
	op->n_inputs = n;
	e->changed = true;
}

void tn_edit_set_output(struct tn_edit *e, struct tn_op *op, tn_tensor_id id)
{
	e->producer[op->outputs[0].i] = no_op;
	op->outputs[0] = id;
	e->producer[id.i] = tn_edit_id(e, op);
	e->changed = true;
}

void tn_edit_kill(struct tn_edit *e, struct tn_op *op)
{
	tn_op_id id = tn_edit_id(e, op);

	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (known(e, op->inputs[k]))
			e->reads[op->inputs[k].i]--;
	for (uint32_t k = 0; k < op->n_outputs; k++)
		if (known(e, op->outputs[k]) && e->producer[op->outputs[k].i].i == id.i)
			e->producer[op->outputs[k].i] = no_op;
	e->dead[id.i] = true;
	e->n_dead++;
	e->changed = true;
}

void tn_edit_exchange(struct tn_edit *e, struct tn_op *a, struct tn_op *b)
{
	const tn_tensor_id a_in = a->inputs[0], a_out = a->outputs[0];
	const tn_tensor_id b_in = b->inputs[0], b_out = b->outputs[0];
	const struct tn_op saved = *a;

	*a = *b;
	*b = saved;
	a->inputs[0] = a_in;
	a->outputs[0] = a_out;
	b->inputs[0] = b_in;
	b->outputs[0] = b_out;
	e->changed = true;
}

void tn_edit_redirect(struct tn_edit *e, tn_tensor_id from, tn_tensor_id to)
{
	e->instead[from.i] = to;
	e->reads[to.i] += e->reads[from.i];
	e->reads[from.i] = 0;
	e->changed = true;
}

struct tn_rewrite *tn_edit_done(
	struct tn_edit *e, const struct tn_op *op, const struct tn_op *gone)
{
	struct tn_rewrite entry = { .pass = e->pass,
		.done = true,
		.op = op ? op->name : NULL,
		.gone = gone ? gone->name : NULL,
		.pointer = gone ? gone->pointer
			   : op ? op->pointer
				: NULL };

	e->changed = true;
	if (!tn_vec_push(e->arena, &e->log->list, entry)) {
		e->failed = true;
		return &e->spare;
	}
	return &e->log->list.items[e->log->list.count - 1];
}

void tn_edit_left(struct tn_edit *e, const struct tn_op *op, const char *why,
	const struct tn_op *witness)
{
	struct tn_rewrite entry = { .pass = e->pass,
		.op = op->name,
		.why = why,
		.witness = witness ? witness->name : NULL,
		.pointer = op->pointer };

	if (!tn_vec_push(e->scratch, &e->left, entry))
		e->failed = true;
}

const struct tn_op *tn_edit_other_reader(
	struct tn_edit *e, tn_tensor_id id, const struct tn_op *op)
{
	if (id.i >= e->n_file_tensors)
		return NULL;
	for (int k = 0; k < 2; k++) {
		tn_op_id reader = e->readers[2 * id.i + (uint32_t)k];

		if (reader.i != TN_NONE && reader.i != tn_edit_id(e, op).i &&
			!e->dead[reader.i])
			return &e->g.ops[reader.i];
	}
	return NULL;
}

static bool is_graph_output(const struct tn_edit *e, tn_tensor_id id)
{
	for (uint32_t i = 0; i < e->g.n_outputs; i++)
		if (e->g.outputs[i].i == id.i)
			return true;
	return false;
}

void tn_edit_left_kept(struct tn_edit *e, const struct tn_op *op, tn_tensor_id id,
	const struct tn_op *reader)
{
	const struct tn_tensor *t = &e->g.tensors[id.i];
	const struct tn_op *other = tn_edit_other_reader(e, id, reader);
	const char *why = "the value between the two must stay";

	if (other) {
		why = "the value between the two has another reader";
	} else if (is_graph_output(e, id)) {
		why = "the value between the two is an output";
	} else if (t->observed) {
		why = "the value between the two is observed";
	} else if (t->mutated || t->view_of.i != TN_NONE) {
		why = "the value between the two shares its bytes";
	} else if (e->held[id.i]) {
		why = "a kernel of its own works on the value between the two";
	} else if (id.i < e->n_file_tensors && e->viewed[id.i]) {
		why = "the value between the two has an alias";
		other = tn_edit_other_reader(e, e->view[id.i], reader);
	}
	tn_edit_left(e, op, why, other);
}

tn_op_id *tn_edit_readers(struct tn_edit *e)
{
	const size_t n = e->g.n_tensors + 2 * (size_t)e->g.n_ops;
	tn_op_id *list = TN_NEW_ARRAY(e->scratch, tn_op_id, n);

	for (uint32_t i = 0; list && i < e->g.n_ops; i++) {
		struct tn_op *op = tn_edit_op(e, i);

		for (uint32_t k = 0; op && k < op->n_inputs; k++)
			if (op->inputs[k].i != TN_NONE)
				list[op->inputs[k].i] = tn_edit_id(e, op);
	}
	if (!list)
		e->failed = true;
	return list;
}
