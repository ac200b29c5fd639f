/* Reads the graph that torch.export writes (model.json of a .pt2 archive). What an
 * operator does to memory is in its schema, not in the file: views share the storage of
 * their operand, and a name that ends in "_" writes its first one. A view is no op here:
 * it is a tensor in another. What the signature calls a mutation is a copy behind the last
 * op. */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "import/torch.h"

#include "base/banned.h"

#define SCHEMA_MAX 8 /* major version */

/* A number, or an expression. */
static int64_t read_size(struct tn_foreign *f, const struct tn_at *at)
{
	struct tn_at expr;
	int64_t value;

	if (tn_at_key(f->tree, at, "as_int", &expr))
		return tn_at_as_int(f->tree, &expr, &value) ? tn_dim_given(value)
							    : TN_DIM_POISON;
	if (tn_at_object(f->tree, at, "as_expr", &expr))
		return tn_foreign_dim(f, at, tn_at_text(f->tree, &expr, "expr_str", ""));
	tn_at_error(f->tree, at, "torch/value", "expected a size");
	return TN_DIM_POISON;
}

static enum tn_dtype dtype_of(int64_t number)
{
	static const struct {
		int number;
		enum tn_dtype dtype;
	} rows[] = { { 1, DTYPE_U8 }, { 2, DTYPE_I8 }, { 3, DTYPE_I16 }, { 4, DTYPE_I32 },
		{ 5, DTYPE_I64 }, { 6, DTYPE_F16 }, { 7, DTYPE_F32 }, { 8, DTYPE_F64 },
		{ 10, DTYPE_C64 }, { 11, DTYPE_C128 }, { 12, DTYPE_BOOL },
		{ 13, DTYPE_BF16 }, { 28, DTYPE_U16 }, { 29, DTYPE_F8E4M3 },
		{ 30, DTYPE_F8E5M2 }, { 31, DTYPE_F8E4M3 }, { 32, DTYPE_F8E5M2 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].number == number)
			return rows[i].dtype;
	return DTYPE_INVALID;
}

/* Strides in elements, when they are not those of a dense tensor. */
static void read_strides(
	struct tn_torch *r, const struct tn_at *meta, struct tn_tensor *t)
{
	struct tn_at list, at;
	int64_t dense[TN_RANK_MAX], elements;
	bool plain = true;

	if (tn_at_list(&r->tree, meta, "strides", &list) != t->shape.rank ||
		!tn_shape_elements(&t->shape, &elements))
		return;
	tn_shape_strides(&t->shape, dense);
	for (uint32_t i = 0; i < t->shape.rank; i++) {
		tn_at_item(&list, i, &at);
		t->stride[i] = read_size(&r->f, &at);
		if (t->stride[i] == TN_DIM_POISON)
			return;
		plain = plain && (t->shape.dim[i] < 2 || t->stride[i] == dense[i]);
	}
	t->has_strides = !plain;
}

/* The tensor of a name, made when it is met first; TN_NONE after a report. */
tn_tensor_id tn_torch_tensor(struct tn_torch *r, const struct tn_at *at, const char *name)
{
	tn_tensor_id id = tn_foreign_find(&r->f, name);
	const struct tn_shape *given = tn_foreign_given_shape(&r->f, name);
	struct tn_shape shape = { .rank = 1, .dim = { TN_DIM_POISON } };
	struct tn_at meta, sizes, size;
	struct tn_tensor *t;
	size_t n;

	if (id.i != TN_NONE)
		return id;
	tn_at_entry(&r->values, name, json_object_get(r->values.json, name), &meta);
	if (!json_is_object(meta.json)) {
		tn_at_error(&r->tree, at, "graph/undefined-tensor",
			"there is no tensor '%.200s'", name);
		return id;
	}
	n = tn_at_list(&r->tree, &meta, "sizes", &sizes);
	if (n > TN_RANK_MAX) {
		tn_at_error(&r->tree, &sizes, "graph/rank",
			"%zu dimensions are more than %d", n, TN_RANK_MAX);
	} else if (given) {
		shape = *given;
	} else {
		shape.rank = (uint32_t)n;
		for (uint32_t i = 0; i < n; i++) {
			tn_at_item(&sizes, i, &size);
			shape.dim[i] = read_size(&r->f, &size);
		}
	}
	t = tn_foreign_tensor(&r->f, &meta, name,
		dtype_of(tn_at_int(&r->tree, &meta, "dtype", 0)), &shape);
	if (!t)
		return id;
	if (t->dtype == DTYPE_INVALID)
		tn_at_error(&r->tree, &meta, "graph/dtype",
			"%" PRId64 " is not a known element type",
			tn_at_int(&r->tree, &meta, "dtype", 0));
	read_strides(r, &meta, t);
	return tn_foreign_newest(&r->f);
}

