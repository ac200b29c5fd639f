#include "rewrite/layout.h"

#include <string.h>

#include "base/checked.h"
#include "rewrite/synonym.h"

#include "base/banned.h"

const int64_t tn_layout_last[TN_LAYOUT_RANK] = { 0, 2, 3, 1 };
const int64_t tn_layout_place[TN_LAYOUT_RANK] = { 0, 3, 1, 2 };

void tn_layout_shape(const struct tn_shape *first, struct tn_shape *out)
{
	*out = (struct tn_shape){ .rank = TN_LAYOUT_RANK };
	for (int i = 0; i < TN_LAYOUT_RANK; i++)
		out->dim[i] = first->dim[tn_layout_last[i]];
}

bool tn_layout_is_constant(const struct tn_tensor *t)
{
	return t->role == ROLE_CONST && !t->mutated && t->view_of.i == TN_NONE;
}

bool tn_layout_may_change(struct tn_layout *l, tn_tensor_id id)
{
	const struct tn_tensor *t;

	if (id.i >= l->n_tensors)
		return false;
	t = &l->e->g.tensors[id.i];
	return t->shape.rank == TN_LAYOUT_RANK && t->elements > 0 && !t->has_strides &&
	       tn_dtype_bits(t->dtype) >= 8 && tn_edit_stable(l->e, id) &&
	       (t->role == ROLE_ACT || t->role == ROLE_INPUT || t->role == ROLE_OUTPUT);
}

tn_tensor_id tn_layout_permuted(struct tn_layout *l, tn_tensor_id id,
	const struct tn_shape *from, const int64_t perm[TN_LAYOUT_RANK])
{
	struct tn_tensor like = l->e->g.tensors[id.i];
	const size_t width = (size_t)tn_dtype_bits(like.dtype) / 8;
	struct tn_shape to = { .rank = TN_LAYOUT_RANK };
	int64_t stride[TN_RANK_MAX], n = like.elements;
	uint8_t *data = NULL;
	tn_tensor_id made;

	for (uint32_t i = 0; i < TN_LAYOUT_RANK; i++) {
		to.dim[i] = from->dim[perm[i]];
		if (like.quant.n > 1 && perm[i] == l->e->g.tensors[id.i].quant.axis)
			like.quant.axis = i;
	}
	tn_shape_strides(from, stride);
	if (like.data_kind == DATA_BYTES && like.data_bytes == like.bytes) {
		data = tn_arena_alloc(l->e->arena, (size_t)like.bytes);
		if (!data) {
			l->e->failed = true;
			return id;
		}
	}
	for (int64_t i = 0; data && i < n; i++) {
		int64_t rest = i, at = 0;

		for (uint32_t d = TN_LAYOUT_RANK; d-- > 0;) {
			at += rest % to.dim[d] * stride[perm[d]];
			rest /= to.dim[d];
		}
		memcpy(data + (size_t)i * width, like.data + (size_t)at * width, width);
	}
	made = tn_edit_constant(l->e, &like, &to, data);
	if (!l->e->failed && !data) { /* a size without values, as before */
		l->e->g.tensors[made.i].data_kind = like.data_kind;
		l->e->g.tensors[made.i].data_bytes = like.data_bytes;
	}
	return made;
}

static uint32_t first_of(struct tn_layout *l, tn_tensor_id id)
{
	while (l->group[id.i] != id.i) {
		l->group[id.i] = l->group[l->group[id.i]];
		id.i = l->group[id.i];
	}
	return id.i;
}

static void join(struct tn_layout *l, tn_tensor_id a, tn_tensor_id b)
{
	const uint32_t x = first_of(l, a), y = first_of(l, b);

	/* the smaller number, so that the order of ops does not matter */
	l->group[x > y ? x : y] = x > y ? y : x;
}

/* Is it a window with channels first? */
static bool is_window(const struct tn_op *op)
{
	return tn_op_info(op->kind)->access == ACCESS_WINDOW &&
	       strcmp(tn_op_string(op, "layout", "NHWC"), "NCHW") == 0;
}

static bool is_data(struct tn_layout *l, const struct tn_op *op, uint32_t k)
{
	const struct tn_tensor *t = tn_edit_in(l->e, op, k);

	if (!t || tn_layout_is_constant(t) || (k && op->kind == OP_BATCH_NORM))
		return false;
	return k == 0 || op->kind == OP_CONCATENATION ||
	       tn_op_info(op->kind)->access == ACCESS_POINTWISE;
}

