#include "import/foreign.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/utf8.h"
#include "import/size_expr.h"
#include "ir/norm.h"

#include "base/banned.h"

void tn_foreign_init(struct tn_foreign *f, struct tn_tree *tree)
{
	*f = (struct tn_foreign){ .tree = tree, .im = tree->im };
	tn_build_init(&f->b, tree->im->arena, tree->im->strings, tree->im->diags,
		tree->im->source);
	f->tensors.arena = f->ops.arena = f->claims.arena = &tree->scratch;
}

const char *tn_foreign_text(struct tn_foreign *f, const char *text)
{
	size_t len;
	const char *clean = tn_utf8_clean(f->im->arena, text, strlen(text), &len);

	if (clean)
		clean = tn_str_intern(f->im->strings, clean, len);
	if (!clean) {
		f->tree->nomem = true;
		return "";
	}
	return clean;
}

struct tn_tensor *tn_foreign_tensor(struct tn_foreign *f, const struct tn_at *at,
	const char *name, enum tn_dtype dtype, const struct tn_shape *shape)
{
	struct tn_tensor *t = tn_build_tensor(&f->b, tn_at_path(at));

	if (!t) {
		f->tree->nomem = true;
		return NULL;
	}
	t->name = tn_foreign_text(f, name);
	t->dtype = dtype;
	if (shape) {
		t->shape = *shape;
	} else {
		t->shape.rank = 1;
		t->shape.dim[0] = TN_DIM_UNKNOWN;
	}
	if (t->name[0] &&
		tn_names_add(&f->tensors, t->name, tn_foreign_newest(f).i) == NAME_NOMEM)
		f->tree->nomem = true;
	return t;
}

tn_tensor_id tn_foreign_find(const struct tn_foreign *f, const char *name)
{
	tn_tensor_id id = { tn_names_find(&f->tensors, name) };

	return id;
}

struct tn_tensor *tn_foreign_at(struct tn_foreign *f, tn_tensor_id id)
{
	return &f->b.tensors.items[id.i];
}

tn_tensor_id tn_foreign_newest(const struct tn_foreign *f)
{
	tn_tensor_id id = { (uint32_t)(f->b.tensors.count - 1) };

	return id;
}

int64_t tn_foreign_dim(struct tn_foreign *f, const struct tn_at *at, const char *text)
{
	return tn_size_or_report(f->im, tn_at_path(at), text);
}

const struct tn_shape *tn_foreign_given_shape(
	const struct tn_foreign *f, const char *name)
{
	for (size_t i = 0; i < f->im->n_shapes; i++)
		if (strcmp(f->im->shapes[i].tensor, name) == 0)
			return &f->im->shapes[i].shape;
	return NULL;
}

static bool set_rank(
	struct tn_foreign *f, const struct tn_at *at, size_t rank, struct tn_shape *out)
{
	*out = (struct tn_shape){ .rank = 1, .dim = { TN_DIM_POISON } };
	if (rank > TN_RANK_MAX) {
		tn_at_error(f->tree, at, "graph/rank", "%zu dimensions are more than %d",
			rank, TN_RANK_MAX);
		return false;
	}
	out->rank = (uint32_t)rank;
	return true;
}

void tn_foreign_shape(
	struct tn_foreign *f, const struct tn_at *list, struct tn_shape *out)
{
	if (!set_rank(f, list, json_array_size(list->json), out))
		return;
	for (uint32_t i = 0; i < out->rank; i++) {
		struct tn_at at;
		const char *name;

		tn_at_item(list, i, &at);
		name = json_string_value(at.json);
		out->dim[i] = TN_DIM_POISON;
		if (!at.json)
			out->dim[i] = TN_DIM_UNKNOWN;
		else if (name && !strchr("-0123456789", name[0]))
			out->dim[i] = tn_foreign_dim(f, &at, name);
		else if (tn_at_as_int(f->tree, &at, &out->dim[i]))
			out->dim[i] = tn_dim_given(out->dim[i]);
	}
}

void tn_foreign_shape_of(struct tn_foreign *f, const struct tn_at *at,
	const struct tn_ints *dims, struct tn_shape *out)
{
	if (!set_rank(f, at, dims->v.count, out))
		return;
	for (uint32_t i = 0; i < out->rank; i++)
		out->dim[i] = tn_dim_given(dims->v.items[i]);
}

void tn_foreign_data(
	struct tn_foreign *f, struct tn_tensor *t, const uint8_t *data, int64_t bytes)
{
	int64_t elements, need;