void tn_torch_also_named(struct tn_torch *r, const char *name, tn_tensor_id id)
{
	if (name[0] && tn_names_add(&r->f.tensors, tn_foreign_text(&r->f, name), id.i) ==
			       NAME_NOMEM)
		r->tree.nomem = true;
}

bool tn_torch_fill(struct tn_torch *r, tn_tensor_id id)
{
	bool before;

	while (r->written.count <= id.i)
		if (!tn_vec_push(&r->tree.scratch, &r->written, false)) {
			r->tree.nomem = true;
			return false;
		}
	before = r->written.items[id.i];
	r->written.items[id.i] = true;
	return before;
}

/* A write of a tensor that holds something already, or of its root. */
void tn_torch_mutate(struct tn_torch *r, tn_tensor_id id)
{
	for (int depth = 0; depth < TN_TORCH_VIEWS_MAX;
		depth++) { /* a cycle is reported later */
		struct tn_tensor *t = tn_foreign_at(&r->f, id);

		t->mutated = true;
		if (t->role == ROLE_INPUT)
			t->clobber = !r->tree.im->keep_inputs;
		if (t->role == ROLE_CONST) {
			t->role = ROLE_VARIABLE;
			t->data_kind = DATA_NONE;
		}
		if (t->view_of.i == TN_NONE)
			return;
		id = t->view_of;
	}
}

/* The one member of a union. */
bool tn_torch_member(const struct tn_at *arg, struct tn_torch_argument *out)
{
	void *i = json_object_iter((json_t *)(uintptr_t)arg->json);

	if (!i)
		return false;
	out->key = json_object_iter_key(i);
	tn_at_entry(arg, out->key, json_object_iter_value(i), &out->at);
	return true;
}

/* Is it a tensor at all? What orders side effects (token) and objects of other libraries
 * may have no entry among the tensors. */
static bool is_tensor(
	struct tn_torch *r, const struct tn_torch_argument *spec, const struct tn_at *arg)
{
	return (strcmp(spec->key, "token") != 0 &&
		       strcmp(spec->key, "custom_obj") != 0) ||
	       json_object_get(r->values.json, tn_at_text(&r->tree, arg, "name", ""));
}

static void read_inputs(struct tn_torch *r, const struct tn_at *signature)
{
	struct tn_at list, item, arg, tensor;
	size_t n = tn_at_list(&r->tree, signature, "input_specs", &list);

	for (size_t i = 0; i < n && !r->tree.nomem; i++) {
		struct tn_torch_argument spec;
		tn_tensor_id id;
		bool user;

		tn_at_item(&list, i, &item);
		if (!tn_torch_member(&item, &spec) ||
			!tn_at_object(&r->tree, &spec.at, "arg", &arg))
			continue;
		if (!is_tensor(r, &spec, &arg))
			continue;
		user = strcmp(spec.key, "user_input") == 0;
		if (user && !tn_at_object(&r->tree, &arg, "as_tensor", &tensor))
			continue; /* a number */
		if (!user)
			tensor = arg;
		id = tn_torch_tensor(
			r, &tensor, tn_at_text(&r->tree, &tensor, "name", ""));
		if (id.i == TN_NONE)
			continue;
		tn_torch_fill(r, id);
		if (user) {
			tn_foreign_input(&r->f, id, false);
		} else {
			tn_foreign_at(&r->f, id)->role = ROLE_CONST;
			tn_foreign_at(&r->f, id)->data_kind = DATA_MISSING;
		}
		/* what a buffer is called in the signature's mutations */
		if (!user)
			tn_torch_also_named(r,
				tn_at_text(&r->tree, &spec.at,
					strcmp(spec.key, "buffer") == 0
						? "buffer_name"
						: "parameter_name",
					""),
				id);
	}
}