/* All tensors of the op change, or none. */
static void join_tensors(struct tn_layout *l, const struct tn_op *op)
{
	tn_tensor_id one = { TN_NONE };

	for (uint32_t k = 0; k < op->n_inputs; k++) {
		if (!is_data(l, op, k))
			continue;
		if (one.i != TN_NONE)
			join(l, one, op->inputs[k]);
		one = op->inputs[k];
	}
	for (uint32_t k = 0; k < op->n_outputs && one.i != TN_NONE; k++)
		if (tn_layout_keeps_rank(l, op))
			join(l, one, op->outputs[k]);
}

/* Gives roles; false when there is nothing to do. */
static bool look(struct tn_layout *l)
{
	bool any = false;
	const char *why;

	for (uint32_t i = 0; i < l->n_ops; i++) {
		const struct tn_op *op = tn_edit_op(l->e, i);
		enum tn_layout_role *role = &l->role[l->e->g.schedule[i].i];

		if (op && is_window(op)) {
			if (tn_layout_takes_window(l, op, &why))
				*role = LAYOUT_WINDOW;
			else
				tn_edit_left(l->e, op, why, NULL);
			any = any || *role == LAYOUT_WINDOW;
		}
	}
	for (uint32_t i = 0; i < l->n_ops && any; i++) {
		const struct tn_op *op = tn_edit_op(l->e, i);
		enum tn_layout_role *role = &l->role[l->e->g.schedule[i].i];
		tn_tensor_id result;

		if (op && *role == LAYOUT_STAYS && !is_window(op) &&
			tn_layout_takes_op(l, op))
			*role = LAYOUT_FOLLOWS;
		if (op && *role == LAYOUT_STAYS && tn_layout_is_shuffle(l, op, &result)) {
			*role = LAYOUT_SHUFFLE;
			join(l, op->inputs[0], result);
		} else if (op && *role != LAYOUT_STAYS) {
			join_tensors(l, op);
		}
	}
	for (uint32_t i = 0; i < l->n_ops && any; i++) {
		const struct tn_op *op = tn_edit_op(l->e, i);

		if (op && l->role[tn_edit_id(l->e, op).i] == LAYOUT_WINDOW)
			l->wanted[first_of(l, op->inputs[0])] = true;
	}
	return any;
}

static bool changes(struct tn_layout *l, tn_tensor_id id)
{
	return id.i < l->n_tensors && l->wanted[first_of(l, id)];
}

/* Does the op work on the doubles? */
static bool works_last(struct tn_layout *l, const struct tn_op *op)
{
	if (l->role[tn_edit_id(l->e, op).i] == LAYOUT_STAYS)
		return false;
	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (is_data(l, op, k))
			return changes(l, op->inputs[k]);
	return false;
}

/* The name with "/nhwc" or "/nchw" behind it, and a number when there is such an op. */
static const char *unique_name(struct tn_layout *l, const char *tensor, const char *what)
{
	for (uint32_t n = 0;; n++) {
		char *text =
			n ? tn_arena_printf(l->e->scratch, "%s/%s#%u", tensor, what, n)
			  : tn_arena_printf(l->e->scratch, "%s/%s", tensor, what);
		const char *name =
			text ? tn_str_intern(l->e->strings, text, strlen(text)) : NULL;
		bool taken = false;

		for (uint32_t i = 0; name && i < l->n_ops && !taken; i++)
			taken = l->e->g.ops[i].name == name;
		for (size_t i = 0; name && i < l->made.count && !taken; i++)
			taken = l->made.items[i].name == name;
		if (!name)
			l->e->failed = true;
		if (!taken)
			return name;
	}
}

static void put(struct tn_layout *l, tn_op_id id)
{
	if (!tn_vec_push(l->e->arena, &l->schedule, id))
		l->e->failed = true;
}

/* The double of a tensor, that `op` will write. */
static tn_tensor_id double_of(
	struct tn_layout *l, tn_tensor_id id, const struct tn_op *op)
{
	struct tn_tensor like = l->e->g.tensors[id.i];
	struct tn_shape shape;

	tn_layout_shape(&like.shape, &shape);
	if (like.quant.n > 1 && like.quant.axis < TN_LAYOUT_RANK)
		like.quant.axis = (uint32_t)tn_layout_place[like.quant.axis];
	return tn_edit_activation(l->e, &like, &shape, op);
}

