/* Reads NNVM's graphs: TVM's graph executor (with shapes and storage ids) and MXNet's
 * symbols (with neither). Operands are [node, output, version]; an entry is one output of
 * one node, and the graph's attributes have one element for each entry. A version above 0
 * is that of a state that an op has updated.
 *
 * Arguments are nodes of the op "null". Which of them are parameters the file does not
 * say; their names do. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "import/nnvm.h"

#include "base/banned.h"

#define NNVM_VALUE     "nnvm/value"
#define OUTPUTS_MAX    4096 /* of one node */
#define ENTRIES_FREE   4096 /* so many, and a few for each node */
#define ENTRIES_A_NODE 8

void tn_nnvm_list(struct tn_nnvm *r, const char *key, struct tn_nnvm_list *out)
{
	int64_t entries = r->first.items[r->first.count - 1];

	out->there = false;
	if (!tn_at_key(&r->tree, &r->attrs, key, &out->pair))
		return;
	tn_at_item(&out->pair, 1, &out->items);
	out->there = json_is_array(out->items.json) &&
		     json_array_size(out->items.json) == (uint64_t)entries;
	if (!out->there)
		tn_at_error(&r->tree, &out->pair, NNVM_VALUE,
			"expected a list of %" PRId64 " elements, one for each entry",
			entries);
}

const char *tn_nnvm_attr(struct tn_nnvm *r, const struct tn_at *node, const char *key)
{
	static const char *const spellings[] = { "attrs", "attr", "param" };

	for (size_t i = 0; i < 3; i++) {
		struct tn_at attrs;
		const char *text;

		tn_at_key(&r->tree, node, spellings[i], &attrs);
		text = json_string_value(json_object_get(attrs.json, key));
		if (text)
			return text;
	}
	return "";
}

/* How many outputs each node has: as the file says, or as its readers need. */
static bool count_entries(struct tn_nnvm *r, const struct tn_at *root)
{
	size_t n = json_array_size(r->nodes.json);
	struct tn_at rows, at;
	int64_t sum = 0, *outputs = TN_NEW_ARRAY(&r->tree.scratch, int64_t, n + 1);
	bool given = tn_at_list(&r->tree, root, "node_row_ptr", &rows) == n + 1;

	if (!outputs) {
		r->tree.nomem = true;
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		struct tn_at node, inputs, heads;
		size_t m;

		outputs[i] = tn_max_i64(outputs[i], 1);
		tn_at_item(&r->nodes, i, &node);
		m = tn_at_list(&r->tree, &node, "inputs", &inputs);
		heads = inputs;
		for (size_t k = 0; k < m; k++) {
			const json_t *entry = json_array_get(heads.json, k);
			int64_t from = json_integer_value(json_array_get(entry, 0));
			int64_t index = json_integer_value(json_array_get(entry, 1));

			if (from >= 0 && (uint64_t)from < n && index >= 0 &&
				index < OUTPUTS_MAX)
				outputs[from] = tn_max_i64(outputs[from], index + 1);
		}
	}
	for (size_t i = 0; i <= n; i++) {
		int64_t row = sum;

		tn_at_item(&rows, i, &at);
		if (given && (!tn_at_as_int(&r->tree, &at, &row) || row < sum ||
				     row - sum > OUTPUTS_MAX || (i == 0 && row))) {
			tn_at_error(&r->tree, &at, NNVM_VALUE,
				"node_row_ptr does not ascend from 0 by the nodes' "
				"outputs");
			return false;
		}
		sum = row;
		if (sum > ENTRIES_FREE + ENTRIES_A_NODE * (int64_t)n) {
			tn_at_error(&r->tree, &r->nodes, NNVM_VALUE,
				"the nodes have too many outputs");
			return false;
		}
		if (!tn_vec_push(&r->tree.scratch, &r->first, sum)) {
			r->tree.nomem = true;
			return false;
		}
		sum += given ? 0 : outputs[i];
	}
	return true;
}