	(void)f;
	t->data_kind = DATA_MISSING;
	if (!data || !tn_shape_elements(&t->shape, &elements) ||
		!tn_dtype_bytes(t->dtype, elements, &need) || need != bytes)
		return;
	t->data_kind = DATA_BYTES;
	t->data = data;
	t->data_bytes = bytes;
}

/* The name, or the name and a number when it is taken. */
static const char *unique(
	struct tn_foreign *f, struct tn_names *taken, const char *name, uint32_t index)
{
	const char *text = tn_foreign_text(f, name);

	for (uint32_t i = index; text[0]; i++) {
		char *other;

		switch (tn_names_add(taken, text, index)) {
		case NAME_ADDED:
			return text;
		case NAME_NOMEM:
			f->tree->nomem = true;
			return text;
		case NAME_TAKEN:
			break;
		}
		other = tn_arena_printf(&f->tree->scratch, "%s#%u", name, i);
		if (!other) {
			f->tree->nomem = true;
			return text;
		}
		text = tn_foreign_text(f, other);
	}
	return text;
}

struct tn_op *tn_foreign_op(struct tn_foreign *f, const struct tn_at *at,
	enum tn_op_kind kind, const char *type, const char *name)
{
	struct tn_op *op = tn_build_op(&f->b, tn_at_path(at));
	char *made;

	f->in.v.count = f->out.v.count = 0;
	if (!op) {
		f->tree->nomem = true;
		return NULL;
	}
	op->kind = kind;
	op->type = tn_foreign_text(f, type[0] ? type : "?");
	if (name && name[0]) {
		op->name = unique(f, &f->ops, name, op->file_index);
		return op;
	}
	made = tn_arena_printf(&f->tree->scratch, "%.80s#%u", op->type, op->file_index);
	if (made)
		op->name = unique(f, &f->ops, made, op->file_index);
	else
		f->tree->nomem = true;
	return op;
}

static void add_operand(struct tn_foreign *f, struct tn_ids *ids, tn_tensor_id id)
{
	struct tn_tree *t = f->tree;

	if (t->full)
		return;
	if (++t->operands > TN_JSON_VALUES_MAX) {
		const struct tn_op *op = tn_foreign_newest_op(f);

		t->full = true;
		if (!tn_diag_at(t->im->diags, SEVERITY_ERROR, "json/limit", t->im->source,
			    op->pointer, op->name,
			    "the ops have more than %zu operands, as lists of them are "
			    "named many times",
			    TN_JSON_VALUES_MAX))
			t->nomem = true;
		return;
	}
	if (!tn_vec_push(&t->scratch, &ids->v, id))
		t->nomem = true;
}

void tn_foreign_in(struct tn_foreign *f, tn_tensor_id id)
{
	add_operand(f, &f->in, id);
}

void tn_foreign_out(struct tn_foreign *f, tn_tensor_id id)
{
	add_operand(f, &f->out, id);
}

struct tn_op *tn_foreign_newest_op(struct tn_foreign *f)
{
	return &f->b.ops.items[f->b.ops.count - 1];
}

static tn_tensor_id *copy(struct tn_foreign *f, const struct tn_ids *ids, uint32_t *out_n)
{
	tn_tensor_id *list = TN_NEW_ARRAY(f->im->arena, tn_tensor_id, ids->v.count);

	if (!list || !tn_u32_from_size(ids->v.count, out_n)) {
		f->tree->nomem = true;
		*out_n = 0;
		return NULL;
	}
	if (ids->v.count)
		memcpy(list, ids->v.items, ids->v.count * sizeof(*list));
	return list;
}

void tn_foreign_close(struct tn_foreign *f)
{
	struct tn_op *op;

	if (!f->b.ops.count)
		return;
	op = tn_foreign_newest_op(f);
	op->inputs = copy(f, &f->in, &op->n_inputs);
	op->outputs = copy(f, &f->out, &op->n_outputs);
}

static bool listed(const tn_tensor_id *list, size_t n, tn_tensor_id id)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].i == id.i)
			return true;
	return false;
}

void tn_foreign_input(struct tn_foreign *f, tn_tensor_id id, bool clobber)
{
	struct tn_tensor *t;

	if (id.i == TN_NONE || listed(f->b.inputs.items, f->b.inputs.count, id))
		return;
	t = tn_foreign_at(f, id);
	if (t->role == ROLE_ACT || t->role == ROLE_OUTPUT)
		t->role = ROLE_INPUT;
	if (t->role == ROLE_INPUT)
		t->clobber = clobber && !f->im->keep_inputs;
	if (!tn_vec_push(f->b.arena, &f->b.inputs, id))
		f->tree->nomem = true;
}