/* A transpose from a tensor to its double or back, for `op`. */
static void transpose(
	struct tn_layout *l, tn_tensor_id id, bool to_last, const struct tn_op *cause)
{
	const tn_op_id number = { (uint32_t)(l->n_ops + l->made.count) };
	struct tn_op op = { .pointer = cause->pointer, .file_index = UINT32_MAX };
	struct tn_edit *e = l->e;

	op.name = unique_name(l, e->g.tensors[id.i].name, to_last ? "nhwc" : "nchw");
	op.inputs = TN_NEW_ARRAY(e->arena, tn_tensor_id, 1);
	op.outputs = TN_NEW_ARRAY(e->arena, tn_tensor_id, 1);
	if (!op.name || !op.inputs || !op.outputs) {
		e->failed = true;
		return;
	}
	tn_synonym_rename(e, &op, OP_TRANSPOSE);
	tn_edit_attr_ints(e, &op, "perm", to_last ? tn_layout_last : tn_layout_place,
		TN_LAYOUT_RANK);
	if (to_last)
		l->last[id.i] = double_of(l, id, &op);
	if (e->failed)
		return;
	op.n_inputs = op.n_outputs = 1;
	op.inputs[0] = to_last ? id : l->last[id.i];
	op.outputs[0] = to_last ? l->last[id.i] : id;
	e->reads[op.inputs[0].i]++;
	e->producer[op.outputs[0].i] = number;
	if (!tn_vec_push(e->arena, &l->made, op))
		e->failed = true;
	put(l, number);
	if (!to_last)
		l->has_first[id.i] = true;
}

static void change(struct tn_layout *l, struct tn_op *op)
{
	struct tn_edit *e = l->e;
	const tn_op_id number = tn_edit_id(e, op);

	for (uint32_t k = 0; k < op->n_inputs && !e->failed; k++)
		if (is_data(l, op, k) && l->last[op->inputs[k].i].i == TN_NONE)
			transpose(l, op->inputs[k], true, op);
	if (e->failed)
		return;
	if (l->role[number.i] == LAYOUT_SHUFFLE) {
		tn_layout_change_shuffle(l, op);
		put(l, number);
		if (!e->failed)
			tn_edit_done(e, op, NULL);
		return;
	}
	/* before its operands: shapes are looked at */
	if (l->role[number.i] == LAYOUT_WINDOW)
		tn_layout_change_window(l, op);
	else
		tn_layout_change_op(l, op);
	for (uint32_t k = 0; k < op->n_inputs && !e->failed; k++)
		if (op->inputs[k].i < l->n_tensors && is_data(l, op, k))
			tn_edit_set_input(e, op, k, l->last[op->inputs[k].i]);
	if (e->failed)
		return;
	put(l, number);
	tn_edit_done(e, op, NULL);
	if (!tn_layout_keeps_rank(l, op)) {
		l->has_first[op->outputs[0].i] = true;
		return;
	}
	for (uint32_t k = 0; k < op->n_outputs && !e->failed; k++) {
		const tn_tensor_id out = op->outputs[k];

		l->last[out.i] = double_of(l, out, op);
		if (e->failed)
			return;
		l->left[out.i] = e->log->list.count;
		op->outputs[k] = l->last[out.i];
		e->producer[out.i].i = TN_NONE;
		e->producer[l->last[out.i].i] = number;
		if (e->pinned[out.i])
			transpose(l, out, false, op);
	}
}

/* A transpose of the file takes the double: the two permutations are one. */
static bool take_double(struct tn_layout *l, struct tn_op *op)
{
	const tn_tensor_id in = op->inputs[0];
	int64_t perm[TN_RANK_MAX], both[TN_LAYOUT_RANK];

	if (!tn_edit_permutation(l->e, op, TN_LAYOUT_RANK, perm))
		return false;
	for (int i = 0; i < TN_LAYOUT_RANK; i++)
		both[i] = tn_layout_place[perm[i]];
	tn_edit_set_inputs(l->e, op, &l->last[in.i], 1);
	tn_edit_drop_attrs(op);
	tn_edit_attr_ints(l->e, op, "perm", both, TN_LAYOUT_RANK);
	return true;
}

