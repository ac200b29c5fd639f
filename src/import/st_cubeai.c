/* Reads the c_info.json of ST Edge AI (X-CUBE-AI): the graph that was compiled, and where
 * each buffer lies. Offsets become claims of kind `plan`, one for each memory pool.
 *
 * Buffers have no batch: an image is [H, W, CH]. Time is counted in epochs, four for each
 * node; the first epoch of a node's output says when the node runs. Scratch is a list of
 * its own; here it follows the operands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "import/foreign.h"

#include "base/banned.h"

#define ST_VALUE "st/value"

struct buffer {
	tn_tensor_id tensor;
	int64_t pool, offset, size; /* offset -1: not placed */
	int64_t born; /* first epoch */
};

struct run {
	int64_t born; /* the epoch of the first output */
	uint32_t op;
};

struct reader {
	struct tn_tree tree;
	struct tn_foreign f;
	struct tn_names ids; /* "213" -> index in buffers */
	TN_VEC(struct buffer) buffers;
	TN_VEC(struct run) runs; /* by op, then by epoch */
	struct tn_ints list;
};

static enum tn_dtype dtype_of(const char *format, int64_t bits)
{
	static const char prefix[] = "STAI_FORMAT_";
	const char *kind = strncmp(format, prefix, sizeof(prefix) - 1) == 0
				   ? format + sizeof(prefix) - 1
				   : format;
	static const struct {
		const char *starts;
		int bits;
		enum tn_dtype dtype;
	} rows[] = {
		{ "FLOAT", 16, DTYPE_F16 },
		{ "FLOAT", 32, DTYPE_F32 },
		{ "FLOAT", 64, DTYPE_F64 },
		{ "BOOL", 8, DTYPE_BOOL },
		{ "S", 1, DTYPE_I1 },
		{ "S", 4, DTYPE_I4 },
		{ "S", 8, DTYPE_I8 },
		{ "S", 16, DTYPE_I16 },
		{ "S", 32, DTYPE_I32 },
		{ "S", 64, DTYPE_I64 },
		{ "U", 1, DTYPE_U1 },
		{ "U", 4, DTYPE_U4 },
		{ "U", 8, DTYPE_U8 },
		{ "U", 16, DTYPE_U16 },
		{ "U", 32, DTYPE_U32 },
		{ "U", 64, DTYPE_U64 },
		{ "Q", 8, DTYPE_I8 },
		{ "Q", 16, DTYPE_I16 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].bits == bits &&
			strncmp(kind, rows[i].starts, strlen(rows[i].starts)) == 0)
			return rows[i].dtype;
	return DTYPE_INVALID;
}

static bool fits_axis(const struct tn_tensor *t, int64_t axis, size_t n)
{
	return axis >= 0 && axis < t->shape.rank && t->shape.dim[axis] >= 0 &&
	       (uint64_t)t->shape.dim[axis] == n;
}

static void read_quant(
	struct reader *r, const struct tn_at *at, bool batched, struct tn_tensor *t)
{
	struct tn_at intq, scales, item;
	int64_t axis;
	size_t n;
	float *scale;
	int64_t *zero;

	if (!tn_at_object(&r->tree, at, "intq", &intq))
		return;
	n = tn_at_list(&r->tree, &intq, "scales", &scales);
	if (!n)
		return;
	axis = tn_at_int(&r->tree, &intq, "axis", 0);
	if (batched && !tn_add_i64(axis, 1, &axis))
		axis = -1; /* leads out, too */
	tn_at_ints(&r->tree, &intq, "offsets", &r->list);
	if (r->list.v.count && r->list.v.count != n) {
		tn_at_error(&r->tree, &intq, ST_VALUE, "%zu scales and %zu offsets", n,
			r->list.v.count);
		return;
	}
	/* the axis counts in another order than the shape: what fits is meant */
	for (uint32_t d = 0; d < t->shape.rank && !fits_axis(t, axis, n); d++)
		if (fits_axis(t, d, n))
			axis = d;
	if (n > 1 && (axis < 0 || axis >= t->shape.rank)) {
		tn_at_error(&r->tree, &intq, ST_VALUE,
			"the axis of %zu scales leads out of %u dimensions", n,
			t->shape.rank);
		return;
	}
	scale = TN_NEW_ARRAY(r->tree.im->arena, float, n);
	zero = TN_NEW_ARRAY(r->tree.im->arena, int64_t, n);
	if (!scale || !zero || !tn_u32_from_size(n, &t->quant.n)) {
		r->tree.nomem = true;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		double value = 0;

		tn_at_item(&scales, i, &item);
		tn_at_as_real(&r->tree, &item, &value);
		scale[i] = (float)value;
		zero[i] = r->list.v.count ? r->list.v.items[i] : 0;
	}
	t->quant.axis = n > 1 ? (uint32_t)axis : 0;
	t->quant.scale = scale;
	t->quant.zero_point = zero;
}