/* "float32", or with lanes "float32x4": then the last dimension is in vectors. */
static enum tn_dtype read_dltype(
	struct tn_nnvm *r, const struct tn_at *at, struct tn_shape *shape)
{
	const char *text = "", *lanes;
	char name[24];
	enum tn_dtype dtype;
	int64_t n = 1;

	if (!tn_at_as_text(&r->tree, at, &text))
		return DTYPE_INVALID;
	lanes = strchr(text, 'x');
	snprintf(name, sizeof(name), "%.*s",
		lanes ? (int)(lanes - text < 23 ? lanes - text : 23) : 23, text);
	dtype = tn_foreign_dtype(name);
	if (lanes && strspn(lanes + 1, "0123456789") == strlen(lanes + 1) &&
		strlen(lanes) < 5)
		for (n = 0, lanes++; *lanes; lanes++)
			n = n * 10 + (*lanes - '0');
	if (n > 1 && shape->rank && shape->dim[shape->rank - 1] > 0 &&
		__builtin_mul_overflow(
			shape->dim[shape->rank - 1], n, &shape->dim[shape->rank - 1]))
		shape->dim[shape->rank - 1] = INT64_MAX;
	if (dtype == DTYPE_INVALID)
		tn_at_error(&r->tree, at, "graph/dtype",
			"'%.40s' is not a known element type", text);
	return dtype;
}

/* Files of before the names: numbers of NNVM's. */
static enum tn_dtype read_type_flag(struct tn_nnvm *r, const struct tn_at *at)
{
	static const enum tn_dtype flags[] = { DTYPE_F32, DTYPE_F64, DTYPE_F16, DTYPE_U8,
		DTYPE_I32, DTYPE_I8, DTYPE_I64, DTYPE_I16, DTYPE_U16, DTYPE_U32,
		DTYPE_U64, DTYPE_BOOL };
	int64_t flag;

	if (!tn_at_as_int(&r->tree, at, &flag))
		return DTYPE_INVALID;
	if (flag >= 0 && flag < (int64_t)(sizeof(flags) / sizeof(*flags)))
		return flags[flag];
	tn_at_error(&r->tree, at, "graph/dtype",
		"%" PRId64 " is not a known element type", flag);
	return DTYPE_INVALID;
}

struct entry_lists {
	struct tn_nnvm_list shape, dtype, flag, storage;
};

static void add_entry(struct tn_nnvm *r, const struct entry_lists *lists,
	const struct tn_at *node, const char *name, int64_t output)
{
	size_t e = r->f.b.tensors.count;
	char other[160];
	const struct tn_shape *given;
	struct tn_shape shape = { .rank = 1, .dim = { TN_DIM_UNKNOWN } };
	enum tn_dtype dtype = DTYPE_F32;
	struct tn_at at;
	int64_t id = -1;

	if (output) {
		snprintf(other, sizeof(other), "%.120s:%" PRId64, name, output);
		name = other;
	}
	if (lists->shape.there) {
		tn_at_item(&lists->shape.items, e, &at);
		tn_foreign_shape(&r->f, &at, &shape);
	}
	given = tn_foreign_given_shape(&r->f, name);
	if (given)
		shape = *given;
	if (lists->dtype.there) {
		tn_at_item(&lists->dtype.items, e, &at);
		dtype = read_dltype(r, &at, &shape);
	} else if (lists->flag.there) {
		tn_at_item(&lists->flag.items, e, &at);
		dtype = read_type_flag(r, &at);
	}
	if (lists->storage.there) {
		tn_at_item(&lists->storage.items, e, &at);
		tn_at_as_int(&r->tree, &at, &id);
		if (!tn_vec_push(&r->tree.scratch, &r->storage, id))
			r->tree.nomem = true;
	}
	tn_foreign_tensor(&r->f, node, name, dtype, &shape);
}