void tn_foreign_output(struct tn_foreign *f, tn_tensor_id id)
{
	struct tn_tensor *t;

	if (id.i == TN_NONE || listed(f->b.outputs.items, f->b.outputs.count, id))
		return;
	t = tn_foreign_at(f, id);
	if (t->role == ROLE_ACT)
		t->role = ROLE_OUTPUT;
	if (!tn_vec_push(f->b.arena, &f->b.outputs, id))
		f->tree->nomem = true;
}

struct tn_claim *tn_foreign_claim(
	struct tn_foreign *f, const struct tn_at *at, const char *kind, const char *id)
{
	tn_tensor_id none = { TN_NONE };
	struct tn_claim claim = { .kind = tn_foreign_text(f, kind),
		.id = unique(f, &f->claims, id, (uint32_t)f->b.claims.count),
		.op = { TN_NONE },
		.in = none,
		.out = none,
		.tensor = none,
		.of = none,
		.byte_offset = -1,
		.bytes = -1,
		.arena_bytes = -1,
		.align = -1,
		.base_address = -1,
		.pointer = tn_at_pointer(f->tree, at) };

	if (!tn_vec_push(f->b.arena, &f->b.claims, claim)) {
		f->tree->nomem = true;
		return NULL;
	}
	return &f->b.claims.items[f->b.claims.count - 1];
}

void tn_foreign_place(struct tn_foreign *f, struct tn_claim *plan, tn_tensor_id tensor,
	int64_t offset, int64_t size)
{
	if (!plan)
		return;
	if (!(plan->n_places & (plan->n_places - 1))) { /* full: 0, 1, 2, 4 ... */
		size_t room = plan->n_places ? 2 * (size_t)plan->n_places : 1;
		struct tn_claim_place *more =
			TN_NEW_ARRAY(f->im->arena, struct tn_claim_place, room);

		if (!more) {
			f->tree->nomem = true;
			return;
		}
		if (plan->n_places)
			memcpy(more, plan->places, plan->n_places * sizeof(*more));
		plan->places = more;
	}
	plan->places[plan->n_places++] = (struct tn_claim_place){ tensor, offset, size };
}

/* May the op be what its kind says? Names are shared between vocabularies that differ in
 * operands; what is wrong for the kind is then no error of the file. */
static bool fits(const struct tn_graph *g, const struct tn_op *op)
{
	const struct tn_op_info *info = tn_op_info(op->kind);
	uint32_t n = tn_op_operands(g, op);
	struct tn_norm norm;
	const char *why;

	if (n < (uint32_t)info->min_inputs ||
		(info->max_inputs != TN_ARITY_ANY && n > (uint32_t)info->max_inputs) ||
		(info->outputs >= 0 && op->n_outputs != (uint32_t)info->outputs))
		return false;
	for (uint32_t k = 0; k < (uint32_t)info->min_inputs; k++)
		if (op->inputs[k].i == TN_NONE)
			return false;
	if (op->kind == OP_BATCH_NORM || op->kind == OP_LAYER_NORM)
		return tn_norm_of(g, op, &norm, &why);
	if (info->access == ACCESS_VIEW) {
		const struct tn_tensor *in = &g->tensors[op->inputs[0].i];
		const struct tn_tensor *out = &g->tensors[op->outputs[0].i];

		/* between two layouts it is a copy in another order */
		return out->view_of.i != TN_NONE ||
		       (!in->has_strides && !out->has_strides &&
			       (in->bytes < 0 || out->bytes < 0 ||
				       in->bytes == out->bytes));
	}
	return true;
}

/* An op that is not known may not have the name of one that is. */
static bool settle(struct tn_foreign *f, const struct tn_graph *g, struct tn_op *op)
{
	char *type;

	if (!fits(g, op))
		op->kind = OP_UNKNOWN;
	if (op->kind != OP_UNKNOWN || tn_op_kind_parse(op->type) == OP_UNKNOWN)
		return true;
	type = tn_arena_printf(&f->tree->scratch, "custom:%s", op->type);
	if (!type)
		return false;
	op->type = tn_foreign_text(f, type);
	return !f->tree->nomem;
}

enum tn_status tn_foreign_finish(struct tn_foreign *f, struct tn_graph *out)
{
	enum tn_status status;

	if (f->tree->nomem || f->im->diags->failed)
		return TN_ERR_NOMEM;
	*out = (struct tn_graph){ .format = FORMAT_FOREIGN,
		.name = tn_foreign_text(f, f->name ? f->name : "") };
	status = tn_build_finish(&f->b, out);
	for (uint32_t i = 0; status == TN_OK && i < out->n_ops; i++)
		if (!settle(f, out, &out->ops[i]))
			status = TN_ERR_NOMEM;
	return f->tree->nomem ? TN_ERR_NOMEM : status;
}