static bool is_image(const struct tn_at *map)
{
	static const char *const names[] = { "H", "W", "CH" };

	for (size_t i = 0; i < 3; i++) {
		const char *name = json_string_value(json_array_get(map->json, i));

		if (!name || strcmp(name, names[i]) != 0)
			return false;
	}
	return json_array_size(map->json) == 3;
}

/* Bytes that the file gives the buffer must hold its elements. */
static void check_size(
	struct reader *r, const struct tn_at *at, const struct tn_tensor *t, int64_t size)
{
	int64_t elements, bytes;

	if (size >= 0 && tn_shape_elements(&t->shape, &elements) &&
		tn_dtype_bytes(t->dtype, elements, &bytes) && bytes > size)
		tn_at_error(&r->tree, at, ST_VALUE, "'%s' needs %lld bytes and has %lld",
			t->name, (long long)bytes, (long long)size);
}

static void read_buffer(struct reader *r, const struct tn_at *at)
{
	const char *flags = tn_at_text(&r->tree, at, "flags", "");
	const char *format = tn_at_text(&r->tree, at, "format", "");
	int64_t id = tn_at_int(&r->tree, at, "id", -1);
	enum tn_dtype dtype = dtype_of(format, tn_at_int(&r->tree, at, "nbits", 0));
	bool constant = strstr(flags, "_CONST") || strstr(flags, "_WEIGHTS") ||
			tn_at_flag(&r->tree, at, "is_param");
	bool scratch = strstr(flags, "_SCRATCHS") != NULL, batched;
	struct tn_at map, epochs;
	struct tn_shape shape;
	struct tn_tensor *t;
	struct buffer b = { .born = 0 };
	char *key;

	tn_at_list(&r->tree, at, "shape_map", &map);
	tn_at_ints(&r->tree, at, "shape", &r->list);
	tn_foreign_shape_of(&r->f, at, &r->list, &shape);
	batched = is_image(&map) && shape.rank == 3 && !constant && !scratch;
	if (batched) {
		memmove(shape.dim + 1, shape.dim, 3 * sizeof(*shape.dim));
		shape.dim[0] = 1;
		shape.rank = 4;
	}
	t = tn_foreign_tensor(
		&r->f, at, tn_at_text(&r->tree, at, "name", ""), dtype, &shape);
	key = tn_arena_printf(&r->tree.scratch, "%lld", (long long)id);
	if (!t || !key) {
		r->tree.nomem = true;
		return;
	}
	if (dtype == DTYPE_INVALID)
		tn_at_error(&r->tree, at, "graph/dtype",
			"'%s' is not a known element type", format);
	if (constant) {
		t->role = ROLE_CONST;
		t->data_kind = DATA_MISSING;
	} else if (scratch) {
		t->role = ROLE_SCRATCH;
	}
	read_quant(r, at, batched, t);
	b.tensor = tn_foreign_newest(&r->f);
	b.pool = tn_at_int(&r->tree, at, "mpool_id", -1);
	b.offset = tn_at_int(&r->tree, at, "offset_start", -1);
	b.size = tn_at_int(&r->tree, at, "size_bytes", -1);
	check_size(r, at, t, b.size);
	if (tn_at_object(&r->tree, at, "epochs", &epochs))
		b.born = tn_at_int(&r->tree, &epochs, "start", 0);
	switch (tn_names_add(&r->ids, key, (uint32_t)r->buffers.count)) {
	case NAME_ADDED:
		break;
	case NAME_TAKEN:
		tn_at_error(&r->tree, at, ST_VALUE, "there are two buffers %s", key);
		break;
	case NAME_NOMEM:
		r->tree.nomem = true;
		break;
	}
	if (!tn_vec_push(&r->tree.scratch, &r->buffers, b))
		r->tree.nomem = true;
}