/* The tensor of [node, output, version]. */
static tn_tensor_id entry_at(
	struct tn_nnvm *r, const struct tn_at *up, size_t index, bool *out_state)
{
	tn_tensor_id id = { TN_NONE };
	struct tn_at pair, at;
	int64_t v[3] = { 0, 0, 0 };
	size_t n;

	tn_at_item(up, index, &pair);
	n = json_array_size(pair.json);
	if (n < 2) {
		tn_at_error(
			&r->tree, &pair, NNVM_VALUE, "expected [node, output, version]");
		return id;
	}
	for (size_t i = 0; i < n && i < 3; i++) {
		tn_at_item(&pair, i, &at);
		if (!tn_at_as_int(&r->tree, &at, &v[i]))
			return id;
	}
	if (v[0] < 0 || (uint64_t)v[0] + 1 >= r->first.count || v[1] < 0 ||
		v[1] >= r->first.items[v[0] + 1] - r->first.items[v[0]]) {
		tn_at_error(&r->tree, &pair, "graph/undefined-tensor",
			"there is no output %" PRId64 " of node %" PRId64, v[1], v[0]);
		return id;
	}
	*out_state = v[2] > 0;
	id.i = (uint32_t)(r->first.items[v[0]] + v[1]);
	return id;
}

static void read_argument(struct tn_nnvm *r, size_t node, const char *name)
{
	for (int64_t e = r->first.items[node]; e < r->first.items[node + 1]; e++) {
		tn_tensor_id id = { (uint32_t)e };
		struct tn_tensor *t = tn_foreign_at(&r->f, id);

		if (tn_foreign_is_parameter(name)) {
			t->role = ROLE_CONST;
			t->data_kind = DATA_MISSING;
		} else {
			tn_foreign_input(&r->f, id, true);
		}
	}
}

/* Softmax along the last dimension, and of the operand as it is? MXNet's older ones take all
 * dimensions behind the first, or the second alone: one and the same where there are two. */
static bool is_by_rows(struct tn_nnvm *r, const struct tn_at *node, const char *type)
{
	const char *axis = tn_nnvm_attr(r, node, "axis");
	const char *temperature = tn_nnvm_attr(r, node, "temperature");
	const struct tn_tensor *in;
	double real;

	if (!r->f.in.v.count || r->f.in.v.items[0].i == TN_NONE)
		return false;
	in = tn_foreign_at(&r->f, r->f.in.v.items[0]);
	if (temperature[0] && strcmp(temperature, "None") != 0 &&
		(!tn_text_real(temperature, &real) || real != 1.0))
		return false;
	if (strncmp(type, "Softmax", 7) == 0)
		return in->shape.rank == 2;
	tn_text_ints(&r->tree, axis, &r->list);
	return !axis[0] || (r->list.v.count == 1 &&
				   (r->list.v.items[0] == -1 ||
					   r->list.v.items[0] + 1 == in->shape.rank));
}