static void keep(struct tn_layout *l, struct tn_op *op)
{
	struct tn_edit *e = l->e;

	for (uint32_t k = 0; k < op->n_inputs && !e->failed; k++) {
		const tn_tensor_id id = op->inputs[k];

		if (id.i >= l->n_tensors || l->has_first[id.i] ||
			l->last[id.i].i == TN_NONE)
			continue;
		if (k == 0 && op->kind == OP_TRANSPOSE && take_double(l, op))
			break;
		if (k == 0 && op->kind == OP_RESHAPE && tn_layout_into_layer(l, op))
			break;
		transpose(l, id, false, op);
	}
	put(l, tn_edit_id(e, op));
	for (uint32_t k = 0; k < op->n_outputs; k++)
		if (op->outputs[k].i < l->n_tensors)
			l->has_first[op->outputs[k].i] = true;
}

/* The made ops stand behind the others; the schedule is the new one. */
static void append(struct tn_layout *l)
{
	struct tn_edit *e = l->e;
	const size_t n = l->n_ops + l->made.count;
	struct tn_op *ops = TN_NEW_ARRAY(e->arena, struct tn_op, n);
	bool *dead = TN_NEW_ARRAY(e->scratch, bool, n);

	if (!ops || !dead || n > UINT32_MAX) {
		e->failed = true;
		return;
	}
	memcpy(ops, e->g.ops, l->n_ops * sizeof(*ops));
	memcpy(dead, e->dead, l->n_ops * sizeof(*dead));
	if (l->made.count)
		memcpy(ops + l->n_ops, l->made.items, l->made.count * sizeof(*ops));
	for (uint32_t i = 0; i < l->n_ops; i++)
		if (dead[e->g.schedule[i].i])
			put(l, e->g.schedule[i]);
	if (e->failed)
		return;
	e->g.ops = ops;
	e->g.n_ops = (uint32_t)n;
	e->dead = dead;
	e->g.schedule = l->schedule.items;
}

static bool prepare(struct tn_layout *l, struct tn_edit *e)
{
	*l = (struct tn_layout){
		.e = e, .n_tensors = e->g.n_tensors, .n_ops = e->g.n_ops
	};
	l->role = TN_NEW_ARRAY(e->scratch, enum tn_layout_role, l->n_ops);
	l->group = TN_NEW_ARRAY(e->scratch, uint32_t, l->n_tensors);
	l->wanted = TN_NEW_ARRAY(e->scratch, bool, l->n_tensors);
	l->last = TN_NEW_ARRAY(e->scratch, tn_tensor_id, l->n_tensors);
	l->left = TN_NEW_ARRAY(e->scratch, size_t, l->n_tensors);
	l->has_first = TN_NEW_ARRAY(e->scratch, bool, l->n_tensors);
	l->reader = tn_edit_readers(e);
	if (!l->role || !l->group || !l->wanted || !l->last || !l->left ||
		!l->has_first || !l->reader) {
		e->failed = true;
		return false;
	}
	for (uint32_t i = 0; i < l->n_tensors; i++) {
		l->group[i] = i;
		l->last[i].i = TN_NONE;
		l->left[i] = 0;
		l->has_first[i] = e->producer[i].i == TN_NONE;
	}
	return true;
}

/* Tensors of which only the double is there now. An entry names one of them. */
static void name_left(struct tn_layout *l)
{
	struct tn_edit *e = l->e;

	for (uint32_t i = 0; i < l->n_tensors; i++) {
		struct tn_rewrite *done =
			l->left[i] ? &e->log->list.items[l->left[i] - 1] : NULL;

		if (done && !done->tensor && !l->has_first[i])
			done->tensor = e->g.tensors[i].name;
	}
}

void tn_rewrite_layouts(struct tn_edit *e)
{
	struct tn_layout l;
	bool any = false;

	for (uint32_t i = 0; i < e->g.n_ops && !any; i++) {
		const struct tn_op *op = tn_edit_op(e, i);

		any = op && is_window(op);
	}
	if (!any || !prepare(&l, e) || !look(&l))
		return;
	for (uint32_t i = 0; i < l.n_ops && !e->failed; i++) {
		struct tn_op *op = tn_edit_op(e, i);

		if (op && works_last(&l, op))
			change(&l, op);
		else if (op)
			keep(&l, op);
		else if (tn_edit_is_held(e, e->g.schedule[i]))
			put(&l, e->g.schedule[i]);
	}
	if (!e->failed)
		append(&l);
	if (!e->failed)
		name_left(&l);
}