/* The value is copied to where it lives when the run is over. */
static void add_copy(
	struct tn_torch *r, const struct tn_at *at, tn_tensor_id from, const char *name)
{
	tn_tensor_id to = tn_foreign_find(&r->f, name);

	if (to.i == TN_NONE) {
		tn_at_error(&r->tree, at, "graph/undefined-tensor",
			"there is no buffer or input '%.200s'", name);
		return;
	}
	if (from.i == TN_NONE || from.i == to.i)
		return;
	tn_torch_mutate(r, to);
	if (!tn_foreign_op(&r->f, at, OP_CAST, "copy", ""))
		return;
	tn_foreign_in(&r->f, from);
	tn_foreign_out(&r->f, to);
	tn_foreign_close(&r->f);
}

static void read_outputs(struct tn_torch *r, const struct tn_at *signature)
{
	static const char *const targets[] = { "buffer_name", "user_input_name",
		"parameter_name" };
	struct tn_at list, item, arg, tensor;
	size_t n = tn_at_list(&r->tree, signature, "output_specs", &list);

	for (size_t i = 0; i < n && !r->tree.nomem; i++) {
		struct tn_torch_argument spec;
		tn_tensor_id id;

		tn_at_item(&list, i, &item);
		if (!tn_torch_member(&item, &spec) ||
			!tn_at_object(&r->tree, &spec.at, "arg", &arg))
			continue;
		if (!tn_at_object(&r->tree, &arg, "as_tensor", &tensor))
			tensor = arg;
		if (!is_tensor(r, &spec, &arg))
			continue;
		if (!tn_at_text(&r->tree, &tensor, "name", "")[0])
			continue; /* a number, or nothing */
		id = tn_torch_tensor(
			r, &tensor, tn_at_text(&r->tree, &tensor, "name", ""));
		if (!strstr(spec.key, "mutation")) {
			tn_foreign_output(&r->f, id);
			continue;
		}
		for (int k = 0; k < 3; k++) {
			const char *name = tn_at_text(&r->tree, &spec.at, targets[k], "");

			if (name[0])
				add_copy(r, &item, id, name);
		}
	}
}

static enum tn_status read_root(
	struct tn_torch *r, const struct tn_at *root, struct tn_graph *out)
{
	struct tn_at module, signature, nodes, at;
	size_t n;

	if (!tn_at_object(&r->tree, root, "graph_module", &module) ||
		!tn_at_object(&r->tree, &module, "graph", &r->graph)) {
		tn_at_error(&r->tree, root, "torch/no-graph", "there is no graph");
		return TN_ERR_INPUT;
	}
	tn_at_object(&r->tree, &r->graph, "tensor_values", &r->values);
	tn_at_object(&r->tree, &module, "signature", &signature);
	read_inputs(r, &signature);
	n = tn_at_list(&r->tree, &r->graph, "nodes", &nodes);
	for (size_t i = 0; i < n && !r->tree.nomem; i++) {
		tn_at_item(&nodes, i, &at);
		if (tn_at_want_object(&r->tree, &at))
			tn_torch_read_node(r, &at);
	}
	if (!r->tree.nomem)
		read_outputs(r, &signature);
	return tn_foreign_finish(&r->f, out);
}

/* A schema of a later major version may mean anything. */
static bool is_read(struct tn_torch *r, const struct tn_at *root)
{
	struct tn_at version;
	int64_t major;

	if (!tn_at_object(&r->tree, root, "schema_version", &version))
		return true;
	major = tn_at_int(&r->tree, &version, "major", 0);
	if (major <= SCHEMA_MAX)
		return true;
	tn_at_error(&r->tree, &version, "torch/value",
		"the schema's version %" PRId64 " is not known: %d is read", major,
		SCHEMA_MAX);
	return false;
}

enum tn_status tn_import_torch_export(struct tn_import *im, struct tn_graph *out)
{
	struct tn_torch r = { .graph = { .json = NULL } };
	struct tn_at root;
	enum tn_status status = tn_tree_open(&r.tree, im, "torch/type", &root);

	tn_foreign_init(&r.f, &r.tree);
	if (status == TN_OK && !is_read(&r, &root))
		status = TN_ERR_INPUT;
	if (status == TN_OK)
		status = read_root(&r, &root, out);
	tn_tree_close(&r.tree);
	return status;
}