/* The buffer that a list names by its id; NULL after a report. */
static const struct buffer *find(
	struct reader *r, const struct tn_at *up, size_t index, struct tn_at *at)
{
	int64_t id;
	char key[24];
	uint32_t found;

	tn_at_item(up, index, at);
	if (!tn_at_as_int(&r->tree, at, &id))
		return NULL;
	snprintf(key, sizeof(key), "%lld", (long long)id);
	found = tn_names_find(&r->ids, key);
	if (found == UINT32_MAX) {
		tn_at_error(&r->tree, at, "graph/undefined-tensor",
			"there is no buffer %s", key);
		return NULL;
	}
	return &r->buffers.items[found];
}

static enum tn_op_kind kind_of(
	struct reader *r, const struct tn_at *attributes, const char *description)
{
	const char *what = tn_at_text(&r->tree, attributes, "nonlinearity", "");
	char name[80];
	enum tn_op_kind kind;

	snprintf(name, sizeof(name), "%.40s%s%.30s", description, what[0] ? " " : "",
		what);
	kind = tn_vocabulary_kind(VOCABULARY_ST, name);
	if (kind != OP_CONV_2D)
		return kind;
	if (strcmp(tn_at_text(&r->tree, attributes, "is_depthwise", ""), "True") == 0)
		return OP_DEPTHWISE_CONV_2D;
	return strcmp(tn_at_text(&r->tree, attributes, "groups", "1"), "1") == 0
		       ? kind
		       : OP_UNKNOWN;
}

/* "(3, 1)" or "{H: 1, W: 1}" as a list of two; "{H: (0, 1), W: (2, 3)}" as padding. */
static void read_geometry(struct reader *r, const struct tn_at *attributes)
{
	static const struct {
		const char *key, *attr;
		size_t n;
	} rows[] = {
		{ "filter_size", "kernel", 2 },
		{ "stride", "stride", 2 },
		{ "dilation", "dilation", 2 },
		{ "pad", "pad", 4 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int64_t *v;

		tn_text_ints(&r->tree, tn_at_text(&r->tree, attributes, rows[i].key, ""),
			&r->list);
		if (r->list.v.count != rows[i].n)
			continue;
		v = r->list.v.items;
		if (rows[i].n == 4) { /* top, bottom, left, right in the file */
			int64_t left = v[2];

			v[2] = v[1];
			v[1] = left;
		}
		if (!tn_build_attr_ints(&r->f.b, rows[i].attr, v, rows[i].n))
			r->tree.nomem = true;
	}
}

static void read_node(struct reader *r, const struct tn_at *at)
{
	static const char *const lists[] = { "inputs", "scratchs", "outputs" };
	const char *description = tn_at_text(&r->tree, at, "description", "");
	struct tn_at attributes, list, item;
	enum tn_op_kind kind;
	struct run run = { .op = (uint32_t)r->runs.count };
	int64_t born = INT64_MAX;

	tn_at_object(&r->tree, at, "attributes", &attributes);
	kind = kind_of(r, &attributes, description);
	if (!tn_foreign_op(
		    &r->f, at, kind, description, tn_at_text(&r->tree, at, "name", "")))
		return;
	for (int k = 0; k < 3; k++) {
		size_t n = tn_at_list(&r->tree, at, lists[k], &list);

		for (size_t i = 0; i < n; i++) {
			const struct buffer *b = find(r, &list, i, &item);

			if (!b)
				continue;
			if (k < 2)
				tn_foreign_in(&r->f, b->tensor);
			else
				tn_foreign_out(&r->f, b->tensor);
			if (k == 2)
				born = tn_min_i64(born, b->born);
		}
	}
	tn_foreign_close(&r->f);
	if (kind == OP_CONV_2D || kind == OP_DEPTHWISE_CONV_2D)
		read_geometry(r, &attributes);
	run.born = born;
	if (!tn_vec_push(&r->tree.scratch, &r->runs, run))
		r->tree.nomem = true;
}

static int by_epoch(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->born != y->born)
		return x->born < y->born ? -1 : 1;
	return x->op < y->op ? -1 : 1;
}