static void read_node(struct tn_nnvm *r, size_t index, const struct tn_at *at)
{
	const char *type = tn_at_text(&r->tree, at, "op", "");
	const char *name = tn_at_text(&r->tree, at, "name", "");
	const char *func = tn_nnvm_attr(r, at, "func_name");
	enum tn_op_kind kind = tn_vocabulary_kind(VOCABULARY_NNVM, type);
	struct tn_at inputs;
	size_t n;

	if (strcmp(type, "null") == 0) {
		read_argument(r, index, name);
		return;
	}
	if (func[0]) { /* a compiled kernel */
		type = func;
		kind = strcmp(func, "__nop") == 0    ? OP_RESHAPE
		       : strcmp(func, "__copy") == 0 ? OP_CAST
						     : OP_UNKNOWN;
	}
	if (!tn_foreign_op(&r->f, at, kind, type, name))
		return;
	n = tn_at_list(&r->tree, at, "inputs", &inputs);
	for (size_t i = 0; i < n; i++) {
		bool state = false;
		tn_tensor_id id = entry_at(r, &inputs, i, &state);

		tn_foreign_in(&r->f, id);
		if (state && tn_foreign_at(&r->f, id)->role == ROLE_CONST) {
			tn_foreign_at(&r->f, id)->role = ROLE_VARIABLE;
			tn_foreign_at(&r->f, id)->data_kind = DATA_NONE;
		}
	}
	for (int64_t e = r->first.items[index]; e < r->first.items[index + 1]; e++)
		tn_foreign_out(&r->f, (tn_tensor_id){ (uint32_t)e });
	if (!r->shaped)
		tn_nnvm_infer(r, at, type);
	if ((kind == OP_SOFTMAX || kind == OP_LOG_SOFTMAX) && !is_by_rows(r, at, type))
		tn_foreign_newest_op(&r->f)->kind = OP_UNKNOWN;
	/* the label says nothing at inference */
	if (strcmp(type, "SoftmaxOutput") == 0 && r->f.in.v.count == 2)
		r->f.in.v.count = 1;
	tn_foreign_close(&r->f);
}

static void read_nodes(struct tn_nnvm *r)
{
	struct entry_lists lists;
	size_t n = json_array_size(r->nodes.json);
	struct tn_at at;

	tn_nnvm_list(r, "shape", &lists.shape);
	tn_nnvm_list(r, "dltype", &lists.dtype);
	tn_nnvm_list(r, "dtype", &lists.flag);
	tn_nnvm_list(r, "storage_id", &lists.storage);
	r->shaped = lists.shape.there;
	for (size_t i = 0; i < n && !r->tree.nomem; i++) {
		const char *name;

		tn_at_item(&r->nodes, i, &at);
		name = tn_at_text(&r->tree, &at, "name", "");
		for (int64_t k = r->first.items[i]; k < r->first.items[i + 1]; k++)
			add_entry(r, &lists, &at, name, k - r->first.items[i]);
	}
	for (size_t i = 0; i < n && !r->tree.nomem; i++) {
		tn_at_item(&r->nodes, i, &at);
		read_node(r, i, &at);
	}
}

static enum tn_status read_root(
	struct tn_nnvm *r, const struct tn_at *root, struct tn_graph *out)
{
	struct tn_at heads;
	size_t n = tn_at_list(&r->tree, root, "nodes", &r->nodes);

	if (!n) {
		tn_at_error(&r->tree, &r->nodes, "nnvm/no-graph", "there are no nodes");
		return TN_ERR_INPUT;
	}
	for (size_t i = 0; i < n; i++) {
		struct tn_at at;

		tn_at_item(&r->nodes, i, &at);
		if (!tn_at_want_object(&r->tree, &at))
			return TN_ERR_INPUT;
	}
	if (!count_entries(r, root))
		return r->tree.nomem ? TN_ERR_NOMEM : TN_ERR_INPUT;
	tn_at_object(&r->tree, root, "attrs", &r->attrs);
	read_nodes(r);
	n = tn_at_list(&r->tree, root, "heads", &heads);
	for (size_t i = 0; i < n && !r->tree.nomem; i++) {
		bool state;

		tn_foreign_output(&r->f, entry_at(r, &heads, i, &state));
	}
	if (r->storage.count)
		tn_nnvm_plan(r);
	return tn_foreign_finish(&r->f, out);
}

enum tn_status tn_import_tvm(struct tn_import *im, struct tn_graph *out)
{
	struct tn_nnvm r = { .shaped = false };
	struct tn_at root;
	enum tn_status status = tn_tree_open(&r.tree, im, "nnvm/type", &root);

	tn_foreign_init(&r.f, &r.tree);
	if (status == TN_OK)
		status = read_root(&r, &root, out);
	tn_tree_close(&r.tree);
	return status;
}