/* Nodes by the epoch that their output is born in; equal ones in the file's order. */
static void order_nodes(struct reader *r)
{
	if (r->runs.count)
		qsort(r->runs.items, r->runs.count, sizeof(*r->runs.items), by_epoch);
	for (size_t i = 0; i < r->runs.count; i++)
		if (!tn_vec_push(r->f.b.arena, &r->f.b.schedule,
			    ((tn_op_id){ r->runs.items[i].op })))
			r->tree.nomem = true;
}

static void read_ends(struct reader *r, const struct tn_at *graph)
{
	struct tn_at list, item;
	size_t n = tn_at_list(&r->tree, graph, "inputs", &list);

	for (size_t i = 0; i < n; i++) {
		const struct buffer *b = find(r, &list, i, &item);

		if (b)
			tn_foreign_input(&r->f, b->tensor, true);
	}
	n = tn_at_list(&r->tree, graph, "outputs", &list);
	for (size_t i = 0; i < n; i++) {
		const struct buffer *b = find(r, &list, i, &item);

		if (b)
			tn_foreign_output(&r->f, b->tensor);
	}
}

/* A pool's buffers, unless none of them is placed. */
static void read_pool(struct reader *r, const struct tn_at *at)
{
	int64_t id = tn_at_int(&r->tree, at, "id", -1);
	int64_t size = tn_at_int(&r->tree, at, "size_bytes", -1);
	struct tn_claim *plan = NULL;

	for (size_t i = 0; i < r->buffers.count; i++) {
		const struct buffer *b = &r->buffers.items[i];

		if (b->pool != id || b->offset < 0)
			continue;
		if (!plan)
			plan = tn_foreign_claim(&r->f, at, "plan",
				tn_at_text(&r->tree, at, "name", "pool"));
		tn_foreign_place(&r->f, plan, b->tensor, b->offset, b->size);
	}
	if (!plan)
		return;
	if (size < 0)
		size = tn_at_int(&r->tree, at, "used_size_bytes", -1);
	plan->arena_bytes = size;
	if (tn_at_int(&r->tree, at, "alignment", 0) > 0)
		plan->align = tn_at_int(&r->tree, at, "alignment", 0);
}

typedef void read_item(struct reader *r, const struct tn_at *at);

static void read_items(
	struct reader *r, const struct tn_at *up, const char *key, read_item *fn)
{
	struct tn_at list, at;
	size_t n = tn_at_list(&r->tree, up, key, &list);

	for (size_t i = 0; i < n && !r->tree.nomem; i++) {
		tn_at_item(&list, i, &at);
		if (tn_at_want_object(&r->tree, &at))
			fn(r, &at);
	}
}

static enum tn_status read_root(
	struct reader *r, const struct tn_at *root, struct tn_graph *out)
{
	struct tn_at graphs, graph;
	size_t n = tn_at_list(&r->tree, root, "graphs", &graphs);

	if (!n) {
		tn_at_error(&r->tree, &graphs, "st/no-graph", "there is no graph");
		return TN_ERR_INPUT;
	}
	tn_at_item(&graphs, 0, &graph);
	if (!tn_at_want_object(&r->tree, &graph))
		return TN_ERR_INPUT;
	if (n > 1)
		tn_at_warn(&r->tree, &graphs, "st/graphs",
			"only the first of %zu graphs is read", n);
	r->f.name = tn_at_text(&r->tree, &graph, "name", "");
	read_items(r, root, "buffers", read_buffer);
	read_items(r, &graph, "nodes", read_node);
	order_nodes(r);
	read_ends(r, &graph);
	read_items(r, root, "memory_pools", read_pool);
	return tn_foreign_finish(&r->f, out);
}

enum tn_status tn_import_st_cubeai(struct tn_import *im, struct tn_graph *out)
{
	struct reader r = { .ids.arena = NULL };
	struct tn_at root;
	enum tn_status status = tn_tree_open(&r.tree, im, "st/type", &root);

	tn_foreign_init(&r.f, &r.tree);
	r.ids.arena = &r.tree.scratch;
	if (status == TN_OK)
		status = read_root(&r, &root, out);
	tn_tree_close(&r.tree);
	return status;
}
